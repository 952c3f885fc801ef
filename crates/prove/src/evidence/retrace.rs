//! Evidence that goes the way of other evidence: the same lemmas, cases and facts, and numbers of its own.
//!
//! Questions that are alike differ in their numbers, or in which run has the row that the other lacks. What took long to find, which
//! disjunctions to split and which facts do at each end, is the same; the multipliers come from a small question to the simplex. Nothing here
//! is believed: whoever uses the evidence has the kernel check it.

use probity_kernel::entail::{Evidence, Facts};

use crate::effort::Effort;
use crate::evidence::linear::rows::{base_rows, cited_rows, contradiction, scaled_rows};
use crate::evidence::search::plain_contradiction;

/// Evidence that the facts contradict each other, found along other evidence; `None` where that leads nowhere.
/// Not more is done than `most`, as a part of the effort.
pub(crate) fn retraced(
    facts: &Facts<'_>,
    way: &Evidence,
    most: u64,
    effort: &mut Effort,
) -> Option<Evidence> {
    let given = effort.left.min(most);
    let mut own = Effort::of(given);
    let found = along(facts, way, &mut own);
    effort.spend((given - own.left) as usize)?;
    found
}

fn along(facts: &Facts<'_>, way: &Evidence, effort: &mut Effort) -> Option<Evidence> {
    if effort.is_spent() {
        return None;
    }
    match way {
        Evidence::Cite(lemma, rest) => {
            let rest = along(&facts.with_lemma(lemma).ok()?, rest, effort)?;
            Some(Evidence::Cite(lemma.clone(), Box::new(rest)))
        }
        Evidence::Cut(formula, yes, no) => {
            let yes = along(&facts.with(formula, true).ok()?, yes, effort)?;
            let no = along(&facts.with(formula, false).ok()?, no, effort)?;
            Some(Evidence::Cut(formula.clone(), Box::new(yes), Box::new(no)))
        }
        Evidence::Cases(number, branches) => {
            let cases = facts.cases(*number).ok()?;
            let found = cases.iter().enumerate().map(|(at, case)| {
                // Where the runs are exchanged, so are cases of a comparison.
                let others =
                    branches.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, way)| way);
                let mut ways = branches.get(at).into_iter().chain(others);
                ways.find_map(|way| along(case, way, effort)).or_else(|| at_end(case, effort))
            });
            Some(Evidence::Cases(*number, found.collect::<Option<_>>()?))
        }
        Evidence::Absurd(_) | Evidence::Clash(..) => plain_contradiction(facts.list()),
        Evidence::Combination { products, equations } => {
            contradiction(&cited_rows(facts, products, equations)?, effort)
        }
    }
}

/// A contradiction that needs no cases, of whatever facts.
fn at_end(facts: &Facts<'_>, effort: &mut Effort) -> Option<Evidence> {
    let base = base_rows(facts.list());
    contradiction(&base, effort).or_else(|| {
        let scaled = scaled_rows(facts.context(), &base);
        contradiction(&base.iter().cloned().chain(scaled).collect::<Vec<_>>(), effort)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::search::search_evidence;
    use probity_kernel::context::{Context, Orientation};
    use probity_kernel::expr::Expr;
    use probity_kernel::term::{Mechanism, Param, Sort};

    fn context() -> Context {
        let real = |name: &str| Param { name: name.into(), sort: Sort::Real };
        let mechanism = Mechanism {
            name: "m".into(),
            inputs: vec![],
            params: vec![real("p"), real("q")],
            assumptions: vec![],
            body: vec![],
            output: Expr::int(0),
            adjacency: vec![],
        };
        Context::new(&mechanism, Orientation::Forward).unwrap()
    }

    /// |p| <= bound and q == p * times say |q| <= bound * times.
    fn question(bound: i64, times: i64, claimed: i64) -> (Vec<Expr>, Expr) {
        let (p, q) = (Expr::var("p"), Expr::var("q"));
        let known = vec![p.clone().abs().le(Expr::int(bound)), q.clone().equals(p * Expr::int(times))];
        (known, q.abs().le(Expr::int(claimed)))
    }

    #[test]
    fn other_numbers_and_signs_are_found_along_the_same_way() {
        let context = context();
        let (known, goal) = question(3, 2, 6);
        let way = search_evidence(&context, &known.iter().collect::<Vec<_>>(), &goal).unwrap();
        for (bound, times, claimed) in [(3, 2, 6), (5, 7, 35), (5, -7, 35), (1, -1, 2)] {
            let (known, goal) = question(bound, times, claimed);
            let facts = Facts::new(&context, &known.iter().collect::<Vec<_>>(), &goal).unwrap();
            let found = retraced(&facts, &way, 300_000, &mut Effort::of(1_000_000)).unwrap();
            assert!(facts.refute(&found).is_ok(), "{bound} {times}");
        }
    }

    #[test]
    fn what_does_not_follow_is_not_found_along_any_way() {
        let context = context();
        let (known, goal) = question(3, 2, 6);
        let way = search_evidence(&context, &known.iter().collect::<Vec<_>>(), &goal).unwrap();
        for (bound, times, claimed) in [(3, 2, 5), (3, -3, 6)] {
            let (known, goal) = question(bound, times, claimed);
            let facts = Facts::new(&context, &known.iter().collect::<Vec<_>>(), &goal).unwrap();
            assert_eq!(retraced(&facts, &way, 300_000, &mut Effort::of(1_000_000)), None);
        }
        // A fact that is not there leads nowhere.
        let facts = Facts::new(&context, &[], &goal).unwrap();
        assert_eq!(retraced(&facts, &Evidence::Cases(77, vec![]), 300_000, &mut Effort::of(1_000_000)), None);
    }
}
