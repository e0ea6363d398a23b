"""Fine-tuning on a task: from its files to a model directory."""

import dataclasses
import json
import os
import resource
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import msgspec
import tensorflow as tf
import tf_keras as keras

from mobilebert_tf import model_directory, presets, records
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import remove_unfinished, sha256, write_atomically
from mobilebert_tf.finetuning.fitting import Fitting
from mobilebert_tf.finetuning.result import FineTuningResult
from mobilebert_tf.finetuning.settings import FineTuningSettings
from mobilebert_tf.finetuning.start import Start
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.models.encoder import Encoder
from mobilebert_tf.models.repooling import with_pooler
from mobilebert_tf.precision import computing_in
from mobilebert_tf.resuming import checkpoints, same_run
from mobilebert_tf.resuming.checkpoints import RunCheckpoints
from mobilebert_tf.resuming.random_state import make_dropout_restorable
from mobilebert_tf.running import run as running
from mobilebert_tf.running.keras_runner import KerasRunner
from mobilebert_tf.tasks.task_data import TaskData
from mobilebert_tf.terminal.progress import track
from mobilebert_tf.terminal.waiting import waiting
from mobilebert_tf.text.learning import learn_vocabulary
from mobilebert_tf.text.vocabulary import Vocabulary

_RUN = "run.json"


def run(data: TaskData, start: Start, settings: FineTuningSettings,
        directory: str | os.PathLike, say: Callable[[str], None] = print) -> FineTuningResult:
    """Fine-tune on a task and write a model directory with the best epoch on the dev file.

    A run that is killed at any moment and called again with the same arguments ends where it would
    have ended, bit for bit on the same machine: TensorFlow is switched to deterministic operations,
    and dropout to generators that a checkpoint can hold. A run that has ended is not run again.

    Args:
      data: the task with its files; see `tasks.catalogue`.
      start: see `Start`.
      settings: see `FineTuningSettings`.
      directory: receives the model after each best epoch, `logs/` for TensorBoard, `epochs.json`,
        and `run.json` at the end.
      say: takes a line about what is being done.
    Raises:
      InputError: before training starts, for anything wrong with the arguments; and if the
        directory holds another run, or another model.
      Diverged, Stopped: see `Fitting`.
    """
    directory = Path(directory)
    asked = _asked(data, start, settings)
    kept = RunCheckpoints(directory / checkpoints.DIRECTORY, asked, keep=2)
    if (directory / _RUN).exists():
        return _finished(directory, asked, kept, say)
    model_directory.check_unfinished(
        directory, checkpoints.exist(directory / checkpoints.DIRECTORY))
    with computing_in(settings.precision):
        return _run(data, start, settings, directory, asked, kept, say)


def _run(data, start, settings, directory, asked, kept, say):
    task, train, dev = data.for_training
    settings.check(task)
    metric = task.metric(settings.metric)
    start, train = settings.begin(task, start, train)
    make_dropout_restorable()
    tf.config.experimental.enable_op_determinism()
    keras.utils.set_random_seed(settings.seed)
    contents = _start_model(task, start, settings, train)
    runner = KerasRunner(contents, contents.length, start.checkpoint or start.preset)
    say(f"{contents.model.count_params():,} parameters, {len(contents.vocabulary):,} pieces; "
        f"tokenizing {len(train):,} training and {len(dev):,} dev examples")
    with waiting("Tokenizing"):
        dev_rows = task.kind.rows(dev, runner.tokenizer, runner.length)
        train_rows = task.kind.rows(train, runner.tokenizer, runner.length)
    if not len(train_rows.ids):
        raise InputError("there is nothing to learn: no text of "
                         f"{', '.join(map(str, data.train_files))} has a token")
    setup = settings.setup(contents, train, train_rows, runner.length)
    say(f"{setup.batches.steps:,} steps an epoch{setup.remark}")

    def validate():
        setup.prepare()
        found = running.run(task.kind, runner, dev, dev_rows, track, "dev set")
        return task.score(found.answers, dev) if found.finite.all() else None

    def save(scores):
        # Again: a run that continues saves before it validates.
        setup.prepare()
        model_directory.save(directory, dataclasses.replace(
            contents, kind=task.kind.decided(scores, metric)))

    fitting = Fitting(
        setup.model, setup.losses, setup.batches, validate,
        metric, settings, directory, kept, on_best=save,
        class_weight=setup.class_weight)
    result = fitting.run(say)
    _write_record(directory, asked, contents.model.config, result, fitting.seconds)
    kept.clear()
    return result


