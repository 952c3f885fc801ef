#!/usr/bin/env bash
# In full what the quick tests sample (the feature `exhaustive`): `scripts/exhaustive.sh` runs all parts and says how long each took,
# `scripts/exhaustive.sh exact` one of them, `scripts/exhaustive.sh --changed main` those of the crates whose own files differ from a commit.
set -euo pipefail
cd "$(dirname "$0")/.."

parts=(exact kernel account lang float prove falsifier audit run release parquet)

# The test targets that the feature makes longer, so that nothing else is built or run twice.
part() {
  case "$1" in
    exact) cargo test --locked -p probity-exact --features exhaustive ;;
    kernel) cargo test --locked -p probity-kernel --features exhaustive --test all threshold_small_formats:: ;;
    account) cargo test --locked -p probity-account --features exhaustive --test all ;;
    lang) cargo test --locked -p probity-lang --features exhaustive --test all robustness:: ;;
    float) cargo test --locked -p probity-float --features exhaustive --test all roundoff:: ;;
    prove) cargo test --locked -p probity-prove --features exhaustive --test all -- certificates:: unaided:: mutated_certificates:: ;;
    falsifier) cargo test --locked -p probity-prove --features exhaustive --test falsifier ;;
    audit) cargo test --locked -p probity-audit --features exhaustive --test all -- strangers:: oracle:: suite:: ;;
    run) PROBITY_RUNS=100000 cargo test --locked -p probity-run --test all laws:: ;;
    release)
      cargo test --locked -p probity-release --features exhaustive --lib
      cargo test --locked -p probity-release --features exhaustive --test all pipeline::
      ;;
    parquet) cargo test --locked -p probity-release --features parquet --test all parquet:: ;;
    *)
      echo "error: there is no part \`$1\`; the parts are: ${parts[*]}" >&2
      exit 2
      ;;
  esac
}

# The parts that look at a crate's files.
parts_of() {
  case "$1" in
    trusted/exact/*) echo exact ;;
    trusted/kernel/src/float/*) echo kernel ;;
    trusted/kernel/src/*) echo falsifier && echo prove ;;
    trusted/kernel/*) echo kernel ;;
    crates/account/*) echo account ;;
    crates/lang/*) echo lang ;;
    crates/float/*) echo float ;;
    crates/prove/tests/falsifier/*) echo falsifier ;;
    crates/prove/* | tests/prove/* | mechanisms/*) echo prove ;;
    crates/audit/* | tests/audit/*) echo audit ;;
    crates/run/* | crates/noise/src/*) echo run ;;
    crates/release/src/engine/*) echo parquet && echo release ;;
    crates/release/*) echo release ;;
  esac
}

case "${1:-}" in
  "") chosen=("${parts[@]}") ;;
  --changed)
    mapfile -t chosen < <(git diff --name-only "${2:?a commit to compare with}" -- | while IFS= read -r file; do parts_of "$file"; done | sort -u)
    if [ "${#chosen[@]}" = 0 ]; then
      echo "nothing that the quick tests sample has changed"
      exit 0
    fi
    ;;
  *) chosen=("$@") ;;
esac
for name in "${chosen[@]}"; do
  begin=$SECONDS
  part "$name"
  echo "$name, in full: passed in $((SECONDS - begin)) s"
done
