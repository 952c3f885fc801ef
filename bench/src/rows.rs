//! What is measured, and the bars that we set ourselves.

use probity_noise::mechanisms::Rule;

use crate::work::{self, Work};
use crate::{Failure, insecure, mechanisms, ours, peer, programs};

/// The scales at which noise is compared.
const SCALES: [f64; 6] = [0.5, 1.0, 10.0, 1e3, 1e6, 1e12];

/// How a section's figures are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Items per CPU-second.
    PerSecond,
    /// Nanoseconds per item.
    Nanoseconds,
}

/// Rows of one kind.
pub struct Section {
    /// What the rows have in common.
    pub title: &'static str,
    /// How their figures are shown.
    pub unit: Unit,
    /// The rows.
    pub rows: Vec<Row>,
}

/// One thing to measure, by up to three contenders, and the bars for ours.
pub struct Row {
    /// What is measured.
    pub name: String,
    /// How the row's figures are shown.
    pub unit: Unit,
    ours: Option<Work>,
    peer: Option<Work>,
    insecure: Option<Work>,
    bars: Vec<Bar>,
}

/// Seconds per item of each contender; `None` where there is no such contender.
pub struct Figures {
    /// Probity.
    pub ours: Option<f64>,
    /// The opendp crate.
    pub peer: Option<f64>,
    /// The insecure limit.
    pub insecure: Option<f64>,
}

impl Figures {
    /// How many times as fast as the peer we are.
    pub fn times_peer(&self) -> Option<f64> {
        Some(self.peer? / self.ours?)
    }

    /// How many times as slow as the insecure limit we are.
    pub fn times_insecure(&self) -> Option<f64> {
        Some(self.ours? / self.insecure?)
    }
}

/// What we owe.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bar {
    /// At least so many items per second.
    PerSecond(f64),
    /// At most so many nanoseconds per item.
    Nanoseconds(f64),
    /// At least so many times as fast as the peer.
    TimesPeer(f64),
    /// At most so many times as slow as the insecure limit.
    OfInsecure(f64),
}

impl Bar {
    /// Whether the figures meet the bar; `None` when a contender that it needs is missing.
    ///
    /// ```
    /// use probity_bench::rows::{Bar, Figures};
    /// let figures = Figures { ours: Some(2e-8), peer: Some(3e-6), insecure: None };
    /// assert_eq!(Bar::PerSecond(1e7).is_met(&figures), Some(true));
    /// assert_eq!(Bar::Nanoseconds(10.0).is_met(&figures), Some(false));
    /// assert_eq!(Bar::TimesPeer(100.0).is_met(&figures), Some(true));
    /// assert_eq!(Bar::OfInsecure(3.0).is_met(&figures), None);
    /// ```
    pub fn is_met(&self, figures: &Figures) -> Option<bool> {
        Some(match self {
            Bar::PerSecond(least) => 1.0 / figures.ours? >= *least,
            Bar::Nanoseconds(most) => figures.ours? * 1e9 <= *most,
            Bar::TimesPeer(least) => figures.times_peer()? >= *least,
            Bar::OfInsecure(most) => figures.times_insecure()? <= *most,
        })
    }
}

/// A bar of a row, and whether it is met.
pub struct Verdict {
    /// The row's name.
    pub row: String,
    /// The bar.
    pub bar: Bar,
    /// Whether it is met.
    pub met: bool,
}

impl Row {
    fn new(name: impl Into<String>, unit: Unit) -> Row {
        Row { name: name.into(), unit, ours: None, peer: None, insecure: None, bars: Vec::new() }
    }

    /// Measures the row's contenders in turns.
    pub fn measure(&mut self) -> Result<Figures, Failure> {
        let mut contenders = [self.ours.as_mut(), self.peer.as_mut(), self.insecure.as_mut()];
        let seconds = work::measure(&mut contenders)?;
        Ok(Figures { ours: seconds[0], peer: seconds[1], insecure: seconds[2] })
    }

