//! `probity report`: all that is known about a mechanism on one page: proof or counterexample, certificate, audit, plots.

mod bounds;
mod certificate;
mod choice;
mod laws;
mod verification;

use std::path::PathBuf;
use std::time::Instant;

use probity_audit::{Inputs, Parameters};
use probity_exact::Rational;
use probity_float::certificate::{Certificate, certify};
use probity_kernel::float::Implementation;
use probity_kernel::term::Reading;
use probity_lang::{Program, Setting};
use probity_report::{Block, Document, Section, Tone};
use serde_json::{Value, json};

use crate::failure::{Answer, Status};
use crate::progress::watched;
use crate::verdict::{Upper, Verdict};
use crate::{files, given, output};
use laws::Audit;

/// What to report on, and where to.
#[derive(clap::Args)]
pub struct Arguments {
    /// A mechanism file, or - for standard input
    path: PathBuf,
    /// Write the page to this file
    #[arg(long, value_name = "FILE.html")]
    out: PathBuf,
    /// Give a parameter a value, as eps=1; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Two neighbouring inputs to compare, as 0 1; lists are written as 1,2 and 1,3
    #[arg(long, num_args = 2, value_names = ["INPUT", "NEIGHBOUR"], allow_hyphen_values = true)]
    inputs: Option<Vec<String>>,
    /// The arithmetic to audit and certify: reals, binary64, binary32, binary16, or precision,emin,emax
    #[arg(long = "in", value_name = "READING", value_parser = given::reading)]
    reading: Option<Reading>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// A mechanism with numbers in it.
struct Case<'a> {
    program: &'a Program,
    parameters: Parameters,
    inputs: [Inputs; 2],
}

/// Writes the page. The exit code says whether lower and upper bounds agree, not what they say.
pub fn run(arguments: &Arguments) -> Answer {
    files::check_place(&arguments.out)?;
    let (source, program) = files::program(&arguments.path)?;
    let start = Instant::now();
    let settings = given::settings(&arguments.settings)?;
    let parameters = choice::parameters(&program, &settings)?;
    let verdict = watched("looking for a proof and for a counterexample", || {
        // What holds for all parameters holds for these, and says more.
        match Verdict::of(&arguments.path, &program, &[]) {
            Ok(verdict) if verdict.upper.is_ok() || settings.is_empty() => Ok(verdict),
            _ => Verdict::of(&arguments.path, &program, &settings),
        }
    })?;
    let reading = arguments.reading.or(match program.claim.reading {
        Reading::Reals => None,
        format => Some(format),
    });
    // Over the reals there is no implementation to certify.
    let implemented = parameters.as_ref().filter(|_| reading != Some(Reading::Reals));
    let certified = implemented.map(|parameters| {
        watched("certifying the implementation", || certified(&program, parameters, reading))
    });
    let case = match parameters {
        None => None,
        Some(parameters) => choice::inputs(&program, &parameters, arguments.inputs.as_deref())?
            .map(|inputs| Case { program: &program, parameters, inputs }),
    };
    let has_certificate = matches!(&certified, Some(Ok(_)));
    let audit = case.as_ref().map(|case| {
        watched("computing the exact laws of both inputs", || Audit::new(case, reading, has_certificate))
    });

    let mut crossed = verdict.upper.is_ok() && verdict.refutation.is_some();
    let mut sections = verification::sections(&verdict, &source);
    match &certified {
        Some(Ok(certified)) => sections.push(certificate::section(certified)),
        Some(Err(reason)) => sections.push(certificate::refused(reason)),
        None => {}
    }
    let known = certified.as_ref().and_then(|certified| certified.as_deref().ok());
    match (&case, &audit) {
        (Some(case), Some(Ok(audit))) => {
            crossed |= known.is_some_and(|known| audit.contradicts(case, known));
            sections.push(laws::section(case, audit, known));
            if let Some(known) = known
                && let Some(section) =
                    watched("auditing other bounds B", || bounds::section(case, known, &mut crossed))
            {
                sections.push(section);
            }
        }
        (_, Some(Err(reason))) => sections.push(without_laws(reason)),
        _ => sections.push(without_laws(
            "no values for the parameters, or no pair of neighbours, were given or could be chosen",
        )),
    }

    let mut lead = verification::lead(&verdict);
    if crossed {
        lead.insert(
            0,
            Block::Notice {
                tone: Tone::Bad,
                heading: "THE BOUNDS CROSS".into(),
                blocks: vec![Block::Text(
                    "A lower bound from the audit exceeds a proved upper bound. One of the two is a bug."
                        .into(),
                )],
            },
        );
    }
    let document = Document { title: format!("Privacy report: {}", program.mechanism.name), lead, sections };
    files::write(&arguments.out, document.to_html().as_bytes())?;
    if arguments.json {
        let audit = audit.and_then(Result::ok);
        let mut value = headline(&verdict, case.as_ref(), audit.as_ref(), known);
        value["out"] = arguments.out.display().to_string().into();
        value["bounds_cross"] = crossed.into();
        value["seconds"] = start.elapsed().as_secs_f64().into();
        output::json(&value)?;
    } else {
        let (name, status) = (&program.mechanism.name, verdict.status());
        output::print(|out| writeln!(out, "{name}: {status}, written to {}", arguments.out.display()))?;
    }
    Ok(if crossed { Status::BoundsCross } else { Status::Done })
}

