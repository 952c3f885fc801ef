//! What is refused and where, inverse questions, curves, groups and replacement.

use crate::common;

use std::collections::BTreeMap;

use common::{ask, general, laws, number, question, tried};
use probity_account::{
    Adjacency, Bracket, Calibrated, Composition, Effort, Expression, Law, Question, account, calibrate,
    out_of_reach, profile,
};
use probity_exact::Rational;

fn refusal(text: &str) -> String {
    let shown = |fault: probity_account::Fault| {
        let (from, to) = fault.span;
        assert!(from <= to && to <= text.len(), "{fault:?}");
        format!("{} at '{}'", fault.message, &text[from..to])
    };
    match Expression::parse(text) {
        Err(fault) => shown(fault),
        Ok(expression) => match expression.evaluate(&BTreeMap::new(), &|_| Err("no proof".into())) {
            Err(fault) => shown(fault),
            Ok(laws) => {
                let effort = Effort { seconds: 5.0, ..Effort::default() };
                account(&laws, Adjacency::AddRemove, &question("delta", "1e-6"), &effort).unwrap_err()
            }
        },
    }
}

#[test]
fn nonsense_is_refused_with_its_place() {
    for (text, message, place) in [
        ("gaussian(0)", "must be more than 0", "'0'"),
        ("gaussian(-1) * 3", "must be more than 0", "'-1'"),
        ("laplace(1, sensitivity = 0)", "must be more than 0", "'0'"),
        ("poisson(3/2, gaussian(1))", "lies between 0 and 1", "'3/2'"),
        ("poisson(-1, gaussian(1))", "lies between 0 and 1", "'-1'"),
        ("approx(1, 1)", "less than 1", "'1'"),
        ("response(2, 1/3)", "at least 1/2", "'1/3'"),
        ("response(5/2, 1/2)", "whole", "'5/2'"),
        ("gaussian(1) * 5/2", "no number of copies", "'2'"),
        ("gaussian(1) * -1", "no number of copies", "'-1'"),
        ("gaussian(1) * 1e30", "no number of copies", "'1e30'"),
        ("gauss(1)", "there is no law 'gauss'", "'gauss'"),
        ("gaussian(1, 2)", "takes 1 argument", "'gaussian(1, 2)'"),
        ("gaussian(1", "a ')' is missing before the end", "''"),
        ("gaussian(1) + ", "missing before the end", "''"),
        ("gaussian(1) gaussian(2)", "should end before 'gaussian'", "'gaussian'"),
        ("gaussian(1) - pure(1)", "cannot be taken back", "'pure(1)'"),
        ("gaussian(1) + 3", "cannot be added", "'gaussian(1) + 3'"),
        ("pure(1) * pure(2)", "'*' counts copies", "'pure(2)'"),
        ("1/0 * pure(1)", "division by 0", "'0'"),
        ("gaussian(s)", "s has no value", "'s'"),
        ("gaussian", "has no arguments", "'gaussian'"),
        ("text(\"m.dp\", eps = 1)", "no proof", "'text(\"m.dp\", eps = 1)'"),
        ("text(m)", "in quotes", "'text(m)'"),
        ("pure(1) ; pure(2)", "has no meaning", "';'"),
        ("discrete_laplace(1, sensitivity = 1/2)", "whole sensitivity", "'1/2'"),
        ("group(0, pure(1))", "no size of a group", "'0'"),
        ("7", "a law is wanted", "'7'"),
        ("", "missing before the end", "''"),
    ] {
        let found = refusal(text);
        assert!(found.contains(message) && found.ends_with(&format!("at {place}")), "{text}: {found}");
    }
    // A place far inside a long text, after characters of several bytes.
    let long = format!("{} + pure(1)é + pure(2)", vec!["pure(1/7)"; 5000].join(" + "));
    let fault = Expression::parse(&long).unwrap_err();
    assert!(fault.message.contains("should end before 'é'"), "{fault}");
    let shown = fault.shown(&long);
    assert!(shown.lines().all(|line| line.chars().count() <= 101) && shown.contains("pure(1)é"), "{shown}");
    let deep = format!("{}pure(1){}", "(".repeat(10_000), ")".repeat(10_000));
    assert!(refusal(&deep).contains("nested too deeply"));
    assert!(refusal("poisson(1/2, response(2, 3/4))").contains("is refused"));
    assert!(refusal("poisson(1/2, pure(1) + laplace(2))").contains("takes one law"));
}

