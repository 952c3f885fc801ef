//! The soundness of the bounds as tests: no computed value escapes, on a million random and awkward points per
//! operator in binary64, and on every input of small formats.

use probity_exact::{Float, Format, Rational, Round, directed, rational_from_f64};

use super::doubled::Doubled;
use super::tape::{Evaluation, Tape};
use crate::interval::Interval;
use crate::program::{Op, Program, Trigonometric, enclose};

struct Source(u64);

impl Source {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(0x9e3779b97f4a7c15);
        mixed ^ (mixed >> 29)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A range: wide, narrow, around a power of two, or around 0.
    fn range(&mut self) -> Interval {
        let scale = 2f64.powi((self.next() % 40) as i32 - 20);
        let centre = match self.next() % 4 {
            0 => 0.0,
            1 => scale,
            _ => (self.unit() - 0.5) * 2.0 * scale,
        };
        let width = scale * 2f64.powi(-((self.next() % 45) as i32));
        Interval::new(centre - width, centre + width)
    }

    /// A member of the range, often an end or a power of two, and how far the real lies from the double.
    fn member(&mut self, range: Interval) -> Doubled {
        let high = match self.next() % 8 {
            0 => range.low(),
            1 => range.high(),
            2 => 2f64.powi((self.next() % 40) as i32 - 20),
            _ => range.low() + self.unit() * (range.high() - range.low()),
        };
        let high = high.clamp(range.low(), range.high());
        if high == range.low() || high == range.high() || high == 0.0 {
            return Doubled { high, low: 0.0 };
        }
        let half = (high.next_up() - high).min(high - high.next_down()) * 0.5;
        let share = if self.next().is_multiple_of(2) { 0.9999 } else { self.unit() };
        Doubled { high, low: if self.next().is_multiple_of(2) { half * share } else { -half * share } }
    }
}

fn unary(op: impl Fn(usize) -> Op) -> Program {
    program(1, |ids| op(ids[0]))
}

fn binary(op: impl Fn(usize, usize) -> Op) -> Program {
    program(2, |ids| op(ids[0], ids[1]))
}

fn program(inputs: usize, op: impl Fn(&[usize]) -> Op) -> Program {
    in_format(inputs, Format::BINARY64, op)
}

fn in_format(inputs: usize, format: Format, op: impl Fn(&[usize]) -> Op) -> Program {
    let mut made = Program::default();
    let ids: Vec<usize> = (0..inputs).map(|i| made.add(Op::Input(i), format).unwrap()).collect();
    made.add(op(&ids), format).unwrap();
    made
}

/// A million points: the hardware's result against doubled precision, and the error and the range of the tape.
fn million(
    name: &str,
    program: &Program,
    hardware: impl Fn(&[f64]) -> f64,
    real: impl Fn(&[Doubled]) -> Doubled,
) {
    let mut source = Source(name.len() as u64 + 17);
    let inputs = program.nodes().iter().filter(|node| matches!(node.op, Op::Input(_))).count();
    let root = program.nodes().len() - 1;
    let tape = Tape::new(program, false);
    let mut evaluation = Evaluation::default();
    let (mut points, mut tight) = (0u64, 0.0f64);
    while points < 1_000_000 {
        let ranges: Vec<Interval> = (0..inputs).map(|_| source.range()).collect();
        tape.forward(&ranges, None, &mut evaluation);
        let sum = tape.backward(root, &mut evaluation);
        let bound = sum.min(evaluation.error[root]);
        points += 100;
        if !bound.is_finite() {
            continue;
        }
        let wide = evaluation.computed[root];
        for _ in 0..100 {
            let members: Vec<Doubled> = ranges.iter().map(|range| source.member(*range)).collect();
            let rounded: Vec<f64> = members.iter().map(|x| x.high).collect();
            let computed = hardware(&rounded);
            let exact = real(&members);
            let error = Doubled::from(computed).plus(exact.negated()).high.abs();
            // Doubled results are right to 2^-90.
            let slack = exact.high.abs() * 2f64.powi(-90);
            assert!(error - slack <= bound, "{name} {members:?}: {error:e} > {bound:e} over {ranges:?}");
            assert!(
                wide.low() <= computed && computed <= wide.high(),
                "{name} {members:?}: {computed} {wide:?}"
            );
            tight = tight.max(error / bound);
        }
    }
    assert!(tight > 0.9, "{name}: the bound is never nearly attained, {tight}");
}

#[test]
fn a_million_points_of_sums() {
    million("add", &binary(Op::Add), |x| x[0] + x[1], |x| x[0].plus(x[1]));
    million("sub", &binary(Op::Sub), |x| x[0] - x[1], |x| x[0].plus(x[1].negated()));
}

#[test]
fn a_million_points_of_products() {
    million("mul", &binary(Op::Mul), |x| x[0] * x[1], |x| x[0].times(x[1]));
    million("square", &unary(|x| Op::Mul(x, x)), |x| x[0] * x[0], |x| x[0].times(x[0]));
    let fma = program(3, |ids| Op::Fma(ids[0], ids[1], ids[2]));
    million("fma", &fma, |x| x[0].mul_add(x[1], x[2]), |x| x[0].times(x[1]).plus(x[2]));
}

