//! Plans that pay in every round of a loop whose rounds nothing bounds: rehearsals are short, and cannot tell.

use probity_kernel::expr::{Binary, Expr, Name, Variable};
use probity_kernel::term::{Claim, Mechanism, Sort, Statement};

use crate::algebra::mentions;
use crate::derivation::Move;

/// The indices and ends of loops up to the length of a list, or up to a parameter, of which the claim does not speak and that no assumption
/// bounds from above.
pub(crate) fn endless(mechanism: &Mechanism, claim: &Claim) -> Vec<(Name, Expr)> {
    let mut found = Vec::new();
    collect(mechanism, claim, &mechanism.body, &mut found);
    found
}

fn collect(mechanism: &Mechanism, claim: &Claim, body: &[Statement], found: &mut Vec<(Name, Expr)>) {
    for statement in body {
        match statement {
            Statement::For { index, to, body, .. } => {
                if is_unbounded(mechanism, claim, to) {
                    found.push((index.clone(), to.clone()));
                }
                collect(mechanism, claim, body, found);
            }
            Statement::While { body, .. } => collect(mechanism, claim, body, found),
            Statement::If { then, otherwise, .. } => {
                collect(mechanism, claim, then, found);
                collect(mechanism, claim, otherwise, found);
            }
            _ => {}
        }
    }
}

/// Whether a bound may be as large as one likes, whatever else is fixed.
fn is_unbounded(mechanism: &Mechanism, claim: &Claim, to: &Expr) -> bool {
    let free = |about: &dyn Fn(&Expr) -> bool| {
        let only_below = |assumption: &Expr| match assumption {
            Expr::Binary(Binary::Ge | Binary::Gt, a, b) => **a == *to && !about(b),
            _ => false,
        };
        !about(&claim.epsilon) && mechanism.assumptions.iter().all(|a| !about(a) || only_below(a))
    };
    match to {
        Expr::Length(Variable::Plain(list)) => free(&|e: &Expr| mentions_length(e, list)),
        Expr::Var(Variable::Plain(name)) => {
            mechanism.params.iter().any(|p| p.name == *name && p.sort == Sort::Int)
                && free(&|e: &Expr| mentions(e, name))
        }
        _ => false,
    }
}

fn mentions_length(e: &Expr, list: &Name) -> bool {
    matches!(e, Expr::Length(Variable::Plain(of)) if of == list)
        || e.parts().into_iter().flatten().any(|part| mentions_length(part, list))
}

/// Whether an invariant allows a payment in every round of such a loop, that does not shrink with their number.
pub(crate) fn pays_without_end(moves: &[Move], endless: &[(Name, Expr)]) -> bool {
    moves.iter().any(|step| match step {
        Move::For(invariant, inner) | Move::ForOnce(invariant, _, inner) => {
            allows(invariant, endless) || pays_without_end(inner, endless)
        }
        Move::While(_, inner) => pays_without_end(inner, endless),
        Move::If(yes, no) => pays_without_end(yes, endless) || pays_without_end(no, endless),
        _ => false,
    })
}

fn allows(invariant: &Expr, endless: &[(Name, Expr)]) -> bool {
    match invariant {
        Expr::Binary(Binary::And, a, b) => allows(a, endless) || allows(b, endless),
        Expr::Binary(Binary::Le, paid, bound) if **paid == Expr::cost() => grows(bound, endless),
        _ => false,
    }
}

/// Whether a sum has a number times such an index in it, and the number does not speak of how many rounds there are.
fn grows(bound: &Expr, endless: &[(Name, Expr)]) -> bool {
    match bound {
        Expr::Binary(Binary::Add, a, b) => grows(a, endless) || grows(b, endless),
        Expr::Binary(Binary::Mul, index, amount) => {
            let same = |(name, to): &(Name, Expr)| **index == Expr::var(name.clone()) && !shrinks(amount, to);
            endless.iter().any(same)
        }
        _ => false,
    }
}

/// Whether an amount reads how many rounds there are.
fn shrinks(amount: &Expr, to: &Expr) -> bool {
    amount == to
        || matches!(amount, Expr::Length(_))
        || amount.parts().into_iter().flatten().any(|part| shrinks(part, to))
}
