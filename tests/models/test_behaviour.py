"""Inputs, outputs, dropout, huge activations and lengths."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf
import tf_keras as keras

import mobilebert_tf as mb

MICRO = dataclasses.replace(mb.presets.get("micro"), num_blocks=2)
BERT = dataclasses.replace(mb.presets.get("micro_bert"), num_blocks=2)


@pytest.fixture(scope="module")
def encoder(build_model, randomize):
    return randomize(build_model("encoder", MICRO))


def test_inputs_and_outputs_are_those_of_the_contract(encoder, batch):
    assert set(encoder.input) == {"input_word_ids", "input_mask", "input_type_ids"}
    assert {tensor.dtype for tensor in encoder.input.values()} == {tf.int32}
    outputs = encoder(batch)
    assert set(outputs) == {"sequence_output", "pooled_output", "embedding_output",
                            "block_outputs", "attention_logits"}
    assert [tuple(states.shape) for states in outputs["block_outputs"]] == [(3, 10, 48)] * 2
    assert [tuple(logits.shape) for logits in outputs["attention_logits"]] == [(3, 4, 10, 10)] * 2
    np.testing.assert_array_equal(outputs["sequence_output"], outputs["block_outputs"][-1])
    np.testing.assert_array_equal(outputs["pooled_output"], outputs["sequence_output"][:, 0])


def test_attention_logits_are_masked_and_before_the_softmax(encoder, batch):
    logits = encoder(batch)["attention_logits"][0].numpy()
    padding = np.broadcast_to(batch["input_mask"][:, None, None, :] == 0, logits.shape)
    assert (logits[padding] < -1e29).all()
    assert np.abs(logits[~padding]).max() < 1e4
    assert not np.allclose(np.where(padding, 0, logits).sum(-1), 1)


def test_rows_do_not_touch_each_other_and_padding_gets_no_attention(encoder, batch):
    right = encoder(batch)["sequence_output"].numpy()
    changed = {name: array.copy() for name, array in batch.items()}
    changed["input_word_ids"][0] = 50
    found = encoder(changed)["sequence_output"].numpy()
    np.testing.assert_array_equal(found[1:], right[1:])
    assert not np.allclose(found[0], right[0])
    # Another id in the padding, beyond the one that the trigram of the last real token sees.
    changed = {name: array.copy() for name, array in batch.items()}
    changed["input_word_ids"][1, 8:] = 77
    found = encoder(changed)["sequence_output"].numpy()
    np.testing.assert_array_equal(found[1, :7], right[1, :7])
    changed["input_word_ids"][1, 7] = 77
    found = encoder(changed)["sequence_output"].numpy()
    assert not np.allclose(found[1, :7], right[1, :7])


def test_any_length_up_to_the_positions(encoder):
    for length in (1, 2, 40):
        ids = np.full((2, length), 3, "i4")
        outputs = encoder({"input_word_ids": ids, "input_mask": ids // 3,
                           "input_type_ids": ids * 0})
        assert outputs["sequence_output"].shape == (2, length, 48)
        assert np.isfinite(outputs["sequence_output"]).all()


def test_a_length_above_the_positions_is_an_error(encoder):
    ids = np.zeros((1, 41), "i4")
    with pytest.raises(ValueError, match=r"has 40 positions.*length 41"):
        encoder({"input_word_ids": ids, "input_mask": ids, "input_type_ids": ids})


@pytest.mark.parametrize("preset", ["micro_bert", "micro"])
def test_presets_without_segments_do_not_read_them(preset, build_model, randomize, batch):
    model = randomize(build_model("encoder", dataclasses.replace(
        mb.presets.get(preset), num_blocks=1, type_vocab_size=0)))
    other = {**batch, "input_type_ids": batch["input_type_ids"] * 0 + 1}
    np.testing.assert_array_equal(model(batch)["sequence_output"], model(other)["sequence_output"])


# Dropout: where the references have it.

def active(layer, rates):
    """Names of the dropouts below a layer that have a rate."""
    for part in layer._flatten_layers():
        if isinstance(part, keras.layers.Dropout) and part.rate:
            rates.append(part.rate)
    return sorted(rates)


def test_dropout_rates_by_place(build_model):
    # MobileBERT: attention probabilities and the classifier's input.
    model = build_model("classifier", mb.presets.get("micro"))
    assert active(model, []) == [0.1] * 3 + [0.1]
    assert [block.attention.dropout.rate for block in model.encoder.blocks] == [0.1] * 3
    assert active(build_model("question_answerer", mb.presets.get("micro")), []) == [0.1] * 3
    # BERT: embedding, and in each block attention probabilities and two residuals.
    assert active(build_model("encoder", BERT), []) == [0.1] * (1 + 2 * 3)
    # The teacher: embedding, and in each block attention probabilities and the block's residual.
    teacher = build_model("encoder", dataclasses.replace(
        mb.presets.get("micro_ib_bert"), num_blocks=2))
    assert active(teacher, []) == [0.1] * (1 + 2 * 2)


def test_dropout_acts_in_training_only(build_model, randomize, batch):
    for config, kind in ((MICRO, "encoder"), (BERT, "encoder"), (MICRO, "classifier")):
        model = randomize(build_model(kind, config))
        first, second = (tf.nest.flatten(model(batch))[-1].numpy() for _ in range(2))
        np.testing.assert_array_equal(first, second)
        first, second = (tf.nest.flatten(model(batch, training=True))[-1].numpy()
                         for _ in range(2))
        assert not np.array_equal(first, second)


def test_the_embedding_of_mobilebert_has_no_dropout_and_berts_has(build_model, randomize, batch):
    for config, rate in ((MICRO, 0.0), (BERT, 0.1)):
        model = randomize(build_model("encoder", config))
        many = {name: np.tile(array, (20, 1)) for name, array in batch.items()}
        dropped = (model(many, training=True)["embedding_output"].numpy() == 0).mean()
        assert abs(dropped - rate) < 0.02


def test_the_classifiers_dropout_has_its_rate(build_model, randomize):
    config = dataclasses.replace(MICRO, num_blocks=1, attention_dropout=0.0)
    model = randomize(build_model("classifier", config, dropout=0.5))
    # With a head that counts pooled features (made 1), the logits count the survivors, doubled.
    model.encoder.blocks[-1].output_bottleneck.norm.gamma.assign(np.zeros(48))
    model.encoder.blocks[-1].output_bottleneck.norm.beta.assign(np.ones(48))
    model.head.kernel.assign(np.ones((48, 3)))
    model.head.bias.assign(np.zeros(3))
    ids = np.ones((200, 4), "i4")
    given = {"input_word_ids": ids, "input_mask": ids, "input_type_ids": ids * 0}
    np.testing.assert_allclose(model(given), np.full((200, 3), 48), rtol=1e-5)
    trained = model(given, training=True).numpy()[:, 0]
    assert abs(trained.mean() - 48) < 2
    assert 4 < trained.std() < 10  # 2 * sqrt(48 / 4) = 6.9


# Activations as large as those of the released weights.

def with_huge_cls(model):
    """-2.5e7 in feature 0 of [CLS], which no kernel reads, as the last block's norm leaves it."""
    table = model.encoder.embedding.position_table.numpy()
    table[0, 0] = -2.5e7
    model.encoder.embedding.position_table.assign(table)
    for variable in model.encoder.weights:
        name = variable.name
        if name.endswith("kernel:0") and variable.shape[0] == 48 and "projection" not in name:
            variable.assign(np.concatenate([np.zeros((1, variable.shape[1])), variable[1:]]))
        if name.endswith("gamma:0") and variable.shape[0] == 48:
            variable.assign(np.concatenate([[1.0], variable[1:]]))
    return model


