//! Guesses for a refutation: values of parameters that meet the assumptions. Nothing here decides anything.
//!
//! An equation between parameters fixes one of them, which is then solved for and not guessed; the others take simple
//! numbers and numbers that the text names, and an assumption is looked at as soon as all its parameters have a value.

use std::collections::BTreeSet;

use probity_exact::{Rational, fraction};
use probity_kernel::expr::{Binary, Expr, Name, Unary, Variable};
use probity_kernel::term::{Claim, Distribution, Mechanism, Param, Sort, Statement};

use crate::output::outcome::Parameters;
use crate::pair::named;
use crate::pair::neighbours::{admits_parameters, parameter_value};
use crate::pair::ratio;

/// Values of a real parameter, the simplest first.
const REALS: [(i64, i64); 8] = [(0, 1), (1, 1), (1, 2), (1, 4), (3, 4), (2, 1), (10, 1), (1, 100)];

/// Values of a δ: a claim with a large one says little.
const DELTAS: [(i64, i64); 6] = [(1, 1000), (1, 1_000_000), (1, 100), (1, 10), (1, 4), (0, 1)];

/// Values of an integer.
const INTEGERS: [i64; 8] = [1, 2, 3, 4, 5, 0, 10, 20];

/// Steps of the enumeration after which it is given up.
const MOST_STEPS: usize = 30_000;

/// The largest sum of places in the lists of values.
const FURTHEST: usize = 14;

/// Settings of the parameters that meet the assumptions, the simplest first; those already given stay.
pub fn parameters(mechanism: &Mechanism, claim: &Claim, given: &Parameters, most: usize) -> Vec<Parameters> {
    let free: Vec<&Name> =
        mechanism.params.iter().map(|param| &param.name).filter(|name| !given.contains_key(name)).collect();
    let solved = solved(mechanism, &free);
    let guessed: Vec<&Name> =
        free.into_iter().filter(|name| !solved.iter().any(|(n, _)| n == name)).collect();
    // A parameter of δ alone is a small number, unless δ is e to the power of something; so is one that ε has the logarithm of.
    let mut deltas = names_of(&claim.delta);
    let elsewhere = outside_logarithms(&claim.epsilon);
    deltas.retain(|name| !elsewhere.contains(name));
    let mut powers = false;
    named::for_each_part(&claim.delta, &mut |part| powers |= matches!(part, Expr::Unary(Unary::Exp, _)));
    if powers {
        deltas.clear();
    }
    let values: Vec<Vec<Rational>> =
        guessed.iter().map(|name| values(mechanism, given, name, deltas.contains(*name))).collect();
    let mut values = values;
    // How much normal noise a large ε needs is what rules of thumb get wrong.
    if claim.delta != Expr::int(0) && draws_normal_noise(&mechanism.body) {
        let large = Rational::from(10);
        for (_, values) in guessed.iter().zip(&mut values).filter(|(name, _)| elsewhere.contains(**name)) {
            if let (Some(at), Some(one)) = (place(values, &large), place(values, &Rational::ONE))
                && one < at
            {
                values[one + 1..=at].rotate_right(1);
            }
        }
    }
    let mut search =
        Enumeration { mechanism, solved, guessed, values, most, found: Vec::new(), steps: MOST_STEPS };
    let furthest: usize = search.values.iter().map(|values| values.len() - 1).sum();
    // By the sum of the places in the lists, so that each parameter moves away from its first value in turn.
    for distance in 0..=furthest.min(FURTHEST) {
        let mut setting = given.clone();
        if !search.spread(distance, 0, &mut setting) {
            break;
        }
    }
    let mut found = search.found;
    // Integrals with rational numbers are exact and quick; other numbers are enclosed.
    found.sort_by_key(|setting| !has_rational_roots(mechanism, setting));
    counts_first(mechanism, &mut found);
    // Ranges on one side of 0, early: what is added to a sum is then larger than the range is wide.
    if let Some(aside) = found.first().and_then(|first| aside(mechanism, given, first))
        && !found.contains(&aside)
    {
        found.insert(found.len().min(BEFORE_ASIDE), aside);
        found.truncate(most);
    }
    found
}

