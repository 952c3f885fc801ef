//! Claims about several rows where mass is given up: which claim about one row would be enough. Nothing here is trusted.

use std::time::Instant;

use probity_kernel::entail::Evidence;
use probity_kernel::expr::{Binary, Expr, Unary, Variable};
use probity_kernel::privacy::grouped;
use probity_kernel::rejection::Rejection;
use probity_kernel::sample::of_parameters;
use probity_kernel::term::{Claim, Mechanism, Reading};

use crate::algebra::number;
use crate::derivation::{Failure, Plan, Reason};
use crate::effort::Effort;
use crate::evidence::search::search_within;

/// What may be spent on evidence for one claim about one row.
const SHARE_EFFORT: u64 = 5_000_000;

/// A plan and its evidence.
type Planned = (Plan, Vec<Evidence>);

/// A plan by GROUP-DELTA, for the first claim about one row that is enough and that `prove` proves.
pub(crate) fn grouped_plan(
    mechanism: &Mechanism,
    most: &Expr,
    claim: &Claim,
    deadline: Option<Instant>,
    prove: &dyn Fn(&Claim) -> Result<Planned, Failure>,
) -> Result<Planned, Failure> {
    let rejected =
        |rejection: Rejection| Failure::new("the claim about one row", Reason::Rejected(rejection));
    let context = of_parameters(mechanism).map_err(rejected)?;
    let mut first_failure = None;
    for share in shares(mechanism, most, claim) {
        let needed = grouped(most, &share, claim);
        let mut effort = Effort::of(SHARE_EFFORT).until(deadline);
        let Ok(enough) = search_within(&context, &[], &needed, &mut effort) else { continue };
        match prove(&share) {
            Ok((plan, mut evidence)) => {
                evidence.push(enough);
                return Ok((Plan { grouped: Some(Box::new(share)), ..plan }, evidence));
            }
            Err(failure) => {
                first_failure.get_or_insert(failure);
            }
        }
    }
    Err(first_failure.unwrap_or_else(|| {
        let share = divided(&claim.epsilon, most);
        let goal = format!("d * (exp({most} * ({share})) - 1) / (exp({share}) - 1) <= {}", claim.delta);
        let path = vec![
            "d is the delta with which one row is protected, for some d that could be read off the claim"
                .into(),
        ];
        Failure::new("the claim about one row", Reason::NotShown { goal, path })
    }))
}

/// Claims about one row that may be enough; the likelier first.
fn shares(mechanism: &Mechanism, most: &Expr, claim: &Claim) -> Vec<Claim> {
    let epsilon = divided(&claim.epsilon, most);
    let mut deltas: Vec<Expr> = Vec::new();
    let mut add = |delta: Expr| {
        if !deltas.contains(&delta) {
            deltas.push(delta);
        }
    };
    // delta · (exp(k·e) − 1)/(exp(e) − 1), delta · k · exp((k − 1)·e), (1 + exp(e)) · delta.
    add(without_growth(&claim.delta, most));
    // The same where delta itself is an exponential: what grows mentions k.
    if number(most).is_none() {
        add(without_factors(&claim.delta, &|e| mentions(e, most)));
    }
    for param in &mechanism.params {
        let is_it = |v: &Variable| matches!(v, Variable::Plain(name) if *name == param.name);
        let used = |e: &Expr| e.find_variable(&is_it).is_some();
        if used(&claim.delta) && !used(&claim.epsilon) && !used(most) {
            add(Expr::var(param.name.clone()));
        }
    }
    // One factor beside a sum that is written out.
    factors(&claim.delta, &mut add);
    // The inverse of the rule.
    let grown = |e: &Expr| e.clone().exp() - Expr::int(1);
    add(claim.delta.clone() * grown(&epsilon) / grown(&claim.epsilon));
    let last = ((most.clone() - Expr::int(1)) * epsilon.clone()).exp();
    add(claim.delta.clone() / (most.clone() * last));
    let of = |delta: Expr| Claim { epsilon: epsilon.clone(), delta, reading: Reading::Reals };
    deltas.into_iter().map(of).collect()
}

/// A k-th of an expression, without the quotient where k is a factor.
fn divided(e: &Expr, most: &Expr) -> Expr {
    if let (Some(e), Some(most)) = (number(e), number(most))
        && !most.is_zero()
    {
        return Expr::Number(e / most);
    }
    match e {
        Expr::Binary(Binary::Mul, a, b) if **a == *most => (**b).clone(),
        Expr::Binary(Binary::Mul, a, b) if **b == *most => (**a).clone(),
        _ => e.clone() / most.clone(),
    }
}

/// The factors of an expression, each by itself.
fn factors(e: &Expr, add: &mut dyn FnMut(Expr)) {
    match e {
        Expr::Binary(Binary::Mul, a, b) => [a, b].into_iter().for_each(|part| factors(part, add)),
        _ => add(e.clone()),
    }
}

/// The factors of an expression that neither have an exponential in them nor are k.
fn without_growth(e: &Expr, most: &Expr) -> Expr {
    without_factors(e, &|e| e == most || grows(e))
}

/// A product or quotient without some of its factors.
fn without_factors(e: &Expr, out: &dyn Fn(&Expr) -> bool) -> Expr {
    match e {
        Expr::Binary(Binary::Mul, a, b) => {
            let (a, b) = (without_factors(a, out), without_factors(b, out));
            match (a == Expr::int(1), b == Expr::int(1)) {
                (true, _) => b,
                (_, true) => a,
                _ => a * b,
            }
        }
        Expr::Binary(Binary::Div, a, b) => {
            let (a, b) = (without_factors(a, out), without_factors(b, out));
            if b == Expr::int(1) { a } else { a / b }
        }
        _ if out(e) => Expr::int(1),
        _ => e.clone(),
    }
}

/// Whether k, a parameter, is somewhere in an expression.
fn mentions(e: &Expr, most: &Expr) -> bool {
    e == most || e.parts().into_iter().flatten().any(|part| mentions(part, most))
}

fn grows(e: &Expr) -> bool {
    matches!(e, Expr::Unary(Unary::Exp, _)) || e.parts().into_iter().flatten().any(grows)
}
