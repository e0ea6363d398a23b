"""distill_task: a student of a teacher on a task, from the names that a user gives."""

import dataclasses
import hashlib
import json
import os
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path

import numpy as np
import tensorflow as tf
import tf_keras as keras

from mobilebert_tf import model_directory, presets
from mobilebert_tf.data.datasets import plain_texts
from mobilebert_tf.data.datasets.rows import LeftOut
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import write_atomically
from mobilebert_tf.tasks import catalogue
from mobilebert_tf.tasks.task import left_out_of
from mobilebert_tf.terminal.progress import Progress
from mobilebert_tf.terminal.waiting import waiting
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.training import curves, metrics_line
from mobilebert_tf.training import stage as stage_files
from mobilebert_tf.training.components import components
from mobilebert_tf.training.devices import is_chief, needs_static_shapes
from mobilebert_tf.training.loop import Run
from mobilebert_tf.training.preparation import prepared
from mobilebert_tf.training.reporting import SECONDS
from mobilebert_tf.training.settings import TrainingSettings
from mobilebert_tf.training.stage import Stage
from mobilebert_tf.training.starting import start_from_teacher
from mobilebert_tf.training.task import task_models
from mobilebert_tf.training.task.task_plan import TaskPlan
from mobilebert_tf.training.task.task_rows import TaskRows
from mobilebert_tf.training.task.task_scoring import TaskScoring
from mobilebert_tf.training.task.task_source import TaskSource
from mobilebert_tf.training.task.teacher_cache import TeacherCache, fingerprint
from mobilebert_tf.training.task.teacher_outputs import cls_blocks

_RUN, _CHECKPOINTS, _CACHE = "run.json", "checkpoints", "teacher_outputs"
# How many rows are read to start a student's embedding.
_START_ROWS, _START_BATCH = 1024, 128


@dataclasses.dataclass(frozen=True)
class TaskResult:
    """What a run on a task wrote.

    Args:
      model: the model directory, with the best student.
      metric: the dev score that chose it.
      scores: its dev scores by name.
      best: where it was found: `stage` and `step`.
      curves: PNG of the losses and the scores.
      seconds: of training and scoring, over all processes of the run, without the teacher's
        outputs that were computed before.
      left_out: the rows of the data files that were left out.
    """

    model: Path
    metric: str
    scores: dict[str, float]
    best: dict[str, str | int]
    curves: Path
    seconds: float
    left_out: tuple[LeftOut, ...] = ()

    @property
    def score(self) -> float:
        return self.scores[self.metric]

    def to_json(self) -> dict:
        """Return all but `left_out` as JSON values."""
        return {"model": str(self.model), "metric": self.metric, "scores": self.scores,
                "best": self.best, "curves": str(self.curves), "seconds": round(self.seconds)}


