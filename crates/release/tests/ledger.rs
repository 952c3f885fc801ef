//! The ledger: nothing without a debit, no debit beyond the budget, and no accident unnoticed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use probity_exact::{Rational, rational};
use probity_release::ledger::{Debit, Kind, Ledger, Runs};
use probity_release::loss::{Loss, Measure};
use probity_release::policy::{self, Policy};
use probity_release::refusal;

const PATIENCE: Duration = Duration::from_millis(300);

fn policy(epsilon: &str) -> Policy {
    let text = format!(
        "[budget]\nepsilon = \"{epsilon}\"\nper_query = {{ epsilon = \"1/4\" }}\n[table.t]\nunit = \"row\"\n\
         [table.t.columns]\nx = {{ type = \"int\", between = [0, 9] }}\n"
    );
    policy::read("policy", &text).unwrap()
}

/// A fresh folder.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("ledger-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn debit(key: &str, epsilon: Rational) -> Debit {
    Debit {
        key: key.into(),
        loss: Loss::of_pure(Measure::Epsilon, &epsilon),
        query: format!("SELECT {key}"),
        answer: format!("[[\"{key}\"]]"),
        certificate: "proof".into(),
    }
}

fn quarter() -> Rational {
    rational(1, 4).unwrap()
}

fn open(path: &Path) -> Result<Ledger, refusal::Refusal> {
    Ledger::open(path, None, PATIENCE)
}

#[test]
fn a_budget_is_spent_to_the_last_bit_and_not_further() {
    let path = folder("spend").join("l");
    let policy = policy("1");
    let mut ledger = Ledger::init(&path, &policy, None, false, PATIENCE).unwrap();
    for key in ["a", "b", "c"] {
        ledger.debit(&[debit(key, quarter())], &policy, false).unwrap();
    }
    // A little more than what is left is refused, and nothing is written.
    let more = quarter() + rational(1, 1_000_000_000).unwrap();
    let refused = ledger.debit(&[debit("d", more)], &policy, false).unwrap_err();
    assert_eq!(refused.kind, refusal::Kind::Budget);
    assert_eq!(ledger.state().number, 4);
    // Two at once go together or not at all.
    let both = [debit("d", quarter()), debit("e", quarter())];
    assert_eq!(ledger.debit(&both, &policy, false).unwrap_err().kind, refusal::Kind::Budget);
    assert_eq!(open(&path).unwrap().state().number, 4);
    ledger.debit(&[debit("d", quarter())], &policy, false).unwrap();
    assert_eq!(ledger.state().remaining(), Loss::zero(Measure::Epsilon));
    let least = debit("e", rational(1, 1_000_000_000).unwrap());
    assert_eq!(ledger.debit(&[least], &policy, false).unwrap_err().kind, refusal::Kind::Budget);
    // Another measure does not fit.
    let rho = Debit { loss: Loss::of_pure(Measure::Rho, &quarter()), ..debit("f", quarter()) };
    assert!(ledger.debit(&[rho], &policy, false).is_err());
    assert_eq!(open(&path).unwrap().verify().unwrap(), 5);
}

#[test]
fn a_stored_answer_is_served_and_costs_nothing() {
    let path = folder("stored").join("l");
    let policy = policy("1");
    let mut ledger = Ledger::init(&path, &policy, None, false, PATIENCE).unwrap();
    let first = ledger.debit(&[debit("a", quarter())], &policy, false).unwrap();
    // Two processes with the same question: the second gets the first one's answer.
    let mut other = open(&path).unwrap();
    let mine = Debit { answer: "[[\"other\"]]".into(), ..debit("a", quarter()) };
    assert!(first.paid);
    let again = other.debit(std::slice::from_ref(&mine), &policy, false).unwrap();
    assert_eq!((again.entries, again.paid), (first.entries.clone(), false));
    // An answer that is the same by chance is no payment either.
    assert!(!other.debit(&[debit("a", quarter())], &policy, false).unwrap().paid);
    assert_eq!(other.state().number, 2);
    assert_eq!(other.stored("a").unwrap().unwrap().answer, "[[\"a\"]]");
    // Asked for again, it is drawn and paid again.
    assert_eq!(other.debit(&[mine], &policy, true).unwrap().entries[0].answer, "[[\"other\"]]");
    ledger.refresh().unwrap();
    assert_eq!(ledger.state().spent.amount, rational(1, 2).unwrap());
}

