//! A child process must not repeat what its parent draws, however it came about: real forks, on systems that have them.
//!
//! The children of these tests take no lock, allocate nothing and end by `_exit`, so it does not matter which other thread of the
//! test runner was doing what when the process split.

#![cfg(unix)]
#![allow(unsafe_code)]

use std::io::{PipeReader, PipeWriter, Read, Write};

use nix::libc;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork, getpid};
use probity_noise::entropy::{Entropy, SecureEntropy, with_secure};

const WORDS: usize = 64;
type Drawn = [u64; 2 * WORDS];

/// A generator of its own beside the thread's, both with most of a refill buffered.
fn warmed_up() -> SecureEntropy {
    let mut owned = SecureEntropy::new().unwrap();
    owned.fill_words(&mut [0; 3]).unwrap();
    with_secure(|entropy| entropy.fill_words(&mut [0; 3])).unwrap();
    owned
}

/// Words from both generators.
fn draw(owned: &mut SecureEntropy) -> Option<Drawn> {
    let mut words = [0u64; 2 * WORDS];
    owned.fill_words(&mut words[..WORDS]).ok()?;
    with_secure(|entropy| entropy.fill_words(&mut words[WORDS..])).ok()?;
    Some(words)
}

/// Draws and sends the words; whether that went well.
fn draw_and_send(owned: &mut SecureEntropy, to: &mut PipeWriter) -> bool {
    let Some(words) = draw(owned) else { return false };
    let bytes: [u8; 16 * WORDS] = std::array::from_fn(|at| words[at / 8].to_le_bytes()[at % 8]);
    to.write_all(&bytes).is_ok()
}

/// All that was sent, once every writer is gone.
fn receive(mut from: PipeReader) -> Vec<u64> {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes).unwrap();
    bytes.chunks(8).map(|b| u64::from_le_bytes(b.try_into().unwrap())).collect()
}

/// Ends a child without running the test runner's own clean-up.
fn end(code: i32) -> ! {
    // SAFETY: `_exit` may be called at any time.
    unsafe { libc::_exit(code) }
}

/// Forks through the C library, and runs `child` in the child, which ends with what it answers.
fn split(child: impl FnOnce() -> i32) -> Pid {
    // SAFETY: see the module's text.
    match unsafe { fork() }.unwrap() {
        ForkResult::Child => end(child()),
        ForkResult::Parent { child } => child,
    }
}

/// Forks by the bare system call, past the C library and its handlers.
#[cfg(target_os = "linux")]
fn split_bare(child: impl FnOnce() -> i32) -> Pid {
    let (none, signal) = (0 as libc::c_long, libc::c_long::from(libc::SIGCHLD));
    // SAFETY: no new stack, no shared memory: this is what fork does, see the module's text.
    match unsafe { libc::syscall(libc::SYS_clone, signal, none, none, none, none) } {
        0 => end(child()),
        process => Pid::from_raw(i32::try_from(process).unwrap()),
    }
}

fn ended_well(child: Pid) {
    assert_eq!(waitpid(child, None).unwrap(), WaitStatus::Exited(child, 0));
}

fn assert_all_differ(words: &[u64], expected: usize) {
    assert_eq!(words.len(), expected);
    let mut sorted = words.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), expected, "a process repeats the words of another");
}

#[test]
fn parent_child_and_grandchild_draw_different_words() {
    let mut owned = warmed_up();
    let (reader, mut writer) = std::io::pipe().unwrap();
    let child = split(|| {
        // The grandchild comes before the child has drawn anything of its own.
        let grandchild = split(|| i32::from(!draw_and_send(&mut owned, &mut writer)));
        let reaped = waitpid(grandchild, None) == Ok(WaitStatus::Exited(grandchild, 0));
        let drawn = draw_and_send(&mut owned, &mut writer);
        // And one that comes afterwards.
        let second = split(|| i32::from(!draw_and_send(&mut owned, &mut writer)));
        let reaped = reaped && waitpid(second, None) == Ok(WaitStatus::Exited(second, 0));
        i32::from(!(drawn && reaped))
    });
    drop(writer);
    let mut words = draw(&mut owned).unwrap().to_vec();
    words.extend(receive(reader));
    ended_well(child);
    assert_all_differ(&words, 4 * 2 * WORDS);
}

#[cfg(target_os = "linux")]
#[test]
fn a_bare_clone_draws_different_words() {
    let mut owned = warmed_up();
    let (reader, mut writer) = std::io::pipe().unwrap();
    let child = split_bare(|| i32::from(!draw_and_send(&mut owned, &mut writer)));
    drop(writer);
    let mut words = draw(&mut owned).unwrap().to_vec();
    words.extend(receive(reader));
    ended_well(child);
    assert_all_differ(&words, 2 * 2 * WORDS);
}

#[test]
fn a_fork_among_threads_draws_different_words() {
    let (reader, writer) = std::io::pipe().unwrap();
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let mut writer = writer.try_clone().unwrap();
            std::thread::spawn(move || {
                // Each thread forks with a generator that only it has used, while the others draw.
                let mut owned = warmed_up();
                let mut words = draw(&mut owned).unwrap().to_vec();
                let child = split(|| i32::from(!draw_and_send(&mut owned, &mut writer)));
                words.extend(draw(&mut owned).unwrap());
                (child, words)
            })
        })
        .collect();
    drop(writer);
    let answers: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    let mut words = receive(reader);
    for (child, of_thread) in answers {
        ended_well(child);
        words.extend(of_thread);
    }
    assert_all_differ(&words, 4 * 3 * 2 * WORDS);
}

