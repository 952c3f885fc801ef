//! The same plan has the same sums on every engine, to the last digit.
//!
//! Servers are started by `scripts/engines.sh`, which says by environment variables which there are: `PROBITY_POSTGRES` is a connection,
//! `PROBITY_DUCKDB` a folder for a database, `PROBITY_SPARK` a master (it needs DuckDB too, which writes its table). Without them
//! there is nothing to compare, and only the texts of statements are looked at.

use std::env;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use probity_release::engine::Engine;
use probity_release::engine::client::Client;
use probity_release::engine::rows::Rows;
use probity_release::engine::sql::{Dialect, Kind, found, statement};
use probity_release::policy::{self, Policy};
use probity_release::prepare::prepare;
use probity_release::query::Plan;

const POLICY: &str = r#"
[budget]
epsilon = "2"
per_query = { epsilon = "1/2" }
[table.people]
unit = "row"
[table.people.columns]
region = { in = ["north", "so'uth", "e\\ast"], outside = "north" }
age = { type = "int", between = [-3, 120], null = 40 }
income = { type = "decimal", scale = 2, between = [-1000, 100000] }
weight = { type = "float", grid = "1/4", between = [0, 200], outside = "drop" }
smoker = { type = "bool", null = false }
agreed = { type = "bool" }
born = { type = "date", between = ["2000-01-01", "2000-02-29"] }
place = { references = "places" }
[public.places]
key = "code"
[public.places.columns]
height = { type = "int", between = [-100, 9000] }
kind = { type = "text" }
"#;

fn policy(users: bool) -> Policy {
    let text = match users {
        false => POLICY.to_owned(),
        true => {
            POLICY.replace("unit = \"row\"", "unit = { user = \"person\", groups = 2, rows_per_group = 3 }")
        }
    };
    let mut policy = policy::read("policy", &text).unwrap();
    let rows = [["a", "-7", "hill"], ["b", "800", "dale"], ["c", "12", "hill"]];
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(String::from).to_vec()).collect();
    policy.read_public("places", &["code", "height", "kind"].map(String::from), &rows).unwrap();
    policy
}

const QUERIES: &[&str] = &[
    "SELECT COUNT(*) FROM people",
    "SELECT region, COUNT(*), SUM(income), AVG(age) FROM people GROUP BY region",
    "SELECT region, smoker, SUM(weight - age / 2), MEDIAN(income), MAX(age) FROM people WHERE born >= DATE '2000-01-10' GROUP BY region, smoker",
    "SELECT kind, SUM(height * age), MIN(weight) FROM people JOIN places ON place = code WHERE region <> 'e\\ast' GROUP BY kind",
    "SELECT SUM(ABS(income)), SUM(LEAST(age, 30, weight)), SUM(CASE WHEN smoker OR age > 60 THEN income ELSE -1 END) FROM people WHERE NOT (age BETWEEN 20 AND 22)",
    "SELECT born, COUNT(*) FILTER (WHERE age > 30) FROM people GROUP BY born",
    "SELECT agreed, COUNT(*), SUM(age) FROM people GROUP BY agreed",
    "SELECT VARIANCE(income), PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY age) FROM people",
];

const BY_USER: &[&str] = &[
    "SELECT region, COUNT(*), SUM(income) FROM people GROUP BY region",
    "SELECT SUM(age), MEDIAN(age) FROM people WHERE smoker",
    "SELECT smoker, COUNT(DISTINCT person) FROM people GROUP BY smoker",
];

fn plans() -> Vec<Plan> {
    let of = |policy: Policy, queries: &[&str]| {
        let plan = |sql: &&str| {
            let prepared = prepare(&policy, &[(*sql).to_owned()], &[]);
            prepared.unwrap_or_else(|refusal| panic!("{sql}\n{refusal}")).remove(0).plan
        };
        queries.iter().map(plan).collect::<Vec<Plan>>()
    };
    [of(policy(false), QUERIES), of(policy(true), BY_USER)].concat()
}

/// Plans whose keys are discovered among the persons, of at most four bytes.
fn discovering() -> Vec<Plan> {
    let text = POLICY
        .replace("epsilon = \"2\"", "epsilon = \"2\"\ndelta = \"1/100\"")
        .replace("{ epsilon = \"1/2\" }", "{ epsilon = \"1/2\", delta = \"1/1000\" }")
        .replace(
            "[public.places]",
            "person = { type = \"text\", discover = true, max_bytes = 4 }\n[public.places]",
        );
    let policy = policy::read("policy", &text).unwrap();
    let plan = |sql: &str| prepare(&policy, &[sql.to_owned()], &[]).unwrap().remove(0).plan;
    vec![
        plan("SELECT person, COUNT(*) FROM people GROUP BY person"),
        plan("SELECT person, COUNT(*) FROM people WHERE age > 17 AND smoker GROUP BY person"),
    ]
}

/// The columns as an engine has them.
const COLUMNS: [(&str, &str); 9] = [
    ("region", "TEXT"),
    ("age", "INTEGER"),
    ("income", "DECIMAL(14,3)"),
    ("weight", "DECIMAL(9,4)"),
    ("smoker", "BOOLEAN"),
    ("born", "DATE"),
    ("place", "TEXT"),
    ("person", "TEXT"),
    ("agreed", "TEXT"),
];

