//! What rules ask, word for word: an inequality turned round, a sign that is gone or a run taken for the other is another text.

use std::sync::Arc;

use probity_kernel::concentrated::Measure;
use probity_kernel::equivalence::Rewrite;
use probity_kernel::finite::same_value;
use probity_kernel::privacy::{Comparison, goal, group_share, obligation, start};
use probity_kernel::sampling::up_to_upper_tail;
use probity_kernel::term::Called;

use crate::common::*;

/// The precondition of a draw of y by a coupling, for a cost of at most 5 and equal values afterwards.
fn asked(law: &Distribution, coupling: &Coupling, measure: Measure) -> String {
    let statement = draw("y", law.clone());
    let whole = mechanism(vec![statement.clone()], int(0));
    let context = Arc::new(Context::measured(&whole, Orientation::Forward, measure).unwrap());
    let post = assertion(&context, same("y").and(Expr::cost().le(int(5))));
    sample(&context, &statement, coupling, &post).unwrap().pre().formula().to_string()
}

#[test]
fn translations_ask_what_their_rules_say() {
    let scale = || var("n");
    let shift = Coupling::Shift { by: int(1), cost: int(2) };
    let center = var("x");
    let around = "0 < n and n == n' and abs(1 + x - x') <= 2 * n and (y#0 == y#0 + 1 and cost + 2 <= 5)";
    assert_eq!(asked(&laplace(center, scale()), &shift, Measure::Pure), around);
    let integers = Distribution::DiscreteLaplace { center: var("n"), scale: var("eps") };
    let around =
        "0 < eps and eps == eps and abs(1 + n - n') <= 2 * eps and (y#0 == y#0 + 1 and cost + 2 <= 5)";
    assert_eq!(asked(&integers, &shift, Measure::Pure), around);
    let up = "0 < n and n == n' and (0 <= 1 and 1 <= 2 * n) and (not 0 <= y#0 or y#0 == y#0 + 1 and cost + 2 <= 5)";
    assert_eq!(asked(&Distribution::Exponential { scale: scale() }, &shift, Measure::Pure), up);
    assert_eq!(asked(&Distribution::Geometric { scale: scale() }, &shift, Measure::Pure), up);
}

#[test]
fn equal_laws_are_free() {
    let said = "x == x' and n == n' and 0 < n and (y#0 == y#0 and cost <= 5)";
    for measure in [Measure::Pure, Measure::Concentrated] {
        assert_eq!(asked(&laplace(var("x"), var("n")), &Coupling::Null, measure), said);
    }
}

#[test]
fn selected_translations_ask_what_their_rule_says() {
    let select = |strict| Coupling::Select {
        threshold: int(7),
        strict,
        above: (int(1), int(2)),
        below: (int(0), int(3)),
    };
    let said = |sign: &str| {
        let (far, near) = (
            "0 < n and n == n' and abs(1 + x - x') <= 2 * n",
            "0 < n and n == n' and abs(0 + x - x') <= 3 * n",
        );
        let (then, otherwise) = ("y#0 == y#0 + 1 and cost + 2 <= 5", "y#0 == y#0 + 0 and cost + 3 <= 5");
        format!(
            "{far} and ({near}) and 0 <= 1 and ((not y#0 {sign} 7 or {then}) and (y#0 {sign} 7 or {otherwise}))"
        )
    };
    assert_eq!(asked(&laplace(var("x"), var("n")), &select(false), Measure::Pure), said(">="));
    assert_eq!(asked(&laplace(var("x"), var("n")), &select(true), Measure::Pure), said(">"));
}

#[test]
fn equal_values_ask_what_their_rules_say() {
    let equal = Coupling::Equal { distance: int(3), cost: int(4) };
    let said = "0 < n and n == n' and abs(x - x') <= 3 and 3 * 3 <= 2 * 4 * n * n and (y#0 == y#0 and cost + 4 <= 5)";
    let normal = Distribution::Gaussian { center: var("x"), deviation: var("n") };
    for law in [normal, laplace(var("x"), var("n"))] {
        assert_eq!(asked(&law, &equal, Measure::Concentrated), said);
    }
}

