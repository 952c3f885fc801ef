"""Texts: verified, certified, audited, run, reported, replayed."""

import subprocess
import sys
from fractions import Fraction

import pytest

import probity_dp as pb

HALF = """mechanism half(x: real)
param eps > 0
y ~ laplace(x, 1 / (2 * eps))
return y
neighbours abs(x' - x) <= 1
claim eps"""


def test_proved_and_refuted():
    verdict = pb.Mechanism.load("mechanisms/laplace.dp").verify()
    assert verdict.is_proved and verdict.certificate and verdict.couplings and verdict.axioms
    assert "proved" in str(verdict) and "<table>" in verdict._repr_html_()
    verdict = pb.Mechanism(HALF).set(eps=1).verify()
    assert verdict.status == "refuted" and not verdict.is_proved
    assert verdict.loss > 1.9 and "event" in verdict.counterexample
    assert verdict.theorem is None and verdict.certificate is None


def test_the_example_of_the_readme():
    m = pb.Mechanism.load("mechanisms/snapping.dp").set(eps=1, B=100)
    assert m.verify().status == "proved"
    certified = m.certify()
    assert certified.is_certified and float(certified.epsilon) > 1 and certified.excess < 1e-13
    audit = m.audit("0.3", "1.3")
    # The doubles 0.3 and 1.3 are a little more than 1 apart, and a warning says so.
    with pytest.warns(pb.InexactFloat):
        assert not m.audit(0.3, 1.3).neighbours
    assert audit.neighbours and audit.impossible == 0 and audit.loss <= float(certified.epsilon)
    run = m.run(x=0.7)
    assert -100 <= run.value <= 100 and run.epsilon == 1 and run.status == "proved"
    assert float(run) == float(run.value)


def test_certify_takes_ranges():
    m = pb.Mechanism.load("mechanisms/snapping.dp").set(eps=("1/2", 2), B=100)
    certified = m.certify()
    assert certified.is_certified and certified.epsilon >= 2
    with pytest.raises(pb.InvalidInput, match="has a range"):
        m.run(x=0)
    refused = pb.Mechanism.load("mechanisms/laplace.dp").set(eps=1).certify()
    assert refused.status == "refused" and refused.reason


def test_audits_of_lists_rows_and_events():
    m = pb.Mechanism.load("mechanisms/snapping.dp").set(eps="1/2", B=2000)
    broken = m.audit(0, 1)
    assert broken.impossible > 0 and len(broken.impossible_outcomes) == broken.impossible
    event = pb.Mechanism(HALF).set(eps=1).audit(0, 1)
    assert event.event and abs(event.loss - 2) < 1e-6
    (low, high), (low_of_second, _) = event.probabilities
    assert isinstance(low, Fraction) and low <= high
    listed = pb.Mechanism.load("mechanisms/noisy_max_laplace.dp").set(eps=1)
    assert listed.audit([1, 2], [2, 1]).loss is not None
    named = listed.audit({"q": [1, 2]}, {"q": [2, 1]})
    assert named.loss is not None


def test_laws_are_probabilities():
    audit = pb.Mechanism.load("mechanisms/snapping.dp").set(eps=1, B=4).audit(0, 1)
    total = sum(first[0] for _, first, _ in audit.law)
    assert 1 - Fraction(1, 10**6) < total <= 1


def test_runs():
    count = pb.Mechanism.load("mechanisms/discrete_laplace.dp")
    values = {name: 2 for name in count.parameters}
    runs = count.set(**values).run(count=50, **{name: 10 for name in count.inputs})
    assert len(runs) == 50 and runs.epsilon == 50 * count.set(**values).run(**{name: 10 for name in count.inputs}).epsilon
    with pytest.raises(pb.InvalidInput, match="50 answers"):
        runs.value
    laplace = pb.Mechanism.load("mechanisms/laplace.dp").set(eps=1)
    with pytest.raises(pb.InvalidInput, match="grid"):
        laplace.run(x=1)
    assert (laplace.run(x=1, grid="2^-10").value * 1024).denominator == 1
    unproved = pb.Mechanism(HALF).set(eps=1)
    with pytest.raises(pb.Unproved):
        unproved.run(x=1, grid=1)
    run = unproved.run(x=1, grid=1, unproved=True)
    assert run.status == "unproved" and run.epsilon is None and "UNPROVED" in str(run)


def test_inputs_that_do_not_fit():
    m = pb.Mechanism.load("mechanisms/snapping.dp").set(eps=1, B=100)
    for inputs in [{}, {"x": [1]}, {"x": True}, {"y": 1}, {"x": 1, "y": 2}, {"x": 1000}]:
        with pytest.raises(pb.InvalidInput):
            m.run(**inputs)
    with pytest.raises(pb.InvalidInput, match="no parameter epz"):
        m.set(epz=1)
    with pytest.raises(pb.InvalidInput, match="required"):
        m.set(eps=-1)
    with pytest.raises(pb.InvalidInput, match=r"\.set\(eps=VALUE\)"):
        pb.Mechanism.load("mechanisms/snapping.dp").audit(0, 1)


def test_faults_of_texts_are_laid_out():
    with pytest.raises(pb.InvalidInput) as error:
        pb.Mechanism("mechanism f(x: real)\nreturn z\nneighbours abs(x' - x) <= 1\nclaim 1")
    assert "--> text:2:8" in str(error.value) and "^" in str(error.value)
    with pytest.raises(pb.InvalidInput, match="no such file"):
        pb.Mechanism.load("nothing.dp")
    with pytest.raises(pb.InvalidInput, match="folder"):
        pb.Mechanism.load("mechanisms")


