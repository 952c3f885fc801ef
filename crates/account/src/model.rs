//! What is composed: laws with their parameters, copies, and the adjacency; and the few kinds of law that are left after
//! groups, samples of samples and sums of normal laws have been resolved.

use std::fmt;

use probity_exact::{Natural, Rational, ln_bounds};

/// A mechanism, by its law or by its guarantee.
#[derive(Debug, Clone, PartialEq)]
pub enum Law {
    /// Normal noise.
    Gaussian {
        /// The standard deviation.
        sigma: Rational,
        /// How far one record moves the answer.
        sensitivity: Rational,
    },
    /// Laplace noise.
    Laplace {
        /// The scale.
        scale: Rational,
        /// How far one record moves the answer.
        sensitivity: Rational,
    },
    /// Integer noise, P(k) ∝ e^(−|k|/scale).
    DiscreteLaplace {
        /// The scale.
        scale: Rational,
        /// How far one record moves the answer.
        sensitivity: u64,
    },
    /// Integer noise, P(k) ∝ e^(−k²/(2σ²)).
    DiscreteGaussian {
        /// The parameter σ.
        sigma: Rational,
        /// How far one record moves the answer.
        sensitivity: u64,
    },
    /// The true one of k categories with probability p, any other one with the same probability each.
    Response {
        /// How many categories there are.
        categories: Natural,
        /// The probability of the truth.
        truth: Rational,
    },
    /// Any mechanism that is (ε, δ)-private.
    Approximate {
        /// The loss.
        epsilon: Rational,
        /// The slack; 0 for pure privacy.
        delta: Rational,
    },
    /// Any mechanism that is ρ-zCDP.
    Concentrated {
        /// The loss.
        rho: Rational,
    },
    /// Any mechanism that is μ-GDP.
    Mu {
        /// The distance of the normal laws.
        mu: Rational,
    },
    /// A mechanism that sees each record with probability `rate`, independently.
    Poisson {
        /// The probability.
        rate: Rational,
        /// What is run on the sample.
        law: Box<Composition>,
    },
    /// A proved text: any mechanism with its theorem.
    Text {
        /// What the theorem promises between neighbours, a guarantee, rounded up.
        most: Box<Law>,
        /// The same rounded down; not the same where it is no fraction, as ln(3).
        least: Box<Law>,
        /// So many records at once make neighbours, and more do not; `None` where the theorem does not speak of records, so that k
        /// records are at least one step from neighbour to neighbour, and at most k.
        rows: Option<u64>,
    },
    /// A mechanism, where k records change at once.
    Group {
        /// How many.
        size: u32,
        /// The mechanism.
        law: Box<Composition>,
    },
}

/// Laws with how often each is run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Composition {
    /// The laws, in the order given.
    pub parts: Vec<(Law, u64)>,
}

/// Which tables are neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Adjacency {
    /// One record is added or removed.
    AddRemove,
    /// One record is replaced by another, which is a removal and an addition: noise covers twice the sensitivity.
    Replace,
}

/// Which of two neighbours comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// With the record against without.
    Remove,
    /// Without the record against with it.
    Add,
    /// One record replaced by another.
    Replace,
    /// Both directions have the same curve.
    Either,
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Direction::Remove => "remove",
            Direction::Add => "add",
            Direction::Replace => "replace",
            Direction::Either => "either",
        })
    }
}

/// A law without structure.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Simple {
    /// μ², so that sums of normal laws stay rational.
    Normal(Rational),
    /// Sensitivity over scale.
    Laplace(Rational),
    /// Scale and sensitivity.
    DiscreteLaplace(Rational, u64),
    /// Variance and sensitivity.
    DiscreteGaussian(Rational, u64),
    Response(Natural, Rational),
    /// ε and δ.
    Pure(Rational, Rational),
    Rho(Rational),
    /// A sample; the second law is the same with twice the sensitivity, under replacement.
    Poisson(Rational, Box<Simple>),
    Replaced(Rational, Box<Simple>, Box<Simple>),
    Group(u32, Box<Simple>),
}

impl Simple {
    /// Whether both directions have the same curve.
    pub fn symmetric(&self) -> bool {
        match self {
            Simple::Poisson(..) => false,
            Simple::Group(_, law) => law.symmetric(),
            _ => true,
        }
    }

    /// What one record of a group loses.
    pub fn of_one(&self) -> &Simple {
        match self {
            Simple::Group(_, law) => law,
            law => law,
        }
    }

    /// (ε, δ) by themselves, where ε is a fraction: losses of copies add up, and so do δs.
    pub fn guarantee(&self) -> Option<(Rational, Rational)> {
        match self {
            Simple::Pure(epsilon, delta) => Some((epsilon.clone(), delta.clone())),
            Simple::Laplace(c) => Some((c.clone(), Rational::ZERO)),
            Simple::DiscreteLaplace(scale, s) => Some((Rational::from(*s) / scale, Rational::ZERO)),
            _ => None,
        }
    }

    /// (ε, δ) that the law keeps to, in both directions; not the least, where the law is a sample or a response. A sample keeps the ε of
    /// what is run on it, and q times its δ, as H_γ is jointly convex.
    pub fn at_most(&self) -> Option<(Rational, Rational)> {
        match self {
            Simple::Response(k, p) => {
                let each = (Rational::ONE - p) / Rational::from(k.clone() - Natural::ONE);
                let (_, high) = ln_bounds(&(p / each), 200)?;
                Some((high, Rational::ZERO))
            }
            Simple::Poisson(q, law) => law.at_most().map(|(epsilon, delta)| (epsilon, delta * q)),
            law => law.guarantee(),
        }
    }

    /// Whether the bracket is of a supremum that no single pair attains.
    pub fn is_bound_only(&self) -> bool {
        match self {
            Simple::Rho(_) | Simple::Group(..) | Simple::Replaced(..) => true,
            Simple::Poisson(_, law) => law.is_bound_only(),
            _ => false,
        }
    }
}
