//! The kernel's own words: the one rendering in which mechanisms, claims and assertions are shown.
//!
//! Two different terms never render alike within one mechanism, so what a report prints is what was proved.
//!
//! ```
//! use probity_kernel::expr::Expr;
//! let difference = Expr::var("a") - (Expr::var("b") - Expr::var("c"));
//! assert_eq!(difference.to_string(), "a - (b - c)");
//! ```

use std::fmt::{self, Display, Formatter};

use crate::call;
use crate::expr::{Binary, Expr, Unary, Variable};
use crate::term::{Adjacency, Claim, Coupling, Distribution, Field, Mechanism, Reading, Sort, Statement};

/// How tightly an expression binds: or 1, and 2, not 3, comparison 4, sum 5, product 6, sign 7, the rest 8.
fn strength(expr: &Expr) -> u8 {
    match expr {
        Expr::If(..) => 0,
        Expr::Binary(Binary::Or, ..) => 1,
        Expr::Binary(Binary::And, ..) => 2,
        Expr::Unary(Unary::Not, _) => 3,
        Expr::Binary(Binary::Lt | Binary::Le | Binary::Eq | Binary::Ne | Binary::Ge | Binary::Gt, ..) => 4,
        Expr::Binary(Binary::Add | Binary::Sub, ..) => 5,
        Expr::Binary(Binary::Mul | Binary::Div | Binary::Mod, ..) => 6,
        Expr::Unary(Unary::Neg, _) => 7,
        // A fraction reads as a quotient, and a negative number as a sign.
        Expr::Number(n) if !n.is_int() => 6,
        Expr::Number(n) if *n < probity_exact::Rational::ZERO => 7,
        _ => 8,
    }
}

fn operand(f: &mut Formatter<'_>, expr: &Expr, at_least: u8) -> fmt::Result {
    if strength(expr) >= at_least { write!(f, "{expr}") } else { write!(f, "({expr})") }
}

fn infix(f: &mut Formatter<'_>, a: &Expr, symbol: &str, b: &Expr, left: u8, right: u8) -> fmt::Result {
    operand(f, a, left)?;
    write!(f, " {symbol} ")?;
    operand(f, b, right)
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Number(n) => write!(f, "{n}"),
            Expr::Bool(b) => write!(f, "{b}"),
            Expr::Var(v) => write!(f, "{v}"),
            Expr::EmptyList => write!(f, "[]"),
            Expr::Index(Variable::Moved(list), index) => write!(f, "moved({list}, {index})"),
            Expr::Index(list, index) => write!(f, "{list}[{index}]"),
            Expr::Apart(list, low, high) => write!(f, "apart({list}, {low}, {high})"),
            Expr::Length(list) => write!(f, "length({list})"),
            Expr::Clamp(a, low, high) => write!(f, "clamp({a}, {low}, {high})"),
            Expr::Sum(table, condition, value) => {
                let of_row = |e: &Expr| {
                    e.replace(&|v| match v {
                        Variable::Field(_, field) if table.binds(v) => Some(Expr::var(format!("r.{field}"))),
                        _ => None,
                    })
                };
                let counts = **value == Expr::int(1);
                write!(f, "{}(r in {table}", if counts { "count" } else { "sum" })?;
                if **condition != Expr::Bool(true) {
                    write!(f, " where {}", of_row(condition))?;
                }
                if !counts {
                    write!(f, ", {}", of_row(value))?;
                }
                write!(f, ")")
            }
            Expr::If(condition, yes, no) => {
                write!(f, "if ")?;
                operand(f, condition, 1)?;
                write!(f, " then ")?;
                operand(f, yes, 1)?;
                write!(f, " else ")?;
                operand(f, no, 0)
            }
            Expr::Unary(operation, a) => match operation {
                // A sign before a number would read as one number.
                Unary::Neg if matches!(**a, Expr::Number(_)) => write!(f, "-({a})"),
                Unary::Neg => {
                    write!(f, "-")?;
                    operand(f, a, 8)
                }
                Unary::Not => {
                    write!(f, "not ")?;
                    operand(f, a, 4)
                }
                Unary::Abs => write!(f, "abs({a})"),
                Unary::Floor => write!(f, "floor({a})"),
                Unary::Ln => write!(f, "ln({a})"),
                Unary::Exp => write!(f, "exp({a})"),
                Unary::Sqrt => write!(f, "sqrt({a})"),
                Unary::Pow2AtLeast => write!(f, "pow2_at_least({a})"),
            },
            Expr::Binary(operation, a, b) => match operation {
                Binary::Add => infix(f, a, "+", b, 5, 6),
                Binary::Sub => infix(f, a, "-", b, 5, 6),
                Binary::Mul => infix(f, a, "*", b, 6, 7),
                Binary::Div => infix(f, a, "/", b, 6, 7),
                Binary::Mod => infix(f, a, "mod", b, 6, 7),
                Binary::Min => write!(f, "min({a}, {b})"),
                Binary::Max => write!(f, "max({a}, {b})"),
                Binary::RoundTo => write!(f, "round_to({a}, {b})"),
                Binary::Lt => infix(f, a, "<", b, 5, 5),
                Binary::Le => infix(f, a, "<=", b, 5, 5),
                Binary::Eq => infix(f, a, "==", b, 5, 5),
                Binary::Ne => infix(f, a, "!=", b, 5, 5),
                Binary::Ge => infix(f, a, ">=", b, 5, 5),
                Binary::Gt => infix(f, a, ">", b, 5, 5),
                Binary::And => infix(f, a, "and", b, 2, 3),
                Binary::Or => infix(f, a, "or", b, 1, 2),
            },
        }
    }
}

