//! The snapping mechanism explained: which draws lead to which outcome, how likely each outcome is for two
//! neighbouring inputs, and by how much the two probabilities differ.
//!
//! This is a view for readers, never a proof: a theorem comes from the kernel alone. [`Snapping`] recognises the
//! mechanism in a term, [`Case`] has the table in symbols, and [`tabulate`] has it in numbers, with enclosures.
//!
//! Everything is about w = f(a) + s·ln(u)/ε with u uniform on (0, 1] and s a fair sign, rounded to the nearest
//! multiple of Λ (ties to the even multiple) and clamped to [−B, B]. b is the largest multiple of Λ below B. Runs are
//! named so that f(a) ≤ f(a').
//!
//! ```
//! use probity_exact::{Rational, fraction};
//! use probity_prove::explain::{Numbers, Verdict, tabulate};
//! let whole = |n: i64| Rational::from(n);
//! let numbers = Numbers {
//!     rate: whole(1),
//!     grid: whole(1),
//!     bound: whole(2),
//!     sensitivity: whole(1),
//!     claim: whole(1),
//!     inputs: (whole(0), whole(1)),
//! };
//! let table = tabulate(&numbers).unwrap();
//! assert_eq!(table.rows.len(), 5); // −2, −1, 0, 1, 2
//! assert!(table.rows.iter().all(|row| row.verdict == Verdict::Within));
//! assert!(table.totals.0.contains(&whole(1)));
//! // A claim that is too small is exceeded.
//! let bold = Numbers { claim: fraction::<9, 10>(), ..numbers };
//! assert!(tabulate(&bold).unwrap().rows.iter().any(|row| row.verdict == Verdict::Exceeds));
//! ```

mod cases;
mod numbers;
mod recognise;
pub(crate) mod words;

pub use cases::{Case, End, Place, Position, Range};
pub use numbers::{
    LogRatio, MAX_EXPONENT, MAX_OUTCOMES, NumberEnd, NumberRange, Numbers, NumbersError, Row, Share, Table,
    Verdict, tabulate,
};
pub use recognise::{NotSnapping, Snapping};
