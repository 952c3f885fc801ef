//! Numbers that are known exactly, or to lie within an interval; answers that may be unknown.
//!
//! A continuous draw is a cell of a partition of the line. It is a symbol with an interval, and what is computed from it
//! is an affine form in symbols, so that y + 1 − y is 1 and not an interval.

use std::cell::RefCell;
use std::collections::BTreeMap;

use probity_exact::{Rational, exp_bounds, ln_bounds, rational};

/// Bits to which exponentials and logarithms are enclosed.
const BITS: u32 = 40;

pub fn r(numerator: i64, denominator: i64) -> Rational {
    rational(numerator, denominator).unwrap()
}

/// An answer that may be unknown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Tri {
    No,
    Maybe,
    Yes,
}

impl Tri {
    pub fn of(answer: bool) -> Tri {
        if answer { Tri::Yes } else { Tri::No }
    }

    pub fn not(self) -> Tri {
        match self {
            Tri::No => Tri::Yes,
            Tri::Maybe => Tri::Maybe,
            Tri::Yes => Tri::No,
        }
    }
}

/// An interval, each end of which may be infinite (`None`) or left out.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Span {
    pub low: Option<Rational>,
    pub high: Option<Rational>,
    pub open: (bool, bool),
}

impl Span {
    pub fn point(value: Rational) -> Span {
        Span { low: Some(value.clone()), high: Some(value), open: (false, false) }
    }

    pub fn closed(low: Rational, high: Rational) -> Span {
        Span { low: Some(low), high: Some(high), open: (false, false) }
    }

    /// The numbers strictly between, or beyond an end that is not given.
    pub fn between(low: Option<Rational>, high: Option<Rational>) -> Span {
        Span { low, high, open: (true, true) }
    }

    pub fn everything() -> Span {
        Span::between(None, None)
    }

    pub fn as_point(&self) -> Option<&Rational> {
        self.low.as_ref().filter(|low| self.high.as_ref() == Some(*low))
    }

    fn plus(&self, other: &Span) -> Span {
        let sum = |a: &Option<Rational>, b: &Option<Rational>| Some(a.as_ref()? + b.as_ref()?);
        let open = (self.open.0 || other.open.0, self.open.1 || other.open.1);
        Span { low: sum(&self.low, &other.low), high: sum(&self.high, &other.high), open }
    }

    fn times(&self, factor: &Rational) -> Span {
        if factor.is_zero() {
            return Span::point(Rational::ZERO);
        }
        let scaled = |end: &Option<Rational>| end.as_ref().map(|end| end * factor);
        let (low, high) = (scaled(&self.low), scaled(&self.high));
        if *factor > Rational::ZERO {
            Span { low, high, open: self.open }
        } else {
            Span { low: high, high: low, open: (self.open.1, self.open.0) }
        }
    }

    /// All products, with closed ends.
    fn product(&self, other: &Span) -> Span {
        let (Some(a), Some(b), Some(c), Some(d)) = (&self.low, &self.high, &other.low, &other.high) else {
            return Span::everything();
        };
        let corners = [a * c, a * d, b * c, b * d];
        let low = corners.iter().min().unwrap().clone();
        let high = corners.iter().max().unwrap().clone();
        Span::closed(low, high)
    }

    /// The smallest interval with both, with closed ends where they differ.
    pub fn hull(&self, other: &Span) -> Span {
        if self == other {
            return self.clone();
        }
        let low = self.low.clone().zip(other.low.clone()).map(|(a, b)| a.min(b));
        let high = self.high.clone().zip(other.high.clone()).map(|(a, b)| a.max(b));
        Span { low, high, open: (false, false) }
    }

    /// What a function that never falls makes of it; the function answers with bounds.
    fn rising(&self, f: impl Fn(&Rational) -> (Rational, Rational)) -> Span {
        let low = self.low.as_ref().map(|low| f(low).0);
        let high = self.high.as_ref().map(|high| f(high).1);
        Span { low, high, open: (false, false) }
    }

    /// Whether all its numbers are below 0, and whether all are at most 0.
    fn below_zero(&self) -> (bool, bool) {
        match &self.high {
            Some(high) if *high < Rational::ZERO => (true, true),
            Some(high) if high.is_zero() => (self.open.1, true),
            _ => (false, false),
        }
    }
}

thread_local! {
    /// What was asked for before: rounds that are drawn again ask for the same.
    static KNOWN: RefCell<BTreeMap<Rational, (Rational, Rational)>> = const { RefCell::new(BTreeMap::new()) };
}

