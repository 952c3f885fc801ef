//! Any composition, by laws on a lattice: one direction of the adjacency, one choice of lattice.

use std::f64::consts::LOG2_E;
use std::time::Instant;

use probity_exact::{Integer, Natural, Rational, exp_bounds, ln_bounds, rational_from_f64};

use crate::account::at_once;
use crate::fixed;
use crate::lattice::{Composed, Lattice, Limit, Step, Stop, Tilt, Tilted, discretise};
use crate::laws::{self, Curve, Extent, Real};
use crate::model::{Direction, Simple};
use crate::roots;
use crate::scout::{self, Aim, Guess, Sketch};

/// No lattice reaches as many points from 0: doubles still count them.
const FARTHEST: f64 = (1u64 << 52) as f64;

/// Bits that weights never have.
const LONGEST: f64 = 30_000.0;

/// One weight of a law is at most e to this of another one, and so much more as δ is smaller: long weights take long.
const HEAVIEST: f64 = 150.0;

/// The curve of a law in one direction; `None` where the time is over.
pub(crate) fn curve(
    law: &Simple,
    direction: Direction,
    bits: usize,
    deadline: Instant,
) -> Result<Option<Box<dyn Curve>>, String> {
    // Its logarithms alone would take longer than any deadline.
    if bits > MOST_BITS {
        return Ok(None);
    }
    let base = |law: &Simple| curve(law, direction, bits, deadline);
    // A curve that is made of one that is not known in time is not known either.
    macro_rules! known {
        ($base:expr) => {
            match $base {
                Some(base) => base,
                None => return Ok(None),
            }
        };
    }
    Ok(Some(match law {
        Simple::Normal(square) => {
            let (low, high) = roots::sqrt_doubles(square);
            if !(low > 1e-25 && high < 1e6) {
                return Err("the noise is too large or too small for the sensitivity: the ratio must lie between 1e-6 and 1e25".into());
            }
            Box::new(laws::Gaussian::new(low, high, bits))
        }
        Simple::Laplace(c) => Box::new(laws::Laplace::new(c.clone(), bits)),
        Simple::DiscreteLaplace(scale, s) => Box::new(laws::discrete_laplace(scale, *s, bits)),
        Simple::DiscreteGaussian(variance, s) => {
            Box::new(known!(laws::discrete_gaussian(variance, *s, bits, deadline)))
        }
        Simple::Response(k, p) => {
            Box::new(laws::response(k, p, bits).ok_or("a response with these probabilities has no loss")?)
        }
        Simple::Pure(epsilon, delta) => Box::new(laws::pure(epsilon, delta, bits)),
        Simple::Rho(rho) => Box::new(laws::Concentrated::new(rho.clone(), bits)),
        Simple::Poisson(q, law) => match direction {
            Direction::Add => Box::new(laws::Added::new(q, known!(base(law)?), bits)),
            _ => Box::new(laws::Removed::new(q, known!(base(law)?), bits)),
        },
        Simple::Replaced(q, near, far) => {
            let normal = match near.as_ref() {
                Simple::Normal(square) => {
                    let (low, high) = roots::sqrt_doubles(square);
                    Some(laws::Gaussian::new(low, high, bits))
                }
                _ => None,
            };
            Box::new(laws::Replaced::new(q, known!(base(near)?), known!(base(far)?), normal, bits))
        }
        Simple::Group(k, law) => Box::new(laws::Grouped::new(*k, known!(base(law)?), bits)),
    }))
}

/// δ at ε of one mechanism, from above, by its curve.
pub(crate) fn delta_of_one(law: &Simple, epsilon: &Rational, deadline: Instant) -> Result<Rational, String> {
    let bits = rounded(200);
    let ratio = exp_bounds(epsilon, bits as u32).0.to_rational().unwrap_or(Rational::ONE);
    // The curve falls: the ratio is rounded down.
    let ratio = fixed::natural(fixed::floor(&ratio, bits));
    let Some(curve) = curve(law, Direction::Replace, bits, deadline)? else { return Ok(Rational::ONE) };
    let delta = curve.upper(&ratio);
    Ok(Rational::from_parts(delta.into(), Natural::ONE << bits).min(Rational::ONE))
}

