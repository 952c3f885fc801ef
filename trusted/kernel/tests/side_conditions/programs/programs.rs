//! The rules for programs.

use crate::common::*;

#[test]
fn assertion_knows_no_draw() {
    let noise = draw("y", laplace(int(0), int(1)));
    let context = context(&[noise]);
    let cheat = Expr::Var(any("y")).equals(int(0));
    assert!(matches!(Assertion::new(&context, cheat), Err(Rejection::KnowsADraw { .. })));
    assert!(Assertion::new(&context, first("y").equals(int(0))).is_ok());
}

#[test]
fn assertion_is_a_formula() {
    let context = context(&[assign("y", int(1))]);
    assert!(matches!(Assertion::new(&context, first("y")), Err(Rejection::NotAFormula { .. })));
    assert!(Assertion::new(&context, first("y").equals(int(1))).is_ok());
}

#[test]
fn one_context() {
    let (here, there) = (context(&[]), context(&[assign("y", int(1))]));
    let (a, b) =
        (rules::skip(&here, &assertion(&here, yes())), rules::skip(&there, &assertion(&there, yes())));
    assert_eq!(rules::seq(&a, &b).unwrap_err(), Rejection::ContextDiffers);
    assert_eq!(rules::cond(&yes(), &a, &b).unwrap_err(), Rejection::ContextDiffers);
    assert!(rules::seq(&a, &a).is_ok());
}

/// Mass that is given up by a Laplace draw beyond t.
fn lossy(context: &std::sync::Arc<Context>, statement: &Statement) -> Judgement {
    let post = assertion(context, yes());
    up_to_tail(context, statement, &Coupling::Null, &var("free"), &post).unwrap()
}

#[test]
fn deltas_add() {
    let noise = draw("y", laplace(int(0), int(1)));
    let context = context(&[noise.clone(), noise.clone()]);
    let one = lossy(&context, &noise);
    // The end of the second is the precondition of the first, so that they meet.
    let pre = one.pre().clone();
    let before = up_to_tail(&context, &noise, &Coupling::Null, &var("free"), &pre).unwrap();
    let both = rules::seq(&before, &one).unwrap();
    assert_eq!(value(both.delta(), &values(&[])), Rational::from(2));
    assert_eq!(value(one.delta(), &values(&[])), Rational::ONE);
    assert_eq!(both.delta().to_string(), "exp(-(free / 1)) + exp(-(free / 1))");
    // Nothing is added to nothing.
    let (start, end) = (rules::skip(&context, one.pre()), rules::skip(&context, one.post()));
    assert_eq!(rules::seq(&start, &one).unwrap().delta(), one.delta());
    assert_eq!(rules::seq(&one, &end).unwrap().delta(), one.delta());
    assert_eq!(*rules::seq(&end, &end).unwrap().delta(), int(0));
}

#[test]
fn deltas_of_iterations_multiply() {
    let noise = draw("y", laplace(int(0), int(1)));
    let free = Mechanism {
        assumptions: vec![int(0).le(var("free"))],
        adjacency: vec![],
        ..mechanism(vec![count("i", int(3), vec![noise.clone()])], int(0))
    };
    let context = std::sync::Arc::new(Context::new(&free, Orientation::Forward).unwrap());
    let body = lossy(&context, &noise);
    // Facts: 0 ≤ free; 0 ≤ length(q); then 0 ≤ i, i < 3; and the negation of the body's precondition, free < 0.
    for (to, mass) in [(int(3), 3), (int(0), 0), (int(-1), 0)] {
        let whole = rules::for_loop(&"i".into(), (&int(0), &to), &yes(), &body, &sum(&[0, 4])).unwrap();
        assert_eq!(value(whole.delta(), &values(&[])), Rational::from(mass), "{to}");
        assert_eq!(whole.delta().to_string(), format!("max(0, {to} - 0) * exp(-(free / 1))"));
    }
}

