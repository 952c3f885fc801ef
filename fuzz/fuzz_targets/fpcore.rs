//! Guided by coverage: see `probity_fuzz::fpcore`.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    probity_fuzz::fpcore(text);
});
