"""Quantize a converted float graph by a recipe's rules, with ai-edge-quantizer."""

import contextlib
import io
from collections.abc import Mapping

import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_quantizer import calibrator, qtyping, quantizer, recipe_manager
from ai_edge_quantizer.algorithm_manager import AlgorithmName
from ai_edge_quantizer.utils import qsv_utils

from mobilebert_tf.export.lean import places
from mobilebert_tf.export.lean.rewrites import MASKED_BELOW
from mobilebert_tf.export.recipes import Recipe

# Operations that move values, and the index of the operand that they move.
_LAYOUT = {schema.BuiltinOperator.TRANSPOSE: 0, schema.BuiltinOperator.RESHAPE: 0,
           schema.BuiltinOperator.SPLIT: 1}


def calibrate(graph: bytes, recipe: Recipe, examples, ranges) -> dict:
    """Learn the range of every tensor that a recipe quantizes.

    Args:
      graph: float32, of one signature, with the tensor names of `lean.graph`.
      examples: dicts of the signature's inputs, int32 `(1, length)`.
      ranges: `ranges.measured` of the model behind the graph.
    Returns:
      ranges by tensor name, for `quantize`; they hold for the model's graphs of other lengths too.
    """
    with _quietly():
        found = _extremes(graph, recipe, examples)
    content = schema.ModelT.InitFromObj(schema.Model.GetRootAs(graph, 0))
    (subgraph,) = content.subgraphs
    known = {}
    for name in found.keys() & set(_right_operands(content, subgraph)):
        # XNNPACK multiplies int8 activations only where the right operand has the zero point 0.
        most = float(max(-np.min(found[name]["min"]), np.max(found[name]["max"])))
        known[name] = (-most * 128 / 127, most)
    for name in found:
        place = places.masked_logits(name)
        if place is not None:
            # Masked logits may saturate: the mask needs no exactness, the logits do.
            known[name] = (float(ranges[place].low) - MASKED_BELOW, float(ranges[place].high))
    for name, (low, high) in known.items():
        shape = np.shape(found[name]["min"])
        found[name] = {**found[name], "min": np.full(shape, low, np.float32),
                       "max": np.full(shape, high, np.float32)}
    return found


def quantize(graph: bytes, recipe: Recipe, calibration: Mapping) -> bytes:
    """Return the graph in the numbers of the recipe's rules.

    Args:
      graph: as for `calibrate`.
      calibration: the result of `calibrate`.
    """
    with _quietly():
        return bytes(_quantizer(graph, recipe).quantize(calibration).quantized_model)


def _extremes(graph, recipe, examples):
    """The lowest and the highest value of every tensor over all examples, by tensor name.

    `Quantizer.calibrate` would give moving averages over the examples. They clip half of all values
    of a tensor that holds one number for each text, such as a score.
    """
    rules = recipe_manager.RecipeManager()
    rules.load_quantization_recipe(_quantizer(graph, recipe).get_quantization_recipe())
    result = calibrator.Calibrator(graph, num_threads=2, qsv_update_func=qsv_utils.min_max_update)
    result.calibrate({"serving_default": examples}, rules)
    return result.get_model_qsvs()


def _quantizer(graph, recipe):
    result = quantizer.Quantizer(graph)
    for rule in recipe.rules:
        scope = f".*{rule.scope}.*"
        for name in rule.operations:
            operation = qtyping.TFLOperationName(name)
            if rule.arithmetic == "static_int8":
                result.add_static_config(scope, operation, 8, 8)
            elif rule.arithmetic == "float32":
                result.update_quantization_recipe(
                    scope, operation, algorithm_key=AlgorithmName.NO_QUANTIZE)
            else:
                result.add_dynamic_config(scope, operation, int(rule.arithmetic[-1]))
    # Clients pass int32 and read float32.
    for end in (qtyping.TFLOperationName.INPUT, qtyping.TFLOperationName.OUTPUT):
        result.update_quantization_recipe(".*", end, algorithm_key=AlgorithmName.NO_QUANTIZE)
    return result


def _right_operands(content, subgraph):
    """Names of the right operands of matrix products of two activations, back to their sources."""
    def code(operator):
        return content.operatorCodes[operator.opcodeIndex].builtinCode

    producers = {output: operator for operator in subgraph.operators
                 for output in operator.outputs}
    for operator in subgraph.operators:
        if code(operator) != schema.BuiltinOperator.BATCH_MATMUL:
            continue
        tensor = operator.inputs[1]
        yield subgraph.tensors[tensor].name.decode()
        while tensor in producers and code(producers[tensor]) in _LAYOUT:
            source = producers[tensor]
            tensor = source.inputs[_LAYOUT[code(source)]]
            yield subgraph.tensors[tensor].name.decode()


@contextlib.contextmanager
def _quietly():
    """Suppress the quantizer's progress bars and sizes."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield
