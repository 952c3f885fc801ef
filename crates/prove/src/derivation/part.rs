//! Draws of which a part is given up: which rule of the kernel each is.

use std::sync::Arc;

use probity_kernel::context::Context;
use probity_kernel::expr::Expr;
use probity_kernel::rules::{Assertion, Judgement};
use probity_kernel::sampling;
use probity_kernel::term::{Coupling, Statement};

use super::{misfit, reject};
use crate::failure::Failure;

/// Which part of a draw is given up, besides both tails of Laplace noise and the upper one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tail {
    /// The upper tail of Laplace noise on the integers from a place on, with the mass that it has.
    Exact,
    /// Both tails of it.
    Exacts,
    /// The lower tail of Laplace noise, also on the integers, beyond a distance from the center.
    Low,
    /// The same, with the place where it begins.
    LowFrom,
    /// The lower tail on the integers from a distance on, with the mass that it has.
    LowExact,
    /// The tail of noise on one side from a place on.
    Far,
    /// Where noise on one side begins, up to a place: beyond it the noise may move down.
    Start,
    /// What leaves the range of a uniform draw when it is moved; a share of its mass.
    Uniform,
    /// That a coin says yes; its probability is at most a share.
    Yes,
    /// That it says no.
    No,
}

/// UP-TO-BAD for a part of a law.
pub(super) fn up_to(
    context: &Arc<Context>,
    statement: &Statement,
    (part, coupling, at): (Tail, &Coupling, &Expr),
    post: &Assertion,
    place: &str,
) -> Result<Judgement, Failure> {
    let moved = || match coupling {
        Coupling::Shift { by, cost } => Ok((by, cost)),
        _ => Err(misfit(place, "what is given up is for a draw that is shifted")),
    };
    match part {
        Tail::Exact => sampling::up_to_exact_tail_int(context, statement, coupling, at, post),
        Tail::Exacts => sampling::up_to_exact_tails_int(context, statement, coupling, at, post),
        Tail::Low => sampling::up_to_lower_tail(context, statement, coupling, at, post),
        Tail::LowFrom => sampling::up_to_open_lower_tail(context, statement, coupling, at, post),
        Tail::LowExact => sampling::up_to_exact_lower_tail_int(context, statement, coupling, at, post),
        Tail::Far => sampling::up_to_far_tail(context, statement, coupling, at, post),
        Tail::Start => sampling::up_to_start(context, statement, moved()?, at, post),
        Tail::Uniform => sampling::up_to_tail_uniform(context, statement, moved()?, at, post),
        Tail::Yes | Tail::No => sampling::up_to_side(context, statement, part == Tail::Yes, at, post),
    }
    .map_err(reject(place))
}
