//! −ln U in fixed point, with a proven error: the heart of the fast path of all noise.
//!
//! U is given by two words: the number k of zeros before its first one, and the 64 bits B after that one. So
//! U lies in the cell 2^−(k+1) · [m, m + 2^−64] with m = 1 + B/2^64, known to a relative error of 2^−64
//! however small it is, and
//!
//! −ln U = (k+1)·ln 2 − ln m.
//!
//! For ln m, a table indexed by the top 8 bits of B holds r, a 16-bit approximation of 1/m, and T = −ln r.
//! With z = m·r − 1, ln m = T + ln(1 + z), and |z| < 2^−8.9 leaves a short series. All in integers: the same
//! on every machine, and every error is a count of units of 2^−64. The table is made at first use from the
//! enclosures of `probity_exact`, so no constant has to be believed.

use std::sync::LazyLock;

use probity_exact::{Natural, Rational, ln_bounds, rational};

use super::bounds::power_of_two;
use super::prefix::Prefix;

const INDEX_BITS: u32 = 8;
const RECIPROCAL_BITS: u32 = 16;
/// z is held in units of 2^−71: |z| < 2^−8.9 then fits in 63 bits.
const Z_BITS: u32 = 71;
/// Coefficients are held in units of 2^−62.
const COEFFICIENT_BITS: u32 = 62;
/// 1/1 … 1/7: the alternating coefficients of ln(1 + z)/z.
const RECIPROCALS: [i64; 7] = {
    let mut values = [0; 7];
    let mut at = 0;
    while at < 7 {
        values[at] = (1i64 << COEFFICIENT_BITS) / (at as i64 + 1);
        at += 1;
    }
    values
};

/// −ln U, for every U of a cell, lies between `lower` and `lower + WIDTH`, in units of 2^−64.
///
/// Counting units of 2^−64, for k + 1 ≤ 64:
/// - (k+1)·ln 2: the rounded ln 2 is short by less than 1, so the product by less than 64;
/// - T: the table's value is high by less than 2;
/// - ln(1 + z): lies in [p − 1, p + 2] for the computed p (see [`Table::ln_1p_upper`]);
/// - the cell: ln m grows by less than 1 across it.
///
/// So with lower = (k+1)·ln2 − T − (p + 3) the truth is at most 64 + 2 + 4 = 70 above it.
pub(crate) const WIDTH: u64 = 72;

/// A uniform real as two words, see the module's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TwoWords {
    /// Bits 63 … 1 are the first bits of U; bit 0 belongs to someone else.
    pub(crate) leading: u64,
    /// The bits after the first one of U.
    pub(crate) mantissa: u64,
}

impl TwoWords {
    /// k + 1, the number of bits up to the first one; 64 when `leading` has no one.
    #[inline(always)]
    fn first_one(self) -> u32 {
        (self.leading | 1).leading_zeros() + 1
    }

    /// Whether the first one of U was seen.
    #[inline(always)]
    pub(crate) fn is_normal(self) -> bool {
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
    /// T = −ln r in units of 2^−64, rounded up.
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
        // Bounds 2^−96 apart make the rounded values high or low by less than 1 + 2^−32 units.
        let bounds = |x: &Rational| ln_bounds(x, 96).unwrap_or((Rational::ZERO, Rational::ZERO));
        let units = |x: Rational| x * power_of_two(64);
        let ln_2 = units(bounds(&Rational::from(2u8)).0).floor();
        let entries = std::array::from_fn(|index| {
            // The centre of the cell is (512 + 2·index + 1)/512; its reciprocal, rounded to 16 bits.
            let centre = 513 + 2 * index as u64;
            let reciprocal = ((512u64 << RECIPROCAL_BITS) + centre / 2) / centre;
            let value = rational(reciprocal, 1u64 << RECIPROCAL_BITS).unwrap_or(Rational::ONE);
            let neg_ln = units(-bounds(&value).0).ceil();
            Entry { reciprocal, neg_ln: saturating_u64(neg_ln) }
        });
        Table { ln_2: saturating_u64(ln_2), entries }
    }

