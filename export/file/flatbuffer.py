"""The flatbuffer of converted graphs, put in order: inputs, names, and no needless bytes."""

import hashlib

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

from mobilebert_tf import __version__

_FILE_IDENTIFIER = b"TFL3"
_RUNTIME = b"min_runtime_version"
# A dense layer of float activations and int8 or int4 weights with a scale a row: what older
# runtimes take for one with a single scale, unless its version keeps them from it.
_HYBRID_VERSION, _HYBRID_RUNTIME = 12, "2.17.0"
# Rows of half precision looked up, and int4 weights: the oldest runtime seen to be right is
# LiteRT 1.4.0, of the time of TensorFlow 2.20.
_HALF_ROWS_RUNTIME = _INT4_RUNTIME = "2.20.0"


def assemble(graphs: dict[str, bytes], input_names: tuple[str, ...]) -> tuple[bytes, str]:
    """One file of graphs that share their weights; returns it with the oldest runtime for it.

    The converter orders a graph's inputs as it likes and calls them `serving_default_ids:0`.
    Clients that go by position break on the first; the official benchmark's `--input_layer`,
    which splits at ":", on the second. Here graphs and signatures take `input_names` in that
    order and inputs and outputs are called what the signature calls them. Outputs stay sorted by
    name; for question answering that is end, start, the order of the published MobileBERT files.

    Inner tensors get their number for a name, and equal buffers and vectors (shapes, the zero
    points of symmetric weights) are stored once: 1 MB less of a full-size MobileBERT.

    Args:
      graphs: a flatbuffer of one subgraph and one signature by the name that the signature is to
        have. The first is what clients without signatures run.
      input_names: the signatures' input names, in the order wanted.
    """
    parts = [_parse(graph, name, input_names) for name, graph in graphs.items()]
    content = parts[0]
    content.description = f"mobilebert-tf {__version__}".encode()
    for part in parts[1:]:
        _append(content, part)
    runtime = max((_runtime(part) for part in parts), key=_as_numbers)
    _share_buffers(content)
    _state_runtime(content, runtime)
    return pack(content), runtime


def pack(content: schema.ModelT) -> bytes:
    """The flatbuffer of a model, with equal vectors and buffers written once."""
    builder = _CompactBuilder(sum(buffer.data.nbytes for buffer in content.buffers
                                  if buffer.data is not None))
    builder.Finish(content.Pack(builder), _FILE_IDENTIFIER)
    return bytes(builder.Output())


def name_outputs(graph: bytes, scope: str) -> bytes:
    """The graph with its output tensors called what the signature calls them, within a scope."""
    content = schema.ModelT.InitFromObj(schema.Model.GetRootAs(graph, 0))
    (subgraph,), (signature,) = content.subgraphs, content.signatureDefs
    for output in signature.outputs:
        subgraph.tensors[output.tensorIndex].name = f"{scope}/{output.name.decode()}".encode()
    return pack(content)


def _parse(graph, signature_name, input_names):
    content = schema.ModelT.InitFromObj(schema.Model.GetRootAs(graph, 0))
    for buffer in content.buffers:
        if buffer.offset:  # ai-edge-quantizer puts large ones behind the flatbuffer
            buffer.data = np.frombuffer(graph, np.uint8, buffer.size, buffer.offset)
            buffer.offset = buffer.size = 0
    (subgraph,), (signature,) = content.subgraphs, content.signatureDefs
    signature.signatureKey = subgraph.name = signature_name.encode()
    signature.inputs.sort(key=lambda tensor: input_names.index(tensor.name.decode()))
    signature.outputs.sort(key=lambda tensor: tensor.name)
    subgraph.inputs = [tensor.tensorIndex for tensor in signature.inputs]
    subgraph.outputs = [tensor.tensorIndex for tensor in signature.outputs]
    _look_up_halves(content)
    _version_hybrids(content)
    for index, tensor in enumerate(subgraph.tensors):
        tensor.name = str(index).encode()
    for tensor in (*signature.inputs, *signature.outputs):
        subgraph.tensors[tensor.tensorIndex].name = tensor.name
    return content


def _look_up_halves(content):
    """Has rows of a half-precision table looked up, then widened: the converter widens the whole
    table first, 4 million numbers at every run of a full-size model."""
    (subgraph,) = content.subgraphs
    operators, tensors = subgraph.operators, subgraph.tensors
    widened = {operator.outputs[0]: operator for operator in operators
               if _code(content, operator) == schema.BuiltinOperator.DEQUANTIZE
               and tensors[operator.inputs[0]].type == schema.TensorType.FLOAT16}
    for gather in list(operators):
        is_gather = _code(content, gather) == schema.BuiltinOperator.GATHER
        if not is_gather or gather.inputs[0] not in widened:
            continue
        widen = widened[gather.inputs[0]]
        rows = schema.TensorT()
        rows.shape, rows.type = tensors[gather.outputs[0]].shape, schema.TensorType.FLOAT16
        tensors.append(rows)
        (result,) = gather.outputs
        gather.inputs = [widen.inputs[0], *gather.inputs[1:]]
        gather.outputs = widen.inputs = [len(tensors) - 1]
        widen.outputs = [result]
    # Weights are widened where they are read, not first of all: what comes before a look-up would
    # be a piece of its own for the delegate, which takes no look-up.
    ordered, waiting = [], {id(operator): operator for operator in widened.values()}
    results = {operator.outputs[0]: operator for operator in waiting.values()}
    for operator in operators:
        if id(operator) in waiting:
            continue
        for tensor in operator.inputs:
            if tensor in results and id(results[tensor]) in waiting:
                ordered.append(waiting.pop(id(results[tensor])))
        ordered.append(operator)
    subgraph.operators = ordered


