#!/usr/bin/env python3
"""Switches every side condition of the kernel off, one at a time, and sees a test fail.

The kernel carries no switches. This script makes a copy of `trusted/`, puts a switch into the copy at every refusal,
builds it once, and runs the tests of `trusted/kernel/tests/side_conditions` with one condition off after the other.
It writes what noticed each one to `trusted/kernel/tests/side_conditions/noticed.txt`, which a test holds against the
source: a refusal that is not in it, or that nothing noticed, fails the build.

Switches are made in two ways. A check whose value is not used (`check(…)?;`) is skipped, and the condition of an `if`
whose branch begins with `return Err(…)` or `return refuse(…)` is taken as false. What cannot be found like that
(parts of formulas, guards of match arms) stands in `switches.txt`: a text to find, and a text to put there, in which
OFF stands for "this condition is off".

    scripts/switches.py              all of them, a few minutes
    scripts/switches.py rules.rs     those of one file or of several, whose rows are then replaced; `--only TEXT` of them those with
                                     a text, which are shown only
    scripts/switches.py --falsifier  the same, watched by the falsifier of rules (crates/prove/tests/falsifier) alone, up to an
                                     hour; it writes its own noticed.txt. What it cannot notice is that a limit is gone.
    scripts/switches.py --changed main   those of the files that differ from a branch; nothing to do if none does

Dependencies are built in target/switches, once.
"""

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "trusted/kernel/tests/side_conditions"
FALSIFIER = ROOT / "crates/prove/tests/falsifier"
FILES = ["rules/call.rs", "rules/center.rs", "rules/chain.rs", "rules/concentrated.rs", "context.rs", "conversion.rs", "evidence/entail.rs", "rules/equivalence.rs", "rules/equivalence/first_round.rs", "evidence/fact.rs", "rules/finite.rs", "rules/hoist.rs", "rules/equivalence/inverse.rs", "text/kind.rs", "text/law.rs", "text/names.rs",
         "evidence/lemma.rs", "rules/lists.rs", "rules/noise.rs", "rules/once.rs", "rules/finite/outcomes.rs", "rules/finite/density.rs", "rules/finite/quotients.rs", "evidence/poly.rs", "privacy.rs", "privacy/foreseen.rs", "privacy/group.rs", "rules.rs", "rules/sample.rs", "rules/sampling.rs", "rules/sampling/signed_log.rs", "rules/sampling/tails.rs", "rules/select.rs", "rules/select/split.rs", "rules/tables.rs", "rules/select/redraw.rs", "rules/select/foresee.rs"]
# The theorem about floats has tests of its own.
FLOAT_FILES = ["float/constant.rs", "float/form.rs", "float/recognise.rs", "float/shape.rs", "float/theorem.rs", "float/threshold.rs"]
# Of the kernel's other test files those that notice.
ASKED = ["call", "concentrated", "conversion", "lists", "sample", "tables"]
SLOW = ["work_is_bounded", "work_of_a_derivation_is_bounded", "unfolding_is_bounded", "products_stay_small",
        "assertions_stay_small"]
# The falsifier's tests that may notice a condition of a file, quick ones first: the first that fails is enough.
FALSIFIERS = {
    "rules/call.rs": ["calls", "theorems_are"],
    "conversion.rs": ["conversions", "theorems_are"],
    "rules/lists.rs": ["norms", "finite"],
    "rules/sample.rs": ["samples"],
    "rules/chain.rs": ["chains"],
    "rules/select.rs": ["selections", "questions"],
    "rules/select/redraw.rs": ["redraws"],
    "rules/select/foresee.rs": ["foresights"],
    "rules/select/split.rs": ["splits", "tails"],
    "rules/concentrated.rs": ["concentrated", "theorems_are"],
    "evidence/entail.rs": ["evidence", "finite"],
    "rules/equivalence.rs": ["equivalences"],
    "evidence/fact.rs": ["evidence", "finite"],
    "rules/finite.rs": ["finite"],
    "rules/center.rs": ["equivalences_about_centers"],
    "rules/hoist.rs": ["equivalences"],
    "rules/noise.rs": ["equivalences"],
    "rules/finite/outcomes.rs": ["finite"],
    "rules/finite/density.rs": ["densities"],
    "rules/finite/quotients.rs": ["densities"],
    "rules/once.rs": ["tails", "loops"],
    "evidence/lemma.rs": ["norms_of", "evidence", "finite"],
    "text/law.rs": ["single_draws", "finite"],
    "evidence/poly.rs": ["evidence"],
    "privacy.rs": ["groups", "foresights", "theorems_are"], "privacy/group.rs": ["groups"],
    "privacy/foreseen.rs": ["foresights"],
    "rules.rs": ["tails", "loops", "finite", "noise", "concentrated"],
    "rules/sampling.rs": ["selective", "gumbel", "single_draws", "tails", "signed", "finite", "noise", "concentrated"],
    "rules/sampling/signed_log.rs": ["signed"],
    "rules/sampling/tails.rs": ["parts_of_laws", "tails", "single_draws"],
    "rules/tables.rs": ["groups", "evidence", "finite"],
    "context.rs": ["evidence", "finite", "theorems_are"],
    "text/names.rs": ["evidence"],
    "text/kind.rs": ["evidence", "finite", "equivalences"],
}
# Conditions that bound work, and not what is proved.
LIMITS = re.compile(r"TooLarge|charge|check_size|works|MAX_")
REFUSAL = re.compile(r"^return (Err|refuse)\(")


