//! The law of a program: all values that it can end in, with their probabilities, exactly or between bounds.
//!
//! Finite laws are exact. A law on the line is given by the masses of cells, one on the integers by points and two
//! tails.

use std::collections::BTreeMap;

use probity_exact::{Rational, normal_cdf_bounds};
use probity_kernel::law;
use probity_kernel::term::{Called, Distribution, Statement};

use crate::number::{Number, Span, Tri, exp, r};
use crate::value::{Fault, State, Value, plain};

/// A probability between bounds.
pub type Mass = (Rational, Rational);

/// Where a run stands.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Point {
    pub state: State,
    /// What was drawn so far, if that is kept.
    pub trace: Vec<Value>,
    draws: u32,
}

pub type Law = BTreeMap<Point, Mass>;

/// How a program is run.
pub struct Runner {
    /// Tells the symbols of the two runs apart.
    pub run: u32,
    pub keep_trace: bool,
    /// Into how many equal parts uniform draws are cut, where that is asked for: what is a line over such a part is spread evenly.
    pub parts: Option<i64>,
}

/// How much of a run's mass may be left when a loop is given up.
const REST: i64 = 1 << 16;
/// What is so little is not followed further.
const LITTLE: i64 = 1 << 24;
/// States at which a law is given up.
const MAX_POINTS: usize = 600;
/// Cells of a law on the line: halves from −4 to 4.
const REACH: i64 = 8;

impl Runner {
    /// The law of the states after a program, and a bound of the mass that is missing because a loop was cut.
    pub fn run(&self, body: &[Statement], state: &State, shared: &State) -> Result<(Law, Rational), Fault> {
        let start = Point { state: state.clone(), trace: vec![], draws: 0 };
        let mut cut = Rational::ZERO;
        let law = self.block(body, Law::from([(start, (Rational::ONE, Rational::ONE))]), shared, &mut cut)?;
        Ok((law, cut))
    }

    fn block(
        &self,
        body: &[Statement],
        start: Law,
        shared: &State,
        cut: &mut Rational,
    ) -> Result<Law, Fault> {
        let mut law = start;
        for statement in body {
            let mut next = Law::new();
            for (point, mass) in law {
                for (after, part) in self.step(statement, point, shared, cut)? {
                    add(&mut next, after, (&mass.0 * &part.0, &mass.1 * &part.1));
                }
            }
            if next.len() > MAX_POINTS {
                return Err(Fault::Unknown);
            }
            law = next;
        }
        Ok(law)
    }

    fn step(
        &self,
        statement: &Statement,
        mut point: Point,
        shared: &State,
        cut: &mut Rational,
    ) -> Result<Law, Fault> {
        let sure = (Rational::ONE, Rational::ONE);
        match statement {
            Statement::Assign { var, value } => {
                let value = plain(value, &point.state, shared)?;
                point.state.insert(var.clone(), value);
                Ok(Law::from([(point, sure)]))
            }
            Statement::Append { list, value } => {
                let value = plain(value, &point.state, shared)?;
                match point.state.get_mut(list) {
                    Some(Value::List(entries)) => entries.push(value),
                    _ => return Err(Fault::IllTyped(list.to_string())),
                }
                Ok(Law::from([(point, sure)]))
            }
            Statement::Draw { var, law } => {
                let id = self.run * 1_000 + point.draws;
                let mut drawn = Law::new();
                for (value, mass) in outcomes(law, (id, self.parts), &point.state, shared)? {
                    let mut next = point.clone();
                    next.draws += 1;
                    if self.keep_trace {
                        // Symbols of both runs are compared by their cells.
                        next.trace.push(match &value {
                            Value::Number(n) => Value::Number(Number::within(n.span())),
                            other => other.clone(),
                        });
                    }
                    next.state.insert(var.clone(), value);
                    add(&mut drawn, next, mass);
                }
                Ok(drawn)
            }
            Statement::If { guard, then, otherwise } => {
                let branch = if decided(plain(guard, &point.state, shared)?)? { then } else { otherwise };
                self.block(branch, Law::from([(point, sure)]), shared, cut)
            }
            Statement::For { index, from, to, body } => {
                let bound = |e| match plain(e, &point.state, shared)? {
                    Value::Number(n) => n.as_point().cloned().ok_or(Fault::Unknown),
                    _ => Err(Fault::IllTyped("a bound".to_string())),
                };
                let (mut i, to) = (bound(from)?, bound(to)?);
                let mut law = Law::from([(point, sure)]);
                while i < to {
                    let mut inner = shared.clone();
                    inner.insert(index.clone(), Value::Number(Number::point(i.clone())));
                    law = self.block(body, law, &inner, cut)?;
                    i += Rational::ONE;
                }
                Ok(law)
            }
            Statement::While { guard, body, .. } => {
                let before = point.draws;
                let (mut law, mut done) = (Law::from([(point, sure)]), Law::new());
                for _ in 0..40 {
                    let mut live = Law::new();
                    for (mut point, mass) in law {
                        let goes_on = decided(plain(guard, &point.state, shared)?)?;
                        self.renumber(&mut point, before);
                        add(if goes_on { &mut live } else { &mut done }, point, short(mass));
                    }
                    if live.is_empty() {
                        return Ok(done);
                    }
                    let rest = live.values().fold(Rational::ZERO, |sum, mass| sum + &mass.1);
                    if rest <= r(1, LITTLE) {
                        *cut += rest;
                        return Ok(done);
                    }
                    law = self.block(body, live.clone(), shared, cut)?;
                    if law == live {
                        // One state over and over: what is left never ends.
                        return Ok(done);
                    }
                }
                // What is left over may end later, or never.
                let rest = law.values().fold(Rational::ZERO, |sum, mass| sum + &mass.1);
                if rest > r(1, REST) {
                    return Err(Fault::Unknown);
                }
                *cut += rest;
                Ok(done)
            }
        }
    }
}

