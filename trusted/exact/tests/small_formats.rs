//! Every operation on every input of small formats, against rounding by definition: look through all
//! numbers of the format for the one that the direction asks for.

use std::cmp::Ordering;

use probity_exact::{Abs, Float, Format, Rational, Round, rational};

/// Rounds by definition. `numbers` are all finite numbers of the format, in order.
fn round_by_search(
    format: &Format,
    numbers: &[Float],
    values: &[Rational],
    x: &Rational,
    direction: Round,
) -> Float {
    let above = values.partition_point(|v| v < x);
    if above < values.len() && values[above] == *x {
        return numbers[above].clone();
    }
    let negative = *x < Rational::ZERO;
    // The neighbours; outside the range one of them is an infinity, and the midpoint is taken as if the
    // exponent went on: max + half a unit in the last place.
    let max = values.last().unwrap();
    let last_place = max - &values[values.len() - 2];
    let beyond = (*x).clone().abs() > *max;
    let down = if above == 0 { Float::infinity(true) } else { numbers[above - 1].clone() };
    let up = if above == values.len() { Float::infinity(false) } else { numbers[above].clone() };
    let down = if down.is_zero() { Float::zero(false) } else { down };
    // A magnitude that rounds to zero keeps its sign.
    let sign_of_zero = |f: Float| if f.is_zero() { Float::zero(negative) } else { f };
    let half = if beyond {
        (x.clone().abs()).cmp(&(max + &last_place / Rational::from(2)))
    } else {
        let (low, high) = (&values[above - 1], &values[above]);
        let from_low = (x - low).cmp(&(high - x));
        if negative { from_low.reverse() } else { from_low }
    };
    let (toward_zero, away) = if negative { (up.clone(), down.clone()) } else { (down.clone(), up.clone()) };
    let result = match (direction, half) {
        (Round::Up, _) => up,
        (Round::Down, _) => down,
        (Round::TowardZero, _) | (_, Ordering::Less) => toward_zero,
        (_, Ordering::Greater) | (Round::NearestAway, Ordering::Equal) => away,
        (Round::NearestEven, Ordering::Equal) => {
            let even = |f: &Float| match f.parts() {
                // Infinity stands for the next power of two, whose significand is even.
                None => true,
                Some((_, significand, exponent)) => {
                    let leading = f.leading_exponent().unwrap_or(format.emin());
                    let quantum = leading.max(format.emin()) - i64::from(format.precision()) + 1;
                    *significand == 0u8.into() || exponent > quantum
                }
            };
            if even(&toward_zero) { toward_zero } else { away }
        }
    };
    sign_of_zero(result)
}

fn formats() -> Vec<Format> {
    [(2, -2, 1), (3, -3, 2), (4, -2, 3), (2, 0, 0), (5, -1, 1)]
        .map(|(p, emin, emax)| Format::new(p, emin, emax).unwrap())
        .to_vec()
}

/// The operation's result, or what IEEE 754 says when it has no sign to lose: exact zeros are checked elsewhere.
fn check(
    format: &Format,
    all: &[Float],
    values: &[Rational],
    got: &Float,
    exact: &Rational,
    direction: Round,
) {
    let expected = round_by_search(format, all, values, exact, direction);
    if exact.is_zero() {
        assert!(got.is_zero(), "{got} should be a zero");
    } else {
        assert_eq!(*got, expected, "{exact} rounded {direction:?} in {format}");
    }
    assert!(format.contains(got));
}

#[test]
fn arithmetic_is_rounding_by_definition() {
    let mut cases = 0u64;
    for format in formats() {
        let all = format.all_finite().unwrap();
        let values: Vec<Rational> = all.iter().map(|f| f.to_rational().unwrap()).collect();
        for direction in Round::ALL {
            for (x, a) in all.iter().zip(&values) {
                if *a >= Rational::ZERO {
                    check_root(&format, x, a, direction);
                }
                for (y, b) in all.iter().zip(&values) {
                    check(&format, &all, &values, &format.add(x, y, direction), &(a + b), direction);
                    check(&format, &all, &values, &format.sub(x, y, direction), &(a - b), direction);
                    check(&format, &all, &values, &format.mul(x, y, direction), &(a * b), direction);
                    if !b.is_zero() {
                        check(&format, &all, &values, &format.div(x, y, direction), &(a / b), direction);
                    }
                    cases += 4;
                }
            }
        }
    }
    assert!(cases > 250_000, "{cases}");
}

