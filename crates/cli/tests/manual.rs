//! `docs/` is true: every command on its pages is run, and must print what the page says it prints.
//!
//! A block marked `console` holds commands after `$ ` and, below each, what it prints (standard output and errors
//! together). In the expected text `…` stands for anything within a line, and a line of `…` alone for any lines.
//! A block marked `dp NAME` is written to the file NAME first. Each page runs in a folder of its own that looks
//! like the root of the repository, so that pages may write files.
//!
//! With `UPDATE_MANUAL=1` in the environment, output that differs is written into the pages instead: read the
//! difference before you keep it.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::root;

/// A fenced block of a page.
struct Block<'a> {
    /// What follows the opening fence.
    mark: &'a str,
    text: String,
    /// The number of its first line, from 1.
    line: usize,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for (index, line) in page.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(mark)) => open = Some(Block { mark, text: String::new(), line: index + 2 }),
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    found
}

/// Whether a line is what is expected; `…` stands for any text.
fn line_matches(expected: &str, actual: &str) -> bool {
    let mut parts = expected.split('…');
    let Some(mut rest) = actual.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Whether all lines are what is expected; a line `…` stands for any number of lines.
fn matches(expected: &[&str], actual: &[&str]) -> bool {
    match expected.split_first() {
        None => actual.is_empty(),
        Some((&"…", rest)) => (0..=actual.len()).any(|skipped| matches(rest, &actual[skipped..])),
        Some((first, rest)) => actual
            .split_first()
            .is_some_and(|(line, others)| line_matches(first, line) && matches(rest, others)),
    }
}

/// A folder with what the commands of the manual read: a small copy of the repository.
struct Workplace(PathBuf);

impl Workplace {
    fn new(page: &Path) -> Workplace {
        let name = page.file_stem().unwrap().to_string_lossy().into_owned();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("manual-{name}"));
        let _ = fs::remove_dir_all(&folder);
        for part in ["mechanisms", "certificates", "examples/data"] {
            copy(&root().join(part), &folder.join(part));
        }
        Workplace(folder)
    }

    /// Runs a line of a shell in which `probity` is the command under test and `$?` the status of the line before.
    /// Answers with what was printed and the status.
    fn run(&self, line: &str, before: i32) -> (String, i32) {
        let command = Path::new(env!("CARGO_BIN_EXE_probity")).parent().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let output = Command::new("sh")
            .args(["-c", &format!("exec 2>&1; (exit {before}); {line}")])
            .env("PATH", format!("{}:{path}", command.display()))
            // A page is true on a slow machine too.
            .env("PROBITY_SECONDS", "120")
            .current_dir(&self.0)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap_or(-1))
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// A command that prints something else than its page says.
#[derive(Debug, PartialEq)]
struct Difference {
    place: String,
    command: String,
    expected: String,
    printed: String,
}

impl Difference {
    fn shown(&self) -> String {
        let Difference { place, command, expected, printed } = self;
        format!("{place}\n$ {command}\n--- expected\n{expected}\n--- printed\n{printed}\n")
    }

    /// The page with what was printed in the place of what was expected; times become `…`.
    fn mend(&self, page: &str) -> String {
        let block =
            |text: &str| format!("$ {}\n{text}{}", self.command, if text.is_empty() { "" } else { "\n" });
        let printed: Vec<String> = self.printed.lines().map(without_time).collect();
        page.replacen(&block(&self.expected), &block(&printed.join("\n")), 1)
    }
}

/// A line with a time at its end, `0.123 s` or `"seconds": 0.123`, as `…`.
fn without_time(line: &str) -> String {
    let is_number =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || ".e-".contains(c));
    if let Some((before, after)) = line.split_once("\"seconds\": ") {
        let comma = if after.ends_with(',') { "," } else { "" };
        return format!("{before}\"seconds\": …{comma}");
    }
    let (before, time) = match line.strip_suffix(" s") {
        Some(rest) => rest.rsplit_once(' ').map_or(("", rest), |(before, time)| (before, time)),
        None => return line.to_owned(),
    };
    match (is_number(time), before) {
        (true, "") => "… s".to_owned(),
        (true, before) => format!("{before} … s"),
        (false, _) => line.to_owned(),
    }
}

