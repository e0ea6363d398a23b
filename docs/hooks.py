"""Hooks of MkDocs: lay out the sources for the reference, and list a package's public names."""

import importlib
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
    """Put one entry for each public name in the place of `::: public names of PACKAGE`."""
    return re.sub(r"^::: public names of (\S+)$", lambda match: "\n".join(
        f"::: {match[1]}.{name}\n" for name in public_names(match[1])), markdown,
        flags=re.MULTILINE)


def public_names(package: str) -> list[str]:
    """Return the names of a package that are not modules, which have pages of their own."""
    return sorted((name for name, module in importlib.import_module(package)._LOCATIONS.items()
                   if module), key=str.lower)
