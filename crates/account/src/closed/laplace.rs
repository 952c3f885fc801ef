//! One answer with Laplace noise, on the reals or on the integers: curves without a sum, for any scale.

use probity_exact::{BitTest, Integer, Natural, Rational, exp_bounds, ln_bounds};

use super::{Bounds, bracket};
use crate::account::{Bracket, Question};
use crate::fixed::near;

/// Bits beyond those that a small loss takes away.
const BITS: u32 = 400;

/// Beyond this e^−x is not told apart from 0.
const UNSEEN: i64 = 10_000;

/// e^−x for x ≥ 0.
fn falling(x: &Rational, bits: u32) -> Option<Bounds> {
    if *x > Rational::from(UNSEEN) {
        let tiny = Rational::from_parts(Integer::ONE, Natural::ONE << UNSEEN as usize);
        return Some((Rational::ZERO, tiny));
    }
    let (low, high) = exp_bounds(&-x.clone(), bits);
    Some((low.to_rational()?, high.to_rational()?))
}

/// More bits for a number that is small.
fn bits_for(x: &Rational) -> u32 {
    let leading = x.numerator().bit_len() as i64 - x.denominator().bit_len() as i64;
    BITS + 2 * (-leading).clamp(0, 100_000) as u32
}

/// Laplace noise with c = sensitivity/scale: δ(ε) = 1 − e^((ε−c)/2), so ε(δ) = c + 2·ln(1 − δ), and none of them is negative.
pub(super) fn laplace(c: &Rational, question: &Question) -> Option<Bracket> {
    let zero = Rational::ZERO;
    match question {
        Question::Delta(epsilon) if epsilon >= c => Some(Bracket { lower: zero.clone(), upper: Some(zero) }),
        Question::Delta(epsilon) => {
            let x = (c - epsilon) / Rational::from(2);
            let (low, high) = falling(&x, bits_for(&x))?;
            let lower = (Rational::ONE - high).max(zero);
            Some(Bracket { lower, upper: Some(Rational::ONE - low) })
        }
        Question::Epsilon(delta) => {
            let (low, high) = ln_bounds(&(Rational::ONE - delta), bits_for(c))?;
            let at = |ln: Rational| (c + Rational::from(2) * ln).max(Rational::ZERO);
            Some(Bracket { lower: at(low), upper: Some(at(high)) })
        }
    }
}

/// Integer noise with r = e^(−1/b) and sensitivity s. The best event is that the noise is at most k, the last k of a loss (s − 2k)/b above ε:
/// δ(ε) = 1 − (r^(k+1) + e^ε·r^(s−k))/(1 + r).
pub(super) fn discrete_laplace(scale: &Rational, sensitivity: u64, question: &Question) -> Bracket {
    let s = Rational::from(sensitivity);
    let bits = bits_for(&(Rational::ONE / scale));
    let delta = |epsilon: &Rational| {
        let last = ((&s - epsilon * scale) / Rational::from(2)).ceil() - Integer::ONE;
        if last < Integer::ZERO {
            return Some((Rational::ZERO, Rational::ZERO));
        }
        let k = Rational::from(last);
        let r = falling(&(Rational::ONE / scale), bits)?;
        let missed = falling(&((&k + Rational::ONE) / scale), bits)?;
        // The exponent is not positive: (s − k)/b is more than ε + k/b.
        let mistaken = falling(&((&s - k) / scale - epsilon), bits)?;
        let low = Rational::ONE - (missed.1 + mistaken.1) / (Rational::ONE + r.0);
        let high = Rational::ONE - (missed.0 + mistaken.0) / (Rational::ONE + r.1);
        Some((low.max(Rational::ZERO), high.max(Rational::ZERO)))
    };
    bracket(question, &delta, near(&(&s / scale)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    use crate::closed::with_bits;
    use crate::model::Simple;
    use probity_exact::parse_rational;

    /// The curves that lattices are made of say the same.
    #[test]
    fn curves_agree() {
        let number = |text: &str| parse_rational(text).unwrap();
        for (scale, s) in [("1/3", 1), ("2", 5), ("10", 3), ("7/2", 40)] {
            let c = Rational::from(s) / number(scale);
            for at in ["0", "0.01", "1/3", "2/3", "0.9", "1.2"] {
                let mut questions = vec![Question::Delta(&c * number(at))];
                if number(at) > Rational::ZERO && number(at) < Rational::ONE {
                    questions.push(Question::Epsilon(number(at)));
                }
                for question in questions {
                    for (law, found) in [
                        (Simple::Laplace(c.clone()), laplace(&c, &question).unwrap()),
                        (
                            Simple::DiscreteLaplace(number(scale), s),
                            discrete_laplace(&number(scale), s, &question),
                        ),
                    ] {
                        let later = Instant::now() + Duration::from_secs(600);
                        let other = with_bits(&law, &question, 600, later).unwrap();
                        let meets = found.lower <= other.upper.clone().unwrap()
                            && other.lower <= found.upper.clone().unwrap();
                        assert!(meets, "{law:?} {question:?} {found:?} {other:?}");
                        assert!(found.width() < 1e-12, "{law:?} {question:?} {found:?}");
                    }
                }
            }
        }
    }

    /// Scales far from 1: 2·ln(1/2) = −1.386…, and 1 − e^(−c/2) is near c/2.
    #[test]
    fn any_scale_is_answered() {
        let number = |text: &str| parse_rational(text).unwrap();
        let half = Question::Epsilon(number("1/2"));
        let found = laplace(&number("1e40"), &half).unwrap();
        assert!(
            found.lower > number("1e40") - number("1.3863")
                && found.upper.unwrap() < number("1e40") - number("1.3862")
        );
        let found = laplace(&number("1e-40"), &Question::Delta(Rational::ZERO)).unwrap();
        assert!(found.lower > number("0.4999999e-40") && found.upper.unwrap() < number("0.5e-40"));
        let found = discrete_laplace(&number("1e-40"), 3, &Question::Delta(number("5")));
        assert!(
            found.lower > number("0.999999")
                && found.lower < Rational::ONE
                && found.upper == Some(Rational::ONE)
        );
        let found = discrete_laplace(&number("1e-40"), 3, &half);
        assert!(
            found.width() < 1e-12
                && found.lower > number("2.9999e40")
                && found.upper.unwrap() < number("3.0001e40")
        );
    }
}
