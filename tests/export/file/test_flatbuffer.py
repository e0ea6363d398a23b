"""Several graphs in one file, repairs of converted graphs, and reproducible bytes."""

import dataclasses
import types

import flatbuffers
import numpy as np
import pytest
import tensorflow as tf
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter
from ai_edge_quantizer import qtyping, quantizer

import mobilebert_tf as mb
from mobilebert_tf.export import RECIPES, Runner
from mobilebert_tf.export.file import flatbuffer as graph_file
from mobilebert_tf.export.file import repairs
from mobilebert_tf.export.file.runner import INPUT_NAMES

from ..conftest import KINDS, LENGTH, calibration_for, examples, randomize
from ..flatbuffers import parse

SHORT = 8
BOTH = (SHORT, LENGTH)
# Recipes that learn ranges at the longest length, with its paddings, for all lengths.
STATIC = ("int8", "full_int8")


@pytest.fixture(scope="module")
def exports():
    """(recipe, lengths, kind) -> the file of a model with one block and no vocabulary."""
    encoder = mb.Encoder(dataclasses.replace(mb.presets.get("micro"), num_blocks=1))
    done, models = {}, {}

    def export(recipe, lengths, kind="tagging", again=False):
        if kind not in models:
            models[kind] = randomize(KINDS[kind](encoder))
        if (recipe, lengths, kind) not in done or again:
            # The same texts for all lengths, for equal ranges.
            done[recipe, lengths, kind] = mb.export.to_tflite(
                models[kind], recipe, lengths,
                calibration=calibration_for(recipe, length=SHORT)).model
        return done[recipe, lengths, kind]

    return export


def constants(content):
    """The sizes of the constants that each graph reads, by buffer."""
    return [{tensor.buffer: content.buffers[tensor.buffer].data.nbytes
             for tensor in subgraph.tensors if content.buffers[tensor.buffer].data is not None}
            for subgraph in content.subgraphs]


@pytest.mark.parametrize("recipe", RECIPES)
def test_lengths_share_their_weights(recipe, exports):
    both, alone = exports(recipe, BOTH), exports(recipe, (LENGTH,))
    long, short = constants(parse(both))
    # All but the position table, which is as long as the inputs.
    own = sum(short[buffer] for buffer in short.keys() - long.keys() if short[buffer] >= 512)
    assert own <= 4 * 48 * SHORT
    assert sum(short[buffer] for buffer in short.keys() & long.keys()) > 0.75 * sum(
        short.values())
    # The rest is the graph, which is as large as that of a full-size block.
    assert len(both) - len(alone) < 12_000


def test_weights_that_are_not_shared_show(exports, monkeypatch):
    monkeypatch.setattr(graph_file, "hashlib",
                        types.SimpleNamespace(sha256=lambda data: Unequal()))
    both = exports("float32", BOTH, "regression")
    monkeypatch.undo()
    long, short = constants(parse(both))
    assert not long.keys() & short.keys()
    assert len(both) - len(exports("float32", (LENGTH,), "regression")) > 40_000


class Unequal:
    def digest(self):
        return self


def rms(values):
    return np.sqrt(np.mean(values ** 2))


@pytest.mark.parametrize("recipe", RECIPES)
def test_each_signature_is_the_file_of_its_length(recipe, exports):
    both = Runner(exports(recipe, BOTH))
    assert both.metadata.lengths == BOTH
    for length in BOTH:
        inputs = examples(count=4, length=length, seed=9)
        actual = both(inputs)["logits"]
        expected = Runner(exports(recipe, (length,)))(inputs)["logits"]
        assert actual.shape == (4, length, 5)
        if recipe in STATIC and length == SHORT:
            real = inputs["input_mask"] == 1
            assert rms(actual[real] - expected[real]) < 0.08 * rms(expected[real])
        else:
            np.testing.assert_array_equal(actual, expected)


def test_the_runner_takes_the_shortest_signature_that_fits(exports):
    runner = Runner(exports("float32", BOTH))
    for width, length in ((5, SHORT), (SHORT, SHORT), (SHORT + 1, LENGTH), (LENGTH, LENGTH)):
        inputs = examples(count=2, length=width)
        assert runner(inputs)["logits"].shape == (2, length, 5)
    with pytest.raises(mb.InputError, match="takes 12 tokens. Received: inputs of 13"):
        runner(examples(count=1, length=LENGTH + 1))


def test_the_runner_takes_no_rows_and_names_what_is_wrong_with_inputs(exports):
    runner, inputs = Runner(exports("float32", BOTH)), examples(count=2, length=SHORT)
    none = runner({name: values[:0] for name, values in inputs.items()})
    assert {name: (values.shape, values.dtype.name) for name, values in none.items()} == {
        "logits": ((0, SHORT, 5), "float32")}
    with pytest.raises(mb.InputError, match="needs the input input_mask"):
        runner({name: inputs[name] for name in ("input_word_ids", "input_type_ids")})
    for wrong in (inputs["input_mask"][:1], inputs["input_mask"][0], inputs["input_mask"][:, :3]):
        with pytest.raises(mb.InputError, match="takes inputs of one shape .* Received: "):
            runner({**inputs, "input_mask": wrong})
    with pytest.raises(mb.InputError, match="takes inputs of one shape"):
        runner({name: values[0] for name, values in inputs.items()})


def test_texts_are_packed_with_a_padding_left(exports):
    """With trigram input the last token's state depends on the position after it."""
    lengths = Runner(exports("float32", BOTH)).metadata.length_for
    assert [lengths(tokens) for tokens in (1, 7, 8, 11, 12, 99)] == [8, 8, 12, 12, 12, 12]


