//! Fast ln and exp for f64, with a rigorous error bound: 64- and 128-bit integers, a table, a short series.
//! They answer `None` when the bound does not decide the rounding (once in some ten thousand calls next to 1, once in a million elsewhere), and for special values.
//!
//! Fixed-point integers make the error analysis a count of units: every shift right loses less than one unit
//! of the place that is kept. The tables come from [`crate::elementary`]'s enclosures at first
//! use, so there is no constant to trust.

use std::sync::LazyLock;

use crate::elementary::{exp_bounds, ln_bounds};
use crate::round::{Rest, Round};
use crate::{Integer, Natural, Rational};

/// Entries per table: 2^7.
const CELLS: usize = 128;

/// Fractional bits of the logarithms in the table and of sums: 2^11 · 2^116 fits in an i128.
const LN_PLACES: u32 = 116;

/// Fractional bits of the table of powers of two.
const POWER_PLACES: u32 = 126;

struct Tables {
    /// Cell i covers m ∈ [1 + i/128, 1 + (i+1)/128); inverse[i]/256 is near 1/m, and is 1 next to m = 1 and
    /// 1/2 next to m = 2, so that r below is exact and relative there.
    inverse: [u16; CELLS],
    /// −ln(inverse[i]/256) in units of 2^−116, rounded down: error in [0, 1).
    minus_ln_inverse: [i128; CELLS],
    /// ln 2 in units of 2^−116, rounded down: error in [0, 1).
    ln2: i128,
    /// ln 2 / 128 in units of 2^−116, rounded down: error in [0, 1).
    ln2_over_cells: i128,
    /// 2^(i/128) in units of 2^−126, rounded down: error in [0, 1).
    power: [u128; CELLS],
}

static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);

impl Tables {
    fn new() -> Tables {
        let ratio = |n: u32, d: u32| Rational::from_parts(Integer::from(n), Natural::from(d));
        // The lower bound, rounded down, is the number rounded down: the enclosure is narrower than 2^−30 units
        // and a transcendental number is no integer, so the two ends have the same floor (debug builds check it).
        let units = |bounds: (Rational, Rational), places: u32| {
            let floor = |x: Rational| (x * Rational::from(Natural::ONE << places as usize)).floor();
            let (low, high) = (floor(bounds.0), floor(bounds.1));
            debug_assert_eq!(low, high);
            i128::try_from(&low).unwrap_or_default()
        };
        let ln = |x: &Rational| ln_bounds(x, LN_PLACES + 60).unwrap_or_default();
        let mut inverse = [256u16; CELLS];
        let mut minus_ln_inverse = [0; CELLS];
        let mut power = [1u128 << POWER_PLACES; CELLS];
        let ln2 = ln(&ratio(2, 1));
        for i in 1..CELLS {
            // 256/m at the middle of the cell, m = (257 + 2i)/256, to the nearest integer.
            let twice_divisor = 257 + 2 * i as u32;
            inverse[i] = match i {
                127 => 128,
                _ => ((2 * 65536 + twice_divisor) / (2 * twice_divisor)) as u16,
            };
            minus_ln_inverse[i] = units(ln(&ratio(256, u32::from(inverse[i]))), LN_PLACES);
            // 2^(i/128) = e^(i·ln2/128), monotone in the enclosure of ln 2.
            let step = ratio(i as u32, CELLS as u32);
            let low = exp_bounds(&(&ln2.0 * &step), POWER_PLACES + 40).0;
            let high = exp_bounds(&(&ln2.1 * &step), POWER_PLACES + 40).1;
            let bounds = (low.to_rational().unwrap_or_default(), high.to_rational().unwrap_or_default());
            power[i] = units(bounds, POWER_PLACES).unsigned_abs();
        }
        let ln2_over_cells = {
            let part = ratio(1, CELLS as u32);
            units((&ln2.0 * &part, &ln2.1 * &part), LN_PLACES)
        };
        Tables { inverse, minus_ln_inverse, ln2: units(ln2, LN_PLACES), ln2_over_cells, power }
    }
}

