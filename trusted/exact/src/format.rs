//! A binary floating-point format, and rounding to it: the one place where anything is rounded.

use std::fmt;

use dashu_base::{BitTest, DivRem};

use crate::float::{Float, Kind};
use crate::round::{Rest, Round};
use crate::{Integer, Natural, Rational, Sign, UnsignedAbs};

/// A binary format: the numbers ± m · 2^(e − precision + 1) with 0 ≤ m < 2^precision and emin ≤ e ≤ emax,
/// both infinities, both zeros, and NaN.
///
/// ```
/// use probity_exact::{Format, Round, fraction};
/// let tiny = Format::new(3, -2, 2).unwrap();
/// // Between 1 and 2 its numbers are 1, 1.25, 1.5, 1.75.
/// let x = tiny.round(&fraction::<4, 3>(), Round::NearestEven);
/// assert_eq!(x.to_f64(), Some(1.25));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Format {
    /// Invariant: 2 ≤ precision ≤ MAX_PRECISION.
    precision: u32,
    /// Invariant: −MAX_EXPONENT ≤ emin ≤ emax ≤ MAX_EXPONENT.
    emin: i64,
    emax: i64,
}

/// Bits of precision beyond which a format is refused.
const MAX_PRECISION: u32 = 1 << 24;

/// Exponents up to which products and quotients of two numbers keep far away from the ends of i64.
const MAX_EXPONENT: i64 = 1 << 60;

/// Why three numbers make no format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormatError {
    /// The precision is below 2 or above 2^24.
    Precision(u32),
    /// emin > emax, or one of them is beyond ±2^60.
    Exponents {
        /// The smallest exponent that was asked for.
        emin: i64,
        /// The largest exponent that was asked for.
        emax: i64,
    },
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FormatError::Precision(p) => write!(f, "precision {p} is outside 2..=2^24"),
            FormatError::Exponents { emin, emax } => {
                write!(f, "exponents {emin}..={emax} are not an interval within ±2^60")
            }
        }
    }
}

impl std::error::Error for FormatError {}

impl Format {
    /// IEEE 754 binary64, Rust's f64.
    pub const BINARY64: Format = Format { precision: 53, emin: -1022, emax: 1023 };
    /// IEEE 754 binary32, Rust's f32.
    pub const BINARY32: Format = Format { precision: 24, emin: -126, emax: 127 };
    /// IEEE 754 binary16.
    pub const BINARY16: Format = Format { precision: 11, emin: -14, emax: 15 };

    /// The format with this precision and these exponents.
    pub fn new(precision: u32, emin: i64, emax: i64) -> Result<Format, FormatError> {
        if !(2..=MAX_PRECISION).contains(&precision) {
            return Err(FormatError::Precision(precision));
        }
        if emin > emax || emin < -MAX_EXPONENT || emax > MAX_EXPONENT {
            return Err(FormatError::Exponents { emin, emax });
        }
        Ok(Format { precision, emin, emax })
    }

    /// A big float: this precision (held within 2 to 2^24) and exponents that nothing practical exceeds.
    pub fn wide(precision: u32) -> Format {
        Format { precision: precision.clamp(2, MAX_PRECISION), emin: -MAX_EXPONENT, emax: MAX_EXPONENT }
    }

    /// The number of significant bits p.
    pub fn precision(&self) -> u32 {
        self.precision
    }

    /// The exponent of the smallest normal number.
    pub fn emin(&self) -> i64 {
        self.emin
    }

    /// The exponent of the largest numbers.
    pub fn emax(&self) -> i64 {
        self.emax
    }

    /// The unit roundoff η = 2^−p: rounding to nearest moves a normal number x by at most η·|x|.
    pub fn unit_roundoff(&self) -> Rational {
        Rational::from_parts(Integer::ONE, Natural::ONE << self.precision as usize)
    }

