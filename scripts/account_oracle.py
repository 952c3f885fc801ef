#!/usr/bin/env python3
"""Truths of accounting with 60 digits, by mpmath: 50 random compositions with a closed form.

Usage: python3 -m venv V && V/bin/pip install mpmath && V/bin/python scripts/account_oracle.py
Writes crates/account/tests/data/oracle.txt; `cargo test -p probity-account` holds our brackets against it. The seed is fixed.
"""
import pathlib
import random
from fractions import Fraction

from mpmath import mp, mpf

mp.dps = 90
OUT = pathlib.Path(__file__).resolve().parent.parent / "crates/account/tests/data/oracle.txt"


def real(x):
    return mpf(x.numerator) / x.denominator


def tail(x):
    return mp.erfc(x / mp.sqrt(2)) / 2


def normal(square):
    mu = mp.sqrt(real(square))
    return lambda e: tail(e / mu - mu / 2) - mp.exp(e) * tail(e / mu + mu / 2)


def binomial(n, c, told=Fraction(0)):
    p = 1 / (1 + mp.exp(-c))

    def delta(e):
        total = mpf(0)
        for k in range(n + 1):
            loss = (2 * k - n) * c
            if loss > e:
                total += mp.binomial(n, k) * p**k * (1 - p) ** (n - k) * (1 - mp.exp(e - loss))
        return 1 - (1 - real(told)) ** n * (1 - total)

    return delta


def laplace(c):
    return lambda e: max(mpf(0), 1 - mp.exp((e - c) / 2))


def laplace_and_normal(c, square):
    """One Laplace and one normal mechanism: an integral over the loss of the first."""
    delta = normal(square)

    def both(e):
        # The loss of Laplace noise is c with probability 1/2, −c with e^(−c)/2, and has a density between.
        density = lambda x: mp.exp((x - c) / 2) / 4
        return delta(e - c) / 2 + mp.exp(-c) / 2 * delta(e + c) + mp.quad(lambda x: density(x) * delta(e - x), mp.linspace(-c, c, 5))

    return both


def inverse(delta, target):
    low, high = mpf(0), mpf(1)
    if delta(low) <= target:
        return low
    while delta(high) > target:
        high *= 2
    for _ in range(230):
        middle = (low + high) / 2
        if delta(middle) > target:
            low = middle
        else:
            high = middle
    return high


def cases(random):
    choose = random.choice
    for number in range(50):
        kind = number % 7
        if kind == 0:
            sigma, n = Fraction(random.randint(5, 2000), 10), random.randint(1, 5000)
            sensitivity = random.randint(1, 3)
            yield f"gaussian({sigma}, sensitivity = {sensitivity}) * {n}", normal(n * Fraction(sensitivity) ** 2 / sigma**2)
        elif kind == 1:
            e, n = Fraction(random.randint(1, 300), 1000), random.randint(2, 400)
            yield f"pure({e}) * {n}", binomial(n, real(e))
        elif kind == 2:
            b, n = Fraction(random.randint(10, 400), 7), random.randint(2, 400)
            yield f"discrete_laplace({b}) * {n}", binomial(n, 1 / real(b))
        elif kind == 3:
            p, n = Fraction(random.randint(51, 80), 100), random.randint(2, 200)
            yield f"response(2, {p}) * {n}", binomial(n, mp.log(real(p) / (1 - real(p))))
        elif kind == 4:
            e, n = Fraction(random.randint(1, 200), 1000), random.randint(2, 200)
            told = Fraction(1, 10 ** random.randint(7, 12))
            yield f"approx({e}, {told}) * {n}", binomial(n, real(e), told)
        elif kind == 5:
            b = Fraction(random.randint(3, 60), 10)
            yield f"laplace({b})", laplace(1 / real(b))
        else:
            mu, sigma, n = Fraction(random.randint(1, 9), 10), Fraction(random.randint(20, 90), 10), random.randint(1, 50)
            yield f"mu({mu}) + gaussian({sigma}) * {n}", normal(mu**2 + n / sigma**2)


def main():
    generator = random.Random(20261116)
    lines = ["# expression | what is given | its value | the other one, 60 digits. Made by scripts/account_oracle.py."]
    for expression, delta in cases(generator):
        if generator.random() < 0.5:
            exponent = generator.randint(2, 30) if "approx" not in expression else generator.randint(2, 4)
            given = Fraction(1, 10**exponent)
            lines.append(f"{expression} | delta | 1e-{exponent} | {mp.nstr(inverse(delta, real(given)), 60)}")
        else:
            given = Fraction(generator.randint(1, 40), 10)
            lines.append(f"{expression} | epsilon | {given} | {mp.nstr(delta(real(given)), 60)}")
    mp.dps = 40
    for c, square, e in [(Fraction(1, 2), Fraction(1, 4), Fraction(1)), (Fraction(1), Fraction(1, 9), Fraction(3, 2))]:
        truth = laplace_and_normal(real(c), square)(real(e))
        sigma = {Fraction(1, 4): 2, Fraction(1, 9): 3}[square]
        lines.append(f"laplace({1 / c}) + gaussian({sigma}) | epsilon | {e} | {mp.nstr(truth, 30)}")
    OUT.write_text("\n".join(lines) + "\n")
    print(f"{len(lines) - 1} cases in {OUT.name}")


main()
