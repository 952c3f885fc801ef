//! The syntax tree: what was written, and where. Nothing here is checked yet.

use probity_exact::Rational;

use crate::Span;

/// A name as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ident {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// An expression. Invariant: `height` is at most [`crate::parser::MAX_DEPTH`], so recursion over it is safe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
    /// Length of the longest path to a leaf.
    pub(crate) height: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ExprKind {
    Number(Rational),
    Bool(bool),
    Name(String),
    /// `x'`: the input `x` of the neighbouring run.
    Primed(String),
    Negate(Box<Expr>),
    Not(Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a <= b < c`: every neighbouring pair is compared.
    Compare(Box<Expr>, Vec<(CompareOp, Expr)>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Call(Ident, Vec<Expr>),
    Index(Box<Expr>, Box<Expr>),
    List(Vec<Expr>),
    /// `(a, b)`, in `return` only.
    Tuple(Vec<Expr>),
    /// `r.age`
    Field(Box<Expr>, Ident),
    /// `count(r in table where condition)`, `sum(r in table where condition, value)`
    Aggregate(Box<Aggregate>),
}

/// A sum over the rows of a table; without a value, their number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Aggregate {
    pub(crate) function: Ident,
    pub(crate) row: Ident,
    pub(crate) table: Expr,
    pub(crate) condition: Option<Expr>,
    pub(crate) value: Option<Expr>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    And,
    Or,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CompareOp {
    Less,
    AtMost,
    Equal,
    NotEqual,
    AtLeast,
    Greater,
}

/// A type as written: a scalar, or a list of scalars.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TypeExpr {
    pub(crate) scalar: ScalarType,
    pub(crate) list: Option<ListLength>,
    /// `in [low, high]`: where the value, or every entry, lies.
    pub(crate) bounds: Option<(Expr, Expr)>,
    pub(crate) span: Span,
}

/// The length of a list type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ListLength {
    /// `real[]`
    AnyLength,
    /// `real[N]`
    Exactly(Expr),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ScalarType {
    Real,
    Int,
    Bool,
    /// One of the categories `0 .. count`.
    Category(Box<Expr>),
    /// A table, by its fields.
    Rows(Vec<(Ident, TypeExpr)>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Input {
    pub(crate) name: Ident,
    pub(crate) ty: TypeExpr,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Param {
    pub(crate) name: Ident,
    pub(crate) ty: Option<TypeExpr>,
    pub(crate) bound: Option<(CompareOp, Expr)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Statement {
    pub(crate) kind: StatementKind,
    /// The whole statement, for a block statement its first line.
    pub(crate) span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StatementKind {
    Draw {
        target: Ident,
        law: Ident,
        arguments: Vec<Expr>,
    },
    Assign {
        target: Ident,
        value: Expr,
    },
    Append {
        list: Ident,
        value: Expr,
    },
    If {
        condition: Expr,
        yes: Vec<Statement>,
        no: Vec<Statement>,
    },
    For {
        variable: Ident,
        over: Iteration,
        body: Vec<Statement>,
    },
    While {
        condition: Expr,
        label: Option<Ident>,
        body: Vec<Statement>,
    },
    Return(Expr),
    /// A line that could not be read. What it would have assigned is known if its first words were.
    Faulty {
        target: Option<Ident>,
    },
}

/// What a `for` runs over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Iteration {
    /// `low .. high`, the high end not included.
    Range(Expr, Expr),
    /// Every entry of a list.
    Entries(Expr),
}

/// `neighbours …`: one clause of the adjacency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Neighbours {
    pub(crate) kind: NeighboursKind,
    pub(crate) span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NeighboursKind {
    /// Any two inputs.
    Any,
    /// A relation between `x` and `x'`.
    Relation(Expr),
    /// `every entry of list differs by at most bound`
    EveryEntry { list: Ident, bound: Expr },
    /// `every entry of list grows by at most bound`
    EveryEntryGrows { list: Ident, bound: Expr },
    /// `one entry of list differs by at most bound`
    OneEntry { list: Ident, bound: Expr },
    /// `one entry of list and of list differs by at most bound`
    OneEntryOf { lists: Vec<Ident>, bound: Expr },
    /// `the entries of list differ by at most bound in L1`, or `in L2`
    Norm { list: Ident, bound: Expr, squares: bool },
    /// `one row of table is added or removed`
    OneRow { table: Ident },
    /// `one row of table is replaced`
    RowReplaced { table: Ident },
    /// `at most k rows of table are added or removed`
    Rows { table: Ident, most: Expr },
}

/// `claim epsilon[, delta] [in format]`, `claim rho r`, `claim mu m`
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClaimSyntax {
    /// `rho` or `mu`, if the claim is in one of these measures.
    pub(crate) measure: Option<Ident>,
    pub(crate) epsilon: Expr,
    pub(crate) delta: Option<Expr>,
    pub(crate) format: Option<FormatSyntax>,
    pub(crate) span: Span,
}

/// `binary64`, or `float(24, -126, 127)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FormatSyntax {
    pub(crate) name: Ident,
    pub(crate) arguments: Vec<Expr>,
    pub(crate) span: Span,
}

/// A whole file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct File {
    /// `use "file.dp" as name`: the text between the quotation marks, with its place, and the name.
    pub(crate) uses: Vec<(Ident, Ident)>,
    pub(crate) name: Option<Ident>,
    pub(crate) inputs: Vec<Input>,
    pub(crate) params: Vec<Param>,
    pub(crate) assumptions: Vec<Expr>,
    pub(crate) definitions: Vec<(Ident, Expr)>,
    pub(crate) body: Vec<Statement>,
    pub(crate) neighbours: Vec<Neighbours>,
    pub(crate) claim: Option<ClaimSyntax>,
    pub(crate) expect_refuted: Option<Span>,
    pub(crate) proof: Option<Proof>,
    /// A line that declares names could not be read, so that a name may look unknown without being at fault.
    pub(crate) lost_declarations: bool,
    /// A `neighbours` line could not be read.
    pub(crate) lost_neighbours: bool,
}

/// `proof { … }`
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Proof {
    pub(crate) lines: Vec<ProofLine>,
    pub(crate) span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ProofLine {
    /// `pointwise`
    Pointwise,
    /// `couple draw: coupling [up to tail distance]`
    Couple(Ident, Box<CouplingSyntax>, Option<Expr>),
    /// `invariant loop: assertion`
    Invariant(Ident, Expr),
}

/// How the two runs of a draw are tied together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CouplingSyntax {
    /// `null`
    Null,
    /// `shift by … at cost …`
    Shift(PricedShift),
    /// `above threshold shift by … at cost …, else by … at cost …`; with `from`, the threshold counts as above.
    Select { threshold: Expr, strict: bool, above: PricedShift, below: Box<PricedShift> },
    /// `scale at cost …`
    Scale(Expr),
    /// `same value at cost ln(numerator / denominator)`
    SameValue(Expr),
    /// `signed log shifted by … at cost …`
    SignedLog(PricedShift),
}

/// `by … at cost …`
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PricedShift {
    pub(crate) by: Expr,
    pub(crate) cost: Expr,
}
