//! Very many different pure guarantees: the sum of their losses, weighed, is close to normal, and Berry and Esseen say how close.
//! `docs/accounting.md`, section 7.

use probity_exact::{Enclosure, Rational, exp_bounds, normal_cdf_bounds, rational_from_f64};

use super::{Bounds, sides};
use crate::account::{Bracket, Question};
use crate::fixed::{Total, around, near};
use crate::model::{Composition, Law, Simple};
use crate::roots::sqrt_bounds;
use crate::scout::{exp, ln};

/// Low bits of a double that are rounded away: 12 of 52 stay.
const CUT: u64 = (1 << 40) - 1;

type Interval = Enclosure<f64>;

/// How the answer is found.
const METHOD: &str = "a normal law for the weighed sum of pure losses, with the error of Berry and Esseen";

/// The bracket, if all laws are pure; a narrow one if there are many.
pub(crate) fn answer(laws: &[(Simple, u64)], question: &Question) -> Option<(Bracket, &'static str)> {
    let mut losses = Losses::with_capacity(laws.len());
    for (law, n) in laws {
        let Simple::Pure(epsilon, delta) = law else { return None };
        losses.add(epsilon, delta, *n)?;
    }
    Some((losses.bracket(question)?, METHOD))
}

/// The same for a composition as it was given, if it has more than so many different pure guarantees and nothing else. There may be a
/// million, so they are looked at once, and not brought into another form.
pub(crate) fn very_many(
    composition: &Composition,
    question: &Question,
    fewest: usize,
) -> Option<(Bracket, &'static str)> {
    if composition.parts.len() <= fewest {
        return None;
    }
    let mut losses = Losses::with_capacity(composition.parts.len());
    let mut sum = Total::bounded();
    for (law, n) in &composition.parts {
        let Law::Approximate { epsilon, delta } = law else { return None };
        losses.add(epsilon, delta, *n)?;
        sum.add(epsilon, *n);
    }
    if losses.different() <= fewest {
        return None;
    }
    // Losses add up, whatever δ is.
    let (lower, upper) = sum.bounds();
    match question {
        Question::Epsilon(delta) if delta.is_zero() => Some((Bracket { lower, upper }, "sum of pure losses")),
        Question::Epsilon(_) => {
            let found = losses.bracket(question)?;
            Some((found.and(Bracket { lower: Rational::ZERO, upper }), METHOD))
        }
        Question::Delta(_) => Some((losses.bracket(question)?, METHOD)),
    }
}

/// Losses by the bits of their doubles, with how often each occurs.
type Groups = Vec<(u64, u64)>;

/// Pure losses, rounded up and rounded down to 12 bits.
struct Losses {
    up: Groups,
    down: Groups,
    /// The bits of a double below each loss: different ones are of different losses.
    keys: Vec<u64>,
}

impl Losses {
    fn with_capacity(size: usize) -> Losses {
        Losses { up: Groups::new(), down: Groups::new(), keys: Vec::with_capacity(size) }
    }

    /// One more, n times; `None` for what is not pure, and for a loss that is no loss or too large.
    fn add(&mut self, epsilon: &Rational, delta: &Rational, n: u64) -> Option<()> {
        if !delta.is_zero() || *epsilon < Rational::ZERO || *epsilon > Rational::from(500) {
            return None;
        }
        if epsilon.is_zero() || n == 0 {
            return Some(());
        }
        // Doubles that are not negative are ordered as their bits are.
        let (low, high) = around(epsilon);
        self.keys.push(low.to_bits());
        count(&mut self.up, (high.to_bits() + CUT) & !CUT, n)?;
        count(&mut self.down, low.to_bits() & !CUT, n)
    }

    /// At most the number of different losses.
    fn different(&mut self) -> usize {
        self.keys.sort_unstable();
        self.keys.dedup();
        self.keys.len()
    }

    fn bracket(self, question: &Question) -> Option<Bracket> {
        let (up, down) = (grouped(self.up)?, grouped(self.down)?);
        let theta = weight(&up, question);
        let (above, below) = (Sum::new(&up, theta)?, Sum::new(&down, theta)?);
        let guess = near(&above.mean.1);
        Some(sides(
            question,
            &|epsilon| Some(below.delta(epsilon)?.0),
            &|epsilon| Some(above.delta(epsilon)?.1),
            guess.max(1e-9),
        ))
    }
}

