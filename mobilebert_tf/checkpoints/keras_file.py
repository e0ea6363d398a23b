"""The project's models as Keras saved them (.keras), read without Keras's deserialization.

A stranger's .keras file may name any class and any size. Here its description is parsed into
records of ours, and its weights are held against them before anything is built.
"""

import io
import math
import os
import tempfile
import zipfile
from pathlib import Path

import h5py
import msgspec
import numpy as np
import tf_keras as keras

from mobilebert_tf import records
from mobilebert_tf.checkpoints import architectures, names
from mobilebert_tf.config import EncoderConfig
from mobilebert_tf.errors import InputError

_DESCRIPTION, _WEIGHTS = "config.json", "model.weights.h5"


class _Shared(msgspec.Struct):
    """The fields that every model is saved with, beside its own settings."""

    config: dict
    name: records.Text


class _Saved(msgspec.Struct):
    class_name: str
    config: dict


def load(path: str | os.PathLike) -> keras.Model:
    """Load a model of the project from a .keras file, not compiled.

    Raises:
      InputError: when the file cannot be read, holds another model, or its weights are not those
        of the sizes that it states.
    """
    described, weights, stored = _contents(path)
    saved = records.decode(described, _Saved, f"{_DESCRIPTION} in {path}")
    known = {architecture.model.__name__: architecture for architecture in architectures.every()}
    if saved.class_name not in known:
        raise InputError(f"{path} is a Keras model, but not one of this project")
    architecture = known[saved.class_name]
    name = f"{_DESCRIPTION} in {path}, config"
    shared = records.convert(saved.config, _Shared, name)
    config = records.convert(shared.config, EncoderConfig, f"{name}.config")
    settings = records.convert(
        {field: value for field, value in saved.config.items()
         if field not in _Shared.__struct_fields__}, architecture.settings, name)
    needed = sum(math.prod(place.shape) for place in names.of(architecture, config, settings))
    if needed != stored:
        raise InputError(f"{path} holds {stored:,} numbers, but the model that it describes has "
                         f"{needed:,}")
    model = architecture.build(config, settings, shared.name)
    try:
        _set_weights(model, weights)
    except (OSError, ValueError, LookupError, RuntimeError, TypeError) as error:
        raise InputError(f"{path} cannot be read as a model: {error}") from error
    for variable in model.weights:
        if not np.isfinite(variable.numpy()).all():
            raise InputError(f"{path}: {variable.name} holds values that are not finite")
    return model


def _contents(path):
    """Return the description, the file of weights, and how many numbers it has."""
    try:
        with zipfile.ZipFile(path) as archive:
            for name in (_DESCRIPTION, _WEIGHTS):
                if archive.getinfo(name).compress_type != zipfile.ZIP_STORED:
                    raise InputError(f"{path} is compressed, and Keras compresses no model")
            described = archive.read(_DESCRIPTION)
            weights = archive.read(_WEIGHTS)  # reading all of it compares its checksum
        with h5py.File(io.BytesIO(weights)) as file:
            return described, weights, _count(file)
    except InputError:
        raise
    except (OSError, ValueError, LookupError, RuntimeError, NotImplementedError,
            zipfile.BadZipFile) as error:
        raise InputError(f"{path} cannot be read as a model: {error}") from error


def _set_weights(model, weights):
    """Let Keras read the weights from a file of their own.

    In an archive, Python reads a file from its start to reach an array that lies before the last
    one. Of a model of 33 million parameters that was two thirds of the time to load it.
    """
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, _WEIGHTS)
        path.write_bytes(weights)
        model.load_weights(path)


def _count(file):
    """Count the numbers that arrays store; an array that only states a shape has none.

    HDF5 can take an array from any other file of this machine. A model that is given away must not
    carry such a file's bytes as its weights.

    Raises:
      ValueError: if an array has no shape, or lies in another file.
    """
    counts = []

    def visit(name, item):
        if isinstance(item, h5py.Group):
            for part in item:
                if not isinstance(item.get(part, getlink=True), h5py.HardLink):
                    raise ValueError(f"its part {part} is a link")
        elif isinstance(item, h5py.Dataset):
            if item.shape is None:
                raise ValueError(f"its array {name} has no shape")
            if item.external or item.is_virtual:
                raise ValueError(f"its array {name} lies in another file")
            stored = item.id.get_storage_size() // item.dtype.itemsize
            counts.append(min(stored, math.prod(item.shape)))

    visit("/", file)
    file.visititems(visit)
    return sum(counts)
