//! Quantiles, the least and the greatest value: from noisy counts over a public grid, as post-processing.
//!
//! The range of what is ranked is cut into equal bins, which the policy's bounds fix and no row does. The rows of a group are counted in
//! the bins of several levels, each 16 times as wide as those of the next: a tree. A row is in one bin of each level, so that a level
//! costs what one count does. How many rows lie before a bin is then a sum of few noisy counts, at most 16 of each level.
//!
//! For the end j of a bin write G(j) = below · (rows before j) − above · (rows from j on) − offset. The value of the wanted rank lies in
//! the last bin at whose beginning G is negative: with below = 1 − q and above = q that is the least value x for which at least
//! q · n of n rows are at most x. G falls nowhere, but its noisy version may; so the error bars hold every bin that can be the one.

use std::ops::{AddAssign, Sub};

use probity_exact::{Integer, Natural, Rational};

use super::post::{Drawn, Interval};

/// How many bins of one level make a bin of the level above.
pub const BRANCHES: usize = 16;

/// The most levels.
const MOST_LEVELS: u32 = 3;

/// The most noisy counts of one level, over all groups, that are drawn for a finer grid.
const MOST_CELLS: usize = 1 << 16;

/// Where bins begin and how wide they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// The width of a bin of each level, the widest first.
    pub widths: Vec<i64>,
    /// How many bins each level has.
    pub bins: Vec<usize>,
}

/// The grid for values from `low` to `high` in so many groups; `None` where even the coarsest would have too many counts.
pub fn grid(low: i64, high: i64, groups: usize) -> Option<Grid> {
    let values = u64::try_from(i128::from(high) - i128::from(low) + 1).ok()?;
    let branches = BRANCHES as u64;
    let levels = |count: u32| {
        let most = branches.pow(count);
        let finest = values.div_ceil(most);
        let widths: Vec<u64> = (0..count).rev().map(|level| finest * branches.pow(level)).collect();
        let bins: Vec<u64> = widths.iter().map(|width| values.div_ceil(*width)).collect();
        (widths, bins)
    };
    let needed = (1..=MOST_LEVELS).find(|count| branches.pow(*count) >= values).unwrap_or(MOST_LEVELS);
    let fits = |count: &u32| {
        let bins = levels(*count).1.last().copied().unwrap_or(1);
        (bins as usize).checked_mul(groups).is_some_and(|cells| cells <= MOST_CELLS)
    };
    let (widths, bins) = levels((1..=needed).rev().find(fits)?);
    let widths = widths.into_iter().map(|width| i64::try_from(width).ok()).collect::<Option<_>>()?;
    Some(Grid { widths, bins: bins.into_iter().map(|count| count as usize).collect() })
}

/// Which rank is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rank {
    /// The q-quantile, for 0 < q ≤ 1.
    Share(Rational),
    /// The first.
    Least,
}

/// A value of a given rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantile {
    /// The draws that count, from the widest bins to the finest.
    pub levels: Vec<usize>,
    /// Which rank.
    pub rank: Rank,
    /// The least value, in units.
    pub low: i64,
    /// The greatest one.
    pub high: i64,
    /// The width of a finest bin, in units.
    pub width: i64,
    /// What 1 stands for.
    pub unit: Rational,
    /// Whether the values are days.
    pub day: bool,
}

impl Quantile {
    /// The factors of rows before and behind the end of a bin, and the offset.
    fn factors(&self) -> (Rational, Rational, Rational) {
        match &self.rank {
            Rank::Share(share) => (Rational::ONE - share, share.clone(), Rational::ZERO),
            Rank::Least => (Rational::ONE, Rational::ZERO, Rational::ONE),
        }
    }

