//! The five rounding directions of IEEE 754.

/// In which direction a real number goes to a float.
///
/// ```
/// use probity_exact::{Format, Round, fraction};
/// let third = fraction::<1, 3>();
/// let below = Format::BINARY64.round(&third, Round::Down).to_f64().unwrap();
/// let above = Format::BINARY64.round(&third, Round::Up).to_f64().unwrap();
/// assert_eq!(below.next_up(), above);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Round {
    /// To the nearest float; of two equally near ones, to the one with an even significand.
    NearestEven,
    /// To the nearest float; of two equally near ones, to the one farther from zero.
    NearestAway,
    /// To the float between the number and zero.
    TowardZero,
    /// To the smallest float that is not below.
    Up,
    /// To the largest float that is not above.
    Down,
}

impl Round {
    /// All directions, for tests that go through them.
    pub const ALL: [Round; 5] =
        [Round::NearestEven, Round::NearestAway, Round::TowardZero, Round::Up, Round::Down];

    /// The direction with up and down exchanged: rounding −x that way is −(rounding x this way).
    pub fn mirrored(self) -> Round {
        match self {
            Round::Up => Round::Down,
            Round::Down => Round::Up,
            other => other,
        }
    }

    /// Whether a magnitude between two floats goes to the one farther from zero.
    ///
    /// `odd` is the parity of the lower significand and `rest` where the magnitude lies between the two.
    pub(crate) fn magnitude_goes_up(self, negative: bool, odd: bool, rest: Rest) -> bool {
        match (self, rest) {
            (_, Rest::Zero) => false,
            (Round::NearestEven, Rest::Half) => odd,
            (Round::NearestAway, Rest::Half) => true,
            (Round::NearestEven | Round::NearestAway, rest) => rest == Rest::AboveHalf,
            (Round::TowardZero, _) => false,
            (Round::Up, _) => !negative,
            (Round::Down, _) => negative,
        }
    }
}

/// What a truncation cut off, in units of the last place that was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rest {
    Zero,
    BelowHalf,
    Half,
    AboveHalf,
}

impl Rest {
    /// From the comparison of the rest with one half, the rest being positive.
    pub(crate) fn from_half(ordering: std::cmp::Ordering) -> Rest {
        match ordering {
            std::cmp::Ordering::Less => Rest::BelowHalf,
            std::cmp::Ordering::Equal => Rest::Half,
            std::cmp::Ordering::Greater => Rest::AboveHalf,
        }
    }
}
