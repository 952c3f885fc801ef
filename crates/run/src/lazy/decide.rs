//! Decisions about lazy reals: which of two is larger, what a real rounds to. Doubles decide nearly always; otherwise
//! normal forms tell equal numbers apart from open ones, and bits are revealed until the enclosures part.
//!
//! The total cases are those of the kernel: a quotient by 0 is 0, and so on; each stands at its operation.

use std::cmp::Ordering;

use probity_exact::{BitTest, Float, Integer, Natural, Rational, UnsignedAbs};
use probity_noise::entropy::EntropyError;

use super::normal::{self, Difference};
use super::refine::{MOST_BITS, Wide};
use super::source::Source;
use super::span::Span;
use super::tape::{Number, Tape};

/// Why a run came to no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// No randomness.
    Entropy(EntropyError),
    /// So many bits decided nothing.
    Undecided {
        /// How many.
        bits: usize,
    },
    /// A draw from a law with a parameter outside its range.
    OutOfRange,
    /// A loop or a list longer than a machine can hold.
    TooLong,
}

impl From<EntropyError> for Stop {
    fn from(error: EntropyError) -> Stop {
        Stop::Entropy(error)
    }
}

/// Precision that the first look at enclosures has: what is known of draws is about 64 bits.
const FIRST_LOOK: usize = 128;

/// Doubles from here on need not be near an integer that they are rounded to.
const LARGEST: f64 = (1u64 << 52) as f64;

fn precedes(a: &Float, b: &Float) -> bool {
    a.compare(b) == Some(Ordering::Less)
}

impl Tape {
    /// Reveals bits until `judge` knows the answer from enclosures of the nodes. `None` once, before the first bit is
    /// revealed, if `settle` answers so: it sees what enclosures cannot.
    fn resolve<S: Source, Answer>(
        &mut self,
        places: &[u32],
        source: &mut S,
        judge: impl Fn(&[Wide]) -> Option<Answer>,
        settle: impl FnOnce(&Tape) -> Option<Answer>,
    ) -> Result<Answer, Stop> {
        let mut bits = FIRST_LOOK;
        if let Some(answer) = judge(&self.enclose(places, bits)) {
            return Ok(answer);
        }
        if let Some(answer) = settle(self) {
            return Ok(answer);
        }
        loop {
            if bits > MOST_BITS {
                return Err(Stop::Undecided { bits: MOST_BITS });
            }
            bits = match self.reveal(places, source)? {
                Some(known) => known.max(FIRST_LOOK),
                None => 2 * bits,
            };
            if let Some(answer) = judge(&self.enclose(places, bits)) {
                return Ok(answer);
            }
        }
    }

    /// Which of two numbers is larger.
    #[inline(always)]
    pub(crate) fn compare<S: Source>(
        &mut self,
        a: Number,
        b: Number,
        source: &mut S,
    ) -> Result<Ordering, Stop> {
        if S::DOUBLES && a.span.high < b.span.low {
            return Ok(Ordering::Less);
        }
        if S::DOUBLES && a.span.low > b.span.high {
            return Ok(Ordering::Greater);
        }
        if let (Some(x), Some(y)) = (a.as_point(), b.as_point())
            && x == y
        {
            return Ok(Ordering::Equal);
        }
        self.compare_exactly(a, b, source)
    }

    #[cold]
    fn compare_exactly<S: Source>(
        &mut self,
        a: Number,
        b: Number,
        source: &mut S,
    ) -> Result<Ordering, Stop> {
        if a.is_same(b) {
            return Ok(Ordering::Equal);
        }
        if let (Some(x), Some(y)) = (self.value(a), self.value(b)) {
            return Ok(x.cmp(&y));
        }
        let places = [self.place(a), self.place(b)];
        let judge = |ends: &[Wide]| match (
            precedes(ends[0].high(), ends[1].low()),
            precedes(ends[1].high(), ends[0].low()),
        ) {
            (true, _) => Some(Ordering::Less),
            (_, true) => Some(Ordering::Greater),
            _ => None,
        };
        let settle = |tape: &Tape| match tape.difference(places[0], places[1])? {
            Difference::Rational(value) => Some(normal::sign(&value)),
            Difference::Other => None,
        };
        self.resolve(&places, source, judge, settle)
    }

