//! What a mechanism must be before anything is proved of it: names, kinds, assumptions, adjacency.

use probity_kernel::fact::{Fact, fact};
use probity_kernel::kind::Kind;

use crate::common::*;

fn new(mechanism: &Mechanism) -> Result<Context, Rejection> {
    Context::new(mechanism, Orientation::Forward)
}

fn malformed(mechanism: &Mechanism) -> bool {
    matches!(new(mechanism), Err(Rejection::Malformed { .. }))
}

#[test]
fn mechanisms_are_not_deep() {
    let deep = |n: usize| (0..n).fold(var("x"), |e, _| -e);
    assert!(matches!(refused(&[assign("y", deep(2_000))]), Err(Rejection::TooLarge)));
    assert!(refused(&[assign("y", deep(100))]).is_ok());
}

#[test]
fn names_are_identifiers() {
    let escape = "y\u{1b}[8m";
    let places: Vec<Vec<Statement>> = vec![
        vec![assign(escape, int(1))],
        vec![draw(escape, Distribution::Sign)],
        vec![append(escape, int(1))],
        vec![count(escape, int(1), vec![])],
        vec![Statement::While { label: escape.into(), guard: Expr::Bool(false), body: vec![] }],
        vec![choose(yes(), vec![assign(escape, int(1))], vec![])],
        vec![choose(yes(), vec![], vec![assign(escape, int(1))])],
        vec![count("i", int(1), vec![assign(escape, int(1))])],
    ];
    for body in places {
        assert!(malformed(&mechanism(body.clone(), int(0))), "{body:?}");
    }
    let words =
        ["if", "cost", "result", "true", "return", "for", "while", "in", "claim", "neighbors", "proof"];
    for name in ["", "1y", "a b", "a\n", "é"].into_iter().chain(words) {
        assert!(malformed(&Mechanism { name: name.into(), ..mechanism(vec![], int(0)) }), "{name:?}");
    }
    let mut named = mechanism(vec![], int(0));
    named.inputs[0].name = "x'".into();
    assert!(malformed(&Mechanism { adjacency: vec![], ..named }));
    let mut named = mechanism(vec![], int(0));
    named.params[2].name = "free ".into();
    assert!(malformed(&named));
    assert!(new(&mechanism(vec![assign("_y1", int(1))], int(0))).is_ok());
    let mut table = mechanism(vec![], int(0));
    let field = |name: &str| Sort::Rows(vec![Field { name: name.into(), sort: Sort::Int }]);
    table.inputs.push(Input { name: "t".into(), sort: field("a b") });
    assert!(malformed(&table));
    table.inputs[4].sort = field("age");
    assert!(new(&table).is_ok());
}

#[test]
fn parameters_are_numbers() {
    let mut odd = mechanism(vec![], int(0));
    odd.params[2].sort = Sort::Bool;
    assert!(malformed(&odd));
    odd.params[2].sort = Sort::Int;
    assert!(new(&odd).is_ok());
}

#[test]
fn names_are_declared_once() {
    let mut twice = mechanism(vec![], int(0));
    twice.params.push(Param { name: "x".into(), sort: Sort::Real });
    assert!(malformed(&twice));
}

#[test]
fn indices_hide_nothing() {
    let inner = count("i", int(1), vec![]);
    assert!(malformed(&mechanism(vec![count("i", int(2), vec![inner.clone()])], int(0))));
    assert!(malformed(&mechanism(vec![count("N", int(2), vec![])], int(0))), "a parameter");
    assert!(malformed(&mechanism(vec![count("n", int(2), vec![])], int(0))), "an input");
    for branch in [choose(yes(), vec![inner.clone()], vec![]), choose(yes(), vec![], vec![inner.clone()])] {
        assert!(malformed(&mechanism(vec![count("i", int(2), vec![branch])], int(0))), "in a branch");
    }
    assert!(new(&mechanism(vec![inner.clone(), inner], int(0))).is_ok());
}