#[test]
fn appended_values_are_equal() {
    let put = append("out", var("x"));
    let context = context(&[assign("out", Expr::EmptyList), put.clone()]);
    let step = rules::append(&context, &put, &assertion(&context, same("out"))).unwrap();
    let lists = values(&[(of("x"), 1), (other("x"), 2)]);
    assert!(!holds(step.pre().formula(), &lists));
    assert!(holds(step.pre().formula(), &values(&[(of("x"), 2), (other("x"), 2)])));
}

#[test]
fn lists_are_only_compared() {
    let put = append("out", var("x"));
    let context = context(&[assign("out", Expr::EmptyList), put.clone()]);
    let other_list = first("out").equals(Expr::EmptyList);
    for statement in [put.clone(), assign("out", Expr::EmptyList)] {
        let rule = |post: Expr| {
            let post = assertion(&context, post);
            match statement {
                Statement::Append { .. } => rules::append(&context, &statement, &post),
                _ => rules::assign(&context, &statement, &post),
            }
        };
        assert!(matches!(rule(other_list.clone()), Err(Rejection::MayNotMention { .. })));
        assert!(rule(same("out")).is_ok());
    }
}

#[test]
fn one_sided_has_no_draw() {
    let noise = draw("y", laplace(int(0), int(1)));
    let plain = choose(var("b"), vec![assign("y", int(1))], vec![]);
    let context = context(&[noise.clone(), plain.clone()]);
    let post = assertion(&context, yes());
    assert!(matches!(rules::one_sided_both(&context, &noise, &post), Err(Rejection::WrongStatement { .. })));
    assert!(rules::one_sided_both(&context, &plain, &post).is_ok());
}

#[test]
fn one_sided_starts_no_list() {
    let start = assign("out", Expr::EmptyList);
    let context = context(&[start.clone(), append("out", int(1))]);
    let post = assertion(&context, yes());
    assert!(matches!(rules::one_sided_both(&context, &start, &post), Err(Rejection::WrongStatement { .. })));
    assert!(rules::assign(&context, &start, &post).is_ok());
}

#[test]
fn assign_and_append_are_for_their_statements() {
    let (set, put) = (assign("y", int(1)), append("out", int(1)));
    let context = context(&[set.clone(), assign("out", Expr::EmptyList), put.clone()]);
    let post = assertion(&context, yes());
    assert!(matches!(rules::assign(&context, &put, &post), Err(Rejection::WrongStatement { .. })));
    assert!(matches!(rules::append(&context, &set, &post), Err(Rejection::WrongStatement { .. })));
    assert!(rules::assign(&context, &set, &post).is_ok() && rules::append(&context, &put, &post).is_ok());
}

#[test]
fn seq_middle() {
    let set = assign("y", var("x"));
    let context = context(std::slice::from_ref(&set));
    let equal = assertion(&context, same("y"));
    let step = rules::assign(&context, &set, &equal).unwrap();
    let elsewhere = rules::skip(&context, &assertion(&context, yes()));
    assert!(matches!(rules::seq(&step, &elsewhere), Err(Rejection::MiddleDiffers { .. })));
    assert!(rules::seq(&step, &rules::skip(&context, &equal)).is_ok());
}

#[test]
fn cond_ends_meet() {
    let context = context(&[assign("y", int(1))]);
    let (one, two) = (assertion(&context, same("y")), assertion(&context, yes()));
    let (a, b) = (rules::skip(&context, &one), rules::skip(&context, &two));
    assert!(matches!(rules::cond(&var("b"), &a, &b), Err(Rejection::MiddleDiffers { .. })));
    assert!(rules::cond(&var("b"), &a, &a).is_ok());
}

#[test]
fn cond_guards_agree() {
    let context = context(&[]);
    let nothing = rules::skip(&context, &assertion(&context, yes()));
    let both = rules::cond(&var("b"), &nothing, &nothing).unwrap();
    assert!(!holds(both.pre().formula(), &values(&[(of("b"), 1), (other("b"), 0)])));
    assert!(holds(both.pre().formula(), &values(&[(of("b"), 1), (other("b"), 1)])));
}

