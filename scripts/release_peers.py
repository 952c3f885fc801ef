"""A release over ten million rows beside the engines that do the same aggregation, and OpenDP's private one.

    python3 -m venv peers && peers/bin/pip install datafusion duckdb polars "opendp[polars]" numpy
    cargo build --release -p probity
    peers/bin/python scripts/release_peers.py [--probity target/release/probity] [--rows 10000000] [--users 2000000] [--rounds 3]

Prints, for each, CPU seconds (user and system, all threads) and the most memory resident, then the bars and whether they hold. Every
one runs in a process of its own; they take turns, and the least of the rounds counts, since what others do on the machine only adds.
Ours includes the proof, the noise and the ledger. The last results are in bench/release.md.
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


def packages():
    from importlib.metadata import version

    return ", ".join(f"{name} {version(name)}" for name in ["datafusion", "duckdb", "polars", "opendp"])


def compare(title, commands, rounds):
    """The least CPU seconds and the most memory of each, in turns."""
    print(f"\n{title}", flush=True)
    found = {name: [] for name in commands}
    for turn in range(rounds):
        for name, command in commands.items():
            found[name].append(resident(command(turn)))
    least = {name: min(cpu for cpu, _ in runs) for name, runs in found.items()}
    most = {name: max(memory for _, memory in runs) for name, runs in found.items()}
    for name in commands:
        ratio = least["probity"] / least[name]
        print(f"{name:12} {least[name]:8.2f} CPU-s {most[name]:8.0f} MB   probity / this = {ratio:.2f}", flush=True)
    return least, most


def bar(text, value, most):
    print(f"{'holds ' if value <= most else 'MISSED'} {text}: {value:.2f}, at most {most:.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--probity", default="target/release/probity")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--users", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=3)
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
    print(packages())
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        keys = ", ".join(f'"key{n:02}"' for n in range(50))
        results = {}
        for users in [0, arguments.users]:
            path = folder / f"t{users}.csv"
            # In a process of its own: a child's memory is measured from before it takes the place of this one.
            size = ["--rows", str(arguments.rows), "--users", str(users), "--path", str(path)]
            subprocess.run([sys.executable, __file__, "--make", *size], check=True)
            unit = '{ user = "u", groups = 3, rows_per_group = 100 }' if users else '"row"'
            policy = folder / f"p{users}.toml"
            policy.write_text(POLICY.format(unit=unit, keys=keys))

            def ours(ledger, table):
                command = [arguments.probity, "release", "--policy", str(policy), "--ledger", str(folder / ledger), "--init"]
                return command + ["--again", "--data", f"t={table}", QUERY]

            def peer(name):
                command = [sys.executable, __file__, "--peer", name, "--path", str(path)]
                return command + (["--by-user"] if users else [])

            # A ledger of its own each time: the proof is found each time.
            commands = {"probity": lambda turn: ours(f"l{users}-{turn}", path)}
            for name in ["datafusion", "duckdb"] if users else ["datafusion", "duckdb", "polars", "opendp"]:
                commands[name] = lambda _, name=name: peer(name)
            title = f"{arguments.rows} rows, {path.stat().st_size >> 20} MB, {users or 'no'} users"
            results[users] = compare(title, commands, arguments.rounds)
            empty = folder / "empty.csv"
            empty.write_text("k,x,y,u\n")
            turns = range(max(arguments.rounds, 5))
            first = min(resident(ours(f"e{users}-{turn}", empty))[0] for turn in turns)
            later = min(resident(ours(f"e{users}-0", empty))[0] for _ in turns)
            results[users] += (first * 1000,)
            print(f"proof, noise and ledger alone: {first * 1000:.0f} ms of CPU; with the certificate kept {later * 1000:.0f} ms")
            path.unlink()
        print()
        cpu, memory, overhead = results[0]
        bar("rows, CPU / DataFusion", cpu["probity"] / cpu["datafusion"], 1.0)
        bar("rows, CPU / OpenDP", cpu["probity"] / cpu["opendp"], 0.2)
        bar("rows, MB resident", memory["probity"], 50)
        bar("proof, noise and ledger, ms of CPU", overhead, 50)
        cpu, memory, overhead = results[arguments.users]
        bar("users, CPU / DataFusion with the same bounding", cpu["probity"] / cpu["datafusion"], 0.7)
        bar("users, MB resident", memory["probity"], 1000)
        bar("users, proof, noise and ledger, ms of CPU", overhead, 50)


if __name__ == "__main__":
    main()
