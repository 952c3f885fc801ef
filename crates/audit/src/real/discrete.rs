//! The values of a discrete draw over the reals, with their probabilities; an infinite support is cut where its
//! tail is negligible, and what is cut off is left to the caller as escaped mass.

use std::cmp::Ordering;

use probity_exact::{Float, Format, Rational, Round, exp_bounds};

use crate::error::AuditError;
use crate::real::world::{Chance, Needed, Real, Weighted};
use crate::run::numbers::integer;
use crate::run::program::{LawKind, Stop, Value};

/// Where supports are cut: the tail beyond is below 2^−bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tail {
    pub(crate) bits: u32,
}

/// Most values that a single draw is split into.
const MOST_VALUES: i64 = 1 << 16;

/// Why a draw is not listed.
pub(crate) const TOO_MANY: AuditError =
    AuditError::Unsupported { what: "a discrete draw with more than 2^16 likely values" };

/// Bits of the enclosures of e^(−1/scale).
const BITS: u32 = 160;

/// The values of the law and their probabilities.
pub(crate) fn choices(law: &Needed, tail: Tail) -> Result<Vec<Weighted>, Stop> {
    let argument = |i: usize| -> Result<&Real, Stop> {
        let missing = AuditError::Unsupported { what: "a draw without its arguments" };
        law.arguments.get(i).ok_or_else(|| missing.into())
    };
    let known = |i: usize| -> Result<Rational, Stop> {
        let random =
            AuditError::Unsupported { what: "a discrete law whose parameter is random or irrational" };
        argument(i)?.known().cloned().ok_or_else(|| random.into())
    };
    let number = |x: Rational| Value::Number(Real::Form(crate::integrate::linear::Form::constant(x)));
    let half = Rational::ONE / Rational::from(2);
    Ok(match law.kind {
        LawKind::Sign => [-1, 1].map(|s| (number(Rational::from(s)), Chance::exactly(half.clone()))).to_vec(),
        LawKind::Bernoulli => {
            let random = AuditError::Unsupported { what: "a Bernoulli draw with a random probability" };
            let (low, high) = argument(0)?.bounds().ok_or(random)?;
            let (low, high) = (probability(low)?, probability(high)?);
            let no = Chance::between(&(Rational::ONE - &high), &(Rational::ONE - &low));
            vec![(Value::Bool(true), Chance::between(&low, &high)), (Value::Bool(false), no)]
        }
        LawKind::UniformInt => {
            let low = integer(Some(&Rational::from(known(0)?.ceil())))?;
            let high = integer(Some(&Rational::from(known(1)?.floor())))?;
            let count = high.checked_sub(low).and_then(|d| d.checked_add(1)).ok_or(TOO_MANY)?;
            if count < 1 {
                return Err(AuditError::Domain { operation: "uniform_int", allowed: "low <= high" }.into());
            }
            if count > MOST_VALUES {
                return Err(TOO_MANY.into());
            }
            let p = Rational::ONE / Rational::from(count);
            (low..=high).map(|k| (number(Rational::from(k)), Chance::exactly(p.clone()))).collect()
        }
        LawKind::UniformOther => {
            let count = integer(Some(&known(1)?))?;
            let each = response(&known(0)?, &Rational::ZERO, count)?;
            each.into_iter().map(|(k, p)| (number(Rational::from(k)), Chance::exactly(p))).collect()
        }
        LawKind::Response => {
            let (value, count) = (known(0)?, integer(Some(&known(2)?))?);
            let random = AuditError::Unsupported { what: "a response with a random probability" };
            let (low, high) = argument(1)?.bounds().ok_or(random)?;
            // The other values are likely where the truth is not.
            let (down, up) =
                (response(&value, &probability(low)?, count)?, response(&value, &probability(high)?, count)?);
            let chance = |p: Rational, q: Rational| match p.cmp(&q) {
                Ordering::Equal => Chance::exactly(p),
                Ordering::Less => Chance::between(&p, &q),
                Ordering::Greater => Chance::between(&q, &p),
            };
            down.into_iter()
                .zip(up)
                .map(|((k, p), (_, q))| (number(Rational::from(k)), chance(p, q)))
                .collect()
        }
        LawKind::Choose => {
            let chances = choose(&law.arguments)?;
            chances.into_iter().enumerate().map(|(i, chance)| (number(Rational::from(i)), chance)).collect()
        }
        LawKind::Geometric => {
            let powers = geometric_powers(argument(0)?, tail)?;
            // (1 − q)·q^y.
            let one = |q: &Rational| Rational::ONE - q;
            let (low, high) = (one(&powers[1].1), one(&powers[1].0));
            let values = powers.iter().enumerate();
            values.map(|(y, p)| (number(Rational::from(y)), scaled(p, &low, &high))).collect()
        }
        LawKind::DiscreteLaplace => {
            let center = known(0)?;
            let powers = geometric_powers(argument(1)?, tail)?;
            // (1 − q)/(1 + q)·q^|y|, and (1 − q)/(1 + q) falls as q grows.
            let lead = |q: &Rational| (Rational::ONE - q) / (Rational::ONE + q);
            let (low, high) = (lead(&powers[1].1), lead(&powers[1].0));
            let mut values = Vec::with_capacity(2 * powers.len());
            for (y, p) in powers.iter().enumerate() {
                let chance = scaled(p, &low, &high);
                values.push((number(&center + Rational::from(y)), chance.clone()));
                if y > 0 {
                    values.push((number(&center - Rational::from(y)), chance));
                }
            }
            values
        }
        LawKind::DiscreteGaussian => {
            let center = known(0)?;
            let weights = gaussian_weights(&known(1)?, tail)?;
            let mut values = Vec::new();
            for (y, chance) in weights.into_iter().enumerate() {
                values.push((number(&center + Rational::from(y)), chance.clone()));
                if y > 0 {
                    values.push((number(&center - Rational::from(y)), chance));
                }
            }
            values
        }
        LawKind::Uniform | LawKind::Laplace | LawKind::Gaussian | LawKind::Exponential => {
            return Err(AuditError::Unsupported { what: "a continuous law as a list of values" }.into());
        }
    })
}

