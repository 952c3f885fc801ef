//! The law of a loss L under P by its tail P(L > t), for losses so large that e^L is no number to compute with.
//!
//! Numbers are fixed-point with b fractional bits. `docs/accounting.md`, section 7, has the formulas.

use std::time::Instant;

use probity_exact::{Integer, Natural, Rational, exp_bounds, ln_bounds, normal_tail_bounds};

use super::range::Range;
use crate::fixed::{self, FixedBounds, near};
use crate::laws::{gaussian_weights, is_over};
use crate::model::{Direction, Simple};
use crate::roots::sqrt_bounds;
use crate::scout::{exp, ln};

/// One law's tail, on one side: the pair of laws may differ between the bounds from above and from below, where a parameter is irrational.
pub(crate) struct Tail {
    bits: usize,
    kind: Kind,
}

enum Kind {
    /// L = μ·Z + μ²/2.
    Normal(Rational),
    /// ρ.
    Concentrated(Rational),
    /// Sensitivity over scale.
    Laplace(Rational),
    DiscreteLaplace {
        scale: Rational,
        sensitivity: Rational,
    },
    DiscreteGaussian {
        variance: Rational,
        sensitivity: Rational,
        noise: Vec<FixedBounds>,
    },
    /// The mass of the infinite loss, and the others in falling order.
    Steps(FixedBounds, Vec<Step>),
    Removed {
        rate: Rate,
        base: Box<Tail>,
    },
    Added {
        rate: Rate,
        base: Box<Tail>,
    },
}

/// A sampling probability, and bounds of its logarithm.
struct Rate {
    q: Rational,
    ln: (Rational, Rational),
}

/// A loss between bounds, with the mass of all losses down to it.
struct Step {
    low: Rational,
    high: Rational,
    mass: FixedBounds,
}

/// Beyond this e^−x is not seen beside 1.
const SEEN: i64 = 400;

/// Bits that a small mass is known to: more are not seen in a sum of weights.
const RELATIVE: u32 = 160;

/// Bits of logarithms.
const BITS: u32 = 320;

impl Tail {
    /// The tail of a law for the bound on that side; `None` for laws that are known by their curves only,
    /// and where the time is over.
    pub fn new(law: &Simple, direction: Direction, up: bool, bits: usize, deadline: Instant) -> Option<Tail> {
        let kind = match law {
            Simple::Normal(square) => {
                // The curve grows with μ.
                let (low, high) = sqrt_bounds(square, 160);
                Kind::Normal(if up { high } else { low })
            }
            Simple::Laplace(c) => Kind::Laplace(c.clone()),
            Simple::DiscreteLaplace(scale, s) => {
                Kind::DiscreteLaplace { scale: scale.clone(), sensitivity: Rational::from(*s) }
            }
            Simple::DiscreteGaussian(variance, s) => Kind::DiscreteGaussian {
                variance: variance.clone(),
                sensitivity: Rational::from(*s),
                noise: gaussian_tails(variance, bits, deadline)?,
            },
            Simple::Pure(epsilon, delta) => {
                Kind::Steps(FixedBounds::of(delta, bits), pure(epsilon, delta, bits))
            }
            Simple::Response(k, p) => Kind::Steps(FixedBounds::exact(Natural::ZERO), response(k, p, bits)?),
            Simple::Poisson(q, law) => {
                // The formulas are about one pair of laws, and its mirror image.
                if !law.symmetric() || law.is_bound_only() {
                    return None;
                }
                let base = Box::new(Tail::new(law, direction, up, bits, deadline)?);
                let rate = Rate { q: q.clone(), ln: ln_bounds(q, BITS)? };
                match direction {
                    Direction::Add => Kind::Added { rate, base },
                    _ => Kind::Removed { rate, base },
                }
            }
            // Above: what every such law keeps to. Below: the normal law that is one of them.
            Simple::Rho(rho) if up => Kind::Concentrated(rho.clone()),
            Simple::Rho(rho) => {
                let mu = sqrt_bounds(&(rho * Rational::from(2)), 160).0;
                Kind::Normal(mu)
            }
            Simple::Replaced(..) | Simple::Group(..) => return None,
        };
        Some(Tail { bits, kind })
    }

    fn nothing(&self) -> FixedBounds {
        FixedBounds::exact(Natural::ZERO)
    }

    fn everything(&self) -> FixedBounds {
        FixedBounds::exact(Natural::ONE << self.bits)
    }

    fn unknown(&self) -> FixedBounds {
        FixedBounds { low: Natural::ZERO, high: Natural::ONE << self.bits }
    }

