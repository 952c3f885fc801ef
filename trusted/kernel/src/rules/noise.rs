//! Equivalences about noise that is made of two draws: a difference, or a size with a sign.
//!
//! Texts often make two-sided noise of one-sided draws. Couplings are known for the two-sided laws.

use probity_exact::{Rational, rational};

use crate::context::for_each_expr;
use crate::equivalence::{
    check_fixed, check_new, map_block, mentions, only_setting, refuse, replace_draws, settings,
};
use crate::expr::{Binary, Expr, Name, Unary};
use crate::rejection::Rejection;
use crate::rules::center::draw_of;
use crate::term::{Distribution, Mechanism, Statement};

/// ```text
/// a ~ exponential(s); b ~ exponential(s); C[a − b]   =   z ~ laplace(0, s); C[z]
/// a ~ geometric(s); b ~ geometric(s); C[a − b]       =   z ~ discrete_laplace(0, s); C[z]
/// ```
/// a and b occur in sums as a − b or b − a only; s is made of inputs and parameters, which never change.
pub(crate) fn difference_law(
    m: &Mechanism,
    a: &Name,
    b: &Name,
    noise: &Name,
) -> Result<Mechanism, Rejection> {
    const LAW: &str = "DIFFERENCE-LAW";
    let (at_a, at_b) = (only_setting(LAW, m, a)?, only_setting(LAW, m, b)?);
    let (Some(Statement::Draw { law: first, .. }), Some(Statement::Draw { law: second, .. })) =
        (m.body.get(at_a), m.body.get(at_b))
    else {
        return refuse(LAW, format!("{a} or {b} is not drawn"));
    };
    let center = Expr::int(0);
    let (scale, law) = match first {
        Distribution::Exponential { scale } => {
            (scale, Distribution::Laplace { center, scale: scale.clone() })
        }
        Distribution::Geometric { scale } => {
            (scale, Distribution::DiscreteLaplace { center, scale: scale.clone() })
        }
        _ => return refuse(LAW, format!("{a} is neither exponential nor geometric")),
    };
    if first != second {
        return refuse(LAW, format!("{a} and {b} have not the same law"));
    }
    check_fixed(LAW, m, scale)?;
    let z = Expr::var(noise.clone());
    let rewrite = |e: &Expr| {
        let terms = terms(e)?;
        let sign = |name: &Name| {
            let mut here = terms.iter().filter(|(_, term)| *term == Expr::var(name.clone()));
            let (negative, _) = here.next()?;
            here.next().is_none().then_some(*negative)
        };
        let (negative, other) = (sign(a)?, sign(b)?);
        let rest = terms.iter().filter(|(_, term)| *term != Expr::var(b.clone()));
        let with = |(sign, term): &(bool, Expr)| {
            let is_a = *term == Expr::var(a.clone());
            (*sign, if is_a { z.clone() } else { term.clone() })
        };
        (negative != other).then(|| sum(rest.map(with)))
    };
    replace_draws(LAW, m, (at_a, a), (at_b, b), (noise, law), &rewrite)
}

/// ```text
/// s ~ sign(); a ~ exponential(b); C[s·a]                   =   z ~ laplace(0, b); C[z]
/// s ~ bernoulli(1/2); a ~ exponential(b); C[if s then e + a else e − a]   =   z ~ laplace(0, b); C[e + z]
/// ```
/// s and a occur in such expressions only; b is made of inputs and parameters, which never change.
pub(crate) fn sign_law(
    m: &Mechanism,
    sign: &Name,
    size: &Name,
    noise: &Name,
) -> Result<Mechanism, Rejection> {
    const LAW: &str = "SIGN-LAW";
    let (at_sign, at_size) = (only_setting(LAW, m, sign)?, only_setting(LAW, m, size)?);
    let Some(Statement::Draw { law: Distribution::Exponential { scale }, .. }) = m.body.get(at_size) else {
        return refuse(LAW, format!("{size} is not exponential"));
    };
    let fair = match m.body.get(at_sign) {
        Some(Statement::Draw { law: Distribution::Sign, .. }) => true,
        Some(Statement::Draw { law: Distribution::Bernoulli(p), .. }) => is_half(p),
        _ => false,
    };
    if !fair {
        return refuse(LAW, format!("{sign} is not a fair sign or coin"));
    }
    check_fixed(LAW, m, scale)?;
    let (s, a, z) = (Expr::var(sign.clone()), Expr::var(size.clone()), Expr::var(noise.clone()));
    let rewrite = |e: &Expr| match e {
        Expr::If(c, yes, no) if **c == s => turned(yes, no, &a, &z),
        Expr::Binary(Binary::Mul, ..) => signed(e, &s, &a, &z),
        _ => None,
    };
    let law = Distribution::Laplace { center: Expr::int(0), scale: scale.clone() };
    replace_draws(LAW, m, (at_sign, sign), (at_size, size), (noise, law), &rewrite)
}

