//! Exact products of integer sequences, shifted down and rounded down once.

use std::time::Instant;

use probity_exact::Natural;

use super::tilted::Stop;
use super::transform::{Garner, LONG, LONGEST, PRODUCT_BITS, Roots};

/// Sequences shorter than this are multiplied in the schoolbook way.
const SHORT: usize = 24;

/// ⌊(a ∗ b)_k / 2^shift⌋ for each k.
///
/// Every entry of a ∗ b is at most (Σ a)·(max b), which is checked to be below 2^185 and so below the product of the
/// primes: no wrapping, no overflow. It is too large where it is not, and where the result would be longer than 2^30.
pub(crate) fn convolve(a: &[u128], b: &[u128], shift: u32, deadline: Instant) -> Result<Vec<u128>, Stop> {
    if !fits(a, b) || !(64..128).contains(&shift) {
        return Err(Stop::Size);
    }
    if a.is_empty() || b.is_empty() {
        return Ok(Vec::new());
    }
    let length = a.len() + b.len() - 1;
    if a.len().min(b.len()) <= SHORT {
        return Ok(schoolbook(a, b, shift));
    }
    let bits = length.next_power_of_two().trailing_zeros();
    if bits > LONGEST {
        return Err(Stop::Size);
    }
    transformed(a, b, shift, bits, deadline).ok_or(Stop::Time)
}

/// The same by transforms of 2^bits numbers; `None` where the time is over.
fn transformed(a: &[u128], b: &[u128], shift: u32, bits: u32, deadline: Instant) -> Option<Vec<u128>> {
    let length = a.len() + b.len() - 1;
    let same = std::ptr::eq(a, b);
    let roots = Roots::shared(bits, deadline)?;
    let residues = |roots: &Roots| {
        let mut values = roots.forward(a, 1 << bits, deadline)?;
        match same {
            true => roots.square(&mut values),
            false => roots.multiply(&mut values, &roots.forward(b, 1 << bits, deadline)?),
        }
        let mut values = roots.inverse(values, deadline)?;
        values.truncate(length);
        Some(values)
    };
    combined([residues(&roots[0])?, residues(&roots[1])?, residues(&roots[2])?], shift, deadline)
}

/// The numbers that residues stand for, shifted down.
fn combined([r0, r1, r2]: [Vec<u64>; 3], shift: u32, deadline: Instant) -> Option<Vec<u128>> {
    let garner = Garner::new();
    let mut product = Vec::with_capacity(r0.len());
    for k in 0..r0.len() {
        if k % LONG == LONG - 1 && Instant::now() > deadline {
            return None;
        }
        product.push(garner.shifted(r0[k], r1[k], r2[k], shift));
    }
    Some(product)
}

fn fits(a: &[u128], b: &[u128]) -> bool {
    let sum = a.iter().try_fold(0u128, |sum, v| sum.checked_add(*v));
    let largest = b.iter().copied().max().unwrap_or(0);
    sum.is_some_and(|sum| Natural::from(sum) * Natural::from(largest) < Natural::ONE << PRODUCT_BITS as usize)
}

/// The high part of products that are summed in three words.
fn schoolbook(a: &[u128], b: &[u128], shift: u32) -> Vec<u128> {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let length = a.len() + b.len() - 1;
    (0..length)
        .map(|k| {
            // Sum of low words of 64 bits and of the rest, kept apart: at most 24 products below 2^185 each.
            let (mut high, mut low) = (0u128, 0u128);
            for (i, x) in short.iter().enumerate().take(k + 1) {
                let Some(y) = long.get(k - i) else { continue };
                let (h, l) = wide(*x, *y);
                low += u128::from(l);
                high += h;
            }
            (high + (low >> 64)) >> (shift - 64)
        })
        .collect()
}

/// x · y as (high, low) with the value high · 2^64 + low; the product is below 2^186.
fn wide(x: u128, y: u128) -> (u128, u64) {
    let (x1, x0) = (x >> 64, x & u128::from(u64::MAX));
    let (y1, y0) = (y >> 64, y & u128::from(u64::MAX));
    let low = x0 * y0;
    // x1·y1·2^64 fits as the whole product is below 2^186.
    let middle = x1 * y0 + x0 * y1;
    (((x1 * y1) << 64) + middle + (low >> 64), low as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn later() -> Instant {
        Instant::now() + Duration::from_secs(600)
    }

    /// Every stage of a long product is given up once its time is over.
    #[test]
    fn long_products_keep_to_the_time() {
        let (long, over) = (2 * LONG, Instant::now());
        assert!(Roots::shared(19, over).is_none());
        let roots = Roots::shared(18, later()).unwrap();
        let numbers = vec![1u128 << 70; long];
        assert!(roots[0].forward(&numbers, long, over).is_none());
        let values = roots[0].forward(&numbers, long, later()).unwrap();
        assert!(roots[0].inverse(values.clone(), over).is_none());
        assert!(combined([values.clone(), values.clone(), values], 92, over).is_none());
        assert_eq!(convolve(&numbers, &numbers, 92, over), Err(Stop::Time));
        assert_eq!(convolve(&numbers, &numbers, 92, later()).map(|product| product.len()), Ok(2 * long - 1));
    }

    /// Against products of big integers, on lengths around every threshold.
    #[test]
    fn products_are_exact() {
        let mut state = 5u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 7
        };
        for (n, m) in [(1, 1), (3, 40), (25, 25), (25, 31), (33, 100), (128, 129), (300, 40)] {
            let mut draw = |len: usize| -> Vec<u128> {
                (0..len).map(|_| (u128::from(next()) << 29) | u128::from(next() >> 30)).collect()
            };
            let (a, b) = (draw(n), draw(m));
            let exact = |x: &[u128], y: &[u128]| -> Vec<u128> {
                let mut sums = vec![Natural::ZERO; x.len() + y.len() - 1];
                for (i, p) in x.iter().enumerate() {
                    for (j, q) in y.iter().enumerate() {
                        sums[i + j] += Natural::from(*p) * Natural::from(*q);
                    }
                }
                sums.iter().map(|v| u128::try_from(v >> 92usize).unwrap()).collect()
            };
            assert_eq!(convolve(&a, &b, 92, later()).unwrap(), exact(&a, &b), "{n} {m}");
            assert_eq!(convolve(&a, &a, 92, later()).unwrap(), exact(&a, &a), "{n}");
        }
    }

    #[test]
    fn what_might_wrap_is_refused() {
        let big = vec![1u128 << 92; 40];
        assert_eq!(convolve(&big, &big, 92, later()), Err(Stop::Size));
        assert_eq!(convolve(&big[..1], &big, 92, later()).map(|product| product.len()), Ok(40));
    }
}
