//! `probity verify`: is the claim of a mechanism file true? One file in detail, a folder as one table.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use probity_lang::{Program, Setting};
use probity_verdict::{
    Proof, Reading, Status as Known, Upper, Vacuity, Verdict, Watch, couplings, decimal, outline, verify,
};
use serde_json::{Value, json};

use super::counterexample;
use crate::failure::{Answer, Failure, Status};
use crate::progress::{Progress, watched};
use crate::{files, given, output};

/// What to verify, and what to show.
#[derive(clap::Args)]
pub struct Arguments {
    /// A mechanism file, a folder of them, or - for standard input
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
    if let Some(path) = &arguments.certificate {
        files::check_place(path)?;
    }
    let (_, program) = files::program(&arguments.path)?;
    let verdict = watched(|watch| verify(&program, &settings, watch))?;
    if let Some(path) = &arguments.certificate
        && let Some(certificate) = verdict.to_certificate()
    {
        files::write(path, certificate.as_bytes())?;
    }
    match arguments.json {
        true => output::json(&to_json(&arguments.path, &verdict))?,
        false => output::print(|out| print_one(&verdict, arguments, out))?,
    }
    Ok(exit(&verdict))
}

/// The exit code of a verdict.
fn exit(verdict: &Verdict) -> Status {
    match verdict.status() {
        Known::Proved => Status::Done,
        Known::Refuted | Known::Open | Known::Vacuous => Status::No,
        Known::BoundsCross => Status::BoundsCross,
    }
}

fn to_json(path: &Path, verdict: &Verdict) -> Value {
    let Program { mechanism, claim, expect_refuted, .. } = &verdict.program;
    let mut value = json!({
        "file": path.display().to_string(),
        "mechanism": mechanism.name.as_str(),
        "status": verdict.status().name(),
        "claim": claim.to_string(),
        "epsilon": Value::Null,
        "delta": Value::Null,
        "expect_refuted": expect_refuted,
        "axioms": verdict.axioms(),
        "audited_share_of_claim": verdict.audited_share.filter(|share| share.is_finite()),
        "seconds": verdict.seconds,
    });
    // A claim is an amount of its measure; rho and mu are no epsilon.
    let amount = claim.epsilon.to_string();
    match claim.reading {
        Reading::Rho => value["rho"] = amount.into(),
        Reading::Mu => value["mu"] = amount.into(),
        Reading::Reals | Reading::Binary { .. } => {
            value["epsilon"] = amount.into();
            value["delta"] = claim.delta.to_string().into();
        }
    }
    if let Vacuity::Vacuous(why) = verdict.vacuity {
        value["vacuous_because"] = why.into();
    }
    if let Some(draw) = &verdict.out_of_range {
        value["out_of_range"] = draw.clone().into();
    }
    match &verdict.upper {
        Ok(Upper::Derived(proof)) => {
            value["couplings"] = couplings(proof)
                .into_iter()
                .map(|line| json!({"statement": line.statement, "coupling": line.rule}))
                .collect();
        }
        Ok(Upper::Certified(_)) => {}
        Err(reason) => value["reason"] = reason.clone().into(),
    }
    if let Some(certificate) = &verdict.certificate {
        value["certified_epsilon"] = output::number(certificate.epsilon);
        value["certified_delta"] = output::number(certificate.delta);
    }
    if let Some(refutation) = &verdict.refutation {
        value["counterexample"] = counterexample::to_json(refutation);
    }
    value
}

