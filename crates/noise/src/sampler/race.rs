//! The index of the largest of several noisy scores, with continuous noise, decided exactly.
//!
//! Candidate i has the score −gᵢ, where gᵢ ≥ 0 is how many scales it is behind the best one, and gets noise from a uniform real
//! Uᵢ of its own: E = −ln U, or G = −ln(−ln U). Nobody can write such a number down, but comparing them takes only as many
//! bits as the closest two of them need. Two words for each candidate decide nearly always, in fixed point; those who are still too close
//! go on with more bits.
//!
//! The first pass takes the same steps for every candidate, whatever the scores and the noise: the time tells neither.

use probity_exact::{Rational, ln_bounds};
use zeroize::Zeroizing;

use super::SampleError;
use super::bounds::neg_ln_bounds;
use super::gap::{FAR, GAP_BITS, GAP_WIDTH};
use super::neg_ln::{NEG_LN_BITS, TABLE, Table, TwoWords, WIDTH};
use super::prefix::{Prefix, STUCK_AFTER};
use super::words::{SHORT, Words};
use crate::entropy::{Entropy, EntropyError};

/// The noise that every candidate gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Noise {
    /// −ln U: exponential. The winner has the law of noisy max with one-sided noise.
    Exponential,
    /// −ln(−ln U): Gumbel. The winner is i with probability proportional to e^−gᵢ.
    Gumbel,
}

/// −ln U counts in units of 2^−58, gaps and everything here in units of 2^−56.
const CUT: u32 = NEG_LN_BITS - GAP_BITS;
/// −ln U lies in [y, y + WIDTH] before the cut, so in [y ≫ 2, (y ≫ 2) + 4] after it.
const NOISE_WIDTH: i64 = 4;
const _: () = assert!(1 + (WIDTH >> CUT) < NOISE_WIDTH as u64);
/// Bits of an enclosure beyond those of the prefix.
const GUARD_BITS: usize = 40;

/// Bounds of a noisy score, in units of 2^−56.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    lower: i64,
    upper: i64,
}

impl Noise {
    /// Bounds of noise − gap. `gap` is as `Gap::units` answers.
    ///
    /// Nothing overflows: −ln of 64 bits is below 45, a gap at most 64, and 11·2^56 below 2^60.
    #[inline(always)]
    fn bounds(self, table: &Table, words: TwoWords, gap: u64) -> Bounds {
        let neg_ln = table.neg_ln_lower(words);
        let (noise, error, known) = match self {
            Noise::Exponential => (neg_ln, 0, words.is_normal()),
            Noise::Gumbel => {
                // E lies in [e, e + WIDTH] units, and −ln falls: −ln(e + WIDTH) ≥ −ln e − WIDTH/e. With e ≥ 2^j that is at most
                // WIDTH/2^j, a shift. The logarithm of the unit is common to all candidates and left out. A draw next to
                // U = 1 has e ≤ 1 and is left open.
                let e = neg_ln.max(1);
                let zeros = e.leading_zeros();
                let again = TwoWords { leading: neg_ln, mantissa: e.wrapping_shl(zeros).wrapping_shl(1) };
                let error = (WIDTH << GAP_BITS).wrapping_shr(63u32.wrapping_sub(zeros)).wrapping_add(1);
                (table.neg_ln_lower(again), error, words.is_normal() & again.is_normal())
            }
        };
        let raw = (noise >> CUT).wrapping_sub(gap) as i64;
        let lower = raw.wrapping_sub(error as i64).wrapping_sub(GAP_WIDTH as i64);
        let upper = raw.wrapping_add(NOISE_WIDTH);
        // What is not known is anything; a gap that was cut off has no lower bound. Without a branch.
        let known = i64::from(known).wrapping_neg();
        let near = i64::from(gap < FAR).wrapping_neg() & known;
        Bounds { lower: (lower & near) | (i64::MIN & !near), upper: (upper & known) | (i64::MAX & !known) }
    }

    /// Bounds of noise − gap by the exact path; `None` for no bound. `gap` is finite.
    fn exact_bounds(self, prefix: &Prefix, gap: &Rational) -> (Option<Rational>, Option<Rational>) {
        let bits = prefix.bits() + GUARD_BITS;
        // −ln falls: the upper end of the cell has the least value.
        let least = neg_ln_bounds(&prefix.upper(), bits).map(|bounds| bounds.0);
        let largest = neg_ln_bounds(&prefix.lower(), bits).map(|bounds| bounds.1);
        let neg_ln = |e: Rational| ln_bounds(&e, u32::try_from(bits).unwrap_or(u32::MAX));
        let (lower, upper) = match self {
            Noise::Exponential => (least, largest),
            Noise::Gumbel => (
                largest.and_then(neg_ln).map(|bounds| -bounds.1),
                least.and_then(neg_ln).map(|bounds| -bounds.0),
            ),
        };
        (lower.map(|lower| lower - gap), upper.map(|upper| upper - gap))
    }
}

