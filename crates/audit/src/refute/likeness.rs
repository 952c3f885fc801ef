//! A mechanism with rational numbers in place of what parameters make irrational, as the deviation sqrt(2 · ln(1.25 / δ)) / ε.
//! Its paths are integrated exactly, and suggest events; it decides nothing.

use probity_exact::{Rational, directed, rational_from_f64};
use probity_kernel::expr::{Expr, Variable};
use probity_kernel::law;
use probity_kernel::term::{Mechanism, Statement};

use crate::output::outcome::Parameters;
use crate::pair::neighbours::parameter_value;

/// The mechanism with every expression that the parameters fix, and whose value is no known rational, replaced by a double
/// beside it; `None` if there is none.
pub(crate) fn likeness(mechanism: &Mechanism, parameters: &Parameters) -> Option<Mechanism> {
    let body: Vec<Statement> = mechanism.body.iter().map(|s| statement(s, parameters)).collect();
    (body != mechanism.body).then(|| Mechanism { body, ..mechanism.clone() })
}

fn statement(s: &Statement, parameters: &Parameters) -> Statement {
    let e = |e: &Expr| e.rewrite(&|part| nearby(part, parameters));
    let block = |body: &[Statement]| body.iter().map(|s| statement(s, parameters)).collect::<Vec<_>>();
    match s {
        Statement::Draw { var, law } => Statement::Draw { var: var.clone(), law: law::map(law, &e) },
        Statement::Assign { var, value } => Statement::Assign { var: var.clone(), value: e(value) },
        Statement::Append { list, value } => Statement::Append { list: list.clone(), value: e(value) },
        Statement::If { guard, then, otherwise } => {
            Statement::If { guard: e(guard), then: block(then), otherwise: block(otherwise) }
        }
        Statement::For { index, from, to, body } => {
            Statement::For { index: index.clone(), from: from.clone(), to: to.clone(), body: block(body) }
        }
        Statement::While { label, guard, body } => {
            Statement::While { label: label.clone(), guard: e(guard), body: block(body) }
        }
    }
}

/// A double beside the value of an expression in the parameters that is no known rational.
fn nearby(e: &Expr, parameters: &Parameters) -> Option<Expr> {
    let fixed = |v: &Variable| matches!(v, Variable::Plain(name) if parameters.contains_key(name));
    if matches!(e, Expr::Number(_) | Expr::Var(_)) || e.find_variable(&|v| !fixed(v)).is_some() {
        return None;
    }
    let value = parameter_value(e, parameters).ok()?;
    if value.low == value.high {
        return None;
    }
    let middle = (&value.low + &value.high) / Rational::from(2);
    rational_from_f64(directed::cast_nearest(&middle)).map(Expr::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_irrational_becomes_a_double() {
        let text = "mechanism m(x: real)\nparam d > 0\ny ~ gaussian(x / d, sqrt(d))\nreturn y\n\
                    neighbours abs(x' - x) <= 1\nclaim 1, 1/2";
        let mechanism = probity_lang::load_text(text).unwrap().mechanism;
        let with = |d: i64| likeness(&mechanism, &Parameters::from([("d".into(), Rational::from(d))]));
        let near = with(2).unwrap();
        let Statement::Draw { law, .. } = &near.body[0] else { panic!("{near}") };
        let parts = law::parameters(law);
        let (center, deviation) = (parts[0], parts[1]);
        assert_eq!(center.to_string(), "x / d");
        let Expr::Number(n) = deviation else { panic!("{deviation}") };
        assert_eq!(directed::cast_nearest(n).to_bits(), std::f64::consts::SQRT_2.to_bits());
        assert!(with(4).is_none_or(|near| near != mechanism));
    }
}
