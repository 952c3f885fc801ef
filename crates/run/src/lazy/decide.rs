//! Decisions about lazy reals: which of two is larger, what a real rounds to. Doubles decide nearly always; otherwise
//! normal forms tell equal numbers apart from open ones, and bits are revealed until the enclosures part.
//!
//! The total cases are those of the kernel: a quotient by 0 is 0, and so on; each stands at its operation.

use std::cmp::Ordering;

use probity_exact::{BitTest, Float, Format, Integer, Natural, Rational, UnsignedAbs};
use probity_noise::entropy::EntropyError;

use super::interval::{self, Interval, LARGEST, is_whole};
use super::meeting::Meeting;
use super::normal;
use super::refine::{MOST_BITS, MOST_CONSTANT_BITS, Wide};
use super::source::Source;
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

/// So many draws are enclosed before a normal form is looked for.
const FEW_DRAWS: usize = 8;

/// Numbers of so many bits are enclosed at the first look as they are.
const FEW_BITS: usize = 64;

/// The largest exponent of a power of two that is computed.
const LARGEST_EXPONENT: i64 = 1 << 24;

/// Bits of draws that no chain of operations loses: a machine cannot hold more.
const LAST_BITS: usize = 1 << 24;

/// Whether a number is known to within 2^−bits.
fn is_within(number: &Wide, bits: usize) -> bool {
    let (Some(low), Some(high)) = (number.low().to_rational(), number.high().to_rational()) else {
        return false;
    };
    let width = high - low;
    width.is_zero() || width.denominator().bit_len() > width.numerator().bit_len() + bits
}

fn precedes(a: &Float, b: &Float) -> bool {
    a.compare(b) == Some(Ordering::Less)
}

