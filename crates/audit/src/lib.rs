//! What a mechanism really loses: exact output laws, the losses they show, counterexamples.
//!
//! An audit looks at concrete inputs. What it finds is a lower bound of the loss, and it is never a
//! theorem. It knows what a mechanism is (`probity_kernel::term`) but none of the kernel's rules, so that it can
//! catch their bugs.

#![forbid(unsafe_code)]

mod compare;
mod error;
mod floats;
mod forest;
mod law;
mod outcome;
mod piecewise;
mod program;
mod ranges;
mod split;

pub use compare::{Bounds, OutcomeLoss, PairReport, Side, Worst, dilation};
pub use error::AuditError;
pub use floats::Logarithm;
pub use law::{Law, Mass};
pub use outcome::{Given, Inputs, Outcome, Parameters};
pub use split::{Effort, binary64_law, float_law};
