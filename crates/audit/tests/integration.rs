//! Exact probabilities over the reals, held against a simulation written out here and against closed forms.

use std::path::Path;

use probity_audit::{
    Condition, Depth, Event, Given, Inputs, Outcome, PairReport, Parameters, event_probability, output_law,
};
use probity_exact::{Rational, directed::ln_nearest, rational};
use probity_kernel::term::Reading;
use probity_lang::Program;

fn program(name: &str) -> Program {
    probity_lang::load(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../mechanisms").join(name)).unwrap()
}

fn r(n: i64, d: i64) -> Rational {
    rational(n, d).unwrap()
}

fn parameters(values: &[(&str, Rational)]) -> Parameters {
    values.iter().map(|(name, value)| ((*name).into(), value.clone())).collect()
}

fn list(items: &[Rational]) -> Inputs {
    [("q".into(), Given::List(items.to_vec()))].into()
}

/// Draws for simulations: SplitMix64 and the textbook inversions, which are good enough to four digits.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / 2f64.powi(53) + 2f64.powi(-54)
    }

    fn exponential(&mut self, scale: f64) -> f64 {
        -scale * ln_nearest(self.uniform())
    }

    fn laplace(&mut self, scale: f64) -> f64 {
        let size = self.exponential(scale);
        if self.uniform() < 0.5 { size } else { -size }
    }
}

const RUNS: u32 = 200_000;

/// Whether the exact probability lies within five standard errors of the simulated share.
fn agrees(exact: f64, hits: u32) -> bool {
    let share = f64::from(hits) / f64::from(RUNS);
    let error = (exact * (1.0 - exact) / f64::from(RUNS)).sqrt();
    (share - exact).abs() < 5.0 * error
}

fn exact(name: &str, parameters: &Parameters, inputs: &Inputs, event: &Event) -> f64 {
    let program = program(name);
    let bounds =
        event_probability(&program.mechanism, parameters, inputs, event, Depth::default()).unwrap().unwrap();
    assert!(&bounds.high - &bounds.low < r(1, 1 << 40), "{name}");
    bounds.to_f64()
}

#[test]
fn sparse_vector_as_simulated() {
    let queries = [0.5, -1.0, 1.25, 0.0];
    let inputs = list(&[r(1, 2), r(-1, 1), r(5, 4), r(0, 1)]);
    let parameters = parameters(&[("eps", r(2, 1)), ("N", r(2, 1)), ("T", r(1, 4))]);
    let patterns = [[false, true, false, true], [true, false, false, false], [false, false, true, true]];
    let mut noise = Noise(1);
    let mut hits = [0; 3];
    for _ in 0..RUNS {
        let threshold = 0.25 + noise.laplace(1.0);
        let (mut out, mut count) = (Vec::new(), 0);
        for q in queries {
            if count < 2 {
                let above = q + noise.laplace(4.0) >= threshold;
                count += u32::from(above);
                out.push(above);
            }
        }
        patterns.iter().enumerate().for_each(|(i, pattern)| hits[i] += u32::from(out == pattern));
    }
    for (pattern, hits) in patterns.iter().zip(hits) {
        let event = Event::List(pattern.map(|b| Condition::Is(Outcome::Bool(b))).to_vec());
        let exact = exact("sparse_vector.dp", &parameters, &inputs, &event);
        assert!(agrees(exact, hits), "{pattern:?}: {exact} and {hits} of {RUNS}");
        // The check can fail: twice the probability is far away.
        assert!(!agrees(2.0 * exact, hits));
    }
}

#[test]
fn noisy_max_as_simulated() {
    let queries = [0.0, 1.0, -0.5];
    let inputs = list(&[r(0, 1), r(1, 1), r(-1, 2)]);
    let parameters = parameters(&[("eps", r(1, 1))]);
    for (name, laplace) in [("noisy_max_laplace.dp", true), ("noisy_max_exponential.dp", false)] {
        let mut noise = Noise(2);
        let mut hits = [0; 3];
        for _ in 0..RUNS {
            let noisy =
                queries.map(|q| q + if laplace { noise.laplace(2.0) } else { noise.exponential(2.0) });
            let best = (0..3).max_by(|&i, &j| noisy[i].total_cmp(&noisy[j])).unwrap();
            hits[best] += 1;
        }
        let mut total = 0.0;
        for (index, hits) in hits.into_iter().enumerate() {
            let event = Event::Value(Condition::Is(Outcome::Number(Rational::from(index))));
            let exact = exact(name, &parameters, &inputs, &event);
            total += exact;
            assert!(agrees(exact, hits), "{name} {index}: {exact} and {hits} of {RUNS}");
        }
        assert!((total - 1.0).abs() < 1e-12, "{name}: {total}");
    }
}

