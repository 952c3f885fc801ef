//! `probity release`, `budget`, `policy` as a person or a program uses them: answers, exit codes, crashes.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::common::{answer, fresh};

const POLICY: &str = r#"
[budget]
epsilon = "2"
per_query = { epsilon = "1/2" }
[table.people]
unit = "row"
[table.people.columns]
region = { in = ["north", "south", "east", "west"] }
age = { type = "int", between = [0, 120] }
income = { type = "decimal", scale = 2, between = [0, 100000] }
"#;

/// A fresh folder with a policy and a table of 400 rows.
fn folder(name: &str, policy: &str) -> PathBuf {
    let folder = fresh(&format!("release-{name}"));
    fs::write(folder.join("people.toml"), policy).unwrap();
    let mut table = String::from("region,age,income\n");
    for n in 0..400 {
        let region = ["north", "south", "east"][n % 3];
        table.push_str(&format!("{region},{},{}.50\n", n % 90, 100 * n));
    }
    fs::write(folder.join("people.csv"), table).unwrap();
    folder
}

fn probity(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    answer(&mut probity(folder, arguments))
}

const BASE: [&str; 7] =
    ["release", "--policy", "people.toml", "--ledger", "people.ledger", "--data", "people=people.csv"];

fn release(folder: &Path, more: &[&str]) -> (i32, String, String) {
    run(folder, &[&BASE[..], more].concat())
}

fn json(folder: &Path, more: &[&str], code: i32) -> Value {
    let (found, out, err) = release(folder, &[more, &["--json"]].concat());
    assert_eq!(found, code, "{more:?}\n{out}\n{err}");
    serde_json::from_str(&out).unwrap()
}

const BY_REGION: &str = "SELECT region, COUNT(*) AS n, AVG(income) AS income FROM people GROUP BY region";

