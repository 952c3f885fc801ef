"""Samplers and privacy maps: laws against scipy, maps against exact values."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import probity_dp as pb

# A true law fails a test at this level once in a billion runs: there is no seed, and the tests must not depend on luck.
LEVEL = 1e-9


def fits(samples, mass, low, high):
    """A chi-square test of integers against a mass function, with both tails as cells."""
    count = len(samples)
    cells = np.arange(low, high + 1)
    expected = np.array([mass(int(k)) for k in cells])
    observed = np.array([(samples == k).sum() for k in cells])
    left = 1 - expected.sum()
    expected = np.append(expected, left) * count
    observed = np.append(observed, count - observed.sum())
    return stats.chisquare(observed, expected).pvalue


def test_the_law_of_discrete_laplace():
    samples = pb.discrete_laplace(scale="7/3").sample(400_000)
    law = stats.dlaplace(3 / 7)
    assert samples.dtype == np.int64
    assert fits(samples, law.pmf, -12, 12) > LEVEL
    # The test can say no: a scale that is a little off is seen.
    assert fits(pb.discrete_laplace(scale="8/3").sample(400_000), law.pmf, -12, 12) < LEVEL


def test_the_law_of_discrete_gaussian():
    samples = pb.discrete_gaussian(scale=2).sample(400_000)
    weights = {k: math.exp(-k * k / 8) for k in range(-60, 61)}
    total = sum(weights.values())
    assert fits(samples, lambda k: weights[k] / total, -7, 7) > LEVEL


def test_the_laws_of_small_samplers():
    assert fits(pb.geometric(scale=3).sample(200_000), lambda k: stats.geom(1 - math.exp(-1 / 3)).pmf(k + 1), 0, 15) > LEVEL
    assert fits(pb.uniform_integer(below=6).sample(200_000), lambda k: 1 / 6, 0, 4) > LEVEL
    coins = pb.bernoulli(prob="1/3").sample(200_000)
    assert coins.dtype == bool and stats.binomtest(int(coins.sum()), 200_000, 1 / 3).pvalue > LEVEL
    coins = pb.bernoulli_exp(exponent=2).sample(200_000)
    assert stats.binomtest(int(coins.sum()), 200_000, math.exp(-2)).pvalue > LEVEL
    uniform = pb.uniform_float().sample(100_000)
    assert uniform.dtype == np.float64 and stats.kstest(uniform, "uniform").pvalue > LEVEL


def test_the_law_of_randomized_response():
    answers = pb.randomized_response(categories=4, prob="1/2").release(np.full(200_000, 2))
    assert fits(answers, lambda k: 0.5 if k == 2 else 1 / 6, 0, 2) > LEVEL


def test_noise_on_a_grid_and_snapping():
    noise = pb.laplace_on_grid(scale=4, grid=-3, lower=-100, upper=100)
    answers = noise.release(np.full(100_000, 12.5))
    assert np.all(answers * 8 == np.round(answers * 8))
    assert fits(((answers - 12.5) * 8).astype(int), stats.dlaplace(1 / 32).pmf, -150, 150) > LEVEL
    snapped = pb.snapping(epsilon=1, bound=50).release(np.array([1.0, 1e9, -1e9]))
    assert snapped.shape == (3,) and np.all(np.abs(snapped) <= 50)


def test_shapes_and_single_values():
    noise = pb.discrete_laplace(scale=1)
    assert isinstance(noise.sample(), int)
    assert noise.sample(0).shape == (0,)
    assert noise.sample((2, 3, 4)).shape == (2, 3, 4)
    assert isinstance(pb.uniform_float().sample(), float) and isinstance(pb.bernoulli(prob="1/2").sample(), bool)


def test_scales_beyond_64_bits():
    noise = pb.discrete_laplace(scale=2**80)
    assert isinstance(noise.sample(), int)
    samples = noise.sample(100)
    assert samples.dtype == object and max(abs(int(k)) for k in samples) > 2**64
    assert noise.release(10**30) != 10**30
    # Almost no noise: the input comes back, whatever its size.
    assert pb.discrete_laplace(scale="1/1000").release(10**30) == 10**30


def test_released_arrays_keep_their_shape():
    noise = pb.discrete_laplace(scale="1/1000")
    given = np.arange(6).reshape(2, 3)
    assert (noise.release(given) == given).all()
    assert (noise.release([5, 6]) == np.array([5, 6])).all()
    assert (noise.release(given[:, ::2]) == given[:, ::2]).all()
    assert noise.release(np.int32(7)) == 7


def test_maps_are_exact():
    assert pb.discrete_laplace(scale="7/3").epsilon(d_in=2) == Fraction(6, 7)
    assert pb.discrete_laplace(scale="7/3").epsilon(d_in=2).is_exact
    third = pb.discrete_laplace(scale=3).epsilon()
    assert third == Fraction(1, 3) and Fraction(float(third)) > Fraction(1, 3)
    assert pb.discrete_laplace(scale=0).epsilon() == math.inf
    assert pb.discrete_gaussian(scale=2).rho() == Fraction(1, 8)
    response = pb.randomized_response(categories=3, prob="1/2").epsilon()
    assert not response.is_exact and math.log(2) <= response <= math.log(2) * (1 + 1e-15)
    assert pb.randomized_response(categories=2, prob="1/2").epsilon() == 0
    # Rounding a third up to a double is refused as a probability of the truth below 1/3.
    with pytest.raises(pb.InvalidInput, match="at least 1 /"):
        with pytest.warns(pb.InexactFloat):
            pb.randomized_response(categories=3, prob=1 / 3)
    assert 0.126 < pb.gaussian(scale=1).delta(1) < 0.127
    assert 0.395 < pb.discrete_gaussian(scale=10).epsilon(delta="1e-6") < 0.397


def test_the_gaussian_profile_is_the_known_one():
    for sigma, epsilon in [(1, 1.0), (2, 0.25), (5, 0.5)]:
        mu = 1 / sigma
        truth = stats.norm.cdf(-epsilon / mu + mu / 2) - math.exp(epsilon) * stats.norm.cdf(-epsilon / mu - mu / 2)
        answer = float(pb.gaussian(scale=sigma).delta(epsilon))
        assert truth * (1 - 1e-9) <= answer <= truth * (1 + 1e-9)


def test_calibration_is_the_inverse():
    noise = pb.calibrate("discrete_laplace", d_in=3, epsilon="1/2")
    assert noise.epsilon(d_in=3) == Fraction(1, 2)
    noise = pb.calibrate("discrete_gaussian", epsilon=1, delta="1e-5")
    assert noise.epsilon(delta="1e-5") <= 1
    noise = pb.calibrate("exponential", epsilon="1/4", monotone=True)
    assert noise.parameters == [("monotone", "true"), ("scale", "4")]
    with pytest.raises(pb.InvalidInput, match="target"):
        pb.calibrate("discrete_laplace", rho=1)
    with pytest.raises(pb.InvalidInput, match="not known here"):
        pb.calibrate("laplace", epsilon=1)


def test_what_is_calibrated_cannot_be_given():
    """The noise would be drawn with the one, and promised for the other."""
    for name, given in [
        ("discrete_laplace", {"epsilon": 1, "scale": "1/10"}),
        ("discrete_gaussian", {"rho": 1, "scale": "1/10"}),
        ("discrete_gaussian", {"rho": 1, "squared_scale": "1/10"}),
        ("exponential", {"epsilon": 1, "scale": "1/10"}),
        ("randomized_response", {"epsilon": 1, "categories": 2, "prob": "999/1000"}),
        ("truncated_geometric", {"epsilon": 1, "lower": 0, "upper": 9, "scale": "1/10"}),
    ]:
        with pytest.raises(pb.InvalidInput, match="is what is looked for"):
            pb.calibrate(name, **given)


def test_choices_and_surveys():
    assert pb.noisy_max(scale="1/1000").choose([1, 5, 3]) == 1
    with pytest.raises(pb.InvalidInput, match="candidates"):
        pb.exponential(scale=1).choose([])
    survey = pb.randomized_response(categories=["yes", "no", "maybe"], prob="9/10")
    answers = survey.release(["yes"] * 1000)
    assert set(answers) <= {"yes", "no", "maybe"} and answers.count("yes") > 700
    estimates = survey.debias([answers.count(name) for name in ("yes", "no", "maybe")])
    assert sum(estimates) == 1000
    assert pb.randomized_response(categories=2, prob="3/4").release(True) in (True, False)


def test_several_answers_come_in_a_list_of_any_kind():
    sure = pb.randomized_response(categories=["yes", "no"], prob="999999999999/1000000000000")
    answers = ["yes", "no", "no"]
    lists = [answers, tuple(answers), np.array(answers)]
    for library, make in (("pandas", "Series"), ("polars", "Series"), ("pyarrow", "array")):
        try:
            lists.append(getattr(__import__(library), make)(answers))
        except ImportError:
            continue
    for given in lists:
        assert sure.release(given) == answers, type(given)
    assert sure.release("yes") == "yes" and sure.release(np.str_("no")) == "no"
    # A tuple is one answer where the categories are.
    pairs = pb.randomized_response(categories=[(0, 1), (1, 0)], prob="999999999999/1000000000000")
    assert pairs.release((1, 0)) == (1, 0) and pairs.release([(1, 0)]) == [(1, 0)]


def test_what_has_no_samples_or_no_map_says_so():
    with pytest.raises(pb.InvalidInput, match="draws no samples"):
        pb.gaussian(scale=1).sample()
    with pytest.raises(pb.InvalidInput, match="lower= and upper="):
        pb.laplace_on_grid(scale=1, grid=0).sample()
    with pytest.raises(pb.InvalidInput, match="no privacy map"):
        pb.bernoulli(prob="1/2").epsilon()
    with pytest.raises(pb.InvalidInput, match="no pure"):
        pb.discrete_gaussian(scale=1).epsilon()
    with pytest.raises(pb.InvalidInput, match="scale = -1"):
        pb.discrete_laplace(scale=-1)
    with pytest.raises(pb.InvalidInput, match="no array of int64"):
        pb.discrete_laplace(scale=1).release(np.array([1.5]))
