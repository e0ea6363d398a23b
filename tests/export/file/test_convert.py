import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
import tf_keras as keras
from ai_edge_litert.interpreter import Interpreter

import mobilebert_tf as mb
from mobilebert_tf.export import RECIPES, Runner
from mobilebert_tf.export.lean import graph as lean_graph
from mobilebert_tf.kinds.classification import Classification
from mobilebert_tf.kinds.regression import Regression

from ..conftest import CONFIG, KINDS, LENGTH, build, calibration_for, examples, randomize


def keras_outputs(kind, model, batch):
    """The outputs of a file of each kind, computed from the Keras model's once more."""
    if kind == "fill_mask":
        everywhere = np.tile(np.arange(LENGTH, dtype=np.int32), (len(batch["input_mask"]), 1))
        return {"mlm_logits": model({**batch, "masked_positions": everywhere})["mlm_logits"]}
    outputs = model(batch)
    if kind == "question_answering":
        return outputs
    if kind == "encoding":
        return {"sequence_output": outputs["sequence_output"]}
    if kind == "embedding":
        states = model.encoder(batch)["sequence_output"].numpy()
        means = np.stack([rows[mask == 1].mean(axis=0) for rows, mask in zip(
            states, batch["input_mask"], strict=True)])
        return {"sentence_embedding": means / np.sqrt((means ** 2).sum(axis=1, keepdims=True))}
    if kind == "multi_label":
        return {"probabilities": 1 / (1 + np.exp(-outputs.numpy()))}
    if kind == "classification":
        exponents = np.exp(outputs - np.max(outputs, axis=1, keepdims=True))
        return {"probabilities": exponents / exponents.sum(axis=1, keepdims=True)}
    return {{"regression": "score", "tagging": "logits"}[kind]: outputs}


@pytest.mark.parametrize("kind", KINDS)
def test_float32_is_the_keras_model(kind, models, exported, batch):
    expected = keras_outputs(kind, models[kind], batch)
    actual = Runner(exported(kind, "float32").model)(batch)
    assert set(actual) == set(expected)
    for name, values in actual.items():
        assert values.shape == expected[name].shape
        scale = np.max(np.abs(expected[name]))
        np.testing.assert_allclose(values, expected[name], atol=1e-5 * scale, rtol=0)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems' file names are Unicode")
def test_a_file_whose_name_is_not_utf8_is_run(exported, batch, tmp_path):
    model = exported("classification", "float32").model
    file = tmp_path / os.fsdecode(b"mod\xffle.tflite")
    file.write_bytes(model)
    np.testing.assert_array_equal(*(Runner(given)(batch)["probabilities"]
                                    for given in (file, model)))


@pytest.mark.parametrize("kind", ["classification", "multi_label", "tagging",
                                  "question_answering", "fill_mask", "embedding"])
def test_dynamic_int8_is_near_and_not_equal(kind, models, exported, batch):
    expected = keras_outputs(kind, models[kind], batch)
    for name, values in Runner(exported(kind, "dynamic_int8").model)(batch).items():
        difference = np.max(np.abs(values - expected[name])) / np.max(np.abs(expected[name]))
        assert 1e-6 < difference < 0.1, name


@pytest.mark.parametrize("recipe", RECIPES)
def test_labels_are_independent_in_every_recipe(recipe, models, exported, batch):
    """A softmax would give probabilities that sum to 1."""
    expected = keras_outputs("multi_label", models["multi_label"], batch)["probabilities"]
    found = Runner(exported("multi_label", recipe).model)(batch)["probabilities"]
    assert expected.sum(axis=1).min() > 1.5
    np.testing.assert_allclose(found, expected, rtol=0, atol={"float32": 1e-6}.get(recipe, 0.05))


@pytest.mark.parametrize("recipe", RECIPES)
def test_embeddings_have_a_length_of_1_in_every_recipe(recipe, models, exported, batch):
    """The vector of a text without a token is 0, and not NaN."""
    expected = models["embedding"](batch).numpy()
    batch["input_mask"][-1] = 0
    *vectors, of_nothing = Runner(exported("embedding", recipe).model)(batch)["sentence_embedding"]
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    cosines = np.sum(vectors * expected[:-1], axis=1)
    assert cosines.min() > (0.99 if RECIPES[recipe].calibrated or recipe == "int4" else 0.9999)
    np.testing.assert_array_equal(of_nothing, 0)


@pytest.mark.parametrize(("vector", "dtype"), [
    ([3.0, -4.0], "float32"), ([3e30, -4e30], "float32"), ([3e-4, -4e-4], "float32"),
    ([3e4, -4e4], "float16")])
def test_great_and_small_vectors_get_a_length_of_1(vector, dtype):
    """float16 is what GPUs compute in; its greatest square is that of 255."""
    found = lean_graph._unit_length(tf.constant([vector], dtype))
    np.testing.assert_allclose(found, [[0.6, -0.8]], rtol=2e-3 if dtype == "float16" else 1e-6)


