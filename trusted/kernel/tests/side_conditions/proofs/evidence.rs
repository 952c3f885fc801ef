//! Evidence, normal forms and lemmas.

use probity_kernel::fact::{Fact, fact, poly};
use probity_kernel::lemma::Lemma;

use crate::common::*;

/// Checks that the hypotheses entail the goal, in a context without statements.
fn check(hypotheses: &[&Expr], goal: &Expr, evidence: &Evidence) -> Result<(), Rejection> {
    check_entailment(&context(&[]), hypotheses, goal, evidence).map(|_| ())
}

#[test]
fn absurd_is_false() {
    // A disjunction is no contradiction; `false` is.
    let either = var("free").lt(int(0)).or(var("free").gt(int(1)));
    let nothing = Expr::Bool(false);
    assert!(matches!(
        check(&[&either], &nothing, &Evidence::Absurd(KNOWN)),
        Err(Rejection::NoSuchFact { .. })
    ));
    assert!(check(&[&nothing], &nothing, &Evidence::Absurd(KNOWN)).is_ok());
}

#[test]
fn clash_is_of_one_boolean() {
    let (b, c) = (first("b"), second("b"));
    let against = |other: Expr| check(&[&b, &!other], &Expr::Bool(false), &Evidence::Clash(KNOWN, KNOWN + 1));
    assert!(matches!(against(c), Err(Rejection::NoSuchFact { .. })));
    assert!(against(b.clone()).is_ok());
}

#[test]
fn clash_is_of_yes_and_no() {
    let b = first("b");
    let with = |other: Expr| check(&[&b, &other], &Expr::Bool(false), &Evidence::Clash(KNOWN, KNOWN + 1));
    assert!(matches!(with(b.clone()), Err(Rejection::NoSuchFact { .. })));
    assert!(with(!b.clone()).is_ok());
    let reversed = check(&[&!b.clone(), &b], &Expr::Bool(false), &Evidence::Clash(KNOWN, KNOWN + 1));
    assert!(matches!(reversed, Err(Rejection::NoSuchFact { .. })));
}

#[test]
fn cases_are_all_closed() {
    let either = var("free").lt(int(0)).or(var("free").gt(int(1)));
    // free ≥ 0 closes the first case only.
    let closed = sum(&[KNOWN + 1, KNOWN + 2]);
    let goal = var("free").lt(int(0));
    let with = |branches: Vec<Evidence>| check(&[&either], &goal, &Evidence::Cases(KNOWN, branches));
    let zero = int(0).le(var("free"));
    let one = |branches| check(&[&either, &zero], &Expr::Bool(false), &Evidence::Cases(KNOWN, branches));
    assert!(matches!(one(vec![closed.clone()]), Err(Rejection::WrongBranches { .. })));
    assert!(with(vec![]).is_err());
    let narrow = int(0).le(var("free")).and(var("free").le(int(1)));
    let both = |branches| check(&[&either, &narrow], &Expr::Bool(false), &Evidence::Cases(KNOWN, branches));
    assert!(both(vec![sum(&[KNOWN + 1, KNOWN + 3]), sum(&[KNOWN + 2, KNOWN + 3])]).is_ok());
}

#[test]
fn cases_are_of_a_disjunction() {
    let goal = Expr::Bool(false);
    let answer = check(&[&int(0).le(var("free"))], &goal, &Evidence::Cases(KNOWN, vec![]));
    assert!(matches!(answer, Err(Rejection::NoSuchFact { .. })));
}

#[test]
fn cuts_close_on_both_sides() {
    let cut = |yes: Evidence, no: Evidence| Evidence::Cut(int(0).le(var("free")), yes.into(), no.into());
    let goal = int(-1).le(var("free")).or(int(1).le(var("free")));
    // With free ≥ 0 the goal follows; without, it does not.
    let yes = sum(&[KNOWN, KNOWN + 2]);
    assert!(check(&[], &goal, &cut(yes.clone(), yes.clone())).is_err());
    // Without free ≥ 0 the goal follows; with it, it does not.
    let closed = Evidence::Absurd(KNOWN);
    let negative = var("free").lt(int(0));
    let open = Evidence::Cut(int(0).le(var("free")), closed.into(), sum(&[KNOWN, KNOWN + 1]).into());
    assert!(matches!(check(&[], &negative, &open), Err(Rejection::NoSuchFact { .. })));
    let goal = int(0).le(var("free")).or(var("free").lt(int(0)));
    // The negation of the goal: free < 0 and free ≥ 0.
    assert!(check(&[], &goal, &cut(sum(&[KNOWN, KNOWN + 2]), sum(&[KNOWN + 1, KNOWN + 2]))).is_ok());
}

