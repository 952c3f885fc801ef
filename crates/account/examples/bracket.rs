//! A bracket on one line of JSON, for scripts: `bracket 'gaussian(2) * 3' delta 1e-6 [WIDTH [SECONDS]]`; `-` reads the
//! expression from standard input. `read` are the seconds that reading it took.

use std::collections::BTreeMap;
use std::time::Instant;

use probity_account::{Adjacency, Effort, Expression, Question, account, doubles_around};
use probity_exact::parse_rational;

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [expression, given, value, rest @ ..] = &arguments[..] else {
        return Err("usage: bracket EXPRESSION delta|epsilon VALUE [WIDTH [SECONDS]]".into());
    };
    let expression = match expression.as_str() {
        "-" => std::io::read_to_string(std::io::stdin()).map_err(|error| error.to_string())?,
        text => text.to_owned(),
    };
    let number =
        |at: usize, otherwise: f64| rest.get(at).and_then(|text| text.parse().ok()).unwrap_or(otherwise);
    let effort = Effort { width: number(0, 1e-4), seconds: number(1, 60.0), closed_forms: true };
    let start = Instant::now();
    let laws = Expression::parse(&expression)
        .and_then(|laws| laws.evaluate(&BTreeMap::new(), &|_| Err("texts need the probity command".into())))
        .map_err(|fault| format!("{fault}\n{}", fault.shown(&expression)))?;
    let read = start.elapsed().as_secs_f64();
    let value = parse_rational(value).map_err(|error| error.to_string())?;
    let question = if given == "delta" { Question::Epsilon(value) } else { Question::Delta(value) };
    let answer = account(&laws, Adjacency::AddRemove, &question, &effort)?;
    let lower = doubles_around(&answer.bracket.lower).0;
    let upper =
        answer.bracket.upper.as_ref().map_or("null".into(), |upper| format!("{:e}", doubles_around(upper).1));
    println!(
        "{{\"lower\": {lower:e}, \"upper\": {upper}, \"read\": {read}, \"seconds\": {}, \"reached\": {}, \"method\": {:?}}}",
        answer.seconds, answer.reached, answer.method
    );
    Ok(())
}
