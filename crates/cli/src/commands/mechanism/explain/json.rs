//! The explanation as JSON. Numbers are decimals in text: an interval is a pair, rounded outward.

use probity_exact::{Enclosure, Float, Rational};
use probity_kernel::expr::Run;
use probity_verdict::decimal::{down, ends, up};
use probity_verdict::snapping::{Case, End, LogRatio, NumberEnd, Range, Row, Share, Table, Verdict};
use probity_verdict::{Explanation, Vacuity};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::output;

/// How many digits a decimal has.
const DIGITS: usize = 20;

/// Prints the explanation.
pub fn print(explanation: &Explanation) -> Result<(), Failure> {
    let program = &explanation.program;
    let mut value = json!({
        "mechanism": program.mechanism.name.as_str(),
        "claim": program.claim.to_string(),
        "status": match (&explanation.proof, explanation.vacuity) {
            (Ok(_), Vacuity::Vacuous(_)) => "vacuous",
            (Ok(_), _) => "proved",
            (Err(_), _) => "open",
        },
    });
    match &explanation.proof {
        Ok(proof) => {
            value["axioms"] = proof.theorem().axioms().iter().copied().collect();
            value["derivation"] = explanation
                .derivation()
                .iter()
                .map(|line| json!({"depth": line.depth, "statement": line.statement, "rule": line.rule}))
                .collect();
        }
        Err(failure) => value["reason"] = failure.to_string().into(),
    }
    match &explanation.snapping {
        Ok(snapping) => {
            value["snapping"] = json!({
                "input": snapping.input.as_str(),
                "rate": snapping.rate.to_string(),
                "grid": snapping.grid.to_string(),
                "bound": snapping.bound.to_string(),
                "sensitivity": snapping.sensitivity.to_string(),
            });
            value["cases"] = Case::ALL.iter().map(symbols).collect();
        }
        Err(reason) => value["not_snapping"] = reason.to_string().into(),
    }
    if let Some(table) = &explanation.table {
        value["numbers"] = numbers(table);
    }
    output::json(&value)
}

fn symbols(case: &Case) -> Value {
    let run = |run| {
        let range = |range: &Range| {
            let end = |end: &End| json!({"value": end.value(), "tie": matches!(end, End::Tie(_))});
            json!({"sign": range.sign, "low": end(&range.low), "high": end(&range.high)})
        };
        json!({
            "ranges": case.ranges(run).iter().map(range).collect::<Vec<_>>(),
            "probability": case.probability(run),
        })
    };
    json!({
        "case": case.title(),
        "first": run(Run::First),
        "second": run(Run::Second),
        "ratio": case.ratio(),
        "bound": case.bound(),
        "note": case.note(),
    })
}

fn numbers(table: &Table) -> Value {
    json!({
        "inputs": [table.inputs.0.to_string(), table.inputs.1.to_string()],
        "rounded": [table.rounded.0.to_string(), table.rounded.1.to_string()],
        "last": table.last.to_string(),
        "kappa": table.kappa.to_string(),
        "totals": [enclosure(&table.totals.0), enclosure(&table.totals.1)],
        "outcomes": table.rows.iter().map(outcome).collect::<Vec<_>>(),
    })
}

fn outcome(row: &Row) -> Value {
    let (exact, low, high) = match &row.log_ratio {
        LogRatio::Exact(exact) => (Some(exact.to_string()), exact, exact),
        LogRatio::Between(low, high) => (None, low, high),
    };
    json!({
        "outcome": row.outcome.to_string(),
        "case": row.case.title(),
        "first": share(&row.first),
        "second": share(&row.second),
        "log_ratio": interval(low, high),
        "log_ratio_exact": exact,
        "within_claim": match row.verdict {
            Verdict::Within => Some(true),
            Verdict::Exceeds => Some(false),
            Verdict::Open => None,
        },
    })
}

fn share(share: &Share) -> Value {
    let end = |end: &NumberEnd| json!({"value": enclosure(&end.value), "included": end.included});
    let ranges: Vec<Value> = share
        .ranges
        .iter()
        .map(|range| json!({"sign": range.sign, "low": end(&range.low), "high": end(&range.high)}))
        .collect();
    json!({"probability": enclosure(&share.probability), "ranges": ranges})
}

fn enclosure(value: &Enclosure<Float>) -> Value {
    ends(value).map_or(Value::Null, |(low, high)| interval(&low, &high))
}

fn interval(low: &Rational, high: &Rational) -> Value {
    json!([down(low, DIGITS), up(high, DIGITS)])
}
