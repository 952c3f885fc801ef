//! Looking over a finished page without a browser: tags balance, nothing is loaded from elsewhere, and the texts of a plot
//! neither overlap nor leave it. Widths of text are estimates from above, so a page that passes has room to spare.
//!
//! ```
//! use probity_report::inspect::{Fault, check_page};
//! assert_eq!(check_page("<p>fine<br/></p>"), Ok(()));
//! assert_eq!(check_page("<p><b>not fine</p>"), Err(Fault::Unbalanced { open: "b".into(), closed: "p".into() }));
//! ```

use std::fmt;

use crate::plot::text_width;

/// What is wrong with a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// A tag is closed while another one is open; `-` stands for none.
    Unbalanced {
        /// The innermost open tag.
        open: String,
        /// The tag that is closed.
        closed: String,
    },
    /// A `<` without its `>`.
    Unfinished,
    /// Something would be loaded, or leads, elsewhere.
    Outside(String),
    /// Two texts of one plot overlap.
    Overlap(String, String),
    /// A text leaves its plot.
    Clipped(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Unbalanced { open, closed } => write!(f, "</{closed}> while <{open}> is open"),
            Fault::Unfinished => write!(f, "a '<' without its '>'"),
            Fault::Outside(what) => write!(f, "'{what}' is not on the page"),
            Fault::Overlap(a, b) => write!(f, "'{a}' overlaps '{b}'"),
            Fault::Clipped(text) => write!(f, "'{text}' leaves its plot"),
        }
    }
}

impl std::error::Error for Fault {}

/// A tag of the page and the text up to the next one.
struct Tag<'a> {
    name: &'a str,
    closes: bool,
    closes_itself: bool,
    inside: &'a str,
    after: &'a str,
}

impl Tag<'_> {
    fn attribute(&self, name: &str) -> Option<&str> {
        let at = self.inside.find(&format!(" {name}=\""))? + name.len() + 3;
        self.inside[at..].split('"').next()
    }

    fn number(&self, name: &str) -> f64 {
        self.attribute(name).and_then(|value| value.parse().ok()).unwrap_or(0.0)
    }
}

fn tags(page: &str) -> Result<Vec<Tag<'_>>, Fault> {
    let mut found = Vec::new();
    for piece in page.split('<').skip(1) {
        let (inside, after) = piece.split_once('>').ok_or(Fault::Unfinished)?;
        if inside.starts_with('!') {
            continue;
        }
        let name = inside.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        found.push(Tag {
            name,
            closes: inside.starts_with('/'),
            closes_itself: inside.ends_with('/'),
            inside,
            after,
        });
    }
    Ok(found)
}

/// Checks a page whole.
pub fn check_page(page: &str) -> Result<(), Fault> {
    for address in ["http:", "https:", "//", "@import", " src=", " href=", "<script", "<link"] {
        // The texts of a page are escaped, but a text may well hold two slashes: a comment of a mechanism.
        let hit = page.match_indices(address).find(|(at, _)| address != "//" || is_address(page, *at));
        if let Some((at, _)) = hit {
            return Err(Fault::Outside(page[at..].chars().take(40).collect()));
        }
    }
    let tags = tags(page)?;
    let mut open: Vec<&str> = Vec::new();
    for tag in &tags {
        if tag.closes {
            let innermost = open.pop().unwrap_or("-");
            if innermost != tag.name {
                return Err(Fault::Unbalanced { open: innermost.into(), closed: tag.name.into() });
            }
        } else if !tag.closes_itself {
            open.push(tag.name);
        }
    }
    if let Some(innermost) = open.pop() {
        return Err(Fault::Unbalanced { open: innermost.into(), closed: "-".into() });
    }
    check_texts(&tags)
}

/// Whether two slashes stand where an address does: inside a tag or the style, after a quote or a bracket.
fn is_address(page: &str, at: usize) -> bool {
    matches!(page[..at].chars().next_back(), Some('"' | '\'' | '('))
}

