//! `probity certify`: the privacy of a mechanism as it runs in floating point, as a theorem of the kernel.

use std::io::{self, Write};
use std::path::PathBuf;

use probity_exact::{Rational, directed};
use probity_float::derive;
use probity_float::paper::Case;
use probity_kernel::term::Reading;
use probity_verdict::{Certified, CertifySettings, FloatTheorem, Found, Uniform, certify, decimal};
use serde_json::{Value, json};

use crate::failure::{Answer, Status};
use crate::output::number;
use crate::progress::watched;
use crate::{files, given, output};

/// What to certify.
#[derive(clap::Args)]
pub struct Arguments {
    /// A mechanism file of the form clamp(round_to(x + noise, grid), -B, B), or - for standard input
    path: PathBuf,
    /// Give a parameter a value, as eps=1, or a range, as eps=1/2..2; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// The format it runs in: binary64, binary32, binary16, or precision,emin,emax
    #[arg(long = "in", value_name = "FORMAT", value_parser = given::reading, default_value = "binary64")]
    reading: Reading,
    /// Draw the uniform number with this many fixed bits instead of as U*
    #[arg(long, value_name = "BITS", allow_negative_numbers = true)]
    uniform_bits: Option<u32>,
    /// The logarithm errs by up to this many units in its last place instead of being correctly rounded
    #[arg(long, value_name = "ULPS", default_value_t = 0, allow_negative_numbers = true)]
    ln_ulps: u32,
    /// Write a certificate that `probity check` accepts
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Print the derivation of every case of the paper's method, and the numbers of the theorem
    #[arg(long)]
    derivation: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Certifies.
pub fn run(arguments: &Arguments) -> Answer {
    if let Some(path) = &arguments.certificate {
        files::check_place(path)?;
    }
    let (_, program) = files::program(&arguments.path)?;
    let (values, ranges) = given::values_and_ranges(&arguments.settings)?;
    let settings = CertifySettings {
        values,
        ranges,
        reading: arguments.reading,
        uniform: arguments.uniform_bits.map_or(Uniform::Star, Uniform::Bits),
        ln_ulps: arguments.ln_ulps,
    };
    let answer = watched(|watch| certify(&program, &settings, watch))?;
    let seconds = answer.seconds;
    match answer.found {
        Ok(found) => {
            if let Some(path) = &arguments.certificate {
                files::write(path, found.to_certificate().as_bytes())?;
            }
            match arguments.json {
                true => output::json(&to_json(&found, seconds))?,
                false => output::print(|out| {
                    print(&found, arguments, out)?;
                    writeln!(out, "{seconds:.3} s")
                })?,
            }
            Ok(Status::Done)
        }
        Err(refusal) => {
            match arguments.json {
                true => output::json(
                    &json!({"status": "refused", "reason": refusal.to_string(), "seconds": seconds}),
                )?,
                false => output::print(|out| writeln!(out, "refused: {refusal}"))?,
            }
            Ok(Status::No)
        }
    }
}

fn to_json(found: &Found, seconds: f64) -> Value {
    match found {
        Found::One(certificate) => json!({
            "status": "certified",
            "claim": certificate.theorem.bound().to_string(),
            "statement": certificate.theorem.to_string(),
            "epsilon": number(certificate.epsilon),
            "epsilon_exact": certificate.epsilon_exact.to_string(),
            "delta": number(certificate.delta),
            "excess": number(certificate.excess),
            "method": certificate.method.to_string(),
            "published_bound": number(certificate.published_bound),
            "published_holds": certificate.published_holds,
            "largest_pure_bound": certificate.largest_pure_bound.map(number),
            "paper_excess": certificate.paper.excess.as_ref().ok().copied().map(number),
            "cases": certificate.cases().iter().map(case_to_json).collect::<Vec<_>>(),
            "seconds": seconds,
        }),
        Found::Family(theorem) => json!({
            "status": "certified",
            "claim": theorem.bound().to_string(),
            "statement": theorem.to_string(),
            "epsilon": number(directed::cast_up(theorem.bound().epsilon())),
            "delta": number(directed::cast_up(theorem.bound().delta())),
            "excess": number(directed::cast_up(theorem.bound().excess())),
            "method": "threshold",
            "seconds": seconds,
        }),
    }
}

fn case_to_json(case: &Case) -> Value {
    json!({
        "outcome": case.outcome, "subcase": case.subcase,
        "left": case.left, "right": case.right, "excess": number(case.excess),
    })
}

fn print(found: &Found, arguments: &Arguments, out: &mut dyn Write) -> io::Result<()> {
    let theorem = found.theorem();
    writeln!(out, "certified: {} {}", theorem.mechanism().name, theorem.bound())?;
    match found {
        Found::Family(_) => {
            writeln!(out, "method    threshold (docs/threshold-theorem.md), checked by the kernel")?;
        }
        Found::One(certificate) => print_one(certificate, arguments.derivation, out)?,
    }
    if arguments.derivation {
        writeln!(out, "the theorem:")?;
        theorem.to_string().lines().try_for_each(|line| writeln!(out, "  {line}"))?;
    }
    match &arguments.certificate {
        Some(path) => writeln!(out, "certificate: {}", files::shown(path)),
        None => Ok(()),
    }
}

fn print_one(certificate: &Certified, derivation: bool, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  epsilon   {}", decimal::up(&certificate.epsilon_exact, decimal::DISTINCT))?;
    writeln!(out, "  excess    at most {} over the reals", decimal::at_most(certificate.excess))?;
    writeln!(out, "  {}", certificate.purity())?;
    writeln!(out, "  method    threshold (docs/threshold-theorem.md), checked by the kernel")?;
    let holds = match certificate.published_holds {
        Some(true) => "holds here",
        Some(false) => "is false here: some outcome is possible under one neighbour only",
        None => "is neither proved nor refuted here",
    };
    writeln!(out, "  published 12Bεη + 2η = {}, {holds}", decimal::figure_of(certificate.published_bound))?;
    if derivation {
        print_steps(&certificate.theorem, out)?;
    }
    match &certificate.paper.excess {
        Err(reason) => writeln!(out, "the paper's method says nothing here: {reason}"),
        Ok(excess) => {
            writeln!(
                out,
                "the paper's method, case by case (excess at most {}):",
                decimal::at_most(*excess)
            )?;
            for case in certificate.cases() {
                print_case(case, derivation, out)?;
            }
            Ok(())
        }
    }
}

fn print_steps(theorem: &FloatTheorem, out: &mut dyn Write) -> io::Result<()> {
    let steps = theorem.bound().steps();
    let up = |x: &Rational| decimal::up(x, decimal::DISTINCT);
    writeln!(out, "  the theorem's numbers:")?;
    for (name, value) in [
        ("kappa - 1", up(&(&steps.kappa - Rational::ONE))),
        ("cell width", decimal::down(&steps.width, decimal::DISTINCT)),
        ("reach", up(&steps.reach)),
        ("near", up(&steps.near)),
        ("above", up(&steps.above)),
        ("below", up(&steps.below)),
        ("ratio q", up(&steps.ratio)),
        ("A+ beside", up(&steps.plus.0)),
        ("A+ around", up(&steps.plus.1)),
        ("A- beside", up(&steps.minus.0)),
        ("A- around", up(&steps.minus.1)),
    ] {
        writeln!(out, "    {name:<10} {value}")?;
    }
    Ok(())
}

fn print_case(case: &Case, derivation: bool, out: &mut dyn Write) -> io::Result<()> {
    let ends = |ends: &Option<(f64, f64)>, missing: &str| match ends {
        Some((low, high)) => decimal::outward(*low, *high),
        None => missing.to_owned(),
    };
    let place = match case.subcase.is_empty() {
        true => case.outcome.to_owned(),
        false => format!("{}, {}", case.outcome, case.subcase),
    };
    writeln!(out, "  case {place}")?;
    writeln!(out, "    L in {}  R in {}", ends(&case.left, "0"), ends(&case.right, "1"))?;
    writeln!(out, "    excess at most {}", decimal::at_most(case.excess))?;
    if derivation && let Some(tree) = &case.derivation {
        for line in derive::text(tree).lines() {
            writeln!(out, "      {line}")?;
        }
    }
    Ok(())
}
