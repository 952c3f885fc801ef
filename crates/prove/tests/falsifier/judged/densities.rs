//! DENSITY: blocks of coins and uniform draws, with values that are spread and values that are not.
//!
//! Uniform draws are cut into equal parts. On each part a value is a line, so that its law is known exactly, and no formula
//! of the kernel is asked for it.

use std::sync::Arc;

use probity_kernel::context::{Context, Orientation};
use probity_kernel::expr::{Expr, Name, Run};
use probity_kernel::finite::same_value;
use probity_kernel::rules::Assertion;
use probity_kernel::term::{Distribution, Statement};

use crate::judge::{Outcome, Trial};
use crate::judgements::MORE;
use crate::sample::{Dice, pair};
use crate::write::{Writer, int, q};

/// Parts of a uniform draw: halves, thirds and quarters of it are ends of parts.
const PARTS: i64 = 12;

fn draw(var: &str, law: Distribution) -> Statement {
    Statement::Draw { var: var.into(), law }
}

fn set(var: &str, value: Expr) -> Statement {
    Statement::Assign { var: var.into(), value }
}

impl Writer {
    /// A number that is fixed before the block, of either run's own.
    fn fixed(&mut self) -> Expr {
        let (w, x) = (|| Expr::var("w"), || Expr::var("x"));
        self.dice.pick(&[
            int(0),
            int(0),
            q(1, 2),
            q(1, 4),
            w(),
            w(),
            w() / int(2),
            x() / int(2),
            Expr::var("f").choose(q(1, 2), q(1, 4)),
            w().abs(),
            int(1) / (x() + int(1)),
        ])
    }

    /// A slope, mostly positive.
    fn slope(&mut self) -> Expr {
        let x = || Expr::var("x");
        self.dice.pick(&[
            int(1),
            int(1),
            int(2),
            q(1, 2),
            int(-1),
            int(1) + x(),
            int(1) / (x() + int(1)),
            Expr::var("eps"),
            Expr::var("w"),
            Expr::var("n"),
            Expr::var("f").choose(int(1), int(2)),
            Expr::var("eps") / Expr::var("eps"),
        ])
    }

    /// A line over a draw; rarely no line, or over two.
    fn line(&mut self) -> Expr {
        let other = Expr::var("v");
        let u = if self.dice.one_in(8) { other.clone() } else { Expr::var("u") };
        let (start, slope) = (self.fixed(), self.slope());
        match self.dice.roll(24) {
            0 => u.clone() * u,
            1 => u + other,
            2 | 13 | 14 => start,
            3 => slope / u,
            4 => u.exp(),
            5..=7 => start - slope * u,
            8 | 9 => (start + u) * slope,
            10 => (start + u) / slope,
            11 => (start + slope * u).max(q(1, 2)),
            12 => (u - q(1, 2)).abs() * slope,
            _ => start + slope * u,
        }
    }

    /// A question about a draw or about the state, rarely about two draws, or one that has no answer in lengths.
    fn question(&mut self) -> Expr {
        let (u, v, bound) = (Expr::var("u"), Expr::var("v"), self.fixed());
        let drawn = if self.dice.one_in(3) { v.clone() } else { u.clone() };
        match self.dice.roll(16) {
            0 => drawn.ge(bound),
            1 => (self.slope() * drawn).lt(bound),
            2 => (-drawn).gt(-bound),
            3 => (drawn - bound).le(q(1, 4)),
            4 => drawn.clone().lt(q(3, 4)).and(drawn.ge(bound)),
            5 => drawn.clone().lt(q(1, 4)).or(drawn.gt(bound)),
            6 => u.lt(v),
            7 => u.equals(q(1, 2)),
            8 => Expr::var("f"),
            9 => Expr::var("w").lt(bound),
            10 => Expr::var("a").or(drawn.lt(bound)),
            _ => drawn.lt(bound),
        }
    }

    fn coin(&mut self) -> Expr {
        let (w, eps, x) = (Expr::var("w"), Expr::var("eps"), Expr::var("x"));
        self.dice.pick(&[
            q(1, 2),
            q(1, 4),
            q(3, 4),
            q(1, 2),
            w.clone(),
            eps.clone(),
            int(1),
            Expr::var("f").choose(q(1, 4), q(3, 4)),
            int(1) / (x.clone() + int(1)),
            eps.clone() / (eps.clone() + eps),
            (x.clone() / int(2)) / (x + int(1)),
            w.clone() / w,
            Expr::var("u"),
        ])
    }

