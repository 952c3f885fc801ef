//! `verify`: what is known of a claim. An upper bound from the prover or the float certificate, a lower bound from the
//! audit, side by side.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use probity_audit::{
    Closest, Deadline, Parameters, Refutation, Tried, Verdict as Finding, search_refutation_until,
};
use probity_float::certified::{Certified, certify};
use probity_kernel::float::{FloatTheorem, Implementation, threshold};
use probity_kernel::privacy::Theorem;
use probity_kernel::term::{Claim, Mechanism, Reading};
use probity_lang::{Program, Setting};
use probity_prove::outline::{Line, outline};
use probity_prove::vacuity::{Vacuity, vacuity};
use probity_prove::{Proof, certificate as proof_file};

use crate::called::in_words;
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
    /// Where no proof was found, what may help: values for which a condition is false, a proof block to fill in.
    pub help: Vec<String>,
    /// Whether the claim is about anything.
    pub vacuity: Vacuity,
    /// A counterexample to the claim.
    pub refutation: Option<Box<Refutation>>,
    /// What the audit looked at, and how near to the claim it came.
    pub audited: Audited,
    /// The certificate of the binary64 implementation, where all parameters are set and the mechanism has the form.
    pub certificate: Option<Box<Certified>>,
    /// How long it took.
    pub seconds: f64,
}

/// What an audit looked at without finding a counterexample.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Audited {
    /// How much was looked at.
    pub tried: Tried,
    /// The largest share of the claimed ε that was seen; more than 1 with a counterexample, `None` if nothing was seen.
    pub share: Option<f64>,
    /// The pair that showed it, where the claim stands.
    pub closest: Option<Box<Closest>>,
    /// A draw that some inputs lead to with parameters for which its law means nothing.
    pub out_of_range: Option<String>,
    /// Whether no run ended, whatever the inputs: the claim then holds because there is never an answer.
    pub never_ends: bool,
    /// How it ended.
    pub end: End,
}

/// How an audit ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum End {
    /// It has not.
    #[default]
    Running,
    /// It looked at all that it looks at.
    Done,
    /// It was stopped: the deadline passed, or somebody said so.
    Stopped,
    /// It does not cover this mechanism, for this reason.
    NotCovered(String),
}

/// Looks at the claim of a program from both sides: for a proof, and for a counterexample.
///
/// Parameters that have no setting stay symbols: the proof is then for all their values, and the audit chooses some.
pub fn verify(program: &Program, settings: &[Setting], watch: &Watch<'_>) -> Result<Verdict, Error> {
    verify_in_parts(program, settings, watch, &mut |_| {})
}

/// How long an audit that found a counterexample waits for the reason why there is no proof.
const PATIENCE: Duration = Duration::from_millis(1500);

/// How long an audit that is called off takes to notice it, on a quiet machine.
const LAST_STEPS: Duration = Duration::from_millis(60);

/// The stack of the prover's thread: terms may be deep.
const STACK: usize = 256 << 20;