/// A lower and an upper bound of e^x.
pub fn exp(x: &Rational) -> (Rational, Rational) {
    let compute = || {
        let (low, high) = exp_bounds(x, BITS);
        (low.to_rational().unwrap(), high.to_rational().unwrap())
    };
    KNOWN.with_borrow_mut(|known| known.entry(x.clone()).or_insert_with(compute).clone())
}

/// An affine form: multiples of symbols, each with the interval of its symbol, and the rest.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Number {
    pub parts: BTreeMap<u32, (Rational, Span)>,
    pub rest: Span,
}

impl Number {
    pub fn point(value: Rational) -> Number {
        Number { parts: BTreeMap::new(), rest: Span::point(value) }
    }

    pub fn within(span: Span) -> Number {
        Number { parts: BTreeMap::new(), rest: span }
    }

    /// A symbol, of which only the interval is known.
    pub fn symbol(id: u32, span: Span) -> Number {
        if span.as_point().is_some() {
            return Number::within(span);
        }
        let parts = BTreeMap::from([(id, (Rational::ONE, span))]);
        Number { parts, rest: Span::point(Rational::ZERO) }
    }

    pub fn span(&self) -> Span {
        self.parts.values().fold(self.rest.clone(), |sum, (factor, span)| sum.plus(&span.times(factor)))
    }

    pub fn as_point(&self) -> Option<&Rational> {
        self.rest.as_point().filter(|_| self.parts.is_empty())
    }

    pub fn plus(&self, other: &Number) -> Number {
        let mut parts = self.parts.clone();
        for (id, (factor, span)) in &other.parts {
            let sum = parts.get(id).map_or(Rational::ZERO, |(known, _)| known.clone()) + factor;
            if sum.is_zero() {
                parts.remove(id);
            } else {
                parts.insert(*id, (sum, span.clone()));
            }
        }
        Number { parts, rest: self.rest.plus(&other.rest) }
    }

    pub fn scaled(&self, factor: &Rational) -> Number {
        if factor.is_zero() {
            return Number::point(Rational::ZERO);
        }
        let parts = self.parts.iter().map(|(id, (f, span))| (*id, (f * factor, span.clone()))).collect();
        Number { parts, rest: self.rest.times(factor) }
    }

    pub fn minus(&self, other: &Number) -> Number {
        self.plus(&other.scaled(&r(-1, 1)))
    }

    pub fn times(&self, other: &Number) -> Number {
        match (self.as_point(), other.as_point()) {
            (_, Some(factor)) => self.scaled(factor),
            (Some(factor), _) => other.scaled(factor),
            _ => Number::within(self.span().product(&other.span())),
        }
    }

    /// A quotient by 0 is 0.
    pub fn over(&self, other: &Number) -> Number {
        let divisor = other.span();
        if let Some(point) = divisor.as_point() {
            return if point.is_zero() {
                Number::point(Rational::ZERO)
            } else {
                self.scaled(&(Rational::ONE / point))
            };
        }
        let reach = |end: &Option<Rational>| end.as_ref().map(|end| Rational::ONE / end);
        let clear = divisor.low.as_ref().is_some_and(|low| *low > Rational::ZERO)
            || divisor.high.as_ref().is_some_and(|high| *high < Rational::ZERO);
        match (clear, &divisor.low, &divisor.high) {
            (true, Some(_), Some(_)) => {
                let inverse =
                    Span { low: reach(&divisor.high), high: reach(&divisor.low), open: (false, false) };
                self.times(&Number::within(inverse))
            }
            _ => Number::within(Span::everything()),
        }
    }

    /// Whether it is below the other.
    pub fn lt(&self, other: &Number) -> Tri {
        let (below, _) = self.minus(other).span().below_zero();
        let (_, above) = other.minus(self).span().below_zero();
        match (below, above) {
            (true, _) => Tri::Yes,
            (_, true) => Tri::No,
            _ => Tri::Maybe,
        }
    }

    pub fn le(&self, other: &Number) -> Tri {
        other.lt(self).not()
    }

    pub fn eq(&self, other: &Number) -> Tri {
        let difference = self.minus(other).span();
        match difference.as_point() {
            Some(point) => Tri::of(point.is_zero()),
            None => match (self.lt(other), other.lt(self)) {
                (Tri::Yes, _) | (_, Tri::Yes) => Tri::No,
                _ => Tri::Maybe,
            },
        }
    }

