"""A model without what a stage does not read, so that a step does not compute it."""

from collections.abc import Iterable

import tf_keras as keras

_LISTS = ("block_outputs", "attention_logits")


def partial_model(model, outputs: Iterable[str], num_blocks: int | None = None) -> keras.Model:
    """Return a Keras model that shares the weights of `model` and gives some of its outputs.

    Args:
      model: an `Encoder`, a `Pretrainer` or a model of a task.
      outputs: names of outputs of the `Encoder`; of the `Pretrainer`, if it has the heads; and
        `head`, the logits of a model of a task by name.
      num_blocks: how many blocks are computed, if only `block_outputs` and `attention_logits` are
        read; None for all.
    Inputs:   the encoder's, and `masked_positions` for `mlm_logits`.
    Outputs:  the named ones, by name; lists end with the last computed block.
    """
    outputs = tuple(outputs)
    encoder = model.encoder
    encoded = {name: values[:num_blocks] if name in _LISTS else values
               for name, values in encoder.output.items()}
    inputs = dict(encoder.input)
    given = {name: encoded[name] for name in outputs if name in encoded}
    if "mlm_logits" in outputs:
        inputs["masked_positions"] = model.input["masked_positions"]
        given["mlm_logits"] = model.mlm_head(encoded["sequence_output"],
                                             inputs["masked_positions"])
    if "head" in outputs:
        given["head"] = model.head_outputs(encoded[model.head_input])
    if "nsp_logits" in outputs:
        given["nsp_logits"] = model.nsp_head(encoded["pooled_output"])
    return keras.Model(inputs, given)
