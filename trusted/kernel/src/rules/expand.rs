//! What a call means: the statements of the called mechanism, with names of their own. A definition, and no rule.

use crate::expr::{Expr, Name, Variable};
use crate::term::{Called, Distribution, Mechanism, Sort, Statement};

/// The mechanism with every call written out: what a call means. Names of the called mechanism get a prefix.
pub fn expanded(mechanism: &Mechanism) -> Mechanism {
    let mut calls = 0;
    let mut prefix = String::from("_");
    let text = mechanism.to_string();
    while text.contains(&prefix) {
        prefix.push('_');
    }
    let body = expanded_block(&mechanism.body, &prefix, &mut calls);
    Mechanism { body, ..mechanism.clone() }
}

fn expanded_block(body: &[Statement], prefix: &str, calls: &mut usize) -> Vec<Statement> {
    let mut out = Vec::new();
    for statement in body {
        match statement {
            Statement::Draw { var, law: Distribution::Called(called) } => {
                *calls += 1;
                out.extend(written_out(var, called, &format!("{prefix}{calls}_")));
            }
            Statement::Draw { var, law: Distribution::PermuteAndFlip { scores, scale } } => {
                *calls += 1;
                out.extend(noisy_max(var, scores, scale, &format!("{prefix}{calls}_")));
            }
            Statement::Draw { var, law: Distribution::Gumbel { center, scale } } => {
                *calls += 1;
                out.extend(double_logarithm(var, center, scale, &format!("{prefix}{calls}_")));
            }
            Statement::If { guard, then, otherwise } => out.push(Statement::If {
                guard: guard.clone(),
                then: expanded_block(then, prefix, calls),
                otherwise: expanded_block(otherwise, prefix, calls),
            }),
            Statement::For { index, from, to, body } => out.push(Statement::For {
                index: index.clone(),
                from: from.clone(),
                to: to.clone(),
                body: expanded_block(body, prefix, calls),
            }),
            Statement::While { label, guard, body } => out.push(Statement::While {
                label: label.clone(),
                guard: guard.clone(),
                body: expanded_block(body, prefix, calls),
            }),
            other => out.push(other.clone()),
        }
    }
    out
}

/// Permute and flip as what has its law: the place of the largest score with exponential noise (`docs/logic.md` section 4).
fn noisy_max(var: &Name, scores: &Expr, scale: &Expr, prefix: &str) -> Vec<Statement> {
    let Expr::Var(list) = scores else { return vec![] };
    let own = |text: &str| Name::new(format!("{prefix}{text}"));
    let v = |text: &str| Expr::var(own(text));
    let length = Expr::Length(list.clone());
    let assign = |var: Name, value: Expr| Statement::Assign { var, value };
    // A law without an entry to choose is out of range, as is a coin with this probability.
    let some = Expr::int(1).le(length.clone()).choose(Expr::int(1), Expr::int(2));
    let coin = Statement::Draw { var: own("some"), law: Distribution::Bernoulli(some) };
    let noise =
        Statement::Draw { var: own("noise"), law: Distribution::Exponential { scale: scale.clone() } };
    let score = assign(own("score"), v("index").index_of(list.clone()) + v("noise"));
    let better = v("index").equals(Expr::int(0)).or(v("score").gt(v("best")));
    let then = vec![assign(own("best"), v("score")), assign(own("place"), v("index"))];
    let body = vec![noise, score, Statement::If { guard: better, then, otherwise: vec![] }];
    let rounds = Statement::For { index: own("index"), from: Expr::int(0), to: length, body };
    // The scale may read the variable that is drawn, so that is set last.
    vec![
        coin,
        assign(own("best"), Expr::int(0)),
        assign(own("place"), Expr::int(0)),
        rounds,
        assign(var.clone(), v("place")),
    ]
}

