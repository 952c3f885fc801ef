//! `Session`: private answers to SQL from data of any kind. `probity-release` decides; this hands it tables and shows what it stored.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use probity_exact::{Rational, parse_rational};
use probity_release::answer::{self, Cell, Rows};
use probity_release::certificate::assumptions;
use probity_release::engine::Engine;
use probity_release::engine::client::Client;
use probity_release::engine::csv::Csv;
use probity_release::ledger::{Ledger, PATIENCE, State};
use probity_release::loss::{Loss, Measure};
use probity_release::policy::{self, Policy};
use probity_release::prepare::{self, Prepared};
use probity_release::refusal::Refusal;
use probity_release::release::{self, Asking, Proven, Released};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};

use crate::answer::Fields;
use crate::argument::{self, Arg};
use crate::database::{Asked, Database};
use crate::failure::Failure;
use crate::mechanism::read_text;
use crate::number::{Number, described, kind, to_fraction};
use crate::{arrow, work};

/// Private answers to SQL, each with error bars, a price in a budget that cannot be overspent, and its theorem.
///
/// `data` says where each table of the policy is: the path of a CSV file, a pandas or Polars frame, a PyArrow table, a DuckDB
/// relation, anything else with the Arrow PyCapsule interface, a DB-API connection or a Spark session (or a pair of one of these and the
/// table's name there), which then counts by SQL while the noise is ours. `policy` and `ledger` are paths; `init=True` makes the ledger if there is none.
///
///     >>> import probity_dp as pb, tempfile, os
///     >>> ledger = os.path.join(tempfile.mkdtemp(), "people.ledger")
///     >>> s = pb.Session(data={"people": "examples/data/people.csv"}, policy="examples/data/people.toml",
///     ...                ledger=ledger, init=True)
///     >>> answer = s.sql("SELECT region, COUNT(*) AS n FROM people GROUP BY region")
///     >>> answer.columns
///     ['region', 'n', 'n_low', 'n_high']
///     >>> answer.cost, s.remaining
///     ({'epsilon': Fraction(1, 2)}, {'epsilon': Fraction(3, 2)})
#[pyclass(frozen, module = "probity_dp")]
pub struct Session {
    policy: Arc<Policy>,
    ledger: Option<PathBuf>,
    anchor: Option<PathBuf>,
    tables: BTreeMap<String, Table>,
    version: String,
    alpha: Rational,
}

/// A policy from its file.
pub fn policy_of(path: &Path) -> Result<Policy, Failure> {
    Ok(policy::read(&path.display().to_string(), &read_text(path)?)?)
}

/// Where a table is.
#[derive(Clone)]
enum Table {
    /// In a file or in memory.
    Here(Arc<dyn Engine + Send + Sync>),
    /// In a database, which the calling thread asks.
    There(Arc<Database>),
}

impl Table {
    /// The engine for one call.
    fn engine(&self, caller: &work::Caller) -> Arc<dyn Engine> {
        match self {
            Table::Here(engine) => engine.clone(),
            Table::There(database) => Arc::new(Asked { database: database.clone(), caller: caller.clone() }),
        }
    }
}

fn table(policy: &Policy, of: &str, given: &Bound<'_, PyAny>) -> PyResult<Table> {
    if let Ok(path) = given.extract::<PathBuf>() {
        // A text as postgresql://HOST/DB#TABLE names another engine, as for the command.
        if let Some(client) = path.to_str().and_then(|text| Client::named(text, of)) {
            return Ok(Table::Here(Arc::new(client)));
        }
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet")) {
            return Err(Failure::input("a Parquet file is not read by its path")
                .hint("read it with PyArrow, Polars or pandas, and give what they read")
                .into());
        }
        return Ok(Table::Here(Arc::new(Csv::new(&path).map_err(Failure::from)?)));
    }
    // A connection, or a pair of one and the table's name there.
    let (connection, name) = match given.extract::<(Bound<'_, PyAny>, String)>() {
        Ok((connection, name)) => (connection, name),
        Err(_) => (given.clone(), of.to_owned()),
    };
    if let Some(database) = Database::of(&connection, &name)? {
        return Ok(Table::There(Arc::new(database)));
    }
    let Some(given) = arrow::interface(given)? else {
        return Err(Failure::of_type(format!("{} is no table", kind(given)))
            .hint("give the path of a CSV file, a frame, table or relation with the Arrow interface, a DB-API connection or a Spark session")
            .into());
    };
    let of_policy = |column: &str| policy.table(of).is_some_and(|table| table.names(column));
    Ok(Table::Here(Arc::new(arrow::columns(&given, &of_policy)?)))
}

