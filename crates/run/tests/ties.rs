//! Numbers that are equal on purpose: branches first, then normal forms; and what might never be told is refused before
//! anything is drawn, whatever the inputs.

use probity_exact::{Integer, Rational};
use probity_lang::load_text;
use probity_noise::entropy::tape::Tape;
use probity_run::{Given, Inputs, RunError, Text, Unproved, Value};

fn text(body: &str) -> Text {
    let text = format!("mechanism m(x: real)\n{body}\nneighbours abs(x' - x) <= 1\nclaim 1");
    Text::of(load_text(&text).unwrap_or_else(|faults| panic!("{body}: {faults:?}")))
}

fn text_of(header: &str, body: &str) -> Unproved {
    let text = format!("mechanism {header}\n{body}\nneighbours any\nclaim 1");
    Text::of(load_text(&text).unwrap()).unproved_with(&[]).unwrap()
}

/// The answers of 200 runs with x = 5.
fn answers(body: &str) -> Vec<Value> {
    let inputs: Inputs = "x=5".parse().unwrap();
    let unproved = text(body).unproved_with(&[]).unwrap_or_else(|error| panic!("{body}: {error}"));
    let mut session = unproved.prepare(&inputs).unwrap();
    let mut found = Vec::new();
    let keep = |value| {
        found.push(value);
        true
    };
    session.runs_on_tape(200, &mut Tape::seeded(9), keep).unwrap();
    found
}

fn trues(body: &str) -> usize {
    answers(body).iter().filter(|value| **value == Value::Truth(true)).count()
}

#[test]
fn what_is_equal_is_found_equal() {
    for condition in [
        "y - y == 0",
        "(y + z) * (y - z) == y * y - z * z",
        "(y * y - z * z) / (y - z) == y + z",
        "exp(y) * exp(z) == exp(y + z)",
        "ln(3 * u) - ln(u) == ln(3)",
        "ln(2) + ln(3) == ln(6)",
        "x + y - 5 == y",
        "1/3 + 1/3 + y == 2/3 + y",
        "exp(clamp(x, -9, 9)) * exp(-clamp(x, -9, 9)) == 1",
        "max(y, z) + min(y, z) == y + z",
        "abs(y) * abs(y) == y * y",
        "clamp(y, y, y) == y",
        "(if y > z then y else z) == max(y, z)",
        // What both sides share, with factors.
        "y + z + x == z + 5 + y",
        "3 * (y + z) - y / 2 == 3 * z + 5 * y / 2",
        "y * z + x * y == z * y + 5 * y",
        "x - (z - y) == y + (5 - z)",
        "2 * exp(y) - z == exp(y) - (z - exp(y))",
        "y * (x - 5) == z * (5 - x)",
    ] {
        let body = format!("y ~ laplace(0, 1)\nz ~ gaussian(0, 2)\nu ~ uniform(0, 1)\nreturn {condition}");
        assert_eq!(trues(&body), 200, "{condition}");
    }
}

#[test]
fn what_differs_is_found_different() {
    for condition in [
        "y == z",
        "y - y == 1/1000000000000000000000",
        "exp(y) == y",
        "ln(u) == 1 - u",
        "ln(2) == 693147/1000000",
        "y + z + x == z + 6 + y",
        "y * z + x * y == z * y + 4 * y",
        "y / z == z / y",
        "y - z == z - y",
    ] {
        let body = format!("y ~ laplace(0, 1)\nz ~ gaussian(0, 2)\nu ~ uniform(0, 1)\nreturn {condition}");
        assert_eq!(trues(&body), 0, "{condition}");
    }
}

#[test]
fn a_draw_and_its_size_are_equal_half_the_time() {
    let found = trues("y ~ laplace(0, 1)\nreturn abs(y) == y");
    assert!((60..140).contains(&found), "{found}");
}

/// Around a center that no double holds, what is drawn decides: P(y > c) = 1/2, and P(|y − c| > 12) is below 10^−5.
#[test]
fn a_center_that_doubles_do_not_hold_counts() {
    let around = |condition: &str| trues(&format!("c = x * 1e300\ny ~ laplace(c, 1)\nreturn {condition}"));
    let found = around("y > c");
    assert!((60..140).contains(&found), "{found}");
    assert_eq!((around("y > c + 12"), around("y > c - 12"), around("y - c > y - c")), (0, 200, 0));
}

