//! Laws in small formats against running the program on every float there is, written out by hand here.

use std::collections::BTreeMap;
use std::path::Path;

use probity_audit::{Effort, Given, Inputs, Outcome, PairReport, Parameters, all_pairs, float_law};
use probity_exact::{Float, Format, Integer, Rational, Round, rational};
use probity_lang::Program;

fn snapping() -> Program {
    probity_lang::load(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../mechanisms/snapping.dp")).unwrap()
}

fn r(n: i64, d: i64) -> Rational {
    rational(n, d).unwrap()
}

fn input(x: &Rational) -> Inputs {
    [("x".into(), Given::Number(x.clone()))].into()
}

/// Every float in [0, 1) with its mass: the gap above it.
fn uniform(format: &Format) -> Vec<(Float, Rational)> {
    let mut all = Vec::new();
    let mut u = Float::zero(false);
    let one = Rational::ONE;
    while u.to_rational().unwrap() < one {
        let next = format.next_up(&u);
        all.push((u.clone(), next.to_rational().unwrap() - u.to_rational().unwrap()));
        u = next;
    }
    all
}

/// The nearest multiple of a power of two, ties to even: by counting halves.
fn nearest_multiple(x: &Rational, grid: &Rational) -> Rational {
    let quotient = x / grid;
    let below = quotient.floor();
    let rest = quotient - Rational::from(below.clone());
    let even = (&below % Integer::from(2)) == Integer::from(0);
    let up = rest > r(1, 2) || (rest == r(1, 2) && !even);
    Rational::from(if up { below + Integer::from(1) } else { below }) * grid
}

/// Snapping on one input, float by float.
fn by_hand(
    format: &Format,
    eps: &Rational,
    bound: &Rational,
    grid: &Rational,
    x: &Rational,
) -> BTreeMap<Rational, Rational> {
    let nearest = Round::NearestEven;
    let (eps, x) = (format.round(eps, nearest), format.round(x, nearest));
    let mut law: BTreeMap<Rational, Rational> = BTreeMap::new();
    for (u, mass) in uniform(format) {
        let z = format.div(&format.ln(&u, nearest), &eps, nearest);
        for noise in [z.clone(), z.negated()] {
            let w = format.add(&x, &noise, nearest);
            let released = match w.to_rational() {
                Some(w) => nearest_multiple(&w, grid).clamp(-bound, bound.clone()),
                None if w.is_negative() => -bound,
                None => bound.clone(),
            };
            *law.entry(released).or_default() += &mass / Rational::from(2);
        }
    }
    law
}

#[test]
fn small_laws_are_those_of_every_float() {
    let program = snapping();
    let formats = [
        Format::new(3, -5, 6).unwrap(),
        Format::new(5, -6, 7).unwrap(),
        Format::new(8, -9, 8).unwrap(),
        Format::BINARY16,
    ];
    for format in formats {
        for (eps, bound, grid, x) in [
            (r(1, 1), r(4, 1), r(1, 1), r(0, 1)),
            (r(1, 1), r(8, 1), r(1, 1), r(3, 4)),
            (r(1, 2), r(12, 1), r(2, 1), r(-5, 2)),
            (r(3, 2), r(3, 1), r(1, 1), r(1, 4)),
        ] {
            let parameters: Parameters = [("eps".into(), eps.clone()), ("B".into(), bound.clone())].into();
            let law =
                float_law(&program.mechanism, &parameters, &input(&x), format, Effort::default()).unwrap();
            assert!(law.is_exact() && law.sums_to_one());
            let found: BTreeMap<Rational, Rational> =
                law.masses().keys().map(|o| (o.number().unwrap().clone(), law.probability(o).0)).collect();
            assert_eq!(found, by_hand(&format, &eps, &bound, &grid, &x), "{format} eps {eps} x {x}");
        }
    }
}

fn program(body: &str) -> Program {
    let source = format!("mechanism small(x: real)\n{body}\nneighbours abs(x' - x) <= 1\nclaim 1\n");
    probity_lang::load_text(&source).unwrap_or_else(|faults| panic!("{faults:?}"))
}

/// Programs that are not monotone, and programs with two uniform draws, by running on all floats.
#[test]
fn no_monotonicity_is_assumed() {
    let format = Format::new(4, -5, 5).unwrap();
    let nearest = Round::NearestEven;
    let law = |body: &str| {
        float_law(&program(body).mechanism, &Parameters::new(), &input(&r(0, 1)), format, Effort::default())
            .unwrap()
    };
    // u·(1 − u) rises and falls.
    let found = law("u ~ uniform(0, 1)\nreturn round_to(u * (1 - u), 1/16)");
    let mut expected: BTreeMap<Outcome, Rational> = BTreeMap::new();
    let one = format.round(&Rational::ONE, nearest);
    for (u, mass) in uniform(&format) {
        let product = format.mul(&u, &format.sub(&one, &u, nearest), nearest).to_rational().unwrap();
        *expected.entry(Outcome::Number(nearest_multiple(&product, &r(1, 16)))).or_default() += mass;
    }
    assert!(found.is_exact() && found.sums_to_one());
    assert_eq!(found.outcomes(), expected.len());
    expected.iter().for_each(|(outcome, mass)| assert_eq!(found.probability(outcome).0, *mass, "{outcome}"));
    // Two draws: equal floats make the probability of u < v less than one half.
    let found = law("u ~ uniform(0, 1)\nv ~ uniform(0, 1)\nreturn u < v");
    let mut less = Rational::ZERO;
    for (u, p) in uniform(&format) {
        for (v, q) in uniform(&format) {
            if u.to_rational() < v.to_rational() {
                less += &p * q;
            }
        }
    }
    assert!(found.is_exact() && found.sums_to_one());
    assert_eq!(found.probability(&Outcome::Bool(true)).0, less);
    assert!(less < r(1, 2));
}

/// NaN inside a range whose ends are numbers is not lost: ln u · 0 is 0 but for u = 0, where it is NaN.
#[test]
fn nan_inside_a_range_is_seen() {
    let format = Format::new(4, -5, 5).unwrap();
    let body = "u ~ uniform(0, 1)\nreturn clamp(ln(u) * x, 1, 1)";
    let law =
        float_law(&program(body).mechanism, &Parameters::new(), &input(&r(0, 1)), format, Effort::default())
            .unwrap();
    let smallest = format.min_positive().to_rational().unwrap();
    assert_eq!(law.probability(&Outcome::NotANumber).0, smallest);
    assert_eq!(law.probability(&Outcome::Number(r(1, 1))).0, Rational::ONE - smallest);
}

/// What is left undecided is shown, and the loss shown with it is below the exact one.
#[test]
fn escaped_mass_only_lowers_what_is_shown() {
    let program = snapping();
    let parameters: Parameters = [("eps".into(), r(1, 1)), ("B".into(), r(30, 1))].into();
    let report = |runs: u64| {
        let law = |x: i64| {
            float_law(&program.mechanism, &parameters, &input(&r(x, 1)), Format::BINARY64, Effort { runs })
                .unwrap()
        };
        assert!(law(0).sums_to_one());
        PairReport::new(&law(0), &law(1))
    };
    let exact = report(1_000_000);
    assert_eq!(exact.escaped_mass, Rational::ZERO);
    let loss = exact.worst.as_ref().unwrap().loss.high.clone();
    for runs in [1, 3, 20, 200, 600] {
        let partial = report(runs);
        assert!(partial.escaped_mass > Rational::ZERO, "{runs}");
        assert!(partial.impossible.is_empty(), "{runs}");
        assert!(partial.worst.is_none_or(|worst| worst.loss.low <= loss), "{runs}");
        for epsilon in [r(0, 1), r(1, 2), r(1, 1)] {
            let (partial, exact) = (report(runs).delta(&epsilon), exact.delta(&epsilon));
            assert!(partial.low <= exact.low && exact.high <= partial.high, "{runs}");
        }
    }
}

/// All pairs of a format of 4 bits, against the loss of each pair worked out from the laws by hand.
#[test]
fn all_pairs_of_a_small_format() {
    let format = Format::new(4, -4, 4).unwrap();
    let program = snapping();
    let (eps, bound) = (r(1, 1), r(2, 1));
    let parameters: Parameters = [("eps".into(), eps.clone()), ("B".into(), bound.clone())].into();
    let (worst, pairs) = all_pairs(
        &program.mechanism,
        &program.claim.epsilon,
        &parameters,
        format,
        Effort::default(),
        &mut |_, _| {},
    )
    .unwrap();
    let inputs: Vec<Rational> = format
        .all_finite()
        .unwrap()
        .iter()
        .filter_map(Float::to_rational)
        .filter(|x| *x >= -&bound && *x <= bound)
        .collect();
    let laws: Vec<_> = inputs.iter().map(|x| by_hand(&format, &eps, &bound, &r(1, 1), x)).collect();
    let (mut count, mut ratio, mut impossible) = (0, Rational::ZERO, false);
    for i in 0..inputs.len() {
        for j in i + 1..inputs.len() {
            if &inputs[j] - &inputs[i] > Rational::ONE {
                continue;
            }
            count += 1;
            for outcome in laws[i].keys().chain(laws[j].keys()) {
                match (laws[i].get(outcome), laws[j].get(outcome)) {
                    (Some(p), Some(q)) => ratio = ratio.max(p / q).max(q / p),
                    _ => impossible = true,
                }
            }
        }
    }
    let worst = worst.unwrap();
    assert_eq!((pairs, worst.impossible), (count, 0));
    assert!(!impossible);
    let expected = probity_exact::directed::ln_nearest(probity_exact::directed::cast_nearest(&ratio)) - 1.0;
    assert!((worst.excess - expected).abs() < 1e-12, "{} {expected}", worst.excess);
}
