"""A model with its vocabulary and labels, written and read, or refused in one sentence."""

import dataclasses
import io
import json
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest
import tf_keras as keras

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.data.features.question_settings import QuestionSettings
from mobilebert_tf.kinds.classification import Classification
from mobilebert_tf.kinds.question_answering import QuestionAnswering
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

CONFIG = dataclasses.replace(mb.presets.get("micro"), num_blocks=1, vocab_size=8)
VOCABULARY = Vocabulary([*SPECIAL_PIECES, "a", "b", "c"])
SETTINGS = QuestionSettings(stride=7, null_threshold=-1.5)
IDS = np.int32([[2, 5, 6, 3]])
GIVEN = {"input_word_ids": IDS, "input_mask": IDS // IDS, "input_type_ids": IDS * 0}


@pytest.fixture(scope="module")
def contents(randomize):
    model = randomize(mb.Classifier(mb.Encoder(CONFIG), 2))
    return ModelDirectory(model, VOCABULARY, Classification(labels=("bad", "good")),
                          lower_case=False, task="classification",
                          columns={"text": "body", "label": "mood"}, length=24)


@pytest.fixture
def saved(contents, tmp_path):
    model_directory.save(tmp_path / "model", contents)
    return tmp_path / "model"


def test_save_and_load(contents, saved):
    loaded = model_directory.load(saved)
    assert {path.name for path in saved.iterdir()} == {"model.keras", "vocab.txt", "model.json"}
    assert loaded.vocabulary.pieces == VOCABULARY.pieces
    described = {"kind": Classification(labels=("bad", "good")), "lower_case": False,
                 "task": "classification", "columns": {"text": "body", "label": "mood"},
                 "length": 24, "embedding_pooler": None}
    assert {name: getattr(loaded, name) for name in described} == described
    assert model_directory.description(saved) == described
    np.testing.assert_array_equal(loaded.model(GIVEN), contents.model(GIVEN))


@pytest.mark.parametrize("label", ["", "go\nod", "go\rod", "x" * 10_001, "\ud83d", 1])
def test_a_label_that_load_refuses_is_not_saved(label, contents, saved, tmp_path):
    labels = ["bad", label]
    changed(saved, labels=labels)
    with pytest.raises(mb.InputError, match=r"model\.json"):
        model_directory.load(saved)
    kind = Classification(labels=tuple(labels))
    with pytest.raises(mb.InputError, match="^the label '.*' is not a text of one line, with 1 to"):
        model_directory.save(tmp_path / "new", dataclasses.replace(contents, kind=kind))
    assert not (tmp_path / "new").exists()


def test_equal_labels_are_not_saved(contents, tmp_path):
    kind = Classification(labels=("good", "good"))
    with pytest.raises(mb.InputError, match="^the label 'good' is given 2 times: give each class"):
        model_directory.save(tmp_path / "new", dataclasses.replace(contents, kind=kind))
    assert not (tmp_path / "new").exists()


def test_a_description_needs_no_more_than_the_kind_and_the_case(saved):
    (saved / "model.json").write_text('{"kind": "classification", "lower_case": false}')
    loaded = model_directory.load(saved)
    assert (loaded.kind, loaded.lower_case, loaded.task, loaded.columns, loaded.length) == (
        Classification(), False, None, None, None)


@pytest.fixture
def answerer(tmp_path):
    model_directory.save(tmp_path / "answerer", ModelDirectory(
        mb.QuestionAnswerer(mb.Encoder(CONFIG)), VOCABULARY, QuestionAnswering(settings=SETTINGS)))
    return tmp_path / "answerer"


def changed(directory, **changes):
    """Write other values into model.json."""
    path = directory / "model.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_settings_are_kept_and_those_that_mean_nothing_are_refused(answerer):
    assert model_directory.load(answerer).kind == QuestionAnswering(settings=SETTINGS)
    assert model_directory.description(answerer)["kind"].settings == SETTINGS
    changed(answerer, settings={**SETTINGS.to_json(), "stride": 0})
    with pytest.raises(mb.InputError, match=r"model\.json: the setting stride should be a whole"):
        model_directory.load(answerer)
    changed(answerer, settings={"strides": 1})
    with pytest.raises(mb.InputError, match=r"model\.json: 'strides' is no setting; known are m"):
        model_directory.description(answerer)


@pytest.mark.parametrize(("changes", "message"), [
    ({"kind": "tagging"}, r"model\.json says that the model is for tagging, and model\.keras holds "
                          "a Classifier for classification"),
    ({"kind": "multi_label"}, "for multi_label, and model.keras holds a Classifier for classific"),
    ({"kind": "classifier"}, r"model\.json: unknown kind 'classifier'; known are classification, "),
    ({"settings": {"threshold": 0.5}}, r"model\.json: a model for classification has no settings"),
    ({"labels": ["bad"]}, "names 1 labels, and its model has 2 classes"),
    ({"null_threshold": 2.5}, "model.json: object contains unknown field null_threshold"),
    ({"options": None}, "model.json: object contains unknown field options"),
])
def test_a_description_that_is_not_of_its_model_is_refused(changes, message, saved):
    changed(saved, **changes)
    with pytest.raises(mb.InputError, match=message):
        model_directory.load(saved)


@pytest.mark.parametrize("name", ["model.keras", "other.keras"])
def test_a_keras_file_in_a_directory_has_what_lies_beside_it(name, contents, saved):
    path = (saved / "model.keras").rename(saved / name)
    loaded = model_directory.load(path)
    assert (loaded.labels, loaded.vocabulary.pieces) == (("bad", "good"), VOCABULARY.pieces)
    np.testing.assert_array_equal(loaded.model(GIVEN), contents.model(GIVEN))
    assert model_directory.description(path)["kind"].labels == ("bad", "good")
    assert model_directory.files(path) == [path, saved / "model.json", saved / "vocab.txt"]


def test_every_file_that_a_model_is_read_from_is_named():
    encoder = Path(__file__).parents[1] / "models" / "mobilebert_mini"
    names = {path.relative_to(encoder).as_posix() for path in model_directory.files(encoder)}
    assert names == {"config.json", "model.safetensors", "vocab.txt", "tokenizer_config.json",
                     "1_Pooling/config.json"}


def test_of_a_keras_file_alone_nothing_else_is_known(contents, saved, tmp_path):
    path = (saved / "model.keras").rename(tmp_path / "alone.keras")
    loaded = model_directory.load(path)
    assert (loaded.labels, loaded.vocabulary, loaded.task) == (None, None, None)
    np.testing.assert_array_equal(loaded.model(GIVEN), contents.model(GIVEN))
    assert model_directory.description(path) == {}
    (tmp_path / "no.keras").write_bytes(b"no")
    for file in (tmp_path / "no.keras", saved / "vocab.txt"):
        with pytest.raises(mb.InputError, match="is not a Keras model; name a model dir"):
            model_directory.load(file)


def test_a_package_is_told_from_a_model_directory(saved):
    (saved / "model.keras").rename(saved / "small_int8.tflite")
    with pytest.raises(mb.InputError, match=r"is a package, .* in it: .*small_int8\.tflite"):
        model_directory.load(saved)


def test_a_directory_is_one_by_its_description(saved, tmp_path):
    assert model_directory.is_model_directory(saved)
    assert not model_directory.is_model_directory(tmp_path)
    assert not model_directory.is_model_directory(tmp_path / "none")


def test_loads_a_hugging_face_directory(contents, tmp_path):
    config = dataclasses.replace(CONFIG, pooler="first_token")
    model = mb.Classifier(mb.Encoder(config), 2)
    mb.checkpoints.save_huggingface(model, tmp_path, labels=("no", "yes"))
    VOCABULARY.save(tmp_path / "vocab.txt")
    (tmp_path / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    loaded = model_directory.load(tmp_path)
    assert (loaded.labels, loaded.lower_case, loaded.task) == (("no", "yes"), False, None)
    assert model_directory.is_model_directory(tmp_path)
    assert model_directory.description(tmp_path) == {}
    np.testing.assert_array_equal(loaded.model(GIVEN), model(GIVEN))


def test_a_vocabulary_of_another_size_is_refused(contents, saved, tmp_path):
    other = dataclasses.replace(contents, vocabulary=Vocabulary([*SPECIAL_PIECES, "a"]))
    with pytest.raises(mb.InputError, match="has 6 pieces, the model .* has 8"):
        model_directory.save(tmp_path / "other", other)
    assert not (tmp_path / "other").exists()
    other.vocabulary.save(saved / "vocab.txt")
    with pytest.raises(mb.InputError, match=r"vocab\.txt has 6 pieces, the model .* has 8"):
        model_directory.load(saved)


def test_the_vocabulary_of_an_earlier_model_does_not_stay(contents, saved):
    model_directory.save(saved, dataclasses.replace(contents, vocabulary=None))
    assert not (saved / "vocab.txt").exists()
    assert model_directory.load(saved).vocabulary is None


def test_what_is_not_a_model_directory_is_refused(saved, tmp_path):
    with pytest.raises(mb.InputError, match="there is no model directory .*none"):
        model_directory.load(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(mb.InputError, match=r"neither model\.json nor config\.json"):
        model_directory.load(tmp_path / "empty")


@pytest.mark.parametrize(("file", "data", "message"), [
    ("model.keras", b"not a model", "cannot be read as a model"),
    ("model.json", b"{", r"model\.json is not JSON"),
    ("model.json", b"[1]", r"model\.json: expected object, got array"),
    ("model.json", json.dumps({"kind": "classification"}).encode(),
     r"model\.json: object missing required field lower_case"),
    ("model.json", json.dumps({"lower_case": True}).encode(),
     r"model\.json: object missing required field kind"),
])
def test_a_damaged_directory_is_refused(file, data, message, saved):
    (saved / file).write_bytes(data)
    with pytest.raises(mb.InputError, match=message):
        model_directory.load(saved)


def test_one_wrong_bit_in_the_weights_is_found(saved):
    path = saved / "model.keras"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(mb.InputError, match="cannot be read as a model: Bad CRC-32"):
        model_directory.load(saved)


def test_a_truncated_model_and_a_missing_one_are_refused(saved):
    path = saved / "model.keras"
    path.write_bytes(path.read_bytes()[:-300])
    with pytest.raises(mb.InputError, match="cannot be read as a model"):
        model_directory.load(saved)
    path.unlink()
    with pytest.raises(mb.InputError, match="cannot be read as a model"):
        model_directory.load(saved)


def _without_a_shape(file, secret):
    file["nothing"] = h5py.Empty("f4")


def _external(file, secret):
    file.create_dataset("stolen", (4,), "f4", external=[(str(secret), 0, 16)])


def _virtual(file, secret):
    layout = h5py.VirtualLayout((4,), "f4")
    layout[:] = h5py.VirtualSource(str(secret), "numbers", (4,), "f4")
    file.create_virtual_dataset("stolen", layout)


def _external_link(file, secret):
    file.create_group("group")["stolen"] = h5py.ExternalLink(str(secret), "/numbers")


@pytest.mark.parametrize(("change", "message"), [
    (_without_a_shape, "its array nothing has no shape"),
    (_external, "its array stolen lies in another file"),
    (_virtual, "its array stolen lies in another file"),
    (_external_link, "its part stolen is a link")])
def test_arrays_without_a_shape_or_of_other_files_are_refused(change, message, saved, tmp_path):
    with h5py.File(tmp_path / "secret", "w") as secret:
        secret["numbers"] = np.ones(4, np.float32)
    path = saved / "model.keras"
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    weights = io.BytesIO(members["model.weights.h5"])
    with h5py.File(weights, "a") as file:
        change(file, tmp_path / "secret")
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in (members | {"model.weights.h5": weights.getvalue()}).items():
            archive.writestr(name, content)
    with pytest.raises(mb.InputError, match=f"cannot be read as a model: {message}"):
        model_directory.load(saved)


def test_a_foreign_keras_model_is_refused(saved):
    keras.Sequential([keras.layers.Dense(1, input_shape=(2,))]).save(saved / "model.keras")
    with pytest.raises(mb.InputError, match="not one of this project"):
        model_directory.load(saved)


@pytest.mark.parametrize(("mode", "embedding_pooler"), [
    ("cls_token", "first_token"), ("mean_tokens", "mean"), (None, None)])
def test_how_embeddings_are_made_is_read_and_kept(mode, embedding_pooler, tmp_path):
    """As in bge-small-en-v1.5 and all-MiniLM-L6-v2, whose encoders have a dense pooler, too."""
    encoder = mb.Encoder(dataclasses.replace(CONFIG, pooler="tanh"))
    mb.checkpoints.save_huggingface(encoder, tmp_path / "published")
    if mode is not None:
        (tmp_path / "published" / "1_Pooling").mkdir()
        (tmp_path / "published" / "1_Pooling" / "config.json").write_text(json.dumps(
            {f"pooling_mode_{mode}": True}))
    read = model_directory.load(tmp_path / "published")
    model_directory.save(tmp_path / "ours", read)
    kept = model_directory.load(tmp_path / "ours")
    assert (read.embedding_pooler, kept.embedding_pooler) == (embedding_pooler, embedding_pooler)
    assert [one.kind.used_settings.embedding_pooler for one in (read, kept)] == [
        embedding_pooler or "mean"] * 2
    assert kept.model.config.pooler == "tanh"
