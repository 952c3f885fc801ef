//! `verify`: what is known of a claim. An upper bound from the prover or the float certificate, a lower bound from the
//! audit, side by side.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Instant;

use probity_audit::{Refutation, Verdict as Finding, claimed, search_refutation_until};
use probity_exact::{Format, Rational};
use probity_float::certificate::Certificate;
use probity_float::certificate::certify;
use probity_float::recognise::recognise;
use probity_kernel::privacy::Theorem;
use probity_kernel::term::Reading;
use probity_lang::{Program, Setting};
use probity_prove::outline::{Line, outline};
use probity_prove::{Proof, certificate as proof_file};

use crate::error::Error;
use crate::given;
use crate::watch::Watch;

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// It holds.
    Proved,
    /// It is false, and there is a counterexample.
    Refuted,
    /// Neither was shown.
    Open,
    /// A proof and a counterexample were found: somebody's bug, ours first.
    BoundsCross,
}

impl Status {
    /// In one word, or two.
    pub fn name(self) -> &'static str {
        match self {
            Status::Proved => "proved",
            Status::Refuted => "refuted",
            Status::Open => "open",
            Status::BoundsCross => "bounds cross",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why the claim holds.
#[derive(Debug, Clone)]
pub enum Upper {
    /// Over the reals, by a derivation.
    Derived(Box<Proof>),
    /// In floating point, by a certificate that stays within the claim.
    Certified(Box<Certificate>),
}

/// What is known of one claim.
#[derive(Debug, Clone)]
#[must_use]
pub struct Verdict {
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

/// Looks at the claim of a program from both sides: for a proof, and for a counterexample.
///
/// Parameters that have no setting stay symbols: the proof is then for all their values, and the audit chooses some.
pub fn verify(program: &Program, settings: &[Setting], watch: &Watch<'_>) -> Result<Verdict, Error> {
    let start = Instant::now();
    watch.say("looking for a proof and for a counterexample");
    // The audit wants the parameters by name; the prover wants them substituted.
    let parameters = given::parameters(program, settings)?;
    let (refutation, audited_share) =
        match search_refutation_until(&program.mechanism, &program.claim, &parameters, watch.deadline()) {
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
    let substituted = given::with_settings(program, settings)?;
    let (upper, certificate) = match program.claim.reading {
        Reading::Reals => {
            (derive(&substituted, watch), certificate(program, settings, Format::BINARY64).ok())
        }
        reading => {
            let format = given::format_of(reading)?;
            let used = given::rounded(&parameters, reading)?;
            let found = certificate(program, settings, format);
            (found.clone().and_then(|certificate| within_claim(program, &used, certificate)), found.ok())
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    Ok(Verdict { program: substituted, upper, refutation, audited_share, certificate, seconds })
}

impl Verdict {
    /// What became of the claim.
    pub fn status(&self) -> Status {
        match (&self.upper, &self.refutation) {
            (Ok(_), None) => Status::Proved,
            (Err(_), Some(_)) => Status::Refuted,
            (Err(_), None) => Status::Open,
            (Ok(_), Some(_)) => Status::BoundsCross,
        }
    }

    /// Whether the text is what it says it is: proved, or refuted where it expects that.
    pub fn is_as_expected(&self) -> bool {
        self.status() == if self.program.expect_refuted { Status::Refuted } else { Status::Proved }
    }

    /// The proof over the reals, if that is why the claim holds.
    pub fn proof(&self) -> Option<&Proof> {
        match &self.upper {
            Ok(Upper::Derived(proof)) => Some(proof),
            Ok(Upper::Certified(_)) | Err(_) => None,
        }
    }

    /// The kernel's theorem over the reals.
    pub fn theorem(&self) -> Option<&Theorem> {
        self.proof().map(Proof::theorem)
    }

    /// The proof over the reals as a file that [`check`](crate::check()) accepts.
    pub fn to_certificate(&self) -> Option<String> {
        self.proof().map(proof_file::write)
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

/// The draws of a proof with their couplings.
pub fn couplings(proof: &Proof) -> Vec<Line> {
    outline(proof).into_iter().filter(|line| line.rule.starts_with("couple")).collect()
}

fn derive(program: &Program, watch: &Watch<'_>) -> Result<Upper, String> {
    let hints = program.hints.clone().unwrap_or_default();
    let proof = probity_prove::prove_until(&program.mechanism, &program.claim, &hints, watch.deadline());
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
