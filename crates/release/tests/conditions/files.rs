//! Records of files: each is mapped by itself, however long it is, and rows that cleaning drops are not counted.

use std::fs;
use std::path::{Path, PathBuf};

use probity_release::engine::Engine;
use probity_release::engine::columns::Columns;
use probity_release::engine::csv::{Csv, MAX_RECORD, Reader, Record};
use probity_release::engine::rows::Rows;
use probity_release::refusal::Answer;

use crate::common::{policy, prepared_by};

fn file(name: &str, text: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("conditions");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}

fn sums(path: &Path, sql: &str) -> Vec<i128> {
    let plan = prepared_by(&policy(), sql).plan;
    let csv = Csv::new(path).unwrap();
    csv.check(&plan).unwrap();
    csv.sums(&plan, &|_, _| {}).unwrap().sums
}

/// The longest record is kept and a longer one is dropped, quoted or not, wherever the file is cut into pieces; its neighbours stay.
#[test]
fn a_record_beyond_the_longest_is_dropped_and_no_other() {
    for quote in ["", "\""] {
        for (length, kept) in [
            (MAX_RECORD, 1),
            (MAX_RECORD + 1, 0),
            (3 * MAX_RECORD, 0),
            (5 * MAX_RECORD, 0),
            (9 * MAX_RECORD, 0),
        ] {
            // Its fields, and one for each of them.
            let note = "x".repeat(length - "40".len() - 2);
            let text = format!("Note,age\na,1\n{quote}{note}{quote},40\nb,2\n{quote}c{quote},4\n");
            let found =
                sums(&file(&format!("long{}", quote.len()), &text), "SELECT COUNT(*), SUM(age) FROM people");
            assert_eq!(found, [3 + kept, 7 + 40 * kept], "{length} {quote}");
            // As the last record, which nothing ends.
            let text = format!("Note,age\na,1\n{quote}{note}{quote},40");
            let found =
                sums(&file(&format!("last{}", quote.len()), &text), "SELECT COUNT(*), SUM(age) FROM people");
            assert_eq!(found, [1 + kept, 1 + 40 * kept], "{length} {quote}");
        }
    }
}

/// A row that cleaning drops is in no sum of the query, also of columns that are in order.
#[test]
fn a_dropped_row_is_in_no_sum() {
    let text = "region,age,weight\nnorth,40,1\nnorth,41,500\nnowhere,42,1\nnorth,x,1\nnorth,999,1\n";
    let path = file("dropped", text);
    // 500 is out of the domain of weight, which drops; 999 counts as 120.
    assert_eq!(sums(&path, "SELECT COUNT(*), SUM(age), SUM(weight) FROM people"), [3, 40 + 42 + 120, 12]);
    let by = "SELECT region, COUNT(*), SUM(age), SUM(weight) FROM people GROUP BY region";
    assert_eq!(sums(&path, by), [2, 160, 8, 0, 0, 0, 0, 0, 0]);
}

/// What is no table in CSV is refused by its first bytes, whatever its rows are; what is added to a file by an editor is not.
#[test]
fn files_that_are_no_tables_are_refused() {
    let plan = prepared_by(&policy(), "SELECT SUM(age) FROM people").plan;
    let refused = |path: &Path| match Csv::new(path).and_then(|csv| csv.check(&plan)) {
        Err(refusal) => refusal.message,
        Ok(()) => String::new(),
    };
    let folder = file("here", "").parent().unwrap().to_owned();
    assert!(refused(&folder).contains("it is a folder"));
    for mark in [[0xff, 0xfe], [0xfe, 0xff]] {
        let path = file("utf16", "");
        fs::write(&path, [&mark[..], b"a\0g\0e\0,\0"].concat()).unwrap();
        assert!(refused(&path).contains("UTF-16"));
    }
    assert_eq!(sums(&file("mark", "\u{feff}age\n40\n"), "SELECT SUM(age) FROM people"), [40]);
    let long = file("header", &format!("age,{}\n40,1\n", "x".repeat(2 << 20)));
    assert!(refused(&long).contains("too long for a header"));
    // Several files are one table only if they have one header.
    let parts = folder.join("part-*.csv");
    for (other, said) in [("region,age\nnorth,1\n", ""), ("age,region\n1,north\n", "another header")] {
        file("part-1.csv", "region,age\nsouth,2\n");
        file("part-2.csv", other);
        assert!(refused(&parts).contains(said) && refused(&parts).is_empty() == said.is_empty(), "{other}");
    }
}

