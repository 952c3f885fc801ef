#!/usr/bin/env python3
"""Probabilities of the audit's test cases, worked out independently: discrete laws by brute force with exact
fractions or 60 digits, continuous ones by numeric integration with mpmath, the normal law to 60 digits.

    python3 scripts/audit_oracle.py

writes crates/audit/tests/data/events.txt and crates/audit/tests/data/normal.txt. The Rust tests read these files;
nothing else runs this script.

A line of events.txt is `mechanism | inputs | event | probability | digits`: the mechanism in one line (`;` for a line
break), the inputs as name=value, and to how many significant digits the audit must agree.
"""

from fractions import Fraction as F
from itertools import product
from pathlib import Path

from mpmath import mp, mpf, quad, exp, log, ncdf, npdf, sqrt, inf

mp.dps = 60
DATA = Path(__file__).resolve().parent.parent / "crates/audit/tests/data"
LINES = []


def case(mechanism, inputs, event, probability, digits):
    if isinstance(probability, F):
        probability = mpf(probability.numerator) / probability.denominator
    text = mp.nstr(probability, 40)
    LINES.append(f"{mechanism} | {inputs} | {event} | {text} | {digits}")


# Laws.
def laplace_pdf(t, scale=1):
    return exp(-abs(t) / mpf(scale)) / (2 * mpf(scale))


def laplace_cdf(t, scale=1):
    return exp(t / mpf(scale)) / 2 if t < 0 else 1 - exp(-t / mpf(scale)) / 2


def two_sided(scale, reach=400):
    """Discrete Laplace masses, far into the tails."""
    q = exp(-1 / mpf(scale))
    return {k: (1 - q) / (1 + q) * q ** abs(k) for k in range(-reach, reach + 1)}


def one_sided(scale, reach=600):
    q = exp(-1 / mpf(scale))
    return {k: (1 - q) * q**k for k in range(reach + 1)}


def discrete_gaussian(deviation, reach=200):
    weights = {k: exp(-mpf(k) ** 2 / (2 * mpf(deviation) ** 2)) for k in range(-reach, reach + 1)}
    total = sum(weights.values())
    return {k: w / total for k, w in weights.items()}


def over(points, f):
    """The integral of f over the line, cut at the points where it has kinks."""
    cuts = [-inf, -60, -30] + sorted(points) + [30, 60, inf]
    return quad(f, cuts)


