"""The folders that the Android app reads. The demo's own checks read them with its core."""

import hashlib
import json

import pytest

import mobilebert_tf as mb
from mobilebert_tf.export.package import app_assets, facts
from mobilebert_tf.export.package import directory as package_directory
from mobilebert_tf.text.normalization_table import normalization_table

from ...folders import bytes_of
from ...full_disk import fill_after
from ..conftest import LABELS, LENGTH

FOLDERS = {"classification": "text_classification", "question_answering": "question_answering",
           "multi_label": "multi_label", "tagging": "tagging", "embedding": "text_embedding"}
GATE = {"task": "sst2", "metric": "accuracy", "file_score": 0.75, "passed": True}


@pytest.fixture
def packaged(exported):
    """kind, recipes -> the facts of a package, and its files by name."""

    def make(kind, recipes=("dynamic_int8",), **changes):
        results = {f"tiny_{recipe}.tflite": exported(kind, recipe) for recipe in recipes}
        known = {**facts.of_model("tiny", next(iter(results.values()))), "pairs": False,
                 "settings": {"null_threshold": -1.5} if kind == "question_answering" else None,
                 "files": [{**facts.of_file(name, result), "gate": GATE}
                           for name, result in results.items()], **changes}
        return known, {name: result.model for name, result in results.items()}

    return make


def write(assets, packaged):
    known, files = packaged
    return app_assets.write(assets, known, files.__getitem__)


@pytest.mark.parametrize("kind", FOLDERS)
def test_holds_what_the_core_reads(kind, packaged, exported, vocabulary, tmp_path):
    told = write(tmp_path / "assets", packaged(kind, ("float32", "dynamic_int8")))
    assert [path.name for path in (tmp_path / "assets").iterdir()] == [FOLDERS[kind]]
    found = bytes_of(tmp_path / "assets" / FOLDERS[kind])
    labels = LABELS.get(kind)
    assert set(found) == {"model.tflite", "vocab.txt", "normalization.txt", "model.json",
                          *(["labels.txt"] if labels else [])}
    # The smallest of the files, under the name by which the app finds it.
    assert found["model.tflite"] == exported(kind, "dynamic_int8").model
    assert found["vocab.txt"].decode().split("\n")[:-1] == list(vocabulary.pieces)
    assert found["normalization.txt"].decode() == normalization_table(True)
    assert found.get("labels.txt", b"").decode().split("\n")[:-1] == list(labels or ())
    known = json.loads(found["model.json"])
    assert known == told
    (file,) = known["files"]
    assert file["file"] == "model.tflite"
    assert file["sha256"] == hashlib.sha256(found["model.tflite"]).hexdigest()
    assert (file["bytes"], file["recipe"], file["gate"]) == (
        len(found["model.tflite"]), "dynamic_int8", GATE)
    assert (known["name"], known["kind"], known["lengths"], known["labels"], known["lower_case"],
            known["signatures"]) == ("tiny", kind, [LENGTH], labels and list(labels), True,
                                     {str(LENGTH): "serving_default"})
    assert list(known["inputs"]) == ["ids", "mask", "segment_ids"]
    assert set(known["outputs"]) == set(exported(kind, "dynamic_int8").report.outputs)
    assert known["settings"] == (
        {"null_threshold": -1.5} if kind == "question_answering" else None)


def test_settings_that_mean_nothing_are_refused(packaged, tmp_path):
    with pytest.raises(mb.InputError, match="the package's model.json: the setting stride should"):
        write(tmp_path, packaged("question_answering", settings={"stride": 0}))
    assert not list(tmp_path.iterdir())


def test_assets_that_are_a_file_are_refused(tmp_path):
    (tmp_path / "assets").touch()
    with pytest.raises(mb.InputError, match="lie in a directory, and .*assets is a file"):
        app_assets.check(tmp_path / "assets", "classification")


def test_the_table_is_that_of_the_models_casing(models, vocabulary, tmp_path):
    result = mb.export.to_tflite(models["classification"], "float32", (LENGTH,),
                                 vocabulary=vocabulary, lower_case=False)
    known = {**facts.of_model("cased", result), "pairs": False,
             "files": [facts.of_file("cased", result)]}
    write(tmp_path, (known, {"cased": result.model}))
    found = bytes_of(tmp_path / "text_classification")
    assert found["normalization.txt"].decode() == normalization_table(False)
    assert json.loads(found["model.json"])["lower_case"] is False
    assert "labels.txt" not in found


