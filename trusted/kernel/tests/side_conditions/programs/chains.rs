//! CHAIN, ALIKE and SELECT: what is carried forward, and what is not.

use std::sync::Arc;

use probity_kernel::chain::{Chain, one_sided_parts};
use probity_kernel::concentrated::Measure;
use probity_kernel::select::{case, cases, point, select};

use crate::common::*;

/// A chain from a formula, in a context that knows the variables y, z, out and m and the index i.
fn from(formula: Expr) -> (Arc<Context>, Chain) {
    let here = names();
    let chain = Chain::new(&here, &assertion(&here, formula)).unwrap();
    (here, chain)
}

fn names() -> Arc<Context> {
    let noise = draw("u", Distribution::Uniform);
    let list = assign("out", Expr::EmptyList);
    let count = count("i", int(3), vec![assign("m", int(1))]);
    context(&[
        assign("y", int(1)),
        assign("z", int(1)),
        list,
        count,
        noise,
        draw("w", laplace(int(0), int(1))),
    ])
}

/// Whether a chain of statements that are done alike leads from one formula to another.
fn leads(pre: Expr, program: &[Statement], post: Expr) -> bool {
    let (here, chain) = from(pre);
    match chain.alike(program).unwrap().end(&assertion(&here, post)) {
        Ok(whole) => whole.program() == program,
        Err(Rejection::NotKnown { .. }) => false,
        Err(other) => panic!("{other}"),
    }
}

fn not_alike(pre: Expr, program: &[Statement]) -> bool {
    matches!(from(pre).1.alike(program), Err(Rejection::WrongStatement { rule: "ALIKE", .. }))
}

/// ⊢ v = e : Ψ[v := e] ⇒ Ψ
fn set(here: &Arc<Context>, name: &str, value: Expr, post: Expr) -> Judgement {
    rules::assign(here, &assign(name, value), &assertion(here, post)).unwrap()
}

#[test]
fn links_need_what_is_known() {
    let (here, chain) = from(yes());
    let link = set(&here, "y", var("z"), same("y"));
    assert!(matches!(chain.judged(&link), Err(Rejection::NotKnown { .. })));
    let chain = from(same("z")).1.judged(&link).unwrap();
    assert!(chain.end(&assertion(&here, same("y"))).is_ok());
}

#[test]
fn chains_end_with_what_is_known() {
    let (here, chain) = from(yes());
    assert!(matches!(chain.end(&assertion(&here, same("y"))), Err(Rejection::NotKnown { .. })));
    assert!(from(same("y")).1.end(&assertion(&here, same("y"))).is_ok());
}

#[test]
fn links_forget_what_they_set() {
    let fact = first("y").equals(int(1));
    for known in [same("y"), fact.clone()] {
        let (here, chain) = from(known.clone());
        let chain = chain.judged(&set(&here, "y", var("x"), yes())).unwrap();
        assert!(chain.end(&assertion(&here, known.clone())).is_err());
        let chain = from(known.clone()).1.judged(&set(&here, "z", var("x"), yes())).unwrap();
        assert!(chain.end(&assertion(&here, known)).is_ok());
    }
    assert!(!leads(fact.clone(), &[assign("y", int(2))], fact.clone()));
    assert!(leads(fact.clone(), &[assign("z", int(2))], fact));
}

#[test]
fn links_forget_the_index_of_their_loops() {
    let fact = var("i").equals(int(1)).and(first("z").equals(var("i")));
    assert!(!leads(fact.clone(), &[count("i", int(3), vec![assign("m", int(1))])], fact.clone()));
    assert!(leads(fact.clone(), &[assign("m", int(1))], fact));
}

#[test]
fn links_forget_the_cost() {
    let paid = Expr::cost().le(int(0));
    let (here, chain) = from(paid.clone());
    let chain = chain.judged(&set(&here, "y", int(1), yes())).unwrap();
    assert!(chain.end(&assertion(&here, paid.clone())).is_err());
    assert!(leads(paid.clone(), &[assign("y", int(1))], paid));
}

