//! Whatever evidence is accepted for is true of all values that are tried.

use probity_kernel::context::{Context, Orientation};
use probity_kernel::entail::{Facts, check_entailment};
use probity_kernel::expr::{Binary, Expr, Run, Unary};
use probity_kernel::lemma::Lemma;

use crate::judgements::MORE;
use crate::number::{Tri, r};
use crate::sample::{Dice, pair};
use crate::write::{Writer, int, q};

#[test]
fn accepted_evidence_is_right() {
    let mut writer = Writer::new(23);
    let (mut accepted, mut tried) = (0, 0);
    for _ in 0..120 * MORE {
        let mut mechanism = writer.mechanism(&[], Expr::var("c"));
        if writer.dice.roll(3) > 0 {
            mechanism.adjacency.clear();
            mechanism.assumptions.truncate(1);
        }
        let Ok(context) = Context::new(&mechanism, Orientation::Forward) else { continue };
        for _ in 0..400 {
            let part = |writer: &mut Writer| match writer.dice.roll(6) {
                0 => Expr::of("c", Run::First).lt(int(1)),
                1 => int(0).lt(Expr::of("c", Run::First)),
                2 => writer.bound(),
                3 => Expr::of("a", Run::First),
                4 => Expr::of("y", Run::First).lt(int(1)),
                _ => writer.atom(),
            };
            let known = part(&mut writer).and(part(&mut writer));
            let goal = match writer.dice.roll(4) {
                0 => Expr::Bool(false),
                1 => Expr::of("y", Run::First).le(int(0)),
                _ => part(&mut writer),
            };
            let Ok(facts) = Facts::new(&context, &[&known], &goal) else { continue };
            writer.facts = facts.list().len() as u64;
            let evidence = writer.guess(2);
            if check_entailment(&context, &[&known], &goal, &evidence).is_err() {
                continue;
            }
            accepted += 1;
            for _ in 0..20 {
                let Some(pair) = pair(&context, &mut writer.dice) else { break };
                let cost = writer.dice.pick(&[r(0, 1), r(1, 2), r(1, 1), r(2, 1), r(-1, 1)]);
                let world = pair.world(&pair.ghosts, cost);
                if world.truth(&known) == Ok(Tri::Yes) {
                    tried += 1;
                    assert_ne!(
                        world.truth(&goal),
                        Ok(Tri::No),
                        "{known} does not entail {goal}: {evidence:?}\n{pair}{mechanism}"
                    );
                }
            }
        }
    }
    println!("evidence: {accepted} accepted, {tried} tried");
    assert!(accepted > 20 && tried > 20, "{accepted} {tried}");
}

/// A lemma of analysis, with arguments for which its premises hold and for which they do not.
fn lemma(dice: &mut Dice) -> Lemma {
    let mut number = || {
        let mut one = || {
            dice.pick(&[
                int(0),
                int(1),
                int(-1),
                int(2),
                int(-3),
                q(1, 2),
                q(-3, 2),
                q(7, 4),
                Expr::var("n"),
                Expr::var("eps"),
                Expr::of("c", Run::First),
                Expr::of("x", Run::Second),
            ])
        };
        let (x, y) = (one(), one());
        match dice.roll(6) {
            0 => x + y,
            1 => x * y,
            2 => x.max(y),
            _ => x,
        }
    };
    let (a, b, c, d) = (number(), number(), number(), number());
    match dice.roll(22) {
        0 => Lemma::Inverse(a),
        1 => Lemma::InversePositive(a),
        2 => Lemma::Floor(a),
        3 => Lemma::FloorMonotone(a, b),
        4 => Lemma::RoundNear(a, b),
        5 => Lemma::RoundMonotone(a, b, c),
        6 => Lemma::ModRange(a, b),
        7 => Lemma::Pow2(a),
        8 => Lemma::ExpPositive(a),
        9 => Lemma::ExpSum(a, b),
        10 => Lemma::ExpMonotone(a, b),
        11 => Lemma::ExpTangent(a),
        12 => Lemma::LnMonotone(a, b),
        13 => Lemma::LnPositive(a),
        14 => Lemma::LnProduct(a, b),
        15 => Lemma::LnQuotient(a, b),
        16 => Lemma::ExpLn(a),
        17 => Lemma::LnExp(a),
        18 => Lemma::LnValue(dice.pick(&[r(2, 1), r(1, 3), r(1, 1), r(0, 1), r(-2, 1), r(7, 5)])),
        19 => Lemma::ExpValue(dice.pick(&[r(2, 1), r(1, 3), r(0, 1), r(-2, 1), r(7, 5)])),
        20 => {
            let operation =
                [Unary::Abs, Unary::Floor, Unary::Ln, Unary::Exp, Unary::Sqrt, Unary::Pow2AtLeast];
            Lemma::SameUnary(dice.pick(&operation), a, b)
        }
        _ => match dice.one_in(2) {
            true => Lemma::Sqrt(a),
            false => {
                let operation = [Binary::Add, Binary::Mul, Binary::Div, Binary::Max, Binary::Mod];
                Lemma::SameBinary(dice.pick(&operation), (a, b), (c, d))
            }
        },
    }
}

/// Every lemma of analysis that the kernel states is true of all values that are tried, whether its premises hold or not.
#[test]
fn evidence_rests_on_lemmas_that_are_true() {
    let mut writer = Writer::new(24);
    let (mut certain, mut tried) = (std::collections::BTreeMap::<&str, u64>::new(), 0);
    for _ in 0..400 * MORE {
        let mut mechanism = writer.mechanism(&[], Expr::var("c"));
        mechanism.assumptions.truncate(1);
        let Ok(context) = Context::new(&mechanism, Orientation::Forward) else { continue };
        let Some(pair) = pair(&context, &mut writer.dice) else { continue };
        let world = pair.world(&pair.ghosts, r(0, 1));
        // What no lemma says, as its premise is missing.
        assert_eq!(world.truth(&int(0).lt(q(1, 2).ln())), Ok(Tri::No));
        for _ in 0..30 {
            let lemma = lemma(&mut writer.dice);
            let Some(formula) = lemma.formula(&context) else { continue };
            let answer = world.truth(&formula);
            assert_ne!(answer, Ok(Tri::No), "{lemma}: {formula} is false\n{pair}{mechanism}");
            tried += 1;
            if answer == Ok(Tri::Yes) {
                *certain.entry(lemma.name()).or_default() += 1;
            }
        }
    }
    println!("lemmas: {tried}, of them certain {certain:?}");
    assert!(tried > 2_000 && certain.len() > 18, "{tried} {certain:?}");
}
