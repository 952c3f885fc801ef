//! −ln U in fixed point, with a proven error: the heart of the fast path of all noise.
//!
//! U is given by two words: the number k of zeros before its first one, and the 64 bits B after that one. So
//! U lies in the cell 2^−(k+1) · [m, m + 2^−64] with m = 1 + B/2^64, known to a relative error of 2^−64
//! however small it is, and
//!
//! −ln U = (k+1)·ln 2 − ln m.
//!
//! For ln m, a table indexed by the top 9 bits of B holds r, a 16-bit number just above 1/m, and T = −ln r.
//! With z = m·r − 1, ln m = T + ln(1 + z), and 0 ≤ z < 2^−8.9 leaves a short series. All in integers: the same
//! on every machine, and every error is a count of units of 2^−58. The table is made at first use from the
//! enclosures of `probity_exact` and by series whose errors are counted, so no constant has to be believed.

use std::sync::LazyLock;

use probity_exact::{Natural, Rational, ln_bounds};

use super::bounds::power_of_two;
use super::prefix::Prefix;

const INDEX_BITS: u32 = 9;
const RECIPROCAL_BITS: u32 = 16;
/// −ln U is answered in units of 2^−58: it is below 64·ln 2 < 45, so 64 bits hold it.
pub const NEG_LN_BITS: u32 = 58;
/// z is held in units of 2^−72: it is below 2^−8, so 64 bits hold it.
const Z_BITS: u32 = 72;
/// Coefficients are held in units of 2^−63.
const COEFFICIENT_BITS: u32 = 63;
const TERMS: usize = 5;
/// 1/1 … 1/5: the alternating coefficients of ln(1 + z)/z, rounded down.
const RECIPROCALS: [u64; TERMS] = {
    let mut values = [0; TERMS];
    let mut at = 0;
    while at < TERMS {
        values[at] = (1u64 << COEFFICIENT_BITS) / (at as u64 + 1);
        at += 1;
    }
    values
};

/// −ln U, for every U of a cell, lies between `lower` and `lower + WIDTH`, in units of 2^−58.
///
/// In these units, for k + 1 ≤ 64:
/// - (k+1)·ln 2: ln 2 is short by less than 1/64, so the product by less than 1, and its cut by less than 1;
/// - T: the table's value is high by less than 2;
/// - ln(1 + z): lies in [p − 4.1, p + 1.1] for the computed p (see [`Table::ln_m_upper`]);
/// - the cell: ln m grows by less than 2^−64, 1/64 of a unit, across it.
///
/// So lower = (k+1)·ln 2 − T − (p + 2) is below the truth, by at most 2 + 2 + 6.2 in all.
pub(crate) const WIDTH: u64 = 11;

/// A uniform real as two words, see the module's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TwoWords {
    /// Bits 63 … 1 are the first bits of U; bit 0 belongs to someone else.
    pub leading: u64,
    /// The bits after the first one of U.
    pub mantissa: u64,
}

impl TwoWords {
    /// k + 1, the number of bits up to the first one; 64 when the first 63 bits have no one.
    #[inline(always)]
    pub fn first_one(self) -> u32 {
        (self.leading | 1).leading_zeros() + 1
    }

    /// Whether the first one of U was seen.
    #[inline(always)]
    pub fn is_normal(self) -> bool {
        self.leading > 1
    }

    /// What the two words say about U, for the exact path to go on from.
    pub(crate) fn prefix(self) -> Prefix {
        match self.is_normal() {
            true => Prefix::known((1u128 << 64) + u128::from(self.mantissa), self.first_one() as usize + 64),
            // 63 zeros; the mantissa belongs to no known position and is dropped.
            false => Prefix::known(0u8, 63),
        }
    }
}

/// The table; made once, at first use.
pub(crate) static TABLE: LazyLock<Table> = LazyLock::new(Table::new);

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// r·2^16, from 2^15 to 2^16.
    reciprocal: u64,
    /// T = −ln r in units of 2^−58, rounded up.
    neg_ln: u64,
}

/// ln 2 and the reciprocals with their logarithms.
#[derive(Debug)]
pub(crate) struct Table {
    /// ln 2 in units of 2^−64, rounded down.
    ln_2: u64,
    entries: [Entry; 1 << INDEX_BITS],
}