#[test]
fn a_certificate_is_kept_with_the_next_debit() {
    let path = folder("kept").join("l");
    let policy = policy("1/2");
    let mut ledger = Ledger::init(&path, &policy, None, false, PATIENCE).unwrap();
    ledger.keep_certificate("m", "proof");
    assert_eq!(ledger.kept_certificate("m"), None);
    // A debit that is refused keeps nothing.
    assert!(ledger.debit(&[debit("a", rational(2, 1).unwrap())], &policy, false).is_err());
    assert_eq!(open(&path).unwrap().kept_certificate("m"), None);
    ledger.debit(&[debit("a", quarter())], &policy, false).unwrap();
    assert_eq!(open(&path).unwrap().kept_certificate("m").as_deref(), Some("proof"));
}

#[test]
fn the_policy_is_pinned_and_the_owner_may_amend_it() {
    let path = folder("amend").join("l");
    let (small, large) = (policy("1/4"), policy("1"));
    assert!(open(&path).unwrap_err().message.contains("there is no ledger"));
    let mut ledger = Ledger::init(&path, &small, None, false, PATIENCE).unwrap();
    assert!(Ledger::init(&path, &small, None, false, PATIENCE).unwrap_err().message.contains("already"));
    assert!(Ledger::init(&path, &small, None, true, PATIENCE).is_ok());
    assert!(
        Ledger::init(&path, &large, None, true, PATIENCE).unwrap_err().message.contains("not the policy")
    );
    ledger.debit(&[debit("a", quarter())], &small, false).unwrap();
    assert!(
        ledger.debit(&[debit("b", quarter())], &large, false).unwrap_err().message.contains("not the policy")
    );
    let mut late = open(&path).unwrap();
    ledger.amend(&large, "more for 2027").unwrap();
    assert_eq!(ledger.state().remaining().amount, rational(3, 4).unwrap());
    // Who opened it before is told, and nothing is debited.
    assert!(late.debit(&[debit("b", quarter())], &small, false).is_err());
    ledger.debit(&[debit("b", quarter())], &large, false).unwrap();
    let kinds: Vec<Kind> = ledger.history(9).unwrap().iter().map(|entry| entry.kind).collect();
    assert_eq!(kinds, [Kind::Init, Kind::Release, Kind::Amend, Kind::Release]);
    assert_eq!(open(&path).unwrap().verify().unwrap(), 4);
    let rho = policy::read("p", &large.text.replace("epsilon", "rho")).unwrap();
    assert!(ledger.amend(&rho, "").unwrap_err().message.contains("counts in"));
}

/// What was spent for one unit says nothing, or less, of another: neither at once nor by way of a policy without the table.
#[test]
fn what_was_spent_for_one_unit_is_not_counted_for_another() {
    let place = folder("units");
    let rows = policy("1");
    let unit = |unit: &str| policy::read("p", &rows.text.replace("\"row\"", unit)).unwrap();
    let users = unit("{ user = \"u\", groups = 1, rows_per_group = 2 }");
    let others = unit("{ user = \"v\", groups = 1, rows_per_group = 2 }");
    let narrower = unit("{ user = \"u\", groups = 3, rows_per_group = 1 }");
    let without = policy::read("p", &rows.text.replace("table.t", "table.v")).unwrap();
    let all = [("rows", &rows), ("users", &users), ("others", &others)];
    for (name, before) in all {
        let mut ledger = Ledger::init(&place.join(name), before, None, false, PATIENCE).unwrap();
        // Nothing was spent yet: any unit will do.
        for (_, after) in all {
            ledger.amend(after, "").unwrap();
        }
        ledger.amend(before, "").unwrap();
        ledger.debit(&[debit("a", quarter())], before, false).unwrap();
        for by_way_of in [before, &without] {
            ledger.amend(by_way_of, "").unwrap();
            for (other, after) in all {
                match other == name {
                    true => ledger.amend(after, "").unwrap(),
                    false => {
                        let refused = ledger.amend(after, "").unwrap_err();
                        assert!(refused.message.contains("another unit"), "{name} {other}: {refused}");
                    }
                }
            }
            ledger.amend(by_way_of, "").unwrap();
        }
        assert_eq!(ledger.state().spent.amount, quarter());
    }
    // A user stays a user with other bounds.
    open(&place.join("users")).unwrap().amend(&narrower, "").unwrap();
}

