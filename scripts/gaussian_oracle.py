"""Writes crates/noise/tests/data/gaussian.txt: (epsilon, delta) of Gaussian noise to 30 digits, from mpmath.

Continuous noise by the formula of Balle and Wang; discrete noise by summing over all outcomes the part of the probability that
exceeds e^epsilon times the neighbour's, which is the definition and shares nothing with the half-lines of the Rust code.

Usage: python3 scripts/gaussian_oracle.py
"""

from fractions import Fraction
from pathlib import Path

import mpmath

mpmath.mp.dps = 80
DATA = Path(__file__).resolve().parent.parent / "crates/noise/tests/data"


def real(x):
    return mpmath.mpf(x.numerator) / x.denominator


def continuous(squared, distance, epsilon):
    sigma, d, e = mpmath.sqrt(real(squared)), real(distance), real(epsilon)
    return mpmath.ncdf(d / (2 * sigma) - e * sigma / d) - mpmath.exp(e) * mpmath.ncdf(-d / (2 * sigma) - e * sigma / d)


def discrete(squared, distance, epsilon):
    s, d, e = real(squared), int(distance), mpmath.exp(real(epsilon))
    span = int(30 * mpmath.sqrt(s)) + d + 30
    mass = {x: mpmath.exp(-mpmath.mpf(x * x) / (2 * s)) for x in range(-span - d, span + d + 1)}
    total = mpmath.fsum(mass.values())
    return mpmath.fsum(max(mass[x] - e * mass[x + d], 0) for x in range(-span, span + 1)) / total


lines = ["# noise, squared scale, distance, epsilon, delta to 30 digits"]
for squared in [Fraction(1, 5), Fraction(1), Fraction(7, 3), Fraction(25), Fraction(400)]:
    for distance in [1, 3]:
        for epsilon in [Fraction(0), Fraction(1, 2), Fraction(1), Fraction(17, 5)]:
            for name, law in [("continuous", continuous), ("discrete", discrete)]:
                delta = law(squared, Fraction(distance), epsilon)
                if mpmath.mpf("1e-25") < delta < mpmath.mpf("0.999"):
                    lines.append(f"{name} {squared} {distance} {epsilon} {mpmath.nstr(delta, 30)}")
DATA.mkdir(exist_ok=True)
(DATA / "gaussian.txt").write_text("\n".join(lines) + "\n")
