//! Integers: every operation that Probity uses, by value and by reference, since the library takes different
//! paths for the two.

use std::cmp::Ordering;

use dashu_base::{BitTest, DivEuclid, DivRem, Gcd, RemEuclid, SquareRoot, UnsignedAbs};
use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{Euclid, Signed as _, Zero};
use probity_exact::{Abs, Integer, Natural};

use crate::cases::{Draws, LESS, edge_integers, same_integer, same_natural, to_integer, to_natural};

/// What two integers are put through; `Err` names the operation on which the libraries differ.
fn compare(a: &BigInt, b: &BigInt) -> Result<(), String> {
    let (x, y) = (to_integer(a), to_integer(b));
    let differs = |operation: &str| Err(format!("{operation} differs on {a} and {b}"));
    if !same_integer(&(&x + &y), &(a + b)) || !same_integer(&(x.clone() + y.clone()), &(a + b)) {
        return differs("+");
    }
    if !same_integer(&(&x - &y), &(a - b)) || !same_integer(&(x.clone() - y.clone()), &(a - b)) {
        return differs("−");
    }
    let product = a * b;
    if !same_integer(&(&x * &y), &product) || !same_integer(&(x.clone() * y.clone()), &product) {
        return differs("×");
    }
    if x.cmp(&y) != a.cmp(b) || (x == y) != (a == b) {
        return differs("comparison");
    }
    // dashu leaves gcd(0, 0) undefined.
    let both_zero = a.is_zero() && b.is_zero();
    if !both_zero && !same_natural(&(&x).gcd(&y), a.gcd(b).magnitude()) {
        return differs("gcd");
    }
    if !b.is_zero() {
        compare_division(a, b, |x, y| x.div_rem(y))?;
        let (quotient, remainder) = x.clone().div_rem(y.clone());
        if !same_integer(&quotient, &(a / b)) || !same_integer(&remainder, &(a % b)) {
            return differs("div_rem by value");
        }
        if !same_integer(&(&x / &y), &(a / b)) || !same_integer(&(&x % &y), &(a % b)) {
            return differs("/ or %");
        }
        if !same_integer(&(&x).div_euclid(&y), &Euclid::div_euclid(a, b)) {
            return differs("div_euclid");
        }
        let euclid = Euclid::rem_euclid(a, b);
        if !same_natural(&(&x).rem_euclid(&y), euclid.magnitude()) || euclid.is_negative() {
            return differs("rem_euclid");
        }
        let (m, n) = (x.clone().unsigned_abs(), y.clone().unsigned_abs());
        let (quotient, remainder) = (&m).div_rem(&n);
        let (expected, rest) = a.magnitude().div_rem(b.magnitude());
        if !same_natural(&quotient, &expected) || !same_natural(&remainder, &rest) {
            return differs("div_rem of naturals");
        }
    }
    Ok(())
}

/// Truncated division, given as a function so that a wrong one can be put to the same test.
fn compare_division(
    a: &BigInt,
    b: &BigInt,
    divide: impl Fn(&Integer, &Integer) -> (Integer, Integer),
) -> Result<(), String> {
    let (quotient, remainder) = divide(&to_integer(a), &to_integer(b));
    let (expected, rest) = a.div_rem(b);
    if same_integer(&quotient, &expected) && same_integer(&remainder, &rest) {
        Ok(())
    } else {
        Err(format!("div_rem differs on {a} and {b}: quotient {quotient}, remainder {remainder}"))
    }
}

/// What one integer and a small number are put through.
fn compare_one(a: &BigInt, n: u32) -> Result<(), String> {
    let x = to_integer(a);
    let m = to_natural(a.magnitude());
    let differs = |operation: &str| Err(format!("{operation} differs on {a} and {n}"));
    let shift = n as usize;
    if !same_integer(&(&x << shift), &(a << shift)) || !same_integer(&(x.clone() << shift), &(a << shift)) {
        return differs("<<");
    }
    // Shifting right rounds toward −∞ in both libraries.
    if !same_integer(&(&x >> shift), &(a >> shift)) || !same_integer(&(x.clone() >> shift), &(a >> shift)) {
        return differs(">>");
    }
    if m.bit_len() as u64 != a.bits() || m.bit(shift) != a.magnitude().bit(u64::from(n)) {
        return differs("bit_len or bit");
    }
    if m.trailing_zeros().map(|zeros| zeros as u64) != a.trailing_zeros() {
        return differs("trailing_zeros");
    }
    if !same_natural(&m.sqrt(), &a.magnitude().sqrt()) {
        return differs("sqrt");
    }
    if !same_integer(&-&x, &-a) || !same_integer(&x.clone().abs(), &a.abs()) {
        return differs("negation or abs");
    }
    let exponent = shift % 5;
    if !same_integer(&x.pow(exponent), &num_traits::pow(a.clone(), exponent)) {
        return differs("pow");
    }
    let word = u64::from(n) << 31 | 1;
    if !same_natural(&(&m % Natural::from(word)), &(a.magnitude() % word)) {
        return differs("% of a word");
    }
    Ok(())
}

