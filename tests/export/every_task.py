"""A tiny model of every kind of task, with task files that say what the model says."""

import dataclasses
import json
from pathlib import Path

import numpy as np

from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.running.keras_runner import KerasRunner
from mobilebert_tf.tasks import catalogue, prediction
from mobilebert_tf.tasks.task_data import TaskData

from .conftest import LABELS, LENGTH

NAMES = {"regression": "stsb", "tagging": "tagging", "question_answering": "squad",
         "embedding": "similarity"}
COUNT = 40


@dataclasses.dataclass(frozen=True)
class Tuned:
    """What a directory that finetune wrote holds, and its task with the files."""

    contents: ModelDirectory
    data: TaskData


def tuned(kind, model, vocabulary, directory) -> Tuned:
    """A model that is right throughout: the files are made of what it says itself.

    Args:
      kind: a key of `NAMES`.
      model: of this kind.
      vocabulary: the model's.
      directory: receives the task's files.
    """
    directory.mkdir(parents=True, exist_ok=True)
    task = catalogue.of(NAMES[kind])
    contents = ModelDirectory(model, vocabulary, LABELS.get(kind), True, task.name)
    runner = KerasRunner(contents, LENGTH, kind, lambda tokens: LENGTH)
    _WRITE[kind](runner, _Words(vocabulary), directory / task.dev_file)
    # From the same examples ranges are learned.
    (directory / task.train_files[0]).write_bytes((directory / task.dev_file).read_bytes())
    return Tuned(contents, catalogue.data(task, Path(directory)))


class _Words:
    """Texts of the vocabulary's words, always the same ones."""

    def __init__(self, vocabulary):
        self._words = [piece for piece in vocabulary.pieces if len(piece) == 2]
        self._random = np.random.default_rng(3)

    def __call__(self, least, most):
        return " ".join(self._random.choice(
            self._words, self._random.integers(least, most + 1)))


def _write_regression(runner, words, path):
    pairs = [(words(1, 4), words(1, 4)) for _ in range(COUNT)]
    scores = [prediction.predict(runner, [one], other)[0]["score"] for one, other in pairs]
    _write_pairs(path, pairs, scores)


def _write_embedding(runner, words, path):
    pairs = [(words(1, 9), words(1, 9)) for _ in range(COUNT)]
    first, second = (prediction.embed(runner, texts) for texts in zip(*pairs, strict=True))
    _write_pairs(path, pairs, np.sum(first * second, axis=1))


def _write_pairs(path, pairs, scores):
    rows = [f"{one}\t{other}\t{score}\n"
            for (one, other), score in zip(pairs, scores, strict=True)]
    path.write_text("sentence1\tsentence2\tscore\n" + "".join(rows))


def _write_tagging(runner, words, path):
    """Sentences of one window, and of several."""
    rows = []
    for number in range(COUNT):
        text = words(1, 25 if number % 4 == 0 else 9)
        entities = prediction.predict(runner, [text])[0]["entities"]
        position = 0
        for word in text.split():
            tag = next((f"{'B' if position == one['start'] else 'I'}-{one['type']}"
                        for one in entities if one["start"] <= position < one["end"]), "O")
            rows.append(f"{word}\t{tag}\n")
            position += len(word) + 1
        rows.append("\n")
    path.write_text("".join(rows))


def _write_questions(runner, words, path):
    """Contexts of one window, and of several."""
    paragraphs = []
    for number in range(COUNT):
        context, question = words(3, 30 if number % 2 else 6), words(1, 3)
        (said,) = prediction.predict(runner, [question], context)
        paragraphs.append({"context": context, "qas": [{
            "id": str(number), "question": question,
            "answers": [{"text": said["answer"], "answer_start": said["start"]}]}]})
    path.write_text(json.dumps({"version": "1.1", "data": [{"paragraphs": paragraphs}]}))


_WRITE = {"regression": _write_regression, "embedding": _write_embedding,
          "tagging": _write_tagging, "question_answering": _write_questions}
