//! Polynomials over atoms, with rational coefficients: the normal form in which the kernel compares numbers.
//!
//! An atom is an expression that arithmetic does not look into (a variable, `q[i]`, `ln(u)`, …), already in
//! normal form itself. Negative exponents occur only for parameters that the assumptions make positive, so
//! every monomial has a value in every model.
//!
//! ```
//! use probity_kernel::expr::Expr;
//! use probity_kernel::poly::Poly;
//! let x = Poly::atom(Expr::var("x"));
//! let square = x.plus(&Poly::one()).times(&x.plus(&Poly::one())).unwrap();
//! assert_eq!(square.to_expr().to_string(), "1 + 2 * x + x * x");
//! ```

use std::cmp::Ordering;
use std::sync::{Arc, LazyLock};

use probity_exact::Rational;

use crate::expr::{Expr, Name, Variable, words};
use crate::rejection::Rejection;

/// The most terms that a polynomial may have. Honest proofs stay far below; hostile evidence meets a wall.
const MAX_TERMS: usize = 1_000;
/// The largest exponent, for the same reason.
pub(crate) const MAX_EXPONENT: i32 = 64;

/// The most parts that a message has.
const MOST_SHOWN: usize = 10_000;

/// A product of powers of atoms. Invariant: the atoms ascend, none twice, and no exponent is 0. A list and no map: nearly all have one or
/// two atoms. Shared, since polynomials are copied often and their monomials never change.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Monomial {
    powers: Arc<Vec<(Expr, i32)>>,
    /// How many parts it has, each atom once.
    weight: usize,
}

impl Default for Monomial {
    fn default() -> Monomial {
        // Every constant has it.
        static ONE: LazyLock<Monomial> = LazyLock::new(|| Monomial::new(Vec::new()));
        ONE.clone()
    }
}

impl Ord for Monomial {
    fn cmp(&self, other: &Monomial) -> Ordering {
        if Arc::ptr_eq(&self.powers, &other.powers) {
            return Ordering::Equal;
        }
        self.powers.cmp(&other.powers)
    }
}

impl PartialOrd for Monomial {
    fn partial_cmp(&self, other: &Monomial) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Monomial {
    fn new(powers: Vec<(Expr, i32)>) -> Monomial {
        let weight = 1 + powers.iter().map(|(atom, _)| atom.size()).sum::<usize>();
        Monomial { powers: Arc::new(powers), weight }
    }

    /// The powers, by atom.
    pub fn powers(&self) -> impl Iterator<Item = (&Expr, i32)> {
        self.powers.iter().map(|(atom, power)| (atom, *power))
    }

    /// Whether this is the empty product, 1.
    pub fn is_one(&self) -> bool {
        self.powers.is_empty()
    }

    /// A product of powers of parameters.
    pub fn of_names(powers: &[(Name, i32)]) -> Monomial {
        let mut product = Vec::new();
        for (name, power) in powers {
            multiply(&mut product, &Expr::Var(Variable::Plain(name.clone())), *power);
        }
        Monomial::new(product)
    }

    /// The product of two.
    pub fn times(&self, other: &Monomial) -> Monomial {
        if self.is_one() {
            return other.clone();
        }
        let mut product = self.powers.to_vec();
        for (atom, power) in other.powers.iter() {
            multiply(&mut product, atom, *power);
        }
        Monomial::new(product)
    }

    /// One over it.
    pub fn inverse(&self) -> Monomial {
        let powers = self.powers.iter().map(|(atom, power)| (atom.clone(), power.saturating_neg()));
        Monomial::new(powers.collect())
    }

    fn too_large(&self) -> bool {
        self.powers.iter().any(|(_, power)| power.saturating_abs() > MAX_EXPONENT)
    }
}

/// Multiplies a list of powers with one more.
fn multiply(powers: &mut Vec<(Expr, i32)>, atom: &Expr, power: i32) {
    let place = powers.partition_point(|(known, _)| known < atom);
    let known = powers.get(place).filter(|(known, _)| known == atom).map(|(_, power)| *power);
    match (known, known.unwrap_or(0).saturating_add(power)) {
        (None, 0) => {}
        (None, sum) => powers.insert(place, (atom.clone(), sum)),
        (Some(_), 0) => drop(powers.remove(place)),
        (Some(_), sum) => powers[place].1 = sum,
    }
}

/// A polynomial. Invariant: the monomials ascend, none twice, and no coefficient is 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Poly(Vec<(Monomial, Rational)>);

impl Poly {
    /// 0.
    pub fn zero() -> Poly {
        Poly::default()
    }

    /// 1.
    pub fn one() -> Poly {
        Poly::constant(Rational::ONE)
    }

    /// A constant.
    pub fn constant(value: Rational) -> Poly {
        Poly::term(Monomial::default(), value)
    }

    /// A coefficient times a monomial.
    pub fn term(monomial: Monomial, coefficient: Rational) -> Poly {
        if coefficient.is_zero() { Poly::zero() } else { Poly(vec![(monomial, coefficient)]) }
    }

    /// An atom.
    pub fn atom(atom: Expr) -> Poly {
        Poly::term(Monomial::new(vec![(atom, 1)]), Rational::ONE)
    }

    /// The terms, in order.
    pub fn terms(&self) -> impl Iterator<Item = (&Monomial, &Rational)> {
        self.0.iter().map(|(monomial, coefficient)| (monomial, coefficient))
    }

    /// The value, if it is a constant.
    pub fn as_constant(&self) -> Option<Rational> {
        match self.0.as_slice() {
            [] => Some(Rational::ZERO),
            [(monomial, constant)] if monomial.is_one() => Some(constant.clone()),
            _ => None,
        }
    }

