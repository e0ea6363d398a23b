"""Calibration: texts of the task's training set, which recipes learn ranges of activations from.

Random tokens would give ranges of states that no text ever reaches, or miss those that texts do.
"""

import os
from pathlib import Path

import numpy as np

from ..data import glue
from ..errors import InputError
from ..evaluation import labels as task_labels
from ..model_directory import ModelDirectory
from ..text.packing import encode_batch
from ..text.tokenizer import Tokenizer
from . import recipes
from .convert import to_tflite
from .result import ExportResult

_SEED = 0


def export(contents: ModelDirectory, recipe: str, lengths: tuple[int, ...],
           data: str | os.PathLike | None) -> ExportResult:
    """What `to_tflite` returns for a directory's model, calibrated where the recipe needs that.

    Args:
      contents: the model with its vocabulary and labels; its task names the texts.
      recipe: a name in `RECIPES`.
      lengths: as `to_tflite` takes them.
      data: directory of the task's official files; None does for recipes without calibration.
    Raises:
      InputError: for a recipe that needs texts of a task, and no task, data or vocabulary; from
        `examples` and `to_tflite`.
    """
    calibration = None
    if recipes.get(recipe).calibrated:
        if None in (contents.task, contents.vocabulary, data):
            raise InputError(f"the recipe {recipe} learns ranges from training texts of the "
                             "model's task: it needs the task's name (--task), its official files "
                             "(--data) and the model's vocabulary (--vocab)")
        calibration = examples(
            contents.task, data, Tokenizer(contents.vocabulary, contents.lower_case),
            max(lengths), contents.labels)
    return to_tflite(contents.model, recipe, lengths, vocabulary=contents.vocabulary,
                     labels=contents.labels, lower_case=contents.lower_case,
                     calibration=calibration)


def examples(task_name: str, data: str | os.PathLike, tokenizer: Tokenizer, length: int,
             labels: tuple[str, ...] | None, count: int = 128) -> dict[str, np.ndarray]:
    """Returns encoder inputs of a sample of the task's training texts; always the same ones.

    The file is cut into `count` runs of rows and each gives one text, so that a file sorted by
    class or by source is there as a whole. Every other run gives its longest text, the rest any:
    SST-2 trains on phrases of 9 words and is asked about sentences of 20, and ranges learned
    from phrases alone would clip these. Every text is padded to `length`, as it is in use; one
    that is longer is cut, and so stands for those without padding.

    Args:
      task_name: of `data.glue.TASKS`.
      data: directory of the task's official files.
      tokenizer: the model's.
      length: the longest of the file to be.
      labels: the model's, in order.
      count: how many texts; all of them where the training set has fewer.
    Returns:
      `input_word_ids`, `input_mask`, `input_type_ids`: int32 `(count, length)`.
    Raises:
      InputError: for an unknown task, labels that are not the task's, a count below 1, and from
        `glue.read` for a training file that is missing, empty or damaged.
    """
    if count < 1:
        raise InputError(f"calibration needs at least one text. Received: a count of {count}")
    task = glue.task(task_name)
    task_labels.check(labels, task_name, "the model to calibrate")
    texts = glue.read(Path(data) / task.train_file, task).texts
    return encode_batch(tokenizer, _sample(texts, count), length=length)


def _sample(texts, count):
    random = np.random.default_rng(_SEED)
    runs = np.array_split(np.arange(len(texts)), min(count, len(texts)))
    rows = [max(run, key=lambda row: len(texts[row])) if number % 2 else random.choice(run)
            for number, run in enumerate(runs)]
    return [texts[row] for row in rows]
