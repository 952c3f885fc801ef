//! Exact confidence bounds for a share that was counted (Clopper and Pearson, 1934).

use probity_exact::{Enclosure, Float, Format, Integer, Natural, Rational};

type Real = Enclosure<Float>;

/// Bits of the arithmetic, far beyond the 40 bits of the bounds.
const BITS: u32 = 128;

/// Fractional bits of the bounds.
const PLACES: usize = 40;

/// Bounds of the probability of an event that occurred `successes` times in `trials` independent trials: each of the two
/// is wrong with probability at most `risk`. `None` unless successes ≤ trials, 1 ≤ trials ≤ 2^20 and 0 < risk < 1.
///
/// The lower bound is the largest p, rounded down to 40 bits, at which as many successes or more have probability at most
/// `risk`; the upper bound mirrors it. Binomial tails are summed with outward rounding, so the bounds are rigorous.
///
/// ```
/// use probity_audit::clopper_pearson;
/// use probity_exact::{directed::cast_nearest, rational};
/// // No success in n trials: the upper bound is 1 − risk^(1/n).
/// let (low, high) = clopper_pearson(0, 10, &rational(1, 20).unwrap()).unwrap();
/// assert_eq!(low, rational(0, 1).unwrap());
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
    let (mut good, mut bad) = (Natural::ZERO, Natural::ONE << PLACES);
    while &bad - &good > Natural::ONE {
        let middle = (&good + &bad) >> 1;
        let p = Rational::from_parts(Integer::from(middle.clone()), Natural::ONE << PLACES);
        let tail = upper_tail(successes, trials, &p).high().to_rational();
        // The tail grows with p.
        if tail.is_some_and(|tail| tail <= *risk) { good = middle } else { bad = middle }
    }
    Rational::from_parts(Integer::from(good), Natural::ONE << PLACES)
}

/// P(Bin(trials, p) ≥ successes), for 0 < p < 1.
fn upper_tail(successes: u32, trials: u32, p: &Rational) -> Real {
    let around = |x: &Rational| Real::around(x, Format::wide(BITS));
    let q = Rational::ONE - p;
    let odds = p / &q;
    // P(X = trials) = p^trials, then downwards by P(X = k − 1) = P(X = k)·k/(trials − k + 1)·q/p.
    let mut term = power(&around(p), trials);
    let inverse_odds = around(&(Rational::ONE / odds));
    let mut sum = term.clone();
    for k in (successes + 1..=trials).rev() {
        let step = around(&(Rational::from(k) / Rational::from(trials - k + 1)));
        term = term * step * inverse_odds.clone();
        sum = sum + term.clone();
    }
    sum
}

fn power(x: &Real, n: u32) -> Real {
    let mut result = Real::around(&Rational::ONE, Format::wide(BITS));
    let (mut square, mut rest) = (x.clone(), n);
    while rest > 0 {
        if rest % 2 == 1 {
            result = result * square.clone();
        }
        square = square.square();
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
        assert!(upper_tail(30, 100, &low).high().to_rational().unwrap() <= risk);
        assert!(upper_tail(30, 100, &above).low().to_rational().unwrap() > risk);
    }
}
