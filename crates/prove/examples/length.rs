//! How long proofs take as texts get longer: prints a table and draws it.
//!
//! `cargo run --release -p probity-prove --example length -- docs/length.svg`

// Where a point is drawn decides nothing.
#![allow(clippy::disallowed_methods)]

use std::fmt::Write as _;
use std::sync::OnceLock;
use std::time::Instant;
use std::{env, fs, process};

use probity_kernel::term::Hints;
use probity_prove::{certificate, prove};

/// A kind of text, how long it may get, and its text of a length.
type Family = (&'static str, &'static [usize], fn(usize) -> String);

const FAMILIES: [Family; 6] = [
    ("draws from a list", &[10, 30, 100, 300, 1000], draws_from_a_list),
    ("draws from a number", &[10, 30, 100, 300, 1000], draws_from_a_number),
    ("assignments", &[10, 30, 100, 300, 1000], assignments),
    ("ifs on one noisy value", &[4, 8, 16, 32, 64], ifs),
    ("loops one after the other", &[4, 8, 16, 32, 64], loops),
    ("sums over a table", &[10, 20, 50, 100, 200], aggregates),
];

fn each(n: usize, line: &dyn Fn(usize) -> String) -> String {
    (0..n).map(line).collect()
}

fn text(input: &str, body: &str, neighbours: &str) -> String {
    format!(
        "mechanism m({input})\nparam eps > 0\nout = []\n{body}return out\nneighbours {neighbours}\nclaim eps\n"
    )
}

fn draws_from_a_list(n: usize) -> String {
    let body = each(n, &|k| format!("y{k} ~ laplace(q[{k}], {n} / eps)\nappend(out, y{k})\n"));
    text("q: real[]", &body, "every entry of q differs by at most 1")
}

fn draws_from_a_number(n: usize) -> String {
    let body = each(n, &|k| format!("y{k} ~ laplace(x, {n} / eps)\nappend(out, y{k})\n"));
    text("x: real", &body, "abs(x' - x) <= 1")
}

fn assignments(n: usize) -> String {
    let body = each(n, &|k| format!("a{} = a{k} + {k}\n", k + 1));
    let body = format!("a0 = x\n{body}y ~ laplace(a{n}, 1 / eps)\nappend(out, y)\n");
    text("x: real", &body, "abs(x' - x) <= 1")
}

fn ifs(n: usize) -> String {
    let body = each(n, &|k| format!("if y > {k} {{\n  c = c + 1\n}} else {{\n  c = c - {k}\n}}\n"));
    let body = format!("y ~ laplace(x, 1 / eps)\nc = 0\n{body}append(out, c)\n");
    text("x: real", &body, "abs(x' - x) <= 1")
}

fn loops(n: usize) -> String {
    let body = each(n, &|k| {
        let sum = format!("s{k} = 0\nfor i{k} in 0..length(q) {{\n  s{k} = s{k} + q[i{k}]\n}}\n");
        format!("{sum}y{k} ~ laplace(s{k}, {n} / eps)\nappend(out, y{k})\n")
    });
    text("q: real[]", &body, "one entry of q differs by at most 1")
}

fn aggregates(n: usize) -> String {
    let body = each(n, &|k| {
        format!(
            "c{k} ~ laplace(sum(r in t where r.age > {k}, clamp(r.income, 0, 9)), 9 * {n} / eps)\nappend(out, c{k})\n"
        )
    });
    text("t: rows(age: int, income: real)", &body, "one row of t is added or removed")
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [path] = arguments.as_slice() else {
        eprintln!("usage: length FILE.svg");
        process::exit(2);
    };
    println!("{:28} {:>6} {:>9} {:>9} {:>9}", "", "steps", "proved", "replayed", "bytes");
    let mut lines = Vec::new();
    for (name, lengths, make) in FAMILIES {
        let mut points = Vec::new();
        for &n in lengths {
            let program = probity_lang::load_text(&make(n)).expect("a text that can be read");
            let begun = clock();
            let proof = prove(&program.mechanism, &program.claim, &Hints::default()).expect("a proof");
            let proved = clock() - begun;
            let file = certificate::write(&proof);
            let begun = clock();
            certificate::check(&file).expect("a certificate");
            let replayed = clock() - begun;
            println!("{name:28} {n:6} {proved:7.3} s {replayed:7.3} s {:9}", file.len());
            points.push((n as f64, proved));
        }
        lines.push((name, points));
    }
    if let Err(error) = fs::write(path, svg(&lines)) {
        eprintln!("cannot write {path}: {error}");
        process::exit(2);
    }
}

/// Seconds that this thread has run, where the system says that, so that a busy machine does not count; else of the clock.
fn clock() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let wall = START.get_or_init(Instant::now).elapsed().as_secs_f64();
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let ran = text.split_whitespace().next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok());
    ran.map_or(wall, |nanoseconds| nanoseconds / 1e9)
}

/// The plot, with logarithmic axes: a line of slope 1 is time that grows with the length.
fn svg(lines: &[(&str, Vec<(f64, f64)>)]) -> String {
    const COLOURS: [&str; 6] = ["#0b62a4", "#c2410c", "#15803d", "#7e22ce", "#a16207", "#be123c"];
    let x = |n: f64| 60.0 + 420.0 * (n.log10() - 0.5) / 2.6;
    let y = |s: f64| 300.0 - 270.0 * (s.max(1e-4).log10() + 4.0) / 5.0;
    let mut out = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 700 340\" font-family=\"sans-serif\" font-size=\"12\">\n",
    );
    for (n, label) in [(10.0, "10"), (100.0, "100"), (1000.0, "1000 steps")] {
        let _ =
            writeln!(out, "<line x1=\"{0:.0}\" x2=\"{0:.0}\" y1=\"30\" y2=\"300\" stroke=\"#ddd\"/>", x(n));
        let _ = writeln!(out, "<text x=\"{:.0}\" y=\"318\" text-anchor=\"middle\">{label}</text>", x(n));
    }
    for (s, label) in
        [(1e-4, "0.1 ms"), (1e-3, "1 ms"), (1e-2, "10 ms"), (0.1, "0.1 s"), (1.0, "1 s"), (10.0, "10 s")]
    {
        let _ =
            writeln!(out, "<line x1=\"60\" x2=\"480\" y1=\"{0:.0}\" y2=\"{0:.0}\" stroke=\"#ddd\"/>", y(s));
        let _ = writeln!(out, "<text x=\"55\" y=\"{:.0}\" text-anchor=\"end\">{label}</text>", y(s) + 4.0);
    }
    for (number, ((name, points), colour)) in lines.iter().zip(COLOURS).enumerate() {
        let path: Vec<String> = points.iter().map(|(n, s)| format!("{:.1},{:.1}", x(*n), y(*s))).collect();
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            path.join(" ")
        );
        let at = 50 + 20 * number;
        let _ = writeln!(out, "<text x=\"500\" y=\"{at}\" fill=\"{colour}\">{name}</text>");
    }
    out.push_str("</svg>\n");
    out
}
