//! Keys that are discovered from the rows: what is proved, what is drawn, what neighbours see, and what is refused.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use probity_exact::{Integer, Rational, exp_bounds, rational};
use probity_release::engine::csv::Csv;
use probity_release::engine::rows::Rows;
use probity_release::engine::{Counts, Engine, Exact};
use probity_release::ledger::Ledger;
use probity_release::policy::{self, Policy};
use probity_release::prepare::{Prepared, prepare};
use probity_release::query::Plan;
use probity_release::refusal::{Answer, Kind};
use probity_release::{answer, certificate, proof, release};

const POLICY: &str = r#"
[budget]
epsilon = "2"
delta = "1/100000"
per_query = { epsilon = "1/2", delta = "1/1000000" }
[table.visits]
unit = "row"
[table.visits.columns]
page = { type = "text", discover = true }
short = { type = "text", discover = true, max_bytes = 3 }
region = { in = ["north", "south"] }
age = { type = "int", between = [0, 120] }
note = { type = "text" }
"#;

const PLAIN: &str = "SELECT page, COUNT(*) AS n FROM visits GROUP BY page";

fn policy_with(from: &str, to: &str) -> Policy {
    assert!(POLICY.contains(from));
    policy::read("policy", &POLICY.replace(from, to)).unwrap()
}

fn policy() -> Policy {
    policy_with("1/2", "1/2")
}

/// The policy with other losses of a query.
fn at(epsilon: &str, delta: &str) -> Policy {
    let query = format!("per_query = {{ epsilon = \"{epsilon}\", delta = \"{delta}\" }}");
    let text = POLICY
        .replace("per_query = { epsilon = \"1/2\", delta = \"1/1000000\" }", &query)
        .replace("epsilon = \"2\"", "epsilon = \"100\"")
        .replace("delta = \"1/100000\"", "delta = \"1/2\"");
    policy::read("policy", &text).unwrap()
}

fn prepared_by(policy: &Policy, sql: &str) -> Prepared {
    prepare(policy, &[sql.to_owned()], &[]).unwrap_or_else(|refusal| panic!("{sql}\n{refusal}")).remove(0)
}

fn threshold(prepared: &Prepared) -> Integer {
    prepared.threshold.clone().unwrap()
}

const ANSWERED: &[&str] = &[
    PLAIN,
    "SELECT COUNT(*), page FROM visits WHERE age >= 18 AND region = 'north' GROUP BY 2 HAVING COUNT(*) > 40 ORDER BY page DESC LIMIT 3",
    "SELECT short AS s, COUNTIF(age > 40) AS old, 100 * COUNTIF(age > 40) AS percent FROM visits GROUP BY s ORDER BY old",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.25, delta = 1e-7, group_selection_strategy = LAPLACE_THRESHOLD) page, COUNT(*) \
     FROM visits GROUP BY page",
];

#[test]
fn every_shape_is_proved_and_certified() {
    let policy = policy();
    for sql in ANSWERED {
        let prepared = prepared_by(&policy, sql);
        let text = prepared.text.clone();
        let proven =
            release::prove(prepared, None).unwrap_or_else(|refusal| panic!("{sql}\n{text}\n{refusal}"));
        let stake = &proven.prepared().stake;
        let claim = format!("epsilon = {}, delta = {}", stake.amount, stake.delta);
        assert!(proven.theorem().contains(&claim), "{}", proven.theorem());
        for rule in ["FOR-ONCE", "UP-TO-BAD"] {
            assert!(proven.axioms().iter().any(|axiom| axiom == rule), "{:?}", proven.axioms());
        }
        let whole = certificate::write(proven.prepared(), &policy, "v1", proven.certificate());
        for policy in [None, Some(&policy)] {
            let checked =
                certificate::check(&whole, policy).unwrap_or_else(|refusal| panic!("{sql}\n{refusal}"));
            assert_eq!(checked.stake, *stake);
        }
        // Neither another delta, nor another threshold, nor none is what was proved.
        let shown = threshold(proven.prepared());
        let less = &shown - Integer::ONE;
        for (from, to) in [
            (format!("\ndelta {}\n", stake.delta), format!("\ndelta {}\n", &stake.delta / Rational::from(2))),
            (format!("\ndelta {}\n", stake.delta), "\n".to_owned()),
            (format!(">= {shown} {{"), format!(">= {less} {{")),
            (format!(">= {shown} {{"), ">= 0 {".to_owned()),
            (format!("below {shown}"), format!("below {less}")),
            ("claim eps, delta".to_owned(), "claim eps, 2 * delta".to_owned()),
        ] {
            assert!(whole.contains(&from), "{from}\n{whole}");
            let forged = whole.replacen(&from, &to, 1);
            assert!(certificate::check(&forged, Some(&policy)).is_err(), "{from}");
        }
    }
}

