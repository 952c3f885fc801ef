//! Tables of a database or a Spark session, which is asked one query. Where its SQL is known (PostgreSQL, DuckDB, Spark) and its types add up
//! exactly, it computes the sums by the statement of `probity-release`. Any other counts how often each combination of the columns in
//! question occurs, and cleaning and sums are ours. Noise always is.

use std::ops::Range;
use std::sync::Arc;

use probity_release::engine::columns::{Batch, Columns, Field};
use probity_release::engine::sql::{self, Dialect, Kind};
use probity_release::engine::{Counts, Engine, Exact};
use probity_release::query::Plan;
use probity_release::refusal::{Answer, Refusal};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyString, PyTzInfo};

use crate::number::error_name;
use crate::work::Caller;

/// A connection and the name of a table there.
pub struct Database {
    connection: Py<PyAny>,
    table: String,
}

impl Database {
    /// The table, if the object is a connection: it has cursors, or it is a Spark session.
    pub fn of(given: &Bound<'_, PyAny>, table: &str) -> PyResult<Option<Database>> {
        let engines = given.py().import("probity_dp._engines")?;
        let known = engines.call_method1("is_connection", (given,))?.is_truthy()?;
        Ok(known.then(|| Database { connection: given.clone().unbind(), table: table.to_owned() }))
    }
}

/// A database for the time of one call, whose thread asks it.
pub struct Asked {
    /// What is asked.
    pub database: Arc<Database>,
    /// Who asks.
    pub caller: Caller,
}

impl Asked {
    /// Has the caller run a function of the package's Python part.
    fn ask<R: Send + 'static>(
        &self,
        function: &'static str,
        names: Option<Vec<String>>,
        read: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<R> + Send + 'static,
    ) -> Answer<R> {
        let database = self.database.clone();
        let table = self.database.table.clone();
        let answer = self.caller.ask(move |py| {
            let engines = py.import("probity_dp._engines")?;
            let connection = database.connection.bind(py);
            let found = match names {
                None => engines.call_method1(function, (connection, &database.table))?,
                Some(names) => engines.call_method1(function, (connection, &database.table, names))?,
            };
            read(&found)
        });
        match answer {
            Some(Ok(answer)) => Ok(answer),
            Some(Err(error)) => {
                // What the engine says may quote a value.
                let name = Python::attach(|py| error_name(py, &error));
                Err(Refusal::input(format!("the table {table} cannot be read ({name})")).hint(
                    "the connection must be open, and the table of this name readable by a query of your own",
                ))
            }
            None => Err(Refusal::input("the work was interrupted")),
        }
    }

    fn header(&self) -> Answer<Vec<String>> {
        self.ask("header", None, |found| found.extract())
    }

    /// The statement that has the engine add up, where it is one whose SQL is known and the columns have types of which sums are exact.
    fn statement(&self, plan: &Plan) -> Answer<Option<String>> {
        let (name, table, types): (String, String, Vec<(String, String)>) =
            self.ask("described", None, |found| found.extract())?;
        let dialect = match name.as_str() {
            "postgres" => Dialect::Postgres,
            "duckdb" => Dialect::DuckDb,
            // Its statement for keys is held against no other engine, so that they are counted here.
            "spark" if plan.discovered().is_none() => Dialect::Spark,
            _ => return Ok(None),
        };
        let kind = |wanted: &str| {
            types.iter().find(|(name, _)| name.trim() == wanted).and_then(|(_, of)| sql::kind(of))
        };
        let kinds: Option<Vec<Kind>> = plan.fields.iter().map(|field| kind(&field.name)).collect();
        let user = plan.user_column().map(kind);
        Ok(match (kinds, user) {
            (Some(kinds), None) => sql::statement(plan, &table, &kinds, None, dialect).ok(),
            (Some(kinds), Some(Some(user))) => sql::statement(plan, &table, &kinds, Some(user), dialect).ok(),
            _ => None,
        })
    }
}

impl Asked {
    /// How often each combination of the columns in question occurs.
    fn counted(&self, plan: &Plan) -> Answer<Columns> {
        let fields = plan.fields.iter().map(|field| field.name.as_str());
        let mut names: Vec<String> = Vec::new();
        for name in fields.chain(plan.user_column()) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        let width = names.len();
        let counted = self.ask("counts", Some(names.clone()), move |found| counted(found, width))?;
        Ok(Columns::new(names, vec![Box::new(counted)]))
    }
}

