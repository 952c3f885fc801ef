//! Evidence for a goal of many parts, put together from evidence for each of them.
//!
//! What draws that follow one another ask is one goal, of which the parts are alike from draw to draw while the whole is like nothing that
//! was asked before. So each part is a question of its own, with its own lemmas. Nothing here is believed: the kernel checks the whole.

use probity_kernel::entail::{Evidence, Facts, Product};
use probity_kernel::fact::Fact;

/// What was found for one part of a goal: its question's facts, and evidence that they contradict each other.
pub(crate) struct Shown<'q> {
    pub(crate) facts: Facts<'q>,
    pub(crate) evidence: Evidence,
}

/// In how many ways a part can fail: none if it is plainly true. The facts of its question begin with `known` that all questions share.
pub(crate) fn ways(facts: &Facts<'_>, known: usize) -> usize {
    match facts.list().get(known).map(|fact| &**fact) {
        Some(Fact::Any(parts)) if facts.list().len() == known + 1 => parts.len(),
        _ => 1,
    }
}

/// Evidence for the whole from that for its parts, in order, those that are plainly true left out. `None` where a piece of it is of another
/// make: then it is looked for in one piece.
pub(crate) fn composed(whole: &Facts<'_>, known: usize, parts: &[Shown<'_>]) -> Option<Evidence> {
    let alternatives: usize = parts.iter().map(|part| ways(&part.facts, known)).sum();
    if whole.list().len() != known + 1 || alternatives < 2 || ways(whole, known) != alternatives {
        return None;
    }
    let mut branches = Vec::new();
    for part in parts {
        branches.extend(part.branches(known)?);
    }
    Some(Evidence::Cases(known, branches))
}

impl Shown<'_> {
    /// The evidence for each way in which the part can fail, as it reads behind the fact that some part of the whole fails: there the way
    /// stands before the lemmas, and not behind them.
    fn branches(&self, known: usize) -> Option<Vec<Evidence>> {
        let (mut cited, mut core, mut facts) = (Vec::new(), &self.evidence, self.facts.clone());
        while let Evidence::Cite(lemma, rest) = core {
            facts = facts.with_lemma(lemma).ok()?;
            cited.push(lemma);
            core = rest;
        }
        let lemmas = facts.list().len() - self.facts.list().len();
        let under = |evidence: Evidence| {
            cited.iter().rev().fold(evidence, |rest, lemma| Evidence::Cite((*lemma).clone(), Box::new(rest)))
        };
        let Some(Fact::Any(failures)) = self.facts.list().get(known).map(|fact| &**fact) else {
            // One way, whose facts stand where the disjunction will.
            return Some(vec![under(renumbered(core, &|n| if n < known { n } else { n + 1 }))]);
        };
        match core {
            Evidence::Cases(number, branches) if *number == known && branches.len() == failures.len() => {
                let branch = |(way, branch): (&Fact, &Evidence)| {
                    let size = width(way);
                    let place = |n: usize| match n {
                        n if n <= known || n > known + lemmas + size => n,
                        n if n <= known + lemmas => n + size,
                        n => n - lemmas,
                    };
                    under(renumbered(branch, &place))
                };
                Some(failures.iter().zip(branches).map(branch).collect())
            }
            _ => None,
        }
    }
}

/// How many numbers a fact takes.
fn width(fact: &Fact) -> usize {
    match fact {
        Fact::All(parts) => parts.iter().map(width).sum(),
        _ => 1,
    }
}

