//! UP-TO-BAD: every way of giving up a part of a law, with postconditions that need all that is given up.

use std::sync::Arc;

use probity_kernel::concentrated::Measure;
use probity_kernel::context::{Context, Orientation};
use probity_kernel::expr::{Expr, Name, Run};
use probity_kernel::rules::{self, Assertion, Judgement};
use probity_kernel::sampling::{
    up_to_exact_lower_tail_int, up_to_exact_tail_int, up_to_exact_tails_int, up_to_far_tail,
    up_to_lower_tail, up_to_open_lower_tail, up_to_open_tail, up_to_side, up_to_start, up_to_tail,
    up_to_tail_uniform, up_to_upper_tail,
};
use probity_kernel::term::{Coupling, Distribution, Statement};

use crate::judgements::{MORE, Seen, report, try_on_pairs};
use crate::sample::Dice;
use crate::write::{Writer, int, q};

/// The parts into which uniform draws are cut.
const PARTS: i64 = 12;

/// A draw, how its value moves, what that costs, and what is left of its law.
struct Cut {
    statement: Statement,
    by: Expr,
    cost: Expr,
    at: Expr,
    /// Of the first run's value, where the postcondition says something else than `false`.
    zone: Expr,
    way: u64,
}

fn draw(var: &str, law: Distribution) -> Statement {
    Statement::Draw { var: var.into(), law }
}

fn first(var: &str) -> Expr {
    Expr::of(var, Run::First)
}

fn second(var: &str) -> Expr {
    Expr::of(var, Run::Second)
}

fn in_run(e: &Expr, run: Run) -> Expr {
    e.replace(&|v| match v {
        probity_kernel::expr::Variable::Plain(name) if !["eps", "n"].contains(&name.as_str()) => {
            Some(Expr::of(name.clone(), run))
        }
        _ => None,
    })
}

impl Writer {
    /// Where a law is cut; mostly a small number, which need be no integer, rarely nothing that may be written there.
    fn place(&mut self) -> Expr {
        match self.dice.roll(16) {
            0 => self.dice.pick(&[first("x"), Expr::Bool(true), Expr::var("x")]),
            1 | 2 => int(-1),
            3 => Expr::var("eps"),
            4 | 5 => self.dice.pick(&[q(1, 2), q(3, 2)]),
            _ => self.dice.pick(&[int(1), int(1), int(2), int(0), int(3)]),
        }
    }

    fn width(&mut self) -> Expr {
        match self.dice.roll(10) {
            0 => Expr::var("f").choose(int(1), int(2)),
            1 => int(1) / Expr::var("eps"),
            2 => Expr::var("n"),
            3 | 4 => int(2),
            _ => int(1),
        }
    }

    /// Noise around a center: cut on both sides or above, as the rules do, or elsewhere.
    fn cut_around(&mut self, whole: bool) -> Cut {
        let var = if whole { "c" } else { "y" };
        let own = Expr::var(var);
        let center = self.dice.pick(&[int(0), Expr::var("x"), Expr::var("x"), Expr::var("x") + int(1), own]);
        let scale = self.width();
        let law = match whole {
            true => Distribution::DiscreteLaplace { center: center.clone(), scale: scale.clone() },
            false => Distribution::Laplace { center: center.clone(), scale: scale.clone() },
        };
        let (one, two) = (in_run(&center, Run::First), in_run(&center, Run::Second));
        let by = self.dice.pick(&[int(0), int(0), int(1), int(-1), two.clone() - one.clone()]);
        let cost = match self.dice.roll(8) {
            0 => int(0),
            1 => int(1),
            _ => (by.clone() + one.clone() - two).abs() / in_run(&scale, Run::First),
        };
        let ways: &[u64] = if whole { &[0, 1, 2, 3, 4, 10, 11, 12] } else { &[0, 1, 2, 10, 11] };
        let (at, way) = (self.place(), self.dice.pick(ways));
        let apart = first(var) - one;
        let near = match way {
            0 => apart.clone().abs().le(at.clone()),
            1 => apart.clone().le(at.clone()),
            2 | 3 => apart.clone().lt(at.clone()),
            10 => (-at.clone()).le(apart.clone()),
            11 | 12 => (-at.clone()).lt(apart.clone()),
            _ => apart.clone().abs().lt(at.clone()),
        };
        let others = [apart.clone().le(at.clone()), apart.clone().abs().le(at.clone()), apart.lt(at.clone())];
        let zone = if self.dice.one_in(4) { self.dice.pick(&others) } else { near };
        Cut { statement: draw(var, law), by, cost, at, zone, way }
    }

