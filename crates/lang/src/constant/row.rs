//! What an expression about one row of a table is worth, exactly: the one evaluator of such expressions, with the meanings that the kernel gives.
//!
//! `run` computes sums over rows with it. Releases compute the same sums in machine integers; their tests hold each expression of theirs against
//! this. Truth values are 1 and 0.
//!
//! ```
//! use probity_exact::Rational;
//! use probity_kernel::expr::{Expr, Variable};
//! let age = || Expr::Var(Variable::Field("people".into(), "age".into()));
//! let adult = Expr::int(18).le(age());
//! let at = |age: i64| move |_: &Variable| Some(Rational::from(age));
//! assert_eq!(probity_lang::row::value(&adult, &at(17)), Some(Rational::ZERO));
//! // A quotient by 0 is 0.
//! assert_eq!(probity_lang::row::value(&(Expr::int(1) / age()), &at(0)), Some(Rational::ZERO));
//! ```

use probity_exact::Rational;
use probity_kernel::expr::{Binary, Expr, Unary, Variable};

/// The value of an expression, with `at` for the values of its variables; `None` where a variable has none, and for operations that are not
/// computed exactly for rows ([`is_computed`]).
pub fn value(e: &Expr, at: &dyn Fn(&Variable) -> Option<Rational>) -> Option<Rational> {
    let of = |e: &Expr| value(e, at);
    let flag = |truth: bool| Some(if truth { Rational::ONE } else { Rational::ZERO });
    Some(match e {
        Expr::Number(value) => value.clone(),
        Expr::Bool(truth) => return flag(*truth),
        Expr::Var(variable) => return at(variable),
        Expr::Unary(Unary::Neg, a) => -of(a)?,
        Expr::Unary(Unary::Not, a) => Rational::ONE - of(a)?,
        Expr::Unary(Unary::Abs, a) => {
            let a = of(a)?;
            if a < Rational::ZERO { -a } else { a }
        }
        Expr::Unary(Unary::Floor, a) => Rational::from(of(a)?.floor()),
        Expr::Binary(operation, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            match operation {
                Binary::Add => a + b,
                Binary::Sub => a - b,
                Binary::Mul => a * b,
                Binary::Div if b.is_zero() => Rational::ZERO,
                Binary::Div => a / b,
                Binary::Min => a.min(b),
                Binary::Max => a.max(b),
                Binary::Lt => return flag(a < b),
                Binary::Le => return flag(a <= b),
                Binary::Eq => return flag(a == b),
                Binary::Ne => return flag(a != b),
                Binary::Ge => return flag(a >= b),
                Binary::Gt => return flag(a > b),
                Binary::And => return flag(a == Rational::ONE && b == Rational::ONE),
                Binary::Or => return flag(a == Rational::ONE || b == Rational::ONE),
                Binary::Mod | Binary::RoundTo => return None,
            }
        }
        // max(low, min(value, high)), also for low > high.
        Expr::Clamp(a, low, high) => of(a)?.min(of(high)?).max(of(low)?),
        Expr::If(condition, yes, no) => {
            return if of(condition)? == Rational::ONE { of(yes) } else { of(no) };
        }
        _ => return None,
    })
}

/// Whether every part of an expression is one that [`value`] computes, also parts that a row does not reach.
pub fn is_computed(e: &Expr) -> bool {
    let known = match e {
        Expr::Unary(operation, _) => matches!(operation, Unary::Neg | Unary::Not | Unary::Abs | Unary::Floor),
        Expr::Binary(operation, ..) => !matches!(operation, Binary::Mod | Binary::RoundTo),
        Expr::Number(_) | Expr::Bool(_) | Expr::Var(_) | Expr::Clamp(..) | Expr::If(..) => true,
        _ => false,
    };
    known && e.parts().into_iter().flatten().all(is_computed)
}
