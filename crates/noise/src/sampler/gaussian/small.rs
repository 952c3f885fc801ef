//! Discrete Gaussian noise with a small σ in one step: |X| by inversion, against a short table.
//!
//! With w_j = e^(−j²/(2σ²)), S_k = 1 + 2·(w_1 + … + w_k) and R_k = 2·(w_(k+1) + …),
//!
//! |X| > k iff U > S_k / (S_k + R_k) = P(|X| ≤ k),
//!
//! and a fair sign makes X of it. One-sided, for X given X ≥ 0, all weights count once: S_k = 1 + w_1 + … + w_k and R_k = w_(k+1) + …. The table holds 2^63 times these probabilities, rounded down. The first 63 bits of U are compared with
//! all of it, without a jump: there are no trials, and the time is the same for every value. Bits that meet an entry leave the
//! answer open, 2^−57 of all at most; then the exact path encloses the probabilities as closely as it takes.

use probity_exact::{Natural, Rational};

use super::super::bounds::exp_neg_bounds;
use super::super::magnitude::Sides;
use super::super::prefix::Prefix;

/// σ² from which on trials are faster than the table, which has about 9.4·σ entries.
pub(crate) const LIMIT: u16 = 256;
/// Bits of U that are compared with the table; the last bit of the word is the sign.
pub(crate) const BITS: usize = 63;
/// Bits of an enclosure beyond those of U: the hundreds of roundings in it stay far below one unit.
const GUARD_BITS: usize = 40;
/// How large the weight may be, in units of the enclosure, after which the others are not added one by one.
const NEGLIGIBLE: u8 = 4;

/// |X|, or X given X ≥ 0, for one σ² below [`LIMIT`].
#[derive(Debug, Clone)]
pub(crate) struct Small {
    squared_scale: Rational,
    sides: Sides,
    /// After a first entry that is none, and next to no bits: 2^BITS·P(|X| ≤ k) lies from the entry to below the entry plus 2. Rising; the last
    /// one is 2^BITS − 2 or more, so that bits beyond it are open.
    table: Box<[u64]>,
}

/// A nonnegative number between two counts of units.
#[derive(Clone)]
struct Between {
    low: Natural,
    high: Natural,
}

impl Between {
    /// The product, in units of 2^−bits as both factors are.
    fn times(&self, other: &Between, bits: usize) -> Between {
        Between { low: (&self.low * &other.low) >> bits, high: shifted_up(&self.high * &other.high, bits) }
    }

    fn add(&mut self, other: &Between) {
        self.low += &other.low;
        self.high += &other.high;
    }
}

/// ⌈number / 2^bits⌉.
fn shifted_up(number: Natural, bits: usize) -> Natural {
    (number + ((Natural::ONE << bits) - Natural::ONE)) >> bits
}

impl Small {
    /// The table; `None` when σ² is not between 0 and [`LIMIT`].
    pub(crate) fn new(squared_scale: &Rational, sides: Sides) -> Option<Small> {
        if *squared_scale <= Rational::ZERO || *squared_scale >= Rational::from(LIMIT) {
            return None;
        }
        let mut table = vec![1 << BITS];
        for Between { low, high } in probabilities(squared_scale, sides, BITS, GUARD_BITS) {
            let entry = u64::try_from(low >> GUARD_BITS).ok()?;
            if high >= Natural::from(u128::from(entry) + 2) << GUARD_BITS {
                return None;
            }
            table.push(entry);
            if entry >= (1 << BITS) - 2 {
                return Some(Small { squared_scale: squared_scale.clone(), sides, table: table.into() });
            }
        }
        None
    }

    /// |X| from the first 63 bits of U, and whether they decide it.
    #[inline(always)]
    pub(crate) fn decide_raw(&self, uniform: u64) -> (u64, bool) {
        // An entry t is at most u iff t − (u + 1) is negative: the two are within 2^63 of each other.
        let over = uniform.wrapping_add(1);
        let entries = self.table.get(1..).unwrap_or_default();
        let value =
            entries.iter().fold(0u64, |count, entry| count.wrapping_add(entry.wrapping_sub(over) >> 63));
        // The largest entry that is at most u leaves the answer open if it is u or u − 1; a smaller one is further away.
        let nearest = self.table[value as usize];
        (value, uniform.wrapping_sub(nearest) > 1)
    }

    /// |X| from the first bits of U, as many as there are; `None` when they leave it open.
    pub(crate) fn decide(&self, prefix: &Prefix) -> Option<Natural> {
        let below = prefix.numerator() << GUARD_BITS;
        let above = (prefix.numerator() + Natural::ONE) << GUARD_BITS;
        let mut value = 0u64;
        for Between { low, high } in probabilities(&self.squared_scale, self.sides, prefix.bits(), GUARD_BITS)
        {
            if high <= below {
                value += 1;
            } else {
                return (above <= low).then(|| Natural::from(value));
            }
        }
        // Beyond all that were enclosed one by one.
        None
    }
}

/// 2^(bits + guard)·P(|X| ≤ k) for k = 0, 1, …, as far as it can be told from 2^(bits + guard).
fn probabilities(squared_scale: &Rational, sides: Sides, bits: usize, guard: usize) -> Vec<Between> {
    let bits = bits + guard;
    let one = Natural::ONE << bits;
    let (low, high) = exp_neg_bounds(&(Rational::ONE / (squared_scale * Rational::from(2u8))), bits + 8);
    let units = |value: Rational| value * Rational::from(one.clone());
    let natural = |value| Natural::try_from(value).unwrap_or(Natural::ZERO);
    // w_1 = q; the ratio of each weight to the one before is q^(2j − 1).
    let first = Between { low: natural(units(low).floor()), high: natural(units(high).ceil()) };
    let square = first.times(&first, bits);
    let (mut weight, mut ratio) = (first.clone(), first.times(&square, bits));
    let mut weights = Vec::new();
    loop {
        // What comes after this weight is at most its product with ratio + ratio² + … ≤ 1 once the ratio is at most 1/2.
        let is_last = weight.high <= Natural::from(NEGLIGIBLE) && ratio.high <= (&one >> 1);
        weights.push(weight.clone());
        if is_last {
            break;
        }
        weight = weight.times(&ratio, bits);
        ratio = ratio.times(&square, bits);
    }
    let times = match sides {
        Sides::One => 1,
        Sides::Two => 2,
    };
    // R_k from the far end, and S_k from the near one.
    let mut rest = Between { low: Natural::ZERO, high: Natural::from(2 * NEGLIGIBLE) };
    let mut rests = Vec::with_capacity(weights.len());
    for weight in weights.iter().rev() {
        rests.push(rest.clone());
        for _ in 0..times {
            rest.add(weight);
        }
    }
    // Now `rest` is R_0, and `rests` has R_k for k from the number of weights down to 1.
    let mut sum = Between { low: one.clone(), high: one.clone() };
    let mut all = vec![share(&sum, &rest, bits)];
    for (weight, rest) in weights.iter().zip(rests.iter().rev()) {
        for _ in 0..times {
            sum.add(weight);
        }
        all.push(share(&sum, rest, bits));
    }
    all
}

/// 2^bits·s/(s + r), which grows in s and falls in r.
fn share(sum: &Between, rest: &Between, bits: usize) -> Between {
    let low = (&sum.low << bits) / (&sum.low + &rest.high);
    let whole = &sum.high + &rest.low;
    Between { low, high: ((&sum.high << bits) + &whole - Natural::ONE) / whole }
}
