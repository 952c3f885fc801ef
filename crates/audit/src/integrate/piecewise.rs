//! Piecewise sums of c·t^k·e^(λt): the functions that integrals of Laplace and exponential noise lead to. They are
//! closed under products, antiderivatives and affine changes of variable, so such integrals have closed forms.
//!
//! Breakpoints and rates are exact rationals. Coefficients are plain f64 for a guess, or enclosures for a decision.

use std::cmp::Ordering;

use probity_exact::{Enclosure, Float, Format, Rational, Sign, directed};

use crate::integrate::forest::Function;
use crate::integrate::linear::Noise;
use crate::integrate::sum::{Densities, KnownSums};

/// The coefficients of a piecewise function.
pub(crate) trait Scalar: Clone {
    /// Whether these numbers are guesses, so that plain f64 precision does.
    const QUICK: bool;
    fn from_rational(x: &Rational) -> Self;
    fn exp_of(x: &Rational) -> Self;
    fn between(low: &Float, high: &Float) -> Self;
    fn plus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
    fn negated(&self) -> Self;
    fn from_enclosed(x: &Enclosed) -> Self;
    /// The densities of sums whose coefficients are such numbers.
    fn of(known: &KnownSums) -> &Densities<Self>;
}

/// Guesses: nothing is decided by these.
impl Scalar for f64 {
    const QUICK: bool = true;
    fn from_rational(x: &Rational) -> f64 {
        directed::cast_nearest(x)
    }
    fn exp_of(x: &Rational) -> f64 {
        directed::exp_nearest(directed::cast_nearest(x))
    }
    fn between(low: &Float, _high: &Float) -> f64 {
        low.to_rational().map_or(f64::NAN, |low| directed::cast_nearest(&low))
    }
    fn plus(&self, other: &f64) -> f64 {
        self + other
    }
    fn times(&self, other: &f64) -> f64 {
        self * other
    }
    fn negated(&self) -> f64 {
        -self
    }
    fn from_enclosed(x: &Enclosed) -> f64 {
        let end = |end: &Float| end.to_rational().map_or(f64::NAN, |end| directed::cast_nearest(&end));
        (end(x.low()) + end(x.high())) / 2.0
    }
    fn of(known: &KnownSums) -> &Densities<f64> {
        known.guessed()
    }
}

/// Bits of the enclosures: far more than the cancellation in integrals of a dozen draws takes away.
const BITS: u32 = 256;

/// Decisions.
pub(crate) type Enclosed = Enclosure<Float>;

impl Scalar for Enclosed {
    const QUICK: bool = false;
    fn from_rational(x: &Rational) -> Enclosed {
        Enclosure::around(x, Format::wide(BITS))
    }
    fn exp_of(x: &Rational) -> Enclosed {
        Enclosed::from_rational(x).exp()
    }
    fn between(low: &Float, high: &Float) -> Enclosed {
        let format = Format::wide(BITS);
        let enclosed = Enclosure::new(low.clone(), high.clone(), format);
        enclosed.unwrap_or_else(|| Enclosure::everything(format))
    }
    fn plus(&self, other: &Enclosed) -> Enclosed {
        self.clone() + other.clone()
    }
    fn times(&self, other: &Enclosed) -> Enclosed {
        self.clone() * other.clone()
    }
    fn negated(&self) -> Enclosed {
        -self.clone()
    }
    fn from_enclosed(x: &Enclosed) -> Enclosed {
        x.clone()
    }
    fn of(known: &KnownSums) -> &Densities<Enclosed> {
        known.decided()
    }
}

/// coefficient · t^power · e^(rate·t).
#[derive(Debug, Clone)]
struct Term<S> {
    power: u32,
    rate: Rational,
    coefficient: S,
}

/// A function that is a sum of terms between breakpoints.
#[derive(Debug, Clone)]
pub(crate) struct Piecewise<S> {
    /// Invariant: strictly increasing, and one shorter than `pieces`.
    breaks: Vec<Rational>,
    pieces: Vec<Vec<Term<S>>>,
}