#[test]
fn indices_are_read_inside_of_their_loops() {
    let looped = |body| count("j", int(2), body);
    let read = || assign("y", var("j"));
    let outside: [Vec<Statement>; 6] = [
        vec![looped(vec![]), read()],
        vec![read(), looped(vec![])],
        vec![choose(yes(), vec![looped(vec![])], vec![read()])],
        vec![looped(vec![]), choose(var("j").le(int(1)), vec![], vec![])],
        // A bound that the body counts.
        vec![looped(vec![]), count("i", var("j"), vec![looped(vec![])])],
        vec![count("j", var("j"), vec![])],
    ];
    for body in outside {
        assert!(malformed(&mechanism(body.clone(), int(0))), "{body:?}");
    }
    assert!(malformed(&mechanism(vec![looped(vec![])], var("j"))), "the output");
    assert!(new(&mechanism(vec![looped(vec![read(), count("i", var("j"), vec![read()])])], int(0))).is_ok());
}

#[test]
fn inputs_parameters_and_indices_are_not_assigned() {
    for name in ["x", "eps"] {
        assert!(malformed(&mechanism(vec![assign(name, int(1))], int(0))), "{name}");
        assert!(malformed(&mechanism(vec![choose(yes(), vec![], vec![assign(name, int(1))])], int(0))));
        assert!(malformed(&mechanism(vec![choose(yes(), vec![assign(name, int(1))], vec![])], int(0))));
    }
    assert!(malformed(&mechanism(vec![count("i", int(1), vec![assign("i", int(1))])], int(0))));
    let after = vec![count("i", int(1), vec![]), assign("i", int(1))];
    assert!(malformed(&mechanism(after, int(0))), "an index after its loop");
    let inside = vec![Statement::While {
        label: "l".into(),
        guard: Expr::Bool(false),
        body: vec![count("i", int(1), vec![assign("i", int(1))])],
    }];
    assert!(malformed(&mechanism(inside, int(0))), "an index of a loop in a loop");
    assert!(malformed(&mechanism(vec![append("q", int(1))], int(0))), "an input list grows");
    assert!(new(&mechanism(vec![assign("y", int(1))], int(0))).is_ok());
}

#[test]
fn programs_set_what_they_read() {
    assert!(malformed(&mechanism(vec![], var("nobody"))));
    assert!(malformed(&mechanism(vec![assign("y", var("nobody"))], int(0))));
    assert!(new(&mechanism(vec![assign("y", var("x"))], var("y"))).is_ok());
}

#[test]
fn programs_speak_of_plain_variables() {
    for ghost in [second("x"), Expr::cost(), Expr::Var(Variable::Changed("q".into())), Expr::Var(any("x"))] {
        assert!(malformed(&mechanism(vec![assign("y", ghost.clone())], int(0))), "{ghost}");
    }
    assert!(new(&mechanism(vec![assign("y", var("x"))], int(0))).is_ok());
}

#[test]
fn assumptions_are_about_what_is_fixed() {
    let assume = |e: Expr| Mechanism {
        assumptions: vec![e],
        ..mechanism(vec![assign("y", int(1)), count("i", int(1), vec![])], int(0))
    };
    assert!(malformed(&assume(var("y").equals(int(0)))), "a variable");
    assert!(malformed(&assume(var("i").equals(int(0)))), "an index");
    assert!(malformed(&assume(Expr::cost().equals(int(0)))), "a ghost");
    assert!(new(&assume(var("x").le(int(0)))).is_ok());
}

#[test]
fn assumptions_are_formulas() {
    let assume = |e: Expr| Mechanism { assumptions: vec![e], ..mechanism(vec![], int(0)) };
    assert!(matches!(new(&assume(var("x"))), Err(Rejection::NotAFormula { .. })));
    assert!(new(&assume(var("b"))).is_ok());
}

fn related(relation: Expr) -> Mechanism {
    let body = vec![assign("y", int(1)), count("i", int(1), vec![])];
    Mechanism { adjacency: vec![Adjacency::Related(relation)], ..mechanism(body, int(0)) }
}

