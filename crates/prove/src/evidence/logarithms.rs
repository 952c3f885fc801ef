//! Lemmas that logarithms suggest: of products and powers, and of the two runs.

use std::collections::BTreeSet;

use probity_exact::Rational;
use probity_kernel::expr::{Binary, Expr, Unary, Variable};
use probity_kernel::fact::canonical;
use probity_kernel::lemma::Lemma;

use crate::algebra::of_parameters;
use crate::evidence::lemmas::Suggestions;

/// The highest power of a number whose logarithm is taken apart.
const MAX_POWER: usize = 8;

/// The most logarithms that are compared with those of the other run, and the most factors by which.
const MAX_TWINS: usize = 2;
const MAX_FACTORS: usize = 2;

impl Suggestions<'_> {
    /// Logarithms of inputs in the two runs: a ≤ c·b says that ln(a) ≤ ln(c) + ln(b). The factors are those whose logarithms the
    /// question has, as scales have them, or 2.
    pub(super) fn twin_logarithms(&mut self, logarithms: &BTreeSet<Expr>) {
        let mechanism = self.context.mechanism();
        let of_inputs = |e: &Expr| {
            let mut inputs = false;
            e.for_each_variable(&mut |v| {
                inputs |= matches!(v, Variable::Of(name, _) if mechanism.inputs.iter().any(|input| input.name == *name));
            });
            inputs
        };
        let swapped = |e: &Expr| {
            e.replace(&|v| match v {
                Variable::Of(name, run) => Some(Expr::of(name.clone(), run.other())),
                _ => None,
            })
        };
        let twins = logarithms.iter().filter(|a| of_inputs(a)).map(|a| (a.clone(), swapped(a)));
        let twins: Vec<(Expr, Expr)> =
            twins.filter(|(a, twin)| a != twin && logarithms.contains(twin)).take(MAX_TWINS).collect();
        let public = logarithms.iter().filter(|e| of_parameters(mechanism, e)).take(MAX_FACTORS);
        let mut factors: Vec<Expr> = public.cloned().collect();
        if factors.is_empty() {
            factors.push(Expr::int(2));
        }
        for (a, twin) in &twins {
            for factor in &factors {
                if let Ok(Expr::Number(n)) = canonical(self.context, factor) {
                    self.add(Lemma::LnValue(n));
                }
                let larger = factor.clone() * twin.clone();
                self.add(Lemma::LnProduct(factor.clone(), twin.clone()));
                self.add(Lemma::LnMonotone(a.clone(), larger));
            }
        }
    }

    /// The logarithm of a power of a number, and of a product of two, where these have logarithms too.
    pub(super) fn powers(&mut self, logarithms: &[Expr]) {
        let value = |a: &Expr| match canonical(self.context, a) {
            Ok(Expr::Number(n)) if n > Rational::ONE => Some(n),
            _ => None,
        };
        let numbers: Vec<Rational> = logarithms.iter().filter_map(value).collect();
        let product =
            |a: &Rational, b: &Rational| Lemma::LnProduct(Expr::Number(a.clone()), Expr::Number(b.clone()));
        for base in &numbers {
            for other in numbers.iter().filter(|other| numbers.contains(&(base * *other))) {
                self.add(product(base, other));
            }
            let powers = std::iter::successors(Some(base.clone()), |power| Some(power * base));
            let powers: Vec<Rational> = powers.take(MAX_POWER).collect();
            let highest = powers.iter().rposition(|power| numbers.contains(power)).unwrap_or(0);
            for power in powers.iter().take(highest) {
                self.add(product(base, power));
            }
        }
    }

    /// The logarithm of a product or a quotient in terms of those of its parts.
    pub(super) fn logarithm(&mut self, a: &Expr) {
        match a {
            Expr::Binary(Binary::Mul, a, b) => {
                self.add(Lemma::LnProduct((**a).clone(), (**b).clone()));
                self.logarithm(a);
                self.logarithm(b);
            }
            Expr::Binary(Binary::Div, a, b) => {
                self.add(Lemma::LnQuotient((**a).clone(), (**b).clone()));
                self.add(Lemma::LnMonotone((**b).clone(), (**a).clone()));
                self.logarithm(a);
                self.logarithm(b);
            }
            _ => {
                if let Ok(Expr::Unary(Unary::Exp, a)) = canonical(self.context, a) {
                    self.add(Lemma::LnExp((*a).clone()));
                }
            }
        }
    }
}
