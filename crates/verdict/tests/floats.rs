//! Claims about floating point that are false, and how they are refused: each text was once certified.

use probity_verdict::prelude::*;
use probity_verdict::{Program, Rejection, WorstSettings, audit_all, parse_reading};

const SNAPPING: &str = "mechanism snapping(x: real)
param eps > 0
param B > 0
where -B <= x <= B
let grid = pow2_at_least(1 / eps)
u ~ uniform(0, 1)
s ~ sign()
w = x + s * ln(u) / eps
return clamp(round_to(w, grid), -B, B)
neighbours abs(x' - x) <= 1
claim eps
";

fn program(changes: &[(&str, &str)]) -> Program {
    let text = changes.iter().fold(SNAPPING.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    });
    load_text(&text).unwrap_or_else(|faults| panic!("{text}: {faults:?}"))
}

fn set(texts: &[&str]) -> Vec<Setting> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn number(n: i64, d: i64) -> probity_exact::Rational {
    probity_exact::rational(n, d).unwrap()
}

/// Certifies for 1/2 ≤ eps ≤ 2 and 1 ≤ B ≤ 100.
fn family(program: &Program) -> Result<Found, Rejection> {
    let mut settings = CertifySettings::new(vec![]);
    settings.ranges.insert("eps".into(), (number(1, 2), number(2, 1)));
    settings.ranges.insert("B".into(), (number(1, 1), number(100, 1)));
    certify(program, &settings, &Watch::default()).unwrap().found
}

#[test]
fn a_family_is_mironovs_and_no_other() {
    family(&program(&[])).unwrap();
    let noise = |by: &str| program(&[("ln(u) / eps", &format!("ln(u) / ({by})"))]);
    let both = |by: &str| {
        program(&[("ln(u) / eps", &format!("ln(u) / ({by})")), ("1 / eps", &format!("1 / ({by})"))])
    };
    for wrong in [
        both("100 * eps"),
        both("2 * eps"),
        noise("100 * eps"),
        // These agree with eps at 1/2 and at 2.
        noise("eps + (eps - 1/2) * (2 - eps)"),
        both("eps + 50 * (eps - 1/2) * (2 - eps)"),
        noise("max(eps, 1/2)"),
        program(&[("pow2_at_least(1 / eps)", "5 / 2 - eps")]),
        program(&[("pow2_at_least(1 / eps)", "pow2_at_least(1 / (5 / 2 - eps))")]),
        program(&[("ln(u) / eps", "ln(u) / eps / 3")]),
    ] {
        let found = family(&wrong);
        assert!(matches!(found, Err(Rejection::NotMironov { .. })), "{} {found:?}", wrong.mechanism);
    }
    for far in [
        "-1000 * B <= x <= 1000 * B",
        "-B <= x <= 100",
        "-B <= x or x <= B",
        "if eps > 1 then -B <= x <= B else true",
    ] {
        let found = family(&program(&[("-B <= x <= B", far)]));
        assert!(matches!(found, Err(Rejection::InputBeyondClamp { .. })), "{far}");
    }
    for clamp in ["-B, 2 * B", "-B, 100", "-100, B", "0, B", "B, B"] {
        let found = family(&program(&[("-B, B)", &format!("{clamp})"))]));
        assert!(found.is_err(), "{clamp}");
    }
    let wider = program(&[("abs(x' - x) <= 1", "abs(x' - x) <= eps")]);
    assert!(matches!(family(&wider), Err(Rejection::Adjacency { .. })));
    for sum in ["x + x + s * ln(u) / eps", "x + s * ln(u) / eps + s * ln(u) / eps", "2 * x + s * ln(u) / eps"]
    {
        let found = family(&program(&[("x + s * ln(u) / eps", sum)]));
        assert!(matches!(found, Err(Rejection::NotASum { .. })), "{sum}");
    }
}

#[test]
fn what_is_the_same_mechanism_in_other_words_is_accepted() {
    for same in [
        program(&[("u ~ uniform(0, 1)\ns ~ sign()", "s ~ sign()\nu ~ uniform(0, 1)")]),
        program(&[("w = x + s * ln(u) / eps", "l = ln(u)\nz = s * l / eps\nw = x - z")]),
        program(&[("where -B <= x <= B", "where x <= B\nwhere -B <= x\nwhere B <= 1000")]),
        program(&[("-B, B)", "0 - B, B)")]),
        program(&[("-B <= x <= B", "abs(x) <= B")]),
    ] {
        family(&same).unwrap_or_else(|no| panic!("{} {no}", same.mechanism));
    }
}

