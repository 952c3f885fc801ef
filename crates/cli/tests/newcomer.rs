//! What a newcomer tries: examples from the help, misspelt names, files and places that are wrong, interrupted work.

#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{answer, fresh, root};

fn probity(arguments: &[&str], place: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
    command.args(arguments).current_dir(place).stdin(Stdio::null()).env("PROBITY_SECONDS", "120");
    command
}

/// The exit code, standard output and standard error.
fn run_in(place: &Path, arguments: &[&str]) -> (i32, String, String) {
    answer(&mut probity(arguments, place))
}

fn run(line: &str) -> (i32, String, String) {
    run_in(&root(), &line.split(' ').collect::<Vec<_>>())
}

/// A command is refused with exit code 2, nothing on standard output, and these words in the message.
#[track_caller]
fn refused(line: &str, words: &[&str]) {
    let (code, printed, errors) = run(line);
    assert_eq!((code, printed.as_str()), (2, ""), "{line}\n{errors}");
    for word in words {
        assert!(errors.contains(word), "{line} says\n{errors}\nand not {word}");
    }
    assert!(!errors.contains("panicked") && !errors.contains("os error"), "{errors}");
}

/// A fresh folder.
fn folder(name: &str) -> PathBuf {
    fresh(&format!("newcomer-{name}"))
}

/// The names of all that is in a folder.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The words of a command, as a shell takes them: what stands in quotes is one.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = None;
    for c in command.chars() {
        match (c, words.last_mut()) {
            ('\'' | '"', _) if quoted == Some(c) => quoted = None,
            ('\'' | '"', _) if quoted.is_none() => quoted = Some(c),
            (' ', _) if quoted.is_none() => words.push(String::new()),
            (c, Some(word)) => word.push(c),
            (_, None) => {}
        }
    }
    words
}

#[test]
fn the_examples_of_the_help_work() {
    let place = folder("examples");
    for part in ["mechanisms", "certificates", "crates", "examples"] {
        symlink(root().join(part), place.join(part)).unwrap();
    }
    symlink(root().join("examples/data/people.csv"), place.join("people.csv")).unwrap();
    let (_, help, _) = run("--help");
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next().filter(|name| !name.is_empty()))
        .collect();
    assert!(commands.len() >= 14, "{commands:?}");
    let mut examples = 0;
    for command in commands {
        if command == "help" || command == "-h," || command == "-V," {
            continue;
        }
        let (code, help, _) = run(&format!("{command} --help"));
        assert_eq!(code, 0, "{command}");
        // A long example goes over several lines.
        if let Some((_, example)) = help.split_once("Example: probity ") {
            let example = example.lines().take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
            let words = words(&example);
            let (code, _, errors) = run_in(&place, &words.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(code, 0, "{example}\n{errors}");
            examples += 1;
        }
        let (code, page, _) = run(&format!("man {command}"));
        assert!(code == 0 && page.contains(&format!(".TH probity-{command} 1")), "{page}");
    }
    assert!(examples >= 13, "only {examples} examples");
    refused("man verfy", &["did you mean verify?"]);
}

#[test]
fn misspelt_names_have_a_nearest() {
    refused("verify mechanisms/laplac.dp", &["there is no such file", "did you mean mechanisms/laplace.dp?"]);
    refused("verify laplace", &["did you mean mechanisms/laplace.dp?"]);
    refused(
        "verify mechanisms --set esp=1",
        &["no file in mechanisms has a parameter esp", "did you mean eps?"],
    );
    for command in ["verify", "explain", "certify", "report --out x.html"] {
        refused(
            &format!("{command} mechanisms/laplace.dp --set esp=1"),
            &["has no parameter esp", "did you mean eps?"],
        );
    }
    refused("certify mechanisms/snapping.dp --set esp=1..2 --set B=1", &["did you mean eps?"]);
    refused("audit mechanisms/snapping.dp --search --set esp=1..2 --set B=1", &["did you mean eps?"]);
    refused("audit mechanisms/smart_sum.dp --inputs qq=1,2 qq=1,3 --set eps=1 --set M=1", &["no input qq"]);
    refused("roundoff crates/float/tests/data/benchmarks.fpcore --name dopler1", &["did you mean doppler1?"]);
    refused("sample discrete-lapalce --scale 1", &["'discrete-laplace'"]);
    refused("schema verfy", &["did you mean verify?"]);
    refused("completions bsh", &["'bash'"]);
}

