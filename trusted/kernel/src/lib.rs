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
//!
//! A theorem is made by rules and by nothing else. Here of the mechanism that ignores its input, by SKIP; provers write such
//! derivations, and `probity-prove` finds them for texts that people write:
//!
//! ```
//! use std::sync::Arc;
//! use probity_exact::Rational;
//! use probity_kernel::context::{Context, Orientation};
//! use probity_kernel::entail::{Evidence, Product};
//! use probity_kernel::expr::Expr;
//! use probity_kernel::privacy::{Comparison, Side, goal, privacy};
//! use probity_kernel::rules::{Assertion, skip};
//! use probity_kernel::term::{Claim, Input, Mechanism, Param, Reading, Sort};
//!
//! let eps = Expr::var("eps");
//! let mechanism = Mechanism {
//!     name: "constant".into(),
//!     inputs: vec![Input { name: "x".into(), sort: Sort::Real }],
//!     params: vec![Param { name: "eps".into(), sort: Sort::Real }],
//!     assumptions: vec![eps.clone().gt(Expr::int(0))],
//!     body: vec![],
//!     output: Expr::int(7),
//!     adjacency: vec![],
//! };
//! let claim = Claim { epsilon: eps, delta: Expr::int(0), reading: Reading::Reals };
//! // ⊢ skip : Φ ⇒ Ψ, where Ψ says that both runs give the same output at a cost of at most eps.
//! let context = Arc::new(Context::new(&mechanism, Orientation::Forward)?);
//! let judgement = skip(&context, &Assertion::new(&context, goal(&context, &claim, Comparison::Equal))?);
//! // Why Φ holds at the start: eps > 0 (fact 0) and cost > eps (fact 2) contradict cost = 0 (fact 1).
//! let fact = |at| Product { coefficient: Rational::ONE, scale: vec![], facts: vec![at] };
//! let evidence = Evidence::Combination { products: vec![fact(0), fact(2)], equations: vec![(1, Expr::int(1))] };
//! let side = Side { judgement: &judgement, evidence: &evidence };
//! let theorem = privacy(&mechanism, &claim, &[], Comparison::Equal, &[side])?;
//! assert!(theorem.to_string().contains("mechanism constant(x: real)"));
//! # Ok::<(), probity_kernel::rejection::Rejection>(())
//! ```
#![forbid(unsafe_code)]

pub mod context;
pub mod conversion;
pub mod evidence;
pub mod float;
pub mod privacy;
pub mod rejection;
pub mod rules;
pub mod text;

pub(crate) use evidence::memo;
pub use evidence::{entail, fact, lemma, poly};
pub use rules::select::{foresee, redraw, split};
pub use rules::{call, chain, concentrated, equivalence, expand, finite, once, sample, sampling, select};
pub(crate) use rules::{lists, tables};
pub(crate) use text::names;
pub use text::{expr, kind, law, render, term};
