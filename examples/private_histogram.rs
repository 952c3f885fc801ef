//! A private histogram of one column of a table.
//!
//! `cargo run -p probity-examples --bin private_histogram -- examples/data/commuters.csv commute 1/2 foot,bicycle,bus,train,car`
//!
//! The categories are an argument: which values occur in the data is private, so a program must not find them there.

use std::error::Error;
use std::process::ExitCode;
use std::{env, fs};

use probity_exact::{fraction, parse_rational};
use probity_noise::accuracy::{Level, laplace_error};
use probity_noise::calibrate::laplace_scale;
use probity_noise::domain::{IntegerRange, Vectors};
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
    let [path, column, epsilon, categories] = &arguments[..] else {
        return Err("usage: private_histogram TABLE.csv COLUMN EPSILON CATEGORY,CATEGORY,…".into());
    };
    let table = fs::read_to_string(path).map_err(|error| format!("cannot read {path}: {error}"))?;
    let categories: Vec<&str> = categories.split(',').map(str::trim).collect();
    let counts = tally(&table, column, &categories)?;

    // A person is in one category at most, so adding or removing one moves one count by 1: 1 in L1, however many
    // categories there are. All counts together cost one epsilon.
    let one_person = Sensitivity::from(1u32);
    let scale = laplace_scale(&one_person, &Epsilon::new(parse_rational(epsilon)?)?)?;
    let domain = Vectors::of(IntegerRange::WIDEST).with_length(categories.len())?;
    let histogram = discrete_laplace(domain, scale.clone())?
        // Nobody expects negative counts. Clamping sees the noisy answer only: it costs nothing, and brings no
        // count further from the truth.
        .post_process(|counts: Vec<i64>| counts.into_iter().map(|count| count.max(0)).collect::<Vec<_>>());

    let noisy = histogram.invoke(&counts)?;
    let level = Level::new(fraction::<1, 20>())?;
    let error = laplace_error(&scale, &level, categories.len() as u64)?;
    let widest = categories.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    for (category, count) in categories.iter().zip(&noisy) {
        println!("{category:<widest$} {count:>6} {}", "#".repeat((*count).clamp(0, 80) as usize));
    }
    println!("all counts are within {error} of the truth with probability 95 %");
    println!("cost: {}", histogram.map(&one_person)?);
    Ok(())
}

/// How many rows have each category in the named column. Rows with another value are in no category.
fn tally(table: &str, column: &str, categories: &[&str]) -> Result<Vec<i64>, String> {
    let mut lines = table.lines();
    let header = lines.next().ok_or("the table is empty")?;
    let position = header
        .split(',')
        .position(|name| name.trim() == column)
        .ok_or_else(|| format!("there is no column {column}; the table has {header}"))?;
    let mut counts = vec![0; categories.len()];
    for line in lines {
        let field = line.split(',').nth(position).map(str::trim);
        if let Some(found) = categories.iter().position(|category| Some(*category) == field) {
            counts[found] += 1;
        }
    }
    Ok(counts)
}
