"""What a release costs besides the pass over the table: proof, noise and ledger, in CPU milliseconds (user and system, all threads).

    cargo build --release -p probity
    python3 scripts/release_overhead.py [--probity target/release/probity] [--beside OTHER] [--rounds 9] [--limit 50]

Every query is asked of a table without rows, with a new ledger and no certificate kept, so that everything is proved in that run; `again` is
the same query asked once more (`--again`), whose kept certificate is replayed. What `probity --version` takes is subtracted. The queries take turns, and the least
of the rounds counts, since what others do on the machine only adds. Exits with 1 if a query is above the limit. The last results are in
bench/release.md.
"""

import argparse
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

COLUMNS = """region = { in = ["north", "south", "east", "west"] }
age = { type = "int", between = [0, 120] }
income = { type = "decimal", scale = 2, between = [0, 100000] }
smoker = { type = "bool" }
joined = { type = "date", between = ["2015-01-01", "2025-12-31"] }
visits = { type = "int", between = [0, 50] }
"""
ROWS = '"row"'
USERS = '{ user = "person", groups = 3, rows_per_group = 2 }'
EPSILON = 'epsilon = "100"\nper_query = { epsilon = "1/2" }'
RHO = 'rho = "10"\nper_query = { rho = "1/100" }'
FIVE = "SELECT region, smoker, MIN(income) AS a, MAX(income) AS b, MEDIAN(income) AS c, COUNT(*) AS d, AVG(income) AS e FROM people GROUP BY region, smoker"
TEN = (
    "SELECT region, COUNT(*) AS a, SUM(age) AS b, SUM(income) AS c, AVG(age) AS d, AVG(income) AS e, VARIANCE(age) AS f, "
    "STDDEV(income) AS g, MEDIAN(age) AS h, MIN(age) AS i, MAX(income) AS j FROM people GROUP BY region"
)
NINE = (
    "SELECT region, AVG(age) AS a, VARIANCE(age) AS b, STDDEV(age) AS c, AVG(income) AS d, VARIANCE(income) AS e, STDDEV(income) AS f, "
    "AVG(visits) AS g, VARIANCE(visits) AS h, STDDEV(visits) AS i FROM people GROUP BY region"
)
QUANTILES = (
    "SELECT region, QUANTILE(income, 0.1) AS a, QUANTILE(income, 0.25) AS b, MEDIAN(income) AS c, QUANTILE(income, 0.9) AS d "
    "FROM people GROUP BY region"
)
MEDIANS = "SELECT region, MEDIAN(age) AS a, MEDIAN(income) AS b FROM people GROUP BY region"
QUERIES = [
    ("rows", EPSILON, "SELECT COUNT(*) AS n FROM people"),
    ("rows", EPSILON, "SELECT region, COUNT(*) AS n, AVG(income) AS income FROM people GROUP BY region"),
    ("rows", EPSILON, "SELECT region, VARIANCE(income) AS v FROM people GROUP BY region"),
    ("rows", EPSILON, "SELECT MEDIAN(age) AS m FROM people"),
    ("rows", EPSILON, "SELECT region, MEDIAN(age) AS m FROM people GROUP BY region"),
    ("rows", EPSILON, "SELECT MIN(age) AS a, MAX(income) AS b FROM people"),
    ("rows", EPSILON, "SELECT MEDIAN(age) AS a, MEDIAN(income) AS b FROM people"),
    ("rows", EPSILON, "SELECT MIN(age) AS a, MAX(age) AS b, MEDIAN(age) AS c FROM people"),
    ("rows", EPSILON, "SELECT MIN(age) AS a, MAX(income) AS b, QUANTILE(income, 0.9) AS c FROM people"),
    ("rows", EPSILON, MEDIANS),
    ("rows", EPSILON, QUANTILES),
    ("rows", EPSILON, FIVE),
    ("rows", EPSILON, NINE),
    ("rows", EPSILON, TEN),
    ("rows", RHO, "SELECT region, COUNT(*) AS n, AVG(income) AS income FROM people GROUP BY region"),
    ("rows", RHO, MEDIANS),
    ("rows", RHO, QUANTILES),
    ("rows", RHO, FIVE),
    ("rows", RHO, NINE),
    ("rows", RHO, TEN),
    ("users", EPSILON, "SELECT region, COUNT(*) AS n, AVG(income) AS income FROM people GROUP BY region"),
    ("users", EPSILON, MEDIANS),
    ("users", EPSILON, FIVE),
    ("users", EPSILON, TEN),
    ("users", RHO, MEDIANS),
    ("users", RHO, TEN),
]


def cpu(command, **options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1000


def release(binary, folder, unit, budget, query):
    """CPU of the query when its proof is looked for, and when its certificate is replayed."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    policy = f'[budget]\n{budget}\n\n[table.people]\nunit = {ROWS if unit == "rows" else USERS}\n[table.people.columns]\n{COLUMNS}'
    header = "region,age,income,smoker,joined,visits"
    if unit == "users":
        policy += 'person = { type = "text" }\n'
        header += ",person"
    (folder / "people.toml").write_text(policy)
    (folder / "people.csv").write_text(header + "\n")
    times = []
    for how in [["--init"], ["--again"]]:
        command = [binary, "release", *how, "--policy", "people.toml", "--ledger", "people.ledger", "--data", "people=people.csv", query]
        times.append(cpu(command, cwd=folder))
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--probity", default="target/release/probity")
    parser.add_argument("--beside", help="another build, which takes turns with this one")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--limit", type=float, default=50)
    arguments = parser.parse_args()
    builds = [os.path.abspath(build) for build in [arguments.probity, arguments.beside] if build]
    least = {}
    with tempfile.TemporaryDirectory() as work:
        for _ in range(arguments.rounds):
            for build in builds:
                empty = cpu([build, "--version"])
                least[build] = min(empty, least.get(build, empty))
                for place, (unit, budget, query) in enumerate(QUERIES):
                    times = release(build, pathlib.Path(work) / "work", unit, budget, query)
                    known = least.get((build, place), times)
                    least[(build, place)] = [min(pair) for pair in zip(times, known)]
    heads = "".join(f" {name} | again |" for name in ["proved", "beside: proved"][: len(builds)])
    print(f"`--version`: {least[builds[0]]:.1f} ms, which is subtracted\n\n| | |{heads}\n|---|---|" + "---|---|" * len(builds))
    most = 0
    for place, (unit, budget, query) in enumerate(QUERIES):
        figures = [figure - least[build] for build in builds for figure in least[(build, place)]]
        most = max(most, figures[0])
        measure = "ε" if budget == EPSILON else "ρ"
        print(f"| {unit}, {measure} | `{query}` | " + " | ".join(f"{figure:.1f}" for figure in figures) + " |")
    print(f"\nMost: {most:.1f} ms of CPU, at most {arguments.limit:g}: {'holds' if most < arguments.limit else 'MISSED'}")
    sys.exit(0 if most < arguments.limit else 1)


if __name__ == "__main__":
    main()
