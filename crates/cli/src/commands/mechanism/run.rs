//! `probity run`: private answers from a proved text, with exactly the law of its theorem.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use probity_account::doubles_around;
use probity_exact::{Rational, parse_rational};
use probity_noise::entropy::SecureEntropy;
use probity_release::ledger::{Ledger, PATIENCE, Runs};
use probity_release::loss::Loss as Debited;
use probity_run::{Amount, Inputs, Loss, Proved, RunError, Session, Text, Unproved, Value, Words};
use serde_json::{Value as Json, json};

use crate::failure::{Answer, Failure, Status};
use crate::progress::Progress;
use crate::{files, given, output};

mod private;

use private::{Private, refused_words};

/// What to run, on what, how often.
#[derive(clap::Args)]
pub struct Arguments {
    /// A mechanism file, or - for standard input
    path: PathBuf,
    /// Give a parameter a value, as eps=1; all of them need one
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Give an input a value, as x=41.7 or 'q=[98, 103]'; q=@FILE reads it from a file, q=@- from standard input, and
    /// @FILE all inputs from one JSON object
    #[arg(long = "input", value_name = "NAME=VALUE")]
    inputs: Vec<String>,
    /// Where an input table is: a CSV file whose header names the fields of its rows. A row that is not of its types is dropped; a category is
    /// a number from 0, or a word of --words
    #[arg(long, value_name = "NAME=FILE")]
    data: Vec<String>,
    /// The words that a column has for the categories 0, 1, …, as people.region=north,south; a row with any other cell there is dropped
    #[arg(long, value_name = "TABLE.FIELD=WORDS")]
    words: Vec<String>,
    /// Debit all runs from this ledger before anything is drawn
    #[arg(long, value_name = "FILE", conflicts_with = "unproved")]
    ledger: Option<PathBuf>,
    /// The file, kept elsewhere, by which an older copy of the ledger is noticed
    #[arg(long, value_name = "FILE", requires = "ledger")]
    anchor: Option<PathBuf>,
    /// Round the numbers of the answer to multiples of this, as 2^-10 or 1/100; a real answer needs it
    #[arg(long, value_name = "NUMBER", value_parser = grid, allow_hyphen_values = true)]
    grid: Option<Rational>,
    /// How many independent runs; their losses add
    #[arg(long, short = 'n', default_value_t = 1, value_parser = given::count)]
    #[arg(allow_negative_numbers = true)]
    count: u64,
    /// Replay this certificate instead of looking for a proof
    #[arg(long, value_name = "FILE", conflicts_with = "unproved")]
    certificate: Option<PathBuf>,
    /// Give the search for a proof up after this many seconds; a run itself has no such end, since when it came would tell of the inputs
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, conflicts_with = "unproved")]
    seconds: Option<f64>,
    /// Run without a proof, for an experiment; every answer says so
    #[arg(long)]
    unproved: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// A positive number, also as a power: `2^-10`.
fn grid(text: &str) -> Result<Rational, String> {
    let Some((base, exponent)) = text.split_once('^') else {
        return parse_rational(text).map_err(|error| error.to_string());
    };
    let base = parse_rational(base).map_err(|error| error.to_string())?;
    let exponent: i32 = exponent.trim().parse().map_err(|_| "the exponent must be an integer".to_owned())?;
    if exponent.unsigned_abs() > 4096 {
        return Err("the exponent must lie between -4096 and 4096".into());
    }
    let power = base.pow(exponent.unsigned_abs() as isize);
    match (exponent < 0, power.is_zero()) {
        (true, true) => Err("0 has no negative power".into()),
        (true, false) => Ok(Rational::ONE / power),
        (false, _) => Ok(power),
    }
}