#[test]
fn two_clamped_draws_meet_at_the_bound() {
    // P(y > 1/3) = e^(−1/3)/2 = 0.358, so both are clamped above with 0.128, and both below 0 with 1/4.
    let body = "y ~ laplace(0, 1)\nz ~ laplace(0, 1)\nreturn clamp(y, 0, 1/3) == clamp(z, 0, 1/3)";
    let found = trues(body);
    assert!((45..110).contains(&found), "{found}");
}

#[test]
fn what_might_never_be_told_is_refused_for_all_inputs() {
    for condition in [
        "ln(exp(y)) == y + x - 5",
        "exp(ln(u)) > u",
        "ln(u * v) < ln(u) + ln(v)",
        "ln(u) * ln(v) > x",
        "ln(u) + exp(y) > x",
        "exp(exp(clamp(y, 0, 1))) > x",
        "max(ln(exp(y)), y) > 0",
        "abs(ln(exp(y)) - y) > 0",
        "floor(ln(exp(y))) > 0",
        "round_to(ln(exp(y)), 1) > 0",
        "1 / (ln(exp(y)) - y) > 0",
        "ln(ln(exp(y)) - y) > 0",
        "pow2_at_least(ln(exp(y))) > 0",
        "clamp(y, ln(exp(y)), 3) > 0",
        "x > ln(2) * ln(3)",
    ] {
        let body = format!(
            "y ~ laplace(0, 1)\nu ~ uniform(0, 1)\nv ~ uniform(0, 1)\nreturn y > u and v > 0 and {condition}"
        );
        let refused = text(&body).unproved_with(&[]);
        assert!(matches!(refused, Err(RunError::Refused { .. })), "{condition}: {refused:?}");
    }
    for body in [
        "y ~ laplace(0, 1)\nz ~ laplace(x, exp(exp(clamp(y, 0, 1))))\nreturn z > 0",
        "y ~ laplace(0, 1)\nb ~ bernoulli(ln(exp(y)))\nreturn b",
        "y ~ laplace(0, 1)\nz = ln(exp(y))\nwhile z > x {\nz = z - 1\n}\nreturn true",
    ] {
        assert!(matches!(text(body).unproved_with(&[]), Err(RunError::Refused { .. })), "{body}");
    }
}

#[test]
fn constants_are_computed_before_any_input_is_seen() {
    // Not one of the forms above, but numbers: bits tell them apart at once.
    assert_eq!(trues("y ~ laplace(0, 1)\nreturn ln(2) * ln(3) > 0.76 and y == y"), 200);
    // Probabilities and scales that are not rational are as good as others.
    let body =
        "b ~ bernoulli(exp(1) / (1 + exp(1)))\ny ~ laplace(x, 1 / ln(3))\nreturn b and clamp(y, 0, 100) >= 0";
    let found = trues(body);
    assert!((120..170).contains(&found), "{found}");
    // Equal, and not to be told by bits.
    let never = text("y ~ laplace(0, 1)\nreturn y > 0 and ln(2) * ln(9) == ln(4) * ln(3)").unproved_with(&[]);
    assert!(matches!(never, Err(RunError::Refused { .. })), "{never:?}");
}

#[test]
fn total_cases_are_those_of_the_kernel() {
    for (expr, expected) in [
        ("1 / (x - 5)", "0"),
        ("floor(ln(0 - x))", "0"),
        ("floor(ln(x - 5))", "0"),
        ("floor(x) mod (floor(x) - 5)", "0"),
        ("floor(x) mod (2 - floor(x))", "0"),
        ("(0 - floor(x)) mod 3", "1"),
        ("pow2_at_least(0 - x)", "0"),
        ("pow2_at_least(x)", "8"),
        ("round_to(x, x - 5)", "0"),
        ("round_to(x, 5 - x - 1)", "0"),
        ("round_to(x / 2, 1)", "2"),
        ("round_to(x / 2 + 1, 1)", "4"),
        ("floor(ln(x - 1) / ln(2))", "2"),
        ("round_to(ln(x - 4 + 1/32) / ln(33/32), 1)", "1"),
        ("round_to(ln(8) / ln(4 + x - 5), 1)", "2"),
        ("pow2_at_least(ln(x * x - 9) / ln(2))", "4"),
        ("clamp(x, 3, 1)", "3"),
        ("clamp(5, 3, 1)", "3"),
        ("abs(0 - x / 3)", "5/3"),
        ("if 1 / (x - 5) == 0 then x else 0", "5"),
    ] {
        let body = format!("b ~ bernoulli(1/2)\nreturn if b then {expr} else {expr}");
        assert!(
            answers(&body).iter().all(|value| value.to_string() == expected),
            "{expr}: {:?}",
            answers(&body)[0]
        );
    }
    // Reading outside a list, and a loop without iterations.
    let text = "mechanism m(q: real[])\nb ~ bernoulli(1/2)\nn = 0\nfor i in 3..1 {\nn = n + 1\n}\nout = []\n\
                append(out, q[n - 1])\nappend(out, q[1])\nappend(out, q[2])\nappend(out, n)\nreturn out\n\
                neighbours one entry of q differs by at most 1\nclaim 1";
    let unproved = Text::of(load_text(text).unwrap()).unproved_with(&[]).unwrap();
    let mut session = unproved.prepare(&"q=[3, 4]".parse().unwrap()).unwrap();
    session
        .runs_on_tape(3, &mut Tape::seeded(1), |value| {
            assert_eq!(value.to_string(), "[0, 4, 0, 0]");
            true
        })
        .unwrap();
}

