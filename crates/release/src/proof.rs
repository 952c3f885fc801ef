//! The one way to a theorem: the text is loaded, the loss is set, and the kernel proves it, or replays a certificate that was kept.
//!
//! Nothing here decides that a text is private. What is not proved is refused.

use probity_exact::Rational;
use probity_kernel::privacy::Theorem;
use probity_kernel::term::Reading;
use probity_lang::{Program, Setting};
use probity_prove::certificate;
use probity_prove::derivation::Reason;

use crate::loss::{Loss, Measure};
use crate::patience::{self, PATIENCE};
use crate::refusal::{Answer, Refusal};

/// How much a mechanism may lose, and in which measure: ε for Laplace noise, ρ for Gaussian noise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stake {
    /// Whether it is an amount of ρ.
    pub concentrated: bool,
    /// The amount.
    pub amount: Rational,
    /// δ, which keys that are discovered need; 0 otherwise, and always beside ρ.
    pub delta: Rational,
}

impl Stake {
    /// A loss without δ.
    pub fn without_delta(concentrated: bool, amount: Rational) -> Stake {
        Stake { concentrated, amount, delta: Rational::ZERO }
    }

    /// The name of the amount in certificates.
    pub fn name(&self) -> &'static str {
        if self.concentrated { "rho" } else { "epsilon" }
    }

    /// The amount, and δ where there is one, as parameters of the mechanism's text.
    pub fn parameters(&self) -> Vec<(String, Rational)> {
        let mut all = vec![(if self.concentrated { "rho" } else { "eps" }.to_owned(), self.amount.clone())];
        if !self.delta.is_zero() {
            all.push(("delta".to_owned(), self.delta.clone()));
        }
        all
    }

    /// The amount, and δ where there is one, as an exact text that no other stake of the measure has.
    pub fn to_text(&self) -> String {
        match self.delta.is_zero() {
            true => self.amount.to_string(),
            false => format!("{} {}", self.amount, self.delta),
        }
    }

    /// What it counts in a measure; `None` for ρ or δ in a measure that has no place for it.
    pub fn cost(&self, measure: Measure) -> Option<Loss> {
        match (self.concentrated, self.delta.is_zero(), measure) {
            (false, true, measure) => Some(Loss::of_pure(measure, &self.amount)),
            (false, false, Measure::EpsilonDelta) => {
                Loss::of_run(measure, Some((&self.amount, &self.delta)), None, None)
            }
            (true, true, Measure::Rho) => Loss::of_run(measure, None, Some(&self.amount), None),
            _ => None,
        }
    }
}

/// A theorem about a release, and the certificate from which anyone can replay it.
#[derive(Debug, Clone)]
pub struct Proved {
    /// The theorem.
    pub theorem: Theorem,
    /// The certificate.
    pub certificate: String,
    /// The loss that it claims, exactly.
    pub stake: Stake,
}

/// Below this a proof of several draws in ρ may not be found, whatever they are.
fn short_loss() -> Rational {
    Rational::from_parts(1.into(), 10_000_000_000u64.into())
}

/// The mechanism of a text with some of its parameters set. A theorem about a mechanism with open parameters holds for all their values.
pub fn program(text: &str, parameters: &[(String, Rational)]) -> Answer<Program> {
    let program = probity_lang::load_text(text).map_err(|faults| {
        let reason = faults.first().map_or("it cannot be read".to_owned(), |fault| fault.message.clone());
        Refusal::unproved(format!("no proof: the mechanism of this query is outside the logic ({reason})"))
            .hint("--explain shows its text")
    })?;
    let settings: Vec<Setting> =
        parameters.iter().map(|(name, value)| Setting { name: name.clone(), value: value.clone() }).collect();
    program.with(&settings).map_err(|error| Refusal::unproved(format!("no proof: {error}")))
}

/// Proves that a text is private at this loss, or replays `kept`, a certificate that must be about the very same claim.
pub fn prove(text: &str, stake: &Stake, kept: Option<&str>) -> Answer<Proved> {
    let program = program(text, &stake.parameters())?;
    if let Some(kept) = kept
        && let Ok(theorem) = replay(kept, &program)
    {
        return claimed(theorem, kept.to_owned(), stake);
    }
    let hints = program.hints.clone().unwrap_or_default();
    let search =
        |deadline| probity_prove::prove_until(&program.mechanism, &program.claim, &hints, Some(deadline));
    let proof = patience::search(search, |failure| matches!(failure.reason, Reason::OutOfTime));
    let proof = proof.map_err(|failure| match failure.reason {
        Reason::OutOfTime => Refusal::unproved(format!(
            "no proof was found in {} s that this query is private, so it is refused",
            PATIENCE.as_secs()
        ))
        .hint("ask for fewer columns at a time; on a busy machine, ask once more"),
        Reason::OutOfSteps => {
            Refusal::unproved("no proof was found that this query is private, so it is refused: the search used up its steps")
                .hint("ask for fewer columns at a time, or with simpler conditions")
        }
        _ => Refusal::unproved(format!(
            "no proof was found that this query is private, so it is refused: {failure}"
        ))
        .hint(match stake.delta.is_zero() {
            true if stake.concentrated && stake.amount < short_loss() => {
                "with a loss this small the numbers of a proof are too long to be tried: ask for a rho of 1e-10 or more"
            }
            true => "ask for its columns in queries of their own, which may stand in one call and then share its loss; --explain shows the text of its mechanism",
            // The numbers of a tail are those of its losses, multiplied.
            false => "with keys that are discovered, losses must be short numbers: write an epsilon like 1/2, 0.125 or 1/1000",
        }),
    })?;
    let certificate = certificate::write(&proof);
    claimed(proof.theorem().clone(), certificate, stake)
}

/// The theorem of a certificate that must be about a program, over the reals.
pub fn replay(certificate: &str, program: &Program) -> Answer<Theorem> {
    match certificate::check_for(certificate, &program.mechanism, &program.claim) {
        Ok(certificate::Proved::OverReals(theorem)) => Ok(*theorem),
        Ok(certificate::Proved::InFloats(_)) => {
            Err(Refusal::unproved("the proof is about floating point, and a release is about integers"))
        }
        Err(fault) => Err(Refusal::unproved(format!("the proof is rejected: {fault}"))),
    }
}

/// The theorem, if what it claims is this very loss.
fn claimed(theorem: Theorem, certificate: String, stake: &Stake) -> Answer<Proved> {
    let claim = theorem.claim();
    let states = |expr, value: &Rational| probity_lang::number(expr).is_some_and(|number| number == *value);
    let reading = if stake.concentrated { Reading::Rho } else { Reading::Reals };
    let holds = states(&claim.epsilon, &stake.amount)
        && states(&claim.delta, &stake.delta)
        && claim.reading == reading;
    match holds {
        true => Ok(Proved { theorem, certificate, stake: stake.clone() }),
        false => Err(Refusal::unproved(format!(
            "the theorem is about another loss than {} {}: {claim}",
            stake.name(),
            stake.to_text()
        ))),
    }
}
