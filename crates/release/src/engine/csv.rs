//! The embedded pass over CSV files: streaming, exact, parallel by pieces of whole records, in memory that does not depend on the
//! number of rows.
//!
//! A record longer than [`MAX_RECORD`] is dropped, like a row that cleaning drops: an unclosed quote cannot fill the memory. That a
//! stray quote can swallow rows of other people is a fault of the file which no theorem covers; the manual says so.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use flate2::read::MultiGzDecoder;

use super::clean::Cleaner;
use super::compiled::{Compiled, Sums, workers};
use super::keys::{Finder, Found};
pub use super::record::Record;
use super::record::each_record;
use super::rows::places;
use super::split::Splitter;
use super::{Counts, Engine, Exact, cannot_find_keys};
use crate::query::Plan;
use crate::refusal::{Answer, Refusal};

/// Bytes that are read at once.
const BLOCK: usize = 1 << 18;
/// The longest record, in bytes.
pub const MAX_RECORD: usize = 1 << 20;
/// The largest public table, in bytes.
const MAX_PUBLIC: usize = 256 << 20;
/// The longest header, in bytes.
const MAX_HEADER: usize = 1 << 20;

/// What takes a table as it is read.
pub trait Reader {
    /// The names of the columns, before any record. Answers how many columns are wanted of each record, from the first.
    ///
    /// # Errors
    /// When these are not the columns that it needs.
    fn header(&mut self, names: &[String]) -> Answer<usize>;

    /// A record.
    fn record(&mut self, record: &Record);
}

/// A table in CSV files that have one header.
#[derive(Debug, Clone)]
pub struct Csv {
    paths: Vec<PathBuf>,
}

fn cannot(path: &Path, error: &io::Error) -> Refusal {
    let reason = match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        _ => error.to_string(),
    };
    Refusal::input(format!("cannot read {}: {reason}", path.display())).hint(
        "a table is a file that can be read, several by a pattern as 'part-*.csv', or - for standard input",
    )
}

/// Standard input, or a file; unpacked if it begins as gzip does.
fn open(path: &Path) -> Answer<Box<dyn Read + Send>> {
    let source: Box<dyn Read + Send> = match path == Path::new("-") {
        true => Box::new(io::stdin()),
        false => {
            if path.is_dir() {
                return Err(cannot(path, &io::ErrorKind::IsADirectory.into()));
            }
            Box::new(File::open(path).map_err(|error| cannot(path, &error))?)
        }
    };
    let mut source = source;
    let mut start = [0; 2];
    let mut known = 0;
    while known < 2 {
        match source.read(&mut start[known..]) {
            Ok(0) => break,
            Ok(read) => known += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(cannot(path, &error)),
        }
    }
    let all = io::Cursor::new(start[..known].to_vec()).chain(source);
    Ok(if start[..known] == [0x1f, 0x8b] { Box::new(MultiGzDecoder::new(all)) } else { Box::new(all) })
}

/// Reads as much as there is room for, or to the end.
fn fill(path: &Path, source: &mut dyn Read, buffer: &mut Vec<u8>, most: usize) -> Answer<usize> {
    let before = buffer.len();
    source.take(most as u64).read_to_end(buffer).map_err(|error| cannot(path, &error))?;
    Ok(buffer.len() - before)
}

impl Csv {
    /// The files that a path stands for: itself, standard input for `-`, or all files that match a `*` in its last part.
    ///
    /// # Errors
    /// When there is none.
    pub fn new(path: &Path) -> Answer<Csv> {
        Ok(Csv { paths: files(path)? })
    }

    /// The header. Of standard input this is all that can be read once: ask for sums instead.
    ///
    /// # Errors
    /// When there is none, or the files have different ones.
    pub fn header(&self) -> Answer<Vec<String>> {
        let mut known: Option<Vec<String>> = None;
        for path in &self.paths {
            let (header, ..) = start(path)?;
            if known.as_ref().is_some_and(|known| *known != header) {
                return Err(Refusal::input(format!(
                    "{} has another header than {}",
                    path.display(),
                    self.paths[0].display()
                )));
            }
            known = Some(header);
        }
        known.ok_or_else(|| Refusal::input("there is no file"))
    }

