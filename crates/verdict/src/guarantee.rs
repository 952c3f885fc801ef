//! `guarantee`: what a proved text promises for given parameters, as numbers.

use probity_audit::{Bounds, Parameters, claimed};
use probity_exact::Rational;
use probity_kernel::expr::Expr;
use probity_kernel::term::{Adjacency, Claim, Mechanism, Reading, Sort};
use probity_lang::{Program, Setting};
use probity_prove::one_row::{OneRow, one_row};
use probity_prove::vacuity::{Vacuity, vacuity};

use crate::error::Error;
use crate::given;

/// A proved loss.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Guarantee {
    /// At most this much.
    pub most: Amount,
    /// And that is at least this much: the same, where the amount is a fraction.
    pub least: Amount,
    /// Between which inputs.
    pub neighbours: Neighbours,
    /// So many rows at once make neighbours, and more do not: k rows are k over this many steps from neighbour to neighbour, rounded
    /// up. `None` where the theorem is not about rows: then k steps may lead to a neighbour again, as where any two inputs are neighbours.
    pub rows: Option<u64>,
}

/// So much of a measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Amount {
    /// ε and δ.
    Approximate {
        /// The loss.
        epsilon: Rational,
        /// The slack.
        delta: Rational,
    },
    /// ρ of zero-concentrated privacy.
    Rho(Rational),
    /// μ of Gaussian privacy.
    Mu(Rational),
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
    if let Reading::Binary { .. } = program.claim.reading {
        return Err(Error::new(
            "it claims something of floating point: only claims over the reals are composed",
        ));
    }
    let substituted = given::with_settings(program, settings)?;
    let hints = substituted.hints.clone().unwrap_or_default();
    probity_prove::prove(&substituted.mechanism, &substituted.claim, &hints)
        .map_err(|failure| Error::new(format!("its claim is not proved: {failure}")))?;
    if let Ok(Vacuity::Vacuous(reason)) = vacuity(&substituted.mechanism) {
        return Err(Error::new(format!("its claim is about nothing: {reason}")));
    }
    let parameters = given::parameters(program, settings)?;
    let value = |amount: &Expr| value(&program.mechanism, amount, &parameters);
    let (loss, slack) = (value(&program.claim.epsilon)?, value(&program.claim.delta)?);
    let amount = |loss: Rational, slack: Rational| match program.claim.reading {
        Reading::Rho => Amount::Rho(loss),
        Reading::Mu => Amount::Mu(loss),
        _ => Amount::Approximate { epsilon: loss, delta: slack },
    };
    let least = amount(loss.low.max(Rational::ZERO), slack.low.max(Rational::ZERO));
    let most = amount(loss.high, slack.high);
    let neighbours = neighbours(&substituted.mechanism);
    let rows = match (neighbours, most_rows(&program.mechanism)) {
        (Neighbours::OfTheText | Neighbours::NotOneRow, _) => None,
        (_, None) => Some(1),
        (_, Some(most)) => whole(&value(&most)?),
    };
    Ok(Guarantee { most, least, neighbours, rows })
}

/// What an expression of parameters is.
fn value(mechanism: &Mechanism, of: &Expr, parameters: &Parameters) -> Result<Bounds, Error> {
    let claim = Claim { epsilon: of.clone(), delta: Expr::int(0), reading: Reading::Reals };
    claimed(mechanism, &claim, parameters).map(|(value, _)| value).map_err(Error::new)
}

/// The largest number of rows that neighbours differ by, where an adjacency says it.
fn most_rows(mechanism: &Mechanism) -> Option<Expr> {
    mechanism.adjacency.iter().find_map(|clause| match clause {
        Adjacency::Rows { most, .. } => Some(most.clone()),
        _ => None,
    })
}

fn whole(value: &Bounds) -> Option<u64> {
    // So many rows and a half are so many rows.
    (value.low == value.high)
        .then(|| u64::try_from(value.low.floor()).ok())
        .flatten()
        .filter(|rows| *rows > 0)
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
    fn amounts_and_rows_are_those_of_the_text() {
        let number = |text: &str| probity_exact::parse_rational(text).unwrap();
        let of = |body: &str, neighbours: &str, claim: &str, settings: &[(&str, &str)]| {
            let text = format!(
                "mechanism m(a: rows(x: int))\n{body}\nreturn y\nneighbours {neighbours}\nclaim {claim}"
            );
            let given = settings
                .iter()
                .map(|(name, value)| Setting { name: (*name).to_owned(), value: number(value) });
            guarantee(&probity_lang::load_text(&text).unwrap(), &given.collect::<Vec<_>>()).unwrap()
        };
        let one = "one row of a is added or removed";
        let at_most = "param k: int >= 1\ny ~ discrete_laplace(count(r in a), k)";
        let pure = |epsilon: &str| Amount::Approximate { epsilon: number(epsilon), delta: number("0") };
        let found = of(at_most, "at most k rows of a are added or removed", "1", &[("k", "3")]);
        assert_eq!((found.rows, &found.most, &found.least), (Some(3), &pure("1"), &pure("1")));
        let found = of("y ~ discrete_laplace(count(r in a), 2)", one, "1/2", &[]);
        assert_eq!((found.rows, found.most), (Some(1), pure("1/2")));
        let normal = "y ~ gaussian(count(r in a), 3)";
        assert_eq!(of(normal, one, "rho 1/18", &[]).most, Amount::Rho(number("1/18")));
        assert_eq!(of(normal, one, "mu 1/3", &[]).most, Amount::Mu(number("1/3")));
        // ln(3) is no fraction: it lies between two.
        let found = guarantee(
            &probity_lang::load_text(
                "mechanism m(x: category(2))\ny ~ response(x, 3/4, 2)\nreturn y\nneighbours any\nclaim ln(3)",
            )
            .unwrap(),
            &[],
        )
        .unwrap();
        let (Amount::Approximate { epsilon: most, .. }, Amount::Approximate { epsilon: least, .. }) =
            (found.most, found.least)
        else {
            panic!("another measure")
        };
        assert!(least < most && &most - &least < number("1e-20") && found.rows.is_none());
        assert!(least < number("1.09861228866811") && number("1.09861228866810") < most);
    }

    #[test]
    fn a_claim_about_nothing_is_no_guarantee() {
        let text = "mechanism m(x: real)\ny ~ laplace(x, 1)\nreturn y\nneighbours abs(x' - x) <= 0\nclaim 0";
        let error = guarantee(&probity_lang::load_text(text).unwrap(), &[]).unwrap_err();
        assert!(error.to_string().contains("about nothing"), "{error}");
    }
}
