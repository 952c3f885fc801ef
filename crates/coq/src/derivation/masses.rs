//! MAXDIV's masses: the lemmas of `proofs/Blocks.v` that the kernel's walk through a block amounts to, one a statement.
//!
//! The walk is that of `trusted/kernel/src/rules/finite.rs`. Each lemma is named, so that Coq has nothing to look for.

use probity_kernel::expr::{Expr, Name, Unary};
use probity_kernel::term::{Distribution, Statement};

use super::super::NotExported;
use super::braces;

type Script = Result<String, NotExported>;

/// That the fractions are the masses of `var` after a block.
pub(super) fn masses(block: &[Statement], var: &Name) -> Script {
    Ok(format!(
        "intros v x ok; cbv beta in ok |- *; eapply is_mass_equal.\n{{\n{}}}\n{{ equal. }}\n{{ equal. }}\n",
        walk(block, &[], var)?
    ))
}

/// What is left of the block, and then of the blocks around it.
fn walk(body: &[Statement], around: &[&[Statement]], var: &Name) -> Script {
    let Some((statement, rest)) = body.split_first() else {
        let Some((next, around)) = around.split_first() else {
            return Err(NotExported::rule("MAXDIV for a block that sets its variable before its end"));
        };
        return Ok(format!("apply m_skip.\n{}", walk(next, around, var)?));
    };
    let inside = if around.is_empty() { "" } else { "apply m_assoc.\n" };
    let last = rest.is_empty() && around.iter().all(|block| block.is_empty());
    Ok(match statement {
        Statement::Draw { var: drawn, law } if drawn == var && last => {
            let tail = match around.len() {
                0 => "",
                1 => "apply m_tail.\n",
                _ => return Err(NotExported::rule("MAXDIV for a draw in a branch of a branch")),
            };
            format!("{inside}{tail}eapply {}; [reflexivity|sane].\n", last_draw(law)?)
        }
        Statement::Draw { law: Distribution::Bernoulli(p), .. } => {
            check_plain(p)?;
            let left = walk(rest, around, var)?;
            // Both outcomes lead through the same statements; their masses have one denominator, or two.
            let both = braces(&left, &left);
            format!("{inside}eapply m_mix_same; [sane| |].\n{both}")
        }
        Statement::Assign { .. } => format!("{inside}apply m_set.\n{}", walk(rest, around, var)?),
        Statement::If { then, otherwise, .. } => {
            let around: Vec<&[Statement]> = [rest].into_iter().chain(around.iter().copied()).collect();
            let (yes, no) = (walk(then, &around, var)?, walk(otherwise, &around, var)?);
            let branch = |script: String| format!("intros side; cbv beta in side.\n{script}");
            format!("{inside}eapply m_if.\n{}", braces(&branch(yes), &branch(no)))
        }
        _ => return Err(NotExported::rule("MAXDIV for such a block")),
    })
}

fn last_draw(law: &Distribution) -> Script {
    Ok(match law {
        Distribution::Bernoulli(p) => {
            check_plain(p)?;
            "m_bernoulli"
        }
        Distribution::Response { .. } => "m_response",
        Distribution::UniformInt { .. } => "m_uniform_int",
        _ => return Err(NotExported::new(format!("the mass of '{law}'"))),
    }
    .into())
}

/// The kernel writes a probability with quotients by exponentials as a fraction; the lemmas do not.
fn check_plain(p: &Expr) -> Result<(), NotExported> {
    if has_exp(p) { Err(NotExported::rule("MAXDIV with exponentials in a probability")) } else { Ok(()) }
}

fn has_exp(e: &Expr) -> bool {
    matches!(e, Expr::Unary(Unary::Exp, _)) || e.parts().into_iter().flatten().any(has_exp)
}

/// That a block has finitely many outcomes.
pub(super) fn finite(block: &[Statement]) -> Script {
    let Some((statement, rest)) = block.split_first() else { return Ok("apply f_skip.\n".into()) };
    let first = match statement {
        Statement::Draw { law: Distribution::Bernoulli(_), .. } => "apply f_bernoulli.\n".into(),
        Statement::Draw { law: Distribution::Response { .. }, .. } => "apply f_response.\n".into(),
        Statement::Draw { law: Distribution::UniformInt { .. }, .. } => "apply f_uniform_int.\n".into(),
        Statement::Assign { .. } => "apply f_set.\n".into(),
        Statement::If { then, otherwise, .. } => {
            format!("apply f_if.\n{}", braces(&finite(then)?, &finite(otherwise)?))
        }
        _ => return Err(NotExported::rule("MAXDIV for such a block")),
    };
    Ok(format!("apply f_seq.\n{}", braces(&first, &finite(rest)?)))
}
