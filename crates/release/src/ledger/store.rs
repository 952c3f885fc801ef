//! The ledger's tables in SQLite. Reading and writing only; what entries mean is in `chain`.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Row, params};

use super::chain::{Entry, Fault, Kind};
use super::{APPLICATION, CHECKPOINT, State, VERSION, pinned};
use crate::hash;
use crate::loss::{Loss, Measure};
use crate::policy::Policy;
use crate::refusal::{Answer, Refusal};

/// What went wrong with the file, in plain words.
pub fn trouble(path: &Path, error: &rusqlite::Error) -> Refusal {
    let name = path.display();
    let code = error.sqlite_error_code();
    match code {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            Refusal::input(format!("the ledger {name} is locked by another process; nothing was released"))
                .hint("try again")
        }
        Some(
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::AuthorizationForStatementDenied,
        ) => Refusal::input(format!("the ledger {name} cannot be written; nothing was released"))
            .hint("a release needs to write its debit: check the permissions of the file and its folder"),
        Some(ErrorCode::DiskFull) => {
            Refusal::input(format!("the disk of the ledger {name} is full; nothing was released"))
                .hint("make room and ask again")
        }
        Some(ErrorCode::CannotOpen) => {
            Refusal::input(format!("the ledger {name} cannot be opened or written; nothing was released"))
                .hint("check the path and the permissions of the file and its folder")
        }
        Some(ErrorCode::NotADatabase) => {
            Refusal::input(format!("{name} is no ledger, or its beginning is damaged"))
        }
        Some(ErrorCode::DatabaseCorrupt) => Fault::Damaged.at(path),
        _ => Refusal::input(format!("the ledger {name}: {error}; nothing was released")),
    }
}

/// Opens the file. Every commit is on the disk before it returns.
pub fn connect(path: &Path, flags: OpenFlags, patience: Duration) -> Answer<Connection> {
    check_one_name(path)?;
    let open = || -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(patience)?;
        connection.pragma_update(None, "journal_mode", "DELETE")?;
        connection.pragma_update(None, "synchronous", "EXTRA")?;
        connection.pragma_update(None, "cell_size_check", true)?;
        connection.pragma_update(None, "trusted_schema", false)?;
        Ok(connection)
    };
    open().map_err(|error| trouble(path, &error))
}

/// Refuses a file that has two names by hard links. What a process that was killed has left unfinished is in a journal beside the name that it
/// used: under the other name nobody sees it, and who comes by the first one again would undo what was written meanwhile.
pub fn check_one_name(path: &Path) -> Answer<()> {
    match names(path) {
        0 | 1 => Ok(()),
        names => Err(Refusal::input(format!(
            "the ledger {} has {names} names (hard links): under one of them, debits made under another can be undone; nothing was released",
            path.display()
        ))
        .hint("keep one name, and remove the others once no journal is beside them (LEDGER-journal: `probity budget` with that name alone finishes it); a symbolic link is followed, and `cp` makes a copy")),
    }
}

/// How many names a file has; 0 if it is not there.
#[cfg(unix)]
fn names(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).map_or(0, |facts| facts.nlink())
}

/// Elsewhere nobody says.
#[cfg(not(unix))]
fn names(_: &Path) -> u64 {
    1
}

/// Whether nothing was ever written.
pub fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT COUNT(*) = 0 FROM sqlite_schema", [], |row| row.get(0))
}

/// Makes the tables.
pub fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&format!(
        "PRAGMA application_id = {APPLICATION};
         PRAGMA user_version = {VERSION};
         CREATE TABLE entry (
           number INTEGER PRIMARY KEY, kind TEXT NOT NULL, time TEXT NOT NULL, key TEXT NOT NULL, measure TEXT NOT NULL,
           loss TEXT NOT NULL, spent TEXT NOT NULL, pinned INTEGER NOT NULL, query TEXT NOT NULL, answer TEXT NOT NULL,
           certificate TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL
         ) STRICT;
         CREATE INDEX entry_by_key ON entry (key) WHERE key <> '';
         CREATE TABLE checkpoint (number INTEGER PRIMARY KEY, digest TEXT NOT NULL) STRICT;
         CREATE TABLE kept (name TEXT PRIMARY KEY, certificate TEXT NOT NULL) STRICT;"
    ))
}

