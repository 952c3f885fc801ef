//! The ledger: one SQLite file that says what was released and what it cost. It is written before anything is printed.
//!
//! Every entry has the sum of all debits up to it, and is chained to the one before by its hash. A release is one IMMEDIATE
//! transaction that checks the budget and stores debit and answer together, so a crash leaves both or neither; what was stored is
//! served again at no cost. Accidents (a flipped bit, a truncated file) are found: at opening in all entries since the last
//! checkpoint, by [`Ledger::verify`] everywhere. An older copy put in the place of the file is found with an [`anchor`] only.
//!
//! The ledger knows nothing of queries: it keeps texts, and adds up losses. Of a text that is run it asks whether its neighbours are those
//! of the policy (`units.rs`).

pub mod accounted;
pub mod anchor;
mod chain;
mod runs;
mod store;
mod units;

use std::cell::RefCell;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use probity_noise::entropy::{Secure, with_secure};
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

pub use chain::{Entry, Kind};
pub use runs::Runs;

use crate::loss::{Loss, Measure};
use crate::policy::{self, Policy};
use crate::refusal::{Answer, Refusal};
use store::trouble;

/// How long another process may keep the ledger before this one gives up.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// How long another process may take from making the file to the first entry in it.
const MAKING: Duration = Duration::from_secs(2);

/// A checkpoint after so many entries: at opening, no more than these are read.
const CHECKPOINT: i64 = 64;

/// Marks the file as one of ours: "Prob".
const APPLICATION: i32 = 0x5072_6f62;
/// 2 has settlements; a ledger of version 1 becomes one of version 2 with the first of them.
const VERSION: i32 = 2;

/// What is known about a ledger after its last entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// The number of the last entry.
    pub number: i64,
    /// Its hash.
    pub hash: String,
    /// All debits together.
    pub spent: Loss,
    /// All that may be spent, by the policy in force.
    pub total: Loss,
    /// The hash of the policy in force.
    pub policy: String,
    /// The text of the policy in force.
    pub policy_text: String,
    /// The number of the entry that pins it.
    pub pinned_at: i64,
    /// Whether an anchor is kept.
    pub anchored: bool,
}

impl State {
    /// What is left.
    pub fn remaining(&self) -> Loss {
        self.total.minus(&self.spent)
    }

    /// An entry was written, and is the last one now. It pins no policy.
    fn follow(&mut self, entry: &Entry) {
        self.number = entry.number;
        self.hash.clone_from(&entry.hash);
        self.spent = entry.spent.clone();
    }
}

/// An open ledger.
#[derive(Debug)]
pub struct Ledger {
    connection: Connection,
    path: PathBuf,
    state: State,
    /// An anchor file that goes along with the ledger.
    anchor: Option<PathBuf>,
    /// Certificates that are kept from the next debit on, by name.
    to_keep: RefCell<Vec<(String, String)>>,
}

/// A debit to be made, with its answer.
#[derive(Debug, Clone)]
pub struct Debit {
    /// What makes an answer the same: the query, the policy, the version of the data.
    pub key: String,
    /// What it costs.
    pub loss: Loss,
    /// What was asked.
    pub query: String,
    /// What was answered.
    pub answer: String,
    /// The certificate.
    pub certificate: String,
}

/// What became of debits.
#[derive(Debug, Clone, PartialEq)]
pub struct Debited {
    /// The entry of each.
    pub entries: Vec<Entry>,
    /// Whether they were paid for now; if not, another process has paid for these answers meanwhile.
    pub paid: bool,
}

impl Ledger {
    /// Makes a ledger for a policy and pins it. A file that is there already is refused, or opened if `or_open`.
    pub fn init(
        path: &Path,
        policy: &Policy,
        anchor: Option<&Path>,
        or_open: bool,
        patience: Duration,
    ) -> Answer<Ledger> {
        Ledger::init_noted(path, policy, anchor, or_open, patience, "")
    }

    /// The same with a note of the owner in the first entry.
    pub fn init_noted(
        path: &Path,
        policy: &Policy,
        anchor: Option<&Path>,
        or_open: bool,
        patience: Duration,
        note: &str,
    ) -> Answer<Ledger> {
        if let Some(anchor) = anchor {
            anchor::check_place(anchor, path)?;
        }
        if fs::symlink_metadata(path).is_ok_and(|facts| facts.is_symlink()) && !path.exists() {
            return Err(Refusal::input(format!("{} is a link to a file that is not there", path.display()))
                .hint("put the ledger back to which it leads, or name another place for a new one"));
        }
        // A file that is there and empty is no ledger that was never made: it may be one that was cut off, and what was spent would be
        // forgotten. Only another process that is making it this very moment may have left it so.
        let ours = OpenOptions::new().write(true).create_new(true).open(path).is_ok();
        let body = chain::pin(policy, anchor.is_some());
        let mut first = Entry::after(None, Kind::Init, Loss::zero(policy.measure()), body);
        first.query = note.to_owned();
        first.certificate = identity()?;
        first.seal();
        let made = Ledger::make(path, &first, anchor, ours, or_open, patience);
        if made.is_err() && ours && fs::metadata(path).is_ok_and(|file| file.len() == 0) {
            // Nothing is in it: the next one who asks may make it.
            let _ = fs::remove_file(path);
        }
        made?;
        let ledger = Ledger::open(path, anchor, patience)?;
        ledger.check_policy(policy)?;
        Ok(ledger)
    }

