//! Every judgement that a rule makes is true.

use std::sync::Arc;

use probity_kernel::concentrated::Measure;
use probity_kernel::context::{Context, Orientation};
use probity_kernel::expr::Expr;
use probity_kernel::rules::{Assertion, Judgement};
use probity_kernel::term::{Distribution, Statement};

use crate::judge::{Outcome, Trial};
use crate::sample::{Dice, pair};
use crate::write::Writer;

/// How much is tried: more with the feature `exhaustive`.
pub const MORE: u64 = if cfg!(feature = "exhaustive") { 12 } else { 1 };

/// What was seen.
#[derive(Default)]
struct Seen {
    judgements: u64,
    pairs: u64,
    rules: std::collections::BTreeMap<&'static str, u64>,
}

/// Tries a judgement on some pairs of states.
fn check(judgement: &Judgement, context: &Context, seen: &mut Seen, dice: &mut Dice) {
    let wrong = |why: String| {
        let (by, measure) = (judgement.axioms(), context.measure());
        panic!("a false judgement by {by:?}, {measure:?}\n{}{why}", context.mechanism())
    };
    let trial = match Trial::new(judgement, context) {
        Ok(Some(trial)) => trial,
        Ok(None) => return,
        Err(why) => return wrong(why),
    };
    seen.judgements += 1;
    let mut tried = 0;
    for _ in 0..16 {
        let Some(pair) = pair(context, dice) else { return };
        match trial.on(&pair, dice) {
            Outcome::Elsewhere => {}
            Outcome::Holds => tried += 1,
            Outcome::False(why) => wrong(why),
        }
        if tried == 3 {
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
fn search(writer: &mut Writer, rounds: u64, programs: &mut dyn FnMut(&mut Writer) -> Vec<Statement>) -> Seen {
    let mut seen = Seen::default();
    for round in 0..rounds {
        let program = programs(writer);
        let mechanism = writer.mechanism(&program, Expr::var("c"));
        let orientation = writer.dice.pick(&[Orientation::Forward, Orientation::Backward]);
        let measure = if writer.concentrated { Measure::Concentrated } else { Measure::Pure };
        let Ok(context) = Context::measured(&mechanism, orientation, measure) else { continue };
        let context = Arc::new(context);
        let mut dice = Dice(round.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 5);
        for _ in 0..3 {
            let formula = writer.relation().and(writer.bound());
            let Ok(post) = Assertion::new(&context, formula) else { continue };
            let mut see = |judgement: &Judgement| check(judgement, &context, &mut seen, &mut dice);
            writer.derive_block(&context, &program, &post, &mut see);
        }
    }
    seen
}

fn report(what: &str, seen: &Seen) {
    println!("{what}: {} judgements on {} pairs, {:?}", seen.judgements, seen.pairs, seen.rules);
}

#[test]
fn programs_of_finite_draws() {
    let seen = search(&mut Writer::new(17), 300 * MORE, &mut |writer| writer.block(1));
    report("finite", &seen);
}

#[test]
fn programs_of_noise() {
    let mut writer = Writer::new(18);
    writer.wide = true;
    let seen = search(&mut writer, 150 * MORE, &mut |writer| writer.block(1));
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
    let seen = search(&mut writer, 150 * MORE, &mut |writer| writer.block(1));
    report("concentrated", &seen);
}
