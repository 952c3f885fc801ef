//! Tables: every side condition where it must say no, beside the nearest input that it accepts.

use std::sync::Arc;

use probity_kernel::context::{Context, Orientation};
use probity_kernel::entail::{Evidence, check_entailment};
use probity_kernel::expr::{Expr, Name, Run, Variable};
use probity_kernel::fact::{Fact, fact};
use probity_kernel::lemma::Lemma;
use probity_kernel::privacy::{Comparison, Side, goal, group, obligation, privacy};
use probity_kernel::rejection::Rejection;
use probity_kernel::rules::Assertion;
use probity_kernel::sampling::sample;
use probity_kernel::term::{
    Adjacency, Claim, Coupling, Distribution, Field, Input, Mechanism, Param, Reading, Sort, Statement,
};

fn name(text: &str) -> Name {
    Name::new(text)
}

fn column(text: &str, sort: Sort) -> Field {
    Field { name: name(text), sort }
}

fn age() -> Expr {
    Expr::field("people", "age")
}

fn over(table: &str, condition: Expr, value: Expr) -> Expr {
    Expr::sum(Variable::Plain(name(table)), condition, value)
}

fn adults() -> Expr {
    over("people", age().ge(Expr::int(18)), Expr::int(1))
}

/// A noisy count of the rows whose age is at least 18.
fn noisy_count(scale: Expr) -> Mechanism {
    let people =
        Sort::Rows(vec![column("age", Sort::Int), column("key", Sort::Category { count: Expr::int(3) })]);
    Mechanism {
        name: name("m"),
        inputs: vec![Input { name: name("people"), sort: people }],
        params: vec![
            Param { name: name("eps"), sort: Sort::Real },
            Param { name: name("k"), sort: Sort::Int },
        ],
        assumptions: vec![Expr::var("eps").gt(Expr::int(0)), Expr::var("k").ge(Expr::int(1))],
        body: vec![Statement::Draw {
            var: name("y"),
            law: Distribution::DiscreteLaplace { center: adults(), scale },
        }],
        output: Expr::var("y"),
        adjacency: vec![Adjacency::OneRow { table: name("people") }],
    }
}

fn plain() -> Mechanism {
    noisy_count(Expr::int(1) / Expr::var("eps"))
}

fn accepts(mechanism: &Mechanism) -> bool {
    Context::new(mechanism, Orientation::Forward).is_ok()
}

fn with(change: impl FnOnce(&mut Mechanism)) -> Mechanism {
    let mut mechanism = plain();
    change(&mut mechanism);
    mechanism
}

fn set_center(mechanism: &mut Mechanism, center: Expr) {
    let scale = Expr::int(1);
    mechanism.body = vec![Statement::Draw { var: name("y"), law: Distribution::Laplace { center, scale } }];
}

#[test]
fn fields_are_scalars_with_names_of_their_own() {
    let fields =
        |second: Field| with(|m| m.inputs[0].sort = Sort::Rows(vec![column("age", Sort::Int), second]));
    assert!(accepts(&fields(column("x", Sort::Real))));
    assert!(!accepts(&fields(column("age", Sort::Real))));
    assert!(!accepts(&fields(column("x", Sort::RealList))));
    assert!(!accepts(&fields(column("x", Sort::Rows(vec![])))));
    assert!(accepts(&fields(column("x", Sort::Category { count: Expr::var("k") }))));
    assert!(!accepts(&fields(column("x", Sort::Category { count: Expr::var("y") }))));
}

