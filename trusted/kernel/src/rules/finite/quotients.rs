//! Numbers as quotients of polynomials, so that a density needs no division.
//!
//! Every divisor on the way is a factor that is demanded to be positive by who asks: where they are, the quotient is the number.

use std::collections::BTreeSet;

use crate::context::Context;
use crate::expr::{Binary, Expr, Unary, Variable};
use crate::fact::poly;
use crate::finite::outcomes::{united, without};
use crate::poly::Poly;
use crate::rejection::Rejection;
use probity_exact::Rational;

/// top / the product of what it is over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Quotient {
    pub(super) top: Poly,
    /// Factors without numbers, in order.
    pub(super) over: Vec<Poly>,
}

/// A number times some factors over others, with none in both.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Weight {
    pub(super) scale: Rational,
    pub(super) tops: Vec<Poly>,
    pub(super) over: Vec<Poly>,
}

/// What must be positive for the quotients to be the numbers.
pub(super) type Needed = BTreeSet<Poly>;

impl Quotient {
    pub(super) fn of(context: &Context, e: &Expr, needed: &mut Needed) -> Result<Quotient, Rejection> {
        match e {
            Expr::Unary(Unary::Neg, a) => Ok(Quotient::of(context, a, needed)?.negative()),
            Expr::Binary(Binary::Add, a, b) => {
                Quotient::of(context, a, needed)?.plus(&Quotient::of(context, b, needed)?)
            }
            Expr::Binary(Binary::Sub, a, b) => {
                Quotient::of(context, a, needed)?.plus(&Quotient::of(context, b, needed)?.negative())
            }
            Expr::Binary(Binary::Mul, a, b) => {
                Quotient::of(context, a, needed)?.times(&Quotient::of(context, b, needed)?)
            }
            Expr::Binary(Binary::Div, a, b) => {
                let (a, b) = (Quotient::of(context, a, needed)?, Quotient::of(context, b, needed)?);
                a.divided(context, &b, needed)
            }
            _ => Ok(Quotient { top: poly(context, e)?, over: Vec::new() }),
        }
    }

    pub(super) fn number(value: i64) -> Quotient {
        Quotient { top: Poly::constant(Rational::from(value)), over: Vec::new() }
    }

    pub(super) fn negative(&self) -> Quotient {
        Quotient { top: Poly::zero().minus(&self.top), over: self.over.clone() }
    }

    pub(super) fn plus(&self, other: &Quotient) -> Result<Quotient, Rejection> {
        let over = united(&self.over, &other.over);
        let left = self.top.times(&product(&without(&over, &self.over))?)?;
        let right = other.top.times(&product(&without(&over, &other.over))?)?;
        Ok(Quotient { top: left.plus(&right), over })
    }

    pub(super) fn times(&self, other: &Quotient) -> Result<Quotient, Rejection> {
        let mut over = [self.over.as_slice(), &other.over].concat();
        over.sort();
        Ok(Quotient { top: self.top.times(&other.top)?, over })
    }

    /// The quotient by one that is positive, or by one that is negative and turned round. What they are over is needed, though it
    /// may be gone: a quotient by 0 is 0.
    pub(super) fn divided(
        &self,
        context: &Context,
        by: &Quotient,
        needed: &mut Needed,
    ) -> Result<Quotient, Rejection> {
        needed.extend(self.over.iter().chain(&by.over).cloned());
        let (sign, by) = by.facing(context);
        let (size, factor) = unit(&by.top)?;
        let mut top = self.top.scaled(&(sign / size));
        let mut over = without(&self.over, &by.over);
        if factor != Poly::one() {
            needed.insert(factor.clone());
            match unit(&top) {
                // What both have as a factor is gone.
                Ok((left, same)) if same == factor => top = Poly::constant(left),
                Ok((left, turned)) if turned == Poly::zero().minus(&factor) => top = Poly::constant(-left),
                _ => {
                    over.push(factor);
                    over.sort();
                }
            }
        }
        Ok(Quotient { top: top.times(&product(&without(&by.over, &self.over))?)?, over })
    }

    /// The sign that it seems to have, and the number times that sign, which is to be shown positive.
    pub(super) fn facing(&self, context: &Context) -> (Rational, Quotient) {
        match guess(context, &self.top.to_expr()) < Rational::ZERO {
            true => (-Rational::ONE, self.negative()),
            false => (Rational::ONE, self.clone()),
        }
    }