#[test]
fn links_know_no_draw() {
    let (here, chain) = from(yes());
    let noise = draw("w", laplace(int(0), int(1)));
    let drawn = sample(&here, &noise, &Coupling::Null, &assertion(&here, same("w"))).unwrap();
    // Nothing is done, and it ends with w#0 == w#0, of an arbitrary value.
    let nothing = rules::skip(&here, &assertion(&here, yes()));
    let cheat = rules::weaken(&nothing, drawn.pre(), &Evidence::Absurd(KNOWN)).unwrap();
    assert!(matches!(chain.clone().judged(&cheat), Err(Rejection::KnowsADraw { .. })));
    assert!(chain.judged(&nothing).is_ok());
}

#[test]
fn links_are_of_one_context() {
    let (_, chain) = from(yes());
    let there = context(&[assign("y", int(2))]);
    let link = set(&there, "y", int(1), yes());
    assert_eq!(chain.judged(&link).unwrap_err(), Rejection::ContextDiffers);
    let (here, chain) = from(yes());
    assert!(chain.judged(&set(&here, "y", int(1), yes())).is_ok());
}

#[test]
fn links_give_up_together() {
    let (here, chain) = from(yes());
    let noise = draw("w", laplace(int(0), int(1)));
    let sane = var("free").ge(int(0));
    let lossy = up_to_tail(&here, &noise, &Coupling::Null, &var("free"), &assertion(&here, yes())).unwrap();
    // 0 ≤ free is the only thing to show; its negation is fact 6, after free ≥ 0.
    let lossy = rules::strengthen(&sane, &lossy, &sum(&[KNOWN, KNOWN + 1])).unwrap();
    assert!(chain.judged(&lossy).is_err());
    let chain = from(sane).1.judged(&lossy).unwrap().judged(&lossy).unwrap();
    let whole = chain.end(&assertion(&here, yes())).unwrap();
    assert_eq!(value(whole.delta(), &values(&[])), Rational::from(2));
}

#[test]
fn alike_reads_equal_values() {
    assert!(!leads(yes(), &[assign("y", var("x"))], same("y")));
    assert!(leads(same("x"), &[assign("y", var("x"))], same("y")));
    assert!(leads(yes(), &[assign("y", var("N") + int(2))], same("y")));
    assert!(!leads(same("y"), &[assign("y", var("x"))], same("y")));
    assert!(!leads(same("z"), &[assign("y", var("z") + int(0).index_of(plain("q")))], same("y")));
}

#[test]
fn alike_appends_equal_values() {
    let start = assign("out", Expr::EmptyList);
    assert!(!leads(yes(), &[start.clone(), append("out", var("x"))], same("out")));
    assert!(!leads(yes(), &[append("out", int(1))], same("out")));
    assert!(leads(yes(), &[start, append("out", int(1))], same("out")));
}

#[test]
fn alike_draws_without_parameters() {
    assert!(not_alike(yes(), &[draw("w", laplace(int(0), int(1)))]));
    assert!(not_alike(yes(), &[draw("w", laplace(var("x"), int(1)))]));
    assert!(leads(yes(), &[draw("u", Distribution::Uniform)], same("u")));
}

#[test]
fn alike_takes_one_branch() {
    let guard = || var("z").gt(int(0));
    let branches = |a: Vec<Statement>, b: Vec<Statement>| [choose(guard(), a, b)];
    let one = || vec![assign("y", int(1))];
    // Each branch has to leave it equal, and begins with what was before the conditional.
    assert!(leads(same("z"), &branches(one(), vec![assign("y", int(2))]), same("y")));
    assert!(!leads(same("z"), &branches(one(), vec![assign("y", var("x"))]), same("y")));
    assert!(!leads(same("z"), &branches(vec![assign("y", var("x"))], one()), same("y")));
    assert!(!leads(same("z"), &branches(one(), vec![]), same("y")));
    assert!(leads(same("z").and(same("y")), &branches(one(), vec![]), same("y")));
    // With guards that may differ nothing is known of what is set, and nothing may be drawn.
    assert!(!leads(same("y"), &branches(one(), vec![assign("y", int(2))]), same("y")));
    assert!(leads(same("y"), &branches(vec![assign("m", int(1))], vec![]), same("y")));
    let draws = branches(vec![draw("u", Distribution::Uniform)], vec![]);
    assert!(not_alike(yes(), &draws));
    assert!(leads(same("z"), &draws, yes()));
    assert!(not_alike(yes(), &branches(vec![], vec![count("i", int(3), vec![assign("m", int(1))])])));
    let nested = |inner: Vec<Statement>| branches(vec![choose(var("b"), inner, vec![])], vec![]);
    assert!(leads(same("y"), &nested(vec![assign("m", int(1))]), same("y")));
    assert!(!leads(same("y"), &nested(one()), same("y")));
    assert!(not_alike(yes(), &nested(vec![draw("u", Distribution::Uniform)])));
}

