"""Fine-tuning on a task: from its files to a model directory."""

import dataclasses
import json
import os
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import tf_keras as keras

from mobilebert_tf import model_directory, presets
from mobilebert_tf.data import glue
from mobilebert_tf.data.classification import LabelledBatches
from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation import metrics
from mobilebert_tf.files import write_atomically
from mobilebert_tf.finetuning.classification import Result, Settings, fine_tune
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.models.classifier import Classifier
from mobilebert_tf.models.encoder import Encoder
from mobilebert_tf.models.repooling import with_pooler
from mobilebert_tf.text.learning import learn_vocabulary
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.text.vocabulary import Vocabulary


def fine_tune_on_task(
        *, task_name: str, data: str | os.PathLike, preset: str | None,
        checkpoint: str | os.PathLike | None, vocab: str | os.PathLike | None,
        pooler: str | None, settings: Settings, directory: str | os.PathLike,
        say: Callable[[str], None] = print) -> Result:
    """Fine-tunes a preset or a checkpoint on a task and writes a model directory.

    Args:
      task_name: of `data.glue.TASKS`.
      data: directory of the task's official files.
      preset: start from random weights of this preset, or
      checkpoint: start from this directory's encoder; its heads are left behind.
      vocab: vocabulary file; else the checkpoint's, or one learned from the training texts.
      pooler: replaces the encoder's; see `EncoderConfig.pooler`.
      settings: see `Settings`.
      directory: receives the model after each best epoch, `logs/` for TensorBoard, `run.json`.
      say: takes a line about what is being done.
    Raises:
      InputError: for anything wrong with what was given, before training starts.
    """
    task, metric = glue.task(task_name), metrics.of(task_name)
    train = glue.read(Path(data) / task.train_file, task)
    dev = glue.read(Path(data) / task.dev_file, task)
    keras.utils.set_random_seed(settings.seed)
    encoder, vocabulary, lower_case = (
        _from_checkpoint(checkpoint, vocab, pooler) if preset is None
        else _from_preset(preset, vocab, pooler, train.texts))
    if settings.length > encoder.config.max_positions:
        raise InputError(f"length {settings.length} is above the model's "
                         f"{encoder.config.max_positions} positions")
    model = Classifier(encoder, len(task.labels))
    say(f"{model.count_params():,} parameters, {len(vocabulary):,} pieces; tokenizing "
        f"{len(train.texts):,} training and {len(dev.texts):,} dev texts")
    tokenizer = Tokenizer(vocabulary, lower_case)
    contents = ModelDirectory(model, vocabulary, task.labels, lower_case, task_name)
    started = time.time()
    result = fine_tune(
        model,
        LabelledBatches(train, tokenizer, settings.length, settings.batch_size),
        LabelledBatches(dev, tokenizer, settings.length, settings.batch_size),
        metric, settings, Path(directory) / "logs",
        on_best=lambda: model_directory.save(directory, contents))
    write_atomically(Path(directory) / "run.json", json.dumps({
        "task": task_name, "preset": preset, "checkpoint": checkpoint and str(checkpoint),
        "settings": dataclasses.asdict(settings), "config": encoder.config.to_dict(),
        "result": dataclasses.asdict(result), "seconds": round(time.time() - started),
        "versions": {name: metadata.version(name)
                     for name in ("mobilebert-tf", "tensorflow", "tf-keras")},
    }, indent=2).encode() + b"\n")
    return result


def _from_checkpoint(checkpoint, vocab, pooler):
    contents = model_directory.load(checkpoint)
    vocabulary = contents.vocabulary if vocab is None else Vocabulary.load(vocab)
    if vocabulary is None:
        raise InputError(f"{checkpoint} has no vocab.txt; name one with --vocab")
    encoder = contents.model.encoder
    model_directory.check_vocabulary(vocabulary, encoder.config, checkpoint)
    return _with_pooler(encoder, pooler), vocabulary, contents.lower_case


def _from_preset(preset, vocab, pooler, texts):
    config = presets.get(preset)
    vocabulary = (learn_vocabulary(texts, config.vocab_size) if vocab is None
                  else Vocabulary.load(vocab))
    # Random weights fit any vocabulary.
    config = dataclasses.replace(config, vocab_size=len(vocabulary))
    return _with_pooler(Encoder(config), pooler), vocabulary, True


def _with_pooler(encoder, pooler):
    try:
        return with_pooler(encoder, pooler)
    except ValueError as error:
        raise InputError(str(error)) from error
