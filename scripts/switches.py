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

    scripts/switches.py            all of them, a few minutes
    scripts/switches.py rules.rs   those of one file
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "trusted/kernel/tests/side_conditions"
FILES = ["call.rs", "concentrated.rs", "context.rs", "conversion.rs", "entail.rs", "equivalence.rs", "fact.rs", "finite.rs", "kind.rs", "law.rs", "lemma.rs", "lists.rs",
         "poly.rs", "privacy.rs", "rules.rs", "sampling.rs", "tables.rs"]
SLOW = ["work_is_bounded", "work_of_a_derivation_is_bounded", "unfolding_is_bounded", "products_stay_small",
        "assertions_stay_small"]
REFUSAL = re.compile(r"^return (Err|refuse)\(")


def squeeze(text):
    return re.sub(r"\s+", " ", text).strip()


def hand_written():
    """Switches of switches.txt: (file, find, with), and those that change nothing: (file, text) to a reason."""
    switches, equivalent, current = [], {}, {}
    for line in (TESTS / "switches.txt").read_text().splitlines():
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

    def __init__(self, folder):
        self.folder = Path(folder)
        shutil.copytree(ROOT / "trusted", self.folder / "trusted", ignore=shutil.ignore_patterns("target"))
        shutil.copy(ROOT / "Cargo.lock", self.folder)
        shutil.copy(ROOT / "rustfmt.toml", self.folder)
        text = (ROOT / "Cargo.toml").read_text()
        text = re.sub(r'members = \[.*\]', 'members = ["trusted/*"]', text)
        text = re.sub(r'(?m)^probity-(?!exact|kernel).*\n', "", text)
        # Switched-off conditions may leave things unused.
        text = re.sub(r'(?ms)^\[workspace\.lints\..*?(?=^\[(?!workspace\.lints)|\Z)', "", text)
        text += '\n[workspace.lints.rust]\nunused = "allow"\n'
        (self.folder / "Cargo.toml").write_text(text)
        self.names = []  # (file, what is switched off)

    def off(self, file, what):
        self.names.append((file, what))
        return f"crate::off({len(self.names) - 1})"

    def instrument(self, file, by_hand):
        path = self.folder / "trusted/kernel/src" / file
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
            unit = (stripped.endswith("?;") and not stripped.startswith(("let ", "return", "}", ".", ")"))
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
        if last is None or not out[last].rstrip().endswith("{"):
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
        lib = self.folder / "trusted/kernel/src/lib.rs"
        lib.write_text(lib.read_text() + """
pub(crate) fn off(number: usize) -> bool {
    static OFF: std::sync::OnceLock<Option<usize>> = std::sync::OnceLock::new();
    *OFF.get_or_init(|| std::env::var("SWITCH").ok().and_then(|text| text.parse().ok())) == Some(number)
}
""")

    def build(self):
        command = ["cargo", "test", "-p", "probity-kernel", "--test", "side_conditions", "--test", "tables",
                   "--test", "concentrated", "--test", "lists", "--test", "conversion", "--test", "call", "--no-run",
                   "--message-format=short"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr[-4000:])
        return re.findall(r"\((/?\S*(?:side_conditions|tables|concentrated|lists|conversion|call)-[0-9a-f]+)\)", done.stderr)

    def failing(self, binaries, number):
        """The tests that fail with one condition off. Those about limits take seconds, and are for limits only."""
        failed = []
        what = self.names[number][1] if isinstance(number, int) else "TooLarge"
        about_limits = re.search(r"TooLarge|charge|check_size|works|MAX_", what)
        slow = [] if about_limits else [word for test in SLOW for word in ("--skip", test)]
        for binary in binaries:
            environment = dict(os.environ, SWITCH=str(number), CARGO_MANIFEST_DIR=str(self.folder / "trusted/kernel"))
            command = [str(self.folder / binary) if not binary.startswith("/") else binary,
                       "--skip", "coverage", *slow]
            try:
                done = subprocess.run(command, cwd=self.folder / "trusted/kernel", env=environment,
                                      capture_output=True, text=True, timeout=120)
                names = re.findall(r"^test (?:\w+::)*(\w+) \.\.\. FAILED", done.stdout, re.M)
                # Without a limit a test may take all memory and be ended.
                failed += names if names or done.returncode == 0 else ["does_not_end"]
            except subprocess.TimeoutExpired:
                failed.append("does_not_end")
        return failed


def main():
    wanted = sys.argv[1:] or FILES
    by_hand, equivalent = hand_written()
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(folder)
        for file in wanted:
            copy.instrument(file, [(find, put) for f, find, put in by_hand if f == file])
        copy.add_switch()
        binaries = copy.build()
        if copy.failing(binaries, "none"):
            sys.exit("tests fail with every condition on")
        rows, missed = [], 0
        for number, (file, what) in enumerate(copy.names):
            failed = copy.failing(binaries, number)
            reason = equivalent.get((file, what))
            if failed:
                noticed = ", ".join(failed[:3]) + (f" and {len(failed) - 3} more" if len(failed) > 3 else "")
            elif reason:
                noticed = f"equivalent: {reason}"
            else:
                noticed, missed = "NOTHING", missed + 1
            rows.append(f"{file} | {what} | {noticed}")
            print(rows[-1], flush=True)
    if not sys.argv[1:]:
        head = "# Made by scripts/switches.py: what is switched off, and which test of this folder or of tables.rs notices.\n"
        (TESTS / "noticed.txt").write_text(head + "\n".join(rows) + "\n")
    print(f"{len(rows) - missed} passed, {missed} failed")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
