//! Noise that is made of two draws: each law refuses what has another.

use probity_kernel::equivalence::Rewrite;

use crate::common::*;

fn refuses(rewrite: &Rewrite, body: Vec<Statement>, output: Expr) -> bool {
    matches!(rewrite.apply(&mechanism(body, output)), Err(Rejection::NotEquivalent { .. }))
}
fn after(rewrite: &Rewrite, body: Vec<Statement>, output: Expr) -> (Vec<Statement>, Expr) {
    let Mechanism { body, output, .. } = rewrite.apply(&mechanism(body, output)).unwrap();
    (body, output)
}
fn exponential(name: &str, scale: Expr) -> Statement {
    draw(name, Distribution::Exponential { scale })
}
fn geometric(name: &str, scale: Expr) -> Statement {
    draw(name, Distribution::Geometric { scale })
}
fn difference() -> Rewrite {
    Rewrite::DifferenceLaw { plus: "a".into(), minus: "c".into(), noise: "z".into() }
}
fn sign_law() -> Rewrite {
    Rewrite::SignLaw { sign: "s".into(), size: "a".into(), noise: "z".into() }
}
fn exponential_law() -> Rewrite {
    Rewrite::ExponentialLaw { uniform: "u".into(), noise: "z".into() }
}
fn two(law: fn(&str, Expr) -> Statement) -> Vec<Statement> {
    vec![law("a", var("eps")), law("c", var("eps"))]
}

fn gumbel_law() -> Rewrite {
    Rewrite::GumbelLaw { draw: "u".into(), noise: "z".into() }
}
/// ln(−ln(u)).
fn twice() -> Expr {
    (-var("u").ln()).ln()
}

#[test]
fn gumbel_law_is_a_double_logarithm() {
    let uniform = || draw("u", Distribution::Uniform);
    let standard = || draw("z", Distribution::Gumbel { center: int(0), scale: int(1) });
    let (body, output) = after(&gumbel_law(), vec![uniform()], var("x") - var("eps") * twice());
    assert_eq!((body, output), (vec![standard()], var("x") - var("eps") * -var("z")));
    let (body, output) = after(&gumbel_law(), vec![exponential("u", int(1))], var("u").ln());
    assert_eq!((body, output), (vec![standard()], -var("z")));
    // Other draws stay.
    let other = || draw("w", laplace(var("x"), int(1)));
    let (body, _) = after(&gumbel_law(), vec![other(), uniform(), other()], twice() + var("w"));
    assert_eq!(body, vec![other(), standard(), other()]);
    // In whatever block it is drawn.
    let inside = |draw: Statement, value: Expr| {
        let branch = choose(var("b"), vec![draw, assign("y", value)], vec![]);
        vec![assign("y", int(0)), count("i", int(2), vec![branch])]
    };
    let (body, _) = after(&gumbel_law(), inside(uniform(), twice()), var("y"));
    assert_eq!(body, inside(standard(), -var("z")));
}

#[test]
fn gumbel_law_is_of_a_law_that_it_knows() {
    assert!(refuses(&gumbel_law(), vec![exponential("u", int(2))], var("u").ln()));
    assert!(refuses(&gumbel_law(), vec![exponential("u", var("eps"))], var("u").ln()));
    assert!(refuses(&gumbel_law(), vec![draw("u", laplace(int(0), int(1)))], twice()));
    assert!(refuses(&gumbel_law(), vec![assign("u", number(1, 2))], twice()));
}

#[test]
fn gumbel_law_is_of_a_draw_that_is_made_once() {
    let uniform = || draw("u", Distribution::Uniform);
    assert!(refuses(&gumbel_law(), vec![uniform(), uniform()], twice()));
    assert!(refuses(&gumbel_law(), vec![uniform(), assign("u", number(1, 2))], twice()));
    assert!(!refuses(&gumbel_law(), vec![uniform()], twice()));
}

#[test]
fn gumbel_law_is_of_a_draw_that_nothing_else_reads() {
    let uniform = || draw("u", Distribution::Uniform);
    for output in [twice() + var("u"), twice() + var("u").ln(), var("u").ln().ln(), (int(2) * var("u")).ln()]
    {
        assert!(refuses(&gumbel_law(), vec![uniform()], output));
    }
    assert!(refuses(&gumbel_law(), vec![uniform(), assign("y", var("u"))], twice()));
}

