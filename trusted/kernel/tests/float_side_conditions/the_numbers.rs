//! The numbers of one mechanism.

use super::*;

fn with(change: &dyn Fn(&mut Snapped)) -> Result<probity_kernel::float::Loss, Rejection> {
    let mut changed = numbers(Format::BINARY64);
    change(&mut changed);
    changed.loss()
}

/// A format in which a grid of 1 and a bound of 2 are possible.
fn small(
    emin: i64,
    emax: i64,
    change: &dyn Fn(&mut Snapped),
) -> Result<probity_kernel::float::Loss, Rejection> {
    let mut changed = numbers(Format::new(8, emin, emax).unwrap());
    changed.bound = q(2, 1);
    change(&mut changed);
    changed.loss()
}

#[test]
fn the_uniform_has_bits() {
    for bits in [0, 54] {
        let found = with(&|m| m.uniform = Uniform::Bits(bits));
        assert_eq!(found, Err(Rejection::UniformTooFine { bits }));
    }
    with(&|m| m.uniform = Uniform::Bits(53)).unwrap();
}

#[test]
fn the_logarithm_is_not_too_coarse() {
    let coarse = |ulps: u32| {
        let mut changed = numbers(Format::BINARY16);
        changed.ln_ulps = ulps;
        changed.loss()
    };
    assert_eq!(coarse(1024), Err(Rejection::LogarithmTooCoarse { ulps: 1024 }));
    assert!(matches!(coarse(1023), Err(Rejection::CellTooNarrow { .. })));
    coarse(1).unwrap();
}

#[test]
fn the_noise_does_not_overflow() {
    // −ln u reaches 8 + 12 = 20, and twice as much must be a float: 2^6·(2 − 2^-7) > 40.
    small(-12, 5, &|_| {}).unwrap();
    assert!(
        matches!(small(-12, 4, &|_| {}), Err(Rejection::NoiseOutOfRange { factor }) if factor == q(1, 1))
    );
    // After the first scaling as well.
    let scaled = |c: i64| {
        small(-20, 8, &|m| {
            m.scaling = vec![Scaling::Multiply(q(c, 1)), Scaling::Divide(q(c, 1))];
        })
    };
    assert!(matches!(scaled(16), Err(Rejection::NoiseOutOfRange { factor }) if factor == q(16, 1)));
    scaled(8).unwrap();
}

#[test]
fn the_noise_is_normal() {
    assert!(matches!(small(-8, 9, &|_| {}), Err(Rejection::NoiseOutOfRange { .. })));
    small(-9, 9, &|_| {}).unwrap();
}

#[test]
fn the_grid_is_a_power_of_two() {
    assert!(matches!(with(&|m| m.grid = q(3, 1)), Err(Rejection::GridNotPowerOfTwo { .. })));
    assert!(matches!(with(&|m| m.grid = q(1, 3)), Err(Rejection::GridNotPowerOfTwo { .. })));
    with(&|m| m.grid = q(4, 1)).unwrap();
}

#[test]
fn the_grid_is_positive() {
    for grid in [0, -1] {
        let found = with(&|m| m.grid = q(grid, 1));
        assert!(matches!(found, Err(Rejection::NotPositive { parameter: "the grid", .. })));
    }
}

#[test]
fn half_grid_points_are_normal() {
    // Noise of scale 2^-13 in a format whose smallest normal number is 2^-22, with the largest exponent to spare.
    let at = |grid: i64| {
        small(-22, 9, &|m| {
            m.scaling = vec![Scaling::Multiply(power(-13))];
            m.grid = power(grid);
            m.bound = power(grid);
            m.sensitivity = power(grid);
        })
    };
    assert!(matches!(at(-22), Err(Rejection::GridTooFine { .. })));
    assert!(!matches!(at(-21), Err(Rejection::GridTooFine { .. })));
    at(-12).unwrap();
}

