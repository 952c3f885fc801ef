"""Exact numbers: what is taken, what is warned about, what is refused."""

import pickle
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import probity_dp as pb


@pytest.mark.parametrize(
    "given",
    ["5/2", "2.5", " 2.5", Fraction(5, 2), Decimal("2.5"), 2.5, np.float64(2.5), np.float32(2.5)],
)
def test_one_number_in_many_forms(given):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pb.discrete_laplace(scale=given).epsilon() == Fraction(2, 5)


def test_whole_numbers():
    for given in [3, np.int8(3), np.uint64(3), Fraction(3), Decimal(3), "3", 3.0]:
        assert pb.discrete_laplace(scale=given).epsilon() == Fraction(1, 3)


def test_a_float_that_is_not_what_it_prints_is_warned_about_where_the_user_is():
    with pytest.warns(pb.InexactFloat, match="0.1 is taken as the exact double") as told:
        noise = pb.discrete_laplace(scale=0.1)
    assert told[0].filename == __file__
    assert noise.epsilon() == 1 / Fraction(0.1)
    # As Python prints it, and not with three hundred zeros.
    with pytest.warns(pb.InexactFloat, match="the float 1e-300 is"):
        pb.discrete_laplace(scale=1e-300)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pb.discrete_laplace(scale="0.1").epsilon() == 10
        # Data and questions are what they are.
        pb.account("gaussian(1)").epsilon(delta=1e-5)


@pytest.mark.parametrize(
    "given",
    [None, True, False, [], {}, object(), float("nan"), float("inf"), Decimal("NaN"), Decimal("Infinity"), "x", "", "1/0", 1j, b"1"],
)
def test_what_is_no_number_is_refused(given):
    with pytest.raises(pb.InvalidInput) as error:
        pb.discrete_laplace(scale=given)
    assert isinstance(error.value, ValueError) and isinstance(error.value, pb.ProbityError)


def test_enormous_numbers_are_refused_in_time():
    for given in ["1e999999999", Decimal("1e999999999"), 1 << 10_000_000, "9" * 200_000]:
        with pytest.raises(pb.InvalidInput):
            pb.discrete_laplace(scale=given)
    # What is only large works.
    assert pb.discrete_laplace(scale=1 << 5000).epsilon() == Fraction(1, 1 << 5000)


def test_bounds_of_thousands_of_digits_show_themselves():
    bound = pb.discrete_laplace(scale=10**5000).epsilon()
    assert repr(bound) == "Upper(…, at most 5e-324)" and bound == Fraction(1, 10**5000)


def test_upper_bounds_are_fractions():
    bound = pb.discrete_laplace(scale=3).epsilon()
    assert isinstance(bound, Fraction) and bound + 1 == Fraction(4, 3)
    assert float(bound) == 0.33333333333333337
    assert repr(bound) == "Upper(1/3, at most 0.33333333333333337)"
    again = pickle.loads(pickle.dumps(bound))
    assert again == bound and float(again) == float(bound) and again.is_exact


def test_errors_can_be_pickled():
    try:
        pb.discrete_laplace(scale="x")
    except pb.ProbityError as error:
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is pb.InvalidInput and str(again) == str(error)
