//! The snapping mechanism in binary64: the figures of the design, the search, and what other choices cost.

use std::path::Path;

use probity_audit::{
    Effort, Given, Inputs, Logarithm, Outcome, PairReport, Parameters, SearchState, SearchTask, binary64_law,
    float_law, logarithm_cost, outcome_mass, reachability, search_worst_pair,
};
use probity_exact::{Format, Natural, Rational, directed, parse_rational, rational, rational_from_f64};
use probity_kernel::term::Reading;
use probity_lang::Program;

fn mechanism(file: &str) -> Program {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../mechanisms");
    probity_lang::load(root.join(file)).unwrap()
}

fn number(text: &str) -> Rational {
    parse_rational(text).unwrap()
}

fn parameters(eps: &str, bound: &str) -> Parameters {
    [("eps".into(), number(eps)), ("B".into(), number(bound))].into()
}

fn input(x: &str) -> Inputs {
    [("x".into(), Given::Number(number(x)))].into()
}

/// The double that a decimal becomes, exactly.
fn double(text: &str) -> Rational {
    rational_from_f64(directed::cast_nearest(&number(text))).unwrap()
}

fn report(file: &str, logarithm: Logarithm, eps: &str, bound: &str, x: &str, y: &str) -> PairReport {
    let program = mechanism(file);
    let law = |x: &str| {
        let parameters = parameters(eps, bound);
        binary64_law(&program.mechanism, &parameters, &input(x), logarithm, Effort::default()).unwrap()
    };
    let (first, second) = (law(x), law(y));
    assert!(first.is_exact() && first.sums_to_one() && second.is_exact() && second.sums_to_one());
    PairReport::new(&first, &second)
}

fn snapping(eps: &str, bound: &str, x: &str, y: &str) -> PairReport {
    report("snapping.dp", Logarithm::CorrectlyRounded, eps, bound, x, y)
}

/// The table of the design, to all printed digits. Outcomes are those of the first input.
#[test]
fn figures_of_the_design() {
    let rows = [
        ("1", "100", "0", "1", 201, "1.915e-15", "64", 0),
        ("1", "100", "0.3", "1.3", 201, "5.583e-15", "65", 0),
        ("0.1", "1000", "3.7", "4.7", 127, "1.220e-14", "944", 0),
        ("0.5", "2000", "0", "1", 1491, "1.931e-1", "-1488", 1),
        ("1", "1e6", "12345.25", "12346.25", 1492, "3.863e-1", "11602", 2),
    ];
    for (eps, bound, x, y, outcomes, excess, at, impossible) in rows {
        let report = snapping(eps, bound, x, y);
        assert_eq!(report.outcomes_of_first(), outcomes, "outcomes at {eps} {bound}");
        assert_eq!(report.impossible.len(), impossible, "impossible at {eps} {bound}");
        assert_eq!(report.impossible_mass > Rational::ZERO, impossible > 0);
        let found = report.excess(&double(eps)).unwrap();
        assert!(found.low <= found.high);
        assert_eq!(format!("{:.3e}", found.to_f64()), excess, "excess at {eps} {bound}");
        assert_eq!(report.worst.unwrap().outcome, Outcome::Number(number(at)), "place at {eps} {bound}");
    }
}

/// The published bound ε + 12Bεη + 2η: it holds at B = 100 with room to spare and fails at B = 2000.
#[test]
fn the_published_bound() {
    let eta = Format::BINARY64.unit_roundoff();
    let published = |eps: &str, bound: &str| {
        double(eps) + Rational::from(12) * number(bound) * double(eps) * &eta + Rational::from(2) * &eta
    };
    assert!(!snapping("1", "100", "0.3", "1.3").violates(&published("1", "100")));
    assert!(snapping("1", "100", "0.3", "1.3").violates(&double("1")));
    assert!(snapping("0.5", "2000", "0", "1").violates(&published("0.5", "2000")));
}

/// δ(ε) falls with ε, is the impossible mass in the limit, and δ(0) is the total variation.
#[test]
fn the_loss_curve() {
    let report = snapping("0.5", "2000", "0", "1");
    let epsilons: Vec<Rational> = (0..40).map(|i| rational(i, 40).unwrap()).collect();
    let curve = report.delta_curve(&epsilons);
    for pair in curve.windows(2) {
        assert!(pair[0].low >= pair[1].low && pair[0].low <= pair[0].high);
    }
    let variation: Rational = report
        .outcomes
        .iter()
        .map(|o| Rational::from(o.first.low.clone()) - Rational::from(o.second.low.clone()))
        .filter(|d| *d > Rational::ZERO)
        .fold(Rational::ZERO, |sum, d| sum + d);
    let unit = Rational::from(report.denominator.clone());
    assert_eq!(curve[0].low, &variation / &unit);
    assert_eq!(curve[0].high, variation / unit);
    // Beyond every finite loss only the impossible outcome is left.
    let last = report.delta(&rational(700, 1).unwrap());
    assert_eq!(last.low, report.impossible_mass);
}

/// A uniform of 53 bits: nothing beyond 53·ln 2 = 36.7 is reachable, and neighbours reach different outcomes.
#[test]
fn fifty_three_bits_are_not_enough() {
    let report = report("broken/snapping_53_bits.dp", Logarithm::CorrectlyRounded, "1", "100", "0", "1");
    let outcomes: Vec<&Rational> = report.outcomes.iter().filter_map(|o| o.outcome.number()).collect();
    assert_eq!((outcomes[0], outcomes[outcomes.len() - 1]), (&number("-37"), &number("38")));
    assert_eq!(report.impossible.len(), 2);
}