    /// All records behind the header, if they are not more than so many: a public table.
    ///
    /// # Errors
    /// When the files cannot be read, or are too large for a public table.
    pub fn records(&self, most: usize) -> Answer<(Vec<String>, Vec<Vec<String>>)> {
        let header = if self.is_stream() { None } else { Some(self.header()?) };
        let mut found: Vec<Vec<String>> = Vec::new();
        let mut names = header.unwrap_or_default();
        for path in &self.paths {
            let (own, mut bytes, mut source) = start(path)?;
            names = own;
            while fill(path, &mut source, &mut bytes, BLOCK)? > 0 {
                if bytes.len() > MAX_PUBLIC {
                    return Err(Refusal::input(format!(
                        "{} is too large for a public table",
                        path.display()
                    )));
                }
            }
            each_record(&bytes, usize::MAX, |record| {
                let fields = (0..record.count())
                    .map(|place| String::from_utf8_lossy(record.field(place)).trim().to_owned());
                found.push(fields.collect());
            });
        }
        match found.len() <= most {
            true => Ok((names, found)),
            false => {
                Err(Refusal::input(format!("the table has {} rows; at most {most} are read", found.len())))
            }
        }
    }

    /// Reads the table record by record, in memory that does not depend on how many there are. A record longer than [`MAX_RECORD`] is none.
    ///
    /// # Errors
    /// When the files cannot be read, or the reader does not take a header.
    pub fn read(&self, reader: &mut dyn Reader) -> Answer<()> {
        // Of all files before any row.
        if !self.is_stream() {
            self.header()?;
        }
        for path in &self.paths {
            let (wanted, reader) = (Cell::new(1), RefCell::new(&mut *reader));
            let header = |names: &[String]| {
                wanted.set(reader.borrow_mut().header(names)?.max(1));
                Ok(())
            };
            let piece = |piece: Vec<u8>| {
                let mut reader = reader.borrow_mut();
                each_record(&piece, wanted.get(), |record| {
                    if record.size() <= MAX_RECORD {
                        reader.record(record);
                    }
                });
            };
            feed(path, header, piece, |_| {})?;
        }
        Ok(())
    }

    /// Whether it is standard input, which can be read once.
    pub fn is_stream(&self) -> bool {
        self.paths.iter().any(|path| path == Path::new("-"))
    }
}

/// Whether a path leads to a pipe, a device or the like: something that cannot be opened a second time from its start. Where there is no
/// Linux, `/dev/stdin` and its kin go on where they were even if a plain file stands behind them.
fn reads_once(path: &Path) -> bool {
    let special = std::fs::metadata(path).is_ok_and(|facts| !facts.is_file() && !facts.is_dir());
    special || (!cfg!(target_os = "linux") && path.starts_with("/dev"))
}

/// The files that a path stands for: itself, or all that match the `*` and `?` in its last part. A file of that very name comes first.
///
/// A table is opened more than once, for its header and for its rows. What is no plain file would go on in the middle, and somebody's
/// record would be taken for the header, so it is refused here, where every table of files comes from, before anything is paid.
pub(super) fn files(path: &Path) -> Answer<Vec<PathBuf>> {
    if path != Path::new("-") && reads_once(path) {
        return Err(Refusal::input(format!(
            "{} is no plain file but a pipe or a device, which can be read only once",
            path.display()
        ))
        .hint("write - in its place and give the table on standard input: … --data people=- < table; or keep it in a file"));
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if !name.contains(['*', '?']) || path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).map_err(|error| cannot(folder, &error))?;
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.is_file() && path.file_name().is_some_and(|file| matches(&name, &file.to_string_lossy()))
        })
        .collect();
    paths.sort();
    match paths.is_empty() {
        true => Err(Refusal::input(format!("no file matches {}", path.display()))
            .hint("`*` stands for any characters of a name, `?` for one")),
        false => Ok(paths),
    }
}

