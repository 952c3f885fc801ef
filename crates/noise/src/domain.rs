//! What a mechanism accepts as input.
//!
//! A domain is part of the privacy claim: the map speaks about pairs of members only. An input outside it is
//! refused. The refusal names the domain and the position, never the value: inputs are private, and errors end
//! up in logs.

use std::fmt;
use std::sync::Arc;

use probity_exact::{Integer, Natural};

use crate::sampler::{ParameterError, select};

/// An input outside the domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainError {
    domain: String,
    position: Option<usize>,
}

impl DomainError {
    pub(crate) fn outside(domain: &impl fmt::Display) -> Self {
        DomainError { domain: domain.to_string(), position: None }
    }

    /// The same error, of the element at this position.
    pub(crate) fn at(self, position: usize) -> Self {
        DomainError { position: Some(position), ..self }
    }

    /// The domain that the input should have been in, in words.
    pub fn domain(&self) -> &str {
        &self.domain
    }

    /// Which element of a vector is at fault.
    pub fn position(&self) -> Option<usize> {
        self.position
    }
}

impl fmt::Display for DomainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some(position) => write!(f, "the input at position {position} is not among {}", self.domain),
            None => write!(f, "the input is not among {}", self.domain),
        }
    }
}

impl std::error::Error for DomainError {}

/// A set of inputs.
///
/// ```
/// use probity_noise::domain::{Domain, IntegerRange, Vectors};
/// let ages = Vectors::of(IntegerRange::new(0, 120)?).with_length(3)?;
/// assert!(ages.check(&vec![17, 42, 99]).is_ok());
/// let error = ages.check(&vec![17, 142, 99]).unwrap_err();
/// assert_eq!(error.to_string(), "the input at position 1 is not among the integers from 0 to 120");
/// # Ok::<(), probity_noise::sampler::ParameterError>(())
/// ```
pub trait Domain<Input>: fmt::Display + Send + Sync {
    /// Accepts members only.
    ///
    /// # Errors
    /// When the input is not a member.
    fn check(&self, input: &Input) -> Result<(), DomainError>;

    /// Accepts lists of members only; the error names the position.
    ///
    /// # Errors
    /// When an input is not a member.
    fn check_each(&self, inputs: &[Input]) -> Result<(), DomainError> {
        inputs
            .iter()
            .enumerate()
            .try_for_each(|(position, input)| self.check(input).map_err(|error| error.at(position)))
    }

    /// Whether all members have the same number of records. Then adding one record leaves the domain, and group
    /// privacy cannot go that way.
    fn fixes_length(&self) -> bool {
        false
    }
}

impl<Input, D: Domain<Input> + ?Sized> Domain<Input> for Arc<D> {
    fn check(&self, input: &Input) -> Result<(), DomainError> {
        (**self).check(input)
    }

    fn check_each(&self, inputs: &[Input]) -> Result<(), DomainError> {
        (**self).check_each(inputs)
    }

    fn fixes_length(&self) -> bool {
        (**self).fixes_length()
    }
}

/// The 64-bit integers from one bound to another.
///
/// A noisy 64-bit integer saturates: it is x + Z clamped to the 64-bit integers, which is post-processing of x + Z
/// and leaves the map as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntegerRange {
    /// Invariant: lower ≤ upper.
    lower: i64,
    upper: i64,
}

impl IntegerRange {
    /// All 64-bit integers.
    pub const WIDEST: IntegerRange = IntegerRange { lower: i64::MIN, upper: i64::MAX };

    /// The integers from `lower` to `upper`, both included.
    ///
    /// # Errors
    /// When the range is empty.
    pub fn new(lower: i64, upper: i64) -> Result<Self, ParameterError> {
        match lower <= upper {
            true => Ok(IntegerRange { lower, upper }),
            false => Err(ParameterError::new("lower bound", lower, "at most the upper bound")),
        }
    }

    /// The smallest member.
    pub fn lower(&self) -> i64 {
        self.lower
    }

    /// The largest member.
    pub fn upper(&self) -> i64 {
        self.upper
    }

    /// upper − lower.
    pub fn width(&self) -> u64 {
        self.upper.abs_diff(self.lower)
    }
}

impl fmt::Display for IntegerRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            IntegerRange::WIDEST => write!(f, "the 64-bit integers"),
            _ => write!(f, "the integers from {} to {}", self.lower, self.upper),
        }
    }
}

