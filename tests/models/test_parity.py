"""The same function as transformers' models and google-research's code, to five digits.

Golden outputs: tests/golden/models. Every wrong variant that a port is known to contain has to fail
the check that the right one passes.
"""

import json

import numpy as np
import pytest
import tensorflow as tf
import tf_keras as keras

import mobilebert_tf as mb
from mobilebert_tf.checkpoints.names import google_names
from mobilebert_tf.layers import choices, masked_lm_head, pooler
from mobilebert_tf.layers.attention import SelfAttention
from mobilebert_tf.layers.attention_mask import AttentionMask
from mobilebert_tf.layers.block import TransformerBlock
from mobilebert_tf.layers.embedding import EncoderEmbedding

from .. import encoder_inputs

TOLERANCE = 1e-5
MICRO = ["micro_mobilebert_pretraining", "micro_mobilebert_huge_pretraining",
         "micro_tiny_pretraining", "micro_no_opt_pretraining", "micro_bert_pretraining",
         "micro_mobilebert_masked_lm", "micro_bert_masked_lm", "micro_mobilebert_classification",
         "micro_mobilebert_pooler_classification", "micro_bert_classification",
         "micro_tiny_tagging", "micro_bert_tagging", "micro_mobilebert_question_answering",
         "micro_bert_question_answering"]
# Shallow and without a pre-training head: float32's own error is below 4e-7.
DISTILBERT = ["micro_distilbert_classification", "micro_distilbert_tagging",
              "micro_distilbert_question_answering"]
DISTILBERT_TOLERANCE = 2e-6
KINDS = {"pretraining": mb.Pretrainer, "masked_lm": mb.Pretrainer, "classification": mb.Classifier,
         "tagging": mb.TokenClassifier, "question_answering": mb.QuestionAnswerer}


def outputs(model, given):
    """Everything that the golden files may hold, by their names."""
    encoded = model.encoder(given)
    found = {"hidden_states_0": encoded["embedding_output"],
             "hidden_states_last": encoded["sequence_output"]}
    for index, states in enumerate(encoded["block_outputs"], 1):
        found[f"hidden_states_{index}"] = states
    for index, logits in enumerate(encoded["attention_logits"]):
        found[f"attentions_{index}"] = tf.nn.softmax(logits)
    if isinstance(model, mb.Encoder):
        return found
    if isinstance(model, mb.Pretrainer):
        rows, length = given["input_mask"].shape
        given = {**given, "masked_positions": np.tile(np.arange(length, dtype=np.int32), (rows, 1))}
    heads = model(given)
    return {**found, **(heads if isinstance(heads, dict) else {"logits": heads})}


def errors(worst_error, model, given, expected):
    """Name of a golden tensor -> its error; every golden tensor is looked at."""
    found = outputs(model, given)
    return {name: worst_error(found[name], array) for name, array in expected.items()}


@pytest.fixture
def golden(seeded_weights, golden_models, write_huggingface, tmp_path):
    """case -> directory of the checkpoint, inputs, expected outputs."""

    def prepare(case):
        made_with = json.loads((golden_models / "made_with.json").read_text())
        assert seeded_weights.checksum(seeded_weights.tensors(case)) == made_with[
            "weights_crc32"][case], "this machine makes other weights from the seed"
        with np.load(golden_models / f"{case}.npz") as stored:
            expected = dict(stored)
        given = encoder_inputs.of_transformers(seeded_weights.batch(case))
        return write_huggingface(case, tmp_path / case), given, expected

    return prepare


@pytest.mark.parametrize("case", MICRO)
def test_micro_models_equal_transformers(case, golden, worst_error):
    directory, given, expected = golden(case)
    model = mb.checkpoints.load_huggingface(directory)
    assert type(model) is next(kind for name, kind in KINDS.items() if case.endswith(name))
    found = errors(worst_error, model, given, expected)
    assert set(found) >= ({"hidden_states_0", "hidden_states_2", "attentions_1", "mlm_logits",
                           "nsp_logits"} if "pretraining" in case else {"hidden_states_last"})
    assert max(found.values()) <= TOLERANCE, found


@pytest.mark.parametrize("case", DISTILBERT)
def test_distilbert_equals_transformers(case, golden, worst_error):
    directory, given, expected = golden(case)
    model = mb.checkpoints.load_huggingface(directory)
    assert type(model) is next(kind for name, kind in KINDS.items() if case.endswith(name))
    found = errors(worst_error, model, given, expected)
    assert set(found) in ({"hidden_states_last", "logits"},
                          {"hidden_states_last", "start_logits", "end_logits"})
    assert max(found.values()) <= DISTILBERT_TOLERANCE, found


