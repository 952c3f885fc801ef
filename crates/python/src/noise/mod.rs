//! `Noise`: a sampler or a mechanism of the catalogue, with its privacy map.

pub mod functions;
mod law;

use numpy::{IntoPyArray, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use probity_exact::{Integer, Rational};
use probity_noise::accuracy::Level;
use probity_noise::catalogue;
use probity_noise::entropy::with_secure;
use probity_noise::map::{Expression, Guarantee, Point, PrivacyMap, Value};
use probity_noise::measure::Loss;
use probity_noise::sampler::Sampler;
use probity_noise::unit::{Delta, Epsilon, Sensitivity};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyList, PyString, PyTuple};

use crate::argument::Arg;
use crate::arrays::numpy;
use crate::failure::Failure;
use crate::number::{
    Datum, Number, described, each_item, in_python_values, integer, kind, private_error, private_rational,
    to_fraction, to_int, to_upper, to_upper_double,
};
use crate::work;
use law::{Arguments, BLOCK, Law};

/// Exact noise, or a mechanism that answers with it, together with what it costs.
///
/// Made by `discrete_laplace`, `discrete_gaussian`, `randomized_response` and the others; `help(probity_dp)` lists them.
/// The law is exactly the one that is stated, from the operating system's randomness; there is no seed.
///
///     >>> import probity_dp as pb
///     >>> noise = pb.discrete_laplace(scale="7/3")
///     >>> noise
///     discrete_laplace(scale=7/3)
///     >>> noise.sample(5).dtype
///     dtype('int64')
///     >>> noise.epsilon(d_in=2)
///     Upper(6/7, at most 0.8571428571428572)
#[pyclass(frozen, module = "probity_dp")]
pub struct Noise {
    name: &'static str,
    arguments: Arguments,
    law: Law,
    map: Option<PrivacyMap>,
    /// The categories of randomized response, where they are no numbers.
    categories: Option<Py<PyList>>,
}

impl Noise {
    /// The mechanism of this name in the catalogue.
    fn make(name: &'static str, arguments: Arguments) -> Result<Noise, Failure> {
        let entry = catalogue::ENTRIES.iter().find(|entry| entry.name == name);
        let has_map = entry.is_some_and(|entry| entry.has_map);
        // Where floats are clamped does not enter the map.
        let without: &[&str] = if name.ends_with("on-grid") { &["lower", "upper"] } else { &[] };
        let map = match has_map {
            true => Some(catalogue::privacy_map(name, &arguments.for_catalogue(without))?),
            false => None,
        };
        let law = Law::new(name, &arguments)?;
        Ok(Noise { name, arguments, law, map, categories: None })
    }

    fn map(&self) -> Result<&PrivacyMap, Failure> {
        self.map.as_ref().ok_or_else(|| {
            Failure::input(format!("{} is a sampler, which has no privacy map", self.python_name()))
                .hint("mechanisms such as discrete_laplace have one")
        })
    }

    fn python_name(&self) -> String {
        self.name.replace('-', "_")
    }

    fn nothing(&self) -> Failure {
        let hint = match self.name {
            "laplace-on-grid" | "gaussian-on-grid" => {
                "give lower= and upper=, the bounds to which inputs are clamped"
            }
            "exponential" | "noisy-max" => "use .choose(scores)",
            "randomized-response" => "at most 2^20 categories are drawn from",
            _ => "it is for accounting: it has .epsilon and .delta",
        };
        Failure::input(format!("{} draws no samples", self.python_name())).hint(hint)
    }
}

/// A number of values, or a shape.
struct Size {
    count: usize,
    shape: Vec<usize>,
}

impl<'py> FromPyObject<'_, 'py> for Size {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Size> {
        let wrong = || {
            Failure::input(format!("{} is no number of samples", described(&given)))
                .hint("write an int that is not negative, or a tuple of these")
        };
        let shape: Vec<usize> = match given.cast::<PyTuple>() {
            Ok(tuple) => tuple.extract().map_err(|_| wrong())?,
            Err(_) => vec![given.extract::<usize>().map_err(|_| wrong())?],
        };
        let count = shape.iter().try_fold(1usize, |all, length| all.checked_mul(*length));
        let count = count.filter(|count| *count <= isize::MAX as usize / 64).ok_or_else(wrong)?;
        Ok(Size { count, shape })
    }
}

