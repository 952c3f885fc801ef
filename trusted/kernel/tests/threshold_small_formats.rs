//! The threshold theorem against the truth: on small formats the exact worst loss over all inputs, all
//! neighbours and all outcomes is computed by enumeration, for many parameters, and is never above what the
//! theorem says.

use std::collections::BTreeMap;

use probity_exact::directed::{add_down, cast_up, div_down, exp_up, ln_down, mul_up, sub_down};
use probity_exact::{Float, Format, Rational, Round, rational};
use probity_kernel::expr::Expr;
use probity_kernel::float::{
    Bound, Implementation, Rejection, Scaling, Snapped, Subject, Uniform, bound, shape::mironov_grid,
    threshold,
};
use probity_kernel::term::{Mechanism, Param, Reading, Sort};

const NEAR: Round = Round::NearestEven;

/// Every float u of [0, 1) that can be drawn with its mass, in units of the smallest mass.
fn uniform(format: Format, kind: Uniform) -> Vec<(Float, u64)> {
    let units = |x: &Rational, unit: &Rational| u64::try_from((x / unit).floor()).unwrap();
    let one = Float::from_f64(1.0);
    match kind {
        Uniform::Star => {
            let unit = format.min_positive().to_rational().unwrap();
            let mut all = vec![(Float::zero(false), 1)];
            let mut u = format.min_positive();
            while u.compare(&one).unwrap().is_lt() {
                let next = format.next_up(&u);
                let gap = next.to_rational().unwrap() - u.to_rational().unwrap();
                all.push((u, units(&gap, &unit)));
                u = next;
            }
            all
        }
        Uniform::Bits(bits) => (0..1i64 << bits)
            .map(|j| (format.round(&rational(j, 1i64 << bits).unwrap(), Round::Down), 1))
            .collect(),
    }
}

/// The law of s·n(u): values and masses in units of half the smallest mass of u.
fn noise(mechanism: &Snapped) -> Vec<(Float, u64)> {
    let format = mechanism.format;
    let mut law = Vec::new();
    for (u, mass) in uniform(format, mechanism.uniform) {
        let mut z = format.ln(&u, NEAR);
        for step in &mechanism.scaling {
            z = match step {
                Scaling::Divide(c) => format.div(&z, &format.round(c, NEAR), NEAR),
                Scaling::Multiply(c) => format.mul(&z, &format.round(c, NEAR), NEAR),
            };
        }
        law.push((z.negated(), mass));
        law.push((z, mass));
    }
    law
}

/// A number in units of the format's smallest one; infinities are far beyond everything.
fn units(x: &Float, format: Format) -> i64 {
    match x.to_rational() {
        None if x.is_negative() => -(1 << 50),
        None => 1 << 50,
        Some(exact) => i64::try_from((exact / format.min_positive().to_rational().unwrap()).floor()).unwrap(),
    }
}

/// The nearest multiple of 2^shift, ties to the even multiple.
fn nearest_multiple(x: i64, shift: u32) -> i64 {
    let (floor, rest) = (x >> shift, x & ((1 << shift) - 1));
    let half = (1 << shift) >> 1;
    let up = shift > 0 && (rest > half || (rest == half && floor & 1 == 1));
    (floor + i64::from(up)) << shift
}

/// The nearest float, in units; overflow is left to the clamp, which comes first at these bounds.
fn nearest_float(x: i64, precision: u32) -> i64 {
    let length = 64 - x.unsigned_abs().leading_zeros();
    nearest_multiple(x, length.saturating_sub(precision))
}

struct Truth {
    /// The largest log-ratio, over outcomes that both inputs can produce.
    loss: f64,
    /// An outcome that one of two neighbours cannot produce exists.
    impossible: bool,
    /// The largest Σ max(0, P − e^ε P'), rounded down, for the ε asked about.
    delta: f64,
}

