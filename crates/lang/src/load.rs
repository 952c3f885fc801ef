//! From a text, or a file and those that it uses, to a program.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::elaborate::elaborate;
use crate::parser::parse;
use crate::program::{Program, SourceHash, Spans};
use crate::syntax::{File, Ident};
use crate::{MAX_SOURCE, Span, too_large};

/// The faults of a file that could not be loaded, with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadError {
    /// The path, as it was given.
    pub path: String,
    /// The text; empty when the file could not be read.
    pub source: String,
    /// All faults, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::render(&self.diagnostics, &self.path, &self.source))
    }
}

impl std::error::Error for LoadError {}

/// Reads the file at `path` and loads it.
///
/// ```
/// let error = probity_lang::load("no/such/file.dp").unwrap_err();
/// assert_eq!(error.diagnostics[0].code, probity_lang::Code::UnreadableFile);
/// ```
pub fn load(path: impl AsRef<Path>) -> Result<Program, LoadError> {
    let name = path.as_ref().display().to_string();
    let unreadable = |reason: String| {
        let message = format!("cannot read {name}: {reason}; expected a UTF-8 text file");
        let fault = Diagnostic { code: Code::UnreadableFile, span: Span::default(), message, hint: None };
        LoadError { path: name.clone(), source: String::new(), diagnostics: vec![fault] }
    };
    let source = read(path.as_ref()).map_err(unreadable)?;
    let folder = path.as_ref().parent().unwrap_or(Path::new(""));
    let mut open = Open { around: vec![canonical(path.as_ref())], files: 1 };
    let loaded = load_within(&source, Some(folder), &mut open);
    loaded.map_err(|diagnostics| LoadError { path: name, source, diagnostics })
}

/// Loads a text whose `use` lines name files of a folder.
pub fn load_text_in(source: &str, folder: &Path) -> Result<Program, Vec<Diagnostic>> {
    load_within(source, Some(folder), &mut Open::default())
}

