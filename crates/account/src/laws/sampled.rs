//! Curves made from curves: a Poisson sample of the records, under removal, addition and replacement, and groups.

use probity_exact::{Integer, Natural, Rational, directed, exp_bounds, ln_bounds, rational_from_f64};

use super::{Curve, Event, Extent, Gaussian, Real};
use crate::fixed::{self, FixedBounds};
use crate::scout;

/// The rate q with b fractional bits, and 1 − q.
struct Rate {
    rational: Rational,
    q: FixedBounds,
    kept: FixedBounds,
}

impl Rate {
    fn new(q: &Rational, bits: usize) -> Rate {
        let span = FixedBounds::of(q, bits);
        Rate { rational: q.clone(), kept: span.complement(bits), q: span }
    }
}

/// Where an end of the losses moves: ln(1 − q + q·e^x).
fn moved(end: &Real, q: &Rational) -> Option<Real> {
    let bits = 320;
    // So far out e^x is no number to write down: ln(1 − q + q·e^x) is x + ln q and less than 2^−1000 more.
    let edge = Rational::from(2000);
    let hair = Rational::from_parts(Integer::ONE, Natural::ONE << 1000usize);
    let at = |x: &Rational, up: bool| {
        let (ln_low, ln_high) = ln_bounds(q, bits)?;
        if x + &ln_low > edge {
            return Some(if up { x + ln_high + &hair } else { x + ln_low });
        }
        // On the other side e^x is nearly 0.
        if *x < -edge.clone() && !up {
            return Some(ln_bounds(&(Rational::ONE - q), bits)?.0);
        }
        let x = &x.clone().max(-edge.clone());
        let (low, high) = exp_bounds(x, bits);
        let power = if up { high } else { low }.to_rational()?;
        let (low, high) = ln_bounds(&(Rational::ONE - q + q * power), bits)?;
        Some(if up { high } else { low })
    };
    Some(Real { low: at(&end.low, false)?, high: at(&end.high, true)? })
}

/// P = (1 − q)·Q + q·P of the base, Q = Q: H_γ = q·H_y of the base with y = (γ − 1 + q)/q, or 1 − γ for y ≤ 0.
pub(crate) struct Removed {
    bits: usize,
    rate: Rate,
    base: Box<dyn Curve>,
}

impl Removed {
    pub fn new(q: &Rational, base: Box<dyn Curve>, bits: usize) -> Removed {
        Removed { bits, rate: Rate::new(q, bits), base }
    }

    /// y rounded down; `None` for y ≤ 0.
    fn inner(&self, ratio: &Natural) -> Option<Natural> {
        if *ratio <= self.rate.kept.high {
            return None;
        }
        Some(((ratio - &self.rate.kept.high) << self.bits) / &self.rate.q.high)
    }
}

impl Curve for Removed {
    fn upper(&self, ratio: &Natural) -> Natural {
        let one = Natural::ONE << self.bits;
        match self.inner(ratio) {
            // H_γ ≤ 1 − γ + q·(y)₊ … for y ≤ 0, and y is at most a few units above 0 here.
            None => (if *ratio < one { one - ratio } else { Natural::ZERO }) + Natural::from(4u8),
            // H falls in y, and y is rounded down.
            Some(y) => fixed::mul_up(&self.rate.q.high, &self.base.upper(&y), self.bits),
        }
    }

    fn event(&self, ratio: &Natural) -> Event {
        match self.inner(ratio) {
            None => Event::everything(self.bits),
            Some(y) => {
                let Event { p, q } = self.base.event(&y);
                let mixed = self.rate.kept.times(&q, self.bits).plus(&self.rate.q.times(&p, self.bits));
                Event { p: mixed, q }
            }
        }
    }

    fn infinite(&self) -> Natural {
        fixed::mul_down(&self.rate.q.low, &self.base.infinite(), self.bits)
    }

    fn extent(&self) -> Extent {
        let ends = self.base.extent().ends.and_then(|(bottom, top)| {
            Some((moved(&bottom, &self.rate.rational)?, moved(&top, &self.rate.rational)?))
        });
        Extent { ends: ends.filter(|(low, high)| low != high), grain: None }
    }
}

