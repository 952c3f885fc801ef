//! Randomized response: the truth with probability p, else a uniform *other* category.
//!
//! Map: ε = ln max(p(t−1)/(1−p), (1−p)/(p(t−1))), 0 at d_in = 0; t is the number of categories. An input outside the
//! categories gets a uniform one, which Lemma 1 of `docs/proofs/randomized-response.md` covers because
//! p ≥ 1/t, compared exactly: the double nearest to 1/3 lies below 1/3 and is refused.

use std::collections::HashMap;
use std::hash::Hash;

use probity_exact::Rational;

use crate::domain::{Everything, Vectors};
use crate::entropy::Entropy;
use crate::map::{Expression, Point, PrivacyMap};
use crate::measurement::{Measurement, Mechanism, MechanismError};
use crate::metric::Metric;
use crate::sampler::{Bernoulli, Either, ParameterError, Probability, Sampler, select};
use crate::search::greatest_double;
use crate::unit::Epsilon;

/// The law of randomized response over t categories.
///
/// ```
/// use probity_exact::fraction;
/// use probity_noise::mechanisms::RandomizedResponse;
/// use probity_noise::sampler::Probability;
/// use probity_noise::unit::Sensitivity;
/// let half = Probability::new(fraction::<1, 2>())?;
/// let response = RandomizedResponse::new(10, half)?;
/// assert_eq!(response.map().loss(&Sensitivity::from(1u32))?.to_string(), "ε = 2.1972245773362196");
/// let survey = response.over(vec!["red", "green"]).unwrap_err();
/// let survey = RandomizedResponse::new(2, Probability::from_f64(0.75)?)?.over(vec!["red", "green"])?;
/// let answer = survey.invoke(&"red")?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RandomizedResponse {
    /// Invariant: from 2 to 2^32 − 1.
    categories: usize,
    /// Invariant: 1/categories ≤ truth < 1.
    truth: Probability,
}

impl RandomizedResponse {
    /// Over this many categories, telling the truth with this probability.
    ///
    /// # Errors
    /// When there are fewer than 2 categories or more than 2^32 − 1, or p is not in [1/t, 1), compared exactly.
    pub fn new(categories: usize, truth: Probability) -> Result<Self, ParameterError> {
        check_count(categories)?;
        if truth.value() * Rational::from(categories) < Rational::ONE {
            let allowed = "at least 1 / (number of categories), compared exactly";
            return Err(ParameterError::new("probability of the truth", truth.value(), allowed));
        }
        if *truth.value() >= Rational::ONE {
            return Err(ParameterError::new("probability of the truth", truth.value(), "less than 1"));
        }
        Ok(RandomizedResponse { categories, truth })
    }

    /// Over this many categories, with the largest probability of the truth that costs at most ε: the
    /// largest double that does, or 1/t where every such double is below that.
    ///
    /// # Errors
    /// When there are fewer than 2 categories or more than 2^32 − 1.
    pub fn from_epsilon(categories: usize, epsilon: &Epsilon) -> Result<Self, MechanismError> {
        check_count(categories)?;
        let fair = Rational::ONE / Rational::from(categories);
        let nowhere = Rational::ONE;
        // The loss grows with p from 0 at p = 1/t; each candidate is decided exactly.
        let found = greatest_double(|p| match Probability::from_f64(p) {
            Err(_) => Ok(false),
            Ok(p) if *p.value() <= fair => Ok(true),
            Ok(p) if *p.value() >= Rational::ONE => Ok(false),
            Ok(p) => match epsilon.exact() {
                Some(bound) => loss(categories, p.value()).is_at_most(&Point::at(&nowhere), &bound),
                None => Ok(true),
            },
        });
        let largest = found.map_err(crate::map::MapError::from)?.unwrap_or(0.0);
        let truth = match Probability::from_f64(largest)? {
            p if *p.value() < fair => Probability::new(fair)?,
            p => p,
        };
        Ok(Self::new(categories, truth)?)
    }

    /// The number of categories.
    pub fn categories(&self) -> usize {
        self.categories
    }

