//! Claims of ε and δ through ρ or μ: which claim in these measures would be enough, and which draws a measure has no
//! rule for. Nothing here is trusted.

mod classical;
pub(crate) mod grouped;
pub(crate) mod sampled;

use probity_exact::Rational;
use probity_kernel::context::{Context, for_each_expr};
use probity_kernel::conversion::{Conversion, by_order, normal, tail};
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary, Variable};
use probity_kernel::law::parameters;
use probity_kernel::term::{Adjacency, Claim, Distribution, Reading, Statement};

use crate::algebra::{number, visit};
use crate::derivation::Reason;
use crate::effort::Effort;
use crate::evidence::search::search_within;
use crate::plan::blocks::{definitions, inline};
use crate::tables::is_irrational;

/// Steps of halving: 2^−24 of the largest number that is tried. Evidence multiplies these numbers, which must stay short.
const HALVINGS: usize = 24;
/// How often the largest number is halved before none is taken to be enough.
const SMALLER: usize = 120;
/// The most numbers μ that are read off the draws of a text.
const MOST_OWN: usize = 4;
/// The largest μ and ρ that are tried.
const LARGEST: i64 = 64;
/// What may be spent on evidence for a tail bound.
const TAIL_EFFORT: u64 = 5_000_000;

/// Claims in μ and ρ from which the claim follows, with how it does; the better first.
pub(crate) fn candidates(context: &Context, claim: &Claim) -> Vec<(Claim, Conversion)> {
    if claim.reading != Reading::Reals || claim.delta == Expr::int(0) {
        return vec![];
    }
    let of = |epsilon: Expr, reading: Reading| Claim { epsilon, delta: Expr::int(0), reading };
    if let (Some(epsilon), Some(delta)) = (number(&claim.epsilon), number(&claim.delta)) {
        let mut found = Vec::new();
        let mut claims = simplest_and_largest(&|mu| normal(mu, &epsilon, &delta));
        let rough = has_irrational(&context.mechanism().body);
        if let Some(largest) = claims.last().cloned().filter(|_| rough) {
            claims.extend(shorter(&largest));
            claims.dedup();
        }
        let own = of_one_draw(context).into_iter().filter(|mu| normal(mu, &epsilon, &delta));
        claims.extend(own.filter(|mu| !claims.contains(mu)).collect::<Vec<_>>());
        for mu in claims {
            found.push((of(Expr::Number(mu), Reading::Mu), Conversion::Normal));
        }
        let best = ORDERS.iter().filter_map(|&(n, d)| {
            let order = Rational::from(n) / Rational::from(d);
            let rho = largest(&|rho| by_order(&order, rho, &epsilon, &delta))?;
            Some((rho, order))
        });
        if let Some((rho, order)) = best.max_by(|a, b| a.0.cmp(&b.0)) {
            let short = shorter(&rho).filter(|_| rough);
            for rho in std::iter::once(rho.clone()).chain(short) {
                found.push((of(Expr::Number(rho), Reading::Rho), Conversion::Order(order.clone())));
            }
        }
        return found;
    }
    let Some(rho) = beside_root(&claim.epsilon) else { return classical::candidates(context, claim) };
    let from = of(rho.clone(), Reading::Rho);
    let mut effort = Effort::of(TAIL_EFFORT);
    match search_within(context, &[], &tail(&from, claim), &mut effort) {
        Ok(evidence) => vec![(from, Conversion::Tail(Box::new(evidence)))],
        Err(_) => vec![],
    }
}

/// Of the normal draws whose deviation is a number, the distance of neighbours over the deviation: what one draw costs in μ, whatever
/// the claim is. Next to it lie numbers with more digits than evidence is found for.
fn of_one_draw(context: &Context) -> Vec<Rational> {
    let mechanism = context.mechanism();
    let mut distances: Vec<Rational> = vec![Rational::ONE];
    for clause in &mechanism.adjacency {
        let bound = match clause {
            Adjacency::Related(related) => {
                visit(related, &mut |part| {
                    if let Expr::Binary(Binary::Le | Binary::Lt, _, bound) = part {
                        distances.extend(number(bound));
                    }
                });
                None
            }
            Adjacency::EveryEntry { bound, .. }
            | Adjacency::EveryEntryGrows { bound, .. }
            | Adjacency::OneEntry { bound, .. }
            | Adjacency::OneEntryOf { bound, .. }
            | Adjacency::Norm { bound, .. } => number(bound),
            _ => None,
        };
        distances.extend(bound);
    }
    let mut found: Vec<Rational> = Vec::new();
    for_each_draw(&mechanism.body, &mut |law| {
        let Distribution::Gaussian { deviation, .. } = law else { return };
        let Some(deviation) = number(&inline(deviation, &definitions(&mechanism.body))) else { return };
        for distance in distances.iter().filter(|_| deviation > Rational::ZERO) {
            let mu = distance / &deviation;
            if !found.contains(&mu) && found.len() < MOST_OWN {
                found.push(mu);
            }
        }
    });
    found.sort_unstable_by(|a, b| b.cmp(a));
    found
}

