//! What the two paths of a sampler are held against.

mod exact_law;
mod fast_path;
mod same_words;
