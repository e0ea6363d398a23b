"""LiteRtModel: a .tflite file of anybody, open and ready to be timed."""

import os

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from mobilebert_tf.errors import InputError
from mobilebert_tf.export.benchmark.filled_inputs import filled_inputs

PACKAGE = "ai-edge-litert"


class LiteRtModel:
    """One signature of a file with three integer inputs each, given values once.

    Args:
      file: its path.
      threads: of the CPU kernels.
      length: which signature, by its tokens; None for the longest.
    Attributes: `length`, `signature` (None where the file has none), `input_bytes`.
    Raises:
      ValueError, RuntimeError: where LiteRT cannot open the file, or its inputs are others.
    """

    def __init__(self, file, threads, length=None):
        interpreter = Interpreter(model_path=os.fspath(file), num_threads=threads)
        found = _by_length(interpreter)
        self.length = max(found) if length is None else length
        self.signature, inputs, self._subgraph = found[self.length]
        # The calls behind the public ones, which run the first signature's graph only, or copy
        # the outputs too.
        self._wrapper = interpreter._interpreter
        self._wrapper.AllocateTensors(self._subgraph)
        values = filled_inputs({name: (details["shape"], details["dtype"])
                                for name, details in inputs.items()})
        for name, details in inputs.items():
            self._wrapper.SetTensor(details["index"], values[name], self._subgraph)
        self.input_bytes = sum(value.nbytes for value in values.values())

    def run(self) -> None:
        self._wrapper.Invoke(self._subgraph)


def lengths(file) -> tuple[int, ...]:
    """The lengths of a file's signatures, ascending; InputError where it cannot be measured."""
    try:
        # Without the delegate, which would lay out all weights anew.
        return tuple(sorted(_by_length(Interpreter(
            model_path=os.fspath(file),
            experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES))))
    except (ValueError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[-1]
        raise InputError(f"cannot benchmark {file}: {reason}") from error


def _by_length(interpreter):
    """length -> (signature, details of its inputs by name, index of its graph)."""
    runners = {name: interpreter.get_signature_runner(name)
               for name in interpreter.get_signature_list()}
    graphs = [(name, runner.get_input_details(), runner._subgraph_index)
              for name, runner in runners.items()]
    if not graphs:
        graphs = [(None, {details["name"]: details for details in interpreter.get_input_details()},
                   0)]
    found = {}
    for name, inputs, subgraph in graphs:
        if len(inputs) != 3 or any(
                not np.issubdtype(details["dtype"], np.integer) or len(details["shape"]) != 2
                or -1 in details["shape_signature"] for details in inputs.values()):
            raise ValueError("it should have three integer inputs of a fixed shape (1, length): "
                             "ids, mask, segment ids")
        found[int(next(iter(inputs.values()))["shape"][1])] = name, inputs, subgraph
    return found
