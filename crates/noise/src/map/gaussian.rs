//! (ε, δ) of Gaussian noise by its exact formula, enclosed.
//!
//! *Continuous* noise N(0, σ²) at distance d: δ(ε) = Φ(d/2σ − εσ/d) − e^ε·Φ(−d/2σ − εσ/d) (Balle and Wang 2018).
//!
//! *Discrete* noise at a whole distance d: with T(s) = P(Z ≥ s), δ(ε) = max over whole s of T(s−d) − e^ε·T(s), since the likelihood ratio
//! rises, so that some half-line tells most. Hence δ(ε) ≤ δ iff ε ≥ ln((T(s−d) − δ)/T(s)) for every s with T(s−d) > δ, and the
//! least such ε is the largest of these logarithms, or 0. Proofs: `docs/proofs/discrete-gaussian.md`.
//!
//! Both fall in ε and rise in d. Every number here is a pair of bounds; what is too wide to be of use is `None`, and the
//! caller asks again with more bits.

use probity_exact::{
    BitTest, Float, Integer, Natural, Rational, UnsignedAbs, exp_bounds, ln_bounds, normal_cdf_bounds,
};

/// Lower and upper.
pub(super) type Bounds = (Rational, Rational);

/// The most terms of a sum over the integers; larger σ are left to the conversion from ρ. With 96 bits this is σ = 2500.
const MAX_TERMS: usize = 1 << 15;

/// The most bits of a term: noise that is tiny beside the distance is left to the conversion from ρ too.
const MAX_BITS: usize = 1 << 15;

/// Noise with one σ² > 0 between two inputs at one distance > 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gaussian<'v> {
    pub(super) squared_scale: &'v Rational,
    pub(super) distance: &'v Rational,
}

