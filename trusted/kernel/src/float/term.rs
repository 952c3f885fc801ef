//! The mechanism that has given numbers, for whoever starts from numbers: reading it gives them back.

use probity_exact::Rational;

use super::shape::{Implementation, Scaling, Snapped};
use crate::expr::{Expr, Run};
use crate::term::{Adjacency, Distribution, Input, Mechanism, Reading, Sort, Statement};

impl Snapped {
    /// clamp(round_to(x + s * ln(u) …, grid), −B, B) for |x| ≤ B, as a term without parameters.
    ///
    /// ```
    /// use probity_exact::{Format, Rational, fraction, rational};
    /// use probity_kernel::float::{Scaling, Snapped, Subject, Uniform, bound};
    /// let snapped = Snapped {
    ///     format: Format::BINARY64,
    ///     uniform: Uniform::Star,
    ///     ln_ulps: 0,
    ///     scaling: vec![Scaling::Divide(Rational::ONE)],
    ///     grid: Rational::ONE,
    ///     bound: fraction::<100, 1>(),
    ///     sensitivity: Rational::ONE,
    /// };
    /// let found = bound(&snapped.mechanism(), snapped.reading(), snapped.implementation()).unwrap();
    /// assert_eq!(found.subject(), &Subject::Mechanism(snapped));
    /// assert!(found.delta().is_zero() && *found.excess() < rational(1, 10_000_000_000_000i64).unwrap());
    /// ```
    pub fn mechanism(&self) -> Mechanism {
        let number = |x: &Rational| Expr::Number(x.clone());
        let noise =
            self.scaling.iter().fold(Expr::var("s") * Expr::var("u").ln(), |noise, step| match step {
                Scaling::Divide(c) => noise / number(c),
                Scaling::Multiply(c) => noise * number(c),
            });
        let (x, bound) = (Expr::var("x"), number(&self.bound));
        let distance = (Expr::of("x", Run::Second) - Expr::of("x", Run::First)).abs();
        Mechanism {
            name: "snapping".into(),
            inputs: vec![Input { name: "x".into(), sort: Sort::Real }],
            params: vec![],
            assumptions: vec![x.clone().abs().le(bound.clone())],
            body: vec![
                Statement::Draw { var: "u".into(), law: Distribution::Uniform },
                Statement::Draw { var: "s".into(), law: Distribution::Sign },
                Statement::Assign { var: "w".into(), value: x + noise },
            ],
            output: Expr::var("w").round_to(number(&self.grid)).clamp(-bound.clone(), bound),
            adjacency: vec![Adjacency::Related(distance.le(number(&self.sensitivity)))],
        }
    }

    /// The format, as a claim names it.
    pub fn reading(&self) -> Reading {
        // Larger exponents than these are refused anyway.
        let exponent = |e: i64| i32::try_from(e).unwrap_or(if e < 0 { i32::MIN } else { i32::MAX });
        Reading::Binary {
            precision: self.format.precision(),
            emin: exponent(self.format.emin()),
            emax: exponent(self.format.emax()),
        }
    }

    /// How u is drawn, and how ln is rounded.
    pub fn implementation(&self) -> Implementation {
        Implementation { uniform: self.uniform, ln_ulps: self.ln_ulps }
    }
}
