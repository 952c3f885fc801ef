//! Counts, sums, means, variances, histograms and quantiles of arrays, by the transformations of `probity-noise`.

use numpy::{IntoPyArray, PyReadonlyArray1};
use probity_exact::{Integer, Rational};
use probity_noise::transform::{Column, Histogram, Mean, Neighbours, Quantile, Record, Statistic, Variance};
use probity_noise::unit::Epsilon;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyInt, PyString};

use crate::argument::Arg;
use crate::arrays::numpy;
use crate::failure::Failure;
use crate::number::{
    Number, described, each_item, in_python_values, kind, private_error, private_rational, rational,
    to_exact, to_int, unless_interrupted,
};
use crate::work;

/// A column of numbers: an array that has one type by itself, or records that are read one by one.
///
/// Nobody may look for a type that suits all records: numpy would make floats of integers, or texts of floats, for the sake of a single
/// one, and so one record would change what all others count as.
enum Records<'py> {
    Integers(PyReadonlyArray1<'py, i64>),
    Floats(PyReadonlyArray1<'py, f64>),
    Each(Vec<Record>),
}

impl<'py> Records<'py> {
    fn of(data: &Bound<'py, PyAny>) -> PyResult<Records<'py>> {
        let py = data.py();
        let numpy = numpy(py)?;
        if data.is_instance_of::<PyString>()
            || data.is_instance_of::<PyBytes>()
            || data.is_instance_of::<PyDict>()
        {
            return Err(Failure::of_type(no_numbers(data)).into());
        }
        one_dimension(data)?;
        let Some(array) = typed(&numpy, data)? else {
            return Ok(Records::Each(each_item(&in_python_values(data), record)?));
        };
        let contiguous = |name: &str| {
            let keywords = PyDict::new(py);
            keywords.set_item("dtype", name)?;
            numpy.call_method("ascontiguousarray", (&array,), Some(&keywords))
        };
        let letter: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
        let is_wide = array.getattr("dtype")?.getattr("itemsize")?.extract::<usize>()? >= 8;
        let refused = |_| Failure::input(no_numbers(data));
        Ok(match letter.as_str() {
            "i" | "b" => Records::Integers(contiguous("int64")?.extract().map_err(refused)?),
            // Those of 64 bits may not fit.
            "u" if !is_wide => Records::Integers(contiguous("int64")?.extract().map_err(refused)?),
            "f" => Records::Floats(contiguous("float64")?.extract().map_err(refused)?),
            _ => Records::Each(each_item(&array, record)?),
        })
    }
}

/// The array of something that has a type of numpy by itself: an array without a mask, or a series.
fn typed<'py>(numpy: &Bound<'py, PyModule>, data: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let is_typed = data.getattr("dtype").is_ok_and(|dtype| {
        numpy.getattr("dtype").is_ok_and(|class| dtype.is_instance(&class).unwrap_or(false))
    });
    if !is_typed || data.hasattr("mask").is_ok_and(|masked| masked && data.hasattr("filled").unwrap_or(false))
    {
        return Ok(None);
    }
    let unreadable = |error: PyErr| private_error(data.py(), error, no_numbers(data));
    numpy.call_method1("asarray", (data,)).map(Some).map_err(unreadable)
}

/// One number. What is missing is a NaN, as in an array of floats, and what is infinite is that.
fn record(item: &Bound<'_, PyAny>) -> PyResult<Record> {
    if item.is_none() {
        return Ok(Record::Double(f64::NAN));
    }
    if let Ok(double) = item.cast::<PyFloat>() {
        return Ok(Record::Double(double.value()));
    }
    let py = item.py();
    if let Some(integer) = unless_interrupted(py, item.extract::<i64>())? {
        return Ok(Record::Integer(integer));
    }
    let is_called =
        |names: [&str; 2]| item.get_type().name().is_ok_and(|name| names.iter().any(|known| name == *known));
    // Those of pandas.
    if is_called(["NAType", "NaTType"]) {
        return Ok(Record::Double(f64::NAN));
    }
    // Those of numpy.
    if is_called(["bool", "bool_"]) {
        return Ok(Record::Integer(item.is_truthy()?.into()));
    }
    if !item.is_instance_of::<PyString>() && item.len().is_ok() {
        return Err(several(format!("the data have 2 dimensions: a record is {}", kind(item))).into());
    }
    let refused = match private_rational(item) {
        Ok(number) => return Ok(Record::Exact(number)),
        Err(refused) => refused,
    };
    // Other libraries have floats too, and a Decimal may be none. (A complex number is no float, and would only warn that it becomes one.)
    if refused.is_instance_of::<PyException>(py) && item.hasattr("as_integer_ratio")? {
        match unless_interrupted(py, item.extract::<f64>())? {
            Some(double) if !double.is_finite() => return Ok(Record::Double(double)),
            _ => {}
        }
    }
    Err(refused)
}

/// A record is one number: where it is a row of several, one would be charged for all.
fn one_dimension(data: &Bound<'_, PyAny>) -> PyResult<()> {
    let Some(dimensions) = data.getattr("shape").ok().and_then(|shape| shape.len().ok()) else {
        return Ok(());
    };
    if dimensions == 1 {
        return Ok(());
    }
    Err(several(format!("{} has {dimensions} dimensions", kind(data))).into())
}

fn several(message: String) -> Failure {
    Failure::input(message).hint("give one column: an array or list of one number a record")
}

fn no_numbers(data: &Bound<'_, PyAny>) -> String {
    format!("{} is no array of numbers", kind(data))
}

/// Something to be done with records of any type.
macro_rules! with_records {
    ($py:expr, $records:expr, $slice:ident => $answer:expr) => {
        match &$records {
            Records::Integers(array) => {
                let $slice = array.as_slice()?;
                work::short($py, || Ok($answer))
            }
            Records::Floats(array) => {
                let $slice = array.as_slice()?;
                work::short($py, || Ok($answer))
            }
            Records::Each($slice) => {
                let $slice = &$slice[..];
                work::short($py, || Ok($answer))
            }
        }
    };
}

fn neighbours(name: &Arg<String>) -> Result<Neighbours, Failure> {
    match name.0.as_str() {
        "add-remove" => Ok(Neighbours::AddRemove),
        "replace" => Ok(Neighbours::Replace),
        name => Err(Failure::input(format!("'{name}' are no neighbours: write add-remove or replace"))),
    }
}

/// The step comes from what is public alone: one that the records chose would tell of them.
fn column(bounds: Arg<(Number, Number)>, step: Option<Number>) -> Result<Column, Failure> {
    let (lower, upper) = (bounds.0.0.0, bounds.0.1.0);
    Ok(match step {
        Some(step) => Column::new(step.0, lower, upper)?,
        None => Column::between(lower, upper)?,
    })
}

fn loss(epsilon: Number) -> Result<Epsilon, Failure> {
    Ok(Epsilon::new(epsilon.0)?)
}

fn double(record: &Record) -> f64 {
    match record {
        Record::Integer(value) => *value as f64,
        Record::Double(value) => *value,
        Record::Exact(value) => nearest(value),
    }
}

fn nearest(value: &Rational) -> f64 {
    value.to_f64().value()
}

/// How many records, with noise. ε is what adding or removing one record costs.
///
///     >>> import probity_dp as pb
///     >>> abs(pb.count([1, 2, 3], epsilon=1) - 3) < 100
///     True
#[pyfunction]
pub fn count<'py>(py: Python<'py>, data: &Bound<'py, PyAny>, epsilon: Number) -> PyResult<Bound<'py, PyAny>> {
    let length = data.len().map_err(|_| Failure::of_type(format!("{} has no length", kind(data))))?;
    let release = Statistic::count(Neighbours::AddRemove).laplace(&loss(epsilon)?).map_err(Failure::from)?;
    let answer = work::short(py, move || Ok(release.answer((0..length).map(|_| 0i64))?))?;
    to_exact(py, &answer)
}

/// The sum of numbers, each clamped to `bounds` and rounded to `step`, with noise. An int or a Fraction, exactly.
///
/// Without `step`, numbers are rounded to a millionth of the bounds' width or finer, integers to themselves; with step=1 the sum is an int.
/// A missing value (NaN, a null) counts as the lower bound.
///
///     >>> import probity_dp as pb
///     >>> abs(pb.sum([20, 30, 40], bounds=(0, 100), epsilon=1) - 90) < 5000
///     True
#[pyfunction]
#[pyo3(signature = (data, bounds, epsilon, *, step=None, neighbours=Arg::from("add-remove")), text_signature = "(data, bounds, epsilon, *, step=None, neighbours='add-remove')")]
pub fn sum<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    bounds: Arg<(Number, Number)>,
    epsilon: Number,
    step: Option<Number>,
    neighbours: Arg<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let records = Records::of(data)?;
    let column = column(bounds, step)?;
    let release =
        column.sum(self::neighbours(&neighbours)?).laplace(&loss(epsilon)?).map_err(Failure::from)?;
    let answer = with_records!(py, records, records => release.answer(records)?)?;
    to_exact(py, &answer)
}

