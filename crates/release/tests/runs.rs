//! Runs of a text and their price: reserved before anything private is looked at, settled afterwards.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use probity_exact::{Rational, rational};
use probity_kernel::term::Mechanism;
use probity_release::ledger::{Debit, Ledger, Runs, accounted};
use probity_release::loss::{Loss, Measure};
use probity_release::policy::{self, Policy};
use probity_release::refusal::Refusal;

const PATIENCE: Duration = Duration::from_millis(300);

/// A budget of 2, of which an error about inputs costs an eighth.
fn policy() -> Policy {
    let text = "[budget]\nepsilon = \"2\"\nper_query = { epsilon = \"1/4\" }\n[table.t]\nunit = \"row\"\n\
                [table.t.columns]\nx = { type = \"int\", between = [0, 9] }\n";
    policy::read("policy", text).unwrap()
}

/// A fresh ledger.
fn fresh(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("runs-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("l");
    Ledger::init(&path, &policy(), None, false, PATIENCE).unwrap();
    path
}

fn debit(key: &str, epsilon: Rational) -> Debit {
    let loss = Loss::of_pure(Measure::Epsilon, &epsilon);
    Debit { key: key.into(), loss, query: key.into(), answer: "1".into(), certificate: "proof".into() }
}

fn quarter() -> Rational {
    rational(1, 4).unwrap()
}

fn open(path: &Path) -> Result<Ledger, Refusal> {
    Ledger::open(path, None, PATIENCE)
}

/// A text with one input, of which it assumes something or nothing.
fn of_one_input(assumption: &str) -> Mechanism {
    let text = format!("mechanism m(x: real)\n{assumption}y ~ sign()\nreturn y\nneighbours any\nclaim 0\n");
    probity_lang::load_text(&text).unwrap().mechanism
}

fn runs(mechanism: &Mechanism, epsilon: Rational) -> Runs<'_> {
    let loss = Loss::of_pure(Measure::Epsilon, &epsilon);
    Runs { mechanism, loss, count: 1, what: "run m".into(), certificate: String::new(), may_run_out: false }
}

/// Before anything private is looked at, what an error costs is on the disk; afterwards what is too much comes back. Of a text that assumes
/// something an answer tells as much as an error does.
#[test]
fn what_an_error_costs_is_reserved_before_inputs_are_looked_at() {
    let path = fresh("reserved");
    let mut ledger = open(&path).unwrap();
    let spent = || open(&path).unwrap().state().spent.amount.clone();
    let (plain, assuming) = (of_one_input(""), of_one_input("where x <= 1\n"));
    let category = "mechanism m(x: category(3))\ny ~ sign()\nreturn y\nneighbours any\nclaim 0\n";
    let category = probity_lang::load_text(category).unwrap().mechanism;
    let (eighth, hundredth) = (rational(1, 8).unwrap(), rational(1, 100).unwrap());
    let mut expected = Rational::ZERO;
    for (mechanism, cost, is_admitted, price) in [
        (&plain, &hundredth, true, &hundredth),
        (&plain, &hundredth, false, &eighth),
        (&assuming, &hundredth, true, &eighth),
        (&assuming, &Rational::ZERO, true, &eighth),
        (&category, &Rational::ZERO, true, &eighth),
        (&assuming, &hundredth, false, &eighth),
        (&plain, &quarter(), true, &quarter()),
        (&plain, &Rational::ZERO, true, &Rational::ZERO),
    ] {
        let reserve = if *cost < eighth { &eighth } else { cost };
        let admit = || {
            assert_eq!(spent(), &expected + reserve);
            if is_admitted { Ok(()) } else { Err(()) }
        };
        let admitted = ledger.pay_for_runs(&runs(mechanism, cost.clone()), admit).unwrap();
        assert_eq!(admitted.is_ok(), is_admitted);
        expected += price;
        assert_eq!(spent(), expected);
    }
    assert_eq!(ledger.verify().unwrap(), 1 + 2 * 8);
    // The accountant counts what was paid, and not what was reserved.
    let total = accounted::epsilon_at(
        &ledger.history(usize::MAX).unwrap(),
        &Rational::ZERO,
        &probity_account::Effort::default(),
    );
    assert_eq!(total.unwrap().bracket.upper.map(|upper| upper.to_string()), Some(expected.to_string()));
}

