//! How long a proof is looked for before a query is refused.
//!
//! Proofs of queries take a fraction of a second of computing, and who gets none should know soon. But on a busy machine a second of
//! computing may take a minute, and a query is not to be refused because others compute: then the search gets more time.

use std::fs;
use std::time::{Duration, Instant};

/// How long a search takes at most, if the machine is its own.
pub const PATIENCE: Duration = Duration::from_secs(4);

/// How often a search that the machine had hardly time for is given more of it.
const MORE: u32 = 2;

/// How long this thread has computed, where the system says so.
fn computed() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// How long to wait for a search that has waited so long and computed so much of it: until it would have computed as much as it may on a
/// machine of its own, or four times as long. `None` if it has computed for half of that already: it had its time.
fn more(wait: Duration, computed: Duration) -> Option<Duration> {
    if computed >= PATIENCE / 2 {
        return None;
    }
    let share = computed.as_secs_f64() / wait.as_secs_f64();
    Some(PATIENCE.div_f64(share.max(1e-3)).min(wait * 4))
}

/// Searches until a deadline, and longer if the thread computed less than half of what it may: `late` says whether a failure is due to the
/// deadline.
pub fn search<T, E>(
    mut search: impl FnMut(Instant) -> Result<T, E>,
    late: impl Fn(&E) -> bool,
) -> Result<T, E> {
    let mut wait = PATIENCE;
    for _ in 0..MORE {
        let before = computed();
        let answer = search(Instant::now() + wait);
        let taken = before.zip(computed()).map(|(before, after)| after.saturating_sub(before));
        match (&answer, taken.and_then(|taken| more(wait, taken))) {
            (Err(failure), Some(longer)) if late(failure) => wait = longer,
            _ => return answer,
        }
    }
    search(Instant::now() + wait)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever share of a processor a search has, it computes for about as long as on a machine of its own, and not for many times that.
    #[test]
    fn a_busy_machine_does_not_compute_for_longer() {
        let seconds = Duration::from_secs_f64;
        assert_eq!(more(PATIENCE, seconds(2.0)), None);
        assert_eq!(more(PATIENCE, seconds(1.0)), Some(seconds(16.0)));
        assert_eq!(more(PATIENCE, Duration::ZERO), Some(seconds(16.0)));
        assert!(
            more(PATIENCE, seconds(1.6)).is_some_and(|wait| wait.abs_diff(seconds(10.0)) < seconds(0.001))
        );
        for share in 1..100 {
            let share = f64::from(share) / 100.0;
            let (mut wait, mut all) = (PATIENCE, wait_of(PATIENCE, share));
            for _ in 0..MORE {
                let Some(longer) = more(wait, wait_of(wait, share)) else { break };
                wait = longer;
                all += wait_of(wait, share);
            }
            assert!(all <= PATIENCE * 2, "{share}: {all:?}");
        }
    }

    fn wait_of(wait: Duration, share: f64) -> Duration {
        wait.mul_f64(share)
    }

    #[test]
    fn who_was_kept_waiting_gets_more_time_and_who_computed_does_not() {
        let mut deadlines = Vec::new();
        let answer = search(
            |deadline| {
                deadlines.push(deadline - Instant::now());
                Err::<(), &str>("late")
            },
            |failure| *failure == "late",
        );
        assert_eq!(answer, Err("late"));
        // The search above computes nothing, so it is taken for one that was kept waiting, where that can be known.
        assert_eq!(deadlines.len(), if computed().is_some() { 3 } else { 1 });
        assert!(deadlines.iter().all(|wait| *wait <= PATIENCE * 16));
        // Another failure, or an answer, is final.
        for given in [Err("wrong"), Ok(7)] {
            let mut asked = 0;
            let answer = search(
                |_| {
                    asked += 1;
                    given
                },
                |failure| *failure == "late",
            );
            assert_eq!((answer, asked), (given, 1));
        }
    }
}
