"""Run a file on inputs: `python answers_worker.py FILE INPUTS.npz OUTPUTS.npz`.

Arrays are named signature/row/tensor. The script imports only NumPy and LiteRT, since the emulated
processor on which it also runs has nothing else.
"""

import sys

import numpy as np
from ai_edge_litert.interpreter import Interpreter


def main(file, inputs, outputs):
    rows = {}
    for key, values in np.load(inputs).items():
        signature, row, name = key.rsplit("/", 2)
        rows.setdefault((signature, row), {})[name] = values
    interpreter = Interpreter(model_path=file)
    answers = {}
    for (signature, row), values in rows.items():
        for name, answer in interpreter.get_signature_runner(signature)(**values).items():
            answers[f"{signature}/{row}/{name}"] = answer
    np.savez(outputs, **answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