/// So many values, in blocks, between which Ctrl-C is answered.
fn filled<T: Clone + Send>(
    py: Python<'_>,
    count: usize,
    blank: T,
    fill: impl Fn(&mut [T]) -> Result<(), Failure> + Sync,
) -> PyResult<Vec<T>> {
    let mut values: Vec<T> = Vec::new();
    if values.try_reserve_exact(count).is_err() {
        return Err(Failure::input(format!("there is no memory for {count} samples")).into());
    }
    while values.len() < count {
        let start = values.len();
        let block = BLOCK.min(count - start);
        values.resize(start + block, blank.clone());
        work::short(py, || fill(&mut values[start..]))?;
        py.check_signals()?;
    }
    Ok(values)
}

/// An array of this shape.
fn array<'py, T: numpy::Element>(
    py: Python<'py>,
    values: Vec<T>,
    size: &Size,
) -> PyResult<Bound<'py, PyAny>> {
    numpy(py)?;
    let flat = values.into_pyarray(py);
    match size.shape.len() {
        1 => Ok(flat.into_any()),
        _ => Ok(flat.reshape(size.shape.clone())?.into_any()),
    }
}

/// Python ints as an array of objects: they may be of any size.
fn objects<'py>(py: Python<'py>, values: &[Integer], size: &Size) -> PyResult<Bound<'py, PyAny>> {
    let values = values.iter().map(|value| to_int(py, value)).collect::<PyResult<Vec<_>>>()?;
    let keywords = PyDict::new(py);
    keywords.set_item("dtype", "object")?;
    let flat = numpy(py)?.call_method("array", (PyList::new(py, values)?,), Some(&keywords))?;
    flat.call_method1("reshape", (PyTuple::new(py, size.shape.clone())?,))
}

