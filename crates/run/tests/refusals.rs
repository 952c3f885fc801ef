//! Every refusal by itself: texts that nothing but one condition stands against, so that each is missed when it is gone.

use crate::common;

use common::settings;
use probity_exact::Integer;
use probity_noise::entropy::tape::Tape;
use probity_run::{Cell, InputError, Inputs, Proved, RunError, Table};

fn refusal(text: &str) -> Option<RunError> {
    let loaded = Proved::load(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    loaded.unproved_with(&[]).err()
}

fn text(wheres: &str, body: &str) -> String {
    format!(
        "mechanism m(x: real, z: real, q: real[], k: int[])\n{wheres}\ny ~ laplace(0, 1)\nu ~ uniform(0, 1)\nv ~ uniform(0, 1)\n{body}\n\
         neighbours any\nclaim 1"
    )
}

/// Decisions whose answer nobody compares: each is made where it stands.
#[test]
fn every_decision_is_looked_at_where_it_is_made() {
    for body in [
        "a = 1 / (ln(exp(y)) - y)\nreturn true",
        "a = min(ln(exp(y)), y)\nreturn true",
        "a = max(ln(exp(y)), y)\nreturn true",
        "a = round_to(ln(exp(y)) - y, 1)\nreturn true",
        "a = clamp(1, ln(exp(y)) - y, 5)\nreturn true",
        // ln(u) · ln(2u) = 1 has no normal form, though each side has.
        "a = clamp(ln(u), -5, 1 / ln(2 * u))\nreturn true",
        "a = 1 / ln(2 * u)\nb = 1 / ln(2 * v)\nc = floor(a * b)\nreturn true",
        // A logarithm of a logarithm, and of a product of draws.
        "a = floor(ln(ln(x)))\nreturn true",
        "s ~ exponential(1)\nt ~ exponential(s)\nreturn ln(t) > x",
        // A center without a normal form gives none to the draw.
        "t ~ laplace(ln(exp(y)), 1)\nreturn t - t > x",
        // Numbers that would be told before any input is seen, were they not set where inputs decide, or twice, or in a list.
        "c = 0\nif x > 0 {\nd = ln(2) * ln(9)\nc = if d > ln(4) * ln(3) then 1 else 0\n}\nreturn c > 0",
        "c = ln(2) * ln(9)\nc = ln(4) * ln(9)\nreturn c > ln(8) * ln(3)",
        "l = []\nappend(l, ln(2) * ln(9))\nreturn l[0] > ln(4) * ln(3)",
    ] {
        let refused = refusal(&text("", body));
        assert!(matches!(refused, Some(RunError::Refused { .. })), "{body}: {refused:?}");
    }
    let refused = refusal(&text("where ln(ln(x)) > 1", "return y > x"));
    assert!(matches!(refused, Some(RunError::Refused { .. })), "{refused:?}");
}

/// Numbers whose size matters where they stand, also if nobody asks for them later.
#[test]
fn every_size_is_looked_at_where_it_is_computed() {
    let ten = ["z"; 10].join(" * ");
    for body in [
        "a = exp(exp(exp(5)))\nreturn true".to_owned(),
        "a = exp(clamp(x, -30000, 30000))\nreturn true".to_owned(),
        "return exp(x)".to_owned(),
        // The guard is looked at again with what the body leaves.
        "s = y\nwhile s * s * s * s > 1 {\nb ~ bernoulli(1 / 2)\ns = y * z * z * z * z\n}\nreturn true".to_owned(),
        // Divisors of each entry's own.
        "s = 0\nfor i in 0..length(k) {\ns = s + 1 / k[i]\n}\nreturn y * s > x".to_owned(),
        "s = 0\nfor i in 0..length(k) {\ns = s + 1 / k[i]\n}\nreturn s > x".to_owned(),
        "s = 0\nfor i in 0..length(q) {\ns = s + 1 / clamp(q[i], 1, 2)\n}\nreturn s > x".to_owned(),
        "s = 0\nfor i in 0..length(q) {\ns = s + q[i]\n}\nt = 0\nfor i in 0..length(q) {\nt = t + s * q[i]\n}\nreturn true".to_owned(),
        format!("a = min(y * {ten}, u * {ten})\nreturn true"),
        format!("return y * {ten} > u * {ten}"),
        format!("a = clamp(y * {ten}, u * {ten}, u * {ten})\nreturn true"),
        format!("a = round_to(y * {ten}, u * {ten})\nreturn true"),
        // The quotient alone: neither the number nor the grid is too large, nor what comes out.
        format!("a = round_to(y * {ten}, z * z * z * z)\nreturn true"),
        format!("t ~ laplace(0, {ten} * {ten} * z * z * z * z * z * z * z * z)\nreturn true"),
        // Below 2^15 bits before the point, and below it, and above both together: that counts where it is decided.
        format!("a = floor(y * {ten} * z * z * z * z)\nreturn true"),
        format!("a = abs(y * {ten} * z * z * z * z)\nreturn true"),
        format!("a = ln(y * {ten} * z * z * z * z)\nreturn true"),
        format!("a = 1 / (y * {ten} * z * z * z * z)\nreturn true"),
        format!("a = round_to(1, y * {ten} * z * z * z * z)\nreturn true"),
        format!("a = max(0, y * {ten} * z * z * z * z)\nreturn true"),
        format!("a = clamp(y * {ten} * z * z * z * z, 0, 1)\nreturn true"),
        format!("return y * {ten} * z * z * z * z > 0"),
        format!("t ~ laplace(0, y * {ten} * z * z * z * z)\nreturn true"),
        format!("return y * {ten} * z * z * z * z"),
        // A root is as close to a number as its digits and those before its point say together.
        format!("return sqrt({ten} * z * z * z * z) > x"),
        format!("a = y * {}\nreturn true", ["k[0]"; 28].join(" * ")),
        // Squared again and again: digits of numbers, and of divisors, without a bit before the point.
        "a = clamp(round_to(y, 1/1024), 0, 1/2)\nfor i in 0..18 {\na = a * a\n}\nreturn true".to_owned(),
        "a = 0.5 / clamp(k[0], 1, 150)\nfor i in 0..28 {\na = a * a\n}\nreturn true".to_owned(),
        "a = 1/2 / clamp(k[0], 1, 150)\nfor i in 0..18 {\na = a * a\n}\nreturn true".to_owned(),
        "a = u\nfor i in 0..64 {\na = a * a * z * clamp(1/2, 0, 1/2)\n}\nt ~ laplace(a, 1)\nreturn t > 0".to_owned(),
        "a = u / 2\nfor i in 0..64 {\na = a * a\n}\nt ~ laplace(a, 1)\nreturn t > 0".to_owned(),
    ] {
        let refused = refusal(&text("", &body));
        assert!(matches!(refused, Some(RunError::TooLarge { .. })), "{body}: {refused:?}");
    }
    let refused = refusal(&text("where exp(x) > 1", "return y > x"));
    assert!(matches!(refused, Some(RunError::TooLarge { .. })), "{refused:?}");
    // A product of 1024 fields in the condition of a sum that is computed before anything is drawn.
    let many = (0..10).fold("r.x".to_owned(), |half, _| format!("({half}) * ({half})"));
    let text = format!(
        "mechanism m(people: rows(x: int))\nm ~ discrete_laplace(count(r in people where {many} > 0), 1)\nreturn m\n\
         neighbours one row of people is added or removed\nclaim 1"
    );
    let table = Table { header: vec!["x".into()], rows: vec![] };
    let refused = Proved::load(&text).unwrap().with_table("people", table).unproved_with(&[]);
    assert!(matches!(refused, Err(RunError::TooLarge { .. })), "{refused:?}");
}

/// What draws share is gone when two numbers are compared, and what is left may be inputs against a logarithm: for as many bits as a sum over a list asks.
#[test]
fn what_is_left_without_draws_is_bounded() {
    let sum = "s = 0\nfor i in 0..length(q) {\ns = s + q[i]\n}\n";
    let ten = ["k[0]"; 10].join(" * ");
    for body in [
        "return y + s > y + ln(2)",
        "return s > ln(x)",
        "return s > exp(clamp(x, 0, 1))",
        "return s * 2 - ln(2) * 3 - y > u - y - u",
        "a = max(y + s, y + ln(2))\nreturn true",
        "a = abs(y + s - y - ln(2))\nreturn true",
        "a = floor(y + s - ln(2) - y)\nreturn true",
        "a = round_to(y + s - ln(2) - y, 1)\nreturn true",
        "a = pow2_at_least(y + s - ln(2) - y)\nreturn true",
        "a = clamp(y, s, ln(2))\nreturn true",
        "a = clamp(y, ln(2), s)\nreturn true",
        "a = max(y, ln(2))\nreturn a > s",
        "a = if x > 0 then y else ln(2)\nreturn a > s",
        "a = y\nif x > 0 {\na = ln(2)\n}\nreturn a > s",
        "a = []\nappend(a, y + s)\nappend(a, y + ln(2))\nreturn a[0] > a[1]",
        "a = []\nappend(a, y + s)\nappend(a, y + ln(2))\nc ~ permute_and_flip(a, 1)\nreturn c",
        "t ~ laplace(s, 1)\nreturn t - t + s > ln(2)",
        "t ~ laplace(s, 1)\nv ~ laplace(t, 1)\na = floor(v - v + s - ln(2))\nreturn true",
        "t ~ laplace(0, y + s)\nreturn t * t > t * y + t * ln(2)",
        // 0 in the place of a draw.
        "return x * y + s > ln(2)",
        "return y / x + s > ln(2)",
        "return ln(y) + s > ln(2)",
        "return s + y * (x - x) > ln(2)",
        "a = []\nappend(a, y)\nreturn s + a[5] > ln(2)",
        "t = 0\nfor i in 0..length(k) {\nt = t - y\n}\nreturn t + s > ln(2)",
        "t = y\nfor i in 0..length(k) {\nt = t - y\n}\nreturn t + s > ln(2)",
        // What did not count beside a draw is the factor of another.
        "return (y + s) * u > (y + z) * u",
        "return (x * y + s) * u > 0",
        "return (y + s) / (y + z) > 1",
        "return y * y + y + s - y * (y + 1) > ln(2)",
        "return exp(y + clamp(s, 0, 1) - y) > 2",
        "return exp(y + clamp(s, 0, 1)) * exp(-y) > 2",
        "a = ln(y + s)\nb = ln(y + z)\nreturn a > b",
    ] {
        let refused = refusal(&text("where 0 <= x <= 1", &format!("{sum}{body}")));
        assert!(matches!(refused, Some(RunError::TooLarge { .. })), "{body}: {refused:?}");
    }
    // As many bits as an exponent has below the point, or the argument of a logarithm before it.
    for body in [
        format!("a = clamp({}, 0, 1)\nreturn exp(a) > 2", ["z"; 28].join(" * ")),
        format!("a = {ten} * {ten} * {ten}\nreturn ln(max(a, 1)) > z"),
    ] {
        let refused = refusal(&text("", &body));
        assert!(matches!(refused, Some(RunError::TooLarge { .. })), "{body}: {refused:?}");
    }
    // Where a draw stays, or only rational numbers are left, or few inputs are compared, such texts run.
    for body in [
        "return y + s > ln(2)",
        "return y + s > u + ln(2)",
        "return y + s > y + z",
        "return s > z",
        "return y + z > y + ln(2)",
        "return max(y, 0) > s",
        "a = clamp((s + y) / max(1, z + u), 0, 100)\nreturn a > v",
        "a = clamp((s + y) / max(1, z + u), 0, 100)\nreturn a > 50",
        "a = max(0, y + s)\nreturn (a + u) * 2 > x",
        "t ~ laplace(s, exp(x))\nreturn t > ln(2)",
        "t = 0\nfor i in 0..length(k) {\nw ~ laplace(q[i], 1)\nt = t + w\n}\nreturn t > s",
        "return (y + s) * (u + s) > 1",
        "return y * y + s > x",
        "return exp(y) + s > x",
        "return (y + z) * u > (y + x) * u",
        "return y * y * y + z > y * y * y + ln(2)",
    ] {
        let refused = refusal(&text("where 0 <= x <= 1", &format!("{sum}{body}")));
        assert_eq!(refused, None, "{body}");
    }
}

/// What is computed and not decided may come as close to other numbers as it likes, sums may be of several lists or of products, and what the text
/// assumes of inputs and rows bounds them.
#[test]
fn what_is_bounded_runs() {
    let ten = ["z"; 10].join(" * ");
    let sum = |term: &str| format!("s = 0\nfor i in 0..length(q) {{\ns = s + {term}\n}}\n");
    for (wheres, body) in [
        ("", format!("a = y * {ten} * z * z * z * z\nt ~ laplace(a, 1)\nreturn t > x")),
        ("", format!("return sqrt({ten} * z * z * z) > x")),
        ("", format!("{}return s > x", sum("q[i] * q[i]"))),
        ("", format!("{}t = s\n{}return s + t > x", sum("q[i]"), sum("q[i]"))),
        (
            "",
            format!(
                "w = 0\nfor j in 0..3 {{\n{}g ~ laplace(s, 1)\nw = w - g / 10\n}}\nreturn w > x",
                sum("clamp((w * q[i] - 1) * q[i], -1, 1)")
            ),
        ),
        // Added once, and not as often as there are turns.
        ("", "h = (exp(1) + 1) / (exp(1) - 1)\nc = y * h\nif c > x {\nc = c + h\n}\nreturn c > z".into()),
        ("where 0 <= x <= 1", "b ~ bernoulli(exp(x) / (1 + exp(x)))\nreturn b".into()),
        ("where abs(x) <= 20", "return exp(x) * u > 1".into()),
    ] {
        assert_eq!(refusal(&text(wheres, &body)), None, "{wheres} {body}");
    }
    for wheres in ["where x <= 1", "where 0 <= x", "where 0 <= x and z <= 1", "where 0 <= x <= 100000"] {
        let refused = refusal(&text(wheres, "b ~ bernoulli(exp(x) / (1 + exp(x)))\nreturn b"));
        assert!(matches!(refused, Some(RunError::TooLarge { .. })), "{wheres}: {refused:?}");
    }
    // What is assumed is checked by itself, before it bounds anything.
    let refused = refusal(&text("where 0 <= x <= 1\nwhere exp(x) > 1", "return y > x"));
    assert!(matches!(refused, Some(RunError::TooLarge { .. })), "{refused:?}");
    let over = |sort: &str, sum: &str| {
        refusal_of_table(&format!(
            "mechanism m(people: rows(x: real, n: {sort}))\ny ~ laplace(sum(r in people, {sum}), 1)\nreturn floor(y)\n\
             neighbours one row of people is added or removed\nclaim 1"
        ))
    };
    assert_eq!(over("int in [1, 150]", "r.x / r.n"), None);
    assert!(matches!(over("int", "r.x / r.n"), Some(RunError::TooLarge { .. })));
    // An entry of a list of which something is assumed.
    let list = |bounds: &str| {
        refusal(&format!(
            "mechanism m(q: real[]{bounds})\nout = []\nfor i in 0..length(q) {{\nb ~ bernoulli(1 / (1 + exp(q[i])))\nappend(out, b)\n}}\n\
             return out\nneighbours any\nclaim 1"
        ))
    };
    assert_eq!(list(" in [-1, 1]"), None);
    assert!(matches!(list(""), Some(RunError::TooLarge { .. })));
}

fn refusal_of_table(text: &str) -> Option<RunError> {
    let table = Table { header: vec!["x".into(), "n".into()], rows: vec![] };
    Proved::load(text).unwrap().with_table("people", table).unproved_with(&[]).err()
}

#[test]
fn lists_have_entries_of_their_type() {
    let unproved = Proved::load(&text("", "return y > x")).unwrap().unproved_with(&[]).unwrap();
    let given =
        |q: &str, k: &str| Inputs::from_json(&format!("{{\"x\": 1, \"z\": 2, \"q\": {q}, \"k\": {k}}}"));
    assert!(unproved.prepare(&given("[1, \"1/3\"]", "[1, true]").unwrap()).is_ok());
    for (q, k) in
        [("[1, true]", "[1]"), ("[[1]]", "[1]"), ("[1]", "[\"1/2\"]"), ("[1]", "[[1]]"), ("1", "[1]")]
    {
        let error = unproved.prepare(&given(q, k).unwrap()).unwrap_err();
        assert!(matches!(error, RunError::Input(InputError::WrongType { .. })), "{q} {k}: {error}");
    }
    for malformed in ["[1] 2", "[[[[[1]]]]]", "[1,", "nan"] {
        let read = given(malformed, "[1]");
        assert!(matches!(read, Err(InputError::Malformed { .. })), "{malformed}: {read:?}");
    }
    let twice = Inputs::from_json("{\"x\": 1, \"x\": 2}");
    assert!(matches!(twice, Err(InputError::Repeated { .. })), "{twice:?}");
}

/// A sum with a divisor of each row's own is refused for all tables, unless the divisor is short: the sum's denominator has all of them.
#[test]
fn sums_of_quotients_have_short_divisors() {
    let ready = |sum: &str| {
        let text = format!(
            "mechanism m(people: rows(x: real, n: int))\ny ~ laplace(sum(r in people, {sum}), 1)\nreturn floor(y)\n\
             neighbours one row of people is added or removed\nclaim 1"
        );
        let rows = (0..3).map(|n| vec!["0.5".to_owned(), n.to_string()]).collect();
        let table = Table::of_texts(vec!["x".into(), "n".into()], rows);
        Proved::load(&text).unwrap().with_table("people", table).unproved_with(&[]).map(drop)
    };
    for fine in [
        "r.x / clamp(r.n, 1, 1000000)",
        "clamp(r.x / clamp(r.n, 1, 150), 0, 1)",
        "round_to(r.x / r.n, 1/1000)",
        "r.x / round_to(clamp(r.x, 1, 100), 1/100)",
        "floor(r.x / r.n)",
        "r.x / 3",
    ] {
        assert_eq!(ready(fine), Ok(()), "{fine}");
    }
    for long in ["r.x / r.n", "clamp(r.x / r.n, 0, 1)", "1 / clamp(r.x, 1, 2)", "r.x / clamp(r.n, 1, 2^257)"]
    {
        let long = long.replace("2^257", &(Integer::ONE << 257).to_string());
        let refused = ready(&long);
        assert!(matches!(refused, Err(RunError::TooLarge { .. })), "{long}: {refused:?}");
        assert!(refused.unwrap_err().hint().unwrap().contains("round what divides"), "{long}");
    }
}

/// What a row is worth, field by field: rows are counted without noise to speak of.
#[test]
fn fields_are_of_their_type() {
    let count = |sort: &str, cell: Cell| {
        let text = format!(
            "mechanism m(people: rows(x: {sort}))\nm ~ discrete_laplace(count(r in people), 1 / 1000)\nreturn m\n\
             neighbours one row of people is added or removed\nclaim 1000"
        );
        let table = Table { header: vec!["x".into()], rows: vec![vec![cell]] };
        let proved = Proved::load(&text).unwrap().with_table("people", table).with(&settings("")).unwrap();
        let mut entropy = probity_noise::entropy::SecureEntropy::new().unwrap();
        proved.run(&Inputs::new(), &mut entropy).unwrap().to_string() == "1"
    };
    let text = |text: &str| Cell::Text(text.to_owned());
    for (sort, cell, counts) in [
        ("category(3)", text("0"), true),
        ("category(3)", text("2"), true),
        ("category(3)", text("3"), false),
        ("category(3)", text("-1"), false),
        ("category(3)", text("0.5"), false),
        ("int", text("7"), true),
        ("int", text("7.5"), false),
        ("int", text("14/2"), false),
        ("int", text(""), false),
        ("real", text("7.5"), true),
        ("real", text("1e361"), true),
        ("real", text("1e362"), false),
        // 10^N is not computed to see that it is too long.
        ("real", text("0e400"), true),
        ("real", text("0e401"), false),
        ("real", text("0e-401"), false),
        ("real", text(&"1".repeat(361)), true),
        ("real", text(&"1".repeat(363)), false),
        ("real", text(&format!("7.{}", "0".repeat(398))), true),
        ("real", text(&format!("7.{}", "0".repeat(399))), false),
        ("bool", text("t"), true),
        ("bool", text("yes"), false),
        ("bool", Cell::Number(1.into()), true),
        ("bool", Cell::Number(2.into()), false),
        ("int", Cell::Truth(true), false),
    ] {
        assert_eq!(count(sort, cell.clone()), counts, "{sort} {cell:?}");
    }
}

/// What has no other check: a grid for an output that might be a multiple of it for ever, and a column that is there twice.
#[test]
fn grids_and_columns() {
    let unproved = Proved::load(&text("", "return ln(exp(y))")).unwrap().unproved_with(&[]).unwrap();
    let refused = unproved.on_grid(1.into());
    assert!(matches!(refused, Err(RunError::Refused { .. })), "{refused:?}");
    let twice = Table { header: vec!["x".into(), "x ".into()], rows: vec![] };
    let text = "mechanism m(people: rows(x: int))\nm ~ discrete_laplace(count(r in people), 1)\nreturn m\n\
                neighbours one row of people is added or removed\nclaim 1";
    let refused = Proved::load(text).unwrap().with_table("people", twice).unproved_with(&[]);
    assert!(matches!(refused, Err(RunError::Column { twice: true, .. })), "{refused:?}");
}

/// The answer of a text without noise.
fn answer(text: &str, inputs: &str) -> String {
    let unproved = Proved::load(text).unwrap().unproved_with(&[]).unwrap();
    let mut session = unproved.prepare(&inputs.parse().unwrap()).unwrap();
    let mut found = String::new();
    let keep = |value: probity_run::Value| {
        found = value.to_string();
        true
    };
    session.runs_on_tape(1, &mut Tape::seeded(1), keep).unwrap();
    found
}

/// Doubles of 2^52 and more leave no bit for a fraction, and rounding by them is not to be believed.
#[test]
fn large_numbers_are_rounded_exactly() {
    let real = "mechanism m(x: real)\nreturn round_to(x, 1)\nneighbours any\nclaim 1";
    let whole = "mechanism m(x: int)\nreturn round_to(x, 3)\nneighbours any\nclaim 1";
    for x in ["4503599627370497", "-4503599627370497", "9007199254740993", "13510798882111491"] {
        assert_eq!(answer(real, &format!("x={x}")), x);
    }
    // 3 · (2^51 + 1), whose third is a double.
    assert_eq!(answer(whole, "x=6755399441055747"), "6755399441055747");
}

/// Words that begin a uniform real right at the edge between two answers: the next word decides, and no double may.
#[test]
fn at_an_edge_the_next_word_decides() {
    let drawn = |law: &str, words: &[u64]| {
        let text = format!(
            "mechanism m(x: real)\nl = []\nfor i in 0..3 {{\nappend(l, x)\n}}\ny ~ {law}\nreturn y\nneighbours any\nclaim 1"
        );
        let unproved = Proved::load(&text).unwrap().unproved_with(&[]).unwrap();
        let mut session = unproved.prepare(&"x=0".parse().unwrap()).unwrap();
        let mut found = String::new();
        let keep = |value: probity_run::Value| {
            found = value.to_string();
            true
        };
        let filled: Vec<u64> = words.iter().copied().chain([words[words.len() - 1]; 600]).collect();
        session.runs_on_tape(1, &mut Tape::of_words(filled), keep).unwrap();
        found
    };
    // U = 1/3 up to 2^-64, below and above.
    for (next, expected) in [(0, "0"), (u64::MAX, "1")] {
        assert_eq!(drawn("uniform_int(0, 2)", &[0x5555_5555_5555_5555, next]), expected);
    }
    for (next, expected) in [(0, "true"), (u64::MAX, "false")] {
        assert_eq!(drawn("bernoulli(1/3)", &[0x5555_5555_5555_5555, next]), expected);
    }
    // A choice among three scores alike, in its first third up to 2^-66: both ends of what is known must choose the same.
    let choice = "choose(l, 1)";
    for (next, expected) in [(0, "0"), (u64::MAX, "1")] {
        assert_eq!(drawn(choice, &[1 << 62, 0x5555_5555_5555_5555, next]), expected);
    }
    // U = 1/e up to 2^-66: -ln U is above 1, and below.
    for (next, expected) in [(0, "1"), (u64::MAX, "0")] {
        assert_eq!(drawn("geometric(1)", &[1 << 62, 8697967531365989482, next]), expected);
    }
}

/// What may be 0 by its double, and is not, is no divisor that doubles decide with.
#[test]
fn a_quotient_by_a_number_next_to_0_is_decided_exactly() {
    let text = "mechanism m(x: real)\nreturn 1 / (x - 1/3) > 1e20\nneighbours any\nclaim 1";
    let beside = |digits: usize, last: u8| format!("x=0.{}{last}", "3".repeat(digits));
    for (x, expected) in [(beside(300, 4), "true"), (beside(300, 3), "false"), ("x=0.334".into(), "false")] {
        assert_eq!(answer(text, &x), expected, "{x}");
    }
}

/// A tie goes to the even integer also where an even part of the number is left out to decide it: 2^70 + 1/2 and 2^70 + 3/2, and below 0.
#[test]
fn ties_of_large_numbers_go_to_the_even_integer() {
    let text =
        "mechanism m(x: real)\ny ~ laplace(0, 1)\nreturn round_to(y - y + x, 1) - x\nneighbours any\nclaim 1";
    for (x, expected) in [
        ("x=1180591620717411303424.5", "-1/2"),
        ("x=1180591620717411303425.5", "1/2"),
        ("x=-1180591620717411303424.5", "1/2"),
        ("x=-1180591620717411303425.5", "-1/2"),
    ] {
        assert_eq!(answer(text, x), expected, "{x}");
    }
}

/// A chain of operations can lose any number of bits for some inputs, as x^26 − z^26 where both are large, or a number that is doubled in each turn of
/// a loop. Numbers that part are told apart all the same, and nothing fails for such inputs alone.
#[test]
fn what_a_chain_of_operations_loses_depends_on_inputs_and_fails_for_none() {
    let power = |name: &str, times: usize| vec![name; times].join(" * ");
    let text = format!(
        "mechanism m(x: int, z: int, w: int, v: real)\nr ~ laplace(0, 1)\ny ~ laplace(0, 1)\nu ~ uniform(0, 1)\n\
         t = clamp(r + y * {} - y * {}, -1, 2)\nreturn (t - clamp(r, -1, 2)) * {} + u * clamp(v, 0, 1) > 0\nneighbours any\nclaim 1",
        power("x", 26),
        power("z", 26),
        power("w", 24)
    );
    for x in ["1", "1e300"] {
        let inputs =
            Inputs::from_json(&format!("{{\"x\": {x}, \"z\": {x}, \"w\": 1e300, \"v\": 1e-300}}")).unwrap();
        let unproved = Proved::load(&text).unwrap().unproved_with(&[]).unwrap();
        let mut session = unproved.prepare(&inputs).unwrap();
        let mut found = Vec::new();
        let keep = |value: probity_run::Value| {
            found.push(value.to_string());
            true
        };
        session.runs_on_tape(3, &mut Tape::seeded(4), keep).unwrap();
        assert_eq!(found, ["true", "true", "true"], "{x}");
    }
    let text = "mechanism m(n: int)\nu ~ uniform(0, 1)\nfor i in 0..n {\nu = clamp(2 * u - floor(2 * u), 0, 1)\n}\n\
                return u > 1/3\nneighbours any\nclaim 1";
    for n in [10, 400] {
        assert!(["true", "false"].contains(&answer(text, &format!("n={n}")).as_str()), "{n}");
    }
}