impl Display for Sort {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Real => write!(f, "real"),
            Sort::Int => write!(f, "int"),
            Sort::Bool => write!(f, "bool"),
            Sort::Category { count } => write!(f, "category({count})"),
            Sort::RealList => write!(f, "list of real"),
            Sort::IntList => write!(f, "list of int"),
            Sort::Rows(fields) => {
                write!(f, "rows(")?;
                for (n, Field { name, sort }) in fields.iter().enumerate() {
                    write!(f, "{}{name}: {sort}", if n > 0 { ", " } else { "" })?;
                }
                write!(f, ")")
            }
        }
    }
}

impl Display for Distribution {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Distribution::Uniform => write!(f, "uniform(0, 1)"),
            Distribution::Sign => write!(f, "sign()"),
            Distribution::Bernoulli(p) => write!(f, "bernoulli({p})"),
            Distribution::UniformInt { low, high } => write!(f, "uniform_int({low}, {high})"),
            Distribution::UniformOther { value, count } => write!(f, "uniform_other({value}, {count})"),
            Distribution::Response { value, truth, count } => {
                write!(f, "response({value}, {truth}, {count})")
            }
            Distribution::Called(called) => {
                write!(f, "{}(", called.mechanism.name)?;
                for (n, argument) in called.inputs.iter().chain(&called.params).enumerate() {
                    write!(f, "{}{argument}", if n > 0 { ", " } else { "" })?;
                }
                write!(f, ")")
            }
            Distribution::Choose { scores, scale } => write!(f, "choose({scores}, {scale})"),
            Distribution::PermuteAndFlip { scores, scale } => {
                write!(f, "permute_and_flip({scores}, {scale})")
            }
            Distribution::Sample { table, rate } => write!(f, "sample({table}, {rate})"),
            Distribution::Laplace { center, scale } => write!(f, "laplace({center}, {scale})"),
            Distribution::DiscreteLaplace { center, scale } => {
                write!(f, "discrete_laplace({center}, {scale})")
            }
            Distribution::Gaussian { center, deviation } => write!(f, "gaussian({center}, {deviation})"),
            Distribution::DiscreteGaussian { center, deviation } => {
                write!(f, "discrete_gaussian({center}, {deviation})")
            }
            Distribution::Gumbel { center, scale } => write!(f, "gumbel({center}, {scale})"),
            Distribution::Exponential { scale } => write!(f, "exponential({scale})"),
            Distribution::Geometric { scale } => write!(f, "geometric({scale})"),
        }
    }
}

/// Writes statements, one a line, each line after `indent`.
fn block(f: &mut Formatter<'_>, statements: &[Statement], indent: usize) -> fmt::Result {
    let pad = " ".repeat(indent);
    for statement in statements {
        match statement {
            Statement::Draw { var, law } => writeln!(f, "{pad}{var} ~ {law}")?,
            Statement::Assign { var, value } => writeln!(f, "{pad}{var} = {value}")?,
            Statement::Append { list, value } => writeln!(f, "{pad}append {value} to {list}")?,
            Statement::If { guard, then, otherwise } => {
                writeln!(f, "{pad}if {guard} {{")?;
                block(f, then, indent + 2)?;
                if !otherwise.is_empty() {
                    writeln!(f, "{pad}}} else {{")?;
                    block(f, otherwise, indent + 2)?;
                }
                writeln!(f, "{pad}}}")?;
            }
            Statement::For { index, from, to, body } => {
                writeln!(f, "{pad}for {index} in {from}..{to} {{")?;
                block(f, body, indent + 2)?;
                writeln!(f, "{pad}}}")?;
            }
            Statement::While { label, guard, body } => {
                writeln!(f, "{pad}while {guard} as {label} {{")?;
                block(f, body, indent + 2)?;
                writeln!(f, "{pad}}}")?;
            }
        }
    }
    Ok(())
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        block(f, std::slice::from_ref(self), 0)
    }
}

