//! scratch
fn main() {
    for path in std::env::args().skip(1) {
        let program = match probity_lang::load(&path) {
            Ok(p) => p,
            Err(e) => {
                println!("{path}: LOAD\n{e}");
                continue;
            }
        };
        let t = std::time::Instant::now();
        match probity_prove::prove(
            &program.mechanism,
            &program.claim,
            &program.hints.clone().unwrap_or_default(),
        ) {
            Ok(proof) => {
                println!("{path}: proved {:?}", t.elapsed());
                let cert = probity_prove::certificate::write(&proof);
                probity_prove::certificate::check(&cert).unwrap();
                if std::env::var("SHOW").is_ok() {
                    for l in probity_prove::outline::outline(&proof) {
                        println!("   {} | {}", l.statement, l.rule)
                    }
                    println!("{:?}", proof.theorem().axioms())
                }
            }
            Err(f) => println!("{path}: FAILED {:?} {f}", t.elapsed()),
        }
    }
}
