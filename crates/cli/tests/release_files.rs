//! What releases leave on a disk: nothing of a killed process for long, and on a full one nothing that is not whole; and which files they
//! read.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use crate::common::fresh;

const POLICY: &str = r#"
[budget]
epsilon = "2"
per_query = { epsilon = "1/2" }
[table.people]
unit = "row"
[table.people.columns]
region = { in = ["north", "south"] }
age = { type = "int", between = [0, 120] }
"#;

const ASKED: &str =
    "SELECT region, COUNT(*) AS n, AVG(age) AS a, MEDIAN(age) AS m FROM people GROUP BY region";

/// A folder with a ledger that has one answer.
fn folder(name: &str) -> PathBuf {
    let folder = fresh(&format!("files-{name}"));
    fs::write(folder.join("people.toml"), POLICY).unwrap();
    fs::write(folder.join("people.csv"), "region,age\nnorth,40\nsouth,7\n").unwrap();
    let first = release(&folder, "", "SELECT COUNT(*) FROM people");
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    folder
}

/// A release from a shell, after a command of that shell.
fn release(folder: &Path, before: &str, sql: &str) -> Output {
    let script = format!(
        "{before}\nexec \"$0\" release --init --policy people.toml --ledger people.ledger --data people=people.csv \"$1\""
    );
    let mut command = Command::new("bash");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_probity"), sql]).current_dir(folder).output().unwrap()
}

/// What `budget --verify` says was spent.
fn spent(folder: &Path) -> String {
    let asked = ["budget", "--ledger", "people.ledger", "--verify"];
    let said = Command::new(env!("CARGO_BIN_EXE_probity")).args(asked).current_dir(folder).output().unwrap();
    let text = String::from_utf8(said.stdout).unwrap();
    assert!(said.status.success() && text.contains("verified: "), "{text}");
    text.lines().find_map(|line| line.strip_prefix("spent: ")).unwrap().to_owned()
}

/// What a killed process left beside a certificate goes when the certificate is written again, an hour later; nothing else does.
#[cfg(unix)]
#[test]
fn what_a_killed_process_left_is_removed() {
    let place = folder("left");
    let old = SystemTime::now() - Duration::from_secs(7200);
    let beside = |name: &str, is_old: bool| {
        let file = fs::File::create(place.join(name)).unwrap();
        if is_old {
            file.set_modified(old).unwrap();
        }
    };
    let left = ".people-2.cert.4711.tmp";
    // A process that is there may be writing.
    let written = format!(".people-2.cert.{}.tmp", std::process::id());
    let kept =
        [written.as_str(), ".people-2.cert.x.tmp", ".others-2.cert.4711.tmp", "people-2.cert.4711.tmp"];
    beside(left, true);
    beside(kept[0], false);
    kept[1..].iter().for_each(|name| beside(name, true));
    fs::remove_file(place.join("people-2.cert")).unwrap();
    assert!(release(&place, "", "SELECT COUNT(*) FROM people").status.success());
    assert!(place.join("people-2.cert").exists() && !place.join(left).exists());
    for name in kept {
        assert!(place.join(name).exists(), "{name}");
    }
}

/// Wherever the disk ends, here by the largest file that may be written, there is no answer and no debit, or both.
#[cfg(unix)]
#[test]
fn a_full_disk_releases_nothing_or_all() {
    let place = folder("full");
    let ledger = place.join("people.ledger");
    let first = fs::read(&ledger).unwrap();
    let size = first.len() as u64 / 1024;
    let (mut refused, mut answered) = (0, 0);
    for limit in (size..size + 120).step_by(4) {
        fs::write(&ledger, &first).unwrap();
        let _ = fs::remove_file(place.join("people.ledger-journal"));
        let output = release(&place, &format!("trap '' XFSZ; ulimit -f {limit}"), ASKED);
        let error = String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            answered += 1;
            assert_eq!(spent(&place), "epsilon 1", "{limit}");
        } else {
            refused += 1;
            assert_eq!(output.status.code(), Some(2), "{limit}: {error}");
            assert!(output.stdout.is_empty() && error.contains("nothing was released"), "{limit}: {error}");
            assert!(!error.contains("transaction"), "{limit}: {error}");
            assert_eq!(spent(&place), "epsilon 1/2", "{limit}");
        }
    }
    // Some limits stop the release where the file would grow, and some do not.
    assert!(refused > 3 && answered > 3, "{refused} {answered}");
}