#[test]
fn a_million_points_of_quotients_and_roots() {
    million("div", &binary(Op::Div), |x| x[0] / x[1], |x| x[0].over(x[1]));
    million("sqrt", &unary(Op::Sqrt), |x| x[0].sqrt(), |x| x[0].root());
}

#[test]
fn a_million_points_of_choices() {
    million("abs", &unary(Op::Abs), |x| x[0].abs(), |x| if x[0].high < 0.0 { x[0].negated() } else { x[0] });
    million("min", &binary(Op::Min), |x| x[0].min(x[1]), |x| if x[0].at_most(x[1]) { x[0] } else { x[1] });
    million("max", &binary(Op::Max), |x| x[0].max(x[1]), |x| if x[0].at_most(x[1]) { x[1] } else { x[0] });
}

#[test]
fn a_million_points_of_exp_and_ln() {
    // The doubled exponential is made for moderate exponents; clamping is part of the program.
    let small = {
        let mut made = Program::default();
        let x = made.add(Op::Input(0), Format::BINARY64).unwrap();
        let low =
            made.add(Op::Constant(crate::numeral::constant("-600").unwrap()), Format::BINARY64).unwrap();
        let high =
            made.add(Op::Constant(crate::numeral::constant("600").unwrap()), Format::BINARY64).unwrap();
        let above = made.add(Op::Max(x, low), Format::BINARY64).unwrap();
        let between = made.add(Op::Min(above, high), Format::BINARY64).unwrap();
        made.add(Op::Exp(between), Format::BINARY64).unwrap();
        made
    };
    let clamp = |x: Doubled| if x.high.abs() < 600.0 { x } else { Doubled::from(600f64.copysign(x.high)) };
    million("exp", &small, |x| directed::exp_nearest(x[0].clamp(-600.0, 600.0)), |x| clamp(x[0]).exp());
    million(
        "ln",
        &unary(Op::Ln),
        |x| directed::ln_nearest(x[0]),
        |x| x[0].ln(directed::ln_nearest(x[0].high)),
    );
}

/// Every pair of floats of a small format as exact inputs, alone and within ranges that hold many: the software float
/// against exact rationals (enclosures of 200 bits for √, exp and ln).
#[test]
fn every_input_of_small_formats() {
    for (precision, emin, emax) in [(2, -3, 3), (3, -3, 3), (4, -2, 2), (5, -1, 2), (6, -1, 1)] {
        let format = Format::new(precision, emin, emax).unwrap();
        let all: Vec<f64> = format.all_finite().unwrap().iter().map(|x| x.to_f64().unwrap()).collect();
        type Make = fn(&[usize]) -> Op;
        let operations: [(usize, Make); 15] = [
            (2, |x| Op::Add(x[0], x[1])),
            (2, |x| Op::Sub(x[0], x[1])),
            (2, |x| Op::Mul(x[0], x[1])),
            (2, |x| Op::Div(x[0], x[1])),
            (2, |x| Op::Min(x[0], x[1])),
            (2, |x| Op::Max(x[0], x[1])),
            (1, |x| Op::Abs(x[0])),
            (1, |x| Op::Sqrt(x[0])),
            (1, |x| Op::Exp(x[0])),
            (1, |x| Op::Ln(x[0])),
            (1, |x| Op::Trigonometric(Trigonometric::Sine, x[0])),
            (1, |x| Op::Trigonometric(Trigonometric::Cosine, x[0])),
            (1, |x| Op::Trigonometric(Trigonometric::Tangent, x[0])),
            (1, |x| Op::Trigonometric(Trigonometric::Arctangent, x[0])),
            (1, |x| Op::Power(x[0], 3)),
        ];
        for (inputs, make) in operations {
            let program = in_format(inputs, format, make);
            exhaustively(&program, inputs, &all);
        }
    }
}

