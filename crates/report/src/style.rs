//! The style of the page: neutral in light and dark, legible in print, and nothing to load.

/// The colours of the plots are Okabe and Ito's, which stay apart under every common colour blindness; the dark set is
/// the lighter half of the same palette.
pub const STYLE: &str = "\
:root { --back: #ffffff; --text: #1b1f24; --soft: #57606a; --rule: #d0d7de; --panel: #f6f8fa;
  --c1: #0072b2; --c2: #d55e00; --c3: #007a5a; --c4: #a8437f; --good: #007a5a; --bad: #b3401a; }
@media (prefers-color-scheme: dark) { :root { --back: #14171a; --text: #e6e8ea; --soft: #a0a8b0;
  --rule: #3a4047; --panel: #1d2126; --c1: #56b4e9; --c2: #e69f00; --c3: #2fc79a; --c4: #e295c0;
  --good: #2fc79a; --bad: #f08a5d; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, 'Segoe UI', Roboto, Helvetica, Arial, 'DejaVu Sans', sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0.4rem 0 1rem; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 0.6rem; padding-bottom: 0.2rem; border-bottom: 1px solid var(--rule); }
p { margin: 0.5rem 0; }
pre, code { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: 0.86rem; }
pre { background: var(--panel); border: 1px solid var(--rule); border-radius: 4px; padding: 0.7rem 0.9rem;
  overflow-x: auto; margin: 0.6rem 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.15rem 1.2rem; margin: 0.6rem 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.notice { border: 1px solid var(--rule); border-left: 5px solid var(--soft); background: var(--panel);
  border-radius: 4px; padding: 0.5rem 1rem; margin: 0.8rem 0; }
.notice .heading { font-weight: 650; }
.notice.good { border-left-color: var(--good); }
.notice.good > .heading { color: var(--good); }
.notice.bad { border-left-color: var(--bad); }
.notice.bad > .heading { color: var(--bad); }
.wide { overflow-x: auto; margin: 0.6rem 0; }
table { border-collapse: collapse; font-size: 0.86rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 0.2rem 1rem 0.2rem 0; border-bottom: 1px solid var(--rule);
  vertical-align: top; white-space: nowrap; }
th { color: var(--soft); font-weight: 600; }
.long { white-space: normal; min-width: 20rem; max-width: 40rem; overflow-wrap: anywhere; }
details { margin: 0.4rem 0; }
summary { cursor: pointer; }
details details, .step { margin-left: 0; padding-left: 1.1rem; }
.tree details > *:not(summary) { margin-left: 1.1rem; border-left: 1px solid var(--rule); }
.step, .tree summary { padding-top: 0.12rem; padding-bottom: 0.12rem; }
.tree code { margin-right: 0.9rem; }
.rule { color: var(--soft); font-size: 0.9rem; }
figure { margin: 1rem 0 1.6rem; }
figcaption { color: var(--soft); font-size: 0.9rem; margin-top: 0.2rem; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--text); font: 13px system-ui, 'Segoe UI', Roboto, Helvetica, Arial, 'DejaVu Sans', sans-serif; }
svg .title { font-size: 15px; font-weight: 600; }
svg .frame { fill: none; stroke: var(--soft); stroke-width: 1; }
svg .grid { stroke: var(--rule); stroke-width: 1; fill: none; }
.c0 { --c: var(--text); } .c1 { --c: var(--c1); } .c2 { --c: var(--c2); } .c3 { --c: var(--c3); } .c4 { --c: var(--c4); }
.line { fill: none; stroke: var(--c); stroke-width: 1.8; stroke-linejoin: round; }
.dash { stroke-dasharray: 7 4; }
.dots { stroke-dasharray: 1.8 3.6; }
.band { fill: var(--c); fill-opacity: 0.14; stroke: none; }
.round { fill: none; stroke: var(--c); stroke-linecap: round; stroke-width: 4; }
.square { fill: none; stroke: var(--c); stroke-linecap: square; stroke-width: 3.2; }
.large.round { stroke-width: 7; } .large.square { stroke-width: 6; }
.small.round { stroke-width: 2.6; } .small.square { stroke-width: 2; }
.stem { fill: none; stroke: var(--c); stroke-width: 1.4; stroke-opacity: 0.75; }
.off { fill: var(--c); stroke: none; }
@media (max-width: 40rem) {
  main { padding: 1rem 0.9rem 3rem; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin: 0 0 0.45rem; }
  figure svg { min-width: 36rem; }
}
@media print {
  :root { --back: #ffffff; --text: #000000; --soft: #333333; --rule: #bbbbbb; --panel: #ffffff;
    --c1: #0072b2; --c2: #d55e00; --c3: #007a5a; --c4: #a8437f; --good: #007a5a; --bad: #b3401a; }
  main { max-width: none; padding: 0; }
  body { font-size: 11pt; }
  h2 { break-after: avoid; }
  figure, .notice, tr { break-inside: avoid; }
  pre { overflow: visible; white-space: pre-wrap; }
  .wide { overflow: visible; }
  table { font-size: 7.5pt; }
  th, td { padding-right: 0.7rem; }
  figure svg { max-height: 82mm; }
  dl { grid-template-columns: max-content 1fr; }
}
";

#[cfg(test)]
mod tests {
    use super::STYLE;

    /// What a style says about a property of an element, in the order of the text; inside media queries too.
    fn values<'a>(style: &'a str, element: &str, property: &str) -> Vec<&'a str> {
        let mut values = Vec::new();
        let mut rest = style;
        while let Some(at) = rest.find('{') {
            let selectors = rest[..at].rsplit(['}', ';', '{']).next().unwrap_or_default();
            rest = &rest[at + 1..];
            if selectors.trim_start().starts_with('@') {
                // The rules inside are read like the others.
                continue;
            }
            let (declarations, after) = rest.split_once('}').expect("a rule ends");
            // An element is named at the end of a selector, with or without a class.
            let is_about = |selector: &str| {
                let last = selector.split_whitespace().last().unwrap_or_default();
                last == "*" || last.split(['.', ':']).next() == Some(element)
            };
            if selectors.split(',').any(is_about) {
                let pairs = declarations.split(';').filter_map(|pair| pair.split_once(':'));
                values
                    .extend(pairs.filter(|(name, _)| name.trim() == property).map(|(_, value)| value.trim()));
            }
            rest = after;
        }
        values
    }

    #[test]
    fn no_cell_breaks_in_the_middle_of_an_interval() {
        for cell in ["td", "th"] {
            assert_eq!(values(STYLE, cell, "white-space"), ["nowrap"], "{cell}");
        }
        // Preformatted text may wrap on paper, where it cannot be scrolled.
        assert_eq!(values(STYLE, "pre", "white-space"), ["pre-wrap"]);
    }

    #[test]
    fn a_style_that_breaks_cells_is_noticed() {
        for crafty in [
            STYLE.replace("nowrap", "normal"),
            STYLE.replace("white-space: nowrap;", ""),
            format!("{STYLE}@media print {{\n  table td {{ white-space: normal; }}\n}}\n"),
            format!("{STYLE}* {{ white-space: pre-wrap }}"),
            format!("{STYLE}td.number {{ color: red; white-space: normal }}"),
        ] {
            assert_ne!(values(&crafty, "td", "white-space"), ["nowrap"]);
        }
        assert_eq!(values("a, td { x: 1 } @media p { td { x: 2 } b { x: 3 } }", "td", "x"), ["1", "2"]);
    }
}
