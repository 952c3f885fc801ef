//! How far rounding to nearest can move a number of a given size.

use probity_exact::{Format, directed};

/// A format's data in the shape that the search needs.
#[derive(Debug, Clone, Copy)]
pub struct Grain {
    precision: i64,
    emin: i64,
    /// The largest finite number, rounded down to a double.
    most: f64,
    /// Whether it is larger than all doubles.
    outgrows_doubles: bool,
}

/// 2^exponent, rounded up to a double.
fn power_up(exponent: i64) -> f64 {
    if exponent > 1023 {
        f64::INFINITY
    } else if exponent >= -1022 {
        f64::from_bits(((exponent + 1023) as u64) << 52)
    } else if exponent >= -1074 {
        f64::from_bits(1 << (exponent + 1074))
    } else {
        f64::from_bits(1)
    }
}

/// floor(log2 x) for a positive double.
fn exponent_of(x: f64) -> i64 {
    let field = (x.to_bits() >> 52) as i64;
    if field == 0 { -1011 - i64::from((x.to_bits() | 1).leading_zeros()) } else { field - 1023 }
}

impl Grain {
    /// Of a format.
    pub fn new(format: Format) -> Grain {
        // Beyond all doubles: no double overflows. As a fraction the largest number may have a thousand million bits.
        let outgrows_doubles = format.emax() > Format::BINARY64.emax();
        let most = match outgrows_doubles {
            true => f64::MAX,
            false => format.max_finite().to_rational().map_or(f64::MAX, |exact| directed::cast_down(&exact)),
        };
        Grain { precision: i64::from(format.precision()), emin: format.emin(), most, outgrows_doubles }
    }

    /// Half the distance of the smallest numbers: what rounding into the subnormal range may cost.
    pub fn tiny(&self) -> f64 {
        power_up(self.emin - self.precision)
    }

    /// Whether numbers of this size, where infinity is any that is beyond all doubles, may be beyond the largest of the format.
    pub fn is_beyond(&self, magnitude: f64) -> bool {
        magnitude > self.most && !(magnitude.is_infinite() && self.outgrows_doubles)
    }

    /// Whether the double is a number of the format, so that nothing at or below it rounds to more, and nothing at or
    /// above it to less.
    pub fn holds(&self, x: f64) -> bool {
        if x == 0.0 {
            return true;
        }
        if !x.is_finite() || x.abs() > self.most {
            return false;
        }
        // The exponent of the last bit that is set, against that of the format's last place.
        let fraction = x.to_bits() & ((1 << 52) - 1);
        let (mantissa, unit) = match (x.to_bits() >> 52) & 0x7ff {
            0 => (fraction, -1074),
            field => (fraction | 1 << 52, field as i64 - 1075),
        };
        let last = unit + i64::from(mantissa.trailing_zeros());
        last > exponent_of(x.abs()).max(self.emin) - self.precision
    }

    /// A bound of |fl(r) − r| for all |r| ≤ `magnitude`; infinite when fl may overflow.
    ///
    /// With 2^k ≤ magnitude < 2^(k+1) it is η·2^k; and since 2^k is a float, r beyond it by at most t moves
    /// by at most t, so max(η·2^(k−1), magnitude − 2^k) is a bound too. That keeps a value of exactly 2^k that
    /// carries a tiny error from costing double. `sum` says that r is a sum of floats of this format: then it
    /// is a multiple of the smallest number, and nothing below 2^emin is rounded.
    pub fn error(&self, magnitude: f64, sum: bool) -> f64 {
        if magnitude == 0.0 {
            return 0.0;
        }
        if magnitude.is_nan() || magnitude > self.most {
            return f64::INFINITY;
        }
        let k = exponent_of(magnitude);
        if k < self.emin {
            return if sum { 0.0 } else { self.tiny() };
        }
        let full = power_up(k - self.precision);
        if k == self.emin {
            return full;
        }
        let half = power_up(k - 1 - self.precision);
        let beyond = magnitude - power_up(k);
        let beyond = if beyond == 0.0 { 0.0 } else { beyond.next_up() };
        full.min(half.max(beyond))
    }