    /// The bars of the row that the figures can decide.
    pub fn judge(&self, figures: &Figures) -> Vec<Verdict> {
        let decided = self.bars.iter().filter_map(|bar| Some((*bar, bar.is_met(figures)?)));
        decided.map(|(bar, met)| Verdict { row: self.name.clone(), bar, met }).collect()
    }
}

/// Everything that is measured.
pub fn sections() -> Result<Vec<Section>, Failure> {
    Ok(vec![
        Section { title: "Noise, samples per CPU-second", unit: Unit::PerSecond, rows: noise()? },
        Section { title: "Choices, samples per CPU-second", unit: Unit::PerSecond, rows: choices()? },
        Section {
            title: "Whole mechanisms, answers per CPU-second",
            unit: Unit::PerSecond,
            rows: whole_mechanisms()?,
        },
        Section { title: "One call at a time, ns per call", unit: Unit::Nanoseconds, rows: one_at_a_time()? },
        Section { title: "Choosing by scores, ns per choice", unit: Unit::Nanoseconds, rows: by_scores()? },
        Section { title: "Proved texts, items per CPU-second", unit: Unit::PerSecond, rows: proved_texts()? },
        Section { title: "Privacy maps, ns per call", unit: Unit::Nanoseconds, rows: maps()? },
        Section {
            title: "Directed arithmetic, ns per operation",
            unit: Unit::Nanoseconds,
            rows: arithmetic(),
        },
    ])
}

fn noise() -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for scale in SCALES {
        let mut row = Row::new(format!("discrete Laplace, scale {scale:e}"), Unit::PerSecond);
        row.ours = Some(ours::discrete_laplace(scale)?);
        row.peer = Some(peer::discrete_laplace(scale)?);
        row.insecure = Some(insecure::laplace(scale));
        row.bars = vec![Bar::PerSecond(3e7), Bar::TimesPeer(100.0), Bar::OfInsecure(3.0)];
        rows.push(row);
    }
    for scale in SCALES {
        let mut row = Row::new(format!("discrete Gaussian, scale {scale:e}"), Unit::PerSecond);
        row.ours = Some(ours::discrete_gaussian(scale)?);
        row.peer = Some(peer::discrete_gaussian(scale)?);
        row.insecure = Some(insecure::gaussian(scale));
        row.bars = vec![Bar::PerSecond(5e6), Bar::TimesPeer(1.0)];
        rows.push(row);
    }
    for scale in SCALES {
        let mut row = Row::new(format!("Laplace on f64, scale {scale:e}"), Unit::PerSecond);
        row.peer = Some(peer::float_laplace(scale)?);
        row.insecure = Some(insecure::laplace(scale));
        rows.push(row);
    }
    let mut row = Row::new("uniform real rounded down, and its ln", Unit::PerSecond);
    row.ours = Some(ours::uniform_ln()?);
    row.insecure = Some(insecure::unit_ln());
    row.bars = vec![Bar::PerSecond(1e7)];
    rows.push(row);
    Ok(rows)
}

fn choices() -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    let mut row = Row::new("Bernoulli(3/10)", Unit::PerSecond);
    row.ours = Some(ours::bernoulli()?);
    row.peer = Some(peer::bernoulli());
    row.insecure = Some(insecure::bernoulli(0.3));
    row.bars = vec![Bar::PerSecond(1e8), Bar::TimesPeer(1.0)];
    rows.push(row);
    let mut row = Row::new("uniform choice of 10", Unit::PerSecond);
    row.ours = Some(ours::choice_of_ten()?);
    row.peer = Some(peer::choice_of_ten());
    row.insecure = Some(insecure::choice_of_ten());
    row.bars = vec![Bar::PerSecond(1e8), Bar::TimesPeer(1.0)];
    rows.push(row);
    for count in [10, 100, 10_000] {
        let mut row = Row::new(format!("weighted choice of {count}"), Unit::PerSecond);
        row.ours = Some(ours::weighted_choice(count)?);
        row.bars = vec![Bar::PerSecond(1e8)];
        rows.push(row);
    }
    let mut row = Row::new("randomized response, bool, 3/4", Unit::PerSecond);
    row.ours = Some(ours::response_bool()?);
    row.peer = Some(peer::response_bool()?);
    row.insecure = Some(insecure::bernoulli(0.75));
    row.bars = vec![Bar::PerSecond(1e8), Bar::TimesPeer(1.0)];
    rows.push(row);
    let mut row = Row::new("randomized response, 10 categories, 1/2", Unit::PerSecond);
    row.ours = Some(ours::response_of_ten()?);
    row.peer = Some(peer::response_of_ten()?);
    row.insecure = Some(insecure::choice_of_ten());
    row.bars = vec![Bar::PerSecond(1e8), Bar::TimesPeer(1.0)];
    rows.push(row);
    Ok(rows)
}