/// Says that the ledger has what this version has.
pub fn set_version(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "user_version", VERSION)
}

/// Whether the file is a ledger and as long as it says.
pub fn check_file(path: &Path, connection: &Connection) -> Answer<()> {
    let read = |name: &str| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
    let facts = || -> rusqlite::Result<[i64; 4]> {
        Ok([read("application_id")?, read("user_version")?, read("page_count")?, read("page_size")?])
    };
    let [application, version, pages, size] = facts().map_err(|error| trouble(path, &error))?;
    if application != i64::from(APPLICATION) {
        return Err(Refusal::input(format!("{} is no ledger", path.display()))
            .hint("`probity budget init --policy POLICY --ledger LEDGER` makes one"));
    }
    // Version 1 has no settlements, and is otherwise the same.
    if !(1..=i64::from(VERSION)).contains(&version) {
        return Err(Refusal::input(format!(
            "{} is a ledger of version {version}, this program knows {VERSION}",
            path.display()
        )));
    }
    // What runs inside the file, a trigger or a view, could leave an entry out that was written: this program makes none.
    let strange =
        "SELECT type || ' ' || name FROM sqlite_schema WHERE type NOT IN ('table', 'index') LIMIT 1";
    let strange = connection.query_row(strange, [], |row| row.get::<_, String>(0)).optional();
    if let Some(strange) = strange.map_err(|error| trouble(path, &error))? {
        return Err(Refusal::input(format!(
            "{} has a {strange:?}, which no ledger has: somebody else wrote in it",
            path.display()
        ))
        .hint("restore it from a copy; what it says of the past cannot be relied on"));
    }
    let length = std::fs::metadata(path).map_or(0, |facts| facts.len());
    // Another process may be writing: a longer file is in order, a shorter one is not.
    match length < (pages * size).unsigned_abs() {
        true => Err(Fault::Damaged.at(path)),
        false => Ok(()),
    }
}

const COLUMNS: &str =
    "number, kind, time, key, measure, loss, spent, pinned, query, answer, certificate, previous, hash";

fn read(row: &Row) -> rusqlite::Result<Entry> {
    let wrong = || rusqlite::Error::InvalidQuery;
    let measure = Measure::named(row.get_ref(4)?.as_str()?).ok_or_else(wrong)?;
    let loss = |column: usize| -> rusqlite::Result<Loss> {
        Loss::from_text(measure, row.get_ref(column)?.as_str()?).ok_or_else(wrong)
    };
    Ok(Entry {
        number: row.get(0)?,
        kind: Kind::named(row.get_ref(1)?.as_str()?).ok_or_else(wrong)?,
        time: row.get(2)?,
        key: row.get(3)?,
        loss: loss(5)?,
        spent: loss(6)?,
        pinned: row.get(7)?,
        query: row.get(8)?,
        answer: row.get(9)?,
        certificate: row.get(10)?,
        previous: row.get(11)?,
        hash: row.get(12)?,
    })
}

/// The newest stored answer of a key.
pub fn by_key(connection: &Connection, key: &str) -> rusqlite::Result<Option<Entry>> {
    let sql =
        format!("SELECT {COLUMNS} FROM entry WHERE key = ?1 AND key <> '' ORDER BY number DESC LIMIT 1");
    connection.prepare(&sql)?.query_row([key], read).optional()
}

/// The entry of a number.
pub fn by_number(connection: &Connection, number: i64) -> rusqlite::Result<Option<Entry>> {
    connection
        .prepare(&format!("SELECT {COLUMNS} FROM entry WHERE number = ?1"))?
        .query_row([number], read)
        .optional()
}

