#!/usr/bin/env python3
"""Mutation testing of what is trusted: all mutants in one build, one switched on after the other.

cargo-mutants builds the tests again for every mutant, which is most of its time. Here `scripts/mutants/` (a small Rust program)
puts every mutant of a copy of the source behind a switch that an environment variable sets, and the copy is built once. Every test is
run by itself without a mutant, which says what it takes and which mutants it comes by; a mutant is then shown to the tests that
come by it, quick ones first and several in one process, until one fails. What does not compile is found by building, and is
left out by number. Tests that look at the source (coverage) are left out.

    scripts/mutants.py kernel                       every mutant of the kernel
    scripts/mutants.py kernel rules/once.rs …       of some files
    scripts/mutants.py kernel --part 3/40           every fortieth, from the third on (0/40 … 39/40)
    --rest         those of the named files first, then all others
    --whole        those of the named files, in the build that has all, which is there already after a run of all
    scripts/mutants.py exact                        of exact, with its own tests
    scripts/mutants.py noise                        of the privacy maps and mechanisms of noise, with its own tests
    --change TEXT  only changes that a regular expression finds: '[<>=]|min|max|- is gone' are inequalities and signs
    --bare         only those without a reason in scripts/mutants/left
    --summary      what has been seen so far: a table of the files, and what is left without a reason in scripts/mutants/left
    --quick        with the quick tests only, none of which takes more than a second; --under 0.05 with even quicker ones only
    --tests TEXT   with tests only that a regular expression finds, as binary::path::name
    --falsifier    what survives is shown to the falsifier of rules (crates/prove/tests/falsifier) as well

Changed are: operators (comparisons to the neighbouring and the opposite one, arithmetic, && and ||), `!` and `-` taken away,
integers (n to n + 1), guards (true, false), match arms (gone, where a wildcard follows), what a function returns, the methods
of formulas (`le` to `lt` and `ge`, `and` to `or`, no `abs`, …) and directions (`Up` and `Down`, `low` and `high`, `First` and
`Second`, `floor` and `ceil`). Not changed are: constants, patterns, what macros are given, and how things are shown.

Rows are written to target/mutants/WHAT.txt as they come; what stands there is not run again unless the source line changed.
"""

import dataclasses
import hashlib
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from switches import ROOT, Copy  # noqa: E402

# MUTANTS_OUT puts what is built and seen somewhere else.
OUT = Path(os.environ.get("MUTANTS_OUT", ROOT / "target/mutants"))
# Where a crate is, what it needs besides what is trusted, and which of its files are meant.
PLACES = {
    "kernel": ("trusted/kernel", (), ""),
    "exact": ("trusted/exact", (), ""),
    "noise": ("crates/noise", ("noise", "account"), r"(?!.*tests\.rs)((map|mechanisms)/|map\.rs|measure\.rs|unit\.rs|compose)"),
}
# What is large, and has quick tests that are quick as it stands.
LIGHTEST = tuple(word for crate in ("kernel", "noise", "account")
                 for word in ("--config", f"profile.dev.package.probity-{crate}.opt-level=0"))
SHOWN = ("text/render.rs", "rejection.rs")
MEMORY = 4 << 30
STACK = 256 << 20
# Seconds of the processor beyond which a test is for what others did not notice.
SLOW = 1.0
# A test that takes longer is not asked.
LONGEST = 12
# Quick tests are run together with those that take about as long.
STEPS = (0.01, 0.05, 0.2, 1.0)
# The names are in small letters: a test of the kernel takes quoted capitals for the names of rules.
SWITCH = """
pub(crate) fn mutated(number: usize) -> bool {
    use std::io::Write;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{LazyLock, Mutex};
    static ON: LazyLock<usize> =
        LazyLock::new(|| std::env::var("mutant").ok().and_then(|text| text.parse().ok()).unwrap_or(usize::MAX));
    static SEEN: LazyLock<Option<(Vec<AtomicBool>, Mutex<std::fs::File>)>> = LazyLock::new(|| {
        let path = std::env::var("mutant_seen").ok()?;
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path).ok()?;
        Some(((0..100_000).map(|_| AtomicBool::new(false)).collect(), Mutex::new(file)))
    });
    if let Some((seen, file)) = &*SEEN
        && !seen[number].swap(true, Ordering::Relaxed)
    {
        file.lock().unwrap().write_all(format!("{number}\\n").as_bytes()).unwrap();
    }
    *ON == number
}
"""


