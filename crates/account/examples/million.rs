//! How long a million different pure mechanisms take: `cargo run --release -p probity-account --example million [COUNT]`.
//!
//! Each line is the best of five runs, so that others who use the machine disturb little: reading the expression, its laws, the
//! bracket, and the sum of the three. `perf stat` around it counts all runs.

use std::collections::BTreeMap;
use std::time::Instant;

use probity_account::{Adjacency, Effort, Expression, Question, account};
use probity_exact::parse_rational;

const RUNS: usize = 5;

/// One way to write the k-th loss of n, all different, between 1/1000 and 1/500.
type Writing = fn(usize, usize) -> String;

fn main() -> Result<(), String> {
    let count: usize = std::env::args().nth(1).map_or(Ok(1_000_000), |n| n.parse()).map_err(|_| "COUNT")?;
    let writings: [(&str, Writing); 2] = [
        ("decimals", |k, n| format!("pure({})", 0.001 * (1.0 + k as f64 / n as f64))),
        ("fractions", |k, n| format!("pure({}/{})", n + k, 1000 * n)),
    ];
    for (name, writing) in writings {
        let text = (0..count).map(|k| writing(k, count)).collect::<Vec<_>>().join(" + ");
        let runs: Vec<[f64; 4]> = (0..RUNS).map(|_| timed(&text)).collect::<Result<_, _>>()?;
        let best = runs.iter().min_by(|a, b| a[3].total_cmp(&b[3])).copied().unwrap_or_default();
        let [read, laws, bracket, all] = best;
        println!("{count} {name}: {all:.3} s (text {read:.3}, laws {laws:.3}, bracket {bracket:.3})");
    }
    Ok(())
}

/// Seconds for the text, the laws, the bracket and all.
fn timed(text: &str) -> Result<[f64; 4], String> {
    let start = Instant::now();
    let read = Expression::parse(text).map_err(|fault| fault.to_string())?;
    let parsed = start.elapsed().as_secs_f64();
    let laws = read.evaluate(&BTreeMap::new(), &|_| Err("no files here".into()));
    let laws = laws.map_err(|fault| fault.to_string())?;
    let evaluated = start.elapsed().as_secs_f64();
    let question = Question::Epsilon(parse_rational("1e-6").map_err(|error| error.to_string())?);
    let answer = account(&laws, Adjacency::AddRemove, &question, &Effort::default())?;
    let all = start.elapsed().as_secs_f64();
    match answer.bracket.width() < 1e-2 {
        true => Ok([parsed, evaluated - parsed, all - evaluated, all]),
        false => Err(format!("a width of {:e} only", answer.bracket.width())),
    }
}
