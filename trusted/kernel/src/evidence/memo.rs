//! What formulas of a context say, unfolded once: the side conditions of one proof share most of their hypotheses, and each is looked
//! at twice, when evidence is looked for and when the kernel checks it.
//!
//! Nothing rests on this: what a formula says in a context depends on the formula and the context alone, and a context does not change.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock};

use crate::expr::Expr;
use crate::fact::Fact;
use crate::rejection::Rejection;

/// The most parts that are kept for one context; what comes later is unfolded each time: a
/// certificate that somebody sends may ask for much.
const MOST_KEPT: usize = 500_000;

/// What a formula says, or its negation: the parts of a conjunction, in order.
pub(crate) struct Unfolded {
    pub(crate) parts: Vec<Arc<Fact>>,
    /// How many parts were unfolded to make them, and are kept.
    pub(crate) work: usize,
    /// How many parts they have in memory.
    pub(crate) weight: usize,
}

impl Unfolded {
    /// The parts of a fact that took some work to make.
    pub(crate) fn new(fact: Fact, work: usize) -> Unfolded {
        let weight = fact.weight();
        let mut parts = Vec::new();
        flatten(fact, &mut parts);
        Unfolded { parts, work: work.saturating_add(weight), weight }
    }
}

/// A conjunction is numbered by its parts, in order.
fn flatten(fact: Fact, parts: &mut Vec<Arc<Fact>>) {
    match fact {
        Fact::All(inner) => inner.into_iter().for_each(|part| flatten(part, parts)),
        other => parts.push(Arc::new(other)),
    }
}

/// What formulas say, and their negations.
#[derive(Default)]
pub(crate) struct Memo {
    formulas: Mutex<Kept>,
    /// All that the context knows, which every side condition begins with.
    context: OnceLock<Arc<Unfolded>>,
}

#[derive(Default)]
struct Kept {
    /// By polarity.
    unfolded: [HashMap<Expr, Arc<Unfolded>>; 2],
    size: usize,
}

impl Memo {
    /// What is kept for a formula, or what `make` says, which is kept from then on. A rejection is not kept.
    pub(crate) fn get(
        &self,
        formula: &Expr,
        polarity: bool,
        make: impl FnOnce() -> Result<Unfolded, Rejection>,
    ) -> Result<Arc<Unfolded>, Rejection> {
        let known = |kept: &Kept| kept.unfolded[usize::from(polarity)].get(formula).cloned();
        // A lock that a panic left behind is as good as no memory.
        if let Some(found) = self.formulas.lock().ok().and_then(|kept| known(&kept)) {
            return Ok(found);
        }
        let made = Arc::new(make()?);
        let size = formula.size().saturating_add(made.weight);
        if let Ok(mut kept) = self.formulas.lock()
            && kept.size.saturating_add(size) <= MOST_KEPT
        {
            kept.size += size;
            kept.unfolded[usize::from(polarity)].insert(formula.clone(), made.clone());
        }
        Ok(made)
    }

    /// The same for all that the context knows.
    pub(crate) fn of_context(
        &self,
        make: impl FnOnce() -> Result<Unfolded, Rejection>,
    ) -> Result<Arc<Unfolded>, Rejection> {
        match self.context.get() {
            Some(found) => Ok(found.clone()),
            None => {
                let made = make()?;
                Ok(self.context.get_or_init(|| Arc::new(made)).clone())
            }
        }
    }
}

/// A copy remembers nothing, and remembering makes no difference between contexts.
impl Clone for Memo {
    fn clone(&self) -> Memo {
        Memo::default()
    }
}

impl PartialEq for Memo {
    fn eq(&self, _: &Memo) -> bool {
        true
    }
}

impl Eq for Memo {}

impl fmt::Debug for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memo")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::{Context, Orientation};
    use crate::entail::Facts;
    use crate::term::{Mechanism, Param, Sort};

    fn context(assumptions: Vec<Expr>) -> Context {
        let mechanism = Mechanism {
            name: "m".into(),
            inputs: vec![],
            params: vec![Param { name: "n".into(), sort: Sort::Real }],
            assumptions,
            body: vec![],
            output: Expr::int(0),
            adjacency: vec![],
        };
        Context::new(&mechanism, Orientation::Forward).unwrap()
    }

    /// Facts and work of a question, asked once more in the same context and in a new one.
    #[test]
    fn what_is_kept_is_what_would_be_made() {
        let n = Expr::var("n");
        let positive = vec![n.clone().gt(Expr::int(0))];
        let hypothesis = (Expr::int(1) / n.clone()).min(n.clone()).le(Expr::int(4));
        let goal = n.clone().lt(Expr::int(7));
        let kept = context(positive.clone());
        let ask = |context: &Context| {
            let facts = Facts::new(context, &[&hypothesis, &goal], &hypothesis).unwrap();
            let work = facts.refute(&crate::entail::Evidence::Absurd(99)).err();
            (facts.list().to_vec(), work)
        };
        let first = ask(&kept);
        assert_eq!(ask(&kept), first);
        assert_eq!(ask(&context(positive)), first);
        // Where n may be negative or 0, 1/n is another number: nothing is carried from context to context.
        assert_ne!(ask(&context(vec![])).0[..], first.0[1..]);
    }

    /// A formula and its negation are kept apart, and a copy of a context has a memory of its own.
    #[test]
    fn both_polarities_are_kept_apart() {
        let (context, goal) = (context(vec![]), Expr::var("n").lt(Expr::int(7)));
        let yes = Facts::new(&context, &[&goal], &Expr::Bool(false)).unwrap();
        let no = Facts::new(&context, &[], &goal).unwrap();
        assert_ne!(yes.list()[0], no.list()[0]);
        assert_eq!(Facts::new(&context.clone(), &[], &goal).unwrap().list(), no.list());
        assert_eq!(context, context.clone());
    }

    /// A rejection is no less one the second time, and what is too much is made anew.
    #[test]
    fn rejections_and_large_formulas_are_not_kept() {
        let memo = Memo::default();
        let formula = Expr::Bool(true);
        let asked = std::cell::Cell::new(0);
        let make = |work: usize| {
            asked.set(asked.get() + 1);
            if work == 0 {
                Err(Rejection::TooLarge)
            } else {
                Ok(Unfolded { parts: vec![], work, weight: work })
            }
        };
        assert!(memo.get(&formula, true, || make(0)).is_err());
        assert!(memo.get(&formula, true, || make(0)).is_err());
        assert_eq!(memo.get(&formula, true, || make(MOST_KEPT + 1)).unwrap().work, MOST_KEPT + 1);
        assert_eq!(asked.get(), 3);
        assert_eq!(memo.get(&formula, true, || make(7)).unwrap().work, 7);
        assert_eq!(memo.get(&formula, true, || make(8)).unwrap().work, 7);
        assert_eq!(memo.get(&formula, false, || make(8)).unwrap().work, 8);
        assert_eq!(asked.get(), 5);
    }
}
