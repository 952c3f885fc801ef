//! Sections 1 and 2 of the proof: which mechanisms the theorem is about, and the few numbers it needs of them.

use std::fmt;

use probity_exact::{BitTest, Format, Integer, Natural, Rational, Round, Sign, Signed, UnsignedAbs};

use super::rejection::Rejection;

/// How the uniform number is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uniform {
    /// U*: a uniform real of (0, 1) rounded down to the format.
    Star,
    /// A uniform real of (0, 1) rounded down to a multiple of 2^−bits: what most libraries draw.
    Bits(u32),
}

/// What a theorem supposes of the machine besides its format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Implementation {
    /// How u is drawn.
    pub uniform: Uniform,
    /// The error of the logarithm in units of its last place; 0 means correctly rounded.
    pub ln_ulps: u32,
}

/// What a reading means unless something else is said: U* and a correctly rounded logarithm.
impl Default for Implementation {
    fn default() -> Implementation {
        Implementation { uniform: Uniform::Star, ln_ulps: 0 }
    }
}

impl fmt::Display for Implementation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.uniform {
            Uniform::Star => write!(f, "u a uniform real rounded down to the format, ")?,
            Uniform::Bits(bits) => write!(f, "u a uniform real rounded down to a multiple of 2^-{bits}, ")?,
        }
        match self.ln_ulps {
            0 => write!(f, "ln correctly rounded"),
            ulps => write!(f, "ln within {ulps} units in the last place"),
        }
    }
}

/// A rounded step after the logarithm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scaling {
    /// ⊘ c for a positive float c.
    Divide(Rational),
    /// ⊗ c for a positive float c.
    Multiply(Rational),
}

/// The numbers of a mechanism of section 1: clamp(round_to(x ⊕ s·n(u), grid), −bound, bound), in its format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapped {
    /// The format in which it runs.
    pub format: Format,
    /// How u is drawn.
    pub uniform: Uniform,
    /// The error of the logarithm in units of its last place; 0 means correctly rounded.
    pub ln_ulps: u32,
    /// What follows the logarithm.
    pub scaling: Vec<Scaling>,
    /// Λ, a power of two.
    pub grid: Rational,
    /// B, a float.
    pub bound: Rational,
    /// Δ: how far apart neighbouring inputs may be.
    pub sensitivity: Rational,
}

/// Mironov's mechanism for all ε and B in two ranges, rounded to the format: n(u) = ln(u) ⊘ ε, Λ the smallest power of
/// two ≥ 1/ε.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Family {
    /// The format in which it runs.
    pub format: Format,
    /// How u is drawn.
    pub uniform: Uniform,
    /// The error of the logarithm in units of its last place; 0 means correctly rounded.
    pub ln_ulps: u32,
    /// The smallest and the largest ε.
    pub epsilon: (Rational, Rational),
    /// The smallest and the largest B.
    pub bound: (Rational, Rational),
    /// Δ: how far apart neighbouring inputs may be.
    pub sensitivity: Rational,
}

/// What the theorem needs to know. Every number is a bound in the direction in which the loss grows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    /// Not below κ.
    pub kappa: Rational,
    /// The rates ρ_j of the rounded steps, `None` for an unknown one; no list unless all steps are correctly rounded.
    pub roundings: Option<Vec<Option<Rational>>>,
    /// η.
    pub eta: Rational,
    /// |emin|, of which ln 2 times is the reach of the relatively fine floats.
    pub depth: u64,
    pub uniform: Uniform,
    /// Not above ρ(Λ − 2h).
    pub width: Rational,
    /// Not below ρT.
    pub reach: Rational,
    /// Not below ρ(Λ + 2h + Δ).
    pub overlap: Rational,
}

impl Shape {
    /// Not below |ρn(u) − L(u)| wherever one of the two is at most R: the smaller of (κ − 1)R and D(R).
    pub fn drift(&self, near: &Rational) -> Rational {
        let relative = (&self.kappa - Rational::ONE) * near;
        let Some(rates) = &self.roundings else { return relative };
        // R⁺
        let most = near * &self.kappa * &self.kappa;
        let sum = rates.iter().fold(Rational::ZERO, |sum, rate| match rate {
            Some(rate) => sum + rate * power_of_two_within(&(&most / rate)),
            None => sum + &most,
        });
        relative.min(sum * &self.eta)
    }
}

pub(super) fn positive(parameter: &'static str, found: &Rational) -> Result<(), Rejection> {
    if found.is_positive() && !found.is_zero() {
        return Ok(());
    }
    Err(Rejection::NotPositive { parameter, found: found.clone() })
}

fn float(parameter: &'static str, found: &Rational, format: Format) -> Result<(), Rejection> {
    if format.round(found, Round::Down).to_rational().as_ref() == Some(found) {
        return Ok(());
    }
    Err(Rejection::NotAFloat { parameter, found: found.clone() })
}

