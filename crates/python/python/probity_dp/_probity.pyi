"""The part of `probity_dp` that is written in Rust."""

from decimal import Decimal
from fractions import Fraction
from os import PathLike
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union, final, overload

import numpy
import numpy.typing

from ._values import (
    Answer,
    Audit,
    Bracket,
    Calibrated,
    Certification,
    Check,
    Explanation,
    Preview,
    Report,
    Run,
    Upper,
    Verdict,
)

Number = Union[int, Fraction, Decimal, str, float]
Path = Union[str, PathLike[str]]

@final
class Noise:
    def sample(self, size: Union[None, int, Tuple[int, ...]] = None) -> Any: ...
    def release(self, value: Any) -> Any: ...
    def choose(self, scores: Any) -> int: ...
    def epsilon(self, d_in: Optional[Number] = None, *, delta: Optional[Number] = None) -> Upper: ...
    def rho(self, d_in: Optional[Number] = None) -> Upper: ...
    def delta(self, epsilon: Number, d_in: Optional[Number] = None) -> Upper: ...
    def error(self, alpha: Optional[Number] = None, count: int = 1) -> int: ...
    def debias(self, counts: Any) -> List[Fraction]: ...
    @property
    def privacy_map(self) -> Optional[str]: ...
    @property
    def parameters(self) -> List[Tuple[str, str]]: ...

def discrete_laplace(scale: Number) -> Noise: ...
def discrete_gaussian(scale: Optional[Number] = None, *, squared_scale: Optional[Number] = None) -> Noise: ...
def gaussian(scale: Optional[Number] = None, *, squared_scale: Optional[Number] = None) -> Noise: ...
def randomized_response(categories: Any, prob: Number) -> Noise: ...
def truncated_geometric(scale: Number, lower: Number, upper: Number) -> Noise: ...
def renormalised_geometric(scale: Number, lower: Number, upper: Number) -> Noise: ...
def exponential(scale: Number, *, monotone: bool = False) -> Noise: ...
def noisy_max(scale: Number, *, monotone: bool = False) -> Noise: ...
def above_threshold(
    threshold_scale: Number, query_scale: Number, *, hits: int = 1, monotone: bool = False
) -> Noise: ...
def laplace_on_grid(
    scale: Number, grid: int, *, lower: Optional[Number] = None, upper: Optional[Number] = None
) -> Noise: ...
def gaussian_on_grid(
    scale: Optional[Number] = None,
    *,
    grid: int,
    squared_scale: Optional[Number] = None,
    lower: Optional[Number] = None,
    upper: Optional[Number] = None,
) -> Noise: ...
def snapping(epsilon: Number, bound: float, *, sensitivity: Optional[Number] = None) -> Noise: ...
def geometric(scale: Number) -> Noise: ...
def bernoulli(prob: Number) -> Noise: ...
def bernoulli_exp(exponent: Number) -> Noise: ...
def uniform_integer(below: Number) -> Noise: ...
def uniform_float() -> Noise: ...
def calibrate(
    mechanism: str,
    *,
    d_in: Optional[Number] = None,
    epsilon: Optional[Number] = None,
    delta: Optional[Number] = None,
    rho: Optional[Number] = None,
    **arguments: Any,
) -> Noise: ...
def count(data: Any, epsilon: Number) -> int: ...
def sum(
    data: Any,
    bounds: Tuple[Number, Number],
    epsilon: Number,
    *,
    step: Optional[Number] = None,
    neighbours: str = "add-remove",
) -> Union[int, Fraction]: ...
def mean(
    data: Any,
    bounds: Tuple[Number, Number],
    epsilon: Number,
    *,
    step: Optional[Number] = None,
    neighbours: str = "add-remove",
) -> float: ...
def variance(
    data: Any,
    bounds: Tuple[Number, Number],
    epsilon: Number,
    *,
    step: Optional[Number] = None,
    neighbours: str = "add-remove",
) -> float: ...
def quantile(
    data: Any, q: Number, candidates: Any, epsilon: Number, *, neighbours: str = "add-remove"
) -> Union[int, Fraction]: ...
def histogram(
    data: Any,
    *,
    epsilon: Number,
    categories: Optional[Any] = None,
    bins: Optional[Any] = None,
    neighbours: str = "add-remove",
) -> numpy.typing.NDArray[numpy.int64]: ...

