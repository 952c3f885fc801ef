//! Runs have exactly the law that the audit computes: every bit string to a depth, and many runs by a G-test.

use crate::common;

use std::collections::BTreeMap;

use common::{Case, counted, enumerate, g_test, library, masses, mechanism, middles};
use probity_audit::Outcome;
use probity_exact::Rational;
use probity_noise::entropy::tape::Tape;

/// The first outcome whose mass cannot be the one of the law, if there is one.
fn wrong(case: &Case, law: &Case, depth: usize) -> Option<Outcome> {
    let (decided, undecided) = enumerate(&mut case.session(), depth);
    assert!(undecided < Rational::ONE, "{}: nothing is decided", case.name);
    let law = masses(&law.law());
    let zero = (Rational::ZERO, Rational::ZERO);
    let all = law.keys().chain(decided.keys());
    let bad = |outcome: &&Outcome| {
        let (low, high) = law.get(outcome).unwrap_or(&zero);
        let found = decided.get(outcome).cloned().unwrap_or(Rational::ZERO);
        found > *high || *low > found + &undecided
    };
    all.clone().find(bad).cloned()
}

#[test]
fn every_mechanism_of_the_library_is_among_them() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../mechanisms");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "dp"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    let mut cases: Vec<&str> = library().iter().map(|case| case.name).collect();
    files.sort();
    cases.sort_unstable();
    assert_eq!(cases, files);
}

#[test]
fn every_bit_string_to_a_depth() {
    for case in library() {
        // Normal noise takes more bits before anything is decided.
        let depth = if case.text.contains("gaussian(") { 13 } else { 11 };
        assert_eq!(wrong(&case, &case, depth), None, "{}", case.name);
    }
}

#[test]
fn a_wrong_law_is_seen_in_the_bit_strings() {
    let case = |scale: &str| {
        let text = mechanism("laplace")
            .replace("return y", "return clamp(round_to(y, 1/3), -1, 2)")
            .replace("1 / eps", scale);
        Case::new("laplace", text, "eps=1", &[("x", "1/5")])
    };
    assert_eq!(wrong(&case("1 / eps"), &case("1 / eps"), 14), None);
    assert!(wrong(&case("1 / eps"), &case("101/100 / eps"), 14).is_some());
}

/// Doubles decide what the exact stage decides, from the same words.
#[test]
fn doubles_decide_as_the_exact_stage() {
    for (number, case) in library().iter().enumerate() {
        let mut session = case.session();
        for run in 0..40 {
            let seed = (1000 * number + run) as u64;
            let mut fast = None;
            let keep = |value| {
                fast = Some(value);
                true
            };
            session.runs_on_tape(1, &mut Tape::seeded(seed), keep).unwrap();
            let exact = session.run_exactly(&mut Tape::seeded(seed)).unwrap();
            assert_eq!(fast, Some(exact), "{} run {run}", case.name);
        }
    }
}

/// Runs of each mechanism; `scripts/exhaustive.sh` and `scripts/run_laws.sh` ask for more, and may ask for some mechanisms only.
fn runs(usually: u64) -> u64 {
    std::env::var("PROBITY_RUNS").ok().map_or(usually, |text| text.parse().unwrap())
}

#[test]
fn many_runs_have_the_law() {
    let runs = runs(30_000);
    let named = |list: &str, name: &str| {
        std::env::var(list).ok().map(|names| names.split(',').any(|listed| listed == name))
    };
    // Those that are asked for, without those that an earlier call of the script has seen.
    let wanted = |name: &str| {
        named("PROBITY_ONLY", name).unwrap_or(true) && !named("PROBITY_DONE", name).unwrap_or(false)
    };
    for (number, case) in library().iter().enumerate().filter(|(_, case)| wanted(case.name)) {
        let (g, limit) = g_test(&counted(&mut case.session(), runs, number as u64), &middles(&case.law()));
        println!(
            "{:<32} {runs} runs: G = {g:.1}, chance exceeds {limit:.1} once in a million times",
            case.name
        );
        assert!(g < limit, "{}: G = {g}, limit {limit}", case.name);
    }
}

#[test]
fn a_scale_that_is_off_by_one_percent_is_caught() {
    let case = |scale: &str| {
        let text = mechanism("laplace")
            .replace("return y", "return clamp(round_to(y, 1), -8, 8)")
            .replace("1 / eps", scale);
        Case::new("laplace", text, "eps=1", &[("x", "0")])
    };
    let law = middles(&case("1 / eps").law());
    let runs = runs(1_000_000).max(1_000_000);
    let (g, limit) = g_test(&counted(&mut case("1 / eps").session(), runs, 1), &law);
    assert!(g < limit, "{g} {limit}");
    let (g, limit) = g_test(&counted(&mut case("1.01 / eps").session(), runs, 1), &law);
    println!("TWIN, scale off by 1 %            {runs} runs: G = {g:.1}, over {limit:.1}: caught");
    assert!(g > limit, "{g} {limit}");
}

/// Low bits of x + noise: uniform in exact arithmetic, and mostly zero in doubles.
#[test]
fn float_arithmetic_is_caught() {
    let text = "mechanism low_bits(x: real)\ny ~ laplace(x, 1)\nreturn floor(y * 1125899906842624) mod 64\n\
                neighbours abs(x' - x) <= 1\nclaim 1";
    let case = Case::new("low_bits", text.into(), "", &[("x", "1000")]);
    let number = |value: i64| Outcome::Number(Rational::from(value));
    let law: BTreeMap<Outcome, f64> = (0..64).map(|value| (number(value), 1.0 / 64.0)).collect();
    let (g, limit) = g_test(&counted(&mut case.session(), 50_000, 5), &law);
    assert!(g < limit, "{g} {limit}");
    // The twin: the same noise, as doubles.
    let mut twin: BTreeMap<Outcome, u64> = BTreeMap::new();
    let mut words = [0u64; 2];
    let mut tape = Tape::seeded(5);
    for _ in 0..50_000 {
        probity_noise::entropy::Entropy::fill_words(&mut tape, &mut words).unwrap();
        let uniform = ((words[0] >> 11) + 1) as f64 / (1u64 << 53) as f64;
        let noise =
            -probity_exact::directed::ln_nearest(uniform) * if words[1] & 1 == 1 { -1.0 } else { 1.0 };
        let scaled = (1000.0 + noise) * 1125899906842624.0;
        *twin.entry(number(scaled.floor().rem_euclid(64.0) as i64)).or_insert(0) += 1;
    }
    let (g, limit) = g_test(&twin, &law);
    println!("TWIN, float arithmetic            50000 runs: G = {g:.1}, over {limit:.1}: caught");
    assert!(g > limit, "{g} {limit}");
}
