//! Irrational scales, centers and thresholds, each with a probability that is known exactly; and numbers that are not followed.

use probity_audit::{
    AuditError, Bounds, Condition, Depth, Event, Given, Inputs, Parameters, event_probability,
};
use probity_exact::{Rational, rational};

fn r(n: i64, d: i64) -> Rational {
    rational(n, d).unwrap()
}

fn probability(body: &str, event: &Event) -> Result<Bounds, AuditError> {
    let text = format!("mechanism m(x: real)\n{body}\nneighbours abs(x' - x) <= 1\nclaim 1");
    let program = probity_lang::load_text(&text).unwrap();
    let inputs = Inputs::from([("x".into(), Given::Number(r(0, 1)))]);
    let found = event_probability(&program.mechanism, &Parameters::new(), &inputs, event, Depth::default());
    found.map(|bounds| bounds.unwrap())
}

fn at_most(n: i64) -> Event {
    Event::Value(Condition::AtMost(r(n, 1)))
}

/// The bounds hold the exact number, are not equal to each other, and are narrow.
fn encloses(found: &Bounds, exact: &Rational) -> bool {
    found.low < found.high
        && found.low <= *exact
        && *exact <= found.high
        && (&found.high - &found.low) * Rational::from(1i64 << 60) < Rational::ONE
}

#[test]
fn a_quarter_by_an_irrational_scale_center_or_threshold() {
    // P(laplace(0, 1/ln 2) <= -1) = e^(-ln 2)/2.
    let scale = probability("y ~ laplace(x, 1 / ln(2))\nreturn y", &at_most(-1)).unwrap();
    assert!(encloses(&scale, &r(1, 4)), "{scale:?}");
    // P(laplace(ln 2, 1) <= 0) = e^(-ln 2)/2.
    let center = probability("y ~ laplace(x + ln(2), 1)\nreturn y", &at_most(0)).unwrap();
    assert!(encloses(&center, &r(1, 4)), "{center:?}");
    // P(laplace(0, 1) > ln 2), which a comparison of either side asks for.
    let one = Event::Value(Condition::Is(probity_audit::Outcome::Number(r(1, 1))));
    for asked in ["y > ln(2)", "ln(2) < y", "not y <= ln(2)", "-y < -ln(2)"] {
        let body = format!("y ~ laplace(x, 1)\nreturn if {asked} then 1 else 0");
        let threshold = probability(&body, &one).unwrap();
        assert!(encloses(&threshold, &r(1, 4)), "{asked}: {threshold:?}");
    }
    // P(exponential(1/ln 2) >= 2) = 1/4.
    let exponential = probability("y ~ exponential(1 / ln(2))\nreturn x - y", &at_most(-2)).unwrap();
    assert!(encloses(&exponential, &r(1, 4)), "{exponential:?}");
    // Normal noise of deviation sqrt(2), compared with another: by symmetry.
    let normal = "y ~ gaussian(x, sqrt(2))\nz ~ gaussian(x, sqrt(3))\nreturn if y > z then 1 else 0";
    let normal = probability(normal, &one).unwrap();
    assert!(normal.low <= r(1, 2) && r(1, 2) <= normal.high && normal.low > r(49, 100), "{normal:?}");
}

#[test]
fn what_is_rational_is_as_exact_as_before() {
    let found = probability("y ~ laplace(x, 1)\nreturn y", &at_most(0)).unwrap();
    assert_eq!((found.low, found.high), (r(1, 2), r(1, 2)));
}

#[test]
fn a_product_may_be_released_but_not_be_looked_at() {
    let body = "y ~ laplace(x, 1)\nz ~ laplace(x, 1)\nw ~ laplace(y * z, 1)\nreturn (y, w)";
    let on_first = Event::List(vec![Condition::AtMost(r(0, 1)), Condition::Anything]);
    let found = probability(body, &on_first).unwrap();
    assert_eq!((found.low, found.high), (r(1, 2), r(1, 2)));
    let on_second = Event::List(vec![Condition::Anything, Condition::AtMost(r(0, 1))]);
    assert!(matches!(probability(body, &on_second), Err(AuditError::Unsupported { .. })));
    // Nor may a branch depend on it.
    let branch = "y ~ laplace(x, 1)\nz ~ laplace(x, 1)\nc = 0\nif y * z > 1 {\n  c = 1\n}\nreturn c";
    assert!(matches!(probability(branch, &at_most(0)), Err(AuditError::Unsupported { .. })));
    // A choice that depends on it is a number like it.
    let choice = "y ~ laplace(x, 1)\nz ~ laplace(x, 1)\nreturn (y, if y * z > 1 then 1 else 0)";
    assert_eq!(probability(choice, &on_first).unwrap().high, r(1, 2));
    let decided =
        Event::List(vec![Condition::Anything, Condition::Is(probity_audit::Outcome::Number(r(1, 1)))]);
    assert!(matches!(probability(choice, &decided), Err(AuditError::Unsupported { .. })));
}
