"""Repairs of graphs that the converter and ai-edge-quantizer leave slow or wrong."""

from collections.abc import Iterator

from ai_edge_litert import schema_py_generated as schema

from mobilebert_tf.export.file import int8_constants

# A dense layer of float activations and int8 or int4 weights with one scale a row. Older runtimes
# use the first scale for all rows, unless the version of the operation keeps them from loading it.
_HYBRID_VERSION, _HYBRID_RUNTIME = 12, "2.17.0"
# For look-ups of half-precision rows and for int4 weights. The oldest runtime seen to be right is
# LiteRT 1.4.0, which came out with TensorFlow 2.20.
_HALF_ROWS_RUNTIME = _INT4_RUNTIME = "2.20.0"


def look_up_halves(content: schema.ModelT) -> None:
    """Look rows of a half-precision table up before widening them.

    The converter widens the whole table first, 4 million numbers at every run of a full-size model.
    """
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
    subgraph.operators = _widened_where_read(operators, widened.values())


def _widened_where_read(operators, widenings):
    """The operators, with each widening before the first that reads its result.

    The delegate takes no look-up: widenings before it would be a partition of their own.
    """
    ordered, waiting = [], {id(operator): operator for operator in widenings}
    results = {operator.outputs[0]: operator for operator in widenings}
    for operator in operators:
        if id(operator) in waiting:
            continue
        for tensor in operator.inputs:
            if tensor in results and id(results[tensor]) in waiting:
                ordered.append(waiting.pop(id(results[tensor])))
        ordered.append(operator)
    return ordered


def version_hybrids(content: schema.ModelT) -> None:
    """Give hybrid dense layers of many scales the version that they need.

    ai-edge-quantizer 0.10 leaves an older version, so that older runtimes load the file and answer
    wrongly.
    """
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


def needed_runtimes(content: schema.ModelT) -> Iterator[str]:
    """Yield the oldest runtimes for the features that the converter does not check."""
    if any(code.builtinCode == schema.BuiltinOperator.FULLY_CONNECTED
           and code.version >= _HYBRID_VERSION for code in content.operatorCodes):
        yield _HYBRID_RUNTIME
    if any(code.builtinCode == schema.BuiltinOperator.DEQUANTIZE
           and code.version >= int8_constants.VERSION for code in content.operatorCodes):
        yield int8_constants.RUNTIME
    for subgraph in content.subgraphs:
        if any(_code(content, operator) == schema.BuiltinOperator.GATHER
               and subgraph.tensors[operator.inputs[0]].type == schema.TensorType.FLOAT16
               for operator in subgraph.operators):
            yield _HALF_ROWS_RUNTIME
        if any(tensor.type == schema.TensorType.INT4 for tensor in subgraph.tensors):
            yield _INT4_RUNTIME


def _code(content, operator):
    return content.operatorCodes[operator.opcodeIndex].builtinCode
