//! The laws of draws: their parameters, when they mean something, and what they can draw.
//!
//! This is the one place that says for which parameters a law exists. A draw whose parameters are out of range
//! has no value: the run ends there, without an answer. Every sampling rule demands that the parameters are in
//! range, so no theorem is about such a run; the audit names the draw, and no execution goes on from it.
//!
//! ```
//! use probity_kernel::expr::Expr;
//! use probity_kernel::law;
//! use probity_kernel::term::Distribution;
//! let die = Distribution::UniformInt { low: Expr::int(1), high: Expr::var("sides") };
//! let [needed] = &law::conditions(&die)[..] else { panic!() };
//! assert_eq!(needed.to_string(), "1 <= sides");
//! ```

use std::convert::Infallible;

use crate::expr::Expr;
use crate::kind::Kind;
use crate::term::{Called, Distribution};

/// What the parameters must meet, each condition on its own. Besides, [`integer_places`] are integers.
pub fn conditions(law: &Distribution) -> Vec<Expr> {
    let zero = || Expr::int(0);
    let positive = |scale: &Expr| vec![zero().lt(scale.clone())];
    let probability = |p: &Expr| vec![zero().le(p.clone()), p.clone().le(Expr::int(1))];
    let category = |value: &Expr, count: &Expr| {
        vec![Expr::int(2).le(count.clone()), zero().le(value.clone()), value.clone().lt(count.clone())]
    };
    match law {
        Distribution::Uniform | Distribution::Sign => vec![],
        // What a called mechanism assumes is a condition of the rule, and its own draws are in range by its theorem.
        Distribution::Called(_) => vec![],
        Distribution::Bernoulli(p) | Distribution::Sample { rate: p, .. } => probability(p),
        Distribution::UniformInt { low, high } => vec![low.clone().le(high.clone())],
        Distribution::UniformOther { value, count } => category(value, count),
        Distribution::Response { value, truth, count } => {
            probability(truth).into_iter().chain(category(value, count)).collect()
        }
        Distribution::Choose { scores, scale } | Distribution::PermuteAndFlip { scores, scale } => {
            let among = length(scores).map_or(Expr::Bool(false), |length| Expr::int(1).le(length));
            positive(scale).into_iter().chain([among]).collect()
        }
        Distribution::Laplace { scale, .. }
        | Distribution::DiscreteLaplace { scale, .. }
        | Distribution::Gumbel { scale, .. }
        | Distribution::Exponential { scale }
        | Distribution::Geometric { scale } => positive(scale),
        Distribution::Gaussian { deviation, .. } | Distribution::DiscreteGaussian { deviation, .. } => {
            positive(deviation)
        }
    }
}

/// How many scores a choice is among.
fn length(scores: &Expr) -> Option<Expr> {
    match scores {
        Expr::Var(list) => Some(Expr::Length(list.clone())),
        _ => None,
    }
}

/// The parameter that is a list, of numbers, and not a number.
pub fn scores(law: &Distribution) -> Option<&Expr> {
    match law {
        Distribution::Choose { scores, .. } | Distribution::PermuteAndFlip { scores, .. } => Some(scores),
        _ => None,
    }
}

/// The parameters that must be integers.
pub fn integer_places(law: &Distribution) -> Vec<&Expr> {
    match law {
        Distribution::UniformInt { low, high } => vec![low, high],
        Distribution::UniformOther { value, count } | Distribution::Response { value, count, .. } => {
            vec![value, count]
        }
        Distribution::DiscreteLaplace { center, .. } | Distribution::DiscreteGaussian { center, .. } => {
            vec![center]
        }
        _ => vec![],
    }
}

/// What holds of every value `y` that the law draws, where its parameters are in range.
pub fn support(law: &Distribution, y: Expr) -> Expr {
    match law {
        Distribution::Uniform => Expr::int(0).lt(y.clone()).and(y.le(Expr::int(1))),
        Distribution::Sign => y.clone().equals(Expr::int(1)).or(y.equals(Expr::int(-1))),
        Distribution::UniformInt { low, high } => low.clone().le(y.clone()).and(y.le(high.clone())),
        Distribution::UniformOther { count, .. } | Distribution::Response { count, .. } => {
            Expr::int(0).le(y.clone()).and(y.lt(count.clone()))
        }
        Distribution::Exponential { .. } | Distribution::Geometric { .. } => Expr::int(0).le(y),
        Distribution::Choose { scores, .. } | Distribution::PermuteAndFlip { scores, .. } => {
            match length(scores) {
                Some(length) => Expr::int(0).le(y.clone()).and(y.lt(length)),
                None => Expr::Bool(true),
            }
        }
        Distribution::Bernoulli(_)
        | Distribution::Called(_)
        | Distribution::Sample { .. }
        | Distribution::Laplace { .. }
        | Distribution::DiscreteLaplace { .. }
        | Distribution::Gaussian { .. }
        | Distribution::DiscreteGaussian { .. }
        | Distribution::Gumbel { .. } => Expr::Bool(true),
    }
}