def distill_task(student: str, directory: str | os.PathLike, *, teacher: str, task: str,
                 data: str | os.PathLike | None = None,
                 train: Sequence[str | os.PathLike] = (), dev: str | os.PathLike | None = None,
                 text: str | None = None, label: str | None = None, second_text: str | None = None,
                 unlabelled: Sequence[str | os.PathLike] = (), by_sentence: bool = False,
                 plan: TaskPlan | None = None,
                 stages: str | os.PathLike | Sequence[Stage] | None = None,
                 length: int | None = None, metric: str | None = None,
                 cache: str | os.PathLike | None = None, teacher_pooler: str | None = None,
                 student_pooler: str | None = None, settings: TrainingSettings | None = None,
                 strategy: tf.distribute.Strategy | None = None,
                 say: Callable[[str], None] = print,
                 say_left_out: Callable[[Sequence[LeftOut]], None] = lambda rows: None,
                 ) -> TaskResult | None:
    """Distil a student from a teacher on a task; keep the epoch whose dev score is best.

    The same call again continues a run that was stopped.

    Args:
      student: a preset, for random blocks and the teacher's embedding; or a model or Hugging Face
        directory, whose head is used if it is of the task.
      directory: receives the best student as a model directory, run.json, `checkpoints/`, `logs/`,
        metrics.jsonl, stages.json and curves.png.
      teacher: a model or Hugging Face directory, fine-tuned on the task.
      task: a name in `tasks.catalogue.names()`.
      data: the directory with the task's files; or tfds:glue/sst2 and the like.
      train, dev: files instead of the directory's.
      text, label, second_text: the columns of your own table.
      unlabelled: files of texts without labels, which have soft labels alone; see
        `plain_texts.read`. The columns are those of your own table; else text and second_text, or
        question and context.
      by_sentence: cut the unlabelled texts into sentences. Otherwise a text that is longer than
        `length` is cut at its end.
      plan: see `TaskPlan`; has no effect if there are `stages`.
      stages: stages to train instead of the plan's, or a JSON file of them. They may have epochs
        for steps.
      length: the most tokens of a row; None for the teacher's.
      metric: the dev score that chooses; None for the task's.
      cache: directory of the teacher's outputs, which several runs may share; None for one in
        `directory`.
      teacher_pooler, student_pooler: replace the models' own; see `EncoderConfig.pooler`.
      settings: see `TrainingSettings`.
      strategy: of tf.distribute, instead of `settings.devices`.
      say: takes each line about what is being done.
      say_left_out: takes the rows of the files that are left out, before training starts.
    Returns:
      What the run wrote; None in those workers that do not write.
    Raises:
      InputError: for anything wrong with the arguments or in the files, before training starts; and
        see `loop.Run` and `TeacherCache`.
    """
    plan, settings = plan or TaskPlan(), settings or TrainingSettings()
    directory = Path(directory)
    _check_place(directory)
    data = catalogue.data(
        catalogue.of(task, catalogue.columns(text, label, second_text)),
        None if data is None else Path(data), [Path(one) for one in train],
        None if dev is None else Path(dev))
    task, train, dev = data.for_training
    left_out = (*left_out_of(train), *left_out_of(dev))
    say_left_out(left_out)
    more = _unlabelled(task, train, unlabelled, by_sentence)
    metric = _metric(task, metric)
    with prepared(settings, strategy) as strategy:
        with strategy.scope():
            taught_by = task_models.load_teacher(teacher, task, teacher_pooler)
            keras.utils.set_random_seed(settings.seed)
            contents = task_models.load_student(student, task, taught_by, length, student_pooler)
        say(f"teacher: {taught_by.model.count_params():,} parameters, student: "
            f"{contents.model.count_params():,}; tokenizing {len(train):,} training, "
            f"{0 if more is None else len(more):,} unlabelled and {len(dev):,} dev examples")
        with waiting("Tokenizing"):
            scoring = TaskScoring(contents, task, dev, metric, directory)
            rows = _rows(contents, train, more)
        if student in presets.names():
            _start(contents, taught_by, rows, say)
        source, stages = _source(
            contents, taught_by.model, rows, _stages(stages, plan, contents.model), cache or
            directory / _CACHE, _asked(data, student, teacher, unlabelled),
            needs_static_shapes(strategy), say)
        Run(student=contents.model, teacher=taught_by.model, stages=stages, source=source,
            directory=directory, settings=settings, strategy=strategy, scoring=scoring).train()
        return _result(directory, metric, source, left_out) if is_chief(strategy) else None


def _metric(task, metric):
    if metric not in (None, *task.metrics.names):
        raise InputError(f"the task {task.name} has no metric {metric!r}; known are "
                         f"{', '.join(task.metrics.names)}")
    return metric or task.metrics.names[0]


def _check_place(directory):
    """Raise InputError if a model lies there that is not of a run of this loop."""
    if model_directory.is_one(directory) and not (directory / _CHECKPOINTS).exists():
        raise InputError(f"{directory} holds a model that is not of an unfinished run; choose "
                         "another output directory")


def _unlabelled(task, train, paths, by_sentence):
    """Return examples of the texts without labels; None if there are none."""
    named = task.columns or dict(zip(("text", "second_text"), task.kind.text_columns, strict=True))
    is_pair = task.kind.are_pairs(train)
    columns = (named["text"], *((named["second_text"],) if is_pair else ()))
    texts = [row for path in paths for row in plain_texts.read(path, columns, by_sentence)]
    if not texts:
        return None
    first, *second = zip(*texts, strict=True)
    return task.kind.examples(first, second[0] if is_pair else [None] * len(first))


