//! Finding and reading files, with a clear answer for what is none; and writing files whole.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use probity_lang::{Program, visible};
use probity_release::place::may_replace;

use crate::failure::Failure;
use crate::output;

/// The name of a file as a terminal may show it.
pub fn shown(path: &Path) -> String {
    visible(&path.display().to_string()).into_owned()
}

/// The ending of mechanism files.
const ENDING: &str = "dp";

/// A mechanism or certificate is small; what is larger is refused.
const MOST_BYTES: u64 = 64 << 20;

/// After so long nobody is in the middle of writing a temporary file.
const LEFT_BEHIND: Duration = Duration::from_secs(3600);
/// The same of a process that is not there: it may be one of another machine, or of another container.
const ENDED: Duration = Duration::from_secs(2);

/// The mechanism files that a path stands for: itself, or every `.dp` file below a folder, in order.
pub fn mechanisms(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    collect(path, &mut BTreeSet::new(), &mut found);
    if found.is_empty() {
        return Err(Failure::new(format!("there is no .{ENDING} file in {}", path.display()))
            .hint("name a folder that has some, at any depth")
            .in_file(path));
    }
    found.sort();
    Ok(found)
}

/// Every folder is entered once, by whatever links it is reached: a loop of links ends.
fn collect(folder: &Path, entered: &mut BTreeSet<PathBuf>, found: &mut Vec<PathBuf>) {
    let listed = || -> io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect()
    };
    let (Ok(place), Ok(mut paths)) = (fs::canonicalize(folder), listed()) else {
        // Reading it as a file says why it cannot be entered.
        found.push(folder.to_owned());
        return;
    };
    if !entered.insert(place) {
        return;
    }
    // In order, so that of two links to a folder it is always the same one that counts.
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, entered, found);
        } else if path.extension().is_some_and(|ending| ending == ENDING) && !waits(&path) {
            found.push(path);
        }
    }
}

/// A pipe or a device, which nobody may ever write to. Named by itself it is read; in a folder it holds up no other file.
fn waits(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|facts| !facts.is_file())
}

/// A failure of the system in plain words.
fn cannot(what: &str, path: &Path, error: &io::Error) -> Failure {
    let reason = match error.kind() {
        io::ErrorKind::NotFound if what == "read" => "there is no such file".to_owned(),
        io::ErrorKind::NotFound => "there is no such folder".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        io::ErrorKind::ReadOnlyFilesystem => "its file system is read-only".to_owned(),
        io::ErrorKind::NotADirectory => "a part of the path is a file, not a folder".to_owned(),
        _ => error.to_string(),
    };
    Failure::new(format!("cannot {what} {}: {reason}", path.display())).in_file(path)
}

/// The text of a file, or of standard input for `-`.
pub fn text(path: &Path) -> Result<String, Failure> {
    contents(path)?
}

/// The same, where what a file holds is private: a failure inside tells of that, one outside of the path alone.
pub fn contents(path: &Path) -> Result<Result<String, Failure>, Failure> {
    let name = path.display();
    let too_large = |size: String| {
        Failure::new(format!("{name} has {size} bytes, too many to be what is asked for"))
            .hint(format!("a file that is read at once has at most {} MiB", MOST_BYTES >> 20))
            .in_file(path)
    };
    if let Ok(facts) = fs::metadata(path)
        && facts.is_file()
        && facts.len() > MOST_BYTES
    {
        return Ok(Err(too_large(facts.len().to_string())));
    }
    let bytes = if path == Path::new("-") { read(io::stdin().lock()) } else { open(path).and_then(read) };
    let bytes = bytes.map_err(|error| cannot_open(path, &error))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Ok(Err(too_large(format!("more than {MOST_BYTES}"))));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::new(format!("{name} is not UTF-8 text (byte {at})"))
            .hint("save it as UTF-8, or name the file you meant")
            .in_file(path)
    });
    Ok(text.and_then(|text| match text.trim().is_empty() {
        true => Err(Failure::new(format!("{name} is empty")).hint("name the file you meant").in_file(path)),
        false => Ok(text),
    }))
}

