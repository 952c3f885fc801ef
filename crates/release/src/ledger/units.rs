//! Whose presence a ledger's losses hide: a theorem counts against a budget only if its neighbours are those of the policy, and a loss
//! about rows is none about users.

use probity_kernel::term::{Adjacency, Mechanism, Sort};
use probity_prove::one_row::{OneRow, one_row};

use crate::policy::{Policy, Unit};
use crate::refusal::{Answer, Refusal};

/// A text over tables must be about tables of the policy, their columns, and one row more or less.
///
/// What lies between a table and inputs that are numbers or lists, nobody can see: the neighbours of such a text are recorded with
/// the debit, and that they cover one unit of the policy is for the owner to say.
pub(super) fn check(policy: &Policy, mechanism: &Mechanism) -> Answer<()> {
    for input in &mechanism.inputs {
        let Sort::Rows(fields) = &input.sort else { continue };
        let name = input.name.to_string();
        let Some(table) = policy.table(&name) else {
            return Err(Refusal::input(format!("the ledger's policy has no table {name}")).hint(
                "a budget is about the tables of its policy: name the text's input after one of them",
            ));
        };
        if let Unit::User { column, .. } = &table.unit {
            return Err(Refusal::input(format!(
                "the ledger's policy hides all rows with one {column} of {name}, and the theorem is about rows"
            ))
            .hint("ask by SQL with `probity release`, which bounds the rows of a user first, or keep a ledger for rows"));
        }
        if let Some(field) = fields.iter().find(|field| table.column(&field.name.to_string()).is_none()) {
            return Err(Refusal::input(format!(
                "{} is no column of {name} in the ledger's policy",
                field.name
            ))
            .hint("only columns of the policy may be used; the owner adds one with `probity budget amend`"));
        }
        // A table that no clause speaks of is the same in both runs; a replaced row tells that there is one.
        let is_hidden = mechanism.adjacency.iter().any(|clause| match clause {
            Adjacency::OneRow { table } | Adjacency::Rows { table, .. } => *table == input.name,
            _ => false,
        });
        if !is_hidden {
            return Err(Refusal::input(format!(
                "the ledger's policy hides whether a row of {name} is there, and the theorem does not"
            ))
            .hint(format!("write `neighbours one row of {name} is added or removed`")));
        }
        // Beside another clause the row alone may make no neighbours, and then the theorem says nothing of it.
        if one_row(mechanism) != Some((input.name.clone(), OneRow::AddedOrRemoved)) {
            return Err(Refusal::input(format!(
                "the theorem is not about one row of {name} alone: other inputs have to differ with it, or are not shown to be free to stay the same"
            ))
            .hint("of every other input, state neighbours that may be equal, as `abs(z' - z) <= 1`"));
        }
    }
    Ok(())
}

/// What an entry says of runs: with numbers or lists for inputs, also that nobody could see where they come from.
pub(super) fn said(mechanism: &Mechanism, what: &str) -> String {
    let is_table = |sort: &Sort| matches!(sort, Sort::Rows(_));
    match mechanism.inputs.iter().all(|input| is_table(&input.sort)) {
        true => what.to_owned(),
        false => format!("{what}, whose inputs are not of a table"),
    }
}

/// What was spent stays true under another policy: what hid a row does not hide a user, nor one kind of user another. What hid a user
/// hides a row at twice the loss only: a row more can push out another row of its user, as if that user had left and another had come.
pub(super) fn check_units(spent_under: &[Policy], after: &Policy) -> Answer<()> {
    let unit = |unit: &Unit| match unit {
        Unit::Row => None,
        Unit::User { column, .. } => Some(column.clone()),
    };
    for (table, before) in
        after.tables.iter().flat_map(|table| spent_under.iter().map(move |one| (table, one)))
    {
        let Some(known) = before.table(&table.name) else { continue };
        let (then, now) = (unit(&known.unit), unit(&table.unit));
        if then == now {
            continue;
        }
        let named = |unit: Option<String>| match unit {
            None => "one row".to_owned(),
            Some(column) => format!("all rows with one {column}"),
        };
        return Err(Refusal::input(format!(
            "the losses in this ledger do not hide {} of {}: they were spent under another unit, {}",
            named(now),
            table.name,
            named(then)
        ))
        .hint("begin a new ledger for the new unit, with a budget that counts what was released before"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of the policy's table is hidden only by a theorem about that row alone.
    #[test]
    fn what_differs_beside_a_row_may_stay_the_same() {
        let policy = "[budget]\nepsilon = \"1\"\nper_query = { epsilon = \"1/2\" }\n[table.people]\nunit = \"row\"\n\
                      [table.people.columns]\nage = { type = \"int\", between = [0, 120] }\n";
        let policy = crate::policy::read("people.toml", policy).unwrap();
        let checked = |clauses: &str, assumption: &str| {
            let text = format!(
                "mechanism m(people: rows(age: int), z: int)
                 where 0 <= z and z <= 8{assumption}
                 y ~ discrete_laplace(count(r in people) + z, 1)
                 return y
                 {clauses}
                 claim 1"
            );
            check(&policy, &probity_lang::load_text(&text).unwrap().mechanism)
        };
        let row = "neighbours one row of people is added or removed\n";
        // A replaced row tells that there is one.
        let refusal =
            checked("neighbours one row of people is replaced\nneighbours z' == z", "").unwrap_err();
        assert!(refusal.message.contains("hides whether a row of people is there"), "{}", refusal.message);
        for fine in ["neighbours abs(z' - z) <= 1", "neighbours z' == z", "neighbours z' >= z"] {
            assert!(checked(&format!("{row}{fine}"), "").is_ok(), "{fine}");
        }
        let sampled = "mechanism m(people: rows(age: int))\ns ~ sample(people, 1/2)\ny ~ laplace(count(r in s), 1)\nreturn y\n";
        for (row, is_fine) in [(row, true), ("neighbours one row of people is replaced", false)] {
            let mechanism = probity_lang::load_text(&format!("{sampled}{row}\nclaim 1")).unwrap().mechanism;
            assert_eq!(check(&policy, &mechanism).is_ok(), is_fine, "{row}");
        }
        for wrong in ["neighbours abs(z' - z) == 5", "neighbours z' > z", "neighbours abs(z' - z) <= -1"] {
            let refusal = checked(&format!("{row}{wrong}"), "").unwrap_err();
            assert!(
                refusal.message.contains("not about one row of people alone"),
                "{wrong}: {}",
                refusal.message
            );
        }
    }
}
