//! What follows at a node of a derivation, worked out a second time in rational numbers: every bound is the one of its rule,
//! rounded outwards and by little.

use super::{power, q};
use probity_exact::{Abs, Enclosure, Float, Format, Integer, Rational, Round};
use probity_kernel::float::derivation::{Bounds, Derivation, Fault, Operation, Part, Rule, check, follow};

type Range = (Rational, Rational);

/// A function of a rational number to 300 bits, far more than the checker works with.
fn about(f: impl Fn(&Enclosure<Float>) -> Option<Enclosure<Float>>, x: &Rational) -> Option<Rational> {
    f(&Enclosure::around(x, Format::wide(300)))?.low().to_rational()
}

fn each(f: impl Fn(&Enclosure<Float>) -> Option<Enclosure<Float>>, x: &Range) -> Option<Range> {
    Some((about(&f, &x.0)?, about(&f, &x.1)?))
}

fn least_of(a: &Rational, b: &Rational) -> Rational {
    if a < b { a.clone() } else { b.clone() }
}

fn most_of(a: &Rational, b: &Rational) -> Rational {
    if a > b { a.clone() } else { b.clone() }
}

fn hull(x: &Range, y: &Range) -> Range {
    (least_of(&x.0, &y.0), most_of(&x.1, &y.1))
}

fn has_zero(x: &Range) -> bool {
    x.0 <= Rational::ZERO && x.1 >= Rational::ZERO
}

fn neg(x: &Range) -> Range {
    (-x.1.clone(), -x.0.clone())
}

fn size(x: &Range) -> Rational {
    most_of(&x.0.clone().abs(), &x.1.clone().abs())
}

fn least(x: &Range) -> Rational {
    if has_zero(x) { Rational::ZERO } else { least_of(&x.0.clone().abs(), &x.1.clone().abs()) }
}

fn plus(x: &Range, y: &Range) -> Range {
    (&x.0 + &y.0, &x.1 + &y.1)
}

fn times(x: &Range, y: &Range) -> Range {
    let corners = [&x.0 * &y.0, &x.0 * &y.1, &x.1 * &y.0, &x.1 * &y.1];
    corners[1..]
        .iter()
        .fold((corners[0].clone(), corners[0].clone()), |r, c| hull(&r, &(c.clone(), c.clone())))
}

fn by(x: &Range, y: &Range) -> Option<Range> {
    (!has_zero(y)).then(|| times(x, &(Rational::ONE / &y.1, Rational::ONE / &y.0)))
}

fn quotient(x: &Rational, y: &Rational) -> Option<Rational> {
    (!y.is_zero()).then(|| x / y)
}

/// down(v) = v/(1+η) for v ≥ 0 and v(1+η) otherwise, up(v) the other way round; half the smallest number more where the result may be
/// below the normal numbers, unless it is a sum. |fl(v) − v| ≤ η/(1+η)·|v|, and as much more.
fn rounded(
    value: Range,
    computed: Range,
    spread: Rational,
    relative: Option<Rational>,
    format: Format,
    sum: bool,
) -> Option<Bounds> {
    let eta = format.unit_roundoff();
    let grow = Rational::ONE + &eta;
    let normal = least(&computed) >= power(format.emin());
    let exact = sum || normal;
    let tiny = if exact { Rational::ZERO } else { format.min_positive().to_rational()? / q(2, 1) };
    let down = if computed.0 < Rational::ZERO { &computed.0 * &grow } else { &computed.0 / &grow } - &tiny;
    let up = if computed.1 < Rational::ZERO { &computed.1 / &grow } else { &computed.1 * &grow } + &tiny;
    let share = eta / grow;
    let absolute = spread + &share * size(&computed) + tiny;
    let relative = match relative {
        Some(r) if exact => Some((Rational::ONE + r) * (Rational::ONE + share) - Rational::ONE),
        _ => quotient(&absolute, &least(&value)),
    };
    let float = (down, up);
    (size(&float) <= format.max_finite().to_rational()?).then_some(Bounds {
        real: value,
        float,
        absolute,
        relative,
    })
}

fn exact(real: Range, float: Range, absolute: Rational) -> Option<Bounds> {
    Some(Bounds { real, float, absolute, relative: None })
}