/// Counts a loss, with the last one if it is the same; `None` if there are 2^64 of them.
fn count(groups: &mut Groups, loss: u64, n: u64) -> Option<()> {
    match groups.last_mut() {
        Some((last, count)) if *last == loss => *count = count.checked_add(n)?,
        _ => groups.push((loss, n)),
    }
    Some(())
}

/// Equal losses counted once.
fn grouped(mut losses: Groups) -> Option<Groups> {
    losses.sort_unstable();
    let mut groups = Groups::new();
    for (loss, n) in losses {
        count(&mut groups, loss, n)?;
    }
    Some(groups)
}

/// A good θ, in doubles: the mean of the weighed loss is at ε, or δ is about reached there.
fn weight(groups: &[(u64, u64)], question: &Question) -> f64 {
    let at = |theta: f64| {
        let (mut k, mut mean, mut variance) = (0.0, 0.0, 0.0);
        for (bits, n) in groups {
            let (x, n) = (f64::from_bits(*bits), *n as f64);
            let t = 1.0 / (1.0 + exp(-(1.0 + 2.0 * theta) * x));
            k += n * (theta * x - ln(1.0 + exp(-x)) - ln(t));
            mean += n * (2.0 * t - 1.0) * x;
            variance += n * 4.0 * t * (1.0 - t) * x * x;
        }
        (k, mean, variance)
    };
    let beyond = |theta: f64| {
        let (k, mean, variance) = at(theta);
        match question {
            Question::Delta(epsilon) => mean > near(epsilon),
            Question::Epsilon(delta) => {
                let spread = (2.0 * std::f64::consts::PI * variance).sqrt();
                k - theta * mean - ln(theta * (theta + 1.0) * spread) < ln(near(delta))
            }
        }
    };
    let (mut low, mut high) = (ln(0.02), ln(2000.0));
    for _ in 0..14 {
        let middle = (low + high) / 2.0;
        if beyond(exp(middle)) { high = middle } else { low = middle }
    }
    exp(low)
}

/// The weighed sum: κ, mean, variance and third moments, enclosed.
struct Sum {
    theta: Rational,
    kappa: Bounds,
    mean: Bounds,
    variance: Bounds,
    third: Rational,
}

impl Sum {
    fn new(groups: &[(u64, u64)], theta: f64) -> Option<Sum> {
        let point = |x: f64| Interval::point(x, ());
        let exact = rational_from_f64(theta)?;
        let (one, two) = (point(1.0)?, point(2.0)?);
        let weight = point(theta)?;
        let slope = one + two * weight;
        let zero = point(0.0)?;
        let (mut kappa, mut mean, mut variance, mut third) = (zero, zero, zero, zero);
        for (bits, n) in groups {
            let x = point(f64::from_bits(*bits))?;
            let n = Interval::around(&Rational::from(*n), ());
            // t = 1/(1 + e^(−(1+2θ)x)), and ln M = θx − ln(1 + e^(−x)) + ln(1 + e^(−(1+2θ)x)).
            let tail = one + (-(slope * x)).exp();
            let t = one.checked_div(&tail)?;
            kappa = kappa + n * (weight * x - (one + (-x).exp()).ln()? + tail.ln()?);
            mean = mean + n * (two * t - one) * x;
            let both = t * (one - t);
            let square = x * x;
            variance = variance + n * (two * two) * both * square;
            let moments = t * t + (one - t) * (one - t);
            third = third + n * (two * two * two) * both * moments * square * x;
        }
        let ends = |x: Interval| Some((rational_from_f64(*x.low())?, rational_from_f64(*x.high())?));
        Some(Sum {
            theta: exact,
            kappa: ends(kappa)?,
            mean: ends(mean)?,
            variance: ends(variance)?,
            third: ends(third)?.1,
        })
    }

    fn delta(&self, epsilon: &Rational) -> Option<Bounds> {
        let one = Rational::ONE;
        if self.variance.0 <= Rational::ZERO {
            return None;
        }
        let outer = (&self.kappa.0 - &self.theta * epsilon, &self.kappa.1 - &self.theta * epsilon);
        let a = (&self.mean.0 - epsilon, &self.mean.1 - epsilon);
        let (first_low, first_high) = self.term(&self.theta, &a, &outer)?;
        let (second_low, second_high) = self.term(&(&self.theta + &one), &a, &outer)?;
        // 1.12/(θ + 1)·R/V^(3/2).
        let (root, _) = sqrt_bounds(&self.variance.0, 80);
        let error = Rational::from_parts(28.into(), 25u8.into()) / (&self.theta + &one) * &self.third
            / (&self.variance.0 * root);
        let error = error * power(&outer.1, true)?;
        let low = (first_low - second_high - &error).max(Rational::ZERO);
        let high = (first_high - second_low + error).clamp(Rational::ZERO, one);
        Some((low, high))
    }

