//! Samples of a table: what a mechanism that sees its table through a sample only does to the sample, and what a theorem about
//! that says of the whole table.
//!
//! A sample occurs in no judgement. AMPLIFY ([`crate::privacy::amplify`]) takes it off the front of a mechanism, and
//! `docs/logic.md` section 8c proves the rule.

use crate::context::{Context, Orientation, for_each_expr};
use crate::equivalence::settings;
use crate::expr::{Binary, Expr, Name, Variable};
use crate::rejection::Rejection;
use crate::tables;
use crate::term::{Adjacency, Claim, Distribution, Input, Mechanism, Sort, Statement};

/// A mechanism taken apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sampled {
    /// What is done to the sample, as a mechanism whose table the sample is.
    pub inner: Mechanism,
    /// The probability with which a row is kept.
    pub rate: Expr,
}

/// Whether a block draws a sample anywhere.
pub fn draws_sample(body: &[Statement]) -> bool {
    body.iter().any(|statement| match statement {
        Statement::Draw { law: Distribution::Sample { .. }, .. } => true,
        Statement::Draw { .. } | Statement::Assign { .. } | Statement::Append { .. } => false,
        Statement::If { then, otherwise, .. } => draws_sample(then) || draws_sample(otherwise),
        Statement::For { body, .. } | Statement::While { body, .. } => draws_sample(body),
    })
}

/// Takes the sample off a mechanism.
/// ```text
/// m(t) = c; s ~ sample(t, q); d     inner(s) = c; d
/// ```
/// t is a table of which one row is added or removed, and every other input is a number or a truth value that neighbours have in
/// common. Nothing else mentions or sets t, c does not mention s, and q is made of parameters.
pub fn sampled(mechanism: &Mechanism) -> Result<Sampled, Rejection> {
    let is_table = |input: &&Input| matches!(input.sort, Sort::Rows(_));
    let Some(Input { name: table, .. }) = mechanism.inputs.iter().find(is_table) else {
        return refuse("a sample amplifies privacy where an input is a table");
    };
    let one_row = Adjacency::OneRow { table: table.clone() };
    let (rows, others): (Vec<_>, Vec<_>) = mechanism.adjacency.iter().partition(|clause| **clause == one_row);
    let others: Vec<&Name> = match others.into_iter().map(held_equal).collect() {
        Some(others) if rows.len() == 1 => others,
        _ => {
            return refuse(
                "a sample amplifies privacy for one row added or removed and every other input equal, and for no other neighbours",
            );
        }
    };
    let equal = |input: &Input| others.contains(&&input.name) && is_scalar(&input.sort);
    if !mechanism.inputs.iter().all(|input| input.name == *table || equal(input)) {
        return refuse("a sample amplifies privacy where neighbours have every other input in common");
    }
    let is_sample = |s: &Statement| matches!(s, Statement::Draw { law: Distribution::Sample { .. }, .. });
    let place = mechanism.body.iter().position(is_sample);
    let Some((place, Statement::Draw { var, law: Distribution::Sample { table: from, rate } })) =
        place.and_then(|place| Some((place, mechanism.body.get(place)?)))
    else {
        return refuse("a sample amplifies privacy where it is drawn once, outside of loops and branches");
    };
    let (before, after) = (&mechanism.body[..place], &mechanism.body[place + 1..]);
    let body: Vec<Statement> = before.iter().chain(after).cloned().collect();
    if *from != Expr::var(table.clone()) || var == table {
        return refuse("a sample amplifies privacy where it is drawn from the table that is the input");
    }
    if mentions(&body, &mechanism.output, table) || settings(&body, table) > 0 {
        return refuse("a sample amplifies privacy where the table is seen through it alone");
    }
    if mentions(before, &Expr::int(0), var) {
        return refuse("a sample is used before it is drawn");
    }
    let renamed = |e: &Expr| {
        e.replace(&|v| match v {
            Variable::Field(of, field) if of == table => {
                Some(Expr::Var(Variable::Field(var.clone(), field.clone())))
            }
            _ => None,
        })
    };
    let input = |input: &Input| match input.name == *table {
        true => Input { name: var.clone(), sort: input.sort.clone() },
        false => input.clone(),
    };
    let clause = |clause: &Adjacency| match *clause == one_row {
        true => Adjacency::OneRow { table: var.clone() },
        false => clause.clone(),
    };
    let inner = Mechanism {
        inputs: mechanism.inputs.iter().map(input).collect(),
        assumptions: mechanism.assumptions.iter().map(renamed).collect(),
        body,
        adjacency: mechanism.adjacency.iter().map(clause).collect(),
        ..mechanism.clone()
    };
    // The table has a name of its own and rows with fields, the assumptions are about it; what is done is the inner mechanism's.
    let outer = Mechanism { body: vec![], output: Expr::int(0), ..mechanism.clone() };
    let context = Context::new(&outer, Orientation::Forward)?;
    context.check_public(rate)?;
    context.check_number(rate)?;
    Ok(Sampled { inner, rate: rate.clone() })
}

