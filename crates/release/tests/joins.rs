//! Joins with public tables: each row by itself, in the text, in the sums and in the certificate.

use probity_exact::Rational;
use probity_release::engine::Engine;
use probity_release::engine::rows::Rows;
use probity_release::policy::{self, Policy};
use probity_release::prepare::{Prepared, prepare};
use probity_release::{certificate, release};

const POLICY: &str = r#"
[budget]
epsilon = "2"
per_query = { epsilon = "1/2" }
[table.people]
unit = "row"
[table.people.columns]
region = { references = "regions" }
age = { type = "int", between = [0, 120] }
name = { in = ["a", "b"] }
[public.regions]
key = "code"
[public.regions.columns]
name = { type = "text" }
rate = { type = "int", between = [0, 10] }
coastal = { type = "bool" }
"#;

fn rows(texts: &[&[&str]]) -> Vec<Vec<String>> {
    texts.iter().map(|row| row.iter().map(|field| (*field).to_owned()).collect()).collect()
}

fn header(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn policy() -> Policy {
    let mut policy = policy::read("policy", POLICY).unwrap();
    let public =
        rows(&[&["n", "North", "3", "true"], &["s", "South", "5", "false"], &["e", "North", "7", "true"]]);
    policy.read_public("regions", &header(&["code", "name", "rate", "coastal"]), &public).unwrap();
    policy
}

fn people() -> Rows {
    Rows {
        header: header(&["age", "region", "name"]),
        rows: rows(&[
            &["10", "n", "a"],
            &["20", "s", "a"],
            &["30", "e", "b"],
            &["40", "", "b"],
            &["50", "x", "b"],
            &["60", " e ", "b"],
        ]),
    }
}

fn prepared(policy: &Policy, sql: &str) -> Prepared {
    prepare(policy, &[sql.to_owned()], &[]).unwrap_or_else(|refusal| panic!("{sql}\n{refusal}")).remove(0)
}

#[test]
fn a_row_gets_the_columns_of_its_key() {
    let policy = policy();
    for (sql, expected) in [
        (
            "SELECT r.name, COUNT(*), SUM(age) FROM people JOIN regions r ON people.region = r.code GROUP BY r.name",
            &[3, 100, 1, 20][..],
        ),
        (
            "SELECT SUM(rate * age) FROM people p INNER JOIN regions ON regions.code = p.region WHERE coastal",
            &[30 + 210 + 420],
        ),
        ("SELECT region, SUM(rate) FROM people JOIN regions ON region = code GROUP BY region", &[3, 5, 14]),
        // A row without a partner is left out although nothing of its partner is asked for.
        ("SELECT COUNT(*), SUM(age) FROM people JOIN regions ON region = code", &[4, 120]),
        (
            "SELECT COUNT(*) FROM people JOIN regions ON region = code WHERE regions.name = 'North' AND regions.code <> 'n'",
            &[2],
        ),
        // Without a join the keys are the values of the column all the same.
        ("SELECT region, COUNT(*) FROM people GROUP BY region", &[1, 1, 2]),
        (
            "SELECT people.name, SUM(rate) FROM people JOIN regions ON region = code GROUP BY people.name",
            &[8, 14],
        ),
    ] {
        let prepared = prepared(&policy, sql);
        let exact = people().sums(&prepared.plan, &|_, _| {}).unwrap();
        assert_eq!(exact.sums, expected, "{sql}");
        let proven = release::prove(prepared, None).unwrap_or_else(|refusal| panic!("{sql}\n{refusal}"));
        let text = certificate::write(proven.prepared(), &policy, "", proven.certificate());
        assert!(text.contains("public-join: each row of people"), "{text}");
        certificate::check(&text, Some(&policy)).unwrap();
        // Other public rows are another assumption.
        let mut other = policy::read("policy", POLICY).unwrap();
        let public = rows(&[
            &["n", "North", "4", "true"],
            &["s", "South", "5", "false"],
            &["e", "North", "7", "true"],
        ]);
        other.read_public("regions", &header(&["code", "name", "rate", "coastal"]), &public).unwrap();
        let refused = certificate::check(&text, Some(&other)).unwrap_err();
        assert!(refused.hint.is_some_and(|hint| hint.contains("--data")), "{sql}: {}", refused.message);
        assert_ne!(proven.prepared().key(""), prepare(&other, &[sql.to_owned()], &[]).unwrap()[0].key(""));
        // Neighbours differ by one row.
        for skipped in 0..people().rows.len() {
            let mut fewer = people();
            fewer.rows.remove(skipped);
            let less = fewer.sums(&proven.prepared().plan, &|_, _| {}).unwrap();
            let scales = proven.prepared().scales.iter().cycle();
            let lost =
                exact.sums.iter().zip(&less.sums).zip(scales).fold(Rational::ZERO, |all, ((a, b), scale)| {
                    all + Rational::from(a.abs_diff(*b)) / scale
                });
            assert!(lost <= proven.prepared().stake.amount, "{sql}");
        }
    }
}

#[test]
fn what_is_no_join_with_a_public_table_is_refused() {
    let policy = policy();
    for (sql, message) in [
        ("SELECT COUNT(*) FROM people JOIN people q ON people.region = q.region", "private table"),
        ("SELECT COUNT(*) FROM people JOIN places ON people.region = places.code", "no public table"),
        ("SELECT COUNT(*) FROM people JOIN regions ON people.age = regions.code", "does not refer"),
        ("SELECT COUNT(*) FROM people JOIN regions ON people.region = regions.name", "with the key"),
        ("SELECT COUNT(*) FROM people JOIN regions ON people.region < regions.code", "with the key"),
        (
            "SELECT COUNT(*) FROM people JOIN regions ON people.region = regions.code AND age > 3",
            "with the key",
        ),
        ("SELECT COUNT(*) FROM people CROSS JOIN regions", "kind of join"),
        ("SELECT SUM(rate) FROM people LEFT JOIN regions ON region = code", "keeps rows without a partner"),
        ("SELECT COUNT(*) FROM people RIGHT JOIN regions ON people.region = regions.code", "kind of join"),
        ("SELECT COUNT(*) FROM people NATURAL JOIN regions", "ON or USING"),
        // The columns of USING have one name in both tables, and the key is called code.
        ("SELECT COUNT(*) FROM people JOIN regions USING (region)", "USING takes the key"),
        ("SELECT COUNT(*) FROM regions", "no table `regions`"),
        ("SELECT SUM(rte) FROM people JOIN regions ON region = code", "no column `rte`"),
        (
            "SELECT code, COUNT(*) FROM people JOIN regions AS r ON region = code GROUP BY code",
            "written with the table: r.code",
        ),
        (
            "SELECT COUNT(*) FROM people JOIN regions ON region = code WHERE regions.name = 'Nope'",
            "rows of its public",
        ),
        ("SELECT COUNT(*) FROM people WHERE region = 'Nope'", "rows of its public"),
        ("SELECT COUNT(*) FROM people WHERE people.name = 'Nope'", "`in` lists them"),
        (
            "SELECT name, COUNT(*) FROM people JOIN regions ON region = code GROUP BY name",
            "two tables have a column",
        ),
        ("SELECT COUNT(*) FROM people JOIN regions people ON region = code", "two tables are called"),
    ] {
        let refused = prepare(&policy, &[sql.to_owned()], &[]).map(|_| ()).expect_err(sql);
        assert!(refused.to_string().contains(message), "{sql}\n{refused}");
    }
    // Not read yet.
    let unread = policy::read("policy", POLICY).unwrap();
    for sql in [
        "SELECT region, COUNT(*) FROM people GROUP BY region",
        "SELECT SUM(rate) FROM people JOIN regions ON region = code",
        "SELECT COUNT(*) FROM people JOIN regions ON region = code",
    ] {
        let refused = prepare(&unread, &[sql.to_owned()], &[]).map(|_| ()).expect_err(sql);
        assert!(refused.message.contains("where the public table regions is"), "{refused}");
    }
    assert!(prepare(&unread, &["SELECT COUNT(*) FROM people".to_owned()], &[]).is_ok());
}

#[test]
fn public_tables_that_are_none() {
    let names = header(&["code", "name", "rate", "coastal"]);
    for (header_of, public, message) in [
        (
            names.clone(),
            rows(&[&["n", "N", "1", "true"], &["n", "M", "2", "true"]]),
            "two rows with the key `n`",
        ),
        (names.clone(), rows(&[&["", "N", "1", "true"]]), "has no key"),
        (names.clone(), rows(&[&["n", "N", "x", "true"]]), "no value of rate"),
        // What is public is neither clamped to the bounds nor rounded.
        (
            names.clone(),
            rows(&[&["n", "N", "11", "true"]]),
            "`11` of n in the public table regions is no value of rate",
        ),
        (names.clone(), rows(&[&["n", "N", "-1", "true"]]), "no value of rate"),
        (names.clone(), rows(&[&["n", "N", "2.5", "true"]]), "no value of rate"),
        (names.clone(), rows(&[]), "0 rows"),
        (header(&["code", "name", "rate"]), rows(&[&["n", "N", "1"]]), "no column `coastal`"),
        // A file without a header and with one row.
        (header(&["n", "N", "1", "true"]), rows(&[]), "no column `code`"),
        (header(&["code", "name", "rate"]), rows(&[]), "no column `coastal`"),
        (
            names.clone(),
            rows(&[&["n", "N", "", "true"]]),
            "the field rate of n in the public table regions is empty",
        ),
        (
            header(&["code", "name", "rate", "rate", "coastal"]),
            rows(&[&["n", "N", "1", "1", "true"]]),
            "two columns `rate`",
        ),
    ] {
        let mut policy = policy::read("policy", POLICY).unwrap();
        let refused = policy.read_public("regions", &header_of, &public).unwrap_err();
        assert!(refused.message.contains(message), "{refused}");
    }
    // Unless the policy says what they count as; and 2.0 is whole.
    for (outside, value, taken) in [("\"clamp\"", "11", 10), ("3", "-1", 3), ("\"drop\"", "2.0", 2)] {
        let text = POLICY.replace("[0, 10] }", &format!("[0, 10], outside = {outside} }}"));
        let mut policy = policy::read("policy", &text).unwrap();
        policy.read_public("regions", &names, &rows(&[&["n", "N", value, "true"]])).unwrap();
        assert_eq!(*policy.public("regions").unwrap().values[1], [taken]);
    }
    for (from, to, message) in [
        ("key = \"code\"\n", "", "by which column"),
        ("references = \"regions\"", "references = \"places\"", "no public table"),
        (
            "[table.people]\n",
            "[table.regions]\nunit = \"row\"\ncolumns = { x = { type = \"bool\" } }\n[table.people]\n",
            "private and a public",
        ),
        ("rate = {", "code = {", "is its key"),
        ("references = \"regions\"", "references = \"regions\", null = \"n\"", "is \"drop\""),
    ] {
        let text = POLICY.replacen(from, to, 1);
        let refused = policy::read("policy", &text).unwrap_err();
        assert!(refused.message.contains(message), "{from}: {refused}");
    }
}
