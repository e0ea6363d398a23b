"""Code does not branch on the names of kinds: each stands in quotes in its kind's file alone."""

import ast
import inspect
from pathlib import Path

import pytest

import mobilebert_tf
from mobilebert_tf import export, kinds

ROOTS = {"": Path(mobilebert_tf.__file__).parent, "export": Path(export.__file__).parent}
# (name, a path or its beginning) where the words mean something else, or are data.
EXCEPTIONS = (
    # The encoder's layer, and what is in its scope.
    *(("embedding", place) for place in (
        "layers/", "models/", "training/", "counting.py", "cli/presets.py", "export/lean/graph.py",
        "export/recipes.py")),
    # The Classifier's argument.
    *(("multi_label", place) for place in ("models/classifier.py", "checkpoints/")),
    # transformers' problem_type.
    ("regression", "checkpoints/"),
    # The task of this name.
    ("tagging", "tasks/catalogue.py"),
    # The two kinds of model that benchmarks compare.
    ("classification", "export/benchmark/"), ("encoding", "export/benchmark/"),
    ("classification", "cli/benchmark.py"),
)


def strings(source):
    """The (line, value) of every string in a module; docstrings are whole sentences."""
    return [(node.lineno, node.value) for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def sources():
    for prefix, root in ROOTS.items():
        for path in sorted(root.rglob("*.py")):
            yield "/".join(filter(None, (prefix, path.relative_to(root).as_posix()))), path


def test_names_in_quotes_are_found():
    assert strings('"""A docstring on tagging."""\nif kind == "tagging":\n    pass\n')[1] == (
        2, "tagging")


@pytest.mark.parametrize("name", kinds.names())
def test_a_name_stands_in_its_own_file_alone(name):
    own = Path(inspect.getfile(kinds.get(name)))
    found = {place: [line for line, value in strings(path.read_text()) if value == name]
             for place, path in sources() if path != own}
    elsewhere = {place: lines for place, lines in found.items() if lines and not any(
        name == exception and place.startswith(start) for exception, start in EXCEPTIONS)}
    assert not elsewhere
    assert len(found) > 150
    assert name in [value for _, value in strings(own.read_text())]
