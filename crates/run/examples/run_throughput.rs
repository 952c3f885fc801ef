//! Runs a second of the library's mechanisms, single-threaded. Run with
//! `cargo run --release -p probity-run --example run_throughput [NAME [REPETITIONS]]`; `bench/` compares with others.

use std::hint::black_box;
use std::time::Instant;

use probity_noise::entropy::SecureEntropy;
use probity_run::{Inputs, Proved, Setting};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers = |count: usize| {
        let items: Vec<String> = (0..count).map(|at| format!("{}", at % 10)).collect();
        format!("q=[{}]", items.join(","))
    };
    let rows: [(&str, &str, String, Option<&str>, usize); 6] = [
        ("laplace", "eps=1/2", "x=41.7".into(), Some("1/1024"), 1),
        ("discrete_laplace", "scale=10 d=1", "x=3".into(), None, 1),
        ("snapping", "eps=1 B=100", "x=3".into(), None, 1),
        ("sparse_vector", "eps=1 N=1000 T=1000", numbers(1000), None, 1000),
        ("noisy_max_laplace", "eps=1", numbers(1000), None, 1000),
        ("noisy_histogram", "eps=1", numbers(1000), Some("1/1024"), 1000),
    ];
    let only = std::env::args().nth(1);
    let repetitions = std::env::args().nth(2).map_or(Ok(100), |count| count.parse::<u32>())?;
    let wanted = |name: &str| only.as_ref().is_none_or(|only| only == name);
    for (name, settings, inputs, grid, items) in rows.into_iter().filter(|row| wanted(row.0)) {
        let path = format!("{}/../../mechanisms/{name}.dp", env!("CARGO_MANIFEST_DIR"));
        let settings: Vec<Setting> = settings.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        let mut proved = Proved::load(&std::fs::read_to_string(path)?)?.with(&settings)?;
        if let Some(grid) = grid {
            proved = proved.on_grid(probity_exact::parse_rational(grid)?)?;
        }
        let mut session = proved.prepare(&inputs.parse::<Inputs>()?)?;
        let mut entropy = SecureEntropy::new()?;
        // Short enough that some repetition is not interrupted.
        let runs = (10_000 / items) as u64;
        let mut best = f64::INFINITY;
        for _ in 0..repetitions {
            let start = Instant::now();
            session.runs(runs, &mut entropy, |value| {
                black_box(value);
                true
            })?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        println!("{name:<24} {:>9.2e} items/s", (runs * items as u64) as f64 / best);
    }
    Ok(())
}
