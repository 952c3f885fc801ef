//! What a query may ask for, and what becomes of its answer.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use probity_exact::{Integer, rational};
use probity_release::certificate;
use probity_release::engine::Engine;
use probity_release::engine::rows::Rows;
use probity_release::ledger::{Debit, Ledger, Runs};
use probity_release::loss::{Loss, Measure};
use probity_release::policy::Policy;
use probity_release::prepare::prepare;
use probity_release::proof::Stake;
use probity_release::refusal::{Answer, Kind};
use probity_release::release::{self, Asking, Released};

use crate::common::{POLICY, policy, prepared_by};
use crate::table;
use crate::{in_rho, read};

const PATIENCE: Duration = Duration::from_millis(300);

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("asking-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn with_delta() -> Policy {
    let query = "{ epsilon = \"1/2\", delta = \"1/1000000\" }";
    read(
        &POLICY
            .replace("epsilon = \"2\"", "epsilon = \"2\"\ndelta = \"1/1000\"")
            .replace("{ epsilon = \"1/2\" }", query),
    )
}

fn people() -> Rows {
    table(&["region", "age"], &[&["north", "1"] as &[&str]; 5])
}

/// Queries of one call, answered from five rows.
fn ask(ledger: &mut Ledger, policy: &Policy, queries: &[&str]) -> Answer<Vec<Released>> {
    let queries: Vec<String> = queries.iter().map(|query| (*query).to_owned()).collect();
    let proven: Vec<_> = prepare(policy, &queries, &[])?
        .into_iter()
        .map(|one| release::prove(one, None))
        .collect::<Answer<_>>()?;
    let asking = Asking { policy, version: "", again: false, progress: &|_, _| {} };
    let table = people();
    release::release(&proven, ledger, &asking, |_| Ok(&table as &dyn Engine))
}

/// A clause may ask for less than the policy says, never for more, in any measure.
#[test]
fn a_clause_never_asks_for_more_than_the_policy() {
    let users =
        POLICY.replace("unit = \"row\"", "unit = { user = \"Note\", groups = 2, rows_per_group = 3 }");
    let asked = |policy: &Policy, options: &str| {
        let sql = format!("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({options}) COUNT(*) FROM people");
        prepare(policy, &[sql], &[]).map(|all| all[0].cost.to_string()).map_err(|refusal| refusal.kind)
    };
    assert_eq!(asked(&policy(), "epsilon = 0.5").as_deref(), Ok("epsilon 1/2"));
    assert_eq!(asked(&policy(), "epsilon = 0.500000001"), Err(Kind::Budget));
    assert_eq!(asked(&policy(), "epsilon = 0"), Err(Kind::Input));
    assert_eq!(asked(&in_rho(), "rho = 0.5").as_deref(), Ok("rho 1/2"));
    assert_eq!(asked(&in_rho(), "rho = 0.500000001"), Err(Kind::Budget));
    // ε²/2 ≤ 1/2 for an ε of 1, and for no larger one.
    assert_eq!(asked(&in_rho(), "epsilon = 1").as_deref(), Ok("rho 1/2"));
    assert_eq!(asked(&in_rho(), "epsilon = 1.000000001"), Err(Kind::Budget));
    let third = read(&in_rho().text.replace("{ rho = \"1/2\" }", "{ rho = \"1/8\" }"));
    assert_eq!(asked(&third, "epsilon = 0.6"), Err(Kind::Budget));
    assert_eq!(asked(&with_delta(), "epsilon = 0.5, delta = 1e-6").as_deref(), Ok("epsilon 1/2, delta 0"));
    assert_eq!(asked(&with_delta(), "epsilon = 0.5, delta = 1e-5"), Err(Kind::Budget));
    assert!(asked(&read(&users), "privacy_unit_column = Note").is_ok());
    assert_eq!(asked(&read(&users), "privacy_unit_column = region"), Err(Kind::Input));
    assert_eq!(asked(&policy(), "privacy_unit_column = region"), Err(Kind::Input));
}

