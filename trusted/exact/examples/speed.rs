//! Prints the time per call of the directed f64 operations: `cargo run --release -p probity-exact --example speed`.

use std::hint::black_box;
use std::time::Instant;

use probity_exact::directed::*;

const CALLS: usize = 2_000_000;

fn report(name: &str, inputs: &[(f64, f64)], operation: impl Fn(f64, f64) -> f64) {
    // The best of five rounds: what else runs on the machine only ever slows a round down.
    let best = (0..5)
        .map(|_| {
            let start = Instant::now();
            let mut sum = 0u64;
            for i in 0..CALLS {
                let (a, b) = inputs[i % inputs.len()];
                sum ^= operation(a, b).to_bits();
            }
            black_box(sum);
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min);
    println!("{name:>12} {:8.2} ns", best / CALLS as f64 * 1e9);
}

fn main() {
    let mut state = 1u64;
    let mut unit = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / 2f64.powi(53)
    };
    let inputs: Vec<(f64, f64)> = (0..4096).map(|_| (unit() * 100.0 + 1e-9, unit() - 0.5)).collect();
    report("loop only", &inputs, |a, _| a);
    report("add_up", &inputs, add_up);
    report("sub_down", &inputs, sub_down);
    report("mul_up", &inputs, mul_up);
    report("div_down", &inputs, div_down);
    report("sqrt_up", &inputs, |a, _| sqrt_up(a));
    report("ln_up", &inputs, |a, _| ln_up(a));
    report("ln_nearest", &inputs, |a, _| ln_nearest(a));
    report("ln near 1", &inputs, |_, b| ln_nearest(1.0 + b / 256.0));
    report("exp_up", &inputs, |_, b| exp_up(b * 100.0));
    report("exp_nearest", &inputs, |_, b| exp_nearest(b * 100.0));
}