#[test]
fn an_answer_has_what_was_promised() {
    let place = folder("answer", POLICY);
    let value = json(&place, &["--init", BY_REGION], 0);
    let rows = value["rows"].as_array().unwrap();
    // Every key of the domain appears, with or without rows.
    let regions: Vec<&str> = rows.iter().map(|row| row["region"].as_str().unwrap()).collect();
    assert_eq!(regions, ["north", "south", "east", "west"]);
    for row in rows {
        for name in ["n", "income"] {
            let [low, at, high] =
                [format!("{name}_low"), name.into(), format!("{name}_high")].map(|name| row[&name].as_f64());
            // The average of a region that looks empty has bounds only.
            let at = at.or_else(|| low.filter(|_| name == "income" && row["n"].as_i64().unwrap() < 1));
            assert!(low.unwrap() <= at.unwrap() && at <= high, "{row}");
        }
        assert!(row["n"].is_i64());
    }
    assert_eq!(value["cost"], serde_json::json!({"epsilon": "1/2"}));
    assert_eq!(value["remaining"], serde_json::json!({"epsilon": "3/2"}));
    assert!(value["theorem"].as_str().unwrap().contains("one row of people is added or removed"));
    // The certificate is replayed, and is about this policy and query.
    let certificate = value["certificate"].as_str().unwrap();
    let (code, out, err) = run(&place, &["check", certificate, "--policy", "people.toml"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("epsilon = 1/2") && out.contains(BY_REGION) && out.contains("cleaning"), "{out}");
    let text = fs::read_to_string(place.join(certificate)).unwrap();
    fs::write(place.join("forged.cert"), text.replace("epsilon 1/2", "epsilon 1/4")).unwrap();
    assert_eq!(run(&place, &["check", "forged.cert"]).0, 1);
    // The second time it is served from the store, to the last digit, and costs nothing.
    let again = json(&place, &["--init", BY_REGION], 0);
    assert_eq!((&again["rows"], &again["stored"]), (&value["rows"], &Value::Bool(true)));
    assert_eq!(again["cost"]["epsilon"], "0");
    assert_eq!(again["remaining"]["epsilon"], "3/2");
    // Wider bars for a higher level, of the same stored answer.
    let wide = json(&place, &["--alpha", "0.001", BY_REGION], 0);
    assert_eq!(wide["rows"][0]["n"], value["rows"][0]["n"]);
    assert!(wide["rows"][0]["n_low"].as_i64() < value["rows"][0]["n_low"].as_i64());
    // Asked for again, it is paid again, and is another answer.
    let fresh = json(&place, &["--again", BY_REGION], 0);
    assert_eq!(fresh["remaining"]["epsilon"], "1");
    assert_ne!(fresh["rows"], value["rows"]);
}

#[test]
fn the_forms_of_an_answer() {
    let place = folder("forms", POLICY);
    let (code, out, err) = release(&place, &["--init", BY_REGION]);
    assert_eq!(code, 0, "{err}");
    assert!(
        out.starts_with("region ") && out.contains("95 %") && out.contains("left: epsilon 3/2 of epsilon 2"),
        "{out}"
    );
    let (_, out, _) = release(&place, &["--csv", BY_REGION]);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!((lines[0], lines.len()), ("region,n,n_low,n_high,income,income_low,income_high", 5));
    assert!(lines[4].starts_with("west,"));
    // HAVING, ORDER BY and LIMIT choose by noisy values: no level is stated.
    let top = format!("{BY_REGION} HAVING n > -1000 ORDER BY n DESC LIMIT 1");
    let (_, out, _) = release(&place, &[&top]);
    assert!(out.contains("no level is stated") && out.lines().count() < 9, "{out}");
    // Two queries share what one may lose.
    let both = json(&place, &["SELECT COUNT(*) AS n FROM people", "SELECT SUM(age) AS a FROM people"], 0);
    assert_eq!(both[0]["cost"]["epsilon"], "1/4");
    assert_eq!(both[1]["remaining"]["epsilon"], "1/2");
    let n = both[0]["rows"][0]["n"].as_i64().unwrap();
    assert!((300..500).contains(&n), "{n}");
}

#[test]
fn a_preview_and_an_explanation_cost_nothing() {
    let place = folder("preview", POLICY);
    let (code, out, err) = run(&place, &["release", "--policy", "people.toml", "--preview", BY_REGION]);
    assert_eq!(code, 0, "{err}");
    assert!(
        out.contains("error at 95 %") && out.contains("of 1000 rows") && out.contains("cost: epsilon 1/2"),
        "{out}"
    );
    let (code, out, err) = run(&place, &["release", "--policy", "people.toml", "--explain", BY_REGION]);
    assert_eq!(code, 0, "{err}");
    for part in
        ["mechanism release(people: rows(", "proved:", "moves it by at most 50000", "assumed: cleaning"]
    {
        assert!(out.contains(part), "{part}: {out}");
    }
    assert!(!place.join("people.ledger").exists());
}

#[test]
fn what_is_refused_and_how() {
    let place = folder("refused", POLICY);
    let refused = |more: &[&str], code: i32, message: &str| {
        let value = json(&place, more, code);
        assert!(value["error"].as_str().unwrap().contains(message), "{more:?}: {value:#}");
        assert_eq!(value["exit"], code);
        value
    };
    // Without a ledger nothing is released, and none is made.
    refused(&["SELECT COUNT(*) FROM people"], 2, "there is no ledger");
    assert!(!place.join("people.ledger").exists());
    assert_eq!(run(&place, &["budget", "init", "--policy", "people.toml", "--ledger", "people.ledger"]).0, 0);
    let value = refused(&["SELECT COUNT(*) FROM people WHERE incme > 3"], 2, "incme");
    assert_eq!(value["where"]["column"], 35);
    assert!(value["hint"].as_str().unwrap().contains("did you mean income?"));
    refused(&["SELECT MEDIAN(region) FROM people"], 2, "a number is expected");
    refused(&["--alpha", "0", "SELECT COUNT(*) FROM people"], 2, "--alpha");
    refused(&["--data", "persons=people.csv", "SELECT COUNT(*) FROM people"], 2, "no table persons");
    refused(&["SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 3) COUNT(*) FROM people"], 1, "allows 1/2");
    // Four halves are all there is.
    for age in 1..=4 {
        json(&place, &[&format!("SELECT COUNT(*) FROM people WHERE age > {age}")], 0);
    }
    let value = refused(&["SELECT COUNT(*) FROM people"], 1, "the budget does not allow it");
    assert!(value["hint"].as_str().unwrap().contains("amend"));
    // The data are not touched by then: the same without a table.
    fs::rename(place.join("people.csv"), place.join("away.csv")).unwrap();
    refused(&["SELECT COUNT(*) FROM people"], 1, "the budget does not allow it");
    // What was answered is served without them.
    assert_eq!(json(&place, &["SELECT COUNT(*) FROM people WHERE age > 1"], 0)["stored"], true);
    // Another policy is not the pinned one, until the owner says so.
    fs::write(place.join("people.toml"), POLICY.replace("\"2\"", "\"3\"")).unwrap();
    refused(&["SELECT COUNT(*) FROM people"], 2, "not the policy");
    assert_eq!(
        run(&place, &["budget", "amend", "--policy", "people.toml", "--ledger", "people.ledger"]).0,
        0
    );
    let value = refused(&["SELECT COUNT(*) FROM people"], 2, "cannot read people.csv");
    assert!(value["hint"].as_str().unwrap().contains("a file that can be read"));
    fs::write(place.join("people.csv"), "region,age\n").unwrap();
    refused(&["SELECT SUM(income) FROM people"], 2, "no column named `income`");
    let (_, out, _) = run(&place, &["budget", "--ledger", "people.ledger", "--verify", "--json"]);
    let budget: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&budget["spent"]["epsilon"], &budget["verified"]), (&"2".into(), &6.into()), "{budget:#}");
    // Four halves together at δ cost less than their sum, and not nothing; at δ = 0 exactly the sum.
    let accounted = |delta: &str| {
        let (_, out, _) = run(&place, &["budget", "--ledger", "people.ledger", "--delta", delta, "--json"]);
        let value: Value = serde_json::from_str(&out).unwrap();
        ["lower", "upper"].map(|end| value["accounted"][end].as_f64().unwrap())
    };
    assert_eq!(accounted("0"), [2.0, 2.0]);
    let (_, out, _) = run(&place, &["budget", "--ledger", "people.ledger", "--delta", "0"]);
    assert!(out.contains("together at delta = 0: epsilon at most 2, had all"), "{out}");
    let [lower, upper] = accounted("1/100");
    assert!(1.93 < lower && lower <= upper && upper < 1.932, "{lower} {upper}");
    // A ledger that cannot be written releases nothing.
    let mut locked = fs::metadata(place.join("people.ledger")).unwrap().permissions();
    locked.set_readonly(true);
    fs::set_permissions(place.join("people.ledger"), locked).unwrap();
    fs::rename(place.join("away.csv"), place.join("people.csv")).unwrap();
    let read_only = fs::OpenOptions::new().write(true).open(place.join("people.ledger")).is_err();
    if read_only {
        refused(&["SELECT SUM(income) FROM people"], 2, "cannot be written");
    }
}

