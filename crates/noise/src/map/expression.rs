//! The language of privacy maps: a real number written as a tree over d_in and exact parameters.
//!
//! An expression is data. It says what a number is, not how to compute it; [`evaluate`](super::evaluate) encloses
//! it, and [`PrivacyMap`](super::PrivacyMap) rounds it up, once.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Add, Div, Mul, Sub};
use std::sync::Arc;

use probity_exact::{Rational, Signed};

/// What an expression may depend on besides its constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Variable {
    /// The distance between the two inputs.
    DistanceIn,
    /// The ε at which a privacy profile is asked for δ.
    Epsilon,
    /// The order α > 1 over which [`Expression::least_over_order`] minimises.
    Order,
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Variable::DistanceIn => "d_in",
            Variable::Epsilon => "ε",
            Variable::Order => "α",
        })
    }
}

/// The comparison in a case distinction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Relation {
    /// left = right
    Equal,
    /// left < right
    Less,
    /// left ≤ right
    AtMost,
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Relation::Equal => "=",
            Relation::Less => "<",
            Relation::AtMost => "≤",
        })
    }
}

/// Noise with a normal law, over the reals or over the integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Normal {
    /// N(0, σ²).
    Continuous,
    /// P(z) ∝ e^(−z²/2σ²) on the integers.
    Discrete,
}

/// Which half of (ε, δ) is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Half {
    /// The δ of a given ε.
    Delta,
    /// The least ε of a given δ.
    Epsilon,
}

/// One node of an expression.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Node {
    /// This number.
    Constant(Rational),
    /// A number with a name, which is what it prints as.
    Parameter {
        /// The name.
        name: Arc<str>,
        /// The exact value.
        value: Rational,
    },
    /// +∞.
    Infinity,
    /// A variable.
    Variable(Variable),
    /// The sum of all; 0 when there are none.
    Sum(Vec<Expression>),
    /// left − right.
    Difference(Expression, Expression),
    /// left · right.
    Product(Expression, Expression),
    /// left / right.
    Quotient(Expression, Expression),
    /// The largest of all; there is at least one.
    Max(Vec<Expression>),
    /// The smallest of all; there is at least one.
    Min(Vec<Expression>),
    /// The natural logarithm.
    Ln(Expression),
    /// e to this power.
    Exp(Expression),
    /// The non-negative square root.
    Sqrt(Expression),
    /// The smallest integer that is not below.
    Ceil(Expression),
    /// The largest integer that is not above.
    Floor(Expression),
    /// `then` where the comparison holds, `otherwise` elsewhere.
    Cases {
        /// Left side of the comparison.
        left: Expression,
        /// The comparison.
        relation: Relation,
        /// Right side of the comparison.
        right: Expression,
        /// The value where it holds.
        then: Expression,
        /// The value where it does not.
        otherwise: Expression,
    },
    /// (ε, δ) of Gaussian noise by the exact formula: a half of it from the other half. For discrete noise the distance is whole.
    Gaussian {
        /// The noise.
        noise: Normal,
        /// What is asked for.
        asked: Half,
        /// σ² > 0.
        squared_scale: Rational,
        /// How far apart the inputs are.
        distance: Expression,
        /// The half that is given.
        given: Expression,
        /// A bound that also holds, for where the exact one would take too long.
        fallback: Expression,
    },
    /// The least value over orders α > 1. Every α gives a valid bound; evaluation takes the best one it finds.
    LeastOverOrder(Expression),
}

/// A real number or +∞, as a tree that is cheap to clone.
///
/// ```
/// use probity_exact::fraction;
/// use probity_noise::map::Expression;
/// let scale = Expression::parameter("scale", fraction::<7, 3>());
/// let loss = Expression::distance_in() / scale;
/// assert_eq!(loss.to_string(), "d_in / scale");
/// assert_eq!(loss.parameters().len(), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Expression(Arc<Node>);

impl Expression {
    fn of(node: Node) -> Self {
        Expression(Arc::new(node))
    }

    /// The root of the tree.
    pub fn node(&self) -> &Node {
        &self.0
    }

