//! The theorem: a mechanism, computed in a format, meets a claim.
//!
//! ```
//! use probity_kernel::expr::{Expr, Run};
//! use probity_kernel::float::{Implementation, bound, threshold};
//! use probity_kernel::term::{Adjacency, Distribution, Input, Mechanism, Reading, Sort, Statement};
//! let (x, u, s) = (Expr::var("x"), Expr::var("u"), Expr::var("s"));
//! let hundred = Expr::int(100);
//! let distance = (Expr::of("x", Run::Second) - Expr::of("x", Run::First)).abs();
//! let snapping = Mechanism {
//!     name: "snapping".into(),
//!     inputs: vec![Input { name: "x".into(), sort: Sort::Real }],
//!     params: vec![],
//!     assumptions: vec![x.clone().abs().le(hundred.clone())],
//!     body: vec![
//!         Statement::Draw { var: "u".into(), law: Distribution::Uniform },
//!         Statement::Draw { var: "s".into(), law: Distribution::Sign },
//!     ],
//!     output: (x + s * u.ln() / Expr::int(1)).round_to(Expr::int(1)).clamp(-hundred.clone(), hundred),
//!     adjacency: vec![Adjacency::Related(distance.le(Expr::int(1)))],
//! };
//! let machine = Implementation::default();
//! let bound = bound(&snapping, Reading::BINARY64, machine).unwrap();
//! assert!(bound.delta().is_zero());
//! let theorem = threshold(&snapping, &bound.claim(), machine).unwrap();
//! assert_eq!(theorem.mechanism(), &snapping);
//! // A claim of 1 leaves no room for rounding errors.
//! let tight = probity_kernel::term::Claim { epsilon: Expr::int(1), ..bound.claim() };
//! assert!(threshold(&snapping, &tight, machine).is_err());
//! ```
//!
//! A theorem cannot be made up:
//! ```compile_fail
//! use probity_kernel::float::FloatTheorem;
//! fn forge(theorem: FloatTheorem, claim: probity_kernel::term::Claim) -> FloatTheorem {
//!     FloatTheorem { claim, ..theorem }
//! }
//! ```

use std::collections::BTreeMap;
use std::fmt;

use probity_exact::{Format, Rational, directed};

use super::constant::{Range, exact, range};
use super::recognise::{Recognised, recognise};
use super::rejection::Rejection;
use super::shape::Implementation;
use super::threshold::{Steps, Subject};
use crate::expr::{Binary, Expr, Name, Unary, Variable};
use crate::term::{Claim, Mechanism, Reading};

/// Formats with larger exponents would fill the memory; those of IEEE 754 up to binary256 are covered.
const LARGEST_EXPONENT: i32 = 1 << 18;

/// The same for the precision.
const LARGEST_PRECISION: u32 = 1 << 10;

/// A claim has at most this many parts.
const LARGEST_CLAIM: usize = 200;

/// For all parameters that meet the assumptions, all neighbouring inputs that are numbers of the format and every set
/// of outputs, Pr[first run in the set] ≤ e^epsilon · Pr[second run in the set] + delta, where the mechanism is computed in
/// the claim's format by the given implementation. Claim, assumptions and distance speak of the exact parameters; the program
/// computes with parameters and constants rounded to nearest. Made by [`threshold`] only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FloatTheorem {
    mechanism: Mechanism,
    claim: Claim,
    implementation: Implementation,
    /// Invariant: what [`bound`] found for the mechanism; the claim is not less.
    bound: Bound,
}

impl FloatTheorem {
    /// What such a theorem rests on, beside the logic.
    pub const AXIOM: &'static str = "THRESHOLD";

    /// What was proved private.
    pub fn mechanism(&self) -> &Mechanism {
        &self.mechanism
    }

    /// What was proved of it.
    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    /// The machine that it runs on.
    pub fn implementation(&self) -> Implementation {
        self.implementation
    }

    /// The numbers behind it, at least as strong as the claim.
    pub fn bound(&self) -> &Bound {
        &self.bound
    }
}

/// The whole statement.
impl fmt::Display for FloatTheorem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}is differentially private with {},", self.mechanism, self.claim)?;
        writeln!(
            f,
            "for inputs that are numbers of the format, parameters and constants rounded to nearest,"
        )?;
        writeln!(f, "{}", self.implementation)
    }
}