impl Runner {
    /// Counts what was drawn in the rounds of a loop anew, as far as the state still holds it: no two states of a law are compared, and
    /// those that say the same after another number of rounds become one.
    fn renumber(&self, point: &mut Point, before: u32) {
        let (first, mut names) = (self.run * 1_000 + before, BTreeMap::<u32, u32>::new());
        for value in point.state.values_mut() {
            for_each_number(value, &mut |number| {
                let parts = std::mem::take(&mut number.parts);
                let renamed = parts.into_iter().map(|(id, part)| {
                    let next = first + names.len() as u32;
                    let id = if id < first { id } else { *names.entry(id).or_insert(next) };
                    (id, part)
                });
                number.parts = renamed.collect();
            });
        }
        point.draws = before + names.len() as u32;
    }
}

fn for_each_number(value: &mut Value, see: &mut dyn FnMut(&mut Number)) {
    match value {
        Value::Number(number) => see(number),
        Value::List(entries) => entries.iter_mut().for_each(|entry| for_each_number(entry, see)),
        _ => {}
    }
}

fn decided(value: Value) -> Result<bool, Fault> {
    match value {
        Value::Truth(Tri::Yes) => Ok(true),
        Value::Truth(Tri::No) => Ok(false),
        Value::Truth(Tri::Maybe) => Err(Fault::Unknown),
        other => Err(Fault::IllTyped(format!("{other:?}"))),
    }
}

fn add(law: &mut Law, point: Point, mass: Mass) {
    if !mass.1.is_zero() {
        let sum = law.entry(point).or_insert((Rational::ZERO, Rational::ZERO));
        sum.0 += mass.0;
        sum.1 += mass.1;
    }
}

/// Permute and flip by its definition: every order of the coins, and the first of them that accepts.
fn flipped(coins: &[Mass]) -> Vec<Mass> {
    let one = Rational::ONE;
    let mut masses = vec![(Rational::ZERO, Rational::ZERO); coins.len()];
    // What is left to try, and how likely it is to come there.
    let mut open: Vec<(Vec<usize>, Mass)> = vec![((0..coins.len()).collect(), (one.clone(), one.clone()))];
    while let Some((left, reached)) = open.pop() {
        let each = r(1, left.len().max(1) as i64);
        for &next in &left {
            let (low, high) = &coins[next];
            let here = (&reached.0 * &each, &reached.1 * &each);
            masses[next].0 += &here.0 * low;
            masses[next].1 += &here.1 * high;
            let rest = left.iter().copied().filter(|place| *place != next).collect();
            let refused = (&here.0 * (&one - high).max(Rational::ZERO), &here.1 * (&one - low));
            open.push((rest, refused));
        }
    }
    masses
}

