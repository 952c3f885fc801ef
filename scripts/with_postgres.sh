#!/bin/sh
# Runs a command beside a PostgreSQL server of its own: scripts/with_postgres.sh COMMAND …
#
# The address is in PROBITY_POSTGRES. Debian's packages (apt-get install postgresql postgresql-client) are needed; where they are not,
# the command runs with an empty address. The server lives in a folder that is removed at the end.
set -eu
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
if [ -z "$bin" ]; then
    echo "PostgreSQL's server is not here: $1 runs without it" >&2
    PROBITY_POSTGRES='' exec "$@"
fi
work=$(mktemp -d)
as_postgres() { # A server does not run as root.
    if [ "$(id -u)" = 0 ]; then su postgres -s /bin/sh -c "$1"; else sh -c "$1"; fi
}
finish() {
    as_postgres "'$bin/pg_ctl' -D '$work/pg/data' -m immediate stop" >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap finish EXIT INT TERM

mkdir "$work/pg"
chmod 755 "$work"
if [ "$(id -u)" = 0 ]; then chown postgres "$work/pg"; fi
as_postgres "'$bin/initdb' -D '$work/pg/data' -U probity --auth=trust -E UTF8" >/dev/null
as_postgres "'$bin/pg_ctl' -D '$work/pg/data' -o \"-k '$work/pg' -c listen_addresses=''\" -l '$work/pg/log' -w start" >/dev/null
PROBITY_POSTGRES="postgresql://probity@/postgres?host=$work/pg" "$@"
