//! `probity map`: the privacy map of a mechanism at a distance, and the inverse questions: how much noise reaches
//! a budget, and what error to expect.

use probity_account::{Bracket, Effort};
use probity_exact::{Natural, Rational, parse_rational};
use probity_noise::accuracy::Level;
use probity_noise::catalogue::{self, Entry};
use probity_noise::measure::Loss;
use probity_noise::unit::{Delta, Epsilon, Rho, Sensitivity};
use probity_verdict::decimal;
use serde_json::{Map, Value};

use crate::commands::account as accountant;
use crate::commands::named::{Named, Offer, refused};
use crate::failure::{Answer, Failure, Status};
use crate::progress::during;
use crate::{given, output};

/// What has a privacy map.
pub struct Maps;

impl Offer for Maps {
    fn offers(entry: &Entry) -> bool {
        entry.has_map
    }
    const NEEDS_ALL: bool = false;
}

/// The question.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    named: Named<Maps>,
    /// How far neighbouring inputs lie apart
    #[arg(long, value_parser = parse_rational, default_value = "1", allow_hyphen_values = true, global = true)]
    d_in: Rational,
    /// Ask for the least noise whose epsilon is at most this (with --target-delta: whose epsilon and delta are)
    #[arg(long, value_parser = parse_rational, global = true, allow_negative_numbers = true, value_name = "EPSILON")]
    target_epsilon: Option<Rational>,
    /// The delta that goes with --target-epsilon
    #[arg(long, value_parser = parse_rational, global = true, allow_negative_numbers = true, value_name = "DELTA")]
    target_delta: Option<Rational>,
    /// Ask for the least noise whose rho is at most this
    #[arg(long, value_parser = parse_rational, global = true, allow_negative_numbers = true, value_name = "RHO")]
    target_rho: Option<Rational>,
    /// Also give the error that holds with probability 1 - ALPHA
    #[arg(long, value_parser = parse_rational, global = true, allow_negative_numbers = true)]
    alpha: Option<Rational>,
    /// With --alpha: ask for the largest scale that keeps this error
    #[arg(long, value_parser = parse_rational, global = true, allow_negative_numbers = true, value_name = "ERROR")]
    target_error: Option<Rational>,
    /// How many answers: with --alpha the error holds for all at once, with --total-delta the epsilon is of all together
    #[arg(long, default_value_t = 1, global = true, value_parser = given::count, allow_negative_numbers = true)]
    answers: u64,
    /// Also give the epsilon of all --answers together at this delta, between bounds, by the accountant
    #[arg(long, value_parser = parse_rational, global = true, allow_negative_numbers = true, value_name = "DELTA")]
    total_delta: Option<Rational>,
    /// Answer in JSON
    #[arg(long, global = true)]
    json: bool,
}

/// Answers.
pub fn run(arguments: &Arguments) -> Answer {
    let mut fields = Map::new();
    let mut lines = Vec::new();
    fields.insert("mechanism".into(), arguments.named.name.clone().into());
    let distance = Sensitivity::new(arguments.d_in.clone()).map_err(Failure::new)?;
    check_together(arguments)?;
    if let Some(target) = target(arguments)? {
        inverse(arguments, &distance, &target, &mut fields, &mut lines)?;
    } else if let Some(error) = &arguments.target_error {
        scale_for_error(arguments, error, &mut fields, &mut lines)?;
    } else {
        forward(arguments, &distance, &mut fields, &mut lines)?;
    }
    match arguments.json {
        true => output::json(&Value::Object(fields))?,
        false => output::print(|out| lines.iter().try_for_each(|line| writeln!(out, "{line}")))?,
    }
    Ok(Status::Done)
}

/// Options that say nothing together are refused: an answer that leaves one out would be taken for one that heeds it.
fn check_together(arguments: &Arguments) -> Result<(), Failure> {
    let inverse = arguments.target_epsilon.is_some() || arguments.target_rho.is_some();
    let several = arguments.answers > 1;
    let refused = |what: &str, hint: &str| Err(Failure::new(what).hint(hint));
    if inverse && (several || arguments.total_delta.is_some()) {
        return refused(
            "a target is for one answer: --answers and --total-delta do not go with it",
            "`probity account 'discrete_laplace(s) * 10' --delta 1e-6 --target-epsilon 1` finds the noise of several answers",
        );
    }
    if inverse && arguments.target_error.is_some() {
        return refused(
            "a target for the loss and one for the error do not go together",
            "ask for one of them",
        );
    }
    if arguments.target_error.is_some() && arguments.total_delta.is_some() {
        return refused("--total-delta does not go with --target-error", "leave it out");
    }
    if several && arguments.total_delta.is_none() && arguments.alpha.is_none() {
        return refused(
            "--answers says nothing by itself",
            "add --total-delta 1e-6 for the epsilon of all together, or --alpha 0.05 for an error that holds for all",
        );
    }
    Ok(())
}

/// A mechanism that is known by its guarantee has no bound from below.
fn at_most_or_between(bracket: &Bracket) -> String {
    match (bracket.lower.is_zero(), &bracket.upper) {
        (true, Some(upper)) => format!("at most {}", decimal::up(upper, accountant::DIGITS)),
        _ => accountant::shown(bracket),
    }
}

