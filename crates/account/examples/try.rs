//! scratch
use probity_account::*;
use probity_exact::parse_rational;
use std::collections::BTreeMap;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let laws = Expression::parse(&a[1]).unwrap_or_else(|f| panic!("{f}\n{}", f.shown(&a[1])));
    let laws = laws.evaluate(&BTreeMap::new(), &|_| Err("no files".into())).unwrap();
    let n = parse_rational(&a[3]).unwrap();
    let q = if a[2] == "delta" { Question::Epsilon(n) } else { Question::Delta(n) };
    let width = a.get(4).map_or(1e-4, |w| w.parse().unwrap());
    let closed_forms = a.get(5).is_none_or(|c| c != "general");
    let adj =
        if a.get(6).is_some_and(|x| x == "replace") { Adjacency::Replace } else { Adjacency::AddRemove };
    let effort = Effort { width, closed_forms, ..Effort::default() };
    let answer = account(&laws, adj, &q, &effort).unwrap();
    let show = |b: &Bracket| {
        println!(
            "  [{:.15e}, {:.15e}] width {:.2e}",
            doubles_around(&b.lower).0,
            b.upper.as_ref().map_or(f64::INFINITY, |u| doubles_around(u).1),
            b.width()
        )
    };
    show(&answer.bracket);
    for (d, b) in &answer.directions {
        println!("{d}");
        show(b);
    }
    println!("{} {:.3}s reached {}", answer.method, answer.seconds, answer.reached);
}
