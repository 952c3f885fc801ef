//! How often a text sets each of its variables.

use std::collections::BTreeMap;

use probity_kernel::expr::Name;
use probity_kernel::term::Statement;

/// In how many places statements and loops set each variable.
pub(crate) fn assigned(body: &[Statement]) -> BTreeMap<Name, usize> {
    let mut counts = BTreeMap::new();
    count(body, &mut counts);
    counts
}

fn count(body: &[Statement], counts: &mut BTreeMap<Name, usize>) {
    for statement in body {
        match statement {
            Statement::Draw { var: name, .. }
            | Statement::Assign { var: name, .. }
            | Statement::Append { list: name, .. } => *counts.entry(name.clone()).or_insert(0) += 1,
            Statement::If { then, otherwise, .. } => {
                count(then, counts);
                count(otherwise, counts);
            }
            Statement::For { index, body, .. } => {
                *counts.entry(index.clone()).or_insert(0) += 1;
                count(body, counts);
            }
            Statement::While { body, .. } => count(body, counts),
        }
    }
}