/// The same query twice in one call has its share once, is paid once, and is shown twice.
#[test]
fn a_query_twice_is_paid_once() {
    let place = folder("twice", POLICY);
    let both =
        json(&place, &["--init", "SELECT COUNT(*) AS n FROM people", "select count(*) as n\nfrom people"], 0);
    assert_eq!(both[0]["rows"], both[1]["rows"]);
    assert_eq!(both[0]["certificate"], both[1]["certificate"]);
    assert_eq!([&both[0]["cost"]["epsilon"], &both[1]["cost"]["epsilon"]], ["1/2", "0"]);
    assert_eq!([&both[0]["stored"], &both[1]["stored"]], [false, true]);
    assert_eq!(both[1]["remaining"]["epsilon"], "3/2");
    // Beside a new query, one that was answered before is not paid again.
    let at = |epsilon: &str, age: u32| {
        format!(
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = {epsilon}) COUNT(*) AS n FROM people WHERE age > {age}"
        )
    };
    let first = json(&place, &[&at("0.25", 20)], 0);
    let both = json(&place, &[&at("0.25", 20), &at("0.25", 30)], 0);
    assert_eq!((&both[0]["rows"], &both[0]["stored"]), (&first["rows"], &true.into()));
    assert_eq!((&both[1]["stored"], &both[1]["remaining"]["epsilon"]), (&false.into(), &"1".into()));
}

/// Standard input is one pass: two queries would need two.
#[test]
fn a_table_from_standard_input_is_for_one_query() {
    let place = folder("piped", POLICY);
    let ask = |queries: &[&str]| {
        let arguments = [
            &["release", "--policy", "people.toml", "--ledger", "l", "--init", "--data", "people=-"],
            queries,
        ]
        .concat();
        let table = fs::File::open(place.join("people.csv")).unwrap();
        let output = probity(&place, &arguments).stdin(table).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, err) = ask(&["SELECT COUNT(*) FROM people", "SELECT SUM(age) FROM people"]);
    assert!(
        code == Some(2) && err.contains("standard input can be read once") && !place.join("l").exists(),
        "{err}"
    );
    assert_eq!(ask(&["SELECT COUNT(*) FROM people"]).0, Some(0));
}

