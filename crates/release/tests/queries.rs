//! Queries as they are written: what is not answered is pointed at, what several of them lose, and which are the same.

use crate::common;

use common::{POLICY, policy, prepared_by};
use probity_exact::{Integer, rational};
use probity_release::policy;
use probity_release::prepare::prepare;
use probity_release::query::Shown;
use probity_release::{answer, refusal, release};

#[test]
fn what_is_not_answered_is_pointed_at() {
    let deep = format!("SELECT SUM({}age{}) FROM people", "(".repeat(3000), ")".repeat(3000));
    let long = format!("SELECT SUM(age{}) FROM people", " + age".repeat(2000));
    let huge = format!("SELECT COUNT(*) FROM people WHERE age = {}", "1".repeat(10_000_000));
    let (open, close) = ("(".repeat(45), ")".repeat(45));
    let levels = format!("SELECT {open}COUNT(*){close} FROM people");
    let having = format!("SELECT COUNT(*) AS n FROM people HAVING {open}n > 3{close}");
    let values = (0..300).map(|value| value.to_string()).collect::<Vec<_>>().join(", ");
    let listed =
        format!("SELECT COUNT(*), SUM(age), SUM(income), SUM(weight) FROM people WHERE age IN ({values})");
    let nots = format!("SELECT COUNT(*) FROM people WHERE {} smoker", "NOT ".repeat(200));
    let wide = format!("SELECT COUNT(*){} FROM people", ", COUNT(*)".repeat(100));
    let cases: Vec<(&str, &str, Option<&str>)> = vec![
        ("SELECT * FROM people", "no raw row", Some("*")),
        ("SELECT COUNT(*) AS \"a\u{1b}[31m\" FROM people", "control character, U+001B", Some("\u{1b}")),
        ("SELECT COUNT(*) AS \"a\nb\" FROM people", "on one line", None),
        ("SELECT COUNT(*) AS \" \" FROM people", "must have a name", None),
        (
            "SELECT region, COUNT(*) FROM people GROUP BY region HAVING region = 'north'",
            "HAVING is about noisy",
            Some("region = "),
        ),
        ("SELECT COUNT(*) FROM people HAVING people.age > 3", "HAVING is about noisy", Some("people.age")),
        ("SELECT age FROM people", "neither a GROUP BY key", Some("age")),
        ("SELECT age, COUNT(*) FROM people GROUP BY region", "neither a GROUP BY key", Some("age")),
        (
            "SELECT region, COUNT(*) FROM people GROUP BY region ORDER BY 3",
            "no column of the SELECT",
            Some("3"),
        ),
        (
            "SELECT region, COUNT(*) FROM people GROUP BY region ORDER BY 0",
            "no column of the SELECT",
            Some("0"),
        ),
        ("SELECT COUNT(*) AS n FROM people ORDER BY n WITH FILL", "WITH FILL", Some("n WITH")),
        ("SELECT COUNT(*) FROM people AS p (region, age)", "its columns are not", Some("people")),
        ("SELECT COUNT(*) FROM peple", "no table `peple`", Some("peple")),
        ("SELECT SUM(incme) FROM people", "no column `incme`", Some("incme")),
        ("SELECT SUM(Note) FROM people", "text column", Some("Note")),
        ("SELECT Note, COUNT(*) FROM people GROUP BY Note", "discovered", Some("Note")),
        ("SELECT income, COUNT(*) FROM people GROUP BY income", "possible values", Some("income")),
        ("SELECT COUNT(*) FROM people WHERE region = 'West'", "no value of region", Some("region")),
        ("SELECT COUNT(*) FROM people WHERE region < 'north'", "have no order", Some("region")),
        ("SELECT COUNT(*) FROM people WHERE age", "a condition is expected", Some("age")),
        ("SELECT COUNT(*) FROM people WHERE age = 'x'", "cannot be compared", Some("age")),
        ("SELECT COUNT(*) FROM people WHERE income IS NULL", "never true", Some("income")),
        ("SELECT COUNT(*) FROM people WHERE EXISTS (SELECT 1 FROM people)", "inside queries", None),
        ("SELECT COUNT(*) FROM people WHERE region LIKE 'n%'", "not searched", Some("region")),
        ("SELECT COUNT(*) FROM people WHERE rank(age) > 1", "no function RANK", Some("rank")),
        (
            "SELECT COUNT(*) FROM people WHERE COUNT(*) > 1",
            "cannot stand inside a condition",
            Some("COUNT(*) >"),
        ),
        ("SELECT MEDIAN(region) FROM people", "a number is expected", Some("region")),
        ("SELECT MAX(region) FROM people", "nothing is computed from texts", Some("region")),
        ("SELECT AVG(born - DATE '2015-01-01') FROM people", "nothing is computed from days", Some("born")),
        ("SELECT SUM(YEAR(born)) FROM people", "parts of days are not answered", Some("YEAR")),
        (
            "SELECT DATE_TRUNC('month', born), COUNT(*) FROM people GROUP BY 1",
            "parts of days",
            Some("DATE_TRUNC"),
        ),
        ("SELECT COUNT(*) FROM people WHERE LOWER(region) = 'north'", "texts are not changed", Some("LOWER")),
        ("SELECT region || 'x', COUNT(*) FROM people GROUP BY 1", "compare texts with", Some("region ||")),
        ("SELECT COALESCE(income, 0) FROM people", "the policy's `null` says", Some("COALESCE")),
        ("SELECT SUM(COALESCE(income, 0)) FROM people", "the policy's `null` says", Some("COALESCE")),
        ("SELECT COUNT(*) AS n FROM people HAVING n > 3 OR n IN (5)", "write n = 1 OR", Some("n IN")),
        ("SELECT COUNT(*) FROM people GROUP BY age / 10", "references to a public table", Some("age /")),
        (&nots, "nested deeper than 60 levels", None),
        ("SELECT QUANTILE(age, 1.5) FROM people", "from 0 to 1", Some("1.5")),
        ("SELECT QUANTILE(age) FROM people", "other arguments", Some("QUANTILE")),
        ("SELECT MAX(age, 3) FROM people", "other arguments", Some("MAX")),
        ("SELECT APPROX_QUANTILES(age, 4) FROM people", "with a list", Some("APPROX")),
        ("SELECT EVIL(age) FROM people", "no aggregate EVIL", Some("EVIL")),
        ("SELECT COUNT(DISTINCT age) FROM people", "only the privacy unit", Some("COUNT")),
        ("SELECT SUM(age) OVER (PARTITION BY region) FROM people", "window", Some("SUM")),
        ("SELECT SUM(CASE WHEN smoker THEN 1 END) FROM people", "no ELSE", Some("CASE")),
        ("SELECT SUM(age / age) FROM people", "divided only by a number", Some("age)")),
        ("SELECT SUM(age / 0) FROM people", "divides by zero", Some("0")),
        ("SELECT SUM(age) / 0 FROM people", "divides by zero", Some("0 FROM")),
        ("SELECT SUM(age) / (2 - 4 / 2) FROM people", "divides by zero", Some("2 - 4")),
        ("SELECT SUM(age) / (COUNT(*) - COUNT(*)) FROM people", "divides by zero", Some("COUNT(*) -")),
        ("SELECT SUM(age) / (0 * COUNT(*)) FROM people", "divides by zero", Some("0 *")),
        ("SELECT COUNT(*) AS n FROM people HAVING n / 0 > 1", "divides by zero", Some("0 >")),
        ("SELECT SUM(income * income * income * income) FROM people", "exceed 2^63", None),
        // Also where only a part is too large, and the whole is not.
        ("SELECT SUM(LEAST(income * income * income * income, 5)) FROM people", "exceed 2^63", None),
        ("SELECT COUNT(*) FROM people; DROP TABLE people", "more than one statement", None),
        ("DELETE FROM people", "only SELECT", None),
        ("SELECT COUNT(*) FROM people UNION SELECT COUNT(*) FROM people", "only one SELECT", None),
        ("SELECT COUNT(*) FROM people, people", "one table", None),
        ("SELECT COUNT(*) FROM people JOIN t ON 1 = 1", "joins", None),
        ("SELECT DISTINCT region FROM people", "DISTINCT", None),
        ("SELECT 1 FROM people", "no aggregate", None),
        ("SELECT COUNT(*) FRM people", "cannot be read", Some("people")),
        ("SELECT COUNT(* FROM people", "cannot be read", Some("FROM")),
        ("SELECT 'open FROM people", "cannot be read", None),
        ("", "no query", None),
        ("-- nothing", "no query", None),
        ("SELECT COUNT(*) AS n, SUM(age) AS n FROM people", "two columns are called n", None),
        ("SELECT COUNT(*) AS n, SUM(age) AS n_low FROM people", "error bars", None),
        (
            "SELECT region, COUNT(*) AS region FROM people GROUP BY region",
            "two columns are called region",
            None,
        ),
        (
            "SELECT age, income, born, region, COUNT(*) FROM people GROUP BY region, age, born, income",
            "possible values",
            None,
        ),
        (
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) COUNT(*) FROM people",
            "the policy allows 1/2",
            None,
        ),
        (
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(privacy_unit_column = Note) COUNT(*) FROM people",
            "hides rows",
            None,
        ),
        ("SELECT SUM(0) FROM people", "always 0", Some("SUM")),
        ("SELECT SUM(age - age) FROM people", "always 0", Some("SUM")),
        ("SELECT SUM(2 * age - 2 * age) FROM people", "always 0", Some("SUM")),
        (&listed, "compared 1200 times", None),
        ("SELECT ROUND(AVG(age), 1) FROM people", "ROUND of a noisy column", Some("ROUND")),
        ("SELECT COALESCE(AVG(age), 0) FROM people", "by whoever reads it", Some("COALESCE")),
        ("SELECT MEAN(age) FROM people", "write AVG(x)", Some("MEAN")),
        ("SELECT SUM(IF(smoker, 1)) FROM people", "IF with 2 arguments", Some("IF")),
        ("SELECT IF(COUNT(*) > 3, 1, 0) FROM people", "IF of a noisy column", Some("IF")),
        ("SELECT COUNT(*) FROM people WHERE EXTRACT(YEAR FROM born) = 2000", "compare days", None),
        ("SELECT COUNT(*) FROM people WHERE age = '30'", "without quotes", Some("age")),
        ("SELECT COUNT(*) FROM people WHERE smoker = 1", "write x or NOT x", Some("smoker")),
        ("SELECT COUNT(*) FROM people WHERE age % 2 = 0", "the operator % is not answered", Some("age")),
        ("SELECT COUNT(*) FROM people GROUP BY age / 10", "CASE WHEN age < 18", Some("age / 10")),
        (
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(delta = 1e-6) COUNT(*) FROM people",
            "leave delta out",
            None,
        ),
        ("SELECT ANON_COUNT(*) FROM people", "no aggregate ANON_COUNT", Some("ANON_COUNT")),
        ("SELECT NOW() FROM people", "no aggregate NOW", Some("NOW")),
        ("SELECT SUM(age, age) FROM people", "SUM takes one argument", Some("SUM")),
        ("SELECT COUNT(*) FROM PEOPLE", "did you mean people?", Some("PEOPLE")),
        ("SELECT COUNT(*) FROM people WHERE region = \"north\"", "single quotes: 'north'", Some("\"north")),
        ("SELECT COUNT(*) FROM people WHERE age DIV 2 = 1", "this is no operator here", Some("DIV")),
        ("SELECT AVG(CASE WHEN smoker THEN income END) FROM people", "FILTER (WHERE", Some("CASE")),
        ("SELECT AVG(3) FROM people", "average is known", Some("AVG")),
        ("SELECT VARIANCE(3) FROM people", "spread is known", Some("VARIANCE")),
        ("SELECT MEDIAN(3) FROM people", "this is known", Some("MEDIAN")),
        ("SELECT SUM(age ORDER BY age) FROM people", "this form of SUM", Some("SUM")),
        ("SELECT COUNT(incme) FROM people", "no column `incme`", Some("incme")),
        ("SELECT COUNT(*) FROM people GROUP BY incme + 1", "no column `incme`", Some("incme")),
        ("SELECT COUNT(*) FROM people GROUP BY region, region", "there twice", Some("region")),
        ("WITH x AS (SELECT 1) SELECT COUNT(*) FROM people", "WITH is not answered", None),
        ("SELECT COUNT(*) FROM people QUALIFY COUNT(*) > 1", "a part of this SELECT", None),
        ("SELECT COUNT(*) FROM people SORT BY age", "a part of this SELECT", None),
        // A comparison in units so small that the column has too many of them.
        ("SELECT COUNT(*) FROM people WHERE income > 0.00000000000000001", "exceed 2^63", Some("income")),
        // Each end of these fits, but not how far apart they are, which is what bins and averages are made of.
        (
            "SELECT MAX(CASE WHEN smoker THEN (age + 1000) * 5000000000000000 ELSE (age - 1000) * 9000000000000000 END) FROM people",
            "exceed 2^63",
            Some("MAX("),
        ),
        (
            "SELECT AVG(CASE WHEN smoker THEN (age + 1000) * 5000000000000000 ELSE (age - 1000) * 9000000000000000 END) FROM people",
            "exceed 2^63",
            Some("AVG("),
        ),
        // What is pointed at is the part that is too large.
        ("SELECT SUM(3 + income * income * income) FROM people", "exceed 2^63", Some("income * income")),
        (&levels, "expression has more than 40 levels", None),
        (&having, "condition has more than 40 levels", None),
        (&wide, "more than 100 columns", None),
        (&deep, "nested deeper", None),
        (&long, "levels", None),
        (&huge, "bytes", None),
    ];
    for (sql, message, at) in cases {
        let shown: String = sql.chars().take(200).collect();
        let refused = prepare(&policy(), &[sql.to_owned()], &[]).map(|_| ()).expect_err(&shown);
        let told = format!("{} {}", refused.message, refused.hint.as_deref().unwrap_or_default());
        assert!(told.contains(message), "{shown}\n{refused}");
        // It says where, or what to write instead.
        assert!(refused.place.is_some() || refused.hint.is_some(), "{shown}\n{refused}");
        if let Some(at) = at {
            let place = refused.place.as_ref().unwrap_or_else(|| panic!("{refused}"));
            let column = sql
                .rfind(at)
                .filter(|_| message != "cannot stand inside a condition")
                .or(sql.find(at))
                .unwrap()
                + 1;
            let first = sql.find(at).unwrap() + 1;
            assert!(place.column == column || place.column == first, "{shown}\n{refused}");
        }
    }
}

