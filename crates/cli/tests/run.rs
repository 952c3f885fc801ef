//! `probity run` as a user meets it: what an error about private inputs costs, columns of words, answers in JSON.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::{answer, fresh};

const POLICY: &str = "[budget]\nepsilon = \"2\"\nper_query = { epsilon = \"1/2\" }\n[table.people]\nunit = \"row\"\n[table.people.columns]\nage = { type = \"int\", between = [0, 120] }\n";

/// An empty folder for a test, with a policy.
fn folder(name: &str, policy: &str) -> PathBuf {
    let place = fresh(&format!("run-{name}"));
    fs::write(place.join("people.toml"), policy).unwrap();
    place
}

/// The exit code, standard output and standard error.
fn run(place: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
    answer(command.args(arguments).current_dir(place).stdin(Stdio::null()))
}

/// An error that tells of a private input is paid like an answer, and where the budget does not allow it the error is not told. What tells
/// nothing of it costs nothing.
#[test]
fn errors_about_inputs_are_paid() {
    let place = folder("run-errors", POLICY);
    assert_eq!(run(&place, &["budget", "init", "--policy", "people.toml", "--ledger", "people.ledger"]).0, 0);
    let text = "mechanism bounded(x: int)\nparam eps > 0\nparam B > 0\nwhere -B <= x <= B\n\
        y ~ discrete_laplace(x, 1 / eps)\nreturn y\nneighbours abs(x' - x) <= 1\nclaim eps\n";
    fs::write(place.join("bounded.dp"), text).unwrap();
    let spent = || {
        let (_, out, _) = run(&place, &["budget", "--ledger", "people.ledger", "--json"]);
        let budget: Value = serde_json::from_str(&out).unwrap();
        budget["spent"]["epsilon"].as_str().unwrap().to_owned()
    };
    let asked = |more: &[&str]| {
        let base = ["run", "bounded.dp", "--ledger", "people.ledger", "--set", "eps=1/2"];
        run(&place, &[&base[..], more].concat())
    };
    let violated = "violate an assumption";
    // The budget is 2. Neither a missing input nor one of another name tells anything.
    assert_eq!(asked(&["--set", "B=8"]).0, 2);
    assert_eq!(asked(&["--set", "B=8", "--input", "z=1"]).0, 2);
    assert_eq!(spent(), "0");
    let (code, out, err) = asked(&["--set", "B=8", "--input", "x=11"]);
    assert!(code == 2 && err.contains(violated) && out.is_empty(), "{out}{err}");
    assert_eq!(spent(), "1/2");
    // No run at all is no question; a number of another kind is one, and so is what is no number, or one that is too long to be read.
    let nothing = asked(&["--set", "B=8", "--input", "x=11", "--count", "0"]);
    assert!(nothing.0 == 2 && nothing.2.contains("no run is paid for"), "{nothing:?}");
    assert_eq!(nothing, asked(&["--set", "B=8", "--input", "x=3", "--count", "0"]));
    assert_eq!(spent(), "1/2");
    let (code, _, err) = asked(&["--set", "B=8", "--input", "x=1e10001"]);
    assert!(code == 2 && err.contains("cannot be read"), "{err}");
    assert_eq!(spent(), "1");
    assert_eq!(asked(&["--set", "B=8", "--input", "x=1/2"]).0, 2);
    assert_eq!(spent(), "3/2");
    assert_eq!(asked(&["--set", "B=16", "--input", "x=11"]).0, 0);
    assert_eq!(spent(), "2");
    // Nothing is left: inputs that violate the assumption and others have the same answer.
    let outside = asked(&["--set", "B=8", "--input", "x=11"]);
    assert!(outside.0 == 1 && !outside.1.contains(violated) && !outside.2.contains(violated), "{outside:?}");
    assert_eq!(outside, asked(&["--set", "B=8", "--input", "x=3"]));
    assert_eq!(spent(), "2");
}

