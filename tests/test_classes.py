"""One public class per file."""

import ast

import pytest


def public_classes(code):
    """The names of the public classes at the top level of a module."""
    return [node.name for node in ast.parse(code).body
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]


def test_a_module_has_one_public_class_at_most(repository):
    paths = [path for folder in ("mobilebert_tf", "export")
             for path in (repository / folder).rglob("*.py")]
    assert len(paths) > 300
    several = {}
    for path in paths:
        found = public_classes(path.read_text(encoding="utf-8"))
        if len(found) > 1:
            several[str(path.relative_to(repository))] = found
    assert several == {}


@pytest.mark.parametrize(("code", "expected"), [
    ("class A:\n    pass\n\n\nclass B(A):\n    pass\n", ["A", "B"]),
    ("@final\nclass A:\n    class B:\n        pass\n\n\nclass _C:\n    pass\n", ["A"]),
    ("def f():\n    class A:\n        pass\n", [])])
def test_public_classes_are_found(code, expected):
    assert public_classes(code) == expected
