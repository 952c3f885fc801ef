"""Hostile arguments: an answer or an exception of the family, never a panic."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import probity_dp as pb

quick = settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))

numbers = st.one_of(
    st.integers(),
    st.integers(min_value=-(2**200), max_value=2**200),
    st.fractions(),
    st.decimals(),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(["1/0", "1e400", "-0", "nan", "0x10", "١", "1_000", "½", "\0", "7/3"]),
)
anything = st.recursive(
    st.one_of(numbers, st.none(), st.booleans(), st.binary(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=2), st.tuples(inner, inner)),
    max_leaves=5,
)


def family(action):
    """Runs an action that may be refused. What it must not do is panic: that is a BaseException, and an InternalError is a bug."""
    try:
        return action()
    except pb.InternalError:
        raise
    except pb.ProbityError:
        return None


def test_the_checks_can_say_no():
    with pytest.raises(pb.InternalError):
        family(lambda: (_ for _ in ()).throw(pb.InternalError("x")))
    for error in (ZeroDivisionError, TypeError, OverflowError, UnicodeError, ValueError):
        with pytest.raises(error):
            family(lambda: (_ for _ in ()).throw(error("x")))


def test_arguments_of_another_type_are_of_the_family_and_type_errors():
    m = pb.Mechanism.load("mechanisms/snapping.dp")
    s = pb.Session(policy="examples/data/people.toml")
    query = "SELECT COUNT(*) AS n FROM people"
    calls = [
        lambda: pb.mean([1, 2], bounds=5, epsilon=1),
        lambda: pb.mean([1, 2], bounds=(0, None), epsilon=1),
        lambda: pb.mean([1, 2], bounds=(0, 1), epsilon=[]),
        lambda: pb.mean([1, 2], bounds=(0, 1), epsilon=1, neighbours=7),
        lambda: pb.mean("12", bounds=(0, 1), epsilon=1),
        lambda: pb.histogram([1], categories=[[]], epsilon=1),
        lambda: pb.histogram([1], categories=3, epsilon=1),
        lambda: pb.histogram(3, categories=[3], epsilon=1),
        lambda: pb.count(3, epsilon=1),
        lambda: pb.discrete_laplace(scale=None),
        lambda: pb.discrete_laplace(scale=1).release(None),
        lambda: pb.discrete_laplace(scale=1).error(count="x"),
        lambda: pb.exponential(scale=1, monotone="yes"),
        lambda: pb.snapping(epsilon=1, bound="x"),
        lambda: pb.laplace_on_grid(1, grid=0.5),
        lambda: pb.calibrate(7, epsilon=1),
        lambda: pb.account(3),
        lambda: pb.account("pure(1)").epsilon(delta=0, seconds="x"),
        lambda: pb.account("pure(1)").curve(points="x"),
        lambda: pb.account("pure(1)", adjacency=None),
        lambda: pb.Mechanism(3),
        lambda: pb.Mechanism.load(3),
        lambda: m.set(eps=[]),
        lambda: m.set(eps=(1,)),
        lambda: m.set(eps=1, B=4).run(x=1, count="x"),
        lambda: m.set(eps=1, B=4).run(x=1, unproved="x"),
        lambda: m.set(eps=1, B=4).run(x=[1]),
        lambda: m.verify(seconds="x"),
        lambda: m.check(3),
        lambda: pb.check(3),
        lambda: pb.Session(data=3, policy="examples/data/people.toml"),
        lambda: pb.Session(data={3: "x"}, policy="examples/data/people.toml"),
        lambda: pb.Session(data={"people": 3}, policy="examples/data/people.toml"),
        lambda: pb.Session(policy=3),
        lambda: pb.Session(policy="examples/data/people.toml", init="x"),
        lambda: s.preview(3),
        lambda: s.preview(query, split=3),
        lambda: s.preview(query, split={3: 1}),
        lambda: s.sql(query, again="x"),
        lambda: s.history(most="x"),
    ]
    for place, call in enumerate(calls):
        with pytest.raises(TypeError) as error:
            call()
        assert isinstance(error.value, pb.InvalidType) and isinstance(error.value, pb.ProbityError), (place, error.value)
        assert error.value.message, place
    # A number that is too large, or negative, is of the right type.
    for call in (lambda: m.set(eps=1, B=4).run(x=1, count=-1), lambda: pb.account("pure(1)").curve(points=2**80)):
        with pytest.raises(pb.InvalidInput) as error:
            call()
        assert not isinstance(error.value, TypeError)


MAKERS = [
    pb.discrete_laplace,
    pb.discrete_gaussian,
    pb.gaussian,
    pb.geometric,
    pb.bernoulli,
    pb.bernoulli_exp,
    pb.uniform_integer,
    pb.exponential,
    pb.noisy_max,
]


@pytest.mark.filterwarnings("ignore::probity_dp.InexactFloat")
@pytest.mark.parametrize("maker", MAKERS, ids=[maker.__name__ for maker in MAKERS])
@quick
@given(value=anything, size=anything, d_in=anything)
def test_samplers(maker, value, size, d_in):
    noise = family(lambda: maker(value))
    if noise is None:
        return
    if isinstance(size, int) and not isinstance(size, bool) and size > 1000:
        size = 1000
    if not isinstance(size, tuple):
        family(lambda: noise.sample(size))
    family(lambda: noise.release(value))
    family(lambda: noise.choose(value))
    family(lambda: noise.epsilon(d_in))
    family(lambda: noise.epsilon(d_in, delta=value))
    family(lambda: noise.rho(d_in))
    family(lambda: noise.error(d_in))
    repr(noise)


@pytest.mark.filterwarnings("ignore::probity_dp.InexactFloat")
@quick
@given(scale=numbers, lower=numbers, upper=numbers, grid=st.integers(-3000, 3000))
def test_ranges_and_grids(scale, lower, upper, grid):
    for make in [
        lambda: pb.truncated_geometric(scale, lower, upper),
        lambda: pb.laplace_on_grid(scale, grid, lower=lower, upper=upper),
        lambda: pb.randomized_response(categories=lower, prob=scale),
    ]:
        noise = family(make)
        if noise is not None:
            family(lambda: noise.sample(3))
            family(lambda: noise.epsilon(1))


@pytest.mark.filterwarnings("ignore::probity_dp.InexactFloat")
@quick
@given(data=st.one_of(anything, st.lists(st.floats(), max_size=5), st.lists(st.integers(), max_size=5)), low=numbers, high=numbers, epsilon=numbers)
def test_statistics(data, low, high, epsilon):
    for statistic in (pb.sum, pb.mean, pb.variance):
        answer = family(lambda: statistic(data, (low, high), epsilon))
        if statistic is pb.mean and answer is not None:
            assert math.isfinite(answer)
    family(lambda: pb.histogram(data, categories=data, epsilon=epsilon))
    family(lambda: pb.histogram(data, bins=data, epsilon=epsilon))
    family(lambda: pb.quantile(data, low, candidates=data, epsilon=epsilon))
    family(lambda: pb.count(data, epsilon))


@pytest.mark.filterwarnings("ignore::probity_dp.InexactFloat")
@quick
@given(text=st.one_of(st.text(), st.sampled_from(["gaussian(", "pure(1)*-1", "poisson(2, pure(1))", "text('x')", "gaussian(0)", "1/0"])))
def test_expressions(text):
    account = family(lambda: pb.account(text))
    if account is not None:
        family(lambda: account.epsilon(delta="1e-5", seconds=1))


@pytest.mark.filterwarnings("ignore::probity_dp.InexactFloat")
@quick
@given(text=st.text(), value=anything)
def test_texts_and_inputs(text, value):
    family(lambda: pb.Mechanism(text))
    family(lambda: pb.check(text + "\n"))
    m = pb.Mechanism.load("mechanisms/snapping.dp").set(eps=1, B=4)
    family(lambda: m.run(x=value))
    family(lambda: m.audit(value, value))


@pytest.mark.filterwarnings("ignore::probity_dp.InexactFloat")
@quick
@given(query=st.one_of(st.text(), st.from_regex(r"SELECT [a-z(*), ']{0,30} FROM people( GROUP BY [a-z]{0,5})?", fullmatch=True)), value=anything)
def test_queries(query, value):
    s = pb.Session(policy="examples/data/people.toml")
    family(lambda: s.preview(query))
    family(lambda: s.preview("SELECT COUNT(*) AS n FROM people", split={"n": value} if not isinstance(value, dict) else value))
    family(lambda: pb.Session(data={"people": value}, policy="examples/data/people.toml"))


def test_floats_of_every_kind():
    for value in [5e-324, 1.7976931348623157e308, -0.0, float("nan"), float("inf"), np.float16(1), np.longdouble(1)]:
        family(lambda: pb.mean([value, value], bounds=(0, 1), epsilon=1))
        family(lambda: pb.Mechanism.load("mechanisms/snapping.dp").set(eps=1, B=4).run(x=value))
    assert pb.sum([float("nan"), float("inf"), -1e300], bounds=(-1, 1), epsilon="1e9", step=1) == -1 + 1 - 1
    assert pb.sum([0.1, 0.2], bounds=(0, 1), epsilon="1e30", step="1/100") == Fraction(3, 10)
