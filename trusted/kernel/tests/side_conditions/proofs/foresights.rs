//! FORESEE: a mechanism as a function of its noise, and every mechanism and every foresight of which that would not be true.

use probity_kernel::foresee::{Foresight, Kept, Place};
use probity_kernel::privacy::foreseen;

use crate::common::*;

/// The largest of noisy values and its place, with something else in place of the draw.
fn largest_of(drawn: Vec<Statement>) -> Mechanism {
    let wins = vec![assign("best", var("v")), assign("arg", var("i"))];
    let mut round = drawn;
    round.push(choose(var("v").gt(var("best")), wins, vec![]));
    let start = [("best", var("free")), ("arg", int(0)), ("v", var("free"))];
    let mut body: Vec<Statement> = start.into_iter().map(|(name, value)| assign(name, value)).collect();
    body.push(count("i", var("N"), round));
    mechanism(body, var("arg"))
}

fn score() -> Expr {
    var("i").index_of(Variable::Plain("q".into()))
}

fn noisy(law: Distribution) -> Mechanism {
    largest_of(vec![draw("v", law)])
}

fn largest() -> Mechanism {
    noisy(laplace(score(), int(1) / var("eps")))
}

fn whole() -> Mechanism {
    noisy(Distribution::DiscreteLaplace { center: var("n"), scale: int(1) })
}

/// The winner moves by as much as the largest of the others does.
fn follow() -> Foresight {
    let amount = second("rest") - first("rest");
    Foresight {
        keys: vec![("r".into(), var("arg"))],
        noise: "z".into(),
        places: vec![Place { index: var("r"), by: "g".into(), amount }],
        kept: vec![Kept { name: "rest".into(), start: var("free"), next: var("rest").max(var("v")) }],
        tied: "tied".into(),
        ties: vec![var("best")],
    }
}

fn refused(m: &Mechanism, foresight: &Foresight) -> Rejection {
    foresight.as_function(m).unwrap_err()
}

fn is_no_such(m: &Mechanism) {
    assert!(matches!(refused(m, &follow()), Rejection::NotEquivalent { .. }), "{m}");
}

fn amount(amount: Expr) -> Foresight {
    let mut foresight = follow();
    foresight.places[0].amount = amount;
    foresight
}

#[test]
fn foresee_writes_a_mechanism_as_a_function_of_its_noise() {
    let made = follow().as_function(&largest()).unwrap();
    let value = "if i == r then q[r] + (z[r] + g) else q[i] + z[i]";
    let loop_text = made.body.last().unwrap().to_string();
    assert_eq!(
        loop_text,
        format!(
            "for i in 0..N {{\n  tied = tied or ({value}) == best\n  v = {value}\n  if not i == r {{\n    rest = max(rest, v)\n  }}\n  if v > best {{\n    best = v\n    arg = i\n  }}\n}}\n"
        )
    );
    let starts: String = made.body[3..5].iter().map(ToString::to_string).collect();
    assert_eq!(starts, "rest = free\ntied = false\n");
    // The noise is the same in both runs, and nothing says by how much it moves.
    let clause = made.adjacency.last().unwrap();
    assert_eq!(*clause, Adjacency::EveryEntry { list: "z".into(), bound: int(0) });
    assert_eq!(made.adjacency.len(), largest().adjacency.len() + 1);
    assert_eq!(made.inputs.len(), largest().inputs.len() + 2);
}

#[test]
fn foresee_moves_one_sided_noise_up() {
    let claim = Claim { epsilon: var("eps"), delta: int(0), reading: Reading::Reals };
    let goal = |law: Distribution| {
        let m = noisy(law);
        let context = Context::new(&follow().as_function(&m).unwrap(), Orientation::Forward).unwrap();
        follow().goal(&context, &m, &claim).unwrap().to_string()
    };
    let then = "(not g' - g == rest' - rest or arg' == r and arg == arg'))";
    let start = "cost <= 0 and 0 < 1 / eps and 0 <= 0 and (not (arg == r and not tied) or ";
    let scale = || int(1) / var("eps");
    let two_sided = format!("{start}abs(rest' - rest) <= eps * (1 / eps) and {then}");
    assert_eq!(goal(laplace(score(), scale())), two_sided);
    let up = format!("{start}0 <= rest' - rest and rest' - rest <= eps * (1 / eps) and {then}");
    assert_eq!(goal(Distribution::Exponential { scale: scale() }), up);
    assert_eq!(goal(Distribution::Gumbel { center: score(), scale: scale() }), up);
}

/// Noise on one side is drawn around 0.
#[test]
fn foresee_writes_one_sided_noise_as_it_is() {
    let mut untied = Foresight { ties: vec![], ..follow() };
    untied.places[0].amount = int(1);
    for law in [Distribution::Exponential { scale: int(1) }, Distribution::Geometric { scale: int(1) }] {
        let made = untied.as_function(&noisy(law)).unwrap();
        let text = made.body.last().unwrap().to_string();
        assert!(text.contains("  v = if i == r then 0 + (z[r] + g) else 0 + z[i]\n"), "{text}");
    }
}