impl Gaussian<'_> {
    /// δ(ε) of continuous noise, for ε ≥ 0.
    pub(super) fn continuous_delta(&self, epsilon: &Rational, bits: u32) -> Option<Bounds> {
        let sigma = root(self.squared_scale, bits + 16)?;
        Some(self.continuous_between(&sigma, &power(epsilon, bits)?, epsilon, bits))
    }

    /// The same from bounds of σ and of e^ε.
    fn continuous_between(&self, sigma: &Bounds, power: &Bounds, epsilon: &Rational, bits: u32) -> Bounds {
        let half = self.distance / Rational::from(2u8);
        // z = ±d/2σ − εσ/d, with σ between its bounds.
        let far = (epsilon * &sigma.0 / self.distance, epsilon * &sigma.1 / self.distance);
        let near = (&half / &sigma.1, &half / &sigma.0);
        let first = (&near.0 - &far.1, &near.1 - &far.0);
        let second = (-&near.1 - &far.1, -&near.0 - &far.0);
        let phi = |z: &Bounds| {
            let low = probability(&normal_cdf_bounds(&z.0, bits).0, false);
            (low, probability(&normal_cdf_bounds(&z.1, bits).1, true))
        };
        excess(&phi(&first), power, &phi(&second))
    }

    /// The least ε ≥ 0 with δ(ε) ≤ δ, of continuous noise, for 0 < δ < 1.
    pub(super) fn continuous_epsilon(&self, delta: &Rational, bits: u32) -> Option<Bounds> {
        // δ(ε) falls. `high` is an ε that is surely enough, `low` one that is surely not, or 0.
        let enough = |epsilon: &Rational| -> Option<Option<bool>> {
            let (low, high) = self.continuous_delta(epsilon, bits + 32)?;
            Some(if high <= *delta { Some(true) } else { (low > *delta).then_some(false) })
        };
        if enough(&Rational::ZERO)? == Some(true) {
            return Some((Rational::ZERO, Rational::ZERO));
        }
        let two = Rational::from(2u8);
        let (mut low, mut high) = (Rational::ZERO, Rational::ONE);
        let mut doublings = 0;
        while enough(&high)? != Some(true) {
            if enough(&high)? == Some(false) {
                low = high.clone();
            }
            high *= &two;
            doublings += 1;
            // ε of 2^40 and more has no use, and its exponentials no end.
            if doublings > 40 {
                return None;
            }
        }
        let narrow = Rational::from_parts(Integer::ONE, Natural::ONE << bits as usize);
        while &high - &low > &high * &narrow {
            let middle = (&low + &high) / &two;
            match enough(&middle)? {
                Some(true) => high = middle,
                Some(false) => low = middle,
                None => break,
            }
        }
        Some((low, high))
    }

    /// δ(ε) of discrete noise at the whole distance, for ε ≥ 0.
    pub(super) fn discrete_delta(&self, epsilon: &Rational, bits: u32) -> Option<Bounds> {
        // The half-line that tells most begins at the first s > εσ²/d + d/2.
        let edge = epsilon * self.squared_scale / self.distance + self.distance / Rational::from(2u8);
        let s = i64::try_from(edge.floor()).ok()?.checked_add(1)?;
        let d = i64::try_from(self.distance.floor()).ok()?;
        let tails = Tails::new(self.squared_scale, s.checked_add(1)?, bits)?;
        let (first, second) = (tails.at(s - d), tails.at(s));
        Some(excess(&first, &power(epsilon, bits + 8)?, &second))
    }

    /// The least ε ≥ 0 with δ(ε) ≤ δ, of discrete noise at the whole distance, for 0 < δ < 1.
    pub(super) fn discrete_epsilon(&self, delta: &Rational, bits: u32) -> Option<Bounds> {
        let d = i64::try_from(self.distance.floor()).ok()?;
        // From the first s with T(s−d) ≤ δ on, no s asks for anything. T(s) ≤ e^(−s²/2σ²) finds one.
        let (ln_low, _) = ln_bounds(delta, 16)?;
        let reach = root(&(self.squared_scale * Rational::from(2u8) * -ln_low), 16)?.1.ceil();
        let last = i64::try_from(reach).ok()?.checked_add(d)?.checked_add(1)?;
        let tails = Tails::new(self.squared_scale, last.checked_add(1)?, bits + 2)?;
        // The largest (T(s−d) − δ)/T(s), as bounds: it is at least every lower bound, and at most the largest upper one. All in units of
        // the sums, with fixed-point quotients: fractions in lowest terms would take most of the time.
        let allowed = share(delta, &tails.total);
        let w = bits as usize + 64;
        let (mut least, mut most) = (Natural::ONE << w, Natural::ONE << w);
        for s in -last..=last {
            let (first, second) = (tails.units(s - d), tails.units(s));
            if first.1 <= allowed.0 {
                continue;
            }
            // A tail that the precision does not tell from 0.
            if second.0.is_zero() {
                return None;
            }
            if first.0 > allowed.1 {
                least = least.max(((first.0 - &allowed.1) << w) / second.1);
            }
            most = most.max(((first.1 - &allowed.0) << w) / second.0 + Natural::ONE);
        }
        let quotient = |n: Natural| Rational::from_parts(Integer::from(n), Natural::ONE << w);
        let (least, most) = (quotient(least), quotient(most));
        let lower = if least > Rational::ONE { ln_bounds(&least, bits)?.0 } else { Rational::ZERO };
        let upper = if most > Rational::ONE { ln_bounds(&most, bits)?.1 } else { Rational::ZERO };
        Some((lower, upper))
    }
}

/// p − e^ε·q, which is a δ, for bounds of all three.
fn excess(first: &Bounds, power: &Bounds, second: &Bounds) -> Bounds {
    let (lower, upper) = (&first.0 - &power.1 * &second.1, &first.1 - &power.0 * &second.0);
    (lower.max(Rational::ZERO), upper.max(Rational::ZERO).min(Rational::ONE))
}

/// Bounds of the sum over all integers, from those of the sums from each integer on: 0, and twice those from 1 on.
fn of_all(sums: &[(Natural, Natural)]) -> (Natural, Natural) {
    let none = (Natural::ZERO, Natural::ONE);
    let (zero, one) = (sums.first().unwrap_or(&none), sums.get(1).unwrap_or(&none));
    (&zero.0 + &one.0, &zero.1 + &one.1)
}

/// Bounds of δ·total, in its units.
fn share(delta: &Rational, total: &(Natural, Natural)) -> (Natural, Natural) {
    let mass = |total: &Natural| delta * Rational::from(total.clone());
    (mass(&total.0).floor().unsigned_abs(), mass(&total.1).ceil().unsigned_abs())
}

