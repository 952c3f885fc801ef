//! From SQL to a proved mechanism to exact sums: what is proved is what is computed, neighbours differ by no more than the claim, and
//! all engines agree.

use crate::common;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use common::{POLICY, policy, prepared_by};
use probity_exact::{Rational, rational};
use probity_kernel::expr::{Expr, Variable};
use probity_kernel::term::{Distribution, Statement};
use probity_release::engine::csv::Csv;
use probity_release::engine::rows::Rows;
use probity_release::engine::{Engine, Exact};
use probity_release::policy::{self, Policy};
use probity_release::prepare::{Prepared, prepare};
use probity_release::query::Plan;
use probity_release::{proof, refusal, release};

/// The same with a budget in ρ, for which the noise is Gaussian.
fn concentrated() -> Policy {
    let text = POLICY
        .replace("epsilon = \"2\"", "rho = \"2\"")
        .replace("{ epsilon = \"1/2\" }", "{ rho = \"1/2\" }");
    policy::read("policy", &text).unwrap()
}

fn prepared(sql: &str) -> Prepared {
    prepared_by(&policy(), sql)
}

/// Queries of every shape that is answered.
const ANSWERED: &[&str] = &[
    "SELECT COUNT(*) FROM people",
    "SELECT COUNT(age), SUM(income) AS s FROM people p WHERE p.age >= 18",
    "SELECT region, COUNT(*) AS n, AVG(income) AS income FROM people GROUP BY region",
    "SELECT smoker, region, COUNT(*), SUM(age) FROM people GROUP BY region, smoker ORDER BY 3 DESC LIMIT 2",
    "SELECT age, COUNT(*) AS n FROM people GROUP BY age HAVING COUNT(*) > 10 AND n < 1e6",
    "SELECT born, SUM(CASE WHEN smoker THEN income ELSE 0 END) FROM people WHERE born >= DATE '2000-01-15' GROUP BY born",
    "SELECT CASE WHEN age < 18 THEN 'young' WHEN age < 65 THEN 'grown' ELSE 'old' END AS band, COUNT(*) FROM people GROUP BY band",
    "SELECT SUM(income * age) FROM people",
    "SELECT VARIANCE(income), STDDEV_POP(age) FROM people",
    "SELECT SUM(weight / 3 + 0.5 * age - income) FROM people WHERE NOT (smoker OR region IN ('north', 'east'))",
    "SELECT SUM(age - GREATEST(2, 10)), SUM(age - ABS(0 - 3)), SUM(age * LEAST(2, 3) - LEAST(age, -4)) FROM people",
    "SELECT SUM(ABS(age - 40)), SUM(LEAST(income, 50.5, age)), SUM(GREATEST(age, 3)) FROM people WHERE age NOT BETWEEN 3 AND 20",
    "SELECT COUNTIF(smoker), COUNT(*) FILTER (WHERE region <> 'south'), 100 * SUM(age) / COUNT(*) AS r FROM people",
    "SELECT SUM(smoker), SUM(-age) FROM people WHERE smoker = TRUE AND age / -2 < -3.5 AND income < 12345678901",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.25, delta = 0) region, COUNT(*) FROM people GROUP BY 1",
    "SELECT MEDIAN(age) FROM people WHERE smoker",
    "SELECT age, MEDIAN(income) AS m, COUNT(*) AS n FROM people GROUP BY age",
    "SELECT region, COUNT(*) AS n, MEDIAN(income) AS m, PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY income) AS p FROM people GROUP BY region",
    "SELECT smoker, region, MIN(age), MAX(age + 1), QUANTILE(weight, 0.25) FROM people GROUP BY smoker, region",
    "SELECT region, SUM(age - 60 - age) AS s, AVG(age * weight - 2 * age) AS a FROM people GROUP BY region",
    "SELECT SUM(CASE WHEN age < 18 THEN ABS(income - 50) WHEN smoker THEN LEAST(age, weight) ELSE GREATEST(age - 3, -weight, 2) END) AS s, VARIANCE(LEAST(ABS(age - 60), GREATEST(age, 9))) FROM people WHERE ABS(ABS(ABS(age - 60) - 30) - 10) > 3",
    "SELECT CASE WHEN age < 2 THEN 'a' WHEN age < 18 THEN 'b' WHEN age < 65 THEN 'c' WHEN smoker THEN 'd' ELSE 'e' END AS band, MEDIAN(age - 2 * weight) AS m, SUM(age) AS s FROM people GROUP BY band",
    "SELECT region, COUNT(*), AVG(age), VARIANCE(income), SUM(weight), COUNTIF(smoker), SUM(2 * age), SUM(age - weight), SUM(income + age), \
     SUM(ABS(age - 9)), COUNTIF(age > 9) FROM people GROUP BY region",
];

