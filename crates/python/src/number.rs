//! Exact numbers in and out: `int`, `Fraction`, `Decimal`, `str`; a float is the exact double, and where that is not the
//! number that it prints as, a warning says so.

use probity_exact::directed::cast_up;
use probity_exact::{Integer, Natural, Rational, Signed, UnsignedAbs, parse_rational, rational_from_f64};
use pyo3::exceptions::{PyException, PyUserWarning};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString, PyType};

use crate::failure::Failure;

/// Integers of more bits than this are an accident or an attack.
const MOST_BITS: usize = 400_000;

/// A number that becomes part of a guarantee: a float that is not what it prints as is warned about.
pub struct Number(pub Rational);

impl<'py> FromPyObject<'_, 'py> for Number {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Number> {
        let value = rational(&given)?;
        if let Some(shown) = float_text(&given) {
            if parse_rational(&shown).is_ok_and(|written| written != value) {
                let message = format!(
                    "the float {shown} is taken as the exact double, which is not {shown}; write \"{shown}\" or a Fraction for the number itself"
                );
                warn(given.py(), &message)?;
            }
        }
        Ok(Number(value))
    }
}

/// What a float prints as, of Python or of numpy; `None` for numbers that are what they are written as.
fn float_text(given: &Bound<'_, PyAny>) -> Option<String> {
    if let Ok(double) = given.cast::<PyFloat>() {
        // Python's own words: 1e-300, not three hundred zeros.
        return PyFloat::new(given.py(), double.value()).repr().ok().map(|text| text.to_string());
    }
    // numpy's floats of other sizes have a ratio of integers, but no numerator, which its integers and a Fraction have.
    let is_float = given.hasattr("as_integer_ratio").unwrap_or(false)
        && !given.hasattr("numerator").unwrap_or(true)
        && given.get_type().name().is_ok_and(|name| name != "Decimal");
    if is_float { given.str().ok().map(|text| text.to_string()) } else { None }
}

/// A number that is data, or a question: a float is the exact double, and nothing need be said.
pub struct Datum(pub Rational);

impl<'py> FromPyObject<'_, 'py> for Datum {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Datum> {
        rational(&given).map(Datum)
    }
}

fn warn(py: Python<'_>, message: &str) -> PyResult<()> {
    let category = match class(py, "InexactFloat") {
        Ok(category) => category,
        Err(_) => py.get_type::<PyUserWarning>(),
    };
    let message = std::ffi::CString::new(message)?;
    PyErr::warn(py, &category, &message, 1)
}

/// A class of the package's own Python part.
pub fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyType>> {
    Ok(py.import("probity_dp._values")?.getattr(name)?.cast_into::<PyType>()?)
}

/// What a Python object is, in a few words, for messages.
pub fn described(given: &Bound<'_, PyAny>) -> String {
    let name = given.get_type().name().map_or("object".to_owned(), |name| name.to_string());
    match given.repr() {
        Ok(text) => {
            let text = text.to_string();
            match text.char_indices().nth(60) {
                Some((at, _)) => format!("{}… of type {name}", &text[..at]),
                None => format!("{text} of type {name}"),
            }
        }
        Err(_) => format!("an object of type {name}"),
    }
}

/// What kind of a Python object it is: what can be said of one that is private.
pub fn kind(given: &Bound<'_, PyAny>) -> String {
    given.get_type().name().map_or("an object".to_owned(), |name| format!("an object of type {name}"))
}

/// The error of something private: what went wrong with it may quote it, and is not repeated. An interrupt stays one.
pub fn private_error(py: Python<'_>, error: PyErr, message: String) -> PyErr {
    if error.is_instance_of::<PyException>(py) { Failure::input(message).into() } else { error }
}

/// The name of an exception's class, which is all that may be said where its text may quote what is private.
pub fn error_name(py: Python<'_>, error: &PyErr) -> String {
    error.get_type(py).name().map_or("an error".to_owned(), |name| name.to_string())
}

/// The exact value of a number that is private.
pub fn private_rational(given: &Bound<'_, PyAny>) -> PyResult<Rational> {
    rational(given).map_err(|error| private_error(given.py(), error, format!("{} is no number", kind(given))))
}

/// The same with Python's own values, where a column of PyArrow has scalars of its library and an array those of numpy.
pub fn in_python_values<'py>(given: &Bound<'py, PyAny>) -> Bound<'py, PyAny> {
    let listed = given.call_method0("to_pylist").or_else(|_| given.call_method0("tolist"));
    listed.unwrap_or_else(|_| given.clone())
}

