"""The bars of the Python package, in one run with its peers from PyPI; prints bench/python.md.

    target/python/bin/pip install opendp
    target/python/bin/python scripts/python_peers.py [WHEEL] > bench/python.md

Times are of the processor, not of the clock, and the best of some rounds: the ratios are what counts.
"""

import pathlib
import platform
import subprocess
import sys
import time
from importlib import metadata

import numpy as np

ROUNDS = 3


def best(action, rounds=ROUNDS):
    """Processor seconds of the quickest round."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


def import_time(module):
    """Processor seconds that an import adds to an interpreter, the best of some new processes."""
    script = f"import time; s = time.process_time(); import {module}; print(time.process_time() - s)"
    times = [float(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout) for _ in range(ROUNDS)]
    return min(times)


def size(distribution):
    """Bytes of the files of an installed distribution."""
    return sum(file.locate().stat().st_size for file in metadata.files(distribution) if file.locate().is_file())


def main():
    import opendp.prelude as dp

    import probity_dp as pb

    dp.enable_features("contrib")
    rows = []

    ours, theirs = import_time("probity_dp"), import_time("opendp.prelude")
    rows.append(("import, CPU s", f"{ours:.3f}", f"{theirs:.3f}", f"{theirs / ours:.0f}×", "≤ 0.1 s"))

    for path in map(pathlib.Path, sys.argv[1:]):
        rows.append(("wheel, MB", f"{path.stat().st_size / 1e6:.1f}", "47 (its wheel on PyPI)", "", "≤ 10 MB"))
    rows.append(("installed, MB", f"{size('probity-dp') / 1e6:.1f}", f"{size('opendp') / 1e6:.1f}", "", ""))

    for scale in (1, 7 / 3, 1000):
        many, few = 1_000_000, 5_000
        noise = pb.discrete_laplace(scale=str(scale))
        mine = many / best(lambda: noise.sample(many))
        vector = dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int), scale=scale)
        zeros = [0] * few
        other = few / best(lambda: vector(zeros), 1)
        generator = np.random.default_rng()
        insecure = many / best(lambda: generator.laplace(0, scale, many))
        rows.append(
            (
                f"integer Laplace noise, scale {scale:.3g}, draws per CPU s",
                f"{mine:.2e}",
                f"{other:.2e}",
                f"{mine / other:.0f}×; {mine / insecure:.2f} of NumPy's {insecure:.2e}",
                "≥ 50×, ≥ 1/3 of NumPy",
            )
        )

    ages = np.random.default_rng(1).uniform(0, 100, 1_000_000)
    mine = best(lambda: pb.mean(ages, bounds=(0, 100), epsilon=1))
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False))

    def their_mean(data):
        context = dp.Context.compositor(
            data=data,
            privacy_unit=dp.unit_of(contributions=1),
            privacy_loss=dp.loss_of(epsilon=1.0),
            split_evenly_over=1,
            domain=space,
        )
        return context.query().clamp((0.0, 100.0)).resize(len(data), constant=50.0).mean().laplace().release()

    # OpenDP is given what it takes fastest.
    listed = ages.tolist()
    other = min(best(lambda: their_mean(data), 1) for data in (listed, ages))
    rows.append(("private mean of 10^6 floats (numpy), CPU s", f"{mine:.4f}", f"{other:.4f}", f"{other / mine:.0f}×", "≥ 10×"))

    print("# The Python package beside its peers\n")
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("probity-dp", "opendp", "numpy"))
    print(f"One run of `scripts/python_peers.py`: {versions}, Python {platform.python_version()}, {platform.machine()}. Times are of the processor, the best")
    print("of some rounds, on a machine that others used too; the ratios are what counts.\n")
    print("| | Probity | OpenDP | ratio | bar |\n|---|---|---|---|---|")
    for row in rows:
        print("| " + " | ".join(row) + " |")


main()
