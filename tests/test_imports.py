"""Who may import whom, how light the package is, and what a wheel holds."""

import ast
import functools
import json
import os
import subprocess
import sys
import zipfile

import pytest

# Sub-package -> what it may import of the project, itself apart. Only inference and cli import
# export.
BASE = {"checks", "errors", "files", "reasons", "records"}
MODEL = {"config", "presets", "models"} | BASE
ALLOWED = {
    "errors": set(),
    "lazy": set(),
    "precision": set(),
    "machine": set(),
    "freed_memory": set(),
    "files": {"errors", "reasons"},
    "reasons": set(),
    "records": {"errors"},
    "checks": {"errors"},
    "child_process": {"errors"},
    # What is printed, and what is being waited for: commands and long work of the library.
    "terminal": set(),
    "config": set(),
    "presets": {"config"} | BASE,
    "counting": {"config"},
    "layers": {"config"},
    "models": {"config", "layers", "errors"},
    "checkpoints": {"config", "lazy", "models"} | BASE,
    "kinds": {"config", "models", "text", "data", "evaluation", "errors"},
    "model_directory": {"config", "models", "checkpoints", "kinds", "text"} | BASE,
    "pretrained": {"checkpoints", "model_directory", "errors"},
    "conversion": {"checkpoints", "kinds", "models", "model_directory", "presets", "text", "files",
                   "errors"},
    "text": {"lazy"} | BASE,
    "data": {"text", "freed_memory"} | BASE,
    "resuming": BASE,
    "evaluation": {"data"} | BASE,  # which classes a task has; no model
    "optimization": set(),
    "running": {"kinds", "text", "data", "model_directory", "errors"},
    "tasks": {"kinds", "data", "evaluation", "running", "checks", "errors"},
    "augmentation": {"models", "text", "data", "tasks", "running", "resuming", "model_directory",
                     "files", "checks", "errors"},
    "finetuning": MODEL | {"text", "data", "precision", "tasks", "running", "model_directory",
                           "optimization", "resuming", "terminal"},
    "training": MODEL | {"layers", "precision", "checkpoints", "child_process", "kinds",
                         "model_directory", "text", "data", "tasks", "running", "augmentation",
                         "optimization", "resuming", "terminal"},
    # A file is compared with its model by the task's own metric.
    "export": MODEL | {"child_process", "precision", "counting", "lazy", "machine", "kinds", "text",
                       "data", "evaluation", "tasks", "running", "model_directory", "terminal"},
    # A model is opened whether of Keras or in a file.
    "inference": {"machine", "kinds", "data", "evaluation", "tasks", "running", "resuming",
                  "model_directory", "export", "terminal"} | BASE,
    "cli": MODEL - {"config"} | {"counting", "conversion", "machine", "freed_memory", "kinds",
                                 "text", "data", "evaluation", "tasks", "running", "augmentation",
                                 "finetuning", "training", "inference", "export",
                                 "model_directory", "terminal"},
}


def imported(path, package):
    """(dotted name, at module level) of every import in a file; relative ones resolved."""
    return _imported(path, tuple(package))


@functools.cache
def _imported(path, package):
    return tuple(_imports(ast.parse(path.read_text(encoding="utf-8")), package))


def _imports(tree, package):
    inside = {id(node) for function in ast.walk(tree)
              if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
              for node in ast.walk(function)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, id(node) not in inside
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*start, *([node.module] if node.module else [])])
            for alias in node.names:
                yield f"{module}.{alias.name}", id(node) not in inside


@pytest.fixture(scope="module")
def sources(repository):
    """(path, name of the module under mobilebert_tf as a list) of every file."""
    found = []
    for root, start in ((repository / "mobilebert_tf", []), (repository / "export", ["export"])):
        for path in sorted(root.rglob("*.py")):
            parts = [*start, *path.relative_to(root).with_suffix("").parts]
            found.append((path, parts))
    assert len(found) > 30
    return found


def project_imports(path, parts):
    """The names under mobilebert_tf that a file imports, each as a list."""
    package = ["mobilebert_tf", *parts[:-1]]
    for name, at_top in imported(path, package):
        if name.split(".")[0] == "mobilebert_tf":
            yield name.split(".")[1:], at_top


def test_directions(sources):
    for path, parts in sources:
        if parts == ["__init__"]:
            assert {name[0] for name, _ in project_imports(path, parts)} <= {"lazy"}
            continue
        unit = parts[0]
        assert unit in ALLOWED, f"{path}: say in this test what {unit} may import"
        for name, _ in project_imports(path, parts):
            if name and name[0] != "__version__":
                assert name[0] == unit or name[0] in ALLOWED[unit], (
                    f"{path} imports {'.'.join(name)}")


def circle(allowed):
    """Names of a circle in a table of allowed imports; None where there is none."""
    left = dict(allowed)
    while left:
        free = [unit for unit, names in left.items() if not names & left.keys()]
        if not free:
            return set(left)
        for unit in free:
            del left[unit]
    return None