def _rows(contents, train, unlabelled):
    tokenizer = Tokenizer(contents.vocabulary, contents.lower_case)
    labelled, more = (examples and contents.kind.rows(examples, tokenizer, contents.length)
                      for examples in (train, unlabelled))
    if not len(labelled.ids):
        raise InputError("there is nothing to learn: no text of the training files has a token")
    return TaskRows.of(contents.kind, labelled, more)


def _start(contents, teacher, rows, say):
    """Give a preset's student the teacher's embedding, if it has the teacher's hidden size."""
    student, pad_id = contents.model.encoder, contents.vocabulary.pad_id
    if student.config.hidden_size != teacher.model.config.hidden_size:
        say("the student starts from random weights: its hidden size is not the teacher's")
        return
    order = np.random.default_rng(0).permutation(len(rows))[:_START_ROWS]
    batches = []
    for start in range(0, len(order), _START_BATCH):
        inputs = rows.inputs(order[start : start + _START_BATCH], contents.length, pad_id)
        batches.append({**inputs, "original_word_ids": inputs["input_word_ids"]})
    for line in start_from_teacher(student, teacher.model.encoder, batches):
        say(line)


def _stages(stages, plan, student):
    if stages is None:
        return plan.stages(tuple(components(student)))
    return stage_files.load(stages) if isinstance(stages, str | os.PathLike) else tuple(stages)


def _source(contents, teacher, rows, stages, cache, asked, static_shapes, say):
    """Return the source, with the teacher's outputs if a stage needs no more, and the stages."""
    stages = tuple(stage.in_steps(max(len(rows) // stage.batch_size, 1)) for stage in stages)
    needed = [cls_blocks(stage) for stage in stages if stage.has_teacher]
    pad_id, length = contents.vocabulary.pad_id, contents.length
    blocks = sorted({block for found in needed for block in found or ()})
    outputs = None
    if any(found is not None for found in needed):
        teacher_cache = TeacherCache(cache, teacher, rows, length, pad_id, blocks)
        with Progress("teacher", len(rows), "rows", "building its graph") as progress:
            outputs = teacher_cache.filled(lambda done, total: progress.update(done), say)
    return TaskSource(
        asked["task"], rows, length, pad_id,
        {**asked, "rows": rows.fingerprint(), "teacher_weights": fingerprint(teacher)},
        outputs, static_shapes), stages


def _asked(data, student, teacher, unlabelled):
    """Return what tells a run from others, besides rows and settings, as JSON."""
    paths = [*data.train_files, data.dev_file, *unlabelled, *(
        model_directory.files(student) if student not in presets.names() else ())]
    return {"task": data.task.name, "columns": data.task.columns,
            "train": list(map(str, data.train_files)), "dev": str(data.dev_file),
            "unlabelled": list(map(str, unlabelled)), "student": str(student),
            "teacher": str(teacher),
            "sha256": {str(path): hashlib.sha256(Path(path).read_bytes()).hexdigest()
                       for path in paths if Path(path).is_file()}}


def _result(directory, metric, source, left_out):
    lines = curves.read(directory / "metrics.jsonl")
    curves.draw(lines, directory / "curves.png")
    dev = [line for line in lines if line["split"] == "dev"]
    best = max(dev, key=lambda line: line[metric])
    scores = {name: value for name, value in best.items()
              if name not in {*metrics_line.POSITION, SECONDS}}
    seconds = sum(line["tokens"] / line["tokens_per_second"] for line in lines
                  if line["split"] == "train") + sum(line[SECONDS] for line in dev)
    result = TaskResult(directory, metric, scores, {"stage": best["stage"], "step": best["step"]},
                        directory / "curves.png", seconds, left_out)
    write_atomically(directory / _RUN, json.dumps({
        **source.description["task"], "length": source.description["length"],
        "result": {"metric": metric, "scores": scores, "best": result.best},
        "seconds": round(seconds),
        "versions": {name: metadata.version(name)
                     for name in ("mobilebert-tf", "tensorflow", "tf-keras")},
    }, indent=2).encode() + b"\n")
    return result
