//! `probity audit --search` and `--exhaustive`: the worst pair of neighbours, as far as it was found.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use probity_audit::{
    AllPairs, Effort, FoundPair, Given, Inputs, Parameters, SearchState, SearchTask, all_pairs,
    search_worst_pair,
};
use probity_exact::Rational;
use probity_kernel::term::Reading;
use probity_lang::Program;
use serde_json::{Value, json};

use crate::failure::{Answer, Failure, Status};
use crate::progress::Progress;
use crate::{decimal, files, given, output};

/// How long and how to search.
#[derive(clap::Args)]
pub struct Budget {
    /// Search for this many seconds
    #[arg(long, default_value_t = 10.0, requires = "search", allow_negative_numbers = true)]
    seconds: f64,
    /// Stop after this many pairs, which makes the result reproducible
    #[arg(long, requires = "search", value_parser = given::count, allow_negative_numbers = true)]
    pairs: Option<u64>,
    /// The seed of the random choices
    #[arg(long, default_value_t = 1, requires = "search", value_parser = given::count, allow_negative_numbers = true)]
    seed: u64,
    /// Go on from this file if it exists, and write there how far the search came
    #[arg(long, value_name = "FILE", requires = "search")]
    pub resume: Option<PathBuf>,
}

/// What is looked for.
pub struct Question<'a> {
    /// The mechanism.
    pub program: &'a Program,
    /// The `--set` options.
    pub settings: &'a [String],
    /// The arithmetic.
    pub reading: Reading,
    /// Whether to answer in JSON.
    pub json: bool,
}

/// What the answer says about other inputs.
const LOWER_BOUND: &str = "a lower bound: other inputs may lose more";
const COMPLETE: &str = "exact: these are all inputs of the format";

/// How often a search that can be resumed is saved.
const SAVED_EVERY: Duration = Duration::from_secs(2);

/// Values of a parameter that are tried from a range: its ends and points between.
const POINTS: u32 = 5;

/// Searches within a budget.
pub fn search(question: &Question<'_>, budget: &Budget) -> Answer {
    let settings = settings(question)?;
    let task = SearchTask {
        mechanism: &question.program.mechanism,
        epsilon: &question.program.claim.epsilon,
        settings,
        reading: question.reading,
        effort: Effort::default(),
    };
    let mut state = match &budget.resume {
        Some(path) if path.exists() => SearchState::read(&files::text(path)?).map_err(|error| {
            Failure::new(format!("{} is no state of a search: {error}", path.display()))
                .hint("name a file that --resume wrote, or one that is not there yet")
                .in_file(path)
        })?,
        _ => SearchState::new(budget.seed),
    };
    let start = Instant::now();
    let limit = Duration::try_from_secs_f64(budget.seconds).map_err(|_| {
        Failure::new(format!("seconds = {} is not allowed: it must be at least 0", budget.seconds))
    })?;
    let progress = Progress::new();
    let mut saved = Instant::now();
    let mut failed = None;
    search_worst_pair(&task, &mut state, &mut |state| {
        // Now and then, so that an interrupted search loses little.
        if let Some(path) = budget.resume.as_ref().filter(|_| saved.elapsed() > SAVED_EVERY) {
            failed = files::write(path, state.to_string().as_bytes()).err();
            saved = Instant::now();
        }
        progress.show(|| {
            let best = state.best.as_ref().map_or(f64::NAN, |best| best.excess);
            format!("{} pairs, worst excess {}", state.tried, decimal::figure_of(best))
        });
        failed.is_none() && start.elapsed() < limit && budget.pairs.is_none_or(|most| state.tried < most)
    })
    .map_err(Failure::new)?;
    drop(progress);
    if let Some(failure) = failed {
        return Err(failure);
    }
    if let Some(path) = &budget.resume {
        files::write(path, state.to_string().as_bytes())?;
    }
    answer(question, state.best.as_ref(), state.tried, &task.settings, LOWER_BOUND, start)
}

/// Looks at all pairs of a small format.
pub fn exhaustive(question: &Question<'_>) -> Answer {
    let settings = settings(question)?;
    let start = Instant::now();
    let mut worst: Option<FoundPair> = None;
    let (mut tried, mut exact) = (0, true);
    let format = given::format(question.reading)?;
    let progress = Progress::new();
    for (number, setting) in settings.iter().enumerate() {
        let Program { mechanism, claim, .. } = question.program;
        let AllPairs { worst: found, pairs, exact: decided } =
            all_pairs(mechanism, &claim.epsilon, setting, format, Effort::default(), &mut |done, all| {
                progress
                    .step(done, all, || format!("inputs of settings {} of {}", number + 1, settings.len()));
            })
            .map_err(Failure::new)?;
        tried += pairs;
        exact &= decided;
        let found = found.map(|pair| FoundPair { setting: number, ..pair });
        let is_worse = |pair: &FoundPair| {
            worst
                .as_ref()
                .is_none_or(|best| (pair.impossible > 0, pair.excess) > (best.impossible > 0, best.excess))
        };
        if found.as_ref().is_some_and(is_worse) {
            worst = found;
        }
    }
    drop(progress);
    answer(question, worst.as_ref(), tried, &settings, if exact { COMPLETE } else { LOWER_BOUND }, start)
}

