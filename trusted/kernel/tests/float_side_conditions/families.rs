//! The numbers of a family.

use super::*;

const SMALL: Reading = Reading::Binary { precision: 8, emin: -12, emax: 12 };

fn over(reading: Reading, eps_: (Rational, Rational), b_: (Rational, Rational)) -> Result<Bound, Rejection> {
    let of = |(low, high): &(Rational, Rational), name: Expr| {
        between(Expr::Number(low.clone()), name, Expr::Number(high.clone()))
    };
    let term = with(&family(), &|m| {
        m.assumptions[0] = of(&eps_, eps());
        m.assumptions[1] = of(&b_, b());
    });
    bound(&term, reading, Implementation::default())
}

#[test]
fn epsilon_is_positive() {
    let found = over(Reading::BINARY64, (q(0, 1), q(1, 1)), (q(1, 1), q(2, 1)));
    assert!(matches!(found, Err(Rejection::NotPositive { parameter: "epsilon", .. })));
    over(Reading::BINARY64, (q(1, 1 << 20), q(1, 1)), (q(1, 1), q(2, 1))).unwrap();
}

#[test]
fn its_ranges_are_not_empty() {
    let Ok(found) = look(&family()) else { panic!("a family") };
    let Subject::Family(all) = found.subject() else { panic!("a family") };
    let empty = probity_kernel::float::Family { epsilon: (q(2, 1), q(1, 1)), ..all.clone() };
    assert_eq!(empty.loss(), Err(Rejection::EmptyRange { parameter: "epsilon".into() }));
    let empty = probity_kernel::float::Family { bound: (q(2, 1), q(1, 1)), ..all.clone() };
    assert_eq!(empty.loss(), Err(Rejection::EmptyRange { parameter: "the bound".into() }));
}

#[test]
fn epsilon_is_normal() {
    // Large exponents, few small ones: 1/ε is a float where ε is none that is fine.
    let reading = Reading::Binary { precision: 8, emin: -12, emax: 40 };
    let from = |low: Rational| over(reading, (low.clone(), low * q(3, 2)), (q(1, 1), q(2, 1)));
    assert!(matches!(from(power(-13)), Err(Rejection::NotNormal { parameter: "epsilon", .. })));
    from(power(-12)).unwrap();
}

#[test]
fn epsilon_is_finite() {
    let found = over(SMALL, (q(1, 1), power(20)), (q(1, 1), q(2, 1)));
    assert!(matches!(found, Err(Rejection::NotAFloat { parameter: "epsilon", .. })));
}

#[test]
fn the_bound_is_finite() {
    let found = over(SMALL, (q(1, 1), q(5, 4)), (q(1, 1), power(20)));
    assert!(matches!(found, Err(Rejection::NotAFloat { parameter: "the bound", .. })));
}

#[test]
fn the_sensitivity_is_positive() {
    let rejection = rejected(&family(), &|m| m.adjacency = within(number(0, 1)));
    assert!(matches!(rejection, Rejection::NotPositive { parameter: "the sensitivity", .. }));
}

#[test]
fn the_noise_fits_at_the_smallest_epsilon() {
    // 2·(8 + 12)/ε ≤ 2^12·(2 − 2^-7).
    let from = |low: Rational| over(SMALL, (low, q(1, 64)), (q(1, 1), q(2, 1)));
    assert!(matches!(from(q(1, 256)), Err(Rejection::NoiseOutOfRange { factor }) if factor == q(256, 1)));
    assert!(!matches!(from(q(1, 128)), Err(Rejection::NoiseOutOfRange { .. })));
}

#[test]
fn the_noise_fits_at_the_largest_epsilon() {
    // η/ε ≥ 2·2^-12.
    let to = |high: Rational| over(SMALL, (q(1, 1), high), (q(1, 1), q(1, 1)));
    assert!(matches!(to(q(9, 1)), Err(Rejection::NoiseOutOfRange { factor }) if factor == q(1, 9)));
    assert!(!matches!(to(q(8, 1)), Err(Rejection::NoiseOutOfRange { .. })));
}

#[test]
fn the_finest_grid_fits_at_the_largest_bound() {
    // ε = 4: Λ = 1/4, and 2·33/Λ > 2^8.
    let to = |high: i64| over(SMALL, (q(1, 1), q(4, 1)), (q(1, 1), q(high, 1)));
    assert!(matches!(to(33), Err(Rejection::GridTooFine { .. })));
    assert!(!matches!(to(32), Err(Rejection::GridTooFine { .. })));
}

#[test]
fn the_coarsest_grid_fits_at_the_largest_bound() {
    // ε = 1/64 has Λ = 64 and 8128 = 127·64; ε = 1/128 has Λ = 128, and 64·128 is beyond the largest number 8160.
    let to = |high: i64| over(SMALL, (q(1, 128), q(1, 64)), (q(1, 1), q(high, 1)));
    assert!(matches!(to(8128), Err(Rejection::GridTooFine { grid, .. }) if grid == q(128, 1)));
    assert!(!matches!(to(8064), Err(Rejection::GridTooFine { .. })));
    to(64).unwrap();
}

#[test]
fn a_cell_has_a_width() {
    // ε·B = 1.9·128: the cuts may be off by more than a cell, and the formulas would give a negative excess.
    let to = |high: i64| over(SMALL, (q(19, 10), q(19, 10) + power(-7)), (q(1, 1), q(high, 1)));
    assert!(matches!(to(128), Err(Rejection::CellTooNarrow { .. })));
    to(2).unwrap();
}

#[test]
fn rounding_epsilon_costs() {
    let found = over(Reading::BINARY64, (q(1, 2), q(2, 1)), (q(1, 1), q(100, 1))).unwrap();
    let offset = Format::BINARY64.unit_roundoff() * q(2, 1);
    assert_eq!(*found.excess(), found.subject().loss().unwrap().excess + offset);
    assert_eq!(*found.epsilon(), q(2, 1) + found.excess());
}
