"""Encoding: the states of all tokens, for whoever builds on them."""

import dataclasses
import typing

import numpy as np

from mobilebert_tf.config import EmbeddingPooler
from mobilebert_tf.data.features.settings import KindSettings
from mobilebert_tf.errors import InputError
from mobilebert_tf.kinds.exported_head import ExportedHead
from mobilebert_tf.kinds.kind import Kind
from mobilebert_tf.kinds.output import Output
from mobilebert_tf.kinds.unscored_kind import UnscoredKind


@dataclasses.dataclass(frozen=True, kw_only=True)
class _EncodingSettings(KindSettings):
    """How a sentence embedding is made of the states.

    Args:
      embedding_pooler: `mean`, over the real tokens; or `first_token`, the state of [CLS].
    Raises:
      InputError: for another value.
    """

    embedding_pooler: EmbeddingPooler = "mean"

    def __post_init__(self):
        known = typing.get_args(EmbeddingPooler)
        if self.embedding_pooler not in known:
            raise InputError(f"the setting embedding_pooler should be one of {', '.join(known)}. "
                             f"Received: {self.embedding_pooler!r}")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Encoding(UnscoredKind):
    """The last block's states of an `Encoder`."""

    name = "encoding"
    outputs = {"sequence_output": Output("the encoder's state of each token", per_token=True)}
    output_scope = "last_block"
    settings_type = _EncodingSettings

    @classmethod
    def matches(cls, model):
        from mobilebert_tf.models.encoder import Encoder

        return isinstance(model, Encoder)

    def embedded_by(self, embedding_pooler):
        return self if embedding_pooler is None else self.with_settings(
            embedding_pooler=embedding_pooler)

    def keras_outputs(self, model, inputs):
        return self.graph_outputs(model(inputs, training=False)["sequence_output"])

    def graph_outputs(self, values):
        return {"sequence_output": values}

    @classmethod
    def exported_head(cls, model):
        return ExportedHead()

    def examples(self, texts, second_texts):
        return Kind.examples(self, texts, second_texts)

    def answers(self, outputs, examples, features):
        raise InputError("states of tokens are no answers")

    def to_json(self, answer, example, top_k):
        raise InputError("states of tokens are no answers")

    def lines(self, prediction):
        raise InputError("states of tokens are no answers")

    def vectors(self, outputs, features):
        """Return the states pooled as the settings say, scaled to length 1."""
        states = outputs["sequence_output"]
        if not features.ids:
            return np.zeros((0, states.shape[-1]), np.float32)
        pooled = _POOL[self.used_settings.embedding_pooler](states, features.ids)
        return pooled / np.linalg.norm(pooled, axis=1, keepdims=True)


def _means(states, ids):
    """Return the mean of the states of each row's real tokens."""
    return np.stack([rows[:len(tokens)].mean(axis=0)
                     for rows, tokens in zip(states, ids, strict=True)])


_POOL = {"mean": _means, "first_token": lambda states, ids: np.stack([rows[0] for rows in states])}