/// Whether a file of private contents can be opened. Nothing of it is read; a pipe is not opened, since that waits for whoever writes to it.
pub fn check_opens(path: &Path) -> Result<(), Failure> {
    match fs::metadata(path) {
        _ if path == Path::new("-") => Ok(()),
        Ok(facts) if !facts.is_file() && !facts.is_dir() => Ok(()),
        _ => open(path).map(drop).map_err(|error| cannot_open(path, &error)),
    }
}

/// Why a file is not opened, and what to name instead.
fn cannot_open(path: &Path, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::NotFound => cannot("read", path, error).hint(nearest_file(path)),
        io::ErrorKind::IsADirectory => match fs::read_dir(path) {
            Err(error) => cannot("read", path, &error),
            Ok(_) => Failure::new(format!("{} is a folder, not a file", path.display()))
                .hint("name a file in it")
                .in_file(path),
        },
        _ => cannot("read", path, error),
    }
}

fn open(path: &Path) -> io::Result<fs::File> {
    // Some systems open folders and fail to read them, with another error.
    match fs::metadata(path)?.is_dir() {
        true => Err(io::ErrorKind::IsADirectory.into()),
        false => fs::File::open(path),
    }
}

/// Not more than one byte too many: a device may have no end.
fn read(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What may have been meant by the path of a file that is not there.
fn nearest_file(path: &Path) -> String {
    if path.is_symlink() {
        return "it is a link that leads nowhere".into();
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let beside = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let in_library = Path::new("mechanisms").join(&name).with_extension(ENDING);
    if in_library.is_file() {
        return format!("did you mean {}?", in_library.display());
    }
    let entries: Vec<String> = fs::read_dir(beside)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    match probity_lang::nearest(&name, entries.iter().map(String::as_str)) {
        Some(near) => format!("did you mean {}?", path.with_file_name(near).display()),
        None if Path::new("mechanisms").is_dir() => "check the path; `probity list` shows the library".into(),
        None => "check the path; it is read from the current folder".into(),
    }
}

/// A mechanism file that was read.
pub struct Loaded {
    /// Its text.
    pub source: String,
    /// What it says.
    pub program: Program,
    /// Its warnings, laid out for a reader.
    pub warnings: String,
}

/// Reads a mechanism file.
pub fn load(path: &Path) -> Result<Loaded, Failure> {
    let source = text(path)?;
    // Standard input has no folder of its own.
    let folder = path.parent().filter(|_| path != Path::new("-"));
    let loaded = match folder {
        Some(folder) => probity_lang::load_text_in(&source, folder),
        None => probity_lang::load_text(&source),
    };
    match loaded {
        Ok(program) => {
            let warnings = match program.warnings.is_empty() {
                true => String::new(),
                false => probity_lang::render(&program.warnings, &path.display().to_string(), &source),
            };
            Ok(Loaded { source, program, warnings })
        }
        Err(faults) => Err(Failure::faults(&faults, path, &source)),
    }
}

/// A mechanism file with its text. Its warnings are printed to standard error.
pub fn program(path: &Path) -> Result<(String, Program), Failure> {
    let Loaded { source, program, warnings } = load(path)?;
    output::complain(&warnings);
    Ok((source, program))
}

/// Whether a file can be written at a place, as far as can be told before the work for it is done.
pub fn check_place(path: &Path) -> Result<(), Failure> {
    let refused = |reason: &str| {
        Failure::new(format!("cannot write {}: {reason}", path.display()))
            .hint("name a file in a folder that exists")
            .in_file(path)
    };
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if path.is_dir() {
        Err(refused("it is a folder"))
    } else if path.file_name().is_none() || path == Path::new("-") {
        Err(refused("it is no file name"))
    } else if parent.is_dir() {
        Ok(())
    } else if parent.exists() {
        Err(refused(&format!("{} is a file, not a folder", parent.display())))
    } else {
        Err(refused(&format!("there is no folder {}", parent.display())))
    }
}

/// Whether a file that begins like `contents` may be written at a place. A file of another kind is not replaced: it may be the
/// ledger, the policy or the table.
fn check_kind(path: &Path, contents: &[u8]) -> Result<(), Failure> {
    check_place(path)?;
    match may_replace(path, contents).map_err(|error| cannot("read", path, &error))? {
        true => Ok(()),
        false => {
            Err(Failure::new(format!("{} is there already, and is another kind of file", path.display()))
                .hint("name another file, or remove that one first")
                .in_file(path))
        }
    }
}

/// Writes a file whole or not at all: to a temporary neighbour first, which then takes its place. What is no plain file,
/// such as `/dev/null` or a pipe, is written to and stays what it is; a file of another kind is not replaced.
pub fn write(path: &Path, contents: &[u8]) -> Result<(), Failure> {
    // What is there already stays: it may be where nothing can be written.
    if fs::metadata(path).is_ok_and(|facts| facts.is_file() && facts.len() == contents.len() as u64)
        && fs::read(path).is_ok_and(|there| there == contents)
    {
        return Ok(());
    }
    check_kind(path, contents)?;
    replace(path, contents)
}

/// A name with its numbers left out: the certificates of a ledger have names that differ in these alone.
fn without_numbers(name: &[u8]) -> Vec<u8> {
    name.iter().copied().filter(|byte| !byte.is_ascii_digit()).collect()
}

/// Whether there is no process of this number, where that can be known.
fn has_ended(process: &[u8]) -> bool {
    let processes = Path::new("/proc");
    processes.join("self").exists()
        && std::str::from_utf8(process).is_ok_and(|number| !processes.join(number).exists())
}

/// Removes what processes that were killed left beside a file: temporary files of its name, whatever numbers are in it, that nobody has written to
/// for an hour, or for two seconds if the process that made them is gone.
fn remove_left_behind(target: &Path, hidden: &OsStr) {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_ours = |name: &[u8]| -> Option<Duration> {
        let (own, process) = name.strip_suffix(b".tmp").and_then(|name| {
            let dot = name.iter().rposition(|byte| *byte == b'.')?;
            Some(name.split_at(dot + 1))
        })?;
        let is_process = !process.is_empty() && process.iter().all(u8::is_ascii_digit);
        let ours = is_process && without_numbers(own) == without_numbers(hidden.as_encoded_bytes());
        ours.then(|| if has_ended(process) { ENDED } else { LEFT_BEHIND })
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Some(age) = is_ours(entry.file_name().as_encoded_bytes()) else { continue };
        let old = |facts: fs::Metadata| {
            facts.is_file() && facts.modified().is_ok_and(|at| at.elapsed().is_ok_and(|since| since > age))
        };
        if entry.metadata().is_ok_and(old) {
            // Nothing to do if somebody else was faster.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The same, whatever the file was.
pub fn replace(path: &Path, contents: &[u8]) -> Result<(), Failure> {
    check_place(path)?;
    let failed = |error: io::Error| cannot("write", path, &error);
    // A link stays one: the file that it leads to is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let before = fs::metadata(&target).ok();
    if before.as_ref().is_some_and(|facts| !facts.is_file()) {
        return fs::OpenOptions::new()
            .write(true)
            .open(&target)
            .and_then(|mut file| file.write_all(contents))
            .map_err(failed);
    }
    let mut hidden = OsString::from(".");
    hidden.push(target.file_name().unwrap_or_default());
    hidden.push(".");
    remove_left_behind(&target, &hidden);
    hidden.push(format!("{}.tmp", std::process::id()));
    let temporary = target.with_file_name(hidden);
    let fill = |file: fs::File| -> io::Result<()> {
        if let Some(before) = &before {
            file.set_permissions(before.permissions())?;
        }
        (&file).write_all(contents)?;
        file.sync_all()
    };
    let written = fs::File::create(&temporary).and_then(fill).and_then(|()| fs::rename(&temporary, &target));
    if written.is_err() {
        // Nothing to do if there is nothing to remove.
        let _ = fs::remove_file(&temporary);
    }
    written.map_err(failed)
}