    /// The probability of the truth.
    pub fn truth(&self) -> &Probability {
        &self.truth
    }

    /// The probability of each other category: (1−p)/(t−1).
    pub fn lie(&self) -> Rational {
        (Rational::ONE - self.truth.value()) / Rational::from(self.categories - 1)
    }

    /// The privacy map for the discrete distance.
    pub fn map(&self) -> PrivacyMap {
        PrivacyMap::pure(Expression::zero_at_zero(loss(self.categories, self.truth.value())))
    }

    /// The measurement over these categories. Any value may be given; one outside the categories is answered with
    /// a uniform category.
    ///
    /// # Errors
    /// When two categories are equal, or their number is not that of the law.
    pub fn over<Category>(
        &self,
        categories: Vec<Category>,
    ) -> Result<Measurement<Category, Category>, ParameterError>
    where
        Category: Eq + Hash + Clone + Send + Sync + 'static,
    {
        if categories.len() != self.categories {
            let allowed = "as many as the law was made for";
            return Err(ParameterError::new("number of categories", categories.len(), allowed));
        }
        let mut index = HashMap::with_capacity(categories.len());
        for (position, category) in categories.iter().enumerate() {
            if let Some(first) = index.insert(category.clone(), position) {
                let value = format!("positions {first} and {position} hold the same category");
                return Err(ParameterError::new("categories", value, "distinct"));
            }
        }
        // One draw answers: offset 0 is the truth, each other offset one of the others.
        let mut weights = vec![self.lie(); self.categories];
        weights[0] = self.truth.value().clone();
        let mechanism = OverCategories { categories, index, draws: Either::new(&weights)? };
        Ok(Measurement::new(Everything, Metric::Discrete, self.map(), mechanism))
    }

    /// Unbiased estimates of how many respondents belong to each category, from how often each was answered. Exact;
    /// an estimate may be negative or exceed the number of respondents. Every respondent must belong to
    /// some category.
    ///
    /// With q = (1−p)/(t−1), the expected count is p·nᵢ + q·(n − nᵢ), so nᵢ is estimated by (cᵢ − q·n)/(p − q).
    ///
    /// # Errors
    /// When the number of counts differs from that of categories, or p = 1/t, where answers tell nothing.
    pub fn debias(&self, counts: &[u64]) -> Result<Vec<Rational>, ParameterError> {
        if counts.len() != self.categories {
            let allowed = "one for each category";
            return Err(ParameterError::new("number of counts", counts.len(), allowed));
        }
        let lie = self.lie();
        let gap = self.truth.value() - &lie;
        if gap.is_zero() {
            let allowed = "more than 1 / (number of categories), or the answers tell nothing";
            return Err(ParameterError::new("probability of the truth", self.truth.value(), allowed));
        }
        let total = counts.iter().fold(Rational::ZERO, |sum, count| sum + Rational::from(*count));
        let background = lie * total;
        Ok(counts.iter().map(|count| (Rational::from(*count) - &background) / &gap).collect())
    }
}

fn check_count(categories: usize) -> Result<(), ParameterError> {
    match u32::try_from(categories) {
        Ok(2..) => Ok(()),
        _ => Err(ParameterError::new("number of categories", categories, "from 2 to 2^32 - 1")),
    }
}

/// ln of the larger of the two ratios of probabilities.
fn loss(categories: usize, truth: &Rational) -> Expression {
    let prob = || Expression::parameter("prob", truth.clone());
    let others = || Expression::parameter("categories", Rational::from(categories)) - Expression::one();
    let truthful = prob() * others() / (Expression::one() - prob());
    let lying = (Expression::one() - prob()) / (prob() * others());
    Expression::max(truthful, [lying]).ln()
}

/// Up to this many categories are searched one by one, which is faster than hashing.
const SCAN: usize = 32;

struct OverCategories<Category> {
    categories: Vec<Category>,
    index: HashMap<Category, usize>,
    /// The offset from the truth, and a uniform category for inputs that are none, from the same uniform real: only one of the two
    /// is ever used, and the time does not tell which.
    draws: Either,
}

