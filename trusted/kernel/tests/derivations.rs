//! Derivations: what the rules give is never escaped from, on every float of small formats and on a million points of
//! binary64, and a claim that is narrower than that is refused.

use probity_exact::directed::{cast_down, cast_up, exp_nearest, ln_nearest};
use probity_exact::{Enclosure, Float, Format, Rational, Round, rational, rational_from_f64};
use probity_kernel::float::derivation::{Bounds, Derivation, Fault, Operation, Part, Rule, check, follow};

const NEAR: Round = Round::NearestEven;

fn q(n: i64, d: i64) -> Rational {
    rational(n, d).unwrap()
}

fn node(rule: Rule, premises: Vec<Derivation>, format: Format) -> Result<Derivation, Fault> {
    let claims: Vec<&Bounds> = premises.iter().map(|premise| &premise.bounds).collect();
    let bounds = follow(&rule, &claims, format)?;
    Ok(Derivation { rule, premises, bounds })
}

fn variable(low: &Rational, high: &Rational, exact: bool, format: Format) -> Derivation {
    let rule = Rule::Var { name: "x".into(), low: low.clone(), high: high.clone(), exact };
    node(rule, vec![], format).unwrap()
}

/// The rules that take one or two arguments, with how floats and reals compute them.
fn rules(grid: &Rational) -> Vec<(Rule, usize)> {
    vec![
        (Rule::Op(Operation::Add), 2),
        (Rule::Op(Operation::Sub), 2),
        (Rule::Op(Operation::Mul), 2),
        (Rule::Op(Operation::Div), 2),
        (Rule::Op(Operation::Fma), 3),
        (Rule::Min, 2),
        (Rule::Max, 2),
        (Rule::Op(Operation::Sqrt), 1),
        (Rule::Op(Operation::Exp), 1),
        (Rule::Ln, 1),
        (Rule::Neg, 1),
        (Rule::Abs, 1),
        (Rule::RoundTo { grid: grid.clone() }, 1),
        (Rule::Clamp { low: q(-1, 1), high: q(1, 1) }, 1),
    ]
}

fn nearest_multiple(x: &Rational, grid: &Rational) -> Rational {
    let ratio = x / grid;
    let floor = ratio.clone().floor();
    let twice = (ratio - Rational::from(floor.clone())) * q(2, 1);
    let odd = &floor % probity_exact::integer(2) != probity_exact::integer(0);
    let up = twice > Rational::ONE || (twice == Rational::ONE && odd);
    Rational::from(if up { floor + probity_exact::integer(1) } else { floor }) * grid
}

fn computed(rule: &Rule, x: &[Float], f: Format) -> Float {
    let less = |a: &Float, b: &Float| a.compare(b).unwrap().is_lt();
    match rule {
        Rule::Op(Operation::Add) => f.add(&x[0], &x[1], NEAR),
        Rule::Op(Operation::Sub) => f.sub(&x[0], &x[1], NEAR),
        Rule::Op(Operation::Mul) => f.mul(&x[0], &x[1], NEAR),
        Rule::Op(Operation::Div) => f.div(&x[0], &x[1], NEAR),
        Rule::Op(Operation::Fma) => f.fma(&x[0], &x[1], &x[2], NEAR),
        Rule::Op(Operation::Sqrt) => f.sqrt(&x[0], NEAR),
        Rule::Op(Operation::Exp) => f.exp(&x[0], NEAR),
        Rule::Ln => f.ln(&x[0], NEAR),
        Rule::Neg => x[0].negated(),
        Rule::Abs => x[0].magnitude(),
        Rule::Min => {
            if less(&x[1], &x[0]) {
                x[1].clone()
            } else {
                x[0].clone()
            }
        }
        Rule::Max => {
            if less(&x[0], &x[1]) {
                x[1].clone()
            } else {
                x[0].clone()
            }
        }
        Rule::RoundTo { grid } => f.round(&nearest_multiple(&x[0].to_rational().unwrap(), grid), NEAR),
        Rule::Clamp { low, high } => {
            let value = x[0].to_rational().unwrap();
            f.round(
                if value < *low {
                    low
                } else if value > *high {
                    high
                } else {
                    &value
                },
                NEAR,
            )
        }
        _ => Float::nan(),
    }
}

