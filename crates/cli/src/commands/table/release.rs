//! `probity release`: private answers to SQL queries. The crate `probity-release` decides; this reads arguments and prints.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use probity_exact::{Rational, parse_rational};
use probity_release::answer::{self, Rows};
use probity_release::certificate::{self, assumptions};
use probity_release::decimal;
use probity_release::engine::client::Client;
use probity_release::engine::{self, Engine};
use probity_release::ledger::{Ledger, PATIENCE, State};
use probity_release::loss::Loss;
use probity_release::policy::Policy;
use probity_release::prepare::{self, Prepared};
use probity_release::query::DrawKind;
use probity_release::refusal::Refusal;
use probity_release::release::{self, Asking, Proven, Released};
use serde_json::{Value, json};

use crate::commands::policy;
use crate::failure::{Answer, Failure, Status};
use crate::progress::{Progress, saying};
use crate::{files, output};

/// What is asked, of whom, and how the answer is shown.
#[derive(clap::Args)]
pub struct Arguments {
    /// Queries in SQL; several share the budget of one. `-` reads one from standard input
    #[arg(required = true, value_name = "QUERY")]
    queries: Vec<String>,
    /// The policy: tables, columns, the privacy unit, the budget
    #[arg(long, value_name = "FILE")]
    policy: PathBuf,
    /// The ledger from which the cost is debited
    #[arg(long, value_name = "FILE", required_unless_present_any = ["preview", "explain"])]
    ledger: Option<PathBuf>,
    /// Make the ledger if there is none
    #[arg(long)]
    init: bool,
    /// The file, kept elsewhere, by which an older copy of the ledger is noticed
    #[arg(long, value_name = "FILE")]
    anchor: Option<PathBuf>,
    /// Where a table is: a CSV file, also packed by gzip, several by `*`, or - for standard input; a Parquet file,
    /// if probity was built with that feature; or another engine, as
    /// postgresql://HOST/DB#TABLE, duckdb:FILE#TABLE, spark:MASTER#TABLE. A public table is a CSV file
    #[arg(long, value_name = "TABLE=FILE")]
    data: Vec<String>,
    /// The version of the data, as the owner calls it: answers are stored for it
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    data_version: String,
    /// Show the cost and the expected error of every column; nothing is read or spent
    #[arg(long, conflicts_with = "explain")]
    preview: bool,
    /// Show the mechanism, its theorem and the sensitivity of every column; nothing is read or spent
    #[arg(long)]
    explain: bool,
    /// The error bars hold with probability 1 - ALPHA
    #[arg(long, value_parser = parse_rational, default_value = "0.05", allow_negative_numbers = true)]
    alpha: Rational,
    /// Weigh columns: a heavier one gets more of the budget and so less noise
    #[arg(long, value_name = "COLUMN=WEIGHT", value_delimiter = ',')]
    split: Vec<String>,
    /// Draw anew, at its cost, although the same query was answered before
    #[arg(long)]
    again: bool,
    /// Where to write the certificate; beside the ledger unless given
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Answer in CSV: the rows alone
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Answers.
pub fn run(arguments: &Arguments) -> Answer {
    if arguments.alpha <= Rational::ZERO || arguments.alpha >= Rational::ONE {
        return Err(
            Failure::new("--alpha must be more than 0 and less than 1").hint("0.05 gives error bars at 95 %")
        );
    }
    let mut policy = policy::read(&arguments.policy)?;
    policy::read_public(&mut policy, &arguments.data)?;
    let policy = policy;
    // A table that is read as a query would be quoted in the message.
    let piped = |text: &String| text == "-" || text.ends_with("=-");
    if arguments.queries.iter().chain(&arguments.data).filter(|text| piped(text)).count() > 1 {
        return Err(Failure::new(
            "standard input is one query or one table, and it is asked for more than once",
        ));
    }
    check_piped_table(arguments, &policy)?;
    let queries = arguments
        .queries
        .iter()
        .map(|query| if query == "-" { files::text(Path::new("-")) } else { Ok(query.clone()) })
        .collect::<Result<Vec<String>, Failure>>()?;
    let prepared = prepare::prepare(&policy, &queries, &prepare::weights(&arguments.split)?)?;
    if arguments.preview {
        return preview(arguments, &prepared);
    }
    if arguments.explain {
        return explain(arguments, &prepared);
    }
    let Some(path) = &arguments.ledger else {
        return Err(Failure::new("no ledger was named").hint("add --ledger FILE"));
    };
    let engines = engines(arguments, &policy)?;
    if arguments.certificate.is_some() && queries.len() > 1 {
        return Err(Failure::new("--certificate names one file, and there are several queries")
            .hint("leave it out: each certificate is written beside the ledger"));
    }
    if let Some(certificate) = &arguments.certificate {
        files::check_place(certificate)?;
        certificate::check_place(certificate)?;
    }
    let anchor = arguments.anchor.as_deref();
    let mut ledger = match arguments.init {
        true => Ledger::init(path, &policy, anchor, true, PATIENCE)?,
        false => Ledger::open(path, anchor, PATIENCE)?,
    };
    let proven: Vec<Proven> = saying("proving", || {
        prepared
            .into_iter()
            .map(|prepared| release::prove(prepared, Some(&ledger)))
            .collect::<Result<_, Refusal>>()
    })?;
    if arguments.certificate.is_none() {
        check_certificates(arguments, path, &ledger, &proven)?;
    }
    let released = ask(arguments, &policy, &proven, &mut ledger, &engines)?;
    let shown = released
        .iter()
        .map(|released| {
            let certificate = certificate_path(arguments, path, released);
            files::write(&certificate, released.certificate.as_bytes()).map_err(|failure| {
                failure.hint(format!("{STORED}, with another place for the certificate: --certificate FILE"))
            })?;
            Ok((released, answer::released(released, &arguments.alpha)?, certificate))
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    show(arguments, &shown, ledger.state()).map_err(|failure| failure.or_hint(STORED))?;
    Ok(Status::Done)
}

/// What is said where an answer cannot be written.
const STORED: &str = "the answer is paid for and stored: the same query gets it at no cost";

/// Standard input can be read once, and each query is a pass over its table.
fn check_piped_table(arguments: &Arguments, policy: &Policy) -> Result<(), Failure> {
    let piped =
        |text: &&String| matches!(text.split_once('='), Some((name, "-")) if policy.public(name).is_none());
    match arguments.data.iter().find(piped) {
        Some(text) if arguments.queries.len() > 1 => Err(Failure::new(
            "standard input can be read once, and several queries would read it",
        )
        .hint(format!(
            "keep the table in a file: --data {}FILE; or ask one query at a time",
            text.trim_end_matches('-')
        ))),
        _ => Ok(()),
    }
}

type Engines = BTreeMap<String, Box<dyn Engine>>;

fn engines(arguments: &Arguments, policy: &Policy) -> Result<Engines, Failure> {
    let mut engines = Engines::new();
    for text in &arguments.data {
        let (name, path) = policy::named(text)?;
        if policy.public(name).is_some() {
            continue;
        }
        if policy.table(name).is_none() {
            let names: Vec<String> = policy.tables.iter().map(|table| table.name.clone()).collect();
            return Err(Failure::new(format!("the policy has no table {name}")).hint(crate::given::meant(
                "its tables are",
                name,
                &names,
            )));
        }
        let engine: Box<dyn Engine> = match Client::named(path, name) {
            Some(client) => Box::new(client),
            None => engine::of_files(Path::new(path))?,
        };
        if engines.insert(name.to_owned(), engine).is_some() {
            return Err(Failure::new(format!("the table {name} is given twice"))
                .hint("a `*` in a name stands for several files"));
        }
    }
    Ok(engines)
}

fn ask(
    arguments: &Arguments,
    policy: &Policy,
    proven: &[Proven],
    ledger: &mut Ledger,
    engines: &Engines,
) -> Result<Vec<Released>, Failure> {
    let progress = std::sync::Mutex::new(Progress::new());
    let told = |done: u64, all: u64| {
        let progress = progress.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        progress.step((done >> 20) as usize, (all >> 20) as usize, || "MiB of the table".into());
    };
    let asking = Asking { policy, version: &arguments.data_version, again: arguments.again, progress: &told };
    let engine = |prepared: &Prepared| -> Result<&dyn Engine, Refusal> {
        let table = &prepared.plan.table.name;
        engines.get(table).map(AsRef::as_ref).ok_or_else(|| {
            Refusal::input(format!("it is not said where the table {table} is"))
                .hint(format!("add --data {table}=FILE.csv"))
        })
    };
    Ok(release::release(proven, ledger, &asking, engine)?)
}

/// Where the certificate of an answer is written.
fn certificate_path(arguments: &Arguments, ledger: &Path, released: &Released) -> PathBuf {
    arguments.certificate.clone().unwrap_or_else(|| beside(ledger, released.entry))
}

/// What stands in the way of certificates is said before their answers are paid for, as far as their names are known.
fn check_certificates(
    arguments: &Arguments,
    path: &Path,
    ledger: &Ledger,
    proven: &[Proven],
) -> Result<(), Failure> {
    let mut entry = ledger.state().number;
    for one in proven {
        let is_stored =
            !arguments.again && ledger.stored(&one.prepared().key(&arguments.data_version))?.is_some();
        if !is_stored {
            entry += 1;
            certificate::check_place(&beside(path, entry)).map_err(|refusal| {
                refusal.hint("the certificate would be written there: move that away, or name another place with --certificate")
            })?;
        }
    }
    Ok(())
}

/// Beside the ledger, named after it and the entry.
fn beside(ledger: &Path, entry: i64) -> PathBuf {
    // people.ledger and people.db are two ledgers.
    let is_plain = ledger.extension().is_some_and(|extension| extension == "ledger");
    let stem = if is_plain { ledger.file_stem() } else { ledger.file_name() };
    let stem = stem.unwrap_or_default().to_string_lossy();
    ledger.with_file_name(format!("{stem}-{entry}.cert"))
}

fn percent(alpha: &Rational) -> String {
    decimal::exact(&((Rational::ONE - alpha) * Rational::from(100)))
}

fn show(arguments: &Arguments, shown: &[(&Released, Rows, PathBuf)], state: &State) -> Result<(), Failure> {
    let cost = |released: &Released| match released.stored {
        true => Loss::zero(released.cost.measure),
        false => released.cost.clone(),
    };
    if arguments.json {
        let one = |(released, rows, certificate): &(&Released, Rows, PathBuf)| {
            let mut object = json!({
                "rows": rows.to_json(),
                "cost": cost(released).to_json(),
                "remaining": state.remaining().to_json(),
                "theorem": released.theorem,
                "certificate": certificate.display().to_string(),
                "stored": released.stored,
                "alpha": arguments.alpha.to_string(),
                "assumptions": assumptions(&released.prepared),
            });
            with_threshold(&released.prepared, &mut object);
            object
        };
        let mut answers: Vec<Value> = shown.iter().map(one).collect();
        return output::json(&if answers.len() == 1 { answers.remove(0) } else { answers.into() });
    }
    output::print(|out| {
        for (number, (released, rows, certificate)) in shown.iter().enumerate() {
            if arguments.csv {
                write!(out, "{}", rows.to_csv())?;
                continue;
            }
            if number > 0 {
                writeln!(out)?;
            }
            write!(out, "{}", rows.to_table())?;
            match (rows.chosen, &rows.threshold) {
                (true, _) => writeln!(
                    out,
                    "\nRows were chosen by their noisy values: no level is stated for the error bars."
                )?,
                (false, Some(_)) => writeln!(
                    out,
                    "\nThat a key is shown whose low and high miss the value before noise has for each key a probability of at most {} %.",
                    decimal::exact(&(&arguments.alpha * Rational::from(100)))
                )?,
                (false, None) => writeln!(
                    out,
                    "\nEach low and high hold the value before noise with probability {} %.",
                    percent(&arguments.alpha)
                )?,
            }
            for line in methods(&released.prepared) {
                writeln!(out, "{line}")?;
            }
            match released.stored {
                true => writeln!(
                    out,
                    "cost: nothing; answered before, entry {} ({})",
                    released.entry, released.cost
                )?,
                false => writeln!(out, "cost: {}", released.cost)?,
            }
            writeln!(out, "certificate: {}", files::shown(certificate))?;
        }
        match arguments.csv {
            true => Ok(()),
            false => writeln!(out, "left: {} of {}", state.remaining().at_least(), state.total),
        }
    })
}

/// How columns were computed whose error bars are not simply those of the noise.
fn methods(prepared: &Prepared) -> Vec<String> {
    let mut lines = held_back(prepared).into_iter().collect::<Vec<String>>();
    for (name, post) in prepared.noisy() {
        for quantile in post.quantiles() {
            let width = Rational::from(quantile.width) * &quantile.unit;
            lines.push(format!(
                "{name} is read from noisy counts in bins of width {}.",
                decimal::exact(&width)
            ));
        }
    }
    lines.dedup();
    lines
}

/// Which keys do not appear, if keys are discovered. The threshold is public: it depends on the loss alone.
fn held_back(prepared: &Prepared) -> Option<String> {
    let threshold = prepared.threshold.as_ref()?;
    Some(format!("Keys with a noisy count below {threshold} are held back, and so are those without rows."))
}

/// Adds the threshold to an answer in JSON, if keys are discovered.
fn with_threshold(prepared: &Prepared, object: &mut Value) {
    if let (Some(threshold), Value::Object(object)) = (&prepared.threshold, object) {
        object.insert("threshold".to_owned(), threshold.to_string().into());
    }
}

/// How many groups an answer has, if that is known before it is given.
fn groups(prepared: &Prepared) -> Option<usize> {
    prepared.plan.discovered().is_none().then(|| prepared.plan.groups())
}

/// A column of a preview: its name, the number of rows that is assumed, and the error expected then.
type Expected = (String, Option<u64>, Option<String>);

/// Group sizes for which a preview tells the error of averages.
const SIZES: [u64; 3] = [100, 1000, 10_000];

fn preview(arguments: &Arguments, prepared: &[Prepared]) -> Answer {
    // What has no proof would be refused, so it is refused here already.
    proven(prepared)?;
    let mut answers = Vec::new();
    for one in prepared {
        let mut columns = Vec::new();
        for (name, post) in one.noisy() {
            let sizes: &[u64] = if post.is_plain() { &[0] } else { &SIZES };
            for n in sizes {
                let error = release::expected_error(one, post, &arguments.alpha, *n)?;
                let error = error.map(|error| decimal::fixed(&error, digits(&error)));
                columns.push((name.to_owned(), (*n > 0).then_some(*n), error));
            }
        }
        answers.push((one, columns));
    }
    if arguments.json {
        let one = |(one, columns): &(&Prepared, Vec<Expected>)| {
            let columns: Vec<Value> = columns
                .iter()
                .map(|(name, n, error)| json!({"column": name, "rows": n, "error": error}))
                .collect();
            let mut object = json!({"groups": groups(one), "cost": one.cost.to_json(), "alpha": arguments.alpha.to_string(), "columns": columns});
            with_threshold(one, &mut object);
            object
        };
        let mut answers: Vec<Value> = answers.iter().map(one).collect();
        output::json(&if answers.len() == 1 { answers.remove(0) } else { answers.into() })?;
        return Ok(Status::Done);
    }
    for (number, (one, columns)) in answers.into_iter().enumerate() {
        if number > 0 {
            output::print(|out| writeln!(out))?;
        }
        let rows = columns.into_iter().map(|(name, n, error)| {
            let sizes = n.map_or("of any size".into(), |n| format!("of {n} rows"));
            vec![name, sizes, error.map_or("unbounded".into(), |error| format!("± {error}"))]
        });
        output::table(&["column", "in a group", &format!("error at {} %", percent(&arguments.alpha))], rows)?;
        output::print(|out| {
            match groups(one) {
                Some(groups) => writeln!(out, "\ngroups: {groups}")?,
                None => writeln!(out, "\ngroups: one for each key that is found and shown")?,
            }
            held_back(one).into_iter().try_for_each(|line| writeln!(out, "{line}"))?;
            writeln!(out, "cost: {}", one.cost)?;
            writeln!(out, "Nothing was read or spent.")
        })?;
    }
    Ok(Status::Done)
}

/// Digits for an error: three that tell something.
fn digits(error: &Rational) -> usize {
    if error.is_zero() {
        return 0;
    }
    let mut unit = Rational::from(100);
    let ten = Rational::from(10);
    (0..9)
        .find(|_| {
            let enough = *error >= unit;
            unit = &unit / &ten;
            enough
        })
        .unwrap_or(9)
}

/// The queries with their theorems, without a ledger.
fn proven(prepared: &[Prepared]) -> Result<Vec<Proven>, Refusal> {
    saying("proving", || prepared.iter().cloned().map(|prepared| release::prove(prepared, None)).collect())
}

fn explain(arguments: &Arguments, prepared: &[Prepared]) -> Answer {
    let proven = proven(prepared).inspect_err(|_| {
        // The text is what a person needs to see why there is no proof.
        for one in prepared {
            output::complain(&one.text);
        }
    })?;
    if arguments.json {
        let mut answers: Vec<Value> = proven.iter().map(explained).collect();
        output::json(&if answers.len() == 1 { answers.remove(0) } else { answers.into() })?;
        return Ok(Status::Done);
    }
    output::print(|out| {
        for one in &proven {
            let prepared = one.prepared();
            writeln!(out, "{}", prepared.text)?;
            writeln!(out, "proved: {}", one.theorem().trim_end())?;
            writeln!(out, "axioms: {}", one.axioms().join(", "))?;
            writeln!(out, "cost: {}", prepared.cost)?;
            for draw in draws(prepared) {
                writeln!(out, "{draw}")?;
            }
            held_back(prepared).into_iter().try_for_each(|line| writeln!(out, "{line}"))?;
            for (name, post) in prepared.noisy() {
                let used: Vec<&str> =
                    post.draws().iter().map(|draw| prepared.plan.draws[*draw].name.as_str()).collect();
                writeln!(out, "column {name}: from {}", used.join(", "))?;
            }
            for assumption in assumptions(prepared) {
                writeln!(out, "assumed: {assumption}")?;
            }
        }
        Ok(())
    })?;
    Ok(Status::Done)
}

fn draws(prepared: &Prepared) -> Vec<String> {
    let plan = &prepared.plan;
    let draws = plan.draws.iter().zip(&prepared.scales).zip(&prepared.shares);
    draws
        .map(|((draw, scale), share)| {
            let what = match draw.kind {
                DrawKind::Count => "a count".to_owned(),
                DrawKind::Sum(_) => "a sum".to_owned(),
                DrawKind::Bins(_, bins) => format!("counts in {bins} bins, of which a row is in one"),
            };
            let noise = if prepared.stake.concentrated { "deviation" } else { "scale" };
            let value = |units: Rational| decimal::exact(&(units * &draw.unit));
            format!(
                "{}: {what}; one row moves it by at most {}; {share} of the loss; noise of {noise} {}",
                draw.name,
                value(Rational::from(draw.sensitivity())),
                decimal::short(&(scale * &draw.unit), 3)
            )
        })
        .collect()
}

fn explained(proven: &Proven) -> Value {
    let prepared = proven.prepared();
    let draws: Vec<Value> = prepared
        .plan
        .draws
        .iter()
        .zip(&prepared.scales)
        .zip(&prepared.shares)
        .map(|((draw, scale), share)| {
            let sensitivity = Rational::from(draw.sensitivity()) * &draw.unit;
            json!({
                "name": draw.name, "sensitivity": sensitivity.to_string(), "share": share.to_string(),
                "scale": (scale * &draw.unit).to_string(),
            })
        })
        .collect();
    let mut object = json!({
        "mechanism": prepared.text, "theorem": proven.theorem(), "axioms": proven.axioms(), "cost": prepared.cost.to_json(),
        "draws": draws, "assumptions": assumptions(prepared),
    });
    with_threshold(prepared, &mut object);
    object
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    #[test]
    fn errors_have_three_digits() {
        let r = |n: i64, d: i64| rational(n, d).unwrap();
        assert_eq!(
            [r(123_456, 1), r(100, 1), r(99, 1), r(1, 1), r(1, 10)].map(|e| digits(&e)),
            [0, 0, 1, 2, 3]
        );
        assert_eq!(percent(&r(1, 20)), "95");
    }
}
