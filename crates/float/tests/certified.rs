//! The certificate in binary64: the bars that it has to meet, and the exact losses that it must dominate, which are
//! found here by bisection over the bit patterns of u, independently of the theorem.

use probity_exact::directed::{cast_up, ln_nearest};
use probity_exact::{Format, Natural, Rational, Round, rational, rational_from_f64};
use probity_float::certified::{Certified, snapping, snapping_term, within};
use probity_kernel::float::{FloatTheorem, Implementation, Rejection, Snapped, Subject, Uniform, bound};
use probity_kernel::term::Reading;

fn exact(x: f64) -> Rational {
    rational_from_f64(x).unwrap()
}

/// The numbers of the snapping mechanism, as the kernel reads them.
fn double(epsilon: f64, b: f64) -> Snapped {
    let term = snapping(&exact(epsilon), &exact(b));
    match bound(&term, Reading::BINARY64, Implementation::default()).unwrap().subject() {
        Subject::Mechanism(snapped) => snapped.clone(),
        Subject::Family(_) => panic!("there are no parameters"),
    }
}

fn certify(snapped: &Snapped) -> Result<Certified, Rejection> {
    let (term, machine) = (snapped.mechanism(), snapped.implementation());
    let theorem = probity_float::certified::certify(&term, snapped.reading(), machine)?;
    Ok(Certified::of(theorem).unwrap())
}

/// The output for a given u, as the mechanism computes it.
fn run(x: f64, u: f64, sign: f64, epsilon: f64, grid: f64, bound: f64) -> f64 {
    let w = x + sign * (ln_nearest(u) / epsilon);
    ((w / grid).round_ties_even() * grid).clamp(-bound, bound)
}

/// P(output < t) for one sign, times the sign's own half left out: the output is monotone in u, so the u with output
/// below t form an interval that starts or ends at 0. Masses are exact: P(u < v) = v.
fn below(x: f64, t: f64, sign: f64, epsilon: f64, grid: f64, bound: f64) -> Rational {
    let is_below = |bits: u64| run(x, f64::from_bits(bits), sign, epsilon, grid, bound) < t;
    let one = 1f64.to_bits();
    let start = is_below(0);
    // The first pattern that behaves differently from u = 0.
    let (mut low, mut high) = (0, one);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if is_below(middle) == start {
            low = middle;
        } else {
            high = middle;
        }
    }
    let mass = exact(f64::from_bits(high));
    if start { mass } else { Rational::ONE - mass }
}

/// The exact probability of an outcome.
fn probability(x: f64, outcome: f64, epsilon: f64, grid: f64, bound: f64) -> Rational {
    let next = if outcome >= bound { f64::INFINITY } else { (outcome / grid + 0.5).ceil() * grid };
    let next = next.min(bound);
    [1.0, -1.0].iter().fold(Rational::ZERO, |sum, sign| {
        let upper =
            if outcome >= bound { Rational::ONE } else { below(x, next, *sign, epsilon, grid, bound) };
        sum + upper - below(x, outcome, *sign, epsilon, grid, bound)
    }) / rational(2, 1).unwrap()
}

/// ln of a positive rational, to nearest double of an enclosure of 200 bits, minus a double exactly.
fn log_excess(ratio: &Rational, epsilon: f64) -> f64 {
    let (_, high) = probity_exact::ln_bounds(ratio, 200).unwrap();
    cast_up(&(high - exact(epsilon)))
}

#[test]
fn figures_that_are_owed() {
    let certificate = certify(&double(1.0, 100.0)).unwrap();
    assert!(certificate.excess <= 2.0e-13 && certificate.delta == 0.0, "{:e}", certificate.excess);
    assert!(certificate.epsilon > 1.0);
    for exponent in 10..=40 {
        let certificate = certify(&double(1.0, 2f64.powi(exponent))).unwrap();
        assert!(certificate.excess <= 7.5e-13, "{exponent}: {:e}", certificate.excess);
        let limit = Rational::from_parts(1.into(), Natural::ONE << 1000);
        assert!(
            *certificate.theorem.bound().delta() > Rational::ZERO
                && *certificate.theorem.bound().delta() <= limit
        );
        assert_eq!(certificate.published_holds, Some(false));
    }
}

