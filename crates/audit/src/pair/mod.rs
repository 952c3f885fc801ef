//! Which inputs a mechanism admits, which of them are neighbours, and which pairs are worth a look.

mod beside;
pub(crate) mod candidates;
mod fields;
pub(crate) mod mutate;
pub(crate) mod named;
pub(crate) mod neighbours;
pub(crate) mod settings;
pub(crate) mod tables;

use probity_exact::Rational;

/// n/d, for numbers that stand in a table.
pub(crate) fn ratio((n, d): (i64, i64)) -> Rational {
    Rational::from(n) / Rational::from(d)
}
