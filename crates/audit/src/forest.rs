//! The probability that independent draws meet linear conditions, by exact integration.
//!
//! Conditions link at most two draws each. If the links form a forest, every tree is integrated from its leaves:
//! for a leaf y linked to x, P(y meets the link | x) is a piecewise function of x, and it multiplies x's density.
//! That covers what mechanisms do with noise: comparisons with a noisy threshold, running maxima, windows.

use std::collections::BTreeMap;

use probity_exact::{Rational, Sign};

use crate::error::AuditError;
use crate::piecewise::{Piecewise, Scalar};

/// The law of a continuous draw, centred.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Noise {
    /// Laplace noise with this scale.
    Laplace(Rational),
    /// Exponential noise with this scale.
    Exponential(Rational),
}

/// constant + Σ coefficient · draw.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Form {
    pub(crate) constant: Rational,
    /// Invariant: by rising draw, no coefficient is zero.
    pub(crate) terms: Vec<(usize, Rational)>,
}

impl Form {
    pub(crate) fn constant(constant: Rational) -> Form {
        Form { constant, terms: Vec::new() }
    }

    pub(crate) fn draw(draw: usize) -> Form {
        Form { constant: Rational::ZERO, terms: vec![(draw, Rational::ONE)] }
    }

    pub(crate) fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    pub(crate) fn scaled(&self, factor: &Rational) -> Form {
        if factor.is_zero() {
            return Form::constant(Rational::ZERO);
        }
        Form {
            constant: &self.constant * factor,
            terms: self.terms.iter().map(|(draw, c)| (*draw, c * factor)).collect(),
        }
    }

    pub(crate) fn plus(&self, other: &Form) -> Form {
        let mut terms: BTreeMap<usize, Rational> = self.terms.iter().cloned().collect();
        for (draw, c) in &other.terms {
            *terms.entry(*draw).or_default() += c;
        }
        terms.retain(|_, c| !c.is_zero());
        Form { constant: &self.constant + &other.constant, terms: terms.into_iter().collect() }
    }

    pub(crate) fn minus(&self, other: &Form) -> Form {
        self.plus(&other.scaled(&Rational::from(-1)))
    }
}

/// A linear form without constant and with leading coefficient 1, and the interval that it must lie in. Closed or
/// open makes no difference: a single value has no probability.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Window {
    terms: Vec<(usize, Rational)>,
    low: Option<Rational>,
    high: Option<Rational>,
}

/// Linear conditions on draws.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Conditions {
    windows: Vec<Window>,
}

impl Conditions {
    /// How many different linear forms are bounded.
    pub(crate) fn len(&self) -> usize {
        self.windows.len()
    }

    /// Whether form ≤ 0 follows (`Some(true)`) or is impossible (`Some(false)`) from a single window.
    pub(crate) fn implies_not_positive(&self, form: &Form) -> Option<bool> {
        let (terms, bound, upper) = normalised(form);
        let window = self.windows.iter().find(|w| w.terms == terms)?;
        // The condition is direction ≤ bound if `upper`, else direction ≥ bound.
        let (low, high) = (window.low.as_ref(), window.high.as_ref());
        match upper {
            true if high.is_some_and(|high| *high <= bound) => Some(true),
            true if low.is_some_and(|low| *low >= bound) => Some(false),
            false if low.is_some_and(|low| *low >= bound) => Some(true),
            false if high.is_some_and(|high| *high <= bound) => Some(false),
            _ => None,
        }
    }

    /// The interval that a form with draws is confined to by a single window, if it is on both sides.
    pub(crate) fn bounds(&self, form: &Form) -> Option<(Rational, Rational)> {
        let (terms, _, positive) = normalised(form);
        let window = self.windows.iter().find(|w| w.terms == terms)?;
        let (_, lead) = form.terms.first()?;
        let at = |bound: &Rational| bound * lead + &form.constant;
        let (low, high) = (at(window.low.as_ref()?), at(window.high.as_ref()?));
        Some(if positive { (low, high) } else { (high, low) })
    }