    /// P(L > t).
    pub fn above(&self, t: &Rational) -> FixedBounds {
        let b = self.bits;
        let two = Rational::from(2);
        match &self.kind {
            Kind::Normal(mu) => normal(&(t / mu - mu / two), b),
            // At most e^(−(t−ρ)²/(4ρ)) for t > ρ.
            Kind::Concentrated(rho) if t <= rho => self.unknown(),
            Kind::Concentrated(rho) => {
                let over = t - rho;
                FixedBounds {
                    low: Natural::ZERO,
                    high: power(&(&over * &over / (rho * Rational::from(4))), b).high,
                }
            }
            Kind::Laplace(c) if t >= c => self.nothing(),
            Kind::Laplace(c) if *t < -c.clone() => self.everything(),
            // 1 − e^(−(c−t)/2)/2.
            Kind::Laplace(c) => {
                let x = power(&((c - t) / two), b);
                FixedBounds { low: x.low >> 1, high: fixed::shift_up(x.high, 1) }.complement(b)
            }
            // Losses (s − 2k)/scale for 0 ≤ k ≤ s, where P of at most k is 1 − r^(k+1)/(1 + r), r = e^(−1/scale).
            Kind::DiscreteLaplace { scale, sensitivity } => {
                let last = ((sensitivity - t * scale) / two).ceil() - Integer::ONE;
                if last < Integer::ZERO {
                    return self.nothing();
                }
                if Rational::from(last.clone()) >= *sensitivity {
                    return self.everything();
                }
                let r = power(&(Rational::ONE / scale), b);
                let x = power(&(Rational::from(last + Integer::ONE) / scale), b);
                let one = Natural::ONE << b;
                let low = (&x.low << b) / (&one + &r.high);
                let high = fixed::div_up(&(&x.high << b), &(&one + &r.low));
                FixedBounds { low, high }.complement(b)
            }
            // Losses (s² − 2ks)/(2σ²).
            Kind::DiscreteGaussian { variance, sensitivity: s, noise } => {
                let last = ((s * s - &two * variance * t) / (two * s)).ceil() - Integer::ONE;
                // P(noise ≥ k), k ≥ 1.
                let beyond = |k: Integer| {
                    let at = usize::try_from(k).unwrap_or(usize::MAX);
                    noise.get(at).cloned().unwrap_or(FixedBounds { low: Natural::ZERO, high: Natural::ONE })
                };
                match last >= Integer::ZERO {
                    true => beyond(last + Integer::ONE).complement(b),
                    false => beyond(-last),
                }
            }
            Kind::Steps(told, steps) => {
                let mass = |above: &dyn Fn(&Step) -> bool| {
                    steps.iter().take_while(|step| above(step)).last().map_or(told, |step| &step.mass)
                };
                FixedBounds {
                    low: mass(&|step| step.low > *t).low.clone(),
                    high: mass(&|step| step.high > *t).high.clone(),
                }
            }
            // (1 − q)·Q₀(L₀ > y) + q·P₀(L₀ > y).
            Kind::Removed { rate, base } => match rate.inner(t) {
                Inner::Below => self.everything(),
                Inner::At(low, high) => {
                    let share = FixedBounds::of(&rate.q, b);
                    let kept = share.complement(b);
                    let (wide, narrow) = (low.map(|y| base.both(&y)), base.both(&high));
                    let (p_high, q_high) = wide.unwrap_or_else(|| (self.everything(), self.everything()));
                    let mixed = |q: &FixedBounds, p: &FixedBounds| kept.times(q, b).plus(&share.times(p, b));
                    let high = mixed(&q_high, &p_high).high.min(Natural::ONE << b);
                    FixedBounds { low: mixed(&narrow.1, &narrow.0).low, high }
                }
                Inner::Unknown => self.unknown(),
            },
            // L₀ > −y for the y of −t.
            Kind::Added { rate, base } => match rate.inner(&-t.clone()) {
                Inner::Below => self.nothing(),
                Inner::At(low, high) => FixedBounds {
                    low: low.map_or(Natural::ZERO, |y| base.above(&-y).low),
                    high: base.above(&-high).high,
                },
                Inner::Unknown => self.unknown(),
            },
        }
    }

    /// P(L > y) and Q(L > y) of a symmetric pair: Q(L > y) = P(L < −y).
    fn both(&self, y: &Rational) -> (FixedBounds, FixedBounds) {
        let mirrored = -y.clone();
        let hair = Rational::from_parts(Integer::ONE, Natural::ONE << 200usize);
        let not_below =
            FixedBounds { low: self.above(&mirrored).low, high: self.above(&(mirrored - hair)).high };
        (self.above(y), not_below.complement(self.bits))
    }