/// The exact losses of three pairs where every outcome is possible for both inputs. The doubles 0.3 and 1.3 are a
/// little more than 1 apart, so the sensitivity is taken from the pair.
#[test]
fn dominates_exact_losses() {
    for (epsilon, bound, x, outcome, known) in [
        (1.0, 100.0, 0.0, 64.0, 1.915e-15),
        (1.0, 100.0, 0.3, 65.0, 5.583e-15),
        (0.1, 1000.0, 3.7, 944.0, 1.220e-14),
    ] {
        let (first, second): (f64, f64) = (x, x + 1.0);
        let sensitivity = exact(second) - exact(first);
        let mechanism = Snapped { sensitivity, ..double(epsilon, bound) };
        let grid = cast_up(&mechanism.grid);
        let certificate = certify(&mechanism).unwrap();
        let ratio = |r: f64| {
            let (p, q) =
                (probability(first, r, epsilon, grid, bound), probability(second, r, epsilon, grid, bound));
            if p > q { p / q } else { q / p }
        };
        let at_worst = log_excess(&ratio(outcome), epsilon);
        assert!((at_worst - known).abs() <= 0.001 * known, "{at_worst:e} against {known:e}");
        let mut r = -bound;
        while r <= bound {
            let (loss, _) = probity_exact::ln_bounds(&ratio(r), 200).unwrap();
            assert!(loss <= certificate.epsilon_exact, "outcome {r}: {loss}");
            r = ((r / grid).floor() * grid + grid).min(if r < bound { bound } else { f64::INFINITY });
        }
    }
}

/// Where pure privacy fails the certificate does not claim it, and an impossible outcome exists.
#[test]
fn impossible_outcomes_are_not_called_pure() {
    let certificate = certify(&double(0.5, 2000.0)).unwrap();
    assert!(certificate.delta > 0.0 || *certificate.theorem.bound().delta() > Rational::ZERO);
    assert_eq!(certificate.published_holds, Some(false));
    let (p, q) = (probability(0.0, 1490.0, 0.5, 2.0, 2000.0), probability(1.0, 1490.0, 0.5, 2.0, 2000.0));
    assert!(p.is_zero() && !q.is_zero(), "{p} {q}");
    // The finite loss at the next outcome is far above what the paper allows, and is covered by δ here.
    let (p, q) = (probability(0.0, -1488.0, 0.5, 2.0, 2000.0), probability(1.0, -1488.0, 0.5, 2.0, 2000.0));
    let excess = log_excess(&(p.clone() / q), 0.5);
    assert!((excess - 0.1931).abs() < 1e-3 && excess > certificate.published_bound, "{excess}");
    assert!(p <= *certificate.theorem.bound().delta());
}

/// The bound named in the message keeps δ = 0, and the next float does not.
#[test]
fn the_largest_pure_bound_is_named() {
    for (epsilon, bound) in [(1.0, 100.0), (1.0, 1e6), (0.1, 5000.0), (2.0, 3.0)] {
        let certificate = certify(&double(epsilon, bound)).unwrap();
        let largest = certificate.largest_pure_bound.unwrap();
        assert!(certify(&double(epsilon, largest)).unwrap().delta == 0.0);
        let beyond = double(epsilon, largest.next_up()).loss().unwrap();
        assert!(!beyond.delta.is_zero(), "{largest}");
        assert!((2.0 * largest * epsilon - 708.4).abs() < 4.0, "{largest}");
        // Also the decimal that is printed keeps it, and is this bound to the last digit.
        let purity = certificate.purity();
        let (_, printed) = purity.split_once("delta = 0 up to bound ").unwrap();
        let exact = rational_from_f64(largest).unwrap();
        let printed = probity_exact::parse_rational(printed).unwrap();
        assert!(
            printed <= exact
                && printed > &exact * rational(999_999_999_999_999i64, 1_000_000_000_000_000i64).unwrap(),
            "{purity}"
        );
    }
}

/// Where no bound is known the sentence names none.
#[test]
fn purity_without_a_known_bound() {
    let mut certificate = certify(&double(1.0, 100.0)).unwrap();
    certificate.largest_pure_bound = None;
    assert_eq!(certificate.purity(), "pure: delta = 0");
    let mut certificate = certify(&double(0.5, 2000.0)).unwrap();
    assert!(certificate.purity().contains("; delta = 0 up to bound "));
    certificate.largest_pure_bound = None;
    let purity = certificate.purity();
    assert!(purity.starts_with("delta = ") && purity.ends_with("than the floats are fine"), "{purity}");
}

