//! Adding integer noise: saturating, unbounded, or wrapping. It knows nothing about privacy; the law of x + Z is
//! all there is, and saturating or wrapping it is post-processing.

use probity_exact::{Integer, Natural, Signed};

use crate::entropy::Entropy;
use crate::measurement::{Mechanism, MechanismError};
use crate::sampler::Sampler;

/// x + Z clamped to the 64-bit integers.
pub(super) struct Saturating<S>(pub(super) S);

impl<S: Sampler<Value = i64> + Send + Sync> Mechanism<i64, i64> for Saturating<S> {
    fn answer(&self, input: &i64, entropy: &mut dyn Entropy) -> Result<i64, MechanismError> {
        Ok(input.saturating_add(self.0.sample(entropy)?))
    }

    fn answer_each(&self, inputs: &[i64], entropy: &mut dyn Entropy) -> Result<Vec<i64>, MechanismError> {
        // The noise becomes the answers in place: one allocation for all.
        let mut answers = self.0.sample_vec(inputs.len(), entropy)?;
        for (answer, input) in answers.iter_mut().zip(inputs) {
            *answer = answer.saturating_add(*input);
        }
        Ok(answers)
    }
}

impl<S: Sampler<Value = i64> + Send + Sync> Mechanism<Vec<i64>, Vec<i64>> for Saturating<S> {
    fn answer(&self, input: &Vec<i64>, entropy: &mut dyn Entropy) -> Result<Vec<i64>, MechanismError> {
        Mechanism::<i64, i64>::answer_each(self, input, entropy)
    }
}

/// x + Z.
pub(super) struct Unbounded<S>(pub(super) S);

impl<S: Sampler<Value = Integer> + Send + Sync> Mechanism<Integer, Integer> for Unbounded<S> {
    fn answer(&self, input: &Integer, entropy: &mut dyn Entropy) -> Result<Integer, MechanismError> {
        Ok(input + self.0.sample(entropy)?)
    }

    fn answer_each(
        &self,
        inputs: &[Integer],
        entropy: &mut dyn Entropy,
    ) -> Result<Vec<Integer>, MechanismError> {
        let mut answers = self.0.sample_vec(inputs.len(), entropy)?;
        for (answer, input) in answers.iter_mut().zip(inputs) {
            *answer += input;
        }
        Ok(answers)
    }
}

impl<S: Sampler<Value = Integer> + Send + Sync> Mechanism<Vec<Integer>, Vec<Integer>> for Unbounded<S> {
    fn answer(
        &self,
        input: &Vec<Integer>,
        entropy: &mut dyn Entropy,
    ) -> Result<Vec<Integer>, MechanismError> {
        Mechanism::<Integer, Integer>::answer_each(self, input, entropy)
    }
}

/// (x + Z) mod m on machine words, m ≤ 2^64.
pub(super) struct WrappingWord<S> {
    pub(super) noise: S,
    /// Invariant: from 1 to 2^64.
    pub(super) modulus: i128,
}

impl<S> WrappingWord<S> {
    fn wrap(&self, input: u64, noise: i64) -> u64 {
        // Both summands are below 2^65 in magnitude, and the remainder is below m ≤ 2^64.
        (i128::from(input) + i128::from(noise)).rem_euclid(self.modulus) as u64
    }
}

impl<S: Sampler<Value = i64> + Send + Sync> Mechanism<u64, u64> for WrappingWord<S> {
    fn answer(&self, input: &u64, entropy: &mut dyn Entropy) -> Result<u64, MechanismError> {
        Ok(self.wrap(*input, self.noise.sample(entropy)?))
    }

    fn answer_each(&self, inputs: &[u64], entropy: &mut dyn Entropy) -> Result<Vec<u64>, MechanismError> {
        let noise = self.noise.sample_vec(inputs.len(), entropy)?;
        Ok(inputs.iter().zip(noise).map(|(input, noise)| self.wrap(*input, noise)).collect())
    }
}

