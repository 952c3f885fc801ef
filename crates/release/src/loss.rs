//! What a release costs: an exact amount in one of three measures.
//!
//! Amounts are rationals. While a denominator has at most 128 bits they are kept as they are; beyond that a spent amount is
//! rounded up to a multiple of 2^−128, so that the sum of a million debits is never below the truth.

use std::fmt;

use probity_exact::{BitTest, Integer, Natural, Rational, parse_rational};
use serde_json::{Map, Value};

use crate::decimal;

/// What a ledger counts in. A ledger has one measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Pure loss.
    Epsilon,
    /// Approximate loss, both parts by plain sums.
    EpsilonDelta,
    /// Concentrated loss; a pure loss ε enters as ε²/2.
    Rho,
}

impl Measure {
    /// The name in a ledger.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Epsilon => "epsilon",
            Measure::EpsilonDelta => "epsilon, delta",
            Measure::Rho => "rho",
        }
    }

    /// The measure of this name.
    pub fn named(name: &str) -> Option<Measure> {
        [Measure::Epsilon, Measure::EpsilonDelta, Measure::Rho]
            .into_iter()
            .find(|measure| measure.name() == name)
    }
}

/// An amount of privacy loss.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// What it is counted in.
    pub measure: Measure,
    /// ε or ρ. Invariant: not negative.
    pub amount: Rational,
    /// δ; 0 unless the measure has one. Invariant: not negative.
    pub delta: Rational,
}

/// Denominators of more bits than this are rounded away, upwards.
const MOST_BITS: usize = 128;

fn bounded_up(value: Rational) -> Rational {
    if value.denominator().bit_len() <= MOST_BITS {
        return value;
    }
    let scaled = value * Rational::from(Integer::ONE << MOST_BITS);
    Rational::from_parts(scaled.ceil(), Natural::ONE << MOST_BITS)
}

impl Loss {
    /// Nothing.
    pub fn zero(measure: Measure) -> Loss {
        Loss { measure, amount: Rational::ZERO, delta: Rational::ZERO }
    }

    /// What a pure loss of ε counts in a measure.
    pub fn of_pure(measure: Measure, epsilon: &Rational) -> Loss {
        let amount = match measure {
            Measure::Epsilon | Measure::EpsilonDelta => epsilon.clone(),
            Measure::Rho => epsilon * epsilon / Rational::from(2),
        };
        Loss { measure, amount: bounded_up(amount), delta: Rational::ZERO }
    }

    /// What one run of a proved text counts in a measure, from the amounts that its theorem states; none of these may be below the truth.
    /// ε is ε²/2 and μ is μ²/2 in ρ. `None` where the measure has no place for it.
    pub fn of_run(
        measure: Measure,
        epsilon: Option<(&Rational, &Rational)>,
        rho: Option<&Rational>,
        mu: Option<&Rational>,
    ) -> Option<Loss> {
        let half_square = |amount: &Rational| amount * amount / Rational::from(2);
        let (amount, delta) = match (measure, epsilon, rho, mu) {
            (Measure::Epsilon, Some((epsilon, delta)), ..) if delta.is_zero() => {
                (epsilon.clone(), Rational::ZERO)
            }
            (Measure::EpsilonDelta, Some((epsilon, delta)), ..) => (epsilon.clone(), delta.clone()),
            (Measure::Rho, Some((epsilon, delta)), ..) if delta.is_zero() => {
                (half_square(epsilon), Rational::ZERO)
            }
            (Measure::Rho, None, Some(rho), _) => (rho.clone(), Rational::ZERO),
            (Measure::Rho, None, None, Some(mu)) => (half_square(mu), Rational::ZERO),
            _ => return None,
        };
        Some(Loss { measure, amount: bounded_up(amount), delta: bounded_up(delta) })
    }

    /// The loss of so many runs: in each measure losses add up, also where later runs depend on earlier answers.
    pub fn times(&self, runs: u64) -> Loss {
        let all = |amount: &Rational| bounded_up(amount * Rational::from(runs));
        Loss { measure: self.measure, amount: all(&self.amount), delta: all(&self.delta) }
    }

    /// Both losses together, never below the true sum. They must have one measure.
    pub fn plus(&self, other: &Loss) -> Loss {
        Loss {
            measure: self.measure,
            amount: bounded_up(&self.amount + &other.amount),
            delta: bounded_up(&self.delta + &other.delta),
        }
    }

