//! Holds the floats against an independent oracle: MPFR, through the fixtures in `tests/data` that
//! `scripts/oracle.py` wrote. About 3.1 million cases of binary64 in four directions, the hard cases of ln and
//! exp that we know, every number of binary16, samples of binary32, and tiny formats exhaustively in all five
//! directions. Nothing may be misrounded.

mod binary64;
mod fixtures;
mod inputs;
mod narrow;
