//! The rules of `e_R ⇓ e_F, (lo, hi)`, one by one: what follows at a node from the claims of its premises. Used by
//! [`super::derivation`], which compares it with what is claimed.

use probity_exact::{Abs, Enclosure, Float, Format, Integer, Natural, Rational, Round};

use super::derivation::{Bounds, Fault, Operation, Rule};

/// Working precision of the checker.
const BITS: u32 = 160;

/// A real number known between two floats of the working precision.
pub(super) type Real = Enclosure<Float>;

/// What follows at a node, before it is compared with the claim.
pub(super) struct Follows {
    pub real: Real,
    pub float: Real,
    pub absolute: Real,
    pub relative: Option<Real>,
}

fn real(x: &Rational) -> Real {
    Enclosure::around(x, Format::wide(BITS))
}

fn whole(x: i64) -> Real {
    real(&Rational::from(Integer::from(x)))
}

fn range(ends: &(Rational, Rational)) -> Result<Real, Fault> {
    if ends.0 > ends.1 {
        return Err(Fault::Empty);
    }
    Ok(real(&ends.0).hull(&real(&ends.1)))
}

/// The largest |x|.
fn size(x: &Real) -> Real {
    let high = x.abs().high().clone();
    Enclosure::point(high, Format::wide(BITS)).unwrap_or(Enclosure::everything(Format::wide(BITS)))
}

/// A premise with its claims as enclosures.
struct Premise {
    real: Real,
    float: Real,
    absolute: Real,
    relative: Option<Real>,
}

impl Premise {
    fn new(bounds: &Bounds) -> Result<Premise, Fault> {
        Ok(Premise {
            real: range(&bounds.real)?,
            float: range(&bounds.float)?,
            absolute: real(&bounds.absolute),
            relative: bounds.relative.as_ref().map(real),
        })
    }

    /// Holds the real and the computed value, and everything between.
    fn both(&self) -> Real {
        self.real.hull(&self.float)
    }
}

/// What a rule gives from premises that claim the truth.
pub(super) fn apply(rule: &Rule, premises: &[&Bounds], format: Format) -> Result<Follows, Fault> {
    let expected = match rule {
        Rule::Const(_) | Rule::Var { .. } => 0,
        Rule::Op(Operation::Sqrt | Operation::Exp) | Rule::Ln | Rule::Neg | Rule::Abs => 1,
        Rule::Clamp { .. } | Rule::RoundTo { .. } => 1,
        Rule::Op(Operation::Fma) => 3,
        Rule::Op(_) | Rule::Min | Rule::Max => 2,
        Rule::If => 4,
    };
    if premises.len() != expected {
        return Err(Fault::Premises { expected, found: premises.len() });
    }
    let p: Vec<Premise> = premises.iter().map(|bounds| Premise::new(bounds)).collect::<Result<_, _>>()?;
    match rule {
        Rule::Const(value) => {
            let float = format.round(value, Round::NearestEven).to_rational().ok_or(Fault::Undefined)?;
            let off = (&float - value).abs();
            let relative = if value.is_zero() { Rational::ZERO } else { &off / value.clone().abs() };
            Ok(Follows {
                real: real(value),
                float: real(&float),
                absolute: real(&off),
                relative: Some(real(&relative)),
            })
        }
        Rule::Var { low, high, exact, .. } => {
            let value = range(&(low.clone(), high.clone()))?;
            if *exact {
                let (absolute, relative) = (whole(0), Some(whole(0)));
                return Ok(Follows { real: value.clone(), float: value, absolute, relative });
            }
            rounded(value.clone(), value, whole(0), Some(whole(0)), format, false)
        }
        Rule::Op(operation) => apply_operation(*operation, &p, format),
        Rule::Ln => {
            let x = &p[0];
            let (value, computed) =
                (x.real.ln().ok_or(Fault::Undefined)?, x.float.ln().ok_or(Fault::Undefined)?);
            // |ln a − ln b| ≤ |a − b| / min(a, b).
            let spread = x.absolute.checked_div(&least(&x.both())).ok_or(Fault::Undefined)?;
            let exact = is_zero(&x.absolute);
            rounded(value, computed, spread, exact.then(|| whole(0)), format, false)
        }
        Rule::Neg => Ok(Follows {
            real: -p[0].real.clone(),
            float: -p[0].float.clone(),
            absolute: p[0].absolute.clone(),
            relative: p[0].relative.clone(),
        }),
        Rule::Abs => Ok(Follows {
            real: p[0].real.abs(),
            float: p[0].float.abs(),
            absolute: p[0].absolute.clone(),
            relative: p[0].relative.clone(),
        }),
        // |min(a, b) − min(a', b')| ≤ max(|a − a'|, |b − b'|), and the same for max.
        Rule::Min => Ok(exact(
            p[0].real.min(&p[1].real),
            p[0].float.min(&p[1].float),
            p[0].absolute.max(&p[1].absolute),
        )),
        Rule::Max => Ok(exact(
            p[0].real.max(&p[1].real),
            p[0].float.max(&p[1].float),
            p[0].absolute.max(&p[1].absolute),
        )),
        Rule::Clamp { low, high } => {
            let float = |x: &Rational| format.round(x, Round::Down).to_rational().as_ref() == Some(x);
            if low > high || !float(low) || !float(high) {
                return Err(Fault::Undefined);
            }
            let clamp = |x: &Real| x.max(&real(low)).min(&real(high));
            Ok(exact(clamp(&p[0].real), clamp(&p[0].float), p[0].absolute.clone()))
        }
        Rule::RoundTo { grid } => round_to(grid, &p[0], format),
        Rule::If => {
            let [left, right, then, otherwise] = [&p[0], &p[1], &p[2], &p[3]];
            let (value, computed) = (then.real.hull(&otherwise.real), then.float.hull(&otherwise.float));
            let apart = right.both() - left.both();
            // Both take the same way when every left is below every right, or above it.
            let decided = !apart.contains_zero();
            let same_way = then.absolute.max(&otherwise.absolute);
            let anything = size(&(computed.clone() - value.clone()));
            Ok(exact(value, computed, if decided { same_way } else { anything }))
        }
    }
}

