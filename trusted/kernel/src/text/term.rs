//! What a mechanism is, what its neighbouring inputs are, and what is claimed of it.
//!
//! A [`Mechanism`] is plain data, made by a front end and trusted by nobody: a theorem quotes the mechanism
//! that it is about, in the words of this module. The meaning of a mechanism is the sub-distribution of its
//! output for given parameters and inputs, over the real numbers, every draw independent of the others.
//!
//! ```
//! use probity_kernel::expr::{Expr, Run};
//! use probity_kernel::term::{Adjacency, Claim, Distribution, Input, Mechanism, Param, Reading, Sort, Statement};
//! let laplace = Mechanism {
//!     name: "laplace".into(),
//!     inputs: vec![Input { name: "x".into(), sort: Sort::Real }],
//!     params: vec![Param { name: "eps".into(), sort: Sort::Real }],
//!     assumptions: vec![Expr::var("eps").gt(Expr::int(0))],
//!     body: vec![Statement::Draw {
//!         var: "y".into(),
//!         law: Distribution::Laplace { center: Expr::var("x"), scale: Expr::int(1) / Expr::var("eps") },
//!     }],
//!     output: Expr::var("y"),
//!     adjacency: vec![Adjacency::Related(
//!         (Expr::of("x", Run::Second) - Expr::of("x", Run::First)).abs().le(Expr::int(1)),
//!     )],
//! };
//! let claim = Claim { epsilon: Expr::var("eps"), delta: Expr::int(0), reading: Reading::Reals };
//! assert!(laplace.to_string().contains("y ~ laplace(x, 1 / eps)"));
//! assert_eq!(claim.to_string(), "epsilon = eps, delta = 0, over the reals");
//! ```

use crate::expr::{Expr, Name};

/// What a value is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    /// A real number.
    Real,
    /// An integer.
    Int,
    /// `true` or `false`.
    Bool,
    /// One of `count` categories, as the integer 0, 1, …, count − 1. The count is a positive integer made of
    /// parameters.
    Category {
        /// How many categories there are.
        count: Expr,
    },
    /// A list of reals, of any length. Neighbouring inputs have lists of the same length.
    RealList,
    /// A list of integers, of any length. Neighbouring inputs have lists of the same length.
    IntList,
    /// A table: a finite multiset of rows, of any size, each with a value in every field.
    Rows(Vec<Field>),
}

/// A column of a table: [`Sort::Real`], [`Sort::Int`], [`Sort::Bool`] or [`Sort::Category`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    /// Its name.
    pub name: Name,
    /// What it is.
    pub sort: Sort,
}

/// A private input: what two neighbouring runs differ in.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Input {
    /// Its name.
    pub name: Name,
    /// What it is.
    pub sort: Sort,
}

/// A public parameter, the same in both runs: [`Sort::Real`] or [`Sort::Int`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// What it is.
    pub sort: Sort,
}

