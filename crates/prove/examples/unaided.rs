//! Which of the given texts are proved without hints, how long that takes, and why not where not.
//!
//! `cargo run --release -p probity-prove --example unaided -- tests/prove/*.dp`

use std::time::Instant;

use probity_kernel::term::Hints;
use probity_prove::{certificate, prove};

fn main() {
    let mut proved = 0;
    let paths: Vec<String> = std::env::args().skip(1).collect();
    for path in &paths {
        let program = match probity_lang::load(std::path::Path::new(path)) {
            Ok(program) => program,
            Err(error) => {
                println!("UNREADABLE {path}\n{error}");
                continue;
            }
        };
        let start = Instant::now();
        let answer = prove(&program.mechanism, &program.claim, &Hints::default());
        let seconds = start.elapsed().as_secs_f64();
        match answer {
            Ok(proof) => {
                proved += 1;
                let text = certificate::write(&proof);
                let start = Instant::now();
                let again = certificate::check_for(&text, &program.mechanism, &program.claim).is_ok();
                let replay = start.elapsed().as_secs_f64();
                println!(
                    "proved {seconds:.3} s, replayed {again} {replay:.3} s, {} bytes  {path}",
                    text.len()
                );
            }
            Err(failure) => println!("OPEN   {seconds:.3} s  {path}\n       {failure:#}"),
        }
    }
    println!("{proved} of {} proved", paths.len());
}
