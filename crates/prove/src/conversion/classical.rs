//! The classical deviation of normal noise, √(2·ln(c/δ))/ε, for parameters without values: the claim in μ that it is, and why
//! the claim of ε and δ follows (GDP-TAIL). Nothing here is trusted.

use probity_exact::{Rational, ln_bounds};
use probity_kernel::context::{Context, for_each_expr};
use probity_kernel::conversion::{Conversion, normal_tail};
use probity_kernel::expr::{Expr, Unary};
use probity_kernel::fact::canonical;
use probity_kernel::term::{Claim, Reading};

use super::has_normal_draw;
use crate::algebra::{of_parameters, visit};
use crate::effort::Effort;
use crate::evidence::search::search_within;
use crate::evidence::stepping::{Step, search_by_steps};

/// What may be spent on evidence for the tail of normal laws.
const NORMAL_EFFORT: u64 = 20_000_000;
/// What may be spent on seeing that epsilon is small.
const SMALL_EFFORT: u64 = 1_000_000;
/// The most logarithms of a text that are tried.
const MOST_LOGARITHMS: usize = 2;
/// Bounds of logarithms have this denominator.
const UNIT: i64 = 1_000;
/// Bits of enclosures.
const BITS: u32 = 60;

/// Claims in μ from which the claim follows: μ = ε/√(2·ln(c/δ)), for the logarithms that the text has.
pub(super) fn candidates(context: &Context, claim: &Claim) -> Vec<(Claim, Conversion)> {
    let try_one = |inside: Expr| {
        let (shown, steps, last) = by_steps(context, claim, &inside)?;
        let mut effort = Effort::of(NORMAL_EFFORT);
        let evidence = search_by_steps(context, &normal_tail(&shown, claim), &steps, &last, &mut effort)?;
        Some((shown, Conversion::NormalTail(Box::new(evidence))))
    };
    if !has_normal_draw(&context.mechanism().body) {
        return vec![];
    }
    logarithms(context).into_iter().filter_map(try_one).collect()
}

/// Whether a text has such a deviation for its claim, and its epsilon is not known to be at most 1, for which alone that is enough.
pub(super) fn needs_small(context: &Context, claim: &Claim) -> bool {
    let has_steps = |inside: Expr| by_steps(context, claim, &inside).is_some();
    let small = claim.epsilon.clone().le(Expr::int(1));
    logarithms(context).into_iter().any(has_steps)
        && search_within(context, &[], &small, &mut Effort::of(SMALL_EFFORT)).is_err()
}

/// What stands in the logarithms of a text, if the parameters fix it.
fn logarithms(context: &Context) -> Vec<Expr> {
    let mut found: Vec<Expr> = Vec::new();
    for_each_expr(&context.mechanism().body, &mut |e| {
        visit(e, &mut |part| {
            if let Expr::Unary(Unary::Ln, inside) = part
                && of_parameters(context.mechanism(), inside)
                && !found.contains(inside)
            {
                found.push((**inside).clone());
            }
        });
    });
    found.truncate(MOST_LOGARITHMS);
    found
}