/// In ρ a coin is within e^d of the other run's, and the other run's of it.
#[test]
fn finite_draws_are_near_each_other_in_both_directions() {
    let equal = Coupling::Equal { distance: int(3), cost: int(4) };
    let (here, there) = ("(if y#0 then x else 1 - x)", "(if y#0 then x' else 1 - x')");
    let sane = "0 <= x and x <= 1 and (0 <= x' and x' <= 1)";
    let near = format!("{here} <= exp(3) * {there} and {there} <= exp(3) * {here}");
    let said =
        format!("{sane} and {near} and 3 * 3 <= 2 * 4 and (not 0 < {here} or y#0 == y#0 and cost + 4 <= 5)");
    assert_eq!(asked(&Distribution::Bernoulli(var("x")), &equal, Measure::Concentrated), said);
}

#[test]
fn chosen_places_ask_what_their_rules_say() {
    let chosen = Coupling::Chosen { low: int(-1), high: int(2), cost: int(4) };
    let choose = Distribution::Choose { scores: var("q"), scale: var("n") };
    let flips = Distribution::PermuteAndFlip { scores: var("q"), scale: var("n") };
    let said = |enough: &str| {
        let range = "0 < n and 1 <= length(q) and n == n' and apart(q, -1, 2)";
        let support = "not (0 <= y#0 and y#0 < length(q))";
        format!("{range} and {enough} and ({support} or y#0 == y#0 and cost + 4 <= 5)")
    };
    for law in [&choose, &flips] {
        assert_eq!(asked(law, &chosen, Measure::Pure), said("2 - -1 <= 4 * n"));
    }
    let squares = "(2 - -1) * (2 - -1) <= 8 * 4 * n * n";
    assert_eq!(asked(&choose, &chosen, Measure::Concentrated), said(squares));
}

#[test]
fn upper_tails_of_integers_are_given_up_whole() {
    let statement = draw("y", Distribution::DiscreteLaplace { center: var("n"), scale: int(3) });
    let context = context(std::slice::from_ref(&statement));
    let post = assertion(&context, first("y").le(int(7)));
    let step = up_to_upper_tail(&context, &statement, &Coupling::Null, &int(4), &post).unwrap();
    assert_eq!(step.delta().to_string(), "exp(-(4 / 3)) / 1");
    let said = "n == n' and 3 == 3 and 0 < 3 and (not y#0 - n <= 4 or y#0 <= 7) and 0 <= 4";
    assert_eq!(step.pre().formula().to_string(), said);
}

/// What is given up is a tail of the first run's draw, also where the second run's lies elsewhere.
#[test]
fn tails_are_of_the_first_run() {
    let statement = draw("y", laplace(var("x"), int(3)));
    let context = context(std::slice::from_ref(&statement));
    let post = assertion(&context, first("y").le(int(7)));
    let shift = Coupling::Shift { by: int(1), cost: int(2) };
    let said = |near: &str| {
        let side = "0 < 3 and 3 == 3 and abs(1 + x - x') <= 2 * 3";
        format!("{side} and (not {near} <= 4 or y#0 <= 7) and 0 <= 4")
    };
    let both = up_to_tail(&context, &statement, &shift, &int(4), &post).unwrap();
    assert_eq!(both.pre().formula().to_string(), said("abs(y#0 - x)"));
    let upper = up_to_upper_tail(&context, &statement, &shift, &int(4), &post).unwrap();
    assert_eq!(upper.pre().formula().to_string(), said("y#0 - x"));
}

#[test]
fn values_lie_in_the_first_runs_support() {
    let integers = Distribution::UniformInt { low: int(0), high: var("n") };
    let said = "0 == 0 and n == n' and 0 <= n and (not (0 <= y#0 and y#0 <= n) or y#0 == y#0 and cost <= 5)";
    assert_eq!(asked(&integers, &Coupling::Null, Measure::Pure), said);
}

/// The masses of the two runs are crossed with the ratio, and its logarithm is charged.
#[test]
fn ratios_of_masses_are_charged() {
    let block = vec![flip("y", var("n").equals(int(0)).choose(number(1, 3), number(2, 3)))];
    let context = context(&block);
    let post = assertion(&context, same("y").and(Expr::cost().le(int(5))));
    let step = same_value(&context, &block, &"y".into(), (&int(2), &int(3)), &post).unwrap();
    let said = step.pre().formula().to_string();
    assert!(said.contains("cost + ln(2 / 3) <= 5"), "{said}");
    assert!(said.starts_with("0 < 2 and 0 < 3 and "), "{said}");
}