fn real(rule: &Rule, x: &[Rational]) -> Option<Enclosure<Float>> {
    let wide = Format::wide(200);
    let e = |i: usize| Enclosure::around(&x[i], wide);
    let point = |v: &Rational| Some(Enclosure::around(v, wide));
    match rule {
        Rule::Op(Operation::Add) => Some(e(0) + e(1)),
        Rule::Op(Operation::Sub) => Some(e(0) - e(1)),
        Rule::Op(Operation::Mul) => Some(e(0) * e(1)),
        Rule::Op(Operation::Div) => e(0).checked_div(&e(1)),
        Rule::Op(Operation::Fma) => Some(e(0) * e(1) + e(2)),
        Rule::Op(Operation::Sqrt) => e(0).sqrt(),
        Rule::Op(Operation::Exp) => Some(e(0).exp()),
        Rule::Ln => e(0).ln(),
        Rule::Neg => Some(-e(0)),
        Rule::Abs => Some(e(0).abs()),
        Rule::Min => Some(e(0).min(&e(1))),
        Rule::Max => Some(e(0).max(&e(1))),
        Rule::RoundTo { grid } => point(&nearest_multiple(&x[0], grid)),
        Rule::Clamp { low, high } => point(if x[0] < *low {
            low
        } else if x[0] > *high {
            high
        } else {
            &x[0]
        }),
        _ => None,
    }
}

/// Whether the claim holds at a point; the error is compared with the enclosure's nearer end.
fn holds(claim: &Bounds, float: &Rational, real: &Enclosure<Float>) -> bool {
    let off = (Enclosure::around(float, Format::wide(200)) - real.clone()).abs();
    let error = off.low().to_rational().unwrap();
    let low = real.abs().high().to_rational().unwrap();
    let relative = claim.relative.as_ref().is_none_or(|r| error <= r * low);
    claim.float.0 <= *float && *float <= claim.float.1 && error <= claim.absolute && relative
}

/// Every tuple of floats of small formats: as points, and within ranges of several floats.
#[test]
fn no_float_of_a_small_format_escapes() {
    for (precision, emin, emax) in [(2, -2, 3), (3, -2, 2), (4, -1, 2), (6, 0, 1)] {
        let format = Format::new(precision, emin, emax).unwrap();
        let all = format.all_finite().unwrap();
        let values: Vec<Rational> = all.iter().map(|x| x.to_rational().unwrap()).collect();
        let blocks: Vec<usize> = (0..values.len()).step_by(6).collect();
        for (rule, arity) in rules(&q(1, 2)) {
            // Three arguments are thinned out: every second block.
            let step = if arity == 3 { 2 } else { 1 };
            let mut held = 0u64;
            for first in blocks.iter().step_by(step) {
                for second in if arity > 1 { blocks.clone() } else { vec![0] }.iter().step_by(step) {
                    let span = |start: usize| start..(start + 6).min(values.len());
                    let ranges = [span(*first), span(*second), span(*first)];
                    let premises: Vec<Derivation> = ranges[..arity]
                        .iter()
                        .map(|r| variable(&values[r.start], &values[r.end - 1], true, format))
                        .collect();
                    let Ok(derivation) = node(rule.clone(), premises, format) else { continue };
                    assert!(check(&derivation, format).is_ok());
                    for i in ranges[0].clone() {
                        for j in if arity > 1 { ranges[1].clone() } else { 0..1 } {
                            let index = [i, j, i];
                            let floats: Vec<Float> = index[..arity].iter().map(|k| all[*k].clone()).collect();
                            let reals: Vec<Rational> =
                                index[..arity].iter().map(|k| values[*k].clone()).collect();
                            let result = computed(&rule, &floats, format).to_rational().unwrap();
                            let truth = real(&rule, &reals).unwrap();
                            assert!(
                                holds(&derivation.bounds, &result, &truth),
                                "{rule:?} {reals:?} {result}"
                            );
                            held += 1;
                        }
                    }
                }
            }
            assert!(held > 4, "{rule:?} in {format}: {held}");
        }
    }
}

fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    let mixed = (*state ^ (*state >> 32)).wrapping_mul(0x9e3779b97f4a7c15);
    mixed ^ (mixed >> 29)
}

/// A million doubles per rounded operation: the range, and the error where it can be had exactly in doubles.
#[test]
fn a_million_doubles_do_not_escape() {
    type Hardware = (Rule, fn(f64, f64) -> f64, fn(f64, f64, f64) -> Option<f64>);
    // The error of each operation as an exact double: by error-free transformations.
    let sum_error = |a: f64, b: f64, s: f64| {
        let t = s - a;
        Some((a - (s - t)) + (b - t))
    };
    let operations: [Hardware; 6] = [
        (Rule::Op(Operation::Add), |a, b| a + b, sum_error),
        (Rule::Op(Operation::Mul), |a, b| a * b, |a, b, p| Some(a.mul_add(b, -p))),
        (Rule::Op(Operation::Div), |a, b| a / b, |_, _, _| None),
        (Rule::Op(Operation::Sqrt), |a, _| a.sqrt(), |_, _, _| None),
        (Rule::Op(Operation::Exp), |a, _| exp_nearest(a), |_, _, _| None),
        (Rule::Ln, |a, _| ln_nearest(a), |_, _, _| None),
    ];
    for (rule, hardware, error_of) in operations {
        let mut state = 11u64;
        let mut checked = 0u64;
        while checked < 1_000_000 {
            let mut range = || {
                let scale = 2f64.powi((random(&mut state) % 60) as i32 - 40);
                let centre = (random(&mut state) as f64 / 2f64.powi(63) - 1.0) * scale;
                let width = centre.abs() * 2f64.powi(-((random(&mut state) % 50) as i32));
                (centre - width, centre + width)
            };
            let (first, second) = (range(), range());
            let exact = |x: f64| rational_from_f64(x).unwrap();
            let premise = |r: (f64, f64)| variable(&exact(r.0), &exact(r.1), true, Format::BINARY64);
            let arity =
                if matches!(rule, Rule::Op(Operation::Sqrt | Operation::Exp) | Rule::Ln) { 1 } else { 2 };
            let premises = [premise(first), premise(second)][..arity].to_vec();
            let Ok(derivation) = node(rule.clone(), premises, Format::BINARY64) else {
                continue;
            };
            // Rounding the claim's ends outward to doubles moves them by less than any escape to a double.
            let (low, high) = (cast_down(&derivation.bounds.float.0), cast_up(&derivation.bounds.float.1));
            let absolute = cast_up(&derivation.bounds.absolute);
            for _ in 0..1000 {
                let mut member = |r: (f64, f64)| {
                    let share = (random(&mut state) >> 11) as f64 / 2f64.powi(53);
                    (r.0 + share * (r.1 - r.0)).clamp(r.0, r.1)
                };
                let (a, b) = (member(first), member(second));
                let result = hardware(a, b);
                assert!(low <= result && result <= high, "{rule:?} {a:e} {b:e}: {result:e}");
                if let Some(error) = error_of(a, b, result) {
                    assert!(error.abs() <= absolute, "{rule:?} {a:e} {b:e}: {error:e} > {absolute:e}");
                }
                checked += 1;
            }
        }
    }
}