def tool():
    folder = ROOT / "scripts/mutants"
    target = OUT / "tool"
    subprocess.run(["cargo", "build", "--quiet", "--target-dir", str(target)], cwd=folder, check=True)
    return target / "debug/probity-mutants"


def put(text, path):
    """Writes a file only if that changes it, so that what is built stays built."""
    if not path.exists() or path.read_bytes() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


class Mutated:
    """The copy, with all its mutants."""

    def __init__(self, what, files, falsifier):
        self.what, self.falsifier, self.longest = what, falsifier, LONGEST
        self.folder = OUT / f"copy_{what}"
        with tempfile.TemporaryDirectory() as folder:
            Copy(folder, falsifier, PLACES[what][1])
            fresh = {path.relative_to(folder): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}
        source = Path(PLACES[what][0]) / "src"
        every = sorted(path for path in fresh if path.is_relative_to(source) and path.suffix == ".rs")
        every = [path for path in every if not str(path).endswith(SHOWN)]
        self.originals = {str(path.relative_to(source)): fresh[path].decode() for path in every}
        meant = [name for name in self.originals if re.match(PLACES[what][2], name)]
        self.files = [name for name in meant if not files or name in files]
        if files and len(self.files) != len(files):
            sys.exit(f"not all of {files} are there")
        self.source = self.folder / source
        for path in self.folder.rglob("*"):
            if path.is_file() and path.relative_to(self.folder) not in fresh:
                path.unlink()
        for path, text in fresh.items():
            if not path.is_relative_to(source) or path not in every:
                put(text, self.folder / path)
        # Built lighter than the workspace: what the build saves is more than what the tests lose.
        self.environment = dict(os.environ, CARGO_TARGET_DIR=str(OUT / "build"), RUSTFLAGS="-Awarnings",
                                CARGO_PROFILE_DEV_OPT_LEVEL="1", CARGO_PROFILE_DEV_DEBUG="none",
                                CARGO_PROFILE_TEST_DEBUG="none")
        self.left_out = set()

    def instrument(self, tool):
        """Puts the mutants in, and lists them."""
        with tempfile.TemporaryDirectory() as folder:
            place = {name: Path(folder) / name for name in self.originals}
            for name, path in place.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(self.originals[name])
            numbers, listing = Path(folder) / "left_out", Path(folder) / "listing"
            numbers.write_text(" ".join(map(str, sorted(self.left_out))))
            subprocess.run([tool, listing, numbers, *(place[name] for name in self.files)], check=True)
            place["lib.rs"].write_text(place["lib.rs"].read_text() + SWITCH)
            for name, path in place.items():
                put(path.read_bytes(), self.source / name)
            rows = [line.split("\t") for line in listing.read_text().splitlines()]
            return [(int(n), str(Path(file).relative_to(folder)), int(line), function, what)
                    for n, file, line, function, what in rows]

    def faults(self):
        """The mutants in which the compiler finds a fault."""
        command = ["cargo", *LIGHTEST, "check", "-p", f"probity-{self.what}", "--lib", "--message-format=json"]
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        if done.returncode == 0:
            return set()
        found = set()
        for line in done.stdout.splitlines():
            message = json.loads(line).get("message")
            if isinstance(message, dict) and message.get("level") == "error":
                spans = message["spans"]
                own = {self.owner(span) for span in spans if span["is_primary"]} - {None}
                own = own or {self.owner(span) for span in spans} - {None}
                # An array of mutants begins before its first one.
                own = own or {number for span in spans if not span["is_primary"] for number in self.inside(span)}
                # What is moved into a closure is said in a note alone.
                notes = [span for note in message["children"] for span in note["spans"]]
                own = own or {self.owner(span) for span in notes} - {None}
                found |= own
        if not found:
            sys.exit("the copy does not compile, and no mutant is in the way:\n" + done.stderr[-3000:])
        return found

    def owner(self, span):
        """The innermost mutant around a place of the changed source."""
        path = self.folder / span["file_name"]
        if not path.exists():
            return None
        text = path.read_bytes()[:span["byte_start"]].decode()
        stack = []
        for opened, closed in re.findall(r"/\*<(\d+)\*/|/\*(\d+)>\*/", text):
            if opened:
                stack.append(int(opened))
            elif int(closed) in stack:
                stack.remove(int(closed))
        return stack[-1] if stack else None

    def inside(self, span):
        """The mutants in a place of the changed source."""
        path = self.folder / span["file_name"]
        text = path.read_bytes()[span["byte_start"]:span["byte_end"]].decode() if path.exists() else ""
        return map(int, re.findall(r"/\*<(\d+)\*/", text))

    def known_faults(self, tool):
        """Where the mutants of this source that do not compile are kept, so that they are looked for once."""
        digest = hashlib.sha256(Path(tool).read_bytes())
        for name in self.files:
            digest.update(self.originals[name].encode())
        return OUT / f"{self.what}_left_out_{digest.hexdigest()[:16]}.txt"

    def build(self, tool):
        kept = self.known_faults(tool)
        if kept.exists():
            self.left_out = set(map(int, kept.read_text().split()))
        while True:
            mutants = self.instrument(tool)
            faults = self.faults()
            print(f"{len(mutants)} mutants, {len(self.left_out)} left out, {len(faults)} do not compile", flush=True)
            if not faults:
                break
            self.left_out |= faults
            kept.write_text(" ".join(map(str, sorted(self.left_out))))
        packages = [self.what, *(["prove"] if self.falsifier else [])]
        wanted = [word for name in packages for word in ("-p", f"probity-{name}")]
        command = ["cargo", *LIGHTEST, "test", *wanted, "--lib", "--tests", "--no-run", "--message-format=json"]
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr[-4000:])
        built = [json.loads(line) for line in done.stdout.splitlines()]
        binaries = [(row["executable"], str(Path(row["manifest_path"]).parent)) for row in built
                    if row.get("executable") and row["profile"]["test"]]
        return mutants, binaries

    def run(self, tests, number, limit, seen=None):
        """Of some tests of one binary those that fail, and the processor's seconds."""
        binary, folder = tests[0].binary, tests[0].folder
        # One after the other, up to the first that fails: an option of the test harness that wants to be asked for.
        environment = dict(os.environ, mutant=str(number), CARGO_MANIFEST_DIR=folder, RUST_BACKTRACE="0",
                           RUSTC_BOOTSTRAP="1", RUST_TEST_THREADS="1", RUST_MIN_STACK=str(STACK))
        if seen:
            environment["mutant_seen"] = str(seen)

        def limits():
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            # What is not optimised takes more of the stack.
            resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK))

        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [binary, "-Zunstable-options", "--fail-fast", "--exact", *(test.name for test in tests)]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, errors="replace",
                              preexec_fn=limits)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        names = re.findall(r"^test (?:\w+::)*(\w+)(?: - should panic)? \.\.\. FAILED", done.stdout, re.M)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return names or ([] if done.returncode == 0 else ["does_not_end"]), seconds


