#!/usr/bin/env python3
"""Switches every condition of a release that protects privacy or the budget off, one at a time, and sees a test fail.

As scripts/switches.py does for the kernel: refusals are found by their form, other conditions stand in
`crates/release/tests/conditions/switches.txt`. What noticed each one is written to `noticed.txt` beside it, which a test holds
against the source. Only quick tests are asked. A test counts as noticing if it fails twice with the condition off and passes twice
with all conditions on: one that fails now and then notices nothing.

The switches are put into the sources of this very clone, so that nothing but one crate is built, and taken out again before the
tests are run: a clone with changes of its own in crates/release/src is refused.

    scripts/release_switches.py                all of them
    scripts/release_switches.py --only TEXT    those whose file or condition has a text
    scripts/release_switches.py --kept FOLDER  with the tests that an earlier run has built and kept there
"""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

from switches import ROOT, Copy, hand_written

HERE = ROOT / "crates/release/tests/conditions"
SOURCE = ROOT / "crates/release/src"
# Words of messages to people: whether they are said protects nobody.
FILES = ["certificate.rs", "discover.rs", "loss.rs", "mechanism.rs", "prepare.rs", "proof.rs", "release.rs",
         "engine/clean.rs", "engine/columns.rs", "engine/compiled.rs", "engine/csv.rs", "engine/keys.rs", "engine/rows.rs", "engine/users.rs",
         "ledger/anchor.rs", "ledger/chain.rs", "ledger/mod.rs", "ledger/runs.rs", "ledger/store.rs", "ledger/units.rs",
         "policy/column.rs", "policy/public.rs", "policy/read.rs",
         "query/aggregate.rs", "query/clause.rs", "query/discovered.rs", "query/from.rs", "query/parse.rs", "query/plan.rs",
         "query/ranked.rs", "query/resolve.rs", "query/row.rs"]
# Programs of tests, and the files of the one that has many.
PROGRAMS = ["conditions", "probity_release", "all"]
TESTS = ["ledger", "runs", "queries", "policy", "keys", "joins", "columns", "pipeline"]
# Those that take more than a second or two of a processor.
SLOW = ["every_shape_is_proved_and_certified", "less_noise_is_never_proved", "error_bars_hold", "bars_of_quantiles",
        "both_readings_agree", "records_end_where", "a_flipped_bit"]
SECONDS = 60
# What is said of a run of tests that meets the limit, or ends in another way than by its tests.
UNENDING = "does_not_end"
# Who is asked first about a file, with the tests that may notice: one that notices is enough. The others are asked after that.
FIRST = {
    "ledger/": [("all", ["ledger::", "runs::"]), ("conditions", ["entries"]), ("probity_release", ["ledger"])],
    "loss.rs": [("probity_release", ["loss"]), ("all", ["ledger::"])],
    "policy/": [("all", ["policy::"]), ("probity_release", ["policy", "clean"]), ("all", ["joins::", "queries::"])],
    "query/": [("all", ["queries::", "joins::"]), ("probity_release", ["query"])],
    "engine/": [("probity_release", ["engine"]), ("conditions", ["files"]), ("all", ["columns::"])],
    "": [("conditions", ["noise", "entries"]), ("all", ["queries::"]), ("probity_release", ["release::", "prepare", "discover"])],
}


class InPlace(Copy):
    """The crate itself, with its switches."""

    SOURCE = "crates/release/src"
    # A transaction that is not committed does not compile; the settings of a connection are no conditions.
    NO_CHECKS = (*Copy.NO_CHECKS, "transaction.", "connection.")

    def __init__(self):
        self.folder, self.names = ROOT, []


def run(binary, number, words=()):
    """The quick tests that fail with one condition off, of those with one of these words in their names."""
    environment = dict(os.environ, SWITCH=str(number), CARGO_MANIFEST_DIR=str(ROOT / "crates/release"), RUST_BACKTRACE="0")
    skipped = [word for test in [*SLOW, "coverage"] for word in ("--skip", test)]

    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))

    done = subprocess.run([binary, *words, *skipped], cwd=ROOT / "crates/release", env=environment, capture_output=True, text=True,
                          preexec_fn=limits)
    names = re.findall(r"^test (?:\w+::)*(\w+) \.\.\. FAILED", done.stdout, re.M)
    return names if names or done.returncode == 0 else [UNENDING]