#[test]
fn cuts_are_formulas() {
    let cut = |e: Expr| Evidence::Cut(e, sum(&[KNOWN]).into(), sum(&[KNOWN]).into());
    let goal = Expr::Bool(true);
    assert!(matches!(check(&[], &goal, &cut(var("free"))), Err(Rejection::NotAFormula { .. })));
    let foreign = Expr::var("nobody").le(int(0));
    assert!(matches!(check(&[], &goal, &cut(foreign)), Err(Rejection::MayNotMention { .. })));
    let fine =
        Evidence::Cut(int(0).le(var("N")), Evidence::Absurd(KNOWN).into(), Evidence::Absurd(KNOWN).into());
    assert!(check(&[], &goal, &fine).is_ok());
}

#[test]
fn equations_are_multiplied_by_numbers() {
    let zero = var("free").equals(int(0));
    let goal = var("free").le(int(0));
    let with = |multiplier: Expr| {
        let product = Product { coefficient: Rational::ONE, scale: vec![], facts: vec![KNOWN + 1] };
        let evidence =
            Evidence::Combination { products: vec![product], equations: vec![(KNOWN, multiplier)] };
        check(&[&zero], &goal, &evidence)
    };
    assert!(matches!(with(first("b")), Err(Rejection::NotANumber { .. })));
    assert!(matches!(with(var("nobody")), Err(Rejection::MayNotMention { .. })));
    assert!(with(int(1)).is_ok() || with(int(-1)).is_ok());
}

#[test]
fn equations_are_equations() {
    let goal = var("free").le(int(0));
    let evidence = Evidence::Combination { products: vec![], equations: vec![(0, int(1))] };
    assert!(matches!(check(&[], &goal, &evidence), Err(Rejection::NoSuchFact { .. })));
}

#[test]
fn sums_contradict() {
    // eps > 0 and eps ≤ 0 add up to 0 > 0; 0 ≥ 0 is no contradiction.
    let goal = |strict: bool| if strict { var("free").lt(int(0)) } else { var("free").le(int(0)) };
    let hypothesis = |strict: bool| if strict { var("free").lt(int(0)) } else { var("free").le(int(0)) };
    let entails = |from: bool, to: bool| check(&[&hypothesis(from)], &goal(to), &sum(&[KNOWN, KNOWN + 1]));
    assert!(matches!(entails(false, true), Err(Rejection::NotAContradiction { .. })));
    assert!(entails(false, false).is_ok() && entails(true, true).is_ok() && entails(true, false).is_ok());
}

#[test]
fn weak_facts_are_weak() {
    let weak = var("free").le(int(0));
    let answer = check(&[&weak], &var("free").lt(int(0)), &sum(&[KNOWN, KNOWN + 1]));
    assert!(matches!(answer, Err(Rejection::NotAContradiction { .. })));
    assert!(check(&[&var("free").lt(int(0))], &var("free").lt(int(0)), &sum(&[KNOWN, KNOWN + 1])).is_ok());
}

#[test]
fn multipliers_are_positive() {
    let with = |coefficient: i64| {
        let product = Product { coefficient: Rational::from(coefficient), scale: vec![], facts: vec![0] };
        check(&[], &Expr::Bool(true), &Evidence::Combination { products: vec![product], equations: vec![] })
    };
    for coefficient in [-1, 0] {
        assert!(matches!(with(coefficient), Err(Rejection::NegativeMultiplier { .. })));
    }
    assert!(matches!(with(1), Err(Rejection::NotAContradiction { .. })));
}