#[test]
fn cond_keeps_both_preconditions() {
    let context = context(&[]);
    let post = assertion(&context, first("n").equals(int(0)));
    let (no, all) = (rules::skip(&context, &post), rules::skip(&context, &post));
    let both = rules::cond(&var("b"), &no, &all).unwrap();
    for b in [0, 1] {
        assert!(!holds(both.pre().formula(), &values(&[(of("n"), 1), (of("b"), b), (other("b"), b)])));
        assert!(holds(both.pre().formula(), &values(&[(of("b"), b), (other("b"), b)])));
    }
}

/// A loop over a body that keeps `true`.
fn looped(to: Expr, body_context: &[Statement]) -> Result<Judgement, Rejection> {
    let context = context(body_context);
    let inner = rules::skip(&context, &assertion(&context, yes()));
    // 0 ≤ i and i < to, and the negation of `true`, which is `false`.
    rules::for_loop(&"i".into(), (&int(0), &to), &yes(), &inner, &Evidence::Absurd(KNOWN + 2))
}

#[test]
fn for_bounds_are_shared() {
    let body = [count("i", int(1), vec![])];
    assert!(matches!(looped(var("n"), &body), Err(Rejection::LoopBoundNotShared { .. })));
    assert!(looped(var("N"), &body).is_ok());
}

#[test]
fn for_bounds_do_not_move() {
    let body = [count("i", int(1), vec![])];
    assert!(matches!(looped(var("i") + int(1), &body), Err(Rejection::LoopBoundNotShared { .. })));
    assert!(looped(var("N") + int(1), &body).is_ok());
}

#[test]
fn for_bounds_are_not_counted_by_the_body() {
    let context = context(&[count("j", int(1), vec![]), count("i", int(1), vec![])]);
    let nothing = rules::skip(&context, &assertion(&context, yes()));
    let absurd = Evidence::Absurd(KNOWN + 2);
    let inner = rules::for_loop(&"j".into(), (&int(0), &int(1)), &yes(), &nothing, &absurd).unwrap();
    let outer = |to: Expr| rules::for_loop(&"i".into(), (&int(0), &to), &yes(), &inner, &absurd);
    assert!(matches!(outer(var("j")), Err(Rejection::LoopBoundNotShared { .. })));
    assert!(outer(var("N")).is_ok());
}

#[test]
fn for_bounds_are_integers() {
    let body = [count("i", int(1), vec![])];
    assert!(matches!(looped(var("eps"), &body), Err(Rejection::NotAnInteger { .. })));
    assert!(looped(var("N"), &body).is_ok());
}

#[test]
fn for_delta_is_public() {
    // A tail that is not made of parameters is refused where it arises, and again by the loop.
    let noise = draw("y", laplace(int(0), int(1)));
    let context = context(&[count("i", int(3), vec![noise.clone()])]);
    let post = assertion(&context, yes());
    let moving = up_to_tail(&context, &noise, &Coupling::Null, &var("i"), &post);
    assert!(matches!(moving, Err(Rejection::NotPublic { .. })));
    assert!(up_to_tail(&context, &noise, &Coupling::Null, &var("N"), &post).is_ok());
}

#[test]
fn for_body_keeps_the_invariant() {
    let context = context(&[assign("y", int(0)), count("i", int(3), vec![])]);
    let inner = rules::skip(&context, &assertion(&context, yes()));
    let about = |invariant: &Expr| {
        rules::for_loop(&"i".into(), (&int(0), &int(3)), invariant, &inner, &Evidence::Absurd(KNOWN + 2))
    };
    assert!(matches!(about(&first("y").le(var("i"))), Err(Rejection::MiddleDiffers { .. })));
    assert!(about(&yes()).is_ok());
}

