//! Tails of the normal law at very many points: Taylor's formula around nodes, where `trusted/exact` encloses them.
//!
//! For F = 1 − Φ and a node c, with He_k the Hermite polynomials (φ^(k) = (−1)^k He_k φ),
//! F(c + t) = F(c) − Σ_{k<m} (−1)^k φ(c) He_k(c) t^(k+1)/(k+1)! + R, and by Cramér's inequality
//! |He_m(x)| e^(−x²/4) ≤ 1.0865·√(m!), so |R| ≤ 0.44·√(m!)·|t|^(m+1)/(m+1)! ≤ |t|^(m+1)/√((m+1)!).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use probity_exact::{BitTest, Float, Integer, Natural, Rational, normal_density_bounds, normal_tail_bounds};

use crate::fixed::{FixedBounds, natural};

/// Nodes are multiples of 2^−NODE, so |t| ≤ 2^−(NODE+1).
const NODE: usize = 6;
/// Bits below the last one of an answer. All errors of a computation together are below 2^GUARD units of these.
const GUARD: usize = 16;
/// Fractional bits of the numbers of fixed size: they are below 8 in size, so the sign and the products' carries fit.
const SMALL: usize = 120;

/// Bounds of 1 − Φ to b fractional bits, both within two units of the truth.
pub(crate) struct Tails {
    bits: usize,
    /// Beyond this many nodes from 0 a tail is less than one unit.
    reach: i64,
    terms: usize,
    nodes: Vec<OnceLock<Node>>,
}

struct Node {
    tail: Integer,
    /// (−1)^k φ(c) He_k(c) / (k+1)!, with b + GUARD bits, as far as they need so many.
    coefficients: Vec<Integer>,
    /// The others, with SMALL bits: t^(k+1) brings an error of theirs below one unit.
    small: Vec<i128>,
}

impl Tails {
    /// The tails to b bits; nodes are kept for all who ask for the same precision.
    pub fn shared(bits: usize) -> Arc<Tails> {
        static KEPT: Mutex<BTreeMap<usize, Arc<Tails>>> = Mutex::new(BTreeMap::new());
        match KEPT.lock() {
            Ok(mut kept) => kept.entry(bits).or_insert_with(|| Arc::new(Tails::new(bits))).clone(),
            Err(_) => Arc::new(Tails::new(bits)),
        }
    }

    fn new(bits: usize) -> Tails {
        // 1 − Φ(x) ≤ e^(−x²/2) < 2^−b for x² > 2·b·ln 2; 1.4 > 2 ln 2.
        let radius = (14 * bits / 10).isqrt() + 1;
        let reach = (radius << NODE) as i64;
        // The smallest m with (NODE+1)·(m+1) + log2 √((m+1)!) ≥ b + GUARD.
        let mut terms = 1;
        let mut log_factorial = 0usize;
        while (NODE + 1) * (terms + 1) + log_factorial / 2 < bits + GUARD {
            terms += 1;
            log_factorial += (terms + 1).ilog2() as usize;
        }
        let nodes = (0..=2 * reach as usize).map(|_| OnceLock::new()).collect();
        Tails { bits, reach, terms, nodes }
    }

    /// Bounds of 1 − Φ(x) for x with b fractional bits.
    pub fn at(&self, x: &Integer) -> FixedBounds {
        let b = self.bits;
        // The nearest node.
        let index = (x + (Integer::ONE << (b - NODE - 1))) >> (b - NODE);
        let one = Natural::ONE << b;
        let index = match i64::try_from(&index) {
            Ok(index) if index.abs() <= self.reach => index,
            // Beyond the reach the smaller tail is below one unit.
            _ if *x > Integer::ZERO => return FixedBounds { low: Natural::ZERO, high: Natural::ONE },
            _ => return FixedBounds { low: one.clone() - Natural::ONE, high: one },
        };
        let node = self.nodes[(index + self.reach) as usize].get_or_init(|| self.node(index));
        let value = self.near(node, &(x - (Integer::from(index) << (b - NODE))));
        // Off by less than 2^16 guard units, so the truth lies within one unit of what is left.
        let cut: Integer = value >> GUARD;
        FixedBounds { low: natural(&cut - Integer::ONE), high: natural(cut + Integer::from(2)).min(one) }
    }

    /// 1 − Φ at the distance t from a node, with b + GUARD bits. Off by at most: the node 2, each coefficient 2, each shift 1, the sum of
    /// small numbers 4, the remainder 1; together less than 2^8.
    fn near(&self, node: &Node, t: &Integer) -> Integer {
        let b = self.bits;
        // Each step is off by 3 units of 2^−SMALL (the product, t, the coefficient), of which t leaves 2^−(NODE+1) to the next.
        let small_t = to_small(t, b);
        let small =
            node.small.iter().rev().fold(0, |sum, coefficient| small_product(sum, small_t) + coefficient);
        let mut sum = from_small(small, b + GUARD);
        for coefficient in node.coefficients.iter().rev() {
            sum = ((sum * t) >> b) + coefficient;
        }
        &node.tail - ((sum * t) >> b)
    }