/// Rows are counted whatever is in them, so that a query that reads no column asks for all columns of the policy, on every engine: else
/// the rows of any file would be counted, paid for, and stored as the answer.
#[test]
fn a_count_of_rows_asks_for_the_columns_of_the_policy() {
    let whole = ["region", "age", "income", "weight", "smoker", "born", "Note"];
    let counts = ["SELECT COUNT(*) FROM people", "SELECT COUNT(*) FILTER (WHERE 1 < 2) FROM people"];
    for sql in counts {
        let plan = prepared_by(&policy(), sql).plan;
        assert!(plan.fields.is_empty(), "{sql}");
        let asked = |names: &[&str]| {
            let header: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let text = format!("{}\n{}\n", names.join(","), "1,".repeat(names.len()));
            let csv = Csv::new(&file("counted", &text)).unwrap();
            let rows = Rows { header: header.clone(), rows: vec![vec!["1".to_owned(); names.len()]] };
            let columns = Columns::new(header, Vec::new());
            let engines: [&dyn Engine; 3] = [&csv, &rows, &columns];
            let checked = engines.map(|engine| engine.check(&plan).err());
            // Standard input is looked at in the pass alone.
            let passed = engines.map(|engine| engine.sums(&plan, &|_, _| {}).err());
            assert!(
                checked == passed && checked.iter().all(|refused| *refused == checked[0]),
                "{names:?}: {checked:?}"
            );
            checked[0].clone().map(|refusal| refusal.to_string())
        };
        assert_eq!(asked(&whole), None);
        assert_eq!(asked(&["id", "Note", "born", "smoker", "weight", "income", "age", "region"]), None);
        for missing in 0..whole.len() {
            let mut names = whole.to_vec();
            let name = names.remove(missing);
            let refused = asked(&names).unwrap();
            assert!(
                refused.contains(&format!("no column named `{name}`")) && refused.contains("reads no column"),
                "{refused}"
            );
            names.extend([name, name]);
            assert!(asked(&names).unwrap().contains("two columns"), "{name}");
        }
        // Rows without a header, a text of another kind, and another separator.
        assert!(asked(&["[budget]"]).unwrap().contains("no column named `region`"));
        assert!(asked(&[&whole.join(";")]).unwrap().contains("semicolons"));
        assert!(asked(&[&whole.join("\t")]).unwrap().contains("tabs"));
    }
    // What reads columns asks for those.
    assert_eq!(sums(&file("one", "age\n40\n2\n"), "SELECT COUNT(*), SUM(age) FROM people"), [2, 42]);
}

/// What a reader saw: the header, and what records have in the first columns.
#[derive(Default)]
struct Seen {
    header: Vec<String>,
    wanted: usize,
    records: Vec<Vec<String>>,
}

impl Reader for Seen {
    fn header(&mut self, names: &[String]) -> Answer<usize> {
        self.header = names.to_vec();
        Ok(self.wanted)
    }

    fn record(&mut self, record: &Record) {
        let field = |place| String::from_utf8_lossy(record.field(place)).into_owned();
        self.records.push((0..self.wanted).map(field).collect());
    }
}

/// Record by record, a table is what it is at once, but for records that are too long; and it may be larger than one that is read at once.
#[test]
fn a_table_is_read_record_by_record() {
    let long = "x".repeat(MAX_RECORD);
    let text = format!("a,b,c\n1,2,3\n\"4\n\",5\n6,{long},7\n\n8\n{long}9,9,9\n10,11,12");
    let mut seen = Seen { wanted: 2, ..Seen::default() };
    Csv::new(&file("by-record", &text)).unwrap().read(&mut seen).unwrap();
    assert_eq!(seen.header, ["a", "b", "c"]);
    assert_eq!(seen.records, [["1", "2"], ["4\n", "5"], ["8", ""], ["10", "11"]]);

    let row = format!("1,{}\n", "x".repeat(MAX_RECORD - 10));
    let path = file("large", "a,b\n");
    let mut out = fs::OpenOptions::new().append(true).open(&path).unwrap();
    for _ in 0..260 {
        std::io::Write::write_all(&mut out, row.as_bytes()).unwrap();
    }
    let mut seen = Seen { wanted: 1, ..Seen::default() };
    let csv = Csv::new(&path).unwrap();
    csv.read(&mut seen).unwrap();
    assert_eq!(seen.records.len(), 260);
    assert!(csv.records(usize::MAX).is_err());
    fs::remove_file(&path).unwrap();
}

/// What is damaged before its first line has ended has no header, and what can be read only once is no table: nothing is read on, or twice.
#[cfg(unix)]
#[test]
fn what_has_no_whole_header_is_refused() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, b"region,age").unwrap();
    let mut damaged = packed.finish().unwrap();
    let checksum = damaged.len() - 8;
    damaged[checksum] ^= 1;
    let path = file("damaged.csv.gz", "");
    fs::write(&path, damaged).unwrap();
    let refused = Csv::new(&path).unwrap().header().unwrap_err();
    assert!(refused.message.starts_with("cannot read"), "{refused}");
    let pipe = path.with_file_name("pipe");
    let _ = fs::remove_file(&pipe);
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let refused = Csv::new(&pipe).map(|_| ()).unwrap_err();
    assert!(refused.message.contains("no plain file"), "{refused}");
}
