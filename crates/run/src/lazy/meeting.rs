//! Whether two numbers are the same, by their normal forms (`normal`). A root has none of its own: √v is on the side of r ≥ 0 on which v is of r², so
//! it is held against rational numbers by the form of v, and `program::decidable` refuses a text that would hold one against anything else.

use probity_exact::{BitTest, Rational};

use super::normal::Quotient;
use super::tape::{Node, Tape};

/// Whether two nodes are the same number.
#[derive(Clone, Debug)]
pub(crate) enum Meeting {
    /// They are.
    Equal,
    /// They are not: the coefficients of their difference are above 2^−bits. Numbers that are not drawn, as ln x and a fraction, can come
    /// closer than their own digits say, so that is looked at.
    Apart {
        /// The bits.
        bits: usize,
        /// A number with the sign of their difference, in which what cancels is gone.
        difference: Box<Quotient>,
    },
}

/// constant + factor · √v
struct Root {
    constant: Rational,
    factor: Rational,
    /// The node of v, which is positive.
    radicand: u32,
}

impl Meeting {
    /// Of two numbers with this difference.
    fn of(difference: Quotient) -> Option<Meeting> {
        let difference = Box::new(difference.settled()?);
        Some(match difference.is_zero() {
            true => Meeting::Equal,
            false => Meeting::Apart { bits: difference.small_bits(), difference },
        })
    }
}

impl Tape {
    /// Whether two nodes are the same number for all values of the draws, or if not, how close they come: they are the same with
    /// probability 0 then. `None` where there is no normal form to tell.
    pub(crate) fn meeting(&self, a: u32, b: u32) -> Option<Meeting> {
        if let Some(meeting) = self.meeting_of_root(a, b) {
            return Some(meeting);
        }
        let mut forms = self.normal_forms(&[a, b])?;
        let (second, first) = (forms.pop()?, forms.pop()?);
        Meeting::of(first.combine(second, -Rational::ONE)?)
    }

    /// How a root and a rational number meet; `None` if the nodes are not such.
    fn meeting_of_root(&self, a: u32, b: u32) -> Option<Meeting> {
        let has_root = self.below(&[a, b]).into_iter().any(|place| matches!(self.node(place), Node::Sqrt(_)));
        if !has_root {
            return None;
        }
        // The difference a − b, with the rational number in its constant.
        let root = match (self.value_at(a), self.value_at(b)) {
            (None, Some(value)) => {
                let root = self.multiple_of_root(a)?;
                Root { constant: root.constant - value, ..root }
            }
            (Some(value), None) => {
                let root = self.multiple_of_root(b)?;
                Root { constant: value - root.constant, factor: -root.factor, ..root }
            }
            _ => return None,
        };
        if root.factor.is_zero() {
            return Meeting::of(Quotient::number(root.constant));
        }
        let sign = Rational::from(if root.factor > Rational::ZERO { 1 } else { -1 });
        let at = -root.constant / &root.factor;
        if at < Rational::ZERO {
            return Meeting::of(Quotient::number(sign));
        }
        let square = Quotient::number(&at * &at);
        let difference = self.normal_form(root.radicand)?.combine(square, -Rational::ONE)?.scaled(&sign);
        Some(match Meeting::of(difference)? {
            Meeting::Equal => Meeting::Equal,
            // √v − r is (v − r²) / (√v + r), and closer to 0 by so many bits where they are about the same.
            Meeting::Apart { bits, difference } => {
                Meeting::Apart { bits: bits + length(&at) + length(&root.factor) + 2, difference }
            }
        })
    }

    /// A node as a rational multiple of a root and a rational number.
    fn multiple_of_root(&self, place: u32) -> Option<Root> {
        let (mut constant, mut factor, mut at) = (Rational::ZERO, Rational::ONE, place);
        loop {
            // So far the node is constant + factor · (the node at hand).
            at = match self.node(at) {
                Node::Sqrt(radicand) => return Some(Root { constant, factor, radicand }),
                Node::Neg(a) => {
                    factor = -factor;
                    a
                }
                Node::Add(a, b) => {
                    let (value, other) = self.value_beside(a, b)?;
                    constant += &factor * value;
                    other
                }
                Node::Sub(a, b) => match self.value_at(b) {
                    Some(value) => {
                        constant -= &factor * value;
                        a
                    }
                    None => {
                        constant += &factor * self.value_at(a)?;
                        factor = -factor;
                        b
                    }
                },
                Node::Mul(a, b) => {
                    let (value, other) = self.value_beside(a, b)?;
                    factor *= value;
                    other
                }
                Node::Div(a, b) => {
                    factor /= self.value_at(b)?;
                    a
                }
                _ => return None,
            };
        }
    }

    /// The rational one of two nodes, and the other one.
    fn value_beside(&self, a: u32, b: u32) -> Option<(Rational, u32)> {
        self.value_at(b).map(|value| (value, a)).or_else(|| self.value_at(a).map(|value| (value, b)))
    }
}

fn length(value: &Rational) -> usize {
    value.numerator().bit_len() + value.denominator().bit_len()
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::super::tape::Number;
    use super::*;

    /// The difference of a multiple of a root and a number has the sign that a comparison needs, on both sides of 0, with factors of both signs. A root is never a
    /// number below 0, also where the squares are equal.
    #[test]
    fn roots_and_numbers_are_told_by_their_difference() {
        for (factor, constant, radicand, other) in [
            (1, 0, 2, 1),
            (1, 0, 2, 2),
            (1, 0, 2, -1),
            (1, 0, 2, -2),
            (1, 0, 4, -2),
            (1, 0, 4, 2),
            (1, 3, 2, 4),
            (1, 3, 2, 5),
            (1, 3, 2, 0),
            (1, 3, 4, 1),
            (-1, 0, 2, 1),
            (-1, 0, 2, -1),
            (-1, 0, 2, -2),
            (-1, 0, 4, -2),
            (-1, 0, 4, 2),
            (-1, 3, 2, 1),
            (-1, 3, 2, 2),
            (-1, 3, 2, 9),
            (-1, 3, 4, 5),
            (-2, 0, 2, -2),
            (-2, 0, 2, -3),
            (2, 0, 2, 2),
            (2, 0, 2, 3),
            (0, 3, 2, 3),
            (0, 3, 2, 2),
            (0, 3, 2, 4),
        ] {
            let tape = &mut Tape::default();
            let radicand_number = tape.private(Rational::from(radicand));
            let root = tape.sqrt(radicand_number);
            let scaled = tape.mul(root, Number::point(f64::from(factor)));
            let sum = tape.add(scaled, Number::point(f64::from(constant)));
            let (sum, number) = (tape.place(sum), tape.place(Number::point(f64::from(other))));
            let exact =
                f64::from(factor) * f64::from(radicand).sqrt() + f64::from(constant) - f64::from(other);
            // Both ways around: what holds of a and b is the other way of b and a.
            for (a, b, exact) in [(sum, number, exact), (number, sum, -exact)] {
                let found = match tape.meeting(a, b) {
                    Some(Meeting::Equal) => Ordering::Equal,
                    Some(Meeting::Apart { difference, .. }) => {
                        let low = tape.enclose_form(&difference, 128).low().to_rational().unwrap();
                        if low > Rational::ZERO { Ordering::Greater } else { Ordering::Less }
                    }
                    None => panic!(
                        "{factor} √{radicand} + {constant} and {other} are not held against each other"
                    ),
                };
                let expected = exact.partial_cmp(&0.0).unwrap();
                assert_eq!(found, expected, "{factor} √{radicand} + {constant} and {other}");
            }
        }
    }
}