#[test]
fn relations_are_between_scalar_inputs() {
    let lengths = Expr::Length(of("q")).equals(Expr::Length(other("q")) + int(1));
    assert!(malformed(&related(lengths)), "lengths");
    assert!(malformed(&related(int(0).index_of(of("q")).le(int(1)))), "entries");
    assert!(malformed(&related(first("y").le(int(1)))), "a variable");
    assert!(malformed(&related(Expr::cost().le(int(1)))), "a ghost");
    assert!(malformed(&related(var("i").le(int(1)))), "an index");
    assert!(malformed(&related(var("x").le(int(1)))), "an input of no run");
    assert!(new(&related(first("x").le(second("x") + var("eps")))).is_ok());
}

#[test]
fn relations_are_formulas() {
    assert!(matches!(new(&related(first("x"))), Err(Rejection::NotAFormula { .. })));
    assert!(new(&related(first("b").equals(second("b")))).is_ok());
}

fn every(list: &str, bound: Expr) -> Mechanism {
    Mechanism {
        adjacency: vec![Adjacency::EveryEntry { list: list.into(), bound }],
        ..mechanism(vec![], int(0))
    }
}

#[test]
fn clauses_are_about_input_lists() {
    assert!(malformed(&every("x", int(1))) && malformed(&every("nobody", int(1))));
    assert!(new(&every("q", int(1))).is_ok());
}

#[test]
fn bounds_of_clauses_are_public() {
    assert!(matches!(new(&every("q", var("n"))), Err(Rejection::NotPublic { .. })));
    assert!(new(&every("q", var("N"))).is_ok());
}

#[test]
fn bounds_of_clauses_are_numbers() {
    assert!(matches!(new(&every("q", yes())), Err(Rejection::NotANumber { .. })));
    assert!(new(&every("q", int(1))).is_ok());
}

#[test]
fn one_changed_entry_has_one_ghost() {
    let one = || Adjacency::OneEntry { list: "q".into(), bound: int(1) };
    let twice = Mechanism { adjacency: vec![one(), one()], ..mechanism(vec![], int(0)) };
    assert!(malformed(&twice));
    assert!(new(&Mechanism { adjacency: vec![one()], ..twice }).is_ok());
}

fn category(count: Expr) -> Mechanism {
    let mut mechanism = mechanism(vec![], int(0));
    mechanism.inputs.push(Input { name: "c".into(), sort: Sort::Category { count } });
    mechanism
}

#[test]
fn categories_are_counted_publicly() {
    assert!(matches!(new(&category(var("n"))), Err(Rejection::NotPublic { .. })));
    assert!(new(&category(var("N"))).is_ok());
}

#[test]
fn categories_are_counted_in_integers() {
    assert!(matches!(new(&category(var("eps"))), Err(Rejection::NotAnInteger { .. })));
    assert!(new(&category(int(3))).is_ok());
}

/// Which parameters are positive, by the form of an assumption.
#[test]
fn positive_is_positive() {
    let positive = |assumption: Expr| {
        let mechanism = Mechanism { assumptions: vec![assumption], ..mechanism(vec![], int(0)) };
        new(&mechanism).unwrap().is_positive(&"free".into())
    };
    let free = || var("free");
    assert!(positive(free().gt(int(0))) && positive(free().ge(int(1))) && positive(int(0).lt(free())));
    assert!(positive(yes().and(int(1).le(free()))));
    assert!(positive(free().gt(int(1) / int(2))) && positive((int(-1) / int(-3)).le(free())), "a fraction");
    assert!(!positive(free().gt(int(-1) / int(2))) && !positive(free().ge(int(0) / int(2))), "at most 0");
    assert!(!positive(free().gt(int(1) / int(0))) && !positive(free().ge(int(1) / var("N"))), "no number");
    assert!(!positive(free().ge(int(0))), "0 itself");
    assert!(!positive(int(0).le(free())), "0 itself");
    assert!(!positive(free().gt(int(-1))), "below 0");
    assert!(!positive(free().gt(int(0)).or(yes())), "one side of a choice");
    assert!(!positive(int(0).gt(free())) && !positive(free().lt(int(1))), "the other way round");
    let of_input = Mechanism { assumptions: vec![var("x").gt(int(0))], ..mechanism(vec![], int(0)) };
    assert!(!new(&of_input).unwrap().is_positive(&"x".into()), "an input");
}

