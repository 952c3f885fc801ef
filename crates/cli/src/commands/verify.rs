//! `probity verify`: is the claim of a mechanism file true? One file in detail, a folder as one table.

use std::path::{Path, PathBuf};
use std::time::Instant;

use probity_audit::{Refutation, Verdict as Finding, search_refutation};
use probity_lang::{Program, Setting};
use probity_prove::derivation::Failure as NotProved;
use probity_prove::{Proof, certificate, outline};
use serde_json::{Value, json};

use super::counterexample;
use crate::failure::{Answer, Failure, Status};
use crate::{files, given, output};

/// What to verify, and what to show.
#[derive(clap::Args)]
pub struct Arguments {
    /// A mechanism file, or a folder of them
    path: PathBuf,
    /// Give a parameter a value, as eps=1; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Write a certificate that `probity check` accepts
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Print the derivation: each statement with the rule that proves it
    #[arg(long)]
    derivation: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// What became of one file: an upper bound from the prover, a lower bound from the audit.
pub struct Verdict {
    path: PathBuf,
    /// The mechanism and its claim, with the settings in it.
    pub program: Program,
    /// The proof, or where the search for one ended.
    pub proof: Result<Box<Proof>, NotProved>,
    /// A counterexample, if one was found.
    pub refutation: Option<Box<Refutation>>,
    seconds: f64,
}

impl Verdict {
    /// One word.
    pub fn status(&self) -> &'static str {
        match (&self.proof, &self.refutation) {
            (Ok(_), None) => "proved",
            (Err(_), Some(_)) => "refuted",
            (Err(_), None) => "open",
            (Ok(_), Some(_)) => "BOUNDS CROSS",
        }
    }

    fn exit(&self) -> Status {
        match (&self.proof, &self.refutation) {
            (Ok(_), None) => Status::Done,
            (Err(_), _) => Status::No,
            (Ok(_), Some(_)) => Status::BoundsCross,
        }
    }

    /// Whether the file is what it says it is: proved, or refuted where it expects that.
    fn is_as_expected(&self) -> bool {
        self.status() == if self.program.expect_refuted { "refuted" } else { "proved" }
    }

    fn to_json(&self) -> Value {
        let mut value = json!({
            "file": self.path.display().to_string(),
            "mechanism": self.program.mechanism.name.as_str(),
            "status": self.status(),
            "claim": self.program.claim.to_string(),
            "epsilon": self.program.claim.epsilon.to_string(),
            "delta": self.program.claim.delta.to_string(),
            "expect_refuted": self.program.expect_refuted,
            "axioms": [],
            "seconds": self.seconds,
        });
        match &self.proof {
            Ok(proof) => {
                value["axioms"] = proof.theorem().axioms().iter().copied().collect();
                value["couplings"] = couplings(proof)
                    .map(|line| json!({"statement": line.statement, "coupling": line.rule}))
                    .collect();
            }
            Err(failure) => value["reason"] = failure.to_string().into(),
        }
        if let Some(refutation) = &self.refutation {
            value["counterexample"] = counterexample::to_json(refutation);
        }
        value
    }
}

/// The draws of a proof with their couplings.
pub fn couplings(proof: &Proof) -> impl Iterator<Item = outline::Line> {
    outline::outline(proof).into_iter().filter(|line| line.rule.starts_with("couple"))
}

/// Verifies.
pub fn run(arguments: &Arguments) -> Answer {
    let settings = given::settings(&arguments.settings)?;
    if arguments.path.is_dir() {
        if arguments.certificate.is_some() || arguments.derivation {
            return Err(Failure::new("--certificate and --derivation are about one file")
                .hint("name a file instead of a folder"));
        }
        return folder(arguments, &settings);
    }
    let verdict = verify(&arguments.path, &settings)?;
    if let (Some(path), Ok(proof)) = (&arguments.certificate, &verdict.proof) {
        files::write(path, certificate::write(proof).as_bytes())?;
    }
    if arguments.json {
        output::json(&verdict.to_json())?;
    } else {
        print_one(&verdict, arguments)?;
    }
    Ok(verdict.exit())
}

