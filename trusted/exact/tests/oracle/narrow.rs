//! Formats narrower than binary64: binary32 on samples, binary16 and tiny formats on everything.

use probity_exact::{Float, Format, Round};

use crate::fixtures::{DIRECTIONS, Digest, Operation, hex, lines, soft};
use crate::inputs;

const TINY: &str = include_str!("../data/tiny_formats.txt");
const HALF: &str = include_str!("../data/binary16.txt");
const SINGLE: &str = include_str!("../data/binary32.txt");

const TINY_EMIN: i64 = -8;
const TINY_EMAX: i64 = 8;

/// Every datum of a tiny format, in the order of the fixtures: +0 upwards to +∞, −0 downwards to −∞, NaN.
fn tiny_data(format: &Format) -> Vec<Float> {
    let mut positive = vec![Float::zero(false)];
    while let Some(last) = positive.last().filter(|last| last.is_finite()) {
        let next = format.next_up(last);
        positive.push(next);
    }
    let negative: Vec<Float> = positive.iter().map(Float::negated).collect();
    positive.into_iter().chain(negative).chain([Float::nan()]).collect()
}

fn direction_named(name: &str) -> Round {
    match name {
        "nearest" => Round::NearestEven,
        "nearest_away" => Round::NearestAway,
        "up" => Round::Up,
        "down" => Round::Down,
        "zero" => Round::TowardZero,
        other => panic!("the fixtures name an unknown direction '{other}'"),
    }
}

/// All inputs, or all pairs of inputs, of one operation in one tiny format and direction.
fn tiny_digest(format: &Format, operation: Operation, direction: Round) -> (usize, u64) {
    let data = tiny_data(format);
    let mut digest = Digest::default();
    let mut cases = 0;
    let mut push = |operands: &[Float]| {
        let result = operation.apply(format, operands, direction);
        assert!(format.contains(&result), "{operation:?} left {format} on {operands:?}");
        digest.push(result.to_f64().expect("a tiny format lies within binary64"));
        cases += 1;
    };
    for x in &data {
        match operation.arity() {
            1 => push(std::slice::from_ref(x)),
            _ => data.iter().for_each(|y| push(&[x.clone(), y.clone()])),
        }
    }
    (cases, digest.finish())
}

#[test]
fn tiny_formats_are_correctly_rounded_on_every_input() {
    for line in lines(TINY) {
        let [precision, operation, direction, cases, digest] = line[..] else {
            panic!("five fields: {line:?}")
        };
        let format = Format::new(precision.parse().unwrap(), TINY_EMIN, TINY_EMAX).unwrap();
        let (count, ours) = tiny_digest(&format, Operation::named(operation), direction_named(direction));
        assert_eq!(count, cases.parse::<usize>().unwrap(), "not all inputs of {line:?}");
        assert_eq!(ours, hex(digest), "{operation} {direction} with {precision} bits differs from MPFR");
    }
}

/// The fixtures tell each direction from every other one.
#[test]
fn a_wrong_direction_is_caught() {
    let format = Format::new(3, TINY_EMIN, TINY_EMAX).unwrap();
    for line in lines(TINY).filter(|line| line[..2] == ["3", "div"]) {
        let right = direction_named(line[2]);
        for direction in Round::ALL {
            let (_, digest) = tiny_digest(&format, Operation::Div, direction);
            assert_eq!(digest == hex(line[4]), direction == right, "{direction:?} taken for {right:?}");
        }
    }
}

/// The value of a binary16 bit pattern.
fn half(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    let magnitude = match bits >> 10 & 0x1f {
        0 => fraction / f64::from(1 << 24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        field => (1024.0 + fraction) * f64::from(1u32 << field) / f64::from(1 << 25),
    };
    if bits >> 15 == 0 { magnitude } else { -magnitude }
}

#[test]
fn binary16_is_correctly_rounded_on_every_input() {
    for line in lines(HALF) {
        let [name, block, digest] = line[..] else { panic!("three fields: {line:?}") };
        let operation = Operation::named(name.strip_prefix("binary16.").unwrap());
        let block: u16 = block.parse().unwrap();
        let results = (0..1024).flat_map(|offset| {
            let x = half(block * 1024 + offset);
            DIRECTIONS.map(|direction| soft(&Format::BINARY16, &[x], operation, direction))
        });
        assert_eq!(Digest::of(results), hex(digest), "block {block} of {name} differs from MPFR");
    }
}

#[test]
fn binary32_is_correctly_rounded() {
    let names = ["ln", "exp", "sqrt", "add", "sub", "mul", "div", "fma"];
    for line in lines(SINGLE) {
        let [name, block, digest] = line[..] else { panic!("three fields: {line:?}") };
        let name = name.strip_prefix("binary32.").unwrap();
        let family = names.iter().position(|known| *known == name).unwrap() as u64;
        let operation = Operation::named(name);
        let results = inputs::block(0x50 + family, block.parse().unwrap()).flat_map(|draws| {
            let operands = match operation {
                Operation::Exp => vec![inputs::single_exponent(&draws)],
                _ => inputs::single_triple(&draws)[..operation.arity()].to_vec(),
            };
            DIRECTIONS.map(|direction| soft(&Format::BINARY32, &operands, operation, direction))
        });
        assert_eq!(Digest::of(results), hex(digest), "block {block} of {name} differs from MPFR");
    }
}
