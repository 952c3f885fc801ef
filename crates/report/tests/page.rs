//! Whole pages: well-formed, self-contained, escaped, with their plots complete and legible.

use probity_report::inspect::{Fault, check_page};
use probity_report::plot::{Axis, Colour, Mark, Plot, Series};
use probity_report::{Block, Document, Section, Step, Tone};

fn series(name: &str, mark: Mark, points: Vec<(f64, f64)>) -> Series {
    Series { name: name.into(), colour: Colour::First, mark, points }
}

fn plot(x: Axis, y: Axis, series: Vec<Series>) -> Plot {
    Plot { title: "A plot".into(), x, y, series }
}

fn page(blocks: Vec<Block>) -> String {
    let sections = vec![Section { heading: "Part".into(), blocks }];
    Document { title: "Page".into(), lead: vec![], sections }.to_html()
}

fn figure(plot: Plot) -> Block {
    Block::Figure { plot: Box::new(plot), caption: "caption".into() }
}

#[test]
fn hostile_texts_stay_texts() {
    let hostile = "</pre><script>alert('&')</script><img src=\"x\" onerror=\"y\">\u{0}";
    let text = || hostile.to_owned();
    let drawing = Plot {
        title: text(),
        x: Axis::linear(text()),
        y: Axis::linear(text()),
        series: vec![series(hostile, Mark::Line, vec![(0.0, 0.0), (1.0, 1.0)])],
    };
    let step = |depth| Step { depth, statement: text(), rule: text() };
    let html = page(vec![
        Block::Text(text()),
        Block::Code(text()),
        Block::Facts(vec![(text(), text())]),
        Block::Table { heading: vec![text()], rows: vec![vec![text()]] },
        Block::Tree(vec![step(0), step(1), step(0)]),
        Block::Notice { tone: Tone::Bad, heading: text(), blocks: vec![] },
        Block::Fold { summary: text(), open: false, blocks: vec![] },
        figure(drawing),
    ]);
    assert!(!html.contains("<script") && !html.contains("<img") && !html.contains('\u{0}'));
    assert_eq!(html.matches("&lt;script&gt;").count(), html.matches("alert(").count());
    // Such long names do not fit, and the page knows; all its other rules hold.
    let fault = check_page(&html.replace(" src=", " ").replace("//", ""));
    assert!(matches!(fault, Err(Fault::Clipped(_) | Fault::Overlap(..))), "{fault:?}");
}

#[test]
fn a_tree_folds_what_lies_deeper() {
    let step = |depth, text: &str| Step { depth, statement: text.into(), rule: String::new() };
    let html =
        page(vec![Block::Tree(vec![step(0, "a"), step(0, "b"), step(1, "c"), step(2, "d"), step(0, "e")])]);
    assert_eq!(check_page(&html), Ok(()));
    assert_eq!(html.matches("<details").count(), 2);
    assert_eq!(html.matches("class=\"step\"").count(), 3);
}

#[test]
fn every_point_is_drawn_and_infinite_ones_stand_on_the_edge() {
    let points =
        vec![(0.0, 1.0), (1.0, f64::INFINITY), (2.0, f64::NEG_INFINITY), (3.0, 2.0), (4.0, f64::NAN)];
    let svg = plot(Axis::linear("x"), Axis::linear("y"), vec![series("s", Mark::Round, points)]).to_svg("p");
    // One more in the legend.
    assert_eq!(svg.matches("h.01").count(), 3);
    assert_eq!(svg.matches("class=\"off").count(), 2);
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}

#[test]
fn plots_of_all_kinds_are_legible() {
    let line = |n: i32, f: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
        (0..n).map(|i| (f64::from(i), f(f64::from(i)))).collect()
    };
    let long = "a series with quite a long name, number";
    let many =
        (0..5).map(|i| series(&format!("{long} {i}"), Mark::Dashed, line(9, &|x| x * 1e-15))).collect();
    let names = (0..40).map(|i| format!("category {i}")).collect();
    // So many that the first stands at the left end of the axis, so long that half of it is wider than what is left of that end.
    let lists = (0..100).map(|i| format!("[false, false, false, {i}]")).collect();
    let plots = [
        plot(
            Axis::linear("outcome"),
            Axis::log("probability"),
            vec![series("law", Mark::Stems, line(30, &|x| -x * 7.0))],
        ),
        plot(Axis::linear("x"), Axis::linear("y"), many),
        plot(
            Axis::named("category", names),
            Axis::linear("y"),
            vec![series("a", Mark::Square, line(40, &|x| x))],
        ),
        plot(
            Axis::named("list", lists),
            Axis::linear("y"),
            vec![series("a", Mark::Round, line(100, &|x| x))],
        ),
        plot(Axis::whole("entry"), Axis::linear("spent"), vec![series("a", Mark::Line, line(3, &|x| x))]),
        plot(Axis::log("B"), Axis::log("excess"), vec![series("a", Mark::Line, line(13, &|x| x - 16.0))]),
        plot(Axis::linear("nothing"), Axis::linear("at all"), vec![]),
        plot(Axis::linear("one"), Axis::linear("point"), vec![series("a", Mark::Round, vec![(1e9, -1e9)])]),
        plot(
            Axis::linear("x"),
            Axis::linear("y"),
            vec![series("band", Mark::Band, vec![(0.0, -1.0), (0.0, 1.0), (5.0, -1.0), (5.0, 1.0)])],
        ),
    ];
    for plot in plots {
        // A page without names on its axis would be legible too.
        let named = plot.x.names.is_none() || plot.to_svg("a").matches("text-anchor=\"middle\"").count() > 4;
        assert!(named, "{plot:?}");
        let html = page(vec![figure(plot.clone())]);
        assert_eq!(check_page(&html), Ok(()), "{plot:?}");
        assert_eq!(html.matches("<svg").count(), 1);
    }
}

#[test]
fn plots_of_one_page_have_identifiers_of_their_own() {
    let one = || figure(plot(Axis::linear("x"), Axis::linear("y"), vec![]));
    let html = page(vec![one(), one()]);
    assert!(html.contains("id=\"plot1\"") && html.contains("id=\"plot2\""));
    assert_eq!(html.matches("id=\"plot1-area\"").count(), 1);
}

#[test]
fn a_long_cell_wraps_and_a_short_one_does_not() {
    let interval = "[1.2345678901234567e-86, 1.2345678901234569e-86]";
    let query = "SELECT region, COUNT(*) AS n, AVG(income) AS income FROM people GROUP BY region";
    let rows = vec![vec![interval.to_owned(), query.to_owned()]];
    let html = page(vec![Block::Table { heading: vec!["a".into(), "b".into()], rows }]);
    assert!(
        html.contains(&format!("<td>{interval}</td>"))
            && html.contains(&format!("<td><div class=\"long\">{query}</div></td>"))
    );
    assert_eq!(check_page(&html), Ok(()));
}
