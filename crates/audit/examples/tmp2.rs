//! tmp
use probity_audit::*;
fn main() {
    let mut files: Vec<_> = std::env::args().skip(1).collect();
    files.sort();
    for f in files {
        let p = match probity_lang::load(&f) {
            Ok(p) => p,
            Err(e) => {
                println!("{f}: {e:?}");
                continue;
            }
        };
        let t = std::time::Instant::now();
        let v = search_refutation(&p.mechanism, &p.claim, &Parameters::new());
        let el = t.elapsed();
        match v {
            Ok(Verdict::Refuted(r)) => println!(
                "{f} {el:?}\n   REFUTED loss {} > {} : {:?} {:?} vs {:?} event {} P {} {}",
                r.loss,
                r.epsilon.to_f64(),
                r.parameters.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>(),
                r.first.values().map(|x| x.to_string()).collect::<Vec<_>>(),
                r.second.values().map(|x| x.to_string()).collect::<Vec<_>>(),
                r.event,
                r.first_probability.to_f64(),
                r.second_probability.to_f64()
            ),
            o => println!("{f} {el:?}\n   {o:?}"),
        }
    }
}
