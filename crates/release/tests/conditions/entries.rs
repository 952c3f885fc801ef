//! Entries of a ledger that somebody has written who knows how hashes are made: each must follow from the one before.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use probity_exact::rational;
use probity_release::engine::Engine;
use probity_release::ledger::{Debit, Entry, Kind, Ledger};
use probity_release::loss::{Loss, Measure};
use probity_release::policy::Policy;
use probity_release::prepare::prepare;
use probity_release::refusal;
use probity_release::release::{self, Asking};

use crate::common::{POLICY, policy};
use crate::table;

const PATIENCE: Duration = Duration::from_millis(300);

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("conditions-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn debit(key: &str) -> Debit {
    Debit {
        key: key.into(),
        loss: Loss::of_pure(Measure::Epsilon, &rational(1, 4).unwrap()),
        query: "SELECT".into(),
        answer: "[]".into(),
        certificate: "proof".into(),
    }
}

/// A ledger of so many entries, and its file.
fn ledger(name: &str, entries: i64) -> PathBuf {
    let path = folder(name).join("l");
    let policy = generous();
    let mut ledger = Ledger::init(&path, &policy, None, false, PATIENCE).unwrap();
    let debits: Vec<Debit> = (2..=entries).map(|number| debit(&number.to_string())).collect();
    ledger.debit(&debits, &policy, false).unwrap();
    path
}

fn generous() -> Policy {
    probity_release::policy::read("p", &POLICY.replace("epsilon = \"2\"", "epsilon = \"1000\"")).unwrap()
}

/// Writes an entry over the one of its number, with a hash that fits.
fn overwrite(path: &Path, number: i64, change: impl Fn(&mut Entry)) {
    let known = Ledger::open(path, None, PATIENCE).unwrap().history(1000).unwrap();
    let mut entry = known.into_iter().find(|entry| entry.number == number).unwrap();
    change(&mut entry);
    entry.seal();
    let raw = rusqlite::Connection::open(path).unwrap();
    raw.execute(
        "UPDATE entry SET number = ?1, kind = ?2, measure = ?3, loss = ?4, spent = ?5, pinned = ?6, answer = ?7, previous = ?8, hash = ?9 \
         WHERE number = ?10",
        rusqlite::params![
            entry.number,
            entry.kind.name(),
            entry.loss.measure.name(),
            entry.loss.to_text(),
            entry.spent.to_text(),
            entry.pinned,
            entry.answer,
            entry.previous,
            entry.hash,
            number
        ],
    )
    .unwrap();
}

type Change = fn(&mut Entry);

/// The last entry, rewritten by someone who makes its hash fit: what it says must still follow from the others.
#[test]
fn an_entry_that_does_not_follow_is_noticed_though_its_hash_fits() {
    let changes: [(&str, Change); 8] = [
        ("another number", |entry| entry.number += 1),
        ("a second beginning", |entry| entry.kind = Kind::Init),
        ("another entry before it", |entry| entry.previous = "00".into()),
        ("another measure", |entry| {
            entry.loss.measure = Measure::Rho;
            entry.spent.measure = Measure::Rho;
        }),
        ("less spent", |entry| entry.spent = Loss::zero(Measure::Epsilon)),
        ("a smaller loss", |entry| entry.loss = Loss::zero(Measure::Epsilon)),
        ("another policy in force", |entry| entry.pinned = 2),
        ("an amendment that pins another", |entry| entry.kind = Kind::Amend),
    ];
    for (what, change) in changes {
        let path = ledger("follows", 4);
        overwrite(&path, 4, change);
        let refused = Ledger::open(&path, None, PATIENCE).unwrap_err();
        assert!(refused.message.contains("does not follow"), "{what}: {refused}");
    }
    let first: [(&str, Change); 5] = [
        ("a beginning that is no beginning", |entry| entry.kind = Kind::Amend),
        ("something before the first", |entry| entry.previous = "00".into()),
        ("spent before it began", |entry| entry.spent = debit("").loss),
        ("another policy in force", |entry| entry.pinned = 2),
        ("another number", |entry| entry.number = 0),
    ];
    for (what, change) in first {
        // Alone, so that nothing behind it tells.
        let path = folder("first").join("l");
        Ledger::init(&path, &generous(), None, false, PATIENCE).unwrap();
        overwrite(&path, 1, change);
        assert!(Ledger::open(&path, None, PATIENCE).is_err(), "{what}");
    }
}

