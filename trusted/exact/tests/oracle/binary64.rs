//! binary64: the fast directed functions on every case, the software format on a share of them.

use std::cmp::Ordering;

use probity_exact::{Format, directed, rational};

use crate::fixtures::{Case, DIRECTIONS, Operation, check_block, hex, lines, soft, word};
use crate::inputs::{self, EXP_FAMILIES, Family, LN_FAMILIES};

const LN: &str = include_str!("../data/ln_binary64.txt");
const EXP: &str = include_str!("../data/exp_binary64.txt");
const ARITHMETIC: &str = include_str!("../data/arithmetic_binary64.txt");
const CAST: &str = include_str!("../data/cast_binary64.txt");
const LN_HARD: &str = include_str!("../data/ln_hard_cases.txt");
const EXP_HARD: &str = include_str!("../data/exp_hard_cases.txt");

/// Of the blocks of 1000 cases every such one is computed, so that each family has several; in full with the feature
/// `exhaustive`. A block agrees with its digest only if each of its cases does.
const STRIDE: u64 = if cfg!(feature = "exhaustive") { 1 } else { 5 };

/// The same for the software ln and exp, which are slow.
const SOFT_STRIDE: u64 = if cfg!(feature = "exhaustive") { 5 } else { 25 };

/// How many of the cases of a fixture are computed.
fn selected_cases(text: &str, stride: u64, wanted: impl Fn(&str) -> bool) -> usize {
    let blocks = lines(text).filter(|line| wanted(line[0]));
    1000 * blocks.filter(|line| line[1].parse::<u64>().expect("a block has a number") % stride == 0).count()
}

/// Nearest, up, down, and toward zero: the last is whichever of the directed results has the smaller magnitude, and
/// the nearest one where they are equal (an exact zero is −0 only when rounding down).
fn four(nearest: f64, up: f64, down: f64) -> [f64; 4] {
    let toward_zero = match up.abs().partial_cmp(&down.abs()) {
        Some(Ordering::Less) => up,
        Some(Ordering::Greater) => down,
        _ => nearest,
    };
    [nearest, up, down, toward_zero]
}

fn fast_ln(x: f64) -> [f64; 4] {
    four(directed::ln_nearest(x), directed::ln_up(x), directed::ln_down(x))
}

fn fast_exp(x: f64) -> [f64; 4] {
    four(directed::exp_nearest(x), directed::exp_up(x), directed::exp_down(x))
}

fn soft_binary64(operation: Operation, operands: &[f64]) -> [f64; 4] {
    DIRECTIONS.map(|direction| soft(&Format::BINARY64, operands, operation, direction))
}

/// Runs `function` on every selected block of the families and returns how many cases agreed.
fn check_elementary(
    text: &str,
    first_family: u64,
    families: &[Family],
    selected: impl Fn(u64) -> bool,
    function: impl Fn(f64) -> [f64; 4],
) -> Result<usize, String> {
    let mut checked = 0;
    for line in lines(text) {
        let (name, block) = (line[0], line[1].parse().expect("a block has a number"));
        if !selected(block) {
            continue;
        }
        let family = families.iter().position(|(known, _)| *known == name).expect("a known family");
        let cases: Vec<Case> = inputs::block(first_family + family as u64, block)
            .map(|draws| {
                let input = families[family].1(&draws);
                Case { operands: vec![input], results: function(f64::from_bits(input)) }
            })
            .collect();
        check_block(name, block, hex(line[2]), &cases)?;
        checked += cases.len();
    }
    Ok(checked)
}

fn check_hard_cases(text: &str, function: impl Fn(f64) -> [f64; 4]) -> Result<usize, String> {
    let mut checked = 0;
    for line in lines(text) {
        let x = f64::from_bits(hex(line[0]));
        let results = function(x);
        for ((result, expected), direction) in results.into_iter().zip(&line[1..]).zip(DIRECTIONS) {
            if word(result) != hex(expected) {
                let right = f64::from_bits(hex(expected));
                return Err(format!("at {x:e} ({}) {direction:?} gives {result:e}, not {right:e}", line[0]));
            }
        }
        checked += 1;
    }
    Ok(checked)
}

#[test]
fn fast_ln_is_correctly_rounded() {
    let checked = check_elementary(LN, 0x10, &LN_FAMILIES, |block| block % STRIDE == 0, fast_ln).unwrap();
    assert_eq!(checked, selected_cases(LN, STRIDE, |_| true));
    assert_eq!(lines(LN).count(), 1_050);
}

#[test]
fn fast_exp_is_correctly_rounded() {
    let checked = check_elementary(EXP, 0x20, &EXP_FAMILIES, |block| block % STRIDE == 0, fast_exp).unwrap();
    assert_eq!(checked, selected_cases(EXP, STRIDE, |_| true));
    assert_eq!(lines(EXP).count(), 1_075);
}

#[test]
fn soft_ln_is_correctly_rounded() {
    let ln = |x| soft_binary64(Operation::Ln, &[x]);
    let checked = check_elementary(LN, 0x10, &LN_FAMILIES, |block| block % SOFT_STRIDE == 0, ln).unwrap();
    assert_eq!(checked, selected_cases(LN, SOFT_STRIDE, |_| true));
}