/// Copies of a law.
pub(crate) struct Part {
    law: Simple,
    n: u64,
    extent: Extent,
}

/// A composition in one direction, with a first look at it.
pub(crate) struct Scene {
    parts: Vec<Part>,
    direction: Direction,
    pub guess: Guess,
    aim: Aim,
    /// How many copies are discretised with an error.
    rough: f64,
    /// The smallest deviation of a part, to be resolved by the lattice.
    finest: f64,
}

/// A mass that needs more bits than this is not looked at.
const MOST_BITS: usize = 1 << 16;

/// Numbers of bits are a few, and fill words: with 16 guard bits, multiples of 64.
pub(crate) fn rounded(bits: usize) -> usize {
    ((bits + 16).next_multiple_of(64) - 16).max(176)
}

/// Two composed laws around the truth.
pub(crate) struct Around {
    pub above: Composed,
    pub below: Composed,
    /// How fine it was.
    pub step: f64,
    pub points: usize,
}

impl Scene {
    /// `None` where already a first look at so many laws takes too long.
    pub fn new(
        laws: &[(Simple, u64)],
        direction: Direction,
        aim: Aim,
        deadline: Instant,
    ) -> Result<Option<Scene>, String> {
        let mut parts = Vec::new();
        let mut sketches = Vec::new();
        let mut rough = 0.0;
        for (k, (law, n)) in laws.iter().enumerate() {
            if k % 64 == 63 && Instant::now() > deadline {
                return Ok(None);
            }
            let bits = match aim {
                Aim::LnDelta(ln_delta) => rounded(100 + (-ln_delta * 1.5) as usize),
                Aim::Epsilon(epsilon) => rounded(100 + (epsilon * 1.5).min(4000.0) as usize),
            };
            let Some(curve) = curve(law, direction, bits, deadline)? else { return Ok(None) };
            let extent = curve.extent();
            let Some(sketch) = Sketch::of(curve.as_ref(), bits, deadline) else { return Ok(None) };
            if extent.grain.is_none() {
                rough += *n as f64;
            }
            parts.push(Part { law: law.clone(), n: *n, extent });
            sketches.push((sketch, *n));
        }
        let mut guess = scout::guess(&sketches, aim);
        // What is resolved is the law as it is, not as it is weighed: near the largest loss the weighed one is a point.
        let spread = |sketch: &Sketch| sketch.cumulants(0.0).2;
        let whole = sketches.iter().map(|(sketch, n)| *n as f64 * spread(sketch)).sum::<f64>().sqrt();
        guess.deviation = guess.deviation.max(whole / 64.0);
        // More weight than this only loses precision: near the largest loss the best θ is infinite.
        guess.theta = guess.theta.min(3.0 * (20.0 - guess.ln_delta) / whole.max(1e-9)).max(1e-3);
        let top = |part: &Part| part.extent.ends.as_ref().map_or(0.0, |(_, top)| top.near());
        let top = parts.iter().map(top).fold(1e-300, f64::max);
        guess.theta = guess.theta.min((HEAVIEST - 2.0 * guess.ln_delta.max(-700.0)) / top);
        let finest = sketches.iter().map(|(sketch, _)| spread(sketch).sqrt()).fold(f64::MAX, f64::min);
        let finest = finest.max(whole / 5000.0);
        Ok(Some(Scene { parts, direction, guess, aim, rough, finest }))
    }

    /// The largest loss of the composition, where there is one.
    pub fn largest(&self) -> Option<Rational> {
        let mut sum = Rational::ZERO;
        for part in &self.parts {
            sum += self.largest_of(part)? * Rational::from(part.n);
        }
        Some(sum)
    }

