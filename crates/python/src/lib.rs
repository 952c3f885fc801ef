//! Probity for Python: the package `probity-dp`, imported as `probity_dp`.
//!
//! Nothing is decided here. Numbers and tables are taken from Python, the crates beside are asked, and what they answer becomes
//! Python objects: [`noise`] and [`statistics`] ask `probity-noise`, [`mechanism`] asks `probity-verdict` and `probity-run`,
//! [`accounting`] asks `probity-account`, [`session`] asks `probity-release`.

#![forbid(unsafe_code)]

mod accounting;
mod answer;
mod argument;
mod arrays;
mod arrow;
mod database;
mod failure;
mod mechanism;
mod noise;
mod number;
mod rows;
mod session;
mod statistics;
mod verdict;
mod work;

use pyo3::prelude::*;

/// The part of `probity_dp` that is written in Rust.
#[pymodule]
mod _probity {
    #[pymodule_export]
    use crate::accounting::{Account, account};
    #[pymodule_export]
    use crate::failure::in_python;
    #[pymodule_export]
    use crate::mechanism::{Mechanism, check};
    #[pymodule_export]
    use crate::noise::Noise;
    #[pymodule_export]
    use crate::noise::functions::{
        above_threshold, bernoulli, bernoulli_exp, calibrate, discrete_gaussian, discrete_laplace,
        exponential, gaussian, gaussian_on_grid, geometric, laplace_on_grid, noisy_max, randomized_response,
        renormalised_geometric, snapping, truncated_geometric, uniform_float, uniform_integer,
    };
    #[pymodule_export]
    use crate::session::Session;
    #[pymodule_export]
    use crate::statistics::{count, histogram, mean, quantile, sum, variance};
}
