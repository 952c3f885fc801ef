//! Tests of the fast paths of noise: whatever they decide must be what the law's own thresholds say.
//!
//! The oracle here knows the thresholds P(X ≥ v) as enclosures of exponentials. It shares neither the
//! logarithm nor the error analysis of the code under test.

use std::collections::BTreeMap;

use probity_exact::{Integer, Natural, Rational, rational};

use super::super::bounds::{exp_neg_bounds, log2_floor, power_of_two};
use super::super::draw::Draw;
use super::super::gaussian::Trial;
use super::super::gaussian::small::{self, Small};
use super::super::laplace::Plan;
use super::super::magnitude::{MAX_SCALE_LOG2, Magnitude, Sides};
use super::super::neg_ln::{NEG_LN_BITS, TwoWords};
use super::super::outcome::Parts;
use super::super::prefix::Prefix;
use super::super::*;
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
fn bulk_draws_are_the_scalar_draws() {
    for scale in [ratio(1, 3), ratio(7, 3), ratio(60_000, 1), ratio(1 << 20, 1), ratio(1 << 50, 1)] {
        let noise = DiscreteLaplace::<i64>::new(Scale::new(scale.clone()).unwrap()).unwrap();
        // A length that is no multiple of any block.
        let bulk = noise.sample_vec(1000, &mut Tape::seeded(10)).unwrap();
        let (mut tape, mut block) = (Tape::seeded(10), [0; LONG]);
        let words = &mut Words::new(&mut tape, &mut block, 0);
        let scalar: Vec<i64> = (0..1000).map(|_| noise.draw(words).unwrap()).collect();
        assert_eq!(bulk, scalar, "{scale}");
        let big = DiscreteLaplace::<Integer>::new(Scale::new(scale).unwrap()).unwrap();
        let big = big.sample_vec(1000, &mut Tape::seeded(10)).unwrap();
        assert!(big.iter().zip(&bulk).all(|(big, small)| *big == Integer::from(*small)));
    }
}

#[test]
fn open_draws_of_a_bulk_go_on_from_their_own_words() {
    let scale = ratio(7, 3);
    let noise = DiscreteLaplace::<i64>::new(Scale::new(scale.clone()).unwrap()).unwrap();
    let open = Oracle::new(&scale, Sides::Two).edge(5).cell().unwrap();
    let mut random = vec![0; 2 * 100];
    Tape::seeded(11).fill_words(&mut random).unwrap();
    let mut undisturbed = noise.sample_vec(100, &mut Tape::of_words(random.clone())).unwrap();
    for (next, expected) in [(0, 5), (u64::MAX, 4)] {
        for at in [3, 64, 99] {
            [random[2 * at], random[2 * at + 1]] = [open.leading, open.mantissa];
            undisturbed[at] = expected;
        }
        let words = [&random[..], &[next; 100]].concat();
        assert_eq!(noise.sample_vec(100, &mut Tape::of_words(words)).unwrap(), undisturbed);
    }
}

#[test]
fn a_split_redraws_minus_zero_and_what_is_not_accepted() {
    // Scale 2^50: 35 low bits, then 29 bits that accept them. U next to 1 makes the high part 0.
    let noise = DiscreteLaplace::<i64>::new(Scale::new(power_of_two(50)).unwrap()).unwrap();
    let (one, ones) = (u64::MAX - 1, u64::MAX);
    let low = |value: u64, acceptance: u64| value << 29 | acceptance;
    let all = (1 << 29) - 1;
    let cases: [(&[u64], i64); 5] = [
        (&[one, ones, low(7, 0)], 7),
        (&[ones, ones, low(7, 0)], -7),
        // −0 starts again with fresh words, +0 does not.
        (&[ones, ones, low(0, 0), one, ones, low(3, 0)], 3),
        (&[one, ones, low(0, 0)], 0),
        // The largest low part, and a uniform real of 29 + 64 ones: rejected, and another low part is drawn.
        (&[one, ones, low((1 << 35) - 1, all), ones, low(9, 0)], 9),
    ];
    for (words, expected) in cases {
        assert_eq!(noise.sample(&mut Tape::of_words(words).then_seeded(12)).unwrap(), expected, "{words:?}");
        // In bulk the first three words are the draw's, and what follows comes after the block.
        let mut out = [1];
        noise.fill(&mut out, &mut Tape::of_words(words).then_seeded(12)).unwrap();
        assert_eq!(out, [expected], "{words:?}");
    }
    // A low part of 0 is accepted with certainty, whatever the acceptance bits.
    let words = [one, ones, low(0, all)];
    assert_eq!(noise.sample(&mut Tape::of_words(words).then_seeded(13)).unwrap(), 0);
}

#[test]
fn sixty_three_zeros_go_on_to_the_tail() {
    // U = 2^−64·(1 + …): −ln U = 64·ln 2 − …, and the sign bit is not part of U.
    let noise = DiscreteLaplace::<i64>::new(Scale::new(ratio(1, 1)).unwrap()).unwrap();
    for (first, sign) in [(0, 1), (1, -1)] {
        let mut tape = Tape::of_words([first, 99, 1 << 63]).then_seeded(4);
        // 64·ln 2 + b = 44.361… + 0.379…, with b = −ln((1 + 1/e)/2).
        assert_eq!(noise.sample(&mut tape), Ok(44 * sign));
    }
}

