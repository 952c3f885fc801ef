//! From formulas to facts: the normal form in which evidence is checked.
//!
//! A formula becomes a tree of conjunctions and disjunctions over comparisons of a polynomial with 0. Choices
//! inside numbers (`if`, `abs`, `min`, `max`, `clamp`) become disjunctions by their definitions, so no lemma
//! about them is needed. A strict inequality between integers becomes a weak one with a gap of 1.

use std::sync::Arc;

use probity_exact::Rational;

use crate::context::Context;
use crate::expr::{Binary, Expr, Name, Unary, Variable};
use crate::kind::Kind;
use crate::poly::{MAX_EXPONENT, Monomial, Poly};
use crate::rejection::Rejection;

/// The most parts that one formula may take to unfold and to bring into normal form: three times what the library takes.
const MAX_UNFOLDED: usize = 1_000_000;

/// What a formula says, in normal form.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fact {
    /// The polynomial is 0.
    Zero(Poly),
    /// The polynomial is > 0.
    Positive(Poly),
    /// The polynomial is ≥ 0.
    NonNegative(Poly),
    /// A boolean that arithmetic does not look into is true, or false.
    Holds(Expr, bool),
    /// One of them holds; none at all is `false`.
    Any(Vec<Fact>),
    /// All of them hold; none at all is `true`.
    All(Vec<Fact>),
}

impl Fact {
    /// How many parts it has in memory.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Fact::Zero(p) | Fact::Positive(p) | Fact::NonNegative(p) => 1 + p.weight(),
            Fact::Holds(e, _) => 1 + e.size(),
            Fact::Any(parts) | Fact::All(parts) => 1 + parts.iter().map(Fact::weight).sum::<usize>(),
        }
    }
}

const TRUE: Fact = Fact::All(Vec::new());
const FALSE: Fact = Fact::Any(Vec::new());

/// The fact that `formula` is true (or false, if not `polarity`).
///
/// ```
/// use probity_kernel::context::{Context, Orientation};
/// use probity_kernel::expr::Expr;
/// use probity_kernel::fact::{Fact, fact};
/// use probity_kernel::term::{Mechanism, Param, Sort};
/// let mechanism = Mechanism {
///     name: "m".into(), inputs: vec![], params: vec![Param { name: "n".into(), sort: Sort::Int }],
///     assumptions: vec![], body: vec![], output: Expr::int(0), adjacency: vec![],
/// };
/// let context = Context::new(&mechanism, Orientation::Forward).unwrap();
/// let strict = fact(&context, &Expr::var("n").gt(Expr::int(3)), true).unwrap();
/// let weak = fact(&context, &Expr::var("n").ge(Expr::int(4)), true).unwrap();
/// assert_eq!(strict, weak);
/// ```
pub fn fact(context: &Context, formula: &Expr, polarity: bool) -> Result<Fact, Rejection> {
    measured_fact(context, formula, polarity).map(|(fact, _)| fact)
}

/// The fact, and how many parts were unfolded to make it.
pub(crate) fn measured_fact(
    context: &Context,
    formula: &Expr,
    polarity: bool,
) -> Result<(Fact, usize), Rejection> {
    let mut converter = Converter { context, fuel: MAX_UNFOLDED };
    let fact = converter.formula(formula, polarity)?;
    Ok((fact, MAX_UNFOLDED - converter.fuel))
}

/// The polynomial that an expression without choices is.
pub fn poly(context: &Context, expr: &Expr) -> Result<Poly, Rejection> {
    measured_poly(context, expr).map(|(poly, _)| poly)
}

/// The polynomial, and what it took.
pub(crate) fn measured_poly(context: &Context, expr: &Expr) -> Result<(Poly, usize), Rejection> {
    let mut converter = Converter { context, fuel: MAX_UNFOLDED };
    let poly = converter.poly(expr)?;
    Ok((poly, MAX_UNFOLDED - converter.fuel))
}

/// The expression with every numeric part in normal form, so that equal parts are the same expression.
pub fn canonical(context: &Context, expr: &Expr) -> Result<Expr, Rejection> {
    Converter { context, fuel: MAX_UNFOLDED }.canonical(expr)
}

