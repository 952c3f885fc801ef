//! MAXDIV: the mass of a block is its exact law, and the rule says no when it must.

use std::collections::BTreeMap;
use std::sync::Arc;

use probity_exact::{Rational, rational};
use probity_kernel::context::{Context, Orientation};
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary, Variable};
use probity_kernel::finite::{mass, same_value};
use probity_kernel::rejection::Rejection;
use probity_kernel::rules::Assertion;
use probity_kernel::term::{Distribution, Input, Mechanism, Param, Sort, Statement};

fn var(name: &str) -> Expr {
    Expr::var(name)
}
fn int(value: i64) -> Expr {
    Expr::int(value)
}
fn r(n: i64, d: i64) -> Rational {
    rational(n, d).unwrap()
}
fn number(n: i64, d: i64) -> Expr {
    Expr::Number(r(n, d))
}
/// exp(0)
fn one() -> Expr {
    int(0).exp()
}
fn assign(name: &str, value: Expr) -> Statement {
    Statement::Assign { var: name.into(), value }
}
fn flip(name: &str, p: Expr) -> Statement {
    Statement::Draw { var: name.into(), law: Distribution::Bernoulli(p) }
}
fn draw(name: &str, law: Distribution) -> Statement {
    Statement::Draw { var: name.into(), law }
}
fn choose(guard: Expr, then: Vec<Statement>, otherwise: Vec<Statement>) -> Statement {
    Statement::If { guard, then, otherwise }
}

/// A mechanism with an input c in 0..3, an input b, a parameter eps, and the block as its body.
fn context(block: &[Statement]) -> Arc<Context> {
    let mechanism = Mechanism {
        name: "m".into(),
        inputs: vec![
            Input { name: "c".into(), sort: Sort::Category { count: int(3) } },
            Input { name: "b".into(), sort: Sort::Bool },
        ],
        params: vec![Param { name: "eps".into(), sort: Sort::Real }],
        assumptions: vec![var("eps").gt(int(0))],
        body: block.to_vec(),
        output: int(0),
        adjacency: vec![],
    };
    Arc::new(Context::new(&mechanism, Orientation::Forward).unwrap())
}

/// Blocks that set y, with every kind of statement that the rule knows.
fn blocks() -> Vec<Vec<Statement>> {
    let response = |value, p, n: i64| Distribution::Response { value, truth: p, count: int(n) };
    vec![
        vec![flip("y", number(1, 3))],
        vec![draw("y", response(var("c"), number(1, 2), 3))],
        vec![draw("y", Distribution::UniformInt { low: int(-1), high: var("c") })],
        vec![draw("y", Distribution::UniformOther { value: var("c"), count: int(3) })],
        vec![draw("y", Distribution::Sign)],
        // Fair coins: heads tells the truth, tails another coin.
        vec![
            flip("k", number(1, 2)),
            choose(var("k"), vec![assign("y", var("b"))], vec![flip("y", number(1, 2))]),
        ],
        // A coin that decides the next one's bias, and a variable in between.
        vec![
            flip("k", var("b").choose(number(1, 4), number(2, 3))),
            assign("p", var("k").choose(number(1, 5), number(1, 2))),
            flip("y", var("p")),
        ],
        // Different laws in different branches, and a value that is overwritten.
        vec![
            assign("y", int(7)),
            choose(
                var("c").lt(int(2)),
                vec![draw("y", response(var("c"), number(3, 5), 3))],
                vec![draw("y", Distribution::UniformInt { low: int(0), high: int(2) })],
            ),
        ],
        vec![
            flip("k", number(1, 4)),
            flip("l", var("k").choose(number(1, 2), int(0))),
            assign("y", var("k").choose(var("c"), var("l").choose(int(1), int(0)))),
        ],
        // Probabilities that are quotients by exponentials, here of 0.
        vec![flip("y", var("b").choose(int(1) / (int(1) + one()), one() / (int(3) * one())))],
        vec![
            flip("k", number(1, 4) + one() / (int(1) + one()) * number(1, 3)),
            choose(var("k"), vec![flip("y", int(1) - one() / (one() + int(4)))], vec![assign("y", var("b"))]),
        ],
        // Set first and changed on one path, by an assignment, by a coin, by what is drawn and copied.
        vec![
            flip("k", number(1, 4)),
            assign("y", var("b")),
            choose(var("k"), vec![assign("y", !var("y"))], vec![]),
            assign("z", int(1)),
        ],
        vec![
            flip("y", number(1, 4)),
            flip("k", number(1, 3)),
            choose(var("k"), vec![flip("y", number(1, 2))], vec![]),
        ],
        vec![
            flip("k", number(1, 4)),
            assign("y", var("c")),
            choose(
                var("k"),
                vec![draw("u", response(var("c"), number(1, 5), 3)), assign("y", var("u"))],
                vec![],
            ),
        ],
        // Paths that leave it as it was.
        vec![choose(var("b"), vec![flip("y", number(1, 2))], vec![])],
        vec![flip("k", number(1, 4)), choose(var("k"), vec![assign("y", int(1) - var("y"))], vec![])],
        vec![
            flip("k", number(1, 4)),
            flip("l", number(1, 3)),
            choose(var("k").and(var("l")), vec![assign("y", var("y") + var("c"))], vec![]),
        ],
        // Dice and signs on the way, in short blocks too.
        vec![draw("k", Distribution::UniformInt { low: int(0), high: int(5) }), flip("y", number(1, 2))],
        vec![draw("y", Distribution::Sign), assign("z", int(1))],
        vec![draw("u", Distribution::Sign), assign("y", var("u") + int(1))],
    ]
    .into_iter()
    .chain(longer_blocks())
    .collect()
}

