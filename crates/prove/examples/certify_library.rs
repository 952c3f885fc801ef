//! Proves every mechanism of a directory, prints a table with times, and writes the certificates.
//!
//! `cargo run --release -p probity-prove --example certify_library -- mechanisms certificates`

use std::path::Path;
use std::time::Instant;
use std::{env, fs, process};

use probity_prove::{certificate, prove};

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [from, to] = arguments.as_slice() else {
        eprintln!("usage: certify_library MECHANISMS CERTIFICATES");
        process::exit(2);
    };
    if let Err(error) = run(Path::new(from), Path::new(to)) {
        eprintln!("{error}");
        process::exit(2);
    }
}

fn run(from: &Path, to: &Path) -> Result<(), Box<dyn std::error::Error>> {
    fs::create_dir_all(to)?;
    let mut files: Vec<_> = fs::read_dir(from)?.collect::<Result<_, _>>()?;
    files.sort_by_key(|entry| entry.file_name());
    println!("{:32} {:8} {:>9} {:>9} {:>8}", "mechanism", "status", "search", "replay", "bytes");
    for path in files.iter().map(|entry| entry.path()).filter(|p| p.extension().is_some_and(|e| e == "dp")) {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let program = probity_lang::load(&path)?;
        let begun = Instant::now();
        let answer = prove(&program.mechanism, &program.claim, &program.hints.unwrap_or_default());
        let searched = begun.elapsed().as_secs_f64() * 1e3;
        match answer {
            Ok(proof) => {
                let text = certificate::write(&proof);
                let begun = Instant::now();
                certificate::check(&text)?;
                let replayed = begun.elapsed().as_secs_f64() * 1e3;
                println!("{stem:32} proved   {searched:6.1} ms {replayed:6.1} ms {:8}", text.len());
                fs::write(to.join(format!("{stem}.cert")), text)?;
            }
            Err(failure) => println!("{stem:32} open     {searched:6.1} ms   {failure}"),
        }
    }
    Ok(())
}
