//! The numbers of privacy, each with its own type: a budget cannot be mistaken for a distance.
//!
//! ```
//! use probity_exact::fraction;
//! use probity_noise::unit::{Epsilon, Sensitivity};
//! let tenth = Epsilon::new(fraction::<1, 10>())?;
//! // The double 0.1 is a little more than one tenth, and comparisons know it.
//! assert!(tenth < Epsilon::from_f64(0.1)?);
//! assert_eq!(Sensitivity::new(fraction::<-1, 1>()).unwrap_err().parameter(), "d_in");
//! # Ok::<(), probity_noise::sampler::ParameterError>(())
//! ```

use std::cmp::Ordering;
use std::fmt;

use probity_exact::directed::cast_up;
use probity_exact::{Rational, rational_from_f64};

use crate::sampler::ParameterError;

/// A non-negative real number or +∞, known exactly.
#[derive(Debug, Clone)]
enum Amount {
    /// Invariant: not NaN and not negative.
    Double(f64),
    /// Invariant: not negative.
    Exact(Rational),
}

impl Amount {
    fn exact(&self) -> Option<Rational> {
        match self {
            Amount::Double(value) => rational_from_f64(*value),
            Amount::Exact(value) => Some(value.clone()),
        }
    }

    fn round_up(&self) -> f64 {
        match self {
            Amount::Double(value) => *value,
            Amount::Exact(value) => cast_up(value),
        }
    }

    fn compare(&self, other: &Amount) -> Ordering {
        match (self.exact(), other.exact()) {
            (Some(a), Some(b)) => a.cmp(&b),
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
        }
    }
}

/// Prints a double as a double, a fraction as a fraction.
impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Amount::Double(value) if value.is_infinite() => f.write_str("∞"),
            Amount::Double(value) => value.fmt(f),
            Amount::Exact(value) => value.fmt(f),
        }
    }
}

/// Declares a unit: a non-negative number or +∞ with a name.
macro_rules! unit {
    ($(#[$doc:meta])* $name:ident, $parameter:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name(Amount);

        impl $name {
            /// Exactly this value.
            ///
            /// # Errors
            /// When the value is negative.
            pub fn new(value: Rational) -> Result<Self, ParameterError> {
                match value < Rational::ZERO {
                    true => Err(ParameterError::new($parameter, value, "at least 0")),
                    false => Ok($name(Amount::Exact(value))),
                }
            }

            /// The exact value of a double, +∞ included.
            ///
            /// # Errors
            /// When the value is NaN or negative.
            pub fn from_f64(value: f64) -> Result<Self, ParameterError> {
                match value >= 0.0 {
                    // Adding 0 turns −0 into +0.
                    true => Ok($name(Amount::Double(value + 0.0))),
                    false => Err(ParameterError::new($parameter, value, "at least 0")),
                }
            }

            /// +∞: no bound at all.
            pub fn infinite() -> Self {
                $name(Amount::Double(f64::INFINITY))
            }

            /// 0: nothing is lost.
            pub fn zero() -> Self {
                $name(Amount::Double(0.0))
            }

            /// The exact value; `None` for +∞.
            pub fn exact(&self) -> Option<Rational> {
                self.0.exact()
            }

            /// The least double that is not below the value.
            pub fn to_f64_up(&self) -> f64 {
                self.0.round_up()
            }

            /// Whether this is +∞.
            pub fn is_infinite(&self) -> bool {
                matches!(self.0, Amount::Double(f64::INFINITY))
            }
        }

        /// Equality of the numbers.
        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.0.compare(&other.0) == Ordering::Equal
            }
        }

        impl Eq for $name {}

        /// The order of the numbers, compared exactly.
        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &Self) -> Ordering {
                self.0.compare(&other.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

unit!(
    /// The ε of pure and approximate differential privacy: a bound on the log-ratio of probabilities.
    Epsilon,
    "epsilon"
);
unit!(
    /// The δ of approximate differential privacy: the probability mass that ε does not bound.
    Delta,
    "delta"
);
unit!(
    /// The ρ of zero-concentrated differential privacy.
    Rho,
    "rho"
);

/// A distance between two inputs (d_in): a finite number of at least 0, in the units of the input metric.
///
/// ```
/// use probity_noise::unit::Sensitivity;
/// assert_eq!(Sensitivity::from(2u32).to_string(), "2");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sensitivity(Rational);

impl Sensitivity {
    /// Exactly this distance.
    ///
    /// # Errors
    /// When the value is negative.
    pub fn new(value: Rational) -> Result<Self, ParameterError> {
        match value < Rational::ZERO {
            true => Err(ParameterError::new("d_in", value, "a finite number of at least 0")),
            false => Ok(Sensitivity(value)),
        }
    }

    /// The exact value of a double.
    ///
    /// # Errors
    /// When the value is NaN, infinite or negative.
    pub fn from_f64(value: f64) -> Result<Self, ParameterError> {
        match rational_from_f64(value) {
            Some(exact) => Self::new(exact),
            None => Err(ParameterError::new("d_in", value, "a finite number of at least 0")),
        }
    }

    /// The exact value.
    pub fn value(&self) -> &Rational {
        &self.0
    }
}

impl From<u32> for Sensitivity {
    fn from(value: u32) -> Self {
        Sensitivity(Rational::from(value))
    }
}

impl From<u64> for Sensitivity {
    fn from(value: u64) -> Self {
        Sensitivity(Rational::from(value))
    }
}

impl fmt::Display for Sensitivity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    #[test]
    fn what_is_no_amount_is_refused_by_name() {
        for value in [f64::NAN, -1.0, f64::NEG_INFINITY, -0.5] {
            assert_eq!(Epsilon::from_f64(value).unwrap_err().parameter(), "epsilon");
            assert_eq!(Delta::from_f64(value).unwrap_err().parameter(), "delta");
            assert_eq!(Sensitivity::from_f64(value).unwrap_err().parameter(), "d_in");
        }
        assert!(Epsilon::from_f64(-f64::from_bits(1)).is_err());
        assert!(Sensitivity::from_f64(f64::INFINITY).is_err());
        assert!(Epsilon::from_f64(f64::INFINITY).unwrap().is_infinite());
        assert!(Rho::new(rational(-1, 1_000_000).unwrap()).is_err());
    }

    #[test]
    fn order_is_exact_across_representations() {
        let third = Epsilon::new(rational(1, 3).unwrap()).unwrap();
        let rounded = Epsilon::from_f64(third.to_f64_up()).unwrap();
        assert!(third < rounded && rounded < Epsilon::infinite());
        assert_eq!(Epsilon::from_f64(0.5).unwrap(), Epsilon::new(rational(1, 2).unwrap()).unwrap());
        assert_eq!(Epsilon::from_f64(-0.0).unwrap().to_string(), "0");
    }
}