#[test]
fn bad_questions_are_refused() {
    let ask = |question| account(&laws("pure(1)"), Adjacency::AddRemove, &question, &Effort::default());
    for (question, message) in [
        (Question::Epsilon(Rational::ONE), "less than 1"),
        (Question::Epsilon(number("-1e-5")), "at least 0"),
        (Question::Delta(number("-1")), "at least 0"),
    ] {
        assert!(ask(question).unwrap_err().contains(message));
    }
    let none = account(
        &laws("gaussian(1)"),
        Adjacency::AddRemove,
        &Question::Epsilon(Rational::ZERO),
        &Effort::default(),
    );
    assert!(none.unwrap_err().contains("delta = 0"));
}

#[test]
fn what_costs_nothing_costs_nothing() {
    for text in [
        "pure(0) * 1000",
        "gaussian(1) * 0",
        "poisson(0, gaussian(1)) * 10",
        "response(4, 1/4)",
        "rho(0) + mu(0)",
    ] {
        let answer = ask(text, "delta", "1e-9", &Effort::default());
        assert_eq!(answer.bracket, Bracket { lower: Rational::ZERO, upper: Some(Rational::ZERO) }, "{text}");
    }
}

#[test]
fn inverse_questions_are_answered_on_the_safe_side() {
    let effort = Effort { width: 1e-3, ..Effort::default() };
    for (text, target) in
        [("gaussian(S) * 50", "1"), ("pure(S) * 20", "1"), ("laplace(S) * 3 + pure(1/10)", "2")]
    {
        let family = |s: &Rational| Ok(laws(&text.replace('S', &s.to_string())));
        let found =
            calibrate(&family, Adjacency::AddRemove, &number("1e-5"), &number(target), &effort).unwrap();
        let epsilon = ask(&text.replace('S', &found.value.to_string()), "delta", "1e-5", &effort).bracket;
        assert!(epsilon.upper.unwrap() <= number(target), "{text} {found:?}");
        assert!(
            found.lower <= found.upper && (&found.upper - &found.lower) / &found.upper < number("1e-2"),
            "{text} {found:?}"
        );
        assert_eq!(found.grows, text.starts_with("pure"));
    }
    let family = |n: &Rational| match n.is_int() {
        true => Ok(laws(&format!("pure(1/10) * {n}"))),
        false => Err("copies are whole".to_owned()),
    };
    let found = calibrate(&family, Adjacency::AddRemove, &number("1e-6"), &number("1"), &effort).unwrap();
    let at = |n: &Rational| ask(&format!("pure(1/10) * {n}"), "delta", "1e-6", &effort).bracket;
    assert!(at(&found.value).upper.unwrap() <= Rational::ONE);
    assert!(at(&(&found.value + Rational::ONE)).lower > Rational::ONE && found.grows);
}

fn target(text: &str, name: &str, delta: &str, target: &str) -> Result<Calibrated, String> {
    let parsed = Expression::parse(text).unwrap();
    let family = |value: &Rational| {
        let names = BTreeMap::from([(name.to_owned(), value.clone())]);
        parsed.evaluate(&names, &|_| Err("no files here".into())).map_err(|fault| fault.to_string())
    };
    let effort = Effort { width: 1e-3, ..Effort::default() };
    calibrate(&family, Adjacency::AddRemove, &number(delta), &number(target), &effort)
}