impl Domain<i64> for IntegerRange {
    fn check(&self, input: &i64) -> Result<(), DomainError> {
        match (self.lower..=self.upper).contains(input) {
            true => Ok(()),
            false => Err(DomainError::outside(self)),
        }
    }
}

/// All integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BigIntegers;

impl fmt::Display for BigIntegers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the integers")
    }
}

impl Domain<Integer> for BigIntegers {
    fn check(&self, _: &Integer) -> Result<(), DomainError> {
        Ok(())
    }
}

/// The integers modulo m, written as 0 … m − 1: machine words wrap modulo 2^k.
///
/// ```
/// use probity_noise::domain::{Domain, WrappingIntegers};
/// assert!(WrappingIntegers::bits(8)?.check(&255u64).is_ok());
/// assert!(WrappingIntegers::bits(8)?.check(&256u64).is_err());
/// assert!(WrappingIntegers::modulo(0u8).is_err());
/// # Ok::<(), probity_noise::sampler::ParameterError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrappingIntegers {
    /// Invariant: at least 1.
    modulus: Natural,
}

impl WrappingIntegers {
    /// Modulo this number.
    ///
    /// # Errors
    /// When the modulus is 0.
    pub fn modulo(modulus: impl Into<Natural>) -> Result<Self, ParameterError> {
        let modulus = modulus.into();
        match modulus == Natural::ZERO {
            true => Err(ParameterError::new("modulus", modulus, "at least 1")),
            false => Ok(WrappingIntegers { modulus }),
        }
    }

    /// Modulo 2^`bits`, as a machine word of that many bits wraps.
    ///
    /// # Errors
    /// When there are no bits, or more than 2^20.
    pub fn bits(bits: u32) -> Result<Self, ParameterError> {
        match (1..=1 << 20).contains(&bits) {
            true => Ok(WrappingIntegers { modulus: Natural::ONE << bits as usize }),
            false => Err(ParameterError::new("bits", bits, "from 1 to 2^20")),
        }
    }

    /// The modulus.
    pub fn modulus(&self) -> &Natural {
        &self.modulus
    }
}

impl fmt::Display for WrappingIntegers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the integers modulo {}, from 0", self.modulus)
    }
}

impl Domain<u64> for WrappingIntegers {
    fn check(&self, input: &u64) -> Result<(), DomainError> {
        match Natural::from(*input) < self.modulus {
            true => Ok(()),
            false => Err(DomainError::outside(self)),
        }
    }
}

impl Domain<Integer> for WrappingIntegers {
    fn check(&self, input: &Integer) -> Result<(), DomainError> {
        match *input >= Integer::ZERO && *input < Integer::from(self.modulus.clone()) {
            true => Ok(()),
            false => Err(DomainError::outside(self)),
        }
    }
}

/// The doubles except NaN, clamped to a finite range before anything else happens to them.
///
/// Clamping is 1-Lipschitz: |clamp(x) − clamp(x')| ≤ |x − x'|, so it leaves every distance a valid bound. An
/// infinity is a member and stands for the bound on its side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClampedFloats {
    /// Invariant: finite, lower ≤ upper.
    lower: f64,
    upper: f64,
}

impl ClampedFloats {
    /// Doubles, clamped to [`lower`, `upper`].
    ///
    /// # Errors
    /// When a bound is NaN or infinite, or the range is empty.
    pub fn new(lower: f64, upper: f64) -> Result<Self, ParameterError> {
        for (name, bound) in [("lower bound", lower), ("upper bound", upper)] {
            if !bound.is_finite() {
                return Err(ParameterError::new(name, bound, "finite"));
            }
        }
        match lower <= upper {
            true => Ok(ClampedFloats { lower, upper }),
            false => Err(ParameterError::new("lower bound", lower, "at most the upper bound")),
        }
    }

    /// Doubles, clamped to ±`bound`, which the caller knows to be positive and finite.
    pub(crate) fn symmetric(bound: f64) -> Self {
        ClampedFloats { lower: -bound, upper: bound }
    }

    /// The lower bound.
    pub fn lower(&self) -> f64 {
        self.lower
    }

    /// The upper bound.
    pub fn upper(&self) -> f64 {
        self.upper
    }

    /// The nearest double within the bounds.
    pub fn clamp(&self, x: f64) -> f64 {
        x.clamp(self.lower, self.upper)
    }
}

impl fmt::Display for ClampedFloats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the doubles except NaN, clamped to [{}, {}]", self.lower, self.upper)
    }
}

