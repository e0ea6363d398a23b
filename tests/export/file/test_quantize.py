"""Calibrated recipes: which operations compute in int8, and how near files are to Keras."""

import dataclasses
import functools
import typing

import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema

import mobilebert_tf as mb
from mobilebert_tf import config
from mobilebert_tf.export import RECIPES, Runner
from mobilebert_tf.export.file import convert, quantize
from mobilebert_tf.export.lean import places, ranges, rewrites
from mobilebert_tf.export.lean.from_keras import from_keras
from mobilebert_tf.export.lean.ranges import Range
from mobilebert_tf.kinds.embedding import Embedding
from mobilebert_tf.kinds.encoding import Encoding

from ..conftest import KINDS, LENGTH, examples, randomize
from ..flatbuffers import parse

FLOAT, INT8 = schema.TensorType.FLOAT32, schema.TensorType.INT8
BLOCKS = 2
CONFIG = dataclasses.replace(mb.presets.get("micro"), num_blocks=BLOCKS)
CALIBRATION = examples(count=32)


def attentive(encoder):
    """Sharpen the attention of random weights, so that the mask matters."""
    for block in encoder.blocks:
        for layer in (block.attention.query, block.attention.key):
            layer.kernel.assign(2 * layer.kernel)
    return encoder


@pytest.fixture(scope="module")
def encoder():
    return attentive(randomize(mb.Encoder(CONFIG)))


@pytest.fixture(scope="module")
def export(encoder):
    """recipe, calibration -> the encoder's file; files of the default calibration are cached."""
    done = {}

    def of(recipe, calibration=CALIBRATION, keep=True):
        if recipe in done and keep and calibration is CALIBRATION:
            return done[recipe]
        content = mb.export.to_tflite(encoder, recipe, (LENGTH,), calibration=calibration).model
        if keep and calibration is CALIBRATION:
            done[recipe] = content
        return content

    return of


def operations(model):
    """(name, tensors read, tensors written) of every operation of a file's graph."""
    content = parse(model)
    names = {value: name for name, value in vars(schema.BuiltinOperator).items()
             if isinstance(value, int)}
    (graph,) = content.subgraphs
    for operator in graph.operators:
        yield (names[content.operatorCodes[operator.opcodeIndex].builtinCode],
               [graph.tensors[index] for index in operator.inputs if index >= 0],
               [graph.tensors[index] for index in operator.outputs])


def numbers(model, name):
    """(type of the first input, type of the first output) of each operation of this name."""
    return [(read[0].type, written[0].type)
            for one, read, written in operations(model) if one == name]


def test_int8_has_dense_layers_and_sums_in_int8_and_attention_in_float():
    model = randomize(KINDS["classification"](mb.Encoder(CONFIG)))
    content = mb.export.to_tflite(model, "int8", (LENGTH,), calibration=CALIBRATION).model
    assert numbers(content, "BATCH_MATMUL") == [(FLOAT, FLOAT)] * 2 * BLOCKS
    assert numbers(content, "SOFTMAX") == [(FLOAT, FLOAT)] * (BLOCKS + 1)
    # One in the embedding. In a block: three bottlenecks, query, key, value, the attention's output
    # and two in each of three feed-forwards.
    dense = numbers(content, "FULLY_CONNECTED")
    assert dense.count((INT8, INT8)) == 1 + 13 * BLOCKS
    assert dense.count((FLOAT, FLOAT)) == len(dense) - dense.count((INT8, INT8)) == 1  # the head
    sums = numbers(content, "ADD")
    assert sums.count((INT8, INT8)) >= 5 * BLOCKS
    # Two in the embedding, and one for the mask in each block.
    assert sums.count((FLOAT, FLOAT)) == len(sums) - sums.count((INT8, INT8)) == 2 + BLOCKS


def test_full_int8_has_all_of_attention_in_int8(export):
    content = export("full_int8")
    assert numbers(content, "BATCH_MATMUL") == [(INT8, INT8)] * 2 * BLOCKS
    assert numbers(content, "SOFTMAX") == [(INT8, INT8)] * BLOCKS
    for name in ("FULLY_CONNECTED", "ADD", "MUL"):
        assert set(numbers(content, name)) == {(INT8, INT8)}
    assert len(numbers(content, "DEQUANTIZE")) == 1  # the file's output


