//! Lists: what neighbouring lists say of their entries is held against all small lists, and every side condition says no.

// What is tested against is computed in plain floating point.
#![allow(clippy::disallowed_methods)]

use std::sync::Arc;

use probity_kernel::concentrated::Measure;
use probity_kernel::context::{Context, Orientation};
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary, Variable};
use probity_kernel::lemma::Lemma;
use probity_kernel::rejection::Rejection;
use probity_kernel::rules::{self, Assertion};
use probity_kernel::sampling::sample;
use probity_kernel::term::{Adjacency, Coupling, Distribution, Input, Mechanism, Param, Sort, Statement};

fn int(n: i64) -> Expr {
    Expr::int(n)
}

fn entry() -> Expr {
    Expr::Var(Variable::Entry("q".into()))
}

fn choose() -> Statement {
    let scores = Expr::var("q");
    Statement::Draw { var: "y".into(), law: Distribution::Choose { scores, scale: Expr::var("s") } }
}

fn mechanism(adjacency: Adjacency) -> Mechanism {
    Mechanism {
        name: "m".into(),
        inputs: ["q", "w"].map(|name| Input { name: name.into(), sort: Sort::IntList }).into(),
        params: vec![Param { name: "s".into(), sort: Sort::Real }],
        assumptions: vec![Expr::var("s").gt(int(0))],
        body: vec![choose()],
        output: Expr::var("y"),
        adjacency: vec![adjacency],
    }
}

fn clauses() -> [Adjacency; 6] {
    let list = || Name::new("q");
    [
        Adjacency::EveryEntry { list: list(), bound: int(1) },
        Adjacency::EveryEntryGrows { list: list(), bound: int(1) },
        Adjacency::OneEntry { list: list(), bound: int(2) },
        Adjacency::OneEntryOf { lists: vec!["q".into(), "w".into()], bound: int(2) },
        Adjacency::Norm { list: list(), bound: int(2), squares: false },
        Adjacency::Norm { list: list(), bound: int(2), squares: true },
    ]
}

/// Two lists, and the place where the ghost says that they differ.
struct Pair {
    lists: [Vec<i64>; 2],
    changed: i64,
    squares: bool,
}

impl Pair {
    fn at(&self, run: Run, place: i64) -> i64 {
        let list = &self.lists[usize::from(run == Run::Second)];
        usize::try_from(place).ok().and_then(|i| list.get(i)).copied().unwrap_or(0)
    }

    fn change(&self, place: i64) -> i64 {
        self.at(Run::Second, place) - self.at(Run::First, place)
    }

    fn size(&self, place: i64) -> i64 {
        let d = self.change(place);
        if self.squares { d * d } else { d.abs() }
    }

    /// The value of a formula; a truth value is 0 or 1.
    fn value(&self, e: &Expr) -> i64 {
        let v = |e: &Expr| self.value(e);
        match e {
            Expr::Number(n) => i64::try_from(n.numerator().clone()).unwrap(),
            Expr::Bool(b) => i64::from(*b),
            Expr::Var(Variable::Changed(_)) => self.changed,
            Expr::Length(_) => self.lists[0].len() as i64,
            Expr::Index(Variable::Of(_, run), index) => self.at(*run, v(index)),
            Expr::Index(Variable::Moved(_), index) => (0..v(index)).map(|i| self.size(i)).sum(),
            Expr::Unary(Unary::Not, a) => 1 - v(a),
            Expr::Unary(Unary::Neg, a) => -v(a),
            Expr::Unary(Unary::Abs, a) => v(a).abs(),
            Expr::Binary(op, a, b) => {
                let (a, b) = (v(a), v(b));
                match op {
                    Binary::Add => a + b,
                    Binary::Sub => a - b,
                    Binary::Mul => a * b,
                    Binary::Le => i64::from(a <= b),
                    Binary::Lt => i64::from(a < b),
                    Binary::Eq => i64::from(a == b),
                    Binary::And => a & b,
                    Binary::Or => a | b,
                    _ => panic!("{e}"),
                }
            }
            Expr::Apart(_, low, high) => {
                let within = |i: usize| (v(low)..=v(high)).contains(&self.change(i as i64));
                i64::from((0..self.lists[0].len()).all(within))
            }
            _ => panic!("{e}"),
        }
    }
}