/// However many conditions AND or OR connects, they are one level.
#[test]
fn long_chains_of_conditions_are_read() {
    for word in [" AND ", " OR "] {
        let many: Vec<String> = (0..200).map(|n| format!("age <> {n}")).collect();
        let text =
            prepared_by(&policy(), &format!("SELECT COUNT(*) FROM people WHERE {}", many.join(word))).text;
        assert_eq!(text.matches("r.age !=").count(), 200);
    }
    let sql = "SELECT COUNT(*) FROM people WHERE age > 3 AND smoker AND age > 3 AND (income < 5 OR age < 9)";
    let text = prepared_by(&policy(), sql).text;
    assert!(
        text.contains("where ((r.age > 3 and r.smoker == 1) and (r.income < 500 or r.age < 9))"),
        "{text}"
    );
}

/// A rank of days is a day, whose ends are days; a difference of two is a number.
#[test]
fn ranks_of_days_are_days() {
    let text = "[budget]\nepsilon = 1\nper_query = { epsilon = 1 }\n[table.t]\nunit = \"row\"\n[table.t.columns]\n\
                x = { type = \"bool\" }\nd = { type = \"date\", between = [\"2020-02-27\", \"2020-03-02\"] }";
    let policy = policy::read("p", text).unwrap();
    let sql = "SELECT MIN(d) AS a, MAX(d) AS b, MEDIAN(d) AS c, MAX(d) - MIN(d) AS days FROM t HAVING MAX(d) > MIN(d)";
    let prepared = prepared_by(&policy, sql);
    // Five days, in one bin each; nobody on the first, a thousand on each of the next three.
    let cells = prepared.plan.cells();
    assert_eq!(cells, 5);
    let counts = [0, 1000, 1000, 1000, 0].map(Integer::from).to_vec();
    let rows = answer::rows(&prepared, &[counts], &rational(1, 20).unwrap()).unwrap();
    let shown = rows.texts().remove(0);
    assert_eq!(
        [&shown[0], &shown[3], &shown[6], &shown[9]],
        ["2020-02-28", "2020-03-01", "2020-02-29", "2.00"]
    );
    assert_eq!(shown[6..9], ["2020-02-29"; 3]);
    let json = rows.to_json();
    assert_eq!((&json[0]["c"], &json[0]["days"]), (&"2020-02-29".into(), &2.0.into()));
    // A group without rows has no day, and its ends are those of the policy.
    let empty = answer::rows(
        &prepared_by(&policy, "SELECT MIN(d) AS a FROM t"),
        &[vec![Integer::ZERO; 5]],
        &rational(1, 20).unwrap(),
    );
    assert_eq!(empty.unwrap().texts().remove(0), ["", "2020-02-27", "2020-03-02"]);
    for (wrong, at) in [
        ("SELECT MAX(d) + 1 FROM t", "MAX"),
        ("SELECT -MAX(d) FROM t", "MAX"),
        ("SELECT MAX(d) - COUNT(*) FROM t", "MAX"),
        ("SELECT MAX(d) * MAX(d) FROM t", "MAX"),
        ("SELECT COUNT(*) FROM t HAVING MAX(d) > 3", "MAX"),
        ("SELECT COUNT(*) FROM t HAVING COUNT(*) BETWEEN 2 AND MAX(d)", "COUNT(*) BETWEEN"),
    ] {
        let refused = prepare(&policy, &[wrong.to_owned()], &[]).unwrap_err();
        assert!(refused.message.contains("with another day only"), "{wrong}\n{refused}");
        assert_eq!(refused.place.unwrap().column, wrong.find(at).unwrap() + 1, "{wrong}");
    }
    for wrong in ["SELECT SUM(d) FROM t", "SELECT AVG(d) FROM t"] {
        assert!(
            prepare(&policy, &[wrong.to_owned()], &[]).unwrap_err().message.contains("a number is expected")
        );
    }
}

