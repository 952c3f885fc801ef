//! `probity audit --search` and `--exhaustive`: the worst pair of neighbours, as far as it was found.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use probity_exact::Rational;
use probity_kernel::term::Reading;
use probity_lang::Program;
use probity_verdict::counterexample::event;
use probity_verdict::{
    SearchState, Watch, Worst, WorstSettings, audit_all, audit_worst, decimal, inputs_text, is_concentrated,
};
use serde_json::{Value, json};

use crate::failure::{Answer, Failure, Status};
use crate::progress::{Progress, watched};
use crate::{files, given, interrupt, output};

/// How long and how to search.
#[derive(clap::Args)]
pub struct Budget {
    /// Search for this many seconds, 10 unless said; with --inputs, give up after as many, never unless said
    #[arg(long, allow_negative_numbers = true)]
    seconds: Option<f64>,
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

impl Budget {
    /// The time that was asked for.
    pub fn limit(&self) -> Result<Option<Duration>, Failure> {
        self.seconds.map(given::seconds).transpose()
    }
}

/// How long a search is, unless said.
const USUAL: Duration = Duration::from_secs(10);

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

/// Searches within a budget.
pub fn search(question: &Question<'_>, budget: &Budget) -> Answer {
    let settings = settings(question)?;
    let mut state = match &budget.resume {
        Some(path) if path.exists() => SearchState::read(&files::text(path)?).map_err(|error| {
            Failure::new(format!("{} is no state of a search: {error}", path.display()))
                .hint("name a file that --resume wrote, or one that is not there yet")
                .in_file(path)
        })?,
        _ => SearchState::new(budget.seed),
    };
    let limit = budget.limit()?.unwrap_or(USUAL);
    let progress = Progress::new();
    let mut saved = Instant::now();
    let mut failed = None;
    let go_on = &mut |state: &SearchState| {
        // Now and then, so that an interrupted search loses little.
        if let Some(path) = budget.resume.as_ref().filter(|_| saved.elapsed() > SAVED_EVERY) {
            failed = files::write(path, state.to_string().as_bytes()).err();
            saved = Instant::now();
        }
        progress.show(|| {
            let best = state.best.as_ref().map_or(f64::NAN, |best| best.excess);
            format!("{} pairs, worst excess {}", state.tried, decimal::figure_of(best))
        });
        failed.is_none() && budget.pairs.is_none_or(|most| state.tried < most)
    };
    let watch = Watch::default().within(limit).unless(interrupt::switch());
    let worst = audit_worst(question.program, &settings, &mut state, go_on, &watch)?;
    drop(progress);
    if let Some(failure) = failed {
        return Err(failure);
    }
    if let Some(path) = &budget.resume {
        files::write(path, state.to_string().as_bytes())?;
    }
    answer(question, &worst)
}

/// Looks at all pairs of a small format.
pub fn exhaustive(question: &Question<'_>) -> Answer {
    let settings = settings(question)?;
    answer(question, &watched(|watch| audit_all(question.program, &settings, watch))?)
}

/// The parameters that were set, and those with ranges.
fn settings(question: &Question<'_>) -> Result<WorstSettings, Failure> {
    let (values, ranges) = given::values_and_ranges(question.settings)?;
    Ok(WorstSettings { values, ranges, reading: question.reading })
}

fn answer(question: &Question<'_>, worst: &Worst) -> Answer {
    let Worst { pair: best, parameters: setting, tried, complete, seconds } = worst;
    let meaning = if *complete { COMPLETE } else { LOWER_BOUND };
    // ρ and μ are no ε: what a pair shows is a ρ.
    let in_rho = is_concentrated(question.program.claim.reading) && question.reading == Reading::Reals;
    let listed = |show: fn(&Rational) -> String| {
        let part = |(name, value)| decimal::equation(name, &show(value));
        setting.as_ref().map(|setting| setting.iter().map(part).collect::<Vec<_>>().join(", "))
    };
    if question.json {
        let mut value = json!({
            "reading": question.reading.to_string(), "pairs": tried, "seconds": seconds,
            "is": meaning,
        });
        if let Some(best) = best {
            let shown = if in_rho { "rho_shown" } else { "loss" };
            value[shown] = output::number(best.loss);
            value["excess"] = output::number(best.excess);
            value["impossible"] = json!(best.impossible);
            if best.finite_excess.is_finite() {
                value["finite_excess"] = best.finite_excess.into();
            }
            if let Some(shown) = &best.event {
                value["event"] = shown.to_string().into();
            }
            value["inputs"] = json!([
                inputs_text(&best.first, Rational::to_string),
                inputs_text(&best.second, Rational::to_string)
            ]);
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
                if let Some(parameters) = listed(decimal::exact_or_nearest).filter(|text| !text.is_empty()) {
                    writeln!(out, "  parameters {parameters}")?;
                }
                writeln!(
                    out,
                    "  inputs     {} and {}",
                    inputs_text(&best.first, decimal::exact_or_nearest),
                    inputs_text(&best.second, decimal::exact_or_nearest)
                )?;
                if best.loss == f64::NEG_INFINITY {
                    writeln!(out, "  loss       none: no event is likelier than the claimed delta allows")?;
                } else {
                    let shown = if in_rho { "rho shown " } else { "loss      " };
                    writeln!(out, "  {shown} {}", decimal::double(best.loss))?;
                    writeln!(out, "  excess     {}", decimal::at_least(best.excess))?;
                }
                if best.impossible > 0 && best.event.is_none() {
                    let some = best.impossible;
                    writeln!(out, "  because    {some} outcomes are possible under one of them only")?;
                    if best.finite_excess.is_finite() {
                        writeln!(out, "  finite     excess {}", decimal::at_least(best.finite_excess))?;
                    }
                }
                match (&best.event, &best.outcome) {
                    (Some(shown), _) => writeln!(out, "  event      {}", event(shown))?,
                    (None, Some(outcome)) => writeln!(out, "  at outcome {}", decimal::outcome(outcome))?,
                    (None, None) => {}
                }
            }
        }
        writeln!(out, "This is {meaning}.  {seconds:.1} s")
    })?;
    Ok(Status::Done)
}
