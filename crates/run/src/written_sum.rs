//! A sum over rows as a loop of the text: for sums over samples, and for those that depend on what the text computes or draws.
//!
//! The loop reads the rows from lists that are inputs, so the program does not depend on them. Its names are those of the text, for messages.

use probity_kernel::expr::{Binary, Expr, Name, Variable};
use probity_kernel::term::{Field, Sort, Statement};

use crate::sample::coins;

/// How many rows a table has.
pub(crate) fn size_of(table: &Name) -> Name {
    Name::from(format!("size of {table}").as_str())
}

/// The list of what the rows of a table have in a field; truth values are 1 and 0.
pub(crate) fn column(table: &Name, field: &Name) -> Name {
    Name::from(format!("{table}.{field}").as_str())
}

const ROW: &str = "row of ";

fn place(table: &Name) -> Name {
    Name::from(format!("{ROW}{table}").as_str())
}

/// What a loop over rows is for.
pub(crate) enum RowLoop<'a> {
    /// A variable that becomes a sum, and what each row adds to it.
    Sum(&'a Name, &'a Expr),
    /// A coin for each row.
    Coins,
}

/// What a loop with this index and body is for, if it is one over rows. No name of a text has a space in it.
pub(crate) fn row_loop<'a>(index: &Name, body: &'a [Statement]) -> Option<RowLoop<'a>> {
    if !index.as_str().starts_with(ROW) {
        return None;
    }
    match body.last()? {
        Statement::If { then, .. } => match then.as_slice() {
            [Statement::Assign { var, value: Expr::Binary(Binary::Add, _, value) }] => {
                Some(RowLoop::Sum(var, value))
            }
            _ => row_loop(index, then),
        },
        _ => Some(RowLoop::Coins),
    }
}

/// A loop over the rows of a table.
pub(crate) fn for_every_row(table: &Name, body: Vec<Statement>) -> Statement {
    Statement::For { index: place(table), from: Expr::int(0), to: Expr::var(size_of(table)), body }
}

/// What is summed: a table, or a sample and its table.
pub(crate) struct Over<'a> {
    pub(crate) table: &'a Name,
    pub(crate) sample: Option<&'a Name>,
    pub(crate) fields: &'a [Field],
}

impl Over<'_> {
    /// Statements after which the variable `to` is the sum of `value` over the rows of which `condition` holds.
    pub(crate) fn summed(&self, to: &Name, condition: &Expr, value: &Expr) -> Vec<Statement> {
        let assign = |var: Name, value: Expr| Statement::Assign { var, value };
        let bound = self.sample.unwrap_or(self.table);
        let of_row = |name: &Name| Name::from(format!("r.{name}").as_str());
        let mut body = Vec::new();
        for field in self.fields {
            let reads =
                |v: &Variable| matches!(v, Variable::Field(of, name) if of == bound && *name == field.name);
            if condition.find_variable(&reads).is_some() || value.find_variable(&reads).is_some() {
                let list = Variable::Plain(column(self.table, &field.name));
                body.push(assign(of_row(&field.name), Expr::var(place(self.table)).index_of(list)));
            }
        }
        let at = |e: &Expr| {
            e.replace(&|v| match v {
                Variable::Field(of, name) if of == bound => {
                    let own = Expr::var(of_row(name));
                    let truth =
                        self.fields.iter().any(|field| field.name == *name && field.sort == Sort::Bool);
                    Some(if truth { own.equals(Expr::int(1)) } else { own })
                }
                _ => None,
            })
        };
        let add = assign(to.clone(), Expr::var(to.clone()) + at(value));
        body.push(Statement::If { guard: at(condition), then: vec![add], otherwise: Vec::new() });
        if let Some(sample) = self.sample {
            let guard = Expr::var(place(self.table)).index_of(Variable::Plain(coins(sample)));
            body = vec![Statement::If { guard, then: body, otherwise: Vec::new() }];
        }
        vec![assign(to.clone(), Expr::int(0)), for_every_row(self.table, body)]
    }
}