def test_dynamic_int8_stores_every_large_matrix_in_int8(exported):
    assert matrix_types(exported("classification", "float32").model) == {np.float32}
    assert matrix_types(exported("classification", "dynamic_int8").model) == {np.int8}


def matrix_types(model):
    """Types of the constants that matrix products and look-ups read; the converter leaves those
    below 1024 elements as they are."""
    interpreter = Interpreter(model_content=model)
    tensors = {tensor["index"]: tensor for tensor in interpreter.get_tensor_details()}
    constants = [tensors[op["inputs"][0 if op["op_name"] == "GATHER" else 1]]
                 for op in interpreter._get_ops_details()
                 if op["op_name"] in ("GATHER", "FULLY_CONNECTED")]
    large = [tensor["dtype"] for tensor in constants if np.prod(tensor["shape"]) >= 1024]
    assert len(large) >= 4 * CONFIG.num_blocks
    return set(large)


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("kind", ["classification", "question_answering"])
def test_inputs_are_in_order_and_names_plain(kind, recipe, exported):
    interpreter = Interpreter(model_content=exported(kind, recipe).model)
    inputs = interpreter.get_input_details()
    assert [tensor["name"] for tensor in inputs] == ["ids", "mask", "segment_ids"]
    assert all(tensor["dtype"] is np.int32 and list(tensor["shape"]) == [1, LENGTH]
               for tensor in inputs)
    outputs = [tensor["name"] for tensor in interpreter.get_output_details()]
    signature = interpreter.get_signature_list()
    assert signature == {"serving_default": {
        "inputs": ["ids", "mask", "segment_ids"], "outputs": outputs}}
    assert outputs == {"classification": ["probabilities"],
                       "question_answering": ["end_logits", "start_logits"]}[kind]
    assert not [tensor["name"] for tensor in interpreter.get_tensor_details()
                if ":" in tensor["name"]]


def test_each_input_does_what_its_name_says(models, exported, batch):
    # By position, as clients without signatures do it: a swapped pair would show.
    model = exported("classification", "float32").model
    interpreter = Interpreter(model_content=model)
    interpreter.allocate_tensors()
    for tensor, values in zip(interpreter.get_input_details(), batch.values(), strict=True):
        interpreter.set_tensor(tensor["index"], values[1:2])
    interpreter.invoke()
    (output,) = interpreter.get_output_details()
    np.testing.assert_allclose(interpreter.get_tensor(output["index"]),
                               Runner(model)(batch)["probabilities"][1:2], rtol=1e-6)


@pytest.mark.parametrize("recipe", RECIPES)
def test_values_out_of_range_are_clamped(recipe, exported):
    random = np.random.default_rng(3)
    wild = {name: random.integers(-128, 500, (2, LENGTH), np.int32)
            for name in ("input_word_ids", "input_mask", "input_type_ids")}
    clamped = {name: np.clip(values, 0, highest) for (name, values), highest
               in zip(wild.items(), (119, 1, 1), strict=True)}
    runner = Runner(exported("classification", recipe).model)
    np.testing.assert_array_equal(runner(wild)["probabilities"], runner(clamped)["probabilities"])


