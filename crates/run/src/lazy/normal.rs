//! Normal forms: whether two nodes are the same function of the draws.
//!
//! A node is brought to a quotient of sums of terms
//!
//! q · y₁^a · y₂^b ⋯ · ln(p) · exp(e)
//!
//! with a rational q, draws yᵢ, at most one logarithm, of a rational or of a polynomial of degree 1 in the draws, and the
//! exponential of a polynomial e. Without exponentials, or without logarithms, such a sum vanishes on a set of positive
//! probability only if it vanishes term by term, after logarithms of rationals have been compared exactly:
//! - it is an analytic function of independent draws that have densities, so it vanishes with probability 0 or
//!   identically;
//! - logarithms of different monic polynomials of degree 1 (which are irreducible) are algebraically independent of each
//!   other and of the draws (Kolchin, Ostrowski); exponentials of polynomials that do not differ by a constant are
//!   linearly independent over the rational functions;
//! - the coefficients that are left are q₀ + Σ qᵢ ln rᵢ, zero only if q₀ = 0 and Π rᵢ^qᵢ = 1 (Lindemann), or
//!   Σ qᵢ exp(cᵢ) with different rationals cᵢ, zero only if every qᵢ is (Lindemann, Weierstrass).
//!
//! What does not fit is `None` here, and `program::decidable` refuses a text that would ask for it.

use std::collections::BTreeMap;
use std::rc::Rc;

use probity_exact::{Abs, BitTest, Format, Integer, Natural, Rational, UnsignedAbs, rational_from_f64};

use super::refine::{GUARD_BITS, Wide, unit};
use super::tape::{Node, Tape};

/// A product of two sums with more terms than this is not written out. `program::sizes` refuses texts that might have one.
pub(crate) const MOST_TERMS: usize = 20_000;

/// Draws with their powers, in order.
type Powers = Vec<(u32, u32)>;

/// The argument of a logarithm.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Log {
    /// A positive rational.
    Constant(Rational),
    /// A polynomial of degree 1 whose leading coefficient is 1 or −1.
    Affine(Rc<Poly>),
}

/// A term without its coefficient.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Monomial {
    powers: Powers,
    log: Option<Log>,
    /// The exponent of an exponential, not 0.
    exponent: Option<Rc<Poly>>,
}

/// A sum of terms, without terms that are 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Poly(BTreeMap<Monomial, Rational>);

/// A quotient of sums.
#[derive(Clone, Debug)]
pub(crate) struct Quotient {
    above: Poly,
    below: Poly,
}

impl Tape {
    /// The normal form of a node.
    pub(crate) fn normal_form(&self, place: u32) -> Option<Quotient> {
        self.normal_forms(&[place])?.pop()
    }

    /// An enclosure of a normal form. What cancels in a chain of operations is gone from it, so that no bits are lost by that, however large the
    /// numbers are for some inputs.
    pub(crate) fn enclose_form(&self, form: &Quotient, bits: usize) -> Wide {
        let format = Format::wide(u32::try_from(bits + GUARD_BITS).unwrap_or(u32::MAX));
        let mut atoms = BTreeMap::new();
        for poly in [&form.above, &form.below] {
            poly.for_each_draw(&mut |draw| {
                atoms.entry(draw).or_insert_with(|| self.atom(draw, bits, format));
            });
        }
        let above = form.above.enclosed(&atoms, format);
        match form.below == Poly::number(Rational::ONE) {
            true => above,
            false => {
                above.checked_div(&form.below.enclosed(&atoms, format)).unwrap_or(Wide::everything(format))
            }
        }
    }

    /// What stands for a draw in normal forms: its noise, with a scale that is not made of draws.
    fn atom(&self, draw: u32, bits: usize, format: Format) -> Wide {
        let record = self.draw_at(draw);
        let noise = unit(record.noise, &self.known(draw), format);
        match record.scale {
            Some(scale) if self.known_bits(&[scale]).is_none() => {
                let scale = match self.value_at(scale) {
                    Some(value) => Some(Wide::around(&value, format)),
                    None => self.enclose(&[scale], bits).pop(),
                };
                noise * scale.unwrap_or(Wide::everything(format))
            }
            _ => noise,
        }
    }