impl<Category: Eq + Hash + Clone> OverCategories<Category> {
    /// Where the input is, and whether it is anywhere.
    #[inline]
    fn position(&self, input: &Category) -> (usize, bool) {
        if self.categories.len() > SCAN {
            let found = self.index.get(input);
            return (found.copied().unwrap_or(0), found.is_some());
        }
        // No early exit and no jump: the time does not depend on where the input is found.
        self.categories.iter().enumerate().fold((0, false), |(position, found), (at, category)| {
            let here = category == input;
            (position | (at & usize::from(here).wrapping_neg()), found | here)
        })
    }

    #[inline(always)]
    fn respond(&self, input: &Category, (offset, anything): (usize, usize)) -> Category {
        let (position, found) = self.position(input);
        let (sum, count) = (position.wrapping_add(offset) as u64, self.categories.len() as u64);
        // Around the circle, and then the truth's answer or any: without a jump.
        let shifted = select(sum >= count, sum.wrapping_sub(count), sum);
        self.categories[select(found, shifted, anything as u64) as usize].clone()
    }
}

impl<Category> Mechanism<Category, Category> for OverCategories<Category>
where
    Category: Eq + Hash + Clone + Send + Sync,
{
    fn answer(&self, input: &Category, entropy: &mut dyn Entropy) -> Result<Category, MechanismError> {
        Ok(self.respond(input, self.draws.sample(entropy)?))
    }

    fn answer_each(
        &self,
        inputs: &[Category],
        entropy: &mut dyn Entropy,
    ) -> Result<Vec<Category>, MechanismError> {
        let mut draws = [(0, 0); BLOCK];
        let mut answers = Vec::with_capacity(inputs.len());
        for inputs in inputs.chunks(BLOCK) {
            let draws = &mut draws[..inputs.len()];
            self.draws.fill(draws, entropy)?;
            answers.extend(inputs.iter().zip(draws.iter()).map(|(input, draw)| self.respond(input, *draw)));
        }
        Ok(answers)
    }
}

/// Answers whose randomness is drawn at once.
const BLOCK: usize = 1024;

/// Randomized response of one bit: the truth with probability p, else its opposite.
///
/// ```
/// use probity_noise::mechanisms::randomized_response_bool;
/// use probity_noise::sampler::Probability;
/// use probity_noise::unit::Sensitivity;
/// let coin = randomized_response_bool(Probability::from_f64(0.75)?)?;
/// assert_eq!(coin.map(&Sensitivity::from(1u32))?.to_string(), "ε = 1.0986122886681098");
/// assert_eq!(coin.invoke_vec(&[true; 1000])?.len(), 1000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When p is not in [1/2, 1).
pub fn randomized_response_bool(truth: Probability) -> Result<Measurement<bool, bool>, ParameterError> {
    let law = RandomizedResponse::new(2, truth)?;
    let mechanism = Bits(Bernoulli::new(law.truth.clone()));
    Ok(Measurement::new(Everything, Metric::Discrete, law.map(), mechanism))
}

/// Randomized response of every bit of a vector, independently. d_in is the number of bits that differ, and
/// each costs ln(p/(1−p)); no more can differ than there are.
///
/// # Errors
/// When p is not in [1/2, 1), or a known length is 0.
pub fn randomized_response_bits(
    length: Option<usize>,
    truth: Probability,
) -> Result<Measurement<Vec<bool>, Vec<bool>>, ParameterError> {
    let law = RandomizedResponse::new(2, truth)?;
    let mut domain = Vectors::of(Everything);
    // Bits differ one at a time, so a distance between two integers is as good as the lower one.
    let mut differing = Expression::distance_in().floor();
    if let Some(length) = length {
        domain = domain.with_length(length)?;
        differing = Expression::min(differing, [Expression::parameter("length", Rational::from(length))]);
    }
    let map = PrivacyMap::pure(differing * loss(2, law.truth.value()));
    Ok(Measurement::new(domain, Metric::ChangeOne, map, Bits(Bernoulli::new(law.truth))))
}