/// A root is right when squaring brackets it: decided without computing a root.
fn check_root(format: &Format, x: &Float, a: &Rational, direction: Round) {
    let root = format.sqrt(x, direction);
    let square = |f: &Float| f.to_rational().map(|r| &r * &r);
    let value = square(&root).unwrap();
    let midpoint_square = |f: &Float, g: &Float| {
        let sum = f.to_rational().unwrap() + g.to_rational().unwrap();
        &sum * &sum / Rational::from(4)
    };
    let (down, up) = (format.next_down(&root), format.next_up(&root));
    match direction {
        Round::Up => assert!(value >= *a && (root.is_zero() || square(&down).is_none_or(|s| s < *a))),
        Round::Down | Round::TowardZero => assert!(value <= *a && square(&up).is_none_or(|s| s > *a)),
        Round::NearestEven | Round::NearestAway => {
            assert!(up.is_finite() && midpoint_square(&root, &up) >= *a);
            assert!(root.is_zero() || midpoint_square(&down, &root) <= *a);
        }
    }
}

/// A root may be asked of a number that has more bits than the format, with an exponent that is even or odd: whole squares, squares
/// of midpoints, and their neighbours.
#[test]
fn roots_of_longer_numbers() {
    for precision in [2, 3, 5] {
        let format = Format::new(precision, -90, 90).unwrap();
        for root in 1u64..140 {
            for significand in [root * root - 1, root * root, root * root + 1, root * root * 64 + 1] {
                for exponent in [-61, -60, -1, 0, 1, 6, 61] {
                    let x = Float::from_dyadic(significand.into(), exponent);
                    for direction in Round::ALL {
                        check_root(&format, &x, &x.to_rational().unwrap(), direction);
                    }
                }
            }
        }
    }
}

#[test]
fn fused_multiply_add_rounds_once() {
    let format = Format::new(3, -2, 2).unwrap();
    let all = format.all_finite().unwrap();
    let values: Vec<Rational> = all.iter().map(|f| f.to_rational().unwrap()).collect();
    for direction in Round::ALL {
        for (i, x) in all.iter().enumerate().step_by(2) {
            for (j, y) in all.iter().enumerate() {
                for (k, z) in all.iter().enumerate() {
                    let exact = &values[i] * &values[j] + &values[k];
                    check(&format, &all, &values, &format.fma(x, y, z, direction), &exact, direction);
                }
            }
        }
    }
}

#[test]
fn rationals_round_by_definition() {
    for format in formats() {
        let all = format.all_finite().unwrap();
        let values: Vec<Rational> = all.iter().map(|f| f.to_rational().unwrap()).collect();
        for numerator in -600..600 {
            for denominator in [1, 3, 7, 32, 64, 100, 257] {
                let x = rational(numerator, denominator).unwrap();
                for direction in Round::ALL {
                    check(&format, &all, &values, &format.round(&x, direction), &x, direction);
                }
            }
        }
    }
}

/// Rounding −x in the mirrored direction is −(rounding x).
#[test]
fn mirrored_directions_are_of_the_opposite_number() {
    for format in formats() {
        for numerator in -60..60 {
            let x = rational(numerator, 7).unwrap();
            for direction in Round::ALL {
                let opposite = format.round(&-x.clone(), direction.mirrored());
                let (one, other) = (format.round(&x, direction).to_rational(), opposite.to_rational());
                assert_eq!(one, other.map(|y| -y), "{x} {direction:?}");
            }
        }
    }
    assert_eq!(Round::ALL.map(|direction| direction.mirrored().mirrored()), Round::ALL);
}

