//! What a draw of a floating-point program can be: a range of floats or integers, or a few values.

use dashu_base::BitTest;
use probity_exact::{Format, Integer, Natural, Rational, UnsignedAbs};

use crate::error::AuditError;
use crate::float::arithmetic::{Floats, ordinal_units};
use crate::float::ranges::{Range, is_negative};
use crate::output::law::least_common_multiple;
use crate::real::discrete::{probability, response};
use crate::run::numbers::integer;
use crate::run::numbers::stop_error;
use crate::run::program::{Draw, LawKind, Value};

/// The possible values of a draw.
pub(crate) enum Options<N> {
    /// Floats in [0, 1) (`offset` is `None`) or integers from the offset on, by ordinals 0, 1, …, count − 1. Masses are
    /// counted in units of one over `unit`.
    Ordinals { offset: Option<Integer>, count: u64, unit: Natural },
    /// Single values with their probabilities, which sum to 1.
    Values(Vec<(Value<Range<N>>, Rational)>),
}

/// The possible values of a draw whose arguments are single values; `one` is the ordinal of 1.
pub(crate) fn options<F: Floats>(
    floats: &F,
    one: u64,
    law: &Draw<Range<F::Number>>,
) -> Result<Options<F::Number>, AuditError> {
    let exact = |i: usize| -> Result<Rational, AuditError> {
        let argument = law.arguments.get(i).and_then(|a| floats.exact(&a.low));
        argument.ok_or(AuditError::Domain { operation: "a draw", allowed: "its arguments are finite" })
    };
    let number = |x: Rational| Value::Number(Range::point(floats.cast(&x)));
    let values = match law.kind {
        LawKind::Uniform => {
            let unit = ordinal_units(&floats.format(), one);
            return Ok(Options::Ordinals { offset: None, count: one, unit });
        }
        LawKind::UniformInt => {
            let (low, high) = (exact(0)?.ceil(), exact(1)?.floor());
            let size = &high - &low + Integer::ONE;
            if is_negative(&size) || size == Integer::ZERO {
                return Err(AuditError::Domain { operation: "uniform_int", allowed: "low <= high" });
            }
            let count = u64::try_from(&size)
                .map_err(|_| AuditError::Unsupported { what: "uniform_int over 2^64 integers or more" })?;
            return Ok(Options::Ordinals { offset: Some(low), count, unit: size.unsigned_abs() });
        }
        LawKind::Sign => {
            let half = Rational::from_parts(Integer::ONE, Natural::from(2u8));
            vec![(number(Rational::from(-1)), half.clone()), (number(Rational::ONE), half)]
        }
        LawKind::Bernoulli => {
            let p = probability(exact(0)?)?;
            vec![(Value::Bool(true), p.clone()), (Value::Bool(false), Rational::ONE - p)]
        }
        LawKind::UniformOther | LawKind::Response => {
            let last = exact(law.arguments.len() - 1)?;
            let count = integer(Some(&last)).map_err(stop_error)?;
            let truth = match law.kind {
                LawKind::Response => probability(exact(1)?)?,
                _ => Rational::ZERO,
            };
            let each = response(&exact(0)?, &truth, count)?.into_iter();
            each.map(|(value, p)| (number(Rational::from(value)), p)).collect()
        }
        _ => {
            return Err(AuditError::Unsupported {
                what: "this distribution in a floating-point format; say how the program makes it from uniform draws",
            });
        }
    };
    Ok(Options::Values(values))
}

/// One of the possible values, with exactly its probability if the bits are independent and fair.
pub(crate) fn pick<F: Floats>(
    floats: &F,
    options: &Options<F::Number>,
    bits: &mut dyn FnMut() -> u64,
) -> Option<Value<Range<F::Number>>> {
    let point = |x: F::Number| Value::Number(Range::point(x));
    match options {
        Options::Ordinals { offset: None, .. } => {
            Some(point(floats.at_ordinal(uniform_ordinal(&floats.format(), bits))))
        }
        Options::Ordinals { offset: Some(low), count, .. } => {
            let place = natural_below(&Natural::from(*count), bits);
            Some(point(floats.cast(&Rational::from(low + Integer::from(place)))))
        }
        Options::Values(values) => {
            let denominators = values.iter().map(|(_, p)| p.denominator());
            let common = denominators.fold(Natural::ONE, |common, d| least_common_multiple(&common, d));
            let mut place = Rational::from(natural_below(&common, bits)) / Rational::from(common);
            for (value, p) in values {
                if place < *p {
                    return Some(value.clone());
                }
                place -= p;
            }
            None
        }
    }
}

/// A uniform natural below a positive bound, by rejection.
fn natural_below(bound: &Natural, bits: &mut dyn FnMut() -> u64) -> Natural {
    let length = bound.bit_len();
    loop {
        let mut drawn = Natural::ZERO;
        for _ in 0..length.div_ceil(64) {
            drawn = (drawn << 64) + Natural::from(bits());
        }
        let drawn = drawn >> (length.div_ceil(64) * 64 - length);
        if drawn < *bound {
            return drawn;
        }
    }
}

/// The ordinal of a uniform real in (0, 1) rounded down to the format: the leading zeros of a stream of bits give the
/// binade, further bits the significand.
fn uniform_ordinal(format: &Format, bits: &mut dyn FnMut() -> u64) -> u64 {
    let places = format.precision() - 1;
    let fraction = bits() & ((1 << places) - 1);
    let mut zeros = 0;
    while zeros < -format.emin() && bits() & 1 == 0 {
        zeros += 1;
    }
    // 2^−(zeros+1) ≤ u < 2^−zeros; binade 0 holds the subnormals, which are below 2^emin.
    let binade = (-format.emin() - zeros).max(0) as u64;
    (binade << places) | fraction
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::float::arithmetic::{Soft, ordinal_of_one};
    use crate::run::bits::Bits;

    /// In a format of 20 floats below 1, each is drawn about as often as its mass says.
    #[test]
    fn uniform_floats_follow_their_masses() {
        let format = Format::new(3, -4, 2).unwrap();
        let one = ordinal_of_one(&format).unwrap();
        assert_eq!(one, 20);
        let mut counts = vec![0f64; one as usize];
        let mut bits = Bits(5);
        let runs = 200_000;
        for _ in 0..runs {
            counts[uniform_ordinal(&format, &mut || bits.next()) as usize] += 1.0;
        }
        let total = ordinal_units(&format, one);
        for ordinal in 0..one {
            let mass = ordinal_units(&format, ordinal + 1) - ordinal_units(&format, ordinal);
            let p = f64::from(u32::try_from(&mass).unwrap()) / f64::from(u32::try_from(&total).unwrap());
            let error = (p * (1.0 - p) / f64::from(runs)).sqrt();
            let share = counts[ordinal as usize] / f64::from(runs);
            assert!((share - p).abs() < 5.0 * error, "{ordinal}: {share} {p}");
        }
    }

    #[test]
    fn values_are_picked_by_their_probabilities() {
        let floats = Soft { format: Format::BINARY16 };
        let third = Rational::ONE / Rational::from(3);
        let options = Options::Values(vec![
            (Value::Bool(true), third.clone()),
            (Value::Bool(false), Rational::ONE - third),
        ]);
        let mut bits = Bits(9);
        let mut yes = 0;
        for _ in 0..30_000 {
            yes += u32::from(pick(&floats, &options, &mut || bits.next()) == Some(Value::Bool(true)));
        }
        assert!(yes.abs_diff(10_000) < 410, "{yes}");
    }
}