    /// The first entry, if the file is ours and nobody else has made it; see [`Ledger::init`].
    fn make(
        path: &Path,
        first: &Entry,
        anchor: Option<&Path>,
        ours: bool,
        or_open: bool,
        patience: Duration,
    ) -> Answer<()> {
        let until = Instant::now() + patience.min(MAKING);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let mut connection = store::connect(path, flags, patience)?;
        let in_trouble = |error| trouble(path, &error);
        loop {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(in_trouble)?;
            match store::is_empty(&transaction).map_err(in_trouble)? {
                true if ours => {
                    store::create(&transaction).map_err(in_trouble)?;
                    store::insert(&transaction, first).map_err(in_trouble)?;
                    // Before the ledger can be seen: who opens it meanwhile finds both.
                    if let Some(anchor) = anchor {
                        anchor::start(anchor, path, first.number, &first.hash)?;
                    }
                    return transaction.commit().map_err(in_trouble);
                }
                true if Instant::now() < until => {
                    drop(transaction);
                    thread::sleep(MAKING / 100);
                }
                true => {
                    return Err(Refusal::input(format!("{} is there, and empty", path.display())).hint(
                        "a ledger that was cut off looks like this, and a new one would forget what was spent: restore it from a copy; \
                         if nothing was ever released with it, delete the file",
                    ));
                }
                false if or_open => return Ok(()),
                false => {
                    return Err(Refusal::input(format!("there is a ledger at {} already", path.display()))
                        .hint(
                            "a new one would forget what was spent; `probity budget amend` changes its policy",
                        ));
                }
            }
        }
    }

