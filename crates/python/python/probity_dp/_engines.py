"""What is asked of databases: types, and one query that adds up or counts, by any DB-API connection or Spark session. No noise is theirs."""

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


def _dialect(connection: Any) -> str:
    module = type(connection).__module__.lower()
    if _is_spark(connection):
        return "spark"
    if "duckdb" in module:
        return "duckdb"
    if "sqlite3" in module:
        return "sqlite"
    return "postgres" if any(name in module for name in ("psycopg", "pg8000")) else ""


def _rows(connection: Any, query: str) -> List[Tuple[Any, ...]]:
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


def described(connection: Any, table: str) -> Tuple[str, str, List[Tuple[str, str]]]:
    """Whose SQL it is, the table as it is quoted there, and the columns with their types. No row is read."""
    dialect = _dialect(connection)
    source = _table(table, _quote(connection))
    types: List[Tuple[Any, ...]] = []
    if dialect == "spark":
        types = list(connection.sql(f"SELECT * FROM {source} WHERE 1 = 0").dtypes)
    elif dialect == "duckdb":
        types = _rows(connection, f"DESCRIBE SELECT * FROM {source}")
    elif dialect == "postgres":
        types = _rows(
            connection,
            "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
            f"WHERE attrelid = '{source.replace(chr(39), chr(39) * 2)}'::regclass AND attnum > 0 AND NOT attisdropped",
        )
    return dialect, source, [(str(row[0]), str(row[1])) for row in types]


def added(connection: Any, table: str, statements: Sequence[str]) -> List[List[int]]:
    """The sums that the engine computes."""
    return [[int(value) for value in row] for row in _rows(connection, statements[0])]


def found(connection: Any, table: str, statements: Sequence[str]) -> List[Tuple[str, int]]:
    """The keys that the engine finds, in hexadecimal digits, and how many rows each has."""
    return [(str(row[0]), int(row[1])) for row in _rows(connection, statements[0])]


# What tells values apart that an engine may take for equal: its texts may be compared without case or accents, 1.0 is equal to 1. A group of
# such values would be shown as any one of them, so that one row more could change what many others count as.
_APART = {
    "sqlite": ["typeof({0})", "CAST({0} AS BLOB)"],
    "duckdb": ["encode(CAST({0} AS VARCHAR))"],
    "postgres": ["convert_to(CAST({0} AS TEXT), 'UTF8')"],
    "spark": ["CAST(CAST({0} AS STRING) AS BINARY)"],
}


def counts(connection: Any, table: str, names: Sequence[str]) -> List[Tuple[Any, ...]]:
    """How often each combination of these columns occurs: their values, and the count."""
    quote, dialect = _quote(connection), _dialect(connection)
    quoted = [_quoted(name, quote) for name in names]
    source = _table(table, quote)
    if not names:
        return _rows(connection, f"SELECT COUNT(*) FROM {source}")
    columns = ", ".join(quoted)
    if dialect in _APART:
        keys = ", ".join([columns] + [apart.format(name) for name in quoted for apart in _APART[dialect]])
        return _rows(connection, f"SELECT {columns}, COUNT(*) FROM {source} GROUP BY {keys}")
    # Nobody knows what this engine takes for equal, so it sends every row.
    return [(*row, 1) for row in _rows(connection, f"SELECT {columns} FROM {source}")]