/// The exact worst loss, and the exact δ at ε.
fn truth(mechanism: &Snapped, epsilon: f64) -> Truth {
    let format = mechanism.format;
    let law: Vec<(i64, u64)> = noise(mechanism).iter().map(|(z, mass)| (units(z, format), *mass)).collect();
    let total: u64 = law.iter().map(|(_, mass)| mass).sum();
    let in_units = |x: &Rational| units(&format.round(x, NEAR), format);
    let bound = in_units(&mechanism.bound);
    // Inputs are floats: what counts is how many whole units apart they may be.
    let sensitivity = units(&format.round(&mechanism.sensitivity, Round::Down), format);
    let grid = in_units(&mechanism.grid).trailing_zeros();
    let inputs: Vec<i64> =
        format.all_finite().unwrap().iter().map(|x| units(x, format)).filter(|x| x.abs() <= bound).collect();
    let mut places: BTreeMap<i64, usize> = BTreeMap::new();
    let mut rows: Vec<Vec<u64>> = Vec::new();
    for x in &inputs {
        let mut row = Vec::new();
        for (z, mass) in &law {
            let w = nearest_float(x + z, format.precision());
            let outcome = nearest_multiple(w, grid).clamp(-bound, bound);
            let next = places.len();
            let place = *places.entry(outcome).or_insert(next);
            if row.len() <= place {
                row.resize(place + 1, 0);
            }
            row[place] += mass;
        }
        assert_eq!(row.iter().sum::<u64>(), total);
        rows.push(row);
    }
    rows.iter_mut().for_each(|row| row.resize(places.len(), 0));
    let factor = exp_up(epsilon);
    let mut found = Truth { loss: 0.0, impossible: false, delta: 0.0 };
    for (i, x) in inputs.iter().enumerate() {
        // The inputs are in order: the neighbours above are consecutive. Both orders of the pair count.
        let above = inputs[i..].iter().take_while(|y| *y - x <= sensitivity).count();
        for j in i + 1..i + above {
            for (first, second) in [(&rows[i], &rows[j]), (&rows[j], &rows[i])] {
                let mut delta = 0.0;
                let mut worst = (1, 1);
                for (p, q) in first.iter().zip(second) {
                    match (*p, *q) {
                        (0, _) => continue,
                        (p, 0) => {
                            found.impossible = true;
                            delta = add_down(delta, p as f64);
                            continue;
                        }
                        (p, q) if p * worst.1 > worst.0 * q => worst = (p, q),
                        _ => {}
                    }
                    let over = sub_down(*p as f64, mul_up(factor, *q as f64));
                    if over > 0.0 {
                        delta = add_down(delta, over);
                    }
                }
                found.loss = found.loss.max(ln_down(div_down(worst.0 as f64, worst.1 as f64)));
                found.delta = found.delta.max(div_down(delta, total as f64));
            }
        }
    }
    found
}

fn mechanism(format: Format, epsilon: &Rational, grid: Rational, bound: i64) -> Snapped {
    Snapped {
        format,
        uniform: Uniform::Star,
        ln_ulps: 0,
        scaling: vec![Scaling::Divide(epsilon.clone())],
        grid,
        bound: rational(bound, 1).unwrap(),
        sensitivity: rational(1, 1).unwrap(),
    }
}

/// What the kernel finds for the term with these numbers; reading the term gives the numbers back.
fn bound_of(mechanism: &Snapped) -> Result<Bound, Rejection> {
    let (term, machine) = (mechanism.mechanism(), mechanism.implementation());
    let found = bound(&term, mechanism.reading(), machine)?;
    assert_eq!(found.subject(), &Subject::Mechanism(mechanism.clone()));
    assert!(threshold(&term, &found.claim(), machine).is_ok());
    Ok(found)
}

/// Compares one mechanism; returns exact and certified excess, when the theorem applies.
fn compare(mechanism: &Snapped) -> Option<(f64, f64, f64)> {
    let theorem = match bound_of(mechanism) {
        Ok(theorem) => theorem,
        Err(Rejection::CellTooNarrow { .. } | Rejection::CellTooWide | Rejection::GridTooFine { .. }) => {
            return None;
        }
        Err(other) => panic!("{mechanism:?}: {other}"),
    };
    let epsilon = theorem.epsilon();
    let found = truth(mechanism, cast_up(epsilon));
    let (certified, delta) = (cast_up(epsilon), cast_up(theorem.delta()));
    if theorem.delta().is_zero() {
        assert!(!found.impossible, "{mechanism:?}");
        assert!(found.loss <= certified, "{mechanism:?}: {} > {certified}", found.loss);
    }
    assert!(found.delta <= delta, "{mechanism:?}: {} > {delta}", found.delta);
    let ideal = cast_up(&(mechanism.rate() * &mechanism.sensitivity));
    Some((sub_down(found.loss, ideal), sub_down(certified, ideal), delta))
}