    /// A bound of how far a result lies from r if it is within `ulps` units in the last place of r, for all |r| ≤ `magnitude`;
    /// infinite when it may be beyond the largest float.
    pub fn ulps(&self, magnitude: f64, ulps: u32) -> f64 {
        if magnitude.is_nan() || magnitude > self.most {
            return f64::INFINITY;
        }
        let k = if magnitude == 0.0 { self.emin } else { exponent_of(magnitude).max(self.emin) };
        let error = (f64::from(ulps) * power_up(k - self.precision + 1)).next_up();
        if (magnitude + error).next_up() > self.most { f64::INFINITY } else { error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::{Abs, Round, rational, rational_from_f64};

    /// Every number on a fine mesh, in every small format: rounding moves it by no more than the bound, and
    /// somewhere by exactly as much.
    #[test]
    fn bounds_every_rounding_in_small_formats() {
        for precision in 2..=6 {
            let format = Format::new(precision, -4, 4).unwrap();
            let grain = Grain::new(format);
            let mut worst = vec![0.0f64; 16];
            // Steps of 2^-13 up to 32: sixteen points within every gap of the subnormals of precision 6.
            for i in 0..(32 << 13) {
                let exact = rational(i, 1 << 13).unwrap();
                let size = i as f64 / 8192.0;
                let rounded = format.round(&exact, Round::NearestEven);
                let bound = grain.error(size, false);
                match rounded.to_rational() {
                    None => assert_eq!(bound, f64::INFINITY),
                    Some(rounded) => {
                        let moved = (rounded - &exact).abs();
                        if bound.is_finite() {
                            assert!(moved <= rational_from_f64(bound).unwrap(), "{precision} {size}");
                        }
                        let binade = (exponent_of(size.max(1e-9)) + 6).max(0) as usize;
                        let share = moved.to_f64().value() / bound;
                        worst[binade] = worst[binade].max(if bound.is_finite() { share } else { 0.0 });
                    }
                }
            }
            assert!(worst[2..10].iter().all(|share| *share == 1.0), "{precision}: {worst:?}");
        }
    }

    #[test]
    fn holds_what_rounds_to_itself() {
        for precision in 2..=6 {
            let format = Format::new(precision, -4, 4).unwrap();
            let grain = Grain::new(format);
            for i in (-40i64 << 11)..=(40 << 11) {
                let exact = rational(i, 1 << 11).unwrap();
                let kept = format.round(&exact, Round::NearestEven).to_rational() == Some(exact);
                assert_eq!(grain.holds(i as f64 / 2048.0), kept, "{precision} {i}");
            }
        }
        assert!(Grain::new(Format::BINARY64).holds(f64::from_bits(1)));
        assert!(!Grain::new(Format::BINARY32).holds(2f64.powi(-150)));
        assert!(!Grain::new(Format::BINARY64).holds(f64::INFINITY));
    }

    #[test]
    fn ends_of_the_range() {
        let grain = Grain::new(Format::BINARY64);
        assert_eq!(grain.error(1.0, false), 2f64.powi(-54));
        assert_eq!(grain.error(1.5, false), 2f64.powi(-53));
        assert_eq!(grain.error(1f64.next_up(), false), 2f64.powi(-52).next_up().min(2f64.powi(-53)));
        assert_eq!(grain.error(f64::MAX, false), 2f64.powi(970));
        assert_eq!(grain.error(f64::INFINITY, false), f64::INFINITY);
        assert_eq!(grain.error(f64::from_bits(3), true), 0.0);
        // 2^-1075 is no double: the next one above.
        assert_eq!(grain.error(f64::from_bits(3), false), f64::from_bits(1));
        // Of numbers beyond all doubles nothing is known in a format that has larger ones.
        assert!(grain.is_beyond(f64::INFINITY) && !grain.is_beyond(f64::MAX));
        assert!(!Grain::new(Format::new(53, -2000, 2000).unwrap()).is_beyond(f64::INFINITY));
        let single = Grain::new(Format::BINARY32);
        assert!(single.is_beyond(1e39) && !single.is_beyond(1e38));
        assert_eq!(single.error(1e39, false), f64::INFINITY);
        assert_eq!(single.error(1.0e-45, false), 2f64.powi(-150));
        assert_eq!(exponent_of(f64::from_bits(1)), -1074);
        assert_eq!(exponent_of(f64::from_bits(1 << 51)), -1023);
    }
}
