//! Counterexamples to a claim. Events are suggested by paths and by samples, which decide nothing, and decided here; no
//! other room asks for suggestions.

pub(crate) mod concentrated;
pub(crate) mod entries;
pub(crate) mod few_path_events;
pub(crate) mod floats;
pub(crate) mod likeness;
pub(crate) mod pair_loss;
pub(crate) mod path_events;
pub(crate) mod refutation;
pub(crate) mod related_events;
pub(crate) mod sample_events;
pub(crate) mod sampling;
pub(crate) mod search;
pub(crate) mod shapes;
pub(crate) mod supports;