#[test]
fn every_shape_is_proved_and_certified() {
    for policy in [policy(), concentrated()] {
        for sql in ANSWERED {
            let prepared = prepared_by(&policy, sql);
            let text = prepared.text.clone();
            let proven =
                release::prove(prepared, None).unwrap_or_else(|refusal| panic!("{sql}\n{text}\n{refusal}"));
            let certificate =
                probity_release::certificate::write(proven.prepared(), &policy, "v1", proven.certificate());
            let checked = probity_release::certificate::check(&certificate, Some(&policy))
                .unwrap_or_else(|refusal| panic!("{sql}\n{refusal}"));
            assert_eq!(checked.stake, proven.prepared().stake);
            // What was not checked is told apart.
            let names = |lines: &[(String, String)]| {
                let mut names: Vec<String> = lines.iter().map(|(name, _)| name.clone()).collect();
                names.dedup();
                names
            };
            let unseen = probity_release::certificate::check(&certificate, None).unwrap();
            assert_eq!(names(&checked.stated), ["data-version"]);
            assert_eq!(names(&unseen.stated), ["policy", "query", "data-version", "assumption"]);
            assert!(names(&unseen.about).iter().all(|name| name == "budget" || name == "parameter"));
            // No line may stand twice, and the budget is what the theorem claims, whoever has the policy.
            for line in [
                "query \"SELECT 1\"",
                "budget epsilon 1/1000",
                "data-version \"\"",
                "parameter w=1\nparameter w=1",
            ] {
                let forged = certificate.replacen("\nassumption", &format!("\n{line}\nassumption"), 1);
                assert_ne!(forged, certificate);
                assert!(probity_release::certificate::check(&forged, None).is_err(), "{line}");
            }
            if let Some(line) = certificate.lines().find(|line| line.starts_with("parameter ")) {
                let forged = certificate.replacen(line, &format!("{line}\n{line}"), 1);
                assert!(probity_release::certificate::check(&forged, None).is_err(), "{line}");
            }
            let budget = format!("\nbudget {}\n", proven.prepared().cost);
            assert!(certificate.contains(&budget));
            for other in ["\n", "\nbudget epsilon 1/1000\n", "\nbudget rho 7\n"] {
                let forged = certificate.replacen(&budget, other, 1);
                assert!(probity_release::certificate::check(&forged, None).is_err(), "{other}");
            }
            // Another policy, another loss, another mechanism or another query is not what was proved.
            let other = policy::read("policy", &policy.text.replace("120", "121")).unwrap();
            assert!(probity_release::certificate::check(&certificate, Some(&other)).is_err());
            let stake = &proven.prepared().stake;
            let (name, claim, law) = match stake.concentrated {
                false => ("epsilon", "claim eps", "discrete_laplace"),
                true => ("rho", "claim rho rho", "discrete_gaussian"),
            };
            for (from, to) in [
                (format!("{name} {}\nmech", stake.amount), format!("{name} 1/9\nmech")),
                (claim.into(), "claim 2 * eps".into()),
                (law.into(), law.replace("discrete_", "")),
                ("people".into(), "persons".into()),
            ] {
                assert!(certificate.contains(&from), "{from}");
                let forged = certificate.replacen(&from, &to, 1);
                assert!(probity_release::certificate::check(&forged, Some(&policy)).is_err(), "{from}");
            }
        }
    }
}

