"""A tiny classifier with SST-2's labels, and task files on which its score is chosen."""

import dataclasses
import functools

import numpy as np

import mobilebert_tf as mb
from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts
from mobilebert_tf.kinds.classification import Classification
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.running.keras_runner import KerasRunner
from mobilebert_tf.tasks import catalogue

from .conftest import CONFIG, LENGTH, randomize

LABELS = ("negative", "positive")


@functools.cache
def classifier():
    return randomize(mb.Classifier(mb.Encoder(CONFIG), 2))


@functools.cache
def opposite():
    """The classifier that always says the other class."""
    model = mb.Classifier.from_config(classifier().get_config())
    weights = classifier().get_weights()
    model.set_weights(weights)
    model.head.set_weights([-value for value in model.head.get_weights()])
    return model


@functools.cache
def exported(model, recipe, vocabulary):
    """`ExportResult` of one of these classifiers: each conversion takes seconds."""
    return mb.export.to_tflite(model, recipe, (LENGTH,), vocabulary=vocabulary, labels=LABELS)


def contents(vocabulary, /, labels=LABELS, **changes):
    return dataclasses.replace(ModelDirectory(
        classifier(), vocabulary, Classification(labels=labels), True, "sst2"), **changes)


def runner(vocabulary):
    return KerasRunner(contents(vocabulary), LENGTH, "sst2", lambda tokens: LENGTH)


def examples(vocabulary, count, right=None):
    """Texts of 1 to 8 words, for the first `right` of which (all) the classifier is right."""
    random = np.random.default_rng(2)
    words = [piece for piece in vocabulary.pieces if len(piece) == 2]
    texts = tuple(" ".join(random.choice(words, random.integers(1, 9))) for _ in range(count))
    inputs = mb.text.encode_batch(mb.Tokenizer(vocabulary), list(texts), length=LENGTH)
    predicted = runner(vocabulary)(inputs)["probabilities"].argmax(axis=-1)
    is_wrong = np.arange(count) >= (count if right is None else right)
    return LabelledTexts(texts, tuple(int(label) for label in predicted ^ is_wrong))


def write_files(directory, vocabulary, count=40, right=None):
    """train.tsv and dev.tsv of these examples."""
    directory.mkdir(parents=True, exist_ok=True)
    found = examples(vocabulary, count, right)
    rows = [f"{text}\t{label}\n" for text, label in zip(found.texts, found.labels, strict=True)]
    for name in ("train.tsv", "dev.tsv"):
        (directory / name).write_text("sentence\tlabel\n" + "".join(rows))
    return directory


def data(directory):
    """SST-2 with its files in a directory."""
    return catalogue.data(catalogue.of("sst2"), directory)