/// Ours on vectors of 1e5. The peer's cost per answer does not depend on the length, so it gets shorter ones.
fn whole_mechanisms() -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    let mut add = |name: &str, ours: Work, peer: Option<Work>, bars: Vec<Bar>| {
        let mut row = Row::new(name, Unit::PerSecond);
        (row.ours, row.peer, row.bars) = (Some(ours), peer, bars);
        rows.push(row);
    };
    // The bar of 50 is for the peer as it comes; without OpenSSL we must be ahead.
    let response = vec![Bar::TimesPeer(if peer::AS_IT_COMES { 50.0 } else { 1.0 })];
    let noise = vec![Bar::TimesPeer(100.0)];
    let peer = Some(peer::discrete_laplace(10.0)?);
    add("integer Laplace, scale 10", mechanisms::discrete_laplace(10.0)?, peer, noise.clone());
    let peer = Some(peer::float_laplace(10.0)?);
    add("float Laplace, scale 10", mechanisms::float_laplace(10.0)?, peer, noise.clone());
    let peer = Some(peer::discrete_gaussian(10.0)?);
    add("integer Gaussian, scale 10", mechanisms::discrete_gaussian(10.0)?, peer, noise);
    let peer = Some(peer::response_bool()?);
    add("randomized response, bool", mechanisms::response_bool()?, peer, response.clone());
    let peer = Some(peer::response_of_ten()?);
    add("randomized response, 10 categories", mechanisms::response_of_ten()?, peer, response);
    add("snapping, ε = 1, B = 100", mechanisms::snapping()?, None, vec![Bar::PerSecond(1e7)]);
    Ok(rows)
}

/// Whole mechanisms, one answer a call.
fn one_at_a_time() -> Result<Vec<Row>, Failure> {
    let row = |name: &str, ours: Work, peer: Work, bars: Vec<Bar>| {
        let mut row = Row::new(name, Unit::Nanoseconds);
        (row.ours, row.peer) = (Some(ours), Some(peer));
        row.bars = bars.into_iter().chain([Bar::TimesPeer(1.0)]).collect();
        row
    };
    let most = |ns: f64| vec![Bar::Nanoseconds(ns)];
    let mut rows = Vec::new();
    for scale in [1.0, 10.0, 1e6] {
        let name = format!("integer Laplace, scale {scale:e}");
        let bars = most(40.0);
        rows.push(row(
            &name,
            mechanisms::one_discrete_laplace(scale)?,
            peer::one_discrete_laplace(scale)?,
            bars,
        ));
    }
    for scale in [1.0, 10.0, 1e6] {
        let name = format!("integer Gaussian, scale {scale:e}");
        let bars = most(90.0);
        rows.push(row(
            &name,
            mechanisms::one_discrete_gaussian(scale)?,
            peer::one_discrete_gaussian(scale)?,
            bars,
        ));
    }
    let float = (mechanisms::one_float_laplace(10.0)?, peer::one_float_laplace(10.0)?);
    rows.push(row("float Laplace, scale 10", float.0, float.1, Vec::new()));
    rows.push(row(
        "randomized response, bool",
        mechanisms::one_response_bool()?,
        peer::response_bool()?,
        most(30.0),
    ));
    let ten = (mechanisms::one_response_of_ten()?, peer::response_of_ten()?);
    rows.push(row("randomized response, 10 categories", ten.0, ten.1, most(60.0)));
    Ok(rows)
}

