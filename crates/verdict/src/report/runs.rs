//! Runs of the text beside its exact law: what `probity run` answers on the first input, as a histogram.
//!
//! Runs are over the reals, so they stand beside the law over the reals. Nothing is decided here; the largest deviation is told.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use probity_audit::{Given, Inputs, Outcome, PairReport};
use probity_exact::{Integer, Rational, directed};
use probity_kernel::term::Reading;
use probity_lang::Setting;
use probity_noise::entropy::SecureEntropy;
use probity_report::plot::{Axis, Colour, Mark, Plot, Series};
use probity_report::{Block, Section};
use probity_run::{RunError, Session, Text, Value};

use super::laws::{Audit, Shown, share};
use super::{Case, listed};
use crate::audit;
use crate::decimal;
use crate::watch::Watch;

/// Runs that are made, unless they take longer than this.
const RUNS: u64 = 100_000;
const LONGEST: Duration = Duration::from_millis(500);

/// Runs between two looks at the clock.
const BATCH: u64 = 500;

/// The grid of runs of a continuous number, in parts of a cell. A cell ends 501/1000 of its width after its middle: halfway between
/// two points of this grid, so that rounding to the grid moves nothing from cell to cell.
const PARTS: i64 = 500;

/// The section; `None` where the outcomes are not listed over the reals, or the text does not run.
pub fn section(case: &Case<'_>, audit: &Audit, watch: &Watch<'_>) -> Option<Section> {
    let over_the_reals;
    let report = match audit.reading {
        Reading::Reals if audit.cells.is_some() && audit.width.is_none() => return None,
        Reading::Reals => &audit.report,
        _ => {
            let laws = audit::laws(case.program, &case.parameters, &case.inputs, Reading::Reals).ok()?;
            over_the_reals = PairReport::new(&laws[0], &laws[1]);
            &over_the_reals
        }
    };
    let width = audit.width.as_ref().filter(|_| audit.reading == Reading::Reals);
    let mut session = session(case, width)?;
    watch.say("running the text");
    let (start, mut entropy) = (Instant::now(), SecureEntropy::new().ok()?);
    let mut found = Found::new(report, width.cloned());
    while found.runs < RUNS && start.elapsed() < LONGEST && !watch.is_over() {
        found.add(|each| session.runs(BATCH, &mut entropy, each)).ok()?;
    }
    (found.runs > 0).then(|| shown(case, report, &found))
}

/// The text with its numbers, on the first input.
fn session(case: &Case<'_>, width: Option<&Rational>) -> Option<Session> {
    let setting =
        |(name, value): (&_, &Rational)| Setting { name: ToString::to_string(name), value: value.clone() };
    let settings: Vec<Setting> = case.parameters.iter().map(setting).collect();
    let text = Text::of(case.program.clone()).unproved_with(&settings).ok()?;
    let text = match width {
        Some(width) => text.on_grid(width / Rational::from(PARTS)).ok()?,
        None => text,
    };
    text.prepare(&inputs(&case.inputs[0])?).ok()
}

/// The inputs as a run takes them; `None` for tables.
fn inputs(given: &Inputs) -> Option<probity_run::Inputs> {
    let mut inputs = probity_run::Inputs::new();
    for (name, given) in given {
        let value = match given {
            Given::Number(value) => probity_run::Given::Number(value.clone()),
            Given::Bool(truth) => probity_run::Given::Truth(*truth),
            Given::List(items) => probity_run::Given::numbers(items.iter().cloned()),
            Given::Rows(_) => return None,
        };
        inputs = inputs.with(name.as_str(), value);
    }
    Some(inputs)
}

/// How often each outcome came.
struct Found {
    /// The outcomes of the law, in order, with their probabilities and counts.
    outcomes: BTreeMap<Outcome, (f64, u64)>,
    /// Runs with an outcome that is not listed.
    elsewhere: u64,
    runs: u64,
    width: Option<Rational>,
}

impl Found {
    fn new(report: &PairReport, width: Option<Rational>) -> Found {
        let one = |o: &probity_audit::OutcomeLoss| {
            (o.outcome.clone(), (directed::cast_nearest(&share(&o.first, &report.denominator)), 0))
        };
        Found { outcomes: report.outcomes.iter().map(one).collect(), elsewhere: 0, runs: 0, width }
    }

    /// Counts what some runs answer.
    fn add(
        &mut self,
        run: impl FnOnce(&mut dyn FnMut(Value) -> bool) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        run(&mut |value| {
            let outcome = self.outcome(value);
            match self.outcomes.get_mut(&outcome) {
                Some((_, count)) => *count += 1,
                None => self.elsewhere += 1,
            }
            self.runs += 1;
            true
        })
    }

    fn outcome(&self, value: Value) -> Outcome {
        match (value, &self.width) {
            (Value::Number(number), Some(width)) => self.cell(&number.to_rational(), width),
            (Value::Number(number), None) => Outcome::Number(number.into()),
            (Value::Truth(truth), _) => Outcome::Bool(truth),
            (Value::List(items), _) => {
                Outcome::List(items.into_iter().map(|item| self.outcome(item)).collect())
            }
        }
    }

