//! The mechanism language.

#![forbid(unsafe_code)]

mod diagnostic;
mod format;
mod lexer;
mod parser;
mod render;
mod span;
mod syntax;

pub use diagnostic::{Code, Diagnostic, MAX_REPORTED, Severity};
pub use format::format;
pub use render::render;
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
