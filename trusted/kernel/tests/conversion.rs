//! Conversions from ρ and μ to ε and δ: against known values, and where they must say no.

// What is tested against is computed in plain floating point.
#![allow(clippy::disallowed_methods)]

use std::sync::Arc;

use probity_exact::{Rational, parse_rational};
use probity_kernel::concentrated::Measure;
use probity_kernel::context::{Context, Orientation};
use probity_kernel::conversion::{Conversion, by_order, normal, normal_tail, tail};
use probity_kernel::entail::{Evidence, Product};
use probity_kernel::expr::{Binary, Expr, Unary};
use probity_kernel::privacy::{Comparison, Side, Theorem, convert, goal, privacy};
use probity_kernel::rejection::Rejection;
use probity_kernel::rules::{Assertion, skip};
use probity_kernel::term::{Claim, Mechanism, Param, Reading};

fn number(text: &str) -> Rational {
    parse_rational(text).unwrap()
}

/// δ(ε) of normal laws: what forty digits say of it, cut and raised by one in the last place shown.
#[test]
fn normal_laws_have_the_delta_that_is_known() {
    for (mu, epsilon, below, above) in [
        ("1", "1", "0.126936737506643945", "0.126936737506643946"),
        ("1", "0", "0.382924922548026207", "0.382924922548026208"),
        ("0.5", "2", "9.439168634947233e-6", "9.439168634947234e-6"),
        ("0.2", "0.5", "5.125360831583324e-4", "5.125360831583325e-4"),
        ("0.1", "1", "1.230835983642704e-25", "1.230835983642705e-25"),
        ("10", "3", "0.999997536213035583", "0.999997536213035584"),
    ] {
        let holds = |delta: &str| normal(&number(mu), &number(epsilon), &number(delta));
        assert!(!holds(below) && holds(above), "mu {mu} epsilon {epsilon}");
    }
}

#[test]
fn far_out_normal_laws_are_bounded_on_the_safe_side() {
    let holds = |mu: &str, epsilon: &str, delta: &str| normal(&number(mu), &number(epsilon), &number(delta));
    // No μ, no δ; a negative number is no measure.
    assert!(holds("0", "0", "0") && holds("0", "1", "0"));
    assert!(!holds("-1", "1", "1") && !holds("1", "-1", "1") && !holds("1", "1", "-1"));
    // Beyond a thousand deviations δ is small and not 0, and near 1 and not below.
    assert!(holds("0.0001", "1", "1e-300") && !holds("0.0001", "1", "0"));
    assert!(holds("5000", "1", "1") && !holds("5000", "1", "0.999"));
    assert!(!holds("1", "2000", "0") && holds("1", "2000", "1e-300"));
    assert!(holds("100", "5500", "1e-6") && !holds("100", "4000", "0.5"));
}

/// e^((α − 1)(αρ − ε))·(1 − 1/α)^(α − 1)/α at α = 2, ρ = 1/2, ε = 3: e^−2/4.
#[test]
fn orders_have_the_delta_that_is_known() {
    let holds =
        |order: &str, delta: &str| by_order(&number(order), &number("0.5"), &number("3"), &number(delta));
    assert!(holds("2", "0.033833820809153173") && !holds("2", "0.033833820809153172"));
    // Orders up to 1 are none, and a negative ρ neither.
    assert!(!holds("1", "1") && !holds("1/2", "1"));
    assert!(!by_order(&number("2"), &number("-1"), &number("3"), &number("1")));
    assert!(by_order(&number("2"), &number("0"), &number("3"), &number("1")));
    // What is too large to compute is no bound, and what is too small is not 0.
    assert!(!by_order(&number("2"), &number("5000"), &number("1"), &number("1")));
    assert!(!by_order(&number("2"), &number("0"), &number("5000"), &number("0")));
}

/// No mechanism loses more than its order says: Σ max(0, p − e^ε q) of responses against the bound of their ρ.
#[test]
fn orders_bound_what_responses_lose() {
    for loss in [0.3f64, 1.0, 2.0] {
        let (p, q) = (loss.exp() / (1.0 + loss.exp()), 1.0 / (1.0 + loss.exp()));
        for epsilon in [0.0, 0.1, 0.7, 1.5] {
            let delta = (p - f64::exp(epsilon) * q).max(0.0);
            for order in ["1.1", "1.5", "2", "4", "20"] {
                let exact = |x: f64| probity_exact::rational_from_f64(x).unwrap();
                let below = exact(delta - 1e-9);
                let rho = exact(loss * loss / 2.0);
                assert!(!by_order(&number(order), &rho, &exact(epsilon), &below) || delta <= 0.0);
            }
        }
    }
}

