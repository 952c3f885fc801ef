//! Files that use others: what has no end, nests too deep or multiplies is refused, quickly and with one message.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use probity_lang::{Code, Program, load};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A file that uses another under `uses` names and calls each `calls` times.
fn level(folder: &Path, name: &str, used: Option<&str>, uses: usize, calls: usize) {
    let mut text = String::new();
    for place in 0..uses {
        if let Some(used) = used {
            writeln!(text, "use \"{used}\" as g{place}").unwrap();
        }
    }
    text.push_str("mechanism m(x: real)\nt = 0\n");
    for place in 0..uses {
        let law = if used.is_some() { format!("g{place}(x)") } else { "laplace(x, 1)".into() };
        for _ in 0..calls {
            writeln!(text, "y ~ {law}\nt = t + y").unwrap();
        }
    }
    text.push_str("return t\nneighbours abs(x' - x) <= 1\nclaim 1\n");
    fs::write(folder.join(name), text).unwrap();
}

/// A chain of files, each using the one before.
fn chain(name: &str, length: usize, uses: usize, calls: usize) -> Result<Program, (Code, String, usize)> {
    let folder = folder(name);
    for place in 0..length {
        let used = place.checked_sub(1).map(|before| format!("f{before}.dp"));
        level(&folder, &format!("f{place}.dp"), used.as_deref(), uses, calls);
    }
    load(folder.join(format!("f{}.dp", length - 1))).map_err(|error| {
        let first = &error.diagnostics[0];
        (first.code, first.message.clone(), error.diagnostics.len())
    })
}

#[test]
fn eight_files_in_a_chain_and_no_more() {
    assert!(chain("deep", 8, 1, 2).is_ok());
    let (code, message, faults) = chain("deeper", 9, 1, 1).unwrap_err();
    assert!(code == Code::BadUse && message.contains("at most 8") && faults == 1, "{message}");
}

#[test]
fn what_multiplies_is_refused() {
    // Ten million draws, and a hundred million files.
    let (code, message, faults) = chain("wide", 8, 1, 10).unwrap_err();
    assert!(code == Code::BadUse && message.contains("10000 statements") && faults == 1, "{message}");
    let (code, message, _) = chain("many", 8, 10, 1).unwrap_err();
    assert!(code == Code::BadUse && message.contains("200 in all"), "{message}");
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_not_read() {
    let folder = folder("devices");
    level(&folder, "zero.dp", Some("/dev/zero"), 1, 1);
    let error = load(folder.join("zero.dp")).unwrap_err();
    assert!(error.diagnostics[0].message.contains("ends in .dp"), "{error}");
    // A device under a name that may be opened.
    let link = folder.join("device.dp");
    let _ = fs::remove_file(&link);
    std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
    level(&folder, "zero.dp", Some("device.dp"), 1, 1);
    let error = load(folder.join("zero.dp")).unwrap_err();
    assert!(error.diagnostics[0].message.contains("no plain file"), "{error}");
    assert_eq!(load("/dev/zero").unwrap_err().diagnostics[0].code, Code::UnreadableFile);
    fs::write(folder.join("large.dp"), vec![b' '; probity_lang::MAX_SOURCE + 1]).unwrap();
    level(&folder, "uses_large.dp", Some("large.dp"), 1, 1);
    let error = load(folder.join("uses_large.dp")).unwrap_err();
    assert!(error.diagnostics[0].message.contains("more than"), "{error}");
}

#[test]
fn a_list_of_reals_is_none_of_integers() {
    let folder = folder("integers");
    let called = "mechanism g(q: int[])\ny ~ discrete_laplace(sum(q), 1)\nreturn y\nneighbours one entry of q differs by at most 1\nclaim 1\n";
    fs::write(folder.join("g.dp"), called).unwrap();
    let caller = |list: &str| {
        let text = format!(
            "use \"g.dp\" as g\nmechanism m(q: {list}, x: {list})\ny ~ g(q)\nz ~ g(x)\nreturn (y, z)\nneighbours one entry of q and of x differs by at most 1\nclaim 2\n"
        );
        fs::write(folder.join("m.dp"), text).unwrap();
        load(folder.join("m.dp"))
    };
    assert!(caller("int[]").is_ok());
    let faults = caller("real[]").unwrap_err().diagnostics;
    assert_eq!(faults.len(), 2, "{faults:?}");
    for fault in faults {
        assert!(fault.message.contains("the called mechanism takes a list of integers"), "{fault}");
    }
}
