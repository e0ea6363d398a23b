"""TorchPeer: transformers' MobileBERT, trained by PyTorch in its own process."""

import dataclasses
import json
import os
import sys

from mobilebert_tf.checkpoints.huggingface_families import FAMILIES
from mobilebert_tf.child_process import ChildProcess
from mobilebert_tf.config import EncoderConfig
from mobilebert_tf.errors import InputError

_WORKER = os.path.join(os.path.dirname(__file__), "torch_worker.py")
# What is measured: in the precision that people use, in float32, and without the head, which the
# two programs compute differently.
VARIANTS = (("masked LM", "bfloat16"), ("masked LM", "float32"), ("encoder", "bfloat16"))


class TorchPeer:
    """Trains steps in PyTorch when it is asked to; its process idles between them.

    It is another process because PyTorch 2.14, or the triton that it loads, crashes in one that has
    loaded TensorFlow 2.21.

    Args:
      what: `masked LM` or `encoder`.
      precision: `float32`, or `bfloat16` for autocast.
      config: the model's.
      python: an interpreter that has torch and transformers; None for this one.
      settings: further arguments of `torch_worker`.
    Attributes:
      parameters: how many the model has.
      versions: of the packages, by name.
    Raises:
      InputError: when the model cannot be built there.
    """

    def __init__(self, what: str, precision: str, config: EncoderConfig,
                 python: str | os.PathLike | None, **settings):
        settings = {"what": what, "precision": precision, "config": _fields(config), **settings}
        self._name = f"{what} in {precision}"
        self._process = ChildProcess([python or sys.executable, _WORKER, json.dumps(settings)])
        opened = self._process.opened
        self.parameters, self.versions = opened["parameters"], opened["versions"]

    def step(self) -> float:
        """Train one step; return its seconds."""
        try:
            return self._process.ask("step")["seconds"]
        except InputError as error:
            raise InputError(f"cannot measure transformers' {self._name}: {error}") from error

    def close(self) -> None:
        self._process.close()


def _fields(config):
    """Return the arguments of transformers' MobileBertConfig."""
    family = FAMILIES["mobilebert"]
    # No step reads the pooler.
    config = dataclasses.replace(config, pooler="first_token")
    if refusal := family.refusal(config):
        raise InputError(f"transformers has no such model: its {refusal}")
    return {name: value for name, value in family.fields(config).items() if name != "model_type"}