fn constant(params: Vec<Param>) -> Mechanism {
    Mechanism {
        name: "m".into(),
        inputs: vec![],
        assumptions: params.iter().map(|p| Expr::var(p.name.clone()).gt(Expr::int(0))).collect(),
        params,
        body: vec![],
        output: Expr::int(0),
        adjacency: vec![],
    }
}

/// A theorem about a mechanism that releases 0, which loses nothing.
fn theorem(reading: Reading) -> Theorem {
    theorem_of(1, reading)
}

fn theorem_of(claimed: i64, reading: Reading) -> Theorem {
    let (mechanism, claim) = (constant(vec![]), amount(Expr::int(claimed), reading));
    let measure = Measure::of(reading);
    let context = Arc::new(Context::measured(&mechanism, Orientation::Forward, measure).unwrap());
    let post = Assertion::new(&context, goal(&context, &claim, Comparison::Equal)).unwrap();
    let judgement = skip(&context, &post);
    // Fact 0: cost = 0; fact 1: the cost is above what is claimed.
    let too_much = Product { coefficient: Rational::ONE, scale: vec![], facts: vec![1] };
    let evidence = Evidence::Combination { products: vec![too_much], equations: vec![(0, Expr::int(1))] };
    let side = Side { judgement: &judgement, evidence: &evidence };
    privacy(&mechanism, &claim, &[], Comparison::Equal, &[side]).unwrap()
}

fn amount(epsilon: Expr, reading: Reading) -> Claim {
    Claim { epsilon, delta: Expr::int(0), reading }
}

fn claim(epsilon: &str, delta: &str) -> Claim {
    let of = |text: &str| Expr::Number(number(text));
    Claim { epsilon: of(epsilon), delta: of(delta), reading: Reading::Reals }
}

#[test]
fn conversions_are_from_their_measures() {
    let (mu, rho, pure) = (theorem(Reading::Mu), theorem(Reading::Rho), theorem(Reading::Reals));
    let order = || Conversion::Order(Rational::from(2));
    let wide = claim("1", "1/2");
    let made = convert(&mu, &wide, &Conversion::Normal).unwrap();
    assert_eq!(*made.claim(), wide);
    assert!(made.axioms().contains("GDP-NORMAL"));
    assert_eq!(made.through().unwrap().0.reading, Reading::Mu);
    assert!(made.to_string().contains("converted from mu = 1, over the reals, by GDP-NORMAL"));
    assert!(convert(&mu, &wide, &order()).unwrap().axioms().contains("ZCDP-ORDER"));
    assert!(convert(&rho, &claim("3", "1/2"), &order()).is_ok());
    let no = |theorem: &Theorem, claim: &Claim, conversion: &Conversion| {
        matches!(convert(theorem, claim, conversion), Err(Rejection::ClaimNotCovered { .. }))
    };
    assert!(no(&rho, &wide, &Conversion::Normal) && no(&pure, &wide, &Conversion::Normal));
    assert!(no(&pure, &wide, &order()) && no(&pure, &claim("3", "1/2"), &order()));
    let in_rho = Claim { reading: Reading::Rho, ..wide.clone() };
    assert!(no(&mu, &in_rho, &Conversion::Normal));
    // Only to a claim of ε and δ, and only to one that is large enough.
    assert!(no(&mu, &amount(Expr::int(1), Reading::Rho), &Conversion::Normal));
    assert!(no(&mu, &claim("1", "0.1"), &Conversion::Normal) && no(&rho, &claim("1", "0.1"), &order()));
    assert!(!no(&mu, &claim("1", "0.127"), &Conversion::Normal));
}

/// μ = 3 is ρ = 9/2: at order 2 and ε = 9 the bound of δ is 1/4.
#[test]
fn mu_is_half_its_square_in_rho() {
    let mu = theorem_of(3, Reading::Mu);
    let order = Conversion::Order(Rational::from(2));
    assert!(convert(&mu, &claim("9", "0.26"), &order).is_ok());
    assert!(convert(&mu, &claim("9", "0.24"), &order).is_err());
    let shown = tail(mu.claim(), &claim("9", "1")).to_string();
    let rho = "3 * 3 / 2";
    let apart = format!("(9 - {rho})");
    assert_eq!(shown, format!("0 < 1 and {rho} <= 9 and 4 * ({rho}) * ln(1 / 1) <= {apart} * {apart}"));
}

#[test]
fn enclosed_conversions_are_between_numbers() {
    let mu = theorem(Reading::Mu);
    let unknown = Claim { epsilon: Expr::var("e"), ..claim("1", "1/2") };
    assert!(convert(&mu, &unknown, &Conversion::Normal).is_err());
    let logarithm = Claim { epsilon: Expr::int(3).ln(), ..claim("1", "1/2") };
    assert!(convert(&mu, &logarithm, &Conversion::Normal).is_ok());
}