fn exhaustively(program: &Program, inputs: usize, all: &[f64]) {
    let root = program.nodes().len() - 1;
    let tape = Tape::new(program, true);
    let mut evaluation = Evaluation::default();
    let mut bound_of = |ranges: &[Interval]| {
        tape.forward(ranges, None, &mut evaluation);
        let sum = tape.backward(root, &mut evaluation);
        (sum.min(evaluation.error[root]), evaluation.computed[root])
    };
    // Ranges of eight consecutive floats: their bounds have to hold for all members.
    let blocks: Vec<Interval> =
        all.chunks(8).map(|block| Interval::new(block[0], block[block.len() - 1])).collect();
    let others: &[f64] = if inputs == 1 { &[0.0] } else { all };
    let wide = Format::wide(200);
    let mut block_bounds = std::collections::HashMap::new();
    for (i, x) in all.iter().enumerate() {
        for (j, y) in others.iter().enumerate() {
            let point = [Interval::point(*x), Interval::point(*y)];
            let (alone, alone_range) = bound_of(&point[..inputs]);
            let pair = (i / 8, j / 8);
            let (block, _) = *block_bounds.entry(pair).or_insert_with(|| {
                let ranges = [blocks[pair.0], if inputs == 1 { Interval::ZERO } else { blocks[pair.1] }];
                bound_of(&ranges[..inputs])
            });
            let floats = [Float::from_f64(*x), Float::from_f64(*y)];
            let computed = &program.run(&floats[..inputs])[root];
            let exact = enclose(&program.nodes()[root].op, |id| {
                let value: Rational = rational_from_f64([*x, *y][id])?;
                Some(probity_exact::Enclosure::around(&value, wide))
            });
            let (Some(computed), Some(exact)) = (computed.to_rational(), exact) else {
                // Overflow or undefined: no finite bound may be claimed.
                assert!(alone.is_infinite() && block.is_infinite(), "{:?} {x} {y}", program.nodes()[root].op);
                continue;
            };
            let point = probity_exact::Enclosure::around(&computed, wide);
            let error = (point - exact).abs().low().to_rational().unwrap();
            for bound in [alone, block].into_iter().filter(|bound| bound.is_finite()) {
                let bound = rational_from_f64(bound).unwrap();
                assert!(error <= bound, "{:?} {x} {y}: {error} > {bound}", program.nodes()[root].op);
            }
            let computed = directed::cast_nearest(&computed);
            assert!(alone_range.low() <= computed && computed <= alone_range.high());
        }
    }
}

/// Reals between the floats: rounding the input is part of the error.
#[test]
fn every_rounded_input_of_small_formats() {
    for precision in 2..=6 {
        let format = Format::new(precision, -3, 6).unwrap();
        let program = in_format(1, format, |x| Op::Mul(x[0], x[0]));
        let tape = Tape::new(&program, false);
        let mut evaluation = Evaluation::default();
        for i in -3000i64..=3000 {
            let exact = probity_exact::rational(i, 1000).unwrap();
            let range = Interval::around(&exact, &exact);
            tape.forward(&[range], None, &mut evaluation);
            let bound = tape.backward(1, &mut evaluation);
            let rounded = format.round(&exact, Round::NearestEven);
            let computed = format.mul(&rounded, &rounded, Round::NearestEven).to_rational().unwrap();
            let error = computed - &exact * &exact;
            let limit = rational_from_f64(bound).unwrap();
            assert!(error <= limit && -error <= limit, "{precision} {i}");
        }
    }
}

/// A library that errs by any amount up to its bound, in any direction, at a hundred thousand points: neither the error nor the
/// value escapes. With a unit less they do.
#[test]
fn a_library_within_its_units() {
    type Function = (Program, fn(f64) -> f64, fn(Doubled) -> Doubled);
    let functions: [Function; 2] = [
        (unary(Op::Exp), directed::exp_nearest, |x| x.exp()),
        (unary(Op::Ln), directed::ln_nearest, |x| x.ln(directed::ln_nearest(x.high))),
    ];
    for (program, nearest, exact) in functions {
        for ulps in 1..=3u32 {
            let mut source = Source(u64::from(ulps) + 31);
            let (tape, fewer) =
                (Tape::with_library(&program, true, ulps), Tape::with_library(&program, true, ulps - 1));
            let mut evaluation = Evaluation::default();
            let (mut tight, mut escapes) = (0.0f64, 0);
            for _ in 0..2_000 {
                let range = source.range();
                if range.magnitude() > 300.0
                    || (range.low() <= 0.0 && matches!(program.nodes()[1].op, Op::Ln(_)))
                {
                    continue;
                }
                fewer.forward(&[range], None, &mut evaluation);
                let less = evaluation.error[1];
                tape.forward(&[range], None, &mut evaluation);
                let (bound, computed_range) = (evaluation.error[1], evaluation.computed[1]);
                for _ in 0..50 {
                    let x = source.member(range).high;
                    let mut computed = nearest(x);
                    for _ in 0..ulps {
                        computed = if source.next().is_multiple_of(2) {
                            computed.next_up()
                        } else {
                            computed.next_down()
                        };
                    }
                    let truth = exact(Doubled::from(x));
                    let error = Doubled::from(computed).plus(truth.negated()).high.abs();
                    if truth.high == 0.0 {
                        continue;
                    }
                    let unit = 2f64.powi((truth.high.abs().to_bits() >> 52) as i32 - 1023 - 52);
                    if error > f64::from(ulps) * unit {
                        continue;
                    }
                    assert!(error <= bound, "{x}: {error:e} > {bound:e} over {range:?}");
                    assert!(computed_range.low() <= computed && computed <= computed_range.high());
                    tight = tight.max(error / bound);
                    escapes += u32::from(error > less);
                }
            }
            assert!(tight > 0.8 && escapes > 0, "{ulps}: {tight} {escapes}");
        }
    }
}
