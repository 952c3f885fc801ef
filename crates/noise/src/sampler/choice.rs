//! One of k alternatives, uniformly or with rational weights.

use probity_exact::{Natural, Rational};

use super::SampleError;
use super::alias::Alias;
use super::draw::Draw;
use super::lanes::{self, Lane};
use super::parameter::ParameterError;
use super::prefix::{Chunks, Prefix};
use super::uniform_integer::decide_below;
use super::words::Words;
use crate::entropy::Entropy;

/// An index below k: uniform, or with given weights.
///
/// ```
/// use probity_exact::Rational;
/// use probity_noise::entropy::SecureEntropy;
/// use probity_noise::sampler::{Choice, Sampler};
/// let die = Choice::uniform(6)?;
/// let mut throws = [0; 100];
/// die.fill(&mut throws, &mut SecureEntropy::new()?)?;
/// assert!(throws.iter().all(|&throw| throw < 6));
///
/// let weights = [1u8, 0, 2].map(Rational::from);
/// assert_ne!(Choice::weighted(&weights)?.sample(&mut SecureEntropy::new()?)?, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Choice(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Uniform(Uniform),
    Weighted(Alias),
}

impl Choice {
    /// Each of `count` alternatives with the same probability.
    ///
    /// # Errors
    /// When there is no alternative, or more than 2^32 − 1.
    pub fn uniform(count: usize) -> Result<Self, ParameterError> {
        Ok(Choice(Kind::Uniform(Uniform::new(count)?)))
    }

    /// Alternative i with probability proportional to `weights[i]`; weights need not add up to 1. A draw takes the same few steps
    /// for any number of alternatives and any answer.
    ///
    /// # Errors
    /// When a weight is negative, none is positive, or there are more than 2^31.
    pub fn weighted(weights: &[Rational]) -> Result<Self, ParameterError> {
        Ok(Choice(Kind::Weighted(Alias::new(weights)?)))
    }
}

/// ⌊U·count⌋. The count fits in 32 bits, so that a lane can decide.
#[derive(Debug, Clone, Copy)]
struct Uniform(u32);

impl Uniform {
    fn new(count: usize) -> Result<Self, ParameterError> {
        match u32::try_from(count) {
            Ok(count) if count > 0 => Ok(Uniform(count)),
            _ => Err(ParameterError::new(
                "count",
                count,
                "from 1 to 2^32 - 1; use `UniformBelow` for larger ranges",
            )),
        }
    }
}

impl Lane for Uniform {
    type Value = usize;

    #[inline(always)]
    fn decide_lane(&self, lane: u32) -> (usize, bool) {
        // U·k lies between lane·k/2^32 and (lane + 1)·k/2^32: the same floor unless a multiple of 2^32 lies
        // strictly between.
        let product = u64::from(lane).wrapping_mul(u64::from(self.0));
        let low = product as u32;
        ((product >> 32) as usize, u64::from(low).wrapping_add(u64::from(self.0)) <= 1 << 32)
    }

    fn decide(&self, prefix: &Prefix) -> Option<usize> {
        usize::try_from(decide_below(&Natural::from(self.0), prefix)?).ok()
    }
}

/// A weighted choice and a uniform one from the same uniform real: each has exactly its law, and they are not
/// independent. For whoever needs one of the two, and must not show which.
#[derive(Debug, Clone)]
pub(crate) struct Either {
    weighted: Alias,
    uniform: Uniform,
}

impl Either {
    /// A choice with these weights, and a uniform one of as many.
    pub(crate) fn new(weights: &[Rational]) -> Result<Self, ParameterError> {
        Ok(Either { weighted: Alias::new(weights)?, uniform: Uniform::new(weights.len())? })
    }
}

impl Lane for Either {
    type Value = (usize, usize);

    #[inline(always)]
    fn decide_lane(&self, lane: u32) -> ((usize, usize), bool) {
        let (weighted, uniform) = (self.weighted.decide_lane(lane), self.uniform.decide_lane(lane));
        ((weighted.0, uniform.0), weighted.1 & uniform.1)
    }

    fn decide(&self, prefix: &Prefix) -> Option<(usize, usize)> {
        Some((self.weighted.decide(prefix)?, self.uniform.decide(prefix)?))
    }
}

impl Draw for Choice {
    type Value = usize;

    fn blank() -> usize {
        0
    }

    #[inline(always)]
    fn draw<E: Entropy + ?Sized>(&self, words: &mut Words<'_, E>) -> Result<usize, SampleError> {
        match &self.0 {
            Kind::Uniform(uniform) => lanes::draw(uniform, words),
            Kind::Weighted(alias) => lanes::draw(alias, words),
        }
    }

    fn draw_exactly<C: Chunks>(&self, chunks: &mut C) -> Result<usize, SampleError> {
        Ok(Prefix::unknown().resolve(chunks, |prefix| match &self.0 {
            Kind::Uniform(uniform) => uniform.decide(prefix),
            Kind::Weighted(alias) => alias.decide(prefix),
        })?)
    }

    fn expected_words(&self, count: usize) -> usize {
        count.div_ceil(2)
    }

    fn draw_all<E: Entropy + ?Sized>(
        &self,
        out: &mut [usize],
        words: &mut Words<'_, E>,
    ) -> Result<(), SampleError> {
        match &self.0 {
            Kind::Uniform(uniform) => lanes::draw_all(uniform, out, words),
            Kind::Weighted(alias) => lanes::draw_all(alias, out, words),
        }
    }
}

impl Draw for Either {
    type Value = (usize, usize);

    fn blank() -> (usize, usize) {
        (0, 0)
    }

    #[inline(always)]
    fn draw<E: Entropy + ?Sized>(&self, words: &mut Words<'_, E>) -> Result<(usize, usize), SampleError> {
        lanes::draw(self, words)
    }

    fn draw_exactly<C: Chunks>(&self, chunks: &mut C) -> Result<(usize, usize), SampleError> {
        Ok(Prefix::unknown().resolve(chunks, |prefix| self.decide(prefix))?)
    }

    fn expected_words(&self, count: usize) -> usize {
        count.div_ceil(2)
    }

    fn draw_all<E: Entropy + ?Sized>(
        &self,
        out: &mut [(usize, usize)],
        words: &mut Words<'_, E>,
    ) -> Result<(), SampleError> {
        lanes::draw_all(self, out, words)
    }
}
