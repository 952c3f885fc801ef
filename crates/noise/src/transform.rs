//! From a table to a number with a known sensitivity, and from there to a private answer.
//!
//! A [`Column`] says what one record can contribute: it clamps every value to a range and rounds it to a step, so that everything after
//! is a sum of integers and no rounding of floats ever widens a sensitivity. A [`Statistic`] is a count or a sum over such a
//! column, with the sensitivity that `docs/proofs/transformations.md` proves; with noise it is a [`Release`]. Means, variances,
//! histograms, counts by key and quantiles are made of these.
//!
//! *Clamp, sum, noise* in three lines:
//!
//! ```
//! use probity_noise::transform::{Column, Neighbours};
//! use probity_noise::unit::Epsilon;
//! # let ages = [17i64, 42, 99, 300];
//! let total = Column::integers(0, 120)?.sum(Neighbours::AddRemove);
//! let release = total.laplace(&Epsilon::from_f64(0.5)?)?;
//! let answer = release.answer(ages)?;
//! # assert_eq!(release.map().loss(&1u32.into())?.to_string(), "ε = 0.5");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! *The mean of a column* in five:
//!
//! ```
//! use probity_exact::parse_rational;
//! use probity_noise::transform::{Column, Mean, Neighbours};
//! use probity_noise::unit::Epsilon;
//! # let text = "name,salary\nann,1200.50\nbob,900\n";
//! let salaries = text.lines().skip(1).filter_map(|line| parse_rational(line.split(',').nth(1)?).ok());
//! let column = Column::decimals(2, parse_rational("0")?, parse_rational("100000")?)?;
//! let mean = Mean::new(&column, Neighbours::AddRemove, &Epsilon::from_f64(1.0)?)?;
//! let answer = mean.answer(salaries)?;
//! println!("{}", answer.to_f64().value());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod column;
mod histogram;
mod mean;
mod quantile;
mod statistic;
pub mod steps;

use std::fmt;

pub use column::{Column, Number, Record};
pub use histogram::{CountByKey, Histogram};
pub use mean::{Mean, Variance};
pub use quantile::Quantile;
pub use statistic::{Release, Statistic};

use crate::metric::Metric;

/// Which tables are neighbours at distance 1; d_in counts records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Neighbours {
    /// One has a record more than the other.
    AddRemove,
    /// One record is another one; their number is the same, and public.
    Replace,
}

impl Neighbours {
    /// The metric that counts so.
    pub fn metric(self) -> Metric {
        match self {
            Neighbours::AddRemove => Metric::Symmetric,
            Neighbours::Replace => Metric::ChangeOne,
        }
    }
}

impl fmt::Display for Neighbours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.metric().fmt(f)
    }
}
