//! Whether this is still the process that a generator was seeded in.
//!
//! One word, the *epoch*, answers. It is zero in a process that has just been forked, and never twice the same otherwise: whoever finds
//! zero replaces it by the next number of a counter, and the counter is ordinary memory, so a child goes on counting from where its
//! parent was. A generator remembers the epoch that it was seeded in, and one load tells it whether to seed again.
//!
//! Who makes the epoch zero:
//! - the kernel, where it can: the word lies on a page of its own that Linux hands to every child filled with zeros
//!   (`MADV_WIPEONFORK`), however the child came about: `fork`, a bare `clone`, in whatever namespaces;
//! - `pthread_atfork`, for every fork that goes through the C library;
//! - [`forget`], when the program knows that it was resumed from a snapshot.
//!
//! Where the kernel cannot, the process id is looked at too. It costs a system call and is a weaker sign: a child in a nested
//! namespace of process ids, and a late descendant, can have the id of the seeder.
//!
//! A child that shares its memory with its parent (`vfork`, threads) shares the generators as well, so it repeats nothing. What none of
//! this sees is the fork by a signal handler that interrupts a draw: parent and child both finish that draw.
//!
//! # Safety
//! This is the only file of the crate with `unsafe` code. Its contract, which the code below must keep:
//! 1. the page comes from `mmap`, private and anonymous, is checked against `MAP_FAILED`, is readable and writable, at least as large and
//!    as aligned as an `AtomicU64` (it is a page), and is never unmapped: so a `&'static AtomicU64` to its beginning is valid for ever.
//!    Its bytes are zeros at first and after each wipe, which is a value of `AtomicU64`;
//! 2. nothing but that reference ever touches the page, and every access is atomic;
//! 3. the handler given to `pthread_atfork` is `extern "C"`, does not unwind, and stores to one atomic word: this is allowed after
//!    the fork of a process with several threads. It is never unregistered, and neither is the code unloaded that it lies in.

#![allow(unsafe_code)]

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// When a generator was seeded. Two that are equal in one process mean that no fork came between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Era {
    epoch: u64,
    /// The process id where the epoch alone does not tell, else 0.
    process: u32,
}

impl Era {
    /// No process is ever in this one.
    pub(super) const NEVER: Era = Era { epoch: 0, process: 0 };

    #[cfg(test)]
    pub(super) fn scripted(epoch: u64) -> Era {
        Era { epoch, process: 0 }
    }
}

/// The epochs given out so far, in this process and its ancestors.
static COUNTER: AtomicU64 = AtomicU64::new(0);

/// Where the epoch lies.
struct Place {
    epoch: &'static AtomicU64,
    /// Whether the kernel makes it zero in every child.
    wiped: bool,
}

/// The era of this process, now.
#[inline]
pub(super) fn era() -> Era {
    let place = place();
    let epoch = match place.epoch.load(Ordering::Relaxed) {
        0 => begin(place.epoch),
        epoch => epoch,
    };
    Era { epoch, process: if place.wiped { 0 } else { std::process::id() } }
}

/// Begins a new era: every generator of this process is seeded again before its next word.
///
/// Call it when the process was resumed from a snapshot (of a virtual machine, or of the process), which nothing in the process can see.
pub fn forget() {
    place().epoch.store(0, Ordering::Relaxed);
}

/// Several threads may find the zero; they agree on the first one's number.
#[cold]
fn begin(epoch: &AtomicU64) -> u64 {
    // 2^64 forks do not happen, so no number comes twice.
    let next = COUNTER.fetch_add(1, Ordering::Relaxed) + 1;
    match epoch.compare_exchange(0, next, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => next,
        Err(first) => first,
    }
}

#[inline]
fn place() -> &'static Place {
    static PLACE: OnceLock<Place> = OnceLock::new();
    PLACE.get_or_init(|| {
        let place = match wiped_page() {
            Some(epoch) => Place { epoch, wiped: true },
            None => {
                static ORDINARY: AtomicU64 = AtomicU64::new(0);
                Place { epoch: &ORDINARY, wiped: false }
            }
        };
        zero_after_fork(place.epoch);
        place
    })
}

/// A word that the kernel sets to zero in every child; `None` where it cannot.
#[cfg(target_os = "linux")]
fn wiped_page() -> Option<&'static AtomicU64> {
    let length = usize::try_from(
        // SAFETY: asks for a number.
        unsafe { libc::sysconf(libc::_SC_PAGESIZE) },
    )
    .ok()
    .filter(|length| *length >= size_of::<AtomicU64>())?;
    // SAFETY: a new mapping, at a place that the kernel chooses, overlaps nothing that Rust knows of.
    let page = unsafe {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        libc::mmap(std::ptr::null_mut(), length, access, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)
    };
    if page == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: advice about the mapping just made, which nothing refers to yet.
    let advise = |advice| unsafe { libc::madvise(page, length, advice) } == 0;
    // Some emulators answer "done" to any advice and do nothing: whoever takes nonsense is not believed.
    const NONSENSE: libc::c_int = -1;
    if advise(NONSENSE) || !advise(libc::MADV_WIPEONFORK) {
        // SAFETY: the mapping just made; nothing refers to it.
        unsafe { libc::munmap(page, length) };
        return None;
    }
    // SAFETY: point 1 of the contract.
    Some(unsafe { &*page.cast::<AtomicU64>() })
}

#[cfg(not(target_os = "linux"))]
fn wiped_page() -> Option<&'static AtomicU64> {
    None
}

/// Has the C library's fork set the word to zero in the child.
#[cfg(unix)]
fn zero_after_fork(epoch: &'static AtomicU64) {
    static EPOCH: OnceLock<&'static AtomicU64> = OnceLock::new();
    extern "C" fn in_the_child() {
        if let Some(epoch) = EPOCH.get() {
            epoch.store(0, Ordering::Relaxed);
        }
    }
    let _ = EPOCH.set(epoch);
    // SAFETY: point 3 of the contract. A failure (no memory) leaves the page or the process id.
    unsafe { libc::pthread_atfork(None, None, Some(in_the_child)) };
}

#[cfg(not(unix))]
fn zero_after_fork(_: &'static AtomicU64) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_never_comes_twice() {
        let word = AtomicU64::new(0);
        let first = begin(&word);
        assert_eq!(begin(&word), first, "whoever comes second agrees with the first");
        word.store(0, Ordering::Relaxed);
        assert!(begin(&word) > first);
    }

    #[test]
    fn a_process_is_never_in_the_era_of_no_process() {
        let now = era();
        assert_ne!(now, Era::NEVER);
        assert_ne!(Era { epoch: now.epoch + 1, ..now }, now);
        assert_ne!(Era { process: now.process + 1, ..now }, now);
    }

    #[test]
    fn a_resumed_program_can_begin_anew() {
        let before = era();
        forget();
        assert_ne!(era(), before);
    }

    /// Linux has had this since 4.14; here the process id must not be what tells.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_kernel_wipes_the_page() {
        assert!(place().wiped);
    }
}
