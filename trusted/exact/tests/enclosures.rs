//! Enclosures by definition: every box with ends on a small grid, and every operation on every pair of them, held against the numbers
//! inside. What comes out contains every result, and is no wider than the results are.

use probity_exact::{Abs, Enclosure, Endpoint, Float, Format, Natural, Rational, Round, rational};

/// Ends of boxes in halves; the first and the last are infinite.
const ENDS: [i64; 8] = [-6, -4, -1, 0, 1, 2, 5, 7];

/// What stands for an infinite end among the numbers inside.
fn far() -> Rational {
    Rational::from(Natural::ONE << 60)
}

/// A box: its enclosure, and its numbers on the grid.
struct Box<E: Endpoint> {
    enclosure: Enclosure<E>,
    members: Vec<Rational>,
}

fn value(at: usize) -> Rational {
    match at {
        0 => -far(),
        7 => far(),
        _ => rational(ENDS[at], 2).unwrap(),
    }
}

fn end<E: Endpoint>(at: usize, precision: E::Precision) -> E {
    match at {
        0 => E::infinity(true),
        7 => E::infinity(false),
        _ => E::cast(&value(at), precision, Round::Down),
    }
}

/// Every pair of ends that makes a box; the others make none.
fn boxes<E: Endpoint>(precision: E::Precision) -> Vec<Box<E>> {
    let mut found = vec![];
    for low in 0..8 {
        for high in 0..8 {
            let made = Enclosure::new(end::<E>(low, precision), end(high, precision), precision);
            let real = low <= high && low < 7 && high > 0;
            assert_eq!(made.is_some(), real, "{low} {high}");
            if let Some(enclosure) = made {
                found.push(Box { enclosure, members: (low..=high).map(value).collect() });
            }
        }
    }
    found
}

/// The enclosure contains all results; a finite end is the one nearest to a result, or its limit, and an infinite end has results far
/// out.
fn check<E: Endpoint>(found: &Enclosure<E>, results: &[Rational], what: &str) {
    let (least, most) = (results.iter().min().unwrap(), results.iter().max().unwrap());
    assert!(results.iter().all(|x| found.contains(x)), "{what}: {found:?} leaves out {least} or {most}");
    let (precision, near) = (found.precision(), rational(1, 1 << 20).unwrap());
    let end = |shown: Option<Rational>, extreme: &Rational, direction: Round| match shown {
        None => assert!(extreme.clone().abs() > Rational::from(1 << 20), "{what}: {found:?} is endless"),
        Some(end) => {
            let tight = E::cast(extreme, precision, direction).exact() == Some(end.clone());
            assert!(tight || (&end - extreme).abs() < near, "{what}: {found:?} ends at {end}, not {extreme}");
        }
    };
    end(found.low().exact(), least, Round::Down);
    end(found.high().exact(), most, Round::Up);
}

fn one_box<E: Endpoint>(x: &Box<E>) {
    let (a, name) = (&x.enclosure, format!("{:?}", x.enclosure));
    let of = |f: &dyn Fn(&Rational) -> Rational| x.members.iter().map(f).collect::<Vec<_>>();
    check(a, &x.members, "the box");
    check(&-a.clone(), &of(&|x| -x), &format!("-{name}"));
    // Where it changes its sign, 0 is inside, whether or not the grid has it (it has).
    check(&a.abs(), &of(&|x| x.clone().abs()), &format!("|{name}|"));
    check(&a.square(), &of(&|x| x * x), &format!("{name}²"));
    let (first, last) = (x.members.first().unwrap(), x.members.last().unwrap());
    assert_eq!(a.is_point(), x.members.len() == 1, "{name}");
    assert_eq!(a.contains_zero(), *first <= Rational::ZERO && Rational::ZERO <= *last, "{name}");
    for at in 1..7 {
        let inside = x.members.contains(&value(at));
        assert_eq!(a.contains(&value(at)), inside, "{name} {}", value(at));
        for off in [rational(1, 1000).unwrap(), rational(-1, 1000).unwrap()] {
            let beside = value(at) + off;
            assert_eq!(a.contains(&beside), *first <= beside && beside <= *last, "{name} {beside}");
        }
    }
    match (a.low().exact(), a.high().exact()) {
        (Some(low), Some(high)) => {
            let width = E::cast(&(high - low), a.precision(), Round::Up);
            assert_eq!(a.width_up().exact(), width.exact(), "{name}");
        }
        _ => assert_eq!(a.width_up().compare(&E::infinity(false)), Some(std::cmp::Ordering::Equal), "{name}"),
    }
    let negative = *first < Rational::ZERO;
    assert_eq!((a.sqrt().is_none(), a.ln().is_none()), (negative, negative), "{name}");
    if let (Some(root), Some(low)) = (a.sqrt(), a.low().exact()) {
        let square = |end: &E| end.exact().map(|r| &r * &r);
        assert!(square(root.low()).unwrap() <= low);
        assert_eq!(square(root.high()).is_none(), a.high().exact().is_none());
        assert!(a.high().exact().is_none_or(|high| square(root.high()).unwrap() >= high));
    }
}

