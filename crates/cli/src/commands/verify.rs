//! `probity verify`: is the claim of a mechanism file true? One file in detail, a folder as one table.

use std::io::{self, Write};
use std::path::PathBuf;

use probity_lang::{Program, Setting};
use probity_prove::{Proof, certificate, outline};
use serde_json::{Value, json};

use super::counterexample;
use crate::failure::{Answer, Failure, Status};
use crate::progress::Progress;
use crate::verdict::{Upper, Verdict};
use crate::{files, given, output};

/// What to verify, and what to show.
#[derive(clap::Args)]
pub struct Arguments {
    /// A mechanism file, or a folder of them
    path: PathBuf,
    /// Give a parameter a value, as eps=1; may be repeated. For a folder: where a file has the parameter
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
    let verdict = Verdict::of(&arguments.path, &settings)?;
    if let Some(path) = &arguments.certificate
        && let Ok(Upper::Derived(proof)) = &verdict.upper
    {
        files::write(path, certificate::write(proof).as_bytes())?;
    }
    match arguments.json {
        true => output::json(&to_json(&verdict))?,
        false => output::print(|out| print_one(&verdict, arguments, out))?,
    }
    Ok(verdict.exit())
}

fn to_json(verdict: &Verdict) -> Value {
    let Program { mechanism, claim, expect_refuted, .. } = &verdict.program;
    let mut value = json!({
        "file": verdict.path.display().to_string(),
        "mechanism": mechanism.name.as_str(),
        "status": verdict.status(),
        "claim": claim.to_string(),
        "epsilon": claim.epsilon.to_string(),
        "delta": claim.delta.to_string(),
        "expect_refuted": expect_refuted,
        "axioms": verdict.axioms(),
        "audited_share_of_claim": verdict.audited_share.filter(|share| share.is_finite()),
        "seconds": verdict.seconds,
    });
    match &verdict.upper {
        Ok(Upper::Derived(proof)) => {
            value["couplings"] = couplings(proof)
                .map(|line| json!({"statement": line.statement, "coupling": line.rule}))
                .collect();
        }
        Ok(Upper::Certified(_)) => {}
        Err(reason) => value["reason"] = reason.clone().into(),
    }
    if let Some(certificate) = &verdict.certificate {
        value["certified_epsilon"] = json!(certificate.epsilon);
        value["certified_delta"] = json!(certificate.delta);
    }
    if let Some(refutation) = &verdict.refutation {
        value["counterexample"] = counterexample::to_json(refutation);
    }
    value
}

fn print_one(verdict: &Verdict, arguments: &Arguments, out: &mut dyn Write) -> io::Result<()> {
    let Program { mechanism, claim, .. } = &verdict.program;
    match &verdict.upper {
        Ok(Upper::Derived(proof)) => print_proof(proof, arguments, out)?,
        Ok(Upper::Certified(certificate)) => {
            writeln!(out, "proved: {}\nby the certificate {}", mechanism.name, certificate.theorem)?;
            writeln!(out, "axioms: {}", verdict.axioms().join(", "))?;
            if arguments.certificate.is_some() {
                writeln!(
                    out,
                    "no file was written: `probity certify` makes this proof anew in milliseconds"
                )?;
            }
        }
        Err(reason) => {
            writeln!(out, "{}: {} with {claim}", verdict.status(), mechanism.name)?;
            writeln!(out, "not proved: {reason}")?;
            if verdict.program.expect_refuted {
                writeln!(out, "(the file expects its claim to be refuted)")?;
            }
        }
    }
    if let Some(certificate) = &verdict.certificate {
        writeln!(out, "certified {}", certificate.theorem)?;
    }
    if let Some(refutation) = &verdict.refutation {
        if verdict.upper.is_ok() {
            writeln!(
                out,
                "THE BOUNDS CROSS: the claim is proved and refuted. One of the two is a bug; please report it."
            )?;
        }
        counterexample::print(refutation, out)?;
    } else if let Some(share) = verdict.audited_share {
        writeln!(
            out,
            "audited: {share:.3} of the claimed epsilon was seen (a lower bound, on small inputs)"
        )?;
    }
    writeln!(out, "{:.3} s", verdict.seconds)
}

/// The draws of a proof with their couplings.
pub fn couplings(proof: &Proof) -> impl Iterator<Item = outline::Line> {
    outline::outline(proof).into_iter().filter(|line| line.rule.starts_with("couple"))
}

fn print_proof(proof: &Proof, arguments: &Arguments, out: &mut dyn Write) -> io::Result<()> {
    let theorem = proof.theorem();
    write!(out, "proved: {theorem}")?;
    writeln!(out, "couplings:")?;
    for line in couplings(proof) {
        writeln!(out, "  {}\n      {}", line.statement, line.rule)?;
    }
    writeln!(out, "total cost: at most {}", theorem.claim().epsilon)?;
    let axioms: Vec<&str> = theorem.axioms().iter().copied().collect();
    writeln!(out, "axioms: {}", axioms.join(", "))?;
    if arguments.derivation {
        writeln!(out, "derivation:")?;
        for line in outline::outline(proof) {
            let indent = "  ".repeat(line.depth + 1);
            match (line.statement.is_empty(), line.rule.is_empty()) {
                (true, _) => writeln!(out, "{indent}  -- {}", line.rule)?,
                (false, true) => writeln!(out, "{indent}{}", line.statement)?,
                (false, false) => writeln!(out, "{indent}{}\n{indent}    -- {}", line.statement, line.rule)?,
            }
        }
    }
    if let Some(path) = &arguments.certificate {
        writeln!(out, "certificate: {}", path.display())?;
    }
    Ok(())
}

fn folder(arguments: &Arguments, settings: &[Setting]) -> Answer {
    let mut verdicts = Vec::new();
    let mut progress = Progress::new();
    for path in files::mechanisms(&arguments.path)? {
        progress.show(|| path.display().to_string());
        let (_, program) = files::program(&path)?;
        let has =
            |setting: &&Setting| program.mechanism.params.iter().any(|p| p.name.as_str() == setting.name);
        let own: Vec<Setting> = settings.iter().filter(has).cloned().collect();
        verdicts.push(Verdict::of(&path, &own)?);
    }
    drop(progress);
    match arguments.json {
        true => output::json(&verdicts.iter().map(to_json).collect())?,
        false => print_table(&verdicts)?,
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
        let expected = if verdict.is_as_expected() { "as expected" } else { "UNEXPECTED" };
        let certified = verdict.certificate.as_ref().map_or("-".to_owned(), |certificate| {
            match certificate.delta == 0.0 {
                true => format!("{}", certificate.epsilon),
                false => format!("{}, delta {:.1e}", certificate.epsilon, certificate.delta),
            }
        });
        vec![
            verdict.program.mechanism.name.to_string(),
            verdict.program.claim.epsilon.to_string(),
            verdict.status().to_owned(),
            expected.to_owned(),
            certified,
            verdict.audited_share.map_or("-".to_owned(), |share| format!("{share:.3}")),
            format!("{:.3}", verdict.seconds),
        ]
    });
    let heading = ["mechanism", "claim", "status", "", "certified in binary64", "audited / claim", "seconds"];
    output::table(&heading, rows)?;
    let count = |status: &str| verdicts.iter().filter(|verdict| verdict.status() == status).count();
    output::print(|out| {
        let seconds: f64 = verdicts.iter().map(|verdict| verdict.seconds).sum();
        writeln!(
            out,
            "\n{} proved, {} refuted, {} open in {seconds:.1} s. An audit is a lower bound, on small inputs.",
            count("proved"),
            count("refuted"),
            count("open"),
        )
    })
}
