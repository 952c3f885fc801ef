//! The largest error at sampled inputs: a proved lower bound of the true worst error. Candidates are screened
//! with doubled precision; the best are computed again with correctly rounded software floats against an
//! enclosure of the real result, and only that counts.

use std::cmp::Ordering;

use probity_exact::{Enclosure, Float, Format, Rational, Round, directed};

use super::doubled::Doubled;
use crate::fpcore::{Comparison, Core, Input, Path};
use crate::interval::Interval;
use crate::program::{NodeId, Op, Program, enclose};
use crate::trigonometry::Arithmetic;

/// Working precision of the enclosures.
const BITS: u32 = 160;

/// Candidates that are computed again.
const FINALISTS: usize = 4;

/// Products of words of 64 bits that all samples together may take, about: half a second.
const LIMBS: usize = 100_000_000;

/// What one sample takes, about, in products of words: those of one product for an operation, and for a function, which is a series, some
/// hundred times as many.
fn limbs(program: &Program) -> usize {
    let cost = |node: &crate::program::Node| {
        let words = node.format.precision() as usize / 64 + 1;
        let series = if node.op.is_library_function() { 4 + node.format.precision() as usize / 4 } else { 1 };
        words.saturating_mul(words).saturating_mul(series)
    };
    program.nodes().iter().map(cost).fold(1, usize::saturating_add)
}

/// A deterministic source of sample points.
struct Source(u64);