def _code(content, operator):
    return content.operatorCodes[operator.opcodeIndex].builtinCode


def _version_hybrids(content):
    """Gives hybrid dense layers of many scales the version that they need; ai-edge-quantizer
    0.10 leaves an older one, with which older runtimes load the file and answer wrongly."""
    (subgraph,), new = content.subgraphs, None
    for operator in subgraph.operators:
        if _code(content, operator) != schema.BuiltinOperator.FULLY_CONNECTED:
            continue
        code = content.operatorCodes[operator.opcodeIndex]
        inputs, weights = (subgraph.tensors[index] for index in operator.inputs[:2])
        if (inputs.type == schema.TensorType.FLOAT32 and weights.type in (
                schema.TensorType.INT8, schema.TensorType.INT4)
                and len(weights.quantization.scale) > 1 and code.version < _HYBRID_VERSION):
            if new is None:
                new = len(content.operatorCodes)
                code = schema.OperatorCodeT()
                code.builtinCode = code.deprecatedBuiltinCode = (
                    schema.BuiltinOperator.FULLY_CONNECTED)
                code.version = _HYBRID_VERSION
                content.operatorCodes.append(code)
            operator.opcodeIndex = new


def _append(content, part):
    """Adds a part's graph to the content, behind those that it has."""
    codes = {_code_key(code): index for index, code in enumerate(content.operatorCodes)}
    (subgraph,), (signature,) = part.subgraphs, part.signatureDefs
    for operator in subgraph.operators:
        code = part.operatorCodes[operator.opcodeIndex]
        if _code_key(code) not in codes:
            codes[_code_key(code)] = len(content.operatorCodes)
            content.operatorCodes.append(code)
        operator.opcodeIndex = codes[_code_key(code)]
    for tensor in subgraph.tensors:
        tensor.buffer += len(content.buffers)
    signature.subgraphIndex = len(content.subgraphs)
    content.buffers += part.buffers
    content.subgraphs.append(subgraph)
    content.signatureDefs.append(signature)


def _code_key(code):
    return code.builtinCode, code.version, code.customCode


def _share_buffers(content):
    """Keeps one buffer of those with equal bytes, and none that no tensor has."""
    kept, places = [schema.BufferT()], {}
    for subgraph in content.subgraphs:
        for tensor in subgraph.tensors:
            data = content.buffers[tensor.buffer].data
            if data is None:
                tensor.buffer = 0  # by convention the empty one
                continue
            key = hashlib.sha256(np.asarray(data, np.uint8).tobytes()).digest()
            if key not in places:
                places[key] = len(kept)
                kept.append(content.buffers[tensor.buffer])
            tensor.buffer = places[key]
    content.buffers = kept


def _runtime(content):
    """The oldest runtime that the converter states for a graph, or that what is ours needs."""
    (entry,) = (entry for entry in content.metadata if entry.name == _RUNTIME)
    stated = bytes(content.buffers[entry.buffer].data).rstrip(b"\0").decode()
    hybrid = any(code.builtinCode == schema.BuiltinOperator.FULLY_CONNECTED
                 and code.version >= _HYBRID_VERSION for code in content.operatorCodes)
    half_rows = any(
        _code(content, operator) == schema.BuiltinOperator.GATHER
        and subgraph.tensors[operator.inputs[0]].type == schema.TensorType.FLOAT16
        for subgraph in content.subgraphs for operator in subgraph.operators)
    int4 = any(tensor.type == schema.TensorType.INT4
               for subgraph in content.subgraphs for tensor in subgraph.tensors)
    needed = [stated, *[_HYBRID_RUNTIME] * hybrid, *[_HALF_ROWS_RUNTIME] * half_rows,
              *[_INT4_RUNTIME] * int4]
    return max(needed, key=_as_numbers)


def _as_numbers(version):
    return tuple(map(int, version.split(".")))


def _state_runtime(content, runtime):
    """Notes the runtime as the converter does, and drops its other notes about itself."""
    buffer, entry = schema.BufferT(), schema.MetadataT()
    buffer.data = np.frombuffer(runtime.encode().ljust(16, b"\0"), np.uint8)
    entry.name, entry.buffer = _RUNTIME, len(content.buffers)
    content.buffers.append(buffer)
    content.metadata = [entry]


class _CompactBuilder(flatbuffers.Builder):
    """Writes equal vectors once, and bytes on 16-byte boundaries as the schema asks."""

    def __init__(self, size):
        super().__init__(size)
        self._written = {}

    def CreateNumpyVector(self, values):
        key = (values.dtype.str, hashlib.sha256(values.tobytes()).digest())
        if key not in self._written:
            if values.dtype == "uint8":
                self.Prep(16, values.nbytes)
            self._written[key] = super().CreateNumpyVector(values)
        return self._written[key]