/// Whether two lists are neighbours by a clause, in this order; the ghost names the place.
fn related(clause: &Adjacency, pair: &Pair) -> bool {
    let places = 0..pair.lists[0].len() as i64;
    let changes: Vec<i64> = places.clone().map(|i| pair.change(i)).collect();
    let elsewhere = places.filter(|i| *i != pair.changed).all(|i| pair.change(i) == 0);
    match clause {
        Adjacency::EveryEntry { .. } => changes.iter().all(|d| d.abs() <= 1),
        Adjacency::EveryEntryGrows { .. } => changes.iter().all(|d| (0..=1).contains(d)),
        Adjacency::OneEntry { .. } | Adjacency::OneEntryOf { .. } => {
            elsewhere && changes.iter().all(|d| d.abs() <= 2)
        }
        Adjacency::Norm { squares: false, .. } => changes.iter().map(|d| d.abs()).sum::<i64>() <= 2,
        Adjacency::Norm { .. } => changes.iter().map(|d| d * d).sum::<i64>() <= 4,
        _ => false,
    }
}

/// All pairs of lists of up to two small numbers, with every place for the ghost.
fn pairs(squares: bool) -> Vec<Pair> {
    let mut lists: Vec<Vec<i64>> = vec![vec![]];
    for a in -2..=2 {
        lists.push(vec![a]);
        lists.extend((-2..=2).map(|b| vec![a, b]));
    }
    let mut found = Vec::new();
    for first in &lists {
        for second in lists.iter().filter(|second| second.len() == first.len()) {
            for changed in -1..=2 {
                found.push(Pair { lists: [first.clone(), second.clone()], changed, squares });
            }
        }
    }
    found
}

#[test]
fn what_the_adjacency_says_of_lists_is_true_of_all_small_lists() {
    for clause in clauses() {
        let squares = matches!(clause, Adjacency::Norm { squares: true, .. });
        for orientation in [Orientation::Forward, Orientation::Backward] {
            let context = Context::new(&mechanism(clause.clone()), orientation).unwrap();
            let mut lemmas: Vec<Expr> = Vec::new();
            for (low, high) in (-2..=1).flat_map(|low| (-1..=2).map(move |high| (low, high))) {
                lemmas.extend(Lemma::Apart("q".into(), int(low), int(high)).formula(&context));
            }
            let here = Expr::Var(Variable::Changed("q".into()));
            let change = |run| here.clone().index_of(Variable::Of("q".into(), run));
            let exactly = change(Run::Second) - change(Run::First);
            lemmas.extend(Lemma::Apart("q".into(), exactly.clone(), int(0)).formula(&context));
            lemmas.extend(Lemma::Apart("q".into(), int(0), exactly).formula(&context));
            for index in -1..=3 {
                lemmas.extend(Lemma::Moved("q".into(), int(index)).formula(&context));
                lemmas.extend(Lemma::Adjacent("q".into(), int(index)).formula(&context));
            }
            let (mut near, mut refuted) = (0, vec![false; lemmas.len()]);
            for pair in pairs(squares) {
                let mirrored = Pair {
                    lists: [pair.lists[1].clone(), pair.lists[0].clone()],
                    changed: pair.changed,
                    squares,
                };
                let ordered = if orientation == Orientation::Forward { &pair } else { &mirrored };
                let holds = related(&clause, ordered);
                near += usize::from(holds);
                for (lemma, refuted) in lemmas.iter().zip(&mut refuted) {
                    let truth = pair.value(lemma) == 1;
                    assert!(truth || !holds, "{clause} {orientation:?}: {lemma} at {:?}", pair.lists);
                    *refuted |= !truth;
                }
            }
            // The test sees neighbours, and lemmas that say something.
            assert!(near > 20 && refuted.iter().any(|r| *r), "{clause}");
        }
    }
}

#[test]
fn lists_without_a_clause_have_no_such_lemmas() {
    let context = Context::new(&mechanism(clauses()[0].clone()), Orientation::Forward).unwrap();
    assert!(Lemma::Apart("w".into(), int(0), int(0)).formula(&context).is_none());
    assert!(Lemma::Moved("q".into(), int(0)).formula(&context).is_none());
    assert!(Lemma::Apart("q".into(), int(-1), int(1)).formula(&context).is_some());
    let summed = Context::new(&mechanism(clauses()[4].clone()), Orientation::Forward).unwrap();
    assert!(Lemma::Moved("q".into(), int(0)).formula(&summed).is_some());
    // A place is an integer.
    assert!(Lemma::Moved("q".into(), int(1) / int(2)).formula(&summed).is_none());
}