/// A column whose name the language cannot have gets one that no other column has, and the certificate says which.
#[test]
fn the_certificate_says_which_column_is_meant() {
    let text = POLICY.replace(
        "age = {",
        "cost = { type = \"int\", between = [0, 9] }\ncost_1 = { type = \"int\", between = [0, 7] }\n\"my col\" = { type = \"int\", between = [0, 5] }\nage = {",
    );
    let policy = policy::read("policy", &text).unwrap();
    let prepared =
        prepared_by(&policy, "SELECT SUM(cost), SUM(\"my col\"), SUM(age) FROM people WHERE cost_1 > 3");
    for name in ["r.cost_2", "r.cost_1", "r.my_col_1", "r.age"] {
        assert!(prepared.text.contains(name), "{name}\n{}", prepared.text);
    }
    let assumptions = probity_release::certificate::assumptions(&prepared).join("\n");
    for said in [
        "cost, which is cost_2 in the text (",
        "cost_1 (",
        "my col, which is my_col_1 in the text (",
        "age (",
    ] {
        assert!(assumptions.contains(said), "{said}\n{assumptions}");
    }
}

#[test]
fn a_smaller_deviation_is_never_drawn() {
    let policy = concentrated();
    let mut prepared = prepared_by(&policy, "SELECT region, COUNT(*), SUM(age) FROM people GROUP BY region");
    assert_eq!(prepared.stake, proof::Stake::without_delta(true, rational(1, 2).unwrap()));
    // Σ w² = 2 and ρ = 1/2: s = √2, rounded up.
    assert_eq!(
        prepared.scales,
        [rational(1_414_214, 1_000_000).unwrap(), rational(120 * 1_414_214, 1_000_000).unwrap()]
    );
    assert_eq!(prepared.cost.to_string(), "rho 1/2");
    // A value of s for which the loss would be more is not admitted by the text.
    let mut less = prepared.clone();
    less.parameters[1].1 = rational(1_414_213, 1_000_000).unwrap();
    assert!(release::prove(less, None).is_err());
    // Noise that is not that of the text is not drawn.
    prepared.scales[1] = prepared.scales[0].clone();
    assert!(release::prove(prepared, None).is_err());
    // Without the condition on s there is no proof.
    let text = prepared_by(&policy, "SELECT COUNT(*) FROM people").text;
    let stake = proof::Stake::without_delta(true, rational(1, 2).unwrap());
    assert!(proof::prove(&text, &stake, None).is_ok());
    for (from, to) in [
        ("where 1 <=", "where 99 / 100 <="),
        ("neighbours one row of people is", "neighbours at most 2 rows of people are"),
    ] {
        assert!(text.contains(from));
        assert!(proof::prove(&text.replace(from, to), &stake, None).is_err(), "{to}");
    }
    // A text in ε is no proof in ρ, nor the other way round.
    let pure = proof::Stake { concentrated: false, ..stake };
    assert!(proof::prove(&text, &pure, None).is_err());
}

#[test]
fn less_noise_is_never_proved() {
    // A search that fails takes its time: without the feature `exhaustive` a third of the queries is tried.
    for sql in ANSWERED.iter().copied().step_by(if cfg!(feature = "exhaustive") { 1 } else { 3 }) {
        let prepared = prepared(sql);
        // A little less noise in the first draw, which the claim does not allow.
        let name = &prepared.plan.draws[0].name;
        let line =
            prepared.text.lines().find(|line| line.trim_start().starts_with(&format!("{name} ~"))).unwrap();
        let (head, scale) = line.rsplit_once(", ").unwrap();
        let pure = |sql: &str| !sql.contains("MEDIAN") || sql.contains("smoker");
        if !pure(sql) {
            // What is refused after a long search is tried on the smaller ones.
            continue;
        }
        let less = format!("{head}, 99 / 100 * ({}))", scale.strip_suffix(')').unwrap());
        let text = prepared.text.replace(line, &less);
        let refused = proof::prove(&text, &prepared.stake, None).unwrap_err();
        assert_eq!(refused.kind, refusal::Kind::Unproved, "{text}");
        // Without the clamp nothing bounds a row.
        if line.contains("clamp(") {
            let inner = head.split_once("clamp(").unwrap().1;
            let bare = inner.rsplit_once(", ").and_then(|(inner, _)| inner.rsplit_once(", ")).unwrap().0;
            // A choice between two numbers has bounds of its own.
            if !bare.contains("if ") {
                let unclamped = prepared.text.replace(&format!("clamp({inner}"), &format!("{bare})"));
                assert!(proof::prove(&unclamped, &prepared.stake, None).is_err(), "{unclamped}");
            }
        }
    }
}

