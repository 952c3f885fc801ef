//! Large losses: little noise tells so much that e^L is no number to compute with, and what matters of a law is how its loss is
//! distributed under P alone. `docs/accounting.md`, section 7.
//!
//! δ(ε) = E_P[(1 − e^(ε−L))₊] grows with L. So losses are rounded up to a lattice for the bound from above and down for the one from
//! below, and added up in integers as those of other compositions are.

mod range;
mod tail;

use std::f64::consts::LOG2_E;
use std::time::{Duration, Instant};

use probity_exact::{Integer, Natural, Rational, rational_from_f64};

use crate::account::{Found, Question, finish_by, read};
use crate::fixed::{self, near};
use crate::general::{Around, Side, rounded};
use crate::lattice::{Law, Limit, Step, Stop, Tilt};
use crate::laws::Real;
use crate::model::{Direction, Simple};
use crate::scout::{self, Aim, Guess, Sketch};
use range::Range;
use tail::Tail;

/// From here on losses are large: what they say of Q is hardly seen.
const LARGE: f64 = 25.0;

/// Where a lattice of ratios e^L takes too long.
const TOO_LARGE: f64 = 400.0;

/// Points for one law in the first pass.
const POINTS: f64 = 400.0;

/// No weight is more than e to this of another one.
const HEAVIEST: f64 = 1500.0;

/// Points for the deviation of a composition in the first pass.
const COMPOSED: f64 = 60_000.0;

/// Points for one law at most.
const MOST_POINTS: f64 = (1u64 << 19) as f64;

/// How large losses are that matter, in doubles; 0 for laws whose tails are not known.
pub(crate) fn size(law: &Simple) -> f64 {
    let squared = |square: &Rational| near(square) / 2.0 + 10.0 * near(square).sqrt();
    match law {
        Simple::Normal(square) => squared(square),
        Simple::Rho(rho) => squared(&(rho * Rational::from(2))),
        Simple::Laplace(c) => near(c),
        Simple::DiscreteLaplace(scale, s) => near(&(Rational::from(*s) / scale)),
        Simple::DiscreteGaussian(variance, s) => {
            let s = Rational::from(*s);
            squared(&(&s * &s / variance)) + near(&(s / variance))
        }
        Simple::Pure(epsilon, _) => near(epsilon),
        Simple::Response(k, p) => {
            let each = (Rational::ONE - p) / Rational::from(k.clone() - Natural::ONE);
            scout::ln(near(&(p / each)))
        }
        Simple::Poisson(_, law) | Simple::Replaced(_, _, law) => size(law),
        Simple::Group(k, law) => f64::from(*k) * size(law),
    }
}

/// Whether a composition has large losses.
pub(crate) fn is_large(laws: &[(Simple, u64)]) -> bool {
    laws.iter().any(|(law, _)| size(law) > LARGE || size(law).is_nan())
}

/// Whether its losses are so large that there is no other lattice for it.
pub(crate) fn is_too_large(laws: &[(Simple, u64)]) -> bool {
    laws.iter().any(|(law, _)| size(law) > TOO_LARGE || size(law).is_nan())
}

/// A composition in one direction.
struct Scene<'a> {
    laws: &'a [(Simple, u64)],
    /// Where each law's masses are.
    ranges: Vec<Range>,
    direction: Direction,
    /// ln of what may be left out at the right of one law.
    far: f64,
}

