//! Runs proved mechanisms: the text that was proved is the text that runs, with exactly the law of its theorem.
//!
//! The theorem is about real numbers, so a run computes with real numbers: a continuous draw is a *lazy real*, a function
//! of a uniform real whose bits are revealed as they are needed. Sums, products, minima, rounding keep lazy reals exact,
//! and a comparison reveals bits until it is decided. `docs/run.md` is the manual.
//!
//! ```
//! use probity_noise::entropy::SecureEntropy;
//! use probity_run::Proved;
//! let text = "mechanism above(q: real[])
//!     param eps > 0
//!     out = []
//!     rho ~ laplace(100, 2 / eps)
//!     count = 0
//!     for i in 0..length(q) {
//!       if count < 1 {
//!         nu ~ laplace(q[i], 4 / eps)
//!         append(out, nu >= rho)
//!         if nu >= rho {
//!           count = count + 1
//!         }
//!       }
//!     }
//!     return out
//!     neighbours every entry of q differs by at most 1
//!     claim eps";
//! let mut entropy = SecureEntropy::new()?;
//! let proved = Proved::load(text)?.with(&["eps=1/2".parse()?])?;
//! let answer = proved.run(&"q=[98, 103, 97, 140]".parse()?, &mut entropy)?;
//! println!("{answer}, epsilon = {}", proved.loss(1).epsilon.unwrap());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Threads: a [`Proved`] can be shared, and each thread prepares a [`Session`] of its own.

#![forbid(unsafe_code)]

#[cfg(any(test, feature = "tape"))]
mod bits;
mod error;
mod formula;
mod input;
mod lazy;
mod logarithms;
mod loss;
mod program;
mod proved;
mod rows;
mod sample;
mod table;
mod tableless;
mod value;
mod words;
mod written_sum;

pub use error::RunError;
pub use input::{Given, InputError, Inputs};
pub use loss::{Amount, Loss};
pub use probity_lang::{Setting, SettingError};
pub use proved::{Proved, Session, Text, Unproved};
pub use rows::Rows;
pub use table::{Cell, Table};
pub use value::{Exact, Value};
pub use words::{Words, WordsError};
