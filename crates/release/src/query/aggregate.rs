//! Aggregates: what a query asks of a group, as draws and what is computed from them.

use std::cell::{Cell, RefCell};

use probity_exact::Rational;
use sqlparser::ast::{
    BinaryOperator, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments,
    Ident, UnaryOperator, Value,
};

use super::instead::NULLS;
use super::number::Number;
use super::parse::{called, refuse};
use super::post::{Post, PostCondition};
use super::ranked::is_quantile;
use super::resolve::{Place, Scope};
use super::row::{Condition, Order, Row};
use crate::policy::Unit;
use crate::refusal::Answer;

/// What a draw adds noise to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DrawKind {
    /// How many rows.
    Count,
    /// The sum of this.
    Sum(Row),
    /// How many rows are in each of so many bins; this says in which a row is.
    Bins(Row, usize),
}

/// A noisy number of each group.
#[derive(Debug, Clone, PartialEq)]
pub struct Draw {
    /// Its name in the mechanism's text.
    pub name: String,
    /// What it counts or sums.
    pub kind: DrawKind,
    /// Over which rows of its group.
    pub condition: Condition,
    /// The least and the greatest that one row adds.
    pub range: (i64, i64),
    /// What 1 stands for.
    pub unit: Rational,
    /// How many columns use it.
    pub uses: u32,
}

impl Draw {
    /// How many numbers it is.
    pub fn cells(&self) -> usize {
        match self.kind {
            DrawKind::Bins(_, count) => count,
            DrawKind::Count | DrawKind::Sum(_) => 1,
        }
    }

    /// How many comparisons it asks of a row, apart from those of keys.
    pub fn comparisons(&self) -> usize {
        self.condition.comparisons()
            + match &self.kind {
                DrawKind::Count => 0,
                DrawKind::Sum(row) | DrawKind::Bins(row, _) => row.comparisons(),
            }
    }

    /// How far one row moves it. A row is in one bin.
    pub fn sensitivity(&self) -> u64 {
        self.range.0.unsigned_abs().max(self.range.1.unsigned_abs())
    }
}

/// The draws of a query as they are found, and the columns that have names.
pub struct Aggregates<'a> {
    /// What names mean.
    pub scope: &'a Scope<'a>,
    /// The rows that the query takes.
    pub condition: Condition,
    /// How many groups there are.
    pub groups: usize,
    /// The draws.
    pub draws: RefCell<Vec<Draw>>,
    /// The columns that are keys.
    pub keys: Vec<Place>,
    /// Columns of the SELECT by name, for HAVING and ORDER BY.
    pub named: RefCell<Vec<(String, Post)>>,
    /// How many aggregates were asked for.
    pub asked: Cell<u32>,
    /// How many of them count users.
    pub users: Cell<u32>,
}

/// The levels of an expression over noisy columns.
const MAX_DEPTH: usize = 40;