fn product_error(x: &Bounds, y: &Bounds) -> Rational {
    size(&x.real) * &y.absolute + size(&y.real) * &x.absolute + &x.absolute * &y.absolute
}

fn nearest(v: &Rational, grid: &Rational) -> Rational {
    let floor = (v / grid).floor();
    let rest = (v / grid - Rational::from(floor.clone())) * q(2, 1);
    let even = &floor % Integer::from(2) == Integer::ZERO;
    let stays = rest < Rational::ONE || (rest == Rational::ONE && even);
    Rational::from(if stays { floor } else { floor + Integer::ONE }) * grid
}

fn is_float(x: &Rational, format: Format) -> bool {
    format.round(x, Round::NearestEven).to_rational().as_ref() == Some(x)
}

/// The rules, one by one.
fn expected(rule: &Rule, p: &[&Bounds], format: Format) -> Option<Bounds> {
    let both = |x: &Bounds| hull(&x.real, &x.float);
    match rule {
        Rule::Const(c) => {
            let float = format.round(c, Round::NearestEven).to_rational()?;
            let off = (&float - c).abs();
            let relative = quotient(&off, &c.clone().abs()).unwrap_or(Rational::ZERO);
            Some(Bounds {
                real: (c.clone(), c.clone()),
                float: (float.clone(), float),
                absolute: off,
                relative: Some(relative),
            })
        }
        Rule::Var { low, high, exact: true, .. } => {
            let range = (low.clone(), high.clone());
            Some(Bounds {
                real: range.clone(),
                float: range,
                absolute: Rational::ZERO,
                relative: Some(Rational::ZERO),
            })
        }
        Rule::Var { low, high, .. } => {
            let range = (low.clone(), high.clone());
            rounded(range.clone(), range, Rational::ZERO, Some(Rational::ZERO), format, false)
        }
        Rule::Neg => Some(Bounds { real: neg(&p[0].real), float: neg(&p[0].float), ..p[0].clone() }),
        Rule::Abs => {
            let abs = |x: &Range| (least(x), size(x));
            Some(Bounds { real: abs(&p[0].real), float: abs(&p[0].float), ..p[0].clone() })
        }
        Rule::Min | Rule::Max => {
            let one = if *rule == Rule::Min { least_of } else { most_of };
            let pair = |x: &Range, y: &Range| (one(&x.0, &y.0), one(&x.1, &y.1));
            exact(
                pair(&p[0].real, &p[1].real),
                pair(&p[0].float, &p[1].float),
                most_of(&p[0].absolute, &p[1].absolute),
            )
        }
        Rule::Clamp { low, high } => {
            let into = |x: &Rational| least_of(&most_of(x, low), high);
            let clamp = |x: &Range| (into(&x.0), into(&x.1));
            let fine = low <= high && is_float(low, format) && is_float(high, format);
            fine.then(|| exact(clamp(&p[0].real), clamp(&p[0].float), p[0].absolute.clone())).flatten()
        }
        Rule::RoundTo { grid } => {
            let snap = |x: &Range| (nearest(&x.0, grid), nearest(&x.1, grid));
            let (value, computed) = (snap(&p[0].real), snap(&p[0].float));
            let apart = size(&plus(&computed, &neg(&value)));
            let absolute = match p[0].absolute.is_zero() {
                true => Rational::ZERO,
                false => least_of(&(&p[0].absolute + grid), &apart),
            };
            let power = *grid > Rational::ZERO && (-40..40).any(|e| power(e) == *grid);
            let fits = size(&computed) <= format.max_finite().to_rational()?;
            (power && is_float(grid, format) && fits).then(|| exact(value, computed, absolute)).flatten()
        }
        Rule::If => {
            let apart = plus(&both(p[1]), &neg(&both(p[0])));
            let (value, computed) = (hull(&p[2].real, &p[3].real), hull(&p[2].float, &p[3].float));
            let absolute = match has_zero(&apart) {
                true => size(&plus(&computed, &neg(&value))),
                false => most_of(&p[2].absolute, &p[3].absolute),
            };
            exact(value, computed, absolute)
        }
        Rule::Ln => {
            let ln = |x: &Range| (x.0 > Rational::ZERO).then(|| each(|x| x.ln(), x)).flatten();
            let spread = quotient(&p[0].absolute, &least(&both(p[0])))?;
            let relative = p[0].absolute.is_zero().then_some(Rational::ZERO);
            rounded(ln(&p[0].real)?, ln(&p[0].float)?, spread, relative, format, false)
        }
        Rule::Op(operation) => operation_expected(*operation, p, format),
    }
}

