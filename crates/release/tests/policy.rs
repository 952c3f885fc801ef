//! Policies that contradict themselves are refused, each at its place.

use probity_release::policy;

const GOOD: &str = r#"
[budget]
epsilon = "2"                       # all of it
per_query = { epsilon = "1/2" }

[table.people]
unit = "row"
[table.people.columns]
region = { in = ["north", "south", "east", "west"] }
age = { type = "int", between = [0, 120] }
income = { type = "decimal", scale = 2, between = [0, 100000] }
weight = { type = "float", grid = "1/8", between = [0, 300], null = 70 }
born = { type = "date", between = ["1900-01-01", "2026-12-31"] }
smoker = { type = "bool", null = false }
note = { type = "text" }
"#;

#[test]
fn the_shape_of_the_design_is_read() {
    let policy = policy::read("people.toml", GOOD).unwrap();
    assert_eq!(
        (policy.total.to_string(), policy.per_query.to_string()),
        ("epsilon 2".into(), "epsilon 1/2".into())
    );
    let names: Vec<&str> = policy.tables[0].columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["region", "age", "income", "weight", "born", "smoker", "note"]);
    let rho = GOOD
        .replace("epsilon = \"2\"", "rho = \"1/2\"")
        .replace("{ epsilon = \"1/2\" }", "{ rho = \"1/50\" }");
    assert_eq!(policy::read("p", &rho).unwrap().total.to_string(), "rho 1/2");
    let users = GOOD.replace("\"row\"", "{ user = \"person_id\", groups = 3, rows_per_group = 10 }");
    assert!(matches!(
        policy::read("p", &users).unwrap().tables[0].unit,
        policy::Unit::User { groups: 3, .. }
    ));
    let delta = GOOD.replace("epsilon = \"2\" ", "epsilon = \"2\"\ndelta = \"1e-6\" ");
    assert_eq!(policy::read("p", &delta).unwrap().total.to_string(), "epsilon 2, delta 1/1000000");
}

#[test]
fn what_contradicts_itself_is_refused_at_its_place() {
    let cases = [
        ("epsilon = \"2\"", "epsilon = \"two\"", 3, "not a number"),
        ("epsilon = \"2\"", "epsilon = \"0\"", 3, "more than 0"),
        ("epsilon = \"2\"", "epsilon = \"-1\"", 3, "more than 0"),
        ("epsilon = \"2\"", "epsilon = \"1/4\"", 4, "more than all there is"),
        ("epsilon = \"2\"", "rho = \"2\"", 4, "another measure"),
        ("epsilon = \"2\"", "epsilon = 2\nrho = 1", 4, "not in both"),
        ("epsilon = \"2\"", "epsilon = 2\ndelta = 1", 4, "less than 1"),
        ("per_query = { epsilon = \"1/2\" }", "", 2, "what a query spends"),
        ("unit = \"row\"", "unit = \"person\"", 7, "a row or a user"),
        ("unit = \"row\"", "", 6, "whose presence"),
        (
            "unit = \"row\"",
            "unit = { user = \"age\", groups = 1, rows_per_group = 1 }",
            6,
            "told apart by the text of age",
        ),
        (
            "unit = \"row\"",
            "unit = { user = \"born\", groups = 1, rows_per_group = 1 }",
            6,
            "by the text of born",
        ),
        (
            "unit = \"row\"",
            "unit = { user = \"smoker\", groups = 1, rows_per_group = 1 }",
            6,
            "by the text of smoker",
        ),
        (
            "unit = \"row\"",
            "unit = { user = \"id\", groups = 0, rows_per_group = 1 }",
            7,
            "whole number from 1",
        ),
        ("unit = \"row\"", "unit = { user = \"id\" }", 7, "a row or a user"),
        ("\"south\"", "\"north\"", 9, "listed twice"),
        ("\"south\"", "\" south\"", 9, "a space"),
        ("[\"north\", \"south\", \"east\", \"west\"]", "[]", 9, "must list 1"),
        ("[0, 120]", "[120, 0]", 10, "above the upper"),
        ("[0, 120]", "[0, 0.5]", 10, "no multiple of 1"),
        ("[0, 120]", "[0, 1e300]", 10, "beyond 2^61"),
        ("[0, 120]", "[0]", 10, "two values"),
        (", between = [0, 120]", "", 10, "between which bounds"),
        ("\"int\"", "\"integer\"", 10, "no type `integer`"),
        ("\"int\"", "\"?\"", 10, "still open"),
        ("scale = 2, ", "", 11, "behind the point"),
        ("scale = 2", "scale = 19", 11, "from 0 to 18"),
        ("grid = \"1/8\", ", "", 12, "to a grid"),
        ("null = 70", "null = 301", 12, "value of the column's domain"),
        ("null = 70", "nul = 70", 12, "no key `nul`"),
        ("\"1900-01-01\"", "\"1900-02-30\"", 13, "no date"),
        ("type = \"bool\"", "type = \"bool\", in = [\"a\"]", 14, "has no `in`"),
        ("smoker = ", "smoker.x = ", 14, "no key `x`"),
        ("[table.people]", "[tabel.people]", 6, "no key `tabel`"),
        ("[budget]", "[budget", 2, "not TOML"),
        ("age = {", "\"\" = {", 10, "must not be empty"),
        ("age = {", "\" age\" = {", 10, "begin or end with a blank"),
        ("age = {", "\"age\\n\" = {", 10, "begin or end with a blank"),
        ("unit = \"row\"", "unit = { user = \"\", groups = 1, rows_per_group = 1 }", 7, "must not be empty"),
        (
            "\"south\", \"east\", \"west\"] }",
            "\"drop\"], outside = \"drop\" }",
            9,
            "is a value of this column too",
        ),
        ("per_query = { epsilon = \"1/2\" }", "per_query = \"1/2\"", 4, "must be a table"),
        ("[0, 120] }", "[0, 120], outside = \"keep\" }", 10, "`outside` must be \"drop\""),
    ];
    for (from, to, line, message) in cases {
        assert!(GOOD.contains(from), "{from}");
        let refusal = policy::read("people.toml", &GOOD.replacen(from, to, 1)).unwrap_err();
        assert!(refusal.message.contains(message), "{to}: {refusal}");
        let place = refusal.place.unwrap();
        assert_eq!((place.file.as_str(), place.line), ("people.toml", line), "{to}");
    }
    for text in ["", "[budget]\nepsilon = 1\nper_query = { epsilon = 1 }"] {
        assert!(policy::read("p", text).is_err());
    }
}
