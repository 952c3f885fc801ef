//! Plays the moves of a plan on concrete numbers.

mod masses;

use std::rc::Rc;

use probity_kernel::context::Context;
use probity_kernel::expr::{Expr, Name, Run, Variable};
use probity_kernel::kind::Kind;
use probity_kernel::law::{self, parameters};
use probity_kernel::privacy::Comparison;
use probity_kernel::term::{Claim, Coupling, Distribution, Reading, Statement};

use super::scenario::Scenario;
use super::state::{Pair, Stop, TOLERANCE, Value, close, place, same};
use crate::derivation::{Move, Tail, without_tails};
use crate::effort::Effort;

/// What it takes to run a statement, in the steps of a search.
const STATEMENT_STEPS: usize = 40;
/// The most iterations of a loop that are followed.
const MAX_ITERATIONS: usize = 60;
/// The most values of a draw that are gone through.
const MOST_OUTCOMES: f64 = 64.0;

/// What a rehearsal is about, and who watches it.
pub(crate) struct Stage<'a> {
    pub(crate) context: &'a Context,
    pub(crate) claim: &'a Claim,
    pub(crate) comparison: Comparison,
}

/// Sees the state before every iteration of a loop and after the last; loops are numbered in the order of the text.
pub(crate) type Watch<'w> = &'w mut dyn FnMut(usize, &Pair);

impl Stage<'_> {
    /// Rehearses the moves in one scenario.
    pub(crate) fn rehearse(
        &self,
        moves: &[Move],
        scenario: &Scenario,
        watch: Watch<'_>,
        effort: &mut Effort,
    ) -> Result<(), Stop> {
        let mechanism = self.context.mechanism();
        let levels = scenario.levels.as_slice();
        let mut result = None;
        if self.comparison == Comparison::Pointwise {
            // The proof is about one output: mostly the one that this run will have.
            let mut pair = self.start(scenario, None);
            let mut play = Play {
                pair: &mut pair,
                levels,
                site: 0,
                cycle: 0,
                alone: true,
                watch: &mut |_, _| {},
                effort,
            };
            play.block(&mechanism.body, moves)?;
            let value = pair.value(&mechanism.output, Run::First).ok_or(Stop::Unclear)?;
            let aside = scenario.seed % 4 == 3;
            result = Some(match value {
                Value::Number(n) if aside => Value::Number(n + 1.0),
                Value::Flag(b) if aside => Value::Flag(!b),
                other => other,
            });
        }
        let mut pair = self.start(scenario, result);
        let mut play = Play { pair: &mut pair, levels, site: 0, cycle: 0, alone: false, watch, effort };
        let played = play.block(&mechanism.body, moves);
        if pair.unclear.get() {
            return Err(Stop::Unclear);
        }
        played?;
        let output = |run| pair.value(&mechanism.output, run).ok_or(Stop::Unclear);
        let (first, second) = (output(Run::First)?, output(Run::Second)?);
        let amount = pair.amount(&self.claim.epsilon).ok_or(Stop::Unclear)?;
        let epsilon = if self.claim.reading == Reading::Mu { amount * amount / 2.0 } else { amount };
        let relevant = pair.result.as_ref().is_none_or(|r| same(r, &first));
        let within = pair.cost <= epsilon || close(pair.cost, epsilon);
        let fine = !relevant || same(&first, &second) && within;
        match (pair.unclear.get(), fine) {
            (true, _) => Err(Stop::Unclear),
            (false, true) => Ok(()),
            (false, false) => Err(Stop::Fails),
        }
    }

    fn start(&self, scenario: &Scenario, result: Option<Value>) -> Pair {
        let Scenario { shared, inputs, changed, rows, squares, seed, .. } = scenario.clone();
        Pair { result, rows, squares, ..Pair::new(shared, inputs, changed, seed) }
    }
}

struct Play<'p, 'w> {
    pair: &'p mut Pair,
    /// Large numbers of the text.
    levels: &'p [f64],
    /// The next draw and the next loop, in the order of the text.
    site: usize,
    cycle: usize,
    /// Whether the second run is left out: the first run does not depend on it.
    alone: bool,
    watch: Watch<'w>,
    effort: &'w mut Effort,
}