/// T(s) = P(Z ≥ s) of discrete noise, for |s| up to a limit.
struct Tails {
    /// Σ_{x ≥ s} e^(−x²/2σ²) for s from 0, in units of 2^−w, as bounds.
    sums: Vec<(Natural, Natural)>,
    /// Σ over all integers, likewise.
    total: (Natural, Natural),
}

impl Tails {
    /// For s up to `limit`; `None` when that takes too many terms.
    fn new(squared_scale: &Rational, limit: i64, bits: u32) -> Option<Tails> {
        let limit = usize::try_from(limit.max(1)).ok()?;
        // At the limit a mass is e^(−limit²/2σ²), and it should still have all its bits.
        let square = Rational::from(limit) * Rational::from(limit) / (squared_scale * Rational::from(2u8));
        let lost = usize::try_from(square.ceil().unsigned_abs()).ok()?.checked_mul(3)? / 2;
        let w = (bits as usize).checked_add(lost)?.checked_add(64)?;
        if w > MAX_BITS {
            return None;
        }
        // Beyond this many terms a mass is below one unit: x²/2σ² > w·ln 2.
        let span = squared_scale * Rational::from(2 * w);
        let count = usize::try_from(root(&span, 16)?.1.ceil().unsigned_abs()).ok()?.max(limit) + 2;
        if count > MAX_TERMS {
            return None;
        }
        let inverse = Rational::ONE / squared_scale;
        let (half, whole) = (fixed_exp(&(&inverse / Rational::from(2u8)), w)?, fixed_exp(&inverse, w)?);
        let side = |up: bool| -> Vec<Natural> {
            let cut = |n: Natural| if up { (n >> w) + Natural::ONE } else { n >> w };
            let pick = |bounds: &(Natural, Natural)| if up { bounds.1.clone() } else { bounds.0.clone() };
            // e^(−(x+1)²/2σ²) = e^(−x²/2σ²)·r with r = e^(−(2x+1)/2σ²), and r falls by the factor e^(−1/σ²).
            let (mut mass, mut ratio, step) = (Natural::ONE << w, pick(&half), pick(&whole));
            let mut masses = Vec::with_capacity(count);
            for _ in 0..count {
                masses.push(mass.clone());
                mass = cut(mass * &ratio);
                ratio = cut(ratio * &step);
            }
            masses
        };
        let suffix = |masses: Vec<Natural>, rest: Natural| -> Vec<Natural> {
            let mut sums = masses;
            let mut sum = rest;
            for value in sums.iter_mut().rev() {
                sum += &*value;
                *value = sum.clone();
            }
            sums
        };
        // What lies beyond the last term: x ≥ count > √(2w)·σ. There a mass is at most e^(−w) < 2^−w, one unit, and each next one at most
        // e^(−(2·count+1)/2σ²) of the one before; the geometric series is at most 1/(1 − that ratio) ≤ 1 + 2σ²/(2·count+1) units.
        let ratio_bound = Rational::ONE + squared_scale * Rational::from(2u8) / Rational::from(2 * count + 1);
        let rest = ratio_bound.ceil().unsigned_abs() + Natural::ONE;
        let lower = suffix(side(false), Natural::ZERO);
        let upper = suffix(side(true), rest);
        let sums: Vec<_> = lower.into_iter().zip(upper).collect();
        let total = of_all(&sums);
        Some(Tails { sums, total })
    }

    /// Bounds of T(s)·total.
    fn units(&self, s: i64) -> (Natural, Natural) {
        if s <= 0 {
            // T(s) = 1 − T(1 − s).
            let (low, high) = self.units(1 - s);
            let least = if high < self.total.0 { &self.total.0 - high } else { Natural::ZERO };
            return (least, &self.total.1 - low);
        }
        match self.sums.get(s as usize) {
            Some(sums) => sums.clone(),
            // Further out than all that is held: between 0 and the last one.
            None => (Natural::ZERO, self.sums.last().map_or(Natural::ONE, |sums| sums.1.clone())),
        }
    }

    /// Bounds of T(s).
    fn at(&self, s: i64) -> Bounds {
        if s <= 0 {
            let (low, high) = self.at(1 - s);
            return (Rational::ONE - high, Rational::ONE - low);
        }
        let (low, high) = self.units(s);
        let quotient = |n: Natural, d: &Natural| Rational::from_parts(Integer::from(n), d.clone());
        (quotient(low, &self.total.1), quotient(high, &self.total.0))
    }
}

