//! Small steps with expressions: what is linear in a draw, and sums without zeros.

use std::sync::Arc;

use probity_exact::Rational;
use probity_kernel::context::Context;
use probity_kernel::expr::{Binary, Expr, Name, Unary, Variable};
use probity_kernel::fact::poly;
use probity_kernel::term::Mechanism;

pub(crate) fn mentions(e: &Expr, name: &Name) -> bool {
    e.mentions(&Variable::Plain(name.clone()))
}

pub(crate) fn parts(expr: &Expr) -> Vec<&Arc<Expr>> {
    match expr {
        Expr::Unary(_, a) | Expr::Index(_, a) => vec![a],
        Expr::Binary(_, a, b) => vec![a, b],
        Expr::Clamp(a, b, c) | Expr::If(a, b, c) => vec![a, b, c],
        // What stands in a sum is about each of its rows.
        _ => vec![],
    }
}

pub(crate) fn visit(expr: &Expr, see: &mut dyn FnMut(&Expr)) {
    see(expr);
    parts(expr).into_iter().for_each(|part| visit(part, see));
}

/// The value of a number that is made of numbers by rational operations.
pub(crate) fn number(e: &Expr) -> Option<Rational> {
    Some(match e {
        Expr::Number(n) => n.clone(),
        Expr::Unary(Unary::Neg, a) => -number(a)?,
        Expr::Binary(op, a, b) => {
            let (a, b) = (number(a)?, number(b)?);
            match op {
                Binary::Add => a + b,
                Binary::Sub => a - b,
                Binary::Mul => a * b,
                Binary::Div if !b.is_zero() => a / b,
                Binary::Min => a.min(b),
                Binary::Max => a.max(b),
                _ => return None,
            }
        }
        _ => return None,
    })
}

/// The expression as factor·y + offset, the factor not 0.
pub(crate) fn linear(expr: &Expr, y: &Name) -> Option<(Expr, Expr)> {
    fn go(expr: &Expr, y: &Name) -> Option<(Expr, Expr)> {
        if !mentions(expr, y) {
            return Some((Expr::int(0), expr.clone()));
        }
        match expr {
            Expr::Var(_) => Some((Expr::int(1), Expr::int(0))),
            Expr::Unary(Unary::Neg, a) => {
                let (c, o) = go(a, y)?;
                Some((minus(Expr::int(0), c), minus(Expr::int(0), o)))
            }
            Expr::Binary(Binary::Add, a, b) => {
                let ((c, o), (d, p)) = (go(a, y)?, go(b, y)?);
                Some((plus(c, d), plus(o, p)))
            }
            Expr::Binary(Binary::Sub, a, b) => {
                let ((c, o), (d, p)) = (go(a, y)?, go(b, y)?);
                Some((minus(c, d), minus(o, p)))
            }
            Expr::Binary(Binary::Mul, a, b) if !mentions(b, y) => {
                let (c, o) = go(a, y)?;
                Some((product(c, (**b).clone()), product(o, (**b).clone())))
            }
            Expr::Binary(Binary::Mul, a, b) if !mentions(a, y) => {
                let (c, o) = go(b, y)?;
                Some((product(c, (**a).clone()), product(o, (**a).clone())))
            }
            Expr::Binary(Binary::Div, a, b) if !mentions(b, y) => {
                let (c, o) = go(a, y)?;
                Some((divided(c, b), divided(o, b)))
            }
            _ => None,
        }
    }
    go(expr, y).filter(|(factor, _)| *factor != Expr::int(0))
}

pub(crate) fn plus(a: Expr, b: Expr) -> Expr {
    match (&a, &b) {
        (Expr::Number(m), Expr::Number(n)) => Expr::Number(m + n),
        (_, Expr::Number(n)) if n.is_zero() => a,
        (Expr::Number(n), _) if n.is_zero() => b,
        (_, Expr::Unary(Unary::Neg, inner)) => minus(a, (**inner).clone()),
        _ => a + b,
    }
}