impl Play<'_, '_> {
    fn block(&mut self, body: &[Statement], moves: &[Move]) -> Result<(), Stop> {
        let mut rest = body;
        for step in moves {
            let size = step.size();
            if size > rest.len() {
                return Err(Stop::Fails);
            }
            let (now, later) = rest.split_at(size);
            self.step(now, step)?;
            rest = later;
        }
        Ok(())
    }

    fn eval(&self, e: &Expr, run: Run) -> Result<Value, Stop> {
        self.pair.value(e, run).ok_or(Stop::Unclear)
    }

    fn check(&self, holds: bool) -> Result<(), Stop> {
        if holds || self.alone { Ok(()) } else { Err(Stop::Fails) }
    }

    fn step(&mut self, now: &[Statement], step: &Move) -> Result<(), Stop> {
        let Some(statement) = now.first() else { return Ok(()) };
        self.effort.spend(STATEMENT_STEPS).ok_or(Stop::Unclear)?;
        match (step, statement) {
            (Move::Plain | Move::OneSided | Move::OneSidedParts, _) => {
                self.alone(statement, Run::First)?;
                if !self.alone {
                    self.alone(statement, Run::Second)?;
                }
                Ok(())
            }
            (Move::Draw(Coupling::SameValue { ratio }), Statement::Draw { var, .. }) => {
                self.same_value(now, var, ratio)
            }
            (Move::SameValue(var, _, ratio), _) => self.same_value(now, var, ratio),
            (
                Move::Draw(Coupling::Equal { distance, cost }),
                Statement::Draw { var, law: Distribution::Bernoulli(_) | Distribution::Response { .. } },
            ) => self.bounded_ratio(statement, var, (distance, cost)),
            (Move::Draw(coupling), Statement::Draw { var, law }) => self.draw(var, law, coupling),
            (
                Move::UpTo(coupling, tail) | Move::Below(coupling, tail) | Move::Under(coupling, tail),
                Statement::Draw { var, law },
            ) => {
                let center = parameters(law).first().copied().ok_or(Stop::Fails)?;
                let number = |pair: &Pair, e: &Expr| pair.number(e, Run::First).ok_or(Stop::Unclear);
                let (center, tail) = (number(self.pair, center)?, number(self.pair, tail)?);
                self.draw(var, law, coupling)?;
                // What lies beyond the tail is given up.
                let drawn = number(self.pair, &Expr::of(var.clone(), Run::First))?;
                let beyond = match step {
                    Move::UpTo(..) => (drawn - center).abs() > tail,
                    Move::Under(..) => drawn - center >= tail,
                    _ => drawn - center > tail,
                };
                if beyond { Err(Stop::Unclear) } else { Ok(()) }
            }
            (
                Move::Tail(
                    part @ (Tail::Exact
                    | Tail::Exacts
                    | Tail::Low
                    | Tail::LowFrom
                    | Tail::LowExact
                    | Tail::Far),
                    coupling,
                    at,
                ),
                Statement::Draw { var, law },
            ) => {
                let number = |pair: &Pair, e: &Expr| pair.number(e, Run::First).ok_or(Stop::Unclear);
                let center = match part {
                    Tail::Far => 0.0,
                    _ => number(self.pair, parameters(law).first().copied().ok_or(Stop::Fails)?)?,
                };
                let at = number(self.pair, at)?;
                self.draw(var, law, coupling)?;
                let distance = number(self.pair, &Expr::of(var.clone(), Run::First))? - center;
                let distance = match part {
                    Tail::Exacts => distance.abs(),
                    Tail::Low | Tail::LowFrom | Tail::LowExact => -distance,
                    _ => distance,
                };
                let beyond = if *part == Tail::Low { distance > at } else { distance >= at };
                if beyond { Err(Stop::Unclear) } else { Ok(()) }
            }
            (Move::Tail(side @ (Tail::Yes | Tail::No), coupling, _), Statement::Draw { var, law }) => {
                self.draw(var, law, coupling)?;
                let drawn = self.pair.flag(&Expr::var(var.clone()), Run::First).ok_or(Stop::Unclear)?;
                if drawn == (*side == Tail::Yes) { Err(Stop::Unclear) } else { Ok(()) }
            }
            (Move::Tail(_, Coupling::Shift { by, cost }, at), Statement::Draw { var, law }) => {
                self.moved(var, law, (by, cost), at)
            }
            (Move::Call(cost, ..), Statement::Draw { var, law }) => {
                let site = self.site;
                self.site += 1;
                if self.pair.spent.len() <= site {
                    self.pair.spent.resize(site + 1, 0.0);
                }
                let y = self.choose(law)?;
                let free = *cost == Expr::int(0);
                for argument in parameters(law) {
                    let same =
                        || Ok(same(&self.eval(argument, Run::First)?, &self.eval(argument, Run::Second)?));
                    self.check(!free || same()?)?;
                }
                let cost = self.pair.number(cost, Run::First).ok_or(Stop::Unclear)?;
                self.pair.charge(site, cost);
                self.pair.set(var, y.clone(), y);
                Ok(())
            }
            (Move::Cases(guard, yes, no), _) => self.cases(now, guard, (yes, no)),
            (Move::Split(guard, yes, no), _) => {
                let holds = self.pair.flag(guard, Run::First).ok_or(Stop::Unclear)?;
                self.block(now, if holds { yes } else { no })
            }
            (Move::If(yes, no), Statement::If { guard, then, otherwise }) => {
                let taken = self.eval(guard, Run::First)?;
                if !self.alone {
                    let other = self.eval(guard, Run::Second)?;
                    self.check(taken == other)?;
                }
                let (site, cycle) = (self.site, self.cycle);
                let (first, second) = (sites(yes), sites(no));
                if taken == Value::Flag(true) {
                    self.block(then, yes)?;
                } else {
                    (self.site, self.cycle) = (site + first.0, cycle + first.1);
                    self.block(otherwise, no)?;
                }
                (self.site, self.cycle) = (site + first.0 + second.0, cycle + first.1 + second.1);
                Ok(())
            }
            (Move::For(_, inner) | Move::ForOnce(_, _, inner), Statement::For { index, from, to, body }) => {
                // In a round that is not named no draw is cut.
                let (rounds, uncut) = match step {
                    Move::ForOnce(_, rounds, _) => (rounds.as_slice(), without_tails(inner)),
                    _ => (&[][..], vec![]),
                };
                let (Value::Number(from), Value::Number(to)) =
                    (self.eval(from, Run::First)?, self.eval(to, Run::First)?)
                else {
                    return Err(Stop::Unclear);
                };
                // The rule wants from ≤ to.
                self.check(from <= to)?;
                let (site, cycle) = (self.site, self.cycle);
                let mut i = from;
                let mut left = MAX_ITERATIONS;
                loop {
                    (self.site, self.cycle) = (site, cycle + 1);
                    self.pair.shared.insert(index.clone(), Value::Number(i));
                    (self.watch)(cycle, self.pair);
                    if i >= to {
                        break;
                    }
                    if left == 0 {
                        return Err(Stop::Unclear);
                    }
                    let mut named = uncut.is_empty();
                    for round in rounds {
                        named |= self.pair.number(round, Run::First).ok_or(Stop::Unclear)? == i;
                    }
                    self.block(body, if named { inner } else { &uncut })?;
                    i += 1.0;
                    left -= 1;
                }
                self.pair.shared.remove(index);
                let inside = sites(inner);
                (self.site, self.cycle) = (site + inside.0, cycle + 1 + inside.1);
                Ok(())
            }
            (Move::While(_, inner), Statement::While { guard, body, .. }) => {
                let (site, cycle) = (self.site, self.cycle);
                for _ in 0..MAX_ITERATIONS {
                    (self.site, self.cycle) = (site, cycle + 1);
                    (self.watch)(cycle, self.pair);
                    let taken = self.eval(guard, Run::First)?;
                    if !self.alone {
                        let other = self.eval(guard, Run::Second)?;
                        self.check(taken == other)?;
                    }
                    if taken != Value::Flag(true) {
                        let inside = sites(inner);
                        (self.site, self.cycle) = (site + inside.0, cycle + 1 + inside.1);
                        return Ok(());
                    }
                    self.block(body, inner)?;
                }
                Err(Stop::Unclear)
            }
            // A joint coupling of a uniform and a sign is left to the search.
            _ => Err(Stop::Unclear),
        }
    }

