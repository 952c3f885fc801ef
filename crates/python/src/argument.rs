//! Arguments of plain types. One of another type is an error of the family that is a `TypeError` too, and says what is wanted.

use std::path::PathBuf;

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyString};

use crate::failure::Failure;
use crate::number::{Number, class, described};

/// An argument as it is taken. It is public: the error of one that is not says what was given.
pub struct Arg<T>(pub T);

/// A type of arguments.
pub trait Wanted {
    /// What it is called in errors, behind "is no".
    const NAME: &'static str;
}

macro_rules! wanted {
    ($($kind:ty: $name:literal),* $(,)?) => {
        $(impl Wanted for $kind {
            const NAME: &'static str = $name;
        })*
    };
}

wanted!(
    bool: "truth value (True or False)",
    i32: "int of 32 bits",
    u32: "int from 0 to 2^32 - 1",
    u64: "int from 0 to 2^64 - 1",
    usize: "int from 0 to 2^64 - 1",
    f64: "float",
    String: "str of Unicode characters",
    PathBuf: "path",
    (Number, Number): "pair of numbers, as (0, 1)",
    Bound<'_, PyMapping>: "dict",
);

impl<'py> Wanted for (Bound<'py, PyAny>, Bound<'py, PyAny>) {
    const NAME: &'static str = "pair";
}

impl From<&str> for Arg<String> {
    fn from(text: &str) -> Arg<String> {
        Arg(text.to_owned())
    }
}

impl<'a, 'py, T: FromPyObject<'a, 'py> + Wanted> FromPyObject<'a, 'py> for Arg<T> {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Arg<T>> {
        T::extract(given).map(Arg).map_err(|error| {
            let (py, error): (_, PyErr) = (given.py(), error.into());
            let is_ours = class(py, "ProbityError").is_ok_and(|family| error.is_instance(py, &family));
            let is_large = error.is_instance_of::<PyOverflowError>(py);
            let is_typed =
                error.is_instance_of::<PyTypeError>(py) || error.is_instance_of::<PyValueError>(py);
            // A warning that is an error stays what it is, and so does an interrupt.
            if is_ours || !(is_large || is_typed) {
                return error;
            }
            let message = format!("{} is no {}", described(&given), T::NAME);
            // An int that is too large, or negative, is of the right type.
            if is_large { Failure::input(message).into() } else { Failure::of_type(message).into() }
        })
    }
}

/// A key of a dict of arguments or tables.
pub fn name(given: &Bound<'_, PyAny>) -> PyResult<String> {
    match given.cast::<PyString>() {
        Ok(text) => Ok(text.extract::<Arg<String>>()?.0),
        Err(_) => Err(Failure::of_type(format!("{} is no name", described(given))).into()),
    }
}

/// A pair of Python objects.
pub type Item<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// The keys and values of a dict, or of another mapping; none if there is none.
pub fn items<'py>(given: Option<Arg<Bound<'py, PyMapping>>>) -> PyResult<Vec<Item<'py>>> {
    match given {
        Some(Arg(mapping)) => mapping.items()?.iter().map(|item| item.extract()).collect(),
        None => Ok(Vec::new()),
    }
}
