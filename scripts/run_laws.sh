#!/bin/sh
# Ten million runs of every mechanism of the library, from fixed seeds, held against the audit's laws by a G-test.
# Writes crates/run/tests/data/laws.txt. Takes some minutes.
set -eu
cd "$(dirname "$0")/.."
mkdir -p crates/run/tests/data
cargo test -p probity-run --features long --test laws -- --exact many_runs_have_the_law --nocapture |
  grep 'G = ' > crates/run/tests/data/laws.txt
cat crates/run/tests/data/laws.txt
