"""The pages about Python are true: their blocks run, and ours have no more lines than the others'."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PEERS = {"Probity": "probity_dp", "OpenDP": "opendp", "diffprivlib": "diffprivlib", "Google's library (PyDP)": "pydp"}


def blocks(text):
    return re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)


def test_the_page_about_python_runs():
    scope = {}
    found = blocks((ROOT / "docs/python.md").read_text())
    assert len(found) >= 5
    for block in found:
        exec(compile(block, "docs/python.md", "exec"), scope)
    assert scope["lower"] <= scope["upper"]


def jobs():
    """The jobs of the page: for each its heading, and for each library its block."""
    text = (ROOT / "docs/coming-from.md").read_text()
    for section in text.split("\n## ")[1:]:
        heading = section.splitlines()[0]
        found = re.findall(r"^\*\*(.+?)\*\*\n\n```python\n(.*?)^```", section, re.M | re.S)
        if found:
            yield heading, dict(found)


def test_ours_have_no_more_lines():
    found = list(jobs())
    assert [heading for heading, _ in found] == ["A private mean", "A histogram", "A survey"]
    for heading, by_library in found:
        ours = len(by_library.pop("Probity").splitlines())
        assert len(by_library) >= 2
        for library, block in by_library.items():
            assert ours <= len(block.splitlines()), (heading, library)



@pytest.mark.parametrize("library", PEERS)
def test_the_jobs_run(library):
    try:
        pytest.importorskip(PEERS[library])
    except (ImportError, AttributeError) as error:
        pytest.skip(f"{library} does not work here: {error}")
    for _, by_library in jobs():
        if library not in by_library:
            continue
        scope = {
            "ages": [float(i % 100) for i in range(20_000)],
            "colours": ["red", "green", "red", "blue"] * 1000,
            "answers": ["yes", "no", "yes", "no", "yes"] * 200,
        }
        exec(compile(by_library[library], library, "exec"), scope)
        if "mean" in scope:
            assert 40 < scope["mean"] < 60
        if "counts" in scope:
            assert all(abs(count - truth) < 100 for count, truth in zip(scope["counts"], (2000, 1000, 1000)))
        if "yes" in scope:
            assert 350 < scope["yes"] < 850
