//! FIRST-ROUND: what is drawn before a loop as the round before its first draws it, drawn in the loop.
//!
//! A loop over the largest value so far may begin with the first value at hand. Drawn in the loop, all values are drawn alike.

use crate::context::{Context, Orientation, for_each_expr};
use crate::equivalence::{mentions, mentions_outside, refuse, settings, whole_number};
use crate::expr::{Expr, Name, Variable};
use crate::kind::Kind;
use crate::law;
use crate::rejection::Rejection;
use crate::term::{Mechanism, Statement};

const LAW: &str = "FIRST-ROUND";

/// ```text
/// y ~ D[i := n - 1]; a; for i in n..b { v ~ D; c }
///   =   y = 0; …; for i in n-1..max(n, b) { v ~ D; if i == n - 1 { y = v; a } else { c } }
/// ```
/// n is a whole number and a draws nothing and has no loops. Of the first loop over i, as the text is read. Nothing but c reads v, and nothing
/// but loops over i mentions i. What the first round sets before anything reads it is 0, or false, before the loop.
pub(crate) fn first_round(m: &Mechanism, index: &Name) -> Result<Mechanism, Rejection> {
    if mentions(&m.output, index) || mentions_outside(&m.body, index) {
        return refuse(LAW, format!("{index} is used outside of its loop"));
    }
    match in_block(m, &m.body, index)? {
        Some(body) => Ok(Mechanism { body, ..m.clone() }),
        None => refuse(LAW, format!("no loop counts {index}")),
    }
}

/// The block with the first loop over the index begun a round earlier, if it has one.
fn in_block(m: &Mechanism, body: &[Statement], index: &Name) -> Result<Option<Vec<Statement>>, Rejection> {
    for (place, statement) in body.iter().enumerate() {
        let mut changed = statement.clone();
        match &mut changed {
            Statement::For { index: i, from, to, body: round } if i == index => {
                let (at, begun) = earlier(m, &body[..place], index, (&*from, &*to), round)?;
                return Ok(Some([&body[..at], &begun, &body[place + 1..]].concat()));
            }
            Statement::For { body, .. } | Statement::While { body, .. } => {
                let Some(inside) = in_block(m, body, index)? else { continue };
                *body = inside;
            }
            Statement::If { then, otherwise, .. } => match in_block(m, then, index)? {
                Some(inside) => *then = inside,
                None => {
                    let Some(inside) = in_block(m, otherwise, index)? else { continue };
                    *otherwise = inside;
                }
            },
            Statement::Draw { .. } | Statement::Assign { .. } | Statement::Append { .. } => continue,
        }
        return Ok(Some([&body[..place], &[changed], &body[place + 1..]].concat()));
    }
    Ok(None)
}

/// Where the draw before a loop stands, and the loop with it, behind what is 0 before it.
fn earlier(
    m: &Mechanism,
    before: &[Statement],
    index: &Name,
    (from, to): (&Expr, &Expr),
    round: &[Statement],
) -> Result<(usize, Vec<Statement>), Rejection> {
    let Some(first) = whole_number(from).and_then(|from| from.checked_sub(1)) else {
        return refuse(LAW, format!("the loop over {index} does not begin with a number"));
    };
    let Some((Statement::Draw { var, law }, rest)) = round.split_first() else {
        return refuse(LAW, format!("the rounds of the loop over {index} do not begin with a draw"));
    };
    let place = before.iter().rposition(|statement| !is_plain(statement));
    let Some((at, Statement::Draw { var: y, law: own })) = place.and_then(|at| Some((at, before.get(at)?)))
    else {
        return refuse(LAW, format!("nothing is drawn before the loop over {index}"));
    };
    let moved = &before[at + 1..];
    let at_first = |e: &Expr| e.rewrite(&|e| (*e == Expr::var(index.clone())).then(|| Expr::int(first)));
    if *own != law::map(law, &at_first) {
        return refuse(LAW, format!("{y} is not drawn as the round before the first draws {var}"));
    }
    let changes = |name: &Name| name == index || settings(&before[at..], name) > 0;
    if let Some(v) = to.find_variable(&|v| matches!(v, Variable::Plain(name) if changes(name))) {
        return refuse(LAW, format!("{v} changes before the loop over {index} counts to it"));
    }
    // v has another value after the loop, and before its second round.
    let mut inside = reads(rest, var);
    if y == var {
        inside += reads(moved, var);
    } else if settings(moved, var) > 0 {
        return refuse(LAW, format!("{var} is set before the loop over {index}"));
    }
    if mentions(&m.output, var) || reads(&m.body, var) != inside {
        return refuse(LAW, format!("{var} is read outside of the loop over {index}"));
    }
    let context = Context::new(m, Orientation::Forward)?;
    let mut begun: Vec<Statement> = Vec::new();
    for name in fresh(y, moved) {
        let read = law::parameters(law).into_iter().any(|e| mentions(e, name));
        let value = match context.kind(&Expr::var(name.clone())) {
            Kind::Real | Kind::Int if !read => Expr::int(0),
            Kind::Bool if !read => Expr::Bool(false),
            _ => continue,
        };
        begun.push(Statement::Assign { var: name.clone(), value });
    }
    let set = Statement::Assign { var: y.clone(), value: Expr::var(var.clone()) };
    let both = Statement::If {
        guard: Expr::var(index.clone()).equals(Expr::int(first)),
        then: [set].into_iter().chain(moved.iter().cloned()).collect(),
        otherwise: rest.to_vec(),
    };
    let body = vec![round[0].clone(), both];
    let (from, to) = (Expr::int(first), from.clone().max(to.clone()));
    begun.push(Statement::For { index: index.clone(), from, to, body });
    Ok((at, begun))
}

/// What a draw of y and then some statements set, whatever they do, before they read it.
fn fresh<'a>(y: &'a Name, moved: &'a [Statement]) -> Vec<&'a Name> {
    let mut found = vec![y];
    for (place, statement) in moved.iter().enumerate() {
        if let Statement::Assign { var, .. } = statement
            && reads(&moved[..=place], var) == 0
            && !found.contains(&var)
        {
            found.push(var);
        }
    }
    found
}

/// Whether a statement neither draws nor loops.
fn is_plain(statement: &Statement) -> bool {
    match statement {
        Statement::Assign { .. } | Statement::Append { .. } => true,
        Statement::If { then, otherwise, .. } => then.iter().chain(otherwise).all(is_plain),
        Statement::Draw { .. } | Statement::For { .. } | Statement::While { .. } => false,
    }
}

/// How many expressions of a block read a name.
fn reads(body: &[Statement], name: &Name) -> usize {
    let mut count = 0;
    for_each_expr(body, &mut |e| count += usize::from(mentions(e, name)));
    count
}