/// P = P of the base, Q = (1 − q)·P + q·Q: H_γ = (1 − γ(1 − q))·H_y with y = γq/(1 − γ(1 − q)), or 0 for γ(1 − q) ≥ 1.
pub(crate) struct Added {
    bits: usize,
    rate: Rate,
    base: Box<dyn Curve>,
}

impl Added {
    pub fn new(q: &Rational, base: Box<dyn Curve>, bits: usize) -> Added {
        Added { bits, rate: Rate::new(q, bits), base }
    }

    /// 1 − γ(1 − q) rounded up, and y rounded down.
    fn inner(&self, ratio: &Natural) -> Option<(Natural, Natural)> {
        let one = Natural::ONE << self.bits;
        let lost = fixed::mul_down(ratio, &self.rate.kept.low, self.bits);
        if lost >= one {
            return None;
        }
        let weight = one - lost;
        let y = (fixed::mul_down(ratio, &self.rate.q.low, self.bits) << self.bits) / &weight;
        Some((weight, y))
    }
}

impl Curve for Added {
    fn upper(&self, ratio: &Natural) -> Natural {
        match self.inner(ratio) {
            None => Natural::ZERO,
            Some((weight, y)) => fixed::mul_up(&weight, &self.base.upper(&y), self.bits),
        }
    }

    fn event(&self, ratio: &Natural) -> Event {
        match self.inner(ratio) {
            None => Event::nothing(),
            Some((_, y)) => {
                let Event { p, q } = self.base.event(&y);
                let mixed = self.rate.kept.times(&p, self.bits).plus(&self.rate.q.times(&q, self.bits));
                Event { p, q: mixed }
            }
        }
    }

    fn extent(&self) -> Extent {
        // −ln(1 − q + q·e^(−x)).
        let ends = self.base.extent().ends.and_then(|(bottom, top)| {
            let mirrored = |end: &Real| Some(moved(&end.negated(), &self.rate.rational)?.negated());
            Some((mirrored(&bottom)?, mirrored(&top)?))
        });
        Extent { ends: ends.filter(|(low, high)| low != high), grain: None }
    }
}

/// One record replaced by another before sampling. Above: U(γ) = q·((1 − β)·H_y(near) + β·H_y(far)) with y = 1 + (γ − 1)/q and
/// β = γ/y for γ ≥ 1, and U(γ) = 1 − γ + γ·U(1/γ) below. Below: normal noise around 0, μ and −μ.
pub(crate) struct Replaced {
    bits: usize,
    rate: Rate,
    near: Box<dyn Curve>,
    far: Box<dyn Curve>,
    /// The noise whose pair is realised, if it is normal; else nothing is claimed from below.
    normal: Option<Gaussian>,
}

impl Replaced {
    pub fn new(
        q: &Rational,
        near: Box<dyn Curve>,
        far: Box<dyn Curve>,
        normal: Option<Gaussian>,
        bits: usize,
    ) -> Replaced {
        Replaced { bits, rate: Rate::new(q, bits), near, far, normal }
    }

    /// U(γ) for γ ≥ 1, rounded up.
    fn above(&self, ratio: &Natural) -> Natural {
        let b = self.bits;
        let one = Natural::ONE << b;
        let over = if *ratio > one { ratio - &one } else { Natural::ZERO };
        let y_low = &one + (&over << b) / &self.rate.q.high;
        // β = γ/y ≤ 1, and the curve of the far pair is the larger: β is rounded up, 1 − β is then rounded down with it.
        let beta = fixed::div_up(&(ratio << b), &y_low).min(one.clone());
        let (near, far) = (self.near.upper(&y_low), self.far.upper(&y_low));
        let far = far.max(near.clone());
        let mixed = fixed::mul_up(&(&one - &beta), &near, b) + fixed::mul_up(&beta, &far, b);
        fixed::mul_up(&self.rate.q.high, &mixed, b)
    }
}

impl Curve for Replaced {
    fn upper(&self, ratio: &Natural) -> Natural {
        let b = self.bits;
        let one = Natural::ONE << b;
        if *ratio >= one {
            return self.above(ratio);
        }
        if *ratio == Natural::ZERO {
            return one;
        }
        // U falls: 1/γ rounded down.
        let inverse = ((&one << b) / ratio).max(one.clone());
        (&one - ratio) + fixed::mul_up(ratio, &self.above(&inverse), b)
    }

