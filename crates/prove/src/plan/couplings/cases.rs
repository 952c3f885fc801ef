//! Draws that decide a question together: one way to couple them where the answer is yes, and one where it is no.
//!
//! A draw by itself can pay on one side of a threshold. Where two draws are compared, each with its own threshold, only both together
//! say whether there is anything to pay for.

use std::collections::BTreeSet;

use probity_kernel::concentrated::Measure;
use probity_kernel::expr::{Binary, Expr, Name, Run};
use probity_kernel::kind::Kind;
use probity_kernel::term::{Coupling, Distribution, Statement};

use crate::algebra::{absolute, divided, mentions, minus, over, plus, visit};
use crate::derivation::Move;
use crate::plan::blocks::{definitions, inline, set_by_draws};
use crate::plan::couplings::{Candidate, Guesser};

/// The most draws that decide together, and the most statements that they take.
const MOST_DRAWS: usize = 3;
const MOST_STATEMENTS: usize = 8;
/// The most distances by which they move.
const MOST_MOVES: usize = 2;

/// How one draw may be coupled: the coupling, and what it may cost at once.
type Way = (Coupling, Vec<Expr>);

impl Guesser<'_> {
    /// The question that the first statements of a block decide by two draws or more, compared one by one, and how many
    /// statements these are.
    pub(crate) fn question(&self, body: &[Statement]) -> Option<(usize, Expr)> {
        if self.context.measure() != Measure::Pure || !matches!(body.first(), Some(Statement::Draw { .. })) {
            return None;
        }
        let is_truth = |e: &Expr| self.context.kind(&self.context.in_run(e, Run::First)) == Kind::Bool;
        let decides = |statement: &&Statement| match statement {
            Statement::Draw { law, .. } => is_noise(law),
            Statement::Assign { value, .. } => *value != Expr::EmptyList && !is_truth(value),
            _ => false,
        };
        let size = body.iter().take(MOST_STATEMENTS).take_while(decides).count();
        let guard = match body.get(size)? {
            Statement::If { guard, .. } => guard.clone(),
            Statement::Assign { value, .. } | Statement::Append { value, .. } => match value {
                Expr::If(guard, ..) => (**guard).clone(),
                truth if is_truth(truth) => truth.clone(),
                _ => return None,
            },
            _ => return None,
        };
        let block = &body[..size];
        let drawn = set_by_draws(block);
        let whole = inline(&guard, &definitions(block));
        let mut compared: Vec<BTreeSet<&Name>> = Vec::new();
        visit(&whole, &mut |part| {
            if let Expr::Binary(Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge, ..) = part {
                compared.push(drawn.iter().filter(|name| mentions(part, name)).collect());
            }
        });
        compared.retain(|names| !names.is_empty());
        let all: BTreeSet<&Name> = compared.iter().flatten().copied().collect();
        let apart = compared.len() > 1 && compared.iter().all(|names| names.len() == 1);
        (apart && (2..=MOST_DRAWS).contains(&all.len()) && all.len() == drawn.len()).then_some((size, guard))
    }

    /// The ways to couple such a block: its draws move where the answer is yes, or where it is no, and keep their noise else.
    pub(crate) fn cases(&self, block: &[Statement], guard: &Expr) -> Vec<Candidate> {
        let mut moved: Vec<Vec<Way>> = vec![vec![]];
        let mut kept: Vec<Coupling> = Vec::new();
        for statement in block {
            let Statement::Draw { var, law } = statement else { continue };
            let Some((keep, ways)) = self.ways(var, law) else { return vec![] };
            kept.push(keep);
            moved = moved
                .iter()
                .flat_map(|before| {
                    ways.iter().map(|way| before.iter().chain([way]).cloned().collect::<Vec<Way>>())
                })
                .collect();
        }
        let moves = |couplings: &[&Coupling]| {
            let mut couplings = couplings.iter();
            let step = |statement: &Statement| match statement {
                Statement::Draw { .. } => {
                    Move::Draw(couplings.next().map_or(Coupling::Null, |coupling| (*coupling).clone()))
                }
                _ => Move::Plain,
            };
            block.iter().map(step).collect::<Vec<Move>>()
        };
        let keep = moves(&kept.iter().collect::<Vec<_>>());
        let mut found = Vec::new();
        for ways in &moved {
            let move_all = moves(&ways.iter().map(|(coupling, _)| coupling).collect::<Vec<_>>());
            let amounts = totals(ways.iter().map(|(_, amounts)| amounts.as_slice()));
            for (yes, no) in [(&move_all, &keep), (&keep, &move_all)] {
                let step = Move::Cases(guard.clone(), yes.clone(), no.clone());
                found.push(Candidate { step, amounts: amounts.clone() });
            }
        }
        found
    }

    /// The coupling that keeps the noise of a draw, and those that move what it is part of, farthest first.
    fn ways(&self, var: &Name, law: &Distribution) -> Option<(Coupling, Vec<Way>)> {
        let (center, scale) = match law {
            Distribution::Laplace { center, scale } | Distribution::DiscreteLaplace { center, scale } => {
                (center, scale)
            }
            _ => return None,
        };
        let apart = minus(self.first(center), self.second(center));
        let zero = Expr::int(0);
        let total = self.uses(var).0.into_iter().next()?;
        let keep = minus(zero.clone(), apart.clone());
        let keep = match keep == zero {
            true => Coupling::Null,
            false => Coupling::Shift { by: keep, cost: zero.clone() },
        };
        let way = |s: Expr| {
            let offset = minus(self.first(&total.offset), self.second(&total.offset));
            let by = divided(plus(s.clone(), offset), &self.first(&total.factor));
            let cost = over(absolute(plus(by.clone(), apart.clone())), &self.first(scale));
            (Coupling::Shift { by, cost }, self.amounts(&s, scale))
        };
        let spans = self.spans.iter().take(MOST_MOVES);
        let mut ways: Vec<Way> =
            spans.flat_map(|s| [way(s.clone()), way(minus(zero.clone(), s.clone()))]).collect();
        ways.push((keep.clone(), vec![]));
        Some((keep, ways))
    }
}

/// What several draws may cost together: each its smallest amount, or each its largest.
fn totals<'a>(amounts: impl Iterator<Item = &'a [Expr]>) -> Vec<Expr> {
    let amounts: Vec<&[Expr]> = amounts.filter(|amounts| !amounts.is_empty()).collect();
    let sum = |pick: fn(&[Expr]) -> Option<&Expr>| {
        amounts.iter().filter_map(|amounts| pick(amounts)).cloned().reduce(plus)
    };
    let mut found: Vec<Expr> = Vec::new();
    for total in [sum(<[Expr]>::first), sum(<[Expr]>::last)].into_iter().flatten() {
        if !found.contains(&total) {
            found.push(total);
        }
    }
    found
}

fn is_noise(law: &Distribution) -> bool {
    matches!(law, Distribution::Laplace { .. } | Distribution::DiscreteLaplace { .. })
}
