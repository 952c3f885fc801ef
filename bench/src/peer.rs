//! The peer: the `opendp` crate through its public constructors, as a user of it would call them.

use std::collections::HashSet;
use std::hint::black_box;

use opendp::domains::{AtomDomain, VectorDomain};
use opendp::measurements::{
    make_gaussian, make_laplace, make_noisy_max, make_randomized_response, make_randomized_response_bool,
};
use opendp::measures::{MaxDivergence, ZeroConcentratedDivergence};
use opendp::metrics::{AbsoluteDistance, L1Distance, L2Distance, LInfDistance};
use opendp::traits::samplers::{sample_bernoulli_float, sample_uniform_uint_below};
use opendp::traits::{InfAdd, InfDiv, InfExp, InfLn, InfMul, InfSub};

use crate::Failure;
use crate::work::{Work, over_operands};

/// Whether this build of the peer has its default source of random bits.
pub const AS_IT_COMES: bool = cfg!(feature = "openssl");

/// Where the peer's random bits come from in this build.
pub const ENTROPY: &str = if AS_IT_COMES {
    "with OpenSSL, its default"
} else {
    "without OpenSSL, which would need perl and make: about 4 times as fast as its default,\nand, in its own words, \
     not secure"
};

/// Length of the vectors that get noise.
const VECTOR: usize = 1000;

/// Discrete Laplace noise on a vector of i64.
pub fn discrete_laplace(scale: f64) -> Result<Work, Failure> {
    let domain = VectorDomain::new(AtomDomain::<i64>::default());
    let noise = make_laplace::<_, _, MaxDivergence>(domain, L1Distance::<i64>::default(), scale, None)?;
    let zeros = vec![0i64; VECTOR];
    Ok(Work::new(VECTOR as u64, move || {
        black_box(noise.invoke(&zeros)?);
        Ok(())
    }))
}

/// Laplace noise on a vector of f64, on the peer's default grid.
pub fn float_laplace(scale: f64) -> Result<Work, Failure> {
    let domain = VectorDomain::new(AtomDomain::<f64>::new_non_nan());
    let noise = make_laplace::<_, _, MaxDivergence>(domain, L1Distance::<f64>::default(), scale, None)?;
    let zeros = vec![0f64; VECTOR];
    Ok(Work::new(VECTOR as u64, move || {
        black_box(noise.invoke(&zeros)?);
        Ok(())
    }))
}

/// Laplace noise of scale 10 on one f64, on the grid 2^−10.
pub fn scalar_float_laplace() -> Result<Work, Failure> {
    let domain = AtomDomain::<f64>::new_non_nan();
    let metric = AbsoluteDistance::<f64>::default();
    let noise = make_laplace::<_, _, MaxDivergence>(domain, metric, 10.0, Some(-10))?;
    Ok(Work::new(100, move || {
        for _ in 0..100 {
            black_box(noise.invoke(&41.7)?);
        }
        Ok(())
    }))
}

/// Discrete Laplace noise of scale 10 on one i64.
pub fn scalar_laplace() -> Result<Work, Failure> {
    let domain = AtomDomain::<i64>::default();
    let noise = make_laplace::<_, _, MaxDivergence>(domain, AbsoluteDistance::<i64>::default(), 10.0, None)?;
    Ok(Work::new(100, move || {
        for _ in 0..100 {
            black_box(noise.invoke(&3)?);
        }
        Ok(())
    }))
}

/// Report noisy max over so many candidates with answers alike, counted by candidates.
pub fn noisy_max_candidates(candidates: usize) -> Result<Work, Failure> {
    let domain = VectorDomain::new(AtomDomain::<f64>::new_non_nan());
    let choice = make_noisy_max(domain, LInfDistance::<f64>::default(), MaxDivergence, 2.0, false)?;
    let scores: Vec<f64> = (0..candidates).map(|at| (at % 10) as f64).collect();
    Ok(Work::new(candidates as u64, move || {
        black_box(choice.invoke(&scores)?);
        Ok(())
    }))
}

/// Discrete Gaussian noise on a vector of i64.
pub fn discrete_gaussian(scale: f64) -> Result<Work, Failure> {
    let domain = VectorDomain::new(AtomDomain::<i64>::default());
    let metric = L2Distance::<f64>::default();
    let noise = make_gaussian::<_, _, ZeroConcentratedDivergence>(domain, metric, scale, None)?;
    let zeros = vec![0i64; VECTOR];
    Ok(Work::new(VECTOR as u64, move || {
        black_box(noise.invoke(&zeros)?);
        Ok(())
    }))
}

/// Randomized response on a bool, truth with probability 3/4.
pub fn response_bool() -> Result<Work, Failure> {
    let response = make_randomized_response_bool(0.75, false)?;
    Ok(Work::new(VECTOR as u64, move || {
        for _ in 0..VECTOR {
            black_box(response.invoke(black_box(&true))?);
        }
        Ok(())
    }))
}

