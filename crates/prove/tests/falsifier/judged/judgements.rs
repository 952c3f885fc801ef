//! Every judgement that a rule makes is true.

use std::sync::Arc;

use probity_kernel::concentrated::Measure;
use probity_kernel::context::{Context, Orientation};
use probity_kernel::expr::{Expr, Run};
use probity_kernel::rules::{Assertion, Judgement};
use probity_kernel::term::{Adjacency, Distribution, Statement};

use crate::judge::{Outcome, Trial};
use crate::sample::{Dice, pair};
use crate::write::{Way, Writer, int};

/// How much is tried: more with the feature `exhaustive`.
pub const MORE: u64 = if cfg!(feature = "exhaustive") { 12 } else { 1 };

/// What was seen.
#[derive(Default)]
pub struct Seen {
    judgements: u64,
    pairs: u64,
    pub rules: std::collections::BTreeMap<&'static str, u64>,
}

/// Tries a judgement on some pairs of states.
pub fn check(judgement: &Judgement, context: &Context, seen: &mut Seen, dice: &mut Dice) {
    try_on_pairs(judgement, context, seen, dice, (16, 3), None);
}

/// The same for so many pairs that are looked at, of which so many are in its precondition, with uniform draws in so many parts.
pub fn try_on_pairs(
    judgement: &Judgement,
    context: &Context,
    seen: &mut Seen,
    dice: &mut Dice,
    (most, enough): (u64, u64),
    parts: Option<i64>,
) {
    let wrong = |why: String| {
        let (by, measure) = (judgement.axioms(), context.measure());
        panic!("a false judgement by {by:?}, {measure:?}\n{}{why}", context.mechanism())
    };
    let trial = match Trial::new(judgement, context) {
        Ok(Some(trial)) => match parts {
            Some(parts) => trial.in_parts(parts),
            None => trial,
        },
        Ok(None) => return,
        Err(why) => return wrong(why),
    };
    seen.judgements += 1;
    let mut tried = 0;
    for _ in 0..most {
        let Some(pair) = pair(context, dice) else { return };
        match trial.on(&pair, dice) {
            Outcome::Elsewhere => {}
            Outcome::Holds => tried += 1,
            Outcome::False(why) => wrong(why),
        }
        if tried == enough {
            break;
        }
    }
    seen.pairs += tried;
    if tried > 0 {
        for axiom in judgement.axioms() {
            *seen.rules.entry(axiom).or_default() += 1;
        }
    }
}

/// Random programs, random postconditions, random derivations.
pub fn search(
    writer: &mut Writer,
    rounds: u64,
    programs: &mut dyn FnMut(&mut Writer) -> Vec<Statement>,
) -> Seen {
    search_for(writer, rounds, programs, &mut |writer| writer.relation().and(writer.bound()))
}

/// The same with postconditions of one's own.
fn search_for(
    writer: &mut Writer,
    rounds: u64,
    programs: &mut dyn FnMut(&mut Writer) -> Vec<Statement>,
    posts: &mut dyn FnMut(&mut Writer) -> Expr,
) -> Seen {
    let mut seen = Seen::default();
    for round in 0..rounds {
        let program = programs(writer);
        let mechanism = writer.mechanism(&program, Expr::var("c"));
        let orientation = writer.dice.pick(&[Orientation::Forward, Orientation::Backward]);
        let measure = if writer.concentrated { Measure::Concentrated } else { Measure::Pure };
        let Ok(context) = Context::measured(&mechanism, orientation, measure) else { continue };
        let context = Arc::new(context);
        let mut near = mechanism.clone();
        near.adjacency.clear();
        let same = |name: &str| Expr::of(name, Run::First).equals(Expr::of(name, Run::Second));
        near.adjacency.extend(["x", "w", "f"].map(|name| Adjacency::Related(same(name))));
        writer.other = Context::measured(&near, orientation, measure).ok().map(Arc::new);
        let mut dice = Dice(round.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 5);
        for _ in 0..3 {
            let formula = posts(writer);
            let Ok(post) = Assertion::new(&context, formula) else { continue };
            let mut see = |judgement: &Judgement| check(judgement, &context, &mut seen, &mut dice);
            match writer.way {
                Way::Backward => drop(writer.derive_block(&context, &program, &post, &mut see)),
                Way::Chains => drop(writer.derive_chain(&context, &program, &mut see)),
                Way::Points => drop(writer.derive_select(&context, &program, &mut see)),
                Way::Splits => drop(writer.derive_split(&context, &program, &post, &mut see)),
            }
        }
    }
    seen
}

