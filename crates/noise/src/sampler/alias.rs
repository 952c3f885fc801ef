//! One of k alternatives with rational weights, in the same few steps for every weight and every answer.
//!
//! Walker's alias method, in exact arithmetic. The unit interval is cut into 2^b equal columns, at least as many as there are
//! alternatives. Column c belongs to alternative c up to a share τ of its width, and to one other alternative, its *alias*, beyond. The
//! shares are rationals that give every alternative exactly its weight, so U answers: its first b bits name the column, and the
//! rest of U is compared with τ.

use probity_exact::{Natural, Rational};

use super::lanes::{LANE_BITS, Lane};
use super::parameter::ParameterError;
use super::prefix::Prefix;

/// More columns than this would leave no bit of a lane for the comparison.
const MAX_COLUMN_BITS: u32 = LANE_BITS as u32 - 1;

/// A table of columns.
#[derive(Debug, Clone)]
pub(crate) struct Alias {
    /// b of the module's text, from 0 to `MAX_COLUMN_BITS`.
    column_bits: u32,
    columns: Vec<Column>,
    /// τ of each column, for what a lane leaves open.
    shares: Vec<Rational>,
}

#[derive(Debug, Clone, Copy)]
struct Column {
    /// ⌊τ·2^r⌋ and ⌈τ·2^r⌉ for the r bits of a lane that are left for the comparison: at most 2^32.
    surely_own: u64,
    surely_alias: u64,
    alias: u32,
}

impl Alias {
    /// Alternative i with probability `weights[i]` over their sum.
    ///
    /// # Errors
    /// When a weight is negative, none is positive, or there are more than 2^31.
    pub(crate) fn new(weights: &[Rational]) -> Result<Self, ParameterError> {
        if let Some(weight) = weights.iter().find(|weight| **weight < Rational::ZERO) {
            return Err(ParameterError::new("weight", weight, "at least 0"));
        }
        let total = weights.iter().fold(Rational::ZERO, |sum, weight| sum + weight);
        if total.is_zero() {
            return Err(ParameterError::new("sum of weights", total, "positive"));
        }
        let column_bits = weights.len().next_power_of_two().trailing_zeros();
        if column_bits > MAX_COLUMN_BITS {
            return Err(ParameterError::new("number of weights", weights.len(), "at most 2^31"));
        }
        let count = 1usize << column_bits;
        // Masses in units of a column; they add up to the number of columns.
        let unit = Rational::from(count) / total;
        let mut masses: Vec<Rational> = weights.iter().map(|weight| weight * &unit).collect();
        masses.resize(count, Rational::ZERO);
        let (shares, aliases) = fill_columns(masses);
        let rest = Rational::from(Natural::ONE << (LANE_BITS - column_bits as usize));
        let columns = shares.iter().zip(aliases).map(|(share, alias)| {
            let edge = share * &rest;
            // A share is from 0 to 1, so both are from 0 to 2^32.
            let surely_own = u64::try_from(edge.floor()).unwrap_or(0);
            let surely_alias = u64::try_from(edge.ceil()).unwrap_or(u64::MAX);
            Column { surely_own, surely_alias, alias }
        });
        let columns = columns.collect();
        Ok(Alias { column_bits, columns, shares })
    }
}

/// Shares and aliases of columns whose masses add up to their number: a column that lacks mass takes the rest from one that has more
/// than it needs, until none lacks any (Vose).
fn fill_columns(mut masses: Vec<Rational>) -> (Vec<Rational>, Vec<u32>) {
    let mut shares = vec![Rational::ONE; masses.len()];
    let mut aliases: Vec<u32> = (0..masses.len() as u32).collect();
    let (mut poor, mut rich): (Vec<usize>, Vec<usize>) =
        (0..masses.len()).partition(|&column| masses[column] < Rational::ONE);
    // Exact sums: while a column lacks mass, another has too much, so `rich` is not empty before `poor` is.
    while let Some(column) = poor.pop()
        && let Some(&giver) = rich.last()
    {
        let share = std::mem::take(&mut masses[column]);
        masses[giver] -= Rational::ONE - &share;
        (shares[column], aliases[column]) = (share, giver as u32);
        if masses[giver] < Rational::ONE {
            rich.pop();
            poor.push(giver);
        }
    }
    (shares, aliases)
}