impl Table {
    fn new() -> Self {
        let ln_2 =
            ln_bounds(&Rational::from(2u8), 96).map_or(Rational::ZERO, |bounds| bounds.0) * power_of_two(64);
        let ln_2 = ln_2.floor();
        // Each logarithm is the one before plus that of a quotient near 1. After all of them the bound is less than 2^−86 above the truth, so
        // that the rounded values are high by less than 1 + 2^−28 units.
        let mut before = (1u64 << RECIPROCAL_BITS, 0u128);
        let entries = std::array::from_fn(|index| {
            // The cell begins at m = 1 + index/2^9; the reciprocal of that, rounded up to 16 bits.
            let start = (1u64 << INDEX_BITS) + index as u64;
            let reciprocal = (1u64 << (INDEX_BITS + RECIPROCAL_BITS)).div_ceil(start);
            before = (reciprocal, before.1 + ln_above(before.0, reciprocal));
            Entry { reciprocal, neg_ln: before.1.div_ceil(1 << (LN_BITS - NEG_LN_BITS)) as u64 }
        });
        Table { ln_2: saturating_u64(ln_2), entries }
    }

    /// A lower bound of −ln U for every U of the cell, in units of 2^−58; see [`WIDTH`] for the upper bound.
    /// `words` must be normal.
    #[inline(always)]
    pub(crate) fn neg_ln_lower(&self, words: TwoWords) -> u64 {
        let whole = (u128::from(self.ln_2) * u128::from(words.first_one())) >> (64 - NEG_LN_BITS);
        // Rounding can make the difference negative when U is next to 1; −ln U is not.
        (whole as u64).saturating_sub(self.ln_m_upper(words.mantissa))
    }

    /// T + p + 2, where ln(1 + z) for z = m·r − 1 lies in [p − 4.1, p + 1.1] in units of 2^−58.
    ///
    /// With z cut to 72 bits (error below 2^−72) and h the Horner value of the five terms: each step errs by
    /// less than 2 units of 2^−63 and the next multiplies that by z < 2^−8.9, so h errs by less than 2^−61.9
    /// and z·h by less than 2^−70.8, together below 1/64 of a unit before the last product is cut to a whole
    /// unit. The terms left out begin with −z^6/6, so they lower the truth, by less than 4.01 units, as
    /// z < 0.00209 (a test looks at every cell).
    #[inline(always)]
    fn ln_m_upper(&self, mantissa: u64) -> u64 {
        let entry = &self.entries[(mantissa >> (64 - INDEX_BITS)) as usize];
        // m·r − 1 = (2^64 + B)·r − 2^80 in units of 2^−80. It is from 0 to 2^72, so after the cut to units
        // of 2^−72 only 64 bits matter, and 2^72 vanishes among them.
        const CUT: u32 = 64 + RECIPROCAL_BITS - Z_BITS;
        let low = ((u128::from(mantissa) * u128::from(entry.reciprocal)) >> CUT) as u64;
        let z = low.wrapping_add(entry.reciprocal << (64 - CUT));
        // In units of 2^−71, for h in units of 2^−63.
        let times_z = |h: u64| ((u128::from(z) * u128::from(h)) >> 64) as u64;
        const PRODUCT_BITS: u32 = Z_BITS + COEFFICIENT_BITS - 64;
        let mut h = RECIPROCALS[TERMS - 1];
        for coefficient in RECIPROCALS[..TERMS - 1].iter().rev() {
            h = coefficient.wrapping_sub(times_z(h) >> (PRODUCT_BITS - COEFFICIENT_BITS));
        }
        let p = times_z(h) >> (PRODUCT_BITS - NEG_LN_BITS);
        entry.neg_ln.wrapping_add(p).wrapping_add(2)
    }
}

/// Bits after the point of the logarithms that the table is made of.
const LN_BITS: u32 = 100;