    /// Statements that are coupled by what the first run will answer.
    fn cases(&mut self, now: &[Statement], guard: &Expr, (yes, no): (&[Move], &[Move])) -> Result<(), Stop> {
        let site = self.site;
        let (runs, dice) = (self.pair.runs.clone(), self.pair.dice.clone());
        let alone = std::mem::replace(&mut self.alone, true);
        let played = self.block(now, yes);
        self.alone = alone;
        self.site = site + 1;
        played?;
        let answer = self.eval(guard, Run::First)?;
        if alone {
            return Ok(());
        }
        (self.pair.runs, self.pair.dice) = (runs, dice);
        let mut rest = now;
        for step in if answer == Value::Flag(true) { yes } else { no } {
            // What the draws cost is counted as what one draw does.
            self.site = site;
            let (now, later) = rest.split_at(step.size().min(rest.len()));
            self.step(now, step)?;
            rest = later;
        }
        self.site = site + 1;
        let other = self.eval(guard, Run::Second)?;
        self.check(answer == other)
    }

    /// A statement without draws in one run.
    fn alone(&mut self, statement: &Statement, run: Run) -> Result<(), Stop> {
        match statement {
            Statement::Assign { var, value } => {
                let value = self.eval(value, run)?;
                self.pair.runs[place(run)].insert(var.clone(), value);
            }
            Statement::Append { list, value } => {
                let value = self.eval(value, run)?;
                if let Some(Value::List(items)) = self.pair.runs[place(run)].get_mut(list) {
                    Rc::make_mut(items).push(value);
                }
            }
            Statement::If { guard, then, otherwise } => {
                let body = if self.eval(guard, run)? == Value::Flag(true) { then } else { otherwise };
                for statement in body {
                    self.alone(statement, run)?;
                }
            }
            _ => return Err(Stop::Fails),
        }
        Ok(())
    }