#[test]
fn gumbel_law_needs_a_new_name() {
    let uniform = || draw("u", Distribution::Uniform);
    assert!(refuses(&gumbel_law(), vec![uniform(), assign("z", int(1))], twice()));
}

#[test]
fn difference_law_is_two_sided_noise() {
    let laws = [
        (exponential as fn(&str, Expr) -> Statement, laplace(int(0), var("eps"))),
        (geometric, Distribution::DiscreteLaplace { center: int(0), scale: var("eps") }),
    ];
    for (one, law) in laws {
        let (body, output) = after(&difference(), two(one), var("n") + var("a") - var("c"));
        assert_eq!((body, output), (vec![draw("z", law)], var("n") + var("z")));
    }
    // In any place and order of a sum, and with the other sign.
    let cases = [
        (var("a") - var("c"), var("z")),
        (var("c") - var("a"), -var("z")),
        (-var("c") + var("x") + var("a"), var("x") + var("z")),
        (int(2) * (var("x") - (var("a") - var("c"))), int(2) * (var("x") - var("z"))),
    ];
    for (before, wanted) in cases {
        assert_eq!(after(&difference(), two(exponential), before).1, wanted);
    }
}

#[test]
fn difference_law_is_of_a_difference() {
    for output in
        [var("a") + var("c"), -var("a") - var("c"), var("a") - var("c") - var("c"), var("a") * var("c")]
    {
        assert!(refuses(&difference(), two(exponential), output));
    }
    // One of them elsewhere too.
    assert!(refuses(&difference(), two(exponential), (var("a") - var("c")).max(var("a"))));
    assert!(!refuses(&difference(), two(exponential), var("a") - var("c")));
}

#[test]
fn difference_law_is_of_one_law() {
    let minus = || var("a") - var("c");
    assert!(refuses(&difference(), vec![exponential("a", int(1)), exponential("c", int(2))], minus()));
    assert!(refuses(&difference(), vec![exponential("a", int(1)), geometric("c", int(1))], minus()));
    assert!(refuses(&difference(), vec![exponential("a", int(1)), assign("c", int(1))], minus()));
    let normal = |name: &str| draw(name, laplace(int(0), int(1)));
    assert!(refuses(&difference(), vec![normal("a"), normal("c")], minus()));
    assert!(!refuses(&difference(), vec![exponential("a", int(1)), exponential("c", int(1))], minus()));
}

#[test]
fn difference_law_is_of_a_fixed_scale() {
    let body = |scale: Expr| {
        vec![
            assign("w", int(1)),
            exponential("a", scale.clone()),
            assign("w", int(2)),
            exponential("c", scale),
        ]
    };
    assert!(refuses(&difference(), body(var("w")), var("a") - var("c")));
    assert!(!refuses(&difference(), body(var("N")), var("a") - var("c")));
}

/// Pr[a − c = z] for two geometric draws, summed up; and what discrete Laplace noise says.
#[test]
fn a_difference_of_geometric_draws_has_this_law() {
    for q in [rational(1, 2).unwrap(), rational(2, 3).unwrap()] {
        let one = Rational::ONE;
        let power = |n: u32| (0..n).fold(Rational::ONE, |p, _| p * &q);
        for z in 0..4 {
            let terms = 60;
            let sum = (0..terms).fold(Rational::ZERO, |sum, k| sum + power(k) * power(k + z));
            let summed = (&one - &q) * (&one - &q) * sum;
            let law = (&one - &q) / (&one + &q) * power(z);
            // What is left out is this share of the whole.
            assert_eq!(summed, law * (&one - power(2 * terms)));
        }
    }
}

