//! Tables from other libraries by the Arrow PyCapsule interface, read where they lie.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal128Type, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use probity_release::engine::columns::{Batch, Columns, Field};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;

use crate::failure::Failure;
use crate::number::{error_name, kind};

/// The object that has the interface: this one, or what it computes, as a lazy frame; `None` for any other.
pub fn interface<'py>(given: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if given.hasattr("__arrow_c_stream__")? || given.hasattr("__arrow_c_array__")? {
        return Ok(Some(given.clone()));
    }
    Ok(match given.call_method0("collect") {
        Ok(collected) if collected.hasattr("__arrow_c_stream__")? => Some(collected),
        // An interrupt stays one.
        Err(error) if !error.is_instance_of::<PyException>(given.py()) => return Err(error),
        _ => None,
    })
}

/// The columns of an object that has the interface.
pub fn columns(given: &Bound<'_, PyAny>, is_asked: &dyn Fn(&str) -> bool) -> PyResult<Columns> {
    let (header, batches) = batches(given, is_asked)?;
    Ok(Columns::new(header, batches.into_iter().map(|rows| Box::new(rows) as Box<dyn Batch>).collect()))
}

/// The names of its columns, and its rows. Columns that nobody may ask about, since `is_asked` says no, may be of any type: they are not looked at.
pub fn batches(
    given: &Bound<'_, PyAny>,
    is_asked: &dyn Fn(&str) -> bool,
) -> PyResult<(Vec<String>, Vec<Rows>)> {
    // What the other library says may quote a row, so its kind of error is all that is told.
    let cannot = |error: PyErr| {
        let name = error_name(given.py(), &error);
        Failure::input(format!("{} cannot be read as a table ({name})", kind(given)))
            .hint("a frame, a table, a relation or a record batch can, with one type a column; pandas needs PyArrow for it")
    };
    let table = given.extract::<AnyRecordBatch>().map_err(cannot)?.into_table();
    let (batches, schema) = table.map_err(|error| cannot(error.into()))?.into_inner();
    let header = schema.fields().iter().map(|field| field.name().clone()).collect();
    for field in schema.fields() {
        if is_asked(field.name().trim()) && !is_read(field.data_type()) {
            return Err(Failure::input(format!(
                "the column {} is of the type {}, which has no plain values",
                field.name(),
                field.data_type()
            ))
            .hint("leave it out, or turn it into numbers, texts, truth values or dates first")
            .into());
        }
    }
    Ok((header, batches.into_iter().map(Rows).collect()))
}

/// Whether values of the type are plain.
fn is_read(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_read(values) && !matches!(**values, DataType::Dictionary(..)),
        DataType::Decimal128(_, scale) => (0..=38).contains(scale),
        DataType::Null
        | DataType::Boolean
        | DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32
        | DataType::UInt64
        | DataType::Float16
        | DataType::Float32
        | DataType::Float64
        | DataType::Date32
        | DataType::Date64
        | DataType::Timestamp(..)
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View => true,
        _ => false,
    }
}

/// Some rows, where they lie.
pub struct Rows(RecordBatch);

impl Batch for Rows {
    fn rows(&self) -> usize {
        self.0.num_rows()
    }