/// A gap is a window between two draws, and a released sum a window of their sum.
#[test]
fn windows_as_simulated() {
    let inputs = list(&[r(0, 1), r(1, 1)]);
    let parameters = parameters(&[("eps", r(1, 1)), ("N", r(1, 1)), ("T", r(0, 1))]);
    let gap = Event::List(vec![Condition::Is(Outcome::Number(r(0, 1))), Condition::AtMost(r(2, 1))]);
    let sums = Event::List(vec![Condition::AtMost(r(1, 2)), Condition::AtLeast(r(1, 1))]);
    let mut noise = Noise(3);
    let (mut gap_hits, mut sum_hits) = (0, 0);
    for _ in 0..RUNS {
        let threshold = noise.laplace(2.0);
        let (first, second) = (noise.laplace(4.0), 1.0 + noise.laplace(4.0));
        let hit = first < threshold && second >= threshold && second - threshold <= 2.0;
        // The whole list [0, gap], or a gap below the threshold, which is 0 again.
        gap_hits += u32::from(hit || (first < threshold && second < threshold));
        let (a, b) = (noise.laplace(1.0), 1.0 + noise.laplace(1.0));
        sum_hits += u32::from(a <= 0.5 && a + b >= 1.0);
    }
    let found = exact("gap_sparse_vector.dp", &parameters, &inputs, &gap);
    assert!(agrees(found, gap_hits), "{found} and {gap_hits} of {RUNS}");
    let found = exact("prefix_sum.dp", &self::parameters(&[("eps", r(1, 1))]), &inputs, &sums);
    assert!(agrees(found, sum_hits), "{found} and {sum_hits} of {RUNS}");
}

/// Snapping over the reals: P(0 | x = 0) is P(|w| < 1/2) = 1 − e^(−1/2), and the clamp holds the whole tail.
#[test]
fn snapping_over_the_reals() {
    let parameters = parameters(&[("eps", r(1, 1)), ("B", r(3, 1))]);
    let inputs: Inputs = [("x".into(), Given::Number(r(0, 1)))].into();
    let at = |k: i64| {
        let event = Event::Value(Condition::Is(Outcome::Number(Rational::from(k))));
        exact("snapping.dp", &parameters, &inputs, &event)
    };
    let e = |x: f64| probity_exact::directed::exp_nearest(x);
    assert!((at(0) - (1.0 - e(-0.5))).abs() < 1e-15);
    assert!((at(2) - (e(-1.5) - e(-2.5)) / 2.0).abs() < 1e-15);
    assert!((at(-3) - e(-2.5) / 2.0).abs() < 1e-15);
    let total: f64 = (-3..=3).map(at).sum();
    assert!((total - 1.0).abs() < 1e-14);
}

/// The whole law of snapping over the reals: 21 outcomes, and neighbours lose exactly ε.
#[test]
fn the_law_of_snapping_over_the_reals() {
    let program = program("snapping.dp");
    let parameters = parameters(&[("eps", r(1, 1)), ("B", r(10, 1))]);
    let law = |n: i64| {
        let inputs: Inputs = [("x".into(), Given::Number(r(n, 4)))].into();
        output_law(&program.mechanism, &parameters, &inputs, Reading::Reals).unwrap()
    };
    let (first, second) = (law(1), law(5));
    assert!(first.outcomes() == 21 && first.sums_to_one() && second.sums_to_one());
    let report = PairReport::new(&first, &second);
    let loss = report.worst.unwrap().loss;
    assert!(loss.low <= Rational::ONE && loss.high >= Rational::ONE);
    assert!(loss.high - loss.low < r(1, 1 << 60));
}

/// What integration does not cover is refused by name, never guessed.
#[test]
fn what_is_not_covered_is_said() {
    let probability = |body: &str| {
        let source = format!("mechanism m(x: real)\n{body}\nneighbours abs(x' - x) <= 1\nclaim 1\n");
        let program = probity_lang::load_text(&source).unwrap();
        let inputs: Inputs = [("x".into(), Given::Number(r(0, 1)))].into();
        let event = Event::Value(Condition::AtMost(r(1, 1)));
        event_probability(&program.mechanism, &Parameters::new(), &inputs, &event, Depth::default())
    };
    let refused = [
        "a ~ laplace(x, 1)\nb ~ laplace(x, 1)\nreturn a * b",
        "a ~ laplace(x, 1)\nreturn exp(a)",
        "u ~ uniform(0, 1)\nreturn u - ln(u)",
        "a ~ laplace(x, 1)\nreturn a + ln(2)",
        "a ~ gaussian(x, 1)\nb ~ gaussian(x, 1)\nc ~ gaussian(x, 1)\nreturn min(a + b, min(b + c, a + c))",
    ];
    for body in refused {
        let error = probability(body).unwrap_err();
        assert!(error.to_string().starts_with("not covered: "), "{body}: {error}");
    }
    let covered = [
        "a ~ laplace(x, 1)\nb ~ laplace(x, 2)\nreturn a + 3 * b",
        "y ~ gaussian(x, 1)\nreturn y",
        "a ~ laplace(x, 1)\nb ~ laplace(x, 1)\nc ~ laplace(x, 1)\nreturn a + b + c",
        "a ~ laplace(x, 1)\nb ~ gaussian(x, 1)\nreturn max(a, b)",
        "u ~ uniform(0, 1)\nreturn x + 2 * u",
    ];
    for body in covered {
        assert!(probability(body).is_ok_and(|found| found.is_some()), "{body}");
    }
}
