//! One semantics: random texts have the same law by the audit, which follows paths, and by runs on every bit string; and those of coins alone
//! also by the kernel, which writes the mass of each value as a formula. Quotients by 0 and the other total cases are among them.

use crate::common;

use std::cell::Cell;

use common::{Case, enumerate, masses};
use probity_audit::Outcome;
use probity_exact::Rational;
use probity_kernel::context::{Context, Orientation};
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary, Variable};
use probity_kernel::finite::mass;
use probity_lang::{load_text, row};

/// A fixed sequence of choices, for texts with a list q and a continuous draw y or without.
struct Choices {
    state: u64,
    full: bool,
}

impl Choices {
    fn below(&mut self, count: u64) -> u64 {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.state >> 33) % count
    }

    fn of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len() as u64) as usize]
    }
}

/// An integer expression of the names that are in scope.
fn integer(choices: &mut Choices, names: &[&str], depth: u32) -> String {
    if depth == 0 || choices.below(4) == 0 {
        return match choices.below(3) {
            0 => choices.below(4).to_string(),
            _ => choices.of(names).to_owned(),
        };
    }
    let mut part = || integer(choices, names, depth - 1);
    let (a, b, c) = (part(), part(), part());
    match choices.below(13) {
        0 => format!("({a} + {b})"),
        1 => format!("({a} - {b})"),
        2 => format!("({a} * {b})"),
        3 => format!("min({a}, {b})"),
        4 => format!("max({a}, {b})"),
        5 => format!("abs({a} - {b})"),
        6 => format!("clamp({a}, {b}, {c})"),
        7 => format!("({a} mod 3)"),
        8 => format!("floor({a} / 2)"),
        // Where the operations are total: a divisor that may be 0 or negative, a place that may lie outside.
        9 => format!("({a} mod {b})"),
        10 => format!("floor({a} / {b})"),
        11 if choices.full => format!("q[{a}]"),
        _ => format!("(if {} then {a} else {b})", condition(choices, names, depth - 1)),
    }
}

fn condition(choices: &mut Choices, names: &[&str], depth: u32) -> String {
    if depth > 0 && choices.below(3) == 0 {
        let (a, b) = (condition(choices, names, depth - 1), condition(choices, names, depth - 1));
        return match choices.below(3) {
            0 => format!("({a} and {b})"),
            1 => format!("({a} or {b})"),
            _ => format!("not ({a})"),
        };
    }
    let relation = choices.of(&["<", "<=", "==", "!=", ">=", ">"]);
    let right = integer(choices, names, depth.min(1));
    let left = match choices.below(3) {
        0 if choices.full => "y".to_owned(),
        1 if choices.full => "y + z".to_owned(),
        _ => integer(choices, names, depth.min(1)),
    };
    format!("{left} {relation} {right}")
}

/// A text with two or three draws, a loop, a branch and a list.
fn text(choices: &mut Choices) -> String {
    let mut body = String::new();
    body += choices.of(&[
        "a ~ uniform_int(0, 2)\n",
        "a ~ uniform_int(1, 4)\n",
        "a ~ response(1, 1/2, 3)\n",
        "a ~ uniform_other(1, 3)\n",
        "a ~ sign()\n",
        "a ~ response(x, 3/4, 4)\n",
    ]);
    body += choices.of(&["b ~ sign()\n", "b ~ uniform_int(0, 1)\n", "b = x\n", "b = a * a\n"]);
    body += choices.of(&["y ~ laplace(x, 1)\n", "y ~ exponential(2)\n", "y ~ laplace(a, 1/2)\n"]);
    body += choices.of(&["z = 1/3\n", "z = b / 3\n", "z = y / 2\n"]);
    let names = ["a", "b", "x", "c"];
    body += &format!("c = {}\n", integer(choices, &names[..3], 2));
    let guard = condition(choices, &names, 2);
    body += &format!("if {guard} {{\nc = {}\n}} else {{\nc = c + 1\n}}\n", integer(choices, &names, 2));
    body += &format!(
        "out = []\nfor i in {}..{} {{\nc = {}\nappend(out, c mod 5)\n}}\n",
        choices.of(&["0", "0", "1", "length(q)"]),
        choices.below(3),
        integer(choices, &["a", "b", "c", "i"], 1)
    );
    let output = match choices.below(3) {
        0 => "out".to_owned(),
        1 => integer(choices, &names, 2),
        _ => condition(choices, &names, 2),
    };
    format!("mechanism m(x: category(3), q: int[])\n{body}return {output}\nneighbours any\nclaim 1")
}