/// Whether a name matches a pattern in which `*` stands for any characters, and `?` for one.
fn matches(pattern: &str, name: &str) -> bool {
    let alike = |start: &str, name: &str| {
        start.chars().zip(name.chars()).all(|(wanted, c)| wanted == '?' || wanted == c)
    };
    let behind =
        |name: &str, count: usize| name.char_indices().map(|(at, _)| at).chain([name.len()]).nth(count);
    let (start, rest) = pattern.split_once('*').map_or((pattern, None), |(start, rest)| (start, Some(rest)));
    match (behind(name, start.chars().count()).filter(|_| alike(start, name)), rest) {
        (None, _) => false,
        (Some(at), None) => at == name.len(),
        (Some(at), Some(rest)) => {
            (at..=name.len()).any(|at| name.is_char_boundary(at) && matches(rest, &name[at..]))
        }
    }
}

/// A file's header, the bytes that were read behind it, and the rest.
type Started = (Vec<String>, Vec<u8>, Box<dyn Read + Send>);

/// What is left of a file behind the place that cannot be read: the same error, whenever it is asked for more.
struct Failing(io::ErrorKind, String);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::new(self.0, self.1.clone()))
    }
}

fn start(path: &Path) -> Answer<Started> {
    let mut source = open(path)?;
    // As much for every file: what is allocated before anything is paid tells nothing of the rows.
    let mut bytes = Vec::with_capacity(BLOCK);
    let mut splitter = Splitter::default();
    let (mut seen, mut end) = (0, None);
    while end.is_none() {
        let before = bytes.len();
        // A fault behind the header is one of the rows: it is met when they are read, wherever the file is short enough to end here.
        let failed = source.by_ref().take(BLOCK as u64).read_to_end(&mut bytes).err();
        let read = bytes.len() - before;
        if seen == 0 {
            check_encoding(path, &mut bytes)?;
            // Empty lines before the header.
            let blank = bytes.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
            bytes.drain(..blank);
        }
        end = splitter.first_end(&bytes[seen..]).map(|at| seen + at);
        seen = bytes.len();
        if let Some(error) = failed {
            if end.is_none() {
                return Err(cannot(path, &error));
            }
            source = Box::new(Failing(error.kind(), error.to_string()));
        } else if read == 0 {
            end = end.or(Some(bytes.len()));
        } else if end.is_none() && bytes.len() > MAX_HEADER {
            return Err(Refusal::input(format!(
                "the first line of {} is too long for a header",
                path.display()
            )));
        }
    }
    let first: Vec<u8> = bytes.drain(..end.unwrap_or(bytes.len())).collect();
    let mut header: Option<Vec<String>> = None;
    each_record(&first, usize::MAX, |record| {
        let names =
            (0..record.count()).map(|place| String::from_utf8_lossy(record.field(place)).trim().to_owned());
        header.get_or_insert_with(|| names.collect());
    });
    let header = header.ok_or_else(|| {
        Refusal::input(format!("{} is empty: it has no header", path.display()))
            .hint("its first line must name the columns")
    })?;
    Ok((header, bytes, source))
}

/// UTF-8 and what contains ASCII as it is; a byte order mark is taken away.
fn check_encoding(path: &Path, bytes: &mut Vec<u8>) -> Answer<()> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Refusal::input(format!("{} is written in UTF-16", path.display()))
            .hint("convert it to UTF-8 first, as iconv -f UTF-16 -t UTF-8 does"));
    }
    if bytes.starts_with(&[0xef, 0xbb, 0xbf]) {
        bytes.drain(..3);
    }
    Ok(())
}