    fn draw(&mut self, var: &Name, law: &Distribution, coupling: &Coupling) -> Result<(), Stop> {
        let site = self.site;
        self.site += 1;
        if self.pair.spent.len() <= site {
            self.pair.spent.resize(site + 1, 0.0);
        }
        let y = self.choose(law)?;
        if self.alone {
            self.pair.runs[0].insert(var.clone(), y);
            return Ok(());
        }
        let number = |e: &Expr, run| self.pair.number(e, run).ok_or(Stop::Unclear);
        let (moved, cost) = match coupling {
            Coupling::Null => {
                for p in parameters(law) {
                    self.check(same(&self.eval(p, Run::First)?, &self.eval(p, Run::Second)?))?;
                }
                (y.clone(), 0.0)
            }
            Coupling::Shift { .. } | Coupling::Select { .. } => {
                let Value::Number(at) = y else { return Err(Stop::Fails) };
                let (by, cost) = match coupling {
                    Coupling::Select { threshold, strict, above, below } => {
                        let t = number(threshold, Run::First)?;
                        if at != t && close(at, t) {
                            return Err(Stop::Unclear);
                        }
                        let (up, down) = (number(&above.0, Run::First)?, number(&below.0, Run::First)?);
                        self.check(down <= up || close(down, up))?;
                        for (by, cost) in [above, below] {
                            self.translation(law, number(by, Run::First)?, number(cost, Run::First)?)?;
                        }
                        if at > t || at == t && !strict { above } else { below }
                    }
                    Coupling::Shift { by, cost } => {
                        self.translation(law, number(by, Run::First)?, number(cost, Run::First)?)?;
                        &(by.clone(), cost.clone())
                    }
                    _ => return Err(Stop::Fails),
                };
                (Value::Number(at + number(by, Run::First)?), number(cost, Run::First)?)
            }
            Coupling::Equal { distance, cost } => {
                let (d, c) = (number(distance, Run::First)?, number(cost, Run::First)?);
                self.near(law, d, c)?;
                (y.clone(), c)
            }
            Coupling::Chosen { low, high, cost } => {
                self.apart(law, low, high)?;
                (y.clone(), number(cost, Run::First)?)
            }
            // Scaling a uniform draw is left to the search.
            _ => return Err(Stop::Unclear),
        };
        self.pair.charge(site, cost);
        self.pair.set(var, y, moved);
        Ok(())
    }

