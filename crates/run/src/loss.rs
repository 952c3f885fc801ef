//! What runs cost, in the words of the theorem.

use std::fmt;

use probity_exact::{Natural, Rational, rational_from_f64};
use probity_kernel::expr::Expr;
use probity_kernel::term::{Claim, Reading};

use crate::program::compile::constant_value;

/// An amount of privacy loss: a number, or a term such as ln(3).
#[derive(Debug, Clone, PartialEq)]
pub struct Amount {
    term: Expr,
    /// The value, when it is rational.
    exact: Option<Rational>,
    /// A double that is not below it.
    at_most: f64,
    /// The number whose root multiplies the term; 1 for none.
    root: u64,
}

impl Amount {
    fn new(term: &Expr, times: u64) -> Amount {
        let term = match (times, number(term)) {
            (_, Some(value)) => Expr::Number(value * Rational::from(times)),
            (1, None) => term.clone(),
            (times, None) => Expr::Number(Rational::from(times)) * term.clone(),
        };
        let (exact, at_most) = constant_value(&term);
        Amount { term, exact, at_most, root: 1 }
    }

    /// A δ of 1 allows everything, so a larger one says no more.
    fn at_most_one(self) -> Amount {
        match &self.exact {
            Some(value) if *value > Rational::ONE => Amount::new(&Expr::int(1), 1),
            _ => self,
        }
    }

    /// The amount times √n.
    fn with_root(term: &Expr, n: u64) -> Amount {
        let root = Natural::from(n).nth_root(2);
        if &root * &root == Natural::from(n) {
            return Amount::new(term, u64::try_from(&root).unwrap_or(n));
        }
        let one = Amount::new(term, 1);
        // The root of n, rounded up: n is far below 2^106, so its double's root is within two steps.
        let root = (n as f64).next_up().sqrt().next_up();
        Amount { root: n, exact: None, at_most: (one.at_most * root).next_up(), ..one }
    }

    /// The amount, when it is a rational number.
    pub fn exact(&self) -> Option<&Rational> {
        self.exact.as_ref()
    }

    /// The amount, or a fraction that is not below it; `None` where nothing finite is known.
    pub fn upper(&self) -> Option<Rational> {
        self.exact.clone().or_else(|| rational_from_f64(self.at_most))
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
            None if self.root != 1 => write!(f, "{} * sqrt({})", self.term, self.root),
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
    /// What a claim says of this many runs: ε, δ and ρ add up, and μ grows with the root of their number.
    pub(crate) fn of(claim: &Claim, runs: u64) -> Loss {
        let none = Loss { epsilon: None, delta: None, rho: None, mu: None };
        match claim.reading {
            Reading::Rho => Loss { rho: Some(Amount::new(&claim.epsilon, runs)), ..none },
            Reading::Mu => Loss { mu: Some(Amount::with_root(&claim.epsilon, runs)), ..none },
            Reading::Reals | Reading::Binary { .. } => Loss {
                epsilon: Some(Amount::new(&claim.epsilon, runs)),
                delta: Some(Amount::new(&claim.delta, runs).at_most_one()),
                ..none
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_kernel::expr::Expr;

    #[test]
    fn mu_grows_with_the_root() {
        let half = Expr::Number(probity_exact::rational(1, 2).unwrap());
        assert_eq!(Amount::with_root(&half, 9).exact(), probity_exact::rational(3, 2).as_ref());
        let two = Amount::with_root(&half, 2);
        assert_eq!(two.exact(), None);
        assert!(two.at_most() >= std::f64::consts::SQRT_2 / 2.0 && two.at_most() < 0.707_106_782);
        assert_eq!(two.to_string(), "1/2 * sqrt(2)");
        assert_eq!(Amount::new(&half, 2).exact(), Some(&Rational::ONE));
    }

    #[test]
    fn delta_is_at_most_1() {
        let claim = Claim {
            epsilon: Expr::int(1),
            delta: Expr::Number(probity_exact::rational(2, 5).unwrap()),
            reading: Reading::Reals,
        };
        let delta = |runs: u64| Loss::of(&claim, runs).delta.and_then(|delta| delta.exact().cloned());
        assert_eq!(delta(2), probity_exact::rational(4, 5));
        assert_eq!(delta(3), Some(Rational::ONE));
    }
}
