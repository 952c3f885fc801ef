//! The probability that independent draws meet linear conditions, by exact integration along a tree.
//!
//! Conditions link at most two draws each. If the links form a tree, it is integrated from its leaves:
//! for a leaf y linked to x, P(y meets the link | x) is a piecewise function of x, and it multiplies x's density.
//! That covers what mechanisms do with noise: comparisons with a noisy threshold, running maxima, windows.

use probity_exact::{Rational, Sign};

use crate::error::AuditError;
use crate::integrate::linear::{Noise, Window};

/// What densities and what becomes of them on the way to the root are made of.
pub(crate) trait Function: Clone {
    type Number;

    /// The density of a draw; `None` if it is not of this kind.
    fn density(noise: &Noise) -> Option<Self>;
    fn constant(x: &Self::Number) -> Self;
    /// The function, and 0 outside the bounds.
    fn restricted(&self, low: Option<&Rational>, high: Option<&Rational>) -> Self;
    fn times(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    /// t ↦ f(slope·t + offset), for a slope that is not 0.
    fn composed(&self, slope: &Rational, offset: &Rational) -> Self;
    /// The antiderivative that vanishes at −∞; `None` when the integral from −∞ diverges.
    fn antiderivative(&self) -> Option<Self>;
    /// The limit at +∞; `None` when there is no finite one.
    fn limit(&self) -> Option<Self::Number>;
}

/// The integral over the whole line.
fn integral<F: Function>(f: &F) -> Result<F::Number, AuditError> {
    f.antiderivative().and_then(|primitive| primitive.limit()).ok_or(DIVERGES)
}

/// The probability that the draws of a connected component meet its windows; `None` when the windows do not link the
/// draws as a tree, two by two.
pub(crate) fn probability<F: Function>(
    noises: &[Noise],
    windows: &[&Window],
) -> Result<Option<F::Number>, AuditError> {
    let mut densities: Vec<Option<F>> = vec![None; noises.len()];
    let mut links: Vec<Vec<&Window>> = vec![Vec::new(); noises.len()];
    for window in windows {
        for (draw, _) in &window.terms {
            if densities[*draw].is_none() {
                let Some(density) = F::density(&noises[*draw]) else { return Ok(None) };
                densities[*draw] = Some(density);
            }
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
            _ => return Ok(None),
        }
    }
    // The draw with most links is the root: its children are leaves in the common case.
    let draws = (0..noises.len()).filter(|&d| densities[d].is_some());
    let Some(root) = draws.max_by_key(|&d| links[d].len()) else {
        return Ok(None);
    };
    let mut done = vec![false; noises.len()];
    match integrate_tree(root, None, &densities, &links, &mut done)? {
        Some(tree) => Ok(Some(integral(&tree)?)),
        None => Ok(None),
    }
}

const DIVERGES: AuditError = AuditError::Unsupported { what: "an integral that diverges" };

/// The density of `draw`, times the probability of all that hangs below it; `None` when the links form no tree.
fn integrate_tree<F: Function>(
    draw: usize,
    parent: Option<usize>,
    densities: &[Option<F>],
    links: &[Vec<&Window>],
    done: &mut [bool],
) -> Result<Option<F>, AuditError> {
    if std::mem::replace(&mut done[draw], true) {
        return Ok(None);
    }
    let mut density = densities[draw].clone().ok_or(DIVERGES)?;
    let mut to_parent = 0;
    for window in &links[draw] {
        let [(first, _), (second, factor)] = &window.terms[..] else { return Ok(None) };
        let child = if *first == draw { *second } else { *first };
        if Some(child) == parent {
            to_parent += 1;
            continue;
        }
        let Some(below) = integrate_tree(child, Some(draw), densities, links, done)? else {
            return Ok(None);
        };
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
        let total = || -> Result<F, AuditError> { Ok(F::constant(&distribution.limit().ok_or(DIVERGES)?)) };
        let above = high.map_or_else(total, |high| Ok(at(high)))?;
        let message = match low {
            Some(low) => above.minus(&at(low)),
            None => above,
        };
        density = density.times(&message);
    }
    // Two different directions between the same two draws are a cycle of length two.
    Ok((to_parent <= 1).then_some(density))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrate::linear::{Conditions, Form};
    use crate::integrate::piecewise::{Enclosed, Piecewise, Scalar};
    use crate::integrate::smooth::Smooth;
    use probity_exact::rational;

    fn r(n: i64, d: i64) -> Rational {
        rational(n, d).unwrap()
    }

    fn tree<S: Scalar>(noises: &[Noise], conditions: &Conditions) -> Option<S> {
        probability::<Piecewise<S>>(noises, &conditions.windows.iter().collect::<Vec<_>>()).unwrap()
    }

    /// One of three independent draws of one law is the largest with probability 1/3, for any law.
    #[test]
    fn the_largest_of_three() {
        for noise in [Noise::Laplace(r(2, 1)), Noise::Exponential(r(3, 2)), Noise::Uniform] {
            let mut conditions = Conditions::default();
            for other in [1, 2] {
                assert!(conditions.require_not_positive(&Form::draw(other).minus(&Form::draw(0))));
            }
            let found: Enclosed = tree(&vec![noise; 3], &conditions).unwrap();
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
        let found: Enclosed = tree(&vec![Noise::Laplace(r(1, 1)); 3], &conditions).unwrap();
        assert!(found.contains(&r(1, 6)));
    }

    /// With normal noise too, alone and among others, by Taylor models; and they agree with closed forms.
    #[test]
    fn trees_of_normal_draws() {
        let smooth = |noises: &[Noise], conditions: &Conditions| {
            let windows: Vec<&Window> = conditions.windows.iter().collect();
            probability::<Smooth>(noises, &windows).unwrap().unwrap()
        };
        let narrow = |found: &Enclosed| found.width_up().to_rational().unwrap() < r(1, 1 << 36);
        let mut largest = Conditions::default();
        let mut chain = Conditions::default();
        for other in 1..5 {
            largest.require_not_positive(&Form::draw(other).minus(&Form::draw(0)));
            chain.require_not_positive(&Form::draw(other).minus(&Form::draw(other - 1)));
        }
        for noise in [Noise::Gaussian(r(3, 1)), Noise::Laplace(r(2, 3)), Noise::Exponential(r(5, 1))] {
            let noises = vec![noise; 5];
            let (a, b) = (smooth(&noises, &largest), smooth(&noises, &chain));
            assert!(a.contains(&r(1, 5)) && narrow(&a), "{noises:?} {a:?}");
            assert!(b.contains(&r(1, 120)) && narrow(&b), "{noises:?} {b:?}");
        }
        // Windows of all kinds: against closed forms where there are some.
        let noises = [Noise::Laplace(r(1, 2)), Noise::Exponential(r(2, 1)), Noise::Laplace(r(3, 1))];
        let mut mixed = Conditions::default();
        let at_most = |form: Form, bound: i64| form.minus(&Form::constant(r(bound, 1)));
        mixed.require_not_positive(&at_most(Form::draw(0).minus(&Form::draw(1).scaled(&r(2, 1))), -1));
        mixed.require_not_positive(&at_most(Form::draw(1).plus(&Form::draw(2)), 3));
        mixed.require_not_positive(&at_most(Form::draw(1).scaled(&r(-1, 1)), -1));
        mixed.require_not_positive(&at_most(Form::draw(2).scaled(&r(-1, 1)), 2));
        let (found, exact) = (smooth(&noises, &mixed), tree::<Enclosed>(&noises, &mixed).unwrap());
        assert!(found.intersection(&exact).is_some() && narrow(&found), "{found:?} {exact:?}");
    }

    #[test]
    fn cycles_and_wide_links_are_left_to_others() {
        let mut cycle = Conditions::default();
        for (a, b) in [(0, 1), (1, 2), (0, 2)] {
            cycle.require_not_positive(&Form::draw(a).minus(&Form::draw(b)));
        }
        let noises = vec![Noise::Laplace(r(1, 1)); 3];
        assert_eq!(tree::<f64>(&noises, &cycle), None);
        let mut wide = Conditions::default();
        wide.require_not_positive(&Form::draw(0).plus(&Form::draw(1)).plus(&Form::draw(2)));
        assert_eq!(tree::<f64>(&noises, &wide), None);
        let mut two = Conditions::default();
        two.require_not_positive(&Form::draw(0).plus(&Form::draw(1)));
        two.require_not_positive(&Form::draw(0).minus(&Form::draw(1)));
        assert_eq!(tree::<f64>(&noises, &two), None);
    }
}
