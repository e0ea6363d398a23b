"""Start: the model that fine-tuning starts from."""

import dataclasses
import os
import typing

from mobilebert_tf import presets
from mobilebert_tf.config import Pooler
from mobilebert_tf.errors import InputError

POOLERS = typing.get_args(Pooler)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Start:
    """The model that fine-tuning starts from: either a preset or a checkpoint.

    Args:
      preset: start from random weights of this preset, or of the `EncoderConfig` in a JSON file.
      checkpoint: start from the encoder in this directory; its heads are not used.
      vocab: vocabulary file; None for the checkpoint's, or one learned from the training texts.
      pooler: replaces the encoder's; see `EncoderConfig.pooler`.
      cased: whether a preset's model keeps case and accents; a checkpoint says it of itself.
    Raises:
      InputError: for both or neither, for a cased checkpoint, and for an unknown preset or pooler.
    """

    preset: str | None = None
    checkpoint: str | os.PathLike | None = None
    vocab: str | os.PathLike | None = None
    pooler: str | None = None
    cased: bool = False

    def __post_init__(self):
        if (self.preset is None) == (self.checkpoint is None):
            raise InputError("give either a preset (random weights) or a checkpoint (a directory)")
        if self.preset is not None:
            presets.get(self.preset)
        elif self.cased:
            raise InputError("cased goes with a preset: a checkpoint says of itself whether it "
                             "keeps case")
        if self.pooler not in (None, *POOLERS):
            raise InputError(f"unknown pooler {self.pooler!r}; known are {', '.join(POOLERS)}")
