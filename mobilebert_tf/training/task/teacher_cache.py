"""TeacherCache: a teacher's outputs for the rows of a task, computed once and kept on disk."""

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from mobilebert_tf import kinds, records
from mobilebert_tf.data.features.batches import width_for
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import remove_unfinished, write_atomically
from mobilebert_tf.reasons import reason
from mobilebert_tf.resuming.lock import locked
from mobilebert_tf.training.fingerprint import fingerprint
from mobilebert_tf.training.task.ragged import Ragged
from mobilebert_tf.training.task.task_rows import TaskRows
from mobilebert_tf.training.task.teacher_file import TeacherFile
from mobilebert_tf.training.task.teacher_outputs import TeacherOutputs
from mobilebert_tf.training.task.teacher_run import LENGTHS, TeacherRun

_DESCRIPTION = "cache.json"
# Rows of a file: a killed process loses less than one of them.
_SHARD_ROWS = 4096

WriteFiles = Callable[[Sequence[TeacherFile], Callable[[int], None]], None]


class TeacherCache:
    """Files with a teacher's logits, and its [CLS] states, for the rows of a task.

    The rows are sorted by length, so that a batch is hardly wider than its rows. Logits are kept
    as `Kind.kept_type`, states in half precision. `cache.json` tells which teacher, rows and length
    the files belong to; a cache that is filled again after a kill has the same bytes as one that
    was filled at once.

    Args:
      directory: of the files; several runs may share it.
      teacher: a model of a task.
      rows: the rows.
      length: the most tokens of a row.
      pad_id: the vocabulary's id of [PAD].
      blocks: those blocks, counted from 0, whose states of [CLS] are kept.
    """

    def __init__(self, directory: str | os.PathLike, teacher, rows: TaskRows, length: int,
                 pad_id: int, blocks: Sequence[int] = ()):
        self._directory, self._rows, self._kind = Path(directory), rows, kinds.of(teacher)
        self._run = TeacherRun(teacher, length, pad_id, blocks)
        self._description = {
            "teacher": fingerprint(teacher), "rows": rows.fingerprint(), "length": length,
            "count": len(rows), "blocks": list(blocks), "kind": self._kind.name,
            "precision": teacher.encoder.compute_dtype,
            "kept_type": np.dtype(self._kind.kept_type).name}
        widths = np.array([width_for(tokens, length) for tokens in rows.ids.lengths])
        self._order = np.argsort(widths, kind="stable")

    @property
    def description(self) -> dict:
        """JSON values that tell the teacher, the rows and what is kept of each."""
        return self._description

    def filled(self, show: Callable[[int, int], None] = lambda done, total: None,
               say: Callable[[str], None] = lambda line: None,
               write: WriteFiles | None = None) -> TeacherOutputs:
        """Compute what is missing, and return all outputs.

        Args:
          show: takes how many rows are done, and of how many.
          say: takes a line about waiting for another process.
          write: writes files, and tells a function how many rows are done; see `TeacherJob.write`.
            None computes one after another in this process.
        Raises:
          InputError: for a cache of another teacher, other rows, another length or precision, a
            damaged file, and a place that cannot be written; if the teacher's outputs are not
            finite.
        """
        with locked(self._directory, f"another process fills {self._directory}", say):
            self._check()
            remove_unfinished(self._directory)
            shards = [self._order[start : start + _SHARD_ROWS]
                      for start in range(0, len(self._order), _SHARD_ROWS)]
            missing = [number for number in range(len(shards)) if not self._path(number).exists()]
            done = len(self._order) - sum(len(shards[number]) for number in missing)
            show(done, len(self._order))
            if missing:
                (write or self._write)(
                    [TeacherFile(self._path(number), self._rows.inputs_of(shards[number]))
                     for number in missing],
                    lambda rows: show(done + rows, len(self._order)))
            return self._read(shards)

    def _write(self, files, on_rows):
        done = 0
        for file in files:
            write_atomically(file.path, save(self._run.arrays(file.rows)))
            done += len(file.rows)
            on_rows(done)

    def _check(self):
        path = self._directory / _DESCRIPTION
        if not path.exists():
            write_atomically(path, json.dumps(self._description, indent=2).encode() + b"\n")
            return
        found = records.read(path, dict)
        for name, what in (("teacher", "another teacher"), ("kind", "another kind of teacher"),
                           ("length", "another length"), ("rows", "other data"),
                           ("count", "other data"), ("blocks", "other blocks of the teacher"),
                           ("precision", "another precision"),
                           ("kept_type", "another precision")):
            if found.get(name) != self._description[name]:
                raise InputError(f"{self._directory} holds a teacher's outputs for {what}; name "
                                 "another directory for them, or remove this one")

    def _path(self, number):
        return self._directory / f"outputs-{number:05d}.safetensors"

    def _read(self, shards):
        found = {}
        for number, rows in enumerate(shards):
            path = self._path(number)
            try:
                arrays = load(path.read_bytes())
                names = [name for name in arrays if not name.endswith(LENGTHS)]
                for name in names:
                    lengths = arrays[name + LENGTHS]
                    if len(lengths) != len(rows) or lengths.sum() != len(arrays[name]):
                        raise ValueError("it has other rows")
                    found.setdefault(name, []).append((arrays[name], lengths))
            except (OSError, SafetensorError, LookupError, ValueError) as error:
                raise InputError(f"{path} is damaged; remove it, and it is computed again "
                                 f"({reason(error)})") from error
        kept = {name: Ragged.cut(*map(np.concatenate, zip(*parts, strict=True)))
                for name, parts in found.items()}
        return TeacherOutputs(self._kind, kept, np.argsort(self._order),
                              self._rows.ids.lengths)