impl Tape {
    /// Reveals bits of the draws that nodes are made of until `judge` knows the answer from what `enclose` says of them. Until then it says by how
    /// many bits after the point the numbers in question are known to part, if it knows that.
    ///
    /// Such a question is given up when the numbers are known to [`MOST_BITS`] more than twice these bits: only a draw that nobody sees leaves
    /// it open then. How many bits of the draws that takes is not counted, because it depends on inputs: a chain of operations
    /// can lose any number of them.
    pub(super) fn resolve<S: Source, Answer>(
        &mut self,
        places: &[u32],
        source: &mut S,
        enclose: impl Fn(&Tape, usize) -> Vec<Wide>,
        mut judge: impl FnMut(&mut Tape, &[Wide]) -> Result<Answer, Option<usize>>,
    ) -> Result<Answer, Stop> {
        // What an earlier question revealed is used: else each later one would ask for twice as many bits again.
        let mut bits = self.known_bits(places).unwrap_or(0).max(FIRST_LOOK);
        loop {
            let ends = enclose(self, bits);
            let apart = match judge(self, &ends) {
                Ok(answer) => return Ok(answer),
                Err(apart) => apart,
            };
            let close = apart.map(|apart| (2 * apart).saturating_add(MOST_BITS));
            if let Some(close) = close.filter(|close| ends.iter().all(|end| is_within(end, *close))) {
                return Err(Stop::Undecided { bits: close });
            }
            let least;
            (bits, least) = match self.reveal(places, source)? {
                Some(known) => (known.max(FIRST_LOOK), MOST_BITS),
                None => (2 * bits, MOST_CONSTANT_BITS),
            };
            let most = close.map_or(least, |close| close.saturating_add(LAST_BITS));
            if bits > most {
                return Err(Stop::Undecided { bits: most });
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
        if S::DOUBLES && a.interval.high < b.interval.low {
            return Ok(Ordering::Less);
        }
        if S::DOUBLES && a.interval.low > b.interval.high {
            return Ok(Ordering::Greater);
        }
        // Both ends the same: that is the number, with a node or without.
        if a.interval.is_point() && b.interval.is_point() && a.interval.low == b.interval.low {
            return Ok(Ordering::Equal);
        }
        self.compare_exactly(a, b, source)
    }

    #[cold]
    fn compare_exactly<S: Source>(&mut self, a: Number, b: Number, source: &mut S) -> Result<Ordering, Stop> {
        if a.is_same(b) {
            return Ok(Ordering::Equal);
        }
        let places = [self.place(a), self.place(b)];
        let rest = self.rest_of_difference(places[0], places[1]);
        if let Some(number) = rest.constant() {
            return Ok(number.cmp(&Rational::ZERO));
        }
        if rest.is_without_noise()
            && let (Some(x), Some(y)) = (self.value(a), self.value(b))
        {
            return Ok(x.cmp(&y));
        }
        let part = |ends: &[Wide]| match ends {
            [a, b] if precedes(a.high(), b.low()) => Some(Ordering::Less),
            [a, b] if precedes(b.high(), a.low()) => Some(Ordering::Greater),
            _ => None,
        };
        let zero = || Wide::around(&Rational::ZERO, Format::wide(2));
        // Where there are many draws, their enclosures take longer than the normal form, which finds a tie.
        if rest.draws(self) <= FEW_DRAWS
            && let Some(order) = part(&[self.enclose_rest(&rest, FIRST_LOOK), zero()])
        {
            return Ok(order);
        }
        // Equal numbers never part.
        match self.meeting(places[0], places[1]) {
            Some(Meeting::Equal) => Ok(Ordering::Equal),
            Some(Meeting::Apart { bits: apart, difference }) => self.resolve(
                &places,
                source,
                |tape, bits| vec![zero(), tape.enclose_form(&difference, bits)],
                |_, ends| part(ends).map(Ordering::reverse).ok_or(Some(apart)),
            ),
            None => self.resolve(
                &places,
                source,
                |tape, bits| tape.enclose(&places, bits),
                |_, ends| part(ends).ok_or(None),
            ),
        }
    }

    /// √a, and 0 of what is not positive.
    pub(crate) fn root<S: Source>(&mut self, a: Number, source: &mut S) -> Result<Number, Stop> {
        Ok(if self.sign(a, source)? == Ordering::Greater { self.sqrt(a) } else { Number::ZERO })
    }

    /// Whether a number is above, at or below 0.
    #[inline(always)]
    pub(crate) fn sign<S: Source>(&mut self, a: Number, source: &mut S) -> Result<Ordering, Stop> {
        self.compare(a, Number::ZERO, source)
    }

    /// A number as an even integer and a rest. What is not drawn in it may have any number of digits, and an enclosure of the whole would have to
    /// have as many: without them it needs no more for one input than for another.
    fn without_even_part(&mut self, a: Number) -> (Integer, Number) {
        let place = self.place(a);
        let constant = self.normal_form(place).and_then(|form| form.constant_term());
        match constant.filter(|constant| constant.numerator().bit_len() > FEW_BITS) {
            None => (Integer::ZERO, a),
            Some(constant) => {
                let two = Rational::from(2);
                let even = (constant / &two).floor() * Integer::from(2);
                let moved = self.integer(even.clone());
                (even, self.sub(a, moved))
            }
        }
    }

    /// A function to the integers that grows by 2 where its argument does. See [`step`](Tape::step).
    fn even_step<S: Source>(
        &mut self,
        a: Number,
        source: &mut S,
        value_at: fn(&Rational) -> Integer,
        edge: fn(&Integer) -> Rational,
    ) -> Result<Integer, Stop> {
        if let Some(value) = self.known_value(a) {
            return Ok(value_at(&value));
        }
        let (even, rest) = self.without_even_part(a);
        Ok(self.step(rest, source, value_at, edge)? + even)
    }

    /// A function to the integers that grows: from its values at both ends of an enclosure. `edge` is the number between
    /// those that are mapped to an integer and those that are mapped to the next one.
    fn step<S: Source>(
        &mut self,
        a: Number,
        source: &mut S,
        value_at: fn(&Rational) -> Integer,
        edge: fn(&Integer) -> Rational,
    ) -> Result<Integer, Stop> {
        if let Some(value) = self.known_value(a) {
            return Ok(value_at(&value));
        }
        let place = self.place(a);
        let mut looked: Option<(Rational, Option<Meeting>)> = None;
        let at_both = |ends: &[Wide]| {
            let (low, high) = (ends[0].low().to_rational()?, ends[0].high().to_rational()?);
            Some((value_at(&low), value_at(&high)))
        };
        // What cancels is gone from a normal form, so that fewer bits tell.
        let form = self.normal_form(place);
        let enclose = |tape: &Tape, bits: usize| match &form {
            Some(form) => vec![tape.enclose_form(form, bits)],
            None => tape.enclose(&[place], bits),
        };
        if let Some((low, high)) = at_both(&enclose(self, FIRST_LOOK))
            && low == high
        {
            return Ok(low);
        }
        self.resolve(&[place], source, enclose, |tape, ends| {
            let ends = at_both(ends);
            // A number that is the edge itself never leaves it. While there are several edges, it is held against 0.
            let between = match ends {
                Some((low, high)) if low == high => return Ok(low),
                Some((low, high)) if high == &low + Integer::ONE => edge(&low),
                _ => Rational::ZERO,
            };
            if looked.as_ref().is_none_or(|(at, _)| *at != between) {
                let number = tape.rational(between.clone());
                let at = tape.place(number);
                looked = Some((between.clone(), tape.meeting(place, at)));
            }
            match &looked {
                Some((_, Some(Meeting::Equal))) => Ok(value_at(&between)),
                Some((_, Some(Meeting::Apart { bits, .. }))) => Err(Some(*bits)),
                _ => Err(None),
            }
        })
    }

    /// The largest integer at or below a number.
    #[inline(always)]
    pub(crate) fn floor<S: Source>(&mut self, a: Number, source: &mut S) -> Result<Number, Stop> {
        let Interval { low, high } = a.interval;
        let (low, high) = (interval::floor(low), interval::floor(high));
        if S::DOUBLES && low == high && low.abs() < LARGEST {
            return Ok(Number::point(low));
        }
        let integer =
            self.even_step(a, source, |value| value.floor(), |below| Rational::from(below + Integer::ONE))?;
        Ok(self.integer(integer))
    }

    /// The integer nearest to a number, ties to the even one.
    #[inline(always)]
    pub(crate) fn nearest<S: Source>(&mut self, a: Number, source: &mut S) -> Result<Number, Stop> {
        let Interval { low, high } = a.interval;
        // Rounding grows with its argument, so everything between the ends rounds to what both ends round to.
        let (low, high) = (interval::nearest(low), interval::nearest(high));
        if S::DOUBLES && low == high && low.abs() < LARGEST {
            return Ok(Number::point(low));
        }
        let integer = self.even_step(a, source, normal::nearest, |below| {
            Rational::from(below.clone()) + Rational::ONE / Rational::from(2)
        })?;
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
        if S::DOUBLES
            && let Some(power) = grid.as_point()
            && let Some(rounded) = a.interval.on_power_of_two(power)
        {
            return Ok(Number::point(rounded));
        }
        if self.sign(grid, source)? != Ordering::Greater {
            return Ok(Number::ZERO);
        }
        let scaled = self.div(a, grid);
        let multiple = self.nearest(scaled, source)?;
        Ok(self.mul(multiple, grid))
    }

    /// a / b, and 0 for b = 0.
    #[inline(always)]
    pub(crate) fn quotient<S: Source>(
        &mut self,
        a: Number,
        b: Number,
        source: &mut S,
    ) -> Result<Number, Stop> {
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
            && is_whole(x)
            && is_whole(y)
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
        let exponent = self.step(a, source, log2_ceil, power_of_two)?;
        // An exponent beyond this is of a number that no program can write down.
        if exponent > Integer::from(LARGEST_EXPONENT) || exponent < Integer::from(-LARGEST_EXPONENT) {
            return Err(Stop::TooLong);
        }
        Ok(self.rational(power_of_two(&exponent)))
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
            Some(point) if point.abs() < LARGEST => is_whole(point).then_some(point as i64),
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
    let found = (exponent - 1..=exponent).find(|&e| power_of_two(&Integer::from(e)) >= *value);
    Integer::from(found.unwrap_or(exponent + 1))
}

/// 2^exponent, for an exponent of a number that was written down.
fn power_of_two(exponent: &Integer) -> Rational {
    let size = usize::try_from(exponent.unsigned_abs()).unwrap_or_default();
    match *exponent >= Integer::ZERO {
        true => Rational::from(Natural::ONE << size),
        false => Rational::from_parts(Integer::ONE, Natural::ONE << size),
    }
}