    /// {X > t} with t where the densities of the two mixtures have the ratio γ, as far as doubles find it.
    fn event(&self, ratio: &Natural) -> Event {
        let Some(normal) = &self.normal else { return Event::nothing() };
        let b = self.bits;
        let gamma = fixed::doubles(ratio, b).0;
        let (mu, q) = (normal.mu(), fixed::near(&self.rate.rational));
        // q·c·z² + (1 − q)(1 − γ)·z − γ·q·c = 0 with z = e^(μt), c = e^(−μ²/2).
        let c = q * directed::exp_nearest(-mu * mu / 2.0);
        let linear = (1.0 - q) * (1.0 - gamma);
        let root = (linear * linear + 4.0 * c * c * gamma).sqrt();
        let z = if linear <= 0.0 { (root - linear) / (2.0 * c) } else { 2.0 * gamma * c / (root + linear) };
        let t = directed::ln_nearest(z.clamp(1e-300, 1e300)) / mu;
        let t = Integer::from((t.clamp(-1e6, 1e6) * (1u64 << 60) as f64) as i128) << (b - 60);
        let middle = self.rate.kept.times(&normal.tail_around(&t, 0), b);
        let side = |centre: i32| middle.plus(&self.rate.q.times(&normal.tail_around(&t, centre), b));
        Event { p: side(1), q: side(-1) }
    }
}

/// k records at once, by k steps of one: H_g ≤ H_r·(1 + r + … + r^(k−1)) for any r with r^k ≤ g. Below: one of them.
pub(crate) struct Grouped {
    bits: usize,
    size: u32,
    base: Box<dyn Curve>,
    /// Where one record tells all with a positive probability: e^x for its largest finite loss x, and that ratio's k-th power,
    /// both rounded up. A larger r gains nothing, as H_r stays at that probability, and the sum would only grow.
    last: Option<(Natural, Natural)>,
}

impl Grouped {
    pub fn new(size: u32, base: Box<dyn Curve>, bits: usize) -> Grouped {
        let last = tops(base.as_ref()).and_then(|(_, top)| {
            let power = exp_bounds(&top.high, bits as u32 + 8).1.to_rational()?;
            let ratio = fixed::natural(fixed::ceil(&power, bits));
            let whole = (0..size).fold(Natural::ONE << bits, |power, _| fixed::mul_up(&power, &ratio, bits));
            Some((ratio, whole))
        });
        Grouped { bits, size, base, last }
    }

    /// An r with r^k ≤ γ, close to the best one.
    fn root(&self, ratio: &Natural) -> Natural {
        match &self.last {
            Some((last, whole)) if ratio >= whole => last.clone(),
            _ if self.size > LARGEST_ROOT => self.near_root(ratio),
            // ⌊(γ·2^b · 2^(b(k−1)))^(1/k)⌋.
            _ => (ratio << (self.bits * (self.size as usize - 1))).nth_root(self.size as usize),
        }
    }

    /// A root in doubles, and one step of Newton's method from there, if that is not too large.
    fn near_root(&self, ratio: &Natural) -> Natural {
        let b = self.bits;
        let k = f64::from(self.size);
        let about = scout::exp(scout::ln(fixed::doubles(ratio, b).0) / k) * (1.0 - 1e-12);
        let start = rational_from_f64(about).map(|about| fixed::natural(fixed::floor(&about, b)));
        let fits = |root: &Natural| self.sum_and_power(root).1 <= *ratio;
        let Some(start) = start.filter(|start| *start > Natural::ZERO && fits(start)) else {
            return self.root_by_logarithm(ratio).unwrap_or(Natural::ZERO);
        };
        let power = self.sum_and_power(&start).1;
        let step = &start * (ratio - &power) / (power * Natural::from(self.size));
        // The step ends above the root by about (1e-12)²·k/2 of it.
        let next = &start + step;
        let next = &next - ((&next * Natural::from(self.size)) >> 70);
        if fits(&next) { next.max(start) } else { start }
    }

