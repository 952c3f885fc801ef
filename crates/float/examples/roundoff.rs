//! Bounds of the rounding errors of every benchmark in the FPCore files given.

use std::time::Instant;

use probity_float::{fpcore, roundoff};

fn main() {
    for path in std::env::args().skip(1) {
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{path}: {error}");
                continue;
            }
        };
        match fpcore::read(&text) {
            Err(error) => eprintln!("{path}: {error}"),
            Ok(file) => file.iter().for_each(report),
        }
    }
}

fn report(benchmark: &fpcore::Benchmark) {
    let start = Instant::now();
    match &benchmark.content {
        Err(reason) => println!("{:<18} not covered: {reason}", benchmark.name),
        Ok(core) => {
            let found = roundoff::analyse(core, &roundoff::Options::default());
            let show = |bound: &Result<f64, roundoff::Unbounded>| match bound {
                Ok(value) => format!("{value:.3e}"),
                Err(reason) => format!("({reason})"),
            };
            println!(
                "{:<18} absolute {} sampled {:.3e} relative {} boxes {} in {:.1} ms",
                benchmark.name,
                show(&found.absolute),
                found.sampled.unwrap_or(f64::NAN),
                show(&found.relative),
                found.boxes,
                start.elapsed().as_secs_f64() * 1e3
            );
        }
    }
}
