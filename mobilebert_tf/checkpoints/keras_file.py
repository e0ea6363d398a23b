"""Files that Keras saved of the project's models, read without Keras's deserialization.

A stranger's .keras file may name any class and any size. Here its description is parsed into
records of ours, and its weights are held against them before anything is built.
"""

import io
import math
import os
import zipfile

import h5py
import msgspec
import tf_keras as keras

from mobilebert_tf import records
from mobilebert_tf.checkpoints import names
from mobilebert_tf.config import EncoderConfig
from mobilebert_tf.errors import InputError
from mobilebert_tf.models.classifier import Classifier
from mobilebert_tf.models.encoder import Encoder
from mobilebert_tf.models.pretrainer import Pretrainer
from mobilebert_tf.models.question_answerer import QuestionAnswerer
from mobilebert_tf.models.sentence_encoder import SentenceEncoder
from mobilebert_tf.models.token_classifier import TokenClassifier

_DESCRIPTION, _WEIGHTS = "config.json", "model.weights.h5"


class _Settings(msgspec.Struct, forbid_unknown_fields=True):
    config: dict
    name: records.Text


class _PretrainerSettings(_Settings):
    next_sentence: bool


class _TokenClassifierSettings(_Settings):
    num_classes: records.Size
    dropout: records.Rate


class _ClassifierSettings(_TokenClassifierSettings):
    multi_label: bool = False


class _Saved(msgspec.Struct):
    class_name: str
    config: dict


# The class, the settings that it is saved with, and the places of its heads.
_MODELS = {
    "Encoder": (Encoder, _Settings, lambda config, settings: ()),
    "SentenceEncoder": (SentenceEncoder, _Settings, lambda config, settings: ()),
    "Pretrainer": (Pretrainer, _PretrainerSettings, lambda config, settings:
                   names.pretraining_heads(config, settings.next_sentence)),
    "Classifier": (Classifier, _ClassifierSettings, lambda config, settings:
                   names.classes_of_text(config, settings.num_classes)),
    "TokenClassifier": (TokenClassifier, _TokenClassifierSettings, lambda config, settings:
                        names.classes_of_tokens(config, settings.num_classes)),
    "QuestionAnswerer": (QuestionAnswerer, _Settings, lambda config, settings:
                         names.spans(config)),
}


def load(path: str | os.PathLike) -> keras.Model:
    """Load a model of the project from a .keras file, not compiled.

    Raises:
      InputError: when the file cannot be read, holds another model, or its weights are not those
        of the sizes that it states.
    """
    described, stored = _contents(path)
    saved = records.decode(described, _Saved, f"{_DESCRIPTION} in {path}")
    if saved.class_name not in _MODELS:
        raise InputError(f"{path} is a Keras model, but not one of this project")
    model_class, settings_class, heads = _MODELS[saved.class_name]
    name = f"{_DESCRIPTION} in {path}, config"
    settings = records.convert(saved.config, settings_class, name)
    config = records.convert(settings.config, EncoderConfig, f"{name}.config")
    needed = sum(math.prod(place.shape)
                 for place in (*names.encoder(config), *heads(config, settings)))
    if needed != stored:
        raise InputError(f"{path} holds {stored:,} numbers, and a model as it describes has "
                         f"{needed:,}")
    model = _built(model_class, {**msgspec.structs.asdict(settings), "config": config.to_dict()})
    try:
        model.load_weights(path)
    except (OSError, ValueError, LookupError, RuntimeError, TypeError) as error:
        raise InputError(f"{path} cannot be read as a model: {error}") from error
    return model


def _built(model_class, settings):
    return model_class.from_config(settings)


def _contents(path):
    """The description, and how many numbers the weights are."""
    try:
        with zipfile.ZipFile(path) as archive:
            for name in (_DESCRIPTION, _WEIGHTS):
                if archive.getinfo(name).compress_type != zipfile.ZIP_STORED:
                    raise InputError(f"{path} is compressed, as Keras writes no model")
            described = archive.read(_DESCRIPTION)
            weights = archive.read(_WEIGHTS)  # whole, so that its checksum is compared
        with h5py.File(io.BytesIO(weights)) as file:
            return described, _count(file)
    except InputError:
        raise
    except (OSError, ValueError, LookupError, RuntimeError, NotImplementedError,
            zipfile.BadZipFile) as error:
        raise InputError(f"{path} cannot be read as a model: {error}") from error


def _count(file):
    """The numbers of all arrays; those that only state a shape and store nothing have none."""
    counts = []

    def visit(_, item):
        if isinstance(item, h5py.Dataset):
            stored = item.id.get_storage_size() // item.dtype.itemsize
            counts.append(min(stored, math.prod(item.shape)))

    file.visititems(visit)
    return sum(counts)
