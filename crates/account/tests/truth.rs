//! Brackets against truths from elsewhere: mpmath's 60 digits, and the table of published failures.

use crate::common;

use common::{ask, general, holds, number};
use probity_account::Effort;
use probity_exact::{Rational, rational};

/// A number given to so many digits, as the interval of all numbers that are cut or rounded to it.
fn within_digits(text: &str) -> (Rational, Rational) {
    let value = number(text);
    let mantissa = text.split(['e', 'E']).next().unwrap();
    let decimals = mantissa.split('.').nth(1).map_or(0, str::len) as i32;
    let exponent: i32 = text.split(['e', 'E']).nth(1).map_or(0, |e| e.parse().unwrap());
    let unit = number(&format!("1e{}", exponent - decimals));
    (&value - &unit, value + unit)
}

fn close(value: &Rational) -> Rational {
    // Sixty digits are a truth up to 1e-58 of it.
    value * number("1e-57")
}

#[test]
fn mpmath_lies_in_every_bracket() {
    let mut count = 0;
    for line in include_str!("data/oracle.txt").lines().filter(|line| !line.starts_with('#')) {
        let [expression, what, value, truth] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let truth = number(truth);
        // ε is found to about 1e-14, δ is computed to far more; the lattice, for mixed laws, to its width.
        let mixed = expression.contains("laplace(") && expression.contains('+');
        let answer = ask(expression, what, value, &Effort { width: 1e-5, ..Effort::default() });
        let bracket = &answer.bracket;
        let slack = close(&truth);
        let upper = bracket.upper.clone().unwrap();
        assert!(bracket.lower <= &truth + &slack && &truth - &slack <= upper, "{line}: {}", answer.method);
        let width = if mixed { 1e-5 } else { 1e-12 };
        assert!(bracket.width() <= width, "{line}: {} by {}", bracket.width(), answer.method);
        count += 1;
    }
    assert_eq!(count, 52);
}

/// The closed cases of the table of peers' failures, to all digits given there.
#[test]
fn published_cases_are_bracketed() {
    for (expression, what, value, truth) in [
        ("gaussian(100) * 10000", "delta", "1e-10", "6.547924"),
        ("gaussian(100) * 10000", "epsilon", "7.5", "1.55e-13"),
        ("gaussian(100) * 10000", "epsilon", "8", "3.65e-15"),
        ("gaussian(100) * 10000", "delta", "1e-12", "7.238494"),
        ("discrete_laplace(100) * 10000", "delta", "1e-6", "4.885515601"),
        ("pure(3/1000) * 100000", "epsilon", "6", "3.28e-10"),
        ("gaussian(10) * 100", "delta", "1e-15", "8.165580"),
        // By summing in mpmath; epsilon lies far above the square-root law.
        ("pure(1) * 1000000", "delta", "1e-6", "466327.9725127"),
    ] {
        let answer = ask(expression, what, value, &Effort::default());
        let (low, high) = within_digits(truth);
        let bracket = answer.bracket;
        assert!(low <= bracket.lower && bracket.upper.clone().unwrap() <= high, "{expression} {bracket:?}");
        assert!(bracket.width() < 1e-12);
    }
}

/// The lattice finds what the closed forms know, between its bounds and as narrow as asked.
#[test]
fn the_lattice_agrees_with_closed_forms() {
    for (expression, what, value, width) in [
        ("gaussian(10) * 20", "delta", "1e-6", 1e-3),
        ("gaussian(10) * 20", "delta", "1e-30", 1e-3),
        ("gaussian(10) * 20", "epsilon", "1", 1e-2),
        ("pure(1/10) * 50", "delta", "1e-9", 1e-6),
        ("discrete_laplace(100) * 10000", "delta", "1e-6", 1e-6),
        ("response(2, 3/5) * 30", "epsilon", "4", 1e-6),
        ("approx(1/10, 1e-7) * 20", "epsilon", "1", 1e-6),
        ("laplace(2)", "epsilon", "1/10", 1e-3),
    ] {
        let closed = ask(expression, what, value, &Effort::default());
        let lattice = ask(expression, what, value, &general(width));
        assert!(closed.method != lattice.method, "{}", closed.method);
        let middle = (&closed.bracket.lower + closed.bracket.upper.clone().unwrap()) / Rational::from(2);
        assert!(holds(&lattice.bracket, &middle), "{expression}: {:?}", lattice.directions);
        assert!(
            lattice.reached && lattice.bracket.width() <= width,
            "{expression}: {}",
            lattice.bracket.width()
        );
    }
}

/// One step of a sampled normal mechanism has a formula: q·H_y, and (1 − γ(1 − q))·H_y.
#[test]
fn one_sampled_step_is_its_formula() {
    use probity_exact::{exp_bounds, ln_bounds, normal_tail_bounds};
    let q = rational(1, 10).unwrap();
    let epsilon = rational(1, 20).unwrap();
    let answer = ask("poisson(1/10, gaussian(1))", "epsilon", "1/20", &general(1e-3));
    let gamma = exp_bounds(&epsilon, 100).0.to_rational().unwrap();
    let normal = |y: &Rational| {
        let x = ln_bounds(y, 100).unwrap().0;
        let half = rational(1, 2).unwrap();
        let tail = |x: Rational| normal_tail_bounds(&x, 100).0.to_rational().unwrap();
        tail(&x - &half) - y * tail(x + half)
    };
    let one = Rational::ONE;
    let remove = &q * normal(&((&gamma - &one + &q) / &q));
    let rest = &one - &gamma * (&one - &q);
    let add = &rest * normal(&(&gamma * &q / &rest));
    let names: Vec<String> = answer.directions.iter().map(|(direction, _)| direction.to_string()).collect();
    assert_eq!(names, ["remove", "add"]);
    assert!(holds(&answer.directions[0].1, &remove) && holds(&answer.directions[1].1, &add), "{answer:?}");
    assert!(holds(&answer.bracket, &remove.max(add)) && answer.bracket.width() <= 1e-3);
}