#[test]
fn a_law_outside_its_range_has_no_answer() {
    for law in [
        "laplace(0, 5 - x)",
        "laplace(0, 4 - x)",
        "gaussian(0, 5 - x)",
        "exponential(5 - x)",
        "geometric(5 - x)",
        "discrete_laplace(0, 5 - x)",
        "discrete_gaussian(0, 5 - x)",
        "bernoulli(x)",
        "bernoulli(4 - x)",
        "uniform_int(floor(x), 2)",
        "uniform_other(0, floor(x) - 4)",
        "uniform_other(floor(x), 3)",
        "response(4 - floor(x), 1/2, 3)",
        "response(1, x, 3)",
    ] {
        let body = format!("y ~ {law}\nz = y\nreturn true");
        let unproved = text(&body).unproved_with(&[]).unwrap_or_else(|error| panic!("{law}: {error}"));
        let mut session = unproved.prepare(&"x=5".parse().unwrap()).unwrap();
        let error = session.runs_on_tape(1, &mut Tape::seeded(1), |_| true).unwrap_err();
        assert!(matches!(error, RunError::OutOfRange { .. }), "{law}: {error}");
    }
}

/// Inputs of 4,200 bits can come as close to a logarithm as their digits allow, and two of them closer: for no input does a comparison of
/// numbers that are not drawn come to no end, whatever is drawn beside them.
#[test]
fn numbers_that_are_not_drawn_are_told_apart_however_close_they_are() {
    let bits = 1190;
    let ln_2 = probity_exact::ln_bounds(&Rational::from(2), 3000).unwrap().0;
    let scale = Rational::from(2).pow(bits);
    let below = (ln_2 * &scale).floor();
    let near = [Rational::from(below.clone()) / &scale, Rational::from(below + Integer::ONE) / &scale];
    for (condition, expected) in [
        ("ln(x) > z", [true, false]),
        ("y - y + ln(x) > z", [true, false]),
        ("(ln(x) - z) * (y * y + 1) > 0", [true, false]),
        ("ln(x) * z > z * z", [true, false]),
        ("floor(1 / (ln(x) - z)) > 5", [true, false]),
        ("exp(clamp(z, 0, 1)) < x", [true, false]),
    ] {
        let text = format!(
            "mechanism m(x: real, z: real)\ny ~ laplace(0, 1)\nreturn {condition}\nneighbours any\nclaim 1"
        );
        let unproved = Text::of(load_text(&text).unwrap()).unproved_with(&[]).unwrap();
        for (z, expected) in near.iter().zip(expected) {
            let inputs =
                Inputs::new().with("x", Given::Number(Rational::from(2))).with("z", Given::Number(z.clone()));
            let mut session = unproved.prepare(&inputs).unwrap();
            let answer = session.run_exactly(&mut Tape::seeded(5));
            assert_eq!(answer, Ok(Value::Truth(expected)), "{condition}");
        }
    }
}