    /// G at the beginning of every finest bin and at the end of the last, and the number of rows.
    ///
    /// Thousands of bins in each of many groups are added up, so all of it is done in integers, as multiples of one unit: in those of the
    /// machine where nothing can overflow.
    fn balances(&self, noisy: &Drawn) -> Balances {
        let (below, above, offset) = self.factors();
        let mut parts = below.denominator().clone();
        let shares = Rational::from(parts.clone());
        let whole = |factor: Rational| (factor * &shares).floor();
        let (below, above) = (whole(below), whole(above));
        let levels: Vec<&[Rational]> = self.levels.iter().map(|level| noisy.0[*level].as_slice()).collect();
        let counted = common_denominator(&levels);
        parts *= &counted;
        let offset = (offset * Rational::from(parts.clone())).floor();
        // For each level the sums of its first bins.
        let machine: Option<Vec<Vec<i128>>> =
            levels.iter().map(|counts| running_sums(counts, &counted, |sum| small(sum, SUM_BITS))).collect();
        let factors =
            small(&below, FACTOR_BITS).zip(small(&above, FACTOR_BITS)).zip(small(&offset, SUM_BITS));
        let (at_ends, total) = match machine.zip(factors) {
            Some((sums, ((below, above), offset))) => {
                let ends = ends(&sums, &levels, |before: i128, behind: i128| {
                    Integer::from(below * before - above * behind - offset)
                });
                (
                    ends,
                    sums.first()
                        .and_then(|sums| sums.last())
                        .map_or(Integer::ZERO, |sum| Integer::from(*sum)),
                )
            }
            None => {
                let sums = |counts: &&[Rational]| running_sums(counts, &counted, |sum| Some(sum.clone()));
                let sums: Vec<Vec<Integer>> = levels.iter().filter_map(sums).collect();
                let ends = ends(&sums, &levels, |before: Integer, behind: Integer| {
                    &below * before - &above * behind - &offset
                });
                (ends, sums.first().and_then(|sums| sums.last()).cloned().unwrap_or_default())
            }
        };
        Balances { at_ends, parts, total: Rational::from_parts(total, counted) }
    }

    fn at(&self, units: Rational) -> Rational {
        units.clamp(Rational::from(self.low), Rational::from(self.high)) * &self.unit
    }

    /// The middle of the bins at which the noisy ranks pass the wanted one; nothing if hardly a row is there.
    pub fn value(&self, noisy: &Drawn) -> Option<Rational> {
        self.value_by(&self.balances(noisy))
    }

    /// The value and its bounds. Adding up thousands of bins is what takes time, and is done once for both.
    pub fn with_interval(&self, noisy: &Drawn, errors: &[Rational]) -> (Option<Rational>, Interval) {
        let balances = self.balances(noisy);
        (self.value_by(&balances), self.interval_by(&balances, errors))
    }

    fn value_by(&self, balances: &Balances) -> Option<Rational> {
        if balances.total < Rational::ONE {
            return None;
        }
        let (first, last) = balances.bins(&Rational::ZERO);
        let width = Rational::from(self.width);
        let ends = Rational::from(Integer::from(first) + Integer::from(last)) * &width;
        let middle = (ends + width - Rational::ONE) / Rational::from(2);
        Some(self.at(Rational::from(self.low) + middle))
    }

    /// Bounds of the true value, if G at the two ends of its bin is within its error, which is the larger factor times that of the finest
    /// level's draw.
    pub fn interval(&self, noisy: &Drawn, errors: &[Rational]) -> Interval {
        self.interval_by(&self.balances(noisy), errors)
    }

    fn interval_by(&self, balances: &Balances, errors: &[Rational]) -> Interval {
        let (below, above, _) = self.factors();
        let error = self.levels.last().map_or(Rational::ZERO, |finest| errors[*finest].clone());
        if balances.total < Rational::ONE {
            // Where there is no value, nothing is known but the range.
            return (Some(self.at(Rational::from(self.low))), Some(self.at(Rational::from(self.high))));
        }
        let (first, last) = balances.bins(&(error * below.max(above)));
        let start = |bin: usize| {
            Rational::from(self.low) + Rational::from(Integer::from(bin)) * Rational::from(self.width)
        };
        (Some(self.at(start(first))), Some(self.at(start(last + 1) - Rational::ONE)))
    }
}

