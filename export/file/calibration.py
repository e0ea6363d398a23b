"""Calibration: examples of the task's training set, from which recipes learn ranges.

Ranges from random tokens would hold values that no text reaches, or miss values that texts reach.
"""

import numpy as np

from mobilebert_tf.errors import InputError
from mobilebert_tf.export import recipes
from mobilebert_tf.export.file.convert import to_tflite
from mobilebert_tf.export.file.export_result import ExportResult
from mobilebert_tf.kinds.kind import Kind
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.tasks import catalogue
from mobilebert_tf.tasks.task_data import TaskData
from mobilebert_tf.text.tokenizer import Tokenizer

_SEED = 0
# Examples that are looked at in each part of the set.
_CANDIDATES = 64


def calibrated(contents: ModelDirectory, recipe: str, lengths: tuple[int, ...],
               data: TaskData | None) -> ExportResult:
    """Return what `to_tflite` does for a directory's model, calibrated if the recipe needs that.

    Args:
      contents: the model with its vocabulary and kind.
      recipe: a name in `RECIPES`.
      lengths: as `to_tflite` takes them.
      data: the model's task with its files; None is enough for recipes without calibration.
    Raises:
      InputError: for a calibrated recipe without a task, training files or a vocabulary; and as
        `examples` and `to_tflite` do.
    """
    calibration = None
    if recipes.get(recipe).calibrated:
        if None in (data, contents.vocabulary):
            raise InputError(f"the recipe {recipe} learns ranges from training examples of the "
                             "model's task: it needs the task's name, its files and the model's "
                             "vocabulary")
        calibration = examples(data, Tokenizer(contents.vocabulary, contents.lower_case),
                               max(lengths), contents.kind)
    return to_tflite(contents.model, recipe, lengths, kind=contents.kind,
                     vocabulary=contents.vocabulary, lower_case=contents.lower_case,
                     pairs=catalogue.reads_pairs(contents.task, contents.columns),
                     calibration=calibration)


def examples(data: TaskData, tokenizer: Tokenizer, length: int,
             kind: Kind, count: int = 128) -> dict[str, np.ndarray]:
    """Return the encoder inputs of a sample of the task's training set; always the same ones.

    The set is cut into `count` parts, and each part gives one row, so that a file that is sorted by
    class or source is sampled evenly. Every other part gives its longest row, the rest a random
    one: SST-2 trains on phrases of 9 words and is asked about sentences of 20, and ranges from
    phrases alone would clip these. Rows are padded or cut to `length`, as in use.

    Args:
      data: the task with its files.
      tokenizer: the model's.
      length: the longest length of the file.
      kind: of the model, with its labels and settings.
      count: number of rows; fewer if the training set has fewer examples, or parts without tokens.
    Returns:
      `input_word_ids`, `input_mask`, `input_type_ids`: int32 `(count, length)`.
    Raises:
      InputError: for a model of another task, a count below 1, a training file that is missing,
        empty or damaged, and training files without any text that has tokens.
    """
    if count < 1:
        raise InputError(f"calibration needs at least one text. Received: a count of {count}")
    data.task.check(kind, "the model to calibrate")
    task = data.task.bound(kind.labels, kind.settings)
    found = task.read_train(data.require_train_files())
    random = np.random.default_rng(_SEED)
    runs = [np.sort(random.permutation(run)[:_CANDIDATES]) if len(run) > _CANDIDATES else run
            for run in np.array_split(np.arange(len(found)), min(count, len(found)))]
    features = task.kind.rows(task.kind.select(found, np.concatenate(runs)), tokenizer, length)
    by_example = features.by_example(np.arange(len(features.ids)))
    rows = []
    for number, run in enumerate(np.split(np.arange(len(by_example)),
                                          np.cumsum([len(run) for run in runs])[:-1])):
        candidates = np.concatenate([by_example[example] for example in run])
        if not len(candidates):  # questions on contexts without tokens have no rows
            continue
        rows.append(max(candidates, key=lambda row: len(features.ids[row])) if number % 2
                    else random.choice(candidates))
    if not rows:
        raise InputError("calibration needs a text with tokens, and these files have none: "
                         f"{', '.join(map(str, data.train_files))}")
    packed = features.packed(length, tokenizer.vocabulary.pad_id)
    return {name: values[rows] for name, values in packed.items()}