#[test]
fn alike_loops_come_round() {
    // z is y of the round before, and y becomes x: after two rounds z differs.
    let shuffle = |last: Expr| vec![assign("z", var("y")), assign("y", last)];
    let begin = || same("y").and(same("z"));
    assert!(!leads(begin(), &[count("i", int(3), shuffle(var("x")))], same("z")));
    assert!(leads(begin(), &[count("i", int(3), shuffle(int(1)))], same("z")));
    // There may be no round at all.
    assert!(!leads(same("y"), &[count("i", int(3), shuffle(int(1)))], same("z")));
    assert!(not_alike(yes(), &[count("i", var("n"), vec![])]));
    assert!(leads(same("n"), &[count("i", var("n"), vec![])], yes()));
    let from_n = Statement::For { index: "i".into(), from: var("n"), to: int(3), body: vec![] };
    assert!(not_alike(yes(), std::slice::from_ref(&from_n)));
    assert!(leads(same("n"), &[from_n], yes()));
}

fn walk(body: Vec<Statement>) -> Statement {
    Statement::While { label: "walk".into(), guard: var("y").gt(int(0)), body }
}

#[test]
fn alike_guards_of_loops_are_equal() {
    assert!(not_alike(yes(), &[walk(vec![])]));
    assert!(leads(same("y"), &[walk(vec![])], same("y")));
    assert!(not_alike(same("y"), &[walk(vec![assign("y", var("x"))])]));
    assert!(leads(same("y"), &[walk(vec![assign("y", var("y") - int(1))])], same("y")));
}

#[test]
fn alike_loops_end_in_rho() {
    let body = [assign("y", int(1)), walk(vec![])];
    let here =
        Context::measured(&mechanism(body.to_vec(), int(0)), Orientation::Forward, Measure::Concentrated);
    let here = Arc::new(here.unwrap());
    let chain = Chain::new(&here, &assertion(&here, yes())).unwrap();
    assert!(matches!(chain.clone().alike(&body), Err(Rejection::WrongMeasure { .. })));
    assert!(chain.alike(&body[..1]).is_ok());
}

/// ⊢ y = 1 : cost == 0 ⇒ (y == result ⇒ y' == result and cost ≤ 0), where y is an integer.
fn chosen(here: &Arc<Context>) -> Judgement {
    let link = set(here, "y", int(1), point(&"y".into(), &int(0)));
    // Facts: cost == 0, 1 == result, and 1 ≠ result from above, from below, or cost > 0.
    let product = || Product { coefficient: Rational::ONE, scale: vec![], facts: vec![KNOWN + 3] };
    let close = |equation: usize, sign: i64| Evidence::Combination {
        products: vec![product()],
        equations: vec![(equation, int(sign))],
    };
    let sign = |bits: i64, place: i64| if bits >> place & 1 == 0 { 1 } else { -1 };
    let found = (0..8).filter_map(|bits| {
        let (a, b, c) = (sign(bits, 0), sign(bits, 1), sign(bits, 2));
        let cases = vec![close(KNOWN + 1, a), close(KNOWN + 1, b), close(KNOWN, c)];
        let nothing = Expr::cost().equals(int(0));
        rules::strengthen(&nothing, &link, &Evidence::Cases(KNOWN + 2, cases)).ok()
    });
    { found }.next().unwrap()
}

#[test]
fn select_proves_a_step() {
    let here = names();
    let step = select(&chosen(&here), &"y".into(), &int(0), &var("eps")).unwrap();
    assert_eq!(step.pre().formula().to_string(), "cost <= eps");
    assert_eq!(step.post().formula().to_string(), "y == y' and cost <= eps + 0");
    assert!(step.axioms().contains("PW-EQ"));
}

#[test]
fn select_is_of_the_point() {
    let here = names();
    let wrong = select(&chosen(&here), &"y".into(), &int(1), &int(0));
    assert!(matches!(wrong, Err(Rejection::WrongGoal { .. })));
    let other = select(&chosen(&here), &"z".into(), &int(0), &int(0));
    assert!(matches!(other, Err(Rejection::WrongGoal { .. })));
}