#[test]
fn a_table_is_seen_through_sums_only() {
    let center = |e: Expr| with(|m| set_center(m, e));
    assert!(accepts(&center(over("people", Expr::Bool(true), age()))));
    assert!(!accepts(&center(Expr::var("people"))));
    assert!(!accepts(&center(Expr::Length(Variable::Plain(name("people"))))));
    assert!(!accepts(&center(Expr::int(0).index_of(Variable::Plain(name("people"))))));
    // A row outside a sum, a sum in a sum, a sum over something else, a field that is not there.
    assert!(!accepts(&center(age())));
    assert!(!accepts(&center(over("people", Expr::Bool(true), adults()))));
    assert!(!accepts(&center(over("eps", Expr::Bool(true), Expr::int(1)))));
    assert!(!accepts(&center(over("people", Expr::Bool(true), Expr::field("people", "income")))));
    assert!(!accepts(&center(over("people", age(), Expr::int(1)))));
    assert!(!accepts(&center(over("people", Expr::Bool(true), age().gt(Expr::int(1))))));
    assert!(!accepts(&with(|m| m.output = Expr::Length(Variable::Plain(name("people"))))));
    // A table by itself is what a call is given, and stands nowhere else.
    let table = || Expr::var("people");
    assert!(!accepts(&with(|m| m.output = table())));
    let before = |statement: Statement| with(|m| m.body.insert(0, statement.clone()));
    assert!(!accepts(&before(Statement::Assign { var: name("copy"), value: table() })));
    let guarded = Statement::If { guard: table(), then: vec![], otherwise: vec![] };
    assert!(!accepts(&before(guarded)));
    let counted = Statement::For { index: name("i"), from: Expr::int(0), to: table(), body: vec![] };
    assert!(!accepts(&before(counted)));
}

#[test]
fn assumptions_on_rows_are_about_rows() {
    let assume = |e: Expr| with(|m| m.assumptions.push(e));
    assert!(accepts(&assume(age().le(Expr::var("k")))));
    assert!(!accepts(&assume(adults().le(Expr::var("k")))));
    assert!(!accepts(&assume(Expr::Length(Variable::Plain(name("people"))).le(Expr::var("k")))));
    assert!(!accepts(&assume(Expr::field("people", "income").le(Expr::var("k")))));
    let mut two = assume(age().le(Expr::var("x")));
    two.inputs.push(Input { name: name("x"), sort: Sort::Int });
    assert!(!accepts(&two));
}

#[test]
fn assumptions_on_rows_are_about_one_table() {
    let rows = Sort::Rows(vec![column("z", Sort::Int)]);
    let mut both = with(|m| m.assumptions.push(age().le(Expr::field("other", "z"))));
    both.inputs.push(Input { name: name("other"), sort: rows });
    assert!(!accepts(&both));
    both.assumptions.pop();
    assert!(accepts(&both));
}

#[test]
fn clauses_about_rows_fit_together() {
    let clauses = |clauses: Vec<Adjacency>| {
        with(|m| {
            m.inputs.push(Input { name: name("x"), sort: Sort::Int });
            m.inputs.push(Input { name: name("q"), sort: Sort::RealList });
            let other = Sort::Rows(vec![column("z", Sort::Int)]);
            m.inputs.push(Input { name: name("other"), sort: other });
            m.adjacency = clauses;
        })
    };
    let (first, second) = (Expr::of("x", Run::First), Expr::of("x", Run::Second));
    let one = || Adjacency::OneRow { table: name("people") };
    let replaced = |table: &str| Adjacency::RowReplaced { table: name(table) };
    let near = || Adjacency::Related((second.clone() - first.clone()).abs().le(Expr::int(1)));
    let grows = || Adjacency::Related(first.clone().le(second.clone()));
    assert!(accepts(&clauses(vec![one(), near()])));
    // "Added or removed" leaves the order open, so that nothing else may depend on it.
    assert!(!accepts(&clauses(vec![one(), grows()])));
    assert!(!accepts(&clauses(vec![grows(), one()])));
    assert!(accepts(&clauses(vec![replaced("people"), grows()])));
    let list = |grows: bool| match grows {
        true => Adjacency::EveryEntryGrows { list: name("q"), bound: Expr::int(1) },
        false => Adjacency::EveryEntry { list: name("q"), bound: Expr::int(1) },
    };
    assert!(accepts(&clauses(vec![one(), list(false)])));
    assert!(!accepts(&clauses(vec![one(), list(true)])));
    assert!(accepts(&clauses(vec![one(), replaced("other")])));
    assert!(!accepts(&clauses(vec![one(), Adjacency::OneRow { table: name("other") }])));
    assert!(!accepts(&clauses(vec![one(), replaced("people")])));
    assert!(!accepts(&clauses(vec![replaced("q")])));
    let rows = |most: Expr| clauses(vec![Adjacency::Rows { table: name("people"), most }]);
    assert!(accepts(&rows(Expr::var("k"))));
    assert!(!accepts(&rows(Expr::var("x"))));
    assert!(!accepts(&rows(Expr::var("eps"))));
    // Relations are between scalars.
    let table = |run| Expr::of("people", run);
    assert!(!accepts(&clauses(vec![Adjacency::Related(table(Run::First).equals(table(Run::Second)))])));
    let count = |run| Expr::sum(Variable::Of(name("people"), run), Expr::Bool(true), Expr::int(1));
    assert!(!accepts(&clauses(vec![Adjacency::Related(count(Run::First).equals(count(Run::Second)))])));
}

