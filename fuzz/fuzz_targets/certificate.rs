//! No text makes the reader of certificates panic or hang. A certificate of the library with one line replaced is rejected, or
//! proves the same claim of the same mechanism.

#![no_main]

use libfuzzer_sys::fuzz_target;
use probity_prove::certificate::check;

const LIBRARY: [&str; 4] = [
    include_str!("../../certificates/laplace.cert"),
    include_str!("../../certificates/randomized_response.cert"),
    include_str!("../../certificates/sparse_vector.cert"),
    include_str!("../../certificates/snapping.cert"),
];

fuzz_target!(|input: (u8, u16, &str)| {
    let (which, at, text) = input;
    let _ = check(text);
    let whole = LIBRARY[usize::from(which) % LIBRARY.len()];
    let mut lines: Vec<&str> = whole.lines().collect();
    let at = usize::from(at) % lines.len();
    lines[at] = text;
    // The hash pins mechanism and claim, so one line cannot make another theorem.
    if let (Ok(expected), Ok(found)) = (check(whole), check(&lines.join("\n"))) {
        assert_eq!((found.mechanism(), found.claim()), (expected.mechanism(), expected.claim()));
    }
});
