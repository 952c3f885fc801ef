//! `verify`: what is known of a claim. An upper bound from the prover or the float certificate, a lower bound from the
//! audit, side by side.

use std::fmt;
use std::time::Instant;

use probity_audit::{Refutation, Verdict as Finding, search_refutation_until};
use probity_float::certificate::{Certificate, certify};
use probity_kernel::float::{FloatTheorem, Implementation, threshold};
use probity_kernel::privacy::Theorem;
use probity_kernel::term::Reading;
use probity_lang::{Program, Setting};
use probity_prove::outline::{Line, outline};
use probity_prove::vacuity::{Vacuity, vacuity};
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
    /// It is about nothing: no parameters, or no two different inputs that are neighbours.
    Vacuous,
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
            Status::Vacuous => "vacuous",
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
    /// In floating point, by the threshold theorem.
    Certified(Box<FloatTheorem>),
}

/// What is known of one claim.
#[derive(Debug, Clone)]
#[must_use]
pub struct Verdict {
    /// The mechanism with the parameters that were set.
    pub program: Program,
    /// Why the claim holds, or why that is not shown.
    pub upper: Result<Upper, String>,
    /// Whether the claim is about anything.
    pub vacuity: Vacuity,
    /// A counterexample to the claim.
    pub refutation: Option<Box<Refutation>>,
    /// A draw that some inputs lead to with parameters for which its law means nothing.
    pub out_of_range: Option<String>,
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
    let mut draw_out_of_range = None;
    let (refutation, audited_share) =
        match search_refutation_until(&program.mechanism, &program.claim, &parameters, watch.deadline()) {
            Ok(Finding::Refuted(refutation)) => {
                let claimed = refutation.epsilon.to_f64();
                // Of a claim of 0, or of less than that, any loss is more than every multiple.
                let share = if claimed > 0.0 { refutation.loss / claimed } else { f64::INFINITY };
                (Some(refutation), Some(share))
            }
            Ok(Finding::NotRefuted { events, largest_share, out_of_range }) => {
                draw_out_of_range = out_of_range.map(|error| error.to_string());
                // The audit's shares are of an ε: they say nothing of a claim in ρ or μ that stands.
                let comparable = !matches!(program.claim.reading, Reading::Rho | Reading::Mu);
                (None, (events > 0 && comparable).then_some(largest_share))
            }
            // Not being able to look shows nothing.
            Err(_) => (None, None),
        };
    let substituted = given::with_settings(program, settings)?;
    let (upper, reading) = match program.claim.reading {
        Reading::Reals | Reading::Rho | Reading::Mu => (derive(&substituted, watch), Reading::BINARY64),
        format => (in_floats(&substituted), format),
    };
    let vacuity = vacuity(&substituted.mechanism).unwrap_or(Vacuity::Unknown);
    let certificate = certificate(&substituted, reading);
    let seconds = start.elapsed().as_secs_f64();
    let (program, out_of_range) = (substituted, draw_out_of_range);
    Ok(Verdict { program, upper, vacuity, refutation, out_of_range, audited_share, certificate, seconds })
}

impl Verdict {
    /// What became of the claim.
    pub fn status(&self) -> Status {
        let is_vacuous = matches!(self.vacuity, Vacuity::Vacuous(_));
        match (&self.upper, &self.refutation) {
            (Ok(_), Some(_)) => Status::BoundsCross,
            // A proof shows every draw to be in range, so none can be out of it.
            (Ok(Upper::Derived(_)), None) if self.out_of_range.is_some() => Status::BoundsCross,
            (Err(_), Some(_)) => Status::Refuted,
            _ if is_vacuous => Status::Vacuous,
            (Ok(_), None) => Status::Proved,
            (Err(_), None) => Status::Open,
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

    /// The proof as a file that [`check`](crate::check()) accepts.
    pub fn to_certificate(&self) -> Option<String> {
        match &self.upper {
            Ok(Upper::Derived(proof)) => Some(proof_file::write(proof)),
            Ok(Upper::Certified(theorem)) => Some(proof_file::write_threshold(theorem)),
            Err(_) => None,
        }
    }

    /// What the proof rests on.
    pub fn axioms(&self) -> Vec<&'static str> {
        match &self.upper {
            Ok(Upper::Derived(proof)) => proof.theorem().axioms().iter().copied().collect(),
            Ok(Upper::Certified(_)) => vec![FloatTheorem::AXIOM],
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

/// The claim about a format, as it stands.
fn in_floats(program: &Program) -> Result<Upper, String> {
    let theorem = threshold(&program.mechanism, &program.claim, Implementation::default());
    theorem.map(|theorem| Upper::Certified(Box::new(theorem))).map_err(|rejection| rejection.to_string())
}

/// What there is to say of the implementation, whatever is claimed.
fn certificate(program: &Program, reading: Reading) -> Option<Box<Certificate>> {
    let theorem = certify(&program.mechanism, reading, Implementation::default()).ok()?;
    Certificate::of(theorem).map(Box::new)
}
