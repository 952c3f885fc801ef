//! Equivalences about branches: a draw that only one branch makes, made before; two conditions as one; what both branches
//! end with, put behind them; what both append, appended behind them; and what both draw, drawn once.
//!
//! A run that draws where the other does not can be compared with it only if both draw. What is drawn and not read
//! changes nothing.

use probity_exact::Rational;

use crate::context::{Context, Orientation, for_each_expr};
use crate::equivalence::{check_new, mentions, refuse, settings};
use crate::expr::{Binary, Expr, Name, Variable};
use crate::rejection::Rejection;
use crate::term::{Distribution, Mechanism, Statement};

/// ```text
/// if g { y ~ D; c } else { d }   =   y ~ D; if g { c } else { d }
/// ```
/// y is set here only, and read in c only. D is noise with a positive scale, so that it has a value whether g holds or not.
pub(crate) fn hoist(m: &Mechanism, var: &Name) -> Result<Mechanism, Rejection> {
    const LAW: &str = "HOIST";
    if settings(&m.body, var) != 1 {
        return refuse(LAW, format!("{var} is not set exactly once"));
    }
    let Some((law, inside)) = branch(&m.body, var) else {
        return refuse(LAW, format!("{var} is not the first that a branch draws"));
    };
    let Some(scale) = noise_scale(law) else {
        return refuse(LAW, format!("{var} is not Laplace, exponential or geometric noise"));
    };
    if !is_positive(&Context::new(m, Orientation::Forward)?, scale) {
        return refuse(LAW, format!("the scale of {var} is not plainly positive"));
    }
    let reads = |body: &[Statement]| {
        let mut count = 0;
        for_each_expr(body, &mut |e| count += usize::from(mentions(e, var)));
        count
    };
    if mentions(&m.output, var) || reads(&m.body) != reads(inside) {
        return refuse(LAW, format!("{var} is read outside of its branch"));
    }
    Ok(Mechanism { body: hoisted(&m.body, var), ..m.clone() })
}

/// The scale of noise that needs no more than a positive scale.
fn noise_scale(law: &Distribution) -> Option<&Expr> {
    match law {
        Distribution::Laplace { scale, .. }
        | Distribution::DiscreteLaplace { scale, .. }
        | Distribution::Exponential { scale }
        | Distribution::Geometric { scale } => Some(scale),
        _ => None,
    }
}

/// Whether a number is positive by its form: made of positive numbers and parameters by +, · and /.
pub(crate) fn is_positive(context: &Context, e: &Expr) -> bool {
    match e {
        Expr::Number(n) => *n > Rational::ZERO,
        Expr::Var(Variable::Plain(name)) => context.is_positive(name),
        Expr::Binary(Binary::Add | Binary::Mul | Binary::Div, a, b) => {
            is_positive(context, a) && is_positive(context, b)
        }
        _ => false,
    }
}

/// The law of a draw with which a branch begins, and what follows it there.
fn branch<'a>(body: &'a [Statement], var: &Name) -> Option<(&'a Distribution, &'a [Statement])> {
    body.iter().find_map(|statement| match statement {
        Statement::If { then, otherwise, .. } => match then.split_first() {
            Some((Statement::Draw { var: drawn, law }, rest)) if drawn == var => Some((law, rest)),
            _ => branch(then, var).or_else(|| branch(otherwise, var)),
        },
        Statement::For { body, .. } | Statement::While { body, .. } => branch(body, var),
        _ => None,
    })
}

/// The block with that draw before its conditional.
fn hoisted(body: &[Statement], var: &Name) -> Vec<Statement> {
    let inside = |body: &[Statement]| hoisted(body, var);
    let one = |statement: &Statement| match statement {
        Statement::If { guard, then, otherwise } => match then.split_first() {
            Some((draw @ Statement::Draw { var: drawn, .. }, rest)) if drawn == var => {
                let (guard, otherwise) = (guard.clone(), otherwise.clone());
                vec![draw.clone(), Statement::If { guard, then: rest.to_vec(), otherwise }]
            }
            _ => vec![statement.map_blocks(&inside)],
        },
        other => vec![other.map_blocks(&inside)],
    };
    body.iter().flat_map(one).collect()
}