/// Someone who can still win.
struct Contender {
    index: usize,
    prefix: Prefix,
    gap: Rational,
}

/// The index of the largest noisy score. `gaps` holds gᵢ as `Gap::units` answers, not empty and one of them 0; `exact_gap` is gᵢ
/// itself, `None` for infinite.
pub(crate) fn winner(
    noise: Noise,
    gaps: &[u64],
    exact_gap: impl Fn(usize) -> Option<Rational>,
    entropy: &mut dyn Entropy,
) -> Result<usize, SampleError> {
    let mut random = Zeroizing::new(vec![0u64; gaps.len().saturating_mul(2)]);
    entropy.fill_words(&mut random)?;
    let (pairs, _) = random.as_chunks::<2>();
    let table: &Table = &TABLE;
    let mut bounds = Zeroizing::new(Vec::with_capacity(gaps.len()));
    let mut highest = i64::MIN;
    for (&[leading, mantissa], &gap) in pairs.iter().zip(gaps) {
        let Bounds { lower, upper } = noise.bounds(table, TwoWords { leading, mantissa }, gap);
        highest = highest.max(lower);
        bounds.push(upper);
    }
    // Whoever is not surely below the best lower bound can still win; nearly always that is one. No early exit.
    let (mut count, mut index) = (0usize, 0usize);
    for (at, &upper) in bounds.iter().enumerate() {
        let can_win = usize::from(upper >= highest);
        count = count.wrapping_add(can_win);
        let mask = can_win.wrapping_neg();
        index = (at & mask) | (index & !mask);
    }
    if count == 1 {
        return Ok(index);
    }
    let contenders = bounds.iter().enumerate().filter(|(_, upper)| **upper >= highest);
    let contenders = contenders.filter_map(|(index, _)| {
        let [leading, mantissa] = pairs[index];
        Some(Contender { index, prefix: TwoWords { leading, mantissa }.prefix(), gap: exact_gap(index)? })
    });
    Ok(settle(noise, contenders.collect(), entropy)?)
}