@pytest.mark.parametrize("kind", KINDS)
def test_the_official_benchmark_runs(kind, exported, tmp_path):
    file = tmp_path / "model.tflite"
    file.write_bytes(exported(kind, "dynamic_int8").model)
    tool = Path(sys.executable).parent / "litert-benchmark"
    ran = subprocess.run([tool, "--model", file, "--num_threads", "4", "--num_runs", "3"],
                         capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "Inference (median)" in ran.stdout + ran.stderr


@pytest.mark.parametrize("preset", ["micro", "micro_bert"])
def test_files_say_the_runtime_they_need_and_recipes_bound_it(preset, exported):
    for name, recipe in RECIPES.items():
        report = (exported("classification", name) if preset == "micro" else mb.export.to_tflite(
            build("classification", preset), name, (LENGTH,),
            calibration=calibration_for(name))).report
        assert version(report.runtime) <= version(recipe.runtime)
        if name == "dynamic_int8":  # per-channel weights; older runtimes answer wrongly
            assert report.runtime == "2.17.0"


def version(text):
    return tuple(map(int, text.split(".")))


def test_the_delegate_takes_it_in_one_piece(exported):
    for recipe in set(RECIPES) - {"full_int8"}:
        assert exported("classification", recipe).report.xnnpack_partitions == 1


def test_full_int8_leaves_only_the_softmax_to_others(exported):
    # XNNPACK has none in int8: a piece before each, and one behind the last.
    report = exported("classification", "full_int8").report
    assert report.xnnpack_partitions == CONFIG.num_blocks + 2


def test_report_is_of_this_file(exported):
    result = exported("tagging", "dynamic_int8")
    report = result.report.to_dict()
    assert report["bytes"] == len(result.model)
    assert (report["kind"], report["recipe"], report["lengths"]) == (
        "tagging", "dynamic_int8", (LENGTH,))
    assert report["outputs"]["logits"]["shape"] == (1, LENGTH, 5)
    assert report["versions"]["tensorflow"] == tf.__version__
    assert exported("tagging", "float32").report.max_relative_difference < 1e-5
    assert 1e-4 < report["max_relative_difference"] < 0.1


def test_equal_models_are_equal_files(models, exported, vocabulary):
    again = mb.export.to_tflite(models["question_answering"], "dynamic_int8", (LENGTH,),
                                vocabulary=vocabulary)
    assert again.model == exported("question_answering", "dynamic_int8").model


def small_config(**changes):
    return dataclasses.replace(CONFIG, num_blocks=1, **changes)


def test_mixed_precision_is_exported_from_its_float32_weights(batch):
    exact = randomize(mb.Classifier(mb.Encoder(small_config()), 3))
    policy = keras.mixed_precision.global_policy()
    keras.mixed_precision.set_global_policy("mixed_bfloat16")
    try:
        mixed = mb.Classifier(mb.Encoder(small_config()), 3)
        mixed.set_weights(exact.get_weights())
        content = mb.export.to_tflite(mixed, "float32", (LENGTH,)).model
        assert keras.mixed_precision.global_policy().name == "mixed_bfloat16"
    finally:
        keras.mixed_precision.set_global_policy(policy)
    np.testing.assert_allclose(Runner(content)(batch)["probabilities"],
                               tf.nn.softmax(exact(batch)), atol=1e-6)


def test_three_inputs_even_where_segments_are_not_read(batch):
    model = randomize(mb.Classifier(mb.Encoder(small_config(type_vocab_size=0)), 2))
    content = mb.export.to_tflite(model, "float32", (LENGTH,)).model
    names = [tensor["name"] for tensor in Interpreter(model_content=content).get_input_details()]
    assert names == ["ids", "mask", "segment_ids"]
    np.testing.assert_allclose(Runner(content)(batch)["probabilities"],
                               tf.nn.softmax(model(batch)), atol=1e-6)


@pytest.mark.parametrize(("arguments", "sentence"), [
    ({"recipe": "dynamic_int9"}, "unknown recipe 'dynamic_int9'; did you mean dynamic_int8?"),
    ({"recipe": "zzz"}, "did you mean float32, float16, dynamic_int8, int8, full_int8, int4?"),
    ({"lengths": (2,)}, "the length should be 3 to 40"),
    ({"lengths": (41,)}, "the length should be 3 to 40"),
    ({"lengths": (12, 12)}, "the lengths of a file should be different"),
    ({"lengths": ()}, "lengths is empty: give at least one"),
    ({"recipe": "int8"}, "int8 learns ranges from texts of the task"),
    ({"recipe": "int8", "calibration": examples(count=0)}, "the calibration set is empty"),
    ({"recipe": "int8", "calibration": examples(length=13)}, "13 tokens long, the file 12"),
    ({"recipe": "int8", "calibration": {"input_word_ids": np.ones((2, 12), int)}},
     "input_word_ids, input_mask and input_type_ids of one shape"),
    ({"recipe": "int8", "calibration": ["a text"]}, "a calibration set should have input_word_ids"),
    ({"recipe": "int8", "calibration": dict.fromkeys(examples(), np.ones(12, int))},
     "a calibration set should have input_word_ids"),
    ({"labels": ("a", "b")}, "2 labels do not name 3 classes"),
    ({"labels": ("a", "b", "c\nd")}, "the label 'c\\nd' is not a text of one line"),
    ({"labels": ("a", "b", "a")}, "the label 'a' is given 2 times"),
])
def test_bad_arguments_are_named_before_any_work(models, arguments, sentence):
    with pytest.raises(mb.InputError) as error:
        mb.export.to_tflite(models["classification"], **{"lengths": (LENGTH,), **arguments})
    assert sentence in str(error.value)


def test_vocabulary_of_another_model_is_refused(models, vocabulary):
    shorter = type(vocabulary)(vocabulary.pieces[:-1])
    with pytest.raises(mb.InputError, match="has 119 pieces, the model has 120"):
        mb.export.to_tflite(models["classification"], vocabulary=shorter, lengths=(LENGTH,))


def test_other_models_and_needless_labels_are_refused(models):
    with pytest.raises(mb.InputError, match="a Sequential is no model of this project: no kind"):
        mb.export.to_tflite(keras.Sequential())
    with pytest.raises(mb.InputError, match="has no classes"):
        mb.export.to_tflite(models["fill_mask"], lengths=(LENGTH,), labels=("a",))


@pytest.mark.parametrize(("arguments", "sentence"), [
    ({"kind": Regression()}, "the kind is regression, and the model, a Classifier, is for class"),
    ({"kind": "classification"}, "kind should be a Kind .* Received: 'classification'"),
    ({"kind": Classification(), "labels": ("a", "b", "c")}, "labels and settings are in the kind"),
    ({"vocabulary": "vocab.txt"}, "vocabulary should be a Vocabulary, .* Received: a str"),
    ({"labels": 3}, "labels should be a list. Received: 3")])
def test_what_does_not_go_together_is_refused(models, arguments, sentence):
    with pytest.raises(mb.InputError, match=sentence):
        mb.export.to_tflite(models["classification"], lengths=(LENGTH,), **arguments)
