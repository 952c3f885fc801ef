//! Tests of the fast paths: whatever they decide must be what the law's own thresholds say.
//!
//! The oracle here knows the thresholds P(X ≥ v) as enclosures of exponentials. It shares neither the
//! logarithm nor the error analysis of the code under test.

use std::collections::BTreeMap;

use probity_exact::{Integer, Natural, Rational, rational};

use super::bounds::{exp_neg_bounds, log2_floor, power_of_two};
use super::draw::Draw;
use super::laplace::Plan;
use super::magnitude::{MAX_SCALE_LOG2, Magnitude, Sides};
use super::neg_ln::{NEG_LN_BITS, TwoWords};
use super::*;
use crate::entropy::tape::Tape;

/// Everything is compared in units of 2^−SCALED.
const SCALED: usize = 220;

fn ratio(n: i64, d: i64) -> Rational {
    rational(n, d).unwrap()
}

/// An enclosure in units of 2^−SCALED.
fn scaled((lower, upper): (Rational, Rational)) -> (Integer, Integer) {
    let unit = power_of_two(SCALED as i64);
    ((lower * &unit).floor(), (upper * unit).ceil())
}

/// A real number in (0, 1) where a decision flips, enclosed.
#[derive(Clone)]
struct Edge(Integer, Integer);

impl Edge {
    fn new(bounds: (Rational, Rational)) -> Self {
        let (lower, upper) = scaled(bounds);
        Edge(lower, upper)
    }

    /// Whether the whole cell of `words` lies below the edge (`true`), above it, or across it (`None`).
    fn is_above(&self, words: TwoWords) -> Option<bool> {
        let (lower, upper) = cell(words);
        match (upper <= self.0, lower >= self.1) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    /// The cell that the edge lies in; `None` when 63 leading bits do not reach it.
    fn cell(&self) -> Option<TwoWords> {
        let middle = Natural::try_from((&self.0 + &self.1) >> 1).unwrap();
        let length = Rational::from(middle.clone());
        let zeros = SCALED as i64 - 1 - log2_floor(&length);
        if !(0..63).contains(&zeros) {
            return None;
        }
        let mantissa = (middle >> (SCALED - zeros as usize - 65)) - (Natural::ONE << 64);
        Some(TwoWords { leading: 1 << (63 - zeros), mantissa: u64::try_from(mantissa).unwrap() })
    }
}

/// The ends of the cell of `words`, in units of 2^−SCALED.
fn cell(words: TwoWords) -> (Integer, Integer) {
    let prefix = words.prefix();
    let unit = SCALED - prefix.bits();
    let lower = Integer::from(prefix.numerator().clone());
    (lower.clone() << unit, (lower + Integer::ONE) << unit)
}

/// The law of a magnitude by its thresholds: it is at least v iff U ≤ edge(v).
struct Oracle {
    scale: Rational,
    /// 2/(1+q) for the magnitude of two-sided noise, otherwise 1.
    factor: (Rational, Rational),
    edges: BTreeMap<u64, Edge>,
}

impl Oracle {
    fn new(scale: &Rational, sides: Sides) -> Self {
        let (q_lower, q_upper) = exp_neg_bounds(&(Rational::ONE / scale), 200);
        let factor = |q: Rational| match sides {
            Sides::One => Rational::ONE,
            Sides::Two => Rational::from(2) / (Rational::ONE + q),
        };
        let factor = (factor(q_upper), factor(q_lower));
        Oracle { scale: scale.clone(), factor, edges: BTreeMap::new() }
    }

    /// P(X ≥ v) = factor·q^v for v ≥ 1, and 1 for v = 0.
    fn bounds(&self, v: u64) -> (Rational, Rational) {
        if v == 0 {
            return (Rational::ONE, Rational::ONE);
        }
        let (lower, upper) = exp_neg_bounds(&(Rational::from(v) / &self.scale), 200);
        (lower * &self.factor.0, upper * &self.factor.1)
    }

    fn edge(&mut self, v: u64) -> Edge {
        if !self.edges.contains_key(&v) {
            let edge = Edge::new(self.bounds(v));
            self.edges.insert(v, edge);
        }
        self.edges[&v].clone()
    }

