"""Releases from data of every kind: the same table gives the same sums, the budget holds, and nothing is shown without its debit."""

import csv
import datetime
import decimal
import os
import sqlite3
from fractions import Fraction

import pytest

import probity_dp as pb

PEOPLE = "examples/data/people.csv"
POLICY = "examples/data/people.toml"
QUERY = "SELECT region, COUNT(*) AS n, SUM(income) AS income FROM people GROUP BY region"

# With so large an epsilon noise is 0 but once in e^1000 times: what is released is what was summed.
LOUD = """
[budget]
epsilon = "1e15"
per_query = { epsilon = "12e9" }
[table.people]
unit = "row"
[table.people.columns]
region = { in = ["north", "south", "east", "west"] }
age = { type = "int", between = [0, 120] }
income = { type = "decimal", scale = 2, between = [0, 100000] }
smoker = { type = "bool" }
joined = { type = "date", between = ["2015-01-01", "2025-12-31"] }
"""


@pytest.fixture
def loud(tmp_path):
    path = tmp_path / "loud.toml"
    path.write_text(LOUD)
    return path


def asked(data, policy, tmp_path, query=QUERY):
    ledger = tmp_path / f"{len(list(tmp_path.iterdir()))}.ledger"
    return pb.Session(data={"people": data}, policy=policy, ledger=ledger, init=True).sql(query)


def rows():
    with open(PEOPLE, newline="") as file:
        return list(csv.DictReader(file))


QUERIES = [
    QUERY,
    "SELECT region, SUM(age) AS years FROM people WHERE age > 17 GROUP BY region",
    "SELECT smoker, COUNT(*) AS n FROM people WHERE joined >= DATE '2020-01-01' GROUP BY smoker",
    "SELECT AVG(income) AS mean, VARIANCE(age) AS v FROM people",
]


def frames():
    """The same table in every library."""
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    duckdb = pytest.importorskip("duckdb")
    from pyarrow import csv as arrow_csv

    frame = pandas.read_csv(PEOPLE)
    table = arrow_csv.read_csv(PEOPLE)
    yield "pandas", frame
    yield "pandas with dates and categories", frame.assign(
        joined=pandas.to_datetime(frame.joined), region=frame.region.astype("category")
    )
    yield "polars", polars.read_csv(PEOPLE, try_parse_dates=True)
    yield "polars, lazy", polars.scan_csv(PEOPLE, try_parse_dates=True)
    yield "pyarrow", table
    yield "pyarrow in batches", pyarrow.Table.from_batches(table.to_batches(max_chunksize=100))
    yield "a batch", table.combine_chunks().to_batches()[0]
    yield "a reader", table.to_reader()
    yield "duckdb relation", duckdb.sql(f"SELECT * FROM read_csv('{PEOPLE}')")
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE people AS SELECT * FROM read_csv('{PEOPLE}')")
    yield "duckdb connection", connection
    yield "duckdb table by name", (connection, "main.people")
    # With these types the engine itself computes the sums.
    types = {"age": "INTEGER", "income": "DECIMAL(18, 2)", "smoker": "BOOLEAN", "joined": "DATE", "region": "VARCHAR"}
    columns = ", ".join(f"CAST({name} AS {kind}) AS {name}" for name, kind in types.items())
    connection.execute(f"CREATE TABLE exact AS SELECT {columns} FROM people")
    yield "duckdb adds up", (connection, "exact")


def test_engines_add_up_where_they_can(loud, tmp_path, monkeypatch):
    import probity_dp._engines as engines

    asked_for = []
    monkeypatch.setattr(engines, "counts", lambda *_: asked_for.append("counts") or [])
    added = engines.added
    monkeypatch.setattr(engines, "added", lambda *given: asked_for.append("sums") or added(*given))
    sources = dict(frames())
    asked(sources["duckdb adds up"], loud, tmp_path)
    asked(sources["duckdb connection"], loud, tmp_path)
    # Doubles are not added up by the engine: it counts them.
    assert asked_for == ["sums", "counts"]


def sqlite():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE people (person_id, region TEXT, age INTEGER, income NUMERIC, smoker TEXT, joined TEXT)")
    columns = ("person_id", "region", "age", "income", "smoker", "joined")
    connection.executemany(
        "INSERT INTO people VALUES (?, ?, ?, ?, ?, ?)", [tuple(row[name] for name in columns) for row in rows()]
    )
    return connection


