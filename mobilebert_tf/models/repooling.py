"""An encoder with another pooler and otherwise the same weights."""

import dataclasses

from mobilebert_tf.errors import InputError
from mobilebert_tf.models.encoder import Encoder


def with_pooler(encoder: Encoder, pooler: str | None) -> Encoder:
    """Return a copy of the encoder with another pooler; the encoder itself if it has that one.

    Args:
      encoder: its weights are copied, but for its pooler's.
      pooler: see `EncoderConfig.pooler`; None keeps the encoder's.
    Raises:
      InputError: for an unknown pooler, or one that the encoder's config cannot have.
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