/// a^(T−1)/(1 + a) with a = e^(−ε): the probability that a key with one row appears, from below and from above.
fn appears(epsilon: &Rational, threshold: &Integer) -> (Rational, Rational) {
    let exp = |x: &Rational| {
        let (low, high) = exp_bounds(x, 200);
        (low.to_rational().unwrap(), high.to_rational().unwrap())
    };
    let (a_low, a_high) = exp(&-epsilon.clone());
    let (low, high) = exp(&(epsilon * Rational::from(threshold - Integer::ONE)));
    (Rational::ONE / (high * (Rational::ONE + a_high)), Rational::ONE / (low * (Rational::ONE + a_low)))
}

/// For losses of many sizes: the least threshold is proved, one less is not; a key of one row appears with probability δ at most, and the
/// threshold is not much higher than it must be.
#[test]
fn the_threshold_is_the_least_that_is_proved() {
    for (epsilon, delta) in [
        ("1/2", "1/1000000"),
        ("3", "1/1000000000"),
        ("10", "1/3"),
        ("1/50", "1/100000"),
        ("0.37", "0.0000123"),
        ("1", "1e-30"),
        ("1/1000", "1e-9"),
        // Numbers that leave less than the kernel sees of a logarithm.
        ("1/2000", "0.000328"),
        ("1/3000", "0.000143"),
    ] {
        let prepared = prepared_by(&at(epsilon, delta), PLAIN);
        let shown = threshold(&prepared);
        assert!(release::prove(prepared.clone(), None).is_ok(), "{epsilon} {delta}\n{}", prepared.text);
        for less in [&shown - Integer::ONE, Integer::ZERO] {
            let text = prepared.text.replace(&format!(">= {shown} {{"), &format!(">= {less} {{"));
            assert_ne!(text, prepared.text);
            let refused = proof::prove(&text, &prepared.stake, None).unwrap_err();
            assert_eq!(refused.kind, Kind::Unproved, "{text}");
        }
        let stake = &prepared.stake;
        assert!(appears(&stake.amount, &shown).1 <= stake.delta, "{epsilon} {delta}");
        // The kernel's bound of the tail has 1 + a < 2 to spare, and whole numbers one more.
        let spare = (rational(7, 10).unwrap() / &stake.amount).ceil() + Integer::ONE;
        let low = (&shown - spare).max(Integer::ONE);
        assert!(low == Integer::ONE || appears(&stake.amount, &low).0 > stake.delta, "{epsilon} {delta}");
    }
}