/// The same, and tells what is known as soon as one side is: the proof, or why there is none, while the audit goes on; or the
/// audit's part, while the prover goes on.
///
/// Both sides work at the same time. Once there is a proof, the audit does its usual rounds and no more, for as long as the watch
/// lets it; without one it goes on while there is time.
pub fn verify_in_parts(
    program: &Program,
    settings: &[Setting],
    watch: &Watch<'_>,
    tell: &mut dyn FnMut(&Verdict),
) -> Result<Verdict, Error> {
    let start = Instant::now();
    watch.say("looking for a proof and for a counterexample");
    // The audit wants the parameters by name; the prover wants them substituted.
    let parameters = given::parameters(program, settings)?;
    let substituted = given::with_settings(program, settings)?;
    let proved = Arc::new(AtomicBool::new(false));
    let (send, parts) = channel::<Part>();
    {
        let (program, deadline) = (substituted.clone(), watch.deadline());
        let (proved, send) = (proved.clone(), send.clone());
        spawn("prover", move || {
            let above = above(&program, deadline);
            proved.store(above.upper.is_ok(), Ordering::Relaxed);
            // Nobody listens any more if a counterexample was found long ago.
            let _ = send.send(Part::Above(above));
        })?;
    }
    let (claim, mechanism) = (program.claim.clone(), program.mechanism.clone());
    let enough = Arc::new(AtomicBool::new(false));
    let usual = watch.until_then().or_when(enough.clone());
    let further = usual.clone().or_when(proved);
    spawn("auditor", move || {
        let _ = send.send(Part::Below(below(&mechanism, &claim, &parameters, (&usual, &further))));
    })?;
    let mut verdict = Verdict {
        program: substituted,
        upper: Err("the search for a proof has not ended".to_owned()),
        help: vec![],
        vacuity: Vacuity::Unknown,
        refutation: None,
        audited: Audited::default(),
        certificate: None,
        seconds: 0.0,
    };
    let (mut has_upper, mut has_lower, mut found) = (false, false, None::<Instant>);
    let mut no_longer = None::<Instant>;
    while !(has_upper && has_lower) {
        match parts.recv_timeout(TICK) {
            Ok(Part::Above(Above { upper, help, vacuity, certificate })) => {
                (verdict.upper, verdict.vacuity, verdict.certificate) = (upper, vacuity, certificate);
                verdict.help = help;
                has_upper = true;
                let time = watch.audit_beside_a_proof().filter(|_| verdict.upper.is_ok());
                no_longer = time.map(|time| (start + time).max(Instant::now() + LAST_STEPS));
            }
            Ok(Part::Below((refutation, audited))) => {
                found = refutation.is_some().then(Instant::now);
                (verdict.refutation, verdict.audited) = (refutation, audited);
                has_lower = true;
            }
            // Each side looks at the deadline, but a single step of it may be long: then it is left to itself.
            Err(RecvTimeoutError::Timeout) => {
                let late = watch.is_late() || no_longer.is_some_and(|end| Instant::now() >= end + LAST_STEPS);
                if no_longer.is_some_and(|end| Instant::now() >= end) {
                    enough.store(true, Ordering::Relaxed);
                }
                if !has_upper && (late || found.is_some_and(|at| at.elapsed() > PATIENCE)) {
                    let why = match (found, watch.is_stopped()) {
                        (Some(_), _) => "a counterexample was found first",
                        (None, true) => "the search was stopped",
                        (None, false) => {
                            "the deadline passed during the search; allow more time, or give some parameters values"
                        }
                    };
                    (verdict.upper, has_upper) = (Err(why.to_owned()), true);
                } else if !has_lower && late {
                    (verdict.audited.end, has_lower) = (End::Stopped, true);
                } else {
                    continue;
                }
            }
            // A thread ended without an answer.
            Err(RecvTimeoutError::Disconnected) => {
                const FAULT: &str = "it ended by a fault of ours; please report it";
                if !std::mem::replace(&mut has_upper, true) {
                    verdict.upper = Err(format!("the search for a proof: {FAULT}"));
                }
                if !std::mem::replace(&mut has_lower, true) {
                    verdict.audited.end = End::NotCovered(FAULT.to_owned());
                }
            }
        }
        verdict.seconds = start.elapsed().as_secs_f64();
        if !(has_upper && has_lower) {
            tell(&verdict);
        }
    }
    Ok(verdict)
}

/// One side of the question, on a thread of its own that nobody has to wait for.
fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    let started = thread::Builder::new().name(name.into()).stack_size(STACK).spawn(work);
    started.map(drop).map_err(|error| {
        Error::new(format!("cannot start a thread: {error}"))
            .with_hint("free some memory, or allow more threads")
    })
}

/// What one of the two sides found.
enum Part {
    Above(Above),
    Below((Option<Box<Refutation>>, Audited)),
}

/// How often each side is asked whether it is done.
const TICK: Duration = Duration::from_millis(2);

/// What the prover's thread finds.
struct Above {
    upper: Result<Upper, String>,
    help: Vec<String>,
    vacuity: Vacuity,
    certificate: Option<Box<Certified>>,
}