#[pymethods]
impl Noise {
    /// Independent samples: a numpy array of this size (an int, or a tuple as a shape), or one value without it.
    ///
    /// A mechanism answers for the input 0. Integers come as int64, or as Python ints where the scale needs more than 64 bits.
    ///
    ///     >>> import probity_dp as pb
    ///     >>> pb.discrete_laplace(scale=10).sample((2, 3)).shape
    ///     (2, 3)
    ///     >>> pb.bernoulli(prob="1/3").sample(4).dtype
    ///     dtype('bool')
    #[pyo3(signature = (size=None))]
    fn sample<'py>(&self, py: Python<'py>, size: Option<Size>) -> PyResult<Bound<'py, PyAny>> {
        let one = size.is_none();
        let size = size.unwrap_or(Size { count: 1, shape: vec![1] });
        let values = match &self.law {
            Law::Added { word: Some((noise, _)), .. } => {
                array(py, filled(py, size.count, 0i64, |out| noise.fill(out))?, &size)?
            }
            Law::Added { word: None, big } => {
                let zero = Integer::ZERO;
                let fill = |out: &mut [Integer]| -> Result<(), Failure> {
                    for value in out {
                        *value = big.invoke(&zero)?;
                    }
                    Ok(())
                };
                objects(py, &filled(py, size.count, Integer::ZERO, fill)?, &size)?
            }
            Law::Geometric(noise) => array(py, drawn(py, noise, 0i64, &size)?, &size)?,
            Law::Coin(coin) => array(py, drawn(py, coin, false, &size)?, &size)?,
            Law::CoinExp(coin) => array(py, drawn(py, coin, false, &size)?, &size)?,
            Law::Double(uniform) => array(py, drawn(py, uniform, 0.0, &size)?, &size)?,
            Law::Below(uniform) => {
                let values = drawn(py, uniform, Integer::ZERO, &size)?;
                let small: Result<Vec<i64>, _> = values.iter().map(i64::try_from).collect();
                match small {
                    Ok(small) => array(py, small, &size)?,
                    Err(_) => objects(py, &values, &size)?,
                }
            }
            Law::Integers(mechanism) | Law::Response(_, mechanism) => {
                let fill = |out: &mut [i64]| -> Result<(), Failure> {
                    out.copy_from_slice(&mechanism.invoke_vec(out)?);
                    Ok(())
                };
                array(py, filled(py, size.count, 0i64, fill)?, &size)?
            }
            Law::Floats(mechanism) => {
                let fill = |out: &mut [f64]| -> Result<(), Failure> {
                    out.copy_from_slice(&mechanism.invoke_vec(out)?);
                    Ok(())
                };
                array(py, filled(py, size.count, 0f64, fill)?, &size)?
            }
            Law::Choice(..) | Law::Nothing => return Err(self.nothing().into()),
        };
        if one { values.call_method1("item", (0,)) } else { Ok(values) }
    }

    /// Private answers for these inputs: a number, or a numpy array (or a list), each entry with noise of its own.
    ///
    /// Each input pays the map on its own: a person behind k of the inputs pays k times.
    ///
    ///     >>> import probity_dp as pb
    ///     >>> abs(pb.discrete_laplace(scale=2).release(1000) - 1000) < 200
    ///     True
    ///     >>> survey = pb.randomized_response(categories=["yes", "no"], prob="3/4")
    ///     >>> survey.release("yes") in ("yes", "no")
    ///     True
    fn release<'py>(&self, py: Python<'py>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(categories) = &self.categories {
            return self.answer_categories(py, categories.bind(py), value);
        }
        if value.is_instance_of::<PyBool>() && matches!(self.law, Law::Response(..)) {
            let answer = self.release(py, &value.call_method0("__int__")?)?;
            return Ok(PyBool::new(py, answer.extract::<i64>()? != 0).to_owned().into_any());
        }
        let is_scalar = value.getattr("shape").and_then(|shape| shape.len()).map_or_else(
            |_| value.cast::<PyList>().is_err() && value.cast::<PyTuple>().is_err(),
            |dimensions| dimensions == 0,
        );
        match &self.law {
            // Of any size: noise in 64 bits ends at the largest of them, which would tell an input below it from one above.
            Law::Added { big, .. } if is_scalar => {
                let exact = whole(value)?;
                to_int(py, &work::short(py, || Ok(big.invoke(&exact)?))?)
            }
            Law::Integers(mechanism) | Law::Response(_, mechanism) if is_scalar => {
                let input = small(value)?;
                Ok(work::short(py, || Ok(mechanism.invoke(&input)?))?.into_pyobject(py)?.into_any())
            }
            Law::Floats(mechanism) if is_scalar => {
                let input = value.extract::<f64>().map_err(|_| no_float(value))?;
                Ok(work::short(py, || Ok(mechanism.invoke(&input)?))?.into_pyobject(py)?.into_any())
            }
            Law::Added { word: Some((_, mechanism)), .. }
            | Law::Integers(mechanism)
            | Law::Response(_, mechanism) => {
                each(py, value, "int64", |inputs: &[i64]| Ok(mechanism.invoke_vec(inputs)?))
            }
            Law::Added { word: None, big } => {
                let inputs = each_item(value, whole)?;
                let size = Size { count: inputs.len(), shape: vec![inputs.len()] };
                let answers = work::short(py, || Ok(big.invoke_vec(&inputs)?))?;
                objects(py, &answers, &size)
            }
            Law::Floats(mechanism) => {
                each(py, value, "float64", |inputs: &[f64]| Ok(mechanism.invoke_vec(inputs)?))
            }
            _ => Err(self.nothing().into()),
        }
    }

    /// The index of one of these scores: the exponential mechanism, or report noisy max.
    ///
    ///     >>> import probity_dp as pb
    ///     >>> pb.exponential(scale="1/1000").choose([3, 9, "17/2"])
    ///     1
    fn choose(&self, py: Python<'_>, scores: &Bound<'_, PyAny>) -> PyResult<usize> {
        let scores = each_item(scores, private_rational)?;
        match self.law.chooser(scores.len()) {
            Some(chooser) => {
                let chooser = chooser?;
                work::short(py, || Ok(chooser.invoke(&scores)?))
            }
            None => Err(Failure::input(format!("{} chooses nothing", self.python_name()))
                .hint("exponential and noisy_max do; others have .release")
                .into()),
        }
    }

    /// The ε that inputs at most `d_in` apart cost, never less than the truth; with `delta`, the ε of (ε, δ).
    ///
    /// An `Upper` is a `Fraction`, and its float is rounded up.
    ///
    ///     >>> import probity_dp as pb
    ///     >>> float(pb.discrete_laplace(scale=3).epsilon())
    ///     0.33333333333333337
    ///     >>> pb.discrete_gaussian(scale=10).epsilon(delta="1e-6") < 0.4
    ///     True
    #[pyo3(signature = (d_in=None, *, delta=None))]
    fn epsilon<'py>(
        &self,
        py: Python<'py>,
        d_in: Option<Number>,
        delta: Option<Datum>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let d_in = distance(d_in)?;
        let delta = delta.map(|delta| Delta::new(delta.0)).transpose().map_err(Failure::from)?;
        let map = match (&delta, self.name) {
            // Its own conversion is sharper than reading the curve.
            (Some(delta), "gaussian") => {
                let delta = delta.exact().map(|exact| exact.to_string());
                let arguments = self.arguments.clone().with("delta", delta).for_catalogue(&[]);
                work::short(py, || Ok(catalogue::privacy_map("gaussian", &arguments)?))?
            }
            _ => self.map()?.clone(),
        };
        let pure = match map.guarantee() {
            Guarantee::Pure { epsilon } => exact(epsilon, &d_in),
            _ => None,
        };
        if let Some(exact) = pure {
            return to_upper(py, &exact, true);
        }
        let name = self.python_name();
        let found = work::short(py, move || {
            let map = match (map.guarantee(), &delta) {
                (Guarantee::Concentrated { .. }, Some(delta)) => map.to_approximate(delta)?,
                _ => map,
            };
            match (map.loss(&d_in)?, &delta) {
                (Loss::Pure(epsilon), _) | (Loss::Approximate { epsilon, .. }, Some(_)) => {
                    Ok(epsilon.to_f64_up())
                }
                (Loss::Profile(curve), Some(delta)) => Ok(curve.epsilon(delta)?.to_f64_up()),
                (loss, _) => Err(Failure::input(format!("{name} has no pure ε: {loss}"))
                    .hint("give delta=; .rho() answers where the loss is concentrated")),
            }
        })?;
        to_upper_double(py, found)
    }

    /// The ρ of zero-concentrated privacy that inputs at most `d_in` apart cost.
    ///
    ///     >>> import probity_dp as pb
    ///     >>> pb.discrete_gaussian(scale=2).rho(d_in=1)
    ///     Upper(1/8, at most 0.125)
    #[pyo3(signature = (d_in=None))]
    fn rho<'py>(&self, py: Python<'py>, d_in: Option<Number>) -> PyResult<Bound<'py, PyAny>> {
        let d_in = distance(d_in)?;
        let map = self.map()?.clone();
        let map = work::short(py, move || match map.guarantee() {
            Guarantee::Pure { .. } => Ok(map.to_concentrated()?),
            _ => Ok(map),
        })?;
        match map.guarantee() {
            Guarantee::Concentrated { rho } => match exact(rho, &d_in) {
                Some(exact) => to_upper(py, &exact, true),
                None => match map.loss(&d_in).map_err(Failure::from)? {
                    Loss::Concentrated(rho) => to_upper_double(py, rho.to_f64_up()),
                    loss => Err(Failure::input(format!("its loss is no ρ: {loss}")).into()),
                },
            },
            _ => Err(Failure::input(format!("{} has no ρ: {map}", self.python_name())).into()),
        }
    }

    /// The δ that belongs to an ε, for inputs at most `d_in` apart.
    ///
    ///     >>> import probity_dp as pb
    ///     >>> 0.12 < pb.gaussian(scale=1).delta(1) < 0.13
    ///     True
    #[pyo3(signature = (epsilon, d_in=None))]
    fn delta<'py>(
        &self,
        py: Python<'py>,
        epsilon: Datum,
        d_in: Option<Number>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (epsilon, d_in) = (Epsilon::new(epsilon.0).map_err(Failure::from)?, distance(d_in)?);
        let map = self.map()?.clone();
        let found = work::short(py, move || {
            let map =
                if matches!(map.guarantee(), Guarantee::Profile { .. }) { map } else { map.to_profile()? };
            match map.loss(&d_in)? {
                Loss::Profile(curve) => Ok(curve.delta(&epsilon)?.to_f64_up()),
                loss => Err(Failure::input(format!("its loss is no profile: {loss}"))),
            }
        })?;
        to_upper_double(py, found.min(1.0))
    }

    /// The error that holds with probability 1 − `alpha` for each of `count` answers at once: the least such integer.
    ///
    ///     >>> import probity_dp as pb
    ///     >>> pb.discrete_laplace(scale=10).error(alpha="0.05")
    ///     30
    #[pyo3(signature = (alpha=None, count=Arg(1)), text_signature = "($self, alpha=None, count=1)")]
    fn error<'py>(
        &self,
        py: Python<'py>,
        alpha: Option<Number>,
        count: Arg<u64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let alpha = alpha.map_or(Rational::from_parts(1.into(), 20u8.into()), |alpha| alpha.0);
        let level = Level::new(alpha).map_err(Failure::from)?;
        let (name, arguments) = (self.name, self.arguments.for_catalogue(&[]));
        let error = work::short(py, move || Ok(catalogue::error_at(name, &arguments, &level, count.0)?))?;
        to_int(py, &Integer::from(error))
    }

    /// Unbiased estimates of how many respondents belong to each category, from how often each was answered.
    ///
    ///     >>> import probity_dp as pb
    ///     >>> pb.randomized_response(categories=2, prob="3/4").debias([60, 40])
    ///     [Fraction(70, 1), Fraction(30, 1)]
    fn debias<'py>(&self, py: Python<'py>, counts: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let Law::Response(response, _) = &self.law else {
            return Err(Failure::input("only randomized_response has answers to debias").into());
        };
        let count = |item: &Bound<'_, PyAny>| {
            whole(item)
                .ok()
                .and_then(|value| u64::try_from(&value).ok())
                .ok_or_else(|| PyErr::from(Failure::input(format!("{} is no count", described(item)))))
        };
        let counts = each_item(counts, count)?;
        let estimates = response.debias(&counts).map_err(Failure::from)?;
        estimates.iter().map(|estimate| to_fraction(py, estimate)).collect()
    }

    /// The privacy map as an expression in d_in, or None for a sampler without one.
    #[getter]
    fn privacy_map(&self) -> Option<String> {
        self.map.as_ref().map(ToString::to_string)
    }

    /// The parameters, exactly.
    #[getter]
    fn parameters(&self) -> Vec<(String, String)> {
        self.arguments.pairs().iter().map(|(name, text)| (name.replace('-', "_"), text.clone())).collect()
    }

    fn __repr__(&self) -> String {
        let pairs: Vec<String> =
            self.parameters().into_iter().map(|(name, text)| format!("{name}={text}")).collect();
        format!("{}({})", self.python_name(), pairs.join(", "))
    }
}

