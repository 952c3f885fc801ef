//! A mechanism by its name, as a law that the accountant composes: its own law where it has one there, else its guarantee.

use probity_account::{Answer, Composition, Effort, Law, Question};
use probity_exact::{Integer, Rational};

use super::{Arguments, CatalogueError, privacy_map};
use crate::measure::Loss;
use crate::sampler::ParameterError;
use crate::unit::{Delta, Sensitivity};

/// The ε of `answers` of them together at δ, by the accountant. From below it is known of a law only: a mechanism may lose less than
/// its guarantee says.
///
/// # Errors
/// When the mechanism has no map there, promises nothing, or δ is no probability.
pub fn epsilon_of_answers(
    (name, arguments): (&str, &Arguments),
    distance: &Sensitivity,
    answers: u64,
    delta: &Delta,
    effort: &Effort,
) -> Result<Answer, CatalogueError> {
    let refused = |allowed| CatalogueError::from(ParameterError::new("delta", delta, allowed));
    let (law, is_own) = law(name, arguments, distance)?;
    let laws = Composition { parts: vec![(law, answers)] };
    let exact = delta.exact().ok_or_else(|| refused("less than 1"))?;
    let question = Question::Epsilon(exact);
    let mut answer =
        probity_account::account(&laws, probity_account::Adjacency::AddRemove, &question, effort)
            .map_err(|reason| CatalogueError::Accountant { reason })?;
    if !is_own {
        answer.bracket.lower = Rational::ZERO;
        answer.directions.iter_mut().for_each(|(_, bracket)| bracket.lower = Rational::ZERO);
    }
    Ok(answer)
}

/// The law, and whether it is the mechanism's own and not one that its guarantee allows.
fn law(name: &str, arguments: &Arguments, distance: &Sensitivity) -> Result<(Law, bool), CatalogueError> {
    // The map speaks first: it checks every argument.
    let loss = privacy_map(name, arguments)?.loss(distance)?;
    // An integer answer moves by whole numbers.
    let whole = u64::try_from(&distance.value().floor()).ok().filter(|steps| (1..=1_000_000).contains(steps));
    match (name, whole) {
        ("discrete-laplace", Some(sensitivity)) => {
            return Ok((Law::DiscreteLaplace { scale: arguments.rational("scale")?, sensitivity }, true));
        }
        ("discrete-gaussian", Some(sensitivity)) if arguments.text("scale").is_some() => {
            return Ok((Law::DiscreteGaussian { sigma: arguments.rational("scale")?, sensitivity }, true));
        }
        ("gaussian", _) if arguments.text("scale").is_some() && distance.value() > &Rational::ZERO => {
            let sensitivity = distance.value().clone();
            return Ok((Law::Gaussian { sigma: arguments.rational("scale")?, sensitivity }, true));
        }
        _ => {}
    }
    let nothing = || CatalogueError::from(ParameterError::new("d-in", distance, "one with a finite loss"));
    let law = match loss {
        Loss::Pure(epsilon) => {
            Law::Approximate { epsilon: epsilon.exact().ok_or_else(nothing)?, delta: Integer::ZERO.into() }
        }
        Loss::Approximate { epsilon, delta } => Law::Approximate {
            epsilon: epsilon.exact().ok_or_else(nothing)?,
            delta: delta.exact().ok_or_else(nothing)?,
        },
        Loss::Concentrated(rho) => Law::Concentrated { rho: rho.exact().ok_or_else(nothing)? },
        Loss::Profile(_) => {
            return Err(ParameterError::new("squared-scale", distance, "given as --scale here").into());
        }
    };
    Ok((law, false))
}