/// ```text
/// u ~ uniform(0,1); C[ln(u)]   =   z ~ exponential(1); C[−z]
/// ```
/// u occurs in ln(u) only.
pub(crate) fn exponential_law(m: &Mechanism, uniform: &Name, noise: &Name) -> Result<Mechanism, Rejection> {
    const LAW: &str = "EXPONENTIAL-LAW";
    let at = only_setting(LAW, m, uniform)?;
    if !matches!(m.body.get(at), Some(Statement::Draw { law: Distribution::Uniform, .. })) {
        return refuse(LAW, format!("{uniform} is not drawn from uniform(0, 1)"));
    }
    check_new(LAW, m, noise)?;
    let mut early = false;
    for_each_expr(&m.body[..at], &mut |e| early |= mentions(e, uniform));
    if early {
        return refuse(LAW, format!("{uniform} is used before it is drawn"));
    }
    let logarithm = Expr::var(uniform.clone()).ln();
    let rewrite = |e: &Expr| (*e == logarithm).then(|| -Expr::var(noise.clone()));
    let mut body = map_block(&m.body, &rewrite);
    body[at] = Statement::Draw { var: noise.clone(), law: Distribution::Exponential { scale: Expr::int(1) } };
    let rewritten = Mechanism { body, output: m.output.rewrite(&rewrite), ..m.clone() };
    let mut left = mentions(&rewritten.output, uniform);
    for_each_expr(&rewritten.body, &mut |e| left |= mentions(e, uniform));
    if left {
        return refuse(LAW, format!("{uniform} is also used on its own"));
    }
    Ok(rewritten)
}

/// ```text
/// u ~ uniform(0,1); C[ln(−ln(u))]   =   z ~ gumbel(0, 1); C[−z]
/// u ~ exponential(1); C[ln(u)]      =   z ~ gumbel(0, 1); C[−z]
/// ```
/// u is set here only, in whatever block, and occurs in such expressions only.
pub(crate) fn gumbel_law(m: &Mechanism, drawn: &Name, noise: &Name) -> Result<Mechanism, Rejection> {
    const LAW: &str = "GUMBEL-LAW";
    if settings(&m.body, drawn) != 1 {
        return refuse(LAW, format!("{drawn} is not set exactly once"));
    }
    check_new(LAW, m, noise)?;
    let one = Expr::int(1);
    let u = Expr::var(drawn.clone());
    let logarithm = match draw_of(&m.body, drawn).map(|(_, _, law)| law) {
        Some(Distribution::Uniform) => (-u.ln()).ln(),
        Some(Distribution::Exponential { scale }) if *scale == one => u.ln(),
        _ => {
            return refuse(
                LAW,
                format!("{drawn} is drawn neither from uniform(0, 1) nor from exponential(1)"),
            );
        }
    };
    let rewrite = |e: &Expr| (*e == logarithm).then(|| -Expr::var(noise.clone()));
    let law = Distribution::Gumbel { center: Expr::int(0), scale: one };
    let body = redrawn(&map_block(&m.body, &rewrite), drawn, &Statement::Draw { var: noise.clone(), law });
    let rewritten = Mechanism { body, output: m.output.rewrite(&rewrite), ..m.clone() };
    let mut left = mentions(&rewritten.output, drawn);
    for_each_expr(&rewritten.body, &mut |e| left |= mentions(e, drawn));
    if left {
        return refuse(LAW, format!("{drawn} is also used on its own"));
    }
    Ok(rewritten)
}

