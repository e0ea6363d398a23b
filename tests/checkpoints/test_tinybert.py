"""TinyBERT's checkpoints as huawei-noah's code writes them: read, computed with, written."""

import dataclasses
import json

import numpy as np
import pytest
import safetensors.numpy

import mobilebert_tf as mb
from mobilebert_tf.checkpoints import huggingface

from .. import encoder_inputs

CASE = "micro_bert_classification"
FIT_DENSE = {"fit_dense.weight", "fit_dense.bias"}


def write(directory, tensors, **fields):
    """TinyBERT's fields: neither `model_type` nor `architectures`, and four that nobody reads."""
    path = directory / "config.json"
    own = {key: value for key, value in json.loads(path.read_text()).items()
           if key not in ("model_type", "architectures", "id2label", "label2id")}
    path.write_text(json.dumps({**own, "cell": {}, "emb_size": own["hidden_size"],
                                "pre_trained": "", "structure": [], **fields}))
    (directory / "model.safetensors").unlink()
    safetensors.numpy.save_file(tensors, directory / "model.safetensors")
    return directory


def with_fit_dense(tensors, hidden=48, teacher=77):
    return {**tensors, "fit_dense.weight": np.ones((teacher, hidden), "f4"),
            "fit_dense.bias": np.ones(teacher, "f4")}


@pytest.fixture
def tuned(write_huggingface, seeded_weights, tmp_path):
    """The directory of a fine-tuned TinyBERT, whose tensors transformers computed with."""
    return write(write_huggingface(CASE, tmp_path / "tuned"),
                 with_fit_dense(seeded_weights.tensors(CASE)))


def test_its_classifier_reads_the_relu_of_tanh(tuned, seeded_weights, golden_models):
    """On the last states that transformers gives for these weights."""
    model, report = huggingface.load_with_report(tuned)
    assert type(model) is mb.Classifier
    assert model.config.pooler == "relu_tanh"
    assert model.get_config()["dropout"] == 0
    assert set(report.left_out) == FIT_DENSE
    assert all("TinyBERT" in reason for reason in report.left_out.values())

    tensors = seeded_weights.tensors(CASE)
    with np.load(golden_models / f"{CASE}.npz") as stored:
        first = np.float64(stored["hidden_states_last"])[:, 0]
    pooled = np.tanh(first @ tensors["bert.pooler.dense.weight"].T
                     + tensors["bert.pooler.dense.bias"])
    assert (pooled < -0.1).any()
    expected = (np.maximum(pooled, 0) @ tensors["classifier.weight"].T
                + tensors["classifier.bias"])
    found = model(encoder_inputs.of_transformers(seeded_weights.batch(CASE)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-6 * abs(expected).max())


@pytest.mark.parametrize("fields", [
    {"model_type": "bert"}, {"architectures": ["BertForSequenceClassification"]},
    {"model_type": "bert", "architectures": ["TinyBertForSequenceClassification"]}])
def test_fit_dense_tells_whatever_config_json_says(
        fields, tuned, seeded_weights):
    tensors = with_fit_dense(seeded_weights.tensors(CASE))
    assert mb.checkpoints.load_huggingface(
        write(tuned, tensors, **fields)).config.pooler == "relu_tanh"


def test_without_fit_dense_and_names_a_classifier_is_refused(tuned, seeded_weights, no_assignment):
    """It may be one of texts or of tokens."""
    with pytest.raises(mb.InputError, match="names no architecture"):
        mb.checkpoints.load_huggingface(write(tuned, seeded_weights.tensors(CASE)))


def test_the_general_model_is_a_bert(write_huggingface, seeded_weights, tmp_path):
    case = "micro_bert_pretraining"
    tensors = seeded_weights.tensors(case)
    model, report = huggingface.load_with_report(
        write(write_huggingface(case, tmp_path / "a"), with_fit_dense(tensors)))
    assert type(model) is mb.Pretrainer
    assert model.config.pooler == "tanh"
    assert set(report.left_out) == FIT_DENSE
    np.testing.assert_array_equal(model.encoder.pooler.dense.kernel.numpy().T,
                                  tensors["bert.pooler.dense.weight"])


@pytest.mark.parametrize("dropout", [0.0, 0.1])
def test_it_is_written_under_its_own_name_and_read_back(dropout, randomize, variables, tmp_path):
    config = dataclasses.replace(mb.presets.get("micro_bert"), num_blocks=1, pooler="relu_tanh")
    model = randomize(mb.Classifier(mb.Encoder(config), 3, dropout=dropout))
    mb.checkpoints.save_huggingface(model, tmp_path)
    fields = json.loads((tmp_path / "config.json").read_text())
    # transformers refuses a model type that it does not know; "bert" would compute another thing.
    assert fields["model_type"] == "tinybert"
    assert fields["architectures"] == ["TinyBertForSequenceClassification"]
    loaded = mb.checkpoints.load_huggingface(tmp_path)
    assert loaded.config == config
    assert loaded.get_config() == {**model.get_config(), "name": loaded.name}
    for name, value in variables(model).items():
        np.testing.assert_array_equal(variables(loaded)[name], value)