/// The last entries, oldest first.
pub fn last(connection: &Connection, most: usize) -> rusqlite::Result<Vec<Entry>> {
    let sql =
        format!("SELECT * FROM (SELECT {COLUMNS} FROM entry ORDER BY number DESC LIMIT ?1) ORDER BY number");
    connection.prepare(&sql)?.query_map([i64::try_from(most).unwrap_or(i64::MAX)], read)?.collect()
}

/// Writes an entry, and a checkpoint where one is due.
pub fn insert(connection: &Connection, entry: &Entry) -> rusqlite::Result<()> {
    insert_alike(connection, entry, entry)
}

/// The same, with as many bytes in every column as another entry would have taken: who sees the length of the file, or limits it, does not
/// learn which of the two was written.
pub fn insert_alike(connection: &Connection, entry: &Entry, other: &Entry) -> rusqlite::Result<()> {
    let padded = |own: &Loss, other: &Loss| {
        let (own, other) = (own.to_text(), other.to_text());
        format!("{own:width$}", width = other.len())
    };
    connection
        .prepare("INSERT INTO entry VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)")?
        .execute(params![
            entry.number,
            entry.kind.name(),
            entry.time,
            entry.key,
            entry.loss.measure.name(),
            padded(&entry.loss, &other.loss),
            padded(&entry.spent, &other.spent),
            entry.pinned,
            entry.query,
            entry.answer,
            entry.certificate,
            entry.previous,
            entry.hash,
        ])?;
    if entry.number % CHECKPOINT == 0 {
        connection
            .prepare("INSERT INTO checkpoint VALUES (?1, ?2)")?
            .execute(params![entry.number, checkpoint(entry)])?;
    }
    Ok(())
}

/// What a checkpoint says about its entry.
fn checkpoint(entry: &Entry) -> String {
    hash::hex(&[b"checkpoint", &entry.number.to_le_bytes(), entry.hash.as_bytes()])
}

/// Follows the chain from a known state, or from the last checkpoint, to the end.
pub fn state_since(connection: &Connection, known: Option<&State>) -> Result<State, Fault> {
    let start = match known {
        Some(state) => state.number,
        None => {
            let last: Option<(i64, String)> = connection
                .query_row("SELECT number, digest FROM checkpoint ORDER BY number DESC LIMIT 1", [], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })
                .optional()?;
            match last {
                None => 1,
                Some((number, digest)) => {
                    let entry = by_number(connection, number)?.ok_or(Fault::Missing)?;
                    if !entry.is_whole() || checkpoint(&entry) != digest {
                        return Err(Fault::Changed(number));
                    }
                    number
                }
            }
        }
    };
    let mut before = by_number(connection, start)?.ok_or(Fault::Missing)?;
    match known {
        Some(state) if before.hash != state.hash || !before.is_whole() => return Err(Fault::Changed(start)),
        None if start == 1 => before.check_after(None)?,
        _ => {}
    }
    let mut statement =
        connection.prepare(&format!("SELECT {COLUMNS} FROM entry WHERE number > ?1 ORDER BY number"))?;
    let mut rows = statement.query([start])?;
    while let Some(row) = rows.next()? {
        let entry = read(row).map_err(|_| Fault::Changed(before.number + 1))?;
        entry.check_after(Some(&before))?;
        if entry.kind == Kind::Settle {
            let reserved = entry.settles().map(|number| by_number(connection, number)).transpose()?.flatten();
            entry.check_settles(&reserved.ok_or(Fault::Missing)?)?;
        }
        before = entry;
    }
    if let Some(known) = known
        && known.pinned_at == before.pinned
    {
        return Ok(State { number: before.number, hash: before.hash, spent: before.spent, ..known.clone() });
    }
    let owner = by_number(connection, before.pinned)?.ok_or(Fault::Missing)?;
    let whole = owner.is_whole() && matches!(owner.kind, Kind::Init | Kind::Amend);
    let (policy, anchored) = pinned(&owner.answer).filter(|_| whole).ok_or(Fault::Changed(owner.number))?;
    Ok(State {
        number: before.number,
        hash: before.hash,
        spent: before.spent,
        total: policy.total.clone(),
        policy: policy.hash(),
        policy_text: policy.text,
        pinned_at: owner.number,
        anchored,
    })
}

