//! Values of the fields of a row that may tell: those that conditions ask for, and the largest and smallest that are admitted. Nothing
//! here decides anything.

use probity_exact::Rational;
use probity_kernel::expr::{Binary, Expr, Name, Variable};
use probity_kernel::term::{Mechanism, Sort};

use crate::output::outcome::{Inputs, Parameters};
use crate::pair::named::{for_each_expr, for_each_part};
use crate::pair::neighbours::{holds, parameter_value};
use crate::pair::settings::draws_normal_noise;

/// The most values of a field.
pub(super) const MOST_VALUES: usize = 8;

/// Values of a field that is a number or a category; the most telling first.
pub(super) fn values(
    mechanism: &Mechanism,
    parameters: &Parameters,
    (table, field): (&Name, &Name),
    sort: &Sort,
) -> Vec<Rational> {
    let Asked { equal, named, summed } = asked(mechanism, parameters, field);
    let admitted = |x: &Rational| admits(mechanism, parameters, (table, field), x);
    let mut found = match sort {
        Sort::Category { count } => {
            let count = parameter_value(count, parameters).map_or(Rational::ONE, |count| count.low);
            let mut found: Vec<Rational> =
                equal.into_iter().filter(|x| *x >= Rational::ZERO && *x < count && x.is_int()).collect();
            let most = usize::try_from(count.floor()).unwrap_or(1).clamp(1, MOST_VALUES);
            for x in (0..most).map(Rational::from) {
                if !found.contains(&x) {
                    found.push(x);
                }
            }
            found
        }
        _ => {
            let whole = *sort == Sort::Int;
            let fits = |x: &Rational| (!whole || x.is_int()) && admitted(x);
            let named: Vec<Rational> = named.into_iter().filter(|x| fits(x)).collect();
            let numbers: Vec<Rational> =
                numbers(mechanism, parameters).into_iter().filter(|x| fits(x)).collect();
            let numbers = largest_and_smallest(numbers);
            let equal: Vec<Rational> = equal.into_iter().filter(|x| fits(x)).collect();
            // What is summed tells most where it is large. What is only asked about tells most where the answers are yes, of all
            // questions if it can be: an extreme number is beyond all bounds.
            let extreme = if summed { MOST_VALUES / 2 } else { 2 };
            let first = if summed { vec![] } else { equal.clone() };
            let extremes = numbers.iter().take(extreme).cloned();
            first
                .into_iter()
                .chain(extremes)
                .chain(equal)
                .chain(named)
                .chain(numbers.iter().cloned())
                .collect()
        }
    };
    let mut seen: Vec<Rational> = Vec::new();
    found.retain(|x| {
        let new = !seen.contains(x);
        seen.push(x.clone());
        new
    });
    found.truncate(MOST_VALUES);
    found
}

/// What conditions ask of a field, and whether it is summed too.
struct Asked {
    /// Numbers that it is to be equal to.
    equal: Vec<Rational>,
    /// Numbers that it is compared with, and beside them.
    named: Vec<Rational>,
    summed: bool,
}

fn asked(mechanism: &Mechanism, parameters: &Parameters, field: &Name) -> Asked {
    let mut asked = Asked { equal: Vec::new(), named: Vec::new(), summed: false };
    let is_it = |e: &Expr| matches!(e, Expr::Var(Variable::Field(_, name)) if name == field);
    let mut see = |e: &Expr| {
        for_each_part(e, &mut |part| {
            let Expr::Sum(_, condition, value) = part else { return };
            for_each_part(value, &mut |inner| asked.summed |= is_it(inner));
            for side in [condition, value] {
                for_each_part(side, &mut |inner| {
                    let Expr::Binary(op, a, b) = inner else { return };
                    let is_equality = match op {
                        Binary::Eq => true,
                        Binary::Ne | Binary::Lt | Binary::Le | Binary::Ge | Binary::Gt => false,
                        _ => return,
                    };
                    let other = if is_it(a) { b } else { a };
                    if is_it(a) == is_it(b) {
                        return;
                    }
                    let Ok(value) = parameter_value(other, parameters) else { return };
                    if value.low != value.high {
                        return;
                    }
                    match is_equality {
                        true => asked.equal.push(value.low),
                        false => asked.named.extend([0, 1, -1].map(|by| &value.low + Rational::from(by))),
                    }
                });
            }
        });
    };
    for_each_expr(&mechanism.body, &mut see);
    see(&mechanism.output);
    asked
}

