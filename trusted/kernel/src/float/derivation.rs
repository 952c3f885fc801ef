//! Checks derivations of rounding errors.