#[test]
fn a_policy_from_a_header() {
    let place = folder("policy", POLICY);
    let (code, out, _) = run(&place, &["policy", "--suggest", "people.csv"]);
    assert_eq!(code, 0);
    assert!(
        out.contains("[table.people]") && out.contains("income = { type = \"?\" }") && !out.contains(".50"),
        "{out}"
    );
    fs::write(place.join("open.toml"), &out).unwrap();
    let (code, _, err) = run(&place, &["policy", "open.toml"]);
    assert!(code == 2 && err.contains("still open") && err.contains("open.toml:"), "{err}");
    let (code, out, _) = run(&place, &["policy", "people.toml"]);
    assert!(code == 0 && out.contains("budget: epsilon 2, of which a query spends epsilon 1/2"), "{out}");
}

#[test]
fn the_budget_as_a_page() {
    let place = folder("page", POLICY);
    json(&place, &["--init", "SELECT COUNT(*) FROM people"], 0);
    let (code, out, err) = run(&place, &["budget", "--ledger", "people.ledger", "--out", "page.html"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("left: epsilon 3/2 of epsilon 2"), "{out}");
    let page = fs::read_to_string(place.join("page.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("SELECT COUNT(*) FROM people"));
}

#[test]
fn rho_quantiles_and_joins() {
    let text = POLICY
        .replace("epsilon = \"2\"", "rho = \"2\"")
        .replace("{ epsilon = \"1/2\" }", "{ rho = \"1/2\" }")
        .replace(
            "region = { in = [\"north\", \"south\", \"east\", \"west\"] }",
            "region = { references = \"regions\" }",
        )
        + "[public.regions]\nkey = \"code\"\n[public.regions.columns]\nside = { type = \"text\" }\n";
    let place = folder("rho", &text);
    fs::write(place.join("regions.csv"), "code,side\nnorth,up\nsouth,down\neast,up\n").unwrap();
    let sql = "SELECT side, COUNT(*) AS n, MEDIAN(age) AS m, MAX(income) AS most FROM people JOIN regions ON people.region = regions.code GROUP BY side";
    let public = ["--data", "regions=regions.csv"];
    let value = json(&place, &[&public[..], &["--init", sql]].concat(), 0);
    assert_eq!(
        (&value["cost"], &value["remaining"]),
        (&serde_json::json!({"rho": "1/2"}), &serde_json::json!({"rho": "3/2"}))
    );
    assert!(value["theorem"].as_str().unwrap().contains("rho"), "{value:#}");
    assert!(
        value["assumptions"]
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one.as_str().unwrap().starts_with("public-join"))
    );
    let rows = value["rows"].as_array().unwrap();
    assert_eq!(
        (rows.len(), rows[0]["side"].as_str(), rows[1]["side"].as_str()),
        (2, Some("up"), Some("down"))
    );
    // 266 and 133 rows; deviations are far below these.
    let n = |row: usize| rows[row]["n"].as_i64().unwrap();
    assert!((220..310).contains(&n(0)) && (90..180).contains(&n(1)), "{value:#}");
    for row in rows {
        for name in ["m", "most"] {
            let at = |end: &str| row[&format!("{name}{end}")].as_f64().unwrap();
            assert!(at("_low") <= at("") && at("") <= at("_high"), "{row}");
        }
    }
    let certificate = value["certificate"].as_str().unwrap();
    let checked =
        |more: &[&str]| run(&place, &[&["check", certificate, "--policy", "people.toml"], more].concat());
    let (code, out, _) = checked(&public);
    assert!(code == 0 && out.contains("public-join: each row of people"), "{out}");
    assert_eq!(checked(&[]).0, 1, "without the public table the query cannot be read");
    // Without it nothing can be asked about the column, and the refusal says what to add.
    let refused = json(&place, &["SELECT region, COUNT(*) FROM people GROUP BY region"], 2);
    assert!(refused["hint"].as_str().unwrap().contains("--data regions=FILE.csv"), "{refused:#}");
    let (_, out, _) = run(&place, &["policy", "people.toml"]);
    assert!(out.contains("a key of regions") && out.contains("public table regions"), "{out}");
    // A median alone, in the table for people.
    let (_, out, _) = release(&place, &["SELECT MEDIAN(age) AS m FROM people"]);
    assert!(out.contains("m is read from noisy counts in bins of width 1."), "{out}");
}

#[test]
fn runs_are_paid_from_the_same_ledger() {
    let place = folder("run", POLICY);
    assert_eq!(run(&place, &["budget", "init", "--policy", "people.toml", "--ledger", "people.ledger"]).0, 0);
    let text = "mechanism adults(people: rows(age: int))\nparam eps > 0\n\
        y ~ discrete_laplace(count(r in people where r.age >= 18), 1 / eps)\nreturn y\n\
        neighbours one row of people is added or removed\nclaim eps\n";
    fs::write(place.join("adults.dp"), text).unwrap();
    let base = ["run", "adults.dp", "--data", "people=people.csv", "--ledger", "people.ledger", "--json"];
    let asked = |more: &[&str]| run(&place, &[&base[..], more].concat());
    let (code, out, err) = asked(&["--set", "eps=1/2", "--count", "3"]);
    assert_eq!(code, 0, "{out}{err}");
    let value: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&value["composed"]["epsilon"], value["values"].as_array().unwrap().len()),
        (&"3/2".into(), 3)
    );
    // 400 rows of ages 0 to 89; 318 are at least 18.
    assert!(
        value["values"].as_array().unwrap().iter().all(|n| (270..370).contains(&n.as_i64().unwrap())),
        "{out}"
    );
    // A half is left: a run that costs one is not drawn.
    let (code, out, _) = asked(&["--set", "eps=1"]);
    assert!(code == 1 && out.contains("the budget does not allow it") && !out.contains("values"), "{out}");
    let (code, out, _) = run(&place, &["budget", "--ledger", "people.ledger", "--verify", "--json"]);
    let budget: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &budget["spent"]["epsilon"]), (0, &"3/2".into()), "{budget:#}");
    assert!(out.contains("run adults --set eps=1/2 --count 3"));
    // A release sees what the run has spent, and a run without a proof cannot be paid.
    assert_eq!(json(&place, &["SELECT COUNT(*) FROM people"], 0)["remaining"]["epsilon"], "0");
    assert_eq!(asked(&["--set", "eps=1", "--unproved"]).0, 2);
    let (code, out, _) = run(&place, &["run", "adults.dp", "--set", "eps=1", "--json"]);
    assert!(code == 2 && out.contains("--data people=FILE.csv"), "{out}");
}