/// An error tells more than a theorem that claims little or nothing: it has a price of its own, which must be there before inputs are looked
/// at, so that neither the price nor its lack tells of them.
#[test]
fn errors_about_inputs_have_a_least_price() {
    let place = folder("run-zero", POLICY);
    assert_eq!(run(&place, &["budget", "init", "--policy", "people.toml", "--ledger", "people.ledger"]).0, 0);
    let text = "mechanism zero(x: real)\nparam B: real\nwhere x <= B\ny ~ sign()\nreturn y\nneighbours abs(x' - x) <= 1\nclaim 0\n";
    fs::write(place.join("zero.dp"), text).unwrap();
    let asked = |bound: &str, x: &str| {
        let set = format!("B={bound}");
        run(&place, &["run", "zero.dp", "--ledger", "people.ledger", "--set", &set, "--input", x])
    };
    // The budget is 2: an error costs an eighth, and so does an answer, which tells that the assumption holds.
    assert_eq!(asked("20", "x=17").0, 0);
    let errors: Vec<_> = (0..12).map(|_| asked("8", "x=17")).collect();
    assert!(errors[0].0 == 2 && errors[0].2.contains("violate an assumption"), "{errors:?}");
    // What a file holds is an input too.
    fs::write(place.join("bytes.json"), [b'1', 0xff]).unwrap();
    fs::write(place.join("empty.json"), "").unwrap();
    // All errors are one answer: which it is, and where in a file, would tell more than was paid for.
    let others = ["x=@bytes.json", "x=@empty.json", "@bytes.json"].map(|x| asked("20", x));
    for error in errors.iter().chain(&others) {
        assert_eq!(*error, errors[0]);
    }
    let (_, out, _) = run(&place, &["budget", "--ledger", "people.ledger", "--json"]);
    let budget: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(budget["spent"]["epsilon"], "2");
    let inside = asked("20", "x=17");
    assert!(inside.0 == 1 && inside.2.contains("a sixteenth of the budget"), "{inside:?}");
    assert_eq!(inside, asked("8", "x=17"));
    assert_eq!(inside, asked("20", "x=@bytes.json"));
}

/// A text that takes more memory for more rows than there may be would tell how many there are by its end. A sum that is made as the rows go by leaves
/// one number, however many there are, and costs nothing for that; where rows are kept for what is drawn, an answer costs as much as an error.
#[test]
fn how_many_rows_there_are_is_paid_for() {
    let place = folder("run-rows", POLICY);
    assert_eq!(run(&place, &["budget", "init", "--policy", "people.toml", "--ledger", "people.ledger"]).0, 0);
    for (name, sum, spent) in [
        ("one number", "sum(r in people where r.age > 17, clamp(r.age, 0, 100) / 3)", "0"),
        ("kept", "sum(r in people where r.age > y, clamp(r.age, 0, 100) / 3)", "1/8"),
        ("growing", "sum(r in people where r.age > y, clamp(r.age, 0, 100) * y * y)", "1/4"),
    ] {
        let text = format!(
            "mechanism m(people: rows(age: int))\ny ~ laplace(0, 1)\ns = 0\nfor i in 0..20 {{\ns = s + {sum}\n}}\nz ~ sign()\nreturn z\n\
             neighbours one row of people is added or removed\nclaim 0\n"
        );
        fs::write(place.join("m.dp"), text).unwrap();
        fs::write(place.join("people.csv"), format!("age\n{}", "17\n".repeat(300))).unwrap();
        let (code, _, err) =
            run(&place, &["run", "m.dp", "--data", "people=people.csv", "--ledger", "people.ledger"]);
        assert_eq!(code, 0, "{name}: {err}");
        let (_, out, _) = run(&place, &["budget", "--ledger", "people.ledger", "--json"]);
        let budget: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(budget["spent"]["epsilon"], spent, "{name}");
    }
}

/// Which assumption fails is said to whoever may see the inputs, and not to whoever pays for an error.
#[test]
fn a_paid_error_names_no_assumption() {
    let place = folder("run-thousand", POLICY);
    assert_eq!(run(&place, &["budget", "init", "--policy", "people.toml", "--ledger", "people.ledger"]).0, 0);
    let lines: String = (0..30).rev().map(|bound| format!("where x <= {bound}\n")).collect();
    let text =
        format!("mechanism m(x: real)\n{lines}y ~ sign()\nreturn y\nneighbours abs(x' - x) <= 1\nclaim 0\n");
    fs::write(place.join("m.dp"), text).unwrap();
    let paid = |x: &str| run(&place, &["run", "m.dp", "--input", x, "--ledger", "people.ledger"]);
    let (high, low) = (paid("x=25"), paid("x=3"));
    assert_eq!(high, low);
    assert!(low.0 == 2 && low.2.contains("without --ledger"), "{low:?}");
    let (code, _, err) = run(&place, &["run", "m.dp", "--input", "x=25"]);
    assert!(code == 2 && err.contains("x <= 24"), "{err}");
}

