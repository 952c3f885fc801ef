//! Certificates of claims about floats: what is changed in one, with the hash mended, is rejected or proves something else.

use probity_kernel::float::{Implementation, Rejection, Uniform, bound, threshold};
use probity_kernel::term::{Claim, Mechanism, Reading};
use probity_prove::certificate::{
    Code, Fault, Proved, Text, check, check_for, content_hash, write_threshold,
};

const TEXT: &str = "mechanism snapping(x: real)
param eps > 0
param B > 0
where 1/2 <= eps <= 2 and 1 <= B <= 100
where -B <= x <= B
let grid = pow2_at_least(1 / eps)
u ~ uniform(0, 1)
s ~ sign()
w = x + s * ln(u) / eps
return clamp(round_to(w, grid), -B, B)
neighbours abs(x' - x) <= 1
claim eps + 1e-12 in binary64
";

fn honest() -> (Mechanism, Claim, String) {
    let program = probity_lang::load_text(TEXT).unwrap();
    let theorem = threshold(&program.mechanism, &program.claim, Implementation::default()).unwrap();
    (program.mechanism, program.claim, write_threshold(&theorem))
}

/// The text with one line changed and a hash that fits.
fn forged(text: &str, line: usize, change: impl Fn(&str) -> String) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let changed = change(&lines[line]);
    assert_ne!(changed, lines[line]);
    lines[line] = changed;
    if let (Ok(mechanism), Ok(claim)) = (read(&lines[2]), read(&lines[3])) {
        lines[1] = format!("hash {}", content_hash(&mechanism, &claim));
    }
    lines.join("\n") + "\n"
}

fn read<T: Code>(line: &str) -> Result<T, probity_prove::certificate::ReadError> {
    T::read(&Text::parse(line)?)
}

#[test]
fn an_honest_one_is_replayed() {
    let (mechanism, claim, text) = honest();
    let proved = check(&text).unwrap();
    assert!(matches!(&proved, Proved::InFloats(_)));
    assert_eq!((proved.mechanism(), proved.claim()), (&mechanism, &claim));
    assert!(proved.to_string().contains("epsilon = eps + 1/1000000000000, delta = 0, in binary64"));
    check_for(&text, &mechanism, &claim).unwrap();
    // Written again it is the same.
    let Proved::InFloats(theorem) = proved else { unreachable!() };
    assert_eq!(write_threshold(&theorem), text);
}

#[test]
fn another_mechanism_or_claim_is_rejected() {
    let (_, _, text) = honest();
    let rate = "(binary / (binary * (var (plain $s)) (unary ln (var (plain $u)))) (var (plain $eps)))";
    for (line, from, to) in [
        // A hundredth of the noise, a fine grid, a wide input, a wide distance, a leak beside the noise.
        (
            2,
            rate,
            "(binary / (binary * (var (plain $s)) (unary ln (var (plain $u)))) (binary * (number 100) (var (plain $eps))))",
        ),
        (2, "(unary pow2-at-least (binary / (number 1) (var (plain $eps))))", "(number 1/1024)"),
        (2, "(binary <= (var (plain $x)) (var (plain $B)))", "(binary <= (var (plain $x)) (number 1000))"),
        (2, "(number 1)))))", "(number 2)))))"),
        (2, rate, "(number 0)"),
        (2, "(binary round-to (var (plain $w)) (var (plain $grid)))", "(var (plain $w))"),
        (3, "(number 1/1000000000000)", "(number 1/100000000000000)"),
        (3, "(number 1/1000000000000)", "(number -1)"),
        (3, "(number 0)", "(number -1)"),
        (3, "(binary 53 -1022 1023)", "(binary 11 -14 15)"),
        (3, "(binary 53 -1022 1023)", "(binary 53 -2000000000 2000000000)"),
        (3, "(var (plain $eps))", "(var (plain $x))"),
    ] {
        let forgery = forged(&text, line, |old| old.replacen(from, to, 1));
        let fault = check(&forgery).unwrap_err();
        assert!(matches!(fault, Fault::Threshold(_)), "{from} -> {to}: {fault}");
        assert!(fault.to_string().starts_with("line 5, the threshold theorem: "), "{fault}");
    }
    // Over the reals a plan is needed.
    let reals = forged(&text, 3, |old| old.replace("(binary 53 -1022 1023)", "reals"));
    assert!(matches!(check(&reals), Err(Fault::Unreadable { line: 5, .. })));
    // With the old hash nothing is looked at.
    let lazy = text.replacen("(number 1/1000000000000)", "(number 1)", 1);
    assert!(matches!(check(&lazy), Err(Fault::WrongHash { .. })));
}

