"""An encoder with another pooler and otherwise the same weights."""

import dataclasses

from mobilebert_tf.errors import InputError
from mobilebert_tf.models.encoder import Encoder


def with_pooler(encoder: Encoder, pooler: str | None) -> Encoder:
    """A copy of the encoder with this pooler; the encoder itself where it has it, or for None.

    Raises:
      InputError: for an unknown pooler, and one that a model of this kind cannot have.
    """
    if pooler in (None, encoder.config.pooler):
        return encoder
    try:
        config = dataclasses.replace(encoder.config, pooler=pooler)
    except ValueError as error:
        raise InputError(str(error)) from error
    changed = Encoder(config)
    changed.embedding.set_weights(encoder.embedding.get_weights())
    for target, source in zip(changed.blocks, encoder.blocks, strict=True):
        target.set_weights(source.get_weights())
    return changed
