//! Expressions: what mechanisms compute with, and what assertions speak about.
//!
//! There is one type for both, so that substituting a program's expression into an assertion is plain
//! substitution. A boolean expression is a formula. An expression is total: a quotient by 0, `ln` and
//! `pow2_at_least` outside the positive reals, `sqrt` of a negative number, `a mod b` for b ≤ 0, `round_to` with a grid that is not positive and
//! a list read where it has no entry all have the value 0. `clamp(a, low, high)` is max(low, min(a, high)), also
//! where low > high. `docs/language.md` has the table; the audit and every execution have the same one.

use std::convert::Infallible;
use std::fmt;
use std::ops;
use std::sync::Arc;

use probity_exact::{BitTest, Rational};

/// The name of an input, a parameter, a program variable or a loop index.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name(Arc<str>);

impl Name {
    /// The name spelled `text`.
    pub fn new(text: impl AsRef<str>) -> Self {
        Name(Arc::from(text.as_ref()))
    }

    /// How the name is spelled.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Name::new(text)
    }
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        Name::new(text)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One of the two runs that a privacy claim compares: on the input `x`, and on its neighbour `x'`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Run {
    /// The run on `x`.
    First,
    /// The run on `x'`.
    Second,
}

impl Run {
    /// The other run.
    pub fn other(self) -> Run {
        match self {
            Run::First => Run::Second,
            Run::Second => Run::First,
        }
    }
}

/// What an expression may refer to.
///
/// A mechanism's own text uses [`Variable::Plain`] only. Assertions (adjacency, invariants, couplings) tell
/// the runs apart, and may use the ghosts, which no program can name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Variable {
    /// In a program: any variable. In an assertion: a parameter or a loop index, the same in both runs.
    Plain(Name),
    /// An input or program variable in one run; the second run's is written with a prime.
    Of(Name, Run),
    /// Ghost: the privacy loss charged so far. It starts at 0 and must end at or below the claimed epsilon.
    Cost,
    /// Ghost: the output that a pointwise proof is about.
    Result,
    /// Ghost: the place where the two lists of a one-entry adjacency differ.
    Changed(Name),
    /// A field of the row at hand, (table, field): bound by a [`Expr::Sum`] over the table, and in an assumption of a
    /// mechanism a field of every row.
    Field(Name, Name),
    /// Ghost: (table, run, field) of the row that only this run's table has.
    Row(Name, Run, Name),
    /// In an assumption of a mechanism: any entry of the input list; the assumption holds of every one.
    Entry(Name),
    /// Ghost, a list: how far the entries before each place of the list lie apart in the two runs, all together, where
    /// the adjacency bounds their sum.
    Moved(Name),
    /// A value about which nothing is known: what a draw of the named variable turned out to be.
    Arbitrary(Name, u32),
}

impl Variable {
    /// Whether a sum over this table binds the variable.
    pub(crate) fn binds(&self, variable: &Variable) -> bool {
        match (self, variable) {
            (Variable::Plain(table) | Variable::Of(table, _), Variable::Field(of, _)) => table == of,
            _ => false,
        }
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Variable::Plain(name) | Variable::Of(name, Run::First) => write!(f, "{name}"),
            Variable::Of(name, Run::Second) => write!(f, "{name}'"),
            Variable::Cost => write!(f, "cost"),
            Variable::Result => write!(f, "result"),
            Variable::Changed(list) => write!(f, "changed({list})"),
            Variable::Field(table, field) => write!(f, "{table}.{field}"),
            Variable::Row(table, Run::First, field) => write!(f, "changed({table}).{field}"),
            Variable::Row(table, Run::Second, field) => write!(f, "changed({table}').{field}"),
            Variable::Entry(list) => write!(f, "entry({list})"),
            Variable::Moved(list) => write!(f, "moved({list})"),
            Variable::Arbitrary(name, number) => write!(f, "{name}#{number}"),
        }
    }
}

