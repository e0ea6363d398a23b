"""Large float matrices that quantized graphs still hold, stored in int8."""

import numpy as np
from ai_edge_litert import schema_py_generated as schema

# DEQUANTIZE with a scale for each channel, and the oldest runtime that has it.
VERSION, RUNTIME = 5, "2.7.0"
# Matrices of fewer numbers would save less than 24 KB.
_LEAST = 8_192
# The axis that has the scales: the columns of a table that a sum reads, and the outputs of a dense
# layer.
_AXES = {schema.BuiltinOperator.ADD: -1, schema.BuiltinOperator.FULLY_CONNECTED: 0}


def store(graphs: list[schema.ModelT]) -> None:
    """Store the large float matrices of one model's graphs in int8.

    The graphs compute the sum of the embeddings and the head in float32. They keep doing so. But
    the position table and the weights of the head become int8, symmetric, with a scale for each
    column or output. The graph widens them where it reads them.

    Args:
      graphs: of one subgraph each. The longest comes first: its matrices and scales hold for all,
        so that a position has the same numbers at every length.
    """
    for matrices in zip(*map(_matrices, graphs), strict=True):
        axis, index = matrices[0]
        values = _values(graphs[0], index)
        if values.size < _LEAST:
            continue
        others = tuple(other for other in range(values.ndim) if other != axis)
        scales = np.max(np.abs(values), axis=others, keepdims=True) / np.float32(127)
        scales[scales == 0] = 1
        for graph, (_, index) in zip(graphs, matrices, strict=True):
            _narrow(graph, index, axis, scales)


def _matrices(graph):
    """Each constant float matrix once, in order: the axis of its scales, and its tensor's index."""
    (subgraph,) = graph.subgraphs
    found = {index: _AXES[code] % len(subgraph.tensors[index].shape)
             for operator in subgraph.operators
             if (code := graph.operatorCodes[operator.opcodeIndex].builtinCode) in _AXES
             for index in operator.inputs
             if index >= 0 and _is_matrix(graph, subgraph.tensors[index])}
    return [(axis, index) for index, axis in found.items()]


def _is_matrix(graph, tensor):
    return (tensor.type == schema.TensorType.FLOAT32 and len(tensor.shape) > 1
            and graph.buffers[tensor.buffer].data is not None)


def _values(graph, index):
    tensor = graph.subgraphs[0].tensors[index]
    data = np.asarray(graph.buffers[tensor.buffer].data, np.uint8)
    return data.view(np.float32).reshape(tensor.shape)


def _narrow(graph, index, axis, scales):
    """Store a tensor in int8, and widen it right before its first reader.

    Further ahead, the widening would be a partition of its own for XNNPACK.
    """
    (subgraph,) = graph.subgraphs
    buffer = schema.BufferT()
    buffer.data = np.round(_values(graph, index) / scales).astype(np.int8).view(np.uint8).ravel()
    graph.buffers.append(buffer)
    stored, read = schema.TensorT(), subgraph.tensors[index]
    stored.name = str(len(subgraph.tensors)).encode()
    stored.type, stored.shape = schema.TensorType.INT8, read.shape
    stored.buffer = len(graph.buffers) - 1
    stored.quantization = schema.QuantizationParametersT()
    stored.quantization.scale = scales.ravel()
    stored.quantization.zeroPoint = np.zeros(scales.size, np.int64)
    stored.quantization.quantizedDimension = axis
    subgraph.tensors.append(stored)
    read.buffer = 0  # by convention the empty one
    widen = schema.OperatorT()
    widen.opcodeIndex = _widening_code(graph)
    widen.inputs, widen.outputs = [len(subgraph.tensors) - 1], [index]
    widen.builtinOptionsType = schema.BuiltinOptions.DequantizeOptions
    widen.builtinOptions = schema.DequantizeOptionsT()
    reader = next(place for place, operator in enumerate(subgraph.operators)
                  if index in operator.inputs)
    subgraph.operators.insert(reader, widen)


def _widening_code(graph):
    """The index of the operation code, which is added if the graph has none."""
    for place, code in enumerate(graph.operatorCodes):
        if code.builtinCode == schema.BuiltinOperator.DEQUANTIZE and code.version == VERSION:
            return place
    code = schema.OperatorCodeT()
    code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.DEQUANTIZE
    code.version = VERSION
    graph.operatorCodes.append(code)
    return len(graph.operatorCodes) - 1
