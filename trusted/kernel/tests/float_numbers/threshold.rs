//! The numbers of the threshold theorem, worked out a second time from `docs/threshold-theorem.md`: every step of a proof is the
//! number that the formula has there, rounded in the direction in which the loss grows and by less than 2^-180.

use super::{power, q};
use probity_exact::{Enclosure, Float, Format, Rational};
use probity_kernel::float::shape::mironov_grid;
use probity_kernel::float::{Family, Loss, Rejection, Scaling, Snapped, Uniform};

type Real = Enclosure<Float>;

/// More than the kernel works with, so that its ends can be told from the truth.
const BITS: u32 = 400;

fn real(x: &Rational) -> Real {
    Enclosure::around(x, Format::wide(BITS))
}

fn whole(n: i64) -> Real {
    real(&q(n, 1))
}

fn over(a: &Real, b: &Real) -> Real {
    a.checked_div(b).unwrap()
}

/// ⌊x⌋₂, for x > 0.
fn power_within(x: &Rational) -> Rational {
    let mut p = Rational::ONE;
    while p > *x {
        p /= q(2, 1);
    }
    while &p * q(2, 1) <= *x {
        p *= q(2, 1);
    }
    p
}

/// The kernel's number is not below the truth, and hardly above it.
#[track_caller]
fn is_upper(found: &Rational, truth: &Real) {
    let (low, high) = (truth.low().to_rational().unwrap(), truth.high().to_rational().unwrap());
    assert!(*found >= high, "below the truth");
    assert!(found - low <= power(-180), "far above the truth");
}

/// The other way round.
#[track_caller]
fn is_lower(found: &Rational, truth: &Real) {
    is_upper(&-found.clone(), &-truth.clone());
}

/// What section 3 needs of a mechanism or of a family.
struct Known {
    kappa: Rational,
    /// Rates of the steps that round, `None` for one that is not known; no list if the logarithm is not correctly rounded.
    rates: Option<Vec<Option<Rational>>>,
    eta: Rational,
    emin: i64,
    uniform: Uniform,
    /// ρ(Λ − 2h), ρT, ρ(Λ + 2h + Δ).
    width: Rational,
    reach: Rational,
    overlap: Rational,
}

/// Sections 3 to 5, for numbers that are held against what the kernel found.
fn compare(known: &Known, found: &Loss) {
    let steps = &found.steps;
    assert_eq!((&steps.kappa, &steps.width, &steps.reach), (&known.kappa, &known.width, &known.reach));
    let ln2 = whole(2).ln().unwrap();
    let coarse = |at: &Real| match known.uniform {
        Uniform::Star => whole(2) * real(&known.eta),
        Uniform::Bits(j) => real(&power(-i64::from(j))) * at.exp(),
    };
    let cap = match known.uniform {
        Uniform::Star => ln2 * whole(known.emin.abs()),
        Uniform::Bits(j) => ln2 * real(&q(i64::from(j), 2)),
    };
    let pure = match known.uniform {
        Uniform::Star => known.reach <= cap.low().to_rational().unwrap(),
        // Too large for a number means too coarse.
        Uniform::Bits(_) => {
            coarse(&real(&known.reach)).high().to_rational().is_some_and(|coarse| coarse <= q(1, 1024))
        }
    };
    if pure {
        assert_eq!((&steps.near, &found.delta), (&known.reach, &Rational::ZERO));
    } else {
        is_lower(&steps.near, &cap);
        let r = real(&(&steps.near - &known.overlap));
        assert!(!r.low().is_negative());
        let mass = (-over(&r, &real(&known.kappa))).exp() * (whole(1) + coarse(&r));
        is_upper(&found.delta, &mass);
    }
    let near = &steps.near;
    let relative = (&known.kappa - Rational::ONE) * near;
    let drift = match &known.rates {
        None => relative,
        Some(rates) => {
            let most = near * &known.kappa * &known.kappa;
            let of = |rate: &Option<Rational>| match rate {
                Some(rate) => rate * power_within(&(&most / rate)),
                None => most.clone(),
            };
            let sum = rates.iter().map(of).fold(Rational::ZERO, |sum, x| sum + x) * &known.eta;
            if sum < relative { sum } else { relative }
        }
    };
    let g = (whole(1) + coarse(&real(near))).ln().unwrap();
    let (a, b) = (real(&drift) + g.clone(), real(&drift));
    is_upper(&steps.above, &a);
    is_upper(&steps.below, &b);
    let q = (-real(&known.width)).exp();
    is_upper(&steps.ratio, &q);
    let gap = whole(1) - q.clone();
    let plus_1 = over(&(a.exp() - q.clone() * (-b.clone()).exp()), &gap).ln().unwrap();
    let minus_1 = -over(&((-b).exp() - q * a.exp()), &gap).ln().unwrap();
    let e = whole(1).exp();
    let extra = real(&(&known.kappa - Rational::ONE));
    let plus_2 = (whole(1) + over(&(whole(2) * extra.clone()), &(e.clone() * gap.clone()))).ln().unwrap();
    let h2 = g.exp() * (g + over(&extra, &e));
    let minus_2 = -(whole(1) - over(&(whole(2) * h2), &gap)).ln().unwrap();
    is_upper(&steps.plus.0, &plus_1);
    is_upper(&steps.plus.1, &plus_2);
    is_upper(&steps.minus.0, &minus_1);
    is_upper(&steps.minus.1, &minus_2);
    is_upper(&found.excess, &(plus_1.max(&plus_2) + minus_1.max(&minus_2)));
}

