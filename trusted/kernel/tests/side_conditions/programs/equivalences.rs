//! Program equivalences: each refuses a program of which it is not true.

use probity_kernel::equivalence::Rewrite;

use crate::common::*;

fn refuses(rewrite: &Rewrite, body: Vec<Statement>, output: Expr) -> bool {
    matches!(rewrite.apply(&mechanism(body, output)), Err(Rejection::NotEquivalent { .. }))
}

fn uniform() -> Statement {
    draw("u", Distribution::Uniform)
}
fn sign() -> Statement {
    draw("s", Distribution::Sign)
}
fn noise() -> Expr {
    var("s") * var("u").ln()
}
fn laplace_law() -> Rewrite {
    Rewrite::LaplaceLaw { uniform: "u".into(), sign: "s".into(), noise: "z".into() }
}

fn applies(rewrite: &Rewrite, body: Vec<Statement>, output: Expr) -> bool {
    rewrite.apply(&mechanism(body, output)).is_ok()
}

#[test]
fn laplace_law_is_of_a_uniform() {
    let other = draw("u", Distribution::Exponential { scale: int(1) });
    assert!(refuses(&laplace_law(), vec![other, sign()], noise()));
    assert!(applies(&laplace_law(), vec![uniform(), sign()], noise()));
}

#[test]
fn laplace_law_is_of_a_sign() {
    let other = draw("s", Distribution::UniformInt { low: int(-1), high: int(1) });
    assert!(refuses(&laplace_law(), vec![uniform(), other], noise()));
    assert!(applies(&laplace_law(), vec![uniform(), sign()], noise()));
}

#[test]
fn laws_need_a_new_name() {
    assert!(refuses(&laplace_law(), vec![uniform(), sign(), assign("z", int(1))], noise()));
    assert!(applies(&laplace_law(), vec![uniform(), sign(), assign("w", int(1))], noise()));
}

#[test]
fn laws_need_draws_before_uses() {
    assert!(refuses(&laplace_law(), vec![uniform(), assign("w", noise()), sign()], var("w")));
    assert!(applies(&laplace_law(), vec![uniform(), sign(), assign("w", noise())], var("w")));
}

#[test]
fn laws_need_both_draws_to_go() {
    assert!(refuses(&laplace_law(), vec![uniform(), sign(), assign("w", noise() + var("u"))], var("w")));
    assert!(refuses(&laplace_law(), vec![uniform(), sign(), assign("w", noise())], var("w") + var("s")));
    assert!(applies(&laplace_law(), vec![uniform(), sign(), assign("w", noise())], var("w")));
}

#[test]
fn laws_need_two_draws() {
    let one = Rewrite::LaplaceLaw { uniform: "u".into(), sign: "u".into(), noise: "z".into() };
    assert!(refuses(&one, vec![uniform()], int(0)));
}

#[test]
fn draws_are_set_once() {
    assert!(refuses(&laplace_law(), vec![uniform(), sign(), sign()], noise()));
    let looped = count("i", int(2), vec![sign()]);
    assert!(refuses(&laplace_law(), vec![uniform(), sign(), looped], noise()));
    assert!(refuses(&laplace_law(), vec![uniform(), sign(), choose(yes(), vec![], vec![sign()])], noise()));
    assert!(applies(&laplace_law(), vec![uniform(), sign()], noise()));
}

fn response_law() -> Rewrite {
    Rewrite::ResponseLaw { keep: "k".into(), other: "o".into(), response: "r".into() }
}
fn answers(p: Expr, value: Expr) -> (Vec<Statement>, Expr) {
    let others = Distribution::UniformOther { value: value.clone(), count: int(3) };
    (vec![flip("k", p), draw("o", others)], var("k").choose(value, var("o")))
}

#[test]
fn response_law_is_of_a_coin() {
    let (mut body, output) = answers(number(1, 2), var("n"));
    assert!(applies(&response_law(), body.clone(), output.clone()));
    body[0] = assign("k", yes());
    assert!(refuses(&response_law(), body, output));
}

