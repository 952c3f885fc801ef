//! What is asked of every input, whoever made it up. An answer that is wrong is a panic; `true` says that the text was
//! accepted.

use std::collections::HashSet;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use probity_audit::{Deadline, Parameters, Verdict, search_refutation_until};
use probity_float::fpcore::read;
use probity_float::roundoff::{Options, analyse};
use probity_lang::{format, load_text, render};
use probity_prove::certificate::{Fault, Proved, check};

/// Certificates of the library: of the reals, of loops, in rho and from mu, of tables, calls, choices and samples, and of floats.
pub const CERTIFICATES: [&str; 13] = [
    include_str!("../../certificates/laplace.cert"),
    include_str!("../../certificates/discrete_laplace.cert"),
    include_str!("../../certificates/randomized_response.cert"),
    include_str!("../../certificates/discrete_gaussian.cert"),
    include_str!("../../certificates/snapping.cert"),
    include_str!("../../certificates/mean.cert"),
    include_str!("../../certificates/median.cert"),
    include_str!("../../certificates/noisy_max_then_measure.cert"),
    include_str!("../../certificates/permute_and_flip.cert"),
    include_str!("../../certificates/propose_test_release.cert"),
    include_str!("../../certificates/subsampled_laplace.cert"),
    include_str!("../../certificates/gaussian_epsilon_delta.cert"),
    include_str!("../../certificates/sparse_vector.cert"),
];

/// Mechanisms of the library.
pub const MECHANISMS: [&str; 11] = [
    include_str!("../../mechanisms/laplace.dp"),
    include_str!("../../mechanisms/sparse_vector.dp"),
    include_str!("../../mechanisms/snapping.dp"),
    include_str!("../../mechanisms/randomized_response.dp"),
    include_str!("../../mechanisms/noisy_max_laplace.dp"),
    include_str!("../../mechanisms/mean.dp"),
    include_str!("../../mechanisms/median.dp"),
    include_str!("../../mechanisms/noisy_max_then_measure.dp"),
    include_str!("../../mechanisms/subsampled_laplace.dp"),
    include_str!("../../mechanisms/noisy_gradient_descent.dp"),
    include_str!("../../mechanisms/tree_sum.dp"),
];

/// Programs for the analysis of rounding errors.
pub const PROGRAMS: &str = include_str!("../../crates/float/tests/data/benchmarks.fpcore");

/// No text makes the language panic, and formatting twice is formatting once and keeps the meaning.
pub fn load(text: &str) -> bool {
    let loaded = load_text(text);
    if let Err(faults) = &loaded {
        let _ = render(faults, "fuzz.dp", text);
    }
    let Ok(formatted) = format(text) else { return false };
    assert_eq!(format(&formatted).as_ref(), Ok(&formatted));
    match loaded {
        Err(_) => false,
        Ok(program) => {
            let again = load_text(&formatted).expect("a formatted program loads");
            assert_eq!(
                (program.mechanism, program.claim, program.hints),
                (again.mechanism, again.claim, again.hints)
            );
            true
        }
    }
}

/// No text makes the FPCore reader or the analysis panic or hang, and no bound is below an error that occurs.
pub fn fpcore(text: &str) -> bool {
    let Ok(file) = read(text) else { return false };
    let mut bounded = false;
    for core in file.iter().filter_map(|benchmark| benchmark.content.as_ref().ok()) {
        // Long programs take long without telling more.
        if core.program.nodes().len() > 100 || core.paths.len() > 4 {
            continue;
        }
        let found =
            analyse(core, &Options { samples: 5, effort: 100, relative: false, ..Options::default() });
        if let (Ok(bound), Some(error)) = (found.absolute, found.sampled) {
            assert!(error <= bound, "{error:e} occurs, bound {bound:e}");
            bounded = true;
        }
    }
    bounded
}

/// No text makes the reader of certificates panic or hang.
pub fn certificate(text: &str) -> bool {
    check(text).is_ok()
}

/// The mechanism and the claim of a theorem, and no two alike.
fn shown(found: &Proved) -> (String, String) {
    (format!("{:?}", found.mechanism()), format!("{:?}", found.claim()))
}

/// What the certificates of the library prove.
fn proved() -> &'static [(String, String)] {
    static PROVED: OnceLock<Vec<(String, String)>> = OnceLock::new();
    PROVED.get_or_init(|| {
        CERTIFICATES.iter().map(|text| shown(&check(text).expect("the library's are accepted"))).collect()
    })
}

/// A changed certificate of the library is rejected, or proves the same claim of the same mechanism: a hash pins both, so a
/// change in one place cannot make another theorem.
pub fn certificate_of(which: usize, text: &str) -> bool {
    match check(text) {
        Err(_) => false,
        Ok(found) => {
            assert_eq!(shown(&found), proved()[which]);
            true
        }
    }
}

/// The theorems of forged certificates.
static FORGED: OnceLock<Mutex<HashSet<(String, String)>>> = OnceLock::new();

/// How long the audit looks at one of them.
const AUDIT: Duration = Duration::from_secs(2);

/// A forger's certificate: whatever was changed, the hash is made to fit. If it is accepted for another theorem, that one is
/// true as far as the audit can see.
pub fn forged(which: usize, text: &str) -> bool {
    let found = match check(text) {
        Err(Fault::WrongHash { stated, actual }) => check(&text.replacen(&stated, &actual, 1)),
        other => other,
    };
    let Ok(found) = found else { return false };
    let new = shown(&found);
    if new != proved()[which] && FORGED.get_or_init(Mutex::default).lock().unwrap().insert(new) {
        let now = Instant::now();
        let (usual, further) = (Deadline::at(Some(now + AUDIT)), Deadline::at(Some(now)));
        let (mechanism, claim) = (found.mechanism(), found.claim());
        let verdict = search_refutation_until(mechanism, claim, &Parameters::default(), &usual, &further);
        assert!(
            !matches!(verdict, Ok(Verdict::Refuted(_))),
            "a false theorem:\n{mechanism}{claim}\n{verdict:?}"
        );
    }
    true
}

/// How many theorems of forged certificates there were that the library has not.
pub fn forged_theorems() -> usize {
    FORGED.get().map_or(0, |seen| seen.lock().unwrap().len())
}
