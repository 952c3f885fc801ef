//! MAXDIV on blocks of draws: the masses are those of running every path, and the rule says no when it must.

use std::collections::BTreeMap;
use std::sync::Arc;

use probity_exact::{Rational, rational};
use probity_kernel::context::{Context, Orientation};
use probity_kernel::expr::{Binary, Expr, Name, Run, Variable};
use probity_kernel::finite::{mass, same_value};
use probity_kernel::rejection::Rejection;
use probity_kernel::rules::Assertion;
use probity_kernel::term::{Distribution, Input, Mechanism, Sort, Statement};

fn var(name: &str) -> Expr {
    Expr::var(name)
}
fn int(value: i64) -> Expr {
    Expr::int(value)
}
fn number(n: i64, d: i64) -> Expr {
    Expr::Number(rational(n, d).unwrap())
}
fn assign(name: &str, value: Expr) -> Statement {
    Statement::Assign { var: name.into(), value }
}
fn draw(name: &str, law: Distribution) -> Statement {
    Statement::Draw { var: name.into(), law }
}
fn coin(name: &str, n: i64, d: i64) -> Statement {
    draw(name, Distribution::Bernoulli(number(n, d)))
}

fn context(body: Vec<Statement>) -> Arc<Context> {
    let mechanism = Mechanism {
        name: "m".into(),
        inputs: vec![Input { name: "n".into(), sort: Sort::Int }],
        params: vec![],
        assumptions: vec![],
        body,
        output: var("y"),
        adjacency: vec![],
    };
    Arc::new(Context::new(&mechanism, Orientation::Forward).unwrap())
}

/// The value of a closed expression; truth is 1.
fn value(e: &Expr) -> Rational {
    let truth = |b: bool| if b { Rational::ONE } else { Rational::ZERO };
    match e {
        Expr::Number(x) => x.clone(),
        Expr::Bool(b) => truth(*b),
        Expr::If(c, a, b) => value(if value(c) == Rational::ONE { a } else { b }),
        Expr::Unary(probity_kernel::expr::Unary::Neg, a) => -value(a),
        Expr::Unary(probity_kernel::expr::Unary::Not, a) => Rational::ONE - value(a),
        Expr::Binary(op, a, b) => {
            let (a, b) = (value(a), value(b));
            match op {
                Binary::Add => a + b,
                Binary::Sub => a - b,
                Binary::Mul => a * b,
                Binary::Div => a / b,
                Binary::Lt => truth(a < b),
                Binary::Le => truth(a <= b),
                Binary::Gt => truth(a > b),
                Binary::Ge => truth(a >= b),
                Binary::Eq => truth(a == b),
                Binary::Ne => truth(a != b),
                Binary::And => a * b,
                Binary::Or => truth(a + b > Rational::ZERO),
                other => panic!("{other:?} in a mass"),
            }
        }
        other => panic!("{other} is not closed"),
    }
}

/// The probability that the block ends with y = 0, 1, 2, 3, by running every path.
fn enumerate(
    block: &[Statement],
    known: &BTreeMap<Name, Rational>,
    weight: Rational,
    law: &mut [Rational; 4],
) {
    let read = |e: &Expr| {
        value(&e.replace(&|v| match v {
            Variable::Plain(name) => known.get(name).cloned().map(Expr::Number),
            _ => None,
        }))
    };
    let with = |name: &Name, x: Rational| {
        let mut more = known.clone();
        more.insert(name.clone(), x);
        more
    };
    let Some((statement, rest)) = block.split_first() else {
        let y = &known[&Name::from("y")];
        let place = (0..4).find(|k| *y == Rational::from(*k)).unwrap();
        law[place] += weight;
        return;
    };
    match statement {
        Statement::Draw { var, law: Distribution::Bernoulli(p) } => {
            let p = read(p);
            enumerate(rest, &with(var, Rational::ONE), &weight * &p, law);
            enumerate(rest, &with(var, Rational::ZERO), weight * (Rational::ONE - p), law);
        }
        Statement::Draw { var, law: Distribution::UniformInt { low, high } } => {
            let (low, high) = (read(low), read(high));
            let share = &weight / (&high - &low + Rational::ONE);
            for k in 0..4 {
                let k = Rational::from(k);
                if low <= k && k <= high {
                    enumerate(rest, &with(var, k), share.clone(), law);
                }
            }
        }
        Statement::Assign { var, value } => enumerate(rest, &with(var, read(value)), weight, law),
        Statement::If { guard, then, otherwise } => {
            let branch = if read(guard) == Rational::ONE { then } else { otherwise };
            enumerate(&[&branch[..], rest].concat(), known, weight, law);
        }
        other => panic!("{other:?}"),
    }
}