#[pymethods]
impl Session {
    #[new]
    #[pyo3(
        signature = (data=None, *, policy, ledger=None, anchor=None, init=Arg(false), data_version=Arg::from(""), alpha=None),
        text_signature = "(data=None, *, policy, ledger=None, anchor=None, init=False, data_version='', alpha=None)"
    )]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        data: Option<Arg<Bound<'_, PyMapping>>>,
        policy: Arg<PathBuf>,
        ledger: Option<Arg<PathBuf>>,
        anchor: Option<Arg<PathBuf>>,
        init: Arg<bool>,
        data_version: Arg<String>,
        alpha: Option<Number>,
    ) -> PyResult<Session> {
        let mut policy = work::short(py, || policy_of(&policy.0))?;
        let mut tables = BTreeMap::new();
        for (name, given) in argument::items(data)? {
            let name = argument::name(&name)?;
            if policy.public(&name).is_some() {
                let path: PathBuf = given.extract().map_err(|_| {
                    Failure::input(format!("the public table {name} is given by the path of a CSV file"))
                })?;
                work::short(py, || {
                    let (header, rows) = Csv::new(&path)?.records(policy::MAX_CATEGORIES)?;
                    Ok(policy.read_public(&name, &header, &rows)?)
                })?;
                continue;
            }
            if policy.table(&name).is_none() {
                let names: Vec<String> = policy.tables.iter().map(|table| table.name.clone()).collect();
                let hint = probity_verdict::meant("its tables are", &name, &names);
                return Err(Failure::input(format!("the policy has no table {name}")).hint(hint).into());
            }
            let place = table(&policy, &name, &given)?;
            tables.insert(name, place);
        }
        let alpha = alpha.map_or_else(|| Rational::from_parts(1.into(), 20u8.into()), |alpha| alpha.0);
        if alpha <= Rational::ZERO || alpha >= Rational::ONE {
            return Err(Failure::input("alpha must be more than 0 and less than 1")
                .hint("\"0.05\" gives error bars at 95 %")
                .into());
        }
        let session = Session {
            policy: Arc::new(policy),
            ledger: ledger.map(|path| path.0),
            anchor: anchor.map(|path| path.0),
            tables,
            version: data_version.0,
            alpha,
        };
        if let Some(path) = session.ledger.clone() {
            let (policy, anchor) = (session.policy.clone(), session.anchor.clone());
            work::long(py, move || {
                let ledger = match init.0 {
                    true => Ledger::init(&path, &policy, anchor.as_deref(), true, PATIENCE)?,
                    false => Ledger::open(&path, anchor.as_deref(), PATIENCE)?,
                };
                Ok(ledger.check_policy(&policy)?)
            })?;
        }
        Ok(session)
    }

    /// Answers a query; what was answered before costs nothing. Several queries share the budget of one, and give a list.
    ///
    /// `split={"n": 2, "income": 1}` weighs columns; `again=True` draws anew, at its cost; `certificate=PATH` writes the certificate there.
    #[pyo3(signature = (*queries, split=None, again=Arg(false), certificate=None), text_signature = "($self, *queries, split=None, again=False, certificate=None)")]
    fn sql<'py>(
        &self,
        py: Python<'py>,
        queries: &Bound<'py, PyTuple>,
        split: Option<Arg<Bound<'py, PyMapping>>>,
        again: Arg<bool>,
        certificate: Option<Arg<PathBuf>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let prepared = self.prepared(py, queries, split)?;
        let certificate = certificate.map(|path| path.0);
        let Some(path) = self.ledger.clone() else {
            return Err(Failure::input("no ledger was named")
                .hint("Session(…, ledger=FILE) names it; .preview and .explain need none")
                .into());
        };
        if certificate.is_some() && prepared.len() > 1 {
            return Err(Failure::input("certificate= names one file, and there are several queries").into());
        }
        if let Some(place) = &certificate {
            probity_release::certificate::check_place(place).map_err(Failure::from)?;
        }
        let (policy, anchor, version) = (self.policy.clone(), self.anchor.clone(), self.version.clone());
        let (tables, alpha, to) = (self.tables.clone(), self.alpha.clone(), certificate);
        let again = again.0;
        let (released, state) = work::long_with(py, move |caller| {
            let tables: BTreeMap<String, Arc<dyn Engine>> =
                tables.iter().map(|(name, table)| (name.clone(), table.engine(&caller))).collect();
            let mut ledger = Ledger::open(&path, anchor.as_deref(), PATIENCE)?;
            let proven = proven(prepared, Some(&ledger))?;
            let asking = Asking { policy: &policy, version: &version, again, progress: &|_, _| {} };
            let engine = |prepared: &Prepared| -> Result<&dyn Engine, Refusal> {
                let table = &prepared.plan.table.name;
                tables.get(table).map(|engine| &**engine).ok_or_else(|| {
                    Refusal::input(format!("it is not said where the table {table} is"))
                        .hint(format!("Session(data={{\"{table}\": …}})"))
                })
            };
            let released = release::release(&proven, &mut ledger, &asking, engine)?;
            let shown = released
                .into_iter()
                .map(|released| {
                    let rows = answer::released(&released, &alpha)?;
                    Ok((released, rows))
                })
                .collect::<Result<Vec<_>, Refusal>>()?;
            if let (Some(path), [(released, _)]) = (&to, &shown[..]) {
                std::fs::write(path, &released.certificate).map_err(|error| {
                    Failure::input(format!("cannot write {}: {error}", path.display()))
                        .hint("the answer is paid and stored: the same query without certificate= gets it for nothing")
                })?;
            }
            Ok((shown, ledger.state().clone()))
        })?;
        let answers = released
            .iter()
            .map(|(released, rows)| answered(py, released, rows, &state, &self.alpha))
            .collect::<PyResult<Vec<_>>>()?;
        one_or_list(py, answers)
    }

    /// The cost of a query, and the error to expect of every column; nothing is read or spent.
    ///
    ///     >>> import probity_dp as pb
    ///     >>> s = pb.Session(policy="examples/data/people.toml")
    ///     >>> s.preview("SELECT COUNT(*) AS n FROM people").errors
    ///     [('n', None, 6.0)]
    #[pyo3(signature = (*queries, split=None))]
    fn preview<'py>(
        &self,
        py: Python<'py>,
        queries: &Bound<'py, PyTuple>,
        split: Option<Arg<Bound<'py, PyMapping>>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let prepared = self.prepared(py, queries, split)?;
        // What has no proof would be refused, so it is refused here already.
        let proved = work::long(py, move || proven(prepared, None))?;
        let mut answers = Vec::new();
        for one in proved.iter().map(Proven::prepared) {
            let mut errors = Vec::new();
            for (name, post) in one.noisy() {
                let sizes: &[u64] = if post.is_plain() { &[0] } else { &[100, 1000, 10_000] };
                for n in sizes {
                    let error = release::expected_error(one, post, &self.alpha, *n).map_err(Failure::from)?;
                    let error = error.map(|error| probity_exact::directed::cast_up(&error));
                    errors.push((name.to_owned(), (*n > 0).then_some(*n), error));
                }
            }
            let answer = Fields::new(py)
                .with("groups", one.plan.discovered().is_none().then(|| one.plan.groups()))?
                .with("cost", amounts(py, &one.cost)?)?
                .with("alpha", to_fraction(py, &self.alpha)?)?
                .with("errors", errors)?
                .into_object("Preview")?;
            answers.push(answer);
        }
        one_or_list(py, answers)
    }

    /// The mechanism of a query, its theorem and what it assumes; nothing is read or spent.
    ///
    ///     >>> import probity_dp as pb
    ///     >>> s = pb.Session(policy="examples/data/people.toml")
    ///     >>> s.explain("SELECT COUNT(*) AS n FROM people").text.splitlines()[0]
    ///     'mechanism release(people: rows())'
    #[pyo3(signature = (*queries, split=None))]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        queries: &Bound<'py, PyTuple>,
        split: Option<Arg<Bound<'py, PyMapping>>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let prepared = self.prepared(py, queries, split)?;
        let explained = work::long(py, move || proven(prepared, None))?;
        let answers = explained
            .iter()
            .map(|one| {
                Fields::new(py)
                    .with("text", one.prepared().text.clone())?
                    .with("theorem", one.theorem())?
                    .with("axioms", one.axioms())?
                    .with("cost", amounts(py, &one.prepared().cost)?)?
                    .with("assumptions", assumptions(one.prepared()))?
                    .with("certificate", one.certificate())?
                    .into_object("Explanation")
            })
            .collect::<PyResult<Vec<_>>>()?;
        one_or_list(py, answers)
    }

    /// What is left of the budget.
    #[getter]
    fn remaining<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        amounts(py, &self.state(py)?.remaining())
    }

    /// What was spent.
    #[getter]
    fn spent<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        amounts(py, &self.state(py)?.spent)
    }

    /// The last entries of the ledger, oldest first: dicts with number, time, kind, query and cost.
    #[pyo3(signature = (most=Arg(100)), text_signature = "($self, most=100)")]
    fn history<'py>(&self, py: Python<'py>, most: Arg<usize>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let (path, anchor) = self.place()?;
        let entries =
            work::long(py, move || Ok(Ledger::open(&path, anchor.as_deref(), PATIENCE)?.history(most.0)?))?;
        let mut all = Vec::new();
        for entry in entries {
            let one = PyDict::new(py);
            one.set_item("number", entry.number)?;
            one.set_item("time", entry.time)?;
            one.set_item("kind", entry.kind.name())?;
            one.set_item("query", entry.query)?;
            one.set_item("cost", amounts(py, &entry.loss)?)?;
            all.push(one);
        }
        Ok(all)
    }

    /// The names of the tables whose place is known.
    #[getter]
    fn tables(&self) -> Vec<String> {
        self.tables.keys().cloned().collect()
    }

    fn __repr__(&self) -> String {
        let ledger = self.ledger.as_ref().map_or("no ledger".into(), |path| path.display().to_string());
        format!("<Session of {}; {ledger}>", self.tables().join(", "))
    }
}

