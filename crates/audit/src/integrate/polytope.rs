//! The probability that independent draws meet any linear conditions, by eliminating one draw after the other.
//!
//! The integrand is a sum of c · Π x_i^(k_i) · e^(linear form), with exact rationals throughout. To eliminate x, its
//! density is multiplied in, one piece at a time; the conditions bound x from below by forms L_i and from above by
//! forms U_j. Where L_i is the largest and U_j the smallest and L_i ≤ U_j, the integral over x is F(U_j) − F(L_i) for
//! the antiderivative F, again a sum of that kind, and those conditions on the other draws are linear again. What
//! remains in the end is Σ c·e^μ with rational c and μ: exact, whatever cancels.
//!
//! Nothing diverges. Along every direction in which the remaining draws can go to infinity, the whole integrand decays:
//! densities do, and (L_i or U_j, rest) is a direction of the region before. So what has no bound contributes nothing.
//!
//! The number of cases grows exponentially with the draws: three to five is what it is for, and it has a limit.

use std::collections::BTreeMap;

use probity_exact::{Rational, Sign};

use crate::deadline::Deadline;
use crate::error::AuditError;
use crate::integrate::linear::{Conditions, Form, Noise, Window};
use crate::integrate::meter::Meter;
use crate::integrate::piecewise::{Enclosed, Scalar};

/// Cases after which an elimination is given up.
const MOST_CASES: usize = 20_000;

/// What a case is counted as: about 30 microseconds.
const WORK_OF_A_CASE: usize = 6;

const TOO_MANY: AuditError = AuditError::Unsupported {
    what: "conditions on this many continuous draws at once; exact elimination covers about five",
};

/// What the argument above excludes is checked all the same.
const DIVERGES: AuditError = AuditError::Unsupported { what: "an integral that diverges" };

/// coefficient · Π draw^power · e^exponent.
#[derive(Debug, Clone)]
struct Term {
    coefficient: Rational,
    /// Invariant: by rising draw, no power is zero.
    powers: Vec<(usize, u32)>,
    exponent: Form,
}

/// The probability that the draws meet the windows; no draw is Gaussian.
pub(crate) fn probability(
    noises: &[Noise],
    windows: &[&Window],
    meter: &mut Meter,
) -> Result<Enclosed, AuditError> {
    let until = meter.until.clone();
    let mut elimination = Elimination { noises, cases: MOST_CASES, sum: BTreeMap::new(), until };
    let mut draws: Vec<usize> = windows.iter().flat_map(|w| w.terms.iter().map(|(draw, _)| *draw)).collect();
    draws.sort_unstable();
    draws.dedup();
    let conditions = Conditions { windows: windows.iter().map(|window| (*window).clone()).collect() };
    let one = Term { coefficient: Rational::ONE, powers: vec![], exponent: Form::constant(Rational::ZERO) };
    let done = elimination.eliminate(vec![one], &conditions, &draws);
    meter.work += WORK_OF_A_CASE * (MOST_CASES - elimination.cases);
    done?;
    let zero = Enclosed::from_rational(&Rational::ZERO);
    Ok(elimination.sum.iter().fold(zero, |sum, (exponent, coefficient)| {
        sum.plus(&Enclosed::from_rational(coefficient).times(&Enclosed::exp_of(exponent)))
    }))
}

struct Elimination<'a> {
    noises: &'a [Noise],
    cases: usize,
    /// Coefficients of e^μ, by μ.
    sum: BTreeMap<Rational, Rational>,
    until: Deadline,
}

/// A piece of a density: between the bounds it is height · e^(rate·x).
struct Piece {
    low: Option<Rational>,
    high: Option<Rational>,
    height: Rational,
    rate: Rational,
}

fn pieces(noise: &Noise) -> Vec<Piece> {
    let zero = || Some(Rational::ZERO);
    match noise {
        Noise::Laplace(scale) => {
            let rate = Rational::ONE / scale;
            let height = &rate / Rational::from(2);
            vec![
                Piece { low: None, high: zero(), height: height.clone(), rate: rate.clone() },
                Piece { low: zero(), high: None, height, rate: -rate },
            ]
        }
        Noise::Exponential(scale) => {
            let rate = Rational::ONE / scale;
            vec![Piece { low: zero(), high: None, height: rate.clone(), rate: -rate }]
        }
        Noise::Uniform | Noise::Unused => {
            let (height, rate) = (Rational::ONE, Rational::ZERO);
            vec![Piece { low: zero(), high: Some(Rational::ONE), height, rate }]
        }
        // Never asked for.
        Noise::Gaussian(_) => vec![],
    }
}

