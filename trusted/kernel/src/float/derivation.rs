//! Derivations of `e_R ⇓ e_F, (lo, hi)`: an expression over the reals is computed in floats, and what is computed lies
//! in (lo, hi), within a stated distance of the real value. A derivation is a tree of claims; [`check`] works
//! every claim out again from the premises, with outward rounding, and refuses one that is too narrow.
//!
//! ```
//! use probity_exact::{Format, rational};
//! use probity_kernel::float::derivation::{Bounds, Derivation, Operation, Rule, check};
//! let q = |n: i64, d: i64| rational(n, d).unwrap();
//! let x = Derivation {
//!     rule: Rule::Var { name: "x".into(), low: q(1, 1), high: q(2, 1), exact: true },
//!     premises: vec![],
//!     bounds: Bounds { real: (q(1, 1), q(2, 1)), float: (q(1, 1), q(2, 1)), absolute: q(0, 1), relative: None },
//! };
//! let claim = |float| Bounds { real: (q(2, 1), q(4, 1)), float, absolute: q(1, 1 << 50), relative: None };
//! let sum = |float| Derivation { rule: Rule::Op(Operation::Add), premises: vec![x.clone(), x.clone()], bounds: claim(float) };
//! assert!(check(&sum((q(1, 1), q(5, 1))), Format::BINARY64).is_ok());
//! // Adding floats may round: (2, 4) exactly is more than the rule gives.
//! assert!(check(&sum((q(2, 1), q(4, 1))), Format::BINARY64).is_err());
//! ```

use std::fmt;

use probity_exact::{Abs, Enclosure, Float, Format, Integer, Natural, Rational, Round};

/// Working precision of the checker.
const BITS: u32 = 160;

/// An arithmetic operation, correctly rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// x + y.
    Add,
    /// x − y.
    Sub,
    /// x · y.
    Mul,
    /// x / y.
    Div,
    /// x · y + z.
    Fma,
    /// √x.
    Sqrt,
    /// e^x.
    Exp,
}

/// The rule at a node, with what it needs besides its premises.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// CONST: a rational constant, rounded.
    Const(Rational),
    /// VAR: a real of this range, rounded; or a float of this range, with `exact`.
    Var {
        /// Its name.
        name: String,
        /// Its least value.
        low: Rational,
        /// Its largest value.
        high: Rational,
        /// Whether it is a float already.
        exact: bool,
    },
    /// OP: an operation, rounded.
    Op(Operation),
    /// LN: the logarithm of a number that is at least 1 (its result is not negative), or of one below 1 (it is
    /// negative); the widening goes by the sign of the result, so that one rule serves both.
    Ln,
    /// NEG: −x, exact.
    Neg,
    /// ABS: |x|, exact.
    Abs,
    /// MIN: exact.
    Min,
    /// MAX: exact.
    Max,
    /// CLAMP to [low, high], whose ends are floats: exact.
    Clamp {
        /// The lower end.
        low: Rational,
        /// The upper end.
        high: Rational,
    },
    /// ROUND to the nearest multiple of a power of two, ties to the even multiple: exact in floats.
    RoundTo {
        /// The grid.
        grid: Rational,
    },
    /// IF left ≤ right then … else …: premises left, right, then, else.
    If,
}

/// What is claimed at a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// The real value lies between these.
    pub real: (Rational, Rational),
    /// The computed value lies between these.
    pub float: (Rational, Rational),
    /// |computed − real| is at most this.
    pub absolute: Rational,
    /// |computed − real| is at most this times |real|, if claimed.
    pub relative: Option<Rational>,
}

/// A claim and the premises that it follows from. Plain data: nothing follows from having one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derivation {
    /// The rule.
    pub rule: Rule,
    /// What the rule is applied to, in order.
    pub premises: Vec<Derivation>,
    /// The claim.
    pub bounds: Bounds,
}

/// The claim at the root of a derivation that was checked. Made by [`check`] only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    bounds: Bounds,
    format: Format,
}

impl Checked {
    /// What holds.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// The format in which it holds.
    pub fn format(&self) -> Format {
        self.format
    }
}

/// Why a derivation is refused, and at which node: the path of premise numbers from the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// From the root down.
    pub path: Vec<usize>,
    /// What is wrong there.
    pub fault: Fault,
}

