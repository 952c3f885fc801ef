//! Columns in memory give the sums that the same table as texts gives, to the last digit.

use std::ops::Range;

use probity_release::engine::Engine;
use probity_release::engine::columns::{Batch, Columns, Field};
use probity_release::engine::rows::Rows;
use probity_release::{policy, query};

const POLICY: &str = r#"
[budget]
epsilon = 10
per_query = { epsilon = 1 }

[table.t]
unit = "row"
[table.t.columns]
k = { in = ["a", "b", "7"] }
n = { type = "int", between = [-5, 20] }
d = { type = "decimal", scale = 2, between = [0, 10] }
f = { type = "bool" }
day = { type = "date", between = ["2020-01-01", "2020-12-31"] }

[table.u]
unit = { user = "who", groups = 2, rows_per_group = 3 }
[table.u.columns]
who = { type = "text" }
k = { in = ["a", "b", "7"] }
n = { type = "int", between = [-5, 20] }
"#;

/// A value that a batch owns.
#[derive(Clone)]
enum Held {
    Null,
    Integer(i128),
    Decimal(i128, u8),
    Bool(bool),
    Date(i64),
    Text(String),
}

struct Table(Vec<Vec<Held>>);

impl Batch for Table {
    fn rows(&self) -> usize {
        self.0.len()
    }

    fn visit(&self, column: usize, rows: Range<usize>, each: &mut dyn FnMut(Field<'_>)) {
        for row in &self.0[rows] {
            each(match &row[column] {
                Held::Null => Field::Null,
                Held::Integer(value) => Field::Integer(*value),
                Held::Decimal(units, scale) => Field::Decimal { units: *units, scale: *scale },
                Held::Bool(value) => Field::Bool(*value),
                Held::Date(days) => Field::Date(*days),
                Held::Text(text) => Field::Text(text.as_bytes()),
            });
        }
    }
}

fn written(value: &Held) -> String {
    match value {
        Held::Null => String::new(),
        Held::Integer(value) => value.to_string(),
        Held::Decimal(units, scale) => format!("{units}e-{scale}"),
        Held::Bool(value) => value.to_string(),
        Held::Date(days) => policy::date_to_text(*days),
        Held::Text(text) => text.clone(),
    }
}

fn table(rows: usize) -> Vec<Vec<Held>> {
    let mut state = 11u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let day = policy::date_from_text("2020-01-01").unwrap();
    (0..rows)
        .map(|_| {
            let row = [
                [Held::Text("a".into()), Held::Text(" b".into()), Held::Integer(7), Held::Text("c".into())]
                    [next(4) as usize]
                    .clone(),
                Held::Integer(i128::from(next(40)) - 10),
                Held::Decimal(i128::from(next(12_000)), 3),
                Held::Bool(next(2) == 1),
                Held::Date(day + next(400) as i64),
                Held::Integer(i128::from(next(30))),
            ];
            row.into_iter().map(|value| if next(10) == 0 { Held::Null } else { value }).collect()
        })
        .collect()
}

#[test]
fn columns_sum_as_texts_do() {
    let policy = policy::read("policy", POLICY).unwrap();
    let header: Vec<String> = ["k", "n", "d", "f", "day", "who"].map(str::to_owned).to_vec();
    // More rows than a worker takes at once, in batches of different lengths.
    let rows = table(40_000);
    let texts = Rows {
        header: header.clone(),
        rows: rows.iter().map(|row| row.iter().map(written).collect()).collect(),
    };
    let batches = [&rows[..7], &rows[7..7], &rows[7..36_000], &rows[36_000..]]
        .map(|part| Box::new(Table(part.to_vec())) as Box<dyn Batch>);
    let columns = Columns::new(header, batches.into());
    for sql in [
        "SELECT k, COUNT(*) AS n, SUM(n) AS s, AVG(d) AS m FROM t GROUP BY k",
        "SELECT f, SUM(d) AS s FROM t WHERE day >= DATE '2020-06-01' GROUP BY f",
        "SELECT COUNT(*) AS n FROM t",
        "SELECT k, SUM(n) AS s, COUNT(*) AS c FROM u GROUP BY k",
    ] {
        let plan = query::plan(sql, &policy).unwrap();
        columns.check(&plan).unwrap();
        let (one, two) = (columns.sums(&plan, &|_, _| {}).unwrap(), texts.sums(&plan, &|_, _| {}).unwrap());
        assert_eq!(one, two, "{sql}");
        assert!(one.sums.iter().any(|sum| *sum != 0), "{sql}");
    }
}

/// Keys that are discovered are those of the texts, however their values are typed, and rows that WHERE leaves out have none.
#[test]
fn columns_have_the_keys_that_texts_have() {
    let text = POLICY
        .replace("epsilon = 10", "epsilon = 10\ndelta = \"1/100\"")
        .replace("per_query = { epsilon = 1 }", "per_query = { epsilon = 1, delta = \"1/1000\" }");
    let found = "k = { type = \"text\", discover = true }";
    let text = text.replacen("k = { in = [\"a\", \"b\", \"7\"] }", found, 1);
    let policy = policy::read("policy", &text).unwrap();
    let header: Vec<String> = ["k", "n", "d", "f", "day", "who"].map(str::to_owned).to_vec();
    let rows = table(40_000);
    let texts = Rows {
        header: header.clone(),
        rows: rows.iter().map(|row| row.iter().map(written).collect()).collect(),
    };
    let batches = [&rows[..7], &rows[7..]].map(|part| Box::new(Table(part.to_vec())) as Box<dyn Batch>);
    let columns = Columns::new(header, batches.into());
    assert!(columns.finds_keys());
    let plan = query::plan("SELECT k, COUNT(*) AS c FROM t WHERE n > 3 GROUP BY k", &policy).unwrap();
    let (one, two) = (columns.keys(&plan, &|_, _| {}).unwrap(), texts.keys(&plan, &|_, _| {}).unwrap());
    assert_eq!(one, two);
    assert_eq!(one.keys().collect::<Vec<_>>(), ["7", "a", "b", "c"]);
    // Of 40,000 rows a tenth has no key, a tenth no n, and 25 of 40 values of n are above 3.
    assert!((18_000..23_000).contains(&one.values().sum::<u64>()), "{one:?}");
    // Public keys are not found.
    let public = query::plan("SELECT f, COUNT(*) AS c FROM t GROUP BY f", &policy).unwrap();
    assert!(columns.keys(&public, &|_, _| {}).is_err());
}

#[test]
fn a_missing_column_is_refused_by_the_header() {
    let policy = policy::read("policy", POLICY).unwrap();
    let plan = query::plan("SELECT SUM(n) AS s FROM t", &policy).unwrap();
    let columns = Columns::new(vec!["k".into(), "m".into()], Vec::new());
    assert!(columns.check(&plan).unwrap_err().message.contains("no column named `n`"));
    let twice = Columns::new(vec!["n".into(), "n".into()], Vec::new());
    assert!(twice.check(&plan).unwrap_err().message.contains("two columns `n`"));
    let empty = Columns::new(vec!["n".into()], Vec::new());
    assert_eq!(empty.sums(&plan, &|_, _| {}).unwrap().sums, vec![0]);
}
