"""Google's TF1 checkpoint layout, read and written.

Source: google-research/mobilebert and google-research/bert.
"""

import contextlib
import os
import re
from pathlib import Path
from typing import Any

import msgspec
import tensorflow as tf

from mobilebert_tf import records
from mobilebert_tf.checkpoints import architectures, config_fields, names, places
from mobilebert_tf.checkpoints.assignment import assign, check
from mobilebert_tf.checkpoints.stored_tensor import StoredTensor
from mobilebert_tf.config import EncoderConfig
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import written_atomically
from mobilebert_tf.reasons import reason

# What training adds to a checkpoint.
_LEFT_OUT = (
    (re.compile(r"^teacher/"), "variable of a distillation teacher"),
    (re.compile(r"/(adam_[mv]|Adam(_1)?|LAMB(_1)?)$"), "optimizer slot"),
    (re.compile(r"^(global_step|beta[12]_power)$"), "training state"),
    (re.compile(r"^hidden_distill_\d+/"), "constant of the distillation loss"),
)

# TensorFlow's reader turns some of its errors into Python's.
_READ_ERRORS = (tf.errors.OpError, RuntimeError, ValueError, LookupError, SystemError)

# The defaults of google-research's BertConfig.
_CONFIG_DEFAULTS = {
    **config_fields.BERT, **config_fields.NO_BOTTLENECK, "vocab_size": msgspec.NODEFAULT,
    "type_vocab_size": 16, "classifier_activation": True}
_CONFIG_IGNORED = {
    "directionality", "pooler_fc_size", "pooler_num_attention_heads", "pooler_num_fc_layers",
    "pooler_size_per_head", "pooler_type",
}
_CONFIG = msgspec.defstruct("BertConfig", [
    *((name, kind, _CONFIG_DEFAULTS[name])
      for name, kind in config_fields.TYPES.items() if name != "layer_norm_eps"),
    *((name, Any, None) for name in _CONFIG_IGNORED),
], kw_only=True, forbid_unknown_fields=True)


def load(prefix: str | os.PathLike, config: EncoderConfig):
    """Return the model of a TF1 checkpoint; see `load_with_report`."""
    return load_with_report(prefix, config)[0]


def load_with_report(prefix: str | os.PathLike, config: EncoderConfig) -> tuple:
    """Read a TF1 checkpoint in Google's layout, strictly.

    Args:
      prefix: path without `.index`, such as `.../mobilebert_variables.ckpt`.
      config: the encoder's config; `read_config` reads the `bert_config.json` beside it.
    Returns:
      The model and a `LoadReport`. The model's class follows the heads that the checkpoint holds:
      `Pretrainer` (`cls/predictions`, with a next-sentence head where there is
      `cls/seq_relationship`), `QuestionAnswerer` (`cls/squad`), `Classifier` (`output_weights` at
      the root), or `Encoder` where there is none.
    Raises:
      InputError: when there is no such checkpoint, it is damaged, it holds two kinds of heads, or
        a tensor is missing, left over or of another shape.
    """
    prefix = os.fspath(prefix).removesuffix(".index")
    stored = _tensors(prefix)
    left_out = {name: why for name in stored for pattern, why in _LEFT_OUT
                if pattern.search(name)}
    kept = {name: tensor for name, tensor in stored.items() if name not in left_out}
    architecture = _architecture(kept, prefix)
    settings = _settings(architecture, kept)
    check(prefix, {place.name: _stored_shape(place)
                   for place in names.of(architecture, config, settings)}, stored, left_out)
    model = architecture.build(config, settings)
    return model, assign(prefix, names.google_names(model), stored, places.is_transposed, left_out)