/// What is said of one list is said of no other.
#[test]
fn a_clause_is_about_its_list() {
    let alone = Adjacency::OneEntryOf { lists: vec!["q".into()], bound: int(2) };
    for clause in clauses().into_iter().filter(|clause| *clause != clauses()[3]).chain([alone]) {
        let context = Context::new(&mechanism(clause.clone()), Orientation::Forward).unwrap();
        let apart = |list: &str| Lemma::Apart(list.into(), int(-9), int(9)).formula(&context).is_some();
        assert!(apart("q") && !apart("w"), "{clause}");
        assert!(Lemma::Moved("w".into(), int(0)).formula(&context).is_none(), "{clause}");
    }
}

#[test]
fn squares_move_by_at_most_the_square_of_the_bound() {
    let clause = Adjacency::Norm { list: "q".into(), bound: int(3), squares: true };
    let context = Context::new(&mechanism(clause), Orientation::Forward).unwrap();
    let said = Lemma::Moved("q".into(), int(0)).formula(&context).unwrap().to_string();
    assert!(said.contains("<= 3 * 3"), "{said}");
}

#[test]
fn lists_that_change_together_change_at_one_place() {
    let context = Context::new(&mechanism(clauses()[3].clone()), Orientation::Forward).unwrap();
    let place = |list: &str| Expr::Var(Variable::Changed(list.into()));
    assert!(context.facts().contains(&place("q").equals(place("w"))));
    let alone = Context::new(&mechanism(clauses()[2].clone()), Orientation::Forward).unwrap();
    assert!(!alone.facts().contains(&place("q").equals(place("w"))));
}

#[test]
fn one_clause_defines_the_ghosts_of_a_list() {
    let with = |more: Vec<Adjacency>| {
        let adjacency = more;
        Context::new(&Mechanism { adjacency, ..mechanism(clauses()[0].clone()) }, Orientation::Forward)
    };
    let [_, _, one, together, sum, squares] = clauses();
    assert!(with(vec![one.clone(), sum.clone()]).is_ok());
    assert!(with(vec![one, together.clone()]).is_err());
    let twice = Adjacency::OneEntryOf { lists: vec!["q".into(), "q".into()], bound: int(1) };
    assert!(with(vec![twice]).is_err());
    assert!(with(vec![sum, squares]).is_err());
    let unknown = Adjacency::OneEntryOf { lists: vec!["q".into(), "y".into()], bound: int(1) };
    assert!(with(vec![unknown]).is_err() && with(vec![together]).is_ok());
}

#[test]
fn entries_are_bounded_inside_the_list_only() {
    let bounded = Mechanism {
        assumptions: vec![Expr::var("s").gt(int(0)), int(1).le(entry())],
        ..mechanism(clauses()[0].clone())
    };
    let context = Context::new(&bounded, Orientation::Forward).unwrap();
    let pair = Pair { lists: [vec![1], vec![2]], changed: 0, squares: false };
    for (index, inside) in [(-1, false), (0, true), (1, false)] {
        let says = Lemma::Adjacent("q".into(), int(index)).formula(&context).unwrap();
        assert_eq!(pair.value(&says), 1, "outside the list there is 0, which is below the bound");
        for lists in [[vec![0], vec![1]], [vec![1], vec![0]]] {
            let out = Pair { lists, changed: 0, squares: false };
            assert_eq!(out.value(&says) == 0, inside, "{says}");
        }
    }
    // It is no fact about anything else.
    assert!(context.facts().iter().all(|fact| !fact.mentions(&Variable::Entry("q".into()))));
}

#[test]
fn assumptions_on_entries_speak_of_parameters_only() {
    let with = |assumption: Expr| {
        let assumptions = vec![Expr::var("s").gt(int(0)), assumption];
        Context::new(&Mechanism { assumptions, ..mechanism(clauses()[0].clone()) }, Orientation::Forward)
    };
    assert!(with(entry().le(Expr::var("s"))).is_ok());
    assert!(with(entry().le(Expr::Var(Variable::Entry("w".into())))).is_err());
    assert!(with(entry().le(Expr::Length(Variable::Plain("q".into())))).is_err());
    assert!(with(Expr::Var(Variable::Entry("y".into())).le(int(1))).is_err());
    // A program has no entry that is every one.
    let program = Mechanism { output: entry(), ..mechanism(clauses()[0].clone()) };
    assert!(Context::new(&program, Orientation::Forward).is_err());
}

