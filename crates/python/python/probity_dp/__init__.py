"""Differential privacy that proves what it releases, down to the last bit.

Noise whose law is exact, with its price:

    >>> import probity_dp as pb
    >>> pb.discrete_laplace(scale="7/3").epsilon(d_in=2)
    Upper(6/7, at most 0.8571428571428572)

Mechanisms as texts, which are proved, certified, audited and run: `Mechanism`. Compositions with two-sided bounds: `account`.
Private answers to SQL from files, frames and databases, from a budget that cannot be overspent: `Session`. Counts, sums, means,
variances, histograms and quantiles of arrays: `count`, `sum`, `mean`, `variance`, `histogram`, `quantile`.

Numbers are exact: an int, a Fraction, a Decimal, or a str such as "7/3" or "1e-5". A float is the exact double, and a warning
(`InexactFloat`) says so where that is not the number it prints as. All errors are `ProbityError`.
"""

from ._probity import (
    Account,
    Mechanism,
    Noise,
    Session,
    above_threshold,
    account,
    bernoulli,
    bernoulli_exp,
    calibrate,
    check,
    count,
    discrete_gaussian,
    discrete_laplace,
    exponential,
    gaussian,
    gaussian_on_grid,
    geometric,
    histogram,
    laplace_on_grid,
    mean,
    noisy_max,
    quantile,
    randomized_response,
    renormalised_geometric,
    snapping,
    sum,
    truncated_geometric,
    uniform_float,
    uniform_integer,
    variance,
)
from ._values import (
    Answer,
    Audit,
    Bracket,
    BudgetExceeded,
    Calibrated,
    Certification,
    Check,
    Explanation,
    InexactFloat,
    InternalError,
    InvalidInput,
    InvalidType,
    Preview,
    ProbityError,
    Report,
    Run,
    Unproved,
    Upper,
    Verdict,
)

__version__ = "0.1.0"

__all__ = [
    "Account",
    "Answer",
    "Audit",
    "Bracket",
    "BudgetExceeded",
    "Calibrated",
    "Certification",
    "Check",
    "Explanation",
    "InexactFloat",
    "InternalError",
    "InvalidInput",
    "InvalidType",
    "Mechanism",
    "Noise",
    "Preview",
    "ProbityError",
    "Report",
    "Run",
    "Session",
    "Unproved",
    "Upper",
    "Verdict",
    "above_threshold",
    "account",
    "bernoulli",
    "bernoulli_exp",
    "calibrate",
    "check",
    "count",
    "discrete_gaussian",
    "discrete_laplace",
    "exponential",
    "gaussian",
    "gaussian_on_grid",
    "geometric",
    "histogram",
    "laplace_on_grid",
    "mean",
    "noisy_max",
    "quantile",
    "randomized_response",
    "renormalised_geometric",
    "snapping",
    "sum",
    "truncated_geometric",
    "uniform_float",
    "uniform_integer",
    "variance",
]
