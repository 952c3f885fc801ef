//! Sections 3 to 5 of the proof: the constants, evaluated with outward rounding.

use probity_exact::{Enclosure, Float, Format, Integer, Natural, Rational};

use super::rejection::Rejection;
use super::shape::{Family, Shape, Snapped, Uniform};

/// Bits of the enclosures: errors of size 2^−p are differences of numbers near 1.
const BITS: u32 = 256;

/// The numbers that a theorem is about, as the kernel read them off the mechanism.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// Those of one mechanism. If its clamp is a parameter, the largest.
    Mechanism(Snapped),
    /// Those of a family of mechanisms.
    Family(Family),
}

impl Subject {
    /// The format in which it runs.
    pub fn format(&self) -> Format {
        match self {
            Subject::Mechanism(one) => one.format,
            Subject::Family(all) => all.format,
        }
    }

    /// The theorem's constants for these numbers.
    pub fn loss(&self) -> Result<Loss, Rejection> {
        match self {
            Subject::Mechanism(one) => one.loss(),
            Subject::Family(all) => all.loss(),
        }
    }
}

/// What numbers lose by the theorem: (ρΔ + excess, δ). No theorem: it says nothing of any mechanism.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// A⁺ + A⁻: the loss beyond ρΔ.
    pub excess: Rational,
    /// δ; 0 when the mechanism is purely private.
    pub delta: Rational,
    /// The numbers of the proof.
    pub steps: Steps,
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

impl Snapped {
    /// The theorem of section 5.
    ///
    /// half-grid points normal floats    e^−b > q·e^a    2h₂ < 1 − q
    /// ─────────────────────────────────────────────────────────────
    /// clamp(round_to(x ⊕ s·n(u), Λ), ±B) is (ρΔ + A⁺ + A⁻, δ)-private
    pub fn loss(&self) -> Result<Loss, Rejection> {
        conclude(&self.shape()?)
    }
}

impl Family {
    /// The theorem for every mechanism of the family at once.
    pub fn loss(&self) -> Result<Loss, Rejection> {
        conclude(&self.shape()?)
    }
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
fn conclude(shape: &Shape) -> Result<Loss, Rejection> {
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
    Ok(Loss { excess: larger(&steps.plus) + larger(&steps.minus), delta, steps })
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