#[test]
fn response_law_is_of_the_others() {
    let (mut body, output) = answers(number(1, 2), var("n"));
    body[1] = draw("o", Distribution::UniformInt { low: int(0), high: int(2) });
    assert!(refuses(&response_law(), body, output));
}

/// Between the draws and the answer the true value changes: the answer is no randomized response.
#[test]
fn response_law_is_of_fixed_values() {
    let (mut body, output) = answers(number(1, 2), var("v"));
    body.insert(0, assign("v", var("n")));
    body.push(assign("v", int(0)));
    assert!(refuses(&response_law(), body, output));
    let (body, output) = answers(number(1, 2), var("n"));
    assert!(applies(&response_law(), body, output));
}

fn inline() -> Rewrite {
    Rewrite::Inline { var: "y".into() }
}

#[test]
fn inline_is_of_an_assignment() {
    assert!(refuses(&inline(), vec![draw("y", Distribution::Sign)], var("y")));
    assert!(applies(&inline(), vec![assign("y", int(1))], var("y")));
}

#[test]
fn inline_is_of_a_value() {
    assert!(refuses(&inline(), vec![assign("y", Expr::EmptyList)], int(0)));
    assert!(refuses(&inline(), vec![assign("y", var("y") + int(1))], var("y")));
    assert!(applies(&inline(), vec![assign("y", int(1))], var("y")));
}

#[test]
fn inline_is_before_its_uses() {
    assert!(refuses(&inline(), vec![assign("z", var("y")), assign("y", int(1))], var("z")));
    assert!(applies(&inline(), vec![assign("y", int(1)), assign("z", var("y"))], var("z")));
}

#[test]
fn inline_is_of_what_stays() {
    let body = |later: &str| vec![assign("z", int(0)), assign("y", var("z")), assign(later, int(1))];
    assert!(refuses(&inline(), body("z"), var("y")));
    assert!(applies(&inline(), body("w"), var("y")));
}

#[test]
fn conditionals_set_one_variable() {
    let rewrite = Rewrite::Conditional { var: "y".into() };
    let both = |a: Statement, b: Statement| vec![assign("w", int(0)), choose(var("b"), vec![a], vec![b])];
    assert!(refuses(&rewrite, both(assign("y", int(1)), assign("w", int(2))), var("w")));
    assert!(refuses(&rewrite, both(assign("w", int(1)), assign("y", int(2))), var("w")));
    assert!(applies(&rewrite, both(assign("y", int(1)), assign("y", int(2))), var("y")));
}

#[test]
fn conditionals_start_no_list() {
    let rewrite = Rewrite::Conditional { var: "y".into() };
    let both = |a: Expr| vec![choose(var("b"), vec![assign("y", a.clone())], vec![assign("y", a)])];
    assert!(refuses(&rewrite, both(Expr::EmptyList), int(0)));
    assert!(applies(&rewrite, both(int(1)), int(0)));
}

#[test]
fn names_are_for_expressions() {
    let rewrite = Rewrite::Name { var: "r".into() };
    assert!(refuses(&rewrite, vec![], var("x")));
    assert!(refuses(&rewrite, vec![assign("r", int(1))], var("x") + int(1)), "the name is taken");
    assert!(applies(&rewrite, vec![], var("x") + int(1)));
}

fn unroll() -> Rewrite {
    Rewrite::Unroll { index: "i".into() }
}

fn steps(n: i64) -> Statement {
    count("i", int(n), vec![assign("y", var("i"))])
}

#[test]
fn unroll_writes_a_loop_out() {
    let whole = unroll().apply(&mechanism(vec![assign("y", int(5)), steps(2), steps(3)], var("y"))).unwrap();
    let once = [assign("y", int(5)), assign("y", int(0)), assign("y", int(1)), steps(3)];
    assert_eq!(whole.body, once);
    let none = Statement::For { index: "i".into(), from: int(2), to: int(1), body: vec![] };
    assert_eq!(unroll().apply(&mechanism(vec![none], int(0))).unwrap().body, []);
}