/// ```text
/// if a { if b { c } }   =   if a and b { c }
/// ```
/// Neither has an `else`. Expressions have a value everywhere, so b may be asked where a is false.
pub(crate) fn join(m: &Mechanism) -> Result<Mechanism, Rejection> {
    let body = joined(&m.body);
    if body == m.body {
        return refuse("JOIN", "no conditional has nothing but a conditional in it");
    }
    Ok(Mechanism { body, ..m.clone() })
}

fn joined(body: &[Statement]) -> Vec<Statement> {
    let one = |statement: &Statement| match statement {
        Statement::If { guard, then, otherwise } => {
            let (then, otherwise) = (joined(then), joined(otherwise));
            match then.as_slice() {
                [Statement::If { guard: inner, then: both, otherwise: no }]
                    if otherwise.is_empty() && no.is_empty() =>
                {
                    Statement::If { guard: guard.clone().and(inner.clone()), then: both.clone(), otherwise }
                }
                _ => Statement::If { guard: guard.clone(), then, otherwise },
            }
        }
        other => other.map_blocks(&joined),
    };
    body.iter().map(one).collect()
}

/// ```text
/// if g { c; s } else { d; s }   =   if g { c } else { d }; s
/// ```
/// As many statements as both branches end with.
pub(crate) fn tail(m: &Mechanism) -> Result<Mechanism, Rejection> {
    let body = tails_moved(&m.body);
    if body == m.body {
        return refuse("TAIL", "no conditional ends in the same way in both branches");
    }
    Ok(Mechanism { body, ..m.clone() })
}

fn tails_moved(body: &[Statement]) -> Vec<Statement> {
    let one = |statement: &Statement| match statement {
        Statement::If { guard, then, otherwise } => {
            let (mut then, mut otherwise) = (tails_moved(then), tails_moved(otherwise));
            let mut same = Vec::new();
            while then.last().is_some() && then.last() == otherwise.last() {
                same.extend(then.pop());
                otherwise.pop();
            }
            same.push(Statement::If { guard: guard.clone(), then, otherwise });
            same.reverse();
            same
        }
        other => vec![other.map_blocks(&tails_moved)],
    };
    body.iter().flat_map(one).collect()
}

/// ```text
/// if g { c; append(l, a) } else { d; append(l, b) }   =   if g { c; y = a } else { d; y = b }; append(l, y)
/// ```
/// y is new. Of the first such conditional, one inside another before the other.
pub(crate) fn merge(m: &Mechanism, var: &Name) -> Result<Mechanism, Rejection> {
    check_new("MERGE", m, var)?;
    match first_changed(&m.body, &|statement| merged(statement, var)) {
        Some(body) => Ok(Mechanism { body, ..m.clone() }),
        None => refuse("MERGE", "no conditional ends with an append to one list in both branches"),
    }
}

fn merged(statement: &Statement, var: &Name) -> Option<Vec<Statement>> {
    let Statement::If { guard, then, otherwise } = statement else { return None };
    let set = |branch: &[Statement]| match branch.split_last()? {
        (Statement::Append { list, value }, before) => {
            let set = Statement::Assign { var: var.clone(), value: value.clone() };
            Some((list.clone(), before.iter().cloned().chain([set]).collect()))
        }
        _ => None,
    };
    let ((list, then), (other, otherwise)) = (set(then)?, set(otherwise)?);
    let append = Statement::Append { list: list.clone(), value: Expr::var(var.clone()) };
    (list == other).then(|| vec![Statement::If { guard: guard.clone(), then, otherwise }, append])
}

