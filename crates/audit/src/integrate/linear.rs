//! Linear forms in independent continuous draws, and linear conditions on them.

use std::collections::BTreeMap;

use probity_exact::{Rational, Sign};

/// The law of a continuous draw, centred.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Noise {
    /// Laplace noise with this scale.
    Laplace(Rational),
    /// Exponential noise with this scale.
    Exponential(Rational),
    /// Normal noise with this variance.
    Gaussian(Rational),
    /// A uniform number in (0, 1].
    Uniform,
    /// A uniform number that was not used yet: a use makes it `Uniform`, a logarithm makes it e^(−`Exponential(1)`).
    Unused,
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
    pub(crate) terms: Vec<(usize, Rational)>,
    pub(crate) low: Option<Rational>,
    pub(crate) high: Option<Rational>,
}

/// Linear conditions on draws.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Conditions {
    pub(crate) windows: Vec<Window>,
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
        let (low, high) = self.ends(form);
        Some((low?, high?))
    }

    /// The ends of the interval that a form with draws is confined to by a single window, where there are such.
    pub(crate) fn ends(&self, form: &Form) -> (Option<Rational>, Option<Rational>) {
        let (terms, _, positive) = normalised(form);
        let window = self.windows.iter().find(|w| w.terms == terms);
        let (Some(window), Some((_, lead))) = (window, form.terms.first()) else { return (None, None) };
        let at = |bound: &Option<Rational>| bound.as_ref().map(|bound| bound * lead + &form.constant);
        let (low, high) = (at(&window.low), at(&window.high));
        if positive { (low, high) } else { (high, low) }
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

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    fn r(n: i64, d: i64) -> Rational {
        rational(n, d).unwrap()
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