/// What is wrong at a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The rule takes another number of premises.
    Premises {
        /// How many it takes.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// The operation may be undefined, overflow, or be applied to constants that are no floats.
    Undefined,
    /// A range is empty.
    Empty,
    /// The claim about this part is narrower than what follows.
    TooNarrow {
        /// Which part.
        part: Part,
    },
    /// The tree is deeper than 500 nodes.
    TooDeep,
}

/// A part of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The range of the real value.
    Real,
    /// The range of the computed value.
    Float,
    /// The absolute error.
    Absolute,
    /// The relative error.
    Relative,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at node {:?}: ", self.path)?;
        match &self.fault {
            Fault::Premises { expected, found } => {
                write!(f, "the rule takes {expected} premises, not {found}")
            }
            Fault::Undefined => write!(f, "the operation may be undefined or overflow"),
            Fault::Empty => write!(f, "a range is empty"),
            Fault::TooNarrow { part } => {
                write!(f, "the claim about the {part:?} part is narrower than what follows")
            }
            Fault::TooDeep => write!(f, "the tree is more than 500 nodes deep"),
        }
    }
}

impl std::error::Error for Refused {}

type Real = Enclosure<Float>;

/// What follows at a node, before it is compared with the claim.
struct Follows {
    real: Real,
    float: Real,
    absolute: Real,
    relative: Option<Real>,
}

/// Works out every node of a derivation and compares.
///
/// premises checked    claim ⊇ what the rule gives
/// ───────────────────────────────────────────────
/// e_R ⇓ e_F, claim
pub fn check(derivation: &Derivation, format: Format) -> Result<Checked, Refused> {
    check_node(derivation, format, &mut Vec::new())?;
    Ok(Checked { bounds: derivation.bounds.clone(), format })
}

/// What the rule gives at the root of a derivation whose premises claim the truth. A guide for whoever builds a
/// derivation; it proves nothing.
pub fn follow(rule: &Rule, premises: &[&Bounds], format: Format) -> Result<Bounds, Fault> {
    let follows = apply(rule, premises, format)?;
    let ends = |x: &Real| Some((x.low().to_rational()?, x.high().to_rational()?));
    let high = |x: &Real| x.high().to_rational();
    let made = || {
        Some(Bounds {
            real: ends(&follows.real)?,
            float: ends(&follows.float)?,
            absolute: high(&follows.absolute)?,
            relative: match &follows.relative {
                Some(relative) => Some(high(relative)?),
                None => None,
            },
        })
    };
    made().ok_or(Fault::Undefined)
}

fn check_node(node: &Derivation, format: Format, path: &mut Vec<usize>) -> Result<(), Refused> {
    let refuse = |fault: Fault, path: &[usize]| Err(Refused { path: path.to_vec(), fault });
    if path.len() > 500 {
        return refuse(Fault::TooDeep, path);
    }
    for (i, premise) in node.premises.iter().enumerate() {
        path.push(i);
        check_node(premise, format, path)?;
        path.pop();
    }
    let premises: Vec<&Bounds> = node.premises.iter().map(|premise| &premise.bounds).collect();
    let follows = match apply(&node.rule, &premises, format) {
        Ok(follows) => follows,
        Err(fault) => return refuse(fault, path),
    };
    let claim = &node.bounds;
    let inside = |x: &Real, range: &(Rational, Rational)| {
        let ends = (x.low().to_rational(), x.high().to_rational());
        matches!(ends, (Some(low), Some(high)) if range.0 <= low && high <= range.1)
    };
    let at_most = |x: &Real, limit: &Rational| x.high().to_rational().is_some_and(|high| high <= *limit);
    let relative = match (&claim.relative, &follows.relative) {
        (None, _) => true,
        (Some(claimed), Some(follows)) => at_most(follows, claimed),
        (Some(_), None) => false,
    };
    for (holds, part) in [
        (inside(&follows.real, &claim.real), Part::Real),
        (inside(&follows.float, &claim.float), Part::Float),
        (at_most(&follows.absolute, &claim.absolute), Part::Absolute),
        (relative, Part::Relative),
    ] {
        if !holds {
            return refuse(Fault::TooNarrow { part }, path);
        }
    }
    Ok(())
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

fn apply(rule: &Rule, premises: &[&Bounds], format: Format) -> Result<Follows, Fault> {
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
