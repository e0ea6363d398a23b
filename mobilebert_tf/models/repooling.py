"""An encoder with another pooler and otherwise the same weights."""

import dataclasses

from mobilebert_tf.models.encoder import Encoder


def with_pooler(encoder: Encoder, pooler: str | None) -> Encoder:
    """A copy of the encoder with this pooler; the encoder itself where it has it, or for None.

    Raises:
      ValueError: for an unknown pooler.
    """
    if pooler in (None, encoder.config.pooler):
        return encoder
    changed = Encoder(dataclasses.replace(encoder.config, pooler=pooler))
    changed.embedding.set_weights(encoder.embedding.get_weights())
    for target, source in zip(changed.blocks, encoder.blocks, strict=True):
        target.set_weights(source.get_weights())
    return changed