    /// Whether a number is above, at or below 0.
    #[inline(always)]
    pub(crate) fn sign<S: Source>(&mut self, a: Number, source: &mut S) -> Result<Ordering, Stop> {
        self.compare(a, Number::ZERO, source)
    }

    /// A function to the integers that grows and is constant almost everywhere: from its values at both ends of an
    /// enclosure, or at a rational.
    fn step<S: Source>(
        &mut self,
        a: Number,
        source: &mut S,
        at_end: fn(&Rational) -> Integer,
    ) -> Result<Integer, Stop> {
        if let Some(value) = self.value(a) {
            return Ok(at_end(&value));
        }
        let places = [self.place(a)];
        let judge = |ends: &[Wide]| {
            let (low, high) = (ends[0].low().to_rational()?, ends[0].high().to_rational()?);
            let (low, high) = (at_end(&low), at_end(&high));
            (low == high).then_some(low)
        };
        let zero = self.place(Number::ZERO);
        let settle = |tape: &Tape| match tape.difference(places[0], zero)? {
            Difference::Rational(value) => Some(at_end(&value)),
            Difference::Other => None,
        };
        self.resolve(&places, source, judge, settle)
    }

    /// The largest integer at or below a number.
    #[inline(always)]
    pub(crate) fn floor<S: Source>(&mut self, a: Number, source: &mut S) -> Result<Number, Stop> {
        let Span { low, high } = a.span;
        let (low, high) = (low.floor(), high.floor());
        if S::DOUBLES && low == high && low.abs() < LARGEST {
            return Ok(Number::point(low));
        }
        let integer = self.step(a, source, |value| value.floor())?;
        Ok(self.integer(integer))
    }

    /// The integer nearest to a number, ties to the even one.
    #[inline(always)]
    pub(crate) fn nearest<S: Source>(&mut self, a: Number, source: &mut S) -> Result<Number, Stop> {
        let Span { low, high } = a.span;
        // Rounding grows with its argument, so everything between the ends rounds to what both ends round to.
        let (low, high) = (low.round_ties_even(), high.round_ties_even());
        if S::DOUBLES && low == high && low.abs() < LARGEST {
            return Ok(Number::point(low));
        }
        let integer = self.step(a, source, normal::nearest)?;
        Ok(self.integer(integer))
    }

    /// The multiple of the grid that is nearest to a number, ties to the even multiple; 0 for a grid that is not positive.
    #[inline(always)]
    pub(crate) fn round_to<S: Source>(
        &mut self,
        a: Number,
        grid: Number,
        source: &mut S,
    ) -> Result<Number, Stop> {
        if self.sign(grid, source)? != Ordering::Greater {
            return Ok(Number::ZERO);
        }
        let scaled = self.div(a, grid);
        let multiple = self.nearest(scaled, source)?;
        Ok(self.mul(multiple, grid))
    }

    /// a / b, and 0 for b = 0.
    #[inline(always)]
    pub(crate) fn quotient<S: Source>(&mut self, a: Number, b: Number, source: &mut S) -> Result<Number, Stop> {
        match self.sign(b, source)? {
            Ordering::Equal => Ok(Number::ZERO),
            _ => Ok(self.div(a, b)),
        }
    }

    /// a − b·⌊a/b⌋, and 0 for b ≤ 0.
    pub(crate) fn modulo<S: Source>(&mut self, a: Number, b: Number, source: &mut S) -> Result<Number, Stop> {
        if self.sign(b, source)? != Ordering::Greater {
            return Ok(Number::ZERO);
        }
        if let (Some(x), Some(y)) = (a.as_point(), b.as_point())
            && x.abs() < LARGEST
            && y < LARGEST
            && x == x.floor()
            && y == y.floor()
        {
            return Ok(Number::point(x.rem_euclid(y)));
        }
        let ratio = self.div(a, b);
        let whole = self.floor(ratio, source)?;
        let part = self.mul(b, whole);
        Ok(self.sub(a, part))
    }