#[test]
fn what_is_drawn_is_compared_with_what_was_proved() {
    let prepared = prepared_by(&policy(), PLAIN);
    assert!(release::prove(prepared.clone(), None).is_ok());
    let mut lower = prepared.clone();
    lower.threshold = Some(threshold(&prepared) - Integer::ONE);
    let mut without = prepared.clone();
    without.threshold = None;
    let mut narrow = prepared.clone();
    narrow.scales[0] = Rational::ONE;
    // A text of public keys says nothing about keys that are discovered.
    let mut public = prepared.clone();
    let other = prepared_by(&policy(), "SELECT region, COUNT(*) AS n FROM visits GROUP BY region");
    public.text = other
        .text
        .replace("param eps > 0", "param eps > 0\nparam delta > 0")
        .replace("claim eps", "claim eps, delta");
    // Nor one that shows the key itself beside another count.
    let mut leaking = prepared.clone();
    leaking.text = prepared.text.replace("append(out, count_1)", "append(out, rows_1)");
    for wrong in [lower, without, narrow, public, leaking] {
        assert!(release::prove(wrong, None).is_err());
    }
}

fn visits(rows: Vec<[&str; 5]>) -> Rows {
    Rows {
        header: ["page", "short", "region", "age", "note"].map(String::from).to_vec(),
        rows: rows.into_iter().map(|row| row.map(String::from).to_vec()).collect(),
    }
}

fn keys(engine: &dyn Engine, plan: &Plan) -> Counts {
    engine.keys(plan, &|_, _| {}).unwrap()
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        ((self.0 >> 33) % sides as u64) as usize
    }

    fn row(&mut self) -> [&'static str; 5] {
        let texts = [
            "a",
            "b",
            " b ",
            "",
            "é",
            "a b",
            "long",
            "B",
            "a,b",
            "two\nlines",
            "a \"quoted\" one",
            "\u{7}",
            "ab\u{0}",
        ];
        let (page, short) = (texts[self.roll(texts.len())], texts[self.roll(texts.len())]);
        let region = ["north", "south", "west", ""][self.roll(4)];
        let age = ["0", "17", "18", "41", "", "x", "999"][self.roll(7)];
        [page, short, region, age, ""]
    }
}

/// δ at ε between two tables: groups are independent, noise on a count that moves by 1 has the loss 1/scale, and a key that only one of
/// the tables has tells them apart whenever it appears.
fn lost(prepared: &Prepared, before: &Counts, after: &Counts) -> Rational {
    let mut all = Rational::ZERO;
    for key in before.keys().chain(after.keys()).collect::<std::collections::BTreeSet<_>>() {
        let rows = |counts: &Counts| counts.get(key).copied().unwrap_or(0);
        let (low, high) = (rows(before).min(rows(after)), rows(before).max(rows(after)));
        let moved = Rational::from(high - low) / &prepared.scales[0];
        if low == high || low > 0 && moved <= prepared.stake.amount {
            continue;
        }
        // A key with this many rows appears like one with a single row and a threshold that is lower by the others.
        let lower = threshold(prepared) - Integer::from(high) + Integer::ONE;
        all += if low == 0 && lower >= Integer::ONE {
            appears(&(Rational::ONE / &prepared.scales[0]), &lower).1
        } else {
            Rational::ONE
        };
    }
    all
}

#[test]
fn neighbours_lose_no_more_than_the_claim() {
    let policy = policy();
    let mut dice = Dice(5);
    for sql in ANSWERED {
        let prepared = prepared_by(&policy, sql);
        let (mut unseen, mut worst) = (prepared.clone(), Rational::ZERO);
        // As if nothing were held back.
        unseen.threshold = Some(Integer::ONE);
        let mut caught = 0;
        for _ in 0..1500 {
            let before: Vec<[&str; 5]> = (0..dice.roll(5)).map(|_| dice.row()).collect();
            let mut after = before.clone();
            after.insert(dice.roll(before.len() + 1), dice.row());
            let counts = [visits(before), visits(after)].map(|table| keys(&table, &prepared.plan));
            let delta = lost(&prepared, &counts[0], &counts[1]);
            assert!(delta <= prepared.stake.delta, "{sql}: {delta}");
            worst = worst.max(delta);
            caught += usize::from(lost(&unseen, &counts[0], &counts[1]) > prepared.stake.delta);
        }
        // Without a threshold a key that only one table has is seen; with it, about as often as δ allows.
        assert!(caught > 20, "{sql}: {caught}");
        assert!(worst * Rational::from(4) > prepared.stake.delta, "{sql}");
    }
}