@dataclasses.dataclass
class Test:
    """A test, what it takes, and the mutants that it comes by."""
    binary: str
    folder: str
    name: str
    seconds: float = 0.0
    reaches: frozenset = frozenset()


def tests_of(copy, binaries, text):
    """Every test that a regular expression finds, run once by itself without a mutant, so that a mutant is shown to the tests that come by it
    and to no other. What was seen of a binary is kept."""
    tests = []
    # Builds are for somebody who waits; the trial is not.
    os.nice(max(0, 10 - os.nice(0)))
    for binary, folder in binaries:
        kept = OUT / f"reached_{hashlib.sha256(Path(binary).read_bytes()).hexdigest()[:16]}.txt"
        rows = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
        known = {row[0]: row for row in rows}
        listed = subprocess.run([binary, "--list"], capture_output=True, text=True, check=True).stdout
        for name in re.findall(r"^(\S+): test$", listed, re.M):
            # Tests that look at the source see another one here.
            if "coverage" in name or not re.search(text, f"{Path(binary).name.rsplit('-', 1)[0]}::{name}"):
                continue
            if name not in known:
                known[name] = reached(copy, Test(binary, folder, name))
                # One that was cut short today may be asked another time.
                if known[name][1] < copy.longest / 2 or copy.longest == LONGEST:
                    with kept.open("a") as out:
                        out.write(json.dumps(known[name]) + "\n")
            _, seconds, numbers = known[name]
            tests.append(Test(binary, folder, name, seconds, frozenset(numbers)))
    return tests