    /// Whether self < v (or ≤), where what self is over is positive.
    pub(super) fn below(&self, v: &Expr, strictly: bool) -> Result<Expr, Rejection> {
        let (less, more) = (self.top.to_expr(), self.scaled_up(v)?);
        Ok(if strictly { less.lt(more) } else { less.le(more) })
    }

    /// Whether v < self (or ≤).
    pub(super) fn above(&self, v: &Expr, strictly: bool) -> Result<Expr, Rejection> {
        let (less, more) = (self.scaled_up(v)?, self.top.to_expr());
        Ok(if strictly { less.lt(more) } else { less.le(more) })
    }

    fn scaled_up(&self, v: &Expr) -> Result<Expr, Rejection> {
        Ok(match self.over.is_empty() {
            true => v.clone(),
            false => v.clone() * product(&self.over)?.to_expr(),
        })
    }
}

impl Weight {
    pub(super) fn one() -> Weight {
        Weight { scale: Rational::ONE, tops: Vec::new(), over: Vec::new() }
    }

    pub(super) fn times(&self, other: &Quotient) -> Result<Weight, Rejection> {
        if other.top == Poly::zero() {
            return Ok(Weight { scale: Rational::ZERO, tops: Vec::new(), over: Vec::new() });
        }
        let (size, factor) = unit(&other.top)?;
        let mut tops = self.tops.clone();
        tops.extend((factor != Poly::one()).then_some(factor));
        let over = [self.over.as_slice(), &other.over].concat();
        Ok(Weight {
            scale: self.scale.clone() * size,
            tops: without(&tops, &over),
            over: without(&over, &tops),
        })
    }

    /// The weight over a number that is at least 0, and whether that number is a factor of the weight: then it may be 0, as
    /// the weight is where it is; else it is to be positive.
    pub(super) fn spread(&self, by: &Quotient) -> Result<(Weight, bool), Rejection> {
        let (size, factor) = unit(&by.top)?;
        let within = factor != Poly::one() && self.tops.contains(&factor);
        let tops = [self.tops.as_slice(), &by.over].concat();
        let mut over = self.over.clone();
        over.extend((factor != Poly::one()).then_some(factor));
        let scale = self.scale.clone() / size;
        Ok((Weight { scale, tops: without(&tops, &over), over: without(&over, &tops) }, within))
    }

    pub(super) fn is_zero(&self) -> bool {
        self.scale == Rational::ZERO
    }

    /// All factors above where everything is put over `over`.
    pub(super) fn factors(&self, over: &[Poly]) -> Vec<Poly> {
        [self.tops.as_slice(), &without(over, &self.over)].concat()
    }
}

/// A polynomial as a positive number times one that begins with ±1, and a number as itself times 1; 0 has no such form.
fn unit(p: &Poly) -> Result<(Rational, Poly), Rejection> {
    let Some((_, first)) = p.terms().next() else {
        return Err(Rejection::NotPositive { found: p.to_expr().to_string() });
    };
    if p.as_constant().is_some() {
        return Ok((first.clone(), Poly::one()));
    }
    let size = if *first < Rational::ZERO { -first.clone() } else { first.clone() };
    Ok((size.clone(), p.scaled(&(Rational::ONE / size))))
}

pub(super) fn product(factors: &[Poly]) -> Result<Poly, Rejection> {
    factors.iter().try_fold(Poly::one(), |so_far, factor| so_far.times(factor))
}

/// What a number may be, if nothing is known of it: nothing rests on it but which sign is asked about.
fn guess(context: &Context, e: &Expr) -> Rational {
    let two = Rational::from(2);
    let of = |e: &Expr| guess(context, e);
    match e {
        Expr::Number(n) => n.clone(),
        Expr::Var(Variable::Plain(name)) if context.is_positive(name) => Rational::ONE,
        Expr::Unary(Unary::Neg, a) => -of(a),
        // The first terms of its series, which are positive.
        Expr::Unary(Unary::Exp, a) => {
            let a = of(a);
            let size = if a < Rational::ZERO { -a.clone() } else { a.clone() };
            let grown = Rational::ONE + size.clone() + size.clone() * size / two;
            if a < Rational::ZERO { Rational::ONE / grown } else { grown }
        }
        Expr::Binary(Binary::Add, a, b) => of(a) + of(b),
        Expr::Binary(Binary::Sub, a, b) => of(a) - of(b),
        Expr::Binary(Binary::Mul, a, b) => of(a) * of(b),
        Expr::Binary(Binary::Div, a, b) => match of(b) {
            zero if zero == Rational::ZERO => zero,
            b => of(a) / b,
        },
        _ => Rational::ONE / (two + Rational::ONE),
    }
}