/// Before the last checkpoint opening does not look, but verifying does; and the checkpoint itself is held against its entry.
#[test]
fn checkpoints_are_held_against_their_entries() {
    let path = ledger("checkpoints", 70);
    assert_eq!(Ledger::open(&path, None, PATIENCE).unwrap().verify().unwrap(), 70);
    let raw = rusqlite::Connection::open(&path).unwrap();
    let kept: String =
        raw.query_row("SELECT digest FROM checkpoint WHERE number = 64", [], |row| row.get(0)).unwrap();
    raw.execute("UPDATE checkpoint SET digest = '00'", []).unwrap();
    assert!(Ledger::open(&path, None, PATIENCE).unwrap_err().message.contains("entry 64"));
    raw.execute("UPDATE checkpoint SET digest = ?1", [&kept]).unwrap();
    let mut opened = Ledger::open(&path, None, PATIENCE).unwrap();
    // What this process knew as the last entry is not that any more: nothing is debited behind it.
    overwrite(&path, 70, |entry| entry.answer = "[[1]]".into());
    assert!(opened.debit(&[debit("more")], &generous(), false).is_err());
    // A checkpoint that is missing is noticed by verifying.
    let path = ledger("checkpoint-gone", 130);
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute("DELETE FROM checkpoint WHERE number = 64", [])
        .unwrap();
    let opened = Ledger::open(&path, None, PATIENCE).unwrap();
    assert!(opened.verify().unwrap_err().message.contains("entry 64"));
    // The policy in force stands before the checkpoint, and is read whole.
    let path = ledger("pin", 70);
    let raw = rusqlite::Connection::open(&path).unwrap();
    raw.execute("UPDATE entry SET answer = replace(answer, '1000', '9000') WHERE number = 1", []).unwrap();
    assert!(Ledger::open(&path, None, PATIENCE).unwrap_err().message.contains("entry 1 "));
}

/// A file of another program or of another version of this one.
#[test]
fn a_file_of_another_kind_or_version_is_no_ledger() {
    for (pragma, said) in [("application_id", "no ledger"), ("user_version", "version")] {
        let path = ledger("kinds", 3);
        rusqlite::Connection::open(&path).unwrap().pragma_update(None, pragma, 77).unwrap();
        let refused = Ledger::open(&path, None, PATIENCE).unwrap_err();
        assert!(refused.message.contains(said), "{refused}");
    }
}

/// The budget is asked before a row is read, and again where it is spent: who lost a race gets nothing.
#[test]
fn the_budget_is_asked_before_the_rows_and_again_with_the_debit() {
    let path = folder("twice").join("l");
    let policy =
        probity_release::policy::read("p", &POLICY.replace("epsilon = \"2\"", "epsilon = \"1/2\"")).unwrap();
    let mut ledger = Ledger::init(&path, &policy, None, false, PATIENCE).unwrap();
    let table = table(&["age"], &[&["1"]]);
    let ask = |ledger: &mut Ledger, sql: &str, meanwhile: &dyn Fn()| {
        let queries = prepare(&policy, &[sql.to_owned()], &[]).unwrap();
        let proven = vec![release::prove(queries[0].clone(), None).unwrap()];
        let asking = Asking { policy: &policy, version: "", again: false, progress: &|_, _| {} };
        release::release(&proven, ledger, &asking, |_| {
            meanwhile();
            Ok(&table as &dyn Engine)
        })
    };
    let other = || {
        // Another process spends all that there is, after this one has asked.
        let mut other = Ledger::open(&path, None, PATIENCE).unwrap();
        let all = Debit { loss: policy.total.clone(), ..debit("other") };
        let _ = other.debit(&[all], &policy, false);
    };
    let refused = ask(&mut ledger, "SELECT COUNT(*) FROM people", &other).unwrap_err();
    assert_eq!(refused.kind, refusal::Kind::Budget);
    assert_eq!(ledger.state().spent, policy.total);
    // Nothing is left: the rows are not even asked for.
    let refused =
        ask(&mut ledger, "SELECT SUM(age) FROM people", &|| panic!("a row would be read")).unwrap_err();
    assert_eq!(refused.kind, refusal::Kind::Budget);
}

/// What is said to be left has the answer in it that is shown, also where another process has paid for it meanwhile.
#[test]
fn what_is_left_counts_an_answer_that_another_process_paid() {
    let path = folder("left").join("l");
    let policy = policy();
    let mut mine = Ledger::init(&path, &policy, None, false, PATIENCE).unwrap();
    let mut other = Ledger::open(&path, None, PATIENCE).unwrap();
    let table = table(&["age"], &[&["1"]]);
    let ask = |ledger: &mut Ledger| {
        let queries = prepare(&policy, &["SELECT COUNT(*) FROM people".to_owned()], &[]).unwrap();
        let proven = vec![release::prove(queries[0].clone(), None).unwrap()];
        let asking = Asking { policy: &policy, version: "", again: false, progress: &|_, _| {} };
        release::release(&proven, ledger, &asking, |_| Ok(&table as &dyn Engine)).unwrap().remove(0)
    };
    assert!(!ask(&mut other).stored);
    assert!(ask(&mut mine).stored);
    assert_eq!(mine.state().remaining(), other.state().remaining());
    assert_eq!(mine.state().spent.amount, rational(1, 2).unwrap());
}