/// Scales of 1,000 and more: that all of twelve noisy numbers are the true ones has a probability below 10^-30.
#[test]
fn noise_is_on_every_number() {
    for (name, policy) in [
        ("laplace", read(&POLICY.replace("{ epsilon = \"1/2\" }", "{ epsilon = \"1/1000\" }"))),
        ("gaussian", read(&in_rho().text.replace("{ rho = \"1/2\" }", "{ rho = \"1/10000000\" }"))),
    ] {
        let mut ledger = Ledger::init(&folder(name).join("l"), &policy, None, false, PATIENCE).unwrap();
        let sql =
            "SELECT region, COUNT(*), SUM(age), SUM(2 * age), COUNTIF(age > 3) FROM people GROUP BY region";
        let released = ask(&mut ledger, &policy, &[sql]).unwrap().remove(0);
        let exact = people().sums(&released.prepared.plan, &|_, _| {}).unwrap().sums;
        let noisy: Vec<Integer> = released.noisy.concat();
        assert_eq!(noisy.len(), exact.len());
        let same =
            noisy.iter().zip(&exact).filter(|(noisy, exact)| **noisy == Integer::from(**exact)).count();
        assert!(same < 6, "{name}: {same} of {} numbers have no noise", exact.len());
    }
}

#[test]
fn the_same_question_twice_in_a_call_is_paid_once() {
    let policy = policy();
    let mut ledger = Ledger::init(&folder("twice").join("l"), &policy, None, false, PATIENCE).unwrap();
    let twice = ["SELECT COUNT(*) FROM people", "SELECT  count(*) FROM people"];
    let answers = ask(&mut ledger, &policy, &twice).unwrap();
    assert_eq!(answers[0].noisy, answers[1].noisy);
    assert_eq!((ledger.state().number, ledger.state().spent.amount.to_string()), (2, "1/2".to_owned()));
    assert_eq!((answers[0].stored, answers[1].stored), (false, true));
}

/// Another policy than the pinned one is refused before a row is read.
#[test]
fn a_policy_that_is_not_pinned_answers_nothing() {
    let (pinned, other) = (policy(), read(&POLICY.replace("120", "121")));
    let mut ledger = Ledger::init(&folder("pinned").join("l"), &pinned, None, false, PATIENCE).unwrap();
    let query = prepare(&other, &["SELECT COUNT(*) FROM people".to_owned()], &[]).unwrap().remove(0);
    let proven = [release::prove(query, None).unwrap()];
    let asking = Asking { policy: &other, version: "", again: false, progress: &|_, _| {} };
    let refused =
        release::release(&proven, &mut ledger, &asking, |_| panic!("a table is asked for")).unwrap_err();
    assert!(refused.message.contains("not the policy"), "{refused}");
}

/// What is stored under the key of a query and has another shape is not shown as its answer.
#[test]
fn a_stored_answer_of_another_shape_is_not_shown() {
    let policy = policy();
    let sql = "SELECT region, COUNT(*) FROM people GROUP BY region";
    let prepared = prepared_by(&policy, sql);
    for (name, answer) in [
        ("groups", "[[\"1\"],[\"2\"]]"),
        ("cells", "[[\"1\",\"1\"],[\"2\",\"2\"],[\"3\",\"3\"]]"),
        ("text", "[["),
    ] {
        let mut ledger = Ledger::init(&folder(name).join("l"), &policy, None, false, PATIENCE).unwrap();
        let debit = Debit {
            key: prepared.key(""),
            loss: prepared.cost.clone(),
            query: sql.into(),
            answer: answer.into(),
            certificate: String::new(),
        };
        ledger.debit(&[debit], &policy, false).unwrap();
        let refused = ask(&mut ledger, &policy, &[sql]).unwrap_err();
        assert!(refused.message.contains("cannot be read"), "{answer}: {refused}");
    }
}

