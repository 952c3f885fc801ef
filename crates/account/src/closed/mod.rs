//! Closed forms: compositions whose δ(ε) is a formula. `docs/accounting.md`, section 7.

mod binomial;
mod factorial;
mod guarantee;
mod laplace;
mod many;
mod normal;
pub(crate) mod second;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Instant;

use probity_exact::{Rational, exp_bounds};

use crate::account::{Bracket, Question};
use crate::fixed::{self, Total, near};
use crate::general;
use crate::large;
use crate::laws::{best_order, exponent_bound};
use crate::model::{Direction, Simple};
use crate::scout::ln;
use crate::search::invert;

pub(crate) use binomial::Binomial;
pub(crate) use many::very_many;

/// Lower and upper bounds of a number.
pub(crate) type Bounds = (Rational, Rational);

/// The bracket and the name of the formula, if there is one for the composition. After the deadline it is what was reached.
pub(crate) fn answer(
    laws: &[(Simple, u64)],
    question: &Question,
    deadline: Instant,
) -> Option<(Bracket, &'static str)> {
    if laws.is_empty() {
        return Some((Bracket { lower: Rational::ZERO, upper: Some(Rational::ZERO) }, "nothing is released"));
    }
    if let Question::Epsilon(delta) = question
        && delta.is_zero()
    {
        return pure_sum(laws);
    }
    match laws {
        [(Simple::Normal(square), 1)] => {
            let delta = |epsilon: &Rational| normal::delta(square, epsilon);
            Some((bracket(question, &delta, normal::guess(square, question)), "normal laws in closed form"))
        }
        [(Simple::Rho(rho), 1)] => {
            let square = rho * Rational::from(2);
            let below = |epsilon: &Rational| Some(normal::delta(&square, epsilon)?.0);
            let above = |epsilon: &Rational| concentrated(rho, epsilon);
            let bracket = sides(question, &below, &above, normal::guess(&square, question));
            Some((bracket, "zCDP: best order above, the normal law below"))
        }
        [(Simple::Pure(loss, told), 1)] => Some((guarantee::bracket(loss, told, question)?, ONE)),
        [(Simple::Pure(_, delta), n)] if *n > MANY && delta.is_zero() => many::answer(laws, question),
        [(Simple::Laplace(c), 1)] => Some((laplace::laplace(c, question)?, ONE)),
        [(Simple::DiscreteLaplace(scale, s), 1)] => {
            Some((laplace::discrete_laplace(scale, *s, question), ONE))
        }
        // Sums of large losses are no sums of terms of one size.
        [(law, _)] if large::size(law) > LARGEST => None,
        [(law, n)] => match Binomial::of(law, *n) {
            Some(binomial) => {
                let delta = |epsilon: &Rational| binomial.delta(epsilon, deadline);
                let mut found = bracket(question, &delta, binomial.guess(question));
                if let (Question::Epsilon(_), Some((sum, _))) = (question, pure_sum(laws)) {
                    found = Bracket { lower: Rational::ZERO, ..sum }.and(found);
                }
                Some((found, "binomial sum"))
            }
            None if *n == 1 && law.symmetric() && !law.is_bound_only() => single(law, question, deadline),
            None => None,
        },
        _ if laws.len() <= FEWEST => None,
        _ => many::answer(laws, question),
    }
}

/// With more copies of one pure law than this, sums of binomial terms take too long.
const MANY: u64 = 1_000_000_000;

/// One law with losses beyond this is composed by its losses alone.
const LARGEST: f64 = 300.0;

/// How one mechanism, once, is answered.
const ONE: &str = "one mechanism in closed form";

/// With fewer different pure laws than this, the lattice is better.
const FEWEST: usize = 64;

