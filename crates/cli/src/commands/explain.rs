//! `probity explain`: why a mechanism is private. The derivation for every file; for snapping also the table of all
//! cases of the outcome, in symbols, and in numbers where numbers are given.

mod json;
mod text;

use std::path::PathBuf;

use probity_exact::{Rational, parse_rational};
use probity_kernel::expr::{Expr, Variable};
use probity_lang::Program;
use probity_prove::derivation::Failure as NotProved;
use probity_prove::explain::{NotSnapping, Numbers, Snapping, Table, Verdict, tabulate};
use probity_prove::{Proof, prove};

use crate::failure::{Answer, Failure, Status};
use crate::progress::watched;
use crate::{files, given};

/// What to explain.
#[derive(clap::Args)]
pub struct Arguments {
    /// A mechanism file, or - for standard input
    path: PathBuf,
    /// Give a parameter a value, as eps=1; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Two neighbouring inputs, for the table in numbers
    #[arg(long, num_args = 2, value_names = ["F(A)", "F(A')"], allow_hyphen_values = true, value_parser = parse_rational)]
    inputs: Option<Vec<Rational>>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// All there is to say about one file.
struct Explanation {
    program: Program,
    proof: Result<Box<Proof>, NotProved>,
    snapping: Result<Snapping, NotSnapping>,
    table: Option<Table>,
}

/// Explains.
pub fn run(arguments: &Arguments) -> Answer {
    let explanation = watched("looking for a proof", || explain(arguments))?;
    if arguments.json {
        json::print(&explanation)?;
    } else {
        text::print(&explanation)?;
    }
    let within =
        explanation.table.iter().flat_map(|table| &table.rows).all(|row| row.verdict == Verdict::Within);
    Ok(if explanation.proof.is_ok() && within { Status::Done } else { Status::No })
}

fn explain(arguments: &Arguments) -> Result<Explanation, Failure> {
    let settings = given::settings(&arguments.settings)?;
    let (_, symbolic) = files::program(&arguments.path)?;
    let program = given::with(&symbolic, &settings)?;
    // What holds for all parameters holds for these, and explains more.
    let proof = search(&symbolic).or_else(|failure| match settings.is_empty() {
        true => Err(failure),
        false => search(&program),
    });
    let snapping = Snapping::recognise(&program.mechanism);
    let table = match (&arguments.inputs, &snapping) {
        (None, _) => None,
        (Some(inputs), Ok(snapping)) => {
            let numbers = numbers(&program, snapping, inputs)?;
            Some(tabulate(&numbers).map_err(Failure::new)?)
        }
        (Some(_), Err(reason)) => {
            return Err(Failure::new(format!("--inputs is for the snapping mechanism, and {reason}"))
                .hint("leave --inputs out to see the derivation"));
        }
    };
    Ok(Explanation { program, proof, snapping, table })
}

fn search(program: &Program) -> Result<Box<Proof>, NotProved> {
    let hints = program.hints.clone().unwrap_or_default();
    prove(&program.mechanism, &program.claim, &hints).map(Box::new)
}

/// The numbers that the mechanism's expressions stand for.
fn numbers(program: &Program, snapping: &Snapping, inputs: &[Rational]) -> Result<Numbers, Failure> {
    let [first, second] = inputs else { return Err(Failure::new("--inputs takes two numbers")) };
    for input in inputs {
        for assumption in &program.mechanism.assumptions {
            let at_input = assumption.replace(&|variable| match variable {
                Variable::Plain(name) if *name == snapping.input => Some(Expr::Number(input.clone())),
                _ => None,
            });
            if probity_lang::truth(&at_input) == Some(false) {
                return Err(Failure::new(format!(
                    "the input {input} is not allowed: {assumption} is required"
                )));
            }
        }
    }
    let value = |what: &str, expr: &Expr| {
        probity_lang::number(expr).ok_or_else(|| {
            let missing: Vec<&str> =
                program.mechanism.params.iter().map(|param| param.name.as_str()).collect();
            let failure = Failure::new(format!("{what} is {expr}, which is no number"));
            match missing.is_empty() {
                true => failure.hint("only rational values can be tabulated"),
                false => failure.hint(format!("set {} with --set NAME=VALUE", missing.join(", "))),
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
