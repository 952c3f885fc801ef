//! Laws of discrete mechanisms over the reals.

use std::path::Path;

use probity_audit::{
    Depth, Given, Inputs, Law, Outcome, PairReport, Parameters, Side, claimed, dilation, output_law, real_law,
};
use probity_exact::{Natural, Rational, exp_bounds, ln_bounds, rational, rational_from_f64};
use probity_kernel::term::Reading;
use probity_lang::Program;

fn program(name: &str) -> Program {
    probity_lang::load(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../mechanisms").join(name)).unwrap()
}

fn r(n: i64, d: i64) -> Rational {
    rational(n, d).unwrap()
}

fn input(x: i64) -> Inputs {
    [("x".into(), Given::Number(Rational::from(x)))].into()
}

fn parameters(values: &[(&str, Rational)]) -> Parameters {
    values.iter().map(|(name, value)| ((*name).into(), value.clone())).collect()
}

fn report(name: &str, parameters: &Parameters, x: i64, y: i64) -> PairReport {
    let program = program(name);
    let law = |x| real_law(&program.mechanism, parameters, &input(x), Depth::default()).unwrap();
    let (first, second) = (law(x), law(y));
    assert!(first.sums_to_one() && second.sums_to_one());
    PairReport::new(&first, &second)
}

fn number(k: i64) -> Outcome {
    Outcome::Number(Rational::from(k))
}

#[test]
fn randomized_response_is_exact() {
    let program = program("randomized_response.dp");
    let parameters = parameters(&[("t", r(4, 1)), ("p", r(2, 5))]);
    let law = real_law(&program.mechanism, &parameters, &input(2), Depth::default()).unwrap();
    assert!(law.is_exact() && law.sums_to_one());
    assert_eq!(law.probability(&number(2)).0, r(2, 5));
    assert_eq!(law.probability(&number(0)), (r(1, 5), r(1, 5)));
    // The claim is met exactly: ln(p(t−1)/(1−p)) = ln 2.
    let report = report("randomized_response.dp", &parameters, 0, 1);
    let (epsilon, _) = claimed(&program.mechanism, &program.claim, &parameters).unwrap();
    let loss = report.worst.unwrap().loss;
    assert!(loss.low <= epsilon.high && epsilon.low <= loss.high);
}

/// p = 1/3 as a double is below 1/3: OpenDP 0.16.0 answers 0, the true loss is 8.3e-17.
#[test]
fn a_rounded_third_is_no_third() {
    let p = rational_from_f64(1.0 / 3.0).unwrap();
    let report =
        report("broken/randomized_response_low_p.dp", &parameters(&[("t", r(3, 1)), ("p", p)]), 0, 1);
    let loss = report.worst.unwrap().loss;
    assert!(loss.low > Rational::ZERO);
    assert_eq!(format!("{:.1e}", loss.to_f64()), "8.3e-17");
}

/// Noise on an everyday scale has more likely values than are listed: its tails are cut nearer, and the loss is shown all the same.
#[test]
fn wide_noise_shows_its_loss() {
    let program = program("discrete_laplace.dp");
    let parameters = parameters(&[("scale", r(1000, 1)), ("d", r(1, 1))]);
    let law = |x| output_law(&program.mechanism, &parameters, &input(x), Reading::Reals).unwrap();
    let (first, second) = (law(0), law(1));
    assert!(first.sums_to_one() && second.sums_to_one());
    let loss = PairReport::new(&first, &second).worst.unwrap().loss;
    assert!(loss.low <= r(1, 1000) && loss.low > r(1, 1000) - r(1, 10_000_000), "{}", loss.to_f64());
}

/// The law of the discrete Laplace is (1 − q)/(1 + q)·q^|k|, and two neighbours lose exactly d/scale.
#[test]
fn discrete_laplace_loses_its_map() {
    let report = report("discrete_laplace.dp", &parameters(&[("scale", r(7, 3)), ("d", r(2, 1))]), 0, 2);
    assert!(report.impossible.is_empty() && report.escaped_mass > Rational::ZERO);
    let loss = report.worst.as_ref().unwrap().loss.clone();
    // The cut tail of 2^−64 keeps the shown loss below the true one, by little.
    assert!(loss.low <= r(6, 7) && loss.low > r(6, 7) - r(1, 1_000_000_000_000));
    let q = exp_bounds(&r(-3, 7), 100);
    let (low, high) = (q.0.to_rational().unwrap(), q.1.to_rational().unwrap());
    let at_zero = report.outcomes.iter().find(|o| o.outcome == number(0)).unwrap();
    let unit = Rational::from(report.denominator.clone());
    let found = (
        Rational::from(at_zero.first.low.clone()) / &unit,
        Rational::from(at_zero.first.high.clone()) / unit,
    );
    let lead = |q: &Rational| (Rational::ONE - q) / (Rational::ONE + q);
    assert!(found.0 <= lead(&low) && lead(&high) <= found.1);
    assert!(&found.1 - &found.0 < r(1, 1 << 60));
}

/// The truncated geometric mechanism loses ln(1 + 2^−⌈log2(2/ε)⌉), not its ε.
#[test]
fn truncated_geometric_loses_less_than_its_name() {
    let report = report("truncated_geometric.dp", &parameters(&[("eps", r(1, 1)), ("n", r(6, 1))]), 2, 3);
    assert_eq!(report.outcomes.len(), 7);
    let loss = report.worst.unwrap().loss;
    let (low, high) = ln_bounds(&r(3, 2), 100).unwrap();
    assert!(loss.low <= high && loss.high >= low && loss.to_f64() < 0.41);
}

#[test]
fn rappor_loses_its_claim() {
    let program = program("rappor.dp");
    let values = [("k", r(3, 1)), ("f", r(1, 2)), ("p", r(1, 4)), ("q", r(3, 4))];
    let parameters = parameters(&values);
    let report = report("rappor.dp", &parameters, 0, 2);
    assert_eq!(report.outcomes.len(), 8);
    let (epsilon, _) = claimed(&program.mechanism, &program.claim, &parameters).unwrap();
    let loss = report.worst.unwrap().loss;
    assert!(loss.low <= epsilon.high && epsilon.low <= loss.high);
}

/// Divergences against sums over all sets of outcomes, and the curve in both directions.
#[test]
fn divergence_is_the_supremum_over_sets() {
    let law = |masses: &[u32]| {
        let total: u32 = masses.iter().sum();
        let masses = masses.iter().enumerate().map(|(k, &m)| (number(k as i64), Natural::from(m)));
        Law::exact(Natural::from(total), masses, Natural::ZERO)
    };
    let (p, q) = ([5, 0, 7, 20, 8], [9, 3, 7, 1, 20]);
    let report = PairReport::new(&law(&p), &law(&q));
    assert_eq!(report.impossible, vec![(number(1), Side::Second)]);
    assert_eq!(report.impossible_mass, r(3, 40));
    for epsilon in [r(0, 1), r(1, 3), r(1, 1), r(3, 1)] {
        let (low, high) = exp_bounds(&epsilon, 90);
        let factor = (low.to_rational().unwrap(), high.to_rational().unwrap());
        for (side, a, b) in [(Side::First, p, q), (Side::Second, q, p)] {
            let best = |factor: &Rational| {
                let value = |set: u32| {
                    (0..5).filter(|i| set >> i & 1 == 1).fold(Rational::ZERO, |sum, i| {
                        sum + (Rational::from(a[i]) - Rational::from(b[i]) * factor) / Rational::from(40)
                    })
                };
                (0..32).map(value).max().unwrap()
            };
            let found = report.divergence(&epsilon, side);
            assert!(found.low <= best(&factor.0) && best(&factor.1) <= found.high);
            assert!(&found.high - &found.low < r(1, 1 << 60));
        }
    }
}

/// Dilation by 2: μ2 on halved points. {2, 4} scaled from {1, 2} covers all but what exceeds twice the mass.
#[test]
fn dilation_scales_the_set() {
    let law = |points: [(i64, u32); 2]| {
        Law::exact(Natural::from(4u8), points.map(|(k, m)| (number(k), Natural::from(m))), Natural::ZERO)
    };
    let found = dilation(&law([(2, 3), (4, 1)]), &law([(1, 1), (2, 3)]), &r(2, 1)).unwrap();
    // At 2: 3/4 − 2·1/4 = 1/4; at 4: 1/4 − 2·3/4 < 0.
    assert_eq!((found.low, found.high), (r(1, 4), r(1, 4)));
    assert_eq!(dilation(&law([(2, 3), (4, 1)]), &law([(1, 1), (2, 3)]), &Rational::ZERO), None);
}

#[test]
fn the_law_as_a_table() {
    let program = program("randomized_response.dp");
    let parameters = parameters(&[("t", r(3, 1)), ("p", r(1, 2))]);
    let law = real_law(&program.mechanism, &parameters, &input(1), Depth::default()).unwrap();
    let mut table = Vec::new();
    law.write_csv(&mut table).unwrap();
    let expected =
        "outcome,probability_low,probability_high\n0,1/4,1/4\n1,1/2,1/2\n2,1/4,1/4\n(escaped),0,0\n";
    assert_eq!(String::from_utf8(table).unwrap(), expected);
}

/// Of several draws with infinite supports the tails are cut earlier, so that the law of all of them is answered; what is cut is counted.
#[test]
fn laws_of_several_draws_are_answered() {
    let text = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/audit/broken/three_discrete_draws.dp"),
    );
    let program = probity_lang::load_text(&text.unwrap()).unwrap();
    let parameters = parameters(&[("eps", r(1, 1))]);
    let law = |x| real_law(&program.mechanism, &parameters, &input(x), Depth::default()).unwrap();
    let (first, second) = (law(0), law(1));
    assert!(first.sums_to_one() && second.sums_to_one() && !first.is_exact());
    // Ninety values of each draw would be 729,000 outcomes.
    assert!(first.outcomes() < 1 << 17, "{}", first.outcomes());
    let loss = PairReport::new(&first, &second).worst.unwrap().loss;
    assert!(loss.low <= r(3, 1) && r(3, 1) <= loss.high && loss.high < r(31, 10), "{loss:?}");
}