/// Blocks whose law is written by its outcomes.
fn longer_blocks() -> Vec<Vec<Statement>> {
    let response = |value, p, n: i64| Distribution::Response { value, truth: p, count: int(n) };
    let die = |low, high| Distribution::UniformInt { low, high };
    let is = |n: i64| var("c").equals(int(n));
    vec![
        // A die that decides who answers.
        vec![
            draw("k", die(int(1), int(6))),
            assign("y", var("b")),
            choose(var("k").le(int(2)), vec![assign("y", Expr::Bool(true))], vec![]),
            choose(var("k").equals(int(3)), vec![assign("y", Expr::Bool(false))], vec![]),
        ],
        // Coins that are all heads, and a value that is turned then.
        vec![
            flip("k", number(1, 2)),
            flip("l", number(1, 3)),
            assign("y", var("b")),
            choose(var("k").and(var("l")), vec![assign("y", !var("y"))], vec![]),
        ],
        // Questions about the category before and after the coins, asked again, and turned round.
        vec![
            assign("y", int(0)),
            choose(is(0).or(is(2)), vec![assign("y", int(1))], vec![assign("y", int(2) - var("c"))]),
            flip("k", is(1).choose(number(1, 4), number(2, 3))),
            choose(var("k").and(!is(2)), vec![assign("y", var("c"))], vec![assign("y", -var("y"))]),
            flip("l", number(1, 5)),
            choose(var("l").equals(var("b")), vec![assign("y", int(3) - var("y"))], vec![]),
        ],
        // A draw that is read at the end only, and only on some paths.
        vec![
            flip("k", one() / (int(2) * one())),
            draw("u", die(int(0), int(2))),
            assign("y", var("c")),
            choose(!var("k"), vec![assign("y", var("u"))], vec![]),
        ],
        vec![
            flip("k", number(1, 4)),
            draw("u", Distribution::UniformOther { value: var("c"), count: int(3) }),
            draw("w", response(var("c"), one() / (one() + int(2)), 3)),
            assign("y", var("k").choose(var("u"), var("w"))),
        ],
        // The same draws, read on the way.
        vec![
            flip("k", number(1, 4)),
            draw("u", Distribution::UniformOther { value: var("c"), count: int(3) }),
            draw("w", response(var("c"), number(3, 5), 3)),
            assign("y", var("k").choose(var("u") + var("w"), var("w"))),
            draw("s", Distribution::Sign),
            choose(var("u").gt(var("w")), vec![assign("y", var("y") + var("s"))], vec![]),
        ],
        // Numbers by cases in probabilities, and an answer that is one of them.
        vec![
            assign("m", var("c").max(int(1))),
            flip("k", int(1) / (int(1) + var("m"))),
            flip("l", (var("c") - int(1)).abs() / int(2)),
            assign("y", var("k").choose(var("m"), var("l").choose(var("m").min(var("c")), int(4)))),
        ],
    ]
}

type State = BTreeMap<Name, Rational>;