#[test]
fn for_invariant_gives_the_body_its_precondition() {
    let step = assign("y", var("y") + int(1));
    let context = context(&[assign("y", int(0)), count("i", int(3), vec![step.clone()])]);
    let invariant = first("y").le(var("i"));
    let next = assertion(&context, first("y").le(var("i") + int(1)));
    let body = rules::assign(&context, &step, &next).unwrap();
    let with =
        |evidence: &Evidence| rules::for_loop(&"i".into(), (&int(0), &int(3)), &invariant, &body, evidence);
    // Facts: 5 is i − y ≥ 0, 6 and 7 the range, 8 the negation y + 1 > i + 1.
    assert!(matches!(with(&sum(&[KNOWN])), Err(Rejection::NotAContradiction { .. })));
    assert!(with(&sum(&[KNOWN, KNOWN + 3])).is_ok());
}

#[test]
fn for_counts_up() {
    let whole = looped(var("N") - int(3), &[count("i", int(1), vec![])]).unwrap();
    assert!(!holds(whole.pre().formula(), &values(&[(plain("N"), 2)])));
    assert!(holds(whole.pre().formula(), &values(&[(plain("N"), 3)])));
}

/// A `while` loop over a guard, with a body.
fn repeated(
    guard: &Expr,
    invariant: &Expr,
    body: &Judgement,
    agrees: &Evidence,
) -> Result<Judgement, Rejection> {
    rules::while_loop(&"w".into(), guard, invariant, body, (&Evidence::Absurd(KNOWN + 2), agrees))
}

fn again() -> Vec<Statement> {
    vec![Statement::While { label: "w".into(), guard: var("N").lt(int(0)), body: vec![] }]
}

#[test]
fn while_gives_up_nothing() {
    let noise = draw("y", laplace(int(0), int(1)));
    let context = context(&[noise.clone(), again().remove(0)]);
    let guard = var("N").lt(int(0));
    let lossy = lossy(&context, &noise);
    assert!(matches!(repeated(&guard, &yes(), &lossy, &sum(&[])), Err(Rejection::ClaimNotCovered { .. })));
    let plain = rules::skip(&context, &assertion(&context, yes()));
    // The guard is made of parameters: N < 0 or not N < 0, in both runs.
    assert!(repeated(&guard, &yes(), &plain, &agree()).is_ok());
}

/// Evidence that a guard made of N agrees with itself: the negation of g == g' has two cases, each contradictory.
fn agree() -> Evidence {
    Evidence::Cases(KNOWN, vec![sum(&[KNOWN + 1, KNOWN + 2]), sum(&[KNOWN + 1, KNOWN + 2])])
}

#[test]
fn while_body_keeps_the_invariant() {
    let context = context(&again());
    let plain = rules::skip(&context, &assertion(&context, yes()));
    let guard = var("N").lt(int(0));
    let other = int(0).le(var("N"));
    assert!(matches!(repeated(&guard, &other, &plain, &agree()), Err(Rejection::MiddleDiffers { .. })));
    assert!(repeated(&guard, &yes(), &plain, &agree()).is_ok());
}

#[test]
fn while_invariant_gives_the_body_its_precondition() {
    let set = assign("y", int(1));
    let context = context(&[set.clone(), again().remove(0)]);
    let keep = first("n").equals(int(0));
    let plain = rules::skip(&context, &assertion(&context, keep.clone()));
    let guard = var("N").lt(int(0));
    let with = |kept: &Evidence| {
        let agrees =
            Evidence::Cases(KNOWN + 1, vec![sum(&[KNOWN + 2, KNOWN + 3]), sum(&[KNOWN + 2, KNOWN + 3])]);
        rules::while_loop(&"w".into(), &guard, &keep, &plain, (kept, &agrees))
    };
    // The invariant itself, n = 0, against the negation n ≠ 0.
    let equation = |n: i64| Evidence::Combination {
        products: vec![Product { coefficient: Rational::ONE, scale: vec![], facts: vec![KNOWN + 4] }],
        equations: vec![(KNOWN, int(n))],
    };
    assert!(with(&Evidence::Absurd(0)).is_err());
    assert!(with(&Evidence::Cases(KNOWN + 3, vec![equation(-1), equation(1)])).is_ok());
}

