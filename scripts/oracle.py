#!/usr/bin/env python3
"""Writes the oracle fixtures of probity-exact: correctly rounded results computed by MPFR.

    python3 -m pip install -r scripts/requirements.txt
    python3 scripts/oracle.py                      # rewrites trusted/exact/tests/data (about two minutes)
    python3 scripts/oracle.py --check              # writes nothing; fails if a file would change
    python3 scripts/oracle.py --block ln.unit 17   # prints the inputs and results behind one digest

The fixtures are of two kinds. Digests: one 64-bit number per block of 1000 cases, whose inputs the Rust test
draws again (oracle_inputs.py). Plain cases: hard-to-round inputs with their four results (hard_cases.py).
Results are in the order nearest, up, down, toward zero. Every NaN counts as 0x7ff8000000000000.
"""

import argparse
import pathlib
import sys

import gmpy2
import numpy as np
from gmpy2 import mpfr

import hard_cases
import narrow_formats
from oracle_inputs import (
    CASES_PER_BLOCK,
    EXP_INPUTS,
    GAMMA,
    LN_INPUTS,
    draws,
    mix,
    operand_triples,
    rational_operands,
    u64,
)

DATA = pathlib.Path(__file__).resolve().parent.parent / "trusted" / "exact" / "tests" / "data"

NAN_BITS = 0x7FF8000000000000
DIRECTIONS = [gmpy2.RoundToNearest, gmpy2.RoundUp, gmpy2.RoundDown, gmpy2.RoundToZero]

LN_BLOCKS = {"all": 150, "near_one": 250, "unit": 250, "moderate": 250, "huge": 50, "subnormal": 100}
EXP_BLOCKS = {
    "all": 150,
    "range": 350,
    "small": 200,
    "subnormal_result": 150,
    "near_overflow": 75,
    "near_underflow": 75,
    "near_subnormal": 75,
}
ARITHMETIC = ["add", "sub", "mul", "div", "sqrt", "fma"]
ARITHMETIC_BLOCKS = 170
CAST_BLOCKS = 100


def context(direction, precision=53, emin=-1022, emax=1023):
    """An MPFR context for the IEEE format (precision, emin, emax). MPFR's significands lie in [1/2, 1), so its
    exponents are one larger; its emin is that of the smallest subnormal."""
    return gmpy2.context(
        precision=precision, emin=emin - precision + 2, emax=emax + 1, subnormalize=True, round=direction
    )


BINARY64 = [context(direction) for direction in DIRECTIONS]


def bits_of(values):
    """The bit patterns of a list of binary64 values (as exact mpfr numbers), with one NaN."""
    array = np.array([float(v) for v in values], dtype=np.float64)
    words = array.view(np.uint64)
    return np.where(np.isnan(array), u64(NAN_BITS), words)


def digest(words):
    """Σ mix(word ⊕ (index+1)·γ) mod 2^64: it depends on every word and on their order."""
    index = np.arange(1, len(words) + 1, dtype=np.uint64)
    return int(np.sum(mix(words ^ (index * u64(GAMMA))), dtype=np.uint64))


def unary(name, inputs):
    """The four results of each input, case by case."""
    values = [mpfr(float(x), 53) for x in inputs.view(np.float64)]
    functions = [getattr(c, name) for c in BINARY64]
    return bits_of([f(v) for v in values for f in functions])


def arithmetic(name, triples):
    a, b, c = ([mpfr(float(x), 53) for x in column.view(np.float64)] for column in triples)
    functions = [getattr(ctx, name) for ctx in BINARY64]
    if name == "sqrt":
        return bits_of([f(x) for x in a for f in functions])
    if name == "fma":
        return bits_of([f(x, y, z) for x, y, z in zip(a, b, c) for f in functions])
    return bits_of([f(x, y) for x, y in zip(a, b) for f in functions])