    /// ln a, and 0 for a ≤ 0.
    pub(crate) fn logarithm<S: Source>(&mut self, a: Number, source: &mut S) -> Result<Number, Stop> {
        match self.sign(a, source)? {
            Ordering::Greater => Ok(self.ln(a)),
            _ => Ok(Number::ZERO),
        }
    }

    /// The smallest power of two at or above a number, and 0 for a number that is not positive.
    pub(crate) fn pow2_at_least<S: Source>(&mut self, a: Number, source: &mut S) -> Result<Number, Stop> {
        if self.sign(a, source)? != Ordering::Greater {
            return Ok(Number::ZERO);
        }
        let exponent = self.step(a, source, log2_ceil)?;
        // Exponents beyond this are of numbers that no program can write down.
        let exponent = i64::try_from(&exponent).map_err(|_| Stop::TooLong)?;
        let size = usize::try_from(exponent.unsigned_abs()).map_err(|_| Stop::TooLong)?;
        if size > 1 << 24 {
            return Err(Stop::TooLong);
        }
        let power = Natural::ONE << size;
        Ok(self.rational(match exponent >= 0 {
            true => Rational::from(power),
            false => Rational::from_parts(Integer::ONE, power),
        }))
    }

    /// |a|.
    #[inline(always)]
    pub(crate) fn abs<S: Source>(&mut self, a: Number, source: &mut S) -> Result<Number, Stop> {
        match self.sign(a, source)? {
            Ordering::Less => Ok(self.neg(a)),
            _ => Ok(a),
        }
    }

    /// The smaller one.
    #[inline(always)]
    pub(crate) fn min<S: Source>(&mut self, a: Number, b: Number, source: &mut S) -> Result<Number, Stop> {
        Ok(if self.compare(a, b, source)? == Ordering::Greater { b } else { a })
    }

    /// The larger one.
    #[inline(always)]
    pub(crate) fn max<S: Source>(&mut self, a: Number, b: Number, source: &mut S) -> Result<Number, Stop> {
        Ok(if self.compare(a, b, source)? == Ordering::Less { b } else { a })
    }

    /// The integer that a number is, if it is one that fits.
    #[inline(always)]
    pub(crate) fn small_integer(&self, a: Number) -> Option<i64> {
        match a.as_point() {
            Some(point) if point.abs() < LARGEST => (point == point.floor()).then_some(point as i64),
            _ => self.value(a).filter(Rational::is_int).and_then(|value| i64::try_from(value.floor()).ok()),
        }
    }

    /// Whether a number is an integer, of any size.
    #[inline(always)]
    pub(crate) fn is_integer(&self, a: Number) -> bool {
        match a.as_point() {
            Some(point) => point == point.floor(),
            None => self.value(a).is_some_and(|value| value.is_int()),
        }
    }
}

/// ⌈log2 x⌉ for x > 0; for other numbers something far below, so that an enclosure that reaches down to 0 stays open.
fn log2_ceil(value: &Rational) -> Integer {
    if *value <= Rational::ZERO {
        return -(Integer::ONE << 80);
    }
    // 2^(e − 1) < value < 2^(e + 1) for e the difference of the bit lengths.
    let exponent = value.numerator().unsigned_abs().bit_len() as i64 - value.denominator().bit_len() as i64;
    let reaches = |exponent: i64| {
        let size = exponent.unsigned_abs() as usize;
        match exponent >= 0 {
            true => Rational::from(Natural::ONE << size) >= *value,
            false => Rational::from_parts(Integer::ONE, Natural::ONE << size) >= *value,
        }
    };
    Integer::from((exponent - 1..=exponent).find(|&e| reaches(e)).unwrap_or(exponent + 1))
}