/// Every combination of values for the parameters with ranges.
fn settings(question: &Question<'_>) -> Result<Vec<Parameters>, Failure> {
    let (values, ranges) = given::values_and_ranges(question.settings)?;
    let mechanism = &question.program.mechanism;
    let mut all = vec![given::parameters(question.program, &values)?];
    for (name, (low, high)) in ranges {
        let param = mechanism.params.iter().find(|param| param.name.as_str() == name);
        let Some(param) = param else {
            let known: Vec<String> = mechanism.params.iter().map(|param| param.name.to_string()).collect();
            return Err(Failure::new(format!("{} has no parameter {name}", mechanism.name))
                .hint(given::meant("its parameters are", &name, &known)));
        };
        let step = (&high - &low) / Rational::from(POINTS - 1);
        let points = (0..POINTS).map(|i| &low + &step * Rational::from(i));
        all = points
            .flat_map(|value| {
                all.iter().cloned().map(move |mut setting| {
                    setting.insert(param.name.clone(), value.clone());
                    setting
                })
            })
            .collect();
    }
    Ok(all)
}

fn answer(
    question: &Question<'_>,
    best: Option<&FoundPair>,
    tried: u64,
    settings: &[Parameters],
    meaning: &str,
    start: Instant,
) -> Answer {
    let seconds = start.elapsed().as_secs_f64();
    let setting = best.and_then(|best| settings.get(best.setting));
    let listed = |show: fn(&Rational) -> String| {
        let part = |(name, value)| decimal::equation(name, &show(value));
        setting.map(|setting| setting.iter().map(part).collect::<Vec<_>>().join(", "))
    };
    if question.json {
        let mut value = json!({
            "reading": question.reading.to_string(), "pairs": tried, "seconds": seconds,
            "is": meaning,
        });
        if let Some(best) = best {
            value["excess"] = output::number(best.excess);
            value["impossible"] = json!(best.impossible);
            value["inputs"] =
                json!([inputs(&best.first, Rational::to_string), inputs(&best.second, Rational::to_string)]);
            value["worst_outcome"] =
                best.outcome.as_ref().map_or(Value::Null, |outcome| outcome.to_string().into());
            value["parameters"] = listed(Rational::to_string).into();
        }
        output::json(&value)?;
        return Ok(Status::Done);
    }
    output::print(|out| {
        match best {
            None => writeln!(out, "no pair of neighbours was found")?,
            Some(best) => {
                writeln!(out, "worst of {tried} pairs {}:", question.reading)?;
                if let Some(parameters) = listed(decimal::telling).filter(|text| !text.is_empty()) {
                    writeln!(out, "  parameters {parameters}")?;
                }
                writeln!(
                    out,
                    "  inputs     {} and {}",
                    inputs(&best.first, decimal::telling),
                    inputs(&best.second, decimal::telling)
                )?;
                writeln!(out, "  excess     {}", decimal::figure_of(best.excess))?;
                if let Some(outcome) = &best.outcome {
                    writeln!(out, "  at outcome {}", decimal::outcome(outcome))?;
                }
                if best.impossible > 0 {
                    writeln!(
                        out,
                        "  {} outcomes are possible under one of them only: the loss is infinite",
                        best.impossible
                    )?;
                }
            }
        }
        writeln!(out, "This is {meaning}.  {seconds:.1} s")
    })?;
    Ok(Status::Done)
}

/// Inputs as `--inputs` reads them.
fn inputs(inputs: &Inputs, show: fn(&Rational) -> String) -> String {
    let value = |given: &Given| match given {
        Given::Number(x) => show(x),
        Given::Bool(b) => b.to_string(),
        Given::List(items) => items.iter().map(show).collect::<Vec<_>>().join(","),
        Given::Rows(_) => given.to_string(),
    };
    match inputs.len() {
        1 => inputs.values().map(value).collect(),
        _ => {
            let parts: Vec<String> =
                inputs.iter().map(|(name, given)| format!("{name}={}", value(given))).collect();
            parts.join(";")
        }
    }
}
