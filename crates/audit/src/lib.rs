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
//! - [`search_event_loss`]: what two inputs show where the output is continuous;
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

mod case;
mod cells;
mod compare;
mod cube;
mod deadline;
mod error;
mod float;
mod integrate;
mod output;
mod pair;
mod reading;
mod real;
mod refute;
mod run;
mod worst;

pub use case::Case;
pub use cells::{Cells, event_laws};
pub use compare::confidence::clopper_pearson;
pub use compare::pair_report::{OutcomeLoss, PairReport, Side, Worst, dilation};
pub use compare::renyi::{RENYI_ORDERS, Renyi};
pub use cube::boxes::enclosed_probability;
pub use deadline::Deadline;
pub use error::AuditError;
pub use float::arithmetic::Logarithm;
pub use float::logarithm::{LogarithmCost, logarithm_cost};
pub use float::reach::{Reachability, outcome_mass, reachability};
pub use float::split::{Effort, binary64_law, float_law};
pub use output::bounds::Bounds;
pub use output::event::{Condition, Event, Relation};
pub use output::law::{Law, Mass};
pub use output::outcome::{Given, Inputs, Outcome, Parameters, read_rows};
pub use pair::neighbours::{admits, admits_parameters, distance, neighbours, parameter_value};
pub use pair::settings::parameters as search_parameters;
pub use reading::output_law;
pub use real::law::{integrated_law, real_law};
pub use real::paths::{Depth, event_probability};
pub use refute::concentrated::event_rho;
pub use refute::floats::search_float_refutation;
pub use refute::pair_loss::{EventLoss, search_event_loss, search_event_loss_of};
pub use refute::refutation::{Closest, Evidence, Refutation, Tried, Verdict, check_refutation, claimed};
pub use refute::search::{search_refutation, search_refutation_until};
pub use worst::exhaustive::{AllPairs, all_pairs};
pub use worst::search::{SearchTask, search_worst_pair};
pub use worst::state::{FoundPair, SearchState};