fn rows_lemma(adjacency: Adjacency, orientation: Orientation) -> Option<String> {
    let mechanism = with(|m| m.adjacency = vec![adjacency]);
    let context = Context::new(&mechanism, orientation).unwrap();
    let adults = || (age().ge(Expr::int(18)), Expr::int(1));
    Lemma::Rows(name("people"), adults(), adults()).formula(&context).map(|formula| formula.to_string())
}

#[test]
fn the_row_is_the_one_that_the_adjacency_says() {
    let table = || name("people");
    let one = || Adjacency::OneRow { table: table() };
    let (t, u) = ("count(r in people where r.age >= 18)", "count(r in people' where r.age >= 18)");
    let row = |prime: &str| format!("(if changed(people{prime}).age >= 18 then 1 else 0)");
    assert_eq!(rows_lemma(one(), Orientation::Forward).unwrap(), format!("{u} == {t} + {}", row("'")));
    assert_eq!(rows_lemma(one(), Orientation::Backward).unwrap(), format!("{u} + {} == {t}", row("")));
    let both = format!("{u} + {} == {t} + {}", row(""), row("'"));
    let replaced = Adjacency::RowReplaced { table: table() };
    assert_eq!(rows_lemma(replaced, Orientation::Forward).unwrap(), both);
    // Several rows have no lemma of their own, and a table in no clause may be any other.
    assert_eq!(
        rows_lemma(Adjacency::Rows { table: table(), most: Expr::int(2) }, Orientation::Forward),
        None
    );
    assert_eq!(rows_lemma(Adjacency::Related(Expr::Bool(true)), Orientation::Forward), None);
}

#[test]
fn rows_wants_equal_parts_and_says_so() {
    let mechanism = with(|m| {
        m.body.insert(0, Statement::Assign { var: name("t"), value: Expr::int(3) });
    });
    let context = Context::new(&mechanism, Orientation::Forward).unwrap();
    let lemma = |first: Expr, second: Expr| {
        let of = |bound: Expr| (age().ge(bound), Expr::int(1));
        Lemma::Rows(name("people"), of(first), of(second)).formula(&context)
    };
    let t = |run| Expr::of("t", run);
    assert!(!lemma(t(Run::First), t(Run::First)).unwrap().to_string().contains("t == "));
    let premised = lemma(t(Run::First), t(Run::Second)).unwrap();
    assert!(premised.to_string().starts_with("not t == t' or "), "{premised}");
    // The parts may stand inside of others that hold a field.
    let parts: [fn(Expr) -> Expr; 3] = [
        |bound| age().clamp(Expr::int(0), bound),
        |bound| age().ge(Expr::int(18)).choose(bound, age()),
        |bound| age() * bound,
    ];
    for part in parts {
        let of = |run| (Expr::Bool(true), part(t(run)));
        let found = Lemma::Rows(name("people"), of(Run::First), of(Run::Second)).formula(&context).unwrap();
        assert!(found.to_string().starts_with("not t == t' or "), "{found}");
        let fields = |field| (Expr::Bool(true), part(Expr::field("people", field)));
        assert_eq!(Lemma::Rows(name("people"), fields("age"), fields("key")).formula(&context), None);
    }
    // Conditions that differ in a field are about different rows.
    assert_eq!(lemma(t(Run::First), Expr::field("people", "key")), None);
    assert_eq!(lemma(Expr::field("people", "key"), age()), None);
    // A premise that is false leaves the counts apart.
    let count = |run, bound| Expr::sum(Variable::Of(name("people"), run), age().ge(bound), Expr::int(1));
    let near = (count(Run::First, t(Run::First)) - count(Run::Second, t(Run::Second))).abs().le(Expr::int(1));
    let cite = Evidence::Cite(
        Lemma::Rows(
            name("people"),
            (age().ge(t(Run::First)), Expr::int(1)),
            (age().ge(t(Run::Second)), Expr::int(1)),
        ),
        Box::new(Evidence::Absurd(0)),
    );
    assert!(check_entailment(&context, &[], &near, &cite).is_err());
}

