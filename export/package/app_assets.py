"""The assets of the Android app: the files of a model under the names that its core reads."""

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
# The fields of model.json that the core or this module reads.
_NEEDED = frozenset({"name", "kind", "lengths", "signatures", "inputs", "outputs", "labels",
                     "lower_case", "pairs", "files"})


def check(assets: Path, kind: str, pairs: bool = False) -> Path:
    """Return the folder of the app's model of this kind, which writing replaces.

    Args:
      assets: the directory of the app's assets.
      kind: name of the model's kind.
      pairs: whether the model reads two texts.
    Raises:
      InputError: for a model that the app has no screen for, and for a folder with files in it that
        are not a model's.
    """
    kind = kinds.get(kind)
    if kind.app_folder is None:
        raise InputError("the Android app answers questions, searches lines, classifies texts and "
                         f"finds entities, and this is a model for {kind.name}: package it "
                         "without the app")
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
    """Write the smallest file of a package, and what the app reads with it, into the app's folder.

    The folder then holds model.tflite, vocab.txt, normalization.txt, model.json, and labels.txt if
    there are labels. It is replaced as a whole.

    Args:
      assets: the directory of the app's assets, with a folder per kind.
      facts: the content of the package's model.json.
      read: name of one of the package's .tflite files -> its content.
    Returns:
      the content of the folder's model.json.
    Raises:
      InputError: as `check` does; for facts of another version, settings out of range, and a file
        that is not the one that the facts describe; and if the folder cannot be written.
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
    """Do what `write` does with a package on the disk.

    Raises:
      InputError: as `write` does, and if the package cannot be read.
    """
    def read(name):
        try:
            return (package / name).read_bytes()
        except OSError as error:
            raise InputError(f"cannot read {package / name}: {error.strerror}") from error

    return write(assets, package_directory.read_facts(package), read)
