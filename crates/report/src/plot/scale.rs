//! Scales and their ticks.

use std::f64::consts::{LN_2, LN_10, LOG10_2};

use probity_exact::{Abs, BitTest, Rational, UnsignedAbs, directed};

/// What a coordinate means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// The value itself.
    Linear,
    /// The value itself, of which only whole numbers mean something.
    Whole,
    /// The decimal logarithm of the value: values far below the smallest double have a place too.
    Log,
}

/// A mark on an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// Its coordinate.
    pub at: f64,
    /// What is written beside it.
    pub label: String,
}

/// The decimal logarithm of the magnitude of a number, for drawing; `None` for 0.
///
/// ```
/// use probity_exact::{Integer, Natural, Rational};
/// use probity_report::plot::log10;
/// let tiny = Rational::from_parts(Integer::ONE, Natural::from(10u8).pow(400));
/// assert!((log10(&tiny).unwrap() + 400.0).abs() < 1e-12);
/// assert_eq!(log10(&Rational::ZERO), None);
/// ```
pub fn log10(x: &Rational) -> Option<f64> {
    if x.is_zero() {
        return None;
    }
    let magnitude = x.clone().abs();
    // The leading 64 bits of both parts decide far more than a plot can show.
    let leading = |bits: &probity_exact::Natural| {
        let cut = bits.bit_len().saturating_sub(64);
        (u64::try_from(bits >> cut).unwrap_or(u64::MAX) as f64, cut as f64)
    };
    let (above, above_cut) = leading(&magnitude.numerator().clone().unsigned_abs());
    let (below, below_cut) = leading(magnitude.denominator());
    let ln = directed::ln_nearest(above / below) + (above_cut - below_cut) * LN_2;
    Some(ln / LN_10)
}

/// Ticks at round numbers between two coordinates, at most `most` of them where `most` ≥ 2.
///
/// ```
/// use probity_report::plot::{Scale, ticks};
/// let labels = |scale, low, high| -> Vec<String> {
///     ticks(scale, low, high, 6).into_iter().map(|tick| tick.label).collect()
/// };
/// assert_eq!(labels(Scale::Linear, -1.0, 1.0), ["−1.0", "−0.5", "0", "0.5", "1.0"]);
/// assert_eq!(labels(Scale::Log, -15.2, -11.5), ["10⁻¹⁵", "10⁻¹⁴", "10⁻¹³", "10⁻¹²"]);
/// ```
pub fn ticks(scale: Scale, low: f64, high: f64, most: usize) -> Vec<Tick> {
    if !(low.is_finite() && high.is_finite() && low < high) {
        return vec![];
    }
    let most = most.max(2);
    if scale == Scale::Log && high - low < 2.0 {
        return within_decades(low, high, most);
    }
    let step = step(
        low,
        high,
        most,
        match scale {
            Scale::Linear => f64::MIN_POSITIVE,
            // Between decades there is nothing round to write, and between whole numbers nothing at all.
            Scale::Whole | Scale::Log => 1.0,
        },
    );
    // A tick that misses an end by a rounding error belongs to it.
    let slack = (high - low) * 1e-9;
    let mut index = ((low - slack) / step).ceil();
    let mut found = Vec::new();
    while index * step <= high + slack && found.len() <= most {
        let at = index * step;
        let label = match scale {
            Scale::Linear | Scale::Whole => decimal(at, step),
            Scale::Log => format!("10{}", superscript(at.round() as i64)),
        };
        found.push(Tick { at, label });
        index += 1.0;
    }
    found
}

