//! What "neighbouring inputs" means: the unit in which d_in is counted.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;

use probity_exact::{Integer, Natural, UnsignedAbs};

/// A distance between inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// 0 for equal inputs, 1 for different ones.
    Discrete,
    /// |x − x'|, of numbers.
    Absolute,
    /// Σ |xᵢ − x'ᵢ|, of vectors of one length.
    L1,
    /// √Σ |xᵢ − x'ᵢ|², of vectors of one length.
    L2,
    /// max |xᵢ − x'ᵢ|, of vectors of one length.
    LInfinity,
    /// max |xᵢ − x'ᵢ| where the entries either all rise or all fall: scores of adding or removing a person.
    LInfinityMonotone,
    /// How many records must be added or removed.
    Symmetric,
    /// How many records must be changed, the number of records staying the same.
    ChangeOne,
}

impl Metric {
    /// Whether this counts records, so that inputs at distance k are joined by k steps of one record each. This is
    /// what group privacy rests on.
    pub fn counts_records(self) -> bool {
        matches!(self, Metric::Symmetric | Metric::ChangeOne)
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Metric::Discrete => "discrete distance",
            Metric::Absolute => "absolute distance",
            Metric::L1 => "L1 distance",
            Metric::L2 => "L2 distance",
            Metric::LInfinity => "L∞ distance",
            Metric::LInfinityMonotone => "monotone L∞ distance",
            Metric::Symmetric => "symmetric distance",
            Metric::ChangeOne => "change-one distance",
        })
    }
}

/// Σ |xᵢ − x'ᵢ|; `None` when the lengths differ.
///
/// ```
/// use probity_noise::metric::l1;
/// assert_eq!(l1(&[i64::MIN, 3], &[i64::MAX, 1]), Some((u64::MAX as u128 + 2).into()));
/// ```
pub fn l1(left: &[i64], right: &[i64]) -> Option<Natural> {
    let zip = || left.iter().zip(right);
    (left.len() == right.len()).then(|| zip().map(|(a, b)| Natural::from(a.abs_diff(*b))).sum())
}

/// Σ |xᵢ − x'ᵢ|², the square of the L2 distance, which is an integer; `None` when the lengths differ.
///
/// ```
/// assert_eq!(probity_noise::metric::l2_squared(&[3, 0], &[0, 4]), Some(25u8.into()));
/// ```
pub fn l2_squared(left: &[i64], right: &[i64]) -> Option<Natural> {
    let square = |(a, b): (&i64, &i64)| Natural::from(a.abs_diff(*b)).pow(2);
    (left.len() == right.len()).then(|| left.iter().zip(right).map(square).sum())
}

/// |x − x'|.
///
/// ```
/// use probity_exact::Integer;
/// assert_eq!(probity_noise::metric::absolute(&Integer::from(-3), &Integer::from(4)), 7u8.into());
/// ```
pub fn absolute(left: &Integer, right: &Integer) -> Natural {
    (left - right).unsigned_abs()
}

/// How many records must be added or removed to turn one multiset into the other.
///
/// ```
/// assert_eq!(probity_noise::metric::symmetric(&['a', 'b', 'b'], &['b', 'c']), 3);
/// ```
pub fn symmetric<T: Eq + Hash>(left: &[T], right: &[T]) -> usize {
    let mut surplus: HashMap<&T, isize> = HashMap::new();
    left.iter().for_each(|record| *surplus.entry(record).or_default() += 1);
    right.iter().for_each(|record| *surplus.entry(record).or_default() -= 1);
    surplus.values().map(|count| count.unsigned_abs()).sum()
}

/// How many positions differ; `None` when the lengths differ.
///
/// ```
/// assert_eq!(probity_noise::metric::change_one(&[true, false], &[true, true]), Some(1));
/// assert_eq!(probity_noise::metric::change_one(&[true], &[]), None);
/// ```
pub fn change_one<T: PartialEq>(left: &[T], right: &[T]) -> Option<usize> {
    (left.len() == right.len()).then(|| left.iter().zip(right).filter(|(a, b)| a != b).count())
}
