//! Terms of a long sum that are no rationals, in little memory: expressions of one shape share it, and a term is the numbers in its
//! shape. A million different losses of one mechanism take a hundred bytes each instead of a tree each. Nothing is lost.

use std::collections::HashMap;

use probity_exact::{Integer, Natural, Rational};

use super::sum::count;
use crate::map::Expression;

/// An expression, and the distance at which it is taken.
pub(super) type Key = (Expression, Rational);

/// Terms, and how often each was added.
#[derive(Debug, Clone, Default)]
pub(super) struct Terms {
    /// Expressions with 0 for every number, and their places in the list.
    places: HashMap<Expression, usize>,
    shapes: Vec<Expression>,
    /// The place of the shape of the last term: the next one often has the same.
    last: usize,
    /// The place of the shape and the bytes of its numbers, the distance first.
    counts: HashMap<(usize, Box<[u8]>), u64>,
}

impl Terms {
    /// Adds a term.
    pub(super) fn add(&mut self, (expression, distance): &Key) {
        let mut bytes = Vec::new();
        write(distance, &mut bytes);
        let start = bytes.len();
        if let Some(shape) = self.shapes.get(self.last)
            && expression.has_shape(shape, &mut |number| write(number, &mut bytes))
        {
            return count(self.counts.entry((self.last, bytes.into())).or_default());
        }
        bytes.truncate(start);
        let shape = expression.map_numbers(&mut |number| {
            write(number, &mut bytes);
            Rational::ZERO
        });
        let place = match self.places.get(&shape) {
            Some(place) => *place,
            None => {
                self.shapes.push(shape.clone());
                *self.places.entry(shape).or_insert(self.shapes.len() - 1)
            }
        };
        self.last = place;
        count(self.counts.entry((place, bytes.into())).or_default());
    }

    /// Each term, and how often it was added.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Key, u64)> {
        self.counts.iter().map(|((place, bytes), times)| {
            let mut rest = &bytes[..];
            let distance = read(&mut rest);
            ((self.shapes[*place].map_numbers(&mut |_| read(&mut rest)), distance), *times)
        })
    }
}

/// Appends a number: numerator and denominator, each after its length.
fn write(number: &Rational, bytes: &mut Vec<u8>) {
    for part in [number.numerator().to_le_bytes(), number.denominator().to_le_bytes()] {
        // Lengths in groups of seven bits, the last without the eighth.
        let mut length = part.len();
        while length > 0x7f {
            bytes.push(length as u8 | 0x80);
            length >>= 7;
        }
        bytes.push(length as u8);
        bytes.extend_from_slice(&part);
    }
}

/// The number at the beginning, which is taken away. There is one: what is read was written by [`write`].
fn read(bytes: &mut &[u8]) -> Rational {
    let mut part = || {
        let (mut length, mut shift) = (0, 0);
        while let Some((first, rest)) = bytes.split_first() {
            *bytes = rest;
            length |= usize::from(first & 0x7f) << shift;
            shift += 7;
            if first & 0x80 == 0 {
                break;
            }
        }
        let (part, rest) = bytes.split_at(length);
        *bytes = rest;
        part
    };
    let numerator = Integer::from_le_bytes(part());
    Rational::from_parts(numerator, Natural::from_le_bytes(part()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    #[test]
    fn what_was_added_comes_back() {
        let long = Rational::from_parts((Integer::ONE << 3000) + 1, (Natural::ONE << 5000) + Natural::ONE);
        let numbers = [
            Rational::ZERO,
            rational(-7, 3).unwrap(),
            rational(255, 1).unwrap(),
            rational(-128, 127).unwrap(),
            -long.clone(),
            long,
        ];
        let mut terms = Terms::default();
        let mut expected: HashMap<Key, u64> = HashMap::new();
        for a in &numbers {
            for b in &numbers {
                let first = Expression::parameter("a", a.clone());
                let shapes = [
                    first.clone() / Expression::constant(b.clone()) + Expression::distance_in(),
                    Expression::parameter("b", a.clone()) / Expression::constant(b.clone())
                        + Expression::distance_in(),
                    Expression::zero_at_zero(first.ln()),
                ];
                for expression in shapes {
                    let key = (expression, b.clone());
                    terms.add(&key);
                    terms.add(&key);
                    *expected.entry(key).or_default() += 2;
                }
            }
        }
        // The second differs from the first by a name alone.
        assert_eq!(terms.shapes.len(), 3);
        assert_eq!(terms.iter().collect::<HashMap<Key, u64>>(), expected);
    }
}
