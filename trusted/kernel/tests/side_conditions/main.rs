//! A test for every side condition of the kernel.
//!
//! Each test is named by the id of a condition. It has the smallest input that only this condition refuses, with the
//! rejection expected, and the nearest input that is accepted. `switches.txt` says for every id how to switch the
//! condition off; `scripts/switches.py` does so in a copy of the source, one at a time, and sees that the test of that
//! name then fails. `coverage.rs` finds every refusal of the kernel's source in the table.

mod common;
mod coverage;

// What is drawn: laws, couplings, blocks of draws.
#[path = "draws/centers.rs"]
mod centers;
#[path = "draws/densities.rs"]
mod densities;
#[path = "draws/finite_blocks.rs"]
mod finite_blocks;
#[path = "draws/inverses.rs"]
mod inverses;
#[path = "draws/made_noise.rs"]
mod made_noise;
#[path = "draws/outcomes.rs"]
mod outcomes;
#[path = "draws/parts_of_laws.rs"]
mod parts_of_laws;
#[path = "draws/sampling.rs"]
mod sampling;

// What is done with it: statements, loops, parts of programs, programs with the same law.
#[path = "programs/chains.rs"]
mod chains;
#[path = "programs/equivalences.rs"]
mod equivalences;
#[path = "programs/first_rounds.rs"]
mod first_rounds;
#[path = "programs/programs.rs"]
mod programs;
#[path = "programs/redraws.rs"]
mod redraws;
#[path = "programs/rounds.rs"]
mod rounds;
#[path = "programs/splits.rs"]
mod splits;

// What is concluded: evidence, lemmas, theorems.
#[path = "proofs/evidence.rs"]
mod evidence;
#[path = "proofs/final_rule.rs"]
mod final_rule;
#[path = "proofs/foresights.rs"]
mod foresights;
#[path = "proofs/groups.rs"]
mod groups;
#[path = "proofs/lemmas.rs"]
mod lemmas;

// What enters: certificates, names and formulas of any size.
#[path = "texts/certificates_enter.rs"]
mod certificates_enter;
#[path = "texts/wording.rs"]
mod wording;
