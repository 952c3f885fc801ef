#!/usr/bin/env bash
# The Python package: a virtual environment, the build as `pip install` does it, pytest, mypy, the notebook.
# PYTHON names the interpreter (3.9 or later), PYTHON_ENVIRONMENT the folder of the environment.
set -euo pipefail
cd "$(dirname "$0")/.."
environment=${PYTHON_ENVIRONMENT:-target/python}

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; }
python=
for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11 python3.10 python3.9 python; do
  if command -v "$candidate" >/dev/null && is_new_enough "$candidate"; then
    python=$candidate
    break
  fi
done
if [ -z "$python" ]; then
  echo "skipped: there is no Python 3.9 or later here"
  exit 0
fi
if ! "$python" -m venv "$environment"; then
  echo "skipped: $python cannot make a virtual environment (Debian has it in python3-venv)"
  exit 0
fi

export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target/python-build}
"$environment/bin/pip" install --quiet './crates/python[test]'
scripts/with_postgres.sh "$environment/bin/python" -m pytest crates/python/tests "$@"
"$environment/bin/python" -m mypy --strict examples/python/private_statistics.py examples/python/private_sql.py \
  examples/python/proved_mechanism.py crates/python/python/probity_dp