impl Noise {
    /// Answers in place of categories: by their place in the list. What is none of them is answered by a uniform one.
    fn answer_categories<'py>(
        &self,
        py: Python<'py>,
        categories: &Bound<'py, PyList>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Law::Response(_, mechanism) = &self.law else { return Err(self.nothing().into()) };
        let place = |item: &Bound<'_, PyAny>| categories.index(item).map_or(-1, |place| place as i64);
        // Several answers come in a list or array of any kind. A tuple is one where the categories are tuples.
        let is_one = value.is_instance_of::<PyString>()
            || value.is_instance_of::<PyBytes>()
            || categories.iter().any(|category| category.get_type().is(value.get_type()));
        let many = !is_one && value.len().is_ok();
        if !many {
            let answer = mechanism.invoke(&place(value)).map_err(Failure::from)?;
            return categories.get_item(answer as usize);
        }
        let inputs = each_item(&in_python_values(value), |item| Ok(place(item)))?;
        let answers = work::short(py, || Ok(mechanism.invoke_vec(&inputs)?))?;
        let answers = answers.iter().map(|answer| categories.get_item(*answer as usize));
        Ok(PyList::new(py, answers.collect::<PyResult<Vec<_>>>()?)?.into_any())
    }
}

fn drawn<S: Sampler + Sync>(
    py: Python<'_>,
    sampler: &S,
    blank: S::Value,
    size: &Size,
) -> PyResult<Vec<S::Value>>
where
    S::Value: Send,
{
    filled(py, size.count, blank, |out| Ok(with_secure(|entropy| sampler.fill(out, entropy))?))
}