    pub(super) fn normal_forms(&self, roots: &[u32]) -> Option<Vec<Quotient>> {
        let places = self.below(roots);
        // How often each node is read: a long sum is handed on from node to node and not copied.
        let mut reads: BTreeMap<u32, usize> = BTreeMap::new();
        let read = places.iter().flat_map(|place| self.operands(*place).into_iter().flatten());
        read.chain(roots.iter().copied()).for_each(|at| *reads.entry(at).or_default() += 1);
        let mut forms = Forms { known: BTreeMap::new(), drawn: BTreeMap::new(), reads };
        for place in places {
            let is_draw = matches!(self.node(place), Node::Draw(_));
            let below =
                self.operands(place).into_iter().flatten().any(|at| forms.drawn.get(&at) == Some(&true));
            forms.drawn.insert(place, is_draw || below);
            // A constant scale need not have a normal form itself.
            if let Some(form) = self.form(place, &mut forms) {
                forms.known.insert(place, form);
            }
        }
        roots.iter().map(|root| forms.take(*root)).collect()
    }

    fn form(&self, place: u32, forms: &mut Forms) -> Option<Quotient> {
        match self.node(place) {
            Node::Point(point) => Some(Quotient::of(Poly::number(rational_from_f64(point)?))),
            Node::Rational(at) => Some(Quotient::of(Poly::number(self.rational_at(at).clone()))),
            Node::Neg(a) => Some(forms.take(a)?.scaled(&-Rational::ONE)),
            Node::Add(a, b) => forms.take(a)?.combine(forms.take(b)?, Rational::ONE),
            Node::Sub(a, b) => forms.take(a)?.combine(forms.take(b)?, -Rational::ONE),
            Node::Mul(a, b) => forms.take(a)?.times(&forms.take(b)?),
            Node::Div(a, b) => {
                let above = forms.take(a)?;
                let Quotient { above: over, below } = forms.take(b)?;
                above.times(&Quotient { above: below, below: over })
            }
            Node::Ln(a) => forms.take(a)?.polynomial()?.ln().map(Quotient::of),
            Node::Exp(a) => forms.take(a)?.polynomial()?.exp().map(Quotient::of),
            Node::Sqrt(_) => None,
            Node::Draw(draw) => {
                let record = self.draw_at(draw);
                let noise = Quotient::of(Poly::draw(draw));
                let scaled = match record.scale {
                    Some(scale) if forms.drawn.get(&scale) == Some(&true) => {
                        forms.take(scale)?.times(&noise)?
                    }
                    _ => noise,
                };
                match record.center {
                    None => Some(scaled),
                    Some(center) => forms.take(center)?.combine(scaled, Rational::ONE),
                }
            }
        }
    }
}

/// The normal forms of nodes, while they are made.
struct Forms {
    known: BTreeMap<u32, Quotient>,
    /// Whether a node is made of draws: a scale that is not leaves its noise an atom, whatever number it is.
    drawn: BTreeMap<u32, bool>,
    /// How often a node will still be read.
    reads: BTreeMap<u32, usize>,
}

impl Forms {
    /// The form of a node; the last to read it has it for its own.
    fn take(&mut self, place: u32) -> Option<Quotient> {
        let left = self.reads.get_mut(&place)?;
        *left = left.saturating_sub(1);
        if *left == 0 { self.known.remove(&place) } else { self.known.get(&place).cloned() }
    }
}

impl Quotient {
    /// The same after logarithms of rationals have been compared: what is left of it is 0 if no term is.
    pub(super) fn settled(self) -> Option<Quotient> {
        Some(Quotient { above: self.above.without_equal_logs()?, below: self.below.without_equal_logs()? })
    }

    /// Whether no term is left.
    pub(super) fn is_zero(&self) -> bool {
        self.above.0.is_empty()
    }

