//! `audit`: what a mechanism really loses on two inputs. A lower bound, never a theorem.

use std::thread;
use std::time::Instant;

use probity_audit::{
    AuditError, Bounds, Case, Deadline, Effort, EventLoss, Inputs, Law, LogarithmCost, PairReport,
    Parameters, Reachability, Renyi, claimed, event_rho, logarithm_cost, neighbours, reachability,
    search_event_loss_of,
};
use probity_exact::{Format, Rational, directed};
use probity_kernel::term::{Distribution, Reading, Statement};
use probity_lang::{Program, Setting};

use crate::error::Error;
use crate::given;
use crate::watch::Watch;

/// What is audited.
#[derive(Debug, Clone)]
pub struct AuditSettings {
    /// A value for every parameter.
    pub values: Vec<Setting>,
    /// The two inputs that are compared.
    pub inputs: [Inputs; 2],
    /// The arithmetic; [`reading_of`] chooses if it is `None`.
    pub reading: Option<Reading>,
    /// Whether to measure what the platform's logarithm costs in place of the correctly rounded one, in binary64.
    pub platform_ln: bool,
    /// Draw this many outputs of the first input and decide for each whether the second can produce it. Where the outcomes
    /// are too many for a law that is done without being asked for.
    pub reach: Option<u32>,
}

impl AuditSettings {
    /// These two inputs with these parameters, in the arithmetic that the program is about.
    pub fn new(values: Vec<Setting>, inputs: [Inputs; 2]) -> AuditSettings {
        AuditSettings { values, inputs, reading: None, platform_ln: false, reach: None }
    }
}

/// What two inputs show.
#[derive(Debug, Clone)]
#[must_use]
pub enum Audit {
    /// Their exact laws, outcome by outcome.
    Laws(Box<Comparison>),
    /// Over the reals a continuous output has no law that could be listed, but events that tell.
    Event(Box<EventAudit>),
}

/// Two exact laws side by side.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// What they show.
    pub report: PairReport,
    /// How many outcomes each input has.
    pub outcomes: [usize; 2],
    /// The arithmetic.
    pub reading: Reading,
    /// Whether the claim is about these inputs at all.
    pub neighbours: bool,
    /// The claimed ε, at the parameters as the reading has them; for a claim in ρ or μ that ρ, or μ²/2.
    pub epsilon: Bounds,
    /// The measure of the claim: that of `epsilon` unless it is [`Reading::Rho`] or [`Reading::Mu`].
    pub measure: Reading,
    /// The Rényi divergences, for a claim in ρ or μ.
    pub renyi: Vec<Renyi>,
    /// What the platform's logarithm costs, if that was asked for.
    pub platform_ln: Option<LogarithmCost>,
    /// Which outputs give the input away.
    pub reachability: Option<Reachability>,
    /// How long the laws took.
    pub seconds: f64,
}

/// The event that tells two inputs apart best, as far as it was found.
#[derive(Debug, Clone)]
pub struct EventAudit {
    /// The event and its probabilities.
    pub found: EventLoss,
    /// Whether the claim is about these inputs at all.
    pub neighbours: bool,
    /// The claimed ε; for a claim in ρ or μ that ρ, or μ²/2.
    pub epsilon: Bounds,
    /// The claimed δ.
    pub delta: Bounds,
    /// The measure of the claim.
    pub measure: Reading,
    /// How long it took.
    pub seconds: f64,
}

/// Outputs that are drawn when there are too many outcomes for a law.
const REACH: u32 = 200;

/// The seed with which outputs are drawn: an audit gives the same answer each time.
const SEED: u64 = 1;