#[test]
fn what_is_known_of_a_row_is_known_where_there_is_one() {
    let mechanism = with(|m| m.assumptions.push(age().le(Expr::int(120))));
    let facts = |orientation| {
        let context = Context::new(&mechanism, orientation).unwrap();
        context.facts().iter().map(Expr::to_string).collect::<Vec<_>>()
    };
    let forward = facts(Orientation::Forward);
    assert!(forward.contains(&"changed(people').age <= 120".to_string()), "{forward:?}");
    assert!(forward.contains(&"0 <= changed(people').key and changed(people').key < 3".to_string()));
    assert!(!forward.iter().any(|f| f.contains("changed(people).") || f.contains("people.age")));
    assert!(facts(Orientation::Backward).contains(&"changed(people).age <= 120".to_string()));
    // Without a clause there may be no row, and from what no row can meet nothing may follow.
    let unrelated = with(|m| {
        m.assumptions.push(age().lt(age()));
        m.adjacency = vec![];
    });
    let context = Context::new(&unrelated, Orientation::Forward).unwrap();
    assert!(!context.facts().iter().any(|f| f.to_string().contains("age")));
}

#[test]
fn fields_stay_inside_their_sum() {
    let plain = Context::new(&plain(), Orientation::Forward).unwrap();
    let in_first = |e: Expr| plain.in_run(&e, Run::First);
    assert!(Assertion::new(&plain, in_first(adults().gt(Expr::int(0)))).is_ok());
    assert!(Assertion::new(&plain, in_first(age().gt(Expr::int(0)))).is_err());
    // A shift by a field would be caught by a sum that mentions the draw.
    let mechanism = with(|m| {
        m.output = over("people", Expr::var("y").le(age()), Expr::int(1));
    });
    let context = Arc::new(Context::new(&mechanism, Orientation::Forward).unwrap());
    let claim = Claim { epsilon: Expr::var("eps"), delta: Expr::int(0), reading: Reading::Reals };
    let post = Assertion::new(&context, goal(&context, &claim, Comparison::Equal)).unwrap();
    let shift = |by: Expr| {
        sample(&context, &mechanism.body[0], &Coupling::Shift { by, cost: Expr::var("eps") }, &post)
    };
    assert!(shift(Expr::int(1)).is_ok());
    assert!(matches!(shift(age()), Err(Rejection::MayNotMention { .. })));
    // Substitution goes past what a sum binds.
    let replaced = adults().replace(&|v| matches!(v, Variable::Field(..)).then(|| Expr::int(7)));
    assert_eq!(replaced, adults());
}

#[test]
fn choices_inside_a_sum_are_not_lifted_out() {
    let context = Context::new(&plain(), Orientation::Forward).unwrap();
    let sum = |value: Expr| Expr::sum(Variable::Of(name("people"), Run::First), Expr::Bool(true), value);
    let positive = fact(&context, &sum(age().max(Expr::int(0))).ge(Expr::int(0)), true).unwrap();
    assert!(matches!(positive, Fact::NonNegative(_)), "{positive:?}");
    // Sums with equal normal forms are one atom.
    let twice = sum(age() + age()).equals(sum(Expr::int(2) * age()));
    assert_eq!(fact(&context, &twice, true).unwrap(), Fact::All(vec![]));
    let typed = |value: Expr| context.check_formula(&sum(value).ge(Expr::int(0))).is_ok();
    assert!(typed(age()));
    assert!(!typed(Expr::field("people", "income")));
    assert!(!typed(age().gt(Expr::int(0))));
}