/// Values that an engine can hold, the extreme ones among them.
fn table(length: usize) -> Rows {
    let fields: [&[&str]; 9] = [
        &["north", " so'uth", "e\\ast\t", "west", "", "North"],
        &["0", "17", "40", "120", "121", "-5", "", "2147483647", "-2147483648", "21"],
        &[
            "0.000",
            "12.345",
            "-12.345",
            "100000.004",
            "100000.005",
            "99999999999.999",
            "-99999999999.999",
            "",
            "50.505",
            "0.005",
            "-0.005",
        ],
        &["0.0000", "3.1250", "3.1249", "200.1249", "200.1250", "-1.0000", "", "99999.9999"],
        &["true", "false", ""],
        &[
            "2000-01-01",
            "2000-01-20",
            "2000-02-29",
            "2001-01-01",
            "",
            "1999-12-31",
            "0001-01-01",
            "9999-12-31",
        ],
        &["a", "b", "c", "d", ""],
        &["u", "v", " w ", "w", "", "é|1", "a\tb", "long one", "x\\ny"],
        &["true", "T", " yes ", "Yes", "N", "off", "0", "1", "1.0", "0.0", "yEs", "ja", "2", "", "F"],
    ];
    let mut state = 9u64;
    let mut roll = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let rows =
        (0..length).map(|_| fields.iter().map(|values| values[roll(values.len())].to_owned()).collect());
    Rows { header: COLUMNS.map(|(name, _)| name.to_owned()).to_vec(), rows: rows.collect() }
}

/// SQL that makes the table. An empty field is NULL, in texts too half of the time.
fn creation(rows: &Rows) -> String {
    let columns = COLUMNS.map(|(name, kind)| format!("{name} {kind}")).join(", ");
    let mut sql = format!("DROP TABLE IF EXISTS people;\nCREATE TABLE people ({columns});\n");
    for (number, chunk) in rows.rows.chunks(500).enumerate() {
        let value = |row: usize, (field, (_, kind)): (&String, &(&str, &str))| match (*kind, field.as_str()) {
            ("TEXT", "") if (row + number).is_multiple_of(2) => "''".to_owned(),
            (_, "") => "NULL".to_owned(),
            ("INTEGER" | "DECIMAL(14,3)" | "DECIMAL(9,4)" | "BOOLEAN", field) => field.to_owned(),
            ("DATE", field) => format!("DATE '{field}'"),
            (_, field) => format!("'{}'", field.replace('\'', "''")),
        };
        let row = |(place, row): (usize, &Vec<String>)| {
            let values: Vec<String> = row.iter().zip(&COLUMNS).map(|pair| value(place, pair)).collect();
            format!("({})", values.join(", "))
        };
        let values: Vec<String> = chunk.iter().enumerate().map(row).collect();
        let _ = writeln!(sql, "INSERT INTO people VALUES {};", values.join(",\n"));
    }
    sql
}

fn feed(program: &str, arguments: &[&str], sql: &str) {
    let mut child =
        Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(sql.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "{program}");
}

fn agree(engine: &Client, rows: &Rows, plans: &[Plan]) {
    for plan in plans {
        engine.check(plan).unwrap_or_else(|refusal| panic!("{}\n{refusal}", plan.sql));
        let found = engine.sums(plan, &|_, _| {}).unwrap_or_else(|refusal| panic!("{}\n{refusal}", plan.sql));
        let expected = rows.sums(plan, &|_, _| {}).unwrap();
        assert_eq!(found, expected, "{}", plan.sql);
        assert!(expected.sums.iter().any(|sum| *sum != 0), "{}", plan.sql);
    }
}

/// The same keys with the same counts. Texts that are no keys, as those with a tab, are found by no engine.
fn agree_on_keys(engine: &Client, rows: &Rows) {
    assert!(engine.finds_keys());
    for plan in discovering() {
        engine.check(&plan).unwrap_or_else(|refusal| panic!("{}\n{refusal}", plan.sql));
        let found =
            engine.keys(&plan, &|_, _| {}).unwrap_or_else(|refusal| panic!("{}\n{refusal}", plan.sql));
        assert_eq!(found, rows.keys(&plan, &|_, _| {}).unwrap(), "{}", plan.sql);
        let keys: Vec<&str> = found.keys().map(String::as_str).collect();
        assert_eq!(keys, ["u", "v", "w", "x\\ny", "é|1"]);
    }
}