impl Engine for Csv {
    fn check(&self, plan: &Plan) -> Answer<()> {
        // What can be read only once is looked at when it is read.
        if self.is_stream() { Ok(()) } else { places(plan, &self.header()?).map(drop) }
    }

    fn sums(&self, plan: &Plan, progress: &(dyn Fn(u64, u64) + Sync)) -> Answer<Exact> {
        let compiled = Compiled::new(plan);
        let add = |sums: &mut Sums, record: &Record, places: &[usize], values: &[i64], kept: bool| {
            let user = places.get(values.len()).map_or(&[][..], |place| record.field(*place).trim_ascii());
            compiled.add(sums, user, values, kept);
        };
        let parts = self.pass(plan, progress, &|| compiled.sums(), &add)?;
        compiled.finish(parts).ok_or_else(stopped)
    }

    fn finds_keys(&self) -> bool {
        true
    }

    fn keys(&self, plan: &Plan, progress: &(dyn Fn(u64, u64) + Sync)) -> Answer<Counts> {
        let finder = Finder::new(plan).ok_or_else(cannot_find_keys)?;
        let add = |found: &mut Found, record: &Record, places: &[usize], values: &[i64], kept: bool| {
            finder.add(found, record.field(places[finder.field]), values, kept);
        };
        Ok(finder.finish(self.pass(plan, progress, &Found::default, &add)?))
    }
}

fn stopped() -> Refusal {
    Refusal::input("a worker of the pass stopped; please report it")
}

impl Csv {
    /// One pass: what each worker has made of its records, with `add` called for each of them with the values of the plan's fields, and
    /// whether the row is kept.
    fn pass<S: Send>(
        &self,
        plan: &Plan,
        progress: &(dyn Fn(u64, u64) + Sync),
        nothing: &(impl Fn() -> S + Sync),
        add: &(impl Fn(&mut S, &Record, &[usize], &[i64], bool) + Sync),
    ) -> Answer<Vec<S>> {
        let cleaners: Vec<Cleaner> = plan.fields.iter().map(Cleaner::new).collect();
        let workers = workers();
        let (sender, receiver) = sync_channel::<(Vec<u8>, usize)>(workers);
        let receiver = Mutex::new(receiver);
        let all: u64 =
            self.paths.iter().filter_map(|path| std::fs::metadata(path).ok()).map(|facts| facts.len()).sum();
        let columns: Vec<Mutex<Vec<usize>>> = self.paths.iter().map(|_| Mutex::default()).collect();
        let parts = thread::scope(|scope| {
            let pass = || work(&receiver, nothing(), add, &cleaners, &columns);
            let running: Vec<_> = (0..workers).map(|_| scope.spawn(pass)).collect();
            let mut done = 0;
            let mut result = Ok(());
            for (file, path) in self.paths.iter().enumerate() {
                let told = |read: u64| progress(done + read, all);
                let places = |header: &[String]| {
                    let found = places(plan, header)?;
                    *columns[file].lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = found;
                    Ok(())
                };
                // The receiver lives as long as this scope, so sending does not fail.
                result = feed(path, places, |piece| drop(sender.send((piece, file))), told);
                if result.is_err() {
                    break;
                }
                done += std::fs::metadata(path).map_or(0, |facts| facts.len());
            }
            drop(sender);
            let parts: Vec<Option<S>> = running.into_iter().map(|worker| worker.join().ok()).collect();
            result.map(|()| parts)
        })?;
        parts.into_iter().collect::<Option<Vec<S>>>().ok_or_else(stopped)
    }
}