/// Ticks of a logarithmic axis of less than two decades: 1, 2 and 5 times the powers of ten, or the powers alone where these
/// are too many. Near 1 they are written as people write them: 0.5, not 5·10⁻¹.
fn within_decades(low: f64, high: f64, most: usize) -> Vec<Tick> {
    let slack = (high - low) * 1e-9;
    let decades = (low.floor() as i64)..=(high.ceil() as i64);
    let between = |multiples: &'static [(f64, &'static str)]| -> Vec<Tick> {
        let all = decades.clone().flat_map(|decade| multiples.iter().map(move |multiple| (decade, multiple)));
        all.map(|(decade, (log, digit))| {
            let label = match (decade, *digit) {
                (0..=3, digit) => format!("{digit}{}", "0".repeat(decade.unsigned_abs() as usize)),
                (-3..=-1, digit) => format!("0.{}{digit}", "0".repeat(decade.unsigned_abs() as usize - 1)),
                (_, "1") => format!("10{}", superscript(decade)),
                (_, digit) => format!("{digit}·10{}", superscript(decade)),
            };
            Tick { at: decade as f64 + log, label }
        })
        .filter(|tick| tick.at >= low - slack && tick.at <= high + slack)
        .collect()
    };
    let fine = between(&[(0.0, "1"), (LOG10_2, "2"), (1.0 - LOG10_2, "5")]);
    if fine.len() <= most { fine } else { between(&[(0.0, "1")]) }
}

/// The smallest of 1, 2, 5 times a power of ten that is at least `least` and has at most `most` multiples in the range.
fn step(low: f64, high: f64, most: usize, least: f64) -> f64 {
    let span = high - low;
    let exponent = decade((span / most as f64).max(least));
    let candidates = (exponent..=exponent + 2).flat_map(|e| [1.0, 2.0, 5.0].map(|m| times_ten(m, e)));
    let slack = span * 1e-9;
    let multiples = |step: f64| ((high + slack) / step).floor() - ((low - slack) / step).ceil() + 1.0;
    let fits = |step: &f64| *step >= least && multiples(*step) <= most as f64;
    candidates.into_iter().find(fits).unwrap_or(span.max(least))
}

/// ⌊log10 x⌋, up to one at powers of ten.
fn decade(x: f64) -> i32 {
    (directed::ln_nearest(x.max(f64::MIN_POSITIVE)) / LN_10).floor() as i32
}

/// m·10^e: a quotient where e < 0, because 10^−e is exact and 0.1 is not.
fn times_ten(m: f64, e: i32) -> f64 {
    if e >= 0 { m * 10f64.powi(e) } else { m / 10f64.powi(-e) }
}

/// A multiple of a step with the digits that the step needs.
fn decimal(at: f64, step: f64) -> String {
    let exponent = decade(step * 1.000_001);
    let magnitude = at.abs();
    let text = if magnitude < step / 2.0 {
        return "0".into();
    } else if exponent < -4 || magnitude >= 1e7 {
        let power = decade(magnitude * 1.000_001);
        let digits = (power - exponent).clamp(0, 15) as usize;
        let mantissa = format!("{:.digits$}", magnitude / times_ten(1.0, power));
        format!("{mantissa}·10{}", superscript(i64::from(power)))
    } else {
        format!("{magnitude:.*}", (-exponent).max(0) as usize)
    };
    if at < 0.0 { format!("−{text}") } else { text }
}