/// What all places move by is paid together.
#[test]
fn foresee_pays_for_every_place() {
    let claim = Claim { epsilon: var("eps"), delta: int(0), reading: Reading::Reals };
    let goal = |law: Distribution, places: Vec<Place>| {
        let m = noisy(law);
        let foresight = Foresight { places, ..follow() };
        let context = Context::new(&foresight.as_function(&m).unwrap(), Orientation::Forward).unwrap();
        foresight.goal(&context, &m, &claim).unwrap().to_string()
    };
    let place = |index: Expr, by: &str, amount: i64| Place { index, by: by.into(), amount: int(amount) };
    let two = || vec![place(var("r"), "g", 2), place(var("r") + int(1), "h", 3)];
    let text = goal(laplace(score(), int(1)), two());
    assert!(text.contains("or abs(2) + abs(3) <= eps * 1 and (not (g' - g == 2 and h' - h == 3)"), "{text}");
    let text = goal(Distribution::Exponential { scale: int(1) }, two());
    assert!(text.contains("or 0 <= 2 and 0 <= 3 and 2 + 3 <= eps * 1 and"), "{text}");
    let text = goal(laplace(score(), int(1)), vec![]);
    assert!(text.contains("or 0 <= eps * 1 and"), "nothing moves: {text}");
}

#[test]
fn foresee_is_of_one_draw_in_every_round() {
    let noise = || draw("v", laplace(score(), int(1)));
    is_no_such(&largest_of(vec![noise(), noise()]));
    is_no_such(&largest_of(vec![choose(var("best").gt(int(0)), vec![noise()], vec![])]));
    let more = || draw("w", laplace(score(), int(1)));
    is_no_such(&largest_of(vec![noise(), choose(var("best").gt(int(0)), vec![more()], vec![more()])]));
    is_no_such(&largest_of(vec![noise(), choose(var("best").gt(int(0)), vec![more()], vec![])]));
    is_no_such(&largest_of(vec![noise(), choose(var("best").gt(int(0)), vec![], vec![more()])]));
    let mut beside = largest();
    beside.body.push(draw("w", laplace(var("x"), int(1))));
    is_no_such(&beside);
    let ends = Statement::While { label: "w".into(), guard: var("best").gt(int(0)), body: vec![] };
    is_no_such(&largest_of(vec![noise(), ends]));
    assert!(follow().as_function(&largest_of(vec![noise()])).is_ok());
}

#[test]
fn foresee_is_of_noise_that_moves() {
    is_no_such(&noisy(Distribution::Gaussian { center: score(), deviation: int(1) }));
    is_no_such(&noisy(Distribution::UniformInt { low: int(0), high: int(1) }));
}

#[test]
fn foresee_has_a_public_scale() {
    let m = noisy(laplace(score(), var("x")));
    assert!(matches!(refused(&m, &follow()), Rejection::NotPublic { .. }));
}

#[test]
fn foresee_draws_around_what_no_draw_decides() {
    is_no_such(&noisy(laplace(var("best"), int(1))));
    is_no_such(&noisy(laplace(var("v"), int(1))));
    // Also where it is set only once, to what the last round drew.
    is_no_such(&largest_of(vec![draw("v", laplace(var("w"), int(1))), assign("w", var("v"))]));
}

#[test]
fn foresee_counts_what_both_runs_share() {
    let to = |bound: Expr| {
        let mut m = largest();
        let Some(Statement::For { to, .. }) = m.body.last_mut() else { panic!() };
        *to = bound;
        m
    };
    for bound in [var("n"), var("arg")] {
        assert!(matches!(refused(&to(bound), &follow()), Rejection::LoopBoundNotShared { .. }));
    }
    assert!(follow().as_function(&to(Expr::Length(Variable::Plain("q".into())))).is_ok());
    let inner = count("i", int(3), vec![]);
    let again = largest_of(vec![draw("v", laplace(score(), int(1))), inner]);
    assert!(matches!(refused(&again, &follow()), Rejection::Malformed { .. }));
}

#[test]
fn foresee_needs_new_names() {
    for taken in ["best", "q", "eps", "i", "tied", "rest", "r", "g"] {
        let foresight = Foresight { noise: taken.into(), ..follow() };
        assert!(matches!(refused(&largest(), &foresight), Rejection::NotEquivalent { .. }), "{taken}");
    }
}

#[test]
fn foresee_has_countably_many_keys() {
    let keys = |key: Expr| Foresight { keys: vec![("r".into(), key)], ..follow() };
    assert!(matches!(refused(&largest(), &keys(var("best"))), Rejection::NotAnInteger { .. }));
    // A key is read off the mechanism itself.
    let own = int(0).index_of(Variable::Plain("z".into()));
    assert!(keys(own.floor()).as_function(&largest()).is_err());
    assert!(keys(var("arg") + int(1)).as_function(&largest()).is_ok());
}