pub fn report(what: &str, seen: &Seen) {
    println!("{what}: {} judgements on {} pairs, {:?}", seen.judgements, seen.pairs, seen.rules);
}

#[test]
fn programs_of_finite_draws() {
    let seen = search(&mut Writer::new(17), 200 * MORE, &mut |writer| writer.block(1));
    report("finite", &seen);
}

#[test]
fn programs_of_noise() {
    let mut writer = Writer::new(18);
    writer.wide = true;
    let seen = search(&mut writer, 100 * MORE, &mut |writer| writer.block(1));
    report("noise", &seen);
}

/// A draw of noise alone, with a postcondition about it.
#[test]
fn single_draws() {
    let mut writer = Writer::new(19);
    writer.wide = true;
    let seen = search(&mut writer, 300 * MORE, &mut |writer| {
        let kind = writer.dice.pick(&['i', 'r', 'r']);
        let var = if kind == 'i' { "c" } else { "y" };
        vec![Statement::Draw { var: var.into(), law: writer.law(None, kind) }]
    });
    report("draws", &seen);
}

/// A draw that moves by one amount above 0 and by another below, with a postcondition that says so.
#[test]
fn selective_shifts() {
    let mut writer = Writer::new(26);
    writer.wide = true;
    let mut programs = |writer: &mut Writer| {
        let center = writer.dice.pick(&[int(0), int(1)]);
        let scale = int(1);
        let (var, law) = match writer.dice.roll(4) {
            0 => ("c", Distribution::DiscreteLaplace { center, scale }),
            1 => ("c", Distribution::Geometric { scale }),
            2 => ("y", Distribution::Exponential { scale }),
            _ => ("y", Distribution::Laplace { center, scale }),
        };
        vec![Statement::Draw { var: var.into(), law }]
    };
    let mut posts = |writer: &mut Writer| {
        let var = writer.dice.pick(&["c", "y"]);
        let (one, two) = (Expr::of(var, Run::First), Expr::of(var, Run::Second));
        let mut moved = || (two.clone() - one.clone()).equals(writer.dice.pick(&[int(0), int(1), int(-1)]));
        let (above, below) = (moved(), moved());
        let is_above = int(0).le(one.clone());
        let both = is_above.clone().implies(above).and(is_above.or(below));
        both.and(Expr::cost().le(int(1)))
    };
    let seen = search_for(&mut writer, 200 * MORE, &mut programs, &mut posts);
    report("selective shifts", &seen);
}

/// GUMGEN: noise that moves up, with a center that the runs may have at different places, and a postcondition about how far it moves.
#[test]
fn gumbel_noise() {
    let mut writer = Writer::new(29);
    writer.wide = true;
    let mut programs = |writer: &mut Writer| {
        let center = writer.dice.pick(&[int(0), int(1), Expr::var("x")]);
        let law = Distribution::Gumbel { center, scale: writer.dice.pick(&[int(1), int(1), int(2)]) };
        vec![Statement::Draw { var: "y".into(), law }]
    };
    let mut posts = |writer: &mut Writer| {
        let (one, two) = (Expr::of("y", Run::First), Expr::of("y", Run::Second));
        let moved = (two - one).equals(writer.dice.pick(&[int(0), int(1), int(-1)]));
        moved.and(Expr::cost().le(writer.dice.pick(&[int(0), int(1), int(2)])))
    };
    let seen = search_for(&mut writer, 200 * MORE, &mut programs, &mut posts);
    report("gumbel noise", &seen);
    assert!(seen.rules.contains_key("GUMGEN"), "{:?}", seen.rules);
}

