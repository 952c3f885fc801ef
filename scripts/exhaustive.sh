#!/usr/bin/env bash
# In full what the quick tests sample (the feature `exhaustive`): `scripts/exhaustive.sh` runs all parts and says how long each took,
# `scripts/exhaustive.sh exact` one of them.
set -euo pipefail
cd "$(dirname "$0")/.."

parts=(exact kernel lang float prove falsifier audit parquet)

# The test targets that the feature makes longer, so that nothing else is built or run twice.
part() {
  case "$1" in
    exact) cargo test --locked -p probity-exact --features exhaustive ;;
    kernel) cargo test --locked -p probity-kernel --features exhaustive --test threshold_small_formats ;;
    lang) cargo test --locked -p probity-lang --features exhaustive --test robustness ;;
    float) cargo test --locked -p probity-float --features exhaustive --test roundoff ;;
    prove) cargo test --locked -p probity-prove --features exhaustive --test certificates --test unaided --test mutated_certificates ;;
    falsifier) cargo test --locked -p probity-prove --features exhaustive --test falsifier ;;
    audit) cargo test --locked -p probity-audit --features exhaustive --test strangers --test oracle ;;
    parquet) cargo test --locked -p probity-release --features parquet --test parquet ;;
    *)
      echo "error: there is no part \`$1\`; the parts are: ${parts[*]}" >&2
      exit 2
      ;;
  esac
}

case "${1:-}" in
  "") chosen=("${parts[@]}") ;;
  *) chosen=("$@") ;;
esac
for name in "${chosen[@]}"; do
  begin=$SECONDS
  part "$name"
  echo "$name, in full: passed in $((SECONDS - begin)) s"
done
