"""Google's TF1 layout: written by TensorFlow 1's Saver, read, computed with, written again."""

import dataclasses
import json
import pathlib

import numpy as np
import pytest
import tensorflow as tf

import mobilebert_tf as mb
from mobilebert_tf.checkpoints import google
from mobilebert_tf.checkpoints.names import google_names

from ..folders import bytes_of

ONE_BLOCK = dataclasses.replace(mb.presets.get("micro"), num_blocks=1, num_feed_forwards=1)
MODELS = ["mobilebert", "tiny", "no_opt", "ib_bert"]


@pytest.fixture
def config(google_fields, tmp_path):
    """kind -> our config, read from a bert_config.json."""

    def read(kind):
        path = tmp_path / f"{kind}_config.json"
        path.write_text(json.dumps(google_fields[kind]))
        return mb.checkpoints.read_google_config(path)

    return read


@pytest.mark.parametrize("kind", MODELS)
def test_computes_what_googles_code_computes(
        kind, config, google_fields, google_tensors, write_checkpoint, numpy_forward, batch,
        tmp_path):
    tensors = google_tensors(kind)
    model = mb.checkpoints.load_google(write_checkpoint(tensors, tmp_path / "model.ckpt"),
                                       config(kind))
    expected = numpy_forward(tensors, google_fields[kind], batch["input_word_ids"],
                             batch["input_mask"], batch["input_type_ids"])
    encoded = model.encoder(batch)
    heads = model({**batch, "masked_positions": np.tile(np.arange(10, dtype="i4"), (3, 1))})

    def check(found, right):
        error = np.abs(np.asarray(found) - right).max(-1) / np.abs(right).max(-1)
        assert error.max() <= 1e-5

    check(encoded["embedding_output"], expected["embedding_output"])
    for found, right in zip(encoded["block_outputs"], expected["block_outputs"], strict=True):
        check(found, right)
    for found, right in zip(encoded["attention_logits"], expected["attention_probs"],
                            strict=True):
        check(tf.nn.softmax(found), right)
    check(encoded["pooled_output"], expected["pooled_output"])
    check(heads["mlm_logits"], expected["mlm_logits"])
    check(heads["nsp_logits"], expected["nsp_logits"])


@pytest.mark.parametrize(("heads", "names"), [
    (("squad",), ("start_logits", "end_logits")), (("classifier",), ("logits",))])
def test_task_heads_compute_what_googles_compute(
        heads, names, config, google_fields, google_tensors, write_checkpoint, numpy_forward,
        batch, tmp_path):
    tensors = google_tensors("mobilebert", heads)
    model = mb.checkpoints.load_google(write_checkpoint(tensors, tmp_path / "model.ckpt"),
                                       config("mobilebert"))
    assert type(model) is (mb.QuestionAnswerer if heads == ("squad",) else mb.Classifier)
    expected = numpy_forward(tensors, google_fields["mobilebert"], batch["input_word_ids"],
                             batch["input_mask"], batch["input_type_ids"])
    found = model(batch)
    for name in names:
        np.testing.assert_allclose(found[name] if len(names) > 1 else found, expected[name],
                                   atol=1e-5 * np.abs(expected[name]).max())


def test_a_masked_lm_has_no_next_sentence_head_and_no_heads_give_an_encoder(
        config, google_tensors, write_checkpoint, tmp_path):
    tensors = google_tensors("mobilebert")
    masked_lm = {name: array for name, array in tensors.items() if "seq_relationship" not in name}
    model = mb.checkpoints.load_google(write_checkpoint(masked_lm, tmp_path / "mlm.ckpt"),
                                       config("mobilebert"))
    assert isinstance(model, mb.Pretrainer)
    assert model.nsp_head is None
    encoder = {name: array for name, array in tensors.items() if not name.startswith("cls/")}
    model = mb.checkpoints.load_google(write_checkpoint(encoder, tmp_path / "encoder.ckpt"),
                                       config("mobilebert"))
    assert type(model) is mb.Encoder


