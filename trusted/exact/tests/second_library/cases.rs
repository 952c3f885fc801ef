//! The numbers that the libraries are compared on, in both libraries' types.

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use probity_exact::{Integer, Natural, Rational, Sign};

/// How much less is tried by default than with the feature `exhaustive`, which CI switches on.
pub const LESS: usize = if cfg!(feature = "exhaustive") { 1 } else { 10 };

/// splitmix64, so that every run draws the same numbers.
pub struct Draws(u64);

impl Draws {
    pub fn new(seed: u64) -> Self {
        Draws(seed)
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; the bias of the remainder does not matter here.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.word() % bound
    }

    /// A natural number of at most `words` words. A quarter each: random words, long runs of ones and zeros (which
    /// make quotient digits hard to estimate), few bits set, and a shorter random number.
    pub fn natural(&mut self, words: u64) -> BigUint {
        let length = 1 + self.below(words);
        let shape = self.below(4);
        let mut run = 0;
        let digits: Vec<u32> = (0..length)
            .flat_map(|_| {
                let word = match shape {
                    0 => self.word(),
                    1 => {
                        if self.below(3) == 0 {
                            run = !run;
                        }
                        run ^ u64::from(self.below(8) == 0)
                    }
                    2 => (1 << self.below(64)) & self.word(),
                    _ => self.word() >> self.below(64),
                };
                [word as u32, (word >> 32) as u32]
            })
            .collect();
        BigUint::new(digits)
    }

    /// An integer of at most `words` words, of either sign.
    pub fn integer(&mut self, words: u64) -> BigInt {
        let magnitude = BigInt::from(self.natural(words));
        if self.below(2) == 0 { magnitude } else { -magnitude }
    }

    /// How many words the operands of a random case may have: mostly the sizes that samplers and enclosures use,
    /// sometimes up to 80 words (5120 bits), past the switches between multiplication algorithms.
    pub fn size(&mut self) -> u64 {
        match self.below(64) {
            0 => 80,
            1..=3 => 40,
            4..=11 => 10,
            12..=23 => 4,
            24..=39 => 2,
            _ => 1,
        }
    }
}

/// 0, 1, and 2^k − 1, 2^k, 2^k + 1 around every word boundary and beyond; of both signs.
pub fn edge_integers() -> Vec<BigInt> {
    let exponents = [
        1, 2, 7, 8, 31, 32, 33, 52, 53, 54, 62, 63, 64, 65, 66, 126, 127, 128, 129, 191, 192, 193, 255, 256,
        257, 511, 512, 513, 1023, 1024, 1074, 2047, 2048, 2049, 4095, 4096, 4097, 5000,
    ];
    let mut edges = vec![BigInt::from(0), BigInt::from(1), BigInt::from(-1)];
    for exponent in exponents {
        for offset in [-1i32, 0, 1] {
            let value: BigInt = (BigInt::from(1) << exponent) + offset;
            edges.push(-value.clone());
            edges.push(value);
        }
    }
    edges
}

/// Exact transport between the libraries, by words of 64 bits. No arithmetic of either library takes part.
pub fn to_natural(value: &BigUint) -> Natural {
    let bytes: Vec<u8> = value.to_u64_digits().iter().flat_map(|word| word.to_le_bytes()).collect();
    Natural::from_le_bytes(&bytes)
}

pub fn to_integer(value: &BigInt) -> Integer {
    let sign = if value.sign() == num_bigint::Sign::Minus { Sign::Negative } else { Sign::Positive };
    Integer::from_parts(sign, to_natural(value.magnitude()))
}

pub fn to_rational(value: &BigRational) -> Rational {
    // The denominator of a `BigRational` is positive and both are in lowest terms.
    Rational::from_parts(to_integer(value.numer()), to_natural(value.denom().magnitude()))
}

/// Whether both libraries mean the same number, compared word by word.
pub fn same_natural(ours: &Natural, theirs: &BigUint) -> bool {
    let words = ours.as_words();
    words.len() as u64 == theirs.bits().div_ceil(64)
        && words.iter().copied().map(to_u64).eq(theirs.iter_u64_digits())
}

pub fn same_integer(ours: &Integer, theirs: &BigInt) -> bool {
    let (sign, words) = ours.as_sign_words();
    let negative = theirs.sign() == num_bigint::Sign::Minus;
    (sign == Sign::Negative) == negative
        && words.len() as u64 == theirs.bits().div_ceil(64)
        && words.iter().copied().map(to_u64).eq(theirs.magnitude().iter_u64_digits())
}

/// Equal numerators and equal denominators: so a result that is not in lowest terms is caught as well.
pub fn same_rational(ours: &Rational, theirs: &BigRational) -> bool {
    same_integer(ours.numerator(), theirs.numer())
        && same_natural(ours.denominator(), theirs.denom().magnitude())
}

/// The word of dashu is the machine's; these tests compare words, so they need the 64-bit one.
fn to_u64(word: dashu_int::Word) -> u64 {
    const { assert!(size_of::<dashu_int::Word>() == 8, "the comparison of words needs a 64-bit machine") };
    word
}

#[test]
fn transport_tells_neighbours_apart() {
    let edges = edge_integers();
    for (i, a) in edges.iter().enumerate() {
        for (j, b) in edges.iter().enumerate() {
            assert_eq!(same_integer(&to_integer(a), b), i == j || a == b, "{a} against {b}");
        }
    }
}
