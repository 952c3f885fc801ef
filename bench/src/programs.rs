//! Proved texts, run: the mechanism files of the library, beside the versions written by hand over `probity_noise`.

use std::hint::black_box;
use std::path::Path;

use probity_exact::{Integer, parse_rational};
use probity_noise::domain::ClampedFloats;
use probity_noise::entropy::SecureEntropy;
use probity_noise::mechanisms::{AboveThreshold, Grid, Rule, Scores, choice_of_integers, laplace_on_grid};
use probity_noise::sampler::{DiscreteLaplace, Sampler, Scale};
use probity_run::{Inputs, Proved, Setting};

use crate::Failure;
use crate::work::Work;

/// Entries of the lists.
pub const LIST: usize = 1000;

/// A list of small answers.
fn list() -> String {
    let items: Vec<String> = (0..LIST).map(|at| (at % 10).to_string()).collect();
    format!("q=[{}]", items.join(","))
}

/// Runs of a mechanism of the library; each counts as `items`.
fn runs(name: &str, settings: &str, inputs: &str, grid: Option<&str>, items: usize) -> Result<Work, Failure> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mechanisms").join(format!("{name}.dp"));
    let settings: Vec<Setting> = settings.split(' ').map(str::parse).collect::<Result<_, _>>()?;
    let mut proved = Proved::load(&std::fs::read_to_string(path)?)?.with(&settings)?;
    if let Some(grid) = grid {
        proved = proved.on_grid(parse_rational(grid)?)?;
    }
    let mut session = proved.prepare(&inputs.parse::<Inputs>()?)?;
    let mut entropy = SecureEntropy::new()?;
    let count = (10_000 / items) as u64;
    Ok(Work::new(count * items as u64, move || {
        session.runs(count, &mut entropy, |value| {
            black_box(value);
            true
        })?;
        Ok(())
    }))
}

/// laplace.dp on the grid 2^−10.
pub fn laplace() -> Result<Work, Failure> {
    runs("laplace", "eps=1/10", "x=41.7", Some("1/1024"), 1)
}

/// discrete_laplace.dp.
pub fn discrete_laplace() -> Result<Work, Failure> {
    runs("discrete_laplace", "scale=10 d=1", "x=3", None, 1)
}

/// sparse_vector.dp, per query.
pub fn sparse_vector() -> Result<Work, Failure> {
    runs("sparse_vector", "eps=1 N=1000 T=1000", &list(), None, LIST)
}

/// noisy_max_laplace.dp, per candidate.
pub fn noisy_max() -> Result<Work, Failure> {
    runs("noisy_max_laplace", "eps=1", &list(), None, LIST)
}

/// snapping.dp.
pub fn snapping() -> Result<Work, Failure> {
    runs("snapping", "eps=1 B=100", "x=3/10", None, 1)
}

/// Discrete Laplace noise, one draw a call, by hand.
pub fn discrete_laplace_by_hand() -> Result<Work, Failure> {
    let noise = DiscreteLaplace::<i64>::new(Scale::from_f64(10.0)?)?;
    let mut entropy = SecureEntropy::new()?;
    Ok(Work::new(1000, move || {
        for _ in 0..1000 {
            black_box(3 + noise.sample(&mut entropy)?);
        }
        Ok(())
    }))
}

/// Laplace noise on the grid 2^−10, one draw a call, by hand.
pub fn laplace_by_hand() -> Result<Work, Failure> {
    let domain = ClampedFloats::new(-1e6, 1e6)?;
    let noise = laplace_on_grid(domain, Grid::new(-10)?, Scale::from_f64(10.0)?)?;
    Ok(Work::new(1000, move || {
        for _ in 0..1000 {
            black_box(noise.invoke(black_box(&41.7))?);
        }
        Ok(())
    }))
}

/// Noisy max over integers, by hand, per candidate. Its noise is one-sided.
pub fn noisy_max_by_hand() -> Result<Work, Failure> {
    let pick = choice_of_integers(LIST, Rule::NoisyMax, Scores::Any, Scale::from_f64(2.0)?)?;
    let scores: Vec<i64> = (0..LIST as i64).map(|at| at % 10).collect();
    Ok(Work::new(LIST as u64, move || {
        black_box(pick.invoke(black_box(&scores))?);
        Ok(())
    }))
}

/// Above-threshold over integers, by hand, per query.
pub fn sparse_vector_by_hand() -> Result<Work, Failure> {
    let scale = |value: f64| Scale::from_f64(value);
    let threshold = AboveThreshold::new(scale(2.0)?, scale(4000.0)?, 1000, Scores::Any)?;
    let answers: Vec<Integer> = (0..LIST).map(|at| Integer::from(at % 10)).collect();
    Ok(Work::new(LIST as u64, move || {
        let mut queries = threshold.start(&Integer::from(1000))?;
        for answer in &answers {
            if queries.hits_left() == 0 {
                break;
            }
            black_box(queries.ask(answer)?);
        }
        Ok(())
    }))
}