impl Source {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mixed = (self.0 ^ (self.0 >> 33)).wrapping_mul(0xff51afd7ed558ccd);
        mixed ^ (mixed >> 33)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The largest error found at up to `count` inputs, most of them around the places given; `None` when no
/// input met the conditions. The real result is compared with what the program computes from rounded
/// inputs (or from float inputs, with `exact_inputs`).
pub fn sampled_error(core: &Core, places: &[Vec<Interval>], count: usize, exact_inputs: bool) -> Option<f64> {
    // Doubles inside the ranges, whose ends need not be doubles.
    let mut ranges = Vec::new();
    for input in &core.inputs {
        let low = directed::cast_up(input.low.as_ref()?);
        let high = directed::cast_down(input.high.as_ref()?);
        ranges.push((low <= high).then(|| Interval::new(low, high))?);
    }
    let ranges = ranges.as_slice();
    let mut source = Source(1);
    let screened = |op: &Op| !matches!(op, Op::Trigonometric(..) | Op::Power(..));
    let fast = core.program.nodes().iter().all(|node| node.format == Format::BINARY64 && screened(&node.op));
    // Software floats are some hundred times slower, and trigonometric functions of them slower still.
    let plain = core.program.nodes().iter().all(|node| screened(&node.op));
    let count = match (fast, plain) {
        (true, _) => count,
        (_, true) => count / 20,
        _ => count / 100,
    };
    // In a wide format fewer are tried, so that all take no longer.
    let count = if fast { count } else { count.min((LIMBS / limbs(&core.program)).max(1)) };
    // Floats of more bits than a double has are near doubles, as reals are; `verified` rounds them.
    let doubles = exact_inputs && core.inputs.iter().all(|input| input.format.precision() <= 53);
    let constants = fast.then(|| constants(&core.program));
    let mut best: Vec<(f64, Vec<Doubled>)> = Vec::new();
    for round in 0..count {
        let point: Vec<Doubled> = match best.first() {
            // A third of the time, step from the best so far.
            Some((_, centre)) if round % 3 == 2 => {
                centre.iter().zip(ranges).map(|(x, range)| near(*x, *range, &mut source, doubles)).collect()
            }
            _ => {
                let pick = source.next() as usize % (places.len() + 1);
                let place = places.get(pick).map_or(ranges, |place| place);
                place.iter().zip(ranges).map(|(s, range)| draw(*s, *range, &mut source, doubles)).collect()
            }
        };
        let error = match &constants {
            Some(constants) => screen(core, &point, constants),
            None => verified(core, &point, exact_inputs),
        };
        let Some(error) = error.filter(|error| error.is_finite()) else { continue };
        if best.len() < FINALISTS || best.last().is_some_and(|(last, _)| error > *last) {
            best.push((error, point));
            best.sort_by(|a, b| b.0.total_cmp(&a.0));
            best.truncate(FINALISTS);
        }
    }
    if !fast {
        return best.first().map(|(error, _)| *error);
    }
    best.iter().filter_map(|(_, point)| verified(core, point, exact_inputs)).max_by(f64::total_cmp)
}

/// A point in the range: a double, and how far the real lies from it.
fn draw(place: Interval, range: Interval, source: &mut Source, exact: bool) -> Doubled {
    let share = match source.next() % 8 {
        0 => 0.0,
        1 => 1.0,
        2 => source.unit() * 1e-3,
        3 => 1.0 - source.unit() * 1e-3,
        _ => source.unit(),
    };
    let high = place.low() + share * (place.high() - place.low());
    offset(high, range, source, exact)
}

/// A step from a point, of any size from the last place to a tenth of the range.
fn near(x: Doubled, range: Interval, source: &mut Source, exact: bool) -> Doubled {
    let size = (range.high() - range.low()) * 2f64.powi(-3 - (source.next() % 50) as i32);
    offset(x.high + (source.unit() - 0.5) * size, range, source, exact)
}

fn offset(high: f64, range: Interval, source: &mut Source, exact: bool) -> Doubled {
    let high = high.clamp(range.low(), range.high());
    if exact || high == range.low() || high == range.high() {
        return Doubled::from(high);
    }
    // Up to just below half a unit, mostly near it, where rounding the input costs most.
    let half = (high.next_up() - high).min(high - high.next_down()) * 0.499_999;
    let share = if source.next().is_multiple_of(2) { 1.0 } else { source.unit() };
    let sign = if source.next().is_multiple_of(2) { 1.0 } else { -1.0 };
    Doubled { high, low: sign * share * half }
}

fn constants(program: &Program) -> Vec<(f64, Doubled)> {
    let pair = |value: &Rational| {
        let high = directed::cast_nearest(value);
        let rest = probity_exact::rational_from_f64(high)
            .map_or(0.0, |exact| directed::cast_nearest(&(value - exact)));
        (high, Doubled { high, low: rest })
    };
    let none = (0.0, Doubled::from(0.0));
    program
        .nodes()
        .iter()
        .map(|node| if let Op::Constant(c) = &node.op { pair(&c.low) } else { none })
        .collect()
}

/// The error at a point, about: hardware doubles against doubled ones.
fn screen(core: &Core, point: &[Doubled], constants: &[(f64, Doubled)]) -> Option<f64> {
    let mut values: Vec<(f64, Doubled)> = Vec::with_capacity(core.program.nodes().len());
    for (id, node) in core.program.nodes().iter().enumerate() {
        let v = |x: NodeId| values[x];
        let value = match node.op {
            Op::Constant(_) => constants[id],
            Op::Input(i) => (point[i].high, point[i]),
            Op::Neg(x) => (-v(x).0, v(x).1.negated()),
            Op::Abs(x) => (v(x).0.abs(), if v(x).1.high < 0.0 { v(x).1.negated() } else { v(x).1 }),
            Op::Add(x, y) => (v(x).0 + v(y).0, v(x).1.plus(v(y).1)),
            Op::Sub(x, y) => (v(x).0 - v(y).0, v(x).1.plus(v(y).1.negated())),
            Op::Mul(x, y) => (v(x).0 * v(y).0, v(x).1.times(v(y).1)),
            Op::Div(x, y) => (v(x).0 / v(y).0, v(x).1.over(v(y).1)),
            Op::Sqrt(x) => (v(x).0.sqrt(), v(x).1.root()),
            Op::Fma(x, y, z) => (v(x).0.mul_add(v(y).0, v(z).0), v(x).1.times(v(y).1).plus(v(z).1)),
            Op::Min(x, y) => (v(x).0.min(v(y).0), if v(x).1.at_most(v(y).1) { v(x).1 } else { v(y).1 }),
            Op::Max(x, y) => (v(x).0.max(v(y).0), if v(x).1.at_most(v(y).1) { v(y).1 } else { v(x).1 }),
            Op::Cast(x) => v(x),
            Op::Exp(x) => (directed::exp_nearest(v(x).0), v(x).1.exp()),
            // Not screened: such programs are sampled with enclosures only.
            Op::Trigonometric(..) | Op::Power(..) => return None,
            Op::Ln(x) => {
                let start = directed::ln_nearest(v(x).1.high);
                (directed::ln_nearest(v(x).0), v(x).1.ln(start))
            }
        };
        values.push(value);
    }
    let really = |c: &Comparison| values[c.left].1.at_most(values[c.right].1);
    if !core.constraints.iter().all(really) {
        return None;
    }
    let real = core.paths.iter().find(|path| path.guards.iter().all(really))?;
    let float = core.paths.iter().find(|path| {
        path.guards.iter().all(|c| {
            let (left, right) = (values[c.left].0, values[c.right].0);
            if c.strict { left < right } else { left <= right }
        })
    })?;
    let off = Doubled::from(values[float.result].0).plus(values[real.result].1.negated());
    Some(off.high.abs())
}

/// A float of the input's format near the number, on the inner side where an end of the range is the nearest.
fn nearby_float(x: &Rational, input: &Input) -> Option<Rational> {
    let nearest = input.format.round(x, Round::NearestEven).to_rational()?;
    let inward = match () {
        () if input.low.as_ref().is_some_and(|low| nearest < *low) => Round::Up,
        () if input.high.as_ref().is_some_and(|high| *high < nearest) => Round::Down,
        () => return Some(nearest),
    };
    input.format.round(x, inward).to_rational()
}

/// A lower bound of the error at a point, from an enclosure of the real result; `None` when the
/// enclosures do not decide the conditions or the result is not finite.
fn verified(core: &Core, point: &[Doubled], exact_inputs: bool) -> Option<f64> {
    let wide = Format::wide(BITS);
    let mut reals = Vec::new();
    for (x, input) in point.iter().zip(&core.inputs) {
        let mut exact = probity_exact::rational_from_f64(x.high)? + probity_exact::rational_from_f64(x.low)?;
        if exact_inputs {
            exact = nearby_float(&exact, input)?;
        }
        let low = input.low.as_ref().is_none_or(|low| *low <= exact);
        let high = input.high.as_ref().is_none_or(|high| exact <= *high);
        if !low || !high {
            return None;
        }
        reals.push(exact);
    }
    let mut values: Vec<Enclosure<Float>> = Vec::new();
    for node in core.program.nodes() {
        let value = match node.op {
            Op::Constant(ref c) => Enclosure::around(&c.low, wide).hull(&Enclosure::around(&c.high, wide)),
            Op::Input(i) => Enclosure::around(reals.get(i)?, wide),
            _ => enclose(&node.op, |x| Some(values[x].clone())).unwrap_or(Enclosure::everything(wide)),
        };
        values.push(value);
    }
    let surely = |c: &Comparison| {
        let order = values[c.left].high().compare(values[c.right].low());
        order == Some(Ordering::Less) || (order == Some(Ordering::Equal) && !c.strict)
    };
    if !core.constraints.iter().all(surely) {
        return None;
    }
    let real: &Path = core.paths.iter().find(|path| path.guards.iter().all(surely))?;
    let inputs: Vec<Float> =
        reals.iter().zip(&core.inputs).map(|(x, input)| input.format.round(x, Round::NearestEven)).collect();
    let floats = core.program.run(&inputs);
    let float = core.paths.iter().find(|path| {
        path.guards.iter().all(|c| {
            let order = floats[c.left].compare(&floats[c.right]);
            order == Some(Ordering::Less) || (order == Some(Ordering::Equal) && !c.strict)
        })
    })?;
    let computed = Enclosure::point(floats[float.result].clone(), wide)?;
    let off = (computed - values[real.result].clone()).abs();
    // An exact result is off by 0, whose sign says nothing.
    Some(off.doubles().0 + 0.0)
}