/// What stands where the certificate would be written is said before anything is paid; an answer that cannot be written is stored, and
/// the message says so.
#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_not_lost() {
    let place = folder("written");
    let said = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    fs::create_dir(place.join("people-3.cert")).unwrap();
    let refused = release(&place, "", ASKED);
    assert!(
        refused.status.code() == Some(2) && said(&refused).contains("move that away"),
        "{}",
        said(&refused)
    );
    assert_eq!(spent(&place), "epsilon 1/2");
    // What is stored is written where it was.
    assert!(release(&place, "", "SELECT COUNT(*) FROM people").status.success());
    fs::remove_dir(place.join("people-3.cert")).unwrap();
    fs::write(place.join("people-3.cert"), "mine").unwrap();
    assert!(said(&release(&place, "", ASKED)).contains("another kind of file"));
    assert_eq!(spent(&place), "epsilon 1/2");
    fs::remove_file(place.join("people-3.cert")).unwrap();
    // It is paid, and not lost.
    let lost = release(&place, "exec >/dev/full", ASKED);
    assert!(lost.status.code() == Some(2) && said(&lost).contains("gets it at no cost"), "{}", said(&lost));
    assert_eq!(spent(&place), "epsilon 1");
    fs::remove_file(place.join("people-3.cert")).unwrap();
    fs::create_dir(place.join("people-3.cert")).unwrap();
    let lost = release(&place, "", ASKED);
    assert!(said(&lost).contains("gets it at no cost, with another place"), "{}", said(&lost));
    fs::remove_dir(place.join("people-3.cert")).unwrap();
    let found = release(&place, "", ASKED);
    assert!(found.status.success() && String::from_utf8_lossy(&found.stdout).contains("cost: nothing"));
    assert_eq!(spent(&place), "epsilon 1");
    // The certificate that is there is left alone, so that nothing need be writable; another one is not.
    use std::os::unix::fs::MetadataExt;
    let certificate = place.join("people-3.cert");
    let (file, whole) = (fs::metadata(&certificate).unwrap().ino(), fs::read(&certificate).unwrap());
    assert!(release(&place, "", ASKED).status.success());
    assert_eq!(fs::metadata(&certificate).unwrap().ino(), file);
    let mut other = whole.clone();
    *other.last_mut().unwrap() ^= 1;
    fs::write(&certificate, &other).unwrap();
    assert!(release(&place, "", ASKED).status.success());
    assert_eq!(fs::read(&certificate).unwrap(), whole);
}

/// A table is opened for its header and again for its rows, which of a pipe go on in the middle: it is refused before anything is paid,
/// by every command, and nobody's record is taken for a header. Links to files are files.
#[cfg(unix)]
#[test]
fn a_table_is_no_pipe() {
    let place = folder("pipes");
    let towns = "[public.towns]\nkey = \"code\"\n[public.towns.columns]\nsize = { type = \"int\", between = [0, 9] }\n";
    fs::write(place.join("towns.toml"), format!("{POLICY}{towns}")).unwrap();
    let all = "mechanism all(people: rows(age: int))\ny ~ discrete_laplace(count(r in people), 100)\nreturn y\n\
               neighbours one row of people is added or removed\nclaim 1/100\n";
    fs::write(place.join("all.dp"), all).unwrap();
    assert!(Command::new("mkfifo").arg(place.join("pipe")).status().unwrap().success());
    let before = (spent(&place), fs::read(place.join("people.ledger")).unwrap());
    let ask = |arguments: &str, data: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
        command.args(arguments.split(", ")).arg(data).current_dir(&place);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // More than is read at once, so that a second opening finds rows; who refuses the pipe reads none.
        let rows = format!("region,age,name\n{}", "north,33,secret\n".repeat(40_000));
        let mut stdin = child.stdin.take().unwrap();
        std::thread::spawn(move || stdin.write_all(rows.as_bytes()));
        let said = child.wait_with_output().unwrap();
        (said.status.code(), String::from_utf8(said.stderr).unwrap())
    };
    let release =
        "release, --policy, people.toml, --ledger, people.ledger, SELECT SUM(age) FROM people, --data";
    let run = "run, all.dp, --ledger, people.ledger, --data";
    for (arguments, data) in [
        (release, "people=/dev/stdin"),
        (run, "people=/dev/stdin"),
        ("policy, --suggest", "/dev/stdin"),
        ("release, --policy, towns.toml, --preview, SELECT COUNT(*) FROM people, --data", "towns=/dev/stdin"),
        (release, "people=pipe"),
        (run, "people=pipe"),
    ] {
        let (code, err) = ask(arguments, data);
        let said = err.contains("no plain file") && err.contains("write - in its place");
        assert!(code == Some(2) && said && !err.contains("secret"), "{arguments} {data}: {err}");
        assert_eq!((spent(&place), fs::read(place.join("people.ledger")).unwrap()), before);
    }
    std::os::unix::fs::symlink("people.csv", place.join("link.csv")).unwrap();
    assert_eq!(ask(release, "people=link.csv").0, Some(0));
    assert_eq!(ask(&release.replace("SUM", "AVG"), "people=-").0, Some(0));
}
