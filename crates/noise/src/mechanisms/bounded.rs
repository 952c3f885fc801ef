//! Noise on a bounded range of integers, two ways, each with its true loss. Proofs:
//! `docs/proofs/truncated-geometric.md`.
//!
//! *Truncated*: x + Z clamped to the range; what lies beyond piles up at the ends. Its loss is
//! min(⌊d_in⌋, width)/scale, attained at an end.
//!
//! *Renormalised*: P(y) ∝ e^(−|y − x|/scale) on the range only. Its loss is *more* than d_in/scale, because the
//! constant depends on x; the map says by how much.

use probity_exact::{Natural, Rational};
use zeroize::Zeroizing;

use super::laplace::{discrete_laplace, over_scale};
use crate::compose::Function;
use crate::domain::IntegerRange;
use crate::entropy::Entropy;
use crate::map::{Expression, PrivacyMap, Relation};
use crate::measurement::{Measurement, MechanismError};
use crate::metric::Metric;
use crate::sampler::{CoinForGap, Count, DiscreteLaplace, ParameterError, Sampler, Scale, UniformBelow};

/// min(⌊d_in⌋, width): how far apart two members at most d_in apart can be.
fn reach(range: &IntegerRange) -> Expression {
    let width = Expression::parameter("width", Rational::from(range.width()));
    Expression::min(Expression::distance_in().floor(), [width])
}

/// 0 where no two members are that close, which also keeps 0·∞ and ln 1 out.
fn zero_when_nothing_differs(range: &IntegerRange, otherwise: Expression) -> Expression {
    match range.width() {
        0 => Expression::zero(),
        _ => Expression::cases(
            Expression::distance_in(),
            Relation::Less,
            Expression::one(),
            Expression::zero(),
            otherwise,
        ),
    }
}

/// The map of [`truncated_geometric`]: ε = min(⌊d_in⌋, width)/scale.
///
/// ```
/// use probity_noise::domain::IntegerRange;
/// use probity_noise::mechanisms::truncated_geometric_map;
/// use probity_noise::sampler::Scale;
/// use probity_noise::unit::Sensitivity;
/// let map = truncated_geometric_map(&IntegerRange::new(0, 10)?, &Scale::from_f64(2.0)?);
/// assert_eq!(map.loss(&Sensitivity::from(1u32))?.to_string(), "ε = 0.5");
/// assert_eq!(map.loss(&Sensitivity::from(99u32))?.to_string(), "ε = 5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn truncated_geometric_map(range: &IntegerRange, scale: &Scale) -> PrivacyMap {
    PrivacyMap::pure(zero_when_nothing_differs(range, over_scale(reach(range), scale)))
}

/// x + Z clamped to the range, Z discrete Laplace.
///
/// # Errors
/// When the scale is 2^50 or more.
pub fn truncated_geometric(
    range: IntegerRange,
    scale: Scale,
) -> Result<Measurement<i64, i64>, ParameterError> {
    let map = truncated_geometric_map(&range, &scale);
    let noisy = discrete_laplace(range, scale)?.post_process(move |y| y.clamp(range.lower(), range.upper()));
    Ok(noisy.with_map(map))
}

/// The map of [`renormalised_geometric`]. With q = e^(−1/scale), w = width and e = min(⌊d_in⌋, w), for e ≥ 1:
///
/// ε = e/scale + ln((1 + q − q^(e+1) − q^(w−e+1)) / (1 − q^(w+1))), which for e = w is w/scale.
///
/// ```
/// use probity_noise::domain::IntegerRange;
/// use probity_noise::mechanisms::renormalised_geometric_map;
/// use probity_noise::sampler::Scale;
/// use probity_noise::unit::Sensitivity;
/// let map = renormalised_geometric_map(&IntegerRange::new(0, 10)?, &Scale::from_f64(2.0)?);
/// // More than the 1/2 that the noise's name suggests.
/// assert_eq!(map.loss(&Sensitivity::from(1u32))?.to_string(), "ε = 0.7126636112686522");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn renormalised_geometric_map(range: &IntegerRange, scale: &Scale) -> PrivacyMap {
    if scale.value().is_zero() {
        return PrivacyMap::pure(zero_when_nothing_differs(range, Expression::infinity()));
    }
    let width = || Expression::parameter("width", Rational::from(range.width()));
    let scale = || Expression::parameter("scale", scale.value().clone());
    // q to this power.
    let power = |exponent: Expression| ((Expression::zero() - exponent) / scale()).exp();
    let one = Expression::one;
    let moved = one() + power(one()) - power(reach(range) + one()) - power(width() - reach(range) + one());
    let at_the_end = one() - power(width() + one());
    let loss = reach(range) / scale() + (moved / at_the_end).ln();
    // From end to end the constants are equal and the logarithm is 0.
    let loss = Expression::cases(reach(range), Relation::Equal, width(), width() / scale(), loss);
    PrivacyMap::pure(zero_when_nothing_differs(range, loss))
}