/// x · y, which always fits. (An i128 product that is checked for overflow costs ten times as much.)
#[inline(always)]
fn wide(x: i64, y: i64) -> i128 {
    i128::from(x).wrapping_mul(i128::from(y))
}

/// x · y / 2^63 for fixed-point factors with 63 fractional bits, rounded down.
#[inline(always)]
fn mul63(x: i64, y: i64) -> i64 {
    (wide(x, y) >> 63) as i64
}

/// S(r) = 1/2 − r/3 + r²/4 − … with 63 fractional bits, for |r| ≤ 2^−6.9 given with 63 fractional bits, so that
/// ln(1 + r) = r − r²·S(r).
///
/// Error below 2^−61: the first dropped term is r^10/12 < 2^−72; each Horner step loses less than one unit of
/// 2^−63 in mul63 and less than one in its coefficient, and the factor |r| shrinks what came before:
/// below 2·(1 + 2^−6.9 + …) < 2.1 units.
#[inline(always)]
fn ln_tail(r: i64) -> i64 {
    const COEFFICIENTS: [i64; 10] = {
        let mut table = [0; 10];
        let mut k = 0;
        while k < 10 {
            let value = ((1u64 << 63) / (k as u64 + 2)) as i64;
            table[k] = if k % 2 == 0 { value } else { -value };
            k += 1;
        }
        table
    };
    let mut sum = COEFFICIENTS[9];
    let mut k = 9;
    while k > 0 {
        k -= 1;
        sum = COEFFICIENTS[k].wrapping_add(mul63(r, sum));
    }
    sum
}

/// A number in (value ± error)·2^−places.
struct Interval {
    value: i128,
    error: i128,
    places: i32,
}

/// ln x for a positive finite x, rounded; `None` when undecided or x is special.
#[inline]
pub(crate) fn fast_ln(x: f64, direction: Round) -> Option<f64> {
    round_interval(ln_interval(x)?, direction)
}