/// An operation on one value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Unary {
    /// `-a`
    Neg,
    /// `abs(a)`
    Abs,
    /// `floor(a)`, the largest integer at or below a.
    Floor,
    /// `ln(a)`, for a > 0.
    Ln,
    /// `exp(a)`
    Exp,
    /// `pow2_at_least(a)`, the smallest power of two at or above a, for a > 0.
    Pow2AtLeast,
    /// `sqrt(a)`, for a ≥ 0.
    Sqrt,
    /// `not a`
    Not,
}

/// An operation on two values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Binary {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`
    Div,
    /// `a mod b` on integers, in `0..b`, for b > 0.
    Mod,
    /// `min(a, b)`
    Min,
    /// `max(a, b)`
    Max,
    /// `round_to(a, grid)`: the multiple of the grid that is nearest to a (ties to the even multiple).
    RoundTo,
    /// `a < b`
    Lt,
    /// `a <= b`
    Le,
    /// `a == b`: numbers, booleans or whole lists.
    Eq,
    /// `a != b`
    Ne,
    /// `a >= b`
    Ge,
    /// `a > b`
    Gt,
    /// `a and b`
    And,
    /// `a or b`
    Or,
}

/// An expression.
///
/// ```
/// use probity_kernel::expr::Expr;
/// let w = Expr::var("x") + Expr::var("s") * Expr::var("u").ln() / Expr::var("eps");
/// assert_eq!(w.to_string(), "x + s * ln(u) / eps");
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Expr {
    /// A number.
    Number(Rational),
    /// `true` or `false`.
    Bool(bool),
    /// A variable.
    Var(Variable),
    /// An operation on one value.
    Unary(Unary, Arc<Expr>),
    /// An operation on two values.
    Binary(Binary, Arc<Expr>, Arc<Expr>),
    /// `clamp(value, low, high)` = max(low, min(value, high)).
    Clamp(Arc<Expr>, Arc<Expr>, Arc<Expr>),
    /// `if condition then value else value`
    If(Arc<Expr>, Arc<Expr>, Arc<Expr>),
    /// `list[index]`, counted from 0. The list is a variable.
    Index(Variable, Arc<Expr>),
    /// `length(list)`. The list is a variable.
    Length(Variable),
    /// `[]`, the start of an output list.
    EmptyList,
    /// `sum(r in table where condition, value)`; `count(…)` is a sum of 1. The table is a variable. The condition and
    /// the value are those of each row in turn, whose fields are the [`Variable::Field`]s of the table.
    Sum(Variable, Arc<Expr>, Arc<Expr>),
    /// `apart(list, low, high)`, in assertions: the lists of the two runs have one length, and every entry of the second
    /// run's is larger than the first run's at the same place by at least `low` and at most `high`.
    Apart(Name, Arc<Expr>, Arc<Expr>),
}

macro_rules! unary_builders {
    ($($method:ident => $operation:ident, $meaning:literal;)*) => {$(
        #[doc = $meaning]
        pub fn $method(self) -> Expr {
            Expr::Unary(Unary::$operation, Arc::new(self))
        }
    )*};
}

macro_rules! binary_builders {
    ($($method:ident => $operation:ident, $meaning:literal;)*) => {$(
        #[doc = $meaning]
        pub fn $method(self, other: Expr) -> Expr {
            Expr::Binary(Binary::$operation, Arc::new(self), Arc::new(other))
        }
    )*};
}

/// A part in the place of another.
type Part<E> = Result<Arc<Expr>, E>;

impl Expr {
    /// The variable `name`, of a program, or shared by both runs.
    pub fn var(name: impl Into<Name>) -> Expr {
        Expr::Var(Variable::Plain(name.into()))
    }

    /// The variable `name` of one run.
    pub fn of(name: impl Into<Name>, run: Run) -> Expr {
        Expr::Var(Variable::Of(name.into(), run))
    }

    /// The cost charged so far.
    pub fn cost() -> Expr {
        Expr::Var(Variable::Cost)
    }

