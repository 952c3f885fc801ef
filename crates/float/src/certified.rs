//! The privacy certificate of a floating-point mechanism: the kernel's theorem, the method of the paper beside it,
//! and the published bound.
//!
//! ```
//! use probity_exact::fraction;
//! use probity_float::certified::{Certified, certify, snapping};
//! use probity_kernel::term::Reading;
//! let mechanism = snapping(&fraction::<1, 1>(), &fraction::<100, 1>());
//! let theorem = certify(&mechanism, Reading::BINARY64, Default::default()).unwrap();
//! let certificate = Certified::of(theorem).unwrap();
//! assert!(certificate.excess <= 6.2e-14 && certificate.delta == 0.0);
//! ```

use std::fmt;

use probity_exact::{
    BitTest, Integer, Natural, Rational, Round, Signed, UnsignedAbs, directed, ln_bounds, rational_from_f64,
};
use probity_kernel::expr::{Expr, Run};
use probity_kernel::float::{
    Bound, FloatTheorem, Implementation, Rejection, Snapped, Subject, Uniform, bound, threshold,
};
use probity_kernel::term::{
    Adjacency, Claim, Distribution, Input, Mechanism, Param, Reading, Sort, Statement,
};

use crate::decimal::{DISTINCT, FIGURES, down, up};
use crate::paper::{Case, PaperMethod, paper_method};

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

/// What is certified of one mechanism in floating point.
#[derive(Debug, Clone)]
pub struct Certified {
    /// The kernel's theorem, from which the next five fields are read.
    pub theorem: FloatTheorem,
    /// Its numbers.
    pub snapped: Snapped,
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

impl Certified {
    /// What can be said besides a theorem about one mechanism; `None` for a family.
    pub fn of(theorem: FloatTheorem) -> Option<Certified> {
        let bound = theorem.bound();
        let Subject::Mechanism(snapped) = bound.subject().clone() else { return None };
        let published = published_excess(&snapped);
        let published_holds = if bound.delta().is_zero() && *bound.excess() <= published {
            Some(true)
        } else if has_impossible_outcome(&snapped) {
            Some(false)
        } else {
            None
        };
        Some(Certified {
            epsilon: directed::cast_up(bound.epsilon()),
            epsilon_exact: bound.epsilon().clone(),
            delta: directed::cast_up(bound.delta()),
            excess: directed::cast_up(bound.excess()),
            method: Method::Threshold,
            published_bound: directed::cast_nearest(&published),
            published_holds,
            largest_pure_bound: largest_pure_bound(&snapped),
            paper: paper_method(&snapped),
            snapped,
            theorem,
        })
    }

    /// The cases of the paper's method.
    pub fn cases(&self) -> &[Case] {
        &self.paper.cases
    }

