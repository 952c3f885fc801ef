//! Expressions, as Coq reads them with `proofs/Formulas.v`.
//!
//! A number is printed as a real (`real`) or, where an integer is needed, as a `Z` (`int`); a real of integer parts has its `IZR` at the
//! leaves. A formula is a boolean. What a variable is called depends on where it stands: [`Scope`].

use std::collections::BTreeMap;

use probity_exact::Rational;
use probity_kernel::context::Context;
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary, Variable};
use probity_kernel::fact::poly;
use probity_kernel::kind::Kind;
use probity_kernel::term::{Adjacency, Mechanism, Sort};

use super::NotExported;

type Printed = Result<String, NotExported>;

/// Where an expression stands: how inputs and program variables of each run are reached.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scope {
    /// The text of a program: inputs `i`, variables `v`.
    Program,
    /// An assumption about one input `i`: also of the lengths of lists, which elsewhere are one number for both runs.
    Assumed,
    /// An assertion about two runs: inputs `i1` and `i2`, variables `v` and `v'`, the cost `k`, arbitrary values `a`.
    Runs,
    /// The relation between neighbours: inputs `i` and `i'`.
    Neighbours,
}

/// Prints what belongs to one context.
pub(super) struct Printer<'a> {
    pub(super) context: &'a Context,
    /// The numbers of arbitrary values, by sort of value.
    pub(super) arbitrary: BTreeMap<Variable, usize>,
    /// An arbitrary value that a function of the script binds, as `x`.
    pub(super) bound: Option<Variable>,
}

/// A number that stands for another, in the predicate of which a choice is taken out.
pub(super) fn hole() -> Variable {
    Variable::Arbitrary(Name::new("hole"), 0)
}

/// The Coq type of the values of a sort.
pub(super) fn sort_type(sort: &Sort, table: &Name) -> String {
    match sort {
        Sort::Real => "R".into(),
        Sort::Int | Sort::Category { .. } => "Z".into(),
        Sort::Bool => "bool".into(),
        Sort::RealList => "list R".into(),
        Sort::IntList => "list Z".into(),
        Sort::Rows(_) => format!("list row_{table}"),
    }
}

/// A rational as a real number.
pub(super) fn rational(n: &Rational) -> String {
    let (numerator, denominator) = (n.numerator(), n.denominator());
    match n.is_int() {
        true if *n < Rational::ZERO => format!("({numerator})"),
        true => numerator.to_string(),
        false => format!("({numerator} / {denominator})"),
    }
}