/// What is found for a mechanism before anything is claimed. Data, and no theorem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    reading: Reading,
    subject: Subject,
    ideal: Expr,
    epsilon: Rational,
    excess: Rational,
    delta: Rational,
    steps: Steps,
}

impl Bound {
    /// The numbers that the kernel read off the mechanism.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// ρΔ: the loss over the reals, at the exact parameters.
    pub fn ideal(&self) -> &Expr {
        &self.ideal
    }

    /// What floating point costs beyond that: A⁺ + A⁻, and the rounding of the parameters.
    pub fn excess(&self) -> &Rational {
        &self.excess
    }

    /// The whole loss; for a family, the largest.
    pub fn epsilon(&self) -> &Rational {
        &self.epsilon
    }

    /// δ; 0 when the mechanism is purely private.
    pub fn delta(&self) -> &Rational {
        &self.delta
    }

    /// The numbers of the proof.
    pub fn steps(&self) -> &Steps {
        &self.steps
    }

    /// The least claim that the bound covers.
    pub fn claim(&self) -> Claim {
        let epsilon = match &self.ideal {
            Expr::Number(ideal) => Expr::Number(ideal + &self.excess),
            ideal => ideal.clone() + Expr::Number(self.excess.clone()),
        };
        Claim { epsilon, delta: Expr::Number(self.delta.clone()), reading: self.reading }
    }
}

/// One line, with figures rounded up.
impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let up = directed::cast_up;
        let delta = up(&self.delta);
        match &self.subject {
            Subject::Mechanism(m) => write!(
                f,
                "in {}, grid {}, bound {}, inputs at most {} apart: epsilon = {:e}, delta = {delta:e}",
                m.format,
                m.grid,
                m.bound,
                m.sensitivity,
                up(&self.epsilon)
            ),
            Subject::Family(all) => write!(
                f,
                "in {}, for every epsilon in [{}, {}] and bound in [{}, {}], inputs at most {} apart: \
                 loss = epsilon * {} + {:e}, delta = {delta:e}",
                all.format,
                all.epsilon.0,
                all.epsilon.1,
                all.bound.0,
                all.bound.1,
                all.sensitivity,
                all.sensitivity,
                up(&self.excess)
            ),
        }
    }
}

/// What the theorem says of a mechanism.
pub fn bound(
    mechanism: &Mechanism,
    reading: Reading,
    implementation: Implementation,
) -> Result<Bound, Rejection> {
    Ok(found(mechanism, reading, implementation)?.0)
}

/// ```text
/// the mechanism is g(x ⊕ z)    its numbers lose (ρΔ + A⁺ + A⁻, δ)    ρΔ + A⁺ + A⁻ ≤ claimed ε    δ ≤ claimed δ
/// ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
/// the mechanism, computed in the format, meets the claim
/// ```
/// for every value of the parameters that the assumptions allow.
pub fn threshold(
    mechanism: &Mechanism,
    claim: &Claim,
    implementation: Implementation,
) -> Result<FloatTheorem, Rejection> {
    let (bound, ranges) = found(mechanism, claim.reading, implementation)?;
    check_size(claim)?;
    let of = |name: &Name| ranges.get(name).cloned();
    let least = |part: &'static str, claimed: &Expr| match range(claimed, &of) {
        Some(range) => Ok(range.low),
        None => Err(Rejection::ClaimNotANumber { part, found: claimed.to_string() }),
    };
    let enough = |part, claimed: &Expr, proved: &Rational, least: Rational| match least >= *proved {
        true => Ok(()),
        false => {
            let (claimed, proved) = (claimed.to_string(), proved.clone());
            Err(Rejection::ClaimTooSmall { part, claimed, proved: proved.into(), least: least.into() })
        }
    };
    let beyond = beyond(&claim.epsilon, &bound, &of);
    match beyond.filter(|least| least >= &bound.excess) {
        Some(_) => {}
        None => enough("epsilon", &claim.epsilon, &bound.epsilon, least("epsilon", &claim.epsilon)?)?,
    }
    enough("delta", &claim.delta, &bound.delta, least("delta", &claim.delta)?)?;
    Ok(FloatTheorem { mechanism: mechanism.clone(), claim: claim.clone(), implementation, bound })
}