    /// A lower bound of −ln U for every U of the cell, in units of 2^−64; see [`WIDTH`] for the upper bound.
    /// `words` must be normal.
    #[inline(always)]
    pub(crate) fn neg_ln_lower(&self, words: TwoWords) -> u128 {
        let entry = &self.entries[(words.mantissa >> (64 - INDEX_BITS)) as usize];
        let whole = i128::from(self.ln_2).wrapping_mul(i128::from(words.first_one()));
        let upper_ln_m = i128::from(entry.neg_ln) + i128::from(Self::ln_1p_upper(entry, words.mantissa));
        // The subtraction can dip below zero by rounding when U is next to 1; −ln U cannot.
        whole.wrapping_sub(upper_ln_m).max(0) as u128
    }

    /// p + 3, where ln(1 + z) for z = m·r − 1 lies in [p − 1, p + 2] in units of 2^−64; one of the three
    /// pays for the width of the cell.
    ///
    /// With z cut to 71 bits (error below 2^−71) and h the Horner value of the seven terms: each step errs by
    /// less than 2 units of 2^−62 and the next multiplies that by |z| < 2^−8.9, so h errs by less than 2^−60.9
    /// and z·h by less than 2^−69.8; the terms left out are below |z|^8/8 · 1.01 < 2^−74. Together below 2^−69,
    /// that is 1/32 unit, before the last product is cut to a whole unit.
    #[inline(always)]
    fn ln_1p_upper(entry: &Entry, mantissa: u64) -> i64 {
        let m = (1u128 << 64) | u128::from(mantissa);
        // 65 bits times 17 bits, minus one: exact in units of 2^−80.
        let product = m.wrapping_mul(u128::from(entry.reciprocal));
        let exact = product.wrapping_sub(1 << (64 + RECIPROCAL_BITS)) as i128;
        let z = (exact >> (64 + RECIPROCAL_BITS - Z_BITS)) as i64;
        let times_z = |h: i64, shift: u32| ((i128::from(z) * i128::from(h)) >> shift) as i64;
        let mut h = RECIPROCALS[6];
        for coefficient in RECIPROCALS[..6].iter().rev() {
            h = coefficient.wrapping_sub(times_z(h, Z_BITS));
        }
        times_z(h, Z_BITS + COEFFICIENT_BITS - 64).wrapping_add(3)
    }
}

/// Only for numbers that fit: ln 2 and the logarithms of the table lie below 1, so below 2^64 units.
fn saturating_u64(value: probity_exact::Integer) -> u64 {
    Natural::try_from(value).ok().and_then(|value| u64::try_from(value).ok()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::{Entropy, tape::Tape};
    use crate::sampler::bounds::neg_ln_bounds;

    /// The bound of the module, checked against rational enclosures at both ends of the cell.
    fn check(words: TwoWords) {
        let lower = Rational::from(TABLE.neg_ln_lower(words)) * power_of_two(-64);
        let upper = &lower + Rational::from(WIDTH) * power_of_two(-64);
        let prefix = words.prefix();
        // −ln falls: its least value is at the upper end of the cell.
        let least = neg_ln_bounds(&prefix.upper(), 100).unwrap().0;
        let largest = neg_ln_bounds(&prefix.lower(), 100).unwrap().1;
        assert!(lower <= least && largest <= upper, "{words:?}");
    }

    #[test]
    fn reciprocals_leave_a_small_remainder() {
        for (index, entry) in TABLE.entries.iter().enumerate() {
            assert!(entry.reciprocal < 1 << 16 && entry.reciprocal >= 1 << 15);
            for corner in [256 + index as i64, 257 + index as i64] {
                let z = rational(corner * entry.reciprocal as i64, 256i64 << 16).unwrap() - Rational::ONE;
                // 2^−8.9 > 0.00209.
                let limit = rational(209, 100_000).unwrap();
                assert!(z < limit && z > -limit, "{index}");
            }
        }
    }

    #[test]
    fn the_error_bound_holds_at_every_corner_of_the_table() {
        for index in 0..1u64 << INDEX_BITS {
            let start = index << (64 - INDEX_BITS);
            for mantissa in [start, start | 1, start | (u64::MAX >> INDEX_BITS), start | (1 << 55)] {
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
        // The bound is not idle: some word comes within 8 units of using all of what k contributes.
        let words = TwoWords { leading: 2, mantissa: 0 };
        let lower = Rational::from(TABLE.neg_ln_lower(words)) * power_of_two(-64);
        let largest = neg_ln_bounds(&words.prefix().lower(), 100).unwrap().0;
        assert!(largest > lower + Rational::from(8u8) * power_of_two(-64));
    }
}
