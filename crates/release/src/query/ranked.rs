//! MEDIAN, quantiles, MIN and MAX as aggregates: their forms in SQL, and the draws that they are computed from.

use probity_exact::Rational;
use sqlparser::ast::{Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Value};

use super::aggregate::{Aggregates, DrawKind};
use super::number::Number;
use super::parse::refuse;
use super::post::Post;
use super::quantile::{Quantile, Rank, grid};
use super::resolve::Typed;
use super::row::{Condition, Row};
use crate::refusal::Answer;

/// Whether an aggregate asks for a value of a rank.
pub fn is_quantile(name: &str) -> bool {
    share_of(name).is_some()
        || matches!(
            name,
            "PERCENTILE_CONT" | "PERCENTILE_DISC" | "QUANTILE" | "QUANTILE_CONT" | "QUANTILE_DISC"
        )
}

/// The share of rows at or below it, for aggregates that need not say it.
fn share_of(name: &str) -> Option<Rational> {
    match name {
        "MIN" => Some(Rational::ZERO),
        "MEDIAN" => probity_exact::rational(1, 2),
        "MAX" => Some(Rational::ONE),
        _ => None,
    }
}

impl Aggregates<'_> {
    /// A value of a rank: `MEDIAN(x)`, `PERCENTILE_CONT(x, 0.25)` and `PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY x)`.
    pub fn ranked(&self, expr: &Expr, name: &str, function: &Function, condition: Condition) -> Answer<Post> {
        let sql = self.scope.sql;
        let form = match share_of(name) {
            Some(_) => format!("write {name}(x)"),
            None => format!("write {name}(x, 0.25), or {name}(0.25) WITHIN GROUP (ORDER BY x)"),
        };
        let wrong = || refuse(sql, expr, format!("{name} has other arguments")).hint(&form);
        let arguments = match &function.args {
            FunctionArguments::List(list) => list.args.as_slice(),
            _ => &[],
        };
        let arguments: Option<Vec<&Expr>> = arguments
            .iter()
            .map(|argument| match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(argument)) => Some(argument),
                _ => None,
            })
            .collect();
        let arguments = arguments.ok_or_else(wrong)?;
        let (ranked, share) = match (share_of(name), arguments.as_slice(), function.within_group.as_slice()) {
            (Some(share), [ranked], []) => (*ranked, share),
            (None, [ranked, share], []) => (*ranked, self.share(share)?),
            (None, [share], [order]) => {
                let descending = order.options.sort == Some(sqlparser::ast::OrderBySort::Desc);
                let share = self.share(share)?;
                (&order.expr, if descending { Rational::ONE - share } else { share })
            }
            _ => return Err(wrong()),
        };
        let (number, day) = match self.scope.typed(ranked, 0)? {
            Typed::Date(row) => (Number { row, unit: Rational::ONE }, true),
            _ => (self.scope.number(ranked, 0)?, false),
        };
        let Some((low, high)) = number.row.range() else {
            return Err(refuse(
                sql,
                expr,
                "by the bounds of its columns this can exceed 2^63 of its smallest units",
            ));
        };
        if low == high {
            return Err(refuse(sql, expr, "this is known: its values are all equal"));
        }
        let Some(grid) = grid(low, high, self.groups) else {
            return Err(refuse(
                sql,
                expr,
                format!("{name} in {} groups would need too many counts", self.groups),
            )
            .hint("group by fewer keys"));
        };
        let from = match low {
            0 => number.row.clone(),
            _ => Row::Sub(Box::new(number.row.clone()), Box::new(Row::Constant(low))),
        };
        let mut levels = Vec::new();
        for (width, bins) in grid.widths.iter().zip(&grid.bins) {
            let bin = match width {
                1 => from.clone(),
                width => Row::Floor(Box::new(from.clone()), Box::new(Row::Constant(*width))),
            };
            levels.push(self.draw(DrawKind::Bins(bin, *bins), condition.clone(), Rational::ONE, expr)?);
        }
        let rank = if share.is_zero() { Rank::Least } else { Rank::Share(share) };
        let width = grid.widths.last().copied().unwrap_or(1);
        Ok(Post::Quantile(Box::new(Quantile { levels, rank, low, high, width, unit: number.unit, day })))
    }

    /// A number from 0 to 1.
    fn share(&self, expr: &Expr) -> Answer<Rational> {
        let share = match expr {
            Expr::Value(value) => match &value.value {
                Value::Number(digits, _) => probity_exact::parse_rational(digits).ok(),
                _ => None,
            },
            _ => None,
        };
        share.filter(|share| *share <= Rational::ONE).ok_or_else(|| {
            refuse(self.scope.sql, expr, "the share of a quantile is a number from 0 to 1")
                .hint("0.5 is the median")
        })
    }
}
