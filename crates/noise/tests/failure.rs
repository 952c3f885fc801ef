//! A failing source is an error of every sampler, and no partial result is left behind.

use probity_exact::{Format, Integer, Natural, Rational, UnsignedAbs, rational};
use probity_noise::entropy::{Entropy, EntropyError, SecureEntropy};
use probity_noise::sampler::*;

/// Delivers this many requests of good words, then fails for ever.
struct FailsAfter(usize);

const FAILURE: EntropyError = EntropyError::System { code: Some(5) };

impl Entropy for FailsAfter {
    fn fill_words(&mut self, words: &mut [u64]) -> Result<(), EntropyError> {
        if self.0 == 0 {
            return Err(FAILURE);
        }
        self.0 -= 1;
        for (at, word) in words.iter_mut().enumerate() {
            *word = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        Ok(())
    }
}

fn propagates<S: Sampler>(sampler: &S, used: S::Value, is_blank: impl Fn(&S::Value) -> bool) {
    assert!(matches!(sampler.sample(&mut FailsAfter(0)), Err(SampleError::Entropy(FAILURE))));
    assert!(sampler.sample_vec(10, &mut FailsAfter(0)).is_err());
    // 100,000 draws take several requests of every sampler: some succeed before the failure.
    for requests in [0, 1, 2] {
        let mut out = vec![used.clone(); 100_000];
        let result = sampler.fill(&mut out, &mut FailsAfter(requests));
        assert_eq!(result, Err(SampleError::Entropy(FAILURE)));
        assert!(out.iter().all(&is_blank), "a partial result is left behind");
    }
}

#[test]
fn every_sampler_propagates_a_failure() {
    let ratio = |n: i64, d: i64| rational(n, d).unwrap();
    for scale in [ratio(1, 1), ratio(1 << 40, 1), ratio(1, 1 << 60)] {
        let scale = Scale::new(scale).unwrap();
        propagates(&DiscreteLaplace::<i64>::new(scale.clone()).unwrap(), 7, |x| *x == 0);
        propagates(&Geometric::<i64>::new(scale.clone()).unwrap(), 7, |x| *x == 0);
        propagates(&DiscreteLaplace::<Integer>::new(scale).unwrap(), Integer::from(7), |x| {
            *x == Integer::ZERO
        });
    }
    let squared_scale = SquaredScale::new(ratio(9, 2)).unwrap();
    propagates(&DiscreteGaussian::<i64>::new(squared_scale).unwrap(), 7, |x| *x == 0);
    propagates(&Bernoulli::new(Probability::new(ratio(1, 3)).unwrap()), true, |x| !x);
    propagates(&BernoulliExp::new(Exponent::new(ratio(1, 3)).unwrap()), true, |x| !x);
    propagates(&Choice::uniform(10).unwrap(), 7, |x| *x == 0);
    propagates(&Choice::weighted(&[Rational::ONE, Rational::ONE]).unwrap(), 7, |x| *x == 0);
    propagates(&Sign, 7, |x| *x == 0);
    propagates(&UniformBelow::<i64>::new(Count::new(10u8).unwrap()).unwrap(), 7, |x| *x == 0);
    let wide = Count::new(Natural::ONE << 100).unwrap();
    propagates(&UniformBelow::<Integer>::new(wide).unwrap(), Integer::from(7), |x| *x == Integer::ZERO);
    propagates(&UniformDouble, 0.5, |x| x.is_nan());
    let used = Format::BINARY16.max_finite();
    propagates(&UniformFloat::new(Format::BINARY16), used, |x| x.is_nan());
}

#[test]
fn no_noise_needs_no_randomness() {
    let zero = Scale::new(Rational::ZERO).unwrap();
    let mut none = FailsAfter(0);
    assert_eq!(DiscreteLaplace::<i64>::new(zero.clone()).unwrap().sample(&mut none), Ok(0));
    assert_eq!(Geometric::<Integer>::new(zero).unwrap().sample(&mut none), Ok(Integer::ZERO));
    let zero = SquaredScale::new(Rational::ZERO).unwrap();
    assert_eq!(DiscreteGaussian::<i64>::new(zero).unwrap().sample(&mut none), Ok(0));
}

#[test]
fn scales_beyond_a_machine_integer_are_refused_by_name() {
    let limit = rational(Integer::ONE << 50, 1).unwrap();
    let above = Scale::new(&limit + Rational::ONE).unwrap();
    assert!(DiscreteLaplace::<i64>::new(Scale::new(limit.clone()).unwrap()).is_ok());
    let error = DiscreteLaplace::<i64>::new(above.clone()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "scale = 1125899906842625 is not allowed: it must be at most 2^50 for 64-bit outcomes; draw `Integer` \
         outcomes beyond"
    );
    assert!(Geometric::<i64>::new(above.clone()).is_err());
    assert!(DiscreteLaplace::<Integer>::new(above).is_ok());
    let squared = &limit * &limit;
    let below = SquaredScale::new(&squared - Rational::ONE).unwrap();
    assert!(DiscreteGaussian::<i64>::new(below).is_ok());
    let error = DiscreteGaussian::<i64>::new(SquaredScale::new(squared).unwrap()).unwrap_err();
    assert_eq!(error.parameter(), "squared scale");
    assert!(UniformBelow::<i64>::new(Count::new(1u64 << 63).unwrap()).is_ok());
    assert!(UniformBelow::<i64>::new(Count::new((1u64 << 63) + 1).unwrap()).is_err());
}

#[test]
fn choices_among_nothing_are_refused() {
    assert_eq!(Choice::uniform(0).unwrap_err().parameter(), "count");
    assert_eq!(Choice::weighted(&[]).unwrap_err().parameter(), "sum of weights");
    assert_eq!(Choice::weighted(&[Rational::ZERO]).unwrap_err().parameter(), "sum of weights");
    let negative = [Rational::ONE, -Rational::ONE, Rational::ONE];
    assert_eq!(Choice::weighted(&negative).unwrap_err().parameter(), "weight");
}

#[test]
fn no_size_is_too_large() {
    let entropy = &mut SecureEntropy::new().unwrap();
    // More bits than an undecided draw may read: here they are needed from the start.
    let count = (Natural::ONE << 200_000) - Natural::ONE;
    let value =
        UniformBelow::<Integer>::new(Count::new(count.clone()).unwrap()).unwrap().sample(entropy).unwrap();
    assert!(value < Integer::from(count) && value > Integer::ONE << 100_000);
    let format = Format::new(1 << 20, -100, 100).unwrap();
    assert!(format.contains(&UniformFloat::new(format).sample(entropy).unwrap()));
    let scale = Scale::new(rational(Integer::ONE << 100_000, 3).unwrap()).unwrap();
    let value = DiscreteLaplace::<Integer>::new(scale).unwrap().sample(entropy).unwrap();
    assert!(value.unsigned_abs() > Natural::ONE << 50_000);
    let scale = Scale::new(rational(3, Integer::ONE << 100_000).unwrap()).unwrap();
    assert_eq!(DiscreteLaplace::<Integer>::new(scale).unwrap().sample(entropy).unwrap(), Integer::ZERO);
    let squared = SquaredScale::new(rational(Integer::ONE << 5_000, 3).unwrap()).unwrap();
    let value = DiscreteGaussian::<Integer>::new(squared).unwrap().sample(entropy).unwrap();
    assert!(value.unsigned_abs() > Natural::ONE << 2_000);
}
