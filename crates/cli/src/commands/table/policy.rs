//! `probity policy`: is a policy in order, and a first one from the header of a table.

use std::path::{Path, PathBuf};

use probity_release::engine::csv::Csv;
use probity_release::policy::{self, Column, Domain, Policy, Table, Unit};
use serde_json::{Value, json};

use crate::failure::{Answer, Failure, Status};
use crate::{files, output};

/// A policy to check, or a table to write one for.
#[derive(clap::Args)]
pub struct Arguments {
    /// A policy to check and show
    #[arg(required_unless_present = "suggest", conflicts_with = "suggest")]
    policy: Option<PathBuf>,
    /// Write a first policy for this CSV file. Only its header is read
    #[arg(long, value_name = "FILE")]
    suggest: Option<PathBuf>,
    /// What queries call the table; the name of the file unless given
    #[arg(long, value_name = "NAME", requires = "suggest")]
    table: Option<String>,
    /// Write the policy to this file
    #[arg(long, value_name = "FILE", requires = "suggest")]
    out: Option<PathBuf>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Reads a policy, from a path that is shown in refusals.
pub fn read(path: &Path) -> Result<Policy, Failure> {
    Ok(policy::read(&path.display().to_string(), &files::text(path)?)?)
}

/// The table and the place of a `--data` option.
pub fn named(text: &str) -> Result<(&str, &str), Failure> {
    text.split_once('=').ok_or_else(|| {
        Failure::new(format!("--data {text} does not say which table it is"))
            .hint("write --data people=people.csv")
    })
}

/// Reads those public tables of a policy that `--data` options name.
pub fn read_public(policy: &mut Policy, data: &[String]) -> Result<(), Failure> {
    for text in data {
        let (name, path) = named(text)?;
        if policy.public(name).is_some() {
            let (header, rows) = Csv::new(Path::new(path))?.records(policy::MAX_CATEGORIES)?;
            policy.read_public(name, &header, &rows)?;
        }
    }
    Ok(())
}

/// Checks or suggests.
pub fn run(arguments: &Arguments) -> Answer {
    match (&arguments.suggest, &arguments.policy) {
        (Some(table), _) => suggest(arguments, table),
        (None, Some(path)) => show(arguments, &read(path)?),
        (None, None) => Err(Failure::new("there is no policy").hint("name a file")),
    }
}

fn suggest(arguments: &Arguments, path: &Path) -> Answer {
    let name = match &arguments.table {
        Some(name) => name.clone(),
        None => {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            name.split('.').next().unwrap_or("table").to_owned()
        }
    };
    let text = policy::suggest(&name, &Csv::new(path)?.header()?)?;
    if let Some(out) = &arguments.out {
        if out.exists() {
            return Err(Failure::new(format!("{} is there already", out.display()))
                .hint("name another file: a first policy replaces nothing"));
        }
        files::write(out, text.as_bytes())?;
    }
    match (arguments.json, &arguments.out) {
        (true, _) => output::json(&json!({"policy": text}))?,
        (false, None) => output::print(|out| write!(out, "{text}"))?,
        (false, Some(out)) => output::print(|print| writeln!(print, "written: {}", files::shown(out)))?,
    }
    Ok(Status::Done)
}

/// What values a column has, in words.
fn kind(column: &Column) -> String {
    if let Some(public) = &column.references {
        return format!("a key of {public}");
    }
    match &column.domain {
        Domain::Categories(names) => format!("one of {}", names.len()),
        Domain::Bool => "bool".into(),
        Domain::Number { unit, .. } => {
            format!("number in steps of {}", probity_release::decimal::exact(unit))
        }
        Domain::Date { .. } => "date".into(),
        Domain::Text => "text, not for queries".into(),
        Domain::Discovered { bytes } => format!("a key of at most {bytes} bytes that is discovered"),
    }
}

/// The least and the greatest value of a number or a date, as a person writes them.
fn bounds(column: &Column) -> Option<[String; 2]> {
    let (low, high) = column.bounds()?;
    matches!(column.domain, Domain::Number { .. } | Domain::Date { .. })
        .then(|| [column.shown(low), column.shown(high)])
}

fn to_json(table: &Table, column: &Column) -> Value {
    let mut value = json!({"name": column.name, "type": kind(column), "cleaning": table.cleaning(column)});
    if let Some([low, high]) = bounds(column) {
        value["low"] = low.into();
        value["high"] = high.into();
    }
    value
}

fn public_kind(column: &Column) -> String {
    let bounds = bounds(column).map(|[low, high]| format!(", {low} to {high}")).unwrap_or_default();
    if column.domain == Domain::Text { "text".into() } else { kind(column) + &bounds }
}

fn show(arguments: &Arguments, policy: &Policy) -> Answer {
    if arguments.json {
        let table = |table: &policy::Table| {
            let columns: Vec<Value> = table.columns.iter().map(|column| to_json(table, column)).collect();
            json!({"name": table.name, "unit": unit(&table.unit), "columns": columns})
        };
        let tables: Vec<Value> = policy.tables.iter().map(table).collect();
        let public = |table: &policy::Public| {
            let columns = table.columns.iter();
            let columns = columns.map(|column| json!({"name": column.name, "type": public_kind(column)}));
            json!({"name": table.name, "key": table.key, "columns": columns.collect::<Vec<Value>>()})
        };
        let public: Vec<Value> = policy.public.iter().map(public).collect();
        output::json(&json!({
            "hash": policy.hash(), "budget": policy.total.to_json(), "per_query": policy.per_query.to_json(), "tables": tables,
            "public": public,
        }))?;
        return Ok(Status::Done);
    }
    output::print(|out| {
        writeln!(out, "budget: {}, of which a query spends {}", policy.total, policy.per_query)?;
        writeln!(out, "hash: {}", policy.hash())
    })?;
    for table in &policy.tables {
        output::print(|out| {
            writeln!(out, "\ntable {}: a unit is {}", output::one_line(&table.name), unit(&table.unit))
        })?;
        let rows = table.columns.iter().map(|column| {
            let bounds = bounds(column).map(|[low, high]| format!("{low} to {high}")).unwrap_or_default();
            vec![column.name.clone(), kind(column), bounds, table.cleaning(column)]
        });
        // The rules of cleaning are sentences; none is cut.
        let rows: Vec<Vec<String>> = rows.collect();
        output::print(|out| {
            for row in &rows {
                let [name, kind, bounds, cleaning] = row.as_slice() else { continue };
                let bounds = if bounds.is_empty() { String::new() } else { format!(", {bounds}") };
                writeln!(out, "  {}: {kind}{bounds}; {cleaning}", output::one_line(name))?;
            }
            Ok(())
        })?;
    }
    for public in &policy.public {
        output::print(|out| {
            writeln!(
                out,
                "\npublic table {}: joined by its {}, which must be unique",
                output::one_line(&public.name),
                output::one_line(&public.key)
            )?;
            public.columns.iter().try_for_each(|column| {
                writeln!(out, "  {}: {}", output::one_line(&column.name), public_kind(column))
            })
        })?;
    }
    Ok(Status::Done)
}

fn unit(unit: &Unit) -> String {
    match unit {
        Unit::Row => "a row".into(),
        Unit::User { column, groups, rows_per_group } => {
            format!(
                "all rows with one {column}, in at most {groups} groups with at most {rows_per_group} rows each"
            )
        }
    }
}
