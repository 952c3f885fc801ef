//! `probity verify`: is the claim of a mechanism file true? One file in detail, a folder as one table.

mod again;
mod folder;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use probity_lang::{Program, Setting};
use probity_verdict::{
    Audited, End, Proof, Reading, Status as Known, Tried, Upper, Vacuity, Verdict, couplings, decimal,
    outline, verify_in_parts,
};
use serde_json::{Value, json};

use crate::commands::counterexample;
use crate::failure::{Answer, Failure, Status};
use crate::given::Time;
use crate::progress::{Progress, watched_by};
use crate::{files, given, interrupt, output};

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
    /// Look for a proof and for a counterexample of each file for this many seconds: 5 unless PROBITY_SECONDS says
    /// otherwise
    #[arg(long, allow_negative_numbers = true)]
    seconds: Option<f64>,
    /// Answer again whenever the file is saved, until Ctrl-C
    #[arg(long, conflicts_with = "json")]
    watch: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Verifies.
pub fn run(arguments: &Arguments) -> Answer {
    let settings = given::settings(&arguments.settings)?;
    let time = given::seconds_or_usual(arguments.seconds)?;
    if arguments.path.is_dir() {
        if arguments.certificate.is_some() || arguments.derivation || arguments.watch {
            return Err(Failure::new("--certificate, --derivation and --watch are about one file")
                .hint("name a file instead of a folder"));
        }
        return folder::verify_all(arguments, &settings, time);
    }
    if let Some(path) = &arguments.certificate {
        files::check_place(path)?;
    }
    if arguments.watch {
        return again::on_every_save(arguments, &settings, time);
    }
    answer(arguments, &settings, time)
}

