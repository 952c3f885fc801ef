//! `probity account`: what a composition of mechanisms loses, as a bracket that holds.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

use probity_account::{
    Adjacency, Answer as Accounted, Bracket, Calibrated, Composition, Effort, Expression, Fault, Law,
    Question, Text, account, calibrate, doubles_around, out_of_reach, profile,
};
use probity_exact::{Rational, parse_rational};
use probity_lang::Setting;
use probity_report::plot::{Axis, Colour, Mark, Plot, Series, log10};
use probity_report::{Block, Document, Section};
use probity_verdict::{Amount, Asked, Guarantee, decimal, guarantee};
use serde_json::{Map, Value, json};

use crate::failure::{Answer, Failure, Status};
use crate::progress::during;
use crate::{files, given, output};

/// The composition and the question.
#[derive(clap::Args)]
pub struct Arguments {
    /// Laws, as 'poisson(1/100, gaussian(1)) * 1000 + pure(1/2)'; - reads them from standard input
    #[arg(required_unless_present = "file", allow_hyphen_values = true)]
    expression: Option<String>,
    /// Read the expression from a file
    #[arg(long, value_name = "FILE", conflicts_with = "expression")]
    file: Option<PathBuf>,
    /// Ask for epsilon at this delta
    #[arg(long, value_parser = parse_rational, allow_negative_numbers = true)]
    delta: Option<Rational>,
    /// Ask for delta at this epsilon
    #[arg(long, value_parser = parse_rational, allow_negative_numbers = true, conflicts_with = "delta")]
    epsilon: Option<Rational>,
    /// Ask for the value of the one free name at which epsilon is this; needs --delta
    #[arg(long, value_parser = parse_rational, allow_negative_numbers = true, value_name = "EPSILON", requires = "delta")]
    target_epsilon: Option<Rational>,
    /// Which tables are neighbours: add-remove (one record more or less) or replace (one record for another)
    #[arg(long, value_parser = adjacency, default_value = "add-remove")]
    adjacency: Adjacency,
    /// Give a name of the expression a value, as s=2; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Write a page with the curve of delta against epsilon
    #[arg(long, value_name = "FILE")]
    curve: Option<PathBuf>,
    /// The relative width of the bracket to reach
    #[arg(long, default_value = "1e-4", value_parser = parse_rational)]
    width: Rational,
    /// How many seconds may pass; what was reached by then is the answer
    #[arg(long, default_value = "60", value_parser = parse_rational)]
    seconds: Rational,
    /// Compose on the lattice also where there is a closed form
    #[arg(long)]
    general: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

fn adjacency(text: &str) -> Result<Adjacency, String> {
    match text {
        "add-remove" => Ok(Adjacency::AddRemove),
        "replace" => Ok(Adjacency::Replace),
        _ => Err(format!("'{text}' is no adjacency: write add-remove or replace")),
    }
}

/// Answers.
pub fn run(arguments: &Arguments) -> Answer {
    let text = expression(arguments)?;
    if let Some(path) = &arguments.curve {
        files::check_place(path)?;
    }
    let start = Instant::now();
    let whole = effort(arguments)?;
    // A curve has what is left.
    let effort = if arguments.curve.is_some() { part(&whole, FIRST) } else { whole.clone() };
    let parsed = Expression::parse(&text).map_err(|fault| faulty(&fault, &text))?;
    let mut names: BTreeMap<String, Rational> = BTreeMap::new();
    for setting in given::settings(&arguments.settings)? {
        names.insert(setting.name.clone(), setting.value.clone());
    }
    let free: Vec<String> =
        parsed.free_names().into_iter().filter(|name| !names.contains_key(name)).collect();
    if let Some(target) = &arguments.target_epsilon {
        let delta = arguments.delta.as_ref().ok_or_else(|| Failure::new("--target-epsilon needs --delta"))?;
        let [name] = free.as_slice() else {
            return Err(Failure::new(match free.is_empty() {
                true => "--target-epsilon asks for a free name, and the expression has none".to_owned(),
                false => format!(
                    "--target-epsilon asks for one free name, and the expression has {}",
                    free.join(", ")
                ),
            })
            .hint(
                "write a name where the number is wanted, as gaussian(s); give the others values with --set",
            ));
        };
        return inverse(arguments, &parsed, &text, &names, name, (delta, target), (&effort, &whole));
    }
    let laws = parsed
        .evaluate(&names, &|text| theorem(text, arguments.adjacency))
        .map_err(|fault| faulty(&fault, &text))?;
    let question = match (&arguments.delta, &arguments.epsilon) {
        (Some(delta), None) => Some(Question::Epsilon(delta.clone())),
        (None, Some(epsilon)) => Some(Question::Delta(epsilon.clone())),
        _ => None,
    };
    if question.is_none() && arguments.curve.is_none() {
        return Err(Failure::new("nothing is asked").hint(
            "add --delta 1e-6 for epsilon, --epsilon 1 for delta, or --curve FILE.html for the whole curve",
        ));
    }
    let answered = match &question {
        None => None,
        Some(question) => {
            let answer = during("composing", || account(&laws, arguments.adjacency, question, &effort));
            Some((question, answer.map_err(Failure::new)?))
        }
    };
    if let Some(path) = &arguments.curve {
        let page = curve_page(&text, &laws, arguments, answered.as_ref(), &left(&whole, start))?;
        files::write(path, page.as_bytes())?;
    }
    match arguments.json {
        true => output::json(&to_json(&text, arguments, answered.as_ref()))?,
        false => output::print(|out| {
            lines(arguments, answered.as_ref()).iter().try_for_each(|line| writeln!(out, "{line}"))
        })?,
    }
    Ok(Status::Done)
}

fn expression(arguments: &Arguments) -> Result<String, Failure> {
    match (&arguments.file, arguments.expression.as_deref()) {
        (Some(path), _) => files::text(path),
        (None, Some("-")) => {
            let mut text = String::new();
            std::io::stdin()
                .read_to_string(&mut text)
                .map_err(|error| Failure::new(format!("cannot read standard input: {error}")))?;
            Ok(text)
        }
        (None, text) => Ok(text.unwrap_or_default().to_owned()),
    }
}

fn effort(arguments: &Arguments) -> Result<Effort, Failure> {
    let positive = |name: &str, value: &Rational| match *value > Rational::ZERO {
        true => Ok(doubles_around(value).0),
        false => Err(Failure::new(format!("{name} {value} is not allowed: it must be more than 0"))),
    };
    Ok(Effort {
        width: positive("--width", &arguments.width)?,
        seconds: positive("--seconds", &arguments.seconds)?,
        closed_forms: !arguments.general,
    })
}

/// The share of the time that a question has, if a curve is asked for as well.
const FIRST: f64 = 0.5;

fn part(whole: &Effort, share: f64) -> Effort {
    Effort { seconds: whole.seconds * share, ..whole.clone() }
}

/// What is left of the time.
fn left(whole: &Effort, start: Instant) -> Effort {
    Effort { seconds: (whole.seconds - start.elapsed().as_secs_f64()).max(0.0), ..whole.clone() }
}

fn faulty(fault: &Fault, text: &str) -> Failure {
    let failure = Failure::new(&fault.message);
    let failure = match &fault.hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    };
    let column = text.get(..fault.span.0).map_or(0, |before| before.chars().count()) + 1;
    failure.at_column("EXPRESSION", column, &fault.shown(text))
}