/// ```text
/// append(l, e)   =   y = e; append(l, y)
/// ```
/// y is new. Of the first append, as the text is read, of what is no variable.
pub(crate) fn entry(m: &Mechanism, var: &Name) -> Result<Mechanism, Rejection> {
    check_new("ENTRY", m, var)?;
    let named = |statement: &Statement| match statement {
        Statement::Append { value: Expr::Var(_), .. } => None,
        Statement::Append { list, value } => Some(vec![
            Statement::Assign { var: var.clone(), value: value.clone() },
            Statement::Append { list: list.clone(), value: Expr::var(var.clone()) },
        ]),
        _ => None,
    };
    match first_changed(&m.body, &named) {
        Some(body) => Ok(Mechanism { body, ..m.clone() }),
        None => refuse("ENTRY", "nothing is appended but variables"),
    }
}

/// ```text
/// if g { y ~ D(a) } else { y ~ D(b) }   =   y ~ D(if g then a else b)
/// ```
/// D is noise of one law in both branches. Of the first such conditional that draws y.
pub(crate) fn one_draw(m: &Mechanism, var: &Name) -> Result<Mechanism, Rejection> {
    match first_changed(&m.body, &|statement| drawn_once(statement, var)) {
        Some(body) => Ok(Mechanism { body, ..m.clone() }),
        None => {
            let reason =
                format!("no conditional draws {var} of one law in each branch and does nothing else");
            refuse("ONE-DRAW", reason)
        }
    }
}

fn drawn_once(statement: &Statement, var: &Name) -> Option<Vec<Statement>> {
    let Statement::If { guard, then, otherwise } = statement else { return None };
    let ([Statement::Draw { var: x, law: a }], [Statement::Draw { var: y, law: b }]) =
        (then.as_slice(), otherwise.as_slice())
    else {
        return None;
    };
    let pick = |a: &Expr, b: &Expr| match a == b {
        true => a.clone(),
        false => guard.clone().choose(a.clone(), b.clone()),
    };
    use Distribution::{
        DiscreteGaussian, DiscreteLaplace, Exponential, Gaussian, Geometric, Gumbel, Laplace,
    };
    let law = match (a, b) {
        (Laplace { center, scale }, Laplace { center: c, scale: s }) => {
            Laplace { center: pick(center, c), scale: pick(scale, s) }
        }
        (DiscreteLaplace { center, scale }, DiscreteLaplace { center: c, scale: s }) => {
            DiscreteLaplace { center: pick(center, c), scale: pick(scale, s) }
        }
        (Gumbel { center, scale }, Gumbel { center: c, scale: s }) => {
            Gumbel { center: pick(center, c), scale: pick(scale, s) }
        }
        (Gaussian { center, deviation }, Gaussian { center: c, deviation: d }) => {
            Gaussian { center: pick(center, c), deviation: pick(deviation, d) }
        }
        (DiscreteGaussian { center, deviation }, DiscreteGaussian { center: c, deviation: d }) => {
            DiscreteGaussian { center: pick(center, c), deviation: pick(deviation, d) }
        }
        (Exponential { scale }, Exponential { scale: s }) => Exponential { scale: pick(scale, s) },
        (Geometric { scale }, Geometric { scale: s }) => Geometric { scale: pick(scale, s) },
        _ => return None,
    };
    (x == var && y == var).then(|| vec![Statement::Draw { var: var.clone(), law }])
}

/// The block with the first statement changed that can be, those inside a statement before it.
fn first_changed(
    body: &[Statement],
    change: &dyn Fn(&Statement) -> Option<Vec<Statement>>,
) -> Option<Vec<Statement>> {
    body.iter().enumerate().find_map(|(place, statement)| {
        let changed = inside_changed(statement, change).map(|one| vec![one]).or_else(|| change(statement))?;
        Some([&body[..place], &changed, &body[place + 1..]].concat())
    })
}

fn inside_changed(
    statement: &Statement,
    change: &dyn Fn(&Statement) -> Option<Vec<Statement>>,
) -> Option<Statement> {
    let mut changed = statement.clone();
    match &mut changed {
        Statement::If { then, otherwise, .. } => match first_changed(then, change) {
            Some(body) => *then = body,
            None => *otherwise = first_changed(otherwise, change)?,
        },
        Statement::For { body, .. } | Statement::While { body, .. } => *body = first_changed(body, change)?,
        Statement::Draw { .. } | Statement::Assign { .. } | Statement::Append { .. } => return None,
    }
    Some(changed)
}
