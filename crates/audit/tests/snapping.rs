//! The exact law of the snapping mechanism in binary64, against the figures of the design.

use probity_audit::{Effort, Given, Inputs, Outcome, PairReport, Parameters, float_law};
use probity_exact::{Format, Rational, directed, parse_rational, rational_from_f64};
use probity_kernel::expr::Expr;
use probity_kernel::term::{Distribution, Input, Mechanism, Param, Sort, Statement};

fn snapping() -> Mechanism {
    let v = |name: &str| Expr::var(name);
    Mechanism {
        name: "snapping".into(),
        inputs: vec![Input { name: "x".into(), sort: Sort::Real }],
        params: vec![
            Param { name: "eps".into(), sort: Sort::Real },
            Param { name: "B".into(), sort: Sort::Real },
        ],
        assumptions: vec![],
        body: vec![
            Statement::Assign { var: "grid".into(), value: (Expr::int(1) / v("eps")).pow2_at_least() },
            Statement::Draw { var: "u".into(), law: Distribution::Uniform },
            Statement::Draw { var: "s".into(), law: Distribution::Sign },
            Statement::Assign { var: "w".into(), value: v("x") + v("s") * v("u").ln() / v("eps") },
        ],
        output: v("w").round_to(v("grid")).clamp(-v("B"), v("B")),
        adjacency: vec![],
    }
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

fn report(eps: &str, bound: &str, x: &str, y: &str) -> PairReport {
    let law = |x: &str| {
        float_law(&snapping(), &parameters(eps, bound), &input(x), Format::BINARY64, Effort::default())
            .unwrap()
    };
    let (first, second) = (law(x), law(y));
    assert!(first.is_exact() && first.sums_to_one() && second.is_exact() && second.sums_to_one());
    PairReport::new(&first, &second)
}

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
        let start = std::time::Instant::now();
        let report = report(eps, bound, x, y);
        println!("{:?}", start.elapsed());
        let a = report.outcomes.iter().filter(|o| o.first.low > 0u8.into()).count();
        let b = report.outcomes.iter().filter(|o| o.second.low > 0u8.into()).count();
        println!("{a} {b} {} {outcomes} {:?}", report.outcomes.len(), report.impossible);
        assert_eq!(report.impossible.len(), impossible, "impossible at {eps} {bound}");
        let found = report.excess(&double(eps)).unwrap();
        assert!(found.low <= found.high);
        assert_eq!(format!("{:.3e}", found.to_f64()), excess, "excess at {eps} {bound}");
        assert_eq!(report.worst.unwrap().outcome, Outcome::Number(number(at)), "place at {eps} {bound}");
    }
}