/// An operation that does not round.
fn exact(real: Real, float: Real, absolute: Real) -> Follows {
    Follows { real, float, absolute, relative: None }
}

fn is_zero(x: &Real) -> bool {
    x.is_point() && x.contains_zero()
}

/// The smallest |x| as a point.
fn least(x: &Real) -> Real {
    let low = x.abs().low().clone();
    Enclosure::point(low, Format::wide(BITS)).unwrap_or(whole(0))
}

fn apply_operation(operation: Operation, p: &[Premise], format: Format) -> Result<Follows, Fault> {
    let (x, y) = (&p[0], p.get(1).unwrap_or(&p[0]));
    // (1 + r)(1 + s) − 1.
    let compose = |r: &Option<Real>, s: &Option<Real>| match (r, s) {
        (Some(r), Some(s)) => Some((whole(1) + r.clone()) * (whole(1) + s.clone()) - whole(1)),
        _ => None,
    };
    match operation {
        Operation::Add | Operation::Sub => {
            let signed = |v: &Real| if operation == Operation::Sub { -v.clone() } else { v.clone() };
            let (value, computed) = (x.real.clone() + signed(&y.real), x.float.clone() + signed(&y.float));
            let one_sign = same_sign(&x.real, &signed(&y.real));
            // Of two numbers of one sign the larger relative error bounds that of the sum.
            let relative = match (&x.relative, &y.relative) {
                (Some(r), Some(s)) if one_sign => Some(r.max(s)),
                _ => None,
            };
            rounded(value, computed, x.absolute.clone() + y.absolute.clone(), relative, format, true)
        }
        Operation::Mul => {
            let value = x.real.clone() * y.real.clone();
            let computed = x.float.clone() * y.float.clone();
            rounded(value, computed, product_error(x, y), compose(&x.relative, &y.relative), format, false)
        }
        Operation::Div => {
            let value = x.real.checked_div(&y.real).ok_or(Fault::Undefined)?;
            let computed = x.float.checked_div(&y.float).ok_or(Fault::Undefined)?;
            // x̃/ỹ − x/y = (x̃ − x − (x/y)(ỹ − y))/ỹ.
            let spread = (x.absolute.clone() + size(&value) * y.absolute.clone())
                .checked_div(&least(&y.float))
                .ok_or(Fault::Undefined)?;
            // (1 + r)/(1 − s) − 1 ≥ 1 − (1 − r)/(1 + s).
            let relative = match (&x.relative, &y.relative) {
                (Some(r), Some(s)) => {
                    let rest = whole(1) - s.clone();
                    let positive = !rest.contains_zero() && !rest.low().is_negative();
                    let quotient = (whole(1) + r.clone()).checked_div(&rest).filter(|_| positive);
                    quotient.map(|quotient| quotient - whole(1))
                }
                _ => None,
            };
            rounded(value, computed, spread, relative, format, false)
        }
        Operation::Fma => {
            let z = &p[2];
            let value = x.real.clone() * y.real.clone() + z.real.clone();
            let computed = x.float.clone() * y.float.clone() + z.float.clone();
            rounded(value, computed, product_error(x, y) + z.absolute.clone(), None, format, false)
        }
        Operation::Sqrt => {
            let value = x.real.sqrt().ok_or(Fault::Undefined)?;
            let computed = x.float.sqrt().ok_or(Fault::Undefined)?;
            // |√a − √b| ≤ √|a − b|, and = |a − b|/(√a + √b).
            let root = x.absolute.sqrt().ok_or(Fault::Undefined)?;
            let sum = least(&value) + least(&computed);
            let spread = x.absolute.checked_div(&sum).map_or(root.clone(), |quotient| quotient.min(&root));
            // 1 − √(1 − r) ≤ r and √(1 + r) − 1 ≤ r for r ≤ 1.
            let at_most_one = |r: &Real| r.high().to_rational().is_some_and(|r| r <= Rational::ONE);
            let relative = x.relative.clone().filter(at_most_one);
            rounded(value, computed, spread, relative, format, false)
        }
        Operation::Exp => {
            let (value, computed) = (x.real.exp(), x.float.exp());
            let slope = size(&x.both().exp());
            rounded(value, computed, x.absolute.clone() * slope, None, format, false)
        }
    }
}