/// What a kernel's expression is worth for a row: its sums over the rows first, and then by the evaluator that runs of tables have.
fn value(expr: &Expr, row: &BTreeMap<String, Rational>, rows: &[BTreeMap<String, Rational>]) -> Rational {
    let at = |fields: &BTreeMap<String, Rational>, e: &Expr| {
        let known = |v: &Variable| match v {
            Variable::Field(_, name) | Variable::Plain(name) => fields.get(name.as_str()).cloned(),
            _ => None,
        };
        probity_lang::row::value(e, &known).unwrap_or_else(|| panic!("{e} in a release"))
    };
    fn without_sums(e: &Expr, sum: &dyn Fn(&Expr, &Expr) -> Rational) -> Expr {
        match e {
            Expr::Sum(_, condition, summand) => Expr::Number(sum(condition, summand)),
            _ => e.try_map_parts(&mut |part| Ok::<_, ()>(without_sums(part, sum))).unwrap(),
        }
    }
    let sum = |condition: &Expr, summand: &Expr| {
        let mut sum = Rational::ZERO;
        for fields in rows {
            let mut all = row.clone();
            all.extend(fields.clone());
            if at(&all, condition) == Rational::ONE {
                sum += at(&all, summand);
            }
        }
        sum
    };
    at(row, &without_sums(expr, &sum))
}

/// The centers of all draws of a program for these cleaned rows, by the name of the draw, in order.
fn centers(
    statements: &[Statement],
    rows: &[BTreeMap<String, Rational>],
    at: &BTreeMap<String, Rational>,
    found: &mut BTreeMap<String, Vec<Rational>>,
) {
    for statement in statements {
        match statement {
            Statement::Draw { var, law } => {
                let (Distribution::DiscreteLaplace { center, .. }
                | Distribution::DiscreteGaussian { center, .. }) = law
                else {
                    panic!("{law:?} in a release")
                };
                found.entry(var.to_string()).or_default().push(value(center, at, rows));
            }
            Statement::For { index, from, to, body } => {
                let (from, to) = (value(from, at, rows), value(to, at, rows));
                let mut g = from;
                while g < to {
                    let mut at = at.clone();
                    at.insert(index.to_string(), g.clone());
                    centers(body, rows, &at, found);
                    g += Rational::ONE;
                }
            }
            _ => {}
        }
    }
}

/// The exact sums of an engine by the name of the draw, group by group.
fn by_draw(plan: &Plan, exact: &Exact) -> BTreeMap<String, Vec<Rational>> {
    let mut found: BTreeMap<String, Vec<Rational>> = BTreeMap::new();
    for group in exact.sums.chunks(exact.cells) {
        let mut cells = group.iter();
        for draw in &plan.draws {
            let own = cells.by_ref().take(draw.cells()).map(|sum| Rational::from(*sum));
            found.entry(draw.name.clone()).or_default().extend(own);
        }
    }
    found
}

/// Fields as people write them, and as they should not.
const FIELDS: [&[&str]; 7] = [
    &["north", "south", "east", "west", "", " north "],
    &["0", "17", "40", "120", "121", "-5", "", "x", "1e30", "inf", "nan", "18.5"],
    &["0", "12.34", "-1000", "100000", "99999999999999999999999", "", "-inf", "50.505", "NULL"],
    &["0", "3.2", "200", "200.2", "-1", "", "7/2"],
    &["true", "false", "1", "0", "", "maybe"],
    &["2000-01-01", "2000-01-20", "2000-02-29", "2001-01-01", "", "2000-02-30"],
    &["", "a,b", "a \"quoted\" text", "two\nlines"],
];
const HEADER: [&str; 7] = ["region", "age", "income", "weight", "smoker", "born", "Note"];

struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }

    fn row(&mut self) -> Vec<String> {
        FIELDS.iter().map(|values| values[self.roll(values.len())].to_owned()).collect()
    }
}

fn table(rows: Vec<Vec<String>>) -> Rows {
    Rows { header: HEADER.map(String::from).to_vec(), rows }
}

fn sums(engine: &dyn Engine, plan: &Plan) -> Exact {
    engine.check(plan).unwrap();
    engine.sums(plan, &|_, _| {}).unwrap()
}