impl<'a> Printer<'a> {
    pub(super) fn new(context: &'a Context) -> Printer<'a> {
        Printer { context, arbitrary: BTreeMap::new(), bound: None }
    }

    fn mechanism(&self) -> &Mechanism {
        self.context.mechanism()
    }

    pub(super) fn is_input(&self, name: &Name) -> bool {
        self.mechanism().inputs.iter().any(|input| input.name == *name)
    }

    fn is_param(&self, name: &Name) -> bool {
        self.mechanism().params.iter().any(|param| param.name == *name)
    }

    /// A variable, with the type that it has.
    fn variable(&self, v: &Variable, scope: Scope) -> Printed {
        let of = |name: &Name, run: Run| {
            let (inputs, variables) = match (scope, run) {
                (Scope::Program | Scope::Assumed, _) => ("i", "v"),
                (Scope::Runs, Run::First) => ("i1", "v"),
                (Scope::Runs, Run::Second) => ("i2", "v'"),
                (Scope::Neighbours, Run::First) => ("i", "v"),
                (Scope::Neighbours, Run::Second) => ("i'", "v'"),
            };
            match self.is_input(name) {
                true => format!("(in_{name} {inputs})"),
                false => format!("(v_{name} {variables})"),
            }
        };
        Ok(match v {
            v if *v == hole() => "hole".into(),
            v if self.bound.as_ref() == Some(v) => "x".into(),
            Variable::Plain(name) if self.is_param(name) => format!("p_{name}"),
            Variable::Plain(name) if self.context.is_shared(name) => format!("x_{name}"),
            Variable::Plain(name) => of(name, Run::First),
            Variable::Of(name, run) => of(name, *run),
            Variable::Cost => "k".into(),
            Variable::Result => "result".into(),
            Variable::Changed(list) => format!("changed_{list}"),
            Variable::Field(table, field) => format!("(f_{table}_{field} r)"),
            Variable::Row(table, run, field) => format!("(f_{table}_{field} {})", row(table, *run)),
            // The entry at hand, in an assumption that holds of every one.
            Variable::Entry(list) if matches!(scope, Scope::Assumed) => {
                let entry =
                    if self.context.kind(&Expr::Var(v.clone())) == Kind::Int { "entryZ" } else { "entry" };
                format!("({entry} (in_{list} i) j)")
            }
            Variable::Entry(_) | Variable::Moved(_) => {
                return Err(NotExported::new("what is said of all entries of a list"));
            }
            Variable::Arbitrary(..) => {
                let number = self.arbitrary.get(v).ok_or_else(|| NotExported::new("an arbitrary value"))?;
                match self.context.kind(&Expr::Var(v.clone())) {
                    Kind::Real => format!("(real_ a {number})"),
                    Kind::Int => format!("(int_ a {number})"),
                    Kind::Bool => format!("(bool_ a {number})"),
                    _ => return Err(NotExported::new("an arbitrary list")),
                }
            }
        })
    }

    /// Whether dividing by the expression is exact in the kernel's normal form: a product of positive parameters.
    fn invertible(&self, e: &Expr) -> bool {
        let positive =
            |atom: &Expr| matches!(atom, Expr::Var(Variable::Plain(n)) if self.context.is_positive(n));
        poly(self.context, e).is_ok_and(|p| {
            p.as_term().is_some_and(|(monomial, _)| monomial.powers().all(|(atom, _)| positive(atom)))
        })
    }

    /// A number, as a real.
    pub(super) fn real(&self, e: &Expr, scope: Scope) -> Printed {
        let real = |e: &Expr| self.real(e, scope);
        Ok(match e {
            Expr::Number(n) => rational(n),
            Expr::Var(v) if *v == hole() => "hole".into(),
            Expr::Var(v) => match self.context.kind(e) {
                Kind::Real => self.variable(v, scope)?,
                Kind::Int => format!("IZR {}", self.variable(v, scope)?),
                _ => return Err(NotExported::new(format!("'{e}' as a number"))),
            },
            Expr::Unary(op, a) => match op {
                Unary::Neg => format!("(- {})", real(a)?),
                Unary::Abs => format!("(Rabs {})", argument(real(a)?)),
                Unary::Floor => format!("(floor_ {})", argument(real(a)?)),
                Unary::Ln => format!("(ln_ {})", argument(real(a)?)),
                Unary::Exp => format!("(exp {})", argument(real(a)?)),
                Unary::Pow2AtLeast => format!("(pow2_at_least {})", argument(real(a)?)),
                Unary::Sqrt => format!("(sqrt {})", argument(real(a)?)),
                Unary::Not => return Err(NotExported::new(format!("'{e}' as a number"))),
            },
            Expr::Binary(op, a, b) => match op {
                Binary::Add => format!("({} + {})", real(a)?, real(b)?),
                Binary::Sub => format!("({} - {})", real(a)?, real(b)?),
                Binary::Mul => format!("({} * {})", real(a)?, real(b)?),
                Binary::Div if self.invertible(b) => format!("({} / {})", real(a)?, argument(real(b)?)),
                Binary::Div => format!("({} * inv {})", real(a)?, argument(real(b)?)),
                Binary::Min => format!("(Rmin {} {})", argument(real(a)?), argument(real(b)?)),
                Binary::Max => format!("(Rmax {} {})", argument(real(a)?), argument(real(b)?)),
                Binary::RoundTo => format!("(round_to {} {})", argument(real(a)?), argument(real(b)?)),
                Binary::Mod => format!("IZR {}", self.int(e, scope)?),
                _ => return Err(NotExported::new(format!("'{e}' as a number"))),
            },
            Expr::Clamp(a, low, high) => {
                format!("(clamp {} {} {})", argument(real(a)?), argument(real(low)?), argument(real(high)?))
            }
            Expr::If(c, a, b) => {
                format!("(if {} then {} else {})", self.formula(c, scope)?, real(a)?, real(b)?)
            }
            Expr::Index(Variable::Plain(list) | Variable::Of(list, _), _) if !self.is_input(list) => {
                return Err(NotExported::new(format!("'{e}', an entry of an output list")));
            }
            Expr::Index(..) | Expr::Sum(..) if self.context.kind(e) == Kind::Int => {
                format!("IZR {}", self.int(e, scope)?)
            }
            Expr::Index(Variable::Moved(list), index) => {
                let squares = self.mechanism().adjacency.iter().find_map(|clause| match clause {
                    Adjacency::Norm { list: l, squares, .. } if l == list => Some(*squares),
                    _ => None,
                });
                let squares = squares.ok_or_else(|| NotExported::new(format!("'{e}' as a number")))?;
                let of = |run| self.variable(&Variable::Of(list.clone(), run), scope);
                let index = self.int(index, scope)?;
                format!("(moved {squares} {} {} {index})", of(Run::First)?, of(Run::Second)?)
            }
            Expr::Index(list, index) => {
                format!("(entry {} {})", self.variable(list, scope)?, self.int(index, scope)?)
            }
            Expr::Length(_) => format!("IZR {}", self.int(e, scope)?),
            Expr::Sum(table, condition, value) => format!(
                "(sumR {} (fun r => {}) (fun r => {}))",
                self.variable(table, scope)?,
                self.formula(condition, scope)?,
                real(value)?
            ),
            Expr::Bool(_) | Expr::EmptyList | Expr::Apart(..) => {
                return Err(NotExported::new(format!("'{e}' as a number")));
            }
        })
    }

    /// An integer, as a `Z`.
    pub(super) fn int(&self, e: &Expr, scope: Scope) -> Printed {
        let int = |e: &Expr| self.int(e, scope);
        let no = || Err(NotExported::new(format!("'{e}' where an integer is needed")));
        Ok(match e {
            Expr::Number(n) if n.is_int() => format!("({})%Z", n.numerator()),
            Expr::Var(v) if *v != hole() && self.context.kind(e) == Kind::Int => self.variable(v, scope)?,
            Expr::Unary(Unary::Neg, a) => format!("(- {})%Z", int(a)?),
            Expr::Unary(Unary::Abs, a) => format!("(Z.abs {})", int(a)?),
            Expr::Unary(Unary::Floor, a) => format!("(Zfloor {})", argument(self.real(a, scope)?)),
            Expr::Binary(op, a, b) => match op {
                Binary::Add => format!("({} + {})%Z", int(a)?, int(b)?),
                Binary::Sub => format!("({} - {})%Z", int(a)?, int(b)?),
                Binary::Mul => format!("({} * {})%Z", int(a)?, int(b)?),
                Binary::Min => format!("(Z.min {} {})", int(a)?, int(b)?),
                Binary::Max => format!("(Z.max {} {})", int(a)?, int(b)?),
                Binary::Mod => format!("(mod_ {} {})", int(a)?, int(b)?),
                _ => return no(),
            },
            Expr::Clamp(a, low, high) => format!("(clampZ {} {} {})", int(a)?, int(low)?, int(high)?),
            Expr::If(c, a, b) => {
                format!("(if {} then {} else {})", self.formula(c, scope)?, int(a)?, int(b)?)
            }
            Expr::Index(Variable::Plain(list) | Variable::Of(list, _), _) if !self.is_input(list) => {
                return no();
            }
            Expr::Index(list, index) if self.context.kind(e) == Kind::Int => {
                format!("(entryZ {} {})", self.variable(list, scope)?, int(index)?)
            }
            Expr::Length(Variable::Plain(list) | Variable::Of(list, _)) if self.is_input(list) => match scope
            {
                Scope::Assumed => format!("(len (in_{list} i))"),
                _ => format!("n_{list}"),
            },
            Expr::Length(list) => format!("(len {})", self.variable(list, scope)?),
            Expr::Sum(table, condition, value) if self.context.kind(e) == Kind::Int => format!(
                "(sumZ {} (fun r => {}) (fun r => {}))",
                self.variable(table, scope)?,
                self.formula(condition, scope)?,
                int(value)?
            ),
            _ => return no(),
        })
    }

    /// A formula, as a boolean.
    pub(super) fn formula(&self, e: &Expr, scope: Scope) -> Printed {
        let formula = |e: &Expr| self.formula(e, scope);
        let compare = |name: &str, a: &Expr, b: &Expr| -> Printed {
            Ok(format!("({name} {} {})", argument(self.real(a, scope)?), argument(self.real(b, scope)?)))
        };
        Ok(match e {
            Expr::Bool(value) => value.to_string(),
            Expr::Var(v) if self.context.kind(e) == Kind::Bool => self.variable(v, scope)?,
            Expr::Unary(Unary::Not, a) => format!("(negb {})", formula(a)?),
            Expr::If(c, a, b) => format!("(if {} then {} else {})", formula(c)?, formula(a)?, formula(b)?),
            Expr::Binary(op, a, b) => match op {
                Binary::And => format!("({} && {})", formula(a)?, formula(b)?),
                Binary::Or => format!("({} || {})", formula(a)?, formula(b)?),
                Binary::Le => compare("leR", a, b)?,
                Binary::Lt => compare("ltR", a, b)?,
                Binary::Ge => compare("leR", b, a)?,
                Binary::Gt => compare("ltR", b, a)?,
                Binary::Ne => format!("(negb {})", formula(&(**a).clone().equals((**b).clone()))?),
                Binary::Eq => match self.context.kind(a) {
                    Kind::Bool => format!("(Bool.eqb {} {})", formula(a)?, formula(b)?),
                    Kind::List => {
                        let (a, b) = if a <= b { (a, b) } else { (b, a) };
                        format!("(same {} {})", self.list(a, scope)?, self.list(b, scope)?)
                    }
                    _ => compare("eqR", a, b)?,
                },
                _ => return Err(NotExported::new(format!("'{e}' as a formula"))),
            },
            Expr::Apart(list, low, high) => {
                let of = |run| self.variable(&Variable::Of(list.clone(), run), scope);
                let (low, high) = (argument(self.real(low, scope)?), argument(self.real(high, scope)?));
                format!("(apart {} {} {low} {high})", of(Run::First)?, of(Run::Second)?)
            }
            _ => return Err(NotExported::new(format!("'{e}' as a formula"))),
        })
    }

    /// A list.
    pub(super) fn list(&self, e: &Expr, scope: Scope) -> Printed {
        match e {
            Expr::Var(v) => self.variable(v, scope),
            Expr::EmptyList => Ok("nil".into()),
            _ => Err(NotExported::new(format!("'{e}' as a list"))),
        }
    }
}

/// The ghost row that only this run's table has.
pub(super) fn row(table: &Name, run: Run) -> String {
    match run {
        Run::First => format!("row1_{table}"),
        Run::Second => format!("row2_{table}"),
    }
}

/// In parentheses, unless it is one word or has them.
pub(super) fn argument(text: String) -> String {
    let one = text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '\'');
    if one || text.starts_with('(') && closes_at_end(&text) { text } else { format!("({text})") }
}

fn closes_at_end(text: &str) -> bool {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1 == text.len();
                }
            }
            _ => {}
        }
    }
    false
}
