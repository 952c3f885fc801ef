//! A survey in which nobody has to trust the one who asks: randomized response.
//!
//! `cargo run -p probity-examples --bin survey`
//!
//! Each respondent randomizes their own answer before it leaves their hands. The totals are then freed of the bias
//! that this brings in, and stated with an error that holds for every category with probability 95 %.

use std::error::Error;
use std::process::ExitCode;

use probity_exact::{Rational, directed, fraction};
use probity_noise::accuracy::{Level, response_error};
use probity_noise::mechanisms::RandomizedResponse;
use probity_noise::unit::{Epsilon, Sensitivity};

const ANSWERS: [&str; 4] = ["never", "once", "sometimes", "often"];

/// What the respondents would say if they were sure that nobody knows: made up.
const TRUTH: [usize; 4] = [26_000, 9_000, 4_000, 1_000];

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
    // ln 3: a true answer is three times as likely as any other one. The truth is told with the largest
    // probability that costs no more, which is found with exact comparisons.
    let epsilon = Epsilon::from_f64(directed::ln_down(3.0))?;
    let law = RandomizedResponse::from_epsilon(ANSWERS.len(), &epsilon)?;
    let question = law.over(ANSWERS.to_vec())?;
    println!("each answer costs its respondent {}", question.map(&Sensitivity::from(1u32))?);

    let mut counts = [0u64; 4];
    for (answer, people) in ANSWERS.iter().zip(TRUTH) {
        // One call for each respondent, on the respondent's own machine. Here it is one call for all who agree.
        for given in question.invoke_vec(&vec![*answer; people])? {
            let position = ANSWERS.iter().position(|answer| *answer == given);
            counts[position.ok_or("an answer that nobody offered")?] += 1;
        }
    }

    let respondents: u64 = counts.iter().sum();
    // A bound for four estimates at once: each may fail with a quarter of 5 %.
    let level = Level::new(fraction::<1, 80>())?;
    let error = 100.0 * response_error(&law, respondents, &level)?;
    println!("{:<10} {:>8} {:>18} {:>7}", "answer", "counted", "estimated share", "truth");
    for ((answer, counted), estimate) in ANSWERS.iter().zip(counts).zip(law.debias(&counts)?) {
        let share = percent(&(estimate / Rational::from(respondents)));
        let position = ANSWERS.iter().position(|other| other == answer).unwrap_or_default();
        let truth = percent(&Rational::from_parts(TRUTH[position].into(), respondents.into()));
        println!("{answer:<10} {counted:>8} {share:>8.1} ± {error:.1} % {truth:>6.1} %");
    }
    Ok(())
}

fn percent(share: &Rational) -> f64 {
    100.0 * directed::cast_nearest(share)
}