/// Whoever is stopped while inputs are looked at has paid for an error: the reserve is a transaction of its own.
#[test]
fn what_is_reserved_stays_debited_when_nothing_settles_it() {
    let path = fresh("stopped");
    let plain = of_one_input("");
    let stopped = std::panic::catch_unwind(|| {
        let mut ledger = open(&path).unwrap();
        ledger.pay_for_runs(&runs(&plain, Rational::ZERO), || -> Result<(), ()> { panic!("killed") })
    });
    assert!(stopped.is_err());
    let mut ledger = open(&path).unwrap();
    assert_eq!(ledger.state().spent.amount, rational(1, 8).unwrap());
    // A file that cannot grow while inputs are looked at: nothing is told, and the reserve stays.
    let before = ledger.state().number;
    let read_only = || {
        rusqlite::Connection::open(&path)
            .unwrap()
            .execute_batch("CREATE TRIGGER full BEFORE INSERT ON entry BEGIN SELECT RAISE(FAIL, 'full'); END")
            .unwrap();
        Ok::<_, ()>(())
    };
    let refused = ledger.pay_for_runs(&runs(&plain, Rational::ZERO), read_only).unwrap_err();
    assert!(refused.hint.as_ref().unwrap().contains("stays debited"), "{refused}");
    // What stood for the full disk is refused itself.
    assert!(open(&path).is_err());
    rusqlite::Connection::open(&path).unwrap().execute_batch("DROP TRIGGER full").unwrap();
    let ledger = open(&path).unwrap();
    assert_eq!((ledger.state().number, &ledger.state().spent.amount), (before + 1, &quarter()));
    assert_eq!(ledger.verify().unwrap(), before + 1);
}

