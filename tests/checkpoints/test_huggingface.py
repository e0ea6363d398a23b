"""Hugging Face directories: read strictly, written as transformers reads them."""

import json

import numpy as np
import pytest
import safetensors.numpy

import mobilebert_tf as mb
from mobilebert_tf.checkpoints import huggingface

from ..folders import bytes_of
from ..full_disk import fill_after
from .huggingface_files import (
    CONFIGS,
    KEY_BIAS,
    KINDS,
    LAYER,
    TABLE,
    assert_same,
    change_config,
    change_tensors,
)


def test_what_transformers_saved_is_loaded_value_by_value(saved):
    """Names are written out here: one of each kind, with its transposition."""
    stored = safetensors.numpy.load_file(saved / "model.safetensors")
    model, report = huggingface.load_with_report(saved)
    assert isinstance(model, mb.Pretrainer)
    assert model.nsp_head is None
    assert set(report.used) == set(stored) - set(report.left_out)
    block, embedding = model.encoder.blocks[0], model.encoder.embedding
    second, last = block.feed_forwards
    for variable, name, transposed in (
            (embedding.word_table, TABLE, False),
            (embedding.position_table, "mobilebert.embeddings.position_embeddings.weight", False),
            (embedding.type_table, "mobilebert.embeddings.token_type_embeddings.weight", False),
            (embedding.norm.gamma, "mobilebert.embeddings.LayerNorm.weight", False),
            (embedding.norm.beta, "mobilebert.embeddings.LayerNorm.bias", False),
            (embedding.projection.kernel,
             "mobilebert.embeddings.embedding_transformation.weight", True),
            (block.input_bottleneck.dense.kernel, f"{LAYER}.bottleneck.input.dense.weight", True),
            (block.shared_bottleneck.dense.kernel,
             f"{LAYER}.bottleneck.attention.dense.weight", True),
            (block.shared_bottleneck.norm.beta,
             f"{LAYER}.bottleneck.attention.LayerNorm.bias", False),
            (block.attention.query.kernel, f"{LAYER}.attention.self.query.weight", True),
            (block.attention.key.kernel, f"{LAYER}.attention.self.key.weight", True),
            (block.attention.value.kernel, f"{LAYER}.attention.self.value.weight", True),
            (block.attention_output.dense.kernel, f"{LAYER}.attention.output.dense.weight", True),
            (second.intermediate.kernel, f"{LAYER}.ffn.0.intermediate.dense.weight", True),
            (second.output_dense.norm.gamma, f"{LAYER}.ffn.0.output.LayerNorm.weight", False),
            (last.intermediate.kernel, f"{LAYER}.intermediate.dense.weight", True),
            (last.output_dense.dense.kernel, f"{LAYER}.output.dense.weight", True),
            (block.output_bottleneck.dense.kernel, f"{LAYER}.output.bottleneck.dense.weight",
             True),
            (model.mlm_head.dense.kernel, "cls.predictions.transform.dense.weight", True),
            (model.mlm_head.extra_kernel, "cls.predictions.dense.weight", True),
            (model.mlm_head.output_bias, "cls.predictions.bias", False)):
        np.testing.assert_array_equal(
            variable.numpy().T if transposed else variable.numpy(), stored[name], err_msg=name)


ROUND_TRIPS = [(name, kind) for name in ("MobileBert", "Bert") for kind in KINDS] + [
    ("MobileBert tiny", "ForPreTraining"), ("MobileBert no_opt", "ForPreTraining"),
    ("MobileBert pooler", "ForSequenceClassification"), ("DistilBert", "ForMaskedLM"),
    ("DistilBert", "ForTokenClassification"), ("DistilBert", "ForQuestionAnswering"),
    ("DistilBert", "Model"), ("DistilBert pooler", "ForSequenceClassification")]


