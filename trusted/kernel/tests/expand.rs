//! What a call means: the program that it stands for, held against one written by hand, line by line. Audits and runs use
//! this definition, so a wrong name or a lost statement in it would show another law than the theorem's.

use probity_kernel::expand::expanded;
use probity_kernel::expr::{Expr, Variable};
use probity_kernel::term::{Called, Claim, Distribution, Input, Mechanism, Param, Reading, Sort, Statement};

fn int(n: i64) -> Expr {
    Expr::int(n)
}

fn var(name: &str) -> Expr {
    Expr::var(name)
}

fn list(name: &str) -> Variable {
    Variable::Plain(name.into())
}

fn assign(name: &str, value: Expr) -> Statement {
    Statement::Assign { var: name.into(), value }
}

fn laplace(name: &str, center: Expr, scale: Expr) -> Statement {
    Statement::Draw { var: name.into(), law: Distribution::Laplace { center, scale } }
}

fn permute_and_flip(name: &str, scores: &str) -> Statement {
    let law = Distribution::PermuteAndFlip { scores: var(scores), scale: var("t") };
    Statement::Draw { var: name.into(), law }
}

fn mechanism(inputs: &[(&str, Sort)], params: &[&str], body: Vec<Statement>, output: Expr) -> Mechanism {
    let input = |(name, sort): &(&str, Sort)| Input { name: (*name).into(), sort: sort.clone() };
    Mechanism {
        name: "m".into(),
        inputs: inputs.iter().map(input).collect(),
        params: params.iter().map(|name| Param { name: (*name).into(), sort: Sort::Real }).collect(),
        assumptions: vec![],
        body,
        output,
        adjacency: vec![],
    }
}

/// A mechanism that adds noise to its input x with scale s.
fn noisy() -> Mechanism {
    mechanism(&[("x", Sort::Real)], &["s"], vec![laplace("n", int(0), var("s"))], var("x") + var("n"))
}

fn call(name: &str, mechanism: Mechanism, inputs: Vec<Expr>, params: Vec<Expr>) -> Statement {
    let claim = Claim { epsilon: int(1), delta: int(0), reading: Reading::Reals };
    let called = Called { mechanism, claim, inputs, params, released: Sort::Real };
    Statement::Draw { var: name.into(), law: Distribution::Called(Box::new(called)) }
}

/// The caller's mechanism: a number a, a list q and a scale t.
fn caller(body: Vec<Statement>) -> Mechanism {
    mechanism(&[("a", Sort::Real), ("q", Sort::RealList)], &["t"], body, var("y"))
}

/// A body with every call written out is this body.
fn is_written(body: Vec<Statement>, by_hand: Vec<Statement>) {
    let whole = caller(body);
    assert_eq!(expanded(&whole), caller(by_hand));
}

/// A call of [`noisy`] on a, with the scale t, as the statements that it stands for.
fn noisy_by_hand(y: &str, prefix: &str) -> Vec<Statement> {
    let own = |name: &str| format!("{prefix}{name}");
    vec![
        assign(&own("x"), var("a")),
        assign(&own("s"), var("t")),
        laplace(&own("n"), int(0), var(&own("s"))),
        assign(y, var(&own("x")) + var(&own("n"))),
    ]
}

fn noisy_call(y: &str) -> Statement {
    call(y, noisy(), vec![var("a")], vec![var("t")])
}

#[test]
fn two_calls_have_names_of_their_own() {
    let by_hand = [noisy_by_hand("w", "_1_"), noisy_by_hand("y", "_2_")].concat();
    is_written(vec![noisy_call("w"), noisy_call("y")], by_hand);
}

#[test]
fn a_prefix_is_in_no_name_of_the_caller() {
    let body = vec![assign("_1_x", int(7)), noisy_call("y")];
    let by_hand = [vec![assign("_1_x", int(7))], noisy_by_hand("y", "__1_")].concat();
    is_written(body, by_hand);
    // As a name of the called mechanism alone it is in the way too, which costs nothing.
    let inner = mechanism(&[], &[], vec![assign("_v", int(3))], var("_v"));
    let by_hand = vec![assign("__1__v", int(3)), assign("y", var("__1__v"))];
    is_written(vec![call("y", inner, vec![], vec![])], by_hand);
}

