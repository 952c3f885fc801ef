//! Exact intervals for randomized response: what share of the population belongs to a category.
//!
//! Respondents are drawn independently from a population of whom a share π belongs to the category. Each names it with probability
//! θ = q + (p − q)·π, so the number who name it is binomial, and the interval of Clopper and Pearson for θ, carried over to π, holds with
//! probability 1 − α at least, for every n and every π. (Given who the respondents are, the number is a sum of two binomials,
//! whose tails are no heavier: Hoeffding 1956.)
//!
//! The binomial tails are enclosed, and the ends are doubles that were decided by these enclosures, rounded outward.

use probity_exact::{Enclosure, Float, Format, Rational, rational_from_f64};

use super::{Level, check_count};
use crate::measurement::MechanismError;
use crate::mechanisms::RandomizedResponse;
use crate::sampler::ParameterError;
use crate::search::{greatest_double, least_double};

/// Bits of the enclosures of tails: more than any decision between doubles needs.
const BITS: u32 = 128;

/// The least and the largest share of a category, of which `count` out of `respondents` answers were, that are compatible with them at
/// level α: an interval that holds the share with probability 1 − α at least.
///
/// ```
/// use probity_noise::accuracy::{Level, response_interval};
/// use probity_noise::mechanisms::RandomizedResponse;
/// use probity_noise::sampler::Probability;
/// let law = RandomizedResponse::new(2, Probability::from_f64(0.75)?)?;
/// let (lower, upper) = response_interval(&law, 4000, 10_000, &Level::from_f64(0.05)?)?;
/// // The estimate is 0.3; Hoeffding's inequality would allow 0.027 to either side.
/// assert!(lower > 0.28 && lower < 0.3 && upper > 0.3 && upper < 0.32);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When there are no respondents, more answers than respondents, or p = 1/t, where answers tell nothing.
pub fn response_interval(
    law: &RandomizedResponse,
    count: u64,
    respondents: u64,
    level: &Level,
) -> Result<(f64, f64), MechanismError> {
    check_count(respondents)?;
    if count > respondents {
        return Err(ParameterError::new("count", count, "at most the number of respondents").into());
    }
    let (lie, truth) = (law.lie(), law.truth().value());
    let gap = truth - &lie;
    if gap.is_zero() {
        let allowed = "more than 1 / (number of categories), or the answers tell nothing";
        return Err(ParameterError::new("probability of the truth", truth, allowed).into());
    }
    let half = level.value() / Rational::from(2u8);
    // θ at a share π in [0, 1] lies between q and p, so strictly between 0 and 1.
    let named = |share: f64| rational_from_f64(share).map(|share| &lie + &gap * share);
    // P(X ≥ count) rises with π: shares at which it is surely below α/2 are excluded.
    let excluded_below = |share: f64| {
        let tail = named(share).and_then(|theta| upper_tail(respondents, count, &theta));
        Ok::<bool, MechanismError>(tail.is_some_and(|tail| is_below(&tail, &half)))
    };
    let excluded_above = |share: f64| {
        let lied = named(share).map(|theta| Rational::ONE - theta);
        let tail = lied.and_then(|theta| upper_tail(respondents, respondents - count, &theta));
        Ok::<bool, MechanismError>(tail.is_some_and(|tail| is_below(&tail, &half)))
    };
    let within = |share: f64| share <= 1.0;
    let lower = greatest_double(|share| Ok::<bool, MechanismError>(within(share) && excluded_below(share)?))?;
    let upper = least_double(|share| Ok::<bool, MechanismError>(!within(share) || excluded_above(share)?))?;
    Ok((lower.unwrap_or(0.0), upper.unwrap_or(1.0).min(1.0)))
}

fn is_below(tail: &Enclosure<Float>, bound: &Rational) -> bool {
    tail.high().to_rational().is_some_and(|high| high < *bound)
}

