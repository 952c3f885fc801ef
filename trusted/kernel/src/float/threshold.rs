//! Sections 3 to 5 of the proof: the constants, evaluated with outward rounding, and the theorem.
//!
//! ```
//! use probity_exact::{Format, rational};
//! use probity_kernel::float::{Scaling, Snapped, Uniform, threshold};
//! let one = rational(1, 1).unwrap();
//! let theorem = threshold(&Snapped {
//!     format: Format::BINARY64,
//!     uniform: Uniform::Star,
//!     ln_ulps: 0,
//!     scaling: vec![Scaling::Divide(one.clone())],
//!     grid: one.clone(),
//!     bound: rational(100, 1).unwrap(),
//!     sensitivity: one,
//! })
//! .unwrap();
//! assert!(theorem.delta().is_zero());
//! assert!(*theorem.excess() < rational(2, 10_000_000_000_000i64).unwrap());
//! ```
//!
//! A theorem cannot be made up:
//! ```compile_fail
//! use probity_kernel::float::FloatTheorem;
//! fn forge(theorem: FloatTheorem) -> FloatTheorem {
//!     FloatTheorem { excess: probity_exact::Rational::ZERO, ..theorem }
//! }
//! ```

use std::fmt;

use probity_exact::{Enclosure, Float, Format, Integer, Natural, Rational};

use super::shape::{Family, Rejection, Shape, Snapped, Uniform};

/// Bits of the enclosures: errors of size 2^−p are differences of numbers near 1.
const BITS: u32 = 256;

/// What a theorem is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// One mechanism.
    Mechanism(Snapped),
    /// All mechanisms of a family.
    Family(Family),
}

/// For all neighbouring inputs, the mechanism (each one of the family) is (ρΔ + excess, delta)-differentially
/// private, as computed in its format. Made by [`threshold`] and [`threshold_family`] only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FloatTheorem {
    /// Invariant: what follows is what `conclude` found for this subject's shape.
    subject: Subject,
    excess: Rational,
    delta: Rational,
    steps: Steps,
}

/// The numbers of the proof, each a bound in the direction in which the loss grows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Steps {
    /// κ: the noise is its ideal value times or over this, at most.
    pub kappa: Rational,
    /// Not above the width of a cell, in units of the noise's scale.
    pub width: Rational,
    /// Not below the distance of a threshold from an input, in the same units.
    pub reach: Rational,
    /// R: up to where outcomes are compared; beyond it they go into δ.
    pub near: Rational,
    /// a at R: how much too large ln H can be.
    pub above: Rational,
    /// b at R: how much too small ln H can be.
    pub below: Rational,
    /// q: not below e^−width.
    pub ratio: Rational,
    /// A⁺ of a cell beside the input, and of the cell around it.
    pub plus: (Rational, Rational),
    /// A⁻ of a cell beside the input, and of the cell around it.
    pub minus: (Rational, Rational),
}

impl FloatTheorem {
    /// What the theorem is about.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// A⁺ + A⁻: what floating point costs beyond the loss over the reals.
    pub fn excess(&self) -> &Rational {
        &self.excess
    }

    /// δ; 0 when the mechanism is purely private.
    pub fn delta(&self) -> &Rational {
        &self.delta
    }

    /// ρΔ + excess. For a family, the largest.
    pub fn epsilon(&self) -> Rational {
        match &self.subject {
            Subject::Mechanism(one) => one.rate() * &one.sensitivity + &self.excess,
            Subject::Family(all) => &all.epsilon.1 * &all.sensitivity + &self.excess,
        }
    }

    /// The numbers of the proof.
    pub fn steps(&self) -> &Steps {
        &self.steps
    }
}