#[test]
fn sign_law_is_laplace_noise() {
    let sign = || draw("s", Distribution::Sign);
    let size = || exponential("a", int(1) / var("eps"));
    let law = || draw("z", laplace(int(0), int(1) / var("eps")));
    for (before, wanted) in [
        (var("s") * var("a"), var("z")),
        (var("x") + var("a") * var("N") * var("s"), var("x") + var("z") * var("N")),
        (var("s") * -var("a"), -var("z")),
    ] {
        assert_eq!(after(&sign_law(), vec![sign(), size()], before), (vec![law()], wanted));
    }
    let coin = |p: Expr| flip("s", p);
    let turned = || var("s").choose(var("x") + var("a"), var("x") - var("a"));
    for half in [number(1, 2), int(1) / int(2), int(2) / int(4)] {
        let found = after(&sign_law(), vec![size(), coin(half)], turned());
        assert_eq!(found, (vec![law()], var("x") + var("z")));
    }
    let back = var("s").choose(-var("a"), var("a"));
    assert_eq!(after(&sign_law(), vec![size(), coin(number(1, 2))], back).1, -var("z"));
}

#[test]
fn sign_law_is_of_a_fair_sign() {
    let product = || var("s") * var("a");
    let size = || exponential("a", int(1));
    let coin = |p: Expr| vec![flip("s", p), size()];
    let turned = || var("s").choose(var("a"), -var("a"));
    assert!(refuses(&sign_law(), coin(number(1, 3)), turned()));
    assert!(refuses(&sign_law(), coin(int(1) / int(3)), turned()));
    assert!(refuses(&sign_law(), coin(int(1) / int(0)), turned()));
    assert!(refuses(&sign_law(), coin(var("free")), turned()));
    assert!(!refuses(&sign_law(), coin(number(1, 2)), turned()));
    let other = draw("s", Distribution::UniformInt { low: int(-1), high: int(1) });
    assert!(refuses(&sign_law(), vec![other, size()], product()));
    assert!(!refuses(&sign_law(), vec![draw("s", Distribution::Sign), size()], product()));
}

#[test]
fn sign_law_is_of_an_exponential_draw() {
    let sign = || draw("s", Distribution::Sign);
    // A geometric size with a sign has 0 twice.
    assert!(refuses(&sign_law(), vec![sign(), geometric("a", int(1))], var("s") * var("a")));
    assert!(!refuses(&sign_law(), vec![sign(), exponential("a", int(1))], var("s") * var("a")));
    let changed = |scale: Expr| vec![assign("w", int(1)), sign(), exponential("a", scale)];
    assert!(refuses(&sign_law(), changed(var("w")), var("s") * var("a")));
    assert!(!refuses(&sign_law(), changed(var("N")), var("s") * var("a")));
}

#[test]
fn sign_law_is_of_both_sides() {
    let body = || vec![flip("s", number(1, 2)), exponential("a", int(1))];
    let x = || var("x");
    let wrong = [
        var("s").choose(x() + var("a"), x() + var("a")),
        var("s").choose(x() + var("a"), x() - int(2) * var("a")),
        var("s").choose(x() + var("a"), var("n") - var("a")),
        var("s").choose(x() + var("a"), x()),
        var("s").choose(x() + var("a") + var("a"), x() - var("a") - var("a")),
        var("b").choose(x() + var("a"), x() - var("a")),
        var("s").choose(x() - x() + var("a"), x() + x() - var("a")),
    ];
    for output in wrong {
        assert!(refuses(&sign_law(), body(), output.clone()), "{output}");
    }
    assert!(!refuses(&sign_law(), body(), var("s").choose(x() + var("a"), x() - var("a"))));
    let signs = || vec![draw("s", Distribution::Sign), exponential("a", int(1))];
    for output in [var("s") * var("a") * var("a"), var("s") * var("s") * var("a"), var("s") + var("a")] {
        assert!(refuses(&sign_law(), signs(), output.clone()), "{output}");
    }
}

#[test]
fn exponential_law_is_of_a_logarithm() {
    let uniform = || draw("u", Distribution::Uniform);
    let found = after(&exponential_law(), vec![uniform()], var("x") - var("u").ln());
    assert_eq!(found, (vec![exponential("z", int(1))], var("x") - -var("z")));
    assert!(refuses(&exponential_law(), vec![uniform()], var("u").ln() + var("u")));
    assert!(refuses(&exponential_law(), vec![uniform(), assign("w", var("u"))], var("u").ln()));
    assert!(refuses(&exponential_law(), vec![exponential("u", int(1))], var("u").ln()));
    assert!(refuses(&exponential_law(), vec![uniform(), assign("z", int(1))], var("u").ln()));
    assert!(refuses(&exponential_law(), vec![assign("w", var("u").ln()), uniform()], var("u").ln()));
}