#[test]
fn select_is_countable() {
    let here = context(&[assign("y", number(1, 2))]);
    let link = set(&here, "y", number(1, 2), point(&"y".into(), &int(0)));
    let no = select(&link, &"y".into(), &int(0), &int(0));
    assert!(matches!(no, Err(Rejection::NotCountable { .. })));
}

#[test]
fn select_gives_up_nothing() {
    let here = names();
    let noise = draw("w", laplace(int(0), int(1)));
    let lossy = up_to_tail(&here, &noise, &Coupling::Null, &int(1), &assertion(&here, yes())).unwrap();
    let no = select(&lossy, &"y".into(), &int(0), &int(0));
    assert!(matches!(no, Err(Rejection::ClaimNotCovered { .. })));
}

#[test]
fn select_is_pure() {
    let body = vec![assign("y", int(1))];
    let here =
        Context::measured(&mechanism(body, int(0)), Orientation::Forward, Measure::Concentrated).unwrap();
    let here = Arc::new(here);
    let link = set(&here, "y", int(1), point(&"y".into(), &int(0)));
    let no = select(&link, &"y".into(), &int(0), &int(0));
    assert!(matches!(no, Err(Rejection::WrongMeasure { .. })));
}

#[test]
fn select_costs_are_fixed() {
    let here = names();
    for moving in [first("y"), second("y"), Expr::cost(), Expr::Var(Variable::Result)] {
        let no = select(&chosen(&here), &"y".into(), &int(0), &moving);
        assert!(matches!(no, Err(Rejection::MayNotMention { .. })), "{moving}");
    }
    assert!(select(&chosen(&here), &"y".into(), &int(0), &first("z")).is_ok());
}

#[test]
fn select_begins_with_no_cost() {
    let here = names();
    // The precondition still speaks of the result and of a cost that is not 0.
    let link = set(&here, "y", int(1), point(&"y".into(), &int(0)));
    let no = select(&link, &"y".into(), &int(0), &int(0));
    assert!(matches!(no, Err(Rejection::MayNotMention { .. })));
}

/// ONE-SIDED: each run's part of a formula is what that run's statement makes of it.
#[test]
fn one_sided_steps_are_of_both_runs() {
    let body = choose(var("b"), vec![assign("y", var("x") + int(1))], vec![assign("y", int(7))]);
    let context = context(&[assign("y", int(0)), body.clone()]);
    let post = first("y").le(int(3)).and(second("y").le(int(5))).and((first("y") + second("y")).le(int(7)));
    let post = assertion(&context, post);
    let steps = [
        one_sided_parts(&context, &body, &post).unwrap(),
        rules::one_sided_both(&context, &body, &post).unwrap(),
    ];
    for step in steps {
        for (x, y) in (0..6).flat_map(|x| (0..6).map(move |y| (x, y))) {
            for (b, c) in [(1, 1), (1, 0), (0, 1)] {
                let ends = [(b, x), (c, y)].map(|(b, x)| if b == 1 { x + 1 } else { 7 });
                let given = [(of("x"), x), (other("x"), y), (of("b"), b), (other("b"), c)];
                let after = [(of("y"), ends[0]), (other("y"), ends[1])];
                let expected = holds(post.formula(), &values(&after));
                assert_eq!(holds(step.pre().formula(), &values(&given)), expected, "{given:?}");
            }
        }
    }
}

#[test]
fn formulas_are_not_deep() {
    let here = names();
    let deep = |n: usize| (0..n).fold(first("y"), |e, _| -e).le(int(0));
    assert_eq!(Assertion::new(&here, deep(2_000)).unwrap_err(), Rejection::TooLarge);
    assert!(Assertion::new(&here, deep(100)).is_ok());
    // What a program does to a formula is looked at step by step.
    let twice = |n: usize| assign("y", (0..n).fold(var("y"), |e, _| -e));
    let context = context(&[assign("y", int(1)), twice(800), twice(2)]);
    let post = assertion(&context, deep(800));
    assert_eq!(rules::assign(&context, &twice(800), &post).unwrap_err(), Rejection::TooLarge);
    assert!(rules::assign(&context, &twice(2), &post).is_ok());
    let branch = |body: Vec<Statement>| choose(var("b"), body, vec![]);
    let long = rules::one_sided_both(&context, &branch(vec![twice(800)]), &post);
    assert_eq!(long.unwrap_err(), Rejection::TooLarge);
    assert!(rules::one_sided_both(&context, &branch(vec![twice(2)]), &post).is_ok());
    let long = one_sided_parts(&context, &branch(vec![twice(800)]), &post);
    assert_eq!(long.unwrap_err(), Rejection::TooLarge);
    assert!(one_sided_parts(&context, &branch(vec![twice(2)]), &post).is_ok());
}

