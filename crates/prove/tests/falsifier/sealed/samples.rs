//! AMPLIFY: samples of a table, drawn and used rightly and wrongly; every theorem about the table is held against the exact laws.

use std::sync::Arc;

use probity_kernel::context::{Context, Orientation};
use probity_kernel::expr::{Expr, Run, Variable};
use probity_kernel::privacy::{Comparison, Side, Theorem, amplify, goal, obligation, privacy, start};
use probity_kernel::rules::Assertion;
use probity_kernel::sample::{amplified, of_parameters, sampled};
use probity_kernel::sampling::sample;
use probity_kernel::term::{
    Adjacency, Claim, Coupling, Distribution, Input, Mechanism, Reading, Sort, Statement,
};

use crate::judgements::MORE;
use crate::sample::Dice;
use crate::theorems::check;
use crate::write::{Writer, int, q};

fn rows(table: &str) -> Expr {
    Expr::sum(Variable::Plain(table.into()), Expr::field(table, "g"), int(1))
}

/// The theorem that a noisy count of the sample is 1-private, for a claim that follows from it, or one that does not.
fn inner(writer: &mut Writer, mechanism: &Mechanism, claim: &Claim) -> Option<Theorem> {
    let coupled = Coupling::Shift { by: int(0), cost: int(1) };
    let mut sides = vec![];
    for orientation in [Orientation::Forward, Orientation::Backward] {
        let context = Arc::new(Context::new(mechanism, orientation).ok()?);
        let post = Assertion::new(&context, goal(&context, claim, Comparison::Equal)).ok()?;
        let judgement = sample(&context, mechanism.body.first()?, &coupled, &post).ok()?;
        let evidence = writer.evidence(&context, &[&start()], &obligation(&judgement, claim));
        sides.push((judgement, evidence));
    }
    let sides: Vec<Side> = sides.iter().map(|(judgement, evidence)| Side { judgement, evidence }).collect();
    privacy(mechanism, claim, &[], Comparison::Equal, &sides).ok()
}

#[test]
fn samples_are_amplified() {
    let mut writer = Writer::new(51);
    let mut dice = Dice(52);
    let (mut made, mut tried) = (0, 0);
    for _ in 0..1_000 * MORE {
        let mut mechanism = writer.mechanism(&[], Expr::var("c"));
        let keep = writer.dice.one_in(10);
        mechanism.inputs.retain(|input| input.name.as_str() == "t" || keep);
        mechanism.assumptions = vec![Expr::var("eps").gt(int(0))];
        let replaced = Adjacency::RowReplaced { table: "t".into() };
        let several = Adjacency::Rows { table: "t".into(), most: int(2) };
        let one = || Adjacency::OneRow { table: "t".into() };
        mechanism.adjacency = vec![writer.dice.pick(&[one(), one(), one(), replaced, several])];
        // Another input, which neighbours have in common, or have not.
        let (x, y) = (Expr::of("w", Run::First), Expr::of("w", Run::Second));
        let beside = writer.dice.one_in(3);
        if beside && !keep {
            mechanism.inputs.push(Input { name: "w".into(), sort: Sort::Real });
            let equal = y.clone().equals(x.clone());
            let clauses = [equal.clone(), equal, x.clone().equals(y.clone()), (y - x).abs().le(int(1))];
            mechanism.adjacency.push(Adjacency::Related(writer.dice.pick(&clauses)));
        }
        let rate = writer.dice.pick(&[
            q(1, 2),
            q(1, 3),
            q(1, 10),
            int(1),
            int(0),
            q(3, 2),
            q(-1, 2),
            Expr::var("eps"),
        ]);
        let law = Distribution::Sample { table: Expr::var("t"), rate: rate.clone() };
        let draw = Statement::Draw { var: "s".into(), law };
        let center = writer.dice.pick(&[rows("s"), rows("s"), rows("s"), rows("t"), rows("s") + rows("t")]);
        let center = if beside { Expr::var("w").gt(int(0)).choose(center, int(0)) } else { center };
        let noise = Distribution::DiscreteLaplace { center, scale: int(1) };
        mechanism.body = vec![draw, Statement::Draw { var: "c".into(), law: noise }];
        mechanism.output = writer.dice.pick(&[
            Expr::var("c"),
            Expr::var("c"),
            Expr::var("c") + int(1),
            rows("s"),
            rows("t"),
        ]);
        let delta = writer.dice.pick(&[int(0), int(0), q(1, 4)]);
        let share = Claim {
            epsilon: writer.dice.pick(&[int(1), int(1), q(3, 2), q(1, 2), int(-1)]),
            delta: delta.clone(),
            reading: Reading::Reals,
        };
        // What the rule gives, and numbers around it.
        let exactly = (int(1) + rate.clone() * (share.epsilon.clone().exp() - int(1))).ln();
        let epsilon = writer.dice.pick(&[exactly, int(1), q(1, 2), q(3, 4), q(1, 4), rate.clone(), int(0)]);
        let delta = writer.dice.pick(&[delta.clone(), rate * delta, int(0)]);
        let claim = Claim { epsilon, delta, reading: Reading::Reals };
        let Ok(parts) = sampled(&mechanism) else { continue };
        let Some(theorem) = inner(&mut writer, &parts.inner, &share) else { continue };
        let Ok(context) = of_parameters(&mechanism) else { continue };
        let evidence = writer.evidence(&context, &[], &amplified(&parts.rate, &share, &claim));
        if let Ok(theorem) = amplify(&mechanism, &claim, &theorem, &evidence) {
            made += 1;
            tried += check(&theorem, &mut dice);
        }
    }
    println!("samples: {made} theorems on {tried} pairs");
    assert!(made > 10 && tried > 50, "{made} {tried}");
}