def test_what_training_leaves_behind_is_left_out_and_listed(
        config, google_tensors, write_checkpoint, variables, tmp_path):
    tensors = google_tensors("mobilebert")
    junk = {
        "teacher/bert/embeddings/word_embeddings": np.zeros((120, 16), "f4"),
        "teacher/cls/predictions/output_bias": np.zeros(120, "f4"),
        "hidden_distill_3/LayerNorm_1/gamma": np.ones(48, "f4"),
        "hidden_distill_3/LayerNorm/beta": np.ones(48, "f4"),
        "bert/embeddings/word_embeddings/adam_m": np.zeros((120, 16), "f4"),
        "bert/embeddings/word_embeddings/adam_v": np.zeros((120, 16), "f4"),
        "bert/encoder/layer_0/attention/self/key/kernel/adam_v": np.zeros((24, 24), "f4"),
        "global_step": np.int64(1000),
    }
    model, report = google.load_with_report(
        write_checkpoint({**tensors, **junk}, tmp_path / "model.ckpt"), config("mobilebert"))
    assert set(report.left_out) == set(junk)
    assert report.left_out["global_step"] == "training state"
    assert report.left_out["hidden_distill_3/LayerNorm_1/gamma"] == (
        "constant of the distillation loss")
    assert "teacher" in report.left_out["teacher/cls/predictions/output_bias"]
    assert "slot" in report.left_out["bert/embeddings/word_embeddings/adam_m"]
    assert set(report.used) == set(tensors)
    for name, value in variables(model).items():
        stored = tensors[name]
        np.testing.assert_array_equal(
            value, stored.T if name.endswith("output_weights") and "extra" not in name else stored)


@pytest.mark.slow
@pytest.mark.parametrize(("preset", "count"), [
    ("mobilebert", 1119), ("mobilebert_tiny", 735), ("ib_bert_large", 593)])
def test_published_sizes_have_the_counted_variables(preset, count, list_google_shapes,
                                                    google_fields):
    # As deep as published, and narrow: names and counts do not depend on widths.
    config = dataclasses.replace(mb.presets.get(preset), vocab_size=7, hidden_size=8,
                                 intermediate_size=8, embedding_size=4, max_positions=8,
                                 bottleneck_size=4)
    names = google_names(mb.Pretrainer(mb.Encoder(config)))
    assert len(names) == count
    kind = {"mobilebert": "mobilebert", "mobilebert_tiny": "tiny", "ib_bert_large": "ib_bert"}
    fields = {**google_fields[kind[preset]], "vocab_size": 7, "hidden_size": 8,
              "num_hidden_layers": 24, "intermediate_size": 8, "embedding_size": 4,
              "max_position_embeddings": 8, "intra_bottleneck_size": 4,
              "num_feedforward_networks": config.num_feed_forwards}
    shapes = list_google_shapes(fields)
    assert set(names) == set(shapes)
    for name, variable in names.items():
        shape = tuple(variable.shape)
        assert (shape[::-1] if name in ("cls/seq_relationship/output_weights",)
                else shape) == shapes[name], name


@pytest.mark.parametrize("preset", ["micro", "micro_tiny", "micro_no_opt", "micro_ib_bert",
                                    "micro_bert"])
def test_load_save_load_is_bit_equal(preset, randomize, variables, tmp_path):
    config = mb.presets.get(preset)
    config = dataclasses.replace(config, num_blocks=2,
                                 num_feed_forwards=min(2, config.num_feed_forwards))
    model = randomize(mb.Pretrainer(mb.Encoder(config)))
    mb.checkpoints.save_google(model, tmp_path / "a" / "model.ckpt")
    loaded = mb.checkpoints.load_google(tmp_path / "a" / "model.ckpt", config)
    mb.checkpoints.save_google(loaded, tmp_path / "b" / "model.ckpt")
    right, found = variables(model), variables(loaded)
    assert found.keys() == right.keys()
    for name, value in right.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)
    first, second = (tf.train.load_checkpoint(str(tmp_path / folder / "model.ckpt"))
                     for folder in "ab")
    assert first.get_variable_to_shape_map() == second.get_variable_to_shape_map()
    for name in first.get_variable_to_shape_map():
        np.testing.assert_array_equal(first.get_tensor(name), second.get_tensor(name))