    /// An integer constant.
    pub fn int(value: i64) -> Expr {
        Expr::Number(Rational::from(value))
    }

    unary_builders! {
        abs => Abs, "`abs(self)`";
        floor => Floor, "`floor(self)`";
        ln => Ln, "`ln(self)`";
        exp => Exp, "`exp(self)`";
        pow2_at_least => Pow2AtLeast, "`pow2_at_least(self)`";
        sqrt => Sqrt, "`sqrt(self)`";
    }

    binary_builders! {
        modulo => Mod, "`self mod other`";
        min => Min, "`min(self, other)`";
        max => Max, "`max(self, other)`";
        round_to => RoundTo, "`round_to(self, other)`";
        lt => Lt, "`self < other`";
        le => Le, "`self <= other`";
        equals => Eq, "`self == other`";
        differs => Ne, "`self != other`";
        ge => Ge, "`self >= other`";
        gt => Gt, "`self > other`";
        and => And, "`self and other`";
        or => Or, "`self or other`";
    }

    /// `clamp(self, low, high)`
    pub fn clamp(self, low: Expr, high: Expr) -> Expr {
        Expr::Clamp(Arc::new(self), Arc::new(low), Arc::new(high))
    }

    /// `if self then yes else no`
    pub fn choose(self, yes: Expr, no: Expr) -> Expr {
        Expr::If(Arc::new(self), Arc::new(yes), Arc::new(no))
    }

    /// `not self or other`
    pub fn implies(self, other: Expr) -> Expr {
        (!self).or(other)
    }

    /// `list[self]`
    pub fn index_of(self, list: Variable) -> Expr {
        Expr::Index(list, Arc::new(self))
    }

    /// `sum(r in table where condition, value)`
    pub fn sum(table: Variable, condition: Expr, value: Expr) -> Expr {
        Expr::Sum(table, Arc::new(condition), Arc::new(value))
    }

    /// `apart(list, low, high)`
    pub fn apart(list: impl Into<Name>, low: Expr, high: Expr) -> Expr {
        Expr::Apart(list.into(), Arc::new(low), Arc::new(high))
    }

    /// `table.field`, in a sum over the table or in an assumption.
    pub fn field(table: impl Into<Name>, field: impl Into<Name>) -> Expr {
        Expr::Var(Variable::Field(table.into(), field.into()))
    }

    /// The conjunction of all, `true` if there are none.
    pub fn all(parts: impl IntoIterator<Item = Expr>) -> Expr {
        parts.into_iter().reduce(Expr::and).unwrap_or(Expr::Bool(true))
    }

    /// The expression with each of its parts replaced: the one walk on which all others stand.
    pub fn try_map_parts<E>(&self, go: &mut dyn FnMut(&Expr) -> Result<Expr, E>) -> Result<Expr, E> {
        self.try_map_shared(&mut |e| go(e).map(Arc::new))
    }

    /// The same for parts that may stay where they are.
    fn try_map_shared<E>(&self, part: &mut dyn FnMut(&Arc<Expr>) -> Part<E>) -> Result<Expr, E> {
        Ok(match self {
            Expr::Number(_) | Expr::Bool(_) | Expr::EmptyList | Expr::Var(_) | Expr::Length(_) => {
                self.clone()
            }
            Expr::Unary(op, a) => Expr::Unary(*op, part(a)?),
            Expr::Binary(op, a, b) => Expr::Binary(*op, part(a)?, part(b)?),
            Expr::Clamp(a, b, c) => Expr::Clamp(part(a)?, part(b)?, part(c)?),
            Expr::If(a, b, c) => Expr::If(part(a)?, part(b)?, part(c)?),
            Expr::Index(list, index) => Expr::Index(list.clone(), part(index)?),
            Expr::Sum(table, condition, value) => Expr::Sum(table.clone(), part(condition)?, part(value)?),
            Expr::Apart(list, low, high) => Expr::Apart(list.clone(), part(low)?, part(high)?),
        })
    }

