//! Drawing a plot.
//!
//! From top to bottom: title, legend (as many rows as its names need), the frame with its grid and data, tick labels, the
//! name of the axis. Text never stands among the data, so it cannot collide with them.

use std::fmt::Write;

use super::scale::{Scale, Tick, ticks};
use super::{Axis, Colour, Mark, Plot, Series};
use crate::html::escape;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 400.0;
/// Height of the data area; a legend of several rows makes the drawing taller, not the data smaller.
const TOP: f64 = 30.0;
const ROW: f64 = 20.0;
const BOTTOM: f64 = 54.0;
const RIGHT: f64 = 30.0;
/// Width of the sample of a mark in the legend.
const SAMPLE: f64 = 24.0;
/// Points up to which dots are larger, and beyond which they are smaller.
const FEW: usize = 40;
const MANY: usize = 150;

/// The width of a text of 13 units' height, estimated from above for the common sans-serif fonts.
pub(crate) fn text_width(text: &str) -> f64 {
    text.chars().map(|c| if "⁻⁰¹²³⁴⁵⁶⁷⁸⁹".contains(c) { 5.5 } else { 8.0 }).sum()
}

impl Colour {
    fn class(self) -> &'static str {
        match self {
            Colour::Text => "c0",
            Colour::First => "c1",
            Colour::Second => "c2",
            Colour::Third => "c3",
            Colour::Fourth => "c4",
        }
    }
}

/// Where an axis runs on the drawing.
struct Ruler {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Ruler {
    fn place(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }
}

/// The ends of an axis: its own, or those of the data with a little room.
fn range(axis: &Axis, values: impl Iterator<Item = f64>) -> (f64, f64) {
    if let Some(range) = axis.range {
        return range;
    }
    let finite = values.filter(|value| value.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if low > high {
        return (0.0, 1.0);
    }
    let span = high - low;
    if axis.scale == Scale::Log && span < 2.0 {
        // Whole decades, so that there are ticks.
        return (low.floor(), if high.ceil() > low.floor() { high.ceil() } else { low.floor() + 1.0 });
    }
    // A single value gets a range around it.
    let room = if span > 0.0 { span * 0.05 } else { low.abs().max(1.0) * 0.5 };
    (low - room, high + room)
}

/// Named coordinates, thinned until their labels fit beside each other and into the drawing.
fn named(names: &[String], from: f64, to: f64) -> Vec<Tick> {
    let cell = (to - from) / names.len().max(1) as f64;
    let widest = names.iter().map(|name| text_width(&shortened(name))).fold(0.0, f64::max);
    let every = ((widest + 8.0) / cell).ceil().max(1.0) as usize;
    let tick = |(at, name): (usize, &String)| Tick { at: at as f64, label: shortened(name) };
    let fits = |tick: &Tick| {
        let (middle, half) = (from + (tick.at + 0.5) * cell, text_width(&tick.label) / 2.0);
        middle - half >= 1.0 && middle + half <= WIDTH - 1.0
    };
    let mut next = 0;
    let mut found = Vec::new();
    for tick in names.iter().enumerate().map(tick).filter(fits) {
        if tick.at as usize >= next {
            next = tick.at as usize + every;
            found.push(tick);
        }
    }
    found
}

/// A name that is cut where it would fill the axis.
fn shortened(name: &str) -> String {
    match name.chars().count() {
        0..=24 => name.to_owned(),
        _ => name.chars().take(23).chain(['…']).collect(),
    }
}

/// As many ticks along x as their labels leave room for.
fn ticks_along(axis: &Axis, low: f64, high: f64, (from, to): (f64, f64)) -> Vec<Tick> {
    if let Some(names) = &axis.names {
        return named(names, from, to);
    }
    let width = to - from;
    let fits = |found: &Vec<Tick>| {
        found.windows(2).all(|pair| {
            let apart = (pair[1].at - pair[0].at) / (high - low) * width;
            apart >= (text_width(&pair[0].label) + text_width(&pair[1].label)) / 2.0 + 10.0
        })
    };
    let candidates = (2..=9).rev().map(|most| ticks(axis.scale, low, high, most));
    candidates.into_iter().find(fits).unwrap_or_default()
}

/// A series of the legend and where its sample begins.
struct Entry<'a> {
    series: &'a Series,
    x: f64,
    row: usize,
}

/// The legend in rows that fit into the width.
fn legend(series: &[Series], from: f64) -> Vec<Entry<'_>> {
    let (mut x, mut row) = (from, 0);
    let mut entries = Vec::new();
    for series in series {
        let width = SAMPLE + 6.0 + text_width(&series.name);
        if x > from && x + width > WIDTH - 4.0 {
            (x, row) = (from, row + 1);
        }
        entries.push(Entry { series, x, row });
        x += width + 14.0;
    }
    entries
}