@pytest.mark.parametrize("kind", ["classifier", "question_answerer", "encoder", "masked_lm"])
def test_every_head_survives_the_round_trip(kind, randomize, variables, tmp_path):
    encoder = mb.Encoder(ONE_BLOCK)
    model = randomize({"classifier": lambda: mb.Classifier(encoder, 5),
                       "question_answerer": lambda: mb.QuestionAnswerer(encoder),
                       "encoder": lambda: encoder,
                       "masked_lm": lambda: mb.Pretrainer(encoder, next_sentence=False)}[kind]())
    mb.checkpoints.save_google(model, tmp_path / "model.ckpt")
    loaded = mb.checkpoints.load_google(tmp_path / "model.ckpt", ONE_BLOCK)
    assert type(loaded) is type(model)
    assert loaded.get_config() == {**model.get_config(), "name": loaded.name}
    found = variables(loaded)
    assert found.keys() == variables(model).keys()
    for name, value in variables(model).items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)


def test_a_classifiers_weights_are_stored_by_class(randomize, tmp_path):
    model = randomize(mb.Classifier(mb.Encoder(ONE_BLOCK), 5))
    mb.checkpoints.save_google(model, tmp_path / "model.ckpt")
    reader = tf.train.load_checkpoint(str(tmp_path / "model.ckpt"))
    np.testing.assert_array_equal(reader.get_tensor("output_weights"),
                                  model.head.kernel.numpy().T)
    assert reader.get_tensor("output_weights").shape == (5, 48)


def test_a_token_classifier_cannot_be_saved(tmp_path):
    model = mb.TokenClassifier(mb.Encoder(ONE_BLOCK), 5)
    with pytest.raises(mb.InputError, match="save_huggingface"):
        mb.checkpoints.save_google(model, tmp_path / "model.ckpt")
    assert list(tmp_path.iterdir()) == []


def test_a_prefix_with_its_index_suffix_is_understood(randomize, variables, tmp_path):
    model = randomize(mb.Encoder(ONE_BLOCK))
    mb.checkpoints.save_google(model, tmp_path / "model.ckpt")
    loaded = mb.checkpoints.load_google(tmp_path / "model.ckpt.index", model.config)
    for name, value in variables(model).items():
        np.testing.assert_array_equal(variables(loaded)[name], value)


# Bad input: one error that names the thing, and no variable touched.

def without(name):
    return lambda tensors: {key: value for key, value in tensors.items() if key != name}


def replaced(name, value):
    return lambda tensors: {**tensors, name: value}


NAME = "bert/encoder/layer_1/attention/self/key/bias"


@pytest.mark.parametrize(("change", "message"), [
    (without(NAME), f"no tensor {NAME}"),
    (replaced("bert/encoder/layer_2/attention/self/key/bias", np.zeros(24, "f4")),
     "bert/encoder/layer_2/attention/self/key/bias.*no place"),
    (replaced(NAME, np.zeros(25, "f4")), rf"{NAME} has shape \(25,\).*\(24,\)"),
    (replaced(NAME, np.full(24, np.nan, "f4")), f"{NAME} holds values that are not finite"),
    (replaced(NAME, np.full(24, np.inf, "f4")), f"{NAME} holds values that are not finite"),
    (replaced(NAME, np.zeros(24, "i4")), f"{NAME} has type int32"),
    (replaced("cls/squad/output_weights", np.zeros((2, 48), "f4")),
     "more than one kind of head: cls/predictions, cls/squad"),
    (replaced("teachers/bert/x", np.zeros(2, "f4")), "teachers/bert/x.*no place"),
])
def test_a_wrong_checkpoint_is_an_error_that_names_the_tensor(
        change, message, config, google_tensors, write_checkpoint, no_assignment, tmp_path):
    prefix = write_checkpoint(change(google_tensors("mobilebert")), tmp_path / "model.ckpt")
    with pytest.raises(mb.InputError, match=message) as raised:
        mb.checkpoints.load_google(prefix, config("mobilebert"))
    assert str(prefix) in str(raised.value)