    /// Noise on one side: far away, or where it begins.
    fn cut_on_one_side(&mut self, whole: bool) -> Cut {
        let (var, scale) = (if whole { "c" } else { "y" }, self.width());
        let law = match whole {
            true => Distribution::Geometric { scale: scale.clone() },
            false => Distribution::Exponential { scale: scale.clone() },
        };
        let by = self.dice.pick(&[int(0), int(1), int(-1), int(-1), int(-2), q(1, 2), first(var)]);
        let cost = match self.dice.roll(8) {
            0 => int(1),
            1 => int(-1),
            2 => first(var),
            _ => int(0).max(by.clone()) / in_run(&scale, Run::First),
        };
        let (at, way) = (self.place(), 5 + self.dice.roll(2));
        let near = if way == 5 { first(var).lt(at.clone()) } else { first(var).ge(at.clone()) };
        let zone = if self.dice.one_in(5) { Expr::Bool(true) } else { near };
        Cut { statement: draw(var, law), by, cost, at, zone, way }
    }

    /// Uniform noise, that stays where it moves within its range.
    fn cut_of_a_range(&mut self, whole: bool) -> Cut {
        let cost = self.dice.pick(&[int(0), int(0), int(0), int(1), int(-1)]);
        let share = self.dice.pick(&[q(1, 4), q(1, 3), q(1, 2), int(1), int(0), int(-1), first("x")]);
        let share = if self.dice.one_in(12) { Expr::Bool(false) } else { share };
        if !whole {
            let by = self.dice.pick(&[q(1, 4), q(-1, 4), q(1, 2), int(0), q(1, 3)]);
            let moved = first("y") + by.clone();
            let stays = int(0).lt(moved.clone()).and(moved.le(int(1)));
            let statement = draw("y", Distribution::Uniform);
            return Cut { statement, by, cost, at: share, zone: stays, way: 7 };
        }
        let x = || Expr::var("x");
        let (low, high) = self.dice.pick(&[
            (int(0), int(2)),
            (int(0), int(3)),
            (x(), x() + int(2)),
            (x(), x() + int(3)),
            (int(0), x()),
            (x(), int(3)),
        ]);
        let by = self.dice.pick(&[int(0), int(0), int(1), int(-1)]);
        let moved = first("c") + by.clone();
        let (from, to) = (in_run(&low, Run::Second), in_run(&high, Run::Second));
        let stays = from.le(moved.clone()).and(moved.le(to));
        let zone = if self.dice.one_in(4) { Expr::Bool(true) } else { stays };
        Cut {
            statement: draw("c", Distribution::UniformInt { low, high }),
            by,
            cost,
            at: share,
            zone,
            way: 7,
        }
    }

    /// One side of a coin, mostly with the mass that it has, or with some more.
    fn cut_of_a_coin(&mut self, var: &str) -> Cut {
        let side = self.dice.one_in(2);
        let unlike = Expr::var("f").choose(q(1, 4), q(3, 4));
        let p = self.dice.pick(&[q(1, 2), q(1, 4), q(3, 4), q(1, 3), unlike, Expr::var("eps")]);
        let mass = if side { p.clone() } else { int(1) - p.clone() };
        let at = match self.dice.roll(8) {
            0 => mass + q(1, 4),
            1 => int(1) - mass,
            2 => self.dice.pick(&[q(1, 2), q(1, 4), q(3, 4), int(1), int(0), int(-1)]),
            3 => self.dice.pick(&[first("x"), Expr::Bool(false), first("d"), first("d")]),
            _ => mass,
        };
        let zone = if side { !first(var) } else { first(var) };
        let way = if side { 8 } else { 9 };
        let statement = draw(var, Distribution::Bernoulli(p));
        Cut { statement, by: int(0), cost: int(0), at, zone, way }
    }

