//! When a formula follows from others: facts, contradictions between them, and lemmas about functions.

pub mod entail;
pub mod fact;
pub mod lemma;
pub(crate) mod memo;
pub mod poly;
