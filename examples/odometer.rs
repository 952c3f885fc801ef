//! One privacy budget, several threads: nobody can overspend it, and every penny of it can be spent.
//!
//! `cargo run -p probity-examples --bin odometer`

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use probity_exact::fraction;
use probity_noise::compose::adaptive;
use probity_noise::domain::IntegerRange;
use probity_noise::measure::{Loss, Measure};
use probity_noise::measurement::MechanismError;
use probity_noise::mechanisms::discrete_laplace;
use probity_noise::metric::Metric;
use probity_noise::odometer::Odometer;
use probity_noise::sampler::Scale;
use probity_noise::unit::{Epsilon, Sensitivity};

const ANALYSTS: usize = 4;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let one_row = Sensitivity::from(1u32);
    let domain = IntegerRange::WIDEST;

    // The data goes into a session that answers until epsilon = 1 is spent, and that lets nobody look inside.
    let budget = Loss::Pure(Epsilon::new(fraction::<1, 1>())?);
    let interactive = adaptive::<i64>(Arc::new(domain), Metric::Absolute, one_row.clone(), budget)?;
    let session = interactive.invoke(&1234)?;

    // A question that costs a thirtieth. In doubles, thirty thirtieths are not 1; here they are.
    let question = discrete_laplace(domain, Scale::new(fraction::<30, 1>())?)?;
    let odometer = Odometer::new(Measure::MaxDivergence)?;

    let answers = thread::scope(|scope| {
        let ask_until_refused = || -> Result<usize, MechanismError> {
            let mut answers = 0;
            loop {
                match session.ask(&question) {
                    Ok(_) => answers += 1,
                    Err(MechanismError::Exhausted { .. }) => return Ok(answers),
                    Err(other) => return Err(other),
                }
                // An odometer only counts: it would let us go on, and say what it has come to.
                odometer.record(question.privacy_map(), &one_row)?;
            }
        };
        let analysts: Vec<_> = (0..ANALYSTS).map(|_| scope.spawn(ask_until_refused)).collect();
        analysts
            .into_iter()
            .map(|analyst| analyst.join().map_err(|_| "an analyst panicked"))
            .collect::<Result<Vec<_>, _>>()
    })?;

    let mut total = 0;
    for (number, answers) in answers.into_iter().enumerate() {
        let answers = answers?;
        println!("analyst {number} got {answers} answers");
        total += answers;
    }
    println!("together: {total} answers for {}", session.spent()?);
    println!("the odometer says {}", odometer.spent()?);
    match session.ask(&question) {
        Err(refusal) => println!("one more: {refusal}"),
        Ok(_) => return Err("the budget was exceeded".into()),
    }
    Ok(())
}
