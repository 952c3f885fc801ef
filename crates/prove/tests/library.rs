//! The library of mechanisms: what must be proved is proved, what must be refused is refused.

use std::fs;
use std::path::{Path, PathBuf};

use probity_kernel::expr::Expr;
use probity_prove::derivation::Reason;
use probity_prove::prove;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../mechanisms")
}

fn load(name: &str) -> probity_lang::Program {
    probity_lang::load(root().join(format!("{name}.dp"))).unwrap_or_else(|error| panic!("{error}"))
}

/// The same mechanism with a proof block, where there is one.
fn by_hand(name: &str) -> probity_lang::Program {
    let path = root().join("../tests/prove/by_hand").join(format!("{name}.dp"));
    probity_lang::load(path).unwrap_or_else(|error| panic!("{error}"))
}

/// Mechanisms that are proved, with the sampling axiom that carries the proof.
const PROVED: &[(&str, &str)] = &[
    ("laplace", "LAPGEN"),
    ("discrete_laplace", "DLAPGEN"),
    ("discrete_laplace_modular", "DLAPGEN"),
    ("snapping", "LAPLACE-LAW"),
    ("snapping_direct", "SIGNED-LOG"),
    ("randomized_response", "MAXDIV"),
    ("randomized_response_any_input", "MAXDIV"),
    ("one_time_rappor", "MAXDIV"),
    ("rappor", "MAXDIV"),
    ("truncated_geometric", "DLAPGEN"),
    ("noisy_histogram", "LAPGEN"),
    ("partial_sum", "LAPGEN"),
    ("prefix_sum", "LAPGEN"),
    ("smart_sum", "LAPGEN"),
    ("noisy_max_laplace", "PW-EQ"),
    ("noisy_max_exponential", "EXPGEN"),
    ("sparse_vector", "LAPGEN"),
    ("sparse_vector_renoised", "LAPGEN"),
    ("numeric_sparse_vector", "LAPGEN"),
    ("gap_sparse_vector", "LAPGEN"),
    ("count", "rows"),
    ("bounded_sum", "rows"),
    ("mean", "rows"),
    ("variance", "rows"),
    ("histogram_by_key", "rows"),
    ("income_by_region", "rows"),
    ("gaussian", "GAUSS"),
    ("gaussian_mu", "GAUSS"),
    ("discrete_gaussian", "DGAUSS"),
    ("gaussian_histogram", "GAUSS"),
    ("noisy_gradient_descent", "GAUSS"),
    ("exponential", "CHOOSE"),
    ("median", "CHOOSE"),
    ("gaussian_epsilon_delta", "ZCDP-TAIL"),
    ("propose_test_release", "UP-TO-BAD"),
    ("laplace_vector", "moved"),
    ("gaussian_vector", "moved"),
    ("noisy_max_then_measure", "CALL"),
    ("permute_and_flip", "PERMUTE-FLIP"),
    ("subsampled_laplace", "AMPLIFY"),
    ("tree_sum", "rows"),
    ("stability_histogram", "FOR-ONCE"),
];

#[test]
fn the_library_is_proved() {
    let files = fs::read_dir(root()).unwrap().filter(|entry| {
        entry.as_ref().is_ok_and(|entry| entry.path().extension().is_some_and(|extension| extension == "dp"))
    });
    assert_eq!(files.count(), PROVED.len());
    for (name, axiom) in PROVED {
        let program = load(name);
        let proof = prove(&program.mechanism, &program.claim, &program.hints.unwrap_or_default())
            .unwrap_or_else(|failure| panic!("{name}: {failure}"));
        assert!(proof.theorem().axioms().contains(axiom), "{name}: {:?}", proof.theorem().axioms());
        assert_eq!(proof.theorem().mechanism(), &program.mechanism);
        assert_eq!(proof.theorem().claim(), &program.claim);
    }
}

/// Couplings and invariants as a person writes them: all that the library's older texts once needed.
#[test]
fn what_is_said_by_hand_is_proved() {
    let names = [
        ("gap_sparse_vector", "LAPGEN"),
        ("noisy_max_exponential", "PW-EQ"),
        ("noisy_max_laplace", "PW-EQ"),
        ("numeric_sparse_vector", "LAPGEN"),
        ("one_time_rappor", "MAXDIV"),
        ("prefix_sum", "LAPGEN"),
        ("smart_sum", "LAPGEN"),
        ("sparse_vector", "LAPGEN"),
        ("sparse_vector_renoised", "LAPGEN"),
    ];
    assert_eq!(fs::read_dir(root().join("../tests/prove/by_hand")).unwrap().count(), names.len());
    for (name, axiom) in names {
        let (program, library) = (by_hand(name), load(name));
        assert_eq!((&program.mechanism, &program.claim), (&library.mechanism, &library.claim), "{name}");
        let hints = program.hints.unwrap();
        let proof = prove(&program.mechanism, &program.claim, &hints)
            .unwrap_or_else(|failure| panic!("{name}: {failure}"));
        assert!(proof.theorem().axioms().contains(axiom), "{name}: {:?}", proof.theorem().axioms());
        let mut sharper = program.claim;
        sharper.epsilon = sharper.epsilon * (Expr::int(99) / Expr::int(100));
        assert!(prove(&program.mechanism, &sharper, &hints).is_err(), "{name}");
    }
}

