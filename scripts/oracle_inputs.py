"""The inputs of the oracle fixtures, as a pure function of (family, block).

trusted/exact/tests/oracle/inputs.rs is the same text in Rust: the fixtures hold digests of results only, so
the two files must draw bit for bit the same inputs. Everything is 64-bit integer arithmetic modulo 2^64, and
binary64 operations that IEEE 754 defines exactly.
"""

import numpy as np

CASES_PER_BLOCK = 1000
DRAWS_PER_CASE = 8

GAMMA = 0x9E3779B97F4A7C15
MASK64 = (1 << 64) - 1

ONE_BITS = 0x3FF0000000000000
INFINITY_BITS = 0x7FF0000000000000
FRACTION_MASK = (1 << 52) - 1
SIGN_BIT = 1 << 63

# The largest double whose exp is finite, and the smallest whose exp is normal, rounded to nearest.
EXP_OVERFLOW_BITS = 0x40862E42FEFA39EF
EXP_SUBNORMAL_BITS = 0xC086232BDD7ABCD2
EXP_UNDERFLOW_BITS = 0xC0874910D52D3051


def u64(value):
    return np.uint64(value & MASK64)


def mix(z):
    """The finaliser of splitmix64."""
    z = (z ^ (z >> u64(30))) * u64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> u64(27))) * u64(0x94D049BB133111EB)
    return z ^ (z >> u64(31))


def draws(family, block):
    """One array per draw d: element i is draw d of case i. The block's stream is splitmix64 from a seed that
    names the family and the block."""
    seed = u64(int(mix(np.array([family << 32 | block], dtype=np.uint64))[0]))
    counter = np.arange(1, CASES_PER_BLOCK * DRAWS_PER_CASE + 1, dtype=np.uint64)
    stream = mix(seed + counter * u64(GAMMA)).reshape(CASES_PER_BLOCK, DRAWS_PER_CASE)
    return [stream[:, d].copy() for d in range(DRAWS_PER_CASE)]


def near(center, d):
    """Bit patterns around `center`, at distances of every order of magnitude up to 2^52."""
    distance = d[0] >> (u64(12) + d[1] % u64(52))
    return np.where(d[2] & u64(1) == 0, u64(center) + distance, u64(center) - distance)


def unit(word):
    """A double in [0, 1): the top 53 bits as a fraction. Exact."""
    return (word >> u64(11)).astype(np.float64) * 2.0**-53


def span(lowest, width, word):
    """lowest + width·unit(word), two binary64 operations rounded to nearest."""
    return (lowest + width * unit(word)).view(np.uint64)


def compose(sign_word, field, fraction_word):
    """The double with this exponent field, and a random sign and fraction. Every fourth has a short fraction
    (at most 12 bits), so that exact results and ties occur."""
    fraction = fraction_word & u64(FRACTION_MASK)
    short = fraction & u64(FRACTION_MASK ^ ((1 << 40) - 1))
    fraction = np.where(sign_word & u64(6) == 0, short, fraction)
    return (sign_word & u64(1)) << u64(63) | field.astype(np.uint64) << u64(52) | fraction


# name -> function of the draws, giving the bit patterns of one binary64 input.
LN_INPUTS = {
    "all": lambda d: d[0],
    "near_one": lambda d: near(ONE_BITS, d),
    "unit": lambda d: d[0] % u64(ONE_BITS),
    "moderate": lambda d: compose(d[1] & u64(MASK64 - 1), u64(1023 - 64) + d[0] % u64(128), d[2]),
    "huge": lambda d: u64(0x7FD0000000000000) + d[0] % u64(2 << 52),
    "subnormal": lambda d: d[0] >> (u64(12) + d[1] % u64(52)),
}

EXP_INPUTS = {
    "all": lambda d: d[0],
    "range": lambda d: span(-745.2, 1455.0, d[0]),
    "small": lambda d: compose(d[1], u64(1023 - 60) + d[0] % u64(64), d[2]),
    "subnormal_result": lambda d: span(-745.2, 36.9, d[0]),
    "near_overflow": lambda d: near(EXP_OVERFLOW_BITS, d),
    "near_underflow": lambda d: near(EXP_UNDERFLOW_BITS, d),
    "near_subnormal": lambda d: near(EXP_SUBNORMAL_BITS, d),
}


def clamp_field(field):
    return np.clip(field, 0, 2046)


def operand_triples(d):
    """Three binary64 operands. The seventh draw picks how their exponents are related, so that cancellation,
    overflow, and results at and below the subnormal threshold all occur often."""
    kind = d[6] % u64(5)
    field1 = (d[0] % u64(2047)).astype(np.int64)
    jitter = (d[1] % u64(129)).astype(np.int64) - 64
    field2 = np.select(
        [kind == 1, kind == 2, kind == 3],
        [
            clamp_field(field1 + jitter),
            clamp_field(1000 - field1 + jitter),  # the product is near 2^−1046
            clamp_field(field1 + 1046 + jitter),  # the quotient is near 2^−1046
        ],
        default=(d[1] % u64(2047)).astype(np.int64),
    )
    jitter3 = (d[2] % u64(225)).astype(np.int64) - 112
    field3 = clamp_field(field1 + field2 - 1023 + jitter3)  # near the product: fma cancels
    a = compose(d[3], field1, d[3] >> u64(8))
    b = compose(d[4], field2, d[4] >> u64(8))
    c = compose(d[5], field3, d[5] >> u64(8))
    # Kind 0 is any bits at all, infinities and NaN among them when the exponent is all ones.
    a = np.where(kind == 0, mix(d[3]), a)
    b = np.where(kind == 0, mix(d[4]), b)
    c = np.where(kind == 0, mix(d[5]), c)
    # One case in 16 has a special value in the first or second place.
    specials = np.array([0, SIGN_BIT, INFINITY_BITS, SIGN_BIT | INFINITY_BITS, 0x7FF8000000000000, 1], dtype=np.uint64)
    special = specials[(d[7] >> u64(8)) % u64(6)]
    a = np.where(d[7] % u64(32) == 0, special, a)
    b = np.where(d[7] % u64(32) == 1, special, b)
    # And one in 32 has the second operand equal to the first up to sign: exact zeros.
    b = np.where(d[7] % u64(32) == 2, a ^ ((d[7] >> u64(8) & u64(1)) << u64(63)), b)
    return a, b, c


def rational_operands(d):
    """(numerator, denominator) of one rational per case, as Python integers: ± n/m·2^s with n and m of up to 128
    bits and |s| ≤ 10 or |s| ≤ 1150, so that small fractions occur, and results that overflow or underflow."""
    cases = []
    for w in zip(*(column.tolist() for column in d)):
        numerator = (w[0] << 64 | w[1]) >> w[2] % 128
        denominator = (w[3] << 64 | w[4]) >> w[5] % 128 | 1
        shift = w[6] % 2301 - 1150 if w[7] & 1 else w[6] % 21 - 10
        if w[6] >> 63:
            numerator = -numerator
        cases.append((numerator << max(shift, 0), denominator << max(-shift, 0)))
    return cases
