//! Choices by scores: how far apart the scores may be for what is claimed.

use probity_kernel::concentrated::Measure;
use probity_kernel::expr::{Binary, Expr, Name, Unary};
use probity_kernel::term::{Coupling, Distribution, Reading, Statement};

use crate::algebra::{divided, normal, product, visit};
use crate::derivation::Move;
use crate::lists;
use crate::plan::couplings::{Candidate, Guesser, free};

impl Guesser<'_> {
    /// The couplings of a choice among scores: the same place, by how far the scores may move.
    pub(super) fn choice(&self, list: &Name, scale: &Expr) -> Vec<Candidate> {
        let scale = self.first(scale);
        let candidate = |range: (Expr, Expr)| {
            let width = lists::width(self.context, list, &range);
            let cost = lists::price(self.context, &width, &scale);
            let (low, high) = range;
            Candidate {
                amounts: if cost == Expr::int(0) { vec![] } else { vec![cost.clone()] },
                step: Move::Draw(Coupling::Chosen { low, high, cost }),
            }
        };
        let ranges = lists::ranges(self.context, list, &self.distances);
        // A scale that is set by cases is compared with the whole claim: a quotient by it says nothing.
        let whole = |(low, high): (Expr, Expr)| {
            let cost = self.claim.epsilon.clone();
            Candidate { amounts: vec![cost.clone()], step: Move::Draw(Coupling::Chosen { low, high, cost }) }
        };
        let mut found = vec![free(Move::Draw(Coupling::Null))];
        match self.claim.reading == Reading::Reals && has_cases(&scale) {
            true => found.extend(ranges.into_iter().map(whole)),
            false => found.extend(ranges.into_iter().map(candidate)),
        }
        found
    }

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

/// Whether a number is the larger or smaller of two, or is chosen otherwise.
fn has_cases(e: &Expr) -> bool {
    let mut found = false;
    visit(e, &mut |part| {
        found |= matches!(part, Expr::If(..) | Expr::Clamp(..) | Expr::Unary(Unary::Abs, _))
            || matches!(part, Expr::Binary(Binary::Min | Binary::Max, ..));
    });
    found
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
