//! `guarantee`: what a proved text promises for given parameters, as numbers.

use probity_audit::claimed;
use probity_exact::Rational;
use probity_kernel::term::{Adjacency, Mechanism, Reading};
use probity_lang::{Program, Setting};

use crate::error::Error;
use crate::given;

/// A proved loss, rounded up.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Guarantee {
    /// At most this much ε.
    pub epsilon: Rational,
    /// And at most this much δ.
    pub delta: Rational,
    /// Between which inputs.
    pub neighbours: Neighbours,
}

/// Which inputs a guarantee tells from each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Neighbours {
    /// One row of the only input, a table, is added or removed.
    RowAddedOrRemoved,
    /// One row of the only input, a table, is replaced.
    RowReplaced,
    /// Whatever else the text says.
    OfTheText,
}

/// Between which inputs a composition is asked about, in which a guarantee is to be a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// Whether a row is replaced; else it is added or removed.
    pub replaced: bool,
    /// Whether the text sees a sample of the rows.
    pub on_a_sample: bool,
}

impl Neighbours {
    /// Whether a theorem about these neighbours says something about those that are asked about; if not, what it is about.
    pub fn answer(self, asked: Asked) -> Result<(), &'static str> {
        match (self, asked.replaced, asked.on_a_sample) {
            (Neighbours::RowAddedOrRemoved, false, _) => Ok(()),
            (Neighbours::RowReplaced, true, false) | (Neighbours::OfTheText, _, false) => Ok(()),
            (Neighbours::RowAddedOrRemoved, true, _) => {
                Err("about one row added or removed, not about a row replaced")
            }
            (Neighbours::RowReplaced, false, false) => Err("about one row replaced: add --adjacency replace"),
            (_, _, true) => Err("not about one row of a table added or removed, of which a sample is taken"),
        }
    }
}

fn neighbours(mechanism: &Mechanism) -> Neighbours {
    match (&mechanism.inputs[..], &mechanism.adjacency[..]) {
        ([input], [Adjacency::OneRow { table }]) if input.name == *table => Neighbours::RowAddedOrRemoved,
        ([input], [Adjacency::RowReplaced { table }]) if input.name == *table => Neighbours::RowReplaced,
        _ => Neighbours::OfTheText,
    }
}

/// Proves the claim of a program over the reals, and answers with what it claims for these parameters.
pub fn guarantee(program: &Program, settings: &[Setting]) -> Result<Guarantee, Error> {
    given::check_complete(program, settings)?;
    let refused = match program.claim.reading {
        Reading::Reals => None,
        Reading::Rho | Reading::Mu => {
            Some("it claims an amount of rho or mu: write rho(…) or mu(…) with that amount")
        }
        Reading::Binary { .. } => {
            Some("it claims something of floating point: only claims over the reals are composed")
        }
    };
    if let Some(reason) = refused {
        return Err(Error::new(reason));
    }
    let substituted = given::with_settings(program, settings)?;
    let hints = substituted.hints.clone().unwrap_or_default();
    probity_prove::prove(&substituted.mechanism, &substituted.claim, &hints)
        .map_err(|failure| Error::new(format!("its claim is not proved: {failure}")))?;
    let parameters = given::parameters(program, settings)?;
    let (epsilon, delta) = claimed(&program.mechanism, &program.claim, &parameters).map_err(Error::new)?;
    Ok(Guarantee { epsilon: epsilon.high, delta: delta.high, neighbours: neighbours(&program.mechanism) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_row_added_or_removed_is_sampled() {
        let asked = |replaced, on_a_sample| Asked { replaced, on_a_sample };
        let admitted = |neighbours: Neighbours| {
            [(false, false), (false, true), (true, false), (true, true)]
                .map(|(replaced, on_a_sample)| neighbours.answer(asked(replaced, on_a_sample)).is_ok())
        };
        assert_eq!(admitted(Neighbours::RowAddedOrRemoved), [true, true, false, false]);
        assert_eq!(admitted(Neighbours::RowReplaced), [false, false, true, false]);
        assert_eq!(admitted(Neighbours::OfTheText), [true, false, true, false]);
    }
}
