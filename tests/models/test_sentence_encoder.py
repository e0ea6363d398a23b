import dataclasses

import numpy as np
import pytest

import mobilebert_tf as mb

# Without trigram input nothing but attention could let padding through, which it does not.
BERT = dataclasses.replace(mb.presets.get("micro_bert"), num_blocks=2)


@pytest.fixture
def model(randomize):
    return randomize(mb.SentenceEncoder(mb.Encoder(BERT)))


def test_is_the_mean_over_real_tokens_divided_by_its_length(model, batch):
    embedding = model(batch)
    states = model.encoder(batch)["sequence_output"].numpy()
    for row, (found, mask) in enumerate(zip(embedding, batch["input_mask"], strict=True)):
        mean = states[row, mask == 1].mean(axis=0)
        np.testing.assert_allclose(found, mean / np.sqrt((mean ** 2).sum()), rtol=1e-5, atol=1e-6)
    assert embedding.shape == (3, BERT.hidden_size)
    np.testing.assert_allclose(np.linalg.norm(embedding, axis=1), 1, rtol=1e-6)


def test_of_the_first_token_it_is_its_state_divided_by_its_length(batch, randomize):
    model = randomize(mb.SentenceEncoder(mb.Encoder(BERT), pooler="first_token"))
    first = model.encoder(batch)["sequence_output"].numpy()[:, 0]
    expected = first / np.sqrt((first ** 2).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(model(batch), expected, rtol=1e-5, atol=1e-6)
    again = mb.SentenceEncoder.from_config(model.get_config())
    again.set_weights(model.get_weights())
    np.testing.assert_array_equal(again(batch), model(batch))


def test_another_pooler_is_refused():
    with pytest.raises(ValueError, match="should be one of mean, first_token. Received: .*'tanh'"):
        mb.SentenceEncoder(mb.Encoder(BERT), pooler="tanh")


def test_more_padding_whatever_its_ids_changes_nothing(model, batch):
    padded = {name: np.pad(values, ((0, 0), (0, 6))) for name, values in batch.items()}
    padded["input_word_ids"][padded["input_mask"] == 0] = 77
    np.testing.assert_allclose(model(padded), model(batch), rtol=1e-5, atol=1e-6)


def test_the_encoders_own_pooler_is_not_read(model, batch):
    before = model(batch).numpy()
    assert model.encoder.config.pooler == "tanh"
    for weight in model.encoder.pooler.weights:
        weight.assign(weight * 3 + 1)
    np.testing.assert_array_equal(model(batch), before)


def test_is_float32_and_of_length_1_in_mixed_precision(batch, randomize):
    import tf_keras as keras

    keras.mixed_precision.set_global_policy("mixed_bfloat16")
    try:
        model = randomize(mb.SentenceEncoder(mb.Encoder(BERT)))
    finally:
        keras.mixed_precision.set_global_policy("float32")
    assert model.encoder(batch)["sequence_output"].dtype == "bfloat16"
    embedding = model(batch)
    assert embedding.dtype == "float32"
    np.testing.assert_allclose(np.linalg.norm(embedding, axis=1), 1, rtol=1e-6)


def test_all_minilm_gives_sentence_transformers_embeddings(minilm, shared_golden):
    with np.load(shared_golden / "minilm" / "expected.npz") as stored:
        expected = dict(stored)
    model = mb.SentenceEncoder(mb.checkpoints.load_huggingface(minilm).encoder)
    ids, mask = (expected[name].astype(np.int32) for name in ("input_ids", "attention_mask"))
    assert (mask == 0).any()
    found = model({"input_word_ids": ids, "input_mask": mask, "input_type_ids": ids * 0})
    np.testing.assert_allclose(found, expected["embedding"], atol=1e-5)