#[test]
fn unroll_without_rounds_changes_no_kind() {
    let none = |value: Expr| Statement::For {
        index: "i".into(),
        from: int(0),
        to: int(0),
        body: vec![assign("y", value)],
    };
    let text = |value: Expr| vec![none(value), choose(Expr::Bool(false), vec![assign("y", int(0))], vec![])];
    assert!(refuses(&unroll(), text(number(1, 2)), var("y")));
    assert!(applies(&unroll(), text(int(1)), var("y")));
    let grows = |value: Expr| {
        let more = Statement::Append { list: "out".into(), value };
        let none = Statement::For { index: "i".into(), from: int(0), to: int(0), body: vec![more] };
        let branch = vec![Statement::Append { list: "out".into(), value: int(0) }];
        vec![none, choose(Expr::Bool(false), branch, vec![])]
    };
    assert!(refuses(&unroll(), grows(number(1, 2)), int(0)), "entries of a list");
    assert!(applies(&unroll(), grows(int(1)), int(0)));
    // Where there are rounds, each sets what the loop sets.
    assert!(applies(&unroll(), vec![count("i", int(1), vec![assign("y", number(1, 2))])], var("y")));
}

#[test]
fn unroll_is_of_a_loop() {
    assert!(refuses(&unroll(), vec![count("j", int(2), vec![])], int(0)));
    assert!(applies(&unroll(), vec![count("i", int(2), vec![])], int(0)));
}

#[test]
fn unroll_is_between_numbers() {
    assert!(refuses(&unroll(), vec![count("i", var("N"), vec![])], int(0)));
    assert!(refuses(&unroll(), vec![count("i", number(3, 2), vec![])], int(0)));
    assert!(applies(&unroll(), vec![count("i", int(2), vec![])], int(0)));
}

#[test]
fn unroll_is_of_few_rounds() {
    let many = unroll().apply(&mechanism(vec![steps(1_001)], int(0)));
    assert_eq!(many, Err(Rejection::TooLarge));
    assert!(applies(&unroll(), vec![steps(1_000)], int(0)));
}

#[test]
fn unroll_leaves_no_index() {
    let body = |rest: Statement| vec![steps(2), rest];
    assert!(refuses(&unroll(), body(assign("z", var("i"))), int(0)));
    assert!(refuses(&unroll(), body(choose(var("i").gt(int(0)), vec![], vec![])), int(0)));
    assert!(refuses(&unroll(), vec![steps(2)], var("i")));
    assert!(applies(&unroll(), body(steps(3)), int(0)));
}

#[test]
fn unroll_is_of_a_body_that_leaves_the_index_alone() {
    assert!(refuses(&unroll(), vec![count("i", int(2), vec![steps(2)])], int(0)));
    assert!(refuses(&unroll(), vec![count("i", int(2), vec![assign("i", int(0))])], int(0)));
    assert!(applies(&unroll(), vec![count("i", int(2), vec![count("j", int(2), vec![])])], int(0)));
}

fn range() -> Rewrite {
    Rewrite::Range { index: "i".into() }
}

fn between(from: Expr, to: Expr, body: Vec<Statement>) -> Statement {
    Statement::For { index: "i".into(), from, to, body }
}

#[test]
fn range_ends_where_it_begins_or_later() {
    let of = |to: Expr| {
        let inner = between(int(1), to.clone(), vec![]);
        vec![between(int(1), to, vec![]), choose(var("b"), vec![inner.clone()], vec![inner])]
    };
    let whole = range().apply(&mechanism(of(var("N")), int(0))).unwrap();
    assert_eq!(whole.body, of(int(1).max(var("N"))));
    // A loop over another index stays as it is, but for those inside it; one around may count what a bound mentions.
    let around = |to: Expr| vec![count("j", int(3), vec![between(var("j"), to, vec![])])];
    let whole = range().apply(&mechanism(around(var("N")), int(0))).unwrap();
    assert_eq!(whole.body, around(var("j").max(var("N"))));
}

