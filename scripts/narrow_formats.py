"""Fixtures for formats narrower than binary64: binary32 on samples, binary16 and tiny formats exhaustively.

Results are digested as the bit patterns of the doubles that equal them (every value here is a double). The
fifth direction of the tiny formats, nearest with ties away from zero, is not MPFR's: it is decided here from
MPFR's two directed results and an exact comparison with the midpoint between them.
"""

from fractions import Fraction

import gmpy2
import numpy as np
from gmpy2 import mpfr

from oracle_inputs import CASES_PER_BLOCK, draws, u64

NAN_BITS = 0x7FF8000000000000
DIRECTIONS = [
    ("nearest", gmpy2.RoundToNearest),
    ("up", gmpy2.RoundUp),
    ("down", gmpy2.RoundDown),
    ("zero", gmpy2.RoundToZero),
]

TINY_EMIN, TINY_EMAX = -8, 8
UNARY_PRECISIONS = range(2, 9)
BINARY_PRECISIONS = range(2, 5)
UNARY = [("ln", "log"), ("exp", "exp"), ("sqrt", "sqrt")]
BINARY = ["add", "sub", "mul", "div"]


def words(values):
    array = np.array([float(v) for v in values], dtype=np.float64)
    return np.where(np.isnan(array), u64(NAN_BITS), array.view(np.uint64))


def tiny_values(precision):
    """Every value of the tiny format, as doubles: +0 upwards to +∞, −0 downwards to −∞, NaN."""
    half = 1 << (precision - 1)
    ulp = 2.0 ** (TINY_EMIN - precision + 1)
    positive = [k * ulp for k in range(half)]
    for field in range(TINY_EMAX - TINY_EMIN + 1):
        positive += [(half + k) * ulp * 2.0**field for k in range(half)]
    positive.append(float("inf"))
    return positive + [-v for v in positive] + [float("nan")]


def at_least(operation, operands, bound):
    """Whether |exact result| ≥ bound, for a finite result that is not representable."""
    x = Fraction(operands[0])
    if operation in ("log", "exp"):
        # No result of ln or exp but 0 and 1 is rational, so 300 bits tell it from a midpoint of 9 bits.
        wide = gmpy2.context(precision=300)
        return abs(getattr(wide, operation)(mpfr(operands[0], 53))) > bound
    if operation == "sqrt":
        return x >= Fraction(bound) ** 2
    y = Fraction(operands[1])
    exact = {"add": lambda: x + y, "sub": lambda: x - y, "mul": lambda: x * y, "div": lambda: x / y}[operation]()
    return abs(exact) >= Fraction(bound)


def nearest_away(precision, operation, operands, down, up):
    """Round to nearest, ties away from zero, from the two directed results."""
    if down == up or down != down:
        return up
    inner, outer = sorted((down, up), key=abs)
    beyond = abs(outer)
    if beyond == float("inf"):
        # The midpoint above the largest finite number is where the next one would be, half-way.
        beyond = 2.0 ** (TINY_EMAX + 1)
    midpoint = (abs(inner) + beyond) / 2
    return outer if at_least(operation, operands, midpoint) else inner


def tiny(context, digest):
    lines = []

    def emit(precision, name, operation, cases):
        columns = {}
        for direction, mode in DIRECTIONS:
            function = getattr(context(mode, precision, TINY_EMIN, TINY_EMAX), operation)
            columns[direction] = [float(function(*(mpfr(x, 53) for x in case))) for case in cases]
        columns["nearest_away"] = [
            nearest_away(precision, operation, case, down, up)
            for case, down, up in zip(cases, columns["down"], columns["up"])
        ]
        for direction, results in columns.items():
            lines.append(f"{precision} {name} {direction} {len(cases)} {digest(words(results)):016x}")

    for precision in UNARY_PRECISIONS:
        for name, operation in UNARY:
            emit(precision, name, operation, [(x,) for x in tiny_values(precision)])
    for precision in BINARY_PRECISIONS:
        values = tiny_values(precision)
        for operation in BINARY:
            emit(precision, operation, operation, [(x, y) for x in values for y in values])
    return lines


def half_values():
    """All 65536 bit patterns of binary16, as doubles."""
    return np.arange(65536, dtype=np.uint64).astype(np.uint16).view(np.float16).astype(np.float64)


def exhaustive_half(context, digest):
    """ln, exp and sqrt of every binary16 number; one digest per 1024 consecutive bit patterns."""
    contexts = [context(mode, 11, -14, 15) for _, mode in DIRECTIONS]
    values = [mpfr(float(x), 53) for x in half_values()]
    for name, operation in UNARY:
        functions = [getattr(c, operation) for c in contexts]
        for block in range(64):
            results = [f(v) for v in values[block * 1024 : (block + 1) * 1024] for f in functions]
            yield f"binary16.{name} {block} {digest(words(results)):016x}"


def single_inputs(number, name, block):
    """Operands in binary32 as doubles: any bit patterns, and for exp exponents from 2^−30 to 2^7."""
    d = draws(number, block)
    if name == "exp":
        field = u64(127 - 30) + d[0] % u64(38)
        pattern = (d[1] & u64(1)) << u64(31) | field << u64(23) | d[2] >> u64(41)
        return [pattern.astype(np.uint32).view(np.float32).astype(np.float64)]
    columns = [(d[k] >> u64(32)).astype(np.uint32) for k in range(3)]
    return [c.view(np.float32).astype(np.float64) for c in columns]


def single(context, digest):
    contexts = [context(mode, 24, -126, 127) for _, mode in DIRECTIONS]
    operations = UNARY + [(name, name) for name in BINARY] + [("fma", "fma")]
    for index, (name, operation) in enumerate(operations):
        arity = 1 if index < 3 else 3 if name == "fma" else 2
        functions = [getattr(c, operation) for c in contexts]
        for block in range(10):
            columns = single_inputs(0x50 + index, name, block)[:arity]
            cases = [[mpfr(float(x), 53) for x in column] for column in columns]
            results = [f(*case) for case in zip(*cases) for f in functions]
            yield f"binary32.{name} {block} {digest(words(results)):016x}"


def fixtures(context, digest):
    with np.errstate(invalid="ignore"):
        yield (
            "tiny_formats",
            f"# precision (emin {TINY_EMIN}, emax {TINY_EMAX}), operation, direction, cases, digest over all inputs.\n",
            tiny(context, digest),
        )
        yield (
            "binary16",
            "# operation, block of 1024 bit patterns, digest of the results in four directions.\n",
            list(exhaustive_half(context, digest)),
        )
        yield (
            "binary32",
            f"# operation, block of {CASES_PER_BLOCK} cases, digest of the results in four directions.\n",
            list(single(context, digest)),
        )