/// The probabilities of the places of a list of scores, in proportion to exp(score / scale).
fn choose(arguments: &[Real]) -> Result<Vec<Chance>, Stop> {
    let random = AuditError::Unsupported { what: "a choice by scores that are random" };
    let bounds: Option<Vec<(Rational, Rational)>> = arguments.iter().map(Real::bounds).collect();
    let bounds = bounds.ok_or(random)?;
    let Some(((low, high), scores)) = bounds.split_first().filter(|(scale, _)| scale.0 > Rational::ZERO)
    else {
        return Err(AuditError::Domain { operation: "a scale", allowed: "it is positive" }.into());
    };
    let best = scores.iter().map(|(_, high)| high).max().cloned().unwrap_or_default();
    // Below the best score by d, the weight is exp(−d / scale) with d between two bounds from 0 on.
    let weight = |(least, most): &(Rational, Rational)| {
        let (near, far) = (&best - most, &best - least);
        let down = if far.is_zero() { Rational::ONE } else { exact(exp_bounds(&-(far / low), BITS).0) };
        let up = if near.is_zero() { Rational::ONE } else { exact(exp_bounds(&-(near / high), BITS).1) };
        (rounded(&down, Round::Down), rounded(&up, Round::Up))
    };
    let weights: Vec<(Rational, Rational)> = scores.iter().map(weight).collect();
    let all = |pick: fn(&(Rational, Rational)) -> &Rational| {
        weights.iter().fold(Rational::ZERO, |sum, weight| sum + pick(weight))
    };
    let (least, most) = (all(|w| &w.0), all(|w| &w.1));
    // w / (w + others) grows with w and falls with the others.
    let share = |(down, up): &(Rational, Rational)| {
        Chance::between(&(down / (&most - up + down)), &(up / (&least - down + up)))
    };
    Ok(weights.iter().map(share).collect())
}

fn scaled(p: &(Rational, Rational), low: &Rational, high: &Rational) -> Chance {
    Chance::between(&(&p.0 * low), &(&p.1 * high))
}

fn rounded(x: &Rational, direction: Round) -> Rational {
    Format::wide(BITS).round(x, direction).to_rational().unwrap_or_default()
}

fn exact(x: Float) -> Rational {
    x.to_rational().unwrap_or_default()
}