/// The kind of what the law draws.
pub fn kind(law: &Distribution) -> Kind {
    match law {
        Distribution::Uniform
        | Distribution::Laplace { .. }
        | Distribution::Gaussian { .. }
        | Distribution::Gumbel { .. }
        | Distribution::Exponential { .. } => Kind::Real,
        Distribution::Bernoulli(_) => Kind::Bool,
        Distribution::Sample { .. } => Kind::Table,
        Distribution::Called(called) => Kind::of_sort(&called.released),
        Distribution::Sign
        | Distribution::UniformInt { .. }
        | Distribution::UniformOther { .. }
        | Distribution::Response { .. }
        | Distribution::Choose { .. }
        | Distribution::PermuteAndFlip { .. }
        | Distribution::DiscreteLaplace { .. }
        | Distribution::DiscreteGaussian { .. }
        | Distribution::Geometric { .. } => Kind::Int,
    }
}

/// The names under which laws are shown; a called mechanism has none of them.
pub const NAMES: [&str; 16] = [
    "uniform",
    "sign",
    "bernoulli",
    "uniform_int",
    "uniform_other",
    "response",
    "choose",
    "permute_and_flip",
    "sample",
    "laplace",
    "discrete_laplace",
    "gaussian",
    "discrete_gaussian",
    "gumbel",
    "exponential",
    "geometric",
];

/// The parameters.
pub fn parameters(law: &Distribution) -> Vec<&Expr> {
    match law {
        Distribution::Uniform | Distribution::Sign => vec![],
        Distribution::Called(called) => called.inputs.iter().chain(&called.params).collect(),
        Distribution::Bernoulli(p) => vec![p],
        Distribution::UniformInt { low, high } => vec![low, high],
        Distribution::UniformOther { value, count } => vec![value, count],
        Distribution::Response { value, truth, count } => vec![value, truth, count],
        Distribution::Choose { scores, scale } | Distribution::PermuteAndFlip { scores, scale } => {
            vec![scores, scale]
        }
        Distribution::Sample { table, rate } => vec![table, rate],
        Distribution::Laplace { center, scale }
        | Distribution::DiscreteLaplace { center, scale }
        | Distribution::Gumbel { center, scale } => {
            vec![center, scale]
        }
        Distribution::Gaussian { center, deviation }
        | Distribution::DiscreteGaussian { center, deviation } => {
            vec![center, deviation]
        }
        Distribution::Exponential { scale } | Distribution::Geometric { scale } => vec![scale],
    }
}

/// The law with its parameters replaced.
pub fn map(law: &Distribution, e: &dyn Fn(&Expr) -> Expr) -> Distribution {
    let Ok(mapped) = try_map(law, &|p| Ok::<Expr, Infallible>(e(p)));
    mapped
}

/// The same for a replacement that may fail.
pub fn try_map<E>(law: &Distribution, e: &dyn Fn(&Expr) -> Result<Expr, E>) -> Result<Distribution, E> {
    Ok(match law {
        Distribution::Uniform => Distribution::Uniform,
        Distribution::Sign => Distribution::Sign,
        Distribution::Called(called) => {
            let all = |list: &[Expr]| list.iter().map(e).collect::<Result<Vec<_>, E>>();
            let (inputs, params) = (all(&called.inputs)?, all(&called.params)?);
            Distribution::Called(Box::new(Called { inputs, params, ..(**called).clone() }))
        }
        Distribution::Bernoulli(p) => Distribution::Bernoulli(e(p)?),
        Distribution::UniformInt { low, high } => Distribution::UniformInt { low: e(low)?, high: e(high)? },
        Distribution::UniformOther { value, count } => {
            Distribution::UniformOther { value: e(value)?, count: e(count)? }
        }
        Distribution::Response { value, truth, count } => {
            Distribution::Response { value: e(value)?, truth: e(truth)?, count: e(count)? }
        }
        Distribution::Choose { scores, scale } => {
            Distribution::Choose { scores: e(scores)?, scale: e(scale)? }
        }
        Distribution::PermuteAndFlip { scores, scale } => {
            Distribution::PermuteAndFlip { scores: e(scores)?, scale: e(scale)? }
        }
        Distribution::Sample { table, rate } => Distribution::Sample { table: e(table)?, rate: e(rate)? },
        Distribution::Laplace { center, scale } => {
            Distribution::Laplace { center: e(center)?, scale: e(scale)? }
        }
        Distribution::DiscreteLaplace { center, scale } => {
            Distribution::DiscreteLaplace { center: e(center)?, scale: e(scale)? }
        }
        Distribution::Gaussian { center, deviation } => {
            Distribution::Gaussian { center: e(center)?, deviation: e(deviation)? }
        }
        Distribution::DiscreteGaussian { center, deviation } => {
            Distribution::DiscreteGaussian { center: e(center)?, deviation: e(deviation)? }
        }
        Distribution::Gumbel { center, scale } => {
            Distribution::Gumbel { center: e(center)?, scale: e(scale)? }
        }
        Distribution::Exponential { scale } => Distribution::Exponential { scale: e(scale)? },
        Distribution::Geometric { scale } => Distribution::Geometric { scale: e(scale)? },
    })
}
