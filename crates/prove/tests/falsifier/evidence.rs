//! Whatever evidence is accepted for is true of all values that are tried.

use probity_kernel::context::{Context, Orientation};
use probity_kernel::entail::{Facts, check_entailment};
use probity_kernel::expr::{Expr, Run};

use crate::judgements::MORE;
use crate::number::{Tri, r};
use crate::sample::pair;
use crate::write::{Writer, int};

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
