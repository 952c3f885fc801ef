//! Composition, conversions, odometer and filter: against exact laws, published formulas, and several threads.

// Oracles use the platform's functions, independently of our own.
#![allow(clippy::disallowed_methods)]

use crate::common;

use std::sync::Arc;

use common::{Stream, ratio};
use probity_exact::{Integer, Natural, Rational};
use probity_noise::compose::{adaptive, compose, compose_pair, parallel};
use probity_noise::domain::{BigIntegers, Domain, Everything, IntegerRange, Vectors};
use probity_noise::entropy::Entropy;
use probity_noise::entropy::tape::Tape;
use probity_noise::map::{Expression, Guarantee, PrivacyMap};
use probity_noise::measure::{Loss, Measure};
use probity_noise::measurement::{Measurement, Mechanism, MechanismError};
use probity_noise::mechanisms::{
    RandomizedResponse, discrete_gaussian, discrete_gaussian_map, discrete_laplace, discrete_laplace_map,
    gaussian_for_delta_map, gaussian_profile_map, randomized_response_bool,
};
use probity_noise::metric::Metric;
use probity_noise::odometer::{Filter, Odometer};
use probity_noise::sampler::{Probability, Scale, SquaredScale};
use probity_noise::unit::{Delta, Epsilon, Rho, Sensitivity};

fn laplace(scale: Rational) -> Measurement<i64, i64> {
    discrete_laplace(IntegerRange::WIDEST, Scale::new(scale).unwrap()).unwrap()
}

fn gaussian(squared: f64) -> Measurement<i64, i64> {
    discrete_gaussian(IntegerRange::WIDEST, SquaredScale::from_f64(squared).unwrap()).unwrap()
}

fn one() -> Sensitivity {
    Sensitivity::from(1u32)
}

fn delta(value: f64) -> Delta {
    Delta::from_f64(value).unwrap()
}

fn constant(n: i64, d: i64) -> PrivacyMap {
    PrivacyMap::pure(Expression::constant(ratio(n, d)))
}

fn epsilon_of(loss: &Loss) -> f64 {
    match loss {
        Loss::Pure(epsilon) | Loss::Approximate { epsilon, .. } => epsilon.to_f64_up(),
        other => panic!("{other}"),
    }
}

#[test]
fn a_sum_is_rounded_once() {
    let mut stream = Stream(5);
    for _ in 0..200 {
        let scales: Vec<Rational> = (0..5).map(|_| stream.fraction()).collect();
        let scales: Vec<Rational> = scales.into_iter().filter(|s| *s < ratio(1 << 40, 1)).collect();
        if scales.is_empty() {
            continue;
        }
        let exact = scales.iter().fold(Rational::ZERO, |sum, scale| sum + Rational::ONE / scale);
        let all = compose(scales.into_iter().map(laplace).collect()).unwrap();
        common::assert_rounded_up(epsilon_of(&all.map(&one()).unwrap()), &exact);
    }
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    assert!(matches!(compose(Vec::<Measurement<i64, i64>>::new()), Err(MechanismError::Parameter(_))));
    let mixed = compose(vec![laplace(ratio(1, 1)), gaussian(1.0)]);
    assert!(matches!(mixed, Err(MechanismError::Mismatch { what: "measures", .. })));
    let both = compose(vec![laplace(ratio(1, 1)).to_concentrated().unwrap(), gaussian(1.0)]).unwrap();
    assert_eq!(both.map(&one()).unwrap().to_string(), "ρ = 1");
    let profile = gaussian(1.0).to_profile().unwrap();
    assert!(matches!(compose(vec![profile]), Err(MechanismError::Mismatch { .. })));
    let coin = randomized_response_bool(Probability::from_f64(0.75).unwrap()).unwrap();
    let other: Measurement<bool, bool> =
        Measurement::new(Everything, Metric::Absolute, coin.privacy_map().clone(), Echo);
    assert!(matches!(compose_pair(&coin, &other), Err(MechanismError::Mismatch { what: "metrics", .. })));
    assert_eq!(
        epsilon_of(&compose_pair(&coin, &coin).unwrap().map(&one()).unwrap()),
        probity_exact::directed::ln_up(9.0)
    );
}

struct Echo;

