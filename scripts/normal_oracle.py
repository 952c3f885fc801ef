"""Writes trusted/exact/tests/data/normal.txt: the upper tail of the normal law to 60 digits, from mpmath.

Usage: python3 scripts/normal_oracle.py
"""

from fractions import Fraction
from pathlib import Path

import mpmath

DATA = Path(__file__).resolve().parent.parent / "trusted/exact/tests/data"


def tail(x):
    """1 - Phi(x), computed with twice the digits that are kept and once more with three times as many."""
    answers = []
    for digits in (140, 210):
        mpmath.mp.dps = digits
        value = mpmath.mpf(x.numerator) / x.denominator
        answers.append(mpmath.nstr(mpmath.erfc(value / mpmath.sqrt(2)) / 2, 60))
    assert answers[0] == answers[1], x
    return answers[0]


points = {Fraction(n, 10) for n in range(-60, 61, 3)} | {Fraction(n, 7) for n in range(-30, 90, 4)}
points |= {Fraction(n) for n in (8, 9, 10, 15, 20, 30, 38, 60, 100, 140, -8, -12, -20, -40)}
points |= {Fraction(1, 10**k) for k in (3, 9, 30)} | {Fraction(-1, 10**k) for k in (3, 9, 30)}
points |= {Fraction(12345678901234567890, 3141592653589793238), Fraction(1999999999999, 10**12)}
lines = ["# x, then 1 - Phi(x) to 60 digits"] + [f"{x} {tail(x)}" for x in sorted(points) if x]
(DATA / "normal.txt").write_text("\n".join(lines) + "\n")