fn appending() -> (Arc<Context>, Statement) {
    let put = Statement::Append { list: "out".into(), value: Expr::Length(Variable::Plain("q".into())) };
    let start = Statement::Assign { var: "out".into(), value: Expr::EmptyList };
    let more = Statement::Assign { var: "more".into(), value: Expr::EmptyList };
    let filled = Statement::Append { list: "more".into(), value: int(0) };
    let body = vec![start, more, filled, put.clone(), choose()];
    let mechanism = Mechanism { body, ..mechanism(clauses()[0].clone()) };
    (Arc::new(Context::new(&mechanism, Orientation::Forward).unwrap()), put)
}

#[test]
fn appending_says_how_far_apart_the_new_entries_are() {
    let (context, put) = appending();
    let post = Assertion::new(&context, Expr::apart("out", int(-1), int(2))).unwrap();
    let before = rules::append(&context, &put, &post).unwrap().pre().formula().to_string();
    let change = "length(q) - length(q)";
    assert_eq!(before, format!("apart(out, -1, 2) and (-1 <= {change} and {change} <= 2)"));
    let start = Statement::Assign { var: "out".into(), value: Expr::EmptyList };
    let empty = rules::assign(&context, &start, &post).unwrap();
    assert_eq!(*empty.pre().formula(), Expr::Bool(true));
}

#[test]
fn appending_makes_a_list_longer() {
    let (context, put) = appending();
    let length = Expr::Length(Variable::Of("out".into(), Run::First));
    let post = Assertion::new(&context, length.equals(int(3))).unwrap();
    let before = rules::append(&context, &put, &post).unwrap();
    assert_eq!(before.pre().formula().to_string(), "length(out) + 1 == 3");
    let start = Statement::Assign { var: "out".into(), value: Expr::EmptyList };
    assert_eq!(rules::assign(&context, &start, &post).unwrap().pre().formula().to_string(), "0 == 3");
}

/// Appending to a list leaves what is known of another alone, and a list that equals another one is no list that both runs have.
#[test]
fn appending_is_to_one_list() {
    let (context, put) = appending();
    let before = |formula: Expr| {
        let post = Assertion::new(&context, formula).unwrap();
        rules::append(&context, &put, &post).map(|step| step.pre().formula().clone())
    };
    let length = Expr::Length(Variable::Of("more".into(), Run::First));
    let same = |list: &str| Expr::of(list, Run::First).equals(Expr::of(list, Run::Second));
    for other in [Expr::apart("more", int(-1), int(2)), length.equals(int(3)), same("more")] {
        assert_eq!(before(other.clone()), Ok(other));
    }
    // Equal lists, in either order; what one run's list equals in its own run says nothing of the other.
    let out = |run| Expr::of("out", run);
    assert!(before(same("out")).is_ok());
    assert_eq!(before(out(Run::Second).equals(out(Run::First))), before(same("out")));
    for run in [Run::First, Run::Second] {
        assert!(matches!(before(out(run).equals(out(run))), Err(Rejection::MayNotMention { .. })));
    }
    for (a, b) in [("out", "more"), ("more", "out")] {
        for (one, two) in [(Run::First, Run::Second), (Run::Second, Run::First)] {
            let mixed = Expr::of(a, one).equals(Expr::of(b, two));
            assert!(matches!(before(mixed), Err(Rejection::MayNotMention { .. })), "{a} {b}");
        }
    }
}

