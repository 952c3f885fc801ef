//! What `--json` prints is what `docs/schema/probity.json` says, for every subcommand and for errors.
//!
//! The validator below knows the keywords of JSON Schema 2020-12 that our schema uses, and refuses a schema with any
//! other: a keyword that is not checked would be a promise that nobody keeps.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::common::{fresh, root};

fn schema() -> Value {
    serde_json::from_str(&fs::read_to_string(root().join("docs/schema/probity.json")).unwrap()).unwrap()
}

/// The exit code and the JSON answer.
fn answer(arguments: &[&str]) -> (i32, Value) {
    let output = Command::new(env!("CARGO_BIN_EXE_probity"))
        .args(arguments)
        .current_dir(root())
        .env("PROBITY_SECONDS", "120")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
        panic!("{arguments:?}: {error}\n{out}\n{err}")
    });
    (output.status.code().unwrap(), value)
}

/// Whether a value is as a schema says; otherwise where it is not.
fn check(schema: &Value, value: &Value, whole: &Value, at: &str) -> Result<(), String> {
    let Some(keywords) = schema.as_object() else { return Err(format!("{at}: {schema} is no schema")) };
    for (keyword, rule) in keywords {
        let fails = |reason: &str| Err(format!("{at}: {reason} {rule}, found {value}"));
        let size = |length: usize| rule.as_u64().map(|bound| (length as u64, bound));
        match keyword.as_str() {
            "$schema" | "title" | "description" | "$defs" | "required" | "additionalProperties" => {}
            "$ref" => {
                let name = rule.as_str().and_then(|target| target.strip_prefix("#/$defs/"));
                let target = name.and_then(|name| whole["$defs"].get(name));
                check(target.ok_or(format!("{rule} leads nowhere"))?, value, whole, at)?;
            }
            "type" => {
                let allowed = rule.as_array().cloned().unwrap_or_else(|| vec![rule.clone()]);
                if !allowed.iter().any(|name| has_type(name.as_str().unwrap(), value)) {
                    return fails("expected the type");
                }
            }
            "enum" if !rule.as_array().unwrap().contains(value) => return fails("expected one of"),
            "enum" => {}
            "minimum" if value.as_f64().is_some_and(|x| x < rule.as_f64().unwrap()) => {
                return fails("less than");
            }
            "minimum" => {}
            "minItems" if value.as_array().map(Vec::len).and_then(size).is_some_and(|(n, k)| n < k) => {
                return fails("fewer items than");
            }
            "minItems" => {}
            "maxItems" if value.as_array().map(Vec::len).and_then(size).is_some_and(|(n, k)| n > k) => {
                return fails("more items than");
            }
            "maxItems" => {}
            "pattern" if value.as_str().is_some_and(|text| !matches(rule.as_str().unwrap(), text)) => {
                return fails("does not match");
            }
            "pattern" => {}
            "items" => {
                for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(rule, item, whole, &format!("{at}[{number}]"))?;
                }
            }
            "properties" => {
                for (name, rule) in rule.as_object().unwrap() {
                    if let Some(field) = value.get(name) {
                        check(rule, field, whole, &format!("{at}.{name}"))?;
                    }
                }
            }
            "anyOf" => {
                let tried: Vec<_> =
                    rule.as_array().unwrap().iter().map(|rule| check(rule, value, whole, at)).collect();
                if tried.iter().all(Result::is_err) {
                    let reasons: Vec<String> = tried.into_iter().filter_map(Result::err).collect();
                    return Err(format!("{at}: nothing fits:\n  {}", reasons.join("\n  ")));
                }
            }
            other => return Err(format!("the keyword {other} is not checked here")),
        }
    }
    fields(schema, value, whole, at)
}

/// The keywords about fields, which read each other.
fn fields(schema: &Value, value: &Value, whole: &Value, at: &str) -> Result<(), String> {
    let Some(found) = value.as_object() else { return Ok(()) };
    for name in schema["required"].as_array().into_iter().flatten() {
        if !found.contains_key(name.as_str().unwrap()) {
            return Err(format!("{at}: there is no field {name} in {value}"));
        }
    }
    let others = found.iter().filter(|(name, _)| schema["properties"].get(name).is_none());
    for (name, field) in others {
        match &schema["additionalProperties"] {
            Value::Null => {}
            Value::Bool(false) => return Err(format!("{at}: the field {name} is not known")),
            rule => check(rule, field, whole, &format!("{at}.{name}"))?,
        }
    }
    Ok(())
}

