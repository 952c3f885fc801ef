//! Every broken mechanism of the library is refuted, no correct one is.

use std::path::{Path, PathBuf};

use probity_audit::{
    AuditError, Condition, Deadline, Event, Evidence, Given, Inputs, Outcome, Parameters, Verdict,
    check_refutation, search_refutation_until,
};
use probity_exact::{Rational, parse_rational, rational};
use probity_kernel::term::{Claim, Mechanism};
use probity_lang::Program;

/// Without the feature `exhaustive`, one in so many of the correct mechanisms.
const LESS: usize = if cfg!(feature = "exhaustive") { 1 } else { 3 };

fn library(folder: &str) -> Vec<(PathBuf, Program)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../mechanisms").join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "dp"))
        .collect();
    files.sort();
    files.into_iter().map(|path| (path.clone(), probity_lang::load(path).unwrap())).collect()
}

/// The usual rounds of a search: what a proved mechanism gets, and enough for each of these.
fn usual(mechanism: &Mechanism, claim: &Claim, given: &Parameters) -> Result<Verdict, AuditError> {
    let no_more = Deadline::at(Some(std::time::Instant::now()));
    search_refutation_until(mechanism, claim, given, &Deadline::default(), &no_more)
}

fn verdict(program: &Program) -> Verdict {
    usual(&program.mechanism, &program.claim, &Parameters::new()).unwrap()
}

#[test]
fn broken_mechanisms_are_refuted() {
    let broken = library("broken");
    assert!(broken.len() >= 18);
    for (path, program) in broken {
        let Verdict::Refuted(found) = verdict(&program) else { panic!("not refuted: {}", path.display()) };
        assert!(found.first_probability.low > found.second_probability.high, "{}", path.display());
        assert!(found.loss > found.epsilon.to_f64() || found.loss >= 0.5, "{}", path.display());
    }
}

#[test]
fn correct_mechanisms_are_not_refuted() {
    let correct = library("");
    assert!(correct.len() >= 20);
    for (path, program) in correct.into_iter().step_by(LESS) {
        match verdict(&program) {
            Verdict::NotRefuted { tried, .. } => {
                assert!(tried.events > 0, "nothing tried: {}", path.display())
            }
            Verdict::Refuted(found) => panic!("refuted: {} by {found:?}", path.display()),
        }
    }
}

fn program(name: &str) -> Program {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../mechanisms");
    probity_lang::load(root.join(name)).unwrap()
}

fn list(items: &[i64]) -> Inputs {
    [("q".into(), Given::List(items.iter().map(|&x| Rational::from(x)).collect()))].into()
}

/// EasyCrypt's report-noisy-max lemma: ε = 1/2, (−8, 6) against (−7, 5), log-ratio 1.737·ε.
#[test]
fn the_false_lemma_of_report_noisy_max() {
    let program = program("broken/report_noisy_max_geometric.dp");
    let parameters: Parameters = [("eps".into(), rational(1, 2).unwrap())].into();
    let event = Event::Value(Condition::Is(Outcome::Number(Rational::ZERO)));
    let check = |first: &[i64], second: &[i64]| {
        let (first, second) = (list(first), list(second));
        check_refutation(&program.mechanism, &program.claim, &parameters, &first, &second, &event).unwrap()
    };
    let found = check(&[-7, 5], &[-8, 6]).unwrap();
    assert_eq!(format!("{:.3}", found.loss / 0.5), "1.737");
    // In the other direction this outcome shows nothing.
    assert_eq!(check(&[-8, 6], &[-7, 5]), None);
    // Inputs that are no neighbours refute nothing.
    assert_eq!(check(&[-5, 5], &[-8, 6]), None);
}

/// A refutation is no more than the claim it is held against: the true loss of the half-scale mechanism stands.
#[test]
fn true_claims_survive_the_same_check() {
    let source = |claim: &str| {
        format!(
            "mechanism half(x: real)\nparam eps > 0\ny ~ laplace(x, 1 / (2 * eps))\nreturn y\n\
             neighbours abs(x' - x) <= 1\nclaim {claim}\n"
        )
    };
    let verdict = |claim: &str| {
        let program = probity_lang::load_text(&source(claim)).unwrap();
        usual(&program.mechanism, &program.claim, &Parameters::new()).unwrap()
    };
    assert!(matches!(verdict("2 * eps"), Verdict::NotRefuted { .. }));
    assert!(matches!(verdict("1.99 * eps"), Verdict::Refuted(_)));
}

/// With an additive slack: Laplace noise claimed at ε/2 holds with a large δ and not with a small one.
#[test]
fn delta_is_part_of_the_claim() {
    let x = |text: &str| -> Inputs { [("x".into(), Given::Number(parse_rational(text).unwrap()))].into() };
    let check = |delta: &str| {
        let source = format!(
            "mechanism lap(x: real)\ny ~ laplace(x, 1)\nreturn y\n\
             neighbours abs(x' - x) <= 1\nclaim 1/2, {delta}\n"
        );
        let program = probity_lang::load_text(&source).unwrap();
        let event = Event::Value(Condition::AtMost(rational(1, 4).unwrap()));
        check_refutation(&program.mechanism, &program.claim, &Parameters::new(), &x("0"), &x("1"), &event)
            .unwrap()
    };
    assert!(check("1/100").is_some());
    assert!(check("9/10").is_none());
}