    /// The one if the answer is yes, the other if it is no, anything between if it is not known.
    pub fn choose(answer: Tri, yes: &Number, no: &Number) -> Number {
        match answer {
            Tri::Yes => yes.clone(),
            Tri::No => no.clone(),
            Tri::Maybe if yes == no => yes.clone(),
            Tri::Maybe => Number::within(yes.span().hull(&no.span())),
        }
    }

    pub fn abs(&self) -> Number {
        let zero = Number::point(Rational::ZERO);
        let (minus, span) = (self.scaled(&r(-1, 1)), self.span());
        match self.lt(&zero) {
            Tri::Yes => minus,
            Tri::No => self.clone(),
            Tri::Maybe => {
                let high = span.low.zip(span.high).map(|(low, high)| high.max(-low));
                Number::within(Span { low: Some(Rational::ZERO), high, open: (false, false) })
            }
        }
    }

    pub fn floor(&self) -> Number {
        let span = self.span();
        let low = span.low.map(|low| Rational::from(low.floor()));
        let high = span.high.map(|high| {
            let floor = Rational::from(high.floor());
            if span.open.1 && floor == high { floor - Rational::ONE } else { floor }
        });
        Number::within(Span { low, high, open: (false, false) })
    }

    pub fn exp(&self) -> Number {
        let span = self.span();
        // Beyond these ends nothing is generated, and the enclosures would have very large exponents.
        if span.low.as_ref().is_some_and(|low| *low < r(-200, 1))
            || span.high.as_ref().is_some_and(|high| *high > r(200, 1))
        {
            return Number::within(Span { low: Some(Rational::ZERO), ..Span::everything() });
        }
        let mut image = span.rising(exp);
        image.low = image.low.or(Some(Rational::ZERO));
        Number::within(image)
    }

    /// 0 for a negative number.
    pub fn sqrt(&self) -> Number {
        let root = |x: &Rational| {
            if *x <= Rational::ZERO {
                return (Rational::ZERO, Rational::ZERO);
            }
            let (low, high) = ln_bounds(x, BITS).unwrap();
            (exp(&(low / r(2, 1))).0, exp(&(high / r(2, 1))).1)
        };
        Number::within(self.span().rising(root))
    }

    /// 0 outside the positive numbers.
    pub fn ln(&self) -> Number {
        let span = self.span();
        match (&span.low, &span.high) {
            (_, Some(high)) if *high <= Rational::ZERO => Number::point(Rational::ZERO),
            (Some(low), _) if *low > Rational::ZERO => {
                Number::within(span.rising(|x| ln_bounds(x, BITS).unwrap()))
            }
            (Some(low), Some(high)) if low.is_zero() && span.open.0 => {
                let top = ln_bounds(high, BITS).unwrap().1;
                Number::within(Span { low: None, high: Some(top), open: (false, false) })
            }
            _ => Number::within(Span::everything()),
        }
    }

    /// The nearest multiple of a grid, ties to the even multiple; 0 if the grid is not positive.
    pub fn round_to(&self, grid: &Number) -> Number {
        match grid.as_point() {
            Some(grid) if *grid <= Rational::ZERO => Number::point(Rational::ZERO),
            Some(grid) => Number::within(self.span().rising(|x| {
                let at = x / grid;
                let below = Rational::from(at.clone().floor());
                let half = &at - &below;
                let even = (below.clone() / r(2, 1)).is_int();
                let up = half > r(1, 2) || (half == r(1, 2) && !even);
                let nearest = if up { below + Rational::ONE } else { below } * grid;
                (nearest.clone(), nearest)
            })),
            None => Number::within(Span::everything()),
        }
    }

    /// On integers, in 0..b; 0 if b is not positive.
    pub fn modulo(&self, other: &Number) -> Number {
        match (self.as_point(), other.as_point()) {
            (_, Some(b)) if *b <= Rational::ZERO => Number::point(Rational::ZERO),
            (Some(a), Some(b)) => Number::point(a - Rational::from((a / b).floor()) * b),
            _ => Number::within(Span::everything()),
        }
    }

    /// The smallest power of two at or above; 0 outside the positive numbers.
    pub fn pow2_at_least(&self) -> Number {
        match self.as_point() {
            Some(a) if *a <= Rational::ZERO => Number::point(Rational::ZERO),
            Some(a) => {
                let mut power = Rational::ONE;
                while power < *a {
                    power *= r(2, 1);
                }
                while &power / r(2, 1) >= *a {
                    power /= r(2, 1);
                }
                Number::point(power)
            }
            None => Number::within(Span::everything()),
        }
    }
}
