//! Parquet files, behind the feature `parquet`: row group by row group, some thousand rows at a time, read as typed columns.
//!
//! A column is taken if it stands at the top of the schema and has a type with a counterpart in policies. Whether a file is refused is a
//! matter of its schema, never of a value.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType, FixedLenByteArray};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::columns::{Batch, CHUNK, Field, Reader, Space};
use super::compiled::{Compiled, Sums, workers};
use super::csv::files;
use super::rows::places;
use super::{Engine, Exact};
use crate::query::Plan;
use crate::refusal::{Answer, Refusal};

/// A table in Parquet files that have the same columns.
#[derive(Debug, Clone)]
pub struct Parquet {
    paths: Vec<PathBuf>,
}

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bool,
    Signed,
    Unsigned,
    Float,
    Date,
    /// So many digits behind the point.
    Decimal(u8),
    Text,
}

/// The kind of a column, if policies have a counterpart.
fn kind(column: &ColumnDescriptor) -> Option<Kind> {
    if column.max_rep_level() > 0 || column.path().parts().len() > 1 {
        return None;
    }
    let physical = column.physical_type();
    let whole = matches!(physical, Type::INT32 | Type::INT64);
    let bytes = matches!(physical, Type::BYTE_ARRAY);
    // No more digits than an i128 has.
    let decimal = || {
        let fits = column.type_precision() <= 38 && column.type_length() <= 16;
        u8::try_from(column.type_scale()).ok().filter(|_| fits).map(Kind::Decimal)
    };
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Decimal { .. }), _) | (None, ConvertedType::DECIMAL) => decimal(),
        (Some(LogicalType::Date), _) | (None, ConvertedType::DATE) => whole.then_some(Kind::Date),
        (Some(LogicalType::String | LogicalType::Enum), _)
        | (None, ConvertedType::UTF8 | ConvertedType::ENUM) => bytes.then_some(Kind::Text),
        (Some(LogicalType::Integer { .. }), converted) | (None, converted) => match (converted, physical) {
            (ConvertedType::NONE, Type::BOOLEAN) => Some(Kind::Bool),
            (ConvertedType::NONE, Type::FLOAT | Type::DOUBLE) => Some(Kind::Float),
            (ConvertedType::NONE, Type::BYTE_ARRAY) => Some(Kind::Text),
            (
                ConvertedType::NONE
                | ConvertedType::INT_8
                | ConvertedType::INT_16
                | ConvertedType::INT_32
                | ConvertedType::INT_64,
                Type::INT32 | Type::INT64,
            ) => Some(Kind::Signed),
            (
                ConvertedType::UINT_8
                | ConvertedType::UINT_16
                | ConvertedType::UINT_32
                | ConvertedType::UINT_64,
                Type::INT32 | Type::INT64,
            ) => Some(Kind::Unsigned),
            _ => None,
        },
        _ => None,
    }
}

fn cannot(path: &Path) -> impl Fn(ParquetError) -> Refusal + '_ {
    // What the library says may quote the file.
    |_| {
        Refusal::input(format!("cannot read {}: it is no Parquet file, or damaged", path.display()))
            .hint("files packed by snappy, gzip, zstd or lz4 are read")
    }
}

fn open(path: &Path) -> Answer<SerializedFileReader<File>> {
    let file = File::open(path)
        .map_err(|error| Refusal::input(format!("cannot read {}: {}", path.display(), error.kind())))?;
    SerializedFileReader::new(file).map_err(cannot(path))
}

/// The names of a file's columns, and their kinds.
fn header(path: &Path) -> Answer<(Vec<String>, Vec<Option<Kind>>)> {
    let reader = open(path)?;
    let schema = reader.metadata().file_metadata().schema_descr();
    Ok(schema.columns().iter().map(|column| (column.path().string(), kind(column))).unzip())
}

impl Parquet {
    /// The files that a path stands for: itself, or all files that match a `*` in its last part.
    ///
    /// # Errors
    /// When there is none.
    pub fn new(path: &Path) -> Answer<Parquet> {
        Ok(Parquet { paths: files(path)? })
    }

