//! `account`: what a composition of mechanisms loses, between two bounds.

use std::collections::BTreeMap;
use std::path::Path;

use probity_account::{
    Adjacency, Answer, Bracket, Calibrated, Composition, Effort, Expression, Law, Question, Text,
    account as ask, calibrate, doubles_around, profile,
};
use probity_exact::Rational;
use probity_verdict::{Amount, Asked, Guarantee, Setting, guarantee};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::Fields;
use crate::argument::{self, Arg};
use crate::failure::Failure;
use crate::mechanism::read_text;
use crate::number::{Datum, Number, to_fraction};
use crate::verdict::doubles;
use crate::work;

/// A composition of mechanisms, of which ε, δ or the whole curve can be asked; every answer is a lower and an upper bound.
///
///     >>> import probity_dp as pb
///     >>> lower, upper = pb.account("gaussian(100) * 10000").epsilon(delta="1e-10")
///     >>> lower < 6.547924 + 1e-6 and upper > 6.547924 - 1e-6
///     True
#[pyclass(frozen, module = "probity_dp")]
pub struct Account {
    text: String,
    expression: Expression,
    names: BTreeMap<String, Rational>,
    adjacency: Adjacency,
}

/// A composition by its expression, such as "poisson(1/100, gaussian(1)) * 1000 + pure(1/2)".
///
/// Free names in it get their values by name, or are searched by `.calibrate`. Neighbours add or remove a record, or
/// `adjacency="replace"` one.
///
///     >>> import probity_dp as pb
///     >>> pb.account("pure(e) * 4", e="1/4").epsilon(delta=0)
///     Bracket(lower=1.0, upper=1.0)
#[pyfunction]
#[pyo3(signature = (expression, *, adjacency=Arg::from("add-remove"), **names), text_signature = "(expression, *, adjacency='add-remove', **names)")]
pub fn account(
    py: Python<'_>,
    expression: Arg<String>,
    adjacency: Arg<String>,
    names: Option<&Bound<'_, PyDict>>,
) -> PyResult<Account> {
    let adjacency = match adjacency.0.as_str() {
        "add-remove" => Adjacency::AddRemove,
        "replace" => Adjacency::Replace,
        other => {
            let message = format!("'{other}' is no adjacency: write add-remove or replace");
            return Err(Failure::input(message).into());
        }
    };
    let mut values = BTreeMap::new();
    for (name, value) in names.into_iter().flatten() {
        values.insert(argument::name(&name)?, value.extract::<Number>()?.0);
    }
    let text = expression.0;
    work::short(py, move || {
        let expression = Expression::parse(&text).map_err(|fault| Failure::expression(&fault, &text))?;
        let account = Account { text, expression, names: values, adjacency };
        // What is wrong is said now, unless a name is left open for a search.
        if account.open().is_empty() {
            account.laws()?;
        }
        Ok(account)
    })
}

/// What a mechanism file guarantees: its claim, if the prover derives it, rounded up.
fn theorem(text: &Text, adjacency: Adjacency) -> Result<Law, String> {
    let source = read_text(Path::new(&text.path)).map_err(|failure| failure.message().to_owned())?;
    let program = probity_verdict::load_text(&source).map_err(|faults| {
        faults.first().map_or(String::new(), |fault| format!("{}: {}", text.path, fault.message))
    })?;
    let settings: Vec<Setting> = text
        .settings
        .iter()
        .map(|(name, value)| Setting { name: name.clone(), value: value.clone() })
        .collect();
    let proved = guarantee(&program, &settings).map_err(|error| format!("{}: {error}", text.path))?;
    let asked = Asked { replaced: adjacency == Adjacency::Replace, on_a_sample: text.on_a_sample };
    match proved.neighbours.answer(asked) {
        Ok(()) => Ok(law_of(proved)),
        Err(wrong) => Err(format!("{}: its theorem is {wrong}", text.path)),
    }
}

