"""BatchDirectory: the answers of a job on disk, which is also what a restart continues from."""

import json
import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from mobilebert_tf import records
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import write_atomically, written_atomically
from mobilebert_tf.inference.batch import formats
from mobilebert_tf.inference.batch.fingerprint import Fingerprint
from mobilebert_tf.inference.batch.report import PartReport
from mobilebert_tf.inference.batch.result import BatchResult
from mobilebert_tf.resuming import same_run
from mobilebert_tf.resuming.lock import LOCK

# What is asked for, what came out, and the rows without an answer.
_JOB, _RESULT, _BAD_ROWS, _REPORTS = "job.json", "result.json", "bad_rows.jsonl", "parts"

_AGAIN = "start the job again in another directory"


class _Job(msgspec.Struct):
    """What readers need of job.json.

    Args:
      format: the name of the shards' format.
      model: that the job ran.
    """

    format: Literal["jsonl", "parquet"]
    model: Fingerprint


class BatchDirectory:
    """The directory of a job.

    Args:
      path: of the directory.
      parts: how many parts the job has; None where a finished job is only read.
    """

    def __init__(self, path: str | os.PathLike, parts: int | None = None):
        self.path, self.parts = Path(path), parts

    def begin(self, job: dict) -> None:
        """Write what identifies the job, or compare it with what an earlier run wrote.

        Raises:
          InputError: if something else is in the directory.
        """
        path = self.path / _JOB
        if path.exists():
            same_run.check(self.path, records.read(path, dict), json.loads(json.dumps(job)),
                           "give the same arguments, or another directory")
        elif any(child.name != LOCK for child in self.path.iterdir()):
            raise InputError(f"{self.path} holds something that is not of a job; choose another "
                             "directory")
        else:
            write_atomically(path, json.dumps(job, indent=2).encode() + b"\n")
        (self.path / _REPORTS).mkdir(exist_ok=True)

    def left(self, numbers: Iterable[int]) -> list[int]:
        """Return the numbers of the parts that are not done.

        If there are some, the directory is not whole until `finish`.
        """
        found = [number for number in numbers if not self._is_done(number)]
        if found:
            (self.path / _RESULT).unlink(missing_ok=True)
        return found

    def report_path(self, number: int) -> Path:
        """Return the path of a part's report, which is written after its shard."""
        return self.path / _REPORTS / f"{number:05d}.json"

    def stem(self, number: int) -> Path:
        """Return the path of a part's shard, without an ending."""
        return self.path / f"part-{number:05d}-of-{self.parts:05d}"

    def write_report(self, number: int, report: PartReport) -> None:
        write_atomically(self.report_path(number), msgspec.json.encode(report))

    def finish(self, model: str | os.PathLike, counters: dict[str, int]) -> BatchResult:
        """Bring all reports together: write the bad rows, then result.json.

        Args:
          model: path of the model.
          counters: of the whole job, which those of the parts are added to.
        Raises:
          InputError: if a part is not done, with the reason of the first one.
        """
        found = BatchResult(os.fspath(model), self.parts, [], [], None, dict(counters))
        with written_atomically(self.path / _BAD_ROWS) as (bad,), open(
                bad, "w", encoding="utf-8") as file:
            for number in range(self.parts):
                report = self._report(number)
                for name, count in report.counters.items():
                    found.counters[name] = found.counters.get(name, 0) + count
                file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in report.bad)
                if report.files:
                    found.shards.append(self.stem(number).name)
                    found.rows.append(report.rows)
                    found.features = report.features
        write_atomically(self.path / _RESULT, msgspec.json.format(msgspec.json.encode(found)))
        return found

    def result(self) -> BatchResult:
        """Return what came out.

        Raises:
          InputError: if the directory is not of a job, the job is not finished, or result.json is
            damaged.
        """
        if not (self.path / _JOB).exists():
            raise InputError(f"{self.path} is not a directory that a job wrote")
        if not (self.path / _RESULT).exists():
            raise InputError(f"the job of {self.path} is not finished; start it again with the "
                             "same arguments")
        found = records.read(self.path / _RESULT, BatchResult)
        if len(found.rows) != len(found.shards):
            raise InputError(f"{self.path / _RESULT} has {len(found.shards)} shards and the rows "
                             f"of {len(found.rows)}; {_AGAIN}")
        return found

    def job(self) -> _Job:
        """Return what job.json says; raise InputError if it is missing or damaged."""
        return records.read(self.path / _JOB, _Job)

    def rows(self, result: BatchResult, number: int) -> list[dict]:
        """Return the rows of a shard.

        Args:
          result: of the job.
          number: of the shard, in the order of the result.
        Raises:
          InputError: if they cannot be read, or are not as many as the result says.
        """
        shard = self.path / result.shards[number]
        found = self._format.rows(shard)
        if len(found) != result.rows[number]:
            raise InputError(f"{shard} has {len(found)} rows, not {result.rows[number]} as "
                             f"{_RESULT} says; {_AGAIN}")
        return found

    def vectors(self, result: BatchResult, number: int) -> np.ndarray:
        """Return the vectors of a shard, float32 `(rows, features)`.

        Args:
          result, number: as of `rows`.
        Raises:
          InputError: if they cannot be read, or have another type or shape than the result says.
        """
        shard = self.path / result.shards[number]
        found = self._format.vectors(shard)
        expected = (result.rows[number], result.features)
        if found.shape != expected or found.dtype != np.float32:
            raise InputError(f"{shard} has vectors of shape {found.shape} in {found.dtype}, not "
                             f"{expected} in float32 as {_RESULT} says; {_AGAIN}")
        return found

    @cached_property
    def _format(self):
        return formats.of(self.job().format)

    def _report(self, number):
        path = self.report_path(number)
        if not path.exists():
            raise InputError(f"no worker wrote {path}; the output must be a directory that all "
                             "workers see under the same name")
        report = records.read(path, PartReport)
        if report.error is not None:
            raise InputError(report.error)
        return report

    def _is_done(self, number):
        """Whether a part is done; if not, what is left of its report is removed."""
        path = self.report_path(number)
        try:
            report = records.read(path, PartReport)
            if report.error is None and all(
                    (self.path / name).stat().st_size == size
                    for name, size in report.files.items()):
                return True
        except (InputError, OSError):
            pass  # There is none, or it or a shard is damaged.
        path.unlink(missing_ok=True)
        return False
