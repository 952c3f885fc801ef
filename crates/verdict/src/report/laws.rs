//! The audit of one pair of inputs: both output laws, the loss of every outcome, and the δ(ε) curve.

use probity_audit::{
    Bounds, Cells, Given, Inputs, Law, Mass, Outcome, OutcomeLoss, PairReport, Refutation, Renyi, claimed,
    event_laws, neighbours,
};
use probity_exact::{BitTest, Format, Integer, Natural, Rational, Round, directed, ln_bounds};
use probity_float::certified::Certified;
use probity_kernel::term::Reading;
use probity_report::plot::{Axis, Colour, Mark, Plot, Series, log10};
use probity_report::{Block, Section};

use super::{Case, listed, middle};
use crate::audit;
use crate::decimal::{self, FIGURES, at_most};
use crate::error::Error;
use crate::given;
use crate::watch::Watch;

/// Outcomes that a plot shows, and rows of the table.
const MOST_POINTS: usize = 2000;
const MOST_ROWS: usize = 400;

/// Up to this many outcomes stand on stems.
const FEW: usize = 40;

/// What two inputs show.
#[derive(Debug, Clone)]
pub struct Audit {
    /// Both laws, outcome by outcome.
    pub report: PairReport,
    /// The arithmetic.
    pub reading: Reading,
    /// The claimed ε, at the exact parameters; 0 for a claim in ρ or μ, so that losses are shown as they are.
    pub epsilon: Bounds,
    /// What an outcome is, where the output is continuous.
    pub cells: Option<String>,
    /// How wide a cell is, where outcomes are intervals.
    pub width: Option<Rational>,
    /// For a claim in ρ or μ: the claimed ρ, or μ²/2.
    pub rho: Option<Bounds>,
}

impl Audit {
    /// Computes both laws. A mechanism with a certificate is looked at in the certificate's format.
    /// A continuous output is looked at in cells; one that is no number by the event of the counterexample, if there is one.
    pub fn new(
        case: &Case<'_>,
        asked: Option<Reading>,
        has_certificate: bool,
        refutation: Option<&Refutation>,
        watch: &Watch<'_>,
    ) -> Result<Audit, String> {
        let asked = asked.or(has_certificate.then_some(Reading::BINARY64));
        let reading = audit::reading_of(case.program, asked);
        given::check_parameters(&case.parameters, reading)
            .map_err(|error: Error| error.message().to_owned())?;
        let (laws, cells) = match audit::laws(case.program, &case.parameters, &case.inputs, reading) {
            Ok(laws) => (laws, None),
            Err(error) if reading != Reading::Reals => return Err(error.to_string()),
            Err(error) => in_cells(case, refutation, watch).ok_or_else(|| error.to_string())?,
        };
        let (cells, width) = cells.unzip();
        let width = width.flatten();
        let escaped = laws[0].escaped_mass().max(laws[1].escaped_mass());
        if &escaped * Rational::from(100) > Rational::ONE {
            return Err(format!(
                "{reading} the outcomes are too many to list; a mass of {} was left when the work ended",
                decimal::figure(&escaped)
            ));
        }
        let report = match (reading, &cells) {
            (Reading::Reals, None) => {
                let program =
                    probity_audit::Case::new(&case.program.mechanism, &case.parameters, &case.inputs[0]);
                program.compared_with(&case.inputs[1], (&laws[0], &laws[1]))
            }
            _ => PairReport::new(&laws[0], &laws[1]),
        };
        let (epsilon, _) = claimed(&case.program.mechanism, &case.program.claim, &case.parameters)
            .map_err(|error| error.to_string())?;
        if audit::is_concentrated(case.program.claim.reading) {
            let none = Bounds { low: Rational::ZERO, high: Rational::ZERO };
            return Ok(Audit { report, reading, epsilon: none, cells, width, rho: Some(epsilon) });
        }
        Ok(Audit { report, reading, epsilon, cells, width, rho: None })
    }

    /// Whether this pair loses for certain more than the certificate allows.
    pub fn contradicts(&self, case: &Case<'_>, certified: &Certified) -> bool {
        are_neighbours_in(case, certified.snapped.format)
            && self.report.delta(&certified.epsilon_exact).low > *certified.theorem.bound().delta()
    }

    /// The worst finite loss less the claimed ε.
    pub fn excess(&self) -> Option<Bounds> {
        self.report.excess_within(&self.epsilon)
    }
}

/// What a cell is, and how wide if it is an interval.
type Cell = (String, Option<Rational>);