#[test]
fn half_grid_points_are_floats() {
    // Odd multiples of Λ/2 up to 2^p: 2·128 ≤ 2^8 < 2·129.
    let at = |bound: i64| small(-9, 20, &|m| m.bound = q(bound, 1));
    assert!(matches!(at(129), Err(Rejection::GridTooFine { .. })));
    assert!(!matches!(at(128), Err(Rejection::GridTooFine { .. })));
    at(4).unwrap();
}

#[test]
fn multiples_of_the_grid_are_finite() {
    // The largest number is below 2^6: a bound of 33 is a float, and the multiple of 32 above it is not.
    let at = |bound: i64| {
        small(-12, 5, &|m| {
            m.grid = q(32, 1);
            m.scaling = vec![Scaling::Divide(q(1, 1))];
            m.bound = q(bound, 1);
        })
    };
    assert!(matches!(at(33), Err(Rejection::GridTooFine { .. })));
    assert!(!matches!(at(32), Err(Rejection::GridTooFine { .. })));
}

#[test]
fn the_format_fits_in_memory() {
    assert!(matches!(numbers(Format::wide(53)).loss(), Err(Rejection::GridTooFine { .. })));
}

#[test]
fn constants_are_positive() {
    for step in [Scaling::Divide(q(-1, 1)), Scaling::Multiply(q(-1, 1)), Scaling::Multiply(q(0, 1))] {
        let found = with(&|m| m.scaling = vec![step.clone()]);
        assert!(matches!(found, Err(Rejection::NotPositive { parameter: "a constant of the noise", .. })));
    }
    with(&|m| m.scaling = vec![Scaling::Multiply(q(1, 1))]).unwrap();
}

#[test]
fn constants_are_floats() {
    let found = with(&|m| m.scaling = vec![Scaling::Divide(q(1, 3))]);
    assert!(matches!(found, Err(Rejection::NotAFloat { parameter: "a constant of the noise", .. })));
    with(&|m| m.scaling = vec![Scaling::Divide(q(3, 1))]).unwrap();
}

#[test]
fn the_bound_is_a_positive_float() {
    let at = |bound: Rational| with(&|m| m.bound = bound.clone());
    assert!(matches!(at(q(1, 3)), Err(Rejection::NotAFloat { parameter: "the bound", .. })));
    assert!(matches!(at(q(0, 1)), Err(Rejection::NotPositive { parameter: "the bound", .. })));
    assert!(matches!(at(q(-1, 1)), Err(Rejection::NotPositive { parameter: "the bound", .. })));
    at(q(1, 4)).unwrap();
}

#[test]
fn the_sensitivity_is_positive() {
    for n in [0, -1] {
        let found = with(&|m| m.sensitivity = q(n, 1));
        assert!(matches!(found, Err(Rejection::NotPositive { parameter: "the sensitivity", .. })));
    }
    with(&|m| m.sensitivity = q(1, 3)).unwrap();
}

#[test]
fn every_rounded_step_counts() {
    // The logarithm and every constant that is no power of two.
    let eta = Format::BINARY64.unit_roundoff();
    let step = Rational::ONE + &eta;
    for (scaling, kappa) in [
        (vec![], step.clone()),
        (vec![Scaling::Divide(q(2, 1))], step.clone()),
        (vec![Scaling::Divide(q(3, 1))], &step * &step),
        (vec![Scaling::Multiply(q(3, 1)), Scaling::Divide(q(5, 1))], &step * &step * &step),
    ] {
        let found = with(&|m| m.scaling = scaling.clone()).unwrap();
        assert_eq!(found.steps.kappa, kappa, "{scaling:?}");
    }
    let one = with(&|m| m.ln_ulps = 1).unwrap().steps.kappa;
    assert_eq!(one, Rational::ONE / (Rational::ONE - q(2, 1) * eta));
}