#[test]
fn numbers_have_a_kind_answer() {
    let laplace = "mechanisms/laplace.dp";
    refused(&format!("verify {laplace} --set =1"), &["it names none", "write --set NAME=NUMBER"]);
    refused(&format!("verify {laplace} --set eps=1..2"), &["ranges are for"]);
    refused(&format!("verify {laplace} --set eps=0"), &["eps > 0 is required"]);
    for command in ["verify mechanisms/laplace.dp", "audit mechanisms/laplace.dp --inputs 0 1"] {
        refused(&format!("{command} --set eps=1 --set eps=2"), &["`eps` is set twice"]);
    }
    let snapping = "mechanisms/snapping.dp --set eps=1";
    refused(&format!("audit {snapping} --inputs 0 1"), &["no value was given for B", "--set B="]);
    refused(&format!("certify {snapping}"), &["no value was given for B", "--set B="]);
    refused(&format!("certify {snapping} --set eps=1..2 --set B=1"), &["a value and a range"]);
    refused("certify mechanisms/snapping.dp --set eps=0..1 --set B=1", &["eps > 0 is required"]);
    refused(&format!("certify {snapping} --set B=2..1"), &["write the smaller end first"]);
    refused(&format!("certify {snapping} --set B=1 --in reals"), &["add --in binary64"]);
    refused(&format!("certify {snapping} --set B=1 --in 0,0,0"), &["precision 0"]);
    refused("audit mechanisms/snapping.dp --set eps=1e400 --set B=1 --inputs 0 1", &["1e400 is beyond"]);
    refused("audit mechanisms/snapping.dp --set eps=1e-400 --set B=1 --inputs 0 1", &["not admitted"]);
    refused(
        "audit mechanisms/randomized_response.dp --set t=3 --set p=1/2 --inputs 0 3",
        &["x: category(t)"],
    );
    refused(&format!("audit {snapping} --set B=1 --search --seconds -1"), &["at least 0"]);
    refused(&format!("audit {snapping} --set B=9 --inputs x=0;x=1 1"), &["has two values"]);
    refused("sample discrete-laplace --scale 1 --count -1", &["a whole number of at least 0"]);
    refused("map discrete-laplace", &["scale is missing", "add --scale"]);
    refused("map discrete-laplace --target-epsilon -1", &["epsilon = -1 is not allowed"]);
    refused("map discrete-laplace --target-delta 1/10", &["add --target-epsilon"]);
    refused("map discrete-gaussian --scale 1 --squared-scale 2", &["cannot be used with"]);
    let (code, printed, _) = run("sample discrete-laplace --scale 1 --count 1e3");
    assert_eq!((code, printed.lines().count()), (0, 1000));
}

