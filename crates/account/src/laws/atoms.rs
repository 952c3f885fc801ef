//! Laws with finitely many losses: responses, pure guarantees, discrete Laplace and discrete Gaussian noise.

use std::time::Instant;

use probity_exact::{Integer, Natural, Rational, directed, exp_bounds, ln_bounds};

use super::{Curve, Event, Extent, Real};
use crate::fixed::{self, FixedBounds};

/// One loss with its masses.
struct Atom {
    /// Bounds of the loss; infinite ends for what lies beyond the listed ones.
    loss: (f64, f64),
    p: FixedBounds,
    q: FixedBounds,
}

/// Losses in falling order, with running sums.
pub(crate) struct Atoms {
    bits: usize,
    losses: Vec<(f64, f64)>,
    /// P and Q of the first k atoms.
    sums: Vec<Event>,
    infinite: Natural,
    extent: Extent,
}

impl Atoms {
    fn new(atoms: Vec<Atom>, infinite: Natural, extent: Extent, bits: usize) -> Atoms {
        let one = Natural::ONE << bits;
        let mut sums = vec![Event::nothing()];
        for atom in &atoms {
            let last = &sums[sums.len() - 1];
            let mut event = Event { p: last.p.plus(&atom.p), q: last.q.plus(&atom.q) };
            event.p.high = event.p.high.min(one.clone());
            event.q.high = event.q.high.min(one.clone());
            sums.push(event);
        }
        Atoms { bits, losses: atoms.iter().map(|atom| atom.loss).collect(), sums, infinite, extent }
    }

    /// The numbers of first atoms among which {L > ln γ} is.
    fn candidates(&self, ratio: &Natural) -> std::ops::RangeInclusive<usize> {
        let (low, high) = fixed::doubles(ratio, self.bits);
        let ln_low = if low > 0.0 { directed::ln_down(low) } else { f64::NEG_INFINITY };
        let ln_high = directed::ln_up(high);
        // Surely above: loss.0 > ln_high. Surely not above: loss.1 ≤ ln_low.
        let first = self.losses.partition_point(|loss| loss.0 > ln_high);
        let last = self.losses.partition_point(|loss| loss.1 > ln_low);
        first..=last.max(first)
    }

    fn gain(&self, event: &Event, ratio: &Natural, up: bool) -> Integer {
        let (p, q) = match up {
            true => (&event.p.high, fixed::mul_down(ratio, &event.q.low, self.bits)),
            false => (&event.p.low, fixed::mul_up(ratio, &event.q.high, self.bits)),
        };
        Integer::from(p.clone()) - Integer::from(q)
    }
}

impl Curve for Atoms {
    fn upper(&self, ratio: &Natural) -> Natural {
        let best = self.candidates(ratio).map(|k| self.gain(&self.sums[k], ratio, true)).max();
        fixed::natural(best.unwrap_or(Integer::ZERO)).min(Natural::ONE << self.bits)
    }

    fn event(&self, ratio: &Natural) -> Event {
        let best = self.candidates(ratio).max_by_key(|k| self.gain(&self.sums[*k], ratio, false));
        best.map_or_else(Event::nothing, |k| self.sums[k].clone())
    }

    fn infinite(&self) -> Natural {
        self.infinite.clone()
    }

    fn extent(&self) -> Extent {
        self.extent.clone()
    }
}

/// Whether a look at the clock is due, and the time is over.
pub(crate) fn is_over(values: usize, deadline: Instant) -> bool {
    values % 256 == 255 && Instant::now() > deadline
}

fn about(x: &Rational) -> (f64, f64) {
    (directed::cast_down(x), directed::cast_up(x))
}