    /// What is left of this after `spent`; not below 0.
    pub fn minus(&self, spent: &Loss) -> Loss {
        let left = |a: &Rational, b: &Rational| if b < a { a - b } else { Rational::ZERO };
        Loss {
            measure: self.measure,
            amount: left(&self.amount, &spent.amount),
            delta: left(&self.delta, &spent.delta),
        }
    }

    /// This, less what is given back of it; never below the true difference.
    pub fn less(&self, back: &Loss) -> Loss {
        let left = self.minus(back);
        Loss { amount: bounded_up(left.amount), delta: bounded_up(left.delta), ..left }
    }

    /// Whether this loss is within a bound, in the same measure and compared exactly.
    pub fn is_within(&self, bound: &Loss) -> bool {
        self.measure == bound.measure && self.amount <= bound.amount && self.delta <= bound.delta
    }

    /// The larger amount and the larger δ of both, which must have one measure.
    pub fn max(&self, other: &Loss) -> Loss {
        let larger = |a: &Rational, b: &Rational| if a < b { b.clone() } else { a.clone() };
        Loss {
            measure: self.measure,
            amount: larger(&self.amount, &other.amount),
            delta: larger(&self.delta, &other.delta),
        }
    }

    /// The amount and δ as exact texts, separated by a space.
    pub fn to_text(&self) -> String {
        format!("{} {}", self.amount, self.delta)
    }

    /// Reads what [`to_text`](Loss::to_text) wrote; blanks may stand behind it.
    pub fn from_text(measure: Measure, text: &str) -> Option<Loss> {
        let (amount, delta) = text.trim_end().split_once(' ')?;
        let read = |text: &str| parse_rational(text).ok().filter(|value| *value >= Rational::ZERO);
        Some(Loss { measure, amount: read(amount)?, delta: read(delta)? })
    }

    /// An object with `epsilon`, and `delta` where there is one, or `rho`, as exact texts.
    pub fn to_json(&self) -> Value {
        let mut object = Map::new();
        match self.measure {
            Measure::Rho => object.insert("rho".into(), self.amount.to_string().into()),
            _ => object.insert("epsilon".into(), self.amount.to_string().into()),
        };
        if self.measure == Measure::EpsilonDelta {
            object.insert("delta".into(), self.delta.to_string().into());
        }
        Value::Object(object)
    }

    /// What was lost, for people: where the fraction is long, about, and not less.
    pub fn at_most(&self) -> String {
        self.worded(|amount| about(amount, decimal::above))
    }

    /// What is left, for people: where the fraction is long, about, and not more.
    pub fn at_least(&self) -> String {
        self.worded(|amount| about(amount, decimal::below))
    }

    fn worded(&self, shown: impl Fn(&Rational) -> String) -> String {
        match self.measure {
            Measure::Epsilon => format!("epsilon {}", shown(&self.amount)),
            Measure::EpsilonDelta => format!("epsilon {}, delta {}", shown(&self.amount), shown(&self.delta)),
            Measure::Rho => format!("rho {}", shown(&self.amount)),
        }
    }
}

/// Exactly.
impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(Rational::to_string))
    }
}