impl Plot {
    /// The plot as an SVG element. The identifier must be unique on the page.
    pub fn to_svg(&self, id: &str) -> String {
        let id = escape(id);
        let all = || self.series.iter().flat_map(|series| series.points.iter());
        let (x_low, x_high) = range(&self.x, all().map(|point| point.0));
        let (y_low, y_high) = range(&self.y, all().map(|point| point.1));
        let y_ticks = ticks(self.y.scale, y_low, y_high, 7);
        let widest = y_ticks.iter().map(|tick| text_width(&tick.label)).fold(0.0, f64::max);
        let left = 34.0 + widest;
        let entries = legend(&self.series, left);
        let rows = entries.last().map_or(0, |entry| entry.row + 1) as f64;
        let top = TOP + rows * ROW + 8.0;
        let height = HEIGHT + (rows - 1.0).max(0.0) * ROW;
        let x = Ruler { low: x_low, high: x_high, from: left, to: WIDTH - RIGHT };
        let y = Ruler { low: y_low, high: y_high, from: height - BOTTOM, to: top };
        let x_ticks = ticks_along(&self.x, x_low, x_high, (x.from, x.to));

        let mut out = format!(
            "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-labelledby=\"{id}-title\" id=\"{id}\">\n"
        );
        let _ = writeln!(
            out,
            "<text class=\"title\" id=\"{id}-title\" x=\"{left:.1}\" y=\"20\">{}</text>",
            escape(&self.title)
        );
        for entry in &entries {
            entry.draw(&mut out);
        }
        axes(&mut out, (&x, &x_ticks), (&y, &y_ticks));
        let _ = writeln!(
            out,
            "<clipPath id=\"{id}-area\"><rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"/></clipPath>",
            x.to - x.from,
            y.from - y.to
        );
        let _ = writeln!(out, "<g clip-path=\"url(#{id}-area)\">");
        for series in &self.series {
            draw(&mut out, series, &x, &y);
        }
        let _ = writeln!(out, "</g>");
        let _ = writeln!(
            out,
            "<text text-anchor=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            (x.from + x.to) / 2.0,
            height - 10.0,
            escape(&self.x.label)
        );
        let middle = (y.from + y.to) / 2.0;
        let _ = writeln!(
            out,
            "<text text-anchor=\"middle\" transform=\"rotate(-90)\" x=\"{:.1}\" y=\"15\">{}</text>\n</svg>",
            -middle,
            escape(&self.y.label)
        );
        out
    }
}

impl Entry<'_> {
    fn draw(&self, out: &mut String) {
        let y = TOP + self.row as f64 * ROW + 8.0;
        let (from, to, middle) = (self.x, self.x + SAMPLE, self.x + SAMPLE / 2.0);
        let colour = self.series.colour.class();
        let class = class(self.series.mark);
        let _ = match self.series.mark {
            Mark::Line | Mark::Dashed | Mark::Dotted => {
                writeln!(out, "<path class=\"{class} {colour}\" d=\"M{from:.1} {y:.1}H{to:.1}\"/>")
            }
            Mark::Round | Mark::Square | Mark::Stems => {
                writeln!(out, "<path class=\"large {class} {colour}\" d=\"M{middle:.1} {y:.1}h.01\"/>")
            }
            Mark::Beyond => triangle(out, colour, middle, (y - 5.0, y + 5.0)),
            Mark::Band => writeln!(
                out,
                "<rect class=\"band {colour}\" x=\"{from:.1}\" y=\"{:.1}\" width=\"{SAMPLE}\" height=\"12\"/>",
                y - 6.0
            ),
        };
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            to + 6.0,
            y + 4.5,
            escape(&self.series.name)
        );
    }
}

fn class(mark: Mark) -> &'static str {
    match mark {
        Mark::Line => "line",
        Mark::Dashed => "line dash",
        Mark::Dotted => "line dots",
        Mark::Round | Mark::Stems => "round",
        Mark::Square => "square",
        Mark::Beyond => "off",
        Mark::Band => "band",
    }
}

