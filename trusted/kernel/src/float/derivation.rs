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

use probity_exact::{Format, Rational};

use super::rounding::{Real, apply};

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