    /// Its coefficients are above 2^−bits.
    pub(super) fn small_bits(&self) -> usize {
        self.above.small_bits() + self.below.small_bits()
    }

    /// A rational number.
    pub(super) fn number(value: Rational) -> Quotient {
        Quotient::of(Poly::number(value))
    }

    fn of(above: Poly) -> Quotient {
        Quotient { above, below: Poly::number(Rational::ONE) }
    }

    /// The same with the divisor 1 if it is a number.
    fn reduced(above: Poly, below: Poly) -> Quotient {
        match below.constant() {
            Some(number) if !number.is_zero() && number != Rational::ONE => {
                let factor = Rational::ONE / number;
                Quotient::of(above.scaled(&factor))
            }
            _ => Quotient { above, below },
        }
    }

    /// What stands in it without draws, logarithms and exponentials; `None` for a quotient by more than a number.
    pub(super) fn constant_term(&self) -> Option<Rational> {
        let is_sum = self.below == Poly::number(Rational::ONE);
        is_sum.then(|| self.above.0.get(&Monomial::default()).cloned().unwrap_or(Rational::ZERO))
    }

    pub(super) fn scaled(self, by: &Rational) -> Quotient {
        Quotient { above: self.above.scaled(by), below: self.below }
    }

    /// self + by · other
    pub(super) fn combine(self, other: Quotient, by: Rational) -> Option<Quotient> {
        if self.below == other.below {
            let added = if by == Rational::ONE { other.above } else { other.above.scaled(&by) };
            return Some(Quotient { above: self.above.joined(added), below: self.below });
        }
        let above = self.above.times(&other.below)?.plus(&other.above.times(&self.below)?.scaled(&by));
        Some(Quotient::reduced(above, self.below.times(&other.below)?))
    }

    fn times(&self, other: &Quotient) -> Option<Quotient> {
        Some(Quotient::reduced(self.above.times(&other.above)?, self.below.times(&other.below)?))
    }

    /// The polynomial in the draws that this is.
    fn polynomial(&self) -> Option<&Poly> {
        let plain = self.above.0.keys().all(|term| term.log.is_none() && term.exponent.is_none());
        (plain && self.below == Poly::number(Rational::ONE)).then_some(&self.above)
    }
}

impl Poly {
    fn number(value: Rational) -> Poly {
        Poly::term(Monomial::default(), value)
    }

    fn draw(draw: u32) -> Poly {
        Poly::term(Monomial { powers: vec![(draw, 1)], ..Monomial::default() }, Rational::ONE)
    }

    fn term(monomial: Monomial, coefficient: Rational) -> Poly {
        let mut poly = Poly::default();
        poly.add(monomial, coefficient);
        poly
    }

    fn add(&mut self, monomial: Monomial, coefficient: Rational) {
        if coefficient.is_zero() {
            return;
        }
        match self.0.entry(monomial) {
            std::collections::btree_map::Entry::Vacant(place) => {
                place.insert(coefficient);
            }
            std::collections::btree_map::Entry::Occupied(mut place) => {
                *place.get_mut() += coefficient;
                if place.get().is_zero() {
                    place.remove();
                }
            }
        }
    }

    /// The number that this is.
    fn constant(&self) -> Option<Rational> {
        match self.0.len() {
            0 => Some(Rational::ZERO),
            1 => self.0.get(&Monomial::default()).cloned(),
            _ => None,
        }
    }

    fn scaled(&self, by: &Rational) -> Poly {
        match by.is_zero() {
            true => Poly::default(),
            false => Poly(self.0.iter().map(|(term, q)| (term.clone(), q * by)).collect()),
        }
    }

    fn plus(&self, other: &Poly) -> Poly {
        self.clone().joined(other.clone())
    }

    /// The sum of two; the terms of the shorter one join those of the longer one.
    fn joined(self, other: Poly) -> Poly {
        let (mut sum, less) = if self.0.len() < other.0.len() { (other, self) } else { (self, other) };
        less.0.into_iter().for_each(|(term, q)| sum.add(term, q));
        sum
    }