/// Looks for a counterexample and for a proof.
pub fn verify(path: &Path, settings: &[Setting]) -> Result<Verdict, Failure> {
    let (_, program) = files::program(path)?;
    let start = Instant::now();
    // The audit wants the parameters by name; the prover wants them substituted.
    let parameters = given::parameters(&program.mechanism, settings)?;
    let refutation = match search_refutation(&program.mechanism, &program.claim, &parameters) {
        Ok(Finding::Refuted(refutation)) => Some(refutation),
        // Not finding one, or not being able to look, shows nothing.
        Ok(Finding::NotRefuted { .. }) | Err(_) => None,
    };
    let program = program.with(settings).map_err(Failure::new)?;
    let hints = program.hints.clone().unwrap_or_default();
    let proof = probity_prove::prove(&program.mechanism, &program.claim, &hints).map(Box::new);
    Ok(Verdict { path: path.to_owned(), program, proof, refutation, seconds: start.elapsed().as_secs_f64() })
}

fn print_one(verdict: &Verdict, arguments: &Arguments) -> Result<(), Failure> {
    let Program { mechanism, claim, .. } = &verdict.program;
    output::print(|out| {
        match &verdict.proof {
            Ok(proof) => {
                writeln!(out, "proved: {}", proof.theorem())?;
                writeln!(out, "couplings:")?;
                for line in couplings(proof) {
                    writeln!(out, "  {}\n      {}", line.statement, line.rule)?;
                }
                let axioms: Vec<&str> = proof.theorem().axioms().iter().copied().collect();
                writeln!(out, "total cost: at most {}", claim.epsilon)?;
                writeln!(out, "axioms: {}", axioms.join(", "))?;
                if arguments.derivation {
                    writeln!(out, "derivation:")?;
                    for line in outline::outline(proof) {
                        let indent = "  ".repeat(line.depth + 1);
                        match line.statement.is_empty() {
                            true => writeln!(out, "{indent}  -- {}", line.rule)?,
                            false => {
                                writeln!(out, "{indent}{}\n{indent}    -- {}", line.statement, line.rule)?
                            }
                        }
                    }
                }
                if let Some(path) = &arguments.certificate {
                    writeln!(out, "certificate: {}", path.display())?;
                }
            }
            Err(failure) => {
                writeln!(out, "{}: {} with {claim}", verdict.status(), mechanism.name)?;
                writeln!(out, "not proved {failure}")?;
                if verdict.program.expect_refuted {
                    writeln!(out, "(the file expects its claim to be refuted)")?;
                }
            }
        }
        if let Some(refutation) = &verdict.refutation {
            if verdict.proof.is_ok() {
                writeln!(
                    out,
                    "THE BOUNDS CROSS: the claim is proved and refuted. One of the two is a bug; please report it."
                )?;
            }
            counterexample::print(refutation, out)?;
        }
        writeln!(out, "{:.3} s", verdict.seconds)
    })
}

fn folder(arguments: &Arguments, settings: &[Setting]) -> Answer {
    let mut verdicts = Vec::new();
    for path in files::mechanisms(&arguments.path)? {
        verdicts.push(verify(&path, settings)?);
    }
    if arguments.json {
        output::json(&verdicts.iter().map(Verdict::to_json).collect())?;
    } else {
        print_table(&verdicts)?;
    }
    Ok(if verdicts.iter().any(|verdict| verdict.exit() == Status::BoundsCross) {
        Status::BoundsCross
    } else if verdicts.iter().all(Verdict::is_as_expected) {
        Status::Done
    } else {
        Status::No
    })
}

fn print_table(verdicts: &[Verdict]) -> Result<(), Failure> {
    let rows = verdicts.iter().map(|verdict| {
        let expected = if verdict.program.expect_refuted { "refuted" } else { "proved" };
        vec![
            verdict.program.mechanism.name.to_string(),
            verdict.program.claim.epsilon.to_string(),
            verdict.status().to_owned(),
            expected.to_owned(),
            format!("{:.3}", verdict.seconds),
        ]
    });
    output::table(&["mechanism", "epsilon", "status", "expected", "seconds"], rows)
}