/// A function of arrays, of the same shape.
fn each<'py, T: numpy::Element + Send + Sync + Copy>(
    py: Python<'py>,
    value: &Bound<'py, PyAny>,
    kind: &str,
    answer: impl Fn(&[T]) -> Result<Vec<T>, Failure> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let numpy = numpy(py)?;
    let no_array = |error| private_error(py, error, format!("{} is no array", crate::number::kind(value)));
    let given = numpy.call_method1("asarray", (value,)).map_err(no_array)?;
    let letter: String = given.getattr("dtype")?.getattr("kind")?.extract()?;
    let fits = match kind {
        "int64" => {
            matches!(letter.as_str(), "i" | "b")
                || (letter == "u" && given.getattr("dtype")?.getattr("itemsize")?.extract::<usize>()? < 8)
        }
        _ => matches!(letter.as_str(), "f" | "i" | "u" | "b"),
    };
    if !fits {
        // By the name alone: the type of texts tells how long the longest is.
        let name = given.getattr("dtype")?.getattr("type")?.getattr("__name__")?;
        return Err(Failure::input(format!("an array of {name} is no array of {kind}"))
            .hint("this mechanism adds noise to such numbers; round or convert first")
            .into());
    }
    let shape: Vec<usize> = given.getattr("shape")?.extract()?;
    let keywords = PyDict::new(py);
    keywords.set_item("dtype", kind)?;
    let flat =
        numpy.call_method("ascontiguousarray", (given.call_method1("reshape", (-1,))?,), Some(&keywords))?;
    let flat: PyReadonlyArray1<'py, T> =
        flat.extract().map_err(|_| Failure::input("the array cannot be read"))?;
    let inputs = flat.as_slice()?;
    let answers = work::short(py, move || answer(inputs))?;
    let answers = answers.into_pyarray(py);
    if answers.shape() == shape { Ok(answers.into_any()) } else { Ok(answers.reshape(shape)?.into_any()) }
}

fn whole(value: &Bound<'_, PyAny>) -> PyResult<Integer> {
    let refused = || Failure::of_type(format!("{} is no integer", kind(value)));
    if value.is_instance_of::<PyBool>() {
        return Err(refused().into());
    }
    integer(&value.call_method0("__index__").map_err(|_| refused())?)
}

fn small(value: &Bound<'_, PyAny>) -> PyResult<i64> {
    let exact = whole(value)?;
    i64::try_from(&exact)
        .map_err(|_| Failure::input(format!("{} does not fit in 64 bits", kind(value))).into())
}

fn no_float(value: &Bound<'_, PyAny>) -> PyErr {
    Failure::of_type(format!("{} is no float", kind(value))).into()
}

fn distance(d_in: Option<Number>) -> Result<Sensitivity, Failure> {
    Ok(match d_in {
        None => Sensitivity::from(1u32),
        Some(d_in) => Sensitivity::new(d_in.0)?,
    })
}

/// The value of an expression where it is rational.
fn exact(expression: &Expression, d_in: &Sensitivity) -> Option<Rational> {
    match expression.evaluate(&Point::at(d_in.value()), 64) {
        Ok(Value::Exact(value)) if value >= Rational::ZERO => Some(value),
        _ => None,
    }
}
