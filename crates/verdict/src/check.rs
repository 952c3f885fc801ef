//! `check`: replay a certificate, trusting nothing in it.

use probity_lang::{Program, Setting};
use probity_prove::certificate::{self, Fault, Proved};
use probity_prove::vacuity::{Vacuity, vacuity};

pub use probity_coq::NotExported;

use crate::error::Error;
use crate::given;
use crate::watch::Watch;

/// What a replay ended with.
#[derive(Debug)]
#[must_use]
pub struct Replay {
    /// The theorem that was proved anew, or why the certificate is rejected.
    pub theorem: Result<Proved, Fault>,
    /// Whether the theorem is about two different inputs.
    pub vacuity: Vacuity,
}

impl Replay {
    /// Whether the certificate proves what it says.
    pub fn is_accepted(&self) -> bool {
        self.theorem.is_ok()
    }
}

/// Replays a certificate. With a program it must be about that program with these settings; without one the theorem says
/// what it is about.
///
/// A replay searches for nothing, so there is nothing that a deadline could end.
pub fn check(
    certificate: &str,
    about: Option<(&Program, &[Setting])>,
    watch: &Watch<'_>,
) -> Result<Replay, Error> {
    let program = match about {
        None => None,
        Some((program, settings)) => Some(given::with_settings(program, settings)?),
    };
    watch.say("replaying the proof");
    let theorem = match program {
        None => certificate::check(certificate),
        Some(program) => certificate::check_for(certificate, &program.mechanism, &program.claim),
    };
    let about = theorem.as_ref().ok().map(|theorem| vacuity(theorem.mechanism()));
    Ok(Replay { theorem, vacuity: about.and_then(Result::ok).unwrap_or(Vacuity::Unknown) })
}

/// The Coq text of a certificate: its theorem and derivation, which `coqc` checks with the development in `proofs/` and nothing of ours. A
/// certificate that the kernel accepts may use a rule that is not exported; the answer then names it.
pub fn coq(certificate: &str) -> Result<String, NotExported> {
    probity_coq::export(certificate)
}