/// Without the feature `exhaustive`, one in so many of the parameters.
const LESS: usize = if cfg!(feature = "exhaustive") { 1 } else { 3 };

fn epsilons() -> Vec<Rational> {
    [(1, 4), (3, 8), (1, 2), (5, 8), (3, 4), (1, 1), (5, 4), (3, 2), (2, 1)]
        .map(|(n, d)| rational(n, d).unwrap())
        .to_vec()
}

#[test]
fn never_below_the_exact_loss() {
    let mut compared = 0;
    let mut pure = 0;
    let mut shares = Vec::new();
    for (precision, emin) in [(4, -9), (5, -9), (5, -12), (6, -12)] {
        let format = Format::new(precision, emin, 9).unwrap();
        for epsilon in epsilons().into_iter().step_by(LESS) {
            for bound in [1, 2, 3, 5] {
                let mechanism = mechanism(format, &epsilon, mironov_grid(&epsilon), bound);
                if let Some((exact, certified, delta)) = compare(&mechanism) {
                    compared += 1;
                    pure += usize::from(delta == 0.0);
                    shares.push(exact / certified);
                    println!(
                        "p {precision} emin {emin} eps {epsilon} B {bound}: exact {exact:.4}, certified {certified:.4}, delta {delta:.2e}"
                    );
                }
            }
        }
    }
    shares.sort_by(f64::total_cmp);
    println!("{compared} compared, {pure} pure; exact over certified excess up to {:?}", shares.last());
    assert!(compared >= 60 / LESS && pure >= 40 / LESS, "{compared} {pure}");
}

/// Other pipelines: a finer and a coarser grid, multiplication by a scale, a naive uniform.
#[test]
fn variants_are_covered_too() {
    let format = Format::new(6, -12, 9).unwrap();
    let mut compared = 0;
    for (n, d) in [(1, 2), (1, 1), (3, 2)] {
        let epsilon = rational(n, d).unwrap();
        for (up, down) in [(2, 1), (4, 1), (1, 2)] {
            let grid = mironov_grid(&epsilon) * rational(up, down).unwrap();
            compared += usize::from(compare(&mechanism(format, &epsilon, grid, 3)).is_some());
        }
        let mut scaled = mechanism(format, &epsilon, mironov_grid(&epsilon), 3);
        scaled.scaling = vec![Scaling::Multiply(rational(3, 2).unwrap()), Scaling::Divide(epsilon.clone())];
        compared += usize::from(compare(&scaled).is_some());
        for sensitivity in [(1, 2), (2, 1)] {
            let mut wide = mechanism(format, &epsilon, mironov_grid(&epsilon), 4);
            wide.sensitivity = rational(sensitivity.0, sensitivity.1).unwrap();
            compared += usize::from(compare(&wide).is_some());
        }
    }
    assert!(compared >= 12, "{compared}");
}

/// Eleven bits need the naive uniform's own grid; with few bits outcomes become impossible, and the theorem
/// then does not claim a pure loss.
#[test]
fn a_naive_uniform_widens_the_loss() {
    let format = Format::new(11, -14, 15).unwrap();
    let mut small = mechanism(format, &rational(1, 1).unwrap(), rational(1, 1).unwrap(), 1);
    let star = bound_of(&small).unwrap();
    small.uniform = Uniform::Bits(11);
    let naive = bound_of(&small);
    if let Ok(naive) = &naive {
        assert!(naive.excess() > star.excess() || !naive.delta().is_zero());
    }
    let mut large = mechanism(format, &rational(1, 1).unwrap(), rational(1, 1).unwrap(), 8);
    large.uniform = Uniform::Bits(11);
    if let Ok(theorem) = bound_of(&large) {
        assert!(!theorem.delta().is_zero());
    }
}

