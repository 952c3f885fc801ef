//! Which files may be replaced: those that begin like what is written. Any other may be the ledger, the policy or the table.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The longest first word that is looked at.
const WORD: usize = 32;

/// How the laws of an audit begin, exact and enclosed: they are of one kind.
const LAWS: [&[u8]; 2] = [b"outcome,first,second", b"outcome,first_low,first_high,sec"];

/// The first word of a file says what it is: `probity-certificate`, `<!doctype`.
fn kind(contents: &[u8]) -> &[u8] {
    let end = contents.iter().take(WORD).position(u8::is_ascii_whitespace);
    let word = &contents[..end.unwrap_or(contents.len().min(WORD))];
    if LAWS.contains(&word) { LAWS[0] } else { word }
}

/// Whether a file with these contents may stand at a place: nothing is there, an empty file, no plain file (which is written to and
/// stays what it is), or a file of the same kind.
///
/// # Errors
/// When the file that is there cannot be read.
pub fn may_replace(path: &Path, contents: &[u8]) -> io::Result<bool> {
    if !fs::metadata(path).is_ok_and(|facts| facts.is_file()) {
        return Ok(true);
    }
    let mut begin = Vec::new();
    File::open(path)?.take(WORD as u64).read_to_end(&mut begin)?;
    Ok(begin.is_empty() || kind(&begin) == kind(contents))
}