#[test]
fn range_is_of_a_loop() {
    assert!(refuses(&range(), vec![count("j", int(2), vec![])], int(0)));
    assert!(applies(&range(), vec![count("i", int(2), vec![])], int(0)));
}

#[test]
fn range_is_of_bounds_that_stay() {
    let set = |loops: Statement| vec![assign("y", int(2)), loops];
    assert!(refuses(&range(), set(between(int(1), var("y"), vec![assign("y", int(3))])), int(0)));
    assert!(refuses(&range(), set(between(var("y"), int(4), vec![assign("y", int(3))])), int(0)));
    assert!(refuses(&range(), set(between(int(1), var("y"), vec![])), int(0)));
    let drawn = draw("y", Distribution::UniformInt { low: int(0), high: int(3) });
    assert!(refuses(&range(), vec![drawn, between(int(1), var("y"), vec![])], int(0)));
    let list = vec![assign("l", Expr::EmptyList), append("l", int(1))];
    let long = between(int(1), Expr::Length(plain("l")), vec![]);
    assert!(refuses(&range(), [list, vec![long]].concat(), int(0)));
    // Set in one branch alone.
    let one = |then: Vec<Statement>, otherwise: Vec<Statement>| {
        let branch = choose(var("b"), then, otherwise);
        refuses(&range(), vec![assign("z", int(1)), branch, between(int(1), var("y"), vec![])], int(0))
    };
    let (set_y, set_z) = (|| vec![assign("y", int(3))], || vec![assign("z", int(3))]);
    assert!(one(set_y(), set_z()) && one(set_z(), set_y()) && one(set_y(), set_y()));
    let again = between(int(1), var("j"), vec![count("j", int(2), vec![])]);
    assert!(refuses(&range(), vec![again], int(0)));
    for fixed in [var("n"), Expr::Length(plain("q")), var("N") + int(1)] {
        assert!(applies(&range(), set(between(int(1), fixed, vec![])), int(0)));
    }
}

/// `if k then c else o` with c among 4 categories, or among N.
fn mixture(p: Expr, range: (Expr, Expr), categories: Expr) -> Result<Mechanism, Rejection> {
    mixture_with(p, vec![], range, categories)
}

/// The same under assumptions, with a coin that says yes a third of the time.
fn mixture_of(assumed: Vec<Expr>, range: (Expr, Expr), categories: Expr) -> Result<Mechanism, Rejection> {
    mixture_with(number(1, 3), assumed, range, categories)
}

fn mixture_with(
    p: Expr,
    assumed: Vec<Expr>,
    (low, high): (Expr, Expr),
    categories: Expr,
) -> Result<Mechanism, Rejection> {
    let body = vec![flip("k", p), draw("o", Distribution::UniformInt { low, high })];
    let mut whole = mechanism(body, var("k").choose(var("c"), var("o")));
    whole.assumptions.extend(assumed);
    whole.inputs.push(Input { name: "c".into(), sort: Sort::Category { count: categories } });
    let law = Rewrite::MixtureLaw { keep: "k".into(), other: "o".into(), response: "r".into() };
    law.apply(&whole)
}

#[test]
fn mixture_law_is_of_a_coin_and_a_die() {
    let law = Rewrite::MixtureLaw { keep: "k".into(), other: "o".into(), response: "r".into() };
    let with = |other: Distribution| {
        let body = vec![flip("k", number(1, 3)), draw("o", other)];
        let mut whole = mechanism(body, var("k").choose(var("c"), var("o")));
        whole.inputs.push(Input { name: "c".into(), sort: Sort::Category { count: int(4) } });
        law.apply(&whole)
    };
    assert!(matches!(with(Distribution::Sign), Err(Rejection::NotEquivalent { .. })));
    assert!(with(Distribution::UniformInt { low: int(0), high: int(3) }).is_ok());
}

