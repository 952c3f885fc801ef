//! Facts of real analysis that the kernel takes as they are.
//!
//! Each lemma is a formula that is true for all real values of its arguments; conditions stand inside the
//! formula as premises, so citing a lemma needs no further check. Numbers defined by cases need no lemma.

use std::fmt;

use probity_exact::{Rational, exp_bounds, ln_bounds};

use crate::context::Context;
use crate::expr::{Binary, Expr, Name, Run, Unary, Variable};
use crate::kind::Kind;
use crate::lists;
use crate::tables;

/// A lemma and its arguments.
///
/// ```
/// use probity_kernel::expr::Expr;
/// use probity_kernel::lemma::Lemma;
/// assert_eq!(Lemma::ExpPositive(Expr::var("a")).to_string(), "exp-positive(a)");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lemma {
    /// What the adjacency says of the entries of a list at an index.
    Adjacent(Name, Expr),
    /// a ≠ 0 ⇒ a·(1/a) = 1
    Inverse(Expr),
    /// a > 0 ⇒ 1/a > 0
    InversePositive(Expr),
    /// floor(a) ≤ a < floor(a) + 1
    Floor(Expr),
    /// a ≤ b ⇒ floor(a) ≤ floor(b)
    FloorMonotone(Expr, Expr),
    /// g > 0 ⇒ |round_to(a, g) − a| ≤ g/2
    RoundNear(Expr, Expr),
    /// g > 0 ∧ a ≤ b ⇒ round_to(a, g) ≤ round_to(b, g)
    RoundMonotone(Expr, Expr, Expr),
    /// For integers, b > 0 ⇒ 0 ≤ a mod b < b
    ModRange(Expr, Expr),
    /// a > 0 ⇒ a ≤ pow2_at_least(a) < 2a
    Pow2(Expr),
    /// exp(a) > 0
    ExpPositive(Expr),
    /// exp(a + b) = exp(a)·exp(b)
    ExpSum(Expr, Expr),
    /// a ≤ b ⇒ exp(a) ≤ exp(b)
    ExpMonotone(Expr, Expr),
    /// 1 + a ≤ exp(a)
    ExpTangent(Expr),
    /// 0 < a ≤ b ⇒ ln(a) ≤ ln(b)
    LnMonotone(Expr, Expr),
    /// a > 1 ⇒ ln(a) > 0
    LnPositive(Expr),
    /// a > 0 ∧ b > 0 ⇒ ln(a·b) = ln(a) + ln(b)
    LnProduct(Expr, Expr),
    /// a > 0 ∧ b > 0 ⇒ ln(a/b) = ln(a) − ln(b)
    LnQuotient(Expr, Expr),
    /// a > 0 ⇒ exp(ln(a)) = a
    ExpLn(Expr),
    /// ln(exp(a)) = a
    LnExp(Expr),
    /// low ≤ ln(a) ≤ high for a number a > 0, from its enclosure
    LnValue(Rational),
    /// low ≤ exp(a) ≤ high for a number a, |a| ≤ 20, from its enclosure
    ExpValue(Rational),
    /// a = b ⇒ f(a) = f(b), for f an operation on one number
    SameUnary(Unary, Expr, Expr),
    /// a = b ∧ c = d ⇒ f(a, c) = f(b, d), for f an operation on two numbers
    SameBinary(Binary, (Expr, Expr), (Expr, Expr)),
    /// `a = b ⇒ list[a] = list[b]`
    SameEntry(Variable, Expr, Expr),
    /// `list = list' ∧ a = b ⇒ list[a] = list'[b]`, for a list of the two runs
    EqualEntries(Name, Expr, Expr),
    /// `list = list' ⇒ length(list) = length(list')`
    EqualLengths(Name),
    /// What the adjacency says of two sums over a table: (condition, value) in the first run, and in the second.
    Rows(Name, (Expr, Expr), (Expr, Expr)),
    /// How far apart the entries of a list are, by the adjacency: (list, low, high).
    Apart(Name, Expr, Expr),
    /// apart(l, a, b) ∧ c ≤ a ∧ b ≤ d ⇒ apart(l, c, d): (list, (a, b), (c, d))
    ApartWider(Name, (Expr, Expr), (Expr, Expr)),
    /// How far the entries of a list have moved up to an index, by the adjacency.
    Moved(Name, Expr),
    /// a ≥ 0 ⇒ sqrt(a) ≥ 0 ∧ sqrt(a)·sqrt(a) = a
    Sqrt(Expr),
}

