"""What transformers' families have of their own, and what they cannot compute."""

import dataclasses
import json

import numpy as np
import pytest
import safetensors.numpy

import mobilebert_tf as mb
from mobilebert_tf.checkpoints import huggingface

from .huggingface_files import CONFIGS, KINDS, change_config, change_tensors


def test_the_classifier_of_distilbert_by_numpy(encoder, randomize, tmp_path):
    """Dense, ReLU and Dense on [CLS], from the written tensors under transformers' names.

    Source: transformers' DistilBertForSequenceClassification.
    """
    model = randomize(mb.Classifier(encoder(CONFIGS["DistilBert pooler"]), 3, dropout=0.15))
    mb.checkpoints.save_huggingface(model, tmp_path)
    assert json.loads((tmp_path / "config.json").read_text())["seq_classif_dropout"] == 0.15
    tensors = safetensors.numpy.load_file(tmp_path / "model.safetensors")
    inputs = {"input_word_ids": np.int32([[2, 7, 11, 0], [2, 5, 90, 3]]),
              "input_mask": np.int32([[1, 1, 1, 0], [1, 1, 1, 1]]),
              "input_type_ids": np.zeros((2, 4), np.int32)}
    first = np.float64(model.encoder(inputs)["sequence_output"])[:, 0]
    hidden = first @ tensors["pre_classifier.weight"].T + tensors["pre_classifier.bias"]
    assert (hidden < 0).any()
    expected = (np.maximum(hidden, 0) @ tensors["classifier.weight"].T
                + tensors["classifier.bias"])
    found = mb.checkpoints.load_huggingface(tmp_path)(inputs)
    np.testing.assert_allclose(found, expected, rtol=2e-6, atol=2e-6 * abs(expected).max())


def test_the_dropout_of_distilberts_classifier_is_its_own(encoder, tmp_path):
    model = mb.Classifier(encoder(CONFIGS["DistilBert pooler"]), 3, dropout=0.15)
    mb.checkpoints.save_huggingface(model, tmp_path)
    change_config(tmp_path, seq_classif_dropout=...)
    assert mb.checkpoints.load_huggingface(tmp_path).get_config()["dropout"] == 0.2


def test_the_dropout_of_distilberts_answers_is_its_own(encoder, tmp_path):
    """transformers' DistilBertConfig has qa_dropout 0.1; its BERT has none before the spans."""
    model = mb.QuestionAnswerer(encoder(CONFIGS["DistilBert"]), dropout=0.25)
    mb.checkpoints.save_huggingface(model, tmp_path / "distil")
    fields = json.loads((tmp_path / "distil" / "config.json").read_text())
    assert fields["qa_dropout"] == 0.25
    assert mb.checkpoints.load_huggingface(tmp_path / "distil").get_config()["dropout"] == 0.25
    change_config(tmp_path / "distil", qa_dropout=...)
    assert mb.checkpoints.load_huggingface(tmp_path / "distil").get_config()["dropout"] == 0.1
    mb.checkpoints.save_huggingface(mb.QuestionAnswerer(encoder(CONFIGS["Bert"])),
                                    tmp_path / "bert")
    assert "dropout" not in json.loads((tmp_path / "bert" / "config.json").read_text())
    assert mb.checkpoints.load_huggingface(tmp_path / "bert").get_config()["dropout"] == 0.0
    with pytest.warns(UserWarning, match="BertForQuestionAnswering has no dropout before its head: "
                                         "the model's rate of 0.25 is not saved"):
        mb.checkpoints.save_huggingface(
            mb.QuestionAnswerer(encoder(CONFIGS["Bert"]), dropout=0.25), tmp_path / "with_dropout")


@pytest.mark.parametrize("tensor", ["pre_classifier.weight", "pre_classifier.bias"])
def test_a_classifier_of_distilbert_without_its_dense_layer_is_refused(encoder, tmp_path, tensor):
    mb.checkpoints.save_huggingface(
        mb.Classifier(encoder(CONFIGS["DistilBert pooler"]), 3), tmp_path)
    change_tensors(tmp_path, lambda tensors: {
        name: value for name, value in tensors.items() if name != tensor})
    with pytest.raises(mb.InputError, match=tensor):
        mb.checkpoints.load_huggingface(tmp_path)


@pytest.mark.parametrize(("config", "make", "message"), [
    (dataclasses.replace(mb.presets.get("micro_ib_bert"), num_blocks=1), KINDS["Model"],
     "queries and keys that read a bottleneck"),
    (CONFIGS["DistilBert"], KINDS["ForSequenceClassification"], "pooler=\"relu\""),
    (CONFIGS["DistilBert pooler"], KINDS["Model"], "has no dense pooler"),
    (dataclasses.replace(CONFIGS["Bert"], pooler="relu_tanh"), KINDS["Model"],
     "no TinyBertModel .*pooler='relu_tanh'"),
    (dataclasses.replace(CONFIGS["Bert"], pooler="first_token"),
     KINDS["ForSequenceClassification"], "pooler=\"tanh\""),
    (dataclasses.replace(CONFIGS["Bert"], pooler="mean"), KINDS["ForSequenceClassification"],
     "BertForSequenceClassification reads no mean over the tokens"),
    (dataclasses.replace(CONFIGS["Bert"], pooler="segment_match"), KINDS["Model"], "pooler"),
    (dataclasses.replace(CONFIGS["MobileBert"], attention_mask_value=-6.0), KINDS["Model"],
     "attention_mask_value"),
])
def test_what_transformers_cannot_compute_is_refused(config, make, message, encoder, tmp_path):
    with pytest.raises(mb.InputError, match=message):
        mb.checkpoints.save_huggingface(make(encoder(config)), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_another_epsilon_is_kept_with_a_warning(randomize, tmp_path):
    config = dataclasses.replace(CONFIGS["MobileBert no_opt"],
                                 embedding_and_output_norm_epsilon=None)
    with pytest.warns(UserWarning, match="1e-5"):
        mb.checkpoints.save_huggingface(mb.Encoder(config), tmp_path)
    assert mb.checkpoints.load_huggingface(tmp_path).config == config


def test_the_defaults_of_transformers_config_classes(tmp_path):
    """A config.json may leave out what is the default; the class's default is a pooler."""
    path = tmp_path / "config.json"
    for family, preset, changes in (
            ("mobilebert", "mobilebert", {"pooler": "tanh"}), ("bert", "bert_base", {}),
            ("distilbert", "distilbert", {})):
        family = huggingface.FAMILIES[family]
        config = huggingface._config(path, family, family.record(),
                                     "first_token" if preset == "distilbert" else "tanh")
        assert config == dataclasses.replace(mb.presets.get(preset), **changes)