/// The mean of numbers, each clamped to `bounds`: a noisy sum over a noisy count, which share ε. Within the bounds.
///
/// With neighbours="replace" the number of records is public, and all of ε is for the sum.
///
///     >>> import probity_dp as pb
///     >>> 0 <= pb.mean([20.5, 30, 40], bounds=(0, 100), epsilon=1) <= 100
///     True
#[pyfunction]
#[pyo3(signature = (data, bounds, epsilon, *, step=None, neighbours=Arg::from("add-remove")), text_signature = "(data, bounds, epsilon, *, step=None, neighbours='add-remove')")]
pub fn mean(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    bounds: Arg<(Number, Number)>,
    epsilon: Number,
    step: Option<Number>,
    neighbours: Arg<String>,
) -> PyResult<f64> {
    let records = Records::of(data)?;
    let column = column(bounds, step)?;
    let mean = Mean::new(&column, self::neighbours(&neighbours)?, &loss(epsilon)?).map_err(Failure::from)?;
    let answer = with_records!(py, records, records => mean.answer(records)?)?;
    Ok(nearest(&answer))
}

/// The variance of numbers, each clamped to `bounds`: from a noisy sum, sum of squares and count, which share ε.
///
///     >>> import probity_dp as pb
///     >>> 0 <= pb.variance([20.5, 30, 40], bounds=(0, 100), epsilon=1) <= 2500
///     True
#[pyfunction]
#[pyo3(signature = (data, bounds, epsilon, *, step=None, neighbours=Arg::from("add-remove")), text_signature = "(data, bounds, epsilon, *, step=None, neighbours='add-remove')")]
pub fn variance(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    bounds: Arg<(Number, Number)>,
    epsilon: Number,
    step: Option<Number>,
    neighbours: Arg<String>,
) -> PyResult<f64> {
    let records = Records::of(data)?;
    let column = column(bounds, step)?;
    let variance =
        Variance::new(&column, self::neighbours(&neighbours)?, &loss(epsilon)?).map_err(Failure::from)?;
    let answer = with_records!(py, records, records => variance.answer(records)?)?;
    Ok(nearest(&answer))
}

