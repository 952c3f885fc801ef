//! Finds derivations. Untrusted: may miss a proof, cannot forge one.
//!
//! [`prove`] searches; [`certificate::write`] makes a file of what it found and [`certificate::check`] replays
//! such a file; [`outline::outline`] shows a proof step by step.
//!
//! ```
//! use probity_prove::{certificate, outline::outline, prove};
//! let program = probity_lang::load_text(
//!     "mechanism sum(q: real[])
//!      param eps > 0
//!      total = 0
//!      for i in 0..length(q) {
//!        total = total + q[i]
//!      }
//!      y ~ laplace(total, 1 / eps)
//!      return y
//!      neighbours one entry of q differs by at most 1
//!      claim eps",
//! )
//! .unwrap();
//! let proof = prove(&program.mechanism, &program.claim, &program.hints.clone().unwrap_or_default()).unwrap();
//! assert!(outline(&proof).iter().any(|line| line.rule.starts_with("couple")));
//! // Whoever gets the file trusts neither this crate nor us: the kernel makes the theorem again.
//! let file = certificate::write(&proof);
//! assert!(certificate::check_for(&file, &program.mechanism, &program.claim).is_ok());
//! ```

#![forbid(unsafe_code)]

mod algebra;
mod attempt;
mod blame;
pub mod certificate;
mod conversion;
pub mod derivation;
mod effort;
mod evidence;
pub mod explain;
mod failure;
mod foresee;
mod forward;
mod lists;
mod neighbours;
pub mod outline;
mod plan;
mod proof;
mod rehearse;
mod searching;
mod side;
mod skeleton;
mod tables;

pub use evidence::{linear::simplex, search};
pub use neighbours::{one_row, vacuity};
pub use proof::{Proof, prove, prove_until};