/// A probability of at least 1/2 and less than 1: the loss is nothing at one end and has no bound at the other.
#[test]
fn a_parameter_of_a_short_range_is_found() {
    for (target_epsilon, least, most) in
        [("1", "0.7310", "0.7330"), ("1/2", "0.6224", "0.6240"), ("5", "0.9930", "0.9945")]
    {
        let found = target("response(2, p)", "p", "1e-3", target_epsilon).unwrap();
        assert!(found.grows && found.lower >= number(least) && found.upper <= number(most), "{found:?}");
        assert!(found.epsilon.upper.unwrap() <= number(target_epsilon));
    }
    // Beyond 1/1000 too much is told, and up to there the loss is 1 or hardly less.
    let found = target("approx(1, d)", "d", "1e-3", "2").unwrap();
    assert!(found.grows && found.value <= number("1e-3") && found.value > number("99e-5"), "{found:?}");
    let reason = target("approx(1, d)", "d", "1e-3", "1/2").unwrap_err();
    assert!(reason.contains("no value of the parameter") && reason.contains("0.998"), "{reason}");
    let reason = target("pure(1) + group(2, pure(p - p))", "p", "1e-3", "1/2").unwrap_err();
    assert!(reason.contains("about 0.998") && reason.contains("another one"), "{reason}");
    // At q = 1 a sample is everything.
    let reason = target("poisson(q, laplace(1))", "q", "1e-3", "100").unwrap_err();
    assert!(reason.contains("values of the parameter end before epsilon is 100"), "{reason}");
}

/// Categories, records and copies are whole numbers; with more of them the loss may also be less.
#[test]
fn whole_numbers_are_searched_as_such() {
    let at = |found: &Calibrated| (found.lower.to_string(), found.upper.to_string(), found.grows);
    let found = target("response(k, 3/4)", "k", "1e-6", "2").unwrap();
    assert_eq!(at(&found), ("3".into(), "4".into(), true));
    assert!(found.value == Rational::from(3) && found.epsilon.upper.unwrap() <= Rational::from(2));
    let reason = target("response(k, 3/4)", "k", "1e-6", "1").unwrap_err();
    assert!(reason.starts_with("no value keeps epsilon at most 1: at 2, the least"), "{reason}");
    let found = target("group(k, laplace(10))", "k", "1e-9", "1/2").unwrap();
    assert!(found.value >= Rational::from(4) && found.value <= Rational::from(5), "{found:?}");
    let found = target("laplace(n) * n", "n", "1e-6", "1/2").unwrap();
    assert!(
        !found.grows && &found.lower + Rational::ONE == found.upper && found.value == found.upper,
        "{found:?}"
    );
    assert!(found.epsilon.upper.unwrap() <= number("1/2"));
}

/// What gives everything away with more than δ has no ε, and one guarantee has a closed form of any size.
#[test]
fn guarantees_of_any_size_are_answered() {
    for text in
        ["approx(1, 1/10)", "approx(0, 1/10)", "approx(1, 2/1000)", "approx(1/10, 1/10000) * 20 + pure(1)"]
    {
        let answer = ask(text, "delta", "1e-3", &Effort::default());
        assert_eq!(answer.bracket.upper, None, "{text}");
        assert!(answer.note.unwrap().starts_with("epsilon is infinite"), "{text}");
    }
    for text in ["approx(1, 1/1000)", "approx(1/10, 1/10000) * 9 + pure(1)"] {
        let answer = ask(text, "delta", "1e-3", &Effort::default());
        assert!(answer.bracket.upper.is_some() && answer.note.is_none(), "{text}");
    }
    let answer = ask("pure(1e400)", "delta", "1e-5", &Effort::default());
    assert!(answer.reached && answer.bracket.lower > number("9e399"));
    let answer = ask("pure(1e-400)", "delta", "1e-5", &Effort::default());
    assert_eq!(answer.bracket.upper, Some(Rational::ZERO));
}

/// What laws lose that the parameter does not change, no value of it takes away.
#[test]
fn a_target_that_the_other_laws_exceed_is_out_of_reach() {
    let others = |text: &str| {
        let parsed = Expression::parse(text).unwrap();
        parsed.without("s", &BTreeMap::new(), &|_| Err("no files here".into())).unwrap()
    };
    assert_eq!(
        others("gaussian(s) * 10 + (laplace(1) + laplace(s)) + pure(1)"),
        laws("laplace(1) + pure(1)")
    );
    for text in ["gaussian(s) * 10", "group(2, laplace(1) + laplace(s))", "laplace(1) * s", "s"] {
        assert_eq!(others(text), Composition::default(), "{text}");
    }
    let (adjacency, delta, effort) = (Adjacency::AddRemove, number("1e-6"), Effort::default());
    let reach =
        |text: &str, target: &str| out_of_reach(&others(text), adjacency, &delta, &number(target), &effort);
    let least = reach("gaussian(s) * 10 + laplace(1)", "1/2").unwrap();
    assert!(least > number("0.99") && least <= Rational::ONE, "{least}");
    assert_eq!(reach("gaussian(s) * 10 + laplace(1)", "1"), None);
    assert_eq!(reach("gaussian(s) * 10", "1/1000"), None);
}

