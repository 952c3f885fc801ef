//! The mechanisms of the catalogue as functions, and the inverse question.

use probity_noise::catalogue;
use probity_noise::measure::Loss;
use probity_noise::unit::{Delta, Epsilon, Rho};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyList};

use super::law::Arguments;
use super::{Noise, distance, small};
use crate::argument::{self, Arg};
use crate::failure::Failure;
use crate::number::{Number, described};
use crate::work;

fn text(number: Number) -> String {
    number.0.to_string()
}

fn make(py: Python<'_>, name: &'static str, arguments: Arguments) -> PyResult<Noise> {
    work::short(py, move || Noise::make(name, arguments))
}

/// Integer Laplace noise: P(z) ∝ e^(−|z|/scale). ε = d_in/scale.
///
///     >>> import probity_dp as pb
///     >>> pb.discrete_laplace(scale="7/3").epsilon(d_in=7)
///     Upper(3, at most 3.0)
#[pyfunction]
pub fn discrete_laplace(py: Python<'_>, scale: Number) -> PyResult<Noise> {
    make(py, "discrete-laplace", Arguments::default().with("scale", Some(text(scale))))
}

fn gaussian_scale(scale: Option<Number>, squared_scale: Option<Number>) -> Result<Arguments, Failure> {
    match (scale, squared_scale) {
        (Some(scale), None) => Ok(Arguments::default().with("scale", Some(text(scale)))),
        (None, Some(squared)) => Ok(Arguments::default().with("squared-scale", Some(text(squared)))),
        _ => Err(Failure::input("give scale= or squared_scale=, one of them")),
    }
}

/// Integer Gaussian noise: P(z) ∝ e^(−z²/2σ²), σ = scale. ρ = d_in²/(2σ²).
///
///     >>> import probity_dp as pb
///     >>> pb.discrete_gaussian(squared_scale=50).rho(d_in=1)
///     Upper(1/100, at most 0.01)
#[pyfunction]
#[pyo3(signature = (scale=None, *, squared_scale=None))]
pub fn discrete_gaussian(
    py: Python<'_>,
    scale: Option<Number>,
    squared_scale: Option<Number>,
) -> PyResult<Noise> {
    make(py, "discrete-gaussian", gaussian_scale(scale, squared_scale)?)
}

/// Continuous Gaussian noise, for accounting only: its exact profile δ(ε).
///
///     >>> import probity_dp as pb
///     >>> pb.gaussian(scale=10).epsilon(delta="1e-6") < 0.4
///     True
#[pyfunction]
#[pyo3(signature = (scale=None, *, squared_scale=None))]
pub fn gaussian(py: Python<'_>, scale: Option<Number>, squared_scale: Option<Number>) -> PyResult<Noise> {
    make(py, "gaussian", gaussian_scale(scale, squared_scale)?)
}

/// A category: the truth with probability `prob`, else one of the others, uniformly. `categories` is their number, or a list
/// of them; with a number the categories are 0, 1, …, and with 2 also False and True.
///
///     >>> import probity_dp as pb
///     >>> survey = pb.randomized_response(categories=["yes", "no", "never"], prob="1/2")
///     >>> float(survey.epsilon())
///     0.6931471805599454
///     >>> len(survey.release(["yes", "no", "no"]))
///     3
#[pyfunction]
pub fn randomized_response(py: Python<'_>, categories: &Bound<'_, PyAny>, prob: Number) -> PyResult<Noise> {
    let (count, names) = match categories.is_instance_of::<PyInt>() && !categories.is_instance_of::<PyBool>()
    {
        true => (small(categories)?, None),
        false => {
            let wrong = |_| Failure::of_type(format!("{} are no categories", described(categories)));
            let names = categories.try_iter().map_err(wrong)?.collect::<PyResult<Vec<_>>>()?;
            let list = PyList::new(py, &names)?;
            for (place, name) in names.iter().enumerate() {
                if list.index(name)? != place {
                    return Err(
                        Failure::input(format!("the category {} is there twice", described(name))).into()
                    );
                }
            }
            (names.len() as i64, Some(list.unbind()))
        }
    };
    let arguments =
        Arguments::default().with("categories", Some(count.to_string())).with("prob", Some(text(prob)));
    let noise = make(py, "randomized-response", arguments)?;
    Ok(Noise { categories: names, ..noise })
}

/// Integer Laplace noise, clamped to lower … upper.
///
///     >>> import probity_dp as pb
///     >>> 0 <= pb.truncated_geometric(scale=2, lower=0, upper=3).release(2) <= 3
///     True
#[pyfunction]
pub fn truncated_geometric(py: Python<'_>, scale: Number, lower: Number, upper: Number) -> PyResult<Noise> {
    make(py, "truncated-geometric", bounded(scale, lower, upper))
}