impl<T: Clone> Mechanism<T, T> for Echo {
    fn answer(&self, input: &T, _: &mut dyn Entropy) -> Result<T, MechanismError> {
        Ok(input.clone())
    }
}

#[test]
fn post_processing_costs_nothing_and_sees_the_answer() {
    let parity = laplace(ratio(2, 1)).post_process(|answer| answer % 2 == 0);
    assert_eq!(parity.map(&one()).unwrap().to_string(), "ε = 0.5");
    let mut tape = Tape::seeded(1);
    assert!((0..100).any(|_| parity.simulate(&7, &mut tape).unwrap()));
    assert!((0..100).any(|_| !parity.simulate(&7, &mut tape).unwrap()));
}

/// A measurement on lists of records that costs ε for one record.
fn on_records(metric: Metric, length: Option<usize>, map: PrivacyMap) -> Measurement<Vec<i64>, Vec<i64>> {
    let mut domain = Vectors::of(IntegerRange::WIDEST);
    if let Some(length) = length {
        domain = domain.with_length(length).unwrap();
    }
    Measurement::new(domain, metric, map, Echo)
}

#[test]
fn parallel_composition_costs_the_worst_part() {
    let parts = |metric, length| {
        let part = |n| on_records(metric, length, constant(n, 8));
        parallel(vec![part(1), part(3), part(2)])
    };
    let all = parts(Metric::Symmetric, None).unwrap();
    assert_eq!(all.map(&one()).unwrap().to_string(), "ε = 0.375");
    // Two records may fall into the same part or into different ones.
    assert_eq!(all.map(&Sensitivity::from(2u32)).unwrap().to_string(), "ε = 0.75");
    assert_eq!(all.map(&Sensitivity::from(0u32)).unwrap().to_string(), "ε = 0");
    assert!(all.simulate(&vec![vec![1], vec![2]], &mut Tape::seeded(1)).is_err());
    assert!(all.simulate(&vec![vec![1], vec![], vec![2]], &mut Tape::seeded(1)).is_ok());
    // A map that is constant in d_in, as that of randomized response, must not be taken for more than one record.
    assert!(!all.check(&Sensitivity::from(2u32), &Loss::Pure(Epsilon::from_f64(0.375).unwrap())).unwrap());
    // Removing a record from a list of fixed length leaves the domain.
    assert!(parts(Metric::Symmetric, Some(2)).is_err());
    assert!(parts(Metric::ChangeOne, Some(2)).is_ok());
    assert!(parts(Metric::L1, None).is_err());
}

#[test]
fn groups_pay_for_every_member() {
    let three = Sensitivity::from(3u32);
    let pure = on_records(Metric::Symmetric, None, constant(1, 4)).for_groups().unwrap();
    assert_eq!(pure.map(&three).unwrap().to_string(), "ε = 0.75");
    let half = Sensitivity::new(ratio(5, 2)).unwrap();
    assert_eq!(pure.map(&half).unwrap().to_string(), "ε = 0.75");
    let rho = PrivacyMap::concentrated(Expression::constant(ratio(1, 8)));
    let concentrated = on_records(Metric::ChangeOne, Some(9), rho).for_groups().unwrap();
    assert_eq!(concentrated.map(&three).unwrap().to_string(), "ρ = 1.125");
    let approximate =
        PrivacyMap::approximate(Expression::constant(ratio(1, 2)), Expression::constant(ratio(1, 1000)));
    let grouped = on_records(Metric::Symmetric, None, approximate).for_groups().unwrap();
    let Loss::Approximate { epsilon, delta } = grouped.map(&three).unwrap() else { panic!("measure") };
    // δ·(1 + e^ε + e^{2ε}).
    let expected = 0.001 * (1.0 + 0.5f64.exp() + 1f64.exp());
    assert_eq!(epsilon.to_f64_up(), 1.5);
    assert!((delta.to_f64_up() - expected).abs() < 1e-15, "{delta} {expected}");
    let exact = PrivacyMap::approximate(Expression::zero(), Expression::constant(ratio(1, 1000)));
    let grouped = on_records(Metric::Symmetric, None, exact).for_groups().unwrap();
    let three_thousandths =
        Loss::Approximate { epsilon: Epsilon::zero(), delta: Delta::new(ratio(3, 1000)).unwrap() };
    assert!(grouped.check(&three, &three_thousandths).unwrap());
}

