"""Packages of a small classifier, and of a model of every kind."""

import json

import pytest

from mobilebert_tf.export.file import calibration
from mobilebert_tf.export.package import write as package
from mobilebert_tf.export.package.write import Details

from .. import every_kind, sst2
from ..conftest import LENGTH

MEMBERS = {"tiny_float32.tflite", "tiny_dynamic_int8.tflite", "vocab.txt", "labels.txt",
           "model.json", "README.md", "NOTICE.txt", "SHA256SUMS"}


def write_note(directory, task, scores, **more):
    (directory / "run.json").write_text(json.dumps({
        **more, "task": task, "preset": None, "checkpoint": "/home/me/all-MiniLM-L6-v2",
        # It stopped early.
        "settings": {"learning_rate": 5e-5, "epochs": 20, "patience": 1},
        "result": {"best_epoch": 2, "metric": next(iter(scores)), "scores": scores,
                   "history": {"loss": [0.5, 0.25, 0.125]}}}))


@pytest.fixture(scope="module")
def data(vocabulary, tmp_path_factory):
    return sst2.write_files(tmp_path_factory.mktemp("data") / "SST-2", vocabulary, 50, right=45)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A directory with the run.json that finetune writes."""
    directory = tmp_path_factory.mktemp("runs") / "mine"
    directory.mkdir()
    write_note(directory, "sst2", {"accuracy": 0.9})
    return directory


@pytest.fixture(scope="module")
def write(data, source, vocabulary):
    def write(directory, recipe_names=("float32",), contents=None, **details):
        return package.write(
            directory, contents or sst2.contents(vocabulary),
            Details(**{"name": "tiny", "source": source, "data": sst2.data(data), **details}),
            recipe_names, (LENGTH,), lambda batches, description: batches, say=lambda line: None)

    return write


@pytest.fixture
def cheap(vocabulary, monkeypatch):
    """Replace each conversion by one that is done once for all tests."""
    monkeypatch.setattr(calibration, "to_tflite", lambda model, recipe, lengths, **_: sst2.exported(
        sst2.classifier(), recipe, vocabulary))


@pytest.fixture(scope="module")
def written(write, tmp_path_factory):
    directory = tmp_path_factory.mktemp("out") / "tiny"
    facts = write(directory, ("float32", "dynamic_int8"), licence="apache-2.0",
                  samples=("a fine film", "it drags"), trained_on="films (for research)",
                  base_model="sentence-transformers/all-MiniLM-L6-v2")
    return directory, facts


@pytest.fixture(scope="module")
def packaged(models, exported, vocabulary, tmp_path_factory):
    """kind -> (package, its facts), which `package.write` made of a float32 file."""
    made = {}

    def package_of(kind):
        if kind not in made:
            place = tmp_path_factory.mktemp(kind)
            tuned = every_kind.tuned(kind, models[kind], vocabulary, place / "data")
            write_note(place, tuned.data.task.name, {"f1": 1.0})
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(calibration, "to_tflite", lambda *_, **__: exported(kind, "float32"))
                facts = package.write(
                    place / "tiny", tuned.contents,
                    Details(name="tiny", source=place, data=tuned.data), ("float32",), (LENGTH,),
                    lambda batches, description: batches, say=lambda line: None)
            made[kind] = place / "tiny", facts
        return made[kind]

    return package_of