/// The platform's logarithm is not always correctly rounded. What it costs is measured and printed; all that is
/// promised is that the loss stays next to the claim, as an error of one unit in the last place makes it.
#[test]
fn the_platforms_logarithm() {
    let program = mechanism("snapping.dp");
    let parameters = parameters("1", "100");
    let (mut changed, mut largest) = (0, 0f64);
    for k in 0..4 {
        let at = |x: Rational| -> Inputs { [("x".into(), Given::Number(x))].into() };
        let x = rational(-100 * 8 + k, 8).unwrap();
        let cost = logarithm_cost(
            &program.mechanism,
            &parameters,
            &at(x.clone()),
            &at(x + Rational::ONE),
            Effort::default(),
        )
        .unwrap();
        let (exact, platform) = (cost.correctly_rounded.unwrap(), cost.platform.unwrap());
        changed += cost.outcomes_changed;
        largest = largest.max(directed::cast_nearest(&(platform.low - exact.low)).abs());
    }
    println!("the platform's ln changes {changed} probabilities and the worst loss by up to {largest:.1e}");
    assert!(largest < 1e-13);
}

/// The first pairs of the search already show an excess of Bεη, and a resumed search is the same search.
#[test]
fn the_search_finds_a_bad_pair() {
    let program = mechanism("snapping.dp");
    let task = SearchTask {
        until: probity_audit::Deadline::default(),
        mechanism: &program.mechanism,
        claim: &program.claim,
        settings: vec![parameters("1", "100")],
        reading: Reading::BINARY64,
        effort: Effort::default(),
    };
    let run = |state: &mut SearchState, until: u64| {
        search_worst_pair(&task, state, &mut |state| state.tried < until).unwrap();
    };
    let mut whole = SearchState::new(1);
    run(&mut whole, 48);
    let best = whole.best.clone().unwrap();
    assert!(best.excess >= 100.0 * f64::EPSILON / 2.0, "{best:?}");
    let mut first = SearchState::new(1);
    run(&mut first, 20);
    let mut resumed = SearchState::read(&first.to_string()).unwrap();
    run(&mut resumed, 48);
    assert_eq!(resumed.to_string(), whole.to_string());
}

/// Mironov's attack: most outputs of the textbook mechanism cannot come from the neighbour.
#[test]
fn outputs_of_naive_laplace_give_the_input_away() {
    let program = mechanism("broken/laplace_naive_binary64.dp");
    let parameters: Parameters = [("eps".into(), number("1"))].into();
    let reach =
        reachability(&program.mechanism, &parameters, &input("0"), &input("1"), Format::BINARY64, 300, 1)
            .unwrap();
    println!("{} of {} outputs are impossible for the neighbour", reach.unreachable, reach.samples);
    assert!(reach.share.low > rational(1, 10).unwrap(), "{reach:?}");
    let (outcome, mass) = reach.example.unwrap();
    assert!(mass.low > Rational::ZERO && mass.low == mass.high);
    let at = |x: &str| {
        let effort = Effort::default();
        outcome_mass(&program.mechanism, &parameters, &input(x), &outcome, Format::BINARY64, effort).unwrap()
    };
    assert_eq!(at("0").low, mass.low);
    assert_eq!(at("1").high, Rational::ZERO);
    // An output is reachable from its own input, by construction: the decision can say yes.
    let same =
        reachability(&program.mechanism, &parameters, &input("0"), &input("0"), Format::BINARY64, 50, 2)
            .unwrap();
    assert_eq!((same.unreachable, same.example), (0, None));
}

/// The mass of one outcome agrees with the whole law.
#[test]
fn one_outcome_or_the_whole_law() {
    let program = mechanism("snapping.dp");
    let (parameters, x) = (parameters("1", "20"), input("0.3"));
    let effort = Effort::default();
    let law = float_law(&program.mechanism, &parameters, &x, Format::BINARY64, effort).unwrap();
    for outcome in law.masses().keys().filter_map(Outcome::number) {
        let mass =
            outcome_mass(&program.mechanism, &parameters, &x, outcome, Format::BINARY64, effort).unwrap();
        assert_eq!((mass.low, mass.high), law.probability(&Outcome::Number(outcome.clone())));
    }
}

/// Sixty random pairs against laws worked out by plain bisection with MPFR's logarithm (scripts/snapping_laws.py).
#[test]
fn laws_of_a_second_program() {
    for line in include_str!("data/snapping_laws.txt").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [eps, bound, x, y, outcomes, of_neighbour, impossible, worst, excess] = words[..] else {
            panic!("nine words: {line}");
        };
        let report = snapping(eps, bound, x, y);
        let of_second = report.outcomes.iter().filter(|o| o.second.low > Natural::ZERO).count();
        assert_eq!(report.outcomes_of_first().to_string(), outcomes, "{line}");
        assert_eq!(of_second.to_string(), of_neighbour, "{line}");
        assert_eq!(report.impossible.len().to_string(), impossible, "{line}");
        assert_eq!(report.worst.as_ref().unwrap().outcome.to_string(), worst, "{line}");
        let found = report.excess(&number(eps)).unwrap().to_f64();
        assert_eq!(format!("{found:.12e}"), format!("{:.12e}", excess.parse::<f64>().unwrap()), "{line}");
    }
}