#[test]
fn a_folder_is_verified_to_its_end() {
    let place = folder("mixed");
    fs::create_dir_all(place.join("deep/deeper")).unwrap();
    fs::copy(root().join("mechanisms/laplace.dp"), place.join("deep/deeper/laplace.dp")).unwrap();
    fs::write(place.join("a_bad.dp"), "mechanism m(x: real)\nreturn y\n").unwrap();
    fs::write(place.join("b_binary.dp"), [0xff, 0xfe]).unwrap();
    fs::write(place.join("c_empty.dp"), " \n").unwrap();
    fs::create_dir(place.join("folder.dp")).unwrap();
    symlink("nowhere.dp", place.join("d_dangling.dp")).unwrap();
    // Two loops of links, and a second way to the same folder.
    symlink("..", place.join("deep/up")).unwrap();
    symlink(".", place.join("self")).unwrap();
    symlink("deep", place.join("z_again")).unwrap();
    // A pipe to which nobody writes holds up nothing.
    assert!(Command::new("mkfifo").arg(place.join("e_pipe.dp")).status().unwrap().success());
    let place = place.to_str().unwrap();
    let (code, printed, errors) = run(&format!("verify {place}"));
    assert_eq!(code, 2, "{printed}{errors}");
    let rows: Vec<&str> = printed.lines().skip(2).take_while(|line| !line.is_empty()).collect();
    assert_eq!(rows.len(), 5, "{printed}");
    let row = |name: &str| *rows.iter().find(|row| row.starts_with(name)).unwrap();
    assert!(row("laplace ").contains("proved") && row("laplace ").contains("as expected"));
    for (name, reason) in [
        ("a_bad.dp", "line 2: "),
        ("b_binary.dp", "it is not UTF-8"),
        ("c_empty.dp", "it is empty"),
        ("d_dangling.dp", "there is no such file"),
    ] {
        assert!(row(name).contains("unreadable") && row(name).contains(reason), "{printed}");
    }
    assert!(printed.contains("1 proved, 0 refuted, 0 open, 4 unreadable"), "{printed}");
    for part in
        ["a_bad.dp:2:8", "b_binary.dp is not UTF-8", "c_empty.dp is empty", "a link that leads nowhere"]
    {
        assert!(errors.contains(part), "{errors}");
    }
    for command in ["list", "fmt --check"] {
        let (code, _, errors) = run(&format!("{command} {place}"));
        assert_eq!(code, 2, "{errors}");
        assert!(errors.contains("c_empty.dp is empty") && errors.contains("a_bad.dp:"), "{errors}");
    }
    // A file that does not admit the parameters is readable, and says so.
    let (code, printed, errors) = run(&format!("verify {place}/deep/deeper --set eps=0"));
    assert!(
        code == 2 && printed.contains("  refused  ") && printed.contains("0 open, 1 refused in"),
        "{printed}{errors}"
    );
}

#[test]
fn standard_input_is_a_file_like_others() {
    let source = fs::read(root().join("mechanisms/laplace.dp")).unwrap();
    let untidy = String::from_utf8(source.clone()).unwrap().replace(" ~ ", "~");
    let fed = |line: &str, text: &[u8]| {
        let arguments: Vec<&str> = line.split(' ').collect();
        let mut command = probity(&arguments, &root());
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // A program that refuses its arguments does not read.
        let _ = child.stdin.take().unwrap().write_all(text);
        let output = child.wait_with_output().unwrap();
        (
            output.status.code().unwrap(),
            [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()),
        )
    };
    assert!(fed("verify -", &source).1[0].starts_with("proved: mechanism laplace"));
    assert_eq!(fed("fmt -", &source), (0, [String::from_utf8(source.clone()).unwrap(), String::new()]));
    assert_eq!(fed("fmt - --check", untidy.as_bytes()).0, 1);
    let (code, [_, errors]) = fed("verify -", b"");
    assert!(code == 2 && errors.contains("- is empty"), "{errors}");
    assert_eq!(fed("check -", &fs::read(root().join("certificates/laplace.cert")).unwrap()).0, 0);
}

#[test]
fn places_that_cannot_be_written_are_known_before_the_work() {
    let place = folder("places");
    fs::write(place.join("file"), "kept").unwrap();
    let shown = place.to_str().unwrap();
    for (wrong, reason) in [
        (format!("{shown}/no/such/x"), "there is no folder"),
        (shown.to_owned(), "it is a folder"),
        (format!("{shown}/file/x"), "is a file, not a folder"),
        ("-".into(), "it is no file name"),
    ] {
        let start = Instant::now();
        for command in [
            "report mechanisms/snapping.dp --out",
            "verify mechanisms/laplace.dp --certificate",
            "audit mechanisms/snapping.dp --set eps=1 --set B=9 --inputs 0 1 --distribution",
            "audit mechanisms/snapping.dp --set eps=1 --set B=9 --search --seconds 100 --resume",
        ] {
            refused(&format!("{command} {wrong}"), &["cannot write", reason]);
        }
        assert!(start.elapsed() < Duration::from_secs(50));
    }
    assert_eq!(names(&place), ["file"]);
}