    /// e^outer · e^(−sa + s²V/2)·Φ((a − sV)/√V).
    fn term(&self, s: &Rational, a: &Bounds, outer: &Bounds) -> Option<Bounds> {
        let (v_low, v_high) = &self.variance;
        let half = s * s / Rational::from(2);
        let exponent = (&outer.0 - s * &a.1 + &half * v_low, &outer.1 - s * &a.0 + &half * v_high);
        let (root_low, _) = sqrt_bounds(v_low, 80);
        let (_, root_high) = sqrt_bounds(v_high, 80);
        let threshold = (&a.0 - s * v_high, &a.1 - s * v_low);
        // Division by the root that makes the quotient smaller, or larger.
        let small = &threshold.0 / if threshold.0 >= Rational::ZERO { &root_high } else { &root_low };
        let large = &threshold.1 / if threshold.1 >= Rational::ZERO { &root_low } else { &root_high };
        if near(&small).abs().max(near(&large).abs()) > 1000.0 {
            return None;
        }
        let low = normal_cdf_bounds(&small, 80).0.to_rational()?;
        let high = normal_cdf_bounds(&large, 80).1.to_rational()?;
        Some((power(&exponent.0, false)? * low, power(&exponent.1, true)? * high))
    }
}

fn power(x: &Rational, up: bool) -> Option<Rational> {
    if near(x).abs() > 1e6 {
        return None;
    }
    let bounds = exp_bounds(x, 80);
    if up { bounds.1 } else { bounds.0 }.to_rational()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Adjacency;
    use crate::resolve::Side;
    use probity_exact::{parse_rational, rational};

    fn pure(n: i64, d: i64) -> (Law, u64) {
        (Law::Approximate { epsilon: rational(n, d).unwrap(), delta: Rational::ZERO }, 1)
    }

    /// Looked at as they were given, losses have the bracket that they have as merged laws.
    #[test]
    fn both_ways_agree() {
        let mut composition =
            Composition { parts: (0..300).map(|k| pure(1000 + k * 7 % 300, 20_000 + k)).collect() };
        composition.parts.push(pure(0, 1));
        let laws = composition.resolved(Adjacency::AddRemove, Side::Above).unwrap().0;
        for question in [
            Question::Epsilon(parse_rational("1e-6").unwrap()),
            Question::Delta(parse_rational("2").unwrap()),
        ] {
            let (merged, method) = answer(&laws, &question).unwrap();
            let (given, other) = very_many(&composition, &question, 200).unwrap();
            assert_eq!((merged, method), (given, other), "{question:?}");
        }
        let all = very_many(&composition, &Question::Epsilon(Rational::ZERO), 200).unwrap().0;
        let losses = laws.iter().filter_map(|(law, n)| Some(law.guarantee()?.0 * Rational::from(*n)));
        let exact = losses.fold(Rational::ZERO, |sum, loss| sum + loss);
        assert!(all.lower <= exact && exact <= all.upper.clone().unwrap() && all.width() < 1e-12);
    }

    /// What is not pure, no loss, too large, or not so many different ones is left to others.
    #[test]
    fn others_are_left_alone() {
        let question = Question::Epsilon(parse_rational("1e-6").unwrap());
        let many = || (0..300).map(|k| pure(1, 1000 + k)).collect::<Vec<_>>();
        let asked = |parts: Vec<(Law, u64)>| very_many(&Composition { parts }, &question, 200).is_some();
        assert!(asked(many()));
        let told = Law::Approximate { epsilon: Rational::ONE, delta: rational(1, 9).unwrap() };
        for other in [(told, 1), pure(-1, 2), pure(501, 1), (Law::Mu { mu: Rational::ONE }, 1)] {
            assert!(!asked(many().into_iter().chain([other]).collect()));
        }
        assert!(!asked((0..300).map(|k| pure(1, 1000 + k % 200)).collect()));
    }
}