/// G at the ends of all bins, in parts of 1.
struct Balances {
    /// G at the beginning of every finest bin and at the end of the last, times `parts`.
    at_ends: Vec<Integer>,
    /// How many parts are 1.
    parts: Natural,
    /// The number of rows.
    total: Rational,
}

impl Balances {
    /// The first and the last bin that can have the rank if every G is off by at most `error`.
    fn bins(&self, error: &Rational) -> (usize, usize) {
        let last = self.at_ends.len().saturating_sub(2);
        let error = error * Rational::from(self.parts.clone());
        // For integers, g ≥ −e says g ≥ ⌈−e⌉, and g < e says g < ⌈e⌉.
        let (least, most) = ((-error.clone()).ceil(), error.ceil());
        let first = (0..=last).find(|bin| self.at_ends[bin + 1] >= least).unwrap_or(last);
        let greatest = (0..=last).rev().find(|bin| self.at_ends[*bin] < most).unwrap_or(0);
        (first, greatest.max(first))
    }
}

/// The least number whose parts all counts are multiples of: 1 for what was drawn, more only for what a preview assumes.
fn common_denominator(levels: &[&[Rational]]) -> Natural {
    let mut common = Natural::ONE;
    for count in levels.iter().copied().flatten() {
        let own = count.denominator();
        if *own != Natural::ONE && *own != common {
            let missing = Rational::from_parts(common.clone().into(), own.clone()).denominator().clone();
            common *= missing;
        }
    }
    common
}

/// Sums of counts below 2^80 in size, and factors below 2^40: a sum of a few differences of the former, times one of the latter, is below
/// 2^126.
const SUM_BITS: u32 = 80;
const FACTOR_BITS: u32 = 40;

/// A number below 2^`bits` in size as one of the machine.
fn small(value: &Integer, bits: u32) -> Option<i128> {
    i128::try_from(value).ok().filter(|value| value.unsigned_abs() < 1 << bits)
}

/// 0 and the sums of the first one, two, three … counts, in so many parts of 1; `None` where `number` says that one does not fit.
fn running_sums<Sum>(
    counts: &[Rational],
    parts: &Natural,
    number: impl Fn(&Integer) -> Option<Sum>,
) -> Option<Vec<Sum>> {
    let mut sum = Integer::ZERO;
    let mut sums = Vec::with_capacity(counts.len() + 1);
    sums.push(number(&sum)?);
    for count in counts {
        match parts == count.denominator() {
            true => sum += count.numerator(),
            false => sum += count.numerator() * (parts / count.denominator()),
        }
        sums.push(number(&sum)?);
    }
    Some(sums)
}

