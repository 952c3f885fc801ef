//! The mechanisms, each with a map that is proved in `docs/proofs`.
//!
//! The proofs speak about the samplers' exact laws. A sampler may fail instead of answering: when the source of
//! randomness fails, and with probability below 2^−11000 a draw when a value does not fit in 64 bits. A failure
//! depends on the noise alone, never on the input.

mod additive;
mod gaussian;
mod laplace;

pub use gaussian::{
    discrete_gaussian, discrete_gaussian_big, discrete_gaussian_big_vector, discrete_gaussian_map,
    discrete_gaussian_vector,
};
pub use laplace::{
    discrete_laplace, discrete_laplace_big, discrete_laplace_big_vector, discrete_laplace_map,
    discrete_laplace_vector, discrete_laplace_wrapping, discrete_laplace_wrapping_big,
};