    /// The largest finite number.
    pub fn max_finite(&self) -> Float {
        let ones = (Natural::ONE << self.precision as usize) - Natural::ONE;
        Float::from_parts(false, ones, self.emax - i64::from(self.precision) + 1)
    }

    /// The smallest positive number, which is subnormal.
    pub fn min_positive(&self) -> Float {
        Float::from_parts(false, Natural::ONE, self.quantum(self.emin))
    }

    /// Whether the datum belongs to the format.
    pub fn contains(&self, x: &Float) -> bool {
        match (x.parts(), x.leading_exponent()) {
            (Some((_, _, exponent)), Some(leading)) => {
                leading <= self.emax && exponent >= self.quantum(leading)
            }
            _ => true,
        }
    }

    /// The exponent of the last place of numbers whose leading bit is 2^leading.
    pub(crate) fn quantum(&self, leading: i64) -> i64 {
        leading.max(self.emin) - i64::from(self.precision) + 1
    }

    /// The rational rounded to the format. Zero becomes +0.
    pub fn round(&self, x: &Rational, direction: Round) -> Float {
        let negative = x.numerator().sign() == Sign::Negative;
        let magnitude = x.numerator().unsigned_abs();
        self.round_quotient(negative, &magnitude, x.denominator(), 0, direction)
    }

    /// ± numerator / denominator · 2^exponent rounded. The denominator is positive.
    pub(crate) fn round_quotient(
        &self,
        negative: bool,
        numerator: &Natural,
        denominator: &Natural,
        exponent: i64,
        direction: Round,
    ) -> Float {
        if *numerator == Natural::ZERO {
            return Float::zero(negative);
        }
        // n/d lies in (2^(a−1), 2^(a+1)) where a is the difference of the bit lengths.
        let mut leading = numerator.bit_len() as i64 - denominator.bit_len() as i64;
        let (high, low) = align(numerator, denominator, leading);
        if high < low {
            leading -= 1;
        }
        let quantum = self.quantum(leading + exponent);
        // Far below the subnormals the quotient is not needed, and aligning it could fill the memory.
        if leading + exponent < quantum - 1 {
            return self.assemble(negative, Natural::ZERO, quantum, Rest::BelowHalf, direction);
        }
        let (scaled, divisor) = align(numerator, denominator, quantum - exponent);
        let (kept, cut) = scaled.div_rem(&divisor);
        let rest = if cut == Natural::ZERO { Rest::Zero } else { Rest::from_half((cut << 1).cmp(&divisor)) };
        self.assemble(negative, kept, quantum, rest, direction)
    }

    /// ± significand · 2^exponent rounded.
    pub(crate) fn round_dyadic(
        &self,
        negative: bool,
        significand: Natural,
        exponent: i64,
        direction: Round,
    ) -> Float {
        if significand == Natural::ZERO {
            return Float::zero(negative);
        }
        let quantum = self.quantum(exponent + significand.bit_len() as i64 - 1);
        if quantum <= exponent {
            return self.assemble(negative, significand, exponent, Rest::Zero, direction);
        }
        let cut = (quantum - exponent) as u64;
        let length = significand.bit_len() as u64;
        // All bits are cut when the number is below half the smallest subnormal.
        if cut > length {
            return self.assemble(negative, Natural::ZERO, quantum, Rest::BelowHalf, direction);
        }
        let cut = cut as usize;
        let half = significand.bit(cut - 1);
        let below = significand.trailing_zeros().is_some_and(|zeros| zeros < cut - 1);
        let rest = match (half, below) {
            (false, false) => Rest::Zero,
            (false, true) => Rest::BelowHalf,
            (true, false) => Rest::Half,
            (true, true) => Rest::AboveHalf,
        };
        self.assemble(negative, significand >> cut, quantum, rest, direction)
    }

    /// Any datum rounded to the format; NaN, infinities and zeros stay.
    pub fn round_float(&self, x: &Float, direction: Round) -> Float {
        match x.parts() {
            Some((negative, significand, exponent)) => {
                self.round_dyadic(negative, significand.clone(), exponent, direction)
            }
            None => x.clone(),
        }
    }