def squeeze(text):
    return re.sub(r"\s+", " ", text).strip()


def hand_written(folder=TESTS):
    """Switches of switches.txt: (file, find, with), and those that change nothing: (file, text) to a reason."""
    switches, equivalent, current = [], {}, {}
    for line in (folder / "switches.txt").read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        key, _, value = line.partition(": ")
        current[key] = value
        if key == "with":
            switches.append((current["file"], current["find"], value))
        if key == "equivalent":
            equivalent[(current["file"], current["find"])] = value
    return switches, equivalent


class Copy:
    """The copy of the kernel, with its switches."""

    SOURCE = "trusted/kernel/src"
    # How a line begins that ends like a check and is none.
    NO_CHECKS = ("let ", "return", "}", ".", ")", "write")

    def __init__(self, folder, falsifier, crates=()):
        self.folder = Path(folder)
        self.falsifier = falsifier
        shutil.copytree(ROOT / "trusted", self.folder / "trusted", ignore=shutil.ignore_patterns("target"))
        shutil.copy(ROOT / "Cargo.lock", self.folder)
        shutil.copy(ROOT / "rustfmt.toml", self.folder)
        text = (ROOT / "Cargo.toml").read_text()
        members, kept = '"trusted/*"', "exact|kernel"
        if falsifier:
            members, kept = '"trusted/*", "crates/prove"', "exact|kernel|prove"
            prove = ROOT / "crates/prove"
            shutil.copytree(prove / "src", self.folder / "crates/prove/src")
            shutil.copytree(FALSIFIER, self.folder / "crates/prove/tests/falsifier")
            manifest = (prove / "Cargo.toml").read_text()
            (self.folder / "crates/prove/Cargo.toml").write_text(manifest.replace("probity-lang.workspace = true\n", "").replace('[[test]]\nname = "all"\n', ""))
        for crate in crates:
            shutil.copytree(ROOT / "crates" / crate, self.folder / "crates" / crate)
            members, kept = f'{members}, "crates/{crate}"', f"{kept}|{crate}"
        text = re.sub(r'members = \[.*\]', f'members = [{members}]', text)
        text = re.sub(rf'(?m)^probity-(?!{kept}).*\n', "", text)
        # Switched-off conditions may leave things unused.
        text = re.sub(r'(?ms)^\[workspace\.lints\..*?(?=^\[(?!workspace\.lints)|\Z)', "", text)
        text += '\n[workspace.lints.rust]\nunused = "allow"\n'
        (self.folder / "Cargo.toml").write_text(text)
        self.names = []  # (file, what is switched off)

    def off(self, file, what):
        self.names.append((file, what))
        return f"crate::off({len(self.names) - 1})"

    def instrument(self, file, by_hand):
        path = self.folder / self.SOURCE / file
        text = path.read_text()
        for find, put in by_hand:
            pattern = r"\s*".join(re.escape(part) for part in find.split(" "))
            found = re.findall(pattern, text)
            if len(found) != 1:
                sys.exit(f"{file}: '{find}' occurs {len(found)} times")
            new = put.replace("OFF", self.off(file, squeeze(find)))
            text = re.sub(pattern, lambda _: new, text)
        lines = text.split("\n")
        out = []
        for number, line in enumerate(lines):
            stripped = line.strip()
            if stripped.startswith("//"):
                out.append(line)
                continue
            unit = (stripped.endswith("?;") and not stripped.startswith(self.NO_CHECKS)
                    and " = " not in stripped and "crate::off" not in stripped
                    and stripped.count("(") == stripped.count(")") and self.begins(out))
            if unit:
                indent = line[:len(line) - len(line.lstrip())]
                out.append(f"{indent}if !{self.off(file, squeeze(stripped))} {{ {stripped} }}")
                continue
            if REFUSAL.match(stripped):
                self.guard(file, out, squeeze(self.statement(lines, number)))
            out.append(line)
        path.write_text("\n".join(out))

    def begins(self, out):
        """Whether the next line begins a statement."""
        before = [line.strip() for line in out if line.strip() and not line.strip().startswith("//")]
        return bool(before) and before[-1].endswith((";", "{", "}"))

    def statement(self, lines, number):
        """The whole refusal that begins on a line."""
        text = ""
        for line in lines[number:number + 12]:
            text += " " + line.strip()
            if text.count("(") == text.count(")"):
                break
        return text

    def guard(self, file, out, what):
        """Takes the condition of the `if` above as false. A refusal in a `let … else` or in a match has none."""
        last = next((i for i in range(len(out) - 1, -1, -1) if out[i].strip() and not out[i].strip().startswith("//")), None)
        if last is None or not out[last].rstrip().endswith("{") or out[last].strip() == "} else {":
            return
        first = last
        while first >= 0 and last - first < 8:
            line = out[first].strip()
            if re.match(r"(\} else )?if ", line):
                break
            first -= 1
        else:
            return
        if first < 0 or "crate::off" in out[first]:
            return
        whole = "\n".join(out[first:last + 1])
        match = re.match(r"(?s)^(\s*(?:\} else )?if )(.*)(\s*\{)$", whole)
        if not match:
            return
        start, condition, brace = match.groups()
        if condition.count("{") != condition.count("}") or "=>" in condition:
            return
        off = self.off(file, what)
        if re.search(r"\blet ", condition):
            new = f"{start}{condition} && !{off}{brace}"
        else:
            new = f"{start}!{off} && ({condition}){brace}"
        out[first:last + 1] = new.split("\n")

    def add_switch(self):
        lib = self.folder / self.SOURCE / "lib.rs"
        # Its name is in small letters: a test of the kernel takes quoted capitals for the names of rules.
        lib.write_text(lib.read_text() + """
pub(crate) fn off(number: usize) -> bool {
    static OFF: std::sync::OnceLock<Option<usize>> = std::sync::OnceLock::new();
    *OFF.get_or_init(|| std::env::var("switch").ok().and_then(|text| text.parse().ok())) == Some(number)
}
""")

    def build(self):
        """The binaries of the tests."""
        package, tests = "probity-kernel", ["side_conditions", "float_side_conditions", "all"]
        if self.falsifier:
            package, tests = "probity-prove", ["falsifier"]
        wanted = [word for test in tests for word in ("--test", test)]
        command = ["cargo", "test", "-p", package, *wanted, "--no-run", "--message-format=short"]
        environment = dict(os.environ, CARGO_TARGET_DIR=str(ROOT / "target/switches"))
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr[-4000:])
        return re.findall(rf"\((\S*/(?:{'|'.join(tests)})-[0-9a-f]+)\)", done.stderr)

    def run(self, binary, number, words, seconds):
        """The tests that fail with one condition off."""
        folder = self.folder / ("crates/prove" if self.falsifier else "trusted/kernel")
        environment = dict(os.environ, switch=str(number), CARGO_MANIFEST_DIR=str(folder), RUST_BACKTRACE="0")

        # Seconds of the processor: on a busy machine a test that waits is not one that does not end.
        def limits():
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

        done = subprocess.run([binary, *words], cwd=folder, env=environment, capture_output=True, text=True,
                              preexec_fn=limits)
        names = re.findall(r"^test (?:\w+::)*(\w+) \.\.\. FAILED", done.stdout, re.M)
        # Without a limit a test may take all memory and be ended.
        return names if names or done.returncode == 0 else ["does_not_end"]

    def failing(self, binaries, number):
        """The tests that notice. Those about limits take seconds, and are for limits only."""
        what = self.names[number][1] if isinstance(number, int) else "TooLarge"
        if self.falsifier:
            files = [self.names[number][0]] if isinstance(number, int) else {file for file, _ in self.names}
            for test in dict.fromkeys(test for file in files for test in FALSIFIERS[file]):
                failed = self.run(binaries[0], number, [test], 300)
                if failed:
                    return failed
            return []
        # Of the binaries those of the floats for a file of the floats, the others for others.
        about_floats = isinstance(number, int) and self.names[number][0] in FLOAT_FILES
        if isinstance(number, int):
            binaries = [b for b in binaries if ("float_side" in b) == about_floats]
        slow = [] if LIMITS.search(what) else [word for test in SLOW for word in ("--skip", test)]
        files = lambda binary: [f"{file}::" for file in ASKED] if "/all-" in binary else []
        return [name for binary in binaries for name in self.run(binary, number, [*files(binary), "--skip", "coverage", *slow], 120)]