#[test]
fn tails_are_shown_by_evidence() {
    let rho = theorem(Reading::Rho);
    // ρ = 1, ε = 5: 4·ln(1/δ) ≤ 16 for δ = 1, where the logarithm is 0.
    let wide = claim("5", "1");
    let shown = tail(rho.claim(), &wide);
    assert_eq!(shown.to_string(), "0 < 1 and 1 <= 5 and 4 * 1 * ln(1 / 1) <= (5 - 1) * (5 - 1)");
    let absurd = Conversion::Tail(Box::new(Evidence::Absurd(0)));
    assert!(convert(&rho, &wide, &absurd).unwrap().axioms().contains("ZCDP-TAIL"));
    // With ε below ρ the condition is false, and with a smaller δ its negation is no longer absurd.
    assert!(convert(&rho, &claim("1/2", "1"), &absurd).is_err());
    assert!(convert(&rho, &claim("5", "1e-9"), &absurd).is_err());
}

/// The value of a formula about numbers, in plain floating point; 1 and 0 are true and false.
fn roughly(e: &Expr) -> f64 {
    let truth = |b: bool| f64::from(u8::from(b));
    match e {
        Expr::Number(n) => n.to_f64().value(),
        Expr::Bool(b) => truth(*b),
        Expr::Unary(Unary::Ln, a) => match roughly(a) {
            a if a > 0.0 => a.ln(),
            _ => 0.0,
        },
        Expr::Binary(op, a, b) => {
            let (a, b) = (roughly(a), roughly(b));
            match op {
                Binary::Add => a + b,
                Binary::Sub => a - b,
                Binary::Mul => a * b,
                Binary::Div if b == 0.0 => 0.0,
                Binary::Div => a / b,
                Binary::Lt => truth(a < b),
                Binary::Le => truth(a <= b),
                Binary::And => a.min(b),
                Binary::Or => a.max(b),
                _ => panic!("{e}"),
            }
        }
        _ => panic!("{e}"),
    }
}

/// Wherever the condition holds, two normal laws have at most this δ, by an enclosure; and it holds in many places.
#[test]
fn normal_tails_are_those_of_normal_laws() {
    let fraction = |n: i64, d: i64| Rational::from(n) / Rational::from(d);
    let (mut held, mut tried) = (0, 0);
    for mu in -2..20 {
        for epsilon in -2..20 {
            for delta in -2..30 {
                let (mu, epsilon) = (fraction(mu, 4), fraction(epsilon, 4));
                // From near 0 to above 1.
                let delta = fraction(delta * delta * delta, 20_000) * fraction(delta.signum(), 1);
                let of = |e: &Rational| Expr::Number(e.clone());
                let to = Claim { epsilon: of(&epsilon), delta: of(&delta), reading: Reading::Reals };
                let from = amount(of(&mu), Reading::Mu);
                tried += 1;
                if roughly(&normal_tail(&from, &to)) == 1.0 {
                    held += 1;
                    assert!(normal(&mu, &epsilon, &delta), "mu {mu} epsilon {epsilon} delta {delta}");
                }
            }
        }
    }
    assert!(held > tried / 5, "{held} of {tried}");
}

#[test]
fn normal_tails_are_from_mu_by_evidence() {
    let (mu, rho) = (theorem(Reading::Mu), theorem(Reading::Rho));
    // μ = 1, ε = 5, δ = 1/2: 8·ln(1) ≤ 81, where the logarithm is 0; and 1 ≤ 2δ.
    let wide = claim("5", "1/2");
    let shown = normal_tail(mu.claim(), &wide).to_string();
    let far = "1 * 1 <= 2 * 5 and 8 * (1 * 1) * ln(1 / (2 * (1/2))) <= (2 * 5 - 1 * 1) * (2 * 5 - 1 * 1)";
    assert_eq!(shown, format!("0 < 1/2 and 0 <= 5 and 0 <= 1 and ({far} or 1 <= 2 * (1/2))"));
    let absurd = Conversion::NormalTail(Box::new(Evidence::Absurd(0)));
    assert!(convert(&mu, &wide, &absurd).unwrap().axioms().contains("GDP-TAIL"));
    assert!(matches!(convert(&rho, &wide, &absurd), Err(Rejection::ClaimNotCovered { .. })));
    // Not where the condition is false, nor where it is no longer plain.
    assert!(convert(&mu, &claim("1/4", "1/4"), &absurd).is_err());
    assert!(convert(&mu, &claim("5", "1e-9"), &absurd).is_err());
}