/// A theorem as a law.
fn law_of(proved: Guarantee) -> Law {
    let law = |amount: Amount| match amount {
        Amount::Approximate { epsilon, delta } => Law::Approximate { epsilon, delta },
        Amount::Rho(rho) => Law::Concentrated { rho },
        Amount::Mu(mu) => Law::Mu { mu },
    };
    Law::Text { most: Box::new(law(proved.most)), least: Box::new(law(proved.least)), rows: proved.rows }
}

impl Account {
    /// Names without a value.
    fn open(&self) -> Vec<String> {
        self.expression.free_names().into_iter().filter(|name| !self.names.contains_key(name)).collect()
    }

    fn laws(&self) -> Result<Composition, Failure> {
        let adjacency = self.adjacency;
        let laws = self.expression.evaluate(&self.names, &|text| theorem(text, adjacency));
        laws.map_err(|fault| Failure::expression(&fault, &self.text))
    }

    fn ask<'py>(&self, py: Python<'py>, question: Question, effort: Effort) -> PyResult<Bound<'py, PyAny>> {
        let (laws, adjacency) = (self.laws()?, self.adjacency);
        let answer =
            work::long(py, move || ask(&laws, adjacency, &question, &effort).map_err(Failure::input))?;
        bracketed(py, &answer)
    }
}

fn effort(width: Option<Arg<f64>>, seconds: Option<Arg<f64>>) -> Result<Effort, Failure> {
    let mut effort = Effort::default();
    for (name, given, value) in
        [("width", width, &mut effort.width), ("seconds", seconds, &mut effort.seconds)]
    {
        match given.map(|given| given.0) {
            Some(given) if given > 0.0 && given.is_finite() => *value = given,
            Some(given) => {
                return Err(Failure::input(format!(
                    "{name} = {given} is not allowed: it must be more than 0"
                )));
            }
            None => {}
        }
    }
    Ok(effort)
}

fn bracketed<'py>(py: Python<'py>, answer: &Answer) -> PyResult<Bound<'py, PyAny>> {
    let directions: Vec<(String, (f64, f64))> = answer
        .directions
        .iter()
        .map(|(direction, bracket)| (direction.to_string(), doubles(&bracket.lower, bracket.upper.as_ref())))
        .collect();
    bracket(py, &answer.bracket)?
        .with("method", answer.method.clone())?
        .with("seconds", answer.seconds)?
        .with("reached", answer.reached)?
        .with("note", answer.note.clone())?
        .with("directions", directions)?
        .into_object("Bracket")
}

fn bracket<'py>(py: Python<'py>, bracket: &Bracket) -> PyResult<Fields<'py>> {
    let (lower, upper) = doubles(&bracket.lower, bracket.upper.as_ref());
    let exact = bracket.upper.as_ref().map(|upper| to_fraction(py, upper)).transpose()?;
    Fields::new(py)
        .with("lower", lower)?
        .with("upper", upper)?
        .with("lower_exact", to_fraction(py, &bracket.lower)?)?
        .with("upper_exact", exact)
}