#[test]
fn a_group_shares_by_its_measure() {
    let share = |reading| {
        let whole = Claim { epsilon: var("eps"), delta: int(0), reading };
        group_share(&whole, &var("N")).epsilon.to_string()
    };
    assert_eq!(share(Reading::Reals), "eps / N");
    assert_eq!(share(Reading::Mu), "eps / N");
    assert_eq!(share(Reading::Rho), "eps / (N * N)");
}

fn near(clause: Adjacency, orientation: Orientation) -> String {
    let whole = Mechanism { adjacency: vec![clause], ..mechanism(vec![], int(0)) };
    let context = Context::new(&whole, orientation).unwrap();
    context.adjacent_entries(&"q".into(), &var("N")).to_string()
}

#[test]
fn entries_are_as_near_as_the_adjacency_says() {
    use Orientation::{Backward, Forward};
    let every = || Adjacency::EveryEntry { list: "q".into(), bound: var("free") };
    assert_eq!(near(every(), Forward), "not 0 <= free or abs(q'[N] - q[N]) <= free");
    assert_eq!(near(every(), Backward), "not 0 <= free or abs(q[N] - q'[N]) <= free");
    let grows = || Adjacency::EveryEntryGrows { list: "q".into(), bound: var("free") };
    let forward = "not 0 <= free or 0 <= q'[N] - q[N] and q'[N] - q[N] <= free";
    assert_eq!(near(grows(), Forward), forward);
    let backward = "not 0 <= free or 0 <= q[N] - q'[N] and q[N] - q'[N] <= free";
    assert_eq!(near(grows(), Backward), backward);
    let one = || Adjacency::OneEntry { list: "q".into(), bound: var("free") };
    let forward = "not 0 <= free or (N == changed(q) or q'[N] == q[N]) and abs(q'[N] - q[N]) <= free";
    assert_eq!(near(one(), Forward), forward);
    let several = || Adjacency::OneEntryOf { lists: vec!["q".into()], bound: var("free") };
    assert_eq!(near(several(), Forward), forward);
    // Of another list nothing is said.
    let whole = mechanism(vec![], int(0));
    let context = Context::new(&whole, Forward).unwrap();
    assert_eq!(context.adjacent_entries(&"other".into(), &var("N")).to_string(), "true");
}

#[test]
fn only_what_reads_the_same_backward_is_symmetric() {
    let symmetric = |clause: Adjacency| {
        let whole = Mechanism { adjacency: vec![clause], ..mechanism(vec![], int(0)) };
        Context::new(&whole, Orientation::Forward).unwrap().adjacency_is_symmetric()
    };
    let related = |e: Expr| symmetric(Adjacency::Related(e));
    let apart = || (second("x") - first("x")).abs();
    assert!(related(yes()) && related(apart().le(int(1))) && related(apart().lt(var("free"))));
    assert!(related(apart().equals(int(1))) && related(apart().le(int(1)).and(yes())));
    // One side of a conjunction is not enough, nor is a bound that one run alone sees.
    let grows = || first("x").le(second("x"));
    assert!(!related(grows()) && !related(grows().and(yes())) && !related(yes().and(grows())));
    assert!(!related(apart().le(first("n").abs())));
    assert!(!related((second("x") - int(1)).abs().le(int(1))));
    assert!(!related((second("x") + first("x")).abs().le(first("n"))));
    assert!(!related((second("x") - first("x")).le(int(1))));
    assert!(!related(apart().ge(int(1))));
    let (list, bound) = (|| "q".into(), || int(1));
    assert!(symmetric(Adjacency::EveryEntry { list: list(), bound: bound() }));
    assert!(symmetric(Adjacency::OneEntry { list: list(), bound: bound() }));
    assert!(symmetric(Adjacency::Norm { list: list(), bound: bound(), squares: true }));
    assert!(!symmetric(Adjacency::EveryEntryGrows { list: list(), bound: bound() }));
}