#[test]
fn groups_and_replacement() {
    let effort = Effort { width: 1e-3, ..Effort::default() };
    let same = |a: &str, b: &str| {
        let (a, b) = (ask(a, "delta", "1e-5", &effort).bracket, ask(b, "delta", "1e-5", &effort).bracket);
        assert_eq!(a, b);
    };
    same("group(3, gaussian(6) * 2)", "gaussian(2) * 2");
    same(
        "group(2, pure(1/4) + laplace(3, sensitivity = 2))",
        "discrete_laplace(4, sensitivity = 2) + laplace(3, sensitivity = 4)",
    );
    same("group(2, response(2, 3/5))", "response(2, 3/5) * 2");
    same("group(2, rho(1/10))", "rho(4/10)");
    same("poisson(1/2, poisson(1/5, laplace(3)))", "poisson(1/10, laplace(3))");
    same("poisson(1, gaussian(2)) * 3", "gaussian(2) * 3");
    let one = ask("poisson(1/10, laplace(3))", "epsilon", "1/100", &effort).bracket;
    let two = ask("group(2, poisson(1/10, laplace(3)))", "epsilon", "1/100", &effort);
    assert!(
        two.note.is_some()
            && two.bracket.upper > one.upper
            && two.bracket.lower <= two.bracket.upper.clone().unwrap()
    );
    let replace = |text: &str| {
        account(&laws(text), Adjacency::Replace, &question("delta", "1e-5"), &effort).unwrap().bracket
    };
    assert_eq!(replace("gaussian(2) * 3"), ask("gaussian(1) * 3", "delta", "1e-5", &effort).bracket);
    // Replacing in a sample loses more than removing from it, and less than without a sample.
    let sampled = replace("poisson(1/5, gaussian(2)) * 2");
    let removed = ask("poisson(1/5, gaussian(2)) * 2", "delta", "1e-5", &effort).bracket;
    assert!(sampled.upper >= removed.upper && sampled.lower <= sampled.upper.clone().unwrap());
    assert!(sampled.lower > removed.lower && sampled.upper <= replace("gaussian(2) * 2").upper);
}

#[test]
fn curves_fall_and_hold() {
    let points =
        profile(&laws("laplace(5) * 4 + mu(1/5)"), Adjacency::AddRemove, 9, &Effort::default()).unwrap();
    assert_eq!(points.len(), 9);
    for pair in points.windows(2) {
        assert!(pair[0].0 < pair[1].0 && pair[0].1.upper >= pair[1].1.upper);
    }
    for (epsilon, bracket) in &points[1..7] {
        let exact = ask("laplace(5) * 4 + mu(1/5)", "epsilon", &epsilon.to_string(), &general(1e-3)).bracket;
        assert!(
            bracket.lower <= exact.upper.clone().unwrap() && exact.lower <= bracket.upper.clone().unwrap()
        );
        assert!(bracket.width() < 0.1, "{epsilon} {}", bracket.width());
    }
}

/// A hundred different pure guarantees, by Berry and Esseen, against the lattice.
#[test]
fn many_pure_guarantees_are_bracketed() {
    let text = (0..100).map(|k| format!("pure({}/1000) * 40", 20 + k % 70)).collect::<Vec<_>>().join(" + ");
    let many = ask(&text, "delta", "1e-6", &Effort { width: 0.1, ..Effort::default() });
    assert!(many.method.contains("Berry"), "{}", many.method);
    let lattice = ask(&text, "delta", "1e-6", &general(1e-2));
    let (a, b) = (&many.bracket, &lattice.bracket);
    assert!(a.lower <= b.upper.clone().unwrap() && b.lower <= a.upper.clone().unwrap(), "{a:?} {b:?}");
    assert!(a.width() < 0.1, "{}", a.width());
}