#[test]
fn products_are_of_inequalities() {
    let b = first("b");
    let answer = check(&[&b], &Expr::Bool(true), &sum(&[KNOWN]));
    assert!(matches!(answer, Err(Rejection::NoSuchFact { .. })));
}

#[test]
fn facts_exist() {
    assert!(matches!(check(&[], &Expr::Bool(true), &sum(&[99])), Err(Rejection::NoSuchFact { .. })));
}

#[test]
fn factors_are_positive_parameters() {
    let with = |name: &str, power: i32| {
        let product =
            Product { coefficient: Rational::ONE, scale: vec![(name.into(), power)], facts: vec![0, KNOWN] };
        let evidence = Evidence::Combination { products: vec![product], equations: vec![] };
        check(&[], &var("eps").gt(int(0)), &evidence)
    };
    assert!(matches!(with("free", 1), Err(Rejection::NotPositive { .. })));
    assert!(matches!(with("eps", 1), Err(Rejection::NotAContradiction { .. })));
}

#[test]
fn powers_are_small() {
    let with = |power: i32| {
        let product =
            Product { coefficient: Rational::ONE, scale: vec![("eps".into(), power)], facts: vec![] };
        check(&[], &Expr::Bool(true), &Evidence::Combination { products: vec![product], equations: vec![] })
    };
    assert_eq!(with(65), Err(Rejection::TooLarge));
    assert!(matches!(with(64), Err(Rejection::NotAContradiction { .. })));
    let many = Product { coefficient: Rational::ONE, scale: vec![("eps".into(), 0); 65], facts: vec![] };
    let evidence = Evidence::Combination { products: vec![many], equations: vec![] };
    assert_eq!(check(&[], &Expr::Bool(true), &evidence), Err(Rejection::TooLarge));
}

#[test]
fn products_stay_small() {
    let cubes = (var("free") + var("eps") + var("N") + first("x")).le(int(0));
    let with = |n: usize| {
        let product = Product { coefficient: Rational::ONE, scale: vec![], facts: vec![KNOWN; n] };
        check(
            &[&cubes],
            &Expr::Bool(true),
            &Evidence::Combination { products: vec![product], equations: vec![] },
        )
    };
    assert_eq!(with(20), Err(Rejection::TooLarge));
    assert!(matches!(with(3), Err(Rejection::NotAContradiction { .. })));
    let power = Product { coefficient: Rational::ONE, scale: vec![], facts: vec![0; 65] };
    let evidence = Evidence::Combination { products: vec![power], equations: vec![] };
    assert_eq!(check(&[], &Expr::Bool(true), &evidence), Err(Rejection::TooLarge));
}

/// 480 cuts on one formula of many cases: each alone is within bounds, all together are not.
#[test]
fn work_is_bounded() {
    let mut deep = var("free");
    for n in 1..=6 {
        deep = (deep - int(n)).abs();
    }
    let formula = int(0).lt(deep);
    let chain = |cuts: usize| {
        (0..cuts).fold(Evidence::Absurd(KNOWN), |rest, _| {
            Evidence::Cut(formula.clone(), rest.into(), Evidence::Absurd(KNOWN).into())
        })
    };
    assert_eq!(check(&[], &Expr::Bool(true), &chain(480)), Err(Rejection::TooLarge));
    assert!(check(&[], &Expr::Bool(true), &chain(2)).is_ok());
}

#[test]
fn work_of_a_derivation_is_bounded() {
    let mut deep = var("free");
    for n in 1..=6 {
        deep = (deep - int(n)).abs();
    }
    let formula = int(0).lt(deep);
    let heavy = (0..20).fold(Evidence::Absurd(KNOWN), |rest, _| {
        Evidence::Cut(formula.clone(), rest.into(), Evidence::Absurd(KNOWN).into())
    });
    let context = context(&[]);
    let step = rules::skip(&context, &assertion(&context, yes()));
    let mut step = rules::strengthen(&yes(), &step, &heavy).unwrap();
    let refused = (0..100).find_map(|_| match rules::seq(&step, &step) {
        Ok(both) => {
            step = both;
            None
        }
        Err(rejection) => Some(rejection),
    });
    assert_eq!(refused, Some(Rejection::TooLarge));
}

