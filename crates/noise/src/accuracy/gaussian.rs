//! How likely discrete Gaussian noise is far from 0: by its own masses for a small deviation, by the normal law for a large one.

use probity_exact::{Integer, Natural, Rational, UnsignedAbs, exp_bounds, normal_tail_bounds};

/// Variances up to this size are summed up mass by mass.
const SMALL: u64 = 24 * 24;

/// Bits of enclosures.
const BITS: u32 = 60;

/// Fractional bits of masses.
const FIXED: usize = 192;

/// A bound of P(|Z| > a) for discrete Gaussian noise with σ² > 0, for any a.
///
/// For σ ≤ 24 it is the probability itself, up to 2^−50: the masses up to 14 deviations, and beyond k what 2·e^(−(k+1)²/(2σ²))
/// bounds. For a larger σ it is P(|N| ≥ a) of the normal N with this σ (Canonne, Kamath and Steinke 2020, Proposition 25: P(Z ≥ a + 1)
/// ≤ P(N ≥ a)), which belongs to an a that is at most 1 more than the least.
pub(super) enum Tail<'a> {
    Small(&'a Rational, Sums),
    Large(&'a Rational),
}

impl<'a> Tail<'a> {
    /// `None` if it cannot be computed.
    pub(super) fn new(squared_scale: &'a Rational) -> Option<Self> {
        match *squared_scale <= Rational::from(SMALL) {
            true => Some(Tail::Small(squared_scale, Sums::new(squared_scale)?)),
            false => Some(Tail::Large(squared_scale)),
        }
    }

    /// The bound for a; `None` if it cannot be computed. It falls with a.
    pub(super) fn beyond(&self, error: &Natural) -> Option<Rational> {
        match self {
            Tail::Small(squared_scale, sums) => sums.beyond(squared_scale, error),
            Tail::Large(squared_scale) => {
                // a/σ rounded down: the tail is rounded up.
                let square =
                    Rational::from(error.pow(2)) / *squared_scale * Rational::from(Natural::ONE << 128);
                let root = Integer::from(square.floor().unsigned_abs().nth_root(2));
                let (_, high) = normal_tail_bounds(&Rational::from_parts(root, Natural::ONE << 64), BITS);
                Some(high.to_rational()? * Rational::from(2u8))
            }
        }
    }
}

/// The masses e^(−k²/(2σ²)) at k = 0, 1, 2, … from one side, with [`FIXED`] fractional bits: each is the one before times a factor,
/// which shrinks by another factor.
struct Masses {
    up: bool,
    mass: Natural,
    factor: Natural,
    shrink: Natural,
}

impl Masses {
    fn new(squared_scale: &Rational, up: bool) -> Option<Masses> {
        let fixed = |exponent: Rational| {
            // What is smaller than e^−10^4 is 0 here, or one unit.
            let exponent = exponent.max(Rational::from(-10_000));
            let (low, high) = exp_bounds(&exponent, FIXED as u32);
            let scaled = (if up { high } else { low }).to_rational()? * Rational::from(Natural::ONE << FIXED);
            Some((if up { scaled.ceil() } else { scaled.floor() }).unsigned_abs())
        };
        let one = Rational::ONE / squared_scale;
        let factor = fixed(-(&one / Rational::from(2u8)))?;
        Some(Masses { up, mass: Natural::ONE << FIXED, factor, shrink: fixed(-one)? })
    }

    fn times(&self, a: &Natural, b: &Natural) -> Natural {
        let product = (a * b) >> FIXED;
        if self.up { product + Natural::ONE } else { product }
    }

    /// The mass at hand, and on to the next.
    fn next(&mut self) -> Natural {
        let next = self.times(&self.mass, &self.factor);
        self.factor = self.times(&self.factor, &self.shrink);
        std::mem::replace(&mut self.mass, next)
    }
}

/// Sums of masses on both sides of 0, up to 14 deviations.
pub(super) struct Sums {
    /// All of them, at least.
    all: Natural,
    /// Those beyond k, at most, for every k from 0 to the last.
    outside: Vec<Natural>,
}

impl Sums {
    fn new(squared_scale: &Rational) -> Option<Sums> {
        let deviation = squared_scale.ceil().unsigned_abs().nth_root(2) + Natural::ONE;
        let last = usize::try_from(&(deviation * Natural::from(14u8))).ok()?;
        let (mut low, mut high) = (Masses::new(squared_scale, false)?, Masses::new(squared_scale, true)?);
        low.next();
        high.next();
        // Each stands for two, but for the one at 0.
        let all = (0..last).fold(Natural::ONE << FIXED, |sum, _| sum + (low.next() << 1));
        let mut outside: Vec<Natural> = (0..last).map(|_| high.next() << 1).collect();
        outside.push(Natural::ZERO);
        for k in (0..last).rev() {
            let farther = outside[k + 1].clone();
            outside[k] += farther;
        }
        Some(Sums { all, outside })
    }

    fn beyond(&self, squared_scale: &Rational, error: &Natural) -> Option<Rational> {
        // Beyond the last, and beyond a if that is farther out; e^−10^6 is as good as 0.
        let beyond = error.clone().max(Natural::from(self.outside.len() - 1)) + Natural::ONE;
        let exponent = Rational::from(beyond.pow(2)) / (squared_scale * Rational::from(2u8));
        let (_, far) = exp_bounds(&-exponent.min(Rational::from(1_000_000u32)), BITS);
        let far = far.to_rational()? * Rational::from(2u8);
        let outside = usize::try_from(error).ok().and_then(|k| self.outside.get(k));
        let near = outside
            .map_or(Rational::ZERO, |sum| Rational::from_parts(Integer::from(sum.clone()), self.all.clone()));
        Some(near + far)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::directed::{cast_nearest, exp_nearest};
    use probity_exact::rational;

    /// The law itself, summed in doubles.
    fn summed(squared: f64, error: i32) -> f64 {
        let mass = |k: i32| exp_nearest(-f64::from(k) * f64::from(k) / (2.0 * squared));
        let total: f64 = (-4000..=4000).map(mass).sum();
        (error + 1..=4000).map(|k| 2.0 * mass(k)).sum::<f64>() / total
    }

    /// Masses from below and from above are on their sides, as many more bits show.
    #[test]
    fn masses_are_rounded_outward() {
        for squared in [rational(1, 5).unwrap(), rational(7, 3).unwrap(), rational(100, 1).unwrap()] {
            let (mut low, mut high) =
                (Masses::new(&squared, false).unwrap(), Masses::new(&squared, true).unwrap());
            for k in 0..30u64 {
                let exponent = -(Rational::from(k * k) / (&squared * Rational::from(2u8)));
                let (down, up) = exp_bounds(&exponent, 600);
                let scaled = |mass: Natural| Rational::from_parts(Integer::from(mass), Natural::ONE << FIXED);
                let (below, above) = (scaled(low.next()), scaled(high.next()));
                let (down, up) = (down.to_rational().unwrap(), up.to_rational().unwrap());
                assert!(below <= down && up <= above, "{squared} {k}");
                assert!(k == 0 || below < above);
            }
        }
    }

    #[test]
    fn the_tail_is_that_of_the_law() {
        for (numerator, denominator) in
            [(1, i32::MAX), (1, 50), (1, 5), (1, 1), (100, 1), (576, 1), (577, 1), (10_000, 1)]
        {
            let squared = f64::from(numerator) / f64::from(denominator);
            let exact = rational(numerator, denominator).unwrap();
            let mut before = Rational::from(2u8);
            for error in [0i32, 1, 2, 5, 19, 20, 60, 150, 400] {
                let bound = Tail::new(&exact).unwrap().beyond(&error.unsigned_abs().into()).unwrap();
                assert!(bound <= before);
                let (found, truth) = (cast_nearest(&bound), summed(squared, error));
                assert!(found >= truth * (1.0 - 1e-12), "{squared} {error}: {found} {truth}");
                // Near: the law's own up to 14 deviations, else that of an error which is one less.
                let near = if squared <= 576.0 { truth } else { summed(squared, (error - 1).max(-1)) };
                let far_out = f64::from(error) > 9.0 * squared.sqrt();
                assert!(
                    far_out || found <= near.max(1e-40) * (1.0 + 1e-9),
                    "{squared} {error}: {found} {near}"
                );
                before = bound;
            }
        }
    }
}
