//! Which variables are read after a place, before they are set again.

use std::collections::BTreeSet;

use probity_kernel::expr::{Expr, Name, Variable};
use probity_kernel::law;
use probity_kernel::term::Statement;

/// The variables whose values matter before a block, given those that matter after it.
pub(super) fn before(body: &[Statement], after: &BTreeSet<Name>) -> BTreeSet<Name> {
    let mut live = after.clone();
    for statement in body.iter().rev() {
        match statement {
            Statement::Assign { var, value } => {
                live.remove(var);
                read(value, &mut live);
            }
            Statement::Append { list, value } => {
                live.insert(list.clone());
                read(value, &mut live);
            }
            Statement::Draw { var, law } => {
                live.remove(var);
                law::parameters(law).into_iter().for_each(|e| read(e, &mut live));
            }
            Statement::If { guard, then, otherwise } => {
                let mut either = before(then, &live);
                either.extend(before(otherwise, &live));
                read(guard, &mut either);
                live = either;
            }
            Statement::For { .. } | Statement::While { .. } => live = at_head(statement, &live),
        }
    }
    live
}

/// The variables that matter whenever a loop comes round: what is read after it, or in a round before it is set.
pub(super) fn at_head(statement: &Statement, after: &BTreeSet<Name>) -> BTreeSet<Name> {
    let mut live = after.clone();
    let body = match statement {
        Statement::For { from, to, body, .. } => {
            read(from, &mut live);
            read(to, &mut live);
            body
        }
        Statement::While { guard, body, .. } => {
            read(guard, &mut live);
            body
        }
        _ => return live,
    };
    loop {
        let size = live.len();
        let round = before(body, &live);
        live.extend(round);
        if live.len() == size {
            return live;
        }
    }
}

/// The names that an expression mentions.
pub(super) fn read(e: &Expr, names: &mut BTreeSet<Name>) {
    e.for_each_variable(&mut |v| {
        if let Variable::Plain(name) = v {
            names.insert(name.clone());
        }
    });
}