@pytest.mark.parametrize("wrong", ["tanh", "relu_tanh"])
def test_another_pooler_than_distilberts_fails_the_check(wrong, golden, worst_error, monkeypatch):
    monkeypatch.setitem(pooler._ACTIVATIONS, "relu", pooler._ACTIVATIONS[wrong])
    directory, given, expected = golden("micro_distilbert_classification")
    found = errors(worst_error, mb.checkpoints.load_huggingface(directory), given, expected)
    assert found["hidden_states_last"] <= DISTILBERT_TOLERANCE
    assert found["logits"] > 100 * DISTILBERT_TOLERANCE


def check_full_size(case, golden, worst_error):
    directory, given, expected = golden(case)
    model = mb.checkpoints.load_huggingface(directory)
    found = outputs(model, given)
    count = model.config.num_blocks + 1
    assert expected["hidden_states"].shape[0] == count
    measured = {}
    for index in range(count):
        states = found[f"hidden_states_{index}"].numpy()
        largest = expected["hidden_states_largest"][index]
        measured[f"hidden_states_{index}"] = worst_error(
            states[..., 5::64], expected["hidden_states"][index], largest)
        # The features that are not in the file are held by the largest of all.
        measured[f"largest_{index}"] = worst_error(np.abs(states).max(-1), largest)
    for index, probabilities in enumerate(expected["attentions"]):
        measured[f"attentions_{index}"] = worst_error(
            found[f"attentions_{index}"].numpy()[:, :, ::7, :], probabilities)
    measured["mlm_logits"] = worst_error(found["mlm_logits"].numpy()[..., 11::997],
                                         expected["mlm_logits"], expected["mlm_logits_largest"])
    measured["nsp_logits"] = worst_error(found["nsp_logits"], expected["nsp_logits"])
    assert max(measured.values()) <= TOLERANCE, measured
    return model


@pytest.mark.slow
def test_full_size_mobilebert_equals_transformers(golden, worst_error):
    model = check_full_size("full_mobilebert_pretraining", golden, worst_error)
    assert len(google_names(model)) == 1119


@pytest.mark.slow
@pytest.mark.parametrize("case", ["full_tiny_pretraining", "full_bert_base_pretraining"])
def test_other_full_size_models_equal_transformers(case, golden, worst_error):
    check_full_size(case, golden, worst_error)


def test_the_huge_case_is_what_the_released_weights_are_like(golden):
    _, _, expected = golden("micro_mobilebert_huge_pretraining")
    last = np.abs(expected["hidden_states_2"])
    assert (last[:, 0].max(-1) > 2e7).all()
    assert last[:, 1:].max() < 100


# Wrong variants. A variant is a function of pytest's monkeypatch that puts one mistake into the
# layers before the model is built.

def wrong_block(*, query_key=None, value=None, residual=None, feed_forwards=None,
                output_residual=None):
    """A variant of the block; all arguments None is the right one."""

    def patch(monkeypatch):
        def call(self, hidden, attention_mask, training=None):
            r = hidden if self.input_bottleneck is None else self.input_bottleneck(hidden)
            k = self.shared_bottleneck(hidden) if self.shared_bottleneck is not None else r
            width = self.config.width
            sources = {"x": hidden[..., :width], "r": r, "k": k}
            right_query_key, right_value = self._attention_inputs(hidden, r, k)
            context, logits, _ = self.attention(
                sources.get(query_key, right_query_key),
                sources.get(value, right_value), attention_mask, training=training)
            inner = self.attention_output(context, sources.get(residual, r), training=training)
            used = (feed_forwards or list)(self.feed_forwards)
            for feed_forward in used:
                inner = feed_forward(inner, training=training)
            for left_out in [layer for layer in self.feed_forwards if layer not in used]:
                left_out(inner)  # only so that it has variables to load into
            if self.output_bottleneck is None:
                return inner, logits
            return self.output_bottleneck(
                inner, 0 * hidden if output_residual == "none" else hidden,
                training=training), logits

        monkeypatch.setattr(TransformerBlock, "call", call)
        # The sublayers are built as this calls them.
        monkeypatch.setattr(TransformerBlock, "build", keras.layers.Layer.build)
        monkeypatch.setattr(TransformerBlock, "output_specs", lambda *_: None)

    return patch


def calls(layer_class, make_call):
    """A variant in which `call` of a layer is wrapped: `make_call(right_call)`."""
    return lambda monkeypatch: monkeypatch.setattr(
        layer_class, "call", make_call(layer_class.call))