/// What holds of every entry or row says nothing of a parameter where there is none: free may be 0 for an empty list, and
/// then free / free is 0 and not 1.
#[test]
fn entries_and_rows_make_no_parameter_positive() {
    let entry = Expr::Var(Variable::Entry("q".into())).ge(int(0));
    let positive = |assumptions: Vec<Expr>| {
        let mechanism = Mechanism { assumptions, ..mechanism(vec![], int(0)) };
        let context = new(&mechanism).unwrap();
        let one = fact(&context, &(var("free") / var("free")).equals(int(1)), true).unwrap();
        (context.is_positive(&"free".into()), one == Fact::All(vec![]))
    };
    let said = || var("free").gt(int(0));
    assert_eq!(positive(vec![entry.clone().and(said())]), (false, false));
    assert_eq!(positive(vec![entry, said()]), (true, true));

    let mut table = mechanism(vec![], int(0));
    let field = Field { name: "age".into(), sort: Sort::Int };
    table.inputs.push(Input { name: "t".into(), sort: Sort::Rows(vec![field]) });
    let row = Expr::field("t", "age").ge(int(0));
    let of_rows = Mechanism { assumptions: vec![row.clone().and(said())], ..table.clone() };
    assert!(!new(&of_rows).unwrap().is_positive(&"free".into()));
    let of_both = Mechanism { assumptions: vec![row, said()], ..table };
    assert!(new(&of_both).unwrap().is_positive(&"free".into()));
}

/// In an assertion a parameter is plain, a variable belongs to a run, and lengths are shared.
#[test]
fn assertions_speak_of_what_is_there() {
    let context = context(&[assign("y", int(1)), count("i", int(1), vec![]), append("l", int(1))]);
    let fine = |e: Expr| Assertion::new(&context, e.equals(int(0))).is_ok();
    assert!(fine(first("y")) && fine(second("x")) && fine(var("N")) && fine(var("i")) && fine(Expr::cost()));
    assert!(fine(Expr::Length(plain("q"))) && fine(int(0).index_of(of("q"))));
    for foreign in [
        var("y"),
        var("x"),
        first("N"),
        second("i"),
        first("nobody"),
        var("nobody"),
        Expr::Length(of("q")),
        int(0).index_of(plain("q")),
        Expr::Var(Variable::Changed("x".into())),
        Expr::Length(plain("l")),
    ] {
        assert!(!fine(foreign.clone()), "{foreign:?}");
    }
    let apart = |low: Expr, high: Expr| Assertion::new(&context, Expr::apart("q", low, high)).is_ok();
    assert!(apart(first("y"), second("y")) && !apart(var("y"), int(1)) && !apart(int(0), var("y")));
    let shared = |name: &str| context.is_shared(&name.into());
    assert!(shared("N") && shared("i") && !shared("y") && !shared("x"));
}

/// What is known of all inputs, word for word.
#[test]
fn sorts_say_what_they_say() {
    let mut among = mechanism(vec![], int(0));
    among.inputs.push(Input { name: "c".into(), sort: Sort::Category { count: var("N") } });
    let facts = |m: &Mechanism| new(m).unwrap().facts().iter().map(Expr::to_string).collect::<Vec<_>>();
    let known = facts(&among);
    let new: Vec<_> = known.iter().filter(|fact| !facts(&mechanism(vec![], int(0))).contains(fact)).collect();
    assert_eq!(new, ["0 <= c and c < N", "0 <= c' and c' < N"]);
    assert!(known.contains(&"0 <= length(q)".to_string()), "{known:?}");
    let bounded = Mechanism { assumptions: vec![var("x").le(int(2))], ..mechanism(vec![], int(0)) };
    let known = facts(&bounded);
    assert!(known.contains(&"x <= 2".to_string()) && known.contains(&"x' <= 2".to_string()), "{known:?}");
}

