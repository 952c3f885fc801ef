#!/usr/bin/env python3
"""Asks dp_accounting and prv-accountant what we are asked, on 200 random compositions, and lists who lies outside our bracket.

Usage: python3 -m venv V && V/bin/pip install dp_accounting prv-accountant mpmath
       cargo build --release -p probity-account --example bracket && V/bin/python scripts/account_peers.py [CASES] > bench/accounting_peers.md
Where a peer's answer lies outside our bracket, the closed form (mpmath) or a run of ours that is ten times narrower decides who is wrong.
A peer's upper bound is wrong if it is below our lower bound; an estimate is listed wherever it is outside. The seed is fixed.
"""
import json
import math
import os
import pathlib
import random
import resource
import subprocess
import sys
import time
import warnings
from fractions import Fraction

from dp_accounting.pld import privacy_loss_distribution as pld

warnings.filterwarnings("ignore")
ROOT = pathlib.Path(__file__).resolve().parent.parent
BRACKET = pathlib.Path(os.environ.get("BRACKET", ROOT / "target/release/examples/bracket"))
# Private training: noise, share of a batch, steps, delta, and the error at which prv-accountant's bracket is 2e-3 wide.
TRAINING = [(1, "1/1000", 1_000_000, "1e-9", 0.0083), ("11/10", "256/60000", 14062, "1e-5", 0.0023)]


def ours(expression, delta, width):
    command = [str(BRACKET), expression, "delta", delta, str(width), "120"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return answer["lower"], answer["upper"], spent, answer["method"]


def case(generator):
    kind = generator.randrange(5)
    delta = f"1e-{generator.randint(3, 12)}"
    if kind == 0:
        sigma, n = generator.randint(10, 2000) / 10, generator.randint(1, 10000)
        return f"gaussian({sigma}) * {n}", delta, lambda: pld.from_gaussian_mechanism(sigma / math.sqrt(n), use_connect_dots=True), None
    if kind == 1:
        b, n = generator.randint(10, 1000) / 10, generator.randint(1, 3000)
        return f"laplace({b}) * {n}", delta, lambda: pld.from_laplace_mechanism(b).self_compose(n), None
    if kind == 2:
        b, n = generator.randint(5, 200), generator.randint(1, 10000)
        return f"discrete_laplace({b}) * {n}", delta, lambda: pld.from_discrete_laplace_mechanism(1 / b).self_compose(n), None
    if kind == 3:
        b, s, n = generator.randint(5, 60), generator.randint(2, 5), generator.randint(1, 500)
        return (f"discrete_laplace({b}, sensitivity = {s}) * {n}", delta,
                lambda: pld.from_discrete_laplace_mechanism(1 / b, sensitivity=s).self_compose(n), None)
    sigma, q, n = generator.randint(8, 30) / 10, generator.randint(1, 50), generator.randint(10, 2000)
    expression = f"poisson({q}/1000, gaussian({sigma})) * {n}"
    return (expression, delta, lambda: pld.from_gaussian_mechanism(sigma, sampling_prob=q / 1000).self_compose(n),
            (sigma, q / 1000, n))


def prv(sigma, q, n, delta, error=0.01):
    from prv_accountant import PRVAccountant, PoissonSubsampledGaussianMechanism

    mechanism = PoissonSubsampledGaussianMechanism(noise_multiplier=sigma, sampling_probability=q)
    accountant = PRVAccountant(prvs=[mechanism], max_self_compositions=[n], eps_error=error, delta_error=float(delta) / 1000)
    return accountant.compute_epsilon(delta=float(delta), num_self_compositions=[n])


def training():
    print("\n## Private training, one run\n")
    print("CPU seconds of both directions; relative widths.\n")
    print("| composition | δ | ours, width ≤ 1e-4 | s | ours, width ≤ 2e-3 | s | prv-accountant | s | times ours at 2e-3 |\n|---|---|---|---|---|---|---|---|---|")
    for sigma, q, n, delta, error in TRAINING:
        expression = f"poisson({q}, gaussian({sigma})) * {n}"
        fine, coarse = ours(expression, delta, 1e-4), ours(expression, delta, 2e-3)
        start = time.process_time()
        bottom, _, top = prv(float(Fraction(sigma)), float(Fraction(q)), n, delta, error)
        spent = time.process_time() - start
        cells = [f"[{low:.6f}, {high:.6f}] ({(high - low) / high:.1e}) | {seconds:.1f}" for low, high, seconds, _ in (fine, coarse)]
        print(f"| `{expression}` | {delta} | {cells[0]} | {cells[1]} | [{bottom:.6f}, {top:.6f}] ({(top - bottom) / top:.1e}) | {spent:.0f} | {spent / coarse[2]:.0f} |")


def main():
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    generator = random.Random(18)
    rows, counts, seconds = [], {"pld low": 0, "pld high": 0, "prv": 0, "failed": 0}, {"ours": 0.0, "pld": 0.0, "prv": 0.0}
    widest = 0.0
    if cases == 0:
        return training()
    for _ in range(cases):
        expression, delta, peer, sampled = case(generator)
        low, high, spent, method = ours(expression, delta, 1e-4)
        seconds["ours"] += spent
        widest = max(widest, (high - low) / high)
        start = time.process_time()
        try:
            found = peer().get_epsilon_for_delta(float(delta))
        except Exception as error:  # A peer that gives up is listed.
            found = math.nan
        seconds["pld"] += time.process_time() - start
        if not math.isfinite(found):
            counts["failed"] += 1
            rows.append((expression, delta, low, high, f"dp_accounting: {found}", "no answer"))
        elif found < low:
            low, high, _, _ = ours(expression, delta, 1e-5)
            counts["pld low"] += 1
            rows.append((expression, delta, low, high, f"dp_accounting: {found:.9f}", "below the truth: its bound does not hold"))
        elif found > high:
            counts["pld high"] += 1
        if sampled and low > 0.3:
            start = time.process_time()
            try:
                bottom, estimate, top = prv(*sampled, delta)
            except Exception:
                counts["failed"] += 1
                continue
            seconds["prv"] += time.process_time() - start
            if top < low or bottom > high:
                counts["prv"] += 1
                rows.append((expression, delta, low, high, f"prv-accountant: [{bottom:.6f}, {top:.6f}]", "misses the truth"))
    print("# Accounting beside dp_accounting and prv-accountant\n")
    print(f"`scripts/account_peers.py`, {cases} random compositions, ε at δ, our relative width at most {widest:.1e}.")
    print(f"CPU seconds in all: ours {seconds['ours']:.0f}, dp_accounting {seconds['pld']:.0f}, prv-accountant {seconds['prv']:.0f} (only samples with ε > 0.3).\n")
    print(f"- dp_accounting's answer lies below our lower bound {counts['pld low']} times: a bound that does not hold;")
    print(f"- it lies above our upper bound {counts['pld high']} times: sound, looser;")
    print(f"- prv-accountant's bracket misses ours {counts['prv']} times;")
    print(f"- no answer {counts['failed']} times.\n")
    print("| composition | δ | ours | theirs | verdict |\n|---|---|---|---|---|")
    for expression, delta, low, high, theirs, verdict in rows:
        print(f"| `{expression}` | {delta} | [{low:.9f}, {high:.9f}] | {theirs} | {verdict} |")
    training()


main()
