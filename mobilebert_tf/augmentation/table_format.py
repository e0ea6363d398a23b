"""The formats of tables of labelled texts: TSV, CSV and JSON Lines."""

import csv
import dataclasses
import functools
import io
import json
from pathlib import Path

from mobilebert_tf.augmentation.file_format import FileFormat
from mobilebert_tf.data import lines
from mobilebert_tf.data.datasets.columns import Columns
from mobilebert_tf.data.datasets.rows import LABEL_SEPARATOR
from mobilebert_tf.errors import InputError
from mobilebert_tf.tasks.task import Task


@dataclasses.dataclass(frozen=True)
class _Table:
    """A task's table: its columns, all names of a file's header, and how a class is written.

    A file has no header line if `has_header` is False. `values` is None for numbers.
    """

    columns: Columns
    header: tuple[str, ...]
    has_header: bool
    values: tuple[str, ...] | None

    def cells(self, row) -> dict:
        """Return the values of a row by the names of their columns."""
        return {**dict(zip(self.columns.texts, row.texts, strict=True)),
                self.columns.label: self._written(row.label)}

    def line(self, row) -> list[str]:
        """Return the cells of a row as texts, in the order of the header."""
        cells = self.cells(row)
        return [_as_text(cells.get(column, "")) for column in self.header]

    def _written(self, label):
        if isinstance(label, tuple):
            return [name for name, has in zip(self.values, label, strict=True) if has]
        return label if self.values is None else self.values[label]


def of(task: Task, path: Path) -> FileFormat:
    """Return how to write the rows of a task, those of `TextRows`, to a file with this name.

    Raises:
      InputError: if the task does not read files of this format.
    """
    files = task.glue_files
    formats = {".tsv": _tsv} if files else {".tsv": _tsv, ".csv": _csv, ".jsonl": _jsonl}
    if lines.suffix(path) not in formats:
        raise InputError(f"the name of the output {path} should end in {', '.join(formats)}, or "
                         "one of these and .gz")
    return formats[lines.suffix(path)](_glue(files) if files else _own(task))


def _glue(files):
    return _Table(files.columns, files.header or (*files.columns.texts, files.columns.label),
                  files.header is None, files.values)


def _own(task):
    columns = Columns(**task.columns)
    return _Table(columns, (*columns.texts, columns.label), True, task.labels)


def _tsv(table):
    def record(row):
        cells = table.line(row)
        for cell in (*cells, *table.header):
            if "\t" in cell or "\n" in cell:
                raise InputError(f"{cell[:40]!r} holds a tab or a line feed, which TSV cannot: "
                                 "write a .csv or .jsonl file")
        return "\t".join(cells) + "\n"

    return FileFormat(record, "\t".join(table.header) + "\n" if table.has_header else "")


def _csv(table):
    return FileFormat(lambda row: _quoted(table.line(row)), _quoted(table.header))


def _jsonl(table):
    write = functools.partial(json.dumps, ensure_ascii=False)
    return FileFormat(lambda row: write(table.cells(row)) + "\n")


def _quoted(cells):
    written = io.StringIO()
    # With another end of line, csv leaves a lone \r unquoted, which it then refuses to read.
    csv.writer(written, lineterminator="\r\n").writerow(cells)
    return written.getvalue().removesuffix("\r\n") + "\n"


def _as_text(value):
    return LABEL_SEPARATOR.join(value) if isinstance(value, list) else str(value)
