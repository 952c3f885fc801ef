//! Continuous entries of outputs: where they lie, how far their noise goes, and at which points half-lines of them may tell.

use probity_exact::{Format, Rational, Round, directed, rational_from_f64};

use crate::integrate::linear::{Form, Noise};
use crate::real::constants::bits;
use crate::real::world::{Real, RealWorld};
use crate::run::program::Value;

/// Numbers with more bits are shortened.
const LONG_BITS: usize = 40;

/// A continuous entry of an output: where it lies without noise, how far the noise goes, and its grid if it is rounded.
pub(crate) struct Entry {
    pub(crate) center: Rational,
    pub(crate) spread: Rational,
    pub(crate) grid: Option<Rational>,
    /// Whether all its noise is normal.
    pub(crate) normal: bool,
}

/// Where a continuous value lies, and how far its noise goes.
pub(crate) fn entry(world: &RealWorld<'_>, value: &Value<Real>) -> Option<Entry> {
    let spread = |form: &Form| {
        form.terms.iter().fold(Rational::ZERO, |sum, (draw, c)| {
            let size = if *c < Rational::ZERO { -c } else { c.clone() };
            sum + size
                * match &world.noises[*draw] {
                    Noise::Laplace(scale) | Noise::Exponential(scale) => scale.clone(),
                    Noise::Gaussian(variance) => {
                        rational_from_f64(directed::sqrt_up(directed::cast_up(variance))).unwrap_or_default()
                    }
                    Noise::Uniform | Noise::Unused => Rational::ONE,
                }
        })
    };
    let entry = |form: &Form, grid: Option<&Rational>| {
        let normal = form.terms.iter().all(|(draw, _)| matches!(world.noises[*draw], Noise::Gaussian(_)));
        // A spread that stands for an irrational number is as good with ten bits, and reads better.
        let spread = spread(form);
        let short = match bits(&spread) > LONG_BITS {
            true => Format::wide(10).round(&spread, Round::NearestEven).to_rational().unwrap_or(spread),
            false => spread,
        };
        Entry { center: form.constant.clone(), spread: short, grid: grid.cloned(), normal }
    };
    match value {
        Value::Number(Real::Form(form)) => Some(entry(form, None)),
        Value::Number(Real::Stepped(form, grid)) => Some(entry(form, Some(grid))),
        Value::Number(Real::Uniform(draw)) => Some(entry(&Form::draw(*draw), None)),
        _ => None,
    }
}

/// The ends of the interval that a number lies in for certain: by a condition of its path, or by the supports of its draws and the
/// conditions on each of them.
pub(crate) fn ends(world: &RealWorld<'_>, form: &Form) -> Vec<Rational> {
    let (low, high) = world.conditions.ends(form);
    let support = |draw: usize| match world.noises[draw] {
        Noise::Exponential(_) => (Some(Rational::ZERO), None),
        Noise::Uniform | Noise::Unused => (Some(Rational::ZERO), Some(Rational::ONE)),
        Noise::Laplace(_) | Noise::Gaussian(_) => (None, None),
    };
    let (mut least, mut most) = (Some(form.constant.clone()), Some(form.constant.clone()));
    for (draw, c) in &form.terms {
        let (known, limit) = (world.conditions.ends(&Form::draw(*draw)), support(*draw));
        let (from, to) = (known.0.or(limit.0), known.1.or(limit.1));
        let (from, to) = if *c > Rational::ZERO { (from, to) } else { (to, from) };
        least = least.zip(from).map(|(sum, x)| sum + c * x);
        most = most.zip(to).map(|(sum, x)| sum + c * x);
    }
    [low, high, least, most].into_iter().flatten().collect()
}

/// Most points at which half-lines are looked at.
pub(crate) const MOST_POINTS: usize = 28;

/// Points around the centers, in units of the spread; multiples of the grid if there is one.
pub(crate) fn points(entries: &[&Entry], most: usize) -> Vec<Rational> {
    let mut points: Vec<Rational> = Vec::new();
    for multiple in [0.0, 1.0, -1.0, 0.25, -0.25, 0.5, -0.5, 2.0, -2.0, 4.0, -4.0, 12.0, -12.0] {
        let multiple = rational_from_f64(multiple).unwrap_or_default();
        for entry in entries {
            let mut point = &entry.center + &entry.spread * &multiple;
            if let Some(grid) = &entry.grid {
                point = Rational::from((point / grid).round()) * grid;
            }
            if !points.contains(&point) && points.len() < most {
                points.push(point);
            }
        }
    }
    points.sort_unstable();
    points
}
