"""Several labels a text: kept by .keras files and by transformers' problem_type."""

import dataclasses
import io
import json
import zipfile

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf.checkpoints import keras_file

CONFIG = dataclasses.replace(mb.presets.get("micro_bert"), num_blocks=1)
MULTI_LABEL = "multi_label_classification"


@pytest.fixture(scope="module")
def encoder():
    return mb.Encoder(CONFIG)


@pytest.fixture(scope="module")
def directory(encoder, tmp_path_factory):
    """A classifier of one label a text, as transformers has it."""
    directory = tmp_path_factory.mktemp("classifier")
    mb.checkpoints.save_huggingface(mb.Classifier(encoder, 3), directory)
    return directory


@pytest.mark.parametrize(("problem_type", "multi_label"), [
    ("absent", False), (None, False), ("single_label_classification", False),
    ("regression", False), (MULTI_LABEL, True)])
def test_transformers_problem_type_says_whether_labels_are_several(
        problem_type, multi_label, directory, tmp_path):
    """As transformers' modeling_bert: only this word takes the loss of independent sigmoids."""
    fields = json.loads((directory / "config.json").read_text())
    assert "problem_type" not in fields
    if problem_type != "absent":
        fields["problem_type"] = problem_type
    (tmp_path / "config.json").write_text(json.dumps(fields))
    (tmp_path / "model.safetensors").write_bytes((directory / "model.safetensors").read_bytes())
    model = mb.checkpoints.load_huggingface(tmp_path)
    assert type(model) is mb.Classifier
    assert model.multi_label is multi_label


def test_a_problem_type_that_transformers_has_not_is_refused(directory, tmp_path):
    fields = json.loads((directory / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**fields, "problem_type": "ranking"}))
    with pytest.raises(mb.InputError, match=r"config\.json, problem_type: .*'ranking'"):
        mb.checkpoints.load_huggingface(tmp_path)


def test_problem_type_of_a_model_without_classes_is_not_read(encoder, tmp_path):
    mb.checkpoints.save_huggingface(encoder, tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "problem_type": MULTI_LABEL}))
    assert type(mb.checkpoints.load_huggingface(tmp_path)) is mb.Encoder


def test_transformers_layout_keeps_it(encoder, tmp_path):
    model = mb.Classifier(encoder, 3, multi_label=True)
    mb.checkpoints.save_huggingface(model, tmp_path, labels=("joy", "fear", "calm"))
    assert json.loads((tmp_path / "config.json").read_text())["problem_type"] == MULTI_LABEL
    loaded = mb.checkpoints.load_huggingface(tmp_path)
    assert loaded.get_config() == {**model.get_config(), "name": loaded.name}
    assert loaded.multi_label is True


def test_a_keras_file_keeps_it_and_one_from_before_has_one_label_a_text(
        encoder, batch, randomize, tmp_path):
    model = randomize(mb.Classifier(encoder, 3, multi_label=True))
    model.save(tmp_path / "new.keras")
    assert keras_file.load(tmp_path / "new.keras").multi_label is True
    old = io.BytesIO()
    with zipfile.ZipFile(tmp_path / "new.keras") as source, zipfile.ZipFile(old, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "config.json":
                described = json.loads(content)
                del described["config"]["multi_label"]
                content = json.dumps(described)
            target.writestr(name, content)
    (tmp_path / "old.keras").write_bytes(old.getvalue())
    loaded = keras_file.load(tmp_path / "old.keras")
    assert loaded.multi_label is False
    np.testing.assert_array_equal(loaded(batch), model(batch))


def test_googles_layout_cannot_say_it(encoder, tmp_path):
    with pytest.raises(mb.InputError, match=r"several labels \(multi_label\); save the model with"):
        mb.checkpoints.save_google(mb.Classifier(encoder, 3, multi_label=True),
                                   tmp_path / "model.ckpt")
    assert list(tmp_path.iterdir()) == []
