//! The inverse question: for which value of a free parameter does ε at δ reach a target?

use std::time::Instant;

use probity_exact::{Rational, rational_from_f64};

use crate::account::{Bracket, Effort, Question, account};
use crate::fixed::near;
use crate::model::{Adjacency, Composition};
use crate::scout::{exp, ln};

/// A parameter between two values, of which one keeps the target.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibrated {
    /// The critical value is at least this.
    pub lower: Rational,
    /// The critical value is at most this.
    pub upper: Rational,
    /// The one of the two that was shown to keep the target.
    pub value: Rational,
    /// Whether the loss grows with the parameter.
    pub grows: bool,
    /// ε at that value.
    pub epsilon: Bracket,
    /// How it was found.
    pub method: String,
    /// Seconds that it took.
    pub seconds: f64,
}

/// The laws for a value of the parameter.
pub type Family<'a> = &'a dyn Fn(&Rational) -> Result<Composition, String>;

struct Search<'a> {
    family: Family<'a>,
    adjacency: Adjacency,
    delta: &'a Rational,
    effort: &'a Effort,
    start: Instant,
    method: String,
}

impl Search<'_> {
    fn at(&mut self, value: &Rational, width: f64) -> Result<Bracket, String> {
        let laws = (self.family)(value)?;
        let left = self.effort.seconds - self.start.elapsed().as_secs_f64();
        if left <= 0.0 {
            return Err("the time is over before a value was found: give more with --seconds".into());
        }
        let effort = Effort { width, seconds: left, ..self.effort.clone() };
        let answer = account(&laws, self.adjacency, &Question::Epsilon(self.delta.clone()), &effort)?;
        self.method = answer.method;
        Ok(answer.bracket)
    }
}

fn middle(bracket: &Bracket) -> f64 {
    match &bracket.upper {
        None => 1e9,
        Some(upper) => near(&((&bracket.lower + upper) / Rational::from(2))).max(1e-12),
    }
}

fn exact(x: f64) -> Rational {
    rational_from_f64(x).unwrap_or(Rational::ONE)
}

/// The share of the time after which a first look at the other laws is given up.
const FIRST_LOOK: f64 = 0.25;

/// What the laws that the parameter does not change lose by themselves, if that is more than the target: a composition loses at
/// least what a part of it loses, so that no value of the parameter keeps the target.
pub fn out_of_reach(
    others: &Composition,
    adjacency: Adjacency,
    delta: &Rational,
    target: &Rational,
    effort: &Effort,
) -> Option<Rational> {
    if others.parts.is_empty() {
        return None;
    }
    let effort =
        Effort { width: effort.width.max(1e-2), seconds: effort.seconds * FIRST_LOOK, ..effort.clone() };
    let question = Question::Epsilon(delta.clone());
    // What is refused here is refused with its reason where all laws are looked at.
    let lower = account(others, adjacency, &question, &effort).ok()?.bracket.lower;
    (lower > *target).then_some(lower)
}

