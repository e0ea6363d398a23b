"""Encoding: the states of all tokens, for whoever builds on them."""

import dataclasses

import numpy as np

from mobilebert_tf.errors import InputError
from mobilebert_tf.kinds.exported_head import ExportedHead
from mobilebert_tf.kinds.kind import Kind
from mobilebert_tf.kinds.output import Output
from mobilebert_tf.kinds.unscored_kind import UnscoredKind


@dataclasses.dataclass(frozen=True, kw_only=True)
class Encoding(UnscoredKind):
    """The last block's states of an `Encoder`."""

    name = "encoding"
    outputs = {"sequence_output": Output("the encoder's state of each token", per_token=True)}
    output_scope = "last_block"

    @classmethod
    def matches(cls, model):
        from mobilebert_tf.models.encoder import Encoder

        return isinstance(model, Encoder)

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
        """Return the mean of the states of the real tokens, scaled to length 1."""
        states = outputs["sequence_output"]
        if not features.ids:
            return np.zeros((0, states.shape[-1]), np.float32)
        means = np.stack([rows[:len(ids)].mean(axis=0)
                          for rows, ids in zip(states, features.ids, strict=True)])
        return means / np.linalg.norm(means, axis=1, keepdims=True)