impl<S: Scalar> Piecewise<S> {
    /// The density e^(−|t|/scale)/(2·scale).
    pub(crate) fn laplace(scale: &Rational) -> Piecewise<S> {
        let rate = Rational::ONE / scale;
        let coefficient = S::from_rational(&(&rate / Rational::from(2)));
        let term = |rate: Rational| vec![Term { power: 0, rate, coefficient: coefficient.clone() }];
        Piecewise { breaks: vec![Rational::ZERO], pieces: vec![term(rate.clone()), term(-rate)] }
    }

    /// The density e^(−t/scale)/scale on t ≥ 0.
    pub(crate) fn exponential(scale: &Rational) -> Piecewise<S> {
        let rate = Rational::ONE / scale;
        let coefficient = S::from_rational(&rate);
        let decay = vec![Term { power: 0, rate: -rate, coefficient }];
        Piecewise { breaks: vec![Rational::ZERO], pieces: vec![vec![], decay] }
    }

    /// e^(rate·t) on the whole line.
    pub(crate) fn exp(rate: &Rational) -> Piecewise<S> {
        let coefficient = S::from_rational(&Rational::ONE);
        Piecewise { breaks: vec![], pieces: vec![vec![Term { power: 0, rate: rate.clone(), coefficient }]] }
    }

    /// The density that is 1 on (0, 1].
    pub(crate) fn uniform() -> Piecewise<S> {
        let one = vec![constant(S::from_rational(&Rational::ONE))];
        Piecewise { breaks: vec![Rational::ZERO, Rational::ONE], pieces: vec![vec![], one, vec![]] }
    }

    /// A function that vanishes at both ends, without terms that do not: terms of different powers and rates are independent,
    /// so what is left of those is 0.
    pub(crate) fn vanishing(mut self) -> Piecewise<S> {
        if let Some(first) = self.pieces.first_mut() {
            first.retain(|term| term.rate.sign() == Sign::Positive && !term.rate.is_zero());
        }
        if let Some(last) = self.pieces.last_mut() {
            last.retain(|term| term.rate.sign() == Sign::Negative);
        }
        self
    }

    /// Makes `at` a breakpoint; its place among them.
    fn cut(&mut self, at: &Rational) -> usize {
        match self.breaks.binary_search(at) {
            Ok(place) => place,
            Err(place) => {
                self.breaks.insert(place, at.clone());
                self.pieces.insert(place, self.pieces[place].clone());
                place
            }
        }
    }

    fn combined(
        &self,
        other: &Piecewise<S>,
        combine: impl Fn(&[Term<S>], &[Term<S>]) -> Vec<Term<S>>,
    ) -> Piecewise<S> {
        let (mut i, mut j) = (0, 0);
        let mut breaks = Vec::new();
        let mut pieces = vec![combine(&self.pieces[0], &other.pieces[0])];
        while i < self.breaks.len() || j < other.breaks.len() {
            let ordering = match (self.breaks.get(i), other.breaks.get(j)) {
                (Some(a), Some(b)) => a.cmp(b),
                (Some(_), None) => Ordering::Less,
                _ => Ordering::Greater,
            };
            let at = if ordering == Ordering::Greater { &other.breaks[j] } else { &self.breaks[i] };
            breaks.push(at.clone());
            i += usize::from(ordering != Ordering::Greater);
            j += usize::from(ordering != Ordering::Less);
            pieces.push(combine(&self.pieces[i], &other.pieces[j]));
        }
        Piecewise { breaks, pieces }
    }
}

impl<S: Scalar> Function for Piecewise<S> {
    type Number = S;

    fn density(noise: &Noise) -> Option<Piecewise<S>> {
        match noise {
            Noise::Laplace(scale) => Some(Piecewise::laplace(scale)),
            Noise::Exponential(scale) => Some(Piecewise::exponential(scale)),
            Noise::Uniform | Noise::Unused => Some(Piecewise::uniform()),
            Noise::Gaussian(_) => None,
        }
    }

    fn constant(x: &S) -> Piecewise<S> {
        Piecewise { breaks: vec![], pieces: vec![vec![constant(x.clone())]] }
    }

