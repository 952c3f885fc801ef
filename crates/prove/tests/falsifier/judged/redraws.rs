//! REDRAW: loops that draw until a round is accepted, with rounds that are alike and rounds that are not.

use std::sync::Arc;

use probity_kernel::concentrated::Measure;
use probity_kernel::context::{Context, Orientation};
use probity_kernel::expr::{Expr, Run};
use probity_kernel::redraw::{Rounds, accepted, leaves_no_trace, redraw};
use probity_kernel::rules::{self, Assertion, Judgement};
use probity_kernel::sampling::{sample, up_to_upper_tail};
use probity_kernel::term::{Adjacency, Coupling, Distribution, Statement};

use crate::judgements::{MORE, Seen, report, try_on_pairs};
use crate::sample::Dice;
use crate::write::{Writer, int, q};

/// A round that draws c until the guard is false, how its draw is coupled, and what it is meant to cost.
struct Redrawn {
    round: Vec<Statement>,
    guard: Expr,
    coupling: Coupling,
    cost: Expr,
    /// What both runs must agree about before it.
    agree: Expr,
    /// Of what is accepted.
    post: Expr,
    /// Whether the upper tail of the draw is given up in every round.
    tail: bool,
    /// Whether the runs have different flags.
    unlike: bool,
}

fn of(name: &str) -> [Expr; 2] {
    [Expr::of(name, Run::First), Expr::of(name, Run::Second)]
}

fn same(name: &str) -> Expr {
    let [one, two] = of(name);
    one.equals(two)
}

fn set(var: &str, value: Expr) -> Statement {
    Statement::Assign { var: var.into(), value }
}

impl Writer {
    /// The draw of a round, with a coupling that serves; rarely one that does not.
    fn drawn_again(&mut self) -> Redrawn {
        let [x, other] = of("x");
        let near = (x.clone() - other.clone()).abs().le(int(1));
        let shift = |by: i64, cost: Expr| Coupling::Shift { by: int(by), cost };
        let (law, coupling, cost, agree) = match self.dice.roll(14) {
            // The same law in both runs.
            0 => (
                Distribution::UniformInt { low: int(0), high: int(2) },
                Coupling::Null,
                int(0),
                Expr::Bool(true),
            ),
            1 => (Distribution::Geometric { scale: int(1) }, Coupling::Null, int(0), Expr::Bool(true)),
            // Noise that moves up, which one of the two directions has no coupling for.
            2 => (Distribution::Geometric { scale: int(1) }, shift(1, int(1)), int(1), Expr::Bool(true)),
            3 => {
                let truth = Expr::var("f").choose(q(1, 2), q(1, 4));
                let law = Distribution::Response { value: int(0), truth, count: int(3) };
                let ratio = self.dice.pick(&[(int(2), int(1)), (int(2), int(1)), (int(3), int(2))]);
                let cost = (ratio.0.clone() / ratio.1.clone()).ln();
                (law, Coupling::SameValue { ratio }, cost, Expr::Bool(true))
            }
            4 => {
                let law = Distribution::DiscreteLaplace { center: int(0), scale: int(1) };
                (law, shift(1, int(1)), int(1), Expr::Bool(true))
            }
            _ => {
                let (scale, cost) = self.dice.pick(&[(int(1), int(1)), (int(2), q(1, 2))]);
                let cost = match self.dice.roll(8) {
                    // What is paid may depend on the inputs, and so be another number with the runs exchanged.
                    0 => int(0).max(x.clone() - other.clone()),
                    1 => int(0),
                    _ => cost,
                };
                (
                    Distribution::DiscreteLaplace { center: Expr::var("x"), scale },
                    shift(0, cost.clone()),
                    cost,
                    near,
                )
            }
        };
        let round = vec![Statement::Draw { var: "c".into(), law }];
        let guards = [
            Expr::var("c").lt(int(0)),
            Expr::var("c").lt(int(1)),
            Expr::var("c").equals(int(0)),
            int(1).lt(Expr::var("c")),
            Expr::var("c").lt(Expr::var("x")),
            Expr::var("c").lt(Expr::var("d")),
            // Another question in each run, where they have another flag.
            Expr::var("c").lt(Expr::var("f").choose(int(2), int(1))),
        ];
        let [one, two] = of("c");
        let moved = match &coupling {
            Coupling::Shift { by, .. } => two.equals(one + by.clone()),
            _ => same("c"),
        };
        let guard = self.dice.pick(&guards);
        Redrawn {
            round,
            guard,
            coupling,
            cost,
            agree: agree.and(same("d")),
            post: moved,
            tail: false,
            unlike: false,
        }
    }

