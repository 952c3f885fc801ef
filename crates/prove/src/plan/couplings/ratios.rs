//! Which ratios of two finite laws are worth trying: the claim's, those of exponentials and responses in the text, and those
//! between the cases of a guard.

use probity_exact::Rational;
use probity_kernel::context::for_each_expr;
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary, Variable};
use probity_kernel::fact::poly;
use probity_kernel::finite::{Mass, draws_uniform, mass};
use probity_kernel::kind::Kind;
use probity_kernel::poly::Poly;
use probity_kernel::term::{Adjacency, Distribution, Statement};

use crate::algebra::{assume, fraction, mentions, minus, number, product, simplified, visit};
use crate::plan::blocks::{for_each_guard, set_by};
use crate::plan::couplings::{Guesser, MOST_USES};

impl Guesser<'_> {
    /// Ratios of the two laws of a variable after a block, with what each may cost.
    pub(in crate::plan) fn ratios(&self, block: &[Statement], var: &Name) -> Vec<((Expr, Expr), Vec<Expr>)> {
        let block = &self.with_probabilities(block)[..];
        let one = Expr::int(1);
        let mut found: Vec<((Expr, Expr), Vec<Expr>)> = Vec::new();
        let claimed = match &self.claim.epsilon {
            zero if *zero == Expr::int(0) => (one.clone(), one.clone()),
            epsilon => of_logarithms(epsilon).unwrap_or_else(|| (epsilon.clone().exp(), one.clone())),
        };
        found.push((claimed, vec![]));
        let mut whole = vec![];
        let mut exponents: Vec<Expr> = vec![];
        let mut guards: Vec<Expr> = vec![];
        let mut see = |e: &Expr, guards: &mut Vec<Expr>| {
            visit(e, &mut |part| match part {
                Expr::Unary(Unary::Exp, a) if self.is_public(a) => {
                    let a = match &**a {
                        Expr::Unary(Unary::Neg, a) => (**a).clone(),
                        other => other.clone(),
                    };
                    if !exponents.contains(&a) {
                        exponents.push(a);
                    }
                }
                Expr::If(c, ..) => guards.push((**c).clone()),
                Expr::Binary(Binary::Eq | Binary::Ne, ..) => guards.push(part.clone()),
                Expr::Var(Variable::Plain(_)) if self.context.kind(part) == Kind::Bool => {
                    guards.push(part.clone());
                }
                _ => {}
            });
        };
        for_each_expr(block, &mut |e| see(e, &mut guards));
        for_each_guard(block, &mut |guard| guards.push(guard.clone()));
        // A response differs where its true value does.
        guards.extend(block.iter().filter_map(|statement| match statement {
            Statement::Draw { law: Distribution::Response { value, .. }, .. } => Some(value.clone()),
            _ => None,
        }));
        let set = set_by(block);
        let tells = |g: &Expr| {
            let hidden = set.iter().any(|name| mentions(g, name));
            !hidden && self.first(g) != self.second(g)
        };
        guards.retain(tells);
        if guards.is_empty() {
            // What a probability stands for says where it differs.
            for_each_expr(block, &mut |e| see(&self.written_out(e), &mut guards));
            guards.retain(tells);
        }
        for statement in block {
            if let Statement::Draw { law: Distribution::Response { truth, count, .. }, .. } = statement {
                whole.push((truth.clone() * (count.clone() - one.clone()), one.clone() - truth.clone()));
            }
        }
        for exponent in &exponents {
            whole.push((exponent.clone().exp(), one.clone()));
        }
        // A claim that is so many times a logarithm is about so many draws with that ratio, however many they are.
        let counted = self.claim.epsilon.find_variable(&|_| true).is_some();
        visit(&self.claim.epsilon, &mut |part| {
            if let Some(ratio @ (a, b)) = &of_logarithm(part)
                && counted
                && self.is_public(a)
                && self.is_public(b)
                && *ratio != found[0].0
                && !whole.contains(ratio)
            {
                whole.push(ratio.clone());
            }
        });
        // Where several entries differ by a norm, a logarithm in the claim is the price of one of them.
        let by_norm = |clause: &Adjacency| matches!(clause, Adjacency::Norm { .. });
        if self.context.mechanism().adjacency.iter().any(by_norm) {
            visit(&self.claim.epsilon, &mut |part| {
                if matches!(part, Expr::Unary(Unary::Ln, _)) && self.is_public(part) {
                    whole.extend(of_logarithms(part).filter(|ratio| !whole.contains(ratio)));
                }
            });
        }
        // A claim that is a multiple of an exponent in the text, as a product of exponentials: no lemma has to say so in every case
        // of a density.
        for exponent in exponents.iter().filter(|_| draws_uniform(block)) {
            let is = |k: &i64| {
                let apart = minus(self.claim.epsilon.clone(), product(Expr::int(*k), exponent.clone()));
                poly(self.context, &apart).is_ok_and(|apart| apart == Poly::zero())
            };
            if let Some(k) = (2..=MOST_TIMES).find(is) {
                let one_of = exponent.clone().exp();
                let all = (1..k).fold(one_of.clone(), |so_far, _| multiplied(so_far, one_of.clone()));
                found.insert(0, ((all, one.clone()), vec![]));
            }
        }
        // A probability that is made of an entry of a list differs where the entry does.
        let mut entries: Vec<Expr> = vec![];
        if guards.is_empty() {
            for_each_expr(block, &mut |e| entries.extend(self.entries(e).into_iter().filter(tells)));
            if !entries.is_empty()
                && let (a, b) = &found[0].0
                && self.is_public(a)
                && !whole.contains(&found[0].0)
            {
                whole.push((a.clone(), b.clone()));
            }
        }
        for (a, b) in &whole {
            found.push(((self.first(a), self.first(b)), vec![cost(a, b)]));
        }
        entries.dedup();
        guards.extend(entries);
        guards.sort();
        guards.dedup();
        for guard in guards.iter().take(MOST_USES) {
            let (g, h) = (self.first(guard), self.second(guard));
            let agree = g.clone().equals(h);
            for (a, b) in &whole {
                let ratio = (
                    agree.clone().choose(one.clone(), self.first(a)),
                    agree.clone().choose(one.clone(), self.first(b)),
                );
                found.push((ratio, vec![cost(a, b)]));
            }
            if self.context.kind(&g) != Kind::Bool {
                continue;
            }
            let Some(law) = self.two_valued(block, var, &g) else { continue };
            // law[value][guard]; the ratio where the guard holds in the first run only, and in the second only.
            let ratio = |value: usize, here: usize| {
                let probability = |mass: &Mass| {
                    let (n, d) = fraction(&mass.numerator);
                    let (m, e) = fraction(&mass.denominator);
                    (product(n, e), product(d, m))
                };
                let (a, b) = (probability(&law[value][here]), probability(&law[value][1 - here]));
                match a.1 == b.1 {
                    true => (a.0, b.0),
                    false => (product(a.0, b.1), product(b.0, a.1)),
                }
            };
            let parts = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(value, here)| ratio(value, here));
            if let Some(largest) = self.largest(&parts) {
                let amounts = vec![largest.clone().ln()];
                found.insert(1, ((largest, one.clone()), amounts));
            }
            for yes in [0, 1] {
                for no in [1, 0] {
                    let (first, second) = (ratio(yes, 0), ratio(no, 1));
                    let pick = |a: &Expr, b: &Expr| {
                        agree.clone().choose(one.clone(), g.clone().choose(a.clone(), b.clone()))
                    };
                    let amounts = vec![cost(&first.0, &first.1), cost(&second.0, &second.1)];
                    found.push(((pick(&first.0, &second.0), pick(&first.1, &second.1)), amounts));
                }
            }
        }
        found
    }

    /// The entries of input lists of numbers that an expression is made of.
    fn entries(&self, e: &Expr) -> Vec<Expr> {
        let mut found = Vec::new();
        visit(&self.written_out(e), &mut |part| {
            if let Expr::Index(Variable::Plain(list), _) = part
                && self.context.mechanism().inputs.iter().any(|input| input.name == *list)
            {
                found.push(part.clone());
            }
        });
        found
    }

    /// The largest of some ratios under a claim that is a number, if all of them are numbers: then it need not be said where each is due.
    fn largest(&self, ratios: &[(Expr, Expr)]) -> Option<Expr> {
        if self.claim.epsilon.find_variable(&|_| true).is_some() {
            return None;
        }
        let value = |(a, b): &(Expr, Expr)| number(&(a.clone() / b.clone()));
        ratios.iter().map(value).collect::<Option<Vec<_>>>()?.into_iter().max().map(Expr::Number)
    }

    /// The block with what the probabilities of its coins stand for.
    fn with_probabilities(&self, block: &[Statement]) -> Vec<Statement> {
        let written = |statement: &Statement| match statement {
            Statement::Draw { var, law: Distribution::Bernoulli(p @ Expr::Var(_)) } => {
                let law = Distribution::Bernoulli(self.written_out(p));
                Statement::Draw { var: var.clone(), law }
            }
            other => other.clone(),
        };
        block.iter().map(written).collect()
    }

    /// The masses of `true` and `false` where a guard holds and where it does not.
    fn two_valued(&self, block: &[Statement], var: &Name, guard: &Expr) -> Option<[[Mass; 2]; 2]> {
        if self.context.kind(&Expr::var(var.clone())) != Kind::Bool {
            return None;
        }
        let at = |value: bool, holds: bool| {
            let whole = mass(self.context, block, var, &Expr::Bool(value), Run::First).ok()?;
            let fix = |e: &Expr| simplified(&assume(e, guard, holds));
            let (numerator, denominator) = (fix(&whole.numerator), fix(&whole.denominator));
            // The ratio is to be made of parameters and what both runs share.
            let fixed = [&numerator, &denominator].into_iter().all(|e| self.is_public(e));
            fixed.then_some(Mass { numerator, denominator, sane: whole.sane })
        };
        Some([[at(true, true)?, at(true, false)?], [at(false, true)?, at(false, false)?]])
    }
}

