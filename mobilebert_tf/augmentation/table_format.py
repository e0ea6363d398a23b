"""TableFormat: how the rows of a task are written, for fine-tuning to read them again."""

import dataclasses
import json
from pathlib import Path

from mobilebert_tf.data import lines
from mobilebert_tf.data.datasets import glue
from mobilebert_tf.data.datasets.columns import Columns
from mobilebert_tf.data.datasets.rows import LABEL_SEPARATOR
from mobilebert_tf.errors import InputError
from mobilebert_tf.tasks.task import Task


@dataclasses.dataclass(frozen=True)
class TableFormat:
    """The columns and the file format of a task's table.

    Args:
      columns: of the texts and the label.
      header: names of all columns of a TSV file.
      has_header: whether the first line of a TSV file names them.
      values: each class as it is written; None for numbers.
      is_json: JSON Lines instead of TSV.
    """

    columns: Columns
    header: tuple[str, ...]
    has_header: bool
    values: tuple[str, ...] | None
    is_json: bool

    def first_line(self) -> str:
        """Return what the file begins with."""
        return "\t".join(self.header) + "\n" if self.has_header and not self.is_json else ""

    def line(self, texts: tuple[str, ...], label) -> str:
        """Return the line of a row.

        Args:
          texts: one for each text column.
          label: as `LabelledTexts.labels` has it.
        Raises:
          InputError: if a text of a TSV file holds a tab or a line feed.
        """
        cells = dict(zip(self.columns.texts, texts, strict=True))
        cells[self.columns.label] = self._written(label)
        if self.is_json:
            return json.dumps(cells, ensure_ascii=False) + "\n"
        for text in texts:
            if "\t" in text or "\n" in text:
                raise InputError(f"the text {text[:40]!r} holds a tab or a line feed, which TSV "
                                 "cannot: write a .jsonl file")
        return "\t".join(_cell(cells.get(column, "")) for column in self.header) + "\n"

    def _written(self, label):
        if isinstance(label, tuple):
            return [name for name, has in zip(self.values, label, strict=True) if has]
        return label if self.values is None else self.values[label]


def of(task: Task, path: Path) -> TableFormat:
    """Return how to write a table of a task to a file with this name.

    Raises:
      InputError: if the task reads no table of texts and labels, or not in this format.
    """
    is_glue = task.name in glue.TASKS
    if not is_glue and task.columns is None:
        raise InputError(f"the task {task.name} reads no table of labelled texts, so it cannot be "
                         "augmented")
    make, endings = (_glue, (".tsv",)) if is_glue else (_own, (".tsv", ".jsonl"))
    if lines.is_compressed(path) or lines.suffix(path) not in endings:
        raise InputError(f"the name of the output {path} should end in {' or '.join(endings)}")
    return make(task, lines.suffix(path) == ".jsonl")


def _glue(task, is_json):
    files = glue.task(task.name)
    return TableFormat(files.columns, files.header or (*files.columns.texts, files.columns.label),
                       files.header is None, files.values, is_json)


def _own(task, is_json):
    columns = Columns(**task.columns)
    return TableFormat(columns, (*columns.texts, columns.label), True, task.labels, is_json)


def _cell(value):
    return LABEL_SEPARATOR.join(value) if isinstance(value, list) else str(value)
