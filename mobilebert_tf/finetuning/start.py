"""Start: what fine-tuning starts from."""

import dataclasses
import os
import typing

from mobilebert_tf import presets
from mobilebert_tf.config import Pooler
from mobilebert_tf.errors import InputError


@dataclasses.dataclass(frozen=True, kw_only=True)
class Start:
    """What fine-tuning starts from; one of preset and checkpoint.

    Args:
      preset: random weights of this preset.
      checkpoint: this directory's encoder; its heads are left behind.
      vocab: vocabulary file; else the checkpoint's, or one learned from the training texts.
      pooler: replaces the encoder's; see `EncoderConfig.pooler`.
    Raises:
      InputError: for both or neither, and an unknown preset or pooler.
    """

    preset: str | None = None
    checkpoint: str | os.PathLike | None = None
    vocab: str | os.PathLike | None = None
    pooler: str | None = None

    def __post_init__(self):
        if (self.preset is None) == (self.checkpoint is None):
            raise InputError("give either a preset (random weights) or a checkpoint (a directory)")
        if self.preset is not None:
            presets.get(self.preset)
        poolers = typing.get_args(Pooler)
        if self.pooler not in (None, *poolers):
            raise InputError(f"unknown pooler {self.pooler!r}; known are {', '.join(poolers)}")
