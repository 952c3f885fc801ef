//! INVERSE-LAW: noise that is written as the inverse of its distribution function at a uniform draw.

use crate::context::{Context, Orientation, for_each_expr};
use crate::equivalence::{check_new, map_block, mentions, refuse, settings};
use crate::expr::{Binary, Expr, Name, Run, Unary, Variable};
use crate::fact::poly;
use crate::rejection::Rejection;
use crate::rules::center::{draw_of, replaced};
use crate::term::{Distribution, Mechanism, Statement};
use probity_exact::{Rational, rational};

/// ```text
/// u ~ uniform(0,1); C[t]   =   z ~ laplace(0, 1); C[r]
/// u ~ uniform(0,1); C[t]   =   z ~ gumbel(0, 1); w ~ gumbel(0, 1); C[r]
/// ```
/// t is `value` and r is `with`. In the first line t = r[z := ln(2u)] for u < 1/2 and t = r[z := −ln(2 − 2u)] for u > 1/2, as polynomials; in the
/// second t = r[z − w := ln(u/(1 − u))], and r reads z and w in z − w only. u is set here only, and read in t only, in its block and behind its draw.
pub(crate) fn inverse_law(
    m: &Mechanism,
    uniform: &Name,
    (value, with): (&Expr, &Expr),
    (noise, less): (&Name, &Name),
) -> Result<Mechanism, Rejection> {
    const LAW: &str = "INVERSE-LAW";
    let context = Context::new(m, Orientation::Forward)?;
    if settings(&m.body, uniform) != 1 {
        return refuse(LAW, format!("{uniform} is not set exactly once"));
    }
    let Some((block, at, Distribution::Uniform)) = draw_of(&m.body, uniform) else {
        return refuse(LAW, format!("{uniform} is not drawn from uniform(0, 1)"));
    };
    check_new(LAW, m, noise)?;
    check_new(LAW, m, less)?;
    let own = |v: &Variable| matches!(v, Variable::Plain(n) if n == noise || n == less || mentions(value, n));
    if let Some(v) = with.find_variable(&|v| !own(v)) {
        return refuse(LAW, format!("'{with}' mentions {v}"));
    }
    let one = || Expr::int(1);
    let standard = |var: &Name, law: Distribution| Statement::Draw { var: var.clone(), law };
    let draws = if is_laplace(&context, value, with, (uniform, noise)) && !mentions(with, less) {
        vec![standard(noise, Distribution::Laplace { center: Expr::int(0), scale: one() })]
    } else if noise != less && is_logistic(&context, value, with, uniform, (noise, less)) {
        let gumbel = || Distribution::Gumbel { center: Expr::int(0), scale: one() };
        vec![standard(noise, gumbel()), standard(less, gumbel())]
    } else {
        return refuse(LAW, format!("'{value}' is not plainly '{with}'"));
    };
    let rewrite = |e: &Expr| (e == value).then(|| with.clone());
    let later = map_block(&block[at + 1..], &rewrite);
    let whole = [block[..at].to_vec(), draws, later].concat();
    // The output is read behind the body, which is the block of a draw at the top level only.
    let output = match m.body.get(at) {
        Some(Statement::Draw { var, .. }) if var == uniform => m.output.rewrite(&rewrite),
        _ => m.output.clone(),
    };
    let rewritten = Mechanism { body: replaced(&m.body, uniform, &whole), output, ..m.clone() };
    let mut left = mentions(&rewritten.output, uniform);
    for_each_expr(&rewritten.body, &mut |e| left |= mentions(e, uniform));
    if left {
        return refuse(LAW, format!("{uniform} is also read elsewhere"));
    }
    Ok(rewritten)
}

/// Whether t = r[z := ln(2u)] for u < 1/2 and t = r[z := −ln(2 − 2u)] for u > 1/2.
fn is_laplace(context: &Context, value: &Expr, with: &Expr, (uniform, noise): (&Name, &Name)) -> bool {
    let u = || Expr::var(uniform.clone());
    let made = |q: Expr| with.replace(&|v| (*v == Variable::Plain(noise.clone())).then(|| q.clone()));
    let lower = made((Expr::int(2) * u()).ln());
    let upper = made(-(Expr::int(2) - Expr::int(2) * u()).ln());
    is_same(context, &on_half(context, value, uniform, false), &lower)
        && is_same(context, &on_half(context, value, uniform, true), &upper)
}

/// Whether t = r[z − w := ln(u/(1 − u))], in one of the ways to write this logarithm.
fn is_logistic(
    context: &Context,
    value: &Expr,
    with: &Expr,
    uniform: &Name,
    (noise, less): (&Name, &Name),
) -> bool {
    let u = || Expr::var(uniform.clone());
    let rest = || Expr::int(1) - u();
    let difference = Expr::var(noise.clone()) - Expr::var(less.clone());
    let ways = [
        (u() / rest()).ln(),
        u().ln() - rest().ln(),
        -(rest() / u()).ln(),
        -(Expr::int(1) / u() - Expr::int(1)).ln(),
    ];
    ways.into_iter().any(|way| {
        let made = with.rewrite(&|part| (*part == difference).then(|| way.clone()));
        !mentions(&made, noise) && !mentions(&made, less) && is_same(context, value, &made)
    })
}

fn is_same(context: &Context, a: &Expr, b: &Expr) -> bool {
    let of = |e: &Expr| poly(context, &context.in_run(e, Run::First));
    matches!((of(a), of(b)), (Ok(a), Ok(b)) if a == b)
}

/// The expression where u lies in (0, 1/2), or in (1/2, 1): conditionals and absolute values that this decides are gone.
pub(crate) fn on_half(context: &Context, e: &Expr, uniform: &Name, upper: bool) -> Expr {
    let sign = |a: &Expr| sign_on_half(context, a, uniform, upper);
    e.rewrite(&|part| match part {
        Expr::If(condition, yes, no) => {
            let Expr::Binary(op, a, b) = &**condition else { return None };
            let grows = sign(&((**b).clone() - (**a).clone()))?;
            let holds = match op {
                Binary::Lt | Binary::Le => grows,
                Binary::Gt | Binary::Ge => !grows,
                _ => return None,
            };
            Some(on_half(context, if holds { yes } else { no }, uniform, upper))
        }
        Expr::Unary(Unary::Abs, a) => {
            let inside = on_half(context, a, uniform, upper);
            Some(if sign(&inside)? { inside } else { -inside })
        }
        _ => None,
    })
}

/// Whether c·u + d, for numbers c and d, is positive for all u in (0, 1/2), or in (1/2, 1); or else negative for all of them.
fn sign_on_half(context: &Context, e: &Expr, uniform: &Name, upper: bool) -> Option<bool> {
    let line = poly(context, &context.in_run(e, Run::First)).ok()?;
    let u = context.in_run(&Expr::var(uniform.clone()), Run::First);
    let (mut slope, mut start) = (Rational::ZERO, Rational::ZERO);
    for (monomial, coefficient) in line.terms() {
        let mut powers = monomial.powers();
        match (powers.next(), powers.next()) {
            (None, _) => start = coefficient.clone(),
            (Some((atom, 1)), None) if *atom == u => slope = coefficient.clone(),
            _ => return None,
        }
    }
    let half = rational(1, 2)?;
    let (low, high) = if upper { (half, Rational::ONE) } else { (Rational::ZERO, half) };
    let (first, last) = (&slope * low + &start, &slope * high + &start);
    let zero = Rational::ZERO;
    let nowhere_below = first >= zero && last >= zero;
    let nowhere_above = first <= zero && last <= zero;
    (nowhere_below != nowhere_above).then_some(nowhere_below)
}
