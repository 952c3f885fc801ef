//! Parquet files give the sums of the same rows as texts.
#![cfg(feature = "parquet")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use probity_release::engine::parquet::Parquet;
use probity_release::engine::rows::Rows;
use probity_release::engine::{Engine, of_files};
use probity_release::policy::{self, Policy, date_to_text};
use probity_release::prepare::prepare;
use probity_release::query::Plan;

const POLICY: &str = r#"
[budget]
epsilon = "2"
per_query = { epsilon = "1/2" }
[table.people]
unit = "row"
[table.people.columns]
region = { in = ["north", "south"], outside = "north" }
age = { type = "int", between = [-3, 120], null = 40 }
big = { type = "int", between = [0, 5000000000] }
income = { type = "decimal", scale = 2, between = [-1000, 100000] }
weight = { type = "float", grid = "1/4", between = [0, 200], outside = "drop" }
smoker = { type = "bool", null = false }
born = { type = "date", between = ["2000-01-01", "2000-02-29"] }
"#;

const QUERIES: &[&str] = &[
    "SELECT COUNT(*) FROM people",
    "SELECT region, COUNT(*), SUM(income), AVG(age), SUM(big) FROM people GROUP BY region",
    "SELECT region, smoker, SUM(weight - age / 2), MEDIAN(income) FROM people WHERE born >= DATE '2000-01-10' GROUP BY region, smoker",
];

const SCHEMA: &str = "message people {
  OPTIONAL BYTE_ARRAY region (UTF8);
  OPTIONAL INT32 age;
  REQUIRED INT64 big (INTEGER(64, false));
  OPTIONAL INT64 income (DECIMAL(12, 3));
  REQUIRED DOUBLE weight;
  OPTIONAL BOOLEAN smoker;
  REQUIRED INT32 born (DATE);
  OPTIONAL INT64 person;
  OPTIONAL GROUP nested { OPTIONAL INT32 age; }
  REQUIRED INT64 seen (TIMESTAMP(MILLIS, true));
}";

fn plans() -> Vec<Plan> {
    let users =
        POLICY.replace("unit = \"row\"", "unit = { user = \"person\", groups = 2, rows_per_group = 2 }");
    let policies: Vec<Policy> =
        [POLICY, &users].iter().map(|text| policy::read("policy", text).unwrap()).collect();
    let mut plans = Vec::new();
    for policy in &policies {
        for sql in QUERIES {
            plans.push(prepare(policy, &[(*sql).to_owned()], &[]).unwrap().remove(0).plan);
        }
    }
    plans
}