    fn restricted(&self, low: Option<&Rational>, high: Option<&Rational>) -> Piecewise<S> {
        let mut result = self.clone();
        if let Some(low) = low {
            let at = result.cut(low);
            result.pieces[..=at].iter_mut().for_each(Vec::clear);
        }
        if let Some(high) = high {
            let at = result.cut(high);
            result.pieces[at + 1..].iter_mut().for_each(Vec::clear);
        }
        result
    }

    fn times(&self, other: &Piecewise<S>) -> Piecewise<S> {
        self.combined(other, |a, b| {
            let mut product = Vec::new();
            for x in a {
                for y in b {
                    let term = Term {
                        power: x.power + y.power,
                        rate: &x.rate + &y.rate,
                        coefficient: x.coefficient.times(&y.coefficient),
                    };
                    add_term(&mut product, term);
                }
            }
            product
        })
    }

    fn minus(&self, other: &Piecewise<S>) -> Piecewise<S> {
        self.combined(other, |a, b| {
            let mut difference = a.to_vec();
            for y in b {
                add_term(&mut difference, Term { coefficient: y.coefficient.negated(), ..y.clone() });
            }
            difference
        })
    }

    fn composed(&self, slope: &Rational, offset: &Rational) -> Piecewise<S> {
        let mut breaks: Vec<Rational> = self.breaks.iter().map(|b| (b - offset) / slope).collect();
        let change = |terms: &Vec<Term<S>>| -> Vec<Term<S>> {
            let mut changed = Vec::new();
            for term in terms {
                let factor = match term.rate.is_zero() || offset.is_zero() {
                    true => term.coefficient.clone(),
                    false => term.coefficient.times(&S::exp_of(&(&term.rate * offset))),
                };
                // (slope·t + offset)^k by the binomial formula.
                let mut binomial = Rational::ONE;
                for j in 0..=term.power {
                    let weight = &binomial * power(slope, term.power - j) * power(offset, j);
                    if !weight.is_zero() {
                        let coefficient = match weight == Rational::ONE {
                            true => factor.clone(),
                            false => factor.times(&S::from_rational(&weight)),
                        };
                        add_term(
                            &mut changed,
                            Term { power: term.power - j, rate: &term.rate * slope, coefficient },
                        );
                    }
                    binomial = binomial * Rational::from(term.power - j) / Rational::from(j + 1);
                }
            }
            changed
        };
        let mut pieces: Vec<Vec<Term<S>>> = self.pieces.iter().map(change).collect();
        if slope.sign() == Sign::Negative {
            breaks.reverse();
            pieces.reverse();
        }
        Piecewise { breaks, pieces }
    }

    fn antiderivative(&self) -> Option<Piecewise<S>> {
        if self.pieces[0].iter().any(|term| term.rate.sign() == Sign::Negative || term.rate.is_zero()) {
            return None;
        }
        let mut pieces: Vec<Vec<Term<S>>> = Vec::with_capacity(self.pieces.len());
        for (i, terms) in self.pieces.iter().enumerate() {
            let mut primitive = Vec::new();
            terms.iter().for_each(|term| integrate(term, &mut primitive));
            if let Some(before) = pieces.last() {
                let at = &self.breaks[i - 1];
                let jump = value(before, at).plus(&value(&primitive, at).negated());
                add_term(&mut primitive, constant(jump));
            }
            pieces.push(primitive);
        }
        Some(Piecewise { breaks: self.breaks.clone(), pieces })
    }

    fn limit(&self) -> Option<S> {
        let mut limit = S::from_rational(&Rational::ZERO);
        for term in self.pieces.last()? {
            match term.rate.is_zero() {
                true if term.power == 0 => limit = limit.plus(&term.coefficient),
                false if term.rate.sign() == Sign::Negative => {}
                _ => return None,
            }
        }
        Some(limit)
    }
}

fn constant<S>(coefficient: S) -> Term<S> {
    Term { power: 0, rate: Rational::ZERO, coefficient }
}