/// The value of an expression; booleans are 0 and 1.
fn value(expr: &Expr, state: &State) -> Rational {
    let truth = |b: bool| r(i64::from(b), 1);
    let is = |e: &Expr| value(e, state) == r(1, 1);
    match expr {
        Expr::Number(n) => n.clone(),
        Expr::Bool(b) => truth(*b),
        Expr::Var(Variable::Plain(name) | Variable::Of(name, _)) => state[name].clone(),
        Expr::Unary(Unary::Not, a) => truth(!is(a)),
        Expr::Unary(Unary::Neg, a) => -value(a, state),
        Expr::Unary(Unary::Abs, a) => value(a, state).max(-value(a, state)),
        Expr::If(c, a, b) => value(if is(c) { a } else { b }, state),
        // Of 0 alone.
        Expr::Unary(Unary::Exp, a) if value(a, state) == r(0, 1) => r(1, 1),
        Expr::Binary(Binary::And, a, b) => truth(is(a) && is(b)),
        Expr::Binary(Binary::Or, a, b) => truth(is(a) || is(b)),
        Expr::Binary(op, a, b) => {
            let (a, b) = (value(a, state), value(b, state));
            match op {
                Binary::Add => a + b,
                Binary::Sub => a - b,
                Binary::Mul => a * b,
                Binary::Div => {
                    if b == r(0, 1) {
                        b
                    } else {
                        a / b
                    }
                }
                Binary::Lt => truth(a < b),
                Binary::Le => truth(a <= b),
                Binary::Gt => truth(a > b),
                Binary::Min => a.min(b),
                Binary::Max => a.max(b),
                Binary::Eq => truth(a == b),
                Binary::Ne => truth(a != b),
                _ => panic!("{expr}"),
            }
        }
        _ => panic!("{expr}"),
    }
}

/// The law of y after a block, by running it on every outcome of every draw.
fn law(block: &[Statement], state: State) -> BTreeMap<Rational, Rational> {
    fn run(block: &[&Statement], state: State, share: Rational, law: &mut BTreeMap<Rational, Rational>) {
        let Some((statement, rest)) = block.split_first() else {
            *law.entry(state[&Name::from("y")].clone()).or_insert(r(0, 1)) += share;
            return;
        };
        let mut go = |name: &Name, v: Rational, p: Rational| {
            let mut next = state.clone();
            next.insert(name.clone(), v);
            run(rest, next, &share * p, law);
        };
        match statement {
            Statement::Assign { var, value: e } => go(var, value(e, &state), r(1, 1)),
            Statement::If { guard, then, otherwise } => {
                let branch = if value(guard, &state) == r(1, 1) { then } else { otherwise };
                let all: Vec<&Statement> = branch.iter().chain(rest.iter().copied()).collect();
                run(&all, state, share, law);
            }
            Statement::Draw { var, law: Distribution::Bernoulli(p) } => {
                let p = value(p, &state);
                go(var, r(1, 1), p.clone());
                go(var, r(0, 1), r(1, 1) - p);
            }
            Statement::Draw { var, law: distribution } => {
                let whole = |e: &Expr| value(e, &state);
                let masses: Vec<(i64, Rational)> = match distribution {
                    Distribution::Sign => vec![(1, r(1, 2)), (-1, r(1, 2))],
                    Distribution::UniformInt { low, high } => {
                        let all = (-5..10).filter(|&v| whole(low) <= r(v, 1) && r(v, 1) <= whole(high));
                        let all: Vec<i64> = all.collect();
                        all.iter().map(|&v| (v, r(1, all.len() as i64))).collect()
                    }
                    Distribution::UniformOther { value: v, .. } => {
                        (0..3).filter(|&w| r(w, 1) != whole(v)).map(|w| (w, r(1, 2))).collect()
                    }
                    Distribution::Response { value: v, truth: p, .. } => {
                        let p = whole(p);
                        let other = (r(1, 1) - &p) / r(2, 1);
                        (0..3)
                            .map(|w| (w, if r(w, 1) == whole(v) { p.clone() } else { other.clone() }))
                            .collect()
                    }
                    other => panic!("{other}"),
                };
                masses.into_iter().for_each(|(v, p)| go(var, r(v, 1), p));
            }
            other => panic!("{other}"),
        }
    }
    let mut found = BTreeMap::new();
    run(&block.iter().collect::<Vec<_>>(), state, r(1, 1), &mut found);
    found
}

