//! How far a search for the worst pair has come, as a value and as text.

use std::fmt;

use probity_exact::parse_rational;

use crate::error::AuditError;
use crate::output::event::Event;
use crate::output::outcome::{Given, Inputs, Outcome};

/// A pair of inputs and what it shows.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundPair {
    /// Which of the settings.
    pub setting: usize,
    /// The first input.
    pub first: Inputs,
    /// Its neighbour.
    pub second: Inputs,
    /// The largest loss of an outcome or an event, in f64, rounded down: ln((p − δ)/q) for the claimed δ. Infinite if some
    /// output is possible under one input only. For a claim in ρ or μ over the reals: the ρ that the pair shows.
    pub loss: f64,
    /// The loss minus ε, or ρ minus the claimed one (μ²/2), in f64, rounded down; infinite where the loss is.
    pub excess: f64,
    /// The worst finite loss minus ε.
    pub finite_excess: f64,
    /// The number of outcomes that only one of the two can produce.
    pub impossible: usize,
    /// The outcome with the worst finite loss, where the law could be listed.
    pub outcome: Option<Outcome>,
    /// The event that shows the loss, where it could not, or where there is a δ.
    pub event: Option<Event>,
}

impl FoundPair {
    /// Infinite losses first, then by excess. Among pairs that lose what is claimed up to rounding, the one that loses most.
    pub fn is_worse_than(&self, other: &FoundPair) -> bool {
        let coarse = |x: f64| if x <= 0.0 && x.is_finite() { (x * 1e12).round() / 1e12 } else { x };
        let key = |pair: &FoundPair| (coarse(pair.excess), coarse(pair.finite_excess), pair.loss);
        key(self) > key(other)
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
            let expected = "seed N, tried N, or best SETTING FIRST SECOND LOSS EXCESS FINITE IMPOSSIBLE";
            let fault = AuditError::State { line: i + 1, expected };
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["seed", seed] => state.seed = seed.parse().map_err(|_| fault)?,
                ["tried", tried] => state.tried = tried.parse().map_err(|_| fault)?,
                ["best", setting, first, second, loss, excess, finite, impossible] => {
                    let inputs = |text: &str| read_inputs(text).ok_or(fault.clone());
                    let bits = |text: &str| text.parse().map(f64::from_bits).map_err(|_| fault.clone());
                    state.best = Some(FoundPair {
                        setting: setting.parse().map_err(|_| fault.clone())?,
                        first: inputs(first)?,
                        second: inputs(second)?,
                        loss: bits(loss)?,
                        excess: bits(excess)?,
                        finite_excess: bits(finite)?,
                        impossible: impossible.parse().map_err(|_| fault.clone())?,
                        outcome: None,
                        event: None,
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
        if let Some(FoundPair { setting, first, second, loss, excess, finite_excess, impossible, .. }) =
            &self.best
        {
            let (first, second) = (inputs_text(first), inputs_text(second));
            let [loss, excess, finite] = [loss, excess, finite_excess].map(|x| x.to_bits());
            writeln!(f, "best {setting} {first} {second} {loss} {excess} {finite} {impossible}")?;
        }
        Ok(())
    }
}

/// The inputs without blanks, as x=3/2;q=[1,2].
fn inputs_text(inputs: &Inputs) -> String {
    let parts: Vec<String> = inputs.iter().map(|(name, given)| format!("{name}={given}")).collect();
    parts.join(";").replace(' ', "")
}

fn read_inputs(text: &str) -> Option<Inputs> {
    let value = |text: &str| match (text, text.strip_prefix('[').and_then(|t| t.strip_suffix(']'))) {
        ("true" | "false", _) => Some(Given::Bool(text == "true")),
        (_, Some("")) => Some(Given::List(Vec::new())),
        (_, Some(rows)) if rows.starts_with('(') => crate::output::outcome::read_rows(text),
        (_, Some(items)) => {
            items.split(',').map(|item| parse_rational(item).ok()).collect::<Option<_>>().map(Given::List)
        }
        (_, None) => parse_rational(text).ok().map(Given::Number),
    };
    text.split(';')
        .map(|part| part.split_once('=').and_then(|(name, text)| Some((name.into(), value(text)?))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A state reads back as itself, whatever the inputs are; what is no state is refused.
    #[test]
    fn a_state_reads_back() {
        let number = |text: &str| parse_rational(text).unwrap();
        let first = Inputs::from([
            ("x".into(), Given::Number(number("-7/3"))),
            ("q".into(), Given::List(vec![number("1"), number("-1/2")])),
            ("none".into(), Given::List(vec![])),
            ("b".into(), Given::Bool(true)),
        ]);
        let second = Inputs::from([("x".into(), Given::Number(number("0")))]);
        let (loss, excess, finite_excess) = (f64::INFINITY, f64::INFINITY, -0.25);
        let (impossible, outcome, event) = (2, None, None);
        let best =
            FoundPair { setting: 3, first, second, loss, excess, finite_excess, impossible, outcome, event };
        let state = SearchState { seed: 9, tried: 17, best: Some(best) };
        assert_eq!(SearchState::read(&state.to_string()), Ok(state.clone()));
        let spoilt = state.to_string().replace("-7/3", "-7/x");
        assert!(SearchState::read(&spoilt).is_err());
        assert!(SearchState::read("best 1 x y").is_err());
    }

    #[test]
    fn among_pairs_that_lose_what_is_claimed_the_larger_loss_counts() {
        let pair = |loss: f64, excess: f64| FoundPair {
            setting: 0,
            first: Inputs::new(),
            second: Inputs::new(),
            loss,
            excess,
            finite_excess: if excess.is_finite() { excess } else { f64::NEG_INFINITY },
            impossible: 0,
            outcome: None,
            event: None,
        };
        assert!(pair(1.0, -3e-17).is_worse_than(&pair(0.0, 0.0)));
        assert!(!pair(0.0, 0.0).is_worse_than(&pair(1.0, -3e-17)));
        // What exceeds the claim does so however little, and what falls short of it for certain is no tie.
        assert!(pair(0.5, 1e-17).is_worse_than(&pair(1.0, 0.0)));
        assert!(pair(0.5, 0.0).is_worse_than(&pair(1.0, -1e-3)));
        assert!(pair(f64::INFINITY, f64::INFINITY).is_worse_than(&pair(9.0, 8.0)));
    }
}
