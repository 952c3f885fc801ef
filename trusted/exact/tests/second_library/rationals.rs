//! Rationals: arithmetic, order, lowest terms, and rounding to integers.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed as _, Zero};
use probity_exact::{Abs, Natural, Rational, Signed, rational};

use crate::cases::{
    Draws, LESS, edge_integers, same_integer, same_rational, to_integer, to_natural, to_rational,
};

/// Arithmetic and order of two rationals.
fn compare(a: &BigRational, b: &BigRational) -> Result<(), String> {
    let (x, y) = (to_rational(a), to_rational(b));
    let differs = |operation: &str| Err(format!("{operation} differs on {a} and {b}"));
    if !same_rational(&(&x + &y), &(a + b)) {
        return differs("+");
    }
    if !same_rational(&(&x - &y), &(a - b)) {
        return differs("−");
    }
    let product = a * b;
    if !same_rational(&(&x * &y), &product) || !same_rational(&(x.clone() * y.clone()), &product) {
        return differs("×");
    }
    if x.cmp(&y) != a.cmp(b) || (x == y) != (a == b) {
        return differs("comparison");
    }
    if !b.is_zero() {
        let quotient = a / b;
        if !same_rational(&(&x / &y), &quotient) || !same_rational(&(x.clone() / y.clone()), &quotient) {
            return differs("÷");
        }
    }
    Ok(())
}

/// A rational with an integer on either side. `rational ÷ natural` is the operation that once was wrong.
fn compare_with_integer(a: &BigRational, n: &BigInt) -> Result<(), String> {
    let (x, m) = (to_rational(a), to_integer(n));
    let differs = |operation: &str| Err(format!("{operation} differs on {a} and {n}"));
    if !same_rational(&(&x + &m), &(a + n)) || !same_rational(&(&x - &m), &(a - n)) {
        return differs("+ or − of an integer");
    }
    if !same_rational(&(&x * &m), &(a * n)) || !same_rational(&(&m * &x), &(a * n)) {
        return differs("× by an integer");
    }
    if !n.is_zero() {
        compare_division_by_natural(a, n, |x, m| x / m)?;
        compare_division_by_natural(a, n, |x, m| x.clone() / m.clone())?;
        let quotient = a / n;
        if !same_rational(&(&x / &m), &quotient) || !same_rational(&(x.clone() / m.clone()), &quotient) {
            return differs("÷ by an integer");
        }
    }
    if !a.is_zero() {
        let quotient = BigRational::from(n.clone()) / a;
        if !same_rational(&(&m / &x), &quotient) {
            return differs("÷ of an integer");
        }
    }
    Ok(())
}

fn compare_division_by_natural(
    a: &BigRational,
    n: &BigInt,
    divide: impl Fn(&Rational, &Natural) -> Rational,
) -> Result<(), String> {
    let quotient = divide(&to_rational(a), &to_natural(n.magnitude()));
    if same_rational(&quotient, &(a / n.abs())) {
        Ok(())
    } else {
        Err(format!("÷ by a natural differs on {a} and {n}: {quotient}"))
    }
}

/// Rounding, sign, powers and text of one rational.
fn compare_one(a: &BigRational, exponent: i32) -> Result<(), String> {
    let x = to_rational(a);
    let differs = |operation: &str| Err(format!("{operation} differs on {a} and {exponent}"));
    if !same_integer(&x.floor(), &a.floor().to_integer()) || !same_integer(&x.ceil(), &a.ceil().to_integer())
    {
        return differs("floor or ceil");
    }
    // Both round halves away from zero.
    if !same_integer(&x.round(), &a.round().to_integer())
        || !same_integer(&x.trunc(), &a.trunc().to_integer())
    {
        return differs("round or trunc");
    }
    if !same_rational(&x.fract(), &a.fract()) || x.is_int() != a.is_integer() {
        return differs("fract or is_int");
    }
    if x.is_negative() != a.is_negative()
        || !same_rational(&x.clone().abs(), &a.abs())
        || !same_rational(&-&x, &-a)
    {
        return differs("sign, abs or negation");
    }
    if (exponent >= 0 || !a.is_zero()) && !same_rational(&x.pow(exponent as isize), &a.pow(exponent)) {
        return differs("pow");
    }
    if x.to_string() != a.to_string() {
        return differs("text");
    }
    Ok(())
}

/// A fraction that is not in lowest terms must come out in lowest terms, with a positive denominator.
fn compare_reduction(numerator: &BigInt, denominator: &BigInt, factor: &BigInt) -> Result<(), String> {
    let expected = BigRational::new(numerator * factor, denominator * factor);
    let (n, d) = (to_integer(&(numerator * factor)), to_integer(&(denominator * factor)));
    let from_parts = Rational::from_parts_signed(n.clone(), d.clone());
    let made = rational(n, d).ok_or("a denominator was taken for zero")?;
    if same_rational(&from_parts, &expected) && same_rational(&made, &expected) {
        Ok(())
    } else {
        Err(format!("{numerator}/{denominator} times {factor} over itself is not reduced alike"))
    }
}