/// What cannot be reached in the time is said.
#[test]
fn a_width_out_of_reach_is_said() {
    let effort = Effort { width: 1e-12, seconds: 0.5, closed_forms: false };
    let answer = ask("laplace(5) * 40 + mu(1/5)", "delta", "1e-5", &effort);
    assert!(!answer.reached && answer.bracket.width() > 1e-12);
    assert!(answer.bracket.lower <= answer.bracket.upper.clone().unwrap_or(number("1e9")));
}

/// Sums over a thousand million copies do not outlive the time, and what was tried by then holds.
#[test]
fn closed_forms_keep_to_the_time() {
    let truth = number("4.4");
    for seconds in [0.0, 0.02, 0.3] {
        let effort = Effort { width: 1e-9, seconds, closed_forms: true };
        let answer = ask("pure(1/30000) * 900000000", "delta", "1e-5", &effort);
        assert!(answer.seconds < seconds + 2.0, "{}", answer.seconds);
        assert!(answer.bracket.lower <= truth && truth <= answer.bracket.upper.clone().unwrap());
        assert!(answer.reached == (answer.bracket.width() <= 1e-9) || answer.seconds < seconds);
    }
    let answer = ask("pure(1/1000000) * 1000000000000", "delta", "1e-5", &Effort::default());
    assert!(answer.bracket.lower < truth && answer.bracket.width() < 1e-3, "{:?}", answer.bracket.width());
}

/// 10^12 copies have answers too: μ = 10^6, ε = μ²/2 + μ·z with Φ(−z) ≈ δ.
#[test]
fn a_million_million_copies_are_answered() {
    let bracket = ask("gaussian(1) * 1e12", "delta", "1e-5", &Effort::default()).bracket;
    assert!(bracket.lower > number("500004264000") && bracket.upper.unwrap() < number("500004265000"));
    let bracket = ask("gaussian(1) * 1e12", "epsilon", "1", &Effort::default()).bracket;
    assert!(bracket.lower > number("0.999999") && bracket.upper.unwrap() <= Rational::ONE);
    let pure = ask("pure(1) * 1e12", "delta", "0", &Effort::default()).bracket;
    assert_eq!(pure.upper, Some(number("1e12")));
}

/// Little noise has a large loss, and a bound.
#[test]
fn little_noise_has_a_bound() {
    for (text, least) in [("discrete_gaussian(1/30)", "449"), ("gaussian(1/20)", "200")] {
        let bracket = ask(text, "delta", "1e-6", &Effort::default()).bracket;
        assert!(bracket.lower >= number(least) && bracket.width() < 1e-3, "{text} {bracket:?}");
    }
}

/// Under replacement a guarantee in μ may rest on the sample's size, which tells of a record: only noise has a sample.
#[test]
fn a_guarantee_in_mu_has_no_sample_under_replacement() {
    let ask =
        |text: &str| account(&laws(text), Adjacency::Replace, &question("epsilon", "1/2"), &general(1e-2));
    for refused in ["poisson(1/10, mu(1))", "poisson(1/10, mu(1) * 3)", "group(2, poisson(1/10, mu(1)))"] {
        assert!(ask(refused).is_err(), "{refused}");
    }
    assert!(ask("poisson(1, mu(1))").is_ok() && ask("poisson(1/10, gaussian(1))").is_ok());
}

/// Without the record, a sample loses at most −ln(1 − q) a copy: where that is less than what is asked for, the other direction decides.
#[test]
fn small_directions_do_not_widen_the_answer() {
    let effort = Effort { seconds: 20.0, ..Effort::default() };
    let asked = |text: &str, given: &str, value: &str| {
        let answer = account(&laws(text), Adjacency::AddRemove, &question(given, value), &effort).unwrap();
        assert!(answer.reached, "{text}: {:?}", answer.bracket);
        (answer.bracket.lower, answer.bracket.upper.unwrap())
    };
    let holds = |(low, high): (Rational, Rational), truth: &str| {
        assert!(low <= number(truth) && number(truth) <= high, "{low} {truth} {high}");
    };
    // δ by numerical integration of the mixture, with mpmath.
    holds(asked("poisson(1/100, gaussian(1))", "epsilon", "1/10"), "7.29004e-5");
    holds(asked("poisson(1/10, gaussian(1)) * 2", "epsilon", "0.3"), "0.01187510");
    let (low, high) = asked("poisson(1/100, gaussian(1)) * 10", "delta", "1e-6");
    assert!(low > number("0.5923") && high < number("0.5925"));
}

