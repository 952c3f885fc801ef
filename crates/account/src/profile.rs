//! The whole curve δ(ε), with both bounds.

use std::time::{Duration, Instant};

use probity_exact::{Rational, parse_rational, rational_from_f64};

use crate::account::{Bracket, Effort, Question, account, directions, finish_by};
use crate::fixed::near;
use crate::general::Scene;
use crate::large;
use crate::lattice::Limit;
use crate::model::{Adjacency, Composition};
use crate::resolve::Side;
use crate::scout::{Aim, exp, ln};

/// The levels of δ around which laws are weighed: each weighing sees the curve near its own level best.
const LEVELS: [f64; 5] = [-1.0, -3.0, -6.0, -9.0, -12.0];

/// The share of the time in which is found how far the curve reaches.
const FIRST: f64 = 0.25;

/// δ with bounds at `points` losses of at most five digits from 0 to where it is about 10^−12.
pub fn profile(
    laws: &Composition,
    adjacency: Adjacency,
    points: usize,
    effort: &Effort,
) -> Result<Vec<(Rational, Bracket)>, String> {
    let (resolved, exact) = laws.resolved(adjacency, Side::Above)?;
    let deadline = Instant::now() + Duration::from_secs_f64(effort.seconds.clamp(0.0, 1e6));
    let last = of_double(exp(-12.0 * ln(10.0)));
    let rough = Effort { width: 0.02, seconds: effort.seconds * FIRST, ..effort.clone() };
    let end = account(laws, adjacency, &Question::Epsilon(last), &rough)?;
    let end = end.bracket.upper.as_ref().map_or(1.0, near).max(1e-6);
    let grid: Vec<Rational> =
        (0..points).map(|k| short(end * k as f64 / (points.max(2) - 1) as f64)).collect();
    let closed = crate::closed::answer(&resolved, &Question::Delta(Rational::ONE), deadline).is_some();
    // Lattices of ratios do not reach large losses: each point is a question of its own, with its share of the time.
    if closed || !exact || large::is_too_large(&resolved) {
        let at = |(k, epsilon): (usize, &Rational)| {
            let left = deadline.saturating_duration_since(Instant::now()).as_secs_f64();
            let effort = &Effort { seconds: left / (points - k) as f64, ..effort.clone() };
            let answer = account(laws, adjacency, &Question::Delta(epsilon.clone()), effort)?;
            Ok((epsilon.clone(), answer.bracket))
        };
        return grid.iter().enumerate().map(at).collect();
    }
    let mut result: Option<Vec<Bracket>> = None;
    for direction in directions(&resolved, adjacency) {
        let mut brackets = vec![Bracket { lower: Rational::ZERO, upper: Some(Rational::ONE) }; points];
        for level in LEVELS {
            let scene = Scene::new(&resolved, *direction, Aim::LnDelta(level * ln(10.0)), deadline)?;
            let Some(scene) = scene else { continue };
            let limit = Limit { deadline: finish_by(deadline), points: 1 << 22 };
            let Ok(around) = scene.compose(scene.step_for(2e-3), &limit) else { continue };
            for (epsilon, bracket) in grid.iter().zip(&mut brackets) {
                if Instant::now() > deadline {
                    break;
                }
                let below = around.below.delta(epsilon, false).unwrap_or(Rational::ZERO);
                let above = around.above.delta(epsilon, true);
                *bracket = bracket.clone().and(Bracket { lower: below, upper: above });
            }
        }
        result = Some(match result {
            None => brackets,
            Some(others) => others.into_iter().zip(brackets).map(|(a, b)| a.or(b)).collect(),
        });
    }
    Ok(grid.into_iter().zip(result.unwrap_or_default()).collect())
}

/// A number of five digits nearby: whoever shows it shows the one that the bounds are for.
fn short(x: f64) -> Rational {
    parse_rational(&format!("{x:.4e}")).unwrap_or_else(|_| of_double(x))
}

fn of_double(x: f64) -> Rational {
    rational_from_f64(x).unwrap_or(Rational::ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_have_few_digits() {
        for (x, shown) in
            [(0.0, "0"), (1.12653061, "11265/10000"), (0.00093878123, "9.3878e-4"), (4711.6, "4711.6")]
        {
            assert_eq!(short(x), parse_rational(shown).unwrap(), "{x}");
        }
    }
}
