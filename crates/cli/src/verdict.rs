//! What is known of a mechanism file: an upper bound from the prover or the float certificate, a lower bound from
//! the audit, side by side.

use std::path::{Path, PathBuf};
use std::time::Instant;

use probity_audit::{Refutation, Verdict as Finding, search_refutation};
use probity_float::certificate::{Certificate, certify};
use probity_kernel::float::{FloatTheorem, Implementation, threshold};
use probity_kernel::term::Reading;
use probity_lang::{Program, Setting};
use probity_prove::Proof;

use crate::failure::{Failure, Status};
use crate::given;

/// Why the claim holds.
pub enum Upper {
    /// Over the reals, by a derivation.
    Derived(Box<Proof>),
    /// In floating point, by the threshold theorem.
    Certified(Box<FloatTheorem>),
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
        let (upper, reading) = match program.claim.reading {
            Reading::Reals => (derive(&substituted), Reading::BINARY64),
            format => (in_floats(&substituted), format),
        };
        let certificate = certificate(&substituted, reading);
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
            Ok(Upper::Certified(_)) => vec![FloatTheorem::AXIOM],
            Err(_) => vec![],
        }
    }
}

fn derive(program: &Program) -> Result<Upper, String> {
    let hints = program.hints.clone().unwrap_or_default();
    let proof = probity_prove::prove(&program.mechanism, &program.claim, &hints);
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
