//! One guarantee (ε₀, δ₀), once: all is told with probability δ₀, and otherwise the answer is a randomized response with loss ±ε₀. So
//! δ(ε) = δ₀ + (1 − δ₀)·(1 − e^(ε − ε₀))/(1 + e^(−ε₀)) up to ε₀, and δ₀ beyond.

use probity_exact::{Natural, Rational, exp_bounds, ln_bounds};

use super::Bounds;
use crate::account::{Bracket, Question};

/// Bits of logarithms and exponentials.
const BITS: u32 = 420;

/// Its bracket; `None` where no ε is large enough.
pub(crate) fn bracket(loss: &Rational, told: &Rational, question: &Question) -> Option<Bracket> {
    let (lower, upper) = match question {
        Question::Delta(epsilon) => delta(loss, told, epsilon)?,
        Question::Epsilon(delta) => epsilon(loss, told, delta)?,
    };
    Some(Bracket { lower, upper: Some(upper) })
}

/// Bounds of e^(−x) for x ≥ 0; what is too small to be written as a fraction is between 0 and 2^−1000.
fn falling(x: &Rational) -> Option<Bounds> {
    if *x > Rational::from(1000) {
        return Some((Rational::ZERO, Rational::from_parts(1.into(), Natural::ONE << 1000)));
    }
    let (low, high) = exp_bounds(&-x.clone(), BITS);
    Some((low.to_rational()?, high.to_rational()?.min(Rational::ONE)))
}

fn delta(loss: &Rational, told: &Rational, epsilon: &Rational) -> Option<Bounds> {
    if epsilon >= loss {
        return Some((told.clone(), told.clone()));
    }
    let (one, rest) = (falling(&(loss - epsilon))?, falling(loss)?);
    // Falls in both.
    let at = |one: &Rational, rest: &Rational| {
        told + (Rational::ONE - told) * (Rational::ONE - one) / (Rational::ONE + rest)
    };
    Some((at(&one.1, &rest.1), at(&one.0, &rest.0)))
}

fn epsilon(loss: &Rational, told: &Rational, delta: &Rational) -> Option<Bounds> {
    if delta < told || *told >= Rational::ONE {
        return None;
    }
    // ε₀ + ln(1 − δ′·(1 + e^(−ε₀))), which is no loss where it is negative.
    let share = (delta - told) / (Rational::ONE - told);
    let rest = falling(loss)?;
    let left = |rest: Rational| Rational::ONE - &share * (Rational::ONE + rest);
    let at = |left: Rational, upper: bool| match left > Rational::ZERO {
        false => Some(Rational::ZERO),
        true => {
            let (low, high) = ln_bounds(&left, BITS)?;
            Some((loss + if upper { high } else { low }).max(Rational::ZERO))
        }
    };
    Some((at(left(rest.1), false)?, at(left(rest.0), true)?.min(loss.clone())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::near;
    use probity_exact::parse_rational;

    fn number(text: &str) -> Rational {
        parse_rational(text).unwrap()
    }

    /// Against values of mpmath, of every size, and each formula against the other.
    #[test]
    fn both_ways_are_the_curve() {
        for (loss, told, at, truth) in [
            ("1", "0", "1e-3", "0.99863118"),
            ("1/2", "1/100", "1/10", "0.34211942"),
            ("1", "1/10", "1/10", "1"),
        ] {
            let (low, high) = epsilon(&number(loss), &number(told), &number(at)).unwrap();
            assert!(low <= high && near(&(&high - &low)) < 1e-60, "{loss} {told}");
            assert!((near(&low) - near(&number(truth))).abs() < 1e-6, "{loss} {told}: {}", near(&low));
            let back = delta(&number(loss), &number(told), &high).unwrap();
            assert!(near(&(back.1 - number(at))).abs() < 1e-60, "{loss} {told}");
        }
        let huge = number("1e400");
        let (low, high) = epsilon(&huge, &Rational::ZERO, &number("1e-5")).unwrap();
        assert!(low < high && high < huge && &huge - &low < number("1.1e-5"));
        assert_eq!(epsilon(&number("1e-400"), &Rational::ZERO, &number("1e-5")).unwrap(), Default::default());
        assert_eq!(epsilon(&Rational::ONE, &number("1/10"), &number("1/100")), None);
        let (low, high) = delta(&huge, &Rational::ZERO, &Rational::ONE).unwrap();
        assert!(low < high && high <= Rational::ONE && low > number("0.999999"));
    }
}
