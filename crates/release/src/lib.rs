//! Private answers from real tables, each with its theorem, from a budget that cannot be overspent.
//!
//! [`policy`] says what may be asked, [`query`] reads SQL against it, [`prepare`] makes a mechanism's text of it with a loss, [`proof`] has
//! the kernel prove that text, an [`engine`] computes the exact aggregates, [`release`] draws the noise and stores debit and answer in the
//! [`ledger`], and [`answer`] shows what was stored. Untrusted: it may refuse, and the theorem that it shows is the kernel's.
//!
//! It decides nothing about privacy, and reads no command line.

#![forbid(unsafe_code)]

mod accuracy;
pub mod answer;
pub mod certificate;
pub mod decimal;
pub mod engine;
mod hash;
pub mod ledger;
pub mod loss;
mod mechanism;
pub mod policy;
pub mod prepare;
pub mod proof;
pub mod query;
pub mod refusal;
pub mod release;
mod split;