    /// This number.
    pub fn constant(value: impl Into<Rational>) -> Self {
        Self::of(Node::Constant(value.into()))
    }

    /// This number, under a name.
    pub fn parameter(name: &str, value: Rational) -> Self {
        Self::of(Node::Parameter { name: name.into(), value })
    }

    /// 0.
    pub fn zero() -> Self {
        Self::constant(Rational::ZERO)
    }

    /// 1.
    pub fn one() -> Self {
        Self::constant(Rational::ONE)
    }

    /// +∞.
    pub fn infinity() -> Self {
        Self::of(Node::Infinity)
    }

    /// The variable d_in.
    pub fn distance_in() -> Self {
        Self::of(Node::Variable(Variable::DistanceIn))
    }

    /// The variable ε of a privacy profile.
    pub fn epsilon() -> Self {
        Self::of(Node::Variable(Variable::Epsilon))
    }

    /// The variable α of [`least_over_order`](Expression::least_over_order).
    pub fn order() -> Self {
        Self::of(Node::Variable(Variable::Order))
    }

    /// The sum of all terms. Sums of sums are flattened, so a long composition stays shallow.
    pub fn sum(terms: impl IntoIterator<Item = Expression>) -> Self {
        let mut flat = Vec::new();
        for term in terms {
            match term.node() {
                Node::Sum(inner) => flat.extend(inner.iter().cloned()),
                Node::Constant(value) if value.is_zero() => {}
                _ => flat.push(term),
            }
        }
        match flat.len() {
            0 => Self::zero(),
            1 => flat.remove(0),
            _ => Self::of(Node::Sum(flat)),
        }
    }

    /// The largest of `first` and `others`.
    pub fn max(first: Expression, others: impl IntoIterator<Item = Expression>) -> Self {
        let all: Vec<_> = std::iter::once(first).chain(others).collect();
        Self::of(Node::Max(all))
    }

    /// The smallest of `first` and `others`.
    pub fn min(first: Expression, others: impl IntoIterator<Item = Expression>) -> Self {
        let all: Vec<_> = std::iter::once(first).chain(others).collect();
        Self::of(Node::Min(all))
    }

    /// The natural logarithm of this.
    pub fn ln(self) -> Self {
        Self::of(Node::Ln(self))
    }

    /// e to the power of this.
    pub fn exp(self) -> Self {
        Self::of(Node::Exp(self))
    }

    /// The square root of this.
    pub fn sqrt(self) -> Self {
        Self::of(Node::Sqrt(self))
    }

    /// The smallest integer that is not below this.
    pub fn ceil(self) -> Self {
        Self::of(Node::Ceil(self))
    }

    /// The largest integer that is not above this.
    pub fn floor(self) -> Self {
        Self::of(Node::Floor(self))
    }

    /// This times itself.
    pub fn squared(self) -> Self {
        self.clone() * self
    }

    /// `then` where `left relation right` holds, `otherwise` elsewhere.
    pub fn cases(
        left: Expression,
        relation: Relation,
        right: Expression,
        then: Expression,
        otherwise: Expression,
    ) -> Self {
        Self::of(Node::Cases { left, relation, right, then, otherwise })
    }

    /// 0 when d_in = 0, `otherwise` elsewhere: equal inputs have equal laws, whatever the mechanism.
    pub fn zero_at_zero(otherwise: Expression) -> Self {
        Self::cases(Self::distance_in(), Relation::Equal, Self::zero(), Self::zero(), otherwise)
    }

    /// (ε, δ) of Gaussian noise with σ² > 0 at a distance, by the exact formula; `fallback` must hold too.
    pub(crate) fn gaussian(
        (noise, asked): (Normal, Half),
        squared_scale: &Rational,
        distance: Expression,
        given: Expression,
        fallback: Expression,
    ) -> Self {
        let squared_scale = squared_scale.clone();
        Self::of(Node::Gaussian { noise, asked, squared_scale, distance, given, fallback })
    }

    /// The least value of this over the orders α > 1.
    pub fn least_over_order(self) -> Self {
        Self::of(Node::LeastOverOrder(self))
    }

