//! Looks for the pair of neighbours that loses most in a floating-point format.
//!
//! The search tries structured inputs first (the ends and the middle of the admitted range, and floats next to them),
//! then alternates between random inputs and small changes of the best one so far. Every step depends on the state alone:
//! the same seed and the same number of steps give the same result, and a state that was written down can be resumed.
//! What it finds is a lower bound; for small formats `all_pairs` looks at everything instead.

use std::fmt;

use probity_exact::{Format, Rational, Round, parse_rational, rational};
use probity_kernel::expr::{Expr, Name};
use probity_kernel::term::{Mechanism, Sort};

use crate::compare::{Bounds, PairReport};
use crate::error::AuditError;
use crate::law::Law;
use crate::neighbours::{admits, claimed_value, neighbours};
use crate::outcome::{Given, Inputs, Outcome, Parameters};
use crate::reach::Bits;
use crate::split::{Effort, float_law};

/// What a search is about.
#[derive(Debug, Clone)]
pub struct SearchTask<'a> {
    /// The mechanism, with a single numeric input.
    pub mechanism: &'a Mechanism,
    /// The claimed ε, an expression in the parameters.
    pub epsilon: &'a Expr,
    /// The settings of the parameters to try, in turn.
    pub settings: Vec<Parameters>,
    /// The format.
    pub format: Format,
    /// How far apart neighbours are: the second input is the first plus or minus this, if that is a neighbour.
    pub distance: Rational,
    /// The effort for one law.
    pub effort: Effort,
}

/// A pair of inputs and what it shows.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundPair {
    /// Which of the settings.
    pub setting: usize,
    /// The first input, a number of the format.
    pub first: Rational,
    /// The second input, a number of the format.
    pub second: Rational,
    /// The worst finite loss minus ε, in f64, rounded down.
    pub excess: f64,
    /// The number of outcomes that only one of the two can produce: the loss is infinite if there is one.
    pub impossible: usize,
    /// The outcome with the worst finite loss.
    pub outcome: Option<Outcome>,
}

impl FoundPair {
    /// Infinite losses first, then by excess.
    fn is_worse_than(&self, other: &FoundPair) -> bool {
        (self.impossible > 0, self.excess) > (other.impossible > 0, other.excess)
    }
}

/// How far a search has come. Its text form can be read back with [`SearchState::read`].
#[derive(Debug, Clone, PartialEq)]
pub struct SearchState {
    /// The seed of the random choices.
    pub seed: u64,
    /// The number of pairs tried.
    pub tried: u64,
    /// The worst pair so far.
    pub best: Option<FoundPair>,
}

impl SearchState {
    /// A search that has not started.
    pub fn new(seed: u64) -> SearchState {
        SearchState { seed, tried: 0, best: None }
    }

    /// Reads what `Display` wrote. The worst outcome is not kept: it is found again when the pair is looked at.
    ///
    /// ```
    /// use probity_audit::SearchState;
    /// let state = SearchState::new(7);
    /// assert_eq!(SearchState::read(&state.to_string()), Ok(state));
    /// assert!(SearchState::read("seed x").is_err());
    /// ```
    pub fn read(text: &str) -> Result<SearchState, AuditError> {
        let mut state = SearchState::new(0);
        for (i, line) in text.lines().enumerate() {
            let expected = "seed N, tried N, or best SETTING FIRST SECOND EXCESS-BITS IMPOSSIBLE";
            let fault = AuditError::State { line: i + 1, expected };
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["seed", seed] => state.seed = seed.parse().map_err(|_| fault)?,
                ["tried", tried] => state.tried = tried.parse().map_err(|_| fault)?,
                ["best", setting, first, second, excess, impossible] => {
                    let number = |text: &str| parse_rational(text).map_err(|_| fault.clone());
                    state.best = Some(FoundPair {
                        setting: setting.parse().map_err(|_| fault.clone())?,
                        first: number(first)?,
                        second: number(second)?,
                        excess: f64::from_bits(excess.parse().map_err(|_| fault.clone())?),
                        impossible: impossible.parse().map_err(|_| fault.clone())?,
                        outcome: None,
                    });
                }
                [] => {}
                _ => return Err(fault),
            }
        }
        Ok(state)
    }
}

