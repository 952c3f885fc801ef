//! What is composed: laws with their parameters, copies, and the adjacency; and the few kinds of law that are left after
//! groups, samples of samples and sums of normal laws have been resolved.

use std::collections::HashMap;
use std::fmt;

use probity_exact::{Natural, Rational, ln_bounds};

use crate::fixed;

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

/// Atoms of integer noise that are listed one by one.
const MOST_ATOMS: u64 = 200_000;

/// Why a composition is refused.
pub type Refusal = String;

fn square(x: &Rational) -> Rational {
    x * x
}

/// A law for k records at once, each moving the answer by its sensitivity.
fn simple(law: &Law, group: u32, adjacency: Adjacency) -> Result<Vec<(Simple, u64)>, Refusal> {
    let k = || Rational::from(group);
    // Replacing is removing and adding.
    let twice = if adjacency == Adjacency::Replace { 2u32 } else { 1 };
    let reach = || Rational::from(group) * Rational::from(twice);
    let positive = |name: &str, x: &Rational| match *x > Rational::ZERO {
        true => Ok(()),
        false => Err(format!("{name} = {x} is not allowed: it must be more than 0")),
    };
    let one = |law: Simple| Ok(vec![(law, 1)]);
    match law {
        Law::Gaussian { sigma, sensitivity } => {
            positive("the standard deviation", sigma)?;
            positive("the sensitivity", sensitivity)?;
            one(Simple::Normal(square(&(sensitivity * reach() / sigma))))
        }
        Law::Laplace { scale, sensitivity } => {
            positive("the scale", scale)?;
            positive("the sensitivity", sensitivity)?;
            one(Simple::Laplace(sensitivity * reach() / scale))
        }
        Law::DiscreteLaplace { scale, sensitivity } => {
            positive("the scale", scale)?;
            one(Simple::DiscreteLaplace(scale.clone(), whole(*sensitivity, group, twice)?))
        }
        Law::DiscreteGaussian { sigma, sensitivity } => {
            positive("the parameter sigma", sigma)?;
            if *sigma > Rational::from(10_000) {
                return Err(format!(
                    "discrete_gaussian({sigma}) has too many values to list: sigma must be at most 10000 (gaussian({sigma}) differs by less than anyone can see)"
                ));
            }
            one(Simple::DiscreteGaussian(square(sigma), whole(*sensitivity, group, twice)?))
        }
        Law::Response { categories, truth } => {
            if *categories < Natural::from(2u8) {
                return Err("a response needs at least 2 categories".into());
            }
            let fair = Rational::ONE / Rational::from(categories.clone());
            if *truth < fair || *truth >= Rational::ONE {
                return Err(format!(
                    "p = {truth} is not allowed: the probability of the true one of {categories} categories is at least 1/{categories} and less than 1"
                ));
            }
            if *truth == fair {
                return Ok(vec![]);
            }
            Ok(vec![(Simple::Response(categories.clone(), truth.clone()), u64::from(group))])
        }
        Law::Approximate { epsilon, delta } => {
            if *epsilon < Rational::ZERO {
                return Err(format!("epsilon = {epsilon} is not allowed: it must be at least 0"));
            }
            if *delta < Rational::ZERO || *delta >= Rational::ONE {
                return Err(format!("delta = {delta} is not allowed: it must be at least 0 and less than 1"));
            }
            if epsilon.is_zero() && delta.is_zero() {
                return Ok(vec![]);
            }
            if group > 1 && *delta > Rational::ZERO {
                return one(Simple::Group(group, Box::new(Simple::Pure(epsilon.clone(), delta.clone()))));
            }
            let epsilon = if group == 1 { epsilon.clone() } else { epsilon * k() };
            one(Simple::Pure(epsilon, delta.clone()))
        }
        Law::Concentrated { rho } => {
            if *rho < Rational::ZERO {
                return Err(format!("rho = {rho} is not allowed: it must be at least 0"));
            }
            if rho.is_zero() { Ok(vec![]) } else { one(Simple::Rho(rho * square(&k()))) }
        }
        Law::Mu { mu } => {
            if *mu < Rational::ZERO {
                return Err(format!("mu = {mu} is not allowed: it must be at least 0"));
            }
            if mu.is_zero() { Ok(vec![]) } else { one(Simple::Normal(square(&(mu * k())))) }
        }
        Law::Group { size, law } => {
            if *size == 0 {
                return Ok(vec![]);
            }
            let size = size.checked_mul(group).ok_or("the group is too large")?;
            let mut all = Vec::new();
            for (law, count) in &law.parts {
                all.extend(times(simple(law, size, adjacency)?, *count)?);
            }
            Ok(all)
        }
        Law::Poisson { rate, law } => poisson(rate, law, group, adjacency),
    }
}

fn whole(sensitivity: u64, group: u32, twice: u32) -> Result<u64, Refusal> {
    if sensitivity == 0 {
        return Err("the sensitivity must be more than 0".into());
    }
    let whole = sensitivity.checked_mul(u64::from(group)).and_then(|s| s.checked_mul(u64::from(twice)));
    whole
        .filter(|s| *s <= MOST_ATOMS)
        .ok_or_else(|| format!("a sensitivity of more than {MOST_ATOMS} is too much for integer noise here"))
}

fn times(parts: Vec<(Simple, u64)>, count: u64) -> Result<Vec<(Simple, u64)>, Refusal> {
    let product = |n: u64| n.checked_mul(count).ok_or_else(|| "there are more than 2^64 copies".to_owned());
    parts.into_iter().map(|(law, n)| Ok((law, product(n)?))).collect()
}