/// Values of an independent program (golden section in Python's doubles), and never above the classical formula.
#[test]
fn rho_to_epsilon_and_delta() {
    for (rho, target, expected) in RHO_FIGURES {
        let map =
            PrivacyMap::concentrated(Expression::constant(probity_exact::rational_from_f64(rho).unwrap()));
        let found = epsilon_of(&map.to_approximate(&delta(target)).unwrap().loss(&one()).unwrap());
        assert!((found - expected).abs() < 1e-12 * expected, "ρ = {rho}, δ = {target}: {found} {expected}");
        assert!(found <= rho + 2.0 * (rho * (1.0 / target).ln()).sqrt());
    }
    let nothing = PrivacyMap::concentrated(Expression::zero()).to_approximate(&delta(0.1)).unwrap();
    assert_eq!(epsilon_of(&nothing.loss(&one()).unwrap()), 0.0);
    let everything = PrivacyMap::concentrated(Expression::infinity()).to_approximate(&delta(0.1)).unwrap();
    assert_eq!(epsilon_of(&everything.loss(&one()).unwrap()), f64::INFINITY);
    for bad in [0.0, 1.0, 2.0] {
        assert!(gaussian(1.0).to_approximate(&delta(bad)).is_err(), "{bad}");
    }
}

const RHO_FIGURES: [(f64, f64, f64); 5] = [
    (0.5, 1e-6, 5.22153444453017),
    (0.1, 1e-6, 2.1419389283854744),
    (0.0001, 1e-9, 0.0743627931141363),
    (5.0, 1e-5, 19.047259552325183),
    (0.125, 0.01, 1.128931082901368),
];

/// The exact δ(ε) of the discrete Gaussian, summed in doubles, lies below the profile that ρ implies.
#[test]
fn the_profile_of_rho_bounds_the_exact_one() {
    for squared in [0.5, 4.0, 50.0] {
        let map = discrete_gaussian_map(&SquaredScale::from_f64(squared).unwrap());
        let Loss::Profile(curve) = map.to_profile().unwrap().loss(&one()).unwrap() else { panic!("measure") };
        let weight = |k: i32| (-f64::from(k) * f64::from(k) / (2.0 * squared)).exp();
        let total: f64 = (-400..=400).map(weight).sum();
        let mut last = f64::INFINITY;
        for step in 0..12 {
            let epsilon = f64::from(step) * 0.25;
            let exact: f64 =
                (-400..=400).map(|k| (weight(k) - epsilon.exp() * weight(k - 1)).max(0.0)).sum::<f64>()
                    / total;
            let bound = curve.delta(&Epsilon::from_f64(epsilon).unwrap()).unwrap().to_f64_up();
            assert!(exact <= bound * (1.0 + 1e-9), "σ² = {squared}, ε = {epsilon}: {exact} {bound}");
            assert!(bound <= last, "a profile does not rise");
            last = bound;
        }
        // And back: the ε found for a δ is the least double that the curve allows.
        let target = delta(1e-3);
        let epsilon = curve.epsilon(&target).unwrap();
        assert!(curve.check(&epsilon, &target).unwrap());
        let below = Epsilon::from_f64(epsilon.to_f64_up().next_down()).unwrap();
        assert!(!curve.check(&below, &target).unwrap());
    }
}

/// Randomized response attains the profile of a pure claim: p − e^ε(1 − p).
#[test]
fn the_profile_of_a_pure_claim_is_that_of_randomized_response() {
    let law = RandomizedResponse::new(2, Probability::from_f64(0.75).unwrap()).unwrap();
    let Loss::Profile(curve) = law.map().to_profile().unwrap().loss(&one()).unwrap() else {
        panic!("measure")
    };
    for epsilon in [0.0f64, 0.3, 1.0] {
        let exact = 0.75 - epsilon.exp() * 0.25;
        let found = curve.delta(&Epsilon::from_f64(epsilon).unwrap()).unwrap().to_f64_up();
        assert!((found - exact).abs() < 1e-15, "{epsilon}: {found} {exact}");
    }
    assert_eq!(curve.delta(&Epsilon::from_f64(1.1).unwrap()).unwrap(), Delta::zero());
    assert_eq!(curve.delta(&Epsilon::infinite()).unwrap(), Delta::zero());
}

