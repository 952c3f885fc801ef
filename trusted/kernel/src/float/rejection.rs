//! Why the threshold theorem does not apply.

use std::fmt;

use probity_exact::{Rational, directed};

/// Why the theorem does not apply. Each names what was found and what is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rejection {
    /// A parameter is zero or negative.
    NotPositive {
        /// Which one.
        parameter: &'static str,
        /// What it is.
        found: Rational,
    },
    /// A parameter is not a number of the format.
    NotAFloat {
        /// Which one.
        parameter: &'static str,
        /// What it is.
        found: Rational,
    },
    /// A range has its ends in the wrong order.
    EmptyRange {
        /// Which one.
        parameter: String,
    },
    /// A parameter may lie below the normal numbers of the format.
    NotNormal {
        /// Which one.
        parameter: &'static str,
        /// The smallest that it may be.
        found: Rational,
    },
    /// The grid is no power of two: its half-grid points are not floats.
    GridNotPowerOfTwo {
        /// Λ.
        grid: Rational,
    },
    /// Half-grid points up to the bound are not all normal floats.
    GridTooFine {
        /// Λ.
        grid: Rational,
        /// B.
        bound: Rational,
    },
    /// A step of the noise may leave the normal range of the format.
    NoiseOutOfRange {
        /// The product of the constants up to that step.
        factor: Rational,
    },
    /// The uniform has more bits than the format, or none.
    UniformTooFine {
        /// How many.
        bits: u32,
    },
    /// The logarithm's error leaves nothing to be said.
    LogarithmTooCoarse {
        /// Its error in units of the last place.
        ulps: u32,
    },
    /// The mechanism is malformed; over the reals it would be rejected with the same words.
    Malformed(crate::rejection::Rejection),
    /// The claim is over the reals.
    OverTheReals,
    /// No such format is covered.
    Format {
        /// Bits of its significand.
        precision: u32,
        /// Its smallest exponent.
        emin: i32,
        /// Its largest exponent.
        emax: i32,
    },
    /// The mechanism does not have exactly one input, a real.
    Inputs,
    /// A statement other than a draw or an assignment.
    Statement {
        /// The statement.
        found: String,
    },
    /// A draw other than one uniform and one sign, each before it is used.
    Draw {
        /// The statement.
        found: String,
    },
    /// Written out, an expression has too many parts.
    TooLarge {
        /// The variable that it is the value of.
        variable: String,
    },
    /// The output is not clamped to an interval [−B, B].
    NotClamped {
        /// What should be −B.
        low: String,
        /// What should be B.
        high: String,
    },
    /// The output is not rounded to a grid: every float is an outcome of its own, and the last bits of
    /// x ⊕ z tell x from its neighbour. Plain Laplace noise in floats is refused here.
    NoGrid,
    /// The sum is not x plus noise.
    NotASum {
        /// What was found.
        found: String,
    },
    /// The noise is not a signed, scaled logarithm of the uniform.
    Noise {
        /// What was found.
        found: String,
    },
    /// The input is not bounded by the assumptions.
    InputUnbounded {
        /// The input.
        input: String,
    },
    /// The clamp is a parameter with a range, and the input is not shown to lie within it.
    InputBeyondClamp {
        /// The input.
        input: String,
        /// The clamp.
        clamp: String,
    },
    /// Neighbours are not those with |x' − x| ≤ a number.
    Adjacency {
        /// The input.
        input: String,
    },
    /// A number that the mechanism computes with is none, or beyond the format.
    NotANumber {
        /// The expression.
        found: String,
    },
    /// The assumptions do not say between which numbers a parameter lies.
    Unbounded {
        /// The parameter.
        parameter: String,
    },
    /// With a parameter in the noise or in the grid, both have to be Mironov's.
    NotMironov {
        /// What was found.
        found: String,
        /// What it has to be.
        wanted: String,
    },
    /// A claimed number is not made of parameters, or not by operations that are covered.
    ClaimNotANumber {
        /// ε or δ.
        part: &'static str,
        /// What is claimed.
        found: String,
    },
    /// The claim is less than what is proved.
    ClaimTooSmall {
        /// ε or δ.
        part: &'static str,
        /// What is claimed.
        claimed: String,
        /// What is proved: for a range of parameters, of those for which the claim is least.
        proved: Box<Rational>,
        /// Not above what the claim comes to there.
        least: Box<Rational>,
    },
    /// Λ and Δ are so large that no cell is near both inputs.
    CellTooWide,
    /// The rounding errors of two thresholds are larger than the cell between them: the method says nothing.
    CellTooNarrow {
        /// ρ(Λ − 2h), the least width of a cell; the errors have to stay below it.
        width: Rational,
    },
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejection::NotPositive { parameter, found } => {
                write!(f, "{parameter} is {found}; it has to be positive")
            }
            Rejection::NotAFloat { parameter, found } => {
                write!(f, "{parameter} is {found}, which is no number of the format")
            }
            Rejection::EmptyRange { parameter } => write!(f, "the range of {parameter} is empty"),
            Rejection::NotNormal { parameter, found } => {
                let found = directed::cast_nearest(found);
                write!(f, "{parameter} may be {found:e}, which is below the normal numbers of the format")
            }
            Rejection::GridNotPowerOfTwo { grid } => {
                write!(f, "the grid is {grid}; it has to be a power of two")
            }
            Rejection::GridTooFine { grid, bound } => {
                write!(
                    f,
                    "the half-grid points of grid {grid} up to the bound {bound} are not all normal floats"
                )
            }
            Rejection::NoiseOutOfRange { factor } => {
                write!(f, "the noise times {factor} may leave the normal range of the format")
            }
            Rejection::UniformTooFine { bits: 0 } => {
                write!(f, "a uniform of 0 bits is always the same: it has to have at least 1")
            }
            Rejection::UniformTooFine { bits } => {
                write!(f, "a uniform of {bits} bits has more than the format")
            }
            Rejection::LogarithmTooCoarse { ulps } => {
                write!(f, "a logarithm with an error of {ulps} units in the last place is too coarse")
            }
            Rejection::Malformed(reason) => write!(f, "{reason}"),
            Rejection::OverTheReals => {
                write!(f, "the claim is over the reals, and this theorem is about a format")
            }
            Rejection::Format { precision, emin, emax } => {
                write!(
                    f,
                    "no theorem covers a format with precision {precision} and exponents {emin} to {emax}"
                )
            }
            Rejection::Inputs => write!(f, "the certificate is about mechanisms with one real input"),
            Rejection::Statement { found } => {
                let found = found.trim_end();
                write!(
                    f,
                    "'{found}' is neither a draw nor an assignment: no branches or loops can be certified"
                )
            }
            Rejection::Draw { found } => {
                let found = found.trim_end();
                write!(
                    f,
                    "the draw '{found}' is not covered: the certificate needs one uniform(0, 1) and one sign()"
                )
            }
            Rejection::TooLarge { variable } => {
                write!(f, "{variable} is too large when the variables in it are written out")
            }
            Rejection::NotClamped { low, high } => {
                write!(
                    f,
                    "the output is clamped between '{low}' and '{high}'; the certificate needs clamp(…, -B, B)"
                )
            }
            Rejection::NoGrid => write!(
                f,
                "the output is not rounded to a grid: every float is an outcome of its own, and the last bits of the sum reveal the input"
            ),
            Rejection::NotASum { found } => write!(f, "'{found}' is not the input plus noise"),
            Rejection::Noise { found } => {
                write!(f, "'{found}' is not a sign times ln(u), scaled by constants")
            }
            Rejection::InputUnbounded { input } => {
                write!(f, "the assumptions do not bound the input {input}: say -B <= {input} <= B")
            }
            Rejection::InputBeyondClamp { input, clamp } => {
                write!(
                    f,
                    "for a range of {clamp}, the assumptions have to say -{clamp} <= {input} <= {clamp}, \
                     and they do not"
                )
            }
            Rejection::Adjacency { input } => {
                write!(f, "neighbours have to be abs({input}' - {input}) <= a number")
            }
            Rejection::NotANumber { found } => {
                write!(f, "'{found}' is not computed to a number of the format")
            }
            Rejection::Unbounded { parameter } => write!(
                f,
                "{parameter} has no value, and the assumptions do not say between which positive numbers it lies"
            ),
            Rejection::NotMironov { found, wanted } => {
                write!(f, "for a range of parameters, '{found}' has to be {wanted}")
            }
            Rejection::ClaimNotANumber { part, found } => {
                write!(f, "the claimed {part} '{found}' is not a number made of parameters with known ranges")
            }
            Rejection::ClaimTooSmall { part, claimed, proved, least } => {
                let (proved, least) = (directed::cast_up(proved), directed::cast_down(least));
                write!(
                    f,
                    "certified is {part} = {proved:e}, which is more than the claimed {part} = {claimed}, that is {least:e}"
                )
            }
            Rejection::CellTooWide => {
                write!(f, "grid and sensitivity are so large that no cell is near two neighbouring inputs")
            }
            Rejection::CellTooNarrow { width } => {
                let shown = directed::cast_nearest(width);
                write!(
                    f,
                    "the rounding errors exceed the width {shown} of a cell of the grid, in units of the noise's scale"
                )
            }
        }
    }
}

impl std::error::Error for Rejection {}