/// Something of each item, which an interrupt can stop.
pub fn each_item<T>(
    items: &Bound<'_, PyAny>,
    read: impl Fn(&Bound<'_, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    let unreadable =
        |error| private_error(items.py(), error, format!("{} is no list of values", kind(items)));
    let mut found = Vec::new();
    for item in items.try_iter().map_err(unreadable)? {
        found.push(read(&item.map_err(unreadable)?)?);
        if found.len() % (1 << 14) == 0 {
            items.py().check_signals()?;
        }
    }
    Ok(found)
}

fn no_number(given: &Bound<'_, PyAny>) -> PyErr {
    let message = format!("{} is no number", described(given));
    // A text, or a float that is none, is of the right type.
    let is_typed = given.is_instance_of::<PyString>() || given.is_instance_of::<PyFloat>();
    let failure = if is_typed { Failure::input(message) } else { Failure::of_type(message) };
    failure
        .hint("write an int, a Fraction, a Decimal, a str as \"7/3\" or \"1e-5\", or a finite float")
        .into()
}

/// The exact value of a Python number.
pub fn rational(given: &Bound<'_, PyAny>) -> PyResult<Rational> {
    if given.is_instance_of::<PyBool>() {
        return Err(no_number(given));
    }
    if let Ok(text) = given.cast::<PyString>() {
        let text = text.to_cow().map_err(|_| no_number(given))?;
        return parse_rational(&text).map_err(|error| Failure::input(error).into());
    }
    if let Ok(double) = given.cast::<PyFloat>() {
        return rational_from_f64(double.value()).ok_or_else(|| no_number(given));
    }
    if given.is_instance_of::<PyInt>() {
        return integer(given).map(Rational::from);
    }
    if given.get_type().name().is_ok_and(|name| name == "Decimal") {
        // By its text: `as_integer_ratio` would expand any exponent.
        // (`to_string` would ask Python again, and swallow an interrupt there.)
        let text = given.str()?;
        let text = text.to_cow().map_err(|_| no_number(given))?;
        return parse_rational(&text).map_err(|_| no_number(given));
    }
    let py = given.py();
    let numerator = unless_interrupted(py, given.getattr("numerator"))?;
    let denominator = unless_interrupted(py, given.getattr("denominator"))?;
    let parts = match numerator.zip(denominator) {
        Some(parts) => Some(parts),
        None => {
            unless_interrupted(py, given.call_method0("as_integer_ratio").and_then(|pair| pair.extract()))?
        }
    };
    let whole = |part: Bound<'_, PyAny>| {
        unless_interrupted(py, part.call_method0("__index__").and_then(|part| integer(&part)))
    };
    let Some((numerator, denominator)) = parts else { return Err(no_number(given)) };
    match whole(numerator)?.zip(whole(denominator)?) {
        Some((numerator, denominator)) if denominator != Integer::ZERO => {
            Ok(Rational::from_parts_signed(numerator, denominator))
        }
        _ => Err(no_number(given)),
    }
}

/// What was found, or nothing for an error; an interrupt, which comes while any code of Python runs, stays one.
pub fn unless_interrupted<T>(py: Python<'_>, found: PyResult<T>) -> PyResult<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.is_instance_of::<PyException>(py) => Ok(None),
        Err(interrupt) => Err(interrupt),
    }
}

/// The value of a Python `int`.
pub fn integer(given: &Bound<'_, PyAny>) -> PyResult<Integer> {
    if let Ok(small) = given.extract::<i64>() {
        return Ok(Integer::from(small));
    }
    let bits: usize = given.call_method0("bit_length")?.extract()?;
    if bits > MOST_BITS {
        return Err(Failure::input(format!("an integer of {bits} bits is too large")).into());
    }
    // In base 16: Python refuses long decimals.
    let text: String = given.call_method1("__format__", ("x",))?.extract()?;
    Integer::from_str_radix(&text, 16).map_err(|_| no_number(given))
}

/// A Python `int`.
pub fn to_int<'py>(py: Python<'py>, value: &Integer) -> PyResult<Bound<'py, PyAny>> {
    if let Ok(small) = i64::try_from(value) {
        return Ok(small.into_pyobject(py)?.into_any());
    }
    let digits = format!("{}{:x}", if value.is_negative() { "-" } else { "" }, value.clone().unsigned_abs());
    py.get_type::<PyInt>().call1((digits, 16))
}

/// A Python `Fraction`.
pub fn to_fraction<'py>(py: Python<'py>, value: &Rational) -> PyResult<Bound<'py, PyAny>> {
    static FRACTION: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = FRACTION.import(py, "fractions", "Fraction")?;
    let denominator: Natural = value.denominator().clone();
    class.call1((to_int(py, value.numerator())?, to_int(py, &Integer::from(denominator))?))
}

/// An `int` where the number is whole, a `Fraction` otherwise.
pub fn to_exact<'py>(py: Python<'py>, value: &Rational) -> PyResult<Bound<'py, PyAny>> {
    if value.is_int() { to_int(py, value.numerator()) } else { to_fraction(py, value) }
}

/// An upper bound: a `Fraction` whose float is rounded up. `is_exact` says whether it is the loss itself.
pub fn to_upper<'py>(py: Python<'py>, value: &Rational, is_exact: bool) -> PyResult<Bound<'py, PyAny>> {
    let values = py.import("probity_dp._values")?;
    values.call_method1("upper", (to_fraction(py, value)?, is_exact, cast_up(value)))
}

/// An upper bound that is a double, perhaps an infinite one.
pub fn to_upper_double(py: Python<'_>, value: f64) -> PyResult<Bound<'_, PyAny>> {
    match rational_from_f64(value) {
        Some(exact) => to_upper(py, &exact, false),
        None => Ok(value.into_pyobject(py)?.into_any()),
    }
}