/// IF is CASE, and what is not true is false.
#[test]
fn other_words_for_the_same_query() {
    for (words, same) in [
        ("SUM(IF(smoker, age, 3))", "SUM(CASE WHEN smoker THEN age ELSE 3 END)"),
        ("COUNTIF(IF(smoker, age > 3, age > 9))", "COUNTIF(CASE WHEN smoker THEN age > 3 ELSE age > 9 END)"),
        ("COUNTIF(smoker IS NOT TRUE)", "COUNTIF(NOT smoker)"),
        ("COUNTIF((age > 3) IS NOT FALSE)", "COUNTIF(age > 3)"),
    ] {
        // Columns stand in the order in which they are read.
        let text = |aggregate: &str| {
            let text = prepared_by(&policy(), &format!("SELECT {aggregate} FROM people")).text;
            text.split_once('\n').unwrap().1.to_owned()
        };
        assert_eq!(text(words), text(same), "{words}");
    }
}

/// ORDER BY sorts keys as engines do, whatever their order in the policy: texts by their bytes, numbers by size.
#[test]
fn keys_are_sorted_by_what_they_are() {
    let text = "[budget]\nepsilon = 1\nper_query = { epsilon = 1 }\n[table.t]\nunit = \"row\"\n[table.t.columns]\n\
                k = { in = [\"c\", \"a\", \"B\"] }\nx = { type = \"int\", between = [8, 10] }";
    let policy = policy::read("p", text).unwrap();
    let first = |sql: &str| -> Vec<String> {
        let prepared = prepared_by(&policy, sql);
        let noisy = vec![vec![Integer::from(5)]; prepared.plan.groups()];
        let rows = answer::rows(&prepared, &noisy, &rational(1, 20).unwrap()).unwrap();
        rows.texts().into_iter().map(|row| row[0].clone()).collect()
    };
    assert_eq!(first("SELECT k, COUNT(*) FROM t GROUP BY k ORDER BY k"), ["B", "a", "c"]);
    assert_eq!(first("SELECT k, COUNT(*) AS n FROM t GROUP BY k ORDER BY n, k DESC LIMIT 2"), ["c", "a"]);
    assert_eq!(first("SELECT x, COUNT(*) FROM t GROUP BY x ORDER BY x DESC"), ["10", "9", "8"]);
    let band = "SELECT CASE WHEN x < 9 THEN 'low' WHEN x < 10 THEN 'high' ELSE 'mid' END AS b, COUNT(*) FROM t GROUP BY b";
    assert_eq!(first(&format!("{band} ORDER BY 1")), ["high", "low", "mid"]);
    assert_eq!(first(band), ["low", "high", "mid"]);
}

