"""A release over ten million rows beside the engines that do the same aggregation, and OpenDP's private one.

    python3 -m venv peers && peers/bin/pip install datafusion duckdb polars "opendp[polars]" numpy
    peers/bin/python scripts/release_peers.py --probity target/release/probity [--rows 10000000] [--users 2000000]

Prints, for each, CPU seconds (user and system, all threads) and the most memory resident. Every one runs in a process of its own.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

POLICY = """[budget]
epsilon = "1000"
per_query = {{ epsilon = "1" }}
[table.t]
unit = {unit}
[table.t.columns]
k = {{ in = [{keys}] }}
x = {{ type = "int", between = [0, 1000] }}
y = {{ type = "int", between = [-500, 500] }}
"""
QUERY = "SELECT k, COUNT(*) AS n, SUM(x) AS sx, SUM(y) AS sy FROM t GROUP BY k"
CLAMPED = (
    "SELECT k, COUNT(*) AS n, SUM(LEAST(GREATEST(x, 0), 1000)) AS sx, SUM(LEAST(GREATEST(y, -500), 500)) AS sy "
    "FROM {table} GROUP BY k"
)
BOUNDED = (
    "SELECT k, COUNT(*) AS n, SUM(LEAST(GREATEST(x, 0), 1000)) AS sx, SUM(LEAST(GREATEST(y, -500), 500)) AS sy FROM ("
    "SELECT *, DENSE_RANK() OVER (PARTITION BY u ORDER BY md5(CONCAT(CAST(u AS VARCHAR), '|', k)), k) AS r FROM {table}) WHERE r <= 3 GROUP BY k"
)


def make(path, rows, users):
    import numpy
    import polars

    generator = numpy.random.default_rng(1)
    frame = {
        "k": numpy.array([f"key{n:02}" for n in range(50)])[generator.integers(0, 50, rows)],
        "x": generator.integers(-100, 1200, rows),
        "y": generator.integers(-700, 700, rows),
    }
    if users:
        frame["u"] = generator.integers(0, users, rows)
    polars.DataFrame(frame).write_csv(path)


def datafusion(path, users):
    import datafusion

    context = datafusion.SessionContext()
    context.register_csv("t", path)
    context.sql((BOUNDED if users else CLAMPED).format(table="t")).collect()


def duckdb(path, users):
    import duckdb

    duckdb.sql((BOUNDED if users else CLAMPED).format(table=f"read_csv('{path}')")).fetchall()


def polars(path, users):
    import polars

    frame = polars.scan_csv(path)
    sums = [polars.len(), polars.col("x").clip(0, 1000).sum(), polars.col("y").clip(-500, 500).sum()]
    frame.group_by("k").agg(sums).collect(engine="streaming")


def opendp(path, users):
    import opendp.prelude as dp
    import polars

    dp.enable_features("contrib")
    context = dp.Context.compositor(
        data=polars.scan_csv(path),
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=1.0),
        split_evenly_over=1,
        margins=[dp.polars.Margin(by=["k"], invariant="keys", max_length=20_000_000)],
    )
    sums = [dp.len(), polars.col("x").fill_null(0).dp.sum((0, 1000)), polars.col("y").fill_null(0).dp.sum((-500, 500))]
    context.query().group_by("k").agg(sums).release().collect()


def resident(command):
    """CPU seconds and the most memory of one process."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(child.pid, 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--probity", default="target/release/probity")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--users", type=int, default=2_000_000)
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--peer")
    parser.add_argument("--path")
    parser.add_argument("--by-user", action="store_true")
    arguments = parser.parse_args()
    if arguments.make:
        make(arguments.path, arguments.rows, arguments.users)
        return
    if arguments.peer:
        globals()[arguments.peer](arguments.path, arguments.by_user)
        return
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        keys = ", ".join(f'"key{n:02}"' for n in range(50))
        for users in [0, arguments.users]:
            path = folder / f"t{users}.csv"
            # In a process of its own: a child's memory is measured from before it takes the place of this one.
            size = ["--rows", str(arguments.rows), "--users", str(users), "--path", str(path)]
            subprocess.run([sys.executable, __file__, "--make", *size], check=True)
            unit = '{ user = "u", groups = 3, rows_per_group = 100 }' if users else '"row"'
            policy = folder / f"p{users}.toml"
            policy.write_text(POLICY.format(unit=unit, keys=keys))
            print(f"\n{arguments.rows} rows, {path.stat().st_size >> 20} MB, {users or 'no'} users", flush=True)
            ours = [arguments.probity, "release", "--policy", str(policy), "--ledger", str(folder / f"l{users}"), "--init"]
            rows = [("probity", ours + ["--data", f"t={path}", QUERY])]
            for peer in ["datafusion", "duckdb"] if users else ["datafusion", "duckdb", "polars", "opendp"]:
                command = [sys.executable, __file__, "--peer", peer, "--path", str(path)]
                rows.append((peer, command + (["--by-user"] if users else [])))
            base = None
            for name, command in rows:
                cpu, most = resident(command)
                base = base or cpu
                print(f"{name:12} {cpu:8.2f} CPU-s {most:8.0f} MB   probity / this = {base / cpu:.2f}", flush=True)
            empty = folder / "empty.csv"
            empty.write_text("k,x,y,u\n")
            overhead = ours[:-2] + [str(folder / f"e{users}"), "--init", "--data", f"t={empty}", QUERY]
            print(f"proof, noise and ledger alone: {resident(overhead)[0] * 1000:.0f} ms of CPU")
            path.unlink()


if __name__ == "__main__":
    main()