    /// ± (kept + rest) · 2^quantum, where kept is already aligned to the format and rest is what was cut.
    fn assemble(&self, negative: bool, kept: Natural, quantum: i64, rest: Rest, direction: Round) -> Float {
        let up = direction.magnitude_goes_up(negative, kept.bit(0), rest);
        // A carry to 2^precision is the next binade's first number, so no case of its own is needed.
        let magnitude = if up { kept + Natural::ONE } else { kept };
        let rounded = Float::from_parts(negative, magnitude, quantum);
        match rounded.leading_exponent() {
            Some(leading) if leading > self.emax => self.overflow(negative, direction),
            _ => rounded,
        }
    }

    /// What a magnitude beyond the largest finite number rounds to.
    pub(crate) fn overflow(&self, negative: bool, direction: Round) -> Float {
        let to_infinity = match direction {
            Round::NearestEven | Round::NearestAway => true,
            Round::TowardZero => false,
            Round::Up => !negative,
            Round::Down => negative,
        };
        match (to_infinity, negative) {
            (true, _) => Float::infinity(negative),
            (false, false) => self.max_finite(),
            (false, true) => self.max_finite().negated(),
        }
    }

    /// The next larger number of the format; +∞ and NaN stay. Both zeros have the same
    /// successor, the smallest subnormal. The datum must belong to the format, or it is rounded down first.
    pub fn next_up(&self, x: &Float) -> Float {
        match &self.round_float(x, Round::Down).0 {
            Kind::Nan => Float::nan(),
            Kind::Infinite { negative: false } => Float::infinity(false),
            Kind::Infinite { negative: true } => self.max_finite().negated(),
            Kind::Finite { significand, .. } if *significand == Natural::ZERO => self.min_positive(),
            Kind::Finite { negative, significand, exponent } => {
                // Half a quantum is at most the gap on either side, so rounding up lands on the neighbour.
                let leading = exponent + significand.bit_len() as i64 - 1;
                let step = self.quantum(leading) - 1;
                let scaled = significand << (exponent - step) as usize;
                let moved = if *negative { scaled - Natural::ONE } else { scaled + Natural::ONE };
                self.round_dyadic(*negative, moved, step, Round::Up)
            }
        }
    }

    /// The next smaller number of the format; see [`Format::next_up`].
    pub fn next_down(&self, x: &Float) -> Float {
        self.next_up(&x.negated()).negated()
    }

    /// All finite numbers from −max to +max, in order, with one zero (+0). Meant for small formats: `None`
    /// when there are more than 2^24 of them.
    pub fn all_finite(&self) -> Option<Vec<Float>> {
        let binades = self.emax - self.emin + 2;
        if self.precision > 24 || binades > (1i64 << 25) >> self.precision {
            return None;
        }
        let mut positive = Vec::new();
        let mut x = self.min_positive();
        while x.is_finite() {
            positive.push(x.clone());
            x = self.next_up(&x);
        }
        let mut all: Vec<Float> = positive.iter().rev().map(Float::negated).collect();
        all.push(Float::zero(false));
        all.append(&mut positive);
        Some(all)
    }
}

/// `(n, d)` with n/d divided by 2^shift, by moving whichever keeps both whole.
fn align(numerator: &Natural, denominator: &Natural, shift: i64) -> (Natural, Natural) {
    if shift >= 0 {
        (numerator.clone(), denominator << shift as usize)
    } else {
        (numerator << shift.unsigned_abs() as usize, denominator.clone())
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Format::BINARY64 => write!(f, "binary64"),
            Format::BINARY32 => write!(f, "binary32"),
            Format::BINARY16 => write!(f, "binary16"),
            Format { precision, emin, emax } => write!(f, "float({precision}, {emin}, {emax})"),
        }
    }
}