#[test]
fn several_queries_share_what_one_may_lose() {
    let queries = ["SELECT COUNT(*) FROM people".to_owned(), "SELECT SUM(age) FROM people".to_owned()];
    let both = prepare(&policy(), &queries, &[]).unwrap();
    assert!(both.iter().all(|one| one.stake.amount == rational(1, 4).unwrap()));
    let rho = POLICY.replace("epsilon = \"2\"", "rho = \"2\"").replace("epsilon = \"1/2\"", "rho = \"1/50\"");
    let rho = policy::read("p", &rho).unwrap();
    let one = prepared_by(&rho, &queries[0]);
    assert_eq!((one.stake.concentrated, one.cost.to_string()), (true, "rho 1/50".into()));
    let both = prepare(&rho, &queries, &[]).unwrap();
    assert!(both.iter().all(|one| one.cost.to_string() == "rho 1/100"));
    // A query may ask for a pure loss: ε²/2 ≤ ρ.
    let pure = |options: &str| {
        let sql = format!("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({options}) COUNT(*) FROM people");
        prepare(&rho, &[sql], &[])
    };
    let one = pure("epsilon = 0.2").unwrap().remove(0);
    assert_eq!((one.stake.concentrated, one.cost.to_string()), (false, "rho 1/50".into()));
    assert_eq!(pure("rho = 0.01").unwrap().remove(0).cost.to_string(), "rho 1/100");
    let dear = pure("epsilon = 0.21").unwrap_err().message;
    assert!(dear.contains("which costs rho 441/20000: the policy allows rho 1/50"), "{dear}");
    for options in ["epsilon = 0.21", "rho = 0.03", "rho = 0.01, epsilon = 0.1", "rho = 0"] {
        assert!(pure(options).is_err(), "{options}");
    }
    let in_epsilon = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(rho = 0.01) COUNT(*) FROM people".to_owned();
    assert!(prepare(&policy(), &[in_epsilon], &[]).is_err());
}