    /// Adds form ≤ 0, for a form with draws; false when that leaves nothing.
    pub(crate) fn require_not_positive(&mut self, form: &Form) -> bool {
        let (terms, bound, upper) = normalised(form);
        let place = self.windows.iter().position(|w| w.terms == terms).unwrap_or_else(|| {
            self.windows.push(Window { terms, low: None, high: None });
            self.windows.len() - 1
        });
        let window = &mut self.windows[place];
        if upper {
            window.high = Some(window.high.take().map_or(bound.clone(), |high| high.min(bound)));
        } else {
            window.low = Some(window.low.take().map_or(bound.clone(), |low| low.max(bound)));
        }
        !matches!((&window.low, &window.high), (Some(low), Some(high)) if low >= high)
    }
}

/// form ≤ 0 as `direction ≤ bound` (true) or `direction ≥ bound` (false), the direction's first coefficient being 1.
fn normalised(form: &Form) -> (Vec<(usize, Rational)>, Rational, bool) {
    let lead = form.terms.first().map_or(Rational::ONE, |(_, c)| c.clone());
    let terms = form.terms.iter().map(|(draw, c)| (*draw, c / &lead)).collect();
    let bound = -(&form.constant / &lead);
    (terms, bound, lead.sign() == Sign::Positive)
}

/// The probability that the draws meet the conditions.
pub(crate) fn probability<S: Scalar>(noises: &[Noise], conditions: &Conditions) -> Result<S, AuditError> {
    let mut densities: Vec<Option<Piecewise<S>>> = vec![None; noises.len()];
    let mut links: Vec<Vec<&Window>> = vec![Vec::new(); noises.len()];
    let density = |draw: usize| match &noises[draw] {
        Noise::Laplace(scale) => Piecewise::laplace(scale),
        Noise::Exponential(scale) => Piecewise::exponential(scale),
    };
    for window in &conditions.windows {
        for (draw, _) in &window.terms {
            densities[*draw].get_or_insert_with(|| density(*draw));
        }
        match &window.terms[..] {
            [(draw, _)] => {
                let restricted = densities[*draw]
                    .as_ref()
                    .map(|d| d.restricted(window.low.as_ref(), window.high.as_ref()));
                densities[*draw] = restricted;
            }
            [(first, _), (second, _)] => {
                links[*first].push(window);
                links[*second].push(window);
            }
            _ => return Err(UNSUPPORTED_LINK),
        }
    }
    let mut result = S::from_rational(&Rational::ONE);
    let mut done = vec![false; noises.len()];
    // The draw with most links is the root: its children are leaves in the common case.
    let mut order: Vec<usize> = (0..noises.len()).filter(|&d| densities[d].is_some()).collect();
    order.sort_by_key(|&d| (std::cmp::Reverse(links[d].len()), d));
    for root in order {
        if !done[root] {
            let tree = integrate_tree(root, None, &densities, &links, &mut done)?;
            result = result.times(&tree.integral().ok_or(DIVERGES)?);
        }
    }
    Ok(result)
}

const UNSUPPORTED_LINK: AuditError =
    AuditError::Unsupported { what: "a condition on three or more continuous draws at once" };
const UNSUPPORTED_CYCLE: AuditError =
    AuditError::Unsupported { what: "conditions that link continuous draws in a cycle" };
const DIVERGES: AuditError = AuditError::Unsupported { what: "an integral that diverges" };