def test_certificates_are_replayed(tmp_path):
    m = pb.Mechanism.load("mechanisms/laplace.dp")
    certificate = m.verify().certificate
    assert m.check(certificate).accepted
    path = tmp_path / "laplace.cert"
    path.write_text(certificate)
    assert pb.check(str(path)).accepted
    forged = certificate.replace("eps", "epz", 1)
    assert not pb.check(forged).accepted and pb.check(forged).reason
    other = pb.Mechanism.load("mechanisms/count.dp")
    assert not other.check(certificate).accepted


def test_reports(tmp_path):
    path = tmp_path / "page.html"
    report = pb.Mechanism.load("mechanisms/snapping.dp").set(eps=1, B=20).report(path)
    assert path.read_text() == report.html and report.verdict.is_proved and not report.bounds_cross
    assert "<iframe" in report._repr_html_()


def test_a_deadline_ends_a_search():
    verdict = pb.Mechanism.load("mechanisms/sparse_vector.dp").verify(seconds=0)
    assert verdict.status in ("open", "proved")
    with pytest.raises(pb.InvalidInput, match="seconds"):
        pb.Mechanism.load("mechanisms/laplace.dp").verify(seconds=-1)


INCOMES = """
mechanism incomes(people: rows(region: category(3), income: real, member: bool))
param eps > 0
out = []
for g in 0..3 {
  n ~ discrete_laplace(count(r in people where r.region == g and r.member), 2 / eps)
  s ~ laplace(sum(r in people where r.region == g, clamp(r.income, 0, 100)), 200 / eps)
  append(out, n)
  append(out, s)
}
return out
neighbours one row of people is added or removed
claim eps
"""


def tables(tmp_path):
    """One table, as everybody holds it. The last two rows are dropped: there is no region 3, and no income."""
    rows = [(0, 10.5, True), (0, 200.0, False), (2, 0.1, True), (3, 1.0, True), (1, None, True)]
    names = ("region", "income", "member")
    path = tmp_path / "people.csv"
    path.write_text("region,income,member\n" + "".join(f"{a},{'' if b is None else b},{str(c).lower()}\n" for a, b, c in rows))
    yield "a path", path
    yield "a text", str(path)
    yield "dicts", [dict(zip(names, row)) for row in rows]
    yield "tuples", rows
    yield "columns", {name: [row[place] for row in rows] for place, name in enumerate(names)}
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(rows, columns=names)
    yield "pandas", frame
    yield "polars", polars.DataFrame(rows, schema=list(names), orient="row")
    yield "columns of arrow", {name: pyarrow.array([row[place] for row in rows]) for place, name in enumerate(names)}
    yield "lazy", polars.DataFrame(rows, schema=list(names), orient="row").lazy()
    yield "arrow", pyarrow.Table.from_pandas(frame).append_column("blob", pyarrow.array([b"x"] * len(rows)))


def test_rows_of_any_source(tmp_path):
    # With so large an epsilon noise vanishes on the grid, but once in e^1000 times.
    m = pb.Mechanism(INCOMES).set(eps="1e8")
    for name, table in tables(tmp_path):
        run = m.run(people=table, grid="1/100")
        assert run.value == [1, Fraction("110.5"), 0, 0, 1, Fraction("0.1")], name
        assert run.epsilon == 10**8 and run.status == "proved"
    # Each run is about its own table.
    assert m.run(people=[], grid=1).value == [0] * 6
    assert m.run(people=[(1, 5, True)], grid=1).value == [0, 0, 1, 5, 0, 0]


def test_what_is_no_table_is_refused_without_a_word_of_it():
    m = pb.Mechanism(INCOMES).set(eps=1)
    for secret in (3.14159, [3.14159], [{"region": 0}, "3.14159"], object(), {"region": [1], "income": [3.14159, 2], "member": [1]}):
        with pytest.raises(pb.InvalidInput) as error:
            m.run(people=secret, grid=1)
        assert "3.14" not in str(error.value), secret
    with pytest.raises(pb.InvalidInput) as error:
        m.run(grid=1)
    assert "people=" in error.value.hint and "--" not in str(error.value)
    with pytest.raises(pb.InvalidInput, match="income"):
        m.run(people={"region": [], "member": []}, grid=1)


def test_inputs_that_contain_themselves_are_refused():
    """In a process of its own: what is not refused here overflows the stack."""
    script = """
import probity_dp as pb
m = pb.Mechanism.load("mechanisms/laplace.dp").set(eps=1)
inside, deep, named = [], 1, {}
inside.append(inside)
named["x"] = named
for _ in range(200_000):
    deep = [deep]
for action in (lambda: m.run(x=inside, grid=1), lambda: m.run(x=deep, grid=1), lambda: m.audit(inside, inside), lambda: m.audit(named, named)):
    try:
        action()
    except pb.InvalidInput as error:
        print(error.message)
"""
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert found.stdout == "there are too many lists inside lists\n" * 4, found.stderr


def test_inputs_are_known_by_their_names():
    named = HALF.replace("(x: real)", "(count: int)").replace("laplace(x, 1 / (2 * eps))", "discrete_laplace(count, 1 / eps)").replace("x' - x", "count' - count")
    m = pb.Mechanism(named).set(eps="1e9")
    assert m.run(count_=7).value == 7 and m.run(count_=7, count=2).values == [7, 7]
    with pytest.raises(pb.InvalidInput) as error:
        m.run(count=7)
    assert error.value.hint == "add count_=VALUE"
    incomes = pb.Mechanism(INCOMES).set(eps=1)
    with pytest.raises(pb.InvalidInput, match="incomes has no input peopel") as error:
        incomes.run(peopel=[{"region": 1}], grid=1)
    assert "people" in error.value.hint
