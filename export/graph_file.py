"""The flatbuffer of a converted model, put in order: inputs, names, and no needless bytes."""

import hashlib

import flatbuffers
from ai_edge_litert import schema_py_generated as schema

from .. import __version__

_FILE_IDENTIFIER = b"TFL3"
_KEPT_METADATA = b"min_runtime_version"


def tidy(model: bytes, input_names: tuple[str, ...]) -> tuple[bytes, str]:
    """Returns the model with plain names in a fixed order, and the oldest runtime for it.

    The converter orders a graph's inputs as it likes and calls them `serving_default_ids:0`.
    Clients that go by position break on the first; the official benchmark's `--input_layer`,
    which splits at ":", on the second. Here graph and signature take `input_names` in that order
    and inputs and outputs are called what the signature calls them. Outputs stay sorted by name;
    for question answering that is end, start, the order of the published MobileBERT files.

    Inner tensors get their number for a name, and equal vectors (shapes, the zero points of
    symmetric weights) are stored once: 1 MB less of a full-size MobileBERT.

    Args:
      model: a flatbuffer of one subgraph and one signature.
      input_names: the signature's input names, in the order wanted.
    """
    content = schema.ModelT.InitFromObj(schema.Model.GetRootAs(model, 0))
    (graph,), (signature,) = content.subgraphs, content.signatureDefs
    content.description = f"mobilebert-tf {__version__}".encode()
    signature.inputs.sort(key=lambda tensor: input_names.index(tensor.name.decode()))
    signature.outputs.sort(key=lambda tensor: tensor.name)
    graph.inputs = [tensor.tensorIndex for tensor in signature.inputs]
    graph.outputs = [tensor.tensorIndex for tensor in signature.outputs]
    for index, tensor in enumerate(graph.tensors):
        tensor.name = str(index).encode()
    for tensor in (*signature.inputs, *signature.outputs):
        graph.tensors[tensor.tensorIndex].name = tensor.name
    runtime = _keep_runtime_only(content)
    builder = _CompactBuilder(len(model))
    builder.Finish(content.Pack(builder), _FILE_IDENTIFIER)
    return bytes(builder.Output()), runtime


def _keep_runtime_only(content):
    """Drops the converter's notes about itself; returns the runtime version that it states."""
    for entry in content.metadata:
        if entry.name != _KEPT_METADATA:
            content.buffers[entry.buffer].data = None
    (entry,) = content.metadata = [
        entry for entry in content.metadata if entry.name == _KEPT_METADATA]
    return bytes(content.buffers[entry.buffer].data).rstrip(b"\0").decode()


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