def _start_model(task, start, settings, train):
    """The model that is trained, with what belongs to it."""
    with waiting(f"Building {start.checkpoint or start.preset}"):
        encoder, vocabulary, lower_case = (
            _from_checkpoint(start) if start.preset is None
            else _from_preset(start, task.kind.texts(train)))
        model = task.kind.build(encoder)
    length = settings.length or min(task.kind.length, encoder.config.max_positions)
    return ModelDirectory(model, vocabulary, task.kind, lower_case, task.name, task.columns, length)


def _write_record(directory, asked, config, result, seconds):
    write_atomically(directory / _RUN, json.dumps({
        **asked, "config": config.to_dict(), "result": dataclasses.asdict(result),
        "seconds": round(seconds),
        # Of the whole last process, in MB: Linux counts in KiB.
        "peak_memory": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6),
        "versions": {name: metadata.version(name)
                     for name in ("mobilebert-tf", "tensorflow", "tf-keras")},
    }, indent=2).encode() + b"\n")


def _asked(data, start, settings):
    """The arguments that tell a run from others, as JSON."""
    asked = {"task": data.task.name, "columns": data.task.columns,
             "train": list(map(str, data.train_files)), "dev": str(data.dev_file),
             **dataclasses.asdict(start), "settings": dataclasses.asdict(settings),
             "sha256": _digests(data, start)}
    return json.loads(json.dumps(asked, default=str))


def _digests(data, start):
    """The SHA-256 of every file that the run reads, by its path: a changed file is another run."""
    paths = [*data.train_files, data.dev_file]
    if start.checkpoint is not None:
        paths += model_directory.files(start.checkpoint)
    paths += [Path(name) for name in (start.vocab, start.preset) if name is not None]
    return {str(path): sha256(path)
            for path in map(Path, paths) if path.is_file()}


class _Run(msgspec.Struct):
    """The field of run.json that is read, and not only compared."""

    result: FineTuningResult


def _finished(directory, asked, kept, say):
    try:
        run = records.read(directory / _RUN, dict)
        known = records.convert(run, _Run, directory / _RUN)
    except InputError as error:
        raise InputError(f"{error}; choose another output directory") from error
    same_run.check(directory, {name: run.get(name) for name in asked}, asked,
                   "choose another output directory")
    if not model_directory.is_whole(directory):
        raise InputError(f"{directory} is of a finished run, and its model is gone; choose another "
                         "output directory")
    say(f"{directory} is finished already")
    remove_unfinished(directory)
    kept.clear()  # a run that was killed after its end has left them
    return known.result


def _from_checkpoint(start):
    contents = model_directory.load(start.checkpoint)
    vocabulary = contents.vocabulary if start.vocab is None else Vocabulary.load(start.vocab)
    if vocabulary is None:
        raise InputError(f"{start.checkpoint} has no vocab.txt; name a vocabulary")
    encoder = contents.model.encoder
    model_directory.check_vocabulary(vocabulary, encoder.config, start.checkpoint)
    return with_pooler(encoder, start.pooler), vocabulary, contents.lower_case


def _from_preset(start, texts):
    config = presets.get(start.preset)
    lower_case = not start.cased
    vocabulary = (learn_vocabulary(texts, config.vocab_size, lower_case) if start.vocab is None
                  else Vocabulary.load(start.vocab))
    # Random weights fit any vocabulary.
    config = dataclasses.replace(config, vocab_size=len(vocabulary))
    return with_pooler(Encoder(config), start.pooler), vocabulary, lower_case