def changed(branch):
    """The kernel's files that differ from a branch."""
    names = subprocess.run(["git", "diff", "--name-only", branch, "--", "trusted/kernel/src"], cwd=ROOT,
                           capture_output=True, text=True, check=True).stdout.split()
    inner = [name.removeprefix("trusted/kernel/src/") for name in names]
    return [name for name in inner if name in FILES + FLOAT_FILES]


def kept(path, files, rows, head):
    """Writes what was seen of some files in the place of what stood there of them; of all, with a new head."""
    old = path.read_text().splitlines() if files and path.exists() else []
    comments = [line for line in old if line.startswith("#")] or [head]
    others = [line for line in old if line and not line.startswith("#")]
    of = lambda line: line.partition(" | ")[0]
    at = next((n for n, line in enumerate(others) if of(line) in files), len(others))
    before, after = ([line for line in part if of(line) not in files] for part in (others[:at], others[at:]))
    path.write_text("\n".join([*comments, *before, *rows, *after]) + "\n")


def main():
    arguments = sys.argv[1:]
    falsifier = "--falsifier" in arguments
    every = FILES if falsifier else FILES + FLOAT_FILES
    wanted = [word for word in arguments if word in every]
    only = arguments[arguments.index("--only") + 1] if "--only" in arguments else ""
    if "--changed" in arguments:
        wanted = changed(arguments[arguments.index("--changed") + 1])
        if not wanted:
            print("no file of the proof core has changed")
            return
    by_hand, equivalent = hand_written()
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(folder, falsifier)
        for file in wanted or every:
            copy.instrument(file, [(find, put) for f, find, put in by_hand if f == file])
        copy.add_switch()
        binaries = copy.build()
        if failed := copy.failing(binaries, "none"):
            sys.exit(f"tests fail with every condition on: {', '.join(failed)}")
        rows, missed = [], 0
        for number, (file, what) in enumerate(copy.names):
            if (falsifier and LIMITS.search(what)) or only not in what:
                continue
            failed = copy.failing(binaries, number)
            reason = equivalent.get((file, what))
            if failed:
                noticed = ", ".join(failed[:3]) + (f" and {len(failed) - 3} more" if len(failed) > 3 else "")
            elif reason:
                noticed = f"equivalent: {reason}"
            else:
                noticed, missed = ("-" if falsifier else "NOTHING"), missed + 1
            rows.append(f"{file} | {what} | {noticed}")
            print(rows[-1], flush=True)
            if noticed == "NOTHING" and "--changed" in arguments:
                sys.exit("no test notices that this condition is gone: add one to trusted/kernel/tests/side_conditions")
    if falsifier and not only:
        kept(FALSIFIER / "noticed.txt", wanted, rows, "# Made by scripts/switches.py --falsifier: what is switched off, and which test of this folder notices; '-' is none.")
    elif not only and "--changed" not in arguments:
        kept(TESTS / "noticed.txt", wanted, rows, "# Made by scripts/switches.py: what is switched off, and which test of this folder, of tables.rs, concentrated.rs or float_side_conditions notices.")
    print(f"{len(rows) - missed} passed, {missed} failed")
    sys.exit(1 if missed and not falsifier else 0)


if __name__ == "__main__":
    main()