def test_no_files_import_each_other(sources):
    """An import inside a function counts, too."""
    modules = {tuple(parts[:-1] if parts[-1] == "__init__" else parts) for _, parts in sources}
    wanted = {}
    for path, parts in sources:
        own = tuple(parts[:-1] if parts[-1] == "__init__" else parts)
        names = (tuple(name) for name, _ in project_imports(path, parts))
        # A name in a module, or a module.
        wanted[own] = {name if name in modules else name[:-1] for name in names} - {own, ()}
    assert ("finetuning", "plain") in wanted["finetuning", "settings"]
    assert circle(wanted) is None


def test_circles_are_found():
    assert circle({"a": set(), "b": {"a"}, "c": {"a", "b"}}) is None
    assert circle({"a": set(), "b": {"a", "c"}, "c": {"b"}}) == {"b", "c"}


def test_the_table_has_no_circle():
    assert circle(ALLOWED) is None


def test_the_command_reaches_export_and_tensorflow_only_inside_functions(sources):
    for path, parts in sources:
        if parts[0] in ("cli", "inference", "kinds", "tasks"):
            for name, at_top in imported(path, ["mobilebert_tf", *parts[:-1]]):
                heavy = name.startswith(("tensorflow", "tf_keras", "mobilebert_tf.export",
                                         "mobilebert_tf.models", "mobilebert_tf.layers"))
                assert not (heavy and at_top), f"{path} imports {name} at its top"


def test_config_presets_and_counting_are_free_of_tensorflow(sources):
    light = {"config", "presets", "counting", "errors", "files", "lazy", "reasons"}
    assert light <= {parts[0] for _, parts in sources}
    for path, parts in sources:
        if parts[0] in light:
            for name, _ in imported(path, ["mobilebert_tf", *parts[:-1]]):
                assert name.split(".")[0] not in ("tensorflow", "tf_keras", "numpy"), path


def test_nobody_imports_the_folder_export(repository):
    """`import export` from the root would load every module a second time, under another name."""
    paths = [path for folder in ("mobilebert_tf", "export", "tests")
             for path in (repository / folder).rglob("*.py")]
    for path in paths:
        for name, _ in imported(path, []):
            assert name.split(".")[0] != "export", f"{path} imports {name}"


def test_measuring_and_verifying_know_nothing_of_each_other(sources):
    rooms = ["export", "benchmark"], ["export", "verify"]
    assert all(room in [parts[:2] for _, parts in sources] for room in rooms)
    for path, parts in sources:
        for room, other in (rooms, rooms[::-1]):
            if parts[:2] == room:
                assert other not in [name[:2] for name, _ in project_imports(path, parts)], path


def test_keras_is_tf_keras_everywhere(sources):
    for path, parts in sources:
        for name, _ in imported(path, ["mobilebert_tf", *parts[:-1]]):
            assert name.split(".")[0] != "keras", path
            assert not name.startswith("tensorflow.keras"), path
        assert "tf.keras." not in path.read_text(encoding="utf-8"), path


@pytest.mark.parametrize(("code", "wrong"), [
    ("import export", True), ("from export import convert", True),
    ("from . import export", False), ("import mobilebert_tf.export", False)])
def test_the_search_for_imports_finds_them(code, wrong, tmp_path):
    path = tmp_path / "module.py"
    path.write_text(f"{code}\n\n\ndef f():\n    {code}\n")
    found = list(imported(path, ["mobilebert_tf"]))
    assert [at_top for _, at_top in found] == [True, False]
    for name, _ in found:
        assert (name.split(".")[0] == "export") == wrong


def run(code, **environment):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                          env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", **environment})
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.strip().splitlines()[-1])


LIGHT = """
import json, sys
import mobilebert_tf as mb
config = mb.presets.get("mobilebert")
mb.counting.parameters(config), mb.counting.flops(config), mb.EncoderConfig, mb.InputError, dir(mb)
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def test_importing_the_package_imports_nothing_heavy():
    loaded = set(run(LIGHT))
    heavy = {"tensorflow", "tf_keras", "keras", "numpy", "tokenizers", "safetensors", "rich",
             "typer", "ai_edge_litert", "tensorflow_text", "tensorflow_datasets"}
    assert "mobilebert_tf" in loaded
    assert loaded & heavy == set()


def test_public_names_are_there_and_others_are_not():
    import mobilebert_tf as mb

    for name in mb.__all__:
        assert getattr(mb, name) is not None, name
    with pytest.raises(AttributeError, match="no attribute 'Bert'"):
        _ = mb.Bert


def test_export_is_importable_as_the_projects():
    import mobilebert_tf.export

    assert mobilebert_tf.export.__name__ == "mobilebert_tf.export"
    assert "export" not in sys.modules


@pytest.mark.slow
def test_a_wheels_only_top_level_name_is_mobilebert_tf(repository, tmp_path):
    import shutil

    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        if (repository / name).exists():
            shutil.copy(repository / name, copy / name)
    for name in ("mobilebert_tf", "export", "tests"):
        shutil.copytree(repository / name, copy / name,
                        ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation",
                    "--wheel-dir", str(tmp_path), str(copy)], check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    top = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert top == {"mobilebert_tf"}
    for name in ("mobilebert_tf/export/__init__.py", "mobilebert_tf/layers/no_norm.py"):
        assert name in names
    packaged = {name for name in names if name.startswith("mobilebert_tf/export/")}
    assert packaged == {f"mobilebert_tf/export/{path.relative_to(repository / 'export')}"
                        for path in (repository / "export").rglob("*.py")}