/// Noisy max and the exponential mechanism, one score 100 above the others.
fn by_scores() -> Result<Vec<Row>, Failure> {
    let row = |name: &str, ours: Work, peer: Option<Work>, bars: Vec<Bar>| {
        let mut row = Row::new(name, Unit::Nanoseconds);
        (row.ours, row.peer, row.bars) = (Some(ours), peer, bars);
        row
    };
    let choose = mechanisms::choose;
    Ok(vec![
        row(
            "noisy max of 1000",
            choose(Rule::NoisyMax, 1000)?,
            Some(peer::noisy_max(1000)?),
            vec![Bar::TimesPeer(5.0)],
        ),
        row(
            "exponential mechanism of 1000",
            choose(Rule::Exponential, 1000)?,
            Some(peer::noisy_max(1000)?),
            vec![Bar::TimesPeer(5.0)],
        ),
        row("noisy max of 1000000", choose(Rule::NoisyMax, 1_000_000)?, None, vec![Bar::Nanoseconds(1e8)]),
        row(
            "exponential mechanism of 1000000",
            choose(Rule::Exponential, 1_000_000)?,
            None,
            vec![Bar::Nanoseconds(1e8)],
        ),
    ])
}

/// The library's texts, run. The peer gets one answer a call too, where it has the mechanism.
fn proved_texts() -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    let mut add = |name: &str, ours: Work, peer: Option<Work>, bars: Vec<Bar>| {
        let mut row = Row::new(name, Unit::PerSecond);
        (row.ours, row.peer, row.bars) = (Some(ours), peer, bars);
        rows.push(row);
    };
    let bars = vec![Bar::PerSecond(2e6), Bar::TimesPeer(20.0)];
    add("run laplace.dp on the grid 2^-10", programs::laplace()?, Some(peer::scalar_float_laplace()?), bars);
    add("  the same by hand", programs::laplace_by_hand()?, None, vec![]);
    add(
        "run discrete_laplace.dp",
        programs::discrete_laplace()?,
        Some(peer::scalar_laplace()?),
        vec![Bar::TimesPeer(1.0)],
    );
    add("  the same by hand", programs::discrete_laplace_by_hand()?, None, vec![]);
    add("run sparse_vector.dp, queries", programs::sparse_vector()?, None, vec![Bar::PerSecond(1e6)]);
    add("  the same by hand, on integers", programs::sparse_vector_by_hand()?, None, vec![]);
    let peer = Some(peer::noisy_max_candidates(programs::LIST)?);
    add(
        "run noisy_max_laplace.dp, candidates",
        programs::noisy_max()?,
        peer,
        vec![Bar::PerSecond(3e6), Bar::TimesPeer(1.0)],
    );
    add("  by hand, with exponential noise", programs::noisy_max_by_hand()?, None, vec![]);
    add("run snapping.dp", programs::snapping()?, None, vec![]);
    Ok(rows)
}

fn maps() -> Result<Vec<Row>, Failure> {
    let row = |name: &str, ours: Work, peer: Option<Work>| {
        let mut row = Row::new(name, Unit::Nanoseconds);
        (row.ours, row.peer, row.bars) = (Some(ours), peer, vec![Bar::Nanoseconds(1000.0)]);
        row
    };
    Ok(vec![
        row("discrete Laplace", mechanisms::laplace_map()?, Some(peer::laplace_map()?)),
        row("discrete Gaussian", mechanisms::gaussian_map()?, Some(peer::gaussian_map()?)),
        row("randomized response", mechanisms::response_map()?, Some(peer::response_map()?)),
    ])
}

fn arithmetic() -> Vec<Row> {
    let names = ["add_up", "sub_up", "mul_up", "div_up", "ln_up", "exp_up"];
    let row = |name: &str| {
        let mut row = Row::new(name, Unit::Nanoseconds);
        row.ours = ours::directed(name);
        row.peer = peer::directed(name);
        row.insecure = insecure::directed(name);
        row.bars = vec![Bar::Nanoseconds(if name == "ln_up" || name == "exp_up" { 300.0 } else { 10.0 })];
        row
    };
    names.into_iter().map(row).collect()
}