fn place(values: &[Rational], x: &Rational) -> Option<usize> {
    values.iter().position(|value| value == x)
}

/// Whether a text draws normal noise.
pub(crate) fn draws_normal_noise(body: &[Statement]) -> bool {
    body.iter().any(|statement| match statement {
        Statement::Draw { law, .. } => {
            matches!(law, Distribution::Gaussian { .. } | Distribution::DiscreteGaussian { .. })
        }
        Statement::If { then, otherwise, .. } => draws_normal_noise(then) || draws_normal_noise(otherwise),
        Statement::For { body, .. } | Statement::While { body, .. } => draws_normal_noise(body),
        _ => false,
    })
}

/// Moves a setting that differs from the first in whole numbers only next to it: how long lists are tells more than how much noise there
/// is, since a claim grows with its epsilon.
fn counts_first(mechanism: &Mechanism, found: &mut [Parameters]) {
    let Some((first, others)) = found.split_first_mut() else { return };
    let is_real = |param: &&Param| param.sort != Sort::Int;
    let reals: Vec<&Name> = mechanism.params.iter().filter(is_real).map(|param| &param.name).collect();
    let alike = |setting: &Parameters| reals.iter().all(|name| setting.get(*name) == first.get(*name));
    if let Some(at) = others.iter().position(alike) {
        others[..=at].rotate_right(1);
    }
}

/// Whether all roots of parameters that a text takes are rational.
fn has_rational_roots(mechanism: &Mechanism, setting: &Parameters) -> bool {
    let mut rational = true;
    named::for_each_expr(&mechanism.body, &mut |e| {
        named::for_each_part(e, &mut |part| {
            if matches!(part, Expr::Unary(Unary::Sqrt, _))
                && let Ok(root) = parameter_value(part, setting)
            {
                rational &= root.low == root.high;
            }
        });
    });
    rational
}

/// Settings before the one with ranges on one side of 0.
const BEFORE_ASIDE: usize = 2;

/// A setting with the ends of ranges moved to 2 and 3, if there are such.
fn aside(mechanism: &Mechanism, given: &Parameters, setting: &Parameters) -> Option<Parameters> {
    let mut moved = setting.clone();
    let mut names = mechanism.params.iter().map(|param| &param.name).filter(|name| !given.contains_key(name));
    let (low, high) = names.find_map(|name| Some((name, above(mechanism, name)?)))?;
    if given.contains_key(&high) {
        return None;
    }
    moved.insert(low.clone(), Rational::from(2));
    moved.insert(high, Rational::from(3));
    matches!(admits_parameters(mechanism, &moved), Ok(true)).then_some(moved)
}

/// The names that an expression reads other than in logarithms.
fn outside_logarithms(e: &Expr) -> BTreeSet<Name> {
    match e {
        Expr::Unary(Unary::Ln, _) => BTreeSet::new(),
        Expr::Var(_) | Expr::Index(..) | Expr::Sum(..) | Expr::Length(_) => names_of(e),
        _ => e.parts().into_iter().flatten().flat_map(outside_logarithms).collect(),
    }
}

