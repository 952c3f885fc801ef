//! The case table in symbols.
//!
//! An outcome is −B, a multiple of Λ strictly between −B and B, or B. Each is the image of a cell of w:
//!
//! ```text
//! outcome x   cell of w, from … to …
//! −B          −∞          −b − Λ/2
//! |x| ≤ b     x − Λ/2     x + Λ/2
//! B           b + Λ/2     ∞
//! ```
//!
//! A cell lies below the input's own cell, is that cell, or lies above it, and that decides which draws (s, u) lead
//! to it. With two inputs f(a) ≤ f(a') there are twelve cases. Seven of them are in the papers; the ones in which
//! both inputs round to the same value, or in which an input rounds past b, are not.

use probity_kernel::expr::Run;

/// What an outcome is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Place {
    /// −B.
    Lower,
    /// A multiple of Λ strictly between −B and B.
    Inside,
    /// B.
    Upper,
}

/// Where an outcome lies, seen from what the input itself rounds to (and is clamped to).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Position {
    /// The outcome is smaller.
    Below,
    /// The outcome is what the input rounds to.
    At,
    /// The outcome is larger.
    Above,
}

/// A case of the table: what the outcome is, and where it lies from the two inputs.
///
/// ```
/// use probity_kernel::expr::Run;
/// use probity_prove::explain::Case;
/// let same = Case::ALL.iter().find(|case| case.title() == "x = ⌊f(a)⌉ = ⌊f(a')⌉").unwrap();
/// assert_eq!(same.ranges(Run::First).len(), 2); // both signs lead there
/// assert!(same.note().unwrap().contains("leave this case out"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Case {
    /// What the outcome is.
    pub place: Place,
    /// Where it lies from ⌊f(a)⌉.
    pub first: Position,
    /// Where it lies from ⌊f(a')⌉.
    pub second: Position,
}

/// An end of a range of u.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// 0, which is not in the range.
    Zero,
    /// 1, which is in the range.
    One,
    /// e to this power: a tie. It is in the range if the outcome (for ±B, the multiple of Λ that is clamped) is an
    /// even multiple of Λ.
    Tie(String),
}

/// The draws that lead to an outcome, for one sign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Range {
    /// The sign s.
    pub sign: i8,
    /// The lower end of u.
    pub low: End,
    /// The upper end of u.
    pub high: End,
}

use Place::{Inside, Lower, Upper};
use Position::{Above, At, Below};

const fn case(place: Place, first: Position, second: Position) -> Case {
    Case { place, first, second }
}

impl Case {
    /// All cases for f(a) ≤ f(a'), from the lowest outcome to the highest.
    pub const ALL: [Case; 12] = [
        case(Lower, Below, Below),
        case(Lower, At, Below),
        case(Lower, At, At),
        case(Inside, Below, Below),
        case(Inside, At, Below),
        case(Inside, At, At),
        case(Inside, Above, Below),
        case(Inside, Above, At),
        case(Inside, Above, Above),
        case(Upper, Above, Above),
        case(Upper, Above, At),
        case(Upper, At, At),
    ];

