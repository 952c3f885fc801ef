//! Noise that is added to a value after its draw, drawn around that value instead.
//!
//! Laplace and normal noise, moved and stretched, is Laplace and normal noise. Couplings compare draws of two runs by where
//! their centers are, so the value belongs there.

use crate::context::{Context, Orientation, for_each_expr};
use crate::equivalence::{check_new, mentions, refuse, settings};
use crate::expr::{Binary, Expr, Name, Unary, Variable};
use crate::law;
use crate::rejection::Rejection;
use crate::rules::hoist::is_positive;
use crate::term::{Distribution, Mechanism, Statement};

/// ```text
/// z ~ D(a, b); c; s   =   c; y ~ D(t[z := a], k·b); s[t := y]
/// ```
/// t is `value`, ±k·z + e, in a statement s of the same block. z is `noise`, set here only and read in t only. y is `var`, a new name;
/// or s is y = t and goes. D is Laplace or normal noise and k is plainly positive, or D is noise on the integers, k = 1 and t is an integer.
pub(crate) fn center(m: &Mechanism, noise: &Name, value: &Expr, var: &Name) -> Result<Mechanism, Rejection> {
    const LAW: &str = "CENTER";
    let context = Context::new(m, Orientation::Forward)?;
    if settings(&m.body, noise) != 1 {
        return refuse(LAW, format!("{noise} is not set exactly once"));
    }
    let Some((block, at, law)) = draw_of(&m.body, noise) else {
        return refuse(LAW, format!("{noise} is not drawn"));
    };
    let Some((center, scale)) = center_and_scale(law) else {
        return refuse(LAW, format!("{noise} is neither Laplace nor normal noise"));
    };
    if value.find_variable(&|v| !matches!(v, Variable::Plain(_))).is_some() {
        return refuse(LAW, format!("'{value}' is about a row"));
    }
    let Some(stretched) = stretched(&context, value, noise, scale) else {
        return refuse(LAW, format!("'{value}' does not plainly move and stretch {noise}"));
    };
    if !law::integer_places(law).is_empty() {
        if stretched != *scale {
            return refuse(LAW, format!("{noise} is on the integers and '{value}' stretches it"));
        }
        context.kinds().check_integer(value)?;
    }
    let later = &block[at + 1..];
    let reading = later.iter().enumerate().find_map(|(place, s)| Some((place, reading(s, value, var)?)));
    let Some((place, reader)) = reading else {
        return refuse(LAW, format!("no statement of the block of {noise} reads '{value}'"));
    };
    let between = &later[..place];
    let changes = |v: &Variable| matches!(v, Variable::Plain(name) if settings(between, name) > 0);
    if law::parameters(law).iter().any(|e| e.find_variable(&changes).is_some()) {
        return refuse(LAW, format!("the law of {noise} changes before '{value}' is read"));
    }
    let moved = value.replace(&|v| (*v == Variable::Plain(noise.clone())).then(|| center.clone()));
    let mut whole = [&block[..at], between].concat();
    whole.push(Statement::Draw { var: var.clone(), law: with(law, moved, stretched) });
    if later[place] != (Statement::Assign { var: var.clone(), value: value.clone() }) {
        check_new(LAW, m, var)?;
        whole.push(reader);
    }
    whole.extend_from_slice(&later[place + 1..]);
    let rewritten = Mechanism { body: replaced(&m.body, noise, &whole), ..m.clone() };
    let mut left = mentions(&rewritten.output, noise);
    for_each_expr(&rewritten.body, &mut |e| left |= mentions(e, noise));
    if left {
        return refuse(LAW, format!("{noise} is also read elsewhere"));
    }
    Ok(rewritten)
}