/// What a parameter is guessed to be.
fn values(mechanism: &Mechanism, given: &Parameters, name: &Name, is_delta: bool) -> Vec<Rational> {
    let named = named::compared(mechanism, given);
    let is_int = mechanism.params.iter().any(|param| param.name == *name && param.sort == Sort::Int);
    let mut values: Vec<Rational> = if is_int {
        INTEGERS.map(Rational::from).to_vec()
    } else if is_delta {
        DELTAS.map(ratio).to_vec()
    } else {
        REALS.map(ratio).to_vec()
    };
    // What lies below another parameter, as the lower end of a range, may well be negative.
    if !is_int && !is_delta && above(mechanism, name).is_some() {
        values.insert(0, -Rational::ONE);
    }
    let half = fraction::<1, 2>();
    // A bound itself, what lies beyond it, and what lies between it and the next.
    let mut sorted = named.clone();
    sorted.sort_unstable();
    let between = sorted.windows(2).map(|pair| (&pair[0] + &pair[1]) * &half);
    let beyond = named.iter().flat_map(|x| [x + Rational::ONE, x - Rational::ONE, x * Rational::from(2)]);
    let more: Vec<Rational> = named.iter().cloned().chain(between).chain(beyond).collect();
    for x in more {
        if (!is_int || x.is_int()) && !values.contains(&x) {
            values.push(x);
        }
    }
    values
}

/// The parameter that an assumption says is above this one.
fn above(mechanism: &Mechanism, name: &Name) -> Option<Name> {
    let own = Expr::var(name.clone());
    let other = |e: &Expr| {
        let others = mechanism.params.iter().filter(|p| p.name != *name);
        others.map(|p| p.name.clone()).find(|other| *e == Expr::var(other.clone()))
    };
    let mut found = None;
    for assumption in &mechanism.assumptions {
        named::for_each_part(assumption, &mut |part| {
            let above = match part {
                Expr::Binary(Binary::Lt | Binary::Le, a, b) if **a == own => other(b),
                Expr::Binary(Binary::Gt | Binary::Ge, a, b) if **b == own => other(a),
                _ => None,
            };
            found = found.take().or(above);
        });
    }
    found
}

/// Parameters that an equation between parameters fixes, each with what must be 0.
fn solved<'a>(mechanism: &'a Mechanism, free: &[&'a Name]) -> Vec<(&'a Name, Expr)> {
    let mut solved: Vec<(&Name, Expr)> = Vec::new();
    let is_param = |name: &Name| mechanism.params.iter().any(|param| param.name == *name);
    let mut parts: Vec<&Expr> = mechanism.assumptions.iter().rev().collect();
    while let Some(assumption) = parts.pop() {
        if let Expr::Binary(Binary::And, a, b) = assumption {
            parts.extend([&**b, &**a]);
            continue;
        }
        let Expr::Binary(Binary::Eq, a, b) = assumption else { continue };
        let names = names_of(assumption);
        if !names.iter().all(is_param) {
            continue;
        }
        // A parameter that stands alone on one side is the one that is defined; else any, reals before integers.
        let alone = |name: &Name| [a, b].into_iter().any(|side| **side == Expr::var(name.clone()));
        let is_int = |name: &Name| mechanism.params.iter().any(|p| p.name == *name && p.sort == Sort::Int);
        let taken = |name: &Name| solved.iter().any(|(n, _)| *n == name);
        let chosen = free
            .iter()
            .filter(|name| names.contains(**name) && !taken(name))
            .min_by_key(|name| (!alone(name), is_int(name)));
        if let Some(name) = chosen {
            let difference = (**a).clone() - (**b).clone();
            solved.push((name, difference));
        }
    }
    solved
}

/// The names that an expression reads; all kinds of variables by their name.
fn names_of(expr: &Expr) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    expr.for_each_variable(&mut |v| match v {
        Variable::Plain(name) | Variable::Of(name, _) => {
            names.insert(name.clone());
        }
        // No parameter has this name.
        _ => {
            names.insert(Name::new("a row"));
        }
    });
    names
}

struct Enumeration<'a> {
    mechanism: &'a Mechanism,
    solved: Vec<(&'a Name, Expr)>,
    guessed: Vec<&'a Name>,
    values: Vec<Vec<Rational>>,
    most: usize,
    found: Vec<Parameters>,
    steps: usize,
}

