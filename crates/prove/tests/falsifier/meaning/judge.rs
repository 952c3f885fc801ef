//! Whether a judgement is true: from every pair of states in its precondition there is a coupling of the exact laws.
//!
//! The coupling is a linear program. Wherever something is known between bounds only, the side is taken that helps the
//! judgement: a precondition must hold for certain, a postcondition may hold, masses and weights are rounded in its
//! favour. So what is called false is false.

use std::collections::{BTreeMap, BTreeSet};

use probity_exact::Rational;
use probity_kernel::concentrated::Measure;
use probity_kernel::context::Context;
use probity_kernel::expr::{Binary, Expr, Name, Run, Variable};
use probity_kernel::kind::Kind;
use probity_kernel::rules::Judgement;

use crate::kinds::kind_of;
use crate::law::{Law, Mass, Point, Runner};
use crate::number::{Number, Span, Tri, exp, r};
use crate::program::{Way, carries};
use crate::sample::{Dice, Pair, pair};
use crate::value::{Fault, Room, State, Value, World, breakpoints, room, turns};

/// Evaluations after which a precondition is not decided any more.
const MAX_EVALUATIONS: usize = 3_000;
/// The symbols of arbitrary values begin here.
const ARBITRARY: u32 = 5_000;
/// Ways after which a linear program is too large for a test.
const MAX_WAYS: usize = 160;
/// Parts of a precondition after which it is not tried.
const MAX_SIZE: usize = 400;

/// What trying a judgement on a pair of states came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Not in the precondition, or not known to be.
    Elsewhere,
    Holds,
    False(String),
}

type Ghosts = BTreeMap<Variable, Value>;

/// The arbitrary values of a formula with their kinds.
fn arbitrary(context: &Context, formula: &Expr) -> Vec<(Variable, Kind)> {
    let mut found = BTreeSet::new();
    formula.for_each_variable(&mut |v| {
        if matches!(v, Variable::Arbitrary(..)) {
            found.insert(v.clone());
        }
    });
    found.into_iter().map(|v| (v.clone(), context.kind(&Expr::Var(v)))).collect()
}

/// Intervals and points that together are all values of a kind; reals are cut where an answer may change, if that is known.
fn cover(kind: Kind, id: u32, turns: Vec<Rational>) -> Vec<Value> {
    let symbol = |span| Value::Number(Number::symbol(id, span));
    match kind {
        Kind::Bool => vec![Value::truth(true), Value::truth(false)],
        Kind::Int => {
            let below = Span { low: None, high: Some(r(-9, 1)), open: (true, false) };
            let above = Span { low: Some(r(9, 1)), high: None, open: (false, true) };
            let points = (-8..=8).map(Value::int);
            points.chain([symbol(below), symbol(above)]).collect()
        }
        _ => {
            let evenly = || (-10..=10).map(|n| r(n, 2)).collect();
            let cuts: Vec<Rational> = if turns.is_empty() { evenly() } else { turns };
            let inner = cuts.windows(2).map(|w| Span::between(Some(w[0].clone()), Some(w[1].clone())));
            let outer =
                [Span::between(None, cuts.first().cloned()), Span::between(cuts.last().cloned(), None)];
            let points = cuts.iter().cloned().map(Span::point);
            points.chain(inner).chain(outer).map(symbol).collect()
        }
    }
}

/// All values of a kind at once.
fn anything(kind: Kind, id: u32) -> Value {
    match kind {
        Kind::Bool => Value::Truth(Tri::Maybe),
        _ => Value::Number(Number::symbol(id, Span::everything())),
    }
}