/// Compares two inputs. Past the deadline no further step is begun, which is an error: half a law shows nothing.
pub fn audit(program: &Program, settings: &AuditSettings, watch: &Watch<'_>) -> Result<Audit, Error> {
    let parameters = given::parameters(program, &settings.values)?;
    given::check_complete(program, &settings.values)?;
    let inputs = &settings.inputs;
    for input in inputs {
        given::check_input(program, &parameters, input)?;
    }
    let neighbours = neighbours(&program.mechanism, &parameters, &inputs[0], &inputs[1])?;
    let start = Instant::now();
    let reading = reading_of(program, settings.reading);
    given::check_parameters(&parameters, reading)?;
    in_time(watch)?;
    watch.say("computing the exact laws of both inputs");
    let until = watch.until_then();
    let laws = match laws_until(program, &parameters, inputs, reading, &until) {
        Err(AuditError::OutOfTime) => return Err(late()),
        Err(_) if reading == Reading::Reals => {
            in_time(watch)?;
            watch.say("looking for an event that tells the inputs apart");
            return event_audit(program, &parameters, inputs, neighbours, &until)
                .map(|event| Audit::Event(Box::new(event)));
        }
        laws => laws?,
    };
    let report = match reading {
        Reading::Binary { .. } => PairReport::new(&laws[0], &laws[1]),
        _ => {
            let case = Case::new(&program.mechanism, &parameters, &inputs[0]).until(&until);
            case.compared_with(&inputs[1], (&laws[0], &laws[1]))
        }
    };
    let (epsilon, _) = claimed(&program.mechanism, &program.claim, &parameters)?;
    let outcomes = [laws[0].outcomes(), laws[1].outcomes()];
    let measure = program.claim.reading;
    let renyi = if is_concentrated(measure) { report.renyi() } else { Vec::new() };
    let seconds = start.elapsed().as_secs_f64();
    let mut comparison = Comparison {
        report,
        outcomes,
        reading,
        neighbours,
        epsilon,
        measure,
        renyi,
        platform_ln: None,
        reachability: None,
        seconds,
    };
    if settings.platform_ln {
        in_time(watch)?;
        watch.say("measuring the platform's logarithm");
        let cost =
            logarithm_cost(&program.mechanism, &parameters, &inputs[0], &inputs[1], Effort::default())?;
        comparison.platform_ln = Some(cost);
    }
    let too_many = reading != Reading::Reals && comparison.is_undecided();
    if let Some(samples) = settings.reach.or(too_many.then_some(REACH)) {
        in_time(watch)?;
        watch.say("deciding which outputs both inputs can have");
        comparison.reachability =
            Some(reach(program, &parameters, inputs, given::format_of(reading)?, samples)?);
    }
    Ok(Audit::Laws(Box::new(comparison)))
}

fn in_time(watch: &Watch<'_>) -> Result<(), Error> {
    match watch.is_over() {
        false => Ok(()),
        true => Err(late()),
    }
}

fn late() -> Error {
    Error::new("the deadline passed before the audit was done")
        .with_hint("allow more seconds, or compare smaller inputs")
}

fn reach(
    program: &Program,
    parameters: &Parameters,
    inputs: &[Inputs; 2],
    format: Format,
    samples: u32,
) -> Result<Reachability, Error> {
    Ok(reachability(&program.mechanism, parameters, &inputs[0], &inputs[1], format, samples, SEED)?)
}

fn event_audit(
    program: &Program,
    parameters: &Parameters,
    inputs: &[Inputs; 2],
    neighbours: bool,
    until: &Deadline,
) -> Result<EventAudit, Error> {
    let start = Instant::now();
    let case = Case::new(&program.mechanism, parameters, &inputs[0]).until(until);
    let found = match search_event_loss_of(case, &inputs[1], &program.claim) {
        Err(AuditError::OutOfTime) => return Err(late()),
        found => found?,
    };
    let (epsilon, delta) = claimed(&program.mechanism, &program.claim, parameters)?;
    let seconds = start.elapsed().as_secs_f64();
    let Some(found) = found else {
        // An event may tell them apart all the same, by no more than the claim gives away with δ.
        let found = match delta.high > Rational::ZERO {
            true => "no event was found that tells these inputs apart by more than the claimed delta",
            false => "no event was found that tells these inputs apart",
        };
        return Err(Error::new(found)
            .with_hint("that proves nothing: other inputs, or noise on a smaller scale, may show more"));
    };
    Ok(EventAudit { found, neighbours, epsilon, delta, measure: program.claim.reading, seconds })
}

/// Whether a claim is in ρ or μ, which are no ε.
pub fn is_concentrated(reading: Reading) -> bool {
    matches!(reading, Reading::Rho | Reading::Mu)
}