    /// The same tree with every occurrence of a variable replaced. An α bound by
    /// [`least_over_order`](Expression::least_over_order) is left alone.
    pub fn substitute(&self, variable: Variable, value: &Expression) -> Self {
        match self.node() {
            Node::Variable(found) if *found == variable => value.clone(),
            Node::LeastOverOrder(_) if variable == Variable::Order => self.clone(),
            _ => self.map_parts(&mut |inner| inner.substitute(variable, value)),
        }
    }

    /// The same tree with every number replaced, in an order that is the same for trees of the same shape.
    pub(crate) fn map_numbers(&self, number: &mut dyn FnMut(&Rational) -> Rational) -> Self {
        match self.node() {
            Node::Constant(value) => Self::constant(number(value)),
            Node::Parameter { name, value } => {
                Self::of(Node::Parameter { name: name.clone(), value: number(value) })
            }
            Node::Gaussian { noise, asked, squared_scale, distance, given, fallback } => {
                let squared_scale = number(squared_scale);
                let mut go = |inner: &Expression| inner.map_numbers(number);
                let (distance, given, fallback) = (go(distance), go(given), go(fallback));
                Self::gaussian((*noise, *asked), &squared_scale, distance, given, fallback)
            }
            _ => self.map_parts(&mut |inner| inner.map_numbers(number)),
        }
    }

    /// Whether this is a tree that [`map_numbers`](Expression::map_numbers) made `shape` of; `number` is told of the same numbers, in the same
    /// order, as far as the trees agree.
    pub(crate) fn has_shape(&self, shape: &Expression, number: &mut dyn FnMut(&Rational)) -> bool {
        let mut pairs = |ones: &[&Expression], others: &[&Expression]| {
            ones.len() == others.len()
                && ones.iter().zip(others).all(|(one, other)| one.has_shape(other, &mut *number))
        };
        match (self.node(), shape.node()) {
            (Node::Constant(value), Node::Constant(_)) => {
                number(value);
                true
            }
            (Node::Parameter { name, value }, Node::Parameter { name: other, .. }) => {
                number(value);
                name == other
            }
            (Node::Infinity, Node::Infinity) => true,
            (Node::Variable(one), Node::Variable(other)) => one == other,
            (Node::Difference(a, b), Node::Difference(c, d))
            | (Node::Product(a, b), Node::Product(c, d))
            | (Node::Quotient(a, b), Node::Quotient(c, d)) => pairs(&[a, b], &[c, d]),
            (Node::Ln(a), Node::Ln(b)) | (Node::Exp(a), Node::Exp(b)) | (Node::Sqrt(a), Node::Sqrt(b)) => {
                pairs(&[a], &[b])
            }
            (Node::Max(a), Node::Max(b)) | (Node::Min(a), Node::Min(b)) | (Node::Sum(a), Node::Sum(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(one, other)| pairs(&[one], &[other]))
            }
            (
                Node::Cases { left: a, relation, right: b, then: c, otherwise: d },
                Node::Cases { left: e, relation: other, right: f, then: g, otherwise: h },
            ) => relation == other && pairs(&[a, b, c, d], &[e, f, g, h]),
            // The others are rare, and compared by their shapes.
            _ => false,
        }
    }

