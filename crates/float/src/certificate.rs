//! The privacy certificate of a floating-point mechanism: the kernel's theorem, the method of the paper beside it,
//! and the published bound.
//!
//! ```
//! use probity_exact::{Format, rational};
//! use probity_float::certificate::{certify, snapping};
//! let mechanism = snapping(&rational(1, 1).unwrap(), &rational(100, 1).unwrap(), Format::BINARY64);
//! let certificate = certify(&mechanism).unwrap();
//! assert!(certificate.excess <= 2.0e-13 && certificate.delta == 0.0);
//! ```

use std::collections::BTreeMap;
use std::fmt;

use probity_exact::{Format, Integer, Rational, Round, directed, ln_bounds};
use probity_kernel::float::{
    Family, FloatTheorem, Rejection, Scaling, Snapped, Uniform, shape::mironov_grid, threshold,
    threshold_family,
};

use crate::paper::{Case, PaperMethod, paper_method};
use crate::recognise::{Unrecognised, recognise};
use probity_kernel::term::Mechanism;

/// Which argument the certified loss rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// `docs/threshold-theorem.md`, checked by the kernel.
    Threshold,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Threshold => write!(f, "threshold"),
        }
    }
}

/// Why there is no certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The mechanism is not of the form g(x ⊕ z).
    Form(Unrecognised),
    /// The theorem does not apply to these parameters.
    Parameters(Rejection),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Form(reason) => write!(f, "{reason}"),
            Refusal::Parameters(reason) => write!(f, "{reason}"),
        }
    }
}

impl std::error::Error for Refusal {}

impl From<Rejection> for Refusal {
    fn from(reason: Rejection) -> Refusal {
        Refusal::Parameters(reason)
    }
}

/// What is certified of a mechanism in floating point.
#[derive(Debug, Clone)]
pub struct Certificate {
    /// The kernel's theorem, from which the next four fields are read.
    pub theorem: FloatTheorem,
    /// The privacy loss, rounded up.
    pub epsilon: f64,
    /// The privacy loss, exactly as proved.
    pub epsilon_exact: Rational,
    /// The additive part, rounded up; 0 means pure privacy.
    pub delta: f64,
    /// The loss beyond that over the reals, rounded up.
    pub excess: f64,
    /// How it was proved.
    pub method: Method,
    /// The loss beyond ε that the paper publishes, 12Bεη + 2η, rounded to nearest; for sensitivity 1.
    pub published_bound: f64,
    /// Whether that published bound is true here: proved, refuted, or neither.
    pub published_holds: Option<bool>,
    /// The largest bound B that keeps δ = 0, the other parameters unchanged.
    pub largest_pure_bound: Option<f64>,
    /// The paper's method: every case of the outcome, evaluated rigorously; or why it says nothing here.
    pub paper: PaperMethod,
}

impl Certificate {
    /// The cases of the paper's method.
    pub fn cases(&self) -> &[Case] {
        &self.paper.cases
    }

    /// One sentence on how pure the certificate is, with the bound that would keep it pure.
    pub fn purity(&self) -> String {
        let largest = match self.largest_pure_bound {
            Some(bound) if bound < 1e17 => format!("{bound}"),
            Some(bound) => format!("{bound:e}"),
            None => "none".into(),
        };
        if self.delta == 0.0 {
            format!("pure: delta = 0 up to bound {largest}")
        } else {
            format!(
                "delta = {:e}: outcomes farther from an input than the floats are fine; delta = 0 up to bound {largest}",
                self.delta
            )
        }
    }
}

/// Mironov's snapping mechanism: ln(u) ⊘ ε, Λ the smallest power of two ≥ 1/ε, sensitivity 1.
pub fn snapping(epsilon: &Rational, bound: &Rational, format: Format) -> Snapped {
    Snapped {
        format,
        uniform: Uniform::Star,
        ln_ulps: 0,
        scaling: vec![Scaling::Divide(epsilon.clone())],
        grid: mironov_grid(epsilon),
        bound: bound.clone(),
        sensitivity: Rational::ONE,
    }
}

/// Certifies one mechanism.
pub fn certify(mechanism: &Snapped) -> Result<Certificate, Refusal> {
    let theorem = threshold(mechanism)?;
    let epsilon_exact = theorem.epsilon();
    let published = published_excess(mechanism);
    let largest_pure_bound = largest_pure_bound(mechanism);
    let published_holds = if theorem.delta().is_zero() && *theorem.excess() <= published {
        Some(true)
    } else if has_impossible_outcome(mechanism) {
        Some(false)
    } else {
        None
    };
    Ok(Certificate {
        epsilon: directed::cast_up(&epsilon_exact),
        delta: directed::cast_up(theorem.delta()),
        excess: directed::cast_up(theorem.excess()),
        epsilon_exact,
        method: Method::Threshold,
        published_bound: directed::cast_nearest(&published),
        published_holds,
        largest_pure_bound,
        paper: paper_method(mechanism),
        theorem,
    })
}

