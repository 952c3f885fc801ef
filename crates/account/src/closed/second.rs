//! The second moment of the likelihood ratio: an upper bound for any number of steps at the price of one, where losses have no end and a
//! lattice no room. `docs/accounting.md`, section 7.
//!
//! With r = P/Q and E_Q[r²] = e^S, δ(ε) ≤ e^(S−ε)/4, and S adds up over a composition.

use probity_exact::{Rational, exp_bounds, ln_bounds};

use crate::account::Question;
use crate::fixed::{Total, near};
use crate::laws::exponent_bound;
use crate::model::Simple;
use crate::search;

/// Beyond this e^S is no number to compute with.
const LARGE: u32 = 1000;

/// An upper bound of what is asked, in both directions; `None` where a law has no second moment that is known.
pub(crate) fn upper(laws: &[(Simple, u64)], question: &Question) -> Option<Rational> {
    let mut total = Total::new();
    for (law, n) in laws {
        total.add(&of_law(law)?, *n);
    }
    let sum = total.bounds().1?;
    match question {
        Question::Delta(epsilon) => exponent_bound(&(sum / Rational::from(2)), epsilon, 2.0),
        Question::Epsilon(delta) => {
            let (low, _) = ln_bounds(&(delta * Rational::from(4)), 160)?;
            Some((sum - low).max(Rational::ZERO)).filter(|epsilon| near(epsilon) < search::LARGEST)
        }
    }
}

/// An upper bound of S in both directions.
fn of_law(law: &Simple) -> Option<Rational> {
    match law {
        Simple::Normal(square) => Some(square.clone()),
        Simple::DiscreteGaussian(variance, s) => Some(Rational::from(*s) * Rational::from(*s) / variance),
        Simple::Rho(rho) => Some(rho * Rational::from(2)),
        Simple::Poisson(q, law) => of_sample(q, of_law(law)?),
        law => {
            let (loss, told) = law.at_most()?;
            told.is_zero().then(|| (&loss * &loss).min(loss))
        }
    }
}

/// A sample tells no more than the whole, and with χ² = e^S − 1 at most ln(1 + q²χ²/(1 − q)).
fn of_sample(q: &Rational, whole: Rational) -> Option<Rational> {
    if *q >= Rational::ONE || whole > Rational::from(LARGE) {
        return Some(whole);
    }
    let (_, ln) = ln_bounds(&(Rational::ONE + q * q * chi_square(&whole)? / (Rational::ONE - q)), 96)?;
    Some(whole.min(ln))
}

/// An upper bound of e^S − 1, with more bits than what is made of it.
fn chi_square(whole: &Rational) -> Option<Rational> {
    Some(exp_bounds(whole, 160).1.to_rational()? - Rational::ONE)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::resolve::Side;
    use crate::{Adjacency, Effort, Expression, account};
    use probity_exact::parse_rational;

    fn number(text: &str) -> Rational {
        parse_rational(text).unwrap()
    }

    /// Both second moments of a sample, exactly, for laws on three points.
    #[test]
    fn a_sample_keeps_the_bound_in_both_directions() {
        let share = |of: i64| Rational::from(of) / Rational::from(20);
        for (a, b) in (1..19).flat_map(|a| (1..20 - a).map(move |b| (a, b))) {
            let p = [share(a), share(b), share(20 - a - b)];
            let q = [share(5), share(12), share(3)];
            let moment = |p: &[Rational; 3], q: &[Rational; 3]| -> Rational {
                p.iter().zip(q).fold(Rational::ZERO, |sum, (p, q)| sum + p * p / q)
            };
            let chi_square = moment(&p, &q) - Rational::ONE;
            for rate in ["1/100", "1/3", "9/10"].map(number) {
                let kept = Rational::ONE - &rate;
                let mixed: [Rational; 3] = std::array::from_fn(|i| &kept * &q[i] + &rate * &p[i]);
                let bound = Rational::ONE + &rate * &rate * &chi_square / kept;
                assert!(moment(&mixed, &q) <= bound, "removed: {a} {b} {rate}");
                assert!(moment(&q, &mixed) <= bound, "added: {a} {b} {rate}");
            }
        }
    }

    /// Never below what the lattice shows to be lost.
    #[test]
    fn it_is_above_the_lattice() {
        let laws = [
            "gaussian(1)",
            "gaussian(3/10)",
            "poisson(1/10, gaussian(1)) * 30",
            "poisson(9/10, gaussian(2)) * 5",
        ];
        for text in laws {
            let expression = Expression::parse(text).unwrap();
            let composition = expression.evaluate(&BTreeMap::new(), &|_| Err("no text".into())).unwrap();
            for question in [Question::Epsilon(number("1/100")), Question::Delta(Rational::ONE)] {
                let effort = Effort { closed_forms: false, width: 0.01, ..Effort::default() };
                let answer = account(&composition, Adjacency::AddRemove, &question, &effort).unwrap();
                let (simple, _) = composition.resolved(Adjacency::AddRemove, Side::Above).unwrap();
                let bound = upper(&simple, &question).unwrap_or(Rational::ONE);
                assert!(bound >= answer.bracket.lower, "{text} {question:?}: {bound}");
            }
        }
    }

    /// So many steps fit on no lattice, and still have a bound that is no more than twice the mean loss.
    #[test]
    fn a_million_million_steps_have_a_bound() {
        let steps = Simple::Poisson(number("1/100"), Box::new(Simple::Normal(Rational::ONE)));
        let found = upper(&[(steps, 1_000_000_000_000)], &Question::Epsilon(number("1e-5"))).unwrap();
        // n·ln(1 + q²(e − 1)/(1 − q)) + ln(1/4δ) by another library.
        let truth = number("173548770.72571894264264278661578656170414882065039");
        assert!(found >= truth && found < truth + number("1e-12"), "{found}");
    }

    /// Each part by itself is rounded up: so near to what another library gives that a number rounded down would lie below.
    #[test]
    fn parts_are_rounded_up() {
        let above = |found: Rational, truth: &str| {
            let truth = number(truth);
            assert!(found >= truth && found < truth + number("1e-25"), "{found}");
        };
        let normal = upper(&[(Simple::Normal(Rational::ONE), 1)], &Question::Epsilon(number("1e-5")));
        above(normal.unwrap(), "11.12663110385033780125549303050546790185450717442335437192527948585108");
        above(
            chi_square(&Rational::ONE).unwrap(),
            "1.71828182845904523536028747135266249775724709369995957496696762772407663035",
        );
        above(
            of_sample(&number("1/100"), Rational::ONE).unwrap(),
            "0.0001735487605990878387923049853602935311986809187958847347650721062934924",
        );
    }

    /// A law whose δ is its own has no second moment, nor has one whose losses are not known.
    #[test]
    fn what_has_no_second_moment_has_no_bound() {
        let question = Question::Epsilon(number("1/100"));
        let told = Simple::Pure(Rational::ONE, number("1/1000"));
        assert_eq!(upper(&[(told.clone(), 1)], &question), None);
        assert_eq!(upper(&[(Simple::Poisson(number("1/2"), Box::new(told)), 1)], &question), None);
        let normal = Simple::Normal(Rational::ONE);
        assert_eq!(upper(&[(Simple::Group(2, Box::new(normal)), 1)], &question), None);
    }
}
