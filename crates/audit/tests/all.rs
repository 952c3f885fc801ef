//! The test files of this crate as one program, since each program is linked with all libraries anew.
//! One file alone: `cargo test -p probity-audit --test all worst_rho::`.

mod corners;
mod discrete;
mod formats;
mod integration;
mod irrational;
mod irrational_scales;
mod measures;
mod oracle;
mod permute_and_flip;
mod sample;
mod snapping;
mod strangers;
mod suite;
mod worst_rho;