/// Nothing that is written takes the place of the ledger, the policy or the table; a query is not read from a table.
#[test]
fn files_of_another_kind_are_not_replaced() {
    let place = folder("overwrite", &POLICY.replace("epsilon = \"2\"", "epsilon = \"9\""));
    let count = "SELECT COUNT(*) AS n FROM people";
    assert_eq!(release(&place, &["--init", count]).0, 0);
    let names = ["people.toml", "people.csv", "people.ledger"];
    let all = || names.map(|name| fs::read(place.join(name)).unwrap());
    let before = all();
    for name in names {
        let (code, _, err) = release(&place, &["--again", "--certificate", name, count]);
        assert!(code == 2 && err.contains("another kind of file"), "{name}: {err}");
        assert_eq!(run(&place, &["budget", "--ledger", "people.ledger", "--out", name]).0, 2, "{name}");
        assert_eq!(run(&place, &["policy", "--suggest", "people.csv", "--out", name]).0, 2, "{name}");
        let init =
            ["budget", "init", "--policy", "people.toml", "--ledger", "other.ledger", "--anchor", name];
        assert_eq!(run(&place, &init).0, 2, "{name}");
    }
    assert!(all() == before);
    // What is of its kind is.
    for _ in 0..2 {
        assert_eq!(release(&place, &["--again", "--certificate", "c.cert", count]).0, 0);
        assert_eq!(run(&place, &["budget", "--ledger", "people.ledger", "--out", "page.html"]).0, 0);
    }
    let both = ["release", "--policy", "people.toml", "--ledger", "people.ledger", "--data", "people=-", "-"];
    let (code, out, err) = run(&place, &both);
    assert!(code == 2 && err.contains("more than once"), "{out}{err}");
    // Of a query without rows the head is that of one with rows.
    let (_, some, _) =
        release(&place, &["--csv", "SELECT region, COUNT(*) AS n FROM people GROUP BY region LIMIT 1"]);
    let (_, none, _) =
        release(&place, &["--csv", "SELECT region, COUNT(*) AS n FROM people GROUP BY region LIMIT 0"]);
    assert_eq!(
        (some.lines().next(), none.lines().next()),
        (Some("region,n,n_low,n_high"), some.lines().next())
    );
}

