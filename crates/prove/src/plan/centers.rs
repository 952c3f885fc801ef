//! Noise that is added after its draw, brought to the center of a draw.
//!
//! Draws of two runs are compared by their centers, and in ρ and μ in no other way. So a text in which values meet their noise later
//! is rewritten, draw by draw, where the plain search has failed.

use probity_kernel::equivalence::Rewrite;
use probity_kernel::expr::{Expr, Name, Variable};
use probity_kernel::law::parameters;
use probity_kernel::term::{Distribution, Mechanism, Statement};

use crate::plan::rewrites::{name_output, new_name};

/// The most draws that are rewritten.
const MOST: usize = 60;

/// The text with every value to which noise is added as the center of a draw, as far as that goes.
pub(crate) fn centered(mechanism: &Mechanism) -> Option<(Vec<Rewrite>, Mechanism)> {
    let (mut names, mut steps, mut current) = (Vec::new(), Vec::new(), mechanism.clone());
    noise(&current.body, &mut names);
    let in_output = names.iter().any(|name| current.output.mentions(&Variable::Plain(name.clone())));
    if in_output && let Some((step, named)) = name_output(&current) {
        steps.push(step);
        current = named;
    }
    let before = steps.len();
    // What is drawn around a value may be added to another one.
    while let Some((step, next)) = names.iter().find_map(|name| center(&current, name)) {
        steps.push(step);
        current = next;
        names.clear();
        noise(&current.body, &mut names);
        if steps.len() >= MOST {
            break;
        }
    }
    (steps.len() > before).then_some((steps, current))
}

/// The first expression around a variable that can be drawn instead of it.
fn center(mechanism: &Mechanism, noise: &Name) -> Option<(Rewrite, Mechanism)> {
    let variable = Variable::Plain(noise.clone());
    let mut readers = Vec::new();
    reading(&mechanism.body, &variable, &mut readers);
    let &[(assigned, whole)] = readers.as_slice() else { return None };
    let mut open = vec![whole];
    while let Some(value) = open.pop() {
        if matches!(value, Expr::Var(_)) || !value.mentions(&variable) {
            continue;
        }
        let var = match assigned {
            Some(var) if value == whole => var.clone(),
            _ => new_name(mechanism, "centered")?,
        };
        let step = Rewrite::Center { noise: noise.clone(), value: value.clone(), var };
        if let Ok(next) = step.apply(mechanism) {
            return Some((step, next));
        }
        open.extend(value.parts().into_iter().flatten());
    }
    None
}

/// The expressions that mention a variable, and the variables to which they are assigned.
fn reading<'a>(body: &'a [Statement], variable: &Variable, found: &mut Vec<(Option<&'a Name>, &'a Expr)>) {
    for statement in body {
        let mut see = |var: Option<&'a Name>, e: &'a Expr| {
            if e.mentions(variable) {
                found.push((var, e));
            }
        };
        match statement {
            Statement::Draw { law, .. } => parameters(law).into_iter().for_each(|e| see(None, e)),
            Statement::Assign { var, value } => see(Some(var), value),
            Statement::Append { value, .. } => see(None, value),
            Statement::If { guard, then, otherwise } => {
                see(None, guard);
                reading(then, variable, found);
                reading(otherwise, variable, found);
            }
            Statement::For { from, to, body, .. } => {
                see(None, from);
                see(None, to);
                reading(body, variable, found);
            }
            Statement::While { guard, body, .. } => {
                see(None, guard);
                reading(body, variable, found);
            }
        }
    }
}

/// The variables that are drawn from a law with a center.
fn noise(body: &[Statement], names: &mut Vec<Name>) {
    for statement in body {
        match statement {
            Statement::Draw { var, law } => {
                let has_center = matches!(
                    law,
                    Distribution::Laplace { .. }
                        | Distribution::DiscreteLaplace { .. }
                        | Distribution::Gaussian { .. }
                        | Distribution::DiscreteGaussian { .. }
                );
                if has_center && !names.contains(var) {
                    names.push(var.clone());
                }
            }
            Statement::If { then, otherwise, .. } => {
                noise(then, names);
                noise(otherwise, names);
            }
            Statement::For { body, .. } | Statement::While { body, .. } => noise(body, names),
            Statement::Assign { .. } | Statement::Append { .. } => {}
        }
    }
}
