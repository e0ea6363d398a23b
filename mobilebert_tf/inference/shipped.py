"""The models to download: what lies in a directory of models, and a model by its short name."""

import dataclasses
import os
import re
from pathlib import Path

import mobilebert_tf
from mobilebert_tf.errors import InputError
from mobilebert_tf.inference.opening import file_of
from mobilebert_tf.inference.shipped_file import ShippedFile

_VARIABLE = "MOBILEBERT_MODELS"
_FRONT_MATTER = re.compile(r"\A---\n(.*?)^---\n", re.DOTALL | re.MULTILINE)
_WEIGHTS = "model.safetensors"
# What ends in one of these is a path. Names of models may have other dots.
_ENDINGS = (".tflite", ".onnx", ".json", ".keras")


@dataclasses.dataclass(frozen=True)
class Shipped:
    """A directory of models/: a package, or an encoder in Hugging Face's layout.

    Args:
      directory: its place.
      name: its name.
      kind: what it does; None for an encoder, which is for all kinds.
      task: that it was trained and scored on; None for an encoder.
      purpose: the first sentence of its card.
      licence: as its card states it.
      files: to run, the best known first.
      reads_pairs: whether it reads two texts at once.
    """

    directory: Path
    name: str
    kind: str | None
    task: str | None
    purpose: str
    licence: str | None
    files: tuple[ShippedFile, ...]
    reads_pairs: bool = False

    @property
    def model(self) -> Path:
        """The path that `open_model` takes."""
        return self.directory if self.kind is None else self.files[0].path

    def to_json(self) -> dict:
        return {"name": self.name, "kind": self.kind, "task": self.task, "purpose": self.purpose,
                "licence": self.licence, "model": str(self.model), "files": [
                    {**dataclasses.asdict(file), "path": str(file.path)} for file in self.files]}


def directory(given: str | os.PathLike | None = None) -> Path:
    """Return the directory of the models.

    Args:
      given: the directory; None for the environment variable MOBILEBERT_MODELS, else models/ beside
        the package, as in a checkout, else models/ in the working directory.
    Raises:
      InputError: if a directory that was given, here or by the variable, does not exist.
    """
    named = given or os.environ.get(_VARIABLE)
    if named:
        if not Path(named).is_dir():
            raise InputError(f"there is no directory of models {named}")
        return Path(named)
    beside = Path(mobilebert_tf.__file__).parents[1] / "models"
    return beside if beside.is_dir() else Path("models")


def listed(models: Path) -> list[Shipped]:
    """Return the models in a directory, in the order of their names; none if it is missing.

    Raises:
      InputError: for a package whose model.json is damaged.
    """
    if not models.is_dir():
        return []
    found = [_package(one) or _encoder(one) for one in sorted(models.iterdir()) if one.is_dir()]
    return [one for one in found if one is not None]


def resolve(model: str | os.PathLike, models: str | os.PathLike | None = None) -> Path:
    """Return the path of a model that is given by path or by the name of a shipped one.

    Of a package it is the path of the first file.

    Raises:
      InputError: as `find` and `file_of` do.
    """
    found = find(model, models)
    return file_of(Path(model)) if found is None else found.model


def find(model: str | os.PathLike, models: str | os.PathLike | None = None) -> Shipped | None:
    """Return the shipped model of a name; None for a path.

    The short names of `mobilebert_mini_sst2` are its ends, `mini_sst2` and `sst2`. Where
    several models have the same short name, it means the one with the smallest file.

    Args:
      model: a path or a name; a file or directory of this name goes first. A text with a slash is
        a path. Give `./sst2` as a text: a `Path` drops its `./`.
      models: see `directory`.
    Raises:
      InputError: for a mere name, without a folder or an ending, that no file, directory or
        shipped model has.
    """
    name = os.fspath(model)
    # Unlike the path's own, this is False for a name that the system refuses.
    if os.path.exists(model) or os.sep in name or Path(name).suffix in _ENDINGS:
        return None
    known = listed(directory(models))
    exact = [one for one in known if one.name == name]
    if found := exact or [one for one in known if one.name.endswith(f"_{name}")]:
        return min(found, key=lambda one: one.files[0].bytes)
    names = ", ".join(one.name for one in known)
    raise InputError(f"there is no model {name}, neither a path nor a name in "
                     f"{directory(models)}: known there are {names or 'none'}")


def _package(place):
    from mobilebert_tf.export.package import directory as package_directory

    if not package_directory.is_package(place):
        return None
    found = package_directory.read(place)
    files = tuple(ShippedFile(place / one.file, one.bytes, one.recipe, one.gate and one.gate.metric,
                              one.gate and one.gate.file_score) for one in found.files)
    purpose, licence = _card(place)
    return Shipped(place, found.name, found.kind, found.task, purpose, found.licence or licence,
                   files, bool(found.pairs))


def _encoder(place):
    weights = place / _WEIGHTS
    if not weights.exists():
        return None
    purpose, licence = _card(place)
    return Shipped(place, place.name, None, None, purpose, licence,
                   (ShippedFile(weights, weights.stat().st_size),))


def _card(place):
    """The first sentence of a card, and the licence in its front matter."""
    path = place / "README.md"
    text = path.read_text("utf-8", errors="replace") if path.exists() else ""
    front = _FRONT_MATTER.match(text)
    licence = front and re.search(r"^license: *(.+)$", front[1], re.MULTILINE)
    body = text[front.end() if front else 0:]
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n|^#.*$", body,
                                                             flags=re.MULTILINE)]
    first = next(filter(None, paragraphs), "")
    return re.split(r"(?<=\.) ", first)[0], licence and licence[1].strip()