    /// One-sided or uniform noise that is moved, and given up where it leaves its range.
    fn moved(
        &mut self,
        var: &Name,
        law: &Distribution,
        (by, cost): (&Expr, &Expr),
        at: &Expr,
    ) -> Result<(), Stop> {
        let site = self.site;
        self.site += 1;
        if self.pair.spent.len() <= site {
            self.pair.spent.resize(site + 1, 0.0);
        }
        let Value::Number(y) = self.choose(law)? else { return Err(Stop::Fails) };
        if self.alone {
            self.pair.runs[0].insert(var.clone(), Value::Number(y));
            return Ok(());
        }
        let number = |e: &Expr, run| self.pair.number(e, run).ok_or(Stop::Unclear);
        let (k, c, at) = (number(by, Run::First)?, number(cost, Run::First)?, number(at, Run::First)?);
        let below = |a: f64, b: f64| a <= b || close(a, b);
        let stays = match law {
            Distribution::Exponential { scale } | Distribution::Geometric { scale } => {
                let (s, other) = (number(scale, Run::First)?, number(scale, Run::Second)?);
                self.check(s > 0.0 && close(s, other) && below(0.0, at))?;
                self.check(below(-at, k) && below(k, c * s))?;
                y >= at
            }
            Distribution::Uniform => {
                self.check(below(k.abs(), at) && below(0.0, c))?;
                y + k > 0.0 && y + k <= 1.0
            }
            Distribution::UniformInt { low, high } => {
                let of = |run| Ok((number(low, run)?, number(high, run)?));
                let ((low, high), (other, top)) = (of(Run::First)?, of(Run::Second)?);
                let width = high - low + 1.0;
                self.check(close(high - low, top - other) && below(0.0, c))?;
                self.check(below((k + low - other).abs(), at * width))?;
                other <= y + k && y + k <= top
            }
            _ => return Err(Stop::Fails),
        };
        self.pair.charge(site, c);
        self.pair.set(var, Value::Number(y), Value::Number(y + k));
        if stays { Ok(()) } else { Err(Stop::Unclear) }
    }

    /// The side condition of equal values in the concentrated measure.
    fn near(&self, law: &Distribution, distance: f64, cost: f64) -> Result<(), Stop> {
        let (Distribution::Gaussian { center, deviation: scale }
        | Distribution::DiscreteGaussian { center, deviation: scale }
        | Distribution::Laplace { center, scale }
        | Distribution::DiscreteLaplace { center, scale }) = law
        else {
            return Err(Stop::Fails);
        };
        let of = |e: &Expr, run| self.pair.number(e, run).ok_or(Stop::Unclear);
        let apart = (of(center, Run::First)? - of(center, Run::Second)?).abs();
        let (s, other) = (of(scale, Run::First)?, of(scale, Run::Second)?);
        self.check(s > 0.0 && close(s, other))?;
        self.check(apart <= distance || close(apart, distance))?;
        let (square, room) = (distance * distance, 2.0 * cost * s * s);
        self.check(square <= room || close(square, room))
    }

    /// The side condition of a choice among scores; that the cost is enough is for the search to say.
    fn apart(&self, law: &Distribution, low: &Expr, high: &Expr) -> Result<(), Stop> {
        let (Distribution::Choose { scores: Expr::Var(Variable::Plain(list)), scale }
        | Distribution::PermuteAndFlip { scores: Expr::Var(Variable::Plain(list)), scale }) = law
        else {
            return Err(Stop::Fails);
        };
        let of = |run| self.pair.number(scale, run).ok_or(Stop::Unclear);
        let (s, other) = (of(Run::First)?, of(Run::Second)?);
        self.check(s > 0.0 && close(s, other))?;
        let within = Expr::apart(list.clone(), low.clone(), high.clone());
        self.check(self.pair.flag(&within, Run::First).ok_or(Stop::Unclear)?)
    }