/// κ of a logarithm and of steps that round.
fn kappa(format: Format, ln_ulps: u32, steps: usize) -> Rational {
    let eta = format.unit_roundoff();
    let first = match ln_ulps {
        0 => Rational::ONE + &eta,
        j => Rational::ONE / (Rational::ONE - q(2 * i64::from(j), 1) * &eta),
    };
    (0..steps).fold(first, |kappa, _| kappa * (Rational::ONE + &eta))
}

fn check(one: &Snapped) -> Loss {
    let eta = one.format.unit_roundoff();
    let (mut rate, mut rates) = (Rational::ONE, vec![Some(Rational::ONE)]);
    for step in &one.scaling {
        let (Scaling::Divide(c) | Scaling::Multiply(c)) = step;
        rate = if matches!(step, Scaling::Divide(_)) { rate * c } else { rate / c };
        if power_within(c) != *c {
            rates.push(Some(rate.clone()));
        }
    }
    let half = &one.grid / q(2, 1);
    let top = Rational::from((&one.bound / &one.grid).ceil()) * &one.grid - half;
    let h = &eta * &top;
    let known = Known {
        kappa: kappa(one.format, one.ln_ulps, rates.len() - 1),
        rates: (one.ln_ulps == 0).then_some(rates),
        emin: one.format.emin(),
        uniform: one.uniform,
        width: &rate * (&one.grid - &h - &h),
        reach: &rate * (&one.bound + &top + &h),
        overlap: &rate * (&one.grid + &h + &h + &one.sensitivity),
        eta,
    };
    let found = one.loss().unwrap();
    compare(&known, &found);
    found
}

/// Mironov's mechanism in binary64 with a rate that is no power of two.
fn usual() -> Snapped {
    Snapped {
        format: Format::BINARY64,
        uniform: Uniform::Star,
        ln_ulps: 0,
        scaling: vec![Scaling::Divide(q(3, 4))],
        grid: q(2, 1),
        bound: q(101, 1),
        sensitivity: q(5, 4),
    }
}

#[test]
fn numbers_of_one_mechanism() {
    let pure = check(&usual());
    assert!(pure.delta.is_zero());
    // Two more steps that round, one that does not, and the rate 3/5·7/4.
    let long = vec![
        Scaling::Divide(q(3, 4)),
        Scaling::Multiply(q(5, 8)),
        Scaling::Divide(q(1, 4)),
        Scaling::Divide(q(7, 2)),
    ];
    check(&Snapped { scaling: long.clone(), ..usual() });
    check(&Snapped { scaling: long, ln_ulps: 3, ..usual() });
    check(&Snapped { ln_ulps: 1, ..usual() });
    check(&Snapped { scaling: vec![], ..usual() });
    // So many coarse steps that the error of a binade is no better than the relative one.
    let steps = vec![Scaling::Divide(q(9, 8)), Scaling::Multiply(q(9, 8))];
    check(&Snapped { scaling: steps, bound: q(3, 1), ..usual() });
}

#[test]
fn numbers_of_a_mechanism_that_gives_up_mass() {
    let far = check(&Snapped { bound: q(1 << 20, 1), ..usual() });
    assert!(!far.delta.is_zero());
    check(&Snapped { bound: q(1 << 20, 1), ln_ulps: 2, ..usual() });
    let small = Format::new(11, -30, 15).unwrap();
    let found = check(&Snapped { format: small, bound: q(60, 1), ..usual() });
    assert!(found.delta > power(-40));
    // A format without negative exponents leaves nothing near.
    let flat = Snapped { format: Format::new(11, 0, 15).unwrap(), ..usual() };
    assert!(flat.loss().is_err());
}

