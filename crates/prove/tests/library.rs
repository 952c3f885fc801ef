//! The library of mechanisms: what must be proved is, what must not be is refused.

use std::path::Path;
use std::time::Instant;

use probity_kernel::term::Hints;
use probity_prove::prove;

fn load(path: &str) -> probity_lang::Program {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../mechanisms");
    probity_lang::load(root.join(path)).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn explore() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../mechanisms");
    let mut files: Vec<String> = Vec::new();
    for (dir, prefix) in [(root.clone(), ""), (root.join("broken"), "broken/")] {
        for entry in std::fs::read_dir(dir).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".dp") {
                files.push(format!("{prefix}{name}"));
            }
        }
    }
    files.sort();
    for file in files {
        let program = load(&file);
        let start = Instant::now();
        let hints = program.hints.clone().unwrap_or_else(Hints::default);
        let answer = prove(&program.mechanism, &program.claim, &hints);
        let time = start.elapsed();
        match answer {
            Ok(p) => println!("PROVED {file} {time:?} {:?} {:?}", p.evidence().len(), p.theorem().axioms()),
            Err(e) => {
                println!("OPEN   {file} {time:?} {}", e.to_string().chars().take(1500).collect::<String>())
            }
        }
    }
}