fn add_term<S: Scalar>(terms: &mut Vec<Term<S>>, term: Term<S>) {
    match terms.iter_mut().find(|t| t.power == term.power && t.rate == term.rate) {
        Some(same) => same.coefficient = same.coefficient.plus(&term.coefficient),
        None => terms.push(term),
    }
}

fn power(x: &Rational, n: u32) -> Rational {
    (0..n).fold(Rational::ONE, |product, _| product * x)
}

fn value<S: Scalar>(terms: &[Term<S>], at: &Rational) -> S {
    terms.iter().fold(S::from_rational(&Rational::ZERO), |sum, term| {
        let weight = power(at, term.power);
        let mut value = term.coefficient.times(&S::from_rational(&weight));
        if !term.rate.is_zero() && !at.is_zero() {
            value = value.times(&S::exp_of(&(&term.rate * at)));
        }
        sum.plus(&value)
    })
}

/// ∫ t^k e^(λt) = e^(λt)·Σ_j (−1)^j k!/(k−j)! t^(k−j)/λ^(j+1), and t^(k+1)/(k+1) for λ = 0.
fn integrate<S: Scalar>(term: &Term<S>, into: &mut Vec<Term<S>>) {
    let scaled = |weight: &Rational| term.coefficient.times(&S::from_rational(weight));
    if term.rate.is_zero() {
        let weight = Rational::ONE / Rational::from(term.power + 1);
        let rate = Rational::ZERO;
        add_term(into, Term { power: term.power + 1, rate, coefficient: scaled(&weight) });
        return;
    }
    let mut weight = Rational::ONE / &term.rate;
    for j in 0..=term.power {
        let power = term.power - j;
        add_term(into, Term { power, rate: term.rate.clone(), coefficient: scaled(&weight) });
        weight = -weight * Rational::from(power) / &term.rate;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    fn r(n: i64, d: i64) -> Rational {
        rational(n, d).unwrap()
    }

    fn integral<S: Scalar>(f: &Piecewise<S>) -> Option<S> {
        f.antiderivative()?.limit()
    }

    #[test]
    fn densities_integrate_to_one() {
        for scale in [r(1, 1), r(2, 3), r(40, 7)] {
            for density in [Piecewise::<Enclosed>::laplace(&scale), Piecewise::exponential(&scale)] {
                let total = integral(&density).unwrap();
                assert!(
                    total.contains(&Rational::ONE)
                        && *total.width_up().magnitude().to_rational().as_ref().unwrap() < r(1, 1 << 60)
                );
            }
        }
    }

    /// P(X + 1 ≤ Y) for independent Laplace draws of scale 1 is (1/2 + 1/4)·e^−1, by hand.
    #[test]
    fn two_draws_have_the_closed_form() {
        let density = Piecewise::<Enclosed>::laplace(&Rational::ONE);
        // P(Y ≥ t) as a function of t is the distribution function of −Y at −t.
        let upper = density.antiderivative().unwrap().composed(&r(-1, 1), &Rational::ZERO);
        let shifted = upper.composed(&Rational::ONE, &Rational::ONE);
        let found = integral(&density.times(&shifted)).unwrap();
        let expected = Enclosed::exp_of(&r(-1, 1)).times(&Enclosed::from_rational(&r(3, 4)));
        assert!(found.intersection(&expected).is_some(), "{found:?}");
        assert!(found.width_up().to_rational().unwrap() < r(1, 1 << 60));
        // The guess agrees, and a wrong value would not.
        let guess = Piecewise::<f64>::laplace(&Rational::ONE);
        let upper = guess.antiderivative().unwrap().composed(&r(-1, 1), &r(-1, 1));
        let guess = integral(&guess.times(&upper)).unwrap();
        assert!((guess - 0.75 * 0.36787944117144233).abs() < 1e-12 && (guess - 0.5 * 0.3679).abs() > 1e-3);
    }

    #[test]
    fn what_diverges_has_no_integral() {
        assert!(integral(&<Piecewise<f64> as Function>::constant(&1.0)).is_none());
    }
}