/// What a query asks for in its clause it has, also beside others; those that ask for nothing share the rest; more than one query may lose is
/// refused.
#[test]
fn a_clause_says_what_its_query_loses() {
    // Each asks for something else: the same query twice would be one.
    let asking = |number: usize, options: &str| {
        let clause = match options {
            "" => String::new(),
            options => format!("WITH DIFFERENTIAL_PRIVACY OPTIONS({options}) "),
        };
        format!("SELECT {clause}COUNT(*) FROM people WHERE age > {number}")
    };
    let rho = POLICY.replace("epsilon = \"2\"", "rho = \"2\"").replace("epsilon = \"1/2\"", "rho = \"1/50\"");
    let rho = policy::read("p", &rho).unwrap();
    let stakes = |policy: &policy::Policy, options: &[&str]| {
        let queries: Vec<String> =
            options.iter().enumerate().map(|(number, options)| asking(number, options)).collect();
        let prepared = prepare(policy, &queries, &[])?;
        Ok::<_, refusal::Refusal>(prepared.iter().map(|one| one.stake.amount.to_string()).collect::<Vec<_>>())
    };
    let epsilon = policy();
    assert_eq!(stakes(&epsilon, &["epsilon = 0.1", "epsilon = 0.2"]).unwrap(), ["1/10", "1/5"]);
    assert_eq!(stakes(&epsilon, &["epsilon = 0.25", "epsilon = 0.25"]).unwrap(), ["1/4", "1/4"]);
    assert_eq!(stakes(&epsilon, &["", "epsilon = 0.1", ""]).unwrap(), ["1/5", "1/10", "1/5"]);
    assert_eq!(stakes(&rho, &["rho = 0.01", ""]).unwrap(), ["1/100", "1/100"]);
    // ε = 0.1 counts ρ = 0.005.
    assert_eq!(stakes(&rho, &["epsilon = 0.1", ""]).unwrap(), ["1/10", "3/200"]);
    for (policy, options) in [
        (&epsilon, ["epsilon = 0.3", "epsilon = 0.21"]),
        (&epsilon, ["epsilon = 0.5", ""]),
        (&rho, ["epsilon = 0.2", "rho = 0.001"]),
    ] {
        let refused = stakes(policy, &options).unwrap_err().to_string();
        assert!(refused.contains("in all"), "{refused}");
    }
}

/// White space, comments and the case of keywords make no other query: the stored answer is free.
#[test]
fn the_same_query_written_otherwise_has_the_same_key() {
    let key = |sql: &str| prepared_by(&policy(), sql).key("1");
    let plain = key("SELECT region, SUM(age) FROM people WHERE age > 20 GROUP BY region");
    assert_eq!(
        plain,
        key("select region,\n  sum(age) /* years */ from people where age>20 group by region;")
    );
    assert_ne!(plain, key("SELECT region, SUM(age) FROM people WHERE age > 21 GROUP BY region"));
    assert_ne!(
        plain,
        prepared_by(&policy(), "SELECT region, SUM(age) FROM people WHERE age > 20 GROUP BY region").key("2")
    );
}