def cast(rationals):
    """Each rational rounded to binary64."""
    values = [gmpy2.mpq(n, m) for n, m in rationals]
    columns = []
    for ctx in BINARY64:
        with gmpy2.context(ctx):
            columns.append([mpfr(q) for q in values])
    return bits_of([v for row in zip(*columns) for v in row])


def families():
    """(file, name, number of the family, blocks, block -> (input columns, results))."""

    def elementary(function, generator, number):
        def run(block):
            inputs = generator(draws(number, block))
            return [inputs], unary(function, inputs)

        return run

    def arithmetic_family(name, number):
        def run(block):
            triples = operand_triples(draws(number, block))
            return list(triples), arithmetic(name, triples)

        return run

    for index, (name, blocks) in enumerate(LN_BLOCKS.items()):
        yield "ln_binary64", f"ln.{name}", 0x10 + index, blocks, elementary("log", LN_INPUTS[name], 0x10 + index)
    for index, (name, blocks) in enumerate(EXP_BLOCKS.items()):
        yield "exp_binary64", f"exp.{name}", 0x20 + index, blocks, elementary("exp", EXP_INPUTS[name], 0x20 + index)
    for index, name in enumerate(ARITHMETIC):
        number = 0x30 + index
        yield "arithmetic_binary64", name, number, ARITHMETIC_BLOCKS, arithmetic_family(name, number)

    def cast_family(block):
        words = draws(0x40, block)
        return words, cast(rational_operands(words))

    yield "cast_binary64", "cast", 0x40, CAST_BLOCKS, cast_family


HEADER = "# Written by scripts/oracle.py ({}, gmpy2 {}). Do not edit.\n".format(gmpy2.mpfr_version(), gmpy2.version())


def write(path, text):
    path.write_text(text)
    print(f"{path.name}: written", flush=True)


def check(path, text):
    if not path.exists() or path.read_text() != text:
        sys.exit(f"{path.name} is not what this script writes")
    print(f"{path.name}: as written", flush=True)


def fixtures():
    """(file, header, lines) of every fixture."""
    yield from digests()
    yield from hard_case_files()
    yield from narrow_formats.fixtures(context, digest)


def digests():
    files = {}
    for file, name, _, blocks, run in families():
        for block in range(blocks):
            _, results = run(block)
            files.setdefault(file, []).append(f"{name} {block} {digest(results):016x}")
    for file, lines in files.items():
        yield file, f"# family, block of {CASES_PER_BLOCK} cases, digest of the results in four directions.\n", lines


def hard_case_files():
    for function, log_or_exp in (("ln", "log"), ("exp", "exp")):
        inputs = hard_cases.inputs(log_or_exp)
        results = unary(log_or_exp, np.array(inputs, dtype=np.uint64)).reshape(-1, 4)
        lines = [" ".join(f"{int(w):016x}" for w in (x, *row)) for x, row in zip(inputs, results)]
        yield (f"{function}_hard_cases", "# input, then the results: nearest, up, down, toward zero.\n", lines)


def print_block(name, block):
    """One line per case: its number, its inputs (for casts the words that they are drawn from), its results."""
    for _, family, _, blocks, run in families():
        if family == name and block < blocks:
            columns, results = run(block)
            for case, row in enumerate(results.reshape(-1, 4)):
                words = [*(int(column[case]) for column in columns), *(int(w) for w in row)]
                print(case, *(f"{w:016x}" for w in words))
            return
    sys.exit(f"no block {block} in a family '{name}'")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the files instead of writing them")
    parser.add_argument("--block", nargs=2, metavar=("FAMILY", "BLOCK"), help="print one block and write nothing")
    arguments = parser.parse_args()
    if arguments.block:
        print_block(arguments.block[0], int(arguments.block[1]))
        return
    DATA.mkdir(parents=True, exist_ok=True)
    for file, header, lines in fixtures():
        text = HEADER + header + "".join(line + "\n" for line in lines)
        (check if arguments.check else write)(DATA / f"{file}.txt", text)


if __name__ == "__main__":
    main()