impl Domain<f64> for ClampedFloats {
    fn check(&self, input: &f64) -> Result<(), DomainError> {
        // By its bits, which take the same time for every number.
        match input.abs().to_bits() <= f64::INFINITY.to_bits() {
            true => Ok(()),
            false => Err(DomainError::outside(self)),
        }
    }
}

/// The number, or 0 in the place of a subnormal one, without a jump: processors may take longer for subnormal numbers.
#[inline(always)]
pub(crate) fn without_subnormals(x: f64) -> f64 {
    f64::from_bits(select(x.abs().to_bits() >= f64::MIN_POSITIVE.to_bits(), x.to_bits(), 0))
}

/// Every value of a type: for mechanisms that give any input a meaning, and for inputs that the caller has
/// already turned into scores or queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Everything;

impl fmt::Display for Everything {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("all values of the type")
    }
}

impl<Input> Domain<Input> for Everything {
    fn check(&self, _: &Input) -> Result<(), DomainError> {
        Ok(())
    }
}

/// Vectors whose entries belong to a domain, of known or unknown length.
#[derive(Debug, Clone, PartialEq)]
pub struct Vectors<D> {
    entries: D,
    length: Option<usize>,
}

impl<D> Vectors<D> {
    /// Vectors of any length.
    pub fn of(entries: D) -> Self {
        Vectors { entries, length: None }
    }

    /// Vectors of exactly this length.
    ///
    /// # Errors
    /// When the length is 0: a known length stands for data that is there.
    pub fn with_length(self, length: usize) -> Result<Self, ParameterError> {
        match length {
            0 => Err(ParameterError::new("length", length, "at least 1")),
            _ => Ok(Vectors { length: Some(length), ..self }),
        }
    }

    /// The length, where it is known.
    pub fn length(&self) -> Option<usize> {
        self.length
    }

    /// The domain of the entries.
    pub fn entries(&self) -> &D {
        &self.entries
    }
}

impl<D: fmt::Display> fmt::Display for Vectors<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.length {
            Some(length) => write!(f, "the vectors of length {length} over {}", self.entries),
            None => write!(f, "the vectors over {}", self.entries),
        }
    }
}

impl<Entry, D: Domain<Entry>> Domain<Vec<Entry>> for Vectors<D> {
    fn check(&self, input: &Vec<Entry>) -> Result<(), DomainError> {
        if self.length.is_some_and(|length| length != input.len()) {
            return Err(DomainError::outside(self));
        }
        self.entries.check_each(input)
    }

    fn fixes_length(&self) -> bool {
        self.length.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_that_make_no_sense_are_refused_by_name() {
        assert_eq!(IntegerRange::new(3, 2).unwrap_err().parameter(), "lower bound");
        for bad in [f64::NAN, f64::INFINITY] {
            assert_eq!(ClampedFloats::new(bad, 1.0).unwrap_err().parameter(), "lower bound");
            assert_eq!(ClampedFloats::new(0.0, bad).unwrap_err().parameter(), "upper bound");
        }
        assert!(ClampedFloats::new(1.0, 0.0).is_err());
        assert_eq!(Vectors::of(BigIntegers).with_length(0).unwrap_err().parameter(), "length");
        assert!(WrappingIntegers::bits(0).is_err());
    }

    #[test]
    fn members_only() {
        let range = IntegerRange::new(-5, 5).unwrap();
        assert!(range.check(&-5).is_ok() && range.check(&5).is_ok());
        assert!(range.check(&6).is_err() && range.check(&-6).is_err());
        assert_eq!(IntegerRange::WIDEST.width(), u64::MAX);
        let floats = ClampedFloats::new(-1.0, 1.0).unwrap();
        assert!(floats.check(&f64::NAN).is_err());
        assert!(floats.check(&f64::INFINITY).is_ok());
        assert_eq!(floats.clamp(f64::NEG_INFINITY), -1.0);
        let three = Vectors::of(range).with_length(3).unwrap();
        assert!(three.check(&vec![1, 2]).is_err());
        assert_eq!(three.check(&vec![1, 2, 7]).unwrap_err().position(), Some(2));
        let wrapping = WrappingIntegers::modulo(7u8).unwrap();
        assert!(wrapping.check(&6u64).is_ok() && wrapping.check(&7u64).is_err());
        assert!(wrapping.check(&Integer::from(-1)).is_err());
    }

    #[test]
    fn errors_do_not_show_the_input() {
        let error = IntegerRange::new(0, 10).unwrap().check(&424_242).unwrap_err();
        assert!(!error.to_string().contains("424242"));
    }
}
