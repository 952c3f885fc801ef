//! Plots as data, drawn as SVG with axes, ticks, a title and a legend.
//!
//! ```
//! use probity_report::plot::{Axis, Colour, Mark, Plot, Series};
//! let plot = Plot {
//!     title: "Squares".into(),
//!     x: Axis::linear("n"),
//!     y: Axis::linear("n²"),
//!     series: vec![Series {
//!         name: "n²".into(),
//!         colour: Colour::First,
//!         mark: Mark::Line,
//!         points: (0..5).map(|n| (f64::from(n), f64::from(n * n))).collect(),
//!     }],
//! };
//! let svg = plot.to_svg("squares");
//! assert!(svg.starts_with("<svg") && svg.contains(">Squares</text>"));
//! ```

mod scale;
mod svg;

pub use scale::{Scale, Tick, log10, ticks};
pub(crate) use svg::text_width;

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// What is measured, with its unit.
    pub label: String,
    /// What the coordinates mean.
    pub scale: Scale,
    /// The ends of the axis, where the data should not decide.
    pub range: Option<(f64, f64)>,
    /// Names of the coordinates 0, 1, 2, …, which are then the only ticks.
    pub names: Option<Vec<String>>,
}

impl Axis {
    /// An axis of numbers that fits the data.
    pub fn linear(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), scale: Scale::Linear, range: None, names: None }
    }

    /// An axis of whole numbers that fits the data.
    pub fn whole(label: impl Into<String>) -> Axis {
        Axis { scale: Scale::Whole, ..Axis::linear(label) }
    }

    /// An axis of decimal logarithms that fits the data.
    pub fn log(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), scale: Scale::Log, range: None, names: None }
    }

    /// An axis of names.
    pub fn named(label: impl Into<String>, names: Vec<String>) -> Axis {
        let last = names.len().saturating_sub(1) as f64;
        Axis {
            label: label.into(),
            scale: Scale::Linear,
            range: Some((-0.5, last + 0.5)),
            names: Some(names),
        }
    }
}

/// The colours, which stay apart for the colour-blind and in print. Marks differ in form as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// The colour of text.
    Text,
    /// Blue.
    First,
    /// Vermilion.
    Second,
    /// Green.
    Third,
    /// Purple.
    Fourth,
}

/// How the points of a series are shown.
///
/// Where a point has an infinite y it is drawn as a triangle on the edge of the plot. A line has a gap where a coordinate
/// is not finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A line through the points.
    Line,
    /// A dashed line through the points.
    Dashed,
    /// A dotted line through the points.
    Dotted,
    /// A round dot at each point.
    Round,
    /// A square at each point.
    Square,
    /// A round dot at each point, on a stem from the bottom.
    Stems,
    /// Triangles on the edge only: all points are beyond the drawing.
    Beyond,
    /// The area between consecutive pairs of points with one x: low, high, low, high, …
    Band,
}

/// Data that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its colour.
    pub colour: Colour,
    /// Its form.
    pub mark: Mark,
    /// Coordinates; on an axis of scale [`Scale::Log`] these are decimal logarithms.
    pub points: Vec<(f64, f64)>,
}

/// A plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// What it shows.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn, from back to front.
    pub series: Vec<Series>,
}
