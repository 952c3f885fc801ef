//! Rigorous enclosures of the normal law: its distribution function, to the precision of the arithmetic.
//!
//! With φ the density and x > 0:
//! - near the middle, Φ(x) = 1/2 + φ(x)·Σ_k x^(2k+1)/(1·3·5···(2k+1)), a series of positive terms (integrate
//!   φ' = −xφ by parts). Once 2k+3 ≥ 2x² each term is at most half the one before, so what is left out is at most the
//!   last term;
//! - in the tail, (1 − Φ(x))/φ(x) = 1/(x + 1/(x + 2/(x + 3/(x + …)))) (Laplace). All its partial numerators and
//!   denominators are positive, so its convergents lie below and above the value in turn, and two in a row enclose it.

use std::cmp::Ordering;
use std::sync::LazyLock;

use probity_exact::{Enclosure, Endpoint, Rational, Round, fraction, parse_rational};

/// How many terms of the series and of the continued fraction are taken. More never harm: what is left out is always
/// enclosed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    series: u32,
    fraction: u32,
}

impl Terms {
    /// For f64: at x = 3, where the continued fraction takes over, each of the two is good to 2^−55 or so.
    pub(crate) const FAST: Terms = Terms { series: 36, fraction: 40 };
    /// For 128 bits.
    pub(crate) const FINE: Terms = Terms { series: 80, fraction: 200 };
}

/// π, between two neighbouring decimals of 100 places.
static PI: LazyLock<(Rational, Rational)> = LazyLock::new(|| {
    let digits = "3.1415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253421170679";
    let low = parse_rational(digits).unwrap_or_default();
    let high = &low + parse_rational("1e-100").unwrap_or_default();
    (low, high)
});

fn half() -> Rational {
    fraction::<1, 2>()
}

/// π.
fn pi<E: Endpoint>(precision: E::Precision) -> Enclosure<E> {
    Enclosure::around(&PI.0, precision).hull(&Enclosure::around(&PI.1, precision))
}

/// φ(x) = e^(−x²/2)/√(2π), over all members.
pub(crate) fn density<E: Endpoint>(x: &Enclosure<E>) -> Enclosure<E> {
    let precision = x.precision();
    let two = Enclosure::around(&Rational::from(2), precision);
    let exponent = -(x.square() * Enclosure::around(&half(), precision));
    let root = (two * pi(precision)).sqrt();
    let quotient = root.and_then(|root| exponent.exp().checked_div(&root));
    quotient.unwrap_or_else(|| Enclosure::everything(precision))
}

/// Φ(x), over all members: Φ rises, so the ends decide.
pub(crate) fn distribution<E: Endpoint>(x: &Enclosure<E>, terms: Terms) -> Enclosure<E> {
    let precision = x.precision();
    let zero = Enclosure::around(&Rational::ZERO, precision);
    let one = Enclosure::around(&Rational::ONE, precision);
    // An infinite end is no member; the limit there is a bound all the same.
    let low = match Enclosure::point(x.low().clone(), precision) {
        Some(low) => at_point(&low, terms),
        None => zero.clone(),
    };
    let high = match Enclosure::point(x.high().clone(), precision) {
        Some(high) => at_point(&high, terms),
        None => one.clone(),
    };
    let unit = zero.hull(&one);
    low.hull(&high).intersection(&unit).unwrap_or(unit)
}

/// Φ at a single number.
fn at_point<E: Endpoint>(x: &Enclosure<E>, terms: Terms) -> Enclosure<E> {
    let precision = x.precision();
    let one = Enclosure::around(&Rational::ONE, precision);
    if x.high().compare(&E::zero()) == Some(Ordering::Equal) {
        return Enclosure::around(&half(), precision);
    }
    let magnitude = x.abs();
    let negative = x.high().compare(&E::zero()) == Some(Ordering::Less);
    let is_far = magnitude.low().compare(&E::cast(&Rational::from(3), precision, Round::Up));
    if is_far != Some(Ordering::Less)
        && let Some(tail) = mills(&magnitude, terms)
    {
        let tail = density(&magnitude) * tail;
        return if negative { tail } else { one - tail };
    }
    let middle = density(&magnitude) * series(&magnitude, terms);
    let half = Enclosure::around(&half(), precision);
    if negative { half - middle } else { half + middle }
}