    /// One sentence on how pure the certificate is, with the bound that would keep it pure, if one is known.
    pub fn purity(&self) -> String {
        let delta = self.theorem.bound().delta();
        let largest = self.largest_pure_bound.and_then(rational_from_f64).map(|bound| down(&bound, DISTINCT));
        match (delta.is_zero(), largest) {
            (true, Some(largest)) => format!("pure: delta = 0 up to bound {largest}"),
            (true, None) => "pure: delta = 0".to_owned(),
            (false, largest) => {
                let largest =
                    largest.map_or(String::new(), |bound| format!("; delta = 0 up to bound {bound}"));
                let delta = up(delta, FIGURES);
                format!("delta = {delta}: outcomes farther from an input than the floats are fine{largest}")
            }
        }
    }
}

/// Mironov's snapping mechanism with the parameters ε and B as a term: noise ln(u) / ε, grid pow2_at_least(1 / ε),
/// sensitivity 1.
pub fn snapping_term() -> Mechanism {
    snapping_with(Expr::var("eps"), Expr::var("B"), &["eps", "B"])
}

/// The same with numbers for ε and B.
pub fn snapping(epsilon: &Rational, bound: &Rational) -> Mechanism {
    snapping_with(Expr::Number(epsilon.clone()), Expr::Number(bound.clone()), &[])
}

fn snapping_with(eps: Expr, b: Expr, params: &[&str]) -> Mechanism {
    let x = Expr::var("x");
    let difference = Expr::of("x", Run::Second) - Expr::of("x", Run::First);
    Mechanism {
        name: "snapping".into(),
        inputs: vec![Input { name: "x".into(), sort: Sort::Real }],
        params: params.iter().map(|name| Param { name: (*name).into(), sort: Sort::Real }).collect(),
        assumptions: vec![(-b.clone()).le(x.clone()), x.clone().le(b.clone())],
        body: vec![
            Statement::Assign { var: "grid".into(), value: (Expr::int(1) / eps.clone()).pow2_at_least() },
            Statement::Draw { var: "u".into(), law: Distribution::Uniform },
            Statement::Draw { var: "s".into(), law: Distribution::Sign },
            Statement::Assign { var: "w".into(), value: x + Expr::var("s") * Expr::var("u").ln() / eps },
        ],
        output: Expr::var("w").round_to(Expr::var("grid")).clamp(-b.clone(), b),
        adjacency: vec![Adjacency::Related(difference.abs().le(Expr::int(1)))],
    }
}

/// The mechanism for parameters within ranges: the ranges are assumptions like others.
///
/// ```
/// use probity_exact::rational;
/// use probity_float::certified::{certify, snapping_term, within};
/// use probity_kernel::term::Reading;
/// let range = |low, high| (rational(low, 2).unwrap(), rational(high, 2).unwrap());
/// let family = within(&snapping_term(), [("eps", range(1, 4)), ("B", range(2, 200))]);
/// let theorem = certify(&family, Reading::BINARY64, Default::default()).unwrap();
/// assert!(theorem.claim().to_string().starts_with("epsilon = eps + "));
/// ```
pub fn within<'a>(
    mechanism: &Mechanism,
    ranges: impl IntoIterator<Item = (&'a str, (Rational, Rational))>,
) -> Mechanism {
    let mut narrowed = mechanism.clone();
    for (name, (low, high)) in ranges {
        let parameter = || Expr::var(name);
        narrowed.assumptions.push(Expr::Number(low).le(parameter()).and(parameter().le(Expr::Number(high))));
    }
    narrowed
}

/// Has the kernel prove what it found for a mechanism, as a claim that people can read: a few digits, rounded up.
pub fn certify(
    mechanism: &Mechanism,
    reading: Reading,
    implementation: Implementation,
) -> Result<FloatTheorem, Rejection> {
    let bound = bound(mechanism, reading, implementation)?;
    threshold(mechanism, &readable(&bound), implementation)
}

/// Significant digits of a claim.
const DIGITS: usize = 6;

/// A claim that is a little weaker than the bound: ideal + excess, with the excess and δ rounded up.
fn readable(bound: &Bound) -> Claim {
    if !bound.excess().is_positive() || bound.excess().is_zero() {
        return bound.claim();
    }
    let excess = Expr::Number(rounded_up(bound.excess()));
    Claim {
        epsilon: bound.ideal().clone() + excess,
        delta: Expr::Number(rounded_up(bound.delta())),
        ..bound.claim()
    }
}

/// A number with few decimal digits, not below x ≥ 0.
fn rounded_up(x: &Rational) -> Rational {
    // x is about 2^−zeros, and one bit is 0.30103 decimal digits.
    let zeros = x.denominator().bit_len().saturating_sub(x.numerator().unsigned_abs().bit_len());
    let power = zeros * 30_103 / 100_000 + DIGITS;
    let scale = Rational::from(Integer::from(Natural::from(10u8).pow(power)));
    Rational::from((x * &scale).ceil()) / scale
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
        changed.loss().is_ok_and(|loss| loss.delta.is_zero())
    };
    pure(&bound).then(|| directed::cast_down(&bound))
}