# ---------------------------------------------------------------------------------------------- discrete mechanisms
def discrete():
    # Warner: the truth with 1/2, else a coin.
    case("mechanism m(b: bool); truth ~ bernoulli(1/2); coin ~ bernoulli(1/3); return if truth then b else coin;"
         " neighbours any; claim 1", "b=true", "is true", F(1, 2) + F(1, 2) * F(1, 3), 36)
    # Two responses of four categories that agree.
    p, rest = F(2, 5), F(1, 5)
    case("mechanism m(c: category(4)); a ~ response(c, 2/5, 4); b ~ response(c, 2/5, 4); return a == b;"
         " neighbours any; claim 1", "c=2", "is true", p * p + 3 * rest * rest, 36)
    # The sum of two dice and a sign.
    hits = sum(F(1, 72) for a, b, s in product(range(1, 7), range(1, 7), (-1, 1)) if (a + b) * s + 1 <= 3)
    case("mechanism m(x: int); a ~ uniform_int(1, 6); b ~ uniform_int(1, 6); s ~ sign(); return (a + b) * s + x;"
         " neighbours abs(x' - x) <= 1; claim 1", "x=1", "at most 3", hits, 36)
    # Another category than the true one, twice.
    tally = F(0)
    for a in range(3):
        for b in range(3):
            if a != 1 and b != a and b == 1:
                tally += F(1, 2) * F(1, 2)
    case("mechanism m(c: category(3)); a ~ uniform_other(c, 3); b ~ uniform_other(a, 3); return b;"
         " neighbours any; claim 1", "c=1", "is 1", tally, 36)
    # The difference of two geometric draws.
    g = one_sided(2)
    mass = sum(g[a] * g[b] for a in g for b in g if 3 + a - b <= 1)
    case("mechanism m(x: int); a ~ geometric(2); b ~ geometric(2); return x + a - b; neighbours abs(x' - x) <= 1;"
         " claim 1", "x=3", "at most 1", mass, 17)
    # The larger of two discrete Laplace draws.
    law = two_sided(mpf(3) / 2)
    mass = sum(law[a] * law[b] for a in law for b in law if max(a, b - 1) >= 2)
    case("mechanism m(x: int); a ~ discrete_laplace(x, 3/2); b ~ discrete_laplace(x - 1, 3/2); return max(a, b);"
         " neighbours abs(x' - x) <= 1; claim 1", "x=0", "at least 2", mass, 17)
    # Rounding and clamping of integers.
    law = two_sided(4)
    mass = sum(p for k, p in law.items() if min(max(5 + k, 0), 8) in (0, 8))
    case("mechanism m(x: int); y ~ discrete_laplace(x, 4); z = clamp(y, 0, 8); return z == 0 or z == 8;"
         " neighbours abs(x' - x) <= 1; claim 1", "x=5", "is true", mass, 17)
    # The argmax of three with two-sided geometric noise; ties to the first.
    law = two_sided(mpf(1) / 2, 120)
    tail = {k: sum(p for j, p in law.items() if j <= k) for k in law}
    mass = mpf(0)
    for k in law:
        below = lambda t: tail.get(t, mpf(0) if t < 0 else mpf(1))
        mass += law[k] * below(1 + k - 0 - 1) * below(1 + k + 1)
    case("mechanism m(q: int[3]); a ~ discrete_laplace(q[0], 1/2); b ~ discrete_laplace(q[1], 1/2);"
         " c ~ discrete_laplace(q[2], 1/2); return b > a and b >= c; neighbours every entry of q differs by at most 1;"
         " claim 1", "q=0,1,-1", "is true", mass, 16)
    # Discrete Gaussian noise.
    law = discrete_gaussian(3)
    mass = sum(p for k, p in law.items() if 2 + k <= -3)
    case("mechanism m(x: int); y ~ discrete_gaussian(x, 3); return y; neighbours abs(x' - x) <= 1; claim 1",
         "x=2", "at most -3", mass, 17)
    # A loop over a list with a biased coin each.
    p = F(1, 4)
    mass = F(0)
    for coins in product((0, 1), repeat=4):
        if sum(c * v for c, v in zip(coins, (1, 2, 3, 4))) in (3, 4, 5):
            mass += p ** sum(coins) * (1 - p) ** (4 - sum(coins))
    case("mechanism m(q: int[]); n = 0; for v in q {; c ~ bernoulli(1/4); if c {; n = n + v; }; }; return n;"
         " neighbours one entry of q differs by at most 1; claim 1", "q=1,2,3,4", "between 3 and 5", mass, 36)


