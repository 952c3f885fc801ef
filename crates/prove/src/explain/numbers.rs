//! The case table in numbers: every outcome, with rigorous enclosures.
//!
//! The probability of a cell comes from the tails of w at its two edges: P(w < t) = ½e^(ε(t − f)) for t ≤ f and
//! P(w > t) = ½e^(ε(f − t)) for t ≥ f. Where the ratio of two probabilities is a power of e with a rational exponent,
//! the exponent is kept exactly, so that a loss that equals the claim is seen to equal it.

use std::cmp::Ordering;
use std::fmt;

use probity_exact::{Enclosure, Float, Format, Integer, Natural, Rational, ln_bounds};

use super::cases::{Case, Place, Position};

/// The most outcomes that are tabulated.
pub const MAX_OUTCOMES: u64 = 10_000;

/// The largest ε·(distance of an edge from an input) that is computed with: e^−100000 is still written down quickly.
pub const MAX_EXPONENT: i64 = 100_000;

/// Bits of the enclosures, and of the finer ones where a comparison stays open.
const PRECISIONS: [u32; 3] = [128, 512, 2048];

/// What the table is about, all exact.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Numbers {
    /// The ε of the noise.
    pub rate: Rational,
    /// Λ.
    pub grid: Rational,
    /// B.
    pub bound: Rational,
    /// How far apart neighbouring inputs may be.
    pub sensitivity: Rational,
    /// The privacy loss that is claimed.
    pub claim: Rational,
    /// The two inputs, in either order.
    pub inputs: (Rational, Rational),
}

/// Why there is no table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NumbersError {
    /// A parameter is zero or negative.
    NotPositive {
        /// Which one.
        parameter: &'static str,
        /// Its value.
        value: Rational,
    },
    /// The inputs are further apart than neighbours are.
    NotNeighbours {
        /// Their distance.
        distance: Rational,
        /// The largest distance of neighbours.
        sensitivity: Rational,
    },
    /// There are more outcomes than are tabulated.
    TooManyOutcomes {
        /// How many.
        count: Integer,
    },
    /// Probabilities get too small to be written down.
    TooSmall {
        /// The power of 1/e that they come down to.
        exponent: Integer,
    },
}

impl fmt::Display for NumbersError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NumbersError::NotPositive { parameter, value } => {
                write!(f, "{parameter} is {value}; it has to be positive")
            }
            NumbersError::NotNeighbours { distance, sensitivity } => {
                write!(f, "the inputs are {distance} apart; neighbours are at most {sensitivity} apart")
            }
            NumbersError::TooManyOutcomes { count } => {
                write!(f, "there are {count} outcomes; at most {MAX_OUTCOMES} are tabulated")
            }
            NumbersError::TooSmall { exponent } => {
                write!(f, "probabilities come down to e^-{exponent}; at most e^-{MAX_EXPONENT} is tabulated")
            }
        }
    }
}

impl std::error::Error for NumbersError {}

/// An end of a range of u.
#[derive(Clone, PartialEq, Debug)]
pub struct NumberEnd {
    /// Where it is.
    pub value: Enclosure<Float>,
    /// Whether it is in the range.
    pub included: bool,
}

/// The draws that lead to an outcome, for one sign.
#[derive(Clone, PartialEq, Debug)]
pub struct NumberRange {
    /// The sign s.
    pub sign: i8,
    /// The lower end of u.
    pub low: NumberEnd,
    /// The upper end of u.
    pub high: NumberEnd,
}

/// An outcome in one run.
#[derive(Clone, PartialEq, Debug)]
pub struct Share {
    /// The draws that lead to it.
    pub ranges: Vec<NumberRange>,
    /// How likely it is.
    pub probability: Enclosure<Float>,
}

/// The logarithm of the ratio of an outcome's two probabilities.
#[derive(Clone, PartialEq, Debug)]
pub enum LogRatio {
    /// Known exactly.
    Exact(Rational),
    /// Known to lie between two numbers.
    Between(Rational, Rational),
}

/// Whether the absolute log-ratio is at most what is claimed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It is.
    Within,
    /// It is not.
    Exceeds,
    /// The enclosures are too wide to tell.
    Open,
}