fn two_boxes<E: Endpoint>(x: &Box<E>, y: &Box<E>) {
    let (a, b) = (&x.enclosure, &y.enclosure);
    let name = |operation: &str| format!("{a:?} {operation} {b:?}");
    let of = |f: &dyn Fn(&Rational, &Rational) -> Rational| -> Vec<Rational> {
        x.members.iter().flat_map(|p| y.members.iter().map(move |q| f(p, q))).collect()
    };
    check(&(a.clone() + b.clone()), &of(&|p, q| p + q), &name("+"));
    check(&(a.clone() - b.clone()), &of(&|p, q| p - q), &name("-"));
    check(&(a.clone() * b.clone()), &of(&|p, q| p * q), &name("*"));
    check(&a.min(b), &of(&|p, q| p.min(q).clone()), &name("min"));
    check(&a.max(b), &of(&|p, q| p.max(q).clone()), &name("max"));
    check(&a.hull(b), &[&x.members[..], &y.members[..]].concat(), &name("hull"));
    match a.checked_div(b) {
        None => {
            assert!(y.members.first() <= Some(&Rational::ZERO) && Some(&Rational::ZERO) <= y.members.last())
        }
        Some(found) => check(&found, &of(&|p, q| p / q), &name("/")),
    }
    let both: Vec<Rational> = x.members.iter().filter(|m| y.members.contains(m)).cloned().collect();
    match a.intersection(b) {
        // An end that both have, and nothing else of the grid, is a point.
        Some(found) => check(&found, &both, &name("and")),
        None => assert!(both.is_empty() || both == [far()] || both == [-far()], "{}", name("and")),
    }
    let inside = x.members.iter().all(|m| y.members.contains(m));
    assert_eq!(a.is_within(b), inside, "{}", name("within"));
}

fn all<E: Endpoint>(precision: E::Precision) {
    let boxes = boxes::<E>(precision);
    for x in &boxes {
        one_box(x);
        boxes.iter().for_each(|y| two_boxes(x, y));
    }
    assert!(boxes.len() == 34 && Enclosure::<E>::everything(precision).contains(&far()), "{}", boxes.len());
    assert!(Enclosure::<E>::everything(precision).contains(&-far()));
}

#[test]
fn boxes_of_doubles() {
    all::<f64>(());
}

#[test]
fn boxes_of_floats_of_any_precision() {
    all::<Float>(Format::wide(70));
    // Three bits cannot hold the sums and products: the ends are rounded outward.
    all::<Float>(Format::new(3, -90, 130).unwrap());
}

/// Ends that are no numbers, and a point of each kind.
#[test]
fn what_is_no_number_makes_no_enclosure() {
    assert!(Enclosure::point(f64::NAN, ()).is_none() && Enclosure::point(f64::INFINITY, ()).is_none());
    assert!(Enclosure::new(Float::nan(), Float::zero(false), Format::BINARY16).is_none());
    assert!(Enclosure::new(Float::zero(false), Float::nan(), Format::BINARY16).is_none());
    assert!(Enclosure::point(0.5, ()).unwrap().is_point());
    let third = rational(1, 3).unwrap();
    let (fast, half) =
        (Enclosure::<f64>::around(&third, ()), Enclosure::<Float>::around(&third, Format::BINARY16));
    assert!(fast.contains(&third) && !fast.is_point() && half.contains(&third) && !half.is_point());
    assert_eq!(
        (fast.low().next_up(), Some(fast.width_up())),
        (*fast.high(), fast.high().exact().map(|_| 2f64.powi(-54)))
    );
}