/// The policies under which something was spent, the last one first: not the one in force alone, which may have lost a table or got it
/// back.
pub fn spent_under(connection: &Connection, state: &State) -> Result<Vec<Policy>, Fault> {
    let (mut policies, mut last) = (Vec::new(), state.number);
    while last > 0 {
        let end = by_number(connection, last)?.ok_or(Fault::Missing)?;
        let owner = by_number(connection, end.pinned)?.ok_or(Fault::Missing)?;
        let whole = end.is_whole() && owner.is_whole() && owner.number <= last;
        let (policy, _) = pinned(&owner.answer).filter(|_| whole).ok_or(Fault::Changed(owner.number))?;
        // What is given back under a policy may hide as much that was spent under it.
        if end.spent != owner.spent || has_settlements(connection, owner.number, last)? {
            policies.push(policy);
        }
        last = owner.number - 1;
    }
    Ok(policies)
}

fn has_settlements(connection: &Connection, after: i64, to: i64) -> rusqlite::Result<bool> {
    connection
        .prepare(
            "SELECT EXISTS (SELECT 1 FROM entry WHERE number > ?1 AND number <= ?2 AND kind = 'settle')",
        )?
        .query_row([after, to], |row| row.get(0))
}

/// Follows the whole chain, and asks SQLite about its own structures. Answers with the number of entries.
pub fn verify_all(connection: &Connection) -> Result<i64, Fault> {
    let sound: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if sound != "ok" {
        return Err(Fault::Damaged);
    }
    let mut before: Option<Entry> = None;
    let mut settled = BTreeSet::new();
    let mut statement = connection.prepare(&format!("SELECT {COLUMNS} FROM entry ORDER BY number"))?;
    let mut rows = statement.query([])?;
    let mut checkpoints = connection.prepare("SELECT digest FROM checkpoint WHERE number = ?1")?;
    while let Some(row) = rows.next()? {
        let number = before.as_ref().map_or(1, |entry| entry.number + 1);
        let entry = read(row).map_err(|_| Fault::Changed(number))?;
        entry.check_after(before.as_ref())?;
        if matches!(entry.kind, Kind::Init | Kind::Amend) && pinned(&entry.answer).is_none() {
            return Err(Fault::Changed(number));
        }
        if entry.kind == Kind::Settle {
            let of = entry.settles().filter(|of| settled.insert(*of)).ok_or(Fault::Broken(number))?;
            entry.check_settles(&by_number(connection, of)?.ok_or(Fault::Missing)?)?;
        }
        if number % CHECKPOINT == 0 {
            let digest: Option<String> = checkpoints.query_row([number], |row| row.get(0)).optional()?;
            if digest != Some(checkpoint(&entry)) {
                return Err(Fault::Changed(number));
            }
        }
        before = Some(entry);
    }
    before.map(|entry| entry.number).ok_or(Fault::Missing)
}

/// A certificate kept under a name.
pub fn kept(connection: &Connection, name: &str) -> Option<String> {
    connection.query_row("SELECT certificate FROM kept WHERE name = ?1", [name], |row| row.get(0)).ok()
}

/// Keeps a certificate.
pub fn keep(connection: &Connection, name: &str, certificate: &str) -> rusqlite::Result<()> {
    connection.execute("INSERT OR REPLACE INTO kept VALUES (?1, ?2)", [name, certificate]).map(|_| ())
}
