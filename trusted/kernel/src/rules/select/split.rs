//! SPLIT: a program that is proved in one way for some pairs of states, and in another for the others.
//!
//! What a proof gives up it gives up for every pair of inputs. Where it depends on the pair which draw has to be cut, as on the
//! key of the row that only one table has, the cuts of one way do not add to those of the other.

use crate::concentrated::check_pure;
use crate::expr::Expr;
use crate::rejection::Rejection;
use crate::rules::{Assertion, Judgement, both_axioms, both_works, check_size, same_context};

/// ```text
/// ⊢ c : Φ ⇒ Ψ, up to δ₁    ⊢ c : Θ ⇒ Ψ, up to δ₂
/// ─────────────────────────────────────────────────────────────── SPLIT   g an assertion
/// ⊢ c : (g ⇒ Φ) and (not g ⇒ Θ) ⇒ Ψ, up to max(δ₁, δ₂)
/// ```
pub fn split(guard: &Expr, yes: &Judgement, no: &Judgement) -> Result<Judgement, Rejection> {
    let context = &yes.context;
    check_pure(context, "SPLIT")?;
    same_context(yes, no)?;
    if yes.program != no.program {
        return Err(Rejection::ProgramDiffers { left: yes.shown(), right: no.shown() });
    }
    if yes.post != no.post {
        return Err(Rejection::MiddleDiffers {
            left: yes.post.formula.to_string(),
            right: no.post.formula.to_string(),
        });
    }
    // An assertion mentions no arbitrary value, so that one quantifier serves both, as in COND.
    let g = Assertion::new(context, guard.clone())?.formula;
    let (here, there) = (yes.pre.formula.clone(), no.pre.formula.clone());
    let pre = Assertion {
        arbitrary: yes.pre.arbitrary.union(&no.pre.arbitrary).cloned().collect(),
        formula: g.clone().implies(here).and(g.or(there)),
    };
    check_size(&pre.formula)?;
    let delta = match yes.delta == no.delta {
        true => yes.delta.clone(),
        false => yes.delta.clone().max(no.delta.clone()),
    };
    let axioms = both_axioms(yes, no).into_iter().chain(["SPLIT"]).collect();
    Ok(Judgement { pre, delta, axioms, work: both_works(yes.work, no.work)?, ..yes.clone() })
}