/// Randomized response over ten categories, truth with probability 1/2.
pub fn response_of_ten() -> Result<Work, Failure> {
    let response = make_randomized_response((0..10).collect::<HashSet<i32>>(), 0.5)?;
    Ok(Work::new(VECTOR as u64, move || {
        for _ in 0..VECTOR {
            black_box(response.invoke(black_box(&3))?);
        }
        Ok(())
    }))
}

/// Work that answers one input at a time.
fn one_at_a_time<Answer>(call: impl Fn() -> Result<Answer, Failure> + 'static) -> Work {
    Work::new(VECTOR as u64, move || {
        for _ in 0..VECTOR {
            black_box(call()?);
        }
        Ok(())
    })
}

/// Discrete Laplace noise on one i64.
pub fn one_discrete_laplace(scale: f64) -> Result<Work, Failure> {
    let domain = AtomDomain::<i64>::default();
    let noise = make_laplace::<_, _, MaxDivergence>(domain, AbsoluteDistance::<i64>::default(), scale, None)?;
    Ok(one_at_a_time(move || Ok(noise.invoke(black_box(&7))?)))
}

/// Discrete Gaussian noise on one i64.
pub fn one_discrete_gaussian(scale: f64) -> Result<Work, Failure> {
    let domain = AtomDomain::<i64>::default();
    let metric = AbsoluteDistance::<f64>::default();
    let noise = make_gaussian::<_, _, ZeroConcentratedDivergence>(domain, metric, scale, None)?;
    Ok(one_at_a_time(move || Ok(noise.invoke(black_box(&7))?)))
}

/// Laplace noise on one f64.
pub fn one_float_laplace(scale: f64) -> Result<Work, Failure> {
    let domain = AtomDomain::<f64>::new_non_nan();
    let noise = make_laplace::<_, _, MaxDivergence>(domain, AbsoluteDistance::<f64>::default(), scale, None)?;
    Ok(one_at_a_time(move || Ok(noise.invoke(black_box(&0.3))?)))
}

/// Noisy max among scores of which one is 100 above the others, at scale 1.
pub fn noisy_max(count: usize) -> Result<Work, Failure> {
    let domain = VectorDomain::new(AtomDomain::<i64>::default());
    let pick = make_noisy_max(domain, LInfDistance::<i64>::default(), MaxDivergence, 1.0, false)?;
    let mut scores = vec![0i64; count];
    scores[count / 2] = 100;
    Ok(Work::new(1, move || {
        black_box(pick.invoke(black_box(&scores))?);
        Ok(())
    }))
}

/// The map of discrete Laplace noise.
pub fn laplace_map() -> Result<Work, Failure> {
    let domain = VectorDomain::new(AtomDomain::<i64>::default());
    let noise = make_laplace::<_, _, MaxDivergence>(domain, L1Distance::<i64>::default(), 7.0 / 3.0, None)?;
    Ok(Work::new(1, move || {
        black_box(noise.map(black_box(&1))?);
        Ok(())
    }))
}

/// The map of discrete Gaussian noise.
pub fn gaussian_map() -> Result<Work, Failure> {
    let domain = VectorDomain::new(AtomDomain::<i64>::default());
    let metric = L2Distance::<f64>::default();
    let noise = make_gaussian::<_, _, ZeroConcentratedDivergence>(domain, metric, 10.0, None)?;
    Ok(Work::new(1, move || {
        black_box(noise.map(black_box(&1.0))?);
        Ok(())
    }))
}

/// The map of randomized response over ten categories.
pub fn response_map() -> Result<Work, Failure> {
    let response = make_randomized_response((0..10).collect::<HashSet<i32>>(), 0.5)?;
    Ok(Work::new(1, move || {
        black_box(response.map(black_box(&1))?);
        Ok(())
    }))
}

/// Bernoulli with a probability that is no power of two.
pub fn bernoulli() -> Work {
    Work::new(VECTOR as u64, || {
        for _ in 0..VECTOR {
            black_box(sample_bernoulli_float(black_box(0.3), false)?);
        }
        Ok(())
    })
}

/// A uniform choice among ten.
pub fn choice_of_ten() -> Work {
    Work::new(VECTOR as u64, || {
        for _ in 0..VECTOR {
            black_box(sample_uniform_uint_below(black_box(10u64))?);
        }
        Ok(())
    })
}

/// The peer's directed arithmetic by the name of ours.
pub fn directed(name: &str) -> Option<Work> {
    Some(match name {
        "add_up" => over_operands(|a, b| a.inf_add(&b)),
        "sub_up" => over_operands(|a, b| a.inf_sub(&b)),
        "mul_up" => over_operands(|a, b| a.inf_mul(&b)),
        "div_up" => over_operands(|a, b| a.inf_div(&b)),
        "ln_up" => over_operands(|a, _| a.inf_ln()),
        "exp_up" => over_operands(|a, _| a.inf_exp()),
        _ => return None,
    })
}