/// The laws in cells, and what a cell is.
fn in_cells(
    case: &Case<'_>,
    refutation: Option<&Refutation>,
    watch: &Watch<'_>,
) -> Option<([Law; 2], Option<Cell>)> {
    let until = watch.until_then();
    let first =
        probity_audit::Case::new(&case.program.mechanism, &case.parameters, &case.inputs[0]).until(&until);
    if let Ok(Cells { laws, width }) = first.cells(&case.inputs[1]) {
        let text = format!(
            "an interval of width {} around it; the first and the last have no end",
            decimal::figure(&width)
        );
        return Some((laws, Some((text, Some(width)))));
    }
    let told = refutation.filter(|found| found.first == case.inputs[0] && found.second == case.inputs[1])?;
    let laws = event_laws([&told.first_probability, &told.second_probability]);
    let text = format!("whether {} (true) or not (false)", crate::counterexample::event(&told.event));
    Some((laws, Some((text, None))))
}

/// Whether the inputs are neighbours after they are rounded to the format; a certificate is about such inputs only.
pub fn are_neighbours_in(case: &Case<'_>, format: Format) -> bool {
    let round = |inputs: &Inputs| -> Option<Inputs> {
        let value = |given: &Given| match given {
            Given::Number(x) => Some(Given::Number(format.round(x, Round::NearestEven).to_rational()?)),
            _ => None,
        };
        inputs.iter().map(|(name, given)| Some((name.clone(), value(given)?))).collect()
    };
    let (Some(first), Some(second)) = (round(&case.inputs[0]), round(&case.inputs[1])) else { return false };
    neighbours(&case.program.mechanism, &case.parameters, &first, &second).unwrap_or(false)
}

/// The audit in figures and plots.
pub fn section(case: &Case<'_>, audit: &Audit, certified: Option<&Certified>) -> Section {
    let names = [listed(&case.inputs[0]), listed(&case.inputs[1])];
    let mut blocks = vec![facts(case, audit, &names)];
    let shown = Shown::new(&audit.report);
    blocks.push(shown.laws(&audit.report, &names));
    blocks.push(shown.losses(audit, certified));
    if let Some(certified) = certified
        && let Some(zoom) = shown.excesses(audit, certified)
    {
        blocks.push(zoom);
    }
    blocks.push(curve(audit));
    blocks.push(table(audit, &names));
    Section { heading: format!("Audit {}: what two inputs really show", audit.reading), blocks }
}

fn facts(case: &Case<'_>, audit: &Audit, names: &[String; 2]) -> Block {
    let report = &audit.report;
    let mut facts = Vec::new();
    if !case.parameters.is_empty() {
        facts.push(("parameters".into(), listed(&case.parameters)));
    }
    facts.push(("inputs".into(), format!("{} and {}", names[0], names[1])));
    facts.push(("outcomes".into(), report.outcomes.len().to_string()));
    if let Some(cells) = &audit.cells {
        facts.push(("an outcome is".into(), cells.clone()));
    }
    if let Some(worst) = &report.worst {
        facts.push((
            "largest finite loss".into(),
            format!("{} at outcome {}", worst.loss.certain(), decimal::outcome(&worst.outcome)),
        ));
    }
    if let Some(rho) = &audit.rho {
        facts.push(("claimed ρ (of a μ, μ²/2)".into(), rho.to_f64().to_string()));
        let orders = report.renyi();
        let shown = orders.iter().map(Renyi::rho).fold(0.0, f64::max);
        facts.push(("ρ that these inputs show".into(), decimal::at_least(shown)));
        for Renyi { order, low, high } in orders {
            let bounds = format!("{} to {}", decimal::at_least(low), at_most(high));
            facts.push((format!("Rényi divergence of order {order}"), bounds));
        }
    } else {
        facts.push(("claimed ε".into(), audit.epsilon.to_f64().to_string()));
    }
    if let Some(excess) = audit.excess().filter(|_| audit.rho.is_none()) {
        let shown = match excess.certain_excess() {
            0.0 => "0, to nine digits or more".to_owned(),
            some => decimal::at_least(some),
        };
        facts.push(("loss less ε".into(), shown));
    }
    let impossible = match report.impossible.len() {
        0 => "none".to_owned(),
        some => format!("{some}, of mass {}", decimal::figure(&report.impossible_mass)),
    };
    facts.push(("outcomes possible under one input only".into(), impossible));
    let at = if audit.rho.is_some() { "δ at ε = 0" } else { "δ at the claimed ε" };
    facts.push((at.into(), decimal::down(&report.delta(&audit.epsilon.high).low, FIGURES)));
    facts.push(("this is".into(), "a lower bound: other inputs may lose more".into()));
    Block::Facts(facts)
}