/// Keeps each bit where the coin says so, else flips it.
struct Bits(Bernoulli);

impl Mechanism<bool, bool> for Bits {
    fn answer(&self, input: &bool, entropy: &mut dyn Entropy) -> Result<bool, MechanismError> {
        Ok(*input == self.0.sample(entropy)?)
    }

    fn answer_each(&self, inputs: &[bool], entropy: &mut dyn Entropy) -> Result<Vec<bool>, MechanismError> {
        let mut answers = self.0.sample_vec(inputs.len(), entropy)?;
        for (answer, input) in answers.iter_mut().zip(inputs) {
            *answer = *answer == *input;
        }
        Ok(answers)
    }
}

impl Mechanism<Vec<bool>, Vec<bool>> for Bits {
    fn answer(&self, input: &Vec<bool>, entropy: &mut dyn Entropy) -> Result<Vec<bool>, MechanismError> {
        Mechanism::<bool, bool>::answer_each(self, input, entropy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::tape::Tape;
    use crate::measure::Loss;
    use crate::unit::Sensitivity;
    use probity_exact::directed::ln_nearest;
    use probity_exact::rational;

    fn ratio(n: i64, d: i64) -> Rational {
        rational(n, d).unwrap()
    }

    fn response(categories: usize, n: i64, d: i64) -> Result<RandomizedResponse, ParameterError> {
        RandomizedResponse::new(categories, Probability::new(ratio(n, d)).unwrap())
    }

    #[test]
    fn the_truth_is_at_least_as_likely_as_a_lie_and_not_certain() {
        assert!(response(3, 1, 3).is_ok() && response(3, 33, 100).is_err() && response(3, 1, 1).is_err());
        assert!(response(1, 1, 2).is_err() && response(0, 1, 2).is_err() && response(2, 1, 2).is_ok());
        assert!(response((1 << 32) - 1, 1, 2).is_ok() && response(1 << 32, 1, 2).is_err());
        let rare = || Probability::new(ratio(2, 5)).unwrap();
        assert!(randomized_response_bool(rare()).is_err() && randomized_response_bits(None, rare()).is_err());
        let found = response(5, 3, 5).unwrap();
        assert_eq!((found.categories(), found.truth().value(), found.lie()), (5, &ratio(3, 5), ratio(1, 10)));
    }

    /// ln(p(t − 1)/(1 − p)), which is 0 where the answer tells nothing.
    #[test]
    fn losses_are_logarithms_of_the_larger_ratio() {
        let loss = |response: RandomizedResponse, d: u32| match response
            .map()
            .loss(&Sensitivity::from(d))
            .unwrap()
        {
            Loss::Pure(epsilon) => epsilon.to_f64_up(),
            other => panic!("{other}"),
        };
        assert!((loss(response(5, 3, 5).unwrap(), 1) - ln_nearest(6.0)).abs() < 1e-12);
        assert_eq!((loss(response(5, 1, 5).unwrap(), 1), loss(response(5, 3, 5).unwrap(), 0)), (0.0, 0.0));
        for (bound, categories) in [(1.0, 2), (0.1, 10), (3.0, 4), (0.0, 3), (f64::INFINITY, 3)] {
            let epsilon = Epsilon::from_f64(bound).unwrap();
            let found = RandomizedResponse::from_epsilon(categories, &epsilon).unwrap();
            let truth = found.truth().value().clone();
            assert!(loss(found, 1) <= bound.next_up());
            // A little more of the truth costs more.
            let more = Probability::new((&truth * ratio(1_000_001, 1_000_000)).min(ratio(1, 1))).unwrap();
            let next = RandomizedResponse::new(categories, more);
            assert!(next.is_err() || loss(next.unwrap(), 1) > bound, "{bound}");
        }
        let bits = |length| randomized_response_bits(length, Probability::new(ratio(3, 4)).unwrap()).unwrap();
        let of_bits = |length, d: Rational| match bits(length).map(&Sensitivity::new(d).unwrap()).unwrap() {
            Loss::Pure(epsilon) => epsilon.to_f64_up() / ln_nearest(3.0),
            other => panic!("{other}"),
        };
        for (length, d, times) in
            [(None, ratio(5, 2), 2.0), (Some(4), ratio(3, 1), 3.0), (Some(4), ratio(9, 1), 4.0)]
        {
            assert!((of_bits(length, d) - times).abs() < 1e-12);
        }
    }

    /// (cᵢ − q·n)/(p − q) with p = 3/5 and q = 1/10.
    #[test]
    fn counts_are_debiased_exactly() {
        let found = response(5, 3, 5).unwrap();
        assert_eq!(found.debias(&[16, 1, 1, 1, 1]).unwrap(), [28, -2, -2, -2, -2].map(|n| ratio(n, 1)));
        assert!(found.debias(&[1, 2]).is_err() && response(5, 1, 5).unwrap().debias(&[1; 5]).is_err());
    }

    /// The answer is the category as many places further around as the draw says; what is no category gets any.
    #[test]
    fn answers_go_around_the_circle() {
        for count in [3usize, SCAN, SCAN + 1, 40] {
            let categories: Vec<usize> = (100..100 + count).collect();
            let index = categories.iter().enumerate().map(|(at, name)| (*name, at)).collect();
            let mut weights = vec![ratio(1, 2 * count as i64); count];
            weights[0] = ratio(count as i64 + 1, 2 * count as i64);
            let answers = OverCategories { categories, index, draws: Either::new(&weights).unwrap() };
            for at in 0..count {
                assert_eq!(answers.position(&(100 + at)), (at, true));
                for offset in 0..count {
                    assert_eq!(answers.respond(&(100 + at), (offset, 0)), 100 + (at + offset) % count);
                    assert_eq!(answers.respond(&7, (offset, at)), 100 + at);
                }
            }
        }
    }

    #[test]
    fn answers_are_those_of_their_draws() {
        let (tape, law) = (|| Tape::seeded(3), response(4, 1, 2).unwrap());
        let survey = law.over(vec!['a', 'b', 'c', 'd']).unwrap();
        let mut weights = vec![law.lie(); 4];
        weights[0] = law.truth().value().clone();
        let draws = Either::new(&weights).unwrap();
        let (offset, anything) = draws.sample(&mut tape()).unwrap();
        let letters = ['a', 'b', 'c', 'd'];
        assert_eq!(survey.simulate(&'c', &mut tape()).unwrap(), letters[(2 + offset) % 4]);
        assert_eq!(survey.simulate(&'z', &mut tape()).unwrap(), letters[anything]);
        let many = vec!['b'; 2500];
        let answers = survey.simulate_vec(&many, &mut tape()).unwrap();
        let kept = answers.iter().filter(|answer| **answer == 'b').count();
        assert!(answers.len() == 2500 && (1150..1350).contains(&kept), "{kept}");
        assert!(law.over(vec!['a', 'b', 'c']).is_err() && law.over(vec!['a', 'b', 'c', 'a']).is_err());
        let coin = randomized_response_bool(Probability::new(ratio(3, 4)).unwrap()).unwrap();
        let keep = Bernoulli::new(Probability::new(ratio(3, 4)).unwrap());
        let kept = keep.sample_vec(500, &mut tape()).unwrap();
        for truth in [true, false] {
            let expected: Vec<bool> = kept.iter().map(|kept| *kept == truth).collect();
            assert_eq!(coin.simulate_vec(&[truth; 500], &mut tape()).unwrap(), expected);
            assert_eq!(
                coin.simulate(&truth, &mut tape()).unwrap(),
                keep.sample(&mut tape()).unwrap() == truth
            );
            let bits = randomized_response_bits(Some(500), Probability::new(ratio(3, 4)).unwrap()).unwrap();
            assert_eq!(bits.simulate(&vec![truth; 500], &mut tape()).unwrap(), expected);
        }
    }
}