/// Blocks with coins, choices and a last draw: the masses of all values are those of all paths, and sum to 1.
#[test]
fn masses_are_those_of_all_paths() {
    let one_of = |a: Expr, b: Expr| var("keep").choose(a, b);
    let uniform =
        |low: i64, high: i64| draw("y", Distribution::UniformInt { low: int(low), high: int(high) });
    let branch = |guard: &str, then, otherwise| Statement::If { guard: var(guard), then, otherwise };
    let blocks = [
        vec![coin("keep", 2, 3), assign("y", one_of(int(1), int(3)))],
        vec![
            coin("keep", 1, 5),
            coin("more", 3, 7),
            assign("t", one_of(int(2), int(0))),
            assign("y", var("more").choose(var("t"), int(1))),
        ],
        vec![coin("keep", 1, 4), branch("keep", vec![assign("y", int(2))], vec![uniform(0, 3)])],
        vec![coin("keep", 5, 8), branch("keep", vec![uniform(1, 2)], vec![uniform(0, 2)])],
        vec![uniform(0, 3)],
    ];
    for block in blocks {
        let context = context(block.clone());
        let mut law = [Rational::ZERO, Rational::ZERO, Rational::ZERO, Rational::ZERO];
        enumerate(&block, &BTreeMap::new(), Rational::ONE, &mut law);
        for (k, expected) in law.iter().enumerate() {
            let found = mass(&context, &block, &"y".into(), &int(k as i64), Run::First).unwrap();
            assert_eq!(value(&found.sane), Rational::ONE);
            assert_eq!(value(&found.numerator) / value(&found.denominator), *expected, "{block:?} at {k}");
        }
    }
}

/// What is set besides y is forgotten, the ratio is fixed before the block, and every path ends by setting y.
#[test]
fn what_a_block_must_not_do() {
    let block = vec![coin("keep", 2, 3), assign("y", var("keep").choose(var("n"), int(0)))];
    let ratio = (int(2), int(1));
    let run = |block: &[Statement], ratio: (&Expr, &Expr), post: Expr| {
        same_value(&context(block.to_vec()), block, &"y".into(), ratio, &Assertion::new(post).unwrap())
    };
    let equal = |name: &str| Expr::of(name, Run::First).equals(Expr::of(name, Run::Second));
    assert!(run(&block, (&ratio.0, &ratio.1), equal("y")).is_ok());
    // The coin falls as it likes in either run.
    let forgotten = run(&block, (&ratio.0, &ratio.1), equal("keep"));
    assert!(matches!(forgotten, Err(Rejection::MayNotMention { .. })), "{forgotten:?}");
    // A ratio that depends on what is drawn is no ratio.
    let drawn = Expr::of("y", Run::First);
    assert!(run(&block, (&drawn, &ratio.1), equal("y")).is_err());
    // A path that leaves y as it was, a draw that is no coin before the last, y set twice, a loop.
    let open = vec![
        coin("keep", 1, 2),
        Statement::If { guard: var("keep"), then: vec![assign("y", int(1))], otherwise: vec![] },
    ];
    let early =
        vec![draw("z", Distribution::UniformInt { low: int(0), high: int(1) }), assign("y", var("z"))];
    let noise = vec![draw("y", Distribution::Laplace { center: var("n"), scale: int(1) })];
    let counted =
        vec![Statement::For { index: "i".into(), from: int(0), to: int(2), body: vec![coin("y", 1, 2)] }];
    for bad in [open, early, noise, counted] {
        assert!(run(&bad, (&ratio.0, &ratio.1), equal("y")).is_err(), "{bad:?}");
    }
}

/// A block with too many paths is refused before it is walked.
#[test]
fn too_many_paths_are_refused() {
    let mut block: Vec<Statement> = (0..20).map(|i| coin(&format!("c{i}"), 1, 2)).collect();
    block.push(assign("y", var("c0").choose(int(1), int(0))));
    let found = mass(&context(block.clone()), &block, &"y".into(), &int(1), Run::First);
    assert!(matches!(found, Err(Rejection::TooLarge)), "{found:?}");
}