/// The outcomes that the plots show, with their places on the axis.
pub(super) struct Shown<'a> {
    pub(super) outcomes: Vec<(f64, &'a OutcomeLoss)>,
    pub(super) axis: Axis,
    /// How far apart two marks of one outcome stand.
    apart: f64,
    /// What the captions say about outcomes that are left out.
    pub(super) note: String,
}

impl<'a> Shown<'a> {
    pub(super) fn new(report: &'a PairReport) -> Shown<'a> {
        let every = report.outcomes.len().div_ceil(MOST_POINTS).max(1);
        let kept: Vec<&OutcomeLoss> = report.outcomes.iter().step_by(every).collect();
        let note = match every {
            1 => String::new(),
            _ => format!(" Of {} outcomes, one in {every} is drawn.", report.outcomes.len()),
        };
        let numbers: Option<Vec<f64>> =
            kept.iter().map(|o| o.outcome.number().map(directed::cast_nearest)).collect();
        let even = |numbers: &Vec<f64>| {
            let gaps = || numbers.windows(2).map(|pair| pair[1] - pair[0]);
            gaps().all(|gap| Some(gap) == gaps().next())
        };
        let (places, axis) = match numbers {
            Some(numbers) if kept.len() > FEW || !even(&numbers) => (numbers, Axis::linear("outcome")),
            // Few outcomes are named one by one.
            _ => ((0..kept.len()).map(|i| i as f64).collect(), named_axis(&kept)),
        };
        let gap = places.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
        let apart = if kept.len() <= FEW && gap.is_finite() { gap * 0.1 } else { 0.0 };
        Shown { outcomes: places.into_iter().zip(kept).collect(), axis, apart, note }
    }

    /// A level along the whole axis.
    fn level(&self, y: f64) -> Vec<(f64, f64)> {
        let first = self.outcomes.first().map(|(x, _)| *x);
        let last = self.outcomes.last().map(|(x, _)| *x);
        let ends = self.axis.range.map_or([first, last], |(low, high)| [Some(low), Some(high)]);
        ends.into_iter().flatten().map(|x| (x, y)).collect()
    }

    fn laws(&self, report: &PairReport, names: &[String; 2]) -> Block {
        let few = self.outcomes.len() <= FEW;
        let law = |name: &str, colour, mark, shift: f64, mass: fn(&OutcomeLoss) -> &Mass| Series {
            name: format!("input {name}"),
            colour,
            mark,
            points: self
                .outcomes
                .iter()
                .filter_map(|(x, o)| Some((x + shift, log10(&share(mass(o), &report.denominator))?)))
                .collect(),
        };
        let marks = if few { [Mark::Stems, Mark::Stems] } else { [Mark::Round, Mark::Square] };
        let plot = Plot {
            title: "Output laws of the two inputs".into(),
            x: self.axis.clone(),
            y: Axis::log("probability of the outcome"),
            series: vec![
                law(&names[0], Colour::First, marks[0], -self.apart, |o| &o.first),
                law(&names[1], Colour::Second, marks[1], self.apart, |o| &o.second),
            ],
        };
        let caption = format!("The probability of each outcome under each input, logarithmic.{}", self.note);
        Block::Figure { plot: Box::new(plot), caption }
    }

    fn losses(&self, audit: &Audit, certified: Option<&Certified>) -> Block {
        let epsilon = audit.epsilon.to_f64();
        let points = self.outcomes.iter().map(|(x, o)| (*x, quick(o))).collect();
        let mut series = Vec::new();
        let mut caption =
            String::from("The logarithm of the ratio of the two probabilities of each outcome.");
        if let Some(certified) = certified {
            let bound = certified.epsilon;
            let (low, high) = (self.level(-bound), self.level(bound));
            let points = low.into_iter().zip(high).flat_map(|(low, high)| [low, high]).collect();
            series.push(Series {
                name: "certified band".into(),
                colour: Colour::Third,
                mark: Mark::Band,
                points,
            });
            caption.push_str(&format!(
                " The certificate adds {} to ε, too little to be seen here: the next plot shows it.",
                at_most(certified.excess)
            ));
        }
        let gap = (f64::NAN, f64::NAN);
        let both = self.level(epsilon).into_iter().chain([gap]).chain(self.level(-epsilon));
        series.push(Series {
            name: "claimed ±ε".into(),
            colour: Colour::Text,
            mark: Mark::Dashed,
            points: both.collect(),
        });
        series.push(Series { name: "loss".into(), colour: Colour::First, mark: Mark::Round, points });
        if !audit.report.impossible.is_empty() {
            caption.push_str(" A triangle on the edge marks an outcome that one of the inputs cannot produce: its loss is infinite.");
        }
        caption.push_str(&self.note);
        let plot = Plot {
            title: "Privacy loss of each outcome".into(),
            x: self.axis.clone(),
            y: Axis::linear("privacy loss ln(P/P′), nats"),
            series,
        };
        Block::Figure { plot: Box::new(plot), caption }
    }

    /// How far each loss lies from ε, where rounding errors are seen. `None` if no loss can be told from ε.
    fn excesses(&self, audit: &Audit, certified: &Certified) -> Option<Block> {
        let epsilon = middle(&audit.epsilon);
        let (mut above, mut below, mut far) = (Vec::new(), Vec::new(), 0);
        for (x, o) in &self.outcomes {
            if quick(o).is_infinite() {
                above.push((*x, f64::INFINITY));
                continue;
            }
            let excess = precise_loss(o)? - &epsilon;
            let Some(size) = log10(&excess) else { continue };
            match excess > Rational::ZERO {
                true => above.push((*x, size)),
                // Losses well below ε say nothing about rounding errors and would flatten the rest.
                false if size > -6.0 => far += 1,
                false => below.push((*x, size)),
            }
        }
        let certificate = certified;
        let line = |name: &str, colour, mark, y: f64| {
            Some(Series {
                name: name.into(),
                colour,
                mark,
                points: self.level(log10(&probity_exact::rational_from_f64(y)?)?),
            })
        };
        let mut series = vec![
            line("certified", Colour::Third, Mark::Line, certificate.excess)?,
            line("published 12Bεη + 2η", Colour::Fourth, Mark::Dashed, certificate.published_bound)?,
        ];
        series.push(Series {
            name: "loss above ε".into(),
            colour: Colour::Second,
            mark: Mark::Round,
            points: above,
        });
        series.push(Series {
            name: "loss below ε".into(),
            colour: Colour::First,
            mark: Mark::Square,
            points: below,
        });
        let plot = Plot {
            title: "Distance of the loss from ε, with the certified and the published bound".into(),
            x: self.axis.clone(),
            y: Axis::log("|loss − ε|, nats"),
            series,
        };
        let caption = format!(
            "Certified: at most {} above ε{}. Published: {}. {far} outcomes whose loss is more than 10⁻⁶ below ε are \
             not drawn.{}",
            at_most(certificate.excess),
            match certificate.delta {
                0.0 => String::new(),
                delta => format!(", but for events of mass δ = {}", at_most(delta)),
            },
            decimal::figure_of(certificate.published_bound),
            self.note
        );
        Some(Block::Figure { plot: Box::new(plot), caption })
    }
}

/// The probability of an outcome, in the middle of its bounds.
pub(super) fn share(mass: &Mass, denominator: &Natural) -> Rational {
    Rational::from_parts(Integer::from(&mass.low + &mass.high), denominator * Natural::from(2u8))
}

/// The loss of an outcome for a plot: the middle of its bounds, or the infinite one.
fn quick(outcome: &OutcomeLoss) -> f64 {
    let (low, high) = outcome.log_ratio;
    match (low.is_infinite(), high.is_infinite()) {
        (false, false) => (low + high) / 2.0,
        // One side is impossible, or not known to be possible.
        (true, true) if low == high => low,
        _ => f64::NAN,
    }
}

/// |ln(first/second)| to about 100 bits; `None` when it is not that well known.
fn precise_loss(outcome: &OutcomeLoss) -> Option<Rational> {
    let (first, second) = (&outcome.first, &outcome.second);
    if first.low != first.high || second.low != second.high {
        return None;
    }
    let (larger, smaller) =
        if first.low >= second.low { (&first.low, &second.low) } else { (&second.low, &first.low) };
    if smaller.is_zero() {
        // An outcome that one of the inputs cannot produce.
        return None;
    }
    // The leading 192 bits of each are off by 2^−191 at most.
    let leading = |x: &Natural| {
        let cut = x.bit_len().saturating_sub(192);
        (x >> cut, cut)
    };
    let ((n, n_cut), (d, d_cut)) = (leading(larger), leading(smaller));
    let ratio = match n_cut >= d_cut {
        true => Rational::from_parts(Integer::from(n << (n_cut - d_cut)), d),
        false => Rational::from_parts(Integer::from(n), d << (d_cut - n_cut)),
    };
    let (low, high) = ln_bounds(&ratio, 110)?;
    Some((low + high) / Rational::from(2))
}

fn curve(audit: &Audit) -> Block {
    let claimed = middle(&audit.epsilon);
    // Up to 1.2 of the claim, and closer and closer to it from both sides.
    let hundredths = |n: i64| &claimed * Rational::from(n) / Rational::from(100);
    let close = (2..=15usize).flat_map(|k| {
        let part = Rational::from_parts(Integer::ONE, Natural::from(10u8).pow(k));
        [&claimed * (Rational::ONE - &part), &claimed * (Rational::ONE + part)]
    });
    let mut epsilons: Vec<Rational> = (0..=120).map(hundredths).chain(close).collect();
    epsilons.sort();
    epsilons.dedup();
    let at = |epsilon: &Rational| {
        Some((directed::cast_nearest(epsilon), log10(&audit.report.delta(epsilon).low)?))
    };
    let points: Vec<(f64, f64)> = epsilons.iter().filter_map(at).collect();
    let ends = points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| (l.min(p.1), h.max(p.1)));
    let x = audit.epsilon.to_f64();
    let there = decimal::down(&audit.report.delta(&audit.epsilon.high).low, FIGURES);
    let plot = Plot {
        title: "Privacy curve of the two inputs".into(),
        x: Axis::linear("ε, nats"),
        y: Axis::log("δ(ε), probability"),
        series: vec![
            Series {
                name: "claimed ε".into(),
                colour: Colour::Text,
                mark: Mark::Dashed,
                points: if points.is_empty() { vec![] } else { vec![(x, ends.0), (x, ends.1)] },
            },
            Series { name: "δ(ε)".into(), colour: Colour::First, mark: Mark::Line, points },
        ],
    };
    let end = match audit.report.impossible.is_empty() {
        true => "beyond the largest loss it is 0",
        false => "it never falls to 0, because of the outcomes that one of the inputs cannot produce",
    };
    let caption = format!(
        "The smallest δ for which these two inputs are (ε, δ)-indistinguishable. At the claimed ε it is {there}; {end}."
    );
    Block::Figure { plot: Box::new(plot), caption }
}