/// The entries of an admitted and of a refused input take as many bytes, column by column.
#[test]
fn both_outcomes_take_as_many_bytes() {
    let lengths = |is_admitted: bool| {
        let path = fresh(if is_admitted { "admitted" } else { "refused" });
        let mut ledger = open(&path).unwrap();
        let plain = of_one_input("");
        for cost in [rational(1, 1_000_003).unwrap(), rational(3, 7).unwrap(), Rational::ZERO] {
            let _ = ledger
                .pay_for_runs(&runs(&plain, cost), || if is_admitted { Ok(()) } else { Err(()) })
                .unwrap();
        }
        drop(ledger);
        let raw = rusqlite::Connection::open(&path).unwrap();
        let columns = "length(loss), length(query), length(answer), length(certificate), length(time)";
        let mut statement = raw
            .prepare(&format!("SELECT {columns} FROM entry WHERE kind = 'settle' ORDER BY number"))
            .unwrap();
        let rows = statement.query_map([], |row| {
            Ok([row.get::<_, i64>(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?])
        });
        let first: i64 =
            raw.query_row("SELECT length(spent) FROM entry WHERE number = 3", [], |row| row.get(0)).unwrap();
        (rows.unwrap().collect::<Result<Vec<_>, _>>().unwrap(), first)
    };
    assert_eq!(lengths(true), lengths(false));
}

/// Entries that say to settle what they do not, though their hashes fit: a ledger is not opened with them, or not verified.
#[test]
fn a_settlement_gives_back_what_was_reserved_and_once() {
    let path = fresh("settled");
    let mut ledger = open(&path).unwrap();
    ledger.debit(&[debit("a", quarter())], &policy(), false).unwrap();
    let plain = of_one_input("");
    ledger.pay_for_runs(&runs(&plain, rational(1, 100).unwrap()), || Ok::<_, ()>(())).unwrap().unwrap();
    assert_eq!(ledger.verify().unwrap(), 4);
    let whole = fs::read(&path).unwrap();
    let entries = ledger.history(usize::MAX).unwrap();
    drop(ledger);
    let last = entries.last().unwrap();
    let back = |of: &str, amount: Rational| {
        let mut entry = last.clone();
        entry.number = 5;
        entry.previous.clone_from(&last.hash);
        entry.answer = of.into();
        entry.loss.amount = amount.clone();
        entry.spent.amount = &last.spent.amount - amount;
        entry.seal();
        fs::write(&path, &whole).unwrap();
        let raw = rusqlite::Connection::open(&path).unwrap();
        let loss = [&entry.loss, &entry.spent].map(Loss::to_text);
        raw.execute(
            "INSERT INTO entry VALUES (5, 'settle', ?1, '', 'epsilon', ?2, ?3, 1, ?4, ?5, '', ?6, ?7)",
            rusqlite::params![
                entry.time,
                loss[0],
                loss[1],
                entry.query,
                entry.answer,
                entry.previous,
                entry.hash
            ],
        )
        .unwrap();
    };
    // An entry that is not there, a stored answer, more than was reserved, itself, a settlement.
    let of_others = [
        ("9", Rational::ZERO),
        ("2", rational(1, 9).unwrap()),
        ("3", rational(1, 7).unwrap()),
        ("5", Rational::ZERO),
        ("4", rational(1, 20).unwrap()),
    ];
    for (of, amount) in of_others {
        back(of, amount);
        assert!(open(&path).is_err(), "{of}");
    }
    // Once more.
    back("3", rational(1, 20).unwrap());
    assert!(open(&path).unwrap().verify().unwrap_err().message.contains("entry 5"));
}

/// A ledger without settlements, as earlier versions wrote it, is opened, and is of the version that has them with the first.
#[test]
fn an_older_ledger_opens() {
    let path = fresh("older");
    open(&path).unwrap().debit(&[debit("a", quarter())], &policy(), false).unwrap();
    let version = || -> i64 {
        let raw = rusqlite::Connection::open(&path).unwrap();
        raw.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
    };
    rusqlite::Connection::open(&path).unwrap().execute_batch("PRAGMA user_version = 1").unwrap();
    let mut ledger = open(&path).unwrap();
    ledger.debit(&[debit("b", quarter())], &policy(), false).unwrap();
    assert_eq!(version(), 1);
    ledger.pay_for_runs(&runs(&of_one_input(""), quarter()), || Ok::<_, ()>(())).unwrap().unwrap();
    assert_eq!((version(), ledger.verify().unwrap()), (2, 5));
    assert_eq!(open(&path).unwrap().state().spent.amount, rational(3, 4).unwrap());
}

/// What was spent under a policy is not hidden by as much that was given back under it.
#[test]
fn what_is_given_back_does_not_hide_what_was_spent() {
    let (path, rows) = (fresh("hidden"), policy());
    let of = |text: &str| policy::read("policy", text).unwrap();
    // First there was another table.
    let other = of(&rows.text.replace("table.t", "table.w"));
    fs::remove_file(&path).unwrap();
    Ledger::init(&path, &other, None, false, PATIENCE).unwrap();
    // Reserved under one policy, given back under another, under which as much is spent.
    let between = || {
        let mut ledger = open(&path).unwrap();
        ledger.amend(&rows, "the table t").unwrap();
        ledger.debit(&[debit("a", rational(1, 8).unwrap())], &rows, false).unwrap();
        Ok::<_, ()>(())
    };
    let mut ledger = open(&path).unwrap();
    ledger.pay_for_runs(&runs(&of_one_input(""), Rational::ZERO), between).unwrap().unwrap();
    let entries = ledger.history(usize::MAX).unwrap();
    assert_eq!(entries[2].spent, entries[4].spent);
    let users = rows.text.replace("\"row\"", "{ user = \"u\", groups = 1, rows_per_group = 1 }");
    let users = of(&format!("{users}u = {{ type = \"text\" }}\n"));
    let refused = open(&path).unwrap().amend(&users, "users").unwrap_err();
    assert!(refused.message.contains("under another unit"), "{refused}");
}

/// In a ledger of ρ a release that was proved in ε is accounted as that, which its ρ = ε²/2 forgets; if its certificate is about this cost.
#[test]
fn what_was_proved_in_epsilon_is_accounted_in_epsilon() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runs-accounted");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let text = "[budget]\nrho = 4\nper_query = { rho = 1 }\n[table.t]\nunit = \"row\"\n[table.t.columns]\nx = { type = \"bool\" }\n";
    let policy = policy::read("policy", text).unwrap();
    let certificate =
        |loss: &str| format!("probity-release 1\nbudget rho 1/2\n{loss}\nmechanism \"m\"\nproof\np\n");
    let upper = |losses: &[&str]| {
        let path = folder.join("l");
        let _ = fs::remove_file(&path);
        let mut ledger = Ledger::init(&path, &policy, None, false, PATIENCE).unwrap();
        for (key, loss) in losses.iter().enumerate() {
            let cost = Loss::of_pure(Measure::Rho, &Rational::ONE);
            let debit =
                Debit { loss: cost, certificate: certificate(loss), ..debit(&key.to_string(), quarter()) };
            ledger.debit(&[debit], &policy, false).unwrap();
        }
        let entries = ledger.history(usize::MAX).unwrap();
        let delta = rational(1, 1_000_000).unwrap();
        accounted::epsilon_at(&entries, &delta, &probity_account::Effort::default())
            .unwrap()
            .bracket
            .upper
            .unwrap()
    };
    let (one, two, five) = (Rational::ONE, Rational::from(2), Rational::from(5));
    assert!(upper(&["epsilon 1"]) <= one && upper(&["epsilon 1", "epsilon 1"]) <= two);
    let concentrated = upper(&["rho 1/2"]);
    assert!(concentrated > five, "{concentrated}");
    // A certificate of another cost, or of none, says nothing of this entry.
    assert_eq!([upper(&["epsilon 1/2"]), upper(&["delta 0"])], [concentrated.clone(), concentrated.clone()]);
    assert!(upper(&["epsilon 1", "rho 1/2"]) > concentrated);
}

/// The anchor follows runs as it follows releases: a copy from before them is noticed.
#[test]
fn an_anchor_follows_runs() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runs-anchor");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let (path, copy, anchor) = (folder.join("l"), folder.join("copy"), folder.join("elsewhere"));
    let mut ledger = Ledger::init(&path, &policy(), Some(&anchor), false, PATIENCE).unwrap();
    fs::copy(&path, &copy).unwrap();
    ledger.pay_for_runs(&runs(&of_one_input(""), quarter()), || Ok::<_, ()>(())).unwrap().unwrap();
    drop(ledger);
    assert!(Ledger::open(&path, Some(&anchor), PATIENCE).is_ok());
    fs::rename(&copy, &path).unwrap();
    let refused = Ledger::open(&path, Some(&anchor), PATIENCE).unwrap_err();
    assert!(refused.message.contains("older copy"), "{refused}");
}