def reversed_trigrams(right_call):
    def call(self, input_word_ids, input_type_ids, training=None):
        size = self.config.embedding_size
        right_projection = self.projection

        def projection(embedded):
            following, current, previous = tf.split(embedded, [size] * 3, axis=-1)
            return right_projection(tf.concat([previous, current, following], -1))

        self.projection = projection
        try:
            return right_call(self, input_word_ids, input_type_ids, training)
        finally:
            self.projection = right_projection

    return call


def no_segments(right_call):
    return lambda self, ids, types, training=None: right_call(self, ids, types * 0, training)


def unscaled_logits(right_call):
    def call(self, query_key_input, value_input, attention_mask, training=None):
        query, scale = self.query, self.head_size ** 0.5
        self.query = lambda h: query(h) * scale
        try:
            return right_call(self, query_key_input, value_input, attention_mask, training)
        finally:
            self.query = query

    return call


def mixed_heads(right_split):
    """Columns that belong to head h are every fourth instead of a run."""
    def split(self, features):
        count = self.num_heads * self.head_size
        order = np.arange(count).reshape(self.head_size, self.num_heads).T.ravel()
        return right_split(self, tf.gather(features, order, axis=-1))

    return split


def extra_columns_first(monkeypatch):
    class Swapped:
        """TensorFlow with the parts of a concatenation of two the other way round."""

        def __getattr__(self, name):
            return getattr(tf, name)

        @staticmethod
        def concat(parts, axis):
            return tf.concat(parts[::-1], axis)

    monkeypatch.setattr(masked_lm_head, "tf", Swapped())


def layer_norm_everywhere(monkeypatch):
    right = choices.norm
    monkeypatch.setattr(choices, "norm", lambda kind, epsilon, name: right(
        "layer_norm", epsilon, name))


def no_norm_in_head(monkeypatch):
    right = masked_lm_head.MaskedLMHead.__init__

    def init(self, embedding, **kwargs):
        right(self, embedding, **kwargs)
        self.norm = choices.norm("no_norm", 0, "norm")

    monkeypatch.setattr(masked_lm_head.MaskedLMHead, "__init__", init)


def one_epsilon(monkeypatch):
    right = choices.norm
    monkeypatch.setattr(choices, "norm", lambda kind, epsilon, name: right(kind, 1e-12, name))


def activation(right, wrong):
    return lambda monkeypatch: monkeypatch.setitem(
        choices._ACTIVATIONS, right, choices._ACTIVATIONS[wrong])


MOBILE, TINY, NO_OPT, BERT = (f"micro_{name}_pretraining"
                              for name in ("mobilebert", "tiny", "no_opt", "bert"))
# Variant -> (model that shows it, the mistake, golden tensors that must be off by 100 tolerances).
WRONG = {
    "trigram order reversed": (
        MOBILE, calls(EncoderEmbedding, reversed_trigrams), ["hidden_states_0"]),
    "segments ignored": (MOBILE, calls(EncoderEmbedding, no_segments), ["hidden_states_0"]),
    "queries and keys from the block input": (MOBILE, wrong_block(query_key="x"), ["attentions_0"]),
    "queries and keys from the input bottleneck": (
        MOBILE, wrong_block(query_key="r"), ["attentions_0"]),
    "queries and keys of TINY from the block input": (
        TINY, wrong_block(query_key="x"), ["attentions_0"]),
    "values of TINY from the block input": (TINY, wrong_block(value="x"), ["hidden_states_1"]),
    "attention residual from the block input": (
        MOBILE, wrong_block(residual="x"), ["hidden_states_1"]),
    "attention residual from the shared bottleneck": (
        MOBILE, wrong_block(residual="k"), ["hidden_states_1"]),
    "no residual around the block": (
        MOBILE, wrong_block(output_residual="none"), ["hidden_states_1"]),
    "last feed-forward missing": (
        MOBILE, wrong_block(feed_forwards=lambda stack: stack[:-1]), ["hidden_states_1"]),
    "first feed-forward missing": (
        MOBILE, wrong_block(feed_forwards=lambda stack: stack[1:]), ["hidden_states_1"]),
    "feed-forwards in the reverse order": (
        MOBILE, wrong_block(feed_forwards=lambda stack: stack[::-1]), ["hidden_states_1"]),
    "GELU for ReLU": (MOBILE, activation("relu", "gelu"), ["hidden_states_1", "mlm_logits"]),
    "tanh GELU for exact GELU": (BERT, activation("gelu", "gelu_tanh"), []),
    "no mask": (MOBILE, calls(AttentionMask, lambda right: lambda self, mask: right(
        self, tf.ones_like(mask))), ["attentions_0"]),
    "no mask in BERT": (BERT, calls(AttentionMask, lambda right: lambda self, mask: right(
        self, tf.ones_like(mask))), ["attentions_0"]),
    "mask of -6": (MOBILE, calls(AttentionMask, lambda right: lambda self, mask: right(
        self, mask) / 1e30 * 6), ["attentions_0"]),
    "logits not scaled": (MOBILE, calls(SelfAttention, unscaled_logits), ["attentions_0"]),
    "heads interleaved": (MOBILE, lambda monkeypatch: monkeypatch.setattr(
        SelfAttention, "_split_heads", mixed_heads(SelfAttention._split_heads)), ["attentions_0"]),
    "LayerNorm for NoNorm": (MOBILE, layer_norm_everywhere, ["hidden_states_0"]),
    "NoNorm in the masked-LM head": (MOBILE, no_norm_in_head, ["mlm_logits"]),
    "extra columns before the tied ones": (MOBILE, extra_columns_first, ["mlm_logits"]),
    "one epsilon everywhere": (NO_OPT, one_epsilon, []),
}