#[cfg(target_os = "linux")]
mod namespaces {
    use super::*;
    use nix::sched::{CloneFlags, unshare};

    /// What a child ends with when the system grants it no namespace.
    const NOT_PERMITTED: i32 = 77;

    /// A new namespace of process ids for the children to come: with rights of our own, or with those of a new user.
    fn new_namespace() -> bool {
        unshare(CloneFlags::CLONE_NEWPID).is_ok()
            || unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWPID).is_ok()
    }

    /// Whether the outermost child ended well. Where namespaces are forbidden there is nothing to try, and that is said.
    fn went_well(child: Pid) -> bool {
        match waitpid(child, None).unwrap() {
            WaitStatus::Exited(_, 0) => true,
            WaitStatus::Exited(_, NOT_PERMITTED) => {
                eprintln!("this system permits no namespace of process ids: not tried");
                false
            }
            status => panic!("{status:?}"),
        }
    }

    /// Process 1 of a namespace, and its child, which is process 1 of a nested one.
    #[test]
    fn the_same_id_in_a_nested_namespace_draws_different_words() {
        let mut owned = warmed_up();
        let (reader, mut writer) = std::io::pipe().unwrap();
        let outside = split(|| {
            if !new_namespace() {
                return NOT_PERMITTED;
            }
            let seeder = split(|| {
                // Seeded here, as process 1.
                let seeded = getpid() == Pid::from_raw(1) && draw_and_send(&mut owned, &mut writer);
                if !seeded || !new_namespace() {
                    return 1;
                }
                let nested = split_bare(|| {
                    let same = getpid() == Pid::from_raw(1);
                    i32::from(!(same && draw_and_send(&mut owned, &mut writer)))
                });
                let drawn = draw_and_send(&mut owned, &mut writer);
                i32::from(!(drawn && waitpid(nested, None) == Ok(WaitStatus::Exited(nested, 0))))
            });
            i32::from(waitpid(seeder, None) != Ok(WaitStatus::Exited(seeder, 0)))
        });
        drop(writer);
        let words = receive(reader);
        if went_well(outside) {
            assert_all_differ(&words, 3 * 2 * WORDS);
        }
    }

    /// Forks with a process id of our choice, by `clone3`.
    fn split_as(id: Pid, child: impl FnOnce() -> i32) -> Option<Pid> {
        let ids = [id.as_raw()];
        // SAFETY: all zeros is a value of this struct of integers.
        let mut arguments: libc::clone_args = unsafe { std::mem::zeroed() };
        arguments.exit_signal = libc::SIGCHLD as u64;
        arguments.set_tid = ids.as_ptr() as u64;
        arguments.set_tid_size = 1;
        // SAFETY: the arguments outlive the call; no new stack, no shared memory: this is what fork does.
        match unsafe { libc::syscall(libc::SYS_clone3, &arguments, size_of_val(&arguments)) } {
            0 => end(child()),
            process => i32::try_from(process).ok().filter(|process| *process > 0).map(Pid::from_raw),
        }
    }

    /// A seeder dies, and a descendant of it, which has never drawn, has a child with the dead one's id.
    #[test]
    fn the_id_of_the_dead_seeder_draws_different_words() {
        let mut owned = warmed_up();
        let (reader, mut writer) = std::io::pipe().unwrap();
        let outside = split(|| {
            if !new_namespace() {
                return NOT_PERMITTED;
            }
            let init = split(|| {
                let seeder = split(|| {
                    let seeder = getpid();
                    if !draw_and_send(&mut owned, &mut writer) {
                        return 1;
                    }
                    let _orphan = split(|| {
                        // The id is free once process 1 has reaped the seeder.
                        for _ in 0..10_000 {
                            let heir = split_as(seeder, || {
                                let same = getpid() == seeder;
                                i32::from(!(same && draw_and_send(&mut owned, &mut writer)))
                            });
                            match heir {
                                Some(heir) => {
                                    let ended = waitpid(heir, None);
                                    return i32::from(ended != Ok(WaitStatus::Exited(heir, 0)));
                                }
                                None => std::thread::sleep(std::time::Duration::from_millis(1)),
                            }
                        }
                        NOT_PERMITTED
                    });
                    i32::from(!draw_and_send(&mut owned, &mut writer))
                });
                if waitpid(seeder, None) != Ok(WaitStatus::Exited(seeder, 0)) {
                    return 1;
                }
                // The orphan is now a child of process 1.
                match waitpid(None, None) {
                    Ok(WaitStatus::Exited(_, code)) => code,
                    _ => 1,
                }
            });
            match waitpid(init, None) {
                Ok(WaitStatus::Exited(_, code)) => code,
                _ => 1,
            }
        });
        drop(writer);
        let words = receive(reader);
        if went_well(outside) {
            assert_all_differ(&words, 3 * 2 * WORDS);
        }
    }
}