/// The bracket, by passes that get finer until it has the width or the time is over; `None` for laws whose tails are not known.
pub(crate) fn bracket(
    laws: &[(Simple, u64)],
    direction: Direction,
    question: &Question,
    width: f64,
    deadline: Instant,
) -> Option<Found> {
    let copies = laws.iter().map(|(_, n)| *n as f64).sum::<f64>();
    let ln_delta = match question {
        Question::Epsilon(delta) => scout::ln(near(delta)),
        Question::Delta(_) => -60.0,
    };
    let rare = -30.0 - scout::ln(copies);
    let ranges = laws.iter().map(|(law, _)| {
        Some(Tail::new(law, direction, true, rounded(0), deadline)?.range(rare, rare + ln_delta))
    });
    let ranges: Vec<Range> = ranges.collect::<Option<_>>()?;
    let scene = Scene { laws, ranges, direction, far: rare + ln_delta };
    let mut found = Found::nothing(question);
    let (mut step, mut before) = (scene.coarsest()?, 0.0);
    for _ in 0..8 {
        let begin = Instant::now();
        let limit = Limit { deadline: finish_by(deadline), points: 1 << 21 };
        let (around, guess) = match scene.compose(step, question, &limit) {
            Ok(around) => around,
            Err(Stop::Size) if found.points == 0 => {
                step *= 8.0;
                continue;
            }
            Err(_) => break,
        };
        found = found.with(read(&around, question, guess.epsilon, deadline), &around);
        let reached = found.bracket.width();
        // The grain of all losses is one step, whatever is wished for.
        let nothing = found.bracket.upper.as_ref().is_some_and(|upper| near(upper) < 1e-300);
        if reached <= width || nothing || before == around.step {
            break;
        }
        before = around.step;
        // The width falls as the step does; a finer lattice takes as much longer.
        let next = step * (0.7 * width / reached).clamp(1.0 / 64.0, 0.5);
        let left = deadline.saturating_duration_since(Instant::now());
        let cost = begin.elapsed().max(Duration::from_millis(1)).as_secs_f64() * 1.5;
        let affordable = step * cost / left.as_secs_f64().max(1e-9);
        step = next.max(affordable);
        if step > around.step * 0.8 {
            break;
        }
    }
    Some(found)
}