/// Exactly at the δ of `approx`, its ε is the answer.
#[test]
fn approximate_guarantees_meet_their_own_delta() {
    for (text, delta, epsilon) in [
        ("approx(1, 1e-5)", "1e-5", "1"),
        ("approx(0, 1/2)", "1/2", "0"),
        ("approx(1, 1e-5) + laplace(1)", "1e-5", "2"),
        ("approx(1, 1e-5) * 3", "3e-5", "3"),
    ] {
        let effort = Effort { seconds: 10.0, ..Effort::default() };
        let answer = account(&laws(text), Adjacency::AddRemove, &question("delta", delta), &effort).unwrap();
        let upper = answer.bracket.upper.unwrap();
        assert!(answer.bracket.lower <= upper && upper <= number(epsilon), "{text} {upper}");
        // Below it no finite ε is left.
        let less = question("delta", &format!("{delta}9").replace("e-59", "e-6").replace("/29", "/3"));
        let answer = account(&laws(text), Adjacency::AddRemove, &less, &effort).unwrap();
        assert!(answer.bracket.upper.is_none(), "{text} {:?}", answer.bracket);
    }
}

#[test]
fn a_delta_below_all_doubles_is_refused() {
    for text in ["laplace(1)", "laplace(1) * 2", "discrete_gaussian(1)", "response(3, 1/2)", "gaussian(1)"] {
        let asked =
            |delta| account(&laws(text), Adjacency::AddRemove, &question("delta", delta), &Effort::default());
        assert!(asked("1e-400").unwrap_err().contains("too small"), "{text}");
        assert!(asked("1e-290").unwrap().bracket.upper.is_some(), "{text}");
    }
}

/// Some different pure guarantees are too few for a normal law: the answer is from a lattice, and says what was reached.
#[test]
fn a_hundred_different_guarantees_are_bracketed() {
    let sum = |n: u32| (1..=n).map(|k| format!("pure({k}/1000)")).collect::<Vec<_>>().join(" + ");
    let asked = |n: u32, seconds: f64| {
        let effort = Effort { seconds, width: 1e-2, ..Effort::default() };
        account(&laws(&sum(n)), Adjacency::AddRemove, &question("epsilon", "1"), &effort).unwrap()
    };
    let answer = asked(100, 60.0);
    // By `--general`, which is tested against brute force.
    let upper = answer.bracket.upper.unwrap();
    assert!(answer.bracket.lower <= number("0.0159535387802") && number("0.01595353877") <= upper);
    assert!(answer.reached);
    // Without time nothing is claimed to be reached.
    assert!(!asked(100, 0.0).reached);
}

/// Numbers as they may be written have the value that they are read with elsewhere.
#[test]
fn numbers_are_what_they_say() {
    for text in [
        "1/2",
        "0.5",
        ".5",
        "5.",
        "1e-3",
        "0.25e1",
        "1.5E-2",
        "007/14",
        "12345678901234567.5",
        "0.1234567890123456789",
        "999999999999999999",
        "1000000000000000001",
        "3/7/2",
        "1/2*3",
        "0.000000000000000001",
        "2/4/0.5",
        "1/1e3",
        "(1)/(2)",
    ] {
        let epsilon = match text {
            "3/7/2" => number("3/14"),
            "1/2*3" => number("3/2"),
            "2/4/0.5" => number("1"),
            "(1)/(2)" => number("1/2"),
            text => number(text),
        };
        let [(Law::Approximate { epsilon: found, .. }, 1)] = &laws(&format!("pure({text})")).parts[..] else {
            panic!("{text}")
        };
        assert_eq!(*found, epsilon, "{text}");
    }
    for text in ["1.2.3", "1_000", ".", "1e"] {
        assert!(refusal(&format!("pure({text})")).contains(" at "), "{text}");
    }
}

