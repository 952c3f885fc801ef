#!/bin/sh
# Ten million runs (or as many as asked for) of every mechanism of the library, from fixed seeds, held against the audit's laws by a G-test;
# a twin with a scale that is off by 1 % and one that adds in floats must be caught.
# Usage: scripts/run_laws.sh [RUNS]. Writes crates/run/tests/data/laws.txt. Takes a quarter of an hour. PROBITY_ONLY=NAME,NAME takes some of them.
set -eu
cd "$(dirname "$0")/.."
mkdir -p crates/run/tests/data
found=$(mktemp)
trap 'rm -f "$found"' EXIT
PROBITY_RUNS="${1:-10000000}" cargo test ${PROFILE---release} -p probity-run --test laws -- --nocapture --test-threads=1 \
  many_runs_have_the_law a_scale_that_is_off float_arithmetic > "$found" || { cat "$found"; exit 1; }
sed 's/^test [a-z_]* ... //' "$found" | grep 'G = ' | sort > crates/run/tests/data/laws.txt
cat crates/run/tests/data/laws.txt