/// Of two processes that ask the same at once one pays, and the other says so.
#[test]
fn who_comes_second_is_shown_what_the_first_has_paid() {
    let path = folder("second").join("l");
    let policy = policy();
    let mut mine = Ledger::init(&path, &policy, None, false, PATIENCE).unwrap();
    let table = table(&["age"], &[&["1"]]);
    let queries = prepare(&policy, &["SELECT COUNT(*) FROM people".to_owned()], &[]).unwrap();
    let proven = vec![release::prove(queries[0].clone(), None).unwrap()];
    let asking = Asking { policy: &policy, version: "", again: false, progress: &|_, _| {} };
    let first = |ledger: &mut Ledger| {
        release::release(&proven, ledger, &asking, |_| Ok(&table as &dyn Engine)).unwrap().remove(0)
    };
    let second = release::release(&proven, &mut mine, &asking, |_| {
        // After this process has looked for a stored answer and before it debits its own.
        first(&mut Ledger::open(&path, None, PATIENCE).unwrap());
        Ok(&table as &dyn Engine)
    });
    let second = second.unwrap().remove(0);
    let stored = first(&mut Ledger::open(&path, None, PATIENCE).unwrap());
    assert_eq!((second.stored, second.entry, &second.noisy), (true, 2, &stored.noisy));
    assert_eq!(mine.state().spent.amount, rational(1, 2).unwrap());
}

/// What stands before the last checkpoint is not read when a ledger is opened, but where it decides something, and by verifying.
#[test]
fn what_is_read_again_must_be_whole() {
    // The policy under which something was spent before the one in force: an amendment asks for its unit.
    let path = folder("amended").join("l");
    let richer = |epsilon: &str| {
        let text = POLICY.replace("epsilon = \"2\"", &format!("epsilon = \"{epsilon}\""));
        probity_release::policy::read("p", &text).unwrap()
    };
    let (first, second, third) = (richer("1000"), richer("2000"), richer("3000"));
    let mut amended = Ledger::init(&path, &first, None, false, PATIENCE).unwrap();
    amended.debit(&[debit("before")], &first, false).unwrap();
    amended.amend(&second, "").unwrap();
    let debits: Vec<Debit> = (0..100).map(|number| debit(&number.to_string())).collect();
    amended.debit(&debits, &second, false).unwrap();
    drop(amended);
    let raw = rusqlite::Connection::open(&path).unwrap();
    raw.execute("UPDATE entry SET answer = replace(answer, '1000', '1001') WHERE number = 1", []).unwrap();
    let refused = Ledger::open(&path, None, PATIENCE).unwrap().amend(&third, "").unwrap_err();
    assert!(refused.message.contains("entry 1 "), "{refused}");
    raw.execute("UPDATE entry SET answer = replace(answer, '1001', '1000') WHERE number = 1", []).unwrap();
    Ledger::open(&path, None, PATIENCE).unwrap().amend(&third, "").unwrap();

    // An amendment that pins nothing, written by someone who makes its hash fit while another process has the ledger open.
    let opened = Ledger::open(&path, None, PATIENCE).unwrap();
    let last = opened.state().number;
    assert_eq!(opened.verify().unwrap(), last);
    overwrite(&path, last, |entry| entry.answer = "nothing".into());
    assert!(opened.verify().unwrap_err().message.contains(&format!("entry {last} ")));

    // An index that is gone: every entry is in order, and the file is not.
    let path = ledger("index", 5);
    let raw = rusqlite::Connection::open(&path).unwrap();
    raw.execute_batch("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'entry_by_key'")
        .unwrap();
    drop(raw);
    let refused = Ledger::open(&path, None, PATIENCE).unwrap().verify().unwrap_err();
    assert!(refused.message.contains("damaged"), "{refused}");
}

/// Several debits of one transaction add up, and each entry follows from the one before.
#[test]
fn debits_of_one_transaction_add_up() {
    let path = ledger("several", 9);
    let opened = Ledger::open(&path, None, PATIENCE).unwrap();
    assert_eq!(opened.state().spent.amount, rational(2, 1).unwrap());
    assert_eq!(opened.verify().unwrap(), 9);
}

/// A ledger is never read as an anchor's, nor an anchor written over what is none.
#[test]
fn an_anchor_only_moves_forward() {
    let place = folder("forward");
    let (path, anchor) = (place.join("l"), place.join("anchor"));
    let policy = policy();
    let mut first = Ledger::init(&path, &policy, Some(&anchor), false, PATIENCE).unwrap();
    let mut second = Ledger::open(&path, Some(&anchor), PATIENCE).unwrap();
    first.debit(&[debit("a")], &policy, false).unwrap();
    let newest = fs::read_to_string(&anchor).unwrap();
    assert!(newest.contains("counter 2"), "{newest}");
    // A refused debit, by a process that has seen less, moves it nowhere.
    let much = Debit { loss: policy.total.clone(), ..debit("b") };
    assert!(second.debit(&[much], &policy, false).is_err());
    assert_eq!(fs::read_to_string(&anchor).unwrap(), newest);
    // An anchor of another ledger, though its number is one that this one has.
    fs::write(&anchor, newest.replace("hash ", "hash 0")).unwrap();
    assert!(Ledger::open(&path, Some(&anchor), PATIENCE).unwrap_err().message.contains("older copy"));
    fs::write(&anchor, newest.replace("probity-anchor 1", "probity-anchor 2")).unwrap();
    assert!(Ledger::open(&path, Some(&anchor), PATIENCE).unwrap_err().message.contains("no anchor"));
}
