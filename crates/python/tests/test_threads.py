"""Threads go on during work, a fork repeats nothing, and Ctrl-C ends long work."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import probity_dp as pb


def draw(_):
    return tuple(pb.discrete_laplace(scale=2**40).sample(8).tolist())


@pytest.mark.parametrize("method", [method for method in ("fork", "spawn") if method in multiprocessing.get_all_start_methods()])
def test_processes_draw_different_noise(method):
    # The parent has words in its buffer, which a child that was forked must not repeat.
    own = draw(None)
    with multiprocessing.get_context(method).Pool(4) as pool:
        drawn = pool.map(draw, range(16), chunksize=1)
    assert len({own, draw(None), *drawn}) == 18


def test_threads_draw_different_noise():
    drawn = []
    threads = [threading.Thread(target=lambda: drawn.append(draw(None))) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(drawn)) == 16


def test_other_threads_run_during_work():
    # A thread counts while the main thread draws: with the lock held it would stand still for whole blocks.
    counts, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counts[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    before = counts[0]
    pb.discrete_gaussian(scale=1000).sample(5_000_000)
    during = counts[0] - before
    done.set()
    thread.join()
    assert during > 100


def test_one_session_in_many_threads(tmp_path):
    s = pb.Session(data={"people": "examples/data/people.csv"}, policy="examples/data/people.toml", ledger=tmp_path / "l", init=True)
    outcomes = []

    def ask(number):
        try:
            s.sql(f"SELECT COUNT(*) AS n{number} FROM people")
            outcomes.append("answered")
        except pb.BudgetExceeded:
            outcomes.append("refused")

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # A budget of 2 at 1/2 a query.
    assert sorted(outcomes) == ["answered"] * 4 + ["refused"] * 4


WORK = {
    "sampling": "pb.discrete_gaussian(scale=1000).sample(2_000_000_000)",
    # Each fraction is asked for its parts, which is code of Python, so that the interrupt comes while it runs.
    "reading": "pb.mean([__import__('fractions').Fraction(1, 3)] * 20_000_000, bounds=(0, 10), epsilon=1)",
    "accounting": "pb.account('poisson(1/1000, gaussian(1)) * 1000000').epsilon(delta=1e-9, width=1e-12, seconds=600)",
}


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has them")
@pytest.mark.parametrize("work", WORK.values(), ids=WORK.keys())
def test_an_interrupt_ends_work(work):
    script = f"""
import probity_dp as pb, sys
print("ready", flush=True)
try:
    {work}
except KeyboardInterrupt:
    print("interrupted", flush=True)
    import os
    os._exit(7)
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert "interrupted" in out and process.returncode == 7