/// Gumbel noise by the inverse of its distribution, as the law is defined.
fn double_logarithm(var: &Name, center: &Expr, scale: &Expr, prefix: &str) -> Vec<Statement> {
    let own = |text: &str| Name::new(format!("{prefix}{text}"));
    // A scale out of range leaves no output, as does a coin with this probability.
    let some = Expr::int(0).lt(scale.clone()).choose(Expr::int(1), Expr::int(2));
    let noise = (-Expr::var(own("uniform")).ln()).ln();
    vec![
        Statement::Draw { var: own("some"), law: Distribution::Bernoulli(some) },
        Statement::Draw { var: own("uniform"), law: Distribution::Uniform },
        Statement::Assign { var: var.clone(), value: center.clone() - scale.clone() * noise },
    ]
}

/// One call, its own names with a prefix.
fn written_out(var: &Name, called: &Called, prefix: &str) -> Vec<Statement> {
    let inner = expanded(&called.mechanism);
    let own = |name: &Name| Name::new(format!("{prefix}{name}"));
    let given = |name: &Name| {
        let inputs = inner.inputs.iter().zip(&called.inputs);
        inputs.into_iter().find_map(|(input, argument)| match argument {
            Expr::Var(Variable::Plain(ours)) if input.name == *name && is_by_name(&input.sort) => {
                Some(ours.clone())
            }
            _ => None,
        })
    };
    let renamed = |name: &Name| given(name).unwrap_or_else(|| own(name));
    let mut out = Vec::new();
    let scalars = inner.inputs.iter().zip(&called.inputs).filter(|(input, _)| !is_by_name(&input.sort));
    let values = scalars.map(|(input, e)| (&input.name, e));
    for (name, value) in values.chain(inner.params.iter().map(|p| &p.name).zip(&called.params)) {
        out.push(Statement::Assign { var: own(name), value: value.clone() });
    }
    let e = |e: &Expr| renamed_expr(e, &renamed);
    out.extend(renamed_block(&inner.body, &renamed, &e));
    out.push(Statement::Assign { var: var.clone(), value: e(&inner.output) });
    out
}

fn is_by_name(sort: &Sort) -> bool {
    matches!(sort, Sort::RealList | Sort::IntList | Sort::Rows(_))
}

/// An expression of a program with other names, also for tables and what their rows have.
fn renamed_expr(e: &Expr, name: &dyn Fn(&Name) -> Name) -> Expr {
    let variable = |v: &Variable| match v {
        Variable::Plain(plain) => Variable::Plain(name(plain)),
        Variable::Field(table, field) => Variable::Field(name(table), field.clone()),
        other => other.clone(),
    };
    let go = |e: &Expr| renamed_expr(e, name);
    match e {
        Expr::Var(v) => Expr::Var(variable(v)),
        Expr::Length(v) => Expr::Length(variable(v)),
        Expr::Index(v, index) => go(index).index_of(variable(v)),
        Expr::Sum(v, condition, value) => Expr::sum(variable(v), go(condition), go(value)),
        _ => e.map_parts(&mut |part| go(part)),
    }
}

fn renamed_block(
    body: &[Statement],
    name: &dyn Fn(&Name) -> Name,
    e: &dyn Fn(&Expr) -> Expr,
) -> Vec<Statement> {
    body.iter()
        .map(|statement| match statement {
            Statement::Draw { var, law } => Statement::Draw { var: name(var), law: crate::law::map(law, e) },
            Statement::Assign { var, value } => Statement::Assign { var: name(var), value: e(value) },
            Statement::Append { list, value } => Statement::Append { list: name(list), value: e(value) },
            Statement::If { guard, then, otherwise } => Statement::If {
                guard: e(guard),
                then: renamed_block(then, name, e),
                otherwise: renamed_block(otherwise, name, e),
            },
            Statement::For { index, from, to, body } => Statement::For {
                index: name(index),
                from: e(from),
                to: e(to),
                body: renamed_block(body, name, e),
            },
            Statement::While { label, guard, body } => {
                Statement::While { label: name(label), guard: e(guard), body: renamed_block(body, name, e) }
            }
        })
        .collect()
}