    /// Where the plan's fields stand in a file, behind them the users if those are units, and the kinds of all columns.
    fn places(path: &Path, plan: &Plan) -> Answer<(Vec<usize>, Vec<Option<Kind>>)> {
        let (names, kinds) = header(path)?;
        let places = places(plan, &names)?;
        match places.iter().find(|place| kinds[**place].is_none()) {
            None => Ok((places, kinds)),
            Some(place) => Err(Refusal::input(format!(
                "the column `{}` of {} has a type that policies do not have",
                names[*place],
                path.display()
            ))
            .hint("whole numbers, decimals of at most 38 digits, floats, booleans, dates and texts are read; cast it when the file is written")),
        }
    }
}

impl Engine for Parquet {
    fn check(&self, plan: &Plan) -> Answer<()> {
        self.paths.iter().try_for_each(|path| Parquet::places(path, plan).map(drop))
    }

    fn sums(&self, plan: &Plan, progress: &(dyn Fn(u64, u64) + Sync)) -> Answer<Exact> {
        let compiled = Compiled::new(plan);
        let readers: Vec<Reader> = plan.fields.iter().map(Reader::new).collect();
        let mut groups: Vec<(&Path, usize)> = Vec::new();
        for path in &self.paths {
            groups.extend((0..open(path)?.num_row_groups()).map(|group| (path.as_path(), group)));
        }
        let next = AtomicUsize::new(0);
        let pass = || -> Answer<Sums> {
            let mut sums = compiled.sums();
            let mut space = Space::default();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some((path, group)) = groups.get(number) else { return Ok(sums) };
                let (places, kinds) = Parquet::places(path, plan)?;
                each_batch(path, *group, &places, &kinds, |batch| {
                    // Columns are numbered as they are wanted.
                    let own: Vec<usize> = (0..places.len()).collect();
                    space.add(batch, 0..batch.rows, &readers, &own, &compiled, &mut sums);
                })?;
                progress(number as u64 + 1, groups.len() as u64);
            }
        };
        let parts: Vec<Option<Answer<Sums>>> = thread::scope(|scope| {
            let running: Vec<_> = (0..workers()).map(|_| scope.spawn(pass)).collect();
            running.into_iter().map(|worker| worker.join().ok()).collect()
        });
        let stopped = || Refusal::input("a worker of the pass stopped: a file is damaged");
        let parts: Vec<Sums> =
            parts.into_iter().map(|part| part.ok_or_else(stopped)?).collect::<Answer<_>>()?;
        compiled.finish(parts).ok_or_else(stopped)
    }
}

