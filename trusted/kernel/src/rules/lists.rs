//! Lists: what neighbouring lists say of all their entries, and what appending does to what is known of a list.
//!
//! `docs/logic.md` section 8b proves the rules.

use crate::context::{Context, Orientation};
use crate::expr::{Binary, Expr, Name, Run, Variable};
use crate::kind::{Kind, malformed};
use crate::rejection::Rejection;
use crate::term::{Adjacency, Mechanism};

/// The list of whose entries an assumption speaks.
pub(crate) fn of_entries(assumption: &Expr) -> Option<Name> {
    match assumption.find_variable(&|v| matches!(v, Variable::Entry(_))) {
        Some(Variable::Entry(list)) => Some(list),
        _ => None,
    }
}

/// An assumption about the entries of a list mentions parameters only besides: it holds of each entry on its own.
pub(crate) fn check_assumption(mechanism: &Mechanism, assumption: &Expr) -> Result<(), Rejection> {
    let Some(list) = of_entries(assumption) else { return Ok(()) };
    let foreign = |v: &Variable| match v {
        Variable::Entry(of) => *of != list,
        Variable::Plain(name) => !mechanism.params.iter().any(|p| p.name == *name),
        _ => true,
    };
    match assumption.find_variable(&foreign) {
        None => Ok(()),
        Some(v) => Err(malformed(format!("the assumption '{assumption}' on entries of {list} mentions {v}"))),
    }
}

/// What the assumptions say of the entries at an index in both runs, if there are such entries.
pub(crate) fn bounds_at(mechanism: &Mechanism, list: &Name, index: &Expr) -> Vec<Expr> {
    let about = mechanism.assumptions.iter().filter(|a| of_entries(a).as_ref() == Some(list));
    let length = Expr::Length(Variable::Plain(list.clone()));
    let inside = Expr::int(0).le(index.clone()).and(index.clone().lt(length));
    let in_run = |assumption: &Expr, run: Run| {
        let entry = index.clone().index_of(Variable::Of(list.clone(), run));
        assumption.replace(&|v| matches!(v, Variable::Entry(_)).then(|| entry.clone()))
    };
    let both = |a: &Expr| in_run(a, Run::First).and(in_run(a, Run::Second));
    about.map(|assumption| inside.clone().implies(both(assumption))).collect()
}

/// The lists of a clause about one changed entry, which change at one place.
pub(crate) fn changed_lists(clause: &Adjacency) -> &[Name] {
    match clause {
        Adjacency::OneEntry { list, .. } => std::slice::from_ref(list),
        Adjacency::OneEntryOf { lists, .. } => lists,
        _ => &[],
    }
}

/// APART: what makes all changes of the entries of an input list lie between two numbers.
/// ```text
/// every entry differs by at most b    low ≤ −b, b ≤ high, 0 ≤ b ⇒ apart(q, low, high)
/// every entry grows by at most b      low ≤ 0, b ≤ high, 0 ≤ b ⇒ apart(q, low, high); mirrored in the other orientation
/// one entry differs by at most b      low ≤ 0 ≤ high, low ≤ q'[c] − q[c] ≤ high ⇒ apart(q, low, high), c = changed(q)
/// in L1 or L2 by at most b            low ≤ −b, b ≤ high ⇒ apart(q, low, high)
/// ```
/// `None` if the adjacency says nothing of the list.
pub(crate) fn apart(context: &Context, list: &Name, low: &Expr, high: &Expr) -> Option<Expr> {
    let zero = || Expr::int(0);
    let within = |a: Expr, b: Expr| low.clone().le(a).and(b.le(high.clone()));
    let premise = context.mechanism().adjacency.iter().find_map(|clause| match clause {
        Adjacency::EveryEntry { list: l, bound } if l == list => {
            Some(zero().le(bound.clone()).and(within(-bound.clone(), bound.clone())))
        }
        Adjacency::EveryEntryGrows { list: l, bound } if l == list => {
            let range = match context.orientation() {
                Orientation::Forward => within(zero(), bound.clone()),
                Orientation::Backward => within(-bound.clone(), zero()),
            };
            Some(zero().le(bound.clone()).and(range))
        }
        Adjacency::OneEntry { .. } | Adjacency::OneEntryOf { .. } if changed_lists(clause).contains(list) => {
            let place = || Expr::Var(Variable::Changed(list.clone()));
            let entry = |run| place().index_of(Variable::Of(list.clone(), run));
            let change = entry(Run::Second) - entry(Run::First);
            Some(within(zero(), zero()).and(within(change.clone(), change)))
        }
        Adjacency::Norm { list: l, bound, .. } if l == list => Some(within(-bound.clone(), bound.clone())),
        _ => None,
    })?;
    Some(premise.implies(Expr::apart(list.clone(), low.clone(), high.clone())))
}

