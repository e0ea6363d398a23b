"""TeacherJob: a teacher's outputs by an Apache Beam job, so that several processes compute them.

An element of the job is a file of the cache with its rows. A worker computes the file and renames
it into its place, so a job that was killed leaves whole files, and another one computes the rest.
"""

import dataclasses
from collections.abc import Callable, Sequence

import apache_beam as beam
from safetensors.numpy import save

from mobilebert_tf.data import beam_jobs
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import write_atomically
from mobilebert_tf.precision import Precision, computing_in
from mobilebert_tf.tasks.task import Task
from mobilebert_tf.training.fingerprint import fingerprint
from mobilebert_tf.training.task import task_models
from mobilebert_tf.training.task.teacher_file import TeacherFile
from mobilebert_tf.training.task.teacher_run import TeacherRun

_ERROR = ".error"


@dataclasses.dataclass(frozen=True, kw_only=True)
class TeacherJob:
    """What the workers of a job load and compute.

    Args:
      teacher: the directory of the teacher; all workers must see it, and the cache, under the same
        name.
      task: of the teacher, with its labels.
      pooler: replaces the teacher's own; see `EncoderConfig.pooler`.
      precision: that the teacher computes in.
      weights: the teacher's `fingerprint`.
      length, pad_id, blocks: see `TeacherRun`.
      workers: processes of Beam's local runner; never more than there are files.
      beam_flags: Apache Beam's own flags, such as `--runner`.
    """

    teacher: str
    task: Task
    pooler: str | None
    precision: Precision
    weights: str
    length: int
    pad_id: int
    blocks: tuple[int, ...]
    workers: int
    beam_flags: tuple[str, ...] = ()

    def write(self, files: Sequence[TeacherFile], on_rows: Callable[[int], None]) -> None:
        """Write all files.

        Args:
          files: those that are missing.
          on_rows: takes the number of rows that are done.
        Raises:
          InputError: if a worker cannot load the teacher or write a file, or the teacher's outputs
            are not finite; and see `beam_jobs.pipeline`.
        """
        for file in files:
            _error_path(file).unlink(missing_ok=True)
        rows = {file.path: len(file.rows) for file in files}
        with (beam_jobs.watched(rows, lambda done, count, size, total: on_rows(size)),
              beam_jobs.pipeline(max(1, min(self.workers, len(files))), self.beam_flags) as made):
            (made | "Plan" >> beam.Create(files) | "Spread" >> beam.Reshuffle()
             | "Run teacher" >> beam.ParDo(_WriteFile(self)))
        errors = [path for path in map(_error_path, files) if path.exists()]
        if errors:
            reason = errors[0].read_text("utf-8")
            for path in errors:
                path.unlink()
            raise InputError(reason)
        missing = [file.path for file in files if not file.path.exists()]
        if missing:
            raise InputError(f"the job wrote no {missing[0]}; all workers must see this directory "
                             "under the same name")

    def loaded(self) -> TeacherRun:
        """Load the teacher, in a worker.

        Raises:
          InputError: if there is none, or another one.
        """
        with computing_in(self.precision):
            contents = task_models.load_teacher(self.teacher, self.task, self.pooler)
        if fingerprint(contents.model) != self.weights:
            raise InputError(f"a worker sees another teacher at {self.teacher}; all workers must "
                             "see one directory under this name")
        return TeacherRun(contents.model, self.length, self.pad_id, self.blocks)


class _WriteFile(beam.DoFn):
    """A file of the cache -> the file on disk, or beside its place why there is none."""

    def __init__(self, job):
        self._job, self._run = job, None

    def process(self, file: TeacherFile):
        try:
            if self._run is None:
                self._run = self._job.loaded()
            write_atomically(file.path, save(self._run.arrays(file.rows)))
        except InputError as error:
            write_atomically(_error_path(file), str(error).encode())


def _error_path(file):
    return file.path.with_suffix(_ERROR)