    /// At most P(L = ∞).
    pub fn infinite(&self) -> Natural {
        match &self.kind {
            Kind::Steps(told, _) => told.low.clone(),
            Kind::Removed { rate, base } => {
                fixed::mul_down(&FixedBounds::of(&rate.q, self.bits).low, &base.infinite(), self.bits)
            }
            _ => Natural::ZERO,
        }
    }

    /// Where masses are, but for about e^`below` at the left and e^`above` at the right: a choice, which decides nothing.
    pub fn range(&self, below: f64, above: f64) -> Range {
        match &self.kind {
            Kind::Normal(mu) => {
                let m = near(mu);
                Range::around(
                    mu * mu / Rational::from(2),
                    m * (-2.0 * below).sqrt(),
                    m * (-2.0 * above).sqrt(),
                )
            }
            Kind::Concentrated(rho) => {
                let m = (2.0 * near(rho)).sqrt();
                Range::around(rho.clone(), m * (-2.0 * below).sqrt(), m * (-2.0 * above).sqrt())
            }
            Kind::Laplace(c) => Range::up_to(c.clone(), (-2.0 * below).min(2.0 * near(c))),
            Kind::DiscreteLaplace { scale, sensitivity } => {
                let (top, grain) = (sensitivity / scale, Rational::from(2) / scale);
                let left = (-2.0 * below + 2.0 * near(&grain)).min(2.0 * near(&top));
                Range { grain: Some(grain), ..Range::up_to(top, left) }
            }
            Kind::DiscreteGaussian { variance, sensitivity: s, .. } => {
                let grain = s / variance;
                let g = near(&grain);
                let variance = near(variance);
                // Where the noise is so little, 0 is all that is seen of it.
                let reach = |e: f64| match 0.5 / variance > -e {
                    true => 0.0,
                    false => near(s) * (-2.0 * e).sqrt() / variance.sqrt() + g,
                };
                let middle = &grain * s / Rational::from(2);
                Range { grain: Some(grain), ..Range::around(middle, reach(below), reach(above)) }
            }
            Kind::Steps(_, steps) => {
                let top = steps.first().map_or(Rational::ZERO, |step| step.high.clone());
                // The last losses may have less than e^below.
                let unseen = |step: &Step| {
                    let rest = step.mass.complement(self.bits).high;
                    ln(fixed::doubles(&rest, self.bits).1) <= below
                };
                let bottom = steps.iter().find(|step| unseen(step)).or(steps.last());
                let left = bottom.map_or(0.0, |step| near(&(&top - &step.low)));
                let grain = steps.windows(2).map(|two| &two[0].high - &two[1].high).next();
                Range { grain, ..Range::up_to(top, left) }
            }
            Kind::Removed { rate, base } => base.range(below, above).moved(&rate.q, false),
            Kind::Added { rate, base } => base.range(below, above).moved(&rate.q, true),
        }
    }
}

/// e^(−x) for x ≥ 0, with b bits.
fn power(x: &Rational, b: usize) -> FixedBounds {
    // Less than a unit.
    if *x > Rational::from(b) {
        return FixedBounds { low: Natural::ZERO, high: Natural::ONE };
    }
    let (low, high) = exp_bounds(&-x.clone(), RELATIVE);
    FixedBounds::between(&low, &high, b)
}

/// 1 − Φ(x), with b bits.
fn normal(x: &Rational, b: usize) -> FixedBounds {
    // F(x) ≤ e^(−x²/2) for x ≥ 0, and less than a unit where x² > 2b.
    let far = x * x > Rational::from(2 * b);
    let (tiny, one) = (Natural::ONE, Natural::ONE << b);
    if far && *x > Rational::ZERO {
        return FixedBounds { low: Natural::ZERO, high: tiny };
    }
    if far {
        return FixedBounds { low: &one - tiny, high: one };
    }
    let (low, high) = normal_tail_bounds(x, RELATIVE);
    let found = FixedBounds::between(&low, &high, b);
    FixedBounds { low: found.low, high: found.high.min(one) }
}

/// y = ln((e^t − 1 + q)/q).
enum Inner {
    /// e^t ≤ 1 − q for certain.
    Below,
    /// Between the two; the first is missing where e^t ≤ 1 − q is possible.
    At(Option<Rational>, Rational),
    /// Not found.
    Unknown,
}

