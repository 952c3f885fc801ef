//! One semantics: random texts have the same law by the audit, which follows paths, and by runs on every bit string.

mod common;

use std::collections::BTreeMap;

use common::{Case, masses, outcome};
use probity_audit::Outcome;
use probity_exact::{Natural, Rational};

/// A fixed sequence of choices.
struct Choices(u64);

impl Choices {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % count
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
    match choices.below(10) {
        0 => format!("({a} + {b})"),
        1 => format!("({a} - {b})"),
        2 => format!("({a} * {b})"),
        3 => format!("min({a}, {b})"),
        4 => format!("max({a}, {b})"),
        5 => format!("abs({a} - {b})"),
        6 => format!("clamp({a}, {b}, {c})"),
        7 => format!("({a} mod 3)"),
        8 => format!("floor({a} / 2)"),
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
        0 => "y".to_owned(),
        1 => "y + z".to_owned(),
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
        "out = []\nfor i in 0..{} {{\nc = {}\nappend(out, c mod 5)\n}}\n",
        choices.below(3),
        integer(choices, &["a", "b", "c", "i"], 1)
    );
    let output = match choices.below(3) {
        0 => "out".to_owned(),
        1 => integer(choices, &names, 2),
        _ => condition(choices, &names, 2),
    };
    format!("mechanism m(x: category(3))\n{body}return {output}\nneighbours any\nclaim 1")
}

#[test]
fn random_texts_mean_the_same_to_the_audit_and_to_a_run() {
    let mut choices = Choices(2026);
    let (mut compared, mut refused) = (0, 0);
    for _ in 0..150 {
        let text = text(&mut choices);
        let input = choices.below(3).to_string();
        let case = Case::new("random", text.clone(), "", &[("x", &input)]);
        let Some(law) = case.try_law() else {
            refused += 1;
            continue;
        };
        let mut session = case.session();
        let mass = |bits: usize| Rational::from_parts(1.into(), Natural::ONE << bits);
        let mut decided: BTreeMap<Outcome, Rational> = BTreeMap::new();
        let mut undecided = Rational::ZERO;
        let mut open = vec![Vec::new()];
        while let Some(bits) = open.pop() {
            match session.run_on_bits(&bits).unwrap_or_else(|error| panic!("{text}: {error}")) {
                Some((value, _)) => {
                    *decided.entry(outcome(&value)).or_insert(Rational::ZERO) += mass(bits.len())
                }
                None if bits.len() == 9 => undecided += mass(9),
                None => open.extend([false, true].map(|bit| bits.iter().copied().chain([bit]).collect())),
            }
        }
        for (value, (low, high)) in masses(&law) {
            let found = decided.remove(&value).unwrap_or(Rational::ZERO);
            assert!(found <= high && low <= found + &undecided, "{text}\nx = {input}: {value}");
        }
        assert!(decided.is_empty(), "{text}\nx = {input}: {:?}", decided.keys().next());
        compared += 1;
    }
    assert!(compared >= 100, "{compared} compared, {refused} refused by the audit");
}