impl Session {
    fn prepared(
        &self,
        py: Python<'_>,
        queries: &Bound<'_, PyTuple>,
        split: Option<Arg<Bound<'_, PyMapping>>>,
    ) -> PyResult<Vec<Prepared>> {
        let mut texts = Vec::new();
        for query in queries {
            match query.cast::<PyString>() {
                Ok(text) => texts.push(text.to_string()),
                Err(_) => return Err(Failure::of_type(format!("{} is no query", described(&query))).into()),
            }
        }
        let mut weights = Vec::new();
        for (name, weight) in argument::items(split)? {
            weights.push((argument::name(&name)?, weight.extract::<Number>()?.0));
        }
        let policy = self.policy.clone();
        work::short(py, move || Ok(prepare::prepare(&policy, &texts, &weights)?))
    }

    fn place(&self) -> Result<(PathBuf, Option<PathBuf>), Failure> {
        match &self.ledger {
            Some(path) => Ok((path.clone(), self.anchor.clone())),
            None => Err(Failure::input("no ledger was named").hint("Session(…, ledger=FILE) names it")),
        }
    }

    fn state(&self, py: Python<'_>) -> PyResult<State> {
        let (path, anchor) = self.place()?;
        work::long(py, move || Ok(Ledger::open(&path, anchor.as_deref(), PATIENCE)?.state().clone()))
    }
}