/// More budget makes no answer dearer that was paid.
#[test]
fn stored_answers_stay_free_when_the_budget_grows() {
    let place = folder("grown", POLICY);
    let count = "SELECT COUNT(*) AS n FROM people";
    let first = json(&place, &["--init", count], 0);
    fs::write(place.join("people.toml"), POLICY.replace("epsilon = \"2\"", "epsilon = \"3\"")).unwrap();
    let amend = ["budget", "amend", "--policy", "people.toml", "--ledger", "people.ledger"];
    assert_eq!(run(&place, &amend).0, 0);
    let again = json(&place, &[count], 0);
    assert_eq!((&again["rows"], &again["cost"]["epsilon"]), (&first["rows"], &"0".into()), "{again:#}");
    assert_eq!(again["remaining"]["epsilon"], "5/2");
    // Another treatment of a column is another question.
    let other = POLICY.replace("epsilon = \"2\"", "epsilon = \"3\"").replace("[0, 120]", "[0, 100]");
    fs::write(place.join("people.toml"), other).unwrap();
    assert_eq!(run(&place, &amend).0, 0);
    assert_eq!(json(&place, &[count], 0)["cost"]["epsilon"], "1/2");
}

/// A theorem about rows pays for no table of users, nor for tables and columns that the policy does not know.
#[test]
fn runs_are_paid_for_what_the_policy_hides() {
    let users =
        POLICY.replace("unit = \"row\"", "unit = { user = \"who\", groups = 1, rows_per_group = 10 }");
    assert_ne!(users, POLICY);
    let text = |fields: &str, neighbours: &str| {
        format!(
            "mechanism adults(people: rows({fields}))\nparam eps > 0\n\
            y ~ discrete_laplace(count(r in people), 2 / eps)\nreturn y\nneighbours {neighbours}\nclaim eps\n"
        )
    };
    let added = "one row of people is added or removed";
    let cases = [
        (users.as_str(), text("age: int", added), "hides all rows with one who of people"),
        (POLICY, text("age: int, shoe: int", added), "shoe is no column of people"),
        (POLICY, text("age: int", "one row of people is replaced"), "hides whether a row of people is there"),
        (POLICY, text("age: int", added).replace("people", "others"), "has no table others"),
        (POLICY, text("age: int", added), ""),
        (POLICY, text("age: int", "at most 2 rows of people are added or removed"), ""),
    ];
    for (policy, text, message) in cases {
        let place = folder("run-units", policy);
        fs::write(place.join("adults.dp"), &text).unwrap();
        fs::write(place.join("people.csv"), "who,age,shoe\nann,33,40\nbob,51,44\n").unwrap();
        assert_eq!(
            run(&place, &["budget", "init", "--policy", "people.toml", "--ledger", "people.ledger"]).0,
            0
        );
        let data = if text.contains("others") { "others=people.csv" } else { "people=people.csv" };
        let asked = ["run", "adults.dp", "--set", "eps=1/2", "--data", data, "--ledger", "people.ledger"];
        let (code, out, err) = run(&place, &asked);
        let (_, spent, _) = run(&place, &["budget", "--ledger", "people.ledger", "--json"]);
        let spent: Value = serde_json::from_str(&spent).unwrap();
        if message.is_empty() {
            assert_eq!((code, &spent["spent"]["epsilon"]), (0, &"1/2".into()), "{out}{err}");
        } else {
            assert!(code == 2 && err.contains(message), "{text}\n{out}{err}");
            assert_eq!(spent["spent"]["epsilon"], "0", "{text}");
        }
    }
}