fn table(audit: &Audit, names: &[String; 2]) -> Block {
    let report = &audit.report;
    let epsilon = middle(&audit.epsilon);
    let row = |o: &OutcomeLoss| {
        let excess = match precise_loss(o) {
            Some(loss) if quick(o).is_finite() => decimal::figure(&(loss - &epsilon)),
            _ => String::new(),
        };
        vec![
            shown(&o.outcome),
            decimal::figure(&share(&o.first, &report.denominator)),
            decimal::figure(&share(&o.second, &report.denominator)),
            format!("{:.6}", quick(o)),
            excess,
        ]
    };
    let rows: Vec<Vec<String>> = report.outcomes.iter().take(MOST_ROWS).map(row).collect();
    let summary = match report.outcomes.len() {
        all if all > MOST_ROWS => format!("The first {MOST_ROWS} of {all} outcomes in figures"),
        all => format!("All {all} outcomes in figures"),
    };
    let heading = vec![
        "outcome".into(),
        format!("P, {}", names[0]),
        format!("P′, {}", names[1]),
        "ln(P/P′)".into(),
        "|ln(P/P′)| − ε".into(),
    ];
    Block::Fold { summary, open: false, blocks: vec![Block::Table { heading, rows }] }
}

/// An outcome, short where it is a long fraction.
fn shown(outcome: &Outcome) -> String {
    match outcome.number() {
        Some(x) if x.to_string().len() > 12 => decimal::figure(x),
        _ => outcome.to_string(),
    }
}

/// An axis of outcomes by name. Lists of booleans are words of T and F: written out, all would begin alike and be cut.
fn named_axis(outcomes: &[&OutcomeLoss]) -> Axis {
    let words: Option<Vec<String>> = outcomes.iter().map(|o| word(&o.outcome)).collect();
    match words {
        Some(words) => Axis::named("outcome (T is true, F is false)", words),
        None => Axis::named("outcome", outcomes.iter().map(|o| shown(&o.outcome)).collect()),
    }
}

fn word(outcome: &Outcome) -> Option<String> {
    let letter = |entry: &Outcome| match entry {
        Outcome::Bool(true) => Some('T'),
        Outcome::Bool(false) => Some('F'),
        _ => None,
    };
    match outcome {
        Outcome::List(entries) if !entries.is_empty() => entries.iter().map(letter).collect(),
        _ => None,
    }
}
