#!/usr/bin/env python3
"""Kills releases at random moments, four at a time, and holds the ledger against what was printed; prints bench/release_kills.md.

    cargo build --release -p probity && python3 scripts/release_kills.py [KILLS] > bench/release_kills.md

Moments are spread over one and a half times the duration of an undisturbed release, as it is measured again and again, so that processes die
before, during and after the transaction however busy the machine is. Nothing is assumed about which ones finish. It must hold that
- every answer that was printed has its debit, once;
- the debits add up to what the ledger says is spent, and are at least what was printed;
- every debit has its stored answer, which the same query gets for free, and it is the one that was printed;
- the ledger verifies.
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from fractions import Fraction

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROBITY = os.environ.get("PROBITY", str(ROOT / "target/release/probity"))
KILLS = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
WORKERS = 4


def main():
    place = pathlib.Path(tempfile.mkdtemp())
    shutil.copy(ROOT / "examples/data/people.csv", place)
    policy = (ROOT / "examples/data/people.toml").read_text().replace('epsilon = "2"', 'epsilon = "100000"')
    (place / "people.toml").write_text(policy)
    base = ["release", "--policy", "people.toml", "--ledger", "people.ledger", "--data", "people=people.csv", "--json"]

    def command(arguments, **options):
        return subprocess.Popen([PROBITY, *arguments], cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def finished(arguments):
        process = command(arguments)
        out, err = process.communicate()
        assert process.returncode == 0, (arguments, out, err)
        return json.loads(out)

    def query(number):
        return f"SELECT COUNT(*) AS n FROM people WHERE age <> {number % 121} AND income < {1000 + number // 121}"

    init = [PROBITY, "budget", "init", "--policy", "people.toml", "--ledger", "people.ledger"]
    subprocess.run(init, cwd=place, check=True, stdout=subprocess.DEVNULL)
    printed, durations, lock, state = {}, [], threading.Lock(), {"next": 0, "killed": 0}
    killed = []

    def worker(seed):
        generator = random.Random(seed)
        while True:
            with lock:
                number = state["next"]
                state["next"] += 1
                if state["killed"] >= KILLS:
                    return
            # Some run to their end, and say how long that takes now.
            undisturbed = number % 20 < 2 or not durations
            start = time.monotonic()
            process = command([*base, query(number)])
            if not undisturbed:
                try:
                    process.wait(generator.random() * 1.5 * durations[-1])
                except subprocess.TimeoutExpired:
                    process.kill()
                    with lock:
                        state["killed"] += 1
                        killed.append(query(number))
            out, _ = process.communicate()
            if undisturbed:
                with lock:
                    durations.append(time.monotonic() - start)
            try:
                answer = json.loads(out)
            except ValueError:
                continue
            with lock:
                printed[query(number)] = answer

    workers = [threading.Thread(target=worker, args=(seed,)) for seed in range(WORKERS)]
    [one.start() for one in workers]
    [one.join() for one in workers]

    budget = finished(["budget", "--ledger", "people.ledger", "--verify", "--entries", "1000000", "--json"])
    debited = [entry["query"] for entry in budget["entries"] if entry.get("query")]
    assert len(set(debited)) == len(debited), "a query was debited twice"
    assert set(printed) <= set(debited), "an answer was printed without its debit"
    assert Fraction(budget["spent"]["epsilon"]) == Fraction(len(debited), 2), "the sum is not that of the debits"
    unprinted = [sql for sql in debited if sql not in printed]
    for sql in [*unprinted, *random.Random(0).sample(sorted(printed), min(40, len(printed)))]:
        again = finished([*base, sql])
        assert again["cost"]["epsilon"] == "0", sql
        assert sql not in printed or again["rows"] == printed[sql]["rows"], sql
    shutil.rmtree(place)
    print("# Releases that are killed\n")
    print(f"`scripts/release_kills.py {KILLS}`: {state['next'] - WORKERS} releases, {WORKERS} at a time, {state['killed']} of them killed with SIGKILL at random moments.\n")
    print(f"- {len(printed)} answers were printed, each with its debit, once; {len(debited)} debits were made.")
    known = set(debited)
    before = [sql for sql in killed if sql not in known]
    print(f"- {len(before)} of the killed had made no debit: they released nothing.")
    print(f"- {len(unprinted)} processes died between the debit and the last byte of the answer: each answer was stored, and the same query got it for free.")
    print("- The debits add up to what the ledger says is spent, and `budget --verify` holds.")


main()
