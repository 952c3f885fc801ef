"""Counts, means and histograms of an array, each with its price."""

import numpy as np

import probity_dp as pb

ages = np.random.default_rng(7).integers(18, 90, 5_000)

people: int = pb.count(ages, epsilon="1/10")
mean: float = pb.mean(ages, bounds=(0, 120), epsilon="1/2")
counts = pb.histogram(ages, bins=[0, 30, 50, 70, 120], epsilon="1/2")
median = pb.quantile(ages, "1/2", candidates=range(0, 121), epsilon="1/2")
print(f"about {people} people, {mean:.1f} years old on average, half of them younger than {median}: {counts}")

noise = pb.calibrate("discrete_laplace", d_in=1, epsilon="1/2")
print(f"{noise} costs at most {float(noise.epsilon())}, and errs by at most {noise.error(alpha='0.05')} in 95 of 100 answers")

together = pb.account("pure(1/10) + pure(1/2) * 3").epsilon(delta=0)
print(f"all four answers together: epsilon from {together.lower} to {together.upper}")
