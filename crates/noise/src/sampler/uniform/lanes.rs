//! Two draws from one word: samplers that usually decide from 32 bits.
//!
//! A word is cut into two independent halves, each the first 32 bits of its own uniform real. A half that
//! leaves its draw open is continued with fresh words, so every draw keeps its exact law and all draws stay
//! independent.

use super::super::SampleError;
use super::prefix::Prefix;
use super::words::Words;
use crate::entropy::{Entropy, EntropyError};

/// Bits of a lane.
pub(crate) const LANE_BITS: usize = 32;

/// A sampler that decides from a few bits of a uniform real.
pub(crate) trait Lane {
    /// What is drawn.
    type Value;

    /// The value, and whether these 32 bits decide it. Without a branch: the time must not tell the value.
    fn decide_lane(&self, lane: u32) -> (Self::Value, bool);

    /// The value, or `None` when the prefix leaves it open.
    fn decide(&self, prefix: &Prefix) -> Option<Self::Value>;
}

/// One draw, from the upper half of a word.
#[inline(always)]
pub(crate) fn draw<L: Lane, E: Entropy + ?Sized>(
    sampler: &L,
    words: &mut Words<'_, E>,
) -> Result<L::Value, SampleError> {
    let word = words.next()?;
    Ok(draw_lane(sampler, (word >> 32) as u32, words)?)
}

/// Fills `out`, two draws to a word.
#[inline(always)]
pub(crate) fn draw_all<L: Lane, E: Entropy + ?Sized>(
    sampler: &L,
    out: &mut [L::Value],
    words: &mut Words<'_, E>,
) -> Result<(), SampleError> {
    let (pairs, last) = out.as_chunks_mut::<2>();
    for [first, second] in pairs {
        let word = words.next()?;
        *first = draw_lane(sampler, (word >> 32) as u32, words)?;
        *second = draw_lane(sampler, word as u32, words)?;
    }
    for value in last {
        *value = draw(sampler, words)?;
    }
    Ok(())
}

#[inline(always)]
fn draw_lane<L: Lane, E: Entropy + ?Sized>(
    sampler: &L,
    lane: u32,
    words: &mut Words<'_, E>,
) -> Result<L::Value, EntropyError> {
    let (value, decided) = sampler.decide_lane(lane);
    if decided { Ok(value) } else { finish(sampler, lane, words) }
}

#[cold]
fn finish<L: Lane, E: Entropy + ?Sized>(
    sampler: &L,
    lane: u32,
    words: &mut Words<'_, E>,
) -> Result<L::Value, EntropyError> {
    Prefix::known(lane, LANE_BITS).resolve(words, |prefix| sampler.decide(prefix))
}
