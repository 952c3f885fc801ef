"""Inputs of ln and exp in binary64 whose results are hard to round.

Four sources: published worst cases (published_hard_cases.txt); the inverse of each, since exp(x) close to a
double y makes ln(y) close to the double x; the edges of the range; and a search of our own.

The search takes short runs of consecutive doubles. On a run the function is a quadratic polynomial to within
2^-60 of half an ulp, so "how far is f(x_i) from a multiple of half an ulp" is A + B·i + C·i² modulo 1, which is
evaluated for the whole run in 64-bit fixed point. What it finds is confirmed with 400 bits.
"""

import pathlib
import struct

import gmpy2
import numpy as np
from gmpy2 import mpfr, mpz

from oracle_inputs import GAMMA, MASK64, mix, u64

PUBLISHED = pathlib.Path(__file__).resolve().parent / "published_hard_cases.txt"

WIDE = gmpy2.context(precision=400)
# A case is hard when at least this many bits after the rounding position are equal.
MIN_IDENTICAL_BITS = 23
RUNS = 400_000
RUN_RADIUS = 1 << 13


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def double(word):
    return struct.unpack("<d", struct.pack("<Q", word))[0]


def half_ulp_exponent(value):
    """Exponent of half an ulp of binary64 at `value`, subnormal results included."""
    exponent, _ = gmpy2.frexp(value)
    return max(exponent - 53, -1074) - 1


def identical_bits(function, x):
    """How many bits after the rounding position are equal in f(x): −log2 of the distance, in half ulps, to the
    nearest multiple of half an ulp. None where f(x) is exact, infinite, or rounds to zero or overflow."""
    if not np.isfinite(x) or (function == "log" and x <= 0):
        return None
    value = getattr(WIDE, function)(mpfr(x, 53))
    if value == 0 or abs(value) >= WIDE.exp2(1024) or abs(value) < WIDE.exp2(-1075):
        return None
    scaled = WIDE.div(value, WIDE.exp2(half_ulp_exponent(value)))
    distance = abs(WIDE.sub(scaled, WIDE.rint(scaled)))
    if distance == 0:
        return None
    return int(-gmpy2.log2(distance))


def published(function):
    name = "ln" if function == "log" else function
    for line in PUBLISHED.read_text().splitlines():
        words = line.split()
        if words and words[0] == name:
            yield from (float.fromhex(w) for w in words[1:])


def inverses(function):
    """Inputs of `function` made from the published cases of its inverse."""
    inverse = "exp" if function == "log" else "log"
    for x in published(inverse):
        yield float(getattr(WIDE, inverse)(mpfr(x, 53)))


def edges(function):
    """The ends of the range and the neighbourhood of every threshold, hard or not."""
    centers = {
        "log": [1.0, 2.0, 0.5, float.fromhex("0x1.5bf0a8b145769p+1"), 2.0**-1022, 2.0**1023],
        "exp": [1.0, -1.0, 2.0**-53, -(2.0**-53), 2.0**-54, -(2.0**-54), 709.782712893384, -708.3964185322641]
        + [-745.1332191019412, -744.4400719213812, -1074.0, 1024.0],
    }[function]
    words = {bits(c) + k for c in centers for k in range(-20, 21)}
    ends = [0.0, -0.0, 5e-324, -5e-324, 1e-323, 2.2250738585072009e-308, -2.2250738585072009e-308, 1.7976931348623157e308]
    words |= {bits(x) for x in [*ends, -1.7976931348623157e308, float("inf"), float("-inf"), float("nan"), -1.0]}
    words |= {bits(2.0**k) for k in range(-1074, 1024, 7)}
    return sorted(words)


def run_centre(function, run):
    """The middle of run number `run`: its exponent covers the range where the function is not trivial."""
    r = [int(w) for w in mix(np.array([run * 4 + k + 1 for k in range(4)], dtype=np.uint64) * u64(GAMMA))]
    fraction = RUN_RADIUS + r[0] % ((1 << 52) - 2 * RUN_RADIUS)
    if function == "log":
        # Half the runs near 1, where most inputs are; the others anywhere.
        field = 1023 - 4 + r[1] % 8 if r[2] % 2 else 1 + r[1] % 2046
        return field << 52 | fraction
    if r[2] % 3 == 0:
        # Large arguments, those with subnormal results among them.
        return bits(-744.0 + 1453.0 * (r[1] % (1 << 53)) * 2.0**-53) & ~0x3FFF | 1 << 13
    return (r[3] & 1) << 63 | (1023 - 30 + r[1] % 38) << 52 | fraction


def fixed(value):
    """`value` modulo 1, as a 64-bit fraction."""
    return u64(int(mpz(WIDE.rint(WIDE.mul_2exp(value, 64)))) & MASK64)


def search(function):
    steps = np.arange(-RUN_RADIUS, RUN_RADIUS, dtype=np.int64)
    i = steps.view(np.uint64)
    squares = (steps * steps).view(np.uint64)
    reach = u64(1 << (64 - MIN_IDENTICAL_BITS - 1))
    for run in range(RUNS):
        centre = run_centre(function, run)
        x = mpfr(double(centre), 53)
        value = getattr(WIDE, function)(x)
        if value == 0 or abs(value) >= WIDE.exp2(1024) or abs(value) < WIDE.exp2(-1074):
            continue
        unit = WIDE.exp2(half_ulp_exponent(value))
        # The bit pattern grows with |x|, so a negative x moves down as i grows.
        step = WIDE.mul(WIDE.exp2((centre >> 52 & 0x7FF) - 1075), -1 if centre >> 63 else 1)
        slope, curve = (WIDE.div(1, x), WIDE.div(-1, WIDE.mul(x, x))) if function == "log" else (value, value)
        a = fixed(WIDE.div(value, unit))
        b = fixed(WIDE.div(WIDE.mul(slope, step), unit))
        c = fixed(WIDE.div(WIDE.mul(WIDE.mul(curve, step), step), WIDE.mul(unit, 2)))
        distance = a + b * i + c * squares + reach
        for hit in np.flatnonzero(distance < u64(2) * reach):
            yield double(centre + int(steps[hit]))


def inputs(function):
    """All the cases of `function` ("log" or "exp"), as sorted bit patterns."""
    with np.errstate(over="ignore"):
        candidates = [*published(function), *inverses(function), *search(function)]
    hard = {bits(x) for x in candidates if (identical_bits(function, x) or 0) >= MIN_IDENTICAL_BITS}
    return sorted(hard | set(edges(function)))
