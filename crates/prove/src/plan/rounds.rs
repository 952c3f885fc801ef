//! In which rounds of a loop the runs can differ: those of the groups of the rows that only one of the tables has, and that
//! of the one entry that changes.

pub(crate) mod endless;

use probity_kernel::context::{Context, for_each_expr};
use probity_kernel::expr::{Binary, Expr, Name, Variable};
use probity_kernel::term::{Adjacency, Statement};

use crate::algebra::visit;
use crate::derivation::{Move, conjuncts};
use crate::tables::{runs_with_row, sums};

/// The rounds, as numbers that the pair of inputs fixes; none if the body does not say.
pub(crate) fn rounds(context: &Context, index: &Name, body: &[Statement]) -> Vec<Expr> {
    let mut found: Vec<Expr> = Vec::new();
    let mut push = |round: Expr| {
        if !found.contains(&round) {
            found.push(round);
        }
    };
    let i = Expr::var(index.clone());
    for_each_expr(body, &mut |e| {
        for sum in sums(e) {
            let mut parts = Vec::new();
            conjuncts(&sum.condition, &mut parts);
            for part in &parts {
                let field = match part {
                    Expr::Binary(Binary::Eq, a, b) if **b == i => a,
                    Expr::Binary(Binary::Eq, a, b) if **a == i => b,
                    _ => continue,
                };
                if let Expr::Var(Variable::Field(table, field)) = &**field {
                    for run in runs_with_row(context, table) {
                        push(Expr::Var(Variable::Row(table.clone(), run, field.clone())));
                    }
                }
            }
        }
        visit(e, &mut |part| {
            if let Expr::Index(Variable::Plain(list), at) = part
                && **at == i
                && changes_once(context, list)
            {
                push(Expr::Var(Variable::Changed(list.clone())));
            }
        });
    });
    found
}

fn changes_once(context: &Context, list: &Name) -> bool {
    context.mechanism().adjacency.iter().any(|clause| match clause {
        Adjacency::OneEntry { list: l, .. } => l == list,
        Adjacency::OneEntryOf { lists, .. } => lists.contains(list),
        _ => false,
    })
}

/// Whether some draw is cut.
pub(crate) fn cuts(moves: &[Move]) -> bool {
    moves.iter().any(|step| match step {
        Move::UpTo(..) | Move::Below(..) | Move::Under(..) | Move::Tail(..) => true,
        Move::If(yes, no) | Move::Split(_, yes, no) => cuts(yes) || cuts(no),
        Move::For(_, inner) => cuts(inner),
        _ => false,
    })
}