#[test]
fn another_machine_is_another_theorem() {
    let (mechanism, claim, text) = honest();
    let sloppy = forged(&text, 4, |_| "(threshold star 1)".into());
    let Proved::InFloats(theorem) = check(&sloppy).unwrap() else { panic!("a float theorem") };
    assert_eq!(theorem.implementation(), Implementation { uniform: Uniform::Star, ln_ulps: 1 });
    assert!(theorem.to_string().contains("ln within 1 units in the last place"));
    assert!(matches!(check_for(&sloppy, &mechanism, &claim), Err(Fault::AnotherMachine { .. })));
    let nothing = forged(&text, 4, |_| "(threshold (bits 0) 0)".into());
    let fault = check(&nothing).unwrap_err().to_string();
    assert!(fault.ends_with("a uniform of 0 bits is always the same: it has to have at least 1"), "{fault}");
    // With 53 fixed bits this is not private.
    let naive = forged(&text, 4, |_| "(threshold (bits 53) 0)".into());
    let fault = check(&naive).unwrap_err();
    assert!(matches!(fault, Fault::Threshold(Rejection::ClaimTooSmall { .. })), "{fault}");
}

/// Another version is named, and of what is no certificate nothing is shown.
#[test]
fn the_first_line_says_what_a_file_is() {
    let (_, _, text) = honest();
    let said = |first: &str| check(&forged(&text, 0, |_| first.into())).unwrap_err().to_string();
    assert!(said("probity-certificate 2").starts_with("line 1: this is a certificate of version 2, "));
    for first in
        ["probity-certificate", "probity-certificate secret", "secret", "probity-certificate 1234567890"]
    {
        assert_eq!(
            said(first),
            "line 1: this is no certificate: the first line of one is 'probity-certificate 1'"
        );
    }
}

#[test]
fn what_cannot_be_read_is_said_with_its_line() {
    let (_, _, text) = honest();
    for line in [
        "(threshold star)",
        "(threshold star 0 0)",
        "(threshold round 0)",
        "(plan () equal ())",
        "(threshold star -1)",
    ] {
        let forgery = forged(&text, 4, |_| line.into());
        assert!(matches!(check(&forgery), Err(Fault::Unreadable { line: 5, .. })), "{line}");
    }
    assert!(matches!(
        check(&(text.clone() + "(threshold star 0)\n")),
        Err(Fault::Unreadable { line: 6, .. })
    ));
    let short: String = text.lines().take(4).map(|line| format!("{line}\n")).collect();
    assert!(matches!(check(&short), Err(Fault::Unreadable { line: 5, .. })));
}

/// Nothing but the text goes into a theorem: the least claim of each reading is proved, and a little less is not.
#[test]
fn the_least_claim_is_proved_in_every_format() {
    let (mechanism, _, _) = honest();
    for reading in [Reading::BINARY64, Reading::BINARY32] {
        let machine = Implementation::default();
        let least = bound(&mechanism, reading, machine).unwrap();
        let theorem = threshold(&mechanism, &least.claim(), machine).unwrap();
        check(&write_threshold(&theorem)).unwrap();
    }
}