/// A tie of sums of many draws is found however long the sums are; products of such sums have too many terms to be compared, and are
/// refused, whatever the inputs.
#[test]
fn sums_of_many_draws_tie_and_their_products_are_refused() {
    let text = |condition: &str| {
        let text = format!(
            "mechanism m(x: real, q: real[])\ns = 0\nt = 1\nfor i in 0..length(q) {{\nw ~ laplace(q[i], 1)\n\
             s = s + w\nt = clamp(t + w, -1000000, 1000000)\n}}\nreturn {condition}\nneighbours any\nclaim 1"
        );
        Text::of(load_text(&text).unwrap()).unproved_with(&[])
    };
    for condition in
        ["s / 3 > s / 3 + x", "s > s + x", "s * x > s * x + x", "t > t + x", "2 * s - t > s - t + s + x"]
    {
        let unproved = text(condition).unwrap_or_else(|error| panic!("{condition}: {error}"));
        for (x, expected) in [("0", false), ("-1", true), ("1", false)] {
            let inputs = Inputs::new()
                .with("x", Given::Number(probity_exact::parse_rational(x).unwrap()))
                .with("q", Given::numbers((0..30_000).map(Rational::from)));
            let mut session = unproved.prepare(&inputs).unwrap();
            let mut found = None;
            session
                .runs_on_tape(1, &mut Tape::seeded(3), |value| {
                    found = Some(value);
                    true
                })
                .unwrap_or_else(|error| panic!("{condition}, {x}: {error}"));
            assert_eq!(found, Some(Value::Truth(expected)), "{condition}, {x}");
        }
    }
    for condition in
        ["s * s > s * s + x", "s * t > x", "s / (t + x) > s", "1 / s + 1 / t > x", "s * (s + 1) > x"]
    {
        let refused = text(condition);
        assert!(matches!(refused, Err(RunError::TooLarge { .. })), "{condition}: {refused:?}");
    }
    // As many terms as can be written out: a loop of so many turns, with a draw and a center in each.
    for (turns, runs) in [(60, true), (300, false)] {
        let text = format!(
            "mechanism m(x: real)\ns = 0\nfor i in 0..{turns} {{\nw ~ laplace(0, 1)\ns = w + s / 2\n}}\n\
             return s * s > s * s + x\nneighbours any\nclaim 1"
        );
        let unproved = Text::of(load_text(&text).unwrap()).unproved_with(&[]);
        assert_eq!(unproved.is_ok(), runs, "{turns}: {unproved:?}");
        if let Ok(unproved) = unproved {
            let mut session = unproved.prepare(&"x=0".parse().unwrap()).unwrap();
            session
                .runs_on_tape(2, &mut Tape::seeded(1), |value| {
                    assert_eq!(value, Value::Truth(false));
                    true
                })
                .unwrap();
        }
    }
}

/// Where products of draws cancel for some inputs, the comparison takes as many bits as without them: the normal form is enclosed, and not the nodes.
#[test]
fn what_cancels_takes_no_bits() {
    let unproved = text_of(
        "m(x: int, z: int)",
        "u ~ uniform(0, 1)\ny ~ exponential(1)\nreturn u + y * x * x * x - y * z * z * z > 1/3",
    );
    let bits_read = |x: &str| {
        let inputs: Inputs = Inputs::from_json(&format!("{{\"x\": {x}, \"z\": {x}}}")).unwrap();
        let mut session = unproved.prepare(&inputs).unwrap();
        let bits: Vec<bool> = (0..300).map(|at| at % 3 != 0).collect();
        let (value, read) =
            session.run_on_bits(&bits).unwrap().unwrap_or_else(|| panic!("{x}: 300 bits decide nothing"));
        assert_eq!(value, Value::Truth(true));
        read
    };
    assert_eq!(bits_read("0"), bits_read("1e60"));
    assert!(bits_read("0") < 20);
}

/// A tie that only a normal form tells goes to the even integer, also where an integer is left out to decide it.
#[test]
fn ties_of_products_go_to_the_even_integer() {
    let unproved =
        text_of("m(x: real)", "y ~ laplace(0, 1)\nreturn round_to((y + 1) * (y - 1) - y * y + x + 1, 1) - x");
    for (x, expected) in [
        ("x=1180591620717411303424.5", "-1/2"),
        ("x=1180591620717411303425.5", "1/2"),
        ("x=-1180591620717411303424.5", "1/2"),
        ("x=-1180591620717411303425.5", "-1/2"),
    ] {
        let mut session = unproved.prepare(&x.parse().unwrap()).unwrap();
        let value = session.run_exactly(&mut Tape::seeded(2)).unwrap();
        assert_eq!(value.to_string(), expected, "{x}");
    }
}

