"""What is written is true: docstrings run, stubs are those of the package, examples pass mypy, help reads well."""

import doctest
import inspect
import io
import pathlib
import pydoc
import re
import importlib.util
import subprocess
import sys

import pytest

import probity_dp as pb

ROOT = pathlib.Path(__file__).resolve().parents[3]


def documented():
    yield "probity_dp", pb
    for name in pb.__all__:
        thing = getattr(pb, name)
        yield name, thing
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, (property, staticmethod)) or inspect.isgetsetdescriptor(value)):
                    yield f"{name}.{member}", getattr(thing, member)


@pytest.mark.parametrize("name, thing", list(documented()), ids=[name for name, _ in documented()])
def test_docstrings_are_true(name, thing):
    text = inspect.getdoc(thing)
    assert text, f"{name} has no docstring"
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    out = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=out.write)
    assert runner.failures == 0, out.getvalue()


def test_a_false_docstring_is_noticed():
    test = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "false", None, 0)
    runner = doctest.DocTestRunner()
    runner.run(test, out=lambda _: None)
    assert runner.failures == 1


def test_most_functions_have_an_example():
    functions = [thing for name, thing in documented() if inspect.isbuiltin(thing)]
    assert len(functions) > 20
    assert sum(">>>" in (inspect.getdoc(thing) or "") for thing in functions) > 0.7 * len(functions)


def test_help_reads_well():
    text = pydoc.plain(pydoc.render_doc(pb.Noise))
    assert "sample(self, /, size=None)" in text and "Independent samples" in text
    assert "discrete_laplace(scale)" in pydoc.plain(pydoc.render_doc(pb.discrete_laplace))


def mypy(*arguments):
    return subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, cwd=ROOT)


def test_stubs_are_those_of_the_package():
    pytest.importorskip("mypy")
    result = mypy("mypy.stubtest", "probity_dp", "--ignore-missing-stub", "--ignore-unused-allowlist", "--allowlist", str(ROOT / "crates/python/tests/stubs.allow"))
    assert result.returncode == 0, result.stdout + result.stderr


def test_examples_pass_mypy_strict(tmp_path):
    pytest.importorskip("mypy")
    for example in sorted((ROOT / "examples/python").glob("*.py")):
        if "spark" in example.name and importlib.util.find_spec("pyspark") is None:
            continue
        result = mypy("mypy", "--strict", str(example))
        assert result.returncode == 0, result.stdout
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import probity_dp as pb\npb.discrete_laplace(scale=[1]).sample('x')\n")
    assert mypy("mypy", "--strict", str(wrong)).returncode == 1


def test_examples_run():
    for example in sorted((ROOT / "examples/python").glob("*.py")):
        if "spark" in example.name:
            continue  # scripts/spark.sh runs it, where Java and pyspark are.
        result = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, cwd=ROOT)
        assert result.returncode == 0, result.stderr


def test_the_notebook_runs_as_it_is(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(ROOT / "examples/probity.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(ROOT / "examples")}}).execute()
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert any("text/html" in output.get("data", {}) for output in shown)


def test_the_import_is_light():
    script = "import sys; import probity_dp; assert 'numpy' not in sys.modules, 'numpy was imported'"
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0


def test_hints_of_the_command_are_said_in_python():
    """Every text of the crates below this one that names an option of the command is said without it here."""
    from probity_dp._probity import _in_python

    literal = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
    option = re.compile(r"--[a-z]")
    seen = []
    for crate in ("account", "lang", "noise", "release", "run", "verdict"):
        for path in (ROOT / "crates" / crate / "src").rglob("*.rs"):
            code = "\n".join(line for line in path.read_text().splitlines() if not line.lstrip().startswith("//"))
            for text in literal.findall(re.split(r"#\[cfg\((?:all\()?test", code)[0]):
                # A text of an option alone is an argument of another program.
                if option.search(text) and " " in text:
                    said = _in_python(re.sub(r"\{[a-z_.]*\}", "x", text))
                    seen.append(text)
                    # The command may be named as one.
                    rest = re.sub(r"the command `[^`]*`", "", said)
                    assert not option.search(rest) and "`probity" not in rest, (path.name, said)
    assert len(seen) > 15, seen