fn poisson(
    rate: &Rational,
    law: &Composition,
    group: u32,
    adjacency: Adjacency,
) -> Result<Vec<(Simple, u64)>, Refusal> {
    if *rate < Rational::ZERO || *rate > Rational::ONE {
        return Err(format!("q = {rate} is not allowed: a sampling probability lies between 0 and 1"));
    }
    if rate.is_zero() {
        return Ok(vec![]);
    }
    // A guarantee in μ under replacement may rest on the sample's size, which says which record was there.
    if adjacency == Adjacency::Replace && *rate < Rational::ONE && has_guarantee_in_mu(law) {
        return Err("poisson(q, mu(…)) with --adjacency replace is refused: a guarantee says too little about replacing in a sample; gaussian(sigma) is a law of noise".into());
    }
    let mut inner = Vec::new();
    for (law, count) in &law.parts {
        inner.extend(times(simple(law, 1, Adjacency::AddRemove)?, *count)?);
    }
    let inner = merged(inner)?;
    if *rate == Rational::ONE {
        let mut all = Vec::new();
        for (law, count) in &law.parts {
            all.extend(times(simple(law, group, adjacency)?, *count)?);
        }
        return Ok(all);
    }
    let base = match inner.as_slice() {
        [] => return Ok(vec![]),
        [(law, 1)] => law.clone(),
        _ => {
            return Err("poisson(q, …) takes one law, or several that are normal: a composition of others on one sample has no curve here; write poisson(q, law) * n for n samples".into());
        }
    };
    // A sample of a sample is a sample.
    let (rate, base) = match base {
        Simple::Poisson(inner, base) => (rate * inner, *base),
        base => (rate.clone(), base),
    };
    if matches!(base, Simple::Response(..)) {
        return Err("poisson(q, response(…)) is refused: a response is about a value that is always there, a sample about a record that may be absent; pure(epsilon) has a sample".into());
    }
    let sampled = match adjacency {
        Adjacency::AddRemove => Simple::Poisson(rate, Box::new(base)),
        Adjacency::Replace => {
            let far = match &base {
                Simple::Normal(square) => Simple::Normal(square * Rational::from(4)),
                Simple::Laplace(c) => Simple::Laplace(c * Rational::from(2)),
                Simple::DiscreteLaplace(scale, s) => Simple::DiscreteLaplace(scale.clone(), 2 * s),
                Simple::DiscreteGaussian(variance, s) => Simple::DiscreteGaussian(variance.clone(), 2 * s),
                _ => {
                    return Err("poisson(q, …) with --adjacency replace needs a law of noise: a guarantee about adding and removing says too little about replacing in a sample".into());
                }
            };
            Simple::Replaced(rate, Box::new(base), Box::new(far))
        }
    };
    Ok(vec![(if group > 1 { Simple::Group(group, Box::new(sampled)) } else { sampled }, 1)])
}

fn has_guarantee_in_mu(laws: &Composition) -> bool {
    laws.parts.iter().any(|(law, _)| match law {
        Law::Mu { .. } => true,
        Law::Poisson { law, .. } | Law::Group { law, .. } => has_guarantee_in_mu(law),
        _ => false,
    })
}

/// Equal laws counted once; normal laws and concentrated ones added up.
fn merged(parts: Vec<(Simple, u64)>) -> Result<Vec<(Simple, u64)>, Refusal> {
    let mut result: Vec<(Simple, u64)> = Vec::new();
    let (mut normal, mut rho) = (Rational::ZERO, Rational::ZERO);
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut pure: Vec<(Rational, Rational, u64)> = Vec::with_capacity(parts.len());
    let many = || "there are more than 2^64 copies".to_owned();
    for (law, count) in parts {
        match law {
            Simple::Normal(square) => normal += square * Rational::from(count),
            Simple::Rho(loss) => rho += loss * Rational::from(count),
            // There may be a million of these.
            Simple::Pure(epsilon, delta) => pure.push((epsilon, delta, count)),
            law => {
                let key = format!("{law:?}");
                match known.get(&key) {
                    Some(at) => {
                        let sum = result[*at].1.checked_add(count);
                        result[*at].1 = sum.ok_or_else(many)?;
                    }
                    None => {
                        known.insert(key, result.len());
                        result.push((law, count));
                    }
                }
            }
        }
    }
    // Equal numbers have equal doubles, so most comparisons are of doubles, by their bits.
    let near = |at: usize| (fixed::around(&pure[at].0).0.to_bits(), fixed::around(&pure[at].1).0.to_bits());
    let mut order: Vec<((u64, u64), usize)> = (0..pure.len()).map(|at| (near(at), at)).collect();
    let exact = |at: usize| (&pure[at].0, &pure[at].1);
    order.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| exact(a.1).cmp(&exact(b.1))));
    for (_, at) in order {
        let (epsilon, delta, count) = std::mem::take(&mut pure[at]);
        match result.last_mut() {
            Some((Simple::Pure(e, d), sum)) if *e == epsilon && *d == delta => {
                *sum = sum.checked_add(count).ok_or_else(many)?;
            }
            _ => result.push((Simple::Pure(epsilon, delta), count)),
        }
    }
    if normal > Rational::ZERO {
        result.push((Simple::Normal(normal), 1));
    }
    if rho > Rational::ZERO {
        result.push((Simple::Rho(rho), 1));
    }
    Ok(result)
}

impl Composition {
    /// The kinds of law that are left.
    pub(crate) fn resolved(&self, adjacency: Adjacency) -> Result<Vec<(Simple, u64)>, Refusal> {
        let mut all = Vec::new();
        for (law, count) in &self.parts {
            if *count > 0 {
                all.extend(times(simple(law, 1, adjacency)?, *count)?);
            }
        }
        merged(all)
    }
}