#[test]
fn group_wants_the_theorem_on_one_row() {
    // A constant is released: the judgement of an empty program, with `0 == 0` to show.
    let constant = |adjacency: Adjacency| {
        with(|m| {
            m.body = vec![];
            m.output = Expr::int(0);
            m.adjacency = vec![adjacency];
        })
    };
    let one_row = constant(Adjacency::OneRow { table: name("people") });
    let share = Expr::var("eps") / Expr::var("k");
    let proved = |mechanism: &Mechanism, epsilon: &Expr| {
        let claim = Claim { epsilon: epsilon.clone(), delta: Expr::int(0), reading: Reading::Reals };
        let sides: Vec<_> = [Orientation::Forward, Orientation::Backward]
            .into_iter()
            .map(|orientation| {
                let context = Arc::new(Context::new(mechanism, orientation).unwrap());
                let post = Assertion::new(&context, goal(&context, &claim, Comparison::Equal)).unwrap();
                let judgement = probity_kernel::rules::skip(&context, &post);
                (context, judgement)
            })
            .collect();
        let evidence = constant_evidence(&sides[0].0, &obligation(&sides[0].1, &claim));
        let sides: Vec<Side<'_>> =
            sides.iter().map(|(_, judgement)| Side { judgement, evidence: &evidence }).collect();
        privacy(mechanism, &claim, &[], Comparison::Equal, &sides).unwrap()
    };
    let theorem = proved(&one_row, &share);
    let rows = |most: Expr| constant(Adjacency::Rows { table: name("people"), most });
    let claim = |epsilon: Expr| Claim { epsilon, delta: Expr::int(0), reading: Reading::Reals };
    let whole = claim(Expr::var("eps"));
    let grouped = group(&rows(Expr::var("k")), &whole, &theorem).unwrap();
    assert!(grouped.axioms().contains("GROUP"));
    assert_eq!(grouped.mechanism(), &rows(Expr::var("k")));
    // Another epsilon, another delta, another arithmetic.
    assert!(group(&rows(Expr::var("k")), &claim(share.clone()), &theorem).is_err());
    let delta = Claim { delta: Expr::int(1), ..whole.clone() };
    assert!(group(&rows(Expr::var("k")), &delta, &theorem).is_err());
    let binary = Claim { reading: Reading::BINARY64, ..whole.clone() };
    assert!(group(&rows(Expr::var("k")), &binary, &theorem).is_err());
    // Another number of rows, and one that may be 0.
    assert!(group(&rows(Expr::int(2)), &whole, &theorem).is_err());
    let senseless = |mut mechanism: Mechanism| {
        mechanism.assumptions = vec![Expr::Bool(false)];
        mechanism
    };
    let vacuous = proved(&senseless(one_row.clone()), &share);
    assert!(group(&senseless(rows(Expr::var("k"))), &whole, &vacuous).is_err());
    // A number of rows is from 1 on. From a false assumption everything follows, also about none or half of a row.
    for (rows_of, enough) in [(Expr::int(2), true), (Expr::int(1), true), (Expr::int(0), false)] {
        let share = Expr::var("eps") / rows_of.clone();
        let vacuous = proved(&senseless(one_row.clone()), &share);
        assert_eq!(group(&senseless(rows(rows_of.clone())), &whole, &vacuous).is_ok(), enough, "{rows_of}");
    }
    // Another mechanism, another adjacency, another input beside the table.
    let mut other = rows(Expr::var("k"));
    other.output = Expr::int(1);
    assert!(group(&other, &whole, &theorem).is_err());
    assert!(group(&constant(Adjacency::RowReplaced { table: name("people") }), &whole, &theorem).is_err());
    let mut two = rows(Expr::var("k"));
    two.inputs.push(Input { name: name("x"), sort: Sort::Int });
    let mut two_theorem = one_row.clone();
    two_theorem.inputs.push(Input { name: name("x"), sort: Sort::Int });
    assert!(group(&two, &whole, &proved(&two_theorem, &share)).is_err());
}

/// Evidence that cost = 0 entails 0 == 0 and cost ≤ eps / k.
fn constant_evidence(context: &Context, goal: &Expr) -> Evidence {
    use probity_exact::Rational;
    use probity_kernel::entail::{Facts, Product};
    let start = probity_kernel::privacy::start();
    let facts = Facts::new(context, &[&start], goal).unwrap();
    if let Some(at) = facts.list().iter().position(|f| **f == Fact::Any(vec![])) {
        return Evidence::Absurd(at);
    }
    let last = facts.list().len() - 1;
    let zero = facts.list().iter().position(|f| matches!(&**f, Fact::Zero(_))).unwrap();
    let products = vec![
        Product { coefficient: Rational::ONE, scale: vec![], facts: vec![last] },
        Product { coefficient: Rational::ONE, scale: vec![(name("eps"), 1), (name("k"), -1)], facts: vec![] },
    ];
    Evidence::Combination { products, equations: vec![(zero, Expr::int(1))] }
}

