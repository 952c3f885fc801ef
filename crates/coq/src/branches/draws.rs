//! RESPONSE-LAW, DIFFERENCE-LAW on the integers and SIGN-LAW: two draws, one right after the other, that are one (`proofs/RewritesDraws.v`).
//!
//! These laws hold for all tests. DIFFERENCE-LAW for exponential draws asks for measurable ones, and has no text; nor has a draw that does not follow the other at once.

use probity_kernel::equivalence::Rewrite;
use probity_kernel::expr::Name;
use probity_kernel::term::{Distribution, Statement};

use super::super::NotExported;
use super::super::statement::Statements;

/// Two draws, and what is drawn instead.
pub(super) struct TwoDraws {
    /// The place of the first; the second is next.
    pub(super) at: usize,
    /// Both, and the new one.
    pub(super) names: [Name; 3],
    /// What the new one is of the values drawn, as a function of the state and of both.
    pub(super) join: String,
    /// What it is of the variables, after the draws.
    pub(super) known: String,
    /// The lemma about the law.
    pub(super) law: &'static str,
}

/// The draws of a step that makes one of two.
pub(super) fn two_draws(
    here: &Statements<'_>,
    step: &Rewrite,
    body: &[Statement],
) -> Result<Option<TwoDraws>, NotExported> {
    let (one, other, new) = match step {
        Rewrite::ResponseLaw { keep, other, response } => (keep, other, response),
        Rewrite::DifferenceLaw { plus, minus, noise } => (plus, minus, noise),
        Rewrite::SignLaw { sign, size, noise } => (sign, size, noise),
        _ => return Ok(None),
    };
    let drawn =
        |name: &Name| body.iter().position(|s| matches!(s, Statement::Draw { var, .. } if var == name));
    let no = || NotExported::rule(step.name());
    let (Some(a), Some(b)) = (drawn(one), drawn(other)) else { return Err(no()) };
    let at = a.min(b);
    if a.max(b) != at + 1 {
        return Err(no());
    }
    let (Statement::Draw { var: x, law: first }, Statement::Draw { var: y, law: second }) =
        (&body[at], &body[at + 1])
    else {
        return Err(no());
    };
    let read = |name: &Name| format!("v_{name} (snd s)");
    let (x_, y_) = (read(x), read(y));
    let (join, value, law) = match (first, second) {
        (Distribution::Bernoulli(_), Distribution::UniformOther { value, .. }) => {
            let value = format!("((fun (i : inputs) (v : vars) => {}) (fst s) (snd s))", here.value(value)?);
            (format!("kept {value}"), format!("if {x_} then {value} else {y_}"), "response_of")
        }
        (Distribution::Geometric { .. }, Distribution::Geometric { .. }) if a < b => {
            ("less".into(), format!("({x_} - {y_})%Z"), "difference_of")
        }
        (Distribution::Geometric { .. }, Distribution::Geometric { .. }) => {
            ("less_turned".into(), format!("({y_} - {x_})%Z"), "difference_turned_of")
        }
        (Distribution::Sign, Distribution::Exponential { .. }) => {
            ("signed".into(), format!("IZR ({x_}) * {y_}"), "sign_of")
        }
        (Distribution::Bernoulli(_), Distribution::Exponential { .. }) => {
            ("sided".into(), format!("if {x_} then {y_} else - {y_}"), "coin_of")
        }
        _ => return Err(no()),
    };
    Ok(Some(TwoDraws {
        at,
        names: [x.clone(), y.clone(), new.clone()],
        join: format!("(fun (s : inputs * vars) x y => {join} x y)"),
        known: format!("v_{new} (snd t) = ({value})"),
        law,
    }))
}