fn proven(prepared: Vec<Prepared>, ledger: Option<&Ledger>) -> Result<Vec<Proven>, Failure> {
    Ok(prepared.into_iter().map(|one| release::prove(one, ledger)).collect::<Result<_, Refusal>>()?)
}

fn one_or_list<'py>(py: Python<'py>, mut answers: Vec<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    match answers.len() {
        1 => Ok(answers.remove(0)),
        _ => Ok(PyList::new(py, answers)?.into_any()),
    }
}

/// A loss as a dict of exact amounts.
fn amounts<'py>(py: Python<'py>, loss: &Loss) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    let name = if loss.measure == Measure::Rho { "rho" } else { "epsilon" };
    all.set_item(name, to_fraction(py, &loss.amount)?)?;
    if loss.measure == Measure::EpsilonDelta {
        all.set_item("delta", to_fraction(py, &loss.delta)?)?;
    }
    Ok(all)
}

/// A number with the digits that are worth showing, or a day.
fn rounded<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    match (text.is_empty(), text.contains('.')) {
        (true, _) => Ok(py.None().into_bound(py)),
        // A number has its sign before everything else.
        _ if text.rfind('-').is_some_and(|place| place > 0) => Ok(PyString::new(py, text).into_any()),
        (false, false) => py.get_type::<PyInt>().call1((text,)),
        (false, true) => py.get_type::<PyFloat>().call1((text,)),
    }
}