/// Integer Laplace noise, conditioned to stay in lower … upper.
#[pyfunction]
pub fn renormalised_geometric(
    py: Python<'_>,
    scale: Number,
    lower: Number,
    upper: Number,
) -> PyResult<Noise> {
    make(py, "renormalised-geometric", bounded(scale, lower, upper))
}

fn bounded(scale: Number, lower: Number, upper: Number) -> Arguments {
    Arguments::default()
        .with("scale", Some(text(scale)))
        .with("lower", Some(text(lower)))
        .with("upper", Some(text(upper)))
}

/// The exponential mechanism on exact scores: P(i) ∝ e^(score/scale). ε = 2·d_in/scale, half of it where scores are monotone.
///
///     >>> import probity_dp as pb
///     >>> pb.exponential(scale=4).epsilon(d_in=1)
///     Upper(1/2, at most 0.5)
#[pyfunction]
#[pyo3(signature = (scale, *, monotone=Arg(false)), text_signature = "(scale, *, monotone=False)")]
pub fn exponential(py: Python<'_>, scale: Number, monotone: Arg<bool>) -> PyResult<Noise> {
    make(py, "exponential", chosen(scale, monotone))
}

/// Report noisy max with one-sided noise on exact scores. ε as for `exponential`.
#[pyfunction]
#[pyo3(signature = (scale, *, monotone=Arg(false)), text_signature = "(scale, *, monotone=False)")]
pub fn noisy_max(py: Python<'_>, scale: Number, monotone: Arg<bool>) -> PyResult<Noise> {
    make(py, "noisy-max", chosen(scale, monotone))
}

fn chosen(scale: Number, monotone: Arg<bool>) -> Arguments {
    Arguments::default().with("scale", Some(text(scale))).with("monotone", Some(monotone.0.to_string()))
}

/// Which of a stream of answers exceed a threshold, until so many hits: its privacy map.
///
///     >>> import probity_dp as pb
///     >>> pb.above_threshold(threshold_scale=2, query_scale=8, hits=2).epsilon()
///     Upper(1, at most 1.0)
#[pyfunction]
#[pyo3(signature = (threshold_scale, query_scale, *, hits=Arg(1), monotone=Arg(false)), text_signature = "(threshold_scale, query_scale, *, hits=1, monotone=False)")]
pub fn above_threshold(
    py: Python<'_>,
    threshold_scale: Number,
    query_scale: Number,
    hits: Arg<u32>,
    monotone: Arg<bool>,
) -> PyResult<Noise> {
    let arguments = Arguments::default()
        .with("threshold-scale", Some(text(threshold_scale)))
        .with("query-scale", Some(text(query_scale)))
        .with("hits", Some(hits.0.to_string()))
        .with("monotone", Some(monotone.0.to_string()));
    make(py, "above-threshold", arguments)
}

/// Laplace noise for floats, on a grid of spacing 2^grid; inputs are clamped to lower … upper.
///
///     >>> import probity_dp as pb
///     >>> noise = pb.laplace_on_grid(scale=4, grid=-10, lower=0, upper=100)
///     >>> noise.release(12.5) * 1024 % 1
///     0.0
#[pyfunction]
#[pyo3(signature = (scale, grid, *, lower=None, upper=None))]
pub fn laplace_on_grid(
    py: Python<'_>,
    scale: Number,
    grid: Arg<i32>,
    lower: Option<Number>,
    upper: Option<Number>,
) -> PyResult<Noise> {
    make(
        py,
        "laplace-on-grid",
        on_grid(Arguments::default().with("scale", Some(text(scale))), grid, lower, upper)?,
    )
}

/// Gaussian noise for floats, on a grid of spacing 2^grid; inputs are clamped to lower … upper.
#[pyfunction]
#[pyo3(signature = (scale=None, *, grid, squared_scale=None, lower=None, upper=None))]
pub fn gaussian_on_grid(
    py: Python<'_>,
    scale: Option<Number>,
    grid: Arg<i32>,
    squared_scale: Option<Number>,
    lower: Option<Number>,
    upper: Option<Number>,
) -> PyResult<Noise> {
    make(py, "gaussian-on-grid", on_grid(gaussian_scale(scale, squared_scale)?, grid, lower, upper)?)
}

fn on_grid(
    arguments: Arguments,
    grid: Arg<i32>,
    lower: Option<Number>,
    upper: Option<Number>,
) -> Result<Arguments, Failure> {
    match (lower, upper) {
        (None, None) => Ok(arguments.with("grid", Some(grid.0.to_string()))),
        (Some(lower), Some(upper)) => Ok(arguments
            .with("grid", Some(grid.0.to_string()))
            .with("lower", Some(text(lower)))
            .with("upper", Some(text(upper)))),
        _ => Err(Failure::input("give both lower= and upper=, or neither")),
    }
}

