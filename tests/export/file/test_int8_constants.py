"""Position tables and heads that quantized files hold in int8."""

import dataclasses

import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema

import mobilebert_tf as mb
from mobilebert_tf.export import Runner
from mobilebert_tf.export.file import flatbuffer as graph_file
from mobilebert_tf.export.file import int8_constants
from mobilebert_tf.export.file.metadata import attach

from ..conftest import examples, randomize
from ..flatbuffers import parse

SHORT, LONG, CLASSES = 16, 300, 300
OPERATORS = {value: name for name, value in vars(schema.BuiltinOperator).items()
             if isinstance(value, int)}


@pytest.fixture(scope="module")
def model():
    """A classifier whose position table and output layer are above the limit."""
    config = dataclasses.replace(mb.presets.get("micro"), num_blocks=1, max_positions=LONG)
    return randomize(mb.Classifier(mb.Encoder(config), CLASSES))


@pytest.fixture(scope="module")
def files(model):
    """The int8 file of two lengths, and the same with its matrices left in float32."""
    def export():
        return mb.export.to_tflite(model, "int8", (SHORT, LONG), calibration=examples(
            length=SHORT)).model

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(int8_constants, "store", lambda graphs: None)
        as_floats = export()
    return export(), as_floats


def values(content, tensor, kind):
    return content.buffers[tensor.buffer].data.view(kind).reshape(tensor.shape)


def float_matrices(content):
    """The large float32 constants of each graph: by the operation that reads them."""
    return [{OPERATORS[content.operatorCodes[operator.opcodeIndex].builtinCode]: tensor
             for operator in graph.operators for tensor in
             (graph.tensors[index] for index in operator.inputs if index >= 0)
             if tensor.type == schema.TensorType.FLOAT32 and len(tensor.shape) == 2
             and content.buffers[tensor.buffer].data is not None}
            for graph in content.subgraphs]


def widened(content):
    """What each graph widens channel by channel: by the operation that reads the result."""
    def reader(graph, result):
        (operator,) = (operator for operator in graph.operators if result in operator.inputs)
        return OPERATORS[content.operatorCodes[operator.opcodeIndex].builtinCode]

    return [{reader(graph, operator.outputs[0]): graph.tensors[operator.inputs[0]]
             for operator in graph.operators
             if content.operatorCodes[operator.opcodeIndex].version == 5
             and OPERATORS[content.operatorCodes[operator.opcodeIndex].builtinCode] == "DEQUANTIZE"}
            for graph in content.subgraphs]


def test_the_table_and_the_head_are_in_int8(files):
    content, as_floats = map(parse, files)
    floats = float_matrices(as_floats)
    assert all(set(graph) == {"ADD", "FULLY_CONNECTED"} for graph in floats)
    assert not any(float_matrices(content))
    for before, after in zip(floats, widened(content), strict=True):
        assert set(after) == set(before)
        for reader, axis in (("ADD", 1), ("FULLY_CONNECTED", 0)):
            stored, expected = after[reader], values(as_floats, before[reader], np.float32)
            assert stored.quantization.quantizedDimension == axis
            assert not np.any(stored.quantization.zeroPoint)
            scales = np.expand_dims(stored.quantization.scale, 1 - axis)
            # A symmetric scale a channel: half a step is the largest error.
            error = np.abs(values(content, stored, np.int8) * scales - expected)
            assert np.all(error <= 0.5001 * scales)
            assert error.max() > 0.4 * scales.min()
    # By hand: of the longest graph, the largest number of each channel is 127 steps.
    longest, most = widened(content)[0], values(as_floats, floats[0]["ADD"], np.float32)
    np.testing.assert_allclose(longest["ADD"].quantization.scale,
                               np.abs(most).max(axis=0) / 127, rtol=1e-6)


def test_a_position_has_the_same_numbers_at_every_length(files):
    content = parse(files[0])
    long, short = (values(content, graph["ADD"], np.int8) for graph in widened(content))
    assert (len(long), len(short)) == (LONG, SHORT)
    np.testing.assert_array_equal(short, long[:SHORT])
    scales = [graph["ADD"].quantization.scale for graph in widened(content)]
    np.testing.assert_array_equal(*scales)


def test_the_file_computes_with_the_rounded_numbers(files):
    """A file of floats that holds the rounded numbers gives the same outputs to the last digits."""
    content, by_hand = map(parse, files)
    for floats, graph in zip(float_matrices(by_hand), widened(content), strict=True):
        for reader, axis in (("ADD", 1), ("FULLY_CONNECTED", 0)):
            stored = graph[reader]
            scales = np.expand_dims(stored.quantization.scale, 1 - axis)
            rounded = values(content, stored, np.int8).astype(np.float32) * scales
            by_hand.buffers[floats[reader].buffer].data = rounded.view(np.uint8).ravel()
    runner = Runner(files[0])
    for length in (SHORT, LONG):
        inputs = examples(4, length)
        found, before = (Runner(file)(inputs)["probabilities"] for file in files)
        expected = Runner(_with_metadata(by_hand, runner.metadata))(inputs)["probabilities"]
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=0)
        assert np.max(np.abs(before - expected) / expected) > 1e-3


def test_it_is_smaller_and_one_partition_and_names_its_runtime(files):
    small, large = files
    width = mb.presets.get("micro").hidden_size
    numbers = (LONG + SHORT + CLASSES) * width  # three bytes less each, and the scales more
    assert 2.8 * numbers < len(large) - len(small) < 3 * numbers
    partitions = {Runner(file).delegation()[0] for file in files}
    assert len(partitions) == 1
    runtimes = [Runner(file).metadata.runtime for file in (small, large)]
    assert runtimes == ["2.7.0", "2.3.0"]


@pytest.mark.parametrize(("recipe", "stored"), [
    ("float32", False), ("float16", False), ("dynamic_int8", False), ("int4", True)])
def test_recipes_without_the_quantizer_keep_their_matrices(recipe, stored, model):
    """The GPU runs files of dynamic_int8 completely, and rejects this widening."""
    content = parse(mb.export.to_tflite(model, recipe, (LONG,)).model)
    assert bool(widened(content)[0]) is stored


def test_small_matrices_stay_as_they_are():
    encoder = mb.Encoder(dataclasses.replace(mb.presets.get("micro"), num_blocks=1))
    content = parse(mb.export.to_tflite(randomize(mb.Classifier(encoder, 3)), "int8", (SHORT,),
                                        calibration=examples(length=SHORT)).model)
    assert float_matrices(content)[0]
    assert not widened(content)[0]


def _with_metadata(content, metadata):
    return attach(graph_file.pack(content), metadata)