/// ln x for a positive finite x; `None` when x is special.
#[inline(always)]
fn ln_interval(x: f64) -> Option<Interval> {
    let bits = x.to_bits();
    // Positive, finite, not zero, not 1 (whose logarithm is exact).
    if bits.wrapping_sub(1) >= f64::INFINITY.to_bits() - 1 || x == 1.0 {
        return None;
    }
    // x = significand · 2^(exponent − 52) with 2^52 ≤ significand < 2^53, subnormals normalised.
    let (significand, exponent) = match bits >> 52 {
        0 => {
            let shift = bits.leading_zeros() - 11;
            (bits << shift, -1022 - i64::from(shift))
        }
        biased => ((bits & ((1 << 52) - 1)) | (1 << 52), biased as i64 - 1023),
    };
    let tables = &*TABLES;
    let cell = ((significand >> 45) & 127) as usize;
    let inverse = u64::from(tables.inverse[cell]);
    // r = m·inverse/256 − 1 exactly, in units of 2^−60; |r| < 2^−6.9 by the choice of inverse (a test checks it).
    let r = (significand * inverse) as i64 - (1 << 60);
    // Two ways, of which the first is right next to 1 and the second elsewhere. Both are gone, and the result is picked without a jump: the
    // number that snapping takes the logarithm of is secret, and so must be how long it takes.
    let tail = ln_tail(r << 3);
    // Next to 1 the logarithm is r − r²·S(r) alone, and must be right relative to r. Normalise r to
    // ρ = r·2^z with 2^61 ≤ |ρ·2^60| < 2^62: then ln x · 2^z = ρ − ρ²·S·2^−z. (r = 0 is not next to 1; then z = 62 and ρ = 0.)
    let z = r.unsigned_abs().leading_zeros() - 2;
    let rho = r << z;
    // ρ² ∈ [4, 16) has 120 fractional bits; cut to 60, times S with 63: 123 fractional bits; then 2^−z.
    // The square is below 2^64 and |tail| < 2^62.
    let correction = (wide(rho, rho) >> 60).wrapping_mul(i128::from(tail)) >> z;
    // In units of 2^−123: the cut of ρ² is 2^−60 times S ≤ 0.51; S's error 2^−61 times ρ² < 16 is 2^−57; both
    // are divided by 2^z, 8 ≤ z ≤ 54. With one unit from the last cut: below 2^(67−z).
    let near = ((i128::from(rho) << 63) - correction, 123 + i64::from(z), 1i64 << (67 - z));
    // r² < 2^−13.8 has 120 fractional bits; cut to 70, times S with 63; then cut to 116.
    let square = (wide(r, r) >> 50) as i64;
    let sum = i128::from(exponent) * tables.ln2 + tables.minus_ln_inverse[cell] + (i128::from(r) << 56)
        - (wide(square, tail) >> 17);
    // In units of 2^−116: the tables err by |exponent| + 1 < 2^11 units, the cut of r² is 2^−70 times S ≤ 0.51,
    // S's error 2^−61 times r² is below 2^−74, and the last cut is one unit. Together below 2^−70.
    let far = (sum, i64::from(LN_PLACES), 1i64 << 46);
    let is_near = ((cell == 0) & (exponent == 0)) | ((cell == 127) & (exponent == -1));
    // All ones where it is near. The compiler must not know that it is one of two, or it makes a jump of it.
    let mask = std::hint::black_box(i64::from(is_near).wrapping_neg());
    let pick = |near: i64, far: i64| far ^ ((near ^ far) & mask);
    let value = far.0 ^ ((near.0 ^ far.0) & i128::from(mask));
    let (places, error) = (pick(near.1, far.1) as i32, i128::from(pick(near.2, far.2)));
    Some(Interval { value, error, places })
}

/// e^x rounded; `None` when undecided or x is special or out of the normal course.
#[inline]
pub(crate) fn fast_exp(x: f64, direction: Round) -> Option<f64> {
    round_interval(exp_interval(x)?, direction)
}

/// e^x; `None` when x is special or out of the normal course.
#[inline(always)]
fn exp_interval(x: f64) -> Option<Interval> {
    // Below 2^−54 the software format answers, and so it does beyond the range of doubles.
    const SMALL: f64 = f64::from_bits((1023 - 54) << 52);
    if !(SMALL <= x.abs() && (-745.0..=709.5).contains(&x)) {
        return None;
    }
    let tables = &*TABLES;
    // x in units of 2^−116, exactly: its last place is at least 2^(−54−52).
    let bits = x.abs().to_bits();
    let significand = i128::from((bits & ((1 << 52) - 1)) | (1 << 52));
    let shift = (bits >> 52) as i64 - 1023 - 52 + i64::from(LN_PLACES);
    let fixed = if x < 0.0 { -(significand << shift) } else { significand << shift };
    // k = x·128/ln 2 to the nearest integer, |k| < 2^18; an error of one would only make r a little larger.
    let k = (x * (CELLS as f64 * std::f64::consts::LOG2_E)).round_ties_even() as i64;
    let r = fixed - i128::from(k).wrapping_mul(tables.ln2_over_cells);
    // |r| < 2^−8.4 with 116 fractional bits; now with 70, which fits in 62 bits.
    let r = (r >> (LN_PLACES - 70)) as i64;
    // (e^r − 1) = r + r²/2 + r³/6 + r⁴/24 + … with 70 fractional bits.
    let mut sum = INVERSE_FACTORIALS[6];
    let mut i = 6;
    while i > 0 {
        i -= 1;
        sum = INVERSE_FACTORIALS[i] + ((wide(sum, r) >> 70) as i64);
    }
    // sum = 1 + r/2 + r²/6 + … with 62 fractional bits; e^r − 1 = r·sum.
    let growth = (wide(r, sum) >> 62) as i64;
    // 2^(cell/128) · (1 + growth): the power cut to 63 fractional bits, times 70, cut to 126; 64 bits times 62.
    let cell = k.rem_euclid(CELLS as i64) as usize;
    let exponent = k.div_euclid(CELLS as i64);
    let power = tables.power[cell];
    let value = power as i128 + ((((power >> 63) as i128).wrapping_mul(i128::from(growth))) >> 7);
    // In units of 2^−126, with 2^(cell/128) < 2 as a factor of the first three: r's error is |k|·2^−116 < 2^−98 and its
    // cut 2^−70; sum's error is below 3·2^−62 (the Horner steps, and r^7/8! < 2^−74) times |r| < 2^−8.4, so 2^−68.8;
    // growth's cut is 2^−70; power's cut is 2^−63 · 2^−8.4. Together below 2·(2^−69 + 2^−68.8) + 2^−71 < 2^−66.
    Some(Interval { value, error: 1i128 << 60, places: (i64::from(POWER_PLACES) - exponent) as i32 })
}