    /// The case as a condition on the outcome x and the inputs.
    pub fn title(&self) -> &'static str {
        match (self.place, self.first, self.second) {
            (Lower, At, At) => "x = −B, where ⌊f(a)⌉ ≤ ⌊f(a')⌉ < −b",
            (Lower, At, _) => "x = −B, where ⌊f(a)⌉ < −b ≤ ⌊f(a')⌉",
            (Lower, ..) => "x = −B, where −b ≤ ⌊f(a)⌉",
            (Inside, Below, _) => "−B < x < ⌊f(a)⌉",
            (Inside, At, At) => "x = ⌊f(a)⌉ = ⌊f(a')⌉",
            (Inside, At, _) => "x = ⌊f(a)⌉ < ⌊f(a')⌉",
            (Inside, Above, Below) => "⌊f(a)⌉ < x < ⌊f(a')⌉",
            (Inside, Above, At) => "⌊f(a)⌉ < x = ⌊f(a')⌉",
            (Inside, Above, Above) => "⌊f(a')⌉ < x < B",
            (Upper, At, _) => "x = B, where b < ⌊f(a)⌉ ≤ ⌊f(a')⌉",
            (Upper, _, At) => "x = B, where ⌊f(a)⌉ ≤ b < ⌊f(a')⌉",
            (Upper, ..) => "x = B, where ⌊f(a')⌉ ≤ b",
        }
    }

    /// Where the outcome lies from what the run's input rounds to.
    pub fn position(&self, run: Run) -> Position {
        match run {
            Run::First => self.first,
            Run::Second => self.second,
        }
    }

    /// The draws that lead to the outcome in one run: w = t at u = e^(ε(t − f)) for s = +1, and at u = e^(ε(f − t)) for
    /// s = −1. With s = +1 all of w ≤ f is reached, with s = −1 all of w ≥ f.
    pub fn ranges(&self, run: Run) -> Vec<Range> {
        let f = query(run);
        let one_sign = |sign, low, high| vec![Range { sign, low, high }];
        let both_signs = |plus, minus| {
            vec![Range { sign: 1, low: plus, high: End::One }, Range { sign: -1, low: minus, high: End::One }]
        };
        match (self.place, self.position(run)) {
            (Lower, At) => both_signs(End::Zero, power(format!("{f} + b + Λ/2"))),
            (Lower, _) => one_sign(1, End::Zero, power(format!("−b − Λ/2 − {f}"))),
            (Inside, Below) => one_sign(1, power(format!("x − Λ/2 − {f}")), power(format!("x + Λ/2 − {f}"))),
            (Inside, At) => both_signs(power(format!("x − Λ/2 − {f}")), power(format!("{f} − x − Λ/2"))),
            (Inside, Above) => one_sign(-1, power(format!("{f} − x − Λ/2")), power(format!("{f} − x + Λ/2"))),
            (Upper, At) => both_signs(power(format!("b + Λ/2 − {f}")), End::Zero),
            (Upper, _) => one_sign(-1, End::Zero, power(format!("{f} − b − Λ/2"))),
        }
    }

    /// The probability of the outcome in one run.
    pub fn probability(&self, run: Run) -> String {
        let f = query(run);
        match (self.place, self.position(run)) {
            (Lower, At) => format!("1 − ½·e^(ε({f} + b + Λ/2))"),
            (Lower, _) => format!("½·e^(−ε({f} + b + Λ/2))"),
            (Inside, Below) => format!("sinh(εΛ/2)·e^(ε(x − {f}))"),
            (Inside, At) => format!("1 − e^(−εΛ/2)·cosh(ε(x − {f}))"),
            (Inside, Above) => format!("sinh(εΛ/2)·e^(ε({f} − x))"),
            (Upper, At) => format!("1 − ½·e^(ε(b + Λ/2 − {f}))"),
            (Upper, _) => format!("½·e^(−ε(b + Λ/2 − {f}))"),
        }
    }

    /// The probability under a over the one under a', with κ = ε(f(a') − f(a)).
    pub fn ratio(&self) -> &'static str {
        match (self.place, self.first, self.second) {
            (_, Below, _) => "e^κ",
            (_, Above, Above) => "e^(−κ)",
            (_, Above, Below) => "e^(ε(f(a) + f(a') − 2x))",
            (Inside, At, Below) => "e^κ·(1 − e^(−εΛ/2)·cosh(εt)) / (sinh(εΛ/2)·e^(εt)), where t = x − f(a)",
            (Inside, Above, At) => {
                "e^(−κ)·sinh(εΛ/2)·e^(−εt) / (1 − e^(−εΛ/2)·cosh(εt)), where t = x − f(a')"
            }
            (Inside, At, _) => "(1 − e^(−εΛ/2)·cosh(ε(x − f(a)))) / (1 − e^(−εΛ/2)·cosh(ε(x − f(a'))))",
            (Lower, At, Below) => "e^κ·(2 − e^q)·e^q, where q = ε(f(a) + b + Λ/2) ≤ 0",
            (Lower, ..) => "(2 − e^q) / (2 − e^(q + κ)), where q = ε(f(a) + b + Λ/2), q + κ ≤ 0",
            (Upper, Above, At) => "e^(−κ) / ((2 − e^q)·e^q), where q = ε(b + Λ/2 − f(a')) ≤ 0",
            (Upper, ..) => "(2 − e^(q + κ)) / (2 − e^q), where q = ε(b + Λ/2 − f(a')), q + κ ≤ 0",
        }
    }

    /// Where the ratio lies, and why.
    pub fn bound(&self) -> &'static str {
        match (self.place, self.first, self.second) {
            (_, Below, _) | (_, Above, Above) => "exactly, for every such x",
            (_, Above, Below) => "from e^(−κ) to e^κ, since f(a) ≤ x ≤ f(a')",
            (Inside, At, Below) => "from e^(−κ) to e^κ: 2 − e^(−q) ≤ e^q for q = ε(Λ/2 + t) ≥ 0",
            (Inside, Above, At) => "from e^(−κ) to e^κ: 2 − e^(−q) ≤ e^q for q = ε(Λ/2 − t) ≥ 0",
            (Inside, At, _) => {
                "from e^(−κ) to e^κ: |w − f(a)| and |w − f(a')| differ by at most f(a') − f(a)"
            }
            (Lower, At, Below) => "from 1 to e^κ, since (2 − y)·y ≤ 1",
            (Lower, ..) => "from 1 to e^κ: y ↦ (2 − y)·y grows up to y = 1",
            (Upper, Above, At) => "from e^(−κ) to 1, since (2 − y)·y ≤ 1",
            (Upper, ..) => "from e^(−κ) to 1: y ↦ (2 − y)·y grows up to y = 1",
        }
    }

    /// What the papers say otherwise, where they do.
    pub fn note(&self) -> Option<&'static str> {
        match (self.place, self.first, self.second) {
            (Inside, At, At) => {
                Some("the papers leave this case out; it can occur as soon as f(a') − f(a) ≤ Λ")
            }
            (Inside, Above, Below) => {
                Some("the papers bound the ratio of all these outcomes together; privacy needs each of them")
            }
            (Inside, At, Below) => {
                Some("left empty in the draft's Theorem 5, case 0: for t = 0 it is 2·e^κ / (1 + e^(εΛ/2))")
            }
            (Inside, Above, At) => {
                Some("left empty in the draft's Theorem 5, case 1: for t = 0 it is e^(−κ)·(1 + e^(εΛ/2)) / 2")
            }
            (Lower | Upper, At, _) | (Upper, _, At) => Some(
                "the papers leave this case out: an input that rounds past b reaches the bound with both signs",
            ),
            _ => None,
        }
    }
}

fn query(run: Run) -> &'static str {
    match run {
        Run::First => "f(a)",
        Run::Second => "f(a')",
    }
}

fn power(exponent: String) -> End {
    End::Tie(format!("ε({exponent})"))
}

impl End {
    /// The end as a number.
    pub fn value(&self) -> String {
        match self {
            End::Zero => "0".into(),
            End::One => "1".into(),
            End::Tie(exponent) => format!("e^({exponent})"),
        }
    }
}

impl std::fmt::Display for Range {
    /// ⟨ and ⟩ stand at ties.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let open = if self.low == End::Zero { "(" } else { "⟨" };
        let close = if self.high == End::One { "]" } else { "⟩" };
        write!(f, "{open}{}, {}{close}", self.low.value(), self.high.value())
    }
}
