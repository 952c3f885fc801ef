//! Entries, and the chain of hashes that holds them together.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Debit, State};
use crate::hash;
use crate::loss::Loss;
use crate::policy::{Policy, date_to_text};
use crate::refusal::Refusal;

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The first: pins the policy.
    Init,
    /// A debit with its answer.
    Release,
    /// Gives back what an earlier debit reserved beyond what it cost.
    Settle,
    /// Pins another policy.
    Amend,
}

impl Kind {
    /// Its name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Init => "init",
            Kind::Release => "release",
            Kind::Settle => "settle",
            Kind::Amend => "amend",
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Kind> {
        [Kind::Init, Kind::Release, Kind::Settle, Kind::Amend].into_iter().find(|kind| kind.name() == name)
    }
}

/// One entry of a ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// From 1, without gaps.
    pub number: i64,
    /// What it is.
    pub kind: Kind,
    /// When it was made, by the clock of the machine. Nothing depends on it.
    pub time: String,
    /// What makes an answer the same; empty for other entries.
    pub key: String,
    /// What it costs; of a settlement, what is given back.
    pub loss: Loss,
    /// All debits up to this one, with it, less what was given back.
    pub spent: Loss,
    /// The number of the entry that pins the policy in force.
    pub pinned: i64,
    /// The query, or the owner's note.
    pub query: String,
    /// The answer, or the pinned policy, or the number of the entry that is settled.
    pub answer: String,
    /// The certificate of a release.
    pub certificate: String,
    /// The hash of the entry before.
    pub previous: String,
    /// The hash of all this.
    pub hash: String,
}

/// What is wrong with a ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// An entry is not as it was written.
    Changed(i64),
    /// An entry does not follow from the one before it.
    Broken(i64),
    /// There is no entry, or not what must be there.
    Missing,
    /// The database cannot be read.
    Store(String),
    /// A part of the file is damaged.
    Damaged,
}

impl Fault {
    /// As a refusal about this file.
    pub fn at(self, path: &Path) -> Refusal {
        let name = path.display();
        let restore = "restore it from a backup that holds every release since, or nothing can be said about what is left";
        match self {
            Fault::Changed(number) => Refusal::input(format!(
                "the ledger {name} was changed: entry {number} does not match its hash"
            ))
            .hint(restore),
            Fault::Broken(number) => Refusal::input(format!(
                "the ledger {name} is broken: entry {number} does not follow from the one before"
            ))
            .hint(restore),
            Fault::Missing => {
                Refusal::input(format!("{name} is no ledger, or entries of it are missing")).hint(restore)
            }
            Fault::Damaged => Refusal::input(format!("the ledger {name} is damaged")).hint(restore),
            Fault::Store(reason) => {
                Refusal::input(format!("the ledger {name} cannot be read: {reason}")).hint(restore)
            }
        }
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Fault {
        Fault::Store(error.to_string())
    }
}

/// What pins a policy: whether an anchor is kept, and the policy's text.
pub fn pin(policy: &Policy, anchored: bool) -> String {
    format!("{}\n{}", if anchored { "anchored" } else { "unanchored" }, policy.text)
}

fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (day, rest) = (seconds / 86_400, seconds % 86_400);
    format!("{}T{:02}:{:02}:{:02}Z", date_to_text(day as i64), rest / 3600, rest / 60 % 60, rest % 60)
}

impl Entry {
    /// The next entry that pins a policy.
    pub fn after(state: Option<&State>, kind: Kind, loss: Loss, pin: String) -> Entry {
        let number = state.map_or(1, |state| state.number + 1);
        let mut entry = Entry {
            number,
            kind,
            time: now(),
            key: String::new(),
            spent: state.map_or_else(|| loss.clone(), |state| state.spent.plus(&loss)),
            loss,
            pinned: number,
            query: String::new(),
            answer: pin,
            certificate: String::new(),
            previous: state.map_or_else(String::new, |state| state.hash.clone()),
            hash: String::new(),
        };
        entry.seal();
        entry
    }

    /// The next entry, a release.
    pub fn release(state: &State, debit: &Debit) -> Entry {
        let mut entry = Entry::after(Some(state), Kind::Release, debit.loss.clone(), debit.answer.clone());
        entry.pinned = state.pinned_at;
        entry.key.clone_from(&debit.key);
        entry.query.clone_from(&debit.query);
        entry.certificate.clone_from(&debit.certificate);
        entry.seal();
        entry
    }

    /// The next entry, which settles an earlier one.
    pub fn settlement(state: &State, reserved: i64, back: &Loss, query: String) -> Entry {
        let mut entry = Entry::after(Some(state), Kind::Settle, back.clone(), reserved.to_string());
        entry.spent = state.spent.less(back);
        entry.pinned = state.pinned_at;
        entry.query = query;
        entry.seal();
        entry
    }

    /// The number of the entry that this one settles.
    pub fn settles(&self) -> Option<i64> {
        let number = self.answer.parse().ok().filter(|number| *number < self.number);
        number.filter(|_| self.kind == Kind::Settle)
    }

    /// Writes the hash.
    pub fn seal(&mut self) {
        self.hash = self.digest();
    }

    fn digest(&self) -> String {
        hash::hex(&[
            &self.number.to_le_bytes(),
            self.kind.name().as_bytes(),
            self.time.as_bytes(),
            self.key.as_bytes(),
            self.loss.measure.name().as_bytes(),
            self.loss.to_text().as_bytes(),
            self.spent.to_text().as_bytes(),
            &self.pinned.to_le_bytes(),
            self.query.as_bytes(),
            self.answer.as_bytes(),
            self.certificate.as_bytes(),
            self.previous.as_bytes(),
        ])
    }

    /// Whether it is as it was written.
    pub fn is_whole(&self) -> bool {
        self.hash == self.digest()
    }

    /// What is spent with this entry, if so much was spent before it.
    fn sum_after(&self, before: &Loss) -> Loss {
        match self.kind {
            Kind::Settle => before.less(&self.loss),
            Kind::Init | Kind::Release | Kind::Amend => before.plus(&self.loss),
        }
    }

    /// Whether a settlement gives back no more than the entry debited that it settles.
    pub fn check_settles(&self, reserved: &Entry) -> Result<(), Fault> {
        let settles = reserved.kind == Kind::Release
            && reserved.key.is_empty()
            && self.loss.is_within(&reserved.loss)
            && self.settles() == Some(reserved.number);
        if settles { Ok(()) } else { Err(Fault::Broken(self.number)) }
    }

    /// Whether it is whole and follows from another entry, or is the first.
    pub fn check_after(&self, before: Option<&Entry>) -> Result<(), Fault> {
        if !self.is_whole() {
            return Err(Fault::Changed(self.number));
        }
        let follows = match before {
            None => {
                self.number == 1
                    && self.kind == Kind::Init
                    && self.previous.is_empty()
                    && self.spent == self.loss
                    && self.pinned == 1
            }
            Some(before) => {
                self.number == before.number + 1
                    && self.kind != Kind::Init
                    && self.previous == before.hash
                    && self.loss.measure == before.loss.measure
                    && self.spent == self.sum_after(&before.spent)
                    && self.pinned == if self.kind == Kind::Amend { self.number } else { before.pinned }
            }
        };
        if follows { Ok(()) } else { Err(Fault::Broken(self.number)) }
    }
}