#[test]
fn apart_is_of_lists_of_numbers() {
    let (context, _) = appending();
    let apart = |list: &str| Assertion::new(&context, Expr::apart(list, int(0), int(0)));
    assert!(apart("out").is_ok() && apart("q").is_ok());
    assert!(apart("y").is_err() && apart("s").is_err() && apart("nothing").is_err());
    assert!(Assertion::new(&context, Expr::apart("q", Expr::Bool(true), int(0))).is_err());
    assert!(Assertion::new(&context, Expr::apart("q", int(0), Expr::Bool(true))).is_err());
    // What is appended decides: a list of truth values has no differences, nor has one of both.
    let body = |value: Expr| {
        let put = |value| Statement::Append { list: "out".into(), value };
        let start = Statement::Assign { var: "out".into(), value: Expr::EmptyList };
        let body = vec![start, put(value), put(int(1)), choose()];
        Context::new(&Mechanism { body, ..mechanism(clauses()[0].clone()) }, Orientation::Forward).unwrap()
    };
    let zero = Expr::apart("out", int(0), int(0));
    assert!(Assertion::new(&body(int(2)), zero.clone()).is_ok());
    assert!(Assertion::new(&body(Expr::Bool(true)), zero).is_err());
    // The ghost of changes has no length.
    let endless = Expr::Length(Variable::Moved("q".into())).equals(int(0));
    assert!(matches!(Assertion::new(&context, endless), Err(Rejection::NotAList { .. })));
}

/// The precondition of a choice that ends with y == y'.
fn chosen(measure: Measure, (low, high, cost): (Expr, Expr, Expr)) -> Result<String, Rejection> {
    let mechanism = mechanism(clauses()[0].clone());
    let context = Arc::new(Context::measured(&mechanism, Orientation::Forward, measure).unwrap());
    let same = Expr::of("y", Run::First).equals(Expr::of("y", Run::Second));
    let post = Assertion::new(&context, same).unwrap();
    let judgement = sample(&context, &mechanism.body[0], &Coupling::Chosen { low, high, cost }, &post)?;
    let axiom = if measure == Measure::Pure { "CHOOSE" } else { "BOUNDED-RANGE" };
    assert!(judgement.axioms().contains(axiom));
    Ok(judgement.pre().formula().to_string())
}

#[test]
fn a_choice_needs_scores_that_are_near() {
    let half = || int(1) / Expr::var("s");
    let pure = chosen(Measure::Pure, (int(-1), int(1), half())).unwrap();
    for part in ["0 < s", "1 <= length(q)", "s == s", "apart(q, -1, 1)", "1 - -1 <= 1 / s * s"] {
        assert!(pure.contains(part), "{part} is not in {pure}");
    }
    // What is drawn is a place.
    assert!(pure.contains("not (0 <= y#0 and y#0 < length(q)) or y#0 == y#0"), "{pure}");
    let squares = chosen(Measure::Concentrated, (int(0), int(1), half())).unwrap();
    assert!(squares.contains("(1 - 0) * (1 - 0) <= 8 * (1 / s) * s * s"), "{squares}");
    let peeks = chosen(Measure::Pure, (int(0), Expr::of("y", Run::First), int(1)));
    assert!(matches!(peeks, Err(Rejection::KnowsADraw { .. })));
}

#[test]
fn only_a_choice_has_scores() {
    let law = Distribution::Laplace { center: int(0), scale: Expr::var("s") };
    let body = vec![Statement::Draw { var: "y".into(), law }];
    let laplace = Mechanism { body, ..mechanism(clauses()[0].clone()) };
    let context = Arc::new(Context::new(&laplace, Orientation::Forward).unwrap());
    let post = Assertion::new(&context, Expr::Bool(true)).unwrap();
    let coupling = Coupling::Chosen { low: int(0), high: int(0), cost: int(0) };
    let answer = sample(&context, &laplace.body[0], &coupling, &post);
    assert!(matches!(answer, Err(Rejection::NoSuchCoupling { .. })));
}

#[test]
fn a_choice_is_by_a_list_of_numbers() {
    let by = |scores: Expr| {
        let law = Distribution::Choose { scores, scale: Expr::var("s") };
        let body = vec![Statement::Draw { var: "y".into(), law }];
        Context::new(&Mechanism { body, ..mechanism(clauses()[0].clone()) }, Orientation::Forward)
    };
    assert!(by(Expr::var("q")).is_ok());
    for wrong in [Expr::var("s"), Expr::EmptyList, int(1)] {
        assert!(matches!(by(wrong), Err(Rejection::NotAList { .. })));
    }
}