    /// Opens a ledger and verifies it from its last checkpoint.
    pub fn open(path: &Path, anchor: Option<&Path>, patience: Duration) -> Answer<Ledger> {
        if !path.exists() {
            return Err(Refusal::input(format!("there is no ledger at {}", path.display())).hint(
                "`probity budget init --policy POLICY --ledger LEDGER` makes one; so does `release --init`",
            ));
        }
        let connection = store::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, patience)?;
        store::check_file(path, &connection)?;
        let state = store::state_since(&connection, None).map_err(|fault| fault.at(path))?;
        match (state.anchored, anchor) {
            (true, None) => return Err(Refusal::input(format!("{} is kept with an anchor", path.display()))
                .hint("add --anchor FILE: without it an older copy of the ledger would not be noticed")),
            (false, Some(_)) => return Err(Refusal::input(format!("{} is kept without an anchor", path.display()))
                .hint("leave --anchor out; a ledger gets its anchor when it is made: `probity budget init … --anchor FILE`")),
            _ => {}
        }
        let (path, anchor) = (path.to_owned(), anchor.map(Path::to_owned));
        let ledger = Ledger { connection, path, state, anchor, to_keep: RefCell::default() };
        ledger.check_anchor()?;
        Ok(ledger)
    }

    /// What is known after the last entry.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What the ledger counts in.
    pub fn measure(&self) -> Measure {
        self.state.spent.measure
    }

    /// Whether a policy is the one in force.
    pub fn check_policy(&self, policy: &Policy) -> Answer<()> {
        match self.state.policy == policy.hash() {
            true => Ok(()),
            false => Err(Refusal::input(format!(
                "this is not the policy that {} was made for: its hash is {}…, the ledger's {}…",
                self.path.display(),
                &policy.hash()[..12],
                self.state.policy.get(..12).unwrap_or_default()
            ))
            .hint("use the pinned policy (`probity budget --policy-text` prints it), or let its owner run `probity budget amend`")),
        }
    }

    /// Whether entries can be written, before a long pass is made for nothing.
    pub fn check_writable(&mut self) -> Answer<()> {
        let path = self.path.clone();
        store::check_one_name(&path)?;
        let attempt = self.connection.transaction_with_behavior(TransactionBehavior::Immediate);
        attempt.and_then(|transaction| transaction.rollback()).map_err(|error| trouble(&path, &error))
    }

    /// The stored answer of a key.
    pub fn stored(&self, key: &str) -> Answer<Option<Entry>> {
        let found = store::by_key(&self.connection, key).map_err(|error| trouble(&self.path, &error))?;
        match found {
            Some(entry) if !entry.is_whole() => Err(chain::Fault::Changed(entry.number).at(&self.path)),
            other => Ok(other),
        }
    }

    /// A certificate that was kept under a name. It is replayed, never believed.
    pub fn kept_certificate(&self, name: &str) -> Option<String> {
        store::kept(&self.connection, name)
    }

    /// Keeps a certificate under a name, from the next debit on: a transaction of its own would have to wait for the disk as a debit
    /// does. That it is not kept costs only time later.
    pub fn keep_certificate(&self, name: &str, certificate: &str) {
        self.to_keep.borrow_mut().push((name.to_owned(), certificate.to_owned()));
    }

    /// Whether so much more may be spent.
    pub fn check_budget(&self, losses: &[Loss]) -> Answer<()> {
        check_budget(&self.state, losses)
    }

    /// Debits and stores the answers, all of them or none. If other processes have stored answers to all of the keys meanwhile, their
    /// entries are returned and nothing is debited, unless `again`.
    pub fn debit(&mut self, debits: &[Debit], policy: &Policy, again: bool) -> Answer<Debited> {
        self.refresh()?;
        self.check_policy(policy)?;
        let path = self.path.clone();
        let known = self.state.clone();
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|error| trouble(&path, &error))?;
        store::check_one_name(&path)?;
        let state = store::state_since(&transaction, Some(&known)).map_err(|fault| fault.at(&path))?;
        let unchanged = state.policy == known.policy;
        self.state = state;
        if !unchanged {
            return Err(
                Refusal::input("the policy was amended meanwhile; nothing was released").hint("ask again")
            );
        }
        if !again {
            let mut stored = Vec::new();
            for debit in debits {
                stored
                    .extend(store::by_key(&transaction, &debit.key).map_err(|error| trouble(&path, &error))?);
            }
            if stored.len() == debits.len() {
                return Ok(Debited { entries: stored, paid: false });
            }
        }
        let losses: Vec<Loss> = debits.iter().map(|debit| debit.loss.clone()).collect();
        check_budget(&self.state, &losses)?;
        let mut last = self.state.clone();
        let mut entries = Vec::new();
        for debit in debits {
            let entry = append(&transaction, &mut last, debit).map_err(|error| trouble(&path, &error))?;
            entries.push(entry);
        }
        for (name, certificate) in self.to_keep.take() {
            // A disk that is full now may have ended the transaction already.
            store::keep(&transaction, &name, &certificate).map_err(|error| trouble(&path, &error))?;
        }
        transaction.commit().map_err(|error| trouble(&path, &error))?;
        self.state = last;
        self.move_anchor()?;
        Ok(Debited { entries, paid: true })
    }

    /// Puts another policy in force, with its budget. What was spent stays spent.
    pub fn amend(&mut self, policy: &Policy, note: &str) -> Answer<()> {
        if policy.measure() != self.measure() {
            return Err(Refusal::input(format!(
                "the ledger counts in {}, the new policy in {}",
                self.measure().name(),
                policy.measure().name()
            ))
            .hint("a ledger has one measure"));
        }
        let path = self.path.clone();
        let known = self.state.clone();
        let anchored = known.anchored;
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|error| trouble(&path, &error))?;
        let state = store::state_since(&transaction, Some(&known)).map_err(|fault| fault.at(&path))?;
        let spent_under = store::spent_under(&transaction, &state).map_err(|fault| fault.at(&path))?;
        units::check_units(&spent_under, policy)?;
        let mut entry = Entry::after(
            Some(&state),
            Kind::Amend,
            Loss::zero(policy.measure()),
            chain::pin(policy, anchored),
        );
        entry.query = note.to_owned();
        entry.seal();
        store::insert(&transaction, &entry).map_err(|error| trouble(&path, &error))?;
        transaction.commit().map_err(|error| trouble(&path, &error))?;
        self.refresh()?;
        self.move_anchor()
    }

    /// Reads what other processes have added.
    pub fn refresh(&mut self) -> Answer<()> {
        self.state =
            store::state_since(&self.connection, Some(&self.state)).map_err(|fault| fault.at(&self.path))?;
        Ok(())
    }

    /// Verifies every entry, every hash and every sum, and the file itself.
    pub fn verify(&self) -> Answer<i64> {
        store::check_file(&self.path, &self.connection)?;
        store::verify_all(&self.connection).map_err(|fault| fault.at(&self.path))
    }

    /// The last entries, oldest first.
    pub fn history(&self, most: usize) -> Answer<Vec<Entry>> {
        store::last(&self.connection, most).map_err(|error| trouble(&self.path, &error))
    }

    fn check_anchor(&self) -> Answer<()> {
        let Some(path) = &self.anchor else { return Ok(()) };
        let (number, hash) = anchor::read(path)?;
        let entry =
            store::by_number(&self.connection, number).map_err(|error| trouble(&self.path, &error))?;
        match entry {
            Some(entry) if entry.hash == hash => Ok(()),
            _ => Err(Refusal::input(format!(
                "{} is not the ledger that the anchor {} has seen: an older copy was put back, or another one in its place",
                self.path.display(),
                path.display()
            ))
            .hint("put the newest ledger back: with this one, spent budget would be spent again")),
        }
    }

    /// The anchor follows the ledger, never the other way: a crash between the two leaves it behind, which is allowed.
    fn move_anchor(&mut self) -> Answer<()> {
        let Some(anchor) = self.anchor.clone() else { return Ok(()) };
        let path = self.path.clone();
        // The ledger's own lock keeps two processes from moving the anchor back and forth.
        let lock = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|error| trouble(&path, &error))?;
        let (number, _) = anchor::read(&anchor)?;
        if number < self.state.number {
            anchor::write(&anchor, self.state.number, &self.state.hash)?;
        }
        lock.rollback().map_err(|error| trouble(&path, &error))
    }
}