#[test]
fn while_guards_agree() {
    let context = context(&[Statement::While { label: "w".into(), guard: var("b"), body: vec![] }]);
    let plain = rules::skip(&context, &assertion(&context, yes()));
    // Nothing says that b and b' are equal: every case stays open.
    for evidence in [Evidence::Absurd(KNOWN), Evidence::Cases(KNOWN, vec![sum(&[0]), sum(&[0])])] {
        assert!(repeated(&var("b"), &yes(), &plain, &evidence).is_err());
    }
    // What would show that b agrees with itself, of either run, does not show that it agrees with b'.
    let clash = |yes: usize, no: usize| Evidence::Clash(KNOWN + yes, KNOWN + no);
    let itself = Evidence::Cases(KNOWN, vec![clash(1, 2), clash(2, 1)]);
    assert!(repeated(&var("b"), &yes(), &plain, &itself).is_err());
    let guard = var("N").lt(int(0));
    let whole = repeated(&guard, &yes(), &plain, &agree()).unwrap();
    assert_eq!(*whole.delta(), int(0));
}

/// A round is one of those from the first to the last: nothing less is known of it, and nothing more.
#[test]
fn rounds_lie_between_the_bounds() {
    let context = context(&[count("i", var("N"), vec![])]);
    let nothing = rules::skip(&context, &assertion(&context, yes()));
    // 0 ≤ i, i < N, and the negation of what the body needs.
    let [from, to, negated] = [KNOWN, KNOWN + 1, KNOWN + 2];
    let with = |needed: Expr, fact: usize| {
        let body = rules::strengthen(&needed, &nothing, &Evidence::Absurd(KNOWN + 1)).unwrap();
        let evidence = sum(&[fact, negated]);
        rules::for_loop(&"i".into(), (&int(0), &var("N")), &yes(), &body, &evidence).is_ok()
    };
    let i = || var("i");
    assert!(with(int(0).le(i()), from) && with(i().lt(var("N")), to));
    assert!(!with(int(0).lt(i()), from) && !with(i().le(int(0)), from) && !with(var("N").le(i()), from));
    assert!(!with(i().gt(var("N")), to) && !with(i().lt(int(0)), to) && !with(i().lt(var("N") - int(1)), to));
}

#[test]
fn strengthened_by_what_follows() {
    let context = context(&[]);
    let step = rules::skip(&context, &assertion(&context, int(0).le(var("free"))));
    let with = |pre: Expr| rules::strengthen(&pre, &step, &sum(&[KNOWN, KNOWN + 1]));
    assert!(with(int(-1).le(var("free"))).is_err());
    assert!(with(int(0).le(var("free"))).is_ok());
}

#[test]
fn strengthened_by_what_knows_no_draw() {
    let noise = draw("y", laplace(int(0), int(1)));
    let context = context(std::slice::from_ref(&noise));
    let post = assertion(&context, first("y").equals(int(0)));
    let step = sample(&context, &noise, &Coupling::Null, &post).unwrap();
    let cheat = step.pre().formula().clone();
    assert!(matches!(
        rules::strengthen(&cheat, &step, &Evidence::Absurd(0)),
        Err(Rejection::KnowsADraw { .. })
    ));
    let truth = rules::skip(&context, &assertion(&context, yes()));
    assert!(rules::strengthen(&yes(), &truth, &Evidence::Absurd(KNOWN)).is_ok());
}