/// Bounds of q^0, q^1, … for q = e^(−1/scale), down to where the tail q^k/(1 − q) is below 2^−bits; at least q^1.
fn geometric_powers(scale: &Real, tail: Tail) -> Result<Vec<(Rational, Rational)>, Stop> {
    let domain = AuditError::Domain { operation: "a scale", allowed: "it is positive and not random" };
    let (low, high) = scale.bounds().filter(|(low, _)| *low > Rational::ZERO).ok_or(domain)?;
    // q^k < 2^−bits needs k > bits · ln 2 · scale: seen before any power is computed.
    if &low * Rational::from(tail.bits * 69) > Rational::from(50 * MOST_VALUES) {
        return Err(TOO_MANY.into());
    }
    let q_low = exact(exp_bounds(&-(Rational::ONE / low), BITS).0);
    let q_high = exact(exp_bounds(&-(Rational::ONE / high), BITS).1);
    if q_high >= Rational::ONE {
        return Err(TOO_MANY.into());
    }
    let limit = (Rational::ONE - &q_high) / Rational::from(probity_exact::Natural::ONE << tail.bits as usize);
    let mut powers = vec![(Rational::ONE, Rational::ONE)];
    loop {
        let Some((low, high)) = powers.last() else { return Err(TOO_MANY.into()) };
        let next = (rounded(&(low * &q_low), Round::Down), rounded(&(high * &q_high), Round::Up));
        let small = next.1 < limit;
        powers.push(next);
        if small && powers.len() > 2 {
            return Ok(powers);
        }
        if powers.len() as i64 > MOST_VALUES / 2 {
            return Err(TOO_MANY.into());
        }
    }
}

/// Probabilities of 0, ±1, ±2, … under the discrete Gaussian, down to where the tail is below 2^−bits.
fn gaussian_weights(deviation: &Rational, tail: Tail) -> Result<Vec<Chance>, Stop> {
    if *deviation <= Rational::ZERO {
        return Err(AuditError::Domain { operation: "a deviation", allowed: "it is positive" }.into());
    }
    let twice = deviation * deviation * Rational::from(2);
    let limit = Rational::ONE / Rational::from(probity_exact::Natural::ONE << tail.bits as usize);
    // At the last value that is listed, e^(−y²/2σ²) < 2^−bits needs y² > bits · ln 2 · 2σ².
    let last = Rational::from(MOST_VALUES / 2);
    if twice > last && &twice * Rational::from(tail.bits * 69) > &last * &last * Rational::from(100) {
        return Err(TOO_MANY.into());
    }
    let mut weights: Vec<(Rational, Rational)> = Vec::new();
    let (mut low, mut high) = (Rational::ZERO, Rational::ZERO);
    loop {
        let y = Rational::from(weights.len());
        let (down, up) = exp_bounds(&-(&y * &y / &twice), BITS);
        let weight = (exact(down), exact(up));
        let sides = if weights.is_empty() { Rational::ONE } else { Rational::from(2) };
        low += &weight.0 * &sides;
        high += &weight.1 * &sides;
        weights.push(weight.clone());
        // Σ_{k>y} e^(−k²/2σ²) ≤ ∫_y^∞ ≤ σ²/y · e^(−y²/2σ²), on both sides.
        if !y.is_zero() {
            let rest = &twice / &y * &weight.1;
            if rest < limit {
                high += rest;
                break;
            }
        }
        if weights.len() as i64 > MOST_VALUES / 2 {
            return Err(TOO_MANY.into());
        }
    }
    Ok(weights.iter().map(|(down, up)| Chance::between(&(down / &high), &(up / &low))).collect())
}

/// A number in [0, 1].
pub(crate) fn probability(p: Rational) -> Result<Rational, AuditError> {
    if p < Rational::ZERO || p > Rational::ONE {
        return Err(AuditError::Domain { operation: "a probability", allowed: "0 <= p <= 1" });
    }
    Ok(p)
}

/// `value` with probability `truth`, the other integers of 0, 1, …, count − 1 equally likely. That `value` is one
/// of them the run has checked.
pub(crate) fn response(
    value: &Rational,
    truth: &Rational,
    count: i64,
) -> Result<Vec<(i64, Rational)>, AuditError> {
    if !(2..=MOST_VALUES).contains(&count) {
        return Err(AuditError::Domain {
            operation: "a law over categories",
            allowed: "the audit looks at 2 to 65536 of them",
        });
    }
    let other = (Rational::ONE - truth) / Rational::from(count - 1);
    let each = |k: i64| if Rational::from(k) == *value { truth.clone() } else { other.clone() };
    Ok((0..count).map(|k| (k, each(k))).collect())
}
