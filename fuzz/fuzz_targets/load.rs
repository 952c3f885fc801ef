//! No text makes the language panic, and formatting twice is formatting once and keeps the meaning.

#![no_main]

use libfuzzer_sys::fuzz_target;
use probity_lang::{format, load_text, render};

fuzz_target!(|text: &str| {
    let loaded = load_text(text);
    if let Err(faults) = &loaded {
        let _ = render(faults, "fuzz.dp", text);
    }
    let Ok(formatted) = format(text) else { return };
    assert_eq!(format(&formatted).as_ref(), Ok(&formatted));
    if let Ok(program) = loaded {
        let again = load_text(&formatted).expect("a formatted program loads");
        assert_eq!((program.mechanism, program.claim, program.hints), (again.mechanism, again.claim, again.hints));
    }
});