/// e^−x with w fractional bits, for x ≥ 0, as bounds.
fn fixed_exp(x: &Rational, w: usize) -> Option<(Natural, Natural)> {
    let (low, high) = exp_bounds(&-x, u32::try_from(w).ok()? + 8);
    let unit = Rational::from(Natural::ONE << w);
    let low = (rational(&low)? * &unit).floor().unsigned_abs();
    let high = (rational(&high)? * unit).ceil().unsigned_abs();
    Some((low, high))
}

/// √x for x ≥ 0, as bounds that are about 2^−bits apart relative to it.
fn root(x: &Rational, bits: u32) -> Option<Bounds> {
    use dashu_base::SquareRoot;
    // ⌊√⌊x·4^k⌋⌋ ≤ √x·2^k < that + 1.
    let size = x.denominator().bit_len().saturating_sub(x.numerator().bit_len());
    let k = bits as usize + size / 2 + 1;
    let scaled = (x * Rational::from(Natural::ONE << (2 * k))).floor().unsigned_abs();
    let root = scaled.sqrt();
    let unit = Natural::ONE << k;
    let bound = |n: Natural| Rational::from_parts(Integer::from(n), unit.clone());
    Some((bound(root.clone()), bound(root + Natural::ONE)))
}

/// e^x, as bounds.
fn power(x: &Rational, bits: u32) -> Option<Bounds> {
    let (low, high) = exp_bounds(x, bits);
    Some((rational(&low)?, rational(&high)?))
}

/// Exponents beyond this are astronomical.
const LARGEST: i64 = 1 << 15;

/// A probability as a rational, rounded up or down where it is astronomically small.
fn probability(value: &Float, up: bool) -> Rational {
    match (rational(value), up) {
        (Some(exact), _) => exact,
        (None, false) => Rational::ZERO,
        // At most 1, so what is no rational of moderate size is below 2^−LARGEST·2^(bits of it), and that below 2^(−LARGEST/2).
        (None, true) => Rational::from_parts(Integer::ONE, Natural::ONE << (LARGEST / 2) as usize),
    }
}

