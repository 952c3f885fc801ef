//! Tables for the `rows` inputs of a text: from a CSV file, a frame, or rows that Python holds. What a value is worth the run decides; one that
//! is none drops its row, and nothing tells of it.

use std::path::{Path, PathBuf};

use probity_exact::{Integer, Natural, Rational, rational_from_f64};
use probity_release::engine::columns::{Batch, Field};
use probity_release::engine::csv::{Csv, Reader, Record};
use probity_release::refusal::Answer;
use probity_run::{Cell, Table};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString, PyTuple};

use crate::arrow;
use crate::failure::Failure;
use crate::number::{each_item, in_python_values, kind, private_rational};

/// No value.
const NOTHING: Cell = Cell::Text(String::new());

/// The table of an input with these fields.
pub fn table(fields: &[String], given: &Bound<'_, PyAny>) -> PyResult<Table> {
    if let Ok(path) = given.extract::<PathBuf>() {
        return Ok(of_file(fields, &path)?);
    }
    if let Some(frame) = arrow::interface(given)? {
        return of_frame(fields, &frame);
    }
    let rows = match given.cast::<PyDict>() {
        Ok(columns) => of_columns(fields, columns)?,
        Err(_) if given.is_instance_of::<PyString>() => return Err(no_table(given).into()),
        Err(_) => each_item(given, |row| of_row(fields, row)).map_err(|error| match error {
            error if error.is_instance_of::<PyException>(given.py()) => no_table(given).into(),
            interrupt => interrupt,
        })?,
    };
    Ok(Table { header: fields.to_vec(), rows })
}

fn no_table(given: &Bound<'_, PyAny>) -> Failure {
    Failure::of_type(format!("{} is no table", kind(given)))
        .hint("give the path of a CSV file, a frame or table with the Arrow interface, a list of dicts, or a dict of lists")
}

/// The columns of a file that are fields, each as often as it is there: what the run makes of a header is its own.
struct Kept<'f> {
    fields: &'f [String],
    places: Vec<usize>,
    table: Table,
}

impl Reader for Kept<'_> {
    fn header(&mut self, names: &[String]) -> Answer<usize> {
        self.places =
            (0..names.len()).filter(|at| self.fields.iter().any(|field| field == names[*at].trim())).collect();
        self.table.header = self.places.iter().map(|place| names[*place].clone()).collect();
        Ok(self.places.last().map_or(0, |last| last + 1))
    }

    fn record(&mut self, record: &Record) {
        let cell = |place: &usize| Cell::Text(String::from_utf8_lossy(record.field(*place)).into_owned());
        self.table.rows.push(self.places.iter().map(cell).collect());
    }
}

fn of_file(fields: &[String], path: &Path) -> Result<Table, Failure> {
    let mut kept = Kept { fields, places: Vec::new(), table: Table::default() };
    Csv::new(path)?.read(&mut kept)?;
    Ok(kept.table)
}

/// A row by the names of its fields, or in their order.
fn of_row(fields: &[String], row: &Bound<'_, PyAny>) -> PyResult<Vec<Cell>> {
    if let Ok(row) = row.cast::<PyDict>() {
        return fields
            .iter()
            .map(|field| row.get_item(field)?.map_or(Ok(NOTHING), |value| cell(&value)))
            .collect();
    }
    match row.is_instance_of::<PyTuple>() || row.is_instance_of::<PyList>() {
        true => each_item(row, cell),
        false => Err(no_table(row).into()),
    }
}

/// Rows of columns by name.
fn of_columns(fields: &[String], columns: &Bound<'_, PyDict>) -> PyResult<Vec<Vec<Cell>>> {
    let mut rows: Option<Vec<Vec<Cell>>> = None;
    for field in fields {
        let Some(column) = columns.get_item(field)? else {
            return Err(Failure::input(format!("there is no column {field}")).into());
        };
        let cells = each_item(&in_python_values(&column), cell)?;
        let rows = rows.get_or_insert_with(|| vec![Vec::new(); cells.len()]);
        if rows.len() != cells.len() {
            return Err(Failure::input("the columns have different lengths").into());
        }
        rows.iter_mut().zip(cells).for_each(|(row, cell)| row.push(cell));
    }
    Ok(rows.unwrap_or_default())
}

/// A value, whatever it is; an interrupt stays one.
fn cell(value: &Bound<'_, PyAny>) -> PyResult<Cell> {
    if value.is_none() {
        return Ok(NOTHING);
    }
    if let Ok(truth) = value.cast::<PyBool>() {
        return Ok(Cell::Truth(truth.is_true()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Cell::Text(text.to_string_lossy().into_owned()));
    }
    // numpy's truth values are no bool.
    if value.get_type().name().is_ok_and(|name| name == "bool" || name == "bool_") {
        return Ok(Cell::Truth(value.is_truthy()?));
    }
    match private_rational(value) {
        Ok(number) => Ok(Cell::Number(number)),
        Err(error) if error.is_instance_of::<PyException>(value.py()) => Ok(NOTHING),
        Err(interrupt) => Err(interrupt),
    }
}

fn of_frame(fields: &[String], frame: &Bound<'_, PyAny>) -> PyResult<Table> {
    let (header, batches) = arrow::batches(frame, &|name| fields.iter().any(|field| field == name))?;
    // A column that is there twice stays so: the run refuses it by its name.
    let places: Vec<usize> =
        (0..header.len()).filter(|at| fields.iter().any(|field| field == header[*at].trim())).collect();
    let mut rows = Vec::new();
    for batch in &batches {
        let start = rows.len();
        rows.resize(start + batch.rows(), Vec::with_capacity(places.len()));
        for place in &places {
            let mut row = start;
            batch.visit(*place, 0..batch.rows(), &mut |field| {
                rows[row].push(of_field(field));
                row += 1;
            });
        }
        frame.py().check_signals()?;
    }
    Ok(Table { header: places.iter().map(|place| header[*place].clone()).collect(), rows })
}

fn of_field(field: Field<'_>) -> Cell {
    match field {
        Field::Integer(value) => Cell::Number(Rational::from(Integer::from(value))),
        Field::Float(value) => rational_from_f64(value).map_or(NOTHING, Cell::Number),
        Field::Decimal { units, scale } => Cell::Number(Rational::from_parts(
            Integer::from(units),
            Natural::from(10u8).pow(usize::from(scale)),
        )),
        Field::Bool(truth) => Cell::Truth(truth),
        Field::Text(text) => Cell::Text(String::from_utf8_lossy(text).into_owned()),
        // No field of a text is a date.
        Field::Null | Field::Date(_) => NOTHING,
    }
}
