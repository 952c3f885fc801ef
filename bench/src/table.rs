//! Printing the table and the bars.

use crate::peer;
use crate::rows::{Bar, Figures, Row, Section, Unit, Verdict};

/// What is compared with what.
pub fn print_header() {
    println!("Probity against the opendp crate 0.16.0 and the insecure limit: one thread, CPU time,");
    println!("best of interleaved repetitions. '–' means that there is no such contender.");
    println!("opendp is built {}.", peer::ENTROPY);
    println!("The insecure limit is -ln(u), or the naive code, on f64 with ChaCha12; it is not private.");
}

/// The title of a section and its columns.
pub fn print_section(section: &Section) {
    println!();
    println!(
        "{:<42} {:>11} {:>11} {:>11} {:>11} {:>11}",
        section.title, "Probity", "opendp", "× opendp", "insecure", "× slower"
    );
}

/// One row: the figures and the ratios.
pub fn print_row(row: &Row, figures: &Figures) {
    let figure = |seconds: Option<f64>| match (seconds, row.unit) {
        (None, _) => "–".to_string(),
        (Some(seconds), Unit::PerSecond) => format!("{:.2e}", 1.0 / seconds),
        (Some(seconds), Unit::Nanoseconds) => format!("{:.1}", seconds * 1e9),
    };
    let ratio = |ratio: Option<f64>| match ratio {
        None => "–".to_string(),
        Some(ratio) if ratio >= 10.0 => format!("{ratio:.0}"),
        Some(ratio) => format!("{ratio:.2}"),
    };
    println!(
        "{:<42} {:>11} {:>11} {:>11} {:>11} {:>11}",
        row.name,
        figure(figures.ours),
        figure(figures.peer),
        ratio(figures.times_peer()),
        figure(figures.insecure),
        ratio(figures.times_insecure()),
    );
}

/// What a bar asks for, in words.
///
/// ```
/// use probity_bench::rows::Bar;
/// assert_eq!(probity_bench::table::words(&Bar::TimesPeer(100.0)), "at least 100 times opendp");
/// ```
pub fn words(bar: &Bar) -> String {
    match bar {
        Bar::PerSecond(least) => format!("at least {least:e} per second"),
        Bar::Nanoseconds(most) => format!("at most {most} ns"),
        Bar::TimesPeer(least) => format!("at least {least} times opendp"),
        Bar::OfInsecure(most) => format!("within {most} times of the insecure limit"),
    }
}

/// The bars that are not met, one by one, and how many are.
pub fn print_verdicts(verdicts: &[Verdict]) {
    println!();
    for verdict in verdicts.iter().filter(|verdict| !verdict.met) {
        println!("not met: {}: {}", verdict.row, words(&verdict.bar));
    }
    let met = verdicts.iter().filter(|verdict| verdict.met).count();
    println!("bars met: {met} of {}", verdicts.len());
    if !peer::AS_IT_COMES {
        println!(
            "(The bar of 100 times opendp was set for opendp as it comes, with OpenSSL: --features openssl.)"
        );
    }
}
