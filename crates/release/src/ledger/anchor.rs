//! The anchor: a small file kept elsewhere that remembers the newest entry it has seen, so that an older copy of the ledger is noticed.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::Path;

use crate::refusal::{Answer, Refusal};

const FORMAT: &str = "probity-anchor 1";

/// The number and hash of the newest entry seen.
pub fn read(path: &Path) -> Answer<(i64, String)> {
    let text = fs::read_to_string(path).map_err(|error| {
        Refusal::input(format!("cannot read the anchor {}: {error}", path.display()))
            .hint("without its anchor an anchored ledger is not used; restore the file")
    })?;
    let mut lines = text.lines();
    let wrong = || Refusal::input(format!("{} is no anchor", path.display()));
    if lines.next() != Some(FORMAT) {
        return Err(wrong());
    }
    let number = lines.next().and_then(|line| line.strip_prefix("counter ")?.parse().ok());
    let hash = lines.next().and_then(|line| line.strip_prefix("hash "));
    number.zip(hash.map(str::to_owned)).ok_or_else(wrong)
}

/// Whether an anchor may be written at a place: where there is none yet, it is not the ledger, and no other file is lost.
pub(super) fn check_place(path: &Path, ledger: &Path) -> Answer<()> {
    if path == ledger {
        return Err(Refusal::input("the anchor and the ledger are one file")
            .hint("keep the anchor elsewhere: it is there to notice an older copy of the ledger"));
    }
    if path.is_symlink() && !path.exists() {
        return Err(Refusal::input(format!("the anchor {} is a link that leads nowhere", path.display()))
            .hint("name the file itself: a link is followed where it leads to an anchor"));
    }
    match path.exists() {
        true => read(path).map(|_| ()),
        false => Ok(()),
    }
}

/// Remembers the first entry of a new ledger. An anchor that is there has seen a ledger, and a new one would forget what was spent in it.
pub(super) fn start(path: &Path, ledger: &Path, number: i64, hash: &str) -> Answer<()> {
    match path.exists() {
        true => Err(Refusal::input(format!(
            "the anchor {} has seen a ledger, and there is none at {}",
            path.display(),
            ledger.display()
        ))
        .hint("put the ledger back; a new ledger, with a budget that counts what was released before, takes a new anchor")),
        false => write(path, number, hash),
    }
}

/// Remembers the last entry of a ledger: to a neighbour first, which then takes its place. The ledger's lock is held, so that one name will
/// do for all, and what a killed process left there is written over. A link stays one: the file that it leads to is replaced.
pub fn write(path: &Path, number: i64, hash: &str) -> Answer<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let text = format!("{FORMAT}\ncounter {number}\nhash {hash}\n");
    let mut hidden = OsString::from(".");
    hidden.push(target.file_name().unwrap_or_default());
    hidden.push(".tmp");
    let neighbour = target.with_file_name(hidden);
    let written = fs::File::create(&neighbour)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&neighbour, &target));
    written.map_err(|error| Refusal::input(format!("cannot write the anchor {}: {error}", path.display())))
}