/// Whatever stops a process, who can tell an admitted input from a refused one by that has paid for an error: here by the largest file that it may
/// write.
#[cfg(unix)]
#[test]
fn a_limit_of_files_tells_nothing_that_is_not_paid_for() {
    let place = folder("run-limits", POLICY);
    // Parameters with many digits, so that an entry takes a page of its own.
    let text = "mechanism m(x: real)\nparam eps > 0\nparam a > 0\nparam b > 0\nwhere x <= 1 + a + b\ny ~ sign()\nreturn y\n\
        neighbours abs(x' - x) <= 1\nclaim eps\n";
    fs::write(place.join("m.dp"), text).unwrap();
    let budget = ["budget", "init", "--policy", "people.toml", "--ledger"];
    assert_eq!(run(&place, &[&budget[..], &["new.ledger"]].concat()).0, 0);
    let size = fs::metadata(place.join("new.ledger")).unwrap().len().div_ceil(1024);
    let small = format!("1/1{}", "0".repeat(1200));
    let sets = ["eps", "a", "b"].map(|name| format!("{name}={small}"));
    let asked = |limit: u64, x: &str| {
        let ledger = format!("{limit}-{x}.ledger");
        fs::copy(place.join("new.ledger"), place.join(&ledger)).unwrap();
        let sets = sets.iter().flat_map(|set| ["--set", set]);
        let arguments = ["run", "m.dp", "--input", x, "--ledger", &ledger].into_iter().chain(sets);
        let script = format!("ulimit -f {limit}; exec \"$0\" \"$@\"");
        let mut command = Command::new("bash");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_probity")]).args(arguments);
        let output = command.current_dir(&place).stdin(Stdio::null()).output().unwrap();
        let (_, out, _) = run(&place, &["budget", "--ledger", &ledger, "--json"]);
        let spent =
            serde_json::from_str::<Value>(&out).unwrap()["spent"]["epsilon"].as_str().unwrap().to_owned();
        // An answer is a sign, by chance.
        let told = String::from_utf8_lossy(&output.stdout).replace('-', "").replace(&*ledger, "");
        ((output.status.code(), told, String::from_utf8_lossy(&output.stderr).replace(&*ledger, "")), spent)
    };
    let mut stopped = 0;
    for limit in (0..size + 20).step_by(4) {
        let (inside, outside) = (asked(limit, "x=0"), asked(limit, "x=2"));
        assert_eq!(inside.1, outside.1, "{limit}");
        if inside.0 != outside.0 {
            assert_eq!(inside.1, "1/8", "{limit}: {inside:?} {outside:?}");
        } else {
            stopped += 1;
        }
    }
    // Some limits stop both, at least one of them where the file would grow, and some none.
    assert!(4 * stopped > size && 4 * stopped < size + 20, "{stopped} {size}");
}