/// Another process has amended the policy, and spent under it, since this one opened the ledger.
#[test]
fn an_amendment_is_held_against_what_others_have_spent_meanwhile() {
    let path = folder("units-meanwhile").join("l");
    let rows = policy("1");
    let users = "{ user = \"u\", groups = 1, rows_per_group = 2 }";
    let users = policy::read("p", &rows.text.replace("\"row\"", users)).unwrap();
    let mut late = Ledger::init(&path, &users, None, false, PATIENCE).unwrap();
    let mut other = open(&path).unwrap();
    other.amend(&rows, "").unwrap();
    other.debit(&[debit("a", quarter())], &rows, false).unwrap();
    assert!(late.amend(&users, "").unwrap_err().message.contains("another unit"));
}

/// The owner amends the policy while a debit waits for the ledger: what was drawn under the old one is not released.
#[test]
fn a_policy_amended_while_a_debit_waits_is_noticed() {
    let place = folder("amended-meanwhile");
    let (path, copy) = (place.join("l"), place.join("copy"));
    let (small, large) = (policy("1/4"), policy("1"));
    let mut ledger = Ledger::init(&path, &small, None, false, Duration::from_secs(60)).unwrap();
    fs::copy(&path, &copy).unwrap();
    open(&copy).unwrap().amend(&large, "more").unwrap();
    // The entry of the copy comes into the ledger between what the debit reads first and its own turn.
    let holder = rusqlite::Connection::open(&path).unwrap();
    holder.execute("ATTACH ?1 AS copy", [copy.to_str().unwrap()]).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| ledger.debit(&[debit("a", quarter())], &small, false));
        std::thread::sleep(Duration::from_millis(500));
        holder
            .execute_batch(
                "INSERT INTO main.entry SELECT * FROM copy.entry WHERE number NOT IN (SELECT number FROM main.entry); COMMIT",
            )
            .unwrap();
        waiting.join().unwrap().unwrap_err()
    });
    assert!(refused.message.contains("amended meanwhile"), "{refused}");
    assert_eq!(open(&path).unwrap().state().spent.amount, Rational::ZERO);
}

#[test]
fn an_anchor_replaces_no_other_file() {
    let folder = folder("anchor-place");
    let (path, table) = (folder.join("l"), folder.join("t.csv"));
    fs::write(&table, "x\n1\n").unwrap();
    for anchor in [&table, &path] {
        assert!(Ledger::init(&path, &policy("1"), Some(anchor), false, PATIENCE).is_err());
    }
    assert_eq!((fs::read_to_string(&table).unwrap().as_str(), path.exists()), ("x\n1\n", false));
    assert!(Ledger::init(&path, &policy("1"), Some(&folder.join("a")), false, PATIENCE).is_ok());
}

/// What a ledger says: how many entries, what is left, and of each entry what was spent and answered.
type Told = (i64, String, Vec<(String, String)>);

/// What a ledger says, if it says anything.
fn told(path: &Path) -> Option<Told> {
    let ledger = open(path).ok()?;
    ledger.verify().ok()?;
    let entries = ledger.history(1000).ok()?;
    let answers = entries.iter().map(|entry| (entry.spent.to_string(), entry.answer.clone())).collect();
    Some((ledger.state().number, ledger.state().remaining().to_string(), answers))
}

