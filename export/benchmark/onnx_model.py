"""OnnxModel: an .onnx file of any origin, open in ONNX Runtime and ready to be timed."""

import importlib.util
import os

import numpy as np

from mobilebert_tf.errors import InputError
from mobilebert_tf.export.file import text_inputs

PACKAGE = "onnxruntime"
_TYPES = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class OnnxModel:
    """A file with three integer inputs, filled once; like `LiteRtModel`, of one length."""

    signature = None

    def __init__(self, file, threads, length=None):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        try:
            self._session = onnxruntime.InferenceSession(
                os.fspath(file), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # ONNX Runtime's exceptions share no other class
            raise ValueError(str(error)) from error
        inputs = {one.name: (one.shape, _TYPES.get(one.type, object))
                  for one in self._session.get_inputs()}
        self.length = text_inputs.length(inputs)
        self._values = text_inputs.filled(inputs)
        self.input_bytes = sum(value.nbytes for value in self._values.values())

    def run(self) -> None:
        self._session.run(None, self._values)


def check_installed(file) -> None:
    """Raise an InputError if ONNX Runtime is not there to measure the file with."""
    if importlib.util.find_spec("onnxruntime") is None:
        raise InputError(f"cannot benchmark {file}: ONNX Runtime is not installed; "
                         "run `pip install 'mobilebert-tf[peers]'`")
