"""The flatbuffer of converted graphs: one file, inputs in order, plain names, no needless bytes."""

import hashlib

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

from mobilebert_tf import __version__
from mobilebert_tf.export.file import int8_constants, repairs

_FILE_IDENTIFIER = b"TFL3"
_RUNTIME = b"min_runtime_version"


def assemble(graphs: dict[str, bytes], input_names: tuple[str, ...], *,
             in_int8: bool) -> tuple[bytes, str]:
    """Put graphs that share their weights into one file.

    The converter changes the order of a graph's inputs, which breaks clients that go by position.
    It calls them `serving_default_ids:0`, which breaks the official benchmark's `--input_layer`:
    that splits at ":". Here graphs and signatures take their inputs in the order of `input_names`,
    and tensors have the names of the signature. Outputs stay sorted by name; for question answering
    that is end, start, the order of the published MobileBERT files.

    Inner tensors are named by their number. Equal buffers and vectors (shapes, the zero points of
    symmetric weights) are stored once, which saves 1 MB of a full-size MobileBERT.

    Args:
      graphs: signature name -> flatbuffer of one subgraph and one signature, the longest first.
        Clients without signatures run the first.
      input_names: the signatures' input names in order.
      in_int8: whether large matrices that are still float32 are stored in int8.

    Returns:
      the file, and the oldest runtime that runs it.
    """
    parts = [_parse(graph, name, input_names) for name, graph in graphs.items()]
    if in_int8:
        int8_constants.store(parts)
    content = parts[0]
    content.description = f"mobilebert-tf {__version__}".encode()
    for part in parts[1:]:
        _append(content, part)
    runtime = max((_runtime(part) for part in parts), key=_as_numbers)
    _share_buffers(content)
    _state_runtime(content, runtime)
    return pack(content), runtime


def pack(content: schema.ModelT) -> bytes:
    """Write a model as a flatbuffer, equal vectors and buffers once."""
    builder = _CompactBuilder(sum(buffer.data.nbytes for buffer in content.buffers
                                  if buffer.data is not None))
    builder.Finish(content.Pack(builder), _FILE_IDENTIFIER)
    return bytes(builder.Output())


def name_outputs(graph: bytes, scope: str) -> bytes:
    """Name a graph's output tensors SCOPE/NAME, by the names that the signature gives them."""
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
    repairs.look_up_halves(content)
    repairs.version_hybrids(content)
    for index, tensor in enumerate(subgraph.tensors):
        tensor.name = str(index).encode()
    for tensor in (*signature.inputs, *signature.outputs):
        subgraph.tensors[tensor.tensorIndex].name = tensor.name
    return content


def _append(content, part):
    """Add a part's graph behind those of the content."""
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
    """Keep one buffer of those with equal bytes, and drop those that no tensor uses."""
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
    """The oldest runtime of a graph: as the converter states it, or newer for our own features."""
    (entry,) = (entry for entry in content.metadata if entry.name == _RUNTIME)
    stated = bytes(content.buffers[entry.buffer].data).rstrip(b"\0").decode()
    return max([stated, *repairs.needed_runtimes(content)], key=_as_numbers)


def _as_numbers(version):
    return tuple(map(int, version.split(".")))


def _state_runtime(content, runtime):
    """State the runtime as the converter does; drop the converter's other metadata."""
    buffer, entry = schema.BufferT(), schema.MetadataT()
    buffer.data = np.frombuffer(runtime.encode().ljust(16, b"\0"), np.uint8)
    entry.name, entry.buffer = _RUNTIME, len(content.buffers)
    content.buffers.append(buffer)
    content.metadata = [entry]


class _CompactBuilder(flatbuffers.Builder):
    """Write equal vectors once, and bytes on 16-byte boundaries as the schema demands."""

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