#[test]
fn the_mass_of_a_block_is_its_law() {
    for block in blocks() {
        let context = context(&block);
        let is_flag = matches!(context.kind(&var("y")), probity_kernel::kind::Kind::Bool);
        for c in 0..3 {
            for b in 0..2 {
                // y has a value before the block.
                let state =
                    State::from([("c".into(), r(c, 1)), ("b".into(), r(b, 1)), ("y".into(), r(b, 1))]);
                let truth = law(&block, state.clone());
                let mut total = r(0, 1);
                for v in if is_flag { 0..2 } else { -3..8 } {
                    let at = if is_flag { Expr::Bool(v == 1) } else { int(v) };
                    let found = mass(&context, &block, &"y".into(), &at, Run::First).unwrap();
                    assert_eq!(value(&found.sane, &state), r(1, 1));
                    let denominator = value(&found.denominator, &state);
                    assert!(denominator > r(0, 1));
                    let share = value(&found.numerator, &state) / denominator;
                    assert_eq!(Some(&share), truth.get(&r(v, 1)).or(Some(&r(0, 1))), "{block:?} at {v}");
                    total += share;
                }
                assert_eq!(total, r(1, 1), "{block:?}");
            }
        }
    }
}

fn ratio(a: i64, b: i64) -> (Expr, Expr) {
    (int(a), int(b))
}

#[test]
fn what_is_forgotten_may_not_be_mentioned() {
    let block = vec![flip("k", number(1, 2)), flip("y", var("k").choose(number(1, 3), number(2, 3)))];
    let context = context(&block);
    let about = |name: &str| {
        Assertion::new(&context, Expr::of(name, Run::First).equals(Expr::of(name, Run::Second))).unwrap()
    };
    let (a, b) = ratio(2, 1);
    let couple = |var: &str, post: &Assertion| same_value(&context, &block, &var.into(), (&a, &b), post);
    assert!(couple("y", &about("y")).is_ok());
    assert!(matches!(couple("y", &about("k")), Err(Rejection::MayNotMention { .. })));
    // The other way round the second coin is forgotten.
    assert!(couple("k", &about("k")).is_ok());
    assert!(matches!(couple("k", &about("y")), Err(Rejection::MayNotMention { .. })));
    // A ratio is fixed before the coins are thrown.
    let knows = Expr::of("k", Run::First).choose(int(2), int(1));
    let answer = same_value(&context, &block, &"y".into(), (&knows, &b), &about("y"));
    assert!(matches!(answer, Err(Rejection::KnowsADraw { .. })));
}

#[test]
fn only_finite_draws_have_a_mass() {
    let laplace = draw("y", Distribution::Laplace { center: int(0), scale: int(1) });
    let noise = draw("k", Distribution::Laplace { center: int(0), scale: int(1) });
    let drawn = draw("k", Distribution::UniformInt { low: int(0), high: int(8) });
    let looped =
        Statement::For { index: "i".into(), from: int(0), to: int(2), body: vec![flip("y", number(1, 2))] };
    let list = [assign("l", Expr::EmptyList), Statement::Append { list: "l".into(), value: int(1) }];
    let refused: Vec<Vec<Statement>> = vec![
        vec![laplace],
        // Something that has not finitely many values before the last draw; something that has many, and is read.
        vec![noise, flip("y", number(1, 2))],
        vec![drawn.clone(), flip("y", number(1, 2)), assign("y", var("k").gt(int(3)))],
        vec![drawn, flip("y", var("k") / int(9))],
        vec![looped],
        [list.as_slice(), &[flip("y", number(1, 2))]].concat(),
    ];
    for block in refused {
        let context = context(&block);
        let at = Expr::Bool(true);
        assert!(mass(&context, &block, &"y".into(), &at, Run::First).is_err(), "{block:?}");
    }
    // A block that sets nothing, or something else.
    for block in [vec![], vec![flip("k", number(1, 2))]] {
        let context = context(&block);
        let post = Assertion::new(&context, Expr::Bool(true)).unwrap();
        assert!(same_value(&context, &block, &"y".into(), (&int(1), &int(1)), &post).is_err(), "{block:?}");
    }
    // Each coin doubles the work; beyond a limit the kernel does not look.
    let coins: Vec<Statement> = (0..40).map(|n| flip(&format!("k{n}"), number(1, 2))).collect();
    let block = [coins.as_slice(), &[flip("y", number(1, 2))]].concat();
    let found = mass(&context(&block), &block, &"y".into(), &Expr::Bool(true), Run::First);
    assert_eq!(found, Err(Rejection::TooLarge));
}

