//! A falsifier of the kernel's rules.
//!
//! Random small mechanisms, assertions, couplings and evidence, well typed and not, go through every rule. Whatever the
//! kernel accepts is held against its meaning: the exact laws of both runs, and an exact linear program that says
//! whether a coupling of them exists. Nothing here is shared with the kernel but the terms and the ranges of laws.
//! `noticed.txt` says which of the kernel's conditions, switched off one at a time, this notices
//! (`scripts/switches.py --falsifier`).

mod calls;
mod conversions;
mod derive;
mod evidence;
mod judge;
mod judgements;
mod kinds;
mod law;
mod made_noise;
mod norms;
mod number;
mod program;
mod redraws;
mod sample;
mod samples;
mod theorems;
mod value;
mod write;