/// Terms that are read in a short way mean what they mean by themselves, wherever they stand and whatever stands beside them.
#[test]
fn sums_of_pure_terms_are_read_as_their_terms() {
    let terms = [
        "pure(1/2)",
        "pure( 0.25e1 / 3 )",
        "pure(1e-400)",
        "pure(0.00000000000000000000000000001)",
        "pure(123456789012345678901234567890)",
        "pure(1.5E-2)",
        "pure(2) * 3",
        "2 * pure(2)",
        "pure(1/2/3)",
        "(pure(1) + pure(2)) * 2",
        "laplace(1)",
        "pure (7)",
        "pure(1 + 1)",
        "pure(5.)",
        "pure(.5/0.25)",
    ];
    for first in terms {
        for second in terms {
            for third in terms {
                let found = laws(&format!("{first} +{second}\n + {third}")).parts;
                let wanted: Vec<_> =
                    [first, second, third].iter().flat_map(|term| laws(&format!("({term})")).parts).collect();
                assert_eq!(found, wanted, "{first} + {second} + {third}");
            }
        }
    }
    for (text, at) in [
        ("pure(1) + pure(1/0)", "at '0'"),
        ("pure(1) + pure(2) +", "at ''"),
        ("pure(1) + pure(2) - pure(3)", "at 'pure(3)'"),
        ("pure(1) + pure(2) + pure(-3)", "at '-3'"),
        ("pure(1) + pure(2, 3)", "at 'pure(2, 3)'"),
        ("pure(1) + pure(2) + 3", "at 'pure(1) + pure(2) + 3'"),
    ] {
        assert!(refusal(text).contains(at), "{text}: {}", refusal(text));
    }
}

/// Equal guarantees are counted together wherever they stand, and different ones are not, however near they are.
#[test]
fn guarantees_are_merged_exactly() {
    let effort = Effort { width: 1e-3, ..Effort::default() };
    let answer = |text: &str| ask(text, "delta", "1e-6", &effort);
    let scattered = answer("pure(1/10) + pure(2/10) + pure(1/10) * 3 + approx(1/10, 0) + pure(0.2)");
    assert_eq!(scattered.bracket, answer("pure(1/10) * 5 + pure(1/5) * 2").bracket);
    assert_eq!(answer("pure(1/10) + pure(2/20) * 6").method, "binomial sum");
    // These two have the same double.
    let apart = answer("pure(0.1) + pure(0.1000000000000000000001)");
    assert!(apart.method != "binomial sum", "{}", apart.method);
    let delta = answer("approx(1/10, 1e-9) + pure(1/10)");
    assert!(delta.method != "binomial sum", "{}", delta.method);
}

/// A hundred thousand different guarantees: sums are bounded, not exact, and the time is kept also where there is no closed form.
#[test]
fn very_many_laws_keep_to_the_time() {
    let many: Vec<String> = (1..=100_000).map(|k| format!("pure(1/{})", 1000 + k)).collect();
    let text = many.join(" + ");
    let effort = Effort { seconds: 2.0, ..Effort::default() };
    let all = ask(&text, "delta", "0", &effort).bracket;
    let truth = number("4.614625550661465");
    assert!(all.lower < truth && truth < all.upper.clone().unwrap() && all.width() < 1e-9, "{all:?}");
    let some = ask(&text, "delta", "1e-6", &effort).bracket;
    assert!(some.upper.unwrap() < number("4.614625550661465"));
    let mixed =
        ask(&format!("{text} + laplace(50)"), "delta", "1e-6", &Effort { seconds: 0.5, ..Effort::default() });
    // What is known without composing: losses add up.
    assert!(!mixed.reached && mixed.seconds < 20.0, "{}", mixed.seconds);
    assert!(mixed.bracket.upper.unwrap() <= number("4.634625551"));
}

