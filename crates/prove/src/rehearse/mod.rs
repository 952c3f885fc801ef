//! Rehearsals: two coupled runs with concrete numbers, before anything is proved.
//!
//! A plan whose couplings let the outputs differ, or cost too much, nearly always shows it on a few random inputs,
//! in microseconds. So plans are rehearsed, and only those that never failed are handed to the search for evidence.
//! What holds of every state that a rehearsal passed through is also what invariants are made of. Floating point is
//! good enough here: a wrong answer loses a plan or some time, and nothing else.

mod play;
mod scenario;
mod state;

pub(crate) use play::Stage;
pub(crate) use scenario::{Scenario, changed_lists, collect_spans, scenarios};
pub(crate) use state::{Pair, Stop};