#[test]
fn a_flipped_bit_or_a_missing_end_never_changes_what_is_told() {
    let place = folder("flips");
    let path = place.join("l");
    let policy = policy("100");
    let mut ledger = Ledger::init(&path, &policy, None, false, PATIENCE).unwrap();
    for number in 0..70 {
        ledger.debit(&[debit(&format!("k{number}"), quarter())], &policy, false).unwrap();
    }
    drop(ledger);
    let truth = told(&path).unwrap();
    let whole = fs::read(&path).unwrap();
    let broken = place.join("broken");
    let mut noticed = 0;
    // Every 97th byte, a different bit each time.
    for (number, at) in (0..whole.len()).step_by(97).enumerate() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (number % 8);
        fs::write(&broken, bytes).unwrap();
        match told(&broken) {
            None => noticed += 1,
            // Bytes that hold nothing may change.
            Some(said) => assert_eq!(said, truth, "byte {at}"),
        }
    }
    assert!(noticed > 100, "only {noticed} flips were noticed");
    for length in [0, 1, 100, 4095, 4096, whole.len() / 2, whole.len() - 4096, whole.len() - 1] {
        fs::write(&broken, &whole[..length]).unwrap();
        assert_eq!(told(&broken), None, "{length} bytes");
    }
    // A text of an entry that was changed with its length kept, so that SQLite sees nothing.
    let at = whole.windows(10).position(|window| window == b"SELECT k33").unwrap();
    let mut bytes = whole;
    bytes[at + 9] = b'4';
    fs::write(&broken, bytes).unwrap();
    assert!(
        open(&broken)
            .unwrap_or_else(|refusal| panic!("{refusal}"))
            .verify()
            .unwrap_err()
            .message
            .contains("changed")
    );
}

/// An anchor remembers a ledger: no new one is made beside it as if nothing had been spent.
#[test]
fn a_new_ledger_does_not_take_the_anchor_of_another() {
    let place = folder("anchor-kept");
    let (path, anchor) = (place.join("l"), place.join("anchor"));
    let policy = policy("1");
    let mut ledger = Ledger::init(&path, &policy, Some(&anchor), true, PATIENCE).unwrap();
    ledger.debit(&[debit("a", quarter())], &policy, false).unwrap();
    drop(ledger);
    assert!(Ledger::init(&path, &policy, Some(&anchor), true, PATIENCE).is_ok());
    let seen = fs::read(&anchor).unwrap();
    for lost in [false, true] {
        match lost {
            true => fs::remove_file(&path).unwrap(),
            false => fs::write(&path, "").unwrap(),
        }
        let error = Ledger::init(&path, &policy, Some(&anchor), true, PATIENCE).unwrap_err();
        let said = if lost { "has seen a ledger" } else { "is there, and empty" };
        assert!(error.message.contains(said), "{}", error.message);
    }
    assert!(Ledger::init(&place.join("other"), &policy, Some(&anchor), false, PATIENCE).is_err());
    assert_eq!(fs::read(&anchor).unwrap(), seen);
}

/// Ledgers that were made of one policy in one second are two, and each has an anchor of its own.
#[test]
fn the_anchor_of_a_twin_is_refused() {
    let place = folder("anchor-twin");
    let made = |name: &str| {
        let (path, anchor) = (place.join(name), place.join(format!("{name}.anchor")));
        Ledger::init(&path, &policy("1"), Some(&anchor), false, PATIENCE).unwrap();
        (path, anchor)
    };
    // A second ends between two of them at most.
    let three = ["a", "b", "c"].map(made);
    for (n, (path, anchor)) in three.iter().enumerate() {
        assert!(Ledger::open(path, Some(anchor), PATIENCE).is_ok());
        assert!(Ledger::open(path, Some(&three[(n + 1) % 3].1), PATIENCE).is_err(), "{n}");
    }
}