#[test]
fn questions_are_not_deep() {
    let here = names();
    let deep = |n: usize| (0..n).fold(first("y"), |e, _| -e).le(int(0));
    let absurd = Evidence::Absurd(KNOWN);
    assert_eq!(check_entailment(&here, &[], &deep(2_000), &absurd).unwrap_err(), Rejection::TooLarge);
    assert!(check_entailment(&here, &[&Expr::Bool(false)], &deep(100), &absurd).is_ok());
}

/// v == v' of one variable, and in this order, is what ALIKE follows; x == n' says nothing of x and x'.
#[test]
fn equalities_are_of_one_variable() {
    let (_, chain) = from(first("x").equals(second("n")));
    assert!(chain.equal().is_empty());
    let (_, chain) = from(same("x").and(first("y").equals(first("y"))));
    assert!(chain.equal().iter().eq([&"x".into()]));
}

/// What SELECT asks of every answer, word for word.
#[test]
fn points_say_what_they_say() {
    let said = "not y == result or y' == result and cost <= 3";
    assert_eq!(point(&"y".into(), &int(3)).to_string(), said);
}

/// What APPEND asks of lists that are apart, word for word.
#[test]
fn appended_values_are_apart() {
    let grown = append("l", var("x"));
    let context = context(std::slice::from_ref(&grown));
    let post = assertion(&context, Expr::apart("l", int(-1), first("x")));
    let step = rules::append(&context, &grown, &post).unwrap();
    assert_eq!(step.pre().formula().to_string(), "apart(l, -1, x) and (-1 <= x' - x and x' - x <= x)");
}

/// y = x, and whether y > 0: what holds after each answer.
fn answers(here: &Arc<Context>, post: Expr) -> [Judgement; 2] {
    let post = assertion(here, post);
    let set = assign("y", var("x"));
    [true, false]
        .map(|holds| rules::assign(here, &set, &case(here, &question(), holds, &post).unwrap()).unwrap())
}

fn question() -> Expr {
    var("y").gt(int(0))
}

#[test]
fn cases_prove_each_answer() {
    let here = context(&[assign("y", var("x"))]);
    let [yes, no] = answers(&here, same("y"));
    let whole = cases(&question(), &yes, &no, &assertion(&here, same("y"))).unwrap();
    let at = |x: i64, y: i64| holds(whole.pre().formula(), &values(&[(of("x"), x), (other("x"), y)]));
    assert!(at(1, 1) && at(0, 0));
    // Both answers are asked for, and the second run's has to be the first's.
    assert!(!at(1, 2) && !at(0, -1) && !at(1, 0) && !at(0, 1));
    assert!(whole.axioms().contains("CASES"));
    let any = answers(&here, Expr::Bool(true));
    let any = cases(&question(), &any[0], &any[1], &assertion(&here, Expr::Bool(true))).unwrap();
    let at = |x: i64, y: i64| holds(any.pre().formula(), &values(&[(of("x"), x), (other("x"), y)]));
    assert!(at(1, 2) && at(0, -1) && !at(1, 0) && !at(0, 1));
}

#[test]
fn cases_are_of_the_two_answers() {
    let here = context(&[assign("y", var("x"))]);
    let [yes, no] = answers(&here, same("y"));
    let post = assertion(&here, same("y"));
    for (a, b) in [(&yes, &yes), (&no, &no), (&no, &yes)] {
        assert!(matches!(cases(&question(), a, b, &post), Err(Rejection::WrongGoal { .. })));
    }
    let stronger = assertion(&here, same("y").and(first("y").gt(int(0))));
    assert!(matches!(cases(&question(), &yes, &no, &stronger), Err(Rejection::WrongGoal { .. })));
    let another = var("y").gt(int(1));
    assert!(matches!(cases(&another, &yes, &no, &post), Err(Rejection::WrongGoal { .. })));
    assert!(cases(&question(), &yes, &no, &post).is_ok());
}