fn for_each_draw(body: &[Statement], see: &mut dyn FnMut(&Distribution)) {
    for statement in body {
        match statement {
            Statement::Draw { law, .. } => see(law),
            Statement::If { then, otherwise, .. } => {
                for_each_draw(then, see);
                for_each_draw(otherwise, see);
            }
            Statement::For { body, .. } | Statement::While { body, .. } => for_each_draw(body, see),
            Statement::Assign { .. } | Statement::Append { .. } => {}
        }
    }
}

/// The orders that are tried: 1 + 2^(k/2) for k from −8 to 20, about.
const ORDERS: [(i64, i64); 29] = [
    (17, 16),
    (109, 100),
    (9, 8),
    (118, 100),
    (5, 4),
    (135, 100),
    (3, 2),
    (171, 100),
    (2, 1),
    (241, 100),
    (3, 1),
    (383, 100),
    (5, 1),
    (666, 100),
    (9, 1),
    (123, 10),
    (17, 1),
    (236, 10),
    (33, 1),
    (46, 1),
    (65, 1),
    (91, 1),
    (129, 1),
    (182, 1),
    (257, 1),
    (363, 1),
    (513, 1),
    (725, 1),
    (1025, 1),
];

/// Of ρ + 2·sqrt(ρ·ln(1/δ)), however it is written, what stands beside the root.
fn beside_root(epsilon: &Expr) -> Option<&Expr> {
    match epsilon {
        Expr::Binary(Binary::Add, a, b) if has_root(b) && !has_root(a) => Some(a),
        Expr::Binary(Binary::Add, a, b) if has_root(a) && !has_root(b) => Some(b),
        _ => None,
    }
}

fn has_root(e: &Expr) -> bool {
    matches!(e, Expr::Unary(Unary::Sqrt, _)) || e.parts().into_iter().flatten().any(has_root)
}

/// The largest positive number of which a condition holds that holds of all smaller ones, from below.
pub(crate) fn largest(enough: &dyn Fn(&Rational) -> bool) -> Option<Rational> {
    let (low, _) = halved(enough, (Rational::ZERO, Rational::from(LARGEST)));
    (low > Rational::ZERO).then_some(low)
}