#[test]
fn postgresql_agrees() {
    let Ok(place) = env::var("PROBITY_POSTGRES") else { return };
    let rows = table(3000);
    feed("psql", &["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", &place], &creation(&rows));
    agree(&Client::named(&place, "people").unwrap(), &rows, &plans());
    agree_on_keys(&Client::named(&place, "people").unwrap(), &rows);
    // What DECIMAL of PostgreSQL has besides: NaN and infinities, and dates without end.
    let odd = "DROP TABLE IF EXISTS odd; CREATE TABLE odd (income NUMERIC, born DATE, age INTEGER);\n\
               INSERT INTO odd VALUES ('NaN', '2000-01-02', 1), ('Infinity', 'infinity', 2), ('-Infinity', '-infinity', 3), (1e200, '12345-01-01', 4), (-1e-200, '2000-01-02', 5);";
    feed("psql", &["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", &place], odd);
    let texts = [
        ["nan", "2000-01-02", "1"],
        ["inf", "x", "2"],
        ["-inf", "x", "3"],
        ["1e200", "x", "4"],
        ["-1e-200", "2000-01-02", "5"],
    ];
    let same = Rows {
        header: ["income", "born", "age"].map(String::from).to_vec(),
        rows: texts.iter().map(|row| row.map(String::from).to_vec()).collect(),
    };
    let client = Client::named(&format!("{place}#odd"), "people").unwrap();
    let plan = |sql: &str| prepare(&policy(false), &[sql.to_owned()], &[]).unwrap().remove(0).plan;
    agree(
        &client,
        &same,
        &[
            plan("SELECT SUM(income), SUM(age) FROM people"),
            plan("SELECT SUM(age) FROM people WHERE born > DATE '2000-01-01'"),
        ],
    );
    // A table that is not there, or a type that is not read, is refused before anything is added up.
    let gone = Client::named(&format!("{place}#gone"), "people").unwrap();
    assert!(gone.check(&plan("SELECT COUNT(*) FROM people")).unwrap_err().message.contains("gone"));
    feed(
        "psql",
        &["-X", "-q", "-d", &place],
        "DROP TABLE IF EXISTS f; CREATE TABLE f (age DOUBLE PRECISION);",
    );
    let float = Client::named(&format!("{place}#f"), "people").unwrap();
    let refused = float.check(&plan("SELECT SUM(age) FROM people")).unwrap_err();
    assert!(refused.message.contains("double precision"), "{refused}");
}

#[test]
fn duckdb_and_spark_agree() {
    let Ok(folder) = env::var("PROBITY_DUCKDB") else { return };
    let (file, parquet) = (format!("{folder}/people.duckdb"), format!("{folder}/people.parquet"));
    let rows = table(3000);
    let copy = format!("COPY people TO '{parquet}' (FORMAT parquet);");
    feed("duckdb", &[&file], &format!("{}{copy}\n", creation(&rows)));
    agree(&Client::named(&format!("duckdb:{file}"), "people").unwrap(), &rows, &plans());
    agree_on_keys(&Client::named(&format!("duckdb:{file}"), "people").unwrap(), &rows);
    // A Parquet file, without a database.
    agree(&Client::named(&format!("duckdb:#'{parquet}'"), "people").unwrap(), &rows, &plans()[1..2]);
    let Ok(master) = env::var("PROBITY_SPARK") else { return };
    let spark = Client::named(&format!("spark:{master}#parquet.`{parquet}`"), "people").unwrap();
    agree(&spark, &rows, &[plans()[2].clone(), plans()[3].clone(), plans()[QUERIES.len()].clone()]);
}

#[test]
fn statements_are_one_and_total() {
    for dialect in [Dialect::Postgres, Dialect::DuckDb, Dialect::Spark] {
        for plan in plans().into_iter().chain(discovering()) {
            let kind = |name: &str| match name {
                "age" => Kind::Integer,
                "income" | "weight" => Kind::Decimal(Some(14)),
                "smoker" => Kind::Bool,
                "born" => Kind::Date,
                _ => Kind::Text,
            };
            let kinds: Vec<Kind> = plan.fields.iter().map(|field| kind(&field.name)).collect();
            let user = plan.user_column().map(|_| Kind::Text);
            let text = statement(&plan, "people", &kinds, user, dialect).unwrap();
            assert!(!text.contains(';') && text.starts_with("WITH raw AS (SELECT "), "{text}");
            assert_eq!(text.matches(" FROM people").count(), 1, "one look at the table: {text}");
            // Types that would need a cast that can fail are refused.
            if !kinds.is_empty() && plan.fields.iter().any(|field| field.name == "age") {
                let texts = vec![Kind::Text; kinds.len()];
                assert!(statement(&plan, "people", &texts, user, dialect).is_err());
            }
        }
    }
}

/// Keys come as bytes, of which no row says anything but which text it has.
#[test]
fn keys_are_counted_by_their_bytes() {
    let plan = discovering().remove(0);
    let rows = [("77", 2), ("2077", 3), ("610962", 5), ("", 7), ("ff", 11), ("C3A9", 1)];
    let counts = found(&plan, rows).unwrap();
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), [("w".to_owned(), 5), ("é".to_owned(), 1)]);
    assert_eq!(found(&plan, [("7", 1)]), None);
    // Spark does not find keys, nor does a plan with public keys have any to be found.
    let spark = Client::named("spark:local#people", "people").unwrap();
    assert!(!spark.finds_keys() && spark.keys(&plan, &|_, _| {}).is_err());
    assert_eq!(found(&plans()[1], [("77", 1)]), None);
}