/// The rows of a table after cleaning, as the theorem sees them.
fn cleaned(plan: &Plan, names: &[String], rows: &Rows) -> Vec<BTreeMap<String, Rational>> {
    let clean = |row: &Vec<String>| -> Option<BTreeMap<String, Rational>> {
        plan.fields
            .iter()
            .zip(names)
            .map(|(field, name)| {
                let place = HEADER.iter().position(|known| *known == field.name)?;
                Some((name.clone(), Rational::from(field.clean(row[place].as_bytes())?)))
            })
            .collect()
    };
    rows.rows.iter().filter_map(clean).collect()
}

/// The values that are computed from each row, as the certificate says: name and text.
fn computed(prepared: &Prepared) -> Vec<(String, String)> {
    let of = |line: &String| {
        let (name, value) =
            line.strip_prefix("computed: ")?.split_once(" is computed from each row by itself: ")?;
        Some((name.to_owned(), value.to_owned()))
    };
    probity_release::certificate::assumptions(prepared).iter().filter_map(of).collect()
}

/// The text with every value that is computed from each row in place of its column.
fn inlined(prepared: &Prepared) -> String {
    computed(prepared).into_iter().rev().fold(prepared.text.clone(), |text, (name, value)| {
        let field = format!(", {name}: int");
        assert!(text.contains(&field) && text.contains(&format!("r.{name}")), "{name}\n{text}");
        text.replace(&field, "").replace(&format!("r.{name}"), &format!("({value})"))
    })
}

/// A value of many choices is a column in the text, and the certificate says how it is computed: nothing else may be said of it.
#[test]
fn what_is_computed_is_a_column_that_the_certificate_explains() {
    let text = POLICY.replace("age = {", "computed_1 = { type = \"int\", between = [0, 7] }\nage = {");
    for (policy, first) in [(policy(), "computed_1"), (policy::read("policy", &text).unwrap(), "computed_2")]
    {
        let sql = "SELECT SUM(ABS(ABS(ABS(age - 60) - 30) - 10)), SUM(2 * LEAST(age, 9, 8, 7, 6)), AVG(age), MEDIAN(2 * age) FROM people WHERE age > 3";
        let prepared = prepared_by(&policy, sql);
        let said = computed(&prepared);
        assert_eq!(said[0], (first.to_owned(), "abs((abs((abs((r.age - 60)) - 30)) - 10))".to_owned()));
        assert_eq!(said[1].1, "min(min(min(min(r.age, 9), 8), 7), 6)");
        assert_eq!(said[2].1, "(2 * r.age)");
        assert_eq!(said.len(), 3);
        for shown in [format!("clamp(r.{first}, 0, 20)"), "clamp(r.age - 60, -60, 60)".into()] {
            assert!(prepared.text.contains(&shown), "{}", prepared.text);
        }
        let proven = release::prove(prepared, None).unwrap();
        let certificate =
            probity_release::certificate::write(proven.prepared(), &policy, "v1", proven.certificate());
        assert!(probity_release::certificate::check(&certificate, Some(&policy)).is_ok());
        for (from, to) in [("- 10))", "- 11))"), (", 0, 20)", ", 0, 19)"), ("(2 * r.age)", "(3 * r.age)")] {
            assert!(certificate.contains(from), "{from}");
            let forged = certificate.replacen(from, to, 1);
            assert!(probity_release::certificate::check(&forged, Some(&policy)).is_err(), "{from}");
        }
    }
    // A few choices are shown, and so is a column in bins.
    for plain in [
        "SELECT SUM(LEAST(GREATEST(age, 3), 9)) FROM people",
        "SELECT MEDIAN(age) FROM people WHERE ABS(age - 9) > 3",
    ] {
        assert_eq!(computed(&prepared(plain)), []);
    }
}

#[test]
fn what_is_proved_is_what_is_summed() {
    let mut dice = Dice(1);
    for (policy, sql) in
        [policy(), concentrated()].iter().flat_map(|policy| ANSWERED.iter().map(move |sql| (policy, sql)))
    {
        let prepared = prepared_by(policy, sql);
        let program = proof::program(&inlined(&prepared), &prepared.parameters).unwrap();
        let names: Vec<String> = match &program.mechanism.inputs[0].sort {
            probity_kernel::term::Sort::Rows(fields) => {
                fields.iter().map(|field| field.name.to_string()).collect()
            }
            other => panic!("{other:?}"),
        };
        // Thousands of bins are slow to count by reading terms.
        let sizes: &[usize] = if prepared.plan.cells() > 300 { &[2] } else { &[0, 1, 2, 7, 60] };
        for size in sizes {
            let rows = table((0..*size).map(|_| dice.row()).collect());
            let mut proved = BTreeMap::new();
            let cleaned = cleaned(&prepared.plan, &names, &rows);
            centers(&program.mechanism.body, &cleaned, &BTreeMap::new(), &mut proved);
            let summed = by_draw(&prepared.plan, &sums(&rows, &prepared.plan));
            assert_eq!(summed, proved, "{sql}\n{}", prepared.text);
        }
    }
}