    /// A round that the next may see: it counts, keeps what it drew, or reads what it finds.
    fn trace(&mut self, redrawn: &mut Redrawn) {
        let (c, d) = (Expr::var("c"), Expr::var("d"));
        let branch = |guard: Expr, then: Vec<Statement>, otherwise: Vec<Statement>| Statement::If {
            guard,
            then,
            otherwise,
        };
        // Of one run alone it is known what d is.
        let untouched = self.dice.pick(&of("d")).equals(int(0));
        let mut kept = match self.dice.roll(6) {
            0 => Expr::Bool(true),
            1 | 2 => same("d"),
            3 => same("d").and(same("a")),
            _ => untouched.clone(),
        };
        redrawn.guard = if self.dice.roll(3) > 0 { c.clone().lt(int(0)) } else { redrawn.guard.clone() };
        match self.dice.roll(14) {
            0 => redrawn.round.push(set("d", d + int(1))),
            1 => redrawn.round.push(set("d", c)),
            // Kept where it is accepted only.
            2 | 3 => {
                let accepted =
                    if self.dice.one_in(2) { !redrawn.guard.clone() } else { c.clone().ge(int(0)) };
                redrawn.round.push(branch(accepted, vec![set("d", c)], vec![]));
            }
            // Set on one path, and on the other.
            4 | 10 => redrawn.round.push(branch(c.clone().lt(int(0)), vec![set("d", int(2))], vec![])),
            5 => redrawn.round.push(branch(c.clone().lt(int(0)), vec![], vec![set("d", int(2))])),
            6 => {
                redrawn.round.insert(0, branch(Expr::var("x").lt(int(1)), vec![set("d", d + int(1))], vec![]))
            }
            7 => redrawn.round.insert(0, branch(Expr::var("a"), vec![], vec![set("d", d + int(1))])),
            8 => {
                // A flag that every round sets, after it read it.
                redrawn.round.push(branch(Expr::var("a"), vec![set("d", d + int(1))], vec![]));
                redrawn.round.push(set("a", Expr::Bool(true)));
            }
            9 => redrawn.round.push(Statement::Append { list: "o".into(), value: c }),
            _ => {
                // In the runs with one flag a round that is not accepted counts.
                let flag = self.dice.pick(&[Expr::var("f"), !Expr::var("f")]);
                let again = redrawn.guard.clone();
                redrawn.round.push(branch(flag.and(again), vec![set("d", d + int(1))], vec![]));
                kept = untouched.clone();
                redrawn.unlike = true;
            }
        }
        if kept == untouched {
            redrawn.agree = redrawn.agree.clone().and(untouched);
        }
        redrawn.post = redrawn.post.clone().and(kept);
        redrawn.agree = redrawn.agree.clone().and(same("a"));
    }

    fn redrawn(&mut self) -> Redrawn {
        let mut redrawn = self.drawn_again();
        if self.dice.roll(5) < 2 {
            self.trace(&mut redrawn);
        }
        match self.dice.roll(16) {
            0 => redrawn.agree = Expr::Bool(true),
            1 => redrawn.post = redrawn.post.and(Expr::cost().le(int(1))),
            2 => redrawn.post = Expr::of("x", Run::First).le(int(1)),
            3 => {
                let near = (Expr::of("c", Run::First) - Expr::of("x", Run::First)).le(int(1));
                redrawn.post = redrawn.post.and(near);
                redrawn.tail = true;
            }
            _ => {}
        }
        redrawn
    }

