//! Exact laws