def save(model, prefix: str | os.PathLike) -> None:
    """Write the model's variables as a TF1 checkpoint in Google's layout.

    Raises:
      InputError: for a model that the layout cannot express (a token classifier, a classifier of
        several labels a text), or when the place cannot be written.
    """
    architecture = architectures.of(model)
    if architecture.google_head is None:
        raise InputError(f"Google's layout has no {architecture.model.__name__}; save the model "
                         "with save_huggingface or model.save()")
    if getattr(model, "multi_label", False):
        raise InputError("Google's layout cannot say that a text may have several labels "
                         "(multi_label); save the model with save_huggingface or model.save()")
    prefix = Path(prefix)
    variables = names.google_names(model)
    tensors = [tf.transpose(variable) if places.is_transposed(name)
               else tf.convert_to_tensor(variable) for name, variable in variables.items()]
    # The index last: a new checkpoint is there when its index is.
    with written_atomically(f"{prefix}.data-00000-of-00001", f"{prefix}.index") as (_, index):
        try:
            tf.raw_ops.SaveV2(
                prefix=str(index).removesuffix(".index"), tensor_names=list(variables),
                shape_and_slices=[""] * len(variables), tensors=tensors)
        except tf.errors.OpError as error:
            raise InputError(f"cannot write the checkpoint {prefix}: {reason(error)}") from error


def read_config(path: str | os.PathLike) -> EncoderConfig:
    """Read the `bert_config.json` of google-research's code, or an `EncoderConfig.to_json()`.

    The second has the key `num_blocks`, which google-research's code does not know. In the first,
    an absent key has that code's default, which is not always that of the released models: 16
    segment types, and a tanh pooler.

    Raises:
      InputError: when the file is missing, no JSON object, or has an unknown key.
    """
    if "num_blocks" in records.read(path, dict):
        return records.read(path, EncoderConfig)
    fields = msgspec.structs.asdict(records.read(path, _CONFIG))
    return config_fields.encoder_config(
        path, fields, activations={"gelu": "gelu_tanh", "relu": "relu", "relu6": "relu6"},
        pooler="tanh" if fields["classifier_activation"] else "first_token")


def _tensors(prefix):
    """Return the checkpoint's tensors by name."""
    if not os.path.exists(f"{prefix}.index"):
        raise InputError(f"there is no TF1 checkpoint {prefix}: {prefix}.index is missing")
    with _reading(prefix):
        reader = tf.train.load_checkpoint(prefix)
        shapes, types = reader.get_variable_to_shape_map(), reader.get_variable_to_dtype_map()
    if "_CHECKPOINTABLE_OBJECT_GRAPH" in shapes:
        raise InputError(f"{prefix} is a TF2 object checkpoint, not one in Google's TF1 layout")

    def reads(name):
        def read():
            with _reading(prefix):
                return reader.get_tensor(name)
        return read

    return {name: StoredTensor(tuple(shape), types[name].name, reads(name))
            for name, shape in shapes.items()}


@contextlib.contextmanager
def _reading(prefix):
    try:
        yield
    except _READ_ERRORS as error:
        raise InputError(f"the checkpoint {prefix} cannot be read: {reason(error)}") from error


def _stored_shape(place):
    return place.shape[::-1] if places.is_transposed(place.name) else place.shape


def _architecture(stored, prefix):
    """The architecture whose head the checkpoint holds; the encoder's where it holds none."""
    held = {architecture.google_head: architecture for architecture in architectures.every()
            if architecture.google_head is not None}
    encoder = held.pop("")
    held = {head: architecture for head, architecture in held.items()
            if any(name == head or name.startswith(f"{head}/") for name in stored)}
    if len(held) > 1:
        raise InputError(f"{prefix} holds more than one kind of head: {', '.join(held)}")
    return next(iter(held.values()), encoder)


def _settings(architecture, stored):
    values = {"next_sentence": "cls/seq_relationship/output_weights" in stored}
    if architecture.has_classes:
        values["dropout"] = 0.1  # run_classifier's, whatever the encoder's rates; run_squad has 0
        weights = stored.get("output_weights")
        values["num_classes"] = weights.shape[0] if weights is not None and weights.shape else 0
    return architecture.choose(values)
