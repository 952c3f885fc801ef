//! The numbers of one run: each an interval of doubles, and a node that says exactly which real number it is.
//!
//! The interval decides nearly always. When it does not, the node is refined (`refine`) or brought to normal form
//! (`normal`). Nodes are written in the order of computation, so an operand always stands before its result. A number
//! that is exactly a double needs no node: counters and integers cost nothing here.

use probity_exact::{Integer, Rational, directed, rational_from_f64};
use probity_noise::sampler::lazy::TwoWords;

use super::interval::{Interval, exact_product, exact_quotient, exact_sum};
use super::source::Prefix;

/// The node of a number that is exactly its double.
const POINT: u64 = u32::MAX as u64;

/// A number during a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number {
    pub(crate) interval: Interval,
    /// Its node; a point has none. Twice as wide as a place, because a number is copied by words: a load that is wider than the store
    /// before it waits for the memory.
    node: u64,
}

impl Number {
    pub(crate) const ZERO: Number = Number::point(0.0);

    /// Exactly this double, which is finite.
    #[inline(always)]
    pub(crate) const fn point(value: f64) -> Number {
        Number { interval: Interval { low: value, high: value }, node: POINT }
    }

    /// The double that the number is, if it is one.
    #[inline(always)]
    pub(crate) fn as_point(self) -> Option<f64> {
        (self.node == POINT).then_some(self.interval.low)
    }

    /// Whether it is known to be 0. Whatever 0 is divided by, it is 0: an interval around it would leave to the exact stage whether it is
    /// positive, as a root asks, and a private 0 could be told by the time that takes.
    #[inline(always)]
    fn is_zero(self) -> bool {
        self.interval.low == 0.0 && self.interval.high == 0.0
    }

    /// The place of its node, for a number that is not a point.
    #[inline(always)]
    fn place(self) -> u32 {
        self.node as u32
    }

    /// The same; `None` for a point.
    pub(super) fn own_place(self) -> Option<u32> {
        (self.node != POINT).then(|| self.place())
    }

    /// Whether both are known to be the same number, without looking at it.
    pub(crate) fn is_same(self, other: Number) -> bool {
        self.node == other.node && (self.node != POINT || self.interval.low == other.interval.low)
    }
}

/// Which real number a node is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Node {
    /// A double.
    Point(f64),
    /// A rational that is kept beside the nodes.
    Rational(u32),
    /// A draw.
    Draw(u32),
    Neg(u32),
    Add(u32, u32),
    Sub(u32, u32),
    Mul(u32, u32),
    /// The divisor is not 0.
    Div(u32, u32),
    /// The argument is positive.
    Ln(u32),
    Exp(u32),
    /// The argument is positive.
    Sqrt(u32),
}

/// A continuous law, before it is scaled and moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noise {
    /// U.
    Uniform,
    /// −ln U.
    Exponential,
    /// ±(−ln U), the sign beside it.
    Laplace {
        /// Whether the sign is −.
        negative: bool,
    },
    /// The polar method: V·√(−2 ln S / S) with S = V² + W² < 1, for V = 2U − 1 and W of a second uniform real.
    Gaussian,
}

/// center + scale · noise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draw {
    pub(crate) noise: Noise,
    /// The node of the center, if there is one.
    pub(crate) center: Option<u32>,
    /// The node of the scale, if there is one; it is positive.
    pub(crate) scale: Option<u32>,
    /// The words with which the uniform real began, or both of them for Gaussian noise.
    words: [u64; 2],
    /// The place, counted from 1, of the prefixes that stand in place of the words.
    prefixes: u32,
}

/// All nodes of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tape {
    nodes: Vec<Node>,
    rationals: Vec<Rational>,
    draws: Vec<Draw>,
    prefixes: Vec<[Prefix; 2]>,
}

/// How much of a tape was there before a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(super) nodes: usize,
    rationals: usize,
    draws: usize,
    prefixes: usize,
}