/// A root is held against rational numbers by squares, in either direction, beside and times other rational numbers.
#[test]
fn roots_meet_rational_numbers() {
    let unproved =
        |condition: &str| text_of("m(x: real, z: real)", &format!("y ~ laplace(0, 1)\nreturn {condition}"));
    for (condition, x, z, expected) in [
        ("sqrt(x) == z", "9", "3", true),
        ("sqrt(x) == z", "9", "-3", false),
        ("sqrt(x) == z", "1/9", "1/3", true),
        ("sqrt(x) > z", "1/9", "1/3", false),
        ("sqrt(x) > z", "1/9", "-1/3", true),
        ("1 - 2 * sqrt(x) / 3 == z", "9/4", "0", true),
        ("z < 1 - 2 * sqrt(x)", "1/16", "1/2", false),
        ("-sqrt(x) >= z", "2", "-1.41421356237309504880168872420969807856967187537694", false),
        ("-sqrt(x) >= z", "2", "-1.41421356237309504880168872420969807856967187537695", true),
        ("z * sqrt(x) == 0", "2", "0", true),
        ("(z - 1) * sqrt(x) == 0", "2", "1", true),
        // Closer than the first look tells, and on different sides of 0.
        ("sqrt(y * y - y * y + x * x) == z", "1e-200", "-1e-200", false),
        // No double lies between such a number below 0 and a root.
        ("sqrt(y * y - y * y + x * x) == z", "1e-340", "-1e-340", false),
        ("sqrt(x * x) > z", "1e-340", "-1e-340", true),
        ("sqrt(x * x) > z", "1e-340", "1e-340", false),
        ("sqrt(y * y - y * y + x * x) == z", "1e-200", "1e-200", true),
        (
            "floor(sqrt(x)) == z",
            "1000000000000000000000000000000000000000000000000000000000000",
            "1000000000000000000000000000000",
            true,
        ),
        (
            "floor(sqrt(x)) == z",
            "999999999999999999999999999999999999999999999999999999999999",
            "999999999999999999999999999999",
            true,
        ),
        ("round_to(sqrt(x), 1/2) == z", "1/16", "0", true),
        ("round_to(sqrt(x), 1/2) == z", "9/16", "1", true),
        // What is under the root is drawn, and the same on both sides.
        ("sqrt(y * y - y * y + x) == z", "4", "2", true),
        ("round_to(sqrt(y - y + x), 1) == z", "25/4", "2", true),
    ] {
        let inputs = Inputs::from_json(&format!("{{\"x\": \"{x}\", \"z\": \"{z}\"}}")).unwrap();
        let mut session = unproved(condition).prepare(&inputs).unwrap();
        let value = session.run_exactly(&mut Tape::seeded(5)).unwrap();
        assert_eq!(value, Value::Truth(expected), "{condition} {x} {z}");
    }
    // Roots of draws, rounded: as their squares say.
    let rounded = "v = max(y, 0) + x\nr = round_to(sqrt(v), 1/2)\nreturn (r - 1/4) * abs(r - 1/4) <= v and v <= (r + 1/4) * (r + 1/4)";
    let body = format!("y ~ laplace(0, 1)\n{rounded}");
    assert_eq!(trues(&body), 200);
    let mut session = text(&body).unproved_with(&[]).unwrap().prepare(&"x=1/3".parse().unwrap()).unwrap();
    for seed in 0..50 {
        assert_eq!(session.run_exactly(&mut Tape::seeded(seed)).unwrap(), Value::Truth(true), "{seed}");
    }
    // Against anything else it is refused, and it has no root of its own.
    for condition in [
        "sqrt(x) > y",
        "sqrt(x) > sqrt(z)",
        "sqrt(x) + ln(3) > z",
        "sqrt(sqrt(x)) > z",
        "ln(sqrt(x)) > z",
        "exp(sqrt(clamp(x, 0, 1))) > z",
        "z / sqrt(x) > 1",
        "sqrt(x) * sqrt(z) > 1",
    ] {
        let text = format!(
            "mechanism m(x: real, z: real)\ny ~ laplace(0, 1)\nreturn {condition}\nneighbours any\nclaim 1"
        );
        let refused = Text::of(load_text(&text).unwrap()).unproved_with(&[]);
        assert!(matches!(refused, Err(RunError::Refused { .. })), "{condition}: {refused:?}");
    }
}