#[test]
fn keys_are_texts_and_rows_without_one_are_dropped() {
    let long = "x".repeat(65);
    let longest = "x".repeat(64);
    let table = visits(vec![
        ["a", "abc", "north", "20", ""],
        [" a ", "abcd", "south", "20", ""],
        ["A", "éa", "north", "10", ""],
        ["", "éé", "north", "30", ""],
        [&long, "b", "north", "30", ""],
        [&longest, "b", "west", "30", ""],
        ["bell\u{7}", "b", "north", "", ""],
    ]);
    let found = |sql: &str| -> Vec<(String, u64)> {
        keys(&table, &prepared_by(&policy(), sql).plan).into_iter().collect()
    };
    let expected = |pairs: &[(&str, u64)]| {
        pairs.iter().map(|(key, rows)| ((*key).to_owned(), *rows)).collect::<Vec<_>>()
    };
    assert_eq!(found(PLAIN), expected(&[("A", 1), ("a", 2), (&longest, 1)]));
    // Only what the query reads is cleaned: an age that is missing does not matter here.
    assert_eq!(
        found("SELECT short, COUNT(*) FROM visits GROUP BY short"),
        expected(&[("abc", 1), ("b", 3), ("éa", 1)])
    );
    assert_eq!(
        found("SELECT page, COUNT(*) FROM visits WHERE region = 'north' AND age >= 18 GROUP BY page"),
        expected(&[("a", 1)])
    );
}