/// A short fraction as it is, a long one as a decimal of six digits.
fn about(amount: &Rational, rounded: fn(&Rational, usize) -> String) -> String {
    let exact = amount.to_string();
    if exact.len() <= 20 {
        return exact;
    }
    let (mut digits, mut unit) = (6, Rational::ONE);
    while *amount < unit && digits < 300 {
        (digits, unit) = (digits + 1, unit / Rational::from(10));
    }
    format!("about {}", rounded(amount, digits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    #[test]
    fn sums_do_not_drift_below_the_truth() {
        // Each 1/p has a new prime, so the exact sum would have a denominator of thousands of bits.
        let (mut spent, mut truth) = (Loss::zero(Measure::Epsilon), Rational::ZERO);
        for p in (3u32..2000).filter(|p| (2..*p).take_while(|d| d * d <= *p).all(|d| p % d != 0)) {
            let part = rational(1, p).unwrap();
            truth += &part;
            spent = spent.plus(&Loss::of_pure(Measure::Epsilon, &part));
            assert!(spent.amount >= truth && spent.amount.denominator().bit_len() <= 129);
        }
        assert!(spent.amount - truth < rational(1, Integer::ONE << 110).unwrap());
    }

    #[test]
    fn runs_add_up_in_every_measure() {
        let half = rational(1, 2).unwrap();
        let pure =
            |measure| Loss::of_run(measure, Some((&half, &Rational::ZERO)), None, None).unwrap().times(6);
        assert_eq!(pure(Measure::Epsilon).to_string(), "epsilon 3");
        // Six times (1/2)²/2, and not (6/2)²/2.
        assert_eq!(pure(Measure::Rho).to_string(), "rho 3/4");
        let normal = Loss::of_run(Measure::Rho, None, None, Some(&Rational::ONE)).unwrap();
        assert_eq!((normal.to_string(), normal.times(2).to_string()), ("rho 1/2".into(), "rho 1".into()));
        let small = rational(1, 1000).unwrap();
        let both = Loss::of_run(Measure::EpsilonDelta, Some((&half, &small)), None, None).unwrap();
        assert_eq!(both.times(10).to_string(), "epsilon 5, delta 1/100");
        assert_eq!(Loss::of_run(Measure::Epsilon, Some((&half, &small)), None, None), None);
    }

    #[test]
    fn people_see_short_numbers() {
        let third = Loss::of_pure(Measure::Epsilon, &rational(1, 3).unwrap());
        assert_eq!((third.at_most(), third.at_least()), ("epsilon 1/3".into(), "epsilon 1/3".into()));
        let long = rational(1, Integer::ONE << 100).unwrap();
        let near = Loss::of_pure(Measure::Epsilon, &(rational(1, 3).unwrap() + &long));
        assert_eq!(near.at_most(), "epsilon about 0.3333334");
        assert_eq!(near.at_least(), "epsilon about 0.3333333");
        let tiny = Loss { measure: Measure::EpsilonDelta, amount: Rational::ONE, delta: long };
        assert_eq!(tiny.at_most(), "epsilon 1, delta about 0.0000000000000000000000000000007888610");
        assert_eq!(tiny.at_least(), "epsilon 1, delta about 0.0000000000000000000000000000007888609");
    }

    #[test]
    fn budgets_are_compared_exactly() {
        let loss = |n: i32, d: i32| Loss::of_pure(Measure::Epsilon, &rational(n, d).unwrap());
        let third = loss(1, 3);
        assert!(third.plus(&third).plus(&third).is_within(&loss(1, 1)));
        assert!(!loss(1, 1).plus(&loss(1, 1_000_000_000)).is_within(&loss(1, 1)));
        assert!(!third.is_within(&Loss { measure: Measure::Rho, ..loss(1, 1) }));
        assert_eq!(loss(1, 3).minus(&loss(1, 2)), loss(0, 1));
        assert_eq!(Loss::of_pure(Measure::Rho, &rational(1, 2).unwrap()).amount, rational(1, 8).unwrap());
    }

    #[test]
    fn runs_count_in_the_measure_of_the_ledger() {
        let (half, none, small) = (rational(1, 2).unwrap(), Rational::ZERO, rational(1, 1000).unwrap());
        let amount = |loss: Option<Loss>| loss.map(|loss| loss.amount.to_string());
        let pure = Some((&half, &none));
        assert_eq!(amount(Loss::of_run(Measure::Epsilon, pure, None, None)).as_deref(), Some("1/2"));
        assert_eq!(amount(Loss::of_run(Measure::Rho, pure, None, None)).as_deref(), Some("1/8"));
        assert_eq!(amount(Loss::of_run(Measure::Rho, None, Some(&half), None)).as_deref(), Some("1/2"));
        assert_eq!(amount(Loss::of_run(Measure::Rho, None, None, Some(&half))).as_deref(), Some("1/8"));
        // A delta has no place in a pure budget, nor rho and mu in one of epsilon.
        assert_eq!(Loss::of_run(Measure::Epsilon, Some((&half, &small)), None, None), None);
        assert_eq!(Loss::of_run(Measure::Rho, Some((&half, &small)), None, None), None);
        assert_eq!(Loss::of_run(Measure::EpsilonDelta, None, Some(&half), None), None);
        let both = Loss::of_run(Measure::EpsilonDelta, Some((&half, &small)), None, None).unwrap();
        assert_eq!((both.amount, both.delta), (half, small));
    }

    #[test]
    fn texts_come_back() {
        let loss = Loss {
            measure: Measure::EpsilonDelta,
            amount: rational(1, 3).unwrap(),
            delta: rational(1, 9).unwrap(),
        };
        assert_eq!(Loss::from_text(Measure::EpsilonDelta, &loss.to_text()), Some(loss));
        for text in ["", "1", "-1 0", "1 -1", "x 0"] {
            assert_eq!(Loss::from_text(Measure::Rho, text), None, "{text}");
        }
    }
}