/// A link that leads nowhere may have led to a ledger: no other one is made in its place.
#[cfg(unix)]
#[test]
fn a_link_to_nothing_makes_no_ledger() {
    let place = folder("link");
    let (link, nowhere) = (place.join("link"), place.join("nowhere"));
    std::os::unix::fs::symlink(&nowhere, &link).unwrap();
    let error = Ledger::init(&link, &policy("1"), None, true, PATIENCE).unwrap_err();
    assert!(error.to_string().contains("a link to a file that is not there"), "{error}");
    assert!(!nowhere.exists());
}

/// Whoever comes second finds ledger and anchor, or neither.
#[test]
fn many_may_start_an_anchored_ledger_at_once() {
    let place = folder("anchor-started");
    // How long one waits for the others is up to the machine.
    let patient = Duration::from_secs(60);
    for round in 0..10 {
        let (path, anchor) = (place.join(format!("l{round}")), place.join(format!("anchor{round}")));
        std::thread::scope(|scope| {
            let start = || Ledger::init(&path, &policy("1"), Some(&anchor), true, patient).map(drop);
            let running: Vec<_> = (0..8).map(|_| scope.spawn(start)).collect();
            for one in running {
                one.join().unwrap().unwrap();
            }
        });
    }
}

/// A trigger inside the file could leave out entries that were written, and answers would be free.
#[test]
fn what_runs_inside_the_file_is_refused() {
    let planted = [
        "CREATE TRIGGER t BEFORE INSERT ON entry BEGIN SELECT RAISE(IGNORE); END",
        "CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM entry WHERE number = NEW.number; END",
        "CREATE VIEW v AS SELECT * FROM entry",
    ];
    for (number, planted) in planted.into_iter().enumerate() {
        let path = folder(&format!("planted-{number}")).join("l");
        Ledger::init(&path, &policy("1"), None, false, PATIENCE).unwrap();
        assert!(open(&path).is_ok());
        rusqlite::Connection::open(&path).unwrap().execute_batch(planted).unwrap();
        let refused = open(&path).unwrap_err();
        assert!(refused.message.contains("which no ledger has"), "{refused}");
    }
}

#[test]
fn an_anchor_of_a_ledger_without_one_is_refused() {
    let place = folder("anchor-none");
    let (path, anchor) = (place.join("l"), place.join("anchor"));
    Ledger::init(&path, &policy("1"), None, false, PATIENCE).unwrap();
    let refused = Ledger::open(&path, Some(&anchor), PATIENCE).unwrap_err();
    assert!(refused.message.contains("without an anchor"), "{refused}");
}

#[test]
fn an_older_copy_is_noticed_with_an_anchor() {
    let place = folder("anchor");
    let (path, copy, anchor) = (place.join("l"), place.join("copy"), place.join("anchor"));
    let policy = policy("1");
    let mut ledger = Ledger::init(&path, &policy, Some(&anchor), false, PATIENCE).unwrap();
    ledger.debit(&[debit("a", quarter())], &policy, false).unwrap();
    fs::copy(&path, &copy).unwrap();
    ledger.debit(&[debit("b", quarter())], &policy, false).unwrap();
    drop(ledger);
    assert!(Ledger::open(&path, Some(&anchor), PATIENCE).is_ok());
    assert!(open(&path).unwrap_err().message.contains("kept with an anchor"));
    fs::copy(&copy, &path).unwrap();
    assert!(Ledger::open(&path, Some(&anchor), PATIENCE).unwrap_err().message.contains("older copy"));
    // A copy that went another way is no better, however long it gets.
    fs::write(place.join("other"), fs::read(&anchor).unwrap()).unwrap();
    let stale = "probity-anchor 1\ncounter 2\nhash 00\n";
    fs::write(place.join("stale"), stale).unwrap();
    assert!(Ledger::open(&path, Some(&place.join("stale")), PATIENCE).is_err());
    fs::write(place.join("stale"), "no anchor").unwrap();
    assert!(
        Ledger::open(&path, Some(&place.join("stale")), PATIENCE).unwrap_err().message.contains("no anchor")
    );
    assert!(Ledger::open(&path, Some(&place.join("missing")), PATIENCE).is_err());
}