    /// Whether every U of the cell has the value v.
    fn confirms(&mut self, words: TwoWords, v: u64) -> bool {
        self.edge(v).is_above(words) == Some(true) && self.edge(v + 1).is_above(words) == Some(false)
    }
}

fn scales() -> Vec<Rational> {
    let mut scales =
        [(1, 10), (1, 2), (1, 1), (7, 3), (10, 1), (1000, 1), (65_535, 1)].map(|(n, d)| ratio(n, d)).to_vec();
    scales.push(power_of_two(-60));
    scales.push(power_of_two(-1) / Rational::from(Integer::from(3).pow(40)));
    scales
        .push(rational(Integer::from(10).pow(40) + 1, Integer::from(10).pow(38) * Integer::from(3)).unwrap());
    scales
}

const BOTH: [Sides; 2] = [Sides::One, Sides::Two];

#[test]
fn magnitudes_agree_with_the_thresholds_at_random() {
    let mut tape = Tape::seeded(2);
    let mut checked = 0;
    for scale in scales() {
        for sides in BOTH {
            let (magnitude, mut oracle) = (Magnitude::new(scale.clone(), sides), Oracle::new(&scale, sides));
            // Large scales have a threshold to compute for nearly every word; they get fewer.
            let count = if scale > Rational::from(100) { 15_000 } else { 75_000 };
            let mut words = vec![0; 2 * count];
            tape.fill_words(&mut words).unwrap();
            for (at, pair) in words.chunks(2).enumerate() {
                // Every other pair spreads the leading zeros evenly, to reach the tails.
                let leading = if at % 2 == 0 { pair[0] } else { (pair[0] | 1 << 63) >> (pair[0] % 62) };
                let words = TwoWords { leading, mantissa: pair[1] };
                if let Some(value) = magnitude.decide_fast(words) {
                    assert!(oracle.confirms(words, value), "{scale} {sides:?} {words:?} {value}");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked >= 1_000_000, "{checked}");
}

/// Mantissas around one: its neighbours, then ever further away.
fn around(centre: u64) -> impl Iterator<Item = u64> {
    let steps = (0..100u64).chain((7..60).flat_map(|log2| [1 << log2, (1 << log2) + 12_345]));
    steps.flat_map(move |step| [centre.checked_add(step), centre.checked_sub(step)]).flatten()
}

#[test]
fn magnitudes_are_open_at_the_thresholds_and_right_beside_them() {
    for scale in scales() {
        for sides in BOTH {
            let (magnitude, mut oracle) = (Magnitude::new(scale.clone(), sides), Oracle::new(&scale, sides));
            let interesting = (1..20u64).chain([31, 100, 1000, 65_536, 400_000, 2_500_000]);
            for v in interesting {
                let Some(words) = oracle.edge(v).cell() else { continue };
                assert_eq!(oracle.edge(v).is_above(words), None);
                assert_eq!(
                    magnitude.decide_fast(words),
                    None,
                    "{scale} {sides:?} decides across a threshold"
                );
                for mantissa in around(words.mantissa) {
                    let words = TwoWords { mantissa, ..words };
                    if let Some(value) = magnitude.decide_fast(words) {
                        assert!(oracle.confirms(words, value), "{scale} {sides:?} {words:?} {value}");
                    }
                }
            }
        }
    }
}

/// The first mantissa from which `holds` is true, for a property that is false and then true.
fn first(holds: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (0, u64::MAX);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

#[test]
fn the_masses_of_the_fast_path_are_the_law() {
    for scale in [ratio(1, 2), ratio(1, 1), ratio(7, 3), ratio(10, 1), ratio(50, 1)] {
        for sides in BOTH {
            let (magnitude, oracle) = (Magnitude::new(scale.clone(), sides), Oracle::new(&scale, sides));
            let mut masses: BTreeMap<u64, Rational> = BTreeMap::new();
            for zeros in 0..60 {
                let decide =
                    |mantissa| magnitude.decide_fast(TwoWords { leading: 1 << (63 - zeros), mantissa });
                // Values fall as the mantissa grows. An open cell lies next to a threshold; it counts as the
                // value of a decided cell a little further on, which is right for a bisection.
                let value = |mantissa: u64| {
                    (0..64)
                        .find_map(|step| {
                            decide(mantissa.saturating_add(step << 8))
                                .or(decide(mantissa.saturating_sub(step << 8)))
                        })
                        .unwrap()
                };
                let (most, least) = (value(0), value(u64::MAX));
                for v in least..=most {
                    let start = if v == most { 0 } else { first(|m| value(m) <= v) };
                    let end = if v == least { u64::MAX } else { first(|m| value(m) < v) };
                    // Shrink to what is decided; the rounding of neighbouring cells jitters by a few units.
                    let start = (start..).step_by(16).find(|&m| decide(m) == Some(v)).unwrap();
                    let end = (0..=end).rev().step_by(16).find(|&m| decide(m) == Some(v)).unwrap();
                    let mass = Rational::from(end - start) * power_of_two(-65 - zeros);
                    *masses.entry(v).or_insert(Rational::ZERO) += mass;
                }
            }
            assert!(masses.len() > 3);
            // A threshold leaves open at most SLACK = 16 units and a little jitter on each side, in U at most that
            // over the scale: 2^−51 for scale 1.
            let unit = power_of_two(log2_floor(&scale) + 1 - i64::from(NEG_LN_BITS));
            let tolerance = Rational::from(48) * unit / &scale;
            for (v, mass) in &masses {
                let ((upper_low, upper_high), (low, high)) = (oracle.bounds(*v), oracle.bounds(v + 1));
                let (law_low, law_high) = (upper_low - high, upper_high - low);
                assert!(*mass <= law_high, "{scale} {sides:?} {v}");
                if masses.contains_key(&(v + 1)) && (*v == 0 || masses.contains_key(&(v - 1))) {
                    assert!(law_low - mass <= tolerance, "{scale} {sides:?} {v}");
                }
            }
        }
    }
}

#[test]
fn a_wrong_law_would_be_noticed() {
    // The oracle of a scale off by 2^−40 refutes the fast path next to a threshold.
    let scale = ratio(7, 3);
    let magnitude = Magnitude::new(scale.clone(), Sides::Two);
    let mut wrong = Oracle::new(&(scale * (Rational::ONE + power_of_two(-40))), Sides::Two);
    let words = wrong.edge(3).cell().unwrap();
    assert!(magnitude.decide_fast(words).is_some_and(|value| !wrong.confirms(words, value)));
}

#[test]
fn an_open_draw_goes_on_from_the_bits_it_has_seen() {
    for scale in [ratio(1, 1), ratio(7, 3), ratio(1000, 1)] {
        let noise = DiscreteLaplace::<i64>::new(Scale::new(scale.clone()).unwrap()).unwrap();
        for v in [1u64, 2, 5] {
            let words = Oracle::new(&scale, Sides::Two).edge(v).cell().unwrap();
            // The least reals of the cell lie below the threshold, the largest above it.
            for (next, expected) in [(0, v), (u64::MAX, v - 1)] {
                let mut tape = Tape::of_words([words.leading, words.mantissa, next]).then_seeded(3);
                assert_eq!(noise.sample(&mut tape).unwrap(), expected as i64, "{scale}");
                let mut tape = Tape::of_words([words.leading | 1, words.mantissa, next]).then_seeded(3);
                assert_eq!(noise.sample(&mut tape).unwrap(), -(expected as i64), "{scale}");
            }
        }
    }
}

#[test]
fn sixty_three_zeros_go_on_to_the_tail() {
    // U = 2^−64·(1 + …): −ln U = 64·ln 2 − …, and the sign bit is not part of U.
    let noise = DiscreteLaplace::<i64>::new(Scale::new(ratio(1, 1)).unwrap()).unwrap();
    for (first, sign) in [(0, 1), (1, -1)] {
        let mut tape = Tape::of_words([first, 99, 1 << 63]).then_seeded(4);
        // 64·ln 2 = 44.36…, and b = −ln((1 + 1/e)/2) = 0.379…: 44 while U < 2^−64·1.13.
        assert!([44, 44 - 1].map(|v| v * sign).contains(&noise.sample(&mut tape).unwrap()));
    }
}

#[test]
fn a_source_of_zeros_is_an_error() {
    let zeros = vec![0; 3000];
    let noise = DiscreteLaplace::<i64>::new(Scale::new(ratio(1, 1)).unwrap()).unwrap();
    let stuck = |result: Result<i64, SampleError>| {
        assert!(matches!(result, Err(SampleError::Entropy(EntropyError::Stuck { .. }))), "{result:?}");
    };
    stuck(noise.sample(&mut Tape::of_words(zeros.clone())));
    let gaussian = DiscreteGaussian::<i64>::new(SquaredScale::new(ratio(1, 1)).unwrap()).unwrap();
    stuck(gaussian.sample(&mut Tape::of_words(zeros)));
}

#[test]
fn low_parts_of_a_split_may_be_accepted_at_once() {
    let scales = [
        power_of_two(16),
        power_of_two(16) + power_of_two(-80),
        power_of_two(17) - power_of_two(-80),
        ratio(1_000_000_000_000, 1),
        power_of_two(50),
        power_of_two(200) / Rational::from(3),
    ];
    for scale in scales {
        let noise = DiscreteLaplace::<Integer>::new(Scale::new(scale.clone()).unwrap()).unwrap();
        let Plan::Split { shift, .. } = &noise.plan else { panic!("{scale} is not split") };
        let largest = power_of_two(*shift as i64) - Rational::ONE;
        let least_acceptance = exp_neg_bounds(&(largest / &scale), 300).0;
        assert!(least_acceptance >= Rational::ONE - power_of_two(1 - MAX_SCALE_LOG2));
        let high_scale = &scale / power_of_two(*shift as i64);
        assert!(high_scale < power_of_two(MAX_SCALE_LOG2));
    }
    let below = Scale::new(power_of_two(16) - power_of_two(-80)).unwrap();
    assert!(matches!(DiscreteLaplace::<i64>::new(below).unwrap().plan, Plan::Direct(_)));
}

#[test]
fn gaussian_acceptance_agrees_with_its_threshold() {
    let mut tape = Tape::seeded(5);
    for squared_scale in
        [ratio(1, 4), ratio(1, 1), ratio(100, 7), ratio(10, 1) * power_of_two(60), power_of_two(-40)]
    {
        let noise = DiscreteGaussian::<i64>::new(SquaredScale::new(squared_scale.clone()).unwrap()).unwrap();
        let trial = noise.trial.as_ref().unwrap();
        let step = (squared_scale.to_f64().value().sqrt() / 4.0).max(1.0) as u64;
        for y in (0..40).map(|at| at * step) {
            let edge = Edge::new(exp_neg_bounds(&trial.acceptance.exponent(Natural::from(y)), 210));
            let decide = |words| trial.acceptance.decide_fast(y as f64, words);
            let mut words = [0; 200];
            tape.fill_words(&mut words).unwrap();
            for pair in words.chunks(2) {
                let words = TwoWords { leading: pair[0], mantissa: pair[1] };
                if let Some(accepted) = decide(words) {
                    assert_eq!(edge.is_above(words), Some(accepted), "{squared_scale} {y} {words:?}");
                }
            }
            let Some(words) = edge.cell() else { continue };
            assert_eq!(decide(words), None, "{squared_scale} {y}");
            for mantissa in around(words.mantissa) {
                let words = TwoWords { mantissa, ..words };
                if let Some(accepted) = decide(words) {
                    assert_eq!(edge.is_above(words), Some(accepted), "{squared_scale} {y} {words:?}");
                }
            }
        }
    }
}

/// Both paths on the same words, for samplers that read them in the same order.
fn same_on_both_paths<S: Draw>(sampler: &S, words: &[u64])
where
    S::Value: PartialEq + std::fmt::Debug,
{
    let fast = sampler.draw(&mut Words::new(&mut Tape::of_words(words), words.len()));
    let exact = sampler.draw_exactly(&mut Words::new(&mut Tape::of_words(words), words.len()));
    assert_eq!(fast.unwrap(), exact.unwrap(), "{words:?}");
}

#[test]
fn uniform_integers_agree_on_both_paths() {
    let mut tape = Tape::seeded(6);
    for count in [1u64, 2, 3, 6, 1000, (1 << 32) + 1, (1 << 62) + 1, (1 << 63) - 25, 1 << 63] {
        let sampler = UniformBelow::<i64>::new(Count::new(count).unwrap()).unwrap();
        for _ in 0..2000 {
            let mut words = [0; 6];
            tape.fill_words(&mut words).unwrap();
            same_on_both_paths(&sampler, &words);
            // A multiple of 2^64/n: the first word leaves the carry open, and so may the second.
            let value = (u128::from(words[0]) * u128::from(count)) >> 64;
            words[0] = ((value << 64) / u128::from(count)) as u64;
            same_on_both_paths(&sampler, &words);
            words[1] = u64::MAX - words[1] % 4;
            same_on_both_paths(&sampler, &words);
        }
    }
    let wide = UniformBelow::<Integer>::new(Count::new(u64::MAX).unwrap()).unwrap();
    same_on_both_paths(&wide, &[u64::MAX, u64::MAX, 5, 5, 5, 5]);
    same_on_both_paths(&wide, &[u64::MAX / 2, u64::MAX, 0, 0, 0, 0]);
}

#[test]
fn coins_and_choices_agree_on_both_paths() {
    let mut tape = Tape::seeded(7);
    let weights: Vec<Rational> = (0..200).map(|at| ratio(at % 7, 3)).collect();
    let choices = [
        Choice::uniform(10).unwrap(),
        Choice::uniform(1 << 20).unwrap(),
        Choice::weighted(&weights[..9]).unwrap(),
        Choice::weighted(&weights).unwrap(),
    ];
    let coin = Bernoulli::new(Probability::new(ratio(1, 3)).unwrap());
    let exponential = BernoulliExp::new(Exponent::new(ratio(7, 3)).unwrap());
    for at in 0..4000u64 {
        let mut words = [0; 8];
        tape.fill_words(&mut words).unwrap();
        // A lane is the upper half of a word, and the lower half is not read: blank it, as the exact path
        // reads whole words. Then the lane is continued with zeros only, so both paths see the same real.
        words[0] &= !0 << 32;
        if at % 2 == 0 {
            // The lane that a threshold or a multiple of 2^32/10 lies in.
            let edge = [1.0 / 3.0, (-7f64 / 3.0).exp(), (at % 10) as f64 / 10.0, (at % 30) as f64 / 30.0];
            words[0] = ((edge[(at / 2 % 4) as usize] * 2f64.powi(32)) as u64) << 32;
        }
        words[1..].fill(0);
        for choice in &choices {
            same_on_both_paths(choice, &words);
        }
        same_on_both_paths(&coin, &words);
        same_on_both_paths(&exponential, &words);
    }
}

#[test]
fn uniform_doubles_reach_the_bottom_of_the_range() {
    let draw = |words: &[u64]| UniformDouble.sample(&mut Tape::of_words(words).then_seeded(9)).unwrap();
    assert_eq!(draw(&[u64::MAX, u64::MAX]), 1f64.next_down());
    assert_eq!(draw(&[1 << 63, 0]), 0.5);
    assert_eq!(draw(&[1, 0]), 2f64.powi(-64));
    // 1021 zeros and a one: the least normal number.
    let mut words = vec![0; 17];
    words[16] = 1 << 2;
    assert_eq!(draw(&words), f64::MIN_POSITIVE);
    // One zero more, and only the fraction is left; it is the second word.
    words[16] = 3;
    words[1] = 1 << 12;
    assert_eq!(draw(&words), f64::from_bits(1));
    words[1] = (1 << 12) - 1;
    assert_eq!(draw(&words), 0.0);
    let mut tape = Tape::seeded(8);
    for _ in 0..1000 {
        let mut words = [0; 2];
        tape.fill_words(&mut words).unwrap();
        same_on_both_paths(&UniformDouble, &words);
    }
}
