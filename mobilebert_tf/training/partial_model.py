"""A model without what a stage does not read, so that a step does not compute it."""

from collections.abc import Iterable

import tf_keras as keras

from mobilebert_tf.training.logit_factors import LogitFactors
from mobilebert_tf.training.objectives import PROJECTED
from mobilebert_tf.training.queries_keys_values import QueriesKeysValues

_LISTS = ("block_outputs", "attention_logits")


def partial_model(model, outputs: Iterable[str], num_blocks: int | None = None,
                  projected_blocks: Iterable[int] = ()) -> keras.Model:
    """Return a Keras model that shares the weights of `model` and gives some of its outputs.

    Args:
      model: an `Encoder`, a `Pretrainer` or a model of a task.
      outputs: names of outputs of the `Encoder`; of the `Pretrainer`, if it has the heads; `head`,
        the logits of a model of a task by name; and `queries`, `keys`, `values` and
        `logit_factors`.
      num_blocks: how many blocks are computed, if only `block_outputs` and `attention_logits` are
        read; None for all.
      projected_blocks: those whose queries, keys and values are given.
    Inputs:   the encoder's, and `masked_positions` for `mlm_logits`.
    Outputs:  the named ones, by name; lists end with the last computed block. `queries`, `keys` and
      `values` are dicts: block -> `(batch, seq, width)`, of all heads. For `logit_factors`, the
      masked-LM logits of all tokens, see `LogitFactors`.
    """
    outputs = tuple(outputs)
    encoder = model.encoder
    encoded = {name: values[:num_blocks] if name in _LISTS else values
               for name, values in encoder.output.items()}
    inputs = dict(encoder.input)
    given = {name: encoded[name] for name in outputs if name in encoded}
    if not set(PROJECTED).isdisjoint(outputs):
        projected = {block: _projected(encoder, block) for block in projected_blocks}
        given.update({name: {block: values[name] for block, values in projected.items()}
                      for name in PROJECTED if name in outputs})
    if "mlm_logits" in outputs:
        inputs["masked_positions"] = model.input["masked_positions"]
        given["mlm_logits"] = model.mlm_head(encoded["sequence_output"],
                                             inputs["masked_positions"])
    if "logit_factors" in outputs:
        given["logit_factors"] = LogitFactors(model.mlm_head)(encoded["sequence_output"])
    if "head" in outputs:
        given["head"] = model.head_outputs(encoded[model.head_input])
    if "nsp_logits" in outputs:
        given["nsp_logits"] = model.nsp_head(encoded["pooled_output"])
    return keras.Model(inputs, given)


def _projected(encoder, block):
    """Return the queries, keys and values of a block, by name."""
    hidden = encoder.output["block_outputs"][block - 1] if block else (
        encoder.output["embedding_output"])
    return QueriesKeysValues(encoder.blocks[block])(hidden)
