#!/usr/bin/env bash
# A release from a Spark session with two worker processes. Takes Java 17 and some 400 MB of pyspark from PyPI; about a minute.
# The environment is that of scripts/python.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
environment=${PYTHON_ENVIRONMENT:-target/python}
if ! command -v java >/dev/null; then
  echo "skipped: there is no Java here, which Spark needs"
  exit 0
fi
[ -x "$environment/bin/python" ] || { echo "run scripts/python.sh first: it makes $environment"; exit 1; }
"$environment/bin/python" -c 'import pyspark' 2>/dev/null || "$environment/bin/pip" install --quiet pyspark
export PYSPARK_PYTHON="$PWD/$environment/bin/python"
"$environment/bin/python" examples/python/spark_release.py
