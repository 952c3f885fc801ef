//! What a mechanism really loses: exact output laws, the losses they show, counterexamples.
//!
//! An audit looks at concrete inputs. What it finds is a lower bound of the loss, and it is never a
//! theorem. It knows what a mechanism is (`probity_kernel::term`) but none of the kernel's rules, so that it can
//! catch their bugs.

#![forbid(unsafe_code)]

mod aim;
mod candidates;
mod compare;
mod confidence;
mod constants;
mod discrete;
mod error;
mod event;
mod floats;
mod forest;
mod law;
mod machine;
mod neighbours;
mod outcome;
mod paths;
mod piecewise;
mod program;
mod ranges;
mod reach;
mod reals;
mod refute;
mod refute_float;
mod search;
mod split;

pub use compare::{Bounds, OutcomeLoss, PairReport, Side, Worst, dilation};
pub use confidence::clopper_pearson;
pub use error::AuditError;
pub use event::{Condition, Event};
pub use floats::Logarithm;
pub use law::{Law, Mass};
pub use neighbours::{admits, admits_parameters, neighbours, parameter_value};
pub use outcome::{Given, Inputs, Outcome, Parameters};
pub use paths::{Depth, event_probability, real_law};
pub use reach::{Reachability, outcome_mass, reachability};
pub use refute::{Evidence, Refutation, Verdict, check_refutation, claimed, search_refutation};
pub use refute_float::search_float_refutation;
pub use search::{FoundPair, SearchState, SearchTask, all_pairs, search_worst_pair};
pub use split::{Effort, binary64_law, float_law};
