//! The mechanisms, each with a map that is proved in `docs/proofs`.
//!
//! The proofs speak about the samplers' exact laws. A sampler may fail instead of answering: when the source of
//! randomness fails, and with probability below 2^−11000 a draw when a value does not fit in 64 bits. A failure
//! depends on the noise alone, never on the input.
//!
//! ```
//! use probity_exact::fraction;
//! use probity_noise::mechanisms::discrete_laplace_map;
//! use probity_noise::sampler::Scale;
//! use probity_noise::unit::Sensitivity;
//! let map = discrete_laplace_map(&Scale::new(fraction::<7, 3>())?);
//! assert_eq!(map.loss(&Sensitivity::from(2u32))?.to_string(), "ε = 0.8571428571428572");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod above_threshold;
mod additive;
mod bounded;
mod choice;
mod gaussian;
mod grid;
mod laplace;
mod randomized_response;
mod snapping;

pub use above_threshold::{AboveThreshold, ThresholdQueries};
pub use bounded::{
    renormalised_geometric, renormalised_geometric_map, truncated_geometric, truncated_geometric_map,
};
pub use choice::{Rule, Scores, choice, choice_map, choice_of_integers};
pub(crate) use gaussian::gaussian_map_of_integer;
pub use gaussian::{
    GaussianDomain, discrete_gaussian, discrete_gaussian_map, discrete_gaussian_vector_map,
    gaussian_for_delta_map, gaussian_profile_map, gaussian_together,
};
pub use grid::{Grid, gaussian_on_grid, gaussian_vector_on_grid, laplace_on_grid, laplace_vector_on_grid};
pub(crate) use laplace::laplace_map_of_integer;
pub use laplace::{LaplaceDomain, discrete_laplace, discrete_laplace_map};
pub use randomized_response::{RandomizedResponse, randomized_response_bits, randomized_response_bool};
pub use snapping::Snapping;
