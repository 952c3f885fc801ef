//! The one way to a theorem: the text is loaded, the loss is set, and the kernel proves it, or replays a certificate that was kept.
//!
//! Nothing here decides that a text is private. What is not proved is refused.

use probity_exact::Rational;
use probity_kernel::privacy::Theorem;
use probity_kernel::term::Reading;
use probity_lang::{Program, Setting};
use probity_prove::certificate;

use crate::refusal::{Answer, Refusal};

/// A theorem about a release, and the certificate from which anyone can replay it.
#[derive(Debug, Clone)]
pub struct Proved {
    /// The theorem.
    pub theorem: Theorem,
    /// The certificate.
    pub certificate: String,
    /// The loss that it claims, exactly.
    pub epsilon: Rational,
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

/// The loss as a parameter.
pub fn loss(epsilon: &Rational) -> [(String, Rational); 1] {
    [("eps".to_owned(), epsilon.clone())]
}

/// Proves that a text is private at this loss, or replays `kept`, a certificate that must be about the very same claim.
pub fn prove(text: &str, epsilon: &Rational, kept: Option<&str>) -> Answer<Proved> {
    let program = program(text, &loss(epsilon))?;
    if let Some(kept) = kept
        && let Ok(theorem) = replay(kept, &program)
    {
        return claimed(theorem, kept.to_owned(), epsilon);
    }
    let hints = program.hints.clone().unwrap_or_default();
    let proof = probity_prove::prove(&program.mechanism, &program.claim, &hints).map_err(|failure| {
        Refusal::unproved(format!(
            "no proof was found that this query is private, so it is refused: {failure}"
        ))
        .hint("--explain shows the text of its mechanism; a simpler query may be proved")
    })?;
    let certificate = certificate::write(&proof);
    claimed(proof.theorem().clone(), certificate, epsilon)
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

/// The theorem, if what it claims is a pure loss of ε over the reals.
fn claimed(theorem: Theorem, certificate: String, epsilon: &Rational) -> Answer<Proved> {
    let claim = theorem.claim();
    let states = |expr, value: &Rational| probity_lang::number(expr).is_some_and(|number| number == *value);
    let holds = states(&claim.epsilon, epsilon)
        && states(&claim.delta, &Rational::ZERO)
        && claim.reading == Reading::Reals;
    match holds {
        true => Ok(Proved { theorem, certificate, epsilon: epsilon.clone() }),
        false => Err(Refusal::unproved(format!("the theorem is about another loss than {epsilon}: {claim}"))),
    }
}
