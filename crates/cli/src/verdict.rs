//! What is known of a mechanism file: an upper bound from the prover or the float certificate, a lower bound from
//! the audit, side by side.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use probity_audit::{Refutation, Verdict as Finding, claimed, search_refutation};
use probity_exact::{Format, Rational};
use probity_float::certificate::Certificate;
use probity_float::certificate::certify;
use probity_float::recognise::recognise;
use probity_kernel::term::Reading;
use probity_lang::{Program, Setting};
use probity_prove::Proof;

use crate::failure::{Failure, Status};
use crate::given;

/// Why the claim holds.
pub enum Upper {
    /// Over the reals, by a derivation.
    Derived(Box<Proof>),
    /// In floating point, by a certificate that stays within the claim.
    Certified(Box<Certificate>),
}

/// What became of one file.
pub struct Verdict {
    /// The file.
    pub path: PathBuf,
    /// The mechanism with the parameters that were set.
    pub program: Program,
    /// Why the claim holds, or why that is not shown.
    pub upper: Result<Upper, String>,
    /// A counterexample to the claim.
    pub refutation: Option<Box<Refutation>>,
    /// The largest share of the claimed ε that the audit saw; more than 1 with a counterexample.
    pub audited_share: Option<f64>,
    /// The certificate of the binary64 implementation, where all parameters are set and the mechanism has the form.
    pub certificate: Option<Box<Certificate>>,
    /// How long it took.
    pub seconds: f64,
}

impl Verdict {
    /// Looks at the program of a file from both sides.
    pub fn of(path: &Path, program: &Program, settings: &[Setting]) -> Result<Verdict, Failure> {
        let start = Instant::now();
        // The audit wants the parameters by name; the prover wants them substituted.
        let parameters = given::parameters(program, settings)?;
        let (refutation, audited_share) =
            match search_refutation(&program.mechanism, &program.claim, &parameters) {
                Ok(Finding::Refuted(refutation)) => {
                    let claimed = refutation.epsilon.to_f64();
                    // Of a claim of 0, or of less than that, any loss is more than every multiple.
                    let share = if claimed > 0.0 { refutation.loss / claimed } else { f64::INFINITY };
                    (Some(refutation), Some(share))
                }
                Ok(Finding::NotRefuted { events, largest_share }) => {
                    (None, (events > 0).then_some(largest_share))
                }
                // Not being able to look shows nothing.
                Err(_) => (None, None),
            };
        let substituted = given::with(program, settings)?;
        let (upper, certificate) = match program.claim.reading {
            Reading::Reals => (derive(&substituted), certificate(program, settings, Format::BINARY64).ok()),
            reading => {
                let format = given::format(reading)?;
                let used = given::rounded(&parameters, reading)?;
                let found = certificate(program, settings, format);
                (found.clone().and_then(|certificate| within_claim(program, &used, certificate)), found.ok())
            }
        };
        let seconds = start.elapsed().as_secs_f64();
        let path = path.to_owned();
        Ok(Verdict { path, program: substituted, upper, refutation, audited_share, certificate, seconds })
    }

    /// The status in one word.
    pub fn status(&self) -> &'static str {
        match (&self.upper, &self.refutation) {
            (Ok(_), None) => "proved",
            (Err(_), Some(_)) => "refuted",
            (Err(_), None) => "open",
            (Ok(_), Some(_)) => "bounds cross",
        }
    }

    /// The exit code that goes with it.
    pub fn exit(&self) -> Status {
        match (&self.upper, &self.refutation) {
            (Ok(_), None) => Status::Done,
            (Err(_), _) => Status::No,
            (Ok(_), Some(_)) => Status::BoundsCross,
        }
    }

    /// Whether the file is what it says it is: proved, or refuted where it expects that.
    pub fn is_as_expected(&self) -> bool {
        self.status() == if self.program.expect_refuted { "refuted" } else { "proved" }
    }

    /// What the proof rests on.
    pub fn axioms(&self) -> Vec<&'static str> {
        match &self.upper {
            Ok(Upper::Derived(proof)) => proof.theorem().axioms().iter().copied().collect(),
            Ok(Upper::Certified(_)) => vec!["THRESHOLD"],
            Err(_) => vec![],
        }
    }
}

fn derive(program: &Program) -> Result<Upper, String> {
    let hints = program.hints.clone().unwrap_or_default();
    let proof = probity_prove::prove(&program.mechanism, &program.claim, &hints);
    proof.map(|proof| Upper::Derived(Box::new(proof))).map_err(|failure| failure.to_string())
}

fn certificate(program: &Program, settings: &[Setting], format: Format) -> Result<Box<Certificate>, String> {
    let values: BTreeMap<String, Rational> =
        settings.iter().map(|setting| (setting.name.clone(), setting.value.clone())).collect();
    let snapped = recognise(&program.mechanism, &values, format).map_err(|reason| reason.to_string())?;
    certify(&snapped).map(Box::new).map_err(|reason| reason.to_string())
}

/// Compares the certified loss with the claimed one, exactly.
fn within_claim(
    program: &Program,
    parameters: &probity_audit::Parameters,
    certificate: Box<Certificate>,
) -> Result<Upper, String> {
    let (epsilon, delta) =
        claimed(&program.mechanism, &program.claim, parameters).map_err(|error| error.to_string())?;
    if certificate.epsilon_exact <= epsilon.low && *certificate.theorem.delta() <= delta.low {
        return Ok(Upper::Certified(certificate));
    }
    Err(format!(
        "certified is epsilon = {}, delta = {:e}, which is more than the claimed epsilon = {}, delta = {}",
        certificate.epsilon,
        certificate.delta,
        epsilon.to_f64(),
        delta.to_f64()
    ))
}