fn whole(value: i64) -> Rational {
    Rational::from(Integer::from(value))
}

/// 2^exponent, for exponents of formats that fit in memory.
fn power_of_two(exponent: i64) -> Option<Rational> {
    probity_exact::Float::from_dyadic(Integer::ONE, exponent).to_rational()
}

fn is_power_of_two(x: &Rational) -> bool {
    let single = |n: &Natural| n.trailing_zeros().is_some_and(|zeros| (n >> zeros) == Natural::ONE);
    x.numerator().sign() == Sign::Positive && single(&x.numerator().unsigned_abs()) && single(x.denominator())
}

/// The smallest multiple of the grid that is not below the bound.
pub(super) fn ceiling(bound: &Rational, grid: &Rational) -> Rational {
    Rational::from((bound / grid).ceil()) * grid
}

/// κ and the checks of section 1: the logarithm and every scaling, whose partial products are given, and of which
/// `roundings` round.
fn kappa(
    format: Format,
    uniform: Uniform,
    ln_ulps: u32,
    factors: &[Rational],
    roundings: usize,
) -> Result<Rational, Rejection> {
    let eta = format.unit_roundoff();
    let step = Rational::ONE + &eta;
    if let Uniform::Bits(bits) = uniform
        && (bits == 0 || bits > format.precision())
    {
        return Err(Rejection::UniformTooFine { bits });
    }
    let mut kappa = if ln_ulps == 0 {
        step.clone()
    } else {
        let error = whole(2) * whole(i64::from(ln_ulps)) * &eta;
        if error >= Rational::ONE {
            return Err(Rejection::LogarithmTooCoarse { ulps: ln_ulps });
        }
        Rational::ONE / (Rational::ONE - error)
    };
    // −ln u lies in [η, p − emin]; the logarithm itself is the first factor, 1. Twice is room for the errors of the steps before:
    // with κ ≥ 2 no numbers meet the theorem's conditions (section 1).
    let most = format.max_finite().to_rational();
    let least = power_of_two(format.emin());
    let one = Rational::ONE;
    for factor in std::iter::once(&one).chain(factors) {
        let out = || Rejection::NoiseOutOfRange { factor: factor.clone() };
        let (most, least) = (most.as_ref().ok_or_else(out)?, least.as_ref().ok_or_else(out)?);
        let largest = whole(i64::from(format.precision()) - format.emin()) * factor;
        let smallest = &eta * factor;
        if largest * whole(2) > *most || smallest < whole(2) * least {
            return Err(out());
        }
    }
    for _ in 0..roundings {
        kappa *= &step;
    }
    Ok(kappa)
}

/// Section 2's condition: the odd multiples of Λ/2 up to `top` − Λ/2 are normal floats.
fn check_grid(format: Format, grid: &Rational, bound: &Rational) -> Result<(), Rejection> {
    if !is_power_of_two(grid) {
        return Err(Rejection::GridNotPowerOfTwo { grid: grid.clone() });
    }
    let fine = || Rejection::GridTooFine { grid: grid.clone(), bound: bound.clone() };
    let top = ceiling(bound, grid);
    let least = power_of_two(format.emin()).ok_or_else(fine)?;
    let most = format.max_finite().to_rational().ok_or_else(fine)?;
    let span = power_of_two(i64::from(format.precision())).ok_or_else(fine)?;
    // An odd multiple j·Λ/2 with j < 2^p has at most p significant bits.
    if grid < &(&least * whole(2)) || whole(2) * &top / grid > span || top > most {
        return Err(fine());
    }
    Ok(())
}

impl Snapped {
    /// ρ: the quotient of the exact values of the constants.
    pub fn rate(&self) -> Rational {
        self.scaling.iter().fold(Rational::ONE, |rate, step| match step {
            Scaling::Divide(c) => rate * c,
            Scaling::Multiply(c) => {
                if c.is_zero() {
                    rate
                } else {
                    rate / c
                }
            }
        })
    }