/// Whether a formula holds for certain, for all values of the variables from `from` on.
fn for_all(
    formula: &Expr,
    variables: &[(Variable, Kind)],
    from: usize,
    world: &World,
    left: &mut usize,
) -> Result<bool, Fault> {
    *left = left.checked_sub(1).ok_or(Fault::Unknown)?;
    let mut ghosts = world.ghosts.clone();
    for (n, (v, kind)) in variables.iter().enumerate().skip(from) {
        ghosts.insert(v.clone(), anything(*kind, ARBITRARY + n as u32));
    }
    let here = World { ghosts: &ghosts, cost: world.cost.clone(), ..*world };
    let answer = match here.truth(formula) {
        Err(Fault::Unknown) if from < variables.len() => Tri::Maybe,
        other => other?,
    };
    match answer {
        Tri::Yes => Ok(true),
        Tri::No => Ok(false),
        Tri::Maybe if from == variables.len() => Ok(false),
        Tri::Maybe => {
            let (v, kind) = &variables[from];
            let turns = match kind {
                Kind::Real => turns(formula, &here, v),
                _ => vec![],
            };
            for part in cover(*kind, ARBITRARY + from as u32, turns) {
                ghosts.insert(v.clone(), part);
                let inner = World { ghosts: &ghosts, cost: world.cost.clone(), ..*world };
                if !for_all(formula, variables, from + 1, &inner, left)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
    }
}

/// Some values for arbitrary variables.
fn instance(variables: &[(Variable, Kind)], ghosts: &Ghosts, dice: &mut Dice) -> Ghosts {
    let mut all = ghosts.clone();
    for (v, kind) in variables {
        all.insert(v.clone(), dice.value(*kind));
    }
    all
}

/// Whether what is known implies the goal on some pairs of states, at no cost: what is false on one has no evidence.
pub fn plausible(context: &Context, known: &[&Expr], goal: &Expr, dice: &mut Dice) -> bool {
    let variables = arbitrary(context, goal);
    (0..150).all(|_| {
        let Some(pair) = pair(context, dice) else { return true };
        let ghosts = instance(&variables, &pair.ghosts, dice);
        let world = pair.world(&ghosts, Rational::ZERO);
        known.iter().any(|e| world.truth(e) != Ok(Tri::Yes)) || world.truth(goal) != Ok(Tri::No)
    })
}

/// The states of a law as far as the formula speaks of them.
fn classes(law: Law, formula: &Expr, run: Run) -> BTreeMap<State, Mass> {
    let mut seen = BTreeSet::<Name>::new();
    formula.for_each_variable(&mut |v| match v {
        Variable::Of(name, r) if *r == run => drop(seen.insert(name.clone())),
        // The length of a list stands for both runs.
        Variable::Plain(name) => drop(seen.insert(name.clone())),
        _ => {}
    });
    let mut all: BTreeMap<State, Mass> = BTreeMap::new();
    for (Point { state, .. }, mass) in law {
        let seen = state.into_iter().filter(|(name, _)| seen.contains(name)).collect();
        let sum = all.entry(seen).or_insert((Rational::ZERO, Rational::ZERO));
        sum.0 += mass.0;
        sum.1 += mass.1;
    }
    all
}

/// The one variable of a state that is spread over an interval, and its ends.
fn spread(state: &State) -> Option<(&Name, Rational, Rational)> {
    let mut found = state.iter().filter_map(|(name, value)| match value {
        Value::Number(n) if n.as_point().is_none() => Some((name, n)),
        _ => None,
    });
    let ((name, number), None) = (found.next()?, found.next()) else { return None };
    // A line over one draw, which is spread evenly.
    (number.parts.len() == 1 && number.rest.as_point().is_some()).then_some(())?;
    let span = number.span();
    Some((name, span.low?, span.high?))
}

/// Two laws with what is spread evenly in them cut at the same places.
fn aligned(one: Vec<(State, Mass)>, two: Vec<(State, Mass)>) -> [Vec<(State, Mass)>; 2] {
    let all = one.iter().chain(&two);
    let ends: BTreeSet<Rational> =
        all.filter_map(|(state, _)| spread(state)).flat_map(|(_, low, high)| [low, high]).collect();
    let cut = |law: Vec<(State, Mass)>| {
        let mut cells: BTreeMap<State, Mass> = BTreeMap::new();
        for (state, mass) in law {
            let mut add = |state: State, share: &Rational| {
                let sum = cells.entry(state).or_insert((Rational::ZERO, Rational::ZERO));
                sum.0 += &mass.0 * share;
                sum.1 += &mass.1 * share;
            };
            let Some((name, low, high)) = spread(&state) else {
                add(state, &Rational::ONE);
                continue;
            };
            let inside: Vec<&Rational> = ends.range(low.clone()..=high.clone()).collect();
            for cell in inside.windows(2) {
                let share = (cell[1] - cell[0]) / (&high - &low);
                let span = Span::between(Some(cell[0].clone()), Some(cell[1].clone()));
                let mut there = state.clone();
                there.insert(name.clone(), Value::Number(Number::within(span)));
                add(there, &share);
            }
        }
        cells.into_iter().collect()
    };
    [cut(one), cut(two)]
}

/// A judgement, made ready to be tried often.
pub struct Trial<'a> {
    judgement: &'a Judgement,
    context: &'a Context,
    /// The parts of the precondition with their arbitrary values, those first that are decided quickly.
    parts: Vec<(Expr, Vec<(Variable, Kind)>)>,
    /// The arbitrary values of the postcondition.
    after: Vec<(Variable, Kind)>,
    /// Into how many equal parts uniform draws are cut, if nothing else is drawn that is spread.
    parts_of_uniform: Option<i64>,
}

/// The parts of a conjunction, also of one behind a premise.
fn conjuncts(formula: &Expr, found: &mut Vec<Expr>) {
    match formula {
        Expr::Binary(Binary::And, a, b) => {
            conjuncts(a, found);
            conjuncts(b, found);
        }
        Expr::Binary(Binary::Or, premise, rest)
            if matches!(**rest, Expr::Binary(Binary::And | Binary::Or, ..)) =>
        {
            let mut inner = vec![];
            conjuncts(rest, &mut inner);
            found.extend(inner.into_iter().map(|part| (**premise).clone().or(part)));
        }
        _ => found.push(formula.clone()),
    }
}

impl<'a> Trial<'a> {
    /// `Err` with the reason if the judgement means nothing, `None` if it is too large to be tried.
    pub fn new(judgement: &'a Judgement, context: &'a Context) -> Result<Option<Trial<'a>>, String> {
        for formula in [judgement.pre().formula(), judgement.post().formula()] {
            if kind_of(formula, context) != Some(Kind::Bool) {
                return Err(format!("no formula: {formula}"));
            }
        }
        if judgement.pre().formula().size() > MAX_SIZE {
            return Ok(None);
        }
        let mut parts = vec![];
        conjuncts(judgement.pre().formula(), &mut parts);
        let mut parts: Vec<_> = parts
            .into_iter()
            .map(|part| {
                let variables = arbitrary(context, &part);
                (part, variables)
            })
            .collect();
        parts.sort_by_key(|(part, variables)| (variables.len(), part.size()));
        let after = arbitrary(context, judgement.post().formula());
        Ok(Some(Trial { judgement, context, parts, after, parts_of_uniform: None }))
    }

    /// The same with uniform draws in equal parts, over which lines are spread evenly.
    pub fn in_parts(self, count: i64) -> Trial<'a> {
        Trial { parts_of_uniform: Some(count), ..self }
    }

    /// Tries it on a pair of states, at the largest cost at which its precondition is known to hold.
    pub fn on(&self, pair: &Pair, dice: &mut Dice) -> Outcome {
        let result = self.largest_cost(pair, dice).and_then(|cost| match cost {
            None => Ok(Outcome::Elsewhere),
            Some(cost) => match self.context.measure() {
                Measure::Pure => self.pure(pair, &cost, dice),
                Measure::Concentrated => self.concentrated(pair, &cost, dice),
            },
        });
        match result {
            Ok(outcome) => outcome,
            Err(Fault::Unknown) => Outcome::Elsewhere,
            Err(Fault::IllTyped(what)) => Outcome::False(format!(
                "means nothing: {what}\n{}",
                show(self.judgement, pair, &Rational::ZERO)
            )),
        }
    }

    fn largest_cost(&self, pair: &Pair, dice: &mut Dice) -> Result<Option<Rational>, Fault> {
        let (with_cost, without): (Vec<_>, Vec<_>) =
            self.parts.iter().partition(|(part, _)| part.mentions(&Variable::Cost));
        let mut left = MAX_EVALUATIONS;
        let start = pair.world(&pair.ghosts, Rational::ZERO);
        for (part, variables) in without {
            if !for_all(part, variables, 0, &start, &mut left)? {
                return Ok(None);
            }
        }
        let mut ends = vec![Rational::ZERO];
        for (part, variables) in &with_cost {
            for _ in 0..2 {
                let ghosts = instance(variables, &pair.ghosts, dice);
                ends.extend(breakpoints(part, &pair.world(&ghosts, Rational::ZERO))?);
            }
        }
        ends.sort();
        ends.dedup();
        let highest = ends.last().map(|end| end + Rational::ONE);
        'costs: for cost in highest.into_iter().chain(ends.into_iter().rev()).take(6) {
            let world = pair.world(&pair.ghosts, cost.clone());
            for (part, variables) in &with_cost {
                if !for_all(part, variables, 0, &world, &mut left)? {
                    continue 'costs;
                }
            }
            return Ok(Some(cost));
        }
        Ok(None)
    }

    /// The largest cost at which a postcondition may hold of two final states. Of its arbitrary values some are tried: the
    /// others could only make it smaller.
    fn final_room(&self, (one, two): (&State, &State), pair: &Pair, dice: &mut Dice) -> Result<Room, Fault> {
        let (post, variables) = (self.judgement.post().formula(), &self.after);
        let tries = if variables.is_empty() { 1 } else { 4 };
        let mut least = Room::Unbounded;
        for _ in 0..tries {
            let ghosts = instance(variables, &pair.ghosts, dice);
            let world = World {
                one,
                two,
                shared: &pair.shared,
                ghosts: &ghosts,
                cost: Number::point(Rational::ZERO),
            };
            least = match (least, room(post, &world)?) {
                (Room::None, _) | (_, Room::None) => Room::None,
                (Room::Unbounded, other) | (other, Room::Unbounded) => other,
                (Room::UpTo(a), Room::UpTo(b)) => Room::UpTo(a.min(b)),
            };
        }
        Ok(least)
    }

    fn pure(&self, pair: &Pair, cost: &Rational, dice: &mut Dice) -> Result<Outcome, Fault> {
        let judgement = self.judgement;
        let runner = |run| Runner { run, keep_trace: false, parts: self.parts_of_uniform };
        let (first, _) = runner(1).run(judgement.program(), &pair.one, &pair.shared)?;
        let (second, cut) = runner(2).run(judgement.program(), &pair.two, &pair.shared)?;
        let post = judgement.post().formula();
        let mut first: Vec<(State, Mass)> = classes(first, post, Run::First).into_iter().collect();
        let mut second: Vec<(State, Mass)> = classes(second, post, Run::Second).into_iter().collect();
        if self.parts_of_uniform.is_some() {
            [first, second] = aligned(first, second);
        }
        let mut ways = Vec::new();
        for (from, (one, _)) in first.iter().enumerate() {
            for (to, (two, _)) in second.iter().enumerate() {
                let weight = match self.final_room((one, two), pair, dice)? {
                    Room::None => continue,
                    Room::Unbounded => Rational::ZERO,
                    Room::UpTo(highest) => exp(&(cost - highest)).0,
                };
                ways.push(Way { from, to, weight });
            }
        }
        if ways.len() > MAX_WAYS {
            return Err(Fault::Unknown);
        }
        let supply: Vec<Rational> = first.into_iter().map(|(_, mass)| mass.0).collect();
        let space: Vec<Rational> = second.into_iter().map(|(_, mass)| mass.1).collect();
        let start = pair.world(&pair.ghosts, Rational::ZERO);
        let Value::Number(delta) = start.value(judgement.delta())? else {
            return Err(Fault::IllTyped(judgement.delta().to_string()));
        };
        let delta = delta.span().high.ok_or(Fault::Unknown)?;
        let total = supply.iter().fold(Rational::ZERO, |sum, mass| sum + mass);
        // What a loop was cut off at may still arrive, at any weight that occurs.
        let lightest = ways.iter().map(|way| way.weight.clone()).filter(|w| !w.is_zero()).min();
        let late = cut / lightest.unwrap_or(Rational::ONE);
        if carries(&supply, &space, &ways, &(&total - &delta - late)) {
            return Ok(Outcome::Holds);
        }
        Ok(Outcome::False(show(judgement, pair, cost)))
    }

    fn concentrated(&self, pair: &Pair, cost: &Rational, dice: &mut Dice) -> Result<Outcome, Fault> {
        let judgement = self.judgement;
        let runner = |run| Runner { run, keep_trace: true, parts: None };
        let (first, _) = runner(1).run(judgement.program(), &pair.one, &pair.shared)?;
        let (second, cut) = runner(2).run(judgement.program(), &pair.two, &pair.shared)?;
        let by_trace: BTreeMap<Vec<Value>, (Point, Mass)> =
            second.into_iter().map(|(point, mass)| (point.trace.clone(), (point, mass))).collect();
        let wrong = |why: &str| Ok(Outcome::False(format!("{why}\n{}", show(judgement, pair, cost))));
        let all = |masses: &mut dyn Iterator<Item = Rational>| masses.fold(Rational::ZERO, |sum, m| sum + m);
        if all(&mut first.values().map(|m| m.1.clone())) < Rational::ONE
            || all(&mut by_trace.values().map(|(_, m)| m.1.clone())) + cut < Rational::ONE
        {
            return wrong("a run does not end");
        }
        let orders = [2usize, 3, 6];
        let mut sums = orders.map(|_| Rational::ZERO);
        for (point, (mass, _)) in &first {
            if mass.is_zero() {
                continue;
            }
            let Some((other, (_, there))) = by_trace.get(&point.trace) else {
                return wrong("a value is possible in the first run only");
            };
            let loss = match self.final_room((&point.state, &other.state), pair, dice)? {
                Room::None => return wrong("equal draws lead out of the postcondition"),
                Room::Unbounded => continue,
                Room::UpTo(highest) => highest - cost,
            };
            for (sum, order) in sums.iter_mut().zip(orders) {
                let factor = exp(&-(&loss * r((order * (order - 1)) as i64, 1))).0;
                *sum += power(mass, order) / power(there, order - 1) * factor;
            }
        }
        match sums.iter().any(|sum| *sum > Rational::ONE) {
            true => wrong("the divergence is larger"),
            false => Ok(Outcome::Holds),
        }
    }
}

fn power(base: &Rational, exponent: usize) -> Rational {
    (0..exponent).fold(Rational::ONE, |product, _| product * base)
}

/// A judgement and the pair on which it is false.
fn show(judgement: &Judgement, pair: &Pair, cost: &Rational) -> String {
    let program: String = judgement.program().iter().map(|s| s.to_string()).collect();
    format!(
        "before  {}\n{program}after   {}\nup to   {}\ncost    {cost}\n{pair}",
        judgement.pre().formula(),
        judgement.post().formula(),
        judgement.delta()
    )
}