/// One outcome.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The outcome x.
    pub outcome: Rational,
    /// Which case it is.
    pub case: Case,
    /// The run on a.
    pub first: Share,
    /// The run on a'.
    pub second: Share,
    /// ln(P under a / P under a').
    pub log_ratio: LogRatio,
    /// Whether that is within the claim.
    pub verdict: Verdict,
}

/// All outcomes.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// f(a) and f(a'), the smaller one first.
    pub inputs: (Rational, Rational),
    /// What they round to, before clamping.
    pub rounded: (Rational, Rational),
    /// The largest multiple of Λ below B.
    pub last: Rational,
    /// κ = ε(f(a') − f(a)): no log-ratio is further from 0.
    pub kappa: Rational,
    /// One row for each outcome, from −B to B.
    pub rows: Vec<Row>,
    /// The sums of the probabilities in the two runs. Each contains 1.
    pub totals: (Enclosure<Float>, Enclosure<Float>),
}

/// Makes the table.
///
/// ```
/// use probity_exact::{Rational, fraction};
/// use probity_prove::explain::{LogRatio, Numbers, tabulate};
/// let whole = |n: i64| Rational::from(n);
/// // ε = 4, Λ = 1/4: three outcomes lie strictly between ⌊f(a)⌉ = 0 and ⌊f(a')⌉ = 1.
/// let table = tabulate(&Numbers {
///     rate: whole(4),
///     grid: fraction::<1, 4>(),
///     bound: whole(3),
///     sensitivity: whole(1),
///     claim: whole(4),
///     inputs: (whole(0), whole(1)),
/// })
/// .unwrap();
/// let middle = table.rows.iter().find(|row| row.outcome == fraction::<1, 2>()).unwrap();
/// assert_eq!(middle.case.title(), "⌊f(a)⌉ < x < ⌊f(a')⌉");
/// assert_eq!(middle.log_ratio, LogRatio::Exact(Rational::ZERO)); // ε(f(a) + f(a') − 2x)
/// ```
pub fn tabulate(numbers: &Numbers) -> Result<Table, NumbersError> {
    let plain = Plain::new(numbers)?;
    let format = Format::wide(PRECISIONS[0]);
    let tails = |input| (-plain.last - 1..=plain.last + 2).map(|n| plain.tail(n, input, format)).collect();
    let (first, second): (Vec<Tail>, Vec<Tail>) = (tails(&plain.inputs.0), tails(&plain.inputs.1));
    let mut rows = Vec::new();
    let mut totals = (whole(0, format), whole(0, format));
    for number in -plain.last - 1..=plain.last + 1 {
        let (outcome, case) = plain.case(number);
        let at = (number + plain.last + 1) as usize;
        // Ties go to the even multiple; the multiple at ±B is the first one that is clamped.
        let is_even = number % 2 == 0;
        let share = |tails: &[Tail], position| Share {
            ranges: ranges(&tails[at], &tails[at + 1], position, is_even, format),
            probability: mass(&tails[at], &tails[at + 1], format),
        };
        let (first, second) = (share(&first, case.first), share(&second, case.second));
        totals = (totals.0 + first.probability.clone(), totals.1 + second.probability.clone());
        let (log_ratio, verdict) =
            plain.compare(number, &first.probability, &second.probability, &numbers.claim);
        rows.push(Row { outcome, case, first, second, log_ratio, verdict });
    }
    let multiple = |n: &Integer| Rational::from(n.clone()) * &plain.grid;
    Ok(Table {
        rounded: (multiple(&plain.rounded.0), multiple(&plain.rounded.1)),
        last: plain.multiple(plain.last),
        kappa: plain.kappa(),
        inputs: plain.inputs.clone(),
        rows,
        totals,
    })
}

/// The numbers once they are known to make sense.
struct Plain {
    rate: Rational,
    grid: Rational,
    bound: Rational,
    /// The smaller one first.
    inputs: (Rational, Rational),
    /// Which multiples of the grid the inputs round to.
    rounded: (Integer, Integer),
    /// b = last · Λ.
    last: i64,
}

