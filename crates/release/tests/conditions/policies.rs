//! Policies that would say less, or something else, than their owner thinks; and rows that have no part in an answer.

use probity_release::engine::Engine;
use probity_release::engine::rows::Rows;
use probity_release::policy;

use crate::common::{POLICY, prepared_by};

/// The refusal of the policy with a line more, or its columns if it is read.
fn refused(line: &str) -> String {
    let text =
        POLICY.replace("Note = { type = \"text\" }\n", &format!("Note = {{ type = \"text\" }}\n{line}\n"));
    match policy::read("policy", &text) {
        Err(refusal) => refusal.message,
        Ok(_) => String::new(),
    }
}

/// What a column of a type does not have is not passed over: it may be what its owner relies on.
#[test]
fn a_key_that_means_nothing_is_refused() {
    for (line, key) in [
        ("x = { references = \"t\", between = [0, 1] }", "between"),
        ("x = { type = \"text\", null = \"drop\" }", "null"),
        ("x = { type = \"bool\", between = [0, 1] }", "between"),
        ("x = { type = \"int\", between = [0, 1], grid = 1 }", "grid"),
        ("x = { type = \"decimal\", scale = 2, between = [0, 1], grid = 1 }", "grid"),
        ("x = { type = \"float\", grid = 1, between = [0, 1], scale = 2 }", "scale"),
        ("x = { type = \"date\", between = [\"2000-01-01\", \"2000-01-02\"], scale = 2 }", "scale"),
        ("x = { in = [\"a\"], between = [0, 1] }", "between"),
    ] {
        assert!(refused(line).contains(&format!("has no `{key}`")), "{line}: {}", refused(line));
    }
    for (line, said) in [
        ("x = { type = \"float\", grid = 0, between = [0, 1] }", "more than 0"),
        ("x = { type = \"float\", grid = \"-1\", between = [0, 1] }", "more than 0"),
        ("x = { type = \"int\", between = [0, 2305843009213693952] }", "beyond 2^61"),
        ("x = { type = \"int\", between = [-2305843009213693952, 0] }", "beyond 2^61"),
        (
            "[public.t]\nkey = \"k\"\n[public.t.columns]\nc = { type = \"text\", discover = true }",
            "nothing to discover",
        ),
        ("[table.other]\nunit = \"row\"\ncolumns = {}", "has no columns"),
        ("[table.other]\nunit = \"row\"", "has no columns"),
    ] {
        assert!(refused(line).contains(said), "{line}: {}", refused(line));
    }
    assert_eq!(refused("x = { type = \"int\", between = [0, 2305843009213693951] }"), "");
    assert!(refused(&format!("# {}", "x".repeat(16 << 20))).contains("too large for a policy"));
}

/// Rows without a user, rows that cleaning drops, and rows that FILTER leaves out are in no sum.
#[test]
fn rows_without_a_part_are_in_no_sum() {
    let users =
        POLICY.replace("unit = \"row\"", "unit = { user = \"Note\", groups = 2, rows_per_group = 3 }");
    let users = policy::read("policy", &users).unwrap();
    let rows = [
        ["u", "north", "40", "1"],
        ["", "north", "41", "1"],
        ["u", "north", "42", "500"],
        [" ", "north", "43", "1"],
        ["v", "south", "2", "1"],
    ];
    let table = Rows {
        header: ["Note", "region", "age", "weight"].map(String::from).to_vec(),
        rows: rows.iter().map(|row| row.iter().map(|field| (*field).to_owned()).collect()).collect(),
    };
    let sums = |policy: &policy::Policy, sql: &str| {
        table.sums(&prepared_by(policy, sql).plan, &|_, _| {}).unwrap().sums
    };
    let sql = "SELECT COUNT(*), SUM(age), SUM(weight) FROM people";
    assert_eq!(sums(&users, sql), [2, 42, 8]);
    // With rows as units nobody need be named; 500 is out of its domain, which drops the row.
    let rows = policy::read("policy", POLICY).unwrap();
    assert_eq!(sums(&rows, sql), [4, 40 + 41 + 43 + 2, 16]);
    assert_eq!(
        sums(&rows, "SELECT COUNT(*) FILTER (WHERE age > 40), SUM(age) FILTER (WHERE age < 41) FROM people"),
        [3, 42]
    );
}