/// The evidence with every fact at its new place.
fn renumbered(evidence: &Evidence, place: &dyn Fn(usize) -> usize) -> Evidence {
    let go = |evidence: &Evidence| renumbered(evidence, place);
    match evidence {
        Evidence::Combination { products, equations } => {
            let product = |product: &Product| Product {
                facts: product.facts.iter().map(|n| place(*n)).collect(),
                ..product.clone()
            };
            Evidence::Combination {
                products: products.iter().map(product).collect(),
                equations: equations.iter().map(|(n, by)| (place(*n), by.clone())).collect(),
            }
        }
        Evidence::Clash(yes, no) => Evidence::Clash(place(*yes), place(*no)),
        Evidence::Absurd(n) => Evidence::Absurd(place(*n)),
        Evidence::Cases(n, branches) => Evidence::Cases(place(*n), branches.iter().map(go).collect()),
        Evidence::Cut(formula, yes, no) => {
            Evidence::Cut(formula.clone(), Box::new(go(yes)), Box::new(go(no)))
        }
        Evidence::Cite(lemma, rest) => Evidence::Cite(lemma.clone(), Box::new(go(rest))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::search::search_evidence;
    use probity_kernel::context::{Context, Orientation};
    use probity_kernel::expr::Expr;
    use probity_kernel::term::{Mechanism, Param, Sort};

    fn context() -> Context {
        let param = |name: &str, sort: Sort| Param { name: name.into(), sort };
        let mechanism = Mechanism {
            name: "m".into(),
            inputs: vec![],
            params: vec![param("p", Sort::Real), param("n", Sort::Int)],
            assumptions: vec![Expr::int(1).le(Expr::var("p"))],
            body: vec![],
            output: Expr::int(0),
            adjacency: vec![],
        };
        Context::new(&mechanism, Orientation::Forward).unwrap()
    }

    /// Parts that fail in one way, in two, in one of several facts, in none, and by a lemma on floors.
    fn parts() -> (Vec<Expr>, Vec<Expr>) {
        let (p, n) = (Expr::var("p"), Expr::var("n"));
        let chosen = n.clone().le(Expr::int(0)).choose(p.clone(), p.clone() - Expr::int(1));
        let known = vec![p.clone().le(Expr::int(7)), n.clone().le(Expr::int(2))];
        let goals = vec![
            Expr::int(0).lt(p.clone()),
            p.clone().le(p.clone()),
            p.clone().abs().le(Expr::int(7)),
            chosen.le(Expr::int(7)),
            (p.clone() / Expr::int(2)).floor().le(Expr::int(3)),
            n.clone().lt(Expr::int(1)).or(n.clone().le(Expr::int(2))),
        ];
        (known, goals)
    }

    fn shown<'q>(context: &'q Context, known: &[&Expr], goals: &[Expr]) -> Vec<Shown<'q>> {
        let base = Facts::new(context, known, &Expr::Bool(true)).unwrap().list().len() - 1;
        let questions = goals.iter().map(|goal| (goal, Facts::new(context, known, goal).unwrap()));
        questions
            .filter(|(_, facts)| ways(facts, base) > 0)
            .map(|(goal, facts)| Shown { facts, evidence: search_evidence(context, known, goal).unwrap() })
            .collect()
    }

    #[test]
    fn the_kernel_accepts_what_is_put_together() {
        let context = context();
        let (known, goals) = parts();
        let known: Vec<&Expr> = known.iter().collect();
        let base = Facts::new(&context, &known, &Expr::Bool(true)).unwrap().list().len() - 1;
        for from in 0..goals.len() - 2 {
            let whole = Facts::new(&context, &known, &Expr::all(goals[from..].to_vec())).unwrap();
            let evidence = composed(&whole, base, &shown(&context, &known, &goals[from..])).unwrap();
            assert!(whole.refute(&evidence).is_ok(), "from part {from}");
        }
    }

    #[test]
    fn evidence_for_other_parts_is_not_put_together() {
        let context = context();
        let (known, goals) = parts();
        let known: Vec<&Expr> = known.iter().collect();
        let base = Facts::new(&context, &known, &Expr::Bool(true)).unwrap().list().len() - 1;
        let whole = Facts::new(&context, &known, &Expr::all(goals.clone())).unwrap();
        assert_eq!(composed(&whole, base, &shown(&context, &known, &goals[2..])), None);
        // As many ways to fail, in another order: put together, and refused.
        let turned: Vec<Expr> = goals.iter().rev().cloned().collect();
        let wrong = composed(&whole, base, &shown(&context, &known, &turned)).unwrap();
        assert!(whole.refute(&wrong).is_err());
    }
}