    /// A round from no cost on.
    fn derive_round(
        &mut self,
        context: &Arc<Context>,
        (body, coupling, tail): (&[Statement], &Coupling, bool),
        goal: Expr,
        agree: &Expr,
    ) -> Option<Judgement> {
        let mut round = rules::skip(context, &Assertion::new(context, goal).ok()?);
        for statement in body.iter().rev() {
            let after = round.pre().clone();
            let step = match statement {
                Statement::Draw { .. } if tail => {
                    up_to_upper_tail(context, statement, coupling, &int(1), &after)
                }
                Statement::Draw { .. } => sample(context, statement, coupling, &after),
                Statement::If { .. } => rules::one_sided_both(context, statement, &after),
                Statement::Append { .. } => rules::append(context, statement, &after),
                _ => rules::assign(context, statement, &after),
            };
            round = rules::seq(&step.ok()?, &round).ok()?;
        }
        let start = match self.dice.roll(16) {
            0 => Expr::cost().le(int(1)),
            _ => Expr::cost().equals(int(0)),
        };
        let before = agree.clone().and(start);
        let evidence = self.evidence(context, &[&before], round.pre().formula());
        rules::strengthen(&before, &round, &evidence).ok()
    }

    /// The coupling with the runs exchanged: what moved up moves down.
    fn back(&mut self, coupling: &Coupling) -> Coupling {
        match coupling {
            Coupling::Shift { by, cost } if self.dice.roll(16) > 0 => {
                let by = if *by == int(0) { int(0) } else { -by.clone() };
                Coupling::Shift { by, cost: cost.clone() }
            }
            other => other.clone(),
        }
    }

    fn derive_redraw(
        &mut self,
        context: &Arc<Context>,
        redrawn: &Redrawn,
        rounds: Rounds,
    ) -> Option<Judgement> {
        let Redrawn { round: body, guard, coupling, cost, agree, post, .. } = redrawn;
        let swapped = |e: &Expr| probity_kernel::context::swap_runs(e);
        let mut amount = || match self.dice.roll(16) {
            0 => Expr::of("d", Run::First),
            1 => int(1),
            2 => int(0),
            _ => cost.clone(),
        };
        let (a, mut b) = (amount(), amount());
        let round = self.derive_round(
            context,
            (body, coupling, redrawn.tail),
            accepted(context, guard, post, &a),
            agree,
        )?;
        let other = match (context.orientation(), self.dice.roll(16)) {
            (same, 0) => same,
            (Orientation::Forward, _) => Orientation::Backward,
            (Orientation::Backward, _) => Orientation::Forward,
        };
        let mut back = self.back(coupling);
        // Rarely of another mechanism, in another measure, or of another round.
        let kind = self.dice.roll(24);
        let measured = |measure| Context::measured(context.mechanism(), other, measure).ok().map(Arc::new);
        let there = match (self.other.clone(), kind) {
            (Some(elsewhere), 0 | 1) => elsewhere,
            (_, 2) => {
                back = Coupling::Equal { distance: int(1), cost: q(1, 8) };
                b = q(1, 8);
                measured(Measure::Concentrated)?
            }
            _ => measured(context.measure())?,
        };
        let mut body_there = body.clone();
        if kind == 3 {
            let law = Distribution::UniformInt { low: int(0), high: int(2) };
            body_there[0] = Statement::Draw { var: "c".into(), law };
            (back, b) = (Coupling::Null, int(0));
        }
        // What is known with the runs exchanged; sometimes less, or an order, which may tell what is paid.
        let agree_there = match self.dice.roll(8) {
            0 => Expr::Bool(true),
            1 | 2 if matches!(coupling, Coupling::Shift { by, .. } if *by == int(0)) => {
                let [x, other] = of("x");
                b = other.clone() - x.clone();
                back = Coupling::Shift { by: int(0), cost: b.clone() };
                swapped(agree).and(x.le(other))
            }
            _ => swapped(agree),
        };
        let goal = accepted(&there, guard, &Expr::Bool(true), &b);
        let back = self.derive_round(&there, (&body_there, &back, false), goal, &agree_there)?;
        let enters = match rounds {
            Rounds::Loop => {
                let [one, two] = [Run::First, Run::Second].map(|run| context.in_run(guard, run));
                one.and(two)
            }
            Rounds::AndOneBefore => Expr::Bool(true),
        };
        let no_trace = leaves_no_trace(context, guard, body).ok()?;
        let evidence = self.evidence(context, &[&enters], &no_trace);
        let paid = self.dice.pick(&[int(0), int(1), Expr::of("d", Run::First)]);
        redraw((&"l".into(), guard, rounds), (&round, &back), post, (&a, &b, &paid), &evidence).ok()
    }
}

