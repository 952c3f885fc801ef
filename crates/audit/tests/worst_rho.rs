//! The worst pair of a claim in ρ or μ: what a pair shows is a ρ, and is held against the claimed one.

use std::path::Path;

use probity_audit::{Deadline, Effort, FoundPair, Parameters, SearchState, SearchTask, search_worst_pair};
use probity_exact::rational;
use probity_kernel::term::Reading;

fn worst(name: &str, settings: &[(&str, i64, i64)]) -> FoundPair {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../mechanisms").join(name);
    let program = probity_lang::load(path).unwrap();
    let values = settings.iter().map(|(name, n, d)| ((*name).into(), rational(*n, *d).unwrap()));
    let setting: Parameters = values.collect();
    let task = SearchTask {
        mechanism: &program.mechanism,
        claim: &program.claim,
        settings: vec![setting],
        reading: Reading::Reals,
        effort: Effort::default(),
        until: Deadline::default(),
    };
    let mut state = SearchState::new(1);
    search_worst_pair(&task, &mut state, &mut |state| state.tried < 4).unwrap();
    state.best.unwrap()
}

#[test]
fn a_true_claim_is_not_exceeded() {
    // Laws that can be listed; ρ is 1/2.
    let listed = worst("discrete_gaussian.dp", &[("sigma", 1, 1)]);
    assert!(listed.loss <= 0.5 && listed.excess <= 0.0, "{listed:?}");
    assert!(listed.loss > 0.45, "{listed:?}");
    // A continuous output, by an event; ρ is 1/2, and μ is 1.
    for (name, settings) in
        [("gaussian.dp", &[("sigma", 1, 1), ("d", 1, 1)][..]), ("gaussian_mu.dp", &[("sigma", 1, 1)][..])]
    {
        let shown = worst(name, settings);
        assert!(shown.loss <= 0.5 && shown.excess <= 0.0 && shown.event.is_some(), "{shown:?}");
        assert!(shown.loss > 0.0, "{shown:?}");
    }
}

#[test]
fn a_false_claim_is_exceeded() {
    let listed = worst("broken/discrete_gaussian_half.dp", &[("sigma", 1, 1)]);
    assert!(listed.excess > 0.0 && listed.excess.is_finite(), "{listed:?}");
}
