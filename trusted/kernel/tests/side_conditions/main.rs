//! A test for every side condition of the kernel.
//!
//! Each test is named by the id of a condition. It has the smallest input that only this condition refuses, with the
//! rejection expected, and the nearest input that is accepted. `switches.txt` says for every id how to switch the
//! condition off; `scripts/switches.py` does so in a copy of the source, one at a time, and sees that the test of that
//! name then fails. `coverage.rs` finds every refusal of the kernel's source in the table.

mod common;

mod centers;
mod certificates_enter;
mod chains;
mod coverage;
mod densities;
mod equivalences;
mod evidence;
mod final_rule;
mod finite_blocks;
mod foresights;
mod lemmas;
mod made_noise;
mod outcomes;
mod parts_of_laws;
mod programs;
mod redraws;
mod rounds;
mod sampling;
mod splits;
mod wording;