def reached(copy, test):
    """The name of a test, the seconds that it takes, and the mutants that it comes by; none for one that takes too long."""
    with tempfile.TemporaryDirectory() as folder:
        seen = Path(folder) / "seen"
        failed, seconds = copy.run([test], "none", copy.longest, seen)
        if seconds > SLOW:
            print(f"{Path(test.binary).name} {test.name}: {seconds:.1f} s", flush=True)
        # The clock of the limit and this one differ where many share a processor.
        if failed and seconds < copy.longest / 2:
            sys.exit(f"{test.name} fails without a mutant")
        numbers = map(int, seen.read_text().split()) if seen.exists() and not failed else []
        return [test.name, round(seconds, 3), sorted(numbers)]


def batches(tests):
    """Tests that are run in one process, what costs least first."""
    for low, high in zip((0, *STEPS), STEPS):
        here = [test for test in tests if low <= test.seconds < high]
        for binary in dict.fromkeys(test.binary for test in here):
            yield [test for test in here if test.binary == binary]
    yield from ([test] for test in sorted(tests, key=lambda test: test.seconds) if test.seconds >= STEPS[-1])


class Trial:
    """The mutants of a build, and the tests that they are shown."""

    def __init__(self, copy, tests, record, quick):
        self.copy, self.tests, self.record, self.quick = copy, tests, record, quick

    def noticed(self, number, slow):
        """The test that fails, among the quick tests or among the slow ones that come by a mutant."""
        tests = [t for t in self.tests if number in t.reaches and (t.seconds > self.quick) == slow]
        for batch in batches(tests):
            failed, _ = self.copy.run(batch, number, int(sum(test.seconds for test in batch) * 4) + 1)
            if failed:
                return failed[0]
        return None

    def write(self, name, noticed):
        with self.record.open("a") as out:
            out.write(f"{name} | {noticed}\n")

    def go(self, mutants, slowly=True):
        """Runs (name, place, number, file): first all with the quick tests, then what is left with the slow ones."""
        reached = frozenset().union(*(test.reaches for test in self.tests))
        left, missed = [], 0
        for done, (name, place, number, _) in enumerate(mutants):
            if done % 100 == 99:
                print(f"{done + 1} of {len(mutants)}", flush=True)
            noticed = self.noticed(number, False)
            if noticed:
                self.write(name, noticed)
            elif number not in reached:
                missed += 1
                self.write(name, "NOT REACHED")
                print(f"NOT REACHED {place} | {name}", flush=True)
            else:
                left.append((name, place, number))
                self.write(name, "NOTHING, quick tests")
                print(f"  so far: {place} | {name}", flush=True)
        if not slowly:
            return missed + len(left)
        for name, place, number in left:
            noticed = self.noticed(number, True)
            self.write(name, noticed or "NOTHING")
            if not noticed:
                missed += 1
                print(f"MISSED {place} | {name}", flush=True)
        return missed


