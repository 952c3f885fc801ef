//! Times the exact audit of single pairs of inputs of the snapping mechanism in binary64.
//!
//! Run with `cargo run --release -p probity-audit --example pairs`.

use std::path::Path;
use std::time::{Duration, Instant};

use probity_audit::{Effort, Given, Inputs, PairReport, Parameters, float_law};
use probity_exact::{Format, Rational, parse_rational, rational};

const PAIRS: [(&str, &str, &str, &str); 5] = [
    ("1", "100", "0", "1"),
    ("1", "100", "0.3", "1.3"),
    ("0.1", "1000", "3.7", "4.7"),
    ("0.5", "2000", "0", "1"),
    ("1", "1e6", "12345.25", "12346.25"),
];

/// Each figure is the best of so many runs.
const RUNS: usize = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../mechanisms/snapping.dp");
    let mechanism = probity_lang::load(file).map_err(|_| "mechanisms/snapping.dp is not readable")?.mechanism;
    println!(
        "{:>5} {:>6} {:>10} {:>10} {:>9}  {:>9} {:>9}",
        "eps", "B", "x", "x'", "outcomes", "pair/ms", "curve/ms"
    );
    for (eps, bound, x, y) in PAIRS {
        let number = |text: &str| parse_rational(text).map_err(|_| "not a number");
        let parameters: Parameters = [("eps".into(), number(eps)?), ("B".into(), number(bound)?)].into();
        let input =
            |text: &str| -> Result<Inputs, &str> { Ok([("x".into(), Given::Number(number(text)?))].into()) };
        let inputs = [input(x)?, input(y)?];
        let (mut pair, mut curve) = (Duration::MAX, Duration::MAX);
        let mut outcomes = 0;
        for _ in 0..RUNS {
            let start = Instant::now();
            let law =
                |inputs| float_law(&mechanism, &parameters, inputs, Format::BINARY64, Effort::default());
            let report = PairReport::new(&law(&inputs[0])?, &law(&inputs[1])?);
            pair = pair.min(start.elapsed());
            outcomes = report.outcomes.len();
            let start = Instant::now();
            let epsilons: Vec<Rational> = (0..100).filter_map(|i| rational(i, 50)).collect();
            std::hint::black_box(report.delta_curve(&epsilons));
            curve = curve.min(start.elapsed());
        }
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        println!("{eps:>5} {bound:>6} {x:>10} {y:>10} {outcomes:>9}  {:>9.2} {:>9.2}", ms(pair), ms(curve));
    }
    Ok(())
}
