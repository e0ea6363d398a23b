"""A model among the assets of the Android app: the files that its core reads, by their names."""

import hashlib
from collections.abc import Callable
from pathlib import Path

from mobilebert_tf import kinds
from mobilebert_tf.errors import InputError
from mobilebert_tf.export.file import metadata
from mobilebert_tf.export.package import directory as package_directory
from mobilebert_tf.files import directory_written_atomically, write_atomically
from mobilebert_tf.text.normalization_table import normalization_table

_MODEL = "model.tflite"
_NAMES = frozenset({_MODEL, "vocab.txt", "labels.txt", "normalization.txt",
                    package_directory.DESCRIPTION})
# What the core reads in model.json, and what decides here.
_NEEDED = frozenset({"name", "kind", "lengths", "signatures", "inputs", "outputs", "labels",
                     "lower_case", "pairs", "files"})


def check(assets: Path, kind: str, pairs: bool = False) -> Path:
    """The folder of the app's model of this kind, which is replaced when it is written.

    Args:
      assets: directory of the app's assets.
      kind: of the model, as model.json has it.
      pairs: whether the model reads two texts.
    Raises:
      InputError: for a model that the app has no screen for, and where the folder has files in it
        that are not a model's.
    """
    kind = kinds.get(kind)
    if kind.app_folder is None:
        raise InputError("the Android app answers questions and classifies texts, and this is a "
                         f"model for {kind.name}: package it without the app")
    if pairs and not kind.app_reads_pairs:
        raise InputError("the Android app classifies single texts, and this model reads pairs of "
                         "texts: package it without the app")
    folder = assets / kind.app_folder
    others = ({path.name for path in folder.iterdir()} if folder.is_dir() else set()) - _NAMES
    if others:
        raise InputError(f"{folder} has {min(others)} in it, which is no part of a model and would "
                         "be deleted: move it away")
    return folder


def write(assets: Path, facts: dict, read: Callable[[str], bytes]) -> dict:
    """Writes the smallest file of a package, and what the app reads beside it, into its folder.

    These are model.tflite, vocab.txt, normalization.txt, model.json, and labels.txt where there
    are labels. The folder is replaced whole.

    Args:
      assets: directory of the app's assets; each kind of model has a folder in it.
      facts: what stands in the package's model.json.
      read: name of one of the package's .tflite files -> its content.
    Returns:
      what stands in the folder's model.json.
    Raises:
      InputError: as `check` does; for facts of another version, and settings for questions that
        mean nothing; for a file that is not the one
        that the facts describe; and where the place cannot be written.
    """
    missing = {name for name in _NEEDED if facts.get(name) is None} - {"labels"}
    if missing:
        raise InputError(f"the package's {package_directory.DESCRIPTION} does not say "
                         f"{', '.join(sorted(missing))}: make the package again")
    kinds.get(facts["kind"]).read_settings(
        facts.get("settings"), f"the package's {package_directory.DESCRIPTION}")
    folder = check(assets, facts["kind"], facts["pairs"])
    file = min(facts["files"], key=lambda file: file["bytes"])
    model = read(file["file"])
    if hashlib.sha256(model).hexdigest() != file["sha256"]:
        raise InputError(f"{file['file']} is not the file that the package's "
                         f"{package_directory.DESCRIPTION} describes: get the package again")
    facts = {**facts, "files": [{**file, "file": _MODEL}]}
    texts = {**metadata.word_files(metadata.read(model)),
             "normalization.txt": normalization_table(facts["lower_case"]),
             package_directory.DESCRIPTION: package_directory.to_json(facts)}
    with directory_written_atomically(folder) as temporary:
        write_atomically(temporary / _MODEL, model)
        for name, text in texts.items():
            write_atomically(temporary / name, text.encode())
    return facts


def write_from_package(assets: Path, package: Path) -> dict:
    """What `write` does, with a package that was written before.

    Raises:
      InputError: as `write` does, and where the package cannot be read.
    """
    def read(name):
        try:
            return (package / name).read_bytes()
        except OSError as error:
            raise InputError(f"cannot read {package / name}: {error.strerror}") from error

    return write(assets, package_directory.read_facts(package), read)
