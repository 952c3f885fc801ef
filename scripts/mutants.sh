#!/usr/bin/env bash
# Mutation testing. What is trusted, and the privacy maps and mechanisms of `noise`, go through scripts/mutants.py, which has all
# mutants in one build; lines that differ from a branch go through cargo-mutants, which builds for each.
#
#   scripts/mutants.sh kernel 3/40       the third of forty parts of the kernel's mutants (0/40 … 39/40); 0/1 is all
#   scripts/mutants.sh exact 0/40        of exact
#   scripts/mutants.sh noise 0/40        of noise's maps, measures and mechanisms
#   scripts/mutants.sh diff main         only mutants in lines of trusted/ that differ from a branch; nothing to do if none do
#
# A part is always the same mutants. What was found is added up in scripts/mutants.md. `cargo install cargo-mutants --locked`
# builds the tool for the last.
set -euo pipefail
cd "$(dirname "$0")/.."

what=${1:?"kernel, exact, noise or diff"}
if [ "$what" = kernel ] || [ "$what" = exact ] || [ "$what" = noise ]; then
  exec scripts/mutants.py "$what" --part "${2:?part/parts}"
fi
if ! cargo mutants --version >/dev/null 2>&1; then
  echo "cargo-mutants is not here: cargo install cargo-mutants --locked" >&2
  exit 2
fi

out=target/mutants
mkdir -p "$out"
# Every mutant is built and tested in a copy; tests that look at the whole source, or take long and see nothing else, are left out.
common=(--output "$out" --timeout 300 --minimum-test-timeout 60 --no-shuffle --colors never --baseline skip)
case $what in
  diff)
    git diff "${2:?a branch}" -- trusted >"$out/diff"
    if ! grep -q '^+++ b/trusted/.*/src/' "$out/diff"; then
      echo "no trusted source has changed"
      exit 0
    fi
    cargo mutants "${common[@]}" --in-diff "$out/diff" -p probity-kernel -p probity-exact -- --skip coverage
    ;;
  *)
    echo "kernel, exact, noise or diff, not $what" >&2
    exit 2
    ;;
esac
