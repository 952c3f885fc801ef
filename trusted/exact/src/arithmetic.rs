//! Correctly rounded +, −, ×, ÷, √ and fused multiply-add in any format: the exact result is formed as an
//! integer times a power of two (or a quotient of integers) and rounded once.
//!
//! Special values follow IEEE 754: an exact zero sum of two numbers is −0 when rounding down and +0
//! otherwise, 0·∞, ∞−∞, 0/0, ∞/∞ and the root of a negative number are NaN.

use dashu_base::{BitTest, SquareRootRem};

use crate::float::{Float, Kind};
use crate::{Format, Integer, Natural, Round, Sign, UnsignedAbs};

/// A finite number as sign, significand and exponent.
#[derive(Clone)]
struct Parts {
    negative: bool,
    significand: Natural,
    exponent: i64,
}

impl Format {
    /// x + y, rounded once.
    pub fn add(&self, x: &Float, y: &Float, direction: Round) -> Float {
        match (&x.0, &y.0) {
            (Kind::Nan, _) | (_, Kind::Nan) => Float::nan(),
            (Kind::Infinite { negative: a }, Kind::Infinite { negative: b }) if a != b => Float::nan(),
            (Kind::Infinite { negative }, _) | (_, Kind::Infinite { negative }) => Float::infinity(*negative),
            (
                Kind::Finite { negative, significand, exponent },
                Kind::Finite { negative: other, significand: t, exponent: f },
            ) => self.add_parts(
                Parts { negative: *negative, significand: significand.clone(), exponent: *exponent },
                Parts { negative: *other, significand: t.clone(), exponent: *f },
                direction,
            ),
        }
    }

    /// x − y, rounded once.
    pub fn sub(&self, x: &Float, y: &Float, direction: Round) -> Float {
        self.add(x, &y.negated(), direction)
    }

    /// x · y, rounded once.
    pub fn mul(&self, x: &Float, y: &Float, direction: Round) -> Float {
        match product(x, y) {
            Ok(exact) => self.round_dyadic(exact.negative, exact.significand, exact.exponent, direction),
            Err(special) => special,
        }
    }

    /// x · y + z, rounded once.
    pub fn fma(&self, x: &Float, y: &Float, z: &Float, direction: Round) -> Float {
        match (product(x, y), z.parts()) {
            (Ok(exact), Some((negative, significand, exponent))) => {
                let addend = Parts { negative, significand: significand.clone(), exponent };
                self.add_parts(exact, addend, direction)
            }
            (Ok(_), None) => z.clone(),
            (Err(special), _) => self.add(&special, z, direction),
        }
    }

    /// x / y, rounded once.
    pub fn div(&self, x: &Float, y: &Float, direction: Round) -> Float {
        let negative = x.is_negative() != y.is_negative();
        match (&x.0, &y.0) {
            (Kind::Nan, _) | (_, Kind::Nan) => Float::nan(),
            (Kind::Infinite { .. }, Kind::Infinite { .. }) => Float::nan(),
            (Kind::Infinite { .. }, _) => Float::infinity(negative),
            (_, Kind::Infinite { .. }) => Float::zero(negative),
            (
                Kind::Finite { significand, exponent, .. },
                Kind::Finite { significand: divisor, exponent: f, .. },
            ) => match (*significand == Natural::ZERO, *divisor == Natural::ZERO) {
                (true, true) => Float::nan(),
                (false, true) => Float::infinity(negative),
                _ => self.round_quotient(negative, significand, divisor, exponent - f, direction),
            },
        }
    }

    /// √x, rounded once; √−0 is −0.
    pub fn sqrt(&self, x: &Float, direction: Round) -> Float {
        match &x.0 {
            _ if x.is_zero() || x.is_nan() => x.clone(),
            _ if x.is_negative() => Float::nan(),
            Kind::Finite { significand, exponent, .. } => {
                // Scale to an even exponent and to a root of at least precision + 2 bits. One more bit that is
                // set when the root is not whole then decides every direction.
                let wanted = 2 * (i64::from(self.precision()) + 2);
                let mut shift = (wanted - significand.bit_len() as i64).max(0);
                if (exponent - shift) % 2 != 0 {
                    shift += 1;
                }
                let (root, rest) = (significand << shift as usize).sqrt_rem();
                let sticky = if rest == Natural::ZERO { Natural::ZERO } else { Natural::ONE };
                self.round_dyadic(false, (root << 1) + sticky, (exponent - shift) / 2 - 1, direction)
            }
            _ => x.clone(),
        }
    }

    fn add_parts(&self, x: Parts, y: Parts, direction: Round) -> Float {
        let (x, y) = self.without_gap(x, y);
        let low = x.exponent.min(y.exponent);
        let aligned = |p: &Parts| {
            let magnitude = &p.significand << (p.exponent - low) as usize;
            Integer::from_parts(crate::float::sign(p.negative), magnitude)
        };
        let sum = aligned(&x) + aligned(&y);
        if sum == Integer::ZERO {
            let both = x.significand == Natural::ZERO && y.significand == Natural::ZERO;
            let negative =
                if both && x.negative == y.negative { x.negative } else { direction == Round::Down };
            return Float::zero(negative);
        }
        self.round_dyadic(sum.sign() == Sign::Negative, sum.unsigned_abs(), low, direction)
    }

    /// Replaces the smaller of two numbers that are very far apart by one that rounds alike, so that aligning
    /// them stays cheap.
    ///
    /// Let the larger one, L, be a multiple of 2^l, with quantum 2^q in the format. L + δ rounds by where it
    /// lies between L and the nearest decision point, and decision points are multiples of 2^(q−2) (half a
    /// quantum; a quarter just below a power of two). So any δ with 0 < |δ| < 2^min(l, q−2) and the
    /// same sign does as well as another: take half of that bound.
    fn without_gap(&self, x: Parts, y: Parts) -> (Parts, Parts) {
        if x.significand == Natural::ZERO || y.significand == Natural::ZERO {
            // A zero has no bits to align; give it the other's exponent.
            let exponent = if x.significand == Natural::ZERO { y.exponent } else { x.exponent };
            return match x.significand == Natural::ZERO {
                true => (Parts { exponent, ..x }, y),
                false => (x, Parts { exponent, ..y }),
            };
        }
        let leading = |p: &Parts| p.exponent + p.significand.bit_len() as i64 - 1;
        let (large, small) = if leading(&x) >= leading(&y) { (x, y) } else { (y, x) };
        let bound = large.exponent.min(self.quantum(leading(&large)) - 2);
        if leading(&small) >= bound {
            return (large, small);
        }
        let stand_in = Parts { negative: small.negative, significand: Natural::ONE, exponent: bound - 1 };
        (large, stand_in)
    }
}

/// The exact product of two finite numbers, or the special value that the product is.
fn product(x: &Float, y: &Float) -> Result<Parts, Float> {
    let negative = x.is_negative() != y.is_negative();
    match (&x.0, &y.0) {
        (Kind::Nan, _) | (_, Kind::Nan) => Err(Float::nan()),
        (Kind::Infinite { .. }, other) | (other, Kind::Infinite { .. }) => match other {
            Kind::Finite { significand, .. } if *significand == Natural::ZERO => Err(Float::nan()),
            _ => Err(Float::infinity(negative)),
        },
        (Kind::Finite { significand, exponent, .. }, Kind::Finite { significand: t, exponent: f, .. }) => {
            Ok(Parts { negative, significand: significand * t, exponent: exponent + f })
        }
    }
}
