//! What is left of a difference when all that both sides share is gone.
//!
//! Sums are taken apart from the last node to the first. A node that both sides are made of is met once, with what is left of its factors, and
//! is not looked into where these cancel: `s + x > s + z` is a question about x and z, however long the sum s is, and is answered as fast
//! where they are equal as where they are not.

use std::collections::BTreeMap;

use probity_exact::{Format, Rational, rational_from_f64};

use super::refine::{GUARD_BITS, Wide, unit};
use super::tape::{Node, Number, Tape};

/// What a node is that is no sum: its operation and its operands. Equal ones are equal numbers.
type Part = (u8, u32, u32);

/// A rational number, and nodes that are no sums, each with a factor that is not 0.
#[derive(Debug)]
pub(super) struct Rest {
    constant: Rational,
    /// Draws without their centers.
    noise: BTreeMap<u32, Rational>,
    /// The other parts, each with a place where it stands.
    parts: BTreeMap<Part, (u32, Rational)>,
    /// How many nodes were looked into.
    #[cfg(test)]
    met: usize,
}

impl Rest {
    /// The number, if nothing else is left.
    pub(super) fn constant(&self) -> Option<&Rational> {
        (self.noise.is_empty() && self.parts.is_empty()).then_some(&self.constant)
    }

    /// Whether no draw is left but inside of other parts.
    pub(super) fn is_without_noise(&self) -> bool {
        self.noise.is_empty()
    }

    fn places(&self) -> Vec<u32> {
        self.parts.values().map(|(place, _)| *place).collect()
    }

    /// How many draws its enclosure looks at.
    pub(super) fn draws(&self, tape: &Tape) -> usize {
        let within = if self.parts.is_empty() { 0 } else { tape.count_draws(&self.places()) };
        self.noise.len() + within
    }
}

impl Tape {
    /// What is left of a − b.
    pub(super) fn rest_of_difference(&self, a: u32, b: u32) -> Rest {
        let mut open = BTreeMap::from([(a, Rational::ONE)]);
        *open.entry(b).or_insert(Rational::ZERO) -= Rational::ONE;
        self.rest(open)
    }

    /// The rational number that a node is, if sums tell: also where draws cancel.
    pub(super) fn known_value(&self, a: Number) -> Option<Rational> {
        if let Some(point) = a.as_point() {
            return rational_from_f64(point);
        }
        let rest = self.rest(BTreeMap::from([(a.own_place()?, Rational::ONE)]));
        match rest.constant() {
            Some(value) => Some(value.clone()),
            // A product of rational numbers, say.
            None if rest.is_without_noise() => self.value(a),
            None => None,
        }
    }

    /// The sum of nodes with these factors. An operand stands before what is made of it, so a node is met when all factors of it are known.
    fn rest(&self, mut open: BTreeMap<u32, Rational>) -> Rest {
        let mut rest = Rest {
            constant: Rational::ZERO,
            noise: BTreeMap::new(),
            parts: BTreeMap::new(),
            #[cfg(test)]
            met: 0,
        };
        while let Some((place, factor)) = open.pop_last() {
            if factor.is_zero() {
                continue;
            }
            #[cfg(test)]
            {
                rest.met += 1;
            }
            if let Some(value) = self.leaf(place) {
                rest.constant += value * factor;
                continue;
            }
            let mut add = |place: u32, factor: Rational| {
                *open.entry(place).or_insert(Rational::ZERO) += factor;
            };
            let part: Part = match self.node(place) {
                Node::Neg(a) => {
                    add(a, -factor);
                    continue;
                }
                Node::Add(a, b) => {
                    add(a, factor.clone());
                    add(b, factor);
                    continue;
                }
                Node::Sub(a, b) => {
                    add(a, factor.clone());
                    add(b, -factor);
                    continue;
                }
                Node::Mul(a, b) => match (self.leaf(a), self.leaf(b)) {
                    (Some(value), _) => {
                        add(b, factor * value);
                        continue;
                    }
                    (_, Some(value)) => {
                        add(a, factor * value);
                        continue;
                    }
                    // In either order.
                    _ => (0, a.min(b), a.max(b)),
                },
                Node::Div(a, b) => match self.leaf(b).filter(|value| !value.is_zero()) {
                    Some(value) => {
                        add(a, factor / value);
                        continue;
                    }
                    None => (1, a, b),
                },
                Node::Draw(draw) => {
                    if let Some(center) = self.draw_at(draw).center {
                        add(center, factor.clone());
                    }
                    rest.noise.insert(draw, factor);
                    continue;
                }
                Node::Ln(a) => (2, a, 0),
                Node::Exp(a) => (3, a, 0),
                Node::Sqrt(a) => (4, a, 0),
                // Leaves that are no numbers.
                Node::Point(_) | Node::Rational(_) => (5, place, 0),
            };
            rest.parts.entry(part).or_insert((place, Rational::ZERO)).1 += factor;
        }
        rest.parts.retain(|_, (_, factor)| !factor.is_zero());
        rest
    }

    /// An enclosure from what is known of the draws, with about this many significant bits.
    pub(super) fn enclose_rest(&self, rest: &Rest, bits: usize) -> Wide {
        let format = Format::wide(u32::try_from(bits + GUARD_BITS).unwrap_or(u32::MAX));
        let number = |value: &Rational| Wide::around(value, format);
        let mut sum = number(&rest.constant);
        for (draw, factor) in &rest.noise {
            let record = self.draw_at(*draw);
            let noise = unit(record.noise, &self.known(*draw), format);
            let scaled = match record.scale.and_then(|scale| self.enclose(&[scale], bits).pop()) {
                Some(scale) => noise * scale,
                None => noise,
            };
            sum = sum + scaled * number(factor);
        }
        let enclosed = self.enclose(&rest.places(), bits);
        for ((_, factor), part) in rest.parts.values().zip(enclosed) {
            sum = sum + part * number(factor);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::super::interval::Interval;
    use super::super::tape::Noise;
    use super::*;

    /// However long a sum is that both sides share, it is not looked into, and no draw of it is left.
    #[test]
    fn what_both_sides_share_is_not_looked_at() {
        for draws in [1, 100, 6400] {
            let tape = &mut Tape::default();
            let mut sum = Number::ZERO;
            for _ in 0..draws {
                let draw = tape.draw(Noise::Exponential, None, None, Interval::EVERYTHING, [1 << 63, 0]);
                sum = tape.add(sum, draw);
            }
            let third = Rational::ONE / Rational::from(3);
            for (x, left) in [(Rational::from(5), Rational::ZERO), (&third + Rational::from(5), third)] {
                let (a, b) = (tape.private(x), tape.rational(Rational::from(5)));
                let (a, b) = (tape.add(sum, a), tape.add(sum, b));
                let (a, b) = (tape.place(a), tape.place(b));
                let rest = tape.rest_of_difference(a, b);
                assert_eq!(rest.constant(), Some(&left));
                assert!(rest.met <= 4, "{draws}: {}", rest.met);
            }
            // What is shared but for a factor is looked into.
            let two = tape.rational(Rational::from(2));
            let double = tape.mul(two, sum);
            let (a, b) = (tape.place(double), tape.place(sum));
            assert_eq!(tape.rest_of_difference(a, b).noise.len(), draws);
        }
    }
}
