//! The claim, and its format.

use super::*;

fn claim(epsilon: Expr, delta: Expr) -> Claim {
    Claim { epsilon, delta, reading: Reading::BINARY64 }
}

fn prove(mechanism: &Mechanism, epsilon: Expr, delta: Expr) -> Result<(), Rejection> {
    let machine = Implementation::default();
    threshold(mechanism, &claim(epsilon, delta), machine).map(|theorem| {
        assert_eq!(theorem.mechanism(), mechanism);
    })
}

#[test]
fn is_about_a_format() {
    let over = Claim { reading: Reading::Reals, ..claim(number(2, 1), number(0, 1)) };
    assert_eq!(threshold(&fixed(), &over, Implementation::default()), Err(Rejection::OverTheReals));
}

#[test]
fn the_format_is_of_bounded_size() {
    for (precision, emin, emax) in [
        (1025, -1022, 1023),
        (53, -(1 << 18) - 1, 1023),
        (53, -1022, (1 << 18) + 1),
        (1, -1022, 1023),
        (53, 5, 4),
    ] {
        let found = bound(&fixed(), Reading::Binary { precision, emin, emax }, Implementation::default());
        assert_eq!(found, Err(Rejection::Format { precision, emin, emax }));
    }
    for (precision, emin, emax) in [(113, -16382, 16383), (237, -262142, 262143)] {
        bound(&fixed(), Reading::Binary { precision, emin, emax }, Implementation::default()).unwrap();
    }
}

#[test]
fn is_made_of_parameters() {
    for epsilon in [x(), number(2, 1) + Expr::var("grid"), Expr::of("x", Run::First), Expr::cost()] {
        let found = prove(&fixed(), epsilon.clone(), number(0, 1));
        assert!(matches!(found, Err(Rejection::ClaimNotANumber { part: "epsilon", .. })), "{epsilon}");
    }
    let found = prove(&fixed(), number(2, 1), x());
    assert!(matches!(found, Err(Rejection::ClaimNotANumber { part: "delta", .. })));
    prove(&fixed(), number(2, 1) * eps(), number(0, 1)).unwrap();
}

#[test]
fn is_a_number() {
    for epsilon in [
        number(2, 1) / (eps() - eps()),
        number(2, 1).floor(),
        (eps() - number(2, 1)).ln(),
        number(1 << 30, 1).exp(),
        Expr::Bool(true),
        Expr::Bool(true).choose(number(2, 1), number(2, 1)),
    ] {
        let found = prove(&fixed(), epsilon.clone(), number(0, 1));
        assert!(matches!(found, Err(Rejection::ClaimNotANumber { part: "epsilon", .. })), "{epsilon}");
    }
    for epsilon in [number(3, 1).ln(), number(1, 100).exp(), eps().max(number(2, 1)), (-number(2, 1)).abs()] {
        prove(&fixed(), epsilon, number(0, 1)).unwrap();
    }
}

#[test]
fn is_a_number_for_every_parameter() {
    let found = prove(&family(), number(1, 1) / (eps() - number(1, 1)), number(0, 1));
    assert!(matches!(found, Err(Rejection::ClaimNotANumber { part: "epsilon", .. })));
    prove(&family(), number(3, 1) / (eps() - number(1, 4)).min(number(1, 1)), number(0, 1)).unwrap();
}

#[test]
fn its_numbers_are_of_bounded_size() {
    let large = || Expr::Number(power(70_000));
    let product = |factors: usize| (0..factors).fold(number(2, 1), |product, _| product * large());
    let found = prove(&fixed(), product(9), number(0, 1));
    assert!(matches!(found, Err(Rejection::ClaimNotANumber { part: "epsilon", .. })));
    prove(&fixed(), product(8), number(0, 1)).unwrap();
}

#[test]
fn is_of_bounded_size() {
    let long = |parts: usize| (0..parts).fold(number(2, 1), |sum, _| sum + number(0, 1));
    let found = prove(&fixed(), long(100), number(0, 1));
    assert!(matches!(found, Err(Rejection::TooLarge { .. })));
    prove(&fixed(), long(99), number(0, 1)).unwrap();
}

#[test]
fn epsilon_is_enough() {
    let found = look(&fixed()).unwrap();
    let enough = Expr::Number(found.epsilon().clone());
    prove(&fixed(), enough.clone(), number(0, 1)).unwrap();
    let less = enough - Expr::Number(power(-400));
    let less = prove(&fixed(), less, number(0, 1));
    assert!(matches!(less, Err(Rejection::ClaimTooSmall { part: "epsilon", .. })));
    // The claim is about the exact parameter, whatever the format makes of it.
    let tenth = with(&fixed(), &|m| m.assumptions[0] = eps().equals(number(1, 10)));
    let offset = number(1, 100) + number(1_000_000_000_000_000_000, 1) * (eps() - number(1, 10));
    let found = prove(&tenth, offset, number(0, 1));
    assert!(matches!(found, Err(Rejection::ClaimTooSmall { part: "epsilon", .. })));
    prove(&tenth, eps() + number(1, 1_000_000_000_000), number(0, 1)).unwrap();
}