/// Wide gaps between operands, where the smaller one is replaced by a stand-in, against exact rationals.
#[test]
fn far_apart_operands_round_alike() {
    let format = Format::new(4, -200, 200).unwrap();
    for significand in [1i64, 2, 3, 7, 8, 9, 15, 16] {
        for gap in 1..40 {
            for small in [-3i64, -1, 1, 5] {
                let large = Float::from_dyadic(significand.into(), 20);
                let tiny = Float::from_dyadic(small.into(), 20 - gap);
                let exact = large.to_rational().unwrap() + tiny.to_rational().unwrap();
                for direction in Round::ALL {
                    let sum = format.add(&large, &tiny, direction);
                    assert_eq!(sum, format.round(&exact, direction), "{large} + {tiny} {direction:?}");
                }
            }
        }
    }
    // And where no fraction could hold the sum.
    let wide = Format::wide(10);
    let one = Float::from_dyadic(1.into(), 0);
    let speck = Float::from_dyadic(1.into(), -(1 << 59));
    assert_eq!(wide.add(&one, &speck, Round::Up), wide.next_up(&one));
    assert_eq!(wide.sub(&one, &speck, Round::Down), wide.next_down(&one));
    assert_eq!(wide.add(&one, &speck, Round::NearestEven), one);
    // A zero has no bits that could be far from those of the other.
    for far in [speck, Float::from_dyadic(3.into(), 1 << 59)] {
        for zero in [Float::zero(false), Float::zero(true)] {
            assert_eq!(wide.add(&zero, &far, Round::Up), far);
            assert_eq!(wide.add(&far, &zero, Round::Down), far);
            assert_eq!(wide.fma(&zero, &one, &far, Round::Up), far);
        }
    }
}

#[test]
fn special_values_follow_the_standard() {
    let format = Format::BINARY16;
    let nearest = Round::NearestEven;
    let (inf, minus_inf, nan) = (Float::infinity(false), Float::infinity(true), Float::nan());
    let (zero, minus_zero) = (Float::zero(false), Float::zero(true));
    let (one, minus_one) = (Float::from_f64(1.0), Float::from_f64(-1.0));
    for (got, expected) in [
        (format.add(&inf, &minus_inf, nearest), &nan),
        (format.add(&inf, &one, nearest), &inf),
        (format.add(&inf, &inf, nearest), &inf),
        (format.add(&minus_inf, &minus_inf, nearest), &minus_inf),
        (format.sub(&inf, &minus_inf, nearest), &inf),
        (format.sub(&inf, &inf, nearest), &nan),
        (format.mul(&inf, &zero, nearest), &nan),
        (format.mul(&inf, &minus_one, nearest), &minus_inf),
        (format.mul(&minus_zero, &one, nearest), &minus_zero),
        (format.div(&zero, &zero, nearest), &nan),
        (format.div(&one, &minus_zero, nearest), &minus_inf),
        (format.div(&inf, &inf, nearest), &nan),
        (format.div(&minus_one, &inf, nearest), &minus_zero),
        (format.fma(&inf, &zero, &one, nearest), &nan),
        (format.fma(&inf, &one, &minus_inf, nearest), &nan),
        (format.fma(&one, &one, &inf, nearest), &inf),
        (format.sqrt(&minus_zero, nearest), &minus_zero),
        (format.sqrt(&minus_one, nearest), &nan),
        (format.sqrt(&inf, nearest), &inf),
        (format.ln(&zero, nearest), &minus_inf),
        (format.ln(&minus_zero, nearest), &minus_inf),
        (format.ln(&minus_one, nearest), &nan),
        (format.ln(&inf, nearest), &inf),
        (format.ln(&one, nearest), &zero),
        (format.exp(&minus_inf, nearest), &zero),
        (format.exp(&inf, nearest), &inf),
        (format.exp(&minus_zero, nearest), &one),
        (format.exp(&nan, nearest), &nan),
        (format.add(&one, &minus_one, Round::Down), &minus_zero),
        (format.add(&one, &minus_one, Round::Up), &zero),
        (format.add(&minus_zero, &minus_zero, nearest), &minus_zero),
        (format.add(&zero, &minus_zero, nearest), &zero),
        (format.add(&zero, &minus_zero, Round::Down), &minus_zero),
    ] {
        assert_eq!(got, *expected);
    }
}

/// e^x far outside every range, in formats whose exponents are as wide as they get.
#[test]
fn exponentials_at_the_ends_of_wide_formats() {
    let wide = Format::wide(20);
    for leading in [40, 59, 60, 61, 62] {
        let x = Float::from_dyadic(1.into(), leading);
        let (up, down) = (wide.exp(&x, Round::Up), wide.exp(&x, Round::Down));
        let small = wide.exp(&x.negated(), Round::Down);
        if leading < 60 {
            assert_eq!(wide.next_up(&down), up, "e^(2^{leading})");
            assert!(!small.is_zero());
        } else {
            assert_eq!(down, wide.max_finite());
            assert_eq!(up, Float::infinity(false));
            assert!(small.is_zero());
            assert_eq!(wide.exp(&x.negated(), Round::Up), wide.min_positive());
        }
    }
}

