"""What is answered, as objects that show themselves; and the exceptions. Nothing is computed here."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple

if TYPE_CHECKING:
    import pandas
    import polars


class ProbityError(Exception):
    """Why there is no answer. `message` says what happened and where, `hint` what to do."""

    def __init__(self, message: str, hint: Optional[str] = None) -> None:
        super().__init__(message if hint is None else f"{message}\n  hint: {hint}")
        self.message = message
        self.hint = hint

    def __reduce__(self) -> Tuple[Any, ...]:
        return (type(self), (self.message, self.hint))


class InvalidInput(ProbityError, ValueError):
    """The request makes no sense: a bad file, number, name or query."""


class InvalidType(InvalidInput, TypeError):
    """An argument is of a type that the call does not take: also a TypeError."""


class Unproved(ProbityError):
    """No proof was found, so nothing is released or run."""


class BudgetExceeded(ProbityError):
    """The budget does not allow it. Nothing was released."""


class InternalError(ProbityError):
    """A bug of probity: please report it."""


class InexactFloat(UserWarning):
    """A float was taken as the exact double, which is not the number that it prints as."""


class Upper(Fraction):
    """An upper bound of a privacy loss: a Fraction, whose float is rounded up.

    `is_exact` says whether it is the loss itself; otherwise the loss is irrational, and this is the next double above it.
    """

    is_exact: bool
    _double: Optional[float]

    # The signature is that of Fraction, whose own methods make numbers of this class.
    def __new__(cls, numerator: Any = 0, denominator: Any = None) -> Upper:
        self = super().__new__(cls, numerator, denominator)
        self.is_exact = True
        self._double = None
        return self

    def __float__(self) -> float:
        return super().__float__() if self._double is None else self._double

    # A Fraction copies by its numerator and denominator, which would lose the double. Nothing here changes, so a copy is the bound itself.
    def __copy__(self) -> Upper:
        return self

    def __deepcopy__(self, memo: Any) -> Upper:
        return self

    def __reduce__(self) -> Any:
        return (upper, (Fraction(self.numerator, self.denominator), self.is_exact, self._double))

    def __repr__(self) -> str:
        if self.is_exact:
            # Python writes no integers of thousands of digits, and nobody reads them.
            shown = str(self) if max(abs(self.numerator), self.denominator).bit_length() <= 1000 else "…"
            return f"Upper({shown}, at most {float(self)!r})"
        return f"Upper(at most {float(self)!r})"


def upper(value: Fraction, is_exact: bool, double: Optional[float]) -> Upper:
    """An upper bound, with its double."""
    bound = Upper(value)
    bound.is_exact = is_exact
    bound._double = double
    return bound


def _escaped(text: object) -> str:
    import html

    return html.escape(str(text))


def code(text: str) -> str:
    """A text as it is, for a notebook."""
    return f"<pre>{_escaped(text)}</pre>"


def _table(rows: List[Tuple[str, str]]) -> str:
    lines = "".join(
        f"<tr><th style='text-align:left;vertical-align:top'>{_escaped(name)}</th>"
        f"<td style='text-align:left;white-space:pre-wrap'>{_escaped(value)}</td></tr>"
        for name, value in rows
    )
    return f"<table>{lines}</table>"


_TONES = {"proved": "#1a7f37", "certified": "#1a7f37", "refuted": "#cf222e", "bounds cross": "#cf222e"}


class _Result:
    """Named fields, a line for the terminal and a table for the notebook."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def _headline(self) -> Tuple[str, str]:
        """A word, and what it is about."""
        return ("", "")

    def _facts(self) -> List[Tuple[str, str]]:
        return []

    def __str__(self) -> str:
        word, about = self._headline()
        lines = [f"{word}: {about}" if word else about]
        width = max((len(name) for name, _ in self._facts()), default=0)
        for name, value in self._facts():
            text = str(value).rstrip().replace("\n", "\n" + " " * (width + 2))
            lines.append(f"{name:<{width}}  {text}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        word, about = self._headline()
        return f"<{type(self).__name__} {word}: {about}>"

    def _repr_html_(self) -> str:
        word, about = self._headline()
        tone = _TONES.get(word, "#9a6700")
        return f"<p><b style='color:{tone}'>{_escaped(word)}</b> {_escaped(about)}</p>{_table(self._facts())}"


class Verdict(_Result):
    """What is known of a claim: `status` is proved, refuted, open, vacuous or bounds cross."""

    status: str
    mechanism: str
    claim: str
    epsilon: Optional[str]
    delta: Optional[str]
    rho: Optional[str]
    mu: Optional[str]
    theorem: Optional[str]
    axioms: List[str]
    couplings: List[Tuple[str, str]]
    reason: Optional[str]
    counterexample: Optional[Dict[str, str]]
    loss: Optional[float]
    out_of_range: Optional[str]
    audited_share: Optional[float]
    certified_epsilon: Optional[float]
    certified_delta: Optional[float]
    certificate: Optional[str]
    as_expected: bool
    seconds: float

    @property
    def is_proved(self) -> bool:
        """Whether the claim is proved."""
        return self.status == "proved"

    def _headline(self) -> Tuple[str, str]:
        return (self.status, f"{self.mechanism} with {self.claim}")

    def _facts(self) -> List[Tuple[str, str]]:
        facts: List[Tuple[str, str]] = []
        if self.theorem is not None:
            facts.append(("theorem", self.theorem.strip()))
        if self.couplings:
            facts.append(("couplings", "\n".join(f"{draw}: {rule}" for draw, rule in self.couplings)))
        if self.axioms:
            facts.append(("axioms", ", ".join(self.axioms)))
        if self.reason is not None:
            facts.append(("not proved", self.reason))
        facts.extend((self.counterexample or {}).items())
        if self.out_of_range is not None:
            facts.append(("out of range", self.out_of_range))
        if self.certified_epsilon is not None:
            facts.append(("in floats", f"epsilon {self.certified_epsilon}, delta {self.certified_delta}"))
        if self.audited_share is not None and self.counterexample is None:
            facts.append(("audited", f"{self.audited_share:.3f} of the claimed epsilon was seen (a lower bound)"))
        facts.append(("seconds", f"{self.seconds:.3f}"))
        return facts


class Certification(_Result):
    """The privacy of an implementation in floating point: `status` is certified or refused."""

    status: str
    reason: Optional[str]
    claim: Optional[str]
    statement: Optional[str]
    epsilon: Optional[Upper]
    delta: Optional[Upper]
    excess: Optional[float]
    method: Optional[str]
    certificate: Optional[str]
    seconds: float

    @property
    def is_certified(self) -> bool:
        """Whether there is a certificate."""
        return self.status == "certified"

    def _headline(self) -> Tuple[str, str]:
        return (self.status, self.claim or self.reason or "")

    def _facts(self) -> List[Tuple[str, str]]:
        facts = [
            ("theorem", self.statement),
            ("epsilon", None if self.epsilon is None else repr(float(self.epsilon))),
            ("delta", None if self.delta is None else repr(float(self.delta))),
            ("excess", None if self.excess is None else repr(self.excess)),
            ("method", self.method),
        ]
        return [(name, value.strip()) for name, value in facts if value is not None]


class Audit(_Result):
    """What two inputs show: a lower bound of the loss. `law` lists (outcome, first, second) with bounds of both probabilities."""

    reading: str
    outcomes: Optional[int]
    outcomes_of_neighbour: Optional[int]
    neighbours: bool
    epsilon: float
    loss: Optional[float]
    excess: Optional[float]
    worst_outcome: Optional[str]
    impossible: Optional[int]
    impossible_outcomes: List[str]
    impossible_mass: Optional[float]
    escaped_mass: Optional[float]
    delta_at_epsilon: Optional[float]
    event: Optional[str]
    probabilities: Optional[Tuple[Tuple[Fraction, Fraction], Tuple[Fraction, Fraction]]]
    law: List[Tuple[str, Tuple[Fraction, Fraction], Tuple[Fraction, Fraction]]]
    seconds: float

    def _headline(self) -> Tuple[str, str]:
        return ("audit", f"{self.reading}: loss {self.loss} against the claimed {self.epsilon}")

    def _facts(self) -> List[Tuple[str, str]]:
        facts: List[Tuple[str, Any]] = [
            ("outcomes", self.outcomes and f"{self.outcomes}, {self.outcomes_of_neighbour} under the neighbour"),
            ("worst outcome", self.worst_outcome),
            ("excess", self.excess),
            ("event", self.event),
            ("impossible outcomes", self.impossible),
            ("impossible mass", self.impossible_mass),
            ("escaped mass", self.escaped_mass),
            ("delta at the claimed epsilon", self.delta_at_epsilon),
            ("neighbours", "yes" if self.neighbours else "no: the claim says nothing about these inputs"),
            ("is", "a lower bound: other inputs may lose more"),
        ]
        return [(name, str(value)) for name, value in facts if value is not None]


class Check(_Result):
    """What the replay of a certificate ended with."""

    accepted: bool
    theorem: Optional[str]
    axioms: List[str]
    reason: Optional[str]

    def _headline(self) -> Tuple[str, str]:
        return ("accepted" if self.accepted else "rejected", (self.theorem or self.reason or "").strip())

    def _facts(self) -> List[Tuple[str, str]]:
        return [("axioms", ", ".join(self.axioms))] if self.axioms else []


class Run(_Result):
    """Answers of a mechanism, with what they cost together. `value` is the only one, `values` are all."""

    status: str
    mechanism: str
    single: bool
    values: List[Any]
    epsilon: Optional[Upper]
    delta: Optional[Upper]
    rho: Optional[Upper]
    mu: Optional[Upper]
    theorem: Optional[str]
    certificate_hash: Optional[str]

    @property
    def value(self) -> Any:
        """The answer: an int, a Fraction, a bool, or a list of these."""
        if len(self.values) != 1:
            raise InvalidInput(f"there are {len(self.values)} answers", "use .values")
        return self.values[0]

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def _headline(self) -> Tuple[str, str]:
        shown = self.values[0] if len(self.values) == 1 else self.values[:10]
        return (self.status, f"{self.mechanism} answers {shown}")

    def _facts(self) -> List[Tuple[str, str]]:
        parts = [("epsilon", self.epsilon), ("delta", self.delta), ("rho", self.rho), ("mu", self.mu)]
        facts = [(name, str(value)) for name, value in parts if value is not None]
        if self.theorem is None:
            return [("UNPROVED", "nothing is known about the privacy of this answer")]
        return facts + [("theorem", self.theorem.strip())]


class Report(_Result):
    """A page of HTML: `html` is its text, `path` where it was written."""

    html: str
    path: Optional[str]
    verdict: Verdict
    bounds_cross: bool

    def _headline(self) -> Tuple[str, str]:
        return ("report", f"{self.verdict.status}: {self.verdict.mechanism}, {len(self.html)} bytes of HTML")

    def _repr_html_(self) -> str:
        return f"<iframe srcdoc='{_escaped(self.html)}' style='width:100%;height:600px;border:0'></iframe>"


class Bracket(_Result):
    """A number between two bounds, which are rounded outward: `lower, upper = bracket`."""

    lower: float
    upper: float
    lower_exact: Fraction
    upper_exact: Optional[Fraction]
    method: str
    seconds: float
    reached: bool
    note: Optional[str]
    directions: List[Tuple[str, Tuple[float, float]]]

    def __iter__(self) -> Iterator[float]:
        return iter((self.lower, self.upper))

    def __len__(self) -> int:
        return 2

    def __getitem__(self, place: int) -> float:
        return (self.lower, self.upper)[place]

    def __repr__(self) -> str:
        return f"Bracket(lower={self.lower!r}, upper={self.upper!r})"

    def _headline(self) -> Tuple[str, str]:
        return ("between", f"{self.lower!r} and {self.upper!r}")

    def _facts(self) -> List[Tuple[str, str]]:
        facts = [(name, f"{low!r} to {high!r}") for name, (low, high) in self.directions if len(self.directions) > 1]
        facts.append(("method", self.method))
        if self.note is not None:
            facts.append(("note", self.note))
        if not self.reached and self.note is None:
            facts.append(("width", "the width that was asked for was not reached in the time; seconds= gives more"))
        return facts


class Calibrated(_Result):
    """The value of a parameter that keeps a target: `value` does; the critical one lies from `lower` to `upper`."""

    parameter: str
    value: float
    lower: float
    upper: float
    epsilon: Tuple[float, float]
    method: str
    seconds: float

    def _headline(self) -> Tuple[str, str]:
        return (self.parameter, repr(self.value))

    def _facts(self) -> List[Tuple[str, str]]:
        return [
            ("critical value", f"{self.lower!r} to {self.upper!r}"),
            ("epsilon there", f"{self.epsilon[0]!r} to {self.epsilon[1]!r}"),
            ("method", self.method),
        ]


Cost = Dict[str, Fraction]


def _amount(cost: Cost) -> str:
    return ", ".join(f"{name} {value}" for name, value in cost.items())


class Answer(_Result):
    """A table of private answers with error bars, what it cost, and its theorem.

    `columns` are the names, `rows` tuples of keys and of numbers rounded to the digits that are worth showing. Each x_low and x_high hold the
    value before noise with probability 1 − alpha.
    """

    columns: List[str]
    rows: List[Tuple[Any, ...]]
    text: str
    csv: str
    chosen: bool
    alpha: Fraction
    cost: Cost
    remaining: Cost
    stored: bool
    entry: int
    theorem: str
    certificate: str
    assumptions: List[str]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Tuple[Any, ...]]:
        return iter(self.rows)

    def to_dict(self) -> Dict[str, List[Any]]:
        """The columns as lists, by name."""
        return {name: [row[place] for row in self.rows] for place, name in enumerate(self.columns)}

    def to_dicts(self) -> List[Dict[str, Any]]:
        """The rows as dicts."""
        return [dict(zip(self.columns, row)) for row in self.rows]

    def to_csv(self) -> str:
        """The rows as CSV, as the command prints them."""
        return self.csv

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a pandas frame."""
        import pandas

        return pandas.DataFrame(self.to_dict(), columns=self.columns)

    def to_polars(self) -> polars.DataFrame:
        """The rows as a Polars frame."""
        import polars

        return polars.DataFrame(self.to_dict())

    def to_arrow(self) -> Any:
        """The rows as a PyArrow table."""
        import pyarrow  # type: ignore[import-untyped, unused-ignore]

        return pyarrow.table(self.to_dict())

    def _level(self) -> str:
        if self.chosen:
            return "Rows were chosen by their noisy values: no level is stated for the error bars."
        percent = float((1 - self.alpha) * 100)
        return f"Each low and high hold the value before noise with probability {percent:g} %."

    def _paid(self) -> str:
        paid = "nothing; answered before" if self.stored else _amount(self.cost)
        return f"cost: {paid}; left: {_amount(self.remaining)}"

    def __str__(self) -> str:
        return f"{self.text}\n{self._level()}\n{self._paid()}"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        heading = "".join(f"<th>{_escaped(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{_escaped('' if cell is None else cell)}</td>" for cell in row) + "</tr>"
            for row in self.rows
        )
        theorem = f"<details><summary>theorem</summary><pre>{_escaped(self.theorem.strip())}</pre></details>"
        return (
            f"<table><thead><tr>{heading}</tr></thead><tbody>{body}</tbody></table>"
            f"<p>{_escaped(self._level())}<br>{_escaped(self._paid())}</p>{theorem}"
        )


class Preview(_Result):
    """What a query would cost, and the error of each column: (name, rows in the group or None, error or None)."""

    groups: Optional[int]
    cost: Cost
    alpha: Fraction
    errors: List[Tuple[str, Optional[int], Optional[float]]]

    def _headline(self) -> Tuple[str, str]:
        groups = "keys that are discovered" if self.groups is None else f"{self.groups} groups"
        return ("preview", f"{groups}, {_amount(self.cost)}; nothing was read or spent")

    def _facts(self) -> List[Tuple[str, str]]:
        def of(rows: Optional[int]) -> str:
            return "" if rows is None else f" in a group of {rows} rows"

        return [
            (name + of(rows), "unbounded" if error is None else f"± {error:g}") for name, rows, error in self.errors
        ]


class Explanation(_Result):
    """The mechanism of a query: its text, its theorem, and what the theorem takes for granted."""

    text: str
    theorem: str
    axioms: List[str]
    cost: Cost
    assumptions: List[str]
    certificate: str

    def _headline(self) -> Tuple[str, str]:
        return ("proved", self.theorem.strip())

    def _facts(self) -> List[Tuple[str, str]]:
        return [
            ("mechanism", self.text),
            ("axioms", ", ".join(self.axioms)),
            ("cost", _amount(self.cost)),
            *(("assumed", assumption) for assumption in self.assumptions),
        ]

