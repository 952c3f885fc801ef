//! `probity verify`: is the claim of a mechanism file true? One file in detail, a folder as one table.

use std::path::{Path, PathBuf};
use std::time::Instant;

use probity_lang::{Program, Setting};
use probity_prove::derivation::Failure as NotProved;
use probity_prove::{Proof, certificate, outline};
use serde_json::{Value, json};

use crate::failure::{Answer, Failure, Status};
use crate::{files, output};

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

/// What became of one file.
struct Verdict {
    path: PathBuf,
    program: Program,
    outcome: Result<Box<Proof>, NotProved>,
    seconds: f64,
}

impl Verdict {
    fn status(&self) -> &'static str {
        if self.outcome.is_ok() { "proved" } else { "open" }
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
            "seconds": self.seconds,
        });
        match &self.outcome {
            Ok(proof) => {
                value["axioms"] = proof.theorem().axioms().iter().copied().collect();
                value["couplings"] = couplings(proof)
                    .map(|line| json!({"statement": line.statement, "coupling": line.rule}))
                    .collect();
            }
            Err(failure) => {
                value["axioms"] = json!([]);
                value["reason"] = failure.to_string().into();
            }
        }
        value
    }
}

/// The draws of a proof with their couplings.
fn couplings(proof: &Proof) -> impl Iterator<Item = outline::Line> {
    outline::outline(proof).into_iter().filter(|line| line.rule.starts_with("couple"))
}

/// Verifies.
pub fn run(arguments: &Arguments) -> Answer {
    let settings = settings(&arguments.settings)?;
    if arguments.path.is_dir() {
        if arguments.certificate.is_some() || arguments.derivation {
            return Err(Failure::new("--certificate and --derivation are about one file")
                .hint("name a file instead of a folder"));
        }
        return folder(arguments, &settings);
    }
    let verdict = verify(&arguments.path, &settings)?;
    if let (Some(path), Ok(proof)) = (&arguments.certificate, &verdict.outcome) {
        files::write(path, certificate::write(proof).as_bytes())?;
    }
    if arguments.json {
        output::json(&verdict.to_json())?;
    } else {
        print_one(&verdict, arguments)?;
    }
    Ok(if verdict.outcome.is_ok() { Status::Done } else { Status::No })
}

fn settings(texts: &[String]) -> Result<Vec<Setting>, Failure> {
    texts.iter().map(|text| text.parse().map_err(Failure::new)).collect()
}

fn verify(path: &Path, settings: &[Setting]) -> Result<Verdict, Failure> {
    let (_, program) = files::program(path)?;
    let program = program.with(settings).map_err(Failure::new)?;
    let start = Instant::now();
    let hints = program.hints.clone().unwrap_or_default();
    let outcome = probity_prove::prove(&program.mechanism, &program.claim, &hints).map(Box::new);
    Ok(Verdict { path: path.to_owned(), program, outcome, seconds: start.elapsed().as_secs_f64() })
}

fn print_one(verdict: &Verdict, arguments: &Arguments) -> Result<(), Failure> {
    let Program { mechanism, claim, .. } = &verdict.program;
    output::print(|out| {
        match &verdict.outcome {
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
                writeln!(out, "not proved: {} with {claim}", mechanism.name)?;
                writeln!(out, "{failure}")?;
                if verdict.program.expect_refuted {
                    writeln!(out, "(the file expects its claim to be refuted)")?;
                }
            }
        }
        writeln!(out, "{:.3} s", verdict.seconds)
    })
}

fn folder(arguments: &Arguments, settings: &[Setting]) -> Answer {
    let mut verdicts = Vec::new();
    for path in files::mechanisms(&arguments.path)? {
        verdicts.push(verify(&path, settings)?);
    }
    // A folder is in order when every claim is proved that is not there to be refuted, and no other one is.
    let in_order = verdicts.iter().all(|verdict| verdict.outcome.is_ok() != verdict.program.expect_refuted);
    if arguments.json {
        output::json(&verdicts.iter().map(Verdict::to_json).collect())?;
    } else {
        print_table(&verdicts)?;
    }
    Ok(if in_order { Status::Done } else { Status::No })
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