/// A small loss asks for much noise, which the search for a proof must think of.
#[test]
fn quantiles_are_proved_at_small_losses() {
    for rho in ["1/10", "1/20", "1/50", "1/1000", "1/1000000"] {
        let text = POLICY
            .replace("epsilon = \"2\"", "rho = \"2\"")
            .replace("{ epsilon = \"1/2\" }", &format!("{{ rho = \"{rho}\" }}"));
        let policy = policy::read("policy", &text).unwrap();
        let prepared = prepared_by(&policy, "SELECT MEDIAN(age) AS m FROM people");
        release::prove(prepared, None).unwrap_or_else(|refusal| panic!("{rho}: {refusal}"));
    }
}

/// A query that a call asks twice, however it is written, has its share once.
#[test]
fn the_same_query_twice_shares_as_one() {
    let twice = |second: &str| {
        let queries = ["SELECT COUNT(*) FROM people".to_owned(), second.to_owned()];
        let prepared = prepare(&policy(), &queries, &[]).unwrap();
        prepared.iter().map(|one| one.stake.amount.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(twice("select count( * )\nfrom people;"), ["1/2", "1/2"]);
    assert_eq!(twice("SELECT COUNT(*) FROM people WHERE age > 1"), ["1/4", "1/4"]);
}

/// The clause may bound users to fewer groups than the policy, not to more.
#[test]
fn max_groups_contributed_tightens_the_policy() {
    let users =
        POLICY.replace("unit = \"row\"", "unit = { user = \"Note\", groups = 3, rows_per_group = 10 }");
    let users = policy::read("p", &users).unwrap();
    let with = |policy: &policy::Policy, most: u32| {
        let sql = format!(
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = {most}) region, COUNT(*) AS n FROM people GROUP BY region"
        );
        prepare(policy, &[sql], &[]).map(|mut prepared| prepared.remove(0))
    };
    let plain = prepared_by(&users, "SELECT region, COUNT(*) AS n FROM people GROUP BY region");
    let rows = |prepared: &probity_release::prepare::Prepared| {
        let line = prepared.text.lines().find(|line| line.starts_with("neighbours")).unwrap();
        line.split(' ').nth(3).unwrap().parse::<u32>().unwrap()
    };
    assert_eq!(rows(&plain), 30);
    for most in 1..=3 {
        let prepared = with(&users, most).unwrap();
        assert_eq!(rows(&prepared), 10 * most);
        // Less noise for fewer groups, and a theorem about it.
        assert_eq!(
            &prepared.scales[0] * rational(3, 1).unwrap(),
            &plain.scales[0] * rational(most, 1).unwrap()
        );
        release::prove(prepared, None).unwrap();
    }
    let refused = with(&users, 4).unwrap_err();
    assert!(refused.message.contains("bounds users to 3 groups"), "{refused}");
    // A row is in one group anyway.
    assert!(with(&policy(), 5).is_ok());
}

/// A name in GROUP BY is a column's where what SELECT calls so is no key; a key is known by what it is, not by how it is written.
#[test]
fn keys_are_known_by_what_they_are() {
    let shown = |sql: &str| prepared_by(&policy(), sql).plan.columns.clone();
    let named = |sql: &str| -> Vec<bool> {
        shown(sql).iter().map(|(_, shown)| matches!(shown, Shown::Key(0))).collect()
    };
    assert_eq!(named("SELECT COUNT(*) AS region FROM people GROUP BY region"), [false]);
    assert_eq!(named("SELECT people.region, COUNT(*) FROM people GROUP BY region"), [true, false]);
    assert_eq!(
        named("SELECT REGION, COUNT(*) FROM people GROUP BY region ORDER BY people.region"),
        [true, false]
    );
    // What names the same column twice is no other one, and a position is always right.
    assert_eq!(named("SELECT region AS Region, COUNT(*) FROM people GROUP BY REGION"), [true, false]);
    let places = |sql: &str| -> Vec<Shown> { shown(sql).into_iter().map(|(_, shown)| shown).collect() };
    let swapped = "SELECT smoker AS region, region AS smoker, COUNT(*) AS n FROM people GROUP BY";
    assert_eq!(places(&format!("{swapped} 1, 2"))[..2], [Shown::Key(0), Shown::Key(1)]);
    assert_eq!(places(&format!("{swapped} 2, 1"))[..2], [Shown::Key(1), Shown::Key(0)]);
    // Where SELECT calls two columns nearly the same, the spelling decides.
    let nearly = "SELECT smoker AS k, region AS K, COUNT(*) AS n FROM people GROUP BY";
    assert_eq!(places(&format!("{nearly} K, k"))[..2], [Shown::Key(1), Shown::Key(0)]);
    let band = "CASE WHEN age >= 65 THEN 'senior' WHEN age >= 18 THEN 'adult' ELSE 'minor' END";
    let ages = format!("SELECT {band} AS age, smoker AS s, age AS years, COUNT(*) AS n FROM people GROUP BY");
    for (sql, about) in [
        (
            "SELECT smoker AS region, region AS place, COUNT(*) AS n FROM people GROUP BY region, place"
                .to_owned(),
            "region is a column, and SELECT calls something else so",
        ),
        (
            "SELECT smoker AS region, region AS place, COUNT(*) AS n FROM people GROUP BY place, region"
                .to_owned(),
            "region is a column, and",
        ),
        (format!("{ages} age, s, years"), "age is a column, and"),
        (format!("{ages} years, s, age"), "age is a column, and"),
        (format!("{swapped} region, smoker"), "region is a column, and"),
        (format!("{swapped} smoker, region"), "smoker is a column, and"),
        (
            "SELECT CASE WHEN smoker THEN 'a' ELSE 'b' END AS region, COUNT(*) FROM people GROUP BY region"
                .to_owned(),
            "region is a column, and",
        ),
        (
            "SELECT smoker AS kk, region AS kK, COUNT(*) FROM people GROUP BY KK, 2".to_owned(),
            "several columns of SELECT are called KK",
        ),
        (
            "SELECT smoker AS kk, region AS kK, COUNT(*) FROM people GROUP BY 1, 2 ORDER BY KK".to_owned(),
            "several columns of SELECT are called KK",
        ),
        (
            "SELECT age AS years, COUNT(*) AS age FROM people GROUP BY 1 HAVING age > 50".to_owned(),
            "age is a key, and SELECT calls something else so",
        ),
    ] {
        let refusal = prepare(&policy(), std::slice::from_ref(&sql), &[]).err();
        assert!(
            refusal.as_ref().is_some_and(|refusal| refusal.message.contains(about)),
            "{sql}\n{refusal:?}"
        );
    }
}

/// Whatever the columns of SELECT are called, by names of columns too: a query that is answered shows what it shows with fresh names.
#[test]
fn labels_stand_under_the_names_of_their_own_keys() {
    let keys = ["region", "smoker", "age", "CASE WHEN smoker THEN 'a' ELSE 'b' END"];
    let names = ["region", "smoker", "age", "born", "k"];
    let policy = policy();
    // A small generator: the same queries on every machine.
    let mut state = 1u64;
    let mut below = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let (mut answered, mut refused) = (0, 0);
    for _ in 0..400 {
        let (first, second) = (below(4), below(4));
        let (a, b) = (below(5), below(5));
        if first == second || a == b {
            continue;
        }
        let query = |names: [&str; 2], by: [&str; 2]| {
            format!(
                "SELECT {} AS {}, {} AS {}, COUNT(*) AS n FROM people GROUP BY {}, {} ORDER BY {}",
                keys[first], names[0], keys[second], names[1], by[0], by[1], names[1]
            )
        };
        let own = [names[a], names[b]];
        // GROUP BY an alias, or what stands in SELECT, in either order.
        let by = |of: usize, named: bool| if named { own[of] } else { [keys[first], keys[second]][of] };
        let order = below(2);
        let (one, two) = (below(2) == 0, below(2) == 0);
        let fresh = if order == 0 { ["f", "g"] } else { ["g", "f"] };
        let asked = query(own, [by(order, one), by(1 - order, two)]);
        let plan = |sql: &str| prepare(&policy, &[sql.to_owned()], &[]).map(|mut all| all.remove(0).plan);
        match plan(&asked) {
            Err(_) => refused += 1,
            Ok(asking) => {
                let clear = query(["f", "g"], fresh);
                let meant = plan(&clear).unwrap();
                let shown = |plan: &probity_release::query::Plan| {
                    plan.columns.iter().map(|(_, shown)| shown.clone()).collect::<Vec<_>>()
                };
                assert_eq!(shown(&asking), shown(&meant), "{asked}\n{clear}");
                assert_eq!(asking.keys, meant.keys, "{asked}\n{clear}");
                assert_eq!(asking.order, meant.order, "{asked}\n{clear}");
                answered += 1;
            }
        }
    }
    assert!(answered > 60 && refused > 60, "{answered} {refused}");
}

/// Each noisy number of each group is drawn, stored and shown: there is a most of them, by the query alone.
#[test]
fn there_is_a_most_of_noisy_numbers() {
    let policy = policy::read(
        "p",
        "[budget]\nepsilon = 1\nper_query = { epsilon = 1 }\n[table.t]\nunit = \"row\"\n[table.t.columns]\n\
         x = { type = \"int\", between = [1, 1024] }\ny = { type = \"int\", between = [1, 1024] }",
    )
    .unwrap();
    let by = |policy: &policy::Policy, columns: &str| {
        prepare(policy, &[format!("SELECT x, y, {columns} FROM t GROUP BY x, y")], &[])
            .map(|all| all[0].plan.cells())
    };
    let ask = |columns: &str| by(&policy, columns);
    assert_eq!(ask("COUNT(*), SUM(x)").unwrap(), 2);
    let refused = ask("COUNT(*), SUM(x), SUM(y)").unwrap_err();
    assert!(refused.message.contains("3145728 noisy numbers"), "{refused}");
    // And a most of groups, also with one number in each.
    let wider = policy::read("p", &policy.text.replacen("[1, 1024]", "[1, 1025]", 1)).unwrap();
    let refused = by(&wider, "COUNT(*)").unwrap_err();
    assert!(refused.message.contains("more than 1048576 groups"), "{refused}");
}

/// What is said twice in a condition is looked at once, by the pass and by the proof.
#[test]
fn a_value_that_is_listed_twice_counts_once() {
    let policy = policy();
    let text = |condition: &str| {
        prepared_by(&policy, &format!("SELECT COUNT(*) FROM people WHERE {condition}")).text
    };
    let once = text("age IN (3, 4)");
    assert_eq!(text("age IN (3, 4, 3, 3, 4)"), once);
    assert_eq!(
        text("age IN (3, 4) OR age IN (4, 3, 4) AND age IN (3, 4)").len(),
        text("age IN (3, 4) OR age IN (4, 3) AND age IN (3, 4)").len()
    );
    assert_eq!(text("(age = 3 OR age = 4) OR (age = 3 OR age = 4)"), once);
    assert_eq!(text("(age = 3 OR age = 4) AND (age = 3 OR age = 4)"), once);
}

/// A name that SELECT gives is not the column of that name: ordering or grouping by it reads nothing of the table.
#[test]
fn a_name_of_select_reads_no_column() {
    let fields = |sql: &str| -> Vec<String> {
        let prepared = prepare(&policy(), &[sql.to_owned()], &[]).unwrap();
        prepared[0].plan.fields.iter().map(|field| field.name.clone()).collect()
    };
    let select = "SELECT region, COUNT(*) AS age FROM people GROUP BY region";
    assert_eq!(fields(select), ["region"]);
    assert_eq!(fields(&format!("{select} ORDER BY age DESC")), ["region"]);
    assert_eq!(fields(&format!("{select} HAVING age > 3 ORDER BY age, region")), ["region"]);
    // What is grouped by is read, under its own name and under another.
    assert_eq!(fields("SELECT region AS income, COUNT(*) FROM people GROUP BY 1"), ["region"]);
    assert_eq!(fields("SELECT region AS place, COUNT(*) FROM people GROUP BY place"), ["region"]);
    // A name that could be either is nobody's, also where the column could be no key.
    let either = "SELECT region AS income, COUNT(*) FROM people GROUP BY income".to_owned();
    let refusal = prepare(&policy(), &[either], &[]).unwrap_err();
    assert!(refusal.message.contains("income is a column, and SELECT calls"), "{refusal}");
    assert_eq!(
        fields("SELECT region, SUM(age) AS age FROM people GROUP BY region ORDER BY age"),
        ["region", "age"]
    );
}

/// A loss of thousands of digits is refused at once: noise for it is computed for minutes.
#[test]
fn a_loss_has_a_length() {
    let asking = |epsilon: &str| {
        let sql = format!(
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = {epsilon}) COUNT(*) AS n FROM people"
        );
        prepare(&policy(), &[sql], &[]).map(|_| ())
    };
    asking("1e-150").unwrap();
    for long in ["1e-200", "1e-2000", "1e-9000"] {
        let refusal = asking(long).unwrap_err();
        assert!(refusal.message.contains("512 bits"), "{long}: {}", refusal.message);
        assert_eq!(refusal.kind, refusal::Kind::Input);
    }
}