/// MOVED: the changes up to a place, where the adjacency bounds their sum by D = b, or by D = b² for squares.
/// ```text
/// i = 0 ⇒ moved(q, i) = 0    0 ≤ i ⇒ 0 ≤ moved(q, i) ≤ D, moved(q, i + 1) = moved(q, i) + |q'[i] − q[i]| ≤ D, 0 ≤ b
/// ```
/// `None` if the adjacency does not, or if the index is no integer.
pub(crate) fn moved(context: &Context, list: &Name, index: &Expr) -> Option<Expr> {
    if context.kind(index) != Kind::Int {
        return None;
    }
    let clause = context.mechanism().adjacency.iter().find_map(|clause| match clause {
        Adjacency::Norm { list: l, bound, squares } if l == list => Some((bound, *squares)),
        _ => None,
    });
    let (bound, squares) = clause?;
    let zero = || Expr::int(0);
    let up_to = |i: Expr| i.index_of(Variable::Moved(list.clone()));
    let entry = |run| index.clone().index_of(Variable::Of(list.clone(), run));
    let change = entry(Run::Second) - entry(Run::First);
    let (step, most) = match squares {
        true => (change.clone() * change, bound.clone() * bound.clone()),
        false => (change.abs(), bound.clone()),
    };
    let (here, next) = (up_to(index.clone()), up_to(index.clone() + Expr::int(1)));
    let from_zero = Expr::all([
        zero().le(here.clone()),
        next.clone().equals(here.clone() + step),
        here.clone().le(most.clone()),
        next.le(most),
        zero().le(bound.clone()),
    ]);
    let start = index.clone().equals(zero()).implies(here.equals(zero()));
    Some(start.and(zero().le(index.clone()).implies(from_zero)))
}

/// What was done to a list in both runs.
pub(crate) enum Done {
    /// It was emptied.
    Emptied,
    /// A value was put at its end: the first run's, and the second's.
    Appended(Expr, Expr),
}

/// What must hold before for a formula to hold after; rejects a formula that says more of the list than its length, that
/// it is equal in both runs, and how far its entries are apart.
pub(crate) fn before(formula: &Expr, list: &Name, done: &Done) -> Result<Expr, Rejection> {
    let is = |e: &Expr, run| matches!(e, Expr::Var(Variable::Of(name, r)) if name == list && *r == run);
    match formula {
        Expr::Binary(Binary::Eq, a, b)
            if (is(a, Run::First) && is(b, Run::Second)) || (is(a, Run::Second) && is(b, Run::First)) =>
        {
            Ok(match done {
                Done::Emptied => Expr::Bool(true),
                Done::Appended(first, second) => {
                    let lists =
                        Expr::of(list.clone(), Run::First).equals(Expr::of(list.clone(), Run::Second));
                    lists.and(first.clone().equals(second.clone()))
                }
            })
        }
        Expr::Apart(name, low, high) if name == list => {
            let (low, high) = (before(low, list, done)?, before(high, list, done)?);
            Ok(match done {
                Done::Emptied => Expr::Bool(true),
                Done::Appended(first, second) => {
                    let change = || second.clone() - first.clone();
                    let within = low.clone().le(change()).and(change().le(high.clone()));
                    Expr::apart(list.clone(), low, high).and(within)
                }
            })
        }
        Expr::Length(Variable::Of(name, _)) if name == list => Ok(match done {
            Done::Emptied => Expr::int(0),
            Done::Appended(..) => formula.clone() + Expr::int(1),
        }),
        Expr::Var(v @ Variable::Of(name, _)) | Expr::Index(v @ Variable::Of(name, _), _) if name == list => {
            Err(Rejection::MayNotMention { variable: v.to_string(), assertion: formula.to_string() })
        }
        _ => formula.try_map_parts(&mut |part| before(part, list, done)),
    }
}