@pytest.mark.parametrize(("name", "kind"), ROUND_TRIPS)
def test_load_save_load_is_bit_equal(name, kind, encoder, randomize, variables, tmp_path):
    model = randomize(KINDS[kind](encoder(CONFIGS[name])))
    mb.checkpoints.save_huggingface(model, tmp_path / "a")
    fields = json.loads((tmp_path / "a" / "config.json").read_text())
    assert fields["architectures"] == [name.split()[0] + kind]
    loaded = mb.checkpoints.load_huggingface(tmp_path / "a")
    assert type(loaded) is type(model)
    assert loaded.config == model.config
    assert loaded.get_config() == {**model.get_config(), "name": loaded.name}
    assert_same(variables(loaded), variables(model))
    mb.checkpoints.save_huggingface(loaded, tmp_path / "b")
    for file in ("config.json", "model.safetensors"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


@pytest.mark.parametrize("case", ["micro_mobilebert_pretraining", "micro_bert_pretraining",
                                  "micro_bert_classification", "micro_tiny_tagging",
                                  "micro_mobilebert_question_answering"])
def test_saves_exactly_the_tensors_that_transformers_has(
        case, seeded_weights, write_huggingface, tmp_path):
    model = mb.checkpoints.load_huggingface(write_huggingface(case, tmp_path / "a"))
    mb.checkpoints.save_huggingface(model, tmp_path / "b")
    assert_same(safetensors.numpy.load_file(tmp_path / "b" / "model.safetensors"),
                seeded_weights.tensors(case))
    wrote = json.loads((tmp_path / "b" / "config.json").read_text())
    given = json.loads(seeded_weights.config_json(case))
    assert {key: wrote[key] for key in given} == given


def test_labels_are_written_and_read(encoder, tmp_path):
    model = mb.Classifier(encoder(CONFIGS["Bert"]), 2)
    mb.checkpoints.save_huggingface(model, tmp_path, labels=("bad", "good"))
    fields = json.loads((tmp_path / "config.json").read_text())
    assert fields["label2id"] == {"bad": 0, "good": 1}
    assert huggingface.read_labels(tmp_path) == ("bad", "good")
    for labels, message in (
            (("bad",), "has 2 classes: give each a name of its own"),
            (("a", "b", "c"), "has 2 classes: give each a name of its own"),
            (("good", "good"), "the label 'good' is given 2 times"),
            (("bad", "go\nod"), "is not a text of one line")):
        with pytest.raises(mb.InputError, match=message):
            mb.checkpoints.save_huggingface(model, tmp_path, labels=labels)


def test_stored_ties_and_position_numbers_are_left_out_and_listed(saved):
    change_tensors(saved, lambda tensors: {
        **tensors, "cls.predictions.decoder.weight": tensors[TABLE].copy(),
        "cls.predictions.decoder.bias": tensors["cls.predictions.bias"].copy(),
        "mobilebert.embeddings.position_ids": np.arange(7)[None]})
    _, report = huggingface.load_with_report(saved)
    assert set(report.left_out) == {
        "cls.predictions.decoder.weight", "cls.predictions.decoder.bias",
        "mobilebert.embeddings.position_ids"}
    assert TABLE in report.left_out["cls.predictions.decoder.weight"]


@pytest.mark.parametrize("name", ["weight", "bias"])
def test_a_tie_that_is_broken_is_an_error(name, saved, no_assignment):
    tied = {"weight": TABLE, "bias": "cls.predictions.bias"}[name]
    change_tensors(saved, lambda tensors: {
        **tensors, f"cls.predictions.decoder.{name}": tensors[tied] + 1})
    with pytest.raises(mb.InputError, match=rf"decoder\.{name} should equal {tied}"):
        mb.checkpoints.load_huggingface(saved)


def test_a_masked_lm_file_with_pooler_and_next_sentence_head(
        write_huggingface, variables, tmp_path):
    """As bert-base-uncased on the hub: more in the file than its architecture names."""
    directory = write_huggingface("micro_bert_pretraining", tmp_path / "a")
    right = variables(mb.checkpoints.load_huggingface(directory))
    change_config(directory, architectures=["BertForMaskedLM"])
    model = mb.checkpoints.load_huggingface(directory)
    assert model.nsp_head is not None
    assert model.config.pooler == "tanh"
    assert_same(variables(model), right)


def test_a_bare_encoder_has_no_prefix(write_huggingface, variables, tmp_path):
    directory = write_huggingface("micro_bert_pretraining", tmp_path / "a")
    right = variables(mb.checkpoints.load_huggingface(directory).encoder)
    change_config(directory, architectures=["BertModel"])
    change_tensors(directory, lambda tensors: {
        name.removeprefix("bert."): value for name, value in tensors.items()
        if name.startswith("bert.")})
    assert_same(variables(mb.checkpoints.load_huggingface(directory)), right)


@pytest.mark.parametrize(("change", "message"), [
    (lambda tensors: {n: t for n, t in tensors.items() if n != KEY_BIAS}, f"no tensor {KEY_BIAS}"),
    (lambda tensors: {n: t for n, t in tensors.items() if n != TABLE}, f"no tensor {TABLE}"),
    (lambda tensors: {**tensors, "classifier.weight": np.zeros((2, 12), "f4")},
     r"classifier\.weight, which the model has no place"),
    (lambda tensors: {**tensors, KEY_BIAS: np.zeros(9, "f4")}, rf"{KEY_BIAS} has shape \(9,\)"),
    (lambda tensors: {**tensors, f"{LAYER}.intermediate.dense.weight": np.zeros((8, 10), "f4")},
     r"intermediate\.dense\.weight has shape \(8, 10\), the model needs \(10, 8\)"),
    (lambda tensors: {**tensors, KEY_BIAS: np.full(8, np.nan, "f4")}, f"{KEY_BIAS}.*not finite"),
    (lambda tensors: {**tensors, KEY_BIAS: np.zeros(8, "i8")}, f"{KEY_BIAS} has type int64"),
])
def test_a_wrong_tensor_is_an_error_that_names_it(change, message, saved, no_assignment):
    change_tensors(saved, change)
    with pytest.raises(mb.InputError, match=message) as raised:
        mb.checkpoints.load_huggingface(saved)
    assert "model.safetensors" in str(raised.value)


@pytest.mark.parametrize(("fields", "message"), [
    ({"model_type": "t5"}, "model_type 't5' is not supported.*mobilebert"),
    ({"model_type": ...}, "architecture MobileBertForMaskedLM.*BertModel"),
    ({"architectures": ["MobileBertForMultipleChoice"]}, "MobileBertForMultipleChoice"),
    ({"architectures": ["BertForMaskedLM"]}, "architecture BertForMaskedLM"),
    ({"architectures": ...}, "names no architecture"),
    ({"architectures": ["MobileBertForSequenceClassification"]}, r"classifier\.weight"),
    ({"hidden_act": "swish"}, "hidden_act 'swish'"),
    ({"num_attention_heads": 3}, "num_heads"),
    ({"normalization_type": "batch_norm"}, "normalization"),
    ({"is_decoder": True}, "decoder"),
    ({"position_embedding_type": "relative_key"}, "relative_key"),
    ({"vocab_size": 14}, rf"{TABLE} has shape \(13, 6\), the model needs \(14, 6\)"),
    ({"num_hidden_layers": 2}, r"no tensor mobilebert\.encoder\.layer\.1"),
])
def test_a_wrong_config_is_an_error_that_says_what(fields, message, saved, no_assignment):
    change_config(saved, **fields)
    with pytest.raises(mb.InputError, match=message):
        mb.checkpoints.load_huggingface(saved)


@pytest.mark.parametrize("written", [0, 1])
def test_a_failing_disk_leaves_the_old_files_whole(written, encoder, randomize, tmp_path,
                                                   monkeypatch):
    """Both files: new weights under an old config could load, and be another model's."""
    model = randomize(encoder(CONFIGS["Bert"]))
    mb.checkpoints.save_huggingface(model, tmp_path)
    before = bytes_of(tmp_path)
    tried = fill_after(written, monkeypatch)
    with pytest.raises(mb.InputError, match="cannot write .*: No space left"):
        mb.checkpoints.save_huggingface(randomize(model, seed=1), tmp_path)
    assert len(tried) == written + 1
    assert bytes_of(tmp_path) == before