/// A query cannot ask for a delta that the policy does not give, in whatever measure the budget is.
#[test]
fn a_delta_is_not_asked_for_in_vain() {
    let sql = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1/4, delta = 5) COUNT(*) AS n FROM people";
    let refusal = prepare(&policy(), &[sql.to_owned()], &[]).unwrap_err();
    assert!(refusal.message.contains("delta 5"), "{}", refusal.message);
}

#[test]
fn a_table_may_have_any_name_and_a_column_one_weight() {
    let text = POLICY.replace("[table.people", "[table.\"pe\\\"op`le\"");
    let policy = policy::read("policy", &text).unwrap();
    let query = |sql: &str| prepare(&policy, &[sql.to_owned()], &[]).map(drop);
    query("SELECT COUNT(*) FROM \"pe\"\"op`le\"").unwrap();
    assert!(query("SELECT COUNT(*) FROM people").is_err());
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let weights = |all: &[&str]| probity_release::prepare::weights(&texts(all));
    assert_eq!(weights(&["n=1", "m=2"]).unwrap().len(), 2);
    assert!(weights(&["n=1", "m=2", "n=2"]).unwrap_err().message.contains("two weights"));
}

#[test]
fn a_case_with_an_operand_is_the_key_of_its_comparisons() {
    let keys = |case: &str| {
        let sql = format!("SELECT CASE {case} ELSE 'other' END AS r, COUNT(*) FROM people GROUP BY r");
        prepare(&policy(), &[sql], &[]).unwrap().remove(0).plan.keys
    };
    let searched = keys("WHEN region = 'north' THEN 'N' WHEN region = 'south' THEN 'S'");
    assert_eq!(keys("region WHEN 'north' THEN 'N' WHEN 'south' THEN 'S'"), searched);
    assert_eq!(keys("age WHEN 3 THEN 'three'"), keys("WHEN age = 3 THEN 'three'"));
    let wrong = "SELECT CASE region WHEN 3 THEN 'N' ELSE 'other' END, COUNT(*) FROM people GROUP BY 1";
    let refused = prepare(&policy(), &[wrong.to_owned()], &[]).unwrap_err();
    assert!(refused.message.contains("cannot be compared"), "{refused}");
}