impl Scene<'_> {
    /// A step that surely takes little time.
    fn coarsest(&self) -> Option<f64> {
        let mut widest: f64 = 0.0;
        for ((_, n), range) in self.laws.iter().zip(&self.ranges) {
            // The deviation of a sum of n is √n times that of one.
            let points = POINTS.min(COMPOSED / (*n as f64).sqrt());
            let grain = range.grain.as_ref().map_or(0.0, near);
            widest = widest.max((range.left + range.right) / points).max(grain / POINTS);
        }
        Some(widest.max(1e-12)).filter(|step| step.is_finite())
    }

    /// The step that is used: the grain of the losses where one law has nearly all of them, or a part of it.
    fn aligned(&self, wanted: f64) -> Option<Rational> {
        let wish = |(range, (_, n)): (&Range, &(Simple, u64))| {
            let wish = range.grain.clone().or_else(|| range.span.clone())?;
            let weight = near(&wish) * *n as f64;
            Some((wish, weight, range.grain.is_some()))
        };
        let wishes: Vec<(Rational, f64, bool)> = self.ranges.iter().zip(self.laws).filter_map(wish).collect();
        let exact = rational_from_f64(wanted)?;
        let Some((wish, ..)) = wishes.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else { return Some(exact) };
        let common =
            wishes.len() == self.laws.len() && wishes.iter().all(|(other, _, grain)| *grain && other == wish);
        let parts = (wish / &exact).ceil().max(Integer::ONE);
        Some(if common { wish.clone() } else { wish / Rational::from(parts) })
    }

    fn compose(&self, wanted: f64, question: &Question, limit: &Limit) -> Result<(Around, Guess), Stop> {
        let step = self.aligned(wanted).ok_or(Stop::Size)?;
        let guess = self.guess(&step, question, limit)?;
        let theta = rational_from_f64(guess.theta).ok_or(Stop::Size)?;
        let tilt = Tilt { theta, step: Real::exact(step.clone()) };
        let (mut above, mut below) = (Side::new(true), Side::new(false));
        for ((law, n), range) in self.laws.iter().zip(&self.ranges) {
            let weighed = guess.theta * (range.left + range.right + near(&step)) * LOG2_E;
            if !weighed.is_finite() {
                return Err(Stop::Size);
            }
            let bits = rounded(150 + weighed as usize + (-self.far * LOG2_E) as usize);
            let found = self.discretise(law, range, &step, bits, limit)?;
            let offset = Real::exact(range.anchor.clone());
            above.add(&found, &offset, *n, &tilt, limit)?;
            below.add(&found, &offset, *n, &tilt, limit)?;
        }
        let points = above.points();
        let (above, below) = (above.finish(&tilt)?, below.finish(&tilt)?);
        Ok((Around { above, below, step: near(&step), points }, guess))
    }

    /// Where the answer lies and how to weigh, from laws on few points. Losses are measured in deviations of their sum.
    fn guess(&self, step: &Rational, question: &Question, limit: &Limit) -> Result<Guess, Stop> {
        let bits = rounded(100 + (-self.far * LOG2_E) as usize);
        let (mut sketches, mut centre, mut spread) = (Vec::new(), 0.0, 0.0);
        for ((law, n), range) in self.laws.iter().zip(&self.ranges) {
            let coarse = near(step).max((range.left + range.right) / POINTS);
            let coarse = rational_from_f64(coarse).ok_or(Stop::Size)?;
            // A grain is kept, so that few masses stay few.
            let coarse = if near(&coarse) <= near(step) { step.clone() } else { coarse };
            let law = self.discretise(law, range, &coarse, bits, limit)?.above;
            let at = |j: usize| (law.lo + j as i64) as f64 * near(&coarse);
            let atoms: Vec<(f64, f64)> = law
                .masses
                .iter()
                .enumerate()
                .map(|(j, mass)| (at(j), fixed::doubles(mass, bits).0))
                .filter(|(_, mass)| *mass > 1e-290)
                .collect();
            let sketch = Sketch { atoms };
            let (_, _, variance) = sketch.cumulants(0.0);
            spread += *n as f64 * variance;
            centre += *n as f64 * near(&range.anchor);
            sketches.push((sketch, *n));
        }
        let unit = spread.sqrt().max(near(step)).max(1e-300);
        for (sketch, _) in &mut sketches {
            sketch.atoms.iter_mut().for_each(|(loss, _)| *loss /= unit);
        }
        let aim = match question {
            Question::Delta(epsilon) => Aim::Epsilon(((near(epsilon) - centre) / unit).clamp(-1e9, 1e9)),
            Question::Epsilon(delta) => Aim::LnDelta(scout::ln(near(delta))),
        };
        let found = scout::guess(&sketches, aim);
        // More weight than this only loses precision, or takes long.
        let widest = self.ranges.iter().map(|range| range.left + range.right).fold(near(step), f64::max);
        let theta = found.theta.min(3.0 * (20.0 - found.ln_delta.max(-700.0))).max(1e-3) / unit;
        let theta = theta.min(HEAVIEST / widest);
        // Far below all losses, what was rounded away would count for more than there is.
        let theta = match question {
            Question::Delta(epsilon) if near(epsilon) < centre => theta.min(30.0 / (centre - near(epsilon))),
            _ => theta,
        };
        let epsilon = match question {
            Question::Delta(epsilon) => near(epsilon),
            Question::Epsilon(_) => centre + found.epsilon * unit,
        };
        Ok(Guess { theta, epsilon, ..found })
    }

    /// Both laws of a loss: each mass is moved up to the next point of the lattice, or down to the one before, a hair lower.
    fn discretise(
        &self,
        law: &Simple,
        range: &Range,
        step: &Rational,
        bits: usize,
        limit: &Limit,
    ) -> Result<Step, Stop> {
        let (h, far) = (near(step), MOST_POINTS);
        let (lo, hi) = ((-range.left / h).floor() - 1.0, (range.right / h).ceil() + 1.0);
        if !(-lo < far && hi < far) {
            return Err(Stop::Size);
        }
        let (lo, hi) = (lo as i64, hi as i64);
        let late = || if Instant::now() > limit.deadline { Stop::Time } else { Stop::Size };
        let tail = |up: bool| Tail::new(law, self.direction, up, bits, limit.deadline).ok_or_else(late);
        let (upper, lower) = (tail(true)?, tail(false)?);
        let slack = range.hair.clone();
        let one = Natural::ONE << bits;
        let infinite = lower.infinite();
        let (mut above, mut below) = (Vec::new(), Vec::new());
        for j in lo..=hi {
            if j % 16 == 0 && Instant::now() > limit.deadline {
                return Err(Stop::Time);
            }
            let x = &range.anchor + step * Rational::from(j);
            // At least P(L > x), falling; and at most P(L > x − slack).
            let high = upper.above(&x).high.min(one.clone());
            let last = above.last().cloned().unwrap_or_else(|| one.clone());
            above.push(high.min(last));
            below.push(lower.above(&(x - &slack)).low);
        }
        for j in (0..below.len()).rev() {
            let next = below.get(j + 1).unwrap_or(&infinite).clone();
            if below[j] < next {
                below[j] = next;
            }
        }
        Ok(Step { bits, above: rounded_up(above, lo, one), below: rounded_down(below, lo, infinite), slack })
    }
}

