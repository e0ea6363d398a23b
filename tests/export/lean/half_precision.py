"""Run a file on CPU kernels of half precision, as GPUs and many phones' CPUs may compute."""

import numpy as np
from ai_edge_litert.compiled_model import CompiledModel
from ai_edge_litert.hardware_accelerator import HardwareAccelerator
from ai_edge_litert.options import CpuOptions, Options

from mobilebert_tf.export.file.runner import INPUT_NAMES, Runner

# TFLITE_XNNPACK_DELEGATE_FLAG_FORCE_FP16: every float operation in half precision, or an error.
_FORCE_FP16 = 4


class HalfPrecisionRunner(Runner):
    """Run a file of one length like `Runner`, in half precision from its inputs on."""

    def __init__(self, file, num_threads=None):
        super().__init__(file, num_threads)
        self._model = CompiledModel.from_buffer(file, options=Options(
            hardware_accelerators=HardwareAccelerator.CPU,
            cpu_options=CpuOptions(xnnpack_flags=_FORCE_FP16)))
        self._signature = self.metadata.signature(self.length)

    def __call__(self, inputs):
        rows = [self._row({name: np.ascontiguousarray(inputs[keras_name][row:row + 1], np.int32)
                           for name, keras_name in INPUT_NAMES.items()})
                for row in range(len(inputs["input_word_ids"]))]
        return {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}

    def _row(self, values):
        given = {name: self._model.create_input_buffer_by_name(self._signature, name)
                 for name in values}
        for name, buffer in given.items():
            buffer.write(values[name])
        details = self._model.get_output_tensor_details(self._signature)
        asked = {name: self._model.create_output_buffer_by_name(self._signature, name)
                 for name in details}
        self._model.run_by_name(self._signature, given, asked)
        return {name: buffer.read(int(np.prod(details[name]["shape"])), np.float32).reshape(
            details[name]["shape"]) for name, buffer in asked.items()}