# -------------------------------------------------------------------------------------------- continuous mechanisms
def continuous():
    head = "neighbours abs(x' - x) <= 1; claim 1"
    # Sums of two, three and four Laplace draws.
    f = lambda t: laplace_pdf(t) * laplace_cdf(mpf(1) - t)
    case(f"mechanism m(x: real); a ~ laplace(x, 1); b ~ laplace(1); return a + b; {head}", "x=0", "at most 1",
         over([0, 1], f), 30)
    two = lambda t: (1 + abs(t)) * exp(-abs(t)) / 4  # The density of a sum of two.
    case(f"mechanism m(x: real); a ~ laplace(1); b ~ laplace(1); c ~ laplace(1); return x + a + b + c; {head}", "x=0",
         "at most -2", over([0, -2], lambda t: two(t) * laplace_cdf(-2 - t)), 30)
    pair_cdf = lambda t: exp(t) * (2 - t) / 4 if t < 0 else 1 - exp(-t) * (2 + t) / 4
    case(f"mechanism m(x: real); a ~ laplace(1); b ~ laplace(1); c ~ laplace(1); d ~ laplace(1);"
         f" return x + a + b + c + d; {head}", "x=1", "at most 2", over([0, 1], lambda t: two(t) * pair_cdf(1 - t)), 30)
    # Laplace draws of different scales in a condition of three.
    def mixed(t):
        inner = lambda s: laplace_pdf(s, 3) * laplace_cdf(2 * t + s - 1)
        return laplace_pdf(t, mpf(1) / 2) * quad(inner, [-inf, -40] + sorted({mpf(0), 1 - 2 * t}) + [40, inf])
    mp.dps = 30
    case(f"mechanism m(x: real); a ~ laplace(1/2); b ~ laplace(3); c ~ laplace(1); return x + c <= 2 * a + b - 1; {head}",
         "x=0", "is true", over([0], mixed), 12)
    mp.dps = 60
    # The median of three draws: F²(3 − 2F).
    F0 = laplace_cdf(mpf(1) / 2)
    case(f"mechanism m(x: real); a ~ laplace(x, 1); b ~ laplace(x, 1); c ~ laplace(x, 1);"
         f" return max(min(a, b), min(max(a, b), c)); {head}", "x=0", "at most 1/2", F0**2 * (3 - 2 * F0), 36)
    # The range of three draws: 3·∫ f(t)·(F(t + r) − F(t))² dt.
    r = mpf(3) / 2
    value = 3 * over([0, -r], lambda t: laplace_pdf(t) * (laplace_cdf(t + r) - laplace_cdf(t)) ** 2)
    case(f"mechanism m(x: real); a ~ laplace(x, 1); b ~ laplace(x, 1); c ~ laplace(x, 1);"
         f" return max(a, max(b, c)) - min(a, min(b, c)); {head}", "x=7", "at most 3/2", value, 30)
    # Sparse vector with three queries: below, above, below.
    q = (mpf(0), mpf(1), mpf(-1))
    g = lambda t: laplace_pdf(t, 2) * laplace_cdf(t - q[0], 4) * (1 - laplace_cdf(t - q[1], 4)) * laplace_cdf(t - q[2], 4)
    case("mechanism m(q: real[]); t ~ laplace(2); out = []; for v in q {; w ~ laplace(v, 4); append(out, w > t); };"
         " return out; neighbours every entry of q differs by at most 1; claim 1", "q=0,1,-1", "is false,true,false",
         over([-1, 0, 1], g), 30)
    # Noisy max with exponential noise: the second of two wins.
    h = lambda t: exp(-t / 2) / 2 * (1 - exp(-(t + 1) / 2))
    case("mechanism m(q: real[2]); a ~ exponential(2); b ~ exponential(2); return q[1] + b > q[0] + a;"
         " neighbours every entry of q differs by at most 1; claim 1", "q=0,1", "is true", quad(h, [0, 20, 60, inf]), 30)
    # Uniform noise: the sum of three (Irwin–Hall) at 5/4.
    t = F(5, 4)
    case(f"mechanism m(x: real); a ~ uniform(0, 1); b ~ uniform(0, 1); c ~ uniform(0, 1); return x + a + b + c; {head}",
         "x=0", "at most 5/4", (t**3 - 3 * (t - 1) ** 3) / 6, 36)
    # Rounded and floored Laplace noise.
    case(f"mechanism m(x: real); y ~ laplace(x, 2); return floor(y); {head}", "x=1/2", "is 1",
         laplace_cdf(mpf(3) / 2, 2) - laplace_cdf(mpf(1) / 2, 2), 36)
    # A branch on one noisy value, the release of another.
    case(f"mechanism m(x: real); a ~ laplace(x, 1); if a > 0 {{; b ~ laplace(x, 3); r = b; }} else {{; r = 0; }}; return r;"
         f" {head}", "x=1", "at least 2", (1 - laplace_cdf(-1)) * (1 - laplace_cdf(mpf(1), 3)), 36)
    # Normal noise: alone, summed, against Laplace noise, the largest of four.
    case(f"mechanism m(x: real); y ~ gaussian(x, 3/2); return y; {head}", "x=1", "between 2 and 5",
         ncdf(mpf(8) / 3) - ncdf(mpf(2) / 3), 28)
    case(f"mechanism m(x: real); a ~ gaussian(x, 3); b ~ gaussian(4); c ~ gaussian(12); return a + b + c; {head}", "x=0",
         "at least 26", ncdf(mpf(-2)), 28)
    case(f"mechanism m(x: real); y ~ gaussian(x, 1); return y; {head}", "x=0", "at least 30", ncdf(mpf(-30)), 28)
    case(f"mechanism m(x: real); a ~ laplace(x, 1); b ~ gaussian(2); return a + b; {head}", "x=0", "at most -1",
         over([0, -1], lambda t: laplace_pdf(t) * ncdf((-1 - t) / 2)), 11)
    w = lambda t: npdf(t) * ncdf(t + mpf(1) / 2) * ncdf(t - 1) * ncdf(t / 2)
    case("mechanism m(q: real[4]); a ~ gaussian(q[0], 1); b ~ gaussian(q[1], 1); c ~ gaussian(q[2], 1); d ~ gaussian(q[3], 2);"
         " return a > b and a > c and a > d; neighbours every entry of q differs by at most 1; claim 1",
         "q=0,-1/2,1,0", "is true", over([0], w), 11)