/// The highest power of a ratio that is written out.
const MOST_TIMES: i64 = 8;

/// What a logarithm is of, or a sum or a small multiple of logarithms, as a ratio.
fn of_logarithms(epsilon: &Expr) -> Option<(Expr, Expr)> {
    match epsilon {
        Expr::Unary(Unary::Ln, _) => of_logarithm(epsilon),
        Expr::Binary(Binary::Mul, k, one) => {
            let Expr::Number(k) = &**k else { return None };
            let (a, b) = of_logarithms(one)?;
            let times = (1..=MOST_TIMES).find(|&n| *k == Rational::from(n))?;
            let power = |e: &Expr| (1..times).fold(e.clone(), |so_far, _| multiplied(so_far, e.clone()));
            Some((power(&a), power(&b)))
        }
        Expr::Binary(Binary::Add, one, other) => {
            let ((a, b), (c, d)) = (of_logarithms(one)?, of_logarithms(other)?);
            Some((multiplied(a, c), multiplied(b, d)))
        }
        _ => None,
    }
}

/// What one logarithm is of.
fn of_logarithm(e: &Expr) -> Option<(Expr, Expr)> {
    let Expr::Unary(Unary::Ln, inside) = e else { return None };
    Some(match &**inside {
        Expr::Binary(Binary::Div, a, b) => ((**a).clone(), (**b).clone()),
        whole => (whole.clone(), Expr::int(1)),
    })
}

/// A product, of numbers as a number.
fn multiplied(a: Expr, b: Expr) -> Expr {
    match (number(&a), number(&b)) {
        (Some(a), Some(b)) => Expr::Number(a * b),
        _ => product(a, b),
    }
}

fn cost(a: &Expr, b: &Expr) -> Expr {
    match a {
        Expr::Unary(Unary::Exp, exponent) if *b == Expr::int(1) => (**exponent).clone(),
        _ => (a.clone() / b.clone()).ln(),
    }
}