def test_another_models_config_is_an_error(config, google_tensors, write_checkpoint, tmp_path,
                                           no_assignment):
    prefix = write_checkpoint(google_tensors("tiny"), tmp_path / "model.ckpt")
    with pytest.raises(mb.InputError, match="no tensor bert/encoder/layer_0/bottleneck/attention"):
        mb.checkpoints.load_google(prefix, config("mobilebert"))


def test_a_missing_checkpoint_is_an_error(config, tmp_path):
    with pytest.raises(mb.InputError, match=r"none\.ckpt\.index is missing"):
        mb.checkpoints.load_google(tmp_path / "none.ckpt", config("mobilebert"))


@pytest.fixture(scope="module")
def small():
    """An encoder that tests write and do not change."""
    return mb.Encoder(ONE_BLOCK)


@pytest.fixture
def small_checkpoint(small, tmp_path):
    mb.checkpoints.save_google(small, tmp_path / "model.ckpt")
    return tmp_path / "model.ckpt"


@pytest.mark.parametrize("suffix", [".index", ".data-00000-of-00001"])
def test_a_damaged_checkpoint_is_an_error(suffix, small_checkpoint, tmp_path, no_assignment):
    path = pathlib.Path(f"{tmp_path}/model.ckpt{suffix}")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(mb.InputError, match=r"model\.ckpt"):
        mb.checkpoints.load_google(small_checkpoint, ONE_BLOCK)


def test_a_flipped_bit_is_an_error(small_checkpoint, tmp_path, no_assignment):
    path = tmp_path / "model.ckpt.data-00000-of-00001"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(mb.InputError, match=r"model\.ckpt cannot be read"):
        mb.checkpoints.load_google(small_checkpoint, ONE_BLOCK)


def test_a_missing_data_file_is_an_error(small_checkpoint, tmp_path, no_assignment):
    (tmp_path / "model.ckpt.data-00000-of-00001").unlink()
    with pytest.raises(mb.InputError, match=r"model\.ckpt"):
        mb.checkpoints.load_google(small_checkpoint, ONE_BLOCK)


def test_a_foreign_file_is_an_error(config, tmp_path):
    (tmp_path / "model.ckpt.index").write_bytes(b"this is not an index of tensors" * 9)
    with pytest.raises(mb.InputError, match=r"model\.ckpt cannot be read"):
        mb.checkpoints.load_google(tmp_path / "model.ckpt", config("mobilebert"))


def test_a_tf2_object_checkpoint_is_an_error(config, tmp_path):
    prefix = tf.train.Checkpoint(v=tf.Variable([1.0])).write(str(tmp_path / "model.ckpt"))
    with pytest.raises(mb.InputError, match="TF2 object checkpoint"):
        mb.checkpoints.load_google(prefix, config("mobilebert"))


def test_a_failing_disk_leaves_the_old_checkpoint_whole(randomize, variables, tmp_path,
                                                        monkeypatch):
    old = randomize(mb.Encoder(ONE_BLOCK))
    mb.checkpoints.save_google(old, tmp_path / "model.ckpt")
    before = bytes_of(tmp_path)

    def save(**kwargs):
        pathlib.Path(kwargs["prefix"] + ".data-00000-of-00001").write_bytes(b"half")
        raise tf.errors.ResourceExhaustedError(None, None, "No space left on device")

    monkeypatch.setattr(tf.raw_ops, "SaveV2", save)
    with pytest.raises(mb.InputError, match="cannot write the checkpoint.*No space left"):
        mb.checkpoints.save_google(randomize(old, seed=1), tmp_path / "model.ckpt")
    assert bytes_of(tmp_path) == before