#[test]
fn unfolding_is_bounded() {
    let context = context(&[]);
    let nested = |n: i64| (1..=n).fold(var("free"), |inner, k| (inner - int(k)).abs());
    assert_eq!(fact(&context, &int(0).lt(nested(14)), true), Err(Rejection::TooLarge));
    assert!(fact(&context, &int(0).lt(nested(4)), true).is_ok());
}

/// Cases of one fact, again and again: every branch holds the part that it is about.
#[test]
fn what_is_held_is_bounded() {
    let deep = (1..=6).fold(var("free"), |inner, k| (inner - int(k)).abs());
    let long = int(0).lt(deep).and(var("free").lt(int(3))).or(var("free").lt(int(4)));
    let again = |times: usize| {
        let closed = || Evidence::Absurd(KNOWN);
        let inner = (0..times).fold(closed(), |rest, _| Evidence::Cases(KNOWN + 1, vec![rest, closed()]));
        check(&[], &Expr::Bool(true), &Evidence::Cut(long.clone(), inner.into(), closed().into()))
    };
    assert_eq!(again(280), Err(Rejection::TooLarge));
    assert!(again(2).is_ok());
}

/// A number is as long as its digits, whoever wrote it in short.
#[test]
fn long_numbers_are_not_short() {
    let long = || Expr::Number(probity_exact::parse_rational("1e10000").unwrap());
    let nested =
        |n: i64| fact(&context(&[]), &int(0).lt((0..n).fold(var("free"), |e, _| (e - long()).abs())), true);
    assert_eq!(nested(6), Err(Rejection::TooLarge));
    assert!(nested(1).is_ok());
    // Powers of eps that take each other away leave the number.
    let (above, below) = (int(0).lt(long() * var("eps")), int(0).lt(long() / var("eps")));
    let product = |times: usize| {
        let facts = [KNOWN, KNOWN + 1].repeat(times);
        let products = vec![Product { coefficient: Rational::ONE, scale: vec![], facts }];
        check(&[&above, &below], &Expr::Bool(true), &Evidence::Combination { products, equations: vec![] })
    };
    assert_eq!(product(1_000), Err(Rejection::TooLarge));
    assert!(matches!(product(1), Err(Rejection::NotAContradiction { .. })));
    // Fractions have their denominators in common.
    let fraction = |k: i64| probity_exact::parse_rational(&format!("1/1{k:01000}")).unwrap();
    let sum = |n: i64| (1..=n).fold(first("x"), |sum, k| sum + Expr::Number(fraction(k)));
    assert_eq!(fact(&context(&[]), &int(0).lt(sum(60)), true), Err(Rejection::TooLarge));
    assert!(fact(&context(&[]), &int(0).lt(sum(3)), true).is_ok());
}

/// Powers of sums under powers of sums are short as they are written, and not in normal form.
#[test]
fn normal_forms_are_bounded() {
    let power = |e: Expr| {
        let sum = e + first("x") + second("x") + int(1);
        int(1) / (1..10).fold(sum.clone(), |product, _| product * sum.clone())
    };
    let says = |e: Expr| fact(&context(&[]), &int(0).lt(e), true);
    assert_eq!(says(power(power(power(var("free"))))), Err(Rejection::TooLarge));
    assert!(says(power(var("free"))).is_ok());
    let products = |n: i64| (0..n).fold(int(0), |sum, k| sum + power(var("free") + int(k)));
    assert_eq!(says(products(200)), Err(Rejection::TooLarge));
    assert!(says(products(2)).is_ok());
    let signs = |n: i64| (1..=n).fold(var("free"), |rest, k| int(k).exp() - rest);
    assert_eq!(says(signs(1_200)), Err(Rejection::TooLarge));
    assert!(says(signs(100)).is_ok());
}