fn superscript(n: i64) -> String {
    n.to_string()
        .chars()
        .map(|c| match c {
            '-' => '⁻',
            '0' => '⁰',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            '4' => '⁴',
            '5' => '⁵',
            '6' => '⁶',
            '7' => '⁷',
            '8' => '⁸',
            _ => '⁹',
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::{Integer, Natural, rational};

    fn labels(scale: Scale, low: f64, high: f64, most: usize) -> Vec<String> {
        ticks(scale, low, high, most).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(labels(Scale::Linear, 0.0, 1.0, 6), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(Scale::Linear, -100.0, 100.0, 5), ["−100", "−50", "0", "50", "100"]);
        assert_eq!(labels(Scale::Linear, 3.2, 3.9, 4), ["3.2", "3.4", "3.6", "3.8"]);
        assert_eq!(labels(Scale::Linear, 0.0, 4e-15, 5), ["0", "1·10⁻¹⁵", "2·10⁻¹⁵", "3·10⁻¹⁵", "4·10⁻¹⁵"]);
        assert_eq!(labels(Scale::Linear, 0.0, 2.5e8, 4), ["0", "1·10⁸", "2·10⁸"]);
    }

    #[test]
    fn whole_numbers_have_whole_ticks() {
        assert_eq!(labels(Scale::Whole, 0.95, 2.05, 9), ["1", "2"]);
        assert_eq!(labels(Scale::Whole, 1.0, 3.0, 9), ["1", "2", "3"]);
        assert_eq!(labels(Scale::Whole, 0.0, 40.0, 5), ["0", "10", "20", "30", "40"]);
        assert_eq!(labels(Scale::Linear, 0.95, 1.55, 4), ["1.0", "1.2", "1.4"]);
    }

    #[test]
    fn log_ticks_are_decades_far_beyond_doubles() {
        assert_eq!(labels(Scale::Log, -400.0, 0.0, 4), ["10⁻⁴⁰⁰", "10⁻²⁰⁰", "10⁰"]);
        assert_eq!(labels(Scale::Log, -0.4, 0.4, 5), ["0.5", "1", "2"]);
        assert_eq!(labels(Scale::Log, -1.0, 0.5, 4), ["0.1", "1"]);
        assert_eq!(labels(Scale::Log, 1.9, 3.2, 5), ["100", "200", "500", "1000"]);
        assert_eq!(labels(Scale::Log, -3.1, -2.2, 5), ["0.001", "0.002", "0.005"]);
        assert_eq!(labels(Scale::Log, -7.1, -6.2, 5), ["10⁻⁷", "2·10⁻⁷", "5·10⁻⁷"]);
        assert_eq!(labels(Scale::Log, 0.1, 0.2, 5), [""; 0]);
    }

    #[test]
    fn ticks_lie_inside_and_are_never_too_many() {
        // A deterministic walk over spans of all sizes.
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        for _ in 0..20_000 {
            let size = 10f64.powi((next() * 40.0 - 20.0) as i32);
            let low = (next() - 0.5) * size;
            let high = low + next() * size + size * 1e-6;
            let most = 2 + (next() * 9.0) as usize;
            // Decimal logarithms beyond 10^15 stand for nothing.
            let scales = if size < 1e15 { &[Scale::Linear, Scale::Log][..] } else { &[Scale::Linear] };
            for &scale in scales {
                let found = ticks(scale, low, high, most);
                assert!(found.len() <= most, "{low} {high} {most}: {found:?}");
                let slack = (high - low) * 1e-6;
                assert!(found.iter().all(|t| t.at >= low - slack && t.at <= high + slack));
                assert!(found.windows(2).all(|w| w[0].at < w[1].at && w[0].label != w[1].label), "{found:?}");
                // From 5 on, no step of the series 1, 2, 5 skips from too many to fewer than two.
                if scale == Scale::Linear && most >= 5 {
                    assert!(found.len() >= 2, "{low} {high} {most}: {found:?}");
                }
            }
        }
    }

    #[test]
    fn no_ticks_without_a_range() {
        assert!(ticks(Scale::Linear, 1.0, 1.0, 5).is_empty());
        assert!(ticks(Scale::Linear, f64::NAN, 1.0, 5).is_empty());
        assert!(ticks(Scale::Log, 0.0, f64::INFINITY, 5).is_empty());
    }

    #[test]
    fn logarithms_of_any_size() {
        let near = |x: Rational, y: f64| (log10(&x).unwrap() - y).abs() < 1e-12 * y.abs().max(1.0);
        assert!(near(rational(1, 1000).unwrap(), -3.0));
        assert!(near(rational(-100, 1).unwrap(), 2.0));
        assert!(near(Rational::from_parts(Integer::ONE, Natural::ONE << 2000), -602.059_991_327_962_4));
        assert!(near(Rational::from(Natural::from(10u8).pow(900)), 900.0));
    }
}
