//! The insecure limit: what speed is to be had when nobody cares about the last bits, with the same kind of
//! generator (ChaCha12). None of this is private.

#![expect(clippy::disallowed_methods, reason = "the platform's ln and exp are what the naive code uses")]

use std::hint::black_box;

use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use crate::work::{Work, over_operands};

const VECTOR: usize = 4096;

/// Work that fills a vector from one random word per item.
fn fill<Item: Copy + Default + 'static>(item: impl Fn(u64) -> Item + 'static) -> Work {
    let mut generator = ChaCha12Rng::seed_from_u64(0);
    let mut items = vec![Item::default(); VECTOR];
    Work::new(VECTOR as u64, move || {
        for place in &mut items {
            *place = item(generator.next_u64());
        }
        black_box(&items);
        Ok(())
    })
}

/// A uniform double in (0, 1], from the top 53 bits.
fn unit(word: u64) -> f64 {
    ((word >> 11) + 1) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// scale · ±ln(u), as a double.
pub fn laplace(scale: f64) -> Work {
    // The lowest bit, which `unit` does not use, is the sign.
    fill(move |word| f64::from_bits((-scale * unit(word).ln()).to_bits() ^ word << 63))
}

/// −ln(u).
pub fn unit_ln() -> Work {
    fill(|word| -unit(word).ln())
}

/// One half of the Box–Muller transformation, from two halves of a word.
pub fn gaussian(scale: f64) -> Work {
    fill(move |word| {
        let radius = (-2.0 * unit(word).ln()).sqrt();
        let angle = (word & 0xffff_ffff) as f64 * (std::f64::consts::TAU / (1u64 << 32) as f64);
        scale * radius * angle.cos()
    })
}

/// A comparison with a threshold.
pub fn bernoulli(probability: f64) -> Work {
    let threshold = (probability * (1u64 << 32) as f64) as u64;
    fill(move |word| (word >> 32) < threshold)
}

/// A multiplication, biased by 2^-32.
pub fn choice_of_ten() -> Work {
    fill(|word| (((word >> 32) * 10) >> 32) as u32)
}

/// The naive directed operation: the nearest result, and one step up.
pub fn directed(name: &str) -> Option<Work> {
    Some(match name {
        "add_up" => over_operands(|a, b| (a + b).next_up()),
        "sub_up" => over_operands(|a, b| (a - b).next_up()),
        "mul_up" => over_operands(|a, b| (a * b).next_up()),
        "div_up" => over_operands(|a, b| (a / b).next_up()),
        "ln_up" => over_operands(|a, _| a.ln().next_up()),
        "exp_up" => over_operands(|a, _| a.exp().next_up()),
        _ => return None,
    })
}