impl Lane for Alias {
    type Value = usize;

    #[inline(always)]
    fn decide_lane(&self, lane: u32) -> (usize, bool) {
        // The first bits name the column, the others are compared. Both shifts are below 64.
        let rest_bits = (LANE_BITS as u32).wrapping_sub(self.column_bits);
        let index = u64::from(lane).wrapping_shr(rest_bits);
        let rest = u64::from(lane) & 1u64.wrapping_shl(rest_bits).wrapping_sub(1);
        let column = &self.columns[index as usize];
        let own = rest < column.surely_own;
        let alias = rest >= column.surely_alias;
        // No branch: which of the two it is must not show in the time.
        let mask = u64::from(own).wrapping_neg();
        let value = u64::from(column.alias) ^ ((u64::from(column.alias) ^ index) & mask);
        (value as usize, own | alias)
    }

    fn decide(&self, prefix: &Prefix) -> Option<usize> {
        let rest_bits = prefix.bits().checked_sub(self.column_bits as usize)?;
        let index = usize::try_from(prefix.numerator() >> rest_bits).ok()?;
        let (share, alias) = (self.shares.get(index)?, self.columns.get(index)?.alias as usize);
        let start = (Natural::from(index)) << rest_bits;
        let rest = Prefix::known(prefix.numerator() - start, rest_bits);
        if rest.upper() <= *share {
            Some(index)
        } else if rest.lower() >= *share {
            Some(alias)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    fn ratio(n: i64, d: i64) -> Rational {
        rational(n, d).unwrap()
    }

    /// What each alternative gets from all columns, exactly.
    fn masses(table: &Alias, count: usize) -> Vec<Rational> {
        let width = Rational::ONE / Rational::from(table.columns.len());
        let mut masses = vec![Rational::ZERO; count.max(table.columns.len())];
        for (index, (column, share)) in table.columns.iter().zip(&table.shares).enumerate() {
            masses[index] += share * &width;
            masses[column.alias as usize] += (Rational::ONE - share) * &width;
        }
        masses
    }

    #[test]
    fn every_alternative_gets_exactly_its_weight() {
        let mut state = 7u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        for count in [1, 2, 3, 7, 8, 9, 100, 1000] {
            let mut weights: Vec<Rational> =
                (0..count).map(|_| ratio(next(50) as i64, 1 + next(9) as i64)).collect();
            weights[count / 2] += ratio(1, 7);
            let total = weights.iter().fold(Rational::ZERO, |sum, weight| sum + weight);
            let table = Alias::new(&weights).unwrap();
            for (index, mass) in masses(&table, count).into_iter().enumerate() {
                let expected = weights.get(index).map_or(Rational::ZERO, |weight| weight / &total);
                assert_eq!(mass, expected, "{index} of {count}");
            }
        }
    }

    #[test]
    fn lanes_leave_open_what_they_do_not_know() {
        let table = Alias::new(&[ratio(1, 3), ratio(2, 3)]).unwrap();
        // Column 0 belongs to alternative 0 up to 2/3 of its width: the lane with 2/3·2^31 is cut by the edge.
        let edge = ((1u64 << 32) / 3) as u32;
        assert_eq!(table.decide_lane(edge - 1), (0, true));
        assert!(!table.decide_lane(edge).1);
        assert_eq!(table.decide_lane(edge + 1), (1, true));
        // Whole shares leave nothing open.
        let fair = Alias::new(&[ratio(1, 2), ratio(1, 2)]).unwrap();
        for lane in [0, 1, (1 << 31) - 1, 1 << 31, u32::MAX] {
            assert_eq!(fair.decide_lane(lane), ((lane >> 31) as usize, true));
        }
    }

    #[test]
    fn a_single_alternative_needs_no_bit() {
        let only = Alias::new(&[ratio(5, 1)]).unwrap();
        assert_eq!(only.decide_lane(u32::MAX), (0, true));
        assert_eq!(only.decide(&Prefix::unknown()), Some(0));
    }
}