/// (x + Z) mod m for a modulus of any size.
pub(super) struct WrappingBig<S> {
    pub(super) noise: S,
    /// Invariant: at least 1.
    pub(super) modulus: Natural,
}

impl<S: Sampler<Value = Integer> + Send + Sync> Mechanism<Integer, Integer> for WrappingBig<S> {
    fn answer(&self, input: &Integer, entropy: &mut dyn Entropy) -> Result<Integer, MechanismError> {
        let modulus = Integer::from(self.modulus.clone());
        let remainder = (input + self.noise.sample(entropy)?) % &modulus;
        Ok(if remainder.is_negative() { remainder + modulus } else { remainder })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::tape::Tape;
    use crate::sampler::{DiscreteLaplace, Scale};

    fn tape() -> Tape {
        Tape::seeded(5)
    }

    /// The answer is what the noise that the same words give makes of the input.
    #[test]
    fn answers_are_inputs_and_their_noise() {
        let scale = Scale::from_f64(40.0).unwrap();
        let (small, big) = (
            DiscreteLaplace::<i64>::new(scale.clone()).unwrap(),
            DiscreteLaplace::<Integer>::new(scale).unwrap(),
        );
        let (z, huge) = (small.sample(&mut tape()).unwrap(), big.sample(&mut tape()).unwrap());
        assert!(z != 0 && huge != Integer::ZERO);
        let inputs = [-1000, 0, 7, i64::MAX, i64::MIN];
        let noise = small.sample_vec(inputs.len(), &mut tape()).unwrap();
        let noisy: Vec<i64> = inputs.iter().zip(&noise).map(|(x, z)| x.saturating_add(*z)).collect();
        let saturating = Saturating(small.clone());
        assert_eq!(saturating.answer(&7, &mut tape()).unwrap(), 7 + z);
        assert_eq!(saturating.answer_each(&inputs, &mut tape()).unwrap(), noisy);
        assert_eq!(saturating.answer(&inputs.to_vec(), &mut tape()).unwrap(), noisy);

        let bigs: Vec<Integer> = inputs.iter().map(|x| Integer::from(*x)).collect();
        let noise = big.sample_vec(bigs.len(), &mut tape()).unwrap();
        let noisy: Vec<Integer> = bigs.iter().zip(&noise).map(|(x, z)| x + z).collect();
        let unbounded = Unbounded(big.clone());
        assert_eq!(unbounded.answer(&bigs[2], &mut tape()).unwrap(), &bigs[2] + &huge);
        assert_eq!(unbounded.answer_each(&bigs, &mut tape()).unwrap(), noisy);
        assert_eq!(unbounded.answer(&bigs, &mut tape()).unwrap(), noisy);

        for modulus in [1i128, 2, 10, 97, 1 << 64] {
            let word = WrappingWord { noise: small.clone(), modulus };
            let inputs = [0u64, 3, 96, u64::MAX];
            let each = word.answer_each(&inputs, &mut tape()).unwrap();
            let noise = small.sample_vec(inputs.len(), &mut tape()).unwrap();
            assert_eq!(each.len(), inputs.len());
            for ((x, z), answer) in inputs.iter().zip(&noise).zip(each) {
                assert_eq!(i128::from(answer), (i128::from(*x) + i128::from(*z)).rem_euclid(modulus));
            }
            let wrapped = |x: i128, z: i128| (x + z).rem_euclid(modulus);
            assert_eq!(i128::from(word.answer(&3, &mut tape()).unwrap()), wrapped(3, i128::from(z)));
            let modulus = Natural::try_from(modulus).unwrap();
            let around = WrappingBig { noise: big.clone(), modulus };
            let z = i128::try_from(&huge).unwrap();
            for x in [-1000, -1, 0, 96, 500] {
                let answer = around.answer(&Integer::from(x), &mut tape()).unwrap();
                assert_eq!(answer, Integer::from(wrapped(x, z)), "{x} {z}");
            }
        }
    }
}
