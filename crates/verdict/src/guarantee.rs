//! `guarantee`: what a proved text promises for given parameters, as numbers.

use probity_audit::claimed;
use probity_exact::Rational;
use probity_kernel::term::{Mechanism, Reading, Sort};
use probity_lang::{Program, Setting};
use probity_prove::one_row::{OneRow, one_row};
use probity_prove::vacuity::{Vacuity, vacuity};

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
    /// One row of a table is added or removed, and all else is equal.
    RowAddedOrRemoved,
    /// One row of a table is replaced, and all else is equal.
    RowReplaced,
    /// Tables that differ by one row alone need not be neighbours.
    NotOneRow,
    /// What a text without tables says.
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
            (Neighbours::NotOneRow, ..) => Err("not about one row of a table with everything else equal"),
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
    if !mechanism.inputs.iter().any(|input| matches!(input.sort, Sort::Rows(_))) {
        return Neighbours::OfTheText;
    }
    match one_row(mechanism) {
        Some((_, OneRow::AddedOrRemoved)) => Neighbours::RowAddedOrRemoved,
        Some((_, OneRow::Replaced)) => Neighbours::RowReplaced,
        None => Neighbours::NotOneRow,
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
    if let Ok(Vacuity::Vacuous(reason)) = vacuity(&substituted.mechanism) {
        return Err(Error::new(format!("its claim is about nothing: {reason}")));
    }
    let parameters = given::parameters(program, settings)?;
    let (epsilon, delta) = claimed(&program.mechanism, &program.claim, &parameters).map_err(Error::new)?;
    Ok(Guarantee { epsilon: epsilon.high, delta: delta.high, neighbours: neighbours(&substituted.mechanism) })
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
        assert_eq!(admitted(Neighbours::NotOneRow), [false; 4]);
    }

    #[test]
    fn one_row_alone_has_to_make_neighbours() {
        let of = |inputs: &str, more: &str, clauses: &str| {
            let text = format!(
                "mechanism m({inputs})
                 {more}
                 y ~ discrete_laplace(count(r in a), 3)
                 return y
                 {clauses}
                 claim 1"
            );
            neighbours(&probity_lang::load_text(&text).unwrap().mechanism)
        };
        let a = "a: rows(x: int)";
        let added = "neighbours one row of a is added or removed";
        assert_eq!(of(a, "", added), Neighbours::RowAddedOrRemoved);
        assert_eq!(of(a, "", "neighbours one row of a is replaced"), Neighbours::RowReplaced);
        let at_most_k = |param: &str| of(a, param, "neighbours at most k rows of a are added or removed");
        assert_eq!(at_most_k("param k: int >= 1"), Neighbours::RowAddedOrRemoved);
        assert_eq!(at_most_k("param k: int"), Neighbours::NotOneRow);
        let with_z = |clause: &str| of(&format!("{a}, z: int"), "", &format!("{added}\nneighbours {clause}"));
        assert_eq!(with_z("abs(z' - z) <= 1"), Neighbours::RowAddedOrRemoved);
        assert_eq!(with_z("abs(z' - z) == 5"), Neighbours::NotOneRow);
        assert_eq!(with_z("z' == z + 1"), Neighbours::NotOneRow);
        let both = format!("{added}\nneighbours one row of b is replaced");
        let two = of(&format!("{a}, b: rows(x: int)"), "", &both);
        assert_eq!(two, Neighbours::NotOneRow);
    }

    #[test]
    fn a_claim_about_nothing_is_no_guarantee() {
        let text = "mechanism m(x: real)\ny ~ laplace(x, 1)\nreturn y\nneighbours abs(x' - x) <= 0\nclaim 0";
        let error = guarantee(&probity_lang::load_text(text).unwrap(), &[]).unwrap_err();
        assert!(error.to_string().contains("about nothing"), "{error}");
    }
}