/// The density of `draw`, times the probability of all that hangs below it.
fn integrate_tree<S: Scalar>(
    draw: usize,
    parent: Option<usize>,
    densities: &[Option<Piecewise<S>>],
    links: &[Vec<&Window>],
    done: &mut [bool],
) -> Result<Piecewise<S>, AuditError> {
    if std::mem::replace(&mut done[draw], true) {
        return Err(UNSUPPORTED_CYCLE);
    }
    let mut density = densities[draw].clone().ok_or(DIVERGES)?;
    let mut to_parent = 0;
    for window in &links[draw] {
        let [(first, _), (second, factor)] = &window.terms[..] else { return Err(UNSUPPORTED_LINK) };
        let child = if *first == draw { *second } else { *first };
        if Some(child) == parent {
            to_parent += 1;
            continue;
        }
        let below = integrate_tree(child, Some(draw), densities, links, done)?;
        let distribution = below.antiderivative().ok_or(DIVERGES)?;
        // The window is low ≤ x_first + factor·x_second ≤ high; solve for the child.
        let (slope, scale) = match child == *second {
            true => (-(Rational::ONE / factor), Rational::ONE / factor),
            false => (-factor.clone(), Rational::ONE),
        };
        let at = |bound: &Rational| distribution.composed(&slope, &(bound * &scale));
        let (mut low, mut high) = (window.low.as_ref(), window.high.as_ref());
        if scale.sign() == Sign::Negative {
            std::mem::swap(&mut low, &mut high);
        }
        let total = || -> Result<Piecewise<S>, AuditError> {
            let mass = distribution.limit().ok_or(DIVERGES)?;
            Ok(Piecewise::one().scaled(&mass))
        };
        let above = high.map_or_else(total, |high| Ok(at(high)))?;
        let message = match low {
            Some(low) => above.minus(&at(low)),
            None => above,
        };
        density = density.times(&message);
    }
    // Two different directions between the same two draws are a cycle of length two.
    if to_parent > 1 { Err(UNSUPPORTED_CYCLE) } else { Ok(density) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::piecewise::Enclosed;
    use probity_exact::rational;

    fn r(n: i64, d: i64) -> Rational {
        rational(n, d).unwrap()
    }

    /// One of three independent draws of one law is the largest with probability 1/3, for either law.
    #[test]
    fn the_largest_of_three() {
        for noise in [Noise::Laplace(r(2, 1)), Noise::Exponential(r(3, 2))] {
            let mut conditions = Conditions::default();
            for other in [1, 2] {
                assert!(conditions.require_not_positive(&Form::draw(other).minus(&Form::draw(0))));
            }
            let found: Enclosed = probability(&vec![noise; 3], &conditions).unwrap();
            assert!(found.contains(&r(1, 3)));
            assert!(found.width_up().to_rational().unwrap() < r(1, 1 << 60));
        }
    }

    /// A chain x1 ≤ x0, x2 ≥ x0 of equal laws: each order of three has probability 1/6.
    #[test]
    fn a_chain_is_an_order() {
        let mut conditions = Conditions::default();
        conditions.require_not_positive(&Form::draw(1).minus(&Form::draw(0)));
        conditions.require_not_positive(&Form::draw(0).minus(&Form::draw(2)));
        let found: Enclosed = probability(&vec![Noise::Laplace(r(1, 1)); 3], &conditions).unwrap();
        assert!(found.contains(&r(1, 6)));
    }

    #[test]
    fn cycles_and_wide_links_are_refused() {
        let mut cycle = Conditions::default();
        for (a, b) in [(0, 1), (1, 2), (0, 2)] {
            cycle.require_not_positive(&Form::draw(a).minus(&Form::draw(b)));
        }
        let noises = vec![Noise::Laplace(r(1, 1)); 3];
        assert_eq!(probability::<f64>(&noises, &cycle), Err(UNSUPPORTED_CYCLE));
        let mut wide = Conditions::default();
        wide.require_not_positive(&Form::draw(0).plus(&Form::draw(1)).plus(&Form::draw(2)));
        assert_eq!(probability::<f64>(&noises, &wide), Err(UNSUPPORTED_LINK));
        let mut two = Conditions::default();
        two.require_not_positive(&Form::draw(0).plus(&Form::draw(1)));
        two.require_not_positive(&Form::draw(0).minus(&Form::draw(1)));
        assert_eq!(probability::<f64>(&noises, &two), Err(UNSUPPORTED_CYCLE));
    }

    #[test]
    fn contradictions_are_seen() {
        let mut conditions = Conditions::default();
        let at_most = |v: i64| Form::draw(0).minus(&Form::constant(r(v, 1)));
        assert!(conditions.require_not_positive(&at_most(1)));
        assert_eq!(conditions.implies_not_positive(&at_most(2)), Some(true));
        assert_eq!(conditions.implies_not_positive(&at_most(0)), None);
        assert!(!conditions.require_not_positive(&at_most(1).scaled(&r(-1, 1))));
    }
}