/// How often a process is killed; `PROBITY_KILLS=1000` for the long run.
fn kills() -> u64 {
    std::env::var("PROBITY_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(24)
}

#[test]
fn a_crash_releases_nothing_without_its_debit() {
    let place = folder("crash", &POLICY.replace("epsilon = \"2\"", "epsilon = \"100000\""));
    assert_eq!(run(&place, &["budget", "init", "--policy", "people.toml", "--ledger", "people.ledger"]).0, 0);
    let (next, printed) = (AtomicU64::new(0), std::sync::Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for worker in 0..4u64 {
            let (place, next, printed) = (&place, &next, &printed);
            scope.spawn(move || {
                let mut state = worker + 1;
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= kills() {
                        return;
                    }
                    let sql = format!("SELECT COUNT(*) AS n FROM people WHERE age <> {}", number % 100);
                    let out = place.join(format!("out-{number}"));
                    let mut child = probity(place, &[&BASE[..], &["--json", &sql]].concat())
                        .stdout(fs::File::create(&out).unwrap())
                        .stderr(Stdio::null())
                        .spawn()
                        .unwrap();
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(worker + 7);
                    thread::sleep(Duration::from_micros((state >> 33) % 90_000));
                    let _ = child.kill();
                    child.wait().unwrap();
                    if let Ok(value) = serde_json::from_slice::<Value>(&fs::read(&out).unwrap()) {
                        printed.lock().unwrap().push((sql, value));
                    }
                }
            });
        }
    });
    let (code, out, err) =
        run(&place, &["budget", "--ledger", "people.ledger", "--verify", "--entries", "100000", "--json"]);
    assert_eq!(code, 0, "{out}{err}");
    let budget: Value = serde_json::from_str(&out).unwrap();
    let debited: Vec<&str> = budget["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|entry| entry["query"].as_str())
        .filter(|query| !query.is_empty())
        .collect();
    let printed = printed.into_inner().unwrap();
    let released: BTreeSet<&str> = printed.iter().map(|(sql, _)| sql.as_str()).collect();
    // No answer without a debit, and each debit once.
    for sql in &released {
        assert_eq!(debited.iter().filter(|known| known == &sql).count(), 1, "{sql}");
    }
    let spent = budget["spent"]["epsilon"].as_str().unwrap();
    assert_eq!(
        probity_exact::parse_rational(spent).unwrap(),
        probity_exact::rational(debited.len() as i64, 2).unwrap()
    );
    assert!(debited.len() >= released.len());
    println!(
        "{} kills, {} answers were printed, {} debits were made",
        kills(),
        released.len(),
        debited.len()
    );
    // Every debit has its answer, which the same query gets for free; it is the one that was printed.
    for sql in debited.iter().take(40) {
        let value = json(&place, &[sql], 0);
        assert_eq!(value["cost"]["epsilon"], "0", "{sql}");
        for (_, shown) in printed.iter().filter(|(known, _)| known == sql) {
            assert_eq!(shown["rows"], value["rows"]);
        }
    }
}

/// A policy whose regions are not known before, and where a query may lose a delta.
fn discovering() -> String {
    POLICY
        .replace("epsilon = \"2\"", "epsilon = \"2\"\ndelta = \"1/1000\"")
        .replace("{ epsilon = \"1/2\" }", "{ epsilon = \"1/2\", delta = \"1/10000\" }")
        .replace(
            "region = { in = [\"north\", \"south\", \"east\", \"west\"] }",
            "region = { type = \"text\", discover = true }",
        )
}

const FOUND: &str = "SELECT region, COUNT(*) AS n FROM people GROUP BY region";

