//! REDRAW: loops that draw until a round is accepted, with rounds that are alike and rounds that are not.

use std::sync::Arc;

use probity_kernel::context::{Context, Orientation};
use probity_kernel::expr::{Expr, Run};
use probity_kernel::redraw::{Rounds, accepted, leaves_no_trace, redraw};
use probity_kernel::rules::{self, Assertion, Judgement};
use probity_kernel::sampling::sample;
use probity_kernel::term::{Coupling, Distribution, Statement};

use crate::judgements::{MORE, report, search};
use crate::write::{Way, Writer, int, q};

impl Writer {
    /// A round that draws c, a loop that draws it again, and sometimes the same round before it.
    fn redrawn(&mut self) -> Vec<Statement> {
        let center = self.dice.pick(&[int(0), Expr::var("x"), Expr::var("x")]);
        let scale = self.dice.pick(&[int(1), int(2)]);
        let law = match self.dice.roll(4) {
            0 => self.law(None, 'i'),
            1 => Distribution::Geometric { scale },
            _ => Distribution::DiscreteLaplace { center, scale },
        };
        let mut round = vec![Statement::Draw { var: "c".into(), law }];
        let set = |var: &str, value| Statement::Assign { var: var.into(), value };
        match self.dice.roll(8) {
            // A round that is seen by the next.
            0 => round.push(set("d", Expr::var("d") + int(1))),
            1 => round.insert(0, set("c", Expr::var("d"))),
            2 => round.push(set("d", Expr::var("c"))),
            3 => {
                let then = vec![set("d", Expr::var("c"))];
                let guard = Expr::var("c").ge(self.dice.pick(&[int(0), int(0), int(-1)]));
                round.push(Statement::If { guard, then, otherwise: vec![] });
            }
            _ => {}
        }
        let guard = match self.dice.roll(6) {
            0 => Expr::var("c").lt(Expr::var("x")),
            1 => Expr::var("c").lt(Expr::var("d")),
            2 => Expr::var("c").equals(int(0)),
            _ => Expr::var("c").lt(int(0)),
        };
        let again = Statement::While { label: "l".into(), guard, body: round.clone() };
        let mut program = if self.dice.one_in(2) { round } else { vec![] };
        program.push(again);
        program
    }

    /// A round from no cost on; its draws have the same value in both runs, or are coupled in any way.
    fn derive_round(
        &mut self,
        context: &Arc<Context>,
        body: &[Statement],
        goal: Expr,
        cost: &Expr,
    ) -> Option<Judgement> {
        let goal = match self.dice.roll(12) {
            0 => Expr::cost().le(int(2)),
            _ => goal,
        };
        let mut round = rules::skip(context, &Assertion::new(context, goal).ok()?);
        for statement in body.iter().rev() {
            let after = round.pre().clone();
            let by = self.dice.pick(&[int(0), int(0), int(0), int(1)]);
            let couplings = [Coupling::Shift { by, cost: cost.clone() }, Coupling::Null];
            let step = match statement {
                Statement::Draw { .. } if self.dice.roll(6) > 0 => {
                    let judged = |coupling: &Coupling| sample(context, statement, coupling, &after).ok();
                    couplings.iter().find_map(judged)
                }
                Statement::If { .. } => rules::one_sided_both(context, statement, &after).ok(),
                _ => self.derive(context, statement, &after, &mut |_| {}),
            };
            round = rules::seq(&step?, &round).ok()?;
        }
        let start = match self.dice.roll(10) {
            0 => Expr::cost().le(int(1)),
            _ => Expr::cost().equals(int(0)),
        };
        let before = match self.dice.roll(3) {
            0 => self.relation().and(start),
            _ => start,
        };
        let evidence = self.evidence(context, &[&before], round.pre().formula());
        rules::strengthen(&before, &round, &evidence).ok()
    }

    pub fn derive_redraw(
        &mut self,
        context: &Arc<Context>,
        program: &[Statement],
        see: &mut dyn FnMut(&Judgement),
    ) -> Option<Judgement> {
        let (Statement::While { label, guard, body }, once) = program.split_last()? else { return None };
        let same = |name: &str| Expr::of(name, Run::First).equals(Expr::of(name, Run::Second));
        let post = match self.dice.roll(4) {
            0 => self.relation(),
            1 => same("c").and(same("d")),
            _ => same("c"),
        };
        let amounts = [int(1), int(1), q(1, 2), int(2), int(0), Expr::of("d", Run::First)];
        let (a, b) = (self.dice.pick(&amounts), self.dice.pick(&amounts));
        let round = self.derive_round(context, body, accepted(context, guard, &post, &a), &a)?;
        let other = match (context.orientation(), self.dice.roll(10)) {
            (same, 0) => same,
            (Orientation::Forward, _) => Orientation::Backward,
            (Orientation::Backward, _) => Orientation::Forward,
        };
        let there = match self.other.clone() {
            Some(elsewhere) if self.dice.one_in(12) => elsewhere,
            _ => Arc::new(Context::measured(context.mechanism(), other, context.measure()).ok()?),
        };
        let goal = accepted(&there, guard, &Expr::Bool(true), &b);
        let back = self.derive_round(&there, body, goal, &b)?;
        let (rounds, enters) = match once.is_empty() {
            true => {
                let [one, two] = [Run::First, Run::Second].map(|run| context.in_run(guard, run));
                (Rounds::Loop, one.and(two))
            }
            false => (Rounds::AndOneBefore, Expr::Bool(true)),
        };
        let no_trace = leaves_no_trace(context, guard, body).ok()?;
        let evidence = self.evidence(context, &[&enters], &no_trace);
        let paid = self.dice.pick(&[int(0), int(1), Expr::of("d", Run::First)]);
        redraw((label, guard, rounds), (&round, &back), &post, (&a, &b, &paid), &evidence)
            .ok()
            .inspect(|judgement| see(judgement))
    }
}

#[test]
fn redraws() {
    let mut writer = Writer::new(37);
    (writer.way, writer.wide) = (Way::Redraws, true);
    let seen = search(&mut writer, 200 * MORE, &mut |writer| writer.redrawn());
    report("redraws", &seen);
    assert!(seen.rules.get("REDRAW").is_some_and(|n| *n >= 4), "{:?}", seen.rules);
}