@final
class Mechanism:
    def __new__(cls, text: str) -> Mechanism: ...
    @staticmethod
    def load(path: Path) -> Mechanism: ...
    def set(self, **values: Union[Number, Tuple[Number, Number]]) -> Mechanism: ...
    def verify(self, *, seconds: Optional[float] = None) -> Verdict: ...
    def certify(
        self, *, format: str = "binary64", uniform_bits: Optional[int] = None, ln_ulps: int = 0
    ) -> Certification: ...
    def audit(
        self, first: Any, second: Any, *, format: Optional[str] = None, seconds: Optional[float] = None
    ) -> Audit: ...
    def run(
        self,
        *,
        count: Optional[int] = None,
        grid: Optional[Number] = None,
        certificate: Optional[str] = None,
        unproved: bool = False,
        **inputs: Any,
    ) -> Run: ...
    def report(
        self,
        path: Optional[Path] = None,
        *,
        inputs: Optional[Tuple[Any, Any]] = None,
        format: Optional[str] = None,
        seconds: Optional[float] = None,
    ) -> Report: ...
    def check(self, certificate: str) -> Check: ...
    def _repr_html_(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def claim(self) -> str: ...
    @property
    def parameters(self) -> List[str]: ...
    @property
    def inputs(self) -> Dict[str, str]: ...
    @property
    def settings(self) -> Dict[str, Any]: ...

def check(certificate: str, *, policy: Optional[Path] = None) -> Check: ...

@final
class Account:
    def epsilon(
        self, delta: Number, *, width: Optional[float] = None, seconds: Optional[float] = None
    ) -> Bracket: ...
    def delta(
        self, epsilon: Number, *, width: Optional[float] = None, seconds: Optional[float] = None
    ) -> Bracket: ...
    def curve(self, *, points: int = 61, seconds: Optional[float] = None) -> List[Tuple[float, float, float]]: ...
    def calibrate(
        self, *, epsilon: Number, delta: Number, width: Optional[float] = None, seconds: Optional[float] = None
    ) -> Calibrated: ...
    @property
    def expression(self) -> str: ...

def account(expression: str, *, adjacency: str = "add-remove", **names: Number) -> Account: ...

@final
class Session:
    def __new__(
        cls,
        data: Optional[Mapping[str, Any]] = None,
        *,
        policy: Path,
        ledger: Optional[Path] = None,
        anchor: Optional[Path] = None,
        init: bool = False,
        data_version: str = "",
        alpha: Optional[Number] = None,
    ) -> Session: ...
    @overload
    def sql(
        self,
        query: str,
        /,
        *,
        split: Optional[Mapping[str, Number]] = None,
        again: bool = False,
        certificate: Optional[Path] = None,
    ) -> Answer: ...
    @overload
    def sql(
        self,
        *queries: str,
        split: Optional[Mapping[str, Number]] = None,
        again: bool = False,
        certificate: Optional[Path] = None,
    ) -> List[Answer]: ...
    @overload
    def preview(self, query: str, /, *, split: Optional[Mapping[str, Number]] = None) -> Preview: ...
    @overload
    def preview(self, *queries: str, split: Optional[Mapping[str, Number]] = None) -> List[Preview]: ...
    @overload
    def explain(self, query: str, /, *, split: Optional[Mapping[str, Number]] = None) -> Explanation: ...
    @overload
    def explain(self, *queries: str, split: Optional[Mapping[str, Number]] = None) -> List[Explanation]: ...
    def history(self, most: int = 100) -> List[Dict[str, Any]]: ...
    @property
    def remaining(self) -> Dict[str, Fraction]: ...
    @property
    def spent(self) -> Dict[str, Fraction]: ...
    @property
    def tables(self) -> List[str]: ...