/// The loss at d_in, with the map it comes from.
fn forward(
    arguments: &Arguments,
    distance: &Sensitivity,
    fields: &mut Map<String, Value>,
    lines: &mut Vec<String>,
) -> Result<(), Failure> {
    let Named { name, arguments: given, .. } = &arguments.named;
    let map = catalogue::privacy_map(name, given).map_err(refused)?;
    let loss = map.printed_loss(distance).map_err(Failure::new)?;
    fields.insert("d_in".into(), distance.value().to_string().into());
    fields.insert("map".into(), map.to_string().into());
    lines.push(format!("{name}: {map}"));
    lines.push(format!("at d_in = {distance}: {loss}"));
    let mut put = |name: &str, value: f64| fields.insert(name.into(), output::number(value));
    match &loss {
        Loss::Pure(epsilon) => {
            put("epsilon", epsilon.to_f64_up());
        }
        Loss::Approximate { epsilon, delta } => {
            put("epsilon", epsilon.to_f64_up());
            put("delta", delta.to_f64_up());
        }
        Loss::Concentrated(rho) => {
            put("rho", rho.to_f64_up());
        }
        Loss::Profile(curve) => {
            fields.insert("profile".into(), curve.expression().to_string().into());
        }
    }
    if let Some(delta) = &arguments.total_delta {
        let at = Delta::new(delta.clone()).map_err(Failure::new)?;
        let effort = Effort::default();
        let answer = during("composing", || {
            catalogue::epsilon_of_answers((name, given), distance, arguments.answers, &at, &effort)
        })
        .map_err(refused)?;
        lines.push(format!(
            "{} answers at delta = {}: epsilon {}",
            arguments.answers,
            decimal::exact_or_nearest(delta),
            at_most_or_between(&answer.bracket)
        ));
        let mut total = accountant::bracket_to_json(&answer.bracket);
        total["answers"] = arguments.answers.into();
        total["delta"] = delta.to_string().into();
        fields.insert("total".into(), total);
    }
    if let Some(level) = level(arguments)? {
        let error = catalogue::error_at(name, given, &level, arguments.answers).map_err(refused)?;
        lines.push(format!("with probability 1 - {}: error at most {error}", shown(&arguments.alpha)));
        fields.insert("error".into(), error.to_string().into());
    }
    Ok(())
}

/// The least noise that reaches a target.
fn inverse(
    arguments: &Arguments,
    distance: &Sensitivity,
    target: &Loss,
    fields: &mut Map<String, Value>,
    lines: &mut Vec<String>,
) -> Result<(), Failure> {
    let Named { name, arguments: given, .. } = &arguments.named;
    let answer = catalogue::calibrate(name, given, distance, target).map_err(refused)?;
    fields.insert("d_in".into(), distance.value().to_string().into());
    fields.insert("target".into(), target.to_string().into());
    put_answer(&answer, fields);
    lines.push(format!(
        "{name} at d_in = {distance} keeps {target} with {} = {}",
        answer.parameter,
        answer.exact.as_ref().map_or(answer.double.to_string(), Rational::to_string)
    ));
    Ok(())
}

/// The most noise that keeps an error.
fn scale_for_error(
    arguments: &Arguments,
    error: &Rational,
    fields: &mut Map<String, Value>,
    lines: &mut Vec<String>,
) -> Result<(), Failure> {
    let level = level(arguments)?.ok_or_else(|| {
        Failure::new("--target-error says nothing without a probability").hint("add --alpha 0.05, say")
    })?;
    let whole = Natural::try_from(error.floor())
        .map_err(|_| Failure::new(format!("target-error = {error} is not allowed: it must be at least 0")))?;
    let name = &arguments.named.name;
    let answer = catalogue::scale_for_error(name, &whole, &level, arguments.answers).map_err(refused)?;
    fields.insert("error".into(), whole.to_string().into());
    put_answer(&answer, fields);
    lines.push(format!(
        "{name} errs by at most {whole} with probability 1 - {} up to {} = {}",
        shown(&arguments.alpha),
        answer.parameter,
        answer.double
    ));
    Ok(())
}

fn put_answer(answer: &catalogue::Answer, fields: &mut Map<String, Value>) {
    fields.insert("parameter".into(), answer.parameter.into());
    fields.insert("value".into(), output::number(answer.double));
    if let Some(exact) = &answer.exact {
        fields.insert("exact".into(), exact.to_string().into());
    }
}

fn target(arguments: &Arguments) -> Result<Option<Loss>, Failure> {
    let bad = |error| Failure::new(error);
    Ok(match (&arguments.target_epsilon, &arguments.target_delta, &arguments.target_rho) {
        (None, None, None) => None,
        (Some(epsilon), None, None) => Some(Loss::Pure(Epsilon::new(epsilon.clone()).map_err(bad)?)),
        (Some(epsilon), Some(delta), None) => Some(Loss::Approximate {
            epsilon: Epsilon::new(epsilon.clone()).map_err(bad)?,
            delta: Delta::new(delta.clone()).map_err(bad)?,
        }),
        (None, None, Some(rho)) => Some(Loss::Concentrated(Rho::new(rho.clone()).map_err(bad)?)),
        (None, Some(_), _) => {
            return Err(Failure::new("--target-delta says nothing without an epsilon")
                .hint("add --target-epsilon 1, say"));
        }
        _ => {
            return Err(Failure::new("these targets do not go together")
                .hint("give --target-epsilon, or that with --target-delta, or --target-rho"));
        }
    })
}

fn level(arguments: &Arguments) -> Result<Option<Level>, Failure> {
    arguments.alpha.clone().map(|alpha| Level::new(alpha).map_err(Failure::new)).transpose()
}

fn shown(alpha: &Option<Rational>) -> String {
    alpha.as_ref().map_or_else(String::new, Rational::to_string)
}