    fn visit(&self, column: usize, rows: Range<usize>, each: &mut dyn FnMut(Field<'_>)) {
        visit(self.0.column(column), rows, each);
    }
}

/// Calls for some entries of an array of primitive values.
macro_rules! each_value {
    ($array:expr, $kind:ty, $rows:expr, $each:expr, $field:expr) => {{
        let array = $array.as_primitive::<$kind>();
        let values = array.values();
        let field = $field;
        match array.nulls() {
            None => values[$rows].iter().for_each(|value| $each(field(*value))),
            Some(nulls) => {
                for row in $rows {
                    $each(if nulls.is_null(row) { Field::Null } else { field(values[row]) });
                }
            }
        }
    }};
}

/// Calls for some entries of an array that are found one by one.
macro_rules! each_entry {
    ($array:expr, $rows:expr, $each:expr, $field:expr) => {{
        let array = $array;
        for row in $rows {
            $each(if array.is_null(row) { Field::Null } else { $field(array.value(row)) });
        }
    }};
}

fn visit(array: &ArrayRef, rows: Range<usize>, each: &mut dyn FnMut(Field<'_>)) {
    match array.data_type() {
        DataType::Int8 => each_value!(array, Int8Type, rows, each, |v: i8| Field::Integer(v.into())),
        DataType::Int16 => each_value!(array, Int16Type, rows, each, |v: i16| Field::Integer(v.into())),
        DataType::Int32 => each_value!(array, Int32Type, rows, each, |v: i32| Field::Integer(v.into())),
        DataType::Int64 => each_value!(array, Int64Type, rows, each, |v: i64| Field::Integer(v.into())),
        DataType::UInt8 => each_value!(array, UInt8Type, rows, each, |v: u8| Field::Integer(v.into())),
        DataType::UInt16 => each_value!(array, UInt16Type, rows, each, |v: u16| Field::Integer(v.into())),
        DataType::UInt32 => each_value!(array, UInt32Type, rows, each, |v: u32| Field::Integer(v.into())),
        DataType::UInt64 => each_value!(array, UInt64Type, rows, each, |v: u64| Field::Integer(v.into())),
        DataType::Float16 => {
            each_entry!(array.as_primitive::<Float16Type>(), rows, each, |v| Field::Float(f64::from(v)))
        }
        DataType::Float32 => each_value!(array, Float32Type, rows, each, |v: f32| Field::Float(v.into())),
        DataType::Float64 => each_value!(array, Float64Type, rows, each, Field::Float),
        DataType::Decimal128(_, scale) => {
            let scale = u8::try_from(*scale).unwrap_or(0);
            each_value!(array, Decimal128Type, rows, each, |units: i128| Field::Decimal { units, scale })
        }
        DataType::Date32 => each_value!(array, Date32Type, rows, each, |v: i32| Field::Date(v.into())),
        DataType::Date64 => {
            each_value!(array, Date64Type, rows, each, |v: i64| Field::Date(v.div_euclid(86_400_000)))
        }
        DataType::Timestamp(unit, _) => moments(array, *unit, rows, each),
        DataType::Boolean => each_entry!(array.as_boolean(), rows, each, Field::Bool),
        DataType::Utf8 => each_entry!(array.as_string::<i32>(), rows, each, each_text),
        DataType::LargeUtf8 => each_entry!(array.as_string::<i64>(), rows, each, each_text),
        DataType::Utf8View => each_entry!(array.as_string_view(), rows, each, each_text),
        DataType::Dictionary(..) => {
            let part = array.slice(rows.start, rows.len());
            let dictionary = part.as_any_dictionary();
            let values = dictionary.values();
            // Without values every key is null.
            let keys = if values.is_empty() { vec![0; rows.len()] } else { dictionary.normalized_keys() };
            for (row, key) in keys.into_iter().enumerate() {
                match values.is_empty() || dictionary.keys().is_null(row) {
                    true => each(Field::Null),
                    false => visit(values, key..key + 1, each),
                }
            }
        }
        // Of the types that are read only Null is left.
        _ => rows.for_each(|_| each(Field::Null)),
    }
}

fn each_text(text: &str) -> Field<'_> {
    Field::Text(text.as_bytes())
}

/// The day of a moment, as UTC has it.
fn moments(array: &ArrayRef, unit: TimeUnit, rows: Range<usize>, each: &mut dyn FnMut(Field<'_>)) {
    let day = |per_second: i64| move |v: i64| Field::Date(v.div_euclid(86_400 * per_second));
    match unit {
        TimeUnit::Second => each_value!(array, TimestampSecondType, rows, each, day(1)),
        TimeUnit::Millisecond => each_value!(array, TimestampMillisecondType, rows, each, day(1_000)),
        TimeUnit::Microsecond => each_value!(array, TimestampMicrosecondType, rows, each, day(1_000_000)),
        TimeUnit::Nanosecond => each_value!(array, TimestampNanosecondType, rows, each, day(1_000_000_000)),
    }
}
