//! Whole numbers in any arithmetic, and what becomes of a run that stopped.

use std::cmp::Ordering;

use probity_exact::{Integer, Rational};

use crate::error::AuditError;
use crate::run::program::Stop;

/// The i64 that a number is.
pub(crate) fn integer(x: Option<&Rational>) -> Result<i64, Stop> {
    let whole = x.filter(|x| x.is_int()).and_then(|x| {
        let magnitude = i64::try_from(x.numerator()).ok()?;
        Some(magnitude)
    });
    whole.ok_or_else(|| {
        AuditError::WrongKind { place: "an index or a loop bound".into(), expected: "an integer" }.into()
    })
}

/// The nearest integer, ties to the even one.
pub(crate) fn round_half_even(x: &Rational) -> Integer {
    let floor = x.floor();
    let twice_rest = (x - Rational::from(floor.clone())) * Rational::from(2);
    match twice_rest.cmp(&Rational::ONE) {
        Ordering::Less => floor,
        Ordering::Greater => floor + Integer::ONE,
        Ordering::Equal if (&floor & Integer::ONE) == Integer::ZERO => floor,
        Ordering::Equal => floor + Integer::ONE,
    }
}

/// Why nothing can be said after a run that did not end.
pub(crate) fn stop_error(stop: Stop) -> AuditError {
    match stop {
        Stop::Error(error) => *error,
        _ => AuditError::Unsupported { what: "a choice that is not known yet" },
    }
}