    /// This node with its direct parts replaced.
    fn map_parts(&self, go: &mut dyn FnMut(&Expression) -> Expression) -> Self {
        Self::of(match self.node() {
            Node::Constant(_) | Node::Parameter { .. } | Node::Infinity | Node::Variable(_) => {
                return self.clone();
            }
            Node::Sum(terms) => Node::Sum(terms.iter().map(go).collect()),
            Node::Max(items) => Node::Max(items.iter().map(go).collect()),
            Node::Min(items) => Node::Min(items.iter().map(go).collect()),
            Node::Difference(a, b) => Node::Difference(go(a), go(b)),
            Node::Product(a, b) => Node::Product(go(a), go(b)),
            Node::Quotient(a, b) => Node::Quotient(go(a), go(b)),
            Node::Ln(a) => Node::Ln(go(a)),
            Node::Exp(a) => Node::Exp(go(a)),
            Node::Sqrt(a) => Node::Sqrt(go(a)),
            Node::Ceil(a) => Node::Ceil(go(a)),
            Node::Floor(a) => Node::Floor(go(a)),
            Node::Cases { left, relation, right, then, otherwise } => Node::Cases {
                left: go(left),
                relation: *relation,
                right: go(right),
                then: go(then),
                otherwise: go(otherwise),
            },
            Node::Gaussian { noise, asked, squared_scale, distance, given, fallback } => Node::Gaussian {
                noise: *noise,
                asked: *asked,
                squared_scale: squared_scale.clone(),
                distance: go(distance),
                given: go(given),
                fallback: go(fallback),
            },
            Node::LeastOverOrder(a) => Node::LeastOverOrder(go(a)),
        })
    }

    /// The direct parts of this node.
    pub(crate) fn children(&self) -> Vec<&Expression> {
        match self.node() {
            Node::Constant(_) | Node::Parameter { .. } | Node::Infinity | Node::Variable(_) => Vec::new(),
            Node::Sum(items) | Node::Max(items) | Node::Min(items) => items.iter().collect(),
            Node::Difference(a, b) | Node::Product(a, b) | Node::Quotient(a, b) => vec![a, b],
            Node::Ln(a) | Node::Exp(a) | Node::Sqrt(a) => vec![a],
            Node::Ceil(a) | Node::Floor(a) | Node::LeastOverOrder(a) => vec![a],
            Node::Cases { left, right, then, otherwise, .. } => vec![left, right, then, otherwise],
            Node::Gaussian { distance, given, fallback, .. } => vec![distance, given, fallback],
        }
    }

    /// Whether no variable occurs, so that the value is known once and for all.
    pub fn is_constant(&self) -> bool {
        match self.node() {
            Node::Variable(_) => false,
            Node::LeastOverOrder(inner) => {
                inner.substitute(Variable::Order, &Expression::one()).is_constant()
            }
            _ => self.children().into_iter().all(Expression::is_constant),
        }
    }

    /// The named parameters and their values, in order of first occurrence. A name that stands for several
    /// values is listed once for each.
    pub fn parameters(&self) -> Vec<(Arc<str>, Rational)> {
        fn collect(expression: &Expression, found: &mut Vec<(Arc<str>, Rational)>) {
            if let Node::Parameter { name, value } = expression.node() {
                let known = found.iter().any(|(n, v)| n == name && v == value);
                if !known {
                    found.push((name.clone(), value.clone()));
                }
            }
            // A fallback is not printed, so its parameters are none of the formula's.
            let shown = match expression.node() {
                Node::Gaussian { distance, given, .. } => vec![distance, given],
                _ => expression.children(),
            };
            shown.into_iter().for_each(|child| collect(child, found));
        }
        let mut found = Vec::new();
        collect(self, &mut found);
        found
    }
}

impl Add for Expression {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::sum([self, other])
    }
}

impl Sub for Expression {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::of(Node::Difference(self, other))
    }
}

impl Mul for Expression {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::of(Node::Product(self, other))
    }
}

impl Div for Expression {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        Self::of(Node::Quotient(self, other))
    }
}

/// How tightly a node binds when printed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Case,
    Sum,
    Product,
    Factor,
    Atom,
}

/// Prints the formula with parameters by name; a name that stands for several values prints as the value.
impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut values: BTreeMap<Arc<str>, usize> = BTreeMap::new();
        for (name, _) in self.parameters() {
            *values.entry(name).or_default() += 1;
        }
        let named = |name: &Arc<str>| values.get(name) == Some(&1);
        self.print(f, Binding::Case, &named)
    }
}