impl Aggregates<'_> {
    /// The place of a draw, new or known.
    pub fn draw(&self, kind: DrawKind, condition: Condition, unit: Rational, at: &Expr) -> Answer<usize> {
        let range = match &kind {
            DrawKind::Count => Some((0, 1)),
            DrawKind::Bins(row, _) => row.fits().then_some((0, 1)),
            DrawKind::Sum(row) => row.range().filter(|_| row.fits()),
        };
        let range = range.filter(|(low, high)| *low > i64::MIN && *high < i64::MAX && condition.fits());
        let Some(range) = range else {
            return Err(refuse(
                self.scope.sql,
                at,
                "by the bounds of its columns this can exceed 2^63 of its smallest units",
            )
            .hint("narrow the bounds in the policy, or use LEAST and GREATEST"));
        };
        if range == (0, 0) {
            return Err(refuse(self.scope.sql, at, "this sum is always 0"));
        }
        let mut draws = self.draws.borrow_mut();
        if let Some(known) = draws
            .iter()
            .position(|draw| draw.kind == kind && draw.condition == condition && draw.unit == unit)
        {
            return Ok(known);
        }
        let word = match &kind {
            DrawKind::Count => "count",
            DrawKind::Sum(_) => "sum",
            DrawKind::Bins(..) => "bins",
        };
        let name = format!("{word}_{}", draws.len() + 1);
        draws.push(Draw { name, kind, condition, range, unit, uses: 0 });
        Ok(draws.len() - 1)
    }

    /// An expression over aggregates.
    pub fn post(&self, expr: &Expr, depth: usize) -> Answer<Post> {
        let sql = self.scope.sql;
        if depth > MAX_DEPTH {
            return Err(refuse(sql, expr, format!("the expression has more than {MAX_DEPTH} levels")));
        }
        let both =
            |a: &Expr, b: &Expr| Ok((Box::new(self.post(a, depth + 1)?), Box::new(self.post(b, depth + 1)?)));
        match expr {
            Expr::Nested(inner) => self.post(inner, depth + 1),
            Expr::Function(function) => self.aggregate(expr, function),
            Expr::Value(value) => match &value.value {
                Value::Number(digits, _) => {
                    probity_exact::parse_rational(digits).map(Post::Constant).map_err(|error| refuse(sql, expr, error))
                }
                _ => Err(refuse(sql, expr, "a number or an aggregate is expected here")),
            },
            Expr::UnaryOp { op: UnaryOperator::Minus, expr: inner } => {
                let zero = Post::Constant(Rational::ZERO);
                let inner = self.post(inner, depth + 1)?;
                self.check_days(expr, false, [&zero, &inner])?;
                Ok(Post::Sub(Box::new(zero), Box::new(inner)))
            }
            Expr::BinaryOp { left, op, right } => {
                let make: fn(Box<Post>, Box<Post>) -> Post = match op {
                    BinaryOperator::Plus => Post::Add,
                    BinaryOperator::Minus => Post::Sub,
                    BinaryOperator::Multiply => Post::Mul,
                    BinaryOperator::Divide => Post::Div,
                    _ => return Err(refuse(sql, expr, format!("{op} between noisy columns is not answered"))),
                };
                let (a, b) = both(left, right)?;
                self.check_days(expr, *op == BinaryOperator::Minus, [&a, &b])?;
                // Such a column would be paid for, and empty.
                if *op == BinaryOperator::Divide && b.is_always_zero() {
                    return Err(refuse(sql, &**right, "this divides by zero"));
                }
                Ok(make(a, b))
            }
            Expr::Identifier(name) => self.named(name, expr),
            Expr::CompoundIdentifier(_) => Err(self.raw(expr)),
            _ => Err(refuse(sql, expr, "a key or an aggregate is expected here")
                .hint("a column of SELECT is a GROUP BY key, or made of COUNT, SUM, AVG, VARIANCE, STDDEV, MEDIAN, MIN, MAX and numbers")),
        }
    }

    /// A day goes only with a day, and only where two of them may stand: in a difference, which is a number of days, and in comparisons.
    fn check_days(&self, at: &Expr, two: bool, sides: [&Post; 2]) -> Answer<()> {
        match sides.map(Post::is_day) {
            [false, false] => Ok(()),
            [true, true] if two => Ok(()),
            _ => Err(refuse(self.scope.sql, at, "a day goes with another day only, subtracted or compared")
                .hint("MAX(day) - MIN(day) is a number of days; which days count is said in WHERE")),
        }
    }

    fn named(&self, name: &Ident, expr: &Expr) -> Answer<Post> {
        let named = self.named.borrow();
        let found = called(self.scope.sql, name, named.iter().map(|(known, post)| (known.as_str(), post)))?;
        let column = self.scope.place(std::slice::from_ref(name), expr).ok();
        if found.is_some() && column.is_some_and(|column| self.keys.contains(&column)) {
            return Err(refuse(
                self.scope.sql,
                expr,
                format!("{expr} is a key, and SELECT calls something else so"),
            )
            .hint("give the noisy column another name with AS"));
        }
        found.cloned().ok_or_else(|| self.raw(expr))
    }

    fn raw(&self, expr: &Expr) -> crate::refusal::Refusal {
        refuse(self.scope.sql, expr, format!("{expr} is neither a GROUP BY key nor inside an aggregate"))
            .hint(format!(
                "no raw value is released: write SUM({expr}) or AVG({expr}), or add it to GROUP BY"
            ))
    }

    /// One aggregate.
    fn aggregate(&self, expr: &Expr, function: &Function) -> Answer<Post> {
        let sql = self.scope.sql;
        let name = function.name.to_string().to_uppercase();
        self.asked.set(self.asked.get() + 1);
        if function.over.is_some() {
            return Err(refuse(sql, expr, "window functions are not answered"));
        }
        let FunctionArguments::List(list) = &function.args else {
            return Err(refuse(sql, expr, format!("{name} needs an argument")));
        };
        let plain = list.clauses.is_empty()
            && (function.within_group.is_empty() || is_quantile(&name))
            && function.null_treatment.is_none()
            && matches!(function.parameters, FunctionArguments::None);
        if !plain {
            return Err(refuse(sql, expr, format!("this form of {name} is not answered")));
        }
        let mut condition = self.condition.clone();
        if let Some(filter) = &function.filter {
            condition = condition.and(self.scope.condition(filter, 0)?);
        }
        let distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
        if is_quantile(&name) && !distinct {
            return self.ranked(expr, &name, function, condition);
        }
        if name == "APPROX_QUANTILES" {
            return Err(refuse(sql, expr, "APPROX_QUANTILES answers with a list")
                .hint("ask for each quantile as a column: PERCENTILE_CONT(x, 0.25), MEDIAN(x)"));
        }
        let argument = match list.args.as_slice() {
            [FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))] => Some(argument),
            [FunctionArg::Unnamed(FunctionArgExpr::Wildcard)] if name == "COUNT" && !distinct => None,
            _ if takes_one(&name) => return Err(refuse(sql, expr, format!("{name} takes one argument"))),
            _ => None,
        };
        if distinct {
            return self.distinct(expr, &name, argument, function.filter.is_some());
        }
        match (name.as_str(), argument) {
            ("COUNT", None) => self.count(condition, expr).map(Post::Draw),
            ("COUNT", Some(argument)) => {
                // After cleaning no value is missing, so every row counts; the argument must still make sense.
                self.scope.typed(argument, 0)?;
                self.count(condition, expr).map(Post::Draw)
            }
            ("COUNTIF" | "COUNT_IF", Some(argument)) => {
                let condition = condition.and(self.scope.condition(argument, 0)?);
                self.count(condition, expr).map(Post::Draw)
            }
            ("SUM", Some(argument)) => {
                let Number { row, unit } = self.scope.number(argument, 0)?;
                self.draw(DrawKind::Sum(row), condition, unit, expr).map(Post::Draw)
            }
            ("AVG", Some(argument)) => self.average(expr, condition, self.scope.number(argument, 0)?),
            (_, Some(argument)) if spread(&name).is_some() => {
                let (sample, root) = spread(&name).unwrap_or_default();
                self.variance(expr, condition, self.scope.number(argument, 0)?, sample, root)
            }
            ("ABS" | "LEAST" | "GREATEST" | "IF", _) => {
                Err(refuse(sql, expr, format!("{name} of a noisy column is not answered"))
                    .hint("put it inside the aggregate, as SUM(ABS(x))"))
            }
            ("COALESCE" | "IFNULL" | "NULLIF" | "NVL", _) => {
                Err(refuse(sql, expr, format!("{name} is not answered: no row has a NULL after cleaning"))
                    .hint(format!("{NULLS}; a noisy column without a value may be replaced by whoever reads it")))
            }
            ("ROUND", _) => {
                Err(refuse(sql, expr, format!("{name} of a noisy column is not answered"))
                    .hint("leave it out: what is released may be rounded or replaced by whoever reads it"))
            }
            ("MEAN" | "AVERAGE", _) => Err(refuse(sql, expr, format!("there is no aggregate {name} here")).hint("write AVG(x)")),
            _ => Err(refuse(sql, expr, format!("there is no aggregate {name} here"))
                .hint("the aggregates are COUNT, COUNTIF, SUM, AVG, VARIANCE, VAR_POP, STDDEV, STDDEV_POP, MEDIAN, QUANTILE, PERCENTILE_CONT, MIN, MAX")),
        }
    }

    fn distinct(&self, expr: &Expr, name: &str, argument: Option<&Expr>, filtered: bool) -> Answer<Post> {
        let sql = self.scope.sql;
        let hint = match &self.scope.table.unit {
            Unit::User { column, .. } => format!("write COUNT(DISTINCT {column})"),
            Unit::Row => "a policy with users as units counts them with COUNT(DISTINCT user)".into(),
        };
        let named = match argument {
            Some(Expr::Identifier(named)) => Some(named),
            Some(Expr::CompoundIdentifier(parts)) => match parts.as_slice() {
                [table, named] if table.value == self.scope.alias => Some(named),
                _ => None,
            },
            _ => None,
        };
        if let (Unit::User { column, .. }, "COUNT", Some(named)) = (&self.scope.table.unit, name, named)
            && named.value.eq_ignore_ascii_case(column)
        {
            if filtered {
                return Err(refuse(sql, expr, "users are counted without FILTER")
                    .hint("write the condition into WHERE"));
            }
            self.users.set(self.users.get() + 1);
            return self.count(self.condition.clone(), expr).map(Post::Draw);
        }
        Err(refuse(
            sql,
            expr,
            "DISTINCT counts only the privacy unit: other values may be many persons' or one's",
        )
        .hint(hint))
    }

    fn count(&self, condition: Condition, at: &Expr) -> Answer<usize> {
        self.draw(DrawKind::Count, condition, Rational::ONE, at)
    }

    /// Distances from the middle of the range move half as far as values do.
    fn centered(&self, number: &Number, at: &Expr) -> Answer<(Row, i64, i64, i64)> {
        let middle =
            number.row.range().and_then(|(low, high)| Some((low, high, low + high.checked_sub(low)? / 2)));
        let Some((low, high, center)) = middle else {
            return Err(refuse(
                self.scope.sql,
                at,
                "by the bounds of its columns this can exceed 2^63 of its smallest units",
            )
            .hint("narrow the bounds in the policy, or use LEAST and GREATEST"));
        };
        let row = match center {
            0 => number.row.clone(),
            _ => Row::Sub(Box::new(number.row.clone()), Box::new(Row::Constant(center))),
        };
        Ok((row, center, low, high))
    }

    fn average(&self, expr: &Expr, condition: Condition, number: Number) -> Answer<Post> {
        let (row, center, low, high) = self.centered(&number, expr)?;
        if low == high {
            return Err(refuse(self.scope.sql, expr, "this average is known: its values are all equal"));
        }
        let count = self.count(condition.clone(), expr)?;
        let sum = self.draw(DrawKind::Sum(row), condition, number.unit.clone(), expr)?;
        let value = |units: i64| Rational::from(units) * &number.unit;
        Ok(Post::Average { sum, count, center: value(center), low: value(low), high: value(high) })
    }

    fn variance(
        &self,
        expr: &Expr,
        condition: Condition,
        number: Number,
        sample: bool,
        root: bool,
    ) -> Answer<Post> {
        let (row, center, low, high) = self.centered(&number, expr)?;
        if low == high {
            return Err(refuse(self.scope.sql, expr, "this spread is known: its values are all equal"));
        }
        let count = self.count(condition.clone(), expr)?;
        let sum = self.draw(DrawKind::Sum(row.clone()), condition.clone(), number.unit.clone(), expr)?;
        let square = Row::Mul(Box::new(row.clone()), Box::new(row));
        let squares = self.draw(DrawKind::Sum(square), condition, &number.unit * &number.unit, expr)?;
        let reach = Rational::from((center - low).max(high - center)) * &number.unit;
        Ok(Post::Variance { squares, sum, count, reach, sample, root })
    }

    /// A condition on noisy columns.
    pub fn post_condition(&self, expr: &Expr, depth: usize) -> Answer<PostCondition> {
        let sql = self.scope.sql;
        if depth > MAX_DEPTH {
            return Err(refuse(sql, expr, format!("the condition has more than {MAX_DEPTH} levels")));
        }
        match expr {
            Expr::Nested(inner) => self.post_condition(inner, depth + 1),
            Expr::UnaryOp { op: UnaryOperator::Not, expr: inner } => {
                Ok(PostCondition::Not(Box::new(self.post_condition(inner, depth + 1)?)))
            }
            Expr::Between { expr: inner, negated, low, high } => {
                let compare = |order, end: &Expr| {
                    let (a, b) = (self.post(inner, depth + 1)?, self.post(end, depth + 1)?);
                    self.check_days(expr, true, [&a, &b])?;
                    Ok(Box::new(PostCondition::Compare(order, Box::new(a), Box::new(b))))
                };
                let within = PostCondition::And(compare(Order::AtLeast, low)?, compare(Order::AtMost, high)?);
                Ok(if *negated { PostCondition::Not(Box::new(within)) } else { within })
            }
            Expr::BinaryOp { left, op, right } => {
                let order = match op {
                    BinaryOperator::Eq => Order::Equal,
                    BinaryOperator::NotEq => Order::Unequal,
                    BinaryOperator::Lt => Order::Less,
                    BinaryOperator::LtEq => Order::AtMost,
                    BinaryOperator::Gt => Order::Greater,
                    BinaryOperator::GtEq => Order::AtLeast,
                    BinaryOperator::And | BinaryOperator::Or => {
                        let both =
                            (self.post_condition(left, depth + 1)?, self.post_condition(right, depth + 1)?);
                        let (a, b) = (Box::new(both.0), Box::new(both.1));
                        return Ok(match op {
                            BinaryOperator::And => PostCondition::And(a, b),
                            _ => PostCondition::Or(a, b),
                        });
                    }
                    _ => return Err(refuse(sql, expr, format!("{op} is not answered in HAVING"))),
                };
                // A key or another column of a row: what to do is not to add it to an aggregate.
                for side in [&**left, &**right] {
                    let column = match side {
                        Expr::Identifier(name) => {
                            let called =
                                |(known, _): &(String, Post)| known.eq_ignore_ascii_case(&name.value);
                            !self.named.borrow().iter().any(called)
                                && self.scope.place(std::slice::from_ref(name), side).is_ok()
                        }
                        Expr::CompoundIdentifier(parts) => self.scope.place(parts, side).is_ok(),
                        _ => false,
                    };
                    if column {
                        return Err(refuse(
                            sql,
                            side,
                            format!("{side} is a column of rows, and HAVING is about noisy columns"),
                        )
                        .hint("conditions on rows and keys belong in WHERE"));
                    }
                }
                let (a, b) = (self.post(left, depth + 1)?, self.post(right, depth + 1)?);
                self.check_days(expr, true, [&a, &b])?;
                Ok(PostCondition::Compare(order, Box::new(a), Box::new(b)))
            }
            Expr::InList { expr: inner, .. } => {
                Err(refuse(sql, expr, "HAVING takes comparisons of noisy columns with numbers").hint(
                    format!("write {inner} = 1 OR {inner} = 2; conditions on rows and keys belong in WHERE"),
                ))
            }
            _ => Err(refuse(sql, expr, "HAVING takes comparisons of noisy columns with numbers")
                .hint("conditions on rows and keys belong in WHERE")),
        }
    }
}

/// Whether this is an aggregate of one argument.
fn takes_one(name: &str) -> bool {
    matches!(name, "COUNT" | "COUNTIF" | "COUNT_IF" | "SUM" | "AVG") || spread(name).is_some()
}

/// Whether a name is a spread: with count − 1 as the divisor, and as a square root.
fn spread(name: &str) -> Option<(bool, bool)> {
    match name {
        "VARIANCE" | "VAR_SAMP" => Some((true, false)),
        "VAR_POP" => Some((false, false)),
        "STDDEV" | "STDDEV_SAMP" => Some((true, true)),
        "STDDEV_POP" => Some((false, true)),
        _ => None,
    }
}