/// A clause about one list says nothing of another.
#[test]
fn clauses_speak_of_their_own_list() {
    let list = |name: &str| name.into();
    let clauses = [
        Adjacency::EveryEntry { list: list("w"), bound: int(1) },
        Adjacency::EveryEntryGrows { list: list("w"), bound: int(1) },
        Adjacency::OneEntry { list: list("w"), bound: int(1) },
        Adjacency::Norm { list: list("w"), bound: int(1), squares: false },
    ];
    for clause in clauses {
        let mut two = Mechanism { adjacency: vec![clause.clone()], ..mechanism(vec![], int(0)) };
        two.inputs.push(Input { name: "w".into(), sort: Sort::RealList });
        let context = new(&two).unwrap();
        assert_eq!(context.adjacent_entries(&"q".into(), &int(0)), yes(), "{clause}");
        let says = context.adjacent_entries(&"w".into(), &int(0)) != yes();
        assert_eq!(says, !matches!(clause, Adjacency::Norm { .. }), "{clause}");
    }
}

/// Kinds: for every operation an operand that does not fit, and that a guess might let pass.
#[test]
fn expressions_have_kinds() {
    let set = |value: Expr| refused(&[assign("y", value)]);
    let (x, n, b) = (|| var("x"), || var("n"), || var("b"));
    let q = || Expr::Var(plain("q"));
    assert!(matches!(set(-b()), Err(Rejection::NotANumber { .. })));
    assert!(matches!(set(!x()), Err(Rejection::NotAFormula { .. })));
    assert!(matches!(set(b().floor()), Err(Rejection::NotANumber { .. })));
    assert!(matches!(set(x() + b()), Err(Rejection::NotANumber { .. })));
    assert!(matches!(set(b() * x()), Err(Rejection::NotANumber { .. })));
    assert!(matches!(set(x() / b()), Err(Rejection::NotANumber { .. })));
    assert!(matches!(set(b() / x()), Err(Rejection::NotANumber { .. })));
    assert!(matches!(set(x().lt(b())), Err(Rejection::NotANumber { .. })));
    assert!(matches!(set(b().lt(x())), Err(Rejection::NotANumber { .. })));
    assert!(matches!(set(x().and(b())), Err(Rejection::NotAFormula { .. })));
    assert!(matches!(set(b().or(x())), Err(Rejection::NotAFormula { .. })));
    assert!(matches!(set(x().modulo(n())), Err(Rejection::NotAnInteger { .. })));
    assert!(matches!(set(n().modulo(x())), Err(Rejection::NotAnInteger { .. })));
    assert!(matches!(set(x().equals(b())), Err(Rejection::KindsDiffer { .. })));
    assert!(matches!(set(x().clamp(b(), int(1))), Err(Rejection::NotANumber { .. })));
    assert!(matches!(set(b().clamp(int(0), int(1))), Err(Rejection::NotANumber { .. })));
    assert!(matches!(set(x().choose(int(0), int(1))), Err(Rejection::NotAFormula { .. })));
    assert!(matches!(set(b().choose(int(0), b())), Err(Rejection::KindsDiffer { .. })));
    assert!(matches!(set(b().choose(q(), q())), Err(Rejection::NotANumber { .. })));
    assert!(matches!(set(x().index_of(plain("q"))), Err(Rejection::NotAnInteger { .. })));
    assert!(matches!(set(int(0).index_of(plain("x"))), Err(Rejection::NotAList { .. })));
    assert!(matches!(set(Expr::Length(plain("x"))), Err(Rejection::NotAList { .. })));
    assert!(matches!(set(q()), Err(Rejection::NotANumber { .. })));
    let sum = int(0) + Expr::Bool(false).choose(yes(), x());
    assert!(matches!(set(sum), Err(Rejection::KindsDiffer { .. })));
    for fine in [
        x() + n(),
        n().modulo(int(2)),
        b().and(b()),
        x().equals(n()),
        b().choose(x(), n()),
        x().clamp(n(), x()),
    ] {
        assert!(set(fine).is_ok());
    }
}