/// (ε, δ) for every event: with probability δ all is told, else an answer of a randomized response with loss ±ε.
pub(crate) fn pure(epsilon: &Rational, delta: &Rational, bits: usize) -> Atoms {
    let (low, high) = exp_bounds(&-epsilon.clone(), bits as u32 + 8);
    let small = FixedBounds::between(&low, &high, bits);
    let one = Natural::ONE << bits;
    // e^ε/(1 + e^ε) = 1/(1 + e^(−ε)), falling in e^(−ε).
    let share = |x: &Natural, up: bool| {
        let whole = &one + x;
        let n = &one << bits;
        if up { fixed::div_up(&n, &whole) } else { n / whole }
    };
    let large = FixedBounds { low: share(&small.high, false), high: share(&small.low, true) };
    let rest = large.complement(bits);
    let kept = FixedBounds::of(&(Rational::ONE - delta), bits);
    let (p, q) = (large.times(&kept, bits), rest.times(&kept, bits));
    let told = FixedBounds::of(delta, bits);
    let none = FixedBounds::exact(Natural::ZERO);
    let loss = about(epsilon);
    let mut atoms =
        vec![Atom { loss, p: p.clone(), q: q.clone() }, Atom { loss: (-loss.1, -loss.0), p: q, q: p }];
    if *delta > Rational::ZERO {
        let infinity = f64::INFINITY;
        atoms.insert(0, Atom { loss: (infinity, infinity), p: told.clone(), q: none.clone() });
        atoms.push(Atom { loss: (-infinity, -infinity), p: none, q: told.clone() });
    }
    let end = Real::exact(epsilon.clone());
    let grain = end.scaled(&Rational::from(2));
    let extent = Extent { ends: Some((end.negated(), end)), grain: Some(grain) };
    Atoms::new(atoms, told.low, extent, bits)
}

/// One of k categories, the true one with probability p > 1/k, any other with the same probability each.
pub(crate) fn response(k: &Natural, p: &Rational, bits: usize) -> Option<Atoms> {
    let others = Rational::from(k.clone() - Natural::ONE);
    let each = (Rational::ONE - p) / &others;
    let (low, high) = ln_bounds(&(p / &each), bits as u32 + 64)?;
    let loss = (directed::cast_down(&low), directed::cast_up(&high));
    let neither = (&others - Rational::ONE) * &each;
    let span = |x: &Rational| FixedBounds::of(x, bits);
    let mut atoms = vec![
        Atom { loss, p: span(p), q: span(&each) },
        Atom { loss: (-loss.1, -loss.0), p: span(&each), q: span(p) },
    ];
    let end = Real { low, high };
    let mut grain = end.scaled(&Rational::from(2));
    if neither > Rational::ZERO {
        atoms.insert(1, Atom { loss: (0.0, 0.0), p: span(&neither), q: span(&neither) });
        grain = end.clone();
    }
    let extent = Extent { ends: Some((end.negated(), end)), grain: Some(grain) };
    Some(Atoms::new(atoms, Natural::ZERO, extent, bits))
}

/// Integer noise with P(k) ∝ e^(−|k|/b) and integer sensitivity s: the loss is (|k − s| − |k|)/b, so s/b, (s − 2)/b, …, −s/b.
pub(crate) fn discrete_laplace(scale: &Rational, sensitivity: u64, bits: usize) -> Atoms {
    let guard = bits + 64;
    let bound = |x: &Rational| {
        let (low, high) = exp_bounds(&-x.clone(), guard as u32 + 8);
        FixedBounds::between(&low, &high, guard)
    };
    let one = Natural::ONE << guard;
    let step = Rational::ONE / scale;
    let r = bound(&step);
    // P(k ≤ 0) = 1/(1 + r) and P(k) = (1 − r)/(1 + r)·r^k for k ≥ 1, P(k ≥ s) = r^s/(1 + r).
    let over = |n: &FixedBounds| FixedBounds {
        low: (&n.low << guard) / (&one + &r.high),
        high: fixed::div_up(&(&n.high << guard), &(&one + &r.low)),
    };
    let trim = |x: FixedBounds| FixedBounds { low: x.low >> 64, high: fixed::shift_up(x.high, 64) };
    let mut power = FixedBounds::exact(one.clone());
    let mut powers = Vec::new();
    for _ in 0..=sensitivity {
        powers.push(power.clone());
        power = power.times(&r, guard);
    }
    let density = over(&r.complement(guard));
    let mass = |k: u64| match k {
        0 => over(&FixedBounds::exact(one.clone())),
        k if k == sensitivity => over(&powers[k as usize]),
        k => density.times(&powers[k as usize], guard),
    };
    let masses: Vec<FixedBounds> = (0..=sensitivity).map(|k| trim(mass(k))).collect();
    let atoms = (0..=sensitivity)
        .map(|k| {
            let loss = Rational::from(Integer::from(sensitivity) - Integer::from(2 * k)) * &step;
            let q = masses[(sensitivity - k) as usize].clone();
            Atom { loss: about(&loss), p: masses[k as usize].clone(), q }
        })
        .collect();
    let end = Real::exact(Rational::from(sensitivity) * &step);
    let grain = Some(Real::exact(Rational::from(2) * &step));
    let extent = Extent { ends: Some((end.negated(), end)), grain };
    Atoms::new(atoms, Natural::ZERO, extent, bits)
}

