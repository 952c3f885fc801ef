//! Choices by scores: how far apart the scores may be for what is claimed.

use probity_kernel::concentrated::Measure;
use probity_kernel::expr::Expr;
use probity_kernel::term::{Distribution, Statement};

use crate::algebra::{divided, normal, product};
use crate::plan::couplings::Guesser;

impl Guesser<'_> {
    /// By how much scores may change so that their choice costs the whole claim, or half of it: where the scale says how far they are
    /// apart, as in `choose(scores, 2 * b / eps)`.
    pub(super) fn afforded(&self) -> Vec<Expr> {
        let mut found: Vec<Expr> = Vec::new();
        if self.context.measure() != Measure::Pure {
            return found;
        }
        for_each_choice(&self.context.mechanism().body, &mut |scale| {
            let most = normal(self.context, &product(self.claim.epsilon.clone(), scale.clone()));
            for part in [divided(most.clone(), &Expr::int(2)), most] {
                let part = normal(self.context, &part);
                if self.is_public(&part) && !found.contains(&part) {
                    found.push(part);
                }
            }
        });
        found
    }
}

fn for_each_choice(body: &[Statement], see: &mut dyn FnMut(&Expr)) {
    for statement in body {
        match statement {
            Statement::Draw {
                law: Distribution::Choose { scale, .. } | Distribution::PermuteAndFlip { scale, .. },
                ..
            } => see(scale),
            Statement::If { then, otherwise, .. } => {
                for_each_choice(then, see);
                for_each_choice(otherwise, see);
            }
            Statement::For { body, .. } | Statement::While { body, .. } => for_each_choice(body, see),
            _ => {}
        }
    }
}