/// An output list is read if its entries are numbers. What is appended to it says which.
#[test]
fn output_lists_of_numbers_are_read() {
    let with = |values: &[Expr], y: Expr| {
        let put = values.iter().map(|value| append("out", value.clone()));
        let all = [assign("out", Expr::EmptyList)].into_iter().chain(put).chain([assign("y", y)]);
        refused(&all.collect::<Vec<_>>())
    };
    let entry = || int(0).index_of(plain("out"));
    assert!(malformed_context(with(&[], entry())));
    for wrong in [vec![var("b")], vec![int(1), var("b")]] {
        assert!(matches!(with(&wrong, entry()), Err(Rejection::NotAList { .. })));
    }
    assert!(matches!(with(&[int(1)], var("x").index_of(plain("out"))), Err(Rejection::NotAnInteger { .. })));
    let kind_of = |values: &[Expr]| with(values, entry()).unwrap().kind(&first("y"));
    assert_eq!(kind_of(&[int(1), var("n")]), Kind::Int);
    assert_eq!(kind_of(&[int(1), var("x")]), Kind::Real);
}

fn malformed_context(found: Result<Context, Rejection>) -> bool {
    matches!(found, Err(Rejection::Malformed { .. }))
}

/// What is appended may change what an entry is, so nothing is said of entries across an append.
#[test]
fn entries_do_not_outlive_an_append() {
    let body = [assign("out", Expr::EmptyList), append("out", int(1))];
    let here = context(&body);
    let entry = |run| int(0).index_of(Variable::Of("out".into(), run));
    let same = assertion(&here, entry(Run::First).equals(entry(Run::Second)));
    assert!(matches!(rules::append(&here, &body[1], &same), Err(Rejection::MayNotMention { .. })));
    assert!(matches!(rules::assign(&here, &body[0], &same), Err(Rejection::MayNotMention { .. })));
}

#[test]
fn variables_have_one_kind() {
    assert!(malformed(&mechanism(vec![assign("y", int(1)), assign("y", yes())], int(0))));
    assert!(malformed(&mechanism(vec![assign("y", int(1)), append("y", int(1))], int(0))));
    let context = context(&[assign("y", int(1)), assign("y", var("x"))]);
    // It holds integers here and reals there: real, so no gap is taken for granted.
    assert!(Assertion::new(&context, first("y").modulo(int(2)).equals(int(0))).is_err());
}

#[test]
fn statements_have_their_kinds() {
    assert!(matches!(refused(&[choose(var("x"), vec![], vec![])]), Err(Rejection::NotAFormula { .. })));
    let forever = |guard| Statement::While { label: "w".into(), guard, body: vec![] };
    assert!(matches!(refused(&[forever(var("n"))]), Err(Rejection::NotAFormula { .. })));
    assert!(matches!(refused(&[count("i", var("eps"), vec![])]), Err(Rejection::NotAnInteger { .. })));
    let from = Statement::For { index: "i".into(), from: var("eps"), to: int(3), body: vec![] };
    assert!(matches!(refused(&[from]), Err(Rejection::NotAnInteger { .. })));
    let put = |value| vec![assign("out", Expr::EmptyList), append("out", value)];
    assert!(matches!(refused(&put(Expr::EmptyList)), Err(Rejection::NotANumber { .. })));
    assert!(refused(&put(var("b"))).is_ok() && refused(&[forever(var("b"))]).is_ok());
    // Inside blocks too.
    let inner = choose(var("x"), vec![], vec![]);
    assert!(refused(&[choose(yes(), vec![inner.clone()], vec![])]).is_err());
    assert!(refused(&[choose(yes(), vec![], vec![inner.clone()])]).is_err());
    assert!(refused(&[count("i", int(1), vec![inner.clone()])]).is_err());
    let label = Statement::While { label: "w".into(), guard: yes(), body: vec![inner] };
    assert!(refused(&[label]).is_err());
}

#[test]
fn laws_have_numbers() {
    let drawn = |law| refused(&[draw("y", law)]);
    assert!(matches!(drawn(laplace(var("b"), int(1))), Err(Rejection::NotANumber { .. })));
    assert!(drawn(laplace(var("n"), int(1))).is_ok());
}