/// What an anchor's link leads to is what remembers: a copy of the ledger is noticed by the file itself, and the link stays one.
#[cfg(unix)]
#[test]
fn an_anchor_may_be_a_link() {
    let place = folder("anchor-link");
    let (path, anchor, link) = (place.join("l"), place.join("anchor"), place.join("link"));
    let policy = policy("1");
    let nowhere = place.join("nowhere");
    std::os::unix::fs::symlink(&anchor, &link).unwrap();
    std::os::unix::fs::symlink(place.join("no file"), &nowhere).unwrap();
    let refused = Ledger::init(&path, &policy, Some(&nowhere), false, PATIENCE).unwrap_err();
    assert!(refused.message.contains("leads nowhere") && !path.exists(), "{refused}");
    drop(Ledger::init(&path, &policy, Some(&anchor), false, PATIENCE).unwrap());
    let before = fs::read(&anchor).unwrap();
    let mut ledger = Ledger::open(&path, Some(&link), PATIENCE).unwrap();
    ledger.debit(&[debit("a", quarter())], &policy, false).unwrap();
    drop(ledger);
    assert!(link.is_symlink() && fs::read(&anchor).unwrap() != before);
    assert!(Ledger::open(&path, Some(&anchor), PATIENCE).is_ok());
}

#[test]
fn files_that_cannot_be_used() {
    let place = folder("files");
    let policy = policy("1");
    fs::write(place.join("text"), "this is no ledger, but it is long enough to be a file of some kind")
        .unwrap();
    assert!(open(&place.join("text")).unwrap_err().message.contains("no ledger"));
    fs::write(place.join("empty"), "").unwrap();
    assert!(open(&place.join("empty")).unwrap_err().message.contains("no ledger"));
    // Neither is it made one: it may be a ledger that was cut off, and what was spent would be forgotten.
    for or_open in [false, true] {
        let refused = Ledger::init(&place.join("empty"), &policy, None, or_open, PATIENCE).unwrap_err();
        assert!(refused.message.contains("empty"), "{refused}");
        assert_eq!(fs::metadata(place.join("empty")).unwrap().len(), 0);
    }
    // What could not be made leaves nothing behind that would stand in the way.
    fs::write(place.join("taken"), "somebody's").unwrap();
    assert!(Ledger::init(&place.join("new"), &policy, Some(&place.join("taken")), true, PATIENCE).is_err());
    assert!(!place.join("new").exists());
    assert!(open(&place).is_err());
    assert!(Ledger::init(&place.join("no/such/folder"), &policy, None, false, PATIENCE).is_err());
    // A database of somebody else.
    let other = rusqlite::Connection::open(place.join("other")).unwrap();
    other.execute_batch("CREATE TABLE a (b)").unwrap();
    drop(other);
    assert!(open(&place.join("other")).unwrap_err().message.contains("no ledger"));
    // A ledger that another process keeps.
    let path = place.join("l");
    let mut ledger = Ledger::init(&path, &policy, None, false, PATIENCE).unwrap();
    let mut holder = rusqlite::Connection::open(&path).unwrap();
    let held = holder.transaction_with_behavior(rusqlite::TransactionBehavior::Exclusive).unwrap();
    let refused = ledger.debit(&[debit("a", quarter())], &policy, false).unwrap_err();
    assert!(refused.message.contains("locked"), "{refused}");
    drop(held);
    ledger.debit(&[debit("a", quarter())], &policy, false).unwrap();
}