#[test]
fn numbers_of_a_fixed_grid_of_draws() {
    let pure = check(&Snapped { uniform: Uniform::Bits(53), bound: q(9, 1), ..usual() });
    assert!(pure.delta.is_zero());
    let far = check(&Snapped { uniform: Uniform::Bits(52), ..usual() });
    assert!(!far.delta.is_zero());
    check(&Snapped { uniform: Uniform::Bits(53), ln_ulps: 2, ..usual() });
}

/// Where the noise is much wider than what is compared, the cell around the input loses more than those beside it.
#[test]
fn either_cell_may_lose_more() {
    let far = check(&usual());
    let wide = vec![Scaling::Divide(q(1, 512))];
    let near = check(&Snapped { scaling: wide, grid: q(1, 1), bound: q(1, 2), ..usual() });
    assert!(far.steps.minus.0 > far.steps.minus.1);
    assert!(near.steps.minus.0 < near.steps.minus.1);
}

/// All ε and B of ranges at once, at the bounds that section 5 names for them.
fn check_family(all: &Family) -> Loss {
    let eta = all.format.unit_roundoff();
    let scaled = &all.epsilon.1 * &all.bound.1;
    let off = &eta * (&scaled + Rational::ONE);
    let known = Known {
        kappa: kappa(all.format, all.ln_ulps, 1),
        rates: (all.ln_ulps == 0).then(|| vec![Some(Rational::ONE), None]),
        emin: all.format.emin(),
        uniform: all.uniform,
        width: Rational::ONE - &off - &off,
        reach: &scaled + &scaled + Rational::ONE + &off,
        overlap: q(2, 1) + &off + &off + &all.epsilon.1 * &all.sensitivity,
        eta,
    };
    let found = all.loss().unwrap();
    compare(&known, &found);
    found
}

#[test]
fn numbers_of_a_family() {
    let all = Family {
        format: Format::BINARY64,
        uniform: Uniform::Star,
        ln_ulps: 0,
        epsilon: (q(1, 4), q(7, 4)),
        bound: (q(1, 1), q(100, 1)),
        sensitivity: q(3, 2),
    };
    assert!(check_family(&all).delta.is_zero());
    check_family(&Family { ln_ulps: 2, ..all.clone() });
    check_family(&Family { uniform: Uniform::Bits(53), ..all.clone() });
    let far = Family { bound: (q(1, 1), q(1 << 30, 1)), ..all.clone() };
    assert!(!check_family(&far).delta.is_zero());
    check_family(&Family { uniform: Uniform::Bits(50), ln_ulps: 1, ..far });
    // No member loses more than the family.
    let whole = check_family(&all);
    for (epsilon, bound) in [(q(1, 4), q(100, 1)), (q(7, 4), q(100, 1)), (q(3, 4), q(7, 1))] {
        let one = Snapped {
            scaling: vec![Scaling::Divide(epsilon.clone())],
            grid: mironov_grid(&epsilon),
            bound,
            ..usual()
        };
        assert!(one.loss().unwrap().excess <= whole.excess);
    }
}

#[test]
fn the_grid_is_the_next_power_of_two() {
    for (n, d) in [
        (1i64, 1i64),
        (3, 1),
        (4, 1),
        (1, 3),
        (1, 4),
        (5, 4),
        (3, 4),
        (127, 128),
        (129, 128),
        (1000, 7),
        (7, 1000),
    ] {
        let epsilon = q(n, d);
        let inverse = Rational::ONE / &epsilon;
        let grid = mironov_grid(&epsilon);
        assert_eq!(power_within(&grid), grid);
        assert!(grid >= inverse && grid / q(2, 1) < inverse, "{epsilon}");
    }
    // There is none for these.
    assert_eq!((mironov_grid(&q(0, 1)), mironov_grid(&q(-3, 1))), (Rational::ONE, Rational::ONE));
}

/// Where what is far begins within a cell and the distance of neighbours, nothing can be said.
#[test]
fn cells_may_be_too_wide() {
    let small = Format::new(8, -12, 15).unwrap();
    let wide = |grid: i64| Snapped { format: small, grid: q(grid, 1), bound: q(256, 1), ..usual() };
    assert_eq!(wide(16).loss(), Err(Rejection::CellTooWide));
    check(&wide(4));
}
