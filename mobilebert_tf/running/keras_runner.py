"""KerasRunner: a Keras model that runs as an exported file does."""

import functools
import os
from collections.abc import Callable

import numpy as np
import tensorflow as tf

from mobilebert_tf.data.features.batches import width_for
from mobilebert_tf.errors import InputError
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.text.tokenizer import Tokenizer


class KerasRunner:
    """Runs a Keras model on batches, as a `ModelRunner`.

    Args:
      contents: the model with its vocabulary.
      length: the most tokens of a row.
      source: the model's path, for messages.
      length_for: tokens of a row -> the width that it is padded to; None for `width_for`.
      pairs: as of `ModelRunner`.
    Raises:
      InputError: if there is no vocabulary, or the model has fewer positions.
    """

    def __init__(self, contents: ModelDirectory, length: int, source: str | os.PathLike,
                 length_for: Callable[[int], int] | None = None, pairs: bool | None = None):
        require_vocabulary(contents, source)
        positions = contents.model.config.max_positions
        if length > positions:
            raise InputError(f"{source} has {positions} positions; give a length of at most "
                             f"{positions}")
        self.kind, self.length, self.pairs = contents.kind, length, pairs
        self.length_for = length_for or functools.partial(width_for, length=length)
        self.tokenizer = Tokenizer(contents.vocabulary, contents.lower_case)
        # One graph for every batch size and width; without one, each layer is called from Python.
        shapes = {name: tf.TensorSpec((None, None), tf.int32)
                  for name in ("input_word_ids", "input_mask", "input_type_ids")}
        self._run = tf.function(
            lambda inputs: contents.kind.keras_outputs(contents.model, inputs),
            input_signature=[shapes], autograph=False)

    def __call__(self, inputs) -> dict[str, np.ndarray]:
        return {name: values.numpy() for name, values in self._run(inputs).items()}


def require_vocabulary(contents: ModelDirectory, source: str | os.PathLike) -> None:
    """Raise InputError if the model at `source` has no vocabulary."""
    if contents.vocabulary is None:
        raise InputError(f"{source} has no vocabulary: put its vocab.txt beside the model")
