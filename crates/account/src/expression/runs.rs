//! Short ways for what a text may have a million of: numbers of few digits, and terms `pure(number)` one after the other. What they do
//! not know they leave to the reader, so that a text means the same with and without them.

use probity_exact::{Integer, Natural, Rational};

/// Digits that surely fit in a word.
const DIGITS: u32 = 18;

/// Places behind the point that surely fit in two words.
const PLACES: i64 = 30;

/// A number of at most 18 digits, as `12`, `0.5` or `2.5e-3`, and where it ends; `None` for all others.
pub(super) fn small(bytes: &[u8], from: usize) -> Option<(Rational, usize)> {
    let (mut any, mut digits, mut value, mut places) = (false, 0, 0u64, None);
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'0'..=b'9' if digits < DIGITS => {
                any = true;
                value = value * 10 + u64::from(byte - b'0');
                digits += u32::from(value > 0);
                places = places.map(|places: i64| places + 1);
            }
            b'.' if places.is_none() => places = Some(0),
            b'0'..=b'9' | b'.' | b'_' => return None,
            _ => break,
        }
        at += 1;
    }
    if !any {
        return None;
    }
    let (exponent, at) = exponent(bytes, at)?;
    let scale = places.unwrap_or(0) - exponent;
    if !(0..=PLACES).contains(&scale) {
        return None;
    }
    let number = match scale {
        0 => Rational::from(value),
        _ => Rational::from_parts(Integer::from(value), Natural::from(10u128.pow(scale as u32))),
    };
    Some((number, at))
}

/// The exponent that stands here, 0 where none does, and where it ends; `None` for one of more than three digits, and where something else
/// follows the letter.
fn exponent(bytes: &[u8], at: usize) -> Option<(i64, usize)> {
    if !matches!(bytes.get(at), Some(b'e' | b'E')) {
        return Some((0, at));
    }
    let signed = at + 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
    let digits = bytes.get(signed..)?.iter().take_while(|byte| byte.is_ascii_digit()).take(4).count();
    if !(1..=3).contains(&digits) {
        return None;
    }
    let end = signed + digits;
    let value = bytes[signed..end].iter().fold(0, |value, byte| value * 10 + i64::from(byte - b'0'));
    Some((if bytes[at + 1] == b'-' { -value } else { value }, end))
}

/// Where the next thing stands that is neither a space nor the end of a line.
fn skip(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\n')) {
        at += 1;
    }
    at
}

const PURE: &[u8] = b"pure(";

/// The loss in `pure(number)` or `pure(number/number)`, and where that ends.
fn pure(bytes: &[u8], from: usize) -> Option<(Rational, usize)> {
    let (mut loss, mut at) = small(bytes, skip(bytes, from + PURE.len()))?;
    at = skip(bytes, at);
    if bytes.get(at) == Some(&b'/') {
        let (divisor, end) = small(bytes, skip(bytes, at + 1))?;
        if divisor.is_zero() {
            return None;
        }
        loss = quotient(&loss, &divisor);
        at = skip(bytes, end);
    }
    (bytes.get(at) == Some(&b')')).then_some((loss, at + 1))
}

/// The losses of terms `pure(number) +` from here on, and where the next term begins. The last term of a sum is none of them, since
/// what stands behind it may belong to it.
pub(super) fn pures(bytes: &[u8], from: usize) -> (Vec<Rational>, usize) {
    let (mut losses, mut at) = (Vec::new(), from);
    while bytes.get(at..).is_some_and(|rest| rest.starts_with(PURE)) {
        let Some((loss, end)) = pure(bytes, at) else { break };
        let end = skip(bytes, end);
        if bytes.get(end) != Some(&b'+') {
            break;
        }
        losses.push(loss);
        at = skip(bytes, end + 1);
    }
    (losses, at)
}

/// n/d for numbers as they are written; most are whole.
pub(super) fn quotient(n: &Rational, d: &Rational) -> Rational {
    match n.is_int() && d.is_int() {
        true => Rational::from_parts_signed(n.numerator().clone(), d.numerator().clone()),
        false => n / d,
    }
}