/// What another mechanism releases for these arguments: its own body is run, its parameters shared and its inputs its state.
fn released(called: &Called, id: u32, state: &State, shared: &State) -> Result<Vec<(Value, Mass)>, Fault> {
    let mechanism = &called.mechanism;
    let (mut inputs, mut params) = (State::new(), State::new());
    for (input, argument) in mechanism.inputs.iter().zip(&called.inputs) {
        inputs.insert(input.name.clone(), plain(argument, state, shared)?);
    }
    for (param, argument) in mechanism.params.iter().zip(&called.params) {
        params.insert(param.name.clone(), plain(argument, state, shared)?);
    }
    let (law, cut) =
        Runner { run: id, keep_trace: false, parts: None }.run(&mechanism.body, &inputs, &params)?;
    if !cut.is_zero() {
        return Err(Fault::Unknown);
    }
    let mut all: BTreeMap<Value, Mass> = BTreeMap::new();
    for (point, mass) in law {
        let sum = all
            .entry(plain(&mechanism.output, &point.state, &params)?)
            .or_insert((Rational::ZERO, Rational::ZERO));
        sum.0 += mass.0;
        sum.1 += mass.1;
    }
    Ok(all.into_iter().collect())
}

/// The values of a draw. Out of its range a law has none.
fn outcomes(
    law: &Distribution,
    (id, parts): (u32, Option<i64>),
    state: &State,
    shared: &State,
) -> Result<Vec<(Value, Mass)>, Fault> {
    for condition in law::conditions(law) {
        if !decided(plain(&condition, state, shared)?)? {
            return Ok(vec![]);
        }
    }
    let number = |e| match plain(e, state, shared)? {
        Value::Number(n) => n.as_point().cloned().ok_or(Fault::Unknown),
        _ => Err(Fault::IllTyped("a parameter of a law".to_string())),
    };
    for place in law::integer_places(law) {
        if !number(place)?.is_int() {
            return Err(Fault::IllTyped(format!("{place} is no integer")));
        }
    }
    let exact = |value: Rational, mass: Rational| (Value::Number(Number::point(value)), (mass.clone(), mass));
    let range = |low: Rational, high: Rational| {
        let mut all = vec![];
        let mut next = low;
        while next <= high && all.len() < 20 {
            all.push(next.clone());
            next += Rational::ONE;
        }
        all
    };
    let one = Rational::ONE;
    Ok(match law {
        Distribution::Bernoulli(p) => {
            let p = number(p)?;
            let truth = |answer, mass: Rational| (Value::truth(answer), (mass.clone(), mass));
            vec![truth(true, p.clone()), truth(false, one - p)]
        }
        Distribution::Sign => vec![exact(r(1, 1), r(1, 2)), exact(r(-1, 1), r(1, 2))],
        Distribution::UniformInt { low, high } => {
            let all = range(number(low)?, number(high)?);
            let each = r(1, all.len() as i64);
            all.into_iter().map(|v| exact(v, each.clone())).collect()
        }
        Distribution::UniformOther { value, count } => {
            let (value, count) = (number(value)?, number(count)?);
            let each = Rational::ONE / (&count - Rational::ONE);
            let others = range(Rational::ZERO, count - Rational::ONE).into_iter().filter(|v| *v != value);
            others.map(|v| exact(v, each.clone())).collect()
        }
        Distribution::Response { value, truth, count } => {
            let (value, truth, count) = (number(value)?, number(truth)?, number(count)?);
            let each = (Rational::ONE - &truth) / (&count - Rational::ONE);
            let mass = |v: &Rational| if *v == value { truth.clone() } else { each.clone() };
            range(Rational::ZERO, count - one).into_iter().map(|v| exact(v.clone(), mass(&v))).collect()
        }
        Distribution::Choose { scores, scale } => {
            let scale = number(scale)?;
            let Value::List(scores) = plain(scores, state, shared)? else { return Err(Fault::Unknown) };
            let mut weights = vec![];
            for score in &scores {
                let Value::Number(score) = score else { return Err(Fault::IllTyped("a score".to_string())) };
                weights.push(exp(&(score.as_point().ok_or(Fault::Unknown)? / &scale)));
            }
            let total = weights.iter().fold((r(0, 1), r(0, 1)), |sum, w| (sum.0 + &w.0, sum.1 + &w.1));
            let mass = |w: &Mass| (&w.0 / &total.1, &w.1 / &total.0);
            weights.iter().enumerate().map(|(i, w)| (Value::int(i as i64), mass(w))).collect()
        }
        Distribution::PermuteAndFlip { scores, scale } => {
            let scale = number(scale)?;
            let Value::List(scores) = plain(scores, state, shared)? else { return Err(Fault::Unknown) };
            let mut known = vec![];
            for score in &scores {
                let Value::Number(score) = score else { return Err(Fault::IllTyped("a score".to_string())) };
                known.push(score.as_point().ok_or(Fault::Unknown)?.clone());
            }
            let best = known.iter().max().cloned().ok_or(Fault::Unknown)?;
            let coins: Vec<Mass> = known.iter().map(|score| exp(&((score - &best) / &scale))).collect();
            flipped(&coins).into_iter().enumerate().map(|(i, m)| (Value::int(i as i64), m)).collect()
        }
        Distribution::Sample { table, rate } => {
            let rate = number(rate)?;
            let Value::Table(rows) = plain(table, state, shared)? else {
                return Err(Fault::IllTyped("a table".to_string()));
            };
            let mut all = vec![(vec![], one.clone())];
            for row in rows {
                let without = all.iter().map(|(kept, mass)| (kept.clone(), mass * (&one - &rate)));
                let with = all.iter().map(|(kept, mass)| {
                    (kept.iter().chain([&row]).cloned().collect::<Vec<_>>(), mass * &rate)
                });
                all = without.chain(with).collect();
            }
            all.into_iter().map(|(kept, mass)| (Value::Table(kept), (mass.clone(), mass))).collect()
        }
        Distribution::Called(called) => return released(called, id, state, shared),
        Distribution::Uniform if parts.is_some() => {
            let count = parts.unwrap_or(1);
            let cuts: Vec<Rational> = (0..=count).map(|i| r(i, count)).collect();
            cells(&cuts, id, &|x| (x.clone(), x.clone()))
        }
        Distribution::Uniform => {
            // Cut near the powers of e^(−1/2), at which a scaled draw lies next to another cell, and at a half.
            let mut cuts: Vec<Rational> = (0..8).map(|i| exp(&r(-i, 2)).1).collect();
            cuts.push(r(1, 2));
            cuts.push(Rational::ZERO);
            cuts.sort();
            cells(&cuts, id, &|x| (x.clone(), x.clone()))
        }
        Distribution::Laplace { center, scale } => {
            let (center, scale) = (number(center)?, number(scale)?);
            cells_of_the_line(id, &|x| {
                let (low, high) = exp(&-(abs(x - &center) / &scale));
                let half = |m: Rational| m / r(2, 1);
                if *x <= center {
                    (half(low), half(high))
                } else {
                    (r(1, 1) - half(high), r(1, 1) - half(low))
                }
            })
        }
        Distribution::Gumbel { center, scale } => {
            let (center, scale) = (number(center)?, number(scale)?);
            cells_of_the_line(id, &|x| {
                let (low, high) = exp(&-((x - &center) / &scale));
                (exp(&-high).0, exp(&-low).1)
            })
        }
        Distribution::Exponential { scale } => {
            let scale = number(scale)?;
            let cuts: Vec<Rational> = (0..=REACH).map(|i| r(i, 2)).collect();
            let below = |x: &Rational| {
                let (low, high) = exp(&-(x / &scale));
                (r(1, 1) - high, r(1, 1) - low)
            };
            let mut all = cells(&cuts, id, &below);
            let top = Span::between(Some(r(REACH, 2)), None);
            let (low, high) = below(&r(REACH, 2));
            all.push((Value::Number(Number::symbol(id, top)), (r(1, 1) - high, r(1, 1) - low)));
            all
        }
        Distribution::Gaussian { center, deviation } => {
            let (center, deviation) = (number(center)?, number(deviation)?);
            cells_of_the_line(id, &|x| {
                let (low, high) = normal_cdf_bounds(&((x - &center) / &deviation), 40);
                (low.to_rational().unwrap(), high.to_rational().unwrap())
            })
        }
        Distribution::DiscreteLaplace { center, scale } => {
            let (center, scale) = (number(center)?, number(scale)?);
            let a = exp(&-(Rational::ONE / &scale));
            // The mass at a distance d is a^d·(1 − a)/(1 + a), what lies at d and beyond a^d/(1 + a) on either side.
            let front = ((r(1, 1) - &a.1) / (r(1, 1) + &a.1), (r(1, 1) - &a.0) / (r(1, 1) + &a.0));
            let beyond = (Rational::ONE / (r(1, 1) + &a.1), Rational::ONE / (r(1, 1) + &a.0));
            let weight = |d: &Rational| exp(&-(d / &scale));
            integers(id, &center, &|d| product(&weight(d), &front), &|d| product(&weight(d), &beyond))?
        }
        Distribution::DiscreteGaussian { center, deviation } => {
            let (center, deviation) = (number(center)?, number(deviation)?);
            let weight = |d: &Rational| exp(&-(d * d / (r(2, 1) * &deviation * &deviation)));
            // The weights beyond d are below a geometric series with the ratio of the first two.
            let tail = |d: &Rational| {
                let (first, second) = (weight(d), weight(&(d + Rational::ONE)));
                let ratio = &second.1 / &first.0;
                (first.0, if ratio < r(9, 10) { first.1 / (r(1, 1) - ratio) } else { r(100, 1) })
            };
            let mut total = weight(&Rational::ZERO);
            for d in 1..40 {
                let w = weight(&r(d, 1));
                total = (total.0 + r(2, 1) * w.0, total.1 + r(2, 1) * w.1);
            }
            total.1 += r(2, 1) * tail(&r(40, 1)).1;
            let over = |m: Mass| (m.0 / &total.1, m.1 / &total.0);
            integers(id, &center, &|d| over(weight(d)), &|d| over(tail(d)))?
        }
        Distribution::Geometric { scale } => {
            let scale = number(scale)?;
            let a = exp(&-(Rational::ONE / &scale));
            let weight = |d: &Rational| exp(&-(d / &scale));
            let front = (r(1, 1) - &a.1, r(1, 1) - &a.0);
            let mut all: Vec<(Value, Mass)> =
                (0..=6).map(|n| (Value::int(n), product(&weight(&r(n, 1)), &front))).collect();
            let tail = Span { low: Some(r(7, 1)), high: None, open: (false, true) };
            all.push((Value::Number(Number::symbol(id, tail)), weight(&r(7, 1))));
            all
        }
    })
}

