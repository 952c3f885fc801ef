//! Number-theoretic transforms modulo three primes below 2^62, and the number that three residues stand for.
//!
//! Cyclic convolution of length 2^k is exact modulo each prime; the Chinese remainder theorem gives back any result below
//! the product of the primes. Knows nothing of laws or of rounding.

use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Primes of the form c · 2^30 + 1 with a primitive root each. A test checks both.
pub(super) const PRIMES: [(u64, u64); 3] =
    [(4611685944339202049, 3), (4611685941117976577, 3), (4611685917495656449, 11)];

/// The longest transform: 2^30 divides p − 1 for each prime.
pub(super) const LONGEST: u32 = 30;

/// So many entries take long enough for a look at the clock.
pub(super) const LONG: usize = 1 << 17;

/// Every number below 2^PRODUCT_BITS is determined by its residues: the product of the primes is 2^185.9999….
pub(super) const PRODUCT_BITS: u32 = 185;

fn mul(a: u64, b: u64, p: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(p)) as u64
}

fn pow(mut base: u64, mut exponent: u64, p: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = mul(result, base, p);
        }
        base = mul(base, base, p);
        exponent >>= 1;
    }
    result
}

/// ⌊w · 2^64 / p⌋ for w < p: multiplying by w then takes one high and two low products (Shoup).
fn companion(w: u64, p: u64) -> u64 {
    ((u128::from(w) << 64) / u128::from(p)) as u64
}

/// a · w modulo p, in [0, 2p), for any a and w < p.
///
/// With q = ⌊a·w'/2^64⌋ and w' = ⌊w·2^64/p⌋: a·w − q·p ≥ 0, and it is less than p·(1 + a/2^64) < 2p.
#[inline(always)]
fn times(a: u64, w: u64, shoup: u64, p: u64) -> u64 {
    let q = ((u128::from(a) * u128::from(shoup)) >> 64) as u64;
    a.wrapping_mul(w).wrapping_sub(q.wrapping_mul(p))
}

/// The roots of unity modulo one prime, for transforms up to a length.
pub(super) struct Roots {
    p: u64,
    /// ⌊2^125 / p⌋, for products of two residues.
    barrett: u64,
    /// 2^64 modulo p and its companion.
    word: (u64, u64),
    /// For each half-length n, a power of two: w^0, …, w^(n−1) at [n, 2n), w of order 2n, each with its companion.
    powers: Vec<(u64, u64)>,
}

impl Roots {
    /// The roots for each prime, for transforms of length 2^bits and all shorter ones; the longest so far are kept.
    /// `None` where the time is over.
    pub(super) fn shared(bits: u32, deadline: Instant) -> Option<[Arc<Roots>; 3]> {
        static KEPT: Mutex<Option<[Arc<Roots>; 3]>> = Mutex::new(None);
        let one = |prime: usize| Some(Arc::new(Roots::new(prime, bits, deadline)?));
        let make = || Some([one(0)?, one(1)?, one(2)?]);
        let Ok(mut kept) = KEPT.lock() else { return make() };
        match kept.as_ref() {
            Some(roots) if roots[0].powers.len() >= 1 << bits => Some(roots.clone()),
            _ => Some(kept.insert(make()?).clone()),
        }
    }

    fn new(prime: usize, bits: u32, deadline: Instant) -> Option<Roots> {
        let (p, g) = PRIMES[prime];
        let length = 1usize << bits;
        let root = pow(g, (p - 1) >> bits, p);
        let with = |w: u64| (w, companion(w, p));
        let mut powers = vec![(0, 0); length.max(2)];
        let half = (length / 2).max(1);
        let mut power = 1;
        for (k, slot) in powers.iter_mut().skip(half).take(half).enumerate() {
            if k % LONG == LONG - 1 && Instant::now() > deadline {
                return None;
            }
            *slot = with(power);
            power = mul(power, root, p);
        }
        // The shorter levels use every second root of the level above.
        let mut n = half / 2;
        while n >= 1 {
            for i in 0..n {
                powers[n + i] = powers[2 * n + 2 * i];
            }
            n /= 2;
        }
        let word = ((1u128 << 64) % u128::from(p)) as u64;
        Some(Roots { p, barrett: ((1u128 << 125) / u128::from(p)) as u64, word: with(word), powers })
    }