pub(crate) fn minus(a: Expr, b: Expr) -> Expr {
    if a == b {
        return Expr::int(0);
    }
    match (&a, &b) {
        (Expr::Number(m), Expr::Number(n)) => Expr::Number(m - n),
        (_, Expr::Number(n)) if n.is_zero() => a,
        (Expr::Number(n), Expr::Binary(Binary::Sub, p, q)) if n.is_zero() => (**q).clone() - (**p).clone(),
        (Expr::Number(n), Expr::Unary(Unary::Neg, inner)) if n.is_zero() => (**inner).clone(),
        (Expr::Number(n), _) if n.is_zero() => -b,
        _ => a - b,
    }
}

pub(crate) fn product(a: Expr, b: Expr) -> Expr {
    let zero = Expr::int(0);
    match (&a, &b) {
        (Expr::Number(m), Expr::Number(n)) => Expr::Number(m * n),
        _ if a == zero || b == zero => zero,
        _ if a == Expr::int(1) => b,
        _ if b == Expr::int(1) => a,
        _ => a * b,
    }
}

pub(crate) fn divided(a: Expr, b: &Expr) -> Expr {
    match (&a, b) {
        (Expr::Number(n), _) if n.is_zero() => a,
        (_, Expr::Number(n)) if n.is_one() => a,
        (Expr::Number(m), Expr::Number(n)) if !n.is_zero() => Expr::Number(m / n),
        (_, Expr::Number(n)) if *n == Rational::from(-1) => minus(Expr::int(0), a),
        (_, Expr::Binary(Binary::Div, p, q)) if **p == Expr::int(1) => product(a, (**q).clone()),
        _ => a / b.clone(),
    }
}

/// abs, where the number is not plainly 0 or positive.
pub(crate) fn absolute(e: Expr) -> Expr {
    match &e {
        Expr::Number(n) if *n >= Rational::ZERO => e,
        Expr::Number(n) => Expr::Number(-n.clone()),
        Expr::Binary(Binary::Add, a, b) => {
            // (q − p) + (p − q) is 0.
            if let (Expr::Binary(Binary::Sub, p, q), Expr::Binary(Binary::Sub, r, s)) = (&**a, &**b)
                && p == s
                && q == r
            {
                return Expr::int(0);
            }
            e.abs()
        }
        _ => e.abs(),
    }
}

/// amount / scale, written without a quotient of quotients.
pub(crate) fn over(amount: Expr, scale: &Expr) -> Expr {
    match scale {
        _ if amount == Expr::int(0) => amount,
        Expr::Binary(Binary::Div, n, d) if **n == Expr::int(1) => product((**d).clone(), amount),
        Expr::Binary(Binary::Div, n, d) if **n == amount => (**d).clone(),
        Expr::Binary(Binary::Div, n, d) => product((**d).clone(), amount) / (**n).clone(),
        whole if *whole == Expr::int(1) => amount,
        whole if *whole == amount => Expr::int(1),
        whole => amount / whole.clone(),
    }
}

/// What a product or quotient multiplies with, and what it divides by.
pub(crate) fn factors(e: &Expr, top: &mut Vec<Expr>, bottom: &mut Vec<Expr>) {
    match e {
        Expr::Binary(Binary::Mul, a, b) => {
            factors(a, top, bottom);
            factors(b, top, bottom);
        }
        Expr::Binary(Binary::Div, a, b) => {
            factors(a, top, bottom);
            factors(b, bottom, top);
        }
        _ => top.push(e.clone()),
    }
}

/// The expression as numerator and denominator, without quotients by sums in either.
pub(crate) fn fraction(e: &Expr) -> (Expr, Expr) {
    let one = Expr::int(1);
    match e {
        // Dividing by a number or by one parameter is harmless.
        Expr::Binary(Binary::Div, a, b) if !matches!(**b, Expr::Number(_) | Expr::Var(_)) => {
            let ((n, d), (m, e)) = (fraction(a), fraction(b));
            (product(n, e), product(d, m))
        }
        Expr::Binary(Binary::Mul, a, b) => {
            let ((n, d), (m, e)) = (fraction(a), fraction(b));
            (product(n, m), product(d, e))
        }
        Expr::Binary(op @ (Binary::Add | Binary::Sub), a, b) => {
            let ((n, d), (m, e)) = (fraction(a), fraction(b));
            let join = |a, b| if *op == Binary::Add { plus(a, b) } else { minus(a, b) };
            match d == e {
                true => (join(n, m), d),
                false => (join(product(n, e.clone()), product(m, d.clone())), product(d, e)),
            }
        }
        _ => (e.clone(), one),
    }
}