@pytest.mark.parametrize("query", QUERIES)
def test_every_source_gives_the_same_sums(loud, tmp_path, query):
    expected = asked(PEOPLE, loud, tmp_path, query).rows
    assert expected and all(value is not None for row in expected for value in row)
    for name, data in frames():
        assert asked(data, loud, tmp_path, query).rows == expected, name
    assert asked(sqlite(), loud, tmp_path, query).rows == expected


@pytest.fixture
def postgres():
    """A connection to the server of scripts/with_postgres.sh, with the table."""
    psycopg = pytest.importorskip("psycopg")
    if not os.environ.get("PROBITY_POSTGRES"):
        pytest.skip("scripts/with_postgres.sh starts a server")
    with psycopg.connect(os.environ["PROBITY_POSTGRES"]) as connection:
        connection.execute(
            "CREATE TEMPORARY TABLE people (region text, age int, income numeric(12, 2), smoker boolean, joined date)"
        )
        with connection.cursor() as cursor:
            names = ["region", "age", "income", "smoker", "joined"]
            cursor.executemany(
                f"INSERT INTO people VALUES ({', '.join(['%s'] * len(names))})",
                [tuple(row[name] or None for name in names) for row in rows()],
            )
        yield connection


@pytest.mark.parametrize("query", QUERIES)
def test_postgresql_gives_the_same_sums(loud, tmp_path, query, postgres):
    expected = asked(PEOPLE, loud, tmp_path, query).rows
    assert asked(postgres, loud, tmp_path, query).rows == expected
    assert asked((postgres, "pg_temp.people"), loud, tmp_path, query).rows == expected


def test_the_sums_are_the_sums(loud, tmp_path):
    answer = asked(PEOPLE, loud, tmp_path)
    for region, n, _, _, income, _, _ in answer.rows:
        chosen = [row for row in rows() if row["region"] == region and row["income"]]
        assert n == len(chosen)
        total = sum(min(max(decimal.Decimal(row["income"]), 0), 100000) for row in chosen)
        assert abs(decimal.Decimal(str(income)) - total) < decimal.Decimal("0.01")


def test_users_are_bounded_alike(tmp_path):
    policy = tmp_path / "users.toml"
    text = LOUD.replace('unit = "row"', 'unit = { user = "person_id", groups = 1, rows_per_group = 1 }')
    policy.write_text(text.replace("[table.people.columns]", '[table.people.columns]\nperson_id = { type = "text" }'))
    pandas = pytest.importorskip("pandas")
    table = [(i % 7, ["north", "south"][i % 2], i % 50) for i in range(500)]
    path = tmp_path / "t.csv"
    path.write_text("person_id,region,age\n" + "".join(f"{a},{b},{c}\n" for a, b, c in table))
    query = "SELECT region, COUNT(*) AS n, SUM(age) AS s FROM people GROUP BY region"
    expected = asked(str(path), policy, tmp_path, query)
    assert sum(row[1] for row in expected) == 7
    assert asked(pandas.read_csv(path), policy, tmp_path, query).rows == expected.rows
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE people (person_id INTEGER, region TEXT, age INTEGER)")
    connection.executemany("INSERT INTO people VALUES (?, ?, ?)", table)
    assert asked(connection, policy, tmp_path, query).rows == expected.rows


def test_hostile_values_of_frames_do_not_fail(loud, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "region": ["north", None, "nowhere", "north", "north", "north"],
            "age": [1, 2, 3, float("nan"), float("inf"), -5],
            "income": [decimal.Decimal("1.005"), None, 1, 2, decimal.Decimal("1e9"), 7],
        }
    )
    answer = asked(frame, loud, tmp_path, "SELECT region, COUNT(*) AS n, SUM(age) AS s FROM people GROUP BY region")
    assert answer.rows[0][0:2] == ("north", 3) and answer.rows[0][4] == 1 + 120 + 0


def test_the_ledger_is_debited_and_answers_are_stored(tmp_path):
    ledger = tmp_path / "people.ledger"
    with pytest.raises(pb.InvalidInput, match="no ledger") as error:
        pb.Session(data={"people": PEOPLE}, policy=POLICY, ledger=ledger)
    assert "init=True" in error.value.hint
    s = pb.Session(data={"people": PEOPLE}, policy=POLICY, ledger=ledger, init=True)
    first = s.sql("SELECT region, AVG(income) AS income FROM people GROUP BY region")
    assert first.cost == {"epsilon": Fraction(1, 2)} and not first.stored
    assert s.remaining == {"epsilon": Fraction(3, 2)} == first.remaining
    again = s.sql("SELECT region, AVG(income) AS income FROM people GROUP BY region")
    assert again.stored and again.cost == {"epsilon": 0} and again.rows == first.rows
    other = s.sql("SELECT region, AVG(income) AS income FROM people GROUP BY region", again=True)
    assert other.rows != first.rows and s.spent == {"epsilon": 1}
    pair = s.sql("SELECT COUNT(*) AS n FROM people", "SELECT SUM(age) AS a FROM people")
    assert [answer.cost["epsilon"] for answer in pair] == [Fraction(1, 4)] * 2
    s.sql("SELECT COUNT(*) AS m FROM people")
    assert s.remaining == {"epsilon": 0}
    with pytest.raises(pb.BudgetExceeded, match="budget does not allow"):
        s.sql("SELECT COUNT(*) AS last FROM people")
    kinds = [entry["kind"] for entry in s.history()]
    assert kinds == ["init"] + ["release"] * 5