    /// A number modulo p.
    fn reduce(&self, x: u128) -> u64 {
        let (high, low) = ((x >> 64) as u64, x as u64);
        let high = times(high, self.word.0, self.word.1, self.p);
        // high < 2p < 2^63 and low % p < p < 2^62.
        (high + low % self.p) % self.p
    }

    /// x · y modulo p, in [0, p), for x, y < 2p.
    ///
    /// With z = x·y < 2^126, ⌊z/2^61⌋ < 2^65 would not fit: both are brought below p first. Then z < 2^124, and
    /// ⌊⌊z/2^61⌋·⌊2^125/p⌋/2^64⌋ is ⌊z/p⌋ or up to two less.
    #[inline(always)]
    fn product(&self, x: u64, y: u64) -> u64 {
        let p = self.p;
        let once = |x: u64| if x >= p { x - p } else { x };
        let z = u128::from(once(x)) * u128::from(once(y));
        let quotient = ((u128::from((z >> 61) as u64) * u128::from(self.barrett)) >> 64) as u64;
        let rest = (z as u64).wrapping_sub(quotient.wrapping_mul(p));
        once(once(rest))
    }

    /// The transform of numbers to a length, in the order that the steps leave; `None` where the time is over.
    pub(super) fn forward(&self, numbers: &[u128], length: usize, deadline: Instant) -> Option<Vec<u64>> {
        let mut values: Vec<u64> = numbers.iter().map(|x| self.reduce(*x)).collect();
        values.resize(length, 0);
        self.down(&mut values, deadline)?;
        Some(values)
    }

    /// Decimation in frequency; halves that fit in a cache are finished before the next ones are touched.
    fn down(&self, values: &mut [u64], deadline: Instant) -> Option<()> {
        let n = values.len() / 2;
        if n == 0 {
            return Some(());
        }
        if n >= LONG && Instant::now() > deadline {
            return None;
        }
        let (p, two_p) = (self.p, 2 * self.p);
        let (left, right) = values.split_at_mut(n);
        // Entries stay in [0, 2p).
        for ((a, b), (w, shoup)) in left.iter_mut().zip(right.iter_mut()).zip(&self.powers[n..2 * n]) {
            let (x, y) = (*a, *b);
            let sum = x.wrapping_add(y);
            *a = sum.wrapping_sub(if sum >= two_p { two_p } else { 0 });
            *b = times(x.wrapping_add(two_p).wrapping_sub(y), *w, *shoup, p);
        }
        self.down(left, deadline)?;
        self.down(right, deadline)
    }

    /// The inverse of [`Roots::forward`], reduced.
    pub(super) fn inverse(&self, mut values: Vec<u64>, deadline: Instant) -> Option<Vec<u64>> {
        self.up(&mut values, deadline)?;
        let p = self.p;
        let shrink = pow(values.len() as u64 % p, p - 2, p);
        let shoup = companion(shrink, p);
        for value in &mut values {
            let scaled = times(*value, shrink, shoup, p);
            *value = if scaled >= p { scaled - p } else { scaled };
        }
        Some(values)
    }

    fn up(&self, values: &mut [u64], deadline: Instant) -> Option<()> {
        let n = values.len() / 2;
        if n == 0 {
            return Some(());
        }
        if n >= LONG && Instant::now() > deadline {
            return None;
        }
        let (p, two_p) = (self.p, 2 * self.p);
        let (left, right) = values.split_at_mut(n);
        self.up(left, deadline)?;
        self.up(right, deadline)?;
        let put = |a: &mut u64, b: &mut u64, x: u64, y: u64| {
            let sum = x.wrapping_add(y);
            let difference = x.wrapping_add(two_p).wrapping_sub(y);
            *a = sum.wrapping_sub(if sum >= two_p { two_p } else { 0 });
            *b = difference.wrapping_sub(if difference >= two_p { two_p } else { 0 });
        };
        let (x, y) = (left[0], right[0]);
        put(&mut left[0], &mut right[0], x, y);
        // w^(−j) = −w^(n−j) for w of order 2n: the same table, backwards, with sum and difference exchanged.
        let pairs = left[1..].iter_mut().zip(right[1..].iter_mut());
        for ((a, b), (w, shoup)) in pairs.zip(self.powers[n + 1..2 * n].iter().rev()) {
            let (x, y) = (*a, times(*b, *w, *shoup, p));
            put(b, a, x, y);
        }
        Some(())
    }