    fn times(&self, other: &Poly) -> Option<Poly> {
        let (a, b) = (self.0.len(), other.0.len());
        if a > 1 && b > 1 && a.saturating_mul(b) > MOST_TERMS {
            return None;
        }
        let mut product = Poly::default();
        for (a, p) in &self.0 {
            for (b, q) in &other.0 {
                product.add(a.times(b)?, p * q);
            }
        }
        Some(product)
    }

    /// ln of this, which is positive.
    fn ln(&self) -> Option<Poly> {
        let log = |log: Log| Poly::term(Monomial { log: Some(log), ..Monomial::default() }, Rational::ONE);
        let constant = |value: Rational| match value == Rational::ONE {
            true => Poly::default(),
            false => log(Log::Constant(value)),
        };
        if let Some(value) = self.constant() {
            return (value > Rational::ZERO).then(|| constant(value));
        }
        let degree = |term: &Monomial| term.powers.iter().map(|(_, power)| *power).sum::<u32>();
        if self.0.keys().any(|term| degree(term) > 1) {
            return None;
        }
        let leading = self.0.iter().find(|(term, _)| degree(term) == 1)?.1.clone().abs();
        let monic = self.scaled(&(Rational::ONE / &leading));
        Some(constant(leading).plus(&log(Log::Affine(Rc::new(monic)))))
    }

    /// exp of this.
    fn exp(&self) -> Option<Poly> {
        let exponent = (!self.0.is_empty()).then(|| Rc::new(self.clone()));
        Some(Poly::term(Monomial { exponent, ..Monomial::default() }, Rational::ONE))
    }

    /// The same function with logarithms of rationals gone where they cancel; `None` where logarithms and exponentials
    /// stand together.
    fn without_equal_logs(self) -> Option<Poly> {
        let has = |of: fn(&Monomial) -> bool| self.0.keys().any(of);
        if !has(|term| term.log.is_some()) {
            return Some(self);
        }
        if has(|term| term.exponent.is_some()) {
            return None;
        }
        let mut kept = Poly::default();
        let mut logs: BTreeMap<Powers, Vec<(Rational, Rational)>> = BTreeMap::new();
        for (term, q) in self.0 {
            match &term.log {
                Some(Log::Constant(argument)) => {
                    logs.entry(term.powers.clone()).or_default().push((q, argument.clone()));
                }
                _ => kept.add(term, q),
            }
        }
        for (powers, sum) in logs {
            if !is_zero_sum_of_logs(&sum) {
                for (q, argument) in sum {
                    let log = Some(Log::Constant(argument));
                    kept.add(Monomial { powers: powers.clone(), log, exponent: None }, q);
                }
            }
        }
        Some(kept)
    }
}

impl Poly {
    fn for_each_draw(&self, each: &mut impl FnMut(u32)) {
        for term in self.0.keys() {
            term.powers.iter().for_each(|(draw, _)| each(*draw));
            let log = match &term.log {
                Some(Log::Affine(argument)) => Some(argument),
                _ => None,
            };
            // Neither has logarithms or exponentials of its own.
            for inner in log.into_iter().chain(&term.exponent) {
                inner.0.keys().for_each(|term| term.powers.iter().for_each(|(draw, _)| each(*draw)));
            }
        }
    }

    fn enclosed(&self, atoms: &BTreeMap<u32, Wide>, format: Format) -> Wide {
        let everything = Wide::everything(format);
        let number = |value: &Rational| Wide::around(value, format);
        let term = |term: &Monomial, q: &Rational| {
            let mut product = number(q);
            for (draw, power) in &term.powers {
                product = product * raised(atoms.get(draw).unwrap_or(&everything), *power);
            }
            let log = term.log.as_ref().map(|log| match log {
                Log::Constant(argument) => number(argument).ln(),
                Log::Affine(argument) => argument.enclosed(atoms, format).ln(),
            });
            if let Some(log) = log {
                product = product * log.unwrap_or(everything.clone());
            }
            match &term.exponent {
                Some(exponent) => product * exponent.enclosed(atoms, format).exp(),
                None => product,
            }
        };
        self.0.iter().fold(number(&Rational::ZERO), |sum, (monomial, q)| sum + term(monomial, q))
    }