/// Searches the value at which ε(δ) is the target.
pub fn calibrate(
    family: Family,
    adjacency: Adjacency,
    delta: &Rational,
    target: &Rational,
    effort: &Effort,
) -> Result<Calibrated, String> {
    if *target <= Rational::ZERO {
        return Err(format!("a target of epsilon = {target} is not allowed: it must be more than 0"));
    }
    let start = Instant::now();
    let mut search = Search { family, adjacency, delta, effort, start, method: String::new() };
    let goal = ln(near(target));
    let rough = 1e-2f64.max(effort.width);
    // A value that makes sense, and the direction of the loss.
    let mut first = None;
    let mut refusal = String::new();
    for value in [1.0, 0.5, 0.1, 10.0, 0.01, 100.0, 1e-3, 1e3, 1e-5, 1e5] {
        match search.at(&exact(value), rough) {
            Ok(bracket) => {
                first = Some((value, bracket));
                break;
            }
            Err(reason) => refusal = reason,
        }
    }
    let Some((value, bracket)) = first else { return Err(refusal) };
    let whole = family(&exact(1.5)).is_err() && family(&exact(1.0)).is_ok() && family(&exact(2.0)).is_ok();
    if whole {
        return copies(&mut search, target, rough);
    }
    let (mut here, mut grows) = ((ln(value), ln(middle(&bracket))), None);
    for factor in [2.0, 0.5, 0.125, 8.0] {
        if let Ok(other) = search.at(&exact(value * factor), rough) {
            let difference = ln(middle(&other)) - here.1;
            if difference.abs() > 0.02 {
                grows = Some((difference > 0.0) == (factor > 1.0));
                break;
            }
        }
    }
    let grows = grows.ok_or("epsilon does not change with the parameter")?;
    let towards = |above: bool| if above == grows { -1.0 } else { 1.0 };
    // Step until the target is passed; a value that is refused halves the step.
    let mut step = 0.7;
    let mut before = here;
    while (here.1 > goal) == (before.1 > goal) {
        let next = here.0 + towards(here.1 > goal) * step;
        match search.at(&exact(exp(next)), rough) {
            Ok(bracket) => {
                before = here;
                here = (next, ln(middle(&bracket)));
                step = (step * 1.7).min(5.0);
            }
            Err(reason) if step < 1e-6 => return Err(format!("the target is out of reach: {reason}")),
            Err(_) => step /= 4.0,
        }
        if here.0.abs() > 60.0 {
            return Err("no value of the parameter between e^-60 and e^60 reaches the target".into());
        }
    }
    // Regula falsi on ln ε against ln of the parameter.
    let (mut low, mut high) = if before.0 < here.0 { (before, here) } else { (here, before) };
    let mut best = here;
    let mut slope = (high.1 - low.1) / (high.0 - low.0);
    for round in 0..12 {
        let mut next = low.0 + (goal - low.1) * (high.0 - low.0) / (high.1 - low.1);
        if round % 4 == 3 || !next.is_finite() {
            next = (low.0 + high.0) / 2.0;
        }
        let width = if round < 2 { rough.min(1e-3f64.max(effort.width)) } else { effort.width };
        let bracket = search.at(&exact(exp(next)), width)?;
        best = (next, ln(middle(&bracket)));
        if (low.1 > goal) == (best.1 > goal) {
            low = best
        } else {
            high = best
        }
        if (high.0 - low.0).abs() > 1e-12 {
            slope = (high.1 - low.1) / (high.0 - low.0);
        }
        if (best.1 - goal).abs() < effort.width && round >= 2 {
            break;
        }
    }
    let centre = best.0 + (goal - best.1) / slope;
    // From there outwards, until one side surely keeps the target and the other surely does not.
    let mut side = |keeps: bool| -> Result<(Rational, Bracket), String> {
        let direction = towards(keeps);
        let mut reach = (effort.width / slope.abs()).max(1e-12);
        for _ in 0..40 {
            let value = exact(exp(centre + direction * reach));
            let bracket = search.at(&value, effort.width)?;
            let shown = match keeps {
                true => bracket.upper.as_ref().is_some_and(|upper| upper <= target),
                false => bracket.lower >= *target,
            };
            if shown {
                return Ok((value, bracket));
            }
            reach *= 2.0;
        }
        Err("no value was shown to reach the target".into())
    };
    let (value, epsilon) = side(true)?;
    let (other, _) = side(false)?;
    let (lower, upper) = if value < other { (value.clone(), other) } else { (other, value.clone()) };
    let seconds = start.elapsed().as_secs_f64();
    Ok(Calibrated { lower, upper, value, grows, epsilon, method: search.method.clone(), seconds })
}

/// The same for a number of copies: the largest that keeps the target, and the smallest that surely does not.
fn copies(search: &mut Search, target: &Rational, rough: f64) -> Result<Calibrated, String> {
    let fine = search.effort.width;
    let mut keeps = |n: u64, width: f64| -> Result<(Option<bool>, Bracket), String> {
        let bracket = search.at(&Rational::from(n), width)?;
        let verdict = match &bracket.upper {
            Some(upper) if upper <= target => Some(true),
            _ if bracket.lower > *target => Some(false),
            _ => None,
        };
        Ok((verdict, bracket))
    };
    let nothing = Bracket { lower: Rational::ZERO, upper: Some(Rational::ZERO) };
    let (mut good, mut shown) = (0u64, nothing);
    let mut bad = 1u64;
    loop {
        let (verdict, bracket) = keeps(bad, rough)?;
        match verdict {
            Some(true) => (good, shown) = (bad, bracket),
            Some(false) => break,
            None => {}
        }
        bad = bad.checked_mul(2).filter(|n| *n < 1 << 50).ok_or("any number of copies keeps the target")?;
    }
    // Between them the verdict is yes, then perhaps unknown, then no: find the last yes and the first no.
    let mut top = bad;
    while top - good > 1 {
        let n = good + (top - good) / 2;
        let (verdict, bracket) = keeps(n, fine)?;
        match verdict {
            Some(true) => (good, shown) = (n, bracket),
            Some(false) => (top, bad) = (n, n),
            None => top = n,
        }
    }
    let seconds = search.start.elapsed().as_secs_f64();
    let value = Rational::from(good);
    Ok(Calibrated {
        lower: value.clone(),
        upper: Rational::from(bad),
        value,
        grows: true,
        epsilon: shown,
        method: search.method.clone(),
        seconds,
    })
}