/// One of some `candidates` that is near the quantile `q` (0 to 1; "1/2" is the median), chosen by report noisy max.
///
///     >>> import probity_dp as pb
///     >>> pb.quantile(range(1000), "1/2", candidates=range(0, 1000, 100), epsilon=10)
///     500
#[pyfunction]
#[pyo3(signature = (data, q, candidates, epsilon, *, neighbours=Arg::from("add-remove")), text_signature = "(data, q, candidates, epsilon, *, neighbours='add-remove')")]
pub fn quantile<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    q: Number,
    candidates: &Bound<'py, PyAny>,
    epsilon: Number,
    neighbours: Arg<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let records = Records::of(data)?;
    let candidates = each_item(candidates, rational)?;
    let (Some(lower), Some(upper)) = (candidates.iter().min().cloned(), candidates.iter().max().cloned())
    else {
        return Err(Failure::input("there is no candidate").into());
    };
    let share = (u32::try_from(q.0.numerator()), u32::try_from(q.0.denominator()));
    let (Ok(a), Ok(b)) = share else {
        return Err(Failure::input(format!("the quantile {} is no small fraction from 0 to 1", q.0))
            .hint("write it as \"9/10\": a float is the exact double")
            .into());
    };
    let common = candidates.iter().fold(Rational::ONE, |step, candidate| {
        // The largest step that divides both.
        let scaled = candidate / &step;
        step / Rational::from(scaled.denominator().clone())
    });
    let column = Column::new(common, lower, upper).map_err(Failure::from)?;
    let quantile =
        Quantile::new(&column, (a, b), &candidates, self::neighbours(&neighbours)?, &loss(epsilon)?)
            .map_err(Failure::from)?;
    let answer = with_records!(py, records, records => quantile.answer(records)?)?;
    to_exact(py, &answer)
}