    /// 1 + r + … + r^(k−1) and r^k, rounded up, bit by bit of k.
    fn sum_and_power(&self, root: &Natural) -> (Natural, Natural) {
        let b = self.bits;
        let one = Natural::ONE << b;
        let (mut sum, mut power) = (Natural::ZERO, one.clone());
        for bit in (0..=self.size.ilog2()).rev() {
            // S_2m = S_m·(1 + r^m).
            sum = fixed::mul_up(&sum, &(&one + &power), b);
            power = fixed::mul_up(&power, &power, b);
            if self.size >> bit & 1 == 1 {
                sum = fixed::mul_up(&sum, root, b) + &one;
                power = fixed::mul_up(&power, root, b);
            }
        }
        (sum, power)
    }

    /// e^(ln γ / k), rounded down.
    fn root_by_logarithm(&self, ratio: &Natural) -> Option<Natural> {
        let bits = self.bits as u32 + 8;
        let (ln, _) = ln_bounds(&fixed::value(ratio, self.bits), bits)?;
        let root = exp_bounds(&(ln / Rational::from(self.size)), bits).0.to_rational()?;
        Some(fixed::natural(fixed::floor(&root, self.bits)))
    }
}

/// Roots of a higher degree are searched: their radicand would have so many times as many bits as a ratio.
const LARGEST_ROOT: u32 = 8;

/// The ends of the finite losses of a law that tells all with a positive probability.
fn tops(base: &dyn Curve) -> Option<(Real, Real)> {
    base.extent().ends.filter(|_| base.infinite() > Natural::ZERO)
}

impl Curve for Grouped {
    fn upper(&self, ratio: &Natural) -> Natural {
        let b = self.bits;
        let one = Natural::ONE << b;
        let root = self.root(ratio);
        let (sum, _) = self.sum_and_power(&root);
        fixed::mul_up(&self.base.upper(&root), &sum, b).min(one)
    }

    fn event(&self, ratio: &Natural) -> Event {
        self.base.event(ratio)
    }

    fn infinite(&self) -> Natural {
        self.base.infinite()
    }

    /// Without these ends a lattice would look for a loss beyond which the curve fades, and it fades nowhere.
    fn extent(&self) -> Extent {
        let k = Rational::from(self.size);
        let ends = tops(self.base.as_ref()).map(|(bottom, top)| (bottom.scaled(&k), top.scaled(&k)));
        Extent { ends, grain: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::pure;
    use probity_exact::rational;

    /// Roots of any degree are at most the root, and near it; sums and powers are at least what they are of, and near it.
    #[test]
    fn roots_and_sums_hold() {
        let bits = 240;
        for size in [2u32, 3, 8, 9, 20, 77, 1000] {
            let base = pure(&rational(1, 3).unwrap(), &Rational::ZERO, bits);
            let group = Grouped::new(size, Box::new(base), bits);
            for (n, d) in [(1, 1), (3, 2), (2, 3), (1001, 1000), (1, 1000), (10i64.pow(12), 7)] {
                let ratio = fixed::natural(fixed::floor(&rational(n, d).unwrap(), bits));
                let root = group.root(&ratio);
                let exact = |root: &Natural| (0..size).fold(Natural::ONE, |power, _| power * root);
                let wanted = &ratio << (bits * (size as usize - 1));
                assert!(exact(&root) <= wanted, "{size} {n}/{d}");
                let more = &root + (&root >> 60) + Natural::ONE;
                assert!(exact(&more) > wanted, "{size} {n}/{d}");
                let (sum, power) = group.sum_and_power(&root);
                assert!(&power << (bits * (size as usize - 1)) >= exact(&root), "{size} {n}/{d}");
                if size > 20 {
                    continue;
                }
                let value = |n: &Natural| fixed::value(n, bits);
                let mut plain = (Rational::ZERO, Rational::ONE);
                for _ in 0..size {
                    plain = (&plain.0 + &plain.1, &plain.1 * value(&root));
                }
                let slack = rational(1, 1i64 << 60).unwrap();
                assert!(
                    value(&sum) >= plain.0 && value(&sum) <= plain.0 * (Rational::ONE + slack),
                    "{size} {n}/{d}"
                );
            }
        }
    }
}