    /// The same for a replacement that always succeeds.
    pub fn map_parts(&self, go: &mut dyn FnMut(&Expr) -> Expr) -> Expr {
        let Ok(whole) = self.try_map_parts(&mut |e| Ok::<Expr, Infallible>(go(e)));
        whole
    }

    /// The parts replaced for which `go` answers, if it does for any; the others are shared.
    fn changed_parts(&self, go: &mut dyn FnMut(&Expr) -> Option<Expr>) -> Option<Expr> {
        let mut changed = false;
        let Ok(whole) = self.try_map_shared(&mut |part| {
            let new = go(part).map(Arc::new);
            changed |= new.is_some();
            Ok::<_, Infallible>(new.unwrap_or_else(|| part.clone()))
        });
        changed.then_some(whole)
    }

    /// Replaces the parts for which `rewrite` answers, outermost first.
    pub fn rewrite(&self, rewrite: &dyn Fn(&Expr) -> Option<Expr>) -> Expr {
        self.rewritten(rewrite).unwrap_or_else(|| self.clone())
    }

    fn rewritten(&self, rewrite: &dyn Fn(&Expr) -> Option<Expr>) -> Option<Expr> {
        rewrite(self).or_else(|| self.changed_parts(&mut |part| part.rewritten(rewrite)))
    }

    /// Replaces free variables: every one that `replace` answers for becomes what it answers. A list is a variable;
    /// replacing it by anything but a variable leaves it, since lists are only renamed.
    pub fn replace(&self, replace: &dyn Fn(&Variable) -> Option<Expr>) -> Expr {
        self.replaced(replace).unwrap_or_else(|| self.clone())
    }

    /// The same; `None` where nothing is replaced.
    fn replaced(&self, replace: &dyn Fn(&Variable) -> Option<Expr>) -> Option<Expr> {
        let renamed = |v: &Variable| match replace(v) {
            Some(Expr::Var(renamed)) => Some(renamed),
            _ => None,
        };
        let part = |new: Option<Expr>, old: &Arc<Expr>| new.map_or_else(|| old.clone(), Arc::new);
        match self {
            Expr::Var(v) => replace(v),
            Expr::Length(v) => renamed(v).map(Expr::Length),
            Expr::Index(v, index) => match (renamed(v), index.replaced(replace)) {
                (None, None) => None,
                (list, at) => Some(Expr::Index(list.unwrap_or_else(|| v.clone()), part(at, index))),
            },
            Expr::Sum(v, condition, value) => {
                let free = |inner: &Variable| if v.binds(inner) { None } else { replace(inner) };
                match (renamed(v), condition.replaced(&free), value.replaced(&free)) {
                    (None, None, None) => None,
                    (table, c, e) => {
                        let table = table.unwrap_or_else(|| v.clone());
                        Some(Expr::Sum(table, part(c, condition), part(e, value)))
                    }
                }
            }
            _ => self.changed_parts(&mut |part| part.replaced(replace)),
        }
    }

    /// Calls `visit` on every free variable, lists and tables included.
    pub fn for_each_variable(&self, visit: &mut dyn FnMut(&Variable)) {
        if let Expr::Var(v) | Expr::Length(v) | Expr::Index(v, _) | Expr::Sum(v, ..) = self {
            visit(v);
        }
        if let Expr::Apart(list, ..) = self {
            [Run::First, Run::Second].into_iter().for_each(|run| visit(&Variable::Of(list.clone(), run)));
        }
        if let Expr::Sum(table, condition, value) = self {
            let mut free = |v: &Variable| {
                if !table.binds(v) {
                    visit(v)
                }
            };
            [condition, value].into_iter().for_each(|part| part.for_each_variable(&mut free));
            return;
        }
        self.parts().into_iter().flatten().for_each(|part| part.for_each_variable(visit));
    }

    /// The first free variable, lists and tables included, of which `wanted` holds.
    pub fn find_variable(&self, wanted: &dyn Fn(&Variable) -> bool) -> Option<Variable> {
        let mut found = None;
        self.for_each_variable(&mut |v| {
            if found.is_none() && wanted(v) {
                found = Some(v.clone());
            }
        });
        found
    }

