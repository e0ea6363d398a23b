"""GLUE's tasks from TFDS (tensorflow-datasets) as labelled texts."""

import numpy as np

from mobilebert_tf.data.datasets import glue
from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts
from mobilebert_tf.data.datasets.tfds import prepared
from mobilebert_tf.errors import InputError

_SPLITS = {"train": "train", "dev": "validation", "test": "test"}
# TFDS has both in glue/mnli, as different splits.
_KINDS_OF_MNLI = {"mnli": "matched", "mnli_mismatched": "mismatched"}
# TFDS's names of the texts, if they differ from those in GLUE's files.
_TEXTS = {"mnli": ("premise", "hypothesis"), "mnli_mismatched": ("premise", "hypothesis"),
          "mrpc": ("sentence1", "sentence2")}


def read(task_name: str, split: str, directory: str | None = None) -> LabelledTexts:
    """Read a split of one of GLUE's tasks; TFDS downloads and prepares it if needed.

    Class ids are those of `glue.TASKS`, whatever the order in TFDS. Examples are in the order of
    the official files, so that predictions for a test set can be submitted.

    Args:
      task_name: a name in `glue.TASKS`. TFDS stores stsb's scores as float32.
      split: "train", "dev" or "test"; the labels of "test" are None.
      directory: where TFDS keeps its datasets; None for its default.
    Raises:
      InputError: if the task or the split is unknown; and as for `tfds.prepared`.
    """
    task = glue.task(task_name)
    if split not in _SPLITS:
        raise InputError(f"unknown split {split!r}; known are {', '.join(_SPLITS)}")
    name, its_split = f"glue/{task_name}", _SPLITS[split]
    if task_name in _KINDS_OF_MNLI:
        name = "glue/mnli"
        if split != "train":
            its_split += f"_{_KINDS_OF_MNLI[task_name]}"
    builder = prepared(name, directory, its_split)
    import tensorflow_datasets as tfds

    # TFDS shuffles examples when it prepares them.
    columns = tfds.as_numpy(builder.as_dataset(split=its_split, batch_size=-1))
    order = np.argsort(columns["idx"])
    texts, *others = (tuple(text.decode() for text in columns[column][order])
                      for column in _TEXTS.get(task_name, task.columns.texts))
    labels = None
    if split != "test":
        labels = _labels(columns["label"][order], task, builder.info.features["label"])
    return LabelledTexts(texts, labels, others[0] if others else None, task.labels)


def _labels(found, task, feature):
    if task.labels is None:
        return tuple(found.tolist())
    ids = [task.labels.index(name) for name in feature.names]
    return tuple(ids[label] for label in found)