/// A number of which the condition holds, if it does of the lower of two, and one of which it is not known to, next to each other.
fn halved(
    enough: &dyn Fn(&Rational) -> bool,
    (mut low, mut high): (Rational, Rational),
) -> (Rational, Rational) {
    for _ in 0..HALVINGS {
        let middle = (&low + &high) / Rational::from(2);
        match enough(&middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    (low, high)
}

/// The simplest number next to the largest of which the condition holds, if it holds of it, and the largest: noise whose deviation is a
/// short number may need exactly that.
fn simplest_and_largest(enough: &dyn Fn(&Rational) -> bool) -> Vec<Rational> {
    let halves = std::iter::successors(Some(Rational::from(LARGEST)), |x| Some(x / Rational::from(2)));
    let simple = halves.skip(1).take(SMALLER).find(|low| enough(low)).map(|low| {
        let high = &low * Rational::from(2);
        let (low, high) = halved(enough, (low, high));
        simplest(&(&low - &low / Rational::from(1i64 << 20)), &high)
    });
    let mut found: Vec<Rational> = simple.filter(enough).into_iter().collect();
    found.extend(largest(enough).filter(|largest| !found.contains(largest)));
    found
}

/// What short fractions may be smaller than a number, as parts of it.
const SHORTER: [i64; 3] = [1_000, 100, 20];

/// Short fractions a little below a number: where noise is made of roots and logarithms, these are enclosed, and products of
/// enclosures and long fractions are longer than the search calculates with.
fn shorter(largest: &Rational) -> impl Iterator<Item = Rational> {
    SHORTER.into_iter().map(move |part| simplest(&(largest - largest / Rational::from(part)), largest))
}

/// Whether a text calculates with roots or logarithms.
fn has_irrational(body: &[Statement]) -> bool {
    let mut found = false;
    for_each_expr(body, &mut |e| found |= is_irrational(e));
    found
}

/// The fraction with the smallest denominator from one positive number to a larger one.
fn simplest(low: &Rational, high: &Rational) -> Rational {
    let whole = Rational::from(low.floor());
    if whole == *low {
        return whole;
    }
    let next = &whole + Rational::ONE;
    match next <= *high {
        true => next,
        false => {
            &whole
                + Rational::ONE
                    / simplest(&(Rational::ONE / (high - &whole)), &(Rational::ONE / (low - &whole)))
        }
    }
}

/// Whether a body draws normal noise, for which there is no ε without a δ.
pub(crate) fn has_normal_draw(body: &[Statement]) -> bool {
    find_draw(body, &|law| {
        matches!(law, Distribution::Gaussian { .. } | Distribution::DiscreteGaussian { .. })
    })
    .is_some()
}

pub(crate) fn find_draw(body: &[Statement], wanted: &dyn Fn(&Distribution) -> bool) -> Option<Statement> {
    body.iter().find_map(|statement| match statement {
        Statement::Draw { law, .. } => wanted(law).then(|| statement.clone()),
        Statement::If { then, otherwise, .. } => {
            find_draw(then, wanted).or_else(|| find_draw(otherwise, wanted))
        }
        Statement::For { body, .. } | Statement::While { body, .. } => find_draw(body, wanted),
        Statement::Assign { .. } | Statement::Append { .. } => None,
    })
}

/// Whether noise has a scale that is made of inputs.
fn has_private_scale(context: &Context, law: &Distribution) -> bool {
    let (Distribution::Gaussian { deviation: scale, .. }
    | Distribution::DiscreteGaussian { deviation: scale, .. }
    | Distribution::Laplace { scale, .. }
    | Distribution::DiscreteLaplace { scale, .. }) = law
    else {
        return false;
    };
    let mechanism = context.mechanism();
    let is_input = |name: &Name| mechanism.inputs.iter().any(|input| input.name == *name);
    let mut private = false;
    visit(&inline(scale, &definitions(&mechanism.body)), &mut |part| {
        // How long a list is both runs know.
        if let Expr::Var(Variable::Plain(name))
        | Expr::Index(Variable::Plain(name), _)
        | Expr::Sum(Variable::Plain(name), ..) = part
        {
            private |= is_input(name);
        }
    });
    private
}

/// Whether a draw is a call of a mechanism that is proved in rho or mu.
fn is_called_in_rho(law: &Distribution) -> bool {
    matches!(law, Distribution::Called(called) if matches!(called.claim.reading, Reading::Rho | Reading::Mu))
}

/// What the first `while` loop of a block goes on for.
fn endless(body: &[Statement]) -> Option<&Expr> {
    body.iter().find_map(|statement| match statement {
        Statement::While { guard, .. } => Some(guard),
        Statement::If { then, otherwise, .. } => endless(then).or_else(|| endless(otherwise)),
        Statement::For { body, .. } => endless(body),
        _ => None,
    })
}

/// A draw whose law differs between the runs and for which the claim's measure has no rule.
pub(crate) fn unsupported(context: &Context, claim: &Claim) -> Option<Reason> {
    let differs = |law: &Distribution| {
        parameters(law).into_iter().any(|p| context.in_run(p, Run::First) != context.in_run(p, Run::Second))
    };
    let normal = |law: &Distribution| {
        matches!(law, Distribution::Gaussian { .. } | Distribution::DiscreteGaussian { .. })
    };
    let bounded = |law: &Distribution| {
        matches!(
            law,
            Distribution::Laplace { .. }
                | Distribution::DiscreteLaplace { .. }
                | Distribution::Choose { .. }
                | Distribution::Bernoulli(_)
                | Distribution::Response { .. }
        )
    };
    let body = &context.mechanism().body;
    if matches!(claim.reading, Reading::Rho | Reading::Mu)
        && let Some(guard) = endless(body)
    {
        return Some(Reason::Endless { guard: guard.to_string() });
    }
    if matches!(claim.reading, Reading::Rho | Reading::Mu)
        && let Some(draw) = find_draw(body, &|law| has_private_scale(context, law))
    {
        let instead = "in rho and mu its deviation, or scale, is one number in both runs, and this one is made of inputs: \
                       make it of parameters, or of what was drawn before";
        return Some(Reason::Measure { draw: draw.to_string().trim_end().to_owned(), instead });
    }
    let (draw, instead) = match claim.reading {
        Reading::Reals | Reading::Binary { .. }
            if claim.delta == Expr::int(0) && find_draw(body, &is_called_in_rho).is_some() =>
        {
            let draw = find_draw(body, &is_called_in_rho)?;
            (
                draw,
                "what is called is proved in rho or mu, which has no epsilon without a delta: claim rho, or epsilon and delta",
            )
        }
        Reading::Reals | Reading::Binary { .. } if claim.delta == Expr::int(0) => {
            let draw = find_draw(body, &|law| normal(law) && differs(law))?;
            (draw, "normal noise has no epsilon without a delta: claim rho, or mu, or epsilon and delta")
        }
        Reading::Reals | Reading::Binary { .. } => {
            let draw = find_draw(body, &|law| normal(law) && differs(law))?;
            let numbers = number(&claim.epsilon).is_some() && number(&claim.delta).is_some();
            let set = "with normal noise epsilon and delta are converted from mu or rho for set parameters: give all of \
                       them values, or claim rho + 2 * sqrt(rho * ln(1 / delta)), delta, or use the deviation \
                       sqrt(2 * ln(1.25 / delta)) / eps with eps <= 1";
            if !numbers && classical::needs_small(context, claim) {
                let (draw, epsilon) = (draw.to_string().trim_end().to_owned(), claim.epsilon.to_string());
                return Some(Reason::LargeEpsilon { draw, epsilon });
            }
            let small = "its noise is not shown to be enough for this epsilon and delta by a conversion from mu or rho";
            let beside = "the claim follows from the rho that stands beside the root, which is not shown: claim that rho alone \
                          to see what is missing";
            let why = match (numbers, beside_root(&claim.epsilon)) {
                (true, _) => small,
                (false, Some(_)) => beside,
                (false, None) => set,
            };
            (draw, why)
        }
        Reading::Rho => {
            let draw =
                find_draw(body, &|law| !normal(law) && !bounded(law) && differs(law)).or_else(|| {
                    let one_sided = |law: &Distribution| {
                        matches!(
                            law,
                            Distribution::Exponential { .. }
                                | Distribution::Geometric { .. }
                                | Distribution::Gumbel { .. }
                        )
                    };
                    find_draw(body, &one_sided)
                })?;
            (draw, "in rho a law needs a loss that is bounded in both directions: claim epsilon")
        }
        Reading::Mu => {
            let continuous = |law: &Distribution| matches!(law, Distribution::Gaussian { .. });
            let draw = find_draw(body, &|law| !continuous(law) && differs(law))?;
            (draw, "in mu only continuous normal noise has a cost: claim rho, or epsilon")
        }
    };
    Some(Reason::Measure { draw: draw.to_string().trim_end().to_owned(), instead })
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::{parse_rational, rational};

    #[test]
    fn the_simplest_fraction_between_two_numbers() {
        for (low, high, found) in
            [("0.0999999", "0.1000001", (1, 10)), ("3.2", "3.3", (13, 4)), ("2", "2.5", (2, 1))]
        {
            let found = rational(found.0, found.1).unwrap();
            assert_eq!(simplest(&parse_rational(low).unwrap(), &parse_rational(high).unwrap()), found);
        }
    }

    /// δ(1/100) of normal noise with deviation 10, from mpmath, with a billionth more and less.
    #[test]
    fn noise_that_is_just_enough_is_found() {
        let epsilon = rational(1, 100).unwrap();
        let found = |delta: &str| {
            let delta = parse_rational(delta).unwrap();
            simplest_and_largest(&|mu| normal(mu, &epsilon, &delta))
        };
        let tenth = rational(1, 10).unwrap();
        assert_eq!(found("0.0352529707945324668521")[0], tenth);
        assert!(found("0.0352529707240265254529").iter().all(|mu| *mu < tenth));
        assert!(found("0").is_empty());
    }
}
