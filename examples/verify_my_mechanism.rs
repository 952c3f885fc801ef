//! Prove a mechanism of your own from Rust, keep the proof, and see a broken one refuted.
//!
//! `cargo run -p probity-examples --bin verify_my_mechanism -- my_mechanism.cert`

use std::error::Error;
use std::process::ExitCode;
use std::{env, fs};

use probity_lang::Program;
use probity_verdict::Inputs;
use probity_verdict::prelude::*;

/// A total in which every entry counts twice, once on each side of the books. Negative answers are shown as 0.
const DOUBLE_ENTRY: &str = "
mechanism double_entry(q: real[])
param eps > 0

total = 0
for i in 0..length(q) {
  total = total + q[i]
}
y ~ laplace(2 * total, 2 / eps)
return max(y, 0)

neighbours one entry of q differs by at most 1
claim eps
";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let path = env::args().nth(1).ok_or("usage: verify_my_mechanism CERTIFICATE")?;

    // 1. Search for a proof. The search may be wrong about anything; the theorem is made by the kernel.
    let honest = load(DOUBLE_ENTRY)?;
    let watch = Watch::default();
    let verdict = verify(&honest, &[], &watch)?;
    let certificate = verdict.to_certificate().ok_or_else(|| format!("not proved: {:?}", verdict.upper))?;
    println!("{}: {} with {}", verdict.status(), honest.mechanism.name, honest.claim);

    // 2. Keep it, and check it as somebody would who trusts neither the search nor the file.
    fs::write(&path, certificate)?;
    let theorem = check(&fs::read_to_string(&path)?, Some((&honest, &[])), &watch)?.theorem?;
    println!("checked: {path} rests on {:?}", theorem.axioms());

    // 3. The same with noise for entries that count once. There is no proof, and there is a counterexample.
    let greedy = load(&DOUBLE_ENTRY.replace("2 / eps", "1 / eps"))?;
    let verdict = verify(&greedy, &[], &watch)?;
    match &verdict.upper {
        Ok(_) => return Err("a false claim was proved".into()),
        Err(reason) => println!("no proof of the greedy one: {reason}"),
    }
    match &verdict.refutation {
        Some(found) => {
            println!("refuted: {} against {}", shown(&found.first), shown(&found.second));
            println!(
                "on the event {} the loss is at least {}, not {}",
                found.event,
                found.loss,
                found.epsilon.to_f64()
            );
        }
        None => println!("no counterexample was found, which shows nothing"),
    }

    // 4. The certificate of the honest one does not pass for the greedy one.
    let text = fs::read_to_string(&path)?;
    match check(&text, Some((&greedy, &[])), &watch)?.is_accepted() {
        true => Err("a certificate was accepted for another mechanism".into()),
        false => {
            println!("the certificate is rejected for the greedy one");
            Ok(())
        }
    }
}

/// Reads a mechanism, or says what is wrong with its text.
fn load(text: &str) -> Result<Program, String> {
    probity_lang::load_text(text).map_err(|faults| probity_lang::render(&faults, "double_entry", text))
}

fn shown(inputs: &Inputs) -> String {
    let parts: Vec<String> = inputs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    parts.join(", ")
}