/// What is added up stays short, and so does the message about it.
#[test]
fn sums_stay_small() {
    let exps = |k: i64| int(0).lt((0..900).fold(int(0), |sum, j| sum + int(900 * k + j + 2).exp()));
    let sum = |n: usize| {
        let known: Vec<Expr> = (0..n as i64).map(exps).collect();
        let product =
            |k: usize| Product { coefficient: Rational::ONE, scale: vec![], facts: vec![KNOWN + k] };
        let evidence = Evidence::Combination { products: (0..n).map(product).collect(), equations: vec![] };
        check(&known.iter().collect::<Vec<_>>(), &Expr::Bool(true), &evidence)
    };
    assert_eq!(sum(25), Err(Rejection::TooLarge));
    let Err(Rejection::NotAContradiction { sum: shown }) = sum(10) else { panic!("no contradiction") };
    assert_eq!(shown, "a sum of 9000 terms");
    let equation = (0..900).fold(int(0), |sum, j| sum + int(j + 2).exp()).equals(int(0));
    let times = |n: i64| {
        let number = |k: i64| int(1_000 + k).exp();
        let equations = (0..n).map(|k| (KNOWN, number(k))).collect();
        check(&[&equation], &Expr::Bool(true), &Evidence::Combination { products: vec![], equations })
    };
    assert_eq!(times(25), Err(Rejection::TooLarge));
    assert!(matches!(times(1), Err(Rejection::NotAContradiction { .. })));
}

/// 1/p is a power only where p is positive for certain: free could be 0, and free·(1/free) is then 0.
#[test]
fn inverses_are_of_positive_parameters() {
    let context = context(&[]);
    let one = |name: &str| fact(&context, &(var(name) * (int(1) / var(name))).equals(int(1)), true).unwrap();
    assert_eq!(one("eps"), Fact::All(vec![]));
    assert!(matches!(one("free"), Fact::Zero(_)));
}

/// n > 0 is n ≥ 1 for an integer, and for nothing else.
#[test]
fn gaps_are_between_integers() {
    let context = context(&[]);
    let says = |e: Expr| fact(&context, &e.gt(int(0)), true).unwrap();
    assert!(matches!(says(first("n")), Fact::NonNegative(_)));
    assert!(matches!(says(first("x")), Fact::Positive(_)), "a real");
    assert!(matches!(says(first("n") * number(1, 2)), Fact::Positive(_)), "a rational coefficient");
    assert!(matches!(says(first("n") / var("eps")), Fact::Positive(_)), "an inverse");
    assert!(matches!(says(var("N") * (int(1) / var("N"))), Fact::All(_)), "one");
    assert!(matches!(says(first("n") / var("N")), Fact::Positive(_)), "an inverse of an integer");
}

#[test]
fn booleans_are_no_numbers() {
    let context = context(&[]);
    assert!(matches!(fact(&context, &first("b").equals(int(1)), true), Err(Rejection::NotAFormula { .. })));
    assert!(matches!(fact(&context, &first("b").le(int(1)), true), Err(Rejection::NotANumber { .. })));
    assert!(matches!(fact(&context, &first("x"), true), Err(Rejection::NotAFormula { .. })));
    assert!(fact(&context, &first("b").equals(second("b")), true).is_ok());
}

#[test]
fn lemmas_are_typed() {
    let cite = |lemma: Lemma| Evidence::Cite(lemma, Evidence::Absurd(KNOWN).into());
    let goal = Expr::Bool(true);
    let wrong = check(&[], &goal, &cite(Lemma::Floor(first("b"))));
    assert!(matches!(wrong, Err(Rejection::NotANumber { .. })));
    assert!(check(&[], &goal, &cite(Lemma::Floor(first("x")))).is_ok());
}

/// Every lemma with a premise, and values for which it would be false without.
#[test]
fn lemmas_keep_their_premises() {
    let context = context(&[]);
    let (a, b) = (|| var("free"), || var("eps"));
    let premised: Vec<(Lemma, Expr)> = vec![
        (Lemma::Inverse(a()), a().differs(int(0))),
        (Lemma::InversePositive(a()), int(0).lt(a())),
        (Lemma::RoundNear(b(), a()), int(0).lt(a())),
        (Lemma::RoundMonotone(int(1), int(2), a()), int(0).lt(a())),
        (Lemma::Pow2(a()), int(0).lt(a())),
        (Lemma::LnMonotone(a(), b()), int(0).lt(a())),
        (Lemma::LnPositive(a()), int(1).lt(a())),
        (Lemma::LnProduct(a(), b()), int(0).lt(a())),
        (Lemma::LnProduct(b(), a()), int(0).lt(a())),
        (Lemma::LnQuotient(a(), b()), int(0).lt(a())),
        (Lemma::LnQuotient(b(), a()), int(0).lt(a())),
        (Lemma::ExpLn(a()), int(0).lt(a())),
        (Lemma::ModRange(int(5), var("N")), int(0).lt(var("N"))),
        (Lemma::FloorMonotone(a(), b()), a().le(b())),
        (Lemma::ExpMonotone(a(), b()), a().le(b())),
    ];
    for (lemma, premise) in premised {
        let formula = lemma.formula(&context).unwrap();
        assert!(mentions_premise(&formula, &premise), "{lemma}: {formula}");
    }
}