def test_a_certificate_replaces_no_other_file(tmp_path):
    ledger = tmp_path / "people.ledger"
    session = pb.Session(data={"people": PEOPLE}, policy=POLICY, ledger=ledger, init=True)
    before = ledger.read_bytes()
    with pytest.raises(pb.InvalidInput, match="another kind of file"):
        session.sql("SELECT COUNT(*) AS n FROM people", certificate=ledger)
    with pytest.raises(pb.InvalidInput, match="no folder"):
        session.sql("SELECT COUNT(*) AS n FROM people", certificate=tmp_path / "nowhere" / "c.cert")
    assert ledger.read_bytes() == before
    for _ in range(2):
        session.sql("SELECT COUNT(*) AS n FROM people", certificate=tmp_path / "c.cert")


def test_answers_show_themselves(tmp_path):
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "n.cert"
    s = pb.Session(data={"people": PEOPLE}, policy=POLICY, ledger=tmp_path / "l", init=True)
    answer = s.sql("SELECT region, COUNT(*) AS n FROM people GROUP BY region", certificate=path)
    frame = answer.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == answer.columns and len(frame) == 4
    assert (frame.n_low <= frame.n).all() and (frame.n <= frame.n_high).all()
    assert answer.to_polars().shape == (4, 4) and answer.to_arrow().num_rows == 4
    assert "region" in str(answer) and "95 %" in str(answer)
    assert "<table>" in answer._repr_html_() and "theorem" in answer._repr_html_()
    assert "eps" in answer.theorem or "1/2" in answer.theorem
    assert pb.check(str(path), policy=POLICY).accepted and pb.check(answer.certificate).accepted
    forged = answer.certificate.replace("epsilon 1/2", "epsilon 1/4", 1)
    assert not pb.check(forged, policy=POLICY).accepted


def test_previews_and_explanations_cost_nothing():
    s = pb.Session(policy=POLICY)
    preview = s.preview("SELECT region, AVG(income) AS mean, COUNT(*) AS n FROM people GROUP BY region")
    assert preview.groups == 4 and len(preview.errors) == 4
    explained = s.explain("SELECT COUNT(*) AS n FROM people")
    assert "discrete_laplace" in explained.text and explained.assumptions
    weighed = s.preview("SELECT COUNT(*) AS n, SUM(age) AS a FROM people", split={"n": 9, "a": 1}).errors[0][2]
    assert weighed < s.preview("SELECT COUNT(*) AS n, SUM(age) AS a FROM people").errors[0][2]
    with pytest.raises(pb.InvalidInput, match="no ledger was named"):
        s.sql("SELECT COUNT(*) AS n FROM people")


def test_refusals_point_into_the_query(tmp_path):
    s = pb.Session(data={"people": PEOPLE}, policy=POLICY, ledger=tmp_path / "l", init=True)
    with pytest.raises(pb.InvalidInput) as error:
        s.sql("SELECT incom FROM people")
    assert "query:1:8" in str(error.value) and error.value.hint
    assert s.remaining == {"epsilon": 2}
    for data in [None, 7, object(), {"people": 7}, [1], "nothing.csv"]:
        with pytest.raises(pb.InvalidInput):
            asked(data, POLICY, tmp_path)
    with pytest.raises(pb.InvalidInput, match="no table folk"):
        pb.Session(data={"folk": PEOPLE}, policy=POLICY)
    with pytest.raises(pb.InvalidInput, match="alpha"):
        pb.Session(policy=POLICY, alpha=2)
    pandas = pytest.importorskip("pandas")
    with pytest.raises(pb.InvalidInput, match="no column named `region`"):
        asked(pandas.DataFrame({"x": [1]}), POLICY, tmp_path)
    with pytest.raises(pb.InvalidInput, match="cannot be read"):
        asked(sqlite3.connect(":memory:"), POLICY, tmp_path)