/// The mechanism with the parameters eps and B within ranges.
fn family(epsilon: (Rational, Rational), bound: (Rational, Rational), sensitivity: &Rational) -> Mechanism {
    let (x, b, eps) = (Expr::var("x"), Expr::var("B"), Expr::var("eps"));
    let real = |name: &str| Param { name: name.into(), sort: Sort::Real };
    let number = |x: &Rational| Expr::Number(x.clone());
    let one = rational(1, 1).unwrap();
    let format = Format::BINARY64;
    let scaling = vec![];
    let snapped = Snapped {
        format,
        uniform: Uniform::Star,
        ln_ulps: 0,
        scaling,
        grid: one.clone(),
        bound: one,
        sensitivity: sensitivity.clone(),
    };
    let mut term = snapped.mechanism();
    term.params = vec![real("eps"), real("B")];
    term.assumptions = vec![x.clone().abs().le(b.clone())];
    for (name, (low, high)) in [("eps", &epsilon), ("B", &bound)] {
        term.assumptions.extend([number(low).le(Expr::var(name)), Expr::var(name).le(number(high))]);
    }
    let noise = Expr::var("s") * Expr::var("u").ln() / eps.clone();
    let grid = (Expr::int(1) / eps).pow2_at_least();
    term.body.pop();
    term.output = (x + noise).round_to(grid).clamp(-b.clone(), b);
    term
}

/// The numbers from low to high in steps.
fn steps(low: &Rational, high: &Rational, step: &Rational) -> Vec<Rational> {
    let count = u64::try_from(((high - low) / step).floor()).unwrap();
    (0..=count).map(|k| low + step * Rational::from(k)).collect()
}

/// A theorem about ranges holds for every parameter in them, floats and others: the program computes with parameters rounded to
/// nearest, and the claim is about the exact ones.
#[test]
fn a_family_covers_each_of_its_members() {
    let q = |n: i64, d: i64| rational(n, d).unwrap();
    let (precision, emin, emax) = (5, -11, 9);
    let format = Format::new(precision, emin, emax).unwrap();
    let reading = Reading::Binary { precision, emin: emin as i32, emax: emax as i32 };
    let machine = Implementation::default();
    let mut members = 0;
    for (low, high) in [(q(9, 10), q(11, 10)), (q(1, 1), q(3, 2))] {
        for sensitivity in [q(1, 1), q(7, 10)] {
            let bounds = (q(1, 1), q(3, 2));
            let term = family((low.clone(), high.clone()), bounds.clone(), &sensitivity);
            let found = bound(&term, reading, machine).unwrap();
            let theorem = threshold(&term, &found.claim(), machine).unwrap();
            assert!(theorem.bound().delta().is_zero());
            // Not multiples of a unit in the last place, so that some are rounded up and some down.
            for epsilon in steps(&low, &high, &q(1, 23)) {
                for b in steps(&bounds.0, &bounds.1, &q(9, 20)) {
                    let round = |x: &Rational| format.round(x, NEAR).to_rational().unwrap();
                    let member = Snapped {
                        sensitivity: sensitivity.clone(),
                        bound: round(&b),
                        ..mechanism(format, &round(&epsilon), mironov_grid(&round(&epsilon)), 1)
                    };
                    // The computed grid is that of the rounded ε.
                    let one = Float::from_f64(1.0);
                    let quotient =
                        format.div(&one, &format.round(&epsilon, NEAR), NEAR).to_rational().unwrap();
                    assert_eq!(mironov_grid(&(q(1, 1) / quotient)), member.grid, "{epsilon}");
                    let claimed = cast_up(&(&epsilon * &sensitivity + found.excess()));
                    let truth = truth(&member, claimed);
                    assert!(!truth.impossible && truth.loss <= claimed, "{epsilon} {b}: {}", truth.loss);
                    members += 1;
                }
            }
        }
    }
    assert!(members > 50, "{members}");
}