/// Runs.
pub fn run(arguments: &Arguments) -> Answer {
    let start = Instant::now();
    let settings = given::settings(&arguments.settings)?;
    let private = Private::of(arguments)?;
    let (_, program) = files::program(&arguments.path)?;
    let mut text = Text::of(program);
    for (name, _) in &private.tables {
        text = text.awaiting_table(name);
    }
    private.check_inputs(&text)?;
    Words::check(&private.words, &text, &settings).map_err(refused_words)?;
    // Before a long proof is looked for, where nobody has to pay first.
    let read = match arguments.ledger {
        None => Some(private.read_values()?),
        Some(_) => None,
    };
    if let Some(seconds) = arguments.seconds {
        text = text.within(given::seconds(seconds)?);
    }
    if let Some(path) = &arguments.certificate {
        text = text.by_certificate(files::text(path)?);
    }
    let prepared = match read {
        Some(read) if arguments.unproved => unproved(&text, &settings, arguments, &private, &read)?,
        read => {
            let progress = Progress::new();
            progress.show(|| "looking for a proof".into());
            let proved = text.with(&settings);
            drop(progress);
            match proved.and_then(|proved| gridded(proved, arguments)) {
                Ok(proved) => match &arguments.ledger {
                    Some(path) => return paid(proved, path, arguments, &private, start),
                    None => begun(proved, &private, read)?,
                },
                Err(error) => Err(error),
            }
        }
    };
    match prepared {
        Ok((about, session)) => release(arguments, &about, session, start),
        Err(error) if error.is_verdict() => {
            let hint = error.hint();
            match arguments.json {
                true => {
                    output::json(&json!({"status": "not proved", "reason": error.to_string(), "hint": hint}))?
                }
                false => output::print(|out| {
                    writeln!(out, "{error}")?;
                    hint.map_or(Ok(()), |hint| writeln!(out, "  hint: {hint}"))
                })?,
            }
            Ok(Status::No)
        }
        Err(error) => Err(failure(&error)),
    }
}

/// What the runs of a proved text cost in the measure of a ledger.
fn runs<'p>(arguments: &Arguments, ledger: &Ledger, proved: &'p Proved) -> Result<Runs<'p>, Failure> {
    let loss = proved.loss(1);
    let upper = |amount: &Option<Amount>| amount.as_ref().and_then(Amount::upper);
    let (epsilon, delta, rho, mu) =
        (upper(&loss.epsilon), upper(&loss.delta), upper(&loss.rho), upper(&loss.mu));
    let (measure, name) = (ledger.measure(), &proved.mechanism().name);
    let one = Debited::of_run(measure, epsilon.as_ref().zip(delta.as_ref()), rho.as_ref(), mu.as_ref());
    let Some(loss) = one else {
        return Err(Failure::new(format!(
            "the ledger counts in {}, and what {name} loses is stated otherwise ({})",
            measure.name(),
            said(proved, arguments.count)
        ))
        .hint("a ledger in rho takes epsilon, rho and mu; one in epsilon takes epsilon alone, and delta where it has one"));
    };
    let mut what = format!("run {name}");
    arguments.settings.iter().for_each(|setting| what.push_str(&format!(" --set {setting}")));
    what.push_str(&format!(" --count {}", arguments.count));
    let (count, certificate) = (arguments.count, proved.certificate());
    let may_run_out = proved.may_run_out();
    Ok(Runs { mechanism: proved.mechanism(), loss, count, what, certificate, may_run_out })
}

fn failure(error: &RunError) -> Failure {
    hinted(Failure::new(error), error)
}