/// What a mechanism file guarantees: its claim, if the prover derives it, rounded up.
fn theorem(text: &Text, adjacency: Adjacency) -> Result<Law, String> {
    let reason = |failure: Failure| failure.reason();
    let (_, program) = files::program(Path::new(&text.path)).map_err(reason)?;
    let settings: Vec<Setting> = text
        .settings
        .iter()
        .map(|(name, value)| Setting { name: name.clone(), value: value.clone() })
        .collect();
    let proved = guarantee(&program, &settings).map_err(|error| format!("{}: {error}", text.path))?;
    let asked = Asked { replaced: adjacency == Adjacency::Replace, on_a_sample: text.on_a_sample };
    if let Err(wrong) = proved.neighbours.answer(asked) {
        return Err(format!("{}: its theorem is {wrong}", text.path));
    }
    Ok(law_of(proved))
}

/// A theorem as a law.
fn law_of(proved: Guarantee) -> Law {
    let law = |amount: Amount| match amount {
        Amount::Approximate { epsilon, delta } => Law::Approximate { epsilon, delta },
        Amount::Rho(rho) => Law::Concentrated { rho },
        Amount::Mu(mu) => Law::Mu { mu },
    };
    Law::Text { most: Box::new(law(proved.most)), least: Box::new(law(proved.least)), rows: proved.rows }
}

fn upper_double(bracket: &Bracket) -> f64 {
    bracket.upper.as_ref().map_or(f64::INFINITY, |upper| doubles_around(upper).1)
}

pub(in crate::commands) fn bracket_to_json(bracket: &Bracket) -> Value {
    json!({
        "lower": output::number(doubles_around(&bracket.lower).0),
        "upper": output::number(upper_double(bracket)),
    })
}

pub(in crate::commands) const DIGITS: usize = 12;