#[test]
fn a_source_that_repeats_itself_is_an_error() {
    let zeros = vec![0; 3000];
    let noise = DiscreteLaplace::<i64>::new(Scale::new(ratio(1, 1)).unwrap()).unwrap();
    let stuck = |result: Result<i64, SampleError>| {
        assert!(matches!(result, Err(SampleError::Entropy(EntropyError::Stuck { .. }))), "{result:?}");
    };
    stuck(noise.sample(&mut Tape::of_words(zeros.clone())));
    let gaussian = DiscreteGaussian::<i64>::new(SquaredScale::new(ratio(1000, 1)).unwrap()).unwrap();
    // A period of words makes −0 for ever.
    stuck(gaussian.sample(&mut Tape::of_words([1, 0, 1 << 62, 0].repeat(1 << 18))));
    let split = DiscreteLaplace::<i64>::new(Scale::new(power_of_two(20)).unwrap()).unwrap();
    stuck(split.sample(&mut Tape::of_words([u64::MAX, u64::MAX, 0].repeat(1 << 18))));
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
    for (squared_scale, shift) in [
        (ratio(1, 4), 1),
        (ratio(1, 1), 2),
        (ratio(100, 7), 3),
        (ratio(300, 1), 2),
        (ratio(10, 1) * power_of_two(60), 29),
        (power_of_two(-40), 1),
    ] {
        let trial = Trial::<i64>::split(&squared_scale, shift).unwrap();
        let most = (1u64 << shift) - 1;
        for (high, low) in (0..40u64).map(|at| (at % 13, (at * 97 * (most / 64 + 1) + at) & most)) {
            let exact = trial.acceptance.exponent(Natural::from(high), Natural::from(low));
            let edge = Edge::new(exp_neg_bounds(&exact, 210));
            let fraction = <i64 as Parts>::low_fraction(&low, shift);
            let decide = |words| trial.acceptance.decide_fast(high as f64, fraction, words);
            let y = (high << shift) + low;
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

/// P(|X| ≤ k) of the discrete Gaussian for the first k, or P(X ≤ k) given X ≥ 0, from its definition, in units of 2^−SCALED.
fn gaussian_masses(squared_scale: &Rational, sides: Sides, count: i64) -> Vec<(Integer, Integer)> {
    let weight = |j: i64| {
        scaled(exp_neg_bounds(&(Rational::from(j * j) / (Rational::from(2) * squared_scale)), SCALED))
    };
    let one = Integer::ONE << SCALED;
    // 30σ and 30 more: what comes after them is below 2^−SCALED.
    let last = 30 * (squared_scale.to_f64().value().sqrt() as i64 + 1);
    let sum = |from: i64, to: i64, high: bool| {
        let times = if sides == Sides::Two { 2 } else { 1 };
        (from..=to).map(weight).fold(Integer::ZERO, |sum, w| sum + if high { w.1 } else { w.0 } * times)
    };
    let whole = (&one + sum(1, last, false), &one + sum(1, last, true) + 1);
    let mass = |k: i64| {
        let (low, high) = (&one + sum(1, k, false), &one + sum(1, k, true));
        ((low << SCALED) / &whole.1, (high << SCALED) / &whole.0 + 1)
    };
    (0..count).map(mass).collect()
}

/// What the table decides, the exact path decides from the same bits; around each entry it decides nothing, and there is the probability.
#[test]
fn the_gaussian_table_agrees_with_the_exact_path() {
    let mut tape = Tape::seeded(8);
    for squared_scale in
        [power_of_two(-60), ratio(1, 50), ratio(1, 4), ratio(1, 1), ratio(100, 7), ratio(63, 1)]
    {
        for sides in [Sides::One, Sides::Two] {
            let small = Small::new(&squared_scale, sides).unwrap();
            let masses = gaussian_masses(&squared_scale, sides, 80);
            let check = |uniform: u64| {
                let (value, decided) = small.decide_raw(uniform);
                let exact = small.decide(&Prefix::known(uniform, small::BITS));
                if decided {
                    assert_eq!(exact, Some(Natural::from(value)), "{squared_scale} {uniform}");
                }
                decided
            };
            let mut words = [0; 50];
            tape.fill_words(&mut words).unwrap();
            assert!(words.into_iter().all(|word| check(word >> 1)), "{squared_scale}");
            // From where one value ends to where the next begins, by bisection.
            let most = (1 << small::BITS) - 1;
            assert!(!check(most));
            let mut start = 0;
            while small.decide_raw(start).1 && small.decide_raw(start).0 < small.decide_raw(most - 3).0 {
                let here = small.decide_raw(start).0;
                let (mut inside, mut outside) = (start, most - 3);
                while outside - inside > 1 {
                    let middle = inside + (outside - inside) / 2;
                    match small.decide_raw(middle) {
                        (value, true) if value == here => inside = middle,
                        _ => outside = middle,
                    }
                }
                // Two open cells; the probability itself is in one of them.
                assert!(check(inside) && !check(inside + 1) && !check(inside + 2) && check(inside + 3));
                let open = [1, 2].map(|step| small.decide(&Prefix::known(inside + step, small::BITS)));
                assert!(open.contains(&None), "{squared_scale} {inside}");
                let (low, high) = &masses[here as usize];
                let unit = |cell: u64| Integer::from(cell) << (SCALED - small::BITS);
                assert!(*low >= unit(inside + 1) && *high < unit(inside + 3), "{squared_scale} {here}");
                start = inside + 3;
                assert_eq!(small.decide_raw(start).0, here + 1);
            }
        }
    }
    assert!(Small::new(&Rational::from(small::LIMIT), Sides::Two).is_none());
    assert!(Small::new(&Rational::ZERO, Sides::Two).is_none());
}