impl Display for Adjacency {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Adjacency::Related(assertion) => write!(f, "{assertion}"),
            Adjacency::EveryEntry { list, bound } => {
                write!(f, "every entry of {list} differs by at most {bound}")
            }
            Adjacency::EveryEntryGrows { list, bound } => {
                write!(f, "every entry of {list} grows by at most {bound}")
            }
            Adjacency::OneEntry { list, bound } => {
                write!(f, "one entry of {list} differs by at most {bound}")
            }
            Adjacency::OneEntryOf { lists, bound } => {
                let all: Vec<&str> = lists.iter().map(|list| list.as_str()).collect();
                write!(f, "one entry of {} differs by at most {bound}", all.join(" and of "))
            }
            Adjacency::Norm { list, bound, squares } => {
                let norm = if *squares { "L2" } else { "L1" };
                write!(f, "the entries of {list} differ by at most {bound} in {norm}")
            }
            Adjacency::OneRow { table } => write!(f, "one row of {table} is added or removed"),
            Adjacency::RowReplaced { table } => write!(f, "one row of {table} is replaced"),
            Adjacency::Rows { table, most } => {
                write!(f, "at most {most} rows of {table} are added or removed")
            }
        }
    }
}

impl Display for Mechanism {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "mechanism {}(", self.name)?;
        for (i, input) in self.inputs.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{}: {}", input.name, input.sort)?;
        }
        writeln!(f, ")")?;
        for param in &self.params {
            writeln!(f, "param {}: {}", param.name, param.sort)?;
        }
        for assumption in &self.assumptions {
            writeln!(f, "where {assumption}")?;
        }
        block(f, &self.body, 0)?;
        writeln!(f, "return {}", self.output)?;
        for clause in &self.adjacency {
            writeln!(f, "neighbours {clause}")?;
        }
        for called in call::called_by(&self.body) {
            writeln!(f, "where {} has {} and is", called.mechanism.name, called.claim)?;
            called.mechanism.to_string().lines().try_for_each(|line| writeln!(f, "  {line}"))?;
        }
        Ok(())
    }
}

impl Display for Reading {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Reading::Reals | Reading::Rho | Reading::Mu => write!(f, "over the reals"),
            Reading::BINARY64 => write!(f, "in binary64"),
            Reading::BINARY32 => write!(f, "in binary32"),
            Reading::BINARY16 => write!(f, "in binary16"),
            Reading::Binary { precision, emin, emax } => write!(f, "in float({precision}, {emin}, {emax})"),
        }
    }
}

impl Display for Claim {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.reading {
            Reading::Rho => write!(f, "rho = {}, {}", self.epsilon, self.reading),
            Reading::Mu => write!(f, "mu = {}, {}", self.epsilon, self.reading),
            _ => write!(f, "epsilon = {}, delta = {}, {}", self.epsilon, self.delta, self.reading),
        }
    }
}

impl Display for Coupling {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Coupling::Null => write!(f, "null"),
            Coupling::Shift { by, cost } => write!(f, "shift by {by} at cost {cost}"),
            Coupling::Select { threshold, strict, above, below } => {
                let side = if *strict { "above" } else { "from" };
                write!(f, "{side} {threshold} shift by {} at cost {}, ", above.0, above.1)?;
                write!(f, "else by {} at cost {}", below.0, below.1)
            }
            Coupling::Scale { cost } => write!(f, "scale by exp(-({cost})) at cost {cost}"),
            Coupling::SameValue { ratio } => {
                write!(f, "same value at cost ln(({}) / ({}))", ratio.0, ratio.1)
            }
            Coupling::Equal { distance, cost } => {
                write!(f, "same value within {distance} at cost {cost}")
            }
            Coupling::Chosen { low, high, cost } => {
                write!(f, "same place for scores apart by {low} to {high} at cost {cost}")
            }
            Coupling::SignedLog { by, cost } => write!(f, "signed log shifted by {by} at cost {cost}"),
        }
    }
}