/// The call of a mechanism with one input and one parameter.
fn calls(input: Sort, argument: Expr, param: Sort, value: Expr) -> Result<Context, Rejection> {
    let inner = Mechanism {
        name: "inner".into(),
        inputs: vec![Input { name: "x".into(), sort: input }],
        params: vec![Param { name: "p".into(), sort: param }],
        assumptions: vec![],
        body: vec![],
        output: int(0),
        adjacency: vec![],
    };
    let claim = Claim { epsilon: int(0), delta: int(0), reading: Reading::Reals };
    let (inputs, params) = (vec![argument], vec![value]);
    let called = Called { mechanism: inner, claim, inputs, params, released: Sort::Int };
    refused(&[
        assign("out", Expr::EmptyList),
        append("out", var("n")),
        assign("reals", Expr::EmptyList),
        append("reals", var("x")),
        draw("y", Distribution::Called(Box::new(called))),
    ])
}

#[test]
fn arguments_are_of_their_kinds() {
    let number = || (Sort::Real, var("x"));
    let input = |sort, argument| calls(sort, argument, number().0, number().1).is_ok();
    assert!(input(Sort::Real, var("x")) && input(Sort::Real, var("n")) && !input(Sort::Real, var("b")));
    assert!(input(Sort::Int, var("n")) && !input(Sort::Int, var("x")) && !input(Sort::Int, var("b")));
    let category = || Sort::Category { count: int(3) };
    assert!(input(category(), var("n")) && !input(category(), var("x")));
    assert!(input(Sort::Bool, var("b")) && !input(Sort::Bool, var("n")));
    // A list by its name, of integers where those are wanted.
    assert!(input(Sort::RealList, var("q")) && !input(Sort::IntList, var("q")));
    assert!(input(Sort::RealList, var("out")) && input(Sort::IntList, var("out")));
    assert!(input(Sort::RealList, var("reals")) && !input(Sort::IntList, var("reals")));
    assert!(!input(Sort::RealList, var("x")) && !input(Sort::RealList, Expr::EmptyList));
    let param = |sort, value| calls(number().0, number().1, sort, value).is_ok();
    assert!(param(Sort::Int, var("N")) && param(Sort::Int, var("n")));
    assert!(!param(Sort::Int, var("eps")) && !param(Sort::Int, var("x")));
    assert!(param(Sort::Real, var("eps")) && !param(Sort::Real, var("b")));
}

/// s·ln(u) and its scalings are Laplace noise; one of the two draws alone, or one of them twice, is not.
#[test]
fn laplace_law_is_of_the_product() {
    let rewrite = Rewrite::LaplaceLaw { uniform: "u".into(), sign: "s".into(), noise: "z".into() };
    let body = || vec![draw("u", Distribution::Uniform), draw("s", Distribution::Sign)];
    let apply = |output: Expr| rewrite.apply(&mechanism(body(), output));
    let (s, l) = (|| var("s"), || var("u").ln());
    for (output, becomes) in [
        (s() * l(), "z"),
        (l() * s(), "z"),
        (s() * (l() / var("eps")), "z / eps"),
        ((l() / var("eps")) * s(), "z / eps"),
        (l() * (s() / var("eps")), "z / eps"),
        ((s() / var("eps")) * l(), "z / eps"),
    ] {
        assert_eq!(apply(output).unwrap().output.to_string(), becomes);
    }
    for output in [
        s() * int(3),
        int(3) * s(),
        l() * int(3),
        int(3) * l(),
        s() * s(),
        l() * l(),
        s() * (s() / var("eps")),
        l() * (l() / var("eps")),
        s() * (int(3) / var("eps")),
        (int(3) / var("eps")) * l(),
        s() / l(),
        s() + l(),
    ] {
        assert!(matches!(apply(output.clone()), Err(Rejection::NotEquivalent { .. })), "{output}");
    }
}

#[test]
fn a_proof_starts_at_no_cost_and_ends_within_the_claim() {
    assert_eq!(start().to_string(), "cost == 0");
    let whole = mechanism(vec![], var("x"));
    let context = Arc::new(Context::new(&whole, Orientation::Forward).unwrap());
    let claim = Claim { epsilon: var("eps"), delta: number(1, 4), reading: Reading::Reals };
    let equal = goal(&context, &claim, Comparison::Equal);
    assert_eq!(equal.to_string(), "x == x' and cost <= eps");
    let point = goal(&context, &claim, Comparison::Pointwise);
    assert_eq!(point.to_string(), "not x == result or x' == result and cost <= eps");
    let step = rules::skip(&context, &assertion(&context, equal));
    let needed = obligation(&step, &claim).to_string();
    assert_eq!(needed, "x == x' and cost <= eps and 0 <= 1/4");
}
