//! CPU of proving texts, writing their certificates and replaying them: the least of some rounds.
use std::time::Duration;

use probity_lang::{Setting, load_text};
use probity_prove::certificate;

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let rounds: usize = arguments.remove(0).parse().expect("how many rounds");
    for file in arguments {
        let text = std::fs::read_to_string(&file).expect("a readable file");
        let mut least = [Duration::MAX; 4];
        let mut size = 0;
        for _ in 0..rounds {
            let start = cpu();
            let program = load_text(&text).expect("a mechanism");
            let name = if text.contains("\nclaim rho") { "rho" } else { "eps" };
            let value = if name == "rho" { "1/100" } else { "1/2" };
            let value = probity_exact::parse_rational(value).expect("a number");
            let program = program.with(&[Setting { name: name.into(), value }]).expect("a value");
            let loaded = cpu();
            let hints = program.hints.clone().unwrap_or_default();
            let proof = probity_prove::prove_until(&program.mechanism, &program.claim, &hints, None)
                .unwrap_or_else(|failure| panic!("{file}: {failure}"));
            let proved = cpu();
            let certificate = certificate::write(&proof);
            let written = cpu();
            assert!(certificate::check_for(&certificate, &program.mechanism, &program.claim).is_ok());
            let checked = cpu();
            size = certificate.len();
            for (known, new) in
                least.iter_mut().zip([loaded - start, proved - loaded, written - proved, checked - written])
            {
                *known = (*known).min(new);
            }
        }
        let ms = |at: usize| least[at].as_secs_f64() * 1000.0;
        println!(
            "{file}: load {:.1} prove {:.1} write {:.1} replay {:.1} ms, {size} bytes",
            ms(0),
            ms(1),
            ms(2),
            ms(3)
        );
    }
}

/// What this thread has had of a processor.
fn cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("schedstat");
    let nanos = text.split(' ').next().and_then(|n| n.parse().ok()).expect("a number");
    Duration::from_nanos(nanos)
}