/// The mass between bounds that are quick to compute with: products of many rounds would become long.
fn short((low, high): Mass) -> Mass {
    let unit = r(1 << 62, 1);
    ((low * &unit).floor() / &unit, (high * &unit).ceil() / &unit)
}

fn abs(x: Rational) -> Rational {
    if x < Rational::ZERO { -x } else { x }
}

fn product(a: &Mass, b: &Mass) -> Mass {
    (&a.0 * &b.0, &a.1 * &b.1)
}

/// The cells between the cuts; `below` gives bounds of the distribution function.
fn cells(cuts: &[Rational], id: u32, below: &dyn Fn(&Rational) -> Mass) -> Vec<(Value, Mass)> {
    cuts.windows(2)
        .map(|ends| {
            let (at, to) = (below(&ends[0]), below(&ends[1]));
            let span = Span::between(Some(ends[0].clone()), Some(ends[1].clone()));
            let mass = ((to.0 - at.1).max(Rational::ZERO), to.1 - at.0);
            (Value::Number(Number::symbol(id, span)), mass)
        })
        .collect()
}

fn cells_of_the_line(id: u32, below: &dyn Fn(&Rational) -> Mass) -> Vec<(Value, Mass)> {
    let cuts: Vec<Rational> = (-REACH..=REACH).map(|i| r(i, 2)).collect();
    let mut all = cells(&cuts, id, below);
    let first = Span::between(None, cuts.first().cloned());
    let last = Span::between(cuts.last().cloned(), None);
    let (low, high) = below(&cuts[cuts.len() - 1]);
    all.push((Value::Number(Number::symbol(id, first)), below(&cuts[0])));
    all.push((Value::Number(Number::symbol(id, last)), (r(1, 1) - high, r(1, 1) - low)));
    all
}

/// Integers from −5 to 5, and the tails; `at` gives the mass at a distance from the center, `beyond` what lies there and
/// beyond on one side.
fn integers(
    id: u32,
    center: &Rational,
    at: &dyn Fn(&Rational) -> Mass,
    beyond: &dyn Fn(&Rational) -> Mass,
) -> Result<Vec<(Value, Mass)>, Fault> {
    let mut all: Vec<(Value, Mass)> = (-5..=5).map(|n| (Value::int(n), at(&abs(r(n, 1) - center)))).collect();
    if abs(center.clone()) > r(5, 1) {
        return Err(Fault::Unknown);
    }
    let below = Span { low: None, high: Some(r(-6, 1)), open: (true, false) };
    let above = Span { low: Some(r(6, 1)), high: None, open: (false, true) };
    // The centers are within ±5, so that the tails are tails.
    all.push((Value::Number(Number::symbol(id, below)), beyond(&abs(r(6, 1) + center))));
    all.push((Value::Number(Number::symbol(id, above)), beyond(&abs(r(6, 1) - center))));
    Ok(all)
}