/// A number from ln(above/below) to 2^−95 beyond it, in units of 2^−100, for 2^15 ≤ below ≤ above ≤ 2^16 that are at most a hundredth apart:
/// 2·artanh(t) with t = (above − below)/(above + below) < 2^−7. Every quotient is rounded up, which is less than 32 units in all; the terms
/// from t^15 on add less than one.
fn ln_above(above: u64, below: u64) -> u128 {
    let (difference, sum) = (u128::from(above - below), u128::from(above + below));
    if difference == 0 {
        return 0;
    }
    // 2^100 · difference is below 2^111, and a power in units of 2^−100 times difference² below 2^115.
    let mut power = (difference << LN_BITS).div_ceil(sum);
    let mut total = power;
    for odd in (3..15).step_by(2) {
        power = (power * difference * difference).div_ceil(sum * sum);
        total += power.div_ceil(odd);
    }
    2 * (total + 1)
}

/// Only for numbers that fit: ln 2 and the logarithms of the table lie below 1.
fn saturating_u64(value: probity_exact::Integer) -> u64 {
    Natural::try_from(value).ok().and_then(|value| u64::try_from(value).ok()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::{Entropy, tape::Tape};
    use crate::sampler::bounds::neg_ln_bounds;
    use probity_exact::rational;

    fn unit() -> Rational {
        power_of_two(-i64::from(NEG_LN_BITS))
    }

    /// The bound of the module, checked against rational enclosures at both ends of the cell.
    fn check(words: TwoWords) {
        let lower = Rational::from(TABLE.neg_ln_lower(words)) * unit();
        let upper = &lower + Rational::from(WIDTH) * unit();
        let prefix = words.prefix();
        // −ln falls: its least value is at the upper end of the cell.
        let least = neg_ln_bounds(&prefix.upper(), 100).unwrap().0;
        let largest = neg_ln_bounds(&prefix.lower(), 100).unwrap().1;
        assert!(lower <= least && largest <= upper, "{words:?}");
    }

    #[test]
    fn reciprocals_leave_a_small_remainder() {
        for (index, entry) in TABLE.entries.iter().enumerate() {
            assert!(entry.reciprocal <= 1 << 16 && entry.reciprocal > 1 << 15);
            for corner in [512 + index as i64, 513 + index as i64] {
                let z = rational(corner * entry.reciprocal as i64, 512i64 << 16).unwrap() - Rational::ONE;
                // 2^−8.9 > 0.00209.
                assert!(z < rational(209, 100_000).unwrap() && z >= Rational::ZERO, "{index}");
            }
        }
    }

    #[test]
    fn logarithms_of_the_table_are_the_exact_ones_rounded_up() {
        for entry in &TABLE.entries {
            let value = rational(entry.reciprocal as i64, 1i64 << RECIPROCAL_BITS).unwrap();
            let exact = -ln_bounds(&value, 128).unwrap().0 * power_of_two(i64::from(NEG_LN_BITS));
            assert_eq!(probity_exact::Integer::from(entry.neg_ln), exact.ceil(), "{}", entry.reciprocal);
        }
    }

    #[test]
    fn the_error_bound_holds_at_every_corner_of_the_table() {
        for index in 0..1u64 << INDEX_BITS {
            let start = index << (64 - INDEX_BITS);
            for mantissa in [start, start | 1, start | (u64::MAX >> INDEX_BITS), start | (1 << 54)] {
                for leading in [u64::MAX, 1 << 63, 1 << 40, 2] {
                    check(TwoWords { leading, mantissa });
                }
            }
        }
    }

    #[test]
    fn the_error_bound_holds_at_random() {
        let mut words = vec![0; 2 * 20_000];
        Tape::seeded(1).fill_words(&mut words).unwrap();
        for pair in words.chunks(2) {
            // Spread the leading zeros evenly rather than geometrically.
            let leading = (pair[0] | 1 << 63) >> (pair[0] % 63);
            check(TwoWords { leading, mantissa: pair[1] });
        }
    }

    #[test]
    fn a_width_too_small_would_be_noticed() {
        // The bound is not idle: some word is off by more than two units.
        let off_by_more_than_two = (0..512u64).any(|index| {
            let words = TwoWords { leading: 2, mantissa: index << 55 };
            let lower = Rational::from(TABLE.neg_ln_lower(words)) * unit();
            let largest = neg_ln_bounds(&words.prefix().lower(), 100).unwrap().0;
            largest > lower + Rational::from(2u8) * unit()
        });
        assert!(off_by_more_than_two);
    }
}