fn merge() -> Rewrite {
    Rewrite::Merge { var: "y".into() }
}

#[test]
fn merge_appends_behind_the_branches() {
    let to = |list: &str, n: i64| append(list, int(n));
    let body = |then, otherwise| vec![choose(var("b"), then, otherwise)];
    let found = after(&merge(), body(vec![assign("v", int(1)), to("l", 1)], vec![to("l", 2)]), int(0)).0;
    let branches =
        choose(var("b"), vec![assign("v", int(1)), assign("y", int(1))], vec![assign("y", int(2))]);
    assert_eq!(found, [branches, append("l", var("y"))]);
    // The inner one first, and one at a time; those behind it stay.
    let inner = choose(var("b"), vec![to("l", 1)], vec![to("l", 2)]);
    let nested =
        vec![count("i", int(2), vec![choose(var("b"), vec![inner.clone()], vec![to("l", 3)]), inner])];
    let found = after(&merge(), nested, int(0)).0;
    let merged =
        vec![choose(var("b"), vec![assign("y", int(1))], vec![assign("y", int(2))]), append("l", var("y"))];
    let rest = choose(var("b"), vec![to("l", 1)], vec![to("l", 2)]);
    assert_eq!(found, [count("i", int(2), vec![choose(var("b"), merged, vec![to("l", 3)]), rest])]);
    for (then, otherwise) in [
        (vec![to("l", 1)], vec![to("k", 2)]),
        (vec![to("l", 1)], vec![]),
        (vec![to("l", 1), assign("v", int(1))], vec![to("l", 2)]),
        (vec![to("l", 1)], vec![to("l", 2), assign("v", int(1))]),
    ] {
        assert!(refuses(&merge(), body(then, otherwise), int(0)));
    }
}

#[test]
fn merge_needs_a_new_name() {
    let body = || vec![choose(var("b"), vec![append("l", int(1))], vec![append("l", int(2))])];
    assert!(refuses(&merge(), [vec![assign("y", int(3))], body()].concat(), int(0)));
    assert!(refuses(&merge(), body(), var("y")));
    assert!(refuses(&Rewrite::Merge { var: "x".into() }, body(), int(0)));
}

#[test]
fn entry_names_what_is_appended() {
    let entry = || Rewrite::Entry { var: "y".into() };
    let to = |value: Expr| append("l", value);
    let found =
        after(&entry(), vec![to(var("x")), count("i", int(2), vec![to(var("x") + int(1))])], int(0)).0;
    let named = count("i", int(2), vec![assign("y", var("x") + int(1)), to(var("y"))]);
    assert_eq!(found, [to(var("x")), named]);
    // One at a time: the first.
    let found = after(&entry(), vec![to(int(1)), to(int(2))], int(0)).0;
    assert_eq!(found, [assign("y", int(1)), to(var("y")), to(int(2))]);
    assert!(refuses(&entry(), vec![to(var("x"))], int(0)));
    assert!(refuses(&entry(), vec![], int(0)));
}

#[test]
fn entry_needs_a_new_name() {
    let body = || vec![append("l", int(1))];
    let entry = || Rewrite::Entry { var: "y".into() };
    assert!(!refuses(&entry(), body(), int(0)));
    assert!(refuses(&entry(), [vec![assign("y", int(3))], body()].concat(), int(0)));
    assert!(refuses(&entry(), body(), var("y")));
    assert!(refuses(&Rewrite::Entry { var: "x".into() }, body(), int(0)));
}