#[test]
fn keys_are_discovered_and_rare_ones_are_held_back() {
    let place = folder("keys", &discovering());
    let mut table = fs::read_to_string(place.join("people.csv")).unwrap();
    table.push_str("the only one,30,1.00\n");
    fs::write(place.join("people.csv"), table).unwrap();
    let value = json(&place, &["--init", FOUND], 0);
    let regions: Vec<&str> =
        value["rows"].as_array().unwrap().iter().map(|row| row["region"].as_str().unwrap()).collect();
    // 133 rows each, and a threshold of 20: less than once in e^50 one is held back. The other appears once in 10^4.
    assert_eq!(regions, ["east", "north", "south"]);
    assert_eq!(value["threshold"], "20");
    assert_eq!(value["cost"], serde_json::json!({"epsilon": "1/2", "delta": "1/10000"}));
    assert_eq!(value["remaining"], serde_json::json!({"epsilon": "3/2", "delta": "9/10000"}));
    for policy in [&["--policy", "people.toml"][..], &[]] {
        let certificate = value["certificate"].as_str().unwrap();
        let (code, out, err) = run(&place, &[&["check", certificate], policy].concat());
        assert_eq!(code, 0, "{out}{err}");
        assert!(out.contains("delta = 1/10000"), "{out}");
    }
    // Answered before, as a table and as CSV.
    let (code, out, _) = release(&place, &[FOUND]);
    assert_eq!(code, 0);
    assert!(
        out.contains("Keys with a noisy count below 20 are held back") && out.contains("cost: nothing"),
        "{out}"
    );
    let (_, out, _) = release(&place, &["--csv", FOUND]);
    assert!(out.starts_with("region,n,n_low,n_high\neast,"), "{out}");
    // What is said before anything is read.
    let preview = json(&place, &["--preview", FOUND], 0);
    assert_eq!((&preview["groups"], &preview["threshold"]), (&Value::Null, &"20".into()));
    let explained = json(&place, &["--explain", FOUND], 0);
    assert!(explained["mechanism"].as_str().unwrap().contains("if count_1 >= 20 {"));
    assert_eq!(explained["threshold"], "20");
    // An engine that finds no keys is not even asked.
    let (code, _, err) = run(
        &place,
        &[
            &["release", "--policy", "people.toml", "--ledger", "people.ledger", "--again", "--data"],
            &["people=spark:local#people", FOUND][..],
        ]
        .concat(),
    );
    assert!(
        code == 2
            && err.contains(
                "keys are discovered in CSV files, by PostgreSQL and by DuckDB, and not by this engine"
            ),
        "{err}"
    );
}

/// The audit of the mechanism's text, with three keys, agrees: what one row more shows is at most delta, and without the threshold more.
#[test]
fn the_audit_sees_what_a_threshold_is_for() {
    let place = folder("keys-audit", &discovering());
    let explained = json(&place, &["--explain", FOUND], 0);
    let text = explained["mechanism"].as_str().unwrap().to_owned();
    let values = ["--set", "eps=1/2", "--set", "delta=1/10000", "--set", "keys=3"];
    for (name, text, code) in [
        ("kept.dp", text.clone(), 0),
        // Held back is only what has fewer than 3: a row that is alone shows itself too often.
        ("shown.dp", text.replace(">= 20", ">= 3"), 1),
    ] {
        fs::write(place.join(name), text).unwrap();
        let (found, out, err) = run(&place, &[&["verify", name], &values[..]].concat());
        assert_eq!(found, code, "{name}\n{out}\n{err}");
        assert_eq!(out.contains("refuted") || err.contains("refuted"), code == 1, "{name}\n{out}\n{err}");
    }
    // The exact law: a key that one row has appears with probability e^(−19/2)/(1 + e^(−1/2)) = 0.0000466, in either direction.
    for tables in [["[]", "[(1)]"], ["[(0), (1)]", "[(0)]"]] {
        let audit = [&["audit", "kept.dp", "--json", "--inputs"], &tables[..], &values].concat();
        let (_, out, err) = run(&place, &audit);
        let audited: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
        let delta = audited["delta_at_epsilon"].as_f64().unwrap();
        assert!((4.6e-5..4.7e-5).contains(&delta), "{audited}");
    }
}

/// What a release leaves that is killed while it writes its certificate goes with the next one; what a process may be writing stays.
#[cfg(target_os = "linux")]
#[test]
fn what_killed_releases_leave_goes_with_the_next() {
    let place = folder("leftover", POLICY);
    // No process has such a number; this one is there.
    let (ended, running) =
        (".people-7.cert.999999999.tmp".to_owned(), format!(".people-8.cert.{}.tmp", std::process::id()));
    let another = ".other-7.cert.999999999.tmp".to_owned();
    for name in [&ended, &running, &another] {
        let file = fs::File::create(place.join(name)).unwrap();
        file.set_modified(std::time::SystemTime::now() - Duration::from_secs(60)).unwrap();
    }
    assert_eq!(release(&place, &["--init", "SELECT COUNT(*) FROM people"]).0, 0);
    let left = |name: &String| place.join(name).exists();
    assert_eq!([&ended, &running, &another].map(left), [false, true, true]);
}
