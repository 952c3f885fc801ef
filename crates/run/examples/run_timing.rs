//! Does the time of a run tell its input or its answer? A report per text, and a verdict, by the harness of the noise crate.
//!
//! The texts have no branch or loop that depends on data, so the work of a run's first stage is the same for every input. The last row
//! is a text that branches on its input: it must be found.
//!
//! Run with `cargo run --release -p probity-run --example run_timing [DRAWS]`; 1000000 runs a row unless told otherwise. Exit code 1 when a text
//! is told apart, or the twin is not.

#[path = "../../noise/examples/timing/report.rs"]
mod report;
#[path = "../../noise/examples/timing/welch.rs"]
mod welch;

use std::cell::RefCell;
use std::hint::black_box;
use std::process::ExitCode;

use probity_noise::entropy::SecureEntropy;
use probity_run::{Proved, Session, Setting, Value};
use report::{Failure, Report};

/// Sessions of each input, taken in turns: where one lies in memory must not pass for its input.
const COPIES: usize = 8;

/// Twice the distance of the first number of an answer from 0, rounded down: something to sort by.
fn size(value: &Value) -> i64 {
    match value {
        Value::Number(number) => (2.0 * number.to_rational().to_f64().value().abs()) as i64,
        Value::Truth(truth) => i64::from(*truth),
        Value::List(items) => items.first().map_or(0, size),
    }
}

/// A row for two inputs, and one for the answers to the first of them where `far` says from which size on an answer is far.
fn rows(
    report: &mut Report,
    name: &str,
    sessions: [Session; 2],
    far: Option<i64>,
    leaks: bool,
) -> Result<(), Failure> {
    let entropy = &mut SecureEntropy::new()?;
    let mut copies: Vec<[Session; 2]> = vec![sessions; COPIES];
    let mut turn = 0;
    report.row(&format!("{name}: one input or another"), report.draws, leaks, None, |class| {
        turn = (turn + 1) % COPIES;
        black_box(copies[turn][usize::from(class)].run(entropy)?);
        Ok(0)
    })?;
    if let Some(far) = far {
        let session = &mut copies[0][0];
        // Looked at after the clock has stopped.
        let last = RefCell::new(Value::Truth(false));
        let sort = |_: i64| size(&last.borrow()) >= far;
        report.row(&format!("{name}: near or far"), report.draws, leaks, Some(&sort), |_| {
            *last.borrow_mut() = session.run(entropy)?;
            Ok(0)
        })?;
    }
    Ok(())
}

/// A mechanism of the library: its name, and its text.
macro_rules! text {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../mechanisms/", $name, ".dp")))
    };
}

/// A text with its name, parameters, two inputs, a grid, and the size from which on an answer is far.
type Row = ((&'static str, &'static str), &'static str, [&'static str; 2], Option<&'static str>, Option<i64>);

fn settings(text: &str) -> Result<Vec<Setting>, Failure> {
    Ok(text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?)
}

fn main() -> Result<ExitCode, Failure> {
    let mut report = Report::begin()?;
    let texts: [Row; 7] = [
        (text!("laplace"), "eps=1", ["x=0", "x=123456.789"], Some("1/1024"), Some(1)),
        (text!("discrete_laplace"), "scale=10 d=1", ["x=0", "x=123456"], None, Some(14)),
        (text!("partial_sum"), "eps=1", ["q=[0, 0, 0]", "q=[0.1, 1000, -7]"], Some("1/1024"), Some(1)),
        (text!("noisy_histogram"), "eps=1", ["q=[0, 0, 0]", "q=[0.1, 1000, -7]"], Some("1/1024"), Some(1)),
        (text!("gaussian"), "sigma=1 d=1", ["x=0", "x=123456.789"], Some("1/1024"), Some(1)),
        (text!("randomized_response"), "t=10 p=1/2", ["x=0", "x=9"], None, Some(1)),
        (text!("snapping"), "eps=1 B=100", ["x=0", "x=50"], None, Some(2)),
    ];
    for ((name, text), set, inputs, grid, far) in texts {
        let mut proved = Proved::load(text)?.with(&settings(set)?)?;
        if let Some(grid) = grid {
            proved = proved.on_grid(probity_exact::parse_rational(grid)?)?;
        }
        let sessions = [proved.prepare(&inputs[0].parse()?)?, proved.prepare(&inputs[1].parse()?)?];
        rows(&mut report, name, sessions, far, false)?;
    }
    let twin = "mechanism twin(x: int)\ny ~ discrete_laplace(x, 1)\nz = y\nif x > 5 {\n  z = y + 1\n}\nreturn z\n\
                neighbours abs(x' - x) <= 1\nclaim 1";
    let twin = Proved::load(twin)?.unproved_with(&[])?;
    let sessions = [twin.prepare(&"x=0".parse()?)?, twin.prepare(&"x=9".parse()?)?];
    rows(&mut report, "TWIN: a text that branches on its input", sessions, None, true)?;
    Ok(report.end())
}