/// The snapping mechanism in binary64: an answer is clamped to ±bound. Its ε is the float certificate's.
///
///     >>> import probity_dp as pb
///     >>> 1 < pb.snapping(epsilon=1, bound=100).epsilon() < 1.000001
///     True
#[pyfunction]
#[pyo3(signature = (epsilon, bound, *, sensitivity=None))]
pub fn snapping(
    py: Python<'_>,
    epsilon: Number,
    bound: Arg<f64>,
    sensitivity: Option<Number>,
) -> PyResult<Noise> {
    let arguments = Arguments::default()
        .with("epsilon", Some(text(epsilon)))
        .with("bound", Some(bound.0.to_string()))
        .with("sensitivity", sensitivity.map(text));
    make(py, "snapping", arguments)
}

/// P(x) ∝ e^(−x/scale) on 0, 1, 2, …: a sampler, without a privacy map.
#[pyfunction]
pub fn geometric(py: Python<'_>, scale: Number) -> PyResult<Noise> {
    make(py, "geometric", Arguments::default().with("scale", Some(text(scale))))
}

/// True with exactly this probability: a sampler.
///
///     >>> import probity_dp as pb
///     >>> pb.bernoulli(prob=1).sample()
///     True
#[pyfunction]
pub fn bernoulli(py: Python<'_>, prob: Number) -> PyResult<Noise> {
    make(py, "bernoulli", Arguments::default().with("prob", Some(text(prob))))
}

/// True with probability e^−exponent: a sampler.
#[pyfunction]
pub fn bernoulli_exp(py: Python<'_>, exponent: Number) -> PyResult<Noise> {
    make(py, "bernoulli-exp", Arguments::default().with("exponent", Some(text(exponent))))
}

/// A uniform integer from 0 to below − 1: a sampler.
#[pyfunction]
pub fn uniform_integer(py: Python<'_>, below: Number) -> PyResult<Noise> {
    make(py, "uniform-integer", Arguments::default().with("below", Some(text(below))))
}

/// A uniform real in (0, 1), rounded down to a double: a sampler.
#[pyfunction]
pub fn uniform_float(py: Python<'_>) -> PyResult<Noise> {
    make(py, "uniform-float", Arguments::default())
}

/// The mechanism with the least noise that keeps a target: `epsilon`, `epsilon` and `delta`, or `rho`.
///
/// The name is that of the function; its other arguments follow by name.
///
///     >>> import probity_dp as pb
///     >>> pb.calibrate("discrete_laplace", d_in=3, epsilon="1/2")
///     discrete_laplace(scale=6)
///     >>> pb.calibrate("randomized_response", categories=2, epsilon=1).epsilon() <= 1
///     True
#[pyfunction]
#[pyo3(signature = (mechanism, *, d_in=None, epsilon=None, delta=None, rho=None, **arguments))]
pub fn calibrate(
    py: Python<'_>,
    mechanism: Arg<String>,
    d_in: Option<Number>,
    epsilon: Option<Number>,
    delta: Option<Number>,
    rho: Option<Number>,
    arguments: Option<&Bound<'_, PyDict>>,
) -> PyResult<Noise> {
    let wanted = mechanism.0.replace('_', "-");
    let Some(entry) = catalogue::ENTRIES.iter().find(|entry| entry.name == wanted) else {
        return Err(Failure::from(catalogue::CatalogueError::Unknown { name: wanted }).into());
    };
    let target = match (epsilon, delta, rho) {
        (Some(epsilon), None, None) => Loss::Pure(Epsilon::new(epsilon.0).map_err(Failure::from)?),
        (Some(epsilon), Some(delta), None) => Loss::Approximate {
            epsilon: Epsilon::new(epsilon.0).map_err(Failure::from)?,
            delta: Delta::new(delta.0).map_err(Failure::from)?,
        },
        (None, None, Some(rho)) => Loss::Concentrated(Rho::new(rho.0).map_err(Failure::from)?),
        _ => return Err(Failure::input("the target is epsilon=, epsilon= and delta=, or rho=").into()),
    };
    let mut given = Arguments::default();
    let known = || entry.required.iter().chain(entry.optional).copied();
    for (name, value) in arguments.into_iter().flatten() {
        let name: String = argument::name(&name)?.replace('_', "-");
        let Some(name) = known().find(|known| *known == name) else {
            return Err(Failure::from(catalogue::CatalogueError::Unexpected {
                name: entry.name,
                argument: name,
            })
            .into());
        };
        let value = match value.extract::<bool>() {
            Ok(truth) => truth.to_string(),
            Err(_) => text(value.extract::<Number>()?),
        };
        given = given.with(name, Some(value));
    }
    let d_in = distance(d_in)?;
    let name = entry.name;
    work::short(py, move || {
        let answer = catalogue::calibrate(name, &given.for_catalogue(&[]), &d_in, &target)?;
        let exact = answer.exact.or_else(|| probity_exact::rational_from_f64(answer.double));
        let exact = exact.ok_or_else(|| Failure::input("no noise is enough"))?;
        Noise::make(name, given.with(answer.parameter, Some(exact.to_string())))
    })
}