/// Printing and reading, in base 10 and 16. Apart, because printing is the slowest of all.
fn compare_text(a: &BigInt) -> Result<(), String> {
    let x = to_integer(a);
    let (decimal, hex) = (a.to_str_radix(10), a.to_str_radix(16));
    let read =
        |text: &str, radix| Integer::from_str_radix(text, radix).is_ok_and(|value| same_integer(&value, a));
    if x.to_string() == decimal && x.in_radix(16).to_string() == hex && read(&decimal, 10) && read(&hex, 16) {
        Ok(())
    } else {
        Err(format!("text differs on {decimal}"))
    }
}

#[test]
fn edges_agree() {
    let edges = edge_integers();
    for (index, a) in edges.iter().enumerate() {
        compare_text(a).unwrap();
        for n in [0, 1, 31, 32, 63, 64, 65, 127, 128, 129, 1000] {
            compare_one(a, n).unwrap();
        }
        for b in edges.iter().skip(index % LESS).step_by(LESS) {
            compare(a, b).unwrap();
        }
    }
}

#[test]
fn random_pairs_agree() {
    let mut draws = Draws::new(1);
    for _ in 0..500_000 / LESS {
        let (left, right) = (draws.size(), draws.size());
        compare(&draws.integer(left), &draws.integer(right)).unwrap();
    }
}

#[test]
fn random_integers_agree() {
    let mut draws = Draws::new(2);
    for case in 0..500_000 / LESS {
        let size = draws.size();
        let a = draws.integer(size);
        compare_one(&a, draws.below(300) as u32).unwrap();
        if case % 10 == 0 {
            compare_text(&a).unwrap();
        }
    }
}

/// Division with remainder undoes a product exactly: the quotients that end in a zero remainder are the ones
/// that reduction to lowest terms relies on.
#[test]
fn exact_quotients_agree() {
    let mut draws = Draws::new(3);
    for _ in 0..100_000 / LESS {
        let (left, right) = (draws.size(), draws.size());
        let (a, b) = (draws.integer(left), draws.integer(right));
        let offset = BigInt::from(draws.below(3)) - 1;
        compare(&(&a * &b + offset), &b).unwrap();
    }
}

/// Operands of up to 25,000 bits, where the fastest multiplication and division algorithms take over.
#[test]
fn large_operands_agree() {
    let mut draws = Draws::new(4);
    for _ in 0..300 {
        let (left, right) = (1 + draws.below(400), 1 + draws.below(400));
        let (a, b) = (draws.integer(left), draws.integer(right));
        compare(&a, &b).unwrap();
        compare(&(&a * &b), &b).unwrap();
        compare_text(&a).unwrap();
    }
}

/// A division that skips the last correction of Knuth's algorithm D: its quotient is one too large when the
/// estimate from the leading 64 bits of the divisor is, and right otherwise.
fn uncorrected_division(x: &Integer, y: &Integer) -> (Integer, Integer) {
    let (quotient, remainder) = x.div_rem(y);
    let (divisor, rest) = (y.clone().unsigned_abs(), remainder.clone().unsigned_abs());
    let dropped = divisor.bit_len().saturating_sub(64);
    let estimate_too_large = dropped > 0 && &rest >> dropped == &divisor >> dropped;
    if estimate_too_large { (quotient + Integer::ONE, remainder - y) } else { (quotient, remainder) }
}

/// A division whose remainder has the wrong sign for a negative dividend with a one-word divisor.
fn wrong_sign_division(x: &Integer, y: &Integer) -> (Integer, Integer) {
    let (quotient, remainder) = x.div_rem(y);
    let narrow = y.clone().unsigned_abs().bit_len() <= 64;
    if narrow && x.cmp(&Integer::ZERO) == Ordering::Less {
        (quotient, remainder.abs())
    } else {
        (quotient, remainder)
    }
}

fn catches(divide: impl Fn(&Integer, &Integer) -> (Integer, Integer)) -> bool {
    let edges = edge_integers();
    edges.iter().any(|a| edges.iter().any(|b| !b.is_zero() && compare_division(a, b, &divide).is_err()))
}

#[test]
fn wrong_divisions_are_caught() {
    assert!(catches(uncorrected_division));
    assert!(catches(wrong_sign_division));
    assert!(!catches(|x, y| x.div_rem(y)));
}