/// The center and the scale of a law that is symmetric and of which the scale stretches it.
fn center_and_scale(law: &Distribution) -> Option<(&Expr, &Expr)> {
    match law {
        Distribution::Laplace { center, scale } | Distribution::DiscreteLaplace { center, scale } => {
            Some((center, scale))
        }
        Distribution::Gaussian { center, deviation }
        | Distribution::DiscreteGaussian { center, deviation } => Some((center, deviation)),
        _ => None,
    }
}

/// Such a law with another center and scale.
fn with(law: &Distribution, center: Expr, scale: Expr) -> Distribution {
    match law {
        Distribution::Laplace { .. } => Distribution::Laplace { center, scale },
        Distribution::DiscreteLaplace { .. } => Distribution::DiscreteLaplace { center, scale },
        Distribution::Gaussian { .. } => Distribution::Gaussian { center, deviation: scale },
        Distribution::DiscreteGaussian { .. } => Distribution::DiscreteGaussian { center, deviation: scale },
        other => other.clone(),
    }
}

/// k·scale for a value ±k·noise + e, where k is a product of plainly positive numbers and e does not mention the noise.
fn stretched(context: &Context, value: &Expr, noise: &Name, scale: &Expr) -> Option<Expr> {
    let inside = |part: &Expr| stretched(context, part, noise, scale);
    match value {
        Expr::Var(Variable::Plain(name)) if name == noise => Some(scale.clone()),
        Expr::Unary(Unary::Neg, a) => inside(a),
        Expr::Binary(Binary::Add | Binary::Sub, a, b) => match (mentions(a, noise), mentions(b, noise)) {
            (true, false) => inside(a),
            (false, true) => inside(b),
            _ => None,
        },
        Expr::Binary(Binary::Mul, a, k) if is_positive(context, k) => Some(inside(a)? * (**k).clone()),
        Expr::Binary(Binary::Mul, k, a) if is_positive(context, k) => Some((**k).clone() * inside(a)?),
        Expr::Binary(Binary::Div, a, k) if is_positive(context, k) => Some(inside(a)? / (**k).clone()),
        _ => None,
    }
}

/// A statement that evaluates a value once, as it begins, with a variable in its place.
fn reading(statement: &Statement, value: &Expr, var: &Name) -> Option<Statement> {
    let put = |e: &Expr| e.rewrite(&|part| (part == value).then(|| Expr::var(var.clone())));
    let read = match statement {
        Statement::Draw { var, law } => Statement::Draw { var: var.clone(), law: law::map(law, &put) },
        Statement::Assign { var, value } => Statement::Assign { var: var.clone(), value: put(value) },
        Statement::Append { list, value } => Statement::Append { list: list.clone(), value: put(value) },
        Statement::If { guard, then, otherwise } => {
            Statement::If { guard: put(guard), then: then.clone(), otherwise: otherwise.clone() }
        }
        Statement::For { .. } | Statement::While { .. } => return None,
    };
    (read != *statement).then_some(read)
}

/// The block that draws a variable, the place of the draw in it, and its law.
pub(crate) fn draw_of<'a>(
    body: &'a [Statement],
    var: &Name,
) -> Option<(&'a [Statement], usize, &'a Distribution)> {
    body.iter().enumerate().find_map(|(at, statement)| match statement {
        Statement::Draw { var: drawn, law } if drawn == var => Some((body, at, law)),
        Statement::If { then, otherwise, .. } => draw_of(then, var).or_else(|| draw_of(otherwise, var)),
        Statement::For { body, .. } | Statement::While { body, .. } => draw_of(body, var),
        _ => None,
    })
}

/// The program with another block in place of the one that draws a variable.
pub(crate) fn replaced(body: &[Statement], var: &Name, whole: &[Statement]) -> Vec<Statement> {
    if body.iter().any(|s| matches!(s, Statement::Draw { var: drawn, .. } if drawn == var)) {
        return whole.to_vec();
    }
    let inside = |body: &[Statement]| replaced(body, var, whole);
    body.iter().map(|statement| statement.map_blocks(&inside)).collect()
}
