"""OpenDP's answers where both are right: its maps are never above ours by more than a rounding, nor below the truth where it is exact."""

import math
from fractions import Fraction

import pytest

import probity_dp as pb

try:
    import opendp.prelude as dp
except ImportError:
    pytest.skip("OpenDP is not installed", allow_module_level=True)

dp.enable_features("contrib")


def near(ours, theirs):
    return math.isclose(float(ours), theirs, rel_tol=1e-12)


@pytest.mark.parametrize("scale", [0.5, 1.0, 2.0, 10.0, 1024.0])
@pytest.mark.parametrize("d_in", [1, 2, 7])
def test_laplace(scale, d_in):
    theirs = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=scale).map(d_in)
    ours = pb.discrete_laplace(scale=scale).epsilon(d_in)
    assert near(ours, theirs)
    # These quotients are exact; both are upper bounds, and ours is the number itself.
    assert ours == Fraction(d_in) / Fraction(scale) <= Fraction(theirs)


@pytest.mark.parametrize("scale", [1.0, 4.0, 32.0])
def test_gaussian(scale):
    theirs = dp.m.make_gaussian(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=scale).map(1)
    assert near(pb.discrete_gaussian(scale=scale).rho(1), theirs)


@pytest.mark.parametrize("categories, prob", [(2, 0.75), (2, 0.625), (4, 0.5), (8, 0.25)])
def test_randomized_response(categories, prob):
    names = [str(i) for i in range(categories)]
    theirs = dp.m.make_randomized_response(categories=set(names), prob=prob).map(1)
    assert near(pb.randomized_response(categories=names, prob=prob).epsilon(), theirs)


def test_both_means_are_near():
    ages = [float(i % 100) for i in range(20_000)]
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    context = dp.Context.compositor(
        data=ages,
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=1.0),
        split_evenly_over=1,
        domain=space,
    )
    theirs = context.query().clamp((0.0, 100.0)).resize(len(ages), constant=50.0).mean().laplace().release()
    assert abs(pb.mean(ages, bounds=(0, 100), epsilon=1) - theirs) < 1
