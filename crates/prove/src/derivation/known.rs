//! What of all that is known a step needs.

use std::collections::BTreeSet;

use probity_kernel::chain::Chain;
use probity_kernel::context::for_each_expr;
use probity_kernel::expr::{Binary, Expr, Name, Run, Variable};
use probity_kernel::privacy::start;
use probity_kernel::rules::Judgement;

/// What a chain knows of the variables of a link.
pub fn relevant(chain: &Chain, link: &Judgement) -> Expr {
    let mut names = BTreeSet::new();
    for_each_expr(link.program(), &mut |e| e.for_each_variable(&mut |v| names.extend(name_of(v))));
    known_about(chain, &names, link.pre().formula())
}

/// What is known besides the cost, and that nothing has been paid.
pub(super) fn at_no_cost(known: &Expr) -> Expr {
    let mut parts = Vec::new();
    conjuncts(known, &mut parts);
    parts.retain(|part| !part.mentions(&Variable::Cost));
    parts.push(start());
    Expr::all(parts)
}

/// The parts of a conjunction.
pub(crate) fn conjuncts(e: &Expr, parts: &mut Vec<Expr>) {
    match e {
        Expr::Binary(Binary::And, a, b) => {
            conjuncts(a, parts);
            conjuncts(b, parts);
        }
        _ => parts.push(e.clone()),
    }
}

/// What a chain knows of some names, of the names in a formula, and of the cost.
pub fn known_about(chain: &Chain, names: &BTreeSet<Name>, formula: &Expr) -> Expr {
    let mut names = names.clone();
    formula.for_each_variable(&mut |v| names.extend(name_of(v)));
    let of = |name: &Name, run| Expr::of(name.clone(), run);
    let mut parts = Vec::new();
    for (fact, about) in chain.facts() {
        // A fact about parameters, loop indices, ghosts or the cost alone is about everything.
        let general = |fact: &Expr| fact.find_variable(&|v| matches!(v, Variable::Of(..))).is_none();
        if about.iter().any(|name| names.contains(name)) || about.len() <= 3 && general(fact) {
            parts.push(fact.clone());
        }
    }
    let equal = names.iter().filter(|name| chain.equal().contains(*name));
    parts.extend(equal.map(|name| of(name, Run::First).equals(of(name, Run::Second))));
    Expr::all(parts)
}

fn name_of(v: &Variable) -> Option<Name> {
    match v {
        Variable::Plain(name) | Variable::Of(name, _) => Some(name.clone()),
        _ => None,
    }
}