def noticed_by(binary, number, words):
    """The tests that fail with one condition off, fail once more, and pass twice with all conditions on: a test that fails now and then notices nothing."""
    failed = run(binary, number, words)
    if not failed:
        return []
    asked_again = words if UNENDING in failed else failed
    steady = run(binary, number, asked_again)
    unsteady = run(binary, "none", asked_again) + run(binary, "none", asked_again)
    for name in failed:
        if name in unsteady or name not in steady:
            print(f"  {name} fails now and then: it does not count", file=sys.stderr, flush=True)
    return [name for name in failed if name in steady and name not in unsteady]


def wholly(binary):
    """The words with which all tests of a program are run, file by file where it has many."""
    return [[f"{file}::"] for file in TESTS] if binary.name.startswith("all-") else [[]]


def asked(binaries, file):
    """Which tests are asked about a file, in order."""
    name = {path.name.rsplit("-", 1)[0]: path for path in binaries}
    first = next(tests for start, tests in FIRST.items() if file.startswith(start))
    yield from ((name[test], words) for test, words in first)
    yield from ((path, words) for path in binaries for words in wholly(path))


def built(kept):
    """The switches, and the binaries of the tests with them."""
    if subprocess.run(["git", "diff", "--quiet", "--", "crates/release/src"], cwd=ROOT).returncode != 0:
        sys.exit("crates/release/src has changes: commit them first")
    by_hand, _ = hand_written(HERE)
    copy = InPlace()
    try:
        for file in FILES:
            copy.instrument(file, [(find, put) for f, find, put in by_hand if f == file])
        copy.add_switch()
        command = ["cargo", "test", "--locked", "-p", "probity-release", "--lib", "--test", "conditions", "--test", "all", "--no-run", "--message-format=short"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    finally:
        subprocess.run(["git", "checkout", "--quiet", "--", "crates/release/src"], cwd=ROOT, check=True)
    if done.returncode != 0:
        sys.exit(done.stderr[-6000:])
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    for binary in re.findall(r"\((\S+-[0-9a-f]{16})\)", done.stderr):
        shutil.copy(ROOT / binary, kept)
    (kept / "names.json").write_text(json.dumps(copy.names))


def main():
    arguments = sys.argv[1:]
    only = arguments[arguments.index("--only") + 1] if "--only" in arguments else ""
    kept = Path(arguments[arguments.index("--kept") + 1]) if "--kept" in arguments else ROOT / "target/release_switches"
    if not (kept / "names.json").exists() or "--kept" not in arguments:
        built(kept)
    names = json.loads((kept / "names.json").read_text())
    # The lib's own tests and the quickest first: one that notices is enough.
    binaries = sorted((path for path in kept.iterdir() if path.suffix != ".json"),
                      key=lambda path: PROGRAMS.index(path.name.rsplit("-", 1)[0]))
    for binary, words in [(binary, words) for binary in binaries for words in wholly(binary)] if not only else []:
        if failed := run(binary, "none", words):
            sys.exit(f"tests fail with every condition on: {', '.join(failed)}")
    _, equivalent = hand_written(HERE)
    rows, missed = [], 0
    for number, (file, what) in enumerate(names):
        if only not in file and only not in what:
            continue
        asking = (noticed_by(test, number, words) for test, words in asked(binaries, file))
        noticed = next((failed for failed in asking if failed), [])
        reason = equivalent.get((file, what))
        if noticed:
            said = ", ".join(noticed[:3]) + (f" and {len(noticed) - 3} more" if len(noticed) > 3 else "")
        elif reason:
            said = f"equivalent: {reason}"
        else:
            said, missed = "-", missed + 1
        rows.append(f"{file} | {what} | {said}")
        print(rows[-1], flush=True)
    if not only:
        head = "# Made by scripts/release_switches.py: what is switched off, and which quick test notices; '-' is none of them.\n"
        (HERE / "noticed.txt").write_text(head + "\n".join(rows) + "\n")
    print(f"{len(rows) - missed} passed, {missed} failed")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