fn operation_expected(operation: Operation, p: &[&Bounds], format: Format) -> Option<Bounds> {
    let x = p[0];
    let both = |f: fn(&Rational, &Rational) -> Option<Rational>| match (&x.relative, &p[1].relative) {
        (Some(r), Some(s)) => f(r, s),
        _ => None,
    };
    match operation {
        Operation::Add | Operation::Sub => {
            let y = if operation == Operation::Add { |y: &Range| y.clone() } else { neg };
            let (a, b) = (&x.real, y(&p[1].real));
            let down = |v: &Range| v.1 <= Rational::ZERO;
            let up = |v: &Range| v.0 >= Rational::ZERO;
            let one_sign = (down(a) && down(&b)) || (up(a) && up(&b));
            let relative = both(|r, s| Some(most_of(r, s))).filter(|_| one_sign);
            let spread = &x.absolute + &p[1].absolute;
            rounded(plus(a, &b), plus(&x.float, &y(&p[1].float)), spread, relative, format, true)
        }
        Operation::Mul => {
            let relative = both(|r, s| Some(r + s + r * s));
            let (value, computed) = (times(&x.real, &p[1].real), times(&x.float, &p[1].float));
            rounded(value, computed, product_error(x, p[1]), relative, format, false)
        }
        Operation::Div => {
            let (value, computed) = (by(&x.real, &p[1].real)?, by(&x.float, &p[1].float)?);
            let spread = (&x.absolute + size(&value) * &p[1].absolute) / least(&p[1].float);
            let relative = both(|r, s| {
                (*s < Rational::ONE).then(|| (Rational::ONE + r) / (Rational::ONE - s) - Rational::ONE)
            });
            rounded(value, computed, spread, relative, format, false)
        }
        Operation::Fma => {
            let value = plus(&times(&x.real, &p[1].real), &p[2].real);
            let computed = plus(&times(&x.float, &p[1].float), &p[2].float);
            rounded(value, computed, product_error(x, p[1]) + &p[2].absolute, None, format, false)
        }
        Operation::Sqrt => {
            let root = |v: &Range| (v.0 >= Rational::ZERO).then(|| each(|x| x.sqrt(), v)).flatten();
            let (value, computed) = (root(&x.real)?, root(&x.float)?);
            let of_error = about(|x| x.sqrt(), &x.absolute)?;
            let sum = least(&value) + least(&computed);
            let spread = quotient(&x.absolute, &sum).map_or(of_error.clone(), |s| least_of(&s, &of_error));
            let relative = x.relative.clone().filter(|r| *r <= Rational::ONE);
            rounded(value, computed, spread, relative, format, false)
        }
        Operation::Exp => {
            let exp = |v: &Range| each(|x| Some(x.exp()), v);
            let slope = exp(&hull(&x.real, &x.float))?.1;
            rounded(exp(&x.real)?, exp(&x.float)?, &x.absolute * slope, None, format, false)
        }
    }
}

/// The number found is not below the one expected (which may itself be too small by 2^-290), and above it by little.
fn is_upper(found: &Rational, expected: &Rational) -> bool {
    let scale = Rational::ONE + expected.clone().abs();
    *found >= expected - &scale * power(-290) && found - expected <= scale * power(-140)
}

fn agrees(found: &Bounds, expected: &Bounds) -> bool {
    let around = |f: &Range, e: &Range| is_upper(&f.1, &e.1) && is_upper(&-f.0.clone(), &-e.0.clone());
    let relative = match (&found.relative, &expected.relative) {
        (Some(f), Some(e)) => is_upper(f, e),
        (None, None) => true,
        _ => false,
    };
    around(&found.real, &expected.real)
        && around(&found.float, &expected.float)
        && is_upper(&found.absolute, &expected.absolute)
        && relative
}