fn has_type(name: &str, value: &Value) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("there is no type {other}"),
    }
}

/// The two patterns of the schema.
fn matches(pattern: &str, text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match pattern {
        "^-?[0-9]+(/[0-9]+)?$" => {
            let size = text.strip_prefix('-').unwrap_or(text);
            size.split_once('/').map_or(digits(size), |(top, bottom)| digits(top) && digits(bottom))
        }
        "^[EW][0-9]{4}$" => text.len() == 5 && text.starts_with(['E', 'W']) && digits(&text[1..]),
        other => panic!("the pattern {other} is not checked here"),
    }
}

/// Every keyword of the schema is one that [`check`] knows, also where no answer leads.
fn every_rule(schema: &Value, visit: &mut dyn FnMut(&Value)) {
    visit(schema);
    let below = |rule: &Value| rule.as_object().map(|rules| rules.values().cloned().collect::<Vec<_>>());
    let maps = ["properties", "$defs"].into_iter().filter_map(|name| below(&schema[name])).flatten();
    let lists = schema["anyOf"].as_array().cloned().into_iter().flatten();
    let single = ["items", "additionalProperties"].into_iter().map(|name| schema[name].clone());
    for rule in maps.chain(lists).chain(single.filter(Value::is_object)) {
        every_rule(&rule, visit);
    }
}

#[test]
fn the_schema_uses_only_what_is_checked() {
    let whole = schema();
    let mut rules = 0;
    every_rule(&whole, &mut |rule| {
        rules += 1;
        for keyword in rule.as_object().unwrap().keys() {
            let alone = json!({ keyword: rule[keyword] });
            if let Err(reason) = check(&alone, &Value::Null, &whole, "") {
                assert!(!reason.contains("is not checked") && !reason.contains("leads nowhere"), "{reason}");
            }
        }
        // An object says of every other field whether it may be there.
        if rule.get("properties").is_some() {
            assert!(rule.get("additionalProperties").is_some(), "{rule}");
        }
    });
    assert!(rules > 200, "only {rules} rules were found");
}

#[test]
fn the_validator_can_say_no() {
    let whole = json!({"$defs": {"one": {"type": "integer"}}});
    let object = json!({
        "type": "object", "additionalProperties": false, "required": ["a"],
        "properties": {"a": {"$ref": "#/$defs/one"}, "b": {"type": ["string", "null"]}},
    });
    let says = |schema: &Value, value: Value| check(schema, &value, &whole, "$");
    assert_eq!(says(&object, json!({"a": 1})), Ok(()));
    assert_eq!(says(&object, json!({"a": 1, "b": null})), Ok(()));
    for wrong in [
        json!({}),
        json!({"a": "1"}),
        json!({"a": 1.5}),
        json!({"a": 1, "b": 2}),
        json!({"a": 1, "c": 2}),
        json!([]),
    ] {
        assert!(says(&object, wrong.clone()).is_err(), "{wrong}");
    }
    let list =
        json!({"type": "array", "items": {"type": "number", "minimum": 0}, "minItems": 1, "maxItems": 2});
    assert_eq!(says(&list, json!([1, 0.5])), Ok(()));
    for wrong in [json!([]), json!([1, 2, 3]), json!([-1]), json!(["1"])] {
        assert!(says(&list, wrong.clone()).is_err(), "{wrong}");
    }
    let exact = json!({"anyOf": [{"pattern": "^-?[0-9]+(/[0-9]+)?$", "type": "string"}, {"enum": ["inf"]}]});
    for right in ["7", "-7/3", "inf"] {
        assert_eq!(says(&exact, json!(right)), Ok(()));
    }
    for wrong in [json!("7/"), json!("0.5"), json!(""), json!("-"), json!(7), json!(null)] {
        assert!(says(&exact, wrong.clone()).is_err(), "{wrong}");
    }
    assert!(says(&json!({"const": 1}), json!(1)).unwrap_err().contains("is not checked"));
    assert!(says(&json!({"$ref": "#/$defs/two"}), json!(1)).unwrap_err().contains("leads nowhere"));
}

