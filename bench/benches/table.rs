//! `cargo bench`: the table of `probity_bench`.

fn main() -> Result<(), probity_bench::Failure> {
    probity_bench::run("")
}
