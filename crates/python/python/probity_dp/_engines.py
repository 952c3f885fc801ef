"""What is asked of databases: one query that counts, by any DB-API connection or Spark session. No noise is theirs.

A query names columns and a table, and has no expression that could fail on a value.
"""

from __future__ import annotations

from typing import Any, List, Sequence, Tuple

# Rows that are fetched at once.
_BLOCK = 10_000


def _is_spark(connection: Any) -> bool:
    return hasattr(connection, "sql") and hasattr(connection, "table") and type(connection).__module__.startswith("pyspark")


def is_connection(given: Any) -> bool:
    """Whether it is a Spark session or a DB-API connection."""
    return _is_spark(given) or callable(getattr(given, "cursor", None))


def _quoted(name: str, quote: str) -> str:
    return quote + name.replace(quote, quote + quote) + quote


def _table(name: str, quote: str) -> str:
    return ".".join(_quoted(part, quote) for part in name.split("."))


def _quote(connection: Any) -> str:
    # MySQL and its kin quote as Spark does.
    return "`" if _is_spark(connection) or "mysql" in type(connection).__module__.lower() else '"'


def header(connection: Any, table: str) -> List[str]:
    """The names of a table's columns. No row is read."""
    query = f"SELECT * FROM {_table(table, _quote(connection))} WHERE 1 = 0"
    if _is_spark(connection):
        return [str(name) for name in connection.sql(query).columns]
    cursor = connection.cursor()
    try:
        cursor.execute(query)
        return [str(column[0]) for column in cursor.description]
    finally:
        cursor.close()


def counts(connection: Any, table: str, names: Sequence[str]) -> List[Tuple[Any, ...]]:
    """How often each combination of these columns occurs: their values, and the count."""
    quote = _quote(connection)
    columns = ", ".join(_quoted(name, quote) for name in names)
    source = _table(table, quote)
    query = f"SELECT {columns}, COUNT(*) FROM {source} GROUP BY {columns}" if names else f"SELECT COUNT(*) FROM {source}"
    if _is_spark(connection):
        return [tuple(row) for row in connection.sql(query).collect()]
    cursor = connection.cursor()
    try:
        cursor.execute(query)
        rows: List[Tuple[Any, ...]] = []
        while True:
            block = cursor.fetchmany(_BLOCK)
            if not block:
                return rows
            rows.extend(tuple(row) for row in block)
    finally:
        cursor.close()
