"""Whether the time or the memory of a release tells neighbouring tables apart.

    python3 scripts/release_timing.py --probity target/release/probity [--pairs 200] [--rows 20000]

Three tables: one, the same with a row more that WHERE leaves out, and the same with a row more that it takes. Releases of the three
take turns; printed are the means of CPU time and of the most memory, and Welch's t of each neighbour against the first table. |t| below
4.5 is what a leak test calls no evidence.
"""

import argparse
import math
import os
import pathlib
import subprocess
import tempfile

POLICY = """[budget]
epsilon = "1000000"
per_query = { epsilon = "1" }
[table.t]
unit = "row"
[table.t.columns]
k = { in = ["a", "b", "c", "d"] }
x = { type = "int", between = [0, 1000] }
"""
QUERY = "SELECT k, COUNT(*) AS n, SUM(x) AS s, MEDIAN(x) AS m FROM t WHERE x < 900 GROUP BY k"


def measured(command):
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    assert status == 0, command
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def mean(values):
    return sum(values) / len(values)


def welch(a, b):
    def spread(values):
        return sum((value - mean(values)) ** 2 for value in values) / (len(values) - 1) / len(values)

    both = spread(a) + spread(b)
    return (mean(a) - mean(b)) / math.sqrt(both) if both else 0.0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--probity", default="target/release/probity")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--rows", type=int, default=20_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "p.toml").write_text(POLICY)
        rows = "k,x\n" + "".join(f"{'abcd'[n % 4]},{n * 37 % 1001}\n" for n in range(arguments.rows))
        for name, more in [("first", ""), ("left-out", "a,950\n"), ("taken", "a,450\n")]:
            (folder / name).write_text(rows + more)
        command = [arguments.probity, "release", "--policy", str(folder / "p.toml"), "--ledger", str(folder / "l"), "--init", "--again"]
        found = {name: ([], []) for name in ["first", "left-out", "taken"]}
        for turn in range(arguments.pairs + 1):
            for name, (times, sizes) in found.items():
                time, size = measured(command + ["--data", f"t={folder / name}", QUERY])
                # The first turn makes the ledger and finds the proof.
                if turn:
                    times.append(time)
                    sizes.append(size)
        base = found["first"]
        for name, (times, sizes) in found.items():
            print(
                f"{name:9} {mean(times) * 1000:8.2f} ms of CPU (t {welch(times, base[0]):+.2f})   "
                f"{mean(sizes):7.2f} MB (t {welch(sizes, base[1]):+.2f})   {len(times)} releases"
            )


if __name__ == "__main__":
    main()