def right_zero_points(content):
    return [int(read[1].quantization.zeroPoint[0])
            for name, read, _ in operations(content) if name == "BATCH_MATMUL"]


def test_right_operands_have_the_zero_point_that_xnnpack_multiplies(export, monkeypatch):
    assert right_zero_points(export("full_int8")) == [0] * 2 * BLOCKS
    monkeypatch.setattr(quantize, "_right_operands", lambda content, subgraph: ())
    assert any(right_zero_points(export("full_int8", keep=False)))


def test_softmaxes_read_the_logits_range_and_little_below(encoder, export):
    """The mask saturates 16 below the logits: its own range would leave no steps for them."""
    lean = from_keras(encoder, Encoding())
    lean = rewrites.rewritten(lean, RECIPES["full_int8"].rewrites,
                              ranges.measured(lean, CALIBRATION))
    # Not the Keras model's logits: keys without their shift add a constant to those of a query.
    found = ranges.measured(lean, CALIBRATION)
    read = [read[0].quantization for name, read, _ in operations(export("full_int8"))
            if name == "SOFTMAX"]
    assert len(read) == BLOCKS
    for index, quantization in enumerate(read):
        logits = found[places.logits(index)]
        scale, zero_point = float(quantization.scale[0]), int(quantization.zeroPoint[0])
        assert scale * (127 - zero_point) == pytest.approx(float(logits.high), abs=scale)
        assert scale * (-128 - zero_point) == pytest.approx(float(logits.low) - 16, abs=scale)


def error(encoder, content):
    """The relative error of the states of real tokens, on other texts."""
    inputs = examples(count=32, seed=9)
    real = inputs["input_mask"] == 1
    expected = encoder(inputs)["sequence_output"].numpy()[real]
    actual = Runner(content)(inputs)["sequence_output"][real]
    return np.sqrt(np.mean((actual - expected) ** 2) / np.mean(expected ** 2))


@pytest.mark.parametrize(("recipe", "most"), [
    ("dynamic_int8", 0.01), ("int8", 0.025), ("full_int8", 0.025)])
def test_accuracy(recipe, most, encoder, export):
    assert 1e-4 < error(encoder, export(recipe)) < most


@functools.cache
def scorer(pooler):
    """A regression model of random weights; every recipe exports the same one."""
    encoder = attentive(randomize(mb.Encoder(dataclasses.replace(CONFIG, pooler=pooler))))
    model = mb.Classifier(encoder, num_classes=1)
    model.head.kernel.assign(
        np.random.default_rng(3).normal(size=model.head.kernel.shape))
    return model


def error_of_scores(model, recipe, inputs, calibration):
    """The root mean square error, relative to the deviation of the scores."""
    content = mb.export.to_tflite(model, recipe, (LENGTH,), calibration=calibration).model
    expected, actual = model(inputs).numpy(), Runner(content)(inputs)["score"]
    return np.sqrt(np.mean((actual - expected) ** 2)) / expected.std()


@pytest.mark.parametrize(("recipe", "most"), [
    ("float16", 0.01), ("dynamic_int8", 0.04), ("int8", 0.12), ("full_int8", 0.3)])
@pytest.mark.parametrize("pooler", typing.get_args(config.Pooler))
def test_scores_by_every_pooler(pooler, recipe, most):
    inputs = examples(count=32, seed=9)
    assert 0 < error_of_scores(scorer(pooler), recipe, inputs, CALIBRATION) < most


@pytest.mark.parametrize(("recipe", "most"), [
    ("float32", 1e-5), ("float16", 0.01), ("dynamic_int8", 0.04), ("int8", 0.12),
    ("full_int8", 0.3)])
def test_one_text_where_pairs_are_compared(recipe, most):
    """The mean over no tokens is 0, and half precision holds no epsilon of 1e-12."""
    single, calibration = ({**inputs, "input_type_ids": np.zeros_like(inputs["input_type_ids"])}
                           for inputs in (examples(count=32, seed=9), CALIBRATION))
    assert error_of_scores(scorer("segment_match"), recipe, single, calibration) < most


