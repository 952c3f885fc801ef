//! `probity check`: replay a certificate, trusting nothing in it.

use std::path::PathBuf;

use probity_release::{certificate as release, policy};
use probity_verdict::{Vacuity, check, coq};
use serde_json::json;

use crate::failure::{Answer, Failure, Status};
use crate::progress::{saying, watched};
use crate::{files, given, output};

/// Which certificate, and what it must be about.
#[derive(clap::Args)]
pub struct Arguments {
    /// The certificate, or - for standard input
    certificate: PathBuf,
    /// The mechanism file that the certificate must be about
    #[arg(long, value_name = "FILE")]
    mechanism: Option<PathBuf>,
    /// Give a parameter of the mechanism file a value, as eps=1; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", requires = "mechanism")]
    settings: Vec<String>,
    /// Of a release: the policy that it must be about
    #[arg(long, value_name = "FILE", conflicts_with = "mechanism")]
    policy: Option<PathBuf>,
    /// Write the theorem and its derivation as Coq, which coqc checks with proofs/ and nothing of ours
    #[arg(long, value_name = "OUT.v", conflicts_with = "policy")]
    coq: Option<PathBuf>,
    /// Of a release with a join: the public tables
    #[arg(long, value_name = "TABLE=FILE", requires = "policy")]
    data: Vec<String>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Replays.
pub fn run(arguments: &Arguments) -> Answer {
    let text = files::text(&arguments.certificate)?;
    if let Some(path) = &arguments.coq {
        files::check_place(path)?;
        if release::is_release(&text) {
            return Err(Failure::new(
                "--coq is about certificates of mechanisms, and this is one of a release",
            ));
        }
    }
    if release::is_release(&text) && arguments.mechanism.is_none() {
        return of_release(arguments, &text);
    }
    if arguments.policy.is_some() {
        return Err(Failure::new("--policy is about certificates of releases, and this is none"));
    }
    let about = match &arguments.mechanism {
        None => None,
        Some(path) => Some((files::program(path)?.1, given::settings(&arguments.settings)?)),
    };
    let about = about.as_ref().map(|(program, settings)| (program, &settings[..]));
    let replay = watched(|watch| check(&text, about, watch))?;
    let about_nothing = match replay.vacuity {
        Vacuity::Vacuous(why) => Some(why),
        Vacuity::Inhabited | Vacuity::Unknown => None,
    };
    match replay.theorem {
        Ok(theorem) => {
            let axioms: Vec<&str> = theorem.axioms().into_iter().collect();
            // The path, or why there is no file.
            let coq = match &arguments.coq {
                None => None,
                Some(path) => Some(match coq(&text) {
                    Ok(proof) => {
                        files::write(path, proof.as_bytes())?;
                        Ok(path.display().to_string())
                    }
                    Err(reason) => Err(reason.to_string()),
                }),
            };
            if arguments.json {
                let mechanism = theorem.mechanism();
                let mut answer = json!({
                    "status": "accepted",
                    "mechanism": mechanism.name.as_str(),
                    "text": mechanism.to_string(),
                    "claim": theorem.claim().to_string(),
                    "axioms": axioms,
                });
                if let Some(why) = about_nothing {
                    answer["vacuous_because"] = why.into();
                }
                match &coq {
                    None => {}
                    Some(Ok(path)) => answer["coq"] = path.as_str().into(),
                    Some(Err(reason)) => answer["not_exported"] = reason.as_str().into(),
                }
                output::json(&answer)?;
            } else {
                output::print(|out| {
                    writeln!(out, "accepted: {theorem}")?;
                    writeln!(out, "axioms: {}", axioms.join(", "))?;
                    if let Some(why) = about_nothing {
                        writeln!(out, "vacuous: the theorem is true and about nothing: {why}")?;
                    }
                    match &coq {
                        None => Ok(()),
                        Some(Ok(path)) => writeln!(out, "coq: {path}"),
                        Some(Err(reason)) => writeln!(out, "{reason}"),
                    }
                })?;
            }
            Ok(if matches!(coq, Some(Err(_))) { Status::No } else { Status::Done })
        }
        Err(fault) => {
            match arguments.json {
                true => output::json(&json!({"status": "rejected", "reason": fault.to_string()}))?,
                false => output::print(|out| {
                    writeln!(out, "rejected: {}", probity_lang::visible(&fault.to_string()))
                })?,
            }
            Ok(Status::No)
        }
    }
}

/// The certificate of a release names the policy, the query and what the theorem takes for granted.
fn of_release(arguments: &Arguments, text: &str) -> Answer {
    let policy = match &arguments.policy {
        None => None,
        Some(path) => {
            let mut policy = policy::read(&path.display().to_string(), &files::text(path)?)?;
            crate::commands::policy::read_public(&mut policy, &arguments.data)?;
            Some(policy)
        }
    };
    let answer = saying("replaying the derivation", || release::check(text, policy.as_ref()));
    match answer {
        Ok(checked) => {
            let axioms: Vec<&str> = checked.theorem.axioms().iter().copied().collect();
            if arguments.json {
                let mechanism = checked.theorem.mechanism();
                output::json(&json!({
                    "status": "accepted",
                    "mechanism": mechanism.name.as_str(),
                    "text": mechanism.to_string(),
                    "claim": checked.theorem.claim().to_string(),
                    "axioms": axioms,
                }))?;
            } else {
                output::print(|out| {
                    writeln!(out, "accepted: {}", checked.theorem)?;
                    writeln!(out, "axioms: {}", axioms.join(", "))?;
                    // The lines are those of whoever wrote the file, and none may look like another.
                    let line =
                        |(name, value): &(String, String)| format!("{name}: {}", output::one_line(value));
                    checked.about.iter().try_for_each(|entry| writeln!(out, "{}", line(entry)))?;
                    if policy.is_some() {
                        writeln!(out, "the mechanism is that of the query under this policy")?;
                    }
                    // Which data it was nobody can check; the rest a policy can.
                    let (data, others): (Vec<_>, Vec<_>) =
                        checked.stated.iter().partition(|(name, _)| name == "data-version");
                    for (what, lines) in [
                        ("stated, and checked only with --policy FILE:", others),
                        ("stated, and checked by nothing:", data),
                    ] {
                        if !lines.is_empty() {
                            writeln!(out, "{what}")?;
                        }
                        lines.iter().try_for_each(|entry| writeln!(out, "  {}", line(entry)))?;
                    }
                    Ok(())
                })?;
            }
            Ok(Status::Done)
        }
        Err(refusal) => {
            match arguments.json {
                true => output::json(&json!({"status": "rejected", "reason": refusal.message}))?,
                false => output::print(|out| {
                    writeln!(out, "rejected: {}", output::one_line(&refusal.message))?;
                    refusal
                        .hint
                        .iter()
                        .try_for_each(|hint| writeln!(out, "  hint: {}", output::one_line(hint)))
                })?,
            }
            Ok(Status::No)
        }
    }
}