/// A fresh folder for what a test writes.
fn folder(name: &str) -> PathBuf {
    fresh(&format!("schema-{name}"))
}

/// Arguments after which `--json` is put, and the exit code.
fn questions(place: &str) -> Vec<(String, i32)> {
    let snapping = "mechanisms/snapping.dp --set eps=1 --set B=100";
    let half = "mechanisms/broken/laplace_half_scale.dp";
    let people = "--policy examples/data/people.toml";
    let by_key = "SELECT\tregion,COUNT(*)\tFROM\tpeople\tGROUP\tBY\tregion";
    let ledger = format!("--ledger {place}/people.ledger --data people=examples/data/people.csv");
    [
        ("verify mechanisms/laplace.dp".to_owned(), 0),
        (format!("verify {snapping}"), 0),
        (format!("verify {half}"), 1),
        ("verify mechanisms/broken/sparse_vector_no_cap.dp".into(), 1),
        (format!("verify {place}/mixed"), 2),
        (format!("verify {place}/mixed --set eps=0"), 2),
        (format!("certify {snapping}"), 0),
        ("certify mechanisms/snapping.dp --set eps=1 --set B=5000".into(), 0),
        ("certify mechanisms/snapping.dp --set eps=1/2..2 --set B=1..100".into(), 0),
        ("certify mechanisms/laplace.dp --set eps=1".into(), 1),
        (format!("audit {snapping} --inputs 0 1 --at-epsilon 1/2 --platform-ln --reach 20"), 0),
        ("audit mechanisms/snapping.dp --set eps=1 --set B=5000 --inputs 0 5".into(), 0),
        (format!("audit {snapping} --in binary16 --inputs 0 1"), 0),
        (format!("audit {snapping} --search --pairs 3"), 0),
        ("audit mechanisms/count.dp --set eps=1 --search --pairs 2".into(), 0),
        ("audit mechanisms/sparse_vector.dp --set eps=1 --set N=1 --set T=0 --search --pairs 6".into(), 0),
        ("audit mechanisms/snapping.dp --exhaustive --in 3,-4,3 --set eps=1 --set B=2".into(), 0),
        ("audit mechanisms/laplace.dp --set eps=1 --inputs 0 1".into(), 0),
        ("run mechanisms/sparse_vector.dp --set eps=1 --set N=3 --set T=100 --input q=[98,103,97,140]".into(), 0),
        ("run mechanisms/laplace.dp --set eps=1/2 --input x=41.7 --grid 2^-10 --count 100".into(), 0),
        ("run mechanisms/randomized_response.dp --set t=3 --set p=1/2 --input x=1 --count 3".into(), 0),
        (format!("run {half} --set eps=1 --input x=0 --grid 1"), 1),
        (format!("run {half} --set eps=1 --input x=0 --grid 1 --unproved"), 0),
        ("run mechanisms/laplace.dp --set eps=1 --input x=0 --grid 1 --certificate certificates/snapping.cert".into(), 1),
        (format!("report {snapping} --out {place}/page.html"), 0),
        (format!("report {half} --out {place}/page.html"), 0),
        (format!("roundoff {place}/cores.fpcore"), 0),
        ("check certificates/laplace.cert".into(), 0),
        ("check certificates/laplace.cert --mechanism mechanisms/snapping.dp".into(), 1),
        ("list".into(), 0),
        (format!("list {place}/mixed"), 2),
        ("map discrete-laplace --scale 7/3 --d-in 2 --alpha 0.05".into(), 0),
        ("map discrete-laplace --scale 0".into(), 0),
        ("map discrete-gaussian --scale 2".into(), 0),
        ("map discrete-gaussian --scale 2 --delta 1e-5".into(), 0),
        ("map snapping --epsilon 1 --bound 50".into(), 0),
        ("map discrete-gaussian --target-rho 1/10".into(), 0),
        ("map discrete-gaussian --target-epsilon 1 --target-delta 1e-5".into(), 0),
        ("map discrete-laplace --target-error 30 --alpha 0.05".into(), 0),
        ("account gaussian(2)*3 --delta 1e-6".into(), 0),
        ("account poisson(1/10,laplace(3))*4 --epsilon 1/100".into(), 0),
        ("account gaussian(s)*3 --delta 1e-6 --target-epsilon 1".into(), 0),
        ("account text(\"mechanisms/laplace.dp\",eps=1)*2 --delta 1e-6".into(), 0),
        (format!("account laplace(3)*2 --curve {place}/curve.html"), 0),
        ("sample discrete-laplace --scale 7/3 --count 20".into(), 0),
        ("sample discrete-laplace --scale 1e30 --count 20".into(), 0),
        ("sample bernoulli --prob 1/3 --count 20".into(), 0),
        ("sample uniform-float --count 20".into(), 0),
        ("sample snapping --epsilon 1 --bound 50 --input 3.5 --count 20".into(), 0),
        (format!("fmt --check {place}/mixed mechanisms"), 2),
        (format!("fmt --check {place}/untidy.dp"), 1),
        (format!("fmt --print {place}/untidy.dp"), 0),
        (format!("fmt {place}/untidy.dp"), 0),
        (format!("explain {snapping} --inputs 0.3 1.3"), 0),
        ("explain mechanisms/sparse_vector.dp".into(), 0),
        (format!("explain {half}"), 1),
        ("bench".into(), 0),
        (
            format!(
                "release {people} --preview SELECT\tCOUNT(*)\tFROM\tpeople SELECT\tAVG(age)\tFROM\tpeople"
            ),
            0,
        ),
        (format!("release {people} --explain SELECT\tCOUNT(*)\tFROM\tpeople"), 0),
        (
            format!(
                "release {people} {ledger} --init SELECT\tregion,AVG(income)\tFROM\tpeople\tGROUP\tBY\tregion"
            ),
            0,
        ),
        (
            format!(
                "release {people} {ledger} SELECT\tCOUNT(*)\tFROM\tpeople SELECT\tAVG(age)\tFROM\tpeople"
            ),
            0,
        ),
        (format!("policy {place}/found.toml"), 0),
        (format!("release --policy {place}/found.toml --preview {by_key}"), 0),
        (format!("release --policy {place}/found.toml --explain {by_key}"), 0),
        (
            format!(
                "release --policy {place}/found.toml --ledger {place}/found.ledger --data people=examples/data/people.csv --init {by_key}"
            ),
            0,
        ),
        (format!("check {place}/found-2.cert --policy {place}/found.toml"), 0),
        (format!("budget --ledger {place}/people.ledger --verify"), 0),
        (format!("budget --ledger {place}/people.ledger --delta 1e-6"), 0),
        (format!("budget --ledger {place}/people.ledger --policy-text"), 0),
        (format!("check {place}/people-2.cert --policy examples/data/people.toml"), 0),
        (format!("budget amend {people} --ledger {place}/people.ledger"), 0),
        ("policy examples/data/people.toml".into(), 0),
        ("policy --suggest examples/data/people.csv".into(), 0),
    ]
    .into()
}