impl Enumeration<'_> {
    /// Distributes `left` steps over the places from `from` on; false when enough was found or tried.
    fn spread(&mut self, left: usize, from: usize, setting: &mut Parameters) -> bool {
        match self.steps.checked_sub(1) {
            Some(steps) => self.steps = steps,
            None => return false,
        }
        if from == self.guessed.len() {
            return left > 0 || self.complete(setting);
        }
        let name = self.guessed[from].clone();
        let last = from + 1 == self.guessed.len();
        let mut values = self.values[from].clone();
        let fits = |search: &Self, setting: &mut Parameters, value: &Rational| {
            setting.insert(name.clone(), value.clone());
            search.possible(setting, &name)
        };
        // Where no simple number is allowed, what the parameters before it say.
        if !values.iter().any(|value| fits(self, setting, value)) {
            setting.remove(&name);
            values = self.bounds(&name, setting);
        }
        for (step, value) in values.iter().enumerate().take(left + 1) {
            // The last one takes all that is left.
            if (!last || step == left)
                && fits(self, setting, value)
                && !self.spread(left - step, from + 1, setting)
            {
                return false;
            }
        }
        setting.remove(&name);
        true
    }

    /// Numbers at and beside the bounds that the assumptions set to a parameter, given those before it.
    fn bounds(&self, name: &Name, setting: &Parameters) -> Vec<Rational> {
        let mut found = Vec::new();
        let own = Expr::var(name.clone());
        for assumption in &self.mechanism.assumptions {
            named::for_each_part(assumption, &mut |part| {
                let Expr::Binary(_, a, b) = part else { return };
                let other = if **a == own {
                    b
                } else if **b == own {
                    a
                } else {
                    return;
                };
                if let Ok(bound) = parameter_value(other, setting)
                    && bound.low == bound.high
                {
                    let (x, two) = (bound.low, Rational::from(2));
                    found.extend([&x + Rational::ONE, x.clone(), &x - Rational::ONE, &x * &two, &x / two]);
                }
            });
        }
        found
    }

    /// Whether no assumption about the parameters that have a value, this one among them, is broken.
    fn possible(&self, setting: &Parameters, newest: &Name) -> bool {
        self.mechanism.assumptions.iter().all(|assumption| {
            let names = names_of(assumption);
            let ready = names.contains(newest) && names.iter().all(|name| setting.contains_key(name));
            !ready || holds(assumption, setting)
        })
    }

    fn complete(&mut self, setting: &Parameters) -> bool {
        let mut all = setting.clone();
        // One may need another: as long as some can be solved, go on.
        let mut left: Vec<&(&Name, Expr)> = self.solved.iter().collect();
        while !left.is_empty() {
            let ready = left.iter().enumerate().find_map(|(place, (name, difference))| {
                Some((place, *name, solution(difference, name, &all)?))
            });
            let Some((place, name, value)) = ready else { return true };
            all.insert(name.clone(), value);
            left.remove(place);
        }
        if matches!(admits_parameters(self.mechanism, &all), Ok(true)) && !self.found.contains(&all) {
            self.found.push(all);
        }
        self.found.len() < self.most
    }
}

/// Whether an assumption about parameters holds: its truth as a number.
fn holds(assumption: &Expr, setting: &Parameters) -> bool {
    let number = Expr::If(assumption.clone().into(), Expr::int(1).into(), Expr::int(0).into());
    parameter_value(&number, setting).is_ok_and(|value| value.low == Rational::ONE)
}

