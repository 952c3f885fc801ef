//! Queries that are accepted are proved: what a preview shows is what a release answers.

use crate::common;

use common::{POLICY, policy, prepared_by};
use probity_release::policy::{self, Policy};
use probity_release::prepare::prepare;
use probity_release::release;

/// A generator of choices that are the same every time.
struct Choices(u64);

impl Choices {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

const NUMBERS: [&str; 9] = [
    "age",
    "income",
    "weight",
    "age * 2 - 3",
    "ABS(income)",
    "LEAST(age, weight)",
    "income / 3",
    "CASE WHEN smoker THEN age ELSE 0 END",
    "age * weight",
];

const CONDITIONS: [&str; 9] = [
    "age > 10",
    "age BETWEEN 18 AND 65",
    "income < 2000.5",
    "smoker",
    "region <> 'north'",
    "region IN ('north', 'south')",
    "born >= DATE '2000-01-15'",
    "age = 30 OR weight > 70",
    "NOT (age < 18 AND income > 5)",
];

const KEYS: [&str; 8] = [
    "",
    "",
    "region",
    "smoker",
    "age",
    "region, smoker",
    "smoker, age",
    "CASE WHEN age < 18 THEN 'young' ELSE 'old' END",
];

const AGGREGATES: [&str; 9] = [
    "COUNT(*)",
    "SUM(?)",
    "AVG(?)",
    "VARIANCE(?)",
    "MEDIAN(?)",
    "MIN(?)",
    "MAX(?)",
    "QUANTILE(?, 0.9)",
    "COUNTIF(age > 3)",
];

fn query(choices: &mut Choices) -> String {
    let keys = choices.of(&KEYS);
    let mut columns: Vec<String> = if keys.is_empty() { vec![] } else { vec![format!("{keys}")] };
    for number in 0..1 + choices.below(3) {
        let aggregate = choices.of(&AGGREGATES).replace('?', choices.of(&NUMBERS));
        let filter = match choices.below(4) {
            0 => format!(" FILTER (WHERE {})", choices.of(&CONDITIONS)),
            _ => String::new(),
        };
        columns.push(format!("{aggregate}{filter} AS c{number}"));
    }
    let conditions = match choices.below(3) {
        0 => String::new(),
        1 => format!(" WHERE {}", choices.of(&CONDITIONS)),
        _ => format!(" WHERE {} AND {}", choices.of(&CONDITIONS), choices.of(&CONDITIONS)),
    };
    let by = if keys.is_empty() { String::new() } else { format!(" GROUP BY {keys}") };
    format!("SELECT {} FROM people{conditions}{by}", columns.join(", "))
}

fn in_rho() -> Policy {
    let text =
        POLICY.replace("epsilon = \"2\"", "rho = \"2\"").replace("epsilon = \"1/2\"", "rho = \"1/50\"");
    policy::read("p", &text).unwrap()
}

fn of_users() -> Policy {
    let text = POLICY.replace("unit = \"row\"", "unit = { user = \"Note\", groups = 2, rows_per_group = 3 }");
    policy::read("p", &text).unwrap()
}

/// Whatever is accepted has a proof; what is refused is refused before one is looked for.
#[test]
fn what_is_accepted_is_proved() {
    let mut choices = Choices(7);
    let (mut proved, mut refused) = (0, 0);
    for (policy, count) in [(policy(), 60), (in_rho(), 20), (of_users(), 20)] {
        for _ in 0..count {
            let sql = query(&mut choices);
            let Ok(mut prepared) = prepare(&policy, std::slice::from_ref(&sql), &[]) else {
                refused += 1;
                continue;
            };
            if let Err(refusal) = release::prove(prepared.remove(0), None) {
                panic!("{sql}\n{refusal}");
            }
            proved += 1;
        }
    }
    assert!(proved >= 80 && refused <= 20, "{proved} {refused}");
}

/// Groups that two columns make, conditions on the key or on what is ranked, the same values ranked twice, and many columns.
#[test]
fn what_was_once_refused_is_proved() {
    for sql in [
        "SELECT age, smoker, COUNT(*), SUM(income) FROM people GROUP BY age, smoker",
        "SELECT age, MEDIAN(weight) FROM people WHERE age > 10 GROUP BY age",
        "SELECT age, MAX(income) FROM people WHERE income = 10 OR weight = 3 GROUP BY age",
        "SELECT region, MEDIAN(age) FROM people WHERE age BETWEEN 10 AND 30 GROUP BY region",
        "SELECT MEDIAN(income) FILTER (WHERE age > 3), MEDIAN(income) FROM people",
        "SELECT age, MIN(income), MAX(income), MEDIAN(weight), COUNT(*), AVG(weight), VARIANCE(income) FROM people GROUP BY age",
    ] {
        for policy in [policy(), in_rho()] {
            if let Err(refusal) = release::prove(prepared_by(&policy, sql), None) {
                panic!("{sql}\n{refusal}");
            }
        }
    }
}

/// Lists of values, with and without keys: which of them a row has does not matter to the proof, so that it does not grow with them.
#[test]
fn long_lists_are_proved() {
    let list = |count: usize| (0..count).map(|value| value.to_string()).collect::<Vec<_>>().join(", ");
    for (count, columns) in [
        (1000, "COUNT(*)"),
        (240, "COUNT(*), SUM(age), SUM(income), COUNTIF(smoker)"),
        (
            100,
            "COUNT(*), SUM(age), SUM(2 * age), SUM(3 * age), SUM(4 * age), SUM(5 * age), SUM(6 * age), SUM(7 * age), SUM(8 * age)",
        ),
        (9, "COUNT(*), SUM(age), SUM(income), AVG(weight), COUNTIF(smoker)"),
    ] {
        let sql = format!("SELECT {columns} FROM people WHERE age IN ({})", list(count));
        for policy in [policy(), in_rho(), of_users()] {
            let proved = release::prove(prepared_by(&policy, &sql), None);
            assert!(proved.is_ok(), "{count} values, {columns}: {}", proved.unwrap_err().message);
        }
    }
}
