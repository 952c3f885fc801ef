//! The inputs behind the digests, drawn exactly as `scripts/oracle_inputs.py` draws them: the two files are one
//! text in two languages.

use probity_exact::Integer;

/// Independent words that each case draws; a case uses as many of them as it needs.
pub type Draws = [u64; 8];

/// A family of inputs: its name in the fixtures, and the bit pattern that a case draws.
pub type Family = (&'static str, fn(&Draws) -> u64);

const CASES_PER_BLOCK: u64 = 1000;
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

const ONE_BITS: u64 = 0x3ff0_0000_0000_0000;
const INFINITY_BITS: u64 = 0x7ff0_0000_0000_0000;
const NAN_BITS: u64 = 0x7ff8_0000_0000_0000;
const SIGN_BIT: u64 = 1 << 63;
const FRACTION_MASK: u64 = (1 << 52) - 1;

/// Close to where the exp of a double overflows, becomes subnormal, and rounds to zero.
const EXP_OVERFLOW_BITS: u64 = 0x4086_2e42_fefa_39ef;
const EXP_SUBNORMAL_BITS: u64 = 0xc086_232b_dd7a_bcd2;
const EXP_UNDERFLOW_BITS: u64 = 0xc087_4910_d52d_3051;

/// The finaliser of splitmix64.
pub fn mix(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The word with number `index` of the sequence that a digest mixes in.
pub fn weight(index: u64) -> u64 {
    index.wrapping_mul(GAMMA)
}

/// The draws of every case of a block: splitmix64 from a seed that names the family and the block.
pub fn block(family: u64, block: u64) -> impl Iterator<Item = Draws> {
    let seed = mix(family << 32 | block);
    (0..CASES_PER_BLOCK).map(move |case| {
        std::array::from_fn(|draw| mix(seed.wrapping_add(weight(case * 8 + draw as u64 + 1))))
    })
}

/// Bit patterns around `centre`, at distances of every order of magnitude up to 2^52.
fn near(centre: u64, d: &Draws) -> u64 {
    let distance = d[0] >> (12 + d[1] % 52);
    if d[2] & 1 == 0 { centre + distance } else { centre - distance }
}

/// lowest + width·u with u in [0, 1) of 53 bits: two binary64 operations, rounded to nearest.
fn span(lowest: f64, width: f64, word: u64) -> u64 {
    let unit = (word >> 11) as f64 / (1u64 << 53) as f64;
    (lowest + width * unit).to_bits()
}

/// The double with this exponent field, and a random sign and fraction. Every fourth has a short fraction (at most
/// 12 bits), so that exact results and ties occur.
fn compose(sign_word: u64, field: u64, fraction_word: u64) -> u64 {
    let mut fraction = fraction_word & FRACTION_MASK;
    if sign_word & 6 == 0 {
        fraction &= FRACTION_MASK ^ ((1 << 40) - 1);
    }
    (sign_word & 1) << 63 | field << 52 | fraction
}

/// The families of inputs of ln, in the order of their numbers from 0x10 on.
pub const LN_FAMILIES: [Family; 6] = [
    ("ln.all", |d| d[0]),
    ("ln.near_one", |d| near(ONE_BITS, d)),
    ("ln.unit", |d| d[0] % ONE_BITS),
    ("ln.moderate", |d| compose(d[1] & !1, 1023 - 64 + d[0] % 128, d[2])),
    ("ln.huge", |d| 0x7fd0_0000_0000_0000 + d[0] % (2 << 52)),
    ("ln.subnormal", |d| d[0] >> (12 + d[1] % 52)),
];

/// The families of inputs of exp, in the order of their numbers from 0x20 on.
pub const EXP_FAMILIES: [Family; 7] = [
    ("exp.all", |d| d[0]),
    ("exp.range", |d| span(-745.2, 1455.0, d[0])),
    ("exp.small", |d| compose(d[1], 1023 - 60 + d[0] % 64, d[2])),
    ("exp.subnormal_result", |d| span(-745.2, 36.9, d[0])),
    ("exp.near_overflow", |d| near(EXP_OVERFLOW_BITS, d)),
    ("exp.near_underflow", |d| near(EXP_UNDERFLOW_BITS, d)),
    ("exp.near_subnormal", |d| near(EXP_SUBNORMAL_BITS, d)),
];

fn clamp_field(field: i64) -> u64 {
    field.clamp(0, 2046) as u64
}

/// Three binary64 operands. The seventh draw picks how their exponents are related, so that cancellation, overflow,
/// and results at and below the subnormal threshold all occur often.
pub fn operand_triple(d: &Draws) -> [u64; 3] {
    let kind = d[6] % 5;
    let field1 = (d[0] % 2047) as i64;
    let jitter = (d[1] % 129) as i64 - 64;
    let field2 = match kind {
        1 => clamp_field(field1 + jitter),
        2 => clamp_field(1000 - field1 + jitter), // the product is near 2^−1046
        3 => clamp_field(field1 + 1046 + jitter), // the quotient is near 2^−1046
        _ => d[1] % 2047,
    };
    let jitter3 = (d[2] % 225) as i64 - 112;
    let field3 = clamp_field(field1 + field2 as i64 - 1023 + jitter3); // near the product: fma cancels
    let mut operands = [
        compose(d[3], field1 as u64, d[3] >> 8),
        compose(d[4], field2, d[4] >> 8),
        compose(d[5], field3, d[5] >> 8),
    ];
    if kind == 0 {
        // Any bits at all, infinities and NaN among them when the exponent is all ones.
        operands = [mix(d[3]), mix(d[4]), mix(d[5])];
    }
    // One case in 16 has a special value in the first or second place, and one in 32 has the second operand equal to
    // the first up to sign: exact zeros.
    let specials = [0, SIGN_BIT, INFINITY_BITS, SIGN_BIT | INFINITY_BITS, NAN_BITS, 1];
    let special = specials[((d[7] >> 8) % 6) as usize];
    match d[7] % 32 {
        0 => operands[0] = special,
        1 => operands[1] = special,
        2 => operands[1] = operands[0] ^ (d[7] >> 8 & 1) << 63,
        _ => {}
    }
    operands
}

/// A rational, as numerator and denominator: ± n/m·2^s with n and m of up to 128 bits and |s| ≤ 10 or |s| ≤ 1150, so that
/// small fractions occur, and results that overflow or underflow.
pub fn rational_operands(d: &Draws) -> (Integer, Integer) {
    let wide = |high: u64, low: u64, shift: u64| (u128::from(high) << 64 | u128::from(low)) >> (shift % 128);
    let numerator = Integer::from(wide(d[0], d[1], d[2]));
    let denominator = Integer::from(wide(d[3], d[4], d[5]) | 1);
    let shift = if d[7] & 1 == 1 { (d[6] % 2301) as i64 - 1150 } else { (d[6] % 21) as i64 - 10 };
    let signed = if d[6] >> 63 == 1 { -numerator } else { numerator };
    (signed << shift.max(0) as usize, denominator << (-shift).max(0) as usize)
}

/// Three operands in binary32, as doubles: any bit patterns.
pub fn single_triple(d: &Draws) -> [f64; 3] {
    std::array::from_fn(|k| f64::from(f32::from_bits((d[k] >> 32) as u32)))
}

/// A binary32 argument of exp, as a double, with an exponent from −30 to 7.
pub fn single_exponent(d: &Draws) -> f64 {
    let field = 127 - 30 + d[0] % 38;
    let pattern = (d[1] & 1) << 31 | field << 23 | d[2] >> 41;
    f64::from(f32::from_bits(pattern as u32))
}