fn draw(draws: &mut Draws) -> BigRational {
    // The second library reduces slowly: big operands are rarer here than among the integers.
    let size = if draws.below(50) == 0 { draws.size().min(20) } else { 1 + draws.below(2) };
    let numerator = draws.integer(size);
    let denominator = BigInt::from(draws.natural(size));
    if denominator.is_zero() {
        BigRational::from(numerator)
    } else {
        BigRational::new(numerator, denominator)
    }
}

/// Small numerators and denominators, all signs, and fractions of powers of two around the word boundaries.
fn edge_rationals() -> Vec<BigRational> {
    let mut edges = Vec::new();
    for numerator in -12..=12 {
        for denominator in 1..=12 {
            edges.push(BigRational::new(BigInt::from(numerator), BigInt::from(denominator)));
        }
    }
    let powers: Vec<BigInt> =
        edge_integers().into_iter().filter(|p| !p.is_zero() && p.bits() <= 130).collect();
    for (index, numerator) in powers.iter().enumerate() {
        for denominator in powers.iter().skip(index % 5).step_by(5) {
            edges.push(BigRational::new(numerator.clone(), denominator.clone()));
        }
    }
    edges
}

#[test]
fn edges_agree() {
    let edges = edge_rationals();
    let integers: Vec<BigInt> = edge_integers().into_iter().filter(|p| p.bits() <= 260).collect();
    for (index, a) in edges.iter().enumerate() {
        for exponent in -3..=3 {
            compare_one(a, exponent).unwrap();
        }
        for b in edges.iter().skip(index % (29 * LESS)).step_by(29 * LESS) {
            compare(a, b).unwrap();
        }
        for n in integers.iter().skip(index % (11 * LESS)).step_by(11 * LESS) {
            compare_with_integer(a, n).unwrap();
        }
    }
}

#[test]
fn random_pairs_agree() {
    let mut draws = Draws::new(11);
    for _ in 0..60_000 / LESS {
        compare(&draw(&mut draws), &draw(&mut draws)).unwrap();
    }
}

#[test]
fn random_rationals_and_integers_agree() {
    let mut draws = Draws::new(12);
    for _ in 0..60_000 / LESS {
        let a = draw(&mut draws);
        // A common factor half the time: that is where a division by an integer has to reduce.
        let factor = if draws.below(2) == 0 { a.numer().clone() } else { BigInt::from(1) };
        let n = draws.integer(1) * factor;
        compare_with_integer(&a, &n).unwrap();
    }
}

#[test]
fn random_rationals_round_alike() {
    let mut draws = Draws::new(13);
    for case in 0..60_000 / LESS {
        let mut a = draw(&mut draws);
        if case % 4 == 0 {
            // Halves, where the rounding rule shows.
            a = BigRational::new(a.numer() * 2 + 1, BigInt::from(2));
        }
        compare_one(&a, draws.below(7) as i32 - 3).unwrap();
    }
}

#[test]
fn random_fractions_reduce_alike() {
    let mut draws = Draws::new(14);
    for _ in 0..60_000 / LESS {
        let (numerator, denominator, factor) = (draws.integer(2), draws.integer(2), draws.integer(2));
        if !denominator.is_zero() && !factor.is_zero() {
            compare_reduction(&numerator, &denominator, &factor).unwrap();
        }
    }
}

#[test]
fn a_zero_denominator_is_no_rational() {
    assert!(rational(1, 0).is_none());
    assert!(rational(0, 0).is_none());
}

/// A wrong division of the kind that biased a proven sampler: where numerator and divisor share a factor, it takes
/// the divisor to be used up by it. Right when the divisor divides the numerator, and when they share nothing.
fn division_that_forgets_the_divisor(x: &Rational, n: &Natural) -> Rational {
    let reduced = x / n;
    let shared = reduced.denominator() < &(x.denominator() * n);
    if shared { Rational::from_parts(reduced.numerator().clone(), x.denominator().clone()) } else { reduced }
}

#[test]
fn a_wrong_division_is_caught() {
    let catches = |divide: fn(&Rational, &Natural) -> Rational| {
        let integers: Vec<BigInt> = (1..=12).map(BigInt::from).collect();
        edge_rationals()
            .iter()
            .any(|a| integers.iter().any(|n| compare_division_by_natural(a, n, divide).is_err()))
    };
    assert!(catches(division_that_forgets_the_divisor));
    assert!(!catches(|x, n| x / n));
}