/// P(X ≥ from) for X binomial with n trials of probability θ, strictly between 0 and 1; `None` where it cannot be enclosed.
fn upper_tail(n: u64, from: u64, theta: &Rational) -> Option<Enclosure<Float>> {
    let format = Format::wide(BITS);
    let number = |value: Rational| Enclosure::<Float>::around(&value, format);
    if from == 0 {
        return Some(number(Rational::ONE));
    }
    // P(X = from), then each next term is the last one times (n−k)/(k+1)·θ/(1−θ).
    let other = Rational::ONE - theta;
    let odds = theta / &other;
    let mut term = power(&number(theta.clone()), from, format) * power(&number(other), n - from, format);
    // Binomial coefficient: fewest factors first.
    let fewest = from.min(n - from);
    for k in 0..fewest {
        term = term * number(Rational::from(n - k) / Rational::from(k + 1));
    }
    let mut sum = term.clone();
    for k in from..n {
        let ratio = Rational::from(n - k) / Rational::from(k + 1) * &odds;
        term = term * number(ratio.clone());
        sum = sum + term.clone();
        // Ratios fall, so what is left is at most term·r/(1 − r): enough once that is a small part of the sum.
        if ratio < Rational::ONE {
            let rest = term.clone() * number(&ratio / (Rational::ONE - &ratio));
            let (rest_high, sum_low) = (rest.high().clone(), sum.low().clone());
            let small = Float::from_parts(false, 1u8.into(), -i64::from(BITS) / 2);
            if rest_high.compare(&format.mul(&sum_low, &small, probity_exact::Round::Down))
                == Some(std::cmp::Ordering::Less)
            {
                return Some(sum + number(Rational::ZERO).hull(&rest));
            }
        }
    }
    Some(sum)
}

/// base^exponent by squaring.
fn power(base: &Enclosure<Float>, mut exponent: u64, format: Format) -> Enclosure<Float> {
    let mut result = Enclosure::around(&Rational::ONE, format);
    let mut square = base.clone();
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = result * square.clone();
        }
        square = square.clone() * square;
        exponent /= 2;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::Probability;
    use probity_exact::rational;

    /// The tail by exact rationals.
    fn exact_tail(n: u64, from: u64, theta: &Rational) -> Rational {
        let power =
            |base: &Rational, exponent: u64| (0..exponent).fold(Rational::ONE, |product, _| product * base);
        let mut sum = Rational::ZERO;
        for k in from..=n {
            let choose = (0..k)
                .fold(Rational::ONE, |product, i| product * Rational::from(n - i) / Rational::from(i + 1));
            sum += choose * power(theta, k) * power(&(Rational::ONE - theta), n - k);
        }
        sum
    }

    #[test]
    fn tails_are_enclosed() {
        for (n, from, theta) in
            [(10u64, 3u64, (1, 3)), (25, 25, (1, 2)), (40, 1, (1, 100)), (30, 20, (3, 4)), (5, 0, (1, 2))]
        {
            let theta = rational(theta.0, theta.1).unwrap();
            let (found, exact) = (upper_tail(n, from, &theta).unwrap(), exact_tail(n, from, &theta));
            let (low, high) = (found.low().to_rational().unwrap(), found.high().to_rational().unwrap());
            assert!(low <= exact && exact <= high, "{n} {from}");
            assert!(&high - &low <= exact * rational(1, 1i64 << 60).unwrap(), "{n} {from}");
        }
    }

    /// The interval holds every share with the promised probability: summed exactly over all outcomes, for all shares of a grid.
    #[test]
    fn the_interval_covers_every_share() {
        let law = RandomizedResponse::new(3, Probability::from_f64(0.5).unwrap()).unwrap();
        let level = Level::from_f64(0.1).unwrap();
        let n = 20;
        let intervals: Vec<(f64, f64)> =
            (0..=n).map(|count| response_interval(&law, count, n, &level).unwrap()).collect();
        let mut least = 1.0f64;
        for step in 0..=40 {
            let share = f64::from(step) / 40.0;
            let theta = law.lie() + (law.truth().value() - law.lie()) * rational(step, 40).unwrap();
            let mut covered = Rational::ZERO;
            for count in 0..=n {
                let (lower, upper) = intervals[count as usize];
                if lower <= share && share <= upper {
                    covered += exact_tail(n, count, &theta) - exact_tail(n, count + 1, &theta);
                }
            }
            assert!(covered >= rational(9, 10).unwrap(), "{share}");
            least = least.min(covered.to_f64().value());
        }
        // Not idle: some share is covered with little more than that.
        assert!(least < 0.97, "{least}");
        assert!(intervals.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 <= pair[1].1));
    }

    #[test]
    fn senseless_questions_are_refused() {
        let law = RandomizedResponse::new(2, Probability::from_f64(0.75).unwrap()).unwrap();
        let level = Level::from_f64(0.1).unwrap();
        assert!(response_interval(&law, 1, 0, &level).is_err());
        assert!(response_interval(&law, 11, 10, &level).is_err());
        let fair = RandomizedResponse::new(2, Probability::from_f64(0.5).unwrap()).unwrap();
        assert!(response_interval(&fair, 5, 10, &level).is_err());
        assert_eq!(response_interval(&law, 0, 10, &level).unwrap().0, 0.0);
        assert_eq!(response_interval(&law, 10, 10, &level).unwrap().1, 1.0);
    }
}
