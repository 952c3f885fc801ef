//! Commands about laws of noise: maps, draws, accounts, speeds.

pub mod account;
pub mod bench;
pub mod map;
pub mod named;
pub mod sample;
