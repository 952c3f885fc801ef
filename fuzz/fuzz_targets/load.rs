//! Guided by coverage: see `probity_fuzz::load`.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    probity_fuzz::load(text);
});
