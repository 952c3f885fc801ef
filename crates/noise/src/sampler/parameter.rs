//! Parameters as types: a value that exists is a value that is allowed.

use std::fmt;

use probity_exact::{Natural, Rational, rational_from_f64};

/// A parameter outside its range: which one, what was given, what is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterError {
    parameter: &'static str,
    value: String,
    allowed: &'static str,
}

impl ParameterError {
    pub(crate) fn new(parameter: &'static str, value: impl fmt::Display, allowed: &'static str) -> Self {
        // A rational can have millions of digits; its beginning identifies it well enough.
        let mut text = value.to_string();
        if let Some((cut, _)) = text.char_indices().nth(60) {
            text.truncate(cut);
            text.push('…');
        }
        ParameterError { parameter, value: text, allowed }
    }

    /// The name of the parameter at fault.
    pub fn parameter(&self) -> &'static str {
        self.parameter
    }

    /// The value that was given, as text.
    pub fn value(&self) -> &str {
        &self.value
    }
}

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {} is not allowed: it must be {}", self.parameter, self.value, self.allowed)
    }
}

impl std::error::Error for ParameterError {}

/// Declares a rational parameter: the type, its checks, its constructors.
macro_rules! rational_parameter {
    ($(#[$doc:meta])* $name:ident, $parameter:literal, $allowed:literal, $is_allowed:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name(Rational);

        impl $name {
            /// The parameter with exactly this value.
            ///
            /// # Errors
            /// When the value is outside the range that the type stands for.
            pub fn new(value: Rational) -> Result<Self, ParameterError> {
                let is_allowed: fn(&Rational) -> bool = $is_allowed;
                match is_allowed(&value) {
                    true => Ok($name(value)),
                    false => Err(ParameterError::new($parameter, value, $allowed)),
                }
            }

            /// The parameter with the exact value of a double.
            ///
            /// # Errors
            /// When the double is NaN or infinite, or outside the range that the type stands for.
            pub fn from_f64(value: f64) -> Result<Self, ParameterError> {
                match rational_from_f64(value) {
                    Some(exact) => Self::new(exact),
                    None => Err(ParameterError::new($parameter, value, $allowed)),
                }
            }

            /// The exact value.
            pub fn value(&self) -> &Rational {
                &self.0
            }
        }

        impl TryFrom<Rational> for $name {
            type Error = ParameterError;
            fn try_from(value: Rational) -> Result<Self, ParameterError> {
                Self::new(value)
            }
        }
    };
}

rational_parameter!(
    /// The scale of geometric or Laplace noise: a finite number of at least 0, where 0 means no noise.
    ///
    /// ```
    /// use probity_noise::sampler::Scale;
    /// assert!(Scale::from_f64(2.5).is_ok());
    /// let error = Scale::from_f64(-1.0).unwrap_err();
    /// assert_eq!(error.to_string(), "scale = -1 is not allowed: it must be a finite number of at least 0");
    /// ```
    Scale, "scale", "a finite number of at least 0", |value| *value >= Rational::ZERO
);

rational_parameter!(
    /// A probability: a number from 0 to 1, both included.
    ///
    /// ```
    /// use probity_noise::sampler::Probability;
    /// assert!(Probability::from_f64(1.0).is_ok());
    /// assert!(Probability::from_f64(1.0f64.next_up()).is_err());
    /// ```
    Probability, "probability", "a number from 0 to 1", |value| {
        *value >= Rational::ZERO && *value <= Rational::ONE
    }
);

rational_parameter!(
    /// The exponent γ of the probability e^−γ: a finite number of at least 0.
    ///
    /// ```
    /// use probity_noise::sampler::Exponent;
    /// assert!(Exponent::from_f64(f64::INFINITY).is_err());
    /// ```
    Exponent, "exponent", "a finite number of at least 0", |value| *value >= Rational::ZERO
);

rational_parameter!(
    /// The parameter σ² of Gaussian noise: a finite number of at least 0, where 0 means no noise.
    ///
    /// ```
    /// use probity_noise::sampler::SquaredScale;
    /// assert!(SquaredScale::from_f64(f64::NAN).is_err());
    /// ```
    SquaredScale, "squared scale", "a finite number of at least 0", |value| *value >= Rational::ZERO
);

/// How many integers a uniform draw chooses from: at least 1.
///
/// ```
/// use probity_noise::sampler::Count;
/// assert!(Count::new(6u8).is_ok());
/// assert_eq!(Count::new(0u8).unwrap_err().to_string(), "count = 0 is not allowed: it must be at least 1");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count(Natural);

impl Count {
    /// The count `value`.
    ///
    /// # Errors
    /// When the count is zero: there is nothing to choose from.
    pub fn new(value: impl Into<Natural>) -> Result<Self, ParameterError> {
        let value = value.into();
        match value == Natural::ZERO {
            true => Err(ParameterError::new("count", value, "at least 1")),
            false => Ok(Count(value)),
        }
    }

    /// The exact value.
    pub fn value(&self) -> &Natural {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::{Integer, rational};

    #[test]
    fn ranges_are_compared_exactly() {
        let just_above = rational((Integer::ONE << 300) + Integer::ONE, Integer::ONE << 300).unwrap();
        assert_eq!(Probability::new(just_above.clone()).unwrap_err().parameter(), "probability");
        assert!(Probability::new(Rational::ONE / just_above).is_ok());
        let just_below = rational(-1, Integer::ONE << 300).unwrap();
        assert!(Probability::new(just_below.clone()).is_err());
        assert!(Scale::new(just_below.clone()).is_err());
        assert!(Exponent::new(just_below.clone()).is_err());
        assert!(SquaredScale::new(just_below).is_err());
        assert!(Scale::from_f64(-0.0).is_ok());
    }

    #[test]
    fn what_is_no_number_is_refused_by_name() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(Scale::from_f64(value).unwrap_err().parameter(), "scale");
            assert_eq!(Probability::from_f64(value).unwrap_err().parameter(), "probability");
            assert_eq!(Exponent::from_f64(value).unwrap_err().parameter(), "exponent");
            assert_eq!(SquaredScale::from_f64(value).unwrap_err().value(), value.to_string());
        }
    }

    #[test]
    fn a_long_value_is_cut_in_the_message() {
        let error = Scale::new(-Rational::from(Integer::ONE << 10_000)).unwrap_err();
        assert!(error.to_string().len() < 150);
    }
}
