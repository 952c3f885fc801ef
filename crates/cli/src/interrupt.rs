//! Ctrl-C: the first one asks the work to stop, so that what is known so far is printed; the second one ends the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The exit code of a process that was interrupted, as shells have it.
const INTERRUPTED: i32 = 130;

/// A switch that the first Ctrl-C turns on. Commands that do not ask for it are ended by Ctrl-C at once.
pub fn switch() -> Arc<AtomicBool> {
    static SWITCH: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    SWITCH
        .get_or_init(|| {
            let switch = Arc::new(AtomicBool::new(false));
            let asked = switch.clone();
            // Where no handler can be set, Ctrl-C ends the process as ever.
            let _ = ctrlc::set_handler(move || {
                if asked.swap(true, Ordering::Relaxed) {
                    std::process::exit(INTERRUPTED);
                }
            });
            switch
        })
        .clone()
}

/// Whether there was a Ctrl-C.
pub fn is_on() -> bool {
    switch().load(Ordering::Relaxed)
}
