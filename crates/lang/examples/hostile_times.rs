//! Prints how long each hostile megabyte takes to load, and the longest of all. The bar is a second each.
//!
//! `cargo run --release -p probity-lang --example hostile_times`

#[path = "../tests/common/hostile.rs"]
mod hostile;

use std::time::Instant;

fn main() {
    let mut longest = 0.0f64;
    for text in hostile::hostile() {
        let start = Instant::now();
        let faults = probity_lang::load_text(&text).map_or_else(|faults| faults.len(), |_| 0);
        let seconds = start.elapsed().as_secs_f64();
        longest = longest.max(seconds);
        let sample: String = text.chars().skip(text.chars().count() / 2).take(24).collect();
        println!("{seconds:8.3} s  {faults:4} faults  {} kB  …{:?}…", text.len() >> 10, sample);
    }
    println!("longest {longest:.3} s");
}
