"""A tiny model of every kind that a task scores, and task files with the model's own answers."""

import dataclasses
import json
from pathlib import Path

import numpy as np

from mobilebert_tf import kinds
from mobilebert_tf.inference.predict import embed, predict
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.running.keras_runner import KerasRunner
from mobilebert_tf.tasks import catalogue
from mobilebert_tf.tasks.task_data import TaskData

from .conftest import LABELS, LENGTH

NAMES = {"multi_label": "multi_label", "regression": "stsb", "tagging": "tagging",
         "question_answering": "squad", "embedding": "similarity"}
SETTINGS = {"multi_label": {"threshold": 0.52}}
COLUMNS = {"multi_label": {"text": "said", "label": "moods"}}
COUNT = 40


@dataclasses.dataclass(frozen=True)
class Tuned:
    """The content of a fine-tuned model's directory, and its task with the files."""

    contents: ModelDirectory
    data: TaskData


def tuned(kind, model, vocabulary, directory) -> Tuned:
    """Make task files of a model's own answers, so that it is right throughout.

    Args:
      kind: a key of `NAMES`.
      model: of this kind.
      vocabulary: the model's.
      directory: receives the task's files.
    """
    directory.mkdir(parents=True, exist_ok=True)
    labels, columns = LABELS.get(kind), COLUMNS.get(kind)
    task = catalogue.of(NAMES[kind], columns, labels)
    of_model = kinds.of(model, labels).with_settings(**SETTINGS.get(kind, {}))
    contents = ModelDirectory(model, vocabulary, of_model, True, task.name, columns)
    runner = KerasRunner(contents, LENGTH, kind, lambda tokens: LENGTH)
    suffix = ".csv" if columns else ""
    dev = directory / f"{task.dev_file}{suffix}"
    _WRITE[kind](runner, _Words(vocabulary), dev)
    # Ranges are learned from the same examples.
    (directory / f"{task.train_files[0]}{suffix}").write_bytes(dev.read_bytes())
    return Tuned(contents, catalogue.data(task, Path(directory)))


class _Words:
    """Texts of the vocabulary's words, the same ones in each run."""

    def __init__(self, vocabulary):
        self._words = [piece for piece in vocabulary.pieces if len(piece) == 2]
        self._random = np.random.default_rng(3)

    def __call__(self, least, most):
        return " ".join(self._random.choice(
            self._words, self._random.integers(least, most + 1)))


def _write_label_sets(runner, words, path):
    rows = [f"{one['text']},{'|'.join(one['labels'])}\n"
            for one in predict(runner, [words(1, 9) for _ in range(COUNT)])]
    path.write_text("said,moods\n" + "".join(rows))


def _write_regression(runner, words, path):
    pairs = [(words(1, 4), words(1, 4)) for _ in range(COUNT)]
    scores = [predict(runner, [one], other)[0]["score"] for one, other in pairs]
    _write_pairs(path, pairs, scores)


def _write_embedding(runner, words, path):
    pairs = [(words(1, 9), words(1, 9)) for _ in range(COUNT)]
    first, second = (embed(runner, texts) for texts in zip(*pairs, strict=True))
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
        entities = predict(runner, [text])[0]["entities"]
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
        (said,) = predict(runner, [question], context)
        paragraphs.append({"context": context, "qas": [{
            "id": str(number), "question": question,
            "answers": [{"text": said["answer"], "answer_start": said["start"]}]}]})
    path.write_text(json.dumps({"version": "1.1", "data": [{"paragraphs": paragraphs}]}))


_WRITE = {"multi_label": _write_label_sets, "regression": _write_regression,
          "embedding": _write_embedding, "tagging": _write_tagging,
          "question_answering": _write_questions}