/// The law of a draw. Scales and probabilities are expressions; a law with a meaningless parameter (a scale
/// that is not positive) has no mass, and no sampling rule applies to it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Distribution {
    /// A uniform real in (0, 1].
    Uniform,
    /// −1 or +1, each with probability 1/2.
    Sign,
    /// `true` with the given probability.
    Bernoulli(Expr),
    /// Each integer from `low` to `high`, both included, with the same probability.
    UniformInt {
        /// The smallest value.
        low: Expr,
        /// The largest value.
        high: Expr,
    },
    /// Each of the integers 0, 1, …, count − 1 other than `value`, with the same probability.
    UniformOther {
        /// The value left out.
        value: Expr,
        /// How many integers there are, `value` included.
        count: Expr,
    },
    /// `value` with probability `truth`, every other integer of 0, 1, …, count − 1 with the same probability.
    Response {
        /// The true value.
        value: Expr,
        /// The probability of telling it.
        truth: Expr,
        /// How many categories there are.
        count: Expr,
    },
    /// The place i of an entry of a list, with mass proportional to `exp(scores[i]/scale)`.
    Choose {
        /// The list, a variable.
        scores: Expr,
        /// Its scale.
        scale: Expr,
    },
    /// The place i of an entry of a list: the places in a random order, of which the first is taken that a coin with
    /// probability `exp((scores[i] − max)/scale)` accepts.
    PermuteAndFlip {
        /// The list, a variable.
        scores: Expr,
        /// Its scale.
        scale: Expr,
    },
    /// What another mechanism releases, for these arguments.
    Called(Box<Called>),
    /// A table of rows of another one, each kept with probability `rate`, independently of the others.
    Sample {
        /// The table, a variable.
        table: Expr,
        /// The probability with which a row is kept.
        rate: Expr,
    },
    /// Density exp(−|y − center|/scale)/(2·scale).
    Laplace {
        /// Its center.
        center: Expr,
        /// Its scale.
        scale: Expr,
    },
    /// The integer y with mass proportional to exp(−|y − center|/scale).
    DiscreteLaplace {
        /// Its center, an integer.
        center: Expr,
        /// Its scale.
        scale: Expr,
    },
    /// Density proportional to exp(−(y − center)²/(2·deviation²)).
    Gaussian {
        /// Its center.
        center: Expr,
        /// Its standard deviation.
        deviation: Expr,
    },
    /// The integer y with mass proportional to exp(−(y − center)²/(2·deviation²)).
    DiscreteGaussian {
        /// Its center, an integer.
        center: Expr,
        /// The deviation parameter.
        deviation: Expr,
    },
    /// Density exp(−z − exp(−z))/scale, z = (y − center)/scale: the law of center − scale·ln(−ln(u)), u uniform on (0, 1).
    Gumbel {
        /// Where the density is largest.
        center: Expr,
        /// Its scale.
        scale: Expr,
    },
    /// Density exp(−y/scale)/scale on y ≥ 0.
    Exponential {
        /// Its scale.
        scale: Expr,
    },
    /// The integer y ≥ 0 with mass proportional to exp(−y/scale).
    Geometric {
        /// Its scale.
        scale: Expr,
    },
}

/// A call of another mechanism, of which a theorem is known.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Called {
    /// The mechanism, whole.
    pub mechanism: Mechanism,
    /// What is claimed of it.
    pub claim: Claim,
    /// A value for each of its inputs; for a list the name of one.
    pub inputs: Vec<Expr>,
    /// A value for each of its parameters.
    pub params: Vec<Expr>,
    /// What it releases: a number or a truth value. Stated, so that nobody has to look into the mechanism for it again and again.
    pub released: Sort,
}

/// A step of a mechanism.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Statement {
    /// `var ~ law`
    Draw {
        /// The variable that receives the value.
        var: Name,
        /// Its law.
        law: Distribution,
    },
    /// `var = value`; a `let` is an assignment too, and `out = []` starts an output list.
    Assign {
        /// The variable.
        var: Name,
        /// Its new value.
        value: Expr,
    },
    /// Puts a value at the end of an output list.
    Append {
        /// The list, a variable started by `= []`.
        list: Name,
        /// The value.
        value: Expr,
    },
    /// `if guard { … } else { … }`
    If {
        /// The condition.
        guard: Expr,
        /// What to do if it holds.
        then: Vec<Statement>,
        /// What to do otherwise.
        otherwise: Vec<Statement>,
    },
    /// `for index in from..to { … }`: the index takes the integers from `from` up to, but not including, `to`.
    /// The body does not assign the index. A loop over a list is a loop over its indices.
    For {
        /// The loop index.
        index: Name,
        /// The first value.
        from: Expr,
        /// One past the last value.
        to: Expr,
        /// The body.
        body: Vec<Statement>,
    },
    /// `while guard { … }`. `label` names the loop for its invariant.
    While {
        /// The name by which hints and derivations refer to the loop.
        label: Name,
        /// The condition.
        guard: Expr,
        /// The body.
        body: Vec<Statement>,
    },
}