/// What no other ledger has, so that the anchor of one that was made of the same policy in the same second is not this one's.
fn identity() -> Answer<String> {
    let mut random = [0; 2];
    with_secure(|entropy: &mut dyn Secure| entropy.fill_words(&mut random)).map_err(Refusal::input)?;
    Ok(format!("ledger {:016x}{:016x}", random[0], random[1]))
}

/// Whether so much more may be spent.
fn check_budget(state: &State, losses: &[Loss]) -> Answer<()> {
    let (spent, total) = (&state.spent, &state.total);
    let cost = losses.iter().fold(Loss::zero(spent.measure), |all, loss| all.plus(loss));
    match losses.iter().all(|loss| loss.measure == spent.measure) && spent.plus(&cost).is_within(total) {
        true => Ok(()),
        false => Err(Refusal::budget(format!("the budget does not allow it: it costs {cost}, and {} is left of {total}", state.remaining()))
            .hint("ask for less with SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = …); the owner can add to the budget with `probity budget amend`")),
    }
}

/// Writes the entry of a debit after the last one.
fn append(connection: &Connection, last: &mut State, debit: &Debit) -> rusqlite::Result<Entry> {
    let entry = Entry::release(last, debit);
    store::insert(connection, &entry)?;
    last.follow(&entry);
    Ok(entry)
}

/// The policy that a ledger's entry pinned.
pub(crate) fn pinned(body: &str) -> Option<(Policy, bool)> {
    let (first, text) = body.split_once('\n')?;
    let policy = policy::read("the pinned policy", text).ok()?;
    Some((policy, first == "anchored"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    /// A disk that is full when a certificate is to be kept: nothing is debited, and the message says why.
    #[test]
    fn what_cannot_be_kept_is_not_debited() {
        let path = std::env::temp_dir().join(format!("probity-full-{}.ledger", std::process::id()));
        let text = "[budget]\nepsilon = 1\nper_query = { epsilon = 1 }\n[table.t]\nunit = \"row\"\ncolumns = { x = { type = \"bool\" } }";
        let policy = policy::read("p", text).unwrap();
        let mut ledger = Ledger::init(&path, &policy, None, false, PATIENCE).unwrap();
        let pages: i64 = ledger.connection.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
        ledger.connection.pragma_update(None, "max_page_count", pages + 4).unwrap();
        let debit = Debit {
            key: "k".into(),
            loss: Loss::of_pure(Measure::Epsilon, &rational(1, 2).unwrap()),
            query: "q".into(),
            answer: "a".into(),
            certificate: "c".into(),
        };
        for name in ["long", "longer"] {
            ledger.keep_certificate(name, &"certificate ".repeat(20_000));
        }
        let refused = ledger.debit(std::slice::from_ref(&debit), &policy, true).unwrap_err();
        assert!(refused.message.contains("is full; nothing was released"), "{refused}");
        let again = Ledger::open(&path, None, PATIENCE).unwrap();
        assert_eq!((again.state().number, again.state().spent.clone()), (1, Loss::zero(Measure::Epsilon)));
        assert!(ledger.debit(&[debit], &policy, true).is_ok() && again.verify().is_ok());
        fs::remove_file(&path).unwrap();
    }
}