#[test]
fn entries_do_not_slow_it_down() {
    // Opening reads what came after the last checkpoint, however long the ledger is: work, not time, is compared.
    let path = folder("long").join("l");
    let policy = policy("1000000");
    let mut ledger = Ledger::init(&path, &policy, None, false, PATIENCE).unwrap();
    let many: Vec<Debit> = (0..3000).map(|n| debit(&n.to_string(), quarter())).collect();
    ledger.debit(&many, &policy, false).unwrap();
    // Entry 100 is changed behind the ledger's back: opening does not look there, verifying does.
    let raw = rusqlite::Connection::open(&path).unwrap();
    raw.execute("UPDATE entry SET answer = 'other' WHERE number = 100", []).unwrap();
    let opened = open(&path).unwrap();
    assert_eq!(opened.state().number, 3001);
    assert!(opened.verify().unwrap_err().message.contains("entry 100"));
    // A changed answer is not served either.
    assert!(opened.stored("98").unwrap_err().message.contains("entry 100"));
    raw.execute("UPDATE entry SET answer = 'other' WHERE number = 2990", []).unwrap();
    assert!(open(&path).unwrap_err().message.contains("entry 2990"));
}

/// Whoever learns of an error about inputs has paid for it, also where many ask at once: inputs are looked at after what an error costs is debited.
/// A check without a debit would let all of them look, and one of them pay.
#[test]
fn errors_about_inputs_are_paid_one_by_one() {
    let path = folder("errors").join("l");
    Ledger::init(&path, &policy("2"), None, false, PATIENCE).unwrap();
    let of = |text: &str| probity_lang::load_text(text).unwrap().mechanism;
    let with_input =
        of("mechanism m(x: real)\nwhere x <= 1\ny ~ sign()\nreturn y\nneighbours any\nclaim 0\n");
    let with_table = of(
        "mechanism m(t: rows(x: int))\ny ~ discrete_laplace(count(r in t), 1)\nreturn y\nneighbours one row of t is added or removed\nclaim 1\n",
    );
    let runs = |mechanism, epsilon| Runs {
        mechanism,
        loss: Loss::of_pure(Measure::Epsilon, &epsilon),
        count: 1,
        what: "run m".into(),
        certificate: String::new(),
        may_run_out: false,
    };
    // 13/16 are spent: three errors are left.
    let spent = rational(13, 8).unwrap();
    let mut ledger = open(&path).unwrap();
    ledger.pay_for_runs(&runs(&with_table, spent.clone()), || Ok::<_, ()>(())).unwrap().unwrap();
    let (looked, start) = (AtomicUsize::new(0), Barrier::new(12));
    let ask = || {
        let mut ledger = Ledger::open(&path, None, Duration::from_secs(20)).unwrap();
        start.wait();
        ledger.pay_for_runs(&runs(&with_input, Rational::ZERO), || {
            looked.fetch_add(1, Ordering::SeqCst);
            // Time for the others to come past a check that is made outside.
            thread::sleep(Duration::from_millis(30));
            Err::<(), _>("the input is above 1")
        })
    };
    let told: Vec<_> = thread::scope(|scope| {
        let askers: Vec<_> = (0..12).map(|_| scope.spawn(ask)).collect();
        askers.into_iter().map(|asker| asker.join().unwrap()).collect()
    });
    let errors = told.iter().filter(|answer| matches!(answer, Ok(Err(_)))).count();
    assert_eq!((looked.into_inner(), errors), (3, 3));
    for refused in told.iter().filter_map(|answer| answer.as_ref().err()) {
        assert_eq!(refused.kind, refusal::Kind::Budget);
        assert!(refused.hint.as_ref().unwrap().contains("a sixteenth of the budget"), "{refused}");
    }
    let mut ledger = open(&path).unwrap();
    assert_eq!(ledger.state().spent.amount, Rational::from(2));
    // Each is reserved and settled.
    assert_eq!(ledger.verify().unwrap(), 1 + 2 + 2 * 3);
    // What a process shows that is stopped while it reads rows is covered by no theorem either, so a table needs such room too; a text that looks
    // at nothing needs none. And nothing runs for nothing.
    let without = of("mechanism m()\ny ~ sign()\nreturn y\nneighbours any\nclaim 0\n");
    ledger.pay_for_runs(&runs(&without, Rational::ZERO), || Ok::<_, ()>(())).unwrap().unwrap();
    let unread = || -> Result<(), ()> { panic!("looked at inputs") };
    let refused = ledger.pay_for_runs(&runs(&with_table, Rational::ZERO), unread).unwrap_err();
    assert!(refused.message.contains("epsilon 1/8 is reserved before inputs are looked at"), "{refused}");
    let none = Runs { count: 0, ..runs(&with_table, Rational::ZERO) };
    assert!(
        ledger.pay_for_runs(&none, || Ok::<_, ()>(())).unwrap_err().message.contains("no run is paid for")
    );
    // An answer of a text that may end for some inputs alone is paid for as an error is.
    let few = folder("run out").join("l");
    Ledger::init(&few, &policy("2"), None, false, PATIENCE).unwrap();
    let mut few = open(&few).unwrap();
    for (may_run_out, spent) in [(false, Rational::ZERO), (true, rational(1, 8).unwrap())] {
        let runs = Runs { may_run_out, ..runs(&with_table, Rational::ZERO) };
        few.pay_for_runs(&runs, || Ok::<_, ()>(())).unwrap().unwrap();
        assert_eq!(few.state().spent.amount, spent);
    }
    // A theorem about other tables pays for nothing, and its inputs are not looked at.
    let other = of(
        "mechanism m(u: rows(x: int))\ny ~ discrete_laplace(count(r in u), 1)\nreturn y\nneighbours one row of u is added or removed\nclaim 1\n",
    );
    assert!(ledger.pay_for_runs(&runs(&other, Rational::ZERO), unread).is_err());
    assert!(ledger.pay_for_runs(&runs(&with_table, quarter()), unread).is_err());
    assert!(ledger.pay_for_runs(&runs(&with_input, Rational::ZERO), unread).is_err());
}