#[test]
fn cases_are_of_one_program() {
    let here = context(&[assign("y", var("x")), assign("y", int(1))]);
    let [yes, no] = answers(&here, same("y"));
    let post = assertion(&here, same("y"));
    let other = rules::assign(&here, &assign("y", int(1)), no.post()).unwrap();
    let mixed = cases(&question(), &yes, &other, &post);
    assert!(matches!(mixed, Err(Rejection::ProgramDiffers { .. })));
    assert!(cases(&question(), &yes, &no, &post).is_ok());
}

#[test]
fn cases_are_of_one_context() {
    let (here, there) =
        (context(&[assign("y", var("x"))]), context(&[assign("y", var("x")), assign("z", int(1))]));
    let ([yes, no], [_, other]) = (answers(&here, same("y")), answers(&there, same("y")));
    let post = assertion(&here, same("y"));
    assert_eq!(cases(&question(), &yes, &other, &post).unwrap_err(), Rejection::ContextDiffers);
    assert!(cases(&question(), &yes, &no, &post).is_ok());
}

/// The question is about the state of one run: the cost, a ghost or the other run's variable is in none.
#[test]
fn cases_ask_about_one_run() {
    let here = context(&[assign("y", var("x"))]);
    let post = assertion(&here, same("y"));
    let drawn = Expr::Var(any("y"));
    for about in [Expr::cost(), second("y"), first("y"), Expr::Var(Variable::Result), drawn] {
        let asked = case(&here, &about.clone().gt(int(0)), true, &post);
        assert!(matches!(asked, Err(Rejection::MayNotMention { .. })), "{about}");
    }
    // Nor is a number a question.
    let asked = case(&here, &(var("y") + int(1)), true, &post);
    assert!(matches!(asked, Err(Rejection::NotAFormula { .. })));
    assert!(case(&here, &question(), true, &post).is_ok());
}

#[test]
fn cases_give_up_together() {
    let noise = draw("w", laplace(int(0), int(1)));
    let here = context(&[assign("y", var("x")), noise.clone()]);
    let post = assertion(&here, yes());
    let of = |holds| {
        let after = case(&here, &question(), holds, &post).unwrap();
        up_to_tail(&here, &noise, &Coupling::Null, &int(0), &after).unwrap()
    };
    let whole = cases(&question(), &of(true), &of(false), &post).unwrap();
    assert_eq!(value(whole.delta(), &values(&[])), Rational::from(2));
}

#[test]
fn cases_are_pure() {
    let body = vec![assign("y", int(1))];
    let here =
        Context::measured(&mechanism(body, int(0)), Orientation::Forward, Measure::Concentrated).unwrap();
    let here = Arc::new(here);
    let post = assertion(&here, same("y"));
    let answer = |holds| rules::skip(&here, &case(&here, &question(), holds, &post).unwrap());
    let [yes, no] = [true, false].map(answer);
    assert!(matches!(cases(&question(), &yes, &no, &post), Err(Rejection::WrongMeasure { .. })));
}

#[test]
fn cases_stay_small() {
    let here = context(&[assign("y", var("x"))]);
    let part = || first("y").le(int(0));
    let tree = |levels: usize| (0..levels).fold(part(), |tree, _| tree.clone().and(tree));
    let post = |levels| assertion(&here, tree(levels));
    // Each answer fits, and the two together do not.
    for (levels, fits) in [(13, true), (14, false)] {
        let answer = |holds| rules::skip(&here, &case(&here, &question(), holds, &post(levels)).unwrap());
        let whole = cases(&question(), &answer(true), &answer(false), &post(levels));
        assert_eq!(whole.err(), (!fits).then_some(Rejection::TooLarge), "{levels}");
    }
    // A question that is too large with what follows.
    let large = (0..14).fold(question(), |tree, _| tree.clone().and(tree));
    assert_eq!(case(&here, &large, true, &post(1)).err(), Some(Rejection::TooLarge));
    assert!(case(&here, &question(), true, &post(14)).is_ok());
}