/// (1 − Φ(x))/φ(x) for x ≥ 3, between two convergents.
fn mills<E: Endpoint>(x: &Enclosure<E>, terms: Terms) -> Option<Enclosure<E>> {
    let convergent = |terms: u32| {
        let mut value = x.clone();
        for k in (1..=terms).rev() {
            let numerator = Enclosure::around(&Rational::from(k), x.precision());
            value = x.clone() + numerator.checked_div(&value)?;
        }
        Enclosure::around(&Rational::ONE, x.precision()).checked_div(&value)
    };
    Some(convergent(terms.fraction)?.hull(&convergent(terms.fraction + 1)?))
}

/// Σ_k x^(2k+1)/(1·3·5···(2k+1)) for 0 < x ≤ 3.
fn series<E: Endpoint>(x: &Enclosure<E>, terms: Terms) -> Enclosure<E> {
    let precision = x.precision();
    let square = x.square();
    let mut term = x.clone();
    let mut sum = x.clone();
    // At least 8 terms: from then on 2k + 3 ≥ 2·9, so that the terms at least halve.
    for k in 1..=terms.series.max(8) {
        let factor = square.clone().checked_div(&Enclosure::around(&Rational::from(2 * k + 1), precision));
        term = term * factor.unwrap_or_else(|| Enclosure::everything(precision));
        sum = sum + term.clone();
    }
    // What is left out is at most the last term.
    sum + Enclosure::around(&Rational::ZERO, precision).hull(&term)
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::{Float, Format};

    /// 40 digits from mpmath (`scripts/audit_oracle.py`), from −40.1 to 12.
    fn table() -> Vec<(Rational, Rational)> {
        let lines = include_str!("../../tests/data/normal.txt").lines().filter(|line| !line.starts_with('#'));
        let number = |text: &str| parse_rational(text).unwrap();
        lines.map(|line| line.split_once(' ').unwrap()).map(|(x, p)| (number(x), number(p))).collect()
    }

    fn holds<E: Endpoint>(found: &Enclosure<E>, expected: &Rational, digits: &str) -> bool {
        let slack = expected * parse_rational("1e-39").unwrap();
        let (low, high) = (found.low().exact().unwrap(), found.high().exact().unwrap());
        let inside = low <= expected + &slack && *expected <= &high + slack;
        inside && high - low <= expected * parse_rational(digits).unwrap()
    }

    #[test]
    fn the_distribution_is_that_of_the_table() {
        let table = table();
        assert!(table.len() > 35);
        for (x, expected) in table {
            let fine = distribution(&Enclosure::<Float>::around(&x, Format::wide(128)), Terms::FINE);
            assert!(holds(&fine, &expected, "1e-28"), "{x}: {fine:?}");
            assert!(!holds(&fine, &(&expected * fraction::<1001, 1000>()), "1e-28"), "{x}");
            // e^(−x²/2) of a double next to x differs by the share x·2^−52·x.
            if x > Rational::from(-30) {
                let fast = distribution(&Enclosure::<f64>::around(&x, ()), Terms::FAST);
                assert!(holds(&fast, &expected, "1e-9"), "{x}: {fast:?}");
            }
        }
    }

    /// Too few terms make an enclosure wide, never wrong.
    #[test]
    fn what_is_left_out_is_enclosed() {
        let few = Terms { series: 1, fraction: 1 };
        for (x, expected) in table() {
            let found = distribution(&Enclosure::<Float>::around(&x, Format::wide(128)), few);
            assert!(holds(&found, &expected, "1e9"), "{x}: {found:?}");
        }
    }

    #[test]
    fn intervals_and_infinities() {
        let low = Enclosure::<f64>::around(&Rational::from(-1), ());
        let both = distribution(&low.hull(&Enclosure::around(&Rational::from(2), ())), Terms::FAST);
        assert!(
            *both.low() < 0.1587 && *both.low() > 0.1586 && *both.high() > 0.9772 && *both.high() < 0.9773
        );
        let all = distribution(&Enclosure::<f64>::everything(()), Terms::FAST);
        assert_eq!((*all.low(), *all.high()), (0.0, 1.0));
    }
}
