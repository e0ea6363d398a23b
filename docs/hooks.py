"""Hooks of MkDocs: lay out the sources for the reference, and list a package's public names.

A line `::: public names of PACKAGE` becomes one entry for each name in the package's `__all__`.
"""

import ast
import pathlib
import re
import shutil

ROOT = pathlib.Path(__file__).parents[1]
TREE = ROOT / "build" / "reference" / "mobilebert_tf"


def on_startup(command, dirty):
    """Link the sources as an installation lays them out: `export/` below `mobilebert_tf`.

    This comes before mkdocstrings looks for its paths, which ignores a folder that is not there.
    """
    shutil.rmtree(TREE, ignore_errors=True)
    for source, place in ((ROOT / "mobilebert_tf", TREE), (ROOT / "export", TREE / "export")):
        for path in source.rglob("*.py"):
            link = place / path.relative_to(source)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(path)


def on_page_markdown(markdown, page, config, files):
    return re.sub(r"^::: public names of (\S+)$",
                  lambda match: "\n".join(f"::: {name}\n" for name in public_names(match[1])),
                  markdown, flags=re.MULTILINE)


def public_names(package: str) -> list[str]:
    """Return dotted names under which the sources have a package's public classes and functions.

    Modules are left out: they have pages of their own. Nothing is imported.
    """
    folder = package.replace("mobilebert_tf.export", "export").replace(".", "/")
    path = ROOT / folder / "__init__.py"
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module.startswith(package + "."):
            names = [alias.asname or alias.name for alias in node.names]
            found |= {name: f"{package}.{name}" for name in names}
        elif isinstance(node, ast.Assign) and node.targets[0].id == "_LOCATIONS":
            found |= {name: f"{package}.{module}.{name}"
                      for name, module in ast.literal_eval(node.value).items() if module}
    if not found:
        raise ValueError(f"{package} has no public names in {path}")
    return [found[name] for name in sorted(found, key=str.lower)]