def test_dates_of_databases(loud, tmp_path):
    class Cursor:
        description = [("region",), ("joined",)]

        def execute(self, query):
            self.rows = [] if "1 = 0" in query else [("north", datetime.date(2020, 1, 1), 3), ("north", None, 2)]

        def fetchmany(self, _):
            rows, self.rows = self.rows, []
            return rows

        def close(self):
            pass

    class Connection:
        def cursor(self):
            return Cursor()

    query = "SELECT COUNT(*) AS n FROM people WHERE region = 'north' AND joined < DATE '2020-01-02'"
    assert asked(Connection(), loud, tmp_path, query).rows[0][0] == 3


def test_columns_that_the_policy_does_not_name_may_be_of_any_type(loud, tmp_path):
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    frame = pandas.read_csv(PEOPLE)
    table = pyarrow.Table.from_pandas(frame)
    for value in ([1, 2], b"\xff", {"a": 1}, datetime.time(1)):
        more = table.append_column("more", pyarrow.array([value] * len(frame)))
        assert asked(more, loud, tmp_path).rows == asked(PEOPLE, loud, tmp_path).rows
    binary = table.set_column(table.column_names.index("region"), "region", pyarrow.array([b"north"] * len(frame)))
    with pytest.raises(pb.InvalidInput, match="the column region is of the type Binary"):
        asked(binary, loud, tmp_path)


FOUND = """
[budget]
epsilon = "1e15"
delta = "1/10"
per_query = { epsilon = "1000", delta = "1e-30" }
[table.people]
unit = "row"
[table.people.columns]
region = { type = "text", discover = true }
age = { type = "int", between = [0, 120] }
"""


def test_keys_are_discovered_in_every_source(tmp_path):
    pytest.importorskip("pandas")
    policy = tmp_path / "found.toml"
    policy.write_text(FOUND)
    query = "SELECT region, COUNT(*) AS n FROM people WHERE age >= 40 GROUP BY region"
    expected = asked(PEOPLE, policy, tmp_path, query).rows
    assert [row[0] for row in expected] == ["east", "north", "south", "west"] and all(row[1] > 100 for row in expected)
    for name, data in frames():
        assert asked(data, policy, tmp_path, query).rows == expected, name
    assert asked(sqlite(), policy, tmp_path, query).rows == expected


def test_a_division_by_zero_is_refused_before_it_is_paid(tmp_path):
    s = pb.Session(data={"people": PEOPLE}, policy=POLICY, ledger=tmp_path / "l", init=True)
    with pytest.raises(pb.InvalidInput, match="divides by zero"):
        s.sql("SELECT SUM(age) / 0 AS x FROM people")
    assert s.spent == {"epsilon": 0}


def test_a_session_reads_its_frame_when_it_is_asked(loud, tmp_path):
    """A frame is read where it lies, without a copy: what is written into it before a query is in the answer."""
    np = pytest.importorskip("numpy")
    pyarrow = pytest.importorskip("pyarrow")
    ages = np.full(1000, 10, dtype=np.int64)
    table = pyarrow.table({"age": pyarrow.Array.from_buffers(pyarrow.int64(), 1000, [None, pyarrow.py_buffer(ages)])})
    s = pb.Session(data={"people": table}, policy=loud, ledger=tmp_path / "l", init=True)
    ages[:] = 20
    assert s.sql("SELECT SUM(age) AS s FROM people").rows[0][0] == 20_000


def test_parquet_is_read_by_other_libraries(tmp_path):
    path = tmp_path / "people.parquet"
    path.write_bytes(b"PAR1")
    with pytest.raises(pb.InvalidInput, match="Parquet") as error:
        pb.Session(data={"people": path}, policy=POLICY)
    assert "PyArrow" in error.value.hint and "--" not in error.value.hint