/// A rectangle around a text.
struct Frame {
    text: String,
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Frame {
    fn of(tag: &Tag<'_>) -> Frame {
        let text = unescaped(tag.after);
        let title = tag.attribute("class") == Some("title");
        let (size, scale) = if title { (15.0, 1.15) } else { (13.0, 1.0) };
        let width = text_width(&text) * scale;
        let (x, y) = (tag.number("x"), tag.number("y"));
        let left = match tag.attribute("text-anchor") {
            Some("middle") => x - width / 2.0,
            Some("end") => x - width,
            _ => x,
        };
        // Letters reach about 0.78 of the size above the base line and 0.22 below.
        let (top, bottom) = (y - 0.78 * size, y + 0.22 * size);
        if tag.attribute("transform").is_some() {
            // rotate(-90) takes (x, y) to (y, −x).
            return Frame { text, left: top, right: bottom, top: -(left + width), bottom: -left };
        }
        Frame { text, left, top, right: left + width, bottom }
    }

    fn meets(&self, other: &Frame) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }
}

fn unescaped(text: &str) -> String {
    let plain = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
    plain.replace("&amp;", "&")
}

fn check_texts(tags: &[Tag<'_>]) -> Result<(), Fault> {
    let mut frames: Vec<Frame> = Vec::new();
    let (mut width, mut height) = (0.0, 0.0);
    for tag in tags {
        match (tag.name, tag.closes) {
            ("svg", false) => {
                frames.clear();
                let size: Vec<f64> = tag
                    .attribute("viewBox")
                    .map(|text| text.split(' ').filter_map(|part| part.parse().ok()).collect())
                    .unwrap_or_default();
                (width, height) = (size.get(2).copied().unwrap_or(0.0), size.get(3).copied().unwrap_or(0.0));
            }
            ("text", false) => {
                let frame = Frame::of(tag);
                if frame.left < 0.0 || frame.top < 0.0 || frame.right > width || frame.bottom > height {
                    return Err(Fault::Clipped(frame.text));
                }
                if let Some(other) = frames.iter().find(|other| other.meets(&frame)) {
                    return Err(Fault::Overlap(other.text.clone(), frame.text));
                }
                frames.push(frame);
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unbalanced_tags_are_found() {
        let unbalanced =
            |open: &str, closed: &str| Err(Fault::Unbalanced { open: open.into(), closed: closed.into() });
        assert_eq!(check_page("<div><p></div></p>"), unbalanced("p", "div"));
        assert_eq!(check_page("<div>"), unbalanced("div", "-"));
        assert_eq!(check_page("</div>"), unbalanced("-", "div"));
        assert_eq!(check_page("<div"), Err(Fault::Unfinished));
        assert_eq!(check_page("<!DOCTYPE html><div><meta a=\"1\"/></div>"), Ok(()));
    }

    #[test]
    fn addresses_are_found() {
        for page in [
            "<img src=\"a.png\"/>",
            "<a href=\"b\">b</a>",
            "<style>@import url(x)</style>",
            "<style>a { b: url(//x) }</style>",
            "<p>https://x</p>",
            "<script></script>",
        ] {
            assert!(matches!(check_page(page), Err(Fault::Outside(_))), "{page}");
        }
        assert_eq!(check_page("<pre>// a comment</pre>"), Ok(()));
    }

    #[test]
    fn overlapping_and_clipped_texts_are_found() {
        let svg = |texts: &str| format!("<svg viewBox=\"0 0 100 50\">{texts}</svg>");
        let two = svg("<text x=\"5\" y=\"20\">abcd</text><text x=\"30\" y=\"25\">ef</text>");
        assert_eq!(check_page(&two), Err(Fault::Overlap("abcd".into(), "ef".into())));
        let apart = svg("<text x=\"5\" y=\"20\">abcd</text><text x=\"38\" y=\"25\">ef</text>");
        assert_eq!(check_page(&apart), Ok(()));
        let outside = svg("<text x=\"80\" y=\"20\">abcd</text>");
        assert_eq!(check_page(&outside), Err(Fault::Clipped("abcd".into())));
        let anchored = svg("<text text-anchor=\"end\" x=\"90\" y=\"20\">abcd</text>");
        assert_eq!(check_page(&anchored), Ok(()));
        let turned = svg("<text transform=\"rotate(-90)\" x=\"-30\" y=\"15\">ab</text>");
        assert_eq!(check_page(&turned), Ok(()));
        let turned_out = svg("<text transform=\"rotate(-90)\" x=\"-10\" y=\"15\">ab</text>");
        assert_eq!(check_page(&turned_out), Err(Fault::Clipped("ab".into())));
    }
}
