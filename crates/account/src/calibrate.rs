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
    /// Seconds that are left.
    fn left(&self) -> f64 {
        self.effort.seconds - self.start.elapsed().as_secs_f64()
    }

    fn at(&mut self, value: &Rational, width: f64) -> Result<Bracket, String> {
        let laws = (self.family)(value)?;
        let left = self.left();
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

/// How often what lies between two values is halved at most.
const JUMP: usize = 30;

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
    let allowed = |value: f64| family(&exact(value)).is_ok();
    if !allowed(1.5) && !allowed(2.5) && allowed(2.0) && allowed(3.0) {
        return whole_numbers(&mut search, target, rough);
    }
    // A value that makes sense, best one at which epsilon is neither 0 nor infinite, and the direction of the loss.
    let tells = |bracket: &Bracket| bracket.upper.as_ref().is_some_and(|upper| !upper.is_zero());
    let mut first: Option<(f64, Bracket)> = None;
    let mut seen: Vec<(f64, f64)> = Vec::new();
    let mut refusal = String::new();
    for value in [1.0, 0.5, 0.1, 10.0, 0.01, 100.0, 1e-3, 1e3, 1e-5, 1e5] {
        match search.at(&exact(value), rough) {
            Ok(bracket) if first.is_none() || tells(&bracket) => {
                let found = tells(&bracket);
                seen.push((value, ln(middle(&bracket))));
                first = Some((value, bracket));
                if found {
                    break;
                }
            }
            Ok(_) => {}
            Err(reason) => refusal = reason,
        }
    }
    let Some((value, bracket)) = first else { return Err(refusal) };
    let (mut here, mut grows) = ((ln(value), ln(middle(&bracket))), None);
    // What is allowed may be a short range, as that of a probability of at least 1/2.
    for factor in [2.0, 0.5, 0.125, 8.0, 1.2, 0.8, 1.01, 0.99] {
        if let Ok(other) = search.at(&exact(value * factor), rough) {
            let difference = ln(middle(&other)) - here.1;
            if difference.abs() > 0.02 {
                grows = Some((difference > 0.0) == (factor > 1.0));
                break;
            }
        }
    }
    // Or it jumps, where what is told is more than δ.
    let jump = seen.iter().find(|(at, loss)| *at != value && (loss - here.1).abs() > 0.02);
    let grows = grows.or(jump.map(|(at, loss)| (*loss > here.1) == (*at > value)));
    let Some(grows) = grows else {
        let shown = bracket.upper.as_ref().map_or(f64::INFINITY, near);
        return Err(format!(
            "no value was found at which epsilon is another one: it is about {shown:.6} at {value} and around it"
        ));
    };
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
            Err(reason) if search.left() <= 0.0 => return Err(reason),
            Err(reason) if step < 1e-6 => {
                let (at, epsilon) = (exp(here.0), exp(here.1));
                return Err(format!(
                    "the values of the parameter end before epsilon is {target}: at {at:.6} it is about {epsilon:.6}, and further on {reason}"
                ));
            }
            Err(_) => step /= 4.0,
        }
        if here.0.abs() > 60.0 {
            let epsilon = exp(here.1);
            return Err(format!(
                "no value of the parameter between e^-60 and e^60 was found at which epsilon is {target}: it is about {epsilon:.6} at the end"
            ));
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
    let (mut value, mut epsilon) = side(true)?;
    let (mut other, _) = side(false)?;
    // At a jump the slope said nothing: halve what is left between them.
    for _ in 0..JUMP {
        let middle = (&value + &other) / Rational::from(2);
        let gap = near(&((&value - &other) / &middle)).abs();
        if gap <= 4.0 * (effort.width / slope.abs()).max(effort.width) || search.left() <= 0.0 {
            break;
        }
        let bracket = search.at(&middle, effort.width)?;
        match &bracket.upper {
            Some(upper) if upper <= target => (value, epsilon) = (middle, bracket),
            _ if bracket.lower >= *target => other = middle,
            _ => break,
        }
    }
    let (lower, upper) = if value < other { (value.clone(), other) } else { (other, value.clone()) };
    let seconds = start.elapsed().as_secs_f64();
    Ok(Calibrated { lower, upper, value, grows, epsilon, method: search.method.clone(), seconds })
}

/// The same for a whole number, of copies, records or categories: of two neighbours one keeps the target and the other surely does
/// not, unless what lies between could not be told.
fn whole_numbers(search: &mut Search, target: &Rational, rough: f64) -> Result<Calibrated, String> {
    let fine = search.effort.width;
    let least = (0..3u64).find(|n| (search.family)(&Rational::from(*n)).is_ok()).unwrap_or(3);
    let mut look = |n: u64, width: f64| -> Result<(Option<bool>, Bracket), String> {
        let bracket = search.at(&Rational::from(n), width)?;
        let verdict = match &bracket.upper {
            Some(upper) if upper <= target => Some(true),
            _ if bracket.lower > *target => Some(false),
            _ => None,
        };
        Ok((verdict, bracket))
    };
    // From the least number that is allowed on: the direction of the loss.
    let (verdict, bracket) = look(least, rough)?;
    let mut grows = true;
    for n in [least + 1, least + 7, 1 << 10] {
        // The first that differs tells; a number that is refused does not.
        let Ok((_, other)) = look(n, rough) else { continue };
        let below = |a: &Bracket, b: &Bracket| a.upper.as_ref().is_some_and(|upper| *upper < b.lower);
        if below(&bracket, &other) || below(&other, &bracket) {
            grows = below(&bracket, &other);
            break;
        }
    }
    // Upwards until the verdict of the least number is turned round.
    let (first, last) = (grows, !grows);
    let mut near = least;
    let (mut shown, mut far) = (bracket, None);
    if verdict != Some(first) {
        let shown =
            shown.upper.map_or("inf".to_owned(), |upper| format!("{:.6}", crate::fixed::near(&upper)));
        return Err(match grows {
            true => {
                format!("no value keeps epsilon at most {target}: at {least}, the least, it may be {shown}")
            }
            false => format!(
                "every value keeps epsilon at most {target}: at {least}, the least, it is at most {shown}"
            ),
        });
    }
    let mut step = 1u64;
    while far.is_none() {
        let next = least.checked_add(step).filter(|n| *n < 1 << 50);
        let next = next.ok_or(match grows {
            true => "every number up to 2^50 keeps the target",
            false => "no number up to 2^50 was shown to keep the target",
        })?;
        let (verdict, bracket) = look(next, rough)?;
        match verdict {
            Some(kept) if kept == first => near = next,
            Some(_) => far = Some(next),
            None => {}
        }
        if verdict == Some(true) {
            shown = bracket;
        }
        step *= 2;
    }
    // Between them the verdict is the one, then perhaps unknown, then the other: find the last of the one and the first of the other.
    let mut far = far.unwrap_or(near + 1);
    let mut end = far;
    while end - near > 1 {
        let n = near + (end - near) / 2;
        let (verdict, bracket) = look(n, fine)?;
        if verdict == Some(true) {
            shown = bracket;
        }
        match verdict {
            Some(kept) if kept == first => near = n,
            Some(kept) if kept == last => (end, far) = (n, n),
            _ => end = n,
        }
    }
    let seconds = search.start.elapsed().as_secs_f64();
    Ok(Calibrated {
        lower: Rational::from(near),
        upper: Rational::from(far),
        value: Rational::from(if grows { near } else { far }),
        grows,
        epsilon: shown,
        method: search.method.clone(),
        seconds,
    })
}