def test_clients_without_signatures_run_the_longest(exports):
    interpreter = Interpreter(model_content=exports("float32", BOTH))
    interpreter.allocate_tensors()
    inputs = examples(count=1)
    for tensor in interpreter.get_input_details():
        assert list(tensor["shape"]) == [1, LENGTH]
        interpreter.set_tensor(tensor["index"], inputs[INPUT_NAMES[tensor["name"]]])
    interpreter.invoke()
    (output,) = interpreter.get_output_details()
    np.testing.assert_array_equal(interpreter.get_tensor(output["index"]),
                                  Runner(exports("float32", (LENGTH,)))(inputs)["logits"])


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_model_exported_again_is_the_same_file(recipe, exports):
    assert exports(recipe, BOTH) == exports(recipe, BOTH, again=True)


def operators(model, name):
    """(version, types of the inputs) of the first graph's operations of this name."""
    content = parse(model)
    graph = content.subgraphs[0]
    for operator in graph.operators:
        code = content.operatorCodes[operator.opcodeIndex]
        if code.builtinCode == getattr(schema.BuiltinOperator, name):
            yield code.version, [graph.tensors[index].type for index in operator.inputs
                                if index >= 0]


def test_rows_of_half_precision_are_looked_up_as_they_are(exports, monkeypatch):
    model = exports("float16", (LENGTH,))
    ((_, types),) = operators(model, "GATHER")
    assert types[0] == schema.TensorType.FLOAT16
    monkeypatch.setattr(repairs, "look_up_halves", lambda content: None)
    as_converted = exports("float16", (LENGTH,), again=True)
    ((_, types),) = operators(as_converted, "GATHER")
    assert types[0] == schema.TensorType.FLOAT32  # otherwise our repair is needless
    inputs = examples()
    np.testing.assert_array_equal(Runner(model)(inputs)["logits"],
                                  Runner(as_converted)(inputs)["logits"])


def hybrid_versions(model):
    return {version for version, types in operators(model, "FULLY_CONNECTED")
            if types[:2] == [schema.TensorType.FLOAT32, schema.TensorType.INT8]}


def test_hybrid_layers_of_a_scale_a_row_keep_older_runtimes_away():
    """Older runtimes would use the first scale for all rows."""
    quantized = quantizer.Quantizer(converted())
    quantized.add_dynamic_config(".*", qtyping.TFLOperationName.FULLY_CONNECTED, 8)
    graph = bytes(quantized.quantize().quantized_model)
    assert max(hybrid_versions(graph)) < 12  # otherwise our repair is needless
    model, runtime = graph_file.assemble({"serving_default": graph}, tuple(INPUT_NAMES),
                                         in_int8=False)
    assert hybrid_versions(model) == {12}
    assert runtime == "2.17.0"


def test_the_vocabulary_of_an_int8_file_is_hybrid(exports):
    model = exports("int8", (LENGTH,), "fill_mask")
    assert hybrid_versions(model) == {12}
    assert Runner(model).metadata.runtime == "2.17.0"


def converted():
    """A small graph of ids, mask and segment ids as the converter leaves it: a look-up and a
    dense layer."""
    random = np.random.default_rng(0)
    table = tf.constant(random.normal(size=(100, 64)), tf.float32)
    kernel = tf.constant(random.normal(size=(64, 40)), tf.float32)
    signature = [tf.TensorSpec((1, LENGTH), tf.int32, name=name) for name in INPUT_NAMES]

    @tf.function(input_signature=signature, autograph=False)
    def serve(ids, mask, segment_ids):
        kept = tf.cast(mask + segment_ids, tf.float32)[..., tf.newaxis]
        return {"states": tf.matmul(tf.gather(table, ids), kernel) * kept}

    return tf.lite.TFLiteConverter.from_concrete_functions(
        [serve.get_concrete_function()], tf.Module()).convert()


def pack_plainly(content):
    builder = flatbuffers.Builder()
    builder.Finish(content.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def test_constants_behind_the_flatbuffer_come_back_inside():
    """ai-edge-quantizer writes those of large models there; appended metadata would hide them."""
    graph = converted()
    content = parse(graph)
    large = max((buffer for buffer in content.buffers if buffer.data is not None),
                key=lambda buffer: buffer.data.nbytes)
    table = large.data.tobytes()
    assert len(table) == 4 * 100 * 64
    large.data, large.offset, large.size = None, 2, len(table)
    large.offset = -(-len(pack_plainly(content)) // 16) * 16
    moved = pack_plainly(content).ljust(large.offset, b"\0") + table
    assert moved.find(table) == large.offset
    assert parse(moved).buffers[content.buffers.index(large)].data is None

    names = tuple(INPUT_NAMES)
    assembled, _ = graph_file.assemble({"serving_default": moved}, names, in_int8=False)
    assert assembled == graph_file.assemble({"serving_default": graph}, names,
                                            in_int8=False)[0]
    assert table in assembled
    assert not [buffer for buffer in parse(assembled).buffers if buffer.offset]


def test_pack_writes_equal_vectors_once_and_constants_on_boundaries(exports):
    content = parse(exports("dynamic_int8", BOTH))
    packed = graph_file.pack(content)
    assert len(packed) < len(pack_plainly(content)) - 5_000
    assert pack_plainly(parse(packed)) == pack_plainly(content)
    constants = [buffer.data.tobytes() for buffer in content.buffers
                 if buffer.data is not None and buffer.data.nbytes > 512]
    assert constants
    for constant in constants:
        assert packed.find(constant) % 16 == 0
