//! `cargo run --release [-- WORDS]`: the table of `probity_bench`, or of it the rows whose names contain the words.

fn main() -> Result<(), probity_bench::Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    probity_bench::run(&words.join(" "))
}