fn cells<'py>(py: Python<'py>, cell: &Cell) -> PyResult<Vec<Bound<'py, PyAny>>> {
    Ok(match cell {
        Cell::Key { text, bare: true } => vec![match (text.as_str(), parse_rational(text)) {
            ("true" | "false", _) => PyBool::new(py, text == "true").to_owned().into_any(),
            (_, Ok(number)) => crate::number::to_exact(py, &number)?,
            (_, Err(_)) => PyString::new(py, text).into_any(),
        }],
        Cell::Key { text, bare: false } => vec![PyString::new(py, text).into_any()],
        Cell::Noisy { .. } => cell.texts().iter().map(|text| rounded(py, text)).collect::<PyResult<_>>()?,
    })
}

fn answered<'py>(
    py: Python<'py>,
    released: &Released,
    rows: &Rows,
    state: &State,
    alpha: &Rational,
) -> PyResult<Bound<'py, PyAny>> {
    let mut all = Vec::new();
    for row in &rows.rows {
        let mut line = Vec::new();
        for cell in row {
            line.extend(cells(py, cell)?);
        }
        all.push(PyTuple::new(py, line)?);
    }
    let cost = if released.stored { Loss::zero(released.cost.measure) } else { released.cost.clone() };
    Fields::new(py)
        .with("columns", rows.heading())?
        .with("rows", all)?
        .with("text", rows.to_table())?
        .with("csv", rows.to_csv())?
        .with("chosen", rows.chosen)?
        .with("alpha", to_fraction(py, alpha)?)?
        .with("cost", amounts(py, &cost)?)?
        .with("remaining", amounts(py, &state.remaining())?)?
        .with("stored", released.stored)?
        .with("entry", released.entry)?
        .with("theorem", released.theorem.clone())?
        .with("certificate", released.certificate.clone())?
        .with("assumptions", assumptions(&released.prepared))?
        .into_object("Answer")
}
