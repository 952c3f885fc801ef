//! Verdicts about mechanisms: whether a claim of privacy holds, why, and what is lost if it does not.
//!
//! A text is verified in five lines:
//!
//! ```
//! use probity_verdict::prelude::*;
//! let text = "mechanism count(n: int)\nparam eps > 0\ny ~ laplace(n, 1 / eps)\nreturn y\nneighbours abs(n' - n) <= 1\nclaim eps";
//! let program = load_text(text).expect("it is well formed");
//! let verdict = verify(&program, &[], &Watch::default()).expect("no parameter is set that it does not have");
//! assert_eq!(verdict.status(), Status::Proved, "{:?}", verdict.upper);
//! println!("{}", verdict.theorem().expect("it is proved over the reals"));
//! ```
//!
//! Each question is a function that takes a program and settings and returns data; the command prints it, and nothing is
//! decided anywhere else.
//!
//! - [`verify()`]: a proof of the claim, a counterexample, or neither: a [`Verdict`];
//! - [`certify()`]: the privacy of the implementation in floating point: a [`Certification`];
//! - [`audit()`], [`audit_worst`], [`audit_all`]: what two inputs really show, and the worst two: an [`Audit`], a [`Worst`];
//! - [`check()`]: the replay of a certificate, which trusts nothing in it: a [`Replay`]; [`coq()`]: its theorem and proof, for Coq;
//! - [`explain()`]: the derivation, and all cases of snapping: an [`Explanation`];
//! - [`report()`]: all of it as one page: a [`Report`](report::Report).
//!
//! An [`Error`] means that the question makes no sense (a name that the mechanism does not have, a value that it does not
//! admit). A claim that does not hold is an answer. A [`Watch`] says who is told about the work and when it must end.
//!
//! ```
//! use probity_verdict::prelude::*;
//! let program = load_text(
//!     "mechanism half(x: real)\nparam eps > 0\ny ~ laplace(x, 1 / (2 * eps))\nreturn y\n\
//!      neighbours abs(x' - x) <= 1\nclaim eps",
//! )
//! .unwrap();
//! // Half of the noise that it needs: refuted, and here is who can be told apart.
//! let verdict = verify(&program, &["eps=1".parse().unwrap()], &Watch::default()).unwrap();
//! assert_eq!(verdict.status(), Status::Refuted);
//! let found = verdict.refutation.unwrap();
//! assert!(found.loss > 1.9 && found.first_probability.low > found.second_probability.high);
//! // Two inputs in exact numbers, over the reals or as the program runs in binary64.
//! let inputs = ["0", "1"].map(|text| parse_inputs(&program.mechanism, text).unwrap());
//! let settings = AuditSettings::new(vec!["eps=1".parse().unwrap()], inputs);
//! let Audit::Event(event) = audit(&program, &settings, &Watch::default()).unwrap() else { panic!() };
//! assert!((event.found.loss - 2.0).abs() < 1e-6);
//! ```

#![forbid(unsafe_code)]

mod audit;
mod called;
mod certify;
mod check;
pub mod counterexample;
pub mod decimal;
mod error;
mod explain;
mod given;
mod guarantee;
pub mod report;
mod verify;
mod watch;
mod worst;

pub use audit::{Audit, AuditSettings, Comparison, EventAudit, audit, is_concentrated, reading_of};
pub use certify::{Certification, CertifySettings, Found, certify};
pub use check::{NotExported, Replay, check, coq};
pub use error::{Error, Kind};
pub use explain::{Explanation, explain};
pub use given::{Ranges, format_of, inputs_text, meant, parse_inputs, parse_reading, with_settings};
pub use guarantee::{Amount, Asked, Guarantee, Neighbours, guarantee};
pub use report::{ReportSettings, report};
pub use verify::{Audited, End, Status, Upper, Verdict, couplings, verify, verify_in_parts};
pub use watch::{Step, Watch};
pub use worst::{Worst, WorstSettings, audit_all, audit_worst};

// The data that answers are made of; no function that decides is among them.
pub use probity_audit::{
    Bounds, Closest, Condition, Event, EventLoss, Evidence, FoundPair, Given, Inputs, LogarithmCost, Outcome,
    PairReport, Parameters, Reachability, Refutation, Relation, Renyi, SearchState, Side, Tried,
};
pub use probity_float::certified::Certified;
pub use probity_kernel::float::{FloatTheorem, Rejection, Uniform};
pub use probity_kernel::privacy::Theorem;
pub use probity_kernel::term::Reading;
pub use probity_lang::{Program, Setting, load_text};
pub use probity_prove::Proof;
pub use probity_prove::certificate::{Fault, Proved};
pub use probity_prove::outline::{Line, outline};
pub use probity_prove::vacuity::Vacuity;

/// The snapping mechanism's cases, in symbols and in numbers: what an [`Explanation`] shows of them.
pub mod snapping {
    pub use probity_prove::explain::{
        Case, End, LogRatio, NotSnapping, NumberEnd, NumberRange, Range, Row, Share, Snapping, Table, Verdict,
    };
}

/// All that is needed to ask about a text.
pub mod prelude {
    pub use crate::{
        Audit, AuditSettings, CertifySettings, Error, Found, ReportSettings, Setting, Status, Verdict, Watch,
        audit, certify, check, explain, load_text, parse_inputs, parse_reading, report, verify,
    };
}
