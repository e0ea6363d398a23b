"""Fill-mask: the piece of the vocabulary that belongs at each [MASK]."""

import dataclasses

import numpy as np

from mobilebert_tf.data.features.features import Features
from mobilebert_tf.errors import InputError
from mobilebert_tf.kinds.exported_head import ExportedHead
from mobilebert_tf.kinds.head_rule import HeadRule
from mobilebert_tf.kinds.output import Output
from mobilebert_tf.kinds.ranking import ranked, softmax
from mobilebert_tf.kinds.unscored_kind import UnscoredKind
from mobilebert_tf.text.packing import join

_MASK = "[MASK]"


@dataclasses.dataclass(frozen=True, kw_only=True)
class FillMask(UnscoredKind):
    """The masked-LM head of a `Pretrainer` at every position.

    The answer is a distribution per [MASK], with the names of the pieces.
    """

    name = "fill_mask"
    shortest_text = _MASK
    outputs = {"mlm_logits": Output("score of each piece for each token, before the softmax",
                                    per_token=True)}
    output_scope = "head/vocabulary"
    # The largest matrix of the model: int8 weights, but activations as they come.
    rules = (HeadRule("int8", ("FULLY_CONNECTED",), "dynamic_int8", "head/vocabulary"),)

    @classmethod
    def matches(cls, model):
        from mobilebert_tf.models.pretrainer import Pretrainer

        return isinstance(model, Pretrainer)

    def keras_outputs(self, model, inputs):
        # A static graph does not know which positions a caller masks: it predicts all of them.
        states = model.encoder(inputs, training=False)["sequence_output"]
        return self.graph_outputs(model.mlm_head(states))

    def graph_outputs(self, values):
        return {"mlm_logits": values}

    @classmethod
    def exported_head(cls, model):
        layer = model.mlm_head
        return ExportedHead(hidden=layer.dense, norm=layer.norm, output=_OutputMatrix(layer))

    def rows(self, examples, tokenizer, length):
        seconds = examples.second_texts or [None] * len(examples.texts)
        rows = [_row(tokenizer, text, second, length)
                for text, second in zip(examples.texts, seconds, strict=True)]
        return Features([ids for ids, _ in rows], [first for _, first in rows],
                        origin=[tokenizer.vocabulary] * len(rows))

    def answers(self, outputs, examples, features):
        return [[(softmax(logits[position]), vocabulary.pieces)
                 for position, token in enumerate(ids) if token == vocabulary.mask_id]
                for logits, ids, vocabulary in zip(outputs["mlm_logits"], features.ids,
                                                   features.origin, strict=True)]

    def to_json(self, answer, example, top_k):
        return {"masks": [ranked(probabilities, pieces, top_k, "piece")
                          for probabilities, pieces in answer]}

    def lines(self, prediction):
        for number, pieces in enumerate(prediction["masks"], 1):
            if len(prediction["masks"]) > 1:
                yield f"mask {number}"
            for entry in pieces:
                yield f"{entry['probability']:7.4f}  {entry['piece']}"


class _OutputMatrix:
    """The output layer of a masked-LM head as a dense layer: its kernel is the word table."""

    def __init__(self, layer):
        table = np.asarray(layer.embedding.word_table, np.float32)
        if layer.extra_kernel is not None:
            table = np.concatenate([table, np.asarray(layer.extra_kernel, np.float32)], axis=1)
        self.kernel, self.bias = table.T, layer.output_bias


def _row(tokenizer, text, second_text, length):
    """The ids of a text with masks, and the length of its first segment."""
    vocabulary = tokenizer.vocabulary
    parts = [_ids_with_masks(tokenizer, part) for part in (text, second_text) if part is not None]
    ids, first = join(*parts, length=sum(map(len, parts)) + 3, cls_id=vocabulary.cls_id,
                      sep_id=vocabulary.sep_id)
    if all(parts) and vocabulary.mask_id not in ids:
        raise InputError(f"the text {text!r} has no {_MASK} to fill")
    if len(ids) > length:
        raise InputError(f"the text {text[:40]!r} has {len(ids)} tokens, above the length of "
                         f"{length}; shorten it, give a model a greater --length, or export a file "
                         "with greater --lengths")
    return np.array(ids, np.int32), first


def _ids_with_masks(tokenizer, text):
    """The ids of a text in which every "[MASK]" is the special piece; the tokenizer splits it."""
    ids = []
    for index, part in enumerate(text.split(_MASK)):
        ids += [tokenizer.vocabulary.mask_id] * (index > 0) + tokenizer.encode(part)
    return ids