#[test]
fn a_family_covers_its_members() {
    let q = |n: i64, d: i64| rational(n, d).unwrap();
    let family =
        |epsilon: (Rational, Rational), b: (Rational, Rational)| -> Result<FloatTheorem, Rejection> {
            let term = within(&snapping_term(), [("eps", epsilon), ("B", b)]);
            probity_float::certified::certify(&term, Reading::BINARY64, Implementation::default())
        };
    let all = family((q(1, 4), q(3, 2)), (q(10, 1), q(200, 1))).unwrap();
    assert!(all.bound().delta().is_zero());
    assert!(matches!(all.bound().subject(), Subject::Family(_)));
    for epsilon in [0.25, 0.3, 0.5, 0.75, 1.0, 1.3, 1.5] {
        for bound in [10.0, 33.3, 200.0] {
            let one = double(epsilon, bound).loss().unwrap();
            assert!(one.excess <= *all.bound().excess(), "{epsilon} {bound}");
        }
    }
    let all = family((q(1, 4), q(3, 2)), (q(10, 1), q(1 << 40, 1))).unwrap();
    assert!(!all.bound().delta().is_zero() && cast_up(all.bound().excess()) <= 7.5e-13);
    assert!(matches!(family((q(2, 1), q(1, 1)), (q(1, 1), q(2, 1))), Err(Rejection::EmptyRange { .. })));
}

/// A worse logarithm and a naive uniform widen the certificate.
#[test]
fn options_widen() {
    let good = double(1.0, 20.0);
    let base = certify(&good).unwrap();
    let sloppy = certify(&Snapped { ln_ulps: 1, ..good.clone() }).unwrap();
    assert!(sloppy.excess > base.excess);
    // 2^-53·e^39.5 is not small: outcomes beyond 53/2·ln 2 go into δ.
    let naive = certify(&Snapped { uniform: Uniform::Bits(53), ..good.clone() }).unwrap();
    assert!(naive.excess > 1e6 * base.excess && naive.delta > 0.0);
    let small =
        certify(&Snapped { uniform: Uniform::Bits(53), bound: rational(5, 1).unwrap(), ..good }).unwrap();
    assert!(small.delta == 0.0 && small.excess > base.excess && small.excess < 1e-10);
}

/// Both methods side by side: the paper's covers every case, pays for the rounding of the sum, and grows with B.
#[test]
fn the_papers_method_beside() {
    let certificate = certify(&double(1.0, 100.0)).unwrap();
    assert_eq!(certificate.cases().len(), 11);
    let paper = certificate.paper.excess.clone().unwrap();
    assert!(paper > certificate.excess && paper < 2.6e-13, "{paper:e}");
    for case in certificate.cases() {
        assert!(case.excess > 0.0 && case.excess <= paper, "{}", case.outcome);
        let derivation = case.derivation.as_ref().unwrap();
        assert!(probity_float::derive::confirmed(derivation, Format::BINARY64), "{}", case.outcome);
        for (low, high) in case.left.iter().chain(&case.right) {
            assert!(low <= high && *high <= 1.0);
        }
    }
    // Beyond the relatively fine floats it says nothing, and says why.
    let far = certify(&double(1.0, 1e6)).unwrap();
    assert!(far.cases().is_empty() && far.paper.excess.is_err());
}

/// 1/10 is no double: the program runs with the one nearest to it, and the loss is that of 1/10 and the difference.
#[test]
fn a_parameter_that_is_no_float_is_rounded_and_paid_for() {
    let tenth = rational(1, 10).unwrap();
    let ten = rational(10, 1).unwrap();
    let found = bound(&snapping(&tenth, &ten), Reading::BINARY64, Implementation::default()).unwrap();
    let Subject::Mechanism(run) = found.subject() else { panic!("there are no parameters") };
    let rounded = Format::BINARY64.round(&tenth, Round::NearestEven).to_rational().unwrap();
    assert_eq!(run.rate(), rounded);
    assert_eq!(*found.excess(), run.loss().unwrap().excess + &rounded - &tenth);
    assert_eq!(*found.epsilon(), tenth + found.excess());
}