impl EventAudit {
    /// For a claim in ρ or μ: the ρ that the event shows for certain.
    pub fn rho_shown(&self) -> Option<f64> {
        is_concentrated(self.measure).then(|| event_rho(&self.found.probability, &self.found.of_neighbour))
    }
}

impl Comparison {
    /// Whether most of the mass escaped, so that the laws show little.
    pub fn is_undecided(&self) -> bool {
        self.report.escaped_mass > Rational::ONE / Rational::from(2)
    }

    /// For a claim in ρ or μ: the ρ that the laws show for certain.
    pub fn rho_shown(&self) -> Option<f64> {
        self.renyi.iter().map(Renyi::rho).reduce(f64::max)
    }

    /// What is certain of δ(ε).
    pub fn delta_at_least(&self, epsilon: &Rational) -> Rational {
        self.report.delta(epsilon).low
    }

    /// What is certain of δ(ε), rounded to nearest.
    pub fn delta(&self, epsilon: &Rational) -> f64 {
        directed::cast_nearest(&self.delta_at_least(epsilon))
    }

    /// What is certain of the worst finite loss less the claimed ε, if the claim is about these inputs; 0 when their bounds, nine
    /// digits or more, overlap.
    pub fn excess(&self) -> Option<f64> {
        // ρ and μ are no ε: a loss is not beyond them or within.
        if !self.neighbours || is_concentrated(self.measure) {
            return None;
        }
        Some(self.report.excess_within(&self.epsilon)?.certain_excess())
    }

    /// Both laws side by side as comma-separated values, in exact rationals.
    pub fn distribution(&self) -> String {
        let report = &self.report;
        let exact =
            report.outcomes.iter().all(|o| o.first.low == o.first.high && o.second.low == o.second.high);
        let mut text = String::from(match exact {
            true => "outcome,first,second\n",
            false => "outcome,first_low,first_high,second_low,second_high\n",
        });
        for outcome in &report.outcomes {
            let masses = match exact {
                true => vec![&outcome.first.low, &outcome.second.low],
                false => {
                    vec![&outcome.first.low, &outcome.first.high, &outcome.second.low, &outcome.second.high]
                }
            };
            let cells: Vec<String> = masses
                .into_iter()
                .map(|mass| Rational::from_parts(mass.clone().into(), report.denominator.clone()).to_string())
                .collect();
            text.push_str(&format!("\"{}\",{}\n", outcome.outcome, cells.join(",")));
        }
        text
    }
}

/// The arithmetic of an audit: the one that was asked for, else the format of the claim. A claim over the reals is audited
/// in binary64 if the file says how the noise is made of a uniform draw, otherwise over the reals.
pub fn reading_of(program: &Program, asked: Option<Reading>) -> Reading {
    match asked {
        Some(reading) => reading,
        None if matches!(program.claim.reading, Reading::Binary { .. }) => program.claim.reading,
        None if draws_uniform(&program.mechanism.body) => Reading::BINARY64,
        None => Reading::Reals,
    }
}

/// The laws of both inputs, side by side on two threads.
pub(crate) fn laws(
    program: &Program,
    parameters: &Parameters,
    inputs: &[Inputs; 2],
    reading: Reading,
) -> Result<[Law; 2], AuditError> {
    laws_until(program, parameters, inputs, reading, &Deadline::default())
}

/// The same up to a deadline.
fn laws_until(
    program: &Program,
    parameters: &Parameters,
    inputs: &[Inputs; 2],
    reading: Reading,
    until: &Deadline,
) -> Result<[Law; 2], AuditError> {
    let law = |inputs: &Inputs| Case::new(&program.mechanism, parameters, inputs).until(until).law(reading);
    let (first, second) = thread::scope(|scope| {
        let second = scope.spawn(|| law(&inputs[1]));
        (law(&inputs[0]), second.join())
    });
    let second = second.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    Ok([first?, second?])
}

/// Whether some statement draws from `uniform(0, 1)`, so that the file is a program that can run in floats.
fn draws_uniform(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match statement {
        Statement::Draw { law, .. } => *law == Distribution::Uniform,
        Statement::If { then, otherwise, .. } => draws_uniform(then) || draws_uniform(otherwise),
        Statement::For { body, .. } | Statement::While { body, .. } => draws_uniform(body),
        Statement::Assign { .. } | Statement::Append { .. } => false,
    })
}