# Texts that an engine takes for equal must not become one: the group would be shown as any one of them, so that one row could change
# what all others count as.
def test_rows_that_sqlite_takes_for_equal_stay_apart(loud, tmp_path):
    for regions in (["NORTH"] + ["north"] * 9, ["north"] * 9 + ["NORTH"]):
        connection = sqlite3.connect(":memory:")
        connection.execute("CREATE TABLE people (region TEXT COLLATE NOCASE, age)")
        connection.executemany("INSERT INTO people VALUES (?, 5)", [(region,) for region in regions])
        answer = asked(connection, loud, tmp_path, "SELECT region, COUNT(*) AS n FROM people GROUP BY region")
        assert [row[1] for row in answer.rows] == [9, 0, 0, 0]
    # A number of any type: 1 and 1.0 are equal there, and as texts they are not.
    policy = tmp_path / "texts.toml"
    policy.write_text(LOUD.replace('["north", "south", "east", "west"]', '["1", "1.0"]'))
    for regions in ([1] + [1.0] * 9, [1.0] * 9 + [1]):
        connection = sqlite3.connect(":memory:")
        connection.execute("CREATE TABLE people (region)")
        connection.executemany("INSERT INTO people VALUES (?)", [(region,) for region in regions])
        by_row = asked(CountedOneByOne(connection), policy, tmp_path, "SELECT region, COUNT(*) AS n FROM people GROUP BY region")
        answer = asked(connection, policy, tmp_path, "SELECT region, COUNT(*) AS n FROM people GROUP BY region")
        assert answer.rows == by_row.rows


class CountedOneByOne:
    """A connection of an engine that nobody knows."""

    def __init__(self, connection):
        self.connection = connection
        self.asked = []

    def cursor(self):
        outer, cursor = self, self.connection.cursor()

        class Cursor:
            def execute(self, query):
                outer.asked.append(query)
                cursor.execute(query)

            @property
            def description(self):
                return cursor.description

            def fetchmany(self, size):
                return cursor.fetchmany(size)

            def close(self):
                cursor.close()

        return Cursor()


def test_an_engine_that_nobody_knows_sends_its_rows(loud, tmp_path):
    """What it takes for equal is not known, so it is not asked to group."""
    unknown = CountedOneByOne(sqlite())
    for query in QUERIES:
        assert asked(unknown, loud, tmp_path, query).rows == asked(PEOPLE, loud, tmp_path, query).rows
    assert unknown.asked and not any("GROUP BY" in query for query in unknown.asked)


USERS = LOUD.replace('unit = "row"', 'unit = { user = "person", groups = 1, rows_per_group = 1 }')


@pytest.mark.parametrize("income", ["DECIMAL(10, 2)", "DOUBLE"])
def test_users_that_duckdb_takes_for_equal_stay_apart(tmp_path, income):
    """Both where the engine adds up and where it counts: with one row of each user, two users have two."""
    duckdb = pytest.importorskip("duckdb")
    policy = tmp_path / "users.toml"
    policy.write_text(USERS)
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE people (person VARCHAR COLLATE NOCASE, region VARCHAR COLLATE NOCASE, income {income})")
    connection.execute("INSERT INTO people VALUES ('anna', 'north', 1), ('Anna', 'north', 1), ('ANNA', 'NORTH', 1), ('anna', 'north', 1)")
    answer = asked(connection, policy, tmp_path, "SELECT region, COUNT(*) AS n, SUM(income) AS s FROM people GROUP BY region")
    assert [row[1] for row in answer.rows] == [2, 0, 0, 0]


def test_the_day_of_a_moment_is_that_of_utc_through_a_connection(loud, tmp_path):
    """Of a moment with a zone, as databases send them."""
    east = datetime.timezone(datetime.timedelta(hours=9))
    moments = [datetime.datetime(2020, 1, 1, 3, tzinfo=east), datetime.datetime(2020, 1, 1, 12, tzinfo=east)]

    class Cursor:
        description = [("joined",)]

        def execute(self, query):
            self.left = [] if "1 = 0" in query else [(moment,) for moment in moments]

        def fetchmany(self, size):
            found, self.left = self.left, []
            return found

        def close(self):
            pass

    class Connection:
        def cursor(self):
            return Cursor()

    answer = asked(Connection(), loud, tmp_path, "SELECT COUNT(*) AS n FROM people WHERE joined >= DATE '2020-01-01'")
    assert answer.rows[0][0] == 1


def test_any_mapping_names_tables_and_weights(loud, tmp_path):
    import types

    s = pb.Session(types.MappingProxyType({"people": PEOPLE}), policy=loud, ledger=tmp_path / "m.ledger", init=True)
    answer = s.sql("SELECT COUNT(*) AS n, SUM(age) AS a FROM people", split=types.MappingProxyType({"n": 1, "a": 2}))
    assert answer.columns[0] == "n"


def test_a_folder_is_no_certificate_and_costs_nothing(tmp_path):
    s = pb.Session(data={"people": PEOPLE}, policy=POLICY, ledger=tmp_path / "p.ledger", init=True)
    with pytest.raises(pb.InvalidInput, match="is a folder"):
        s.sql("SELECT COUNT(*) AS n FROM people", certificate=tmp_path)
    assert s.remaining == {"epsilon": 2}