#[test]
fn integer_laws_have_integer_places() {
    let drawn = |law| refused(&[draw("y", law)]);
    let x = || var("x");
    let one = || int(1);
    for law in [
        Distribution::UniformInt { low: x(), high: one() },
        Distribution::UniformInt { low: one(), high: x() },
        Distribution::UniformOther { value: x(), count: one() },
        Distribution::UniformOther { value: one(), count: x() },
        Distribution::Response { value: x(), truth: one(), count: one() },
        Distribution::Response { value: one(), truth: one(), count: x() },
        Distribution::DiscreteLaplace { center: x(), scale: one() },
        Distribution::DiscreteGaussian { center: x(), deviation: one() },
    ] {
        assert!(matches!(drawn(law.clone()), Err(Rejection::NotAnInteger { .. })), "{law}");
    }
    assert!(drawn(Distribution::DiscreteLaplace { center: var("n"), scale: x() }).is_ok());
    assert!(drawn(Distribution::Response { value: one(), truth: x(), count: one() }).is_ok());
}

#[test]
fn indices_are_integers() {
    let inner = count("j", var("i"), vec![]);
    assert!(refused(&[count("i", int(3), vec![inner])]).is_ok());
    let parity = assign("y", var("i").modulo(int(2)));
    assert!(refused(&[count("i", int(3), vec![parity])]).is_ok());
}

/// A sum over one table does not see the rows of another.
#[test]
fn sums_see_their_own_rows() {
    let table = |name: &str| Input {
        name: name.into(),
        sort: Sort::Rows(vec![Field { name: "a".into(), sort: Sort::Int }]),
    };
    let of = |field: &str| {
        let value = Expr::Var(Variable::Field(field.into(), "a".into()));
        Mechanism {
            inputs: vec![table("t"), table("u")],
            adjacency: vec![],
            ..mechanism(vec![assign("y", Expr::sum(plain("t"), yes(), value))], int(0))
        }
    };
    assert!(malformed(&of("u")));
    assert!(new(&of("t")).is_ok());
}

/// Two different terms never read alike.
#[test]
fn signs_and_numbers_read_differently() {
    assert_ne!((-int(1)).to_string(), int(-1).to_string());
    assert_ne!((int(1) / int(2)).to_string(), number(1, 2).to_string());
    assert_ne!((-number(1, 2)).to_string(), number(-1, 2).to_string());
}

/// What is an integer and what is only a number: between two integers lies a gap of 1, between two numbers none.
#[test]
fn integers_are_made_of_integers() {
    let integer =
        |center: Expr| match refused(&[draw("y", Distribution::DiscreteLaplace { center, scale: int(1) })]) {
            Ok(_) => true,
            Err(Rejection::NotAnInteger { .. }) => false,
            Err(other) => panic!("{other}"),
        };
    let (n, x, half) = (|| var("n"), || var("x"), || number(1, 2));
    for whole in [
        n() + int(1),
        -n(),
        n().abs(),
        x().floor(),
        n().modulo(int(2)),
        n().min(int(0)),
        n().clamp(int(0), int(2)),
        var("b").choose(n(), int(0)),
        Expr::Length(plain("q")),
    ] {
        assert!(integer(whole.clone()), "{whole}");
    }
    for broken in [
        n().exp(),
        n().ln(),
        n().sqrt(),
        n().pow2_at_least(),
        n() / int(1),
        n().round_to(int(1)),
        n() + half(),
        n().max(half()),
        n().min(x()),
        n().clamp(half(), int(2)),
        n().clamp(int(0), half()),
        x().clamp(int(0), int(2)),
        var("b").choose(n(), half()),
        var("b").choose(half(), n()),
        x().abs(),
        -x(),
    ] {
        assert!(!integer(broken.clone()), "{broken}");
    }
    let lists = var("b").choose(Expr::Var(plain("q")), Expr::Var(plain("q")));
    assert!(matches!(
        refused(&[assign("y", Expr::Length(plain("q")) + lists)]),
        Err(Rejection::NotANumber { .. })
    ));
}