    /// The side condition of a translation.
    fn translation(&self, law: &Distribution, by: f64, cost: f64) -> Result<(), Stop> {
        let pair = |e: &Expr| -> Result<(f64, f64), Stop> {
            let of = |run| self.pair.number(e, run).ok_or(Stop::Unclear);
            Ok((of(Run::First)?, of(Run::Second)?))
        };
        let (apart, scale) = match law {
            Distribution::Laplace { center, scale } | Distribution::DiscreteLaplace { center, scale } => {
                let (first, second) = pair(center)?;
                ((by + first - second).abs(), scale)
            }
            Distribution::Exponential { scale } | Distribution::Geometric { scale } => {
                self.check(by >= -TOLERANCE)?;
                (by, scale)
            }
            Distribution::Gumbel { center, scale } => {
                let (first, second) = pair(center)?;
                let moved = by + first - second;
                self.check(moved >= -TOLERANCE)?;
                (moved, scale)
            }
            _ => return Err(Stop::Fails),
        };
        let whole = matches!(law, Distribution::DiscreteLaplace { .. } | Distribution::Geometric { .. });
        self.check(!whole || close(by, by.round()))?;
        let (scale, other) = pair(scale)?;
        self.check(scale > 0.0 && close(scale, other))?;
        self.check(apart <= cost * scale || close(apart, cost * scale))
    }

    /// A value that the first run might draw.
    fn choose(&mut self, law: &Distribution) -> Result<Value, Stop> {
        let number = |pair: &Pair, e: &Expr| pair.number(e, Run::First).ok_or(Stop::Unclear);
        let dice = &mut self.pair.dice;
        let far = dice.roll(8) == 0;
        // Few values, so that draws come close to each other: that is where plans fail.
        let (half, whole) = ((dice.roll(7) as f64 - 3.0) / 2.0, dice.roll(5) as f64 - 2.0);
        let (half, whole) = if far { (half * 8.0, whole * 8.0) } else { (half, whole) };
        let (coin, eighth) = (dice.roll(2) == 0, (dice.roll(8) + 1) as f64 / 8.0);
        let level = match self.levels {
            [] => 0.0,
            levels => dice.pick(levels).filter(|_| dice.roll(4) == 0).unwrap_or(0.0),
        };
        Ok(match law {
            Distribution::Laplace { center, .. }
            | Distribution::Gaussian { center, .. }
            | Distribution::Gumbel { center, .. } => {
                let center = number(self.pair, center)?;
                Value::Number(if coin { half } else { center + half } + level)
            }
            Distribution::DiscreteLaplace { center, .. } | Distribution::DiscreteGaussian { center, .. } => {
                Value::Number(number(self.pair, center)? + whole)
            }
            Distribution::Exponential { .. } => Value::Number(half.abs()),
            Distribution::Geometric { .. } => Value::Number(whole.abs()),
            Distribution::Uniform => Value::Number(eighth),
            Distribution::Sign => Value::Number(if coin { 1.0 } else { -1.0 }),
            // Too many to list: any of them.
            Distribution::UniformInt { low, high } if self.is_wide(low, high) => {
                let (low, high) = (number(self.pair, low)?, number(self.pair, high)?);
                let count = (high - low).min(1e6) as usize + 1;
                Value::Number(low + self.pair.dice.roll(count) as f64)
            }
            Distribution::Called(_) => match law::kind(law) {
                Kind::Bool => Value::Flag(coin),
                Kind::Int => Value::Number(whole.abs()),
                _ => Value::Number(half),
            },
            _ => {
                let outcomes = self.outcomes(law, Run::First)?;
                self.pick(&outcomes)?
            }
        })
    }

    /// Whether a range has more numbers than are listed.
    fn is_wide(&self, low: &Expr, high: &Expr) -> bool {
        let number = |e: &Expr| self.pair.number(e, Run::First);
        number(low).zip(number(high)).is_some_and(|(low, high)| high - low + 1.0 > MOST_OUTCOMES)
    }
}

/// How many draws and loops the moves have.
fn sites(moves: &[Move]) -> (usize, usize) {
    moves.iter().fold((0, 0), |(draws, loops), step| {
        let inner = match step {
            Move::Draw(_)
            | Move::UpTo(..)
            | Move::Below(..)
            | Move::Under(..)
            | Move::Tail(..)
            | Move::Call(..)
            | Move::Joint(..)
            | Move::Cases(..)
            | Move::SameValue(..) => (1, 0),
            Move::Split(_, yes, _) => sites(yes),
            Move::If(yes, no) => {
                let (yes, no) = (sites(yes), sites(no));
                (yes.0 + no.0, yes.1 + no.1)
            }
            Move::For(_, inner) | Move::ForOnce(_, _, inner) | Move::While(_, inner) => {
                let inner = sites(inner);
                (inner.0, inner.1 + 1)
            }
            _ => (0, 0),
        };
        (draws + inner.0, loops + inner.1)
    })
}