#[test]
fn foresee_keeps_what_is_drawn_elsewhere_only() {
    let keep = |start: Expr, next: Expr| Foresight {
        kept: vec![Kept { name: "rest".into(), start, next }],
        ..follow()
    };
    let entry = || var("r").index_of(Variable::Plain("z".into()));
    for (start, next) in [
        (var("free"), var("best")),
        (var("free"), entry()),
        (var("free"), var("g")),
        (var("best"), var("v")),
        (var("v"), var("v")),
    ] {
        assert!(matches!(refused(&largest(), &keep(start, next)), Rejection::MayNotMention { .. }));
    }
    let next = var("rest").max(var("v") + var("i") + var("r") + var("x"));
    assert!(keep(var("x"), next).as_function(&largest()).is_ok());
}

#[test]
fn foresee_moves_at_places_that_keys_name() {
    let place = |index: Expr| {
        let mut foresight = follow();
        foresight.places[0].index = index;
        foresight
    };
    assert!(matches!(refused(&largest(), &place(var("arg"))), Rejection::NotPublic { .. }));
    assert!(matches!(refused(&largest(), &place(var("free"))), Rejection::NotAnInteger { .. }));
    assert!(place(var("r") + var("N")).as_function(&largest()).is_ok());
}

#[test]
fn foresee_moves_by_what_is_kept() {
    let entry = |run| var("r").index_of(Variable::Of("z".into(), run));
    let changed = Expr::Var(Variable::Changed("q".into()));
    for foreign in [first("best"), second("v"), first("g"), entry(Run::First), Expr::cost(), changed] {
        let refusal = refused(&largest(), &amount(foreign));
        assert!(matches!(refusal, Rejection::MayNotMention { .. }), "{refusal}");
    }
    // Nor by what a program sets, or by what it counts.
    for foreign in [var("best"), var("v"), var("arg"), var("g"), var("i")] {
        let refusal = refused(&largest(), &amount(foreign));
        assert!(matches!(refusal, Rejection::MayNotMention { .. }), "{refusal}");
    }
    assert!(amount(var("eps") * var("r")).as_function(&largest()).is_ok());
    let score = |run| var("r").index_of(Variable::Of("q".into(), run));
    let fine = second("rest") - first("rest") + score(Run::First) - score(Run::Second) + second("x");
    assert!(amount(fine).as_function(&largest()).is_ok());
}

#[test]
fn foresee_moves_by_numbers() {
    assert!(amount(first("rest").le(int(1))).as_function(&largest()).is_err());
}

#[test]
fn foresee_moves_integers_by_integers() {
    let untied = |amount: Expr| {
        let mut foresight = Foresight { ties: vec![], ..follow() };
        foresight.places[0].amount = amount;
        foresight
    };
    let half = int(1) / int(2);
    assert!(matches!(refused(&whole(), &untied(half)), Rejection::NotAnInteger { .. }));
    assert!(untied(int(1)).as_function(&whole()).is_ok());
}

#[test]
fn foresee_has_no_ties_on_the_integers() {
    let with = |ties: Vec<Expr>| {
        let mut foresight = Foresight { ties, ..follow() };
        foresight.places[0].amount = int(1);
        foresight
    };
    assert!(matches!(refused(&whole(), &with(vec![var("best")])), Rejection::NotEquivalent { .. }));
    assert!(with(vec![]).as_function(&whole()).is_ok());
}

#[test]
fn foresee_has_ties_with_what_was_known_before() {
    let with = |tie: Expr| Foresight { ties: vec![tie], ..follow() };
    // The noise of this very round would always be tied with itself.
    let own = || var("i").index_of(Variable::Plain("z".into()));
    for tie in [own(), score() + own(), var("g"), var("best").gt(int(0))] {
        assert!(with(tie).as_function(&largest()).is_err());
    }
    assert!(with(var("best") - score()).as_function(&largest()).is_ok());
}

#[test]
fn foresee_is_for_epsilon() {
    let claim = Claim { epsilon: var("eps"), delta: int(0), reading: Reading::Rho };
    let refusal = foreseen(&largest(), &claim, &[], &follow(), &[]).unwrap_err();
    assert!(matches!(refusal, Rejection::ClaimNotCovered { reason } if reason.contains("FORESEE")));
}

#[test]
fn foresee_asks_what_every_claim_is_asked() {
    let claim = Claim { epsilon: first("x"), delta: int(0), reading: Reading::Reals };
    let refusal = foreseen(&largest(), &claim, &[], &follow(), &[]).unwrap_err();
    assert!(matches!(refusal, Rejection::NotPublic { .. }), "{refusal}");
}