/// Whether the formula is `not p or …` with the premise among the conjuncts of p.
fn mentions_premise(formula: &Expr, premise: &Expr) -> bool {
    let Expr::Binary(Binary::Or, not, _) = formula else { return false };
    let Expr::Unary(Unary::Not, p) = &**not else { return false };
    fn among(p: &Expr, premise: &Expr) -> bool {
        match p {
            Expr::Binary(Binary::And, a, b) => among(a, premise) || among(b, premise),
            other => other == premise,
        }
    }
    among(p, premise)
}

#[test]
fn mod_lemma_is_of_integers() {
    let context = context(&[]);
    assert!(Lemma::ModRange(first("x"), int(2)).formula(&context).is_none());
    assert!(Lemma::ModRange(first("n"), int(2)).formula(&context).is_some());
}

#[test]
fn exp_values_are_near_zero() {
    let context = context(&[]);
    for n in [21, -21] {
        assert!(Lemma::ExpValue(Rational::from(n)).formula(&context).is_none());
    }
    assert!(Lemma::ExpValue(Rational::from(20)).formula(&context).is_some());
}

#[test]
fn congruence_is_of_functions() {
    let context = context(&[]);
    assert!(Lemma::SameUnary(Unary::Not, first("b"), second("b")).formula(&context).is_none());
    assert!(Lemma::SameUnary(Unary::Floor, first("x"), second("x")).formula(&context).is_some());
    let pair = || (first("x"), second("x"));
    assert!(Lemma::SameBinary(Binary::Lt, pair(), pair()).formula(&context).is_none());
    assert!(Lemma::SameBinary(Binary::RoundTo, pair(), pair()).formula(&context).is_some());
    assert!(Lemma::SameBinary(Binary::Div, pair(), pair()).formula(&context).is_some());
}

/// A negative bound leaves no neighbours but empty lists, and says nothing of what is no entry.
#[test]
fn adjacent_entries_have_a_bound_that_is_not_negative() {
    for clause in [
        Adjacency::EveryEntry { list: "q".into(), bound: var("free") },
        Adjacency::EveryEntryGrows { list: "q".into(), bound: var("free") },
        Adjacency::OneEntry { list: "q".into(), bound: var("free") },
    ] {
        let mechanism = Mechanism { adjacency: vec![clause], ..mechanism(vec![], int(0)) };
        let context = Context::new(&mechanism, Orientation::Forward).unwrap();
        let formula = context.adjacent_entries(&"q".into(), &int(0));
        assert!(mentions_premise(&formula, &int(0).le(var("free"))), "{formula}");
    }
}

#[test]
fn lemmas_have_formulas() {
    let context = context(&[]);
    let cite = |lemma: Lemma| {
        let evidence = Evidence::Cite(lemma, Evidence::Absurd(KNOWN).into());
        check_entailment(&context, &[], &Expr::Bool(true), &evidence).map(|_| ())
    };
    assert!(matches!(cite(Lemma::ExpValue(Rational::from(99))), Err(Rejection::NotAFormula { .. })));
    assert!(cite(Lemma::ExpValue(Rational::from(1))).is_ok());
}