impl fmt::Display for SearchState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}\ntried {}", self.seed, self.tried)?;
        if let Some(FoundPair { setting, first, second, excess, impossible, .. }) = &self.best {
            writeln!(f, "best {setting} {first} {second} {} {impossible}", excess.to_bits())?;
        }
        Ok(())
    }
}

/// Looks for a worse pair until `go_on` answers false; it is asked after every pair, with the state so far.
pub fn search_worst_pair(
    task: &SearchTask<'_>,
    state: &mut SearchState,
    go_on: &mut dyn FnMut(&SearchState) -> bool,
) -> Result<(), AuditError> {
    let input = numeric_input(task.mechanism)?;
    if task.settings.is_empty() {
        return Err(AuditError::Missing { name: "a setting of the parameters".into() });
    }
    loop {
        let setting = (state.tried % task.settings.len() as u64) as usize;
        let found = match task.candidate(input, setting, state) {
            Some((first, second)) => Some(task.look_at(input, setting, &first, &second)?),
            None => None,
        };
        state.tried += 1;
        if let Some(found) = found
            && state.best.as_ref().is_none_or(|best| found.is_worse_than(best))
        {
            state.best = Some(found);
        }
        if !go_on(state) {
            return Ok(());
        }
    }
}

fn numeric_input(mechanism: &Mechanism) -> Result<&Name, AuditError> {
    match &mechanism.inputs[..] {
        [input] if matches!(input.sort, Sort::Real | Sort::Int) => Ok(&input.name),
        _ => Err(AuditError::Unsupported { what: "a search over anything but a single numeric input" }),
    }
}

fn given(name: &Name, x: &Rational) -> Inputs {
    Inputs::from([(name.clone(), Given::Number(x.clone()))])
}

/// Places of the range that structured candidates start from, in quarters of its ends.
const PLACES: [i64; 5] = [-4, 4, 0, -2, 2];

/// Floats looked at next to each place.
const STEPS: u64 = 8;

impl SearchTask<'_> {
    /// The parameters of a setting as the program sees them.
    fn rounded(&self, setting: usize) -> Parameters {
        let round = |x: &Rational| self.to_float(x, Round::NearestEven);
        self.settings[setting].iter().map(|(name, x)| (name.clone(), round(x))).collect()
    }

    fn to_float(&self, x: &Rational, direction: Round) -> Rational {
        self.format.round(x, direction).to_rational().unwrap_or_default()
    }

    /// The next pair to try; `None` when the choice is not admitted.
    fn candidate(&self, input: &Name, setting: usize, state: &SearchState) -> Option<(Rational, Rational)> {
        let parameters = self.rounded(setting);
        // Inputs of the size of the largest parameter: a clamping bound, where there is one.
        let size = parameters.values().max()?.clone();
        let step = state.tried / self.settings.len() as u64;
        let mut bits = Bits(state.seed.wrapping_add(state.tried.wrapping_mul(0x2545_f491_4f6c_dd1d)));
        let fraction = |bits: &mut Bits| rational((bits.next() >> 11) as i64, 1i64 << 53).unwrap_or_default();
        let structured = PLACES.len() as u64 * STEPS;
        let start = if step < structured {
            let place = rational(PLACES[(step / STEPS) as usize], 4).unwrap_or_default();
            let aside = rational((step % STEPS) as i64, STEPS as i64).unwrap_or_default();
            let inward = if place > Rational::ZERO { -aside } else { aside };
            place * &size + inward * &self.distance
        } else {
            match (&state.best, bits.next() % 4) {
                // Within one distance of the best, and ever nearer.
                (Some(best), 0 | 1) if best.setting == setting => {
                    let shrink = rational(1, 1i64 << (bits.next() % 40)).unwrap_or_default();
                    let sign = if bits.next().is_multiple_of(2) { Rational::ONE } else { Rational::from(-1) };
                    &best.first + sign * shrink * fraction(&mut bits) * &self.distance
                }
                // Near an end of the range: outcomes are farthest from there.
                (_, 2) => {
                    let end = if bits.next().is_multiple_of(2) { size.clone() } else { -&size };
                    let inward = fraction(&mut bits) * &self.distance * Rational::from(2);
                    if end > Rational::ZERO { end - inward } else { end + inward }
                }
                _ => (fraction(&mut bits) * Rational::from(2) - Rational::ONE) * &size,
            }
        };
        let first = self.to_float(&start, Round::NearestEven);
        [Rational::ONE, Rational::from(-1)].into_iter().find_map(|sign| {
            // Rounding towards the first input keeps the distance.
            let direction = if sign > Rational::ZERO { Round::Down } else { Round::Up };
            let second = self.to_float(&(&first + sign * &self.distance), direction);
            let fits = self.admitted(input, &parameters, &first, &second);
            fits.then(|| (first.clone(), second))
        })
    }

    fn admitted(&self, input: &Name, parameters: &Parameters, first: &Rational, second: &Rational) -> bool {
        let (a, b) = (given(input, first), given(input, second));
        let fits = |inputs: &Inputs| matches!(admits(self.mechanism, parameters, inputs), Ok(true));
        first != second
            && fits(&a)
            && fits(&b)
            && matches!(neighbours(self.mechanism, parameters, &a, &b), Ok(true))
    }

    fn look_at(
        &self,
        input: &Name,
        setting: usize,
        first: &Rational,
        second: &Rational,
    ) -> Result<FoundPair, AuditError> {
        let epsilon = claimed_value(self.mechanism, self.epsilon, &self.rounded(setting))?;
        let law = |x: &Rational| {
            float_law(self.mechanism, &self.settings[setting], &given(input, x), self.format, self.effort)
        };
        Ok(judge(setting, first, second, &law(first)?, &law(second)?, &epsilon))
    }
}

