//! Guided by coverage: a text alone, and in place of a line of a certificate of the library. See `probity_fuzz::certificate`.

#![no_main]

use probity_fuzz::{CERTIFICATES, certificate, certificate_of};

libfuzzer_sys::fuzz_target!(|input: (u8, u16, &str)| {
    let (which, at, text) = input;
    certificate(text);
    let which = usize::from(which) % CERTIFICATES.len();
    let mut lines: Vec<&str> = CERTIFICATES[which].lines().collect();
    let at = usize::from(at) % lines.len();
    lines[at] = text;
    certificate_of(which, &lines.join("\n"));
});
