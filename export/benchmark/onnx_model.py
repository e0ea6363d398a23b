"""OnnxModel: an .onnx file of any origin, open in ONNX Runtime and ready to be timed."""

import os

import numpy as np
import onnxruntime

from mobilebert_tf import reasons
from mobilebert_tf.errors import InputError
from mobilebert_tf.export.file import text_inputs

_TYPES = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class OnnxModel:
    """A file with three integer inputs, filled once; like `LiteRtModel`, of one length."""

    runtime = "onnxruntime"
    signature = None

    def __init__(self, file, threads, length=None):
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

    @staticmethod
    def version() -> str:
        """Return the version of ONNX Runtime, whichever of its packages is installed."""
        return onnxruntime.__version__

    @staticmethod
    def lengths(file) -> tuple[int]:
        """Return the only length.

        Raises:
          InputError: for a file that cannot be measured.
        """
        try:
            return (OnnxModel(file, threads=1).length,)
        except ValueError as error:
            raise InputError(f"cannot benchmark {file}: {reasons.last_line(error)}") from error
