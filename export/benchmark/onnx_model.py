"""OnnxModel: an .onnx file of anybody, open in ONNX Runtime and ready to be timed."""

import importlib.util
import os

import numpy as np

from mobilebert_tf.errors import InputError
from mobilebert_tf.export.benchmark.filled_inputs import filled_inputs

PACKAGE = "onnxruntime"
_TYPES = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class OnnxModel:
    """A file with three integer inputs, given values once. As `LiteRtModel`, of one length."""

    signature = None

    def __init__(self, file, threads, length=None):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        try:
            self._session = onnxruntime.InferenceSession(
                os.fspath(file), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # those of ONNX Runtime share no other class
            raise ValueError(str(error)) from error
        inputs = self._session.get_inputs()
        if len(inputs) != 3 or any(
                one.type not in _TYPES or len(one.shape) != 2
                or not all(isinstance(size, int) for size in one.shape) for one in inputs):
            raise ValueError("it should have three integer inputs of a fixed shape (1, length): "
                             "ids, mask, segment ids")
        self._values = filled_inputs({one.name: (one.shape, _TYPES[one.type]) for one in inputs})
        self.length = inputs[0].shape[1]
        self.input_bytes = sum(value.nbytes for value in self._values.values())

    def run(self) -> None:
        self._session.run(None, self._values)


def check_installed(file) -> None:
    """InputError where there is no ONNX Runtime to measure the file with."""
    if importlib.util.find_spec("onnxruntime") is None:
        raise InputError(f"cannot benchmark {file}: ONNX Runtime is not installed; "
                         "run `pip install 'mobilebert-tf[peers]'`")