    fn largest_of(&self, part: &Part) -> Option<Rational> {
        let told = |law: &Simple| matches!(law, Simple::Pure(_, delta) if !delta.is_zero());
        let by_law = match &part.law {
            law if told(law) || self.endless(part) => None,
            Simple::Poisson(_, law) if told(law) => None,
            _ => part.extent.ends.as_ref().map(|(_, top)| top.high.clone()),
        };
        // Where the record is only with the second law, that is at least 1 − q times the first, whatever is run on the sample.
        let by_rate = match (&part.law, self.direction) {
            (Simple::Poisson(q, _), Direction::Add) if *q < Rational::ONE => {
                ln_bounds(&(Rational::ONE - q), 160).map(|(low, _)| -low)
            }
            _ => None,
        };
        match (by_law, by_rate) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// A lattice step that should give the relative width.
    pub fn step_for(&self, width: f64) -> f64 {
        let Guess { theta, epsilon, deviation, .. } = self.guess;
        let allowed = match self.aim {
            Aim::LnDelta(_) => width * epsilon.max(1e-9),
            Aim::Epsilon(_) => width / theta,
        };
        // The two laws differ in ε by about n·(θ + 1)·h²/8.
        let wanted = (8.0 * allowed / (self.rough.max(1.0) * (theta + 1.0))).sqrt();
        let coarsest = (deviation / 16.0).max(1e-12);
        wanted.min(coarsest).min(self.finest.max(1e-12))
    }

    /// The step that is used: it divides what the losses of the laws ask for, as far as they agree.
    fn aligned(&self, wanted: f64) -> Real {
        let mut wishes: Vec<(Real, f64)> = Vec::new();
        for part in &self.parts {
            let wish = match (&part.extent.grain, &part.extent.ends) {
                (Some(grain), _) => Some(grain.clone()),
                (None, Some((bottom, top))) => Some(top.minus(bottom)),
                _ => None,
            };
            if let Some(wish) = wish.filter(|wish| wish.low > Rational::ZERO) {
                let weight = part.n as f64 * wish.near() * wish.near();
                wishes.push((wish, weight));
            }
        }
        let plain = || Real::exact(rational_from_f64(wanted).unwrap_or(Rational::ONE));
        let dividing = |wish: &Real| {
            let wanted = rational_from_f64(wanted).unwrap_or(Rational::ONE);
            let m = (&wish.low / wanted).ceil().max(Integer::ONE);
            wish.scaled(&(Rational::ONE / Rational::from(m)))
        };
        if wishes.is_empty() {
            return plain();
        }
        if self.rough == 0.0 {
            // Every loss lies on a grid: where the grids agree nothing is lost, and no finer step is needed.
            if let Some(common) = common(&wishes)
                && common.near() * 30_000_000.0 > self.guess.deviation * 20.0
            {
                return common;
            }
        }
        if let Some(common) = common(&wishes)
            && common.near() * 8.0 > wanted
        {
            return dividing(&common);
        }
        // Losses that are far smaller than a step are lost in it: a lattice that met them would be too long for the others.
        let seen = wishes.iter().filter(|(wish, _)| wish.near() * 16.0 >= wanted);
        let heaviest = seen.max_by(|a, b| a.1.total_cmp(&b.1));
        heaviest.map_or_else(plain, |(wish, _)| dividing(wish))
    }

    /// The composed laws on a lattice of about this step.
    pub fn compose(&self, wanted: f64, limit: &Limit) -> Result<Around, Stop> {
        let step = self.aligned(wanted);
        let h = step.near();
        let Guess { theta, ln_delta, .. } = self.guess;
        let copies: f64 = self.parts.iter().map(|part| part.n as f64).sum();
        let far = ln_delta - scout::ln(copies) - 20.0;
        let tilt = Tilt { theta: rational_from_f64(theta).ok_or(Stop::Size)?, step: step.clone() };
        let mut above = Side::new(true);
        let mut below = Side::new(false);
        for part in &self.parts {
            if Instant::now() > limit.deadline {
                return Err(Stop::Time);
            }
            let (bits, lattice) = self.lattice(part, &step, h, far, limit.deadline)?;
            if (lattice.hi - lattice.lo) as usize > limit.points {
                return Err(Stop::Size);
            }
            let curve = curve(&part.law, self.direction, bits, limit.deadline).map_err(|_| Stop::Size)?;
            let curve = curve.ok_or(Stop::Time)?;
            let late = || match Instant::now() > limit.deadline {
                true => Stop::Time,
                false => Stop::Size,
            };
            let found = discretise(curve.as_ref(), &lattice, bits, limit.deadline).ok_or_else(late)?;
            let (up, down) = at_once(
                || above.add(&found, &lattice.offset, part.n, &tilt, limit),
                || below.add(&found, &lattice.offset, part.n, &tilt, limit),
            )
            .map_err(|_| Stop::Size)?;
            up.and(down)?;
        }
        let points = above.points();
        let (above, below) = (above.finish(&tilt)?, below.finish(&tilt)?);
        Ok(Around { above, below, step: h, points })
    }

    /// The lattice of one part: its offset by the losses it must meet, its ends by its tails.
    fn lattice(
        &self,
        part: &Part,
        step: &Real,
        h: f64,
        far: f64,
        deadline: Instant,
    ) -> Result<(usize, Lattice), Stop> {
        let theta = self.guess.theta;
        let first_bits = rounded(60 + (-far * LOG2_E).min(1e9) as usize);
        let rough = curve(&part.law, self.direction, first_bits, deadline).map_err(|_| Stop::Size)?;
        let rough = rough.ok_or(Stop::Time)?;
        let tiny = Rational::from_parts(Integer::ONE, Natural::ONE << 110usize);
        let offset = match &part.extent.ends {
            None => Real::exact(Rational::ZERO),
            Some((_, top)) => {
                let whole = rational_from_f64((top.near() / h).round()).unwrap_or(Rational::ZERO);
                let mut offset = top.minus(&step.scaled(&whole.clone().max(Rational::ZERO)));
                if whole < Rational::ZERO {
                    offset = top.plus(&step.scaled(&-whole));
                }
                offset.minus(&Real::exact(tiny))
            }
        };
        // The largest loss that matters, by doubling and halving on upper bounds; the smallest on events.
        let fades = |x: f64| {
            scout::ln(fixed::doubles(&rough.upper(&scout::ratio(x, first_bits)), first_bits).1) < far
        };
        let floor = -25.0 - scout::ln(part.n as f64);
        let begins = |x: f64| {
            let event = rough.event(&scout::ratio(x, first_bits));
            let missed = event.p.complement(first_bits).high;
            scout::ln(fixed::doubles(&missed, first_bits).1) < floor
        };
        let infinite = rough.infinite() > Natural::ZERO;
        let reach = |done: &dyn Fn(f64) -> bool, sign: f64| {
            let mut high = 1e-6;
            while !done(sign * high) && high < 800.0 {
                high *= 2.0;
            }
            let mut low = high / 2.0;
            for _ in 0..6 {
                let middle = (low + high) / 2.0;
                if done(sign * middle) { high = middle } else { low = middle }
            }
            high
        };
        let (right, left) =
            match (&part.extent.ends, infinite || part.extent.grain.is_some() && !self.endless(part)) {
                (Some((bottom, top)), true) => (top.near(), -bottom.near()),
                (Some((bottom, top)), false) if !self.endless(part) => (top.near(), -bottom.near()),
                _ => (reach(&fades, 1.0), reach(&begins, -1.0)),
            };
        let o = offset.near();
        let (lo, hi) = (((-left - o) / h).floor(), ((right - o) / h).ceil());
        let weights = (theta * right.max(0.0) + left.max(0.0)) * LOG2_E;
        // More points, or longer weights, than any limit allows; and what is no number at all.
        if !(lo.abs() < FARTHEST && hi.abs() < FARTHEST && weights < LONGEST) {
            return Err(Stop::Size);
        }
        let lattice = Lattice { lo: lo as i64 - 2, hi: hi as i64 + 2, offset, step: step.clone() };
        let weighed = (theta * right.max(0.0) * LOG2_E) as usize;
        let fine = (-scout::ln(h) * LOG2_E).max(0.0) as usize;
        let need =
            (130 + weighed + fine).max(80 + (-far * LOG2_E) as usize) + (left.max(0.0) * LOG2_E) as usize;
        Ok((rounded(need), lattice))
    }

    /// Whether the ends of a law are no ends.
    fn endless(&self, part: &Part) -> bool {
        match &part.law {
            Simple::DiscreteGaussian(..)
            | Simple::Normal(_)
            | Simple::Rho(_)
            | Simple::Group(..)
            | Simple::Replaced(..) => true,
            Simple::Poisson(_, law) => {
                matches!(law.as_ref(), Simple::DiscreteGaussian(..) | Simple::Normal(_) | Simple::Rho(_))
            }
            _ => false,
        }
    }
}

/// The greatest common divisor of what the laws ask for, where it is known.
fn common(wishes: &[(Real, f64)]) -> Option<Real> {
    let first = &wishes[0].0;
    if wishes.iter().all(|(wish, _)| wish == first) {
        return Some(first.clone());
    }
    if wishes.iter().any(|(wish, _)| wish.low != wish.high) {
        return None;
    }
    // gcd(a/b, c/d) = gcd(ad, cb)/(bd).
    let mut result = first.low.clone();
    for (wish, _) in &wishes[1..] {
        let (mut a, mut b) = (result, wish.low.clone());
        while b > Rational::ZERO {
            let rest = &a - &b * Rational::from((&a / &b).floor());
            (a, b) = (b, rest);
        }
        result = a;
    }
    Some(Real::exact(result))
}

/// One of the two laws while it grows.
pub(crate) struct Side {
    up: bool,
    /// Nothing yet, or the composition so far.
    law: Option<Tilted>,
    kappa: Rational,
    offset: Real,
    /// Σ n·ln(1 − m) over masses m at infinity, bounded so that 1 − e^… is bounded on the side of the law.
    ln_kept: Rational,
}

impl Side {
    pub fn new(up: bool) -> Side {
        let offset = Real::exact(Rational::ZERO);
        Side { up, law: None, kappa: Rational::ZERO, offset, ln_kept: Rational::ZERO }
    }