    /// The parts of an expression.
    pub fn parts(&self) -> [Option<&Expr>; 3] {
        match self {
            Expr::Number(_) | Expr::Bool(_) | Expr::EmptyList | Expr::Var(_) | Expr::Length(_) => {
                [None, None, None]
            }
            Expr::Unary(_, a) | Expr::Index(_, a) => [Some(a), None, None],
            Expr::Binary(_, a, b) | Expr::Sum(_, a, b) | Expr::Apart(_, a, b) => [Some(a), Some(b), None],
            Expr::Clamp(a, b, c) | Expr::If(a, b, c) => [Some(a), Some(b), Some(c)],
        }
    }

    /// How deep the expression nests. Takes no stack, whatever the depth.
    pub fn depth(&self) -> usize {
        let mut deepest = 0;
        let mut left = vec![(self, 1)];
        while let Some((expr, depth)) = left.pop() {
            deepest = deepest.max(depth);
            left.extend(expr.parts().into_iter().flatten().map(|part| (part, depth + 1)));
        }
        deepest
    }

    /// How many parts the expression has; a long number counts as its words. Takes no stack, whatever the depth.
    pub fn size(&self) -> usize {
        self.weighed(usize::MAX, &Expr::own_size).unwrap_or(usize::MAX)
    }

    /// Whether [`Expr::size`] is at most `limit`. Looks at no more than that many parts.
    pub fn is_within(&self, limit: usize) -> bool {
        self.weighed(limit, &Expr::own_size).is_some()
    }

    /// Whether the expression has at most `limit` parts, a number being one, however long.
    pub(crate) fn has_at_most(&self, limit: usize) -> bool {
        self.weighed(limit, &|_| 1).is_some()
    }

    /// What its parts weigh together, if that is at most `limit`.
    fn weighed(&self, limit: usize, weight: &dyn Fn(&Expr) -> usize) -> Option<usize> {
        let mut left = vec![self];
        let mut seen: usize = 0;
        while let Some(expr) = left.pop() {
            seen = seen.saturating_add(weight(expr));
            if seen > limit {
                return None;
            }
            left.extend(expr.parts().into_iter().flatten());
        }
        Some(seen)
    }

    /// The size without the parts.
    fn own_size(&self) -> usize {
        match self {
            Expr::Number(n) => words(n),
            _ => 1,
        }
    }

    /// Whether `variable` occurs.
    pub fn mentions(&self, variable: &Variable) -> bool {
        self.find_variable(&|v| v == variable).is_some()
    }
}

/// How many words of 64 bits a number takes, at least 1: what numbers cost that somebody else wrote.
pub(crate) fn words(n: &Rational) -> usize {
    1 + (n.numerator().bit_len() + n.denominator().bit_len()) / 64
}

impl ops::Add for Expr {
    type Output = Expr;
    fn add(self, other: Expr) -> Expr {
        Expr::Binary(Binary::Add, Arc::new(self), Arc::new(other))
    }
}

impl ops::Sub for Expr {
    type Output = Expr;
    fn sub(self, other: Expr) -> Expr {
        Expr::Binary(Binary::Sub, Arc::new(self), Arc::new(other))
    }
}

impl ops::Mul for Expr {
    type Output = Expr;
    fn mul(self, other: Expr) -> Expr {
        Expr::Binary(Binary::Mul, Arc::new(self), Arc::new(other))
    }
}

impl ops::Div for Expr {
    type Output = Expr;
    fn div(self, other: Expr) -> Expr {
        Expr::Binary(Binary::Div, Arc::new(self), Arc::new(other))
    }
}

impl ops::Neg for Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        Expr::Unary(Unary::Neg, Arc::new(self))
    }
}

impl ops::Not for Expr {
    type Output = Expr;
    fn not(self) -> Expr {
        Expr::Unary(Unary::Not, Arc::new(self))
    }
}