/// The input of which a clause says that it is equal in both runs, in these words: x' == x.
fn held_equal(clause: &Adjacency) -> Option<&Name> {
    match clause {
        Adjacency::Related(Expr::Binary(Binary::Eq, a, b)) => match (&**a, &**b) {
            (Expr::Var(Variable::Of(x, run)), Expr::Var(Variable::Of(y, other))) => {
                (x == y && run != other).then_some(x)
            }
            _ => None,
        },
        _ => None,
    }
}

fn is_scalar(sort: &Sort) -> bool {
    matches!(sort, Sort::Real | Sort::Int | Sort::Bool | Sort::Category { .. })
}

fn refuse<T>(reason: &'static str) -> Result<T, Rejection> {
    Err(Rejection::ClaimNotCovered { reason })
}

/// Whether a block or an expression speaks of a table.
fn mentions(body: &[Statement], output: &Expr, table: &Name) -> bool {
    let of = |e: &Expr| {
        e.find_variable(&|v| match v {
            Variable::Plain(name) | Variable::Field(name, _) => name == table,
            _ => false,
        })
        .is_some()
    };
    let mut found = of(output);
    for_each_expr(body, &mut |e| found |= of(e));
    found
}

/// What is known of the parameters alone: where AMPLIFY's condition is shown.
pub fn of_parameters(mechanism: &Mechanism) -> Result<Context, Rejection> {
    let is_input = |v: &Variable| match v {
        Variable::Plain(name) => mechanism.inputs.iter().any(|input| input.name == *name),
        _ => false,
    };
    let alone = |a: &&Expr| tables::of_rows(a).is_none() && a.find_variable(&is_input).is_none();
    let assumptions = mechanism.assumptions.iter().filter(alone);
    let alone = Mechanism {
        inputs: vec![],
        assumptions: assumptions.cloned().collect(),
        body: vec![],
        output: Expr::int(0),
        adjacency: vec![],
        ..mechanism.clone()
    };
    Context::new(&alone, Orientation::Forward)
}

/// What AMPLIFY needs of the claim `from` about the sample for the claim `to` about the table, with ε₀, δ₀ and ε, δ:
/// ```text
/// 0 ≤ q ≤ 1    0 ≤ ε₀    0 ≤ δ₀    ln(1 + q·(e^ε₀ − 1)) ≤ ε, or 1 + q·(e^ε₀ − 1) ≤ e^ε    q·δ₀ ≤ δ
/// ```
/// The two forms of the fourth condition say the same; which one has evidence depends on how the claim is written.
pub fn amplified(rate: &Expr, from: &Claim, to: &Claim) -> Expr {
    let (zero, one) = (|| Expr::int(0), || Expr::int(1));
    let grown = one() + rate.clone() * (from.epsilon.clone().exp() - one());
    let enough = grown.clone().ln().le(to.epsilon.clone()).or(grown.le(to.epsilon.clone().exp()));
    Expr::all([
        zero().le(rate.clone()),
        rate.clone().le(one()),
        zero().le(from.epsilon.clone()),
        zero().le(from.delta.clone()),
        enough,
        (rate.clone() * from.delta.clone()).le(to.delta.clone()),
    ])
}