#[test]
fn every_answer_is_as_the_schema_says() {
    let place = folder("answers");
    let mixed = place.join("mixed");
    fs::create_dir(&mixed).unwrap();
    fs::copy(root().join("mechanisms/laplace.dp"), mixed.join("good.dp")).unwrap();
    fs::write(mixed.join("bad.dp"), "mechanism m(x: real)\nreturn y\n").unwrap();
    fs::write(mixed.join("none.dp"), [0xff]).unwrap();
    let untidy = "mechanism  m(x:real)\nparam eps>0\ny~laplace(x,1/eps)\nreturn y\nneighbours abs(x' - x)<=1\nclaim eps\n";
    fs::write(place.join("untidy.dp"), untidy).unwrap();
    let found = "[budget]\nepsilon = 1\ndelta = 0.001\nper_query = { epsilon = 1, delta = 0.001 }\n[table.people]\nunit = \"row\"\n\
                 [table.people.columns]\nregion = { type = \"text\", discover = true }\n";
    fs::write(place.join("found.toml"), found).unwrap();
    let cores = "(FPCore (x) :name \"half\" :pre (<= 1 x 2) (/ x (+ x 1)))
                 (FPCore (x) :name \"pole\" :pre (<= -1 x 2) (/ 1 x))
                 (FPCore (x) :name \"loop\" :pre (<= 1 x 2) (while (< x 9) ([x x (+ x 1)]) x))";
    fs::write(place.join("cores.fpcore"), cores).unwrap();
    let whole = schema();
    let mut asked: Vec<String> = Vec::new();
    for (text, code) in questions(place.to_str().unwrap()) {
        let arguments: Vec<&str> = text.split(' ').chain(["--json"]).collect();
        let (found, value) = answer(&arguments);
        assert_eq!(found, code, "{text}: {value:#}");
        let own = json!({"$ref": format!("#/$defs/{}", arguments[0])});
        if let Err(reason) = check(&own, &value, &whole, "$") {
            panic!("{text}: {reason}");
        }
        asked.push(arguments[0].to_owned());
    }
    // None is left out.
    for rule in whole["anyOf"].as_array().unwrap() {
        let name = rule["$ref"].as_str().unwrap().trim_start_matches("#/$defs/");
        assert!(name == "error" || asked.iter().any(|asked| asked == name), "{name} is not asked anything");
    }
}

#[test]
fn every_error_is_as_the_schema_says() {
    let place = folder("errors");
    fs::write(place.join("bad.dp"), "mechanism m(x: real)\nreturn y\n").unwrap();
    let bad = place.join("bad.dp");
    let whole = schema();
    let error = json!({"$ref": "#/$defs/error"});
    let refused = |text: &str| {
        let arguments: Vec<&str> = text.split(' ').chain(["--json"]).collect();
        let (code, value) = answer(&arguments);
        assert_eq!(code, 2, "{text}: {value:#}");
        check(&error, &value, &whole, "$").unwrap_or_else(|reason| panic!("{text}: {reason}"));
        value
    };
    for command in ["verify", "certify", "explain", "check", "roundoff", "list"] {
        let value = refused(&format!("{command} no/such/file.dp"));
        assert_eq!(value["where"]["file"], "no/such/file.dp", "{value:#}");
    }
    let value = refused(&format!("verify {}", bad.display()));
    assert_eq!(value["faults"][0]["code"], "E0301");
    assert_eq!((&value["where"]["line"], &value["where"]["column"]), (&json!(2), &json!(8)));
    let value = refused("verify mechanisms/laplace.dp --set esp=1");
    assert!(value["hint"].as_str().unwrap().contains("did you mean eps?"), "{value:#}");
    let value = refused("verify mechanisms/laplace.dp --sett eps=1");
    assert_eq!(value["where"]["argument"], "--sett");
    assert!(value["hint"].as_str().unwrap().contains("'--set'"), "{value:#}");
    for text in [
        "verfy",
        "verify",
        "map",
        "sample discrete-laplace --scale x",
        "audit mechanisms/laplace.dp --set eps=1 --inputs 0 x",
        "audit mechanisms/snapping.dp --set eps=1 --set B=-1 --inputs 0 1",
        "run mechanisms/laplace.dp --set eps=1 --input x=0",
        "run mechanisms/laplace.dp --set eps=1 --grid 1",
        "run mechanisms/laplace.dp --input x=0 --grid 1",
        "run mechanisms/laplace.dp --set eps=1 --input x=true --grid 1",
        "run mechanisms/laplace.dp --set eps=1 --input x=0 --grid 0",
        "run mechanisms/snapping.dp --set eps=1 --set B=1 --input x=2",
        "report mechanisms/laplace.dp --out no/such/folder/page.html",
        "fmt",
        "bench --fast",
    ] {
        refused(text);
    }
}

#[test]
fn the_program_carries_its_schema() {
    let (code, printed) = answer(&["schema"]);
    assert_eq!((code, &printed), (0, &schema()));
    let (_, part) = answer(&["schema", "check"]);
    let rule = json!({"anyOf": part["anyOf"]});
    let accepted = json!({"status": "accepted", "mechanism": "m", "text": "t", "claim": "c", "axioms": []});
    assert_eq!(check(&rule, &accepted, &part, "$"), Ok(()));
    assert!(check(&rule, &json!({"status": "accepted"}), &part, "$").is_err());
    assert!(part["$defs"].get("error").is_some() && part["$defs"].get("audit").is_none());
}