/// Claims of premises: of both signs, around 0, ending at 0, below the normal numbers, exact, with and without a relative error.
fn premises(format: Format) -> Vec<Bounds> {
    let tiny = power(format.emin() - 1);
    let bounds = |low: Rational, high: Rational, off: Rational, relative: Option<Rational>| Bounds {
        real: (low.clone(), high.clone()),
        float: (low - &off, high + &off),
        absolute: off,
        relative,
    };
    vec![
        bounds(q(3, 2), q(7, 3), q(1, 100), Some(q(1, 150))),
        bounds(q(5, 4), q(5, 4), q(0, 1), Some(q(0, 1))),
        bounds(q(5, 8), q(11, 4), q(0, 1), Some(q(0, 1))),
        bounds(q(-7, 5), q(-3, 5), q(1, 90), Some(q(1, 50))),
        bounds(q(-1, 3), q(2, 3), q(1, 70), None),
        Bounds {
            real: (q(0, 1), q(1, 1)),
            float: (q(0, 1), q(9, 8)),
            absolute: q(1, 8),
            relative: Some(q(1, 8)),
        },
        Bounds {
            real: (q(-1, 1), q(0, 1)),
            float: (q(-9, 8), q(0, 1)),
            absolute: q(1, 8),
            relative: Some(q(1, 7)),
        },
        bounds(tiny.clone(), &tiny * q(3, 2), &tiny / q(4, 1), Some(q(1, 4))),
        Bounds {
            real: (q(1, 1), q(2, 1)),
            float: (q(1, 8), q(4, 1)),
            absolute: q(2, 1),
            relative: Some(q(1, 1)),
        },
        Bounds {
            real: (q(1, 1), q(2, 1)),
            float: (q(1, 8), q(4, 1)),
            absolute: q(2, 1),
            relative: Some(q(1, 1) + power(-200)),
        },
        Bounds {
            real: (q(1, 1), q(2, 1)),
            float: (q(1, 8), q(4, 1)),
            absolute: q(2, 1),
            relative: Some(q(3, 2)),
        },
        bounds(q(40, 1), q(60, 1), q(1, 3), Some(q(1, 120))),
        bounds(q(40, 1), q(40, 1), q(1, 3), None),
    ]
}

/// Every rule with that many premises, on all premises there are; four are thinned out.
fn give_what_they_say(cases: &[(Rule, usize)]) -> (usize, usize) {
    let format = Format::new(8, -10, 12).unwrap();
    let all = premises(format);
    let (mut same, mut refused) = (0, 0);
    for (rule, arity) in cases {
        for number in 0..all.len().pow(*arity as u32) {
            if *arity == 4 && number % 7 != 0 {
                continue;
            }
            let p: Vec<&Bounds> =
                (0..*arity).map(|place| &all[number / all.len().pow(place as u32) % all.len()]).collect();
            let found = follow(rule, &p, format);
            match (&found, expected(rule, &p, format)) {
                (Ok(found), Some(expected)) => {
                    assert!(agrees(found, &expected), "{rule:?} {p:#?}\n{found:#?}\n{expected:#?}");
                    same += 1;
                }
                (Err(Fault::Undefined), None) => refused += 1,
                (_, expected) => panic!("{rule:?} {p:#?}\n{found:#?}\n{expected:#?}"),
            }
        }
    }
    (same, refused)
}

// One test for each number of premises, so that each is quick.
#[test]
fn rules_give_what_they_say() {
    let leaf = |low: Rational, high: Rational, exact| Rule::Var { name: "x".into(), low, high, exact };
    let mut cases: Vec<(Rule, usize)> = vec![
        (Rule::Const(q(1, 3)), 0),
        (Rule::Const(q(-1, 3)), 0),
        (Rule::Const(q(2, 5)), 0),
        (Rule::Const(q(0, 1)), 0),
        (Rule::Const(power(40)), 0),
        (leaf(q(1, 3), q(7, 1), false), 0),
        (leaf(q(1, 3), q(7, 1), true), 0),
        (leaf(q(-1, 3), power(-12), false), 0),
        (leaf(power(-10), q(1, 1), false), 0),
        (leaf(q(1, 1), power(13), false), 0),
        (Rule::Clamp { low: q(-1, 2), high: q(3, 4) }, 1),
        (Rule::Clamp { low: q(1, 2), high: q(1, 2) }, 1),
        (Rule::Clamp { low: q(1, 1), high: q(1, 2) }, 1),
        (Rule::Clamp { low: q(1, 3), high: q(1, 2) }, 1),
        (Rule::Clamp { low: q(1, 2), high: q(2, 3) }, 1),
        (Rule::RoundTo { grid: q(1, 2) }, 1),
        (Rule::RoundTo { grid: q(1, 16) }, 1),
        (Rule::RoundTo { grid: q(3, 4) }, 1),
        (Rule::RoundTo { grid: q(-1, 2) }, 1),
        (Rule::RoundTo { grid: power(30) }, 1),
    ];
    cases.extend([Rule::Neg, Rule::Abs, Rule::Ln].map(|rule| (rule, 1)));
    cases.extend([Rule::Min, Rule::Max].map(|rule| (rule, 2)));
    use Operation::{Add, Div, Exp, Mul, Sqrt, Sub};
    cases.extend([Sqrt, Exp].map(|operation| (Rule::Op(operation), 1)));
    cases.extend([Add, Sub, Mul, Div].map(|operation| (Rule::Op(operation), 2)));
    let (same, refused) = give_what_they_say(&cases);
    assert!(same > 800 && refused > 100, "{same} {refused}");
}

