//! A loaded program: the terms, where each statement stands, and the hash of the text they came from.
//!
//! ```
//! let text = "mechanism coin(b: bool)\nparam p > 0\nwhere p < 1\ny ~ bernoulli(p)\n\
//!             return y\nneighbours any\nclaim 0";
//! let program = probity_lang::load_text(text).unwrap();
//! assert_eq!(program.spans.statements[0].text(text), "y ~ bernoulli(p)");
//! assert_eq!(program.warnings.len(), 1); // nothing uses `b`
//! ```

use std::fmt;

use probity_kernel::expr::Name;
use probity_kernel::term::{Claim, Hints, Mechanism};
use sha2::{Digest, Sha256};

use crate::Span;
use crate::diagnostic::Diagnostic;

/// A mechanism as its text says it, and what is claimed of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// The mechanism, with its parameters, assumptions and adjacency.
    pub mechanism: Mechanism,
    /// The claim.
    pub claim: Claim,
    /// The inputs that are lists of truth values; for the kernel they are lists of the integers 0 and 1.
    pub truth_lists: Vec<Name>,
    /// What the `proof` block says, when there is one.
    pub hints: Option<Hints>,
    /// Whether the text says `expect refuted`: the claim is false, and a test of Probity.
    pub expect_refuted: bool,
    /// Where things stand in the text.
    pub spans: Spans,
    /// The hash of the text.
    pub source_hash: SourceHash,
    /// What is probably not meant.
    pub warnings: Vec<Diagnostic>,
}

/// Where the parts of a program stand in its text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spans {
    /// The name of the mechanism.
    pub name: Span,
    /// The inputs, in order.
    pub inputs: Vec<Span>,
    /// The parameters, in order.
    pub params: Vec<Span>,
    /// Every statement of the body, in the order in which the kernel prints them: a block after its head. The
    /// definitions come first, since the body begins with them.
    pub statements: Vec<Span>,
    /// The clauses of the adjacency.
    pub neighbours: Vec<Span>,
    /// The claim.
    pub claim: Span,
}

/// The SHA-256 of a source text, by which certificates name the file that they are about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceHash(pub [u8; 32]);

impl SourceHash {
    /// The hash of `text`.
    ///
    /// ```
    /// let hash = probity_lang::SourceHash::of("abc").to_string();
    /// assert_eq!(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    /// ```
    pub fn of(text: &str) -> SourceHash {
        SourceHash(Sha256::digest(text.as_bytes()).into())
    }
}

impl fmt::Display for SourceHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for SourceHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SourceHash({self})")
    }
}