/// A sum without the terms that mention one of the names.
pub(crate) fn without_names(e: &Expr, names: &[Name]) -> Expr {
    let go = |e: &Expr| without_names(e, names);
    match e {
        Expr::Binary(Binary::Add, a, b) => plus(go(a), go(b)),
        Expr::Binary(Binary::Sub, a, b) => minus(go(a), go(b)),
        Expr::Unary(Unary::Neg, a) => minus(Expr::int(0), go(a)),
        _ if names.iter().any(|name| mentions(e, name)) => Expr::int(0),
        _ => e.clone(),
    }
}

/// The expression with a formula replaced by its truth value.
pub(crate) fn assume(e: &Expr, formula: &Expr, holds: bool) -> Expr {
    if e == formula {
        return Expr::Bool(holds);
    }
    map(e, &|part| assume(part, formula, holds))
}

/// The expression with its parts replaced.
pub(crate) fn map(e: &Expr, go: &dyn Fn(&Expr) -> Expr) -> Expr {
    let go = |part: &Arc<Expr>| Arc::new(go(part));
    match e {
        Expr::Unary(op, a) => Expr::Unary(*op, go(a)),
        Expr::Binary(op, a, b) => Expr::Binary(*op, go(a), go(b)),
        Expr::Clamp(a, b, c) => Expr::Clamp(go(a), go(b), go(c)),
        Expr::If(a, b, c) => Expr::If(go(a), go(b), go(c)),
        Expr::Index(v, i) => Expr::Index(v.clone(), go(i)),
        other => other.clone(),
    }
}

/// Without choices that are decided, and without zeros and ones.
pub(crate) fn simplified(e: &Expr) -> Expr {
    let e = map(e, &|part| simplified(part));
    match &e {
        Expr::If(c, a, b) => match &**c {
            Expr::Bool(true) => (**a).clone(),
            Expr::Bool(false) => (**b).clone(),
            _ => e,
        },
        Expr::Unary(Unary::Not, a) => match &**a {
            Expr::Bool(value) => Expr::Bool(!value),
            _ => e,
        },
        Expr::Binary(op @ (Binary::Eq | Binary::Ne), a, b) => match (&**a, &**b) {
            (Expr::Bool(a), Expr::Bool(b)) => Expr::Bool((a == b) == (*op == Binary::Eq)),
            _ => e,
        },
        Expr::Binary(Binary::Add, a, b) => plus((**a).clone(), (**b).clone()),
        Expr::Binary(Binary::Sub, a, b) => minus((**a).clone(), (**b).clone()),
        Expr::Binary(Binary::Mul, a, b) => product((**a).clone(), (**b).clone()),
        _ => e,
    }
}

/// Whether all variables of an expression are parameters.
pub(crate) fn of_parameters(mechanism: &Mechanism, e: &Expr) -> bool {
    let mut public = true;
    e.for_each_variable(&mut |v| {
        public &= matches!(v, Variable::Plain(name) if mechanism.params.iter().any(|p| p.name == *name));
    });
    public
}

/// A number in normal form, unless it is defined by cases.
pub(crate) fn normal(context: &Context, e: &Expr) -> Expr {
    let mut cases = false;
    visit(e, &mut |part| {
        cases |= matches!(
            part,
            Expr::If(..)
                | Expr::Clamp(..)
                | Expr::Unary(Unary::Abs, _)
                | Expr::Binary(Binary::Min | Binary::Max, ..)
        );
    });
    match poly(context, e) {
        Ok(p) if !cases => p.to_expr(),
        _ => e.clone(),
    }
}