fn other_numbers() -> Refusal {
    Refusal::input("the engine answered with other numbers than were asked for")
}

impl Engine for Asked {
    fn check(&self, plan: &Plan) -> Answer<()> {
        Columns::new(self.header()?, Vec::new()).check(plan)
    }

    fn sums(&self, plan: &Plan, progress: &(dyn Fn(u64, u64) + Sync)) -> Answer<Exact> {
        if let Some(statement) = self.statement(plan)? {
            let rows = self.ask("added", Some(vec![statement]), |found| found.extract::<Vec<Vec<i128>>>())?;
            return sql::gathered(plan, rows).ok_or_else(other_numbers);
        }
        self.counted(plan)?.sums(plan, progress)
    }

    fn finds_keys(&self) -> bool {
        true
    }

    fn keys(&self, plan: &Plan, progress: &(dyn Fn(u64, u64) + Sync)) -> Answer<Counts> {
        if let Some(statement) = self.statement(plan)? {
            let rows =
                self.ask("found", Some(vec![statement]), |found| found.extract::<Vec<(String, u64)>>())?;
            let rows = rows.iter().map(|(key, count)| (key.as_str(), *count));
            return sql::found(plan, rows).ok_or_else(other_numbers);
        }
        self.counted(plan)?.keys(plan, progress)
    }
}

/// A value that was fetched.
enum Held {
    Null,
    Integer(i128),
    Float(f64),
    Bool(bool),
    Date(i64),
    Text(Vec<u8>),
}

/// Rows, each as often as it was counted.
struct Counted {
    rows: Vec<Vec<Held>>,
    /// Where the repetitions of each row end.
    ends: Vec<usize>,
}

fn counted(found: &Bound<'_, PyAny>, width: usize) -> PyResult<Counted> {
    let (mut rows, mut ends, mut total) = (Vec::new(), Vec::new(), 0usize);
    for row in found.try_iter()? {
        let row = row?;
        let mut values = Vec::with_capacity(width);
        for place in 0..width {
            values.push(held(&row.get_item(place)?)?);
        }
        let count: usize = row.get_item(width)?.extract()?;
        total = total
            .checked_add(count)
            .ok_or_else(|| pyo3::exceptions::PyOverflowError::new_err("too many rows"))?;
        rows.push(values);
        ends.push(total);
    }
    Ok(Counted { rows, ends })
}

fn held(value: &Bound<'_, PyAny>) -> PyResult<Held> {
    if value.is_none() {
        return Ok(Held::Null);
    }
    if let Ok(truth) = value.cast::<PyBool>() {
        return Ok(Held::Bool(truth.is_true()));
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(match value.extract::<i128>() {
            Ok(number) => Held::Integer(number),
            Err(_) => Held::Text(value.str()?.to_string().into_bytes()),
        });
    }
    if let Ok(double) = value.cast::<PyFloat>() {
        return Ok(Held::Float(double.value()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Held::Text(text.to_string_lossy().into_owned().into_bytes()));
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Held::Text(bytes.as_bytes().to_vec()));
    }
    // A date, or a moment, whose day it is: ordinal 719163 is 1970-01-01. Of a moment with a zone it is the day of UTC.
    let zoned = value.call_method0("utcoffset").is_ok_and(|offset| !offset.is_none());
    let utc = if zoned { Some(PyTzInfo::utc(value.py())?) } else { None };
    let moment = utc.and_then(|utc| value.call_method1("astimezone", (utc,)).ok());
    if let Ok(day) =
        moment.as_ref().unwrap_or(value).call_method0("toordinal").and_then(|day| day.extract::<i64>())
    {
        return Ok(Held::Date(day - 719_163));
    }
    // A Decimal, and whatever else has a text.
    Ok(Held::Text(value.str()?.to_string().into_bytes()))
}

impl Batch for Counted {
    fn rows(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    fn visit(&self, column: usize, rows: Range<usize>, each: &mut dyn FnMut(Field<'_>)) {
        let mut row = self.ends.partition_point(|end| *end <= rows.start);
        for at in rows {
            while self.ends[row] <= at {
                row += 1;
            }
            each(match &self.rows[row][column] {
                Held::Null => Field::Null,
                Held::Integer(value) => Field::Integer(*value),
                Held::Float(value) => Field::Float(*value),
                Held::Bool(value) => Field::Bool(*value),
                Held::Date(days) => Field::Date(*days),
                Held::Text(text) => Field::Text(text),
            });
        }
    }
}