/// The direction that is smaller is seen to be smaller, and the larger one is as narrow as was asked for.
#[test]
fn the_larger_direction_decides() {
    let effort = Effort { width: 2e-3, ..Effort::default() };
    for (q, sigma, n) in
        tried([("1/10", "2", 1), ("1/2", "3", 2), ("1/20", "1", 30), ("1/200", "1", 500), ("3/10", "1", 4)])
    {
        let text = format!("poisson({q}, gaussian({sigma})) * {n}");
        for (given, value) in [("delta", "1e-5"), ("epsilon", "1/10")] {
            let answer = ask(&text, given, value, &effort);
            assert!(answer.reached && answer.bracket.width() <= 2e-3, "{text} {given} {answer:?}");
            let [(_, remove), (_, add)] = &answer.directions[..] else { panic!("{answer:?}") };
            assert_eq!(answer.bracket.lower, remove.lower.clone().max(add.lower.clone()), "{text} {given}");
            assert_eq!(answer.bracket.upper, remove.upper.clone().max(add.upper.clone()), "{text} {given}");
            // Each by itself holds: a narrower look lies inside the other one's reach.
            let fine = ask(&text, given, value, &Effort { width: 2e-4, ..Effort::default() });
            for ((_, wide), (_, narrow)) in answer.directions.iter().zip(&fine.directions) {
                assert!(
                    wide.lower <= narrow.upper.clone().unwrap()
                        && narrow.lower <= wide.upper.clone().unwrap()
                );
            }
        }
    }
}

/// The bound of a group says that it is by steps of one record, where that is what it is by.
#[test]
fn methods_are_those_of_the_bounds() {
    let effort = Effort { width: 1e-2, ..Effort::default() };
    let method = |text: &str, value: &str| ask(text, "epsilon", value, &effort).method;
    let steps = method("group(2, approx(1/5, 1/1000))", "2/5");
    assert!(steps.starts_with("2 steps of one record") && steps.contains("; from below "), "{steps}");
    let curve = method("group(2, approx(1/5, 1/1000))", "3/10");
    assert!(curve.starts_with("laws on a lattice"), "{curve}");
    assert_eq!(method("group(2, pure(1/5))", "1/5"), "one mechanism in closed form");
}

/// Losses beyond what a lattice reaches are no panic: what is known of them is said.
#[test]
fn very_large_and_very_small_losses_are_answered() {
    for text in [
        "laplace(1e-30) * 2",
        "laplace(1e-300) * 2",
        "discrete_laplace(1e-30) + discrete_laplace(2)",
        "pure(1e30) + pure(1)",
        "poisson(1e-300, laplace(1)) * 2",
    ] {
        let effort = Effort { seconds: 2.0, ..Effort::default() };
        match account(&laws(text), Adjacency::AddRemove, &question("delta", "1e-6"), &effort) {
            Ok(answer) => {
                let Bracket { lower, upper } = answer.bracket;
                assert!(upper.is_none_or(|upper| lower <= upper), "{text}");
            }
            Err(reason) => assert!(!reason.is_empty(), "{text}"),
        }
    }
}

/// Near the end of the losses of one direction no lattice shows how little is left of its δ; that it is less than the other's is enough.
#[test]
fn a_direction_at_its_end_does_not_hide_the_other() {
    let effort = Effort { width: 1e-2, ..Effort::default() };
    for epsilon in ["0.9", "1", "1.004"] {
        let laws = laws("poisson(1/100, gaussian(1)) * 100");
        let answer = account(&laws, Adjacency::AddRemove, &question("epsilon", epsilon), &effort).unwrap();
        assert!(answer.reached, "{epsilon}: {:?}", answer.bracket);
        // The larger δ is the one of a record that is removed.
        assert!(answer.bracket.upper.unwrap() < number("1e-5"));
        assert!(answer.bracket.lower > number("1e-7"));
    }
}

/// Where almost all of the mass has to be counted with more bits than there are, there is an answer, and no wait for them.
#[test]
fn masses_that_need_too_many_bits_are_left_out() {
    let effort = Effort { seconds: 1.0, ..Effort::default() };
    let laws = laws("laplace(1) * 1000000000");
    let answer = account(&laws, Adjacency::AddRemove, &question("epsilon", "1"), &effort).unwrap();
    assert_eq!(answer.bracket.upper, Some(Rational::ONE));
}