/// ε at δ = 0: the sum of pure losses, and there is none where a law has unbounded loss.
fn pure_sum(laws: &[(Simple, u64)]) -> Option<(Bracket, &'static str)> {
    let mut sum = Total::new();
    for (law, n) in laws {
        let (loss, _) = law.guarantee().filter(|(_, delta)| delta.is_zero())?;
        sum.add(&loss, *n);
    }
    let (lower, upper) = sum.bounds();
    Some((Bracket { lower, upper }, "sum of pure losses"))
}

/// δ of ρ-zCDP at ε by a good order, from above.
fn concentrated(rho: &Rational, epsilon: &Rational) -> Option<Rational> {
    let order = best_order(near(rho), near(epsilon));
    Some(exponent_bound(rho, epsilon, order).map_or(Rational::ONE, |delta| delta.min(Rational::ONE)))
}

/// One mechanism, once: its own curve. How many bits its masses need is seen when they do not suffice: a loss of ε has masses
/// of e^(−ε).
fn single(law: &Simple, question: &Question, deadline: Instant) -> Option<(Bracket, &'static str)> {
    let mut bits = match question {
        Question::Delta(epsilon) => 240 + (near(epsilon).min(1e4) * 3.0) as usize,
        Question::Epsilon(delta) => 240 + (-ln(near(delta)) * 3.0) as usize,
    };
    let mut found = with_bits(law, question, bits, deadline)?;
    while found.width() > 1e-9 && bits < 1 << 16 && Instant::now() < deadline {
        bits *= 4;
        let Some(finer) = with_bits(law, question, bits, deadline) else { break };
        found = found.and(finer);
    }
    Some((found, ONE))
}

fn with_bits(law: &Simple, question: &Question, bits: usize, deadline: Instant) -> Option<Bracket> {
    let curve = general::curve(law, Direction::Either, bits, deadline).ok()??;
    let ratio = |epsilon: &Rational, up: bool| {
        let (low, high) = exp_bounds(epsilon, bits as u32 + 8);
        let (low, high) = (low.to_rational()?, high.to_rational()?);
        Some(fixed::natural(if up { fixed::ceil(&high, bits) } else { fixed::floor(&low, bits) }))
    };
    // H falls in γ.
    let above = |epsilon: &Rational| Some(fixed::value(&curve.upper(&ratio(epsilon, false)?), bits));
    let below = |epsilon: &Rational| {
        let gamma = ratio(epsilon, true)?;
        let event = curve.event(&gamma);
        let lost = fixed::mul_up(&gamma, &event.q.high, bits);
        let kept = if event.p.low > lost { event.p.low - lost } else { 0u8.into() };
        Some(fixed::value(&kept.max(curve.infinite()), bits))
    };
    Some(sides(question, &below, &above, 1.0))
}

/// Both sides look at the same places at first, so each is computed once.
fn bracket(question: &Question, delta: &dyn Fn(&Rational) -> Option<Bounds>, guess: f64) -> Bracket {
    let known: RefCell<BTreeMap<Rational, Option<Bounds>>> = RefCell::default();
    let once = |epsilon: &Rational| {
        let found = known.borrow().get(epsilon).cloned();
        found.unwrap_or_else(|| {
            let bounds = delta(epsilon);
            known.borrow_mut().insert(epsilon.clone(), bounds.clone());
            bounds
        })
    };
    sides(question, &|epsilon| Some(once(epsilon)?.0), &|epsilon| Some(once(epsilon)?.1), guess)
}

fn sides(
    question: &Question,
    below: &dyn Fn(&Rational) -> Option<Rational>,
    above: &dyn Fn(&Rational) -> Option<Rational>,
    guess: f64,
) -> Bracket {
    match question {
        Question::Delta(epsilon) => Bracket {
            lower: below(epsilon).unwrap_or(Rational::ZERO),
            upper: Some(above(epsilon).unwrap_or(Rational::ONE).min(Rational::ONE)),
        },
        Question::Epsilon(delta) => Bracket {
            lower: invert(below, delta, guess, false).unwrap_or(Rational::ZERO),
            upper: invert(above, delta, guess, true),
        },
    }
}
