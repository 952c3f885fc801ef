//! ⌊−s·ln U + b⌋: the law of geometric noise, and of the magnitude of discrete Laplace noise.
//!
//! Let q = e^(−1/s). For b = 0 the floor is at least k iff U ≤ q^k, so it is geometric: P(≥ k) = q^k.
//! For b = −s·ln((1+q)/2) it is at least k iff U ≤ 2q^k/(1+q) (k ≥ 1), which is the law of |X| for
//! P(X = x) ∝ q^|x|. A fair sign makes the discrete Laplace of it: 0 keeps its probability, and every other
//! magnitude is halved between x and −x.

use probity_exact::{Integer, Natural, Rational};

use super::bounds::{exp_neg_bounds, log2_below, log2_floor, neg_ln_bounds, power_of_two};
use super::neg_ln::{NEG_LN_BITS, TABLE, Table, TwoWords, WIDTH};
use super::prefix::Prefix;

/// Largest scale that the fast path is made for, as a power of two (exclusive). Beyond it the exact path
/// would be needed too often; see `split`.
pub(crate) const MAX_SCALE_LOG2: i64 = 16;
/// Bits of an enclosure beyond what the prefix can use.
const GUARD_BITS: usize = 40;

/// The fast path counts in units of 2^(e−58), where 2^e > s. In these units the truth lies in [y, y + SLACK]:
/// - −ln U is low by at most WIDTH units of 2^−58, times s < 2^e: 11;
/// - s is cut to a multiple of 2^(e−64), times −ln U < 45 < 64: 1;
/// - the product is cut: 1;
/// - b is low by at most 2.
const SLACK: u64 = 16;
const _: () = assert!(WIDTH + 1 + 1 + 2 <= SLACK);

/// Whether the noise is one-sided or the magnitude of two-sided noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sides {
    /// Geometric: b = 0.
    One,
    /// The magnitude of discrete Laplace: b = −s·ln((1+q)/2), from 0 to 1/2.
    Two,
}

/// ⌊−s·ln U + b⌋ for one scale s.
#[derive(Debug, Clone)]
pub(crate) struct Magnitude {
    /// Invariant: 0 < scale < 2^MAX_SCALE_LOG2.
    scale: Rational,
    sides: Sides,
    /// 58 − e: the unit of the fast path is 2^−fraction_bits. From 42 to 63.
    fraction_bits: u32,
    /// s·2^(64−e), rounded down.
    scale_units: u64,
    /// b in units of the fast path, low by at most 2.
    offset_units: u64,
    table: &'static Table,
}

impl Magnitude {
    /// The caller owes 0 < scale < 2^MAX_SCALE_LOG2.
    pub(crate) fn new(scale: Rational, sides: Sides) -> Self {
        // Tiny scales keep e = −5: they lose bits that they do not need.
        let e = (log2_floor(&scale) + 1).clamp(i64::from(NEG_LN_BITS) - 63, MAX_SCALE_LOG2);
        let fraction_bits = i64::from(NEG_LN_BITS) - e;
        let mut magnitude = Magnitude {
            scale_units: u64::try_from((&scale * power_of_two(64 - e)).floor()).unwrap_or(u64::MAX),
            scale,
            sides,
            fraction_bits: fraction_bits as u32,
            offset_units: 0,
            table: &TABLE,
        };
        let offset = magnitude.offset_bounds(fraction_bits as usize + GUARD_BITS).0;
        magnitude.offset_units = u64::try_from((offset * power_of_two(fraction_bits)).floor()).unwrap_or(0);
        magnitude
    }

    /// The fast path: the value, or `None` when the words leave it open.
    #[inline(always)]
    pub(crate) fn decide_fast(&self, words: TwoWords) -> Option<u64> {
        let (value, decided) = self.decide_raw(words);
        decided.then_some(value)
    }

    /// The fast path without a branch: a value of at most 45·2^16 < 2^22, and whether it is decided.
    #[inline(always)]
    pub(crate) fn decide_raw(&self, words: TwoWords) -> (u64, bool) {
        // With −ln U < 45: 45·2^58 + 2^(63−1) + SLACK < 2^64, so nothing here can overflow.
        let product = u128::from(self.table.neg_ln_lower(words)) * u128::from(self.scale_units);
        let lower = ((product >> 64) as u64).wrapping_add(self.offset_units);
        // The shift is from 42 to 63; `wrapping` only spares a check.
        let value = lower.wrapping_shr(self.fraction_bits);
        let upper = lower.wrapping_add(SLACK).wrapping_shr(self.fraction_bits);
        (value, (value == upper) & words.is_normal())
    }

    /// The exact path: the value, or `None` when the prefix leaves it open.
    pub(crate) fn decide(&self, prefix: &Prefix) -> Option<Natural> {
        if *prefix.numerator() == Natural::ZERO {
            // −ln U has no upper bound yet.
            return None;
        }
        let bits = prefix.bits() + GUARD_BITS + log2_below(&self.scale).max(0) as usize;
        let (offset_lower, offset_upper) = self.offset_bounds(bits);
        let lower = &self.scale * neg_ln_bounds(&prefix.upper(), bits)?.0 + offset_lower;
        let upper = &self.scale * neg_ln_bounds(&prefix.lower(), bits)?.1 + offset_upper;
        let value: Integer = lower.floor();
        (value == upper.floor()).then(|| Natural::try_from(value).ok()).flatten()
    }

    /// b, enclosed to about 2^−bits times the scale.
    fn offset_bounds(&self, bits: usize) -> (Rational, Rational) {
        if self.sides == Sides::One {
            return (Rational::ZERO, Rational::ZERO);
        }
        // −ln((1+q)/2) falls in q.
        let (q_lower, q_upper) = exp_neg_bounds(&(Rational::ONE / &self.scale), bits);
        let half = power_of_two(-1);
        let neg_ln_of_mean = |q: Rational| neg_ln_bounds(&((Rational::ONE + q) * &half), bits);
        match (neg_ln_of_mean(q_upper), neg_ln_of_mean(q_lower)) {
            (Some((lower, _)), Some((_, upper))) => (&self.scale * lower, &self.scale * upper),
            // Not reached, as 0 < (1+q)/2 ≤ 1; 0 ≤ b ≤ 1/2 holds in any case.
            _ => (Rational::ZERO, half),
        }
    }
}
