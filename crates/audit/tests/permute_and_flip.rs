//! Permute and flip: the audit's law, through exponential noise, is that of the definition.

use probity_audit::{Case, Given, Inputs, Outcome, Parameters};
use probity_exact::{Rational, exp_bounds, rational};
use probity_kernel::term::Reading;
use probity_lang::load_text;

fn law(scores: &[i64]) -> Result<probity_audit::Law, probity_audit::AuditError> {
    let program = load_text(
        "mechanism m(q: real[])\nparam s > 0\ny ~ permute_and_flip(q, s)\nreturn y\n\
         neighbours every entry of q differs by at most 1\nclaim 2 / s",
    )
    .unwrap();
    let parameters: Parameters = [("s".into(), rational(1, 1).unwrap())].into();
    let list = Given::List(scores.iter().map(|x| Rational::from(*x)).collect());
    let inputs: Inputs = [("q".into(), list)].into();
    Case::new(&program.mechanism, &parameters, &inputs).law(Reading::Reals)
}

/// Whether a mass lies between two numbers that are close together.
fn is(law: &probity_audit::Law, place: i64, low: &Rational, high: &Rational) -> bool {
    let (least, most) = law.probability(&Outcome::Number(Rational::from(place)));
    let close = rational(1, 1 << 30).unwrap();
    least <= *high && *low <= most && most - least < close
}

#[test]
fn the_law_is_that_of_the_definition() {
    // Of two places with coins 1 and p the second is taken with p/2; of three with 1, p, p the second with p·(1 − p)/2 + p²/3.
    let exact = |(low, high): (probity_exact::Float, probity_exact::Float)| {
        (low.to_rational().unwrap(), high.to_rational().unwrap())
    };
    let (low, high) = exact(exp_bounds(&Rational::from(-1), 100));
    let two = Rational::from(2);
    assert!(is(&law(&[3, 2]).unwrap(), 1, &(&low / &two), &(&high / &two)));
    let second = |p: &Rational, other: &Rational| {
        p * (Rational::ONE - other) / Rational::from(2) + p * p / Rational::from(3)
    };
    let three = law(&[0, -1, -1]).unwrap();
    assert!(is(&three, 1, &second(&low, &high), &second(&high, &low)));
    assert!(is(&three, 2, &second(&low, &high), &second(&high, &low)));
    // Equal scores are equally likely, and one place is taken.
    let half = rational(1, 2).unwrap();
    assert!(is(&law(&[5, 5]).unwrap(), 0, &half, &half));
    assert!(is(&law(&[5]).unwrap(), 0, &Rational::ONE, &Rational::ONE));
}

#[test]
fn there_is_no_choice_among_nothing() {
    assert!(law(&[]).is_err());
}

/// The scale is what it was before the draw, also where it reads the variable that is drawn.
#[test]
fn the_scale_may_read_what_is_drawn() {
    let law = |lines: &str| {
        let text = format!(
            "mechanism m(q: real[2])\n{lines}\nreturn y\nneighbours every entry of q differs by at most 1\nclaim 1"
        );
        let program = load_text(&text).unwrap();
        let list = Given::List(vec![Rational::ONE, rational(3, 2).unwrap()]);
        Case::new(&program.mechanism, &[].into(), &[("q".into(), list)].into()).law(Reading::Reals).unwrap()
    };
    let itself = law("y = 1\ny ~ permute_and_flip(q, if y == 1 then 2 else 1 / 1000)");
    let other = law("y ~ permute_and_flip(q, 2)");
    for place in [0, 1] {
        let place = Outcome::Number(Rational::from(place));
        let ((low, high), (least, most)) = (itself.probability(&place), other.probability(&place));
        assert!(low <= most && least <= high && high > rational(1, 10).unwrap(), "{place:?}");
    }
}
