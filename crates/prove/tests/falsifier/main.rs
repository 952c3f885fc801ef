//! A falsifier of the kernel's rules.
//!
//! Random small mechanisms, assertions, couplings and evidence, well typed and not, go through every rule. Whatever the
//! kernel accepts is held against its meaning: the exact laws of both runs, and an exact linear program that says
//! whether a coupling of them exists. Nothing here is shared with the kernel but the terms and the ranges of laws.
//! `noticed.txt` says which of the kernel's conditions, switched off one at a time, this notices
//! (`scripts/switches.py --falsifier`).

// What texts and formulas mean: numbers, laws, pairs of states, and whether a judgement is true of them.
#[path = "meaning/judge.rs"]
mod judge;
#[path = "meaning/kinds.rs"]
mod kinds;
#[path = "meaning/law.rs"]
mod law;
#[path = "meaning/number.rs"]
mod number;
#[path = "meaning/program.rs"]
mod program;
#[path = "meaning/sample.rs"]
mod sample;
#[path = "meaning/value.rs"]
mod value;

// Random texts, formulas and derivations.
#[path = "writing/derive.rs"]
mod derive;
#[path = "writing/write.rs"]
mod write;

// Rules that make judgements, and evidence.
#[path = "judged/densities.rs"]
mod densities;
#[path = "judged/evidence.rs"]
mod evidence;
#[path = "judged/judgements.rs"]
mod judgements;
#[path = "judged/norms.rs"]
mod norms;
#[path = "judged/redraws.rs"]
mod redraws;
#[path = "judged/tails.rs"]
mod tails;

// Rules that make theorems, and programs with the same law.
#[path = "sealed/calls.rs"]
mod calls;
#[path = "sealed/conversions.rs"]
mod conversions;
#[path = "sealed/foresights.rs"]
mod foresights;
#[path = "sealed/groups.rs"]
mod groups;
#[path = "sealed/made_noise.rs"]
mod made_noise;
#[path = "sealed/samples.rs"]
mod samples;
#[path = "sealed/theorems.rs"]
mod theorems;
