//! Puts every mutant of some Rust sources behind a switch, so that one build has them all.
//!
//!     instrument OUT LEFT_OUT FILE…
//!
//! rewrites the files in place: where a mutant differs from the source, the source asks `crate::mutated(N)`. OUT gets a line
//! per mutant: number, file, line, function, what is changed. The numbers in the file LEFT_OUT are counted and not put in:
//! those that do not compile. Comments `/*<N*/ … /*N>*/` say what of the new text belongs to a mutant.

mod mutants;
mod values;
mod words;

use std::fs;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let usage = "instrument OUT LEFT_OUT FILE…";
    let (out, left_out) = (arguments.next().expect(usage), arguments.next().expect(usage));
    let left_out = fs::read_to_string(left_out).expect("the numbers that are left out");
    let mut pass =
        mutants::Pass::new(left_out.split_whitespace().map(|n| n.parse().expect("a number")).collect());
    for file in arguments {
        let text = fs::read_to_string(&file).expect("a source");
        fs::write(&file, pass.instrument(&file, &text)).expect("the file can be written");
    }
    fs::write(out, pass.listing()).expect("the list can be written");
}
