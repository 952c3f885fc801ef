//! Probabilities over the reals against an independent oracle: brute force and numeric integration in Python
//! (`scripts/audit_oracle.py`), whose answers are in `tests/data/events.txt`.

use probity_audit::{
    Bounds, Condition, Depth, Event, Given, Inputs, Outcome, Parameters, enclosed_probability,
    event_probability,
};
use probity_exact::{Rational, parse_rational, rational};
use probity_lang::Program;

/// Without the feature `exhaustive`, one in so many of the oracle's answers.
const LESS: usize = if cfg!(feature = "exhaustive") { 1 } else { 3 };

struct Case {
    text: String,
    program: Program,
    inputs: Inputs,
    event: Event,
    probability: Rational,
    /// The share by which the audit may be off.
    tolerance: Rational,
}

fn number(text: &str) -> Rational {
    parse_rational(text.trim()).unwrap_or_else(|_| panic!("{text} is no number"))
}

fn given(text: &str, sort: &probity_kernel::term::Sort) -> Given {
    use probity_kernel::term::Sort;
    match sort {
        Sort::Bool => Given::Bool(text == "true"),
        Sort::RealList | Sort::IntList => Given::List(text.split(',').map(number).collect()),
        _ => Given::Number(number(text)),
    }
}

fn event(text: &str) -> Event {
    let outcome = |text: &str| match text {
        "true" | "false" => Outcome::Bool(text == "true"),
        number => Outcome::Number(self::number(number)),
    };
    if let Some(bound) = text.strip_prefix("at most ") {
        Event::Value(Condition::AtMost(number(bound)))
    } else if let Some(bound) = text.strip_prefix("at least ") {
        Event::Value(Condition::AtLeast(number(bound)))
    } else if let Some(ends) = text.strip_prefix("between ") {
        let (low, high) = ends.split_once(" and ").unwrap();
        Event::Value(Condition::Between(number(low), number(high)))
    } else {
        let values: Vec<Outcome> = text.strip_prefix("is ").unwrap().split(',').map(outcome).collect();
        match &values[..] {
            [single] => Event::exactly(single),
            _ => Event::exactly(&Outcome::List(values)),
        }
    }
}

/// The cases that are integrated or enumerated, and those that only boxes of draws cover.
fn cases() -> [Vec<Case>; 2] {
    let text = include_str!("data/events.txt");
    let (exact, boxes) = text.split_once("# boxes\n").unwrap();
    [exact, boxes].map(|part| {
        let lines = part.lines().filter(|line| !line.starts_with('#'));
        let case = |line: &str| {
            let fields: Vec<&str> = line.split('|').map(str::trim).collect();
            let [source, inputs, event, probability, digits] = fields[..] else { panic!("{line}") };
            let program =
                probity_lang::load_text(&source.replace("; ", "\n")).unwrap_or_else(|e| panic!("{e:?}"));
            let (name, value) = inputs.split_once('=').unwrap();
            let sort = &program.mechanism.inputs[0].sort;
            let digits: usize = digits.parse().unwrap();
            Case {
                text: line.to_owned(),
                inputs: [(name.into(), given(value, sort))].into(),
                event: self::event(event),
                probability: number(probability),
                tolerance: number(&format!("1e-{digits}")),
                program,
            }
        };
        lines.map(case).collect()
    })
}

/// Whether the bounds hold the oracle's probability and are as narrow as the digits say.
fn agrees(found: &Bounds, probability: &Rational, tolerance: &Rational) -> bool {
    let slack = probability * tolerance;
    let near = &found.low - &slack <= *probability && *probability <= &found.high + &slack;
    near && &found.high - &found.low <= slack * Rational::from(2)
}

#[test]
fn integration_agrees_with_the_oracle() {
    let [cases, _] = cases();
    assert!(cases.len() >= 25);
    for case in cases.into_iter().step_by(LESS) {
        let mechanism = &case.program.mechanism;
        let found =
            event_probability(mechanism, &Parameters::new(), &case.inputs, &case.event, Depth::default());
        let found = found.unwrap_or_else(|e| panic!("{}: {e}", case.text)).unwrap();
        assert!(agrees(&found, &case.probability, &case.tolerance), "{}: {found:?}", case.text);
        // The comparison can fail: a probability that is off by a thousandth is told apart.
        let wrong = &case.probability * rational(1001, 1000).unwrap();
        assert!(!agrees(&found, &wrong, &case.tolerance), "{}", case.text);
    }
}

/// Boxes of draws cover all of them, if less precisely: the oracle's probability is always inside.
#[test]
fn boxes_agree_with_the_oracle() {
    let [exact, boxes] = cases();
    assert!(boxes.len() >= 8);
    // How many of them have no other way.
    let mut left = 0;
    for case in boxes.iter().step_by(LESS) {
        let mechanism = &case.program.mechanism;
        // Some are integrated too, by now: then both agree with the oracle.
        match event_probability(mechanism, &Parameters::new(), &case.inputs, &case.event, Depth::default()) {
            Ok(found) => {
                let found = found.unwrap();
                assert!(agrees(&found, &case.probability, &case.tolerance), "{}: {found:?}", case.text);
            }
            Err(refused) => {
                left += 1;
                assert!(refused.to_string().starts_with("not covered: "), "{}", case.text);
            }
        }
        let found =
            enclosed_probability(mechanism, &Parameters::new(), &case.inputs, &case.event, 40_000).unwrap();
        assert!(agrees(&found, &case.probability, &case.tolerance), "{}: {}", case.text, found.to_f64());
        assert!(found.low <= case.probability && case.probability <= found.high, "{}", case.text);
    }
    assert!(left >= 1, "{left}");
    for case in exact.iter().step_by(LESS) {
        let mechanism = &case.program.mechanism;
        let found =
            enclosed_probability(mechanism, &Parameters::new(), &case.inputs, &case.event, 2000).unwrap();
        // The oracle's digits end somewhere.
        let slack = &case.probability * number("1e-11");
        let inside = &found.low - &slack <= case.probability && case.probability <= &found.high + slack;
        assert!(inside, "{}: {found:?}", case.text);
    }
}
