"""What must not tell of a single record: the kind of an answer, and the text of an error."""

import copy
import sqlite3
import subprocess
import sys
import traceback
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import probity_dp as pb

SECRET = "31415926"
POLICY = "examples/data/people.toml"

# Neighbours of integers in which one record is of another type: all are summed on the lattice of the bounds.
KINDS = [0.5, Fraction(1, 2), Decimal("0.5"), "1/2", float("nan"), 2**70, np.float32(2)]


@pytest.mark.parametrize("other", KINDS)
def test_the_kind_of_an_answer_does_not_depend_on_a_record(other):
    integers = [1, 2, 3] * 30
    for data in (integers, integers + [other], [other], []):
        # The lattice is that of the bounds: so many steps are almost never a whole number, whatever the records are.
        sums = [pb.sum(data, bounds=(0, 100), epsilon="1/1000") for _ in range(20)]
        assert all(total * 2**24 == int(total * 2**24) for total in sums)
        assert sum(total == int(total) for total in sums) < 5
        # A step of 1 is whole for all of them.
        assert isinstance(pb.sum(data, bounds=(0, 100), epsilon=1, step=1), int)


def test_integers_are_summed_exactly_however_wide_the_bounds_are():
    for upper in (1, 100, 2**40):
        assert pb.sum([1] * 1000, bounds=(0, upper), epsilon="1e30") == 1000


def test_a_record_is_one_number():
    for data in (np.ones((3, 2)), [[1, 2], [3, 4]], [1, np.ones(2)], 7, np.float64(3)):
        for statistic in (pb.sum, pb.mean, pb.variance):
            with pytest.raises(pb.InvalidInput, match="dimensions|no list of values"):
                statistic(data, bounds=(0, 1), epsilon=1)
    with pytest.raises(pb.InvalidInput, match="at least two finite edges"):
        pb.histogram([1], bins=5, epsilon=1)
    for kind in ({"bins": [0, 1]}, {"categories": [1, 2]}):
        with pytest.raises(pb.InvalidInput, match="dimensions"):
            pb.histogram(np.ones((3, 2)), epsilon=1, **kind)


# Beside what each record is worth there must be nothing that looks at several at once, as the search for a type that suits all does.
WIDE = 2**60


@pytest.mark.parametrize("other", [0.5, None, float("nan"), "1/2", Fraction(1, 2), Decimal("0.5"), 2**63, -(2**80), np.uint64(2**63), True])
def test_a_record_does_not_change_what_others_count_as(other):
    """Integers that are no doubles stay themselves, and floats stay the doubles that they are, whatever is beside them."""
    integers = [WIDE + 37] * 1000
    counted = pb.sum(integers, bounds=(WIDE, WIDE + 100), epsilon="1e40", step=1, neighbours="replace")
    assert counted == 1000 * (WIDE + 37)
    beside = pb.sum(integers + [other], bounds=(WIDE, WIDE + 100), epsilon="1e40", step=1, neighbours="replace")
    assert beside - counted in (WIDE, WIDE + 100)
    # The double 0.15 is a little less than the tie between 0.1 and 0.2.
    floats = [0.15] * 1000
    assert pb.sum(floats + [other], bounds=(0, 1), step="1/10", epsilon="1e20") <= 101


def test_a_null_does_not_change_what_others_count_as():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    records = [WIDE + 37] * 10 + [None]
    masked = np.ma.array([WIDE + 37] * 10 + [WIDE + 99], mask=[False] * 10 + [True])
    columns = [polars.Series(records), pyarrow.array(records), pyarrow.chunked_array([records[:5], records[5:]])]
    for column in columns + [pandas.Series(records, dtype="Int64"), masked, np.array(records, dtype=object)]:
        total = pb.sum(column, bounds=(WIDE, WIDE + 100), epsilon="1e40", step=1)
        assert total == 10 * (WIDE + 37) + WIDE, type(column)


def test_an_infinite_record_is_clamped_whatever_its_type():
    for one in (float("inf"), np.float32("inf"), Decimal("Infinity")):
        for other in (1, Fraction(1), 1.0):
            assert pb.sum([other, one], bounds=(0, 9), epsilon="1e20", step=1) == 10