/// The exact loss of a release between two tables: draws are independent, and noise of scale s moved by d has the loss |d|/s if it is
/// Laplace noise, d²/(2s²) in ρ if it is Gaussian.
fn loss(prepared: &Prepared, a: &Exact, b: &Exact) -> Rational {
    let scales: Vec<&Rational> = prepared
        .plan
        .draws
        .iter()
        .zip(&prepared.scales)
        .flat_map(|(draw, scale)| std::iter::repeat_n(scale, draw.cells()))
        .collect();
    let moved = a.sums.iter().zip(&b.sums).map(|(a, b)| Rational::from(a.abs_diff(*b)));
    moved.zip(scales.into_iter().cycle()).fold(Rational::ZERO, |all, (moved, scale)| {
        let one = moved / scale;
        all + if prepared.stake.concentrated { &one * &one / Rational::from(2) } else { one }
    })
}

#[test]
fn neighbours_lose_no_more_than_the_claim() {
    let mut dice = Dice(2);
    for policy in [policy(), concentrated()] {
        let mut tight = 0;
        for sql in ANSWERED {
            let prepared = prepared_by(&policy, sql);
            let mut worst = Rational::ZERO;
            for _ in 0..if prepared.plan.cells() > 300 { 20 } else { 400 } {
                let before = table((0..dice.roll(4)).map(|_| dice.row()).collect());
                let mut after = before.clone();
                after.rows.insert(dice.roll(before.rows.len() + 1), dice.row());
                let lost = loss(&prepared, &sums(&before, &prepared.plan), &sums(&after, &prepared.plan));
                assert!(lost <= prepared.stake.amount, "{sql}: {lost}");
                worst = worst.max(lost);
            }
            // The deviation of Gaussian noise is rounded up to seven digits.
            let nearly = &prepared.stake.amount * rational(999_999, 1_000_000).unwrap();
            tight += usize::from(worst >= nearly);
        }
        // The noise is not more than it must be, either.
        assert!(tight >= 8, "only {tight} queries reach their claim");
    }
}

#[test]
fn without_bounds_the_falsifier_sees_it() {
    let prepared = prepared("SELECT region, SUM(age) FROM people GROUP BY region");
    let mut wide = prepared.clone();
    // As if nobody clamped: the column's bounds and the sum's are gone, the noise is that of the bounds.
    wide.plan.fields.iter_mut().for_each(|field| {
        if let policy::Domain::Number { high, .. } = &mut field.domain {
            *high = 1_000_000;
        }
    });
    for draw in &mut wide.plan.draws {
        if let probity_release::query::DrawKind::Sum(probity_release::query::row::Row::Column {
            high, ..
        }) = &mut draw.kind
        {
            *high = 1_000_000;
        }
    }
    let row = |age: &str| ["north", age, "", "1", "", "2000-01-01", ""].map(String::from).to_vec();
    let (none, one) = (table(vec![]), table(vec![row("500")]));
    let lost =
        |prepared: &Prepared| loss(prepared, &sums(&none, &prepared.plan), &sums(&one, &prepared.plan));
    assert_eq!(lost(&prepared), rational(1, 2).unwrap());
    // What a row may add is held once more, between the ends that the noise is made for.
    assert_eq!(lost(&wide), rational(1, 2).unwrap());
    wide.plan.draws.iter_mut().for_each(|draw| draw.range.1 = 1_000_000);
    assert!(lost(&wide) > rational(1, 2).unwrap());
}

const USERS: &str = "unit = { user = \"Note\", groups = 2, rows_per_group = 3 }";