def test_a_range_as_wide_as_the_mask_shows(encoder, export, monkeypatch):
    real = quantize.calibrate

    def as_wide(graph, recipe, rows, ranges):
        return real(graph, recipe, rows, {
            place: Range(one.low - 1e4, one.high) if place.kind == "logits" else one
            for place, one in ranges.items()})

    monkeypatch.setattr(quantize, "calibrate", as_wide)
    assert error(encoder, export("full_int8", keep=False)) > 0.055


def unequal():
    """An encoder whose blocks write and read channels at very different scales."""
    encoder = randomize(mb.Encoder(CONFIG))
    random = np.random.default_rng(0)
    for block in encoder.blocks:
        pairs = [(block.attention.value, block.attention_output.dense)]
        pairs += [(one.intermediate, one.output_dense.dense) for one in block.feed_forwards]
        for writer, reader in pairs:
            scale = 10 ** random.uniform(-2, 2, writer.bias.shape)
            writer.kernel.assign(writer.kernel * scale)
            writer.bias.assign(writer.bias * scale)
            reader.kernel.assign(reader.kernel / scale[:, np.newaxis])
    return encoder


def test_channels_of_unequal_ranges_are_equalized(monkeypatch):
    encoder = unequal()

    def exported():
        return mb.export.to_tflite(encoder, "int8", (LENGTH,), calibration=CALIBRATION).model

    assert error(encoder, exported()) < 0.045
    monkeypatch.setitem(rewrites.REWRITES, "fold_and_equalize", lambda model, ranges: model)
    assert error(encoder, exported()) > 0.2


def test_texts_without_padding_teach_the_mask_too(encoder, export, monkeypatch):
    """If no padding was calibrated, an int8 mask would have the range 0 and be 0."""
    full = {**CALIBRATION, "input_mask": np.ones_like(CALIBRATION["input_mask"])}
    inputs = examples(count=32, seed=9)
    unmasked = {**inputs, "input_mask": np.ones_like(inputs["input_mask"])}
    real = inputs["input_mask"] == 1

    def effect():
        runner = Runner(export("full_int8", full))
        change = runner(inputs)["sequence_output"] - runner(unmasked)["sequence_output"]
        return np.max(np.abs(change[real]))

    assert effect() > 0.05
    rows = convert._rows
    monkeypatch.setattr(convert, "_rows", lambda calibration: rows(calibration)[:-1])
    assert effect() == 0


def test_int8_takes_the_dense_layers_of_a_layer_norm_model_and_not_its_norms():
    encoder = randomize(mb.Encoder(mb.presets.get("micro_bert")))
    report = mb.export.to_tflite(encoder, "int8", (LENGTH,), calibration=CALIBRATION).report
    assert report.xnnpack_partitions == 1  # an int8 norm would split the graph
    in_float = mb.export.to_tflite(encoder, "float32", (LENGTH,)).report
    assert report.bytes < 0.6 * in_float.bytes


def test_a_sentence_is_pooled_and_normalized_in_float(encoder, monkeypatch):
    """In int8 a mean and a length would lose more than all the blocks."""
    model = mb.SentenceEncoder(encoder)
    inputs = examples(count=32, seed=9)
    expected = model(inputs).numpy()

    def exported():
        return mb.export.to_tflite(model, "full_int8", (LENGTH,), calibration=CALIBRATION).model

    def errors(content):
        """(1 - cosine, error of the length), the mean and the largest."""
        found = Runner(content)(inputs)["sentence_embedding"]
        lengths = np.linalg.norm(found, axis=1)
        cosines = np.sum(found * expected, axis=1) / lengths
        return np.mean(1 - cosines), np.max(np.abs(lengths - 1))

    content = exported()
    assert set(numbers(content, "SUM")) == {(FLOAT, FLOAT)}
    assert set(numbers(content, "FULLY_CONNECTED")) == {(INT8, INT8)}
    direction, length = errors(content)
    assert direction < 1e-4
    assert length < 1e-6
    recipe = RECIPES["full_int8"]
    monkeypatch.setitem(RECIPES, "full_int8", dataclasses.replace(recipe, rules=recipe.rules[:1]))
    monkeypatch.setattr(Embedding, "rules", ())
    direction_in_int8, length_in_int8 = errors(exported())
    assert direction_in_int8 > 2 * direction
    assert length_in_int8 > 0.03