/// Verifies one file, and prints a proof as soon as there is one.
fn answer(arguments: &Arguments, settings: &[Setting], time: Time) -> Answer {
    let (_, program) = files::program(&arguments.path)?;
    let progress = Progress::new();
    let (mut early, mut failed) = (false, None);
    let verdict = watched_by(&progress, |watch| {
        let watch = time.watch(watch.clone()).unless(interrupt::switch());
        verify_in_parts(&program, settings, &watch, &mut |known| {
            let is_vacuous = matches!(known.vacuity, Vacuity::Vacuous(_));
            if known.upper.is_ok() && !is_vacuous && !arguments.json && !early {
                progress.clear();
                early = true;
                failed = output::print(|out| print_upper(known, arguments, out)).err();
            }
        })
    })?;
    drop(progress);
    if let Some(failure) = failed {
        return Err(failure);
    }
    if let Some(path) = &arguments.certificate
        && let Some(certificate) = verdict.to_certificate()
    {
        files::write(path, certificate.as_bytes())?;
    }
    match (arguments.json, early) {
        (true, _) => output::json(&to_json(&arguments.path, &verdict))?,
        (false, true) => output::print(|out| print_lower(&verdict, time, out))?,
        (false, false) => output::print(|out| print_one(&verdict, arguments, time, out))?,
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
        "audited_share_of_claim": verdict.audited.share.filter(|share| share.is_finite()),
        "audit": audit_to_json(&verdict.audited),
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
    if let Some(draw) = &verdict.audited.out_of_range {
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

fn audit_to_json(audited: &Audited) -> Value {
    let Tried { settings, pairs, events } = audited.tried;
    let mut value = json!({
        "settings": settings, "pairs": pairs, "events": events, "finished": audited.end == End::Done,
    });
    if audited.never_ends {
        value["never_ends"] = true.into();
    }
    if let End::NotCovered(why) = &audited.end {
        value["reason"] = why.clone().into();
    }
    value
}

fn print_one(verdict: &Verdict, arguments: &Arguments, time: Time, out: &mut dyn Write) -> io::Result<()> {
    let Program { mechanism, claim, .. } = &verdict.program;
    if verdict.status() == Known::Vacuous {
        // The theorem, if there is one, is left out: it would say nothing in many words.
        if let Vacuity::Vacuous(why) = verdict.vacuity {
            writeln!(out, "vacuous: {} with {claim}\nthe claim is about nothing: {why}", mechanism.name)?;
        }
        return writeln!(out, "{:.3} s", verdict.seconds);
    }
    print_upper(verdict, arguments, out)?;
    print_lower(verdict, time, out)
}

/// Why the claim holds, or why that is not shown.
fn print_upper(verdict: &Verdict, arguments: &Arguments, out: &mut dyn Write) -> io::Result<()> {
    let Program { mechanism, claim, .. } = &verdict.program;
    match &verdict.upper {
        Ok(Upper::Derived(proof)) => print_proof(proof, arguments, out)?,
        Ok(Upper::Certified(theorem)) => {
            write!(out, "proved: {theorem}")?;
            writeln!(out, "axioms: {}", verdict.axioms().join(", "))?;
            if let Some(path) = &arguments.certificate {
                writeln!(out, "certificate: {}", files::shown(path))?;
            }
        }
        Err(reason) => {
            writeln!(out, "{}: {} with {claim}", verdict.status(), mechanism.name)?;
            // A claim that is refuted cannot be proved: what the search met tells where it goes wrong.
            match verdict.status() {
                Known::Refuted => writeln!(out, "where a proof stops: {reason}")?,
                _ => writeln!(out, "not proved: {reason}")?,
            }
            // Whoever has a proof block, or is about to see a counterexample, needs no other.
            if verdict.status() == Known::Open && verdict.program.hints.is_none() {
                verdict.help.iter().try_for_each(|line| writeln!(out, "{line}"))?;
            }
            if verdict.program.expect_refuted {
                writeln!(out, "(the file expects its claim to be refuted)")?;
            }
        }
    }
    if let Some(certificate) = &verdict.certificate {
        writeln!(out, "certified {}", certificate.theorem.bound())?;
    }
    Ok(())
}

/// What the audit saw.
fn print_lower(verdict: &Verdict, time: Time, out: &mut dyn Write) -> io::Result<()> {
    if verdict.may_be_vacuous() {
        writeln!(
            out,
            "warning: no two different neighbours were found that meet the assumptions; the claim may be about nothing"
        )?;
    }
    if verdict.audited.never_ends {
        writeln!(
            out,
            "warning: no run ended on any input that was tried; a mechanism that never answers is private, and of no use"
        )?;
    }
    if let Some(draw) = &verdict.audited.out_of_range {
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
        counterexample::print(&verdict.program, refutation, out)?;
    } else {
        writeln!(out, "audited: {}", in_words(verdict, time))?;
    }
    writeln!(out, "{:.3} s", verdict.seconds)
}

/// What an audit that found no counterexample tried and saw.
fn in_words(verdict: &Verdict, time: Time) -> String {
    let audited = &verdict.audited;
    let Tried { settings, pairs, events } = audited.tried;
    let looked = match settings {
        0 | 1 => format!("{pairs} pairs, {events} events"),
        _ => format!("{settings} settings of the parameters, {pairs} pairs, {events} events"),
    };
    let seen = match audited.share {
        Some(share) => {
            let share = if share < 0.0005 { "less than 0.001".to_owned() } else { format!("{share:.3}") };
            match verdict.upper.is_ok() {
                true => {
                    format!(
                        "{share} of the claimed epsilon was seen (a lower bound, on small inputs: {looked})"
                    )
                }
                // Losses as large as the claim allows say nothing of larger ones.
                false => format!(
                    "no counterexample was found, which is no proof: losses of up to {share} of the claimed epsilon were seen \
                     (on small inputs: {looked})"
                ),
            }
        }
        None if events > 0 => {
            format!(
                "no event is likelier than the claim allows; how close they come was not measured (on small inputs: {looked})"
            )
        }
        None if pairs > 0 => {
            format!("nothing was compared: of no event of {pairs} pairs was it decided how likely it is")
        }
        None => "nothing was compared: no two inputs were tried".to_owned(),
    };
    match &audited.end {
        End::Done => seen,
        End::Running | End::Stopped if interrupt::is_on() => format!("{seen}; it was stopped before its end"),
        End::Running | End::Stopped if verdict.upper.is_ok() && verdict.seconds < time.all.as_secs_f64() => {
            format!("{seen}; it was ended early beside the proof: --seconds allows more")
        }
        End::Running | End::Stopped => format!(
            "{seen}; it did not finish in {} s: --seconds allows more",
            decimal::double(time.all.as_secs_f64())
        ),
        End::NotCovered(why) => format!("{seen}: {why}"),
    }
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
        writeln!(out, "certificate: {}", files::shown(path))?;
    }
    Ok(())
}