def test_a_place_that_cannot_be_written_is_an_error(small, tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(mb.InputError, match="cannot write"):
        mb.checkpoints.save_google(small, tmp_path / "file" / "model.ckpt")


# bert_config.json: the published files.

_SHARED = {
    "attention_probs_dropout_prob": 0.1, "hidden_size": 512, "initializer_range": 0.02,
    "max_position_embeddings": 512, "num_attention_heads": 4, "num_hidden_layers": 24,
    "type_vocab_size": 2, "vocab_size": 30522, "embedding_size": 128, "trigram_input": True,
    "use_bottleneck": True}
_STUDENT = {**_SHARED, "hidden_act": "relu", "hidden_dropout_prob": 0.0, "intermediate_size": 512,
            "intra_bottleneck_size": 128, "normalization_type": "no_norm",
            "classifier_activation": False}
PUBLISHED = {
    "mobilebert": {**_STUDENT, "key_query_shared_bottleneck": True,
                   "num_feedforward_networks": 4},
    "mobilebert_tiny": {**_STUDENT, "use_bottleneck_attention": True,
                        "num_feedforward_networks": 2},
    "ib_bert_large": {**_SHARED, "hidden_act": "gelu", "hidden_dropout_prob": 0.1,
                      "intermediate_size": 4096, "intra_bottleneck_size": 1024},
}


@pytest.mark.parametrize("preset", PUBLISHED)
def test_published_configs_are_the_presets(preset, tmp_path):
    path = tmp_path / "bert_config.json"
    path.write_text(json.dumps(PUBLISHED[preset]))
    assert mb.checkpoints.read_google_config(path) == mb.presets.get(preset)


def test_the_quantized_config_has_relu6(tmp_path):
    path = tmp_path / "bert_config.json"
    path.write_text(json.dumps({**PUBLISHED["mobilebert"], "hidden_act": "relu6"}))
    assert mb.checkpoints.read_google_config(path) == dataclasses.replace(
        mb.presets.get("mobilebert"), activation="relu6")


def test_absent_keys_have_the_defaults_of_googles_code(tmp_path):
    path = tmp_path / "bert_config.json"
    path.write_text('{"vocab_size": 99}')
    config = mb.checkpoints.read_google_config(path)
    assert config == mb.EncoderConfig(
        vocab_size=99, hidden_size=768, num_blocks=12, num_heads=12, intermediate_size=3072,
        embedding_size=768, type_vocab_size=16, activation="gelu_tanh", pooler="tanh")


def test_berts_own_pooler_keys_are_passed_over(tmp_path):
    path = tmp_path / "bert_config.json"
    path.write_text(json.dumps({"vocab_size": 30522, "type_vocab_size": 2, "directionality": "bidi",
                                "pooler_fc_size": 768, "pooler_type": "first_token_transform",
                                "pooler_num_attention_heads": 12, "pooler_num_fc_layers": 3,
                                "pooler_size_per_head": 128}))
    assert mb.checkpoints.read_google_config(path) == dataclasses.replace(
        mb.presets.get("bert_base"), activation="gelu_tanh")


@pytest.mark.parametrize(("text", "message"), [
    ('{"hiden_size": 512, "vocab_size": 9}', "unknown field hiden_size"),
    ("[1, 2]", "expected object"), ("{not json", "is not JSON"),
    ('{"vocab_size": 9, "hidden_act": "swish"}', "hidden_act 'swish'"),
    ('{"vocab_size": 9, "num_attention_heads": 7}', "num_heads"),
    ("{}", "vocab_size"),
    ('{"vocab_size": 9, "hidden_size": "512"}', "hidden_size|embedding_size")])
def test_a_bad_config_is_an_error_that_names_the_file_and_the_key(text, message, tmp_path):
    path = tmp_path / "bert_config.json"
    path.write_text(text)
    with pytest.raises(mb.InputError, match=message) as raised:
        mb.checkpoints.read_google_config(path)
    assert str(path) in str(raised.value)


def test_a_missing_config_is_an_error(tmp_path):
    with pytest.raises(mb.InputError, match=r"cannot read .*bert_config\.json"):
        mb.checkpoints.read_google_config(tmp_path / "bert_config.json")