#[test]
fn epsilon_is_enough_for_every_parameter() {
    let excess = || Expr::Number(look(&family()).unwrap().excess().clone());
    let enough = [
        eps() + excess(),
        excess() + eps(),
        number(2, 1) * eps() + excess() - number(1, 2),
        eps() * number(2, 1),
        number(301, 100) - eps() / number(2, 1),
        number(21, 10),
        (number(0, 1) - eps()) + number(5, 1),
        eps() + excess() * b(),
        // Only as multiples of eps: the least of each part is too little.
        number(3, 1) * eps() - eps() + excess() - number(1, 2),
        number(3, 1) * eps() + (-eps()) + excess() - number(1, 2),
    ];
    for epsilon in enough {
        prove(&family(), epsilon.clone(), number(0, 1)).unwrap_or_else(|no| panic!("{epsilon}: {no}"));
    }
    for epsilon in [
        eps(),
        eps() + excess() - Expr::Number(power(-400)),
        // Enough at one end of the range, or at both, and not between.
        number(2, 1) * eps() + excess() - number(6, 10),
        number(2, 1) + excess() - Expr::Number(power(-400)),
        number(21, 10) - number(1, 2) * eps(),
        eps() + number(1, 1) / eps() - number(1, 2),
        eps() + (eps() - number(1, 2)) * (eps() - number(2, 1)) + number(1, 1_000_000),
        eps() + excess() / b(),
        number(2, 1) * (eps() - number(9, 10)),
        -(number(5, 1) - eps()),
        number(5, 1) + (-b()),
        -eps() + number(21, 10),
        number(21, 10) - eps(),
        eps() + excess() - eps(),
    ] {
        let found = prove(&family(), epsilon.clone(), number(0, 1));
        assert!(matches!(found, Err(Rejection::ClaimTooSmall { part: "epsilon", .. })), "{epsilon}");
    }
}

#[test]
fn delta_is_enough() {
    let wide = with(&fixed(), &|m| m.assumptions[1] = b().equals(number(1000, 1)));
    let found = look(&wide).unwrap();
    let epsilon = || Expr::Number(found.epsilon().clone());
    prove(&wide, epsilon(), Expr::Number(found.delta().clone())).unwrap();
    prove(&wide, epsilon(), number(-700, 1).exp()).unwrap();
    for delta in [number(0, 1), number(-1, 1), number(-710, 1).exp()] {
        let less = prove(&wide, epsilon(), delta);
        assert!(matches!(less, Err(Rejection::ClaimTooSmall { part: "delta", .. })));
    }
    let negative = prove(&fixed(), number(2, 1), number(-1, 1));
    assert!(matches!(negative, Err(Rejection::ClaimTooSmall { part: "delta", .. })));
}

#[test]
fn delta_is_enough_for_every_parameter() {
    let wide = with(&family(), &|m| m.assumptions[1] = between(number(1, 1), b(), number(1000, 1)));
    let epsilon = || eps() + number(1, 1000);
    let found = prove(&wide, epsilon(), (number(0, 1) - b()).exp());
    assert!(matches!(found, Err(Rejection::ClaimTooSmall { part: "delta", .. })));
    prove(&wide, epsilon(), (number(-600, 1)).exp() * b()).unwrap();
}

/// The least claim that a bound covers says what was found, and is proved.
#[test]
fn the_least_claim_is_the_bound() {
    let one = numbers(Format::BINARY64);
    let machine = Implementation { uniform: Uniform::Bits(53), ln_ulps: 2 };
    let found = bound(&one.mechanism(), one.reading(), machine).unwrap();
    assert_eq!(found.claim().epsilon, Expr::Number(found.epsilon().clone()));
    let theorem = threshold(&one.mechanism(), &found.claim(), machine).unwrap();
    assert_eq!(theorem.implementation(), machine);
    let found = look(&family()).unwrap();
    assert_eq!(found.claim().epsilon, eps() + Expr::Number(found.excess().clone()));
    threshold(&family(), &found.claim(), Implementation::default()).unwrap();
}

/// Neighbours further apart lose a multiple of eps, and that multiple is looked for in the claim.
#[test]
fn epsilon_is_enough_for_distant_neighbours() {
    let two = with(&family(), &|m| m.adjacency = within(number(2, 1)));
    let excess = || Expr::Number(look(&two).unwrap().excess().clone());
    prove(&two, number(2, 1) * eps() + excess(), number(0, 1)).unwrap();
    for epsilon in [number(2, 1) * eps() + excess() - Expr::Number(power(-400)), eps() + excess()] {
        let found = prove(&two, epsilon, number(0, 1));
        assert!(matches!(found, Err(Rejection::ClaimTooSmall { part: "epsilon", .. })));
    }
}

/// A reading supposes U* and a correctly rounded logarithm unless something else is said.
#[test]
fn the_usual_machine() {
    assert_eq!(Implementation::default(), Implementation { uniform: Uniform::Star, ln_ulps: 0 });
}

/// Numbers with a factor become a mechanism from which the same numbers are read.
#[test]
fn numbers_come_back() {
    let scaling = vec![Scaling::Multiply(q(3, 2)), Scaling::Divide(q(5, 4))];
    let one = Snapped { scaling, grid: q(2, 1), ..numbers(Format::BINARY64) };
    let found = bound(&one.mechanism(), one.reading(), one.implementation()).unwrap();
    assert_eq!(found.subject(), &Subject::Mechanism(one));
}
