//! What a report consists of.

use crate::plot::Plot;

/// How a box speaks: its colour and the weight of its border. The text says the same in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// It holds.
    Good,
    /// It does not hold.
    Bad,
    /// It is not known, or only to be noted.
    Plain,
}

/// A line of a tree: deeper lines below it belong to it and fold with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// How deep the line is.
    pub depth: usize,
    /// What stands there, in the program's words; may be empty.
    pub statement: String,
    /// What is said about it.
    pub rule: String,
}

/// A piece of a report.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// Preformatted text.
    Code(String),
    /// Names and values.
    Facts(Vec<(String, String)>),
    /// A table: a heading and rows of as many cells.
    Table {
        /// The names of the columns.
        heading: Vec<String>,
        /// The rows.
        rows: Vec<Vec<String>>,
    },
    /// A foldable tree.
    Tree(Vec<Step>),
    /// A plot with a caption.
    Figure {
        /// The plot.
        plot: Box<Plot>,
        /// What is to be seen in it.
        caption: String,
    },
    /// A box that stands out, with a heading.
    Notice {
        /// Its colour.
        tone: Tone,
        /// Its first line.
        heading: String,
        /// What is in it.
        blocks: Vec<Block>,
    },
    /// Something that is folded away under a summary.
    Fold {
        /// The line that stays visible.
        summary: String,
        /// Whether it is open at first.
        open: bool,
        /// What is folded.
        blocks: Vec<Block>,
    },
}

/// A part of a report under a heading.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// The heading.
    pub heading: String,
    /// What stands under it.
    pub blocks: Vec<Block>,
}

/// A report.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The title of the page.
    pub title: String,
    /// What comes before the first heading.
    pub lead: Vec<Block>,
    /// The parts.
    pub sections: Vec<Section>,
}