/// P(i)/P'(i) of a choice is within the bound that CHOOSE charges, for all small scores.
#[test]
fn the_loss_of_a_choice_is_within_its_cost() {
    let exp = |n: i64| (n as f64).exp();
    for pair in pairs(false).iter().filter(|pair| !pair.lists[0].is_empty()) {
        let places = 0..pair.lists[0].len();
        let changes: Vec<i64> = places.clone().map(|i| pair.change(i as i64)).collect();
        let width = changes.iter().max().unwrap() - changes.iter().min().unwrap();
        let law = |list: &[i64]| {
            let all: f64 = list.iter().map(|x| exp(*x)).sum();
            list.iter().map(|x| exp(*x) / all).collect::<Vec<_>>()
        };
        let (p, q) = (law(&pair.lists[0]), law(&pair.lists[1]));
        for i in places {
            assert!((p[i] / q[i]).ln() <= width as f64 + 1e-12);
        }
        for order in [1.5, 2.0, 7.0] {
            let sum: f64 = p.iter().zip(&q).map(|(p, q)| p.powf(order) * q.powf(1.0 - order)).sum();
            let most = order * (order - 1.0) * (width * width) as f64 / 8.0;
            assert!(sum.ln() <= most + 1e-9, "{:?} order {order}", pair.lists);
        }
    }
}

/// Permute and flip has the conditions of a choice, its own name, and no cost in ρ.
#[test]
fn permute_and_flip_is_pure() {
    let law = Distribution::PermuteAndFlip { scores: Expr::var("q"), scale: Expr::var("s") };
    let draw = Statement::Draw { var: "y".into(), law };
    let flips = Mechanism { body: vec![draw], ..mechanism(clauses()[0].clone()) };
    let by = |mechanism: &Mechanism, measure| {
        let context = Arc::new(Context::measured(mechanism, Orientation::Forward, measure).unwrap());
        let post = Assertion::new(&context, Expr::Bool(true)).unwrap();
        let coupling = Coupling::Chosen { low: int(-1), high: int(1), cost: int(3) };
        sample(&context, &mechanism.body[0], &coupling, &post)
    };
    let judgement = by(&flips, Measure::Pure).unwrap();
    let choice = by(&mechanism(clauses()[0].clone()), Measure::Pure).unwrap();
    assert_eq!(judgement.pre().formula(), choice.pre().formula());
    assert!(judgement.axioms().contains("PERMUTE-FLIP") && !judgement.axioms().contains("CHOOSE"));
    assert!(matches!(by(&flips, Measure::Concentrated), Err(Rejection::WrongMeasure { .. })));
    // Its scores are a list of numbers.
    let wrong = Distribution::PermuteAndFlip { scores: Expr::var("s"), scale: Expr::var("s") };
    let body = vec![Statement::Draw { var: "y".into(), law: wrong }];
    let wrong = Mechanism { body, ..mechanism(clauses()[0].clone()) };
    assert!(matches!(Context::new(&wrong, Orientation::Forward), Err(Rejection::NotAList { .. })));
}

/// Permute and flip by its definition, over all orders of the places: its loss is within the cost, for all small scores.
#[test]
fn the_loss_of_permute_and_flip_is_within_its_cost() {
    fn orders(places: &[usize]) -> Vec<Vec<usize>> {
        if places.is_empty() {
            return vec![vec![]];
        }
        let with_first = |first: usize| {
            let rest: Vec<usize> = places.iter().copied().filter(|p| *p != first).collect();
            orders(&rest).into_iter().map(move |order| [vec![first], order].concat()).collect::<Vec<_>>()
        };
        places.iter().copied().flat_map(with_first).collect()
    }
    let law = |list: &[i64]| {
        let most = list.iter().copied().max().unwrap();
        let accepts = |i: usize| ((list[i] - most) as f64).exp();
        let all = orders(&(0..list.len()).collect::<Vec<_>>());
        let mut masses = vec![0.0; list.len()];
        for order in &all {
            let mut left = 1.0 / all.len() as f64;
            for &i in order {
                masses[i] += left * accepts(i);
                left *= 1.0 - accepts(i);
            }
        }
        masses
    };
    let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
    let p = law(&[0, -1]);
    assert!(close(p[1], (-1f64).exp() / 2.0) && close(p[0] + p[1], 1.0));
    for pair in pairs(false).iter().filter(|pair| !pair.lists[0].is_empty()) {
        let places = 0..pair.lists[0].len();
        let changes: Vec<i64> = places.clone().map(|i| pair.change(i as i64)).collect();
        let width = changes.iter().max().unwrap() - changes.iter().min().unwrap();
        let (p, q) = (law(&pair.lists[0]), law(&pair.lists[1]));
        for i in places {
            assert!((p[i] / q[i]).ln() <= width as f64 + 1e-12, "{:?}", pair.lists);
        }
    }
}