def test_lengths_and_signatures_are_the_files(models, vocabulary, tmp_path):
    result = mb.export.to_tflite(models["question_answering"], "float32", (8, LENGTH),
                                 vocabulary=vocabulary)
    known = facts.of_model("two", result)
    assert known["lengths"] == [8, LENGTH]
    assert known["signatures"] == {"8": "length_8", str(LENGTH): f"length_{LENGTH}"}


def test_an_earlier_model_is_replaced_whole(packaged, tmp_path):
    write(tmp_path, packaged("classification"))
    unlabelled = packaged("classification", ("float32",))
    before = bytes_of(tmp_path / "text_classification")
    write(tmp_path, unlabelled)
    after = bytes_of(tmp_path / "text_classification")
    assert after["model.tflite"] == unlabelled[1]["tiny_float32.tflite"]
    assert after["model.json"] != before["model.json"]
    assert [path.name for path in tmp_path.iterdir()] == ["text_classification"]


def test_a_full_disk_leaves_the_earlier_model(packaged, tmp_path, monkeypatch):
    write(tmp_path, packaged("classification"))
    before = bytes_of(tmp_path / "text_classification")
    fill_after(2, monkeypatch)
    with pytest.raises(mb.InputError, match="No space left"):
        write(tmp_path, packaged("classification", ("float32",)))
    assert bytes_of(tmp_path / "text_classification") == before
    assert [path.name for path in tmp_path.iterdir()] == ["text_classification"]


def test_other_files_are_not_deleted(packaged, tmp_path):
    (tmp_path / "text_classification").mkdir()
    (tmp_path / "text_classification" / "thesis.txt").write_text("years")
    with pytest.raises(mb.InputError, match=r"text_classification has thesis\.txt in it"):
        write(tmp_path, packaged("classification"))
    assert (tmp_path / "text_classification" / "thesis.txt").read_text() == "years"


@pytest.mark.parametrize("kind", ["regression", "fill_mask", "encoding"])
def test_a_model_that_the_core_cannot_run_is_refused(kind, packaged, tmp_path):
    with pytest.raises(mb.InputError, match=f"and this is a model for {kind}: package it without"):
        write(tmp_path, packaged(kind))
    assert not list(tmp_path.iterdir())


def test_a_classifier_of_pairs_is_refused_and_questions_are_pairs(packaged, tmp_path):
    with pytest.raises(mb.InputError, match="single texts, and this model reads pairs"):
        write(tmp_path, packaged("classification", pairs=True))
    assert not list(tmp_path.iterdir())
    write(tmp_path, packaged("question_answering", pairs=True))
    assert (tmp_path / "question_answering" / "model.tflite").exists()


@pytest.fixture
def package(packaged, tmp_path):
    """A package of question answering, as it lies on the disk."""
    known, files = packaged("question_answering", ("float32", "dynamic_int8"))
    package_directory.write(tmp_path / "package", {
        **files, "model.json": package_directory.to_json(known).encode()})
    return tmp_path / "package"


def test_a_package_that_is_there_gives_the_same_folder(package, packaged, tmp_path):
    told = app_assets.write_from_package(tmp_path / "one", package)
    assert told == write(tmp_path / "two", packaged("question_answering",
                                                    ("float32", "dynamic_int8")))
    one, two = (bytes_of(tmp_path / name / "question_answering") for name in ("one", "two"))
    assert one == two


@pytest.mark.parametrize(("name", "text", "message"), [
    ("tiny_dynamic_int8.tflite", "cut", "tiny_dynamic_int8.tflite is not the file that"),
    ("tiny_dynamic_int8.tflite", None, r"cannot read .*tiny_dynamic_int8\.tflite"),
    ("model.json", None, r"cannot read .*model\.json"),
    ("model.json", "{", r"model\.json is not JSON"),
    ("model.json", "[]", r"model\.json: expected object, got array"),
    ("model.json", '{"kind": "classification"}', r"model\.json: .* missing required field name"),
    ("model.json", '{"name": "a", "kind": "classification", "files": []}',
     r"model\.json, files: expected array of length >= 1"),
    ("model.json", json.dumps({"name": "a", "kind": "classification", "files": [
        {"file": "a", "recipe": "int8", "bytes": 1, "sha256": ""}]}),
     "does not say inputs, .*: make the package again"),
])
def test_a_damaged_package_is_refused(name, text, message, package, tmp_path):
    (package / name).unlink()
    if text is not None:
        (package / name).write_text(text)
    with pytest.raises(mb.InputError, match=message):
        app_assets.write_from_package(tmp_path / "assets", package)
    assert not (tmp_path / "assets").exists()