/// Two uniform draws make too many boxes for an exact law and no single preimage: samples decide, and say how surely.
#[test]
fn sampling_is_the_last_resort() {
    let verdict = |scale: &str| {
        let source = format!(
            "mechanism difference(x: real)\nparam eps > 0\nu ~ uniform(0, 1)\nv ~ uniform(0, 1)\n\
             return x + (ln(u) - ln(v)) / ({scale})\nneighbours abs(x' - x) <= 1\nclaim eps in binary64\n"
        );
        let program = probity_lang::load_text(&source).unwrap();
        let parameters: Parameters = [("eps".into(), Rational::ONE)].into();
        usual(&program.mechanism, &program.claim, &parameters).unwrap()
    };
    let Verdict::Refuted(found) = verdict("2 * eps") else { panic!("half the noise was not refuted") };
    assert!(matches!(found.evidence, Evidence::Sampling { risk_bits: 30, .. }), "{found:?}");
    assert!(found.loss > 1.0 && found.loss < 2.0);
    assert!(matches!(verdict("eps"), Verdict::NotRefuted { .. }));
}

/// A claim with δ falls by the set of all outcomes that are too likely, which shows the hockey-stick divergence in full;
/// no single outcome would do.
#[test]
fn unions_show_the_exact_divergence() {
    let source = |delta: &str| {
        format!(
            "mechanism noisy_count(x: int)\ny ~ discrete_laplace(x, 1)\nreturn y\n\
             neighbours abs(x' - x) <= 1\nclaim 1/2, {delta}\n"
        )
    };
    let verdict = |delta: &str| {
        let program = probity_lang::load_text(&source(delta)).unwrap();
        (usual(&program.mechanism, &program.claim, &Parameters::new()).unwrap(), program)
    };
    // δ(1/2) = (1 − e^(−1/2))/(1 + e^(−1)) = 0.287646…
    let (Verdict::Refuted(found), program) = verdict("0.2876") else { panic!("0.2876 is too little") };
    let law = |inputs: &Inputs| {
        probity_audit::real_law(
            &program.mechanism,
            &Parameters::new(),
            inputs,
            probity_audit::Depth::default(),
        )
        .unwrap()
    };
    let report = probity_audit::PairReport::new(&law(&found.first), &law(&found.second));
    let exact = report.delta(&rational(1, 2).unwrap());
    let missing = &exact.high - found.shown_delta();
    assert!(missing < rational(1, 1i64 << 50).unwrap() && found.shown_delta() <= exact.high);
    assert!(matches!(verdict("0.2877").0, Verdict::NotRefuted { .. }));
}

/// Normal noise: the bound of Balle and Wang (2018) is attained by a half-line, and claims on both sides of it are told
/// apart. δ(1) at deviation 3.7 is 1.1456…e-5.
#[test]
fn normal_noise_is_judged_at_its_exact_delta() {
    let verdict = |delta: &str| {
        let source = format!(
            "mechanism normal(x: real)\ny ~ gaussian(x, 3.7)\nreturn y\nneighbours abs(x' - x) <= 1\nclaim 1, {delta}\n"
        );
        let program = probity_lang::load_text(&source).unwrap();
        usual(&program.mechanism, &program.claim, &Parameters::new()).unwrap()
    };
    assert!(matches!(verdict("1.145e-5"), Verdict::Refuted(_)));
    assert!(matches!(verdict("1.147e-5"), Verdict::NotRefuted { .. }));
}

/// Too many paths, too many dimensions: only samples can judge. The evidence says so, with its risk and its seed, and
/// twice the same answer comes out.
#[test]
fn sampling_over_the_reals_is_reproducible() {
    let source = "mechanism five(c: category(4))\nparam eps > 0\nout = []\nfor i in 0..5 {\n\
        y ~ discrete_laplace(if c == i then 3 else 0, 1 / eps)\n\
        if y > 1 { append(out, y) } else { z ~ discrete_laplace(y, 1 / eps)\n append(out, z) }\n}\nreturn out\n\
        neighbours any\nclaim eps\n";
    let program = probity_lang::load_text(source).unwrap();
    let verdict = || usual(&program.mechanism, &program.claim, &Parameters::new()).unwrap();
    let Verdict::Refuted(found) = verdict() else { panic!("not refuted") };
    assert!(matches!(found.evidence, Evidence::Sampling { risk_bits: 30, .. }), "{}", found.evidence);
    assert!(found.evidence.to_string().contains("from seed"));
    // Two entries differ by 3 each, so the true loss is at most 6 ε, and the bounds stay below it.
    assert!(found.loss > found.epsilon.to_f64() && found.loss < 6.0 * found.epsilon.to_f64());
    assert_eq!(verdict(), Verdict::Refuted(found));
}