/// Reads a file and sends it on in pieces of whole records.
fn feed(
    path: &Path,
    mut header: impl FnMut(&[String]) -> Answer<()>,
    mut send: impl FnMut(Vec<u8>),
    progress: impl Fn(u64),
) -> Answer<()> {
    let (names, mut piece, mut source) = start(path)?;
    header(&names)?;
    let mut splitter = Splitter::default();
    let mut end = splitter.last_end(&piece);
    let mut total = piece.len() as u64;
    // Set while a record too long to be kept goes by: where its first bytes ended.
    let mut dropped: Option<Splitter> = None;
    loop {
        if let Some(end) = end {
            let rest = piece[end..].to_vec();
            piece.truncate(end);
            if let Some(mut inside) = dropped.take() {
                let first = inside.first_end(&piece).unwrap_or(piece.len());
                piece.drain(..first);
            }
            send(std::mem::replace(&mut piece, rest));
        }
        if piece.len() > 4 * MAX_RECORD || dropped.is_some() {
            // Quotes and commas at most triple a record, so this one is too long wherever the pieces are cut.
            piece.clear();
            dropped = Some(splitter.clone());
        }
        let known = piece.len();
        piece.reserve(BLOCK);
        let read = fill(path, &mut source, &mut piece, BLOCK)?;
        if read == 0 {
            break;
        }
        total += read as u64;
        progress(total);
        end = splitter.last_end(&piece[known..]).map(|at| known + at);
    }
    if dropped.is_none() {
        send(piece);
    }
    Ok(())
}

/// Takes pieces until there are no more.
fn work<S>(
    receiver: &Mutex<Receiver<(Vec<u8>, usize)>>,
    mut made: S,
    add: &impl Fn(&mut S, &Record, &[usize], &[i64], bool),
    cleaners: &[Cleaner],
    columns: &[Mutex<Vec<usize>>],
) -> S {
    let mut values = vec![0i64; cleaners.len()];
    loop {
        let next = receiver.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).recv();
        let Ok((piece, file)) = next else { return made };
        let places = columns[file].lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone();
        let wanted = places.iter().max().map_or(1, |last| last + 1);
        each_record(&piece, wanted, |record| {
            let mut kept = record.size() <= MAX_RECORD;
            // By number: iterators side by side are not always made one loop, and this is where the time goes.
            for (column, cleaner) in cleaners.iter().enumerate() {
                let cleaned = cleaner.clean_at(record.bytes(), record.place(places[column]));
                kept &= cleaned.is_some();
                values[column] = cleaned.unwrap_or(0);
            }
            add(&mut made, record, &places, &values, kept);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header of a file whose rows are damaged is read, so that short and long files fail alike: when their rows are read.
    #[test]
    fn a_fault_of_the_rows_is_none_of_the_header() {
        let path = std::env::temp_dir().join(format!("probity-damaged-{}.csv.gz", std::process::id()));
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        io::Write::write_all(&mut packed, b"a,b\n1,2\n").unwrap();
        let whole = packed.finish().unwrap();
        let checksum = whole.len() - 8;
        for cut in [false, true] {
            let mut damaged = whole.clone();
            damaged[checksum] ^= 1;
            if cut {
                damaged.truncate(checksum + 2);
            }
            std::fs::write(&path, &damaged).unwrap();
            let table = Csv::new(&path).unwrap();
            assert_eq!(table.header().unwrap(), ["a", "b"]);
            let refusal = table.records(9).unwrap_err();
            assert!(refusal.message.starts_with("cannot read"), "{refusal}");
            let fed = feed(&path, |_| Ok(()), |_| {}, |_| {});
            assert!(fed.is_err());
        }
        std::fs::write(&path, &whole).unwrap();
        assert_eq!(Csv::new(&path).unwrap().records(9).unwrap().1, [["1", "2"]]);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn patterns() {
        assert!(
            matches("a*.csv", "a1.csv") && matches("*", "") && matches("*b*", "abc") && matches("a", "a")
        );
        assert!(matches("a?.csv", "a1.csv") && matches("?*", "ä") && matches("a?*c", "abxc"));
        assert!(!matches("a?.csv", "a12.csv") && !matches("a?.csv", "a.csv") && !matches("?*", ""));
        assert!(!matches("a*.csv", "b1.csv") && !matches("a*.csv", "a.csv.gz") && !matches("*b", "abc"));
    }
}