/// A list that one path leaves as it is has no mass: only numbers and truth values are compared.
#[test]
fn a_list_that_a_path_leaves_has_no_mass() {
    let coins = || vec![flip("k", number(1, 2)), flip("l", number(1, 2)), flip("m", number(1, 2))];
    for (coins, guard) in [(vec![], Expr::Bool(false)), (coins(), Expr::Bool(false)), (coins(), var("k"))] {
        let block = [coins, vec![choose(guard, vec![assign("y", Expr::EmptyList)], vec![])]].concat();
        let context = context(&block);
        let at = Expr::var("y");
        assert!(mass(&context, &block, &"y".into(), &at, Run::First).is_err(), "{block:?}");
    }
}

/// What a path leaves as it is may differ between the runs: then no ratio is enough.
#[test]
fn what_a_path_leaves_differs_where_it_did_before() {
    let block = vec![flip("k", number(1, 2)), choose(var("k"), vec![assign("y", int(1))], vec![])];
    let context = context(&block);
    let post = Assertion::new(&context, Expr::Bool(true)).unwrap();
    let judged = same_value(&context, &block, &"y".into(), (&int(9), &int(1)), &post).unwrap();
    // The value in question is the one that the first run had.
    let before = |v: i64, w: i64| {
        judged.pre().formula().replace(&|x| match x {
            Variable::Of(_, Run::First) | Variable::Arbitrary(..) => Some(int(v)),
            Variable::Of(_, Run::Second) => Some(int(w)),
            _ => None,
        })
    };
    let holds = |v, w| value(&before(v, w), &State::new()) == r(1, 1);
    assert!(holds(0, 0) && holds(2, 2));
    assert!(!holds(0, 2));
}

/// Everything is put over all denominators, so that each is positive, whether its branch is taken or not.
#[test]
fn denominators_of_all_branches_are_positive() {
    let p = var("c") / (var("c") * one());
    let branch = choose(var("b"), vec![flip("y", p)], vec![flip("y", number(1, 2))]);
    let block = [flip("k", number(1, 2)), flip("l", number(1, 2)), branch];
    let found = mass(&context(&block), &block, &"y".into(), &Expr::Bool(true), Run::First).unwrap();
    for (b, c, sane) in [(0, 0, 0), (1, 0, 0), (0, 1, 1), (1, 1, 1)] {
        let state = State::from([("c".into(), r(c, 1)), ("b".into(), r(b, 1))]);
        assert_eq!(value(&found.sane, &state), r(sane, 1), "{b} {c}");
    }
}

/// Probabilities that are none make the side condition false: what is asked for includes that they are.
#[test]
fn meaningless_laws_are_not_sane() {
    let state = State::from([("c".into(), r(0, 1)), ("b".into(), r(0, 1))]);
    let laws = [
        Distribution::Bernoulli(number(3, 2)),
        Distribution::Bernoulli(number(-1, 2)),
        Distribution::UniformInt { low: int(2), high: int(1) },
        Distribution::UniformOther { value: int(0), count: int(1) },
        Distribution::UniformOther { value: int(5), count: int(3) },
        Distribution::Response { value: int(3), truth: number(1, 2), count: int(3) },
        Distribution::Response { value: int(0), truth: number(3, 2), count: int(3) },
    ];
    for law in laws {
        let block = [draw("y", law.clone())];
        let context = context(&block);
        let at = if matches!(law, Distribution::Bernoulli(_)) { Expr::Bool(true) } else { int(0) };
        let found = mass(&context, &block, &"y".into(), &at, Run::First).unwrap();
        assert_eq!(value(&found.sane, &state), r(0, 1), "{law}");
        // The same inside a coin's branches, where the coin itself is fine.
        let hidden = [flip("k", number(1, 2)), draw("y", law.clone())];
        let context = self::context(&hidden);
        let found = mass(&context, &hidden, &"y".into(), &at, Run::First).unwrap();
        assert_eq!(value(&found.sane, &state), r(0, 1), "{law}");
        // And in a longer block, whether it is read or not.
        for read in [true, false] {
            let first = [flip("k", number(1, 2)), draw("u", law.clone()), flip("l", number(1, 2))];
            let end = if read { assign("y", var("u")) } else { assign("y", at.clone()) };
            let long = [first.as_slice(), &[end]].concat();
            let context = self::context(&long);
            let found = mass(&context, &long, &"y".into(), &at, Run::First).unwrap();
            assert_eq!(value(&found.sane, &state), r(0, 1), "{law}");
        }
    }
}
