//! Evidence by way of formulas that are shown one after the other: for goals that need products of facts which no single search
//! would think of. Nothing here is trusted; what comes out is a chain of cuts.

use probity_kernel::context::Context;
use probity_kernel::entail::{Evidence, Facts, Product};
use probity_kernel::expr::Expr;

use crate::effort::Effort;
use crate::evidence::search::search_within;

/// What one step may take.
const STEP_EFFORT: u64 = 1_000_000;

/// A formula on the way, and the numbers of the steps before it of which it follows.
pub(crate) struct Step {
    pub(crate) formula: Expr,
    pub(crate) from: Vec<usize>,
}

/// Evidence of the goal by way of the steps, from those that `last` names. A step that is not shown is left out: what follows
/// from it may follow from the rest.
pub(crate) fn search_by_steps(
    context: &Context,
    goal: &Expr,
    steps: &[Step],
    last: &[usize],
    effort: &mut Effort,
) -> Option<Evidence> {
    let count =
        |hypotheses: &[&Expr], goal: &Expr| Some(Facts::new(context, hypotheses, goal).ok()?.list().len());
    // Before the steps stand what the context knows, and that the goal is denied.
    let known = count(&[], &Expr::Bool(true))?.checked_sub(1)?;
    let start = count(&[], goal)?;
    let mut shown: Vec<(usize, Evidence)> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let places = places(&shown, &step.from);
        let hypotheses: Vec<&Expr> = places.iter().map(|&place| &steps[shown[place].0].formula).collect();
        // Each is one fact, so that facts can be counted.
        if count(&hypotheses, &Expr::Bool(true))? != known + hypotheses.len() + 1 {
            return None;
        }
        let given = effort.left.min(STEP_EFFORT);
        let mut share = Effort::of(given);
        let found = search_within(context, &hypotheses, &step.formula, &mut share);
        effort.left -= given - share.left;
        let all = shown.len();
        if let Ok(evidence) = found {
            let place = |n: usize| match n.checked_sub(known) {
                None => n,
                Some(at) => start + places.get(at).copied().unwrap_or(all + at.saturating_sub(places.len())),
            };
            shown.push((number, renumbered(&evidence, &place)));
        }
    }
    let places = places(&shown, last);
    let denial = !goal.clone();
    let mut hypotheses: Vec<&Expr> = places.iter().map(|&place| &steps[shown[place].0].formula).collect();
    let newest = !hypotheses.pop()?.clone();
    hypotheses.insert(0, &denial);
    let end = search_within(context, &hypotheses, &newest, effort).ok()?;
    let place = |n: usize| match n.checked_sub(start) {
        None => n,
        Some(at) => start + places.get(at).copied().unwrap_or(shown.len() + at.saturating_sub(places.len())),
    };
    let end = renumbered(&end, &place);
    let cut = |rest: Evidence, (number, evidence): (usize, Evidence)| {
        Evidence::Cut(steps[number].formula.clone(), Box::new(rest), Box::new(evidence))
    };
    Some(shown.into_iter().rev().fold(end, cut))
}

/// Where the steps with these numbers are among those that are shown.
fn places(shown: &[(usize, Evidence)], wanted: &[usize]) -> Vec<usize> {
    wanted.iter().filter_map(|number| shown.iter().position(|(known, _)| known == number)).collect()
}

/// The evidence with every fact cited by another number.
fn renumbered(evidence: &Evidence, place: &dyn Fn(usize) -> usize) -> Evidence {
    let go = |e: &Evidence| renumbered(e, place);
    match evidence {
        Evidence::Combination { products, equations } => {
            let product =
                |p: &Product| Product { facts: p.facts.iter().map(|&n| place(n)).collect(), ..p.clone() };
            Evidence::Combination {
                products: products.iter().map(product).collect(),
                equations: equations.iter().map(|(n, e)| (place(*n), e.clone())).collect(),
            }
        }
        Evidence::Clash(a, b) => Evidence::Clash(place(*a), place(*b)),
        Evidence::Absurd(n) => Evidence::Absurd(place(*n)),
        Evidence::Cases(n, branches) => Evidence::Cases(place(*n), branches.iter().map(go).collect()),
        Evidence::Cut(f, yes, no) => Evidence::Cut(f.clone(), Box::new(go(yes)), Box::new(go(no))),
        Evidence::Cite(lemma, rest) => Evidence::Cite(lemma.clone(), Box::new(go(rest))),
    }
}

#[cfg(test)]
mod tests {
    use probity_kernel::context::Orientation;
    use probity_kernel::entail::check_entailment;
    use probity_kernel::term::{Mechanism, Param, Sort};

    use super::*;

    /// A context with two positive numbers.
    fn context() -> Context {
        let mechanism = Mechanism {
            name: "m".into(),
            inputs: vec![],
            params: ["p", "q"].map(|name| Param { name: name.into(), sort: Sort::Real }).to_vec(),
            assumptions: ["p", "q"].map(|name| Expr::int(0).lt(Expr::var(name))).to_vec(),
            body: vec![],
            output: Expr::int(0),
            adjacency: vec![],
        };
        Context::new(&mechanism, Orientation::Forward).unwrap()
    }

    fn step(formula: Expr, from: &[usize]) -> Step {
        Step { formula, from: from.to_vec() }
    }

    #[test]
    fn what_comes_of_steps_is_evidence() {
        let context = context();
        let (p, q) = (Expr::var("p"), Expr::var("q"));
        let sum = p.clone() + q.clone();
        // The second is wrong, and left out; the last does not follow from it.
        let steps = [
            step(p.clone().lt(sum.clone()), &[]),
            step(sum.clone().lt(p.clone()), &[0]),
            step(Expr::int(0).lt(sum.clone()), &[1, 0]),
            step(q.clone().lt(sum.clone()), &[]),
        ];
        let goal = Expr::int(0).lt(sum.clone()).and(p.clone().lt(sum.clone()).or(q.lt(p.clone())));
        for last in [&[0, 2][..], &[2, 0], &[3, 1, 0]] {
            let evidence =
                search_by_steps(&context, &goal, &steps, last, &mut Effort::of(1_000_000)).unwrap();
            assert!(check_entailment(&context, &[], &goal, &evidence).is_ok(), "{last:?}");
        }
        let wrong = sum.lt(p);
        assert!(search_by_steps(&context, &wrong, &steps, &[0, 1], &mut Effort::of(1_000_000)).is_none());
    }
}