#[test]
fn neighbours_are_next_to_each_other() {
    for format in formats() {
        let all = format.all_finite().unwrap();
        for pair in all.windows(2) {
            let next = format.next_up(&pair[0]);
            assert_eq!(next.compare(&pair[1]), Some(Ordering::Equal), "{} {}", pair[0], pair[1]);
            assert_eq!(format.next_down(&pair[1]).compare(&pair[0]), Some(Ordering::Equal));
        }
        assert_eq!(format.next_up(&format.max_finite()), Float::infinity(false));
    }
}

/// Rounding to nearest moves a normal number by at most the unit roundoff, relative to it, and a midpoint next to a power of two by
/// that much of the power.
#[test]
fn the_unit_roundoff_is_what_rounding_loses() {
    let two = Rational::from(2);
    for format in formats() {
        let unit = format.unit_roundoff();
        let all = format.all_finite().unwrap();
        let values: Vec<Rational> = all.iter().map(|f| f.to_rational().unwrap()).collect();
        let least = Float::from_dyadic(1.into(), format.emin()).to_rational().unwrap();
        for pair in values.windows(2).filter(|pair| pair[0] >= least) {
            let middle = (&pair[0] + &pair[1]) / &two;
            assert!(&middle - &pair[0] <= &unit * &middle, "{middle} in {format}");
        }
        let one = Float::from_dyadic(1.into(), 0);
        let after = format.next_up(&one).to_rational().unwrap();
        assert_eq!((after - Rational::from(1)) / &two, unit, "{format}");
    }
    assert_eq!(Format::BINARY64.unit_roundoff(), rational(1, 1i64 << 53).unwrap());
}

/// The neighbour of a number that is not in the format is the next one that is.
#[test]
fn neighbours_of_what_is_between() {
    let format = Format::new(3, -2, 2).unwrap();
    let all = format.all_finite().unwrap();
    for pair in all.windows(2) {
        let ends = [&pair[0], &pair[1]].map(|x| x.to_rational().unwrap());
        let between = (&ends[0] + &ends[1]) / Rational::from(2);
        let between = Format::wide(60).round(&between, Round::NearestEven);
        let [down, up] = [format.next_down(&between), format.next_up(&between)].map(|x| x.to_rational());
        assert_eq!([down, up], ends.map(Some), "{between}");
    }
}

/// A format contains what rounding leaves alone, and only that.
#[test]
fn a_format_contains_its_numbers() {
    let format = Format::new(3, -2, 2).unwrap();
    let mut found = 0;
    for exponent in -8..6 {
        for significand in 0u8..70 {
            for negative in [false, true] {
                let x = Float::from_parts(negative, significand.into(), exponent);
                let stays = Round::ALL.iter().all(|direction| format.round_float(&x, *direction) == x);
                assert_eq!(format.contains(&x), stays, "{x}");
                found += usize::from(stays);
            }
        }
    }
    assert!(found > 100);
    assert!([Float::nan(), Float::infinity(true), Float::zero(true)].iter().all(|x| format.contains(x)));
}

#[test]
fn senseless_formats_are_refused() {
    assert!(Format::new(1, -2, 2).is_err());
    assert!(Format::new(0, -2, 2).is_err());
    assert!(Format::new(u32::MAX, -2, 2).is_err());
    assert!(Format::new(5, 3, 2).is_err());
    assert!(Format::new(5, i64::MIN, 2).is_err());
    assert!(Format::new(5, 0, i64::MAX).is_err());
    // The ends themselves are formats.
    const FAR: i64 = 1 << 60;
    assert!(Format::new(2, -FAR, FAR).is_ok() && Format::new(1 << 24, 0, 0).is_ok());
    assert!(Format::new(2, -FAR - 1, 0).is_err() && Format::new(2, 0, FAR + 1).is_err());
    assert!(Format::new((1 << 24) + 1, 0, 0).is_err());
    let wide = |precision| Format::wide(precision);
    assert_eq!((wide(0).precision(), wide(2).precision(), wide(u32::MAX).precision()), (2, 2, 1 << 24));
    assert_eq!((wide(9).precision(), wide(9).emin(), wide(9).emax()), (9, -FAR, FAR));
}