/// Grid, frame and tick labels.
fn axes(out: &mut String, (x, x_ticks): (&Ruler, &[Tick]), (y, y_ticks): (&Ruler, &[Tick])) {
    let mut grid = String::new();
    for tick in x_ticks {
        let _ = write!(grid, "M{:.1} {:.1}V{:.1}", x.place(tick.at), y.from, y.to);
    }
    for tick in y_ticks {
        let _ = write!(grid, "M{:.1} {:.1}H{:.1}", x.from, y.place(tick.at), x.to);
    }
    if !grid.is_empty() {
        let _ = writeln!(out, "<path class=\"grid\" d=\"{grid}\"/>");
    }
    let _ = writeln!(
        out,
        "<rect class=\"frame\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
        x.from,
        y.to,
        x.to - x.from,
        y.from - y.to
    );
    for tick in x_ticks {
        let _ = writeln!(
            out,
            "<text text-anchor=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            x.place(tick.at),
            y.from + 18.0,
            escape(&tick.label)
        );
    }
    for tick in y_ticks {
        let _ = writeln!(
            out,
            "<text text-anchor=\"end\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            x.from - 6.0,
            y.place(tick.at) + 4.5,
            escape(&tick.label)
        );
    }
}

/// The data of a series. Each point of a dotted series is one `h.01`.
fn draw(out: &mut String, series: &Series, x: &Ruler, y: &Ruler) {
    let colour = series.colour.class();
    let usable: Vec<(f64, f64)> =
        series.points.iter().copied().filter(|p| p.0.is_finite() && !p.1.is_nan()).collect();
    let place = |p: &(f64, f64)| (x.place(p.0), y.place(p.1));
    let finite: Vec<(f64, f64)> = usable.iter().filter(|p| p.1.is_finite()).map(place).collect();
    let mut path = String::new();
    match series.mark {
        Mark::Line | Mark::Dashed | Mark::Dotted => {
            let mut pen = 'M';
            for (px, py) in series.points.iter().map(place) {
                if px.is_finite() && py.is_finite() {
                    let _ = write!(path, "{pen}{px:.1} {py:.1}");
                    pen = 'L';
                } else {
                    pen = 'M';
                }
            }
        }
        Mark::Round | Mark::Square | Mark::Stems => {
            for (px, py) in &finite {
                let _ = write!(path, "M{px:.1} {py:.1}h.01");
            }
        }
        Mark::Beyond => {}
        Mark::Band => {
            let (low, high): (Vec<_>, Vec<_>) = finite.chunks_exact(2).map(|pair| (pair[0], pair[1])).unzip();
            for (number, (px, py)) in low.iter().chain(high.iter().rev()).enumerate() {
                let _ = write!(path, "{}{px:.1} {py:.1}", if number == 0 { 'M' } else { 'L' });
            }
        }
    }
    if series.mark == Mark::Stems {
        let mut stems = String::new();
        for (px, py) in &finite {
            let _ = write!(stems, "M{px:.1} {:.1}V{py:.1}", y.from);
        }
        let _ = writeln!(out, "<path class=\"stem {colour}\" d=\"{stems}\"/>");
    }
    if !path.is_empty() {
        let size = match finite.len() {
            n if n <= FEW => "large ",
            n if n <= MANY => "",
            _ => "small ",
        };
        let _ = writeln!(out, "<path class=\"{size}{} {colour}\" d=\"{path}\"/>", class(series.mark));
    }
    if matches!(series.mark, Mark::Line | Mark::Dashed | Mark::Dotted | Mark::Band) {
        return;
    }
    for (px, sign) in usable.iter().filter(|p| p.1.is_infinite()).map(|p| (x.place(p.0), p.1.signum())) {
        let ends = if sign > 0.0 { (y.to + 1.0, y.to + 11.0) } else { (y.from - 1.0, y.from - 11.0) };
        let _ = triangle(out, colour, px, ends);
    }
}

/// A triangle from its tip to its base.
fn triangle(out: &mut String, colour: &str, x: f64, (tip, base): (f64, f64)) -> std::fmt::Result {
    let (left, right) = (x - 6.0, x + 6.0);
    writeln!(out, "<path class=\"off {colour}\" d=\"M{x:.1} {tip:.1}L{left:.1} {base:.1}H{right:.1}Z\"/>")
}