/// A journal stands beside the name under which it was written: under another name of the same file nobody sees it, and a release that was
/// killed there would take back what was debited here.
#[cfg(unix)]
#[test]
fn a_ledger_has_one_name() {
    let folder = folder("names");
    let (first, second, link) = (folder.join("l"), folder.join("k"), folder.join("s"));
    let policy = policy("1");
    let mut ledger = Ledger::init(&first, &policy, None, false, PATIENCE).unwrap();
    std::os::unix::fs::symlink(&first, &link).unwrap();
    open(&link).unwrap().debit(&[debit("a", quarter())], &policy, false).unwrap();
    fs::hard_link(&first, &second).unwrap();
    let says = |refused: refusal::Refusal| {
        assert!(refused.message.contains("has 2 names"), "{refused}");
        assert!(refused.hint.is_some());
    };
    for name in [&first, &second, &link] {
        says(open(name).unwrap_err());
        says(Ledger::init(name, &policy, None, true, PATIENCE).unwrap_err());
    }
    // Nor is anything paid where the second name came after the ledger was opened.
    says(ledger.check_writable().unwrap_err());
    says(ledger.debit(&[debit("b", quarter())], &policy, false).unwrap_err());
    let mechanism = probity_lang::load_text("mechanism m()\ny ~ sign()\nreturn y\nneighbours any\nclaim 0\n")
        .unwrap()
        .mechanism;
    let loss = Loss::of_pure(Measure::Epsilon, &quarter());
    let runs = Runs {
        mechanism: &mechanism,
        loss,
        count: 1,
        what: "m".into(),
        certificate: String::new(),
        may_run_out: false,
    };
    says(ledger.pay_for_runs(&runs, || -> Result<(), ()> { panic!("it is not run") }).unwrap_err());
    fs::remove_file(&second).unwrap();
    assert_eq!(open(&first).unwrap().state().number, 2);
    ledger.debit(&[debit("b", quarter())], &policy, false).unwrap();
    assert_eq!(open(&link).unwrap().verify().unwrap(), 3);
}