/// A product of powers of parameters that the assumptions make positive; a rejection for any other name.
pub fn positive_monomial(context: &Context, powers: &[(Name, i32)]) -> Result<Poly, Rejection> {
    for (name, power) in powers {
        if !context.is_positive(name) {
            return Err(Rejection::NotPositive { found: name.to_string() });
        }
        if power.saturating_abs() > MAX_EXPONENT {
            return Err(Rejection::TooLarge);
        }
    }
    if powers.len() > MAX_EXPONENT as usize {
        return Err(Rejection::TooLarge);
    }
    Ok(Poly::term(Monomial::of_names(powers), Rational::ONE))
}

struct Converter<'a> {
    context: &'a Context,
    fuel: usize,
}

impl Converter<'_> {
    /// Pays for work before it is done.
    fn burn(&mut self, work: usize) -> Result<(), Rejection> {
        self.fuel = self.fuel.checked_sub(work).ok_or(Rejection::TooLarge)?;
        Ok(())
    }

    fn poly(&mut self, expr: &Expr) -> Result<Poly, Rejection> {
        match expr {
            Expr::Number(n) => Ok(Poly::constant(n.clone())),
            Expr::Unary(Unary::Neg, a) => {
                let value = self.poly(a)?;
                self.negative(value)
            }
            Expr::Binary(Binary::Add, a, b) => {
                let (a, b) = (self.poly(a)?, self.poly(b)?);
                self.sum(a, b)
            }
            Expr::Binary(Binary::Sub, a, b) => {
                let (a, b) = (self.poly(a)?, self.poly(b)?);
                let b = self.negative(b)?;
                self.sum(a, b)
            }
            Expr::Binary(Binary::Mul, a, b) => {
                let (a, b) = (self.poly(a)?, self.poly(b)?);
                self.burn(a.work_of_times(&b))?;
                a.times(&b)
            }
            Expr::Binary(Binary::Div, a, b) => {
                let (a, b) = (self.poly(a)?, self.poly(b)?);
                let b = self.inverse(&b)?;
                self.burn(a.work_of_times(&b))?;
                a.times(&b)
            }
            Expr::Unary(op @ (Unary::Ln | Unary::Exp), a) => {
                let inside = self.canonical(a)?;
                Ok(match op {
                    Unary::Ln if inside == Expr::int(1) => Poly::zero(),
                    Unary::Exp if inside == Expr::int(0) => Poly::one(),
                    _ => Poly::atom(Expr::Unary(*op, Arc::new(inside))),
                })
            }
            _ if matches!(self.context.kind(expr), Kind::Bool | Kind::List | Kind::Table) => {
                Err(Rejection::NotANumber { found: expr.to_string() })
            }
            _ => Ok(Poly::atom(self.canonical(expr)?)),
        }
    }

    fn sum(&mut self, a: Poly, b: Poly) -> Result<Poly, Rejection> {
        let (small, mut large) = a.ordered(b);
        self.burn(large.work_of_add(&small))?;
        large.add(&small);
        Ok(large)
    }

    fn negative(&mut self, p: Poly) -> Result<Poly, Rejection> {
        self.burn(p.weight())?;
        Ok(p.negated())
    }

    /// 1/p: exact for a monomial of positive parameters, otherwise an atom about which only the lemmas on inverses
    /// speak.
    fn inverse(&mut self, p: &Poly) -> Result<Poly, Rejection> {
        if let Some((monomial, coefficient)) = p.as_term() {
            let context = self.context;
            let invertible =
                |atom: &Expr| matches!(atom, Expr::Var(Variable::Plain(n)) if context.is_positive(n));
            if monomial.powers().all(|(atom, _)| invertible(atom)) {
                return Ok(Poly::term(monomial.inverse(), Rational::ONE / coefficient));
            }
        }
        Ok(Poly::atom(Expr::int(1) / self.written(p)?))
    }

    /// A polynomial as an expression, which may be much longer.
    fn written(&mut self, p: &Poly) -> Result<Expr, Rejection> {
        self.burn(p.written())?;
        Ok(p.to_expr())
    }

    fn canonical(&mut self, expr: &Expr) -> Result<Expr, Rejection> {
        match expr {
            Expr::Number(_) | Expr::Unary(Unary::Neg, _) => {
                let value = self.poly(expr)?;
                self.written(&value)
            }
            Expr::Binary(Binary::Add | Binary::Sub | Binary::Mul | Binary::Div, ..) => {
                let value = self.poly(expr)?;
                self.written(&value)
            }
            _ => {
                self.burn(1)?;
                expr.try_map_parts(&mut |part| self.canonical(part))
            }
        }
    }

    fn formula(&mut self, formula: &Expr, polarity: bool) -> Result<Fact, Rejection> {
        self.burn(1)?;
        match formula {
            Expr::Bool(value) => Ok(if *value == polarity { TRUE } else { FALSE }),
            Expr::Unary(Unary::Not, a) => self.formula(a, !polarity),
            Expr::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                let parts = [self.formula(a, polarity)?, self.formula(b, polarity)?];
                Ok(if (*op == Binary::And) == polarity { all(parts) } else { any(parts) })
            }
            Expr::If(condition, yes, no) if self.context.kind(formula) == Kind::Bool => {
                self.choice(condition, yes, no, polarity)
            }
            Expr::Binary(
                op @ (Binary::Lt | Binary::Le | Binary::Eq | Binary::Ne | Binary::Ge | Binary::Gt),
                a,
                b,
            ) => self.comparison(*op, a, b, polarity),
            Expr::Var(_) if self.context.kind(formula) == Kind::Bool => {
                Ok(Fact::Holds(formula.clone(), polarity))
            }
            Expr::Apart(..) => Ok(Fact::Holds(self.canonical(formula)?, polarity)),
            _ => Err(Rejection::NotAFormula { found: formula.to_string() }),
        }
    }

    fn choice(&mut self, condition: &Expr, yes: &Expr, no: &Expr, polarity: bool) -> Result<Fact, Rejection> {
        let first = all([self.formula(condition, true)?, self.formula(yes, polarity)?]);
        let second = all([self.formula(condition, false)?, self.formula(no, polarity)?]);
        Ok(any([first, second]))
    }

    fn comparison(&mut self, op: Binary, a: &Expr, b: &Expr, polarity: bool) -> Result<Fact, Rejection> {
        match (op, polarity) {
            (Binary::Ne, _) => return self.comparison(Binary::Eq, a, b, !polarity),
            (Binary::Gt, _) => return self.comparison(Binary::Lt, b, a, polarity),
            (Binary::Ge, _) => return self.comparison(Binary::Le, b, a, polarity),
            (Binary::Eq, _) => match (self.context.kind(a), self.context.kind(b)) {
                (Kind::Bool, Kind::Bool) => {
                    let both = [self.formula(a, true)?, self.formula(b, polarity)?];
                    let neither = [self.formula(a, false)?, self.formula(b, !polarity)?];
                    return Ok(any([all(both), all(neither)]));
                }
                (Kind::List, Kind::List) => {
                    let (a, b) = if a <= b { (a, b) } else { (b, a) };
                    return Ok(Fact::Holds(a.clone().equals(b.clone()), polarity));
                }
                (Kind::Bool | Kind::List | Kind::Table, _) | (_, Kind::Bool | Kind::List | Kind::Table) => {
                    let found = a.clone().equals(b.clone());
                    return Err(Rejection::NotAFormula { found: found.to_string() });
                }
                _ => {}
            },
            _ => {}
        }
        // |a| ≤ b is a ≤ b and −a ≤ b: no case split is needed.
        if let (Binary::Le | Binary::Lt, Expr::Unary(Unary::Abs, inner)) = (op, a) {
            let parts = [
                self.comparison(op, inner, b, polarity)?,
                self.comparison(op, &-(**inner).clone(), b, polarity)?,
            ];
            return Ok(if polarity { all(parts) } else { any(parts) });
        }
        let whole = Expr::Binary(op, Arc::new(a.clone()), Arc::new(b.clone()));
        self.burn(whole.size())?;
        if let Some(found) = find_choice(a).or_else(|| find_choice(b)) {
            // What is the same expression needs no cases.
            if self.are_one(a, b) {
                return Ok(constant((op != Binary::Lt) == polarity));
            }
            let with = |value: &Expr| whole.rewrite(&|part| (*part == found.whole).then(|| value.clone()));
            return self.choice(&found.condition, &with(&found.yes), &with(&found.no), polarity);
        }
        let (less, more) = (self.poly(a)?, self.poly(b)?);
        let less = self.negative(less)?;
        let difference = self.sum(more, less)?;
        Ok(match (op, polarity) {
            (Binary::Le, true) => self.non_negative(difference),
            (Binary::Lt, true) => self.positive(difference),
            (Binary::Le, false) => self.positive(difference.negated()),
            (Binary::Lt, false) => self.non_negative(difference.negated()),
            (_, true) => match difference.as_constant() {
                Some(c) => constant(c.is_zero()),
                None => Fact::Zero(difference),
            },
            (_, false) => {
                let below = self.positive(difference.clone());
                let above = self.positive(difference.negated());
                any([below, above])
            }
        })
    }

    /// Whether two expressions have one normal form; what has none is not the same as anything.
    fn are_one(&mut self, a: &Expr, b: &Expr) -> bool {
        let (a, b) = (self.poly(a).ok(), self.poly(b).ok());
        a.is_some() && a == b
    }

    fn non_negative(&self, p: Poly) -> Fact {
        match p.as_constant() {
            Some(c) => constant(c >= Rational::ZERO),
            None => Fact::NonNegative(p),
        }
    }

    /// p > 0; for an integer p this is p − 1 ≥ 0.
    fn positive(&self, p: Poly) -> Fact {
        match p.as_constant() {
            Some(c) => constant(c > Rational::ZERO),
            None if self.is_integer(&p) => Fact::NonNegative(p.minus(&Poly::one())),
            None => Fact::Positive(p),
        }
    }

    /// Integer coefficients, integer atoms, no division.
    fn is_integer(&self, p: &Poly) -> bool {
        p.terms().all(|(monomial, coefficient)| {
            coefficient.is_int()
                && monomial.powers().all(|(atom, power)| power > 0 && self.context.kind(atom) == Kind::Int)
        })
    }
}