pub(in crate::commands) fn shown(bracket: &Bracket) -> String {
    format!("between {} and {}", decimal::down(&bracket.lower, DIGITS), upper(bracket))
}

/// The upper end alone.
pub(in crate::commands) fn upper(bracket: &Bracket) -> String {
    bracket.upper.as_ref().map_or("inf".to_owned(), |upper| decimal::up(upper, DIGITS))
}

fn asked(question: &Question) -> (&'static str, &'static str, &Rational) {
    match question {
        Question::Delta(epsilon) => ("delta", "epsilon", epsilon),
        Question::Epsilon(delta) => ("epsilon", "delta", delta),
    }
}

fn name_of(adjacency: Adjacency) -> &'static str {
    match adjacency {
        Adjacency::AddRemove => "add-remove",
        Adjacency::Replace => "replace",
    }
}

fn to_json(text: &str, arguments: &Arguments, answered: Option<&(&Question, Accounted)>) -> Value {
    let mut fields = Map::new();
    fields.insert("expression".into(), text.trim().into());
    fields.insert("adjacency".into(), name_of(arguments.adjacency).into());
    if let Some((question, answer)) = answered {
        let (what, at, value) = asked(question);
        fields.insert(what.into(), bracket_to_json(&answer.bracket));
        fields.insert("at".into(), json!({ at: value.to_string() }));
        let directions: Vec<Value> = answer
            .directions
            .iter()
            .map(|(direction, bracket)| {
                let mut value = bracket_to_json(bracket);
                value["direction"] = direction.to_string().into();
                value
            })
            .collect();
        fields.insert("directions".into(), directions.into());
        fields.insert("method".into(), answer.method.clone().into());
        fields.insert("seconds".into(), answer.seconds.into());
        fields.insert("width".into(), answer.bracket.width().into());
        fields.insert("reached".into(), answer.reached.into());
        fields.insert("note".into(), answer.note.clone().into());
    }
    if let Some(path) = &arguments.curve {
        fields.insert("curve".into(), path.display().to_string().into());
    }
    Value::Object(fields)
}

/// A share of the time that does not look as if it had been too short.
const LITTLE: f64 = 0.3;

fn lines(arguments: &Arguments, answered: Option<&(&Question, Accounted)>) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some((question, answer)) = answered {
        let (what, at, value) = asked(question);
        lines.push(format!(
            "{what} at {at} = {}: {}",
            decimal::exact_or_nearest(value),
            shown(&answer.bracket)
        ));
        if answer.directions.len() > 1 {
            for (direction, bracket) in &answer.directions {
                lines.push(format!("  {direction}: {}", shown(bracket)));
            }
        }
        lines.push(format!("by {}", answer.method));
        lines.extend(answer.note.clone());
        let little = answer.seconds < doubles_around(&arguments.seconds).0 * LITTLE;
        // A note says why it is not narrower, but where the time was over.
        if !answer.reached && (!little || answer.note.is_none()) {
            let width = answer.bracket.width();
            lines.push(match little {
                true => format!("a relative width of {width:.1e} was reached, and more time gives no less"),
                false => {
                    format!("a relative width of {width:.1e} was reached in the time; --seconds gives more")
                }
            });
        }
        lines.push(format!("{:.3} s", answer.seconds));
    }
    if let Some(path) = &arguments.curve {
        lines.push(format!("curve: {}", files::shown(path)));
    }
    lines
}