/// One clause of what makes two inputs neighbours. All clauses hold together; an input in no clause is
/// unrestricted. Two inputs are neighbours if the clauses hold for (x, x') or for (x', x).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Adjacency {
    /// An assertion over scalar inputs of the first run (`x`) and of the second (`x'`).
    Related(Expr),
    /// Every entry of the list may change, by at most `bound`.
    EveryEntry {
        /// The list.
        list: Name,
        /// The largest change of an entry.
        bound: Expr,
    },
    /// Every entry of the list may grow, by at most `bound`, and none shrinks.
    EveryEntryGrows {
        /// The list.
        list: Name,
        /// The largest growth of an entry.
        bound: Expr,
    },
    /// One entry of the list may change, by at most `bound`; the others are equal.
    OneEntry {
        /// The list.
        list: Name,
        /// The largest change of the entry.
        bound: Expr,
    },
    /// One entry of each of the lists may change, at one place in all of them, by at most `bound`; the others are equal.
    OneEntryOf {
        /// The lists.
        lists: Vec<Name>,
        /// The largest change of an entry.
        bound: Expr,
    },
    /// The changes of all entries together are at most `bound`: `Σ |q'[i] − q[i]|`, or the root of the sum of squares.
    Norm {
        /// The list.
        list: Name,
        /// The largest change.
        bound: Expr,
        /// Whether squares are summed.
        squares: bool,
    },
    /// One row is added to the table; with both orientations, added or removed.
    OneRow {
        /// The table.
        table: Name,
    },
    /// One row of the table is replaced by another.
    RowReplaced {
        /// The table.
        table: Name,
    },
    /// From one to `most` rows are added to the table; with both orientations, all added or all removed.
    Rows {
        /// The table.
        table: Name,
        /// The largest number of rows, made of parameters.
        most: Expr,
    },
}

/// A mechanism, and which of its inputs are neighbours.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Mechanism {
    /// Its name.
    pub name: Name,
    /// The private inputs.
    pub inputs: Vec<Input>,
    /// The public parameters.
    pub params: Vec<Param>,
    /// What holds of parameters and inputs; one that mentions an input holds in both runs, one that mentions a field of
    /// a table of every row in both runs.
    pub assumptions: Vec<Expr>,
    /// The steps.
    pub body: Vec<Statement>,
    /// What is released after the last step: a value or an output list.
    pub output: Expr,
    /// Which inputs are neighbours.
    pub adjacency: Vec<Adjacency>,
}

/// How a claim reads: which arithmetic it is about, and in which measure the loss is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reading {
    /// Exact real arithmetic.
    Reals,
    /// Exact real arithmetic, and the claim's `epsilon` is ρ: zero-concentrated differential privacy.
    Rho,
    /// Exact real arithmetic, and the claim's `epsilon` is μ: Gaussian differential privacy.
    Mu,
    /// Binary floating point: every operation rounded to nearest, ties to even.
    Binary {
        /// Bits of the significand, the hidden one included.
        precision: u32,
        /// The smallest exponent of a normal number.
        emin: i32,
        /// The largest exponent.
        emax: i32,
    },
}

impl Statement {
    /// The statement with its blocks changed; one without blocks as it is.
    pub(crate) fn map_blocks(&self, inside: &dyn Fn(&[Statement]) -> Vec<Statement>) -> Statement {
        let mut changed = self.clone();
        match &mut changed {
            Statement::If { then, otherwise, .. } => (*then, *otherwise) = (inside(then), inside(otherwise)),
            Statement::For { body, .. } | Statement::While { body, .. } => *body = inside(body),
            Statement::Draw { .. } | Statement::Assign { .. } | Statement::Append { .. } => {}
        }
        changed
    }
}

