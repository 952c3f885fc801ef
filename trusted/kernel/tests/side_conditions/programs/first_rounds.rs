//! FIRST-ROUND: refuses loops that do not go on as the text before them begins.

use probity_kernel::equivalence::Rewrite;

use crate::common::*;

fn step() -> Rewrite {
    Rewrite::FirstRound { index: "i".into() }
}
fn after(body: Vec<Statement>, output: Expr) -> Result<Vec<Statement>, Rejection> {
    step().apply(&mechanism(body, output)).map(|m| m.body)
}
fn refuses(body: Vec<Statement>, output: Expr) -> bool {
    matches!(after(body, output), Err(Rejection::NotEquivalent { law: "FIRST-ROUND", .. }))
}
fn entry(place: Expr) -> Expr {
    place.index_of(plain("q"))
}
fn noisy(name: &str, center: Expr) -> Statement {
    draw(name, laplace(center, int(1)))
}
fn rounds(from: Expr, to: Expr, body: Vec<Statement>) -> Statement {
    Statement::For { index: "i".into(), from, to, body }
}
fn round() -> Vec<Statement> {
    vec![noisy("v", entry(var("i"))), choose(var("v").gt(var("y")), vec![assign("w", var("i"))], vec![])]
}
/// y ~ laplace(q[0], 1); w = 0; for i in 1..N { v ~ laplace(q[i], 1); if v > y { w = i } }
fn text() -> Vec<Statement> {
    vec![noisy("y", entry(int(0))), assign("w", int(0)), rounds(int(1), var("N"), round())]
}

#[test]
fn first_round_is_a_round_before_the_first() {
    let begun = choose(
        var("i").equals(int(0)),
        vec![assign("y", var("v")), assign("w", int(0))],
        round()[1..].to_vec(),
    );
    let wanted = vec![
        assign("y", int(0)),
        assign("w", int(0)),
        rounds(int(0), int(1).max(var("N")), vec![round()[0].clone(), begun]),
    ];
    assert_eq!(after(text(), var("w")).unwrap(), wanted);
    // In whatever block, and with what is before and behind it where it was.
    let block = |body: Vec<Statement>| vec![count("j", int(2), body)];
    assert_eq!(after(block(text()), var("w")).unwrap(), block(wanted.clone()));
    let branch = |body: Vec<Statement>| vec![assign("w", int(1)), choose(var("b"), vec![], body)];
    assert_eq!(after(branch(text()), var("w")).unwrap(), branch(wanted.clone()));
    let ends = |body: Vec<Statement>| [vec![assign("a", int(7))], body, vec![assign("c", int(8))]].concat();
    assert_eq!(after(ends(text()), var("w")).unwrap(), ends(wanted));
}

#[test]
fn first_round_begins_with_what_is_read_later_only() {
    // A list, what is read before it is set, what a branch sets, and what the draw reads begin as they were.
    let body = |first: Vec<Statement>, center: Expr| {
        let text = [noisy("y", center.clone()), rounds(int(1), var("N"), vec![noisy("v", center)])];
        [vec![text[0].clone()], first, vec![text[1].clone()]].concat()
    };
    let begins = |first: Vec<Statement>, center: Expr| {
        let body = after(body(first, center), int(0)).unwrap();
        body[..body.len() - 1].to_vec()
    };
    let zero = || assign("y", int(0));
    assert_eq!(begins(vec![assign("w", int(3))], int(0)), vec![zero(), assign("w", int(0))]);
    assert_eq!(begins(vec![assign("w", yes())], int(0)), vec![zero(), assign("w", Expr::Bool(false))]);
    assert_eq!(begins(vec![assign("o", Expr::EmptyList)], int(0)), vec![zero()]);
    assert_eq!(begins(vec![assign("w", var("w") + int(1))], int(0)), vec![zero()]);
    let asked = choose(var("w").gt(int(0)), vec![], vec![]);
    assert_eq!(begins(vec![asked, assign("w", int(1))], int(0)), vec![zero()]);
    let branch = choose(var("b"), vec![assign("w", int(1))], vec![]);
    assert_eq!(begins(vec![branch], int(0)), vec![zero()]);
    assert_eq!(begins(vec![assign("w", int(1))], var("w")), vec![zero()]);
    let told = var("w").choose(int(1), int(0));
    assert_eq!(begins(vec![assign("w", yes())], told), vec![zero()]);
    assert_eq!(begins(vec![], var("y")), vec![]);
}

