//! Which of the given texts are proved without hints, how long that takes, and why not where not. With `--less`, of a hundredth
//! less than they claim, for three seconds each: what is proved then claims more than it must.
//!
//! `cargo run --release -p probity-prove --example unaided -- tests/prove/*.dp`

use std::time::{Duration, Instant};

use probity_kernel::expr::Expr;
use probity_kernel::term::Hints;
use probity_prove::{certificate, prove_until};

fn main() {
    let mut proved = 0;
    let (options, paths): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|a| a == "--less");
    let less = !options.is_empty();
    for path in &paths {
        let mut program = match probity_lang::load(std::path::Path::new(path)) {
            Ok(program) => program,
            Err(error) => {
                println!("UNREADABLE {path}\n{error}");
                continue;
            }
        };
        let start = Instant::now();
        let end = less.then(|| start + Duration::from_secs(3));
        if less {
            program.claim.epsilon = program.claim.epsilon * (Expr::int(99) / Expr::int(100));
        }
        let answer = prove_until(&program.mechanism, &program.claim, &Hints::default(), end);
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
