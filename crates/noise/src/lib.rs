//! Entropy, exact samplers, and mechanisms whose privacy maps are theorems.
//!
//! [`entropy`] says where random bits come from, [`sampler`] turns them into draws whose law is exact, [`mechanisms`] adds
//! inputs, metrics and privacy maps, [`transform`] has what stands before the noise, [`compose`] and [`odometer`] what comes after.
//!
//! ```
//! use probity_exact::fraction;
//! use probity_noise::prelude::*;
//! // A count that one person changes by 1, released with ε = 1/2.
//! let (one, epsilon) = (Sensitivity::from(1u32), Epsilon::new(fraction::<1, 2>())?);
//! let count = discrete_laplace(IntegerRange::WIDEST, laplace_scale(&one, &epsilon)?)?;
//! assert_eq!(count.map(&one)?.to_string(), "ε = 0.5");
//! let released: i64 = count.invoke(&1234)?;
//! # assert!((released - 1234).abs() < 2000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | | law | privacy | time of a call | tells by its time |
//! |---|---|---|---|---|
//! | [`discrete_laplace`](mechanisms::discrete_laplace) | P(z) ∝ e^(−\|z\|/s) on the integers, any rational s | ε = d/s | 32 ns | nothing found |
//! | [`discrete_gaussian`](mechanisms::discrete_gaussian) | P(z) ∝ e^(−z²/2σ²) on the integers, any rational σ² | ρ = d²/2σ²; (ε, δ) by the exact sum | 28 ns (σ = 1) to 65 ns | nothing found |
//! | [`randomized_response_bool`](mechanisms::randomized_response_bool) | the truth with probability p | ε = ln(p/(1−p)) | 25 ns | nothing found |
//! | [`RandomizedResponse`](mechanisms::RandomizedResponse) | the truth with probability p, else a uniform other category | ε = ln(p(t−1)/(1−p)) | 27 ns for 10 | how long a category is to compare or hash |
//! | [`choice_of_integers`](mechanisms::choice_of_integers) | noisy max, or the exponential mechanism | ε = 2d/s, d/s if monotone | 20–50 ns a candidate | the number of candidates |
//! | [`truncated_geometric`](mechanisms::truncated_geometric) | Laplace noise, clamped to a range | ε = min(d, width)/s | as Laplace | nothing found |
//! | [`renormalised_geometric`](mechanisms::renormalised_geometric) | Laplace noise, conditioned on a range | more than d/s; the map says how much | 2 µs | nothing found |
//! | [`laplace_on_grid`](mechanisms::laplace_on_grid), [`gaussian_on_grid`](mechanisms::gaussian_on_grid) | the same on floats, on a grid | with d rounded up to the grid | as on integers | nothing found |
//! | [`Snapping`](mechanisms::Snapping) | the snapping mechanism in binary64 | the float certificate's | 60 ns | see `docs/trust.md` |
//! | [`AboveThreshold`](mechanisms::AboveThreshold) | which answers exceed a noisy threshold | ε = d/s₁ + 2cd/s₂ | big integers | the size of the integers |
//! | [`Choice`](sampler::Choice), [`Bernoulli`](sampler::Bernoulli), [`UniformBelow`](sampler::UniformBelow) | exactly the rational probabilities given | – | a few ns each in bulk | a large `Choice` less than 0.1 ns, else nothing found |
//!
//! Times are of one core of an x86-64 server; `bench/` measures them beside others, `examples/timing` asks what they tell. Every law is
//! exact given uniform bits, every map is evaluated exactly and rounded up once; the proofs are in `docs/proofs`.

// Allowed in one file only, `entropy/fork.rs`, which says why; a test holds us to that.
#![deny(unsafe_code)]

pub mod accuracy;
pub mod calibrate;
pub mod catalogue;
pub mod compose;
pub mod domain;
pub mod entropy;
pub mod map;
pub mod measure;
pub mod measurement;
pub mod mechanisms;
pub mod metric;
pub mod odometer;
pub mod sampler;
pub mod search;
pub mod transform;
pub mod unit;

/// What a release needs: units, domains, scales, and the mechanisms for integers.
pub mod prelude {
    pub use crate::calibrate::laplace_scale;
    pub use crate::domain::IntegerRange;
    pub use crate::entropy::SecureEntropy;
    pub use crate::mechanisms::{discrete_gaussian, discrete_laplace};
    pub use crate::odometer::Odometer;
    pub use crate::sampler::{Sampler, Scale};
    pub use crate::unit::{Delta, Epsilon, Rho, Sensitivity};
}
