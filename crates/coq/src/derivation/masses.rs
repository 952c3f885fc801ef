//! MAXDIV's masses: the lemmas of `proofs/Blocks.v` that the kernel's walk through a block amounts to, one a statement.
//!
//! The walk is that of `trusted/kernel/src/rules/finite.rs`. Each lemma is named, so that Coq has nothing to look for.

use probity_kernel::expr::{Expr, Name, Unary};
use probity_kernel::kind::Kind;
use probity_kernel::term::{Distribution, Statement};

use super::super::NotExported;
use super::braces;

type Script = Result<String, NotExported>;

/// That the fractions are the masses of `var`, an integer or a boolean, after a block.
pub(super) fn masses(block: &[Statement], (var, kind): (&Name, Kind)) -> Script {
    // The kernel writes a probability with quotients by exponentials as a fraction; the lemmas do not. Where the block
    // ends with something else than the draw, the denominators of its paths may differ.
    let drawn = matches!(block.last(), Some(Statement::Draw { var: drawn, .. }) if drawn == var);
    let walk = Masses { var, kind, over: quotients(block) || !drawn };
    let (rule, shown) = match walk.over {
        true => ("is_mass_frac", "over"),
        false => ("is_mass_equal", "equal"),
    };
    Ok(format!(
        "intros v x ok; cbv beta in ok |- *; eapply {rule}.\n{{\n{}}}\n{{ {shown}. }}\n{{ {shown}. }}\n",
        walk.walk(block, &[])?
    ))
}

struct Masses<'a> {
    var: &'a Name,
    kind: Kind,
    /// Whether fractions are compared, and not their parts.
    over: bool,
}

impl Masses<'_> {
    /// What is left of the block, and then of the blocks around it.
    fn walk(&self, body: &[Statement], around: &[&[Statement]]) -> Script {
        let Some((statement, rest)) = body.split_first() else {
            return Ok(match (around.split_first(), self.kind) {
                (Some((next, around)), _) => format!("apply m_skip.\n{}", self.walk(next, around)?),
                (None, Kind::Int) => "apply m_endZ.\n".into(),
                (None, _) => "apply m_end.\n".into(),
            });
        };
        let inside = if around.is_empty() { "" } else { "apply m_assoc.\n" };
        let last = rest.is_empty() && around.iter().all(|block| block.is_empty());
        Ok(match statement {
            Statement::Draw { var: drawn, law } if drawn == self.var && last => {
                let tail = match around.len() {
                    0 => "",
                    1 => "apply m_tail.\n",
                    _ => return Err(NotExported::rule("MAXDIV for a draw in a branch of a branch")),
                };
                format!("{inside}{tail}eapply {}; [reflexivity|sane].\n", last_draw(law)?)
            }
            Statement::Draw { law: Distribution::Bernoulli(_), .. } => {
                let left = self.walk(rest, around)?;
                // Both outcomes lead through the same statements; their masses have one denominator, or two.
                let both = braces(&left, &left);
                let rule = if self.over { "m_mix" } else { "m_mix_same" };
                format!("{inside}eapply {rule}; [sane| |].\n{both}")
            }
            Statement::Assign { .. } => format!("{inside}apply m_set.\n{}", self.walk(rest, around)?),
            Statement::If { then, otherwise, .. } => {
                let around: Vec<&[Statement]> = [rest].into_iter().chain(around.iter().copied()).collect();
                let (yes, no) = (self.walk(then, &around)?, self.walk(otherwise, &around)?);
                let branch = |script: String| format!("intros side; cbv beta in side.\n{script}");
                format!("{inside}eapply m_if.\n{}", braces(&branch(yes), &branch(no)))
            }
            _ => return Err(NotExported::rule("MAXDIV for such a block")),
        })
    }
}

fn last_draw(law: &Distribution) -> Script {
    Ok(match law {
        Distribution::Bernoulli(_) => "m_bernoulli",
        Distribution::Response { .. } => "m_response",
        Distribution::UniformInt { .. } => "m_uniform_int",
        _ => return Err(NotExported::new(format!("the mass of '{law}'"))),
    }
    .into())
}

/// Whether a coin of a block has a probability with exponentials in it.
fn quotients(block: &[Statement]) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Draw { law: Distribution::Bernoulli(p), .. } => has_exp(p),
        Statement::If { then, otherwise, .. } => quotients(then) || quotients(otherwise),
        _ => false,
    })
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