    /// The cell of a number on the grid: cell k has the points PARTS·(k − 1/2) + 1 to PARTS·(k + 1/2); the first and the last cell have no end.
    fn cell(&self, number: &Rational, width: &Rational) -> Outcome {
        let parts = Integer::from(PARTS);
        let point = (number * Rational::from(parts.clone()) / width).floor();
        let index = Rational::from_parts(point + PARTS / 2 - 1, PARTS.unsigned_abs().into()).floor();
        let middle = Rational::from(index) * width;
        let ends = self.outcomes.keys().next().zip(self.outcomes.keys().next_back());
        Outcome::Number(match ends.map(|(first, last)| (first.number(), last.number())) {
            Some((Some(first), Some(last))) => middle.max(first.clone()).min(last.clone()),
            _ => middle,
        })
    }

    /// The largest difference of a frequency from its probability in standard deviations, and where; outcomes that are expected less
    /// than ten times are left out.
    fn deviation(&self) -> Option<(f64, &Outcome)> {
        let runs = self.runs as f64;
        let deviations = self.outcomes.iter().filter_map(|(outcome, (p, count))| {
            let expected = p * runs;
            let spread = (expected * (1.0 - p)).sqrt();
            let enough = expected >= 10.0 && spread > 0.0;
            enough.then(|| ((*count as f64 - expected).abs() / spread, outcome))
        });
        deviations.max_by(|a, b| a.0.total_cmp(&b.0))
    }
}

fn shown(case: &Case<'_>, report: &PairReport, found: &Found) -> Section {
    let mut facts = vec![
        ("input".into(), listed(&case.inputs[0])),
        ("runs".into(), found.runs.to_string()),
        ("runs outside of the outcomes listed".into(), found.elsewhere.to_string()),
    ];
    if let Some((size, outcome)) = found.deviation() {
        let text = format!("{size:.2} standard deviations, at {}", decimal::outcome(outcome));
        facts.push(("largest difference from the law".into(), text));
    }
    let places = Shown::new(report);
    let gaps = places.outcomes.windows(2).map(|pair| pair[1].0 - pair[0].0).filter(|gap| *gap > 0.0);
    let half = gaps.fold(f64::INFINITY, f64::min).min(1.0) * 0.4;
    let (mut bars, mut law) = (Vec::new(), Vec::new());
    for (x, outcome) in &places.outcomes {
        let Some((p, count)) = found.outcomes.get(&outcome.outcome) else { continue };
        let frequency = *count as f64 / found.runs as f64;
        // A bar is a band from 0 up; between bars the band has no height.
        let (left, right) = (x - half, x + half);
        for (x, height) in [(left, 0.0), (left, frequency), (right, frequency), (right, 0.0)] {
            bars.extend([(x, 0.0), (x, height)]);
        }
        law.push((*x, *p));
    }
    let plot = Plot {
        title: "Runs beside the exact law".into(),
        x: places.axis.clone(),
        y: Axis::linear("share of the runs, probability"),
        series: vec![
            Series { name: "runs".into(), colour: Colour::Third, mark: Mark::Band, points: bars },
            Series { name: "exact law".into(), colour: Colour::First, mark: Mark::Round, points: law },
        ],
    };
    let caption = format!(
        "How often each outcome came in {} runs of this text on the first input, and its exact probability. Runs have exactly \
         this law, so the bars end at the dots but for chance.{}",
        found.runs, places.note
    );
    let blocks = vec![Block::Facts(facts), Block::Figure { plot: Box::new(plot), caption }];
    Section { heading: "Runs: the text itself, and its exact law".into(), blocks }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_audit::Parameters;
    use probity_noise::entropy::tape::Tape;

    /// The largest deviation of runs of one text from the law of another.
    fn deviation(run: &str, law: &str) -> f64 {
        let load = |text: &str| probity_lang::load_text(text).unwrap();
        let x = |n: i64| Inputs::from([("x".into(), Given::Number(Rational::from(n)))]);
        let (run, law) = (load(run), load(law));
        let case = |program| Case { program, parameters: Parameters::new(), inputs: [x(0), x(1)] };
        let audit = Audit::new(&case(&law), None, false, None, &Watch::default()).unwrap();
        let mut session = session(&case(&run), audit.width.as_ref()).unwrap();
        let mut found = Found::new(&audit.report, audit.width.clone());
        found.add(|each| session.runs_on_tape(200_000, &mut Tape::seeded(3), each)).unwrap();
        assert_eq!(found.runs, 200_000);
        found.deviation().unwrap().0
    }

    #[test]
    fn runs_have_their_law_and_no_other() {
        let continuous = |scale: &str| {
            format!(
                "mechanism m(x: real)\ny ~ laplace(x, {scale})\nreturn y\nneighbours abs(x' - x) <= 1\nclaim 1"
            )
        };
        let discrete = |p: &str| {
            format!(
                "mechanism m(x: category(3))\ny ~ response(x, {p}, 3)\nreturn y\nneighbours any\nclaim ln(9)"
            )
        };
        let (one, other) = (continuous("1"), continuous("21/20"));
        assert!(deviation(&one, &one) < 4.5);
        assert!(deviation(&other, &one) > 6.0);
        let (one, other) = (discrete("1/2"), discrete("51/100"));
        assert!(deviation(&one, &one) < 4.5);
        assert!(deviation(&other, &one) > 6.0);
    }
}
