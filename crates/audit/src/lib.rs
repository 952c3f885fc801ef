//! What a mechanism really loses: exact output laws, the losses they show, counterexamples.
//!
//! An audit looks at concrete inputs. What it finds is a lower bound of the loss, and it is never a
//! theorem. It knows what a mechanism is (`probity_kernel::term`) but none of the kernel's rules, so that it can
//! catch their bugs.
//!
//! - [`output_law`], [`float_law`], [`real_law`], [`integrated_law`]: the law of the output on one input;
//! - [`PairReport`]: what two laws show, outcome by outcome, and the hockey-stick curve;
//! - [`search_worst_pair`], [`all_pairs`]: the inputs that lose most;
//! - [`event_probability`], [`enclosed_probability`]: the probability of a set of outputs over the reals;
//! - [`search_refutation`], [`check_refutation`]: counterexamples to a claim;
//! - [`search_shown_loss`]: what two inputs show where the output is continuous;
//! - [`reachability`], [`outcome_mass`]: which outputs give the input away.
//!
//! ```
//! use probity_audit::{Effort, Given, Inputs, PairReport, Parameters, float_law};
//! use probity_exact::{Format, rational};
//! // Snapping with ε = 1 and B = 100 loses a little more than 1 in binary64.
//! let program = probity_lang::load_text(
//!     "mechanism snapping(x: real)
//!      param eps > 0
//!      param B > 0
//!      let grid = pow2_at_least(1 / eps)
//!      u ~ uniform(0, 1)
//!      s ~ sign()
//!      w = x + s * ln(u) / eps
//!      return clamp(round_to(w, grid), -B, B)
//!      neighbours abs(x' - x) <= 1
//!      claim eps",
//! )
//! .unwrap();
//! let number = |n: i64| rational(n, 1).unwrap();
//! let parameters: Parameters = [("eps".into(), number(1)), ("B".into(), number(100))].into();
//! let law = |x: i64| {
//!     let inputs: Inputs = [("x".into(), Given::Number(number(x)))].into();
//!     float_law(&program.mechanism, &parameters, &inputs, Format::BINARY64, Effort::default()).unwrap()
//! };
//! let report = PairReport::new(&law(0), &law(1));
//! assert_eq!(report.outcomes_of_first(), 201);
//! let excess = report.excess(&number(1)).unwrap();
//! assert_eq!(format!("{:.3e}", excess.to_f64()), "1.915e-15");
//! ```

#![forbid(unsafe_code)]

mod aim;
mod boxes;
mod candidates;
mod compare;
mod confidence;
mod constants;
mod cube;
mod curve;
mod discrete;
mod draws;
mod error;
mod event;
mod exhaustive;
mod floats;
mod forest;
mod gaussian;
mod guess;
mod guided;
mod integral;
mod law;
mod linear;
mod logarithm;
mod machine;
mod neighbours;
mod normal;
mod outcome;
mod paths;
mod piecewise;
mod polytope;
mod program;
mod quantile;
mod ranges;
mod reach;
mod real_law;
mod reals;
mod refute;
mod refute_float;
mod sampling;
mod search;
mod search_state;
mod shown;
mod smooth;
mod split;
mod tables;
mod telling;

pub use boxes::enclosed_probability;
pub use compare::{Bounds, OutcomeLoss, PairReport, Side, Worst, dilation};
pub use confidence::clopper_pearson;
pub use error::AuditError;
pub use event::{Condition, Event};
pub use exhaustive::{AllPairs, all_pairs};
pub use floats::Logarithm;
pub use law::{Law, Mass};
pub use logarithm::{LogarithmCost, logarithm_cost};
pub use neighbours::{admits, admits_parameters, distance, neighbours, parameter_value};
pub use outcome::{Given, Inputs, Outcome, Parameters, read_rows};
pub use paths::{Depth, event_probability};
pub use reach::{Reachability, outcome_mass, reachability};
pub use real_law::{integrated_law, output_law, real_law};
pub use refute::{Evidence, Refutation, Verdict, check_refutation, claimed, search_refutation};
pub use refute_float::search_float_refutation;
pub use search::{SearchTask, search_worst_pair};
pub use search_state::{FoundPair, SearchState};
pub use shown::{Shown, search_shown_loss};
pub use split::{Effort, binary64_law, float_law};