impl Elimination<'_> {
    /// Counts cases, and terms as parts of them.
    fn spend(&mut self, cases: usize) -> Result<(), AuditError> {
        self.until.check()?;
        let left = self.cases.checked_sub(cases);
        self.cases = left.unwrap_or(0);
        left.map(|_| ()).ok_or(TOO_MANY)
    }

    fn eliminate(
        &mut self,
        terms: Vec<Term>,
        conditions: &Conditions,
        left: &[usize],
    ) -> Result<(), AuditError> {
        self.spend(1)?;
        if left.is_empty() {
            for term in terms {
                *self.sum.entry(term.exponent.constant).or_default() += term.coefficient;
            }
            return Ok(());
        }
        let cost = |draw: usize| {
            let (lowers, uppers, _) = bounds(conditions, draw);
            (lowers.len() + 1) * (uppers.len() + 1)
        };
        let Some(&draw) = left.iter().min_by_key(|&&draw| cost(draw)) else { return Ok(()) };
        let left: Vec<usize> = left.iter().copied().filter(|&other| other != draw).collect();
        for piece in pieces(&self.noises[draw]) {
            let mut within = conditions.clone();
            let above = |low: &Rational| Form::constant(low.clone()).minus(&Form::draw(draw));
            let below = |high: &Rational| Form::draw(draw).minus(&Form::constant(high.clone()));
            let possible = piece.low.as_ref().is_none_or(|low| within.require_not_positive(&above(low)))
                && piece.high.as_ref().is_none_or(|high| within.require_not_positive(&below(high)));
            if !possible {
                continue;
            }
            let tilt = Form::draw(draw).scaled(&piece.rate);
            let weighted = terms.iter().map(|term| Term {
                coefficient: &term.coefficient * &piece.height,
                powers: term.powers.clone(),
                exponent: term.exponent.plus(&tilt),
            });
            let primitive = antiderivative(weighted, draw);
            let (lowers, uppers, others) = bounds(&within, draw);
            for lower in options(&lowers) {
                for upper in options(&uppers) {
                    let Some(case) = region(&others, (lower, &lowers), (upper, &uppers)) else { continue };
                    let unbounded_rate = |term: &Term| {
                        let sign = coefficient(&term.exponent, draw);
                        (upper.is_none() && sign >= Rational::ZERO)
                            || (lower.is_none() && sign <= Rational::ZERO)
                    };
                    if primitive.iter().any(unbounded_rate) {
                        return Err(DIVERGES);
                    }
                    let mut integral = Vec::new();
                    for (end, negated) in [(upper, false), (lower, true)] {
                        let Some(at) = end else { continue };
                        self.spend(expansion(&primitive, draw, at) / TERMS_OF_A_CASE)?;
                        substitute(&primitive, draw, at, negated, &mut integral);
                    }
                    integral.retain(|term| !term.coefficient.is_zero());
                    if !integral.is_empty() {
                        self.eliminate(integral, &case, &left)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Each bound in turn, or none at all if there is none.
fn options(bounds: &[Form]) -> Vec<Option<&Form>> {
    if bounds.is_empty() { vec![None] } else { bounds.iter().map(Some).collect() }
}

/// Where `lower` is the largest lower bound, `upper` the smallest upper one, and the first is below the second; `None`
/// when that is nowhere. Two different forms are equal on no region, so that the regions overlap nowhere.
fn region(
    others: &Conditions,
    (lower, lowers): (Option<&Form>, &[Form]),
    (upper, uppers): (Option<&Form>, &[Form]),
) -> Option<Conditions> {
    let mut case = others.clone();
    let mut require = |form: Form| match form.is_constant() {
        true => form.constant <= Rational::ZERO,
        false => case.require_not_positive(&form),
    };
    let largest = lower.is_none_or(|l| lowers.iter().filter(|m| *m != l).all(|m| require(m.minus(l))));
    let smallest = upper.is_none_or(|u| uppers.iter().filter(|v| *v != u).all(|v| require(u.minus(v))));
    let ordered = match (lower, upper) {
        (Some(lower), Some(upper)) => require(lower.minus(upper)),
        _ => true,
    };
    (largest && smallest && ordered).then_some(case)
}

/// The lower and the upper bounds that the conditions set to a draw, each form once, and the conditions without it.
fn bounds(conditions: &Conditions, draw: usize) -> (Vec<Form>, Vec<Form>, Conditions) {
    let (mut lowers, mut uppers) = (Vec::new(), Vec::new());
    let mut others = Conditions::default();
    for window in &conditions.windows {
        let Some((_, factor)) = window.terms.iter().find(|(d, _)| *d == draw) else {
            others.windows.push(window.clone());
            continue;
        };
        let rest: Vec<(usize, Rational)> = window.terms.iter().filter(|(d, _)| *d != draw).cloned().collect();
        let solved = |bound: &Rational| {
            let rest = Form { constant: Rational::ZERO, terms: rest.clone() };
            Form::constant(bound.clone()).minus(&rest).scaled(&(Rational::ONE / factor))
        };
        let (mut low, mut high) = (window.low.as_ref(), window.high.as_ref());
        if factor.sign() == Sign::Negative {
            std::mem::swap(&mut low, &mut high);
        }
        for (bound, into) in [(low, &mut lowers), (high, &mut uppers)] {
            if let Some(form) = bound.map(solved)
                && !into.contains(&form)
            {
                into.push(form);
            }
        }
    }
    (lowers, uppers, others)
}

/// The antiderivatives in a draw: ∫ x^k e^(ρx) = e^(ρx)·Σ_j (−1)^j k!/(k−j)! x^(k−j)/ρ^(j+1), and x^(k+1)/(k+1) for
/// ρ = 0.
fn antiderivative(terms: impl Iterator<Item = Term>, draw: usize) -> Vec<Term> {
    let mut primitive = Vec::new();
    for term in terms {
        let rate = coefficient(&term.exponent, draw);
        let power = term.powers.iter().find(|(d, _)| *d == draw).map_or(0, |(_, k)| *k);
        if rate.is_zero() {
            let coefficient = &term.coefficient / Rational::from(power + 1);
            let powers = with_power(&term.powers, draw, power + 1);
            primitive.push(Term { coefficient, powers, exponent: term.exponent });
            continue;
        }
        let mut weight = &term.coefficient / &rate;
        for j in 0..=power {
            let powers = with_power(&term.powers, draw, power - j);
            primitive.push(Term { coefficient: weight.clone(), powers, exponent: term.exponent.clone() });
            weight = -weight * Rational::from(power - j) / &rate;
        }
    }
    primitive
}

fn coefficient(form: &Form, draw: usize) -> Rational {
    form.terms.iter().find(|(d, _)| *d == draw).map_or(Rational::ZERO, |(_, c)| c.clone())
}

fn with_power(powers: &[(usize, u32)], draw: usize, power: u32) -> Vec<(usize, u32)> {
    let mut changed: Vec<(usize, u32)> = powers.iter().copied().filter(|(d, _)| *d != draw).collect();
    if power > 0 {
        let place = changed.partition_point(|(d, _)| *d < draw);
        changed.insert(place, (draw, power));
    }
    changed
}

/// Terms of an expansion that are counted as a case.
const TERMS_OF_A_CASE: usize = 40;

/// How many terms [`substitute`] makes before it puts equal ones together.
fn expansion(terms: &[Term], draw: usize, at: &Form) -> usize {
    let factors = at.terms.len() + 1;
    let of = |term: &Term| {
        let power = term.powers.iter().find(|(d, _)| *d == draw).map_or(0, |(_, k)| *k);
        factors.saturating_pow(power)
    };
    terms.iter().map(of).fold(0, usize::saturating_add)
}

/// Adds the terms with the draw replaced by a form in the others, negated or not.
fn substitute(terms: &[Term], draw: usize, at: &Form, negated: bool, into: &mut Vec<Term>) {
    for term in terms {
        let rate = coefficient(&term.exponent, draw);
        let change = at.minus(&Form::draw(draw)).scaled(&rate);
        let exponent = if rate.is_zero() { term.exponent.clone() } else { term.exponent.plus(&change) };
        let power = term.powers.iter().find(|(d, _)| *d == draw).map_or(0, |(_, k)| *k);
        let sign = if negated { -term.coefficient.clone() } else { term.coefficient.clone() };
        let mut expanded: Vec<(Rational, Vec<(usize, u32)>)> =
            vec![(sign, with_power(&term.powers, draw, 0))];
        for _ in 0..power {
            expanded = expanded.iter().flat_map(|(c, powers)| times_form(c, powers, at)).collect();
        }
        for (coefficient, powers) in expanded {
            match into.iter_mut().find(|t| t.powers == powers && t.exponent == exponent) {
                Some(same) => same.coefficient += coefficient,
                None => into.push(Term { coefficient, powers, exponent: exponent.clone() }),
            }
        }
    }
}

/// A monomial times a linear form, as monomials.
fn times_form(c: &Rational, powers: &[(usize, u32)], form: &Form) -> Vec<(Rational, Vec<(usize, u32)>)> {
    let mut product = Vec::with_capacity(form.terms.len() + 1);
    if !form.constant.is_zero() {
        product.push((c * &form.constant, powers.to_vec()));
    }
    for (draw, factor) in &form.terms {
        let power = powers.iter().find(|(d, _)| d == draw).map_or(0, |(_, k)| *k);
        product.push((c * factor, with_power(powers, *draw, power + 1)));
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrate::forest;
    use crate::integrate::piecewise::Piecewise;
    use probity_exact::rational;

    fn r(n: i64, d: i64) -> Rational {
        rational(n, d).unwrap()
    }

    fn at_most(terms: &[(usize, i64)], bound: Rational) -> Form {
        terms.iter().fold(Form::constant(-bound), |sum, (draw, c)| {
            sum.plus(&Form::draw(*draw).scaled(&Rational::from(*c)))
        })
    }

    fn by_elimination(noises: &[Noise], conditions: &[Form]) -> Enclosed {
        let mut all = Conditions::default();
        conditions.iter().for_each(|form| assert!(all.require_not_positive(form)));
        probability(noises, &all.windows.iter().collect::<Vec<_>>(), &mut Meter::default()).unwrap()
    }

    /// The sum of three uniform numbers is at most 1 in a sixth of the cube, at most 3/2 in half of it.
    #[test]
    fn sums_of_uniform_numbers() {
        let noises = vec![Noise::Uniform; 3];
        for (bound, expected) in [(r(1, 1), r(1, 6)), (r(3, 2), r(1, 2)), (r(2, 1), r(5, 6))] {
            let found = by_elimination(&noises, &[at_most(&[(0, 1), (1, 1), (2, 1)], bound)]);
            assert!(found.contains(&expected) && found.width_up().to_rational().unwrap() < r(1, 1 << 60));
        }
    }

    /// Four exponential draws of scale 1: P(sum ≤ t) = 1 − e^−t (1 + t + t²/2 + t³/6).
    #[test]
    fn a_gamma_law() {
        let noises = vec![Noise::Exponential(r(1, 1)); 4];
        let found = by_elimination(&noises, &[at_most(&[(0, 1), (1, 1), (2, 1), (3, 1)], r(2, 1))]);
        let rest = Enclosed::exp_of(&r(-2, 1)).times(&Enclosed::from_rational(&r(19, 3)));
        let expected = Enclosed::from_rational(&Rational::ONE).plus(&rest.negated());
        assert!(found.intersection(&expected).is_some(), "{found:?}");
        assert!(found.width_up().to_rational().unwrap() < r(1, 1 << 60));
    }

    /// Orders with redundant conditions are cycles: each order of three Laplace draws has probability 1/6.
    #[test]
    fn a_cycle_is_an_order() {
        let noises = vec![Noise::Laplace(r(3, 2)); 3];
        let below = |a, b| at_most(&[(a, 1), (b, -1)], r(0, 1));
        assert!(by_elimination(&noises, &[below(0, 1), below(1, 2), below(0, 2)]).contains(&r(1, 6)));
        // A true cycle has no probability.
        let found = by_elimination(&noises, &[below(0, 1), below(1, 2), below(2, 0)]);
        assert!(found.contains(&r(0, 1)) && found.is_point());
    }

    /// Where both methods apply, they agree: random trees with windows of all kinds.
    #[test]
    fn it_agrees_with_integration_along_a_tree() {
        let mut state = 3u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        for _ in 0..40 {
            let noises: Vec<Noise> = (0..3)
                .map(|_| match next(3) {
                    0 => Noise::Laplace(r(next(4) as i64 + 1, 2)),
                    1 => Noise::Exponential(r(next(4) as i64 + 1, 3)),
                    _ => Noise::Uniform,
                })
                .collect();
            let mut all = Conditions::default();
            let mut possible = true;
            for child in 1..3 {
                let parent = next(child) as usize;
                let factor = [1, -1, 2, -2][next(4) as usize];
                let bound = r(next(9) as i64 - 3, 2);
                let form = at_most(&[(parent, 1), (child as usize, factor)], bound);
                possible &= all.require_not_positive(&form);
                possible &= all.require_not_positive(&at_most(&[(child as usize, -1)], r(next(3) as i64, 1)));
            }
            let windows: Vec<&Window> = all.windows.iter().collect();
            if possible
                && let Some(tree) = forest::probability::<Piecewise<Enclosed>>(&noises, &windows).unwrap()
            {
                let found = probability(&noises, &windows, &mut Meter::default()).unwrap();
                assert!(found.intersection(&tree).is_some(), "{noises:?} {all:?}: {found:?} {tree:?}");
                assert!(found.width_up().to_rational().unwrap() < r(1, 1 << 60));
            }
        }
    }
}