/// The claim is about the exact parameter; the program runs with the rounded one.
#[test]
fn claims_are_at_the_exact_parameters() {
    let watch = Watch::default();
    let double = |claim: &str| {
        let program = program(&[("claim eps", &format!("claim {claim} in binary64"))]);
        verify(&program, &set(&["eps=0.1", "B=100"]), &watch).unwrap().status()
    };
    assert_eq!(double("1 / 100 + 1e17 * (eps - 0.1)"), Status::Refuted);
    assert_eq!(double("eps"), Status::Refuted);
    assert_eq!(double("eps + 1e-12"), Status::Proved);
    let half = |claim: &str| {
        let program = program(&[
            ("param B > 0", "param B > 0\nparam d > 0"),
            ("1 / eps", "d / eps"),
            ("x) <= 1", "x) <= d"),
            ("claim eps", &format!("claim {claim} in binary16")),
        ]);
        verify(&program, &set(&["eps=1.0005", "B=1", "d=1.0004"]), &watch).unwrap().status()
    };
    for claim in ["eps * d + 0.0079", "1 / 2 + 2000 * (eps - 1.0005)", "eps + 0.0079"] {
        assert_ne!(half(claim), Status::Proved, "{claim}");
    }
    assert_eq!(half("eps * d + 0.0085"), Status::Proved);
}

#[test]
fn audits_are_at_the_exact_parameters() {
    let watch = Watch::default();
    let program = program(&[]);
    let inputs = ["0", "1"].map(|text| parse_inputs(&program.mechanism, text).unwrap());
    let settings = AuditSettings::new(set(&["eps=0.1", "B=20"]), inputs);
    let Audit::Laws(found) = audit(&program, &settings, &watch).unwrap() else { panic!() };
    assert_eq!((&found.epsilon.low, &found.epsilon.high), (&number(1, 10), &number(1, 10)));
}

#[test]
fn every_pair_of_a_small_format_stays_within_the_certificate() {
    let watch = Watch::default();
    let reading = parse_reading("6,-14,9").unwrap();
    let program = program(&[("param B > 0", "param B > 0\nparam d > 0"), ("x) <= 1", "x) <= d")]);
    // None of these is a number of the format.
    for (eps, d) in [("eps=1.01", "d=1.01"), ("eps=0.99", "d=0.99"), ("eps=1.01", "d=1.1")] {
        let values = set(&[eps, "B=1.51", d]);
        let certify_settings = CertifySettings { reading, ..CertifySettings::new(values.clone()) };
        let Ok(Found::One(certificate)) = certify(&program, &certify_settings, &watch).unwrap().found else {
            panic!("{eps} {d}")
        };
        assert_eq!(certificate.delta, 0.0);
        let settings = WorstSettings { values, ranges: Default::default(), reading };
        let worst = audit_all(&program, &settings, &watch).unwrap();
        // The claim is eps, for a distance of d.
        let claimed = set(&[eps])[0].value.clone();
        let found = worst.pair.expect("there are neighbours");
        assert!(worst.complete);
        assert!(found.excess <= certificate.epsilon - probity_exact::directed::cast_down(&claimed) + 1e-12);
        assert_eq!(found.impossible, 0);
    }
}

#[test]
fn a_certificate_is_replayed() {
    let watch = Watch::default();
    let text = family(&program(&[])).unwrap().to_certificate();
    let replay = check(&text, None, &watch).unwrap().theorem.unwrap();
    assert!(replay.to_string().contains("where 1/2 <= eps and eps <= 2"));
    assert!(replay.claim().to_string().starts_with("epsilon = eps + "));
    assert_eq!(Vec::from_iter(replay.axioms()), ["THRESHOLD"]);

    // The claim of a file, with and without the values that it was proved for.
    let program = program(&[("claim eps", "claim eps + 1e-12 in binary64")]);
    let values = set(&["eps=1", "B=100"]);
    let text = verify(&program, &values, &watch).unwrap().to_certificate().unwrap();
    assert!(check(&text, Some((&program, &values)), &watch).unwrap().is_accepted());
    assert!(!check(&text, Some((&program, &set(&["eps=1", "B=10"]))), &watch).unwrap().is_accepted());
    assert!(!check(&text, Some((&program, &[])), &watch).unwrap().is_accepted());
}

#[test]
fn a_claim_with_ranges_in_the_file_is_proved_for_all_of_them() {
    let watch = Watch::default();
    let file = |claim: &str| {
        program(&[
            ("where -B", "where 1/2 <= eps <= 2 and 1 <= B <= 100\nwhere -B"),
            ("claim eps", &format!("claim {claim} in binary64")),
        ])
    };
    assert_eq!(verify(&file("eps + 1e-12"), &[], &watch).unwrap().status(), Status::Proved);
    for claim in ["eps", "5 / 2 - eps", "eps + 1e-12 * (eps - 1/2)"] {
        assert_ne!(verify(&file(claim), &[], &watch).unwrap().status(), Status::Proved, "{claim}");
    }
}