/// A file in several row groups, and the same rows as texts.
fn written(path: &Path, compression: Compression) -> Rows {
    let mut state = 7u64;
    let mut roll = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let header = ["region", "age", "big", "income", "weight", "smoker", "born", "person"];
    let mut rows = Rows { header: header.map(String::from).to_vec(), rows: Vec::new() };
    let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
    let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let mut writer = SerializedFileWriter::new(File::create(path).unwrap(), schema, properties).unwrap();
    for size in [1, 40_000, 0, 999] {
        let mut text: Vec<Vec<String>> = vec![Vec::new(); size];
        let mut put = |row: usize, cell: Option<String>| text[row].push(cell.unwrap_or_default());
        // A level for every row, and the values that there are.
        let mut levels: Vec<Vec<i16>> = vec![Vec::new(); 8];
        let (mut regions, mut ages, mut bigs, mut incomes) = (vec![], vec![], vec![], vec![]);
        let (mut weights, mut smokers, mut born, mut people) = (vec![], vec![], vec![], vec![]);
        for row in 0..size {
            let mut maybe = |column: usize| {
                let there = roll(10) > 0;
                levels[column].push(i16::from(there));
                there
            };
            let there = [maybe(0), maybe(1), true, maybe(3), true, maybe(5), true, maybe(7)];
            let region = ["north", "south", "west", " south"][roll(4) as usize];
            put(row, there[0].then(|| region.to_owned()));
            regions.extend(there[0].then(|| ByteArray::from(region)));
            let age = roll(140) as i32 - 10;
            put(row, there[1].then(|| age.to_string()));
            ages.extend(there[1].then_some(age));
            // Beyond what is signed, too.
            let big = if roll(3) == 0 { u64::MAX - roll(9) } else { roll(6_000_000_000) };
            put(row, Some(big.to_string()));
            bigs.push(big as i64);
            let income = roll(120_000_000) as i64 - 2_000_000;
            let (sign, size) = (if income < 0 { "-" } else { "" }, income.abs());
            put(row, there[3].then(|| format!("{sign}{}.{:03}", size / 1000, size % 1000)));
            incomes.extend(there[3].then_some(income));
            let weight = roll(1700) as f64 / 8.0;
            put(row, Some(weight.to_string()));
            weights.push(weight);
            let smoker = roll(2) == 0;
            put(row, there[5].then(|| smoker.to_string()));
            smokers.extend(there[5].then_some(smoker));
            let day = 10_950 + roll(70) as i32;
            put(row, Some(date_to_text(i64::from(day))));
            born.push(day);
            let person = roll(3000) as i64;
            put(row, there[7].then(|| person.to_string()));
            people.extend(there[7].then_some(person));
        }
        let mut group = writer.next_row_group().unwrap();
        let mut number = 0;
        while let Some(mut column) = group.next_column().unwrap() {
            let level = levels.get(number).map(Vec::as_slice);
            let none = vec![0i16; size];
            match number {
                0 => column.typed::<ByteArrayType>().write_batch(&regions, level, None).unwrap(),
                1 => column.typed::<Int32Type>().write_batch(&ages, level, None).unwrap(),
                2 => column.typed::<Int64Type>().write_batch(&bigs, None, None).unwrap(),
                3 => column.typed::<Int64Type>().write_batch(&incomes, level, None).unwrap(),
                4 => column.typed::<DoubleType>().write_batch(&weights, None, None).unwrap(),
                5 => column.typed::<BoolType>().write_batch(&smokers, level, None).unwrap(),
                6 => column.typed::<Int32Type>().write_batch(&born, None, None).unwrap(),
                7 => column.typed::<Int64Type>().write_batch(&people, level, None).unwrap(),
                8 => column.typed::<Int32Type>().write_batch(&[], Some(&none), None).unwrap(),
                _ => column.typed::<Int64Type>().write_batch(&vec![0; size], None, None).unwrap(),
            };
            column.close().unwrap();
            number += 1;
        }
        group.close().unwrap();
        rows.rows.extend(text);
    }
    writer.close().unwrap();
    rows
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("parquet-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn files_give_the_sums_of_rows() {
    let place = folder("sums");
    let packed = [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::ZSTD(Default::default())];
    for (number, compression) in packed.into_iter().enumerate() {
        let path = place.join(format!("{number}.parquet"));
        let rows = written(&path, compression);
        for plan in plans() {
            let truth = rows.sums(&plan, &|_, _| {}).unwrap();
            let engine = of_files(&path).unwrap();
            engine.check(&plan).unwrap();
            assert_eq!(engine.sums(&plan, &|_, _| {}).unwrap(), truth, "{}", plan.sql);
        }
    }
    // All of them as one table.
    let rows = written(&place.join("0.parquet"), Compression::UNCOMPRESSED);
    let plan = &plans()[1];
    let once = rows.sums(plan, &|_, _| {}).unwrap();
    let all = Parquet::new(&place.join("*.parquet")).unwrap().sums(plan, &|_, _| {}).unwrap();
    assert_eq!(all.sums, once.sums.iter().map(|sum| 3 * sum).collect::<Vec<_>>());
}

#[test]
fn what_cannot_be_read_is_refused_by_its_schema() {
    let place = folder("refused");
    let path = place.join("t.parquet");
    written(&path, Compression::SNAPPY);
    let refused = |columns: &str, sql: &str| {
        let text = POLICY.replace("born = {", &format!("{columns}\nborn = {{"));
        let policy = policy::read("policy", &text).unwrap();
        let plan = prepare(&policy, &[sql.to_owned()], &[]).unwrap().remove(0).plan;
        Parquet::new(&path).unwrap().check(&plan).unwrap_err().to_string()
    };
    let seen = refused("seen = { type = \"int\", between = [0, 9] }", "SELECT SUM(seen) FROM people");
    assert!(seen.contains("`seen`") && seen.contains("type"), "{seen}");
    let missing = refused("other = { type = \"int\", between = [0, 9] }", "SELECT SUM(other) FROM people");
    assert!(missing.contains("no column named `other`"), "{missing}");
    // A file that is none, or is cut, or has other bytes: no sums, and no word about what is in it.
    let whole = fs::read(&path).unwrap();
    let plan = &plans()[1];
    let mut damaged = whole.clone();
    damaged[whole.len() / 2..whole.len() / 2 + 200].fill(0xff);
    for bytes in [&b"region,age\n"[..], b"", &whole[..whole.len() / 2], &whole[100..], &damaged] {
        fs::write(&path, bytes).unwrap();
        if let Err(refused) = Parquet::new(&path).unwrap().sums(plan, &|_, _| {}) {
            let text = refused.to_string();
            assert!(text.contains("damaged") && !text.contains("north"), "{text}");
        } else {
            assert_eq!(bytes, &damaged, "a file that is none was read");
        }
    }
}
