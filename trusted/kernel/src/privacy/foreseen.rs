//! FORESEE's final rule: from judgements about a mechanism as a function of its noise to a theorem about the mechanism.

use super::{Side, Theorem, check_claim, check_gives_up_nothing, covered, rewritten};
use crate::context::{Context, Orientation};
use crate::equivalence::Rewrite;
use crate::foresee::Foresight;
use crate::rejection::Rejection;
use crate::term::{Claim, Mechanism, Reading};

/// FORESEE: what is drawn in a loop moves by amounts that other draws decide.
/// ```text
/// m = m₁ = … = mₙ by equivalences    ⊢ mₙ as a function of its noise : Φ ⇒ [`Foresight::goal`]    cost = 0 ⊨ Φ
/// ───────────────────────────────────────────────────────────────────────────────────────────────────────────────
/// m is ε-differentially private over the reals
/// ```
pub fn foreseen(
    mechanism: &Mechanism,
    claim: &Claim,
    rewrites: &[Rewrite],
    foresight: &Foresight,
    sides: &[Side<'_>],
) -> Result<Theorem, Rejection> {
    check_claim(&Context::new(mechanism, Orientation::Forward)?, claim)?;
    if claim.reading != Reading::Reals {
        return Err(Rejection::ClaimNotCovered { reason: "FORESEE is for claims in epsilon" });
    }
    let (rewritten, mut axioms) = rewritten(mechanism, rewrites)?;
    let function = foresight.as_function(&rewritten)?;
    let needed = |context: &Context| foresight.goal(context, &rewritten, claim);
    axioms.extend(covered(&function, claim, sides, &needed, &check_gives_up_nothing)?);
    axioms.insert("FORESEE");
    Ok(Theorem { mechanism: mechanism.clone(), claim: claim.clone(), axioms, through: None })
}