/// ε-privacy is ε²/2-concentrated: the Rényi divergences of randomized response, the worst case, are below.
#[test]
fn pure_to_concentrated_bounds_every_order() {
    for epsilon in [0.1f64, 1.0, 3.0] {
        let p = epsilon.exp() / (1.0 + epsilon.exp());
        let rho = epsilon * epsilon / 2.0;
        for order in [1.01f64, 1.5, 2.0, 5.0, 50.0] {
            let moment =
                p.powf(order) * (1.0 - p).powf(1.0 - order) + (1.0 - p).powf(order) * p.powf(1.0 - order);
            assert!(moment.ln() / (order - 1.0) <= rho * order, "{epsilon} {order}");
        }
        let map = constant(1, 1).to_concentrated().unwrap();
        assert_eq!(map.loss(&one()).unwrap(), Loss::Concentrated(Rho::from_f64(0.5).unwrap()));
    }
}

/// k-fold randomized response has an exact profile: δ(ε') = Σ C(k, j) max(0, p^j(1−p)^(k−j) − e^ε' p^(k−j)(1−p)^j).
#[test]
fn advanced_composition_bounds_the_exact_one() {
    for (epsilon, count, slack) in [(0.1f64, 100u32, 1e-6), (0.01, 1000, 1e-5), (1.0, 10, 1e-3)] {
        let map = PrivacyMap::pure(Expression::constant(probity_exact::rational_from_f64(epsilon).unwrap()));
        let composed = map.composed_with_slack(count, &delta(slack)).unwrap();
        let Loss::Approximate { epsilon: total, delta: total_delta } = composed.loss(&one()).unwrap() else {
            panic!("measure")
        };
        let total = total.to_f64_up();
        assert_eq!(total_delta.to_f64_up(), slack);
        assert!(total <= f64::from(count) * epsilon * (1.0 + 1e-15));
        let mut exact = 0.0;
        let mut binomial = 0.0f64;
        for j in 0..=count {
            let (j, rest) = (f64::from(j), f64::from(count - j));
            // ln p and ln(1 − p) for p = e^ε/(1 + e^ε).
            let (hit, miss) = (-(-epsilon).exp().ln_1p(), -epsilon.exp().ln_1p());
            let one = binomial + j * hit + rest * miss;
            let other = binomial + rest * hit + j * miss;
            exact += (one.exp() - (total + other).exp()).max(0.0);
            binomial += (rest / (j + 1.0)).ln();
        }
        assert!(exact <= slack, "{epsilon} {count}: {exact}");
        assert!(exact > 0.0 || total == f64::from(count) * epsilon, "the test looks where something is lost");
    }
}

#[test]
fn an_odometer_counts_exactly() {
    let odometer = Odometer::new(Measure::MaxDivergence).unwrap();
    let third = constant(1, 3);
    for _ in 0..3000 {
        odometer.record(&third, &one()).unwrap();
    }
    assert_eq!(odometer.spent().unwrap().to_string(), "ε = 1000");
    let coin = RandomizedResponse::new(2, Probability::from_f64(0.75).unwrap()).unwrap().map();
    let coins = Odometer::new(Measure::Approximate).unwrap();
    for _ in 0..1000 {
        coins.record(&coin, &one()).unwrap();
    }
    // 1000·ln 3, rounded once.
    let (low, _) = probity_exact::ln_bounds(&ratio(3, 1), 200).unwrap();
    common::assert_rounded_up(epsilon_of(&coins.spent().unwrap()), &(low * ratio(1000, 1)));
    assert!(odometer.record(&discrete_gaussian_map(&SquaredScale::from_f64(1.0).unwrap()), &one()).is_err());
    assert!(odometer.record(&PrivacyMap::uncertified("nothing"), &one()).is_err());
    assert!(Odometer::new(Measure::Profile).is_err());
}