/// Rows that all count are added as they are, and every part in which the sums differ is a premise.
#[test]
fn rows_adds_what_a_row_has() {
    let mechanism = with(|m| {
        for v in ["c", "d", "e"] {
            m.body.insert(0, Statement::Assign { var: name(v), value: Expr::int(3) });
        }
        m.inputs.extend(["q", "w"].map(|list| Input { name: name(list), sort: Sort::IntList }));
    });
    let context = Context::new(&mechanism, Orientation::Forward).unwrap();
    let lemma = |first: (Expr, Expr), second: (Expr, Expr)| {
        Lemma::Rows(name("people"), first, second).formula(&context).map(|formula| formula.to_string())
    };
    let all = |value: Expr| (Expr::Bool(true), value);
    let (t, u) = ("sum(r in people, r.age)", "sum(r in people', r.age)");
    assert_eq!(lemma(all(age()), all(age())), Some(format!("{u} == {t} + changed(people').age")));
    // The same on one side or on the other is not the same on both.
    let v = |text: &str| Expr::of(text, Run::First);
    let between = |low: &str, high: &str| (age().ge(v(low)).and(age().le(v(high))), Expr::int(1));
    for (first, second, premises) in [
        (between("c", "d"), between("e", "e"), ["c == e", "d == e"]),
        (between("c", "c"), between("d", "e"), ["c == d", "c == e"]),
    ] {
        let said = lemma(first, second).unwrap();
        assert!(premises.iter().all(|premise| said.contains(premise)), "{said}");
    }
    // The operation, and the list, are the same.
    let entry = |list: &str| age().index_of(Variable::Of(name(list), Run::First));
    assert!(lemma(all(-(age() + v("c"))), all(-(age() + v("d")))).unwrap().contains("c == d"));
    assert_eq!(lemma(all(-age()), all(age().abs())), None);
    assert!(lemma(all(entry("q")), all(entry("q"))).is_some());
    assert_eq!(lemma(all(entry("q")), all(entry("w"))), None);
}

/// Values that differ in a field are different sums, whatever their conditions are.
#[test]
fn rows_wants_equal_values() {
    let context = Context::new(&plain(), Orientation::Forward).unwrap();
    let lemma = |second: Expr| {
        let adult = age().ge(Expr::int(18));
        Lemma::Rows(name("people"), (adult.clone(), age()), (adult, second)).formula(&context)
    };
    assert_eq!(lemma(Expr::field("people", "key")), None);
    assert_eq!(lemma(age() * age()), None);
    assert!(lemma(age()).is_some());
}

#[test]
fn categories_of_fields_are_counted_in_integers() {
    let with_count = |count: Expr| {
        with(|m| {
            m.inputs[0].sort =
                Sort::Rows(vec![column("age", Sort::Int), column("key", Sort::Category { count })]);
        })
    };
    assert!(!accepts(&with_count(Expr::var("eps"))) && accepts(&with_count(Expr::var("k"))));
}

#[test]
fn assumptions_have_no_sum() {
    let assume = |e: Expr| with(|m| m.assumptions.push(e));
    assert!(!accepts(&assume(adults().le(Expr::int(5)))));
    assert!(accepts(&assume(age().le(Expr::int(5)))));
}

#[test]
fn relations_see_no_table() {
    let relate = |e: Expr| {
        with(|m| {
            m.inputs.push(Input { name: name("x"), sort: Sort::Int });
            m.adjacency.push(Adjacency::Related(e));
        })
    };
    let rows = |run| Expr::sum(Variable::Of(name("people"), run), Expr::Bool(true), Expr::int(1));
    // Symmetric in form, so that nothing else is wrong with it.
    assert!(!accepts(&relate((rows(Run::Second) - rows(Run::First)).abs().le(Expr::int(1)))));
    let distance = (Expr::of("x", Run::Second) - Expr::of("x", Run::First)).abs();
    assert!(accepts(&relate(distance.le(Expr::int(1)))));
}