# Tests of the layers hold these by hand too.
HELD_ELSEWHERE = {"segments ignored", "no mask in BERT", "logits not scaled", "heads interleaved",
                  "NoNorm in the masked-LM head"}


@pytest.mark.parametrize("variant", [
    pytest.param(name, marks=pytest.mark.slow) if name in HELD_ELSEWHERE else name
    for name in WRONG])
def test_a_wrong_variant_fails_the_check(variant, golden, worst_error, monkeypatch):
    case, patch, telling = WRONG[variant]
    directory, given, expected = golden(case)
    patch(monkeypatch)
    found = errors(worst_error, mb.checkpoints.load_huggingface(directory), given, expected)
    assert max(found.values()) > TOLERANCE
    for name in telling:
        assert found[name] > 100 * TOLERANCE, (name, found)


def test_the_block_that_wrong_variants_are_made_from_is_right(golden, worst_error, monkeypatch):
    directory, given, expected = golden(MOBILE)
    wrong_block()(monkeypatch)
    found = errors(worst_error, mb.checkpoints.load_huggingface(directory), given, expected)
    assert max(found.values()) <= TOLERANCE, found


# The shared golden checkpoints, and a trained model.

SHARED_NAMES = {"prediction_logits": "mlm_logits", "seq_relationship_logits": "nsp_logits"}


@pytest.mark.parametrize("name", [
    "bert_pretraining", "bert_sequence_classification", "distilbert_masked_lm",
    "mobilebert_pretraining", "mobilebert_qa", "mobilebert_sequence_classification",
    "mobilebert_tiny_pretraining", "mobilebert_token_classification"])
def test_shared_golden_checkpoints(name, shared_golden, worst_error):
    with np.load(shared_golden / name / "expected.npz") as stored:
        stored = dict(stored)
    given = encoder_inputs.of_transformers({key: stored.pop(key)
                    for key in ("input_ids", "attention_mask", "token_type_ids")})
    expected = {SHARED_NAMES.get(key, key): value for key, value in stored.items()}
    if name.endswith("masked_lm"):
        expected["mlm_logits"] = expected.pop("logits")
    found = errors(worst_error, mb.checkpoints.load_huggingface(shared_golden / name), given,
                   expected)
    assert len(found) >= 5
    assert max(found.values()) <= TOLERANCE, found


def test_a_trained_model_gives_its_states_and_sentence_embeddings(
        minilm, shared_golden, worst_error):
    with np.load(shared_golden / "minilm" / "expected.npz") as stored:
        expected = dict(stored)
    model = mb.checkpoints.load_huggingface(minilm)
    assert isinstance(model, mb.Encoder)
    tokenizer = mb.Tokenizer(minilm / "vocab.txt", lower_case=True)
    ids = np.zeros_like(expected["input_ids"], np.int32)
    for row, sentence in zip(ids, expected["sentences"], strict=True):
        pieces = [tokenizer.vocabulary.cls_id, *tokenizer.encode(str(sentence)),
                  tokenizer.vocabulary.sep_id]
        row[:len(pieces)] = pieces
    np.testing.assert_array_equal(ids, expected["input_ids"])
    mask = np.int32(ids != 0)
    np.testing.assert_array_equal(mask, expected["attention_mask"])

    encoded = model({"input_word_ids": ids, "input_mask": mask, "input_type_ids": ids * 0})
    states = encoded["sequence_output"].numpy()
    assert worst_error(states[..., :32], expected["last_hidden_state"],
                       np.abs(states).max(-1)) <= TOLERANCE
    assert worst_error(encoded["pooled_output"][:, :32], expected["pooler_output"]) <= TOLERANCE
    mean = (states * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
    embedding = mean / np.linalg.norm(mean, axis=-1, keepdims=True)
    np.testing.assert_allclose(embedding, expected["embedding"], atol=TOLERANCE)