/// Where an expression that is linear in a parameter is 0, given the others.
fn solution(expr: &Expr, name: &Name, others: &Parameters) -> Option<Rational> {
    let at = |x: i64| {
        let mut setting = others.clone();
        setting.insert(name.clone(), Rational::from(x));
        let value = parameter_value(expr, &setting).ok()?;
        (value.low == value.high).then_some(value.low)
    };
    let (first, second, third) = (at(1)?, at(2)?, at(3)?);
    let slope = &second - &first;
    if &third - &second != slope || slope.is_zero() {
        return None;
    }
    Some(Rational::ONE - first / slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Vec<Parameters> {
        let source = format!(
            "mechanism m(x: real)\n{text}\ny ~ laplace(x, 1)\nreturn y\nneighbours abs(x' - x) <= 1\nclaim 1"
        );
        let program = probity_lang::load_text(&source).unwrap();
        let found = parameters(&program.mechanism, &program.claim, &Parameters::new(), 4);
        for setting in &found {
            assert!(admits_parameters(&program.mechanism, setting).unwrap(), "{text}: {setting:?}");
        }
        found
    }

    #[test]
    fn equations_are_solved_and_bounds_are_met() {
        for text in [
            "param a > 0\nparam b > 0\nparam c > 0\nwhere a + b == c",
            "param a > 0\nparam b > 0\nwhere 2 * a + 3 * b == 7 and a < 1",
            "param a > 0\nparam b > 0\nwhere a == b / 7",
            "param a > 0\nparam b > 0\nparam c > 0\nwhere a == b / 7\nwhere c == a + b",
            "param p > 17 / 20\nwhere p < 18 / 20",
            "param n: int >= 37",
            "param p > 0\nparam q > 0\nparam r > 0\nwhere p < q\nwhere q < r\nwhere r < 1",
            "param a >= 100\nparam b >= 3 * a",
        ] {
            assert!(!settings(text).is_empty(), "{text}");
        }
        assert!(settings("param a > 0\nwhere a < 0").is_empty());
        // Ranges have ends on both sides of 0.
        let signs = settings("param L\nparam U\nwhere L < U");
        let around =
            |s: &Parameters| s[&Name::new("L")] < Rational::ZERO && s[&Name::new("U")] > Rational::ZERO;
        assert!(signs.iter().any(around), "{signs:?}");
        // And on one side of it.
        let beside = |s: &Parameters| s[&Name::new("L")] > Rational::ZERO;
        assert!(signs.iter().any(beside), "{signs:?}");
        // Unless an assumption says otherwise.
        assert!(!settings("param L\nparam U\nwhere L < U\nwhere L < 0").iter().any(beside));
    }

    #[test]
    fn lists_of_several_lengths_come_early() {
        let source = "mechanism m(q: real[n])\nparam n: int >= 3\nparam eps > 0\ny ~ laplace(q[0], 1 / eps)\n\
                      return y\nneighbours one entry of q differs by at most 1\nclaim eps";
        let program = probity_lang::load_text(source).unwrap();
        let found = parameters(&program.mechanism, &program.claim, &Parameters::new(), 14);
        let lengths: Vec<Rational> = found.iter().map(|s| s[&Name::new("n")].clone()).collect();
        assert_eq!(lengths[..2], [3, 4].map(Rational::from), "{found:?}");
        assert!(found[..2].iter().all(|s| s[&Name::new("eps")] == Rational::ONE), "{found:?}");
    }

    #[test]
    fn roots_are_rational_first_and_a_logarithm_is_of_a_small_number() {
        let source = "mechanism m(x: real)\nparam rho > 0\nparam delta > 0\nwhere delta < 1\ny ~ gaussian(x, sqrt(1 / (2 * rho)))\n\
                      return y\nneighbours abs(x' - x) <= 1\nclaim rho + sqrt(rho * ln(1 / delta)), delta";
        let program = probity_lang::load_text(source).unwrap();
        let found = parameters(&program.mechanism, &program.claim, &Parameters::new(), 8);
        let first = found.first().unwrap();
        assert_eq!(first[&Name::new("rho")], fraction::<1, 2>());
        assert_eq!(first[&Name::new("delta")], fraction::<1, 1000>());
        // Others come all the same.
        assert!(found.iter().any(|setting| setting[&Name::new("rho")] == Rational::ONE), "{found:?}");
    }
}