/// The exact path: more bits for those who can still win, until one is left.
#[cold]
fn settle(
    noise: Noise,
    mut contenders: Vec<Contender>,
    entropy: &mut dyn Entropy,
) -> Result<usize, EntropyError> {
    let mut block = [0; SHORT];
    let mut words = Words::new(entropy, &mut block, 0);
    loop {
        let bounds: Vec<_> = contenders.iter().map(|one| noise.exact_bounds(&one.prefix, &one.gap)).collect();
        let highest = bounds.iter().filter_map(|(lower, _)| lower.as_ref()).max().cloned();
        let mut at = bounds.iter();
        contenders.retain(|_| match (&highest, at.next()) {
            (Some(highest), Some((_, Some(upper)))) => upper >= highest,
            _ => true,
        });
        // There is always someone: the highest lower bound is somebody's.
        if let [] | [_] = &contenders[..] {
            return Ok(contenders.first().map_or(0, |one| one.index));
        }
        for contender in &mut contenders {
            if contender.prefix.bits() >= STUCK_AFTER {
                return Err(EntropyError::Stuck { bits: STUCK_AFTER });
            }
            contender.prefix.extend(&mut words)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::tape::Tape;
    use crate::sampler::gap::Gap;
    use probity_exact::{exp_bounds, rational};

    const BOTH: [Noise; 2] = [Noise::Exponential, Noise::Gumbel];

    /// Runs a race of integer scores on a tape.
    fn race(noise: Noise, scores: &[i64], scale: &Rational, tape: &mut Tape) -> Result<usize, SampleError> {
        let best = *scores.iter().max().unwrap();
        let gap = Gap::new(scale.clone());
        let gaps: Vec<u64> = scores.iter().map(|score| gap.units(best.abs_diff(*score))).collect();
        winner(noise, &gaps, |index| gap.exact(best.abs_diff(scores[index])), tape)
    }

    /// The winner by another way: U > e^(−t) compares noises without a logarithm of U. For exponential noise, i beats j iff
    /// Uᵢ·e^gᵢ < Uⱼ·e^gⱼ; for Gumbel noise iff −ln Uᵢ·e^gᵢ < −ln Uⱼ·e^gⱼ. All in wide enclosures, panicking when they meet.
    fn oracle(noise: Noise, scores: &[i64], scale: &Rational, words: &[u64]) -> usize {
        let best = *scores.iter().max().unwrap();
        let keys: Vec<(Rational, Rational)> = scores
            .iter()
            .zip(words.chunks(2))
            .map(|(score, pair)| {
                let prefix = TwoWords { leading: pair[0], mantissa: pair[1] }.prefix();
                let factor = exp_bounds(&(Rational::from(best.abs_diff(*score)) / scale), 200);
                let (low, high) = (factor.0.to_rational().unwrap(), factor.1.to_rational().unwrap());
                let (from, to) = match noise {
                    Noise::Exponential => (prefix.lower(), prefix.upper()),
                    Noise::Gumbel => (
                        neg_ln_bounds(&prefix.upper(), 200).unwrap().0,
                        neg_ln_bounds(&prefix.lower(), 200).unwrap().1,
                    ),
                };
                (from * low, to * high)
            })
            .collect();
        let winner = (0..keys.len()).min_by_key(|&index| keys[index].1.clone()).unwrap();
        for (index, key) in keys.iter().enumerate() {
            assert!(index == winner || key.0 > keys[winner].1, "the oracle does not know");
        }
        winner
    }

    #[test]
    fn the_winner_is_who_an_independent_comparison_says() {
        let mut tape = Tape::seeded(21);
        let scales = [(1, 1), (7, 3), (1, 5), (1000, 1)].map(|(n, d)| rational(n, d).unwrap());
        let mut winners = [0; 4];
        for round in 0..1500 {
            let scale = &scales[round % 4];
            let spread = [0i64, 1, 3, 40][round / 4 % 4];
            let scores: Vec<i64> = (0..4).map(|i| i * spread % 7).collect();
            let mut words = [0u64; 8];
            tape.fill_words(&mut words).unwrap();
            for noise in BOTH {
                let found = race(noise, &scores, scale, &mut Tape::of_words(words)).unwrap();
                assert_eq!(found, oracle(noise, &scores, scale, &words), "{noise:?} {scores:?} {words:?}");
                winners[found] += 1;
            }
        }
        assert!(winners.iter().all(|&won| won > 300), "{winners:?}");
    }

    /// Two candidates with the same first words: only further words decide, and each has its own.
    #[test]
    fn a_photo_finish_goes_on_with_fresh_bits() {
        for noise in BOTH {
            // A larger U is a smaller E; the larger E wins with exponential noise, the smaller with Gumbel noise.
            let second_wins = noise == Noise::Exponential;
            for (first, second) in [(9u64, 3u64), (3, 9)] {
                let mut tape =
                    Tape::of_words([1 << 62, 77, 1 << 62, 77, first << 40, second << 40]).then_seeded(1);
                let found = race(noise, &[5, 5], &Rational::ONE, &mut tape).unwrap();
                assert_eq!(found == 1, (second < first) == second_wins, "{noise:?} {first} {second}");
            }
        }
    }

    /// Words that say nothing about the size of the noise leave it open, far behind or not.
    #[test]
    fn sixty_three_zeros_can_still_win_from_behind() {
        // E of the second is at least 63·ln 2 = 43.7, and then 64 more zeros: 88, which beats a lead of 80 and noise below 1.
        let words = [1 << 63, 5, 0, 5, 0, 0, 1 << 63, 1 << 63];
        let found =
            race(Noise::Exponential, &[80, 0], &Rational::ONE, &mut Tape::of_words(words).then_seeded(5));
        assert_eq!(found, Ok(1));
        // At scale 0 nothing beats a lead.
        let found =
            race(Noise::Exponential, &[80, 0], &Rational::ZERO, &mut Tape::of_words(words).then_seeded(5));
        assert_eq!(found, Ok(0));
    }

    /// The bounds of the first pass enclose those of the exact path, at random and where they are tight.
    #[test]
    fn the_bounds_hold() {
        let mut words = vec![0; 2 * 4000];
        Tape::seeded(22).fill_words(&mut words).unwrap();
        let unit = super::super::bounds::power_of_two(-i64::from(GAP_BITS));
        let six_ln_2 = ln_bounds(&Rational::from(64u8), 120).unwrap();
        for (at, pair) in words.chunks(2).enumerate() {
            // Spread towards U = 0 and towards U = 1.
            let leading = match at % 3 {
                0 => pair[0],
                1 => (pair[0] | 1 << 63) >> (pair[0] % 60),
                _ => pair[0] | !0 << 2,
            };
            let mantissa = if at % 3 == 2 { pair[1] | (!0 << (pair[0] % 40)) } else { pair[1] };
            let pair = TwoWords { leading, mantissa };
            let (gap, exact) = (Gap::new(Rational::from(3u8)).units(7), rational(7, 3).unwrap());
            for noise in BOTH {
                let found = noise.bounds(&TABLE, pair, gap);
                let (lower, upper) = noise.exact_bounds(&pair.prefix(), &exact);
                // The fast path leaves out the logarithm of its unit, 2^58 of 2^64.
                let shift = if noise == Noise::Gumbel { six_ln_2.clone() } else { Default::default() };
                if found.lower != i64::MIN {
                    let (lower, upper) = (lower.unwrap() + &shift.0, upper.unwrap() + &shift.1);
                    assert!(Rational::from(found.lower) * &unit <= lower, "{noise:?} {pair:?}");
                    assert!(Rational::from(found.upper) * &unit >= upper, "{noise:?} {pair:?}");
                    assert!(noise == Noise::Gumbel || found.upper - found.lower <= 6);
                }
            }
        }
    }
}