/// The weights w_k = e^(−k²/(2σ²)) from w_0 = 1 on, until one is less than 2^60 units of so many bits, and a bound of the sum of all that follow.
/// `None` where the time is over.
pub(crate) fn gaussian_weights(
    variance: &Rational,
    bits: usize,
    deadline: Instant,
) -> Option<(Vec<FixedBounds>, Natural)> {
    let half = Rational::ONE / (Rational::from(2) * variance);
    let (low, high) = exp_bounds(&-half, bits as u32 + 8);
    let g = FixedBounds::between(&low, &high, bits);
    let square = g.times(&g, bits);
    let one = Natural::ONE << bits;
    let mut weights = Vec::new();
    // w_{k+1} = w_k · g^(2k+1).
    let (mut last, mut ratio) = (FixedBounds::exact(one.clone()), g);
    while last.high > Natural::ONE << 60usize {
        if is_over(weights.len() + 1, deadline) {
            return None;
        }
        let next = last.times(&ratio, bits);
        weights.push(std::mem::replace(&mut last, next));
        ratio = ratio.times(&square, bits);
    }
    // Σ_{k ≥ reach} w_k ≤ w_reach/(1 − ratio), as the quotients of neighbours only fall from here.
    let rest = fixed::div_up(&(&last.high << bits), &(&one - &ratio.high));
    Some((weights, rest))
}

/// Integer noise with P(k) ∝ e^(−k²/(2σ²)) and integer sensitivity s: the loss at k is (s² − 2ks)/(2σ²).
/// `None` where the time is over: there may be very many values.
pub(crate) fn discrete_gaussian(
    variance: &Rational,
    sensitivity: u64,
    bits: usize,
    deadline: Instant,
) -> Option<Atoms> {
    let guard = bits + 64;
    let half = Rational::ONE / (Rational::from(2) * variance);
    let (weights, rest) = gaussian_weights(variance, guard, deadline)?;
    let reach = weights.len();
    let mut total = FixedBounds::exact(Natural::ZERO);
    for (k, weight) in weights.iter().enumerate() {
        total = total.plus(weight);
        if k > 0 {
            total = total.plus(weight);
        }
    }
    total.high += &rest << 1;
    let share = |w: &FixedBounds| FixedBounds {
        low: (&w.low << bits) / &total.high,
        high: fixed::div_up(&(&w.high << bits), &total.low),
    };
    let mut masses = Vec::with_capacity(reach);
    for weight in &weights {
        if is_over(masses.len(), deadline) {
            return None;
        }
        masses.push(share(weight));
    }
    let beyond =
        FixedBounds { low: Natural::ZERO, high: share(&FixedBounds { low: Natural::ZERO, high: rest }).high };
    let mass = |k: i64| masses.get(k.unsigned_abs() as usize).unwrap_or(&beyond).clone();
    let (s, reach) = (sensitivity as i64, reach as i64);
    let at = |k: i64| {
        Rational::from(Integer::from(s) * Integer::from(s) - Integer::from(2 * k) * Integer::from(s)) * &half
    };
    // All k ≤ −reach are one atom in front, all k ≥ reach + s one at the end.
    let (first, last) = (-reach, reach + s);
    let mut atoms = Vec::new();
    for k in first..=last {
        if is_over(atoms.len(), deadline) {
            return None;
        }
        let (low, high) = about(&at(k));
        let loss = match k {
            k if k == first => (low, f64::INFINITY),
            k if k == last => (f64::NEG_INFINITY, high),
            _ => (low, high),
        };
        atoms.push(Atom { loss, p: mass(k), q: mass(k - s) });
    }
    let grain = Some(Real::exact(Rational::from(2 * sensitivity) * &half));
    // The ends stand for the offset of the grid only; the losses go on beyond them.
    let offset = Real::exact(at(0));
    Some(Atoms::new(atoms, Natural::ZERO, Extent { ends: Some((offset.clone(), offset)), grain }, bits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Very many values are not listed when the time is over, at whatever stage.
    #[test]
    fn lists_are_given_up_in_time() {
        let variance = Rational::from(1_000_000);
        let later = || Instant::now() + Duration::from_secs(600);
        assert!(discrete_gaussian(&variance, 1, 176, Instant::now()).is_none());
        assert!(discrete_gaussian(&variance, 1, 176, later()).is_some());
        assert!(is_over(255, Instant::now()) && !is_over(254, Instant::now()) && !is_over(255, later()));
    }
}