def named(copy, mutants, files, known, part, parts):
    """The mutants that are to be run, under names that outlive a change elsewhere in the file."""
    seen, found = {}, []
    for index, (number, file, line, function, change) in enumerate(mutants):
        text = copy.originals[file].splitlines()[line - 1].strip()
        same = (file, function, change, text)
        seen[same] = seen.get(same, 0) + 1
        name = f"{file} | {function} | {change} | {text} | {seen[same]}"
        if index % parts == part and name not in known:
            found.append((name, f"{file}:{line}", number, file))
    return sorted(found, key=lambda mutant: files.index(mutant[3]) if mutant[3] in files else len(files))


def is_left(noticed):
    return noticed.startswith(("NOTHING", "NOT REACHED"))


def reasons(what):
    """Why a mutant that nothing notices is fine: names, from blocks of a reason and the mutants that it is for."""
    given, reason, path = {}, "", ROOT / f"scripts/mutants/left/{what}.txt"
    for line in path.read_text().splitlines() if path.exists() else []:
        if line.startswith("# "):
            reason = line[2:]
        elif line:
            given[line] = reason
    return given


def summary(what, record):
    """Rows of a table: file, mutants that were run, noticed, left; then what is left without a reason, or has one and is noticed."""
    last = dict(row.rsplit(" | ", 1) for row in record.read_text().splitlines())
    files = {}
    for name, noticed in last.items():
        files.setdefault(name.split(" | ")[0], []).append((name, is_left(noticed)))
    for file, rows in sorted(files.items()):
        missed = sum(left for _, left in rows)
        print(f"| `{file}` | {len(rows)} | {len(rows) - missed} | {missed} |")
    given, left = reasons(what), [name for name, noticed in last.items() if is_left(noticed)]
    bare = [name for name in left if name not in given]
    print(f"{len(last)} run, {len(left)} left, {len(bare)} of them without a reason:")
    for name in bare:
        print(f"{name} | {last[name]}")
    stale = [name for name in given if name in last and not is_left(last[name])]
    print(f"{len(stale)} with a reason that something notices:")
    print(*stale, sep="\n")
    sys.exit(1 if bare else 0)


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0] not in PLACES:
        sys.exit(__doc__)
    what, part, parts = arguments[0], 0, 1
    if "--part" in arguments:
        part, parts = map(int, arguments[arguments.index("--part") + 1].split("/"))
    files = [word for word in arguments[1:] if word.endswith(".rs")]
    OUT.mkdir(parents=True, exist_ok=True)
    record = OUT / f"{what}.txt"
    if "--summary" in arguments:
        return summary(what, record)
    rows = record.read_text().splitlines() if record.exists() else []
    # What nothing noticed is shown to the tests again, which may be new.
    known = {row.rsplit(" | ", 1)[0] for row in rows if not is_left(row.rsplit(" | ", 1)[1])}
    every = "--rest" in arguments or "--whole" in arguments
    copy = Mutated(what, [] if every else files, "--falsifier" in arguments)
    mutants, binaries = copy.build(tool())
    quick = float(arguments[arguments.index("--under") + 1]) if "--under" in arguments else SLOW
    if quick < SLOW:
        copy.longest = 2
    text = arguments[arguments.index("--tests") + 1] if "--tests" in arguments else ""
    tests = tests_of(copy, binaries, text)
    if "--bare" in arguments:
        known |= reasons(what).keys()
    chosen = named(copy, mutants, files, known, part, parts)
    if "--change" in arguments:
        change = arguments[arguments.index("--change") + 1]
        chosen = [mutant for mutant in chosen if re.search(change, mutant[0].split(" | ")[2])]
        print(f"{len(chosen)} chosen", flush=True)
    if "--whole" in arguments:
        chosen = [mutant for mutant in chosen if mutant[3] in files]
    missed = Trial(copy, tests, record, quick).go(chosen, "--quick" not in arguments and quick == SLOW)
    print(f"{len(chosen) - missed} caught, {missed} missed, {len(copy.left_out)} do not compile")


if __name__ == "__main__":
    main()