/// Whether a number meets what is assumed of this field alone.
fn admits(
    mechanism: &Mechanism,
    parameters: &Parameters,
    (table, field): (&Name, &Name),
    x: &Rational,
) -> bool {
    let this = |v: &Variable| matches!(v, Variable::Field(of, name) if of == table && name == field);
    let other = |v: &Variable| matches!(v, Variable::Field(of, name) if !(of == table && name == field));
    let alone = |a: &&Expr| a.find_variable(&this).is_some() && a.find_variable(&other).is_none();
    mechanism.assumptions.iter().filter(alone).all(|assumption| {
        let at = assumption.replace(&|v| this(v).then(|| Expr::Number(x.clone())));
        matches!(holds(&at, parameters, &Inputs::new()), Ok(true))
    })
}

/// Whether a value has a field in it that nothing bounds: no clamp, no smaller of two, and no assumption.
fn has_free_field(mechanism: &Mechanism, value: &Expr) -> bool {
    match value {
        Expr::Clamp(..) | Expr::Binary(Binary::Min | Binary::Max, ..) => false,
        Expr::Var(field @ Variable::Field(..)) => !mechanism.assumptions.iter().any(|a| a.mentions(field)),
        _ => value.parts().into_iter().flatten().any(|part| has_free_field(mechanism, part)),
    }
}

/// Numbers between which fields are clamped, with which they are compared, and a few others; the largest first.
fn numbers(mechanism: &Mechanism, parameters: &Parameters) -> Vec<Rational> {
    let mut found: Vec<Rational> = [0, 1, -1, 1000].map(Rational::from).to_vec();
    let mut add = |x: Rational| {
        if !found.contains(&x) {
            found.push(x);
        }
    };
    let mut see = |e: &Expr| {
        for_each_part(e, &mut |part| {
            let Expr::Sum(_, condition, value) = part else { return };
            for side in [condition, value] {
                for_each_part(side, &mut |inner| {
                    if let Ok(value) = parameter_value(inner, parameters)
                        && value.low == value.high
                    {
                        add(value.low);
                    }
                });
            }
        });
    };
    for_each_expr(&mechanism.body, &mut see);
    see(&mechanism.output);
    for assumption in &mechanism.assumptions {
        for_each_part(assumption, &mut |inner| {
            if let Ok(value) = parameter_value(inner, parameters)
                && value.low == value.high
            {
                add(value.low);
            }
        });
    }
    // What is summed without bounds is larger than the largest number of the text, which the noise is measured by.
    let mut largest = Rational::from(500);
    let mut unbounded = false;
    for_each_expr(&mechanism.body, &mut |e| {
        for_each_part(e, &mut |part| {
            if let Expr::Sum(_, _, value) = part {
                unbounded |= has_free_field(mechanism, value);
            }
            if let Ok(value) = parameter_value(part, parameters)
                && value.low == value.high
                && value.low > largest
            {
                largest = value.low;
            }
        });
    });
    if unbounded {
        let beyond = largest * Rational::from(4);
        if !found.contains(&beyond) {
            found.push(beyond);
        }
    }
    let size = |x: &Rational| if *x < Rational::ZERO { -x.clone() } else { x.clone() };
    found.sort_by_key(|row| std::cmp::Reverse(size(row)));
    // Normal noise tells numbers apart that are a few deviations apart; of those far out, its probabilities are too small to handle.
    if unbounded && draws_normal_noise(&mechanism.body) {
        let near = [10, 2].map(Rational::from);
        found.retain(|x| !near.contains(x));
        found.splice(0..0, near);
    }
    found
}

/// The largest and the smallest of some numbers, which tell most.
fn largest_and_smallest(mut found: Vec<Rational>) -> Vec<Rational> {
    if found.len() > MOST_VALUES {
        let small = found.split_off(found.len() - MOST_VALUES / 2);
        found.truncate(MOST_VALUES - small.len());
        found.extend(small);
    }
    found
}