#[test]
fn redraws() {
    let mut writer = Writer::new(37);
    writer.wide = true;
    let mut seen = Seen::default();
    for number in 0..1_600 * MORE {
        let mut redrawn = writer.redrawn();
        let rounds = writer.dice.pick(&[Rounds::Loop, Rounds::AndOneBefore]);
        let again =
            Statement::While { label: "l".into(), guard: redrawn.guard.clone(), body: redrawn.round.clone() };
        let program = match rounds {
            Rounds::Loop => vec![again],
            Rounds::AndOneBefore => redrawn.round.iter().cloned().chain([again]).collect(),
        };
        let mut mechanism = writer.mechanism(&program, Expr::var("c"));
        // Tables and lists play no part; inputs are near each other, in one order or in both, or one run's is known.
        let [x, other] = of("x");
        let [flag, no_flag] = of("f");
        let near = [
            (x.clone() - other.clone()).abs().le(int(1)),
            (x.clone() - other.clone()).abs().le(int(1)).and(flag.clone()).and(!no_flag.clone()),
            x.clone().equals(other.clone()).and(flag).and(!no_flag),
            x.clone().le(other.clone()).and(other.clone().le(x.clone() + int(1))),
            int(1).le(x.clone()).and((x - other).abs().le(int(1))),
        ];
        let near = if redrawn.unlike { &near[1..3] } else { &near };
        mechanism.adjacency = vec![Adjacency::Related(writer.dice.pick(near))];
        let orientation = writer.dice.pick(&[Orientation::Forward, Orientation::Backward]);
        let measure = if writer.dice.one_in(16) { Measure::Concentrated } else { Measure::Pure };
        if measure == Measure::Concentrated {
            redrawn.coupling =
                Coupling::Equal { distance: int(2).ln(), cost: int(2).ln() * int(2).ln() / int(2) };
            redrawn.cost = int(2).ln() * int(2).ln() / int(2);
        }
        let Ok(context) = Context::measured(&mechanism, orientation, measure) else { continue };
        let context = Arc::new(context);
        let mut elsewhere = mechanism.clone();
        elsewhere.adjacency = vec![Adjacency::Related(same("x")), Adjacency::Related(same("f"))];
        let exchanged = match orientation {
            Orientation::Forward => Orientation::Backward,
            Orientation::Backward => Orientation::Forward,
        };
        writer.other = Context::measured(&elsewhere, exchanged, measure).ok().map(Arc::new);
        for _ in 0..2 {
            let Some(judgement) = writer.derive_redraw(&context, &redrawn, rounds) else { continue };
            try_on_pairs(&judgement, &context, &mut seen, &mut Dice(number + 3), (80, 3), None);
        }
    }
    report("redraws", &seen);
    assert!(seen.rules.get("REDRAW").is_some_and(|n| *n >= 200), "{:?}", seen.rules);
}