/// CASES: draws that are coupled by what they decide.
#[test]
fn questions() {
    let mut writer = Writer::new(30);
    writer.cases = true;
    let mut programs = |writer: &mut Writer| match writer.dice.roll(3) {
        0 => writer.block(1),
        1 => vec![Statement::Draw { var: "c".into(), law: writer.law(None, 'i') }],
        _ => vec![Statement::Draw { var: "a".into(), law: writer.law(None, 'b') }],
    };
    let seen = search(&mut writer, 200 * MORE, &mut programs);
    report("questions", &seen);
    assert!(seen.rules.contains_key("CASES"), "{:?}", seen.rules);
    // Two draws of noise, and whether both are above a threshold.
    writer.wide = true;
    let noise = |var: &str, writer: &mut Writer| {
        let law = Distribution::DiscreteLaplace {
            center: Expr::var("x"),
            scale: writer.dice.pick(&[int(1), int(2)]),
        };
        Statement::Draw { var: var.into(), law }
    };
    let mut programs = |writer: &mut Writer| vec![noise("c", writer), noise("d", writer)];
    report("questions about noise", &search(&mut writer, 60 * MORE, &mut programs));
}

/// CHAIN and ALIKE: programs that are followed forward.
#[test]
fn chains() {
    let mut writer = Writer::new(27);
    writer.way = Way::Chains;
    let mut programs = |writer: &mut Writer| match writer.dice.roll(3) {
        0 => vec![writer.statement(1)],
        _ => writer.block(1).into_iter().chain(writer.block(1)).collect(),
    };
    report("chains", &search(&mut writer, 250 * MORE, &mut programs));
    writer.concentrated = true;
    report("chains in rho", &search(&mut writer, 30 * MORE, &mut programs));
}

/// SELECT: a part of a program, point by point.
#[test]
fn selections() {
    let mut writer = Writer::new(28);
    writer.way = Way::Points;
    let seen = search(&mut writer, 200 * MORE, &mut |writer| match writer.dice.roll(2) {
        0 => writer.block(1),
        _ => vec![Statement::Draw { var: "c".into(), law: writer.law(None, 'i') }],
    });
    report("selections", &seen);
    assert!(seen.rules.contains_key("PW-EQ"), "{:?}", seen.rules);
}

/// SPLIT: noise and coins that are coupled in one way or in another, and cut at different places.
#[test]
fn splits() {
    let mut writer = Writer::new(31);
    (writer.way, writer.tails, writer.wide) = (Way::Splits, true, true);
    let mut programs = |writer: &mut Writer| {
        let center = writer.dice.pick(&[int(0), Expr::var("x")]);
        let scale = writer.dice.pick(&[int(1), int(2)]);
        let law = match writer.dice.roll(5) {
            0 => writer.law(None, 'i'),
            1 => Distribution::Geometric { scale },
            _ => Distribution::DiscreteLaplace { center, scale },
        };
        vec![Statement::Draw { var: "c".into(), law }]
    };
    let mut posts = |writer: &mut Writer| {
        let (one, two) = (Expr::of("c", Run::First), Expr::of("c", Run::Second));
        let moved = (two - one.clone()).equals(writer.dice.pick(&[int(0), int(0), int(1)]));
        let moved = if writer.dice.one_in(3) { one.lt(int(2)).implies(moved) } else { moved };
        moved.and(Expr::cost().le(writer.dice.pick(&[int(0), int(1), int(2)])))
    };
    let seen = search_for(&mut writer, 120 * MORE, &mut programs, &mut posts);
    report("splits", &seen);
    assert!(seen.rules.get("SPLIT").is_some_and(|n| *n >= 20), "{:?}", seen.rules);
}