#[test]
fn random_texts_mean_the_same_to_the_audit_and_to_a_run() {
    let mut choices = Choices { state: 2026, full: true };
    let (mut compared, mut refused) = (0, 0);
    for _ in 0..180 {
        let text = text(&mut choices);
        let input = choices.below(3).to_string();
        // A divisor that is written as 0 is a fault of the text.
        if load_text(&text).is_err() {
            refused += 1;
            continue;
        }
        let case = Case::new("random", text.clone(), "", &[("x", &input), ("q", "[2, -1]")]);
        let Some(law) = case.try_law() else {
            refused += 1;
            continue;
        };
        if !case.is_bounded() {
            refused += 1;
            continue;
        }
        let (mut decided, undecided) = enumerate(&mut case.session(), 9);
        for (value, (low, high)) in masses(&law) {
            let found = decided.remove(&value).unwrap_or(Rational::ZERO);
            assert!(found <= high && low <= found + &undecided, "{text}\nx = {input}: {value}");
        }
        assert!(decided.is_empty(), "{text}\nx = {input}: {:?}", decided.keys().next());
        compared += 1;
    }
    assert!(compared >= 100, "{compared} compared, {refused} refused by the audit or by the run");
}

/// A number that need not be an integer, of integers that may make it a total case.
fn number(choices: &mut Choices, names: &[&str]) -> String {
    let mut part = || integer(choices, names, 1);
    let (a, b, c) = (part(), part(), part());
    match choices.below(7) {
        0 => format!("({a}) / ({b})"),
        1 => format!("round_to(({a}) / 3, {b})"),
        2 => format!("pow2_at_least(({a}) / 3)"),
        3 => format!("clamp(({a}) / 2, {b}, {c})"),
        // Of a number that is not positive.
        4 => format!("{a} + floor(ln(0 - abs({b})))"),
        5 => format!("abs({a}) / ({b} - {c})"),
        _ => format!("({a}) mod ({b})"),
    }
}

/// A text of coins, whose law the kernel writes down.
fn coins(choices: &mut Choices) -> String {
    let names = ["a", "b", "x"];
    let mut body = String::from("k ~ bernoulli(1/4)\nl ~ bernoulli(if k then 1/2 else (x + 1) / 4)\n");
    body += &format!("a = if k then {} else {}\n", integer(choices, &["x"], 1), integer(choices, &["x"], 1));
    body += &format!("b = if l then a else {}\n", integer(choices, &["a", "x"], 1));
    let left = number(choices, &names);
    let relation = choices.of(&["<", "<=", "==", "!=", ">=", ">"]);
    let guard = format!("{left} {relation} {}", integer(choices, &names, 1));
    let (yes, no) = (integer(choices, &names, 1), integer(choices, &names, 1));
    body += &format!("if {guard} {{\na = {yes}\n}} else {{\nb = {no}\n}}\n");
    body += &format!("y = {}\n", number(choices, &names));
    format!("mechanism m(x: category(3))\n{body}return y\nneighbours any\nclaim 1")
}

