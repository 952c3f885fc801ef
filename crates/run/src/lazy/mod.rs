//! Lazy reals: numbers that are known as well as they need to be.
//!
//! `interval` and `tape` are the first stage, in doubles; `refine`, `normal` and `meeting` the exact one; `decide` asks the first and
//! then the second; `laws` draws. Nothing here knows of programs.

pub(crate) mod decide;
mod difference;
pub(crate) mod interval;
pub(crate) mod laws;
mod meeting;
pub(crate) mod normal;
pub(crate) mod refine;
mod settle;
pub(crate) mod source;
pub(crate) mod tape;