    /// Bits after the point that every coefficient has more than: each is a sum of rationals, logarithms of rationals or exponentials of them,
    /// and is not 0, so more and more bits will tell it from 0.
    fn small_bits(&self) -> usize {
        let mut coefficients: BTreeMap<Monomial, Vec<(&Monomial, &Rational)>> = BTreeMap::new();
        for (term, q) in &self.0 {
            coefficients.entry(term.without_numbers()).or_default().push((term, q));
        }
        coefficients.values().map(|sum| small_bits(sum)).max().unwrap_or(0)
    }
}

fn raised(base: &Wide, power: u32) -> Wide {
    match power {
        0 => Wide::around(&Rational::ONE, base.precision()),
        1 => base.clone(),
        even if even % 2 == 0 => raised(base, even / 2).square(),
        odd => raised(base, odd - 1) * base.clone(),
    }
}

/// Bits after the point that a sum, which is not 0, has more than.
fn small_bits(sum: &[(&Monomial, &Rational)]) -> usize {
    let mut precision = 128;
    loop {
        let format = Format::wide(precision);
        let everything = Wide::everything(format);
        let term = |term: &Monomial, q: &Rational| {
            let number = |value: &Rational| Wide::around(value, format);
            let value = match (&term.log, &term.exponent) {
                (Some(Log::Constant(argument)), _) => number(argument).ln().unwrap_or(everything.clone()),
                (_, Some(exponent)) => match exponent.0.get(&Monomial::default()) {
                    Some(constant) => number(constant).exp(),
                    None => number(&Rational::ONE),
                },
                _ => number(&Rational::ONE),
            };
            value * number(q)
        };
        let zero = Wide::around(&Rational::ZERO, format);
        let total = sum.iter().fold(zero, |total, (monomial, q)| total + term(monomial, q));
        let ends = (total.low().to_rational(), total.high().to_rational());
        if let ((Some(low), Some(high)), false) = (ends, total.contains_zero()) {
            let nearest = if low > Rational::ZERO { low } else { high };
            return nearest.denominator().bit_len().saturating_sub(nearest.numerator().bit_len()) + 1;
        }
        precision = precision.saturating_mul(2);
    }
}

impl Monomial {
    /// What is left of it without the numbers that are part of its coefficient.
    fn without_numbers(&self) -> Monomial {
        let log = self.log.clone().filter(|log| matches!(log, Log::Affine(_)));
        let exponent = self.exponent.as_ref().map(|exponent| {
            let mut rest = Poly::clone(exponent);
            rest.0.remove(&Monomial::default());
            rest
        });
        let exponent = exponent.filter(|rest| !rest.0.is_empty()).map(Rc::new);
        Monomial { powers: self.powers.clone(), log, exponent }
    }

    fn times(&self, other: &Monomial) -> Option<Monomial> {
        let log = match (&self.log, &other.log) {
            (Some(_), Some(_)) => return None,
            (one, another) => one.clone().or(another.clone()),
        };
        let exponent = match (&self.exponent, &other.exponent) {
            (Some(a), Some(b)) => Some(a.plus(b)).filter(|sum| !sum.0.is_empty()).map(Rc::new),
            (one, another) => one.clone().or(another.clone()),
        };
        let mut powers: BTreeMap<u32, u32> = self.powers.iter().copied().collect();
        for (draw, power) in &other.powers {
            let entry = powers.entry(*draw).or_insert(0);
            *entry = entry.checked_add(*power)?;
        }
        Some(Monomial { powers: powers.into_iter().collect(), log, exponent })
    }
}