impl Plain {
    fn new(numbers: &Numbers) -> Result<Plain, NumbersError> {
        let Numbers { rate, grid, bound, sensitivity, inputs: (a, b), .. } = numbers;
        for (parameter, value) in [("the rate", rate), ("the grid", grid), ("the bound", bound)] {
            if *value <= Rational::ZERO {
                return Err(NumbersError::NotPositive { parameter, value: value.clone() });
            }
        }
        let inputs = if a <= b { (a.clone(), b.clone()) } else { (b.clone(), a.clone()) };
        let distance = &inputs.1 - &inputs.0;
        if distance > *sensitivity {
            return Err(NumbersError::NotNeighbours { distance, sensitivity: sensitivity.clone() });
        }
        let last = (bound / grid).ceil() - Integer::ONE;
        let count = &last * Integer::from(2) + Integer::from(3);
        let last = match i64::try_from(&last) {
            Ok(last) if count <= Integer::from(MAX_OUTCOMES) => last,
            _ => return Err(NumbersError::TooManyOutcomes { count }),
        };
        let magnitude = |v: &Rational| if *v < Rational::ZERO { -v.clone() } else { v.clone() };
        let furthest = magnitude(&inputs.0).max(magnitude(&inputs.1)) + bound + grid;
        let exponent = (&furthest * rate).ceil();
        if exponent > Integer::from(MAX_EXPONENT) {
            return Err(NumbersError::TooSmall { exponent });
        }
        let rounded = (nearest_even(&(&inputs.0 / grid)), nearest_even(&(&inputs.1 / grid)));
        Ok(Plain { rate: rate.clone(), grid: grid.clone(), bound: bound.clone(), inputs, rounded, last })
    }

    fn multiple(&self, number: i64) -> Rational {
        Rational::from(number) * &self.grid
    }

    fn kappa(&self) -> Rational {
        (&self.inputs.1 - &self.inputs.0) * &self.rate
    }

    /// The lower edge of the cell of the outcome with this number, unless that is ±∞.
    fn edge(&self, number: i64) -> Option<Rational> {
        let is_finite = number > -self.last - 1 && number < self.last + 2;
        is_finite.then(|| self.multiple(number) - &self.grid / Rational::from(2))
    }

    /// The outcome with this number: −last − 1 is −B, last + 1 is B, the others are multiples of Λ.
    fn case(&self, number: i64) -> (Rational, Case) {
        let (outcome, place) = match number.unsigned_abs() > self.last.unsigned_abs() {
            true if number < 0 => (-self.bound.clone(), Place::Lower),
            true => (self.bound.clone(), Place::Upper),
            false => (self.multiple(number), Place::Inside),
        };
        let (low, high) = (Integer::from(-self.last - 1), Integer::from(self.last + 1));
        let position = |rounded: &Integer| match Integer::from(number).cmp(rounded.clamp(&low, &high)) {
            Ordering::Less => Position::Below,
            Ordering::Equal => Position::At,
            Ordering::Greater => Position::Above,
        };
        (outcome, Case { place, first: position(&self.rounded.0), second: position(&self.rounded.1) })
    }

    /// The tail of one run at the lower edge of the outcome with this number.
    fn tail(&self, number: i64, input: &Rational, format: Format) -> Tail {
        let Some(edge) = self.edge(number) else {
            return Tail { above: number > 0, power: whole(0, format) };
        };
        let distance = edge - input;
        let above = distance >= Rational::ZERO;
        let exponent = if above { -distance } else { distance } * &self.rate;
        Tail { above, power: Enclosure::around(&exponent, format).exp() }
    }

    /// The log-ratio, exactly where it is rational, and whether it is within the claim.
    fn compare(
        &self,
        number: i64,
        first: &Enclosure<Float>,
        second: &Enclosure<Float>,
        claim: &Rational,
    ) -> (LogRatio, Verdict) {
        if let Some(exact) = self.exact_log_ratio(number) {
            let verdict = judge(&exact, &exact, claim);
            return (LogRatio::Exact(exact), verdict);
        }
        let mut answer = log_quotient(first, second);
        for &precision in &PRECISIONS[1..] {
            if let Some((low, high)) = &answer
                && judge(low, high, claim) != Verdict::Open
            {
                break;
            }
            let format = Format::wide(precision);
            let again = |input: &Rational| {
                mass(&self.tail(number, input, format), &self.tail(number + 1, input, format), format)
            };
            answer = log_quotient(&again(&self.inputs.0), &again(&self.inputs.1));
        }
        match answer {
            Some((low, high)) => {
                let verdict = judge(&low, &high, claim);
                (LogRatio::Between(low, high), verdict)
            }
            // Probabilities that cannot be told from 0: the general bound is all that is known.
            None => (LogRatio::Between(-self.kappa(), self.kappa()), Verdict::Open),
        }
    }