fn inverse(
    arguments: &Arguments,
    parsed: &Expression,
    text: &str,
    names: &BTreeMap<String, Rational>,
    name: &str,
    (delta, target): (&Rational, &Rational),
    (effort, whole): (&Effort, &Effort),
) -> Answer {
    let start = Instant::now();
    let family = |value: &Rational| {
        let mut names = names.clone();
        names.insert(name.to_owned(), value.clone());
        parsed.evaluate(&names, &|text| theorem(text, arguments.adjacency)).map_err(|fault| fault.to_string())
    };
    let others = parsed.without(name, names, &|text| theorem(text, arguments.adjacency));
    if let Ok(others) = others
        && let Some(least) = out_of_reach(&others, arguments.adjacency, delta, target, effort)
    {
        return Err(Failure::new(format!(
            "no value of {name} keeps epsilon at most {}: the laws without {name} alone lose at least {} at delta = {}",
            decimal::exact_or_nearest(target),
            decimal::down(&least, DIGITS),
            decimal::exact_or_nearest(delta)
        )));
    }
    let found =
        during("searching", || calibrate(&family, arguments.adjacency, delta, target, &left(effort, start)));
    let Calibrated { lower, upper, value, grows, epsilon, method, seconds } = found.map_err(Failure::new)?;
    if let Some(path) = &arguments.curve {
        let laws = family(&value).map_err(Failure::new)?;
        files::write(path, curve_page(text, &laws, arguments, None, &left(whole, start))?.as_bytes())?;
    }
    let (low, high) = (doubles_around(&lower).0, doubles_around(&upper).1);
    // The safe end, rounded to the safe side.
    let safe = if grows { doubles_around(&value).0 } else { doubles_around(&value).1 };
    match arguments.json {
        true => output::json(&json!({
            "expression": text.trim(),
            "adjacency": name_of(arguments.adjacency),
            "at": { "delta": delta.to_string(), "target_epsilon": target.to_string() },
            "parameter": name,
            name: { "lower": low, "upper": high },
            "value": safe,
            "epsilon": bracket_to_json(&epsilon),
            "method": method,
            "seconds": seconds,
        }))?,
        false => output::print(|out| {
            let relation = if grows { "largest" } else { "least" };
            writeln!(
                out,
                "{name} = {safe} keeps epsilon at most {} at delta = {}",
                decimal::exact_or_nearest(target),
                decimal::exact_or_nearest(delta)
            )?;
            writeln!(
                out,
                "  the {relation} such {name} lies between {} and {}",
                decimal::down(&lower, DIGITS),
                decimal::up(&upper, DIGITS)
            )?;
            writeln!(out, "  there epsilon is {}", shown(&epsilon))?;
            writeln!(out, "{seconds:.3} s")
        })?,
    }
    Ok(Status::Done)
}

/// The page with the curve: both bounds, and the question that was asked.
fn curve_page(
    text: &str,
    laws: &Composition,
    arguments: &Arguments,
    answered: Option<&(&Question, Accounted)>,
    effort: &Effort,
) -> Result<String, Failure> {
    let points = during("drawing the curve", || profile(laws, arguments.adjacency, 61, effort))
        .map_err(Failure::new)?;
    let drawn = |of: &dyn Fn(&Bracket) -> Option<Rational>| -> Vec<(f64, f64)> {
        let point = |(epsilon, bracket): &(Rational, Bracket)| {
            Some((doubles_around(epsilon).0, log10(&of(bracket)?)?))
        };
        points.iter().filter_map(point).collect()
    };
    let below = drawn(&|bracket| Some(bracket.lower.clone()).filter(|lower| *lower > Rational::ZERO));
    let above = drawn(&|bracket| bracket.upper.clone().filter(|upper| *upper > Rational::ZERO));
    let mut series = vec![
        Series { name: "upper bound".into(), colour: Colour::First, mark: Mark::Line, points: above },
        Series { name: "lower bound".into(), colour: Colour::Second, mark: Mark::Dashed, points: below },
    ];
    let mut blocks = Vec::new();
    if let Some((question, answer)) = answered {
        let (what, at, value) = asked(question);
        let found = answer.bracket.upper.as_ref();
        let point = match question {
            Question::Delta(_) => found.and_then(|delta| Some((doubles_around(value).0, log10(delta)?))),
            Question::Epsilon(_) => {
                found.and_then(|epsilon| Some((doubles_around(epsilon).1, log10(value)?)))
            }
        };
        series.push(Series {
            name: "asked".into(),
            colour: Colour::Text,
            mark: Mark::Round,
            points: point.into_iter().collect(),
        });
        blocks.push(Block::Facts(vec![
            (format!("{what} at {at} = {}", decimal::exact_or_nearest(value)), shown(&answer.bracket)),
            ("method".into(), answer.method.clone()),
        ]));
    }
    let plot = Plot {
        title: "delta against epsilon".into(),
        x: Axis::linear("epsilon"),
        y: Axis::log("delta"),
        series,
    };
    blocks.push(Block::Figure {
        plot: Box::new(plot),
        caption: "Both bounds hold at every point of the curve; where one line is seen, they agree to the width of the pen.".into(),
    });
    let rows = points
        .iter()
        .step_by(5)
        .map(|(epsilon, bracket)| {
            let upper = bracket.upper.as_ref().map_or("1".into(), |upper| decimal::up(upper, 6));
            vec![decimal::down(epsilon, 6), decimal::down(&bracket.lower, 6), upper]
        })
        .collect();
    let heading = ["epsilon", "delta is at least", "delta is at most"].map(str::to_owned).to_vec();
    blocks.push(Block::Table { heading, rows });
    let cut: String = text.trim().chars().take(2000).collect();
    let document = Document {
        title: "Privacy of a composition".into(),
        lead: vec![Block::Code(cut), Block::Text(format!("Neighbours: {}.", name_of(arguments.adjacency)))],
        sections: vec![Section { heading: "The curve".into(), blocks }],
    };
    Ok(document.to_html())
}