/// Errors that come from premises: (x ⊘ y) ⊖ ln(x ⊕ y), with reals that are rounded first.
#[test]
fn errors_accumulate_soundly() {
    let format = Format::BINARY32;
    let (low, high) = (q(1, 3), q(7, 3));
    let x = || variable(&low, &high, false, format);
    let sum = node(Rule::Op(Operation::Add), vec![x(), x()], format).unwrap();
    let quotient = node(Rule::Op(Operation::Div), vec![x(), x()], format).unwrap();
    let ln = node(Rule::Ln, vec![sum], format).unwrap();
    let whole = node(Rule::Op(Operation::Sub), vec![quotient, ln], format).unwrap();
    let checked = check(&whole, format).unwrap();
    assert_eq!(checked.bounds(), &whole.bounds);
    let mut state = 3u64;
    for _ in 0..20_000 {
        let mut pick = || {
            let share = q((random(&mut state) >> 34) as i64, 1 << 30);
            &low + share * (&high - &low)
        };
        let (a, b) = (pick(), pick());
        let (fa, fb) = (format.round(&a, NEAR), format.round(&b, NEAR));
        let float =
            format.sub(&format.div(&fa, &fb, NEAR), &format.ln(&format.add(&fa, &fb, NEAR), NEAR), NEAR);
        let wide = Format::wide(200);
        let (ea, eb) = (Enclosure::<Float>::around(&a, wide), Enclosure::around(&b, wide));
        let truth = ea.checked_div(&eb).unwrap() - (ea + eb).ln().unwrap();
        assert!(holds(checked.bounds(), &float.to_rational().unwrap(), &truth));
    }
}

/// Each part of a claim, a little narrower than what follows, is refused at its node.
#[test]
fn narrower_claims_are_refused() {
    let format = Format::BINARY64;
    let x = variable(&q(1, 2), &q(3, 2), false, format);
    let product = node(Rule::Op(Operation::Mul), vec![x.clone(), x.clone()], format).unwrap();
    let ln = node(Rule::Ln, vec![product], format).unwrap();
    assert!(check(&ln, format).is_ok());
    // A claim for a coarser format does not follow from one for a finer.
    assert!(check(&ln, Format::BINARY32).is_err());
    let shrink = |v: &Rational| v * q(999_999_999, 1_000_000_000);
    type Change<'a> = (&'a dyn Fn(&mut Bounds), Part);
    let changes: [Change; 5] = [
        (&|b| b.float.1 = shrink(&b.float.1), Part::Float),
        (&|b| b.float.0 = shrink(&b.float.0), Part::Float),
        (&|b| b.real.1 = shrink(&b.real.1), Part::Real),
        (&|b| b.absolute = shrink(&b.absolute), Part::Absolute),
        (&|b| b.relative = Some(q(1, 1 << 60)), Part::Relative),
    ];
    for (change, part) in changes {
        let mut narrowed = ln.clone();
        change(&mut narrowed.bounds);
        let refused = check(&narrowed, format).unwrap_err();
        assert_eq!((refused.path.len(), refused.fault), (0, Fault::TooNarrow { part }));
    }
    // A lie below the root is found where it stands.
    let mut deep = ln.clone();
    deep.premises[0].premises[1].bounds.absolute = Rational::ZERO;
    let refused = check(&deep, format).unwrap_err();
    assert_eq!((refused.path, refused.fault), (vec![0, 1], Fault::TooNarrow { part: Part::Absolute }));
    let mut missing = ln;
    missing.premises.clear();
    assert_eq!(check(&missing, format).unwrap_err().fault, Fault::Premises { expected: 1, found: 0 });
}

/// The rule OP as the paper prints it, (lo/(1+η), hi(1+η)) whatever the sign, is refused for negative results.
#[test]
fn the_printed_rule_is_wrong_for_negative_results() {
    let format = Format::BINARY64;
    let x = variable(&q(-3, 2), &q(-3, 2), true, format);
    let y = variable(&q(1, 3), &q(1, 3), false, format);
    let product = node(Rule::Op(Operation::Mul), vec![x, y], format).unwrap();
    let grow = Rational::ONE + format.unit_roundoff();
    let before =
        (q(-3, 2) * &product.premises[1].bounds.float.1, q(-3, 2) * &product.premises[1].bounds.float.0);
    let mut printed = product.clone();
    printed.bounds.float = (&before.0 / &grow, &before.1 * &grow);
    assert_eq!(check(&printed, format).unwrap_err().fault, Fault::TooNarrow { part: Part::Float });
    let mut outward = product;
    outward.bounds.float = (&before.0 * &grow - q(1, 1 << 62), &before.1 / &grow + q(1, 1 << 62));
    assert!(check(&outward, format).is_ok());
}