/// Nothing private is read before it is paid for: of a pipe the first byte is asked for when the reserve is in the ledger.
#[cfg(unix)]
#[test]
fn inputs_and_rows_are_read_after_they_are_paid_for() {
    let place = folder("run-order", POLICY);
    assert_eq!(run(&place, &["budget", "init", "--policy", "people.toml", "--ledger", "people.ledger"]).0, 0);
    let spent = || {
        let (_, out, _) = run(&place, &["budget", "--ledger", "people.ledger", "--json"]);
        serde_json::from_str::<Value>(&out).unwrap()["spent"]["epsilon"].as_str().unwrap().to_owned()
    };
    let one = "mechanism one(x: int)\ny ~ discrete_laplace(x, 100)\nreturn y\nneighbours abs(x' - x) <= 1\nclaim 1/100\n";
    let all = "mechanism all(people: rows(age: int))\ny ~ discrete_laplace(count(r in people), 100)\nreturn y\n\
               neighbours one row of people is added or removed\nclaim 1/100\n";
    fs::write(place.join("one.dp"), one).unwrap();
    fs::write(place.join("all.dp"), all).unwrap();
    assert!(Command::new("mkfifo").arg(place.join("pipe")).status().unwrap().success());
    // Opening a pipe waits for the one who reads.
    let opened = || fs::OpenOptions::new().write(true).open(place.join("pipe")).unwrap();
    std::thread::scope(|scope| {
        let asked = scope
            .spawn(|| run(&place, &["run", "one.dp", "--input", "x=@pipe", "--ledger", "people.ledger"]));
        let mut pipe = opened();
        assert_eq!(spent(), "1/8");
        std::io::Write::write_all(&mut pipe, b"3").unwrap();
        drop(pipe);
        let (code, _, err) = asked.join().unwrap();
        assert_eq!((code, spent().as_str()), (0, "1/100"), "{err}");
    });
    // That the rows of a packed table are damaged is found after it is paid for, and a missing column before.
    let data = ["run", "all.dp", "--data", "people=rows.csv.gz", "--ledger", "people.ledger"];
    let file = |header: &str| {
        let block = format!("{header}17\n");
        let length = u16::try_from(block.len()).unwrap();
        // One block that is stored as it is, and a checksum of something else.
        let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
        packed.extend([length.to_le_bytes(), (!length).to_le_bytes()].concat());
        packed.extend(block.as_bytes());
        packed.extend([0; 8]);
        fs::write(place.join("rows.csv.gz"), packed).unwrap();
    };
    file("height\n");
    let (code, _, err) = run(&place, &data);
    assert!(code == 2 && err.contains("no column `age`") && spent() == "1/100", "{err}");
    file("age\n");
    let (code, _, err) = run(&place, &data);
    assert!(code == 2 && err.contains("the inputs cannot be read") && spent() == "27/200", "{err}");
}

/// What a process shows that ends while it draws, of its memory as of its time, is paid for as an error: the rest is given back after the last run.
#[test]
fn a_run_that_dies_has_cost_an_error() {
    let place = folder("run-dies", POLICY);
    assert_eq!(run(&place, &["budget", "init", "--policy", "people.toml", "--ledger", "people.ledger"]).0, 0);
    let spent = || {
        let (_, out, _) = run(&place, &["budget", "--ledger", "people.ledger", "--json"]);
        serde_json::from_str::<Value>(&out).unwrap()["spent"]["epsilon"].as_str().unwrap().to_owned()
    };
    let all = "mechanism all(people: rows(age: int))\ny ~ discrete_laplace(0, 100)\n\
               return if y > count(r in people) * 0 then 1 else 0\nneighbours one row of people is added or removed\nclaim 0\n";
    fs::write(place.join("all.dp"), all).unwrap();
    fs::write(place.join("people.csv"), "age\n3\n").unwrap();
    let data = ["run", "all.dp", "--data", "people=people.csv", "--ledger", "people.ledger", "--count"];
    assert_eq!((run(&place, &[&data[..], &["3"]].concat()).0, spent().as_str()), (0, "0"));
    // It waits for a reader of its answers, who goes away with it.
    let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
    command.args(data).arg("100000000").current_dir(&place).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut answers = child.stdout.take().unwrap();
    std::io::Read::read_exact(&mut answers, &mut [0; 2]).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(spent(), "1/8");
}