#[test]
fn users_are_bounded_and_their_theorem_is_about_all_their_rows() {
    let policy = policy::read("policy", &POLICY.replace("unit = \"row\"", USERS)).unwrap();
    let mut dice = Dice(3);
    for (sql, rows) in [
        ("SELECT region, COUNT(*) AS n, AVG(age) FROM people GROUP BY region", 6),
        // One group: a user is in no more.
        ("SELECT SUM(income) FROM people WHERE age > 17", 3),
        ("SELECT region, COUNT(DISTINCT note) AS users FROM people WHERE age > 17 GROUP BY region", 2),
    ] {
        let sql = sql.replace("note", "Note");
        let prepared = prepare(&policy, std::slice::from_ref(&sql), &[])
            .unwrap_or_else(|refusal| panic!("{refusal}"))
            .remove(0);
        let proven =
            release::prove(prepared.clone(), None).unwrap_or_else(|refusal| panic!("{sql}\n{refusal}"));
        let neighbours = format!("at most {rows} rows of people are added or removed");
        assert!(proven.theorem().contains(&neighbours), "{}", proven.theorem());
        let mut worst = Rational::ZERO;
        for _ in 0..200 {
            let user = |name: &str, dice: &mut Dice| {
                (0..dice.roll(25))
                    .map(|_| {
                        let mut row = dice.row();
                        row[6] = name.into();
                        row
                    })
                    .collect::<Vec<_>>()
            };
            let others = [user("u", &mut dice), user("", &mut dice)].concat();
            let own = user("v", &mut dice);
            // The rows of the new user stand anywhere between the others.
            let mut all = others.clone();
            own.into_iter().for_each(|row| all.insert(dice.roll(all.len() + 1), row));
            let lost =
                loss(&prepared, &sums(&table(others), &prepared.plan), &sums(&table(all), &prepared.plan));
            assert!(lost <= prepared.stake.amount, "{sql}: {lost}");
            worst = worst.max(lost);
        }
        // With the bound removed it is seen.
        let mut unbounded = prepared.clone();
        unbounded.plan.table.unit =
            policy::Unit::User { column: "Note".into(), groups: 99, rows_per_group: 99 };
        let rows = (0..60)
            .map(|_| ["north", "120", "100000", "1", "true", "2000-01-01", "v"].map(String::from).to_vec());
        let (none, many) = (table(vec![]), table(rows.collect()));
        let lost =
            |prepared: &Prepared| loss(prepared, &sums(&none, &prepared.plan), &sums(&many, &prepared.plan));
        // A user with many rows in one of two groups reaches half of the claim.
        worst = worst.max(lost(&prepared));
        assert!(
            worst * Rational::from(3) > prepared.stake.amount,
            "{sql}: the noise is far more than it must be"
        );
        assert!(
            lost(&prepared) <= prepared.stake.amount && lost(&unbounded) > prepared.stake.amount,
            "{sql}"
        );
    }
    // The user's column may be written with its table, and another table's is not it.
    let users = |sql: &str| prepare(&policy, &[sql.to_owned()], &[]).map(|mut all| all.remove(0).text);
    let plain = users("SELECT COUNT(DISTINCT Note) FROM people").unwrap();
    assert_eq!(users("SELECT COUNT(DISTINCT people.Note) FROM people"), Ok(plain.clone()));
    assert_eq!(users("SELECT COUNT(DISTINCT p.note) FROM people p"), Ok(plain));
    assert!(users("SELECT COUNT(DISTINCT q.Note) FROM people p").is_err());
    for mixed in
        ["SELECT COUNT(*), COUNT(DISTINCT Note) FROM people", "SELECT COUNT(DISTINCT age) FROM people"]
    {
        assert!(prepare(&policy, &[mixed.to_owned()], &[]).is_err(), "{mixed}");
    }
    // The rows that FILTER leaves out might be the ones that are counted for their user.
    let filtered = "SELECT COUNT(DISTINCT Note) FILTER (WHERE age > 3) FROM people";
    let refused = prepare(&policy, &[filtered.to_owned()], &[]).unwrap_err();
    assert!(refused.message.contains("without FILTER"), "{refused}");
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("pipeline-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn as_csv(rows: &Rows, newline: &str) -> String {
    let quoted = |cell: &String| match cell.contains([',', '"', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    let line = |row: &Vec<String>| row.iter().map(quoted).collect::<Vec<_>>().join(",") + newline;
    line(&rows.header) + &rows.rows.iter().map(line).collect::<String>()
}

#[test]
fn files_give_the_sums_of_rows() {
    let place = folder("csv");
    let mut dice = Dice(4);
    let rows = table((0..30_000).map(|_| dice.row()).collect());
    let users = policy::read("policy", &POLICY.replace("unit = \"row\"", USERS)).unwrap();
    let mut plans: Vec<Plan> = ANSWERED.iter().map(|sql| prepared(sql).plan).collect();
    let by_user = "SELECT region, COUNT(*), SUM(age) FROM people GROUP BY region".to_owned();
    plans.push(prepare(&users, &[by_user], &[]).unwrap().remove(0).plan);
    let text = as_csv(&rows, "\n");
    fs::write(place.join("plain.csv"), &text).unwrap();
    let quoted = |row: &Vec<String>| {
        let cells: Vec<String> =
            row.iter().map(|cell| format!("\"{}\"", cell.replace('"', "\"\""))).collect();
        cells.join(",") + "\n"
    };
    let lines: String = std::iter::once(&rows.header).chain(&rows.rows).map(quoted).collect();
    fs::write(place.join("quoted.csv"), lines).unwrap();
    fs::write(place.join("windows.csv"), format!("\u{feff}{}", as_csv(&rows, "\r\n"))).unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    fs::write(place.join("packed.csv.gz"), packed.finish().unwrap()).unwrap();
    // In three files with one header.
    for (number, part) in rows.rows.chunks(11_000).enumerate() {
        fs::write(place.join(format!("part-{number}.csv")), as_csv(&table(part.to_vec()), "\n")).unwrap();
    }
    for plan in &plans {
        let truth = sums(&rows, plan);
        for name in ["plain.csv", "quoted.csv", "windows.csv", "packed.csv.gz", "part-*.csv"] {
            assert_eq!(sums(&Csv::new(&place.join(name)).unwrap(), plan), truth, "{name}: {}", plan.sql);
        }
    }
}

#[test]
fn tables_that_are_none_or_ragged() {
    let place = folder("ragged");
    let plan = prepared("SELECT COUNT(*), SUM(income) FROM people").plan;
    let count = prepared("SELECT COUNT(*) FROM people").plan;
    let given = |text: &[u8]| {
        fs::write(place.join("t.csv"), text).unwrap();
        let engine = Csv::new(&place.join("t.csv")).unwrap();
        engine.check(&plan)?;
        engine.sums(&plan, &|_, _| {}).map(|exact| exact.sums)
    };
    // An income that is missing counts as 10, by the policy.
    assert_eq!(given(b"region,income\nnorth,5\nnorth\nnorth,6,7,8\n\n,\n").unwrap(), [4, 3100]);
    assert_eq!(given(b"income").unwrap(), [0, 0]);
    assert_eq!(given(b"\n\nincome\n1").unwrap(), [1, 100]);
    assert_eq!(given(b"income\r1\r2\r").unwrap(), [2, 300]);
    assert_eq!(given(b"income\n\xff\xfe\n\"3\n").unwrap(), [2, 1300]);
    for (text, message) in [
        (&b""[..], "no header"),
        (b"\n\n", "no header"),
        (b"region,age\n1,2\n", "has no column named `income`"),
        (b"income,region,income\n1,2,3\n", "two columns `income`"),
        (b"\xff\xfei\0", "UTF-16"),
    ] {
        let refused = given(text).unwrap_err();
        assert!(refused.message.contains(message), "{refused}");
    }
    // A file without a header begins with a row, of which no refusal says anything, however like a name it is.
    let refused = given(b"secret,incomes,4711\nnorth,1,2\n").unwrap_err().to_string();
    let quoted = ["secret", "incomes", "4711"].iter().any(|cell| refused.contains(cell));
    assert!(refused.contains("no column named `income`") && !quoted, "{refused}");
    // A record that never ends is dropped, wherever it stands, and fills no memory.
    let long = format!("income\n1\n\"{}\"\n2\n", "9,\n".repeat(3_000_000));
    assert_eq!(given(long.as_bytes()).unwrap(), [2, 300]);
    assert_eq!(given(format!("income\n1\n\"{}", "9".repeat(9_000_000)).as_bytes()).unwrap(), [1, 100]);
    assert!(Csv::new(&place.join("none-*.csv")).is_err());
    assert!(Csv::new(&place).unwrap().check(&count).is_err());
    assert!(Csv::new(&place.join("missing.csv")).unwrap().check(&count).is_err());
}