/// Values of a column as they are stored, without nulls.
enum Values {
    Bool(Vec<bool>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Float(Vec<f32>),
    Double(Vec<f64>),
    Bytes(Vec<ByteArray>),
    Fixed(Vec<FixedLenByteArray>),
}

/// Some rows of a column.
struct Stored {
    kind: Kind,
    values: Values,
    /// For each row whether it has a value; empty if all have.
    present: Vec<bool>,
}

/// Some rows.
struct Piece {
    rows: usize,
    columns: Vec<Stored>,
}

/// Calls for the rows of a row group, some thousand at a time.
fn each_batch(
    path: &Path,
    group: usize,
    places: &[usize],
    kinds: &[Option<Kind>],
    mut call: impl FnMut(&Piece),
) -> Answer<()> {
    let file = open(path)?;
    let group = file.get_row_group(group).map_err(cannot(path))?;
    let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
    let mut readers = Vec::new();
    for place in places {
        let optional = group.metadata().column(*place).column_descr().max_def_level() > 0;
        readers.push((group.get_column_reader(*place).map_err(cannot(path))?, kinds[*place], optional));
    }
    let mut done = 0;
    while done < rows {
        let count = CHUNK.min(rows - done);
        let mut columns = Vec::new();
        for (reader, kind, optional) in &mut readers {
            let stored = read(reader, *kind, *optional, count).map_err(cannot(path))?;
            // Every column has a value or none for every row.
            columns.push(stored.ok_or_else(|| cannot(path)(ParquetError::EOF(String::new())))?);
        }
        call(&Piece { rows: count, columns });
        done += count;
    }
    Ok(())
}

/// So many rows of a column; `None` if there are not so many.
fn read(
    reader: &mut ColumnReader,
    kind: Option<Kind>,
    optional: bool,
    count: usize,
) -> Result<Option<Stored>, ParquetError> {
    let mut present = Vec::new();
    let mut of = (count, optional, &mut present);
    let values = match reader {
        ColumnReader::BoolColumnReader(reader) => filled(reader, &mut of)?.map(Values::Bool),
        ColumnReader::Int32ColumnReader(reader) => filled(reader, &mut of)?.map(Values::Int32),
        ColumnReader::Int64ColumnReader(reader) => filled(reader, &mut of)?.map(Values::Int64),
        ColumnReader::FloatColumnReader(reader) => filled(reader, &mut of)?.map(Values::Float),
        ColumnReader::DoubleColumnReader(reader) => filled(reader, &mut of)?.map(Values::Double),
        ColumnReader::ByteArrayColumnReader(reader) => filled(reader, &mut of)?.map(Values::Bytes),
        ColumnReader::FixedLenByteArrayColumnReader(reader) => filled(reader, &mut of)?.map(Values::Fixed),
        ColumnReader::Int96ColumnReader(_) => None,
    };
    Ok(values.zip(kind).map(|(values, kind)| Stored { kind, values, present }))
}

fn filled<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    (count, optional, present): &mut (usize, bool, &mut Vec<bool>),
) -> Result<Option<Vec<T::T>>, ParquetError> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let mut read = 0;
    while read < *count {
        let (more, ..) = reader.read_records(*count - read, Some(&mut levels), None, &mut values)?;
        if more == 0 {
            return Ok(None);
        }
        read += more;
    }
    if *optional {
        present.extend(levels.iter().map(|level| *level > 0));
    }
    let expected = if *optional { present.iter().filter(|present| **present).count() } else { read };
    let whole = values.len() == expected && (!*optional || present.len() == read);
    Ok(whole.then_some(values))
}

/// An integer of at most 16 bytes, the highest first, with its sign.
fn big_endian(bytes: &[u8]) -> i128 {
    let start = if bytes.first().is_some_and(|byte| *byte >= 0x80) { -1 } else { 0 };
    bytes.iter().fold(start, |number, byte| number << 8 | i128::from(*byte))
}

impl Stored {
    fn field(&self, at: usize) -> Field<'_> {
        let whole = |value: i128| match self.kind {
            Kind::Date => Field::Date(i64::try_from(value).unwrap_or(i64::MAX)),
            Kind::Decimal(scale) => Field::Decimal { units: value, scale },
            _ => Field::Integer(value),
        };
        let bytes = |bytes| match self.kind {
            // A decimal of more bytes than its digits need cannot be one of ours.
            Kind::Decimal(_) if <[u8]>::len(bytes) > 16 => Field::Null,
            Kind::Decimal(_) => whole(big_endian(bytes)),
            _ => Field::Text(bytes),
        };
        match &self.values {
            Values::Bool(values) => Field::Bool(values[at]),
            Values::Int32(values) if self.kind == Kind::Unsigned => whole(i128::from(values[at] as u32)),
            Values::Int64(values) if self.kind == Kind::Unsigned => whole(i128::from(values[at] as u64)),
            Values::Int32(values) => whole(i128::from(values[at])),
            Values::Int64(values) => whole(i128::from(values[at])),
            Values::Float(values) => Field::Float(f64::from(values[at])),
            Values::Double(values) => Field::Float(values[at]),
            Values::Bytes(values) => bytes(values[at].data()),
            Values::Fixed(values) => bytes(values[at].data()),
        }
    }
}

impl Batch for Piece {
    fn rows(&self) -> usize {
        self.rows
    }

    fn visit(&self, column: usize, rows: Range<usize>, each: &mut dyn FnMut(Field<'_>)) {
        let stored = &self.columns[column];
        if stored.present.is_empty() {
            rows.for_each(|row| each(stored.field(row)));
            return;
        }
        let mut at = stored.present[..rows.start].iter().filter(|present| **present).count();
        for present in &stored.present[rows] {
            each(if *present { stored.field(at) } else { Field::Null });
            at += usize::from(*present);
        }
    }
}