#[test]
fn first_round_is_of_a_loop_from_a_number() {
    let mut body = text();
    body[2] = rounds(var("N"), var("N") + int(3), round());
    assert!(refuses(body, var("w")));
    assert!(refuses(vec![], int(0)));
    assert!(!refuses(text(), var("w")));
}

#[test]
fn first_round_is_of_rounds_that_begin_with_a_draw() {
    let mut body = text();
    body[2] = rounds(int(1), var("N"), [vec![assign("a", int(0))], round()].concat());
    assert!(refuses(body, var("w")));
    let mut body = text();
    body[2] = rounds(int(1), var("N"), vec![]);
    assert!(refuses(body, var("w")));
}

#[test]
fn first_round_is_of_a_draw_before_the_loop() {
    assert!(refuses(text()[1..].to_vec(), var("w")));
    // A loop between them is not moved.
    for between in
        [count("j", int(2), vec![]), choose(var("b"), vec![], vec![noisy("a", int(0))]), noisy("a", int(7))]
    {
        let mut body = text();
        body.insert(1, between);
        assert!(refuses(body, var("w")));
    }
    let mut body = text();
    body.insert(1, choose(var("b"), vec![assign("a", int(0))], vec![]));
    assert!(!refuses(body, var("w")));
}

#[test]
fn first_round_is_of_the_law_of_the_rounds() {
    for center in [entry(int(1)), entry(var("N")), int(0)] {
        let mut body = text();
        body[0] = noisy("y", center);
        assert!(refuses(body, var("w")));
    }
    let mut body = text();
    body[0] = draw("y", laplace(entry(int(0)), int(2)));
    assert!(refuses(body, var("w")));
}

/// With N set before the loop, the loop of the second program would count to what N was.
#[test]
fn first_round_counts_to_what_stays() {
    let body = |to: Expr| {
        let mut body = text();
        body.insert(1, assign("k", int(2)));
        body[3] = rounds(int(1), to, round());
        body
    };
    assert!(refuses(body(var("k")), var("w")));
    assert!(refuses(body(var("y")), var("w")));
    assert!(refuses(body(var("i") + int(1)), var("w")));
    assert!(!refuses(body(var("N")), var("w")));
}

#[test]
fn first_round_draws_what_only_its_rounds_read() {
    // After the loop v would be the first draw where there is no other round.
    assert!(refuses(text(), var("v")));
    assert!(refuses([text(), vec![assign("a", var("v"))]].concat(), var("w")));
    assert!(refuses([vec![assign("v", int(0)), assign("a", var("v"))], text()].concat(), var("w")));
    // Between the draw and the loop v is another one.
    let mut body = text();
    body.insert(1, assign("a", var("v")));
    assert!(refuses(body, var("w")));
    let mut body = text();
    body.insert(1, assign("v", int(0)));
    assert!(refuses(body, var("w")));
    // A law that reads what was drawn in the round before.
    let chain = |name: &str| noisy(name, var("v"));
    assert!(refuses(vec![chain("y"), rounds(int(1), var("N"), vec![chain("v")])], int(0)));
}

#[test]
fn first_round_may_draw_one_name() {
    let same = |read: Expr| {
        let body = vec![
            noisy("v", entry(int(0))),
            assign("y", var("v")),
            assign("v", int(3)),
            rounds(int(1), var("N"), round()),
        ];
        after(body, read)
    };
    let body = same(var("y")).unwrap();
    let Some(Statement::For { body, .. }) = body.last() else { panic!("{body:?}") };
    let Some(Statement::If { then, .. }) = body.last() else { panic!("{body:?}") };
    assert_eq!(then[..], [assign("v", var("v")), assign("y", var("v")), assign("v", int(3))]);
    assert!(matches!(same(var("v")), Err(Rejection::NotEquivalent { .. })));
}

#[test]
fn first_round_leaves_the_index_to_its_loop() {
    assert!(refuses(text(), var("i")));
    let mut body = text();
    body.insert(1, assign("a", var("i")));
    assert!(refuses(body, var("w")));
    assert!(!refuses([text(), vec![rounds(int(0), int(2), vec![assign("w", var("i"))])]].concat(), var("w")));
}