fn constant(value: bool) -> Fact {
    if value { TRUE } else { FALSE }
}

/// Conjunction, flattened.
fn all(parts: [Fact; 2]) -> Fact {
    let mut flat = Vec::new();
    for part in parts {
        match part {
            Fact::All(inner) => flat.extend(inner),
            Fact::Any(inner) if inner.is_empty() => return FALSE,
            other => flat.push(other),
        }
    }
    if flat.len() == 1 { flat.swap_remove(0) } else { Fact::All(flat) }
}

/// Disjunction, flattened.
fn any(parts: [Fact; 2]) -> Fact {
    let mut flat = Vec::new();
    for part in parts {
        match part {
            Fact::Any(inner) => flat.extend(inner),
            Fact::All(inner) if inner.is_empty() => return TRUE,
            other => flat.push(other),
        }
    }
    if flat.len() == 1 { flat.swap_remove(0) } else { Fact::Any(flat) }
}

/// A number that is defined by cases: `whole` is `yes` where `condition` holds and `no` elsewhere.
pub(crate) struct Choice {
    whole: Expr,
    pub(crate) condition: Expr,
    yes: Expr,
    no: Expr,
}

impl Choice {
    /// An expression with the choice made, everywhere in it.
    pub(crate) fn made(&self, e: &Expr, holds: bool) -> Expr {
        let value = if holds { &self.yes } else { &self.no };
        e.rewrite(&|part| (*part == self.whole).then(|| value.clone()))
    }
}

