//! Noise that is written as the inverse of its distribution function at a uniform draw: what to read it as.

use probity_kernel::context::{Context, Orientation, for_each_expr};
use probity_kernel::equivalence::{Rewrite, on_half_of_unit};
use probity_kernel::expr::{Binary, Expr, Name, Unary};
use probity_kernel::term::{Distribution, Mechanism, Statement};

use crate::algebra::{mentions, parts, visit};
use crate::plan::rewrites::{for_each_draw, new_name};

/// The most definitions that are written out on the way.
const MOST_STEPS: usize = 8;

/// A uniform draw as the noise that is made of it, after the steps that bring all that reads it into one expression.
pub(super) fn by_inverse(
    mechanism: &Mechanism,
    stays: &dyn Fn(&Name) -> bool,
) -> Option<(Vec<Rewrite>, Mechanism)> {
    let mut uniforms = Vec::new();
    for_each_draw(&mechanism.body, &mut |var, law| {
        if *law == Distribution::Uniform && !stays(var) {
            uniforms.push(var.clone());
        }
    });
    uniforms.into_iter().find_map(|uniform| {
        let (mut steps, mut current) = (Vec::new(), mechanism.clone());
        for _ in 0..MOST_STEPS {
            if let Some((step, rewritten)) = inverse(&current, &uniform) {
                steps.push(step);
                return Some((steps, rewritten));
            }
            let (step, rewritten) = written_out(&current, &uniform, stays)?;
            steps.push(step);
            current = rewritten;
        }
        None
    })
}

/// The next variable at the top level that is made of a draw, where it is used.
fn written_out(
    mechanism: &Mechanism,
    uniform: &Name,
    stays: &dyn Fn(&Name) -> bool,
) -> Option<(Rewrite, Mechanism)> {
    mechanism.body.iter().find_map(|statement| {
        let step = match statement {
            Statement::If { then, .. } if reads(std::slice::from_ref(statement), uniform) => {
                match then.as_slice() {
                    [Statement::Assign { var, .. }] => Rewrite::Conditional { var: var.clone() },
                    _ => return None,
                }
            }
            Statement::Assign { var, value } if mentions(value, uniform) && !stays(var) => {
                Rewrite::Inline { var: var.clone() }
            }
            _ => return None,
        };
        let rewritten = step.apply(mechanism).ok()?;
        Some((step, rewritten))
    })
}

fn reads(body: &[Statement], name: &Name) -> bool {
    let mut found = false;
    for_each_expr(body, &mut |e| found |= mentions(e, name));
    found
}

/// The law, if one expression alone reads the draw.
fn inverse(mechanism: &Mechanism, uniform: &Name) -> Option<(Rewrite, Mechanism)> {
    let mut found: Vec<Expr> = Vec::new();
    let mut see = |e: &Expr| {
        if mentions(e, uniform) {
            let own = core(e, uniform);
            if !found.contains(own) {
                found.push(own.clone());
            }
        }
    };
    for_each_expr(&mechanism.body, &mut see);
    see(&mechanism.output);
    let [value] = found.as_slice() else { return None };
    let mut logarithm = false;
    visit(value, &mut |part| logarithm |= matches!(part, Expr::Unary(Unary::Ln, _)));
    if !logarithm {
        return None;
    }
    let (noise, less) = (new_name(mechanism, "noise")?, new_name(mechanism, "less")?);
    let context = Context::new(mechanism, Orientation::Forward).ok()?;
    let z = Expr::var(noise.clone());
    let both = z.clone() - Expr::var(less.clone());
    let u = Expr::var(uniform.clone());
    let lower = on_half_of_unit(&context, value, uniform, false);
    let ways = [
        in_place_of_logarithms(&lower, uniform, &|_| z.clone()),
        in_place_of_logarithms(value, uniform, &|_| both.clone()),
        in_place_of_logarithms(value, uniform, &|_| -both.clone()),
        in_place_of_logarithms(value, uniform, &|inside| {
            if *inside == u { both.clone() } else { Expr::int(0) }
        }),
    ];
    ways.into_iter().find_map(|with| {
        let step = Rewrite::InverseLaw {
            uniform: uniform.clone(),
            value: value.clone(),
            with,
            noise: noise.clone(),
            less: less.clone(),
        };
        let rewritten = step.apply(mechanism).ok()?;
        Some((step, rewritten))
    })
}

/// The smallest part of a sum or product that has all that reads a draw.
fn core<'e>(e: &'e Expr, uniform: &Name) -> &'e Expr {
    let through = matches!(
        e,
        Expr::Unary(Unary::Neg, _) | Expr::Binary(Binary::Add | Binary::Sub | Binary::Mul | Binary::Div, ..)
    );
    let mut reading = parts(e).into_iter().filter(|part| mentions(part, uniform));
    match (reading.next(), reading.next()) {
        (Some(one), None) if through => core(one, uniform),
        _ => e,
    }
}

/// The expression with something else for the logarithms that read a draw.
fn in_place_of_logarithms(e: &Expr, uniform: &Name, put: &dyn Fn(&Expr) -> Expr) -> Expr {
    e.rewrite(&|part| match part {
        Expr::Unary(Unary::Ln, inside) if mentions(inside, uniform) => Some(put(inside)),
        _ => None,
    })
}