@pytest.mark.parametrize("policy", ["float32", "mixed_bfloat16"])
@pytest.mark.parametrize("pooler", ["first_token", "scaled_first_token"])
def test_huge_activations_stay_finite(policy, pooler, build_model, randomize, batch):
    keras.mixed_precision.set_global_policy(policy)
    try:
        model = with_huge_cls(randomize(build_model("classifier", dataclasses.replace(
            MICRO, pooler=pooler, attention_dropout=0.0), dropout=0.0)))
        encoded, logits = model.encoder(batch), model(batch).numpy()
        cls = encoded["sequence_output"].numpy().astype("f4")[:, 0]
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(
                [0, 1, 2], model(batch), from_logits=True))
        gradients = tape.gradient(loss, model.trainable_variables)
    finally:
        keras.mixed_precision.set_global_policy("float32")
    assert 2e7 < np.abs(cls).max() < 3e7
    assert np.abs(encoded["sequence_output"].numpy().astype("f4")[:, 1:]).max() < 1e4
    assert np.isfinite(logits).all()
    assert np.isfinite(loss)
    for gradient in gradients:
        assert np.isfinite(tf.convert_to_tensor(gradient)).all()
    if pooler == "scaled_first_token":
        assert np.abs(logits).max() < 10
        assert loss < 10
    else:
        assert np.abs(logits).max() > 1e5


