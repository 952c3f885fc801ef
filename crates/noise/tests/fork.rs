//! A child process must not repeat what its parent draws: a real fork, on systems that have one.

#![cfg(unix)]
#![allow(unsafe_code)]

use std::io::{Read, Write};

use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, fork};
use probity_noise::entropy::{Entropy, SecureEntropy, with_secure};

const WORDS: usize = 64;

#[test]
fn parent_and_child_draw_different_words() {
    let mut owned = SecureEntropy::new().unwrap();
    // Both generators have most of a refill buffered when the process splits.
    owned.fill_words(&mut [0; 3]).unwrap();
    with_secure(|entropy| entropy.fill_words(&mut [0; 3])).unwrap();
    let (mut reader, mut writer) = std::io::pipe().unwrap();

    // SAFETY: the child draws words, writes them to a pipe and ends; it takes no lock that another thread of
    // the test runner could hold.
    match unsafe { fork() }.unwrap() {
        ForkResult::Child => {
            let mut words = [0u64; 2 * WORDS];
            let drawn = owned.fill_words(&mut words[..WORDS]).is_ok()
                && with_secure(|entropy| entropy.fill_words(&mut words[WORDS..])).is_ok();
            let bytes: [u8; 16 * WORDS] = std::array::from_fn(|at| words[at / 8].to_le_bytes()[at % 8]);
            let written = drawn && writer.write_all(&bytes).is_ok();
            // SAFETY: ends the child without running the test runner's own clean-up.
            unsafe { nix::libc::_exit(i32::from(!written)) }
        }
        ForkResult::Parent { child } => {
            drop(writer);
            let mut words = vec![0u64; 2 * WORDS];
            owned.fill_words(&mut words[..WORDS]).unwrap();
            with_secure(|entropy| entropy.fill_words(&mut words[WORDS..])).unwrap();
            let mut bytes = Vec::new();
            reader.read_to_end(&mut bytes).unwrap();
            assert_eq!(waitpid(child, None).unwrap(), WaitStatus::Exited(child, 0));
            let of_child: Vec<u64> =
                bytes.chunks(8).map(|b| u64::from_le_bytes(b.try_into().unwrap())).collect();
            assert_eq!(of_child.len(), 2 * WORDS);
            assert!(
                of_child.iter().all(|word| !words.contains(word)),
                "the child repeats its parent's words"
            );
        }
    }
}