    fn node(&self, index: i64) -> Node {
        let w = self.bits + GUARD;
        let c = Rational::from_parts(Integer::from(index), Natural::ONE << NODE);
        // A value below 1, known to a relative 2^−(w+4).
        let middle = |(low, _): (Float, Float)| Integer::from(FixedBounds::between(&low, &low, w).low);
        let tail = middle(normal_tail_bounds(&c, w as u32 + 4));
        // |He_k(c)|/(k+1)! ≤ e^|c|: what the density lacks grows by less than 2^(2|c|).
        let extra = 32 + 2 * (index.unsigned_abs() as usize >> NODE);
        let wide = w + extra;
        let (density, _) = normal_density_bounds(&c, wide as u32 + 4);
        let density = Integer::from(FixedBounds::between(&density, &density, wide).low);
        // He_k(c)·2^(NODE·k) are integers: He_{k+1} = c·He_k − k·He_{k−1}.
        let (mut before, mut now) = (Integer::ZERO, Integer::ONE);
        let mut factorial = Integer::ONE;
        let mut coefficients = Vec::with_capacity(self.terms);
        for k in 0..self.terms {
            factorial *= Integer::from(k + 1);
            let scaled = &density * &now / &factorial;
            let value = scaled >> (NODE * k + extra);
            coefficients.push(if k % 2 == 0 { value } else { -value });
            let next = Integer::from(index) * &now - ((Integer::from(k) * before) << (2 * NODE));
            before = now;
            now = next;
        }
        // |t|^(k+1) ≤ 2^−(NODE+1)(k+1) makes up for the bits that small numbers lack.
        let large = w.saturating_sub(SMALL).div_ceil(NODE + 1).saturating_sub(1).min(coefficients.len());
        let small =
            coefficients.split_off(large).iter().map(|coefficient| to_small(coefficient, w)).collect();
        Node { tail, coefficients, small }
    }
}

/// A number with so many fractional bits, cut to SMALL of them. It must be below 8 in size.
fn to_small(value: &Integer, bits: usize) -> i128 {
    let cut = if bits >= SMALL { value >> (bits - SMALL) } else { value << (SMALL - bits) };
    debug_assert!(cut.bit_len() <= SMALL + 3);
    i128::try_from(cut).unwrap_or(0)
}

fn from_small(value: i128, bits: usize) -> Integer {
    let value = Integer::from(value);
    if bits >= SMALL { value << (bits - SMALL) } else { value >> (SMALL - bits) }
}

/// a·b with SMALL fractional bits, off by at most one unit, for numbers below 8 whose product is too.
fn small_product(a: i128, b: i128) -> i128 {
    let (x, y) = (a.unsigned_abs(), b.unsigned_abs());
    let halves = |x: u128| (x >> 64, x & u128::from(u64::MAX));
    let ((x1, x0), (y1, y0)) = (halves(x), halves(y));
    // x·y = high·2^128 + low.
    let (middle, carry) = (x1 * y0).overflowing_add(x0 * y1);
    let (low, more) = (x0 * y0).overflowing_add(middle << 64);
    let high = x1 * y1 + (middle >> 64) + (u128::from(carry) << 64) + u128::from(more);
    let size = ((high << (128 - SMALL)) | (low >> SMALL)) as i128;
    if (a < 0) == (b < 0) { size } else { -size }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is added up has its bits: far less than the 2^16 guard units that are allowed for, at both ends of a node's cell too.
    #[test]
    fn errors_are_a_few_guard_units() {
        for bits in [100usize, 105, 120, 176, 300] {
            let tails = Tails::new(bits);
            for index in [-700i64, -130, -1, 0, 3, 128, 640] {
                let node = tails.node(index);
                let c = Rational::from_parts(Integer::from(index), Natural::ONE << NODE);
                for eighth in [-8i64, -5, 0, 3, 8] {
                    let t = Rational::from_parts(Integer::from(eighth), Natural::ONE << (NODE + 4));
                    let found = tails.near(&node, &crate::fixed::floor(&t, bits));
                    let (low, _) = normal_tail_bounds(&(&c + t), (bits + GUARD) as u32 + 20);
                    let truth = Integer::from(FixedBounds::between(&low, &low, bits + GUARD).low);
                    let off = natural((&found - &truth).max(truth - found));
                    assert!(off < Natural::from(256u16), "{bits} {index} {eighth}: {off}");
                }
            }
        }
    }

    #[test]
    fn small_products_are_products() {
        let mut state = 5u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (i128::from(state as i64) << 64 | i128::from(state.rotate_left(17))) >> (5 + state % 90)
        };
        for _ in 0..20_000 {
            let (a, b) = (next() >> 2, next() >> 2);
            let exact: Integer = (Integer::from(a) * Integer::from(b)) >> SMALL;
            let off = Integer::from(small_product(a, b)) - exact;
            assert!(off == Integer::ZERO || off == Integer::ONE, "{a} {b}");
        }
    }

    /// Against the enclosures that it interpolates, at points far from the nodes.
    #[test]
    fn tails_hold() {
        for bits in [100usize, 176, 300] {
            let tails = Tails::new(bits);
            let mut state = 9u64;
            for _ in 0..60 {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let x = Rational::from_parts(
                    Integer::from((state >> 20) as i64 - (1 << 43)),
                    Natural::ONE << 39usize,
                );
                let found = tails.at(&crate::fixed::floor(&x, bits));
                let (low, high) = normal_tail_bounds(&x, bits as u32 + 20);
                let truth = FixedBounds::between(&low, &high, bits + 40);
                assert!(found.low.clone() << 40usize <= truth.low, "{bits} {x}");
                assert!(found.high.clone() << 40usize >= truth.high, "{bits} {x}");
                assert!(&found.high - &found.low <= Natural::from(3u8));
            }
        }
    }
}
