//! A policy with a column of every kind, and queries under it.

use probity_release::policy::{self, Policy};
use probity_release::prepare::{Prepared, prepare};

pub const POLICY: &str = r#"
[budget]
epsilon = "2"
per_query = { epsilon = "1/2" }
[table.people]
unit = "row"
[table.people.columns]
region = { in = ["north", "south", "east"] }
age = { type = "int", between = [0, 120] }
income = { type = "decimal", scale = 2, between = [-1000, 100000], null = 10 }
weight = { type = "float", grid = "1/4", between = [0, 200], outside = "drop" }
smoker = { type = "bool", null = false }
born = { type = "date", between = ["2000-01-01", "2000-02-29"] }
Note = { type = "text" }
"#;

pub fn policy() -> Policy {
    policy::read("policy", POLICY).unwrap()
}

pub fn prepared_by(policy: &Policy, sql: &str) -> Prepared {
    prepare(policy, &[sql.to_owned()], &[]).unwrap_or_else(|refusal| panic!("{sql}\n{refusal}")).remove(0)
}