    /// Products of transforms, entry by entry.
    pub(super) fn multiply(&self, a: &mut [u64], b: &[u64]) {
        for (x, y) in a.iter_mut().zip(b) {
            *x = self.product(*x, *y);
        }
    }

    /// Squares of a transform, entry by entry.
    pub(super) fn square(&self, a: &mut [u64]) {
        for x in a.iter_mut() {
            *x = self.product(*x, *x);
        }
    }
}

/// What Garner's form of the Chinese remainder theorem needs.
pub(super) struct Garner {
    /// 1/p0 modulo p1, and 1/(p0·p1) modulo p2, with companions.
    inverse_first: (u64, u64),
    inverse_both: (u64, u64),
    first_mod_third: (u64, u64),
}

impl Garner {
    pub(super) fn new() -> Garner {
        let [(p0, _), (p1, _), (p2, _)] = PRIMES;
        let with = |w: u64, p: u64| (w, companion(w, p));
        let both = mul(p0 % p2, p1 % p2, p2);
        Garner {
            inverse_first: with(pow(p0 % p1, p1 - 2, p1), p1),
            inverse_both: with(pow(both, p2 - 2, p2), p2),
            first_mod_third: with(p0 % p2, p2),
        }
    }

    /// ⌊x / 2^shift⌋ for the x below the product of the primes with these residues; 64 ≤ shift < 128, and the result
    /// must fit.
    pub(super) fn shifted(&self, r0: u64, r1: u64, r2: u64, shift: u32) -> u128 {
        let [(p0, _), (p1, _), (p2, _)] = PRIMES;
        let full = |x: u64, p: u64| if x >= p { x - p } else { x };
        // x = r0 + p0·(c1 + p1·c2). The primes differ by less than 2^35, so a residue of one is below twice another.
        let c1 = full(times(r1 + p1 - full(r0, p1), self.inverse_first.0, self.inverse_first.1, p1), p1);
        let low = full(times(full(c1, p2), self.first_mod_third.0, self.first_mod_third.1, p2), p2);
        let part = full(full(r0, p2) + low, p2);
        let c2 = full(times(r2 + p2 - part, self.inverse_both.0, self.inverse_both.1, p2), p2);
        let inner = u128::from(c1) + u128::from(p1) * u128::from(c2); // < 2^124
        // p0 · inner + r0 in limbs of 64 bits.
        let low = u128::from(p0) * u128::from(inner as u64) + u128::from(r0);
        let high = u128::from(p0) * (inner >> 64) + (low >> 64); // < 2^124
        // The lowest 64 bits fall away, as 64 ≤ shift.
        high >> (shift - 64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lucas: p is prime if g has order p − 1, and the order is checked at each prime factor of p − 1.
    #[test]
    fn primes_are_prime_and_roots_primitive() {
        for (p, g) in PRIMES {
            let mut factors = Vec::new();
            let mut rest = p - 1;
            let mut d = 2u64;
            while d * d <= rest {
                while rest % d == 0 {
                    factors.push(d);
                    rest /= d;
                }
                d += 1;
            }
            if rest > 1 {
                factors.push(rest);
            }
            factors.dedup();
            assert_eq!(pow(g, p - 1, p), 1);
            assert!(factors.iter().all(|f| pow(g, (p - 1) / f, p) != 1), "{p}");
            assert_eq!((p - 1) % (1 << LONGEST), 0);
            assert!(p < 1 << 62);
        }
        let product = PRIMES.iter().fold(probity_exact::Natural::ONE, |product, (p, _)| product * *p);
        assert!(product > probity_exact::Natural::ONE << PRODUCT_BITS as usize);
    }
}