/// Noisy counts of public categories, or of public bins between rising edges (the last one closed), as numpy integers.
///
/// A record of no category counts nowhere.
///
///     >>> import probity_dp as pb
///     >>> pb.histogram(["a", "b", "a", "z"], categories=["a", "b", "c"], epsilon=1).shape
///     (3,)
///     >>> pb.histogram([0.5, 1.5, 2], bins=[0, 1, 2], epsilon=1).dtype
///     dtype('int64')
#[pyfunction]
#[pyo3(signature = (data, *, epsilon, categories=None, bins=None, neighbours=Arg::from("add-remove")), text_signature = "(data, *, epsilon, categories=None, bins=None, neighbours='add-remove')")]
pub fn histogram<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    epsilon: Number,
    categories: Option<&Bound<'py, PyAny>>,
    bins: Option<&Bound<'py, PyAny>>,
    neighbours: Arg<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let (places, count) = match (categories, bins) {
        (Some(categories), None) => by_category(py, data, categories)?,
        (None, Some(bins)) => by_bin(py, data, bins)?,
        _ => return Err(Failure::input("give categories= or bins=, one of them").into()),
    };
    let (neighbours, epsilon) = (self::neighbours(&neighbours)?, loss(epsilon)?);
    let counts = work::short(py, move || {
        let histogram = Histogram::new((0..count as i64).collect(), neighbours, &epsilon)?;
        Ok(histogram.answer(places)?)
    })?;
    let small: Result<Vec<i64>, _> = counts.iter().map(|(_, count)| i64::try_from(count)).collect();
    match small {
        Ok(small) => {
            numpy(py)?;
            Ok(small.into_pyarray(py).into_any())
        }
        Err(_) => {
            let all = counts.iter().map(|(_, count): &(i64, Integer)| to_int(py, count));
            numpy(py)?.call_method1("array", (all.collect::<PyResult<Vec<_>>>()?,))
        }
    }
}

/// The place of each record's category; −1 for none.
fn by_category(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    categories: &Bound<'_, PyAny>,
) -> PyResult<(Vec<i64>, usize)> {
    let index = PyDict::new(py);
    let mut count = 0usize;
    let no_list = |_| Failure::of_type(format!("{} is no list of categories", described(categories)));
    for category in categories.try_iter().map_err(no_list)? {
        let category = category?;
        if category.hash().is_err() {
            return Err(Failure::of_type(format!("{} is no category", described(&category))).into());
        }
        if index.contains(&category)? {
            return Err(
                Failure::input(format!("the category {} is there twice", described(&category))).into()
            );
        }
        index.set_item(category, count)?;
        count += 1;
    }
    one_dimension(data)?;
    let records = in_python_values(data);
    let mut places = Vec::new();
    let unreadable = |_| Failure::of_type(format!("{} is no list of values", kind(data)));
    for record in records.try_iter().map_err(unreadable)? {
        let found = index.get_item(record?).ok().flatten();
        places.push(found.map_or(Ok(-1), |place| place.cast_into::<PyInt>()?.extract())?);
        if places.len() % (1 << 16) == 0 {
            py.check_signals()?;
        }
    }
    Ok((places, count))
}

/// The bin of each record; −1 for none.
fn by_bin(py: Python<'_>, data: &Bound<'_, PyAny>, bins: &Bound<'_, PyAny>) -> PyResult<(Vec<i64>, usize)> {
    let numpy = numpy(py)?;
    let keywords = PyDict::new(py);
    keywords.set_item("dtype", "float64")?;
    let read = |values: &Bound<'_, PyAny>| -> PyResult<Vec<f64>> {
        let array = numpy
            .call_method("asarray", (values,), Some(&keywords))
            .map_err(|error| private_error(py, error, no_numbers(values)))?;
        // What is no list of edges has none.
        Ok(array.call_method0("tolist")?.extract().unwrap_or_default())
    };
    let edges = read(bins)?;
    if edges.len() < 2
        || edges.iter().any(|edge| !edge.is_finite())
        || edges.windows(2).any(|pair| pair[0] >= pair[1])
    {
        return Err(
            Failure::input("bins are at least two finite edges, each more than the one before").into()
        );
    }
    let records = Records::of(data)?;
    let last = edges.len() - 1;
    let place = |value: f64| match edges.partition_point(|edge| *edge <= value) {
        0 => -1,
        // NaN is in no bin: nothing is at most it.
        after if after <= last => after as i64 - 1,
        _ if value == edges[last] => last as i64 - 1,
        _ => -1,
    };
    let places = match &records {
        Records::Integers(array) => array.as_slice()?.iter().map(|value| place(*value as f64)).collect(),
        Records::Floats(array) => array.as_slice()?.iter().map(|value| place(*value)).collect(),
        Records::Each(records) => records.iter().map(|record| place(double(record))).collect(),
    };
    Ok((places, last))
}