impl Rate {
    /// y for a t.
    fn inner(&self, t: &Rational) -> Inner {
        let q = &self.q;
        if *t > Rational::from(SEEN) {
            // y = t − ln q + ln(1 − (1 − q)·e^(−t)), and the last is at least −2·e^(−t), which is more than −2^−500, and at most 0.
            let hair = Rational::from_parts(Integer::ONE, Natural::ONE << 500usize);
            return Inner::At(Some(t - &self.ln.1 - hair), t - &self.ln.0);
        }
        // Far below, e^t is only known to be small.
        let far = *t < Rational::from(-SEEN);
        let (low, high) = exp_bounds(&t.clone().max(Rational::from(-SEEN)), BITS + 80);
        let lost = Rational::ONE - q;
        let inside = |power: Option<Rational>| power.map(|power| (power - &lost) / q);
        let (Some(low), Some(high)) = (inside(low.to_rational()), inside(high.to_rational())) else {
            return Inner::Unknown;
        };
        if high <= Rational::ZERO {
            return Inner::Below;
        }
        let low = (!far && low > Rational::ZERO).then(|| ln_bounds(&low, BITS)).flatten();
        match ln_bounds(&high, BITS) {
            Some((_, high)) => Inner::At(low.map(|(low, _)| low), high),
            None => Inner::Unknown,
        }
    }
}

/// P(noise ≥ k) of integer noise with P(k) ∝ e^(−k²/(2σ²)), until it is less than a unit.
/// `None` where the time is over.
fn gaussian_tails(variance: &Rational, bits: usize, deadline: Instant) -> Option<Vec<FixedBounds>> {
    let guard = bits + 64;
    let (weights, rest) = gaussian_weights(variance, guard, deadline)?;
    let mut tail = FixedBounds { low: Natural::ZERO, high: rest.clone() };
    let mut tails = Vec::with_capacity(weights.len());
    for weight in weights.iter().rev() {
        tail = tail.plus(weight);
        tails.push(tail.clone());
    }
    tails.reverse();
    // All: those from 0 on, and those from 1 on once more. There is always a first one: w_0 = 1.
    let more = tails.get(1).cloned().unwrap_or(FixedBounds { low: Natural::ZERO, high: rest });
    let total = tails.first().map_or(FixedBounds::exact(Natural::ONE << guard), |first| first.plus(&more));
    let share = |w: &FixedBounds| FixedBounds {
        low: (&w.low << bits) / &total.high,
        high: fixed::div_up(&(&w.high << bits), &total.low).min(Natural::ONE << bits),
    };
    let mut shares = Vec::with_capacity(tails.len());
    for tail in &tails {
        if is_over(shares.len(), deadline) {
            return None;
        }
        shares.push(share(tail));
    }
    Some(shares)
}

/// A guarantee: with probability δ all is told, else the loss is ±ε.
fn pure(epsilon: &Rational, delta: &Rational, bits: usize) -> Vec<Step> {
    let one = Natural::ONE << bits;
    let small = power(epsilon, bits);
    // 1/(1 + e^(−ε)).
    let large = FixedBounds {
        low: (&one << bits) / (&one + &small.high),
        high: fixed::div_up(&(&one << bits), &(&one + &small.low)),
    };
    let told = FixedBounds::of(delta, bits);
    let both = told.plus(&large.times(&told.complement(bits), bits));
    let mass = FixedBounds { low: both.low, high: both.high.min(one.clone()) };
    let step = |loss: Rational, mass| Step { low: loss.clone(), high: loss, mass };
    vec![step(epsilon.clone(), mass), step(-epsilon.clone(), FixedBounds::exact(one))]
}

/// The true one of k categories with probability p, any other with the same probability each.
fn response(k: &Natural, p: &Rational, bits: usize) -> Option<Vec<Step>> {
    let others = Rational::from(k.clone() - Natural::ONE);
    let each = (Rational::ONE - p) / others;
    let (low, high) = ln_bounds(&(p / &each), BITS)?;
    let step = |low: Rational, high: Rational, mass: &Rational| {
        let mass = FixedBounds::of(mass, bits);
        Step { low, high, mass }
    };
    Some(vec![
        step(low.clone(), high.clone(), p),
        step(Rational::ZERO, Rational::ZERO, &(Rational::ONE - &each)),
        step(-high, -low, &Rational::ONE),
    ])
}

/// ln(1 − q + q·e^x) in doubles.
pub(super) fn moved(x: f64, q: f64) -> f64 {
    match x > 600.0 {
        true => x + ln(q),
        false => ln(1.0 - q + q * exp(x)),
    }
}
