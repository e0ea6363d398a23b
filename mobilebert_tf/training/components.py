"""The components of a model, as stages name them: embedding, blocks, pooler and heads."""

import tensorflow as tf


def components(model) -> dict[str, list[tf.Variable]]:
    """Return the trainable variables of each component that has any, by the component's name.

    The masked-LM head shares the embedding's word table, which is in `embedding` only.

    Args:
      model: an `Encoder`, a `Pretrainer` or a model of a task, whose `head` is all that is not of
        the encoder.
    Raises:
      ValueError: when a variable belongs to no component, or to two.
    """
    encoder = model.encoder
    layers = {"embedding": encoder.embedding,
              **{f"block_{index}": block for index, block in enumerate(encoder.blocks)},
              "pooler": encoder.pooler,
              "mlm": getattr(model, "mlm_head", None), "nsp": getattr(model, "nsp_head", None)}
    shared = set(map(id, encoder.embedding.trainable_variables))
    found = {}
    of_encoder = set(map(id, encoder.trainable_variables))
    for name, layer in layers.items():
        variables = [] if layer is None else layer.trainable_variables
        if name == "mlm":
            variables = [variable for variable in variables if id(variable) not in shared]
        if variables:
            found[name] = variables
    if not (layers["mlm"] or layers["nsp"]):
        head = [variable for variable in model.trainable_variables
                if id(variable) not in of_encoder]
        if head:
            found["head"] = head
    named = [id(variable) for variables in found.values() for variable in variables]
    if sorted(named) != sorted(map(id, model.trainable_variables)):
        raise ValueError(f"the components {', '.join(found)} are not all of {model.name}")
    return found