#[test]
fn one_draw_is_of_one_law_in_both_branches() {
    let one_draw = || Rewrite::OneDraw { var: "y".into() };
    let laplace = |center: Expr, scale: Expr| Distribution::Laplace { center, scale };
    let body = |then, otherwise| vec![choose(var("b"), then, otherwise)];
    let noisy = |center: Expr, scale: Expr| vec![draw("y", laplace(center, scale))];
    let found = after(&one_draw(), body(noisy(var("x"), int(1)), noisy(int(0), int(1))), var("y")).0;
    assert_eq!(found, noisy(var("b").choose(var("x"), int(0)), int(1)));
    // The scale too is that of the branch.
    let found = after(&one_draw(), body(noisy(var("x"), int(1)), noisy(var("x"), int(2))), var("y")).0;
    assert_eq!(found, noisy(var("x"), var("b").choose(int(1), int(2))));
    let center_and_scale: [fn(Expr, Expr) -> Distribution; 3] = [
        |center, scale| Distribution::DiscreteLaplace { center, scale },
        |center, scale| Distribution::Gumbel { center, scale },
        |center, deviation| Distribution::Gaussian { center, deviation },
    ];
    for law in center_and_scale {
        let of = |center: i64, scale: i64| vec![draw("y", law(int(center), int(scale)))];
        let found = after(&one_draw(), body(of(1, 3), of(2, 4)), var("y")).0;
        let both = law(var("b").choose(int(1), int(2)), var("b").choose(int(3), int(4)));
        assert_eq!(found, [draw("y", both)]);
    }
    let normal = |center, deviation| Distribution::DiscreteGaussian { center, deviation };
    let of = |center: i64, scale: i64| vec![draw("y", normal(int(center), int(scale)))];
    let found = after(&one_draw(), body(of(1, 3), of(2, 4)), var("y")).0;
    assert_eq!(found, [draw("y", normal(var("b").choose(int(1), int(2)), var("b").choose(int(3), int(4))))]);
    let scale = var("b").choose(int(1), int(2));
    let found =
        after(&one_draw(), body(vec![exponential("y", int(1))], vec![exponential("y", int(2))]), var("y")).0;
    assert_eq!(found, [exponential("y", scale.clone())]);
    let found =
        after(&one_draw(), body(vec![geometric("y", int(1))], vec![geometric("y", int(2))]), var("y")).0;
    assert_eq!(found, [geometric("y", scale)]);
    let noise = || noisy(var("x"), int(1));
    let refused = [
        (noise(), vec![exponential("y", int(1))]),
        (vec![geometric("y", int(1))], vec![exponential("y", int(1))]),
        (noise(), vec![draw("v", laplace(var("x"), int(1)))]),
        (vec![draw("v", laplace(var("x"), int(1)))], vec![draw("v", laplace(int(0), int(1)))]),
        (noise(), vec![]),
        ([noise(), vec![assign("v", int(1))]].concat(), noise()),
        (noise(), [vec![assign("v", int(1))], noise()].concat()),
        (vec![flip("y", number(1, 2))], vec![flip("y", number(1, 3))]),
    ];
    for (then, otherwise) in refused {
        assert!(refuses(&one_draw(), body(then, otherwise), int(0)));
    }
}

#[test]
fn tail_is_what_both_branches_end_with() {
    let set = |name: &str, n: i64| assign(name, int(n));
    let body = |then, otherwise| vec![choose(var("b"), then, otherwise)];
    let moved = |then, otherwise| Rewrite::Tail.apply(&mechanism(body(then, otherwise), int(0)));
    let both = moved(vec![set("v", 1), set("w", 2)], vec![set("v", 3), set("w", 2)]).unwrap();
    assert_eq!(both.body, [choose(var("b"), vec![set("v", 1)], vec![set("v", 3)]), set("w", 2)]);
    // In their order, all of them, and inside of loops.
    let two = moved(vec![set("v", 1), set("w", 2)], vec![set("v", 1), set("w", 2)]).unwrap();
    assert_eq!(two.body, [choose(var("b"), vec![], vec![]), set("v", 1), set("w", 2)]);
    let looped = count("i", int(2), body(vec![set("v", 1)], vec![set("w", 1), set("v", 1)]));
    let inside = Rewrite::Tail.apply(&mechanism(vec![looped], int(0))).unwrap();
    assert_eq!(
        inside.body,
        [count("i", int(2), vec![choose(var("b"), vec![], vec![set("w", 1)]), set("v", 1)])]
    );
    let refused = [
        moved(vec![set("v", 1)], vec![]),
        moved(vec![set("v", 1)], vec![set("v", 2)]),
        moved(vec![set("v", 1), set("w", 1)], vec![set("v", 1), set("w", 2)]),
    ];
    assert!(refused.iter().all(|answer| matches!(answer, Err(Rejection::NotEquivalent { .. }))));
}
