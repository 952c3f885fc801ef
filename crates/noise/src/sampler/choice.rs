//! One of k alternatives, uniformly or with rational weights.

use probity_exact::{Natural, Rational};

use super::SampleError;
use super::draw::Draw;
use super::lanes::{self, LANE_BITS, Lane};
use super::parameter::ParameterError;
use super::prefix::{Chunks, Prefix};
use super::threshold::Threshold;
use super::uniform_integer::decide_below;
use super::words::Words;
use crate::entropy::Entropy;

/// Up to this many weights are scanned in full for every draw; beyond, the position is found by bisection.
const SCAN: usize = 16;

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
    /// ⌊U·k⌋. The count fits in 32 bits, so that a lane can decide.
    Uniform { count: u32 },
    /// The number of cumulative weights that U is not below.
    Weighted {
        /// Increasing, from 0 to 1: the weight of all alternatives up to each but the last.
        cumulative: Vec<Threshold>,
        /// ⌊c·2^32⌋ for each of them: a larger lane is above c, a smaller one below. 2^32 is held as 2^32 − 1,
        /// which no lane exceeds and nothing is above; only a lane that equals it is left open.
        lanes: Vec<u32>,
    },
}

impl Choice {
    /// Each of `count` alternatives with the same probability.
    ///
    /// # Errors
    /// When there is no alternative, or more than 2^32 − 1.
    pub fn uniform(count: usize) -> Result<Self, ParameterError> {
        match u32::try_from(count) {
            Ok(count) if count > 0 => Ok(Choice(Kind::Uniform { count })),
            _ => Err(ParameterError::new(
                "count",
                count,
                "from 1 to 2^32 - 1; use `UniformBelow` for larger ranges",
            )),
        }
    }

    /// Alternative i with probability proportional to `weights[i]`; weights need not add up to 1.
    ///
    /// # Errors
    /// When a weight is negative, or none is positive.
    pub fn weighted(weights: &[Rational]) -> Result<Self, ParameterError> {
        if let Some(weight) = weights.iter().find(|weight| **weight < Rational::ZERO) {
            return Err(ParameterError::new("weight", weight, "at least 0"));
        }
        let total = weights.iter().fold(Rational::ZERO, |sum, weight| sum + weight);
        if total.is_zero() {
            return Err(ParameterError::new("sum of weights", total, "positive"));
        }
        let mut sum = Rational::ZERO;
        let mut cumulative = Vec::with_capacity(weights.len() - 1);
        let mut lanes = Vec::with_capacity(weights.len() - 1);
        for weight in &weights[..weights.len() - 1] {
            sum += weight;
            let share = &sum / &total;
            let lane = (&share * Rational::from(Natural::ONE << LANE_BITS)).floor();
            lanes.push(u32::try_from(lane).unwrap_or(u32::MAX));
            cumulative.push(Threshold::Exact(share));
        }
        Ok(Choice(Kind::Weighted { cumulative, lanes }))
    }
}

/// ⌊U·count⌋ from 32 bits of U.
struct Uniform(u32);

impl Lane for Uniform {
    type Value = usize;

    #[inline(always)]
    fn decide_lane(&self, lane: u32) -> Option<usize> {
        // U·k lies between lane·k/2^32 and (lane + 1)·k/2^32: the same floor unless a multiple of 2^32 lies
        // strictly between.
        let product = u64::from(lane).wrapping_mul(u64::from(self.0));
        let low = product as u32;
        (u64::from(low).wrapping_add(u64::from(self.0)) <= 1 << 32).then_some((product >> 32) as usize)
    }

    fn decide(&self, prefix: &Prefix) -> Option<usize> {
        usize::try_from(decide_below(&Natural::from(self.0), prefix)?).ok()
    }
}

/// The number of cumulative weights that U is not below.
struct Weighted<'c> {
    cumulative: &'c [Threshold],
    lanes: &'c [u32],
}

impl Lane for Weighted<'_> {
    type Value = usize;

    #[inline(always)]
    fn decide_lane(&self, lane: u32) -> Option<usize> {
        let (below, open) = if self.lanes.len() <= SCAN {
            // No early exit: the time does not depend on the lane.
            self.lanes.iter().fold((0u32, 0u32), |(below, open), &edge| {
                (below.wrapping_add(u32::from(edge < lane)), open | u32::from(edge == lane))
            })
        } else {
            let below = self.lanes.partition_point(|&edge| edge < lane);
            (below as u32, u32::from(self.lanes.get(below) == Some(&lane)))
        };
        (open == 0).then_some(below as usize)
    }

    fn decide(&self, prefix: &Prefix) -> Option<usize> {
        // The first threshold above U; every earlier one must be known not to be.
        for (index, threshold) in self.cumulative.iter().enumerate() {
            if threshold.is_above(prefix)? {
                return Some(index);
            }
        }
        Some(self.cumulative.len())
    }
}

impl Draw for Choice {
    type Value = usize;

    fn blank() -> usize {
        0
    }

    fn draw<E: Entropy + ?Sized>(&self, words: &mut Words<'_, E>) -> Result<usize, SampleError> {
        match &self.0 {
            Kind::Uniform { count } => lanes::draw(&Uniform(*count), words),
            Kind::Weighted { cumulative, lanes } => lanes::draw(&Weighted { cumulative, lanes }, words),
        }
    }

    fn draw_exactly<C: Chunks>(&self, chunks: &mut C) -> Result<usize, SampleError> {
        Ok(Prefix::unknown().resolve(chunks, |prefix| match &self.0 {
            Kind::Uniform { count } => Uniform(*count).decide(prefix),
            Kind::Weighted { cumulative, lanes } => Weighted { cumulative, lanes }.decide(prefix),
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
            Kind::Uniform { count } => lanes::draw_all(&Uniform(*count), out, words),
            Kind::Weighted { cumulative, lanes } => {
                lanes::draw_all(&Weighted { cumulative, lanes }, out, words)
            }
        }
    }
}