/// Whether Σ q · ln r = 0, for positive rationals r: numerators and denominators are written as products of pairwise
/// coprime numbers, whose logarithms are linearly independent over the rationals.
fn is_zero_sum_of_logs(sum: &[(Rational, Rational)]) -> bool {
    let parts: Vec<(Rational, Natural)> = sum
        .iter()
        .flat_map(|(q, r)| [(q.clone(), r.numerator().unsigned_abs()), (-q.clone(), r.denominator().clone())])
        .collect();
    let base = coprime_base(parts.iter().map(|(_, number)| number.clone()).collect());
    base.iter().all(|factor| {
        let total = parts.iter().fold(Rational::ZERO, |total, (q, number)| {
            let (mut left, mut count) = (number.clone(), 0u32);
            while (&left % factor) == Natural::ZERO {
                left /= factor;
                count += 1;
            }
            total + q * Rational::from(count)
        });
        total.is_zero()
    })
}

/// Pairwise coprime numbers above 1 of which all the given ones are products.
fn coprime_base(mut open: Vec<Natural>) -> Vec<Natural> {
    let mut base: Vec<Natural> = Vec::new();
    while let Some(number) = open.pop() {
        if number <= Natural::ONE {
            continue;
        }
        let common = base.iter().position(|known| gcd(known, &number) != Natural::ONE);
        match common {
            None => base.push(number),
            Some(at) => {
                let known = base.swap_remove(at);
                let shared = gcd(&known, &number);
                open.extend([&known / &shared, number / &shared, shared]);
            }
        }
    }
    base
}

fn gcd(a: &Natural, b: &Natural) -> Natural {
    let (mut a, mut b) = (a.clone(), b.clone());
    while b != Natural::ZERO {
        (a, b) = (b.clone(), a % b);
    }
    a
}