#[test]
fn undefined_operations_have_no_derivation() {
    let format = Format::BINARY64;
    let x = || variable(&q(-1, 1), &q(1, 1), true, format);
    for rule in [
        Rule::Op(Operation::Sqrt),
        Rule::Ln,
        Rule::RoundTo { grid: q(3, 1) },
        Rule::Clamp { low: q(0, 1), high: q(1, 3) },
    ] {
        assert_eq!(node(rule, vec![x()], format).unwrap_err(), Fault::Undefined);
    }
    assert_eq!(node(Rule::Op(Operation::Div), vec![x(), x()], format).unwrap_err(), Fault::Undefined);
    let huge = variable(&q(1, 1), &rational_from_f64(f64::MAX).unwrap(), true, format);
    assert_eq!(
        node(Rule::Op(Operation::Mul), vec![huge.clone(), huge], format).unwrap_err(),
        Fault::Undefined
    );
    let empty = Rule::Var { name: "x".into(), low: q(1, 1), high: q(0, 1), exact: true };
    assert_eq!(node(empty, vec![], format).unwrap_err(), Fault::Empty);
}

/// What is defined over the reals alone has no derivation: the floats of a claim may reach further than its real numbers.
#[test]
fn floats_have_to_be_defined_too() {
    let format = Format::BINARY64;
    let fine = variable(&q(1, 1), &q(2, 1), true, format).bounds;
    let wide =
        Bounds { float: (q(-1, 1), q(3, 1)), absolute: q(3, 1), relative: None, real: fine.real.clone() };
    let negative = Bounds { absolute: q(-1, 1), ..fine.clone() };
    let undefined = |rule: Rule, claims: &[&Bounds]| {
        assert_eq!(follow(&rule, claims, format).unwrap_err(), Fault::Undefined, "{claims:?}");
    };
    undefined(Rule::Ln, &[&wide]);
    undefined(Rule::Op(Operation::Sqrt), &[&wide]);
    undefined(Rule::Op(Operation::Div), &[&fine, &wide]);
    undefined(Rule::Op(Operation::Sqrt), &[&negative]);
    assert!(follow(&Rule::Ln, &[&fine], format).is_ok());
    assert!(follow(&Rule::Op(Operation::Sqrt), &[&fine], format).is_ok());
    assert!(follow(&Rule::Op(Operation::Div), &[&wide, &fine], format).is_ok());
}

#[test]
fn derivations_are_not_too_deep() {
    let format = Format::BINARY64;
    let mut deep = variable(&q(1, 1), &q(2, 1), true, format);
    for _ in 0..500 {
        deep = node(Rule::Neg, vec![deep], format).unwrap();
    }
    assert!(check(&deep, format).is_ok());
    let refused = check(&node(Rule::Neg, vec![deep], format).unwrap(), format).unwrap_err();
    assert_eq!((refused.path.len(), refused.fault), (501, Fault::TooDeep));
}

/// IF: the errors of the branches when the guard is certain, the whole distance when it is not.
#[test]
fn a_doubtful_guard_costs_the_distance() {
    let format = Format::BINARY64;
    let at = |n: i64, d: i64| variable(&q(n, d), &q(n, d), false, format);
    let range = variable(&q(0, 1), &q(2, 1), false, format);
    let certain = node(Rule::If, vec![at(1, 3), at(1, 2), at(1, 1), at(5, 1)], format).unwrap();
    assert!(certain.bounds.absolute < q(1, 1_000_000));
    let doubtful = node(Rule::If, vec![range, at(1, 1), at(1, 1), at(5, 1)], format).unwrap();
    assert!(doubtful.bounds.absolute >= q(4, 1));
    assert!(check(&certain, format).is_ok() && check(&doubtful, format).is_ok());
}