/// A map written by hand may be negative, exactly or by a hair: nothing that is spent gives budget back.
#[test]
fn what_is_negative_gives_no_budget_back() {
    let number = |n: i64| Expression::constant(Rational::from(n));
    let less = [number(-5), Expression::constant(ratio(1, 3)).ln(), number(-1) * number(-40).exp()];
    for less in less {
        let odometer = Odometer::new(Measure::MaxDivergence).unwrap();
        let filter = Filter::new(Loss::Pure(Epsilon::new(ratio(1, 1)).unwrap())).unwrap();
        for _ in 0..3 {
            filter.spend(&PrivacyMap::pure(less.clone()), &one()).unwrap();
            odometer.record(&PrivacyMap::pure(less.clone()), &one()).unwrap();
        }
        filter.spend(&constant(1, 1), &one()).unwrap();
        odometer.record(&constant(1, 1), &one()).unwrap();
        assert!(filter.spend(&constant(1, 1), &one()).is_err());
        assert_eq!(odometer.spent().unwrap().to_string(), "ε = 1");
    }
}

#[test]
fn a_filter_stops_exactly_at_the_budget_from_several_threads() {
    let filter = Filter::new(Loss::Pure(Epsilon::new(ratio(1, 1)).unwrap())).unwrap();
    let seventh = constant(1, 700);
    let granted: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| (0..200).filter(|_| filter.spend(&seventh, &one()).is_ok()).count()))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(granted, 700);
    assert_eq!(filter.spent().unwrap().to_string(), "ε = 1");
    let error = filter.spend(&seventh, &one()).unwrap_err();
    assert!(error.to_string().contains("budget (ε = 1) would be exceeded"), "{error}");
    // What costs nothing still passes.
    assert!(filter.spend(&constant(0, 1), &one()).is_ok());
    assert!(filter.spend(&PrivacyMap::pure(Expression::infinity()), &one()).is_err());
}

#[test]
fn a_session_answers_until_the_budget_is_used_up() {
    let domain: Arc<dyn Domain<i64>> = Arc::new(IntegerRange::WIDEST);
    let budget = Loss::Pure(Epsilon::from_f64(1.0).unwrap());
    let interactive = adaptive(domain, Metric::Absolute, one(), budget).unwrap();
    assert_eq!(interactive.map(&one()).unwrap().to_string(), "ε = 1");
    assert_eq!(interactive.map(&Sensitivity::from(2u32)).unwrap().to_string(), "ε = ∞");
    assert_eq!(interactive.map(&Sensitivity::from(0u32)).unwrap().to_string(), "ε = 0");
    let mut tape = Tape::seeded(9);
    let session = interactive.simulate(&1000, &mut tape).unwrap();
    let first = session.simulate(&laplace(ratio(2, 1)), &mut tape).unwrap();
    // The next question depends on the answer.
    let scale = if first > 1000 { 4 } else { 2 };
    session.simulate(&laplace(ratio(scale, 1)), &mut tape).unwrap();
    assert!(session.simulate(&laplace(ratio(1, 1)), &mut tape).is_err());
    // A domain of the asker's choice would reveal whether the data lies in it, so it is refused unseen.
    let spent = session.spent().unwrap();
    let probe =
        discrete_laplace(IntegerRange::new(0, 10).unwrap(), Scale::new(ratio(1 << 40, 1)).unwrap()).unwrap();
    let refused = session.simulate(&probe, &mut tape);
    assert!(matches!(refused, Err(MechanismError::Mismatch { what: "domains", .. })));
    assert_eq!(session.spent().unwrap(), spent);
    let gaussian = session.simulate(&gaussian(1e9), &mut tape);
    assert!(matches!(gaussian, Err(MechanismError::Map(_))));
}

#[test]
fn maps_are_data_that_say_what_they_are() {
    let both = compose(vec![laplace(ratio(2, 1)), laplace(ratio(3, 1))]).unwrap();
    let text = both.privacy_map().to_string();
    assert_eq!(text, "ε = (if d_in = 0 then 0 else d_in / 2) + (if d_in = 0 then 0 else d_in / 3)");
    assert!(matches!(both.privacy_map().guarantee(), Guarantee::Pure { .. }));
    let text = laplace(ratio(7, 3)).to_string();
    assert_eq!(
        text,
        "on the 64-bit integers, absolute distance: ε = if d_in = 0 then 0 else d_in / scale, where scale = 7/3"
    );
}

/// Send + Sync: measurements go to other threads.
#[test]
fn measurements_are_shared_between_threads() {
    let noise = laplace(ratio(10, 1));
    let answers: Vec<i64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| noise.invoke(&5).unwrap())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(answers.len(), 4);
}

