//! What runs cost, in the words of the theorem.

use std::fmt;

use probity_exact::Rational;
use probity_kernel::expr::Expr;
use probity_kernel::term::Claim;

use crate::program::compile::constant_value;

/// An amount of privacy loss: a number, or a term such as ln(3).
#[derive(Debug, Clone, PartialEq)]
pub struct Amount {
    term: Expr,
    /// The value, when it is rational.
    exact: Option<Rational>,
    /// A double that is not below it.
    at_most: f64,
}

impl Amount {
    fn new(term: &Expr, times: u64) -> Amount {
        let term = match (times, number(term)) {
            (_, Some(value)) => Expr::Number(value * Rational::from(times)),
            (1, None) => term.clone(),
            (times, None) => Expr::Number(Rational::from(times)) * term.clone(),
        };
        let (exact, at_most) = constant_value(&term);
        Amount { term, exact, at_most }
    }

    /// The amount, when it is a rational number.
    pub fn exact(&self) -> Option<&Rational> {
        self.exact.as_ref()
    }

    /// A double that is not below the amount.
    pub fn at_most(&self) -> f64 {
        self.at_most
    }
}

fn number(term: &Expr) -> Option<Rational> {
    constant_value(term).0
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.exact {
            Some(value) => value.fmt(f),
            None => self.term.fmt(f),
        }
    }
}

/// The loss of one run, or of several that are released together.
///
/// A theorem speaks in one measure; the fields of the others are `None`.
#[derive(Debug, Clone, PartialEq)]
pub struct Loss {
    /// ε of (ε, δ).
    pub epsilon: Option<Amount>,
    /// δ of (ε, δ).
    pub delta: Option<Amount>,
    /// ρ of zero-concentrated differential privacy.
    pub rho: Option<Amount>,
    /// μ of Gaussian differential privacy.
    pub mu: Option<Amount>,
}

impl Loss {
    /// What a claim says of this many runs, by basic composition: losses add.
    pub(crate) fn of(claim: &Claim, runs: u64) -> Loss {
        Loss {
            epsilon: Some(Amount::new(&claim.epsilon, runs)),
            delta: Some(Amount::new(&claim.delta, runs)),
            rho: None,
            mu: None,
        }
    }
}
