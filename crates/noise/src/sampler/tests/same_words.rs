//! Tests of the samplers whose two paths read the same words in the same order: both must draw the same value.

use probity_exact::directed::exp_nearest;
use probity_exact::{Format, Integer, Rational, rational};

use super::super::draw::Draw;
use super::super::*;
use crate::entropy::tape::Tape;

fn ratio(n: i64, d: i64) -> Rational {
    rational(n, d).unwrap()
}

/// Both paths on the same words.
fn same_on_both_paths<S: Draw>(sampler: &S, words: &[u64])
where
    S::Value: PartialEq + std::fmt::Debug,
{
    let (mut tape, mut block) = (Tape::of_words(words), [0; LONG]);
    let fast = sampler.draw(&mut Words::new(&mut tape, &mut block, words.len()));
    let (mut tape, mut block) = (Tape::of_words(words), [0; LONG]);
    let exact = sampler.draw_exactly(&mut Words::new(&mut tape, &mut block, words.len()));
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
            // A second word that brings the fraction to 2^64 − 1, so that the carry is up to the third.
            let fraction = words[0].wrapping_mul(count);
            let missing = u128::from(u64::MAX - fraction) << 64;
            for second in [0, 1].map(|step| missing.div_ceil(u128::from(count)) + step) {
                let Ok(second) = u64::try_from(second) else { continue };
                for third in [0, u64::MAX, words[2]] {
                    same_on_both_paths(&sampler, &[words[0], second, third, words[3], words[4], words[5]]);
                }
            }
        }
    }
    let big = UniformBelow::<Integer>::new(Count::new((1u64 << 63) - 25).unwrap()).unwrap();
    same_on_both_paths(&big, &[u64::MAX, u64::MAX, 5, 5, 5, 5]);
    same_on_both_paths(&big, &[u64::MAX / 2, u64::MAX, 0, 0, 0, 0]);
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
            let edge = [1.0 / 3.0, exp_nearest(-7.0 / 3.0), (at % 10) as f64 / 10.0, (at % 30) as f64 / 30.0];
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
        let any_format = UniformFloat::new(Format::BINARY64).sample(&mut Tape::of_words(words)).unwrap();
        assert_eq!(any_format.to_f64(), Some(draw(&words)));
    }
}