/// An outcome that one input alone can give loses nearly all that the cut tails leave open. Outcomes that are certain on both sides lose
/// half of one, and were once all that was said.
#[test]
fn an_outcome_of_one_input_alone_is_the_worst_where_mass_escaped() {
    let text = "mechanism m(x: int)\nparam s > 0\nz ~ geometric(s)\nreturn x + z\nneighbours abs(x' - x) <= 1\nclaim 1\n";
    let program = probity_lang::load_text(text).unwrap();
    let parameters = parameters(&[("s", r(2, 1))]);
    let law = |x| real_law(&program.mechanism, &parameters, &input(x), Depth::default()).unwrap();
    let report = PairReport::new(&law(0), &law(1));
    assert!(report.impossible.is_empty() && report.escaped_mass > Rational::ZERO);
    let worst = report.worst.as_ref().unwrap();
    assert_eq!((&worst.outcome, worst.side, worst.bounded), (&number(0), Side::First, false));
    assert!(worst.loss.low > r(40, 1), "{}", worst.loss.to_f64());
    assert!(report.violates(&r(40, 1)) && report.excess(&r(1, 1)).unwrap().certain_excess() > 39.0);
    // Where both sides are certain the upper end is one.
    let same = PairReport::new(&law(0), &law(0));
    assert!(same.worst.as_ref().unwrap().bounded);
}