@pytest.mark.parametrize(("kind", "run"), [
    *((kind, "call") for kind in ("encoder", "pretrainer", "classifier", "token_classifier",
                                  "question_answerer", "sentence_encoder")),
    ("classifier", "predict"), ("classifier", "fit")])
def test_inputs_by_the_names_of_transformers_are_refused_by_ours(kind, run, build_model, batch):
    model = build_model(kind)
    ids = np.asarray(batch["input_word_ids"])
    foreign = {"input_ids": ids, "attention_mask": np.asarray(batch["input_mask"])}
    model.compile("sgd")
    call = {"call": model, "predict": lambda inputs: model.predict(inputs, verbose=0),
            "fit": lambda inputs: model.fit(inputs, verbose=0)}[run]
    with pytest.raises(ValueError, match="takes a dict of .*input_word_ids.*Received: input_ids, "
                                         "attention_mask") as raised:
        call(foreign)
    for name in model.input:
        assert name in str(raised.value)
    with pytest.raises(ValueError, match="Received: input_word_ids"):
        call({"input_word_ids": ids})


@pytest.mark.parametrize("kind", ["encoder", "classifier"])
@pytest.mark.parametrize("sequence", [list, tuple])
def test_a_list_of_inputs_is_refused(kind, sequence, build_model, batch):
    """Keras would read the first as the mask."""
    model = build_model(kind)
    given = sequence(batch[name] for name in ("input_word_ids", "input_mask", "input_type_ids"))
    for call in (model, lambda inputs: model.predict(inputs, verbose=0)):
        with pytest.raises(ValueError, match="takes a dict of .*input_word_ids.* of a list, Keras"):
            call(given)


def test_more_inputs_than_a_model_has_are_no_matter(encoder, batch):
    found = encoder({**batch, "labels": batch["input_word_ids"]})
    np.testing.assert_array_equal(found["pooled_output"], encoder(batch)["pooled_output"])


def test_a_model_on_top_does_not_run_the_encoder_to_see_its_outputs(monkeypatch):
    encoder = mb.Encoder(MICRO)
    wanted = keras.Model._infer_output_signature(
        encoder, encoder.input, (), {"training": None}, None)
    monkeypatch.setattr(keras.Model, "_infer_output_signature", None)
    found = encoder(encoder.input)

    def types(outputs):
        return tf.nest.map_structure(lambda output: output.type_spec, outputs)

    assert types(found) == types(wanted)


def test_a_model_of_one_length_on_top_has_outputs_of_that_length():
    encoder = mb.Encoder(MICRO)
    found = encoder({name: keras.Input((7,), dtype=tf.int32, name=name)
                     for name in encoder.input})
    assert found["sequence_output"].shape == (None, 7, 48)