impl Reading {
    /// IEEE 754 binary64.
    pub const BINARY64: Reading = Reading::Binary { precision: 53, emin: -1022, emax: 1023 };
    /// IEEE 754 binary32.
    pub const BINARY32: Reading = Reading::Binary { precision: 24, emin: -126, emax: 127 };
    /// IEEE 754 binary16.
    pub const BINARY16: Reading = Reading::Binary { precision: 11, emin: -14, emax: 15 };
}

/// A claim of differential privacy: for all parameters that meet the assumptions, all neighbouring inputs and
/// every set of outputs, Pr[first run in the set] ≤ e^epsilon · Pr[second run in the set] + delta. With [`Reading::Rho`]
/// instead: the Rényi divergence of every order α > 1 of the two output laws is at most α · epsilon; with [`Reading::Mu`]:
/// they are no easier to tell apart than normal laws with deviation 1 and centers epsilon apart. There delta is 0.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Claim {
    /// The privacy loss, an expression in the parameters.
    pub epsilon: Expr,
    /// The additive slack, an expression in the parameters.
    pub delta: Expr,
    /// The arithmetic.
    pub reading: Reading,
}

/// How the two runs of one draw are tied together. Untrusted advice in a file, data of a derivation in a
/// certificate; the sampling rules state what each one needs.
///
/// Expressions are assertions: `x` and `x'`, loop indices, the ghosts.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Coupling {
    /// Both runs draw the same value from the same law, at no cost.
    Null,
    /// y' = y + by, at the given cost.
    Shift {
        /// How far the second run's draw lies above the first's.
        by: Expr,
        /// What it costs.
        cost: Expr,
    },
    /// y' = y + above.by if y ≥ threshold (y > threshold if `strict`), else y' = y + below.by.
    Select {
        /// Where the shift changes; it does not mention the draw.
        threshold: Expr,
        /// Whether the threshold itself counts as below.
        strict: bool,
        /// The shift and its cost above the threshold.
        above: (Expr, Expr),
        /// The shift and its cost below the threshold.
        below: (Expr, Expr),
    },
    /// For a uniform draw in (0, 1]: u' = exp(−cost)·u, for cost ≥ 0.
    Scale {
        /// What it costs.
        cost: Expr,
    },
    /// Two different discrete laws, the same value: costs ln(ratio.0 / ratio.1).
    SameValue {
        /// Numerator and denominator of the largest ratio of the two laws.
        ratio: (Expr, Expr),
    },
    /// In the concentrated measure: the same value of a law with a center, the two centers at most `distance` apart.
    Equal {
        /// How far apart the centers may be.
        distance: Expr,
        /// What it costs, in ρ.
        cost: Expr,
    },
    /// For a choice among scores: the same place, if apart(scores, low, high).
    Chosen {
        /// The least change of a score.
        low: Expr,
        /// The largest change of a score.
        high: Expr,
        /// What it costs.
        cost: Expr,
    },
    /// For a uniform draw u followed by a sign s: s'·ln(u') = s·ln(u) + by, at cost |by| or more.
    SignedLog {
        /// How far the second run's s·ln(u) lies above the first's.
        by: Expr,
        /// What it costs.
        cost: Expr,
    },
}

/// What a file's `proof` block says. Advice for the prover, never trusted.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Hints {
    /// A coupling per drawn variable.
    pub couplings: Vec<(Name, Coupling)>,
    /// For a drawn variable, how far from its center it is followed: what lies beyond is mass that is given up.
    pub tails: Vec<(Name, Expr)>,
    /// The invariants of loops, by the index of a `for` or the label of a `while`: one for all loops of a name, or one for each
    /// in the order of the text.
    pub invariants: Vec<(Name, Expr)>,
    /// What the files of called mechanisms say, by the mechanism's name.
    pub called: Vec<(Name, Hints)>,
    /// Whether to prove, for every output r, that the first run's being r makes the second run's r.
    pub pointwise: bool,
}
