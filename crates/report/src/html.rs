//! A report as HTML. Every text goes through [`escape`]; nothing else reaches the page.

use crate::document::{Block, Document, Section, Step, Tone};
use crate::style::STYLE;

/// Text as it stands between tags or in a quoted attribute.
///
/// ```
/// assert_eq!(probity_report::escape("<b a='1'> & \""), "&lt;b a=&#39;1&#39;&gt; &amp; &quot;");
/// ```
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // Control characters have no meaning in HTML and some are not allowed in it.
            c if c.is_control() && c != '\n' && c != '\t' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

impl Document {
    /// The whole page.
    pub fn to_html(&self) -> String {
        let mut writer = Writer { out: String::new(), plots: 0 };
        let title = escape(&self.title);
        writer.out.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
        writer.out.push_str(
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <meta name=\"color-scheme\" content=\"light dark\"/>\n",
        );
        writer.out.push_str(&format!("<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"));
        writer.out.push_str(&format!("<main>\n<h1>{title}</h1>\n"));
        writer.blocks(&self.lead);
        for section in &self.sections {
            writer.section(section);
        }
        writer.out.push_str("</main>\n</body>\n</html>\n");
        writer.out
    }
}

/// The most characters of a cell that stay on one line.
const LONGEST_LINE: usize = 60;

struct Writer {
    out: String,
    /// Plots so far: their elements need identifiers of their own.
    plots: usize,
}

impl Writer {
    /// `<tag>text</tag>` on a line.
    fn element(&mut self, tag: &str, text: &str) {
        self.out.push_str(&format!("<{tag}>{}</{tag}>\n", escape(text)));
    }

    fn section(&mut self, section: &Section) {
        self.out.push_str("<section>\n");
        self.element("h2", &section.heading);
        self.blocks(&section.blocks);
        self.out.push_str("</section>\n");
    }

    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Text(text) => self.element("p", text),
            Block::Code(text) => self.element("pre", text.trim_end()),
            Block::Facts(facts) => {
                self.out.push_str("<dl>\n");
                for (name, value) in facts {
                    self.out.push_str(&format!("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(value)));
                }
                self.out.push_str("</dl>\n");
            }
            Block::Table { heading, rows } => self.table(heading, rows),
            Block::Tree(steps) => {
                self.out.push_str("<div class=\"tree\">\n");
                self.tree(steps);
                self.out.push_str("</div>\n");
            }
            Block::Figure { plot, caption } => {
                self.plots += 1;
                // On a narrow window a plot scrolls rather than shrinks until nobody can read it.
                self.out.push_str("<figure>\n<div class=\"wide\">");
                self.out.push_str(&plot.to_svg(&format!("plot{}", self.plots)));
                self.out.push_str("</div>\n");
                self.element("figcaption", caption);
                self.out.push_str("</figure>\n");
            }
            Block::Notice { tone, heading, blocks } => {
                let class = match tone {
                    Tone::Good => "good",
                    Tone::Bad => "bad",
                    Tone::Plain => "plain",
                };
                self.out.push_str(&format!("<div class=\"notice {class}\">\n"));
                self.out.push_str(&format!("<p class=\"heading\">{}</p>\n", escape(heading)));
                self.blocks(blocks);
                self.out.push_str("</div>\n");
            }
            Block::Fold { summary, open, blocks } => {
                self.out.push_str(if *open { "<details open=\"\">\n" } else { "<details>\n" });
                self.element("summary", summary);
                self.blocks(blocks);
                self.out.push_str("</details>\n");
            }
        }
    }

    fn table(&mut self, heading: &[String], rows: &[Vec<String>]) {
        self.out.push_str("<div class=\"wide\"><table>\n<thead><tr>");
        for cell in heading {
            self.out.push_str(&format!("<th>{}</th>", escape(cell)));
        }
        self.out.push_str("</tr></thead>\n<tbody>\n");
        for row in rows {
            self.out.push_str("<tr>");
            for cell in row {
                // A sentence or a query wraps; a number does not.
                let text = match cell.chars().count() {
                    0..=LONGEST_LINE => escape(cell),
                    _ => format!("<div class=\"long\">{}</div>", escape(cell)),
                };
                self.out.push_str(&format!("<td>{text}</td>"));
            }
            self.out.push_str("</tr>\n");
        }
        self.out.push_str("</tbody>\n</table></div>\n");
    }

    /// The lines at the depth of the first one; what lies deeper below a line folds with it.
    fn tree(&mut self, steps: &[Step]) {
        let mut rest = steps;
        while let Some((step, after)) = rest.split_first() {
            let inside = after.iter().take_while(|below| below.depth > step.depth).count();
            let line = line_of(step);
            if inside == 0 {
                self.out.push_str(&format!("<div class=\"step\">{line}</div>\n"));
            } else {
                self.out.push_str(&format!("<details open=\"\">\n<summary>{line}</summary>\n"));
                self.tree(&after[..inside]);
                self.out.push_str("</details>\n");
            }
            rest = &after[inside..];
        }
    }
}

/// A line of a tree: what stands there, and the rule beside it.
fn line_of(step: &Step) -> String {
    let mut line = String::new();
    if !step.statement.is_empty() {
        line.push_str(&format!("<code>{}</code>", escape(&step.statement)));
    }
    if !step.rule.is_empty() {
        line.push_str(&format!("<span class=\"rule\">{}</span>", escape(&step.rule)));
    }
    line
}