#[test]
fn signed_logarithms() {
    let mut writer = Writer::new(20);
    writer.wide = true;
    let seen = search(&mut writer, 60 * MORE, &mut |_| {
        let draw = |var: &str, law| Statement::Draw { var: var.into(), law };
        vec![draw("y", Distribution::Uniform), draw("c", Distribution::Sign)]
    });
    report("signed logarithms", &seen);
}

#[test]
fn programs_in_the_concentrated_measure() {
    let mut writer = Writer::new(21);
    writer.wide = true;
    writer.concentrated = true;
    let seen = search(&mut writer, 100 * MORE, &mut |writer| writer.block(1));
    report("concentrated", &seen);
}

#[test]
fn loops() {
    let mut programs = |writer: &mut Writer| match writer.dice.roll(2) {
        0 => vec![writer.while_loop()],
        _ => vec![writer.for_loop()],
    };
    let seen = search(&mut Writer::new(22), 150 * MORE, &mut programs);
    report("loops", &seen);
    // Without noise, but in the other measure: there a loop may not run for ever.
    let mut writer = Writer::new(25);
    writer.concentrated = true;
    report("loops in rho", &search(&mut writer, 30 * MORE, &mut programs));
}

/// What is given up adds up: over draws, branches and iterations, also in branches that are never taken.
#[test]
fn tails() {
    let mut writer = Writer::new(24);
    writer.wide = true;
    writer.tails = true;
    writer.careful = true;
    let mut programs = |writer: &mut Writer| {
        let scale = writer.dice.pick(&[int(1), int(1), int(1) / Expr::var("n")]);
        let law = Distribution::Laplace { center: int(0), scale };
        let draw = |var: &str| Statement::Draw { var: var.into(), law: law.clone() };
        let far = |var: &str| Statement::If {
            guard: int(1).lt(Expr::var(var).abs()),
            then: vec![Statement::Assign { var: "b".into(), value: Expr::Bool(false) }],
            otherwise: vec![],
        };
        let count = |from, to| Statement::For {
            index: "i".into(),
            from: int(from),
            to: int(to),
            body: vec![draw("y"), far("y")],
        };
        // Only one round can need what it gives up; or one side of the draw.
        let here = writer.dice.pick(&[int(0), int(1)]);
        let high = Expr::var("y").gt(int(1));
        let guard = writer.dice.pick(&[int(1).lt(Expr::var("y").abs()), high.clone()]);
        let once = Statement::For {
            index: "i".into(),
            from: int(0),
            to: int(2),
            body: vec![
                draw("y"),
                Statement::If {
                    guard: guard.and(Expr::var("i").equals(here)),
                    then: vec![Statement::Assign { var: "b".into(), value: Expr::Bool(false) }],
                    otherwise: vec![],
                },
            ],
        };
        match writer.dice.roll(10) {
            5..=8 => vec![once],
            9 => vec![
                draw("y"),
                Statement::If {
                    guard: high,
                    then: vec![Statement::Assign { var: "b".into(), value: Expr::Bool(false) }],
                    otherwise: vec![],
                },
            ],
            0 => vec![draw("y"), far("y"), draw("z"), far("z")],
            1 => vec![count(0, 2)],
            2 => {
                let guard = writer.dice.pick(&[Expr::var("f"), Expr::Bool(false), int(1).lt(int(0))]);
                vec![Statement::If { guard, then: vec![count(2, 0)], otherwise: vec![draw("y"), far("y")] }]
            }
            3 => vec![Statement::While {
                label: "l".into(),
                guard: Expr::var("a"),
                body: vec![draw("y"), far("y")],
            }],
            _ => vec![draw("y"), far("y")],
        }
    };
    let seen = search_for(&mut writer, 25 * MORE, &mut programs, &mut |writer| {
        let cost = writer.dice.pick(&[Expr::cost().le(int(0)), Expr::cost().le(int(1))]);
        Expr::of("b", Run::First).and(cost)
    });
    report("tails", &seen);
    assert!(seen.rules["UP-TO-BAD"] > 8, "{:?}", seen.rules);
    assert!(seen.rules["FOR-ONCE"] > 0, "{:?}", seen.rules);
}