/// Runs the blocks of a page. Answers with the number of commands and what is wrong.
fn try_page(name: &Path, page: &str) -> (usize, Vec<Difference>) {
    let place = Workplace::new(name);
    let (mut commands, mut wrong) = (0, Vec::new());
    for block in blocks(page) {
        if let Some(file) = block.mark.strip_prefix("dp ") {
            fs::write(place.0.join(file), &block.text).unwrap();
        }
        if block.mark != "console" {
            continue;
        }
        let mut status = 0;
        for part in format!("\n{}", block.text).split("\n$ ").skip(1) {
            let (line, expected) = part.split_once('\n').unwrap_or((part, ""));
            let (printed, code) = place.run(line, status);
            (status, commands) = (code, commands + 1);
            let expected = expected.trim_end_matches('\n');
            let printed = printed.trim_end_matches('\n');
            let (wanted, got): (Vec<_>, Vec<_>) = (expected.lines().collect(), printed.lines().collect());
            if !matches(&wanted, &got) {
                let place = format!("{}, block at line {}", name.display(), block.line);
                let [command, expected, printed] = [line, expected, printed].map(str::to_owned);
                wrong.push(Difference { place, command, expected, printed });
            }
        }
    }
    (commands, wrong)
}

fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(pages(&path));
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn every_command_prints_what_its_page_says() {
    let (mut commands, mut wrong) = (0, Vec::new());
    for path in pages(&root().join("docs")) {
        let mut page = fs::read_to_string(&path).unwrap();
        let (count, differences) = try_page(&path, &page);
        commands += count;
        wrong.extend(differences.iter().map(Difference::shown));
        if std::env::var_os("UPDATE_MANUAL").is_some() && !differences.is_empty() {
            differences.iter().for_each(|difference| page = difference.mend(&page));
            fs::write(&path, page).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(commands >= 40, "only {commands} commands were found");
}

#[test]
fn a_page_that_lies_is_caught() {
    let page =
        "```console\n$ probity map discrete-laplace --scale 2\n…\nat d_in = 1: ε = 0.25\n$ echo $?\n1\n```\n";
    let (commands, wrong) = try_page(Path::new("lying.md"), page);
    assert_eq!((commands, wrong.len()), (2, 2), "{wrong:?}");
    let honest = page.replace("0.25", "0.5").replace("\n1\n", "\n0\n");
    assert_eq!(try_page(Path::new("honest.md"), &honest), (2, vec![]));
    // What is mended is right afterwards.
    let mended = wrong.iter().fold(page.to_owned(), |page, difference| difference.mend(&page));
    assert_eq!(try_page(Path::new("mended.md"), &mended), (2, vec![]));
}

#[test]
fn times_are_left_out() {
    assert_eq!(without_time("0.123 s"), "… s");
    assert_eq!(without_time("A lower bound.  0.123 s"), "A lower bound.  … s");
    assert_eq!(without_time("  \"seconds\": 1.5e-5,"), "  \"seconds\": …,");
    assert_eq!(without_time("it takes minutes"), "it takes minutes");
}

#[test]
fn an_ellipsis_stands_for_what_is_left_out_and_nothing_else() {
    assert!(line_matches("took … s", "took 0.012 s"));
    assert!(line_matches("… and … s", "one and 2 s"));
    assert!(!line_matches("took … s", "took 0.012 ms!"));
    assert!(!line_matches("took", "took 1"));
    assert!(!line_matches("ab…ba", "aba"));
    assert!(matches(&["a", "…", "c"], &["a", "b", "b", "c"]));
    assert!(matches(&["a", "…"], &["a"]));
    assert!(!matches(&["a", "…", "c"], &["a", "b"]));
    assert!(!matches(&["a"], &["a", "b"]));
}

/// The targets of the links in a page that lead to files of the repository.
fn links(page: &str) -> Vec<String> {
    let outside_code: String = page.split("```").step_by(2).collect();
    let inline = outside_code.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let named =
        outside_code.lines().filter_map(|line| line.strip_prefix('[')?.split_once("]: ").map(|(_, to)| to));
    inline
        .chain(named)
        .map(|target| target.split('#').next().unwrap_or_default().to_owned())
        .filter(|target| !target.is_empty() && !target.contains(':') && !target.contains(' '))
        .collect()
}

#[test]
fn every_link_leads_somewhere() {
    assert_eq!(links("[a](b.md) and [c][d]\n```\n[x](y)\n```\n[d]: e.md#f\n"), ["b.md", "e.md"]);
    for path in pages(&root().join("docs")) {
        for target in links(&fs::read_to_string(&path).unwrap()) {
            let to = path.parent().unwrap().join(&target);
            assert!(to.exists(), "{} links to {target}", path.display());
        }
    }
}

/// How many lines a file of a library, or all in a folder, has without unit tests, and how many of them are code.
fn size(path: &Path) -> (usize, usize) {
    if path.is_dir() {
        let inside = fs::read_dir(path).unwrap().map(|entry| size(&entry.unwrap().path()));
        return inside.fold((0, 0), |(lines, code), more| (lines + more.0, code + more.1));
    }
    let text = fs::read_to_string(path).unwrap();
    let library = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
    (library.lines().count(), library.lines().filter(is_code).count())
}

/// The table in `docs/trust.md` is an upper bound, and not more than half as much again.
#[test]
fn the_trusted_crates_are_as_small_as_the_manual_says() {
    let page = fs::read_to_string(root().join("docs/trust.md")).unwrap();
    for name in ["trusted/exact", "trusted/kernel"] {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{name}` |"))).unwrap();
        let stated: Vec<usize> = row.split('|').filter_map(|cell| cell.trim().parse().ok()).collect();
        let (lines, code) = size(&root().join(name).join("src"));
        for (stated, found) in stated.iter().zip([lines, code]) {
            assert!(
                found <= *stated && *stated <= found * 3 / 2,
                "{name} has {found}, the page says {stated}"
            );
        }
        assert_eq!(stated.len(), 2);
    }
}

/// The rows of `docs/trust.md` that say what of the kernel is read when: files, and the most lines of code they have.
fn reading_list(page: &str) -> Vec<(Vec<String>, usize)> {
    let rows = page.lines().skip_while(|line| !line.starts_with("| of `trusted/kernel/src`")).skip(2);
    let row = |line: &str| {
        let mut cells = line.split('|').skip(1);
        let files = cells.next()?.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        Some((files, cells.next()?.trim().parse().ok()?))
    };
    rows.map_while(row).collect()
}

#[test]
fn every_file_of_the_kernel_is_on_the_reading_list_once() {
    let page = fs::read_to_string(root().join("docs/trust.md")).unwrap();
    let kernel = root().join("trusted/kernel/src");
    let rows = reading_list(&page);
    for (files, stated) in &rows {
        let found: usize = files.iter().map(|file| size(&kernel.join(file)).1).sum();
        assert!(
            found <= *stated && *stated <= found * 5 / 4,
            "{files:?} have {found}, the page says {stated}"
        );
    }
    // The proof core: rules and arithmetic that every proof rests on.
    let core =
        ["rules.rs", "evidence/entail.rs"].map(|file| rows.iter().find(|row| row.0.contains(&file.into())));
    let stated: usize = core.iter().flatten().map(|row| row.1).sum();
    assert!(
        page.contains(&format!("third and fourth row: at most {stated} lines")) && stated <= 2200,
        "{stated}"
    );
    let mut listed: Vec<_> = rows.into_iter().flat_map(|(files, _)| files).collect();
    listed.extend(["lib.rs", "text.rs", "evidence.rs"].map(str::to_owned));
    listed.sort();
    let mut there = Vec::new();
    let within = ["equivalence", "finite", "sampling", "select"].map(|room| format!("rules/{room}"));
    let rooms = ["", "text", "evidence", "privacy", "rules"].map(str::to_owned);
    for room in rooms.into_iter().chain(within) {
        for entry in fs::read_dir(kernel.join(&room)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "rs") {
                there.push(path.strip_prefix(&kernel).unwrap().to_string_lossy().into_owned());
            }
        }
    }
    there.sort();
    assert_eq!(listed, there);
    assert_eq!(
        reading_list("| of `trusted/kernel/src` |\n|---|\n| `a.rs`, `b.rs` | 7 | x |\n\n| `c.rs` | 8 |")
            .len(),
        1
    );
}