/// 1/1!, 1/2!, … 1/7! with 62 fractional bits.
const INVERSE_FACTORIALS: [i64; 7] = {
    let mut table = [0; 7];
    let mut factorial = 1;
    let mut i = 0;
    while i < 7 {
        factorial *= i as i64 + 1;
        table[i] = (1 << 62) / factorial;
        i += 1;
    }
    table
};

/// The f64 to which every number in the interval rounds, for numbers that are below the largest
/// finite double and neither doubles nor midpoints of doubles; `None` when the bound does not decide.
#[inline(always)]
fn round_interval(Interval { value, error, places }: Interval, direction: Round) -> Option<f64> {
    let negative = value < 0;
    let magnitude = value.unsigned_abs();
    let error = error.unsigned_abs();
    let leading = 127 - magnitude.leading_zeros() as i32 - places;
    let quantum = (leading - 52).max(-1074);
    let cut = quantum + places;
    // The error must be far below the last place. (Beyond 120 the number is among the smallest subnormals.)
    if !(8..=120).contains(&cut) || error >> (cut - 4) != 0 {
        return None;
    }
    let kept = (magnitude >> cut) as u64;
    let rest = magnitude & ((1 << cut) - 1);
    let half = 1u128 << (cut - 1);
    let up = match direction {
        // Nearest: the interval must keep off the midpoint. If it reaches over a double, both parts go there, also
        // over a power of two, below which the midpoint is half as far.
        Round::NearestEven | Round::NearestAway => {
            if rest.abs_diff(half) <= error {
                return None;
            }
            rest > half
        }
        // Directed: the interval must keep off the doubles on both sides.
        _ => {
            if rest <= error || rest + error >= half << 1 {
                return None;
            }
            direction.magnitude_goes_up(negative, false, Rest::BelowHalf)
        }
    };
    // The exponent field counts from the subnormals' quantum; the hidden bit and a carry run into it and are right.
    let rounded = f64::from_bits(kept + u64::from(up) + (((quantum + 1074) as u64) << 52));
    Some(if negative { -rounded } else { rounded })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Float, Format};

    /// The stated bound on r, on which the error of ln rests, at both ends of every cell.
    #[test]
    fn cells_leave_a_small_r() {
        let tables = &*TABLES;
        // 2^−6.9, rounded down.
        let limit = 0.00837;
        for cell in 0..CELLS {
            for end in [cell as f64, cell as f64 + 1.0] {
                let r = (1.0 + end / 128.0) * f64::from(tables.inverse[cell]) / 256.0 - 1.0;
                assert!(r.abs() < limit, "cell {cell}: {r}");
            }
        }
    }

    /// Every entry of the tables is the number that it stands for, rounded down: by logarithms of the entries themselves, which go the
    /// other way than the tables were made.
    #[test]
    fn tables_are_rounded_down() {
        let tables = &*TABLES;
        let entry = |n: i128, places: u32| scaled(Integer::from(n), places as i32);
        let is_floor = |n: i128, (low, high): &(Rational, Rational), what: &str| {
            assert!(entry(n, LN_PLACES) <= *low && *high < entry(n + 1, LN_PLACES), "{what}");
        };
        let ln2 = ln_bounds(&Rational::from(2u8), 200).unwrap();
        is_floor(tables.ln2, &ln2, "ln 2");
        let cells = Rational::from(CELLS as u32);
        is_floor(tables.ln2_over_cells, &(&ln2.0 / &cells, &ln2.1 / &cells), "ln 2 / 128");
        for (i, inverse) in tables.inverse.iter().enumerate() {
            let ratio = Rational::from(256u32) / Rational::from(u32::from(*inverse));
            is_floor(tables.minus_ln_inverse[i], &ln_bounds(&ratio, 200).unwrap(), &format!("cell {i}"));
            // 2^(i/128) lies in [entry, entry + 1): ln of the two ends is on both sides of i·ln 2/128.
            let step = Rational::from(i as u32) / &cells;
            let power = tables.power[i] as i128;
            let [below, above] = [power, power + 1].map(|n| ln_bounds(&entry(n, POWER_PLACES), 200).unwrap());
            let low = below.1 < &ln2.0 * &step || (i == 0 && below.1.is_zero());
            assert!(low && &ln2.1 * &step < above.0, "power {i}");
        }
    }

    #[test]
    fn agrees_with_the_format_where_it_decides() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state ^ (state >> 29)
        };
        let mut undecided = 0;
        for i in 0..if cfg!(feature = "exhaustive") { 40_000 } else { 4_000 } {
            let near_one = f64::from_bits(1f64.to_bits() - (1 << 40) + (next() >> (i % 40)) % (1 << 41));
            let any = f64::from_bits(next() >> 1);
            for x in [near_one, any] {
                for direction in Round::ALL {
                    match fast_ln(x, direction) {
                        Some(y) => {
                            let exact = Format::BINARY64.ln(&Float::from_f64(x), direction);
                            assert_eq!(exact.to_f64(), Some(y), "ln {x:e} {direction:?}");
                        }
                        None => undecided += 1,
                    }
                }
            }
            let wide = (next() as f64 / 2f64.powi(63) - 1.0) * 750.0;
            let narrow = wide * 2f64.powi(-(i % 60));
            for x in [wide, narrow] {
                for direction in Round::ALL {
                    if let Some(y) = fast_exp(x, direction) {
                        let exact = Format::BINARY64.exp(&Float::from_f64(x), direction);
                        assert_eq!(exact.to_f64(), Some(y), "exp {x:e} {direction:?}");
                    }
                }
            }
        }
        // NaN patterns (about one in 1000 of `any`) and 1 are undecided by rule, others almost never.
        assert!(undecided < 1000, "{undecided}");
    }

    /// n·2^−places.
    fn scaled(n: Integer, places: i32) -> Rational {
        match places {
            0.. => Rational::from_parts(n, Natural::ONE << places as usize),
            _ => Rational::from(n << places.unsigned_abs() as usize),
        }
    }

    /// The stated errors hold: both ends of an interval lie on their sides of the enclosure of a hundred bits more.
    #[test]
    fn intervals_contain_what_they_stand_for() {
        let mut state = 3u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state ^ (state >> 29)
        };
        let inside = |found: Interval, (low, high): (Rational, Rational), what: &str| {
            let end = |n: i128| scaled(Integer::from(n), found.places);
            let (least, most) = (end(found.value - found.error), end(found.value + found.error));
            assert!(
                least < low && high < most,
                "{what}: ({} ± {})·2^−{}",
                found.value,
                found.error,
                found.places
            );
        };
        for i in 0..1500u32 {
            // Within 1/32 of 1: the cells next to 1, in which another formula holds, and those beside them.
            let near_one = f64::from_bits(1f64.to_bits() - (1 << 47) + (next() >> (i % 46)) % (1 << 48));
            let subnormal = f64::from_bits((next() >> 12) >> (i % 52));
            for x in [near_one, subnormal, f64::from_bits(next() >> 1)] {
                if let Some(found) = ln_interval(x) {
                    let exact = Float::from_f64(x).to_rational().unwrap();
                    inside(found, ln_bounds(&exact, 170).unwrap(), &format!("ln {x:e}"));
                }
            }
            let wide = (next() as f64 / 2f64.powi(63) - 1.0) * 750.0;
            for x in [wide, wide * 2f64.powi(-(i as i32 % 62))] {
                if let Some(found) = exp_interval(x) {
                    let (low, high) = exp_bounds(&Float::from_f64(x).to_rational().unwrap(), 170);
                    let bounds = (low.to_rational().unwrap(), high.to_rational().unwrap());
                    inside(found, bounds, &format!("exp {x:e}"));
                }
            }
        }
    }

    /// What is special has no interval, and the ends of what has one.
    #[test]
    fn intervals_end_where_they_are_said_to() {
        let some = |x: f64| (ln_interval(x).is_some(), exp_interval(x).is_some());
        for x in [0.0, -0.0, -1.5e-300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN] {
            assert_eq!(some(x), (false, false), "{x:e}");
        }
        assert_eq!(
            (some(1.0), some(f64::MAX), some(f64::from_bits(1))),
            ((false, true), (true, false), (true, false))
        );
        let least = 2f64.powi(-54);
        for (x, wanted) in [
            (709.5, true),
            (709.5f64.next_up(), false),
            (-745.0, true),
            ((-745f64).next_down(), false),
            (least, true),
            (least.next_down(), false),
            (-least, true),
            (-least.next_down(), false),
        ] {
            assert_eq!(exp_interval(x).is_some(), wanted, "{x:e}");
        }
    }

    /// An interval is rounded only if both its ends round to the same: with ends on, next to and astride of doubles and midpoints, of
    /// normal and subnormal numbers.
    #[test]
    fn only_what_is_decided_is_rounded() {
        let mut decided = 0;
        // Errors from nothing to half a unit of the last place, and cuts that the rounding refuses.
        let errors = |unit: i128| [0, 1, 5, unit / 16, unit / 4 - 1, unit / 4 + 1, unit / 3];
        for (cut, error) in
            [0, 3, 8, 9, 30, 70].into_iter().flat_map(|cut| errors(1 << cut).map(|e| (cut, e)))
        {
            let unit = 1i128 << cut;
            let error = error.max(0);
            for kept in [1i128 << 52, (1 << 52) + 1, (1 << 53) - 1] {
                for middle in [0, unit / 2, unit] {
                    for off in [-error - 1, -error, 0, error, error + 1] {
                        for sign in [1, -1] {
                            let value = sign * (kept * unit + middle + off);
                            for places in
                                [cut, cut + 1074, cut + 1080, cut + 1100, cut - 900, 1074 + 125, 1074 + 140]
                            {
                                for direction in Round::ALL {
                                    let found = round_interval(Interval { value, error, places }, direction);
                                    let Some(found) = found else { continue };
                                    for end in [value - error, value + error] {
                                        let exact =
                                            Format::BINARY64.round(&scaled(end.into(), places), direction);
                                        assert_eq!(
                                            exact.to_f64(),
                                            Some(found),
                                            "{value} ± {error} {places} {direction:?}"
                                        );
                                    }
                                    decided += 1;
                                }
                            }
                        }
                    }
                }
            }
        }
        assert!(decided > 10_000, "{decided}");
    }
}