    pub(super) fn shape(&self) -> Result<Shape, Rejection> {
        let mut factors = Vec::new();
        let mut factor = Rational::ONE;
        // A power of two changes the exponent only, which `kappa` checks to stay in range. The logarithm always rounds.
        let mut rates = vec![Some(Rational::ONE)];
        for step in &self.scaling {
            let (Scaling::Divide(c) | Scaling::Multiply(c)) = step;
            positive("a constant of the noise", c)?;
            float("a constant of the noise", c, self.format)?;
            factor = if matches!(step, Scaling::Divide(_)) { factor / c } else { factor * c };
            factors.push(factor.clone());
            if !is_power_of_two(c) {
                rates.push(Some(Rational::ONE / &factor));
            }
        }
        positive("the bound", &self.bound)?;
        float("the bound", &self.bound, self.format)?;
        positive("the grid", &self.grid)?;
        positive("the sensitivity", &self.sensitivity)?;
        check_grid(self.format, &self.grid, &self.bound)?;
        let kappa = kappa(self.format, self.uniform, self.ln_ulps, &factors, rates.len() - 1)?;
        let (eta, rate) = (self.format.unit_roundoff(), self.rate());
        let half = &self.grid / whole(2);
        let top = ceiling(&self.bound, &self.grid) - &half;
        let h = &eta * &top;
        Ok(Shape {
            kappa,
            roundings: (self.ln_ulps == 0).then_some(rates),
            depth: self.format.emin().min(0).unsigned_abs(),
            uniform: self.uniform,
            width: &rate * (&self.grid - whole(2) * &h),
            reach: &rate * (&self.bound + &top + &h),
            overlap: &rate * (&self.grid + whole(2) * &h + &self.sensitivity),
            eta,
        })
    }
}

impl Family {
    pub(super) fn shape(&self) -> Result<Shape, Rejection> {
        for (parameter, range) in [("epsilon", &self.epsilon), ("the bound", &self.bound)] {
            positive(parameter, &range.0)?;
            if range.0 > range.1 {
                return Err(Rejection::EmptyRange { parameter: parameter.into() });
            }
        }
        // Rounding is monotone: every ε and every B is computed with as a float between the rounded ends.
        let in_floats = |parameter, x: &Rational| {
            let float = self.format.round(x, Round::NearestEven).to_rational();
            float.ok_or_else(|| Rejection::NotAFloat { parameter, found: x.clone() })
        };
        let (low, high) = (&in_floats("epsilon", &self.epsilon.0)?, &in_floats("epsilon", &self.epsilon.1)?);
        let most = &in_floats("the bound", &self.bound.1)?;
        // Rounding ε errs by at most η·ε, if ε is normal.
        if power_of_two(self.format.emin()).is_none_or(|least| self.epsilon.0 < least) {
            return Err(Rejection::NotNormal { parameter: "epsilon", found: self.epsilon.0.clone() });
        }
        positive("the sensitivity", &self.sensitivity)?;
        // Every ε and every B of the ranges: the checks are monotone, so the extremes decide. That 1/ε is normal, as
        // the lemma on the computed grid needs, follows from the grid's being so.
        let factors = [Rational::ONE / low, Rational::ONE / high];
        // The division rounds for all but the powers of two among the ε.
        let one_step = kappa(self.format, self.uniform, self.ln_ulps, &factors[..1], 1)?;
        kappa(self.format, self.uniform, self.ln_ulps, &factors[1..], 1)?;
        let (finest, coarsest) = (mironov_grid(high), mironov_grid(low));
        for grid in [finest, coarsest] {
            check_grid(self.format, &grid, most)?;
        }
        let eta = self.format.unit_roundoff();
        // 1 ≤ εΛ < 2 and max|t| ≤ B + Λ/2, so ε·h ≤ η(εB + 1) ≤ η(ε_high·B_high + 1).
        let scaled = high * most;
        let drift = &eta * (&scaled + Rational::ONE);
        Ok(Shape {
            kappa: one_step,
            roundings: (self.ln_ulps == 0).then(|| vec![Some(Rational::ONE), None]),
            depth: self.format.emin().min(0).unsigned_abs(),
            uniform: self.uniform,
            width: Rational::ONE - whole(2) * &drift,
            reach: whole(2) * &scaled + Rational::ONE + &drift,
            overlap: whole(2) + whole(2) * &drift + high * &self.sensitivity,
            eta,
        })
    }
}

/// Mironov's Λ: the smallest power of two that is at least 1/ε.
///
/// ```
/// use probity_exact::fraction;
/// use probity_kernel::float::shape::mironov_grid;
/// assert_eq!(mironov_grid(&fraction::<1, 10>()), fraction::<16, 1>());
/// assert_eq!(mironov_grid(&fraction::<4, 1>()), fraction::<1, 4>());
/// ```
pub fn mironov_grid(epsilon: &Rational) -> Rational {
    if !epsilon.is_positive() || epsilon.is_zero() {
        return Rational::ONE;
    }
    // With n and d bits in ε = a/b, 1/ε lies between 2^(d−n−1) and 2^(d−n+1).
    let (above, below) = (epsilon.denominator().bit_len(), epsilon.numerator().unsigned_abs().bit_len());
    let mut grid = match above.checked_sub(below + 1) {
        Some(up) => Rational::from(Integer::ONE << up),
        None => Rational::from_parts(Integer::ONE, Natural::ONE << (below + 1 - above)),
    };
    while &grid * epsilon < Rational::ONE {
        grid *= whole(2);
    }
    grid
}

/// The largest power of two that is at most x > 0.
fn power_of_two_within(x: &Rational) -> Rational {
    Rational::ONE / mironov_grid(x)
}