/// The block with another draw in place of that of a variable.
fn redrawn(body: &[Statement], var: &Name, draw: &Statement) -> Vec<Statement> {
    let inside = |body: &[Statement]| redrawn(body, var, draw);
    let one = |statement: &Statement| match statement {
        Statement::Draw { var: drawn, .. } if drawn == var => draw.clone(),
        other => other.map_blocks(&inside),
    };
    body.iter().map(one).collect()
}

/// The terms of a sum, each with whether it is subtracted; `None` for what is no sum.
fn terms(e: &Expr) -> Option<Vec<(bool, Expr)>> {
    fn collect(e: &Expr, negative: bool, found: &mut Vec<(bool, Expr)>) {
        match e {
            Expr::Binary(Binary::Add, a, b) => {
                collect(a, negative, found);
                collect(b, negative, found);
            }
            Expr::Binary(Binary::Sub, a, b) => {
                collect(a, negative, found);
                collect(b, !negative, found);
            }
            Expr::Unary(Unary::Neg, a) => collect(a, !negative, found),
            term => found.push((negative, term.clone())),
        }
    }
    let is_sum = matches!(e, Expr::Binary(Binary::Add | Binary::Sub, ..) | Expr::Unary(Unary::Neg, _));
    let mut found = Vec::new();
    collect(e, false, &mut found);
    is_sum.then_some(found)
}

/// The sum of terms.
fn sum(terms: impl Iterator<Item = (bool, Expr)>) -> Expr {
    let whole = terms.fold(None, |sum, (negative, term)| {
        Some(match (sum, negative) {
            (None, false) => term,
            (None, true) => -term,
            (Some(sum), false) => sum + term,
            (Some(sum), true) => sum - term,
        })
    });
    whole.unwrap_or(Expr::int(0))
}

/// What is e + a on the one side and e − a on the other, with z for a.
fn turned(yes: &Expr, no: &Expr, a: &Expr, z: &Expr) -> Option<Expr> {
    let of = |e: &Expr| terms(e).unwrap_or_else(|| vec![(false, e.clone())]);
    let (yes, no) = (of(yes), of(no));
    let alike = |(one, other): (&(bool, Expr), &(bool, Expr))| {
        one.1 == other.1 && (one.0 != other.0) == (one.1 == *a)
    };
    let once = yes.iter().filter(|(_, term)| term == a).count() == 1;
    let all = yes.len() == no.len() && yes.iter().zip(&no).all(alike);
    let with = |(sign, term): (bool, Expr)| (sign, if term == *a { z.clone() } else { term });
    (once && all).then(|| sum(yes.into_iter().map(with)))
}

/// A product of s, a and more, with z for s·a.
fn signed(e: &Expr, s: &Expr, a: &Expr, z: &Expr) -> Option<Expr> {
    fn collect(e: &Expr, negative: &mut bool, found: &mut Vec<Expr>) {
        match e {
            Expr::Binary(Binary::Mul, a, b) => {
                collect(a, negative, found);
                collect(b, negative, found);
            }
            Expr::Unary(Unary::Neg, a) => {
                *negative = !*negative;
                collect(a, negative, found);
            }
            factor => found.push(factor.clone()),
        }
    }
    let (mut negative, mut factors) = (false, Vec::new());
    collect(e, &mut negative, &mut factors);
    let once = |wanted: &Expr| factors.iter().filter(|factor| *factor == wanted).count() == 1;
    if !once(s) || !once(a) {
        return None;
    }
    let rest = factors.iter().filter(|factor| *factor != s && *factor != a).cloned();
    let whole = rest.fold(z.clone(), |product, factor| product * factor);
    Some(if negative { -whole } else { whole })
}

/// Whether a number is 1/2.
fn is_half(e: &Expr) -> bool {
    let half = rational(1, 2);
    match e {
        Expr::Number(n) => Some(n.clone()) == half,
        Expr::Binary(Binary::Div, a, b) => match (&**a, &**b) {
            (Expr::Number(a), Expr::Number(b)) if *b != Rational::ZERO => Some(a / b) == half,
            _ => false,
        },
        _ => false,
    }
}
