"""One public class per file, and one name per public class."""

import ast
import collections

import pytest


def public_classes(code):
    """The names of the public classes at the top level of a module."""
    return [node.name for node in ast.parse(code).body
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]


@pytest.fixture(scope="module")
def classes_of_modules(repository):
    """The public classes of each module, by its path."""
    found = {str(path.relative_to(repository)): public_classes(path.read_text(encoding="utf-8"))
             for folder in ("mobilebert_tf", "export")
             for path in (repository / folder).rglob("*.py")
             if repository / "mobilebert_tf" / "export" not in path.parents}
    assert len(found) > 300
    return found


def test_a_module_has_one_public_class_at_most(classes_of_modules):
    assert {path: names for path, names in classes_of_modules.items() if len(names) > 1} == {}


def test_a_class_shares_its_name_with_no_other(classes_of_modules):
    paths = collections.defaultdict(list)
    for path, names in classes_of_modules.items():
        for name in names:
            paths[name].append(path)
    assert {name: found for name, found in paths.items() if len(found) > 1} == {}


@pytest.mark.parametrize(("code", "expected"), [
    ("class A:\n    pass\n\n\nclass B(A):\n    pass\n", ["A", "B"]),
    ("@final\nclass A:\n    class B:\n        pass\n\n\nclass _C:\n    pass\n", ["A"]),
    ("def f():\n    class A:\n        pass\n", [])])
def test_public_classes_are_found(code, expected):
    assert public_classes(code) == expected