/// |x̃ỹ − xy| ≤ |x|·e_y + |y|·e_x + e_x·e_y.
fn product_error(x: &Premise, y: &Premise) -> Real {
    size(&x.real) * y.absolute.clone()
        + size(&y.real) * x.absolute.clone()
        + x.absolute.clone() * y.absolute.clone()
}

fn same_sign(x: &Real, y: &Real) -> bool {
    let negative = |v: &Real| v.high().is_negative() || v.high().is_zero();
    let positive = |v: &Real| !v.low().is_negative() || v.low().is_zero();
    (negative(x) && negative(y)) || (positive(x) && positive(y))
}

/// Rounds to nearest: down(v) = v/(1+η) for v ≥ 0 and v(1+η) otherwise, up(v) the other way round, plus half the smallest
/// number unless the result is a sum (then nothing below the normal numbers is rounded). `real` is the range over the
/// reals, `computed` the range of the operation on floats, `spread` how far apart the two are before rounding.
fn rounded(
    value: Real,
    computed: Real,
    spread: Real,
    relative: Option<Real>,
    format: Format,
    sum: bool,
) -> Result<Follows, Fault> {
    let eta = real(&format.unit_roundoff());
    let grow = whole(1) + eta.clone();
    let half_least =
        format.min_positive().to_rational().ok_or(Fault::Undefined)? / Rational::from(Integer::from(2));
    let normal =
        least(&computed).low().to_rational().zip(format_least_normal(format)).is_some_and(|(v, n)| v >= n);
    let tiny = if sum || normal { whole(0) } else { real(&half_least) };
    let wide = Format::wide(BITS);
    let end = |x: &Float| Enclosure::point(x.clone(), wide).ok_or(Fault::Undefined);
    let (low, high) = (end(computed.low())?, end(computed.high())?);
    let shrink = |x: &Real| x.checked_div(&grow).ok_or(Fault::Undefined);
    let down = if low.low().is_negative() { low * grow.clone() } else { shrink(&low)? } - tiny.clone();
    let up = if high.high().is_negative() { shrink(&high)? } else { high * grow.clone() } + tiny.clone();
    let float = down.hull(&up);
    within_format(&float, format)?;
    // |fl(v) − v| ≤ η/(1+η)·|v|.
    let share = eta.checked_div(&grow).ok_or(Fault::Undefined)?;
    let local = share.clone() * size(&computed) + tiny;
    let absolute = spread + local;
    let relative = match relative {
        Some(r) if normal || sum => Some((whole(1) + r) * (whole(1) + share) - whole(1)),
        _ => absolute.checked_div(&least(&value)).map(|quotient| size(&quotient)),
    };
    Ok(Follows { real: value, float, absolute, relative })
}

/// No value is beyond the largest finite float.
fn within_format(x: &Real, format: Format) -> Result<(), Fault> {
    let most = format.max_finite().to_rational().ok_or(Fault::Undefined)?;
    match size(x).high().to_rational() {
        Some(size) if size <= most => Ok(()),
        _ => Err(Fault::Undefined),
    }
}

fn format_least_normal(format: Format) -> Option<Rational> {
    Float::from_dyadic(Integer::ONE, format.emin()).to_rational()
}

/// Rounding to a grid moves both values by up to half of it; a point stays where it goes.
fn round_to(grid: &Rational, x: &Premise, format: Format) -> Result<Follows, Fault> {
    let step = format.round(grid, Round::Down);
    let power = step.parts().is_some_and(|(negative, odd, _)| !negative && *odd == Natural::ONE);
    if !power || step.to_rational().as_ref() != Some(grid) {
        return Err(Fault::Undefined);
    }
    let nearest = |v: &Float| {
        let exact = v.to_rational()? / grid;
        let floor = exact.clone().floor();
        let twice = (exact - Rational::from(floor.clone())) * Rational::from(Integer::from(2));
        let odd = &floor % Integer::from(2) != Integer::ZERO;
        let up = twice > Rational::ONE || (twice == Rational::ONE && odd);
        let multiple = if up { floor + Integer::ONE } else { floor };
        Some(Rational::from(multiple) * grid)
    };
    let snap = |x: &Real| {
        let ends = nearest(x.low()).zip(nearest(x.high())).ok_or(Fault::Undefined)?;
        range(&ends)
    };
    let (value, computed) = (snap(&x.real)?, snap(&x.float)?);
    // Rounding up next to the largest float may leave the format.
    within_format(&computed, format)?;
    let apart = size(&(computed.clone() - value.clone()));
    let absolute =
        if is_zero(&x.absolute) { whole(0) } else { (x.absolute.clone() + real(grid)).min(&apart) };
    Ok(exact(value, computed, absolute))
}
