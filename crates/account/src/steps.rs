//! Several records one after the other: a replacement is a removal and an addition, a group of k is k records.
//!
//! For P₀, P₁, …, P_k, each a neighbour of the one before, H of the whole composition for one step gives
//! H_{e^(kε)}(P₀ ‖ P_k) ≤ (1 + e^ε + … + e^((k−1)ε))·δ₁(ε) (`docs/accounting.md` section 2). For a long composition this is far
//! narrower than composing bounds of single mechanisms.

use std::time::Instant;

use probity_exact::{Natural, Rational, exp_bounds};

use crate::account::{Composing, Effort, Question, directions};
use crate::closed;
use crate::fixed::{self, near};
use crate::model::{Adjacency, Composition, Law, Simple};
use crate::resolve::Side;

/// Most refinements of the δ that one step may have.
const ROUNDS: usize = 8;

/// How narrow the answers for one step are.
const WIDTH: f64 = 1e-3;

/// The composition for one step, and the number of steps, where the laws are known for single steps.
pub(crate) fn of_question(
    composition: &Composition,
    laws: &[(Simple, u64)],
    adjacency: Adjacency,
) -> Option<(Vec<(Simple, u64)>, u32)> {
    if adjacency == Adjacency::Replace {
        let replaced = laws.iter().any(|(law, _)| matches!(law, Simple::Replaced(..)));
        return match replaced && composition.parts.iter().all(|(law, _)| is_noise(law)) {
            true => Some((composition.resolved(Adjacency::AddRemove, Side::Above).ok()?.0, 2)),
            false => None,
        };
    }
    let size = |law: &Simple| match law {
        Simple::Group(size, _) => Some(*size),
        _ => None,
    };
    let first = size(&laws.first()?.0)?;
    let same = laws.iter().all(|(law, _)| size(law) == Some(first));
    same.then(|| (laws.iter().map(|(law, n)| (law.of_one().clone(), *n)).collect(), first))
}

/// Whether a law says what adding and removing a record does: noise, and samples of it. A guarantee speaks of the adjacency that is
/// asked about, and of no other.
fn is_noise(law: &Law) -> bool {
    match law {
        Law::Gaussian { .. }
        | Law::Laplace { .. }
        | Law::DiscreteLaplace { .. }
        | Law::DiscreteGaussian { .. } => true,
        Law::Poisson { law, .. } => law.parts.iter().all(|(law, _)| is_noise(law)),
        _ => false,
    }
}

/// An upper bound by so many steps; `None` if none was found in time.
pub(crate) fn upper(
    laws: &[(Simple, u64)],
    steps: u32,
    question: &Question,
    effort: &Effort,
    deadline: Instant,
) -> Option<Rational> {
    let effort = Effort { width: effort.width.max(WIDTH), ..effort.clone() };
    let one = |question: &Question| of_one_step(laws, question, &effort, deadline);
    match question {
        Question::Delta(epsilon) => {
            let share = epsilon / Rational::from(steps);
            let delta = one(&Question::Delta(share.clone()))?;
            Some((delta * factor(&share, steps)?).min(Rational::ONE))
        }
        Question::Epsilon(delta) => {
            // The δ of one step must leave room for a factor that grows with its ε.
            let mut share = delta / Rational::from(steps);
            for _ in 0..ROUNDS {
                let epsilon = one(&Question::Epsilon(share.clone()))?;
                let factor = factor(&epsilon, steps)?;
                if &share * &factor <= *delta {
                    return Some(epsilon * Rational::from(steps));
                }
                if near(&epsilon) > 200.0 {
                    return None;
                }
                share = shortened(&(delta / factor));
            }
            None
        }
    }
}

/// A little less, in few digits.
fn shortened(share: &Rational) -> Rational {
    let less = near(share) * 0.99;
    probity_exact::rational_from_f64(less).unwrap_or_else(|| share.clone())
}

/// 1 + e^ε + … + e^((k−1)ε), rounded up. In fixed point: fractions would have k times as many bits as a power.
fn factor(epsilon: &Rational, steps: u32) -> Option<Rational> {
    let bits = 128;
    let power = exp_bounds(epsilon, bits as u32).1.to_rational()?;
    let power = fixed::natural(fixed::ceil(&power, bits));
    let (mut sum, mut next) = (Natural::ZERO, Natural::ONE << bits);
    for _ in 0..steps {
        sum += &next;
        next = fixed::mul_up(&next, &power, bits);
    }
    Some(fixed::value(&sum, bits))
}

fn of_one_step(
    laws: &[(Simple, u64)],
    question: &Question,
    effort: &Effort,
    deadline: Instant,
) -> Option<Rational> {
    if effort.closed_forms
        && let Some((bracket, _)) = closed::answer(laws, question, deadline)
    {
        return bracket.upper;
    }
    let found =
        Composing { laws, question, effort, deadline }.all(directions(laws, Adjacency::AddRemove)).ok()?;
    found.into_iter().map(|found| found.bracket.upper).reduce(|a, b| a.zip(b).map(|(a, b)| a.max(b)))?
}