/// What an expression of numbers is, as `docs/logic.md` has it: the operations that `row::value` does not know, and that for the rest. Counts
/// the total cases that it meets.
fn meaning(expr: &Expr, x: &Rational, totals: &Cell<usize>) -> Option<Rational> {
    let of = |e: &Expr| meaning(e, x, totals);
    let total = || {
        totals.set(totals.get() + 1);
        Some(Rational::ZERO)
    };
    let leaf = |e: &Expr| Some(Expr::Number(of(e)?));
    let zero = Rational::ZERO;
    match expr {
        Expr::Binary(Binary::Mod, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            if b <= zero { total() } else { Some(&a - &b * Rational::from((&a / &b).floor())) }
        }
        Expr::Binary(Binary::RoundTo, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            if b <= zero {
                return total();
            }
            // The nearest multiple, ties to the even one.
            let ratio = &a / &b;
            let below = ratio.floor();
            let (half, part) = (Rational::ONE / Rational::from(2), &ratio - Rational::from(below.clone()));
            let is_odd = !(Rational::from(below.clone()) * &half).is_int();
            let up = part > half || (part == half && is_odd);
            Some(Rational::from(below + i64::from(up)) * b)
        }
        Expr::Unary(Unary::Pow2AtLeast, a) => {
            let a = of(a)?;
            if a <= zero {
                return total();
            }
            let two = Rational::from(2);
            let mut power = Rational::ONE;
            while power < a {
                power *= &two;
            }
            while &power / &two >= a {
                power /= &two;
            }
            Some(power)
        }
        // Of other numbers it is not rational, and not asked for.
        Expr::Unary(Unary::Ln, a) => {
            if of(a)? <= zero {
                total()
            } else {
                None
            }
        }
        Expr::Binary(Binary::Div, _, b) if of(b)?.is_zero() => total(),
        Expr::If(condition, yes, no) => of(if of(condition)? == Rational::ONE { yes } else { no }),
        Expr::Unary(operation, a) => row::value(&Expr::Unary(*operation, leaf(a)?.into()), &|_| None),
        Expr::Binary(operation, a, b) => {
            row::value(&Expr::Binary(*operation, leaf(a)?.into(), leaf(b)?.into()), &|_| None)
        }
        Expr::Clamp(a, low, high) => {
            row::value(&Expr::Clamp(leaf(a)?.into(), leaf(low)?.into(), leaf(high)?.into()), &|_| None)
        }
        Expr::Var(Variable::Plain(name) | Variable::Of(name, _)) if name.as_str() == "x" => Some(x.clone()),
        other => row::value(other, &|_| None),
    }
}

#[test]
fn texts_of_coins_mean_the_same_to_the_kernel_too() {
    let mut choices = Choices { state: 16, full: false };
    let (mut compared, mut refused, totals) = (0, 0, Cell::new(0));
    for _ in 0..250 {
        let text = coins(&mut choices);
        let input = choices.below(3);
        if load_text(&text).is_err() {
            refused += 1;
            continue;
        }
        let x = Rational::from(input);
        let case = Case::new("coins", text.clone(), "", &[("x", &input.to_string())]);
        let Some(law) = case.try_law() else {
            refused += 1;
            continue;
        };
        let mechanism = case.program().mechanism;
        let context = Context::new(&mechanism, Orientation::Forward).unwrap();
        let (decided, undecided) = enumerate(&mut case.session(), 9);
        let mut all = Rational::ZERO;
        for (outcome, (low, high)) in masses(&law) {
            let Outcome::Number(value) = &outcome else { panic!("{text}: {outcome}") };
            let at = Expr::Number(value.clone());
            let found = mass(&context, &mechanism.body, &Name::from("y"), &at, Run::First)
                .unwrap_or_else(|rejection| panic!("{text}: {rejection}"));
            assert_eq!(meaning(&found.sane, &x, &totals), Some(Rational::ONE), "{text}");
            let share = meaning(&found.numerator, &x, &totals).unwrap()
                / meaning(&found.denominator, &x, &totals).unwrap();
            assert!(low <= share && share <= high, "{text}\nx = {input}: {value} has {share} by the kernel");
            let seen = decided.get(&outcome).cloned().unwrap_or(Rational::ZERO);
            assert!(
                seen <= share && share <= seen + &undecided,
                "{text}\nx = {input}: {value} runs otherwise"
            );
            all += share;
        }
        assert_eq!(all, Rational::ONE, "{text}\nx = {input}");
        compared += 1;
    }
    assert!(compared >= 150 && totals.get() >= 100, "{compared} compared, {refused} refused, {totals:?}");
}