/// Saturating, wrapping and unbounded arithmetic at the ends of their ranges.
#[test]
fn sums_never_wrap_silently() {
    let mut tape = Tape::seeded(3);
    let noise = laplace(ratio(1000, 1));
    let answers = noise.simulate_vec(&[i64::MAX; 1000], &mut tape).unwrap();
    assert!(answers.iter().all(|answer| *answer > i64::MAX - 100_000));
    assert!(answers.contains(&i64::MAX));
    let big = discrete_laplace(BigIntegers, Scale::new(ratio(1000, 1)).unwrap()).unwrap();
    let limit = Integer::from(i64::MAX);
    assert!((0..1000).any(|_| big.simulate(&limit, &mut tape).unwrap() > limit));
    let vast = Scale::new(Rational::from(Natural::ONE << 60)).unwrap();
    let error = discrete_laplace(IntegerRange::WIDEST, vast.clone()).unwrap_err();
    assert_eq!(error.parameter(), "scale");
    assert!(discrete_laplace(BigIntegers, vast).is_ok());
    assert_eq!(
        discrete_laplace_map(&Scale::from_f64(0.0).unwrap()).loss(&one()).unwrap().to_string(),
        "ε = ∞"
    );
}

/// The accountant's total is at most the sum, and equal to it at δ = 0; for ρ it is the conversion of the sum.
#[test]
fn odometers_ask_the_accountant() {
    use probity_account::Effort;
    let tenth = PrivacyMap::pure(Expression::constant(ratio(1, 8)));
    let odometer = Odometer::new(Measure::MaxDivergence).unwrap();
    let one = Sensitivity::from(1u32);
    for _ in 0..100 {
        odometer.record(&tenth, &one).unwrap();
    }
    let at = |delta: &str| {
        let delta = Delta::new(probity_exact::parse_rational(delta).unwrap()).unwrap();
        odometer.epsilon_at(&delta, &Effort::default()).unwrap().bracket
    };
    assert_eq!(at("0").upper, Some(ratio(25, 2)));
    // pure(1/8) * 100 at δ = 1e-6 by a second way: the accountant's own expression.
    let bracket = at("1e-6");
    assert!(bracket.lower > ratio(5, 1) && bracket.upper.unwrap() < ratio(7, 1));
    assert!(odometer.epsilon_at(&Delta::infinite(), &Effort::default()).is_err());
}

/// The least ε of a profile is that of the analytic map, for little and for much noise.
#[test]
fn the_least_epsilon_of_a_profile_is_found() {
    for (squared, expected) in [(100.0, 0.39685737764408363), (1.0, 4.886), (1e-4, 5474.6)] {
        let map = gaussian_profile_map(&SquaredScale::from_f64(squared).unwrap());
        let Loss::Profile(curve) = map.loss(&one()).unwrap() else { panic!("measure") };
        let target = delta(1e-6);
        let found = curve.epsilon(&target).unwrap();
        assert!((found.to_f64_up() - expected).abs() < 0.01 * expected, "{squared}: {found}");
        assert!(curve.check(&found, &target).unwrap());
        let less = Epsilon::from_f64(found.to_f64_up().next_down()).unwrap();
        assert!(!curve.check(&less, &target).unwrap());
    }
}

/// Where σ is so small that the formula's numbers are astronomical, ρ answers: above the truth, by a hundredth, and not ∞.
#[test]
fn little_continuous_noise_has_a_finite_epsilon() {
    // ε ≈ μ²/2 + μ·z with μ = 300 and Φ(−z) = δ, by 50 digits of another library.
    let truth = 46278.474283239;
    let map = gaussian_for_delta_map(&SquaredScale::new(ratio(1, 90_000)).unwrap(), &delta(1e-5)).unwrap();
    let Loss::Approximate { epsilon, .. } = map.loss(&one()).unwrap() else { panic!("measure") };
    assert!(epsilon.to_f64_up() > truth && epsilon.to_f64_up() < 1.01 * truth, "{epsilon}");
    // No noise still protects nothing.
    let map = gaussian_for_delta_map(&SquaredScale::new(ratio(0, 1)).unwrap(), &delta(1e-5)).unwrap();
    let Loss::Approximate { epsilon, .. } = map.loss(&one()).unwrap() else { panic!("measure") };
    assert_eq!(epsilon.exact(), None);
}
