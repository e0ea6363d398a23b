"""MaskedLM: the likeliest pieces at one masked position of each row."""

import functools
import hashlib
import json
import os

import numpy as np

from mobilebert_tf import model_directory
from mobilebert_tf.errors import InputError
from mobilebert_tf.text.tokenizer import Tokenizer

# The tokens of a forward pass: attention over 32 rows of 512 tokens and 12 heads takes 400 MB.
_TOKENS = 16384


class MaskedLM:
    """A `Pretrainer` that fills one mask in each row of a batch.

    Args:
      model: a `Pretrainer`.
      tokenizer: of the model.

    Attributes: `tokenizer`; `max_positions`; `word_table`, float32 `(vocab, size)`, the input word
      embeddings.
    """

    def __init__(self, model, tokenizer: Tokenizer):
        self.tokenizer = tokenizer
        self.max_positions = model.config.max_positions
        self.word_table = np.asarray(model.encoder.embedding.word_table, np.float32)
        self._model = model
        self._best = _best_of(model)

    @classmethod
    def load(cls, path: str | os.PathLike) -> "MaskedLM":
        """Load a model directory, a .keras file or a Hugging Face directory.

        Raises:
          InputError: if there is none, or it has no masked-LM head or no vocabulary.
        """
        from mobilebert_tf.models.pretrainer import Pretrainer

        contents = model_directory.load(path)
        if not isinstance(contents.model, Pretrainer):
            raise InputError(f"{path} has no masked-LM head: it holds a model for "
                             f"{contents.kind.name}; name one that was pre-trained with masks and "
                             "kept its head")
        if contents.vocabulary is None:
            raise InputError(f"{path} has no vocab.txt: put the model's vocabulary there")
        return cls(contents.model, Tokenizer(contents.vocabulary, contents.lower_case))

    @functools.cached_property
    def fingerprint(self) -> str:
        """A hash of the config, the weights and the tokenizer."""
        found = hashlib.sha256(json.dumps([
            self._model.config.to_json(), self.tokenizer.vocabulary.pieces,
            self.tokenizer.lower_case]).encode())
        for weight in self._model.weights:
            found.update(np.ascontiguousarray(weight.numpy()))
        return found.hexdigest()

    def best(self, ids: np.ndarray, type_ids: np.ndarray, positions: np.ndarray,
             count: int) -> np.ndarray:
        """Return the pieces with the highest logits, best first.

        Args:
          ids, type_ids: int32 `(rows, seq)`, without padding.
          positions: int32 `(rows,)`, the masked position of each row.
          count: pieces for each row; at most the vocabulary is returned.
        Returns:
          int `(rows, count)`, ids of pieces.
        """
        step = max(1, _TOKENS // ids.shape[1])
        count = min(count, len(self.tokenizer.vocabulary))
        return np.concatenate([
            self._best(ids[start:start + step], type_ids[start:start + step],
                       positions[start:start + step, None], count).numpy()
            for start in range(0, len(ids), step)])


def _best_of(model):
    import tensorflow as tf

    rows = tf.TensorSpec((None, None), tf.int32)

    @tf.function(input_signature=[rows, rows, rows, tf.TensorSpec((), tf.int32)])
    def best(ids, type_ids, positions, count):
        logits = model({"input_word_ids": ids, "input_mask": tf.ones_like(ids),
                        "input_type_ids": type_ids, "masked_positions": positions},
                       training=False)["mlm_logits"]
        return tf.math.top_k(logits[:, 0], count).indices

    return best
