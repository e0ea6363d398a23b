"""compile and fit on dict inputs from tf.data; a step changes what it should and nothing else."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf
import tf_keras as keras

import mobilebert_tf as mb

# Dropout off: with it a variable could stay still by chance.
CONFIG = dataclasses.replace(mb.presets.get("micro"), num_blocks=1, num_feed_forwards=2,
                             attention_dropout=0.0)
# For tests in which the feed-forwards play no part.
SMALLEST = dataclasses.replace(CONFIG, num_feed_forwards=1)
SPARSE = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

TARGETS = {
    "pretrainer": {"mlm_logits": np.int32([[5, 6, 7], [8, 9, 0], [1, 0, 0]]),
                   "nsp_logits": np.int32([0, 1, 1])},
    "masked_lm": {"mlm_logits": np.int32([[5, 6, 7], [8, 9, 0], [1, 0, 0]])},
    "classifier": np.int32([0, 2, 1]),
    "token_classifier": np.int32(np.arange(30).reshape(3, 10) % 5),
    "question_answerer": {"start_logits": np.int32([1, 2, 0]), "end_logits": np.int32([4, 5, 1])},
}
WEIGHTS = {
    "pretrainer": {"mlm_logits": np.float32([[1, 1, 1], [1, 1, 0], [1, 0, 0]]),
                   "nsp_logits": np.float32([1, 1, 1])},
    "masked_lm": {"mlm_logits": np.float32([[1, 1, 1], [1, 1, 0], [1, 0, 0]])},
}


def compile_model(model, learning_rate=1e-3, run_eagerly=False):
    """Eagerly one step takes a tenth of the time that its graph takes to be made."""
    names = model.output.keys() if isinstance(model.output, dict) else None
    model.compile(keras.optimizers.Adam(learning_rate), run_eagerly=run_eagerly,
                  loss=SPARSE if names is None else dict.fromkeys(names, SPARSE))


def dataset(kind, inputs):
    parts = (inputs, TARGETS[kind], *([WEIGHTS[kind]] if kind in WEIGHTS else []))
    return tf.data.Dataset.from_tensors(parts)


def short_name(variable):
    return variable.name.removesuffix(":0")


def still(kind, preset):
    """Parts of names of variables that the loss does not depend on."""
    # Softmax does not change when all logits of a query move alike, which is all a key's bias does.
    names = ["attention/key/bias"]
    if preset == "bert" and kind in ("masked_lm", "token_classifier", "question_answerer"):
        names.append("pooler")
    return names


@pytest.mark.parametrize("kind", TARGETS)
def test_one_step_changes_every_variable_that_it_should(kind, build_model, randomize, inputs_of):
    model = randomize(build_model(kind, CONFIG))
    before = {short_name(v): v.numpy() for v in model.weights}
    assert len(before) == len(model.weights)
    # The graphs of other kinds are those of test_mixed_bfloat16_trains and of fine-tuning's tests.
    compile_model(model, run_eagerly=kind != "token_classifier")
    history = model.fit(dataset(kind, inputs_of(model)), verbose=0)
    assert np.isfinite(history.history["loss"][0])
    for variable in model.weights:
        name = short_name(variable)
        # A softmax does not see them: their gradient is rounding noise, which Adam magnifies.
        if not name.endswith(("attention/key/bias", "span/dense/bias")):
            assert not np.array_equal(variable.numpy(), before[name]), name


def test_gradients_reach_everything_but_key_biases_and_unused_parts(
        build_model, randomize, inputs_of):
    """By gradients against their rounding noise, for BERT with its pooler too."""
    config = dataclasses.replace(mb.presets.get("micro_bert"), num_blocks=1, hidden_dropout=0.0,
                                 attention_dropout=0.0)
    for kind in ("pretrainer", "token_classifier"):
        model = randomize(build_model(kind, config))
        compile_model(model)
        given = inputs_of(model)
        with tf.GradientTape() as tape:
            outputs = model(given)
            loss = (sum(SPARSE(TARGETS[kind][name], outputs[name]) for name in outputs)
                    if isinstance(outputs, dict) else SPARSE(TARGETS[kind], outputs))
        gradients = tape.gradient(loss, model.trainable_variables)
        assert len(model.trainable_variables) == len(model.weights)
        found = {short_name(v) for v, g in zip(model.trainable_variables, gradients, strict=True)
                 if g is None or np.abs(tf.convert_to_tensor(g)).max() < 1e-7}
        assert {name for name in found if not any(part in name for part in still(kind, "bert"))
                } == set()
        assert any("key/bias" in name for name in found)
        assert any("pooler" in name for name in found) == (kind == "token_classifier")


def test_sample_weights_leave_predictions_out(build_model, randomize, inputs_of):
    model = randomize(build_model("masked_lm", SMALLEST))
    compile_model(model, run_eagerly=True)
    given = inputs_of(model)
    weights = WEIGHTS["masked_lm"]["mlm_logits"]
    targets = TARGETS["masked_lm"]["mlm_logits"]
    losses = [model.evaluate(tf.data.Dataset.from_tensors(
        (given, {"mlm_logits": np.where(weights == 0, filler, targets)}, {"mlm_logits": weights})),
        verbose=0) for filler in (0, 50)]
    assert losses[0] == losses[1]


def test_frozen_variables_stay(build_model, randomize, inputs_of):
    model = randomize(build_model("classifier", CONFIG))
    model.encoder.embedding.trainable = False
    before = {short_name(v): v.numpy() for v in model.weights}
    compile_model(model, run_eagerly=True)
    model.fit(dataset("classifier", inputs_of(model)), verbose=0)
    changed = {name for name, v in ((short_name(v), v) for v in model.weights)
               if not np.array_equal(v.numpy(), before[name])}
    embedding = {short_name(v) for v in model.encoder.embedding.weights}
    assert len(embedding) == 7
    assert changed.isdisjoint(embedding)
    assert len(changed) >= len(before) - len(embedding) - 2


def test_models_on_one_encoder_share_its_weights(build_model):
    encoder = build_model("encoder", SMALLEST)
    pretrainer, classifier = mb.Pretrainer(encoder), mb.Classifier(encoder, 2)
    shared = {id(v) for v in pretrainer.weights} & {id(v) for v in classifier.weights}
    assert shared == {id(v) for v in encoder.weights}


def test_learns_a_rule_from_tokens(build_model):
    """Whether token 7 is in the text: a model whose attention or pooler is cut off cannot."""
    random = np.random.default_rng(0)
    ids = random.integers(10, 120, (128, 8), np.int32)
    ids[::2, 3] = 7
    labels = np.int32(np.arange(128) % 2 == 0)
    keras.utils.set_random_seed(1)
    model = build_model("classifier", SMALLEST)
    assert model.config.pooler == "first_token"
    compile_model(model, 5e-3)
    given = {"input_word_ids": ids, "input_mask": np.ones_like(ids), "input_type_ids": ids * 0}
    data = tf.data.Dataset.from_tensor_slices((given, labels)).batch(32)
    model.fit(data, epochs=30, verbose=0)
    assert (model.predict(data, verbose=0).argmax(-1) == labels).mean() > 0.95


def test_regression_has_one_output(build_model, inputs_of):
    model = mb.Classifier(build_model("encoder", SMALLEST), 1)
    model.compile("adam", "mse", run_eagerly=True)
    given = inputs_of(model)
    assert model(given).shape == (3, 1)
    data = tf.data.Dataset.from_tensors((given, np.float32([1.0, 2.0, 3.0]))).repeat(6)
    first, last = model.fit(data, epochs=2, verbose=0).history["loss"]
    assert last < first


@pytest.mark.parametrize("kind", ["pretrainer", "classifier", "question_answerer"])
def test_mixed_bfloat16_trains(kind, build_model, inputs_of):
    keras.mixed_precision.set_global_policy("mixed_bfloat16")
    try:
        model = build_model(kind, SMALLEST)
        compile_model(model, 1e-2, run_eagerly=kind == "question_answerer")
        data = dataset(kind, inputs_of(model))
        losses = model.fit(data.repeat(6), epochs=2, verbose=0).history["loss"]
        encoded = model.encoder(inputs_of(model.encoder))
        outputs = tf.nest.flatten(model(inputs_of(model)))
    finally:
        keras.mixed_precision.set_global_policy("float32")
    assert {v.dtype for v in model.weights} == {tf.float32}
    assert encoded["sequence_output"].dtype == tf.bfloat16
    assert {logits.dtype for logits in encoded["attention_logits"]} == {tf.float32}
    assert {output.dtype for output in outputs} == {tf.float32}
    assert np.isfinite(losses).all()
    assert losses[-1] < losses[0]
