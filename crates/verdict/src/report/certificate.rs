//! The certificate of the floating-point implementation: the theorem, the paper's cases, the numbers of the proof.

use probity_exact::Rational;
use probity_float::certified::Certified;
use probity_float::derive;
use probity_float::paper::Case;
use probity_kernel::float::Steps;
use probity_report::{Block, Section};

use crate::decimal::{self, at_most};

/// The section for a mechanism that has no certificate.
pub fn refused(reason: &str) -> Section {
    let text = format!("The floating-point implementation is not certified: {reason}.");
    Section { heading: "Certificate".into(), blocks: vec![Block::Text(text)] }
}

/// The certificate.
pub fn section(certificate: &Certified) -> Section {
    let published = match certificate.published_holds {
        Some(true) => "holds here",
        Some(false) => "is false here: some outcome is possible under one neighbour only",
        None => "is neither proved nor refuted here",
    };
    let mut blocks = vec![
        Block::Code(format!("{}\n\n{}", certificate.theorem.bound(), certificate.theorem)),
        Block::Facts(vec![
            ("ε".into(), decimal::up(&certificate.epsilon_exact, decimal::DISTINCT)),
            ("excess over the reals".into(), at_most(certificate.excess)),
            ("δ".into(), format!("{} ({})", at_most(certificate.delta), certificate.purity())),
            (
                "published excess 12Bεη + 2η".into(),
                format!("{}; it {published}", decimal::figure_of(certificate.published_bound)),
            ),
            ("method".into(), "threshold (docs/threshold-theorem.md), checked by the kernel".into()),
        ]),
        numbers(certificate.theorem.bound().steps()),
    ];
    match &certificate.paper.excess {
        Err(reason) => blocks.push(Block::Text(format!("The paper's method says nothing here: {reason}."))),
        Ok(excess) => {
            blocks.push(Block::Text(format!(
                "The paper's method, case by case, gives an excess of {}. L and R are the intervals of the \
                 thresholds of u between which the outcome is produced, at one instance of the case; the excess holds for all.",
                at_most(*excess)
            )));
            blocks.push(cases(certificate.cases()));
            blocks.push(derivations(certificate.cases()));
        }
    }
    let heading = format!("Certificate of the implementation in {}", certificate.snapped.format);
    Section { heading, blocks }
}

fn numbers(steps: &Steps) -> Block {
    let up = |name: &str, value: &Rational| (name.to_owned(), decimal::up(value, 4));
    let facts = vec![
        up("κ − 1, relative error of the noise", &(&steps.kappa - Rational::ONE)),
        ("width of a cell, in scales".into(), decimal::down(&steps.width, 4)),
        up("farthest threshold, in scales", &steps.reach),
        up("compared up to, in scales", &steps.near),
        up("excess of ln H, at most", &steps.above),
        up("deficit of ln H, at most", &steps.below),
        up("A⁺ beside the input", &steps.plus.0),
        up("A⁺ around the input", &steps.plus.1),
        up("A⁻ beside the input", &steps.minus.0),
        up("A⁻ around the input", &steps.minus.1),
    ];
    Block::Fold {
        summary: "The numbers of the theorem".into(),
        open: false,
        blocks: vec![Block::Facts(facts)],
    }
}

fn place(case: &Case) -> String {
    match case.subcase {
        "" => case.outcome.to_owned(),
        subcase => format!("{}, {subcase}", case.outcome),
    }
}

fn cases(cases: &[Case]) -> Block {
    let ends = |ends: &Option<(f64, f64)>, missing: &str| match ends {
        Some((low, high)) => decimal::outward(*low, *high),
        None => missing.to_owned(),
    };
    let row =
        |case: &Case| vec![place(case), ends(&case.left, "0"), ends(&case.right, "1"), at_most(case.excess)];
    Block::Table {
        heading: ["outcome x", "L", "R", "excess ≤"].map(str::to_owned).to_vec(),
        rows: cases.iter().map(row).collect(),
    }
}

fn derivations(cases: &[Case]) -> Block {
    let one = |case: &Case| {
        let tree = case.derivation.as_ref()?;
        Some(Block::Fold { summary: place(case), open: false, blocks: vec![Block::Code(derive::text(tree))] })
    };
    Block::Fold {
        summary: "Rounding-error derivation of each case".into(),
        open: false,
        blocks: cases.iter().filter_map(one).collect(),
    }
}
