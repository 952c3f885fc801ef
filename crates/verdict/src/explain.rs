//! `explain`: why a mechanism is private. The derivation for every text; for snapping also the table of all cases of the
//! outcome, in symbols, and in numbers where numbers are given.

use probity_exact::Rational;
use probity_kernel::expr::{Expr, Variable};
use probity_lang::{Program, Setting};
use probity_prove::derivation::Failure as NotProved;
use probity_prove::explain::{NotSnapping, Numbers, Snapping, Table, Verdict, tabulate};
use probity_prove::outline::{Line, outline};
use probity_prove::vacuity::{Vacuity, vacuity};
use probity_prove::{Proof, prove_until};

use crate::error::{Error, Kind};
use crate::given;
use crate::watch::Watch;

/// All there is to say about why one mechanism is private.
#[derive(Debug, Clone)]
#[must_use]
pub struct Explanation {
    /// The mechanism with the parameters that were set.
    pub program: Program,
    /// Whether the claim is about two different inputs.
    pub vacuity: Vacuity,
    /// The proof, or why there is none.
    pub proof: Result<Box<Proof>, NotProved>,
    /// The parts of the mechanism if it is snapping.
    pub snapping: Result<Snapping, NotSnapping>,
    /// All outcomes of two inputs in numbers.
    pub table: Option<Table>,
}

impl Explanation {
    /// Whether it is proved, of two different inputs, and no outcome in the table loses more than the claim.
    pub fn holds(&self) -> bool {
        let within =
            self.table.iter().flat_map(|table| &table.rows).all(|row| row.verdict == Verdict::Within);
        self.proof.is_ok() && within && !matches!(self.vacuity, Vacuity::Vacuous(_))
    }

    /// The proof step by step; empty if there is none.
    pub fn derivation(&self) -> Vec<Line> {
        self.proof.as_ref().map_or_else(|_| Vec::new(), |proof| outline(proof))
    }
}

/// Explains.
pub fn explain(
    symbolic: &Program,
    settings: &[Setting],
    inputs: Option<&[Rational; 2]>,
    watch: &Watch<'_>,
) -> Result<Explanation, Error> {
    watch.say("looking for a proof");
    let program = given::with_settings(symbolic, settings)?;
    // What holds for all parameters holds for these, and explains more.
    let proof = search(symbolic, watch).or_else(|failure| match settings.is_empty() {
        true => Err(failure),
        false => search(&program, watch),
    });
    let snapping = Snapping::recognise(&program.mechanism);
    let table = match (inputs, &snapping) {
        (None, _) => None,
        (Some(inputs), Ok(snapping)) => {
            let numbers = numbers(&program, snapping, inputs)?;
            Some(tabulate(&numbers).map_err(Error::new)?)
        }
        (Some(_), Err(reason)) => {
            return Err(Error::new(format!(
                "a table of two inputs is for the snapping mechanism, and {reason}"
            ))
            .with_hint("leave the inputs out to see the derivation")
            .of_kind(Kind::NotSnapping(reason.to_string())));
        }
    };
    let vacuity = vacuity(&program.mechanism).unwrap_or(Vacuity::Unknown);
    Ok(Explanation { program, vacuity, proof, snapping, table })
}

fn search(program: &Program, watch: &Watch<'_>) -> Result<Box<Proof>, NotProved> {
    let hints = program.hints.clone().unwrap_or_default();
    prove_until(&program.mechanism, &program.claim, &hints, watch.deadline()).map(Box::new)
}

/// The numbers that the mechanism's expressions stand for.
fn numbers(program: &Program, snapping: &Snapping, inputs: &[Rational; 2]) -> Result<Numbers, Error> {
    let [first, second] = inputs;
    for input in inputs {
        for assumption in &program.mechanism.assumptions {
            let at_input = assumption.replace(&|variable| match variable {
                Variable::Plain(name) if *name == snapping.input => Some(Expr::Number(input.clone())),
                _ => None,
            });
            if probity_lang::truth(&at_input) == Some(false) {
                return Err(Error::new(format!(
                    "the input {input} is not allowed: {assumption} is required"
                )));
            }
        }
    }
    let value = |what: &str, expr: &Expr| {
        probity_lang::number(expr).ok_or_else(|| {
            let missing: Vec<String> =
                program.mechanism.params.iter().map(|param| param.name.to_string()).collect();
            let error = Error::new(format!("{what} is {expr}, which is no number"));
            match missing.is_empty() {
                true => error.with_hint("only rational values can be tabulated"),
                false => error
                    .with_hint(format!("give {} values", missing.join(", ")))
                    .of_kind(Kind::Missing(missing)),
            }
        })
    };
    Ok(Numbers {
        rate: value("the rate of the noise", &snapping.rate)?,
        grid: value("the grid", &snapping.grid)?,
        bound: value("the bound", &snapping.bound)?,
        sensitivity: value("the sensitivity", &snapping.sensitivity)?,
        claim: value("the claimed loss", &program.claim.epsilon)?,
        inputs: (first.clone(), second.clone()),
    })
}