fn above(program: &Program, deadline: Option<Instant>) -> Above {
    let mut help = vec![];
    let (upper, reading) = match program.claim.reading {
        Reading::Reals | Reading::Rho | Reading::Mu => {
            (derive(program, deadline, &mut help), Reading::BINARY64)
        }
        format => (in_floats(program), format),
    };
    let vacuity = vacuity(&program.mechanism).unwrap_or(Vacuity::Unknown);
    Above { upper, help, vacuity, certificate: certificate(program, reading) }
}

/// What the audit finds.
fn below(
    mechanism: &Mechanism,
    claim: &Claim,
    parameters: &Parameters,
    (usual, further): (&Deadline, &Deadline),
) -> (Option<Box<Refutation>>, Audited) {
    match search_refutation_until(mechanism, claim, parameters, usual, further) {
        Ok(Finding::Refuted(refutation)) => {
            let claimed = refutation.epsilon.to_f64();
            // Of a claim of 0, or of less than that, any loss is more than every multiple.
            let share = if claimed > 0.0 { refutation.loss / claimed } else { f64::INFINITY };
            (Some(refutation), Audited { share: Some(share), end: End::Done, ..Audited::default() })
        }
        Ok(Finding::NotRefuted { tried, largest_share, closest, out_of_range, never_ends, finished }) => {
            // The audit's shares are of an ε: they say nothing of a claim in ρ or μ that stands.
            let comparable = !matches!(claim.reading, Reading::Rho | Reading::Mu);
            let audited = Audited {
                tried,
                share: largest_share.filter(|_| comparable),
                closest,
                out_of_range: out_of_range.map(|error| in_words(&error.to_string(), mechanism)),
                never_ends,
                end: if finished { End::Done } else { End::Stopped },
            };
            (None, audited)
        }
        // Not being able to look shows nothing.
        Err(error) => (None, Audited { end: End::NotCovered(error.to_string()), ..Audited::default() }),
    }
}

impl Verdict {
    /// What became of the claim.
    pub fn status(&self) -> Status {
        let is_vacuous = matches!(self.vacuity, Vacuity::Vacuous(_));
        match (&self.upper, &self.refutation) {
            (Ok(_), Some(_)) => Status::BoundsCross,
            // A proof shows every draw to be in range, so none can be out of it.
            (Ok(Upper::Derived(_)), None) if self.audited.out_of_range.is_some() => Status::BoundsCross,
            (Err(_), Some(_)) => Status::Refuted,
            _ if is_vacuous => Status::Vacuous,
            (Ok(_), None) => Status::Proved,
            (Err(_), None) => Status::Open,
        }
    }

    /// Whether the claim may be about nothing: no two different neighbours were found, neither by looking for them nor by the audit.
    pub fn may_be_vacuous(&self) -> bool {
        let seen = self.refutation.is_some()
            || self.audited.tried.pairs > 0
            || self.audited.share.is_some_and(|share| share > 0.0);
        self.vacuity == Vacuity::Unknown && !seen
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

    /// The proof as a file that [`check`](crate::check()) accepts; none of a claim about nothing.
    pub fn to_certificate(&self) -> Option<String> {
        if matches!(self.vacuity, Vacuity::Vacuous(_)) {
            return None;
        }
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

fn derive(program: &Program, deadline: Option<Instant>, help: &mut Vec<String>) -> Result<Upper, String> {
    let hints = program.hints.clone().unwrap_or_default();
    let proof = probity_prove::prove_until(&program.mechanism, &program.claim, &hints, deadline);
    proof.map(|proof| Upper::Derived(Box::new(proof))).map_err(|failure| {
        help.extend(failure.help.iter().map(|line| in_words(line, &program.mechanism)));
        in_words(&failure.to_string(), &program.mechanism)
    })
}

/// The claim about a format, as it stands.
fn in_floats(program: &Program) -> Result<Upper, String> {
    let theorem = threshold(&program.mechanism, &program.claim, Implementation::default());
    theorem.map(|theorem| Upper::Certified(Box::new(theorem))).map_err(|rejection| rejection.to_string())
}

/// What there is to say of the implementation, whatever is claimed.
fn certificate(program: &Program, reading: Reading) -> Option<Box<Certified>> {
    let theorem = certify(&program.mechanism, reading, Implementation::default()).ok()?;
    Certified::of(theorem).map(Box::new)
}
