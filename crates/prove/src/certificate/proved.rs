//! What a certificate proves: a theorem of the kernel, over the reals or in floats.

use std::collections::BTreeSet;
use std::fmt;

use probity_kernel::float::FloatTheorem;
use probity_kernel::privacy::Theorem;
use probity_kernel::term::{Claim, Mechanism};

/// A theorem that the kernel made in replaying a certificate.
#[derive(Clone, Debug)]
pub enum Proved {
    /// Over the reals, by a derivation.
    OverReals(Box<Theorem>),
    /// In a floating-point format, by the threshold theorem.
    InFloats(Box<FloatTheorem>),
}

impl Proved {
    /// What was proved private.
    pub fn mechanism(&self) -> &Mechanism {
        match self {
            Proved::OverReals(theorem) => theorem.mechanism(),
            Proved::InFloats(theorem) => theorem.mechanism(),
        }
    }

    /// What was proved of it.
    pub fn claim(&self) -> &Claim {
        match self {
            Proved::OverReals(theorem) => theorem.claim(),
            Proved::InFloats(theorem) => theorem.claim(),
        }
    }

    /// What the proof rests on.
    pub fn axioms(&self) -> BTreeSet<&'static str> {
        match self {
            Proved::OverReals(theorem) => theorem.axioms().clone(),
            Proved::InFloats(_) => BTreeSet::from([FloatTheorem::AXIOM]),
        }
    }
}

impl fmt::Display for Proved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Proved::OverReals(theorem) => theorem.fmt(f),
            Proved::InFloats(theorem) => theorem.fmt(f),
        }
    }
}
