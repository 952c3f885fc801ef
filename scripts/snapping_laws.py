#!/usr/bin/env python3
"""Writes the fixture of probity-audit's snapping test: exact laws by plain bisection, with MPFR's logarithm.

    python3 -m pip install -r scripts/requirements.txt
    python3 scripts/snapping_laws.py     # rewrites crates/audit/tests/data/snapping_laws.txt (some minutes)

A line is: ε, B, x, x' (exact rationals), outcomes of x and of x', outcomes that only one of them has, the worst
outcome (an exact rational) and its loss less ε to 17 digits. u is a uniform real in (0, 1) rounded down to a double.
The program is monotone in u for each sign; that is used here, and not in the Rust code.
"""

import math
import pathlib
import random
import struct
from fractions import Fraction

import gmpy2
from gmpy2 import mpfr

OUT = pathlib.Path(__file__).resolve().parent.parent / "crates" / "audit" / "tests" / "data" / "snapping_laws.txt"
DOUBLE = gmpy2.context(precision=53, emax=1024, emin=-1073, subnormalize=True)
WIDE = gmpy2.context(precision=400)


def double(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def units(bits):
    """A double in units of the smallest subnormal."""
    exponent, fraction = bits >> 52, bits & ((1 << 52) - 1)
    return fraction if exponent == 0 else (fraction | 1 << 52) << (exponent - 1)


ONE = 1023 << 52


def round_to(w, grid):
    if math.isinf(w):
        return w
    quotient = Fraction(w) / Fraction(grid)
    return float(round(quotient) * Fraction(grid))  # Python rounds ties to even


def outcome(eps, bound, grid, x, sign, bits):
    u = double(bits)
    ln = float(DOUBLE.log(mpfr(u))) if u > 0 else -math.inf
    return max(-bound, min(round_to(x + (sign * ln) / eps, grid), bound))


def law(eps, bound, x):
    """The masses of the outcomes, in units of 2^-1075."""
    grid = 1.0
    while grid < 1 / eps:
        grid *= 2
    while grid / 2 >= 1 / eps:
        grid /= 2
    masses = {}
    for sign in (-1.0, 1.0):
        at = lambda bits: outcome(eps, bound, grid, x, sign, bits)
        open_ranges = [(0, ONE - 1, at(0), at(ONE - 1))]
        while open_ranges:
            low, high, first, last = open_ranges.pop()
            if first == last:
                masses[first] = masses.get(first, 0) + units(high + 1) - units(low)
            else:
                middle = (low + high) // 2
                open_ranges.append((low, middle, first, at(middle)))
                open_ranges.append((middle + 1, high, at(middle + 1), last))
    assert sum(masses.values()) == 1 << 1075
    return masses


def row(eps, bound, x, y):
    p, q = law(eps, bound, x), law(eps, bound, y)
    common = [o for o in p if o in q]
    loss = {o: abs(WIDE.log(WIDE.div(gmpy2.mpz(p[o]), gmpy2.mpz(q[o])))) for o in common}
    worst = max(common, key=lambda o: loss[o])
    excess = WIDE.sub(loss[worst], mpfr(eps))
    exact = [str(Fraction(v)) for v in (eps, bound, x, y)]
    impossible = len(p) + len(q) - 2 * len(common)
    return " ".join(exact + [str(len(p)), str(len(q)), str(impossible), str(Fraction(worst)), f"{excess:.16e}"])


def main():
    gmpy2.set_context(WIDE)
    random.seed(2026)
    rows = []
    while len(rows) < 60:
        eps = random.choice([0.1, 0.3, 0.5, 1.0, 1 / 3, 2.0, random.uniform(0.01, 5), random.uniform(0.5, 1.5)])
        spread = random.choice([random.uniform(1, 50), 10, random.uniform(50, 300), random.uniform(500, 2000)])
        bound = spread / eps
        x = random.uniform(-bound, bound)
        y = x + 1 if x + 1 <= bound else x - 1
        if abs(y) <= bound and abs(Fraction(x) - Fraction(y)) <= 1:
            rows.append(row(eps, bound, x, y))
            print(len(rows), rows[-1], flush=True)
    OUT.write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
