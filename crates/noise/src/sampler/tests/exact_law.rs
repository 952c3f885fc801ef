//! Exact-law tests: every bit string up to a depth, through the exact path of every sampler.
//!
//! The masses found are dyadic rationals; what is undecided at the depth is counted. For every value v,
//! mass(v) ≤ P(v) ≤ mass(v) + undecided must hold against an enclosure of the law that is computed here
//! from its definition, not from the sampler's own arithmetic.

use std::collections::BTreeMap;

use probity_exact::{Float, Format, Integer, Natural, Rational, rational};

use super::super::bounds::{exp_neg_bounds, power_of_two};
use super::super::draw::Draw;
use super::super::gaussian::Trial;
use super::super::laplace::Plan;
use super::super::magnitude::Sides;
use super::super::prefix::Chunks;
use super::super::*;

/// Single bits from a list; its end is an error.
struct BitString<'b> {
    bits: &'b [bool],
    next: usize,
}

impl Chunks for BitString<'_> {
    const CHUNK_BITS: u32 = 1;

    fn next_chunk(&mut self) -> Result<u64, EntropyError> {
        let bit = self.bits.get(self.next).ok_or(EntropyError::Exhausted)?;
        self.next += 1;
        Ok(u64::from(*bit))
    }
}

/// What the bit strings up to a depth decide.
struct Masses<V> {
    of: BTreeMap<V, Rational>,
    undecided: Rational,
}

