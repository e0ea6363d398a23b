"""Micro models with random norms and biases, each exported once for the whole folder."""

import dataclasses
import json

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf.export.file.export_report import ExportReport
from mobilebert_tf.export.file.output_report import OutputReport
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

from .. import weights

LENGTH = 12
LABELS = {"classification": ("bad", "so so", "gut"),
          "multi_label": ("anger", "joy", "mild surprise", "love"),
          "tagging": ("O", "B-loc", "I-loc", "B-per", "I-per")}


def randomize(model, seed=0):
    """`weights.randomize` with the deviations that the tolerances of this folder are for."""
    return weights.randomize(model, seed, matrices=0.12, vectors=0.1)


KINDS = {
    "encoding": lambda encoder: encoder,
    "embedding": mb.SentenceEncoder,
    "fill_mask": mb.Pretrainer,
    "classification": lambda encoder: mb.Classifier(encoder, 3),
    "multi_label": lambda encoder: mb.Classifier(encoder, 4, multi_label=True),
    "regression": lambda encoder: mb.Classifier(encoder, 1),
    "tagging": lambda encoder: mb.TokenClassifier(encoder, 5),
    "question_answering": mb.QuestionAnswerer,
}


def shallow(preset):
    """The preset with two blocks of at most two feed-forwards: a third is converted as they are."""
    config = mb.presets.get(preset)
    return dataclasses.replace(config, num_blocks=2,
                               num_feed_forwards=min(2, config.num_feed_forwards))


CONFIG = shallow("micro")


def build(kind, preset="micro"):
    return randomize(KINDS[kind](mb.Encoder(shallow(preset))))


@pytest.fixture(scope="session")
def vocabulary():
    """As long as the micro word table: special pieces, words, and letters within words."""
    words = [f"{a}{b}" for a in "abcdefghijk" for b in "lmnopqrs"]
    letters = [f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    return Vocabulary([*SPECIAL_PIECES, "?", *words, *letters][:120])


@pytest.fixture(scope="session")
def models():
    """A model of every kind, on one encoder: building that is what takes time."""
    encoder = mb.Encoder(CONFIG)
    built = {kind: make(encoder) for kind, make in KINDS.items()}
    for model in built.values():
        randomize(model)
    return built


def examples(count=24, length=LENGTH, seed=2):
    """Encoder inputs of random tokens and two segments, for calibration."""
    random = np.random.default_rng(seed)
    real = random.integers(3, length + 1, (count, 1))
    mask = (np.arange(length) < real).astype(np.int32)
    types = (np.arange(length) >= real // 2).astype(np.int32) * mask
    return {"input_word_ids": random.integers(1, 120, mask.shape, np.int32) * mask,
            "input_mask": mask, "input_type_ids": types}


def calibration_for(recipe, **arguments):
    """What `to_tflite` takes as `calibration` for a recipe: `examples`, or None."""
    return examples(**arguments) if mb.export.RECIPES[recipe].calibrated else None


@pytest.fixture(scope="session")
def exported(models, vocabulary, made_once):
    """(kind, recipe) -> `ExportResult` at length 12, with vocabulary and labels inside."""
    done = {}

    def export(kind, recipe):
        if (kind, recipe) not in done:
            done[kind, recipe] = read_result(made_once(
                f"exported_{kind}_{recipe}",
                lambda directory: write_result(directory, mb.export.to_tflite(
                    models[kind], recipe, (LENGTH,), vocabulary=vocabulary,
                    labels=LABELS.get(kind), calibration=calibration_for(recipe)))))
        return done[kind, recipe]

    return export


def write_result(directory, result):
    (directory / "model.tflite").write_bytes(result.model)
    (directory / "report.json").write_text(json.dumps(dataclasses.asdict(result.report)))


def read_result(directory):
    """The `ExportResult` that `write_result` wrote, perhaps in another process."""
    found = json.loads((directory / "report.json").read_text())
    outputs = {name: OutputReport(**{**one, "shape": tuple(one["shape"])})
               for name, one in found["outputs"].items()}
    report = ExportReport(**{**found, "lengths": tuple(found["lengths"]), "outputs": outputs})
    return mb.export.ExportResult((directory / "model.tflite").read_bytes(), report)


@pytest.fixture
def batch():
    """Three rows with no, some and much padding, and two segments."""
    random = np.random.default_rng(1)
    mask = (np.arange(LENGTH) < [[LENGTH], [7], [3]]).astype(np.int32)
    types = (np.arange(LENGTH) >= [[5], [4], [2]]).astype(np.int32) * mask
    return {"input_word_ids": random.integers(1, 120, mask.shape, np.int32) * mask,
            "input_mask": mask, "input_type_ids": types}


@pytest.fixture
def task_files(vocabulary, tmp_path_factory):
    """The files of SST-2, of which `tuned` is right throughout."""
    from . import sst2

    return sst2.write_files(tmp_path_factory.mktemp("SST-2"), vocabulary)


@pytest.fixture
def tuned(vocabulary, monkeypatch):
    """What `model_directory.load` returns: a classifier that names its task."""
    from . import sst2

    held = {"contents": sst2.contents(vocabulary)}
    monkeypatch.setattr("mobilebert_tf.model_directory.load", lambda path: held["contents"])
    return held


@pytest.fixture
def exports(monkeypatch, vocabulary):
    """Exports are what was exported before, of a model that a test may replace."""
    from mobilebert_tf.export.file import calibration

    from . import sst2

    held = {"model": sst2.classifier()}
    monkeypatch.setattr(calibration, "to_tflite", lambda model, recipe, lengths, **_: sst2.exported(
        held["model"], recipe, vocabulary))
    return held


@pytest.fixture
def sabotaged(tuned, exports):
    """Every export is that of another model."""
    from . import sst2

    exports["model"] = sst2.opposite()
