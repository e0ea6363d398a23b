"""Run a file on a GPU: `python gpu_worker.py ACCELERATORS FILE INPUTS.npz OUTPUTS.npz`.

ACCELERATORS is "GPU" or "GPU|CPU". It needs its own process: the accelerator writes its messages to
standard error and may end the process.
"""

import sys

import numpy as np
from ai_edge_litert.compiled_model import CompiledModel
from ai_edge_litert.hardware_accelerator import HardwareAccelerator
from ai_edge_litert.options import GpuOptions, Options


def main(accelerators, file, inputs, outputs):
    rows = {}
    for key, values in np.load(inputs).items():
        signature, row, name = key.rsplit("/", 2)
        rows.setdefault((signature, row), {})[name] = values
    allowed = HardwareAccelerator(0)
    for name in accelerators.split("|"):
        allowed |= HardwareAccelerator[name]
    model = CompiledModel.from_file(file, options=Options(
        hardware_accelerators=allowed, gpu_options=GpuOptions(enforce_f32=True)))
    answers = {}
    for (signature, row), values in rows.items():
        given = {}
        for name, value in values.items():
            given[name] = model.create_input_buffer_by_name(signature, name)
            given[name].write(value)
        details = model.get_output_tensor_details(signature)
        asked = {name: model.create_output_buffer_by_name(signature, name) for name in details}
        model.run_by_name(signature, given, asked)
        for name, buffer in asked.items():
            shape, dtype = details[name]["shape"], np.dtype(details[name]["dtype"])
            answers[f"{signature}/{row}/{name}"] = buffer.read(
                int(np.prod(shape)), dtype).reshape(shape)
    np.savez(outputs, **answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