/// Runs `draw` on every bit string of at most `depth` bits that no shorter one decides.
fn enumerate<V: Ord>(depth: usize, draw: impl Fn(&mut BitString<'_>) -> Result<V, SampleError>) -> Masses<V> {
    let mut masses = Masses { of: BTreeMap::new(), undecided: Rational::ZERO };
    let mut open = vec![Vec::new()];
    while let Some(bits) = open.pop() {
        let mass = power_of_two(-(bits.len() as i64));
        let mut source = BitString { bits: &bits, next: 0 };
        match draw(&mut source) {
            Ok(value) => {
                assert_eq!(source.next, bits.len(), "a decision that fewer bits had already made");
                let sum = masses.of.entry(value).or_insert(Rational::ZERO);
                *sum += mass;
            }
            Err(SampleError::Entropy(EntropyError::Exhausted)) if bits.len() == depth => {
                masses.undecided += mass;
            }
            Err(SampleError::Entropy(EntropyError::Exhausted)) => {
                for bit in [false, true] {
                    open.push([&bits[..], &[bit]].concat());
                }
            }
            Err(error) => panic!("{error}"),
        }
    }
    let total = masses.of.values().fold(masses.undecided.clone(), |sum, mass| sum + mass);
    assert_eq!(total, Rational::ONE);
    masses
}

fn enumerate_sampler<S: Draw>(sampler: &S, depth: usize) -> Masses<S::Value>
where
    S::Value: Ord,
{
    enumerate(depth, |bits| sampler.draw_exactly(bits))
}

type Bounds = (Rational, Rational);

impl<V: Ord + std::fmt::Debug> Masses<V> {
    /// Whether every mass agrees with the law and at most `undecided` is open.
    fn agree(&self, law: impl Fn(&V) -> Bounds, undecided: &Rational) -> Result<(), String> {
        if self.undecided > *undecided {
            return Err(format!("undecided: {}", self.undecided.to_f64().value()));
        }
        for (value, mass) in &self.of {
            let (lower, upper) = law(value);
            if *mass > upper || lower > mass + &self.undecided {
                return Err(format!(
                    "{value:?}: {} beside {}",
                    mass.to_f64().value(),
                    lower.to_f64().value()
                ));
            }
        }
        Ok(())
    }

    fn must_agree(&self, law: impl Fn(&V) -> Bounds, undecided_log2: i64) {
        if let Err(report) = self.agree(law, &power_of_two(undecided_log2)) {
            panic!("{report}");
        }
    }
}

const BITS: usize = 120;

fn exact(p: Rational) -> Bounds {
    (p.clone(), p)
}

fn ratio(n: i64, d: i64) -> Rational {
    rational(n, d).unwrap()
}

fn scale(n: i64, d: i64) -> Scale {
    Scale::new(ratio(n, d)).unwrap()
}

/// P(x) = (1−q)/(1+q)·q^|x| with q = e^(−1/s).
fn laplace_law(s: &Rational, x: i64) -> Bounds {
    let (q_low, q_high) = exp_neg_bounds(&(Rational::ONE / s), BITS);
    let (low, high) = exp_neg_bounds(&(Rational::from(x.unsigned_abs()) / s), BITS);
    let one = Rational::ONE;
    (low * (&one - &q_high) / (&one + &q_high), high * (&one - &q_low) / (&one + &q_low))
}

/// P(x) = (1−q)·q^x.
fn geometric_law(s: &Rational, x: i64) -> Bounds {
    let (q_low, q_high) = exp_neg_bounds(&(Rational::ONE / s), BITS);
    let (low, high) = exp_neg_bounds(&(Rational::from(x) / s), BITS);
    (low * (Rational::ONE - q_high), high * (Rational::ONE - q_low))
}

#[test]
fn laplace() {
    for (n, d) in [(1, 2), (1, 1), (7, 3), (1, 10), (10, 1)] {
        let sampler = DiscreteLaplace::<i64>::new(scale(n, d)).unwrap();
        enumerate_sampler(&sampler, 26).must_agree(|x| laplace_law(&ratio(n, d), *x), -17);
    }
}

#[test]
fn geometric() {
    for (n, d) in [(1, 2), (1, 1), (7, 3), (10, 1)] {
        let sampler = Geometric::<i64>::new(scale(n, d)).unwrap();
        enumerate_sampler(&sampler, 26).must_agree(|x| geometric_law(&ratio(n, d), *x), -17);
    }
}

#[test]
fn tiny_and_zero_scales() {
    for exponent in [60, 1000] {
        let tiny = Scale::new(power_of_two(-exponent)).unwrap();
        let masses = enumerate_sampler(&DiscreteLaplace::<i64>::new(tiny).unwrap(), 20);
        assert_eq!(masses.of.keys().collect::<Vec<_>>(), [&0]);
        // What is open is 19 zeros in a row: the value could still be anything.
        assert_eq!(masses.undecided, power_of_two(-19));
    }
    let zero = enumerate_sampler(&DiscreteLaplace::<Integer>::new(scale(0, 1)).unwrap(), 0);
    assert_eq!(zero.of[&Integer::ZERO], Rational::ONE);
    let zero = DiscreteGaussian::<i64>::new(SquaredScale::new(Rational::ZERO).unwrap()).unwrap();
    assert_eq!(enumerate_sampler(&zero, 0).of[&0], Rational::ONE);
}

/// A product of enclosures of nonnegative numbers.
fn times(a: Bounds, b: Bounds) -> Bounds {
    (a.0 * b.0, a.1 * b.1)
}

#[test]
fn one_trial_of_the_gaussian() {
    for (n, d, shift) in [(1, 4, 1), (1, 1, 2), (9, 2, 1)] {
        let squared_scale = ratio(n, d);
        let trial = Trial::<i64>::split(&squared_scale, shift).unwrap();
        let masses = enumerate(12, |bits| trial.attempt_exactly(bits));
        assert!(masses.of.len() > 3);
        // A trial gives x with probability exp(−x²/(2σ²)) over 2·2^j times the sum of exp(−(2^j·q)²/(2σ²)) for q ≥ 0.
        let weight =
            |x: i64| exp_neg_bounds(&(Rational::from(x * x) / (Rational::from(2) * &squared_scale)), BITS);
        let (mut low, mut high) = (Rational::ZERO, power_of_two(-50));
        for q in 0..60 {
            let (below, above) = weight(q << shift);
            low += below;
            high += above;
        }
        let columns = Rational::from(2u32 << shift);
        let law = |x: &Option<i64>| match x {
            Some(x) => {
                let (below, above) = weight(*x);
                (below / (&columns * &high), above / (&columns * &low))
            }
            None => (Rational::ZERO, Rational::ONE),
        };
        masses.must_agree(law, -3);
    }
}

/// The low bits that a σ² is split with leave a σ² for the table that is from 16 to below 64.
#[test]
fn every_gaussian_has_a_table() {
    for exponent in (8..100).chain([300, 2001]) {
        for squared_scale in [power_of_two(exponent), power_of_two(exponent + 1) - power_of_two(-90)] {
            let noise = DiscreteGaussian::<Integer>::new(SquaredScale::new(squared_scale.clone()).unwrap());
            assert!(noise.is_ok(), "{squared_scale}");
            if exponent < 99 {
                let noise = DiscreteGaussian::<i64>::new(SquaredScale::new(squared_scale).unwrap()).unwrap();
                assert!(noise.expected_words(1) == 4);
            }
        }
    }
}

/// The law of the discrete Gaussian, from its definition.
fn gaussian_law(squared_scale: &Rational, x: i64) -> Bounds {
    let weight =
        |j: i64| exp_neg_bounds(&(Rational::from(j * j) / (Rational::from(2) * squared_scale)), BITS);
    let (mut low, mut high) = (Rational::ONE, Rational::ONE);
    for j in 1.. {
        let (below, above) = weight(j);
        low += Rational::from(2) * &below;
        high += Rational::from(2) * &above;
        // The next weights fall faster than powers of 1/2.
        if above < power_of_two(-60) && Rational::from(2 * j + 1) > Rational::from(2) * squared_scale {
            high += Rational::from(2) * above;
            break;
        }
    }
    let (below, above) = weight(x);
    (below / high, above / low)
}

#[test]
fn gaussian_with_a_table() {
    for (n, d) in [(1, 1000), (1, 4), (1, 1), (9, 2), (40, 1)] {
        let squared_scale = ratio(n, d);
        let noise = DiscreteGaussian::<i64>::new(SquaredScale::new(squared_scale.clone()).unwrap()).unwrap();
        let masses = enumerate_sampler(&noise, 15);
        assert!(masses.of.len() > 2 || n < d);
        masses.must_agree(|x| gaussian_law(&squared_scale, *x), -8);
    }
}

#[test]
fn one_trial_of_a_split() {
    for (scale, shift) in [(ratio(5, 1), 2), (ratio(7, 3), 1), (ratio(9, 1), 4)] {
        let masses = enumerate(22, |bits| Ok(Plan::split(&scale, shift).attempt_exactly(Sides::Two, bits)?));
        assert!(masses.of.len() > 10);
        // A trial gives ±g with probability (1 − q^t)/(2t)·q^g, and never −0.
        let t = Rational::from(1u32 << shift);
        let (low, high) = exp_neg_bounds(&(&t / &scale), BITS);
        let share = |x: Rational| (Rational::ONE - x) / (Rational::from(2) * &t);
        let constant = (share(high), share(low));
        let law = |x: &Option<(bool, Natural)>| match x {
            Some((negative, g)) => {
                assert!(!negative || *g != Natural::ZERO);
                times(constant.clone(), exp_neg_bounds(&(Rational::from(g.clone()) / &scale), BITS))
            }
            None => (Rational::ZERO, Rational::ONE),
        };
        masses.must_agree(law, -7);
    }
}

#[test]
fn coins() {
    for (n, d) in [(0, 1), (1, 1), (1, 2), (1, 3), (5, 7), (1, 1000)] {
        let p = ratio(n, d);
        let coin = Bernoulli::new(Probability::new(p.clone()).unwrap());
        let law = |x: &bool| exact(if *x { p.clone() } else { Rational::ONE - &p });
        enumerate_sampler(&coin, 40).must_agree(law, -40);
    }
    let wide = rational((Integer::ONE << 200) - 1, Integer::ONE << 201).unwrap();
    let coin = Bernoulli::new(Probability::new(wide.clone()).unwrap());
    let law = |x: &bool| exact(if *x { wide.clone() } else { Rational::ONE - &wide });
    enumerate_sampler(&coin, 210).must_agree(law, -201);
}

#[test]
fn coins_of_exponentials() {
    for (n, d) in [(0, 1), (1, 1), (7, 3), (1, 100), (30, 1)] {
        let gamma = ratio(n, d);
        let coin = BernoulliExp::new(Exponent::new(gamma.clone()).unwrap());
        let law = |x: &bool| {
            let (low, high) = exp_neg_bounds(&gamma, BITS);
            if *x { (low, high) } else { (Rational::ONE - high, Rational::ONE - low) }
        };
        enumerate_sampler(&coin, 60).must_agree(law, -59);
    }
    // An exponent that no enclosure could hold in memory.
    let coin = BernoulliExp::new(Exponent::new(Rational::from(Integer::ONE << 100)).unwrap());
    let masses = enumerate_sampler(&coin, 30);
    assert_eq!(masses.of[&false], Rational::ONE - power_of_two(-30));
}

#[test]
fn uniform_integers() {
    for n in [1i64, 2, 3, 5, 6, 7, 64, 100] {
        let sampler = UniformBelow::<i64>::new(Count::new(n as u64).unwrap()).unwrap();
        let masses = enumerate_sampler(&sampler, 24);
        assert_eq!(masses.of.keys().copied().collect::<Vec<_>>(), (0..n).collect::<Vec<_>>());
        masses.must_agree(|_| exact(ratio(1, n)), -17);
    }
}

#[test]
fn choices() {
    let uniform = Choice::uniform(6).unwrap();
    enumerate_sampler(&uniform, 24).must_agree(|_| exact(ratio(1, 6)), -20);
    let weights = [0, 3, 0, 1, 4, 5, 0].map(Rational::from);
    let weighted = Choice::weighted(&weights).unwrap();
    let masses = enumerate_sampler(&weighted, 24);
    assert_eq!(masses.of.keys().copied().collect::<Vec<_>>(), [1, 3, 4, 5]);
    masses.must_agree(|index| exact(&weights[*index] / Rational::from(13)), -21);
}

#[test]
fn signs() {
    enumerate_sampler(&Sign, 1).must_agree(|_| exact(ratio(1, 2)), -100);
}

#[test]
fn uniform_floats_have_their_gaps_as_masses() {
    for format in [Format::new(3, -4, 3), Format::new(2, -3, -2), Format::new(4, 0, 2), Format::new(2, 5, 9)]
    {
        let format = format.unwrap();
        let key = |x: Float| x.to_rational().unwrap();
        let masses = enumerate(14, |bits| UniformFloat::new(format).draw_exactly(bits).map(key));
        assert_eq!(masses.undecided, Rational::ZERO);
        // Every float of [0, 1) is reached, with the distance to the next float, or to 1, as its mass.
        let mut floats: Vec<Rational> = format
            .all_finite()
            .unwrap()
            .into_iter()
            .map(key)
            .filter(|x| *x >= Rational::ZERO && *x < Rational::ONE)
            .collect();
        floats.sort();
        floats.dedup();
        assert_eq!(masses.of.keys().collect::<Vec<_>>(), floats.iter().collect::<Vec<_>>());
        for (at, float) in floats.iter().enumerate() {
            let next = floats.get(at + 1).cloned().unwrap_or(Rational::ONE);
            assert_eq!(masses.of[float], next - float, "{float}");
        }
    }
}

#[test]
fn biased_twins_are_caught() {
    let masses = enumerate_sampler(&DiscreteLaplace::<i64>::new(scale(3, 1)).unwrap(), 22);
    let tolerance = power_of_two(-13);
    assert_eq!(masses.agree(|x| laplace_law(&ratio(3, 1), *x), &tolerance), Ok(()));
    // A scale that is off by a thousandth, and a law that counts zero twice.
    assert!(masses.agree(|x| laplace_law(&ratio(3003, 1000), *x), &tolerance).is_err());
    let twice = |x: &i64| {
        let (low, high) = laplace_law(&ratio(3, 1), *x);
        let factor = Rational::from(if *x == 0 { 2 } else { 1 });
        (low * &factor, high * factor)
    };
    assert!(masses.agree(twice, &tolerance).is_err());
}

#[test]
fn naturals_of_any_size_are_uniform() {
    // 2^70 + 1 values: the first bits of U decide the first bits of the value.
    let count = (Natural::ONE << 70) + Natural::ONE;
    let sampler = UniformBelow::<Integer>::new(Count::new(count.clone()).unwrap()).unwrap();
    let masses = enumerate(10, |bits| {
        // Follow each bit string by a fixed tail, so that every string decides.
        let tail = [&[true, false][..]; 60].concat();
        let all = [bits.bits, &tail].concat();
        let mut extended = BitString { bits: &all, next: 0 };
        match bits.bits.len() {
            10 => {
                bits.next = 10;
                sampler.draw_exactly(&mut extended)
            }
            _ => Err(SampleError::Entropy(EntropyError::Exhausted)),
        }
    });
    for (rank, value) in masses.of.keys().enumerate() {
        // ⌊(rank + 2/3)/2^10 · n⌋ up to the end of the tail, which has 2^-130 to spare.
        let expected =
            (Rational::from(3 * rank + 2) / Rational::from(3 * 1024)) * Rational::from(count.clone());
        assert!((Rational::from(value.clone()) - expected).to_f64().value().abs() <= 1.0);
    }
    assert_eq!(masses.of.len(), 1024);
}
