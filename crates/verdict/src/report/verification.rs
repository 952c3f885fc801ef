//! The first part of the page: what is claimed, whether it holds, and why.

use probity_audit::Refutation;
use probity_prove::outline;
use probity_report::{Block, Section, Step, Tone};

use crate::counterexample;
use crate::verify::{Status, Upper, Verdict, couplings};

/// The status in a box, with the counterexample where there is one.
pub fn lead(verdict: &Verdict) -> Vec<Block> {
    let claim = &verdict.program.claim;
    let name = &verdict.program.mechanism.name;
    let mut blocks = vec![match &verdict.upper {
        Ok(_) => Block::Notice {
            tone: Tone::Good,
            heading: "Proved".into(),
            blocks: vec![Block::Text(format!("{name} is differentially private with {claim}."))],
        },
        Err(reason) => {
            let (tone, heading) = match verdict.refutation {
                Some(_) => (Tone::Bad, "Refuted"),
                None => (Tone::Plain, "Open: neither proved nor refuted"),
            };
            let why = match verdict.status() {
                Status::Refuted => format!("Where a proof stops: {reason}."),
                _ => format!("Not proved: {reason}."),
            };
            let claim = Block::Text(format!("The claim: {name} is differentially private with {claim}."));
            Block::Notice { tone, heading: heading.into(), blocks: vec![claim, Block::Text(why)] }
        }
    }];
    if let Some(refutation) = &verdict.refutation {
        blocks.push(boxed(verdict, refutation));
    }
    blocks
}

fn boxed(verdict: &Verdict, refutation: &Refutation) -> Block {
    Block::Notice {
        tone: Tone::Bad,
        heading: "Counterexample".into(),
        blocks: vec![Block::Facts(
            counterexample::facts(&verdict.program, refutation)
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        )],
    }
}

/// The claim in the kernel's words; couplings, axioms and derivation of a proof.
pub fn sections(verdict: &Verdict, source: &str) -> Vec<Section> {
    let mut sections = Vec::new();
    match &verdict.upper {
        Ok(Upper::Derived(proof)) => {
            sections.push(Section {
                heading: "The theorem, in the kernel's words".into(),
                blocks: vec![Block::Code(proof.theorem().to_string()), as_written(source)],
            });
            let couplings =
                couplings(proof).into_iter().map(|line| vec![line.statement, line.rule]).collect();
            let axioms: Vec<&str> = proof.theorem().axioms().iter().copied().collect();
            let steps = outline::outline(proof).into_iter().map(|line| Step {
                depth: line.depth,
                statement: line.statement,
                rule: line.rule,
            });
            sections.push(Section {
                heading: "Proof".into(),
                blocks: vec![
                    Block::Facts(vec![("axioms and lemmas used".into(), axioms.join(", "))]),
                    Block::Table {
                        heading: vec!["draw".into(), "coupling of the two runs".into()],
                        rows: couplings,
                    },
                    Block::Fold {
                        summary: "Derivation: each statement with the rule that proves it".into(),
                        open: true,
                        blocks: vec![Block::Tree(steps.collect())],
                    },
                ],
            });
        }
        // A certificate has a section of its own.
        Ok(Upper::Certified(_)) | Err(_) => {
            let text = verdict.program.mechanism.to_string();
            sections.push(Section {
                heading: "The mechanism, in the kernel's words".into(),
                blocks: vec![
                    Block::Code(format!("{text}claim {}", verdict.program.claim)),
                    as_written(source),
                ],
            });
        }
    }
    sections
}

fn as_written(source: &str) -> Block {
    Block::Fold {
        summary: "The file as it is written".into(),
        open: false,
        blocks: vec![Block::Code(source.to_owned())],
    }
}