# ----------------------------------------------------------------------------------- what only boxes of draws cover
def nonlinear():
    head = "neighbours abs(x' - x) <= 1; claim 1"
    # A product and a quotient of two uniform numbers.
    t = mpf(1) / 3
    case(f"mechanism m(x: real); u ~ uniform(0, 1); v ~ uniform(0, 1); return u * v; {head}", "x=0", "at most 1/3",
         t * (1 - log(t)), 2)
    case(f"mechanism m(x: real); u ~ uniform(0, 1); v ~ uniform(0, 1); return u / v; {head}", "x=0", "at most 2",
         1 - mpf(1) / 4, 2)
    # e to a Laplace draw; a scale that is irrational.
    case(f"mechanism m(x: real); a ~ laplace(x, 1); return exp(a); {head}", "x=1", "at most 2", laplace_cdf(log(2) - 1), 9)
    case(f"mechanism m(x: real); a ~ laplace(x, 1 / ln(3)); return a; {head}", "x=0", "at most -1",
         exp(-log(mpf(3))) / 2, 9)
    # A coin whose bias is random; a normal draw squared.
    coin = lambda s: laplace_pdf(s - 1) / (1 + exp(-2 * s))
    case(f"mechanism m(x: real); a ~ laplace(x, 1); c ~ bernoulli(1 / (1 + exp(-2 * a))); return c; {head}", "x=1",
         "is true", over([0, 1], coin), 2)
    case(f"mechanism m(x: real); a ~ gaussian(x, 1); return a * a; {head}", "x=0", "at most 2",
         ncdf(sqrt(mpf(2))) - ncdf(-sqrt(mpf(2))), 7)
    # Discrete draws as functions of uniform numbers.
    law = two_sided(2)
    case(f"mechanism m(x: int); a ~ discrete_laplace(x, 2); u ~ uniform(0, 1); return a * u * u; {head}", "x=0", "at least 1",
         sum(p * (1 - 1 / sqrt(mpf(k))) for k, p in law.items() if k >= 1), 1)
    law = discrete_gaussian(2)
    case(f"mechanism m(x: int); a ~ discrete_gaussian(x, 2); u ~ uniform(0, 1); return a * u * u; {head}", "x=0", "at least 1",
         sum(p * (1 - 1 / sqrt(mpf(k))) for k, p in law.items() if k >= 1), 2)


def normal():
    lines = ["# x, then the standard normal distribution function at x to 40 digits"]
    for k in list(range(-40, 41, 3)) + [-401, -399, -120, -51, -50, -49, 49, 50, 51, 120]:
        x = mpf(k) / 10
        lines.append(f"{F(k, 10)} {mp.nstr(ncdf(x), 40)}")
    (DATA / "normal.txt").write_text("\n".join(lines) + "\n")


DATA.mkdir(exist_ok=True)
mp.dps = 60
discrete()
continuous()
exactly = len(LINES)
nonlinear()
header = ["# mechanism | inputs | event | probability | significant digits; by scripts/audit_oracle.py",
          f"# the first {exactly} are integrated or enumerated, the others enclosed by boxes of draws"]
(DATA / "events.txt").write_text("\n".join(header + LINES[:exactly] + ["# boxes"] + LINES[exactly:]) + "\n")
mp.dps = 80
normal()