/// 1/ε is never rounded to a power of two that is less: the grid that is computed is the one that was meant.
#[test]
fn the_computed_grid_is_that_of_the_real_quotient() {
    let format = Format::new(7, -20, 20).unwrap();
    let one = Float::from_f64(1.0);
    let mut epsilon = format.round(&rational(1, 64).unwrap(), NEAR);
    while epsilon.compare(&Float::from_f64(64.0)).unwrap().is_le() {
        let exact = epsilon.to_rational().unwrap();
        let quotient = format.div(&one, &epsilon, NEAR).to_rational().unwrap();
        assert_eq!(mironov_grid(&(Rational::ONE / quotient)), mironov_grid(&exact), "{exact}");
        epsilon = format.next_up(&epsilon);
    }
}

/// Numbers that the format does not hold: constants and the bound are rounded, the distance is taken as it is.
#[test]
fn exact_parameters_are_claimed_and_rounded_ones_are_run() {
    let q = |n: i64, d: i64| rational(n, d).unwrap();
    let format = Format::new(5, -11, 9).unwrap();
    let reading = Reading::Binary { precision: 5, emin: -11, emax: 9 };
    let machine = Implementation::default();
    let mut offsets = 0;
    for (n, d) in [(1, 3), (2, 3), (7, 9), (1, 1), (11, 10), (13, 9), (17, 9)] {
        for sensitivity in [q(1, 1), q(31, 30)] {
            let epsilon = q(n, d);
            let written = Snapped {
                sensitivity: sensitivity.clone(),
                bound: q(19, 9),
                ..mechanism(format, &epsilon, mironov_grid(&epsilon), 1)
            };
            let Ok(found) = bound(&written.mechanism(), reading, machine) else { continue };
            let Subject::Mechanism(run) = found.subject() else { panic!("numbers only") };
            assert_eq!(run.sensitivity, sensitivity);
            assert_eq!(run.rate(), format.round(&epsilon, NEAR).to_rational().unwrap());
            assert_eq!(found.ideal(), &Expr::Number(&epsilon * &sensitivity));
            assert_eq!(*found.epsilon(), &epsilon * &sensitivity + found.excess());
            offsets += usize::from(run.rate() != epsilon);
            let truth = truth(run, cast_up(found.epsilon()));
            assert!(truth.loss <= cast_up(found.epsilon()), "{epsilon} {sensitivity}");
            assert!(truth.delta <= cast_up(found.delta()));
        }
    }
    assert!(offsets >= 4, "{offsets}");
}

/// At the edges of a format, where a step more is refused: the smallest largest exponent, the largest smallest exponent, the
/// finest and the coarsest grid and the largest bound that are accepted.
#[test]
fn the_edges_of_formats_hold() {
    let q = |n: i64, d: i64| rational(n, d).unwrap();
    let mut edges = 0;
    for epsilon in [q(1, 2), q(5, 4), q(2, 1)] {
        for precision in [4, 5] {
            let at = |emin: i64, emax: i64| {
                let format = Format::new(precision, emin, emax).ok()?;
                let snapped = mechanism(format, &epsilon, mironov_grid(&epsilon), 2);
                bound_of(&snapped).is_ok().then_some(snapped)
            };
            let exponents = (4..12).find_map(|emax| at(-10, emax));
            let depths = (6..14).find_map(|depth| at(-depth, 9));
            let format = Format::new(precision, -10, 9).unwrap();
            let widest = (1..8).rev().find_map(|b| {
                let snapped = mechanism(format, &epsilon, mironov_grid(&epsilon), b);
                bound_of(&snapped).is_ok().then_some(snapped)
            });
            let grids = [-3, -2, -1, 0, 1, 2, 3].map(|k| match k < 0 {
                true => q(1, 1 << -k),
                false => q(1 << k, 1),
            });
            let grids = grids.map(|grid| mechanism(format, &epsilon, grid, 2));
            for snapped in [exponents, depths, widest].into_iter().flatten().chain(grids) {
                edges += usize::from(compare(&snapped).is_some());
            }
        }
    }
    assert!(edges >= 20, "{edges}");
}