#[test]
fn soft_exp_is_correctly_rounded() {
    let exp = |x| soft_binary64(Operation::Exp, &[x]);
    let checked = check_elementary(EXP, 0x20, &EXP_FAMILIES, |block| block % SOFT_STRIDE == 0, exp).unwrap();
    assert_eq!(checked, selected_cases(EXP, SOFT_STRIDE, |_| true));
}

#[test]
fn hard_cases_of_ln() {
    let checked = check_hard_cases(LN_HARD, fast_ln).unwrap();
    assert_eq!(checked, lines(LN_HARD).count());
    assert_eq!(check_hard_cases(LN_HARD, |x| soft_binary64(Operation::Ln, &[x])), Ok(checked));
}

#[test]
fn hard_cases_of_exp() {
    let checked = check_hard_cases(EXP_HARD, fast_exp).unwrap();
    assert_eq!(checked, lines(EXP_HARD).count());
    assert_eq!(check_hard_cases(EXP_HARD, |x| soft_binary64(Operation::Exp, &[x])), Ok(checked));
}

/// The fast directed operation, where there is one.
fn fast_arithmetic(operation: Operation, [a, b, _]: [f64; 3]) -> Option<[f64; 4]> {
    Some(match operation {
        Operation::Add => four(a + b, directed::add_up(a, b), directed::add_down(a, b)),
        Operation::Sub => four(a - b, directed::sub_up(a, b), directed::sub_down(a, b)),
        Operation::Mul => four(a * b, directed::mul_up(a, b), directed::mul_down(a, b)),
        Operation::Div => four(a / b, directed::div_up(a, b), directed::div_down(a, b)),
        Operation::Sqrt => four(a.sqrt(), directed::sqrt_up(a), directed::sqrt_down(a)),
        _ => return None,
    })
}

fn check_arithmetic(compute: impl Fn(Operation, [f64; 3]) -> Option<[f64; 4]>) -> Result<usize, String> {
    let names = ["add", "sub", "mul", "div", "sqrt", "fma"];
    let mut checked = 0;
    for line in lines(ARITHMETIC) {
        let (name, block): (_, u64) = (line[0], line[1].parse().expect("a block has a number"));
        if block % STRIDE != 0 {
            continue;
        }
        let family = names.iter().position(|known| *known == name).expect("a known operation");
        let operation = Operation::named(name);
        let cases: Option<Vec<Case>> = inputs::block(0x30 + family as u64, block)
            .map(|draws| {
                let operands = inputs::operand_triple(&draws);
                let results = compute(operation, operands.map(f64::from_bits))?;
                Some(Case { operands: operands.to_vec(), results })
            })
            .collect();
        if let Some(cases) = cases {
            check_block(name, block, hex(line[2]), &cases)?;
            checked += cases.len();
        }
    }
    Ok(checked)
}

#[test]
fn fast_arithmetic_is_correctly_rounded() {
    let cases = selected_cases(ARITHMETIC, STRIDE, |name| name != "fma");
    assert_eq!(check_arithmetic(fast_arithmetic), Ok(cases));
}

#[test]
fn soft_arithmetic_is_correctly_rounded() {
    let compute = |operation: Operation, operands: [f64; 3]| {
        Some(soft_binary64(operation, &operands[..operation.arity()]))
    };
    assert_eq!(check_arithmetic(compute), Ok(selected_cases(ARITHMETIC, STRIDE, |_| true)));
    assert_eq!(lines(ARITHMETIC).count(), 1_020);
}

/// Rationals rounded to binary64, by the fast casts and by the format.
#[test]
fn casts_are_correctly_rounded() {
    for line in lines(CAST) {
        let block = line[1].parse().expect("a block has a number");
        let cases: Vec<Case> = inputs::block(0x40, block)
            .map(|draws| {
                let (numerator, denominator) = inputs::rational_operands(&draws);
                let x =
                    rational(numerator, denominator).expect("the denominator is odd times a power of two");
                let round = |direction| Format::BINARY64.round(&x, direction).to_f64();
                let results =
                    four(directed::cast_nearest(&x), directed::cast_up(&x), directed::cast_down(&x));
                assert_eq!(
                    DIRECTIONS.map(round),
                    results.map(Some),
                    "the casts of {x} and the format differ"
                );
                Case { operands: draws.to_vec(), results }
            })
            .collect();
        check_block("cast", block, hex(line[2]), &cases).unwrap();
    }
}

/// What must not pass: results one ulp off in one direction, and directions exchanged.
#[test]
fn misrounded_results_are_caught() {
    let loose_up = |x: f64| {
        let [nearest, up, down, _] = fast_ln(x);
        four(nearest, up.next_up(), down)
    };
    assert!(check_hard_cases(LN_HARD, loose_up).is_err());
    let one_block = |block| block == 3;
    assert!(check_elementary(LN, 0x10, &LN_FAMILIES[..], one_block, loose_up).is_err());
    let exchanged = |x: f64| {
        let [nearest, up, down, toward_zero] = fast_exp(x);
        [nearest, down, up, toward_zero]
    };
    assert!(check_hard_cases(EXP_HARD, exchanged).is_err());
    assert!(check_elementary(EXP, 0x20, &EXP_FAMILIES[..], one_block, exchanged).is_err());
    // The middle of the directed results, rounded: a coin toss instead of the nearest.
    let undecided = |x: f64| {
        let [_, up, down, toward_zero] = fast_exp(x);
        let middle = down + (up - down) / 2.0;
        [middle, up, down, toward_zero]
    };
    assert!(check_hard_cases(EXP_HARD, undecided).is_err());
}
