"""GLUE's official TSV files as labelled texts."""

import dataclasses
import os
from types import MappingProxyType

from mobilebert_tf.data.datasets import rows
from mobilebert_tf.data.datasets.columns import Columns
from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts, class_of, from_rows, number
from mobilebert_tf.data.datasets.rows import LeftOut
from mobilebert_tf.errors import InputError


@dataclasses.dataclass(frozen=True)
class Files:
    """The layout of a task's files.

    Args:
      columns: columns of the labelled files; unlabelled files use the same names for the texts.
      submission_file: name of the file with predictions for `test_file`.
      labels: names of the classes in the order of their ids; None for regression.
      values: each class as it is written in the files and in a submission.
      header: names of all columns, if the labelled files have no header line.
      train_file, dev_file, test_file: names of the files in the task's folder.
      skips_short_rows: whether the official files have rows that a newline in a text broke in two.
        These are left out and counted, as by all readers of the task.
    """

    columns: Columns
    submission_file: str
    labels: tuple[str, ...] | None = None
    values: tuple[str, ...] | None = None
    header: tuple[str, ...] | None = None
    train_file: str = "train.tsv"
    dev_file: str = "dev.tsv"
    test_file: str = "test.tsv"
    skips_short_rows: bool = False


_SENTENCES = Columns("sentence1", "label", "sentence2")
_BINARY = ("0", "1")
_ENTAILMENT = ("entailment", "not_entailment")
# The order of google-research/bert's processor; other copies of MNLI have other orders.
_INFERENCE = ("contradiction", "entailment", "neutral")

_MNLI = Files(Columns("sentence1", "gold_label", "sentence2"), "MNLI-m.tsv", _INFERENCE,
              _INFERENCE, dev_file="dev_matched.tsv", test_file="test_matched.tsv")

TASKS = MappingProxyType({
    "cola": Files(Columns("sentence", "label"), "CoLA.tsv", ("unacceptable", "acceptable"),
                  _BINARY, header=("source", "label", "star", "sentence")),
    "sst2": Files(Columns("sentence", "label"), "SST-2.tsv", ("negative", "positive"), _BINARY),
    "mrpc": Files(Columns("#1 String", "Quality", "#2 String"), "MRPC.tsv",
                 ("not_equivalent", "equivalent"), _BINARY),
    "stsb": Files(Columns("sentence1", "score", "sentence2"), "STS-B.tsv"),
    "qqp": Files(Columns("question1", "is_duplicate", "question2"), "QQP.tsv",
                ("not_duplicate", "duplicate"), _BINARY, skips_short_rows=True),
    "mnli": _MNLI,
    # The training data of mnli; the texts of dev and test are from other genres.
    "mnli_mismatched": dataclasses.replace(
        _MNLI, submission_file="MNLI-mm.tsv", dev_file="dev_mismatched.tsv",
        test_file="test_mismatched.tsv"),
    "qnli": Files(Columns("question", "label", "sentence"), "QNLI.tsv", _ENTAILMENT, _ENTAILMENT),
    "rte": Files(_SENTENCES, "RTE.tsv", _ENTAILMENT, _ENTAILMENT),
    "wnli": Files(_SENTENCES, "WNLI.tsv", ("not_entailment", "entailment"), _BINARY),
})


def task(name: str) -> Files:
    """Return the files of the task of this name; raise InputError if there is none."""
    if name not in TASKS:
        raise InputError(f"unknown task {name!r}; known are {', '.join(TASKS)}")
    return TASKS[name]


def read(path: str | os.PathLike, task: Files) -> LabelledTexts:
    """Read a labelled TSV file, training or dev.

    Rows, labels and their order are those of the processors of google-research/bert and
    transformers (data/processors/glue.py).

    Raises:
      InputError: as for `rows.read_tsv`; and if a label is not one of the task's.
    """
    found = list(rows.read_tsv(path, (task.columns.label, *task.columns.texts), task.header,
                               task.skips_short_rows))
    whole = [(line, cells) for line, cells in found if cells is not None]
    if not whole:
        raise InputError(f"{path} has no row with all columns")
    label_of = number if task.values is None else class_of(task.values)
    return from_rows(path, whole, task.columns, label_of, task.labels, [
        LeftOut(str(path), line, "too few columns") for line, cells in found if cells is None])


def read_unlabelled(path: str | os.PathLike, task: Files) -> LabelledTexts:
    """Read a test set; it has a header line and no labels.

    No row is left out: a submission has a prediction for each.

    Raises:
      InputError: as for `rows.read_tsv`.
    """
    lines, cells = zip(*rows.read_tsv(path, task.columns.texts), strict=True)
    texts, *others = zip(*cells, strict=True)
    return LabelledTexts(texts, None, others[0] if others else None, task.labels, lines)
