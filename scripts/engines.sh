#!/bin/sh
# Starts PostgreSQL, DuckDB and Spark and holds their sums against those of the embedded engine (crates/release/tests/engines.rs).
#
#   scripts/engines.sh              PostgreSQL and DuckDB
#   scripts/engines.sh --spark      Spark too, with two worker processes; about a minute for each query
#
# PostgreSQL: Debian's packages (apt-get install postgresql postgresql-client). DuckDB's client and Spark come from PyPI into a
# virtual environment; Spark needs Java (apt-get install default-jre-headless). Everything lives in a folder that is removed at the end.
set -eu
cd "$(dirname "$0")/.."
spark=${1:-}
if [ -z "${PROBITY_POSTGRES+set}" ]; then
    exec scripts/with_postgres.sh scripts/engines.sh "$@"
elif [ -z "$PROBITY_POSTGRES" ]; then
    exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
mkdir "$work/duck"

environment=${PROBITY_ENGINES:-target/engines}
[ -x "$environment/bin/python" ] || python3 -m venv "$environment"
"$environment/bin/pip" install --quiet duckdb-cli ${spark:+pyspark}
PATH="$(cd "$environment/bin" && pwd):$PATH"
export PATH
export PROBITY_DUCKDB="$work/duck"
if [ -n "$spark" ]; then
    # Two workers, each a process of its own with one core and 1 GB.
    export PROBITY_SPARK="local-cluster[2,1,1024]"
fi
cargo test -p probity-release --test all engines:: -- --nocapture