#[test]
fn calls_inside_branches_and_loops_are_written_out() {
    let branch = |then, otherwise| Statement::If { guard: var("a").le(int(0)), then, otherwise };
    let rounds = |body| Statement::For { index: "i".into(), from: int(2), to: int(5), body };
    let repeat = |body| Statement::While { label: "w".into(), guard: var("a").gt(int(1)), body };
    is_written(
        vec![branch(vec![noisy_call("y")], vec![noisy_call("y"), assign("b", int(1))])],
        vec![branch(
            noisy_by_hand("y", "_1_"),
            [noisy_by_hand("y", "_2_"), vec![assign("b", int(1))]].concat(),
        )],
    );
    is_written(vec![rounds(vec![noisy_call("y")])], vec![rounds(noisy_by_hand("y", "_1_"))]);
    is_written(vec![repeat(vec![noisy_call("y")])], vec![repeat(noisy_by_hand("y", "_1_"))]);
}

#[test]
fn a_call_inside_a_called_mechanism_is_written_out() {
    let middle = mechanism(
        &[("u", Sort::Real)],
        &["r"],
        vec![call("z", noisy(), vec![var("u") + int(1)], vec![var("r")])],
        var("z"),
    );
    is_written(
        vec![call("y", middle, vec![var("a")], vec![var("t")])],
        vec![
            assign("_1_u", var("a")),
            assign("_1_r", var("t")),
            assign("_1__1_x", var("_1_u") + int(1)),
            assign("_1__1_s", var("_1_r")),
            laplace("_1__1_n", int(0), var("_1__1_s")),
            assign("_1_z", var("_1__1_x") + var("_1__1_n")),
            assign("y", var("_1_z")),
        ],
    );
}

#[test]
fn a_list_that_is_passed_on_keeps_its_name_in_lengths_and_entries() {
    for sort in [Sort::RealList, Sort::IntList] {
        let total = |p: &str, of: &str| {
            let entry = var(&format!("{p}i")).index_of(list(of));
            vec![
                assign(&format!("{p}all"), int(0)),
                Statement::For {
                    index: format!("{p}i").into(),
                    from: int(0),
                    to: Expr::Length(list(of)),
                    body: vec![assign(&format!("{p}all"), var(&format!("{p}all")) + entry)],
                },
            ]
        };
        // The name of the second list is the called mechanism's for its first: what is passed is looked up by place.
        let inner = mechanism(
            &[("q", sort.clone()), ("p", sort.clone()), ("x", Sort::Real)],
            &[],
            total("", "q"),
            int(0).index_of(list("p")) + var("all") * var("x"),
        );
        let body = vec![call("y", inner, vec![var("r"), var("q"), var("a")], vec![])];
        let mut by_hand = vec![assign("_1_x", var("a"))];
        by_hand.extend(total("_1_", "r"));
        by_hand.push(assign("y", int(0).index_of(list("q")) + var("_1_all") * var("_1_x")));
        is_written(body, by_hand);
    }
}

#[test]
fn a_number_is_given_by_value_also_where_it_is_a_variable() {
    // The called mechanism may assign its input, which is not the caller's variable.
    let inner = mechanism(&[("x", Sort::Int)], &[], vec![assign("x", var("x") + int(1))], var("x"));
    is_written(
        vec![call("y", inner, vec![var("a")], vec![])],
        vec![assign("_1_x", var("a")), assign("_1_x", var("_1_x") + int(1)), assign("y", var("_1_x"))],
    );
}