fn found(
    mechanism: &Mechanism,
    reading: Reading,
    implementation: Implementation,
) -> Result<(Bound, BTreeMap<Name, Range>), Rejection> {
    let format = format(reading)?;
    let Recognised { subject, ideal, offset, ranges } = recognise(mechanism, format, implementation)?;
    let loss = subject.loss()?;
    let excess = loss.excess + offset;
    let of = |name: &Name| ranges.get(name).cloned();
    let most = range(&ideal, &of).map(|range| range.high);
    let epsilon = most.ok_or_else(|| Rejection::NotANumber { found: ideal.to_string() })? + &excess;
    Ok((Bound { reading, subject, ideal, epsilon, excess, delta: loss.delta, steps: loss.steps }, ranges))
}

fn format(reading: Reading) -> Result<Format, Rejection> {
    let Reading::Binary { precision, emin, emax } = reading else { return Err(Rejection::OverTheReals) };
    let within = precision <= LARGEST_PRECISION && emin >= -LARGEST_EXPONENT && emax <= LARGEST_EXPONENT;
    let format = within.then(|| Format::new(precision, i64::from(emin), i64::from(emax)).ok()).flatten();
    format.ok_or(Rejection::Format { precision, emin, emax })
}

/// ε and δ have no more parts than are looked at; how long their numbers may become, [`range`] says. That they are made of parameters shows when they are evaluated.
fn check_size(claim: &Claim) -> Result<(), Rejection> {
    for (part, claimed) in [("epsilon", &claim.epsilon), ("delta", &claim.delta)] {
        if !claimed.has_at_most(LARGEST_CLAIM) {
            return Err(Rejection::TooLarge { variable: format!("the claimed {part}") });
        }
    }
    Ok(())
}

/// Not above what a claim of the form a·ε + rest leaves beyond Δ·ε, for a family over ε; `None` for other forms.
fn beyond(claimed: &Expr, bound: &Bound, of: &dyn Fn(&Name) -> Option<Range>) -> Option<Rational> {
    let (name, sensitivity) = match &bound.ideal {
        Expr::Var(Variable::Plain(name)) => (name, Rational::ONE),
        Expr::Binary(Binary::Mul, factor, epsilon) => match epsilon.as_ref() {
            Expr::Var(Variable::Plain(name)) => (name, exact(factor)?),
            _ => return None,
        },
        _ => return None,
    };
    let (slope, rest) = linear(claimed, name, of)?;
    let over = slope - sensitivity;
    let Range { low, high } = of(name)?;
    let at = if over >= Rational::ZERO { low } else { high };
    Some(over * at + rest)
}

/// An expression as slope·name + rest, with a lower bound of the rest, which does not mention the name.
fn linear(expr: &Expr, name: &Name, of: &dyn Fn(&Name) -> Option<Range>) -> Option<(Rational, Rational)> {
    let variable = Variable::Plain(name.clone());
    if !expr.mentions(&variable) {
        return Some((Rational::ZERO, range(expr, of)?.low));
    }
    match expr {
        Expr::Var(_) => Some((Rational::ONE, Rational::ZERO)),
        Expr::Binary(Binary::Add, a, b) => {
            let ((a, c), (b, d)) = (linear(a, name, of)?, linear(b, name, of)?);
            Some((a + b, c + d))
        }
        Expr::Binary(Binary::Sub, a, b) => {
            let (a, c) = linear(a, name, of)?;
            let (b, d) = linear(&Expr::Unary(Unary::Neg, b.clone()), name, of)?;
            Some((a + b, c + d))
        }
        // Below a negation the rest would need an upper bound: only multiples of the name are taken.
        Expr::Unary(Unary::Neg, a) => match a.as_ref() {
            Expr::Var(_) => Some((-Rational::ONE, Rational::ZERO)),
            _ => None,
        },
        Expr::Binary(Binary::Mul, a, b) => {
            let (factor, rest) = match (exact(a), exact(b)) {
                (Some(factor), _) => (factor, b),
                (_, Some(factor)) => (factor, a),
                _ => return None,
            };
            matches!(rest.as_ref(), Expr::Var(_)).then_some((factor, Rational::ZERO))
        }
        _ => None,
    }
}
