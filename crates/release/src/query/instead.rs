//! What to write instead of functions that other systems have and rows here have not: wording only.

use sqlparser::ast::Expr;

use super::parse::refuse;
use crate::refusal::Refusal;

/// Where a part of a day is asked for.
pub(super) const COMPARE_DAYS: &str =
    "compare days, as joined >= DATE '2020-01-01' AND joined < DATE '2021-01-01', also in CASE for a key";
/// Where a text is asked for that is none of a column.
pub(super) const COMPARE_TEXTS: &str = "compare texts with values of the policy's `in`, as region = 'north'; CASE WHEN region = 'north' THEN 'N' ELSE 'other' END is a key";
/// Where a value is missing.
pub(super) const NULLS: &str = "the policy's `null` says what an empty field counts as";

/// A function that is none of a row: with what to write instead, where that is known.
pub(super) fn of(sql: &str, expr: &Expr, name: &str) -> Refusal {
    let (message, hint) = match name {
        "COUNT" | "SUM" | "AVG" | "MIN" | "MAX" | "MEDIAN" | "VARIANCE" | "STDDEV" => (
            format!("{name} cannot stand inside a condition or another aggregate"),
            "conditions on noisy columns belong in HAVING",
        ),
        "COALESCE" | "IFNULL" | "NULLIF" | "NVL" => {
            (format!("{name} is not answered: there are no NULLs left after cleaning"), NULLS)
        }
        "YEAR" | "QUARTER" | "MONTH" | "WEEK" | "DAY" | "HOUR" | "DATE_TRUNC" | "DATE_PART" | "DAYOFWEEK"
        | "DAYOFYEAR" | "DATEDIFF" | "DATE_DIFF" | "DATE_ADD" | "DATE_SUB" | "STRFTIME" | "TO_CHAR" => {
            ("parts of days are not answered".to_owned(), COMPARE_DAYS)
        }
        "LOWER" | "UPPER" | "CONCAT" | "LENGTH" | "LEFT" | "RIGHT" | "REPLACE" | "SUBSTR" | "INITCAP" => {
            ("texts are not changed".to_owned(), COMPARE_TEXTS)
        }
        _ => (
            format!("there is no function {name} here"),
            "of a row: ABS, LEAST, GREATEST, IF, CASE; of a group: COUNT, SUM, AVG, VARIANCE, STDDEV",
        ),
    };
    refuse(sql, expr, message).hint(hint)
}
