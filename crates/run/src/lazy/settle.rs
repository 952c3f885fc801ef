//! Sums over rows, in memory that does not grow with their number.
//!
//! What a row adds is made of its fields and of numbers that were there before the rows: draws among them, of which nothing more has to be known.
//! So a sum of such numbers is c + c₁·x₁ + … + cₖ·xₖ with rational factors, where the xᵢ, or 1 / xᵢ, were there before. It is kept in this form, and what the
//! rows have put on the tape is forgotten. It is the same number, so that every decision comes out as before.

use std::collections::BTreeMap;

use probity_exact::Rational;

use super::interval::Interval;
use super::tape::{Mark, Node, Number, Tape};

/// A rational number, and numbers that were there before with a factor each.
struct Linear {
    constant: Rational,
    /// By the place of a number, and whether it is what divides the factor.
    parts: BTreeMap<(u32, bool), Rational>,
}

impl Tape {
    /// The same sum, made of what was on the tape before a mark. What came after is forgotten, and so are all other numbers of the time.
    ///
    /// A sum that has no such form stays, with all that it is made of: texts in which there may be one are not said to be bounded
    /// (`program/most.rs`).
    pub(crate) fn settle(&mut self, sum: Number, mark: Mark) -> Number {
        let Some(place) = sum.own_place() else {
            self.forget(mark);
            return sum;
        };
        if (place as usize) < mark.nodes {
            self.forget(mark);
            return sum;
        }
        let Some(Linear { constant, parts }) = self.linear(place, mark) else { return sum };
        self.forget(mark);
        // With a node, also where it is a double: a sum of reals is treated alike for all of them.
        let mut total = self.private(constant);
        if parts.is_empty() {
            return total;
        }
        for ((part, divides), factor) in parts {
            let factor = self.rational(factor);
            let factor = self.place(factor);
            let node = if divides { Node::Div(factor, part) } else { Node::Mul(factor, part) };
            let product = self.push(Interval::EVERYTHING, node);
            let (left, right) = (self.place(total), self.place(product));
            // What is known of the sum is known of what stands in its place.
            total = self.push(sum.interval, Node::Add(left, right));
        }
        total
    }

    /// A node by those before a mark. An operand stands before what is made of it, so a node is met when all factors of it are known.
    fn linear(&self, place: u32, mark: Mark) -> Option<Linear> {
        let mut open = BTreeMap::from([(place, Rational::ONE)]);
        let mut linear = Linear { constant: Rational::ZERO, parts: BTreeMap::new() };
        while let Some((place, factor)) = open.pop_last() {
            if factor.is_zero() {
                continue;
            }
            if let Some(value) = self.leaf(place) {
                linear.constant += value * factor;
                continue;
            }
            if (place as usize) < mark.nodes {
                *linear.parts.entry((place, false)).or_insert(Rational::ZERO) += factor;
                continue;
            }
            let mut add = |place: u32, factor: Rational| {
                *open.entry(place).or_insert(Rational::ZERO) += factor;
            };
            match self.node(place) {
                Node::Neg(a) => add(a, -factor),
                Node::Add(a, b) => {
                    add(a, factor.clone());
                    add(b, factor);
                }
                Node::Sub(a, b) => {
                    add(a, factor.clone());
                    add(b, -factor);
                }
                Node::Mul(a, b) => match (self.value_since(a, mark), self.value_since(b, mark)) {
                    (Some(value), _) => add(b, factor * value),
                    (_, Some(value)) => add(a, factor * value),
                    _ => return None,
                },
                Node::Div(a, b) => match self.value_since(b, mark) {
                    Some(value) if !value.is_zero() => add(a, factor / value),
                    None if (b as usize) < mark.nodes => {
                        let part = linear.parts.entry((b, true)).or_insert(Rational::ZERO);
                        *part += factor * self.value_since(a, mark)?;
                    }
                    _ => return None,
                },
                _ => return None,
            }
        }
        linear.parts.retain(|_, factor| !factor.is_zero());
        Some(linear)
    }

    /// The rational number that a node is, without a look at what came before the mark but for leaves. As deep as what a row adds is written.
    fn value_since(&self, place: u32, mark: Mark) -> Option<Rational> {
        if let Some(value) = self.leaf(place) {
            return Some(value);
        }
        if (place as usize) < mark.nodes {
            return None;
        }
        let of = |place: u32| self.value_since(place, mark);
        Some(match self.node(place) {
            Node::Neg(a) => -of(a)?,
            Node::Add(a, b) => of(a)? + of(b)?,
            Node::Sub(a, b) => of(a)? - of(b)?,
            Node::Mul(a, b) => of(a)? * of(b)?,
            Node::Div(a, b) => of(a)? / of(b).filter(|value| !value.is_zero())?,
            _ => return None,
        })
    }
}