#[test]
fn pure_only_within_the_fine_floats() {
    // ρT = B + ⌈B⌉ − ½ + h; |emin|·ln 2 = 708.396.
    let at = |bound: i64| with(&|m| m.bound = q(bound, 1)).unwrap();
    assert!(at(354).delta.is_zero());
    assert!(!at(355).delta.is_zero());
}

#[test]
fn pure_with_few_bits_only_where_these_are_fine() {
    // 2^−53·e^ρT ≤ 2^−10: ρT ≤ 43·ln 2 = 29.8.
    let at = |bound: i64| {
        with(&|m| {
            m.uniform = Uniform::Bits(53);
            m.bound = q(bound, 1);
        })
        .unwrap()
    };
    assert!(at(15).delta.is_zero());
    assert!(!at(16).delta.is_zero());
}

#[test]
fn far_cells_are_far_from_both_inputs() {
    // R = 708.396 has to be at least ρ(Λ + 2h + Δ).
    let at = |sensitivity: i64| {
        with(&|m| {
            m.bound = q(1 << 20, 1);
            m.sensitivity = q(sensitivity, 1);
        })
    };
    assert_eq!(at(708), Err(Rejection::CellTooWide));
    assert!(at(707).unwrap().delta > q(1, 10));
}

#[test]
fn errors_are_smaller_than_a_cell_beside_the_input_only() {
    // R = 8 and d = 2^-5: twice that is more than the width of 0.0315, while 2h₂ = 0.0185 around the input is not.
    let at = |grid: i64| {
        small(-30, 30, &|m| {
            m.grid = q(1, grid);
            m.bound = q(4, 1);
        })
    };
    assert!(matches!(at(16), Err(Rejection::CellTooNarrow { .. })));
    at(4).unwrap();
}

#[test]
fn errors_are_smaller_than_a_cell_beside_the_input() {
    // A cell of 1/8 of the scale, and errors of 2^-8 of up to 4 of it.
    let at = |grid: i64| {
        small(-12, 9, &|m| {
            m.grid = q(1, grid);
            m.bound = q(2, 1);
        })
    };
    assert!(matches!(at(32), Err(Rejection::CellTooNarrow { .. })));
    at(4).unwrap();
}

#[test]
fn errors_are_smaller_than_a_cell_around_the_input() {
    // With 3 bits u is off by g = 0.30 at R = 1.04. Beside the input a cell of 1/2 is wider than that; around it the mass
    // 1 − e^−1/2 is less than 2h₂ = 0.82.
    let at = |bits: u32| {
        let mut changed = numbers(Format::new(10, -14, 9).unwrap());
        changed.uniform = Uniform::Bits(bits);
        changed.grid = q(1, 2);
        changed.bound = q(1, 4);
        changed.sensitivity = q(1, 8);
        changed.loss()
    };
    assert!(matches!(at(3), Err(Rejection::CellTooNarrow { .. })));
    at(10).unwrap();
}

/// The loss of neighbours that are further apart: what is computed with 1/10 in the format is not what 1/10 says, times the distance.
#[test]
fn the_offset_counts_the_distance() {
    let apart = |distance: i64| {
        let tenth = super::with(&super::fixed(), &|m| {
            m.body[3] = assign("w", x() + draw() / number(1, 10));
            m.body[0] = assign("grid", number(16, 1));
            let far = (Expr::of("x", Run::Second) - Expr::of("x", Run::First)).abs();
            m.adjacency = vec![Adjacency::Related(far.le(number(distance, 1)))];
        });
        bound(&tenth, Reading::BINARY64, Implementation::default()).unwrap()
    };
    let rounded = Format::BINARY64.round(&q(1, 10), probity_exact::Round::NearestEven).to_rational().unwrap();
    for distance in [1, 2, 4] {
        let found = apart(distance);
        assert!(found.ideal() == &number(distance, 10));
        assert!(*found.epsilon() > &rounded * q(distance, 1) && *found.excess() > q(0, 1), "{distance}");
    }
}