impl Lemma {
    /// The name under which a theorem lists it.
    pub fn name(&self) -> &'static str {
        match self {
            Lemma::Adjacent(..) => "adjacent",
            Lemma::Inverse(_) => "inverse",
            Lemma::InversePositive(_) => "inverse-positive",
            Lemma::Floor(_) => "floor",
            Lemma::FloorMonotone(..) => "floor-monotone",
            Lemma::RoundNear(..) => "round-near",
            Lemma::RoundMonotone(..) => "round-monotone",
            Lemma::ModRange(..) => "mod-range",
            Lemma::Pow2(_) => "pow2",
            Lemma::ExpPositive(_) => "exp-positive",
            Lemma::ExpSum(..) => "exp-sum",
            Lemma::ExpMonotone(..) => "exp-monotone",
            Lemma::ExpTangent(_) => "exp-tangent",
            Lemma::LnMonotone(..) => "ln-monotone",
            Lemma::LnPositive(_) => "ln-positive",
            Lemma::LnProduct(..) => "ln-product",
            Lemma::LnQuotient(..) => "ln-quotient",
            Lemma::ExpLn(_) => "exp-ln",
            Lemma::LnExp(_) => "ln-exp",
            Lemma::LnValue(_) => "ln-value",
            Lemma::ExpValue(_) => "exp-value",
            Lemma::SameUnary(..) => "same-unary",
            Lemma::SameBinary(..) => "same-binary",
            Lemma::SameEntry(..) => "same-entry",
            Lemma::EqualEntries(..) => "equal-entries",
            Lemma::EqualLengths(_) => "equal-lengths",
            Lemma::Rows(..) => "rows",
            Lemma::Apart(..) => "apart",
            Lemma::ApartWider(..) => "apart-wider",
            Lemma::Moved(..) => "moved",
            Lemma::Sqrt(_) => "sqrt",
        }
    }

    /// The formula. `None` if the arguments are not of the sorts that the lemma is about.
    pub fn formula(&self, context: &Context) -> Option<Expr> {
        let zero = || Expr::int(0);
        let one = || Expr::int(1);
        let positive = |a: &Expr| zero().lt(a.clone());
        Some(match self {
            Lemma::Adjacent(list, index) => context.adjacent_entries(list, index),
            Lemma::Rows(table, first, second) => tables::rows(context, table, first, second)?,
            Lemma::Apart(list, low, high) => lists::apart(context, list, low, high)?,
            Lemma::Moved(list, index) => lists::moved(context, list, index)?,
            Lemma::ApartWider(list, (a, b), (c, d)) => {
                let apart = |low: &Expr, high: &Expr| Expr::apart(list.clone(), low.clone(), high.clone());
                let wider = c.clone().le(a.clone()).and(b.clone().le(d.clone()));
                apart(a, b).and(wider).implies(apart(c, d))
            }
            Lemma::Inverse(a) => {
                a.clone().differs(zero()).implies((a.clone() * (one() / a.clone())).equals(one()))
            }
            Lemma::InversePositive(a) => positive(a).implies(positive(&(one() / a.clone()))),
            Lemma::Floor(a) => a.clone().floor().le(a.clone()).and(a.clone().lt(a.clone().floor() + one())),
            Lemma::FloorMonotone(a, b) => {
                a.clone().le(b.clone()).implies(a.clone().floor().le(b.clone().floor()))
            }
            Lemma::RoundNear(a, g) => {
                let error = a.clone().round_to(g.clone()) - a.clone();
                positive(g).implies(error.abs().le(g.clone() / Expr::int(2)))
            }
            Lemma::RoundMonotone(a, b, g) => {
                let premise = positive(g).and(a.clone().le(b.clone()));
                premise.implies(a.clone().round_to(g.clone()).le(b.clone().round_to(g.clone())))
            }
            Lemma::ModRange(a, b) => {
                if [a, b].iter().any(|e| context.kind(e) != Kind::Int) {
                    return None;
                }
                let m = a.clone().modulo(b.clone());
                positive(b).implies(zero().le(m.clone()).and(m.lt(b.clone())))
            }
            Lemma::Pow2(a) => {
                let p = a.clone().pow2_at_least();
                positive(a).implies(a.clone().le(p.clone()).and(p.lt(a.clone() * Expr::int(2))))
            }
            Lemma::ExpPositive(a) => positive(&a.clone().exp()),
            Lemma::ExpSum(a, b) => (a.clone() + b.clone()).exp().equals(a.clone().exp() * b.clone().exp()),
            Lemma::ExpMonotone(a, b) => a.clone().le(b.clone()).implies(a.clone().exp().le(b.clone().exp())),
            Lemma::ExpTangent(a) => (one() + a.clone()).le(a.clone().exp()),
            Lemma::LnMonotone(a, b) => {
                let premise = positive(a).and(a.clone().le(b.clone()));
                premise.implies(a.clone().ln().le(b.clone().ln()))
            }
            Lemma::LnPositive(a) => one().lt(a.clone()).implies(positive(&a.clone().ln())),
            Lemma::LnProduct(a, b) => {
                let parts = a.clone().ln() + b.clone().ln();
                positive(a).and(positive(b)).implies((a.clone() * b.clone()).ln().equals(parts))
            }
            Lemma::LnQuotient(a, b) => {
                let parts = a.clone().ln() - b.clone().ln();
                positive(a).and(positive(b)).implies((a.clone() / b.clone()).ln().equals(parts))
            }
            Lemma::ExpLn(a) => positive(a).implies(a.clone().ln().exp().equals(a.clone())),
            Lemma::LnExp(a) => a.clone().exp().ln().equals(a.clone()),
            Lemma::LnValue(a) => {
                let (low, high) = ln_bounds(a, VALUE_BITS)?;
                between(low, Expr::Number(a.clone()).ln(), high)
            }
            Lemma::ExpValue(a) => {
                if *a > Rational::from(20) || *a < Rational::from(-20) {
                    return None;
                }
                let (low, high) = exp_bounds(a, VALUE_BITS);
                between(low.to_rational()?, Expr::Number(a.clone()).exp(), high.to_rational()?)
            }
            Lemma::SameUnary(op, a, b) => {
                if !matches!(op, Unary::Floor | Unary::Ln | Unary::Exp | Unary::Pow2AtLeast | Unary::Sqrt) {
                    return None;
                }
                let apply = |e: &Expr| Expr::Unary(*op, e.clone().into());
                a.clone().equals(b.clone()).implies(apply(a).equals(apply(b)))
            }
            Lemma::SameBinary(op, (a, b), (c, d)) => {
                if !matches!(op, Binary::Mod | Binary::RoundTo | Binary::Div) {
                    return None;
                }
                let apply = |p: &Expr, q: &Expr| Expr::Binary(*op, p.clone().into(), q.clone().into());
                let same = a.clone().equals(b.clone()).and(c.clone().equals(d.clone()));
                same.implies(apply(a, c).equals(apply(b, d)))
            }
            Lemma::SameEntry(list, a, b) => {
                let entry = |i: &Expr| i.clone().index_of(list.clone());
                a.clone().equals(b.clone()).implies(entry(a).equals(entry(b)))
            }
            Lemma::EqualEntries(list, a, b) => {
                let [first, second] = [Run::First, Run::Second].map(|run| Variable::Of(list.clone(), run));
                let same = Expr::Var(first.clone()).equals(Expr::Var(second.clone()));
                let entries = a.clone().index_of(first).equals(b.clone().index_of(second));
                same.and(a.clone().equals(b.clone())).implies(entries)
            }
            Lemma::EqualLengths(list) => {
                let [first, second] = [Run::First, Run::Second].map(|run| Variable::Of(list.clone(), run));
                let same = Expr::Var(first.clone()).equals(Expr::Var(second.clone()));
                same.implies(Expr::Length(first).equals(Expr::Length(second)))
            }
            Lemma::Sqrt(a) => {
                let root = || a.clone().sqrt();
                let square = (root() * root()).equals(a.clone());
                zero().le(a.clone()).implies(zero().le(root()).and(square))
            }
        })
    }
}