#[test]
fn fused_products_give_what_they_say() {
    let (same, _) = give_what_they_say(&[(Rule::Op(Operation::Fma), 3)]);
    assert!(same > 1_000, "{same}");
}

#[test]
fn conditionals_give_what_they_say() {
    let (same, _) = give_what_they_say(&[(Rule::If, 4)]);
    assert!(same > 1_000, "{same}");
}

/// The largest number is one, and nothing beyond it is.
#[test]
fn the_largest_number_is_a_number() {
    let format = Format::new(8, -10, 12).unwrap();
    let largest = format.max_finite().to_rational().unwrap();
    let rounds = |x: &Rational, grid: Rational| {
        let ends = (x.clone(), x.clone());
        let exactly = Bounds { real: ends.clone(), float: ends, absolute: q(0, 1), relative: Some(q(0, 1)) };
        follow(&Rule::RoundTo { grid }, &[&exactly], format)
    };
    assert_eq!(rounds(&largest, q(1, 2)).unwrap().float, (largest.clone(), largest.clone()));
    assert_eq!(rounds(&(&largest + q(1, 2)), q(1, 2)), Err(Fault::Undefined));
    assert_eq!(rounds(&largest, power(12)), Err(Fault::Undefined), "up to the next power of two");
}

#[test]
fn rules_count_their_premises() {
    let format = Format::BINARY64;
    let all = premises(format);
    let counts = [
        (Rule::Const(q(1, 1)), 0),
        (Rule::Neg, 1),
        (Rule::Op(Operation::Sqrt), 1),
        (Rule::Op(Operation::Mul), 2),
        (Rule::Max, 2),
        (Rule::Op(Operation::Fma), 3),
        (Rule::If, 4),
    ];
    for (rule, expected) in counts {
        for found in 0..6 {
            let given: Vec<&Bounds> = all.iter().take(found).collect();
            let answer = follow(&rule, &given, format);
            assert_eq!(found == expected, answer != Err(Fault::Premises { expected, found }), "{rule:?}");
        }
    }
}

/// A claim that lies between the two ends of the checker's own enclosure is not shown.
#[test]
fn a_claim_is_held_against_the_upper_end() {
    let format = Format::BINARY64;
    let third = q(1, 3);
    let float = format.round(&third, Round::NearestEven).to_rational().unwrap();
    let off = (&float - &third).abs();
    // 1/3 is no dyadic number, so its error is known from both sides only.
    let wide = |x: &Rational| (x - power(-80), x + power(-80));
    let claim = |absolute: Rational, relative: Rational| Derivation {
        rule: Rule::Const(third.clone()),
        premises: vec![],
        bounds: Bounds { real: wide(&third), float: wide(&float), absolute, relative: Some(relative) },
    };
    let more = |x: &Rational| x * (Rational::ONE + power(-100));
    let exact = &off / &third;
    assert!(check(&claim(more(&off), more(&exact)), format).is_ok());
    let narrow = |part| Err(Fault::TooNarrow { part });
    let fault =
        |derivation: &Derivation| check(derivation, format).map(|_| ()).map_err(|refused| refused.fault);
    assert_eq!(fault(&claim(off.clone(), more(&exact))), narrow(Part::Absolute));
    assert_eq!(fault(&claim(more(&off), exact * (Rational::ONE - power(-158)))), narrow(Part::Relative));
}