/// The integer nearest to a rational, ties to the even one.
pub(crate) fn nearest(value: &Rational) -> Integer {
    let doubled = value * Rational::from(2);
    let below = value.floor();
    let odd_half = doubled.is_int() && !value.is_int();
    match odd_half {
        true if (&below % Integer::from(2)) == Integer::ZERO => below,
        true => below + Integer::ONE,
        false => (value + Rational::ONE / Rational::from(2)).floor(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::interval::Interval;
    use super::super::meeting::Meeting;
    use super::super::tape::{Noise, Number};
    use super::*;
    use probity_exact::rational;

    fn ratio(n: i64, d: i64) -> Rational {
        rational(n, d).unwrap()
    }

    fn fresh(tape: &mut Tape) -> Number {
        tape.draw(Noise::Exponential, None, None, Interval::EVERYTHING, [1 << 63, 0])
    }

    fn equal(tape: &mut Tape, a: Number, b: Number) -> Option<bool> {
        let (a, b) = (tape.place(a), tape.place(b));
        tape.meeting(a, b).map(|meeting| matches!(meeting, Meeting::Equal))
    }

    #[test]
    fn polynomials_that_are_equal_are_equal() {
        let tape = &mut Tape::default();
        let (y, z) = (fresh(tape), fresh(tape));
        // (y + z)² = y² + 2yz + z²
        let sum = tape.add(y, z);
        let left = tape.mul(sum, sum);
        let (yy, yz, zz) = (tape.mul(y, y), tape.mul(y, z), tape.mul(z, z));
        let double = tape.add(yz, yz);
        let partial = tape.add(yy, double);
        let right = tape.add(partial, zz);
        assert_eq!(equal(tape, left, right), Some(true));
        assert_eq!(equal(tape, left, partial), Some(false));
        // (y² − z²) / (y − z) = y + z
        let squares = tape.sub(yy, zz);
        let difference = tape.sub(y, z);
        let quotient = tape.div(squares, difference);
        assert_eq!(equal(tape, quotient, sum), Some(true));
        let third = tape.rational(ratio(1, 3));
        let more = tape.add(sum, third);
        assert_eq!(equal(tape, more, quotient), Some(false));
    }

    #[test]
    fn logarithms_are_compared_exactly() {
        let tape = &mut Tape::default();
        let y = fresh(tape);
        let three = Number::point(3.0);
        let scaled = tape.mul(y, three);
        // ln(3y) − ln(y) = ln 3, and ln 2 + ln 3 = ln 6, ln 4 = 2 ln 2
        let (long, short) = (tape.ln(scaled), tape.ln(y));
        let difference = tape.sub(long, short);
        let [ln2, ln3, ln4, ln6] = [2.0, 3.0, 4.0, 6.0].map(|x| tape.ln(Number::point(x)));
        assert_eq!(equal(tape, difference, ln3), Some(true));
        assert_eq!(equal(tape, difference, ln2), Some(false));
        let sum = tape.add(ln2, ln3);
        assert_eq!(equal(tape, sum, ln6), Some(true));
        let twice = tape.add(ln2, ln2);
        assert_eq!(equal(tape, twice, ln4), Some(true));
        // A product of logarithms has no normal form here.
        let product = tape.mul(ln2, ln3);
        assert_eq!(equal(tape, product, ln6), None);
        // 1 / ln 2 has, and is no rational number.
        let inverse = tape.div(Number::point(1.0), ln2);
        assert_eq!(equal(tape, inverse, Number::point(1.4375)), Some(false));
        let back = tape.mul(inverse, ln2);
        assert_eq!(equal(tape, back, Number::point(1.0)), Some(true));
        // ln 4 / ln 2 = 2
        let ratio = tape.div(ln4, ln2);
        assert_eq!(equal(tape, ratio, Number::point(2.0)), Some(true));
        assert_eq!(equal(tape, ratio, Number::point(3.0)), Some(false));
    }

    #[test]
    fn exponentials_are_compared_exactly() {
        let tape = &mut Tape::default();
        let (y, z) = (fresh(tape), fresh(tape));
        let sum = tape.add(y, z);
        let (ey, ez, both) = (tape.exp(y), tape.exp(z), tape.exp(sum));
        let product = tape.mul(ey, ez);
        assert_eq!(equal(tape, product, both), Some(true));
        assert_eq!(equal(tape, ey, ez), Some(false));
        // e / (1 + e) is no rational number; exp(ln y) has no normal form.
        let e = tape.exp(Number::point(1.0));
        let above = tape.add(e, Number::point(1.0));
        let share = tape.div(e, above);
        assert_eq!(equal(tape, share, Number::point(0.75)), Some(false));
        let ln = tape.ln(y);
        let back = tape.exp(ln);
        assert_eq!(equal(tape, back, y), None);
    }

    /// What has no form here is not called different: u·v + u is no irreducible polynomial, logarithms and exponentials are not independent of
    /// each other, and a product of two long sums is not written out.
    #[test]
    fn what_has_no_form_is_not_told() {
        let tape = &mut Tape::default();
        let (u, v) = (fresh(tape), fresh(tape));
        let product = tape.mul(u, v);
        let whole = tape.add(product, u);
        let one_more = tape.add(v, Number::point(1.0));
        let (left, first, second) = (tape.ln(whole), tape.ln(u), tape.ln(one_more));
        let right = tape.add(first, second);
        assert_eq!(equal(tape, left, right), None);

        let ln2 = tape.ln(Number::point(2.0));
        let (eu, ev) = (tape.exp(u), tape.exp(v));
        let (left, right) = (tape.mul(ln2, eu), tape.mul(ln2, ev));
        assert_eq!(equal(tape, left, right), None);

        for (terms, told) in [(141, Some(true)), (142, None)] {
            let tape = &mut Tape::default();
            let mut sum = fresh(tape);
            for _ in 1..terms {
                let next = fresh(tape);
                sum = tape.add(sum, next);
            }
            let (left, right) = (tape.mul(sum, sum), tape.mul(sum, sum));
            assert_eq!(equal(tape, left, right), told, "{terms}");
        }
    }

    #[test]
    fn ties_go_to_the_even_integer() {
        for (n, d, expected) in
            [(1, 2, 0), (3, 2, 2), (-1, 2, 0), (-3, 2, -2), (5, 4, 1), (7, 4, 2), (-7, 4, -2)]
        {
            assert_eq!(nearest(&ratio(n, d)), Integer::from(expected), "{n}/{d}");
        }
    }
}