    /// The log-ratio of a cell that no input lies inside of.
    fn exact_log_ratio(&self, number: i64) -> Option<Rational> {
        let (f, g) = (&self.inputs.0, &self.inputs.1);
        if f == g {
            return Some(Rational::ZERO);
        }
        let (low, high) = (self.edge(number), self.edge(number + 1));
        let all_below = |input: &Rational| high.as_ref().is_some_and(|high| high <= input);
        let all_above = |input: &Rational| low.as_ref().is_some_and(|low| low >= input);
        if all_below(f) {
            Some(self.kappa())
        } else if all_above(g) {
            Some(-self.kappa())
        } else if all_above(f) && all_below(g) {
            Some((f + g - self.multiple(number) * Rational::from(2)) * &self.rate)
        } else {
            None
        }
    }
}

/// Half of this power of e is the probability of w beyond an edge: above it if the edge is at or above the input,
/// below it otherwise.
struct Tail {
    above: bool,
    power: Enclosure<Float>,
}

fn whole(value: i64, format: Format) -> Enclosure<Float> {
    Enclosure::around(&Rational::from(value), format)
}

/// The probability of w between two edges.
fn mass(low: &Tail, high: &Tail, format: Format) -> Enclosure<Float> {
    let half = Enclosure::around(&Rational::from_parts(Integer::ONE, Natural::from(2u8)), format);
    let (a, b) = (low.power.clone(), high.power.clone());
    let doubled = match (low.above, high.above) {
        (false, false) => b - a,
        (true, _) => a - b,
        (false, true) => whole(2, format) - a - b,
    };
    doubled * half
}

/// The draws that end up between two edges.
fn ranges(low: &Tail, high: &Tail, position: Position, is_even: bool, format: Format) -> Vec<NumberRange> {
    let zero = whole(0, format);
    // An end at 0 belongs to ±∞ and is never reached, every other end is a tie.
    let end = |tail: &Tail| NumberEnd { value: tail.power.clone(), included: is_even && tail.power != zero };
    let one = || NumberEnd { value: whole(1, format), included: true };
    match position {
        Position::Below => vec![NumberRange { sign: 1, low: end(low), high: end(high) }],
        Position::Above => vec![NumberRange { sign: -1, low: end(high), high: end(low) }],
        Position::At => vec![
            NumberRange { sign: 1, low: end(low), high: one() },
            NumberRange { sign: -1, low: end(high), high: one() },
        ],
    }
}

/// Bounds of ln(a/b); `None` if either may be 0.
fn log_quotient(a: &Enclosure<Float>, b: &Enclosure<Float>) -> Option<(Rational, Rational)> {
    let ends = |e: &Enclosure<Float>| {
        let (low, high) = (e.low().to_rational()?, e.high().to_rational()?);
        (low > Rational::ZERO).then_some((low, high))
    };
    let ((a_low, a_high), (b_low, b_high)) = (ends(a)?, ends(b)?);
    let bits = a.precision().precision();
    Some((ln_bounds(&(a_low / b_high), bits)?.0, ln_bounds(&(a_high / b_low), bits)?.1))
}

fn judge(low: &Rational, high: &Rational, claim: &Rational) -> Verdict {
    let floor = -claim.clone();
    if *high <= *claim && *low >= floor {
        Verdict::Within
    } else if *low > *claim || *high < floor {
        Verdict::Exceeds
    } else {
        Verdict::Open
    }
}

/// The nearest integer, ties to even.
fn nearest_even(value: &Rational) -> Integer {
    let doubled = value * Rational::from(2);
    let down = value.floor();
    let rest = doubled - Rational::from(&down * Integer::from(2));
    let is_odd = &down % Integer::from(2) != Integer::ZERO;
    match rest.cmp(&Rational::ONE) {
        Ordering::Less => down,
        Ordering::Equal if !is_odd => down,
        _ => down + Integer::ONE,
    }
}