fn judge(
    setting: usize,
    first: &Rational,
    second: &Rational,
    a: &Law,
    b: &Law,
    epsilon: &Bounds,
) -> FoundPair {
    let report = PairReport::new(a, b);
    let excess = report.excess(&epsilon.high);
    FoundPair {
        setting,
        first: first.clone(),
        second: second.clone(),
        excess: excess.map_or(f64::NEG_INFINITY, |bounds| probity_exact::directed::cast_down(&bounds.low)),
        impossible: report.impossible.len(),
        outcome: report.worst.map(|worst| worst.outcome),
    }
}

/// The worst pair over all inputs of the format: every admitted number against every neighbour of it.
///
/// Answers the pair and the number of pairs; `None` for the pair when there is none. Fails for formats with more than
/// 2^24 numbers. `watch` is told how many inputs are done of how many, twice: for their laws, and for their pairs.
pub fn all_pairs(
    mechanism: &Mechanism,
    epsilon: &Expr,
    parameters: &Parameters,
    format: Format,
    effort: Effort,
    watch: &mut dyn FnMut(usize, usize),
) -> Result<(Option<FoundPair>, u64), AuditError> {
    let input = numeric_input(mechanism)?;
    let numbers = format
        .all_finite()
        .ok_or(AuditError::Unsupported { what: "all inputs of a format with more than 2^24 numbers" })?;
    let round = |x: &Rational| format.round(x, Round::NearestEven).to_rational().unwrap_or_default();
    let rounded: Parameters = parameters.iter().map(|(name, x)| (name.clone(), round(x))).collect();
    let epsilon = claimed_value(mechanism, epsilon, &rounded)?;
    let mut laws: Vec<(Rational, Law)> = Vec::new();
    let all = numbers.len();
    for (done, number) in numbers.into_iter().enumerate() {
        watch(done, all);
        let Some(x) = number.to_rational() else { continue };
        if admits(mechanism, &rounded, &given(input, &x))? {
            let law = float_law(mechanism, parameters, &given(input, &x), format, effort)?;
            laws.push((x, law));
        }
    }
    let mut worst: Option<FoundPair> = None;
    let mut pairs = 0;
    for (i, (x, a)) in laws.iter().enumerate() {
        watch(i, laws.len());
        for (y, b) in &laws[i + 1..] {
            if !neighbours(mechanism, &rounded, &given(input, x), &given(input, y))? {
                continue;
            }
            pairs += 1;
            let found = judge(0, x, y, a, b, &epsilon);
            if worst.as_ref().is_none_or(|worst| found.is_worse_than(worst)) {
                worst = Some(found);
            }
        }
    }
    Ok((worst, pairs))
}
