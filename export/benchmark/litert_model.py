"""LiteRtModel: a .tflite file of any origin, open and ready to be timed."""

import importlib.metadata
import os

from ai_edge_litert.interpreter import Interpreter, OpResolverType

from mobilebert_tf import reasons
from mobilebert_tf.errors import InputError
from mobilebert_tf.export.file import text_inputs


class LiteRtModel:
    """One signature of a file with three integer inputs, filled once.

    Args:
      file: its path.
      threads: of the CPU kernels.
      length: tokens of the signature; None for the longest.
    Attributes: `runtime`, the package's name; `length`, `signature` (None if the file has none),
      `input_bytes`.
    Raises:
      ValueError, RuntimeError: if LiteRT cannot open the file, or it has other inputs.
    """

    runtime = "ai-edge-litert"

    def __init__(self, file, threads, length=None):
        interpreter = Interpreter(model_path=os.fsencode(file), num_threads=threads)
        found = _by_length(interpreter)
        self.length = max(found) if length is None else length
        self.signature, inputs, self._subgraph = found[self.length]
        # The public calls run only the first signature's graph, or copy the outputs too.
        self._wrapper = interpreter._interpreter
        self._wrapper.AllocateTensors(self._subgraph)
        values = text_inputs.filled({name: (details["shape"], details["dtype"])
                                     for name, details in inputs.items()})
        for name, details in inputs.items():
            self._wrapper.SetTensor(details["index"], values[name], self._subgraph)
        self.input_bytes = sum(value.nbytes for value in values.values())

    def run(self) -> None:
        self._wrapper.Invoke(self._subgraph)

    @staticmethod
    def version() -> str:
        """Return the version of LiteRT."""
        return importlib.metadata.version(LiteRtModel.runtime)

    @staticmethod
    def lengths(file) -> tuple[int, ...]:
        """Return the lengths of a file's signatures, ascending.

        Raises:
          InputError: for a file that cannot be measured.
        """
        try:
            # Without the delegate, which would copy all weights.
            return tuple(sorted(_by_length(Interpreter(
                model_path=os.fsencode(file),
                experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES))))
        except (ValueError, RuntimeError) as error:
            raise InputError(f"cannot benchmark {file}: {reasons.last_line(error)}") from error


def _by_length(interpreter):
    """length -> (signature, details of its inputs by name, index of its graph)."""
    runners = {name: interpreter.get_signature_runner(name)
               for name in interpreter.get_signature_list()}
    graphs = [(name, runner.get_input_details(), runner._subgraph_index)
              for name, runner in runners.items()]
    if not graphs:
        graphs = [(None, {details["name"]: details for details in interpreter.get_input_details()},
                   0)]
    return {text_inputs.length({name: (details["shape_signature"], details["dtype"])
                                for name, details in graph[1].items()}): graph
            for graph in graphs}