/// Many processes at once learn of one error, if the budget has room for one: the others are told what they would be told of any input.
#[test]
fn errors_about_inputs_are_paid_however_many_ask() {
    let place = folder("run-race", POLICY);
    assert_eq!(run(&place, &["budget", "init", "--policy", "people.toml", "--ledger", "people.ledger"]).0, 0);
    let text = "mechanism bounded(x: int)\nparam eps > 0\nparam B > 0\nwhere -B <= x <= B\n\
        y ~ discrete_laplace(x, 1 / eps)\nreturn y\nneighbours abs(x' - x) <= 1\nclaim eps\n";
    fs::write(place.join("bounded.dp"), text).unwrap();
    let asked = |eps: &str, x: &str| {
        let base = ["run", "bounded.dp", "--ledger", "people.ledger", "--set", "B=8", "--set", eps];
        run(&place, &[&base[..], &["--input", x]].concat())
    };
    assert_eq!(asked("eps=15/8", "x=3").0, 0);
    // Of the budget of 2 a sixteenth is left.
    let told: Vec<(i32, String, String)> = std::thread::scope(|scope| {
        let askers: Vec<_> = (0..8).map(|_| scope.spawn(|| asked("eps=1/1000", "x=11"))).collect();
        askers.into_iter().map(|asker| asker.join().unwrap()).collect()
    });
    let (errors, refused): (Vec<_>, Vec<_>) =
        told.into_iter().partition(|(.., err)| err.contains("violate an assumption"));
    assert_eq!((errors.len(), refused.len()), (1, 7));
    let inside = asked("eps=1/1000", "x=3");
    assert_eq!(inside.0, 1);
    assert!(refused.iter().all(|answer| *answer == inside), "{refused:?} {inside:?}");
    let (_, out, _) = run(&place, &["budget", "--ledger", "people.ledger", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["spent"]["epsilon"], "2");
}

/// A column of words is a category by `--words`; without it, and for other words, rows are dropped.
#[test]
fn a_column_of_words_is_a_category() {
    let place = folder("run-words", POLICY);
    let text = "mechanism regions(people: rows(region: category(3), age: int))\nout = []\nfor g in 0..3 {\n\
        n ~ discrete_laplace(count(r in people where r.region == g), 1 / 1000)\nappend(out, n)\n}\nreturn out\n\
        neighbours one row of people is added or removed\nclaim 1000\n";
    fs::write(place.join("regions.dp"), text).unwrap();
    fs::write(place.join("people.csv"), "region,age\nnorth,1\nwest,2\n north ,3\nelsewhere,4\n0,5\n")
        .unwrap();
    let asked = |more: &[&str]| {
        let base = ["run", "regions.dp", "--data", "people=people.csv"];
        run(&place, &[&base[..], more].concat())
    };
    let counts = |more: &[&str]| asked(more).1.lines().next().map(str::to_owned);
    assert_eq!(counts(&[]).as_deref(), Some("[1, 0, 0]"));
    assert_eq!(counts(&["--words", "people.region=north, south,west"]).as_deref(), Some("[2, 0, 1]"));
    for (words, said) in [
        ("people.age=a,b", "no category age"),
        ("people=a,b", "names no field"),
        ("others.region=a", "no category region"),
        ("people.region=a,a", "twice"),
        ("people.region=a,,b", "no word"),
        ("people.region=a,b", "has 2 words, and region has 3 categories"),
        ("people.region=a,b,c,d", "has 4 words"),
    ] {
        let (code, out, err) = asked(&["--words", words]);
        assert!(code == 2 && out.is_empty() && err.contains(said), "{words}: {err}");
    }
}

/// What an error says that comes before anything is paid for holds nothing of a file that a text or an option names by mistake, or on purpose.
#[test]
fn files_that_are_named_by_mistake_are_not_quoted() {
    let place = folder("run-quoted", POLICY);
    let text = "mechanism m(x: real)\nparam eps > 0\ny ~ laplace(x, 1 / eps)\nreturn round_to(y, 1)\n\
        neighbours abs(x' - x) <= 1\nclaim eps\n";
    fs::write(place.join("m.dp"), text).unwrap();
    fs::write(place.join("uses.dp"), format!("use \"secret.json\" as a\n{text}")).unwrap();
    fs::write(place.join("secret.json"), "41.75\n").unwrap();
    fs::write(place.join("secret.dp"), "41.75\n").unwrap();
    fs::write(place.join("uses_dp.dp"), format!("use \"secret.dp\" as a\n{text}")).unwrap();
    assert_eq!(run(&place, &["budget", "init", "--policy", "people.toml", "--ledger", "l"]).0, 0);
    for ledger in [&[][..], &["--ledger", "l"]] {
        for (file, more) in
            [("uses.dp", &[][..]), ("uses_dp.dp", &[]), ("m.dp", &["--certificate", "secret.json"])]
        {
            let base = ["run", file, "--set", "eps=1/10", "--input", "x=@secret.json"];
            let (code, out, err) = run(&place, &[&base[..], more, ledger].concat());
            assert!(code != 0 && !format!("{out}{err}").contains("41"), "{file}: {out}{err}");
            let said = ["this is no certificate", "ends in .dp", "has faults"];
            assert!(said.iter().any(|said| format!("{out}{err}").contains(said)), "{out}{err}");
        }
    }
}

/// How often a run draws is told only where no input decides it; names of inputs and tables that are mixed up are named.
#[test]
fn draws_are_told_where_they_tell_nothing() {
    let place = folder("run-draws", POLICY);
    let sample = "mechanism sampled(people: rows(age: int))\ns ~ sample(people, 1/2)\ny ~ laplace(count(r in s), 1)\n\
        return round_to(y, 1)\nneighbours one row of people is added or removed\nclaim 1\n";
    fs::write(place.join("sampled.dp"), sample).unwrap();
    fs::write(
        place.join("count.dp"),
        sample.replace("s ~ sample(people, 1/2)\n", "").replace("in s", "in people"),
    )
    .unwrap();
    fs::write(place.join("people.csv"), "age\n1\n2\n3\n").unwrap();
    for (file, draws) in [("sampled.dp", Value::Null), ("count.dp", 2.into())] {
        let (code, out, err) =
            run(&place, &["run", file, "--data", "people=people.csv", "--count", "2", "--json"]);
        assert_eq!((code, &serde_json::from_str::<Value>(&out).unwrap()["draws"]), (0, &draws), "{out}{err}");
    }
    for (more, said) in [
        (&["--data", "pple=people.csv"][..], "reads no table pple"),
        (&["--input", "people=@people.csv"], "people must be a table"),
        (&["--data", "people=people.csv", "--input", "people=1"], "people must be a table"),
    ] {
        let (code, _, err) = run(&place, &[&["run", "count.dp"], more].concat());
        assert!(code == 2 && err.contains(said), "{err}");
    }
}

/// An error after the first answers is part of the one object that `--json` prints. That no run of 500 fails has probability (3/4)^500.
#[test]
fn an_error_after_answers_is_in_their_object() {
    let place = folder("run-late", POLICY);
    let text = "mechanism late(x: real)\nk ~ uniform_int(0, 3)\ny ~ laplace(x, k)\nreturn round_to(y, 1)\n\
        neighbours abs(x' - x) <= 1\nclaim 1\n";
    fs::write(place.join("late.dp"), text).unwrap();
    let (code, out, err) =
        run(&place, &["run", "late.dp", "--input", "x=0", "--unproved", "--count", "500", "--json"]);
    assert_eq!(code, 2, "{out}{err}");
    let answer: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}\n{out}"));
    assert!(answer["error"].as_str().unwrap().contains("outside its range"), "{out}");
    assert!(answer["values"].as_array().unwrap().len() < 500 && err.contains("outside its range"));
}

