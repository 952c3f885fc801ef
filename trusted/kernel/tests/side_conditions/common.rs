//! Small mechanisms, and what a formula means for given values.

use std::collections::BTreeMap;
use std::sync::Arc;

pub use probity_exact::{Rational, rational};
pub use probity_kernel::context::{Context, Orientation};
pub use probity_kernel::entail::{Evidence, Product, check_entailment};
pub use probity_kernel::expr::{Binary, Expr, Run, Unary, Variable};
pub use probity_kernel::rejection::Rejection;
pub use probity_kernel::rules::{self, Assertion, Judgement};
pub use probity_kernel::sampling::{sample, signed_log, up_to_tail};
pub use probity_kernel::term::{
    Adjacency, Claim, Coupling, Distribution, Input, Mechanism, Param, Reading, Sort, Statement,
};

pub fn var(name: &str) -> Expr {
    Expr::var(name)
}
pub fn first(name: &str) -> Expr {
    Expr::of(name, Run::First)
}
pub fn second(name: &str) -> Expr {
    Expr::of(name, Run::Second)
}
pub fn int(value: i64) -> Expr {
    Expr::int(value)
}
pub fn number(n: i64, d: i64) -> Expr {
    Expr::Number(rational(n, d).unwrap())
}
pub fn yes() -> Expr {
    Expr::Bool(true)
}
pub fn assign(name: &str, value: Expr) -> Statement {
    Statement::Assign { var: name.into(), value }
}
pub fn append(list: &str, value: Expr) -> Statement {
    Statement::Append { list: list.into(), value }
}
pub fn draw(name: &str, law: Distribution) -> Statement {
    Statement::Draw { var: name.into(), law }
}
pub fn choose(guard: Expr, then: Vec<Statement>, otherwise: Vec<Statement>) -> Statement {
    Statement::If { guard, then, otherwise }
}
pub fn count(index: &str, to: Expr, body: Vec<Statement>) -> Statement {
    Statement::For { index: index.into(), from: int(0), to, body }
}
pub fn laplace(center: Expr, scale: Expr) -> Distribution {
    Distribution::Laplace { center, scale }
}
pub fn flip(name: &str, p: Expr) -> Statement {
    draw(name, Distribution::Bernoulli(p))
}
pub fn any(name: &str) -> Variable {
    Variable::Arbitrary(name.into(), 0)
}
pub fn same(name: &str) -> Expr {
    first(name).equals(second(name))
}

/// A mechanism with inputs x real, n int, b bool, q a list, and parameters eps > 0, N ≥ 1 and `free`.
pub fn mechanism(body: Vec<Statement>, output: Expr) -> Mechanism {
    let input = |name: &str, sort| Input { name: name.into(), sort };
    Mechanism {
        name: "m".into(),
        inputs: vec![
            input("x", Sort::Real),
            input("n", Sort::Int),
            input("b", Sort::Bool),
            input("q", Sort::RealList),
        ],
        params: vec![
            Param { name: "eps".into(), sort: Sort::Real },
            Param { name: "N".into(), sort: Sort::Int },
            Param { name: "free".into(), sort: Sort::Real },
        ],
        assumptions: vec![var("eps").gt(int(0)), var("N").ge(int(1))],
        body,
        output,
        adjacency: vec![
            Adjacency::Related((second("x") - first("x")).abs().le(int(1))),
            Adjacency::EveryEntry { list: "q".into(), bound: int(1) },
        ],
    }
}

/// A context in which these statements occur.
pub fn context(body: &[Statement]) -> Arc<Context> {
    Arc::new(refused(body).unwrap())
}

/// The same, or why there is none.
pub fn refused(body: &[Statement]) -> Result<Context, Rejection> {
    Context::new(&mechanism(body.to_vec(), int(0)), Orientation::Forward)
}

pub fn assertion(context: &Context, formula: Expr) -> Assertion {
    Assertion::new(context, formula).unwrap()
}

/// Values for variables; what is not named is 0. A boolean is 0 or 1.
pub type Values = BTreeMap<Variable, Rational>;

pub fn values(given: &[(Variable, i64)]) -> Values {
    given.iter().map(|(v, n)| (v.clone(), Rational::from(*n))).collect()
}
pub fn of(name: &str) -> Variable {
    Variable::Of(name.into(), Run::First)
}
pub fn other(name: &str) -> Variable {
    Variable::Of(name.into(), Run::Second)
}
pub fn plain(name: &str) -> Variable {
    Variable::Plain(name.into())
}

/// Whether a formula holds for these values. ln and exp are exact at 1 and 0, which is all that the tests need.
pub fn holds(formula: &Expr, values: &Values) -> bool {
    value(formula, values) == Rational::ONE
}

pub fn value(expr: &Expr, values: &Values) -> Rational {
    let v = |e: &Expr| value(e, values);
    let truth = |b: bool| Rational::from(u8::from(b));
    match expr {
        Expr::Number(n) => n.clone(),
        Expr::Bool(b) => truth(*b),
        Expr::Var(variable) => values.get(variable).cloned().unwrap_or(Rational::ZERO),
        Expr::Unary(op, a) => match op {
            Unary::Neg => -v(a),
            Unary::Abs => v(a).max(-v(a)),
            Unary::Not => Rational::ONE - v(a),
            Unary::Floor => Rational::from(v(a).floor()),
            Unary::Exp if v(a).is_zero() => Rational::ONE,
            Unary::Ln if v(a) == Rational::ONE => Rational::ZERO,
            _ => panic!("{expr}"),
        },
        Expr::Binary(op, a, b) => {
            let (a, b) = (v(a), v(b));
            match op {
                Binary::Add => a + b,
                Binary::Sub => a - b,
                Binary::Mul => a * b,
                Binary::Div if b.is_zero() => Rational::ZERO,
                Binary::Div => a / b,
                Binary::Min => a.min(b),
                Binary::Max => a.max(b),
                Binary::Lt => truth(a < b),
                Binary::Le => truth(a <= b),
                Binary::Eq => truth(a == b),
                Binary::Ne => truth(a != b),
                Binary::Ge => truth(a >= b),
                Binary::Gt => truth(a > b),
                Binary::And => a * b,
                Binary::Or => a.max(b),
                Binary::Mod | Binary::RoundTo => panic!("{expr}"),
            }
        }
        Expr::Clamp(a, low, high) => v(low).max(v(a).min(v(high))),
        Expr::If(c, a, b) => v(if v(c) == Rational::ONE { a } else { b }),
        _ => panic!("{expr}"),
    }
}

/// Evidence that adds up the given facts.
pub fn sum(facts: &[usize]) -> Evidence {
    let product = |n: &usize| Product { coefficient: Rational::ONE, scale: vec![], facts: vec![*n] };
    Evidence::Combination { products: facts.iter().map(product).collect(), equations: vec![] }
}

/// Numbers of the facts that every context of this file has: eps > 0, N ≥ 1, 0 ≤ length(q), |x' − x| ≤ 1 twice.
pub const KNOWN: usize = 5;