#[pymethods]
impl Account {
    /// ε at this δ: between `lower` and `upper`.
    ///
    /// The relative `width` of the bracket is reached, or as much of it as `seconds` allow; `reached` says so.
    ///
    ///     >>> import probity_dp as pb
    ///     >>> bracket = pb.account("poisson(1/100, gaussian(1)) * 1000").epsilon(delta=1e-5)
    ///     >>> 1.82 < bracket.lower <= bracket.upper < 1.83
    ///     True
    #[pyo3(signature = (delta, *, width=None, seconds=None))]
    fn epsilon<'py>(
        &self,
        py: Python<'py>,
        delta: Datum,
        width: Option<Arg<f64>>,
        seconds: Option<Arg<f64>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.ask(py, Question::Epsilon(delta.0), effort(width, seconds)?)
    }

    /// δ at this ε: between `lower` and `upper`.
    ///
    ///     >>> import probity_dp as pb
    ///     >>> bracket = pb.account("gaussian(1)").delta(epsilon=1)
    ///     >>> 0.1269 < bracket.lower <= bracket.upper < 0.1270
    ///     True
    #[pyo3(signature = (epsilon, *, width=None, seconds=None))]
    fn delta<'py>(
        &self,
        py: Python<'py>,
        epsilon: Datum,
        width: Option<Arg<f64>>,
        seconds: Option<Arg<f64>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.ask(py, Question::Delta(epsilon.0), effort(width, seconds)?)
    }

    /// The whole curve: a list of (ε, lower δ, upper δ).
    ///
    ///     >>> import probity_dp as pb
    ///     >>> len(pb.account("gaussian(2)").curve(points=5))
    ///     5
    #[pyo3(signature = (*, points=Arg(61), seconds=None), text_signature = "($self, *, points=61, seconds=None)")]
    fn curve(
        &self,
        py: Python<'_>,
        points: Arg<usize>,
        seconds: Option<Arg<f64>>,
    ) -> PyResult<Vec<(f64, f64, f64)>> {
        let points = points.0;
        if !(2..=100_000).contains(&points) {
            return Err(Failure::input(format!(
                "points = {points} is not allowed: it must be from 2 to 100000"
            ))
            .into());
        }
        let (laws, adjacency, effort) = (self.laws()?, self.adjacency, effort(None, seconds)?);
        let curve =
            work::long(py, move || profile(&laws, adjacency, points, &effort).map_err(Failure::input))?;
        let point = |(epsilon, bracket): &(Rational, Bracket)| {
            let (lower, upper) = doubles(&bracket.lower, bracket.upper.as_ref());
            (doubles_around(epsilon).0, lower, upper.min(1.0))
        };
        Ok(curve.iter().map(point).collect())
    }

    /// The value of the one free name with which ε at δ is at most the target: `value` keeps it.
    ///
    ///     >>> import probity_dp as pb
    ///     >>> found = pb.account("gaussian(s) * 100").calibrate(epsilon=1, delta="1e-6")
    ///     >>> found.parameter, 42 < found.value < 45
    ///     ('s', True)
    #[pyo3(signature = (*, epsilon, delta, width=None, seconds=None))]
    fn calibrate<'py>(
        &self,
        py: Python<'py>,
        epsilon: Number,
        delta: Datum,
        width: Option<Arg<f64>>,
        seconds: Option<Arg<f64>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let open = self.open();
        let [name] = open.as_slice() else {
            let message = match open.is_empty() {
                true => "there is no free name to search a value for".to_owned(),
                false => format!("one free name is searched, and the expression has {}", open.join(", ")),
            };
            return Err(Failure::input(message)
                .hint("write a name where the number is wanted, as gaussian(s)")
                .into());
        };
        let (expression, names, adjacency) = (self.expression.clone(), self.names.clone(), self.adjacency);
        let (searched, effort) = (name.clone(), effort(width, seconds)?);
        let found = work::long(py, move || {
            let family = |value: &Rational| {
                let mut names = names.clone();
                names.insert(searched.clone(), value.clone());
                expression
                    .evaluate(&names, &|text| theorem(text, adjacency))
                    .map_err(|fault| fault.to_string())
            };
            calibrate(&family, adjacency, &delta.0, &epsilon.0, &effort).map_err(Failure::input)
        })?;
        let Calibrated { lower, upper, value, grows, epsilon, method, seconds } = found;
        // The safe end, rounded to the safe side.
        let safe = if grows { doubles_around(&value).0 } else { doubles_around(&value).1 };
        Fields::new(py)
            .with("parameter", name)?
            .with("value", safe)?
            .with("lower", doubles_around(&lower).0)?
            .with("upper", doubles_around(&upper).1)?
            .with("epsilon", doubles(&epsilon.lower, epsilon.upper.as_ref()))?
            .with("method", method)?
            .with("seconds", seconds)?
            .into_object("Calibrated")
    }

    /// The expression.
    #[getter]
    fn expression(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<Account {}>", self.text)
    }
}