    /// A block that sets y by draws that are spread; rarely one that means nothing.
    fn spread_block(&mut self) -> Vec<Statement> {
        let mut block = vec![draw("u", Distribution::Uniform)];
        if self.dice.one_in(2) {
            block.push(draw("v", Distribution::Uniform));
        }
        if self.dice.one_in(2) {
            let p = self.coin();
            block.push(draw("a", Distribution::Bernoulli(p)));
        }
        if self.dice.one_in(8) {
            let last = block.len() - 1;
            block.swap(0, last);
        }
        if self.dice.one_in(8) {
            let guard = self.question();
            block.push(set("b", guard));
        }
        match self.dice.roll(10) {
            // A value that takes few values, and a truth value.
            0 | 1 => {
                let guard = self.question();
                let (one, other) = (self.fixed(), self.fixed());
                block.push(set("y", guard.choose(one, other)));
            }
            2 | 3 => {
                let value = self.question();
                block.push(set("b", value));
            }
            4 => {
                let value = self.line();
                block.push(set("y", value));
            }
            5 => {
                let (guard, one, other) = (self.question(), self.line(), self.line());
                block.push(set("y", guard.choose(one, other)));
            }
            6 => {
                // Two questions, one after the other.
                let (outer, inner) = (self.question(), self.question());
                let lines = [self.line(), self.line(), self.line()].map(|line| vec![set("y", line)]);
                let [one, two, three] = lines;
                let then = vec![Statement::If { guard: inner, then: one, otherwise: two }];
                block.push(Statement::If { guard: outer, then, otherwise: three });
            }
            _ => {
                let guard = if self.dice.one_in(2) { Expr::var("a") } else { self.question() };
                let (then, otherwise) = (vec![set("y", self.line())], vec![set("y", self.line())]);
                block.push(Statement::If { guard, then, otherwise });
            }
        }
        block
    }

    /// A ratio of densities; rarely none.
    fn ratio_of_densities(&mut self) -> (Expr, Expr) {
        let (a, b) = self.dice.pick(&[
            (1, 1),
            (2, 1),
            (3, 2),
            (3, 1),
            (4, 3),
            (4, 1),
            (6, 1),
            (7, 1),
            (12, 1),
            (-2, -1),
            (0, 0),
            (1, 0),
            (1, 2),
        ]);
        match self.dice.roll(6) {
            0 => (Expr::of("f", Run::First).choose(int(a), int(1)), int(b)),
            1 => (Expr::of(self.dice.pick(&["u", "y"]), Run::First), int(b)),
            _ => (int(a), int(b)),
        }
    }
}

#[test]
fn densities() {
    let mut writer = Writer::new(61);
    let (mut judgements, mut held, mut pairs) = (0, 0, 0);
    for round in 0..1_800 * MORE {
        let block = writer.spread_block();
        let boolean = matches!(block.last(), Some(Statement::Assign { var, .. }) if *var == Name::from("b"));
        let var = if boolean { "b" } else { "y" };
        let mechanism = writer.mechanism(&block, Expr::var(var));
        let orientation = writer.dice.pick(&[Orientation::Forward, Orientation::Backward]);
        let Ok(context) = Context::new(&mechanism, orientation) else { continue };
        let context = Arc::new(context);
        let (a, b) = writer.ratio_of_densities();
        let same = |name: &str| Expr::of(name, Run::First).equals(Expr::of(name, Run::Second));
        let wanted = match writer.dice.roll(12) {
            // What else the block sets is forgotten.
            0 => same(var).and(same("a")),
            1 => same("u"),
            2 => Expr::of("y", Run::First).le(int(1)).implies(same(var)),
            _ => same(var),
        };
        let most = match writer.dice.roll(4) {
            0 => writer.dice.pick(&[int(0), int(1), int(2)]),
            _ => (a.clone() / b.clone()).ln(),
        };
        let Ok(post) = Assertion::new(&context, wanted.and(Expr::cost().le(most))) else { continue };
        let Ok(judgement) = same_value(&context, &block, &var.into(), (&a, &b), &post) else { continue };
        assert!(judgement.axioms().contains("DENSITY"));
        let trial = match Trial::new(&judgement, &context) {
            Ok(Some(trial)) => trial.in_parts(PARTS),
            Ok(None) => continue,
            Err(why) => panic!("a judgement that means nothing\n{mechanism}{why}"),
        };
        judgements += 1;
        let mut dice = Dice(round + 7);
        let mut tried = 0;
        for _ in 0..12 {
            let Some(pair) = pair(&context, &mut dice) else { break };
            match trial.on(&pair, &mut dice) {
                Outcome::Elsewhere => {}
                Outcome::Holds => tried += 1,
                Outcome::False(why) => panic!("a false judgement by DENSITY\n{mechanism}{why}"),
            }
            if tried == 3 {
                break;
            }
        }
        (held, pairs) = (held + u64::from(tried > 0), pairs + tried);
    }
    println!("densities: {judgements} judgements, {held} of them tried, on {pairs} pairs");
    assert!(held >= 150, "{judgements} {held} {pairs}");
}