impl Tape {
    /// What is on the tape now, to come back to.
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            nodes: self.nodes.len(),
            rationals: self.rationals.len(),
            draws: self.draws.len(),
            prefixes: self.prefixes.len(),
        }
    }

    /// Forgets everything since the mark, before which there were no draws.
    #[inline]
    pub(crate) fn rewind(&mut self, mark: Mark) {
        self.nodes.truncate(mark.nodes);
        self.rationals.truncate(mark.rationals);
        self.draws.clear();
        self.prefixes.clear();
    }

    /// Forgets the nodes since a mark; of draws it forgets those made since, and nothing of what was learnt of others.
    pub(crate) fn forget(&mut self, mark: Mark) {
        self.nodes.truncate(mark.nodes);
        self.rationals.truncate(mark.rationals);
        let since = self.draws[mark.draws..].iter().filter(|draw| draw.prefixes != 0).count();
        if self.prefixes.len() == mark.prefixes + since {
            self.prefixes.truncate(mark.prefixes);
        }
        self.draws.truncate(mark.draws);
    }

    /// Bytes of nodes since a mark.
    #[inline(always)]
    pub(crate) fn bytes_since(&self, mark: Mark) -> usize {
        (self.nodes.len() - mark.nodes) * size_of::<Node>()
            + (self.rationals.len() - mark.rationals) * size_of::<Rational>()
    }

    /// How much there is room for.
    #[cfg(test)]
    pub(crate) fn room(&self) -> [usize; 4] {
        [self.nodes.capacity(), self.rationals.capacity(), self.draws.capacity(), self.prefixes.capacity()]
    }

    #[inline(always)]
    pub(super) fn push(&mut self, interval: Interval, node: Node) -> Number {
        let place = self.nodes.len() as u32;
        self.nodes.push(node);
        Number { interval, node: u64::from(place) }
    }

    /// The place of a number's node.
    #[inline(always)]
    pub(crate) fn place(&mut self, number: Number) -> u32 {
        match number.node {
            POINT => self.push(number.interval, Node::Point(number.interval.low)).place(),
            _ => number.place(),
        }
    }

    /// How much memory all of it takes, but for what long numbers have elsewhere.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>()
            + self.draws.len() * size_of::<Draw>()
            + self.prefixes.len() * size_of::<[Prefix; 2]>()
            + self.rationals.len() * size_of::<Rational>()
    }

    pub(crate) fn node(&self, place: u32) -> Node {
        self.nodes[place as usize]
    }

    pub(crate) fn rational_at(&self, place: u32) -> &Rational {
        &self.rationals[place as usize]
    }

    pub(crate) fn draw_at(&self, place: u32) -> &Draw {
        &self.draws[place as usize]
    }

    /// A number of a private input that may be any real: with a node, also where it is a double, so that runs take the same steps for all.
    pub(crate) fn private(&mut self, value: Rational) -> Number {
        let number = self.rational(value);
        match number.as_point() {
            Some(point) => self.push(number.interval, Node::Point(point)),
            None => number,
        }
    }

    /// A rational number.
    pub(crate) fn rational(&mut self, value: Rational) -> Number {
        let interval = Interval { low: directed::cast_down(&value), high: directed::cast_up(&value) };
        if interval.is_point() && interval.low.is_finite() {
            return Number::point(interval.low);
        }
        self.rationals.push(value);
        self.push(interval, Node::Rational(self.rationals.len() as u32 - 1))
    }

    /// An integer.
    pub(crate) fn integer(&mut self, value: Integer) -> Number {
        match i32::try_from(&value) {
            Ok(small) => Number::point(f64::from(small)),
            Err(_) => self.rational(Rational::from(value)),
        }
    }

    #[inline(always)]
    pub(crate) fn neg(&mut self, a: Number) -> Number {
        match a.as_point() {
            Some(value) => Number::point(-value),
            None => self.push(a.interval.neg(), Node::Neg(a.place())),
        }
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, a: Number, b: Number) -> Number {
        if let (Some(x), Some(y)) = (a.as_point(), b.as_point())
            && let Some(sum) = exact_sum(x, y)
        {
            return Number::point(sum);
        }
        let (left, right) = (self.place(a), self.place(b));
        self.push(a.interval.add(b.interval), Node::Add(left, right))
    }

    #[inline(always)]
    pub(crate) fn sub(&mut self, a: Number, b: Number) -> Number {
        if let (Some(x), Some(y)) = (a.as_point(), b.as_point())
            && let Some(difference) = exact_sum(x, -y)
        {
            return Number::point(difference);
        }
        let (left, right) = (self.place(a), self.place(b));
        self.push(a.interval.add(b.interval.neg()), Node::Sub(left, right))
    }

    #[inline(always)]
    pub(crate) fn mul(&mut self, a: Number, b: Number) -> Number {
        if let (Some(x), Some(y)) = (a.as_point(), b.as_point())
            && let Some(product) = exact_product(x, y)
        {
            return Number::point(product);
        }
        let (left, right) = (self.place(a), self.place(b));
        self.push(a.interval.mul(b.interval), Node::Mul(left, right))
    }

    /// a / b, for b that is known not to be 0.
    #[inline(always)]
    pub(crate) fn div(&mut self, a: Number, b: Number) -> Number {
        if let (Some(x), Some(y)) = (a.as_point(), b.as_point())
            && let Some(quotient) = exact_quotient(x, y)
        {
            return Number::point(quotient);
        }
        if a.is_zero() {
            return Number::ZERO;
        }
        let (left, right) = (self.place(a), self.place(b));
        self.push(a.interval.div(b.interval), Node::Div(left, right))
    }

    /// ln a, for a that is known to be positive.
    pub(crate) fn ln(&mut self, a: Number) -> Number {
        if a.as_point() == Some(1.0) {
            return Number::ZERO;
        }
        // An end at or below 0 is no member, so below it there is no bound.
        let low = if a.interval.low > 0.0 { directed::ln_down(a.interval.low) } else { f64::NEG_INFINITY };
        let high = if a.interval.high > 0.0 { directed::ln_up(a.interval.high) } else { f64::INFINITY };
        let argument = self.place(a);
        self.push(Interval { low, high }, Node::Ln(argument))
    }

    pub(crate) fn exp(&mut self, a: Number) -> Number {
        if a.as_point() == Some(0.0) {
            return Number::point(1.0);
        }
        let argument = self.place(a);
        self.push(a.interval.exp(), Node::Exp(argument))
    }

    /// √a, for a that is known to be positive.
    pub(crate) fn sqrt(&mut self, a: Number) -> Number {
        if let Some(value) = a.as_point() {
            let root = value.sqrt();
            if exact_product(root, root) == Some(value) {
                return Number::point(root);
            }
        }
        let low = directed::sqrt_down(a.interval.low.max(0.0));
        let high = directed::sqrt_up(a.interval.high.max(0.0));
        let argument = self.place(a);
        self.push(Interval { low, high }, Node::Sqrt(argument))
    }

    /// center + scale · noise, with the words that the noise began with. `unit` encloses the noise without its sign.
    #[inline(always)]
    pub(crate) fn draw(
        &mut self,
        noise: Noise,
        center: Option<Number>,
        scale: Option<Number>,
        unit: Interval,
        words: [u64; 2],
    ) -> Number {
        let place = self.draws.len() as u32;
        let center_place = center.map(|number| self.place(number));
        let scale_place = scale.map(|number| self.place(number));
        self.draws.push(Draw { noise, center: center_place, scale: scale_place, words, prefixes: 0 });
        let size = match (scale, noise) {
            (None, _) => unit,
            // A scale is positive, and so is noise without its sign.
            (Some(scale), Noise::Gaussian) => unit.mul(scale.interval),
            (Some(scale), _) => unit.mul_positive(scale.interval),
        };
        let scaled = if noise == (Noise::Laplace { negative: true }) { size.neg() } else { size };
        let interval = center.map_or(scaled, |center| scaled.add(center.interval));
        self.push(interval, Node::Draw(place))
    }

    /// The same, with the prefixes known so far.
    pub(crate) fn draw_from(
        &mut self,
        noise: Noise,
        center: Option<Number>,
        scale: Option<Number>,
        unit: Interval,
        prefixes: [Prefix; 2],
    ) -> Number {
        let number = self.draw(noise, center, scale, unit, [0; 2]);
        self.prefixes.push(prefixes);
        let place = self.prefixes.len() as u32;
        if let Some(draw) = self.draws.last_mut() {
            draw.prefixes = place;
        }
        number
    }

    /// What is known of the uniform reals of a draw.
    pub(crate) fn known(&self, place: u32) -> [Prefix; 2] {
        let draw = &self.draws[place as usize];
        match draw.prefixes {
            0 if draw.noise == Noise::Gaussian => draw.words.map(Prefix::of_word),
            0 => {
                let words = TwoWords { leading: draw.words[0], mantissa: draw.words[1] };
                [Prefix::of_two(words), Prefix::unknown()]
            }
            at => self.prefixes[at as usize - 1].clone(),
        }
    }

    /// Puts down what has become known.
    pub(crate) fn learn(&mut self, place: u32, known: [Prefix; 2]) {
        match self.draws[place as usize].prefixes {
            0 => {
                self.prefixes.push(known);
                self.draws[place as usize].prefixes = self.prefixes.len() as u32;
            }
            at => self.prefixes[at as usize - 1] = known,
        }
    }

    /// The operands of a node.
    pub(crate) fn operands(&self, place: u32) -> [Option<u32>; 2] {
        match self.node(place) {
            Node::Point(_) | Node::Rational(_) => [None, None],
            Node::Draw(draw) => {
                let draw = self.draw_at(draw);
                [draw.center, draw.scale]
            }
            Node::Neg(a) | Node::Ln(a) | Node::Exp(a) | Node::Sqrt(a) => [Some(a), None],
            Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) | Node::Div(a, b) => [Some(a), Some(b)],
        }
    }

    /// All nodes that some nodes are made of, themselves included, each after its operands. Takes no stack.
    pub(crate) fn below(&self, roots: &[u32]) -> Vec<u32> {
        let mut open = roots.to_vec();
        let mut seen = std::collections::BTreeSet::new();
        while let Some(place) = open.pop() {
            if seen.insert(place) {
                open.extend(self.operands(place).into_iter().flatten());
            }
        }
        seen.into_iter().collect()
    }

    /// The number, if it is made of rationals.
    pub(crate) fn value(&self, number: Number) -> Option<Rational> {
        match number.as_point() {
            Some(point) => rational_from_f64(point),
            None => self.value_at(number.place()),
        }
    }

    pub(super) fn value_at(&self, place: u32) -> Option<Rational> {
        match self.leaf(place) {
            Some(value) => Some(value),
            None => self.values_at(&[place])?.pop(),
        }
    }

    /// The number that a node is by itself.
    pub(super) fn leaf(&self, place: u32) -> Option<Rational> {
        match self.node(place) {
            Node::Point(point) => rational_from_f64(point),
            Node::Rational(at) => Some(self.rational_at(at).clone()),
            _ => None,
        }
    }

    /// The numbers of some nodes, if they are made of rationals; what they share is computed once.
    pub(super) fn values_at(&self, places: &[u32]) -> Option<Vec<Rational>> {
        let needed = self.below(places);
        let mut values: std::collections::BTreeMap<u32, Rational> = std::collections::BTreeMap::new();
        for at in needed {
            let value = match self.node(at) {
                Node::Point(_) | Node::Rational(_) => self.leaf(at)?,
                Node::Draw(_) | Node::Ln(_) | Node::Exp(_) | Node::Sqrt(_) => return None,
                Node::Neg(a) => -values.get(&a)?.clone(),
                Node::Add(a, b) => values.get(&a)? + values.get(&b)?,
                Node::Sub(a, b) => values.get(&a)? - values.get(&b)?,
                Node::Mul(a, b) => values.get(&a)? * values.get(&b)?,
                Node::Div(a, b) => values.get(&a)? / values.get(&b)?,
            };
            values.insert(at, value);
        }
        places.iter().map(|place| values.get(place).cloned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_of_0_are_0() {
        let mut tape = Tape::default();
        let (private, other) = (tape.private(Rational::ZERO), tape.private(Rational::ONE));
        for zero in [Number::ZERO, private] {
            assert_eq!(tape.div(zero, other).as_point(), Some(0.0));
        }
        // What is only close to 0 is not.
        let close = tape.add(other, Number::point(-1.0));
        assert_eq!(tape.div(close, other).as_point(), None);
        assert_eq!(tape.div(other, other).as_point(), None);
    }
}