    fn cut(&mut self) -> Cut {
        match self.dice.roll(9) {
            0..=2 => self.cut_around(true),
            3 => self.cut_around(false),
            4 => self.cut_on_one_side(true),
            5 => self.cut_on_one_side(false),
            6 => self.cut_of_a_range(true),
            7 => self.cut_of_a_range(false),
            _ => self.cut_of_a_coin("a"),
        }
    }

    /// What must hold after a cut draw: in its zone the values are as far apart as it says, elsewhere nothing does.
    fn after_cut(&mut self, cut: &Cut) -> Expr {
        let Statement::Draw { var, .. } = &cut.statement else { return Expr::Bool(true) };
        let coin = ["a", "b"].map(Name::from).contains(var);
        let moved = match coin {
            true => first(var.as_str()).equals(second(var.as_str())),
            false => second(var.as_str()).equals(first(var.as_str()) + cut.by.clone()),
        };
        // What is drawn is not there before; what it was would be another value.
        let cost = if cut.cost.mentions(&probity_kernel::expr::Variable::Of(var.clone(), Run::First)) {
            int(1)
        } else {
            cut.cost.clone()
        };
        let most = if self.dice.one_in(3) { self.dice.pick(&[int(0), int(1), int(2)]) } else { cost };
        cut.zone.clone().and(moved).and(Expr::cost().le(most))
    }

    fn up_to(&mut self, context: &Arc<Context>, cut: &Cut, post: &Assertion) -> Option<Judgement> {
        let (statement, at, amounts) = (&cut.statement, &cut.at, (&cut.by, &cut.cost));
        let coupling = match context.measure() {
            Measure::Concentrated if self.dice.one_in(2) => {
                Coupling::Equal { distance: int(0), cost: int(0) }
            }
            Measure::Pure if cut.by != int(0) || cut.cost != int(0) => {
                Coupling::Shift { by: cut.by.clone(), cost: cut.cost.clone() }
            }
            _ => Coupling::Null,
        };
        let rule = match cut.way {
            0 => up_to_tail,
            1 => up_to_upper_tail,
            2 => up_to_open_tail,
            3 => up_to_exact_tail_int,
            4 => up_to_exact_tails_int,
            5 => up_to_far_tail,
            10 => up_to_lower_tail,
            11 => up_to_open_lower_tail,
            12 => up_to_exact_lower_tail_int,
            6 => return up_to_start(context, statement, amounts, at, post).ok(),
            7 => return up_to_tail_uniform(context, statement, amounts, at, post).ok(),
            way => return up_to_side(context, statement, way == 8, at, post).ok(),
        };
        rule(context, statement, &coupling, at, post).ok()
    }
}

