//! A word on standard error about a step that takes longer than a second.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Does the work; after a second, says what is being done.
pub fn watched<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let (done, waiting) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if waiting.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                eprintln!("probity: {what} …");
            }
        });
        let result = work();
        // Hanging up ends the wait at once.
        drop(done);
        result
    })
}