/// A finite float as a rational, unless its exponent is astronomical.
fn rational(value: &Float) -> Option<Rational> {
    if value.is_zero() {
        return Some(Rational::ZERO);
    }
    let (_, _, exponent) = value.parts()?;
    (exponent.abs() < LARGEST).then(|| value.to_rational()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::directed::exp_nearest;
    use probity_exact::parse_rational;

    fn number(text: &str) -> Rational {
        parse_rational(text).unwrap()
    }

    fn holds(bounds: &Bounds, expected: &str, relative: &str) {
        let expected = number(expected);
        let slack = &expected * number(relative);
        assert!(bounds.0 <= &expected + &slack && &expected - &slack <= bounds.1, "{bounds:?} {expected}");
        assert!(&bounds.1 - &bounds.0 <= &expected * number("1e-20"), "{bounds:?}");
    }

    /// kind, σ², d, ε, δ to 30 digits, from mpmath (`scripts/gaussian_oracle.py`).
    #[test]
    fn delta_and_epsilon_are_those_of_the_table() {
        let text = include_str!("../../tests/data/gaussian.txt");
        let mut rows = 0;
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split(' ').collect();
            let [kind, squared, distance, epsilon, delta] = fields[..] else { panic!("{line}") };
            let (squared, distance) = (number(squared), number(distance));
            let noise = Gaussian { squared_scale: &squared, distance: &distance };
            let exact = number(epsilon);
            let found = match kind {
                "continuous" => noise.continuous_delta(&exact, 200),
                _ => noise.discrete_delta(&exact, 200),
            };
            holds(&found.unwrap(), delta, "1e-27");
            if !exact.is_zero() {
                let delta = number(delta);
                let found = match kind {
                    "continuous" => noise.continuous_epsilon(&delta, 160),
                    _ => noise.discrete_epsilon(&delta, 160),
                };
                holds(&found.unwrap(), epsilon, "1e-22");
            }
            rows += 1;
        }
        assert!(rows > 30, "{rows}");
    }

    #[test]
    fn what_is_taken_away_is_bounded_from_the_other_side() {
        let pair = |a, b| (number(a), number(b));
        let (power, second) = (pair("1", "5/4"), pair("1/8", "1/4"));
        assert_eq!(excess(&pair("1/2", "3/4"), &power, &second), pair("3/16", "5/8"));
        assert_eq!(excess(&pair("0", "1/9"), &power, &second), pair("0", "0"));
        assert_eq!(excess(&pair("1", "2"), &power, &second), pair("11/16", "1"));
    }

    /// Bounds of σ that are far apart show which of them is used where: the answer holds δ for both.
    #[test]
    fn every_scale_between_the_bounds_is_covered() {
        for (epsilon, distance) in [("0.1", "1"), ("1", "1"), ("1", "3"), ("2", "1/2"), ("3", "5")] {
            let (epsilon, distance) = (number(epsilon), number(distance));
            let power = power(&epsilon, 60).unwrap();
            for sigma in [("1", "1"), ("1", "3/2"), ("1/2", "1")] {
                let sigma = (number(sigma.0), number(sigma.1));
                let squares = [&sigma.0 * &sigma.0, &sigma.1 * &sigma.1];
                let noise = |square: usize| Gaussian { squared_scale: &squares[square], distance: &distance };
                let (low, high) = noise(0).continuous_between(&sigma, &power, &epsilon, 60);
                for square in [0, 1] {
                    let fine = noise(square).continuous_delta(&epsilon, 90).unwrap();
                    assert!(low <= fine.0 && fine.1 <= high, "{sigma:?} {epsilon} {distance}: {low} {high}");
                }
            }
        }
    }

    #[test]
    fn tails_are_bounds_at_every_precision() {
        let squared = number("7/3");
        let fine = Tails::new(&squared, 12, 200).unwrap();
        for bits in [4, 8, 20] {
            let coarse = Tails::new(&squared, 12, bits).unwrap();
            for s in -12..=12 {
                let ((low, high), (fine_low, fine_high)) = (coarse.at(s), fine.at(s));
                assert!(low <= fine_low && fine_high <= high, "{s} at {bits} bits");
            }
        }
        // T(0) + T(1) = 1, as Z and −Z have the same law.
        let (low, high) = fine.at(0);
        assert!(low + fine.at(1).0 <= Rational::ONE && high + fine.at(1).1 >= Rational::ONE);
    }

    #[test]
    fn what_is_too_long_is_not_tried() {
        let squared = Rational::from(Natural::ONE << 60);
        let noise = Gaussian { squared_scale: &squared, distance: &Rational::ONE };
        assert_eq!(noise.discrete_epsilon(&number("1e-9"), 96), None);
    }

    #[test]
    fn what_delta_allows_is_bounded_outward() {
        let units = |low: u64, high: u64| (Natural::from(low), Natural::from(high));
        assert_eq!(share(&number("1/2"), &units(3, 5)), units(1, 3));
        assert_eq!(share(&number("1/2"), &units(4, 6)), units(2, 3));
    }

    /// With few bits every answer is wide, and holds what it is with many; with doubles it agrees to what they have.
    #[test]
    fn answers_with_few_bits_hold_those_with_many() {
        let in_doubles = |squared: f64, d: i32, epsilon: f64| {
            let mass = |x: i32| exp_nearest(-f64::from(x * x) / (2.0 * squared));
            let total: f64 = (-60..=60).map(mass).sum();
            let tail = |s: i32| (s..=60).map(mass).sum::<f64>() / total;
            (-20..=20).map(|s| tail(s - d) - exp_nearest(epsilon) * tail(s)).fold(0.0, f64::max)
        };
        for (squared, d, epsilon) in [("7/3", 1, "1/2"), ("7/3", 2, "1"), ("1/2", 1, "3"), ("9", 3, "1/4")] {
            let (square, distance, given) = (number(squared), Rational::from(d), number(epsilon));
            let noise = Gaussian { squared_scale: &square, distance: &distance };
            let fine = noise.discrete_delta(&given, 60).unwrap();
            let expected = in_doubles(square.to_f64().value(), d, given.to_f64().value());
            assert!(
                (fine.0.to_f64().value() - expected).abs() < 1e-12,
                "{squared} {d} {epsilon}: {fine:?} {expected}"
            );
            assert!(&fine.1 - &fine.0 < number("1e-15"));
            let continuous = noise.continuous_delta(&given, 40).unwrap();
            for bits in [1, 2, 4] {
                for (coarse, fine) in [
                    (noise.discrete_delta(&given, bits).unwrap(), &fine),
                    (noise.continuous_delta(&given, bits).unwrap(), &continuous),
                ] {
                    assert!(coarse.0 <= fine.0 && fine.1 <= coarse.1, "{bits}: {coarse:?} {fine:?}");
                    assert!(coarse.0 < coarse.1);
                }
            }
            // The least ε for this δ is the one that was given.
            let found = noise.discrete_epsilon(&fine.1, 30).unwrap();
            assert!(found.0 <= given && &given - number("1e-8") < found.1, "{found:?}");
            assert!(&found.1 - &found.0 < number("1e-8"));
            let found = noise.continuous_epsilon(&continuous.1, 20).unwrap();
            assert!(found.0 <= given && &given - number("1e-5") < found.1, "{found:?}");
            assert!(&found.1 - &found.0 < number("1e-5"));
        }
    }

    /// An ε of which the precision does not tell whether it is enough is no bound from below.
    #[test]
    fn what_is_not_decided_is_no_lower_bound() {
        let noise = Gaussian { squared_scale: &Rational::ONE, distance: &Rational::ONE };
        let (coarse, fine) =
            (noise.continuous_delta(&Rational::ONE, 33), noise.continuous_delta(&Rational::ONE, 90));
        // Between the two upper bounds: a little less than ε = 1 is enough, which 33 bits do not tell.
        let delta = (coarse.unwrap().1 + fine.unwrap().1) / Rational::from(2u8);
        let (low, high) = noise.continuous_epsilon(&delta, 1).unwrap();
        let enough = noise.continuous_epsilon(&delta, 60).unwrap();
        assert!(low <= enough.0 && enough.1 <= high && enough.1 < Rational::ONE, "{low} {high} {enough:?}");
    }

    /// Bounds that are far apart, and numbers next to where a rounding goes the other way.
    #[test]
    fn roots_and_powers_are_bounded_outward() {
        let pairs =
            |bounds: [(u8, u8); 3]| bounds.map(|(low, high)| (Natural::from(low), Natural::from(high)));
        assert_eq!(of_all(&pairs([(5, 9), (2, 4), (1, 3)])), (Natural::from(7u8), Natural::from(13u8)));
        // √6.125 in units of a half: 24.5 quarters have a root below 5.
        assert_eq!(root(&number("49/8"), 0).unwrap(), (number("2"), number("5/2")));
        for x in ["2", "1/3", "1e-9", "123456789", "49/8", "25"] {
            for bits in [0, 1, 5, 40] {
                let (x, (low, high)) = (number(x), root(&number(x), bits).unwrap());
                assert!(&low * &low <= x && x < &high * &high, "{x} {bits}");
            }
        }
        let units =
            |x: &str| fixed_exp(&number(x), 3).map(|(low, high)| (u64::try_from(low), u64::try_from(high)));
        // 8/e = 2.94…; and 5/8 is the power of ln(8/5) = 0.4700036…, on either side of which it is.
        assert_eq!(units("1"), Some((Ok(2), Ok(3))));
        assert_eq!(units("0.47000363"), Some((Ok(4), Ok(5))));
        assert_eq!(units("0.47000362"), Some((Ok(5), Ok(6))));
        // So close to it that the bounds of the power are on both sides.
        let (low, high) = units("0.470003629245735553650937031148342064701").unwrap();
        assert!(low == Ok(4) && high.is_ok_and(|high| high >= 5));
        for bits in [1, 4, 20] {
            let ((low, high), fine) =
                (power(&Rational::ONE, bits).unwrap(), power(&Rational::ONE, 90).unwrap());
            assert!(low < fine.0 && fine.0 < fine.1 && fine.1 < high, "{bits}: {low} {high}");
        }
        // A probability whose exponent is astronomical is more than nothing, and not more than what stands for it.
        let tiny = Rational::from_parts(Integer::ONE, Natural::ONE << 40_000);
        let float = probity_exact::Format::wide(10).round(&tiny, probity_exact::Round::Down);
        assert_eq!(probability(&float, false), Rational::ZERO);
        assert!(probability(&float, true) >= tiny && probability(&float, true) < number("1e-1000"));
    }
}