impl Expression {
    fn print(
        &self,
        f: &mut fmt::Formatter<'_>,
        within: Binding,
        named: &dyn Fn(&Arc<str>) -> bool,
    ) -> fmt::Result {
        let binding = self.binding(named);
        if binding < within {
            f.write_str("(")?;
        }
        let list = |f: &mut fmt::Formatter<'_>, items: &[Expression], separator: &str, within: Binding| {
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    f.write_str(separator)?;
                }
                item.print(f, within, named)?;
            }
            Ok(())
        };
        let pair = |f: &mut fmt::Formatter<'_>, a: &Expression, sign: &str, b: &Expression| {
            a.print(f, binding, named)?;
            f.write_str(sign)?;
            // The right operand of − and / needs brackets at the same level, and · shares its level with /.
            b.print(f, if binding == Binding::Sum { Binding::Product } else { Binding::Factor }, named)
        };
        let call = |f: &mut fmt::Formatter<'_>, name: &str, a: &Expression| {
            write!(f, "{name}(")?;
            a.print(f, Binding::Case, named)?;
            f.write_str(")")
        };
        match self.node() {
            Node::Constant(value) => write!(f, "{value}")?,
            Node::Parameter { name, value } if !named(name) => write!(f, "{value}")?,
            Node::Parameter { name, .. } => write!(f, "{name}")?,
            Node::Infinity => f.write_str("∞")?,
            Node::Variable(variable) => write!(f, "{variable}")?,
            Node::Sum(terms) => list(f, terms, " + ", Binding::Product)?,
            Node::Difference(a, b) => pair(f, a, " - ", b)?,
            Node::Product(a, b) => pair(f, a, " · ", b)?,
            Node::Quotient(a, b) => pair(f, a, " / ", b)?,
            Node::Max(items) | Node::Min(items) => {
                f.write_str(if matches!(self.node(), Node::Max(_)) { "max(" } else { "min(" })?;
                list(f, items, ", ", Binding::Case)?;
                f.write_str(")")?;
            }
            Node::Ln(a) => call(f, "ln", a)?,
            Node::Exp(a) => call(f, "exp", a)?,
            Node::Sqrt(a) => call(f, "sqrt", a)?,
            Node::Ceil(a) => call(f, "ceil", a)?,
            Node::Floor(a) => call(f, "floor", a)?,
            Node::Gaussian { noise, asked, squared_scale, distance, given, .. } => {
                f.write_str(match (noise, asked) {
                    (Normal::Continuous, Half::Delta) => "gaussian_δ(",
                    (Normal::Continuous, Half::Epsilon) => "gaussian_ε(",
                    (Normal::Discrete, Half::Delta) => "discrete_gaussian_δ(",
                    (Normal::Discrete, Half::Epsilon) => "discrete_gaussian_ε(",
                })?;
                write!(f, "σ² = {squared_scale}, ")?;
                list(f, &[distance.clone(), given.clone()], ", ", Binding::Case)?;
                f.write_str(")")?;
            }
            Node::LeastOverOrder(a) => call(f, "min over α > 1 of ", a)?,
            Node::Cases { left, relation, right, then, otherwise } => {
                f.write_str("if ")?;
                left.print(f, Binding::Sum, named)?;
                write!(f, " {relation} ")?;
                right.print(f, Binding::Sum, named)?;
                f.write_str(" then ")?;
                then.print(f, Binding::Sum, named)?;
                f.write_str(" else ")?;
                otherwise.print(f, Binding::Case, named)?;
            }
        }
        if binding < within {
            f.write_str(")")?;
        }
        Ok(())
    }

    fn binding(&self, named: &dyn Fn(&Arc<str>) -> bool) -> Binding {
        let of_number = |value: &Rational| match (value.is_negative(), value.is_int()) {
            (true, _) => Binding::Sum,
            (false, false) => Binding::Product,
            (false, true) => Binding::Atom,
        };
        match self.node() {
            Node::Cases { .. } => Binding::Case,
            Node::Sum(_) | Node::Difference(..) => Binding::Sum,
            Node::Product(..) | Node::Quotient(..) => Binding::Product,
            Node::Constant(value) => of_number(value),
            Node::Parameter { name, value } if !named(name) => of_number(value),
            _ => Binding::Atom,
        }
    }
}

#[cfg(test)]
mod tests;