#[test]
fn every_statement_of_a_called_mechanism_has_its_names_changed() {
    let statements = |p: &str| {
        let own = |name: &str| format!("{p}{name}");
        let guard = || var(&own("b")).le(var(&own("c")));
        vec![
            assign(&own("out"), Expr::EmptyList),
            laplace(&own("b"), var(&own("c")), var(&own("d"))),
            Statement::If {
                guard: guard(),
                then: vec![assign(&own("b"), int(1))],
                otherwise: vec![assign(&own("c"), int(2))],
            },
            Statement::For {
                index: own("i").into(),
                from: var(&own("b")),
                to: var(&own("c")),
                body: vec![Statement::Append { list: own("out").into(), value: var(&own("i")) }],
            },
            Statement::While {
                label: own("loop").into(),
                guard: guard(),
                body: vec![assign(&own("b"), var(&own("b")) + int(1))],
            },
        ]
    };
    let inner = mechanism(&[], &[], statements(""), var("out"));
    let by_hand = [statements("_1_"), vec![assign("y", var("_1_out"))]].concat();
    is_written(vec![call("y", inner, vec![], vec![])], by_hand);
}

/// Permute and flip on a list as the largest score with exponential noise, names with a prefix.
fn largest(y: &str, of: &str, scale: Expr, p: &str) -> Vec<Statement> {
    let own = |name: &str| format!("{p}{name}");
    let length = || Expr::Length(list(of));
    let some = int(1).le(length()).choose(int(1), int(2));
    vec![
        Statement::Draw { var: own("some").into(), law: Distribution::Bernoulli(some) },
        assign(&own("best"), int(0)),
        assign(&own("place"), int(0)),
        Statement::For {
            index: own("index").into(),
            from: int(0),
            to: length(),
            body: vec![
                Statement::Draw { var: own("noise").into(), law: Distribution::Exponential { scale } },
                assign(&own("score"), var(&own("index")).index_of(list(of)) + var(&own("noise"))),
                Statement::If {
                    guard: var(&own("index")).equals(int(0)).or(var(&own("score")).gt(var(&own("best")))),
                    then: vec![
                        assign(&own("best"), var(&own("score"))),
                        assign(&own("place"), var(&own("index"))),
                    ],
                    otherwise: vec![],
                },
            ],
        },
        assign(y, var(&own("place"))),
    ]
}

// The name of the law has an underscore, so prefixes have two.
#[test]
fn permute_and_flip_is_the_largest_score_with_exponential_noise() {
    let by_hand = [largest("w", "q", var("t"), "__1_"), largest("y", "q", var("t"), "__2_")].concat();
    is_written(vec![permute_and_flip("w", "q"), permute_and_flip("y", "q")], by_hand);
}

/// Gumbel noise around a number, as the law is defined.
fn inverse(y: &str, (center, scale): (Expr, Expr), prefix: &str) -> Vec<Statement> {
    let own = |name: &str| format!("{prefix}{name}");
    let draw = |name: &str, law| Statement::Draw { var: own(name).as_str().into(), law };
    let some = int(0).lt(scale.clone()).choose(int(1), int(2));
    vec![
        draw("some", Distribution::Bernoulli(some)),
        draw("uniform", Distribution::Uniform),
        assign(y, center - scale * (-var(&own("uniform")).ln()).ln()),
    ]
}

#[test]
fn gumbel_noise_is_a_double_logarithm() {
    let gumbel = |name: &str, center: Expr, scale: Expr| Statement::Draw {
        var: name.into(),
        law: Distribution::Gumbel { center, scale },
    };
    let (one, two) = ((var("a"), var("t")), (var("w") + int(1), var("t") * int(2)));
    let by_hand = [inverse("w", one.clone(), "_1_"), inverse("y", two.clone(), "_2_")].concat();
    is_written(vec![gumbel("w", one.0, one.1), gumbel("y", two.0, two.1)], by_hand);
}

#[test]
fn permute_and_flip_of_a_called_mechanism_is_about_the_list_that_was_passed() {
    let inner = mechanism(&[("p", Sort::RealList)], &["t"], vec![permute_and_flip("v", "p")], var("v"));
    let inside = largest("__1_v", "q", var("__1_t"), "__1___1_");
    let by_hand =
        [vec![assign("__1_t", var("t") + int(1))], inside, vec![assign("y", var("__1_v"))]].concat();
    is_written(vec![call("y", inner, vec![var("q")], vec![var("t") + int(1)])], by_hand);
}
