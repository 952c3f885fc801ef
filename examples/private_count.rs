//! How many rows of a table meet a condition, privately.
//!
//! `cargo run -p probity-examples --bin private_count -- examples/data/commuters.csv commute bicycle 1/2`
//!
//! Prints the noisy count, what it cost, and how far off it may be.

use std::error::Error;
use std::process::ExitCode;
use std::{env, fs};

use probity_exact::{fraction, parse_rational};
use probity_noise::accuracy::{Level, laplace_error};
use probity_noise::calibrate::laplace_scale;
use probity_noise::domain::IntegerRange;
use probity_noise::mechanisms::discrete_laplace;
use probity_noise::unit::{Epsilon, Sensitivity};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [path, column, value, epsilon] = &arguments[..] else {
        return Err("usage: private_count TABLE.csv COLUMN VALUE EPSILON".into());
    };
    let table = fs::read_to_string(path).map_err(|error| format!("cannot read {path}: {error}"))?;
    let count = count(&table, column, value)?;

    // Adding or removing one row moves a count by 1. Epsilon is read exactly, so 1/3 is a third.
    let epsilon = Epsilon::new(parse_rational(epsilon)?)?;
    let one_row = Sensitivity::from(1u32);
    let scale = laplace_scale(&one_row, &epsilon)?;
    let release = discrete_laplace(IntegerRange::WIDEST, scale.clone())?;

    let noisy = release.invoke(&count)?;
    let error = laplace_error(&scale, &Level::new(fraction::<1, 20>())?, 1)?;
    println!("{noisy} rows have {column} = {value}, up to {error} more or fewer (95 %)");
    println!("cost: {}, noise of scale {}", release.map(&one_row)?, scale.value());
    Ok(())
}

/// Counts the rows whose field in the named column is the value. Fields are separated by commas and not quoted.
fn count(table: &str, column: &str, value: &str) -> Result<i64, String> {
    let mut lines = table.lines();
    let header = lines.next().ok_or("the table is empty")?;
    let position = header
        .split(',')
        .position(|name| name.trim() == column)
        .ok_or_else(|| format!("there is no column {column}; the table has {header}"))?;
    let hits = lines.filter(|line| line.split(',').nth(position).is_some_and(|field| field.trim() == value));
    i64::try_from(hits.count()).map_err(|_| "the table has too many rows".to_owned())
}