#[test]
fn mixture_law_is_a_response() {
    let whole = mixture(number(1, 3), (int(0), int(3)), int(4)).unwrap();
    let [
        Statement::Draw { var: k, .. },
        Statement::Draw { law: Distribution::Response { truth, count, .. }, .. },
    ] = whole.body.as_slice()
    else {
        panic!("{whole}")
    };
    // A third, and a quarter of the rest; k is still drawn.
    assert_eq!((k.as_str(), value(truth, &values(&[])), count), ("k", rational(1, 2).unwrap(), &int(4)));
    assert_eq!(whole.output, var("r"));
}

#[test]
fn mixture_law_is_among_all_categories() {
    assert!(mixture(number(1, 3), (int(0), int(2)), int(4)).is_err());
    assert!(mixture(number(1, 3), (int(0), int(4)), int(4)).is_err());
    assert!(mixture_of(vec![var("N").ge(int(2))], (int(0), var("N") - int(1)), var("N")).is_ok());
    assert!(mixture_of(vec![var("N").ge(int(2))], (int(0), var("N")), var("N")).is_err());
}

#[test]
fn mixture_law_is_among_several_categories() {
    // Where there are no entries, nothing is said of the number.
    let of_entries = Expr::Var(Variable::Entry("q".into())).ge(int(0)).and(var("N").ge(int(2)));
    assert!(mixture_of(vec![of_entries], (int(0), var("N") - int(1)), var("N")).is_err());
    // A response among one category has no value, and a mixture has one.
    assert!(matches!(mixture(number(1, 3), (int(0), int(0)), int(1)), Err(Rejection::NotEquivalent { .. })));
    assert!(mixture(number(1, 3), (int(0), int(1)), int(2)).is_ok());
    let among = |assumed: Expr| mixture_of(vec![assumed], (int(0), var("N") - int(1)), var("N"));
    let n = || var("N");
    for enough in [n().ge(int(2)), int(2).le(n()), n().gt(int(1)), int(1).lt(n()), yes().and(n().ge(int(7)))]
    {
        assert!(among(enough.clone()).is_ok(), "{enough}");
    }
    for little in [
        n().ge(int(1)),
        int(1).le(n()),
        n().gt(int(0)),
        int(0).lt(n()),
        n().le(int(2)),
        n().lt(int(3)),
        n().ge(int(2)).or(n().ge(int(1))),
        n().ge(var("n")),
        var("n").ge(int(2)),
        n().equals(int(1)),
    ] {
        let answer = among(little.clone());
        assert!(matches!(answer, Err(Rejection::NotEquivalent { .. })), "{little}");
    }
}

#[test]
fn mixture_law_is_from_zero() {
    assert!(mixture(number(1, 3), (int(-1), int(3)), int(4)).is_err());
    assert!(mixture(number(1, 3), (int(0), int(3)), int(4)).is_ok());
}

#[test]
fn mixture_law_is_of_fixed_values() {
    let late = |p: Expr| {
        let other = Distribution::UniformInt { low: int(0), high: int(3) };
        let body = vec![assign("w", number(1, 2)), flip("k", p), draw("o", other)];
        let mut whole = mechanism(body, var("k").choose(var("c"), var("o")));
        whole.inputs.push(Input { name: "c".into(), sort: Sort::Category { count: int(4) } });
        Rewrite::MixtureLaw { keep: "k".into(), other: "o".into(), response: "r".into() }.apply(&whole)
    };
    assert!(matches!(late(var("w")), Err(Rejection::NotEquivalent { .. })));
    assert!(late(number(1, 2)).is_ok());
}

#[test]
fn mixture_law_is_of_these_draws() {
    let law = Rewrite::MixtureLaw { keep: "k".into(), other: "o".into(), response: "r".into() };
    let one = |first: Statement, second: Statement| {
        let mut whole = mechanism(vec![first, second], var("k").choose(var("c"), var("o")));
        whole.inputs.push(Input { name: "c".into(), sort: Sort::Category { count: int(4) } });
        law.apply(&whole)
    };
    let all = || draw("o", Distribution::UniformInt { low: int(0), high: int(3) });
    let others = draw("o", Distribution::UniformOther { value: var("c"), count: int(4) });
    assert!(one(flip("k", number(1, 2)), all()).is_ok());
    assert!(matches!(one(flip("k", number(1, 2)), others), Err(Rejection::NotEquivalent { .. })));
    assert!(matches!(one(assign("k", yes()), all()), Err(Rejection::NotEquivalent { .. })));
}