/// A root times itself is the number, and an enclosure has its value inside, close by.
#[test]
fn roots_and_enclosures_say_what_they_say() {
    let context = context(&[]);
    let root = || var("free").sqrt();
    let square = (root() * root()).equals(var("free"));
    let said = int(0).le(var("free")).implies(int(0).le(root()).and(square));
    assert_eq!(Lemma::Sqrt(var("free")).formula(&context), Some(said));
    // ln 2 = 0.6931471805… and e = 2.7182818284….
    for (lemma, value) in [
        (Lemma::LnValue(Rational::from(2)), rational(6_931_471_805i64, 10_000_000_000i64).unwrap()),
        (Lemma::ExpValue(Rational::from(1)), rational(27_182_818_284i64, 10_000_000_000i64).unwrap()),
    ] {
        let Some(Expr::Binary(Binary::And, below, above)) = lemma.formula(&context) else { panic!() };
        let (Expr::Binary(Binary::Le, low, _), Expr::Binary(Binary::Le, _, high)) = (&*below, &*above) else {
            panic!()
        };
        let (Expr::Number(low), Expr::Number(high)) = (&**low, &**high) else { panic!() };
        let unit = rational(1, 1 << 15).unwrap();
        assert!(*low <= value && value <= *high, "{low} {high}");
        assert!(high - low <= unit, "{low} {high}");
    }
}

/// Whether a fact holds for these values.
fn true_fact(fact: &Fact, values: &Values) -> bool {
    match fact {
        Fact::Zero(p) => value(&p.to_expr(), values).is_zero(),
        Fact::Positive(p) => value(&p.to_expr(), values) > Rational::ZERO,
        Fact::NonNegative(p) => value(&p.to_expr(), values) >= Rational::ZERO,
        Fact::Holds(e, truth) => holds(e, values) == *truth,
        Fact::Any(parts) => parts.iter().any(|part| true_fact(part, values)),
        Fact::All(parts) => parts.iter().all(|part| true_fact(part, values)),
    }
}

/// Every form of a formula, and its negation, on a grid: quickly, what `meaning.rs` tries at random.
#[test]
fn facts_say_what_formulas_say() {
    let context = context(&[]);
    let (x, y, n, b) = (|| first("x"), || second("x"), || first("n"), || first("b"));
    let (eps, half, two) = (|| var("eps"), || int(1) / int(2), || int(2));
    let formulas = [
        x().le(y()),
        x().lt(y()),
        x().equals(y()),
        n().gt(int(1)),
        n().equals(second("n")),
        (n() + n()).lt(two() * second("n") + int(1)),
        x().abs().le(y()),
        x().abs().lt(y()),
        y().lt(x().abs()),
        y().le((x() - half()).abs()),
        x().min(y()).le(half()),
        x().max(y()).le(half()),
        half().lt(x().max(y()).min(int(1))),
        x().clamp(int(-1), int(1)).le(y()),
        x().clamp(int(1), int(-1)).le(y()),
        y().lt(x().clamp(int(-1), half())),
        x().min(y()).le(x().min(y())),
        x().min(y()).lt(x().min(y())),
        x().min(y()).equals(x().min(y())),
        b().choose(x(), y()).le(int(0)),
        x().lt(y()).choose(b(), y().le(int(1))),
        b().equals(x().le(y())),
        b().differs(x().le(y())),
        (b().and(x().le(y()))).or(!b()).and(yes()),
        (yes().or(b())).and(x().lt(int(1))),
        (x() / eps()).le(int(1)),
        (x() / (two() * eps())).lt(half()),
        (x() / (two() * eps() * eps()) - y() / eps()).le(int(0)),
        (int(1) / (x() + int(1))).le(y()),
        (x() / (two() * y())).lt(int(1)),
        (-(x() * x()) * y()).le(-(x() + y())),
        (x() * y() * half()).equals(x()),
        (x() - x()).exp().le(y()),
        ((x() - x() + int(1)).ln() + x()).lt(y()),
        (-x() + int(0)).floor().le(n()),
    ];
    for formula in &formulas {
        for polarity in [true, false] {
            let fact = fact(&context, formula, polarity).unwrap();
            for at in 0..500i64 {
                let [p, q, m, k] = [at % 5 - 2, at / 5 % 5 - 2, at / 25 % 5 - 2, at / 125 % 2];
                let mut values =
                    values(&[(of("n"), m), (other("n"), q), (of("b"), k), (plain("eps"), at / 250 + 1)]);
                values.insert(of("x"), rational(p, 2).unwrap());
                values.insert(other("x"), rational(q, 2).unwrap());
                assert_eq!(
                    true_fact(&fact, &values),
                    holds(formula, &values) == polarity,
                    "{formula} {values:?} {fact:?}"
                );
            }
        }
    }
}

