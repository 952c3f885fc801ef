//! `probity certify`: the privacy of a mechanism as it runs in floating point, as a theorem of the kernel.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use probity_exact::{Rational, directed};
use probity_float::certificate::{Certificate, Refusal, certify, certify_family};
use probity_float::derive;
use probity_float::paper::Case;
use probity_float::recognise::recognise;
use probity_kernel::float::{Family, FloatTheorem, Scaling, Snapped, Uniform, shape::mironov_grid};
use probity_kernel::term::Reading;
use probity_lang::{Program, Setting};
use serde_json::{Value, json};

use crate::failure::{Answer, Failure, Status};
use crate::given::Ranges;
use crate::output::number;
use crate::progress::watched;
use crate::{decimal, files, given, output};

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
    /// Print the derivation of every case of the paper's method, and the numbers of the theorem
    #[arg(long)]
    derivation: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Certifies.
pub fn run(arguments: &Arguments) -> Answer {
    let (_, program) = files::program(&arguments.path)?;
    let start = Instant::now();
    let (values, ranges) = given::values_and_ranges(&arguments.settings)?;
    let answer = watched("certifying the implementation", || match ranges.is_empty() {
        true => one(arguments, &program, values).map(Found::One),
        false => family(arguments, &program, values, ranges).map(|theorem| Found::Family(Box::new(theorem))),
    });
    let seconds = start.elapsed().as_secs_f64();
    match answer {
        Ok(found) => {
            match arguments.json {
                true => output::json(&to_json(&found, seconds))?,
                false => output::print(|out| {
                    print(&found, &program, arguments.derivation, out)?;
                    writeln!(out, "{seconds:.3} s")
                })?,
            }
            Ok(Status::Done)
        }
        Err(NotCertified::Refused(refusal)) => {
            match arguments.json {
                true => output::json(
                    &json!({"status": "refused", "reason": refusal.to_string(), "seconds": seconds}),
                )?,
                false => output::print(|out| writeln!(out, "refused: {refusal}"))?,
            }
            Ok(Status::No)
        }
        Err(NotCertified::Failed(failure)) => Err(failure),
    }
}

enum Found {
    One(Box<Certificate>),
    Family(Box<FloatTheorem>),
}

enum NotCertified {
    Refused(Refusal),
    Failed(Failure),
}

impl From<Refusal> for NotCertified {
    fn from(refusal: Refusal) -> Self {
        NotCertified::Refused(refusal)
    }
}

impl From<Failure> for NotCertified {
    fn from(failure: Failure) -> Self {
        NotCertified::Failed(failure)
    }
}

fn uniform(arguments: &Arguments) -> Uniform {
    arguments.uniform_bits.map_or(Uniform::Star, Uniform::Bits)
}

/// The mechanism with these values, as it runs in the format.
fn recognised(
    arguments: &Arguments,
    program: &Program,
    values: &BTreeMap<String, Rational>,
) -> Result<Snapped, NotCertified> {
    let format = given::format(arguments.reading)?;
    let snapped = recognise(&program.mechanism, values, format).map_err(Refusal::Form)?;
    Ok(Snapped { uniform: uniform(arguments), ln_ulps: arguments.ln_ulps, ..snapped })
}

fn one(
    arguments: &Arguments,
    program: &Program,
    settings: Vec<Setting>,
) -> Result<Box<Certificate>, NotCertified> {
    // The assumptions must hold for what was set.
    given::with(program, &settings)?;
    given::check_complete(program, &settings)?;
    let values = settings.into_iter().map(|setting| (setting.name, setting.value)).collect();
    Ok(Box::new(certify(&recognised(arguments, program, &values)?)?))
}

/// A theorem for all values in the ranges. The mechanism must be Mironov's, which is checked at the ends of the ranges.
fn family(
    arguments: &Arguments,
    program: &Program,
    values: Vec<Setting>,
    mut all: Ranges,
) -> Result<FloatTheorem, NotCertified> {
    for setting in values {
        if all.insert(setting.name.clone(), (setting.value.clone(), setting.value)).is_some() {
            return Err(
                Failure::new(format!("the parameter {} has a value and a range", setting.name)).into()
            );
        }
    }
    // The names, and the assumptions at both ends.
    let low = |(name, (low, _)): (&String, &(Rational, Rational))| Setting {
        name: name.clone(),
        value: low.clone(),
    };
    let high = |(name, (_, high)): (&String, &(Rational, Rational))| Setting {
        name: name.clone(),
        value: high.clone(),
    };
    for end in [all.iter().map(low).collect::<Vec<_>>(), all.iter().map(high).collect()] {
        given::with(program, &end)?;
    }
    let (Some(epsilon), Some(bound)) = (all.get("eps").cloned(), all.get("B").cloned()) else {
        return Err(Failure::new("ranges are for the parameters eps and B of Mironov's mechanism")
            .hint("set both, each to a value or a range")
            .into());
    };
    let mut sensitivity = None;
    for (eps, b) in [(&epsilon.0, &bound.0), (&epsilon.1, &bound.1)] {
        let values = BTreeMap::from([("eps".to_owned(), eps.clone()), ("B".to_owned(), b.clone())]);
        let snapped = recognised(arguments, program, &values)?;
        let [Scaling::Divide(rate)] = &snapped.scaling[..] else {
            return Err(Failure::new("ranges are for noise of the form ln(u) / eps").into());
        };
        if snapped.grid != mironov_grid(rate) {
            return Err(Failure::new("ranges are for the grid pow2_at_least(1 / eps)").into());
        }
        sensitivity = Some(snapped.sensitivity);
    }
    let format = given::format(arguments.reading)?;
    let sensitivity = sensitivity.unwrap_or(Rational::ONE);
    let family = Family {
        format,
        uniform: uniform(arguments),
        ln_ulps: arguments.ln_ulps,
        epsilon,
        bound,
        sensitivity,
    };
    Ok(certify_family(&family)?)
}

fn to_json(found: &Found, seconds: f64) -> Value {
    match found {
        Found::One(certificate) => json!({
            "status": "certified",
            "claim": certificate.theorem.to_string(),
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
            "claim": theorem.to_string(),
            "epsilon": number(directed::cast_up(&theorem.epsilon())),
            "delta": number(directed::cast_up(theorem.delta())),
            "excess": number(directed::cast_up(theorem.excess())),
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

fn print(found: &Found, program: &Program, derivation: bool, out: &mut dyn Write) -> io::Result<()> {
    match found {
        Found::Family(theorem) => {
            writeln!(out, "certified: {} {theorem}", program.mechanism.name)?;
            writeln!(out, "method    threshold (docs/threshold-theorem.md), checked by the kernel")
        }
        Found::One(certificate) => print_one(certificate, program, derivation, out),
    }
}

fn print_one(
    certificate: &Certificate,
    program: &Program,
    derivation: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "certified: {} {}", program.mechanism.name, certificate.theorem)?;
    writeln!(out, "  epsilon   {}", decimal::double(certificate.epsilon))?;
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
    let steps = theorem.steps();
    let up = directed::cast_up;
    writeln!(out, "  the theorem's numbers:")?;
    for (name, value) in [
        ("kappa - 1", up(&(&steps.kappa - Rational::ONE))),
        ("cell width", directed::cast_down(&steps.width)),
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
        writeln!(out, "    {name:<10} {value:e}")?;
    }
    Ok(())
}

fn print_case(case: &Case, derivation: bool, out: &mut dyn Write) -> io::Result<()> {
    let ends = |ends: &Option<(f64, f64)>, missing: &str| match ends {
        Some((low, high)) => format!("[{low:.6e}, {high:.6e}]"),
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
