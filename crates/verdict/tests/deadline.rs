//! Progress and deadlines: who is told, and what an answer is when there is no time.

use std::sync::Mutex;
use std::time::Duration;

use probity_verdict::prelude::*;
use probity_verdict::{End, Program, Step, WorstSettings, audit_all, audit_worst};

fn library(name: &str) -> Program {
    let path = format!("{}/../../mechanisms/{name}.dp", env!("CARGO_MANIFEST_DIR"));
    load_text(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn setting(text: &str) -> Setting {
    text.parse().unwrap()
}

fn late() -> Watch<'static> {
    Watch::default().within(Duration::ZERO)
}

#[test]
fn no_time_is_no_proof_and_no_counterexample() {
    let good = library("noisy_max_exponential");
    let in_time = verify(&good, &[], &Watch::default()).unwrap();
    assert_eq!(in_time.status(), Status::Proved);
    let verdict = verify(&good, &[], &late()).unwrap();
    assert_eq!(verdict.status(), Status::Open);
    assert!(verdict.upper.unwrap_err().contains("deadline"));
    let bad = library("broken/noisy_max_value_laplace");
    assert_eq!(verify(&bad, &[], &Watch::default()).unwrap().status(), Status::Refuted);
    assert_eq!(verify(&bad, &[], &late()).unwrap().status(), Status::Open);
}

#[test]
fn an_audit_beside_a_proof_ends_early_and_says_so_and_one_alone_goes_on() {
    // Its usual rounds take more than a second.
    let good = library("gaussian_mu");
    let brief = Watch::default().auditing_proofs_for(Duration::ZERO);
    let verdict = verify(&good, &[], &brief).unwrap();
    assert_eq!((verdict.status(), &verdict.audited.end), (Status::Proved, &End::Stopped));
    // Without a proof the audit has its time, however long it takes.
    let bad = library("broken/noisy_max_value_laplace");
    assert_eq!(verify(&bad, &[], &brief).unwrap().status(), Status::Refuted);
}

#[test]
fn half_a_law_is_an_error() {
    let program = library("randomized_response");
    let inputs = ["0", "1"].map(|text| parse_inputs(&program.mechanism, text).unwrap());
    let settings = AuditSettings::new(vec![setting("t=3"), setting("p=1/2")], inputs);
    assert!(audit(&program, &settings, &Watch::default()).is_ok());
    let error = audit(&program, &settings, &late()).unwrap_err();
    assert!(error.message().contains("deadline") && error.hint().is_some(), "{error}");
}

#[test]
fn a_search_ends_after_the_first_pair_and_all_pairs_are_not_begun() {
    let program = library("snapping");
    let settings = WorstSettings {
        values: vec![setting("eps=1"), setting("B=4")],
        ranges: Default::default(),
        reading: parse_reading("4,-5,5").unwrap(),
    };
    let mut state = probity_verdict::SearchState::new(1);
    let worst = audit_worst(&program, &settings, &mut state, &mut |_| true, &late()).unwrap();
    assert_eq!(worst.tried, 1);
    let error = audit_all(&program, &settings, &late()).unwrap_err();
    assert!(error.message().contains("deadline"), "{error}");
    assert!(audit_all(&program, &settings, &Watch::default()).unwrap().complete);
}

#[test]
fn the_page_says_what_was_left_out() {
    let program = library("snapping");
    let settings = ReportSettings { values: vec![setting("eps=1"), setting("B=10")], ..Default::default() };
    let page = report(&program, "", &settings, &late()).unwrap();
    assert!(page.audit.is_none() && page.document.to_html().contains("the deadline passed"));
}

#[test]
fn every_function_tells_what_it_does() {
    let told = Mutex::new(Vec::new());
    let tell = |step: &Step| told.lock().unwrap().push(step.to_string());
    let watch = Watch::default().reporting_to(&tell);
    let program = library("snapping");
    let values = vec![setting("eps=1"), setting("B=10")];
    let says = |part: &str| {
        let all = std::mem::take(&mut *told.lock().unwrap());
        assert!(all.iter().any(|line| line.contains(part)), "{part}: {all:?}");
    };
    let verdict = verify(&program, &values, &watch).unwrap();
    says("for a proof and for a counterexample");
    let _ = certify(&program, &CertifySettings::new(values.clone()), &watch).unwrap();
    says("certifying");
    let _ = explain(&program, &values, None, &watch).unwrap();
    says("looking for a proof");
    let text = verdict.to_certificate().unwrap();
    assert!(check(&text, Some((&program, &values)), &watch).unwrap().is_accepted());
    says("replaying");
    let settings = WorstSettings {
        values: vec![setting("eps=1"), setting("B=4")],
        ranges: Default::default(),
        reading: parse_reading("4,-5,5").unwrap(),
    };
    let _ = audit_all(&program, &settings, &watch).unwrap();
    says("inputs of settings 1 of 1");
}
