//! Conditions that protect privacy or the budget, each with a test in which it says no.
//!
//! `scripts/release_switches.py` switches every refusal and condition of the crate off in turn; `noticed.txt` says which test noticed, here
//! or in the other files. `coverage.rs` holds it against the source.

#[path = "../common/mod.rs"]
mod common;

mod asking;
mod coverage;
mod entries;
mod files;
mod noise;
mod policies;

use probity_release::policy::{self, Policy};

use crate::common::POLICY;

fn read(text: &str) -> Policy {
    policy::read("policy", text).unwrap()
}

fn in_rho() -> Policy {
    read(
        &POLICY
            .replace("epsilon = \"2\"", "rho = \"2\"")
            .replace("{ epsilon = \"1/2\" }", "{ rho = \"1/2\" }"),
    )
}

/// A table of these rows, whose header names all columns of the policy, these first.
fn table(first: &[&str], rows: &[&[&str]]) -> probity_release::engine::rows::Rows {
    let rest = common::policy().tables[0].columns.clone().into_iter().map(|column| column.name);
    let rest = rest.filter(|name| !first.contains(&name.as_str()));
    probity_release::engine::rows::Rows {
        header: first.iter().map(|name| (*name).to_owned()).chain(rest).collect(),
        rows: rows.iter().map(|row| row.iter().map(|field| (*field).to_owned()).collect()).collect(),
    }
}