/// The claim in μ, and the steps to the claim, for what stands in a logarithm: c/δ for a number c.
fn by_steps(context: &Context, claim: &Claim, inside: &Expr) -> Option<(Claim, Vec<Step>, Vec<usize>)> {
    let (epsilon, delta) = (claim.epsilon.clone(), claim.delta.clone());
    let Ok(Expr::Number(c)) = canonical(context, &(inside.clone() * delta.clone())) else { return None };
    let twice = c.clone() + c.clone();
    let least = Expr::Number(below_ln(&twice)?);
    let number = |value: &Rational| Expr::Number(value.clone());
    let times = |factor: i64, e: Expr| Expr::int(factor) * e;
    let (zero, one, ell) = (Expr::int(0), Expr::int(1), inside.clone().ln());
    let root = times(2, ell.clone()).sqrt();
    let mu = epsilon.clone() / root.clone();
    let square = mu.clone() * mu.clone();
    let double = times(2, delta.clone());
    let tail = (one.clone() / double.clone()).ln();
    let mut steps = Vec::new();
    let mut add = |formula: Expr, from: &[usize]| {
        steps.push(Step { formula, from: from.to_vec() });
        steps.len() - 1
    };
    // μ = ε/√(2ℓ) with ℓ = ln(c/δ), so that μ²·2ℓ = ε².
    let some = add(zero.clone().lt(ell.clone()), &[]);
    let some_root = add(zero.clone().lt(root), &[some]);
    let some_mu = add(zero.clone().lt(mu.clone()), &[some_root]);
    let energy = epsilon.clone() * epsilon.clone();
    let squared = (square.clone() * times(2, ell.clone())).equals(energy.clone());
    let squared = add(squared, &[some, some_root]);
    let some_square = add(zero.clone().lt(square.clone()), &[some_mu]);
    // ln(c/δ) = ln(2c) + ln(1/(2δ)), so 8μ²·ln(1/(2δ)) = 4ε² − 8·ln(2c)·μ².
    let bound = add(least.clone().le(number(&twice).ln()), &[]);
    let product = (number(&twice) * (one.clone() / double.clone())).ln();
    let apart = add(product.equals(number(&twice).ln() + tail.clone()), &[]);
    let apart = add(tail.clone().le(ell.clone() - least.clone()), &[bound, apart]);
    let share = least.clone() * square.clone();
    let needed = times(8, square.clone()) * tail;
    let paid = needed.clone().le(times(4, energy.clone()) - times(8, share.clone()));
    let paid = add(paid, &[apart, squared, some_square]);
    let small = add(epsilon.clone().le(times(2, least)), &[]);
    let small = add(times(4, epsilon.clone() * square.clone()).le(times(8, share)), &[small, some_square]);
    let fourth = add(zero.clone().le(square.clone() * square.clone()), &[some_square]);
    let above = times(2, epsilon.clone()) - square.clone();
    let far = add(needed.le(above.clone() * above), &[paid, small, fourth]);
    // μ² ≤ 2ε says ε ≤ 4ℓ, which holds where δ is not near 1.
    let grown = add(number(&twice).ln().le(ell.clone()), &[bound]);
    let mut near = vec![add(epsilon.clone().le(times(4, ell.clone())), &[bound, grown])];
    let wide = mu.clone().le(double.clone());
    // There μ is at most 2δ, because δ = c·e^(−ℓ) ≥ c·(1 − ℓ).
    if let Some(low) = below_ln(&c).map(Expr::Number) {
        let part = delta.clone() / number(&c);
        let limit = number(&(c.clone() * Rational::from(3) / Rational::from(2)));
        let up = add(ell.clone().exp().equals(inside.clone()), &[]);
        let both = add(((-ell.clone()).exp() * ell.clone().exp()).equals(one.clone()), &[]);
        let down = add((-ell.clone()).exp().equals(part.clone()), &[up, both]);
        let tangent = add((one.clone() - ell.clone()).le((-ell.clone()).exp()), &[]);
        let tangent = add((one.clone() - ell.clone()).le(part), &[down, tangent]);
        let value = add(low.clone().le(number(&c).ln()), &[]);
        let grown = add(number(&c).ln().le(ell.clone()), &[value]);
        let grown = add(low.clone().le(ell.clone()), &[value, grown]);
        let most = (square.clone() * times(2, low.clone())).le(energy.clone());
        let most = add(most, &[grown, squared, some_square]);
        let unit = add(energy.le(one.clone()), &[]);
        let most = add((square.clone() * times(2, low)).le(one), &[most, unit]);
        let short = epsilon.clone().le(times(4, ell.clone()));
        let large = add(short.clone().or(wide.clone()).or(limit.lt(mu.clone())), &[tangent]);
        near.push(add(short.or(wide.clone()), &[large, most, some_mu]));
    }
    near.extend([squared, some]);
    let within = add(square.le(times(2, epsilon)).or(wide), &near);
    let shown = Claim { epsilon: mu, delta: zero, reading: Reading::Mu };
    Some((shown, steps, vec![some_mu, far, within]))
}

/// A short number below a logarithm, if that is positive.
fn below_ln(n: &Rational) -> Option<Rational> {
    let unit = Rational::from(UNIT);
    let (low, _) = ln_bounds(n, BITS)?;
    let short = Rational::from((low * &unit).floor()) / unit;
    (short > Rational::ZERO).then_some(short)
}
