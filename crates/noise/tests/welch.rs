//! The statistic of `examples/timing`, on made-up times: it must find a difference, and must not find what is not there. The times of
//! the mechanisms themselves are measured by that example and not here, as no test may depend on the clock.

#[path = "../examples/timing/welch.rs"]
mod welch_statistic;

/// Numbers from 0 to 1.
fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Times around 30 ns with a long tail, class by class, `slower` ns apart.
fn times(seed: u64, count: usize, slower: f64) -> Vec<(f64, bool)> {
    let mut next = numbers(seed);
    (0..count)
        .map(|_| {
            let class = next() < 0.5;
            let body = 30.0 + 4.0 * (next() + next() + next());
            let tail = if next() < 0.003 { 20_000.0 * next() } else { 0.0 };
            (body + tail + if class { slower } else { 0.0 }, class)
        })
        .collect()
}

#[test]
fn equal_classes_are_not_told_apart() {
    for seed in 0..20 {
        let t = welch_statistic::test(&times(seed, 20_000, 0.0)).t;
        assert!(t < welch_statistic::LEAK, "seed {seed}: {t}");
    }
}

#[test]
fn half_a_nanosecond_is_found_among_interrupts() {
    for seed in 0..5 {
        let found = welch_statistic::test(&times(seed, 100_000, 0.5));
        assert!(found.t > 4.0 * welch_statistic::LEAK, "seed {seed}: {}", found.t);
        assert!(found.means[1] > found.means[0]);
    }
}

#[test]
fn a_class_that_never_comes_says_nothing() {
    let one: Vec<(f64, bool)> = times(1, 5000, 3.0).into_iter().map(|(time, _)| (time, true)).collect();
    assert_eq!(welch_statistic::test(&one).t, 0.0);
}