/// Masses at the points of a lattice, from tails there: what lies above the last one is as good as told.
fn rounded_up(tails: Vec<Natural>, lo: i64, one: Natural) -> Law {
    let mut before = one;
    let mut masses = Vec::with_capacity(tails.len());
    for tail in tails {
        masses.push(&before - &tail);
        before = tail;
    }
    Law { lo, masses, infinite: before }
}

/// The same where the mass above each point stands there; what lies below the first one is left out.
fn rounded_down(tails: Vec<Natural>, lo: i64, infinite: Natural) -> Law {
    let next = tails.iter().skip(1).chain([&infinite]);
    let masses = tails.iter().zip(next).map(|(here, next)| here - next).collect();
    Law { lo, masses, infinite }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{Bracket, Composing, Effort, directions};
    use crate::model::Adjacency;
    use probity_exact::parse_rational;

    fn number(text: &str) -> Rational {
        parse_rational(text).unwrap()
    }

    fn laws() -> Vec<Simple> {
        let noise = [
            Simple::Laplace(number("5")),
            Simple::DiscreteLaplace(number("2/3"), 4),
            Simple::DiscreteGaussian(number("0.7"), 2),
            Simple::Normal(number("9")),
            Simple::Pure(number("6"), number("1e-4")),
        ];
        let sampled = noise.iter().map(|law| Simple::Poisson(number("0.3"), Box::new(law.clone())));
        let mut all: Vec<Simple> = noise.iter().cloned().chain(sampled).collect();
        all.push(Simple::Response(Natural::from(3u8), number("0.99")));
        all
    }

    /// Where losses are small enough for ratios, both ways bracket the same number, in both directions.
    #[test]
    fn losses_and_ratios_agree() {
        let deadline = Instant::now() + Duration::from_secs(600);
        let effort = Effort { width: 2e-2, seconds: 600.0, closed_forms: false };
        // What is reached in little time holds, too.
        let soon = || Instant::now() + Duration::from_millis(500);
        let meet = |a: &Bracket, b: &Bracket| a.upper.as_ref().is_none_or(|upper| b.lower <= *upper);
        for (at, law) in laws().into_iter().enumerate() {
            let composition = [(law, 1 + at as u64 % 3)];
            let both = directions(&composition, Adjacency::AddRemove);
            for question in [Question::Delta(number("2")), Question::Epsilon(number("0.05"))] {
                let composing =
                    Composing { laws: &composition, question: &question, effort: &effort, deadline };
                let ratios = composing.by_ratios(both).unwrap();
                for (direction, ratios) in both.iter().zip(ratios) {
                    let losses = bracket(&composition, *direction, &question, 5e-2, soon()).unwrap().bracket;
                    let said =
                        format!("{composition:?} {direction} {question:?}\n{losses:?}\n{:?}", ratios.bracket);
                    assert!(meet(&losses, &ratios.bracket) && meet(&ratios.bracket, &losses), "{said}");
                    assert!(losses.upper.is_none_or(|upper| losses.lower <= upper), "{said}");
                }
            }
        }
    }

    /// Laws that are known by their curves only have no tail.
    #[test]
    fn what_has_no_tail_is_left_alone() {
        let deadline = Instant::now() + Duration::from_secs(60);
        let pure = || Box::new(Simple::Pure(number("30"), number("1e-4")));
        let rho = Box::new(Simple::Rho(number("30")));
        for law in [Simple::Group(2, pure()), Simple::Poisson(number("1/2"), rho)] {
            let question = Question::Epsilon(number("1e-3"));
            assert!(bracket(&[(law, 1)], Direction::Remove, &question, 1e-2, deadline).is_none());
        }
    }
}