/// y in the range with probability proportional to e^(−|y − x|/scale).
///
/// Proposals are drawn, and the first one accepted is the answer. Each is accepted with probability above 0.3: x + Z if it falls in
/// the range, where the range is wider than the scale; else a uniform y, with probability e^(−|y − x|/scale). How many fail
/// depends on x, so a whole block of `TRIALS` is always drawn and looked at to its end: the time does not tell x.
///
/// # Errors
/// When the scale is 2^50 or more.
pub fn renormalised_geometric(
    range: IntegerRange,
    scale: Scale,
) -> Result<Measurement<i64, i64>, ParameterError> {
    let map = renormalised_geometric_map(&range, &scale);
    let proposal = Proposal::new(range, scale)?;
    let run = move |input: &i64, entropy: &mut dyn Entropy| -> Result<i64, MechanismError> {
        loop {
            if let Some(answer) = proposal.first_accepted(*input, range, entropy)? {
                return Ok(answer);
            }
        }
    };
    Ok(Measurement::new(range, Metric::Absolute, map, Function(run)))
}

/// Proposals of one block. All of them fail with probability below 0.69^128 < 2^−68.
const TRIALS: usize = 128;

/// How a candidate for the renormalised law is drawn.
enum Proposal {
    /// x + Z: within the range with probability at least P(0 ≤ Z ≤ w) = (1 − q^(w+1))/(1 + q) > (1 − 1/e)/2, as w > scale.
    Noise(DiscreteLaplace<i64>),
    /// Uniform: accepted with probability at least e^(−w/scale) ≥ 1/e, as w ≤ scale.
    Uniform { steps: UniformBelow<i64>, coin: CoinForGap },
}

impl Proposal {
    fn new(range: IntegerRange, scale: Scale) -> Result<Self, ParameterError> {
        let noise = DiscreteLaplace::<i64>::new(scale.clone())?;
        if scale.value().is_zero() || Rational::from(range.width()) > *scale.value() {
            return Ok(Proposal::Noise(noise));
        }
        let steps = UniformBelow::new(Count::new(Natural::from(range.width()) + Natural::ONE)?)?;
        Ok(Proposal::Uniform { steps, coin: CoinForGap::new(scale.value().clone()) })
    }