/// The figures that the page opens with, for programs.
fn headline(
    verdict: &Verdict,
    case: Option<&Case<'_>>,
    audit: Option<&Audit>,
    certified: Option<&Certificate>,
) -> Value {
    let Program { mechanism, claim, .. } = &verdict.program;
    let certificate = match (&verdict.upper, certified) {
        (Ok(Upper::Certified(_)), None) => verdict.certificate.as_deref(),
        (_, certified) => certified,
    };
    let worst = audit.and_then(|audit| audit.report.worst.as_ref());
    let excess = audit.and_then(Audit::excess);
    let texts = |case: &Case<'_>| -> serde_json::Map<String, Value> {
        case.parameters.iter().map(|(name, value)| (name.to_string(), value.to_string().into())).collect()
    };
    json!({
        "file": verdict.path.display().to_string(),
        "mechanism": mechanism.name.as_str(),
        "status": verdict.status(),
        "claim": claim.to_string(),
        "parameters": case.map(texts),
        "inputs": case.map(|case| [listed(&case.inputs[0]), listed(&case.inputs[1])]),
        "certified_epsilon": certificate.map(|certificate| output::number(certificate.epsilon)),
        "certified_delta": certificate.map(|certificate| output::number(certificate.delta)),
        "reading": audit.map(|audit| audit.reading.to_string()),
        "epsilon": audit.map(|audit| output::number(audit.epsilon.to_f64())),
        "loss": worst.map(|worst| output::number(worst.loss.to_f64())),
        "excess": excess.map(|excess| output::number(excess.to_f64())),
        "worst_outcome": worst.map(|worst| worst.outcome.to_string()),
        "impossible": audit.map(|audit| audit.report.impossible.len()),
    })
}

/// The certificate, or the reason why there is none.
fn certified(
    program: &Program,
    parameters: &Parameters,
    reading: Option<Reading>,
) -> Result<Box<Certificate>, String> {
    let settings: Vec<Setting> = parameters
        .iter()
        .map(|(name, value)| Setting { name: name.to_string(), value: value.clone() })
        .collect();
    let program = given::with(program, &settings).map_err(|failure| failure.reason())?;
    let reading = reading.unwrap_or(Reading::BINARY64);
    let theorem = certify(&program.mechanism, reading, Implementation::default());
    let theorem = theorem.map_err(|rejection| rejection.to_string())?;
    let family = || "it is a whole family of mechanisms; set every parameter".to_owned();
    Certificate::of(theorem).map(Box::new).ok_or_else(family)
}

fn without_laws(reason: &str) -> Section {
    let text = format!("There are no output laws to show: {reason}.");
    Section { heading: "Audit".into(), blocks: vec![Block::Text(text)] }
}

/// `eps = 1, B = 100`.
fn listed<N: ToString, V: ToString>(values: impl IntoIterator<Item = (N, V)>) -> String {
    let parts: Vec<String> = values
        .into_iter()
        .map(|(name, value)| format!("{} = {}", name.to_string(), value.to_string()))
        .collect();
    parts.join(", ")
}

/// The middle of two bounds.
fn middle(bounds: &probity_audit::Bounds) -> Rational {
    (&bounds.low + &bounds.high) / Rational::from(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_audit::Given;

    #[test]
    fn a_certificate_that_says_too_little_is_contradicted() {
        let source = include_str!("../../../../mechanisms/snapping.dp");
        let program = probity_lang::load_text(source).unwrap();
        let number = |n: i64, d: i64| probity_exact::rational(n, d).unwrap();
        let at = |epsilon: Rational| Parameters::from([("eps".into(), epsilon), ("B".into(), number(20, 1))]);
        let x = |n: i64| Inputs::from([("x".into(), Given::Number(number(n, 1)))]);
        let case = |inputs| Case { program: &program, parameters: at(number(1, 1)), inputs };
        let honest = certified(&program, &at(number(1, 1)), None).unwrap();
        let too_little = certified(&program, &at(number(1, 2)), None).unwrap();
        let near = case([x(0), x(1)]);
        let audit = Audit::new(&near, None, true).unwrap();
        assert!(!audit.contradicts(&near, &honest));
        assert!(audit.contradicts(&near, &too_little));
        // What inputs that are no neighbours show contradicts nothing.
        let far = case([x(0), x(5)]);
        let audit = Audit::new(&far, None, true).unwrap();
        assert!(!audit.contradicts(&far, &too_little));
    }
}
