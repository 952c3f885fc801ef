//! `report`: all that is known about a mechanism on one page: proof or counterexample, certificate, audit, plots.

mod bounds;
mod certificate;
mod choice;
mod laws;
mod runs;
mod verification;

use std::time::Instant;

use probity_audit::{Inputs, Parameters};
use probity_exact::Rational;
use probity_float::certified::{Certified, certify};
use probity_kernel::expr::Name;
use probity_kernel::float::Implementation;
use probity_kernel::term::Reading;
use probity_lang::{Program, Setting};
use probity_report::{Block, Document, Section, Tone};

use crate::error::Error;
use crate::given;
use crate::verify::{Upper, Verdict, verify};
use crate::watch::Watch;
pub use laws::Audit as ReportedAudit;

/// What to report on.
#[derive(Debug, Clone, Default)]
pub struct ReportSettings {
    /// Values for parameters; plain ones are chosen for the others.
    pub values: Vec<Setting>,
    /// Two neighbouring inputs to compare; plain ones are chosen if it is `None`.
    pub inputs: Option<[Inputs; 2]>,
    /// The arithmetic to audit and certify.
    pub reading: Option<Reading>,
}

/// A mechanism with numbers in it.
#[derive(Debug, Clone)]
pub struct Case<'a> {
    /// The mechanism and its claim.
    pub program: &'a Program,
    /// A value for every parameter.
    pub parameters: Parameters,
    /// The two inputs.
    pub inputs: [Inputs; 2],
}

/// The page, and the figures that it opens with.
#[derive(Debug)]
#[must_use]
pub struct Report<'a> {
    /// The page.
    pub document: Document,
    /// What is known of the claim.
    pub verdict: Verdict,
    /// The numbers that were given or chosen; `None` if none were found.
    pub case: Option<Case<'a>>,
    /// What the two inputs show, where their laws could be listed.
    pub audit: Option<ReportedAudit>,
    /// The certificate of the implementation, if it has one.
    pub certified: Option<Box<Certified>>,
    /// Whether a lower bound exceeds an upper bound: somebody's bug, ours first.
    pub bounds_cross: bool,
    /// How long it took.
    pub seconds: f64,
}

impl Report<'_> {
    /// The certificate that the page shows: of the numbers that were chosen, or else the one that proves the claim.
    pub fn certificate(&self) -> Option<&Certified> {
        match (&self.verdict.upper, &self.certified) {
            (Ok(Upper::Certified(_)), None) => self.verdict.certificate.as_deref(),
            (_, certified) => certified.as_deref(),
        }
    }
}

/// Makes the page of a program; `source` is its text as it is written. Past the deadline the parts that are not yet done
/// are left out, and the page says so.
pub fn report<'a>(
    program: &'a Program,
    source: &str,
    settings: &ReportSettings,
    watch: &Watch<'_>,
) -> Result<Report<'a>, Error> {
    let start = Instant::now();
    let parameters = choice::parameters(program, &settings.values)?;
    // What holds for all parameters holds for these, and says more.
    let verdict = match verify(program, &[], watch) {
        Ok(verdict) if verdict.upper.is_ok() || settings.values.is_empty() => verdict,
        _ => verify(program, &settings.values, watch)?,
    };
    let reading = settings.reading.or(match program.claim.reading {
        Reading::Reals | Reading::Rho | Reading::Mu => None,
        format => Some(format),
    });
    // Over the reals there is no implementation to certify.
    let implemented = parameters.as_ref().filter(|_| reading != Some(Reading::Reals));
    let certified = implemented.map(|parameters| {
        watch.say("certifying the implementation");
        certified(program, parameters, reading)
    });
    let case = match (choice::told(&verdict, settings), parameters) {
        // A refuted mechanism shows its own counterexample.
        (Some((parameters, inputs)), _) => Some(Case { program, parameters, inputs }),
        (None, None) => None,
        (None, Some(parameters)) => {
            let worst = || {
                watch.say("looking for the pair that tells most");
                choice::worst(program, &parameters, watch)
            };
            let inputs = match &settings.inputs {
                None if !watch.is_over() => worst(),
                _ => None,
            };
            let inputs = match inputs {
                Some(inputs) => Some(inputs),
                None => choice::inputs(program, &parameters, settings.inputs.as_ref())?,
            };
            inputs.map(|inputs| Case { program, parameters, inputs })
        }
    };
    let has_certificate = matches!(&certified, Some(Ok(_)));
    let audit = case.as_ref().map(|case| {
        if watch.is_over() {
            return Err("the deadline passed before they were computed".to_owned());
        }
        watch.say("computing the exact laws of both inputs");
        ReportedAudit::new(case, reading, has_certificate, verdict.refutation.as_deref(), watch)
    });

    let mut crossed = verdict.upper.is_ok() && verdict.refutation.is_some();
    let mut sections = verification::sections(&verdict, source);
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
                && !watch.is_over()
                && let Some(section) = {
                    watch.say("auditing other bounds B");
                    bounds::section(case, known, &mut crossed)
                }
            {
                sections.push(section);
            }
            if !watch.is_over() {
                sections.extend(runs::section(case, audit, watch));
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
    Ok(Report {
        document,
        verdict,
        case,
        audit: audit.and_then(Result::ok),
        certified: certified.and_then(Result::ok),
        bounds_cross: crossed,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// The certificate, or the reason why there is none.
fn certified(
    program: &Program,
    parameters: &Parameters,
    reading: Option<Reading>,
) -> Result<Box<Certified>, String> {
    let setting =
        |(name, value): (&Name, &Rational)| Setting { name: name.to_string(), value: value.clone() };
    let settings: Vec<Setting> = parameters.iter().map(setting).collect();
    let program = given::with_settings(program, &settings).map_err(|error| error.message().to_owned())?;
    let reading = reading.unwrap_or(Reading::BINARY64);
    let theorem = certify(&program.mechanism, reading, Implementation::default());
    let theorem = theorem.map_err(|rejection| rejection.to_string())?;
    let family = || "it is a whole family of mechanisms; set every parameter".to_owned();
    Certified::of(theorem).map(Box::new).ok_or_else(family)
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
        let source = include_str!("../../../mechanisms/snapping.dp");
        let program = probity_lang::load_text(source).unwrap();
        let number = |n: i64, d: i64| probity_exact::rational(n, d).unwrap();
        let at = |epsilon: Rational| Parameters::from([("eps".into(), epsilon), ("B".into(), number(20, 1))]);
        let x = |n: i64| Inputs::from([("x".into(), Given::Number(number(n, 1)))]);
        let case = |inputs| Case { program: &program, parameters: at(number(1, 1)), inputs };
        let honest = certified(&program, &at(number(1, 1)), None).unwrap();
        let too_little = certified(&program, &at(number(1, 2)), None).unwrap();
        let near = case([x(0), x(1)]);
        let audit = ReportedAudit::new(&near, None, true, None, &Watch::default()).unwrap();
        assert!(!audit.contradicts(&near, &honest));
        assert!(audit.contradicts(&near, &too_little));
        // What inputs that are no neighbours show contradicts nothing.
        let far = case([x(0), x(5)]);
        let audit = ReportedAudit::new(&far, None, true, None, &Watch::default()).unwrap();
        assert!(!audit.contradicts(&far, &too_little));
    }
}