/// Each part of a loss is within the budget, and in its measure, also where there is much left of it.
#[test]
fn every_part_of_a_debit_is_within_the_budget() {
    let policy = with_delta();
    let mut ledger = Ledger::init(&folder("parts").join("l"), &policy, None, false, PATIENCE).unwrap();
    let loss = |measure, epsilon: (i32, i32), delta: (i32, i32)| Loss {
        measure,
        amount: rational(epsilon.0, epsilon.1).unwrap(),
        delta: rational(delta.0, delta.1).unwrap(),
    };
    let mut debit = |loss: Loss| {
        let text = String::new;
        let debit = Debit { key: loss.to_string(), loss, query: text(), answer: text(), certificate: text() };
        ledger.debit(&[debit], &policy, true).map(|_| ()).map_err(|refusal| refusal.kind)
    };
    let measure = Measure::EpsilonDelta;
    assert_eq!(debit(loss(measure, (1, 4), (1, 100))), Err(Kind::Budget));
    assert_eq!(debit(loss(measure, (3, 1), (0, 1))), Err(Kind::Budget));
    assert_eq!(debit(loss(Measure::Rho, (1, 4), (0, 1))), Err(Kind::Budget));
    assert_eq!(debit(loss(measure, (1, 4), (1, 1000))), Ok(()));
    assert_eq!(debit(loss(measure, (1, 4), (1, 1_000_000_000))), Err(Kind::Budget));
}

/// What a stake costs: nothing in a measure that has no place for it.
#[test]
fn a_stake_has_its_place_in_a_measure_or_none() {
    let half = rational(1, 2).unwrap();
    let cost = |stake: &Stake, measure| stake.cost(measure).map(|loss| loss.to_string());
    let (pure, rho) = (Stake::without_delta(false, half.clone()), Stake::without_delta(true, half.clone()));
    let delta = Stake { concentrated: false, amount: half.clone(), delta: half };
    let all = [Measure::Epsilon, Measure::EpsilonDelta, Measure::Rho];
    let said = |stake: &Stake| all.map(|measure| cost(stake, measure).unwrap_or_default());
    assert_eq!(said(&pure), ["epsilon 1/2", "epsilon 1/2, delta 0", "rho 1/8"]);
    assert_eq!(said(&rho), ["", "", "rho 1/2"]);
    assert_eq!(said(&delta), ["", "epsilon 1/2, delta 1/2", ""]);
    // What is debited is what is said to be the cost, also where it is rounded up.
    let tiny = Stake::without_delta(true, rational(1, Integer::ONE << 300).unwrap());
    let loss = tiny.cost(Measure::Rho).unwrap();
    assert_eq!(Loss::zero(Measure::Rho).plus(&loss), loss);
}

/// A theorem about rows hides no user, however many rows it hides.
#[test]
fn a_run_about_rows_is_not_debited_where_users_are_hidden() {
    let users =
        POLICY.replace("unit = \"row\"", "unit = { user = \"Note\", groups = 2, rows_per_group = 3 }");
    let mut ledger = Ledger::init(&folder("users").join("l"), &read(&users), None, false, PATIENCE).unwrap();
    let text = "mechanism m(people: rows(age: int))\ny ~ discrete_laplace(count(r in people), 1)\nreturn y\n\
                neighbours one row of people is added or removed\nclaim 1\n";
    let mechanism = probity_lang::load_text(text).unwrap().mechanism;
    let loss = Loss::of_pure(Measure::Epsilon, &rational(1, 2).unwrap());
    let (what, certificate) = ("m".to_owned(), String::new());
    let runs = Runs { mechanism: &mechanism, loss, count: 1, what, certificate, may_run_out: false };
    let refused = ledger.pay_for_runs(&runs, || Ok::<_, ()>(())).map(drop).unwrap_err();
    assert!(refused.message.contains("the theorem is about rows"), "{refused}");
    assert_eq!(ledger.state().spent.amount.to_string(), "0");
}

