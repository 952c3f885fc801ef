//! Many draws of noise at once, in two passes.
//!
//! The first pass runs the fast path over a block without a branch and marks the draws that it leaves open, so
//! that processors can overlap the draws. The second pass hands the words of each marked draw to the scalar
//! sampler, which reads them in the same order and the same way: a marked draw is the scalar draw.

use probity_exact::Rational;
use zeroize::Zeroizing;

use super::SampleError;
use super::laplace::{draw_direct, draw_split, is_negative, split_at_once};
use super::magnitude::{Magnitude, Sides};
use super::neg_ln::TwoWords;
use super::outcome::Outcome;
use super::words::Words;
use crate::entropy::Entropy;

/// Draws whose words are asked for at once.
const DRAWS: usize = 256;
/// Draws of one pass: a word has a mark for each.
const PASS: usize = u64::BITS as usize;

/// Noise in one piece: two words a draw.
pub(super) fn fill_direct<T: Outcome, E: Entropy + ?Sized>(
    magnitude: &Magnitude,
    sides: Sides,
    out: &mut [T],
    words: &mut Words<'_, E>,
) -> Result<(), SampleError> {
    let mut random = Zeroizing::new([0u64; 2 * DRAWS]);
    for out in out.chunks_mut(DRAWS) {
        let random = &mut random[..2 * out.len()];
        words.fill(random)?;
        let (pairs, _) = random.as_chunks::<2>();
        for (out, pairs) in out.chunks_mut(PASS).zip(pairs.chunks(PASS)) {
            let mut open = 0u64;
            for (at, (value, &[leading, mantissa])) in out.iter_mut().zip(pairs).enumerate() {
                let (number, decided) = magnitude.decide_raw(TwoWords { leading, mantissa });
                open |= u64::from(!decided).wrapping_shl(at as u32);
                *value = T::from_word(is_negative(sides, leading), number);
            }
            for at in ones(open) {
                words.unread(&pairs[at]);
                out[at] = draw_direct(magnitude, sides, words)?;
            }
        }
    }
    Ok(())
}

/// Noise split into a high part and low bits that come from one word together with the bits that accept them:
/// three words a draw.
pub(super) fn fill_split<T: Outcome, E: Entropy + ?Sized>(
    high: &Magnitude,
    shift: usize,
    scale: &Rational,
    sides: Sides,
    out: &mut [T],
    words: &mut Words<'_, E>,
) -> Result<(), SampleError> {
    let mut random = Zeroizing::new([0u64; 3 * DRAWS]);
    for out in out.chunks_mut(DRAWS) {
        let random = &mut random[..3 * out.len()];
        words.fill(random)?;
        let (triples, _) = random.as_chunks::<3>();
        for (out, triples) in out.chunks_mut(PASS).zip(triples.chunks(PASS)) {
            let mut open = 0u64;
            for (at, (value, &[leading, mantissa, low])) in out.iter_mut().zip(triples).enumerate() {
                let (number, done) = split_at_once(high, shift, sides, [leading, mantissa, low]);
                open |= u64::from(!done).wrapping_shl(at as u32);
                *value = number;
            }
            for at in ones(open) {
                words.unread(&triples[at]);
                out[at] = draw_split(high, shift, scale, sides, words)?;
            }
        }
    }
    Ok(())
}

/// The positions of the ones of a word.
fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (at < u64::BITS).then_some(at as usize)
    })
}