/// What the laws about pairs of draws make, statement by statement; and what else there is stays.
#[test]
fn laws_make_what_they_say() {
    let made = |rewrite: &Rewrite, body: Vec<Statement>, output: Expr| {
        let rewritten = rewrite.apply(&mechanism(body, output)).unwrap();
        (rewritten.body, rewritten.output)
    };
    let (body, output) =
        made(&laplace_law(), vec![uniform(), sign(), assign("w", int(1))], var("x") + noise());
    assert_eq!(body, [draw("z", laplace(int(0), int(1))), assign("w", int(1))]);
    assert_eq!(output, var("x") + var("z"));

    let response = Rewrite::ResponseLaw { keep: "k".into(), other: "o".into(), response: "z".into() };
    let other = draw("o", Distribution::UniformOther { value: var("n"), count: int(3) });
    let chosen = var("k").choose(var("n"), var("o"));
    let (body, output) = made(
        &response,
        vec![flip("k", number(1, 2)), other, assign("w", chosen.clone() + int(1))],
        chosen * int(2),
    );
    let law = Distribution::Response { value: var("n"), truth: number(1, 2), count: int(3) };
    assert_eq!(body, [draw("z", law), assign("w", var("z") + int(1))]);
    assert_eq!(output, var("z") * int(2));

    let inline = Rewrite::Inline { var: "w".into() };
    let (body, output) =
        made(&inline, vec![assign("w", var("x")), assign("v", var("w") + int(1))], var("v") + var("w"));
    assert_eq!(body, [assign("v", var("x") + int(1))]);
    assert_eq!(output, var("v") + var("x"));
}

/// A length changes as its list grows.
#[test]
fn inlined_lengths_stay_as_they_are() {
    let inline = Rewrite::Inline { var: "w".into() };
    let start = assign("l", Expr::EmptyList);
    let length = assign("w", Expr::Length(plain("l")));
    let grown = vec![start.clone(), length.clone(), append("l", int(1))];
    assert!(refuses(&inline, grown, var("w")));
    assert!(applies(&inline, vec![start, append("l", int(1)), length], var("w")));
}

/// The name of an input or of a parameter is taken, whether the program reads it or not.
#[test]
fn declared_names_are_taken() {
    for taken in ["n", "eps"] {
        assert!(refuses(&Rewrite::Name { var: taken.into() }, vec![], int(1) + int(1)), "{taken}");
    }
    assert!(applies(&Rewrite::Name { var: "w".into() }, vec![], int(1) + int(1)));
}

/// The index of a loop that is written out is read nowhere else, however deep.
#[test]
fn indices_of_unrolled_loops_are_gone() {
    let unroll = Rewrite::Unroll { index: "i".into() };
    let first = || count("i", int(2), vec![]);
    let read = || assign("w", var("i"));
    let whiles = |guard: Expr, body| Statement::While { label: "l".into(), guard, body };
    let from = Statement::For { index: "j".into(), from: var("i"), to: int(3), body: vec![] };
    for inside in [
        read(),
        count("j", var("i"), vec![]),
        from,
        count("j", int(2), vec![read()]),
        choose(var("i").gt(int(0)), vec![], vec![]),
        choose(var("b"), vec![read()], vec![]),
        choose(var("b"), vec![], vec![read()]),
        whiles(var("i").gt(int(5)), vec![]),
        whiles(var("b"), vec![read()]),
    ] {
        assert!(refuses(&unroll, vec![first(), inside.clone(), first()], int(0)), "{inside}");
    }
    assert!(applies(&unroll, vec![first(), count("i", int(3), vec![read()])], int(0)), "a loop of its own");
}
