//! Exact confidence bounds for a share that was counted (Clopper and Pearson, 1934).

use std::cmp::Ordering;

use probity_exact::{Float, Format, Integer, Natural, Rational, Round};

/// Bits of the arithmetic, far beyond the 40 bits of the bounds.
const BITS: u32 = 128;

/// Fractional bits of the bounds.
const PLACES: usize = 40;

/// Bounds of the probability of an event that occurred `successes` times in `trials` independent trials: each of the two
/// is wrong with probability at most `risk`. `None` unless successes ≤ trials, 1 ≤ trials ≤ 2^20 and 0 < risk < 1.
///
/// The lower bound is the largest p, rounded down to 40 bits, at which as many successes or more have probability at most
/// `risk`; the upper bound mirrors it. Binomial tails are summed with upward rounding, so the bounds are rigorous.
///
/// ```
/// use probity_audit::clopper_pearson;
/// use probity_exact::{directed::cast_nearest, fraction};
/// // No success in n trials: the upper bound is 1 − risk^(1/n).
/// let (low, high) = clopper_pearson(0, 10, &fraction::<1, 20>()).unwrap();
/// assert_eq!(low, fraction::<0, 1>());
/// assert!((cast_nearest(&high) - (1.0 - 0.05f64.powf(0.1))).abs() < 1e-9);
/// ```
pub fn clopper_pearson(successes: u32, trials: u32, risk: &Rational) -> Option<(Rational, Rational)> {
    let sensible = successes <= trials && (1..=1 << 20).contains(&trials);
    if !sensible || *risk <= Rational::ZERO || *risk >= Rational::ONE {
        return None;
    }
    let low = lower_bound(successes, trials, risk);
    let high = Rational::ONE - lower_bound(trials - successes, trials, risk);
    Some((low, high))
}

/// The largest p with 40 fractional bits for which P(Bin(trials, p) ≥ successes) ≤ risk for certain.
fn lower_bound(successes: u32, trials: u32, risk: &Rational) -> Rational {
    if successes == 0 {
        return Rational::ZERO;
    }
    let coefficient = binomial_up(trials, successes);
    let (mut good, mut bad) = (Natural::ZERO, Natural::ONE << PLACES);
    while &bad - &good > Natural::ONE {
        let middle = (&good + &bad) >> 1;
        let p = Rational::from_parts(Integer::from(middle.clone()), Natural::ONE << PLACES);
        let tail = upper_tail_up(successes, trials, &coefficient, &p).and_then(|tail| tail.to_rational());
        // The tail grows with p; a p without a bound of its tail only makes the result more cautious.
        if tail.is_some_and(|tail| tail <= *risk) { good = middle } else { bad = middle }
    }
    Rational::from_parts(Integer::from(good), Natural::ONE << PLACES)
}

fn format() -> Format {
    Format::wide(BITS)
}

fn whole(n: u32) -> Float {
    format().round(&Rational::from(n), Round::Up)
}

fn times_up(a: &Float, b: &Float) -> Float {
    format().mul(a, b, Round::Up)
}

/// An upper bound of n over k.
fn binomial_up(n: u32, k: u32) -> Float {
    let k = k.min(n - k);
    let next =
        |product: Float, i: u32| format().div(&times_up(&product, &whole(n - i)), &whole(i + 1), Round::Up);
    (0..k).fold(whole(1), next)
}

/// An upper bound of P(Bin(trials, p) ≥ successes) for 0 < p < 1, given one of the binomial coefficient; `None` for
/// p ≥ successes/trials, where the terms do not fall from the start. All terms are positive, so every step may round up.
///
/// P(X = k + 1) = P(X = k)·(trials − k)/(k + 1)·p/q, and this factor falls with k: once it is r < 1, all that is left is
/// at most the last term times r/(1 − r).
fn upper_tail_up(successes: u32, trials: u32, coefficient: &Float, p: &Rational) -> Option<Float> {
    if p * Rational::from(trials) >= Rational::from(successes) {
        return None;
    }
    let q = Rational::ONE - p;
    let up = |x: &Rational| format().round(x, Round::Up);
    let odds = up(&(p / &q));
    let mut term = times_up(
        coefficient,
        &times_up(&power_up(&up(p), successes), &power_up(&up(&q), trials - successes)),
    );
    let mut sum = term.clone();
    for k in successes..trials {
        let factor = times_up(&format().div(&whole(trials - k), &whole(k + 1), Round::Up), &odds);
        let left = format().sub(&whole(1), &factor, Round::Down);
        if !left.is_negative() && !left.is_zero() {
            let rest = format().div(&times_up(&term, &factor), &left, Round::Up);
            // Relative to the sum the rest no longer matters: count it in full.
            let small = times_up(&sum, &Float::from_parts(false, Natural::ONE, -40));
            if rest.compare(&small) == Some(Ordering::Less) {
                return Some(format().add(&sum, &rest, Round::Up));
            }
        }
        term = times_up(&term, &factor);
        sum = format().add(&sum, &term, Round::Up);
    }
    Some(sum)
}

fn power_up(x: &Float, n: u32) -> Float {
    let mut result = whole(1);
    let (mut square, mut rest) = (x.clone(), n);
    while rest > 0 {
        if rest % 2 == 1 {
            result = times_up(&result, &square);
        }
        square = times_up(&square, &square);
        rest /= 2;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::{directed::cast_nearest, rational};

    /// 4 of 10 at 2.5 % each side: (0.12155, 0.73762), as printed in tables.
    #[test]
    fn a_tabulated_interval() {
        let (low, high) = clopper_pearson(4, 10, &rational(1, 40).unwrap()).unwrap();
        assert!((cast_nearest(&low) - 0.1215523).abs() < 1e-6, "{}", cast_nearest(&low));
        assert!((cast_nearest(&high) - 0.7376219).abs() < 1e-6, "{}", cast_nearest(&high));
    }

    #[test]
    fn binomial_coefficients() {
        assert_eq!(binomial_up(10, 4).to_rational(), Some(Rational::from(210)));
        assert_eq!((binomial_up(7, 0), binomial_up(7, 7)), (whole(1), whole(1)));
    }

    #[test]
    fn senseless_counts_are_refused() {
        let risk = rational(1, 20).unwrap();
        assert_eq!(clopper_pearson(5, 4, &risk), None);
        assert_eq!(clopper_pearson(0, 0, &risk), None);
        assert_eq!(clopper_pearson(1, 2, &rational(0, 1).unwrap()), None);
        assert_eq!(clopper_pearson(1, 2, &rational(1, 1).unwrap()), None);
    }

    /// At the bounds the tails have the stated risk, and just inside they exceed it.
    #[test]
    fn the_bounds_are_tight() {
        let risk = rational(1, 100).unwrap();
        let (low, _) = clopper_pearson(30, 100, &risk).unwrap();
        let above = &low + rational(1, 1i64 << 30).unwrap();
        // The tail, exactly.
        let tail = |p: &Rational| {
            let q = Rational::ONE - p;
            let mut term = (0..100).fold(Rational::ONE, |product, _| product * &q);
            let mut below = Rational::ZERO;
            for k in 0..30 {
                below += &term;
                term = term * Rational::from(100 - k) / Rational::from(k + 1) * p / &q;
            }
            Rational::ONE - below
        };
        assert!(tail(&low) <= risk && tail(&above) > risk);
    }
}