/// A run of a text counts against a ledger only if its theorem is about a table of the policy.
#[test]
fn a_run_is_debited_for_tables_of_the_policy_only() {
    let policy = policy();
    let mut ledger = Ledger::init(&folder("runs").join("l"), &policy, None, false, PATIENCE).unwrap();
    let mut debit = |table: &str, column: &str| {
        let text = format!(
            "mechanism m({table}: rows({column}: int))\ny ~ discrete_laplace(count(r in {table}), 1)\nreturn y\n\
             neighbours one row of {table} is added or removed\nclaim 1\n"
        );
        let mechanism = probity_lang::load_text(&text).unwrap().mechanism;
        let loss = Loss::of_pure(Measure::Epsilon, &rational(1, 2).unwrap());
        let (what, certificate) = ("m".into(), String::new());
        let runs = Runs { mechanism: &mechanism, loss, count: 1, what, certificate, may_run_out: false };
        ledger.pay_for_runs(&runs, || Ok::<_, ()>(())).map(drop)
    };
    debit("people", "age").unwrap();
    assert!(debit("others", "age").unwrap_err().message.contains("no table others"));
    assert!(debit("people", "height").unwrap_err().message.contains("no column of people"));
    assert_eq!(ledger.state().spent.amount.to_string(), "1/2");
}

/// The mechanism of another query, with a true proof of its own.
#[test]
fn a_certificate_has_the_mechanism_of_its_query() {
    let policy = policy();
    let proven = |sql: &str| release::prove(prepared_by(&policy, sql), None).unwrap();
    let of = |condition: &str| format!("SELECT COUNT(*) FROM people WHERE {condition}");
    let (mine, other) = (proven(&of("age > 30")), proven(&of("age > 40")));
    let write = |one: &release::Proven| certificate::write(one.prepared(), &policy, "", one.certificate());
    let (mine, other) = (write(&mine), write(&other));
    assert!(certificate::check(&mine, Some(&policy)).is_ok());
    let query = |text: &str| text.lines().find(|line| line.starts_with("query ")).unwrap().to_owned();
    let forged = other.replace(&query(&other), &query(&mine));
    assert!(certificate::check(&forged, None).is_ok());
    assert!(
        certificate::check(&forged, Some(&policy)).unwrap_err().message.contains("not that of its query")
    );
    // ε = 1/2 is ρ = 1/8, but not in this ledger's measure; and 1/1000 it is in none.
    let priced = |budget: &str| mine.replacen("\nbudget epsilon 1/2\n", &format!("\nbudget {budget}\n"), 1);
    assert!(certificate::check(&priced("rho 1/8"), Some(&policy)).is_err());
    assert!(certificate::check(&priced("epsilon 1/1000"), None).is_err());
}

/// Parameters that the text leaves open: a value that it does not admit, or that is not the query's.
#[test]
fn a_certificate_states_the_parameters_that_were_drawn_with() {
    let policy = in_rho();
    let proven = release::prove(prepared_by(&policy, "SELECT COUNT(*), SUM(age) FROM people"), None).unwrap();
    let whole = certificate::write(proven.prepared(), &policy, "", proven.certificate());
    let line = whole.lines().find(|line| line.starts_with("parameter s=")).unwrap();
    let with = |value: &str| whole.replacen(line, &format!("parameter s={value}"), 1);
    assert!(certificate::check(&whole, Some(&policy)).is_ok());
    // More noise: the theorem holds, but it is not what the query is answered with.
    assert!(certificate::check(&with("7"), None).is_ok());
    assert!(certificate::check(&with("7"), Some(&policy)).is_err());
    // Less than the theorem speaks of.
    assert!(certificate::check(&with("1/10"), None).is_err());
}