/// What `balance` makes of the rows before and from the beginning of every finest bin, and of the end of the last: from the running sums of
/// each level.
fn ends<Sum: Default + AddAssign>(
    sums: &[Vec<Sum>],
    levels: &[&[Rational]],
    balance: impl Fn(Sum, Sum) -> Integer,
) -> Vec<Integer>
where
    for<'s> &'s Sum: Sub<Output = Sum>,
{
    let finest = sums.last().map_or(0, |sums| sums.len() - 1);
    let at = |end: usize| {
        let (mut before, mut behind) = (Sum::default(), Sum::default());
        // The bins of a level from `first` to `last` lie in the bin of the level above in which `end` lies.
        let (mut first, mut last) = (0, sums.first().map_or(0, |sums| sums.len() - 1));
        for (level, sums) in sums.iter().enumerate() {
            let finer = BRANCHES.pow((levels.len() - 1 - level) as u32);
            let own = (end / finer).clamp(first, last);
            before += &sums[own] - &sums[first];
            // The bin in which `end` lies is counted by the next level; the finest one begins there.
            let next = if finer == 1 { own } else { (own + 1).min(last) };
            behind += &sums[last] - &sums[next];
            if finer > 1 {
                let finer_bins = levels.get(level + 1).map_or(0, |next| next.len());
                first = (own * BRANCHES).min(finer_bins);
                last = (next * BRANCHES).min(finer_bins);
            }
        }
        balance(before, behind)
    };
    (0..=finest).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    /// The counts of values over a grid, level by level.
    fn counts(values: &[i64], low: i64, grid: &Grid) -> Drawn {
        let level = |(width, bins): (&i64, &usize)| {
            let mut counts = vec![Rational::ZERO; *bins];
            values.iter().for_each(|value| counts[((value - low) / width) as usize] += Rational::ONE);
            counts
        };
        Drawn(grid.widths.iter().zip(&grid.bins).map(level).collect())
    }

    fn quantile(rank: Rank, low: i64, high: i64, grid: &Grid) -> Quantile {
        let levels = (0..grid.widths.len()).collect();
        let width = *grid.widths.last().unwrap();
        Quantile { levels, rank, low, high, width, unit: Rational::ONE, day: false }
    }

    /// The least x such that at least q · n of n values are at most x.
    fn truth(values: &[i64], rank: &Rank) -> i64 {
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        let place = match rank {
            Rank::Least => 1,
            Rank::Share(share) => {
                let place = (share * Rational::from(values.len() as u64)).ceil();
                usize::try_from(place).unwrap()
            }
        };
        sorted[place - 1]
    }

    #[test]
    fn without_noise_the_bin_is_that_of_the_quantile() {
        let mut state = 5u64;
        let mut roll = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let ranks = || {
            let share = |n: i64, d: i64| Rank::Share(rational(n, d).unwrap());
            vec![Rank::Least, share(1, 2), share(1, 1), share(1, 10), share(99, 100), share(1, 3)]
        };
        for (low, high) in [(0, 120), (-5, 9), (0, 4095), (-1000, 99_000), (7, 7), (0, 15), (0, 16)] {
            let grid = grid(low, high, 1).unwrap();
            for length in [1, 2, 5, 40] {
                let values: Vec<i64> =
                    (0..length).map(|_| low + roll((high - low + 1) as u64) as i64).collect();
                let drawn = counts(&values, low, &grid);
                for rank in ranks() {
                    let truth = truth(&values, &rank);
                    let quantile = quantile(rank, low, high, &grid);
                    let none = vec![Rational::ZERO; grid.widths.len()];
                    let (first, last) = quantile.interval(&drawn, &none);
                    let (first, last, truth) = (first.unwrap(), last.unwrap(), Rational::from(truth));
                    assert!(first <= truth && truth <= last, "{quantile:?} {values:?}");
                    assert!(&last - &first < Rational::from(quantile.width));
                    let value = quantile.value(&drawn).unwrap();
                    assert!(first <= value && value <= last);
                    if quantile.width == 1 {
                        assert_eq!(value, truth);
                    }
                }
            }
        }
    }

    /// Counts in parts of 1, as a preview assumes them, and large shares make the same of bins as the plain sums do.
    #[test]
    fn parts_of_rows_are_added_up_exactly() {
        let grid = grid(0, 255, 1).unwrap();
        let share = rational(2, 7).unwrap();
        let third = |count: &Rational| count / Rational::from(3);
        let whole = counts(&[1, 1, 9, 70, 71, 200, 255], 0, &grid);
        let parts = Drawn(whole.0.iter().map(|level| level.iter().map(third).collect()).collect());
        let quantile = quantile(Rank::Share(share), 0, 255, &grid);
        let balances = quantile.balances(&parts);
        assert_eq!((balances.total, balances.parts), (rational(7, 3).unwrap(), Natural::from(21u8)));
        // Of 7 rows 2 are before 2 and 5 behind: 5/7 · 2/3 − 2/7 · 5/3 = 0, in parts of 1/21.
        assert_eq!(balances.at_ends[2], Integer::ZERO);
        // 5/7 · 3/3 − 2/7 · 4/3 = 7/21 in front of 70.
        assert_eq!(balances.at_ends[70], Integer::from(7));
        for error in [rational(0, 1).unwrap(), rational(1, 3).unwrap(), rational(10, 31).unwrap()] {
            let (first, last) = quantile.balances(&parts).bins(&error);
            let balances = quantile.balances(&whole).at_ends;
            let exact =
                |bin: usize| Rational::from(balances[bin].clone()) / Rational::from(3) / Rational::from(7);
            assert!(exact(first + 1) >= -error.clone() && (first == 0 || exact(first) < -error.clone()));
            assert!(last == first || exact(last) < error);
        }
    }

    /// Numbers beyond those of the machine are added up as well: everything times 2^100 gives the same bins.
    #[test]
    fn large_counts_make_the_same_of_bins() {
        let grid = grid(0, 255, 1).unwrap();
        let large = Rational::from(Integer::ONE << 100);
        let whole = counts(&[1, 1, 9, 70, 71, 200, 255], 0, &grid);
        let times =
            Drawn(whole.0.iter().map(|level| level.iter().map(|count| count * &large).collect()).collect());
        for rank in [rational(2, 7).unwrap(), rational(1, 2).unwrap(), rational(1, 1i64 << 50).unwrap()] {
            let quantile = quantile(Rank::Share(rank.clone()), 0, 255, &grid);
            let (small, large_ones) = (quantile.balances(&whole), quantile.balances(&times));
            let scaled: Vec<Integer> = small.at_ends.iter().map(|end| end << 100).collect();
            assert_eq!(scaled, large_ones.at_ends, "{rank}");
            assert_eq!(small.total * &large, large_ones.total);
            assert_eq!(quantile.value(&whole), quantile.value(&times));
        }
    }

    #[test]
    fn grids_cover_their_range() {
        for (low, high, groups) in
            [(0, 0, 1), (0, 120, 4), (-(1 << 60), 1 << 60, 1), (0, 10_000_000, 50), (3, 300, 4096)]
        {
            let grid = grid(low, high, groups).unwrap();
            let (width, bins) = (*grid.widths.last().unwrap(), *grid.bins.last().unwrap());
            let values = i128::from(high) - i128::from(low) + 1;
            assert!(i128::from(width) * bins as i128 >= values && bins * groups <= MOST_CELLS);
            assert!(i128::from(width) * (bins as i128 - 1) < values);
            for (pair, count) in grid.widths.windows(2).zip(grid.bins.windows(2)) {
                assert_eq!(pair[0], pair[1] * BRANCHES as i64);
                assert_eq!(count[0], count[1].div_ceil(BRANCHES));
            }
        }
        assert_eq!(grid(0, 120, 4).unwrap().widths, [16, 1]);
        assert_eq!(grid(0, 120, 1 << 20), None);
    }

    #[test]
    fn nothing_is_said_of_hardly_any_rows() {
        let grid = grid(0, 15, 1).unwrap();
        let median = quantile(Rank::Share(rational(1, 2).unwrap()), 0, 15, &grid);
        assert_eq!(median.value(&counts(&[], 0, &grid)), None);
        // The bars are then those of the whole range, also where noise speaks for some bin.
        let none = vec![Rational::ZERO];
        let mut noisy = counts(&[3, 4, 5], 0, &grid);
        noisy.0[0][9] = Rational::from(-3);
        assert_eq!(median.interval(&noisy, &none), (Some(Rational::ZERO), Some(Rational::from(15))));
        let wide = vec![Rational::from(100)];
        assert_eq!(
            median.interval(&counts(&[3], 0, &grid), &wide),
            (Some(Rational::ZERO), Some(Rational::from(15)))
        );
    }
}
