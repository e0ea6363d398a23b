"""The folder that a client's core reads: the files of one model under fixed names."""

import hashlib
from collections.abc import Callable
from pathlib import Path

from mobilebert_tf import kinds
from mobilebert_tf.errors import InputError
from mobilebert_tf.export.file import metadata
from mobilebert_tf.export.file.runner import Runner
from mobilebert_tf.export.package import directory as package_directory
from mobilebert_tf.export.package import facts as known_facts
from mobilebert_tf.text.normalization_table import normalization_table

MODEL = "model.tflite"
# All names that a folder may have in it.
NAMES = frozenset({MODEL, "vocab.txt", "labels.txt", "normalization.txt",
                   package_directory.DESCRIPTION})
# The fields of model.json that the cores or this module read.
_NEEDED = frozenset({"name", "kind", "lengths", "signatures", "inputs", "outputs", "labels",
                     "lower_case", "pairs", "files"})


def checked(facts: dict) -> dict:
    """Return the content of a package's model.json, if a client can use it.

    Raises:
      InputError: for facts of another version, and settings out of range.
    """
    missing = {name for name in _NEEDED if facts.get(name) is None} - {"labels"}
    if missing:
        raise InputError(f"the package's {package_directory.DESCRIPTION} does not say "
                         f"{', '.join(sorted(missing))}: make the package again")
    kinds.get(facts["kind"]).read_settings(
        facts.get("settings"), f"the package's {package_directory.DESCRIPTION}")
    return facts


def reader(package: Path) -> Callable[[str], bytes]:
    """Return a function that reads a file of a package by its name; it raises InputError."""
    def read(name):
        try:
            return (package / name).read_bytes()
        except OSError as error:
            raise InputError(f"cannot read {package / name}: {error.strerror}") from error

    return read


def of_package(facts: dict, read: Callable[[str], bytes],
               file: str | None = None) -> tuple[dict, dict[str, bytes]]:
    """Return the folder of one of a package's files.

    Args:
      facts: the content of the package's model.json, which was `checked`.
      read: name of one of the package's .tflite files -> its content.
      file: name of the file; None for the smallest.
    Returns:
      the content of the folder's model.json, and the content of its files by name: model.tflite,
      vocab.txt, normalization.txt, model.json, and labels.txt if there are labels.
    Raises:
      InputError: for a file that is not the one that the facts describe.
    """
    entry = min((entry for entry in facts["files"] if file in (None, entry["file"])),
                key=lambda entry: entry["bytes"])
    model = read(entry["file"])
    if hashlib.sha256(model).hexdigest() != entry["sha256"]:
        raise InputError(f"{entry['file']} is not the file that the package's "
                         f"{package_directory.DESCRIPTION} describes: get the package again")
    return _folder({**facts, "files": [{**entry, "file": MODEL}]}, model)


def of_path(path: Path) -> tuple[dict, dict[str, bytes]]:
    """Return the folder, as `of_package` does, of a package or of an exported file.

    A file that lies in its package has the package's facts, and one that lies alone its own.

    Raises:
      InputError: as the functions above do, and if there is no package or file at the path.
    """
    if package_directory.is_package(path):
        return of_package(checked(package_directory.read_all(path)), reader(path))
    if path.is_dir():
        raise InputError(f"{path} is no package: make one of it with `mobilebert package {path} "
                         "--output DIRECTORY`")
    if package_directory.is_package(path.parent):
        facts = checked(package_directory.read_all(path.parent))
        if path.name in [entry["file"] for entry in facts["files"]]:
            return of_package(facts, reader(path.parent), path.name)
    return _of_file(path)


def _of_file(path):
    """The folder of a file that lies alone; nothing is known about its scores."""
    runner = Runner(path)
    if runner.metadata.vocabulary is None:
        raise InputError(f"{path} carries no vocabulary: export it again with one")
    model, settings = path.read_bytes(), runner.kind.settings
    # A file's name may be no text; its bytes become escapes.
    name = path.stem.encode(errors="backslashreplace").decode()
    return _folder({
        **known_facts.described(name, runner.metadata, runner.output_shapes),
        "settings": settings and settings.to_json(),
        "files": [{"file": MODEL, "recipe": runner.metadata.recipe, "bytes": len(model),
                   "sha256": hashlib.sha256(model).hexdigest(),
                   "minimum_runtime": runner.metadata.runtime}],
        "config": runner.metadata.config.to_dict(),
    }, model)


def _folder(facts, model):
    texts = {**metadata.word_files(metadata.read(model)),
             "normalization.txt": normalization_table(facts["lower_case"]),
             package_directory.DESCRIPTION: package_directory.to_json(facts)}
    return facts, {MODEL: model, **{name: text.encode() for name, text in texts.items()}}