/// The first number defined by cases inside `expr`.
pub(crate) fn find_choice(expr: &Expr) -> Option<Choice> {
    let choice = |condition: Expr, yes: &Expr, no: &Expr| {
        Some(Choice { whole: expr.clone(), condition, yes: yes.clone(), no: no.clone() })
    };
    match expr {
        Expr::Unary(Unary::Abs, a) => choice(Expr::int(0).le((**a).clone()), a, &-(**a).clone()),
        Expr::Binary(Binary::Min, a, b) => choice((**a).clone().le((**b).clone()), a, b),
        Expr::Binary(Binary::Max, a, b) => choice((**a).clone().le((**b).clone()), b, a),
        Expr::Clamp(a, low, high) => {
            let inner = (**a).clone().min((**high).clone());
            choice(inner.clone().le((**low).clone()), low, &inner)
        }
        Expr::If(condition, yes, no) => choice((**condition).clone(), yes, no),
        // What is chosen inside a sum may depend on the row.
        Expr::Sum(..) | Expr::Apart(..) => None,
        Expr::Number(_) | Expr::Bool(_) | Expr::Var(_) | Expr::Length(_) | Expr::EmptyList => None,
        Expr::Unary(_, a) | Expr::Index(_, a) => find_choice(a),
        Expr::Binary(_, a, b) => find_choice(a).or_else(|| find_choice(b)),
    }
}