/// How an implementation draws its uniform and takes logarithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Implementation {
    /// How u is drawn.
    pub uniform: Uniform,
    /// The error of the logarithm in units of its last place; 0 means correctly rounded.
    pub ln_ulps: u32,
}

impl Default for Implementation {
    fn default() -> Implementation {
        Implementation { uniform: Uniform::Star, ln_ulps: 0 }
    }
}

/// Certifies a mechanism's text: parameters are rounded to the format first, and the certified loss is that of the
/// rounded ones.
///
/// ```
/// use std::collections::BTreeMap;
/// use probity_exact::{Format, rational};
/// use probity_float::certificate::{Implementation, certify_term};
/// use probity_float::recognise::snapping_term;
/// let set = BTreeMap::from([("eps".into(), rational(1, 10).unwrap()), ("B".into(), rational(1000, 1).unwrap())]);
/// let certificate = certify_term(&snapping_term(), &set, Format::BINARY64, Implementation::default()).unwrap();
/// assert!(certificate.excess < 2e-13 && certificate.delta == 0.0);
/// ```
pub fn certify_term(
    mechanism: &Mechanism,
    parameters: &BTreeMap<String, Rational>,
    format: Format,
    implementation: Implementation,
) -> Result<Certificate, Refusal> {
    let snapped = recognise(mechanism, parameters, format).map_err(Refusal::Form)?;
    certify(&Snapped { uniform: implementation.uniform, ln_ulps: implementation.ln_ulps, ..snapped })
}

/// Certifies Mironov's mechanism for all ε and B in two ranges at once.
pub fn certify_family(family: &Family) -> Result<FloatTheorem, Refusal> {
    Ok(threshold_family(family)?)
}

fn whole(value: i64) -> Rational {
    Rational::from(Integer::from(value))
}

/// 12Bεη + 2η, with ε the rate of the noise.
fn published_excess(mechanism: &Snapped) -> Rational {
    let eta = mechanism.format.unit_roundoff();
    whole(12) * &mechanism.bound * mechanism.rate() * &eta + whole(2) * eta
}

/// Multiples of Λ up to and not below the bound.
fn top(mechanism: &Snapped) -> Rational {
    Rational::from((&mechanism.bound / &mechanism.grid).ceil()) * &mechanism.grid
}

/// Whether some outcome strictly inside the bounds cannot be produced from x = −B: then, walking from −B to the
/// outcome in steps of at most Δ, there are neighbours of which one can produce it and the other cannot.
fn has_impossible_outcome(mechanism: &Snapped) -> bool {
    if mechanism.uniform != Uniform::Star {
        return false;
    }
    let format = mechanism.format;
    // The largest finite noise: κ·|ln(smallest float)|/ρ, with κ ≤ (1 + η)^(steps + ulps + 1) ≤ 2 checked below.
    let Some((_, ln2)) = ln_bounds(&whole(2), 100) else { return false };
    let steps = whole(mechanism.scaling.len() as i64 + 1 + 4 * i64::from(mechanism.ln_ulps));
    let kappa = Rational::ONE + whole(2) * steps * format.unit_roundoff();
    if kappa > whole(2) {
        return false;
    }
    let depth = whole(i64::from(format.precision()) - 1 - format.emin());
    let farthest = kappa * depth * ln2 / mechanism.rate();
    let last = top(mechanism) - &mechanism.grid;
    let cut = &last - &mechanism.grid / whole(2) - format.unit_roundoff() * &last;
    // Consecutive floats up to B are at most 2ηB apart, so such steps exist.
    let steps_exist = whole(2) * format.unit_roundoff() * &mechanism.bound <= mechanism.sensitivity;
    steps_exist && cut + &mechanism.bound > farthest
}

/// Solves B + ⌈B⌉ − Λ/2 + h ≤ |emin|·ln 2/ρ for the largest float B, and has the kernel confirm it.
fn largest_pure_bound(mechanism: &Snapped) -> Option<f64> {
    let Uniform::Star = mechanism.uniform else { return None };
    let format = mechanism.format;
    let (ln2, _) = ln_bounds(&whole(2), 200)?;
    let limit = whole(format.emin().checked_neg()?) * ln2 / mechanism.rate();
    let (grid, eta) = (&mechanism.grid, format.unit_roundoff());
    let growth = Rational::ONE + &eta;
    let half = grid / whole(2);
    // ⌈B⌉ = kΛ is possible while (k − 1)Λ < limit − (1 + η)(k − ½)Λ.
    let edge = (&limit / grid + Rational::ONE + &growth / whole(2)) / (Rational::ONE + &growth);
    let k = Rational::from(edge.ceil()) - Rational::ONE;
    let top = &k * grid;
    let room = limit - growth * (&top - half);
    let bound = if top < room { top } else { room };
    let bound = format.round(&bound, Round::Down).to_rational()?;
    let pure = |bound: &Rational| {
        let changed = Snapped { bound: bound.clone(), ..mechanism.clone() };
        threshold(&changed).is_ok_and(|theorem| theorem.delta().is_zero())
    };
    pure(&bound).then(|| directed::cast_down(&bound))
}
