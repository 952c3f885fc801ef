"""Accounting: brackets contain the truth."""

import math
from fractions import Fraction

import pytest
from scipy import optimize, stats

import probity_dp as pb


def gaussian_delta(mu, epsilon):
    return stats.norm.cdf(-epsilon / mu + mu / 2) - math.exp(epsilon) * stats.norm.cdf(-epsilon / mu - mu / 2)


def test_compositions_of_gaussians():
    for sigma, count, delta in [(10, 100, 1e-6), (100, 10_000, 1e-10), (3, 5, 1e-4)]:
        mu = math.sqrt(count) / sigma
        truth = optimize.brentq(lambda e: gaussian_delta(mu, e) - delta, 1e-6, 50, xtol=1e-13)
        lower, upper = pb.account(f"gaussian({sigma}) * {count}").epsilon(delta=delta)
        assert lower <= truth * (1 + 1e-8) and upper >= truth * (1 - 1e-8) and upper - lower < 1e-3 * truth


def test_what_peers_get_wrong():
    # DP accountants in floats answer less than the truth here.
    bracket = pb.account("gaussian(100) * 10000").delta(epsilon="7.5")
    assert bracket.lower <= 1.55e-13 * 1.01 and bracket.upper >= 1.55e-13 * 0.99


def test_subsampling_and_both_directions():
    bracket = pb.account("poisson(1/100, gaussian(1)) * 1000").epsilon(delta=1e-5)
    assert 0 < bracket.lower <= bracket.upper < 3 and bracket.reached
    assert bracket[0] == bracket.lower and len(bracket) == 2
    assert len(bracket.directions) == 2 and "<table>" in bracket._repr_html_()


def test_names_and_searches():
    account = pb.account("gaussian(s) * 100")
    found = account.calibrate(epsilon=1, delta="1e-6")
    assert found.lower <= found.value <= found.upper * (1 + 1e-12)
    assert pb.account("gaussian(s) * 100", s=Fraction(found.value)).epsilon(delta="1e-6").lower <= 1
    curve = pb.account("gaussian(2)").curve(points=7)
    assert len(curve) == 7 and all(low <= high for _, low, high in curve)
    for epsilon, low, high in curve[1:]:
        truth = gaussian_delta(0.5, epsilon)
        assert low <= truth * (1 + 1e-6) + 1e-15 and high >= truth * (1 - 1e-6) - 1e-15


def test_theorems_of_texts():
    bracket = pb.account('text("mechanisms/count.dp", eps=1/2) * 3').epsilon(delta=0)
    assert bracket.lower <= 1.5 <= bracket.upper


def test_what_is_wrong_is_pointed_at():
    with pytest.raises(pb.InvalidInput) as error:
        pb.account("gausian(1)")
    assert "^" in str(error.value) and "gaussian" in str(error.value)
    with pytest.raises(pb.InvalidInput, match="adjacency"):
        pb.account("gaussian(1)", adjacency="swap")
    with pytest.raises(pb.InvalidInput, match="has no value"):
        pb.account("gaussian(s)").epsilon(delta=1e-5)
    with pytest.raises(pb.InvalidInput, match="delta"):
        pb.account("gaussian(1)").epsilon(delta=2)
    with pytest.raises(pb.InvalidInput, match="width"):
        pb.account("gaussian(1)").epsilon(delta=1e-5, width=0)
