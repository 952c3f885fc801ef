//! The manual: each page of `docs/` is a module here, so that `cargo doc` builds the book and `cargo test` runs
//! every Rust example in it. The commands on the pages are run by `crates/cli/tests/manual.rs`.
//!
//! The contents are on the page [`contents`].

#![forbid(unsafe_code)]
// Pages are written for any reader of Markdown, in which square brackets are also intervals and list entries.
#![allow(rustdoc::broken_intra_doc_links)]

/// One page. `links.md` comes first: of two definitions of a link the first one counts, so the pages link to
/// each other's files where they are read as files, and to each other's modules here.
macro_rules! pages {
    ($($module:ident = $file:literal;)*) => {$(
        #[doc = include_str!("links.md")]
        #[doc = include_str!(concat!("../docs/", $file))]
        pub mod $module {}
    )*};
}

pages! {
    contents = "README.md";
    release = "release.md";
    engines = "engines.md";
    tour = "tour.md";
    your_own_mechanism = "your-own-mechanism.md";
    certificates = "certificates.md";
    commands = "commands.md";
    accounting = "accounting.md";
    language = "language.md";
    trust = "trust.md";
    float_semantics = "float-semantics.md";
    run = "run.md";
    noise = "noise.md";
    python = "python.md";
    coming_from = "coming-from.md";
    logic = "logic.md";
    threshold_theorem = "threshold-theorem.md";
    rounding_error = "rounding-error.md";
    audit = "audit.md";
    papers = "papers.md";
    findings = "findings.md";
}

/// What `--json` answers, as JSON Schema; `probity schema` prints it.
#[doc = "```json"]
#[doc = include_str!("../docs/schema/probity.json")]
#[doc = "```"]
pub mod schema {}

/// The proofs of the privacy maps, one page for each mechanism.
pub mod proofs {
    pages! {
        choice = "proofs/choice.md";
        composition = "proofs/composition.md";
        discrete_gaussian = "proofs/discrete-gaussian.md";
        discrete_laplace = "proofs/discrete-laplace.md";
        randomized_response = "proofs/randomized-response.md";
        release = "proofs/release.md";
        transformations = "proofs/transformations.md";
        truncated_geometric = "proofs/truncated-geometric.md";
    }
}
