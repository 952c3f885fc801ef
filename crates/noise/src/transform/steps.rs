//! Numbers as steps of a grid of 1/d, in machine integers where they are enough: the same as by rationals, a hundred times faster.
//!
//! With a step of 1/d a number x is floor(x·d + 1/2) steps. A double is m·2^e with |m| < 2^53, so that m·d has less than 115 bits and
//! the rounding is one shift of an `i128`.

/// The largest denominator of a step for which this arithmetic is enough.
pub const MOST: u64 = 1 << 62;

/// A finite double in steps of 1/`denominator`, not clamped; `None` where 128 bits are not enough.
pub fn of_double(value: f64, denominator: u64) -> Option<i128> {
    let bits = value.to_bits();
    let (biased, fraction) = ((bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
    let (significand, exponent) = match biased {
        0x7ff => return None,
        0 => (fraction, -1074),
        _ => (fraction | 1 << 52, biased as i32 - 1075),
    };
    let magnitude = i128::from(significand) * i128::from(denominator);
    let scaled = if value.is_sign_negative() { -magnitude } else { magnitude };
    match exponent {
        // Below 2^115 · 2^11.
        0..=11 => Some(scaled << exponent),
        12.. => None,
        // floor((2s + 2^k) / 2^(k + 1)), and 2s + 2^k is below 2^127.
        -125..0 => Some((2 * scaled + (1i128 << -exponent)) >> (1 - exponent)),
        // Less than half a step.
        _ => Some(0),
    }
}

/// Doubles in steps of 2^−k, clamped, by doubles alone.
///
/// Scaling by 2^k ≥ 1 is exact, or overflows to an infinity on the right side of both bounds. Clamping to whole bounds before rounding
/// gives what rounding and then clamping does, since rounding keeps order and whole numbers; a NaN becomes the lower bound. What is
/// left lies within ±2^53, so that its whole part i is exact, and so is the rest, within (−1, 1) and of the same sign: the nearest whole
/// number, ties up, is i, or i + 1 from a rest of 1/2 on, or i − 1 for a rest below −1/2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InDoubles {
    scale: f64,
    lower: f64,
    upper: f64,
}

/// Whole numbers up to this are doubles.
const WHOLE: u64 = 1 << 53;

impl InDoubles {
    /// For steps of 1/`denominator` from `lower` to `upper`; `None` where doubles are not enough.
    pub fn new(denominator: u64, lower: i64, upper: i64) -> Option<InDoubles> {
        let holds = |bound: i64| bound.unsigned_abs() <= WHOLE;
        let exact = denominator.is_power_of_two() && holds(lower) && holds(upper);
        // A power of two is a double, and so are the bounds.
        exact.then_some(InDoubles { scale: denominator as f64, lower: lower as f64, upper: upper as f64 })
    }

    /// The steps of a double, clamped.
    #[inline]
    pub fn steps(&self, value: f64) -> i64 {
        // `max` gives the other argument for a NaN.
        let inside = (value * self.scale).max(self.lower).min(self.upper);
        let whole = inside as i64;
        let rest = inside - whole as f64;
        whole + i64::from(rest >= 0.5) - i64::from(rest < -0.5)
    }
}

/// A whole number in steps of 1/`denominator`.
pub fn of_integer(value: i64, denominator: u64) -> i128 {
    i128::from(value) * i128::from(denominator)
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::{Integer, Rational, rational, rational_from_f64};

    /// By rationals.
    fn slowly(value: f64, denominator: u64) -> Integer {
        let exact = rational_from_f64(value).unwrap() * Rational::from(denominator);
        (exact + rational(1, 2).unwrap()).floor()
    }

    #[test]
    fn shifts_round_as_rationals_do() {
        let mut state = 7u64;
        let mut word = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ state >> 29
        };
        let mut decided = 0;
        let mut check = |value: f64, denominator: u64| {
            if let Some(steps) = of_double(value, denominator) {
                decided += 1;
                assert_eq!(Integer::from(steps), slowly(value, denominator), "{value:e} {denominator}");
            }
        };
        for round in 0..40_000 {
            let denominator = [1, 3, 100, 1 << 20, 1_000_000_007, MOST][round % 6];
            // Exponents around those where the shift changes.
            let exponent = 1023 - 140 + word() % 280;
            check(f64::from_bits(word() & !(0x7ff << 52) | exponent << 52), denominator);
            // Halves of steps, and their neighbours.
            let tie = (word() % 2000) as f64 / 2.0 - 500.0;
            for value in [tie, tie.next_up(), tie.next_down()] {
                check(value, denominator);
            }
        }
        for value in [0.0, -0.0, 5e-324, -5e-324, f64::MIN_POSITIVE, -f64::MIN_POSITIVE, 0.49999999999999994]
        {
            [1, 100, MOST].iter().for_each(|denominator| check(value, *denominator));
        }
        assert!(decided > 100_000);
        assert!([f64::NAN, f64::INFINITY, 1e300].iter().all(|value| of_double(*value, 1).is_none()));
    }
}