#[test]
fn files_have_the_keys_of_rows() {
    let folder = std::env::temp_dir().join(format!("probity-keys-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let mut dice = Dice(11);
    for number in 0..12 {
        let rows: Vec<[&str; 5]> = (0..200 * number).map(|_| dice.row()).collect();
        let quoted = |field: &str| format!("\"{}\"", field.replace('"', "\"\""));
        let mut text = "page,short,region,age,note\n".to_owned();
        for row in &rows {
            text.push_str(&(row.map(quoted).join(",") + "\n"));
        }
        let path = folder.join(format!("{number}.csv"));
        fs::write(&path, text).unwrap();
        let (file, memory) = (Csv::new(&path).unwrap(), visits(rows));
        for sql in ANSWERED {
            let plan = prepared_by(&policy(), sql).plan;
            assert_eq!(keys(&file, &plan), keys(&memory, &plan), "{sql}");
        }
    }
    // Bytes that are no text are no key, and their row is dropped.
    let path = folder.join("bytes.csv");
    fs::write(&path, b"page,short\n\xff\xfe,a\nfine,b\n").unwrap();
    let found = keys(&Csv::new(&path).unwrap(), &prepared_by(&policy(), PLAIN).plan);
    assert_eq!(found, BTreeMap::from([("fine".to_owned(), 1)]));
    fs::remove_dir_all(&folder).unwrap();
}

/// An engine like those that compute sums only.
struct SumsOnly;

impl Engine for SumsOnly {
    fn check(&self, _plan: &Plan) -> Answer<()> {
        Ok(())
    }

    fn sums(&self, _plan: &Plan, _progress: &(dyn Fn(u64, u64) + Sync)) -> Answer<Exact> {
        panic!("no row is read for a plan that the engine cannot answer")
    }
}

#[test]
fn a_release_shows_frequent_keys_in_order_and_is_debited_in_both_parts() {
    let folder = std::env::temp_dir().join(format!("probity-found-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let policy = policy();
    let rows = |key: &'static str, count: usize| std::iter::repeat_n([key, "b", "north", "20", ""], count);
    let table = visits(rows("zebra", 900).chain(rows("apple", 500)).chain(rows("rare", 1)).collect());
    let mut ledger =
        Ledger::init(&folder.join("l.ledger"), &policy, None, false, Duration::from_secs(5)).unwrap();
    let proven =
        |sql: &str, ledger: &Ledger| release::prove(prepared_by(&policy, sql), Some(ledger)).unwrap();
    let asking = release::Asking { policy: &policy, version: "", again: false, progress: &|_, _| {} };
    let first = proven(PLAIN, &ledger);
    // An engine that does not find keys is refused before anything is read or debited.
    let refused =
        release::release(
            std::slice::from_ref(&first),
            &mut ledger,
            &asking,
            |_| Ok(&SumsOnly as &dyn Engine),
        );
    assert!(refused.unwrap_err().message.contains("CSV"));
    assert_eq!(ledger.state().remaining().to_string(), "epsilon 2, delta 1/100000");
    let released =
        release::release(std::slice::from_ref(&first), &mut ledger, &asking, |_| Ok(&table as &dyn Engine))
            .unwrap();
    let one = &released[0];
    // A key of one row is shown once in a million, frequent ones are not shown less than once in e^200.
    assert_eq!(one.keys, ["apple", "zebra"]);
    assert_eq!(one.cost.to_string(), "epsilon 1/2, delta 1/1000000");
    assert_eq!(ledger.state().remaining().to_string(), "epsilon 3/2, delta 9/1000000");
    let shown = answer::released(one, &rational(1, 20).unwrap()).unwrap();
    assert_eq!(shown.threshold, Some(threshold(&one.prepared)));
    let texts = shown.texts();
    assert_eq!([texts[0][0].as_str(), texts[1][0].as_str()], ["apple", "zebra"]);
    assert_eq!(shown.to_json()[1]["page"], "zebra");
    assert!(shown.to_csv().starts_with("page,n,n_low,n_high\napple,"));
    // The stored answer is the same, and free.
    let again = release::release(&[first], &mut ledger, &asking, |_| Ok(&SumsOnly as &dyn Engine)).unwrap();
    assert!(again[0].stored && again[0].keys == one.keys && again[0].noisy == one.noisy);
    assert_eq!(ledger.state().remaining().to_string(), "epsilon 3/2, delta 9/1000000");
    // A public query beside it costs no delta.
    let public = proven("SELECT region, COUNT(*) AS n FROM visits GROUP BY region", &ledger);
    release::release(&[public], &mut ledger, &asking, |_| Ok(&table as &dyn Engine)).unwrap();
    assert_eq!(ledger.state().remaining().to_string(), "epsilon 1, delta 9/1000000");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn queries_of_one_call_share_the_delta_of_one() {
    let policy = policy();
    let two = "SELECT short, COUNT(*) FROM visits GROUP BY short".to_owned();
    let deltas = |queries: &[String]| {
        let prepared = prepare(&policy, queries, &[])?;
        Ok::<_, probity_release::refusal::Refusal>(
            prepared.iter().map(|one| one.stake.delta.to_string()).collect::<Vec<_>>(),
        )
    };
    let options = |delta: &str| {
        format!(
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(delta = {delta}) page, COUNT(*) FROM visits GROUP BY page"
        )
    };
    assert_eq!(deltas(&[PLAIN.into(), two.clone()]).unwrap(), ["1/2000000", "1/2000000"]);
    let public = "SELECT COUNT(*) FROM visits".to_owned();
    assert_eq!(deltas(&[PLAIN.into(), public]).unwrap(), ["1/1000000", "0"]);
    assert_eq!(deltas(&[options("1e-7"), two.clone()]).unwrap(), ["1/10000000", "9/10000000"]);
    for queries in [vec![options("1e-6"), two], vec![options("1e-5")], vec![options("0")]] {
        assert!(deltas(&queries).is_err(), "{queries:?}");
    }
}

#[test]
fn what_has_no_proof_or_no_delta_is_refused() {
    let users = policy_with("unit = \"row\"", "unit = { user = \"note\", groups = 2, rows_per_group = 3 }");
    let pure = POLICY.replace("delta = \"1/100000\"\n", "").replace(", delta = \"1/1000000\"", "");
    let rho = POLICY
        .replace("epsilon = \"2\"\ndelta = \"1/100000\"", "rho = \"2\"")
        .replace("{ epsilon = \"1/2\", delta = \"1/1000000\" }", "{ rho = \"1/8\" }");
    let without = policy_with("{ epsilon = \"1/2\", delta = \"1/1000000\" }", "{ epsilon = \"1/2\" }");
    let sum = "SELECT page, COUNT(*), SUM(age) FROM visits GROUP BY page";
    for (policy, sql, said) in [
        (users, PLAIN, "this policy hides users"),
        (policy::read("policy", &pure).unwrap(), PLAIN, "the budget is in epsilon"),
        (policy::read("policy", &rho).unwrap(), PLAIN, "the budget is in rho"),
        (without, PLAIN, "the policy gives none to a query"),
        (policy(), sum, "one count is answered"),
        (policy(), "SELECT page, AVG(age) FROM visits GROUP BY page", "one count is answered"),
        (policy(), "SELECT page, MEDIAN(age) FROM visits GROUP BY page", "one count is answered"),
        (
            policy(),
            "SELECT page, COUNT(*), COUNTIF(age > 9) FROM visits GROUP BY page",
            "one count is answered",
        ),
        (policy(), "SELECT page, region, COUNT(*) FROM visits GROUP BY page, region", "stands alone"),
        (policy(), "SELECT page, short, COUNT(*) FROM visits GROUP BY page, short", "stands alone"),
        (
            policy(),
            "SELECT COUNT(*) FROM visits WHERE page = 'home'",
            "is a key that is discovered, and only that",
        ),
        (policy(), "SELECT note, COUNT(*) FROM visits GROUP BY note", "would have to be discovered"),
        (
            policy(),
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(group_selection_strategy = PUBLIC_GROUPS) page, COUNT(*) FROM visits GROUP BY page",
            "PUBLIC_GROUPS",
        ),
        (
            policy(),
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(group_selection_strategy = LAPLACE_THRESHOLD) region, COUNT(*) FROM visits GROUP BY region",
            "no key of this query is discovered",
        ),
    ] {
        let refusal = prepare(&policy, &[sql.to_owned()], &[]).unwrap_err();
        assert!(refusal.message.contains(said), "{sql}: {refusal}");
        assert!(refusal.hint.is_some(), "{sql}: {refusal}");
    }
}

#[test]
fn policies_say_what_a_key_may_be() {
    for (line, said) in [
        ("page = { type = \"text\", discover = 1 }", "true or false"),
        ("page = { type = \"text\", max_bytes = 9 }", "has none"),
        ("page = { type = \"text\", discover = true, max_bytes = 0 }", "from 1 to 1024"),
        ("page = { type = \"text\", discover = true, null = \"x\" }", "has no `null`"),
        ("page = { type = \"int\", between = [0, 9], discover = true }", "has no `discover`"),
        ("page = { in = [\"a\"], discover = true }", "has no `discover`"),
    ] {
        let text = POLICY.replace("page = { type = \"text\", discover = true }", line);
        let refusal = policy::read("policy", &text).unwrap_err();
        assert!(refusal.message.contains(said), "{line}: {refusal}");
    }
    let public = format!(
        "{POLICY}[public.pages]\nkey = \"page\"\n[public.pages.columns]\ntitle = {{ type = \"text\", discover = true }}\n"
    );
    assert!(policy::read("policy", &public).unwrap_err().message.contains("nothing to discover"));
    let off = policy_with(
        "page = { type = \"text\", discover = true }",
        "page = { type = \"text\", discover = false }",
    );
    assert_eq!(off.tables[0].columns[0].domain, policy::Domain::Text);
    let column = &policy().tables[0].columns[1];
    assert_eq!(column.domain, policy::Domain::Discovered { bytes: 3 });
    assert!(
        column.cleaning().contains("longer than 3 bytes") && column.cleaning().contains("the row is dropped")
    );
}