#[test]
fn a_file_that_is_replaced_stays_what_it_was() {
    let place = folder("replaced");
    let untidy = "mechanism  m(x:real)\nparam eps>0\ny~laplace(x,1/eps)\nreturn y\nneighbours abs(x' - x)<=1\nclaim eps\n";
    let (file, link) = (place.join("m.dp"), place.join("link.dp"));
    fs::write(&file, untidy).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("m.dp", &link).unwrap();
    assert_eq!(run(&format!("fmt {}", link.display())).0, 0);
    assert!(fs::read_to_string(&file).unwrap().starts_with("mechanism m(x: real)\n"));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(names(&place), ["link.dp", "m.dp"]);
    // A device is written to, not replaced.
    assert_eq!(run("verify mechanisms/laplace.dp --certificate /dev/null").0, 0);
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn endless_and_full_devices() {
    if Path::new("/dev/zero").exists() && Path::new("/dev/full").exists() {
        refused("verify /dev/zero", &["/dev/zero has more than"]);
        refused("verify /dev/null", &["/dev/null is empty"]);
        for line in ["list", "list --json", "sample uniform-float"] {
            let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
            let arguments: Vec<&str> = line.split(' ').collect();
            let output = probity(&arguments, &root()).stdout(full).output().unwrap();
            let errors = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{line}\n{errors}");
            assert!(errors.contains("cannot write the answer"), "{line}\n{errors}");
        }
    }
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    for line in [
        "sample discrete-laplace --scale 2 --count 1e6",
        "list",
        "report mechanisms/laplace.dp --out /dev/null",
    ] {
        let arguments: Vec<&str> = line.split(' ').collect();
        let mut child =
            probity(&arguments, &root()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{line}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{line}");
    }
}

/// The command with Ctrl-C in effect. In the background (`nohup`, CI runners) interrupts are ignored, children inherit that, and
/// neither a shell nor safe Rust can undo it; perl can, and then becomes the command.
fn interruptible(line: &str) -> std::process::Child {
    Command::new("perl")
        .args(["-e", "$SIG{INT} = 'DEFAULT'; exec @ARGV or die", env!("CARGO_BIN_EXE_probity")])
        .args(line.split(' '))
        .current_dir(root())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Interrupts the process as Ctrl-C does, and again until it ends: the first may come before interrupts are in effect.
fn interrupt(child: &mut std::process::Child) -> Option<i32> {
    for _ in 0..600 {
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        if let Some(status) = child.try_wait().unwrap() {
            return status.signal();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    child.kill().unwrap();
    panic!("half a minute of interrupts did not end the command");
}

#[test]
fn an_interrupted_search_can_be_resumed() {
    let place = folder("interrupted");
    let state = place.join("state");
    let line = format!(
        "audit mechanisms/snapping.dp --set eps=1 --set B=100 --search --seconds 300 --resume {}",
        state.display()
    );
    let mut child = interruptible(&line);
    let start = Instant::now();
    while !state.exists() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    // One is enough: the search notices it, prints what it knows and keeps its state.
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(names(&place), ["state"]);
    assert!(fs::read_to_string(&state).unwrap().contains("tried "));
    assert_eq!(run(&line.replace("--seconds 300", "--seconds 0")).0, 0);
}

#[test]
fn an_interrupted_report_leaves_the_old_page() {
    let place = folder("page");
    let page = place.join("page.html");
    fs::write(&page, "the old page").unwrap();
    // An audit of many outcomes, which takes a while.
    let line =
        format!("report mechanisms/snapping.dp --set eps=1/64 --set B=100000 --out {}", page.display());
    let mut child = interruptible(&line);
    std::thread::sleep(Duration::from_millis(40));
    assert_eq!(interrupt(&mut child), Some(2));
    assert_eq!(names(&place), ["page.html"]);
    assert_eq!(fs::read_to_string(&page).unwrap(), "the old page");
}
