//! What a mechanism is, what is claimed of it, and what counts as a proof.
//!
//! All that a sceptic must read, together with `probity-exact`. It depends on nothing else of Probity, calls no
//! solver and does no floating-point arithmetic.
//!
//! | room | what is in it |
//! |---|---|
//! | [`text`] | expressions, mechanisms and laws, their kinds, when a law means something, how they print |
//! | [`evidence`] | formulas as facts, why facts contradict each other, the lemmas that may be cited |
//! | [`rules`] | one function for each rule of docs/logic.md |
//! | [`float`] | rounding errors and the threshold theorem |
//! | here | what is fixed for both runs ([`context`]), from judgements to theorems ([`privacy`], [`conversion`]), refusals ([`rejection`]) |
#![forbid(unsafe_code)]

pub mod context;
pub mod conversion;
pub mod evidence;
pub mod float;
pub mod privacy;
pub mod rejection;
pub mod rules;
pub mod text;

pub use evidence::{entail, fact, lemma, poly};
pub use rules::{call, chain, concentrated, equivalence, expand, finite, sample, sampling, select};
pub(crate) use rules::{lists, tables};
pub use text::{expr, kind, law, render, term};