/// Prints the claim, with figures rounded up.
impl fmt::Display for FloatTheorem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let up = probity_exact::directed::cast_up;
        let delta = up(&self.delta);
        match &self.subject {
            Subject::Mechanism(m) => write!(
                f,
                "in {}, grid {}, bound {}, inputs at most {} apart: epsilon = {:e}, delta = {delta:e}",
                m.format,
                m.grid,
                m.bound,
                m.sensitivity,
                up(&self.epsilon())
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

/// The theorem of section 5 for one mechanism.
///
/// half-grid points normal floats    e^−b > q·e^a    2h₂ < 1 − q
/// ─────────────────────────────────────────────────────────────
/// clamp(round_to(x ⊕ s·n(u), Λ), ±B) is (ρΔ + A⁺ + A⁻, δ)-private
pub fn threshold(mechanism: &Snapped) -> Result<FloatTheorem, Rejection> {
    let (excess, delta, steps) = conclude(&mechanism.shape()?)?;
    Ok(FloatTheorem { subject: Subject::Mechanism(mechanism.clone()), excess, delta, steps })
}

/// The theorem for every mechanism of a family at once.
pub fn threshold_family(family: &Family) -> Result<FloatTheorem, Rejection> {
    let (excess, delta, steps) = conclude(&family.shape()?)?;
    Ok(FloatTheorem { subject: Subject::Family(family.clone()), excess, delta, steps })
}

type Real = Enclosure<Float>;

fn real(x: &Rational) -> Real {
    Enclosure::around(x, Format::wide(BITS))
}

fn whole(x: u64) -> Real {
    real(&Rational::from(Integer::from(x)))
}

/// The upper end as a rational, if it is finite.
fn upper(x: &Real) -> Option<Rational> {
    x.high().to_rational()
}

/// |emin|·ln 2 and (j/2)·ln 2, rounded down: up to where the law of u is relatively fine.
fn fine_reach(shape: &Shape) -> Option<Rational> {
    let ln2 = whole(2).ln()?;
    let twice = match shape.uniform {
        Uniform::Star => 2 * shape.depth,
        // A fixed grid of 2^−j has half of its digits left at e^−R = 2^−j/2.
        Uniform::Bits(bits) => u64::from(bits),
    };
    (ln2 * whole(twice)).checked_div(&whole(2))?.low().to_rational()
}

/// 2^−bits.
fn unit(bits: u32) -> Real {
    real(&Rational::from_parts(Integer::ONE, Natural::ONE << bits as usize))
}

/// How coarse the law of u is where ρτ = `at`: 2η, or 2^−j·e^at.
fn coarseness(shape: &Shape, at: &Real) -> Real {
    match shape.uniform {
        Uniform::Star => whole(2) * real(&shape.eta),
        Uniform::Bits(bits) => unit(bits) * at.exp(),
    }
}

/// Excess, δ and the numbers in between, or why there are none.
fn conclude(shape: &Shape) -> Result<(Rational, Rational, Steps), Rejection> {
    let narrow = || Rejection::CellTooNarrow { width: shape.width.clone() };
    super::shape::positive("the width of a cell", &shape.width).map_err(|_| narrow())?;
    let fine = fine_reach(shape).ok_or_else(narrow)?;
    let pure = match shape.uniform {
        Uniform::Star => shape.reach <= fine,
        // All outcomes are compared only if that leaves the law fine enough: 2^−j·e^ρT ≤ 2^−10.
        Uniform::Bits(_) => {
            let coarse = upper(&coarseness(shape, &real(&shape.reach)));
            coarse.is_some_and(|c| c * Rational::from(Integer::from(1024)) <= Rational::ONE)
        }
    };
    let near = if pure { shape.reach.clone() } else { fine };
    let delta = if pure { Rational::ZERO } else { far_mass(shape, &near)? };
    let steps = bounds(shape, &near).ok_or_else(narrow)?;
    let larger = |pair: &(Rational, Rational)| if pair.0 >= pair.1 { pair.0.clone() } else { pair.1.clone() };
    Ok((larger(&steps.plus) + larger(&steps.minus), delta, steps))
}

/// δ = e^(−r/κ)·(1 + coarseness at r), with r = R − ρ(Λ + 2h + Δ).
fn far_mass(shape: &Shape, near: &Rational) -> Result<Rational, Rejection> {
    if *near < shape.overlap {
        return Err(Rejection::CellTooWide);
    }
    let r = real(&(near - &shape.overlap));
    let exponent = -r.checked_div(&real(&shape.kappa)).ok_or(Rejection::CellTooWide)?;
    let mass = exponent.exp() * (whole(1) + coarseness(shape, &r));
    upper(&mass).ok_or(Rejection::CellTooWide)
}

/// Lemma 3 at R = `near`; `None` when one of its conditions fails.
fn bounds(shape: &Shape, near: &Rational) -> Option<Steps> {
    let one = || whole(1);
    let (reach, kappa) = (real(near), real(&shape.kappa));
    let extra = kappa.clone() - one();
    let g = (one() + coarseness(shape, &reach)).ln()?;
    // a = d + g, b = d.
    let below = real(&shape.drift(near));
    let above = below.clone() + g.clone();
    let q = (-real(&shape.width)).exp();
    let gap = one() - q.clone();
    // Beside the input.
    let most = (above.clone().exp() - q.clone() * (-below.clone()).exp()).checked_div(&gap)?;
    let least = ((-below.clone()).exp() - q.clone() * above.clone().exp()).checked_div(&gap)?;
    let (plus_beside, minus_beside) = (positive(most)?.ln()?, -positive(least)?.ln()?);
    // Around the input.
    let e = one().exp();
    let spread = (whole(2) * extra.clone()).checked_div(&(e.clone() * gap.clone()))?;
    let plus_around = (one() + spread).ln()?;
    let h2 = g.exp() * (g.clone() + extra.checked_div(&e)?);
    let loss = (whole(2) * h2).checked_div(&gap)?;
    let minus_around = -positive(one() - loss)?.ln()?;
    Some(Steps {
        kappa: shape.kappa.clone(),
        width: shape.width.clone(),
        reach: shape.reach.clone(),
        near: near.clone(),
        above: upper(&above)?,
        below: upper(&below)?,
        ratio: upper(&q)?,
        plus: (upper(&plus_beside)?, upper(&plus_around)?),
        minus: (upper(&minus_beside)?, upper(&minus_around)?),
    })
}

/// The enclosure if it holds positive numbers only.
fn positive(x: Real) -> Option<Real> {
    (!x.contains_zero() && !x.low().is_negative()).then_some(x)
}
