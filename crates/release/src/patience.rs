//! How long a proof is looked for before a query is refused.
//!
//! Proofs of queries take a fraction of a second of computing, and who gets none should know soon. But on a busy machine a second of
//! computing may take a minute, and a query is not to be refused because others compute: then the search gets more time.

use std::fs;
use std::time::{Duration, Instant};

/// How long a search takes at most, if the machine is its own.
pub const PATIENCE: Duration = Duration::from_secs(4);

/// How often a search that the machine had hardly time for is given four times as long.
const MORE: u32 = 2;

/// How long this thread has computed, where the system says so.
fn computed() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// Searches until a deadline, and longer if the thread computed less than half of the time: `late` says whether a failure is due to the
/// deadline.
pub fn search<T, E>(
    mut search: impl FnMut(Instant) -> Result<T, E>,
    late: impl Fn(&E) -> bool,
) -> Result<T, E> {
    let mut wait = PATIENCE;
    for _ in 0..MORE {
        let before = computed();
        let answer = search(Instant::now() + wait);
        let busy = before.zip(computed()).is_some_and(|(before, after)| after - before < wait / 2);
        match &answer {
            Err(failure) if late(failure) && busy => wait *= 4,
            _ => return answer,
        }
    }
    search(Instant::now() + wait)
}

#[cfg(test)]
mod tests {
    use super::*;

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
