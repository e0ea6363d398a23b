"""The assets of the Android app: the files of a model under the names that its core reads."""

from collections.abc import Callable
from pathlib import Path

from mobilebert_tf import files, kinds
from mobilebert_tf.errors import InputError
from mobilebert_tf.export.package import directory as package_directory
from mobilebert_tf.export.package import model_folder
from mobilebert_tf.files import directory_written_atomically, write_atomically


def check(assets: Path, kind: str, pairs: bool = False) -> Path:
    """Return the folder of the app's model of this kind, which writing replaces.

    Args:
      assets: the directory of the app's assets.
      kind: name of the model's kind.
      pairs: whether the model reads two texts.
    Raises:
      InputError: for a model that the Android core cannot run, assets that are no directory, and a
        folder with files in it that are not a model's.
    """
    kind = kinds.get(kind)
    if kind.app_folder is None:
        raise InputError("the Android core answers questions, searches lines, classifies texts, "
                         f"chooses labels and finds entities, and this is a model for {kind.name}: "
                         "package it without the app")
    if pairs and not kind.app_reads_pairs:
        raise InputError("the Android app classifies single texts, and this model reads pairs of "
                         "texts: package it without the app")
    if assets.exists() and not assets.is_dir():
        raise InputError(f"the assets of the app lie in a directory, and {assets} is a file")
    folder = assets / kind.app_folder
    files.check_replaceable(folder, model_folder.NAMES, "a model of the app")
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
    facts = model_folder.checked(facts)
    folder = check(assets, facts["kind"], facts["pairs"])
    facts, members = model_folder.of_package(facts, read)
    with directory_written_atomically(folder) as temporary:
        for name, content in members.items():
            write_atomically(temporary / name, content)
    return facts


def write_from_package(assets: Path, package: Path) -> dict:
    """Do what `write` does with a package on the disk.

    Raises:
      InputError: as `write` does, and if the package cannot be read.
    """
    return write(assets, package_directory.read_all(package), model_folder.reader(package))