    /// Points of the composition so far.
    pub fn points(&self) -> usize {
        self.law.as_ref().map_or(0, |law| law.weights.len())
    }

    pub fn add(
        &mut self,
        step: &Step,
        offset: &Real,
        n: u64,
        tilt: &Tilt,
        limit: &Limit,
    ) -> Result<(), Stop> {
        let law = if self.up { &step.above } else { &step.below };
        let copies = Rational::from(n);
        let (weighed, kappa) = tilt.weigh(law, step.bits, self.up, limit.deadline)?;
        let power = weighed.power(n, limit)?;
        self.law = Some(match &self.law {
            None => power,
            Some(law) => law.and(&power, limit)?,
        });
        self.kappa += kappa * &copies;
        let mut moved = offset.scaled(&copies);
        if !self.up {
            moved = moved.minus(&Real::exact(&step.slack * &copies));
        }
        self.offset = self.offset.plus(&moved);
        let infinite = fixed::value(&law.infinite, step.bits);
        if infinite > Rational::ZERO {
            let kept = ln_bounds(&(Rational::ONE - infinite), 160).ok_or(Stop::Size)?;
            self.ln_kept += if self.up { kept.0 } else { kept.1 } * copies;
        }
        Ok(())
    }

    pub fn finish(self, tilt: &Tilt) -> Result<Composed, Stop> {
        let bounds = probity_exact::exp_bounds(&self.ln_kept, 200);
        let kept = if self.up { bounds.0 } else { bounds.1 }.to_rational().ok_or(Stop::Size)?;
        let infinite = Rational::ONE - kept;
        let law = self.law.ok_or(Stop::Size)?;
        Ok(Composed { law, tilt: tilt.clone(), kappa: self.kappa, offset: self.offset, infinite })
    }
}