/// Bits of an enclosure, before it is rounded outward to a multiple of 2^−16.
const VALUE_BITS: u32 = 40;

/// low ≤ value ≤ high, with simple bounds a little further out.
fn between(low: Rational, value: Expr, high: Rational) -> Expr {
    let unit = Rational::from(1i64 << 16);
    let below = Rational::from((low * &unit).floor()) / &unit;
    let above = Rational::from((high * &unit).ceil()) / &unit;
    Expr::Number(below).le(value.clone()).and(value.le(Expr::Number(above)))
}

impl fmt::Display for Lemma {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.name())?;
        match self {
            Lemma::Adjacent(list, e) | Lemma::Moved(list, e) => write!(f, "{list}, {e}")?,
            Lemma::EqualLengths(list) => write!(f, "{list}")?,
            Lemma::Apart(list, low, high) | Lemma::EqualEntries(list, low, high) => {
                write!(f, "{list}, {low}, {high}")?
            }
            Lemma::ApartWider(list, (a, b), (c, d)) => write!(f, "{list}, {a}, {b}, {c}, {d}")?,
            Lemma::Inverse(a)
            | Lemma::InversePositive(a)
            | Lemma::Floor(a)
            | Lemma::Pow2(a)
            | Lemma::ExpPositive(a)
            | Lemma::ExpTangent(a)
            | Lemma::LnPositive(a)
            | Lemma::ExpLn(a)
            | Lemma::Sqrt(a)
            | Lemma::LnExp(a) => write!(f, "{a}")?,
            Lemma::LnValue(a) | Lemma::ExpValue(a) => write!(f, "{a}")?,
            Lemma::FloorMonotone(a, b)
            | Lemma::RoundNear(a, b)
            | Lemma::ModRange(a, b)
            | Lemma::ExpSum(a, b)
            | Lemma::ExpMonotone(a, b)
            | Lemma::LnMonotone(a, b)
            | Lemma::LnProduct(a, b)
            | Lemma::LnQuotient(a, b)
            | Lemma::SameUnary(_, a, b)
            | Lemma::SameEntry(_, a, b) => write!(f, "{a}, {b}")?,
            Lemma::RoundMonotone(a, b, g) => write!(f, "{a}, {b}, {g}")?,
            Lemma::SameBinary(_, (a, b), (c, d)) => write!(f, "{a}, {b}, {c}, {d}")?,
            Lemma::Rows(table, (a, b), (c, d)) => write!(f, "{table}, {a}, {b}, {c}, {d}")?,
        }
        write!(f, ")")
    }
}
