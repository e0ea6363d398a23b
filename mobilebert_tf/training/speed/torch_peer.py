"""TorchPeer: transformers' MobileBERT, trained by PyTorch in a process of its own."""

import dataclasses
import json
import os
import sys

from mobilebert_tf.checkpoints.huggingface_families import FAMILIES
from mobilebert_tf.child_process import ChildProcess
from mobilebert_tf.config import EncoderConfig
from mobilebert_tf.errors import InputError

_WORKER = os.path.join(os.path.dirname(__file__), "torch_worker.py")
# What is measured: as people train it, without its savings, and without the head, where the two
# programs do different things.
VARIANTS = (("masked LM", "bfloat16"), ("masked LM", "float32"), ("encoder", "bfloat16"))


class TorchPeer:
    """Steps of PyTorch, each when it is asked for; the process idles between them.

    PyTorch 2.14, or the triton that it loads, crashes in a process that holds TensorFlow 2.21.

    Args:
      what: `masked LM` or `encoder`.
      precision: `float32`, or `bfloat16` for autocast.
      config: of the model.
      python: an interpreter that has torch and transformers; None for this one.
      settings: further ones of `torch_worker`.
    Attributes: `parameters` of the model, and `versions` of the packages.
    Raises:
      InputError: where the model cannot be built there, with the reason.
    """

    def __init__(self, what: str, precision: str, config: EncoderConfig,
                 python: str | os.PathLike | None, **settings):
        settings = {"what": what, "precision": precision, "config": _fields(config), **settings}
        self._name = f"{what} in {precision}"
        self._process = ChildProcess([python or sys.executable, _WORKER, json.dumps(settings)])
        opened = self._process.opened
        self.parameters, self.versions = opened["parameters"], opened["versions"]

    def step(self) -> float:
        """Trains one step; returns its seconds."""
        try:
            return self._process.ask("step")["seconds"]
        except InputError as error:
            raise InputError(f"cannot measure transformers' {self._name}: {error}") from error

    def close(self) -> None:
        self._process.close()


def _fields(config):
    """The arguments of transformers' MobileBertConfig; no step of these reads the pooler."""
    family = FAMILIES["mobilebert"]
    config = dataclasses.replace(config, pooler="first_token")
    if refusal := family.refusal(config):
        raise InputError(f"transformers has no such model: its {refusal}")
    return {name: value for name, value in family.fields(config).items() if name != "model_type"}