    /// The first proposal of a block that is accepted; `None` when none is.
    fn first_accepted(
        &self,
        input: i64,
        range: IntegerRange,
        entropy: &mut dyn Entropy,
    ) -> Result<Option<i64>, MechanismError> {
        let mut candidates = Zeroizing::new([0i64; TRIALS]);
        let mut accepted = Zeroizing::new([false; TRIALS]);
        match self {
            Proposal::Noise(noise) => {
                noise.fill(&mut candidates[..], entropy)?;
                for (candidate, accepted) in candidates.iter_mut().zip(accepted.iter_mut()) {
                    let (sum, overflow) = input.overflowing_add(*candidate);
                    *candidate = sum;
                    *accepted = !overflow & (sum >= range.lower()) & (sum <= range.upper());
                }
            }
            Proposal::Uniform { steps, coin } => {
                steps.fill(&mut candidates[..], entropy)?;
                let mut distances = Zeroizing::new([0u64; TRIALS]);
                for (candidate, distance) in candidates.iter_mut().zip(distances.iter_mut()) {
                    // The width is below 2^50 here, so the sum stays within the range.
                    *candidate = range.lower().wrapping_add(*candidate);
                    *distance = candidate.abs_diff(input);
                }
                coin.flip_each(&distances[..], &mut accepted[..], entropy)?;
            }
        }
        // From the last to the first, each accepted one replaces what was there: by a mask, without an early exit.
        let answer = candidates.iter().zip(accepted.iter()).rev().fold(0, |answer, (candidate, accepted)| {
            let mask = i64::from(*accepted).wrapping_neg();
            (candidate & mask) | (answer & !mask)
        });
        let any = accepted.iter().fold(false, |any, accepted| any | accepted);
        Ok(any.then_some(answer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::tape::Tape;
    use crate::measure::Loss;
    use crate::unit::Sensitivity;
    use probity_exact::directed::{exp_nearest, ln_nearest};
    use probity_exact::rational;

    fn scale(numerator: i64, denominator: i64) -> Scale {
        Scale::new(rational(numerator, denominator).unwrap()).unwrap()
    }

    /// P(y) for the input x on 0..=width.
    fn law(x: i64, width: i64, scale: f64) -> Vec<f64> {
        let masses: Vec<f64> = (0..=width).map(|y| exp_nearest(-((y - x).abs() as f64) / scale)).collect();
        let total: f64 = masses.iter().sum();
        masses.iter().map(|mass| mass / total).collect()
    }

    fn loss(map: &PrivacyMap, distance: Rational) -> f64 {
        match map.loss(&Sensitivity::new(distance).unwrap()).unwrap() {
            Loss::Pure(epsilon) => epsilon.to_f64_up(),
            other => panic!("{other}"),
        }
    }

    /// The loss that the map says is that of the worst pair and the worst answer.
    #[test]
    fn maps_are_those_of_the_laws() {
        for (width, n, d) in [(1, 1, 1), (3, 2, 1), (4, 1, 2), (7, 5, 1)] {
            let range = IntegerRange::new(-2, width - 2).unwrap();
            let (renormalised, truncated) = (
                renormalised_geometric_map(&range, &scale(n, d)),
                truncated_geometric_map(&range, &scale(n, d)),
            );
            let by = n as f64 / d as f64;
            for distance in 1..=width + 2 {
                let mut worst = 0f64;
                for x in 0..=width {
                    for other in (x - distance).max(0)..=(x + distance).min(width) {
                        let (here, there) = (law(x, width, by), law(other, width, by));
                        worst = here.iter().zip(&there).map(|(p, q)| ln_nearest(p / q)).fold(worst, f64::max);
                    }
                }
                let distance = Rational::from(distance);
                let found = loss(&renormalised, distance.clone());
                assert!((found - worst).abs() < 1e-12, "{width} {n}/{d} {distance}: {found} {worst}");
                // Half a step more is no step more.
                assert_eq!(loss(&renormalised, &distance + rational(1, 2).unwrap()), found);
                let reach = distance.to_f64().value().min(width as f64);
                assert!((loss(&truncated, distance) - reach / by).abs() < 1e-12);
            }
            for map in [&renormalised, &truncated] {
                assert_eq!(loss(map, rational(99, 100).unwrap()), 0.0);
            }
        }
        let (one, some) = (IntegerRange::new(3, 3).unwrap(), IntegerRange::new(3, 4).unwrap());
        for map in [truncated_geometric_map, renormalised_geometric_map] {
            assert_eq!(loss(&map(&one, &scale(1, 1)), Rational::from(5u8)), 0.0);
            assert_eq!(loss(&map(&one, &scale(0, 1)), Rational::from(5u8)), 0.0);
            assert_eq!(loss(&map(&some, &scale(0, 1)), Rational::ONE), f64::INFINITY);
        }
    }

    /// Proposals of both kinds lead to the law, and which of them is drawn the width decides.
    #[test]
    fn answers_have_the_renormalised_law() {
        for (width, n) in [(3, 1), (3, 3), (3, 9), (0, 1)] {
            let range = IntegerRange::new(-1, width - 1).unwrap();
            let proposal = Proposal::new(range, scale(n, 1)).unwrap();
            assert_eq!(matches!(proposal, Proposal::Noise(_)), width > n);
            let measurement = renormalised_geometric(range, scale(n, 1)).unwrap();
            for x in [0, width] {
                let mut counts = vec![0u32; width as usize + 1];
                let mut tape = Tape::seeded((10 * n + x) as u64);
                let draws = 120;
                for _ in 0..draws {
                    counts[(measurement.simulate(&(x - 1), &mut tape).unwrap() + 1) as usize] += 1;
                }
                for (count, p) in counts.iter().zip(law(x, width, n as f64)) {
                    let expected = p * f64::from(draws);
                    let deviation = (expected * (1.0 - p)).sqrt();
                    assert!((f64::from(*count) - expected).abs() <= 4.0 * deviation, "{counts:?} {x} {n}");
                }
            }
        }
        let range = IntegerRange::new(0, 5).unwrap();
        let plain = renormalised_geometric(range, scale(0, 1)).unwrap();
        assert!((0..=5).all(|x| plain.simulate(&x, &mut Tape::seeded(1)).unwrap() == x));
        let truncated = truncated_geometric(range, scale(100, 1)).unwrap();
        let answers: Vec<i64> =
            (0..60).map(|seed| truncated.simulate(&2, &mut Tape::seeded(seed)).unwrap()).collect();
        assert!(answers.iter().all(|y| (0..=5).contains(y)) && answers.contains(&0) && answers.contains(&5));
    }
}