/// The text of a file that is no device, pipe or folder, and not too large: what has no end is not read.
fn read(path: &Path) -> Result<String, String> {
    let plain = std::fs::metadata(path).map_err(|error| error.to_string())?.is_file();
    if !plain {
        return Err("it is no plain file".into());
    }
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.take(MAX_SOURCE as u64 + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() > MAX_SOURCE {
        return Err(format!("it has more than {MAX_SOURCE} bytes"));
    }
    String::from_utf8(bytes).map_err(|error| error.utf8_error().to_string())
}

/// The one spelling of a path.
fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// Files that call each other this deep are refused.
const MOST_CALLS: usize = 8;

/// Most files that are read for one.
const MOST_FILES: usize = 200;

/// The files that are being loaded, from the outermost inward, and how many were read in all.
#[derive(Default)]
struct Open {
    around: Vec<PathBuf>,
    files: usize,
}

/// The mechanisms that `use` lines name, loaded.
fn called(file: &File, folder: Option<&Path>, open: &mut Open, sink: &mut Sink) -> Vec<(Ident, Program)> {
    let mut found = Vec::new();
    for (path, name) in &file.uses {
        let mut refuse = |message: String, hint: &str| {
            sink.report_with(Code::BadUse, path.span, || (message, Some(hint.to_string())));
        };
        let Some(folder) = folder else {
            refuse(
                "a text that is no file uses none: expected no `use` line".into(),
                "save the text as a file",
            );
            continue;
        };
        let place = folder.join(&path.text);
        if open.around.contains(&canonical(&place)) {
            refuse(
                format!("`{}` uses this file: expected another file", path.text),
                "a mechanism does not call itself",
            );
            continue;
        }
        if open.around.len() >= MOST_CALLS || open.files >= MOST_FILES {
            refuse(
                format!(
                    "`{}` is one file too many: expected at most {MOST_CALLS} that use one another, and {MOST_FILES} in all",
                    path.text
                ),
                "write out the innermost mechanism instead of calling it",
            );
            continue;
        }
        // Else a text would tell by its faults what is in any file that may be read.
        if place.extension().is_none_or(|ending| ending != "dp") {
            refuse(
                format!("`{}` is not used: expected a mechanism file, whose name ends in .dp", path.text),
                "no other file is opened",
            );
            continue;
        }
        open.files += 1;
        let source = match read(&place) {
            Ok(source) => source,
            Err(reason) => {
                refuse(
                    format!("cannot read `{}`: {reason}; expected a mechanism file", path.text),
                    "the path is relative to this file",
                );
                continue;
            }
        };
        open.around.push(canonical(&place));
        let loaded = load_within(&source, place.parent(), open);
        open.around.pop();
        match loaded {
            Ok(program) if program.expect_refuted => {
                refuse(
                    format!("`{}` expects to be refuted: expected a true claim", path.text),
                    "use a proved file",
                );
            }
            Ok(mut program) => {
                // The theorem calls it what this file calls it.
                program.mechanism.name = name.text.as_str().into();
                found.push((name.clone(), program));
            }
            Err(faults) => {
                let message = match faults.first() {
                    Some(first) if first.code == Code::BadUse => {
                        format!("in `{}`: {}", path.text, first.message)
                    }
                    // Its words would be quoted, and it may be a private file that has this ending by mistake.
                    _ => format!("`{}` has faults: expected a mechanism without any", path.text),
                };
                refuse(message, "check that file on its own");
            }
        }
    }
    found
}

/// Loads a text: syntax, names, types, terms. Returns all faults, in the order of the text.
///
/// ```
/// let faults = probity_lang::load_text("mechanism m(x: real)\ny = z\nreturn x +").unwrap_err();
/// let codes: Vec<&str> = faults.iter().map(|fault| fault.code.name()).collect();
/// assert_eq!(codes, ["E0301", "E0201", "E0205", "E0205"]);
/// ```
pub fn load_text(source: &str) -> Result<Program, Vec<Diagnostic>> {
    load_within(source, None, &mut Open::default())
}

fn load_within(source: &str, folder: Option<&Path>, open: &mut Open) -> Result<Program, Vec<Diagnostic>> {
    if let Some(fault) = too_large(source) {
        return Err(vec![fault]);
    }
    let mut sink = Sink::default();
    let file = parse(source, &mut sink);
    let uses = called(&file, folder, open, &mut sink);
    let elaborated = elaborate(&file, &uses, &mut sink);
    let clean = sink.is_clean();
    let diagnostics = sink.finish();
    let (Some(elaborated), true) = (elaborated, clean) else { return Err(diagnostics) };
    let spans = Spans {
        name: file.name.as_ref().map_or(Span::default(), |name| name.span),
        inputs: file.inputs.iter().map(|input| input.name.span).collect(),
        params: file.params.iter().map(|param| param.name.span).collect(),
        statements: elaborated.statement_spans,
        neighbours: file.neighbours.iter().map(|clause| clause.span).collect(),
        claim: file.claim.as_ref().map_or(Span::default(), |claim| claim.span),
    };
    Ok(Program {
        mechanism: elaborated.mechanism,
        claim: elaborated.claim,
        truth_lists: elaborated.truth_lists,
        hints: elaborated.hints,
        expect_refuted: file.expect_refuted.is_some(),
        spans,
        source_hash: SourceHash::of(source),
        warnings: diagnostics,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_over_entries_is_a_loop_over_places() {
        let text = "mechanism m(q: real[])\nparam v_index > 0\nsum = v_index\nfor v in q {\nsum = sum + v\n}\n\
                    for v in q {\nsum = sum - v\n}\nreturn sum\nneighbours one entry of q differs by at most 1\nclaim 1";
        let program = load_text(text).unwrap();
        let shown = program.mechanism.to_string();
        assert!(shown.contains("for v_index_ in 0..length(q) {\n  v = q[v_index_]\n"), "{shown}");
        assert!(shown.contains("for v_index__ in 0..length(q) {\n  v = q[v_index__]\n"), "{shown}");
    }

    #[test]
    fn a_change_without_a_size_shows_what_to_write() {
        let text = "mechanism m(c: category(4)[])\nreturn 0\nneighbours one entry of c differs\nclaim 1";
        let faults = load_text(text).unwrap_err();
        assert_eq!(faults.len(), 1);
        assert!(faults[0].message.contains("`by at most` and a number"), "{}", faults[0].message);
        assert!(faults[0].hint.as_deref().is_some_and(|hint| hint.contains("by at most k - 1")));
    }

    #[test]
    fn integers_do_not_index_once_they_are_real() {
        // `i` holds a real further down, in the loop.
        let text = "mechanism m(q: real[])\ni = 0\nfor k in 0..3 {\ny = q[i]\ni = i + 0.5\n}\nreturn i\n\
                    neighbours one entry of q differs by at most 1\nclaim 1";
        let codes: Vec<Code> = load_text(text).unwrap_err().iter().map(|d| d.code).collect();
        assert_eq!(codes, [Code::WrongType]);
    }
}
