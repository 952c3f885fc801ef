//! What each function answers, and what it refuses.

use probity_verdict::prelude::*;
use probity_verdict::{Amount, Kind, Neighbours, Program, Rejection, guarantee, with_settings};

fn library(name: &str) -> Program {
    let path = format!("{}/../../mechanisms/{name}.dp", env!("CARGO_MANIFEST_DIR"));
    load_text(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn setting(text: &str) -> Setting {
    text.parse().unwrap()
}

/// Which texts of a page are not what they say: those that stand alone are proved, or refuted if they say so.
fn not_as_expected(page: &str) -> Vec<String> {
    let texts = page.split("```dp\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let programs = texts.map(|text| load_text(text).unwrap());
    let wrong = programs.filter(|program| !verify(program, &[], &Watch::default()).unwrap().is_as_expected());
    wrong.map(|program| program.mechanism.name.to_string()).collect()
}

#[test]
fn the_examples_of_the_language_are_proved() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/language.md");
    let page = std::fs::read_to_string(path).unwrap();
    assert!(page.matches("```dp\n").count() >= 10);
    assert_eq!(not_as_expected(&page), [""; 0]);
    let too_much = page.replace("claim eps + 1e-9 in", "claim eps in").replace("expect refuted\n```", "```");
    assert_eq!(not_as_expected(&too_much), ["snapping_in_doubles", "too_little_noise"]);
}

#[test]
fn a_certificate_proves_its_own_program_and_no_other() {
    let watch = Watch::default();
    let program = library("laplace");
    let text = verify(&program, &[], &watch).unwrap().to_certificate().unwrap();
    assert!(check(&text, None, &watch).unwrap().is_accepted());
    assert!(check(&text, Some((&program, &[])), &watch).unwrap().is_accepted());
    assert!(!check(&text, Some((&library("snapping"), &[])), &watch).unwrap().is_accepted());
    assert!(!check(&text.replace("laplace", "laplacf"), None, &watch).unwrap().is_accepted());
    assert!(check(&text, Some((&program, &[setting("nobody=1")])), &watch).is_err());
}

#[test]
fn a_family_covers_its_members_and_a_refusal_is_an_answer() {
    let program = library("snapping");
    let watch = Watch::default();
    let number = |n: i64, d: i64| probity_exact::rational(n, d).unwrap();
    let mut family = CertifySettings::new(vec![setting("B=10")]);
    family.ranges.insert("eps".into(), (number(1, 2), number(2, 1)));
    let Ok(Found::Family(theorem)) = certify(&program, &family, &watch).unwrap().found else { panic!() };
    for eps in ["eps=1/2", "eps=3/4", "eps=1", "eps=2"] {
        let one = CertifySettings::new(vec![setting(eps), setting("B=10")]);
        let Ok(Found::One(member)) = certify(&program, &one, &watch).unwrap().found else { panic!() };
        assert!(member.epsilon_exact <= *theorem.bound().epsilon(), "{eps}");
    }
    let plain = certify(&library("laplace"), &CertifySettings::new(vec![setting("eps=1")]), &watch).unwrap();
    assert!(matches!(plain.found, Err(Rejection::Draw { .. })));
    // A value is missing: the question is at fault.
    let error = certify(&program, &CertifySettings::new(vec![setting("eps=1")]), &watch).unwrap_err();
    assert_eq!(*error.kind(), Kind::Missing(vec!["B".into()]));
}

#[test]
fn errors_name_what_is_at_fault() {
    let program = library("snapping");
    let error = with_settings(&program, &[setting("esp=1")]).unwrap_err();
    assert!(error.hint().unwrap().contains("did you mean eps?"), "{error}");
    let error = with_settings(&program, &[setting("eps=-1")]).unwrap_err();
    assert_eq!(*error.kind(), Kind::NotAdmitted);
    let error =
        explain(&library("laplace"), &[], Some(&["0", "1"].map(number)), &Watch::default()).unwrap_err();
    assert!(matches!(error.kind(), Kind::NotSnapping(_)));
    assert!(std::error::Error::source(&error).is_none() && error.to_string().contains("snapping"));
}

fn number(text: &str) -> probity_exact::Rational {
    probity_exact::parse_rational(text).unwrap()
}

/// What a text guarantees it guarantees between its own neighbours.
#[test]
fn a_guarantee_says_between_whom() {
    let about = |name: &str, settings: &[&str]| {
        let settings: Vec<Setting> = settings.iter().map(|text| setting(text)).collect();
        guarantee(&library(name), &settings).unwrap().neighbours
    };
    assert_eq!(about("count", &["eps=1"]), Neighbours::RowAddedOrRemoved);
    assert_eq!(about("laplace", &["eps=1"]), Neighbours::OfTheText);
    let replaced = "mechanism m(p: rows(x: bool))\nparam e > 0\ny ~ laplace(count(r in p where r.x), 1 / e)\nreturn y\nneighbours one row of p is replaced\nclaim e\n";
    let answer = guarantee(&load_text(replaced).unwrap(), &[setting("e=1")]).unwrap();
    assert_eq!(answer.neighbours, Neighbours::RowReplaced);
    // In its own measure.
    let answer = guarantee(&library("gaussian_mu"), &[setting("sigma=2")]).unwrap();
    assert_eq!(answer.most, Amount::Mu(probity_exact::rational(1, 2).unwrap()));
    assert_eq!(answer.least, answer.most);
}

/// A table is read with the names of its fields, as counterexamples show it, and without.
#[test]
fn rows_are_read_with_the_names_of_their_fields() {
    let text = "mechanism m(t: rows(age: int, on: bool))\ny ~ laplace(count(r in t where r.on and r.age < 3), 1)\nreturn y\n\
                neighbours one row of t is added or removed\nclaim 1/2";
    let program = load_text(text).unwrap();
    let read = |text: &str| parse_inputs(&program.mechanism, text).map_err(|error| error.to_string());
    let plain = read("[(1, true), (2, false)]").unwrap();
    assert_eq!(read("[(age = 1, on = true), (age = 2, on = false)]").unwrap(), plain);
    assert_eq!(read("t=[(age=1, true), (2, on=false)]").unwrap(), plain);
    // A name in another place, or that the table does not have, is not passed over.
    for wrong in ["[(on = true, age = 1)]", "[(size = 1, on = true)]", "[(age = on = 1, true)]"] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
    let refuted = verify(&program, &[], &Watch::default()).unwrap();
    let facts = probity_verdict::counterexample::facts(&refuted.program, &refuted.refutation.unwrap());
    let shown = |name: &str| facts.iter().find(|(of, _)| *of == name).unwrap().1.clone();
    let rows = format!("{} {}", shown("input"), shown("neighbour"));
    assert!(rows.contains("t = [(age = ") && rows.contains(", on = true)]"), "{rows}");
    let given = shown("neighbour");
    assert!(read(given.strip_prefix("t = ").unwrap()).is_ok(), "{given}");
}

/// A list of truth values is shown as one.
#[test]
fn truth_values_are_shown_as_such() {
    let text = "mechanism m(b: bool[], k: int[])\nn = 0\nfor v in b {\nif v {\nn += 1\n}\n}\ny ~ laplace(n + sum(k), 1)\nreturn y\n\
                neighbours one entry of b differs by at most 1\nneighbours every entry of k differs by at most 0\nclaim 1/2";
    let refuted = verify(&load_text(text).unwrap(), &[], &Watch::default()).unwrap();
    let facts = probity_verdict::counterexample::facts(&refuted.program, &refuted.refutation.unwrap());
    let (_, input) = facts.iter().find(|(name, _)| *name == "input").unwrap();
    let (b, k) = input.split_once(", k = ").unwrap();
    assert!(b.contains("true") || b.contains("false"), "{input}");
    assert!(!k.contains("true") && !k.contains("false"), "{input}");
}
