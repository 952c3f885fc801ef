//! CONVERT: from ρ and μ to (ε, δ), by every conversion; the least δ that is accepted is held against the laws.

use std::collections::BTreeMap;
use std::sync::Arc;

use probity_kernel::concentrated::Measure;
use probity_kernel::context::{Context, Orientation};
use probity_kernel::conversion::{Conversion, normal_tail, tail};
use probity_kernel::expr::{Expr, Variable};
use probity_kernel::privacy::{Comparison, Side, Theorem, convert, goal, obligation, privacy, start};
use probity_kernel::rules::Assertion;
use probity_kernel::sampling::sample;
use probity_kernel::term::{Adjacency, Claim, Coupling, Distribution, Mechanism, Reading, Statement};

use crate::judgements::MORE;
use crate::number::r;
use crate::sample::Dice;
use crate::theorems::{check, refuted};
use crate::write::{Writer, int, q};

/// A count of rows with noise of this law, and a theorem about it in ρ or μ, mostly the sharp one.
fn noisy_count(writer: &mut Writer, reading: Reading) -> Option<Theorem> {
    let count = Expr::sum(Variable::Plain("t".into()), Expr::field("t", "g"), int(1));
    // 1/μ, and what one row costs in ρ: μ²/2.
    let (deviation, mu, rho) = writer.dice.pick(&[
        (int(1), int(1), q(1, 2)),
        (int(2), q(1, 2), q(1, 8)),
        (q(1, 2), int(2), int(2)),
        (int(3), q(1, 3), q(1, 18)),
    ]);
    let law = match writer.dice.roll(6) {
        0 => Distribution::DiscreteGaussian { center: count, deviation },
        1 => Distribution::DiscreteLaplace { center: count, scale: deviation },
        _ => Distribution::Gaussian { center: count, deviation },
    };
    let mut mechanism: Mechanism = writer.mechanism(&[], Expr::var("c"));
    mechanism.inputs.retain(|input| input.name.as_str() == "t");
    mechanism.assumptions = vec![];
    mechanism.adjacency = vec![Adjacency::OneRow { table: "t".into() }];
    mechanism.body = vec![Statement::Draw { var: "c".into(), law }];
    let epsilon = if reading == Reading::Mu { mu } else { rho.clone() };
    let claim = Claim { epsilon, delta: int(0), reading };
    let coupled = Coupling::Equal { distance: int(1), cost: rho };
    let mut sides = vec![];
    for orientation in [Orientation::Forward, Orientation::Backward] {
        let context = Arc::new(Context::measured(&mechanism, orientation, Measure::Concentrated).ok()?);
        let post = Assertion::new(&context, goal(&context, &claim, Comparison::Equal)).ok()?;
        let judgement = sample(&context, &mechanism.body[0], &coupled, &post).ok()?;
        let evidence = writer.evidence(&context, &[&start()], &obligation(&judgement, &claim));
        sides.push((judgement, evidence));
    }
    let sides: Vec<Side> = sides.iter().map(|(judgement, evidence)| Side { judgement, evidence }).collect();
    privacy(&mechanism, &claim, &[], Comparison::Equal, &sides).ok()
}

/// The conversion of a theorem to the claim.
fn conversion(writer: &mut Writer, which: usize, theorem: &Theorem, claim: &Claim) -> Option<Conversion> {
    let context = Context::new(theorem.mechanism(), Orientation::Forward).ok()?;
    let mut by_evidence = |needed: Expr| Box::new(writer.evidence(&context, &[], &needed));
    Some(match which {
        0 => Conversion::Normal,
        1 => Conversion::Tail(by_evidence(tail(theorem.claim(), claim))),
        2 => Conversion::NormalTail(by_evidence(normal_tail(theorem.claim(), claim))),
        n => Conversion::Order([r(3, 2), r(2, 1), r(4, 1), r(1, 1), r(1, 2)][n - 3].clone()),
    })
}

#[test]
fn conversions_are_true() {
    let mut writer = Writer::new(61);
    writer.careful = true;
    let mut dice = Dice(62);
    let (mut tried, mut false_ones, mut by) = (0, 0, BTreeMap::<&str, u64>::new());
    for round in 0..8 * MORE {
        let reading = if round % 2 == 0 { Reading::Mu } else { Reading::Rho };
        let Some(theorem) = noisy_count(&mut writer, reading) else { continue };
        let epsilon = writer.dice.pick(&[int(0), q(1, 4), q(1, 2), int(1), int(2), int(3), q(-1, 2)]);
        for which in 0..8 {
            // From above, so that the last that is accepted is the least; below 0 there is none.
            let (mut least, mut refused): (Option<Theorem>, Option<Claim>) = (None, None);
            for delta in [1000, 800, 500, 350, 250, 180, 120, 80, 50, 30, 12, 3, 0, -1] {
                let claim =
                    Claim { epsilon: epsilon.clone(), delta: q(delta, 1000), reading: Reading::Reals };
                let Some(how) = conversion(&mut writer, which, &theorem, &claim) else { break };
                match convert(&theorem, &claim, &how) {
                    Ok(converted) => {
                        assert!(delta >= 0, "a negative δ\n{converted}");
                        least = Some(converted);
                    }
                    Err(_) if refused.is_none() => refused = Some(claim),
                    Err(_) => {}
                }
            }
            if let Some(converted) = least {
                let name = ["GDP-NORMAL", "ZCDP-TAIL", "GDP-TAIL", "ZCDP-ORDER"]
                    .into_iter()
                    .find(|name| converted.axioms().contains(name))
                    .expect("a conversion has its name among the axioms");
                *by.entry(name).or_default() += 1;
                tried += check(&converted, &mut dice);
                // The normal conversion is sharp: half of the first δ that it refuses is false, and the laws say so.
                if let ("GDP-NORMAL", Some(claim)) = (name, refused) {
                    let claim = Claim { delta: claim.delta.clone() / int(2), ..claim };
                    false_ones += u64::from(refuted(converted.mechanism(), &claim, &mut dice));
                }
            }
        }
    }
    println!("conversions: {by:?} on {tried} pairs; {false_ones} false claims are seen to be false");
    assert!(by.len() == 4 && tried > 100 && false_ones > 0, "{by:?} {tried} {false_ones}");
}