#[test]
fn weakened_to_what_follows() {
    let context = context(&[]);
    let step = rules::skip(&context, &assertion(&context, int(0).le(var("free"))));
    let with = |post: Expr| rules::weaken(&step, &assertion(&context, post), &sum(&[KNOWN, KNOWN + 1]));
    assert!(with(int(1).le(var("free"))).is_err());
    assert!(with(int(-1).le(var("free"))).is_ok());
}

#[test]
fn weakened_from_what_knows_no_draw() {
    let noise = draw("y", laplace(int(0), int(1)));
    let context = context(std::slice::from_ref(&noise));
    let post = assertion(&context, int(0).le(first("y")));
    // A precondition that speaks of y#0 as the end of another step.
    let open = sample(&context, &noise, &Coupling::Null, &post).unwrap();
    let step = rules::skip(&context, open.pre());
    let answer = rules::weaken(&step, &assertion(&context, yes()), &Evidence::Absurd(0));
    assert!(matches!(answer, Err(Rejection::KnowsADraw { .. })));
    let plain = rules::skip(&context, &assertion(&context, yes()));
    assert!(rules::weaken(&plain, &assertion(&context, yes()), &Evidence::Absurd(KNOWN)).is_ok());
}

#[test]
fn assignments_stay_small() {
    let double = assign("y", var("y") + var("y"));
    let context = context(&[assign("y", int(1)), double.clone()]);
    let about = |n: u32| {
        let sum = (0..n).fold(first("y"), |sum, _| sum.clone() + sum);
        rules::assign(&context, &double, &assertion(&context, sum.equals(second("y"))))
    };
    assert_eq!(about(15).unwrap_err(), Rejection::TooLarge);
    assert!(about(10).is_ok());
}

/// A formula that stays small in parts and nests ever deeper.
#[test]
fn assertions_are_not_deep() {
    let turn = assign("y", -var("y"));
    let context = context(&[assign("y", int(1)), turn.clone()]);
    let mut post = assertion(&context, first("y").le(int(0)));
    for steps in 0..2_000 {
        match rules::assign(&context, &turn, &post) {
            Ok(step) => post = step.pre().clone(),
            Err(rejection) => {
                assert_eq!(rejection, Rejection::TooLarge);
                assert!(steps > 1_000);
                return;
            }
        }
    }
    panic!("two thousand levels");
}

/// An append puts an equation of values beside every equation of lists.
#[test]
fn appends_stay_small() {
    let more = append("o", var("n") + var("n"));
    let context = context(&[assign("o", Expr::EmptyList), more.clone()]);
    let about = |n: u32| {
        let many = (0..n).fold(same("o"), |many, _| many.clone().and(many));
        rules::append(&context, &more, &assertion(&context, many))
    };
    assert_eq!(about(14).unwrap_err(), Rejection::TooLarge);
    assert!(about(10).is_ok());
}

/// Two branches, each within bounds and both together not.
#[test]
fn conditionals_stay_small() {
    let set = assign("y", int(1));
    let context = context(std::slice::from_ref(&set));
    let about = |n: u32| {
        let sum = (0..n).fold(first("y"), |sum, _| sum.clone() + sum);
        let post = assertion(&context, sum.equals(second("y")));
        let then = rules::assign(&context, &set, &post).unwrap();
        rules::cond(&var("b"), &then, &rules::skip(&context, &post))
    };
    assert_eq!(about(15).unwrap_err(), Rejection::TooLarge);
    assert!(about(10).is_ok());
}

#[test]
fn assertions_stay_small() {
    let double = assign("y", var("y") + var("y"));
    let context = context(&[assign("y", int(1)), double.clone()]);
    let mut post = assertion(&context, same("y"));
    let mut steps = 0;
    let refused = loop {
        match rules::assign(&context, &double, &post) {
            Ok(step) => post = step.pre().clone(),
            Err(rejection) => break rejection,
        }
        steps += 1;
        assert!(steps < 40, "a formula of 2^40 parts");
    };
    assert_eq!(refused, Rejection::TooLarge);
    assert!(steps > 10);
}