/// No text of the library has a long hint, and all but two have none.
#[test]
fn hints_of_the_library_are_few() {
    for (name, _) in PROVED {
        let text = fs::read_to_string(root().join(format!("{name}.dp"))).unwrap();
        let lines = text.lines().skip_while(|line| *line != "proof {").count();
        assert!(lines <= 3, "{name}: {lines}");
        assert_eq!(lines > 0, ["noisy_max_laplace", "snapping_direct"].contains(name), "{name}");
    }
}

/// Every bound of the library is met with nothing to spare: a claim one percent smaller is not provable by the
/// same proof, nor by any template.
#[test]
fn no_claim_can_be_sharpened() {
    for (name, _) in PROVED {
        let program = load(name);
        let mut sharper = program.claim.clone();
        sharper.epsilon = sharper.epsilon * (Expr::int(99) / Expr::int(100));
        let hints = program.hints.unwrap_or_default();
        assert!(prove(&program.mechanism, &sharper, &hints).is_err(), "{name}");
    }
}

#[test]
fn broken_mechanisms_are_refused() {
    let mut seen = 0;
    for entry in fs::read_dir(root().join("broken")).unwrap() {
        let path = entry.unwrap().path();
        let program = probity_lang::load(&path).unwrap_or_else(|error| panic!("{error}"));
        assert!(program.expect_refuted, "{path:?}");
        let hints = program.hints.unwrap_or_default();
        let failure = prove(&program.mechanism, &program.claim, &hints).expect_err("proved");
        assert!(!failure.place.is_empty());
        seen += 1;
    }
    assert!(seen >= 15, "{seen}");
}

/// The proofs of the correct mechanisms, tried on their broken variants.
#[test]
fn broken_mechanisms_are_refused_with_the_best_advice() {
    let advice = [
        ("sparse_vector", "sparse_vector_no_cap"),
        ("sparse_vector", "sparse_vector_wrong_scales"),
        ("sparse_vector", "sparse_vector_releases_query"),
        ("sparse_vector_renoised", "sparse_vector_renoised_wrong_scale"),
        ("gap_sparse_vector", "gap_sparse_vector_releases_query"),
        ("noisy_max_laplace", "noisy_max_value_laplace"),
        ("noisy_max_laplace", "report_noisy_max_geometric"),
        ("noisy_max_exponential", "noisy_max_value_exponential"),
        ("smart_sum", "smart_sum_exact_blocks"),
        ("prefix_sum", "noisy_histogram_wrong_scale"),
    ];
    for (sound, broken) in advice {
        let hints = by_hand(sound).hints.unwrap();
        let program = load(&format!("broken/{broken}"));
        assert!(prove(&program.mechanism, &program.claim, &hints).is_err(), "{broken} by {sound}");
    }
}

#[test]
fn a_failure_names_the_condition_and_the_path() {
    let program = load("broken/sparse_vector_wrong_scales");
    let hints = by_hand("sparse_vector").hints.unwrap();
    let failure = prove(&program.mechanism, &program.claim, &hints).unwrap_err();
    let Reason::NotShown { goal, path } = &failure.reason else { panic!("{failure}") };
    assert!(goal.contains("4 / (3 * eps)"), "{goal}");
    assert!(path.iter().any(|step| step == "count < N"), "{path:?}");
}

/// A tail as people write it, ln(1/δ)/ε, serves as −ln(δ)/ε does. One above which alone there is more than δ does not.
#[test]
fn a_tail_may_have_one_over_delta_in_it() {
    let text = fs::read_to_string(root().join("propose_test_release.dp")).unwrap();
    let proved = |tail: &str| {
        let hint = format!("couple y: shift by 0 at cost eps * abs(d - d') up to tail {tail}");
        let program = probity_lang::load_text(&format!("{text}proof {{\n  {hint}\n}}\n")).unwrap();
        prove(&program.mechanism, &program.claim, program.hints.as_ref().unwrap()).is_ok()
    };
    assert!(proved("ln(1 / delta) / eps") && proved("-ln(delta) / eps"));
    assert!(!proved("ln(1 / (3 * delta)) / eps"));
}