    /// The only term, if there is exactly one.
    pub fn as_term(&self) -> Option<(&Monomial, &Rational)> {
        match self.0.as_slice() {
            [(monomial, coefficient)] => Some((monomial, coefficient)),
            _ => None,
        }
    }

    fn add_term(&mut self, monomial: &Monomial, coefficient: Rational) {
        let place = self.0.partition_point(|(known, _)| known < monomial);
        match self.0.get(place).filter(|(known, _)| known == monomial).map(|(_, old)| old + &coefficient) {
            None if coefficient.is_zero() => {}
            None => self.0.insert(place, (monomial.clone(), coefficient)),
            Some(sum) if sum.is_zero() => drop(self.0.remove(place)),
            Some(sum) => self.0[place].1 = sum,
        }
    }

    /// The sum of two.
    pub fn plus(&self, other: &Poly) -> Poly {
        let mut sum = self.clone();
        sum.add(other);
        sum
    }

    /// The smaller and the larger of two, so that the one is added to the other.
    pub(crate) fn ordered(self, other: Poly) -> (Poly, Poly) {
        if self.size() < other.size() { (self, other) } else { (other, self) }
    }

    /// Adds another.
    pub fn add(&mut self, other: &Poly) {
        if self.0.is_empty() {
            self.0.clone_from(&other.0);
            return;
        }
        for (monomial, coefficient) in &other.0 {
            self.add_term(monomial, coefficient.clone());
        }
    }

    /// How many terms it has.
    pub fn size(&self) -> usize {
        self.0.len()
    }

    /// How many parts it has in memory.
    pub(crate) fn weight(&self) -> usize {
        self.0.iter().map(|(monomial, c)| monomial.weight + words(c)).sum()
    }

    /// How many parts it has as an expression.
    pub(crate) fn written(&self) -> usize {
        let power =
            |(atom, power): (&Expr, i32)| (power.unsigned_abs() as usize).saturating_mul(atom.size() + 1);
        self.0.iter().map(|(m, c)| 1 + words(c) + m.powers().map(power).sum::<usize>()).sum()
    }

    fn coefficient(&self, monomial: &Monomial) -> Option<&Rational> {
        self.0.binary_search_by(|(known, _)| known.cmp(monomial)).ok().map(|place| &self.0[place].1)
    }

    /// What [`Poly::add`] takes: the other's parts, and what it takes to add numbers.
    pub(crate) fn work_of_add(&self, other: &Poly) -> usize {
        let numbers = |m, c| self.coefficient(m).map_or(1, words).saturating_mul(words(c));
        other.terms().map(|(m, c)| m.weight.saturating_add(numbers(m, c))).fold(0, usize::saturating_add)
    }

    /// What [`Poly::times`] takes: the parts of all products of terms, and what it takes to multiply their numbers.
    pub(crate) fn work_of_times(&self, other: &Poly) -> usize {
        let numbers = |p: &Poly| p.0.iter().map(|(_, c)| words(c)).sum::<usize>();
        let each = |p: &Poly, q: &Poly| p.weight().saturating_mul(q.size());
        each(self, other)
            .saturating_add(each(other, self))
            .saturating_add(numbers(self).saturating_mul(numbers(other)))
    }

    /// The difference of two.
    pub fn minus(&self, other: &Poly) -> Poly {
        self.plus(&other.clone().negated())
    }

    /// The polynomial with the other sign.
    pub fn negated(mut self) -> Poly {
        self.0.iter_mut().for_each(|(_, c)| *c = -&*c);
        self
    }

    /// A multiple.
    pub fn scaled(&self, factor: &Rational) -> Poly {
        if factor.is_zero() {
            return Poly::zero();
        }
        Poly(self.0.iter().map(|(m, c)| (m.clone(), c * factor)).collect())
    }

    /// The product of two.
    pub fn times(&self, other: &Poly) -> Result<Poly, Rejection> {
        if self.0.len().saturating_mul(other.0.len()) > MAX_TERMS {
            return Err(Rejection::TooLarge);
        }
        match (self.as_constant(), other.as_constant()) {
            (_, Some(factor)) => return Ok(self.scaled(&factor)),
            (Some(factor), _) => return Ok(other.scaled(&factor)),
            _ => {}
        }
        let mut product = Poly::zero();
        for (m, c) in &self.0 {
            for (n, d) in &other.0 {
                let monomial = m.times(n);
                if monomial.too_large() {
                    return Err(Rejection::TooLarge);
                }
                product.add_term(&monomial, c * d);
            }
        }
        Ok(product)
    }

    /// The polynomial for a message: in full if it is short.
    pub(crate) fn shown(&self) -> String {
        if self.written() > MOST_SHOWN {
            return format!("a sum of {} terms", self.size());
        }
        self.to_expr().to_string()
    }

    /// The polynomial as an expression; equal polynomials give equal expressions.
    pub fn to_expr(&self) -> Expr {
        let mut sum: Option<Expr> = None;
        for (monomial, coefficient) in &self.0 {
            let mut product: Option<Expr> = if *coefficient == Rational::ONE && !monomial.is_one() {
                None
            } else {
                Some(Expr::Number(coefficient.clone()))
            };
            for (atom, power) in monomial.powers.iter() {
                for _ in 0..power.unsigned_abs() {
                    product = Some(match product {
                        None if *power > 0 => atom.clone(),
                        Some(p) if *power > 0 => p * atom.clone(),
                        None => Expr::int(1) / atom.clone(),
                        Some(p) => p / atom.clone(),
                    });
                }
            }
            let term = product.unwrap_or_else(|| Expr::int(1));
            sum = Some(match sum {
                None => term,
                Some(s) => s + term,
            });
        }
        sum.unwrap_or_else(|| Expr::int(0))
    }
}