fn hinted(failure: Failure, error: &RunError) -> Failure {
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// What an answer rests on.
struct About {
    mechanism: String,
    /// `None` for a run without a proof.
    proved: Option<Proved>,
}

fn gridded(proved: Proved, arguments: &Arguments) -> Result<Proved, RunError> {
    match &arguments.grid {
        Some(grid) => proved.on_grid(grid.clone()),
        None => Ok(proved),
    }
}

fn about(proved: Proved) -> About {
    About { mechanism: proved.mechanism().name.to_string(), proved: Some(proved) }
}

/// A run that nobody has to pay for.
fn begun(
    proved: Proved,
    private: &Private,
    read: Option<Inputs>,
) -> Result<Result<(About, Session), RunError>, Failure> {
    let inputs = read.map_or_else(|| private.read_values(), Ok)?;
    let rows = private.read_rows(&|name, header| proved.rows(name, header))?;
    let session = proved.clone().with_rows(rows).and_then(|proved| proved.prepare(&inputs));
    Ok(session.map(|session| (about(proved), session)))
}

/// Nothing private is read before the ledger has debited what an error costs that tells of it: else one run after the other would find a secret
/// out for nothing. What is too much is given back when the last run has ended, so that one that dies before has cost an error as well.
fn paid(proved: Proved, path: &Path, arguments: &Arguments, private: &Private, start: Instant) -> Answer {
    private.check_names(&proved)?;
    if output::is_closed() {
        return Err(Failure::new("standard output is closed: the answer would be paid for and lost"));
    }
    let mut ledger = Ledger::open(path, arguments.anchor.as_deref(), PATIENCE)?;
    let runs = runs(arguments, &ledger, &proved)?;
    let about = about(proved.clone());
    let session = || {
        let inputs = private.read_values().ok()?;
        let rows = private.read_rows(&|name, header| proved.rows(name, header)).ok()?;
        proved.clone().with_rows(rows).ok()?.prepare(&inputs).ok()
    };
    let released = ledger.pay_for_runs(&runs, || {
        let Some(session) = session() else { return Err(Err(refused_inputs())) };
        match release(arguments, &about, session, start) {
            Ok(Status::Done) => Ok(Status::Done),
            without_answer => Err(without_answer),
        }
    })?;
    released.or_else(|without_answer| without_answer)
}

/// An error about private inputs that was paid for: the same for all of them. A text with a thousand assumptions would learn ten bits from the name
/// of the first that fails, and a file from the place of its first fault.
fn refused_inputs() -> Failure {
    Failure::new("the inputs cannot be read, are of another type, or violate an assumption of the mechanism").hint(
        "which of these would tell more of them than was paid for; `run` without --ledger says it, for inputs that you may see",
    )
}

fn unproved(
    text: &Text,
    settings: &[probity_lang::Setting],
    arguments: &Arguments,
    private: &Private,
    inputs: &Inputs,
) -> Result<Result<(About, Session), RunError>, Failure> {
    let gridded = |unproved: Unproved| match &arguments.grid {
        Some(grid) => unproved.on_grid(grid.clone()),
        None => Ok(unproved),
    };
    let unproved = match text.unproved_with(settings).and_then(gridded) {
        Ok(unproved) => unproved,
        Err(error) => return Ok(Err(error)),
    };
    let rows = private.read_rows(&|name, header| unproved.rows(name, header))?;
    let about = About { mechanism: unproved.mechanism().name.to_string(), proved: None };
    Ok(unproved.with_rows(rows).and_then(|unproved| unproved.prepare(inputs)).map(|session| (about, session)))
}

/// Draws and writes answers as they come, so that memory does not grow with their number.
fn release(arguments: &Arguments, about: &About, mut session: Session, start: Instant) -> Answer {
    let mut entropy = SecureEntropy::new().map_err(|error| failure(&error.into()))?;
    let mut failed = None;
    // A terminal shows the values themselves.
    let progress = (!io::IsTerminal::is_terminal(&io::stdout())).then(Progress::new);
    output::print(|out| {
        if arguments.json {
            begin_json(arguments, about, out)?;
        }
        let mut done = 0u64;
        let mut written = Ok(());
        let result = session.runs(arguments.count, &mut entropy, |value| {
            written = match arguments.json {
                true => write!(out, "{}{}", if done == 0 { "\n    " } else { ",\n    " }, to_json(&value)),
                false => writeln!(out, "{value}"),
            };
            done += 1;
            if let Some(progress) = &progress
                && done.is_multiple_of(1 << 16)
            {
                progress.step(done as usize, arguments.count as usize, || "runs".into());
            }
            written.is_ok()
        });
        written?;
        failed = result.err();
        let seconds = start.elapsed().as_secs_f64();
        match (&failed, arguments.json) {
            (None, false) => print_end(arguments, about, out),
            (Some(_), false) => Ok(()),
            (failed, true) => {
                // One object, whatever happens: an error that comes after answers stands beside them.
                let error = failed.as_ref().map_or(String::new(), |error| {
                    format!("\n  \"error\": {},", Json::from(why_ended(arguments, error)))
                });
                writeln!(
                    out,
                    "\n  ],{error}\n  \"draws\": {},\n  \"seconds\": {seconds}\n}}",
                    Json::from(session.draws())
                )
            }
        }
    })?;
    drop(progress);
    match failed {
        None => Ok(Status::Done),
        Some(error) if arguments.json => {
            output::complain(&ended(arguments, &error).to_string());
            Ok(Status::BadInput)
        }
        Some(error) => Err(ended(arguments, &error)),
    }
}

/// Why runs ended. Where inputs are paid for, it is not said which statement had no end for them.
fn why_ended(arguments: &Arguments, error: &RunError) -> String {
    match arguments.ledger.is_some() && error.tells_of_inputs() {
        true => "a run came to no answer: it takes more than this machine has, or draws from a law outside its range".into(),
        false => error.to_string(),
    }
}

fn ended(arguments: &Arguments, error: &RunError) -> Failure {
    hinted(Failure::new(why_ended(arguments, error)), error)
}

fn begin_json(arguments: &Arguments, about: &About, out: &mut dyn Write) -> io::Result<()> {
    let loss = |runs: u64| about.proved.as_ref().map(|proved| proved.loss(runs));
    let mut fields = json!({
        "status": if about.proved.is_some() { "proved" } else { "unproved" },
        "mechanism": about.mechanism,
        "theorem": about.proved.as_ref().map(|proved| proved.theorem().to_string()),
        "certificate": about.proved.as_ref().map(Proved::certificate),
        "grid": arguments.grid.as_ref().map(number),
        "count": arguments.count,
        "composed": measures(loss(arguments.count).as_ref()),
    });
    if let (Some(fields), Json::Object(own)) = (fields.as_object_mut(), measures(loss(1).as_ref())) {
        fields.extend(own);
    }
    let text = format!("{fields:#}");
    // Values come last but two, as they are drawn.
    let open = text.trim_end().trim_end_matches('}').trim_end();
    write!(out, "{open},\n  \"values\": [")
}

fn measures(loss: Option<&Loss>) -> Json {
    let part = |of: fn(&Loss) -> &Option<Amount>| loss.and_then(|loss| of(loss).as_ref()).map(amount);
    json!({
        "epsilon": part(|loss| &loss.epsilon),
        "delta": part(|loss| &loss.delta),
        "rho": part(|loss| &loss.rho),
        "mu": part(|loss| &loss.mu),
    })
}

/// A rational exactly; any other number rounded up to a double, which as it is printed is not below it either.
fn amount(amount: &Amount) -> Json {
    let double = || amount.upper().map_or(f64::INFINITY, |upper| doubles_around(&upper).1);
    amount.exact().map_or_else(|| output::number(double()), number)
}

/// Integers up to this size are the same number in every reader of JSON.
const LARGEST: i64 = 1 << 53;

/// An integer, or the text of a fraction or of an integer beyond 2^53.
fn number(value: &Rational) -> Json {
    let small = value.is_int().then(|| i64::try_from(value.numerator()).ok()).flatten();
    match small {
        Some(small) if (-LARGEST..=LARGEST).contains(&small) => small.into(),
        _ => value.to_string().into(),
    }
}

fn to_json(value: &Value) -> Json {
    match value {
        Value::Number(value) => number(&value.to_rational()),
        Value::Truth(value) => (*value).into(),
        Value::List(items) => items.iter().map(to_json).collect(),
    }
}

/// What so many runs lose, in words.
fn said(proved: &Proved, runs: u64) -> String {
    let loss = proved.loss(runs);
    let part = |name: &str, amount: &Option<Amount>| amount.as_ref().map(|a| format!("{name} = {a}"));
    let parts = [
        part("epsilon", &loss.epsilon),
        part("delta", &loss.delta),
        part("rho", &loss.rho),
        part("mu", &loss.mu),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn print_end(arguments: &Arguments, about: &About, out: &mut dyn Write) -> io::Result<()> {
    let Some(proved) = &about.proved else {
        return writeln!(out, "UNPROVED: nothing is known about the privacy of {}", about.mechanism);
    };
    writeln!(out, "proved: {} is private with {}", about.mechanism, said(proved, 1))?;
    if arguments.count != 1 {
        writeln!(out, "all {} runs together: {}", arguments.count, said(proved, arguments.count))?;
    }
    writeln!(out, "certificate: {}", proved.certificate())
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    #[test]
    fn grids_are_numbers_or_powers() {
        assert_eq!(grid("2^-10"), Ok(rational(1, 1024).unwrap()));
        assert_eq!(grid("10^2"), Ok(rational(100, 1).unwrap()));
        assert_eq!(grid("1/100"), Ok(rational(1, 100).unwrap()));
        for text in ["", "2^", "2^x", "0^-1", "2^1.5", "2^99999", "x"] {
            assert!(grid(text).is_err(), "{text}");
        }
    }

    #[test]
    fn values_are_exact_in_json() {
        let value = Value::List(vec![
            Value::from(rational(-7, 1).unwrap()),
            Value::from(rational(7, 3).unwrap()),
            Value::from(rational(1i64 << 54, 1).unwrap()),
            Value::Truth(true),
        ]);
        assert_eq!(to_json(&value), json!([-7, "7/3", "18014398509481984", true]));
    }
}
