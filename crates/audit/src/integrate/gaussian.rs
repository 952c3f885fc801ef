//! The probability that draws with normal ones among them meet linear conditions.
//!
//! A window of a single normal draw is a difference of two values of Φ, to 100 bits. Otherwise the draws are integrated
//! along a tree, as [`crate::integrate::forest`] does, with piecewise Taylor models.

use probity_exact::{Enclosure, Endpoint, Float, Format, Rational};

use crate::error::AuditError;
use crate::integrate::forest;
use crate::integrate::linear::{Form, Noise, Window};
use crate::integrate::normal::{self, Terms};
use crate::integrate::piecewise::{Enclosed, Scalar};
use crate::integrate::smooth::Smooth;

const NO_TREE: AuditError = AuditError::Unsupported {
    what: "conditions that link normal draws in another way than two by two, as a tree",
};

/// The probability that the draws of a connected component meet its windows.
pub(crate) fn probability(
    noises: &[Noise],
    windows: &[&Window],
    quick: bool,
) -> Result<Enclosed, AuditError> {
    // A single window needs at most one normal draw; more may be a tree as they are.
    if windows.len() > 1
        && let Some(mass) = integrated(noises, windows, quick)?
    {
        return Ok(mass);
    }
    let (noises, windows) = orthogonal(noises, windows);
    integrated(&noises, &windows.iter().collect::<Vec<_>>(), quick)?.ok_or(NO_TREE)
}

fn integrated(noises: &[Noise], windows: &[&Window], quick: bool) -> Result<Option<Enclosed>, AuditError> {
    match single(noises, windows, quick) {
        Some(mass) => Ok(Some(mass)),
        None => forest::probability::<Smooth>(noises, windows),
    }
}

/// A single window of a single draw.
fn single(noises: &[Noise], windows: &[&Window], quick: bool) -> Option<Enclosed> {
    let [window] = windows else { return None };
    let [(draw, _)] = &window.terms[..] else { return None };
    match &noises[*draw] {
        Noise::Gaussian(variance) => {
            let (low, high) = (window.low.as_ref(), window.high.as_ref());
            Some(match quick {
                true => {
                    let mass = window_of_normal::<f64>(variance, low, high, (), Terms::FAST);
                    Enclosed::between(&Float::from_f64(*mass.low()), &Float::from_f64(*mass.high()))
                }
                false => {
                    let format = Format::wide(128);
                    let mass = window_of_normal::<Float>(variance, low, high, format, Terms::FINE);
                    Enclosed::between(mass.low(), mass.high())
                }
            })
        }
        _ => None,
    }
}

/// The normal parts of the windows in terms of independent normal draws, as few as there are different ones
/// (Gram–Schmidt, over the rationals since only variances matter).
fn orthogonal(noises: &[Noise], windows: &[&Window]) -> (Vec<Noise>, Vec<Window>) {
    let variance = |draw: usize| match &noises[draw] {
        Noise::Gaussian(variance) => Some(variance),
        _ => None,
    };
    let product = |a: &Form, b: &Form| {
        let mut sum = Rational::ZERO;
        for (draw, x) in &a.terms {
            let y = b.terms.iter().find(|(d, _)| d == draw).map(|(_, y)| y);
            if let (Some(y), Some(v)) = (y, variance(*draw)) {
                sum += x * y * v;
            }
        }
        sum
    };
    let mut laws = noises.to_vec();
    let mut basis: Vec<(Form, usize)> = Vec::new();
    let mut changed = Vec::new();
    for window in windows {
        let (normal, other): (Vec<_>, Vec<_>) =
            window.terms.iter().cloned().partition(|(draw, _)| variance(*draw).is_some());
        let mut rest = Form { constant: Rational::ZERO, terms: normal };
        let mut sum = Form { constant: Rational::ZERO, terms: other };
        for (direction, draw) in &basis {
            let share = product(&rest, direction) / product(direction, direction);
            rest = rest.minus(&direction.scaled(&share));
            sum = sum.plus(&Form::draw(*draw).scaled(&share));
        }
        if !rest.is_constant() {
            laws.push(Noise::Gaussian(product(&rest, &rest)));
            sum = sum.plus(&Form::draw(laws.len() - 1));
            basis.push((rest, laws.len() - 1));
        }
        let lead = sum.terms.first().map_or(Rational::ONE, |(_, c)| c.clone());
        let scaled = |bound: &Option<Rational>| bound.as_ref().map(|bound| bound / &lead);
        let (mut low, mut high) = (scaled(&window.low), scaled(&window.high));
        if lead < Rational::ZERO {
            std::mem::swap(&mut low, &mut high);
        }
        changed.push(Window { terms: sum.scaled(&(Rational::ONE / &lead)).terms, low, high });
    }
    (laws, changed)
}

/// P(low ≤ X ≤ high) for a normal X.
fn window_of_normal<E: Endpoint>(
    variance: &Rational,
    low: Option<&Rational>,
    high: Option<&Rational>,
    precision: E::Precision,
    terms: Terms,
) -> Enclosure<E> {
    let point = |x: &Rational| Enclosure::<E>::around(x, precision);
    let deviation = point(variance).sqrt();
    let below = |bound: &Rational| {
        let standardised = deviation.as_ref().and_then(|deviation| point(bound).checked_div(deviation));
        let x = standardised.unwrap_or_else(|| Enclosure::everything(precision));
        normal::distribution(&x, terms)
    };
    // Both tails are precise where they are small: an interval above 0 is taken by its mirror image.
    let mass = match (low, high) {
        (Some(low), high) if *low > Rational::ZERO => {
            let far = high.map_or(point(&Rational::ZERO), |high| below(&-high));
            below(&-low) - far
        }
        (low, high) => {
            let above = high.map_or(point(&Rational::ONE), below);
            above - low.map_or(point(&Rational::ZERO), below)
        }
    };
    mass.max(&point(&Rational::ZERO))
}
