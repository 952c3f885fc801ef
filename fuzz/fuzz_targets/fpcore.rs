//! No text makes the FPCore reader or the analysis panic or hang, and no bound is below an error that occurs.

#![no_main]

use libfuzzer_sys::fuzz_target;
use probity_float::fpcore;
use probity_float::roundoff::{Options, analyse};

fuzz_target!(|text: &str| {
    let Ok(file) = fpcore::read(text) else { return };
    for core in file.iter().filter_map(|benchmark| benchmark.content.as_ref().ok()) {
        // Long programs take long without telling more.
        if core.program.nodes().len() > 200 {
            continue;
        }
        let found = analyse(core, &Options { samples: 20, effort: 200, ..Options::default() });
        if let (Ok(bound), Some(error)) = (found.absolute, found.sampled) {
            assert!(error <= bound, "{error:e} occurs, bound {bound:e}");
        }
    }
});
