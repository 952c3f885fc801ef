//! A report as data, and the one HTML page that shows it.
//!
//! The page needs no network: its style is in its head, its plots are SVG in its body, and its text is text. This crate
//! knows nothing of privacy; it lays out what it is given, escapes all of it, and decides nothing.
//!
//! ```
//! use probity_report::{Block, Document, Section};
//! let document = Document {
//!     title: "a < b".into(),
//!     lead: vec![],
//!     sections: vec![Section { heading: "Facts".into(), blocks: vec![Block::Text("1 & 2".into())] }],
//! };
//! let page = document.to_html();
//! assert!(page.contains("<h1>a &lt; b</h1>") && page.contains("<p>1 &amp; 2</p>"));
//! ```

#![forbid(unsafe_code)]

mod document;
mod html;
pub mod inspect;
pub mod plot;
mod style;

pub use document::{Block, Document, Section, Step, Tone};
pub use html::escape;