/// What no run could do is said from the text, before it is paid for; and the search for a proof ends when it is told to.
#[test]
fn what_has_no_end_is_refused() {
    let place = folder("run-endless", POLICY);
    assert_eq!(run(&place, &["budget", "init", "--policy", "people.toml", "--ledger", "l"]).0, 0);
    let text = |inside: &str| {
        format!(
            "mechanism m(x: real)\nparam n: int >= 0\nd = []\nfor i in 0..n {{\n{inside}\n}}\nz ~ laplace(x, 2)\n\
             append(d, z > 0)\nreturn d\nneighbours abs(x' - x) <= 1\nclaim 1/2\n"
        )
    };
    for (inside, fits, too_many, said) in [
        ("append(d, true)", "1000", "100000000", "may keep more numbers"),
        ("y ~ laplace(0, 1)\nif y > 2 {\nz = 1\n}", "1000", "100000000", "may keep more numbers"),
        // For some inputs alone: else an answer would tell that x is not above 5.
        ("z = if x > 5 then x / 3 else 0", "1000", "100000000", "may keep more numbers"),
        ("z = i", "1000000", "1000000000000", "may have made 1000000000000 turns"),
    ] {
        fs::write(place.join("m.dp"), text(inside)).unwrap();
        let asked = |n: &str, more: &[&str]| {
            let set = format!("n={n}");
            run(&place, &[&["run", "m.dp", "--input", "x=0", "--set", &set][..], more].concat())
        };
        assert_eq!(asked(fits, &[]).0, 0, "{inside}: {}", asked(fits, &[]).2);
        for more in [&[][..], &["--ledger", "l"], &["--unproved"]] {
            let (code, out, err) = asked(too_many, more);
            assert!(code == 2 && out.is_empty() && err.contains(said), "{inside}: {out}{err}");
        }
    }
    let (_, out, _) = run(&place, &["budget", "--ledger", "l", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["spent"]["epsilon"], "0");
    let limited =
        |seconds: &str| run(&place, &["run", "m.dp", "--input", "x=0", "--set", "n=3", "--seconds", seconds]);
    let (code, out, _) = limited("0");
    assert!(code == 1 && out.contains("the deadline passed"), "{out}");
    assert_eq!(limited("600").0, 0);
    assert_eq!(limited("-1").0, 2);
}

/// A byte order mark is no part of a value; what can be read once is not named twice.
#[test]
fn values_of_files_are_read_as_tables_are() {
    let place = folder("run-marks", POLICY);
    fs::write(place.join("int.dp"), "mechanism m(x: int)\ny ~ discrete_laplace(x, 1/1000)\nreturn y\nneighbours abs(x' - x) <= 1\nclaim 1000\n").unwrap();
    fs::write(place.join("marked.txt"), "\u{feff}5\n").unwrap();
    fs::write(place.join("marked.json"), "\u{feff}{\"x\": 5}\n").unwrap();
    for input in ["x=@marked.txt", "@marked.json"] {
        let (code, out, err) = run(&place, &["run", "int.dp", "--input", input]);
        assert!(code == 0 && out.starts_with("5\n"), "{input}: {out}{err}");
    }
    for arguments in [
        &["run", "-", "--input", "x=@-"][..],
        &["run", "int.dp", "--input", "x=@-", "--input", "@-"],
        &["run", "int.dp", "--input", "x=@-", "--data", "people=-"],
        &["run", "int.dp", "--input", "x=@-", "--certificate", "-"],
    ] {
        let (code, _, err) = run(&place, arguments);
        assert!(code == 2 && err.contains("standard input is named twice"), "{arguments:?}: {err}");
    }
}

/// Nothing is paid for an answer that nobody can get.
#[cfg(target_os = "linux")]
#[test]
fn a_closed_output_costs_nothing() {
    let place = folder("run-closed", POLICY);
    assert_eq!(run(&place, &["budget", "init", "--policy", "people.toml", "--ledger", "people.ledger"]).0, 0);
    fs::write(
        place.join("int.dp"),
        "mechanism m(x: int)\ny ~ discrete_laplace(x, 1)\nreturn y\nneighbours abs(x' - x) <= 1\nclaim 1\n",
    )
    .unwrap();
    let command = format!("{} run int.dp --input x=5 --ledger people.ledger", env!("CARGO_BIN_EXE_probity"));
    let shell = |output: &str| {
        let mut shell = Command::new("sh");
        answer(shell.args(["-c", &format!("{command} {output}")]).current_dir(&place).stdin(Stdio::null()))
    };
    let spent = || {
        let (_, out, _) = run(&place, &["budget", "--ledger", "people.ledger", "--json"]);
        serde_json::from_str::<Value>(&out).unwrap()["spent"]["epsilon"].as_str().unwrap().to_owned()
    };
    let (code, _, err) = shell(">&-");
    assert!(code == 2 && err.contains("standard output is closed"), "{err}");
    assert_eq!(spent(), "0");
    // Whoever throws an answer away has had it.
    assert_eq!(shell(">/dev/null").0, 0);
    assert_eq!(spent(), "1");
}

/// A text that keeps rows may end for want of memory, so that an answer of it tells that there are not too many: it costs as much as an error.
#[test]
fn rows_that_are_kept_are_paid_for() {
    let place = folder("run-kept", POLICY);
    assert_eq!(run(&place, &["budget", "init", "--policy", "people.toml", "--ledger", "people.ledger"]).0, 0);
    let text = |body: &str| {
        format!(
            "mechanism m(people: rows(age: int))\n{body}\nreturn 5\nneighbours one row of people is added or removed\nclaim 0\n"
        )
    };
    fs::write(place.join("sum.dp"), text("n = count(r in people where r.age > 18)")).unwrap();
    fs::write(place.join("kept.dp"), text("y ~ laplace(0, 1)\nn = count(r in people where r.age > y)"))
        .unwrap();
    fs::write(place.join("people.csv"), "age\n31\n50\n").unwrap();
    let spent = || {
        let (_, out, _) = run(&place, &["budget", "--ledger", "people.ledger", "--json"]);
        serde_json::from_str::<Value>(&out).unwrap()["spent"]["epsilon"].as_str().unwrap().to_owned()
    };
    for (file, cost) in [("sum.dp", "0"), ("kept.dp", "1/8")] {
        let (code, out, err) =
            run(&place, &["run", file, "--data", "people=people.csv", "--ledger", "people.ledger"]);
        assert_eq!(code, 0, "{out}{err}");
        assert_eq!(spent(), cost, "{file}");
    }
}