fn print_one(verdict: &Verdict, arguments: &Arguments, out: &mut dyn Write) -> io::Result<()> {
    let Program { mechanism, claim, .. } = &verdict.program;
    if verdict.status() == Known::Vacuous {
        // The theorem, if there is one, is left out: it would say nothing in many words.
        if let Vacuity::Vacuous(why) = verdict.vacuity {
            writeln!(out, "vacuous: {} with {claim}\nthe claim is about nothing: {why}", mechanism.name)?;
        }
        return writeln!(out, "{:.3} s", verdict.seconds);
    }
    match &verdict.upper {
        Ok(Upper::Derived(proof)) => print_proof(proof, arguments, out)?,
        Ok(Upper::Certified(theorem)) => {
            write!(out, "proved: {theorem}")?;
            writeln!(out, "axioms: {}", verdict.axioms().join(", "))?;
            if let Some(path) = &arguments.certificate {
                writeln!(out, "certificate: {}", path.display())?;
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
        writeln!(out, "certified {}", certificate.theorem.bound())?;
    }
    if verdict.vacuity == Vacuity::Unknown && verdict.refutation.is_none() {
        writeln!(
            out,
            "warning: no two different neighbours were found that meet the assumptions; the claim may be about nothing"
        )?;
    }
    if let Some(draw) = &verdict.out_of_range {
        if verdict.upper.is_ok() {
            writeln!(out, "THE BOUNDS CROSS: a proof shows every draw to be in range. Please report it.")?;
        }
        writeln!(out, "audited: {draw}, which it does not meet on some inputs")?;
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
        for line in outline(proof) {
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

/// What became of a file of a folder.
type Row = (PathBuf, Result<Verdict, Failure>);

fn folder(arguments: &Arguments, settings: &[Setting]) -> Answer {
    let paths = files::mechanisms(&arguments.path)?;
    let mut rows: Vec<Row> = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut warnings = String::new();
    let progress = Progress::new();
    for (number, path) in paths.iter().enumerate() {
        progress.step(number, paths.len(), || path.display().to_string());
        let verdict = files::load(path).and_then(|loaded| {
            warnings.push_str(&loaded.warnings);
            let has = |setting: &&Setting| {
                loaded.program.mechanism.params.iter().any(|param| param.name.as_str() == setting.name)
            };
            let own: Vec<Setting> = settings.iter().filter(has).cloned().collect();
            known.extend(loaded.program.mechanism.params.iter().map(|param| param.name.to_string()));
            Ok(verify(&loaded.program, &own, &Watch::default())?)
        });
        rows.push((path.clone(), verdict));
    }
    drop(progress);
    if let Some(setting) = settings.iter().find(|setting| !known.contains(&setting.name)) {
        let known: Vec<String> = known.into_iter().collect();
        return Err(Failure::new(format!(
            "no file in {} has a parameter {}",
            arguments.path.display(),
            setting.name
        ))
        .hint(given::meant("their parameters are", &setting.name, &known)));
    }
    output::complain(&warnings);
    rows.iter()
        .filter_map(|row| row.1.as_ref().err())
        .for_each(|failure| output::complain(&failure.to_string()));
    match arguments.json {
        true => output::json(&rows.iter().map(row_to_json).collect())?,
        false => print_table(&rows)?,
    }
    Ok(exit_of(&rows))
}

fn row_to_json((path, verdict): &Row) -> Value {
    match verdict {
        Ok(verdict) => to_json(path, verdict),
        Err(failure) => failure.to_row(path),
    }
}

/// The gravest of all: bounds that cross, then a file that could not be looked at, then one that is not as it says.
fn exit_of(rows: &[Row]) -> Status {
    let verdicts = || rows.iter().filter_map(|(_, verdict)| verdict.as_ref().ok());
    if verdicts().any(|verdict| verdict.status() == Known::BoundsCross) {
        Status::BoundsCross
    } else if rows.iter().any(|(_, verdict)| verdict.is_err()) {
        Status::BadInput
    } else if verdicts().all(Verdict::is_as_expected) {
        Status::Done
    } else {
        Status::No
    }
}

fn cells((path, verdict): &Row) -> Vec<String> {
    let verdict = match verdict {
        Ok(verdict) => verdict,
        Err(failure) => {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let missing = || "-".to_owned();
            return vec![
                name,
                // The row has the name already.
                failure.reason().replace(&path.display().to_string(), "it"),
                failure.status().into(),
                missing(),
                missing(),
                missing(),
                missing(),
            ];
        }
    };
    let expected = if verdict.is_as_expected() { "as expected" } else { "UNEXPECTED" };
    let certified = verdict.certificate.as_ref().map_or("-".to_owned(), |certificate| {
        let epsilon = decimal::double(certificate.epsilon);
        match certificate.delta == 0.0 {
            true => epsilon,
            false => format!("{epsilon}, delta {}", decimal::at_most(certificate.delta)),
        }
    });
    vec![
        verdict.program.mechanism.name.to_string(),
        verdict.program.claim.epsilon.to_string(),
        verdict.status().to_string(),
        expected.to_owned(),
        certified,
        verdict.audited_share.map_or("-".to_owned(), |share| format!("{share:.3}")),
        format!("{:.3}", verdict.seconds),
    ]
}

fn print_table(rows: &[Row]) -> Result<(), Failure> {
    let heading = ["mechanism", "claim", "status", "", "certified in binary64", "audited / claim", "seconds"];
    output::table(&heading, rows.iter().map(cells))?;
    let verdicts: Vec<&Verdict> = rows.iter().filter_map(|(_, verdict)| verdict.as_ref().ok()).collect();
    let count = |status: Known| verdicts.iter().filter(|verdict| verdict.status() == status).count();
    let failed = |status: &str| {
        let failures = rows.iter().filter_map(|(_, verdict)| verdict.as_ref().err());
        match failures.filter(|failure| failure.status() == status).count() {
            0 => String::new(),
            some => format!(", {some} {status}"),
        }
    };
    let others = failed("unreadable") + &failed("refused");
    output::print(|out| {
        let seconds = verdicts.iter().fold(0.0, |sum, verdict| sum + verdict.seconds);
        writeln!(
            out,
            "\n{} proved, {} refuted, {} open{others} in {seconds:.1} s. An audit is a lower bound, on small inputs.",
            count(Known::Proved),
            count(Known::Refuted),
            count(Known::Open),
        )
    })
}