/// Of exponentials only that of 0 is a number, and of logarithms only that of 1.
#[test]
fn exponentials_are_atoms() {
    let context = context(&[]);
    let shown = |e: Expr| poly(&context, &e).unwrap().to_expr().to_string();
    assert_eq!(shown(int(1).exp() + (var("N") - var("N")).exp()), "1 + exp(1)");
    assert_eq!(shown(int(2).ln() + (int(3) - int(2)).ln()), "ln(2)");
}

/// Lists are equal or not, whichever stands first; and what is apart is an atom with its numbers in normal form.
#[test]
fn lists_are_compared_as_a_whole() {
    let context = context(&[append("l", int(1)), append("m", int(1))]);
    let list = |name: &str, run| Expr::of(name, run);
    let same = list("l", Run::First).equals(list("l", Run::Second));
    let turned = list("l", Run::Second).equals(list("l", Run::First));
    assert_eq!(fact(&context, &turned, true).unwrap(), Fact::Holds(same.clone(), true));
    let differs = list("l", Run::First).differs(list("l", Run::Second));
    assert_eq!(fact(&context, &differs, true).unwrap(), Fact::Holds(same, false));
    let apart = |low: Expr| Expr::apart("l", low, int(1));
    let normal = fact(&context, &apart(int(1) - int(2)), true).unwrap();
    assert_eq!(normal, Fact::Holds(apart(int(-1)), true));
}

/// Comparisons of numbers are answered, also where both sides are equal.
#[test]
fn numbers_are_compared() {
    let context = context(&[]);
    let holds = |formula: Expr| {
        let yes = fact(&context, &formula, true).unwrap();
        let no = fact(&context, &formula, false).unwrap();
        match (yes, no) {
            (Fact::All(yes), Fact::Any(no)) if yes.is_empty() && no.is_empty() => true,
            (Fact::Any(yes), Fact::All(no)) if yes.is_empty() && no.is_empty() => false,
            other => panic!("{formula}: {other:?}"),
        }
    };
    for a in -1..=1 {
        for b in -1..=1 {
            let (x, y) = (|| int(a), || int(b));
            assert_eq!(
                [x().lt(y()), x().le(y()), x().equals(y()), x().differs(y()), x().ge(y()), x().gt(y())]
                    .map(holds),
                [a < b, a <= b, a == b, a != b, a >= b, a > b],
            );
            // The same with a variable that cancels out.
            let (x, y) = (|| int(a) + var("free"), || int(b) + var("free"));
            assert_eq!([x().lt(y()), x().le(y()), x().equals(y())].map(holds), [a < b, a <= b, a == b]);
        }
    }
}

/// A fact is taken as often as its coefficient says.
#[test]
fn coefficients_multiply() {
    // 6 ≤ 2·free, and the negation of 1 < free: once the first and twice the second is −4.
    let (six, goal) = (int(6).le(int(2) * var("free")), int(1).lt(var("free")));
    let times = |n: i64, d: i64, fact: usize| Product {
        coefficient: rational(n, d).unwrap(),
        scale: vec![],
        facts: vec![fact],
    };
    let with = |products: Vec<Product>| {
        check(&[&six], &goal, &Evidence::Combination { products, equations: vec![] })
    };
    assert!(with(vec![times(1, 1, KNOWN), times(2, 1, KNOWN + 1)]).is_ok());
    assert!(with(vec![times(1, 2, KNOWN), times(1, 1, KNOWN + 1)]).is_ok());
    for (n, d) in [(1, 1), (1, 2), (3, 1)] {
        let answer = with(vec![times(1, 1, KNOWN), times(n, d, KNOWN + 1)]);
        assert!(matches!(answer, Err(Rejection::NotAContradiction { .. })));
    }
}