/// Each draw by itself, and in a branch beside another one that is never taken, of which what is given up must not count as less than
/// nothing.
#[test]
fn parts_of_laws() {
    let mut writer = Writer::new(71);
    let mut seen = Seen::default();
    for round in 0..2_600 * MORE {
        let cut = writer.cut();
        let mut cuts = vec![cut];
        if writer.dice.one_in(6) {
            let Statement::Draw { var, .. } = &cuts[0].statement else { continue };
            let var = var.clone();
            let same = |cut: &Cut| matches!(&cut.statement, Statement::Draw { var: v, .. } if *v == var);
            let other = (0..20).map(|_| writer.cut()).find(same);
            cuts.extend(other);
        }
        let guard = writer.dice.pick(&[Expr::Bool(false), int(1).lt(int(0)), Expr::var("f")]);
        let program = match cuts.as_slice() {
            [one, other] => vec![Statement::If {
                guard: guard.clone(),
                then: vec![other.statement.clone()],
                otherwise: vec![one.statement.clone()],
            }],
            _ => vec![cuts[0].statement.clone()],
        };
        let mechanism = writer.mechanism(&program, Expr::var("c"));
        let orientation = writer.dice.pick(&[Orientation::Forward, Orientation::Backward]);
        let measure = if writer.dice.one_in(12) { Measure::Concentrated } else { Measure::Pure };
        let Ok(context) = Context::measured(&mechanism, orientation, measure) else { continue };
        let context = Arc::new(context);
        let formula = writer.after_cut(&cuts[0]);
        let Ok(post) = Assertion::new(&context, formula) else { continue };
        let Some(judgement) = writer.up_to(&context, &cuts[0], &post) else { continue };
        let judgement = match cuts.get(1) {
            None => judgement,
            Some(other) => {
                let Some(never) = writer.up_to(&context, other, &post) else { continue };
                let Ok(both) = rules::cond(&guard, &never, &judgement) else { continue };
                both
            }
        };
        assert!(judgement.axioms().contains("UP-TO-BAD"));
        let uniform = matches!(&cuts[0].statement, Statement::Draw { law: Distribution::Uniform, .. });
        let parts = uniform.then_some(PARTS);
        try_on_pairs(&judgement, &context, &mut seen, &mut Dice(round + 11), (60, 4), parts);
    }
    report("parts of laws", &seen);
    assert!(seen.rules["UP-TO-BAD"] >= 300, "{:?}", seen.rules);
}

/// One side of a coin, or of two, also after what changes a variable, and beside a coin in a branch that is never taken.
#[test]
fn sides_of_coins() {
    let mut writer = Writer::new(73);
    let mut seen = Seen::default();
    for round in 0..1_000 * MORE {
        let coins = match writer.dice.roll(3) {
            0 => vec![writer.cut_of_a_coin("a"), writer.cut_of_a_coin("b")],
            _ => vec![writer.cut_of_a_coin("a")],
        };
        let mut program: Vec<Statement> = coins.iter().map(|cut| cut.statement.clone()).collect();
        let before = Statement::Assign { var: "d".into(), value: int(1) };
        let changes = writer.dice.one_in(3);
        if changes {
            program.insert(0, before.clone());
        }
        let never = writer.dice.one_in(3).then(|| writer.cut_of_a_coin("a"));
        let guard = writer.dice.pick(&[Expr::Bool(false), int(1).lt(int(0)), Expr::var("f")]);
        let program = match &never {
            None => program,
            Some(cut) => vec![Statement::If {
                guard: guard.clone(),
                then: vec![cut.statement.clone()],
                otherwise: program,
            }],
        };
        let mechanism = writer.mechanism(&program, Expr::var("c"));
        let orientation = writer.dice.pick(&[Orientation::Forward, Orientation::Backward]);
        let measure = if writer.dice.one_in(12) { Measure::Concentrated } else { Measure::Pure };
        let Ok(context) = Context::measured(&mechanism, orientation, measure) else { continue };
        let context = Arc::new(context);
        let formula = Expr::all(coins.iter().map(|cut| writer.after_cut(cut)).collect::<Vec<_>>());
        let Ok(post) = Assertion::new(&context, formula) else { continue };
        let followed = coins.iter().rev().try_fold(rules::skip(&context, &post), |rest, cut| {
            let step = writer.up_to(&context, cut, rest.pre())?;
            rules::seq(&step, &rest).ok()
        });
        let Some(mut judgement) = followed else { continue };
        if changes {
            let Ok(step) = rules::assign(&context, &before, judgement.pre()) else { continue };
            let Ok(whole) = rules::seq(&step, &judgement) else { continue };
            judgement = whole;
        }
        if let Some(cut) = &never {
            let Some(there) = writer.up_to(&context, cut, &post) else { continue };
            let Ok(both) = rules::cond(&guard, &there, &judgement) else { continue };
            judgement = both;
        }
        try_on_pairs(&judgement, &context, &mut seen, &mut Dice(round + 13), (60, 4), None);
    }
    report("sides of coins", &seen);
    assert!(seen.rules["UP-TO-BAD"] >= 200, "{:?}", seen.rules);
}