def test_integers_of_64_bits_have_the_law_of_larger_ones():
    """Neighbours on both sides of the largest machine integer: noise that ended there would tell them apart at once."""
    largest = 2**63 - 1
    for noise in (pb.discrete_laplace(10), pb.discrete_gaussian(10)):
        for value in (largest, largest + 1, -largest - 1, -largest - 2):
            answers = [noise.release(value) for _ in range(60)]
            assert any(answer > value for answer in answers) and any(answer < value for answer in answers)


def told(action):
    """All that an error shows: its text, its causes and its notes, with the lines of the test left out."""
    with pytest.raises(pb.ProbityError) as error:
        action()
    shown = traceback.format_exception(error.type, error.value, None)
    return "".join(shown) + repr(error.value) + repr(vars(error.value)) + repr(error.value.__context__)


@pytest.mark.parametrize(
    "action",
    [
        lambda: pb.discrete_laplace(2).release(31415926.5),
        lambda: pb.discrete_laplace(2).release("x" + SECRET),
        lambda: pb.truncated_geometric(2, 0, 10).release(int(SECRET) * 10**30),
        lambda: pb.laplace_on_grid(2, -10, lower=0, upper=1).release("x" + SECRET),
        lambda: pb.sum([1, "x" + SECRET], bounds=(0, 9), epsilon=1),
        lambda: pb.sum("x" + SECRET, bounds=(0, 9), epsilon=1),
        lambda: pb.mean([1, object, SECRET + "/0"], bounds=(0, 9), epsilon=1),
        lambda: pb.variance({SECRET: 1}, bounds=(0, 9), epsilon=1),
        lambda: pb.histogram([1, "x" + SECRET], bins=[0, 9], epsilon=1),
        lambda: pb.quantile([1, "x" + SECRET], "1/2", candidates=[1, 2], epsilon=1),
        lambda: pb.exponential(1).choose([1, "x" + SECRET]),
        lambda: pb.Mechanism.load("mechanisms/laplace.dp").set(eps=1).run(x="x" + SECRET),
        lambda: pb.Session(data={"people": [SECRET]}, policy=POLICY),
        lambda: pb.sum((int("x" + SECRET) for _ in range(3)), bounds=(0, 9), epsilon=1),
        lambda: pb.exponential(1).choose(int("x" + SECRET) for _ in range(3)),
    ],
)
def test_errors_do_not_repeat_what_is_private(action):
    assert SECRET not in told(action)


def test_an_error_does_not_tell_how_long_a_text_is():
    shown = [told(lambda: pb.discrete_laplace(2).release([1, "x" * length])) for length in (3, 40)]
    assert shown[0] == shown[1]


def test_errors_of_other_libraries_are_not_repeated(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"age": [87, 41], "notes": ["x" + SECRET, 3]}, dtype=object)
    shown = told(lambda: pb.Session(data={"people": frame}, policy=POLICY))
    assert SECRET not in shown and "87" not in shown and "DataFrame" in shown
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE people (region TEXT, age INT, income INT, smoker INT, joined TEXT)")
    connection.execute("INSERT INTO people VALUES (CAST(X'ff" + SECRET.encode().hex() + "' AS TEXT), 1, 1, 1, '')")
    ledger = str(tmp_path / "people.ledger")
    s = pb.Session(data={"people": connection}, policy=POLICY, ledger=ledger, init=True)
    assert SECRET not in told(lambda: s.sql("SELECT region, COUNT(*) AS n FROM people GROUP BY region"))


def test_a_copied_bound_stays_above():
    bound = pb.discrete_laplace(3).epsilon()
    for copied in (copy.copy(bound), copy.deepcopy(bound), copy.deepcopy([bound])[0]):
        assert float(copied) == float(bound) and Fraction(float(copied)) >= Fraction(1, 3)
        assert repr(copied) == repr(bound)


@pytest.mark.parametrize("given", [np.float32(0.1), np.float16(0.1), np.longdouble("0.1")])
def test_floats_of_numpy_are_warned_about(given):
    with pytest.warns(pb.InexactFloat):
        pb.discrete_laplace(scale=given)


def test_what_is_no_list_is_refused():
    for given in (5, None, object()):
        with pytest.raises(pb.InvalidInput, match="no list of values"):
            pb.exponential(1).choose(given)


def test_numpy_that_cannot_be_loaded_is_an_error():
    text = "import sys; sys.modules['numpy'] = None\nimport probity_dp as pb\ntry:\n  pb.discrete_laplace(3).sample(3)\nexcept ImportError:\n  print('no numpy')"
    found = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert found.stdout == "no numpy\n", found.stderr
