//! Claims in μ: one normal draw of which the output is made, with the rule of `proofs/CertificateMu.v`.

use probity_kernel::context::Context;
use probity_kernel::expr::{Expr, Name};
use probity_kernel::term::{Coupling, Distribution, Statement};

use super::NotExported;
use super::print::{Printer, Scope};
use probity_prove::derivation::Move;

/// The one draw of a program, and how its values are paired.
struct OneDraw<'a> {
    var: &'a Name,
    center: &'a Expr,
    deviation: &'a Expr,
    distance: &'a Expr,
    cost: &'a Expr,
}

/// What several draws compose to has no theorem in `proofs/`.
fn one_draw<'a>(body: &'a [Statement], moves: &'a [Move]) -> Result<OneDraw<'a>, NotExported> {
    match (body, moves) {
        (
            [Statement::Draw { var, law: Distribution::Gaussian { center, deviation } }],
            [Move::Draw(Coupling::Equal { distance, cost })],
        ) => Ok(OneDraw { var, center, deviation, distance, cost }),
        _ => Err(NotExported::new("claims in mu of more than one normal draw")),
    }
}

/// The proof that the mechanism has the guarantees of two normal laws. `begins` is the lemma that the precondition holds at the start, `reach` shows that outputs are equal.
pub(super) fn proof(
    context: &Context,
    moves: &[Move],
    (output, amount, goal): (&str, &Expr, &Expr),
    (begins, reach): (&str, &str),
) -> Result<String, NotExported> {
    let draw = one_draw(&context.mechanism().body, moves)?;
    let printer = Printer::new(context);
    let real = |e: &Expr| printer.real(e, Scope::Runs);
    let program = |e: &Expr| printer.real(e, Scope::Program);
    Ok(format!(
        "unfold program.\n  \
         refine (@gj_draw inputs vars _ i1 i2 {output} ({}) 0 (fun i v => {}) (fun i v => {}) (fun v y => put_{} v y) (fun v v' k => {}) (fun v v' k => {}) \
         (fun v v' k => {}) (i1, w1) (i2, w2) eq_refl eq_refl _ _ _).\n  \
         {{ positive_scale. }}\n  \
         {{ intros v v' k g; destruct (and_true _ _ g) as [o w]; destruct (and_true _ _ w) as [_ c]; split; [{reach}|apply leRP; exact c]. }}\n  \
         intros a v v' k k0; destruct (and_true _ _ ({begins} a v v' k k0)) as [b _]; bridge b.\n",
        real(amount)?,
        program(draw.center)?,
        program(draw.deviation)?,
        draw.var,
        real(draw.distance)?,
        real(draw.cost)?,
        printer.formula(goal, Scope::Runs)?,
    ))
}
