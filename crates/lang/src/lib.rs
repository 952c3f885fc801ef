//! The mechanism language: text in, a kernel [`Mechanism`] and [`Claim`] out.
//!
//! Loading collects every fault of a text, each as data: a code, a place, what was expected, a hint. No text
//! makes it panic, hang or run out of stack, and its time is linear in the text. Nothing here is trusted: what a
//! theorem is about is the term, in the kernel's own words.
//!
//! ```
//! let program = probity_lang::load_text(
//!     "mechanism laplace(x: real)
//!      param eps > 0
//!      y ~ laplace(x, 1 / eps)
//!      return y
//!      neighbours abs(x' - x) <= 1
//!      claim eps",
//! )
//! .unwrap();
//! assert_eq!(program.mechanism.name.as_str(), "laplace");
//! assert_eq!(program.claim.to_string(), "epsilon = eps, delta = 0, over the reals");
//! ```

#![forbid(unsafe_code)]

mod constant;
mod diagnostic;
mod elaborate;
mod format;
mod lexer;
mod load;
mod names;
mod parser;
mod program;
mod render;
mod settings;
mod span;
mod syntax;
mod types;

pub use constant::{number, row, truth};
pub use diagnostic::{Code, Diagnostic, MAX_REPORTED, Severity, disturbs, visible};
pub use format::format;
pub use load::{LoadError, load, load_text, load_text_in};
pub use names::nearest;
pub use probity_kernel::term::{Claim, Hints, Mechanism};
pub use program::{Program, SourceHash, Spans};
pub use render::render;
pub use settings::{Setting, SettingError};
pub use span::{LineIndex, Span};

/// Largest source text, in bytes.
pub const MAX_SOURCE: usize = 2 << 20;

/// The fault of a text that is larger than [`MAX_SOURCE`].
fn too_large(source: &str) -> Option<Diagnostic> {
    (source.len() > MAX_SOURCE).then(|| Diagnostic {
        code: Code::FileTooLarge,
        span: Span::default(),
        message: format!("the text has {} bytes: expected at most {MAX_SOURCE}", source.len()),
        hint: None,
    })
}
