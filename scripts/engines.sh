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
work=$(mktemp -d)
bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
as_postgres() { # A server does not run as root.
    if [ "$(id -u)" = 0 ]; then su postgres -s /bin/sh -c "$1"; else sh -c "$1"; fi
}
finish() {
    as_postgres "'$bin/pg_ctl' -D '$work/pg/data' -m immediate stop" >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap finish EXIT INT TERM

mkdir "$work/pg" "$work/duck"
chmod 755 "$work"
if [ "$(id -u)" = 0 ]; then chown postgres "$work/pg"; fi
as_postgres "'$bin/initdb' -D '$work/pg/data' -U probity --auth=trust -E UTF8" >/dev/null
as_postgres "'$bin/pg_ctl' -D '$work/pg/data' -o \"-k '$work/pg' -c listen_addresses=''\" -l '$work/pg/log' -w start" >/dev/null
export PROBITY_POSTGRES="postgresql://probity@/postgres?host=$work/pg"

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
cargo test -p probity-release --test engines -- --nocapture
