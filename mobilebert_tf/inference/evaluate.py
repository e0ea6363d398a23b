"""Evaluation: the scores of a model, or of answers in a file, on a task's dev set."""

import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path

from mobilebert_tf.checks import check_length, check_path
from mobilebert_tf.data.datasets.rows import LeftOut
from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation.confusion import MOST_CLASSES, Confusion
from mobilebert_tf.inference import opening
from mobilebert_tf.running import run as running
from mobilebert_tf.running.model_runner import ModelRunner, check_pairs
from mobilebert_tf.tasks import catalogue
from mobilebert_tf.tasks.task import Task, left_out_of


@dataclasses.dataclass(frozen=True, kw_only=True)
class Evaluation:
    """Answers to a task's examples, and their scores.

    Args:
      source: the path of the model, or of the file with answers.
      task: with the labels and settings that the answers were made with.
      data: the dev file.
      examples: of the dev file.
      answers: one per example, as the task's kind makes them; None if one is missing.
      scores: by name; 1 is perfect.
      runner: of the model; None for answers in a file.
    """

    source: Path
    task: Task
    data: Path
    examples: Sequence
    answers: list
    scores: dict[str, float]
    runner: ModelRunner | None = None

    @property
    def parts(self) -> dict[str, dict]:
        """The scores of each class or type of entity, by its name."""
        return self.task.kind.score_parts(self.answers, self.examples)

    @property
    def confusion(self) -> Confusion | None:
        """Which classes are taken for which; None unless each text has one class."""
        return self.task.kind.confusion(self.answers, self.examples)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """The rows of the dev file that are none of the examples."""
        return left_out_of(self.examples)

    @property
    def missing(self) -> int:
        """How many examples have no answer; they count as wrong."""
        return sum(answer is None for answer in self.answers)

    @property
    def readable(self):
        """The answers as JSON."""
        return self.task.kind.readable(self.answers, self.examples)

    def report(self, name: str):
        """Return a further file about the answers; see `Kind.report`."""
        return self.task.kind.report(name, self.answers)

    def to_json(self) -> dict:
        """Return everything but the answers, and the confusion of at most `MOST_CLASSES`."""
        few = len(self.task.kind.labels or ()) <= MOST_CLASSES
        confusion, parts = self.confusion if few else None, self.parts
        key = "model" if self.runner is not None else "predictions_from"
        return {key: str(self.source), "task": self.task.name, "kind": self.task.kind.name,
                "data": str(self.data), "examples": len(self.examples),
                "metric": next(name for name in (self.task.metrics.main, *self.task.metrics.names)
                               if name in self.scores), **self.scores,
                **({"parts": parts} if parts else {}),
                **({} if confusion is None else {"confusion": confusion.to_dict()})}


def evaluate(model: str | os.PathLike, task: str, *, data: str | os.PathLike | None = None,
             dev: str | os.PathLike | None = None, text: str | None = None,
             label: str | None = None, second_text: str | None = None, length: int | None = None,
             threads: int | None = 2, settings: dict[str, float] | None = None,
             track: running.Track = running.untracked) -> Evaluation:
    """Score a model on the dev set of a task.

    Args:
      model: as `open_model` takes it.
      task: a name in `tasks.catalogue.names()`.
      data: the directory with the task's files; or tfds:glue/sst2 and the like.
      dev: a dev file instead of the directory's.
      text, label, second_text: the columns of your own table.
      length: the most tokens of a row; None for the length of the model's fine-tuning, or the
        task's. A file has its own.
      threads: of a file's CPU kernels.
      settings: settings of the kind to use in place of the model's own, such as
        `{"null_threshold": 1.5}`.
      track: shows the progress; see `running.run.run`.
    Raises:
      InputError: for a model of another task, or of pairs of texts where the task has single ones
        and the other way round; and anything wrong in the files.

    Example:
      >>> mb.evaluate("runs/sst2", "sst2", data="glue/SST-2").scores  # doctest: +SKIP
    """
    check_path(model=model)
    path = opening.file_of(Path(model))
    check_length(length)
    described = opening.task_for(path, task, catalogue.columns(text, label, second_text))
    described.kind.with_settings(**settings or {})  # unknown ones should not wait for the model
    dev_file = _dev_file(described, data, dev)
    # Read first, so that errors in the file come before the slow loading; but if only the model
    # knows the labels, after it.
    needs_labels = described.kind.has_labels and described.labels is None
    examples = None if needs_labels else described.read(dev_file)
    if length is None:
        length = opening.trained_length(path, described) or described.kind.length
    runner = opening.open_model(path, length, threads, type(described.kind)
                                if not described.kind.is_fine_tuned else None)
    described.check(runner.kind, path)
    described = described.bound(described.labels or runner.kind.labels, runner.kind.settings)
    if settings:
        described = dataclasses.replace(described, kind=described.kind.with_settings(**settings))
    if examples is None:
        examples = described.read(dev_file)
    check_pairs(runner, described.kind.are_pairs(examples))
    features = described.kind.rows(examples, runner.tokenizer, runner.length)
    answers = running.run(described.kind, runner, examples, features, track).answers
    return Evaluation(source=path, task=described, data=dev_file, examples=examples,
                      answers=answers, scores=described.score(answers, examples), runner=runner)


def score_answers(answers: str | os.PathLike, task: str, *,
                  null_odds: str | os.PathLike | None = None,
                  data: str | os.PathLike | None = None, dev: str | os.PathLike | None = None,
                  text: str | None = None, label: str | None = None,
                  second_text: str | None = None, train: Sequence[str | os.PathLike] = (),
                  settings: dict[str, float] | None = None) -> Evaluation:
    """Score answers that any program wrote into a file.

    Args:
      answers: JSON as `Evaluation.readable` has it, for questions SQuAD's official {id: text}; or a
        .tsv file with index and prediction, as GLUE's site takes it.
      null_odds: squad_v2: a JSON file with the odds of no answer by the question's id. Unless
        `settings` has another, the threshold is 0, for differences of scores. The official scorer's
        default is 1, for probabilities.
      task, data, dev, text, label, second_text: as of `evaluate`.
      train: training files, in place of those in `data`. A task that takes its labels from data
        takes them from these files and the dev file; a mean over labels is over all of them.
      settings: `{"null_threshold": 1.5}` or the like, which needs null odds.
    Raises:
      InputError: for answers that are not the examples', and anything wrong in the files.
    """
    described = catalogue.of(task, catalogue.columns(text, label, second_text))
    files = catalogue.data(described, data, train, dev)
    if null_odds is not None and "null_odds" not in described.kind.reports:
        raise InputError(f"null odds are for questions without an answer, and the task {task} has "
                         "none")
    without_use = sorted(set(settings or ()) - {"null_threshold"})
    if without_use:
        raise InputError(f"the setting {without_use[0]!r} changes nothing in answers that are "
                         "written already: leave it out")
    if settings and null_odds is None:
        raise InputError("a null threshold needs null odds: name their file")
    described = described.found_in([*files.train_files, files.dev_file])
    described = dataclasses.replace(described, kind=described.kind.with_settings(**settings or {}))
    examples = described.read(files.dev_file)
    kind = described.kind
    found = (kind.read_answers(Path(answers), examples, described.answer_values)
             if null_odds is None
             else kind.read_answers_with_odds(Path(answers), Path(null_odds), examples))
    return Evaluation(source=Path(answers), task=described, data=files.dev_file, examples=examples,
                      answers=found, scores=described.score(found, examples))


def _dev_file(task, data, dev):
    return catalogue.data(task, data, dev_file=dev).dev_file
