//! GROUP-DELTA: theorems about one row, and claims about several that follow or do not; every theorem is held against the exact laws.

use probity_kernel::expr::{Expr, Variable};
use probity_kernel::privacy::{group_delta, grouped};
use probity_kernel::sample::of_parameters;
use probity_kernel::term::{Adjacency, Claim, Distribution, Hints, Mechanism, Reading, Statement};
use probity_prove::prove;

use crate::judgements::MORE;
use crate::sample::Dice;
use crate::theorems::check;
use crate::write::{Writer, int, q};

/// What several rows cost, and numbers around it.
fn claim(writer: &mut Writer, rows: &Expr, share: &Claim) -> Claim {
    let (epsilon, delta) = (|| share.epsilon.clone(), || share.delta.clone());
    let whole = || rows.clone() * epsilon();
    let last = |rows: Expr| rows.clone() * ((rows - int(1)) * epsilon()).exp();
    Claim {
        epsilon: writer.dice.pick(&[whole(), whole(), whole(), epsilon(), whole() * q(3, 4), int(0)]),
        delta: writer.dice.pick(&[
            delta() * (whole().exp() - int(1)) / (epsilon().exp() - int(1)),
            delta() * last(rows.clone()),
            delta() * (int(1) + epsilon().exp()),
            delta() * rows.clone(),
            delta() * q(3, 2),
            delta(),
            int(0),
            int(-1),
        ]),
        reading: Reading::Reals,
    }
}

#[test]
fn groups_that_give_up_mass() {
    let mut writer = Writer::new(45);
    let mut dice = Dice(46);
    let (mut made, mut tried) = (0, 0);
    let table = || Variable::Plain("t".into());
    for (scale, both_sides) in [(10, false), (4, false), (2, false), (2, true)] {
        // Large outputs are one outcome, so that the law has no end that is not seen.
        let count = Expr::sum(table(), Expr::Bool(true), int(1));
        let (noise, output) = match both_sides {
            true => (Distribution::DiscreteLaplace { center: count, scale: int(scale) }, Expr::var("c")),
            false => (Distribution::Geometric { scale: int(scale) }, (count + Expr::var("c")).min(int(7))),
        };
        let mut mechanism = writer.mechanism(&[], output);
        mechanism.body = vec![Statement::Draw { var: "c".into(), law: noise }];
        mechanism.inputs.retain(|input| input.name.as_str() == "t");
        mechanism.assumptions = vec![Expr::var("n").ge(int(1))];
        mechanism.adjacency = vec![Adjacency::OneRow { table: "t".into() }];
        let epsilon = q(1, scale);
        let delta = if both_sides { int(0) } else { int(1) - (-epsilon.clone()).exp() };
        let share = Claim { epsilon, delta, reading: Reading::Reals };
        let one_row = prove(&mechanism, &share, &Hints::default()).unwrap();
        check(one_row.theorem(), &mut dice);
        for _ in 0..60 * MORE {
            let most = writer.dice.pick(&[int(2), int(3), Expr::var("n"), int(1), q(1, 2), int(0)]);
            let counted = writer.dice.pick(&[most.clone(), most.clone(), int(2)]);
            let claim = claim(&mut writer, &counted, &share);
            let adjacency = vec![Adjacency::Rows { table: "t".into(), most: most.clone() }];
            let mut several = Mechanism { adjacency, ..mechanism.clone() };
            if writer.dice.one_in(6) {
                several.output = Expr::sum(table(), Expr::Bool(true), int(1));
            }
            let Ok(context) = of_parameters(&several) else { continue };
            let evidence = writer.evidence(&context, &[], &grouped(&most, &share, &claim));
            if let Ok(theorem) = group_delta(&several, &claim, one_row.theorem(), &evidence) {
                made += 1;
                tried += check(&theorem, &mut dice);
            }
        }
    }
    println!("groups with delta: {made} theorems on {tried} pairs");
    assert!(made > 10 && tried > 50, "{made} {tried}");
}
