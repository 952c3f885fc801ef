//! Where a search must not give up: every place of a short list, settings beside the first ones, and outcomes beyond cut tails.

use std::time::{Duration, Instant};

use probity_audit::{
    Case, Deadline, Effort, Given, Inputs, Outcome, Parameters, SearchState, SearchTask, Side, Verdict,
    search_refutation_until, search_worst_pair,
};
use probity_exact::Rational;
use probity_kernel::term::Reading;
use probity_lang::{Program, load_text};

fn load(text: &str) -> Program {
    load_text(text).unwrap_or_else(|faults| panic!("{text}{faults:?}"))
}

/// What is found in the usual rounds and the further ones, up to a deadline for these.
fn refuted(program: &Program, further: &Deadline) -> Option<probity_audit::Refutation> {
    let (mechanism, claim) = (&program.mechanism, &program.claim);
    match search_refutation_until(mechanism, claim, &Parameters::new(), &Deadline::default(), further) {
        Ok(Verdict::Refuted(found)) => Some(*found),
        _ => None,
    }
}

/// Far more time than such a search needs.
fn long() -> Deadline {
    Deadline::at(Some(Instant::now() + Duration::from_secs(600)))
}

#[test]
fn a_draw_too_many_is_seen_at_every_place_of_a_list() {
    for length in [6, 7, 10] {
        for place in (0..length).step_by(if length == 6 { 1 } else { 3 }) {
            let program = load(&format!(
                "mechanism m(q: real[{length}])\nparam eps > 0\nout = []\nfor i in 0..{length} {{\n  y ~ laplace(q[i], 1 / eps)\n  append(out, y)\n}}\n\
                 z ~ laplace(q[{place}], 1 / eps)\nappend(out, z)\nreturn out\nneighbours one entry of q differs by at most 1\nclaim eps\n"
            ));
            assert!(refuted(&program, &Deadline::default()).is_some(), "{place} of {length}");
        }
    }
}

#[test]
fn the_worst_pair_has_the_entry_that_is_read_twice() {
    // A matrix of two rows and three columns, read with the wrong stride.
    let program = load(
        "mechanism m(q: real[6])\nparam eps > 0\nout = []\nfor i in 0..2 {\n  for j in 0..3 {\n    y ~ laplace(q[i * 2 + j], 1 / eps)\n    append(out, y)\n  }\n}\n\
         return out\nneighbours one entry of q differs by at most 1\nclaim eps\n",
    );
    let task = SearchTask {
        mechanism: &program.mechanism,
        claim: &program.claim,
        settings: vec![[("eps".into(), Rational::ONE)].into()],
        reading: Reading::Reals,
        effort: Effort::default(),
        until: Deadline::default(),
    };
    let mut state = SearchState::new(1);
    search_worst_pair(&task, &mut state, &mut |state| state.best.as_ref().is_none_or(|best| best.loss < 1.5))
        .unwrap();
    assert!(state.best.unwrap().loss > 1.99);
}

#[test]
fn other_settings_are_tried_while_there_is_time() {
    // False at eps = 2 and t = 0, and true at the simpler settings.
    let program = load(
        "mechanism m(x: int)\nparam eps > 0\nparam t: int >= 0\nwhere 0 <= x <= 1\ny ~ discrete_laplace(x, 1 / eps)\nout = 0\nif y > t {\n  out = 1\n}\n\
         return out\nneighbours abs(x' - x) <= 1\nclaim 0, exp(-t * eps) / 2\n",
    );
    assert!(refuted(&program, &Deadline::default()).is_none());
    assert!(refuted(&program, &long()).is_some());
}

fn number(x: i64) -> Inputs {
    [("x".into(), Given::Number(Rational::from(x)))].into()
}

#[test]
fn what_only_one_input_leads_to_is_impossible_though_tails_are_cut() {
    for (text, only) in [
        ("y ~ geometric(1 / eps)\nreturn x + y", 0),
        ("y ~ geometric(1 / eps)\nreturn max(x + y, x)", 0),
        ("y ~ geometric(1 / eps)\nz ~ geometric(1 / eps)\nreturn x + y + z", 0),
    ] {
        let program = load(&format!(
            "mechanism m(x: int)\nparam eps > 0\n{text}\nneighbours abs(x' - x) <= 1\nclaim eps\n"
        ));
        let parameters: Parameters = [("eps".into(), Rational::ONE)].into();
        let (zero, one) = (number(0), number(1));
        let case = Case::new(&program.mechanism, &parameters, &zero);
        let (a, b) = (case.law(Reading::Reals).unwrap(), case.at(&one).law(Reading::Reals).unwrap());
        assert!(!b.escaped_mass().is_zero());
        let report = case.compared_with(&one, (&a, &b));
        assert_eq!(report.impossible, [(Outcome::Number(Rational::from(only)), Side::First)], "{text}");
        // The largest finite loss is that of another outcome.
        assert!(report.worst.as_ref().unwrap().loss.high < Rational::from(3), "{text}");
        // The other way round too.
        let report = case.at(&one).compared_with(&zero, (&b, &a));
        assert_eq!(report.impossible, [(Outcome::Number(Rational::from(only)), Side::Second)], "{text}");
        let found = refuted(&program, &Deadline::default()).expect("a counterexample");
        assert!(found.second_probability.high.is_zero(), "{found:?}");
    }
}

#[test]
fn what_a_cut_tail_may_lead_to_is_not_called_impossible() {
    // Far from 0 either input leads to everything, and the two laws list different outcomes.
    let program = load(
        "mechanism m(x: int)\nparam eps > 0\ny ~ discrete_laplace(x, 1 / eps)\nreturn y\nneighbours abs(x' - x) <= 1\nclaim eps\n",
    );
    let parameters: Parameters = [("eps".into(), Rational::ONE)].into();
    let (zero, one) = (number(0), number(1));
    let case = Case::new(&program.mechanism, &parameters, &zero);
    let (a, b) = (case.law(Reading::Reals).unwrap(), case.at(&one).law(Reading::Reals).unwrap());
    assert!(a.masses().keys().any(|outcome| !b.masses().contains_key(outcome)));
    assert!(case.compared_with(&one, (&a, &b)).impossible.is_empty());
}
